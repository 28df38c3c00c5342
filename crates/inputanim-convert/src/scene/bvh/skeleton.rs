//! The bones of a hand: their hierarchy and their lengths.

use glam::DVec3;
use inputanim::SamplerCursor;
use inputanim::{Frame, HandFrame, Joint, Sampler, Side, Space};

use super::RIGID;
use crate::shared::rigid::{Rigid, is_known};

/// A joint, and the bone that leads to it.
#[derive(Clone, Debug)]
pub(super) struct Bone {
    pub(super) joint: Joint,
    /// The nearest recorded joint towards the wrist, as an index into `bones`.
    pub(super) parent: Option<usize>,
    /// The offset from the parent in the parent's axes, in metres: the mean over all frames.
    pub(super) offset: DVec3,
    /// True for a joint with position channels: the root, a bone that changes its length, or a bone with only one known
    /// end in some frames.
    pub(super) moves: bool,
    /// The first known pose.
    first: Option<Rigid>,
}

/// The bones of a hand, each after its parent.
#[derive(Clone, Debug)]
pub(super) struct Skeleton {
    pub(super) side: Side,
    pub(super) bones: Vec<Bone>,
    /// Frames in which the hand is tracked.
    pub(super) tracked: usize,
    /// Tracked frames in which a joint is not known.
    pub(super) unknown: usize,
}

/// The statistics of a bone's offset over all frames.
#[derive(Clone, Copy)]
struct Seen {
    frames: f64,
    sum: DVec3,
    least: DVec3,
    most: DVec3,
    /// True if the joint is ever known without its parent, or the parent without it.
    alone: bool,
}

impl Seen {
    const NOTHING: Seen = Seen {
        frames: 0.0,
        sum: DVec3::ZERO,
        least: DVec3::INFINITY,
        most: DVec3::NEG_INFINITY,
        alone: false,
    };

    fn add(&mut self, offset: DVec3) {
        self.frames += 1.0;
        self.sum += offset;
        self.least = self.least.min(offset);
        self.most = self.most.max(offset);
    }

    fn mean(&self) -> DVec3 {
        // A bone that is never seen has the sum 0 and 0 frames, and 0 / 0 would give NaN.
        self.sum / self.frames.max(1.0)
    }

    /// Returns an upper bound for the distance of the bone's offset from its mean in all frames, in metres.
    fn spread(&self) -> f64 {
        let mean = self.mean();
        // The corner of the box around all offsets is at least as far from the mean as any offset. The
        // exact bound would need the offsets of all frames in memory.
        (self.most - mean).max(mean - self.least).length()
    }
}

impl Skeleton {
    /// Measures the bones of a hand in the frames at `times`, in seconds: their mean offsets and first poses, and the
    /// bones that need position channels. Returns `None` if no joint is known while the hand is tracked.
    pub(super) fn measure(
        sampler: &Sampler,
        side: Side,
        times: impl Iterator<Item = f32>,
    ) -> Option<Skeleton> {
        let mut skeleton = Skeleton::of(sampler, side);
        let mut seen = vec![Seen::NOTHING; skeleton.bones.len()];
        let mut cursor = SamplerCursor::default();
        let mut frame = Frame::default();
        for time in times {
            sampler.read(time, &mut cursor, &mut frame);
            let hand = frame.hand(side);
            if !hand.tracked {
                continue;
            }
            skeleton.tracked += 1;
            let poses = skeleton.poses(hand);
            skeleton.unknown += usize::from(poses.contains(&None));
            for ((bone, seen), pose) in skeleton.bones.iter_mut().zip(&mut seen).zip(&poses) {
                bone.first = bone.first.or(*pose);
                // The offset is measured in the parent's axes, so both poses of a frame are needed.
                let parent = bone.parent.and_then(|parent| poses[parent]);
                match (pose, parent) {
                    (Some(pose), Some(parent)) => seen.add(pose.relative_to(&parent).position),
                    (None, None) => {}
                    // The unknown end keeps its last pose, so the distance between both ends changes and a
                    // fixed offset does not hold.
                    _ => seen.alone = true,
                }
            }
        }
        for (bone, seen) in skeleton.bones.iter_mut().zip(seen) {
            if bone.parent.is_some() {
                bone.offset = seen.mean();
                bone.moves = seen.alone || seen.frames > 0.0 && seen.spread() > RIGID;
            }
        }
        skeleton
            .bones
            .iter()
            .any(|bone| bone.first.is_some())
            .then_some(skeleton)
    }

    fn of(sampler: &Sampler, side: Side) -> Skeleton {
        let recorded = sampler.recorded_joints(side);
        // `None` is a placeholder and not a part of the hand (docs/format.md, section 4.3).
        let is_bone = |&joint: &Joint| joint != Joint::None && recorded[joint];
        let joints: Vec<Joint> = Joint::ALL.into_iter().filter(is_bone).collect();
        let parent = |joint: Joint| {
            let mut above = std::iter::successors(joint.parent(), |joint| joint.parent());
            // A joint that is not recorded cannot be a bone: its children become children of its nearest
            // recorded ancestor.
            above.find_map(|above| joints.iter().position(|&joint| joint == above))
        };
        let bone = |&joint: &Joint| Bone {
            joint,
            parent: parent(joint),
            offset: DVec3::ZERO,
            moves: parent(joint).is_none(),
            first: None,
        };
        Skeleton {
            side,
            bones: joints.iter().map(bone).collect(),
            tracked: 0,
            unknown: 0,
        }
    }

