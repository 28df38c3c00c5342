//! Joins the curves of one vector or quaternion into a track with common times.
//!
//! Method: a time at which any component has a key becomes a key of all components. Segments in a form that glTF
//! does not have are sampled. Where a component jumps, there are keys just before it, at it and, if
//! needed, just after it. If any segment is cubic, the track is cubic. If all segments hold their values, the track
//! does too. All other tracks are linear.
//!
//! Guarantee: the values at keys are the evaluated values, bit for bit. Between keys, all segments that are
//! not sampled evaluate to the same curve.

use inputanim::{FloatCurve, TimeRange};

use crate::scene::gltf::clock;
use crate::scene::gltf::document::Interpolation;

use super::budget::KeyBudget;
use super::component::{Component, Form, Sides};
use super::track::Track;
use crate::shared::Error;

/// The options for making tracks.
#[derive(Clone, Copy, Debug)]
pub(super) struct TrackOptions {
    /// Samples per second of segments in a form that glTF does not have.
    pub(super) rate: f64,
    /// The seconds that are added to all times.
    pub(super) offset: f32,
    /// True if cubic curves stay cubic.
    pub(super) keeps_cubics: bool,
}

/// A key of all components.
struct VectorKey<const N: usize> {
    time: f32,
    sides: [Sides; N],
}

impl<const N: usize> VectorKey<N> {
    fn jumps(&self) -> bool {
        let mut sides = self.sides.iter();
        sides.any(|sides| sides.before.0 != sides.after.0)
    }
}

