//! The interaction profiles of OpenXR and their components, as the registry of OpenXR lists them (`profiles.txt`).

use std::sync::LazyLock;

/// An interaction profile: a kind of controller or another device, such as `/interaction_profiles/khr/simple_controller`.
///
/// ```
/// use inputanim_openxr::{ComponentKind, Profile};
/// let index = Profile::find("/interaction_profiles/valve/index_controller").expect("a profile of OpenXR 1.0");
/// let trigger = index.component("trigger/value").expect("the controller has a trigger");
/// assert_eq!(trigger.kind, ComponentKind::Float);
/// assert!(trigger.is_of("/user/hand/left") && !trigger.is_of("/user/head"));
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub struct Profile {
    /// The path of the profile.
    pub name: String,
    /// The versions and extensions that provide the profile, such as `XR_VERSION_1_0`. One of them is enough.
    pub enabled_by: Vec<&'static str>,
    /// The paths of the users that can have the profile, such as `/user/hand/left`.
    pub users: Vec<&'static str>,
    /// The components.
    pub components: Vec<Component>,
}

/// A component of an interaction profile: an input or an output.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Component {
    /// The path without the user and `/input/` or `/output/`, such as `trigger/value`, `thumbstick`, `grip/pose` or `haptic`.
    pub name: &'static str,
    /// The kind of its values.
    pub kind: ComponentKind,
    /// The paths of the users that have the component.
    pub users: Vec<&'static str>,
    /// `true` if the component is reserved for the system. Then an application may never get its values.
    pub is_system: bool,
    /// The versions and extensions that add the component to its profile. One of them is enough. Empty if the profile always has it.
    pub enabled_by: Vec<&'static str>,
}

/// The kind of the values of a component.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ComponentKind {
    /// On or off.
    Boolean,
    /// A number.
    Float,
    /// Two numbers, which are also components of their own: `thumbstick` has `thumbstick/x` and `thumbstick/y`.
    Vector,
    /// A pose.
    Pose,
    /// An output that vibrates.
    Haptic,
}

const LEFT: &str = "/user/hand/left";
const RIGHT: &str = "/user/hand/right";

static ALL: LazyLock<Vec<Profile>> = LazyLock::new(|| parse(include_str!("profiles.txt")));

