//! Writes a recording, frame by frame.

use std::borrow::Cow;
use std::io::{self, Write};
use std::sync::Arc;

use glam::DVec3;
use inputanim::{
    Device, DeviceLoss, Element, Frame, HandFrame, InputName, Joint, Joints, Pose, PoseName, Ray,
    Recording, Sampler, SamplerCursor, Side, Space,
};
use serde::Serialize;

use super::gamepad::{Gamepad, XR_STANDARD, is_flipped};
use super::ray::target_ray;
use super::read::{DocumentMark, HandMark, Written};
use super::{AIM, GRIP, JOINT_NAMES, JOINTS, PER_JOINT};
use crate::shared::controller::PINCH_TRIGGER;
use crate::shared::devices::LastValues;
use crate::shared::joint_radii::JointRadii;
use crate::shared::missing_joints::MissingJoints;
use crate::shared::rigid::{Rigid, facing, is_known};
use crate::shared::sampled;
use crate::shared::{Error, Format, Loss, NoteKind, Report, WriteOptions};

/// Samples a recording, and writes the frames as an action recording of IWER.
///
/// Every number has the fewest digits that read back as the same 32-bit float.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    mut output: impl Write,
) -> Result<Report, Error> {
    let (sampler, rate) = sampled::sampler(recording, options)?;
    let mut sources = Sources::of(recording, &sampler);
    write!(output, "{{\"schema\":")?;
    serde_json::to_writer(&mut output, &sources.schema(&sampler)).map_err(io::Error::from)?;
    if !sampler.has_head() {
        // Before the frames, because files may end early.
        let mark = DocumentMark { head: false };
        write!(output, ",\n\"inputanim\":")?;
        serde_json::to_writer(&mut output, &mark).map_err(io::Error::from)?;
    }
    write!(output, ",\n\"frames\":[")?;
    let mut missing = [MissingJoints::default(); 2];
    let mut viewer = Pose::IDENTITY;
    let mut row = Row::default();
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    let mut separator = "\n";
    for time in sampled::times_of_grid_and_changes(recording, &sampler, rate) {
        sampler.read(time, &mut cursor, &mut frame);
        let in_space = Space::OpenXr.frame(frame.clone());
        let head = in_space.head.filter(is_known);
        // WebXR always has a viewer, so an unknown head keeps its last pose.
        viewer = head.unwrap_or(viewer);
        row.begin(milliseconds(time));
        row.pose(&viewer);
        let radii = JointRadii::of(&frame);
        for (side, index) in Side::BOTH.into_iter().zip(sources.hands) {
            let hand = in_space.hand(side);
            if !hand.tracked {
                continue;
            }
            match (index, first_unknown(&hand.joints)) {
                (Some(index), None) => {
                    row.hand(index, side, hand, head.as_ref(), &radii);
                }
                // WebXR has all joints of a hand or none.
                (_, unknown) => missing[side as usize].count(unknown),
            }
        }
        if let (Some(index), Some(ray)) = (sources.gaze, in_space.gaze) {
            row.gaze(index, &ray);
        }
        for controller in &mut sources.controllers {
            controller.write(&in_space, &mut row);
        }
        output.write_all(separator.as_bytes())?;
        output.write_all(row.end())?;
        separator = ",\n";
    }
    writeln!(output, "\n]}}")?;
    let mut report = report(recording, missing, rate);
    for device in &recording.devices {
        let controller = sources
            .controllers
            .iter()
            .find(|one| one.device.name == device.name);
        match controller {
            Some(controller) => controller.report(&mut report),
            // WebXR has no trackers. A tracker without values is lost too: its name.
            None => {
                let loss = DeviceLoss::of(device, |_| false);
                report.losses.push(Loss::of_device(&loss));
            }
        }
    }
    if !sampler.has_head() {
        let message = "the head is not recorded; the viewer of WebXR stands at the origin";
        report.note(NoteKind::Unknown, message);
    }
    for side in Side::BOTH
        .into_iter()
        .filter(|&side| sampler.lacks_pinches(side))
    {
        let message = format!("{side} hand: pinches are unknown, and written as not pinching");
        report.note(NoteKind::Unknown, message);
    }
    Ok(report)
}

fn report(recording: &Recording<'_>, missing: [MissingJoints; 2], rate: f64) -> Report {
    let mut report = Report::default();
    for (side, missing) in Side::BOTH.into_iter().zip(missing) {
        missing.report(side, &mut report);
    }
    let message = format!("sampled at {rate} Hz; WebXR has no palms");
    report.note(NoteKind::Sampling, message);
    report.leave_markers(recording.markers.len(), Format::Iwer);
    report
}

