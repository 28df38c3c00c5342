//! Evaluation of curves that share their key times and wrap modes.

use crate::evaluate::{Keyframe, Resolved, Wrap, fraction, lerp};
use crate::key::FullKey;

use super::row::{CHANNELS, Row};

/// Curves that share their key times and wrap modes.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub(super) wrap: Wrap,
    /// The key times, sorted. There is at least one.
    pub(super) times: Box<[f32]>,
    /// Slots of the linear curves, ascending, as runs of adjacent ones.
    pub(super) runs: Box<[Run]>,
    /// Values of the linear curves, key by key: one for each slot of the runs.
    pub(super) values: Box<[f32]>,
    /// The curves with tangents.
    pub(super) curved: Box<[CurvedLane]>,
}

/// Adjacent slots of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) start: u16,
    pub(super) length: u16,
}

/// One curve with tangents.
#[derive(Clone, Debug)]
pub(super) struct CurvedLane {
    /// Slot in a row.
    pub(super) slot: u16,
    /// Keys sorted by time.
    pub(super) keys: Box<[FullKey]>,
}

/// The key times and the wrap modes that the curves of a track share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Timeline<'t> {
    pub(super) wrap: Wrap,
    /// The key times, sorted. There is at least one.
    pub(super) times: &'t [f32],
}

/// The position of a time among the keys of a track.
#[derive(Clone, Copy, Debug)]
pub(super) enum Position {
    /// The value is that of the key with this index.
    Key(usize),
    /// At a time in seconds between the key with the index `left`, or at it, and the next key.
    Between { left: usize, time: f32 },
    /// The time is NaN, or the curves have no value there.
    NotANumber,
}

impl Timeline<'_> {
    /// Returns the position of `time` seconds. `segment` is the index of the segment to try first, and afterwards of the
    /// segment that contained the time.
    #[inline]
    pub(super) fn position(self, time: f32, segment: &mut u32) -> Position {
        let last = self.times.len() - 1;
        // A curve with one key has its value at all times, NaN included, whatever its wrap modes.
        if last == 0 {
            return Position::Key(0);
        }
        match self.wrap.resolve(self.times[0], self.times[last], time) {
            Resolved::First => Position::Key(0),
            Resolved::Last => Position::Key(last),
            Resolved::Inside(time) => {
                let left = self.segment(time, *segment as usize);
                *segment = left as u32;
                Position::Between { left, time }
            }
            Resolved::NotANumber => Position::NotANumber,
        }
    }

    /// Returns the index of the last key at or before `time`, which must be between the first and the last key. `guess`
    /// is the index to try first.
    #[inline]
    fn segment(self, time: f32, guess: usize) -> usize {
        let times = self.times;
        let holds = |left: usize| match times.get(left..left + 2) {
            Some(pair) => pair[0] <= time && time < pair[1],
            None => false,
        };
        // In order: the same segment, the next one (forward playback), the previous one (backward).
        if holds(guess) {
            guess
        } else if holds(guess + 1) {
            guess + 1
        } else if guess > 0 && holds(guess - 1) {
            guess - 1
        } else {
            times.partition_point(|&key| key <= time) - 1
        }
    }

    /// Returns the position in a segment at a time after its left key, or at it: 0 at the left key and 1 at the right one.
    #[inline]
    pub(super) fn fraction(self, left: usize, time: f32) -> f32 {
        fraction(self.times[left], self.times[left + 1], time)
    }
}

impl Track {
    pub(super) fn times(&self) -> &[f32] {
        &self.times
    }

    /// Returns the key times and the wrap modes. `clamp` ignores the wrap modes.
    #[inline]
    pub(super) fn timeline(&self, clamp: bool) -> Timeline<'_> {
        Timeline {
            wrap: if clamp { Wrap::CLAMP } else { self.wrap },
            times: &self.times,
        }
    }

    /// Returns the slots of the curves in a row.
    pub(super) fn slots(&self) -> impl Iterator<Item = usize> {
        let linear = self.runs.iter();
        let linear = linear.flat_map(|run| run.start..run.start + run.length);
        let curved = self.curved.iter().map(|lane| lane.slot);
        linear.chain(curved).map(usize::from)
    }

    /// Returns the times in seconds at which a value of the track may be discontinuous. A linear curve is discontinuous
    /// only where several keys share a time.
    pub(super) fn jumps(&self) -> impl Iterator<Item = f32> {
        let is_linear = self.curved.is_empty();
        let pairs = self.times.windows(2);
        let pairs = pairs.filter(move |pair| !is_linear || pair[0] == pair[1]);
        pairs.map(|pair| pair[1])
    }

    /// Writes the values of the curves at `time` seconds to their slots in `row`. `clamp` ignores wrap modes. `segment`
    /// is the index of the segment to try first, and afterwards of the segment that contained the time.
    #[inline]
    pub(super) fn write(&self, time: f32, clamp: bool, segment: &mut u32, row: &mut Row) {
        let row = row.values_mut();
        let timeline = self.timeline(clamp);
        match timeline.position(time, segment) {
            Position::Key(key) => self.write_key(key, row),
            Position::Between { left, time } => self.write_between(timeline, left, time, row),
            Position::NotANumber => self.write_nan(row),
        }
    }

    #[inline]
    fn width(&self) -> usize {
        self.values.len() / self.times.len()
    }

    fn write_key(&self, key: usize, row: &mut [f32; CHANNELS]) {
        let width = self.width();
        let mut values = &self.values[key * width..][..width];
        for run in &self.runs {
            let (of_run, rest) = values.split_at(run.length.into());
            row[run.start.into()..][..of_run.len()].copy_from_slice(of_run);
            values = rest;
        }
        for lane in &self.curved {
            row[usize::from(lane.slot)] = lane.keys[key].value();
        }
    }

    #[inline]
    fn write_between(
        &self,
        timeline: Timeline<'_>,
        left: usize,
        time: f32,
        row: &mut [f32; CHANNELS],
    ) {
        let x = timeline.fraction(left, time);
        let width = self.width();
        let rows = &self.values[left * width..][..2 * width];
        let (mut from, mut to) = rows.split_at(width);
        for run in &self.runs {
            let (a, from_rest) = from.split_at(run.length.into());
            let (b, to_rest) = to.split_at(run.length.into());
            let out = &mut row[run.start.into()..][..a.len()];
            for ((out, &a), &b) in out.iter_mut().zip(a).zip(b) {
                *out = lerp(a, b, x);
            }
            (from, to) = (from_rest, to_rest);
        }
        // Curves with tangents are rare and evaluated one by one.
        for lane in &self.curved {
            let (left, right) = (&lane.keys[left], &lane.keys[left + 1]);
            row[usize::from(lane.slot)] = FullKey::between(left, right, time);
        }
    }

    #[cold]
    fn write_nan(&self, row: &mut [f32; CHANNELS]) {
        for run in &self.runs {
            row[run.start.into()..][..run.length.into()].fill(f32::NAN);
        }
        for lane in &self.curved {
            row[usize::from(lane.slot)] = f32::NAN;
        }
    }
}
