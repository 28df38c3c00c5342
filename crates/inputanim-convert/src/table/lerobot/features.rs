//! The parts of a state.

use inputanim::{
    CurvePath, DeviceLoss, DeviceName, Element, InputName, Joint, Recording, Side, TimeRange,
};

use super::{ActionForm, Forms, Gripper, LeRobotError, MaskDetail, ReferenceFrame, RotationForm};
use crate::shared::{Loss, Note, NoteKind};
use crate::table::frames::Columns;

/// The parts of the states of a dataset, which are the same for all of its episodes. The stream
/// [`None`](inputanim::Joint::None) of a hand is not a joint, so it is never a part.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Features {
    /// The poses, rays and states, in the order of wide tables.
    pub(super) entries: Vec<Entry>,
    names: Vec<String>,
    /// The parts whose validity is stated.
    parts: Vec<String>,
    pub(super) forms: Forms,
    /// `true` if the states have a hand without a gripper, because no pinches are recorded.
    pub(super) lacks_gripper: bool,
}

/// A part of a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// The pose of the head or of a joint.
    Pose(Element, RotationForm),
    Gaze,
    Tracked(Side),
    Pinching(Side),
    GeometricPinch(Side),
    Aperture(Side),
    /// A number or a button of a device.
    Input(DeviceName, InputName),
}

/// The input that is the trigger of a controller.
const TRIGGER: &str = "trigger/value";

/// Returns the trigger of the controller of a hand.
fn trigger(side: Side) -> Option<Element> {
    let input = TRIGGER.parse().ok()?;
    Some(Element::Input(DeviceName::controller(side), input))
}

impl Entry {
    /// Returns the pose, ray or state of the recording; `None` for a number that is computed from several joints.
    pub(super) fn element(self) -> Option<Element> {
        match self {
            Entry::Pose(element, _) => Some(element),
            Entry::Gaze => Some(Element::Gaze),
            Entry::Tracked(side) => Some(Element::Tracked(side)),
            Entry::Pinching(side) => Some(Element::Pinching(side)),
            Entry::Input(device, input) => Some(Element::Input(device, input)),
            Entry::GeometricPinch(_) | Entry::Aperture(_) => None,
        }
    }

    pub(super) fn side(self) -> Option<Side> {
        match self {
            Entry::GeometricPinch(side) | Entry::Aperture(side) => Some(side),
            _ => self.element()?.side(),
        }
    }

    fn is_gripper(self) -> bool {
        match self {
            Entry::Pinching(_) | Entry::GeometricPinch(_) | Entry::Aperture(_) => true,
            Entry::Input(device, input) => device.side().is_some() && input.as_str() == TRIGGER,
            Entry::Pose(..) | Entry::Gaze | Entry::Tracked(_) => false,
        }
    }

    /// Returns the name, such as `left.IndexTip` or `left.aperture`.
    pub(super) fn name(self) -> String {
        match self {
            Entry::GeometricPinch(side) => format!("{side}.geometric_pinch"),
            Entry::Aperture(side) => format!("{side}.aperture"),
            _ => self
                .element()
                .map_or_else(String::new, |element| element.to_string()),
        }
    }

