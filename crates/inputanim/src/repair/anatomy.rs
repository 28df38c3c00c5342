//! Evidence for the rotations of a hand's joints from their positions.
//!
//! In MRTK's convention (docs/format.md, section 4.3) a joint's +Z runs along its bone towards the finger tip and +Y
//! out of the back of the hand, so that fingers bend about X. The positions give the directions of the bones. The
//! knuckles give the direction of X, which is across the hand for the fingers and across the palm for the thumb. On
//! real hands X deviates from it by up to about 35 degrees. That is accurate enough to select one of two rotations that
//! are inverse to each other.

use glam::DVec3;

use crate::evaluate::{FloatEvaluator, TimeNotANumber};
use crate::joint::{Joint, Joints, Side};
use crate::recording::HandJointCurves;

/// The positions of a hand's joints over time.
pub(super) struct Positions<'r> {
    side: Side,
    joints: Joints<Option<[FloatEvaluator<'r>; 3]>>,
}

/// A direction that follows from the positions at every time, and that hardly changes in a joint's own
/// axes while the hand moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// Along the bone of the joint.
    Bone,
    /// Along the bone of the joint before it.
    BoneBefore,
    /// Across the hand, along +X of the fingers: from the little finger to the index finger on the left hand, and the
    /// other way on the right hand.
    Across,
    /// Along +X of the thumb: into the palm on the left hand, and out of the back of the hand on the right hand.
    IntoPalm,
}

impl Cue {
    pub(super) const ALL: [Cue; 4] = [Cue::Bone, Cue::BoneBefore, Cue::Across, Cue::IntoPalm];
}

