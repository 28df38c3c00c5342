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
