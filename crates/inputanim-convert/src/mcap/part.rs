//! The names of frames.

use std::fmt;

use inputanim::{Joint, Side};

/// What a frame is the pose of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    Head,
    Gaze,
    Joint(Side, Joint),
}

impl Part {
    /// The part that a frame's name says.
    pub(super) fn of_frame(name: &str) -> Option<Part> {
        match name {
            "head" => return Some(Part::Head),
            "gaze" => return Some(Part::Gaze),
            _ => {}
        }
        let (side, joint) = name.split_once('/')?;
        let side = Side::BOTH.into_iter().find(|known| known.name() == side)?;
        let joint = Joint::OPENXR
            .into_iter()
            .find(|known| known.name() == joint)?;
        Some(Part::Joint(side, joint))
    }
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::Head => f.write_str("head"),
            Part::Gaze => f.write_str("gaze"),
            Part::Joint(side, joint) => write!(f, "{side}/{joint}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_frame_is_found_by_the_name_it_is_given() {
        let joints = Side::BOTH
            .into_iter()
            .flat_map(|side| Joint::OPENXR.map(|joint| Part::Joint(side, joint)));
        for part in joints.chain([Part::Head, Part::Gaze]) {
            assert_eq!(Part::of_frame(&part.to_string()), Some(part));
        }
        for other in [
            "",
            "left",
            "left/",
            "left/None",
            "left/indextip",
            "base/link",
        ] {
            assert_eq!(Part::of_frame(other), None, "{other}");
        }
    }
}
