//! A recording out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use foxglove::messages::{FrameTransforms, Log, PointCloud, SceneUpdate, log::Level};
use inputanim::sampler::Cursor;
use inputanim::{Frame, Marker, Recording, Sampler, Side};
use mcap::McapError;

use super::clock::{Clock, Moment};
use super::messages::{RecordingPiece, States};
use super::output::{Output, Topic};
use super::{GAZE, HANDS, MARKERS, RECORDING, SPACE, STATES, TRANSFORMS};
use super::{pieces, points, scene, transforms};
use crate::sampled::{self, SampleError};

/// How a recording is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// When there are messages.
    pub times: Times,
    /// What time the recording's zero is, since 1970-01-01T00:00:00Z: for files that are merged with
    /// those of other devices.
    pub start: Duration,
    /// Where the recording is from, such as the name of its file: it is put into the metadata.
    pub source: Option<String>,
}

impl Default for Options {
    /// 60 times a second, from 1970 on.
    fn default() -> Options {
        Options {
            times: Times::Rate(60.0),
            start: Duration::ZERO,
            source: None,
        }
    }
}

/// When there are messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Times {
    /// So many times a second, and wherever a hand is found or lost or begins or ends to pinch.
    Rate(f64),
    /// Wherever any curve has a key.
    Keys,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Times with messages.
    pub frames: usize,
    /// Markers that are in the bytes of the recording only, since they are at no time that a message
    /// can have: before 1970, or not finite.
    pub hidden_markers: usize,
}

/// Why a recording is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The times of the messages end in 2106.
    #[error("{seconds} s from the start on are too late: times of messages end in 2106")]
    TooLate {
        /// How long the recording plays.
        seconds: f32,
    },
    /// The recording holds what its own layout cannot, such as gaze in version 1.0.
    #[error(transparent)]
    Recording(inputanim::WriteError),
    /// The container's writer fails.
    #[error("cannot write MCAP")]
    Mcap(#[source] Box<McapError>),
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<McapError> for WriteError {
    fn from(error: McapError) -> WriteError {
        match error {
            McapError::Io(error) => WriteError::Io(error),
            error => WriteError::Mcap(Box::new(error)),
        }
    }
}

impl From<inputanim::WriteError> for WriteError {
    fn from(error: inputanim::WriteError) -> WriteError {
        match error {
            inputanim::WriteError::Io(error) => WriteError::Io(error),
            error => WriteError::Recording(error),
        }
    }
}

/// Writes a recording; nothing is lost. A chunk of a megabyte is in memory at a time.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When a curve cannot be played, when there would be too many frames or too late ones, when the
/// recording holds what its own layout cannot, or when `output` fails.
///
/// ```
/// use std::time::Duration;
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::mcap::{self, Options};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(2.0, &Pose::at([0.0, 1.6, 0.5]));
/// let options = Options { start: Duration::from_secs(1_714_557_600), ..Options::default() };
/// let mut bytes = Vec::new();
/// assert_eq!(mcap::write(&take, &options, &mut bytes)?.frames, 121);
/// # Ok::<(), mcap::WriteError>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    output: impl Write,
) -> Result<Report, WriteError> {
    let (sampler, times) = playing(recording, options.times)?;
    let clock = Clock::new(options.start);
    let seconds = sampler.duration();
    let (Some(start), Some(_)) = (clock.at(0.0), clock.at(seconds)) else {
        return Err(WriteError::TooLate { seconds });
    };
    let program = concat!("inputanim ", env!("CARGO_PKG_VERSION"));
    let mut output = Output::new(output, program)?;
    output.metadata(provenance(recording, options, program))?;

    let placed = |marker: &&Marker<'static>| clock.at(marker.time).is_some();
    let mut markers: Vec<_> = sampler.markers().iter().filter(placed).collect();
    let hidden_markers = sampler.markers().len() - markers.len();
    let mut pieces = output.topic::<RecordingPiece>(RECORDING)?;
    let mut topics = Topics::of(recording, &sampler, !markers.is_empty(), &mut output)?;
    let early = markers.partition_point(|marker| marker.time < 0.0);
    let mut later = markers.split_off(early).into_iter().peekable();
    for marker in markers {
        topics.marker(marker, clock, &mut output)?;
    }
    self::pieces::write(recording, start, &mut output, &mut pieces)?;
    // So that the recording is whole wherever the rest is cut off or damaged.
    output.end_chunk()?;

    let mut cursor = Cursor::default();
    let mut frame = Frame::default();
    let frames = times.len();
    for time in times {
        while let Some(marker) = later.next_if(|marker| marker.time <= time) {
            topics.marker(marker, clock, &mut output)?;
        }
        sampler.read(time, &mut cursor, &mut frame);
        if let Some(moment) = clock.at(time) {
            topics.frame(&SPACE.frame(frame.clone()), moment, &mut output)?;
        }
    }
    for marker in later {
        topics.marker(marker, clock, &mut output)?;
    }
    output.finish()?;
    Ok(Report {
        frames,
        hidden_markers,
    })
}

