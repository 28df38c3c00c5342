//! Measures and events of MRTK input animation recordings: head, hands, fingers, pinches, gaze and targets.
//!
//! | task | start with |
//! |---|---|
//! | measures of a recording or of a part of it | [`Analysis::measures`] |
//! | all events as one list | [`Analysis::events`] |
//! | definitions and units of all measures | [`Quantity::ALL`] |
//! | parts between markers, of trials, around events | [`Segment`] |
//! | single steps: sampling, derivatives, movements, pinches, fixations | [`Channels`], [`Kinematics`], [`movements`], [`geometric_pinches`], [`idt`], [`ivt`] |
//! | a figure as SVG; a sheet of many recordings | [`plot()`], [`contact_sheet`] |
//! | smoothness of a speed profile | [`sparc`], [`log_dimensionless_jerk`] |
//! | looks at targets, Fitts's law | [`Target`], [`Fitts`] |
//!
//! ```
//! use inputanim::Layout;
//! use inputanim_analysis::{Analysis, AnalysisParameters};
//! use inputanim_motion::{Motion, Scene};
//!
//! let recording = Motion::new(Scene::Reach, 1, 10.0).record(60.0, Layout::Mrtk1_1);
//! let analysis = Analysis::of(&recording, &AnalysisParameters::default())?;
//! for measure in analysis.measures(analysis.range).rows {
//!     match measure.value {
//!         Ok(value) => println!("{} = {value} {}", measure.name, measure.quantity.unit),
//!         Err(reason) => println!("{}: {reason}", measure.name),
//!     }
//! }
//! # Ok::<(), inputanim_analysis::AnalysisError>(())
//! ```
//!
//! Recordings are sampled at a steady rate as they play back. Positions are metres in Unity's world space,
//! times are seconds and angles are degrees. A measure that cannot be computed has a reason instead of a
//! value. docs/analysis.md of the repository describes methods and sources.
//!
//! Option types may get more fields. Other crates start from `Default` and set fields.
//!
//! Cargo features: `parallel` (default) uses all processors; without it the library starts no threads. `serde`
//! serialises results, and reads parameters and targets. `parameters` sets parameters by their names. `csv` reads trial
//! tables and targets.

#![forbid(unsafe_code)]

mod analysis;
mod channels;
mod choice;
mod device;
mod dispersion;
mod error;
mod event;
mod event_columns;
mod filter;
mod finger;
mod fitts;
mod gaze;
mod head;
mod hull;
mod measure;
mod missing;
mod movement;
#[cfg(feature = "parameters")]
mod parameters;
mod pinch;
mod plot;
mod quality;
mod quantity;
mod rotation;
mod segment;
mod segment_measures;
#[cfg(feature = "serde")]
mod serialize;
mod smoothness;
mod source;
mod statistics;
#[cfg(feature = "csv")]
mod table;
mod target;

pub use analysis::{Analysis, AnalysisParameters, HandAnalysis, Note};
pub use channels::{ChannelParameters, Channels, HandChannels, Kinematics, PoseSamples};
pub use choice::{UnknownMeasure, choose_measures};
pub use device::{
    DeviceInput, DeviceParameters, DevicePose, DeviceStick, InputAnalysis, PoseAnalysis, Press,
    UnknownDevicePart,
};
pub use error::{AnalysisError, InvalidTarget};
pub use event::{Event, EventKind, EventProperty, UnknownEventKind};
pub use event_columns::{EventColumns, PropertyColumn, property_column, single};
pub use filter::SavitzkyGolay;
pub use finger::{Finger, abduction, bone_length, curl, flexion, openness};
pub use fitts::{Fitts, FittsModel, Selection, fitts_by_condition, selections};
pub use gaze::{
    Fixation, Gaze, GazeParameters, IdtParameters, IvtParameters, Saccade, gaze_velocity, idt,
    idt_planar, ivt, main_sequence,
};
pub use head::HeadRotation;
pub use measure::{Measure, Measures};
pub use missing::{Measured, Missing};
pub use movement::{Movement, MovementParameters, movements};
#[cfg(feature = "parameters")]
pub use parameters::{NamedParameters, ParameterError};
pub use pinch::{
    Pinch, PinchParameters, PinchSource, aperture, closed, geometric_pinches, pinch_agreement,
    recorded_pinches,
};
pub use plot::{
    InvalidWidth, Panel, PlotOptions, Theme, Thumbnail, contact_sheet, panel_findings, plot,
    thumbnail, thumbnail_without_words,
};
pub use quality::{DamagedRange, Quality, RecordedTimes};
pub use quantity::{Group, Quantity};
pub use rotation::{angle_between, from_yaw_pitch_roll, yaw_pitch_roll};
pub use segment::Segment;
pub use smoothness::{SparcParameters, dimensionless_jerk, log_dimensionless_jerk, sparc};
pub use source::Source;
pub use statistics::Distribution;
#[cfg(feature = "csv")]
pub use table::{CellError, CsvTableError, Trial, targets_from_csv, trials_from_csv};
#[cfg(all(feature = "csv", feature = "parameters"))]
pub use table::{TargetsError, targets_from_text};
pub use target::{Look, Shape, Target, check_targets, looks, transitions};
