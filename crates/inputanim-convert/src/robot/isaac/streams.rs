//! Recordings from the messages of devices.

use std::collections::HashMap;
use std::iter::Peekable;
use std::vec;

use inputanim::{
    DeviceFrame, DeviceName, Element, Frame, HandFrame, InputName, InputValue, Joint, Joints,
    Layout, Limits, Pauses, PoseChannel, PoseName, Ray, Recorder, Recording, Side, Space,
};

use super::LISTED;
use super::error::IsaacError;
use super::messages::{
    Controller, HandPoses, HandStates, Head, Received, States, controller_inputs,
};
use super::table::Malformed;
use super::topics::TopicKind;
use crate::shared::limits::check_limit;
use crate::shared::pauses::{LongestPause, gaps_of_stream};
use crate::shared::report::{counted, listed};
use crate::shared::{Error, LossKind, NoteKind, Report};

/// The messages of all devices.
pub(super) struct Devices<'l> {
    limits: &'l Limits,
    hands: [Candidates<Option<HandPoses>>; 2],
    controllers: [Candidates<Option<Controller>>; 2],
    head: Candidates<Option<Head>>,
    gaze: Candidates<Option<Ray>>,
    states: Candidates<States>,
    markers: Vec<(MessageTime, String)>,
    /// The number of records of programs that have no message.
    empty_records: usize,
    clock: Clock,
    keys_left: u64,
    /// The memory of the markers.
    bytes: u64,
}

/// The time in seconds for which a hand without messages stays tracked: devices may have times of their own, and a device
/// that ends has no last message.
const UNSEEN: f32 = Pauses::MIN_SECONDS;
/// The memory of a marker without its name, so that markers with short names count too.
const COST: u64 = 64;
/// The poses of a controller.
const GRIP: &str = "grip";
const AIM: &str = "aim";
/// The number of keys that the inputs of a controller need.
const INPUT_KEYS: u64 = 8;
/// The number of keys that a pose needs.
const POSE_KEYS: u64 = PoseChannel::ALL.len() as u64;

