//! Reads a recording, frame by frame.

use std::borrow::Cow;

use inputanim::{
    Frame, HandFrame, Joint, Joints, Layout, Limits, Pose, Ray, RecordError, Recorder, Recording,
    Side, Space,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::row::{self, Input, Row};
use super::{JOINT_NAMES, JOINTS};
use crate::shared::limits::check_limit;
use crate::shared::palm::palm;
use crate::shared::pauses::frame_recorder;
use crate::shared::report::counted;
use crate::shared::rigid::{Rigid, is_known};
use crate::shared::{Error, LossKind, ReadOptions, Report};

/// Text that cannot be read as an action recording.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IwerError {
    /// The text is not JSON, or `schema` or `frames` is missing or of the wrong type.
    #[error("not an action recording of IWER")]
    Json(#[from] serde_json::Error),
    /// The list of frames is empty. The player refuses such a recording too.
    #[error("\"frames\" is empty: expected at least one")]
    Empty,
    /// The joints of an input source are not the joints of WebXR.
    #[error("input source {index}: expected the 25 joints of WebXR in \"jointSequence\", {found}")]
    Joints {
        /// Its number in the schema.
        index: u32,
        /// The names or number that were found.
        found: String,
    },
    /// Two input sources have the same number.
    #[error("duplicate input source {index} in the schema")]
    Twice {
        /// The number.
        index: u32,
    },
    /// A frame is not an array that consists of a time, seven numbers and input sources.
    #[error("frame {frame} cannot be read (line and column are within the frame)")]
    Frame {
        /// Counted from 0.
        frame: usize,
        /// The place and cause.
        source: serde_json::Error,
    },
    /// A frame has an input source that the schema does not know.
    #[error("frame {frame} has an input source {index}, which is not in the schema")]
    Source {
        /// Counted from 0.
        frame: usize,
        /// The number.
        index: u32,
    },
    /// The joints or buttons of an input source are not as the schema says.
    #[error(
        "frame {frame}, input source {index}: {what} cannot be read (line and column are within this value)"
    )]
    Input {
        /// Counted from 0.
        frame: usize,
        /// The number of the input source.
        index: u32,
        /// `the joints` or `the buttons`.
        what: &'static str,
        /// The place and cause.
        source: serde_json::Error,
    },
    /// Poses that cannot be recorded, such as positions that no 32-bit float can hold.
    #[error("frame {frame} cannot be recorded")]
    Record {
        /// Counted from 0.
        frame: usize,
        /// The cause.
        source: RecordError,
    },
}

impl crate::shared::error::OfFormat for IwerError {}

/// Reads an action recording of IWER as a recording in the layout `mrtk-1.1`.
pub(crate) fn read(
    text: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    check_limit(text.len() as u64, limits.max_bytes, "bytes")?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let document: Document<'_> = serde_json::from_slice(text).map_err(IwerError::Json)?;
    let mut reader = Reader {
        sources: sources(document.schema)?,
        recorder: frame_recorder(Layout::Mrtk1_1, options),
        start: None,
        last: f32::NEG_INFINITY,
        keys: 0,
        limits,
        frames: 0,
        late: 0,
        second: 0,
    };
    row::each(document.frames.get(), |text| reader.frame(text))?;
    if reader.frames == 0 {
        return Err(IwerError::Empty.into());
    }
    Ok(reader.finish())
}

#[derive(Deserialize)]
struct Document<'a> {
    #[serde(borrow)]
    schema: Vec<(u32, Schema<'a>)>,
    #[serde(borrow)]
    frames: &'a RawValue,
}

/// The members of an input source that are used. The player treats missing ones as `false` too.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Schema<'a> {
    #[serde(borrow, default)]
    handedness: Cow<'a, str>,
    #[serde(borrow, default)]
    target_ray_mode: Cow<'a, str>,
    #[serde(default)]
    has_grip: bool,
    #[serde(default)]
    has_hand: bool,
    #[serde(default)]
    has_gamepad: bool,
    #[serde(default)]
    num_buttons: u32,
    #[serde(borrow, default)]
    joint_sequence: Option<Vec<Cow<'a, str>>>,
}

