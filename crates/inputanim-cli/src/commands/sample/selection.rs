//! The poses to print.

use inputanim::Element;
use inputanim::{CurvePath, DeviceName, Joint, Recording, Sampler, Side};
use inputanim_convert::frames::{Columns, DeviceParts};

use inputanim::names::{ElementChoice, ElementName, ElementNameKind};

/// Poses and states that are to be printed.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Selection {
    pub(super) columns: Columns,
    /// The selected names without recorded poses.
    pub(super) missing: Vec<String>,
}

impl Selection {
    /// Selects the poses and states that `choice` names, or everything that is recorded if it has no names. A pattern
    /// selects only recorded poses.
    pub(super) fn new(
        recording: &Recording<'_>,
        sampler: &Sampler,
        choice: &ElementChoice,
    ) -> Selection {
        let mut selection = Selection::default();
        let columns = &mut selection.columns;
        if choice.joints().is_empty() {
            columns.head = sampler.has_head();
            columns.gaze = sampler.has_gaze();
            for side in Side::BOTH {
                let recorded = sampler.recorded_joints(side);
                let joints = Joint::ALL.into_iter().filter(|&joint| recorded[joint]);
                let joints = recording.hands.is_some().then(|| joints.collect());
                columns.hands[side as usize] = joints;
            }
        }
        for name in choice.joints() {
            selection.add(recording, sampler, name);
        }
        selection.add_devices(recording, choice);
        selection.remove_excluded(choice);
        // Two names may select the same joint, which must have one column.
        for joints in selection.columns.hands.iter_mut().flatten() {
            joints.sort();
            joints.dedup();
        }
        selection
    }

    /// Adds the selected poses and inputs of devices.
    fn add_devices(&mut self, recording: &Recording<'_>, choice: &ElementChoice) {
        let recorded = Columns::of(recording).devices;
        let devices = recorded.clone().into_iter().filter_map(|mut device| {
            let name = device.name;
            device
                .poses
                .retain(|pose| choice.contains(Element::DevicePose(name, *pose)));
            device
                .inputs
                .retain(|(input, _)| choice.contains(Element::Input(name, *input)));
            let has_parts = !device.poses.is_empty() || !device.inputs.is_empty();
            (has_parts || choice.contains(Element::Profile(name))).then_some(device)
        });
        self.columns.devices = devices.collect();
        let elements = recorded.iter().flat_map(|device| {
            let name = device.name;
            let poses = device.poses.iter();
            let poses = poses.map(move |pose| Element::DevicePose(name, *pose));
            let inputs = device.inputs.iter();
            let inputs = inputs.map(move |(input, _)| Element::Input(name, *input));
            poses.chain(inputs).chain([Element::Profile(name)])
        });
        let elements: Vec<Element> = elements.collect();
        let missing = choice.joints().iter().filter(|name| {
            let is_of_device = name.elements.is_empty() && name.kind != ElementNameKind::Pattern;
            is_of_device && !elements.iter().any(|element| name.selects(*element))
        });
        self.missing.extend(missing.map(|name| name.text.clone()));
    }

    fn remove_excluded(&mut self, choice: &ElementChoice) {
        let columns = &mut self.columns;
        columns.head &= !choice.excludes(Element::Head);
        columns.gaze &= !choice.excludes(Element::Gaze);
        for side in Side::BOTH {
            let hand = &mut columns.hands[side as usize];
            if let Some(joints) = hand {
                joints.retain(|&joint| !choice.excludes(Element::Joint(side, joint)));
                // Joints need the states of their hand.
                if joints.is_empty() && choice.excludes(Element::Tracked(side)) {
                    *hand = None;
                }
            }
        }
        self.missing.retain(|name| {
            let mut elements = Element::all();
            elements.all(|element| element.to_string() != *name || !choice.excludes(element))
        });
    }

