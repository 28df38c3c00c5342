//! Writes a recording, frame by frame.

use std::io::Write;

use inputanim::{Frame, HandFrame, Joint, Pose, Recording, SamplerCursor, Side};

use super::{
    FINGERS, JOINTS, PER_FINGER, frame_flag, gesture_flag, hand_flag, head_state, joints, step_flag,
};
use crate::shared::missing_joints::MissingJoints;
use crate::shared::rigid::is_known;
use crate::shared::sampled;
use crate::shared::{Error, Format, NoteKind, Report, Sampling, WriteOptions};

/// The version that is written.
const VERSION: i32 = 2;

/// The flags of a capture: it has gestures, and they have pinch values.
const HAS_GESTURES: i32 = 1 << 0;
const HAS_PINCH_VALUES: i32 = 1 << 6;

/// The shape that a finger does not have.
const NO_SHAPE: f32 = -1.0;

/// The results of a step: the root and the joints of the left hand were updated. The next two bits are those of the right hand.
const UPDATED: i32 = 0b11;

/// Samples a recording, and writes the frames as a capture of hands by Unity.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    mut output: impl Write,
) -> Result<Report, Error> {
    let (sampler, times) = sampled::sampler_and_times(recording, options)?;
    let count = i32::try_from(times.len()).map_err(|_| Error::Limit {
        limit: i32::MAX as u64,
        unit: "frames",
    })?;
    let has_pinches = Side::BOTH.map(|side| {
        let is_recorded = sampler.recorded_joints(side).iter().any(|(_, is)| *is);
        is_recorded && !sampler.lacks_pinches(side)
    });
    let duration = times.last().copied().unwrap_or_default();
    output.write_all(&header(&options.clip_name, duration, has_pinches, count))?;
    let mut missing = [MissingJoints::default(); 2];
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    let mut bytes = Vec::new();
    for time in times {
        sampler.read(time, &mut cursor, &mut frame);
        bytes.clear();
        push_frame(&mut bytes, &frame, has_pinches, &mut missing);
        output.write_all(&bytes)?;
    }
    let mut report = Report::default();
    for (side, missing) in Side::BOTH.into_iter().zip(missing) {
        missing.report(side, &mut report);
    }
    let message = match options.sampling {
        Sampling::Rate(rate) => format!("sampled at {rate} Hz"),
        Sampling::Keys => "sampled at the times of keys".to_owned(),
    };
    report.note(NoteKind::Sampling, message);
    let message = "Unity plays the poses relative to its XR origin";
    report.note(NoteKind::Axes, message);
    if sampler.has_gaze() {
        let message = "the gaze is not representable in .handsbin";
        report.note(NoteKind::NotInFormat, message);
    }
    report.leave_markers(recording.markers.len(), Format::HandsBin);
    Ok(report)
}

fn header(name: &str, duration: f32, has_pinches: [bool; 2], count: i32) -> Vec<u8> {
    let mut bytes = Vec::new();
    let flags = if has_pinches == [false; 2] {
        0
    } else {
        HAS_GESTURES | HAS_PINCH_VALUES
    };
    // No option: only the step "dynamic" is captured.
    for number in [VERSION, flags, 0] {
        push_integer(&mut bytes, number);
    }
    push_text(&mut bytes, name);
    push_float(&mut bytes, duration);
    push_integer(&mut bytes, JOINTS as i32);
    // A bit for each joint, from the highest bit on. The bits of the last byte are at its lower end.
    for first in (0..JOINTS).step_by(8) {
        let joints = (JOINTS - first).min(8);
        bytes.push(0xff >> (8 - joints));
    }
    // The layout of hand meshes is unknown.
    push_integer(&mut bytes, 0);
    for _ in 0..FINGERS * PER_FINGER {
        push_float(&mut bytes, NO_SHAPE);
    }
    push_integer(&mut bytes, count);
    bytes
}

/// Appends a frame, and counts the tracked hands whose joints are not all known.
fn push_frame(
    bytes: &mut Vec<u8>,
    frame: &Frame,
    has_pinches: [bool; 2],
    missing: &mut [MissingJoints; 2],
) {
    let poses = Side::BOTH.map(|side| {
        let hand = frame.hand(side);
        if !hand.tracked {
            return None;
        }
        let poses = poses(hand);
        if let Err(joint) = poses {
            missing[side as usize].count(Some(joint));
        }
        poses.ok()
    });
    let mut flags = 0;
    let mut results = 0;
    for side in Side::BOTH {
        let (index, bit) = (side as usize, side as u8);
        if poses[index].is_some() {
            flags |= frame_flag::SNAPSHOT << bit;
            results |= UPDATED << (2 * bit);
        }
        if has_pinches[index] {
            flags |= frame_flag::GESTURES << bit;
        }
    }
    push_integer(bytes, flags);
    push_float(bytes, frame.time);
    match frame.head.filter(is_known) {
        Some(head) => {
            push_integer(bytes, head_state::POSE);
            push_pose(bytes, &head);
        }
        None => push_integer(bytes, 0),
    }
    push_integer(bytes, results);
    for side in Side::BOTH {
        let poses = &poses[side as usize];
        if let Some([wrist, ..]) = poses {
            push_integer(bytes, step_flag::DYNAMIC);
            push_integer(bytes, hand_flag::ALL);
            push_pose(bytes, wrist);
            push_integer(bytes, JOINTS as i32);
        }
        for pose in poses.iter().flatten() {
            push_pose(bytes, pose);
        }
        if has_pinches[side as usize] {
            push_integer(bytes, 1 + side as i32);
            push_pinch(bytes, frame.hand(side), poses.is_some());
        }
    }
}

/// Appends the gestures of a hand after its number. Gestures of a hand that is not written have no values.
fn push_pinch(bytes: &mut Vec<u8>, hand: &HandFrame, is_written: bool) {
    if !is_written || hand.pinch_unknown {
        push_integer(bytes, 0);
        return;
    }
    let pinching = u8::from(hand.pinching);
    push_integer(bytes, gesture_flag::PINCH_VALUE | gesture_flag::PINCH_STATE);
    push_float(bytes, f32::from(pinching));
    bytes.push(pinching);
}

/// Returns the poses of all joints. If one is unknown or not finite, returns the first such joint.
fn poses(hand: &HandFrame) -> Result<[Pose; JOINTS], Joint> {
    let mut poses = [Pose::IDENTITY; JOINTS];
    for (joint, pose) in joints().zip(&mut poses) {
        *pose = hand.joints[joint].filter(is_known).ok_or(joint)?;
    }
    Ok(poses)
}

fn push_integer(bytes: &mut Vec<u8>, number: i32) {
    bytes.extend(number.to_le_bytes());
}

fn push_float(bytes: &mut Vec<u8>, number: f32) {
    bytes.extend(number.to_le_bytes());
}

fn push_pose(bytes: &mut Vec<u8>, pose: &Pose) {
    for number in pose.position.into_iter().chain(pose.rotation) {
        push_float(bytes, number);
    }
}

/// Appends a text after its length as LEB128.
fn push_text(bytes: &mut Vec<u8>, text: &str) {
    let mut size = text.len();
    while size >= 0x80 {
        bytes.push(0x80 | (size & 0x7f) as u8);
        size >>= 7;
    }
    bytes.push(size as u8);
    bytes.extend(text.as_bytes());
}
