//! Which poses of a frame are wanted.

use inputanim::{CurvePath, Joint, PoseChannel, RayChannel, Recording, Sampler, Side};

use crate::outcome::Refusal;

/// Poses and states that are to be printed.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Selection {
    pub(super) camera: bool,
    pub(super) gaze: bool,
    /// Left, then right; `None` where nothing of the hand is wanted.
    pub(super) hands: [Option<Vec<Joint>>; 2],
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
        if names.is_empty() {
            selection.camera = sampler.has_camera();
            selection.gaze = sampler.has_gaze();
            for side in Side::BOTH {
                let recorded = sampler.recorded_joints(side);
                let joints = Joint::ALL.into_iter().filter(|&joint| recorded[joint]);
                let joints = recording.hands.is_some().then(|| joints.collect());
                selection.hands[side as usize] = joints;
            }
        }
        for name in names {
            if !selection.add(sampler, name) {
                let known = "they are camera, gaze, left, right, left.Palm, Palm for both hands";
                return Err(Refusal::failure(
                    format!("nothing is called {name}: {known} (--help lists the joints)"),
                    "* and ? stand for other characters: right.Index*",
                ));
            }
        }
        for joints in selection.hands.iter_mut().flatten() {
            joints.sort();
            joints.dedup();
        }
        Ok(selection)
    }

    /// Adds what a name stands for; `false` where it stands for nothing that there could be.
    fn add(&mut self, sampler: &Sampler, name: &str) -> bool {
        let lower = name.to_ascii_lowercase();
        let is_pattern = name.contains(['*', '?', '[', '{']);
        let fits = |text: &str| fast_glob::glob_match(&lower, text.to_ascii_lowercase());
        let mut is_known = false;
        // A plain name stands for its pose whether that is recorded or not.
        let mut wants = |full: &str, is_recorded: bool| {
            is_known = true;
            if !is_recorded && !is_pattern {
                self.missing.push(full.to_owned());
            }
            is_recorded || !is_pattern
        };
        if fits("camera") {
            self.camera |= wants("camera", sampler.has_camera());
        }
        if fits("gaze") {
            self.gaze |= wants("gaze", sampler.has_gaze());
        }
        let mut is_of_hand = false;
        for side in Side::BOTH {
            let recorded = sampler.recorded_joints(side);
            let is_hand = fits(side.name());
            let states = [format!("{side}.tracked"), format!("{side}.pinching")];
            let are_states = !is_pattern && states.iter().any(|state| fits(state));
            let mut joints = Vec::new();
            for joint in Joint::ALL {
                let full = format!("{side}.{joint}");
                let is_joint = !is_hand && (fits(&full) || fits(joint.name()));
                if is_hand && recorded[joint] || is_joint && wants(&full, recorded[joint]) {
                    joints.push(joint);
                }
            }
            is_of_hand |= is_hand || are_states;
            if is_hand || are_states || !joints.is_empty() {
                let hand = &mut self.hands[side as usize];
                hand.get_or_insert_default().extend(joints);
            }
        }
        is_known || is_of_hand
    }

    /// Whether a curve is among what is to be printed.
    pub(super) fn has(&self, path: CurvePath) -> bool {
        let hand = |side: Side| self.hands[side as usize].as_ref();
        match path {
            CurvePath::Camera(_) => self.camera,
            CurvePath::Gaze(_) => self.gaze,
            CurvePath::Tracked(side) | CurvePath::Pinching(side) => hand(side).is_some(),
            CurvePath::Joint(side, joint, _) => {
                hand(side).is_some_and(|joints| joints.contains(&joint))
            }
        }
    }

    /// The heads of the columns of CSV: the names of the curves.
    pub(super) fn columns(&self) -> Vec<String> {
        let mut paths = Vec::new();
        if self.camera {
            paths.extend(PoseChannel::ALL.map(CurvePath::Camera));
        }
        for (side, joints) in Side::BOTH.into_iter().zip(&self.hands) {
            let Some(joints) = joints else { continue };
            paths.extend([CurvePath::Tracked(side), CurvePath::Pinching(side)]);
            for &joint in joints {
                let path = |channel| CurvePath::Joint(side, joint, channel);
                paths.extend(PoseChannel::ALL.map(path));
            }
        }
        if self.gaze {
            paths.extend(RayChannel::ALL.map(CurvePath::Gaze));
        }
        paths.iter().map(CurvePath::to_string).collect()
    }

    /// The only pose, if there is just one.
    pub(super) fn only_joint(&self) -> Option<(Side, Joint)> {
        let chosen = |side: Side| self.hands[side as usize].as_deref();
        match (
            self.camera || self.gaze,
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
            plain.hands,
            [Some(vec![Joint::IndexTip]), Some(vec![Joint::IndexTip])]
        );
        assert_eq!(plain.missing, ["right.IndexTip"]);
        let pattern = select(&["*.index*", "*.Palm"]).unwrap();
        assert_eq!(
            pattern.hands,
            [Some(vec![Joint::Palm, Joint::IndexTip]), None]
        );
        assert_eq!(pattern.missing, [""; 0]);
    }

    #[test]
    fn hands_and_their_states_can_be_asked_for() {
        let left = select(&["left"]).unwrap();
        assert_eq!(left.hands, [Some(vec![Joint::Palm, Joint::IndexTip]), None]);
        let right = select(&["right"]).unwrap();
        assert_eq!(right.hands, [None, Some(Vec::new())]);
        let states = select(&["left.pinching"]).unwrap();
        assert_eq!(states.hands, [Some(Vec::new()), None]);
        let camera = select(&["camera"]).unwrap();
        assert!(camera.camera && camera.missing == ["camera"]);
    }

    #[test]
    fn a_name_of_nothing_is_refused() {
        for name in ["left.Thumb", "head", "", "*.Toe"] {
            assert!(select(&[name]).is_err(), "{name}");
            assert!(select(&["left", name]).is_err(), "{name} after a hand");
        }
    }
}
