//! The owners of inputs in OpenXR, and the devices of a recording that stand for them.

use std::fmt;
use std::sync::LazyLock;

use inputanim::{DeviceName, Side};

use crate::profiles::Profile;

/// The owner of inputs, which OpenXR names by a top level user path such as `/user/hand/left`: a device, or the eyes.
///
/// The device of a hand is its controller. The device of `/user/vive_tracker_htcx/role/waist` is `tracker.waist`, and that of any
/// other user has the words of its path: `/user/gamepad` is `device.gamepad`, `/user/wrist_htc/left` is `device.wrist_htc_left`.
///
/// ```
/// use inputanim_openxr::User;
/// let (waist, input) = User::split("/user/vive_tracker_htcx/role/waist/input/grip/pose").expect("a user of the registry");
/// assert_eq!((waist.to_string(), input), ("tracker.waist".to_owned(), "/input/grip/pose"));
/// assert_eq!(waist.path(), Some("/user/vive_tracker_htcx/role/waist"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum User {
    /// The user that has a device.
    Device(DeviceName),
    /// The eyes, whose input is the gaze.
    Eyes,
}

/// The users of the specification itself, also those without a profile in the registry (OpenXR 1.1, section 6.3.1).
const CORE: [&str; 5] = [
    "/user/hand/left",
    "/user/hand/right",
    "/user/head",
    "/user/gamepad",
    "/user/treadmill",
];

/// The beginning of the paths of trackers with a role (`XR_HTCX_vive_tracker_interaction`).
const ROLE: &str = "/user/vive_tracker_htcx/role/";

/// The beginning of the names of trackers.
const TRACKER: &str = "tracker.";

/// The users of the specification and of the registry, with their paths.
static ALL: LazyLock<Vec<(&'static str, User)>> = LazyLock::new(|| {
    let mut all: Vec<(&str, User)> = Vec::new();
    let of_profiles = Profile::all().iter().flat_map(|profile| &profile.users);
    for path in CORE.iter().chain(of_profiles) {
        if !all.iter().any(|(other, _)| other == path) {
            all.extend(of_path(path).map(|user| (*path, user)));
        }
    }
    all
});

/// Returns the user that has a path, by the rule in the description of [`User`].
fn of_path(path: &str) -> Option<User> {
    let name = match path {
        "/user/hand/left" => return Some(User::hand(Side::Left)),
        "/user/hand/right" => return Some(User::hand(Side::Right)),
        "/user/eyes_ext" => return Some(User::Eyes),
        _ => match path.strip_prefix(ROLE) {
            Some(role) => format!("{TRACKER}{role}"),
            None => format!("device.{}", path.strip_prefix("/user/")?.replace('/', "_")),
        },
    };
    name.parse().ok().map(User::Device)
}

impl User {
    /// Returns the users that the specification and the registry of OpenXR have. The hands are the first ones.
    pub fn all() -> impl Iterator<Item = User> {
        ALL.iter().map(|(_, user)| *user)
    }

    /// Returns the user whose device is the controller in a hand.
    pub const fn hand(side: Side) -> User {
        User::Device(DeviceName::controller(side))
    }

    /// Returns the user with a path, such as `/user/hand/left`; `None` if the registry does not have it.
    pub fn find(path: &str) -> Option<User> {
        let found = ALL.iter().find(|(other, _)| *other == path);
        found.map(|(_, user)| *user)
    }

    /// Splits the path of a binding into the user and the rest, such as `/input/trigger/value`. `None` if the registry does not have
    /// the user.
    pub fn split(binding: &str) -> Option<(User, &str)> {
        ALL.iter().find_map(|(path, user)| {
            let rest = binding.strip_prefix(path)?;
            rest.starts_with('/').then_some((*user, rest))
        })
    }

    /// Returns the user for which a recording has a device. Trackers are users also if OpenXR does not have their role. `None` for a
    /// device that applications of OpenXR cannot get, such as the headset.
    pub fn of_device(name: DeviceName) -> Option<User> {
        let user = User::Device(name);
        let is_known = user.is_tracker() || user.path().is_some();
        is_known.then_some(user)
    }

    /// Returns the device of the user; `None` for the eyes.
    pub const fn device(self) -> Option<DeviceName> {
        match self {
            User::Device(name) => Some(name),
            User::Eyes => None,
        }
    }

    /// Returns the hand of the user; `None` if the user is not a hand.
    pub fn side(self) -> Option<Side> {
        self.device()?.side()
    }