/// The content of an input source.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Hand(Side),
    Gaze,
    None,
}

struct Source {
    index: u32,
    meaning: Meaning,
    /// A description for messages.
    what: String,
    parts: row::Parts,
    /// The joints in the order of the file.
    joints: [Joint; JOINTS],
    /// The number of frames that contain the source.
    frames: usize,
}

fn sources(schema: Vec<(u32, Schema<'_>)>) -> Result<Vec<Source>, IwerError> {
    let mut sources: Vec<Source> = Vec::new();
    for (index, schema) in schema {
        let mut sides = Side::BOTH.into_iter();
        let side = sides.find(|side| side.name() == schema.handedness);
        let meaning = match side {
            // A source with a side but without a hand is a controller, which MRTK does not record.
            Some(side) if schema.has_hand => Meaning::Hand(side),
            _ if schema.target_ray_mode == "gaze" => Meaning::Gaze,
            _ => Meaning::None,
        };
        let names = schema.joint_sequence.as_deref();
        let joints = match names.filter(|_| schema.has_hand) {
            Some(names) => joints(names).map_err(|found| IwerError::Joints { index, found })?,
            None => Joint::WEBXR,
        };
        sources.push(Source {
            index,
            meaning,
            what: format!("{} {}", schema.handedness, schema.target_ray_mode),
            parts: row::Parts {
                has_grip: schema.has_grip,
                has_hand: schema.has_hand,
                has_buttons: schema.has_gamepad && schema.num_buttons > 0,
            },
            joints,
            frames: 0,
        });
    }
    // Sources are searched in every frame, so they are sorted for a binary search.
    sources.sort_by_key(|source| source.index);
    let twice = sources
        .windows(2)
        .find(|pair| pair[0].index == pair[1].index);
    match twice {
        Some(pair) => Err(IwerError::Twice {
            index: pair[0].index,
        }),
        None => Ok(sources),
    }
}

/// Returns the joints with these names of WebXR, in the same order. Unless each of the 25 joints occurs once, fails
/// with a description of what was found.
fn joints(names: &[Cow<'_, str>]) -> Result<[Joint; JOINTS], String> {
    let mut joints = [Joint::None; JOINTS];
    if names.len() != JOINTS {
        return Err(format!("found {}", names.len()));
    }
    for (slot, name) in names.iter().enumerate() {
        let known = JOINT_NAMES.iter().position(|known| known == name);
        let found = || format!("found {:?}", name.chars().take(40).collect::<String>());
        let joint = known.map(|known| Joint::WEBXR[known]).ok_or_else(found)?;
        if joints.contains(&joint) {
            return Err(format!("found {name:?} twice"));
        }
        joints[slot] = joint;
    }
    Ok(joints)
}

struct Reader<'l> {
    /// The input sources, sorted by number.
    sources: Vec<Source>,
    recorder: Recorder,
    /// The time of the first frame, in milliseconds.
    start: Option<f64>,
    /// The time of the last frame, in seconds.
    last: f32,
    keys: u64,
    limits: &'l Limits,
    frames: usize,
    late: usize,
    second: usize,
}

/// Keys of a pose.
const POSE: u64 = 7;

impl Reader<'_> {
    fn frame(&mut self, text: &RawValue) -> Result<(), Error> {
        let frame = self.frames;
        self.frames += 1;
        let row: Row<'_> = serde_json::from_str(text.get())
            .map_err(|source| IwerError::Frame { frame, source })?;
        let start = *self.start.get_or_insert(row.time);
        // Recorded times may begin anywhere. The difference is taken in double precision, because large
        // times have few digits left as 32-bit floats.
        let time = ((row.time - start) / 1000.0) as f32;
        // The times of keys have to increase.
        if time <= self.last {
            self.late += 1;
            return Ok(());
        }
        let mut read = Frame {
            time,
            head: row.pose.known(),
            ..Frame::default()
        };
        // The keys are counted as an upper bound: the head, the gaze, and all joints of every hand that is present.
        let mut keys = 2 * POSE;
        let mut has_second = false;
        for input in row.inputs {
            let (index, unknown) = (
                input.index,
                IwerError::Source {
                    frame,
                    index: input.index,
                },
            );
            let place = self
                .sources
                .binary_search_by_key(&index, |source| source.index);
            let Some(source) = place.ok().and_then(|place| self.sources.get_mut(place)) else {
                return Err(unknown.into());
            };
            source.frames += 1;
            match source.meaning {
                Meaning::Hand(side) => {
                    let hand = read.hand_mut(side);
                    // If two sources contain the same hand, the first one counts, and the frame is reported.
                    has_second |= hand.tracked;
                    if !hand.tracked {
                        *hand = source.hand(&input, frame)?;
                        keys += POSE * Joint::ALL.len() as u64;
                    }
                }
                Meaning::Gaze => {
                    has_second |= read.gaze.is_some();
                    read.gaze = read.gaze.or(input.ray.known().map(gaze));
                }
                Meaning::None => {}
            }
        }
        self.second += usize::from(has_second);
        self.keys += keys;
        check_limit(self.keys, self.limits.max_keys, "keys")?;
        let refused = |source| IwerError::Record { frame, source };
        self.recorder
            .push(&Space::OpenXr.frame(read))
            .map_err(refused)?;
        self.last = time;
        Ok(())
    }

    fn finish(self) -> (Recording<'static>, Report) {
        let mut report = Report::default();
        for source in self.sources {
            if source.meaning == Meaning::None && source.frames > 0 {
                let message = format!(
                    "input source {} ({}) in {}: not a hand or gaze",
                    source.index,
                    source.what,
                    counted(source.frames, "frame")
                );
                report.lose(LossKind::InputSources, source.frames, message);
            }
        }
        let frames = counted(self.second, "frame");
        let message = format!("second input source of the same hand in {frames}");
        report.lose(LossKind::InputSources, self.second, message);
        let frames = counted(self.late, "frame");
        let message = format!("{frames} not later than the previous frame");
        report.lose(LossKind::Order, self.late, message);
        (self.recorder.finish(), report)
    }
}

