//! The metadata of Arrow and Parquet tables.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};

use inputanim::{About, Layout, Marker, Recording, Space};
use serde::{Deserialize, Serialize};

use super::samples::markers_within;
use crate::shared::axes::axes;
use crate::shared::number::Number;
use crate::shared::{Sampling, TableShape, WriteOptions};
use crate::table::table_error::TableError;

/// The entries by their names.
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
const ABOUT: &str = "inputanim.about";

/// The name of the entry that lists the recordings of a table.
pub(super) const RECORDINGS: &str = "inputanim.recordings";

/// Returns the metadata of a table of one recording. They contain the texts about it, and the markers, unless the markers are
/// rows.
pub(super) fn of_recording(recording: &Recording<'_>, options: &WriteOptions) -> Entries {
    let mut entries = of_options(options);
    let mut add = |name: &str, value: String| entries.insert(name.to_owned(), value);
    if let Some(source) = &options.source {
        add(SOURCE, source.clone());
    }
    add(LAYOUT, recording.layout.to_string());
    if !recording.about.is_empty() {
        add(ABOUT, text(&texts_of(&recording.about)));
    }
    if options.shape != TableShape::Keys {
        add(MARKERS, text(&markers_of(recording, options)));
    }
    entries
}

/// Returns the metadata that do not depend on the recording: shape, times, axes, units and program.
pub(super) fn of_options(options: &WriteOptions) -> Entries {
    // Keys are not transformed.
    let (space, times) = match options.shape {
        TableShape::Wide | TableShape::Tidy => (options.space, Some(times(options.sampling))),
        TableShape::Keys => (Space::Unity, None),
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

fn times(sampling: Sampling) -> String {
    match sampling {
        Sampling::Rate(rate) => format!("{rate} Hz"),
        Sampling::Keys => "keys".to_owned(),
    }
}

/// A marker as in lossless JSON: `{"time":0.5,"name":"start"}`.
#[derive(Serialize, Deserialize)]
struct MarkerEntry<'m> {
    time: Number,
    #[serde(borrow)]
    name: Cow<'m, str>,
}

/// Returns the markers in the time range of the table.
fn markers_of<'m>(recording: &'m Recording<'_>, options: &WriteOptions) -> Vec<MarkerEntry<'m>> {
    let mark = |marker: &'m Marker<'m>| MarkerEntry {
        time: Number(marker.time),
        name: Cow::Borrowed(&marker.name),
    };
    markers_within(recording, options).map(mark).collect()
}

/// The texts about a recording by their names.
type Texts<'t> = BTreeMap<Cow<'t, str>, Cow<'t, str>>;

fn texts_of(about: &About) -> Texts<'_> {
    let texts = about.iter();
    texts
        .map(|(name, text)| (Cow::Borrowed(name), Cow::Borrowed(text)))
        .collect()
}

/// One of several recordings in a table.
#[derive(Serialize, Deserialize)]
struct RecordingEntry<'p> {
    #[serde(borrow)]
    name: Cow<'p, str>,
    #[serde(borrow)]
    layout: Cow<'p, str>,
    #[serde(borrow, default)]
    markers: Vec<MarkerEntry<'p>>,
    #[serde(borrow, default, skip_serializing_if = "BTreeMap::is_empty")]
    about: Texts<'p>,
}

/// The entries of all recordings in a table of several recordings, as JSON.
#[derive(Default)]
pub(super) struct Recordings {
    text: String,
}

impl Recordings {
    pub(super) fn push(&mut self, name: &str, recording: &Recording<'_>, options: &WriteOptions) {
        let has_markers = options.shape != TableShape::Keys;
        let markers = has_markers.then(|| markers_of(recording, options));
        // The text is created here, so that the recording does not have to stay in memory.
        self.text += if self.text.is_empty() { "[" } else { ",\n" };
        self.text += &text(&RecordingEntry {
            name: Cow::Borrowed(name),
            layout: Cow::Borrowed(recording.layout.name()),
            markers: markers.unwrap_or_default(),
            about: texts_of(&recording.about),
        });
    }

    /// Returns the value of the metadata entry [`RECORDINGS`]: a JSON array with an object for each recording.
    pub(super) fn into_text(mut self) -> String {
        self.text += if self.text.is_empty() { "[]" } else { "]" };
        self.text
    }
}

fn text(value: &impl Serialize) -> String {
    // Text and numbers can always be written as JSON.
    serde_json::to_string(value).unwrap_or_default()
}

/// The metadata of the recording that is read.
#[derive(Debug, Default)]
pub(super) struct TableMetadata {
    pub(super) layout: Option<Layout>,
    pub(super) space: Option<Space>,
    pub(super) markers: Vec<Marker<'static>>,
    pub(super) about: About,
    /// `true` if this library wrote the table.
    pub(super) is_ours: bool,
}

impl TableMetadata {
    /// Parses the metadata of the recording `name`. Without a name, the table may contain only one recording.
    ///
    /// # Errors
    /// When an entry is not valid JSON, or there are several recordings and `name` is `None`.
    pub(super) fn parse(
        entries: &Entries,
        name: Option<&str>,
    ) -> Result<TableMetadata, TableError> {
        let parts = entries.get(RECORDINGS).map(String::as_str);
        let parts: Vec<RecordingEntry<'_>> =
            serde_json::from_str(parts.unwrap_or("[]")).map_err(TableError::Metadata)?;
        let part = match name {
            Some(name) => parts.iter().find(|part| part.name == name),
            None if parts.len() > 1 => {
                let name = |index: usize| parts[index].name.clone().into_owned();
                let (first, second) = (name(0), name(1));
                return Err(TableError::SeveralRecordings { first, second });
            }
            None => parts.first(),
        };
        let layout = entries.get(LAYOUT).map(String::as_str);
        let layout = part.map(|part| &*part.layout).or(layout);
        let marks = entries.get(MARKERS).map(String::as_str).unwrap_or("[]");
        let marks: Vec<MarkerEntry<'_>> =
            serde_json::from_str(marks).map_err(TableError::Metadata)?;
        let marks = part.map_or(&marks, |part| &part.markers);
        let texts = entries.get(ABOUT).map(String::as_str).unwrap_or("{}");
        let texts: Texts<'_> = serde_json::from_str(texts).map_err(TableError::Metadata)?;
        let texts = part.map_or(&texts, |part| &part.about);
        let mark =
            |mark: &MarkerEntry<'_>| Marker::new(mark.time.0, mark.name.clone().into_owned());
        Ok(TableMetadata {
            // A name that this version does not know is treated as absent.
            layout: layout.and_then(|name| name.parse().ok()),
            space: entries.get(SPACE).and_then(|name| name.parse().ok()),
            markers: marks.iter().map(mark).collect(),
            about: texts.iter().collect(),
            is_ours: entries.contains_key(PROGRAM),
        })
    }
}
