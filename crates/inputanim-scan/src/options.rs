//! The options of a scan.

use std::borrow::Cow;
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use inputanim::{Corrections, Limits, Space, TimeRange};
use inputanim_analysis::{Analysis, AnalysisOptions, EventKind, Segment};
use inputanim_convert::Sampling;
use inputanim_convert::tables::{Field, PathPattern};

use crate::error::ScanError;
use crate::fields::Table;
use crate::source::FileOpener;
use crate::trials::{TrialTable, TrialTableError};

/// The meaning of one row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Shape {
    /// An instant, with a column for each number and state.
    #[default]
    Wide,
    /// A joint, the head or the gaze at an instant.
    Tidy,
    /// A key of a curve, a marker, a flag or the layout.
    Keys,
    /// A recording: layout, duration, streams, rates and gaps.
    Info,
    /// A finding of the doctor.
    Findings,
    /// An event: a pinch, a movement, a fixation, a marker and so on.
    Events,
    /// A recording or a segment of it, with a column for each measure.
    Stats,
    /// A marker.
    Markers,
}

impl Shape {
    /// Every shape.
    pub const ALL: [Shape; 8] = [
        Shape::Wide,
        Shape::Tidy,
        Shape::Keys,
        Shape::Info,
        Shape::Findings,
        Shape::Events,
        Shape::Stats,
        Shape::Markers,
    ];

    /// Returns the name, such as `wide`.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Wide => "wide",
            Shape::Tidy => "tidy",
            Shape::Keys => "keys",
            Shape::Info => "info",
            Shape::Findings => "findings",
            Shape::Events => "events",
            Shape::Stats => "stats",
            Shape::Markers => "markers",
        }
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// A text that names no [`Shape`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown shape `{0}`; expected wide, tidy, keys, info, findings, events, stats or markers")]
pub struct UnknownShape(String);

impl FromStr for Shape {
    type Err = UnknownShape;

    fn from_str(text: &str) -> Result<Shape, UnknownShape> {
        let mut all = Shape::ALL.into_iter();
        let found = all.find(|shape| shape.name().eq_ignore_ascii_case(text));
        found.ok_or_else(|| UnknownShape(text.to_owned()))
    }
}

/// Behaviour for a file that cannot be read or sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum OnError {
    /// The scan ends with the error.
    #[default]
    Raise,
    /// The file has no rows, and [`Scan::errors`](crate::Scan::errors) lists it.
    Skip,
    /// The column `error` contains the message. The file has one row, in which all other values except those of its
    /// path are missing; with [`Shape::Info`], the intact parts of a damaged file are described.
    Column,
}

/// The parts of recordings for which measures are computed, or whose events are listed.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub enum Segments {
    /// The complete recording.
    #[default]
    Recording,
    /// From each marker to the next one.
    EachMarker,
    /// From each marker that matches a pattern to the next one that matches another.
    BetweenMarkers {
        /// The pattern of the first marker; `*` stands for any characters, `?` for one.
        start: String,
        /// The pattern of the last marker.
        stop: String,
    },
    /// Around the onset of each event of a kind.
    Around {
        /// The kind.
        kind: EventKind,
        /// Seconds before the onset.
        before: f64,
        /// Seconds after the onset.
        after: f64,
    },
    /// The rows of a trial table. Files that it does not name have no rows, and are not opened.
    Trials(Arc<TrialTable>),
}

/// A text that describes no [`Segments`], or a trial table that cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SegmentsError {
    /// The text is neither a form of segments nor the name of a table.
    #[error("{0}, or a trial table with the extension .csv or .tsv")]
    Unknown(#[from] UnknownSegments),
    /// The table cannot be read.
    #[error("{path}: {error}")]
    Trials {
        /// The path of the table.
        path: String,
        /// The cause.
        error: TrialTableError,
    },
}

