//! A recording that is open.

use std::sync::Arc;

use inputanim::{CurvePath, ParseError, Recording, RecoveredRecording, TimeRange, edit};
use inputanim_convert::tables::{Instants, TableColumns};
use inputanim_convert::{Format, InputFile, Report, TableShape};

use crate::epochs::{EpochRows, Epochs};
use crate::error::FileProblem;
use crate::notice::Notice;
use crate::opener::FileBytes;
use crate::options::ScanOptions;
use crate::source::ScanFile;
use inputanim::names::ElementChoice;

/// The content of a file, shared by the tasks that read it.
///
/// A recording borrows its keys. Parsing reads the headers of curves and no keys, so that each task parses the bytes
/// again.
#[derive(Debug)]
pub(crate) enum OpenFile {
    Bin(FileBytes),
    /// A recording from another format, or one that was corrected.
    Read {
        recording: Box<RecoveredRecording<'static>>,
        /// The size of the file.
        bytes: u64,
        format: Format,
        /// Losses and notes of the other format.
        report: Report,
    },
}

impl OpenFile {
    /// Reads a file. If it has another format than `.bin`, or `options` ask for corrections, it is converted and corrected.
    pub(crate) fn open(file: &ScanFile, options: &ScanOptions) -> Result<OpenFile, FileProblem> {
        let (limits, corrections) = (&options.limits, options.corrections);
        if let Some(recording) = file.recording_in_memory() {
            let read = corrections.apply(recording.clone().into());
            return Ok(OpenFile::in_memory(read, file.bytes));
        }
        let bytes = file.open(options)?;
        let content = bytes.as_slice();
        let input = InputFile {
            bytes: content,
            path: file.path(),
            format: options.format,
        };
        let format = input.check_format()?;
        if format == Format::Bin && corrections.are_none() {
            return Ok(OpenFile::Bin(bytes));
        }
        let mut read = input.options(*limits);
        read.pauses = options.pauses;
        let (recording, report) = input.read(corrections, &read)?;
        Ok(OpenFile::Read {
            recording: Box::new(recording.into_owned()),
            bytes: content.len() as u64,
            format,
            report,
        })
    }

    /// Returns a recording that the caller has read. `bytes` is the size of its file.
    pub(crate) fn of(recording: Recording<'static>, bytes: u64) -> OpenFile {
        OpenFile::in_memory(recording.into(), bytes)
    }

    fn in_memory(recording: RecoveredRecording<'static>, bytes: u64) -> OpenFile {
        OpenFile::Read {
            recording: Box::new(recording),
            bytes,
            format: Format::Bin,
            report: Report::default(),
        }
    }

    /// Reduces a recording that was read to the streams and joints of `choice`. [`with`](Self::with) reduces others.
    pub(crate) fn select(&mut self, choice: &ElementChoice) {
        if let OpenFile::Read { recording, .. } = self
            && !choice.is_all()
        {
            edit::select(&mut recording.recording, |element| choice.keeps(element));
        }
    }

    /// Returns the recording if it may have devices: no file of MRTK has any.
    pub(crate) fn with_devices(&self) -> Option<&Recording<'static>> {
        match self {
            OpenFile::Read { recording, .. } => Some(&recording.recording),
            OpenFile::Bin(_) => None,
        }
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn len(&self) -> u64 {
        match self {
            OpenFile::Bin(bytes) => bytes.as_slice().len() as u64,
            OpenFile::Read { bytes, .. } => *bytes,
        }
    }

    /// Returns the format of the file.
    pub(crate) fn format(&self) -> Format {
        match self {
            OpenFile::Bin(_) => Format::Bin,
            OpenFile::Read { format, .. } => *format,
        }
    }

    /// Returns the error because of which the recording lacks parts of the file; `None` if it lacks none.
    pub(crate) fn error(&self) -> Option<&ParseError> {
        match self {
            OpenFile::Read { recording, .. } => recording.error.as_ref(),
            OpenFile::Bin(_) => None,
        }
    }

