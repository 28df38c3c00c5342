//! The result of `info` for one file.

use std::path::Path;

use inputanim::doctor::{self, Finding};
use inputanim::info::Info;
use inputanim::{CurvePath, DamagedPart, FilePart, Marker, RecoveredRecording, Side, Stream};
use inputanim_convert::Format;
use inputanim_convert::tables::Column;
use inputanim_scan::FileFacts;
use serde::{Serialize, Serializer};

use crate::files::input::Input;
use crate::messages::findings::FileError;
use inputanim_scan::portable;

/// One file. Times are seconds, rates are instants per second.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    pub(super) file: String,
    /// The format of the file.
    #[serde(serialize_with = "name_of")]
    pub(super) format: Format,
    /// The size of the file in bytes; a summary has the size in the recording's own layout.
    pub(super) bytes: u64,
    pub(crate) info: Info,
    /// `true` for a hand that is recorded without its pinches, the left one first.
    #[serde(skip)]
    lacks_pinches: [bool; 2],
    /// `true` for a hand of which nothing is recorded, the left one first.
    #[serde(skip)]
    lacks_hand: [bool; 2],
    pub(super) markers: Vec<Marker<'static>>,
    /// The findings of an overview.
    pub(super) findings: Vec<Finding>,
    /// The reason why the file is not well formed.
    pub(super) error: Option<FileError>,
    /// The parts that are missing because of the error.
    pub(super) missing: Vec<DamagedPart>,
}

impl Report {
    pub(crate) fn new(input: &Input, recovery: &RecoveredRecording<'_>) -> Report {
        let recording = &recovery.recording;
        let info = Info::of(recording);
        let findings = doctor::overview(recovery, &info);
        let markers = recording.markers.iter().cloned();
        let path = Path::new(input.name());
        let has_keys = |stream| info.stream(stream).is_some_and(|stream| stream.keys > 0);
        let lacks_hand = Side::BOTH
            .map(|side| !has_keys(Stream::Tracked(side)) && !has_keys(Stream::Joints(side)));
        let malformed = recovery.error.as_ref();
        let malformed = malformed.map(|error| FileError::malformed(error, path));
        let damaged = || Some(FileError::damaged(input.damage()?, path));
        Report {
            file: portable(path),
            format: input.format(),
            bytes: input.len(),
            info,
            lacks_pinches: Side::BOTH.map(|side| recording.lacks_pinches(side)),
            lacks_hand,
            markers: markers.map(Marker::into_owned).collect(),
            findings,
            error: malformed.or_else(damaged),
            missing: recovery.damaged.clone(),
        }
    }

    /// Returns the codes of the findings, each once.
    pub(super) fn codes(&self) -> String {
        Finding::codes(&self.findings)
    }

    /// Returns `true` if a curve has a state of a hand that is not recorded: its pinches, or everything of the hand.
    pub(super) fn lacks_state(&self, path: CurvePath) -> bool {
        match path {
            CurvePath::Pinching(side) => {
                self.lacks_pinches[side as usize] || self.lacks_hand[side as usize]
            }
            CurvePath::Tracked(side) => self.lacks_hand[side as usize],
            _ => false,
        }
    }

    /// Returns `true` if a curve could not be recovered from a damaged file.
    pub(super) fn is_missing(&self, path: CurvePath) -> bool {
        let mut missing = self.missing.iter();
        missing.any(|missing| missing.part == FilePart::Curve(path))
    }
}

impl Report {
    /// Returns the values of a CSV row: the name of the file, its columns, and the message of the error, if there is
    /// one.
    pub(crate) fn row(&self) -> (&str, Vec<Column>, Option<String>) {
        let facts = FileFacts {
            format: self.format,
            layout: self.info.layout,
            info: Some(&self.info),
            about: &self.info.about,
            findings: &self.findings,
            bytes: self.bytes,
            markers: self.markers.len(),
            missing_parts: self.missing.len(),
            is_well_formed: self.error.is_none(),
        };
        let error = self.error.as_ref().map(FileError::message);
        (&self.file, facts.row().columns, error)
    }
}

fn name_of<S: Serializer>(format: &Format, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(format.name())
}

/// A file that cannot be read.
#[derive(Serialize)]
pub(crate) struct Unreadable {
    file: String,
    // The members of `Report`, so that programs find the same ones in every report.
    bytes: (),
    info: (),
    markers: [(); 0],
    findings: [(); 0],
    error: FileError,
    missing: [(); 0],
}

impl Unreadable {
    pub(crate) fn new(path: &Path, error: &anyhow::Error) -> Unreadable {
        Unreadable {
            file: portable(path),
            bytes: (),
            info: (),
            markers: [],
            findings: [],
            error: FileError::new(error, path),
            missing: [],
        }
    }

    /// Returns the values of a CSV row: the name of the file, its columns without values, and the message of the error.
    pub(crate) fn row(&self) -> (&str, Vec<Column>, Option<String>) {
        let columns = match self.error.is_malformed() {
            true => FileFacts::malformed_row().columns,
            false => vec![Column::missing(1); FileFacts::fields().len()],
        };
        (&self.file, columns, Some(self.error.message()))
    }
}
