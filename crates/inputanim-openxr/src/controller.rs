//! A controller or another device at one time, and the conversion of its inputs to another interaction profile.

use std::sync::Arc;

use inputanim::velocity::{VelocityKind, VelocityVector};
use inputanim::{DeviceFrame, InputName, InputValue, Pose, PoseName, Space};

use crate::velocity::RecordedVelocity;

/// A recorded device at one time, in OpenXR's axes.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct DeviceState {
    /// `true` if the recording states whether the device is active.
    pub is_known: bool,
    /// `true` while the device is active. A device that is not active has no profile, poses and inputs.
    pub is_active: bool,
    /// The recorded interaction profile; `None` if it is not known.
    pub profile: Option<Arc<str>>,
    poses: Vec<(PoseName, Pose)>,
    inputs: Vec<(InputName, InputValue)>,
}

impl DeviceState {
    /// Converts a device of a recorded frame to OpenXR's axes. Returns a device that is not active while nothing is known about it.
    pub(crate) fn new(frame: Option<&DeviceFrame>) -> DeviceState {
        let is_known = frame.is_some();
        let Some(frame) = frame.filter(|frame| frame.active) else {
            return DeviceState {
                is_known,
                ..DeviceState::default()
            };
        };
        let poses = frame.poses.iter();
        DeviceState {
            is_known,
            is_active: true,
            profile: frame.profile.clone(),
            poses: poses
                .map(|&(name, pose)| (name, Space::OpenXr.pose(pose)))
                .collect(),
            inputs: frame.inputs.clone(),
        }
    }

    /// Returns `true` if the hand of a controller holds something: the controller is active, and its profile is not that of a bare
    /// hand.
    pub(crate) fn is_held(&self) -> bool {
        self.is_active && !self.profile.as_deref().is_some_and(is_bare_hand)
    }

    /// Returns a pose, such as `grip`; `None` if it is not known at this time.
    pub fn pose(&self, name: &str) -> Option<Pose> {
        let found = self.poses.iter().find(|(other, _)| other.as_str() == name);
        found.map(|&(_, pose)| pose)
    }

    /// Returns the recorded velocity of a pose at this time. A number that is not finite is unknown.
    pub fn velocity(&self, name: &str) -> RecordedVelocity {
        let read = |kind: VelocityKind| {
            let pose = name.parse().ok()?;
            let found = VelocityVector { pose, kind }.read(|input| self.input(input))?;
            let is_finite = found.iter().all(|part| part.is_finite());
            is_finite.then(|| Space::OpenXr.velocity(kind, found))
        };
        RecordedVelocity {
            linear: read(VelocityKind::Linear),
            angular: read(VelocityKind::Angular),
        }
    }

    /// Returns the value of an input; `None` if it is not known at this time.
    pub fn input(&self, name: InputName) -> Option<InputValue> {
        let found = self.inputs.iter().find(|(other, _)| *other == name);
        found.map(|&(_, value)| value)
    }
}

/// The interaction profiles of hands that hold nothing.
const BARE_HANDS: [&str; 2] = [
    "/interaction_profiles/ext/hand_interaction_ext",
    "/interaction_profiles/microsoft/hand_interaction",
];

/// Returns `true` if an interaction profile is that of a hand that holds nothing.
///
/// ```
/// use inputanim_openxr::is_bare_hand;
/// assert!(is_bare_hand("/interaction_profiles/ext/hand_interaction_ext"));
/// assert!(!is_bare_hand("/interaction_profiles/valve/index_controller"));
/// ```
pub fn is_bare_hand(profile: &str) -> bool {
    BARE_HANDS.contains(&profile)
}

