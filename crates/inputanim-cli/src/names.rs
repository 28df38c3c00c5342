//! Names of what is recorded, as they are typed: `camera`, `left`, `left.Palm`, `right.Index*`.

use std::collections::HashSet;
use std::path::Path;

use inputanim::edit::Piece;
use inputanim::{Recording, Side};

use crate::diagnostics::warn;
use crate::outcome::Refusal;
use crate::text::printable;

/// What stands between commas.
#[derive(Clone, Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

/// A comma within braces belongs to a name.
pub(crate) fn names(text: &str) -> Result<List<String>, String> {
    let mut depth = 0_i32;
    let parts = text.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth <= 0
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    Ok(List(parts.map(str::to_owned).collect()))
}

/// A name and all that it stands for.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) kind: NameKind,
    /// Never empty.
    pub(crate) pieces: Vec<Piece>,
}

/// How a name says what it stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// One by one: `camera`, `left.Palm`, `Palm` for that of both hands.
    Plain,
    /// `left`, `right`
    Hand,
    /// With characters that stand for others.
    Pattern,
}

impl Name {
    /// What a name stands for, whether it is recorded or not; case does not matter.
    pub(crate) fn new(text: &str) -> anyhow::Result<Name> {
        let lower = text.to_ascii_lowercase();
        let fits = |name: &str| fast_glob::glob_match(&lower, name.to_ascii_lowercase());
        let is_meant = |piece: &Piece| {
            let is_of_hand = piece.side().is_some_and(|side| fits(side.name()));
            let is_joint = matches!(piece, Piece::Joint(_, joint) if fits(joint.name()));
            is_of_hand || is_joint || fits(&piece.to_string())
        };
        let pieces: Vec<Piece> = Piece::all().filter(is_meant).collect();
        if pieces.is_empty() {
            let known = "they are camera, gaze, left, right, left.Palm, Palm for both hands";
            return Err(Refusal::failure(
                format!("nothing is called {text}: {known} (--help lists the joints)"),
                "* and ? stand for other characters: right.Index*",
            ));
        }
        let kind = if text.contains(['*', '?', '[', '{']) {
            NameKind::Pattern
        } else if Side::BOTH.into_iter().any(|side| fits(side.name())) {
            NameKind::Hand
        } else {
            NameKind::Plain
        };
        Ok(Name {
            text: text.to_owned(),
            kind,
            pieces,
        })
    }

    /// Several names, each of which must stand for something.
    pub(crate) fn all(texts: &[String]) -> anyhow::Result<Vec<Name>> {
        texts.iter().map(|text| Name::new(text)).collect()
    }
}

/// Warns of names of which a recording has no key.
pub(crate) fn warn_of_unrecorded<'n>(
    recording: &Recording<'_>,
    file: &Path,
    names: impl Iterator<Item = &'n Name>,
) {
    let with_keys = recording.curves().filter(|(_, curve)| !curve.is_empty());
    let recorded: HashSet<Piece> = with_keys.map(|(path, _)| path.into()).collect();
    for name in names {
        if !name.pieces.iter().any(|piece| recorded.contains(piece)) {
            let (file, name) = (file.display(), printable(&name.text));
            warn(format_args!("{file}: nothing is recorded of {name}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::Joint;

    fn name(text: &str) -> (NameKind, Vec<String>) {
        let name = Name::new(text).unwrap();
        let pieces = name.pieces.iter().map(Piece::to_string);
        (name.kind, pieces.collect())
    }

    #[test]
    fn a_name_stands_for_a_pose_a_state_or_that_of_both_hands() {
        let plain = |text| {
            let (kind, pieces) = name(text);
            assert_eq!(kind, NameKind::Plain);
            pieces
        };
        assert_eq!(plain("Camera"), ["camera"]);
        assert_eq!(plain("left.tracked"), ["left.tracked"]);
        assert_eq!(plain("right.palm"), ["right.Palm"]);
        assert_eq!(plain("IndexTip"), ["left.IndexTip", "right.IndexTip"]);
    }

    #[test]
    fn a_hand_is_its_joints_and_states_and_a_pattern_whatever_fits() {
        let (kind, pieces) = name("left");
        assert_eq!((kind, pieces.len()), (NameKind::Hand, 2 + Joint::ALL.len()));
        let (kind, pieces) = name("*.p{alm,inching}");
        assert_eq!(kind, NameKind::Pattern);
        let both = ["left.pinching", "left.Palm", "right.pinching", "right.Palm"];
        assert_eq!(pieces, both);
        assert_eq!(name("*").1.len(), Piece::all().count());
    }

    #[test]
    fn a_name_of_nothing_is_refused() {
        for text in ["left.Thumb", "head", "", "*.Toe"] {
            assert!(Name::new(text).is_err(), "{text}");
        }
    }

    #[test]
    fn names_stand_between_commas_but_not_those_within_braces() {
        let List(found) = names("camera, left.{Palm,Wrist},,gaze").unwrap();
        assert_eq!(found, ["camera", "left.{Palm,Wrist}", "gaze"]);
    }
}