    /// Returns the names of the groups of numbers, with the names of the numbers; one group without a name for a single number.
    pub(super) fn groups(self) -> &'static [(&'static str, &'static [&'static str])] {
        const XYZ: &[&str] = &["x", "y", "z"];
        const QUATERNION: &[&str] = &["x", "y", "z", "w"];
        const COLUMNS: &[&str] = &[
            "column0.x",
            "column0.y",
            "column0.z",
            "column1.x",
            "column1.y",
            "column1.z",
        ];
        match self {
            Entry::Pose(_, RotationForm::Quaternion) => {
                &[("position", XYZ), ("rotation", QUATERNION)]
            }
            Entry::Pose(_, RotationForm::SixD) => &[("position", XYZ), ("rotation", COLUMNS)],
            Entry::Pose(_, RotationForm::None) => &[("position", XYZ)],
            Entry::Gaze => &[("origin", XYZ), ("direction", XYZ)],
            _ => &[("", &[""])],
        }
    }

    /// Returns the number of floats that the entry has in a state.
    pub(super) fn width(self) -> usize {
        self.groups().iter().map(|(_, names)| names.len()).sum()
    }

    /// Returns one name for each number, such as `left.IndexTip.position.x`.
    fn names(self) -> impl Iterator<Item = String> {
        let entry = self.name();
        let groups = self.groups().iter();
        groups.flat_map(move |(group, names)| {
            let entry = entry.clone();
            names.iter().map(move |name| match (*group, *name) {
                ("", _) => entry.clone(),
                (group, name) => format!("{entry}.{group}.{name}"),
            })
        })
    }

    fn of(element: Element, forms: &Forms) -> Entry {
        match element {
            Element::Joint(..) if forms.keypoints.is_some() => {
                Entry::Pose(element, RotationForm::None)
            }
            Element::Input(device, input) => Entry::Input(device, input),
            Element::Head | Element::Joint(..) | Element::DevicePose(..) | Element::Profile(_) => {
                Entry::Pose(element, forms.rotation)
            }
            Element::Gaze => Entry::Gaze,
            Element::Tracked(side) => Entry::Tracked(side),
            Element::Pinching(side) => Entry::Pinching(side),
        }
    }
}

/// A feature of a dataset that is a vector in single precision.
pub(super) struct VectorFeature {
    pub(super) name: &'static str,
    pub(super) names: Vec<String>,
}

/// The features with states and actions.
pub(super) const STATE: &str = "observation.state";
pub(super) const ACTION: &str = "action";

/// The feature that states which parts of the state were known. Its name has no prefix, so that policies do not read it.
const VALID: &str = "valid";

/// The feature that states which parts of an action were computed from known values.
const NEXT_VALID: &str = "next.valid";

/// The feature with the sizes by which positions were divided.
const HAND_SIZE: &str = "hand_size";

