//! The actions of the application, and the bindings that it suggests for them.

use std::collections::HashMap;

use inputanim_openxr::{ComponentKind, Profile};
use openxr_sys as xr;

use crate::bindings::HANDS;

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

/// A binding that the application suggests.
#[derive(Clone, Debug)]
pub(crate) struct Binding {
    pub(crate) action: u64,
    /// 0 for the left hand, 1 for the right hand; `None` for another user.
    pub(crate) hand: Option<usize>,
    /// The path of the component without the user and `/input/` or `/output/`, as the application states it: `trigger/value`, or
    /// `trigger`.
    pub(crate) name: String,
}

impl Binding {
    /// Returns a binding of an action to a path, such as `/user/hand/left/input/trigger/value`.
    pub(crate) fn new(action: u64, path: &str) -> Binding {
        let of_hand = HANDS.iter().enumerate().find_map(|(index, hand)| {
            let rest = path.strip_prefix(hand)?;
            let rest = rest
                .strip_prefix("/input/")
                .or_else(|| rest.strip_prefix("/output/"))?;
            Some((index, rest))
        });
        Binding {
            action,
            hand: of_hand.map(|(index, _)| index),
            name: of_hand.map_or(path, |(_, name)| name).to_owned(),
        }
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
    fn bindings_of_hands_are_recognised() {
        let parts = |path| {
            let binding = Binding::new(1, path);
            (binding.hand, binding.name)
        };
        let trigger = (Some(1), "trigger/value".to_owned());
        assert_eq!(parts("/user/hand/right/input/trigger/value"), trigger);
        assert_eq!(
            parts("/user/hand/left/output/haptic"),
            (Some(0), "haptic".to_owned())
        );
        assert_eq!(parts("/user/hand/lefty/input/a/click").0, None);
        assert_eq!(parts("/user/gamepad/input/a/click").0, None);
    }

    #[test]
    fn the_registry_says_which_component_a_binding_means() {
        let suggested = |profile: &str| Suggested {
            profile: profile.to_owned(),
            bindings: Vec::new(),
            given: Vec::new(),
            has_own: false,
        };
        let binding = Binding::new(1, "/user/hand/left/input/trigger");
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
