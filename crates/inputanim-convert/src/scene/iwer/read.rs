//! Reads a recording, frame by frame.

use std::borrow::Cow;

use std::collections::BTreeSet;
use std::sync::Arc;

use inputanim::{
    DeviceFrame, DeviceName, Element, Frame, HandFrame, InputName, Joint, Joints, Layout, Limits,
    Pose, PoseName, Ray, RecordError, Recorder, Recording, Side, Space, TimeRange,
};
use serde::Deserialize;
use serde_json::value::RawValue;

use super::gamepad::{MAX_AXES, MAX_BUTTONS};
use super::inputs::GamepadInputs;
use super::row::{self, Input, Row};
use super::text::Text;
use super::{AIM, GRIP, JOINT_NAMES, JOINTS};
use crate::shared::limits::check_limit;
use crate::shared::palm::palm;
use crate::shared::pauses::frame_recorder;
use crate::shared::report::counted;
use crate::shared::rigid::{Rigid, is_known};
use crate::shared::{Error, LossKind, NoteKind, ReadOptions, Report};

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
        /// `the joints`, `the grip` or `the buttons`.
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
    let mut report = Report::default();
    let mut text = Text::new(text)?;
    let document = text.document(&mut report)?;
    let sources = sources(document.schema)?;
    let mut reader = Reader {
        has_head: document.inputanim.head,
        has_hand: Side::BOTH.map(|side| sources.iter().any(|source| source.states_hand(side))),
        sources,
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
    Ok(reader.finish(report))
}

#[derive(Deserialize)]
pub(super) struct Document<'a> {
    #[serde(borrow)]
    schema: Vec<(u32, Schema<'a>)>,
    #[serde(default)]
    inputanim: DocumentMark,
    #[serde(borrow)]
    frames: &'a RawValue,
}

/// The member of a file that this library wrote. It states what WebXR needs and the recording does not have.
#[derive(Deserialize, serde::Serialize)]
#[serde(default)]
pub(super) struct DocumentMark {
    /// `false` if the poses of the viewer are not those of a head.
    pub(super) head: bool,
}

impl Default for DocumentMark {
    fn default() -> DocumentMark {
        DocumentMark { head: true }
    }
}

/// The member of an input source of a hand that this library wrote.
#[derive(Deserialize, serde::Serialize)]
pub(super) struct HandMark {
    /// `false` if it is not known whether the hand pinches.
    pub(super) pinches: bool,
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
    #[serde(default)]
    num_axes: u32,
    #[serde(borrow, default)]
    mapping: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    profiles: Vec<Cow<'a, str>>,
    #[serde(borrow, default)]
    joint_sequence: Option<Vec<Cow<'a, str>>>,
    #[serde(borrow, default)]
    inputanim: Option<&'a RawValue>,
}

impl Schema<'_> {
    /// Returns the member of this library; `None` in files of other programs.
    fn mark<T: serde::de::DeserializeOwned>(&self) -> Option<T> {
        serde_json::from_str(self.inputanim?.get()).ok()
    }
}

/// The member of an input source that this library wrote.
#[derive(Deserialize, serde::Serialize)]
pub(super) struct Written {
    /// The profile of the controller.
    pub(super) profile: Option<String>,
    /// The poses that the controller has.
    pub(super) poses: Vec<String>,
    /// The names of the buttons.
    pub(super) buttons: Vec<Option<String>>,
    /// The inputs that the controller has.
    pub(super) inputs: Vec<String>,
}

/// The content of an input source.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Meaning {
    Hand(Side),
    /// A controller or another device in a hand.
    Device(Side),
    Gaze,
    None,
}

struct Source {
    index: u32,
    meaning: Meaning,
    /// `true` for a hand of which it is not known whether it pinches.
    lacks_pinches: bool,
    /// A description for messages.
    what: String,
    parts: row::Parts,
    /// The joints in the order of the file.
    joints: [Joint; JOINTS],
    /// The hand that pinches while the source selects.
    selects: Side,
    /// `true` for a source that exists only while it selects (WebXR Device API, "transient input").
    is_transient: bool,
    /// `true` if the schema names a side.
    has_side: bool,
    controller: Controller,
    /// The number of frames that contain the source.
    frames: usize,
    /// The number of frames in which the source, which is no hand, selects.
    selections: usize,
}

/// The content of a source that is a controller.
#[derive(Default)]
struct Controller {
    profile: Option<Arc<str>>,
    has_aim: bool,
    inputs: GamepadInputs,
    /// The number of buttons that the schema states.
    button_count: usize,
}

