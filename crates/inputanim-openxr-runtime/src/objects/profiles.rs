//! The interaction profiles of the runtime, and the part of a recording that drives each input (OpenXR 1.1, section 6.4).

use inputanim::Side;
use openxr_sys as xr;

use crate::extensions::Extension;

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
        User::ALL.into_iter().find_map(|user| {
            let rest = binding.strip_prefix(user.path())?;
            rest.starts_with('/').then_some((user, rest))
        })
    }
}

/// A pose of a hand or of the eyes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum PoseKind {
    Aim,
    Grip,
    Palm,
    Pinch,
    Poke,
    Gaze,
}

/// An input of a profile, as a recording has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// 1 while the hand pinches.
    Pinch,
    /// 1 while the hand is tracked.
    Tracked,
    /// Not recorded: always 0.
    Zero,
    /// A vector, which is not recorded: always 0.
    Vector,
    /// A pose.
    Pose(PoseKind),
    /// A vibration, which is ignored.
    Haptic,
}

/// An interaction profile that hands or eyes have.
pub(crate) struct Profile {
    pub(crate) name: &'static str,
    /// The extension that the profile needs.
    pub(crate) extension: Option<Extension>,
    /// The components, below a user path.
    components: &'static [(&'static str, Input)],
    /// The components that OpenXR 1.1 has added.
    newer: &'static [(&'static str, Input)],
    /// The components that only one hand has.
    one_sided: &'static [(&'static str, Side)],
}

const GRIP: (&str, Input) = ("/input/grip/pose", Input::Pose(PoseKind::Grip));
const AIM: (&str, Input) = ("/input/aim/pose", Input::Pose(PoseKind::Aim));
const HAPTIC: (&str, Input) = ("/output/haptic", Input::Haptic);

/// The profiles that are driven, the preferred ones first.
pub(crate) const PROFILES: &[Profile] = &[
    Profile {
        name: "/interaction_profiles/ext/hand_interaction_ext",
        extension: Some(Extension::HandInteraction),
        components: &[
            ("/input/pinch_ext/value", Input::Pinch),
            ("/input/pinch_ext/ready_ext", Input::Tracked),
            ("/input/aim_activate_ext/value", Input::Pinch),
            ("/input/aim_activate_ext/ready_ext", Input::Tracked),
            ("/input/grasp_ext/value", Input::Zero),
            ("/input/grasp_ext/ready_ext", Input::Tracked),
            ("/input/pinch_ext/pose", Input::Pose(PoseKind::Pinch)),
            ("/input/poke_ext/pose", Input::Pose(PoseKind::Poke)),
            GRIP,
            AIM,
        ],
        newer: &[],
        one_sided: &[],
    },
    Profile {
        name: "/interaction_profiles/oculus/touch_controller",
        extension: None,
        components: &[
            ("/input/trigger/value", Input::Pinch),
            ("/input/trigger/touch", Input::Tracked),
            ("/input/squeeze/value", Input::Zero),
            ("/input/thumbstick", Input::Vector),
            ("/input/thumbstick/x", Input::Zero),
            ("/input/thumbstick/y", Input::Zero),
            ("/input/thumbstick/click", Input::Zero),
            ("/input/thumbstick/touch", Input::Zero),
            ("/input/thumbrest/touch", Input::Zero),
            ("/input/x/click", Input::Zero),
            ("/input/x/touch", Input::Zero),
            ("/input/y/click", Input::Zero),
            ("/input/y/touch", Input::Zero),
            ("/input/menu/click", Input::Zero),
            ("/input/a/click", Input::Zero),
            ("/input/a/touch", Input::Zero),
            ("/input/b/click", Input::Zero),
            ("/input/b/touch", Input::Zero),
            ("/input/system/click", Input::Zero),
            GRIP,
            AIM,
            HAPTIC,
        ],
        newer: &[
            ("/input/trigger/proximity", Input::Tracked),
            ("/input/thumb_resting_surfaces/proximity", Input::Zero),
        ],
        one_sided: &[
            ("/input/x", Side::Left),
            ("/input/y", Side::Left),
            ("/input/menu", Side::Left),
            ("/input/a", Side::Right),
            ("/input/b", Side::Right),
            ("/input/system", Side::Right),
        ],
    },
    Profile {
        name: "/interaction_profiles/khr/simple_controller",
        extension: None,
        components: &[
            ("/input/select/click", Input::Pinch),
            ("/input/menu/click", Input::Zero),
            GRIP,
            AIM,
            HAPTIC,
        ],
        newer: &[],
        one_sided: &[],
    },
    Profile {
        name: "/interaction_profiles/ext/eye_gaze_interaction",
        extension: Some(Extension::EyeGaze),
        components: &[("/input/gaze_ext/pose", Input::Pose(PoseKind::Gaze))],
        newer: &[],
        one_sided: &[],
    },
];

