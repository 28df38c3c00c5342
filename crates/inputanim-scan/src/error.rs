//! Errors of scans.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

#[cfg(feature = "lerobot")]
use inputanim::TimeRange;
use inputanim::{CurvePath, ParseError, TimeRangeError};
use inputanim_analysis::{AnalysisError, EventKind, UnknownMeasure};
use inputanim_convert::{Format, SampleError};

#[cfg(feature = "lerobot")]
use crate::lerobot::SuccessLabels;
use crate::segment_names::SegmentColumnError;
use crate::segments::NoSegments;
use crate::shape::Shape;
use crate::trials::{OutsideRecording, UnknownTrials};
use inputanim::names::UnknownElement;

/// A value of a column that no recording has.
#[cfg(feature = "lerobot")]
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("no recording has the {column} \"{value}\"; found {}", .known.join(", "))]
#[non_exhaustive]
pub struct UnknownSplit {
    /// The name of the column.
    pub column: String,
    /// The value.
    pub value: String,
    /// The values of all recordings, in order.
    pub known: Vec<String>,
}

/// Episodes of a recording without one label of success.
#[cfg(feature = "lerobot")]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{}expected success or failure, found {found}", Unlabelled(self))]
#[non_exhaustive]
pub struct NoSuccess {
    /// The source of the labels.
    pub labels: SuccessLabels,
    /// The number of episodes of the recording.
    pub episodes: usize,
    /// The number of episodes that have no label, or two.
    pub unlabelled: usize,
    /// The time range of the first of these episodes, in seconds.
    pub range: TimeRange,
    /// The text that was found there, or `no marker`, or `markers of both`.
    pub found: String,
}

#[cfg(feature = "lerobot")]
struct Unlabelled<'e>(&'e NoSuccess);

#[cfg(feature = "lerobot")]
impl fmt::Display for Unlabelled<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let NoSuccess {
            episodes,
            unlabelled,
            range: TimeRange { start, end },
            ..
        } = self.0;
        match episodes {
            // Many recordings of one episode share the message.
            1 => f.write_str("the episode has no label: "),
            _ => write!(
                f,
                "{unlabelled} of {episodes} episodes have no label, the first from {start} s to {end} s: "
            ),
        }
    }
}

