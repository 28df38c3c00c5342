//! Curves from the samples of a stream.
//!
//! Samples are read in blocks, and the groups of channels one after the other for each block. A hand has 189 curves, and
//! writing to all of them for each sample would leave the caches.

use inputanim::{Element, Joint, Pauses, Side, SimpleKey, Space, TimeRange};

use super::file::Stream;
use super::header::ChannelFormat;
use super::plan::{Group, Part, PoseOf};
use super::samples::Number;
use super::target::Channel;
use crate::shared::ReadOptions;
use crate::shared::mapping::Angles;
use crate::shared::options::MIN_CONFIDENCE;
use crate::shared::signs::continued;

/// The number of samples of a block. A block has one bit for each sample in 128 bits.
const BLOCK: usize = 128;

/// A state from a time on.
pub(super) type Change = (f32, bool);

/// The curves of a group.
#[derive(Debug)]
pub(super) struct GroupKeys {
    pub(super) part: Part,
    /// The keys of each curve.
    pub(super) curves: Vec<Vec<SimpleKey>>,
    /// The number of samples with unknown numbers beside known ones, or with a rotation of 0.
    pub(super) incomplete: usize,
    channels: Vec<Channel>,
    angles: Option<Angles>,
    space: Space,
    last_rotation: Option<[f32; 4]>,
    /// The channels with confidences in the group.
    confidences: Vec<Channel>,
    /// The confidence below which the group is unknown.
    min_confidence: f32,
    /// The number of samples whose values would be known without their confidence.
    pub(super) low_count: usize,
    /// The samples of the block whose values are known, one bit each.
    known: u128,
    /// The samples of the block with a low confidence, one bit each.
    low: u128,
    /// The time of the last known sample in seconds; −∞ before the first one.
    last_known: f32,
    /// `true` after a sample whose values should be known and are not.
    is_in_gap: bool,
    /// The gaps that have ended.
    gaps: Vec<TimeRange>,
}

impl GroupKeys {
    fn new(group: &Group, samples: usize, options: &ReadOptions, space: Space) -> GroupKeys {
        let min_confidence = options.min_confidence.unwrap_or(MIN_CONFIDENCE);
        let curve = |_| Vec::with_capacity(samples);
        GroupKeys {
            part: group.part,
            curves: group.channels.iter().map(curve).collect(),
            incomplete: 0,
            channels: group.channels.clone(),
            angles: group.angles,
            space,
            last_rotation: None,
            confidences: group.confidences.clone(),
            min_confidence,
            low_count: 0,
            known: 0,
            low: 0,
            last_known: f32::NEG_INFINITY,
            is_in_gap: false,
            gaps: Vec::new(),
        }
    }

    /// Finds gaps between the samples of a block. `expected` are the samples whose values should be known, one bit each. Samples
    /// with a low confidence are gaps, too.
    fn find_gaps(&mut self, times: &[f32], expected: u128) {
        let expected = expected | self.low;
        if !self.is_in_gap && expected & !self.known == 0 {
            let last = (self.known != 0).then(|| times.get(self.known.ilog2() as usize));
            self.last_known = last.flatten().copied().unwrap_or(self.last_known);
            return;
        }
        for (index, &time) in times.iter().enumerate() {
            if self.known >> index & 1 == 1 {
                self.end_gap(time);
                self.last_known = time;
            } else if expected >> index & 1 == 1 {
                self.is_in_gap = true;
            }
        }
    }

    /// Ends a gap at a time in seconds, if there is one.
    fn end_gap(&mut self, end: f32) {
        if std::mem::take(&mut self.is_in_gap) {
            let start = self.last_known;
            self.gaps.push(TimeRange { start, end });
        }
    }

    /// Returns the hand whose joint the group contains; `None` for the head, the gaze and the states of hands.
    fn side(&self) -> Option<Side> {
        self.part.side()
    }

    /// Converts the samples of a block to keys, and appends them to the curves of the group. `T` is the type of the
    /// numbers in the samples.
    fn add<T: Number>(&mut self, block: &mut Block<'_>) {
        match self.channels.len() {
            7 => self.add_rows::<T, 7>(block),
            6 => self.add_rows::<T, 6>(block),
            4 => self.add_rows::<T, 4>(block),
            3 => self.add_rows::<T, 3>(block),
            _ => self.add_rows::<T, 1>(block),
        }
    }

