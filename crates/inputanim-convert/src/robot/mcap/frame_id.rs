//! The names of frames in the transform tree.

use std::fmt;

use inputanim::{Joint, Side};

/// A frame of the transform tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameId {
    Head,
    Gaze,
    Joint(Side, Joint),
}

impl FrameId {
    /// The number of frames.
    pub(super) const COUNT: usize = 2 + 2 * Joint::ALL.len();

    /// Returns the index of the frame among all frames.
    pub(super) fn index(self) -> usize {
        match self {
            FrameId::Head => 0,
            FrameId::Gaze => 1,
            FrameId::Joint(side, joint) => 2 + side as usize * Joint::ALL.len() + joint.index(),
        }
    }

    /// Returns the frame with an index, which must be less than [`COUNT`](Self::COUNT).
    pub(super) fn at(index: usize) -> FrameId {
        match index {
            0 => FrameId::Head,
            1 => FrameId::Gaze,
            _ => {
                let (side, joint) = (
                    (index - 2) / Joint::ALL.len(),
                    (index - 2) % Joint::ALL.len(),
                );
                FrameId::Joint(Side::BOTH[side], Joint::ALL[joint])
            }
        }
    }

    /// Parses the name of a frame: `head`, `gaze`, or a hand and a joint such as `left/IndexTip`. Returns `None` for
    /// other names.
    pub(super) fn parse(name: &str) -> Option<FrameId> {
        match name {
            "head" => return Some(FrameId::Head),
            "gaze" => return Some(FrameId::Gaze),
            _ => {}
        }
        let (side, joint) = name.split_once('/')?;
        let side = Side::BOTH.into_iter().find(|known| known.name() == side)?;
        let joint = Joint::OPENXR
            .into_iter()
            .find(|known| known.name() == joint)?;
        Some(FrameId::Joint(side, joint))
    }
}

impl fmt::Display for FrameId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FrameId::Head => f.write_str("head"),
            FrameId::Gaze => f.write_str("gaze"),
            FrameId::Joint(side, joint) => write!(f, "{side}/{joint}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_parses_back() {
        let joints = Side::BOTH
            .into_iter()
            .flat_map(|side| Joint::OPENXR.map(|joint| FrameId::Joint(side, joint)));
        for id in joints.chain([FrameId::Head, FrameId::Gaze]) {
            assert_eq!(FrameId::parse(&id.to_string()), Some(id));
            assert_eq!(FrameId::at(id.index()), id);
        }
        for other in [
            "",
            "left",
            "left/",
            "left/None",
            "left/indextip",
            "base/link",
        ] {
            assert_eq!(FrameId::parse(other), None, "{other}");
        }
    }
}
