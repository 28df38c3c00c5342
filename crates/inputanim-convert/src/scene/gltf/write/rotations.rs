//! Converts rotations for readers of glTF, which interpolate along the shorter arc at constant speed.
//!
//! MRTK interpolates the components of two keys linearly and normalizes the result. For keys in one
//! hemisphere, of equal length and less than 20° apart, the two differ by at most a hundredth of a
//! degree. Between other keys, the writer adds keys until this is true for all pairs.

use glam::DQuat;
use inputanim::TimeRange;

use crate::scene::gltf::clock;
use crate::scene::gltf::document::Interpolation;
use crate::scene::gltf::quaternion::{
    NEAR, NEARER, dot, double, is_unit, normalized, single, unit,
};

use super::budget::KeyBudget;
use super::report::Tally;
use super::track::Track;
use crate::shared::Error;

/// The tolerance as a distance between quaternions: a rotation of 0.01°.
const TOLERANCE: f64 = 0.000_087;

/// The relative difference between the lengths of two keys up to which the angular speed counts as constant.
const EVEN: f64 = 1e-4;

/// The largest number of times that the time between two keys is halved.
const DEEPEST: u32 = 8;

/// Returns `true` if a cubic track can be written as a cubic: its keys are normalized and in one hemisphere.
pub(super) fn stays_cubic(track: &Track<4>) -> bool {
    track.values.iter().all(|value| is_unit(*value)) && is_aligned(track)
}

/// Normalizes the keys of a rotation, moves them into one hemisphere, and adds keys, so that readers of glTF
/// interpolate it as MRTK does, except at sign flips. A cubic track stays as it is. Keys are added only in the time
/// ranges `shown`, or anywhere if it is `None`. Fails if the budget is exceeded; `name` names the rotation in the
/// error.
pub(super) fn turned(
    mut track: Track<4>,
    name: &str,
    shown: Option<&[TimeRange]>,
    budget: &mut KeyBudget,
    tally: &mut Tally,
) -> Result<Track<4>, Error> {
    if track.interpolation == Interpolation::Cubic {
        return Ok(track);
    }
    count_changes(&track, tally);
    // Normalizing keys of very different lengths changes the segments between them. The loop ends when
    // nothing changes, so that a file that was read gets no more keys when it is written again.
    loop {
        let keys = track.times.len();
        align(&mut track);
        if track.interpolation == Interpolation::Linear {
            divide(&mut track, name, shown, tally.shifted, budget)?;
        }
        normalize(&mut track);
        if keys == track.times.len() && is_aligned(&track) {
            break;
        }
    }
    // A rotation has two quaternions with opposite signs. After the alignment all keys of a constant rotation are
    // equal, and held values become a linear track.
    if track.values.windows(2).all(|pair| pair[0] == pair[1]) {
        track.interpolation = Interpolation::Linear;
    }
    Ok(track)
}

/// Adds the number of keys that are not of length 1, and the number of sign flips in the track, to `tally`.
fn count_changes(track: &Track<4>, tally: &mut Tally) {
    // Interpolation makes samples between keys shorter than 1, and a quaternion of length 0 means that nothing was
    // recorded. Neither counts.
    let is_odd = |value: &&[f32; 4]| {
        let length = double(**value).length();
        (length - 1.0).abs() > 1e-3 && length > 0.0
    };
    if !track.is_sampled {
        tally.lengths += track.values.iter().filter(is_odd).count();
    }
    if track.interpolation == Interpolation::Linear {
        let pairs = track.times.windows(2).zip(track.values.windows(2));
        let flips = pairs.filter(|(times, values)| {
            // Nothing is interpolated between keys at neighbouring times.
            let is_jump = clock::just_after(times[0], tally.shifted) >= times[1];
            !is_jump && !on_one_side(values)
        });
        tally.sign_flips += flips.count();
    }
}

/// Returns `true` if two keys are in one hemisphere. A quaternion of length 0 is in both.
fn on_one_side(pair: &[[f32; 4]]) -> bool {
    dot(normalized(pair[0]), normalized(pair[1])) >= 0.0
}

fn is_aligned(track: &Track<4>) -> bool {
    track.values.windows(2).all(on_one_side)
}

/// Moves every quaternion into the hemisphere of the one before by changing its sign.
fn align(track: &mut Track<4>) {
    let mut sign = 1.0;
    let mut before: Option<[f32; 4]> = None;
    for value in &mut track.values {
        if before.is_some_and(|before| !on_one_side(&[before, *value])) {
            sign = -sign;
        }
        before = Some(*value);
        *value = value.map(|part| part * sign);
    }
}

fn normalize(track: &mut Track<4>) {
    for value in &mut track.values {
        *value = normalized(*value);
    }
}

