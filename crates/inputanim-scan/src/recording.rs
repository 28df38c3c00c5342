//! A recording that is open.

use inputanim::{MAGIC, Recording, TimeRange, edit};
use inputanim_convert::tables::{Instants, TableColumns};
use inputanim_convert::{Format, ReadOptions, TableShape};

use crate::error::FileProblem;
use crate::names::ElementChoice;
use crate::options::ScanOptions;
use crate::source::{FileBytes, ScanFile};

/// The content of a file, shared by the tasks that read it.
///
/// A recording borrows its keys. Parsing reads the headers of curves and no keys, so that each task parses the bytes again.
#[derive(Debug)]
pub(crate) enum OpenFile {
    Bin(FileBytes),
    /// A recording from lossless JSON.
    Parsed(Box<Recording<'static>>),
}

impl OpenFile {
    pub(crate) fn open(file: &ScanFile, options: &ScanOptions) -> Result<OpenFile, FileProblem> {
        let limits = &options.limits;
        let bytes = file.open(options)?;
        let content = bytes.as_slice();
        if content.starts_with(&MAGIC) {
            return Ok(OpenFile::Bin(bytes));
        }
        match Format::detect(content) {
            Some(Format::Json) => {
                let mut read = ReadOptions::default();
                read.limits = *limits;
                let (recording, _) = inputanim_convert::read(Format::Json, content, &read)?;
                Ok(OpenFile::Parsed(Box::new(recording.into_owned())))
            }
            Some(Format::Bin) | None => Ok(OpenFile::Bin(bytes)),
            Some(format) => Err(FileProblem::Format(format)),
        }
    }

    /// Calls a function with the recording, reduced to the streams and joints that count.
    pub(crate) fn with<R>(
        &self,
        options: &ScanOptions,
        choice: &ElementChoice,
        read: impl FnOnce(&Recording<'_>) -> Result<R, FileProblem>,
    ) -> Result<R, FileProblem> {
        let mut recording = match self {
            OpenFile::Bin(bytes) => Recording::parse_with(bytes.as_slice(), &options.limits)
                .map_err(FileProblem::Parse)?,
            OpenFile::Parsed(recording) if choice.is_all() => return read(recording),
            OpenFile::Parsed(recording) => (**recording).clone(),
        };
        if !choice.is_all() {
            edit::select(&mut recording, |element| choice.keeps(element));
        }
        read(&recording)
    }
}

/// The rows of a recording that are computed in parts.
#[derive(Debug)]
pub(crate) enum RowPlan {
    /// The rows of a wide table, or the instants of a tidy one.
    Instants(Instants),
    Keys(usize),
}

impl RowPlan {
    pub(crate) fn new(
        shape: TableShape,
        recording: &Recording<'_>,
        options: &ScanOptions,
    ) -> Result<RowPlan, FileProblem> {
        Ok(match shape {
            TableShape::Keys => RowPlan::Keys(TableColumns::key_rows(recording)),
            _ => {
                let time = options.time.map(|time| within(time, recording));
                RowPlan::Instants(Instants::new(recording, options.sampling, time)?)
            }
        })
    }

    /// Returns the number of rows or instants.
    pub(crate) fn len(&self) -> usize {
        match self {
            RowPlan::Instants(instants) => instants.len(),
            RowPlan::Keys(rows) => *rows,
        }
    }

    /// Returns whether a part of the rows takes less time and memory than all of them.
    pub(crate) fn can_cut(&self) -> bool {
        match self {
            RowPlan::Instants(instants) => instants.can_cut(),
            RowPlan::Keys(_) => true,
        }
    }
}

/// Returns the part of a time range that is inside a recording. Infinite ends are those of its playback.
fn within(time: TimeRange, recording: &Recording<'_>) -> TimeRange {
    let played = recording.played_range();
    TimeRange {
        start: if time.start.is_finite() {
            time.start.max(played.start)
        } else {
            0.0
        },
        end: time.end.min(played.end),
    }
}
