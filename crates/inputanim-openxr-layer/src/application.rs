//! The actions of the application, and the bindings that it suggests for them.

use std::collections::HashMap;

use inputanim_openxr::{ComponentKind, Profile, User};
use openxr_sys as xr;

/// The action sets and actions of the application, and the bindings that it suggests.
#[derive(Default)]
pub(crate) struct Application {
    /// The names and priorities of the action sets, by their handles.
    pub(crate) sets: HashMap<u64, (String, u32)>,
    /// The actions, by their handles.
    pub(crate) actions: HashMap<u64, Action>,
    /// The suggested bindings of each interaction profile, by its path.
    pub(crate) suggested: HashMap<xr::Path, Suggested>,
}

/// An action of the application.
#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) set: u64,
    pub(crate) name: String,
    pub(crate) kind: xr::ActionType,
    /// The users that the application distinguishes. Empty if it distinguishes none.
    pub(crate) users: Vec<xr::Path>,
}

/// The bindings that the application suggests for a profile.
pub(crate) struct Suggested {
    pub(crate) profile: String,
    pub(crate) bindings: Vec<Binding>,
    /// The same bindings, as the application has given them.
    pub(crate) given: Vec<xr::ActionSuggestedBinding>,
    /// The runtime has accepted the bindings of the layer to inputs of this profile.
    pub(crate) has_own: bool,
}

/// The owner of a binding.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Owner {
    pub(crate) user: User,
    /// The top level user path: `/user/hand/left`, or the persistent path of a tracker.
    pub(crate) path: String,
}

/// A binding that the application suggests.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) action: u64,
    /// `None` for a user that is not known.
    pub(crate) owner: Option<Owner>,
    /// The path of the component without the user and `/input/` or `/output/`, as the application states it: `trigger/value`, or
    /// `trigger`.
    pub(crate) name: String,
}

impl Owner {
    /// Splits the path of a binding into its owner and the rest, such as `/input/trigger/value`. `None` if the registry does not have
    /// the user.
    pub(crate) fn split(path: &str) -> Option<(Owner, &str)> {
        let (user, rest) = User::split(path)?;
        let path = path[..path.len() - rest.len()].to_owned();
        Some((Owner { user, path }, rest))
    }

    /// Does what [`split`](Owner::split) does, also for the persistent paths of connected `trackers`, which have the texts of their
    /// persistent path and their role. The role is `None` if a tracker has none.
    pub(crate) fn split_with(
        path: &str,
        trackers: impl FnOnce() -> Vec<(String, Option<String>)>,
    ) -> Option<(Owner, &str)> {
        Owner::split(path).or_else(|| {
            trackers().into_iter().find_map(|(persistent, role)| {
                let rest = path.strip_prefix(&*persistent)?;
                let user = role.and_then(|role| User::find(&role));
                let user = user.or_else(|| tracker(&persistent))?;
                let path = persistent;
                rest.starts_with('/')
                    .then_some((Owner { user, path }, rest))
            })
        })
    }
}

/// Returns the user for a tracker without a role: its name is the end of the last word of its persistent path.
fn tracker(persistent: &str) -> Option<User> {
    // The name of a device has at most 32 letters.
    const LETTERS: usize = 32 - "tracker.".len();
    let word = persistent.rsplit('/').next()?.replace('.', "_");
    let end = word.get(word.len().saturating_sub(LETTERS)..)?;
    User::of_device(format!("tracker.{end}").parse().ok()?)
}

impl Binding {
    /// Returns the binding of an action. `split` is the path of the binding in parts, such as `/user/hand/left` and
    /// `/input/trigger/value`; `None` if its user is not known.
    pub(crate) fn new(action: u64, path: &str, split: Option<(Owner, &str)>) -> Binding {
        let split = split.and_then(|(owner, rest)| {
            let name = rest.strip_prefix("/input/");
            Some((owner, name.or_else(|| rest.strip_prefix("/output/"))?))
        });
        let (owner, name) = split.map_or((None, path), |(owner, name)| (Some(owner), name));
        Binding {
            action,
            owner,
            name: name.to_owned(),
        }
    }

    /// Returns `true` if the binding belongs to a user.
    pub(crate) fn is_of(&self, user: User) -> bool {
        self.owner.as_ref().is_some_and(|owner| owner.user == user)
    }
}

