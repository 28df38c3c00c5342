//! Selects the signs of the head's rotations.
//!
//! Method: as for a chain of joints (`signs`), but the state is the sign of w at this key and at the key before. The
//! cost of a key is the sum of three parts. The first is the turning speed and its change: a head that turns through w
//! = 0 continues to turn, but with the wrong sign it would turn back. The second is the roll, because heads are held
//! level. The third is the angles from the view direction to the gaze and to the tracked hands. These angles are also
//! evaluated between the keys: a still head has few keys, but the gaze and the hands continue to move.

use glam::{DQuat, DVec3};

use crate::curve::FloatCurve;
use crate::evaluate::{BooleanEvaluator, FloatEvaluator, TimeNotANumber};
use crate::joint::{Joint, Side};
use crate::recording::Recording;

use super::lost_rotation::LostRotation;
use super::signs::{Choice, robust_cost};

/// The typical angle between the gaze and the view direction of the head, in radians.
const GAZE_SPREAD: f64 = 0.3;
/// The typical angle between a tracked hand and the view direction, in radians.
const HAND_SPREAD: f64 = 0.6;
/// The typical roll of the head in radians.
const ROLL_SPREAD: f64 = 0.1;
/// The time in seconds after which another observation of the gaze or a hand counts as independent.
const OBSERVATION_SECONDS: f64 = 0.2;
/// The typical angular speed of heads in radians per second.
const SPEED: f64 = 1.5;
/// The typical angular acceleration of heads in radians per second squared.
const ACCELERATION: f64 = 6.0;
/// The noise of the angular speed in radians per second.
const NOISE: f64 = 0.05;

/// Selects one of the two possible rotations for each key of the head, and returns the choices in the order of the
/// keys. Returns an error if the time of a key is NaN.
pub(super) fn choose(
    recording: &Recording<'_>,
    lost_rotation: &LostRotation,
) -> Result<Vec<Choice>, TimeNotANumber> {
    let view = View::new(recording)?;
    let times: Vec<f64> = lost_rotation.times.iter().copied().map(f64::from).collect();
    let rotations = &lost_rotation.rotations;
    let mut own_costs: Vec<[f64; 2]> = (0..times.len())
        .map(|key| {
            let (weight, observations) = observations(&times, key);
            let seen: Vec<_> = observations.map(|time| view.at(time as f32)).collect();
            rotations[key].map(|q| {
                // The sum becomes a mean below, which is weighted with the number of independent
                // observations.
                let off_view: f64 = seen.iter().map(|seen| view_cost(q, seen)).sum();
                // A tilted head stays tilted, so a longer time adds no evidence.
                weight.min(1.0) * roll_cost(q) + weight * off_view / seen.len() as f64
            })
        })
        .collect();
    lost_rotation.add_known(&mut own_costs);
    // Angular speeds as vectors along the axis, for each pair of signs, in radians per second.
    let speeds: Vec<[[DVec3; 2]; 2]> = (1..times.len())
        .map(|key| {
            // Keys at nearly the same time must not give a huge speed.
            let seconds = (times[key] - times[key - 1]).max(1e-3);
            rotations[key - 1]
                .map(|from| rotations[key].map(|to| rotation_vector(from, to) / seconds))
        })
        .collect();
    let time_cost = |key: usize, first: usize, old: usize, new: usize| {
        let speed = speeds[key - 1][old][new];
        let change = key.checked_sub(2).map_or(0.0, |last| {
            // Each speed belongs to the middle of its interval. The time between the two middles is half of both
            // intervals.
            let seconds = (times[key] - times[last]) / 2.0;
            let change = (speed - speeds[last][first][old]).length();
            robust_cost(change / (NOISE + ACCELERATION * seconds))
        });
        change + robust_cost(speed.length() / SPEED)
    };
    Ok(select_signs(&own_costs, time_cost))
}

/// Returns the number of independent observations of the gaze and the hands that a key stands for, and the times in
/// seconds at which to evaluate them. They cover the time from halfway to the key before to halfway to the next key.
/// `times` are the key times.
fn observations(times: &[f64], key: usize) -> (f64, impl Iterator<Item = f64>) {
    /// The largest number: during a longer rest of the head, the eyes rest too.
    const MAX_OBSERVATIONS: f64 = 25.0;
    let here = times[key];
    let middle = |other: Option<&f64>| other.map_or(here, |other| (other + here) / 2.0);
    let from = middle(key.checked_sub(1).and_then(|last| times.get(last)));
    let length = middle(times.get(key + 1)) - from;
    let weight = (length / OBSERVATION_SECONDS).min(MAX_OBSERVATIONS);
    let count = weight.ceil().max(1.0);
    let parts = (0..count as usize).map(move |part| (part as f64 + 0.5) / count);
    (weight, parts.map(move |part| from + length * part))
}