    /// Returns `true` if the user is a tracker.
    pub fn is_tracker(self) -> bool {
        self.tracker().is_some()
    }

    /// Returns the name of a tracker without `tracker.`; `None` if the user is not a tracker.
    pub fn tracker(self) -> Option<&'static str> {
        let name = match &self {
            User::Device(name) => name.as_str(),
            User::Eyes => return None,
        };
        name.strip_prefix(TRACKER)
    }

    /// Returns the path of the user; `None` for a tracker whose name is not a role of OpenXR.
    pub fn path(self) -> Option<&'static str> {
        let found = ALL.iter().find(|(_, user)| *user == self);
        found.map(|(path, _)| *path)
    }

    /// Returns the path with which the registry lists the components of the user. All trackers have the same components, so this is the
    /// path of another tracker if OpenXR does not have the role of this one.
    pub fn registry_path(self) -> &'static str {
        let tracker = || ALL.iter().find(|(path, _)| path.starts_with(ROLE));
        let path = self.path().or_else(|| Some(tracker()?.0));
        path.unwrap_or_default()
    }

    /// Returns `true` if the specification itself has the user, or a profile of the user is in use. `has` returns `true` for the name of
    /// a version or extension that is in use, such as `XR_VERSION_1_0`.
    pub fn is_enabled(self, has: impl Fn(&str) -> bool) -> bool {
        let path = self.registry_path();
        let mut profiles = Profile::all().iter();
        CORE.contains(&path)
            || profiles.any(|profile| profile.users.contains(&path) && profile.is_enabled(&has))
    }
}

/// Prints `left hand`, `right hand`, `eyes`, or the name of the device: `tracker.waist`.
impl fmt::Display for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.side(), self) {
            (Some(side), _) => write!(f, "{} hand", side.name()),
            (None, User::Device(name)) => fmt::Display::fmt(&name, f),
            (None, User::Eyes) => f.pad("eyes"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_user_of_the_registry_has_a_device_of_its_own() {
        let mut names = Vec::new();
        for profile in Profile::all() {
            for path in &profile.users {
                let user = User::find(path).unwrap_or_else(|| panic!("{path} has no name"));
                assert_eq!(user.path(), Some(*path));
                assert_eq!(user.registry_path(), *path);
                assert!(user.is_enabled(|name| profile.enabled_by.contains(&name)));
                if let Some(name) = user.device() {
                    assert_eq!(User::of_device(name), Some(user));
                    names.push((name, *path));
                }
            }
        }
        names.sort();
        names.dedup();
        let count = names.len();
        names.dedup_by_key(|(name, _)| *name);
        assert_eq!(names.len(), count);
        let texts: Vec<&str> = names.iter().map(|(name, _)| name.as_str()).collect();
        for name in [
            "left.controller",
            "tracker.handheld_object",
            "tracker.left_foot",
            "device.gamepad",
            "device.head",
            "device.hand_htc_right",
            "device.wrist_htc_left",
            "device.mouse",
        ] {
            assert!(texts.contains(&name), "{name}");
        }
    }

    #[test]
    fn a_binding_has_a_user() {
        let split = User::split("/user/hand/left/input/aim/pose");
        assert_eq!(split, Some((User::hand(Side::Left), "/input/aim/pose")));
        assert_eq!(User::split("/user/hand/leftish/input"), None);
        assert_eq!(User::split("/user/hand/left"), None);
        assert_eq!(User::find("/user/eyes_ext"), Some(User::Eyes));
        let treadmill = User::find("/user/treadmill").expect("the specification has it");
        assert_eq!(treadmill.to_string(), "device.treadmill");
        assert!(treadmill.is_enabled(|_| false) && !User::Eyes.is_enabled(|_| false));
    }

    #[test]
    fn a_tracker_without_a_role_has_the_components_of_all_trackers() {
        let hip = User::of_device("tracker.hip".parse().expect("a name")).expect("a tracker");
        assert_eq!((hip.path(), hip.tracker()), (None, Some("hip")));
        let profile = Profile::find("/interaction_profiles/htc/vive_tracker_htcx");
        let profile = profile.expect("a profile of the registry");
        for component in &profile.components {
            assert_eq!(component.users, profile.users, "{}", component.name);
        }
        assert!(profile.users.contains(&hip.registry_path()));
        for name in ["device.headset", "device.lamp"] {
            assert_eq!(User::of_device(name.parse().expect("a name")), None);
        }
    }
}