/// Joins the curves of a vector to a track on the animation's clock, which is empty if no curve has a key. Fails if the
/// samples exceed the budget; `name` names the vector in the error.
pub(super) fn track<const N: usize>(
    curves: &[FloatCurve<'_>; N],
    name: &str,
    options: TrackOptions,
    budget: &mut KeyBudget,
) -> Result<Track<N>, Error> {
    let components: [Component; N] =
        std::array::from_fn(|n| Component::new(&curves[n], options.keeps_cubics));
    let mut times = common_times(&components);
    let mut keys = keys_at(&components, &times);
    let sampled = sampled_times(&keys, options.rate, name, budget)?;
    // This is tested before `straighten` replaces these segments.
    let is_sampled = has(&keys, Form::Other);
    if !sampled.is_empty() {
        times.extend(sampled);
        times.sort_by(f32::total_cmp);
        times.dedup_by(|later, earlier| later == earlier);
        keys = keys_at(&components, &times);
    }
    straighten(&mut keys);
    let keys = shift_keys(keys, options.offset);
    Ok(Track {
        dropped: components.iter().map(|one| one.dropped).sum(),
        is_sampled,
        ..joined(&keys, options.offset)
    })
}

fn has<const N: usize>(keys: &[VectorKey<N>], form: Form) -> bool {
    let mut sides = keys.iter().flat_map(|key| &key.sides);
    sides.any(|sides| sides.form == Some(form))
}

/// Returns the times of all components' keys, in order and without duplicates.
fn common_times<const N: usize>(components: &[Component; N]) -> Vec<f32> {
    let longest = components.iter().max_by_key(|one| one.keys().len());
    let mut times: Vec<f32> = Vec::with_capacity(longest.map_or(0, |one| one.keys().len()));
    let mut places = [0; N];
    loop {
        // The keys of every component are sorted, so merging them takes one pass.
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

/// Returns the times, at multiples of 1 / `rate` seconds, at which segments in a form that glTF does not have are
/// sampled. Fails if they exceed the budget; `name` names the vector in the error.
fn sampled_times<const N: usize>(
    keys: &[VectorKey<N>],
    rate: f64,
    name: &str,
    budget: &mut KeyBudget,
) -> Result<Vec<f32>, Error> {
    let mut sampled = Vec::new();
    for pair in keys.windows(2) {
        // One component in such a form is enough, because a channel has one interpolation for all of them.
        let mut sides = pair[0].sides.iter();
        if sides.any(|sides| sides.form == Some(Form::Other)) {
            let [start, end] = [pair[0].time, pair[1].time];
            sampled.extend(budget.times(TimeRange { start, end }, rate, name)?);
        }
    }
    Ok(sampled)
}

fn keys_at<const N: usize>(components: &[Component; N], times: &[f32]) -> Vec<VectorKey<N>> {
    let mut places = [0; N];
    let key = |&time: &f32| VectorKey {
        time,
        sides: std::array::from_fn(|n| {
            let keys = components[n].keys();
            let passed = keys[places[n]..].iter();
            places[n] += passed.take_while(|key| key.time() < time).count();
            components[n].at(time, places[n])
        }),
    };
    times.iter().map(key).collect()
}

/// Replaces segments in a form that glTF does not have by linear segments, in place.
fn straighten<const N: usize>(keys: &mut [VectorKey<N>]) {
    for index in 1..keys.len() {
        let (left, right) = keys.split_at_mut(index);
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

/// Adds `offset` seconds to the times of keys, which converts them to the animation's clock. Keys whose times become
/// equal are joined into one key with a jump.
fn shift_keys<const N: usize>(mut keys: Vec<VectorKey<N>>, offset: f32) -> Vec<VectorKey<N>> {
    for key in &mut keys {
        key.time = clock::to_animation(key.time, offset);
    }
    keys.dedup_by(|key, last| {
        let is_same = key.time == last.time;
        if is_same {
            for (last, sides) in last.sides.iter_mut().zip(key.sides) {
                *last = Sides {
                    before: last.before,
                    ..sides
                };
            }
        }
        is_same
    });
    keys
}

/// Returns a track through keys on the animation's clock: held, linear or cubic, as the segments require. Adds keys
/// just before and just after a jump.
fn joined<const N: usize>(keys: &[VectorKey<N>], offset: f32) -> Track<N> {
    let interpolation = interpolation(keys);
    let mut track = Track::new(interpolation, keys.len());
    for (index, key) in keys.iter().enumerate() {
        let before = key.sides.map(|sides| sides.before.0);
        let at = key.sides.map(|sides| sides.at);
        let after = key.sides.map(|sides| sides.after.0);
        let mut arriving = key.sides.map(|sides| sides.before.1);
        let leaving = key.sides.map(|sides| sides.after.1);
        let flat = [0.0; N];
        let just_before = clock::just_before(key.time, offset);
        let just_after = clock::just_after(key.time, offset);
        // On a steep segment, the value at a neighbouring time differs from the value at the key.
        let on = |values: [f32; N], slopes: [f64; N], time: f32| {
            let step = f64::from(time) - f64::from(key.time);
            std::array::from_fn(|n| {
                let value = (f64::from(values[n]) + slopes[n] * step) as f32;
                if value.is_finite() { value } else { values[n] }
            })
        };
        // The key before a jump needs a free time that is not negative. Held values need no such key,
        // because they hold until the next one.
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
        let next = keys.get(index + 1);
        let leaps = at != after && next.is_none_or(|next| just_after < next.time);
        let leaves = if leaps { flat } else { leaving };
        track.push(key.time, at, [arriving, leaves]);
        if leaps {
            track.push(just_after, on(after, leaving, just_after), [flat, leaving]);
        }
    }
    // glTF requires at least two keys of a cubic.
    if track.times.len() == 1 {
        track.interpolation = Interpolation::Linear;
        track.slopes.clear();
    }
    track
}

fn interpolation<const N: usize>(keys: &[VectorKey<N>]) -> Interpolation {
    if has(keys, Form::Cubic) {
        return Interpolation::Cubic;
    }
    let holds = |pair: &[VectorKey<N>]| {
        let mut sides = pair[0].sides.iter().zip(&pair[1].sides);
        sides.all(|(a, b)| a.form != Some(Form::Line) || a.after.0 == b.before.0)
    };
    if keys.iter().skip(1).any(VectorKey::jumps) && keys.windows(2).all(holds) {
        Interpolation::Step
    } else {
        Interpolation::Linear
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::FullKey;

    fn track_of(curves: [FloatCurve<'_>; 2], offset: f32) -> Track<2> {
        let options = TrackOptions {
            rate: 4.0,
            offset,
            keeps_cubics: true,
        };
        track(&curves, "", options, &mut KeyBudget::new()).unwrap()
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
    fn a_jump_starts_at_the_last_time_before_it() {
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
    fn tangents_are_kept_and_linear_segments_get_theirs() {
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
    fn the_last_of_keys_that_become_equal_in_time_counts() {
        let times = [0.0, 1e-7, 1.0];
        let a = FloatCurve::linear(times.into_iter().zip([1.0, 2.0, 2.0]));
        let track = track_of([a, FloatCurve::default()], 1000.0);
        // Before all keys the value of the first one is held.
        assert_eq!(track.times, [1000.0_f32.next_down(), 1000.0, 1001.0]);
        assert_eq!(track.values, [[1.0, 0.0], [2.0, 0.0], [2.0, 0.0]]);
    }
}
