//! Fixations of the eyes, and the head that follows them.

use glam::Vec3;

use crate::head::EYES;
use crate::random::SeededRandom;
use crate::track::Track;
use crate::transform::{heading_and_pitch, turned};

/// A fixation: a target that the eyes look at for a gesture.
#[derive(Clone, Copy, Debug)]
struct Fixation {
    at: f64,
    until: f64,
    target: Vec3,
}

/// The planned fixations, added in any order.
#[derive(Debug, Default)]
pub(crate) struct Attention {
    fixations: Vec<Fixation>,
}

impl Attention {
    /// The shortest fixation, in seconds.
    const MIN_FIXATION: f64 = 0.6;

    /// Returns the first time in seconds, not before `at`, at which the eyes can move to another target: a time with
    /// enough distance from the start of every planned fixation.
    pub(crate) fn free_from(&self, at: f64) -> f64 {
        let mut at = at;
        let in_the_way = |at: f64| {
            // The microsecond is for rounding: a fixation must not block its own end.
            let near = |look: &&Fixation| (look.at - at).abs() < Attention::MIN_FIXATION - 1e-6;
            self.recent().iter().find(near)
        };
        while let Some(busy) = in_the_way(at) {
            at = busy.at + Attention::MIN_FIXATION;
        }
        at
    }

    /// Returns `true` if no fixation is planned from `start` to `end`, in seconds.
    pub(crate) fn is_idle(&self, start: f64, end: f64) -> bool {
        let apart = |look: &Fixation| end < look.at || look.until <= start;
        self.recent().iter().all(apart)
    }

    /// Returns the fixations that were added last. Fixations are added nearly in order of time, so only these can
    /// overlap a new one.
    fn recent(&self) -> &[Fixation] {
        &self.fixations[self.fixations.len().saturating_sub(16)..]
    }

    /// Plans that the eyes fixate `target`, a point in world space, from `at` to `until` in seconds. A later fixation
    /// may end this one early.
    pub(crate) fn look(&mut self, at: f64, until: f64, target: Vec3) {
        self.fixations.push(Fixation { at, until, target });
    }

    /// Completes the plan of the eyes and the head up to `end` seconds: adds random saccades between the fixations, and
    /// the movements of the head. Returns the fixated points in world space, and the heading and pitch of the head in
    /// degrees.
    pub(crate) fn plan(
        mut self,
        end: f64,
        random: &mut SeededRandom,
    ) -> (Track<Vec3>, Track<[f32; 2]>) {
        self.fixations.sort_by(|a, b| a.at.total_cmp(&b.at));
        let mut plan = Plan::new(random);
        let mut idle_from = random.between(0.2, 0.4).into();
        for (index, look) in self.fixations.iter().enumerate() {
            plan.wander(idle_from, look.at, random);
            plan.saccade(look.at, look.target);
            plan.follow(look.at, look.target, random);
            let next = self
                .fixations
                .get(index + 1)
                .map_or(f64::INFINITY, |next| next.at);
            idle_from = look.until.min(next);
        }
        plan.wander(idle_from, end, random);
        (plan.targets, plan.facing)
    }
}

struct Plan {
    targets: Track<Vec3>,
    facing: Track<[f32; 2]>,
}

impl Plan {
    fn new(random: &mut SeededRandom) -> Plan {
        let facing = [0.0, 5.0];
        Plan {
            targets: Track::new(somewhere(facing, random)),
            facing: Track::new(facing),
        }
    }

    /// Adds random saccades, and sometimes a turn of the head, between two times in seconds.
    fn wander(&mut self, from: f64, to: f64, random: &mut SeededRandom) {
        /// The shortest time between two saccades, in seconds.
        const STILL: f64 = 0.2;
        let mut at = from;
        while at + STILL < to {
            self.saccade(at, somewhere(*self.facing.last(), random));
            if at > self.facing.end() && random.chance(0.25) {
                let facing = [random.between(-14.0, 14.0), random.between(-2.0, 9.0)];
                self.facing.push(at + 0.1, random.between(0.7, 1.1), facing);
            }
            at += f64::from(random.between(0.3, 0.8));
        }
    }

    /// Adds a saccade to a target in world space that starts at `at` seconds; its duration grows with the angle.
    fn saccade(&mut self, at: f64, target: Vec3) {
        let (before, now) = (*self.targets.last() - EYES, target - EYES);
        let degrees = before.angle_between(now).to_degrees();
        self.targets.push(at, 0.03 + 0.000_6 * degrees, target);
    }

    /// Turns the head part of the way to a target in world space, shortly after `at` seconds, unless an earlier turn is
    /// not over then.
    fn follow(&mut self, at: f64, target: Vec3, random: &mut SeededRandom) {
        const SHARE: f32 = 0.4;
        let at = at + f64::from(random.between(0.05, 0.12));
        if self.facing.end() < at + 0.3 {
            let facing = heading_and_pitch(target - EYES).map(|degrees| degrees * SHARE);
            self.facing.push(at, random.between(0.5, 0.8), facing);
        }
    }
}

/// Returns a random point in world space, 1 to 3 m from the eyes, near a direction of the head given in degrees.
fn somewhere([heading, pitch]: [f32; 2], random: &mut SeededRandom) -> Vec3 {
    let heading = heading + random.between(-16.0, 16.0);
    let pitch = pitch + random.between(-8.0, 10.0);
    EYES + turned(heading, pitch, 0.0) * Vec3::Z * random.between(1.0, 3.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::RandomStream;

    #[test]
    fn fixations_do_not_overlap() {
        let mut attention = Attention::default();
        attention.look(1.0, 2.0, Vec3::Z);
        attention.look(1.75, 2.5, Vec3::X);
        let free = [0.375, 0.5, 1.5, 2.5].map(|at| attention.free_from(at));
        assert_eq!(free, [0.375, 2.35, 2.35, 2.5]);
        assert!(attention.is_idle(2.5, 9.0) && attention.is_idle(0.0, 0.9));
        assert!(!attention.is_idle(2.2, 2.3) && !attention.is_idle(0.5, 1.0));
    }

    #[test]
    fn eyes_wander_between_fixations_and_arrive_in_time() {
        let mut attention = Attention::default();
        let target = EYES + Vec3::new(0.3, -0.3, 0.5);
        attention.look(5.0, 6.0, target);
        let (targets, facing) =
            attention.plan(10.0, &mut SeededRandom::new(1, RandomStream::Attention));
        assert_ne!(targets.at(4.95).1, &target);
        assert_eq!(targets.at(5.1), (&target, &target, 1.0));
        assert_eq!(targets.at(5.9).1, &target);
        assert_ne!(targets.at(6.2).1, &target);
        let heading = facing.at(6.0).1[0];
        assert!((5.0..25.0).contains(&heading), "{heading}");
    }
}