/// A scan that failed.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ScanError {
    /// A folder or pattern has no recordings.
    #[error("{}", NoRecordings(path, skipped.as_deref()))]
    NoRecordings {
        /// The folder or pattern; empty if there are no sources.
        path: String,
        /// The first file that was skipped, and its format: `study/a.mcap is isaac, not mcap`.
        skipped: Option<String>,
    },
    /// A string is not a pattern of paths.
    #[error("{pattern}: invalid pattern: {message}")]
    Pattern {
        /// The pattern.
        pattern: String,
        /// The message of the parser.
        message: String,
    },
    /// A folder cannot be searched.
    #[error("cannot search {path}: {error}")]
    Folder {
        /// The folder.
        path: String,
        /// The cause.
        // Part of the message, and therefore not a source, so that chains do not print it twice.
        error: Arc<io::Error>,
    },
    /// A column is unknown.
    #[error(
        "unknown column \"{name}\" of the shape {shape}{}",
        DidYouMean(similar)
    )]
    UnknownColumn {
        /// The name.
        name: String,
        /// The shape.
        shape: Shape,
        /// The known name that is most similar.
        similar: Option<String>,
    },
    /// Two columns have the same name.
    #[error("duplicate column \"{name}\"")]
    DuplicateColumn {
        /// The name.
        name: String,
    },
    /// A column of a trial table cannot be part of the result.
    #[error(transparent)]
    SegmentColumn(#[from] SegmentColumnError),
    /// A stream or joint is unknown.
    #[error(transparent)]
    UnknownElement(#[from] UnknownElement),
    /// The state of tracking is excluded, and other data of the hand is not.
    #[error(transparent)]
    Tracking(#[from] inputanim::names::DataWithoutTracking),
    /// The text of the task of all episodes is empty.
    #[cfg(feature = "lerobot")]
    #[error("expected the description of a task, found an empty string")]
    EmptyTask,
    /// A pattern of paths has no column with the text of a task.
    #[cfg(feature = "lerobot")]
    #[error("the pattern \"{pattern}\" has no column \"task\"")]
    NoTask {
        /// The pattern.
        pattern: String,
    },
    /// Labels of success are in the trial table, but there is no table or it has no such column.
    #[cfg(feature = "lerobot")]
    #[error("expected a trial table with the column \"success\"")]
    NoSuccessColumn,
    /// The column that divides a dataset for validation is missing.
    #[cfg(feature = "lerobot")]
    #[error("neither a pattern of paths nor a trial table has the column \"{column}\"")]
    NoSplitColumn {
        /// The name of the column.
        column: String,
    },
    /// No recording has a value of the column that divides a dataset.
    #[cfg(feature = "lerobot")]
    #[error(transparent)]
    UnknownSplit(#[from] UnknownSplit),
    /// All recordings would be for training, or all for validation.
    #[cfg(feature = "lerobot")]
    #[error(
        "expected recordings with at least two values of \"{column}\", of which some are for training and others for validation"
    )]
    NoSplit {
        /// The name of the column.
        column: String,
    },
    /// Some trials of one recording are for training, and others are for validation.
    #[cfg(feature = "lerobot")]
    #[error(
        "{recording} has trials for training ({column} {training}) and for validation ({column} {validation}), but all trials of a \
         recording are for the same"
    )]
    SplitRecording {
        /// The name of the column.
        column: String,
        /// The recording.
        recording: String,
        /// The value of trials for training.
        training: String,
        /// The value of trials for validation.
        validation: String,
    },
    /// The options of a dataset are invalid, or nothing is recorded.
    #[cfg(feature = "lerobot")]
    #[error(transparent)]
    LeRobot(#[from] inputanim_convert::lerobot::LeRobotError),
    /// A file of a dataset cannot be written.
    #[cfg(feature = "lerobot")]
    #[error("cannot write the dataset: {0}")]
    Output(Arc<io::Error>),
    /// An option has no effect on the shape.
    #[error("the option \"{option}\" has no effect on the shape {shape}")]
    NoEffect {
        /// The name of the option.
        option: &'static str,
        /// The shape.
        shape: Shape,
    },
    /// The format of the files can be written, but not read.
    #[error("the format {0} can be written, but not read")]
    NotReadable(Format),
    /// A time range and segments are given.
    #[error("expected either a time range or segments, found both")]
    TimeAndSegments,
    /// Segments around events would end before they start.
    #[error("the segments around {0} end before they start")]
    ReversedSegments(EventKind),
    /// A bound of the time range is not a number, or the range ends before it starts.
    #[error(transparent)]
    Time(#[from] TimeRangeError),
    /// The rate is not above 0 or above [`TimeRange::MAX_RATE`](inputanim::TimeRange::MAX_RATE).
    #[error("invalid rate: {0} Hz (must be above 0 and at most 1,000,000)")]
    Rate(f64),
    /// The rate is given as an option and as a parameter of the analysis.
    #[error("expected either rate or the parameter channels.rate, found both")]
    RateTwice,
    /// A rate is given, and the rows are at the times of keys.
    #[error("expected either a rate or the times of keys, found both")]
    RateAndKeys,
    /// A number of points is given, and the sampling is not the default.
    #[error("expected either a number of points, or a rate or the times of keys, found both")]
    PointsAndSampling,
    /// The number of points is too small.
    #[error("invalid number of points: {0} (must be at least 2, for the start and the end)")]
    Points(usize),
    /// The parameters of the analysis are invalid.
    #[error(transparent)]
    Analysis(AnalysisError),
    /// Trials of a table name no recording of the scan, or may mean several.
    #[error(transparent)]
    UnknownTrials(#[from] UnknownTrials),
    /// A text selects no measure.
    #[error(transparent)]
    UnknownMeasure(#[from] UnknownMeasure),
    /// Events of the kind `look` are wanted, and there are no targets.
    #[error("events of the kind look need targets, and none are given")]
    LooksNeedTargets,
    /// A catalogue cannot be used or written.
    #[cfg(feature = "catalog")]
    #[error(transparent)]
    Catalog(Arc<crate::catalog::CatalogError>),
    /// A catalogue is given, and an option that changes recordings.
    #[cfg(feature = "catalog")]
    #[error(
        "expected either a catalogue or corrections and pauses, found both: a catalogue has the facts of recordings as they are"
    )]
    CatalogAndCorrections,
    /// A file failed.
    #[error(transparent)]
    File(#[from] FileError),
    /// The scan was cancelled.
    #[error("the scan was cancelled")]
    Cancelled,
    /// A thread of the scan ended unexpectedly, which is a bug of this library.
    #[error("a thread of the scan ended unexpectedly")]
    ThreadEnded,
    /// The rows were requested before the process was forked. The threads that compute them belong to the parent.
    #[error(
        "the threads of these rows are in another process: this process was forked after the rows were requested"
    )]
    Forked,
    /// A thread cannot be started.
    #[error("cannot start a thread: {0}")]
    Thread(Arc<io::Error>),
}

struct NoRecordings<'e>(&'e str, Option<&'e str>);

impl fmt::Display for NoRecordings<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NoRecordings("", _) => {
                f.write_str("no recordings are given: expected a file, a folder or a pattern")
            }
            NoRecordings(path, None) => write!(f, "{path}: no recordings found"),
            NoRecordings(path, Some(skipped)) => {
                write!(f, "{path}: no recordings found; {skipped}")
            }
        }
    }
}

struct DidYouMean<'s>(&'s Option<String>);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "; did you mean \"{name}\"?"),
            None => Ok(()),
        }
    }
}

/// A file that cannot be scanned: `study/p01.bin: … at byte 1234 …`.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{file}: {problem}")]
#[non_exhaustive]
pub struct FileError {
    /// The path of the file, or the name of the bytes. Bytes of a path that are not UTF-8 are U+FFFD.
    pub file: String,
    /// The path; `None` for bytes.
    // In a box, because results should be small.
    pub path: Option<Box<PathBuf>>,
    /// The cause.
    // Part of the message, and therefore not a source, so that chains do not print it twice.
    pub problem: FileProblem,
}