    /// Returns the pose of each bone's joint in a frame, in OpenXR's axes and metres. Unknown joints and all joints of
    /// an untracked hand are `None`.
    fn poses(&self, hand: &HandFrame) -> Vec<Option<Rigid>> {
        let pose = |bone: &Bone| {
            let pose = hand.joints[bone.joint].filter(|_| hand.tracked)?;
            Some(Rigid::of(&Space::OpenXr.pose(pose))).filter(|_| is_known(&pose))
        };
        self.bones.iter().map(pose).collect()
    }

    /// Returns the first known pose of each bone's joint, or the identity for a joint that is never known.
    pub(super) fn start(&self) -> Vec<Rigid> {
        let first = |bone: &Bone| bone.first.unwrap_or(Rigid::IDENTITY);
        self.bones.iter().map(first).collect()
    }

    /// Updates `poses`, which has a pose for each bone, with the joints that are known in a frame. Other joints keep
    /// their poses.
    pub(super) fn follow(&self, hand: &HandFrame, poses: &mut [Rigid]) {
        for (pose, new) in poses.iter_mut().zip(self.poses(hand)) {
            *pose = new.unwrap_or(*pose);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{FloatCurve, Layout, Pose, Recorder, Recording};
    use inputanim_motion::{Motion, Scene};

    fn measured(recording: &Recording<'_>) -> Option<Skeleton> {
        let sampler = Sampler::new(recording).unwrap();
        let times = (0..=60).map(|step| step as f32 / 60.0);
        Skeleton::measure(&sampler, Side::Right, times)
    }

    #[test]
    fn a_hand_of_rigid_bones_has_position_channels_at_the_wrist_only() {
        let recording = Motion::new(Scene::Wave, 1, 1.0).record(60.0, Layout::Mrtk1_1);
        let skeleton = measured(&recording).unwrap();
        assert_eq!((skeleton.bones.len(), skeleton.tracked), (26, 61));
        for (index, bone) in skeleton.bones.iter().enumerate() {
            assert_eq!(bone.moves, bone.joint == Joint::Wrist, "{}", bone.joint);
            assert!(bone.parent.is_none_or(|parent| parent < index));
        }
        // Fingers are straight ahead in the rest pose.
        let tip = skeleton
            .bones
            .iter()
            .find(|bone| bone.joint == Joint::IndexTip);
        let offset = tip.unwrap().offset;
        assert!(offset.z < -0.02 && offset.x.abs() < 1e-5 && offset.y.abs() < 1e-5);
    }

    #[test]
    fn a_growing_bone_has_position_channels_and_a_missing_joint_is_skipped() {
        let motion = Motion::new(Scene::Wave, 1, 1.0);
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for step in 0..=60 {
            let mut frame = motion.frame_at(step as f32 / 60.0);
            let joints = &mut frame.right.joints;
            joints[Joint::IndexKnuckle] = None;
            if let Some(tip) = &mut joints[Joint::RingTip] {
                tip.position[1] += step as f32 * 1e-5;
            }
            recorder.push(&frame).unwrap();
        }
        let skeleton = measured(&recorder.finish()).unwrap();
        let find = |joint: Joint| skeleton.bones.iter().find(|bone| bone.joint == joint);
        assert!(find(Joint::RingTip).unwrap().moves);
        assert!(find(Joint::IndexKnuckle).is_none());
        let middle = find(Joint::IndexMiddleJoint).unwrap();
        assert_eq!(
            skeleton.bones[middle.parent.unwrap()].joint,
            Joint::IndexMetacarpal
        );
        // Beyond the knuckle, which bends.
        assert!(middle.moves);
    }

    #[test]
    fn a_joint_that_is_known_alone_has_position_channels() {
        let mut recording = Motion::new(Scene::Wave, 1, 1.0).record(60.0, Layout::Mrtk1_1);
        let knuckle = &mut recording.hands_mut().right.joints[Joint::IndexKnuckle];
        knuckle.position[0] = FloatCurve::linear([(0.0, 0.1), (0.5, f32::NAN), (0.6, 0.1)]);
        let skeleton = measured(&recording).unwrap();
        assert!((1..61).contains(&skeleton.unknown));
        let moving = skeleton.bones.iter().filter(|bone| bone.moves);
        let moving: Vec<Joint> = moving.map(|bone| bone.joint).collect();
        let expected = [Joint::Wrist, Joint::IndexKnuckle, Joint::IndexMiddleJoint];
        assert_eq!(moving, expected);
    }

    #[test]
    fn a_hand_that_is_never_tracked_has_no_skeleton() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.hands_mut().right.joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
        assert!(measured(&recording).is_none());
        recording.hands_mut().right.tracked.push(0.5, true);
        let skeleton = measured(&recording).unwrap();
        assert_eq!(skeleton.bones.len(), 1);
    }
}
