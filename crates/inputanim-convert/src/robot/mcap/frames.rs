//! Recordings from frame transforms.

use std::collections::{BTreeMap, BTreeSet};

use foxglove::messages::{FrameTransform, FrameTransforms, Log, Timestamp};
use inputanim::{Element, Frame, Joint, Layout, Limits, Pauses, Pose, Recorder, Recording, Side};

use super::SPACE;
use super::error::McapError;
use super::frame_id::FrameId;
use super::gaze;
use super::messages::States;
use crate::shared::Error;
use crate::shared::in_order::in_order;
use crate::shared::limits::check_limit;
use crate::shared::rigid::is_known;
use crate::shared::unseen_hands::forget_unseen_hands;

/// Collects messages, and records a frame for each time at which there are messages.
pub(super) struct TransformRecorder<'l> {
    limits: &'l Limits,
    recorder: Recorder,
    /// The parent of the frames that are recorded.
    parent: Option<String>,
    /// The parents of each frame, by [`FrameId::index`], and how often each occurs.
    parents: Vec<Vec<Parent>>,
    /// The latest messages by their times. They wait, because some messages come late.
    instants: BTreeMap<u64, Instant>,
    /// The time of the first frame, in nanoseconds.
    zero: Option<u64>,
    /// The time of the last recorded frame.
    last: f32,
    /// For each hand, the last time at which the recorded frames contain it.
    seen: [Option<u64>; 2],
    /// For each hand, the times at which the waiting instants contain it.
    sightings: [BTreeSet<u64>; 2],
    /// The times in seconds of the frames that contain the head, the left hand, the right hand and the gaze.
    delivered: [Vec<f32>; 4],
    /// The last states.
    states: Option<States>,
    keys_left: u64,
    late: usize,
    /// The times of messages in the order of the file, without repetitions.
    times: Vec<u64>,
    /// The latest of these times.
    latest: u64,
    /// `true` if a message is more than [`LATE`] before an earlier message.
    is_out_of_order: bool,
    /// The times that are recorded; all if `None`. The others are out of order.
    keep: Option<Vec<bool>>,
    markers: Vec<(u64, String)>,
    unread: UnreadFrames,
    /// The memory of the markers.
    bytes: u64,
}

/// The frames of transforms that are not read, with the number of their transforms.
#[derive(Default)]
pub(super) struct UnreadFrames(BTreeMap<String, usize>);

impl UnreadFrames {
    /// The largest number of frames that are counted, and the largest number of characters of their names.
    const MAX: (usize, usize) = (256, 80);

    fn add(&mut self, name: &str) {
        let (frames, chars) = UnreadFrames::MAX;
        if let Some(count) = self.0.get_mut(name) {
            *count += 1;
        } else if self.0.len() < frames {
            let name = name.chars().take(chars).collect();
            *self.0.entry(name).or_default() += 1;
        }
    }

    /// Returns the names of the frames and the number of their transforms, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = (&str, usize)> {
        self.0.iter().map(|(name, count)| (&**name, *count))
    }
}

/// A parent of a frame.
struct Parent {
    name: String,
    /// The number of transforms in this parent.
    count: u64,
}

/// The largest number of parents that are counted for a frame.
const PARENTS: usize = 8;

/// The messages of one time.
#[derive(Default)]
struct Instant {
    frame: Frame,
    states: Option<States>,
}

/// The delay in nanoseconds up to which late messages are sorted.
const LATE: u64 = 1_000_000_000;
/// The largest number of instants that wait for late messages.
const WAITING: usize = 4096;
/// The time in nanoseconds for which a hand that is not seen stays tracked: the messages of the head and of
/// each hand may have different times.
const UNSEEN: u64 = (Pauses::MIN_SECONDS as f64 * 1e9) as u64;
/// The memory of a marker without its name, so that markers with short names count too.
const COST: u64 = 64;

