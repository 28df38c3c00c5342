//! What the positions of a hand's joints say about their rotations.
//!
//! In the toolkit's convention (docs/format.md, section 4.3) a joint's +Z runs along its bone
//! towards the finger tip and +Y out of the back of the hand, so that fingers bend about X. Where
//! the bones run is known from the positions; that X lies across the hand, and for the thumb
//! across its palm, follows from the knuckles. The second holds to some 35 degrees on real hands,
//! which is enough to choose between two rotations that are inverse to each other.

use glam::DVec3;

use crate::evaluate::{FloatEvaluator, TimeNotANumber};
use crate::joint::{Joint, Joints, Side};
use crate::recording::HandJointCurves;

/// The positions of a hand's joints over time.
pub(super) struct Positions<'r> {
    side: Side,
    joints: Joints<Option<[FloatEvaluator<'r>; 3]>>,
}

/// A direction that the positions know at every time, and that keeps its place in a joint's own
/// axes while the hand moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cue {
    /// Along the bone of the joint.
    Bone,
    /// Along the bone of the joint before it.
    BoneBefore,
    /// Across the hand in the sense of X: from the little finger to the index finger on the left
    /// hand.
    Across,
    /// Into the palm on the left hand, and out of the back of the right: the sense of the thumb's
    /// X.
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

    /// From one joint to another, of length 1.
    fn direction(&self, from: Joint, to: Joint, time: f32) -> Option<DVec3> {
        let way = self.at(to, time)? - self.at(from, time)?;
        // Joints closer than a tenth of a millimetre have no direction.
        way.try_normalize().filter(|_| way.length() > 1e-4)
    }

    /// Where the toolkit's convention puts a cue in the axes of a joint, and how far off it may
    /// be in radians.
    pub(super) fn convention(&self, cue: Cue, joint: Joint) -> Option<(DVec3, f64)> {
        /// As much further off are cues that come from other joints in their stead.
        const UNSTEADY: f64 = 2.5;
        let is_thumb = FINGERS[0].contains(&joint);
        let (direction, usual) = match cue {
            Cue::Bone => (DVec3::Z, 0.35),
            Cue::Across if !is_thumb => (DVec3::X, 0.5),
            Cue::IntoPalm if is_thumb => (DVec3::X, 0.4),
            _ => return None,
        };
        let is_steady = self.is_steady(cue, joint);
        Some((direction, if is_steady { usual } else { UNSTEADY * usual }))
    }

    /// Whether a cue comes from the joints that it is meant for.
    pub(super) fn is_steady(&self, cue: Cue, joint: Joint) -> bool {
        let has = |joint: Joint| self.joints[joint].is_some();
        let has_knuckles = has(Joint::IndexKnuckle) && has(Joint::PinkyKnuckle);
        match cue {
            Cue::Across => has_knuckles,
            Cue::IntoPalm => has_knuckles && has(Joint::Wrist),
            Cue::Bone | Cue::BoneBefore => match joint {
                Joint::Wrist | Joint::Palm => has(Joint::Wrist) && has(Joint::MiddleKnuckle),
                _ => {
                    let hangs_on = |other: &Joint| other.parent() == Some(joint);
                    let child = Joint::ALL.into_iter().find(hangs_on);
                    child.or(joint.parent()).is_some_and(has)
                }
            },
        }
    }

    /// Where a cue of a joint points at a time.
    pub(super) fn cue(&self, cue: Cue, joint: Joint, time: f32) -> Option<DVec3> {
        match cue {
            Cue::Bone => self.along(joint, time),
            Cue::BoneBefore => self.along(joint.parent()?, time),
            Cue::Across => self.across(time),
            Cue::IntoPalm => self.through_palm(time),
        }
    }

    /// The way of a joint's bone.
    fn along(&self, joint: Joint, time: f32) -> Option<DVec3> {
        let first = |ways: &[(Joint, Joint)]| {
            let mut ways = ways.iter();
            ways.find_map(|&(from, to)| self.direction(from, to, time))
        };
        use Joint::{
            IndexKnuckle, MiddleKnuckle, MiddleMetacarpal, MiddleMiddleJoint, MiddleTip, Palm,
            RingKnuckle, Wrist,
        };
        match joint {
            Joint::None => None,
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
                let here = FINGERS.iter().find(|finger| finger.contains(&joint))?;
                let place = here.iter().position(|&other| other == joint)?;
                let onwards = here[place + 1..].iter();
                let back = here[..place].iter().rev();
                onwards
                    .map(|&next| (joint, next))
                    .chain(back.map(|&before| (before, joint)))
                    .chain([(Wrist, joint), (Palm, joint)])
                    .find_map(|(from, to)| self.direction(from, to, time))
            }
        }
    }

    /// Across the hand in the sense of X: from the little finger to the index finger on the left
    /// hand.
    fn across(&self, time: f32) -> Option<DVec3> {
        let way = ACROSS.iter().find_map(|&(from, to)| {
            let way = self.direction(from, to, time)?;
            Some(way)
        })?;
        Some(match self.side {
            Side::Left => way,
            Side::Right => -way,
        })
    }

    /// Into the palm on the left hand, which is the sense of X of the thumb, and out of the back
    /// of the right.
    fn through_palm(&self, time: f32) -> Option<DVec3> {
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

/// Ways across the hand, from the little finger's side to the thumb's, the steadiest first.
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

/// The fingers from the wrist to the tip.
pub(super) const FINGERS: [&[Joint]; 5] = {
    use Joint::*;
    [
        &[
            ThumbMetacarpalJoint,
            ThumbProximalJoint,
            ThumbDistalJoint,
            ThumbTip,
        ],
        &[
            IndexMetacarpal,
            IndexKnuckle,
            IndexMiddleJoint,
            IndexDistalJoint,
            IndexTip,
        ],
        &[
            MiddleMetacarpal,
            MiddleKnuckle,
            MiddleMiddleJoint,
            MiddleDistalJoint,
            MiddleTip,
        ],
        &[
            RingMetacarpal,
            RingKnuckle,
            RingMiddleJoint,
            RingDistalJoint,
            RingTip,
        ],
        &[
            PinkyMetacarpal,
            PinkyKnuckle,
            PinkyMiddleJoint,
            PinkyDistalJoint,
            PinkyTip,
        ],
    ]
};
