//! The parts of a recording that measures use, to decide which measures a finding affects.

use inputanim::doctor::{Code, Finding};
use inputanim::{CurvePath, Joint, PoseChannel, RayChannel, Side};

/// A part of a recording that a measure uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Source {
    /// Position of the head.
    HeadPosition,
    /// Rotation of the head.
    HeadRotation,
    /// Positions of the joints of the hands: of the side and the joint in the name of the measure, or of all
    /// sides and joints if the name has none. No measure uses the rotations of joints.
    Joints,
    /// States of the hands: of the side in the name of the measure, or of both.
    States,
    /// Origin and direction of the gaze.
    Gaze,
}

/// A set of sources with their sides and joints.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Sources {
    head_position: bool,
    head_rotation: bool,
    gaze: bool,
    /// For each side, whether its states belong to the set.
    states: [bool; 2],
    /// For each side, the set of joints as a bit mask. Bit `n` stands for the joint with the index `n`.
    joints: [u32; 2],
}

impl Sources {
    /// Every source.
    pub(crate) const ALL: Sources = Sources {
        head_position: true,
        head_rotation: true,
        gaze: true,
        states: [true; 2],
        joints: [u32::MAX; 2],
    };

    /// Returns the set of the given sources. If `side` or `joint` is not `None`, the set has only this hand or this
    /// joint.
    pub(crate) fn new(sources: &[Source], side: Option<Side>, joint: Option<Joint>) -> Sources {
        let sides = Side::BOTH.map(|other| side.is_none_or(|side| side == other));
        let mut set = Sources::default();
        for source in sources {
            match source {
                Source::HeadPosition => set.head_position = true,
                Source::HeadRotation => set.head_rotation = true,
                Source::Gaze => set.gaze = true,
                Source::States => set.states = sides,
                Source::Joints => {
                    let joints = joint.map_or(u32::MAX, |joint| 1 << joint.index());
                    set.joints = sides.map(|is_used| if is_used { joints } else { 0 });
                }
            }
        }
        set
    }

    /// Returns the sources whose values a finding affects.
    pub(crate) fn of(finding: &Finding) -> Sources {
        let mut set = Sources::default();
        // A pose that lacks any curve is not played back correctly, so its position is not certain either.
        let is_missing = finding.code == Code::CurvesMissing;
        for path in all_curves().filter(|path| finding.affects(*path)) {
            set.add(path, is_missing);
        }
        set
    }

    /// Returns the sources of curves that have no keys.
    pub(crate) fn of_curves(paths: impl IntoIterator<Item = CurvePath>) -> Sources {
        let mut set = Sources::default();
        for path in paths {
            set.add(path, true);
        }
        set
    }

    /// Adds the source of a curve. If the curve `is_missing`, its pose has neither a position nor a rotation.
    fn add(&mut self, path: CurvePath, is_missing: bool) {
        let is_position = |channel| is_missing || is_position(channel);
        match path {
            CurvePath::Head(channel) => {
                self.head_position |= is_position(channel);
                self.head_rotation |= is_missing || !is_position(channel);
            }
            CurvePath::Tracked(side) | CurvePath::Pinching(side) => {
                self.states[side as usize] = true;
            }
            CurvePath::Joint(side, joint, channel) if is_position(channel) => {
                self.joints[side as usize] |= 1 << joint.index();
            }
            CurvePath::Joint(..) => {}
            CurvePath::Gaze(_) => self.gaze = true,
            // No source of a measure is of a device.
            CurvePath::DevicePose(..) | CurvePath::Input(..) => {}
        }
    }

    /// Returns the union of two sets.
    pub(crate) fn with(mut self, other: Sources) -> Sources {
        self.head_position |= other.head_position;
        self.head_rotation |= other.head_rotation;
        self.gaze |= other.gaze;
        for side in 0..2 {
            self.states[side] |= other.states[side];
            self.joints[side] |= other.joints[side];
        }
        self
    }

    /// Returns `true` if two sets have a source in common.
    pub(crate) fn overlap(&self, other: &Sources) -> bool {
        (self.head_position && other.head_position)
            || (self.head_rotation && other.head_rotation)
            || (self.gaze && other.gaze)
            || (0..2).any(|side| {
                (self.states[side] && other.states[side])
                    || self.joints[side] & other.joints[side] != 0
            })
    }
}

/// Returns `true` if the curve of a pose is a component of its position, not of its rotation.
pub(crate) fn is_position(channel: PoseChannel) -> bool {
    matches!(
        channel,
        PoseChannel::PositionX | PoseChannel::PositionY | PoseChannel::PositionZ
    )
}

/// Returns the paths of all curves that a recording can have.
fn all_curves() -> impl Iterator<Item = CurvePath> {
    let of_pose = |pose: fn(PoseChannel) -> CurvePath| PoseChannel::ALL.map(pose);
    let joints = Side::BOTH.into_iter().flat_map(|side| {
        Joint::ALL.into_iter().flat_map(move |joint| {
            PoseChannel::ALL.map(move |channel| CurvePath::Joint(side, joint, channel))
        })
    });
    let states = Side::BOTH
        .into_iter()
        .flat_map(|side| [CurvePath::Tracked(side), CurvePath::Pinching(side)]);
    let gaze = RayChannel::ALL.map(CurvePath::Gaze);
    of_pose(CurvePath::Head)
        .into_iter()
        .chain(states)
        .chain(joints)
        .chain(gaze)
}
