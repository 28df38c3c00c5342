//! A recording in, frame by frame.

use std::borrow::Cow;

use inputanim::{
    Frame, HandFrame, Joint, Joints, Layout, Limits, Pose, Ray, RecordError, Recorder, Recording,
    Side, Space,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::palm::palm;
use super::row::{self, Input, Row};
use super::{JOINT_NAMES, JOINTS, Loss};
use crate::rigid::{Rigid, is_known};

/// Text that is not an action recording of which a recording can be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The text is not JSON, or `schema` or `frames` is missing or of the wrong type.
    #[error("not an action recording of IWER")]
    Json(#[from] serde_json::Error),
    /// There is no frame, which the player refuses too.
    #[error("\"frames\" is empty: expected at least one")]
    Empty,
    /// An input source of the schema has other joints than WebXR has.
    #[error("input source {index}: expected the 25 joints of WebXR in \"jointSequence\", {found}")]
    Joints {
        /// Its number in the schema.
        index: u32,
        /// What was found instead.
        found: String,
    },
    /// Two input sources have one number.
    #[error("input source {index} is in the schema twice")]
    Twice {
        /// The number.
        index: u32,
    },
    /// A frame is not an array of a time, seven numbers and input sources.
    #[error("frame {frame} cannot be read (places counted within the frame)")]
    Frame {
        /// Counted from 0.
        frame: usize,
        /// Where and why.
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
    #[error("frame {frame}, input source {index}: {what} cannot be read (places counted within)")]
    Input {
        /// Counted from 0.
        frame: usize,
        /// The number of the input source.
        index: u32,
        /// `the joints` or `the buttons`.
        what: &'static str,
        /// Where and why.
        source: serde_json::Error,
    },
    /// Poses that cannot be recorded, such as positions that no 32-bit float can hold.
    #[error("frame {frame} cannot be recorded")]
    Record {
        /// Counted from 0.
        frame: usize,
        /// Why.
        source: RecordError,
    },
    /// There is more than the limits allow.
    #[error("expected at most {limit} {things} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// What it bounds.
        things: &'static str,
    },
}

/// Reads a recording, for the layout `mrtk-1.1`, within the default [`Limits`], and says what did
/// not come through.
///
/// - Every frame becomes a key of each of its poses; the first is at 0. Rotations get length 1.
/// - A hand is tracked in the frames that it is in, and pinches where its button 0 is pressed.
/// - The palm, which WebXR does not have, is put half way from the middle finger's metacarpal to its
///   knuckle, as OpenXR defines it, and turned as the wrist, as in recordings of MRTK's devices.
/// - An input source whose `targetRayMode` is `gaze` becomes the gaze.
/// - A pose with `null` in it, as JSON has NaN, is not known in that frame.
/// - Grips, radii, other buttons and axes, which MRTK does not record, are passed over.
///
/// # Errors
/// When the text is no action recording; the error says in which frame.
///
/// ```
/// use inputanim_convert::iwer;
/// let text = br#"{"schema": [], "frames": [[0, 0, 1.6, -0.5, 0, 0, 0, 1]]}"#;
/// let (take, losses) = iwer::read(text)?;
/// assert_eq!(take.camera.unwrap().position[2].keys.point(0), Some((0.0, 0.5)));
/// assert_eq!(losses, []);
/// # Ok::<(), iwer::Error>(())
/// ```
pub fn read(text: &[u8]) -> Result<(Recording<'static>, Vec<Loss>), Error> {
    read_with(text, &Limits::default())
}

/// Reads a recording within `limits`; [`Limits::max_bytes`] bounds the text.
///
/// # Errors
/// As [`read`], and when a limit is passed.
pub fn read_with(text: &[u8], limits: &Limits) -> Result<(Recording<'static>, Vec<Loss>), Error> {
    if text.len() as u64 > limits.max_bytes {
        return Err(Error::Limit {
            limit: limits.max_bytes,
            things: "bytes",
        });
    }
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let document: Document<'_> = serde_json::from_slice(text)?;
    let mut reader = Reader {
        sources: sources(document.schema)?,
        recorder: Recorder::new(Layout::Mrtk1_1),
        start: None,
        last: f32::NEG_INFINITY,
        keys_left: limits.max_keys,
        limits,
        frames: 0,
        late: 0,
        second: 0,
    };
    row::each(document.frames.get(), |text| reader.frame(text))?;
    if reader.frames == 0 {
        return Err(Error::Empty);
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

/// What counts of an input source; the player takes what is not there for `false`, too.
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

/// What becomes of an input source.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Hand(Side),
    Gaze,
    None,
}

struct Source {
    index: u32,
    meaning: Meaning,
    /// For people.
    what: String,
    parts: row::Parts,
    /// In the order of the file.
    joints: [Joint; JOINTS],
    /// Frames that it was in.
    frames: usize,
}

fn sources(schema: Vec<(u32, Schema<'_>)>) -> Result<Vec<Source>, Error> {
    let mut sources: Vec<Source> = Vec::new();
    for (index, schema) in schema {
        let mut sides = Side::BOTH.into_iter();
        let side = sides.find(|side| side.name() == schema.handedness);
        let meaning = match side {
            Some(side) if schema.has_hand => Meaning::Hand(side),
            _ if schema.target_ray_mode == "gaze" => Meaning::Gaze,
            _ => Meaning::None,
        };
        let names = schema.joint_sequence.as_deref();
        let joints = match names.filter(|_| schema.has_hand) {
            Some(names) => joints(names).map_err(|found| Error::Joints { index, found })?,
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
    sources.sort_by_key(|source| source.index);
    let twice = sources
        .windows(2)
        .find(|pair| pair[0].index == pair[1].index);
    match twice {
        Some(pair) => Err(Error::Twice {
            index: pair[0].index,
        }),
        None => Ok(sources),
    }
}

/// The joints of a sequence of names, each there once; else what is wrong with them.
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
    /// By number.
    sources: Vec<Source>,
    recorder: Recorder,
    /// The time of the first frame, in milliseconds.
    start: Option<f64>,
    /// The last frame's, in seconds.
    last: f32,
    keys_left: u64,
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
        let row: Row<'_> =
            serde_json::from_str(text.get()).map_err(|source| Error::Frame { frame, source })?;
        let start = *self.start.get_or_insert(row.time);
        let time = ((row.time - start) / 1000.0) as f32;
        if time <= self.last {
            self.late += 1;
            return Ok(());
        }
        let mut read = Frame {
            time,
            camera: row.pose.known(),
            ..Frame::default()
        };
        let mut keys = 2 * POSE;
        let mut has_second = false;
        for input in row.inputs {
            let (index, unknown) = (
                input.index,
                Error::Source {
                    frame,
                    index: input.index,
                },
            );
            let place = self
                .sources
                .binary_search_by_key(&index, |source| source.index);
            let Some(source) = place.ok().and_then(|place| self.sources.get_mut(place)) else {
                return Err(unknown);
            };
            source.frames += 1;
            match source.meaning {
                Meaning::Hand(side) => {
                    let hand = read.hand_mut(side);
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
        let Some(left) = self.keys_left.checked_sub(keys) else {
            return Err(Error::Limit {
                limit: self.limits.max_keys,
                things: "keys",
            });
        };
        self.keys_left = left;
        let refused = |source| Error::Record { frame, source };
        self.recorder
            .push(&Space::OpenXr.frame(read))
            .map_err(refused)?;
        self.last = time;
        Ok(())
    }

    fn finish(self) -> (Recording<'static>, Vec<Loss>) {
        let mut losses = Vec::new();
        for source in self.sources {
            if source.meaning == Meaning::None && source.frames > 0 {
                losses.push(Loss::Source {
                    index: source.index,
                    what: source.what,
                    frames: source.frames,
                });
            }
        }
        if self.second > 0 {
            losses.push(Loss::Second {
                frames: self.second,
            });
        }
        if self.late > 0 {
            losses.push(Loss::Frames { frames: self.late });
        }
        (self.recorder.finish(), losses)
    }
}

impl Source {
    /// The hand of a frame, in WebXR's axes.
    fn hand(&self, input: &Input<'_>, frame: usize) -> Result<HandFrame, Error> {
        let wrong = |what: &'static str| {
            let index = self.index;
            move |source| Error::Input {
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
