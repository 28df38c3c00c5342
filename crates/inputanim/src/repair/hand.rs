//! Selects the signs of a hand's rotations.
//!
//! Method: positions give directions (along bones, across the hand, into the palm) that hardly change in a joint's own
//! axes while the hand moves. These local directions are known from MRTK's convention and from the first key, whose w
//! was saved. They select the signs. Then the local directions are learned again from the keys that are certain, and
//! the signs are selected again with them. A rotation that fits no direction gives no evidence; its neighbours in time
//! and in the finger decide.
//!
//! The direction of the axis about which the joint before bends is learned in the same way. At a tracking jump, the
//! recorder's key reduction may have dropped the positions that show that the hand turned, but the joints of a finger
//! still agree with each other.

use std::f64::consts::FRAC_PI_2;

use glam::{DQuat, DVec3};

use crate::curve::FloatCurve;
use crate::evaluate::TimeNotANumber;
use crate::joint::{Joint, Joints, Side};
use crate::parallel;
use crate::recording::HandJointCurves;
use crate::vector::share_times;

use super::anatomy::{Cue, Positions};
use super::lost_rotation::{LostRotation, angle};
use super::rotation::quaternion;
use super::signs::{self, Choice, Costs, Link, robust_cost};

/// The number of times that the local directions are learned.
const ROUNDS: usize = 2;
/// The angle in radians by which a joint turns between keys while it is still.
const STILL: f64 = 0.03;
/// The typical angular speed of a joint in radians per second.
const SPEED: f64 = 2.0;

/// The weight of the change from key to key.
const IN_TIME: f64 = 2.0;
/// The greatest cost of the change from key to key. At a tracking jump every angle is about as
/// probable as any other, so a smaller angle is no evidence.
const MAX_IN_TIME: f64 = 7.0;
/// The weight of the difference from the joint before in the finger, by convention.
const IN_CHAIN: f64 = 0.2;
/// The weight of the difference from the learned direction of the hinge. Each pair of joints counts
/// twice, once for the key of either joint.
const LEARNED_HINGE: f64 = 0.4;

/// The greatest magnitude of the product of the two rotations of a key that is learned from. The product is the cosine
/// of half their angle. Rotations that are closer than 0.3 radians are weak evidence.
const MAX_PRODUCT: f64 = 0.988_771;
/// The least spread of the direction of a hinge in radians.
const MIN_HINGE_SPREAD: f64 = 0.05;

/// One hand whose rotations lost their w.
pub(super) struct Hand<'h> {
    pub(super) side: Side,
    pub(super) curves: &'h HandJointCurves<'h>,
    /// The rotations without w; `None` for complete rotations.
    pub(super) lost: Joints<Option<&'h LostRotation>>,
}

/// Selects a rotation for every key of the joints whose w was lost. Returns the choices of each hand by joint and key;
/// `None` for other joints. Returns an error if the time of a key is NaN.
pub(super) fn choose(
    hands: &[Hand<'_>],
) -> Result<Vec<Joints<Option<Vec<Choice>>>>, TimeNotANumber> {
    let positions = hands
        .iter()
        .map(|hand| Positions::new(hand.side, hand.curves));
    let positions: Vec<Positions<'_>> = positions.collect::<Result<_, _>>()?;
    let size = hands.iter().map(Hand::size).sum();
    let solve = |index: usize, joints: &[Joint], root: Option<&Link>| {
        let (hand, positions) = (&hands[index], &positions[index]);
        Chain::new(joints, hand, positions).solve(root)
    };
    // The entry None is not a joint of a hand; if it has a rotation, only the change in time counts.
    let roots: Vec<(usize, &[Joint])> = (0..hands.len())
        .flat_map(|hand| {
            [
                (hand, &[Joint::Wrist, Joint::Palm][..]),
                (hand, &[Joint::None]),
            ]
        })
        .collect();
    // The fingers need the rotation of the wrist, so the wrists are solved first.
    let roots = parallel::map(roots, size, |(hand, joints)| {
        (hand, solve(hand, joints, None))
    });
    let fingers: Vec<(usize, &[Joint])> = (0..hands.len())
        .flat_map(|hand| Joint::FINGERS.map(|finger| (hand, finger)))
        .collect();
    let fingers = parallel::map(fingers, size, |(hand, finger)| {
        // The first root of each hand is the wrist.
        (hand, solve(hand, finger, roots[2 * hand].1.first.as_ref()))
    });
    let mut chosen: Vec<Joints<Option<Vec<Choice>>>> =
        hands.iter().map(|_| Joints::from_fn(|_| None)).collect();
    for (hand, solution) in roots.into_iter().chain(fingers) {
        for (joint, choices) in solution.choices {
            chosen[hand][joint] = Some(choices);
        }
    }
    Ok(chosen)
}

impl Hand<'_> {
    /// Returns the approximate number of values that the selection computes, which decides whether it runs in parallel.
    fn size(&self) -> usize {
        let lost = self.lost.iter().filter_map(|(_, lost)| *lost);
        lost.map(|lost_rotation| 50 * lost_rotation.times.len())
            .sum()
    }
}

