//! Which poses of a frame are wanted.

use inputanim::edit::Piece;
use inputanim::{CurvePath, Joint, Recording, Sampler, Side};
use inputanim_convert::frames::Columns;

use crate::names::{Name, NameKind};

/// Poses and states that are to be printed.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Selection {
    pub(super) columns: Columns,
    /// What was asked for by its name but is not recorded.
    pub(super) missing: Vec<String>,
}

impl Selection {
    /// All that is recorded, or what the names ask for: of a pattern what is recorded, of a plain
    /// name also what is not.
    pub(super) fn new(
        recording: &Recording<'_>,
        sampler: &Sampler,
        names: &[String],
    ) -> anyhow::Result<Selection> {
        let mut selection = Selection::default();
        let columns = &mut selection.columns;
        if names.is_empty() {
            columns.camera = sampler.has_camera();
            columns.gaze = sampler.has_gaze();
            for side in Side::BOTH {
                let recorded = sampler.recorded_joints(side);
                let joints = Joint::ALL.into_iter().filter(|&joint| recorded[joint]);
                let joints = recording.hands.is_some().then(|| joints.collect());
                columns.hands[side as usize] = joints;
            }
        }
        for name in Name::all(names)? {
            selection.add(recording, sampler, &name);
        }
        for joints in selection.columns.hands.iter_mut().flatten() {
            joints.sort();
            joints.dedup();
        }
        Ok(selection)
    }

    /// Adds what a name stands for: a plain name its pose whether that is recorded or not.
    fn add(&mut self, recording: &Recording<'_>, sampler: &Sampler, name: &Name) {
        let mut wants = |piece: Piece, is_recorded: bool| {
            let is_plain = name.kind == NameKind::Plain;
            if is_plain && !is_recorded {
                self.missing.push(piece.to_string());
            }
            is_plain || is_recorded
        };
        let columns = &mut self.columns;
        for &piece in &name.pieces {
            match piece {
                Piece::Camera => columns.camera |= wants(piece, sampler.has_camera()),
                Piece::Gaze => columns.gaze |= wants(piece, sampler.has_gaze()),
                Piece::Tracked(side) | Piece::Pinching(side) => {
                    if name.kind != NameKind::Pattern || recording.hands.is_some() {
                        columns.hands[side as usize].get_or_insert_default();
                    }
                }
                Piece::Joint(side, joint) => {
                    if wants(piece, sampler.recorded_joints(side)[joint]) {
                        let hand = &mut columns.hands[side as usize];
                        hand.get_or_insert_default().push(joint);
                    }
                }
            }
        }
    }

    /// Whether a curve is among what is to be printed.
    pub(super) fn has(&self, path: CurvePath) -> bool {
        let hand = |side: Side| self.columns.hands[side as usize].as_ref();
        match path {
            CurvePath::Camera(_) => self.columns.camera,
            CurvePath::Gaze(_) => self.columns.gaze,
            CurvePath::Tracked(side) | CurvePath::Pinching(side) => hand(side).is_some(),
            CurvePath::Joint(side, joint, _) => {
                hand(side).is_some_and(|joints| joints.contains(&joint))
            }
        }
    }

    /// The only pose, if there is just one.
    pub(super) fn only_joint(&self) -> Option<(Side, Joint)> {
        let chosen = |side: Side| self.columns.hands[side as usize].as_deref();
        match (
            self.columns.camera || self.columns.gaze,
            chosen(Side::Left),
            chosen(Side::Right),
        ) {
            (false, Some(&[joint]), None) => Some((Side::Left, joint)),
            (false, None, Some(&[joint])) => Some((Side::Right, joint)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{Layout, Pose};

    fn select(names: &[&str]) -> anyhow::Result<Selection> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        for joint in [Joint::Palm, Joint::IndexTip] {
            take.hands_mut().left.joints[joint].push(0.0, &Pose::IDENTITY);
        }
        let sampler = Sampler::new(&take).unwrap();
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        Selection::new(&take, &sampler, &names)
    }

    #[test]
    fn a_plain_name_is_kept_though_it_is_not_recorded_and_a_pattern_takes_what_is() {
        let plain = select(&["IndexTip"]).unwrap();
        assert_eq!(
            plain.columns.hands,
            [Some(vec![Joint::IndexTip]), Some(vec![Joint::IndexTip])]
        );
        assert_eq!(plain.missing, ["right.IndexTip"]);
        let pattern = select(&["*.index*", "*.Palm"]).unwrap();
        assert_eq!(
            pattern.columns.hands,
            [Some(vec![Joint::Palm, Joint::IndexTip]), None]
        );
        assert_eq!(pattern.missing, [""; 0]);
    }

    #[test]
    fn hands_and_their_states_can_be_asked_for() {
        let left = select(&["left"]).unwrap();
        assert_eq!(
            left.columns.hands,
            [Some(vec![Joint::Palm, Joint::IndexTip]), None]
        );
        let right = select(&["right"]).unwrap();
        assert_eq!(right.columns.hands, [None, Some(Vec::new())]);
        for states in ["left.pinching", "l*.pinching"] {
            let states = select(&[states]).unwrap();
            assert_eq!(states.columns.hands, [Some(Vec::new()), None]);
        }
        let camera = select(&["camera"]).unwrap();
        assert!(camera.columns.camera && camera.missing == ["camera"]);
    }

    #[test]
    fn a_name_of_nothing_is_refused() {
        for name in ["left.Thumb", "head", "", "*.Toe"] {
            assert!(select(&[name]).is_err(), "{name}");
            assert!(select(&["left", name]).is_err(), "{name} after a hand");
        }
    }
}
