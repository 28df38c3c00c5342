//! Angles of the fingers, from the positions of the joints.
//!
//! Rotations of joints are not used: MRTK 2.6 to 2.7 lose parts of them, and systems define their axes
//! differently. Angles follow the directions of the joint coordinate systems of the International Society
//! of Biomechanics (Wu et al. 2005): flexion is positive toward the palm, and 0 for a straight finger.

use glam::DVec3;
use inputanim::{Joint, Side};

use crate::channels::{HandChannels, angle, vector};

/// A finger.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Finger {
    /// Thumb.
    Thumb,
    /// Index finger.
    Index,
    /// Middle finger.
    Middle,
    /// Ring finger.
    Ring,
    /// Little finger.
    Pinky,
}

impl Finger {
    /// Every finger, from the thumb to the little finger.
    pub const ALL: [Finger; 5] = [
        Finger::Thumb,
        Finger::Index,
        Finger::Middle,
        Finger::Ring,
        Finger::Pinky,
    ];

    /// Returns the name of the finger as in the names of joints, such as `Index`.
    pub const fn name(self) -> &'static str {
        match self {
            Finger::Thumb => "Thumb",
            Finger::Index => "Index",
            Finger::Middle => "Middle",
            Finger::Ring => "Ring",
            Finger::Pinky => "Pinky",
        }
    }

    /// Returns the four joints that bend or end the finger, from the base to the tip: the knuckle (for the thumb, its
    /// metacarpal joint) and the three joints that follow.
    pub fn joints(self) -> [Joint; 4] {
        let all = Joint::FINGERS[self as usize];
        // The metacarpal joint of the thumb bends, and those of the other fingers do not.
        std::array::from_fn(|step| all[all.len() - 4 + step])
    }

    /// Returns the joint at the tip of the finger.
    pub fn tip(self) -> Joint {
        let [.., tip] = self.joints();
        tip
    }
}

/// Returns the position of a joint at a sample, in metres; NaN if it is not known.
fn position(hand: &HandChannels, joint: Joint, sample: usize) -> DVec3 {
    let position = hand
        .joint(joint)
        .and_then(|positions| positions.get(sample));
    position.map_or(DVec3::NAN, |position| vector(*position))
}

/// Returns the vector from the parent of a joint to the joint at a sample, in metres. NaN if a position is not known,
/// or if the joint has no parent.
fn bone(hand: &HandChannels, joint: Joint, sample: usize) -> DVec3 {
    let Some(parent) = joint.parent() else {
        return DVec3::NAN;
    };
    position(hand, joint, sample) - position(hand, parent, sample)
}

/// Returns the next joint of the same finger toward the tip; `None` for a tip.
fn next(joint: Joint) -> Option<Joint> {
    let next = Joint::from_index(joint.index() + 1)?;
    (next.parent() == Some(joint)).then_some(next)
}

/// Returns the distance of a joint from its parent at a sample, in metres; NaN if it is not known.
pub fn bone_length(hand: &HandChannels, joint: Joint, sample: usize) -> f64 {
    bone(hand, joint, sample).length()
}

/// Returns the flexion of a joint in degrees; NaN if it is not known or the joint does not bend.
///
/// At a knuckle, it is the angle of the first bone of the finger to its metacarpal bone, in the plane
/// through that bone and the normal of the palm; it is negative for a finger bent back. At the other
/// joints, which are hinges, it is the angle between the bones before and after the joint.
pub fn flexion(hand: &HandChannels, side: Side, joint: Joint, sample: usize) -> f64 {
    let Some(next) = next(joint) else {
        return f64::NAN;
    };
    if is_knuckle(joint) {
        return knuckle_angles(hand, side, joint, sample)[0];
    }
    let is_hinge = joint.parent().is_some_and(|parent| parent != Joint::Wrist);
    if is_hinge {
        angle(bone(hand, joint, sample), bone(hand, next, sample))
    } else {
        f64::NAN
    }
}

/// Returns the abduction of a joint in degrees; NaN if it is not known or the joint has no abduction.
///
/// At a knuckle, it is the angle of the first bone of the finger out of the plane in which it bends,
/// positive toward the thumb. At the metacarpal joint of the thumb, it is the angle between the
/// metacarpal bones of thumb and index finger.
pub fn abduction(hand: &HandChannels, side: Side, joint: Joint, sample: usize) -> f64 {
    if joint == Joint::ThumbMetacarpalJoint {
        let thumb = bone(hand, Joint::ThumbProximalJoint, sample);
        return angle(thumb, bone(hand, Joint::IndexKnuckle, sample));
    }
    knuckle_angles(hand, side, joint, sample)[1]
}

/// Returns the flexion and the abduction of a knuckle at a sample, in degrees. NaN if they are not known, or if `joint`
/// is not a knuckle.
pub(crate) fn knuckle_angles(
    hand: &HandChannels,
    side: Side,
    joint: Joint,
    sample: usize,
) -> [f64; 2] {
    let Some(next) = next(joint).filter(|_| is_knuckle(joint)) else {
        return [f64::NAN; 2];
    };
    let [along, dorsal, radial] = knuckle(hand, side, joint, next, sample);
    let level = libm::sqrt(along * along + dorsal * dorsal);
    [libm::atan2(-dorsal, along), libm::atan2(radial, level)].map(f64::to_degrees)
}

fn is_knuckle(joint: Joint) -> bool {
    let knuckles = [
        Joint::IndexKnuckle,
        Joint::MiddleKnuckle,
        Joint::RingKnuckle,
        Joint::PinkyKnuckle,
    ];
    knuckles.contains(&joint)
}

/// Returns the components of the first bone of a finger, in metres: along its metacarpal bone, out of the back of the
/// hand, and toward the thumb. `joint` is the knuckle of the finger, and `next` is the joint after it.
fn knuckle(hand: &HandChannels, side: Side, joint: Joint, next: Joint, sample: usize) -> [f64; 3] {
    let at = |joint| position(hand, joint, sample);
    let [index, pinky] =
        [Joint::IndexKnuckle, Joint::PinkyKnuckle].map(|knuckle| at(knuckle) - at(Joint::Wrist));
    // In left-handed axes, the normal of a right hand points out of its back.
    let sign = match side {
        Side::Right => 1.0,
        Side::Left => -1.0,
    };
    let normal = index.cross(pinky) * sign;
    let along = bone(hand, joint, sample).normalize();
    let dorsal = (normal - along * normal.dot(along)).normalize();
    let radial = along.cross(dorsal) * sign;
    let bone = bone(hand, next, sample);
    [along, dorsal, radial].map(|axis| bone.dot(axis))
}

/// Returns the curl of a finger: 0 if its bones form a straight line, and closer to 1 as its tip approaches its base;
/// NaN if it is not known. It is 1 minus the distance from base to tip, divided by the sum of the lengths of the bones
/// between them.
pub fn curl(hand: &HandChannels, finger: Finger, sample: usize) -> f64 {
    let [base, rest @ ..] = finger.joints();
    let length: f64 = rest
        .iter()
        .map(|&joint| bone_length(hand, joint, sample))
        .sum();
    let reach = position(hand, finger.tip(), sample) - position(hand, base, sample);
    1.0 - reach.length() / length
}

/// Returns the openness of the hand in metres: the mean distance of the five fingertips from the palm;
/// NaN if it is not known.
pub fn openness(hand: &HandChannels, sample: usize) -> f64 {
    let palm = position(hand, Joint::Palm, sample);
    let distance = |finger: Finger| (position(hand, finger.tip(), sample) - palm).length();
    Finger::ALL.into_iter().map(distance).sum::<f64>() / 5.0
}