/// The result of one chain.
struct Solution {
    choices: Vec<(Joint, Vec<Choice>)>,
    /// The first joint with the rotations that were selected.
    first: Option<Link>,
}

/// The recorded joints of a kinematic chain.
struct Chain<'h> {
    joints: Vec<Joint>,
    links: Vec<Link>,
    evidence: Vec<Evidence<'h>>,
}

/// The evidence for the rotations of one joint.
struct Evidence<'h> {
    /// `None` if the rotations are complete.
    lost: Option<&'h LostRotation>,
    cues: [Directions; Cue::ALL.len()],
}

/// The directions of a cue for one joint.
struct Directions {
    /// The direction at each key, of length 1, where it is known.
    seen: Vec<Option<DVec3>>,
    /// The direction in the joint's axes by convention.
    convention: Option<LocalDirection>,
    /// `true` if the cue is computed from the joints that define it.
    is_exact: bool,
}

/// A direction in the axes of a joint.
#[derive(Clone, Copy)]
struct LocalDirection {
    /// The direction, of length 1.
    direction: DVec3,
    /// The typical deviation in radians.
    spread: f64,
}

impl<'h> Chain<'h> {
    fn new(joints: &[Joint], hand: &Hand<'h>, positions: &Positions<'_>) -> Chain<'h> {
        let mut chain = Chain {
            joints: Vec::new(),
            links: Vec::new(),
            evidence: Vec::new(),
        };
        for &joint in joints {
            chain.add(joint, hand, positions);
        }
        chain
    }

    fn add(&mut self, joint: Joint, hand: &Hand<'h>, positions: &Positions<'_>) {
        let lost = hand.lost[joint];
        let (times, rotations) = match lost {
            Some(lost_rotation) => (lost_rotation.times.clone(), lost_rotation.rotations.clone()),
            None => complete(&hand.curves[joint].rotation),
        };
        if times.is_empty() {
            return;
        }
        // Without key reduction, the joints of a hand share their times, and therefore most of their cues.
        let last = self.links.last().filter(|last| last.times == times);
        let last = last.and(self.joints.last().zip(self.evidence.last()));
        let cues = Cue::ALL.map(|cue| {
            let shared = last.and_then(|(&parent, evidence)| {
                let same = match cue {
                    Cue::Across | Cue::IntoPalm => cue,
                    Cue::BoneBefore if joint.parent() == Some(parent) => Cue::Bone,
                    _ => return None,
                };
                Some(evidence.cues[same as usize].seen.clone())
            });
            let seen = if positions.is_repeated(cue, joint) {
                vec![None; times.len()]
            } else {
                let seen = times.iter().map(|&time| positions.cue(cue, joint, time));
                shared.unwrap_or_else(|| seen.collect())
            };
            let convention = positions.convention(cue, joint);
            Directions {
                seen,
                convention: convention
                    .map(|(direction, spread)| LocalDirection { direction, spread }),
                is_exact: positions.is_exact(cue, joint),
            }
        });
        self.joints.push(joint);
        self.links.push(Link {
            costs: vec![[0.0; 2]; times.len()],
            times,
            rotations,
        });
        self.evidence.push(Evidence { lost, cues });
    }

    /// Selects a rotation for every key of the joints of the chain. `root` is the joint before the chain, whose
    /// rotations are known: the wrist for a finger.
    fn solve(mut self, root: Option<&Link>) -> Solution {
        if self.evidence.iter().all(|evidence| evidence.lost.is_none()) {
            return Solution {
                choices: Vec::new(),
                first: self.links.into_iter().next(),
            };
        }
        let at_root = |time| Some(root?.at(time)?[0]);
        let mut anatomy = Anatomy {
            joints: &self.joints,
            learned: vec![None; self.joints.len()],
        };
        let mut steps = signs::steps(&self.links, &anatomy);
        let mut choices: Vec<Vec<Choice>> = Vec::new();
        for round in 0..=ROUNDS {
            for (index, (link, evidence)) in self.links.iter_mut().zip(&self.evidence).enumerate() {
                // The first round has no choices to learn from: it uses the convention and the
                // first key.
                let choices = (round > 0).then(|| &choices[index][..]);
                evidence.set_costs(link, choices);
            }
            if round > 0 {
                anatomy.learn(&self.links, &choices, at_root);
            }
            signs::set_chain_costs(&mut steps, &self.links, &anatomy, at_root);
            choices = signs::choose(&self.links, &steps);
        }
        let mut first = self.links.into_iter().next();
        if let Some(link) = &mut first {
            for (both, choice) in link.rotations.iter_mut().zip(&choices[0]) {
                // The fingers are solved after the wrist, whose rotation counts as certain for
                // them.
                *both = [both[choice.index]; 2];
            }
        }
        let all = self.joints.into_iter().zip(self.evidence).zip(choices);
        let lost = all.filter(|((_, evidence), _)| evidence.lost.is_some());
        Solution {
            choices: lost.map(|((joint, _), choices)| (joint, choices)).collect(),
            first,
        }
    }
}

