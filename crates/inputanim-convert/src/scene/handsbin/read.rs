//! Reads a recording, frame by frame.

use inputanim::{Frame, HandFrame, Layout, Limits, Pose, Recorder, Recording, Side};

use super::frames::{Frames, GESTURES, RawFrame, RawHand};
use super::{HandsBinError, JOINTS, gesture_flag, head_state, joints};
use crate::shared::controller::PINCH_TRIGGER;
use crate::shared::limits::check_limit;
use crate::shared::pauses::frame_recorder;
use crate::shared::report::{counted, listed};
use crate::shared::rigid::is_known;
use crate::shared::{Error, LossKind, NoteKind, ReadOptions, Report};

/// Reads a capture of hands by Unity as a recording in the layout `mrtk-1.1`.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    check_limit(bytes.len() as u64, limits.max_bytes, "bytes")?;
    let mut frames = Frames::new(bytes)?;
    // A hand of which no frame states a pinch has no pinches. A hand of which some frames state it does not pinch while it is not
    // tracked.
    let mut has_pinches = [false; 2];
    let mut all = frames.clone();
    while let Some(frame) = all.next_frame()? {
        for (has_pinches, hand) in has_pinches.iter_mut().zip(&frame.hands) {
            *has_pinches |= hand.is_pinching().is_some();
        }
    }
    let mut reader = Reader {
        recorder: frame_recorder(Layout::Mrtk1_1, options),
        has_pinches,
        last: f32::NEG_INFINITY,
        keys: 0,
        limits,
        late: 0,
        partial_heads: 0,
        unknown_heads: 0,
        hands: Default::default(),
    };
    while let Some(frame) = frames.next_frame()? {
        reader.add(&frame)?;
    }
    Ok(reader.finish(frames.name))
}

impl RawHand {
    /// Returns `true` if the hand pinches, and `None` if the frame does not state it.
    fn is_pinching(&self) -> Option<bool> {
        let of_value = self.pinch_value.map(|value| value >= PINCH_TRIGGER);
        self.pinch_state.or(of_value).or(self.index_pinches)
    }
}

struct Reader<'l> {
    recorder: Recorder,
    /// `true` for each hand of which a frame states whether it pinches.
    has_pinches: [bool; 2],
    /// The time of the last frame, in seconds.
    last: f32,
    keys: u64,
    limits: &'l Limits,
    late: usize,
    /// The number of frames in which only a part of the head is tracked.
    partial_heads: usize,
    /// The number of poses of the head that are not poses.
    unknown_heads: usize,
    hands: [Unread; 2],
}

/// The content of a hand that is not read.
#[derive(Default)]
struct Unread {
    /// The number of frames in which the hand has poses and is not tracked.
    untracked: usize,
    /// The number of frames with poses of the step before rendering beside those that are read.
    before_render: usize,
    /// The number of poses of joints that are not poses.
    unknown_poses: usize,
    /// The number of frames in which the hand is tracked and its pinch is not stated, although other frames state it.
    unstated_pinches: usize,
    /// The numbers of frames with each value of the gestures.
    gestures: [usize; GESTURES.len()],
    aim: usize,
    /// The number of frames in which the root is not the wrist.
    roots: usize,
}

/// Keys of a pose.
const POSE: u64 = 7;

impl Reader<'_> {
    fn add(&mut self, raw: &RawFrame) -> Result<(), Error> {
        // The times of keys have to increase.
        if raw.time <= self.last {
            self.late += 1;
            return Ok(());
        }
        let mut frame = Frame {
            time: raw.time,
            ..Frame::default()
        };
        // An upper bound.
        self.keys += POSE;
        if let Some((state, pose)) = &raw.head {
            match state & head_state::POSE {
                head_state::POSE if is_known(pose) => frame.head = Some(*pose),
                head_state::POSE => self.unknown_heads += 1,
                0 => {}
                _ => self.partial_heads += 1,
            }
        }
        for side in Side::BOTH {
            let index = side as usize;
            let hand = self.hands[index].hand(&raw.hands[index], self.has_pinches[index]);
            self.keys += if hand.tracked {
                POSE * JOINTS as u64
            } else {
                0
            };
            *frame.hand_mut(side) = hand;
        }
        check_limit(self.keys, self.limits.max_keys, "keys")?;
        let offset = raw.offset;
        let refused = |source| HandsBinError::Record { offset, source };
        self.recorder.push(&frame).map_err(refused)?;
        self.last = raw.time;
        Ok(())
    }

    fn finish(self, name: &str) -> (Recording<'static>, Report) {
        let mut report = Report::default();
        let frames = counted(self.late, "frame");
        let message = format!("{frames} not later than the previous frame");
        report.lose(LossKind::Order, self.late, message);
        let frames = counted(self.partial_heads, "frame");
        let message = format!("head: only its position or rotation is tracked in {frames}");
        report.lose(LossKind::Head, self.partial_heads, message);
        let message = format!("head: {}", not_poses(self.unknown_heads));
        report.lose(LossKind::NotFinite, self.unknown_heads, message);
        for (side, hand) in Side::BOTH.into_iter().zip(&self.hands) {
            hand.report(side, &mut report);
        }
        let message = "poses are relative to the XR origin of the session, which the file does not state; \
            the recording has this origin at 0";
        report.note(NoteKind::Axes, message);
        if !name.is_empty() {
            let name: String = name.chars().take(80).collect();
            let message = format!("the name of the capture is {name:?}");
            report.note(NoteKind::OtherContent, message);
        }
        (self.recorder.finish(), report)
    }
}