impl Source {
    /// Parses the hand that an input source contains in a frame, and returns its joints in world space and WebXR's
    /// axes. Unknown joints are `None`. `frame` is the index of the frame for errors.
    fn hand(&self, input: &Input<'_>, frame: usize) -> Result<HandFrame, IwerError> {
        let wrong = |what: &'static str| {
            let index = self.index;
            move |source| IwerError::Input {
                frame,
                index,
                what,
                source,
            }
        };
        let numbers = input.joints(self.parts).map_err(wrong("the joints"))?;
        let pinching = input.pressed(self.parts).map_err(wrong("the buttons"))?;
        let mut joints = Joints::default();
        if let Some(ray) = input.ray.known() {
            let ray = Rigid::of(&ray);
            for (joint, pose) in self.joints.into_iter().zip(numbers) {
                joints[joint] = pose
                    .known()
                    .map(|pose| Rigid::of(&pose).on(&ray).pose())
                    .filter(is_known);
            }
        }
        joints[Joint::Palm] = palm(&joints);
        Ok(HandFrame {
            tracked: true,
            pinching,
            unknown: false,
            joints,
        })
    }
}

fn gaze(pose: Pose) -> Ray {
    let rotation = Rigid::of(&pose).rotation;
    Ray {
        origin: pose.position,
        direction: (rotation * glam::DVec3::NEG_Z).as_vec3().to_array(),
    }
}
