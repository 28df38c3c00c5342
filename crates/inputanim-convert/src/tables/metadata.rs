//! What a table says of itself, where its format has a place for that.

use std::borrow::Cow;
use std::collections::HashMap;

use inputanim::{Layout, Marker, Recording, Space};
use serde::{Deserialize, Serialize};

use crate::json::Number;

use super::{Options, Shape, Times};

const SHAPE: &str = "inputanim.shape";
const PROGRAM: &str = "inputanim.program";
const SOURCE: &str = "inputanim.source";
const LAYOUT: &str = "inputanim.layout";
const TIMES: &str = "inputanim.times";
const SPACE: &str = "inputanim.space";
const AXES: &str = "inputanim.axes";
const UNITS: &str = "inputanim.units";
const MARKERS: &str = "inputanim.markers";

/// The entries for one recording. Its markers are among them where they are not rows.
pub(super) fn of_recording(
    recording: &Recording<'_>,
    options: &Options,
) -> HashMap<String, String> {
    let mut entries = of_shape(options.shape, options.space);
    let mut add = |name: &str, value: String| entries.insert(name.to_owned(), value);
    if let Some(source) = &options.source {
        add(SOURCE, source.clone());
    }
    add(LAYOUT, recording.layout.to_string());
    if options.shape == Shape::Wide {
        add(TIMES, times(options.times));
        add(MARKERS, markers_to_text(&recording.markers));
    }
    entries
}

/// The entries that all tables of a shape have.
pub(super) fn of_shape(shape: Shape, space: Space) -> HashMap<String, String> {
    // Keys stay as they are.
    let space = match shape {
        Shape::Wide => space,
        Shape::Keys => Space::Unity,
    };
    let entries = [
        (SPACE, space.name()),
        (SHAPE, shape.name()),
        (PROGRAM, concat!("inputanim ", env!("CARGO_PKG_VERSION"))),
        (AXES, axes(space)),
        (
            UNITS,
            "seconds, metres; rotations are quaternions x, y, z, w",
        ),
    ];
    let entries = entries.map(|(name, value)| (name.to_owned(), value.to_owned()));
    HashMap::from(entries)
}

const fn axes(space: Space) -> &'static str {
    match space {
        Space::Unity => "left-handed, +X right, +Y up, +Z forward",
        Space::Gltf => "right-handed, -X right, +Y up, +Z forward",
        Space::Blender => "right-handed, +X right, +Y forward, +Z up",
        _ => "right-handed, +X right, +Y up, -Z forward",
    }
}

fn times(times: Times) -> String {
    match times {
        Times::Rate(rate) => format!("{rate} Hz"),
        Times::Keys => "keys".to_owned(),
    }
}

#[derive(Serialize, Deserialize)]
struct Entry<'m> {
    time: Number,
    #[serde(borrow)]
    name: Cow<'m, str>,
}

/// As in lossless JSON: `[{"time":0.5,"name":"start"}]`.
pub(super) fn markers_to_text(markers: &[Marker<'_>]) -> String {
    let entries = markers.iter().map(|marker| Entry {
        time: Number(marker.time),
        name: Cow::Borrowed(&marker.name),
    });
    let entries: Vec<Entry<'_>> = entries.collect();
    // Text and numbers always become JSON.
    serde_json::to_string(&entries).unwrap_or_default()
}

/// The axes that a table says it has.
pub(super) fn space(entries: &HashMap<String, String>) -> Option<Space> {
    entries.get(SPACE)?.parse().ok()
}

/// The layout of the recording that a table is from, if it says it.
pub(super) fn layout(entries: &HashMap<String, String>) -> Option<Layout> {
    entries.get(LAYOUT)?.parse().ok()
}

/// The markers in the metadata.
pub(super) fn markers(
    entries: &HashMap<String, String>,
) -> Result<Vec<Marker<'static>>, serde_json::Error> {
    let Some(text) = entries.get(MARKERS) else {
        return Ok(Vec::new());
    };
    let entries: Vec<Entry<'_>> = serde_json::from_str(text)?;
    let markers = entries.into_iter();
    Ok(markers
        .map(|entry| Marker::new(entry.time.0, entry.name.into_owned()))
        .collect())
}