/// Returns the cost of the roll of a head rotation: the angle of its X axis above or below the horizontal.
fn roll_cost(q: DQuat) -> f64 {
    let roll = (q * DVec3::X).y.clamp(-1.0, 1.0).asin();
    robust_cost(roll / ROLL_SPREAD)
}

/// Returns the total cost of the angles between the view direction of a head rotation and the observed directions.
/// `seen` has these unit vectors, each with its typical angle from the view direction in radians.
fn view_cost(q: DQuat, seen: &[(DVec3, f64)]) -> f64 {
    let ahead = q * DVec3::Z;
    let off_view = seen
        .iter()
        .map(|(direction, usual)| robust_cost(ahead.angle_between(*direction) / usual));
    off_view.sum()
}

/// The curves of the head, the gaze and the hands.
struct View<'r> {
    head: Option<Curves<'r>>,
    gaze: Option<Curves<'r>>,
    palms: Vec<(BooleanEvaluator<'r>, Curves<'r>)>,
}

type Curves<'r> = [FloatEvaluator<'r>; 3];

impl<'r> View<'r> {
    fn new(recording: &'r Recording<'_>) -> Result<View<'r>, TimeNotANumber> {
        let head = recording.head.as_ref();
        let head = head.map(|pose| curves(pose.position.each_ref()));
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

    /// Returns the direction of the gaze at a time, and the directions from the head to the tracked hands. They are
    /// unit vectors, each with its typical angle from the view direction in radians.
    fn at(&self, time: f32) -> Vec<(DVec3, f64)> {
        let head = self.head.as_ref().map(|head| vector(head, time));
        let tracked = self.palms.iter().filter(|(tracked, _)| tracked.at(time));
        let palms = tracked.filter_map(|(_, palm)| Some((vector(palm, time) - head?, HAND_SPREAD)));
        let gaze = self
            .gaze
            .iter()
            .map(|gaze| (vector(gaze, time), GAZE_SPREAD));
        let all = gaze.chain(palms);
        all.filter_map(|(direction, usual)| Some((direction.try_normalize()?, usual)))
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

/// Returns the rotation from one orientation to another, along the shorter arc, as a vector. Its direction is the axis,
/// and its length is the angle in radians.
fn rotation_vector(from: DQuat, to: DQuat) -> DVec3 {
    let difference = to * from.conjugate();
    // The negative quaternion is the same rotation by the shorter arc.
    let difference = if difference.w < 0.0 {
        -difference
    } else {
        difference
    };
    difference.to_scaled_axis()
}

/// Selects for each key one of two signs of w, 0 or 1, so that the total cost is minimal. `own_costs` are the costs of
/// both signs of each key. `time_cost` returns the cost of the change up to a key. Its arguments are the index of the
/// key and three signs: of the key two places before, of the key before, and of the key itself.
fn select_signs(
    own_costs: &[[f64; 2]],
    time_cost: impl Fn(usize, usize, usize, usize) -> f64,
) -> Vec<Choice> {
    let Some(first) = own_costs.first() else {
        return Vec::new();
    };
    // The least cost of a sequence up to the key, by the state in which it ends. The bits of a state are the signs of
    // the key before and of the key. There is no key before the first one, so half of the states cannot occur.
    let mut here = [first[0], first[1], f64::INFINITY, f64::INFINITY];
    let mut forward = vec![here];
    for (key, own) in own_costs.iter().enumerate().skip(1) {
        let mut after = [f64::INFINITY; 4];
        for (state, before) in here.into_iter().enumerate() {
            for (new, own) in own.iter().enumerate() {
                let (first, old) = (state >> 1, state & 1);
                let cost = before + own + time_cost(key, first, old, new);
                let next = &mut after[old << 1 | new];
                *next = next.min(cost);
            }
        }
        forward.push(after);
        here = after;
    }
    // The least cost of the keys after the key, by the state at the key.
    let mut backward = [0.0; 4];
    let mut choices = Vec::with_capacity(own_costs.len());
    for (key, (own, forward)) in own_costs.iter().zip(&forward).enumerate().rev() {
        let mut totals = [f64::INFINITY; 2];
        for state in 0..4 {
            let total = &mut totals[state & 1];
            *total = total.min(forward[state] + backward[state]);
        }
        choices.push(Choice::of(totals));
        if key == 0 {
            break;
        }
        let next = backward;
        backward = std::array::from_fn(|state| {
            let (first, old) = (state >> 1, state & 1);
            let cost =
                |new: usize| next[old << 1 | new] + own[new] + time_cost(key, first, old, new);
            cost(0).min(cost(1))
        });
    }
    choices.reverse();
    choices
}
