//! Action sets, actions and vibrations (OpenXR 1.1, section 11).

use std::collections::HashSet;
use std::ffi::c_char;

use openxr_sys::{self as xr, Handle};

use super::checks::{ALREADY_ATTACHED, NOT_ATTACHED};
use crate::objects::actions::{Action, ActionSet};
use crate::objects::handles::{NO_HANDLE, add};
use crate::objects::paths::is_name;
use crate::objects::state::State;
use inputanim_openxr_ffi::{DONE, Get, INVALID, In, Reply, Set, fixed_string};

pub(crate) fn create_set(
    instance: xr::Instance,
    info: In<xr::ActionSetCreateInfo>,
    set: Set<xr::ActionSet>,
) -> Reply {
    let mut state = State::lock();
    let number = state.new_handle();
    let instance = state.instance(instance)?;
    let names = instance
        .action_sets
        .values()
        .map(|set| (&set.name, &set.title));
    let (name, title) = new_names(
        &info.action_set_name,
        &info.localized_action_set_name,
        names,
    )?;
    let made = ActionSet {
        name,
        title,
        priority: info.priority,
        users: HashSet::new(),
        is_attached: false,
    };
    add(&mut instance.action_sets, number, made)?;
    set.set(xr::ActionSet::from_raw(number));
    DONE
}

/// Returns the name and the localised name (`title`) of a new action or action set, as strings. `others` are the names
/// and localised names that exist.
///
/// Fails if a name is empty or exists already, or if `name` is not valid.
fn new_names<'n>(
    name: &[c_char],
    title: &[c_char],
    mut others: impl Iterator<Item = (&'n String, &'n String)>,
) -> Result<(String, String), xr::Result> {
    let name = fixed_string(name).filter(|name| !name.is_empty());
    let name = name.ok_or(xr::Result::ERROR_NAME_INVALID)?;
    let title = fixed_string(title).filter(|title| !title.is_empty());
    let title = title.ok_or(xr::Result::ERROR_LOCALIZED_NAME_INVALID)?;
    if !is_name(&name) {
        return Err(xr::Result::ERROR_PATH_FORMAT_INVALID);
    }
    let twice = others.find_map(|other| {
        if *other.0 == name {
            Some(xr::Result::ERROR_NAME_DUPLICATED)
        } else {
            (*other.1 == title).then_some(xr::Result::ERROR_LOCALIZED_NAME_DUPLICATED)
        }
    });
    twice.map_or(Ok((name, title)), Err)
}

pub(crate) fn destroy_set(set: xr::ActionSet) -> Reply {
    let mut state = State::lock();
    let instance = state.any()?;
    let number = set.into_raw();
    instance.action_sets.remove(&number).ok_or(NO_HANDLE)?;
    instance.actions.retain(|_, action| action.set != number);
    instance
        .destroyed_actions
        .retain(|_, action| action.set != number);
    DONE
}

pub(crate) fn create(
    set: xr::ActionSet,
    info: In<xr::ActionCreateInfo>,
    action: Set<xr::Action>,
) -> Reply {
    let mut state = State::lock();
    let number = state.new_handle();
    let instance = state.any()?;
    let owner = instance.action_sets.get(&set.into_raw()).ok_or(NO_HANDLE)?;
    if owner.is_attached {
        return Err(ALREADY_ATTACHED);
    }
    let kinds = [
        xr::ActionType::BOOLEAN_INPUT,
        xr::ActionType::FLOAT_INPUT,
        xr::ActionType::VECTOR2F_INPUT,
        xr::ActionType::POSE_INPUT,
        xr::ActionType::VIBRATION_OUTPUT,
    ];
    if !kinds.contains(&info.action_type) {
        return Err(INVALID);
    }
    let users = info
        .array(info.subaction_paths, info.count_subaction_paths)?
        .to_vec();
    for (index, &user) in users.iter().enumerate() {
        let text = instance.paths.string(user)?;
        if instance.user(text).is_none() || users[..index].contains(&user) {
            return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
        }
    }
    let siblings = instance
        .actions
        .values()
        .filter(|action| action.set == set.into_raw());
    let names = siblings.map(|action| (&action.name, &action.title));
    let (name, title) = new_names(&info.action_name, &info.localized_action_name, names)?;
    let made = Action {
        set: set.into_raw(),
        name,
        title,
        kind: info.action_type,
        users,
        is_attached: false,
    };
    let users = made.users.clone();
    add(&mut instance.actions, number, made)?;
    if let Some(owner) = instance.action_sets.get_mut(&set.into_raw()) {
        owner.users.extend(users);
    }
    action.set(xr::Action::from_raw(number));
    DONE
}

pub(crate) fn destroy(action: xr::Action) -> Reply {
    let mut state = State::lock();
    let instance = state.any()?;
    let number = action.into_raw();
    let removed = instance.actions.remove(&number).ok_or(NO_HANDLE)?;
    // Only the handle is destroyed: bindings and spaces of the action stay (OpenXR 1.1, section 11.3). Those of a faulty
    // application that destroys too many actions do not.
    let _ = add(&mut instance.destroyed_actions, number, removed);
    DONE
}

pub(crate) fn apply_haptic(
    session: xr::Session,
    info: In<xr::HapticActionInfo>,
    feedback: Get<xr::HapticBaseHeader>,
) -> Reply {
    haptic(session, &info, Some(feedback.ty))
}

pub(crate) fn stop_haptic(session: xr::Session, info: In<xr::HapticActionInfo>) -> Reply {
    haptic(session, &info, None)
}

/// Checks the arguments of a call that starts a vibration or stops it, and counts the vibrations for the report. No device
/// vibrates. `vibration` is the type of the structure that describes the vibration; `None` if it stops.
fn haptic(
    session: xr::Session,
    info: &xr::HapticActionInfo,
    vibration: Option<xr::StructureType>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    // Extensions of another runtime may add types of vibrations.
    let is_known = |kind| kind == xr::HapticVibration::TYPE || instance.below.is_some();
    if !vibration.is_none_or(is_known) {
        return Err(INVALID);
    }
    let action = instance
        .actions
        .get(&info.action.into_raw())
        .ok_or(NO_HANDLE)?;
    if action.kind != xr::ActionType::VIBRATION_OUTPUT {
        return Err(xr::Result::ERROR_ACTION_TYPE_MISMATCH);
    }
    let selected = action.selected(&instance.paths, info.subaction_path)?;
    if !action.is_attached {
        return Err(NOT_ATTACHED);
    }
    let open = instance.session()?;
    if open.has_input() {
        if vibration.is_some() {
            open.count_haptic(info.action.into_raw(), selected);
        }
        DONE
    } else {
        Ok(xr::Result::SESSION_NOT_FOCUSED)
    }
}