/// Returns a message about a number of poses that are not finite or have no rotation.
fn not_poses(count: usize) -> String {
    let poses = counted(count, "pose");
    format!("{poses} not finite or with a rotation of 0")
}

impl Unread {
    /// Returns a hand, and counts its content that is not read.
    fn hand(&mut self, raw: &RawHand, has_pinches: bool) -> HandFrame {
        let mut hand = HandFrame::default();
        let pinching = raw.is_pinching();
        if let Some(step) = raw.dynamic.as_ref().or(raw.before_render.as_ref()) {
            hand.tracked = step.is_tracked;
            if let Some(poses) = &step.joints {
                self.untracked += usize::from(!step.is_tracked);
                for (joint, pose) in joints().zip(poses) {
                    hand.joints[joint] =
                        Some(*pose).filter(|pose| step.is_tracked && is_known(pose));
                    self.unknown_poses += usize::from(step.is_tracked && !is_known(pose));
                }
                let wrist = poses.first().map(bits);
                let root = step.root.as_ref().map(bits);
                self.roots += usize::from(root.is_some() && root != wrist);
            }
        }
        let has_joints = |step: &super::frames::Step| step.joints.is_some();
        let both = raw.dynamic.is_some() && raw.before_render.as_ref().is_some_and(has_joints);
        self.before_render += usize::from(both);
        // A hand that is not tracked does not pinch, whether the file states it or not.
        hand.pinching = hand.tracked && pinching == Some(true);
        let is_unstated = hand.tracked && pinching.is_none();
        hand.pinch_unknown = !has_pinches || is_unstated;
        self.unstated_pinches += usize::from(has_pinches && is_unstated);
        self.count_gestures(raw, pinching);
        hand
    }

    fn count_gestures(&mut self, raw: &RawHand, pinching: Option<bool>) {
        let is_lost = |flag: i32| match flag {
            gesture_flag::PINCH_STATE => false,
            gesture_flag::PINCH_VALUE => {
                let value = pinching.map(|pinching| f32::from(u8::from(pinching)));
                raw.pinch_value != value
            }
            _ => true,
        };
        for (bit, count) in self.gestures.iter_mut().enumerate() {
            let flag = 1 << bit;
            *count += usize::from(raw.gestures & flag != 0 && is_lost(flag));
        }
        self.aim += usize::from(raw.index_pinches.is_some());
    }

    fn report(&self, side: Side, report: &mut Report) {
        let frames = counted(self.untracked, "frame");
        let message =
            format!("{side} hand: poses of joints in {frames}, in which the hand is not tracked");
        report.lose(LossKind::Joints, self.untracked, message);
        let frames = counted(self.before_render, "frame");
        let message = format!(
            "{side} hand: second poses of joints, of the step before rendering, in {frames}"
        );
        report.lose(LossKind::Joints, self.before_render, message);
        let message = format!("{side} hand: {}", not_poses(self.unknown_poses));
        report.lose(LossKind::NotFinite, self.unknown_poses, message);
        let frames = counted(self.unstated_pinches, "frame");
        let message = format!(
            "{side} hand: the pinch is not stated in {frames}; the last state is held there"
        );
        report.lose(LossKind::Unknown, self.unstated_pinches, message);
        let gestures = GESTURES.iter().zip(self.gestures);
        let gestures = gestures.map(|((name, _), count)| (*name, count));
        let others = [
            ("aim data", self.aim),
            ("roots other than the wrist", self.roots),
        ];
        let all = gestures.chain(others).filter(|(_, count)| *count > 0);
        let unread: Vec<String> = all
            .map(|(name, count)| format!("{name} in {}", counted(count, "frame")))
            .collect();
        if !unread.is_empty() {
            let message = format!("{side} hand: not read: {}", listed(&unread, unread.len()));
            report.note(NoteKind::OtherContent, message);
        }
    }
}

/// Returns the bits of a pose, which can be compared if a number is not finite.
fn bits(pose: &Pose) -> ([u32; 3], [u32; 4]) {
    (
        pose.position.map(f32::to_bits),
        pose.rotation.map(f32::to_bits),
    )
}