/// A text that describes no [`Segments`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown segments `{0}`; expected recording, markers, START:STOP or KIND@A..B")]
pub struct UnknownSegments(String);

impl FromStr for Segments {
    type Err = UnknownSegments;

    /// Parses `recording`, `markers`, `START:STOP` with patterns of markers, or `KIND@A..B` with seconds relative to
    /// the onset of events, such as `pinch@-0.5..1`.
    fn from_str(text: &str) -> Result<Segments, UnknownSegments> {
        let unknown = || UnknownSegments(text.to_owned());
        match text {
            "recording" => return Ok(Segments::Recording),
            "markers" => return Ok(Segments::EachMarker),
            _ => {}
        }
        if let Some((kind, range)) = text.split_once('@') {
            let mut kinds = EventKind::ALL.into_iter();
            let kind = kinds.find(|other| other.name() == kind.replace('-', "_"));
            let (start, end) = range.split_once("..").ok_or_else(unknown)?;
            let seconds = |text: &str| text.trim().trim_end_matches('s').parse::<f64>().ok();
            return match (kind, seconds(start), seconds(end)) {
                (Some(kind), Some(start), Some(end)) if start <= end => Ok(Segments::Around {
                    kind,
                    before: -start,
                    after: end,
                }),
                _ => Err(unknown()),
            };
        }
        let (start, stop) = text.split_once(':').ok_or_else(unknown)?;
        Ok(Segments::BetweenMarkers {
            start: start.to_owned(),
            stop: stop.to_owned(),
        })
    }
}

impl Segments {
    /// Parses a text as [`from_str`](str::parse) does, or reads a trial table if the text is the path of a file, or ends
    /// with `.csv` or `.tsv`.
    ///
    /// # Errors
    /// When the text is of no known form, or the table cannot be read.
    pub fn from_text(text: impl AsRef<OsStr>) -> Result<Segments, SegmentsError> {
        let path = Path::new(text.as_ref());
        let text = path.to_string_lossy();
        let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
        // The name of a file may contain a colon.
        if extension != "csv" && extension != "tsv" && !path.is_file() {
            return Ok(text.parse::<Segments>()?);
        }
        let table = TrialTable::open(path).map_err(|error| SegmentsError::Trials {
            path: text.clone().into_owned(),
            error,
        });
        Ok(Segments::Trials(Arc::new(table?)))
    }

    /// Returns the columns of a segment besides its times, with their meanings. The first is its name.
    pub(crate) fn columns(&self) -> Vec<(Cow<'static, str>, &'static str)> {
        let name = (Cow::Borrowed("segment"), "Name of the segment.");
        match self {
            Segments::Recording => vec![],
            Segments::EachMarker | Segments::BetweenMarkers { .. } => vec![name],
            Segments::Around { .. } => {
                vec![
                    name,
                    ("side".into(), "Hand of the event: `left` or `right`."),
                ]
            }
            Segments::Trials(table) => {
                let columns = table.columns().iter();
                let columns =
                    columns.map(|name| (name.clone().into(), "Column of the trial table."));
                std::iter::once(name).chain(columns).collect()
            }
        }
    }

    /// Returns the segments of a recording, in order of time. There may be none. Those of a trial table depend on the
    /// name of the recording, so that this function returns none: [`TrialTable::segments`].
    pub fn of(&self, analysis: &Analysis) -> Vec<Segment> {
        let range = analysis.range;
        match self {
            Segments::Recording => vec![Segment::new("", range)],
            Segments::Trials(_) => Vec::new(),
            Segments::EachMarker => Segment::from_each_marker(&analysis.markers, range),
            Segments::BetweenMarkers { start, stop } => {
                Segment::between_markers(&analysis.markers, start, stop)
            }
            Segments::Around {
                kind,
                before,
                after,
            } => {
                let events = analysis.events();
                let events = events.iter().filter(|event| event.kind == *kind);
                let segments = events.flat_map(|event| {
                    let name = event.name.as_deref().unwrap_or(kind.name()).to_owned();
                    let side = event.side.map_or("", |side| side.name());
                    let mut segments =
                        Segment::around([(name, event.start)], *before, *after, range);
                    for segment in &mut segments {
                        segment.columns = vec![("side".to_owned(), side.to_owned())];
                    }
                    segments
                });
                segments.collect()
            }
        }
    }
}

