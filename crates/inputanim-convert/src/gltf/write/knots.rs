//! The curves of one vector or quaternion with common times.
//!
//! Method: a time at which any component has a key is a knot of all. What has no form in glTF is
//! replaced by straight lines between knots at a rate. Where a component jumps, there are knots just
//! before it, at it and, if need be, just after it. Straight lines and held values then give their own kind of
//! track; anything else is a cubic with slopes.
//!
//! Guarantee: values at knots are those that play, bit for bit, and between them all kinds but the
//! one that is sampled play the same curve.

use inputanim::{FloatCurve, Span};

use crate::gltf::clock;
use crate::gltf::document::Interpolation;

use super::Error;
use super::component::{Component, Form, Sides};
use super::room::Room;
use super::track::Track;

/// How tracks are made.
#[derive(Clone, Copy, Debug)]
pub(super) struct Way {
    /// How often a second straight lines are made of what has no form in glTF.
    pub(super) rate: f64,
    /// By how much the clock is put forward.
    pub(super) offset: f32,
    /// Whether cubics may stay.
    pub(super) keeps_cubics: bool,
}

/// One knot of all components.
struct Knot<const N: usize> {
    time: f32,
    sides: [Sides; N],
}

impl<const N: usize> Knot<N> {
    fn jumps(&self) -> bool {
        let mut sides = self.sides.iter();
        sides.any(|sides| sides.before.0 != sides.after.0)
    }
}