    /// Converts the samples of a block to keys, and appends them to the curves of the group, which has `N` channels.
    /// Samples with unknown numbers are skipped.
    fn add_rows<T: Number, const N: usize>(&mut self, block: &mut Block<'_>) {
        let Some(&channels) = self.channels.first_chunk::<N>() else {
            return;
        };
        let first = channels[0].index;
        let is_next = |(offset, channel): (usize, &Channel)| channel.index == first + offset;
        // Channels in order without a factor, as this library writes them, are read together.
        let is_plain = channels.iter().enumerate().all(is_next)
            && channels.iter().all(|channel| channel.factor == 1.0);
        let side = self.side();
        let shown = side.and_then(|side| block.shown[side as usize].as_deref());
        let known = side.map(|side| &mut block.known[side as usize][..]);
        let known = known.unwrap_or_default();
        let low = side.map(|side| &mut block.low[side as usize][..]);
        let low = low.unwrap_or_default();
        let rule = Rule::of(self.part, self.space);
        let mut last_rotation = self.last_rotation;
        self.known = 0;
        self.low = 0;
        let mut rows = [(0.0_f32, [0.0_f32; N]); BLOCK];
        let mut count = 0;
        for (index, (values, &time)) in block.values.iter().zip(&block.times).enumerate() {
            let is_hidden = shown.is_some_and(|shown| !shown[index]);
            if time.is_nan() || is_hidden {
                continue;
            }
            let at = |channel: usize| values.get(channel * T::SIZE..).unwrap_or_default();
            let mut numbers: [f32; N] = if is_plain {
                let values = at(first).get(..N * T::SIZE).unwrap_or_default();
                std::array::from_fn(|index| {
                    T::float_at(values.get(index * T::SIZE..).unwrap_or_default())
                })
            } else {
                channels.map(|channel| (T::at(at(channel.index)) * channel.factor) as f32)
            };
            if !numbers.iter().all(|number| number.is_finite()) {
                self.incomplete += usize::from(numbers.iter().any(|number| number.is_finite()));
                continue;
            }
            // The rotation is the last four numbers of a pose or rotation.
            if let (Some(angles), Some([x, y, z, w])) = (self.angles, numbers.last_chunk_mut()) {
                [*x, *y, *z, *w] = angles.rotation([*x, *y, *z].map(f64::from));
            }
            // A confidence of NaN is absent, and changes nothing.
            let is_low = self.confidences.iter().any(|channel| {
                let confidence = T::at(at(channel.index)) * channel.factor;
                (confidence as f32) < self.min_confidence
            });
            if is_low {
                self.low |= 1 << index;
                self.low_count += 1;
                if let Some(low) = low.get_mut(index) {
                    *low = true;
                }
                continue;
            }
            if !rule.apply(&mut numbers, &mut last_rotation) {
                self.incomplete += 1;
                continue;
            }
            rows[count] = (time, numbers);
            count += 1;
            self.known |= 1 << index;
            if let Some(known) = known.get_mut(index) {
                *known = true;
            }
        }
        self.last_rotation = last_rotation;
        for (index, curve) in self.curves.iter_mut().enumerate() {
            let keys = rows[..count].iter();
            curve.extend(keys.map(|(time, numbers)| SimpleKey::new(*time, numbers[index])));
        }
    }
}

/// The conversion of the numbers of a group.
#[derive(Clone, Copy, Debug)]
struct Rule {
    /// The indices of the first numbers of positions and directions.
    vectors: [Option<usize>; 2],
    /// The index of the first number of a rotation.
    rotation: Option<usize>,
    /// `true` if a rotation may be 0.
    may_be_zero: bool,
    space: Space,
}

impl Rule {
    fn of(part: Part, space: Space) -> Rule {
        let (vectors, rotation) = match part {
            Part::Pose(_) => ([Some(0), None], Some(3)),
            Part::Position(_) => ([Some(0), None], None),
            Part::Rotation(_) => ([None, None], Some(0)),
            Part::Gaze => ([Some(0), Some(3)], None),
            Part::Tracked(_) | Part::Pinching(_) => ([None, None], None),
        };
        Rule {
            vectors,
            rotation,
            // `None`, which no device tracks, has a rotation of 0 in recordings of MRTK.
            may_be_zero: matches!(part, Part::Pose(PoseOf::Joint(_, Joint::None))),
            space,
        }
    }

