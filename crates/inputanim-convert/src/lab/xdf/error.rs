//! Errors of reading and writing XDF.

use crate::shared::report::listed;
use crate::shared::{ReadField, Remedy, Suggestion};

/// A file that cannot be read, or to which nothing can be appended.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum XdfError {
    /// The first four bytes are not `XDF:`.
    #[error("not an XDF file: expected \"XDF:\" at the start")]
    NotXdf,
    /// The compressed content cannot be unpacked.
    #[error("the compressed file cannot be unpacked")]
    Compressed(#[source] std::io::Error),
    /// A file that is compressed with gzip contains another format.
    #[error(
        "a file that is compressed with gzip is read if it is XDF: expected \"XDF:\" at the start of its content, found \
         {found:?}"
    )]
    CompressedOther {
        /// The first four bytes of the content as text.
        found: String,
    },
    /// No channel has the name of a curve, and no mapping selects one.
    #[error(
        "no channel has the name of a curve, such as head.position.x; a mapping \
         `head.position.x=STREAM/CHANNEL` selects one. {streams}"
    )]
    NothingToRead {
        /// The streams of the file with their channels, and damage.
        streams: String,
        /// Mappings that probably help.
        suggested: Suggestion,
    },
    /// The source of a mapping is not in the file.
    #[error("{column}={source_name}: {problem}. {streams}")]
    Source {
        /// The column that is mapped.
        column: String,
        /// The source, `STREAM/CHANNEL`.
        source_name: String,
        /// The problem with the source.
        problem: String,
        /// The streams of the file with their channels.
        streams: String,
    },
    /// The options state the lowest confidence, and no mapping selects a confidence.
    #[error("the lowest confidence has no effect without a mapping of a confidence")]
    NoConfidence,
    /// The streams that are selected have no samples.
    #[error("nothing to read: no samples in {}{}", list(.streams), damaged_at(.damage.as_deref()))]
    NothingInStreams {
        /// The streams.
        streams: Vec<String>,
        /// The damage of the file.
        damage: Option<String>,
    },
    /// Two channels have the name of one curve.
    #[error("{column} is in two streams: {first} and {second}; a mapping selects one of them")]
    Duplicate {
        /// The name of the curve.
        column: String,
        /// A stream, `NAME` or `NAME#N`.
        first: String,
        /// Another stream.
        second: String,
    },
    /// A pose or ray lacks channels.
    #[error("incomplete poses: {} missing", .columns.join(", "))]
    Missing {
        /// The names of the curves that no channel has.
        columns: Vec<String>,
    },
    /// The channels of a position, rotation or ray are in different streams, which have different times.
    #[error(
        "the channels of {group} are in two streams, {first} and {second}; expected one stream"
    )]
    SeveralStreams {
        /// The name of the position, rotation or ray.
        group: String,
        /// A stream.
        first: String,
        /// Another stream.
        second: String,
    },
    /// A mapping selects the position or the rotation of a pose, and the other one is in another stream.
    #[error(
        "the channels of {pose} are in two streams, {mapped} by a mapping and {other} by its labels; expected one \
         stream, or mappings of the position and the rotation"
    )]
    PartlyMapped {
        /// The name of the pose.
        pose: String,
        /// The stream that the mapping selects.
        mapped: String,
        /// The stream with the other channels.
        other: String,
    },
    /// The file contains several recordings that this library wrote, and the options select none.
    #[error("the file contains several recordings: {}; select one by its name", .names.join(", "))]
    SeveralRecordings {
        /// The names of the recordings. The second one of a name is `NAME#2`.
        names: Vec<String>,
    },
    /// No recording has the name that the options select.
    #[error("no recording {name:?} in the file; found {}", list(.names))]
    UnknownRecording {
        /// The name.
        name: String,
        /// The names of the recordings of the file.
        names: Vec<String>,
    },
    /// The file has no markers, so that no recording begins at one.
    #[error(
        "no stream has markers; a mapping `marker=STREAM` or `marker=STREAM/CHANNEL` selects one. {streams}"
    )]
    NoMarkers {
        /// The streams of the file, with their channels.
        streams: String,
    },
    /// No marker has the text at which a recording begins.
    #[error("no marker {text:?}{}; the file has {}", with_number(*.number), list(&quoted(.markers)))]
    NoMarker {
        /// The text of the marker.
        text: String,
        /// The number of the marker among the markers with this text, from 1 on.
        number: usize,
        /// The markers of the file, each text once.
        markers: Vec<String>,
    },
    /// A time is needed, but no stream has a sample.
    #[error("the file has no samples, so that no time is after its first sample")]
    NoSamples,
    /// A time is not a number, or so large that double precision does not resolve microseconds.
    #[error("invalid time: {seconds:e} s (must be between -1e10 and 1e10)")]
    Time {
        /// The time in seconds.
        seconds: f64,
    },
    /// The last chunk of a file is damaged. A reader would take appended chunks for its content.
    #[error("cannot append to a file whose end is damaged: {damage}")]
    DamagedEnd {
        /// The place and the cause.
        damage: String,
    },
    /// Nothing can be appended to a compressed file.
    #[error("cannot append to a compressed file; unpack it first")]
    AppendToCompressed,
    /// All ids of streams are in use.
    #[error("the file has no unused ids of streams")]
    NoUnusedIds,
}

impl crate::shared::error::OfFormat for XdfError {
    fn remedy(&self) -> Option<Remedy> {
        match self {
            XdfError::NothingToRead { suggested, .. } if !suggested.is_empty() => {
                Some(Remedy::MapAs(suggested.clone()))
            }
            XdfError::SeveralRecordings { names } => Some(Remedy::ChooseRecording(names.clone())),
            XdfError::NoConfidence => Some(Remedy::LeaveOut(ReadField::MinConfidence)),
            XdfError::AppendToCompressed | XdfError::CompressedOther { .. } => Some(Remedy::Unpack),
            _ => None,
        }
    }
}

/// Returns the end of an error about a marker: ` with the number 3`, or an empty text for the number 1.
fn with_number(number: usize) -> String {
    match number {
        1 => String::new(),
        number => format!(" with the number {number}"),
    }
}

fn damaged_at(damage: Option<&str>) -> String {
    damage.map_or(String::new(), |damage| {
        format!("; the file is damaged at {damage}")
    })
}

fn quoted(names: &[String]) -> Vec<String> {
    names.iter().map(|name| format!("{name:?}")).collect()
}

/// Joins the first names for an error, and states the number of the others; `none` if the list is empty.
fn list(names: &[String]) -> String {
    const LISTED: usize = 20;
    match names {
        [] => "none".to_owned(),
        names => listed(names, LISTED),
    }
}
