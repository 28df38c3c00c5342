//! The options of all conversions.

use std::fmt;
use std::ops::RangeInclusive;
use std::time::Duration;

use inputanim::{Layout, Limits, Pauses, Side, Space, TimeRange};

use super::{FileAccess, Mapping};

/// Options for writing a recording. Each field says which formats use it; others ignore it.
///
/// ```
/// use inputanim_convert::{Sampling, WriteOptions};
/// let mut options = WriteOptions::default();
/// options.sampling = Sampling::Rate(90.0);
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The layout to write, the recording's own if `None`. Used by `bin`, `json` and glTF.
    pub layout: Option<Layout>,
    /// True to drop and report content that the layout cannot represent, which is an error otherwise.
    /// Used by `bin`, `json` and glTF.
    pub allow_loss: bool,
    /// The times at which the recording is sampled. Used by `iwer`, `mcap`, `isaac`, `xdf`, `handsbin`, `bvh`, USD,
    /// Motion-BIDS, wide and tidy tables; glTF uses the rate for curves that it cannot represent. [`Sampling::Keys`] is for
    /// `mcap`, `isaac`, `xdf` and tables only.
    pub sampling: Sampling,
    /// The axes of a wide or tidy table, of Motion-BIDS and of `xdf`. All other formats have axes of their own.
    pub space: Space,
    /// The meaning of one row of a table.
    pub shape: TableShape,
    /// True to write each marker as a row of a wide text table, which breaks data frames. This option does not change
    /// Arrow and Parquet, which have the markers in their metadata, and tables of keys, which have them as rows.
    pub markers: bool,
    /// The time range of the rows. If `None`, rows of wide and tidy tables are from 0 to the end, and tables of keys have all
    /// rows. In a table of keys, a range keeps the keys and markers in it, the gaps that overlap it, and rows without a time.
    pub time: Option<TimeRange>,
    /// Names and texts of columns before the others, with the same text in each row. Used by tables.
    pub labels: Vec<(String, String)>,
    /// The name of the file that the recording was read from. Used by `mcap`, `isaac`, `xdf` and tables, as
    /// metadata.
    pub source: Option<String>,
    /// The name of the clip or capture. Unity expects the name of a clip to be the file's name without `.anim`. Used by `anim` and
    /// `handsbin`.
    pub clip_name: String,
    /// The function that markers call. Used by `anim`.
    pub event: String,
    /// The names of nodes. Used by glTF.
    pub node_names: NodeNames,
    /// The hand to write, or every hand that is ever tracked if `None`. Used by `bvh`.
    pub hand: Option<Side>,
    /// The units of length per metre. Used by `bvh`.
    pub scale: f64,
    /// The time of the recording's zero since 1970-01-01T00:00:00Z. Used by `mcap`, `isaac` and `xdf`.
    pub start_time: Duration,
    /// Limits of the samples: a damaged time can ask for billions of them. Used by formats of samples, wide and tidy
    /// tables, and [`write_bytes`](crate::write_bytes).
    pub limits: Limits,
}

impl Default for WriteOptions {
    /// Returns options for the recording's own layout, 60 samples per second, wide tables in Unity's axes
    /// without rows of markers, both hands in centimetres, and a clip `take` whose markers call `OnMarker`.
    fn default() -> WriteOptions {
        WriteOptions {
            layout: None,
            allow_loss: false,
            sampling: Sampling::default(),
            space: Space::default(),
            shape: TableShape::default(),
            markers: false,
            time: None,
            labels: Vec::new(),
            source: None,
            clip_name: "take".to_owned(),
            event: "OnMarker".to_owned(),
            node_names: NodeNames::default(),
            hand: None,
            scale: 100.0,
            start_time: Duration::ZERO,
            limits: Limits::default(),
        }
    }
}

/// The times at which a recording is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Sampling {
    /// A number of samples per second, from 0 to the end; for Motion-BIDS from the first key.
    Rate(f64),
    /// One sample at every time at which any curve has a key.
    Keys,
}

impl Sampling {
    /// The default number of samples per second.
    pub const DEFAULT_RATE: f64 = 60.0;