impl<'r> Positions<'r> {
    pub(super) fn new(
        side: Side,
        curves: &'r HandJointCurves<'_>,
    ) -> Result<Positions<'r>, TimeNotANumber> {
        let mut joints = Joints::from_fn(|_| None);
        for (joint, pose) in curves.iter() {
            let [x, y, z] = &pose.position;
            // A joint without keys evaluates to the origin, which would give wrong directions.
            if [x, y, z].iter().any(|curve| !curve.keys.is_empty()) {
                joints[joint] = Some([x.evaluator()?, y.evaluator()?, z.evaluator()?]);
            }
        }
        Ok(Positions { side, joints })
    }

    fn at(&self, joint: Joint, time: f32) -> Option<DVec3> {
        let [x, y, z] = self.joints[joint].as_ref()?;
        Some(DVec3::new(
            x.at(time).into(),
            y.at(time).into(),
            z.at(time).into(),
        ))
    }

    /// Returns the unit vector from one joint to another at a time. `None` if one of them was not recorded, or if they
    /// are less than 0.1 mm apart.
    fn direction(&self, from: Joint, to: Joint, time: f32) -> Option<DVec3> {
        let direction = self.at(to, time)? - self.at(from, time)?;
        // Joints closer than a tenth of a millimetre have no direction.
        direction
            .try_normalize()
            .filter(|_| direction.length() > 1e-4)
    }

    /// Returns the unit vector that MRTK's convention gives a cue in the local axes of a joint, and the typical
    /// deviation of real hands from it in radians. `None` if the convention has no direction for the cue at this joint.
    pub(super) fn convention(&self, cue: Cue, joint: Joint) -> Option<(DVec3, f64)> {
        /// The factor of the deviation for a cue that is computed from substitute joints.
        const INEXACT_FACTOR: f64 = 2.5;
        let is_thumb = Joint::FINGERS[0].contains(&joint);
        let (direction, usual) = match cue {
            Cue::Bone => (DVec3::Z, 0.35),
            Cue::Across if !is_thumb => (DVec3::X, 0.5),
            Cue::IntoPalm if is_thumb => (DVec3::X, 0.4),
            _ => return None,
        };
        let is_exact = self.is_exact(cue, joint);
        Some((
            direction,
            if is_exact {
                usual
            } else {
                INEXACT_FACTOR * usual
            },
        ))
    }

    /// Returns `true` if the joints that define the direction `cue`, such as the bone of the joint, were recorded.
    /// Otherwise, the direction is computed from substitute joints.
    pub(super) fn is_exact(&self, cue: Cue, joint: Joint) -> bool {
        let has = |joint: Joint| self.joints[joint].is_some();
        let has_knuckles = has(Joint::IndexKnuckle) && has(Joint::PinkyKnuckle);
        match cue {
            Cue::Across => has_knuckles,
            Cue::IntoPalm => has_knuckles && has(Joint::Wrist),
            Cue::Bone | Cue::BoneBefore => match joint {
                Joint::Wrist | Joint::Palm => has(Joint::Wrist) && has(Joint::MiddleKnuckle),
                _ => {
                    let is_child = |other: &Joint| other.parent() == Some(joint);
                    let child = Joint::ALL.into_iter().find(is_child);
                    child.or(joint.parent()).is_some_and(has)
                }
            },
        }
    }

    /// Returns `true` if the direction `cue` of a joint always equals its direction for another [`Cue`], so that it
    /// adds no evidence.
    pub(super) fn is_repeated(&self, cue: Cue, joint: Joint) -> bool {
        // A tip has only the bone before it, and the bone of the palm is the bone of the wrist.
        let has_no_bone = joint == Joint::Palm || joint.is_tip();
        cue == Cue::BoneBefore && has_no_bone && self.is_exact(Cue::Bone, joint)
    }

    /// Returns the direction that a cue, such as the bone of the joint, has at a time in seconds: a unit vector in the
    /// axes of the recording. `None` if the recorded joints do not give it.
    pub(super) fn cue(&self, cue: Cue, joint: Joint, time: f32) -> Option<DVec3> {
        match cue {
            Cue::Bone => self.bone_direction(joint, time),
            Cue::BoneBefore => self.bone_direction(joint.parent()?, time),
            Cue::Across => self.across_hand(time),
            Cue::IntoPalm => self.palm_normal(time),
        }
    }

    /// Returns the direction of a joint's bone towards the finger tip at a time, as a unit vector. It is computed from
    /// other joints if some were not recorded. `None` if too few were recorded.
    fn bone_direction(&self, joint: Joint, time: f32) -> Option<DVec3> {
        let first = |pairs: &[(Joint, Joint)]| {
            let mut pairs = pairs.iter();
            pairs.find_map(|&(from, to)| self.direction(from, to, time))
        };
        use Joint::{
            IndexKnuckle, MiddleKnuckle, MiddleMetacarpal, MiddleMiddleJoint, MiddleTip, Palm,
            RingKnuckle, Wrist,
        };
        match joint {
            Joint::None => None,
            // The first pair whose joints were recorded counts. The later ones are for recordings
            // with few joints.
            Wrist | Palm => first(&[
                (Wrist, MiddleKnuckle),
                (Wrist, MiddleMetacarpal),
                (Wrist, RingKnuckle),
                (Wrist, IndexKnuckle),
                (Palm, MiddleKnuckle),
                (MiddleMetacarpal, MiddleKnuckle),
                (Wrist, Palm),
                (MiddleKnuckle, MiddleMiddleJoint),
                (Wrist, MiddleTip),
                (Palm, MiddleTip),
            ]),
            _ => {
                let finger = Joint::FINGERS
                    .iter()
                    .find(|finger| finger.contains(&joint))?;
                let index = finger.iter().position(|&other| other == joint)?;
                // Joints nearer to the tip come first: the bone of a joint ends at the next joint. A tip has only the
                // bone before it.
                let onwards = finger[index + 1..].iter();
                let back = finger[..index].iter().rev();
                onwards
                    .map(|&next| (joint, next))
                    .chain(back.map(|&before| (before, joint)))
                    .chain([(Wrist, joint), (Palm, joint)])
                    .find_map(|(from, to)| self.direction(from, to, time))
            }
        }
    }

    /// Returns the unit vector across the hand at a time, along +X of the fingers: from the little finger to the index
    /// finger on the left hand, and the other way on the right hand. `None` if too few joints were recorded.
    fn across_hand(&self, time: f32) -> Option<DVec3> {
        let direction = ACROSS.iter().find_map(|&(from, to)| {
            let direction = self.direction(from, to, time)?;
            Some(direction)
        })?;
        Some(match self.side {
            Side::Left => direction,
            // With the palm down and the fingers forward, X points to the right on both hands.
            // There the left hand has its index finger, and the right hand its little finger.
            Side::Right => -direction,
        })
    }

    /// Returns the unit normal of the palm at a time, along +X of the thumb: into the palm on the left hand, and out of
    /// the back of the hand on the right hand. `None` if too few joints were recorded.
    fn palm_normal(&self, time: f32) -> Option<DVec3> {
        use Joint::{IndexKnuckle, MiddleKnuckle, Palm, PinkyKnuckle, RingKnuckle, Wrist};
        let corners = [
            (Wrist, IndexKnuckle, PinkyKnuckle),
            (Wrist, IndexKnuckle, RingKnuckle),
            (Wrist, MiddleKnuckle, PinkyKnuckle),
            (Palm, IndexKnuckle, PinkyKnuckle),
        ];
        corners.into_iter().find_map(|(from, index, little)| {
            let index = self.direction(from, index, time)?;
            let little = self.direction(from, little, time)?;
            index.cross(little).try_normalize()
        })
    }
}

/// The pairs of joints that define the direction across the hand, from the little finger's side to the
/// thumb's side, the most stable first.
const ACROSS: [(Joint, Joint); 8] = {
    use Joint::{
        IndexKnuckle, IndexMetacarpal, IndexMiddleJoint, IndexTip, MiddleKnuckle, PinkyKnuckle,
        PinkyMetacarpal, PinkyMiddleJoint, PinkyTip, RingKnuckle,
    };
    [
        (PinkyKnuckle, IndexKnuckle),
        (RingKnuckle, IndexKnuckle),
        (PinkyKnuckle, MiddleKnuckle),
        (RingKnuckle, MiddleKnuckle),
        (MiddleKnuckle, IndexKnuckle),
        (PinkyMetacarpal, IndexMetacarpal),
        (PinkyMiddleJoint, IndexMiddleJoint),
        (PinkyTip, IndexTip),
    ]
};