impl<'l> Devices<'l> {
    pub(super) fn new(limits: &'l Limits) -> Devices<'l> {
        Devices {
            limits,
            hands: Default::default(),
            controllers: Default::default(),
            head: Candidates::default(),
            gaze: Candidates::default(),
            states: Candidates::default(),
            markers: Vec::new(),
            empty_records: 0,
            clock: Clock::default(),
            keys_left: limits.max_keys,
            bytes: 0,
        }
    }

    /// Returns `true` if there is no message of a device.
    pub(super) fn is_empty(&self) -> bool {
        let hands = self.hands.iter().all(|hand| hand.streams.is_empty());
        let controllers = self.controllers.iter().all(|one| one.streams.is_empty());
        let others = self.head.streams.is_empty() && self.gaze.streams.is_empty();
        hands && controllers && others && self.states.streams.is_empty()
    }

    /// Decodes a message and adds its content. `number` counts the messages on the topic from 0, for errors. `log_time`
    /// is in nanoseconds.
    ///
    /// # Errors
    /// Fails if the message does not have the structure of its schema, or if all messages together exceed a limit.
    pub(super) fn add(
        &mut self,
        kind: TopicKind,
        topic: &str,
        number: u64,
        log_time: u64,
        message: &[u8],
    ) -> Result<(), Error> {
        let clock = self.clock;
        let keys = self.add_message(kind, topic, log_time, message);
        let keys = keys.map_err(|source| {
            // The time of a message that cannot be decoded does not count.
            self.clock = clock;
            IsaacError::Message {
                message: number,
                topic: topic.to_owned(),
                source,
            }
        })?;
        let Some(left) = self.keys_left.checked_sub(keys) else {
            return Err(Error::Limit {
                limit: self.limits.max_keys,
                unit: "keys",
            });
        };
        self.keys_left = left;
        check_limit(self.bytes, self.limits.max_bytes, "bytes")?;
        let markers = self.markers.len() as u64;
        check_limit(markers, self.limits.max_markers, "markers")
    }

    /// Decodes a message and adds its content. Returns the largest number of keys that a recording needs for it.
    /// `log_time` is in nanoseconds.
    fn add_message(
        &mut self,
        kind: TopicKind,
        topic: &str,
        log_time: u64,
        message: &[u8],
    ) -> Result<u64, Malformed> {
        let received = Received::read(message)?;
        let time = self.clock.add(received.sample_time(), log_time);
        Ok(match kind {
            TopicKind::Hand(side) => {
                let hand = received.hand()?;
                let joints = hand
                    .as_ref()
                    .map_or(0, |joints| joints.iter().flatten().count());
                let has_pose = hand.is_some();
                self.hands[side as usize].add(topic, time, hand, has_pose);
                1 + POSE_KEYS * joints as u64
            }
            TopicKind::Controller(side) => {
                let controller = received.controller()?;
                let has_pose = controller.is_some_and(|one| one.grip.or(one.aim).is_some());
                self.controllers[side as usize].add(topic, time, controller, has_pose);
                INPUT_KEYS + 2 * POSE_KEYS
            }
            TopicKind::Head => {
                let head = received.head()?;
                self.head.add(topic, time, head, head.is_some());
                POSE_KEYS
            }
            TopicKind::Gaze => {
                let gaze = received.gaze()?;
                self.gaze.add(topic, time, gaze, gaze.is_some());
                6
            }
            TopicKind::States => {
                self.states.add(topic, time, received.states()?, true);
                4
            }
            TopicKind::Marker => {
                let name = received.marker()?;
                self.bytes += COST + name.len() as u64;
                self.markers.push((time, name));
                0
            }
            TopicKind::Control => {
                // A record without a message only states that none came.
                match received.control()? {
                    Some(text) => {
                        self.bytes += COST + text.len() as u64;
                        self.markers.push((time, text));
                    }
                    None => self.empty_records += 1,
                }
                0
            }
            TopicKind::Piece
            | TopicKind::Device
            | TopicKind::DeviceCurve
            | TopicKind::Checksum
            | TopicKind::OtherDevice
            | TopicKind::Other => 0,
        })
    }

    /// Creates a recording from all messages, and adds losses and notes to the report. The head and the gaze are unknown while
    /// their messages state no value. They and each hand are unknown in the `pauses` between their messages; a hand only if
    /// no message states whether it is tracked. Returns `None` if no message of a hand, controller, head or gaze, or of
    /// states, was added.
    pub(super) fn finish(
        self,
        pauses: Pauses,
        report: &mut Report,
    ) -> Result<Option<Recording<'static>>, Error> {
        let mut notes = Vec::new();
        let clock = self.clock;
        let hands = self.hands.map(|hand| hand.choose(clock, &mut notes));
        let controllers = self.controllers.map(|one| one.choose(clock, &mut notes));
        let head = self.head.choose(clock, &mut notes);
        let gaze = self.gaze.choose(clock, &mut notes);
        let states = self.states.choose(clock, &mut notes);
        let firsts = [
            hands[0].first_time(),
            hands[1].first_time(),
            controllers[0].first_time(),
            controllers[1].first_time(),
            head.first_time(),
            gaze.first_time(),
            states.first_time(),
        ];
        let Some(zero) = firsts.into_iter().flatten().min() else {
            return Ok(None);
        };
        let untracked_head =
            |(_, head): &&(u64, Option<Head>)| head.is_some_and(|head| !head.is_tracked);
        let untracked_heads = head.samples.iter().filter(untracked_head).count();
        let has_states = !states.samples.is_empty();
        let lacks_pinches = !has_states && hands.iter().any(|hand| hand.has_pose);
        let mut streams = vec![
            (Element::Head, head.times(zero, Option::is_some)),
            (Element::Gaze, gaze.times(zero, Option::is_some)),
        ];
        for side in Side::BOTH.into_iter().filter(|_| !has_states) {
            streams.push((
                Element::Tracked(side),
                hands[side as usize].times(zero, |_| true),
            ));
        }
        for side in Side::BOTH {
            let controller = &controllers[side as usize];
            let name = DeviceName::controller(side);
            streams.push((Element::Profile(name), controller.times(zero, |_| true)));
            for pose in [GRIP, AIM] {
                let is_valid = |one: &Controller| match pose {
                    GRIP => one.grip.is_some(),
                    _ => one.aim.is_some(),
                };
                let times = controller.times(zero, |one| one.as_ref().is_some_and(is_valid));
                streams.extend(
                    pose.parse()
                        .ok()
                        .map(|pose| (Element::DevicePose(name, pose), times)),
                );
            }
        }
        let has_hand = [0, 1].map(|side: usize| has_states || !hands[side].samples.is_empty());
        let mut timeline = Timeline {
            hands: hands.map(|hand| hand.after(zero)),
            controllers: controllers.map(|one| one.after(zero)),
            head: head.after(zero),
            gaze: gaze.after(zero),
            states: states.after(zero),
            has_hand,
            memory: [None; 2],
            last_states: None,
        };
        let mut recorder = Recorder::of_streams(Layout::Mrtk1_1);
        let mut pause = LongestPause::default();
        while let Some(frame) = timeline.next() {
            pause.add(frame.time);
            let refused = |source| IsaacError::Record {
                seconds: frame.time,
                source,
            };
            recorder.push(&frame).map_err(refused)?;
        }
        for (time, name) in self.markers {
            let seconds = seconds(clock.time(time), zero);
            let refused = |source| IsaacError::Record { seconds, source };
            recorder.mark(seconds, name).map_err(refused)?;
        }
        let late = timeline.late();
        let message = format!(
            "{} not later than another of the same device",
            counted(late, "message")
        );
        report.lose(LossKind::Order, late, message);
        if let Some(note) = pause.note() {
            report.note(NoteKind::Clock, note);
        }
        if lacks_pinches {
            report.note(
                NoteKind::NotInFormat,
                "no pinches: Isaac Capture does not record them",
            );
        }
        if self.empty_records > 0 {
            let message = format!(
                "{} without content in the messages of programs",
                counted(self.empty_records, "record")
            );
            report.note(NoteKind::OtherContent, message);
        }
        if untracked_heads > 0 {
            let count = counted(untracked_heads, "message");
            let message = format!("head: valid but not tracked in {count}, poses kept");
            report.note(NoteKind::NotInFormat, message);
        }
        for note in notes {
            report.note(NoteKind::OtherContent, note);
        }
        let mut recording = recorder.finish();
        for (element, samples) in streams {
            for gap in gaps_of_stream(samples.into_iter(), pauses) {
                recording.known.add_gap(element, gap);
            }
        }
        Ok(Some(recording))
    }
}

