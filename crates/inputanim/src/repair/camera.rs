//! The signs of the head's rotations.
//!
//! Method: as for a chain of joints (`signs`), but the state is the sign of w at this key and at
//! the one before. A key costs a change of the turning speed, since a head that turns through
//! w = 0 goes on turning where the wrong sign would turn back; a roll, since heads are held
//! level; and how far it looks past the gaze and past the hands that the headset sees. The last
//! is asked between the keys too: a still head has few keys, but what it looks at moves on.

use glam::{DQuat, DVec3};

use crate::curve::FloatCurve;
use crate::evaluate::{BooleanEvaluator, FloatEvaluator, TimeNotANumber};
use crate::joint::{Joint, Side};
use crate::recording::Recording;

use super::halved::Halved;
use super::signs::{Choice, surprise};

/// How far the gaze usually is from straight ahead, in radians,
const GAZE: f64 = 0.3;
/// a tracked hand,
const HAND: f64 = 0.6;
/// and the head from level.
const ROLL: f64 = 0.1;
/// What is seen within this time is seen once, in seconds.
const GLANCE: f64 = 0.2;
/// How fast heads turn, in radians a second,
const SPEED: f64 = 1.5;
/// and how fast they change that, in radians a second squared; and the noise of the speed.
const ACCELERATION: f64 = 6.0;
const NOISE: f64 = 0.05;

/// For each key of the camera the best choice.
pub(super) fn choose(
    recording: &Recording<'_>,
    halved: &Halved,
) -> Result<Vec<Choice>, TimeNotANumber> {
    let view = View::new(recording)?;
    let times: Vec<f64> = halved.times.iter().copied().map(f64::from).collect();
    let rotations = &halved.rotations;
    let mut by_itself: Vec<[f64; 2]> = (0..times.len())
        .map(|key| {
            let (weight, glances) = glances(&times, key);
            let seen: Vec<_> = glances.map(|time| view.at(time as f32)).collect();
            rotations[key].map(|q| {
                let past: f64 = seen.iter().map(|seen| by_view(q, seen)).sum();
                // A head that is held askew stays so: that is seen but once.
                weight.min(1.0) * by_roll(q) + weight * past / seen.len() as f64
            })
        })
        .collect();
    halved.add_known(&mut by_itself);
    // As vectors along the axis by the two signs, in radians a second.
    let speeds: Vec<[[DVec3; 2]; 2]> = (1..times.len())
        .map(|key| {
            let seconds = (times[key] - times[key - 1]).max(1e-3);
            rotations[key - 1].map(|from| rotations[key].map(|to| turn(from, to) / seconds))
        })
        .collect();
    let in_time = |key: usize, first: usize, old: usize, new: usize| {
        let speed = speeds[key - 1][old][new];
        let change = key.checked_sub(2).map_or(0.0, |last| {
            let seconds = (times[key] - times[last]) / 2.0;
            let change = (speed - speeds[last][first][old]).length();
            surprise(change / (NOISE + ACCELERATION * seconds))
        });
        change + surprise(speed.length() / SPEED)
    };
    Ok(best_way(&by_itself, in_time))
}

/// How many glances a key stands for, and some times at which to look: from half way to the key
/// before to half way to the one after.
fn glances(times: &[f64], key: usize) -> (f64, impl Iterator<Item = f64>) {
    /// A head that is still for longer than so many has its eyes at rest too.
    const MOST: f64 = 25.0;
    let here = times[key];
    let middle = |other: Option<&f64>| other.map_or(here, |other| (other + here) / 2.0);
    let from = middle(key.checked_sub(1).and_then(|last| times.get(last)));
    let length = middle(times.get(key + 1)) - from;
    let weight = (length / GLANCE).min(MOST);
    let count = weight.ceil().max(1.0);
    let parts = (0..count as usize).map(move |part| (part as f64 + 0.5) / count);
    (weight, parts.map(move |part| from + length * part))
}

/// What it costs to be off level.
fn by_roll(q: DQuat) -> f64 {
    let roll = (q * DVec3::X).y.clamp(-1.0, 1.0).asin();
    surprise(roll / ROLL)
}

/// What it costs to look past what is seen: directions, and how far they may be from straight
/// ahead.
fn by_view(q: DQuat, seen: &[(DVec3, f64)]) -> f64 {
    let ahead = q * DVec3::Z;
    let past = seen
        .iter()
        .map(|(way, usual)| surprise(ahead.angle_between(*way) / usual));
    past.sum()
}