    /// Returns the notices about the file: missing parts, and losses and notes of its format.
    pub(crate) fn notices(&self) -> Vec<Notice> {
        let mut notices = Vec::from_iter(self.error().cloned().map(Notice::Recovered));
        if let OpenFile::Read { report, .. } = self {
            notices.extend(report.losses.iter().cloned().map(Notice::Lost));
            notices.extend(report.notes.iter().cloned().map(Notice::Read));
        }
        notices
    }

    /// Calls `read` with the recording, reduced to the streams and joints of `choice`, and returns its result. Fails if
    /// the bytes are not a well-formed recording, or if `read` fails.
    pub(crate) fn with<R>(
        &self,
        options: &ScanOptions,
        choice: &ElementChoice,
        read: impl FnOnce(&Recording<'_>) -> Result<R, FileProblem>,
    ) -> Result<R, FileProblem> {
        let mut recording = match self {
            OpenFile::Bin(bytes) => Recording::parse_with(bytes.as_slice(), &options.limits)
                .map_err(FileProblem::Parse)?,
            OpenFile::Read { recording, .. } => return read(&recording.recording),
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
    /// The same for segments.
    Epochs(EpochRows),
    Keys {
        rows: usize,
        time: Option<TimeRange>,
    },
    /// The rows of a table of keys for each segment.
    EpochKeys {
        /// The number of rows of the recording.
        rows: usize,
        epochs: Arc<Epochs>,
    },
}

impl RowPlan {
    /// Returns the plan of the rows of a recording of this many bytes, of which perhaps only some curves were read.
    pub(crate) fn new(
        shape: TableShape,
        recording: &Recording<'_>,
        options: &ScanOptions,
        bytes: u64,
        time: Option<TimeRange>,
        epochs: Option<Arc<Epochs>>,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Result<RowPlan, FileProblem> {
        if let Some(epochs) = epochs {
            return Ok(match shape {
                TableShape::Keys => RowPlan::EpochKeys {
                    rows: TableColumns::key_rows(recording),
                    epochs,
                },
                _ => RowPlan::Epochs(EpochRows::new(epochs, recording, options, bytes, keep)?),
            });
        }
        Ok(match shape {
            TableShape::Keys => RowPlan::Keys {
                rows: TableColumns::key_rows(recording),
                time,
            },
            _ => {
                let time = time.map(|time| within(time, recording));
                let (sampling, limits) = (options.sampling, &options.limits);
                let instants = Instants::new(recording, sampling, time, limits, bytes, keep)?;
                RowPlan::Instants(instants)
            }
        })
    }

    /// Returns the number of rows of a wide or keys table, or of instants of a tidy table. For keys, rows may be left
    /// out later.
    pub(crate) fn len(&self) -> usize {
        match self {
            RowPlan::Keys { rows, .. } => *rows,
            RowPlan::EpochKeys { rows, epochs } => rows.saturating_mul(epochs.all.len()),
            _ => self.instants().map_or(0, Instants::len),
        }
    }

    /// Returns the instants of a wide or tidy table; `None` for keys.
    pub(crate) fn instants(&self) -> Option<&Instants> {
        match self {
            RowPlan::Instants(instants) => Some(instants),
            RowPlan::Epochs(rows) => Some(&rows.instants),
            RowPlan::Keys { .. } | RowPlan::EpochKeys { .. } => None,
        }
    }

    /// Returns `true` if a part of the rows takes less time and memory than all of them.
    pub(crate) fn can_cut(&self) -> bool {
        match self {
            RowPlan::Keys { .. } => true,
            // There may be far more rows to look at than rows in the result.
            RowPlan::EpochKeys { .. } => false,
            _ => self.instants().is_some_and(Instants::can_cut),
        }
    }
}

/// Returns the part of a time range that is inside of the [played range](Recording::played_range) of a recording. An
/// infinite start becomes 0, or the start of the played range if the time range ends before 0.
fn within(time: TimeRange, recording: &Recording<'_>) -> TimeRange {
    let played = recording.played_range();
    TimeRange {
        start: if time.start.is_finite() {
            time.start.max(played.start)
        } else if time.end < 0.0 {
            played.start
        } else {
            0.0
        },
        end: time.end.min(played.end),
    }
}