impl Profile {
    /// Returns all profiles, in the order of the registry.
    pub fn all() -> &'static [Profile] {
        &ALL
    }

    /// Returns the profile with a path; `None` if the registry does not have it.
    pub fn find(name: &str) -> Option<&'static Profile> {
        ALL.iter().find(|profile| profile.name == name)
    }

    /// Returns `true` if a version or extension that provides the profile is in use. `has` returns `true` for the name of a version or
    /// extension that is in use, such as `XR_VERSION_1_0`.
    pub fn is_enabled(&self, has: impl Fn(&str) -> bool) -> bool {
        self.enabled_by.iter().any(|name| has(name))
    }

    /// Returns the component with a name, such as `trigger/value`; `None` if the profile does not have it.
    pub fn component(&self, name: &str) -> Option<&Component> {
        self.components
            .iter()
            .find(|component| component.name == name)
    }

    /// Returns the components that the path of a binding, such as `/user/hand/left/input/trigger/value`, can mean. A binding may omit
    /// the last part of a component, such as `/input/trigger` for `/input/trigger/value` (OpenXR 1.1, section 11.4). Empty if the user
    /// of the path does not have the component. `has` returns `true` for the versions and extensions that are in use, such as
    /// `XR_VERSION_1_1`.
    ///
    /// ```
    /// use inputanim_openxr::Profile;
    /// let index = Profile::find("/interaction_profiles/valve/index_controller").expect("a profile of OpenXR 1.0");
    /// let meant = |path| index.meant(path, |name| name == "XR_VERSION_1_0").count();
    /// assert_eq!(meant("/user/hand/left/input/trigger"), 3);
    /// assert_eq!(meant("/user/hand/left/input/nonsense/click"), 0);
    /// assert_eq!(meant("/user/gamepad/input/trigger/value"), 0);
    /// ```
    pub fn meant(
        &self,
        binding: &str,
        has: impl Fn(&str) -> bool,
    ) -> impl Iterator<Item = &Component> {
        let mut users = self.users.iter();
        let found = users.find_map(|user| {
            let path = binding.strip_prefix(user)?;
            path.starts_with('/').then_some((*user, path))
        });
        let components = self.components.iter();
        components.filter(move |component| {
            let Some((user, path)) = found else {
                return false;
            };
            // Only the identifier may stand alone: `/input/trigger`.
            let is_identifier = path.matches('/').count() == 2;
            let full = component.path();
            let rest = full.strip_prefix(path);
            component.is_of(user)
                && component.is_enabled(&has)
                && rest
                    .is_some_and(|rest| rest.is_empty() || (is_identifier && rest.starts_with('/')))
        })
    }

    /// Returns the component to which a runtime binds an action of the type `kind` if the application suggests a binding to `name`. The
    /// application may name the parent of components: `trigger` instead of `trigger/value` (OpenXR 1.1, section 11.4). `None` if the
    /// specification does not define a component for this case.
    ///
    /// ```
    /// use inputanim_openxr::{ComponentKind, Profile};
    /// let vive = Profile::find("/interaction_profiles/htc/vive_controller").expect("a profile of OpenXR 1.0");
    /// let name = |kind| vive.bound("trigger", kind).map(|component| component.name);
    /// assert_eq!(name(ComponentKind::Boolean), Some("trigger/click"));
    /// assert_eq!(name(ComponentKind::Float), Some("trigger/value"));
    /// ```
    pub fn bound(&self, name: &str, kind: ComponentKind) -> Option<&Component> {
        let of_parent = |last: &str| {
            self.components.iter().find(|component| {
                let rest = component.name.strip_prefix(name);
                rest.and_then(|rest| rest.strip_prefix('/')) == Some(last)
            })
        };
        let exact = self.component(name);
        let is_vector = exact.is_some_and(|component| component.kind == ComponentKind::Vector);
        if is_vector == (kind == ComponentKind::Vector) && exact.is_some() {
            return exact;
        }
        match kind {
            ComponentKind::Boolean => of_parent("click").or_else(|| of_parent("value")),
            ComponentKind::Float => of_parent("value").or_else(|| of_parent("click")),
            ComponentKind::Pose => of_parent("pose"),
            ComponentKind::Vector | ComponentKind::Haptic => None,
        }
    }
}

impl Component {
    /// Returns the path below a user: `/input/trigger/value`, `/output/haptic`.
    pub fn path(&self) -> String {
        let kind = match self.kind {
            ComponentKind::Haptic => "output",
            _ => "input",
        };
        format!("/{kind}/{}", self.name)
    }

    /// Returns `true` if the user with a path, such as `/user/hand/left`, has the component.
    pub fn is_of(&self, user: &str) -> bool {
        self.users.contains(&user)
    }

    /// Returns `true` if the profile always has the component, or if a version or extension that adds it is in use. `has` returns `true`
    /// for the name of a version or extension that is in use, such as `XR_VERSION_1_1`.
    pub fn is_enabled(&self, has: impl Fn(&str) -> bool) -> bool {
        self.enabled_by.is_empty() || self.enabled_by.iter().any(|name| has(name))
    }
}