    /// Converts the numbers of a sample to Unity's axes in place. Replaces a rotation by its negative if that one is
    /// nearer to `last_rotation`, which becomes the new rotation. Returns `false` if the rotation is all zeros, which
    /// is not valid.
    #[inline]
    fn apply(self, numbers: &mut [f32], last_rotation: &mut Option<[f32; 4]>) -> bool {
        if self.space != Space::Unity {
            for at in self.vectors.into_iter().flatten() {
                if let Some(vector) = numbers
                    .get_mut(at..)
                    .and_then(|rest| rest.first_chunk_mut())
                {
                    *vector = self.space.position(*vector);
                }
            }
        }
        let rotation = self.rotation.and_then(|at| numbers.get_mut(at..));
        let Some(rotation) = rotation.and_then(|rest| rest.first_chunk_mut::<4>()) else {
            return true;
        };
        if *rotation == [0.0; 4] && !self.may_be_zero {
            return false;
        }
        *rotation = continued(self.space.rotation(*rotation), *last_rotation);
        *last_rotation = Some(*rotation);
        true
    }
}

/// Some samples of a stream.
#[derive(Default)]
struct Block<'a> {
    values: Vec<&'a [u8]>,
    /// The times of the recording; NaN for a sample that is not read.
    times: Vec<f32>,
    /// For each hand, `true` where it is tracked; `None` if no channel states it.
    shown: [Option<Vec<bool>>; 2],
    /// For each hand, `true` where a joint is known.
    known: [Vec<bool>; 2],
    /// For each hand, `true` where a joint has a low confidence.
    low: [Vec<bool>; 2],
}

impl Block<'_> {
    /// Returns the samples in which the values of a group should be known, one bit each: those that are read and in which the
    /// hand is tracked or, if no channel states this, has another joint that is known.
    fn expected(&self, side: Option<Side>) -> u128 {
        let index = side.map(|side| side as usize);
        let shown = index.map(|index| self.shown[index].as_ref().unwrap_or(&self.known[index]));
        let samples = self.times.iter().enumerate();
        let expected = samples.filter(|&(sample, time)| {
            !time.is_nan() && shown.is_none_or(|shown| shown.get(sample) == Some(&true))
        });
        expected.fold(0, |bits, (sample, _)| bits | 1 << sample)
    }
}

/// The result of reading a stream.
pub(super) struct StreamKeys {
    pub(super) groups: Vec<GroupKeys>,
    /// For each hand, the times at which its joints became known or unknown.
    pub(super) known: [Vec<Change>; 2],
    /// The times at which elements are unknown.
    pub(super) gaps: Vec<(Element, TimeRange)>,
    /// For each hand, the times at which no joint of the stream has a sufficient confidence.
    pub(super) low: [Vec<TimeRange>; 2],
    /// The time of the last sample.
    last: Option<f32>,
    /// The rate of a stream that this library wrote at a rate.
    written_rate: Option<f64>,
}

impl StreamKeys {
    /// Adds keys at `end`, the end of the recording, with the values of the last poses. It does so only for a stream
    /// that this library wrote, if less than a step of its rate is between its last sample and the end. Without these
    /// keys, the samples would seem to be lost. A hand gets none if `tracked`, the tracking states of both hands,
    /// states that it is not tracked.
    pub(super) fn hold(&mut self, end: f32, tracked: &[Option<Vec<Change>>; 2]) {
        let (Some(last), Some(rate)) = (self.last, self.written_rate) else {
            return;
        };
        // The writer ends before the first step that is after the end.
        let next = ((f64::from(last) * rate).round() + 1.0) / rate;
        if last >= end || next as f32 <= end {
            return;
        }
        for group in &mut self.groups {
            let states = group
                .side()
                .and_then(|side| tracked[side as usize].as_ref());
            let is_shown = states.is_none_or(|states| state_at(states, &mut 0, end.next_down()));
            for curve in &mut group.curves {
                let held = curve.last().filter(|key| is_shown && key.time() == last);
                let held = held.map(|key| SimpleKey::new(end, key.value()));
                curve.extend(held);
            }
        }
    }
}

