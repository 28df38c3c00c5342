//! The options of a scan.

#[cfg(feature = "catalog")]
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use inputanim::{Corrections, Limits, Pauses, RelativeTimeRange, Space, TimePoint, TimeRange};
use inputanim_analysis::{AnalysisParameters, ChannelParameters, EventKind};
use inputanim_convert::frames::DeviceParts;
use inputanim_convert::tables::PathPattern;
use inputanim_convert::{Format, Sampling};

#[cfg(feature = "catalog")]
use crate::catalog::{self, Catalog};
use crate::epochs::percent;
use crate::error::ScanError;
use crate::opener::FileOpener;
use crate::segments::Segments;
use crate::shape::{OnError, Shape};

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
    /// The format of the files. If `None`, it is detected from the content, and folders are searched for `.bin` files. A
    /// format that can only be written is an error.
    pub format: Option<Format>,
    /// The names of the columns that are computed, in their order; all if `None`. The rows do not depend on them. An
    /// empty list gives batches that have rows and no columns.
    pub columns: Option<Vec<String>>,
    /// The name of the first column, with the path of the file as it was found, with slashes; none if `None`.
    pub file_column: Option<String>,
    /// The name of the column with the name of the recording, as [`recording_names`](crate::recording_names()) returns it;
    /// none if `None`.
    pub recording_column: Option<String>,
    /// The name of the column with the codes of the damage of the recording; none if `None`.
    pub damage_column: Option<String>,
    /// The pattern that makes columns from the path of each file. A file that does not match is an error.
    pub path_pattern: Option<PathPattern>,
    /// The times of rows. For [`Shape::Wide`] and [`Shape::Tidy`].
    pub sampling: Sampling,
    /// The time range of rows. The ends of the recording replace open bounds and bounds outside of it; a file whose
    /// recording has no time of the range is an error. Rows at a rate begin at the start of the range. Events count by their
    /// onset, states if they overlap it, and curves with their keys in it. For all shapes except [`Shape::Info`] and
    /// [`Shape::Findings`].
    pub time: Option<RelativeTimeRange>,
    /// The streams and joints that count, such as `right.IndexTip`, `left`, `head`; all if empty. For [`Shape::Wide`] and
    /// [`Shape::Tidy`], the recording is reduced to them, as by `inputanim convert --joints`. For [`Shape::Keys`],
    /// [`Shape::Curves`], [`Shape::States`] and [`Shape::Haptics`], rows of other curves are left out, and a name may have a component, such as
    /// `left.Palm.position`.
    pub joints: Vec<String>,
    /// The streams and joints that do not count, even if `joints` has them.
    pub exclude: Vec<String>,
    /// The devices whose poses and inputs have columns in [`Shape::Wide`], and with which a table of [`Shape::Keys`] has the columns
    /// of devices. If there are none, [`Scan::new`](crate::Scan::new) finds those of the files, for which it reads the files of
    /// formats that hold devices. Columns of [`columns`](Self::columns) that are named like those of devices exist in any case.
    pub devices: Vec<DeviceParts>,
    /// The axes of positions and rotations. For [`Shape::Wide`] and [`Shape::Tidy`].
    pub space: Space,
    /// The segments for which measures are computed, or whose rows are listed, with columns for the segment of each row.
    /// Rows that are in several segments are listed for each. Instants of [`Shape::Wide`] and [`Shape::Tidy`] are at time
    /// 0 of the segment and at steps of the rate before and after it (docs/tables.md); outside of the recording, their
    /// values are unknown. For all shapes except [`Shape::Info`] and [`Shape::Findings`].
    pub segments: Segments,
    /// The number of instants of each segment, or of the recording or the time range without segments: at equal
    /// distances from its start to its end, which are two of them. For [`Shape::Wide`] and [`Shape::Tidy`], instead of
    /// [`sampling`](Self::sampling).
    pub points: Option<usize>,
    /// The names, groups and patterns of the measures that are computed, as
    /// [`choose_measures`](inputanim_analysis::choose_measures) takes them; all if empty. For [`Shape::Stats`] and
    /// [`Shape::Measures`].
    pub measures: Vec<String>,
    /// The kinds of the events that are listed; all if empty. For [`Shape::Events`], which has the columns of these kinds.
    pub kinds: Vec<EventKind>,
    /// The parameters of [`Shape::Events`], [`Shape::Stats`] and [`Shape::Measures`], and of the events of
    /// [`segments`](Self::segments). `groups` is set by the measures and columns.
    pub parameters: AnalysisParameters,
    /// The maximum number of rows; all if `None`.
    pub limit: Option<u64>,
    /// The corrections of the recordings, which are otherwise read as they are. The rows are the same as for the file that the
    /// program writes with `inputanim recover` and `inputanim repair`. [`Shape::Info`] and
    /// [`Shape::Findings`] also say that parts are missing.
    pub corrections: Corrections,
    /// The rule for pauses of files that contain frames or samples.
    pub pauses: Pauses,
    /// Behaviour for a file that cannot be read or sampled.
    pub on_error: OnError,
    /// The number of threads of [`Scan::batches`](crate::Scan::batches), at most [`MAX_THREADS`](Self::MAX_THREADS); 0 for
    /// the number of processors.
    pub threads: usize,
    /// The number of rows of a batch. Batches of a task have fewer at its end, and
    /// [`Scan::batches`](crate::Scan::batches) joins small ones up to about half a million values. Only rows of
    /// [`Shape::Wide`], [`Shape::Tidy`] and [`Shape::Keys`] of one recording are divided; other batches may be larger.
    pub batch_rows: usize,
    /// The bounds for files.
    pub limits: Limits,
    /// The size in bytes from which on only the needed curves of a file are read. The rows do not depend on it. Smaller
    /// files do not become faster, because allocators use their memory again.
    pub partial_from: u64,
    /// A catalogue, which has the rows of unchanged files. All other files are opened, so that the rows do not depend on
    /// it. For [`Shape::Info`] and [`Shape::Findings`].
    #[cfg(feature = "catalog")]
    pub catalog: Option<Catalog>,
    /// The folder of the catalogue that is made, with all links resolved, and the time before the search for its files, in
    /// nanoseconds since 1970; `None` for all other scans.
    #[cfg(feature = "catalog")]
    pub(crate) catalogued: Option<(PathBuf, i64)>,
    /// The function that opens files, such as one that maps them into memory; by default they are read.
    pub opener: FileOpener,
    /// When this becomes `true`, the scan ends with [`ScanError::Cancelled`].
    pub cancel: Arc<AtomicBool>,
}