/// A recording made ready, and when it is looked at.
fn playing(recording: &Recording<'_>, times: Times) -> Result<(Sampler, Vec<f32>), SampleError> {
    match times {
        Times::Rate(rate) => {
            let sampler = sampled::sampler(recording, rate)?;
            let times = sampled::times_of_grid_and_changes(recording, &sampler, rate);
            Ok((sampler, times))
        }
        Times::Keys => {
            let sampler = Sampler::new(recording)?;
            let mut times = sampler.key_times();
            times.retain(|&time| time >= 0.0);
            Ok((sampler, times))
        }
    }
}

/// What the file is, for who finds it.
fn provenance(
    recording: &Recording<'_>,
    options: &Options,
    program: &str,
) -> BTreeMap<String, String> {
    let times = match options.times {
        Times::Rate(rate) => format!("{rate} Hz and where states change"),
        Times::Keys => "at keys".to_owned(),
    };
    let mut entries = vec![
        ("program", program.to_owned()),
        ("layout", recording.layout.to_string()),
        ("duration", format!("{} s", recording.duration())),
        ("times", times),
        ("zero", format!("{} ns", options.start.as_nanos())),
        (
            "axes",
            "right-handed, +X right, +Y forward, +Z up".to_owned(),
        ),
        ("unit", "metre".to_owned()),
    ];
    entries.extend(options.source.clone().map(|source| ("source", source)));
    let entries = entries.into_iter();
    entries
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The topics for which something is recorded.
struct Topics {
    transforms: Option<Topic<FrameTransforms>>,
    hands: Option<Topic<SceneUpdate>>,
    joints: [Option<Topic<PointCloud>>; 2],
    gaze: Option<Topic<SceneUpdate>>,
    states: Option<Topic<States>>,
    markers: Option<Topic<Log>>,
}

impl Topics {
    fn of(
        recording: &Recording<'_>,
        sampler: &Sampler,
        has_markers: bool,
        output: &mut Output<impl Write>,
    ) -> Result<Topics, McapError> {
        let has_joints = |side: Side| {
            let recorded = sampler.recorded_joints(side);
            recorded.iter().any(|(_, &is_there)| is_there)
        };
        let has_hands = Side::BOTH.into_iter().any(has_joints);
        let has_poses = has_hands || sampler.has_camera() || sampler.has_gaze();
        let mut joints = |side: Side| {
            let name = format!("/{side}/joints");
            topic(output, &name, has_joints(side))
        };
        Ok(Topics {
            joints: [joints(Side::Left)?, joints(Side::Right)?],
            transforms: topic(output, TRANSFORMS, has_poses)?,
            hands: topic(output, HANDS, has_hands)?,
            gaze: topic(output, GAZE, sampler.has_gaze())?,
            states: topic(output, STATES, recording.hands.is_some())?,
            markers: topic(output, MARKERS, has_markers)?,
        })
    }

    /// Writes a frame that is in [`SPACE`].
    fn frame(
        &mut self,
        frame: &Frame,
        moment: Moment,
        output: &mut Output<impl Write>,
    ) -> Result<(), McapError> {
        let now = moment.timestamp();
        if let Some(topic) = &mut self.transforms {
            let message = transforms::transforms(frame, now);
            // Rerun 0.41 breaks off at one without transforms.
            if !message.transforms.is_empty() {
                output.write(topic, moment, &message)?;
            }
        }
        if let Some(topic) = &mut self.hands {
            output.write(topic, moment, &scene::hands(frame, now))?;
        }
        for side in Side::BOTH {
            if let Some(topic) = &mut self.joints[side as usize] {
                output.write(topic, moment, &points::points(frame, side, now))?;
            }
        }
        if let Some(topic) = &mut self.gaze {
            output.write(topic, moment, &scene::gaze(frame, now))?;
        }
        if let Some(topic) = &mut self.states {
            let (left, right) = (&frame.left, &frame.right);
            let states = States {
                left_tracked: left.tracked,
                left_pinching: left.pinching,
                right_tracked: right.tracked,
                right_pinching: right.pinching,
            };
            output.write(topic, moment, &states)?;
        }
        Ok(())
    }

    fn marker(
        &mut self,
        marker: &Marker<'_>,
        clock: Clock,
        output: &mut Output<impl Write>,
    ) -> Result<(), McapError> {
        let (Some(topic), Some(moment)) = (&mut self.markers, clock.at(marker.time)) else {
            return Ok(());
        };
        let message = Log {
            timestamp: Some(moment.timestamp()),
            level: Level::Info.into(),
            message: marker.name.to_string(),
            name: "marker".to_owned(),
            ..Log::default()
        };
        output.write(topic, moment, &message)
    }
}

fn topic<M: foxglove::Encode>(
    output: &mut Output<impl Write>,
    name: &str,
    is_wanted: bool,
) -> Result<Option<Topic<M>>, McapError> {
    is_wanted.then(|| output.topic(name)).transpose()
}