/// Inputs, each with the inputs of other profiles that can replace it, in order of preference. The table is not used for an input
/// that the recorded profile has too, because this input keeps its value.
const EQUIVALENTS: &[(&str, &[&str])] = &[
    (
        "select/click",
        &[
            "trigger/click",
            "select/value",
            "trigger/value",
            "pinch_ext/value",
        ],
    ),
    (
        "select/value",
        &[
            "trigger/value",
            "select/click",
            "trigger/click",
            "pinch_ext/value",
        ],
    ),
    (
        "trigger/click",
        &[
            "trigger/value",
            "select/click",
            "select/value",
            "pinch_ext/value",
        ],
    ),
    (
        "trigger/value",
        &[
            "trigger/click",
            "select/value",
            "select/click",
            "pinch_ext/value",
        ],
    ),
    (
        "pinch_ext/value",
        &[
            "trigger/value",
            "select/value",
            "trigger/click",
            "select/click",
        ],
    ),
    (
        "aim_activate_ext/value",
        &[
            "pinch_ext/value",
            "trigger/value",
            "select/value",
            "trigger/click",
            "select/click",
        ],
    ),
    ("squeeze/click", &["squeeze/value", "grasp_ext/value"]),
    ("squeeze/value", &["squeeze/click", "grasp_ext/value"]),
    ("grasp_ext/value", &["squeeze/value", "squeeze/click"]),
    ("a/click", &["x/click"]),
    ("a/touch", &["x/touch"]),
    ("b/click", &["y/click"]),
    ("b/touch", &["y/touch"]),
    ("x/click", &["a/click"]),
    ("x/touch", &["a/touch"]),
    ("y/click", &["b/click"]),
    ("y/touch", &["b/touch"]),
    ("thumbstick/x", &["trackpad/x"]),
    ("thumbstick/y", &["trackpad/y"]),
    ("thumbstick/click", &["trackpad/click"]),
    ("thumbstick/touch", &["trackpad/touch"]),
    ("trackpad/x", &["thumbstick/x"]),
    ("trackpad/y", &["thumbstick/y"]),
    ("trackpad/click", &["thumbstick/click"]),
    ("trackpad/touch", &["thumbstick/touch"]),
];

/// Returns the names of the inputs of other profiles that can replace an input, in order of preference: for `select/click`, those
/// of the trigger. Empty if no input can replace it.
///
/// ```
/// use inputanim_openxr::equivalents;
/// assert_eq!(equivalents("squeeze/click"), ["squeeze/value", "grasp_ext/value"]);
/// assert!(equivalents("menu/click").is_empty());
/// ```
pub fn equivalents(input: &str) -> &'static [&'static str] {
    let found = EQUIVALENTS.iter().find(|(name, _)| *name == input);
    found.map_or(&[], |(_, others)| others)
}

/// The part of a hand without a controller that drives an input of a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum HandInput {
    /// 1 while the hand pinches.
    Pinch,
    /// 1 while the hand is tracked or pinches.
    Tracked,
    /// Always 0, because a hand does not have this input.
    Zero,
}

impl HandInput {
    /// Returns the part of a hand without a controller that drives an input, such as `trigger/value`. `squeezes` is `true` if a
    /// pinch also squeezes.
    pub fn of(input: &str, squeezes: bool) -> HandInput {
        match input {
            "select/click"
            | "select/value"
            | "trigger/click"
            | "trigger/value"
            | "pinch_ext/value"
            | "aim_activate_ext/value" => HandInput::Pinch,
            "squeeze/click" | "squeeze/value" | "grasp_ext/value" if squeezes => HandInput::Pinch,
            "trigger/touch"
            | "trigger/proximity"
            | "pinch_ext/ready_ext"
            | "aim_activate_ext/ready_ext"
            | "grasp_ext/ready_ext" => HandInput::Tracked,
            _ => HandInput::Zero,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profiles::Profile;

    #[test]
    fn the_equivalents_are_inputs_of_profiles_of_hands() {
        let is_known = |name: &str| {
            let mut profiles = Profile::all().iter();
            profiles.any(|profile| profile.component(name).is_some())
        };
        for (name, others) in EQUIVALENTS {
            assert!(is_known(name), "{name}");
            for other in *others {
                assert!(is_known(other) && other != name, "{other}");
            }
        }
    }

    #[test]
    fn a_pinch_squeezes_on_request_only() {
        assert_eq!(HandInput::of("squeeze/value", false), HandInput::Zero);
        assert_eq!(HandInput::of("squeeze/value", true), HandInput::Pinch);
        assert_eq!(HandInput::of("squeeze/force", true), HandInput::Zero);
        assert_eq!(HandInput::of("trigger/value", false), HandInput::Pinch);
    }
}