impl Features {
    /// Returns the parts of the states: all numbers of `columns`, without the streams, joints and states for which `keep`
    /// returns `false`. `columns` are the columns of all recordings together, as [`Columns::add_known`] unites them. `forms`
    /// are those of the [options](super::Options::forms) of the dataset.
    ///
    /// # Errors
    /// When no part remains, when no hand has the grippers or keypoints of `forms`, when a hand lacks the joints or the
    /// recorded pinches that they need, and when `keep` returns `false` for a joint of keypoints.
    pub fn new(
        columns: &Columns,
        forms: &Forms,
        keep: impl Fn(Element) -> bool,
    ) -> Result<Features, LeRobotError> {
        forms.check_selection(&keep)?;
        let mut elements: Vec<Element> = Vec::new();
        for path in columns.paths() {
            let element = Element::from(path);
            // `Joint::None` is a stream of the file, but no joint of a hand.
            let is_joint = !matches!(element, Element::Joint(_, Joint::None));
            if is_joint && keep(element) && elements.last() != Some(&element) {
                elements.push(element);
            }
        }
        let hands: Vec<Side> = Side::BOTH
            .into_iter()
            .filter(|&side| elements.iter().any(|element| element.side() == Some(side)))
            .collect();
        let mut of_hands = forms.grippers.iter();
        let needs_hand = of_hands.any(|&gripper| gripper != Gripper::Trigger);
        if hands.is_empty() && (needs_hand || forms.keypoints.is_some()) {
            return Err(LeRobotError::NoHand);
        }
        let recorded = |side: Side, joint: Joint, needed_by: &str| {
            let joints = columns.hands[side as usize].as_deref().unwrap_or_default();
            let element = Element::Joint(side, joint);
            let is_recorded = joints.contains(&joint);
            let needed_by = || needed_by.to_owned();
            is_recorded
                .then_some(element)
                .ok_or_else(|| LeRobotError::NoJoint {
                    element,
                    needed_by: needed_by(),
                })
        };
        let of_elements = |keep: &dyn Fn(Element) -> bool| {
            let elements = elements.iter().copied().filter(|&element| keep(element));
            elements.map(|element| Entry::of(element, forms)).collect()
        };
        let mut entries: Vec<Entry> = of_elements(&|element| element == Element::Head);
        for &side in &hands {
            entries.extend(of_elements(&|element| element == Element::Tracked(side)));
            if forms.grippers.is_empty() {
                entries.extend(of_elements(&|element| element == Element::Pinching(side)));
            }
            for &gripper in Gripper::ALL {
                // The trigger is an input of a device.
                if !forms.grippers.contains(&gripper) || gripper == Gripper::Trigger {
                    continue;
                }
                if gripper == Gripper::Pinch && columns.without_pinches[side as usize] {
                    return Err(LeRobotError::NoPinches(side));
                }
                if gripper != Gripper::Pinch {
                    let needed_by = format!("the gripper {gripper}");
                    recorded(side, Joint::ThumbTip, &needed_by)?;
                    recorded(side, Joint::IndexTip, &needed_by)?;
                }
                entries.push(match gripper {
                    Gripper::Pinch => Entry::Pinching(side),
                    Gripper::GeometricPinch => Entry::GeometricPinch(side),
                    Gripper::Aperture | Gripper::Trigger => Entry::Aperture(side),
                });
            }
            match forms.keypoints {
                Some(order) => {
                    let keypoints = format!("the order of keypoints {order}");
                    for joint in order.joints() {
                        entries.push(Entry::of(recorded(side, joint, &keypoints)?, forms));
                    }
                }
                None => entries.extend(of_elements(
                    &|element| matches!(element, Element::Joint(of, _) if of == side),
                )),
            }
        }
        entries.extend(of_elements(&|element| element == Element::Gaze));
        let of_devices = device_elements(columns, forms, &keep)?;
        entries.extend(
            of_devices
                .into_iter()
                .map(|element| Entry::of(element, forms)),
        );
        if entries.is_empty() {
            return Err(LeRobotError::NoFeatures);
        }
        let parts = match forms.mask {
            MaskDetail::Part => {
                let mut parts: Vec<String> = Vec::new();
                // The entries are in the order of the parts.
                for part in entries.iter().map(|&entry| part_of(entry)) {
                    if parts.last().is_none_or(|last| last != part) {
                        parts.push(part.to_owned());
                    }
                }
                parts
            }
            MaskDetail::Joint => entries.iter().map(|entry| entry.name()).collect(),
        };
        let has_gripper = entries.iter().any(|entry| entry.is_gripper());
        let mut hands = hands.iter();
        Ok(Features {
            names: entries.iter().flat_map(|entry| entry.names()).collect(),
            lacks_gripper: !has_gripper && hands.any(|&side| keep(Element::Pinching(side))),
            entries,
            parts,
            forms: forms.clone(),
        })
    }

    /// Fails if a form has no effect on the entries. Poses are relative to `frame`.
    pub(super) fn check_effect(&self, frame: ReferenceFrame) -> Result<(), LeRobotError> {
        let Forms {
            rotation,
            action,
            scale_hands,
            ..
        } = self.forms;
        let has = |is: &dyn Fn(Entry) -> bool| self.entries.iter().any(|&entry| is(entry));
        let is_pose = |entry| matches!(entry, Entry::Pose(..) | Entry::Gaze);
        let is_based = |entry: Entry| {
            let element = entry.element().filter(|_| is_pose(entry));
            element.is_some_and(|element| frame.base_or_self(element).is_some())
        };
        let is_scaled = |entry| match entry {
            Entry::Pose(Element::Joint(_, joint), _) => joint != Joint::Wrist,
            _ => false,
        };
        if rotation != RotationForm::default()
            && !has(&|entry| matches!(entry, Entry::Pose(_, form) if form == rotation))
        {
            return Err(LeRobotError::NoEffect("the form of rotations"));
        }
        let has_action = match action {
            ActionForm::Next => true,
            ActionForm::Relative => has(&is_based),
            ActionForm::Delta => has(&is_pose),
        };
        if !has_action {
            return Err(LeRobotError::NoEffect("the form of actions"));
        }
        if scale_hands && !has(&is_scaled) {
            return Err(LeRobotError::NoEffect("the size of hands"));
        }
        Ok(())
    }

