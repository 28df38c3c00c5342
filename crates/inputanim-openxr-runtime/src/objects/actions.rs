//! Actions, and their bindings to the inputs of hands, eyes and other users (OpenXR 1.1, section 11).

use std::collections::{HashMap, HashSet};

use inputanim::InputName;
use inputanim_openxr::{PlayedDevice, Profile, RECORDER_SET, User};
use openxr_sys as xr;

use super::paths::Paths;
use super::profiles::Input;
use super::users;

/// A set of actions.
pub(crate) struct ActionSet {
    pub(crate) name: String,
    pub(crate) title: String,
    pub(crate) priority: u32,
    /// The users of all its actions, also of destroyed ones.
    pub(crate) users: HashSet<xr::Path>,
    pub(crate) is_attached: bool,
}

impl ActionSet {
    /// Returns `true` if the set belongs to the application, and not to the layer that records it.
    pub(crate) fn is_of_application(&self) -> bool {
        !self.name.starts_with(RECORDER_SET)
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
    /// Returns the user of this action that a subaction path selects; `None` is all users, if the path is `NULL`. Fails with
    /// `ERROR_PATH_UNSUPPORTED` if the action does not have this path.
    pub(crate) fn selected(
        &self,
        paths: &Paths,
        path: xr::Path,
    ) -> Result<Option<User>, xr::Result> {
        if path == xr::Path::NULL {
            return Ok(None);
        }
        let user = users::find(paths.string(path)?).filter(|_| self.users.contains(&path));
        user.map(Some).ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)
    }
}

/// An input of a user in a profile, and the action that gets it.
pub(crate) struct Binding {
    pub(crate) action: u64,
    /// The names of the set and the action, such as `gameplay/grab`. Both may be destroyed before the session.
    pub(crate) name: String,
    pub(crate) kind: xr::ActionType,
    pub(crate) set: u64,
    pub(crate) priority: u32,
    pub(crate) user: User,
    /// The index of the profile among those of the user.
    pub(crate) profile: usize,
    /// The identifier of the input, such as `/input/trigger`. It has several components.
    pub(crate) identifier: String,
    pub(crate) input: Input,
    /// The recorded inputs that drive the input.
    pub(crate) source: Source,
    pub(crate) path: xr::Path,
    /// An active action set has asked for the input while the user had the profile.
    pub(crate) was_asked: bool,
    /// The input has provided a value.
    pub(crate) was_active: bool,
}

impl Binding {
    /// Returns `true` if the action belongs to the application, and not to the layer that records it.
    pub(crate) fn is_of_application(&self) -> bool {
        !self.name.starts_with(RECORDER_SET)
    }

    /// Returns `true` if the application gets an input from the action, and not a vibration.
    pub(crate) fn is_input(&self) -> bool {
        self.is_of_application() && self.kind != xr::ActionType::VIBRATION_OUTPUT
    }
}

/// The recorded inputs of a device that drive a number, or the two parts of a vector.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Source {
    /// The inputs with the same names, for the profile that was recorded.
    pub(crate) own: [Option<InputName>; 2],
    /// The inputs that stand for the input in another profile.
    pub(crate) equivalent: [Option<InputName>; 2],
}

impl Source {
    /// Finds the inputs of a recorded device that drive an input of a profile.
    pub(crate) fn new(input: Input, device: &PlayedDevice) -> Source {
        let names = match input {
            Input::Number(name) => [Some(name.to_owned()), None],
            Input::Vector(name) => ["x", "y"].map(|part| Some(format!("{name}/{part}"))),
            Input::Pose(_) | Input::Haptic(_) => [None, None],
        };
        let names = names.each_ref().map(Option::as_deref);
        Source {
            own: names.map(|name| device.input(name?)),
            equivalent: names.map(|name| device.equivalent(name?)),
        }
    }

    /// Returns the inputs for a profile, which is the recorded one if `is_recorded` is `true`.
    pub(crate) const fn inputs(&self, is_recorded: bool) -> [Option<InputName>; 2] {
        if is_recorded {
            self.own
        } else {
            self.equivalent
        }
    }
}

/// The value of an action for a user: a number, or a vector.
#[derive(Clone, Copy, Default)]
pub(crate) struct Value {
    pub(crate) x: f32,
    pub(crate) y: f32,
    pub(crate) has_changed: bool,
    pub(crate) changed_at: i64,
}

/// A profile for which the application has bindings of a user.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    pub(crate) profile: &'static Profile,
    pub(crate) path: xr::Path,
}

/// The action sets of a session.
#[derive(Default)]
pub(crate) struct Attached {
    pub(crate) sets: HashSet<u64>,
    /// The bindings of all profiles.
    pub(crate) bindings: Vec<Binding>,
    /// The profiles for which the application has bindings, of each user.
    pub(crate) profiles: HashMap<User, Vec<Bound>>,
    /// The index of the profile that each user has; a user without a profile is missing.
    pub(crate) current: HashMap<User, usize>,
    /// The profiles that users have had, in the order of time.
    pub(crate) presented: Vec<(User, usize)>,
    /// The profiles are in use. They come into use when a running session synchronises its actions.
    pub(crate) has_profiles: bool,
    /// The values of each user, and of all users together, for the actions that are active.
    pub(crate) values: HashMap<(u64, Option<User>), Value>,
}

impl Attached {
    /// Returns the profile that a user has; `None` if the user has none.
    pub(crate) fn profile(&self, user: User) -> Option<Bound> {
        let index = *self.current.get(&user)?;
        self.profiles.get(&user)?.get(index).copied()
    }

    /// Returns `true` if the binding belongs to the profile that its user has.
    pub(crate) fn is_current(&self, binding: &Binding) -> bool {
        self.current.get(&binding.user) == Some(&binding.profile)
    }

    /// Returns the user and the name of the pose to which an action is bound, of the `selected` user or of any. `None` if the action
    /// is not bound to a pose, or if the last synchronisation did not make it active.
    pub(crate) fn pose(&self, action: u64, selected: Option<User>) -> Option<(User, &'static str)> {
        self.bindings.iter().find_map(|binding| {
            let is_selected = selected.is_none_or(|user| user == binding.user);
            let is_wanted = binding.action == action && is_selected;
            match binding.input {
                Input::Pose(name)
                    if is_wanted
                        && self.is_current(binding)
                        && self.values.contains_key(&(action, Some(binding.user))) =>
                {
                    Some((binding.user, name))
                }
                _ => None,
            }
        })
    }

    /// Returns the value of an action for the `selected` user, or that of all users together. `None` if the action is not
    /// active.
    pub(crate) fn value(&self, action: u64, selected: Option<User>) -> Option<Value> {
        self.values.get(&(action, selected)).copied()
    }

    /// Marks the bindings with these indices, for the report: the inputs that the application asks for, and those that provide a
    /// value. Also notes the profiles that users have.
    pub(crate) fn mark(&mut self, asked: &[usize], active: &[usize]) {
        for &index in asked {
            self.bindings[index].was_asked = true;
        }
        for &index in active {
            self.bindings[index].was_active = true;
        }
        for (&user, &index) in &self.current {
            if !self.presented.contains(&(user, index)) {
                self.presented.push((user, index));
            }
        }
    }

    /// Removes the values of all actions, because the session has lost the input.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
    }
}