/// Other profiles of the core of OpenXR. Applications may suggest bindings for them, and no hand has them.
const OTHERS: &[&str] = &[
    "/interaction_profiles/google/daydream_controller",
    "/interaction_profiles/htc/vive_controller",
    "/interaction_profiles/htc/vive_pro",
    "/interaction_profiles/microsoft/motion_controller",
    "/interaction_profiles/microsoft/xbox_controller",
    "/interaction_profiles/oculus/go_controller",
    "/interaction_profiles/valve/index_controller",
];

/// The profiles that OpenXR 1.1 has added to [`OTHERS`].
const NEWER_OTHERS: &[&str] = &[
    "/interaction_profiles/bytedance/pico_neo3_controller",
    "/interaction_profiles/bytedance/pico4_controller",
    "/interaction_profiles/bytedance/pico_g3_controller",
    "/interaction_profiles/hp/mixed_reality_controller",
    "/interaction_profiles/htc/vive_cosmos_controller",
    "/interaction_profiles/htc/vive_focus3_controller",
    "/interaction_profiles/meta/touch_controller_rift_cv1",
    "/interaction_profiles/meta/touch_controller_quest_1_rift_s",
    "/interaction_profiles/meta/touch_controller_quest_2",
    "/interaction_profiles/meta/touch_plus_controller",
    "/interaction_profiles/meta/touch_pro_controller",
    "/interaction_profiles/ml/ml2_controller",
    "/interaction_profiles/samsung/odyssey_controller",
];

/// Returns `true` if a controller that no recording drives may have this component, such as `/input/trigger/value`. The
/// runtime does not know the components of these controllers, but it knows those that extensions add to each profile.
/// `offers` is as in [`Profile::inputs`].
pub(crate) fn may_exist(component: &str, offers: impl Fn(Option<Extension>) -> bool) -> bool {
    let Some(name) = component.strip_prefix("/input/") else {
        return component.starts_with("/output/");
    };
    match name.split('/').next() {
        Some("palm_ext") => offers(Some(Extension::PalmPose)),
        Some("pinch_ext" | "poke_ext") => offers(Some(Extension::HandInteraction)),
        Some("grip_surface") => offers(None),
        // The extension for directions of thumbsticks is not offered.
        _ => !name.contains("dpad_"),
    }
}

/// A known profile: one whose inputs the recording drives, or another one, which no hand has.
pub(crate) enum Known {
    Driven(&'static Profile),
    Other,
}

/// Returns the interaction profile with a name; `None` if the runtime does not know it. `has_newer` is `true` if the
/// application uses OpenXR 1.1.
pub(crate) fn known(name: &str, has_newer: bool) -> Option<Known> {
    let driven = PROFILES.iter().find(|profile| profile.name == name);
    let is_other = OTHERS.contains(&name) || (has_newer && NEWER_OTHERS.contains(&name));
    driven
        .map(Known::Driven)
        .or_else(|| is_other.then_some(Known::Other))
}

impl Profile {
    /// Returns `true` if this user can have the profile: the eyes have the profile of the gaze, and hands have all
    /// others.
    pub(crate) fn is_of(&self, user: User) -> bool {
        let is_eyes = self.extension == Some(Extension::EyeGaze);
        is_eyes == (user == User::Eyes)
    }