/// Returns the key times and the normalised rotations of a rotation whose w was not lost. Both candidates of a key are
/// this rotation. Keys of length 0 or that are not finite are skipped. Both lists are empty if the curves have
/// different key times.
fn complete(rotation: &[FloatCurve<'_>; 4]) -> (Vec<f32>, Vec<[DQuat; 2]>) {
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

impl Evidence<'_> {
    /// Sets the costs in `link`: for both candidate rotations of each key, the cost of disagreeing with the joint
    /// positions. `choices` are the choices of the round before, from which local directions are learned; `None` in the
    /// first round.
    fn set_costs(&self, link: &mut Link, choices: Option<&[Choice]>) {
        let Some(lost_rotation) = self.lost else {
            return;
        };
        // The sum of robust costs is the logarithm of a product, which needs one logarithm instead
        // of one per cue. Local directions that agree most of the time differ much when a finger
        // bends, so the loss is robust: several inexact cues must not outvote an exact one.
        link.costs.fill([1.0; 2]);
        for cue in &self.cues {
            let learned = choices.and_then(|choices| cue.learned(&link.rotations, choices));
            let Some(local) = learned.or_else(|| cue.initial(lost_rotation)) else {
                continue;
            };
            // The same formula as `robust_cost`, with the division outside the loop.
            let scale = 1.0 / (2.0 * local.spread * local.spread);
            for ((costs, both), seen) in link.costs.iter_mut().zip(&link.rotations).zip(&cue.seen) {
                let Some(seen) = *seen else { continue };
                for (cost, q) in costs.iter_mut().zip(both) {
                    // The chord is as good as the angle and needs no arc cosine.
                    let chord = *q * local.direction - seen;
                    *cost *= 1.0 + chord.length_squared() * scale;
                }
            }
        }
        for cost in link.costs.iter_mut().flatten() {
            *cost = cost.ln();
        }
        lost_rotation.add_known(&mut link.costs);
    }
}

impl Directions {
    /// Returns the direction of the cue in the axes of the joint before anything is learned. It is the direction at the
    /// first key if the w of that key was saved and the direction agrees with the convention, else the direction by
    /// convention. `None` if neither is known.
    fn initial(&self, lost_rotation: &LostRotation) -> Option<LocalDirection> {
        /// The spread of a cue without a convention: it distinguishes most joints from their
        /// inverse.
        const UNKNOWN_SPREAD: f64 = 0.7;
        let known = lost_rotation.first.and_then(|first| {
            let direction =
                lost_rotation.rotations[0][first].conjugate() * (*self.seen.first()?)?;
            Some(direction)
        });
        match (self.convention, known) {
            (Some(usual), Some(direction)) => {
                let agrees = direction.angle_between(usual.direction) < 1.5 * usual.spread;
                let spread = 0.7 * usual.spread;
                Some(if agrees {
                    LocalDirection { direction, spread }
                } else {
                    usual
                })
            }
            (None, Some(direction)) => Some(LocalDirection {
                direction,
                spread: UNKNOWN_SPREAD,
            }),
            (usual, None) => usual,
        }
    }

    /// Returns the direction of the cue in the axes of the joint, as the mean over the keys whose choice is certain.
    /// Returns `None` if there are too few such keys, or if the direction contradicts the convention.
    fn learned(&self, rotations: &[[DQuat; 2]], choices: &[Choice]) -> Option<LocalDirection> {
        /// The least spread in radians: no device is more exact.
        const MIN_SPREAD: f64 = 0.01;
        /// The least spread of a cue that is computed from other joints. Such a cue changes whenever a joint in between
        /// bends, so a cue that was constant for a while is weak evidence.
        const MIN_INEXACT_SPREAD: f64 = 0.4;
        let keys = rotations.iter().zip(choices).zip(&self.seen);
        let locals = keys
            .filter(|(([a, b], choice), _)| choice.is_certain() && are_distinct(*a, *b))
            .filter_map(|((both, choice), seen)| Some(both[choice.index].conjugate() * (*seen)?));
        let least = if self.is_exact {
            MIN_SPREAD
        } else {
            MIN_INEXACT_SPREAD
        };
        let local = typical(locals.collect(), least)?;
        let agrees = |usual: LocalDirection| {
            local.direction.angle_between(usual.direction) < 2.0 * usual.spread
        };
        self.convention.is_none_or(agrees).then_some(local)
    }
}

/// Returns `true` if two rotations differ enough to learn from the choice between them.
fn are_distinct(a: DQuat, b: DQuat) -> bool {
    a.dot(b).abs() < MAX_PRODUCT
}

/// Returns the mean of local directions (unit vectors) and their spread in radians, which is at least `least`.
/// Directions that deviate by more than 1.5 times the third quartile of the deviations are ignored. Returns `None` if
/// there are too few directions.
fn typical(locals: Vec<DVec3>, least: f64) -> Option<LocalDirection> {
    /// The least number of keys.
    const MIN_KEYS: usize = 8;
    if locals.len() < MIN_KEYS {
        return None;
    }
    // Chords are in the same order as angles and need no arc cosine for each key.
    let quantile = |mut chords: Vec<f64>, part: f64| {
        let index = (chords.len() as f64 * part) as usize;
        *chords.select_nth_unstable_by(index, f64::total_cmp).1
    };
    let angle_of = |chord: f64| 2.0 * (chord / 2.0).min(1.0).asin();
    let rough = locals.iter().sum::<DVec3>().try_normalize()?;
    let chords: Vec<f64> = locals.iter().map(|local| local.distance(rough)).collect();
    let cut = 1.5 * angle_of(quantile(chords.clone(), 0.75));
    let cut = 2.0 * (cut / 2.0).min(FRAC_PI_2).sin();
    let all = locals.iter().zip(chords);
    let near: Vec<DVec3> = all
        .filter(|&(_, chord)| chord <= cut)
        .map(|(local, _)| *local)
        .collect();
    let direction = near.iter().sum::<DVec3>().try_normalize()?;
    let chords = near.iter().map(|local| local.distance(direction)).collect();
    // 68 % of a normal distribution are within its standard deviation; 1.2 allows for the keys that
    // were dropped.
    let spread = 1.2 * angle_of(quantile(chords, 0.68));
    Some(LocalDirection {
        direction,
        spread: spread.max(least),
    })
}

/// The costs between the joints of a chain.
struct Anatomy<'j> {
    joints: &'j [Joint],
    /// The direction of the parent's hinge, its X axis, in the axes of each joint.
    learned: Vec<Option<LocalDirection>>,
}

