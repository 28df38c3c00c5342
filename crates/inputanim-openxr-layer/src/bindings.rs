//! The inputs of interaction profiles to which the layer binds its actions.

use std::collections::BTreeMap;

use inputanim::{InputName, PoseName};
use inputanim_openxr::{Component, ComponentKind, Profile};
use openxr_sys as xr;

/// The profile of bare hands.
pub(crate) const HAND_INTERACTION: &str = "/interaction_profiles/ext/hand_interaction_ext";
/// The profile that every runtime knows.
pub(crate) const SIMPLE: &str = "/interaction_profiles/khr/simple_controller";
/// The profile of the eyes.
pub(crate) const EYE_GAZE: &str = "/interaction_profiles/ext/eye_gaze_interaction";
/// The input of [`EYE_GAZE`].
pub(crate) const GAZE: &str = "/user/eyes_ext/input/gaze_ext/pose";
/// The path of the eyes.
pub(crate) const EYES: &str = "/user/eyes_ext";
/// Interaction profiles, each with the input of a hand that counts as a pinch: the pinch itself, or a trigger or button
/// of a controller.
const SELECT: &[(&str, &str)] = &[
    (HAND_INTERACTION, "pinch_ext/value"),
    (SIMPLE, "select/click"),
    ("/interaction_profiles/bytedance/pico4_controller", TRIGGER),
    (
        "/interaction_profiles/bytedance/pico_g3_controller",
        TRIGGER,
    ),
    (
        "/interaction_profiles/bytedance/pico_neo3_controller",
        TRIGGER,
    ),
    (
        "/interaction_profiles/facebook/touch_controller_pro",
        TRIGGER,
    ),
    ("/interaction_profiles/fb/touch_controller_pro", TRIGGER),
    (
        "/interaction_profiles/google/daydream_controller",
        "select/click",
    ),
    ("/interaction_profiles/hp/mixed_reality_controller", TRIGGER),
    ("/interaction_profiles/htc/vive_controller", TRIGGER),
    ("/interaction_profiles/htc/vive_cosmos_controller", TRIGGER),
    ("/interaction_profiles/htc/vive_focus3_controller", TRIGGER),
    ("/interaction_profiles/meta/touch_controller_plus", TRIGGER),
    (
        "/interaction_profiles/meta/touch_controller_quest_1_rift_s",
        TRIGGER,
    ),
    (
        "/interaction_profiles/meta/touch_controller_quest_2",
        TRIGGER,
    ),
    (
        "/interaction_profiles/meta/touch_controller_rift_cv1",
        TRIGGER,
    ),
    ("/interaction_profiles/meta/touch_plus_controller", TRIGGER),
    ("/interaction_profiles/meta/touch_pro_controller", TRIGGER),
    (
        "/interaction_profiles/microsoft/hand_interaction",
        "select/value",
    ),
    ("/interaction_profiles/microsoft/motion_controller", TRIGGER),
    ("/interaction_profiles/ml/ml2_controller", TRIGGER),
    (
        "/interaction_profiles/oculus/go_controller",
        "trigger/click",
    ),
    ("/interaction_profiles/oculus/touch_controller", TRIGGER),
    ("/interaction_profiles/samsung/odyssey_controller", TRIGGER),
    ("/interaction_profiles/valve/index_controller", TRIGGER),
];

const TRIGGER: &str = "trigger/value";

/// Returns the input of a hand whose press counts as a pinch in an interaction profile, such as `trigger/value`,
/// relative to `/user/hand/left/input`. `None` if the layer does not know the profile.
pub(crate) fn select_input(profile: &str) -> Option<&'static str> {
    let found = SELECT.iter().find(|(name, _)| *name == profile);
    found.map(|(_, input)| *input)
}

/// The actions of the layer for a device.
#[derive(Clone, Debug, Default)]
pub(crate) struct OwnActions {
    /// `true` while a hand pinches, or presses the trigger of a controller.
    pub(crate) select: Option<xr::Action>,
    pub(crate) poses: BTreeMap<PoseName, xr::Action>,
    /// One action for each input of the profiles for which bindings are suggested.
    pub(crate) inputs: BTreeMap<InputName, OwnInput>,
}

/// The action of the layer for an input.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OwnInput {
    pub(crate) action: xr::Action,
    pub(crate) kind: xr::ActionType,
}

/// Returns the inputs of a profile for which the layer has actions: all that are on or off, or are numbers. `has` returns `true` for
/// the versions and extensions of OpenXR that the application uses. Empty for a profile that the registry does not have.
///
/// The directions of thumbsticks and trackpads (`XR_EXT_dpad_binding`) follow from their numbers, and their bindings would change
/// those of the application.
pub(crate) fn own_inputs(
    profile: &str,
    has: impl Fn(&str) -> bool,
) -> impl Iterator<Item = &'static Component> {
    let profile = Profile::find(profile);
    let components = profile.into_iter().flat_map(|profile| &profile.components);
    components.filter(move |component| {
        matches!(
            component.kind,
            ComponentKind::Boolean | ComponentKind::Float
        ) && !component.name.contains("/dpad_")
            && component.is_enabled(&has)
    })
}

/// Returns `true` if a profile has a pose, such as `aim/pose`.
pub(crate) fn has_pose(profile: &str, name: &str) -> bool {
    Profile::find(profile).is_some_and(|profile| profile.component(name).is_some())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_profile_has_an_input_that_counts_as_a_pinch() {
        assert_eq!(select_input(SIMPLE), Some("select/click"));
        assert_eq!(select_input(EYE_GAZE), None);
        assert_eq!(select_input("/interaction_profiles/new/thing"), None);
    }

    #[test]
    fn the_layer_has_actions_for_all_inputs_of_a_profile() {
        let names = |profile| {
            let inputs = own_inputs(profile, |name| name != "XR_VERSION_1_1");
            inputs.map(|component| component.name).collect::<Vec<_>>()
        };
        assert_eq!(names(SIMPLE), ["select/click", "menu/click"]);
        let touch = names("/interaction_profiles/oculus/touch_controller");
        assert!(touch.contains(&"thumbstick/x") && touch.contains(&"trigger/proximity_fb"));
        for name in [
            "trigger/proximity",
            "thumbstick",
            "thumbstick/dpad_up",
            "aim/pose",
        ] {
            assert!(!touch.contains(&name), "{name}");
        }
        assert_eq!(names("/interaction_profiles/new/thing"), [""; 0]);
    }
}
