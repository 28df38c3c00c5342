//! Actions, and their bindings to the inputs of hands and eyes (OpenXR 1.1, section 11).

use std::collections::{HashMap, HashSet};

use openxr_sys as xr;

use super::paths::Paths;
use super::profiles::{Input, PoseKind, User};

/// The users that OpenXR knows. The runtime has no head buttons, gamepad and treadmill.
pub(crate) const USERS: [&str; 6] = [
    "/user/hand/left",
    "/user/hand/right",
    "/user/head",
    "/user/gamepad",
    "/user/treadmill",
    "/user/eyes_ext",
];

/// A set of actions.
pub(crate) struct ActionSet {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) priority: u32,
    /// The users of all its actions, also of destroyed ones.
    pub(crate) users: HashSet<xr::Path>,
    pub(crate) is_attached: bool,
}

/// The users that a subaction path selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Selected {
    All,
    One(User),
    /// A user that the runtime does not have, such as a gamepad.
    Nobody,
}

impl Selected {
    /// Returns `true` if `user` is one of these users.
    pub(crate) fn includes(self, user: User) -> bool {
        match self {
            Selected::All => true,
            Selected::One(one) => one == user,
            Selected::Nobody => false,
        }
    }

    /// Returns the user that has the path `text`, such as `/user/hand/left`; `Nobody` if the runtime does not have this
    /// user.
    pub(crate) fn of(text: &str) -> Selected {
        let user = User::ALL.into_iter().find(|user| user.path() == text);
        user.map_or(Selected::Nobody, Selected::One)
    }
}

/// An action.
pub(crate) struct Action {
    pub(crate) set: u64,
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) kind: xr::ActionType,
    /// The users of the action; empty if the application does not distinguish them.
    pub(crate) users: Vec<xr::Path>,
    pub(crate) is_attached: bool,
}

impl Action {
    /// Returns the users of this action that a subaction path selects; all if the path is `NULL`. Fails with
    /// `ERROR_PATH_UNSUPPORTED` if the action does not have this path.
    pub(crate) fn selected(&self, paths: &Paths, path: xr::Path) -> Result<Selected, xr::Result> {
        if path == xr::Path::NULL {
            return Ok(Selected::All);
        }
        let text = paths.string(path)?;
        if self.users.contains(&path) {
            Ok(Selected::of(text))
        } else {
            Err(xr::Result::ERROR_PATH_UNSUPPORTED)
        }
    }
}

/// An input of a user, and the action that gets it.
pub(crate) struct Binding {
    pub(crate) action: u64,
    pub(crate) set: u64,
    pub(crate) priority: u32,
    pub(crate) user: User,
    /// The identifier of the input, such as `/input/trigger`. It has several components.
    pub(crate) identifier: String,
    pub(crate) input: Input,
    pub(crate) path: xr::Path,
}

/// The value of an action for a user.
#[derive(Clone, Copy, Default)]
pub(crate) struct Value {
    pub(crate) number: f32,
    pub(crate) has_changed: bool,
    pub(crate) changed_at: i64,
}

/// The action sets of a session.
#[derive(Default)]
pub(crate) struct Attached {
    pub(crate) sets: HashSet<u64>,
    pub(crate) bindings: Vec<Binding>,
    pub(crate) profiles: HashMap<User, xr::Path>,
    /// The profiles are in use. They come into use when a running session synchronises its actions.
    pub(crate) has_profiles: bool,
    /// The values of each user, and of all users together, for the actions that are active.
    pub(crate) values: HashMap<(u64, Option<User>), Value>,
}

impl Attached {
    /// Returns the user and the pose to which an action is bound, among the `selected` users. `None` if the action is
    /// not bound to a pose, or if the last synchronisation did not make it active.
    pub(crate) fn pose(&self, action: u64, selected: Selected) -> Option<(User, PoseKind)> {
        self.bindings.iter().find_map(|binding| {
            let is_wanted = binding.action == action && selected.includes(binding.user);
            match binding.input {
                Input::Pose(kind)
                    if is_wanted && self.values.contains_key(&(action, Some(binding.user))) =>
                {
                    Some((binding.user, kind))
                }
                _ => None,
            }
        })
    }

    /// Returns the value of an action for the `selected` user, or the largest value of all users. `None` if the action
    /// is not active.
    pub(crate) fn value(&self, action: u64, selected: Selected) -> Option<Value> {
        let user = match selected {
            Selected::All => None,
            Selected::One(user) => Some(user),
            Selected::Nobody => return None,
        };
        self.values.get(&(action, user)).copied()
    }

    /// Removes the values of all actions, because the session has lost the input.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
    }
}
