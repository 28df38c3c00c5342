//! The axes of the bones of a hand, found from the positions of its joints.
//!
//! Programs attach different axes to bones: a bone of Blender lies along its +Y, a bone of Unreal along its ±X. MRTK's joints have
//! +Z to the tip of the finger and +Y out of the back of the hand. In a pose of the hand, each bone shows the direction to its
//! next joint, and the knuckles show the direction across the hand. Both in the axes of the bone give the rotation from the
//! bone's axes to MRTK's. This rotation is constant, because a bone is rigid.
//!
//! If the bones of all fingers agree on an exact assignment of axes, it holds for the thumb too, whose direction across the
//! hand is unknown otherwise.

use glam::{DMat3, DQuat, DVec3};
use inputanim::{Joint, Joints, Pose, Side};

/// The rotations from the axes of bones to the axes of joints in MRTK.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoneAxes {
    /// The rotation of each joint, in the bone's own axes. `None` if it cannot be found.
    pub(crate) turns: Joints<Option<DQuat>>,
    /// The common rotation of the fingers, if all of them have the same axes.
    pub(crate) common: Option<DQuat>,
}

/// The largest angle between a measured rotation and an exact assignment of axes.
const NEAR: f64 = 35.0;

/// The smallest share of finger bones that have the same axes.
const AGREEING: f64 = 0.7;

impl BoneAxes {
    /// Finds the axes from one pose of a hand, in Unity's axes. Returns `None` if the knuckles of the index and the little
    /// finger are unknown, or no bone has a length.
    pub(crate) fn measure(pose: &Joints<Option<Pose>>, side: Side) -> Option<BoneAxes> {
        let place = |joint: Joint| Some(position(pose[joint]?));
        let apart = place(Joint::PinkyKnuckle)? - place(Joint::IndexKnuckle)?;
        // To the right on a right hand whose palm faces down.
        let right = match side {
            Side::Right => apart,
            Side::Left => -apart,
        };
        let right = right.try_normalize()?;
        let mut turns = Joints::from_fn(|joint| {
            let next = next(joint, |joint| pose[joint].is_some())?;
            let bone = pose[joint]?;
            let forward = (place(next)? - position(bone)).try_normalize()?;
            // The axes x, y and z of the joint: z to the tip, x across the hand, y out of its back.
            let across = (right - forward * right.dot(forward)).try_normalize()?;
            let axes = DMat3::from_cols(across, forward.cross(across), forward);
            let turn = rotation(bone).inverse() * DQuat::from_mat3(&axes);
            turn.is_finite().then(|| turn.normalize())
        });
        let measured: Vec<DQuat> = FINGER_BONES
            .iter()
            .filter_map(|&joint| turns[joint])
            .collect();
        if measured.is_empty() {
            return None;
        }
        let common = common(&measured);
        for (joint, turn) in turns.iter_mut() {
            let is_hand = matches!(joint, Joint::Wrist | Joint::Palm);
            match common {
                // The wrist may have other axes than the fingers.
                Some(common) if is_hand => {
                    *turn = turn.map(|turn| near(turn).unwrap_or(turn)).or(Some(common))
                }
                Some(common) => *turn = Some(common),
                None => {}
            }
        }
        if common.is_none() {
            // A tip has the axes of the bone before it.
            for joint in Joint::ALL.into_iter().filter(|joint| joint.is_tip()) {
                turns[joint] = joint.parent().and_then(|parent| turns[parent]);
            }
        }
        Some(BoneAxes { turns, common })
    }
}

/// The joints whose bones have the direction of a finger.
const FINGER_BONES: [Joint; 12] = [
    Joint::IndexKnuckle,
    Joint::IndexMiddleJoint,
    Joint::IndexDistalJoint,
    Joint::MiddleKnuckle,
    Joint::MiddleMiddleJoint,
    Joint::MiddleDistalJoint,
    Joint::RingKnuckle,
    Joint::RingMiddleJoint,
    Joint::RingDistalJoint,
    Joint::PinkyKnuckle,
    Joint::PinkyMiddleJoint,
    Joint::PinkyDistalJoint,
];

/// Returns the joint to which the bone of a joint points.
fn next(joint: Joint, is_known: impl Fn(Joint) -> bool) -> Option<Joint> {
    match joint {
        Joint::Wrist | Joint::Palm => [Joint::MiddleKnuckle, Joint::MiddleMetacarpal]
            .into_iter()
            .find(|&joint| is_known(joint)),
        _ => Joint::ALL
            .into_iter()
            .find(|next| next.parent() == Some(joint)),
    }
}