/// Returns the first joint of WebXR whose pose is unknown or not finite, or `None` if all poses are known.
fn first_unknown(joints: &Joints<Option<Pose>>) -> Option<Joint> {
    let is_unknown = |joint: &Joint| joints[*joint].as_ref().is_none_or(|pose| !is_known(pose));
    Joint::WEBXR.into_iter().find(is_unknown)
}

/// Converts seconds to milliseconds. The result has the same decimal digits as the 32-bit float, without digits from
/// rounding.
fn milliseconds(seconds: f32) -> f64 {
    // Moving the decimal point keeps the digits short; a multiplication would add rounding digits.
    let digits = format!("{seconds}e3");
    digits.parse().unwrap_or(f64::from(seconds) * 1000.0)
}

/// The number of each input source that is written.
struct Sources<'r> {
    /// `None` for a hand that lacks a joint of WebXR in all frames.
    hands: [Option<u32>; 2],
    gaze: Option<u32>,
    controllers: Vec<Controller<'r>>,
}

impl<'r> Sources<'r> {
    fn of(recording: &'r Recording<'r>, sampler: &Sampler) -> Sources<'r> {
        let has_all = |side: Side| {
            let recorded = sampler.recorded_joints(side);
            Joint::WEBXR.iter().all(|&joint| recorded[joint])
        };
        // Sources that are not written get no number, so the numbers have no gaps.
        let mut numbers = 0..;
        let mut number = |is_there: bool| is_there.then(|| numbers.next()).flatten();
        let hands = Side::BOTH.map(|side| number(has_all(side)));
        let gaze = number(sampler.has_gaze());
        let mut controllers: Vec<Controller<'_>> = Vec::new();
        for device in &recording.devices {
            controllers.extend(Controller::new(device, &mut numbers));
        }
        Sources {
            hands,
            gaze,
            controllers,
        }
    }

    fn schema(&self, sampler: &Sampler) -> Vec<(u32, Schema)> {
        let hands = Side::BOTH.into_iter().zip(self.hands);
        let hands = hands.filter_map(|(side, index)| {
            Some((index?, Schema::hand(side, !sampler.lacks_pinches(side))))
        });
        let gaze = self.gaze.map(|index| (index, Schema::gaze()));
        let controllers = self.controllers.iter().flat_map(Controller::schema);
        hands.chain(gaze).chain(controllers).collect()
    }
}

/// A controller that is written: an input source for each of its profiles.
struct Controller<'r> {
    device: &'r Device<'r>,
    side: Side,
    has_grip: bool,
    has_aim: bool,
    sources: Vec<ControllerSource>,
    last: LastValues,
}

/// A controller while it has a profile.
struct ControllerSource {
    index: u32,
    profile: Option<Arc<str>>,
    gamepad: Gamepad,
}

/// The names of the poses that are written.
fn pose_name(name: &str) -> Option<PoseName> {
    name.parse().ok()
}

impl<'r> Controller<'r> {
    /// Returns the controller of a hand; `None` for other devices, and for a controller without poses, because WebXR has no input
    /// source without a pose.
    fn new(device: &'r Device<'r>, numbers: &mut impl Iterator<Item = u32>) -> Option<Self> {
        let side = device.name.side()?;
        let has = |name: &str| {
            let pose = pose_name(name).and_then(|name| device.pose(name));
            pose.is_some_and(|pose| !pose.is_empty())
        };
        let (has_aim, has_grip) = (has(AIM), has(GRIP));
        if !has_aim && !has_grip {
            return None;
        }
        let active = device.profiles.iter().filter(|change| change.active);
        let mut profiles: Vec<Option<Arc<str>>> = Vec::new();
        for change in active {
            if !profiles.contains(&change.profile) {
                profiles.push(change.profile.clone());
            }
        }
        if device.profiles.is_empty() {
            profiles.push(None);
        }
        let sources = profiles.into_iter().map_while(|profile| {
            Some(ControllerSource {
                index: numbers.next()?,
                gamepad: Gamepad::of(device, profile.as_deref()),
                profile,
            })
        });
        Some(Controller {
            device,
            side,
            has_grip,
            has_aim,
            sources: sources.collect(),
            last: LastValues::default(),
        })
    }

