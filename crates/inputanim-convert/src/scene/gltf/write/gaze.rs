//! The direction of the gaze, as a rotation of its node's +Z.
//!
//! Many rotations give the same direction. Each key continues the rotation of the key before along the shortest arc.
//! The node therefore follows the great circle between two directions, as evaluation does, and never turns about its
//! own axis.

use glam::{DQuat, DVec3};

use crate::scene::gltf::document::Interpolation;
use crate::scene::gltf::quaternion::{single, turn_between, unit};

use super::budget::KeyBudget;
use super::track::Track;
use crate::shared::Error;

/// The cosine of 12°. Up to this angle between two directions of equal length, the straight line between them and the
/// arc differ by less than 0.01° in direction.
const NEAR: f64 = 0.978_1;

/// The tolerance in radians: 0.01°.
const TOLERANCE: f64 = 0.000_175;

/// The largest number of times that the time between two keys is halved.
const DEEPEST: u32 = 8;

/// Returns the rotations that turn +Z to the directions, with added keys where linear rotations would differ from them.
/// A cubic track is sampled at `rate` Hz first. Fails if the budget is exceeded; `name` names the vector in the error.
pub(super) fn turns(
    directions: &Track<3>,
    name: &str,
    rate: f64,
    budget: &mut KeyBudget,
) -> Result<Track<4>, Error> {
    let lines;
    let directions = match directions.interpolation {
        Interpolation::Cubic => {
            lines = directions.lines(name, rate, budget)?;
            &lines
        }
        _ => directions,
    };
    // The track of the directions already counts the dropped keys.
    let mut track = Track::new(directions.interpolation, directions.times.len());
    let mut turn = DQuat::IDENTITY;
    let mut looks = DVec3::Z;
    let mut add = |time: f32, direction: DVec3| {
        // A direction of length 0 has no rotation, so the rotation before it is kept.
        if let Some(direction) = direction.try_normalize() {
            turn = unit(turn_between(looks, direction) * turn);
            looks = direction;
        }
        track.times.push(time);
        track.values.push(single(turn));
    };
    let mut before: Option<(f32, DVec3)> = None;
    for (&time, &value) in directions.times.iter().zip(&directions.values) {
        let direction = DVec3::from(value.map(f64::from));
        if let Some((start, from)) = before
            && directions.interpolation == Interpolation::Linear
        {
            let pieces = pieces(from, direction);
            let mut last = start;
            for piece in 1..pieces {
                let x = f64::from(piece) / f64::from(pieces);
                let between = f64::from(start) + (f64::from(time) - f64::from(start)) * x;
                let between = between as f32;
                if last < between && between < time {
                    budget.spend(1.0, name)?;
                    add(between, from.lerp(direction, x));
                    last = between;
                }
            }
        }
        add(time, direction);
        before = Some((time, direction));
    }
    Ok(track)
}

/// Returns the number of equal parts into which the time between two directions must be divided, so that the arc of
/// each part differs by at most [`TOLERANCE`] from linear interpolation. It is a power of two, at most 256.
fn pieces(a: DVec3, b: DVec3) -> u32 {
    if a == DVec3::ZERO || b == DVec3::ZERO {
        return 1;
    }
    let at = |x: f64| a.lerp(b, x).normalize_or(a);
    // Between directions of different lengths the angular speed is not constant.
    let is_even = (a.length() / b.length() - 1.0).abs() < 1e-4;
    let is_near = |pieces: u32| {
        let place = |piece: f64| at(piece / f64::from(pieces));
        let is_near_piece = |piece: u32| {
            let piece = f64::from(piece);
            let (from, to) = (place(piece), place(piece + 1.0));
            let is_arc = |x: f64| from.slerp(to, x).distance(place(piece + x)) <= TOLERANCE;
            from.dot(to) >= NEAR
                && (pieces == 1 && is_even || [0.25, 0.5, 0.75].into_iter().all(is_arc))
        };
        (0..pieces).all(is_near_piece)
    };
    let mut counts = (0..=DEEPEST).map(|halvings| 1 << halvings);
    counts
        .find(|&pieces| is_near(pieces))
        // A line that passes near 0 turns too fast for any number of parts, so it gets the largest number.
        .unwrap_or(1 << DEEPEST)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn directions(values: &[[f32; 3]]) -> Track<3> {
        let mut track = Track::new(Interpolation::Linear, values.len());
        for (time, &value) in values.iter().enumerate() {
            track.push(time as f32, value, [[0.0; 3]; 2]);
        }
        track
    }

    fn look(turn: [f32; 4]) -> DVec3 {
        DQuat::from_array(turn.map(f64::from)) * DVec3::Z
    }

    #[test]
    fn the_node_follows_the_gaze_between_keys() {
        let values = [
            [0.0, 0.0, 1.0],
            [0.6, 0.0, 0.8],
            // The second direction has another length and is far away.
            [0.0, -2.0, 0.0],
            [0.0, 0.0, -1.0],
            [1.0, 0.0, 0.0],
        ];
        let directions = directions(&values);
        let turns = turns(&directions, "", 60.0, &mut KeyBudget::new()).unwrap();
        for step in 0..=400 {
            let time = step as f32 / 100.0;
            let after = turns.times.partition_point(|&key| key <= time);
            let [a, b] = [after - 1, after.min(turns.times.len() - 1)];
            let length = turns.times[b] - turns.times[a];
            let x = if a == b {
                0.0
            } else {
                (time - turns.times[a]) / length
            };
            let [from, to] = [a, b].map(|key| DQuat::from_array(turns.values[key].map(f64::from)));
            let looks = from.slerp(to, f64::from(x)) * DVec3::Z;
            let plays = DVec3::from(directions.at(time).unwrap().map(f64::from)).normalize();
            let apart = looks.angle_between(plays).to_degrees();
            assert!(apart < 0.011, "{time}: {apart}");
        }
    }

    #[test]
    fn opposite_and_zero_directions_have_rotations() {
        let values = [[0.0, 0.0, 1.0], [0.0, 0.0, -1.0], [0.0; 3], [0.0, 1.0, 0.0]];
        let turns = turns(&directions(&values), "", 60.0, &mut KeyBudget::new()).unwrap();
        let at = |time: f32| {
            let key = turns.times.iter().position(|&key| key == time).unwrap();
            look(turns.values[key])
        };
        assert!(at(1.0).distance(DVec3::NEG_Z) < 1e-6);
        assert!(
            at(2.0).distance(DVec3::NEG_Z) < 1e-6,
            "where it looked before"
        );
        assert!(at(3.0).distance(DVec3::Y) < 1e-6);
    }
}
