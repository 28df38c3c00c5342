//! XDF (<https://github.com/sccn/xdf/wiki/Specifications>), the file of the Lab Streaming Layer. LabRecorder writes it,
//! and pyxdf, MNE, EEGLAB and MATLAB read it. A file contains streams of samples, such as an EEG, motion and markers, with
//! their clock offsets.
//!
//! | stream | type | samples | channels |
//! |---|---|---|---|
//! | [`HEAD`] | `MoCap` | regular | `head.position.x` to `head.rotation.w` |
//! | [`HANDS`] | `MoCap` | regular | `left.Wrist.position.x` …: seven for each recorded joint |
//! | [`GAZE`] | `Gaze` | regular | `gaze.origin.x` to `gaze.direction.z` |
//! | `inputanim-right.controller` … | `Controller` | at samples and changes | `right.controller.active`, `.profile`, `.aim.position.x` …, `.trigger.value` … |
//! | [`STATES`] | `States` | at changes | `left.tracked`, `left.pinching`, `right.tracked`, `right.pinching` as 0 or 1 |
//! | [`MARKERS`] | `Markers` | at markers | the text |
//!
//! Labels are the names of columns of wide tables. Types and units follow the meta-data that the wiki of XDF recommends:
//! `PositionX`, `OrientationA` (the scalar part of a quaternion), `OrientationB`, `C`, `D`, `DirectionX`; `meters`,
//! `quaternion`, `normalized`.
//!
//! # Writing
//!
//! - The recording is sampled from 0 to the last step of the rate that is not after its end, and the streams state this
//!   rate. At the times of keys, the streams are irregular and state the rate 0. Streams without recorded content are
//!   not written. Numbers are 32-bit floats.
//! - Time stamps are seconds of the recording in double precision, and t = 0 has the time stamp 0. A stream has one clock
//!   offset, which is 0.
//! - While a hand is not tracked, its numbers are NaN. States change at their own times.
//! - The stream of a device is irregular (`devices.rs`). Only streams that name their device in `desc/inputanim` are read as devices.
//! - The options give the axes, and `desc/coordinate_system` describes them.
//! - `desc/inputanim` contains an id and the name of the recording, the time stamp of t = 0, the duration and the axes for
//!   the reader.
//!   The header of the file contains the date of t = 0 if the options state it.
//! - Samples are written in chunks of a second, and boundary chunks every ten seconds.
//!
//! [`append`] adds a recording to a file of a laboratory.
//!
//! # Reading
//!
//! - Channels whose labels are names of columns are read. Mappings select other channels:
//!   `left.Palm.position.x=STREAM/CHANNEL*0.001`. STREAM is the name of a stream, or `NAME#2` for the second stream of a
//!   name. CHANNEL is a label, or the number of the channel from 1 on. `marker=STREAM` and `marker=STREAM/CHANNEL` select
//!   the markers. A mapping replaces the channel with the label. Positions whose header states a unit of
//!   length are converted to metres if the mapping has no factor, and a note names them, and units that are unknown.
//! - Numbers are of any type. The channels of a position, a rotation or a ray must be in one stream. A position without a
//!   rotation gets the identity.
//! - Times are synchronised and jitter is removed as by pyxdf, but not across pauses (`clock.rs`). Each pose has keys
//!   at the times of its own stream; nothing is resampled. Samples that are not later than the sample before are dropped.
//! - A pose, ray or hand whose mapped confidence is below [`ReadOptions::min_confidence`](crate::ReadOptions::min_confidence) is
//!   unknown. The confidence has to be in the same stream.
//! - A pose or ray with NaN is unknown and gets no key. A state is on from one half on. Joints are read only while their
//!   hand is tracked. If no channel states that, a hand is tracked where one of its joints is known, and untracked before
//!   the first and after the last sample of the streams of its joints.
//! - Each stream of the type `Markers` becomes markers, also if its samples are numbers, and so does each stream of texts
//!   without a rate. If a file has several, markers of other programs begin with the name of their stream: `Stim: start`.
//! - t = 0 is the zero of the recording that this library wrote, else the first sample that is read.
//! - If the last sample of a stream that this library wrote is less than a step before the end of the recording, its last
//!   pose gets a key at the end.
//! - If a file contains several recordings that this library wrote, the options select one by its name.
//! - The options give the axes, else the file, else they are Unity's axes.
//! - After a damaged chunk, reading continues behind the next boundary chunk.
//! - Files that are compressed with gzip (`.xdfz`) are read too.
//!
//! ```
//! use inputanim_convert::{Format, ReadOptions, Sampling, WriteOptions, read, write_bytes};
//! # use inputanim::{Layout, Pose, Recording};
//! # let mut recording = Recording::new(Layout::Mrtk1_1);
//! # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//! # recording.head_mut().push(1.0, &Pose::at([0.0, 1.7, 0.0]));
//! let mut options = WriteOptions::default();
//! options.sampling = Sampling::Rate(90.0);
//! let (xdf, _) = write_bytes(Format::Xdf, &recording, &options)?;
//! let (again, _) = read(Format::Xdf, &xdf, &ReadOptions::default())?;
//! assert_eq!(again.head.unwrap().position[1].keys.len(), 91);
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod append;
mod chunks;
mod clock;
mod curves;
mod devices;
mod error;
mod file;
mod fingerprint;
mod header;
mod marker_list;
mod out_stream;
mod output;
mod plan;
mod read;
mod samples;
mod streams;
mod target;
mod units;
mod write;
mod xml;

pub use append::{At, InvalidAt, append};
pub use error::XdfError;
pub use marker_list::{FileMarkers, markers};
pub(crate) use read::read;
pub use streams::{StreamInfo, streams};
pub(crate) use write::write;

/// The name of the stream of the head.
pub const HEAD: &str = "inputanim-head";
/// The names of the streams of the left and the right hand.
pub const HANDS: [&str; 2] = ["inputanim-left", "inputanim-right"];
/// The name of the stream of the gaze.
pub const GAZE: &str = "inputanim-gaze";
/// The name of the stream of the states of both hands.
pub const STATES: &str = "inputanim-states";
/// The name of the stream of markers.
pub const MARKERS: &str = "inputanim-markers";

/// The program that writes a file.
const PROGRAM: &str = concat!("inputanim ", env!("CARGO_PKG_VERSION"));
