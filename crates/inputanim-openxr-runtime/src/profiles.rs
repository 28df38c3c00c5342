//! The interaction profiles of the runtime, and where a recording has their inputs (OpenXR 1.1, section 6.4).

use inputanim::Side;

use crate::extensions::Extension;

/// Who or what an input belongs to: a top level user path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum User {
    Hand(Side),
    Eyes,
}

impl User {
    pub(crate) const ALL: [User; 3] = [User::Hand(Side::Left), User::Hand(Side::Right), User::Eyes];

    /// Returns the path.
    pub(crate) const fn path(self) -> &'static str {
        match self {
            User::Hand(Side::Left) => "/user/hand/left",
            User::Hand(Side::Right) => "/user/hand/right",
            User::Eyes => "/user/eyes_ext",
        }
    }

    /// Splits a binding into the user and the rest, which begins with `/input` or `/output`.
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
    },
    Profile {
        name: "/interaction_profiles/oculus/touch_controller",
        extension: None,
        components: &[
            ("/input/trigger/value", Input::Pinch),
            ("/input/trigger/touch", Input::Tracked),
            ("/input/squeeze/value", Input::Zero),
            ("/input/thumbstick", Input::Zero),
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
    },
    Profile {
        name: "/interaction_profiles/ext/eye_gaze_interaction",
        extension: Some(Extension::EyeGaze),
        components: &[("/input/gaze_ext/pose", Input::Pose(PoseKind::Gaze))],
    },
];

/// Other profiles of the core of OpenXR. Applications may suggest bindings for them, and no hand has them.
const OTHERS: &[&str] = &[
    "/interaction_profiles/bytedance/pico_neo3_controller",
    "/interaction_profiles/bytedance/pico4_controller",
    "/interaction_profiles/bytedance/pico_g3_controller",
    "/interaction_profiles/google/daydream_controller",
    "/interaction_profiles/hp/mixed_reality_controller",
    "/interaction_profiles/htc/vive_controller",
    "/interaction_profiles/htc/vive_cosmos_controller",
    "/interaction_profiles/htc/vive_focus3_controller",
    "/interaction_profiles/htc/vive_pro",
    "/interaction_profiles/meta/touch_controller_rift_cv1",
    "/interaction_profiles/meta/touch_controller_quest_1_rift_s",
    "/interaction_profiles/meta/touch_controller_quest_2",
    "/interaction_profiles/meta/touch_plus_controller",
    "/interaction_profiles/meta/touch_pro_controller",
    "/interaction_profiles/ml/ml2_controller",
    "/interaction_profiles/microsoft/motion_controller",
    "/interaction_profiles/microsoft/xbox_controller",
    "/interaction_profiles/oculus/go_controller",
    "/interaction_profiles/samsung/odyssey_controller",
    "/interaction_profiles/valve/index_controller",
];

/// What the runtime knows of a profile.
pub(crate) enum Known {
    Driven(&'static Profile),
    Other,
}

/// Returns what the runtime knows of a profile; `None` if it does not know the profile.
pub(crate) fn known(name: &str) -> Option<Known> {
    let driven = PROFILES.iter().find(|profile| profile.name == name);
    driven
        .map(Known::Driven)
        .or_else(|| OTHERS.contains(&name).then_some(Known::Other))
}

impl Profile {
    /// Returns whether a user has the profile.
    pub(crate) fn is_of(&self, user: User) -> bool {
        let is_eyes = self.extension == Some(Extension::EyeGaze);
        is_eyes == (user == User::Eyes)
    }

    /// Returns the input of a component. A binding may name a part of it, such as `/input/trigger` for
    /// `/input/trigger/value` (OpenXR 1.1, section 11.4).
    pub(crate) fn input(&self, component: &str, has: impl Fn(Extension) -> bool) -> Option<Input> {
        let exact = self.components.iter().find(|(name, _)| *name == component);
        let within = || {
            let part = format!("{component}/");
            let mut all = self.components.iter();
            all.find(|(name, _)| name.starts_with(&part))
        };
        if let Some((_, input)) = exact.or_else(within) {
            return Some(*input);
        }
        // Extensions add these poses to every profile of a hand.
        let added = [
            ("/input/palm_ext", Extension::PalmPose, PoseKind::Palm),
            (
                "/input/pinch_ext",
                Extension::HandInteraction,
                PoseKind::Pinch,
            ),
            (
                "/input/poke_ext",
                Extension::HandInteraction,
                PoseKind::Poke,
            ),
        ];
        let is_hand = self.extension != Some(Extension::EyeGaze);
        let pose = added.into_iter().find(|&(name, extension, _)| {
            let rest = component.strip_prefix(name);
            is_hand && has(extension) && matches!(rest, Some("" | "/pose"))
        });
        let surface = is_hand
            && matches!(
                component,
                "/input/grip_surface" | "/input/grip_surface/pose"
            );
        pose.map(|(.., kind)| Input::Pose(kind))
            .or_else(|| surface.then_some(Input::Pose(PoseKind::Palm)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_component_is_found_by_its_name_and_by_the_part_before_it() {
        let touch = &PROFILES[1];
        let none = |_| false;
        assert_eq!(
            touch.input("/input/trigger/value", none),
            Some(Input::Pinch)
        );
        assert_eq!(touch.input("/input/trigger", none), Some(Input::Pinch));
        assert_eq!(
            touch.input("/input/grip", none),
            Some(Input::Pose(PoseKind::Grip))
        );
        assert_eq!(touch.input("/input/trigg", none), None);
        assert_eq!(touch.input("/input/palm_ext/pose", none), None);
        let palm = touch.input("/input/palm_ext/pose", |other| other == Extension::PalmPose);
        assert_eq!(palm, Some(Input::Pose(PoseKind::Palm)));
    }

    #[test]
    fn a_binding_has_a_user() {
        let split = User::split("/user/hand/left/input/aim/pose");
        assert_eq!(split, Some((User::Hand(Side::Left), "/input/aim/pose")));
        assert_eq!(User::split("/user/gamepad/input/a/click"), None);
        assert_eq!(User::split("/user/hand/leftish/input"), None);
    }
}
