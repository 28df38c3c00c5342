//! The rotations of the joints of a hand, computed from their positions.
//!
//! Trackers that use a camera, such as MediaPipe, and many datasets have positions only. The axes of the joints of MRTK, OpenXR and
//! WebXR follow from the positions, except for the turn about the bone (the roll), which needs a rule. In Unity's axes:
//!
//! - **The direction across the hand** points from the knuckle of the index finger to the knuckle of the little finger; on a left
//!   hand, the other way round. It is the right of a hand whose palm faces down.
//! - **+Z** of a joint points to the next joint of its finger. +Z of the wrist points to the knuckle of the middle finger.
//! - **+X** of a joint is the direction across the hand, made perpendicular to +Z. **+Y** is perpendicular to both, and points
//!   out of the back of the hand.
//! - **The thumb** bends in another plane. Its +X is the back of the hand (+Y of the wrist), tilted by 30° towards +Z of the wrist,
//!   made perpendicular to +Z of the joint; on a left hand, the opposite direction.
//! - **A tip** has the rotation of the joint before it, as WebXR defines it ("XRJointSpace"), and **the palm** has the rotation of the
//!   wrist, as in recordings by MRTK on devices.
//!
//! The rule does not depend on the size of the hand, and a straight finger needs no other rule, because no direction comes from the
//! bend of a finger. A rotation cannot be computed if a bone has no length, or lies along the direction of its +X.
//!
//! In a recording of a HoloLens 2, +Z of the joints of fingers differs from the device's by less than 0.1°. The roll differs by
//! 10° in the median and by 31° at the 95th percentile for fingers, by 0.3° and 14° for the thumb. The tilt of 30° is the best one for
//! this recording.

use glam::{DMat3, DQuat, DVec3};
use inputanim::{Element, Joint, Joints, Side};
#[cfg(any(feature = "gltf", feature = "xdf"))]
use inputanim::{FloatCurve, HandCurves, TimeRange};
#[cfg(any(feature = "tables", test))]
use inputanim::{Pose, Space};

#[cfg(any(feature = "gltf", feature = "xdf"))]
use crate::shared::signs::continued;

/// The tilt of +X of the thumb from the back of the hand to the fingers, in degrees.
const THUMB_TILT: f64 = 30.0;

/// The smallest length of a bone, as a share of the distance between the knuckles of the index and the little finger.
const SHORTEST: f64 = 0.01;

/// The smallest sine of the angle between a bone and the direction from which its +X comes.
const SMALLEST_SINE: f64 = 0.05;

/// The joints of a hand whose rotations are computed.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BoneRotations {
    side: Side,
    is_computed: Joints<bool>,
}

impl BoneRotations {
    /// Selects the joints of a source that have a position and no rotation, and all joints that the rule needs. `has_position` and
    /// `has_rotation` state what the source has at all; its values may still be unknown at times.
    pub(crate) fn new(
        side: Side,
        has_position: &Joints<bool>,
        has_rotation: &Joints<bool>,
    ) -> BoneRotations {
        let is_computed = Joints::from_fn(|joint| {
            joint != Joint::None
                && has_position[joint]
                && !has_rotation[joint]
                && needed(joint).all(|needed| has_position[needed])
        });
        BoneRotations { side, is_computed }
    }

    /// Selects no joint.
    #[cfg(feature = "tables")]
    pub(crate) fn none(side: Side) -> BoneRotations {
        let is_computed = Joints::from_fn(|_| false);
        BoneRotations { side, is_computed }
    }

    /// Returns `true` if the rotation of a joint is computed.
    pub(crate) fn computes(&self, joint: Joint) -> bool {
        self.is_computed[joint]
    }

    /// Returns the joints whose rotations are computed.
    pub(crate) fn joints(&self) -> impl Iterator<Item = Joint> {
        Joint::ALL.into_iter().filter(|&joint| self.computes(joint))
    }