    fn schema(&self) -> impl Iterator<Item = (u32, Schema)> {
        self.sources.iter().map(|source| {
            let gamepad = &source.gamepad;
            let poses = [(AIM, self.has_aim), (GRIP, self.has_grip)];
            let poses = poses.into_iter().filter(|(_, has)| *has);
            let buttons = gamepad.buttons.iter();
            let written = Written {
                profile: source.profile.as_deref().map(str::to_owned),
                poses: poses.map(|(name, _)| name.to_owned()).collect(),
                buttons: buttons
                    .map(|button| Some(button.as_ref()?.name.clone()))
                    .collect(),
                inputs: gamepad
                    .inputs()
                    .map(|name| name.as_str().to_owned())
                    .collect(),
            };
            let has_gamepad = !gamepad.buttons.is_empty() || !gamepad.axes.is_empty();
            let parts = Parts {
                joint_sequence: None,
                mapping: XR_STANDARD,
                num_buttons: gamepad.buttons.len(),
                num_axes: gamepad.axes.len(),
            };
            let schema = Schema {
                handedness: self.side.name(),
                target_ray_mode: "tracked-pointer",
                profiles: gamepad
                    .profiles(source.profile.as_deref())
                    .into_iter()
                    .map(Cow::Owned)
                    .collect(),
                has_grip: self.has_grip,
                has_hand: false,
                has_gamepad,
                parts: has_gamepad.then_some(parts),
                inputanim: Some(Mark::Controller(written)),
            };
            (source.index, schema)
        })
    }

    /// Writes the controller if it is active in a frame, whose poses are in WebXR's axes.
    fn write(&mut self, frame: &Frame, row: &mut Row) {
        let Some(device) = frame.device(self.device.name) else {
            return self.last.count_absent();
        };
        let of_profile = |source: &&ControllerSource| source.profile == device.profile;
        let Some(source) = self
            .sources
            .iter()
            .find(of_profile)
            .filter(|_| device.active)
        else {
            return;
        };
        let last = &mut self.last;
        let mut pose = |name: &str, has: bool| {
            let name = pose_name(name).filter(|_| has)?;
            let known = device.pose(name).filter(|pose| is_known(pose));
            last.pose(name, known)
        };
        let (aim, grip) = (pose(AIM, self.has_aim), pose(GRIP, self.has_grip));
        // WebXR always has a target ray.
        let ray = aim.or(grip).unwrap_or(Pose::IDENTITY);
        row.source(source.index, &ray);
        if self.has_grip {
            row.0.extend(b",[");
            row.numbers(grip.or(aim).unwrap_or(Pose::IDENTITY));
            row.0.push(b']');
        }
        let gamepad = &source.gamepad;
        if !gamepad.buttons.is_empty() || !gamepad.axes.is_empty() {
            row.0.extend(b",[");
            for button in &gamepad.buttons {
                row.button(button.as_ref().map(|button| {
                    let mut value = |name: Option<InputName>| {
                        name.map(|name| last.input(name, device.input(name)))
                    };
                    let (click, touch) = (value(button.click), value(button.touch));
                    (click, touch, value(button.value))
                }));
            }
            for name in &gamepad.axes {
                let value = name.map_or(0.0, |name| {
                    let value = last.input(name, device.input(name));
                    if is_flipped(name.as_str()) {
                        -value
                    } else {
                        value
                    }
                });
                row.number(value);
                row.0.push(b',');
            }
            row.0.pop();
            row.0.push(b']');
        }
        row.0.push(b']');
    }

    /// Adds the content that WebXR cannot hold to a report.
    fn report(&self, report: &mut Report) {
        let is_written = |input| {
            let mut sources = self.sources.iter();
            sources.all(|source| source.gamepad.inputs().any(|name| name == input))
        };
        let is_held = |element| match element {
            Element::DevicePose(_, pose) => [AIM, GRIP].contains(&pose.as_str()),
            Element::Input(_, input) => is_written(input),
            _ => true,
        };
        report.lose_device(&DeviceLoss::of(self.device, is_held));
        self.last.report(self.device, report);
    }
}

/// The description of an input source for the player.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Schema {
    handedness: &'static str,
    target_ray_mode: &'static str,
    profiles: Vec<Cow<'static, str>>,
    has_grip: bool,
    has_hand: bool,
    has_gamepad: bool,
    #[serde(flatten)]
    parts: Option<Parts>,
    #[serde(skip_serializing_if = "Option::is_none")]
    inputanim: Option<Mark>,
}

