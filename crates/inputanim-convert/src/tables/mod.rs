//! Tables, in two shapes that are the same in every format:
//!
//! - **wide**: a row for each instant that is sampled, and a column for each number that plays:
//!   `time_s`, `camera.position.x`, `left.tracked`, `left.IndexTip.rotation.w` … What is not known,
//!   such as the joints of a hand that is not tracked, is null.
//! - **keys**: a row for each key, with its curve, time, value, tangents, weights and wrap modes, and
//!   rows for markers, flags and the layout. Nothing is lost either way.
//!
//! docs/tables.md describes every column.
//!
//! | module | files | reads |
//! |---|---|---|
//! | [`arrow`] | Arrow IPC files, which are Feather files too | both shapes |
//! | [`parquet`] | Parquet | both shapes |
//! | [`csv`] | CSV and TSV | both shapes; HoloLens2ForCV |
//! | [`ndjson`] | an object of JSON a line | both shapes |
//!
//! The first two are there with the feature `tables`.

#[cfg(feature = "tables")]
pub mod arrow;
#[cfg(feature = "tables")]
mod columnar;
pub mod csv;
mod error;
mod hololens;
mod instants;
mod keys;
mod keys_out;
mod loss;
#[cfg(feature = "tables")]
mod metadata;
pub mod ndjson;
#[cfg(feature = "tables")]
pub mod parquet;
mod pieces;
mod reading;
mod separator;
mod take;

use inputanim::{Layout, Limits, Recording, Space};

use crate::frames::{self, Mapping};
#[cfg(feature = "tables")]
use crate::unpacked;

pub use error::{Error, Place, Setting};
pub use loss::Loss;
pub use reading::{Note, Reading};

/// What a row is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Shape {
    /// An instant that is sampled.
    #[default]
    Wide,
    /// A key.
    Keys,
}

impl Shape {
    /// Both shapes.
    pub const ALL: [Shape; 2] = [Shape::Wide, Shape::Keys];

    /// `wide` or `keys`.
    pub const fn name(self) -> &'static str {
        match self {
            Shape::Wide => "wide",
            Shape::Keys => "keys",
        }
    }
}

/// When a wide table has rows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Times {
    /// So many times a second from 0 on, to the end.
    Rate(f64),
    /// At every time at which any curve has a key.
    Keys,
}

impl Default for Times {
    /// 60 times a second.
    fn default() -> Times {
        Times::Rate(60.0)
    }
}

/// What a table is to hold.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// What a row is.
    pub shape: Shape,
    /// When a wide table has rows.
    pub times: Times,
    /// The axes of a wide table; keys stay as they are.
    pub space: Space,
    /// Whether a wide table has the markers too, as rows of text or among the metadata; one of keys
    /// always has them.
    pub markers: bool,
    /// The name of the file that the recording is from: tables say it, where they can.
    pub source: Option<String>,
}

impl Default for Options {
    /// What plays 60 times a second, in Unity's axes, with its markers.
    fn default() -> Options {
        Options {
            shape: Shape::default(),
            times: Times::default(),
            space: Space::default(),
            markers: true,
            source: None,
        }
    }
}

/// Whether a recording can become a table, or a part of one: what `Writer::push`
/// would refuse half-way through a table of several is refused here.
///
/// # Errors
/// When the recording cannot be played or would have too many rows (wide), or holds what its own layout
/// cannot (keys).
///
/// ```
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::tables::{self, Options};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(1e9, &Pose::IDENTITY);
/// assert!(tables::check(&take, &Options::default()).is_err(), "sixty thousand million rows");
/// ```
pub fn check(recording: &Recording<'_>, options: &Options) -> Result<(), Error> {
    match options.shape {
        Shape::Wide => {
            pieces::pieces(recording, options.times)?;
            Ok(())
        }
        Shape::Keys => keys_out::refuse_losses(recording),
    }
}

/// How a table is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The layout of the recording, where the table does not say it \[MRTK 1.1\].
    pub layout: Option<Layout>,
    /// Which recording, in an Arrow or Parquet table of several: the name in the column `recording`.
    pub recording: Option<String>,
    /// Other names for columns, of a wide table.
    pub mappings: Vec<Mapping>,
    /// Passes over columns that mean nothing here; without it they are errors.
    pub ignore_unknown: bool,
    /// The axes of a wide table \[as it says itself, or Unity's\].
    pub space: Option<Space>,
    /// Makes the first row of a wide table t = 0, in double precision: clocks that run for days have
    /// times that lie too close together for a 32-bit float.
    pub from_zero: bool,
    /// Bounds for input that is not trusted; [`Limits::max_bytes`] bounds the file.
    pub limits: Limits,
}

impl ReadOptions {
    /// Who names columns knows that there are others.
    fn ignores_unknown(&self) -> bool {
        self.ignore_unknown || !self.mappings.is_empty()
    }

    /// The options for what is packed in a file of so many bytes: its parts are bounded by what is due
    /// to it.
    #[cfg(feature = "tables")]
    fn of_packed(&self, bytes: usize) -> ReadOptions {
        let due = unpacked::due(bytes as u64, &self.limits);
        let mut options = self.clone();
        options.limits.max_bytes = due.min(self.limits.max_bytes);
        options
    }

    /// Refuses settings that would change nothing for a table.
    fn refuse(&self, settings: &[Setting], table: &'static str) -> Result<(), Error> {
        let is_given = |setting: &&Setting| match setting {
            Setting::Recording => self.recording.is_some(),
            Setting::Mappings => !self.mappings.is_empty(),
            Setting::IgnoreUnknown => self.ignore_unknown,
            Setting::Space => self.space.is_some(),
            Setting::FromZero => self.from_zero,
        };
        match settings.iter().find(is_given) {
            Some(&setting) => Err(Error::Idle { setting, table }),
            None => Ok(()),
        }
    }

    /// The same for tables of keys, whatever their format.
    fn refuse_for_keys(&self) -> Result<(), Error> {
        use Setting::{FromZero, Mappings, Space};
        self.refuse(&[Mappings, Space, FromZero], "a table of keys")
    }

    fn of_frames(&self) -> frames::Options {
        frames::Options {
            ignore_unknown: self.ignores_unknown(),
            from_zero: self.from_zero,
            ..frames::Options::default()
        }
    }
}