    /// Returns the names of the joints whose rotations are computed, for notes.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> {
        let name = |joint| Element::Joint(self.side, joint).to_string();
        self.joints().map(name)
    }

    /// Replaces the rotations of a pose of the hand in the axes `space`. A joint whose rotation cannot be computed becomes unknown.
    /// Returns the number of such joints.
    #[cfg(feature = "tables")]
    pub(crate) fn apply(&self, joints: &mut Joints<Option<Pose>>, space: Space) -> usize {
        // Most sources have rotations.
        if self.joints().next().is_none() {
            return 0;
        }
        let positions = Joints::from_fn(|joint| {
            joints[joint].map(|pose| DVec3::from(space.position(pose.position).map(f64::from)))
        });
        let hand = Hand::new(&positions, self.side);
        let mut unknown = 0;
        for joint in self.joints() {
            let Some(pose) = &mut joints[joint] else {
                continue;
            };
            match hand.as_ref().and_then(|hand| hand.rotation(joint)) {
                // The conversions between axes are their own inverses.
                Some(rotation) => pose.rotation = space.rotation(rotation),
                None => {
                    joints[joint] = None;
                    unknown += 1;
                }
            }
        }
        unknown
    }
}

/// The keys of a joint whose rotations are computed.
#[cfg(any(feature = "gltf", feature = "xdf"))]
#[derive(Default)]
struct JointKeys {
    /// The times, positions and rotations of the keys.
    keys: Vec<(f32, [f32; 3], [f32; 4])>,
    uncomputed: usize,
    /// `true` behind a key whose rotation cannot be computed.
    is_in_gap: bool,
    gaps: Vec<TimeRange>,
}

#[cfg(any(feature = "gltf", feature = "xdf"))]
impl BoneRotations {
    /// Adds curves of rotations to the curves of positions of a hand in Unity's axes. The positions that belong together have keys at
    /// equal times, in order. A key whose rotation cannot be computed is removed. Returns the number of such keys, and the time
    /// ranges in which joints are unknown because of them.
    pub(crate) fn add_to(
        &self,
        hand: &mut HandCurves<'static>,
    ) -> (usize, Vec<(Joint, TimeRange)>) {
        let points = hand.joints.iter().map(|(joint, pose)| {
            let [x, y, z] = pose.position.each_ref().map(|curve| curve.keys.points());
            let points = x.zip(y).zip(z);
            let points = points.map(|(((time, x), (_, y)), (_, z))| (time, [x, y, z]));
            (joint, points.collect::<Vec<_>>())
        });
        let points: Vec<(Joint, Vec<_>)> = points.collect();
        let mut cursors = vec![0; points.len()];
        let mut found: Joints<JointKeys> = Joints::default();
        loop {
            let next = points.iter().zip(&cursors);
            let next = next.filter_map(|((_, points), &cursor)| Some(points.get(cursor)?.0));
            let Some(time) = next.min_by(f32::total_cmp) else {
                break;
            };
            let mut positions = Joints::from_fn(|_| None);
            for ((joint, points), cursor) in points.iter().zip(&mut cursors) {
                if let Some((at, position)) = points.get(*cursor)
                    && at.total_cmp(&time).is_eq()
                {
                    positions[*joint] = Some(*position);
                    *cursor += 1;
                }
            }
            let doubles =
                Joints::from_fn(|joint| Some(DVec3::from(positions[joint]?.map(f64::from))));
            let pose = Hand::new(&doubles, self.side);
            for joint in self.joints() {
                let Some(position) = positions[joint] else {
                    continue;
                };
                let found = &mut found[joint];
                let last = found.keys.last();
                let Some(rotation) = pose.as_ref().and_then(|pose| pose.rotation(joint)) else {
                    found.uncomputed += 1;
                    found.is_in_gap = true;
                    continue;
                };
                if std::mem::take(&mut found.is_in_gap) {
                    let start = last.map_or(f32::NEG_INFINITY, |key| key.0);
                    found.gaps.push(TimeRange { start, end: time });
                }
                let rotation = continued(rotation, last.map(|key| key.2));
                found.keys.push((time, position, rotation));
            }
        }
        let (mut uncomputed, mut gaps) = (0, Vec::new());
        for joint in self.joints() {
            let mut found = std::mem::take(&mut found[joint]);
            uncomputed += found.uncomputed;
            if let Some(last) = found.keys.last().filter(|_| found.is_in_gap) {
                let (start, end) = (last.0, f32::INFINITY);
                found.gaps.push(TimeRange { start, end });
            }
            gaps.extend(found.gaps.into_iter().map(|gap| (joint, gap)));
            let pose = &mut hand.joints[joint];
            for (index, curve) in pose.position.iter_mut().enumerate() {
                let keys = found.keys.iter();
                *curve = FloatCurve::linear(keys.map(|key| (key.0, key.1[index])));
            }
            for (index, curve) in pose.rotation.iter_mut().enumerate() {
                let keys = found.keys.iter();
                *curve = FloatCurve::linear(keys.map(|key| (key.0, key.2[index])));
            }
        }
        (uncomputed, gaps)
    }
}

