//! The result of a conversion beside its output: losses and notes.

use std::fmt;

use inputanim::{About, DeviceLoss};

use crate::shared::Format;

/// Everything that a user should know about a conversion.
///
/// A **loss** is recorded data that could not be kept, such as a pose that is not finite, or a stream that
/// the layout excludes. A **note** is a property of the conversion, or a limit of the format that holds for
/// every recording: the sampling rate, or that BVH has no head.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Report {
    /// The content that was not kept; empty where nothing was lost.
    pub losses: Vec<Loss>,
    /// The properties of the format or the conversion that a user should know.
    pub notes: Vec<Note>,
    /// The number of rows that were written; 0 for formats other than tables.
    pub rows: u64,
    /// The number of markers that are not written, which a note of the kind [`UnwrittenMarkers`](NoteKind::UnwrittenMarkers) states.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub unwritten_markers: usize,
}

/// One kind of content that a conversion did not keep. `Display` prints the message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Loss {
    /// The kind of content.
    pub kind: LossKind,
    /// The number of keys, frames, markers or curves that the loss concerns; 1 if nothing can be counted.
    pub count: u64,
    /// The message in plain English, without a full stop.
    pub message: String,
}

/// The kind of a [`Loss`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub enum LossKind {
    /// Content that the target layout cannot represent: see [`inputanim::Recording::losses`].
    Layout,
    /// Times at which values are unknown: see [`inputanim::Recording::known`].
    Unknown,
    /// Controllers, trackers and other devices: see [`inputanim::Recording::devices`].
    Devices,
    /// Keys, poses or rays with a time or value that is not finite.
    NotFinite,
    /// Tangents or weights of keys that are not finite.
    Tangents,
    /// Frames in which joints of a tracked hand are unknown or not finite.
    Joints,
    /// Frames in which the head is not finite.
    Head,
    /// Markers.
    Markers,
    /// Input sources that are neither a hand nor a gaze.
    InputSources,
    /// Frames or messages that are out of order.
    Order,
    /// Content in a damaged part of a file.
    Damage,
    /// Rows of a table that cannot be read.
    Rows,
    /// Characters or markup of texts.
    Text,
    /// Streams without samples.
    Streams,
    /// Poses of joints that have a position, but no rotation, and for which none can be computed.
    Rotations,
}

/// A property of a conversion that a user should know. `Display` prints the message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub struct Note {
    /// The kind of property.
    pub kind: NoteKind,
    /// The message in plain English, without a full stop.
    pub message: String,
}

/// The kind of a [`Note`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[cfg_attr(feature = "serde", serde(rename_all = "camelCase"))]
#[non_exhaustive]
pub enum NoteKind {
    /// The times at which the recording was sampled.
    Sampling,
    /// Streams, states or markers that are not representable in the format.
    NotInFormat,
    /// Wrap modes of curves. The ends of these curves are held instead.
    WrapModes,
    /// Tangents or weights of keys. Their curves were sampled instead.
    Tangents,
    /// Times that were rounded to the clock of the format.
    Precision,
    /// Content of the file that became markers.
    Markers,
    /// Markers that are not written.
    UnwrittenMarkers,
    /// Times that were shifted, because the format begins at 0.
    TimeShift,
    /// Sign flips of rotations, which readers of the format interpolate along the shorter arc.
    SignFlips,
    /// Rotations that were normalized.
    Normalized,
    /// Axes that differ from the axes that the file states, or axes that the file cannot state.
    Axes,
    /// Rotations that were not in the input and became the identity.
    MissingRotations,
    /// Rotations of joints that were not in the input and were computed from the positions of the hand.
    ComputedRotations,
    /// Unknown columns or members, which the options allow to ignore.
    IgnoredNames,
    /// Members of JSON objects that mappings name, and that no object has.
    MissingMembers,
    /// Damage outside of the recording.
    Damage,
    /// Controllers that stand in for hands.
    Controllers,
    /// Joints that the format does not have.
    MissingJoints,
    /// Hands that count as untracked because of a low confidence.
    Confidence,
    /// The clock of the times, and how times were synchronised.
    Clock,
    /// Content of the file that is not part of a recording.
    OtherContent,
    /// Units of positions, times and angles that are not metres, seconds and radians.
    Units,
    /// Times at which values are unknown: see [`inputanim::Recording::known`].
    Unknown,
    /// Frames at the time of another frame, of which one was read.
    SeveralAtOneTime,
    /// The format that holds what this one lost.
    CompleteFormat,
}

