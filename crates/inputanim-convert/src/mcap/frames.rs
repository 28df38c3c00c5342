//! Frame transforms as frames of a recording.

use std::collections::{BTreeMap, BTreeSet};

use foxglove::messages::{FrameTransform, FrameTransforms, Log, Timestamp};
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
    /// What the latest messages say, by their times: some come late.
    instants: BTreeMap<u64, Instant>,
    /// Of the first frame, in nanoseconds.
    zero: Option<u64>,
    /// Of the last one in the recording.
    last: f32,
    /// When a hand was last seen, of what is recorded.
    seen: [Option<u64>; 2],
    /// When it is seen in the instants that wait.
    sightings: [BTreeSet<u64>; 2],
    /// The last ones.
    states: Option<States>,
    keys_left: u64,
    late: usize,
    markers: Vec<(u64, String)>,
    /// Of the names of markers, and what they cost.
    bytes: u64,
}

/// What the messages of one time say.
#[derive(Default)]
struct Instant {
    frame: Frame,
    states: Option<States>,
}

/// How late a message may come, in nanoseconds.
const LATE: u64 = 1_000_000_000;
/// Most instants that wait for late messages.
const WAITING: usize = 4096;
/// How long a hand that is not seen may still be tracked, in nanoseconds: head and hands may have times
/// of their own.
const UNSEEN: u64 = 100_000_000;
/// Bytes of memory that a marker takes beside its name, so that short ones count too.
const COST: u64 = 64;

impl<'l> Frames<'l> {
    pub(super) fn new(limits: &'l Limits) -> Frames<'l> {
        Frames {
            limits,
            recorder: Recorder::new(Layout::Mrtk1_1),
            parent: None,
            instants: BTreeMap::new(),
            zero: None,
            last: f32::NEG_INFINITY,
            seen: [None; 2],
            sightings: Default::default(),
            states: None,
            keys_left: limits.max_keys,
            late: 0,
            markers: Vec::new(),
            bytes: 0,
        }
    }

    pub(super) fn transforms(
        &mut self,
        log_time: u64,
        message: FrameTransforms,
    ) -> Result<(), Error> {
        for transform in message.transforms {
            let Some(part) = Part::of_frame(&transform.child_frame_id) else {
                continue;
            };
            self.check_parent(&transform)?;
            let time = own_time(transform.timestamp).unwrap_or(log_time);
            let Some(pose) = pose(&transform) else {
                self.at(time)?;
                continue;
            };
            self.at(time)?.take(part, &pose);
            if let Part::Joint(side, _) = part {
                self.sightings[side as usize].insert(time);
            }
        }
        Ok(())
    }

    pub(super) fn states(&mut self, log_time: u64, states: States) -> Result<(), Error> {
        self.at(log_time)?.states = Some(states);
        Ok(())
    }

    pub(super) fn marker(&mut self, log_time: u64, log: Log) -> Result<(), Error> {
        let Limits {
            max_markers,
            max_bytes,
            ..
        } = *self.limits;
        self.bytes += COST + log.message.len() as u64;
        within(self.bytes, max_bytes, "bytes")?;
        within(self.markers.len() as u64 + 1, max_markers, "markers")?;
        let time = own_time(log.timestamp).unwrap_or(log_time);
        self.markers.push((time, log.message));
        Ok(())
    }

    /// The recording, and at how many times messages came late; none without a frame.
    pub(super) fn finish(mut self) -> Result<Option<(Recording<'static>, usize)>, Error> {
        let end = self.instants.last_key_value().map(|(&time, _)| time);
        while let Some((time, instant)) = self.instants.pop_first() {
            self.push(time, instant, end)?;
        }
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

    /// The instant of a time, once those are recorded that nothing more is expected of.
    fn at(&mut self, time: u64) -> Result<&mut Instant, Error> {
        while let Some(first) = self.instants.first_entry() {
            let is_due = first.key().saturating_add(LATE) < time;
            if !is_due && self.instants.len() < WAITING {
                break;
            }
            if let Some((first, instant)) = self.instants.pop_first() {
                self.push(first, instant, None)?;
            }
        }
        Ok(self.instants.entry(time).or_default())
    }

    /// Records an instant that is before those that wait; `end` is when the last is, once it is there.
    fn push(&mut self, nanoseconds: u64, instant: Instant, end: Option<u64>) -> Result<(), Error> {
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
        let tracked = Side::BOTH.map(|side| self.is_tracked(nanoseconds, side, end));
        self.states = instant.states.or(self.states.take());
        let states = self.states.as_ref();
        let mut frame = SPACE.frame(instant.frame);
        frame.time = time;
        let [left, right] = tracked;
        frame.left.tracked = states.map_or(left, |states| states.left_tracked);
        frame.left.pinching = states.is_some_and(|states| states.left_pinching);
        frame.right.tracked = states.map_or(right, |states| states.right_tracked);
        frame.right.pinching = states.is_some_and(|states| states.right_pinching);
        let refused = |source| Error::Record {
            nanoseconds,
            source,
        };
        self.recorder.push(&frame).map_err(refused)?;
        self.last = time;
        Ok(())
    }

    /// Whether a hand is seen, or was shortly before and is again shortly after, or until the end.
    fn is_tracked(&mut self, time: u64, side: Side, end: Option<u64>) -> bool {
        let sightings = &mut self.sightings[side as usize];
        let seen = &mut self.seen[side as usize];
        while let Some(sighting) = sightings.pop_first() {
            if sighting > time {
                sightings.insert(sighting);
                break;
            }
            // One that came too late is of before.
            *seen = (*seen).max(Some(sighting));
        }
        let next = sightings.first().copied().or(end);
        seen.is_some_and(|seen| {
            seen == time || next.is_some_and(|next| next <= seen.saturating_add(UNSEEN))
        })
    }
}

impl Instant {
    /// Takes a pose; the last of several counts.
    fn take(&mut self, part: Part, pose: &Pose) {
        match part {
            Part::Head => self.frame.camera = Some(*pose),
            Part::Gaze => self.frame.gaze = Some(gaze::ray(pose)),
            Part::Joint(side, joint) => self.frame.hand_mut(side).joints[joint] = Some(*pose),
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
}

/// A transform as a pose, if it is one.
fn pose(transform: &FrameTransform) -> Option<Pose> {
    // What is left out is 0, or no turn.
    let position = transform.translation.unwrap_or_default();
    let turn = transform.rotation.map(|q| [q.x, q.y, q.z, q.w]);
    let pose = Pose {
        position: [position.x, position.y, position.z].map(|part| part as f32),
        rotation: turn.unwrap_or([0.0, 0.0, 0.0, 1.0]).map(|part| part as f32),
    };
    is_known(&pose).then_some(pose)
}

/// The time that a message itself says, in nanoseconds. Who does not know it leaves it out, or 0.
fn own_time(stamp: Option<Timestamp>) -> Option<u64> {
    let stamp = stamp?;
    let time = u64::from(stamp.sec()) * 1_000_000_000 + u64::from(stamp.nsec());
    (time != 0).then_some(time)
}

fn within(count: u64, limit: u64, things: &'static str) -> Result<(), Error> {
    match count <= limit {
        true => Ok(()),
        false => Err(Error::Limit { limit, things }),
    }
}

/// Seconds from the zero on.
fn seconds(nanoseconds: u64, zero: u64) -> f32 {
    let since = i128::from(nanoseconds) - i128::from(zero);
    (since as f64 / 1e9) as f32
}