/// Returns the joints whose positions the rotation of a joint needs, besides its own.
pub(crate) fn needed(joint: Joint) -> impl Iterator<Item = Joint> {
    let across = [Joint::IndexKnuckle, Joint::PinkyKnuckle].map(Some);
    let hand = [Joint::Wrist, Joint::MiddleKnuckle].map(Some);
    let (bone, others) = match joint {
        Joint::Wrist | Joint::Palm => ([None, None], hand),
        joint => {
            let (start, end) = bone(joint);
            let others = if is_of_thumb(joint) {
                hand
            } else {
                [None, None]
            };
            ([start, end], others)
        }
    };
    across.into_iter().chain(bone).chain(others).flatten()
}

/// Returns the joints at the start and at the end of the bone whose direction a joint of a finger has.
fn bone(joint: Joint) -> (Option<Joint>, Option<Joint>) {
    if joint.is_tip() {
        return (joint.parent(), Some(joint));
    }
    let mut joints = Joint::ALL.into_iter();
    (
        Some(joint),
        joints.find(|next| next.parent() == Some(joint)),
    )
}

fn is_of_thumb(joint: Joint) -> bool {
    matches!(
        joint,
        Joint::ThumbMetacarpalJoint
            | Joint::ThumbProximalJoint
            | Joint::ThumbDistalJoint
            | Joint::ThumbTip
    )
}

/// The positions of a hand in Unity's axes, and its direction across.
struct Hand<'p> {
    positions: &'p Joints<Option<DVec3>>,
    /// From the left to the right of a hand whose palm faces down.
    across: DVec3,
    /// The axes X, Y and Z of the wrist, if they can be computed.
    wrist: Option<DMat3>,
    side: Side,
}

