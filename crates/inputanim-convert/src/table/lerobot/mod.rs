//! Datasets of LeRobot in version 3.0, for training policies of robots
//! (<https://huggingface.co/docs/lerobot/lerobot-dataset-v3>).
//!
//! A dataset consists of episodes. An episode is a time range of a recording, sampled at a whole number of frames per
//! second: the first frame is at the start of the range. [`EpisodeSampler`] makes an [`Episode`], and [`DatasetWriter`]
//! writes the episodes one after the other. The writer asks a function for each file, so that it needs no file system.
//!
//! | file | content |
//! |---|---|
//! | `data/chunk-000/file-000.parquet` | the frames of episodes |
//! | `meta/episodes/chunk-000/file-000.parquet` | the task, the length, the file and the statistics of each episode |
//! | `meta/tasks.parquet` | the texts of the tasks, as the index of a data frame of pandas |
//! | `meta/stats.json` | the statistics of all frames |
//! | `meta/info.json` | the features, the frames per second, the numbers of episodes and frames; written last |
//! | `videos/observation.images.ego_view/chunk-000/file-000.mp4` | with [`Options::video`]: a copied video |
//! | `meta/modality.json` | with [`Options::modality`]: groups of numbers of the states and actions, for Isaac GR00T |
//!
//! A file has at most 100 MiB, except a file with a single longer episode and a video, and a chunk has at most 1000 files.
//!
//! # Features
//!
//! `observation.state` is a vector in single precision, whose parts have the names of curves, such as
//! `left.IndexTip.position.x`, in the order of wide tables. `action` has the same parts: the action of a frame is the
//! state of the next frame, and the action of the last frame of an episode is the state of this frame. [`ActionForm`] has other
//! actions. The columns `timestamp` (from 0 in each episode, in seconds), `frame_index`, `episode_index`, `index` and
//! `task_index` are those of every dataset.
//!
//! | part | value |
//! |---|---|
//! | position | metres; sizes of the hand with [`Forms::scale_hands`] |
//! | rotation | quaternion x, y, z, w of length 1. The sign is continuous within an episode; w of the first frame is not negative. [`RotationForm`] has other forms |
//! | gaze | origin in metres, and direction |
//! | `left.tracked`, `left.pinching` | 1 or 0; `pinching` only if all recordings of the hand have pinches, unless a [`Gripper`] is chosen |
//! | `left.geometric_pinch`, `left.aperture` | with a [`Gripper`]: 1 or 0; metres |
//!
//! | further feature | value |
//! |---|---|
//! | `valid` | for each of the [parts](Features::parts): 1 if all of its values are known in the frame, else 0 |
//! | `next.valid` | with other actions than the next states: 1 if `valid` is 1 in the frame and in the next one |
//! | `hand_size` | with [`Forms::scale_hands`]: the size of each hand in metres |
//! | `next.done`, `next.success` | with [`Forms::success`]: true in the last frame; true in the last frame of a successful episode |
//! | [`VIDEO`] | with [`Options::video`]: the video |
//!
//! # Frames of reference
//!
//! The axes of [`Options::space`] are applied first. Then a pose becomes relative to its base, as [`ReferenceFrame`]
//! defines: the base is inverted and multiplied from the left, at the same instant.
//!
//! # Unknown poses
//!
//! No value is NaN. A pose that is unknown in a frame repeats its last known values in the episode: while its hand is
//! not tracked, while a number is not finite, and while its base is unknown. Before the first known values of an episode,
//! the pose has these first values. The joints of a hand that is never tracked in an episode are the identity. A head, a
//! gaze or a tracked joint without a known pose in an episode is an error. `left.tracked` and `right.tracked` state which
//! frames of joints are held.
//!
//! # Statistics
//!
//! The statistics of an episode are computed in double precision, as NumPy does: minimum, maximum, mean, standard
//! deviation of the population, count, and the quantiles 0.01, 0.1, 0.5, 0.9 and 0.99, which are values of the episode (method
//! `inverted_cdf`). The statistics of the dataset are those of all its frames. The quantiles of the dataset are exact while
//! each part of the features has at most N different values. N is 8,388,608 divided by the number of parts of all features:
//! at least 9,800 for two hands with head and gaze, which is 5 minutes at 30 Hz. With more values, they are counted in bins
//! whose width is a power of two, and a quantile is the middle of its bin. Its error is then at most half the width of a bin.
//! LeRobot approximates quantiles of episodes with 5000 bins. Its lower quantiles of a dataset are the smallest ones of the
//! episodes, and its upper quantiles are the largest ones.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording, TimeRange};
//! use inputanim_convert::frames::Columns;
//! use inputanim_convert::lerobot::{DatasetWriter, EpisodeSampler, Features, Options};
//! let mut recording = Recording::new(Layout::Mrtk1_1);
//! recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//!
//! let options = Options::default();
//! let features = Features::new(&Columns::of(&recording), &options.forms, |_| true)?;
//! let mut names = Vec::new();
//! let create = |path: &str| {
//!     names.push(path.to_owned());
//!     Ok(Vec::new())
//! };
//! let mut dataset = DatasetWriter::new(&features, &options, create)?;
//! let sampler = EpisodeSampler::new(&recording, &features, &options)?;
//! let episode = sampler.episode(TimeRange { start: 0.0, end: 1.0 })?;
//! dataset.push(&episode, "look up")?;
//! let summary = dataset.finish()?;
//! assert_eq!((summary.episodes, summary.frames), (1, 31));
//! assert_eq!(names.last().map(String::as_str), Some("meta/info.json"));
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod episode;
mod error;
mod features;
mod files;
mod forms;
mod metadata;
mod quantiles;
mod stats;
mod video;
mod writer;

