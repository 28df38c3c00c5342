//! What the eyes look at, and how the head follows.

use glam::Vec3;

use crate::dice::Dice;
use crate::head::EYES;
use crate::placement::{heading_and_pitch, turned};
use crate::track::Track;

/// Something that the eyes look at for a gesture.
#[derive(Clone, Copy, Debug)]
struct Look {
    at: f64,
    until: f64,
    target: Vec3,
}

/// The eyes' appointments, made in any order.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    looks: Vec<Look>,
}

impl Attention {
    /// Seconds that the eyes stay with something at least.
    const LEAST: f64 = 0.6;

    /// The first time, not before `at`, when the eyes are free to jump to something else.
    pub(crate) fn free_from(&self, at: f64) -> f64 {
        let mut at = at;
        let in_the_way = |at: f64| {
            // Less a microsecond, so that rounding does not put a look in the way of its own end.
            let near = |look: &&Look| (look.at - at).abs() < Attention::LEAST - 1e-6;
            self.recent().iter().find(near)
        };
        while let Some(busy) = in_the_way(at) {
            at = busy.at + Attention::LEAST;
        }
        at
    }

    /// Whether nothing at all is to be looked at from `start` to `end`.
    pub(crate) fn is_idle(&self, start: f64, end: f64) -> bool {
        let apart = |look: &Look| end < look.at || look.until <= start;
        self.recent().iter().all(apart)
    }

    /// Appointments are made about in time order: only the last ones can be in the way.
    fn recent(&self) -> &[Look] {
        &self.looks[self.looks.len().saturating_sub(16)..]
    }

    /// Lets the eyes look at something, until another look begins if that is sooner.
    pub(crate) fn look(&mut self, at: f64, until: f64, target: Vec3) {
        self.looks.push(Look { at, until, target });
    }

    /// The points that the eyes jump to, and the headings and pitches of the head.
    pub(crate) fn plan(mut self, end: f64, dice: &mut Dice) -> (Track<Vec3>, Track<[f32; 2]>) {
        self.looks.sort_by(|a, b| a.at.total_cmp(&b.at));
        let mut plan = Plan::new(dice);
        let mut idle_from = dice.between(0.2, 0.4).into();
        for (index, look) in self.looks.iter().enumerate() {
            plan.wander(idle_from, look.at, dice);
            plan.saccade(look.at, look.target);
            plan.follow(look.at, look.target, dice);
            let next = self
                .looks
                .get(index + 1)
                .map_or(f64::INFINITY, |next| next.at);
            idle_from = look.until.min(next);
        }
        plan.wander(idle_from, end, dice);
        (plan.targets, plan.facing)
    }
}

struct Plan {
    targets: Track<Vec3>,
    facing: Track<[f32; 2]>,
}

impl Plan {
    fn new(dice: &mut Dice) -> Plan {
        let facing = [0.0, 5.0];
        Plan {
            targets: Track::new(somewhere(facing, dice)),
            facing: Track::new(facing),
        }
    }

    /// Looks about between two appointments.
    fn wander(&mut self, from: f64, to: f64, dice: &mut Dice) {
        /// The time that eyes need to be still before they jump again.
        const STILL: f64 = 0.2;
        let mut at = from;
        while at + STILL < to {
            self.saccade(at, somewhere(*self.facing.last(), dice));
            if at > self.facing.end() && dice.chance(0.25) {
                let facing = [dice.between(-14.0, 14.0), dice.between(-2.0, 9.0)];
                self.facing.push(at + 0.1, dice.between(0.7, 1.1), facing);
            }
            at += f64::from(dice.between(0.3, 0.8));
        }
    }

    /// Jumps to a target: longer jumps take a little longer.
    fn saccade(&mut self, at: f64, target: Vec3) {
        let (before, now) = (*self.targets.last() - EYES, target - EYES);
        let degrees = before.angle_between(now).to_degrees();
        self.targets.push(at, 0.03 + 0.000_6 * degrees, target);
    }

    /// Turns the head a part of the way to a target, unless it is still busy.
    fn follow(&mut self, at: f64, target: Vec3, dice: &mut Dice) {
        const SHARE: f32 = 0.4;
        let at = at + f64::from(dice.between(0.05, 0.12));
        if self.facing.end() < at + 0.3 {
            let facing = heading_and_pitch(target - EYES).map(|degrees| degrees * SHARE);
            self.facing.push(at, dice.between(0.5, 0.8), facing);
        }
    }
}

/// A point in the room, near to where the head is turned.
fn somewhere([heading, pitch]: [f32; 2], dice: &mut Dice) -> Vec3 {
    let heading = heading + dice.between(-16.0, 16.0);
    let pitch = pitch + dice.between(-8.0, 10.0);
    EYES + turned(heading, pitch, 0.0) * Vec3::Z * dice.between(1.0, 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dice::Stream;

    #[test]
    fn the_eyes_never_have_two_appointments_at_once() {
        let mut attention = Attention::default();
        attention.look(1.0, 2.0, Vec3::Z);
        attention.look(1.75, 2.5, Vec3::X);
        let free = [0.375, 0.5, 1.5, 2.5].map(|at| attention.free_from(at));
        assert_eq!(free, [0.375, 2.35, 2.35, 2.5]);
        assert!(attention.is_idle(2.5, 9.0) && attention.is_idle(0.0, 0.9));
        assert!(!attention.is_idle(2.2, 2.3) && !attention.is_idle(0.5, 1.0));
    }

    #[test]
    fn the_eyes_wander_between_appointments_but_are_in_time_for_them() {
        let mut attention = Attention::default();
        let target = EYES + Vec3::new(0.3, -0.3, 0.5);
        attention.look(5.0, 6.0, target);
        let (targets, facing) = attention.plan(10.0, &mut Dice::new(1, Stream::Attention));
        assert_ne!(targets.at(4.95).1, &target);
        assert_eq!(targets.at(5.1), (&target, &target, 1.0));
        assert_eq!(targets.at(5.9).1, &target);
        assert_ne!(targets.at(6.2).1, &target);
        let heading = facing.at(6.0).1[0];
        assert!((5.0..25.0).contains(&heading), "{heading}");
    }
}