/// Parses the list of profiles. The first lines of `profiles.txt` describe its form. Ignores unknown words.
fn parse(text: &'static str) -> Vec<Profile> {
    // The components of every profile of the hands.
    let mut common = Vec::new();
    let mut profiles: Vec<Profile> = Vec::new();
    for line in text.lines() {
        let mut words = line.split(' ');
        let (key, mut enabled_by) = (words.next().unwrap_or_default(), Vec::new());
        let mut kind = key;
        match (key, profiles.last_mut()) {
            ("profile", _) => {
                profiles.push(Profile {
                    name: format!("/interaction_profiles/{}", words.next().unwrap_or_default()),
                    enabled_by: Vec::new(),
                    users: Vec::new(),
                    components: Vec::new(),
                });
                continue;
            }
            ("by", Some(profile)) => {
                let names = words.next().unwrap_or_default();
                profile.enabled_by = names.split(',').collect();
                continue;
            }
            ("user", Some(profile)) => {
                profile.users.extend(words);
                continue;
            }
            ("with", _) => {
                enabled_by = words.next().unwrap_or_default().split(',').collect();
                kind = words.next().unwrap_or_default();
            }
            _ => {}
        }
        let kind = match kind {
            "boolean" => ComponentKind::Boolean,
            "float" => ComponentKind::Float,
            "vector" => ComponentKind::Vector,
            "pose" => ComponentKind::Pose,
            "haptic" => ComponentKind::Haptic,
            _ => continue,
        };
        let users: &[&'static str] = match profiles.last() {
            Some(profile) if !profile.users.is_empty() => &profile.users,
            _ => &[LEFT, RIGHT],
        };
        let found: Vec<Component> = words
            .map(|word| {
                let (side, name) = match word.split_once(':') {
                    Some((side, name)) => (Some(side), name),
                    None => (None, word),
                };
                let is_of = |user: &&str| side.is_none_or(|side| user.ends_with(side));
                Component {
                    name: name.trim_end_matches('!'),
                    kind,
                    users: users.iter().copied().filter(is_of).collect(),
                    is_system: name.ends_with('!'),
                    enabled_by: enabled_by.clone(),
                }
            })
            .collect();
        match profiles.last_mut() {
            Some(profile) => profile.components.extend(found),
            None => common.extend(found),
        }
    }
    for profile in &mut profiles {
        if profile.users.is_empty() {
            profile.users = vec![LEFT, RIGHT];
            let is_new = |one: &&Component| profile.component(one.name).is_none();
            let new: Vec<Component> = common.iter().filter(is_new).cloned().collect();
            profile.components.extend(new);
        }
    }
    profiles
}

#[cfg(test)]
mod tests {
    use inputanim::{InputName, OutputName, PoseName};

    use super::*;

    #[test]
    fn the_list_has_the_profiles_and_components_of_the_registry() {
        let all = Profile::all();
        let count = |kind| {
            let components = all.iter().flat_map(|profile| &profile.components);
            components
                .filter(|component| component.kind == kind && component.enabled_by.is_empty())
                .count()
        };
        use ComponentKind::{Boolean, Float, Haptic, Pose, Vector};
        assert_eq!(all.len(), 38);
        assert_eq!(
            [Boolean, Float, Vector, Pose, Haptic].map(count),
            [334, 137, 34, 78, 35]
        );
    }

    #[test]
    fn a_reflection_gives_the_inputs_of_a_hand_names_of_the_other_hand() {
        let mut kept = Vec::new();
        for profile in Profile::all() {
            for component in &profile.components {
                let Ok(name) = component.name.parse::<InputName>() else {
                    continue;
                };
                let hands = [LEFT, RIGHT].map(|hand| component.is_of(hand));
                let image = name.mirrored(Some(&profile.name));
                let of_image = profile.component(image.as_str());
                let of_image = of_image.unwrap_or_else(|| panic!("{} {image}", profile.name));
                if hands == [true, false] || hands == [false, true] {
                    if image == name {
                        kept.push(format!("{} {name}", &profile.name[22..]));
                        continue;
                    }
                    let [left, right] = hands;
                    assert_eq!(
                        [LEFT, RIGHT].map(|hand| of_image.is_of(hand)),
                        [right, left],
                        "{} {name}",
                        profile.name
                    );
                } else {
                    // Both hands have it. Only directions are exchanged.
                    assert_eq!(of_image.users, component.users);
                    let has_side =
                        name.as_str().contains("left") || name.as_str().contains("right");
                    assert_eq!(image != name, has_side, "{} {name}", profile.name);
                }
            }
        }
        // The other hand has no such button.
        assert_eq!(
            kept,
            [
                "bytedance/pico4_controller menu.click",
                "bytedance/pico_ultra_controller_bd menu.click",
                "oppo/mr_controller_oppo heartrate_oppo.value"
            ]
        );
    }

