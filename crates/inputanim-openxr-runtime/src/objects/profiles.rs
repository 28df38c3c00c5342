//! The inputs of interaction profiles, and the bindings that mean them (OpenXR 1.1, sections 6.4 and 11.4).

use inputanim_openxr::{Component, ComponentKind, Profile};
use openxr_sys as xr;

use super::users::in_registry;

/// An input or output of a profile, with the name of its component.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// A state or a number: `trigger/value`.
    Number(&'static str),
    /// A vector, which has the parts `x` and `y`: `thumbstick`.
    Vector(&'static str),
    /// A pose, without `/pose` at its end: `grip`.
    Pose(&'static str),
    /// A vibration: `haptic`.
    Haptic(&'static str),
}

impl Input {
    fn of(component: &Component) -> Input {
        let name = component.name;
        match component.kind {
            ComponentKind::Vector => Input::Vector(name),
            ComponentKind::Pose => Input::Pose(name.strip_suffix("/pose").unwrap_or(name)),
            ComponentKind::Haptic => Input::Haptic(name),
            _ => Input::Number(name),
        }
    }

    /// Returns the name of the component in the names of a recording: `trigger/value`, `grip`.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Input::Number(name) | Input::Vector(name) | Input::Pose(name) | Input::Haptic(name) => {
                name
            }
        }
    }
}

/// The profiles that a hand without a controller can have, in order of preference.
pub(crate) const PREFERRED: [&str; 3] = [
    "/interaction_profiles/ext/hand_interaction_ext",
    "/interaction_profiles/oculus/touch_controller",
    "/interaction_profiles/khr/simple_controller",
];

/// Returns the inputs that the path of a binding can mean in a profile ([`Profile::meant`]).
pub(crate) fn inputs(profile: &Profile, binding: &str, has: impl Fn(&str) -> bool) -> Vec<Input> {
    let binding = in_registry(binding);
    profile.meant(&binding, has).map(Input::of).collect()
}

/// Selects the input for an action of this kind, among `inputs`, which its binding can mean. `None` if no input has the type of
/// the action.
pub(crate) fn select(inputs: &[Input], kind: xr::ActionType) -> Option<Input> {
    // The preferred last parts of components (OpenXR 1.1, section 11.4).
    let (parts, is_fitting): (&[&str], fn(Input) -> bool) = match kind {
        xr::ActionType::POSE_INPUT => (&[], |input| matches!(input, Input::Pose(_))),
        xr::ActionType::VIBRATION_OUTPUT => (&[], |input| matches!(input, Input::Haptic(_))),
        xr::ActionType::FLOAT_INPUT => (&["/value", "/click"], is_number),
        xr::ActionType::VECTOR2F_INPUT => (&[], |input| matches!(input, Input::Vector(_))),
        _ => (&["/click", "/value"], is_number),
    };
    let fitting = || inputs.iter().filter(|input| is_fitting(**input));
    let preferred = parts
        .iter()
        .find_map(|part| fitting().find(|input| input.name().ends_with(part)));
    preferred.or_else(|| fitting().next()).copied()
}

fn is_number(input: Input) -> bool {
    matches!(input, Input::Number(_))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(name: &str) -> &'static Profile {
        Profile::find(name).expect("a profile of the registry")
    }

    /// Returns the input of the Touch controller that a boolean action gets for a binding; `None` if there is none.
    fn touch(binding: &str) -> Option<Input> {
        let found = inputs(profile(PREFERRED[1]), binding, |_| false);
        select(&found, xr::ActionType::BOOLEAN_INPUT)
    }

    #[test]
    fn a_component_is_found_by_its_name_and_by_its_identifier() {
        let trigger = Some(Input::Number("trigger/value"));
        assert_eq!(touch("/user/hand/right/input/trigger/value"), trigger);
        assert_eq!(touch("/user/hand/right/input/trigger"), trigger);
        for component in [
            "/input",
            "/output",
            "/input/trigg",
            "/input/trigger/force",
            "/input/palm_ext/pose",
        ] {
            let binding = "/user/hand/right".to_owned() + component;
            let found = inputs(profile(PREFERRED[1]), &binding, |_| false);
            assert_eq!(found, [], "{component}");
        }
        let palm = inputs(
            profile(PREFERRED[1]),
            "/user/hand/right/input/palm_ext",
            |name| name == "XR_EXT_palm_pose",
        );
        assert_eq!(palm, [Input::Pose("palm_ext")]);
    }

    #[test]
    fn a_vector_is_not_a_number() {
        let touch = profile(PREFERRED[1]);
        let stick = inputs(touch, "/user/hand/left/input/thumbstick", |_| false);
        let vector = xr::ActionType::VECTOR2F_INPUT;
        assert_eq!(select(&stick, vector), Some(Input::Vector("thumbstick")));
        let click = Some(Input::Number("thumbstick/click"));
        assert_eq!(select(&stick, xr::ActionType::BOOLEAN_INPUT), click);
        let trigger = inputs(touch, "/user/hand/left/input/trigger", |_| false);
        assert_eq!(select(&trigger, vector), None);
    }

    #[test]
    fn a_component_that_one_hand_has_is_not_on_the_other() {
        let a = Some(Input::Number("a/click"));
        assert_eq!(touch("/user/hand/right/input/a/click"), a);
        assert_eq!(touch("/user/hand/right/input/x/click"), None);
        assert_eq!(touch("/user/hand/left/input/a"), None);
    }

    #[test]
    fn the_kind_of_an_action_selects_the_component() {
        let hand = profile(PREFERRED[0]);
        let pinch = inputs(hand, "/user/hand/right/input/pinch_ext", |_| true);
        assert_eq!(
            select(&pinch, xr::ActionType::FLOAT_INPUT),
            Some(Input::Number("pinch_ext/value"))
        );
        assert_eq!(
            select(&pinch, xr::ActionType::POSE_INPUT),
            Some(Input::Pose("pinch_ext"))
        );
        assert_eq!(select(&pinch, xr::ActionType::VIBRATION_OUTPUT), None);
        let vive = profile("/interaction_profiles/htc/vive_controller");
        let trigger = inputs(vive, "/user/hand/left/input/trigger", |_| false);
        let of = |kind| select(&trigger, kind).map(Input::name);
        assert_eq!(of(xr::ActionType::FLOAT_INPUT), Some("trigger/value"));
        assert_eq!(of(xr::ActionType::BOOLEAN_INPUT), Some("trigger/click"));
    }

    #[test]
    fn other_users_have_inputs_too() {
        let found = |name, binding: &str| inputs(profile(name), binding, |_| false);
        let gamepad = "/interaction_profiles/microsoft/xbox_controller";
        assert_eq!(
            found(gamepad, "/user/gamepad/input/a/click"),
            [Input::Number("a/click")]
        );
        let tracker = "/interaction_profiles/htc/vive_tracker_htcx";
        for user in [
            "/user/vive_tracker_htcx/role/waist",
            "/devices/inputanim/hip",
        ] {
            let grip = format!("{user}/input/grip/pose");
            assert_eq!(found(tracker, &grip), [Input::Pose("grip")]);
            assert_eq!(found(gamepad, &grip), []);
        }
    }
}