    /// Returns the inputs that the binding of `component` to a user can mean, with the names of their components. A
    /// binding may omit the last part of a component, such as `/input/trigger` for `/input/trigger/value` (OpenXR 1.1,
    /// section 11.4). Empty if the user does not have the component. `offers` returns `true` for extensions that are
    /// enabled; `None` stands for OpenXR 1.1.
    pub(crate) fn inputs(
        &self,
        user: User,
        component: &str,
        offers: impl Fn(Option<Extension>) -> bool,
    ) -> Vec<(&'static str, Input)> {
        let is_elsewhere = |(name, side): &(&str, Side)| {
            component
                .strip_prefix(name)
                .is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
                && user != User::Hand(*side)
        };
        if !self.is_of(user) || self.one_sided.iter().any(is_elsewhere) {
            return Vec::new();
        }
        let is_hand = user != User::Eyes;
        // Extensions and OpenXR 1.1 add these poses to every profile of a hand.
        let added = [
            (
                "/input/palm_ext/pose",
                Some(Extension::PalmPose),
                PoseKind::Palm,
            ),
            (
                "/input/pinch_ext/pose",
                Some(Extension::HandInteraction),
                PoseKind::Pinch,
            ),
            (
                "/input/poke_ext/pose",
                Some(Extension::HandInteraction),
                PoseKind::Poke,
            ),
            ("/input/grip_surface/pose", None, PoseKind::Palm),
        ];
        let added = added
            .into_iter()
            .filter(|(_, needed, _)| is_hand && offers(*needed));
        let added = added.map(|(name, _, kind)| (name, Input::Pose(kind)));
        let newer = self.newer.iter().filter(|_| offers(None));
        let all = self.components.iter().chain(newer).copied().chain(added);
        // Only the identifier may stand alone: `/input/trigger`.
        let is_identifier = component.matches('/').count() == 2;
        let mut found: Vec<(&'static str, Input)> = all
            .filter(|(name, _)| {
                let rest = name.strip_prefix(component);
                rest.is_some_and(|rest| rest.is_empty() || (is_identifier && rest.starts_with('/')))
            })
            .collect();
        found.dedup();
        found
    }
}

/// Selects the input for an action of this kind, among `inputs`, which its binding can mean, with the names of their
/// components. `None` if no input has the type of the action.
pub(crate) fn select(inputs: &[(&'static str, Input)], kind: xr::ActionType) -> Option<Input> {
    // The preferred last parts of components (OpenXR 1.1, section 11.4).
    let (parts, is_fitting): (&[&str], fn(Input) -> bool) = match kind {
        xr::ActionType::POSE_INPUT => (&["/pose"], |input| matches!(input, Input::Pose(_))),
        xr::ActionType::VIBRATION_OUTPUT => (&[], |input| input == Input::Haptic),
        xr::ActionType::FLOAT_INPUT => (&["/value", "/click"], is_number),
        xr::ActionType::VECTOR2F_INPUT => (&[], |input| input == Input::Vector),
        _ => (&["/click", "/value"], is_number),
    };
    let fitting = || inputs.iter().filter(|(_, input)| is_fitting(*input));
    let preferred = parts
        .iter()
        .find_map(|part| fitting().find(|(name, _)| name.ends_with(part)));
    preferred
        .or_else(|| fitting().next())
        .map(|&(_, input)| input)
}

fn is_number(input: Input) -> bool {
    matches!(input, Input::Pinch | Input::Tracked | Input::Zero)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RIGHT: User = User::Hand(Side::Right);

    /// Returns the input of the Touch controller that a boolean action gets for `component`; `None` if there is none.
    fn touch(
        user: User,
        component: &str,
        offers: impl Fn(Option<Extension>) -> bool,
    ) -> Option<Input> {
        select(
            &PROFILES[1].inputs(user, component, offers),
            xr::ActionType::BOOLEAN_INPUT,
        )
    }

    #[test]
    fn a_component_is_found_by_its_name_and_by_its_identifier() {
        let none = |_| false;
        assert_eq!(
            touch(RIGHT, "/input/trigger/value", none),
            Some(Input::Pinch)
        );
        assert_eq!(touch(RIGHT, "/input/trigger", none), Some(Input::Pinch));
        for component in [
            "/input",
            "/output",
            "/input/trigg",
            "/input/trigger/force",
            "/input/palm_ext/pose",
        ] {
            assert_eq!(
                PROFILES[1].inputs(RIGHT, component, none),
                [],
                "{component}"
            );
        }
        let palm = PROFILES[1].inputs(RIGHT, "/input/palm_ext", |other| {
            other == Some(Extension::PalmPose)
        });
        assert_eq!(
            palm,
            [("/input/palm_ext/pose", Input::Pose(PoseKind::Palm))]
        );
        let surface = |offers: fn(Option<Extension>) -> bool| {
            PROFILES[1]
                .inputs(RIGHT, "/input/grip_surface/pose", offers)
                .len()
        };
        assert_eq!([surface(|other| other.is_none()), surface(none)], [1, 0]);
    }

    #[test]
    fn openxr_1_1_has_more_components_and_profiles() {
        let count = |offers: fn(Option<Extension>) -> bool| {
            let component = "/input/thumb_resting_surfaces/proximity";
            PROFILES[1].inputs(RIGHT, component, offers).len()
        };
        assert_eq!([count(|_| false), count(|other| other.is_none())], [0, 1]);
        let name = "/interaction_profiles/ml/ml2_controller";
        assert!(known(name, false).is_none() && known(name, true).is_some());
    }

    #[test]
    fn other_controllers_have_no_components_of_extensions_that_are_not_enabled() {
        for (component, exists) in [
            ("/input/trigger/value", true),
            ("/output/haptic", true),
            ("/input/palm_ext/pose", false),
            ("/input/thumbstick/dpad_up", false),
            ("/system/click", false),
        ] {
            assert_eq!(may_exist(component, |_| false), exists, "{component}");
        }
        assert!(may_exist("/input/pinch_ext/pose", |_| true));
    }

    #[test]
    fn a_vector_is_not_a_number() {
        let stick = PROFILES[1].inputs(RIGHT, "/input/thumbstick", |_| false);
        let vector = xr::ActionType::VECTOR2F_INPUT;
        assert_eq!(select(&stick, vector), Some(Input::Vector));
        assert_eq!(
            select(&stick, xr::ActionType::BOOLEAN_INPUT),
            Some(Input::Zero)
        );
        let trigger = PROFILES[1].inputs(RIGHT, "/input/trigger", |_| false);
        assert_eq!(select(&trigger, vector), None);
    }

    #[test]
    fn a_component_that_one_hand_has_is_not_on_the_other() {
        let none = |_| false;
        assert_eq!(touch(RIGHT, "/input/a/click", none), Some(Input::Zero));
        assert_eq!(touch(RIGHT, "/input/x/click", none), None);
        assert_eq!(touch(User::Hand(Side::Left), "/input/a", none), None);
    }

    #[test]
    fn the_kind_of_an_action_selects_the_component() {
        let hand = &PROFILES[0];
        let inputs = hand.inputs(RIGHT, "/input/pinch_ext", |_| true);
        assert_eq!(
            select(&inputs, xr::ActionType::FLOAT_INPUT),
            Some(Input::Pinch)
        );
        assert_eq!(
            select(&inputs, xr::ActionType::POSE_INPUT),
            Some(Input::Pose(PoseKind::Pinch))
        );
        assert_eq!(select(&inputs, xr::ActionType::VIBRATION_OUTPUT), None);
    }

    #[test]
    fn a_binding_has_a_user() {
        let split = User::split("/user/hand/left/input/aim/pose");
        assert_eq!(split, Some((User::Hand(Side::Left), "/input/aim/pose")));
        assert_eq!(User::split("/user/gamepad/input/a/click"), None);
        assert_eq!(User::split("/user/hand/leftish/input"), None);
    }
}