    #[test]
    fn every_line_of_the_list_is_understood() {
        let keys = [
            "profile", "by", "user", "with", "boolean", "float", "vector", "pose", "haptic",
        ];
        for line in include_str!("profiles.txt").lines() {
            let key = line.split(' ').next().unwrap_or_default();
            assert!(
                key.is_empty() || key == "#" || keys.contains(&key),
                "{line}"
            );
        }
        for profile in Profile::all() {
            assert!(!profile.enabled_by.is_empty(), "{profile:?}");
            assert!(!profile.components.is_empty(), "{profile:?}");
        }
    }

    #[test]
    fn the_components_of_hands_are_names_of_devices() {
        let hands = Profile::all()
            .iter()
            .filter(|profile| profile.users == [LEFT, RIGHT]);
        for component in hands.flat_map(|profile| &profile.components) {
            let name = component.name;
            match component.kind {
                ComponentKind::Boolean | ComponentKind::Float => {
                    name.parse::<InputName>().expect(name);
                }
                ComponentKind::Vector => {
                    format!("{name}/x").parse::<InputName>().expect(name);
                }
                ComponentKind::Pose => {
                    let name = name.strip_suffix("/pose").expect(name);
                    name.parse::<PoseName>().expect(name);
                }
                ComponentKind::Haptic => {
                    name.parse::<OutputName>().expect(name);
                }
            }
        }
    }

    #[test]
    fn some_components_belong_to_one_hand_or_to_an_extension() {
        let touch = Profile::find("/interaction_profiles/oculus/touch_controller");
        let touch = touch.expect("a profile of OpenXR 1.0");
        let a = touch.component("a/click").expect("a button");
        assert_eq!([a.is_of(LEFT), a.is_of(RIGHT)], [false, true]);
        let proximity = touch.component("trigger/proximity").expect("a sensor");
        assert!(proximity.is_enabled(|name| name == "XR_VERSION_1_1"));
        assert!(!proximity.is_enabled(|name| name == "XR_VERSION_1_0"));
        assert!(
            touch
                .component("system/click")
                .is_some_and(|component| component.is_system)
        );
        assert!(touch.component("palm_ext/pose").is_some());
        assert!(touch.is_enabled(|name| name == "XR_VERSION_1_0"));
        assert!(Profile::find("/interaction_profiles/new/thing").is_none());
    }

    #[test]
    fn the_kind_of_an_action_decides_between_the_components_of_a_parent() {
        let touch = Profile::find("/interaction_profiles/oculus/touch_controller");
        let touch = touch.expect("a profile of OpenXR 1.0");
        let bound = |name, kind| touch.bound(name, kind).map(|component| component.name);
        assert_eq!(
            bound("trigger", ComponentKind::Boolean),
            Some("trigger/value")
        );
        assert_eq!(
            bound("trigger/value", ComponentKind::Boolean),
            Some("trigger/value")
        );
        assert_eq!(
            bound("thumbstick", ComponentKind::Vector),
            Some("thumbstick")
        );
        assert_eq!(
            bound("thumbstick", ComponentKind::Boolean),
            Some("thumbstick/click")
        );
        assert_eq!(
            bound("thumbstick", ComponentKind::Float),
            Some("thumbstick/click")
        );
        assert_eq!(bound("a", ComponentKind::Float), Some("a/click"));
        assert_eq!(bound("grip", ComponentKind::Pose), Some("grip/pose"));
        assert_eq!(bound("haptic", ComponentKind::Haptic), Some("haptic"));
        assert_eq!(bound("trigger/value", ComponentKind::Vector), None);
        assert_eq!(bound("trig", ComponentKind::Float), None);
    }
}
