//! The inputs of interaction profiles, and the bindings that mean them (OpenXR 1.1, sections 6.4 and 11.4).

use inputanim::Side;
use inputanim_openxr::{Component, ComponentKind, Profile};
use openxr_sys as xr;

/// The owner of an input, which OpenXR names by a top level user path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum User {
    Hand(Side),
    Eyes,
}

impl User {
    pub(crate) const ALL: [User; 3] = [User::Hand(Side::Left), User::Hand(Side::Right), User::Eyes];

    /// Returns the path of the user, such as `/user/hand/left`.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            User::Hand(Side::Left) => "/user/hand/left",
            User::Hand(Side::Right) => "/user/hand/right",
            User::Eyes => "/user/eyes_ext",
        }
    }

    /// Splits the path of a binding into the user and the rest, such as `/input/trigger/value`. `None` if the user is
    /// neither a hand nor the eyes.
    pub(crate) fn split(binding: &str) -> Option<(User, &str)> {
        User::ALL
            .into_iter()
            .find_map(|user| Some((user, below(binding, user.path())?)))
    }
}

/// Returns the rest of the path of a binding below a user. `None` if the user is another one.
fn below<'b>(binding: &'b str, user: &str) -> Option<&'b str> {
    let rest = binding.strip_prefix(user)?;
    rest.starts_with('/').then_some(rest)
}

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
    profile.meant(binding, has).map(Input::of).collect()
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
    fn a_binding_has_a_user() {
        let split = User::split("/user/hand/left/input/aim/pose");
        assert_eq!(split, Some((User::Hand(Side::Left), "/input/aim/pose")));
        assert_eq!(User::split("/user/gamepad/input/a/click"), None);
        assert_eq!(User::split("/user/hand/leftish/input"), None);
        let gamepad = profile("/interaction_profiles/microsoft/xbox_controller");
        let found = inputs(gamepad, "/user/gamepad/input/a/click", |_| false);
        assert_eq!(found, [Input::Number("a/click")]);
    }
}
