//! The signs of a hand's rotations.
//!
//! Method: positions give directions (bones, across the hand, into the palm) whose places in a
//! joint's own axes hardly change while the hand moves. Those places are known from the toolkit's
//! convention and from the first key, whose w was saved; with them signs are chosen; from the
//! keys that are sure the places are learned anew, and with those the signs are chosen again. A
//! rotation that fits no direction says nothing, and then the neighbours in time and in the
//! finger decide.

use glam::{DQuat, DVec3};

use crate::curve::FloatCurve;
use crate::evaluate::TimeNotANumber;
use crate::joint::{Joint, Joints, Side};
use crate::recording::HandJointCurves;
use crate::vector::share_times;

use super::anatomy::{Cue, FINGERS, Positions};
use super::halved::{Halved, angle};
use super::rotation::quaternion;
use super::signs::{self, Choice, Costs, Link, surprise};

/// How often places are learned anew.
const ROUNDS: usize = 2;
/// How far a joint turns while it is still, in radians, and how fast it turns, in radians a
/// second.
const STILL: f64 = 0.03;
const SPEED: f64 = 2.0;
/// How much it counts that a joint turns little from key to key,
const IN_TIME: f64 = 2.0;
/// and that it is turned as the joint before it is.
const IN_CHAIN: f64 = 0.2;

/// The choices of every joint whose w is lost.
pub(super) fn choose(
    side: Side,
    curves: &HandJointCurves<'_>,
    lost: &Joints<Option<&Halved>>,
) -> Result<Joints<Option<Vec<Choice>>>, TimeNotANumber> {
    let positions = Positions::new(side, curves)?;
    let mut chosen = Joints::from_fn(|_| None);
    let mut solve = |joints: &[Joint], root: Option<&Link>| {
        let mut chain = Chain::default();
        for &joint in joints {
            chain.add(joint, curves, lost[joint], &positions);
        }
        chain.solve(root, &mut chosen)
    };
    let wrist = solve(&[Joint::Wrist, Joint::Palm], None);
    for finger in FINGERS {
        solve(finger, wrist.as_ref());
    }
    // The entry None is no joint of a hand; where it has a rotation, only time tells.
    solve(&[Joint::None], None);
    Ok(chosen)
}

/// Joints that hang on each other, without those that were not recorded.
#[derive(Default)]
struct Chain<'h> {
    joints: Vec<Joint>,
    links: Vec<Link>,
    knowledge: Vec<Knowledge<'h>>,
}

/// What is known of the rotations of one joint.
struct Knowledge<'h> {
    /// `None` where they are whole.
    lost: Option<&'h Halved>,
    cues: [Directions; Cue::ALL.len()],
}

/// What a cue says of a joint.
struct Directions {
    /// At each key: of length 1, where it is known.
    seen: Vec<Option<DVec3>>,
    /// Where it should be in the joint's axes.
    convention: Option<Place>,
    /// Whether it comes from the joints that it is meant for.
    is_steady: bool,
}

/// Where a direction is in the axes of a joint.
#[derive(Clone, Copy)]
struct Place {
    /// Of length 1.
    direction: DVec3,
    /// How far from there it usually is, in radians.
    spread: f64,
}

impl<'h> Chain<'h> {
    fn add(
        &mut self,
        joint: Joint,
        curves: &HandJointCurves<'_>,
        lost: Option<&'h Halved>,
        positions: &Positions<'_>,
    ) {
        let (times, rotations) = match lost {
            Some(halved) => (halved.times.clone(), halved.rotations.clone()),
            None => whole(&curves[joint].rotation),
        };
        if times.is_empty() {
            return;
        }
        let cues = Cue::ALL.map(|cue| {
            let seen = times.iter().map(|&time| positions.cue(cue, joint, time));
            let convention = positions.convention(cue, joint);
            Directions {
                seen: seen.collect(),
                convention: convention.map(|(direction, spread)| Place { direction, spread }),
                is_steady: positions.is_steady(cue, joint),
            }
        });
        self.joints.push(joint);
        self.knowledge.push(Knowledge { lost, cues });
        self.links.push(Link {
            costs: vec![[0.0; 2]; times.len()],
            times,
            rotations,
        });
    }

    /// Chooses, and gives the first joint as it is then.
    fn solve(
        mut self,
        root: Option<&Link>,
        chosen: &mut Joints<Option<Vec<Choice>>>,
    ) -> Option<Link> {
        if self.knowledge.iter().all(|known| known.lost.is_none()) {
            return self.links.into_iter().next();
        }
        let root = |time| root?.at(time, 0);
        let steps = signs::steps(&self.links, &Anatomy(&self.joints), root);
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        for round in 0..=ROUNDS {
            for (index, (link, known)) in self.links.iter_mut().zip(&self.knowledge).enumerate() {
                let choices = (round > 0).then(|| &choices[index][..]);
                known.cost(link, choices);
            }
            choices = signs::choose(&self.links, &steps);
        }
        let mut first = self.links.into_iter().next()?;
        for (both, choice) in first.rotations.iter_mut().zip(&choices[0]) {
            *both = [both[choice.which]; 2];
        }
        for ((joint, known), choices) in self.joints.iter().zip(self.knowledge).zip(choices) {
            chosen[*joint] = known.lost.map(|_| choices);
        }
        Some(first)
    }
}

