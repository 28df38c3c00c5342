//! A recording out, frame by frame.

use std::io::{self, Write};

use glam::DVec3;
use inputanim::sampler::Cursor;
use inputanim::{Frame, Joint, Joints, Pose, Ray, Recording, Sampler, Side, Space};
use serde::Serialize;

use super::ray::target_ray;
use super::{JOINT_NAMES, JOINTS, Loss, PER_JOINT, RADII};
use crate::rigid::{Rigid, facing, is_known};
use crate::sampled::{self, SampleError};

/// How a recording is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// Frames a second.
    pub rate: f64,
}

impl Default for Options {
    /// 60 frames a second.
    fn default() -> Options {
        Options { rate: 60.0 }
    }
}

/// Why a recording is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Writes a recording, and says what did not come through. Every number has the fewest digits that
/// read back as the same 32-bit float.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When a curve cannot be played, when there would be too many frames, or when `output` fails.
///
/// ```
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::iwer;
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(0.0, &Pose::at([0.0, 1.6, 0.5]));
/// let mut text = Vec::new();
/// assert_eq!(iwer::write(&take, &iwer::Options::default(), &mut text)?, []);
/// assert_eq!(text, br#"{"schema":[],
/// "frames":[
/// [0.0,0.0,1.6,-0.5,0.0,0.0,0.0,1.0]
/// ]}
/// "#);
/// # Ok::<(), iwer::WriteError>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    mut output: impl Write,
) -> Result<Vec<Loss>, WriteError> {
    let sampler = sampled::sampler(recording, options.rate)?;
    let sources = Sources::of(&sampler);
    write!(output, "{{\"schema\":")?;
    serde_json::to_writer(&mut output, &sources.schema()).map_err(io::Error::from)?;
    write!(output, ",\n\"frames\":[")?;
    let mut missing = [Missing::default(); 2];
    let mut viewer = Pose::IDENTITY;
    let mut row = Row::default();
    let mut cursor = Cursor::default();
    let mut frame = Frame::default();
    let mut separator = "\n";
    for time in sampled::times_of_grid_and_changes(recording, &sampler, options.rate) {
        sampler.read(time, &mut cursor, &mut frame);
        let in_space = Space::OpenXr.frame(frame.clone());
        let head = in_space.camera.filter(is_known);
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
    Ok(losses(recording, missing))
}

fn losses(recording: &Recording<'_>, missing: [Missing; 2]) -> Vec<Loss> {
    let mut losses = Vec::new();
    for (side, missing) in Side::BOTH.into_iter().zip(missing) {
        if let Some(joint) = missing.first {
            losses.push(Loss::Hand {
                side,
                frames: missing.frames,
                joint,
            });
        }
    }
    let markers = recording.markers.len();
    if markers > 0 {
        losses.push(Loss::Markers { markers });
    }
    losses
}

/// Frames of a hand that are left out.
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

/// A joint of WebXR that has no place or direction.
fn first_unknown(joints: &Joints<Option<Pose>>) -> Option<Joint> {
    let is_unknown = |joint: &Joint| joints[*joint].as_ref().is_none_or(|pose| !is_known(pose));
    Joint::WEBXR.into_iter().find(is_unknown)
}

/// A thousand times as much, with the digits of a 32-bit float.
fn milliseconds(seconds: f32) -> f64 {
    let digits = format!("{seconds}e3");
    digits.parse().unwrap_or(f64::from(seconds) * 1000.0)
}

/// Which input sources there are, by their numbers.
struct Sources {
    /// Of a hand that is never whole there is none.
    hands: [Option<u32>; 2],
    gaze: Option<u32>,
}

impl Sources {
    fn of(sampler: &Sampler) -> Sources {
        let has_all = |side: Side| {
            let recorded = sampler.recorded_joints(side);
            Joint::WEBXR.iter().all(|&joint| recorded[joint])
        };
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

/// What the player is told of an input source.
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

/// The text of a frame.
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
        // As it will be read.
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

    /// All that every input source has.
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

    /// −0, which the change of axes makes, as 0.
    fn number(&mut self, number: f32) {
        self.json(&(number + 0.0));
    }

    /// Into memory, which does not fail.
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