impl<'l> TransformRecorder<'l> {
    /// Creates a recorder of frames in `parent`, or in the parent of the first transform if it is `None`.
    /// `keep` has the times whose messages are recorded; without it, all are. See [`in_order`](Self::in_order).
    pub(super) fn new(
        limits: &'l Limits,
        parent: Option<String>,
        keep: Option<Vec<bool>>,
    ) -> TransformRecorder<'l> {
        TransformRecorder {
            limits,
            recorder: Recorder::of_streams(Layout::Mrtk1_1),
            parent,
            parents: (0..FrameId::COUNT).map(|_| Vec::new()).collect(),
            instants: BTreeMap::new(),
            zero: None,
            last: f32::NEG_INFINITY,
            seen: [None; 2],
            sightings: Default::default(),
            delivered: Default::default(),
            states: None,
            keys_left: limits.max_keys,
            late: 0,
            times: Vec::new(),
            latest: 0,
            is_out_of_order: false,
            keep,
            markers: Vec::new(),
            unread: UnreadFrames::default(),
            bytes: 0,
        }
    }

    pub(super) fn transforms(
        &mut self,
        log_time: u64,
        message: FrameTransforms,
    ) -> Result<(), Error> {
        for transform in message.transforms {
            let Some(part) = FrameId::parse(&transform.child_frame_id) else {
                self.unread.add(&transform.child_frame_id);
                continue;
            };
            if !self.is_in_parent(part, &transform) {
                continue;
            }
            let time = own_time(transform.timestamp).unwrap_or(log_time);
            let Some(pose) = pose(&transform) else {
                // The frame is recorded even if the pose is not known.
                self.at(time)?;
                continue;
            };
            let Some(instant) = self.at(time)? else {
                continue;
            };
            instant.set(part, &pose);
            if let FrameId::Joint(side, _) = part {
                self.sightings[side as usize].insert(time);
            }
        }
        Ok(())
    }

    pub(super) fn states(&mut self, log_time: u64, states: States) -> Result<(), Error> {
        if let Some(instant) = self.at(log_time)? {
            instant.states = Some(states);
        }
        Ok(())
    }

    pub(super) fn marker(&mut self, log_time: u64, log: Log) -> Result<(), Error> {
        let Limits {
            max_markers,
            max_bytes,
            ..
        } = *self.limits;
        self.bytes += COST + log.message.len() as u64;
        check_limit(self.bytes, max_bytes, "bytes")?;
        check_limit(self.markers.len() as u64 + 1, max_markers, "markers")?;
        let time = own_time(log.timestamp).unwrap_or(log_time);
        self.markers.push((time, log.message));
        Ok(())
    }

    /// Records the waiting messages and the markers. The head, the gaze and each hand are unknown in the `pauses` between their
    /// messages; a hand only if no message states whether it is tracked. Returns the recording, and the number of frames
    /// that were dropped because their times are out of order. Returns `None` if no transform of a known frame was added.
    pub(super) fn finish(
        mut self,
        pauses: Pauses,
    ) -> Result<Option<(Recording<'static>, usize)>, Error> {
        // No later message can show that a hand is seen again. The end of the file therefore counts as the next
        // sighting: a hand that was seen at most [`UNSEEN`] before the end stays tracked.
        let end = self.instants.last_key_value().map(|(&time, _)| time);
        while let Some((time, instant)) = self.instants.pop_first() {
            self.push(time, instant, end)?;
        }
        let Some(zero) = self.zero.filter(|_| !self.is_empty()) else {
            return Ok(None);
        };
        for (time, name) in std::mem::take(&mut self.markers) {
            let refused = |source| McapError::Record {
                nanoseconds: time,
                source,
            };
            self.recorder
                .mark(seconds(time, zero), name)
                .map_err(refused)?;
        }
        let mut recording = self.recorder.finish();
        let is_unseen = Side::BOTH
            .map(|side| self.states.is_none() && self.delivered[1 + side as usize].is_empty());
        forget_unseen_hands(&mut recording, is_unseen);
        let [left, right] = Side::BOTH.map(Element::Tracked);
        let elements = [Element::Head, left, right, Element::Gaze];
        for (element, times) in elements.into_iter().zip(&self.delivered) {
            if element.side().is_none() || self.states.is_none() {
                for pause in pauses.in_times(times) {
                    recording.known.add_gap(element, pause);
                }
            }
        }
        Ok(Some((recording, self.late)))
    }

    /// Returns the frames that are not read.
    pub(super) fn take_unread(&mut self) -> UnreadFrames {
        std::mem::take(&mut self.unread)
    }

    /// Returns `true` if no transform of a known frame was added.
    pub(super) fn is_empty(&self) -> bool {
        self.parents.iter().all(Vec::is_empty)
    }

    /// Counts the parent of a transform. Returns `true` if the transform is in the parent of the frames that are recorded.
    fn is_in_parent(&mut self, part: FrameId, transform: &FrameTransform) -> bool {
        let found = &transform.parent_frame_id;
        let parents = &mut self.parents[part.index()];
        match parents.iter().position(|parent| parent.name == *found) {
            Some(place) => parents[place].count += 1,
            None if parents.len() < PARENTS => parents.push(Parent {
                name: found.clone(),
                count: 1,
            }),
            None => {}
        }
        self.parent.get_or_insert_with(|| found.clone()) == found
    }

    /// Returns the parent of the frames that are recorded; `None` if there is no frame.
    pub(super) fn parent(&self) -> Option<String> {
        self.parent.clone()
    }

    /// Returns the parent in which most transforms of every frame are, if it is not the parent of the frames that are recorded.
    /// Fails if frames differ in this parent, because then they are a tree.
    pub(super) fn other_parent(&self) -> Result<Option<String>, McapError> {
        let mut expected: Option<&str> = None;
        for (index, parents) in self.parents.iter().enumerate() {
            let Some(most) = most(parents) else {
                continue;
            };
            let expected = *expected.get_or_insert(&most.name);
            if expected != most.name {
                return Err(McapError::Parent {
                    frame: FrameId::at(index).to_string(),
                    found: most.name.clone(),
                    expected: expected.to_owned(),
                });
            }
        }
        let other = expected.filter(|expected| self.parent.as_deref() != Some(expected));
        Ok(other.map(str::to_owned))
    }

    /// Returns the number of transforms in another parent than most of their frame, and a description of the first of them.
    pub(super) fn other_parents(&self) -> (usize, String) {
        let mut first = String::new();
        let mut count = 0;
        for (index, parents) in self.parents.iter().enumerate() {
            let others = parents
                .iter()
                .filter(|parent| self.parent.as_ref() != Some(&parent.name));
            for other in others {
                count += usize::try_from(other.count).unwrap_or(usize::MAX);
                if first.is_empty() {
                    let expected = self.parent.as_deref().unwrap_or_default();
                    let frame = FrameId::at(index);
                    first = format!("{frame} in {:?} instead of {expected:?}", other.name);
                }
            }
        }
        (count, first)
    }

    /// Returns the times of messages that are in order if some are not. Without a second reading of only these times, times that
    /// are far ahead would cost all messages after them. Times that are up to [`LATE`] before or after the times in order beside
    /// them are in order too, because messages are sorted.
    pub(super) fn in_order(&self) -> Option<Vec<bool>> {
        if !self.is_out_of_order || self.keep.is_some() {
            return None;
        }
        let times = self.times.iter().map(|&time| time as f64);
        let mut keep = in_order(&times.collect::<Vec<_>>());
        let strict = keep.clone();
        let mut next = u64::MAX;
        let mut ends = vec![u64::MAX; keep.len()];
        for (index, end) in ends.iter_mut().enumerate().rev() {
            if strict[index] {
                next = self.times[index];
            }
            *end = next.saturating_add(LATE);
        }
        let mut start = 0;
        for (index, &time) in self.times.iter().enumerate() {
            if strict[index] {
                start = time.saturating_sub(LATE);
            }
            keep[index] |= (start..=ends[index]).contains(&time);
        }
        Some(keep)
    }

    /// Counts a time of the file. Returns `false` if it is out of order and not recorded.
    fn keeps(&mut self, time: u64) -> Result<bool, Error> {
        if self.times.last() != Some(&time) {
            self.times.push(time);
            check_limit(self.times.len() as u64, self.limits.max_keys, "keys")?;
            self.is_out_of_order |= time.saturating_add(LATE) < self.latest;
            self.latest = self.latest.max(time);
            if self.is_dropped() {
                self.late += 1;
            }
        }
        Ok(!self.is_dropped())
    }

    /// Returns `true` if the last time is not recorded.
    fn is_dropped(&self) -> bool {
        let last = self.times.len().saturating_sub(1);
        let keep = self.keep.as_ref();
        keep.is_some_and(|keep| keep.get(last) == Some(&false))
    }

    /// Returns the collected messages with the time `time` in nanoseconds, so that more can be added. First records
    /// older messages as frames: all that are more than [`LATE`] before `time`, and the oldest if [`WAITING`] times are
    /// collected. Returns `None` if the time is out of order. Fails if a frame cannot be recorded, or the recording has too many
    /// keys.
    fn at(&mut self, time: u64) -> Result<Option<&mut Instant>, Error> {
        if !self.keeps(time)? {
            return Ok(None);
        }
        // Timestamps may be arbitrary, so both the delay and the number of waiting instants are bounded.
        while let Some(first) = self.instants.first_entry() {
            let is_due = first.key().saturating_add(LATE) < time;
            if !is_due && self.instants.len() < WAITING {
                break;
            }
            if let Some((first, instant)) = self.instants.pop_first() {
                self.push(first, instant, None)?;
            }
        }
        Ok(Some(self.instants.entry(time).or_default()))
    }

    /// Records the messages of one time as a frame. All waiting messages are later. A time that is not later than the
    /// last recorded frame is counted as late and dropped. `end` is the last time in the file once it is known. Times
    /// are in nanoseconds.
    fn push(&mut self, nanoseconds: u64, instant: Instant, end: Option<u64>) -> Result<(), Error> {
        let zero = *self.zero.get_or_insert(nanoseconds);
        let time = seconds(nanoseconds, zero);
        // Different nanoseconds may be equal as 32-bit floats, but the times of keys have to increase.
        if time <= self.last {
            self.late += 1;
            return Ok(());
        }
        let keys = instant.keys();
        let Some(left) = self.keys_left.checked_sub(keys) else {
            return Err(Error::Limit {
                limit: self.limits.max_keys,
                unit: "keys",
            });
        };
        self.keys_left = left;
        let delivers = [
            instant.frame.head.is_some(),
            instant.has_joints(Side::Left),
            instant.has_joints(Side::Right),
            instant.frame.gaze.is_some(),
        ];
        for (times, _) in self
            .delivered
            .iter_mut()
            .zip(delivers)
            .filter(|(_, delivers)| *delivers)
        {
            times.push(time);
        }
        let tracked = Side::BOTH.map(|side| self.is_tracked(nanoseconds, side, end));
        // States hold until the next message of states.
        self.states = instant.states.or(self.states.take());
        let states = self.states.as_ref();
        let mut frame = SPACE.frame(instant.frame);
        frame.time = time;
        let [left, right] = tracked;
        frame.left.tracked = states.map_or(left, |states| states.left_tracked);
        frame.left.pinching = states.is_some_and(|states| states.left_pinching);
        frame.left.pinch_unknown = states.is_none();
        frame.right.tracked = states.map_or(right, |states| states.right_tracked);
        frame.right.pinching = states.is_some_and(|states| states.right_pinching);
        frame.right.pinch_unknown = states.is_none();
        let refused = |source| McapError::Record {
            nanoseconds,
            source,
        };
        self.recorder.push(&frame).map_err(refused)?;
        self.last = time;
        Ok(())
    }

    /// Returns `true` if a hand is tracked at a time in nanoseconds: messages contain it at this time, or this time is
    /// in a gap of at most [`UNSEEN`] between two such times. `end`, the last time in the file if it is known, also ends a
    /// gap.
    fn is_tracked(&mut self, time: u64, side: Side, end: Option<u64>) -> bool {
        let sightings = &mut self.sightings[side as usize];
        let seen = &mut self.seen[side as usize];
        while let Some(sighting) = sightings.pop_first() {
            if sighting > time {
                sightings.insert(sighting);
                break;
            }
            // A sighting that came late belongs to an earlier time.
            *seen = (*seen).max(Some(sighting));
        }
        let next = sightings.first().copied().or(end);
        seen.is_some_and(|seen| {
            seen == time || next.is_some_and(|next| next <= seen.saturating_add(UNSEEN))
        })
    }
}

