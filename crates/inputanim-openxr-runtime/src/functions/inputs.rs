//! The synchronisation of actions, and their values (OpenXR 1.1, section 11.5).

use std::collections::HashMap;

use inputanim::Side;
use inputanim_openxr::Scene;
use openxr_sys::{self as xr, Handle};

use super::checks::NOT_ATTACHED;
use crate::clock;
use crate::objects::actions::{Attached, Binding, Selected, Value};
use crate::objects::handles::NO_HANDLE;
use crate::objects::instance::{Event, Instance};
use crate::objects::profiles::{Input, User};
use crate::objects::session::Session;
use crate::objects::state::State;
use inputanim_openxr_ffi::{DONE, In, Out, Reply};

/// Returns the value of an input of a user in a scene: 1 or 0, and 0 for inputs that are not recorded.
fn number(scene: &Scene, user: User, input: Input) -> f32 {
    let User::Hand(side) = user else { return 0.0 };
    let hand = &scene.hands[usize::from(side == Side::Right)];
    match input {
        Input::Pinch => f32::from(u8::from(hand.is_pinching)),
        // A hand that pinches is ready to pinch, whatever the recording says about its tracking.
        Input::Tracked => f32::from(u8::from(hand.is_tracked || hand.is_pinching)),
        _ => 0.0,
    }
}

pub(crate) fn sync(session: xr::Session, info: In<xr::ActionsSyncInfo>) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let active = info.array(info.active_action_sets, info.count_active_action_sets)?;
    let open = instance.session()?;
    let has_input = open.has_input();
    if let Some(mut attached) = open.attached.take() {
        let (time, is_running) = (open.time_of_actions(), open.is_running);
        let result = instance.evaluate(&mut attached, active, has_input, time);
        let is_new = result.is_ok() && is_running && !attached.has_profiles;
        attached.has_profiles |= is_new;
        let has_changed = is_new && !attached.profiles.is_empty();
        instance.session()?.attached = Some(attached);
        result?;
        if has_changed {
            instance.send(Event::Profiles);
        }
    } else if !active.is_empty() {
        return Err(NOT_ATTACHED);
    }
    if has_input {
        DONE
    } else {
        Ok(xr::Result::SESSION_NOT_FOCUSED)
    }
}

impl Session {
    /// Returns the display time in nanoseconds of the frame that the application prepares; that of the next frame if it
    /// prepares none, because it may ask for actions before it waits for the frame.
    fn time_of_actions(&self) -> i64 {
        let frame = self.frames.current();
        frame.map_or_else(|| self.timeline.next(clock::now()), |frame| frame.display)
    }
}

impl Instance {
    /// Computes the values of all actions at a display time in nanoseconds, and stores them in `attached`. Only actions
    /// of the sets in `active` get values, and none does if the session does not have the input.
    fn evaluate(
        &self,
        attached: &mut Attached,
        active: &[xr::ActiveActionSet],
        has_input: bool,
        time: i64,
    ) -> Result<(), xr::Result> {
        // The users for which a set is active.
        let mut wanted: HashMap<u64, Vec<Selected>> = HashMap::new();
        for set in active {
            let number = set.action_set.into_raw();
            let owner = self.action_sets.get(&number).ok_or(NO_HANDLE)?;
            if !attached.sets.contains(&number) {
                return Err(NOT_ATTACHED);
            }
            let selected = match set.subaction_path {
                xr::Path::NULL => Selected::All,
                path => {
                    let text = self.paths.string(path)?;
                    if !owner.users.contains(&path) {
                        return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
                    }
                    Selected::of(text)
                }
            };
            wanted.entry(number).or_default().push(selected);
        }
        let is_active = |binding: &&Binding| {
            let users = wanted.get(&binding.set);
            has_input
                && self.has_user(binding.user)
                && users.is_some_and(|users| users.iter().any(|users| users.includes(binding.user)))
        };
        // An input belongs to the active sets with the highest priority (OpenXR 1.1, section 11.3.1).
        let mut highest: HashMap<(User, &str), u32> = HashMap::new();
        for binding in attached.bindings.iter().filter(is_active) {
            let highest = highest
                .entry((binding.user, &binding.identifier))
                .or_default();
            *highest = binding.priority.max(*highest);
        }
        let scene = self.scene(xr::Time::from_nanos(time));
        let mut values: HashMap<(u64, Option<User>), Value> = HashMap::new();
        for binding in attached.bindings.iter().filter(is_active) {
            if binding.priority < highest[&(binding.user, &*binding.identifier)] {
                continue;
            }
            let number = number(&scene, binding.user, binding.input);
            for user in [None, Some(binding.user)] {
                let value = values.entry((binding.action, user)).or_default();
                value.number = value.number.max(number);
            }
        }
        for (key, value) in &mut values {
            // An action that becomes active has not changed.
            let before = attached.values.get(key);
            value.has_changed = before.is_some_and(|before| before.number != value.number);
            value.changed_at = match before {
                Some(before) if !value.has_changed => before.changed_at,
                _ => time,
            };
        }
        attached.values = values;
        Ok(())
    }
}

/// Returns the last synchronised value of the action and user in `info`, and `true` if the action is active. The value
/// is zero if it is not active. Fails if the action is not of this `kind`, or its set is not attached.
fn value(
    session: xr::Session,
    info: &xr::ActionStateGetInfo,
    kind: xr::ActionType,
) -> Result<(Value, bool), xr::Result> {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let number = info.action.into_raw();
    let action = instance.actions.get(&number).ok_or(NO_HANDLE)?;
    if action.kind != kind {
        return Err(xr::Result::ERROR_ACTION_TYPE_MISMATCH);
    }
    let selected = action.selected(&instance.paths, info.subaction_path)?;
    if !action.is_attached {
        return Err(NOT_ATTACHED);
    }
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    let found = attached.value(number, selected);
    Ok((found.unwrap_or_default(), found.is_some()))
}

pub(crate) fn get_boolean(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStateBoolean>,
) -> Reply {
    let (value, is_active) = value(session, &info, xr::ActionType::BOOLEAN_INPUT)?;
    state.current_state = (value.number > 0.5).into();
    state.changed_since_last_sync = value.has_changed.into();
    state.last_change_time = xr::Time::from_nanos(value.changed_at);
    state.is_active = is_active.into();
    DONE
}

pub(crate) fn get_float(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStateFloat>,
) -> Reply {
    let (value, is_active) = value(session, &info, xr::ActionType::FLOAT_INPUT)?;
    state.current_state = value.number;
    state.changed_since_last_sync = value.has_changed.into();
    state.last_change_time = xr::Time::from_nanos(value.changed_at);
    state.is_active = is_active.into();
    DONE
}

pub(crate) fn get_vector(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStateVector2f>,
) -> Reply {
    let (value, is_active) = value(session, &info, xr::ActionType::VECTOR2F_INPUT)?;
    state.current_state = xr::Vector2f {
        x: value.number,
        y: 0.0,
    };
    state.changed_since_last_sync = value.has_changed.into();
    state.last_change_time = xr::Time::from_nanos(value.changed_at);
    state.is_active = is_active.into();
    DONE
}

pub(crate) fn get_pose(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStatePose>,
) -> Reply {
    let (_, is_active) = value(session, &info, xr::ActionType::POSE_INPUT)?;
    state.is_active = is_active.into();
    DONE
}