impl ScanOptions {
    /// Sets the number of rows per second. If recordings are analysed for the shape, sets the sampling rate of the
    /// analysis in Hz instead. The rate is checked when the scan is created.
    ///
    /// # Errors
    /// When the parameters of the analysis have another rate already, or the rows are at the times of keys or at points.
    pub fn set_rate(&mut self, rate: f64) -> Result<(), ScanError> {
        if !self.shape.is_analysed() {
            if self.sampling == Sampling::Keys {
                return Err(ScanError::RateAndKeys);
            }
            if self.points.is_some() {
                return Err(ScanError::PointsAndSampling);
            }
            self.sampling = Sampling::Rate(rate);
            return Ok(());
        }
        if self.parameters.channels.rate != ChannelParameters::default().rate {
            return Err(ScanError::RateTwice);
        }
        self.parameters.channels.rate = rate;
        Ok(())
    }

    /// Lifts the limits of files and samples, and of the analysis if the shape needs one. Use this only for files from
    /// a trusted source.
    pub fn lift_limits(&mut self) {
        self.limits = Limits::NONE;
        if self.is_analysed() {
            self.parameters.max_samples = u64::MAX;
        }
    }
}

impl Default for ScanOptions {
    /// Returns options for all columns of wide rows at 60 Hz, with the columns `file` and `damage`, on all processors.
    /// The first error ends the scan.
    fn default() -> ScanOptions {
        ScanOptions {
            shape: Shape::default(),
            format: None,
            columns: None,
            file_column: Some("file".to_owned()),
            recording_column: None,
            damage_column: Some("damage".to_owned()),
            path_pattern: None,
            sampling: Sampling::default(),
            time: None,
            joints: Vec::new(),
            exclude: Vec::new(),
            devices: Vec::new(),
            space: Space::default(),
            segments: Segments::default(),
            points: None,
            measures: Vec::new(),
            kinds: Vec::new(),
            parameters: AnalysisParameters::default(),
            limit: None,
            corrections: Corrections::default(),
            pauses: Pauses::default(),
            on_error: OnError::default(),
            threads: 0,
            batch_rows: 8192,
            limits: Limits::default(),
            partial_from: 16 << 20,
            #[cfg(feature = "catalog")]
            catalog: None,
            #[cfg(feature = "catalog")]
            catalogued: None,
            opener: FileOpener::default(),
            cancel: Arc::default(),
        }
    }
}

impl ScanOptions {
    /// The largest number of threads of a scan.
    pub const MAX_THREADS: usize = 256;

    /// Returns `true` if recordings are analysed: for the rows, or for the events of segments.
    fn is_analysed(&self) -> bool {
        self.shape.is_analysed() || matches!(self.segments, Segments::Events { .. })
    }