/// The track of a vector; without times where no curve has a key.
pub(super) fn track<const N: usize>(
    curves: &[FloatCurve<'_>; N],
    name: &str,
    way: Way,
    room: &mut Room,
) -> Result<Track<N>, Error> {
    let components: [Component; N] =
        std::array::from_fn(|n| Component::new(&curves[n], way.keeps_cubics));
    let mut times = common_times(&components);
    let mut knots = knots_at(&components, &times);
    let sampled = sampled_times(&knots, way.rate, name, room)?;
    let is_sampled = has(&knots, Form::Other);
    if !sampled.is_empty() {
        times.extend(sampled);
        times.sort_by(f32::total_cmp);
        times.dedup_by(|later, earlier| later == earlier);
        knots = knots_at(&components, &times);
    }
    straighten(&mut knots);
    let knots = put_forward(knots, way.offset);
    Ok(Track {
        left_out: components.iter().map(|one| one.left_out).sum(),
        is_sampled,
        ..joined(&knots, way.offset)
    })
}

fn has<const N: usize>(knots: &[Knot<N>], form: Form) -> bool {
    let mut sides = knots.iter().flat_map(|knot| &knot.sides);
    sides.any(|sides| sides.form == Some(form))
}

/// Every time at which a component has a key, in order, each once.
fn common_times<const N: usize>(components: &[Component; N]) -> Vec<f32> {
    let longest = components.iter().max_by_key(|one| one.keys().len());
    let mut times: Vec<f32> = Vec::with_capacity(longest.map_or(0, |one| one.keys().len()));
    let mut places = [0; N];
    loop {
        let next = components
            .iter()
            .zip(places)
            .filter_map(|(one, place)| Some(one.keys().get(place)?.time()))
            .reduce(f32::min);
        let Some(next) = next else { return times };
        times.push(next);
        for (one, place) in components.iter().zip(&mut places) {
            let keys = one.keys()[*place..].iter();
            *place += keys.take_while(|key| key.time() == next).count();
        }
    }
}

/// Times between knots at which what has no form in glTF is looked at.
fn sampled_times<const N: usize>(
    knots: &[Knot<N>],
    rate: f64,
    name: &str,
    room: &mut Room,
) -> Result<Vec<f32>, Error> {
    let mut sampled = Vec::new();
    for pair in knots.windows(2) {
        let mut sides = pair[0].sides.iter();
        if sides.any(|sides| sides.form == Some(Form::Other)) {
            let [start, end] = [pair[0].time, pair[1].time];
            sampled.extend(room.times(Span { start, end }, rate, name)?);
        }
    }
    Ok(sampled)
}

fn knots_at<const N: usize>(components: &[Component; N], times: &[f32]) -> Vec<Knot<N>> {
    let mut places = [0; N];
    let knot = |&time: &f32| Knot {
        time,
        sides: std::array::from_fn(|n| {
            let keys = components[n].keys();
            let passed = keys[places[n]..].iter();
            places[n] += passed.take_while(|key| key.time() < time).count();
            components[n].at(time, places[n])
        }),
    };
    times.iter().map(knot).collect()
}

/// Makes straight lines of what has no form in glTF.
fn straighten<const N: usize>(knots: &mut [Knot<N>]) {
    for index in 1..knots.len() {
        let (left, right) = knots.split_at_mut(index);
        let (Some(left), Some(right)) = (left.last_mut(), right.first_mut()) else {
            continue;
        };
        let length = f64::from(right.time) - f64::from(left.time);
        for (a, b) in left.sides.iter_mut().zip(&mut right.sides) {
            if a.form == Some(Form::Other) {
                let slope = (f64::from(b.before.0) - f64::from(a.after.0)) / length;
                a.form = Some(Form::Line);
                (a.after.1, b.before.1) = (slope, slope);
            }
        }
    }
}

/// Moves knots on the clock. Where two fall together they are one, which jumps.
fn put_forward<const N: usize>(mut knots: Vec<Knot<N>>, offset: f32) -> Vec<Knot<N>> {
    for knot in &mut knots {
        knot.time = clock::put_forward(knot.time, offset);
    }
    knots.dedup_by(|knot, last| {
        let is_same = knot.time == last.time;
        if is_same {
            for (last, sides) in last.sides.iter_mut().zip(knot.sides) {
                *last = Sides {
                    before: last.before,
                    ..sides
                };
            }
        }
        is_same
    });
    knots
}

/// The simplest kind of track through the knots, which are on the clock of the animation.
fn joined<const N: usize>(knots: &[Knot<N>], offset: f32) -> Track<N> {
    let interpolation = interpolation(knots);
    let mut track = Track::new(interpolation, knots.len());
    for (index, knot) in knots.iter().enumerate() {
        let before = knot.sides.map(|sides| sides.before.0);
        let at = knot.sides.map(|sides| sides.at);
        let after = knot.sides.map(|sides| sides.after.0);
        let mut arriving = knot.sides.map(|sides| sides.before.1);
        let leaving = knot.sides.map(|sides| sides.after.1);
        let flat = [0.0; N];
        let just_before = clock::just_before(knot.time, offset);
        let just_after = clock::just_after(knot.time, offset);
        // A steep line is elsewhere already.
        let on = |values: [f32; N], slopes: [f64; N], time: f32| {
            let step = f64::from(time) - f64::from(knot.time);
            std::array::from_fn(|n| {
                let value = (f64::from(values[n]) + slopes[n] * step) as f32;
                if value.is_finite() { value } else { values[n] }
            })
        };
        // No time is before 0, and held values need no key before the next.
        let is_free = track
            .times
            .last()
            .map_or(just_before >= 0.0, |&last| last < just_before);
        if before != at && (index == 0 || interpolation != Interpolation::Step) {
            if is_free {
                track.push(
                    just_before,
                    on(before, arriving, just_before),
                    [arriving, flat],
                );
            }
            arriving = flat;
        }
        let next = knots.get(index + 1);
        let leaps = at != after && next.is_none_or(|next| just_after < next.time);
        let leaves = if leaps { flat } else { leaving };
        track.push(knot.time, at, [arriving, leaves]);
        if leaps {
            track.push(just_after, on(after, leaving, just_after), [flat, leaving]);
        }
    }
    // A cubic needs two keys.
    if track.times.len() == 1 {
        track.interpolation = Interpolation::Linear;
        track.slopes.clear();
    }
    track
}

fn interpolation<const N: usize>(knots: &[Knot<N>]) -> Interpolation {
    if has(knots, Form::Cubic) {
        return Interpolation::Cubic;
    }
    let holds = |pair: &[Knot<N>]| {
        let mut sides = pair[0].sides.iter().zip(&pair[1].sides);
        sides.all(|(a, b)| a.form != Some(Form::Line) || a.after.0 == b.before.0)
    };
    match knots.iter().skip(1).any(Knot::jumps) && knots.windows(2).all(holds) {
        true => Interpolation::Step,
        false => Interpolation::Linear,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::FullKey;

    fn track_of(curves: [FloatCurve<'_>; 2], offset: f32) -> Track<2> {
        let way = Way {
            rate: 4.0,
            offset,
            keeps_cubics: true,
        };
        track(&curves, "", way, &mut Room::new()).unwrap()
    }

    #[test]
    fn there_is_a_key_at_each_time_of_any_component() {
        let a = FloatCurve::linear([(0.0, 0.0), (2.0, 4.0)]);
        let b = FloatCurve::linear([(0.5, 1.0), (1.0, 3.0)]);
        let track = track_of([a, b], 0.0);
        assert_eq!(track.interpolation, Interpolation::Linear);
        assert_eq!(track.times, [0.0, 0.5, 1.0, 2.0]);
        let values = [[0.0, 1.0], [1.0, 1.0], [2.0, 3.0], [4.0, 3.0]];
        assert_eq!(track.values, values);
    }

    #[test]
    fn a_jump_is_from_the_last_time_before_it() {
        let a = FloatCurve::linear([(0.0, 0.0), (1.0, 2.0), (1.0, 5.0), (2.0, 5.0)]);
        let track = track_of([a, FloatCurve::default()], 0.0);
        assert_eq!(track.times, [0.0, 1.0_f32.next_down(), 1.0, 2.0]);
        let values: Vec<f32> = track.values.iter().map(|value| value[0]).collect();
        assert!(
            (values[1] - 2.0).abs() < 1e-6 && values[2..] == [5.0, 5.0],
            "{values:?}"
        );
    }

    #[test]
    fn at_the_first_time_the_first_of_its_keys_counts() {
        let a = FloatCurve::linear([(1.0, 7.0), (1.0, 5.0), (2.0, 5.0)]);
        let track = track_of([a, FloatCurve::default()], 0.0);
        assert_eq!(track.times, [1.0, 1.0_f32.next_up(), 2.0]);
        assert_eq!(track.values, [[7.0, 0.0], [5.0, 0.0], [5.0, 0.0]]);
    }

    #[test]
    fn held_values_are_steps_unless_another_component_moves() {
        let hold = |time, value| FullKey::hermite(time, value, f32::INFINITY, f32::INFINITY);
        let held = || FloatCurve::full([hold(0.0, 1.0), hold(1.0, 2.0)]);
        let stepped = track_of([held(), FloatCurve::default()], 0.0);
        assert_eq!(stepped.interpolation, Interpolation::Step);
        assert_eq!(
            (stepped.times, stepped.values),
            (vec![0.0, 1.0], vec![[1.0, 0.0], [2.0, 0.0]])
        );
        let moving = FloatCurve::linear([(0.0, 0.0), (1.0, 1.0)]);
        let mixed = track_of([held(), moving], 0.0);
        assert_eq!(mixed.interpolation, Interpolation::Linear);
        assert_eq!(mixed.values[1][0], 1.0, "until just before its key");
    }

    #[test]
    fn tangents_stay_and_straight_lines_get_theirs() {
        let bent = [(0.0, 0.0, 2.0), (2.0, 4.0, 0.0)];
        let bent = bent.map(|(time, value, slope)| FullKey::hermite(time, value, slope, slope));
        let line = FloatCurve::linear([(0.0, 0.0), (1.0, 3.0), (2.0, 3.0)]);
        let track = track_of([FloatCurve::full(bent), line], 0.0);
        assert_eq!(track.interpolation, Interpolation::Cubic);
        assert_eq!(track.times, [0.0, 1.0, 2.0]);
        // The cubic's own slope halfway: 1.5 times the rise, less a quarter of both tangents.
        assert_eq!(track.slopes[1], [[2.5, 3.0], [2.5, 0.0]]);
        assert_eq!(
            (track.slopes[0][1], track.slopes[2][0]),
            ([2.0, 3.0], [0.0, 0.0])
        );
    }

    #[test]
    fn of_keys_that_fall_together_on_a_later_clock_the_last_counts() {
        let times = [0.0, 1e-7, 1.0];
        let a = FloatCurve::linear(times.into_iter().zip([1.0, 2.0, 2.0]));
        let track = track_of([a, FloatCurve::default()], 1000.0);
        // Before all keys the first one's value plays.
        assert_eq!(track.times, [1000.0_f32.next_down(), 1000.0, 1001.0]);
        assert_eq!(track.values, [[1.0, 0.0], [2.0, 0.0], [2.0, 0.0]]);
    }
}
