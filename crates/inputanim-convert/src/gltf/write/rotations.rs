//! Rotations, as readers of glTF turn: of length 1, by the shorter turn, at an even speed.
//!
//! What plays is a straight line between the numbers of two keys, made length 1. Between keys on
//! one side, of one length and less than 20° apart that is the same to a hundredth of a degree;
//! between others keys are put until it is.

use glam::DQuat;
use inputanim::Span;

use crate::gltf::clock;
use crate::gltf::document::Interpolation;
use crate::gltf::quaternion::{NEAR, NEARER, dot, double, is_unit, normalised, single, unit};

use super::room::Room;
use super::track::Track;
use super::{Error, Told};

/// How far from what plays, as a distance between quaternions: a turn of 0.01°.
const OFF: f64 = 0.000_087;

/// The most by which the lengths of two keys may differ so that the speed is still even.
const EVEN: f64 = 1e-4;

/// Halvings of the time between two keys.
const DEEPEST: u32 = 8;

/// Whether a cubic can stay one: of length 1 at its keys, and on one side throughout.
pub(super) fn stays_cubic(track: &Track<4>) -> bool {
    track.values.iter().all(|value| is_unit(*value)) && is_aligned(track)
}

/// Makes a rotation's track one that readers of glTF turn as it plays; a cubic is one that
/// [stays](stays_cubic) it. Keys are put between others only within `shown`, where that is given.
pub(super) fn turned(
    mut track: Track<4>,
    name: &str,
    shown: Option<&[Span]>,
    room: &mut Room,
    told: &mut Told,
) -> Result<Track<4>, Error> {
    if track.interpolation == Interpolation::Cubic {
        return Ok(track);
    }
    tell(&track, told);
    // More than once where keys are of very different lengths, so that what is read is divided no
    // further when it is written again.
    loop {
        let keys = track.times.len();
        align(&mut track);
        if track.interpolation == Interpolation::Linear {
            divide(&mut track, name, shown, told.shifted, room)?;
        }
        normalise(&mut track);
        if keys == track.times.len() && is_aligned(&track) {
            break;
        }
    }
    // The two quaternions of one rotation are one step.
    if track.values.windows(2).all(|pair| pair[0] == pair[1]) {
        track.interpolation = Interpolation::Linear;
    }
    Ok(track)
}

/// Counts what is another once it is written.
fn tell(track: &Track<4>, told: &mut Told) {
    // What is between keys is shorter, and what has no length says nothing.
    let is_odd = |value: &&[f32; 4]| {
        let length = double(**value).length();
        (length - 1.0).abs() > 1e-3 && length > 0.0
    };
    if !track.is_sampled {
        told.lengths += track.values.iter().filter(is_odd).count() as u64;
    }
    if track.interpolation == Interpolation::Linear {
        let pairs = track.times.windows(2).zip(track.values.windows(2));
        let whirls = pairs.filter(|(times, values)| {
            let is_jump = clock::just_after(times[0], told.shifted) >= times[1];
            !is_jump && !on_one_side(values)
        });
        told.whirls += whirls.count() as u64;
    }
}

/// Whether two neighbours are less than half a turn apart; one of length 0 is no turn.
fn on_one_side(pair: &[[f32; 4]]) -> bool {
    dot(normalised(pair[0]), normalised(pair[1])) >= 0.0
}

fn is_aligned(track: &Track<4>) -> bool {
    track.values.windows(2).all(on_one_side)
}

/// Brings every key to the side of the one before it.
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

fn normalise(track: &mut Track<4>) {
    for value in &mut track.values {
        *value = normalised(*value);
    }
}

/// Puts keys where two are far apart.
fn divide(
    track: &mut Track<4>,
    name: &str,
    shown: Option<&[Span]>,
    offset: f32,
    room: &mut Room,
) -> Result<(), Error> {
    const ALWAYS: Span = Span {
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
                        room.take(1.0, name)?;
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

/// Two neighbouring keys on one side.
struct Pair {
    times: [f32; 2],
    ends: [DQuat; 2],
}

impl Pair {
    /// What plays.
    fn at(&self, x: f64) -> DQuat {
        unit(self.ends[0] * (1.0 - x) + self.ends[1] * x)
    }

    /// Whether the arc between two places on the way is far from what plays.
    fn is_far(&self, [from, to]: [f64; 2], near: f64) -> bool {
        let (a, b) = (self.at(from), self.at(to));
        if a.dot(b) < near {
            return true;
        }
        let lengths = self.ends.map(DQuat::length);
        let is_even = (lengths[0] / lengths[1] - 1.0).abs() <= EVEN;
        // A part of a longer way may be walked faster at one end.
        if is_even && [from, to] == [0.0, 1.0] {
            return false;
        }
        [0.25, 0.5, 0.75].into_iter().any(|x| {
            let plays = self.at(from + (to - from) * x);
            (a.slerp(b, x) - plays).length() > OFF
        })
    }

    /// Hands out keys within spans, in order, where it is far. Where a span ends on the way there is
    /// a key, so that the rest of the way does not matter.
    fn divide_within(
        &self,
        spans: &[Span],
        key: &mut impl FnMut(f32, [f32; 4]) -> Result<(), Error>,
    ) -> Result<(), Error> {
        let [start, end] = self.times;
        let place = |time: f32| {
            let [time, start, end] = [time, start, end].map(f64::from);
            (time - start) / (end - start)
        };
        let first = spans.partition_point(|span| span.end <= start);
        for span in spans[first..].iter().take_while(|span| span.start < end) {
            let mut ends = [0.0, 1.0];
            if start < span.start {
                ends[0] = place(span.start);
                key(span.start, single(self.at(ends[0])))?;
            }
            if span.end < end {
                ends[1] = place(span.end);
            }
            self.divide(ends, DEEPEST, key)?;
            if span.end < end {
                key(span.end, single(self.at(ends[1])))?;
            }
        }
        Ok(())
    }

    /// Hands out keys between two places on the way, in order, where it is far.
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