    /// Returns one name for each number of a state, such as `head.position.x`, in order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Returns the names of the parts whose validity is stated: `head`, `left`, `right`, `gaze` and the names of devices, as far as the
    /// states have an element of them. With [`MaskDetail::Joint`], the names of all poses, rays and states, such as `left.IndexTip`.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// Returns the index of the part of an entry.
    pub(super) fn part(&self, entry: Entry) -> usize {
        let mut parts = self.parts.iter();
        let place = match self.forms.mask {
            MaskDetail::Part => parts.position(|other| *other == part_of(entry)),
            MaskDetail::Joint => self.entries.iter().position(|&other| other == entry),
        };
        place.unwrap_or_default()
    }

    /// Returns a note for each hand whose pinches `recording` has and `keep` selects, but whose states lack them, because other
    /// recordings of the dataset have none.
    pub fn left_out(&self, recording: &Recording<'_>, keep: impl Fn(Element) -> bool) -> Vec<Note> {
        let is_left_out = |side: &Side| {
            let is_part = self.has_hand(*side);
            let hands = recording.hands.as_ref();
            let is_recorded =
                hands.is_some_and(|hands| !hands.hand(*side).pinching.keys.is_empty());
            let is_entry = self.entries.contains(&Entry::Pinching(*side));
            // Grippers that are chosen replace the recorded pinch.
            let is_wanted = self.forms.grippers.is_empty() && keep(Element::Pinching(*side));
            is_part && is_recorded && is_wanted && !is_entry
        };
        let hands = Side::BOTH.into_iter().filter(is_left_out);
        let note = |side| {
            let message =
                format!("{side} hand: pinches dropped, because other recordings have none");
            Note::new(NoteKind::NotInFormat, message)
        };
        hands.map(note).collect()
    }

    /// Returns a loss for each device of the states whose profile changes or haptic pulses `recording` has in the time ranges of
    /// episodes: states have none of them. The ranges must be in order and must not overlap: see [`TimeRange::union`].
    pub fn device_losses(&self, recording: &Recording<'_>, episodes: &[TimeRange]) -> Vec<Loss> {
        let is_part = |name: DeviceName| {
            let mut elements = self.entries.iter().filter_map(|entry| entry.element());
            elements.any(|element| element.device() == Some(name))
        };
        let devices = recording.devices.iter();
        let losses = devices
            .filter(|device| is_part(device.name))
            .map(|device| {
                let is_held = |element| !matches!(element, Element::Profile(_));
                DeviceLoss::within(device, episodes, is_held)
            })
            .filter(|loss| !loss.is_empty());
        losses.map(|loss| Loss::of_device(&loss)).collect()
    }

    /// Returns the hands that are part of the states, but are missing in a recording with these `columns`. In the
    /// episodes of such a recording, the joints of the hand are the identity, and its states are 0.
    pub fn missing_hands(&self, columns: &Columns) -> Vec<Side> {
        let hands = Side::BOTH.into_iter().zip(&columns.hands);
        let missing = hands.filter(|&(side, joints)| joints.is_none() && self.has_hand(side));
        missing.map(|(side, _)| side).collect()
    }

    /// Returns `true` if the states have a joint or state of a hand.
    pub(super) fn has_hand(&self, side: Side) -> bool {
        self.entries.iter().any(|entry| entry.side() == Some(side))
    }

    /// Returns the length of a state: the number of floats for one frame.
    pub(super) fn width(&self) -> usize {
        self.names.len()
    }

    /// Returns the hands whose positions are divided by the size of the hand.
    pub(super) fn scaled_hands(&self) -> Vec<Side> {
        let hands = Side::BOTH.into_iter();
        hands
            .filter(|&side| self.forms.scale_hands && self.has_hand(side))
            .collect()
    }