impl Anatomy<'_> {
    /// Learns for each joint the direction of its parent's hinge in the joint's own axes, from the keys whose choices
    /// are certain. `root` returns the rotation of the joint before the chain at a time, or `None` if it is not known.
    fn learn(
        &mut self,
        links: &[Link],
        choices: &[Vec<Choice>],
        root: impl Fn(f32) -> Option<DQuat>,
    ) {
        for (index, learned) in self.learned.iter_mut().enumerate() {
            let certain = |key: usize| {
                let (link, choice) = (&links[index], choices[index][key]);
                let time = link.times[key];
                let parent = match index.checked_sub(1) {
                    Some(parent) => {
                        let next = links[parent].times.partition_point(|&key| key <= time);
                        let parent_choice = choices[parent][next.saturating_sub(1)];
                        let is_certain = parent_choice.is_certain();
                        links[parent].at(time).filter(|_| is_certain)?[parent_choice.index]
                    }
                    None => root(time)?,
                };
                let [a, b] = link.rotations[key];
                // Both candidates of a complete rotation are equal, and its keys are certain.
                let is_certain = a == b || (choice.is_certain() && are_distinct(a, b));
                let hinge = link.rotations[key][choice.index].conjugate() * (parent * DVec3::X);
                is_certain.then_some(hinge)
            };
            // If a joint of the chain was not recorded, the link before is not the parent, and the joints in between
            // bend.
            let before = match index.checked_sub(1) {
                Some(before) => self.joints[before],
                None => Joint::Wrist,
            };
            *learned = if self.joints[index].parent() == Some(before) {
                let keys = 0..links[index].times.len();
                typical(keys.filter_map(certain).collect(), MIN_HINGE_SPREAD)
            } else {
                None
            };
        }
    }
}