impl FileError {
    /// Returns the path of the curve that has the error; `None` if the error is not in a curve.
    pub fn curve(&self) -> Option<CurvePath> {
        match &self.problem {
            FileProblem::Parse(error) => error.path(),
            FileProblem::Sample(SampleError::Unplayable(error)) => Some(error.curve),
            FileProblem::Analysis(AnalysisError::Unplayable(error)) => Some(error.curve),
            _ => None,
        }
    }

    /// Returns the byte offset of the error from the start of the file, if the file is not well formed; `None` for
    /// other errors.
    pub fn byte(&self) -> Option<u64> {
        match &self.problem {
            FileProblem::Parse(error) => Some(error.offset()),
            _ => None,
        }
    }
}

/// The reason why a file cannot be scanned.
#[derive(Clone, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FileProblem {
    /// The file cannot be opened or read.
    #[error("cannot read the file: {0}")]
    Read(Arc<io::Error>),
    /// The file is not a well-formed recording.
    #[error("{0}")]
    Parse(ParseError),
    /// The file has another format, and cannot be read.
    #[error("{}", Causes(&**.0))]
    Convert(Arc<inputanim_convert::Error>),
    /// The recording cannot be sampled.
    #[error("{}", Causes(.0))]
    Sample(SampleError),
    /// The recording cannot be analysed.
    #[error("{}", Causes(.0))]
    Analysis(AnalysisError),
    /// A trial is outside of the recording.
    #[error(transparent)]
    Trial(#[from] OutsideRecording),
    /// The recording cannot be part of a dataset.
    #[cfg(feature = "lerobot")]
    #[error(transparent)]
    LeRobot(#[from] inputanim_convert::lerobot::LeRobotError),
    /// Videos are part of the dataset, but the recording is not a file of EgoDex.
    #[cfg(feature = "lerobot")]
    #[error("only files of EgoDex have a video beside them")]
    NotEgoDex,
    /// The video of a recording cannot be part of the dataset.
    #[cfg(feature = "lerobot")]
    #[error("{path}: {problem}")]
    Video {
        /// The path of the video.
        path: String,
        /// The cause.
        problem: String,
    },
    /// Episodes have no label of success, or two.
    #[cfg(feature = "lerobot")]
    #[error(transparent)]
    Success(Box<NoSuccess>),
    /// The recording lacks the markers of the segments.
    #[error(transparent)]
    Segments(#[from] NoSegments),
    /// The time range ends before it starts, or is outside of the recording.
    #[error(transparent)]
    Time(#[from] TimeRangeError),
    /// A name of a device is unknown: neither the recording nor OpenXR's registry has it.
    #[error(transparent)]
    Name(#[from] UnknownElement),
    /// The path does not match the pattern.
    #[error("the path does not match the pattern \"{0}\"")]
    Path(String),
}

/// The messages of an error and of its causes.
struct Causes<'e, E>(&'e E);

impl<E: std::error::Error> fmt::Display for Causes<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self.0, f)?;
        let mut source = self.0.source();
        while let Some(error) = source {
            write!(f, ": {error}")?;
            source = error.source();
        }
        Ok(())
    }
}

impl From<io::Error> for FileProblem {
    fn from(error: io::Error) -> FileProblem {
        FileProblem::Read(Arc::new(error))
    }
}

impl From<SampleError> for FileProblem {
    fn from(error: SampleError) -> FileProblem {
        FileProblem::Sample(error)
    }
}

impl From<AnalysisError> for FileProblem {
    fn from(error: AnalysisError) -> FileProblem {
        FileProblem::Analysis(error)
    }
}

impl From<inputanim_convert::Error> for FileProblem {
    fn from(error: inputanim_convert::Error) -> FileProblem {
        match error {
            inputanim_convert::Error::Parse(error) => FileProblem::Parse(error),
            inputanim_convert::Error::Sample(error) => FileProblem::Sample(error),
            #[cfg(feature = "lerobot")]
            inputanim_convert::Error::Format(error) => match error.downcast() {
                Ok(error) => FileProblem::LeRobot(error),
                Err(error) => FileProblem::Convert(Arc::new(error.into())),
            },
            other => FileProblem::Convert(Arc::new(other)),
        }
    }
}

/// Returns the error of a dataset that cannot be written.
#[cfg(feature = "lerobot")]
impl From<inputanim_convert::Error> for ScanError {
    fn from(error: inputanim_convert::Error) -> ScanError {
        match error {
            inputanim_convert::Error::Format(error) => match error.downcast() {
                Ok(error) => ScanError::LeRobot(error),
                Err(error) => ScanError::Output(Arc::new(io::Error::other(error))),
            },
            inputanim_convert::Error::Io(error) => ScanError::Output(Arc::new(error)),
            other => ScanError::Output(Arc::new(io::Error::other(other))),
        }
    }
}