/// The time of a message in nanoseconds.
#[derive(Clone, Copy, Debug)]
enum MessageTime {
    /// The time at which the sample was taken.
    Sample(u64),
    /// The log time of a message without that time.
    Log(u64),
}

/// The clock of a file. Log times may be on another clock than sample times, because a program that copies messages may
/// change log times only.
#[derive(Clone, Copy, Debug, Default)]
struct Clock {
    /// The smallest difference between log time and sample time so far; `None` if no message has a sample time.
    delay: Option<i128>,
}

impl Clock {
    /// Returns the sample time of a message or, if the message has none, its log time. Keeps the smallest difference
    /// between both times, with which [`time`](Clock::time) converts log times. All times are in nanoseconds.
    fn add(&mut self, sample: Option<u64>, log: u64) -> MessageTime {
        let Some(sample) = sample else {
            return MessageTime::Log(log);
        };
        let delay = i128::from(log) - i128::from(sample);
        self.delay = Some(self.delay.map_or(delay, |least| least.min(delay)));
        MessageTime::Sample(sample)
    }

    /// Returns the time of a message in nanoseconds on the clock of the sample times. Log times are converted to this
    /// clock; they stay unchanged if no message has a sample time.
    fn time(self, time: MessageTime) -> u64 {
        match time {
            MessageTime::Sample(time) => time,
            MessageTime::Log(time) => {
                let time = i128::from(time) - self.delay.unwrap_or(0);
                u64::try_from(time.max(0)).unwrap_or(u64::MAX)
            }
        }
    }
}

/// The topics of one device, of which one is read.
struct Candidates<T> {
    streams: Vec<Candidate<T>>,
    /// The index of each stream in `streams` by its topic.
    places: HashMap<String, usize>,
}

/// The messages on a topic with their times.
struct Candidate<T> {
    topic: String,
    samples: Vec<(MessageTime, T)>,
    has_pose: bool,
}