use inputanim::{Limits, Space};

pub use episode::{Episode, EpisodeSampler};
pub use error::LeRobotError;
pub use features::Features;
pub use forms::{ActionForm, Forms, Gripper, MaskDetail, RotationForm};
pub use video::{Video, VideoError};
pub use writer::{DatasetWriter, Summary};

/// The name of the file that is written last, so that a dataset without it is not complete.
pub const INFO: &str = "meta/info.json";
/// The name of the file that divides states and actions into groups, for Isaac GR00T.
pub const MODALITY: &str = "meta/modality.json";
/// The feature with the video of the camera of the headset.
pub const VIDEO: &str = "observation.images.ego_view";
const STATS: &str = "meta/stats.json";
const TASKS: &str = "meta/tasks.parquet";

/// Returns `true` for the path of a file of a dataset of version 3.0: [`INFO`], [`MODALITY`], `meta/stats.json`,
/// `meta/tasks.parquet`, the videos of [`VIDEO`], and the numbered files of frames and episodes. Paths have slashes.
///
/// ```
/// use inputanim_convert::lerobot::is_file_of_dataset;
/// assert!(is_file_of_dataset("data/chunk-000/file-012.parquet"));
/// assert!(!is_file_of_dataset("README.md"));
/// ```
pub fn is_file_of_dataset(path: &str) -> bool {
    files::is_numbered(path) || [INFO, MODALITY, STATS, TASKS].contains(&path)
}

/// The options of a dataset.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Options {
    /// The number of frames per second, at least 1.
    pub rate: u32,
    /// The axes of positions and rotations.
    pub space: Space,
    /// The poses to which other poses are relative.
    pub frame: ReferenceFrame,
    /// The forms of the states and actions, and the features beside them.
    pub forms: Forms,
    /// `true` for the file [`MODALITY`], which NVIDIA's Isaac GR00T reads.
    pub modality: bool,
    /// `true` for the feature [`VIDEO`]. Each episode then needs a [video](DatasetWriter::push_video).
    pub video: bool,
    /// The size in MiB from which on the next episode begins a new file, at least 1.
    pub file_mib: u32,
    /// The largest number of files of a chunk, at least 1.
    pub chunk_files: u32,
    /// Limits of the samples of a recording.
    pub limits: Limits,
}

impl Options {
    /// The default number of frames per second.
    pub const DEFAULT_RATE: u32 = 30;

    /// Sets the number of frames per second.
    ///
    /// # Errors
    /// When `hertz` is not a whole number, is less than 1, or is above
    /// [`TimeRange::MAX_RATE`](inputanim::TimeRange::MAX_RATE).
    pub fn set_rate(&mut self, hertz: f64) -> Result<(), LeRobotError> {
        if hertz.fract() != 0.0 || !(1.0..=inputanim::TimeRange::MAX_RATE).contains(&hertz) {
            return Err(LeRobotError::Rate(hertz));
        }
        // The largest rate fits.
        self.rate = hertz as u32;
        Ok(())
    }

    /// Checks that the options fit together.
    ///
    /// # Errors
    /// When the rate is out of its range, the size of a file or the number of files of a chunk is 0, or a form needs another frame
    /// of reference.
    pub fn check(&self) -> Result<(), LeRobotError> {
        self.clone().set_rate(self.rate.into())?;
        if self.file_mib == 0 || self.chunk_files == 0 {
            return Err(LeRobotError::Sizes);
        }
        self.forms.check(self.frame)
    }

    /// Checks that the options fit together, and that they fit the states.
    ///
    /// # Errors
    /// As [`check`](Self::check), when `features` were made with other forms, and when a form has no effect on them.
    pub fn check_features(&self, features: &Features) -> Result<(), LeRobotError> {
        self.check()?;
        if features.forms != self.forms {
            return Err(LeRobotError::OtherForms);
        }
        features.check_effect(self.frame)
    }
}

impl Default for Options {
    /// Returns options for 30 frames per second, with all poses in the world, in Unity's axes. Files have the sizes
    /// that are LeRobot's default.
    fn default() -> Options {
        Options {
            rate: Options::DEFAULT_RATE,
            space: Space::default(),
            frame: ReferenceFrame::default(),
            forms: Forms::default(),
            modality: false,
            video: false,
            file_mib: 100,
            chunk_files: 1000,
            limits: Limits::default(),
        }
    }
}

inputanim::named_enum! {
    /// The poses to which other poses are relative.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum ReferenceFrame: "frame of reference" {
        /// All poses are in the world of the recording.
        #[default]
        World => "world",
        /// Joints and the gaze are relative to the head. The head is in the world.
        Head => "head",
        /// Joints are relative to the wrist of their hand. Wrists, the head and the gaze are in the world.
        Wrist => "wrist",
    }
}