impl Controller {
    fn new(schema: &Schema<'_>, side: Side) -> Controller {
        let (button_count, axis_count) = (schema.num_buttons as usize, schema.num_axes as usize);
        let (button_count, axis_count) = if schema.has_gamepad {
            (button_count, axis_count)
        } else {
            (0, 0)
        };
        let mapping = schema.mapping.as_deref();
        let Some(written) = schema.mark::<Written>() else {
            let counts = (button_count, axis_count);
            return Controller {
                profile: schema.profiles.first().map(|profile| Arc::from(&**profile)),
                has_aim: true,
                inputs: GamepadInputs::new(&schema.profiles, mapping, side, counts),
                button_count,
            };
        };
        Controller {
            profile: written.profile.as_deref().map(Arc::from),
            has_aim: written.poses.iter().any(|name| name == AIM),
            inputs: GamepadInputs::written(&written, mapping, (button_count, axis_count)),
            button_count,
        }
    }
}

fn sources(schema: Vec<(u32, Schema<'_>)>) -> Result<Vec<Source>, IwerError> {
    let mut sources: Vec<Source> = Vec::new();
    for (index, schema) in schema {
        let mut sides = Side::BOTH.into_iter();
        let side = sides.find(|side| side.name() == schema.handedness);
        let meaning = match side {
            Some(side) if schema.has_hand => Meaning::Hand(side),
            _ if schema.target_ray_mode == "gaze" => Meaning::Gaze,
            // A source that exists only while it selects has its own ray, and is not a device in a hand.
            Some(side) if schema.has_grip || !is_transient(&schema) => Meaning::Device(side),
            _ => Meaning::None,
        };
        let controller = match meaning {
            Meaning::Device(side) => Controller::new(&schema, side),
            _ => Controller::default(),
        };
        let names = schema.joint_sequence.as_deref();
        let joints = match names.filter(|_| schema.has_hand) {
            Some(names) => joints(names).map_err(|found| IwerError::Joints { index, found })?,
            None => Joint::WEBXR,
        };
        let lacks_pinches = schema.mark().is_some_and(|mark: HandMark| !mark.pinches);
        sources.push(Source {
            index,
            meaning,
            lacks_pinches: schema.has_hand && lacks_pinches,
            what: format!("{} {}", schema.handedness, schema.target_ray_mode),
            parts: row::Parts {
                has_grip: schema.has_grip,
                has_hand: schema.has_hand,
                has_buttons: schema.has_gamepad && schema.num_buttons > 0,
            },
            joints,
            selects: side.unwrap_or(Side::Right),
            is_transient: is_transient(&schema),
            has_side: side.is_some(),
            controller,
            frames: 0,
            selections: 0,
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

fn is_transient(schema: &Schema<'_>) -> bool {
    matches!(&*schema.target_ray_mode, "transient-pointer" | "screen")
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
    /// `false` if the file states that its viewer is no head.
    has_head: bool,
    /// The input sources, sorted by number.
    sources: Vec<Source>,
    /// `true` for each hand of which the file states anything.
    has_hand: [bool; 2],
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
            head: row.pose.known().filter(|_| self.has_head),
            ..Frame::default()
        };
        // The keys are counted as an upper bound: the head, the gaze, and all joints of every hand that is present.
        let mut keys = 2 * POSE;
        let mut has_second = false;
        let mut devices: [Option<DeviceFrame>; 2] = [None, None];
        let mut selects = [false; 2];
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
                Meaning::Device(side) => {
                    let device = &mut devices[side as usize];
                    has_second |= device.is_some();
                    if device.is_none() {
                        let read = source.device(side, &input, frame)?;
                        keys += POSE * 2 + read.inputs.len() as u64;
                        *device = Some(read);
                    }
                }
                Meaning::None => {}
            }
            if source.selects_a_hand() && source.is_selecting(&input, frame)? {
                source.selections += 1;
                selects[source.selects as usize] = true;
            }
        }
        for side in Side::BOTH {
            let hand = read.hand_mut(side);
            hand.pinching |= selects[side as usize];
            hand.unknown = !self.has_hand[side as usize];
            let mut sources = self.sources.iter();
            let is_of_hand = |source: &Source| source.meaning == Meaning::Hand(side);
            hand.pinch_unknown = !hand.pinching
                && sources
                    .clone()
                    .any(|source| is_of_hand(source) && source.lacks_pinches);
            let device = devices[side as usize].take();
            if sources.any(|source| source.meaning == Meaning::Device(side)) {
                let absent = || DeviceFrame::new(DeviceName::controller(side));
                read.devices.push(device.unwrap_or_else(absent));
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

    fn finish(self, mut report: Report) -> (Recording<'static>, Report) {
        let mut recording = self.recorder.finish();
        remove_repeated_values(&self.sources, &mut recording);
        for source in self.sources {
            let unread = source.controller.inputs.unread();
            if unread > 0 && source.frames > 0 {
                let message = format!(
                    "input source {} ({}): {} after the first {MAX_BUTTONS} buttons and {MAX_AXES} axes",
                    source.index,
                    source.what,
                    counted(unread, "button or axis")
                );
                report.lose(LossKind::InputSources, source.frames, message);
            }
            if source.selections > 0 {
                report.note(NoteKind::Controllers, source.selections_note());
            }
            if source.meaning == Meaning::None && source.frames > 0 && !source.is_transient {
                let message = format!(
                    "input source {} ({}) in {}: not a hand, a gaze or a device with a side",
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
        (recording, report)
    }
}

/// Removes the values of buttons that are 1 in all frames in which the button is pressed and 0 in all others, because they are redundant.
fn remove_repeated_values(sources: &[Source], recording: &mut Recording<'_>) {
    for side in Side::BOTH {
        let of_side = |source: &&Source| source.meaning == Meaning::Device(side);
        let inputs = || {
            sources
                .iter()
                .filter(of_side)
                .map(|source| &source.controller.inputs)
        };
        let analog: BTreeSet<InputName> = inputs().flat_map(GamepadInputs::analog_values).collect();
        let values = inputs().flat_map(GamepadInputs::values);
        let repeated: BTreeSet<InputName> = values.filter(|name| !analog.contains(name)).collect();
        let name = DeviceName::controller(side);
        if repeated.is_empty() || recording.device(name).is_none() {
            continue;
        }
        let device = recording.device_mut(name);
        device.inputs.retain(|(input, _)| !repeated.contains(input));
        let always = TimeRange {
            start: f32::NEG_INFINITY,
            end: f32::INFINITY,
        };
        for input in repeated {
            recording
                .known
                .remove_gaps(Element::Input(name, input), always);
        }
    }
}

impl Source {
    /// Returns a function that makes the error of a part of this source, such as `the joints`, in a frame.
    fn wrong(
        &self,
        frame: usize,
        what: &'static str,
    ) -> impl FnOnce(serde_json::Error) -> IwerError {
        let index = self.index;
        move |source| IwerError::Input {
            frame,
            index,
            what,
            source,
        }
    }

    /// Parses the pose of the grip, in WebXR's axes. `frame` is the index of the frame for errors.
    fn grip(&self, input: &Input<'_>, frame: usize) -> Result<Option<Pose>, IwerError> {
        let grip = input.grip(self.parts);
        grip.map_err(self.wrong(frame, "the grip"))
    }

    /// Parses the controller that an input source contains in a frame, in WebXR's axes. `frame` is the index of the frame for
    /// errors.
    fn device(
        &mut self,
        side: Side,
        input: &Input<'_>,
        frame: usize,
    ) -> Result<DeviceFrame, IwerError> {
        let mut device = DeviceFrame::new(DeviceName::controller(side));
        device.active = true;
        device.profile.clone_from(&self.controller.profile);
        let aim = input.ray.known().filter(|_| self.controller.has_aim);
        let poses = [(AIM, aim), (GRIP, self.grip(input, frame)?)];
        for (name, pose) in poses {
            let name = name.parse::<PoseName>().ok();
            device.poses.extend(name.zip(pose));
        }
        if self.parts.has_buttons || self.controller.inputs.has_axes() {
            let states = input.gamepad(self.parts, self.controller.button_count);
            let states = states.map_err(self.wrong(frame, "the buttons"))?;
            device.inputs = self.controller.inputs.all(&states);
        }
        Ok(device)
    }

    /// Returns `true` if the source selects in a frame: its first button is pressed, or it exists only while it selects and
    /// has no buttons. `frame` is the index of the frame for errors.
    fn is_selecting(&self, input: &Input<'_>, frame: usize) -> Result<bool, IwerError> {
        if !self.parts.has_buttons {
            return Ok(self.is_transient);
        }
        let pressed = input.pressed(self.parts);
        pressed.map_err(self.wrong(frame, "the buttons"))
    }

    /// Returns `true` if the hand pinches while the source selects.
    fn selects_a_hand(&self) -> bool {
        match self.meaning {
            Meaning::Hand(_) => false,
            // A controller has a trigger of its own.
            Meaning::Device(_) => self.is_transient,
            Meaning::Gaze | Meaning::None => true,
        }
    }

    /// Returns `true` if the source states anything of a hand: its pinches, or whether it is tracked. A session in which one
    /// hand is tracked states for both hands whether they are.
    fn states_hand(&self, side: Side) -> bool {
        let can_select = self.parts.has_buttons || self.is_transient;
        matches!(self.meaning, Meaning::Hand(_))
            || self.selects_a_hand() && self.selects == side && can_select
    }

    /// Returns the note about selections of the source, which is no hand.
    fn selections_note(&self) -> String {
        let count = counted(self.selections, "frame");
        let assumed = if self.has_side {
            ""
        } else {
            ", because the source has no side"
        };
        format!(
            "input source {} ({}) selects in {count}: pinches of the {} hand{assumed}",
            self.index, self.what, self.selects
        )
    }

    /// Parses the hand that an input source contains in a frame, and returns its joints in world space and WebXR's
    /// axes. Unknown joints are `None`. `frame` is the index of the frame for errors.
    fn hand(&self, input: &Input<'_>, frame: usize) -> Result<HandFrame, IwerError> {
        let numbers = input.joints(self.parts);
        let numbers = numbers.map_err(self.wrong(frame, "the joints"))?;
        let pinching = self.is_selecting(input, frame)?;
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
            pinch_unknown: false,
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