/// The messages of a device with their times in nanoseconds on the clock of the file.
struct Stream<T> {
    samples: Vec<(u64, T)>,
    has_pose: bool,
}

impl<T> Default for Candidates<T> {
    fn default() -> Candidates<T> {
        Candidates {
            streams: Vec::new(),
            places: HashMap::new(),
        }
    }
}

impl<T> Candidates<T> {
    fn add(&mut self, topic: &str, time: MessageTime, value: T, has_pose: bool) {
        let place = self.places.get(topic);
        if let Some(stream) = place.and_then(|&place| self.streams.get_mut(place)) {
            stream.samples.push((time, value));
            stream.has_pose |= has_pose;
            return;
        }
        self.places.insert(topic.to_owned(), self.streams.len());
        self.streams.push(Candidate {
            topic: topic.to_owned(),
            samples: vec![(time, value)],
            has_pose,
        });
    }

    /// Returns the messages of the first topic that has a pose, or of the first topic if none has a pose. The result is
    /// empty if there are no topics. Adds a note on the other topics, which are not read.
    fn choose(mut self, clock: Clock, notes: &mut Vec<String>) -> Stream<T> {
        let place = self.streams.iter().position(|stream| stream.has_pose);
        let Some(chosen) =
            (!self.streams.is_empty()).then(|| self.streams.remove(place.unwrap_or(0)))
        else {
            return Stream {
                samples: Vec::new(),
                has_pose: false,
            };
        };
        if !self.streams.is_empty() {
            let others = self.streams.iter().map(|other| {
                let messages = counted(other.samples.len(), "message");
                format!("{} ({messages})", other.topic)
            });
            let (others, chosen) = (listed(others, LISTED), &chosen.topic);
            notes.push(format!(
                "{others} not read, because {chosen} is the same device"
            ));
        }
        let samples = chosen.samples.into_iter();
        Stream {
            samples: samples
                .map(|(time, value)| (clock.time(time), value))
                .collect(),
            has_pose: chosen.has_pose,
        }
    }
}

impl<T> Stream<T> {
    fn first_time(&self) -> Option<u64> {
        self.samples.iter().map(|(time, _)| *time).min()
    }

    /// Returns the times of the samples in order, in seconds after `zero`, each with `true` if the sample has a value.
    fn times(&self, zero: u64, has_value: impl Fn(&T) -> bool) -> Vec<(f32, bool)> {
        let samples = self.samples.iter();
        let times = samples.map(|(time, value)| (seconds(*time, zero), has_value(value)));
        let mut times: Vec<(f32, bool)> = times.collect();
        times.sort_by(|a, b| a.0.total_cmp(&b.0));
        times
    }

    /// Returns a queue of the samples in the order of their times. The queue states the times in seconds after `zero`,
    /// which is in nanoseconds.
    fn after(self, zero: u64) -> Queue<T> {
        let mut samples = self.samples;
        samples.sort_by_key(|(time, _)| *time);
        Queue {
            samples: samples.into_iter().peekable(),
            zero,
            late: 0,
        }
    }
}

/// The samples of a stream that are not yet in a frame.
struct Queue<T> {
    samples: Peekable<vec::IntoIter<(u64, T)>>,
    zero: u64,
    /// The number of samples with the time of another one.
    late: usize,
}

impl<T> Queue<T> {
    /// Returns the time of the next sample in seconds; `None` if the queue is empty.
    fn next_time(&mut self) -> Option<f32> {
        let (time, _) = self.samples.peek()?;
        Some(seconds(*time, self.zero))
    }

    /// Removes all samples up to a time in seconds, and returns the first of them; `None` if there are none. Counts the
    /// others as late.
    fn take(&mut self, time: f32) -> Option<T> {
        let mut taken = None;
        while self.next_time().is_some_and(|next| next <= time) {
            let sample = self.samples.next();
            self.late += usize::from(taken.is_some());
            taken = taken.or(sample);
        }
        taken.map(|(_, sample)| sample)
    }
}