/// The keys of a rotation that lost nothing, as two equal ones each.
fn whole(rotation: &[FloatCurve<'_>; 4]) -> (Vec<f32>, Vec<[DQuat; 2]>) {
    if !share_times(rotation) {
        return (Vec::new(), Vec::new());
    }
    let keys = rotation[0].keys.points().enumerate();
    keys.filter_map(|(key, (time, _))| {
        let q = quaternion(rotation, key);
        let length = q.length();
        (length > 0.0 && length.is_finite()).then(|| (time, [q / length; 2]))
    })
    .unzip()
}

impl Knowledge<'_> {
    /// What each rotation costs by what the positions say.
    fn cost(&self, link: &mut Link, choices: Option<&[Choice]>) {
        let Some(halved) = self.lost else { return };
        link.costs.fill([0.0; 2]);
        for cue in &self.cues {
            let learned = choices.and_then(|choices| cue.learn(&link.rotations, choices));
            let Some(place) = learned.or_else(|| cue.begin(halved)) else {
                continue;
            };
            for ((costs, both), seen) in link.costs.iter_mut().zip(&link.rotations).zip(&cue.seen) {
                let Some(seen) = *seen else { continue };
                for (cost, q) in costs.iter_mut().zip(both) {
                    let off = (*q * place.direction).angle_between(seen) / place.spread;
                    // Places that lie close most of the time lie far off when a finger bends, so
                    // several loose cues must not outvote the one that fits to the degree.
                    *cost += surprise(off);
                }
            }
        }
        halved.add_known(&mut link.costs);
    }
}

impl Directions {
    /// By convention, and by the first key where that is known and does not speak against it.
    fn begin(&self, halved: &Halved) -> Option<Place> {
        /// A cue without a convention tells most joints apart from their inverse.
        const ANY: f64 = 0.7;
        let known = halved.first.and_then(|first| {
            let direction = halved.rotations[0][first].conjugate() * (*self.seen.first()?)?;
            Some(direction)
        });
        match (self.convention, known) {
            (Some(usual), Some(direction)) => {
                let fits = direction.angle_between(usual.direction) < 1.5 * usual.spread;
                let spread = 0.7 * usual.spread;
                Some(if fits {
                    Place { direction, spread }
                } else {
                    usual
                })
            }
            (None, Some(direction)) => Some(Place {
                direction,
                spread: ANY,
            }),
            (usual, None) => usual,
        }
    }

    /// From the keys that are sure, if there are enough, without the quarter that is furthest off.
    fn learn(&self, rotations: &[[DQuat; 2]], choices: &[Choice]) -> Option<Place> {
        const ENOUGH: usize = 8;
        /// As for what is doubtful in the end.
        const SURE: f64 = 3.0;
        /// Keys whose two rotations are closer say little, in radians.
        const APART: f64 = 0.3;
        /// No device is more exact, in radians.
        const LEAST: f64 = 0.01;
        /// What comes from other joints in their stead moves with each bend between them: that it
        /// was still for a while says little of the rest.
        const LEAST_IN_STEAD: f64 = 0.4;
        let keys = rotations.iter().zip(choices).zip(&self.seen);
        let places: Vec<DVec3> = keys
            .filter(|(([a, b], choice), _)| choice.margin > SURE && angle(*a, *b) > APART)
            .filter_map(|((both, choice), seen)| Some(both[choice.which].conjugate() * (*seen)?))
            .collect();
        if places.len() < ENOUGH {
            return None;
        }
        let mean = |places: &mut dyn Iterator<Item = DVec3>| places.sum::<DVec3>().try_normalize();
        let quantile = |places: &mut dyn Iterator<Item = f64>, part: f64| {
            let mut all: Vec<f64> = places.collect();
            let index = (all.len() as f64 * part) as usize;
            *all.select_nth_unstable_by(index, f64::total_cmp).1
        };
        let rough = mean(&mut places.iter().copied())?;
        let off = |place: &DVec3| place.angle_between(rough);
        let cut = 1.5 * quantile(&mut places.iter().map(off), 0.75);
        let near: Vec<DVec3> = places
            .iter()
            .copied()
            .filter(|place| off(place) <= cut)
            .collect();
        let direction = mean(&mut near.iter().copied())?;
        // As wide as two thirds of a normal distribution, and somewhat wider.
        let off = |place: &DVec3| place.angle_between(direction);
        let spread = 1.2 * quantile(&mut near.iter().map(off), 0.68);
        let fits = self
            .convention
            .is_none_or(|usual| direction.angle_between(usual.direction) < 2.0 * usual.spread);
        let least = match self.is_steady {
            true => LEAST,
            false => LEAST_IN_STEAD,
        };
        fits.then_some(Place {
            direction,
            spread: spread.max(least),
        })
    }
}

struct Anatomy<'j>(&'j [Joint]);

impl Costs for Anatomy<'_> {
    fn in_time(&self, before: DQuat, after: DQuat, seconds: f64) -> f64 {
        IN_TIME * surprise(angle(before, after) / (STILL + SPEED * seconds))
    }

    fn in_chain(&self, link: usize, parent: DQuat, child: DQuat) -> f64 {
        /// How far the axes about which two joints of a finger bend usually are apart, in radians,
        const HINGE: f64 = 0.35;
        /// how far a finger bends at one joint,
        const BEND: f64 = 1.2;
        /// and how far a tip, which is the end of a bone rather than a joint, is turned.
        const TIP: f64 = 0.35;
        /// Neither costs more than this.
        const MOST: f64 = 4.0;
        let joint = self.0.get(link).copied();
        // The thumb stands across the hand.
        let Some(joint) = joint.filter(|&joint| joint != Joint::ThumbMetacarpalJoint) else {
            return 0.0;
        };
        let is_tip = FINGERS.iter().any(|finger| finger.last() == Some(&joint));
        let bend = angle(parent, child) / if is_tip { TIP } else { BEND };
        let hinge = (parent * DVec3::X).angle_between(child * DVec3::X) / HINGE;
        IN_CHAIN * ((hinge * hinge / 2.0).min(MOST) + (bend * bend / 2.0).min(MOST))
    }
}
