//! What a table says of itself, where its format has a place for that.

use std::borrow::Cow;
use std::collections::HashMap;

use inputanim::{Layout, Marker, Recording, Space};
use serde::{Deserialize, Serialize};

use crate::json::Number;

use super::{Error, Options, Shape, Times};

/// The entries, by their names.
pub(super) type Entries = HashMap<String, String>;

const SHAPE: &str = "inputanim.shape";
const PROGRAM: &str = "inputanim.program";
const SOURCE: &str = "inputanim.source";
const LAYOUT: &str = "inputanim.layout";
const TIMES: &str = "inputanim.times";
const SPACE: &str = "inputanim.space";
const AXES: &str = "inputanim.axes";
const UNITS: &str = "inputanim.units";
const MARKERS: &str = "inputanim.markers";

/// The recordings in a table of several.
pub(super) const RECORDINGS: &str = "inputanim.recordings";

/// The entries for one recording. Its markers are among them where they are not rows.
pub(super) fn of_recording(recording: &Recording<'_>, options: &Options) -> Entries {
    let mut entries = of_options(options);
    let mut add = |name: &str, value: String| entries.insert(name.to_owned(), value);
    if let Some(source) = &options.source {
        add(SOURCE, source.clone());
    }
    add(LAYOUT, recording.layout.to_string());
    if options.shape == Shape::Wide && options.markers {
        add(MARKERS, text(&markers_of(&recording.markers)));
    }
    entries
}

/// The entries that do not depend on what is recorded.
pub(super) fn of_options(options: &Options) -> Entries {
    // Keys stay as they are.
    let (space, times) = match options.shape {
        Shape::Wide => (options.space, Some(times(options.times))),
        Shape::Keys => (Space::Unity, None),
    };
    let entries = [
        (SPACE, space.name()),
        (SHAPE, options.shape.name()),
        (PROGRAM, concat!("inputanim ", env!("CARGO_PKG_VERSION"))),
        (AXES, axes(space)),
        (
            UNITS,
            "seconds, metres; rotations are quaternions x, y, z, w",
        ),
    ];
    let entries = entries.map(|(name, value)| (name.to_owned(), value.to_owned()));
    let times = times.map(|times| (TIMES.to_owned(), times));
    entries.into_iter().chain(times).collect()
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

/// A marker as in lossless JSON: `{"time":0.5,"name":"start"}`.
#[derive(Serialize, Deserialize)]
struct Mark<'m> {
    time: Number,
    #[serde(borrow)]
    name: Cow<'m, str>,
}

fn markers_of<'m>(markers: &'m [Marker<'_>]) -> Vec<Mark<'m>> {
    let mark = |marker: &'m Marker<'_>| Mark {
        time: Number(marker.time),
        name: Cow::Borrowed(&marker.name),
    };
    markers.iter().map(mark).collect()
}

/// One of several recordings in a table.
#[derive(Serialize, Deserialize)]
struct Part<'p> {
    #[serde(borrow)]
    name: Cow<'p, str>,
    #[serde(borrow)]
    layout: Cow<'p, str>,
    #[serde(borrow, default)]
    markers: Vec<Mark<'p>>,
}

/// The recordings in a table of several, as they are added.
#[derive(Default)]
pub(super) struct Recordings {
    parts: Vec<String>,
}

impl Recordings {
    pub(super) fn push(&mut self, name: &str, recording: &Recording<'_>, options: &Options) {
        let has_markers = options.shape == Shape::Wide && options.markers;
        let markers = has_markers.then(|| markers_of(&recording.markers));
        self.parts.push(text(&Part {
            name: Cow::Borrowed(name),
            layout: Cow::Borrowed(recording.layout.name()),
            markers: markers.unwrap_or_default(),
        }));
    }

    /// The entry that says them all.
    pub(super) fn text(&self) -> String {
        format!("[{}]", self.parts.join(",\n"))
    }
}

fn text(value: &impl Serialize) -> String {
    // Text and numbers always become JSON.
    serde_json::to_string(value).unwrap_or_default()
}

/// What a table says of the recording that is read of it.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) layout: Option<Layout>,
    pub(super) space: Option<Space>,
    pub(super) markers: Vec<Marker<'static>>,
    /// Whether this library wrote it.
    pub(super) is_ours: bool,
}

impl Said {
    /// # Errors
    /// When the markers are no JSON, or there are several recordings and it is not said which, or
    /// which is none of them.
    pub(super) fn of(entries: &Entries, wanted: Option<&str>) -> Result<Said, Error> {
        let parts = entries.get(RECORDINGS).map(String::as_str);
        let parts: Vec<Part<'_>> =
            serde_json::from_str(parts.unwrap_or("[]")).map_err(Error::Metadata)?;
        let part = match wanted {
            Some(name) => parts.iter().find(|part| part.name == name),
            None if parts.len() > 1 => {
                let name = |index: usize| parts[index].name.clone().into_owned();
                let (first, second) = (name(0), name(1));
                return Err(Error::Several { first, second });
            }
            None => parts.first(),
        };
        let layout = entries.get(LAYOUT).map(String::as_str);
        let layout = part.map(|part| &*part.layout).or(layout);
        let marks = entries.get(MARKERS).map(String::as_str).unwrap_or("[]");
        let marks: Vec<Mark<'_>> = serde_json::from_str(marks).map_err(Error::Metadata)?;
        let marks = part.map_or(&marks, |part| &part.markers);
        let mark = |mark: &Mark<'_>| Marker::new(mark.time.0, mark.name.clone().into_owned());
        Ok(Said {
            layout: layout.and_then(|name| name.parse().ok()),
            space: entries.get(SPACE).and_then(|name| name.parse().ok()),
            markers: marks.iter().map(mark).collect(),
            is_ours: entries.contains_key(PROGRAM),
        })
    }
}