    /// Returns the features that are vectors, in the order of the columns.
    pub(super) fn vectors(&self) -> Vec<VectorFeature> {
        let vector = |name, names: &[String]| VectorFeature {
            name,
            names: names.to_vec(),
        };
        let mut vectors = vec![
            vector(STATE, &self.names),
            vector(ACTION, &self.names),
            vector(VALID, &self.parts),
        ];
        if self.forms.action != ActionForm::Next {
            vectors.push(vector(NEXT_VALID, &self.parts));
        }
        let scaled = self.scaled_hands();
        if !scaled.is_empty() {
            let names: Vec<String> = scaled.iter().map(ToString::to_string).collect();
            vectors.push(vector(HAND_SIZE, &names));
        }
        vectors
    }

    /// Returns `true` if an element is sampled for these states, or for numbers that are computed from it.
    pub(super) fn needs(&self, path: CurvePath) -> bool {
        let element = Element::from(path);
        let is_tip = |side| {
            [Joint::ThumbTip, Joint::IndexTip]
                .map(|tip| Element::Joint(side, tip))
                .contains(&element)
        };
        let mut entries = self.entries.iter();
        let is_used = entries.any(|&entry| match entry {
            Entry::GeometricPinch(side) | Entry::Aperture(side) => is_tip(side),
            _ => entry.element() == Some(element),
        });
        let mut scaled = self.scaled_hands().into_iter();
        is_used
            || scaled.any(|side| {
                SIZE_JOINTS
                    .map(|joint| Element::Joint(side, joint))
                    .contains(&element)
            })
    }
}

/// The ends of the bone that is the size of a hand.
pub(super) const SIZE_JOINTS: [Joint; 2] = [Joint::Wrist, Joint::MiddleKnuckle];

/// Returns the selected poses and inputs of devices, in order, and the triggers that are grippers: those of the hands of which a part
/// is selected. If no part of a hand is selected, these are the triggers of both hands. Fails if triggers are the grippers, and none
/// of these controllers has a trigger.
fn device_elements(
    columns: &Columns,
    forms: &Forms,
    keep: impl Fn(Element) -> bool,
) -> Result<Vec<Element>, LeRobotError> {
    let is_gripper = forms.grippers.contains(&Gripper::Trigger);
    let mut all = Vec::new();
    for device in &columns.devices {
        let poses = device.poses.iter();
        let poses = poses.map(|&pose| Element::DevicePose(device.name, pose));
        let inputs = device.inputs.iter();
        let inputs = inputs.map(|&(input, _)| Element::Input(device.name, input));
        all.extend(poses.chain(inputs));
    }
    let is_selected = |side: Side| {
        let of_device =
            |element: &Element| element.device().and_then(DeviceName::side) == Some(side);
        let mut joints = Joint::ALL.iter().map(|&joint| Element::Joint(side, joint));
        all.iter()
            .any(|element| of_device(element) && keep(*element))
            || joints.any(&keep)
    };
    let mut sides: Vec<Side> = Side::BOTH
        .into_iter()
        .filter(|&side| is_selected(side))
        .collect();
    if sides.is_empty() {
        sides = Side::BOTH.to_vec();
    }
    let triggers: Vec<Option<Element>> = sides.into_iter().map(trigger).collect();
    let is_trigger = |element: &Element| is_gripper && triggers.contains(&Some(*element));
    let mut elements = all;
    elements.retain(|element| keep(*element) || is_trigger(element));
    let mut found = elements.iter();
    if is_gripper
        && !found.any(|element| triggers.contains(&Some(*element)))
        && let Some(element) = trigger(Side::Right)
    {
        let needed_by = format!("the gripper {}", Gripper::Trigger);
        return Err(LeRobotError::NoJoint { element, needed_by });
    }
    Ok(elements)
}

/// Returns the part of an entry: `head`, `gaze`, the name of its hand or of its device.
fn part_of(entry: Entry) -> &'static str {
    if let Some(device) = entry.element().and_then(Element::device) {
        return device.as_str();
    }
    match (entry.side(), entry) {
        (Some(side), _) => side.name(),
        (None, Entry::Gaze) => "gaze",
        (None, _) => "head",
    }
}