/// The member of an input source for our reader.
#[derive(Serialize)]
#[serde(untagged)]
enum Mark {
    Controller(Written),
    Hand(HandMark),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Parts {
    #[serde(skip_serializing_if = "Option::is_none")]
    joint_sequence: Option<[&'static str; JOINTS]>,
    mapping: &'static str,
    num_buttons: usize,
    num_axes: usize,
}

impl Schema {
    fn hand(side: Side, has_pinches: bool) -> Schema {
        Schema {
            handedness: side.name(),
            target_ray_mode: "tracked-pointer",
            profiles: ["generic-hand", "generic-hand-select", "generic-trigger"]
                .map(Cow::Borrowed)
                .to_vec(),
            has_grip: false,
            has_hand: true,
            has_gamepad: true,
            parts: Some(Parts {
                joint_sequence: Some(JOINT_NAMES),
                mapping: XR_STANDARD,
                num_buttons: 1,
                num_axes: 0,
            }),
            inputanim: (!has_pinches).then_some(Mark::Hand(HandMark { pinches: false })),
        }
    }

    fn gaze() -> Schema {
        Schema {
            handedness: "none",
            target_ray_mode: "gaze",
            profiles: vec![Cow::Borrowed("eye-gaze")],
            has_grip: false,
            has_hand: false,
            has_gamepad: false,
            parts: None,
            inputanim: None,
        }
    }
}

/// The text of one frame.
#[derive(Default)]
struct Row(Vec<u8>);

impl Row {
    fn begin(&mut self, milliseconds: f64) {
        self.0.clear();
        self.0.push(b'[');
        self.json(&milliseconds);
    }

    fn end(&mut self) -> &[u8] {
        self.0.push(b']');
        &self.0
    }

    fn hand(
        &mut self,
        index: u32,
        side: Side,
        hand: &HandFrame,
        head: Option<&Pose>,
        radii: &JointRadii,
    ) {
        let joints = &hand.joints;
        let Some(ray) = target_ray(side, joints, head) else {
            return;
        };
        // Joints are relative to the rounded ray that is in the file, so that its rounding does not move
        // them.
        let ray = ray.pose();
        let base = Rigid::of(&ray);
        self.source(index, &ray);
        self.0.extend(b",[");
        for joint in Joint::WEBXR {
            let radius = radii.radius(side, joint);
            let pose = joints[joint].unwrap_or(Pose::IDENTITY);
            let pose = Rigid::of(&pose).relative_to(&base).pose();
            let [x, y, z] = pose.position;
            let [qx, qy, qz, qw] = pose.rotation;
            let numbers: [f32; PER_JOINT] = [x, y, z, qx, qy, qz, qw, radius];
            for number in numbers {
                self.number(number);
                self.0.push(b',');
            }
        }
        self.0.pop();
        let on = u8::from(hand.pinching);
        self.0.extend(format!("],[[{on},{on},{on}]]]").as_bytes());
    }

    fn gaze(&mut self, index: u32, ray: &Ray) {
        let origin = DVec3::from_array(ray.origin.map(f64::from));
        let direction = DVec3::from_array(ray.direction.map(f64::from));
        let Some(direction) = direction.try_normalize().filter(|_| origin.is_finite()) else {
            return;
        };
        let ray = Rigid {
            position: origin,
            rotation: facing(direction),
        };
        self.source(index, &ray.pose());
        self.0.push(b']');
    }

    /// Appends the start of the JSON array of an input source: its number in the schema and the pose of its target ray.
    /// The caller appends the rest, with the closing bracket.
    fn source(&mut self, index: u32, ray: &Pose) {
        self.0.extend(b",[");
        self.json(&index);
        self.pose(ray);
    }

    fn pose(&mut self, pose: &Pose) {
        for number in pose.position.iter().chain(&pose.rotation) {
            self.0.push(b',');
            self.number(*number);
        }
    }

    /// Appends the numbers of a pose, without a comma before them.
    fn numbers(&mut self, pose: Pose) {
        let start = self.0.len();
        self.pose(&pose);
        self.0.remove(start);
    }

    /// Appends a button, with a comma after it: whether it is pressed and touched, and its value. `None` is an index without a button,
    /// for which WebXR has a button that is never pressed.
    fn button(&mut self, states: Option<(Option<f32>, Option<f32>, Option<f32>)>) {
        let (click, touch, value) = states.unwrap_or_default();
        let is_pressed = click.or(value).is_some_and(|value| value >= PINCH_TRIGGER);
        let value = value.unwrap_or(f32::from(u8::from(is_pressed)));
        // A button that is pressed is touched (WebXR Gamepads Module).
        let is_touched = touch.map_or(is_pressed || value > 0.0, |touch| touch > 0.5);
        self.0.push(b'[');
        for state in [is_pressed, is_touched] {
            self.0.extend([b'0' + u8::from(state), b',']);
        }
        self.number(value);
        self.0.extend(b"],");
    }

    /// Appends a number. −0, which comes from the change of axes, becomes 0.
    fn number(&mut self, number: f32) {
        self.json(&(number + 0.0));
    }

    /// Appends a value as JSON. Writing into memory does not fail.
    fn json(&mut self, value: &impl Serialize) {
        serde_json::to_writer(&mut self.0, value).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_have_the_digits_of_the_seconds() {
        assert_eq!(milliseconds(1.0 / 30.0).to_string(), "33.333335");
        assert_eq!(milliseconds(0.0), 0.0);
        for step in 0..100_000 {
            let time = (f64::from(step) / 60.0) as f32;
            assert_eq!((milliseconds(time) / 1000.0) as f32, time);
        }
    }
}
