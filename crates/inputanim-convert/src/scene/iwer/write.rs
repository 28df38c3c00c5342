//! Writes a recording, frame by frame.

use std::io::{self, Write};

use glam::DVec3;
use inputanim::SamplerCursor;
use inputanim::{Frame, Joint, Joints, Pose, Ray, Recording, Sampler, Side, Space};
use serde::Serialize;

use super::ray::target_ray;
use super::{JOINT_NAMES, JOINTS, PER_JOINT, RADII};
use crate::shared::report::counted;
use crate::shared::rigid::{Rigid, facing, is_known};
use crate::shared::sampled;
use crate::shared::{Error, Format, LossKind, Note, NoteKind, Report, WriteOptions};

/// Samples a recording, and writes the frames as an action recording of IWER.
///
/// Every number has the fewest digits that read back as the same 32-bit float.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    mut output: impl Write,
) -> Result<Report, Error> {
    let (sampler, rate) = sampled::sampler(recording, options)?;
    let sources = Sources::of(&sampler);
    write!(output, "{{\"schema\":")?;
    serde_json::to_writer(&mut output, &sources.schema()).map_err(io::Error::from)?;
    write!(output, ",\n\"frames\":[")?;
    let mut missing = [Missing::default(); 2];
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
        for (side, index) in Side::BOTH.into_iter().zip(sources.hands) {
            let hand = in_space.hand(side);
            if !hand.tracked {
                continue;
            }
            match (index, first_unknown(&hand.joints)) {
                (Some(index), None) => {
                    row.hand(index, side, &hand.joints, head.as_ref(), hand.pinching);
                }
                // WebXR has all joints of a hand or none.
                (_, unknown) => missing[side as usize].count(unknown),
            }
        }
        if let (Some(index), Some(ray)) = (sources.gaze, in_space.gaze) {
            row.gaze(index, &ray);
        }
        output.write_all(separator.as_bytes())?;
        output.write_all(row.end())?;
        separator = ",\n";
    }
    writeln!(output, "\n]}}")?;
    let mut report = report(recording, missing, rate);
    for side in Side::BOTH
        .into_iter()
        .filter(|&side| sampler.lacks_pinches(side))
    {
        let message = format!("{side} hand: pinches are unknown, and written as not pinching");
        report.note(NoteKind::Unknown, message);
    }
    Ok(report)
}

fn report(recording: &Recording<'_>, missing: [Missing; 2], rate: f64) -> Report {
    let mut report = Report::default();
    for (side, missing) in Side::BOTH.into_iter().zip(missing) {
        if let Some(joint) = missing.first {
            let message = format!(
                "{side} hand: dropped in {}, because joints such as {joint} are unknown",
                counted(missing.frames, "frame")
            );
            report.lose(LossKind::Joints, missing.frames, message);
        }
    }
    let message = format!("sampled at {rate} Hz; WebXR has no palms");
    report.note(NoteKind::Sampling, message);
    if !recording.markers.is_empty() {
        let note = Note::of_markers(recording.markers.len(), Format::Iwer);
        report.notes.push(note);
    }
    report
}

/// The frames in which a hand is dropped.
#[derive(Clone, Copy, Default)]
struct Missing {
    frames: usize,
    first: Option<Joint>,
}

impl Missing {
    fn count(&mut self, joint: Option<Joint>) {
        self.frames += 1;
        self.first = self.first.or(joint);
    }
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
struct Sources {
    /// `None` for a hand that lacks a joint of WebXR in all frames.
    hands: [Option<u32>; 2],
    gaze: Option<u32>,
}

impl Sources {
    fn of(sampler: &Sampler) -> Sources {
        let has_all = |side: Side| {
            let recorded = sampler.recorded_joints(side);
            Joint::WEBXR.iter().all(|&joint| recorded[joint])
        };
        // Sources that are not written get no number, so the numbers have no gaps.
        let mut numbers = 0..;
        let mut number = |is_there: bool| is_there.then(|| numbers.next()).flatten();
        Sources {
            hands: Side::BOTH.map(|side| number(has_all(side))),
            gaze: number(sampler.has_gaze()),
        }
    }

    fn schema(&self) -> Vec<(u32, Schema)> {
        let hands = Side::BOTH.into_iter().zip(self.hands);
        let hands = hands.filter_map(|(side, index)| Some((index?, Schema::hand(side))));
        let gaze = self.gaze.map(|index| (index, Schema::gaze()));
        hands.chain(gaze).collect()
    }
}

/// The description of an input source for the player.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Schema {
    handedness: &'static str,
    target_ray_mode: &'static str,
    profiles: &'static [&'static str],
    has_grip: bool,
    has_hand: bool,
    has_gamepad: bool,
    #[serde(flatten)]
    parts: Option<HandParts>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct HandParts {
    joint_sequence: [&'static str; JOINTS],
    mapping: &'static str,
    num_buttons: u8,
    num_axes: u8,
}

impl Schema {
    fn hand(side: Side) -> Schema {
        Schema {
            handedness: side.name(),
            target_ray_mode: "tracked-pointer",
            profiles: &["generic-hand", "generic-hand-select", "generic-trigger"],
            has_grip: false,
            has_hand: true,
            has_gamepad: true,
            parts: Some(HandParts {
                joint_sequence: JOINT_NAMES,
                mapping: "xr-standard",
                num_buttons: 1,
                num_axes: 0,
            }),
        }
    }

    fn gaze() -> Schema {
        Schema {
            handedness: "none",
            target_ray_mode: "gaze",
            profiles: &["eye-gaze"],
            has_grip: false,
            has_hand: false,
            has_gamepad: false,
            parts: None,
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
        joints: &Joints<Option<Pose>>,
        head: Option<&Pose>,
        is_pinching: bool,
    ) {
        let Some(ray) = target_ray(side, joints, head) else {
            return;
        };
        // Joints are relative to the rounded ray that is in the file, so that its rounding does not move
        // them.
        let ray = ray.pose();
        let base = Rigid::of(&ray);
        self.source(index, &ray);
        self.0.extend(b",[");
        for (joint, radius) in Joint::WEBXR.into_iter().zip(RADII) {
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
        let on = u8::from(is_pinching);
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