/// Returns the parent with the most transforms, and the first one of several.
fn most(parents: &[Parent]) -> Option<&Parent> {
    parents.iter().rev().max_by_key(|parent| parent.count)
}

impl Instant {
    /// Sets the pose of the head, the gaze or a joint at this time. It replaces the pose of an earlier message.
    fn set(&mut self, part: FrameId, pose: &Pose) {
        match part {
            FrameId::Head => self.frame.head = Some(*pose),
            FrameId::Gaze => self.frame.gaze = Some(gaze::ray(pose)),
            FrameId::Joint(side, joint) => self.frame.hand_mut(side).joints[joint] = Some(*pose),
        }
    }

    /// Returns the largest number of keys that a recording needs for the messages of this time.
    fn keys(&self) -> u64 {
        let has_joints = |side: &Side| self.has_joints(*side);
        let hands = Side::BOTH.iter().filter(|side| has_joints(side)).count();
        // Four states, seven numbers of the head, six of the gaze, and seven of each joint.
        4 + 13 + 7 * (hands * Joint::ALL.len()) as u64
    }

    fn has_joints(&self, side: Side) -> bool {
        let joints = &self.frame.hand(side).joints;
        joints.iter().any(|(_, pose)| pose.is_some())
    }
}

/// Converts a transform to a pose. A missing translation is 0, and a missing rotation is the identity. Returns `None`
/// if a number is not finite or the quaternion is all zeros.
fn pose(transform: &FrameTransform) -> Option<Pose> {
    // A missing translation is 0, and a missing rotation the identity.
    let position = transform.translation.unwrap_or_default();
    let rotation = transform.rotation.map(|q| [q.x, q.y, q.z, q.w]);
    let pose = Pose {
        position: [position.x, position.y, position.z].map(|part| part as f32),
        rotation: rotation
            .unwrap_or([0.0, 0.0, 0.0, 1.0])
            .map(|part| part as f32),
    };
    is_known(&pose).then_some(pose)
}

/// Converts the timestamp of a message to nanoseconds. Returns `None` if it is missing or 0: programs that do not know
/// the time omit it or write 0.
fn own_time(stamp: Option<Timestamp>) -> Option<u64> {
    let stamp = stamp?;
    let time = u64::from(stamp.sec()) * 1_000_000_000 + u64::from(stamp.nsec());
    (time != 0).then_some(time)
}

/// Converts a time to seconds after `zero`. Both are in nanoseconds. The result is negative for a time before `zero`.
fn seconds(nanoseconds: u64, zero: u64) -> f32 {
    // A marker may be before the first frame.
    let since = i128::from(nanoseconds) - i128::from(zero);
    (since as f64 / 1e9) as f32
}