/// The samples of all devices, which become frames.
struct Timeline {
    hands: [Queue<Option<HandPoses>>; 2],
    controllers: [Queue<Option<Controller>>; 2],
    head: Queue<Option<Head>>,
    gaze: Queue<Option<Ray>>,
    states: Queue<States>,
    /// `true` for each hand of which any message states anything.
    has_hand: [bool; 2],
    /// For each hand, the time of its last message in which it was tracked.
    memory: [Option<f32>; 2],
    last_states: Option<States>,
}

impl Timeline {
    /// Returns the frame at the next time at which any device has a sample, in Unity's axes. Returns `None` after the
    /// last sample.
    fn next(&mut self) -> Option<Frame> {
        let [left, right] = &mut self.hands;
        let [left_controller, right_controller] = &mut self.controllers;
        let times = [
            left.next_time(),
            right.next_time(),
            left_controller.next_time(),
            right_controller.next_time(),
            self.head.next_time(),
            self.gaze.next_time(),
            self.states.next_time(),
        ];
        let time = times.into_iter().flatten().min_by(f32::total_cmp)?;
        self.last_states = self.states.take(time).or(self.last_states);
        let head = self.head.take(time).flatten();
        let [left, right] = Side::BOTH.map(|side| self.hand(side, time));
        let devices = Side::BOTH.into_iter().filter_map(|side| {
            let message = self.controllers[side as usize].take(time)?;
            Some(device(side, message))
        });
        let devices = devices.collect();
        Some(Space::OpenXr.frame(Frame {
            time,
            head: head.map(|head| head.pose),
            left,
            right,
            gaze: self.gaze.take(time).flatten(),
            devices,
        }))
    }

    fn hand(&mut self, side: Side, time: f32) -> HandFrame {
        let hand = self.hands[side as usize].take(time);
        let memory = &mut self.memory[side as usize];
        if let Some(hand) = &hand {
            *memory = hand.as_ref().map(|_| time);
        }
        let is_hand = memory.is_some_and(|last| time - last <= UNSEEN);
        let mut joints = Joints::default();
        if let Some(poses) = hand.flatten() {
            for (joint, pose) in Joint::OPENXR.into_iter().zip(*poses) {
                joints[joint] = pose;
            }
        }
        let states = self.last_states.map(|States(hands)| hands[side as usize]);
        let states = states.unwrap_or(HandStates {
            is_tracked: is_hand,
            is_pinching: false,
        });
        HandFrame {
            tracked: states.is_tracked,
            pinching: states.is_pinching,
            // Hands have no pinches.
            pinch_unknown: self.last_states.is_none(),
            unknown: !self.has_hand[side as usize],
            joints,
        }
    }

    fn late(&self) -> usize {
        let hands = self.hands.iter().map(|queue| queue.late);
        let controllers = self.controllers.iter().map(|queue| queue.late);
        let others = [self.head.late, self.gaze.late, self.states.late];
        hands.chain(controllers).chain(others).sum()
    }
}

/// Returns a controller from its message, in OpenXR's axes.
fn device(side: Side, controller: Option<Controller>) -> DeviceFrame {
    let mut device = DeviceFrame::new(DeviceName::controller(side));
    let Some(controller) = controller else {
        return device;
    };
    device.active = true;
    for (name, pose) in [(AIM, controller.aim), (GRIP, controller.grip)] {
        device.poses.extend(name.parse::<PoseName>().ok().zip(pose));
    }
    if let Some((flags, numbers)) = controller.inputs {
        let flags = flags.into_iter().map(InputValue::Boolean);
        let values = flags.chain(numbers.into_iter().map(InputValue::Float));
        for (names, value) in controller_inputs(side).into_iter().zip(values) {
            let name = names
                .first()
                .and_then(|name| name.parse::<InputName>().ok());
            device.inputs.extend(name.map(|name| (name, value)));
        }
        // A number that is not finite is not a value.
        device
            .inputs
            .retain(|(_, value)| value.number().is_finite());
        device.inputs.sort_by_key(|(name, _)| *name);
    }
    device
}

/// Converts a time to seconds after `zero`. Both are in nanoseconds. The result is negative for a time before `zero`.
fn seconds(nanoseconds: u64, zero: u64) -> f32 {
    // A marker may be before the first frame.
    let since = i128::from(nanoseconds) - i128::from(zero);
    (since as f64 / 1e9) as f32
}