/// Reads the keys of groups of channels from a stream. `times` are the times of the samples in seconds, NaN for those
/// that are not read. `tracked` are the tracking states of both hands, for the hands of which a channel states them.
/// `space` describes the axes of the numbers. Everything in the stream is unknown in its pauses.
pub(super) fn keys(
    stream: &Stream<'_>,
    groups: &[&Group],
    times: &[f32],
    tracked: &[Option<Vec<Change>>; 2],
    space: Space,
    options: &ReadOptions,
) -> StreamKeys {
    let keys_of = match stream.header.format {
        ChannelFormat::Int8 => keys_of::<i8>,
        ChannelFormat::Int16 => keys_of::<i16>,
        ChannelFormat::Int32 => keys_of::<i32>,
        ChannelFormat::Int64 => keys_of::<i64>,
        ChannelFormat::Float32 => keys_of::<f32>,
        // Streams of texts have no groups.
        ChannelFormat::Double64 | ChannelFormat::String => keys_of::<f64>,
    };
    let mut keys = keys_of(stream, groups, times, tracked, space, options);
    // This library also writes samples at the times of keys, which may be far apart.
    let pauses = match stream.header.written {
        Some(_) => Pauses::None,
        None => options.pauses,
    };
    let read = times.iter().copied().filter(|time| !time.is_nan());
    let pauses = pauses.in_times(&read.collect::<Vec<f32>>());
    // The tracking of a hand that no channel states is known from its joints.
    let of_hands = Side::BOTH.into_iter().filter(|&side| {
        let mut groups = groups.iter();
        tracked[side as usize].is_none() && groups.any(|group| group.part.side() == Some(side))
    });
    let elements = groups.iter().filter_map(|group| group.part.element());
    for element in elements.chain(of_hands.map(Element::Tracked)) {
        keys.gaps
            .extend(pauses.iter().map(|&pause| (element, pause)));
    }
    keys
}

fn keys_of<T: Number>(
    stream: &Stream<'_>,
    groups: &[&Group],
    times: &[f32],
    tracked: &[Option<Vec<Change>>; 2],
    space: Space,
    options: &ReadOptions,
) -> StreamKeys {
    let keys = groups
        .iter()
        .map(|group| GroupKeys::new(group, times.len(), options, space));
    let mut groups: Vec<GroupKeys> = keys.collect();
    let has_hand = Side::BOTH.map(|side| groups.iter().any(|group| group.side() == Some(side)));
    let mut known: [Vec<Change>; 2] = Default::default();
    let mut low: [LowRanges; 2] = Default::default();
    let mut cursors = [0; 2];
    let mut block = Block::default();
    let mut finish = |block: &mut Block<'_>| {
        for side in Side::BOTH {
            let index = side as usize;
            if !has_hand[index] {
                continue;
            }
            for states in [&mut block.known[index], &mut block.low[index]] {
                states.clear();
                states.resize(block.times.len(), false);
            }
            block.shown[index] = tracked[index].as_ref().map(|changes| {
                let times = block.times.iter();
                times
                    .map(|&time| state_at(changes, &mut cursors[index], time))
                    .collect()
            });
        }
        for group in &mut groups {
            group.add::<T>(block);
        }
        let expected = [None, Some(Side::Left), Some(Side::Right)];
        let expected = expected.map(|side| block.expected(side));
        for group in &mut groups {
            let place = group.side().map_or(0, |side| 1 + side as usize);
            group.find_gaps(&block.times, expected[place]);
        }
        for side in Side::BOTH {
            let index = side as usize;
            if has_hand[index] && tracked[index].is_none() {
                let states = block.known[index].iter().zip(&block.low[index]);
                let samples = block.times.iter().zip(states);
                for (&time, (&is_known, &is_low)) in samples.filter(|(time, _)| !time.is_nan()) {
                    // It is unknown whether a hand whose joints all have a low confidence is tracked.
                    let is_unknown = is_low && !is_known;
                    low[index].add(time, is_unknown);
                    if !is_unknown {
                        push_change(&mut known[index], time, is_known);
                    }
                }
            }
        }
        block.values.clear();
        block.times.clear();
    };
    let all_times = times;
    let mut times = times;
    for chunk in &stream.chunks {
        let (own, others) = times.split_at(chunk.count.min(times.len()));
        times = others;
        for (sample, &time) in chunk.samples(&stream.header).zip(own) {
            block.values.push(sample.values);
            block.times.push(time);
            if block.times.len() == BLOCK {
                finish(&mut block);
            }
        }
    }
    finish(&mut block);
    // After the last sample of the stream, nothing is known.
    let mut backwards = all_times.iter().rev().copied();
    let last = backwards.find(|time| !time.is_nan());
    if let Some(last) = last {
        for known in known.iter_mut().filter(|known| !known.is_empty()) {
            push_change(known, last.next_up(), false);
        }
    }
    let mut gaps = Vec::new();
    for group in &mut groups {
        group.end_gap(f32::INFINITY);
        if let Some(element) = group.part.element() {
            gaps.extend(group.gaps.iter().map(|&gap| (element, gap)));
        }
    }
    let header = &stream.header;
    let is_written = header.written.is_some() && header.rate > 0.0;
    StreamKeys {
        groups,
        known,
        gaps,
        low: low.map(LowRanges::finish),
        last,
        written_rate: is_written.then_some(header.rate),
    }
}