impl<'p> Hand<'p> {
    /// Returns `None` if the direction across the hand cannot be computed.
    fn new(positions: &'p Joints<Option<DVec3>>, side: Side) -> Option<Hand<'p>> {
        let across = positions[Joint::PinkyKnuckle]? - positions[Joint::IndexKnuckle]?;
        let across = match side {
            Side::Right => across,
            Side::Left => -across,
        };
        across.try_normalize()?;
        let mut hand = Hand {
            positions,
            across,
            wrist: None,
            side,
        };
        hand.wrist = hand.axes(Joint::Wrist, Joint::MiddleKnuckle, across);
        Some(hand)
    }

    /// Returns the axes of a bone whose +X is the part of `right` that is perpendicular to it.
    fn axes(&self, start: Joint, end: Joint, right: DVec3) -> Option<DMat3> {
        let bone = self.positions[end]? - self.positions[start]?;
        let is_long = bone.length() > SHORTEST * self.across.length();
        let forward = bone.try_normalize().filter(|_| is_long)?;
        let right = right.try_normalize()?;
        let right = right - forward * right.dot(forward);
        let is_apart = right.length() > SMALLEST_SINE;
        let right = right.try_normalize().filter(|_| is_apart)?;
        Some(DMat3::from_cols(right, forward.cross(right), forward))
    }

    fn rotation(&self, joint: Joint) -> Option<[f32; 4]> {
        let axes = match joint {
            Joint::Wrist | Joint::Palm => self.wrist?,
            joint => {
                let (start, end) = bone(joint);
                let right = if is_of_thumb(joint) {
                    let wrist = self.wrist?;
                    let (sine, cosine) = THUMB_TILT.to_radians().sin_cos();
                    let right = wrist.y_axis * cosine + wrist.z_axis * sine;
                    match self.side {
                        Side::Right => right,
                        Side::Left => -right,
                    }
                } else {
                    self.across
                };
                self.axes(start?, end?, right)?
            }
        };
        let rotation = DQuat::from_mat3(&axes);
        let rotation = rotation.to_array().map(|part| part as f32);
        rotation
            .iter()
            .all(|part| part.is_finite())
            .then_some(rotation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim_motion::{Motion, Scene};

    fn rules(side: Side, has: &Joints<bool>) -> BoneRotations {
        BoneRotations::new(side, has, &Joints::from_fn(|_| false))
    }

    fn all() -> Joints<bool> {
        Joints::from_fn(|joint| joint != Joint::None)
    }

    fn turn(rotation: [f32; 4]) -> DQuat {
        DQuat::from_array(rotation.map(f64::from))
    }

    /// Returns a flat hand whose palm faces down and whose fingers point to +Z: the rotations of all joints but the thumb's are the
    /// identity. The thumb points to +Z beside the hand.
    fn flat(side: Side) -> Joints<Option<Pose>> {
        let mirror = if side == Side::Right { 1.0 } else { -1.0 };
        Joints::from_fn(|joint| {
            let index = joint.index();
            let (column, row) = match joint {
                Joint::None => return None,
                Joint::Wrist => (1, 0),
                Joint::Palm => (1, 1),
                // The thumb has four joints, each finger five.
                _ if is_of_thumb(joint) => (-1, index - Joint::ThumbMetacarpalJoint.index()),
                _ => {
                    let place = index - Joint::IndexMetacarpal.index();
                    ((place / 5) as i32, 1 + place % 5)
                }
            };
            let place = [column as f32 * 0.02 * mirror, 1.2, 0.3 + row as f32 * 0.03];
            Some(Pose::at(place))
        })
    }

    #[test]
    fn the_rotations_of_a_flat_hand_are_exact() {
        for side in Side::BOTH {
            let mut hand = flat(side);
            // The rotations of the source do not matter.
            for (_, pose) in hand.iter_mut() {
                if let Some(pose) = pose {
                    pose.rotation = [0.5; 4];
                }
            }
            assert_eq!(rules(side, &all()).apply(&mut hand, Space::Unity), 0);
            for (joint, pose) in hand.iter() {
                let Some(pose) = pose else { continue };
                let turn = turn(pose.rotation);
                let x = match (is_of_thumb(joint), side) {
                    (false, _) => DVec3::X,
                    (true, Side::Right) => DVec3::Y,
                    (true, Side::Left) => DVec3::NEG_Y,
                };
                assert!((turn * DVec3::Z).distance(DVec3::Z) < 1e-6, "{joint}");
                assert!((turn * DVec3::X).distance(x) < 1e-6, "{joint}");
            }
        }
    }

    #[test]
    fn rotations_turn_with_the_hand_in_all_axes() {
        let turned = DQuat::from_euler(glam::EulerRot::YXZ, 0.7, -1.9, 2.5);
        for (side, &space) in Side::BOTH.into_iter().flat_map(|side| {
            let spaces = Space::ALL.iter();
            spaces.map(move |space| (side, space))
        }) {
            let mut hand = flat(side);
            rules(side, &all()).apply(&mut hand, Space::Unity);
            let mut other = hand;
            for (_, pose) in other.iter_mut() {
                if let Some(pose) = pose {
                    let place = turned * DVec3::from(pose.position.map(f64::from)) * 3.0;
                    let place = place.to_array().map(|part| part as f32);
                    *pose = Pose::at(space.position(place));
                }
            }
            assert_eq!(rules(side, &all()).apply(&mut other, space), 0);
            for (joint, pose) in other.iter() {
                let Some(pose) = pose else { continue };
                let found = turn(space.rotation(pose.rotation));
                let expected = turned * turn(hand[joint].unwrap().rotation);
                assert!(
                    found.angle_between(expected) < 2e-3,
                    "{side} {joint} {space}"
                );
            }
        }
    }

    #[test]
    fn rotations_of_generated_hands_are_near_the_true_ones() {
        let motion = Motion::new(Scene::TwoHands, 3, 10.0);
        let mut count = 0;
        for step in 0..300 {
            let frame = motion.frame_at(step as f32 / 30.0);
            for side in Side::BOTH {
                let own = frame.hand(side).joints;
                if own[Joint::Wrist].is_none() {
                    continue;
                }
                // Noise of a millimetre.
                let mut noise = 0.0_f32;
                let mut found = own.map(|pose| {
                    noise = (noise * 7.3 + 0.37).fract();
                    let pose: Pose = pose?;
                    let position = pose.position.map(|part| part + (noise - 0.5) * 1e-3);
                    Some(Pose::at(position))
                });
                let rules = rules(side, &own.map(|pose| pose.is_some()));
                assert_eq!(rules.apply(&mut found, Space::Unity), 0);
                for joint in rules.joints() {
                    let (own, found) = (own[joint].unwrap(), found[joint].unwrap());
                    let (own, found) = (turn(own.rotation), turn(found.rotation));
                    let apart = own.angle_between(found).to_degrees();
                    assert!(apart < 40.0, "{side} {joint}: {apart}");
                    let bone = (own * DVec3::Z)
                        .angle_between(found * DVec3::Z)
                        .to_degrees();
                    // The metacarpal of the palm is no bone.
                    assert!(bone < 12.0, "{side} {joint}: {bone}");
                    count += 1;
                }
            }
        }
        assert!(count > 300 * 24);
    }

    #[test]
    fn joints_need_the_joints_of_their_bone_and_the_knuckles() {
        // Of the 21 landmarks of cameras, all have a rotation.
        let has = Joints::from_fn(|joint| {
            let is_metacarpal = joint.parent() == Some(Joint::Wrist) && !is_of_thumb(joint);
            joint == Joint::Wrist || (joint != Joint::None && !is_metacarpal)
        });
        let mut has_no_palm = has;
        has_no_palm[Joint::Palm] = false;
        assert_eq!(rules(Side::Left, &has_no_palm).joints().count(), 21);
        let without = |missing: Joint| {
            let mut has = has_no_palm;
            has[missing] = false;
            rules(Side::Left, &has).joints().count()
        };
        assert_eq!(without(Joint::PinkyKnuckle), 0);
        // Without the next joint, or the joint before a tip.
        assert_eq!(without(Joint::RingDistalJoint), 18);
        // The wrist and the thumb.
        assert_eq!(without(Joint::MiddleKnuckle), 21 - 1 - 1 - 4);
        // A rotation of the source counts.
        let mut has_rotation = Joints::from_fn(|_| false);
        has_rotation[Joint::Wrist] = true;
        let rules = BoneRotations::new(Side::Left, &has_no_palm, &has_rotation);
        assert!(!rules.computes(Joint::Wrist) && rules.joints().count() == 20);
    }

    #[test]
    fn what_cannot_be_computed_is_unknown() {
        let rules = rules(Side::Right, &all());
        let at =
            |place: &mut Joints<Option<Pose>>, joint: Joint, to: Joint| place[joint] = place[to];
        // A bone without a length: only its joint is unknown.
        let mut hand = flat(Side::Right);
        at(&mut hand, Joint::IndexDistalJoint, Joint::IndexMiddleJoint);
        assert_eq!(rules.apply(&mut hand, Space::Unity), 1);
        assert_eq!(hand[Joint::IndexMiddleJoint], None);
        assert!(hand[Joint::IndexDistalJoint].is_some() && hand[Joint::IndexTip].is_some());
        // A bone across the hand.
        let mut hand = flat(Side::Right);
        let knuckle = hand[Joint::RingKnuckle].unwrap().position;
        hand[Joint::RingMiddleJoint] = Some(Pose::at([knuckle[0] + 0.03, knuckle[1], knuckle[2]]));
        assert_eq!(rules.apply(&mut hand, Space::Unity), 1);
        assert_eq!(hand[Joint::RingKnuckle], None);
        // All joints at one place, and a hand without a knuckle.
        let mut hand = Joints::from_fn(|joint| (joint != Joint::None).then_some(Pose::IDENTITY));
        assert_eq!(rules.apply(&mut hand, Space::Unity), 26);
        assert!(hand.iter().all(|(_, pose)| pose.is_none()));
        let mut hand = flat(Side::Right);
        hand[Joint::PinkyKnuckle] = None;
        assert_eq!(rules.apply(&mut hand, Space::Unity), 25);
        // Joints that the source does not know are not invented.
        let mut hand = flat(Side::Right);
        hand[Joint::ThumbTip] = None;
        assert_eq!(rules.apply(&mut hand, Space::Unity), 1);
        assert_eq!(
            (hand[Joint::ThumbTip], hand[Joint::ThumbDistalJoint]),
            (None, None)
        );
    }
}