impl NoteKind {
    /// Returns a short title for notes of this kind, such as `sign flips of rotations`.
    pub const fn title(self) -> &'static str {
        match self {
            NoteKind::Sampling => "sampled",
            NoteKind::NotInFormat => "not part of the format",
            NoteKind::WrapModes => "wrap modes",
            NoteKind::Tangents => "tangents",
            NoteKind::Precision => "rounded times",
            NoteKind::Markers => "markers",
            NoteKind::UnwrittenMarkers => "markers that are not written",
            NoteKind::TimeShift => "shifted times",
            NoteKind::SignFlips => "sign flips of rotations",
            NoteKind::Normalized => "normalized rotations",
            NoteKind::Axes => "axes",
            NoteKind::MissingRotations => "missing rotations",
            NoteKind::ComputedRotations => "computed rotations",
            NoteKind::IgnoredNames => "unknown names",
            NoteKind::MissingMembers => "missing members",
            NoteKind::Damage => "damage outside of the recording",
            NoteKind::Controllers => "controllers instead of hands",
            NoteKind::MissingJoints => "missing joints",
            NoteKind::Confidence => "hands with a low confidence",
            NoteKind::Clock => "clock",
            NoteKind::OtherContent => "other content of the file",
            NoteKind::Units => "units",
            NoteKind::Unknown => "unknown values",
            NoteKind::SeveralAtOneTime => "several frames at one time",
            NoteKind::CompleteFormat => "complete format",
        }
    }
}

impl Loss {
    pub(crate) fn new(kind: LossKind, count: usize, message: impl Into<String>) -> Loss {
        Loss {
            kind,
            count: count as u64,
            message: message.into(),
        }
    }
}

impl Loss {
    /// Creates the loss of content of a device.
    pub fn of_device(loss: &DeviceLoss) -> Loss {
        let count = loss.keys as usize + loss.profiles + loss.haptics;
        Loss::new(LossKind::Devices, count.max(1), loss.to_string())
    }

    /// Creates the loss of `count` poses of joints that have a position, and for which no rotation can be computed. Returns `None`
    /// if the count is 0.
    #[cfg(any(feature = "tables", feature = "gltf"))]
    pub(crate) fn of_uncomputed_rotations(count: usize) -> Option<Loss> {
        let message = match count {
            1 => "1 pose of a joint is unknown, because its rotation cannot be computed from positions"
                .to_owned(),
            _ => format!(
                "{count} poses of joints are unknown, because their rotations cannot be computed from positions"
            ),
        };
        (count > 0).then(|| Loss::new(LossKind::Rotations, count, message))
    }
}

/// The number of names of texts that a note lists.
const LISTED_TEXTS: usize = 8;

impl Note {
    pub(crate) fn new(kind: NoteKind, message: impl Into<String>) -> Note {
        Note {
            kind,
            message: message.into(),
        }
    }
}

impl Note {
    /// Creates the note that `count` markers are not written, because the format cannot represent them.
    ///
    /// A program that converts many recordings can create it for the sum of their markers.
    pub fn of_markers(count: usize, format: Format) -> Note {
        let markers = counted(count, "marker");
        let message = if format.is_table() {
            format!("{markers} not in the table")
        } else if format == Format::HandsBin {
            // Its name is no abbreviation.
            format!("{markers} not representable in .handsbin")
        } else {
            let format = format.name().to_uppercase();
            format!("{markers} not representable in {format}")
        };
        Note::new(NoteKind::UnwrittenMarkers, message)
    }

    /// Creates the note that a format does not hold some texts about a recording: see [`Format::lost_texts`]. Returns `None` if
    /// it holds all of them.
    pub fn of_lost_texts(format: Format, about: &About) -> Option<Note> {
        let lost = format.lost_texts(about);
        let count = counted(lost.len(), "text");
        let message = format!(
            "{count} about the recording not written: {}",
            listed(&lost, LISTED_TEXTS)
        );
        (!lost.is_empty()).then(|| Note::new(NoteKind::NotInFormat, message))
    }

    /// Creates the note that names the format which holds everything, if content of devices is among `losses`. Returns `None` if no
    /// such content is lost, and if this build writes no such format.
    pub fn of_lost_devices(losses: &[Loss]) -> Option<Note> {
        let is_of_device = |loss: &Loss| loss.kind == LossKind::Devices;
        losses
            .iter()
            .any(is_of_device)
            .then(Note::of_complete_format)?
    }