impl Costs for Anatomy<'_> {
    fn in_time(&self, before: DQuat, after: DQuat, seconds: f64) -> f64 {
        let change = angle(before, after) / (STILL + SPEED * seconds);
        (IN_TIME * robust_cost(change)).min(MAX_IN_TIME)
    }

    fn in_chain(&self, link: usize, parent: DQuat, child: DQuat) -> f64 {
        if let Some(Some(learned)) = self.learned.get(link) {
            let chord = child * learned.direction - parent * DVec3::X;
            return LEARNED_HINGE * robust_cost(chord.length() / learned.spread);
        }
        /// The typical angle between the axes about which two joints of a finger bend, in radians.
        const HINGE: f64 = 0.35;
        /// The typical angle by which a finger bends at one joint.
        const BEND: f64 = 1.2;
        /// The typical angle between a tip, which is the end of a bone, and the joint before.
        const TIP: f64 = 0.35;
        /// The greatest cost of the hinge, and of the bend.
        const MAX_COST: f64 = 4.0;
        let joint = self.joints.get(link).copied();
        // The X axis of the thumb is across the palm, not across the hand, so the convention gives no
        // cost between its first joint and the wrist.
        let Some(joint) = joint.filter(|&joint| joint != Joint::ThumbMetacarpalJoint) else {
            return 0.0;
        };
        let bend = angle(parent, child) / if joint.is_tip() { TIP } else { BEND };
        // Rounding can move the product of unit vectors beyond 1. There the arc cosine is NaN.
        let cosine = (parent * DVec3::X).dot(child * DVec3::X).clamp(-1.0, 1.0);
        let hinge = cosine.acos() / HINGE;
        IN_CHAIN * ((hinge * hinge / 2.0).min(MAX_COST) + (bend * bend / 2.0).min(MAX_COST))
    }
}
