//! The users of the runtime, and the paths of trackers (`XR_HTCX_vive_tracker_interaction`).

use std::borrow::Cow;

use inputanim::DeviceName;
use inputanim_openxr::User;
use inputanim_openxr_ffi::{Lent, Set};
use openxr_sys as xr;

use super::instance::Instance;
use super::paths::Paths;
use crate::extensions::Extension;

/// The beginning of the persistent paths of trackers, which are paths of users too. The rest is the name of the tracker.
const PERSISTENT: &str = "/devices/inputanim/";

/// The structure with the persistent path and the role of a tracker, to which events point.
pub(crate) struct Tracker {
    pub(crate) name: DeviceName,
    pub(crate) is_connected: bool,
    pub(crate) persistent_path: xr::Path,
    /// `NULL` if OpenXR does not have the role.
    pub(crate) role_path: xr::Path,
    pub(crate) paths: Lent<xr::ViveTrackerPathsHTCX>,
}

impl Tracker {
    /// Returns the tracker of a user, which is not connected yet. `None` if the user is not a tracker, or if there are too many
    /// paths.
    pub(crate) fn new(user: User, paths: &mut Paths) -> Option<Tracker> {
        let persistent = format!("{PERSISTENT}{}", user.tracker()?);
        let persistent_path = paths.path(&persistent).ok()?;
        let role_path = match user.path() {
            Some(role) => paths.path(role).ok()?,
            None => xr::Path::NULL,
        };
        Some(Tracker {
            name: user.device()?,
            is_connected: false,
            persistent_path,
            role_path,
            paths: Lent::new(xr::ViveTrackerPathsHTCX {
                ty: xr::ViveTrackerPathsHTCX::TYPE,
                next: std::ptr::null_mut(),
                persistent_path,
                role_path,
            }),
        })
    }

    /// Writes the event that reports the tracker.
    pub(crate) fn set_event(&self, buffer: &Set<xr::EventDataBuffer>) {
        buffer.set_event(xr::EventDataViveTrackerConnectedHTCX {
            ty: xr::EventDataViveTrackerConnectedHTCX::TYPE,
            next: std::ptr::null(),
            paths: self.paths.pointer(),
        });
    }
}

/// Returns the user of a path of the registry, or of the persistent path of a tracker; `None` for any other path.
pub(crate) fn find(path: &str) -> Option<User> {
    User::find(path).or_else(|| {
        let name = format!("tracker.{}", path.strip_prefix(PERSISTENT)?);
        User::of_device(name.parse().ok()?)
    })
}

/// Splits the path of a binding into the user and the rest, such as `/input/trigger/value`. `None` if it has no user.
pub(crate) fn split(binding: &str) -> Option<(User, &str)> {
    User::split(binding).or_else(|| {
        let name = binding.strip_prefix(PERSISTENT)?;
        let length = binding.len() - name.len() + name.find('/')?;
        Some((find(&binding[..length])?, &binding[length..]))
    })
}

/// Returns the path of a binding as the registry has it: with the role of a tracker instead of its persistent path.
pub(crate) fn in_registry(binding: &str) -> Cow<'_, str> {
    match split(binding) {
        Some((user, rest)) if binding.starts_with(PERSISTENT) => {
            Cow::Owned(user.registry_path().to_owned() + rest)
        }
        _ => Cow::Borrowed(binding),
    }
}

impl Instance {
    /// Returns the user with a path, if the application may name it: the specification has it, or the application has enabled an
    /// extension that has it. A persistent path is that of a recorded tracker.
    pub(crate) fn user(&self, path: &str) -> Option<User> {
        let user = find(path).filter(|user| user.is_enabled(|name| self.offers(name)))?;
        let is_recorded = |user: User| {
            self.trackers
                .iter()
                .any(|one| Some(one.name) == user.device())
        };
        (!path.starts_with(PERSISTENT) || is_recorded(user)).then_some(user)
    }

    /// Returns the user of a binding, if the application may name this [user](Instance::user).
    pub(crate) fn binding_user(&self, binding: &str) -> Option<User> {
        let (_, rest) = split(binding)?;
        self.user(&binding[..binding.len() - rest.len()])
    }

    /// Prepares the recorded trackers for an application that has enabled their extension.
    pub(super) fn add_trackers(&mut self) {
        if self.has(Extension::ViveTrackers) {
            let devices = self.player.devices().iter();
            let users = devices.filter_map(|device| User::of_device(device.name));
            self.trackers = users
                .filter_map(|user| Tracker::new(user, &mut self.paths))
                .collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use inputanim::Side;

    use super::*;

    #[test]
    fn a_tracker_has_a_persistent_path_and_a_role() {
        for (name, role) in [("waist", true), ("hip", false)] {
            let device = format!("tracker.{name}").parse().expect("a name");
            let user = User::of_device(device).expect("a tracker");
            let mut paths = Paths::default();
            let tracker = Tracker::new(user, &mut paths).expect("a tracker");
            let persistent = format!("/devices/inputanim/{name}");
            assert_eq!(paths.string(tracker.persistent_path), Ok(&*persistent));
            assert_eq!(tracker.role_path != xr::Path::NULL, role);
            assert_eq!(find(&persistent), Some(user));
            let binding = persistent + "/input/grip/pose";
            assert_eq!(split(&binding), Some((user, "/input/grip/pose")));
            assert_eq!(
                in_registry(&binding),
                user.registry_path().to_owned() + "/input/grip/pose"
            );
        }
        let hand = User::hand(Side::Left);
        assert!(Tracker::new(hand, &mut Paths::default()).is_none());
        for path in [
            "/devices/inputanim/",
            "/devices/inputanim/a/b",
            "/devices/x/waist",
        ] {
            assert_eq!(find(path), None, "{path}");
        }
        assert_eq!(split("/devices/inputanim/waist"), None);
    }
}
