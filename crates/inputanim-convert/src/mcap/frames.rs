//! Frame transforms as frames of a recording.

use foxglove::messages::{FrameTransform, FrameTransforms};
use inputanim::{Frame, Joint, Layout, Limits, Pose, Recorder, Recording, Side};

use super::SPACE;
use super::error::Error;
use super::gaze;
use super::messages::States;
use super::part::Part;
use crate::rigid::is_known;

/// The frames so far.
pub(super) struct Frames<'l> {
    limits: &'l Limits,
    recorder: Recorder,
    /// The parent of all frames.
    parent: Option<String>,
    instant: Option<Instant>,
    /// Of the first frame, in nanoseconds.
    zero: Option<u64>,
    /// Of the last one in the recording.
    last: f32,
    keys_left: u64,
    late: usize,
    markers: Vec<(u64, String)>,
}

/// What the messages of one time say.
struct Instant {
    time: u64,
    frame: Frame,
    states: Option<States>,
}

impl<'l> Frames<'l> {
    pub(super) fn new(limits: &'l Limits) -> Frames<'l> {
        Frames {
            limits,
            recorder: Recorder::new(Layout::Mrtk1_1),
            parent: None,
            instant: None,
            zero: None,
            last: f32::NEG_INFINITY,
            keys_left: limits.max_keys,
            late: 0,
            markers: Vec::new(),
        }
    }

    pub(super) fn transforms(&mut self, time: u64, message: FrameTransforms) -> Result<(), Error> {
        for transform in message.transforms {
            let Some(part) = Part::of_frame(&transform.child_frame_id) else {
                continue;
            };
            self.check_parent(&transform)?;
            let instant = self.at(time)?;
            instant.take(part, &transform);
        }
        Ok(())
    }

    pub(super) fn states(&mut self, time: u64, states: States) -> Result<(), Error> {
        self.at(time)?.states = Some(states);
        Ok(())
    }

    pub(super) fn marker(&mut self, time: u64, name: String) -> Result<(), Error> {
        let limit = self.limits.max_markers;
        if self.markers.len() as u64 >= limit {
            let things = "markers";
            return Err(Error::Limit { limit, things });
        }
        self.markers.push((time, name));
        Ok(())
    }

    /// The recording, and at how many times messages came late; none without a frame.
    pub(super) fn finish(mut self) -> Result<Option<(Recording<'static>, usize)>, Error> {
        self.push()?;
        let Some(zero) = self.zero.filter(|_| self.parent.is_some()) else {
            return Ok(None);
        };
        for (time, name) in std::mem::take(&mut self.markers) {
            let refused = |source| Error::Record {
                nanoseconds: time,
                source,
            };
            self.recorder
                .mark(seconds(time, zero), name)
                .map_err(refused)?;
        }
        Ok(Some((self.recorder.finish(), self.late)))
    }

    fn check_parent(&mut self, transform: &FrameTransform) -> Result<(), Error> {
        let found = &transform.parent_frame_id;
        let expected = self.parent.get_or_insert_with(|| found.clone());
        match expected == found {
            true => Ok(()),
            false => Err(Error::Parent {
                frame: transform.child_frame_id.clone(),
                found: found.clone(),
                expected: expected.clone(),
            }),
        }
    }

    /// The instant of a time, once that of another is recorded.
    fn at(&mut self, time: u64) -> Result<&mut Instant, Error> {
        if self.instant.as_ref().is_some_and(|at| at.time != time) {
            self.push()?;
        }
        Ok(self.instant.get_or_insert_with(|| Instant {
            time,
            frame: Frame::default(),
            states: None,
        }))
    }

    /// Records the instant, if there is one.
    fn push(&mut self) -> Result<(), Error> {
        let Some(instant) = self.instant.take() else {
            return Ok(());
        };
        let nanoseconds = instant.time;
        let zero = *self.zero.get_or_insert(nanoseconds);
        let time = seconds(nanoseconds, zero);
        if time <= self.last {
            self.late += 1;
            return Ok(());
        }
        let keys = instant.keys();
        let Some(left) = self.keys_left.checked_sub(keys) else {
            return Err(Error::Limit {
                limit: self.limits.max_keys,
                things: "keys",
            });
        };
        self.keys_left = left;
        let frame = instant.frame(time);
        let refused = |source| Error::Record {
            nanoseconds,
            source,
        };
        self.recorder.push(&frame).map_err(refused)?;
        self.last = time;
        Ok(())
    }
}

impl Instant {
    /// Takes a pose, if it is one; the last of several counts.
    fn take(&mut self, part: Part, transform: &FrameTransform) {
        // What is left out is 0, or no turn.
        let position = transform.translation.unwrap_or_default();
        let turn = transform.rotation.map(|q| [q.x, q.y, q.z, q.w]);
        let pose = Pose {
            position: [position.x, position.y, position.z].map(|part| part as f32),
            rotation: turn.unwrap_or([0.0, 0.0, 0.0, 1.0]).map(|part| part as f32),
        };
        if !is_known(&pose) {
            return;
        }
        match part {
            Part::Head => self.frame.camera = Some(pose),
            Part::Gaze => self.frame.gaze = Some(gaze::ray(&pose)),
            Part::Joint(side, joint) => self.frame.hand_mut(side).joints[joint] = Some(pose),
        }
    }

    /// Keys that a recording may need for it.
    fn keys(&self) -> u64 {
        let has_joints = |side: &Side| self.has_joints(*side);
        let hands = Side::BOTH.iter().filter(|side| has_joints(side)).count();
        4 + 13 + 7 * (hands * Joint::ALL.len()) as u64
    }

    fn has_joints(&self, side: Side) -> bool {
        let joints = &self.frame.hand(side).joints;
        joints.iter().any(|(_, pose)| pose.is_some())
    }

    /// As a frame of a recording.
    fn frame(self, time: f32) -> Frame {
        let tracked = match &self.states {
            Some(states) => [states.left_tracked, states.right_tracked],
            None => Side::BOTH.map(|side| self.has_joints(side)),
        };
        let pinching = match &self.states {
            Some(states) => [states.left_pinching, states.right_pinching],
            None => [false; 2],
        };
        let mut frame = SPACE.frame(self.frame);
        frame.time = time;
        for side in Side::BOTH {
            let hand = frame.hand_mut(side);
            hand.tracked = tracked[side as usize];
            hand.pinching = pinching[side as usize];
        }
        frame
    }
}

/// Seconds from the zero on.
fn seconds(nanoseconds: u64, zero: u64) -> f32 {
    let since = i128::from(nanoseconds) - i128::from(zero);
    (since as f64 / 1e9) as f32
}