/// What the head has before it.
struct View<'r> {
    head: Option<Curves<'r>>,
    gaze: Option<Curves<'r>>,
    palms: Vec<(BooleanEvaluator<'r>, Curves<'r>)>,
}

type Curves<'r> = [FloatEvaluator<'r>; 3];

impl<'r> View<'r> {
    fn new(recording: &'r Recording<'_>) -> Result<View<'r>, TimeNotANumber> {
        let camera = recording.camera.as_ref();
        let head = camera.map(|pose| curves(pose.position.each_ref()));
        let gaze = recording
            .gaze
            .as_ref()
            .map(|ray| curves(ray.direction.each_ref()));
        let mut palms = Vec::new();
        if let Some(hands) = &recording.hands {
            for side in Side::BOTH {
                let hand = hands.hand(side);
                let palm = &hand.joints[Joint::Palm].position;
                if palm.iter().all(|curve| !curve.keys.is_empty()) {
                    palms.push((hand.tracked.evaluator()?, curves(palm.each_ref())?));
                }
            }
        }
        Ok(View {
            head: head.transpose()?,
            gaze: gaze.transpose()?,
            palms,
        })
    }

    /// Directions of length 1, with how far they usually are from straight ahead.
    fn at(&self, time: f32) -> Vec<(DVec3, f64)> {
        let head = self.head.as_ref().map(|head| vector(head, time));
        let tracked = self.palms.iter().filter(|(tracked, _)| tracked.at(time));
        let palms = tracked.filter_map(|(_, palm)| Some((vector(palm, time) - head?, HAND)));
        let gaze = self.gaze.iter().map(|gaze| (vector(gaze, time), GAZE));
        let all = gaze.chain(palms);
        all.filter_map(|(way, usual)| Some((way.try_normalize()?, usual)))
            .collect()
    }
}

fn curves<'r>(curves: [&'r FloatCurve<'_>; 3]) -> Result<Curves<'r>, TimeNotANumber> {
    let [x, y, z] = curves;
    Ok([x.evaluator()?, y.evaluator()?, z.evaluator()?])
}

fn vector(curves: &Curves<'_>, time: f32) -> DVec3 {
    DVec3::from_array(curves.each_ref().map(|curve| curve.at(time).into()))
}

/// As a vector along the axis, as long as the angle.
fn turn(from: DQuat, to: DQuat) -> DVec3 {
    let way = to * from.conjugate();
    let way = if way.w < 0.0 { -way } else { way };
    way.to_scaled_axis()
}

/// The best way where the cost of a key depends on the two before it. `in_time` takes the key and
/// the signs of the key two before, the one before and itself; states are the last two of them,
/// as bits.
fn best_way(
    by_itself: &[[f64; 2]],
    in_time: impl Fn(usize, usize, usize, usize) -> f64,
) -> Vec<Choice> {
    let Some(first) = by_itself.first() else {
        return Vec::new();
    };
    // What it costs to come to a state.
    let mut here = [first[0], first[1], f64::INFINITY, f64::INFINITY];
    let mut forwards = vec![here];
    for (key, own) in by_itself.iter().enumerate().skip(1) {
        let mut after = [f64::INFINITY; 4];
        for (state, before) in here.into_iter().enumerate() {
            for (new, own) in own.iter().enumerate() {
                let (first, old) = (state >> 1, state & 1);
                let cost = before + own + in_time(key, first, old, new);
                let next = &mut after[old << 1 | new];
                *next = next.min(cost);
            }
        }
        forwards.push(after);
        here = after;
    }
    // What it costs to go on from a state.
    let mut onwards = [0.0; 4];
    let mut choices = Vec::with_capacity(by_itself.len());
    for (key, (own, forwards)) in by_itself.iter().zip(&forwards).enumerate().rev() {
        let mut totals = [f64::INFINITY; 2];
        for state in 0..4 {
            let total = &mut totals[state & 1];
            *total = total.min(forwards[state] + onwards[state]);
        }
        choices.push(Choice::of(totals));
        if key == 0 {
            break;
        }
        let next = onwards;
        onwards = std::array::from_fn(|state| {
            let (first, old) = (state >> 1, state & 1);
            let cost = |new: usize| next[old << 1 | new] + own[new] + in_time(key, first, old, new);
            cost(0).min(cost(1))
        });
    }
    choices.reverse();
    choices
}