    /// Adds the elements that a name selects. A plain name selects its pose even if the pose is not recorded.
    fn add(&mut self, recording: &Recording<'_>, sampler: &Sampler, name: &ElementName) {
        let mut wants = |element: Element, is_recorded: bool| {
            let is_plain = name.kind == ElementNameKind::Plain;
            if is_plain && !is_recorded {
                self.missing.push(element.to_string());
            }
            is_plain || is_recorded
        };
        let columns = &mut self.columns;
        for &element in &name.elements {
            match element {
                Element::Head => columns.head |= wants(element, sampler.has_head()),
                Element::Gaze => columns.gaze |= wants(element, sampler.has_gaze()),
                Element::Tracked(side) | Element::Pinching(side) => {
                    if name.kind != ElementNameKind::Pattern || recording.hands.is_some() {
                        // An empty list of joints stands for the states of the hand.
                        columns.hands[side as usize].get_or_insert_default();
                    }
                }
                Element::Joint(side, joint) => {
                    if wants(element, sampler.recorded_joints(side)[joint]) {
                        let hand = &mut columns.hands[side as usize];
                        hand.get_or_insert_default().push(joint);
                    }
                }
                // The names of devices are not among these elements.
                Element::Profile(_) | Element::DevicePose(..) | Element::Input(..) => {}
            }
        }
    }

    /// Returns `true` if the pose or state to which a curve belongs is selected.
    pub(super) fn has(&self, path: CurvePath) -> bool {
        let hand = |side: Side| self.columns.hands[side as usize].as_ref();
        match path {
            CurvePath::Head(_) => self.columns.head,
            CurvePath::Gaze(_) => self.columns.gaze,
            CurvePath::Tracked(side) | CurvePath::Pinching(side) => hand(side).is_some(),
            CurvePath::Joint(side, joint, _) => {
                hand(side).is_some_and(|joints| joints.contains(&joint))
            }
            CurvePath::DevicePose(device, pose, _) => {
                let parts = self.device(device);
                parts.is_some_and(|parts| parts.poses.contains(&pose))
            }
            CurvePath::Input(device, input) => {
                let parts = self.device(device);
                parts.is_some_and(|parts| parts.inputs.iter().any(|(name, _)| *name == input))
            }
        }
    }

    fn device(&self, name: DeviceName) -> Option<&DeviceParts> {
        let mut devices = self.columns.devices.iter();
        devices.find(|device| device.name == name)
    }

    /// Returns the joint if exactly one joint, and nothing else, is selected.
    pub(super) fn only_joint(&self) -> Option<(Side, Joint)> {
        let chosen = |side: Side| self.columns.hands[side as usize].as_deref();
        match (
            self.columns.head || self.columns.gaze || !self.columns.devices.is_empty(),
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

    fn select(names: &[&str]) -> Selection {
        without(names, &[])
    }

    fn without(names: &[&str], exclude: &[&str]) -> Selection {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for joint in [Joint::Palm, Joint::IndexTip] {
            recording.hands_mut().left.joints[joint].push(0.0, &Pose::IDENTITY);
        }
        let sampler = Sampler::new(&recording).unwrap();
        let choice = ElementChoice::new(names, exclude).unwrap();
        Selection::new(&recording, &sampler, &choice)
    }

    #[test]
    fn a_plain_name_selects_unrecorded_joints_and_a_pattern_only_recorded_ones() {
        let plain = select(&["IndexTip"]);
        assert_eq!(
            plain.columns.hands,
            [Some(vec![Joint::IndexTip]), Some(vec![Joint::IndexTip])]
        );
        assert_eq!(plain.missing, ["right.IndexTip"]);
        let pattern = select(&["*.index*", "*.Palm"]);
        assert_eq!(
            pattern.columns.hands,
            [Some(vec![Joint::Palm, Joint::IndexTip]), None]
        );
        assert_eq!(pattern.missing, [""; 0]);
    }

    #[test]
    fn hands_and_their_states_can_be_asked_for() {
        let left = select(&["left"]);
        assert_eq!(
            left.columns.hands,
            [Some(vec![Joint::Palm, Joint::IndexTip]), None]
        );
        let right = select(&["right"]);
        assert_eq!(right.columns.hands, [None, Some(Vec::new())]);
        for states in ["left.pinching", "l*.pinching"] {
            let states = select(&[states]);
            assert_eq!(states.columns.hands, [Some(Vec::new()), None]);
        }
        let head = select(&["head"]);
        assert!(head.columns.head && head.missing == ["head"]);
    }

    #[test]
    fn excluded_names_are_removed_whether_named_or_recorded() {
        let rest = without(&[], &["palm"]);
        assert_eq!(
            rest.columns.hands,
            [Some(vec![Joint::IndexTip]), Some(vec![])]
        );
        assert_eq!(without(&[], &["left"]).columns.hands, [None, Some(vec![])]);
        let named = without(&["left.Wrist", "left.Palm"], &["Wrist"]);
        assert_eq!(named.columns.hands, [Some(vec![Joint::Palm]), None]);
        assert_eq!(named.missing, [""; 0]);
    }
}