/// The options of a [`Scan`](crate::Scan). An option that has no effect on the shape is an error.
///
/// ```
/// use inputanim_scan::{Sampling, ScanOptions, Shape};
/// let mut options = ScanOptions::default();
/// options.shape = Shape::Tidy;
/// options.sampling = Sampling::Rate(30.0);
/// options.joints = vec!["IndexTip".to_owned()];
/// let names: Vec<_> = options.fields()?.into_iter().map(|field| field.name).collect();
/// assert_eq!(names[..4], ["file", "time_s", "hand", "joint"]);
/// # Ok::<(), inputanim_scan::ScanError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ScanOptions {
    /// The meaning of a row.
    pub shape: Shape,
    /// The names of the columns that are computed, in their order; all if `None`. The rows do not depend on them. An
    /// empty list gives batches that have rows and no columns.
    pub columns: Option<Vec<String>>,
    /// The name of the first column, with the path of the file as it was found, with slashes; none if `None`.
    pub file_column: Option<String>,
    /// The name of the column with the name of the recording, as [`recording_names`](crate::recording_names()) returns it;
    /// none if `None`.
    pub recording_column: Option<String>,
    /// The pattern that makes columns from the path of each file. A file that does not match is an error.
    pub path_pattern: Option<PathPattern>,
    /// The times of rows. For [`Shape::Wide`] and [`Shape::Tidy`].
    pub sampling: Sampling,
    /// The time range of rows, in seconds. Ends outside of the recording, or infinite ones, are those of the recording.
    /// Rows at a rate begin at the start of the range. Events count by their onset. For all shapes except
    /// [`Shape::Info`] and [`Shape::Findings`].
    pub time: Option<TimeRange>,
    /// The streams and joints that count, such as `right.IndexTip`, `left`, `head`; all if empty. The recording is
    /// reduced to them, as by `inputanim convert --joints`. For [`Shape::Wide`], [`Shape::Tidy`] and [`Shape::Keys`].
    pub joints: Vec<String>,
    /// The streams and joints that do not count, even if `joints` has them.
    pub exclude: Vec<String>,
    /// The axes of positions and rotations. For [`Shape::Wide`] and [`Shape::Tidy`].
    pub space: Space,
    /// The segments for which measures are computed, or whose events are listed. For [`Shape::Stats`] and
    /// [`Shape::Events`].
    pub segments: Segments,
    /// The parameters of [`Shape::Events`] and [`Shape::Stats`]. `groups` is set by the columns.
    pub analysis: AnalysisOptions,
    /// The maximum number of rows; all if `None`.
    pub limit: Option<u64>,
    /// The corrections of the recordings, which are otherwise read as they are. Rows are those of the file that the
    /// program writes with `inputanim recover` and `inputanim repair`.
    pub corrections: Corrections,
    /// Behaviour for a file that cannot be read or sampled.
    pub on_error: OnError,
    /// The number of threads of [`Scan::batches`](crate::Scan::batches), at most [`MAX_THREADS`](Self::MAX_THREADS); 0 for
    /// the number of processors.
    pub threads: usize,
    /// The number of rows of a batch. Batches of a task have fewer at its end, and
    /// [`Scan::batches`](crate::Scan::batches) joins small ones up to about half a million values. Events, measures, findings and
    /// markers of one recording are never divided, so that their batches may be larger.
    pub batch_rows: usize,
    /// The bounds for files.
    pub limits: Limits,
    /// The size in bytes from which on only the needed curves of a file are read. The rows do not depend on it. Smaller
    /// files do not become faster, because allocators use their memory again.
    pub partial_from: u64,
    /// The function that opens files, such as one that maps them into memory; by default they are read.
    pub opener: FileOpener,
    /// When this becomes `true`, the scan ends with [`ScanError::Cancelled`].
    pub cancel: Arc<AtomicBool>,
}