/// The times at which a hand has only joints with a low confidence: from the last other sample to the next one.
#[derive(Default)]
struct LowRanges {
    ranges: Vec<TimeRange>,
    /// The time of the last other sample in seconds.
    last: Option<f32>,
    is_low: bool,
}

impl LowRanges {
    fn add(&mut self, time: f32, is_low: bool) {
        if !is_low {
            self.end(time);
            self.last = Some(time);
        }
        self.is_low = is_low;
    }

    fn end(&mut self, end: f32) {
        if self.is_low {
            let start = self.last.unwrap_or(f32::NEG_INFINITY);
            self.ranges.push(TimeRange { start, end });
        }
    }

    fn finish(mut self) -> Vec<TimeRange> {
        self.end(f32::INFINITY);
        self.ranges
    }
}

/// Appends the state `is_on` from a time on, unless it equals the last state.
pub(super) fn push_change(changes: &mut Vec<Change>, time: f32, is_on: bool) {
    if changes.last().is_none_or(|&(_, last)| last != is_on) {
        changes.push((time, is_on));
    }
}

/// Returns the state at a time. Before the first change, this is the state from the first change on; without changes,
/// it is `false`. The caller keeps `cursor` between calls with increasing times: the index of the first change after
/// the last time.
fn state_at(changes: &[Change], cursor: &mut usize, time: f32) -> bool {
    while changes
        .get(*cursor)
        .is_some_and(|(start, _)| *start <= time)
    {
        *cursor += 1;
    }
    // A state holds before its first change, too.
    let change = changes.get(cursor.saturating_sub(1));
    change.is_some_and(|&(_, is_on)| is_on)
}

/// Converts the curve of a group with one channel to the changes of a state. The state is on while the number is at
/// least one half.
pub(super) fn states(group: &GroupKeys) -> Vec<Change> {
    let mut changes = Vec::new();
    for key in group.curves.iter().flatten() {
        push_change(&mut changes, key.time(), key.value() >= 0.5);
    }
    changes
}

/// Combines several states into one, which is on while at least one of them is on. Each item has the changes of one
/// state.
pub(super) fn any_of(states: Vec<Vec<Change>>) -> Vec<Change> {
    let tagged = states.iter().enumerate().flat_map(|(index, changes)| {
        changes
            .iter()
            .map(move |&(time, is_on)| (time, index, is_on))
    });
    let mut tagged: Vec<(f32, usize, bool)> = tagged.collect();
    tagged.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut now = vec![false; states.len()];
    let mut count = 0_usize;
    let mut changes = Vec::new();
    let mut events = tagged.into_iter().peekable();
    while let Some((time, index, is_on)) = events.next() {
        match (now[index], is_on) {
            (false, true) => count += 1,
            (true, false) => count -= 1,
            _ => {}
        }
        now[index] = is_on;
        // Changes at one time are one change.
        if events.peek().is_none_or(|&(next, ..)| next > time) {
            push_change(&mut changes, time, count > 0);
        }
    }
    changes
}