fn position(pose: Pose) -> DVec3 {
    DVec3::from(pose.position.map(f64::from))
}

fn rotation(pose: Pose) -> DQuat {
    DQuat::from_array(pose.rotation.map(f64::from))
}

/// Returns the exact assignment of axes that most of the rotations are near. Returns `None` if too few agree.
fn common(turns: &[DQuat]) -> Option<DQuat> {
    let count = |exact: DQuat| {
        turns
            .iter()
            .filter(|&&turn| near(turn) == Some(exact))
            .count()
    };
    let best = assignments().max_by_key(|&exact| count(exact))?;
    (count(best) as f64 >= AGREEING * turns.len() as f64).then_some(best)
}

/// Returns the exact assignment of axes near a rotation.
fn near(turn: DQuat) -> Option<DQuat> {
    assignments().find(|&exact| turn.angle_between(exact).to_degrees() < NEAR)
}

/// Returns the 24 rotations that map axes to axes.
fn assignments() -> impl Iterator<Item = DQuat> {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let axes = move || axes.into_iter().flat_map(|axis| [axis, -axis]);
    axes().flat_map(move |y| {
        let across = axes().filter(move |z| z.dot(y) == 0.0);
        across.map(move |z| DQuat::from_mat3(&DMat3::from_cols(y.cross(z), y, z)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim_motion::{Motion, Scene};

    /// Returns a generated hand whose bones are turned by a rotation in their own axes.
    fn turned(side: Side, turn: DQuat) -> (Joints<Option<Pose>>, Joints<Option<Pose>>) {
        let motion = Motion::new(Scene::TwoHands, 3, 10.0);
        let hand = (0..300).map(|step| motion.frame_at(step as f32 / 30.0));
        let hand = hand.map(|frame| frame.hand(side).joints);
        let hand = hand
            .into_iter()
            .find(|joints| joints[Joint::IndexTip].is_some())
            .unwrap();
        let mut other = hand;
        for (_, pose) in other.iter_mut() {
            if let Some(pose) = pose {
                pose.rotation = (rotation(*pose) * turn).to_array().map(|part| part as f32);
            }
        }
        (hand, other)
    }

    #[test]
    fn any_assignment_of_axes_is_found() {
        for side in Side::BOTH {
            for turn in assignments() {
                let (hand, other) = turned(side, turn);
                let found = BoneAxes::measure(&other, side).unwrap();
                assert!(found.common.unwrap().angle_between(turn.inverse()) < 1e-6);
                for (joint, pose) in other
                    .iter()
                    .filter_map(|(joint, pose)| Some((joint, (*pose)?)))
                {
                    let again = rotation(pose) * found.turns[joint].unwrap();
                    let apart = again.angle_between(rotation(hand[joint].unwrap()));
                    assert!(apart.to_degrees() < 36.0, "{joint}: {apart}");
                }
            }
        }
    }

    #[test]
    fn bones_without_common_axes_have_their_own_rotations() {
        let (mut hand, _) = turned(Side::Left, DQuat::IDENTITY);
        // All bones have the axes of the world, as in a T-pose of VRM 0.
        for (_, pose) in hand.iter_mut() {
            if let Some(pose) = pose {
                pose.rotation = [0.3, 0.4, 0.5, 0.707];
            }
        }
        let found = BoneAxes::measure(&hand, Side::Left).unwrap();
        for &joint in &FINGER_BONES {
            let pose = hand[joint].unwrap();
            let next = next(joint, |_| true).unwrap();
            let forward = rotation(pose).normalize() * found.turns[joint].unwrap() * DVec3::Z;
            let bone = (position(hand[next].unwrap()) - position(pose)).normalize();
            assert!(forward.dot(bone) > 0.8, "{joint}");
        }
    }

    #[test]
    fn nothing_is_found_without_knuckles_or_lengths() {
        let (mut hand, _) = turned(Side::Left, DQuat::IDENTITY);
        let one_place = Joints::from_fn(|_| Some(Pose::IDENTITY));
        assert_eq!(BoneAxes::measure(&one_place, Side::Left), None);
        hand[Joint::PinkyKnuckle] = None;
        assert_eq!(BoneAxes::measure(&hand, Side::Left), None);
    }
}