impl ScanOptions {
    /// Lifts the limits of files and samples, and of the analysis if the shape has one, for files from a trusted source.
    pub fn lift_limits(&mut self) {
        self.limits = Limits::NONE;
        if matches!(self.shape, Shape::Events | Shape::Stats) {
            self.analysis.max_samples = u64::MAX;
        }
    }
}

impl Default for ScanOptions {
    /// Returns options for all columns of wide rows at 60 Hz, with a column `file`, on all processors. The first
    /// error ends the scan.
    fn default() -> ScanOptions {
        ScanOptions {
            shape: Shape::default(),
            columns: None,
            file_column: Some("file".to_owned()),
            recording_column: None,
            path_pattern: None,
            sampling: Sampling::default(),
            time: None,
            joints: Vec::new(),
            exclude: Vec::new(),
            space: Space::default(),
            segments: Segments::default(),
            analysis: AnalysisOptions::default(),
            limit: None,
            corrections: Corrections::default(),
            on_error: OnError::default(),
            threads: 0,
            batch_rows: 8192,
            limits: Limits::default(),
            partial_from: 16 << 20,
            opener: FileOpener::default(),
            cancel: Arc::default(),
        }
    }
}

impl ScanOptions {
    /// The largest number of threads of a scan.
    pub const MAX_THREADS: usize = 256;

    /// Returns the columns of these options with their types, units and meanings, without reading a file.
    ///
    /// # Errors
    /// When a column, stream or joint is unknown, when two columns have one name, or when an option has no
    /// effect on the shape.
    pub fn fields(&self) -> Result<Vec<Field>, ScanError> {
        Ok(Table::new(self)?.fields)
    }

    /// Refuses invalid values, and options that have no effect on the shape.
    pub(crate) fn check(&self) -> Result<(), ScanError> {
        let is_sampled = matches!(self.shape, Shape::Wide | Shape::Tidy);
        let is_table = is_sampled || self.shape == Shape::Keys;
        let has_segments = matches!(self.shape, Shape::Events | Shape::Stats);
        let has_time = !matches!(self.shape, Shape::Info | Shape::Findings);
        let given = [
            ("sampling", self.sampling != Sampling::default(), is_sampled),
            ("space", self.space != Space::default(), is_sampled),
            ("joints", !self.joints.is_empty(), is_table),
            ("exclude", !self.exclude.is_empty(), is_table),
            ("time", self.time.is_some(), has_time),
            (
                "segments",
                self.segments != Segments::default(),
                has_segments,
            ),
            (
                "analysis",
                self.analysis != AnalysisOptions::default(),
                has_segments,
            ),
        ];
        let mut given = given.into_iter();
        if let Some((option, ..)) = given.find(|(_, is_given, has_effect)| *is_given && !has_effect)
        {
            let shape = self.shape;
            return Err(ScanError::NoEffect { option, shape });
        }
        if self.time.is_some() && self.segments != Segments::default() {
            return Err(ScanError::TimeAndSegments);
        }
        if let Some(TimeRange { start, end }) = self.time
            // No recording has times after infinity. NaN is not at most anything.
            && !(start <= end && start < f32::INFINITY && end > f32::NEG_INFINITY)
        {
            return Err(ScanError::Time { start, end });
        }
        match self.sampling {
            Sampling::Rate(rate) if !(rate > 0.0 && rate <= TimeRange::MAX_RATE) => {
                Err(ScanError::Rate(rate))
            }
            _ => Ok(()),
        }
    }
}