impl Suggested {
    /// Returns the component, without the user and `/input/` or `/output/`, to which the runtime binds an action of a kind, and the
    /// kind of the component. For a profile that the registry does not have, these are the components that the application names.
    pub(crate) fn component(
        &self,
        binding: &Binding,
        kind: xr::ActionType,
    ) -> Option<(String, ComponentKind)> {
        let kind = component_kind(kind)?;
        match Profile::find(&self.profile) {
            Some(profile) => {
                let found = profile.bound(&binding.name, kind)?;
                Some((found.name.to_owned(), found.kind))
            }
            None => Some((binding.name.clone(), kind)),
        }
    }
}

/// Returns the kind of components that have the values of a kind of actions; `None` for a kind that extensions have added.
fn component_kind(kind: xr::ActionType) -> Option<ComponentKind> {
    Some(match kind {
        xr::ActionType::BOOLEAN_INPUT => ComponentKind::Boolean,
        xr::ActionType::FLOAT_INPUT => ComponentKind::Float,
        xr::ActionType::VECTOR2F_INPUT => ComponentKind::Vector,
        xr::ActionType::POSE_INPUT => ComponentKind::Pose,
        xr::ActionType::VIBRATION_OUTPUT => ComponentKind::Haptic,
        _ => return None,
    })
}

/// Returns the part of the name of a component for which the priorities of action sets are compared: `trigger` for `trigger/value`
/// (OpenXR 1.1, section 11.2).
pub(crate) fn identifier(name: &str) -> &str {
    name.split('/').next().unwrap_or(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bindings_have_owners() {
        let parts = |path| {
            let binding = Binding::new(1, path, Owner::split(path));
            let owner = binding.owner.map(|owner| owner.user.to_string());
            (owner.unwrap_or_default(), binding.name)
        };
        let wanted = |owner: &str, name: &str| (owner.to_owned(), name.to_owned());
        for (path, owner, name) in [
            (
                "/user/hand/right/input/trigger/value",
                "right hand",
                "trigger/value",
            ),
            ("/user/hand/left/output/haptic", "left hand", "haptic"),
            ("/user/gamepad/input/a/click", "device.gamepad", "a/click"),
            (
                "/user/vive_tracker_htcx/role/waist/input/grip/pose",
                "tracker.waist",
                "grip/pose",
            ),
        ] {
            assert_eq!(parts(path), wanted(owner, name));
        }
        for path in [
            "/user/hand/lefty/input/a/click",
            "/user/hand/left/other/a/click",
        ] {
            assert_eq!(parts(path), wanted("", path));
        }
    }

    #[test]
    fn a_persistent_path_is_that_of_a_connected_tracker() {
        let split = |path| {
            let trackers = || {
                let role = "/user/vive_tracker_htcx/role/waist".to_owned();
                vec![
                    ("/devices/htc/vive_trackerlhr-1".to_owned(), Some(role)),
                    ("/devices/htc/vive.tracker_lhr-123456789".to_owned(), None),
                ]
            };
            let (owner, rest) = Owner::split_with(path, trackers)?;
            assert_eq!(owner.path.clone() + rest, path);
            Some(owner.user.to_string())
        };
        let found = split("/devices/htc/vive_trackerlhr-1/input/grip/pose");
        assert_eq!(found.as_deref(), Some("tracker.waist"));
        let found = split("/devices/htc/vive.tracker_lhr-123456789/input/grip/pose");
        assert_eq!(found.as_deref(), Some("tracker.ve_tracker_lhr-123456789"));
        assert_eq!(
            split("/devices/htc/vive_trackerlhr-12/input/grip/pose"),
            None
        );
        let found = split("/user/hand/left/input/grip/pose");
        assert_eq!(found.as_deref(), Some("left hand"));
    }

    #[test]
    fn the_registry_says_which_component_a_binding_means() {
        let suggested = |profile: &str| Suggested {
            profile: profile.to_owned(),
            bindings: Vec::new(),
            given: Vec::new(),
            has_own: false,
        };
        let path = "/user/hand/left/input/trigger";
        let binding = Binding::new(1, path, Owner::split(path));
        let vive = suggested("/interaction_profiles/htc/vive_controller");
        assert_eq!(
            vive.component(&binding, xr::ActionType::BOOLEAN_INPUT),
            Some(("trigger/click".to_owned(), ComponentKind::Boolean))
        );
        let new = suggested("/interaction_profiles/new/thing");
        assert_eq!(
            new.component(&binding, xr::ActionType::FLOAT_INPUT),
            Some(("trigger".to_owned(), ComponentKind::Float))
        );
    }
}