    /// Returns the times of the rows of each segment in seconds after its time 0, or the percentages of the segment from 0 to 100
    /// with [`points`](Self::points), if they are known without a recording. `None` for segments of different lengths without
    /// points, and for other shapes than [`Shape::Wide`] and [`Shape::Tidy`].
    ///
    /// ```
    /// use inputanim_scan::{Sampling, ScanOptions};
    /// let mut options = ScanOptions::default();
    /// options.segments = "pinch@-0.5..1".parse()?;
    /// options.sampling = Sampling::Rate(2.0);
    /// assert_eq!(options.segment_times(), Some(vec![-0.5, 0.0, 0.5, 1.0]));
    /// options.segments = "pinch@start..end".parse()?;
    /// assert_eq!(options.segment_times(), None);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn segment_times(&self) -> Option<Vec<f64>> {
        if !matches!(self.shape, Shape::Wide | Shape::Tidy) || self.check().is_err() {
            return None;
        }
        match (self.points, self.sampling) {
            (Some(points), _) => Some((0..points).map(|point| percent(point, points)).collect()),
            (None, Sampling::Rate(rate)) => Some(self.segments.window()?.times(rate).collect()),
            (None, _) => None,
        }
    }

    /// Returns `true` if the rows are those of segments, or at a number of points.
    pub(crate) fn has_epochs(&self) -> bool {
        self.segments != Segments::Recording || self.points.is_some()
    }

    /// Returns `true` if a scan without files is no error.
    pub(crate) fn may_be_empty(&self) -> bool {
        #[cfg(feature = "catalog")]
        return self.catalogued.is_some();
        #[cfg(not(feature = "catalog"))]
        false
    }

    /// Returns an error if a value is invalid, if options contradict each other, or if an option has no effect on the
    /// shape.
    pub(crate) fn check(&self) -> Result<(), ScanError> {
        let is_sampled = matches!(self.shape, Shape::Wide | Shape::Tidy);
        let has_joints = is_sampled || self.shape.has_curves();
        let is_analysed = self.shape.is_analysed();
        let has_measures = matches!(self.shape, Shape::Stats | Shape::Measures);
        let is_events = self.shape == Shape::Events;
        let has_time = !matches!(self.shape, Shape::Info | Shape::Findings);
        let given = [
            ("sampling", self.sampling != Sampling::default(), is_sampled),
            ("space", self.space != Space::default(), is_sampled),
            ("joints", !self.joints.is_empty(), has_joints),
            ("exclude", !self.exclude.is_empty(), has_joints),
            ("time", self.time.is_some(), has_time),
            ("segments", self.segments != Segments::default(), has_time),
            ("points", self.points.is_some(), is_sampled),
            ("measures", !self.measures.is_empty(), has_measures),
            ("kinds", !self.kinds.is_empty(), is_events),
            #[cfg(feature = "catalog")]
            ("catalog", self.catalog.is_some(), !has_time),
            (
                "parameters",
                self.parameters != AnalysisParameters::default(),
                self.is_analysed(),
            ),
        ];
        let mut given = given.into_iter();
        if let Some((option, ..)) = given.find(|(_, is_given, has_effect)| *is_given && !has_effect)
        {
            let shape = self.shape;
            return Err(ScanError::NoEffect { option, shape });
        }
        if let Some(format) = self.format.filter(|format| !format.can_read()) {
            return Err(ScanError::NotReadable(format));
        }
        #[cfg(feature = "catalog")]
        catalog::check(self)?;
        if self.time.is_some() && self.segments != Segments::default() {
            return Err(ScanError::TimeAndSegments);
        }
        if let Some(RelativeTimeRange { start, end }) = self.time {
            let absolute = |point: Option<TimePoint>| match point {
                Some(TimePoint::At(time)) => Some(time),
                _ => None,
            };
            // Relative bounds depend on the recording.
            TimeRange::between(absolute(start), absolute(end))?;
        }
        let of_segments = match &self.segments {
            Segments::Events { kind, .. } => Some(kind),
            _ => None,
        };
        if let Some(kind) = of_segments.filter(|_| self.segments.are_reversed()) {
            return Err(ScanError::ReversedSegments(*kind));
        }
        let mut kinds = self.kinds.iter().chain(of_segments);
        if kinds.any(|kind| *kind == EventKind::Look) && self.parameters.targets.is_empty() {
            return Err(ScanError::LooksNeedTargets);
        }
        if let Some(points) = self.points {
            if self.sampling != Sampling::default() {
                return Err(ScanError::PointsAndSampling);
            }
            if points < 2 {
                return Err(ScanError::Points(points));
            }
        }
        let rate = match self.sampling {
            _ if is_analysed => self.parameters.channels.rate,
            Sampling::Rate(rate) => rate,
            _ => return Ok(()),
        };
        if rate > 0.0 && rate <= TimeRange::MAX_RATE {
            Ok(())
        } else {
            Err(ScanError::Rate(rate))
        }
    }
}