    /// Returns the samples per second. These are [`Sampling::DEFAULT_RATE`] for [`Sampling::Keys`], because some
    /// formats can only be sampled at a rate.
    pub(crate) fn rate(self) -> f64 {
        match self {
            Sampling::Rate(rate) => rate,
            Sampling::Keys => Sampling::DEFAULT_RATE,
        }
    }
}

impl Default for Sampling {
    /// Returns 60 samples per second.
    fn default() -> Sampling {
        Sampling::Rate(Sampling::DEFAULT_RATE)
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Sampling::Rate(rate) => write!(f, "{rate} Hz"),
            Sampling::Keys => f.write_str("the times of keys"),
        }
    }
}

inputanim::named_enum! {
    /// The meaning of one row of a table.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum TableShape: "shape" {
        /// A sampled instant, with a column for each number.
        #[default]
        Wide => "wide",
        /// A joint, the head or the gaze at a sampled instant. Such a table can be written, but not read.
        Tidy => "tidy",
        /// A key of a curve. Such a table contains the complete recording.
        Keys => "keys",
    }
}

inputanim::named_enum! {
    /// A naming scheme for the nodes of a glTF file.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum NodeNames: "node names" {
        /// The names of curves: `left.IndexTip`, `left.tracked`, `head`, `gaze`.
        #[default]
        Inputanim => "inputanim",
        /// The names of the glTF exporter that was proposed for MRTK: `Hand.Left.Joint.IndexTip`,
        /// `Hand.Left.Tracking`, `Head`.
        Mrtk => "mrtk",
    }
}

/// Options for reading a recording. Each field says which formats use it; others ignore it.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ReadOptions {
    /// The bounds for untrusted input. Used by all formats.
    pub limits: Limits,
    /// The layout of the recording if a table does not state it; MRTK 1.1 if `None`.
    pub layout: Option<Layout>,
    /// The axes of a glTF file, wide table, `xdf` or `xror`. If `None`, the axes that the file states. If the file states
    /// no axes, they are glTF's axes for glTF and Unity's axes for the others.
    pub space: Option<Space>,
    /// The name of the animation. If `None`, the first animation that moves a known node. Used by glTF.
    pub animation: Option<String>,
    /// Access to the files that the buffers of a glTF file refer to.
    pub files: FileAccess,
    /// The recording, by its name. Used by tables with several recordings, which have a column `recording`, and by `xdf`
    /// to which several recordings were appended.
    pub recording: Option<String>,
    /// Other names of columns. Used by wide tables and `xdf`. For glTF, other names of nodes.
    pub mappings: Vec<Mapping>,
    /// The hand of all joints, instead of the hand in the names of nodes. Used by glTF.
    pub side: Option<Side>,
    /// The name of the file. If it contains a hand, as in `right_hand.glb`, it is the hand of joints whose names contain none.
    /// Used by glTF.
    pub file_name: Option<String>,
    /// True to ignore unknown columns, which are errors otherwise. Used by tables.
    pub ignore_unknown: bool,
    /// True to count times from the first row, in double precision. Used by wide tables whose clock
    /// runs for days: their times are too close together for a 32-bit float.
    pub from_zero: bool,
    /// True to skip and report rows that cannot be read, which are errors otherwise. Used by tables.
    pub skip_bad: bool,
    /// The rule for time in which the source delivered nothing: everything is unknown in a pause. Used by formats with frames or
    /// samples of a source.
    pub pauses: Pauses,
    /// The confidence below which a hand of `egodex` counts as untracked, and below which a joint of `egodex` and what has a mapped
    /// column of confidences are unknown.
    /// 0.5 if `None`. Used by `egodex` and wide tables.
    pub min_confidence: Option<f32>,
    /// True to keep the times of samples of a regular stream, which are otherwise made regular, as by pyxdf. Used by `xdf`.
    pub keep_jitter: bool,
    /// True to compute the palm and the wrist of a hand from the grip of its controller, and its pinch from the trigger, while the hand
    /// is not tracked. The controller is read in any case. Used by formats that are read with controllers.
    pub palms_from_controllers: bool,
}

/// The confidence below which values are unknown if the options state none.
#[cfg(feature = "tables")]
pub(crate) const MIN_CONFIDENCE: f32 = 0.5;

impl ReadOptions {
    /// The range of [`min_confidence`](Self::min_confidence).
    pub const MIN_CONFIDENCES: RangeInclusive<f32> = 0.0..=1.0;
}