/// Adds keys between neighbouring keys where the arc between them differs from MRTK's interpolation by more than
/// [`TOLERANCE`], but only in the time ranges `shown`, or anywhere if it is `None`. The animation's clock is `offset`
/// seconds ahead of the recording's. Fails if the budget is exceeded; `name` names the rotation in the error.
fn divide(
    track: &mut Track<4>,
    name: &str,
    shown: Option<&[TimeRange]>,
    offset: f32,
    budget: &mut KeyBudget,
) -> Result<(), Error> {
    // The head has no states and is always shown.
    const ALWAYS: TimeRange = TimeRange {
        start: f32::NEG_INFINITY,
        end: f32::INFINITY,
    };
    let shown = shown.unwrap_or(&[ALWAYS]);
    let mut times = Vec::with_capacity(track.times.len());
    let mut values = Vec::with_capacity(track.times.len());
    for (index, (&time, &value)) in track.times.iter().zip(&track.values).enumerate() {
        if let Some(before) = index.checked_sub(1) {
            let pair = Pair {
                times: [track.times[before], time],
                ends: [double(track.values[before]), double(value)],
            };
            if pair.is_far([0.0, 1.0], NEAR) {
                pair.divide_within(shown, &mut |between, value| {
                    let between = clock::common(between, offset);
                    let is_new = times.last().is_some_and(|&last| last < between);
                    if is_new && between < time {
                        budget.spend(1.0, name)?;
                        times.push(between);
                        values.push(value);
                    }
                    Ok(())
                })?;
            }
        }
        times.push(time);
        values.push(value);
    }
    (track.times, track.values) = (times, values);
    Ok(())
}

/// Two neighbouring rotation keys in the same hemisphere.
struct Pair {
    times: [f32; 2],
    ends: [DQuat; 2],
}

impl Pair {
    /// Returns the rotation that MRTK evaluates at a fraction `x` of the time between both keys.
    fn at(&self, x: f64) -> DQuat {
        unit(self.ends[0] * (1.0 - x) + self.ends[1] * x)
    }

    /// Returns `true` if the arc over a part of the segment differs from MRTK's interpolation by more than
    /// [`TOLERANCE`], or if the ends of the part are farther apart than the angle whose cosine is `near`. `from` and
    /// `to` are fractions of the segment's time.
    fn is_far(&self, [from, to]: [f64; 2], near: f64) -> bool {
        let (a, b) = (self.at(from), self.at(to));
        if a.dot(b) < near {
            return true;
        }
        let lengths = self.ends.map(DQuat::length);
        let is_even = (lengths[0] / lengths[1] - 1.0).abs() <= EVEN;
        // A part of a divided segment may be faster at one end, so it is always compared.
        if is_even && [from, to] == [0.0, 1.0] {
            return false;
        }
        // Between keys of equal lengths the difference is largest near the quarters, between other keys near the
        // middle.
        [0.25, 0.5, 0.75].into_iter().any(|x| {
            let plays = self.at(from + (to - from) * x);
            (a.slerp(b, x) - plays).length() > TOLERANCE
        })
    }

    /// Calls `key` with the time and value of each key that must be added within time ranges, so that all arcs are
    /// within the tolerance. The calls are in order of time. A range that begins or ends within the segment gets a key
    /// there, so that the rest of the segment does not matter.
    fn divide_within(
        &self,
        ranges: &[TimeRange],
        key: &mut impl FnMut(f32, [f32; 4]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let [start, end] = self.times;
        let place = |time: f32| {
            let [time, start, end] = [time, start, end].map(f64::from);
            (time - start) / (end - start)
        };
        let first = ranges.partition_point(|range| range.end <= start);
        for range in ranges[first..].iter().take_while(|range| range.start < end) {
            let mut ends = [0.0, 1.0];
            if start < range.start {
                ends[0] = place(range.start);
                key(range.start, single(self.at(ends[0])))?;
            }
            if range.end < end {
                ends[1] = place(range.end);
            }
            self.divide(ends, DEEPEST, key)?;
            if range.end < end {
                key(range.end, single(self.at(ends[1])))?;
            }
        }
        Ok(())
    }

    /// Calls `key` with the time and value of each key that must be added to a part of the segment, in order of time.
    /// `from` and `to` are fractions of the segment's time. The part is halved at most `deepest` times.
    fn divide(
        &self,
        [from, to]: [f64; 2],
        deepest: u32,
        key: &mut impl FnMut(f32, [f32; 4]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        if deepest == 0 || !self.is_far([from, to], NEARER) {
            return Ok(());
        }
        let middle = (from + to) / 2.0;
        let [start, end] = self.times.map(f64::from);
        self.divide([from, middle], deepest - 1, key)?;
        key(
            (start + (end - start) * middle) as f32,
            single(self.at(middle)),
        )?;
        self.divide([middle, to], deepest - 1, key)
    }
}