    /// Creates the note that names the format which holds everything about devices: see [`Format::complete`]. Returns `None` if
    /// this build writes no such format.
    pub fn of_complete_format() -> Option<Note> {
        let format = Format::complete()?;
        let [extension, ..] = format.extensions() else {
            return None;
        };
        let message = format!("a .{extension} file holds controllers and other devices completely");
        Some(Note::new(NoteKind::CompleteFormat, message))
    }

    /// Creates the note that values are unknown because of a low confidence; `None` if `count` is 0.
    #[cfg(feature = "tables")]
    pub(crate) fn of_low_confidences(count: usize, least: Option<f32>) -> Option<Note> {
        let least = least.unwrap_or(super::options::MIN_CONFIDENCE);
        let message = match count {
            1 => format!("1 value is unknown, because its confidence is below {least}"),
            _ => format!("{count} values are unknown, because their confidence is below {least}"),
        };
        (count > 0).then(|| Note::new(NoteKind::Confidence, message))
    }

    /// Creates the note that poses have a position and no rotation, so that the identity is assumed. `poses` are their
    /// names. Returns `None` if the list is empty.
    #[cfg(any(feature = "tables", feature = "gltf"))]
    pub(crate) fn of_missing_rotations(poses: &[String]) -> Option<Note> {
        let message = format!("no rotations, identity assumed: {}", listed(poses, 3));
        (!poses.is_empty()).then(|| Note::new(NoteKind::MissingRotations, message))
    }

    /// Creates the note that the rotations of joints were computed from the positions of their hand (docs/frames.md). `joints` are
    /// their names. Returns `None` if the list is empty.
    #[cfg(any(feature = "tables", feature = "gltf"))]
    pub(crate) fn of_computed_rotations(joints: &[String]) -> Option<Note> {
        let message = format!("rotations computed from positions: {}", listed(joints, 3));
        (!joints.is_empty()).then(|| Note::new(NoteKind::ComputedRotations, message))
    }
}

impl Report {
    /// Adds a loss, unless its count is 0.
    pub(crate) fn lose(&mut self, kind: LossKind, count: usize, message: impl Into<String>) {
        if count > 0 {
            self.losses.push(Loss::new(kind, count, message));
        }
    }

    /// Adds the content of a device that the format does not hold, unless there is none.
    pub(crate) fn lose_device(&mut self, loss: &DeviceLoss) {
        if !loss.is_empty() {
            self.losses.push(Loss::of_device(loss));
        }
    }

    /// Adds the note that `count` markers are not written, unless there are none.
    pub(crate) fn leave_markers(&mut self, count: usize, format: Format) {
        if count > 0 {
            self.unwritten_markers += count;
            self.notes.push(Note::of_markers(count, format));
        }
    }

    /// Adds a note.
    pub(crate) fn note(&mut self, kind: NoteKind, message: impl Into<String>) {
        self.notes.push(Note::new(kind, message));
    }

    /// Adds the losses, notes and rows of a later step, such as the report of a writer to the report of the reader. A note about
    /// unknown values is removed if a loss or note of the later step repeats it and states what becomes of them.
    pub fn extend(&mut self, other: Report) {
        self.notes.retain(|note| {
            let mut losses = other
                .losses
                .iter()
                .filter(|loss| loss.kind == LossKind::Unknown);
            let mut notes = other
                .notes
                .iter()
                .filter(|note| note.kind == NoteKind::Unknown);
            note.kind != NoteKind::Unknown
                || !losses.any(|loss| loss.message.starts_with(&note.message))
                    && !notes.any(|later| later.message.starts_with(&note.message))
        });
        self.rows += other.rows;
        self.unwritten_markers += other.unwritten_markers;
        self.losses.extend(other.losses);
        self.notes.extend(other.notes);
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message)
    }
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.message)
    }
}

/// Joins the first names of a list and states the number of the others: `a, b, c and 2 more`.
pub(crate) fn listed<T: fmt::Display>(names: impl IntoIterator<Item = T>, most: usize) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names
        .by_ref()
        .take(most)
        .map(|name| name.to_string())
        .collect();
    let first = first.join(", ");
    match names.count() {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Writes a number and a noun, with an `s` unless the number is 1.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

#[cfg(all(test, any(feature = "egodex", feature = "xror")))]
mod tests {
    use super::*;

    #[test]
    fn a_list_states_the_number_of_the_names_that_it_leaves_out() {
        let names = ["a", "b", "c", "d"];
        assert_eq!(listed(&names[..0], 3), "");
        assert_eq!(listed(&names[..1], 3), "a");
        assert_eq!(listed(&names[..3], 3), "a, b, c");
        assert_eq!(listed(names, 3), "a, b, c and 1 more");
    }
}
