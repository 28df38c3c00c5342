//! The synchronisation of actions, and their values (OpenXR 1.1, section 11.5).

use std::collections::HashMap;

use inputanim::Side;
use inputanim_openxr::{Hand, HandInput, Profile, Scene, User};
use openxr_sys::{self as xr, Handle};

use super::checks::NOT_ATTACHED;
use crate::clock;
use crate::objects::actions::{Attached, Binding, Value};
use crate::objects::handles::NO_HANDLE;
use crate::objects::instance::{Event, Instance};
use crate::objects::profiles::Input;
use crate::objects::session::Session;
use crate::objects::state::State;
use crate::objects::users;
use inputanim_openxr_ffi::{DONE, In, Out, Reply};

/// A number above this value is on, for a boolean action. There is no hysteresis, so that the state depends on the time in the
/// recording only, and not on the frames before.
const THRESHOLD: f32 = 0.5;

/// Returns the value of a number of a hand without a controller: 1 or 0.
fn hand_number(hand: &Hand, input: HandInput) -> f32 {
    let is_on = match input {
        HandInput::Pinch => hand.is_pinching,
        // A hand that pinches is ready to pinch, whatever the recording says about its tracking.
        HandInput::Tracked => hand.is_tracked || hand.is_pinching,
        _ => false,
    };
    f32::from(u8::from(is_on))
}

pub(crate) fn sync(session: xr::Session, info: In<xr::ActionsSyncInfo>) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let active = info.array(info.active_action_sets, info.count_active_action_sets)?;
    let open = instance.session()?;
    let has_input = open.has_input();
    if let Some(mut attached) = open.attached.take() {
        let (time, is_running) = (open.time_of_actions(), open.is_running);
        let before = attached.has_profiles.then(|| attached.current.clone());
        let scene = instance.scene(xr::Time::from_nanos(time));
        let result = instance.evaluate(&mut attached, active, has_input, &scene, time);
        attached.has_profiles |= result.is_ok() && is_running;
        let after = attached.has_profiles.then_some(&attached.current);
        let is_active = |binding: &Binding| binding.was_active && binding.is_input();
        let is_active = attached.bindings.iter().any(is_active);
        let has_changed = before.unwrap_or_default() != after.cloned().unwrap_or_default();
        instance.session()?.attached = Some(attached);
        result?;
        instance.report(|report| report.input.is_active |= is_active);
        instance.connect(&scene);
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
    pub(super) fn time_of_actions(&self) -> i64 {
        let frame = self.frames.current();
        frame.map_or_else(|| self.timeline.next(clock::now()), |frame| frame.display)
    }
}

impl Instance {
    /// Computes the values of all actions in the scene at a display time in nanoseconds, and stores them in `attached`. Only
    /// actions of the sets in `active` get values, and none does if the session does not have the input.
    fn evaluate(
        &self,
        attached: &mut Attached,
        active: &[xr::ActiveActionSet],
        has_input: bool,
        scene: &Scene,
        time: i64,
    ) -> Result<(), xr::Result> {
        // The users for which a set is active; `None` is all users.
        let mut wanted: HashMap<u64, Vec<Option<User>>> = HashMap::new();
        for set in active {
            let number = set.action_set.into_raw();
            let owner = self.action_sets.get(&number).ok_or(NO_HANDLE)?;
            if !attached.sets.contains(&number) {
                return Err(NOT_ATTACHED);
            }
            let selected = match set.subaction_path {
                xr::Path::NULL => None,
                path => {
                    let user = users::find(self.paths.string(path)?);
                    let user = user.filter(|_| owner.users.contains(&path));
                    Some(user.ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)?)
                }
            };
            wanted.entry(number).or_default().push(selected);
        }
        let current = self.choose(attached, scene);
        let is_active = |binding: &&Binding| {
            let is_wanted = |user: &Option<User>| user.is_none_or(|user| user == binding.user);
            let users = wanted.get(&binding.set);
            has_input
                && current.get(&binding.user) == Some(&binding.profile)
                && users.is_some_and(|users| users.iter().any(is_wanted))
        };
        // An input belongs to the active sets with the highest priority (OpenXR 1.1, section 11.3.1).
        let mut highest: HashMap<(User, &str), u32> =
            HashMap::with_capacity(attached.bindings.len());
        for binding in attached.bindings.iter().filter(is_active) {
            let highest = highest
                .entry((binding.user, &binding.identifier))
                .or_default();
            *highest = binding.priority.max(*highest);
        }
        // As many as before, usually.
        let mut values: HashMap<(u64, Option<User>), Value> =
            HashMap::with_capacity(attached.values.len());
        let (mut asked, mut provided) = (Vec::new(), Vec::new());
        let bindings = attached.bindings.iter().enumerate();
        for (index, binding) in bindings.filter(|(_, binding)| is_active(binding)) {
            asked.push(index);
            if binding.priority < highest[&(binding.user, &*binding.identifier)] {
                continue;
            }
            let profile = attached.profiles[&binding.user][binding.profile].profile;
            let Some([x, y]) = self.source_value(scene, binding, profile) else {
                continue;
            };
            provided.push(index);
            let [x, y] = match binding.kind {
                xr::ActionType::BOOLEAN_INPUT => [f32::from(u8::from(x > THRESHOLD)), 0.0],
                _ => [x, y],
            };
            for user in [None, Some(binding.user)] {
                let value = values.entry((binding.action, user)).or_default();
                // The largest absolute value, or the longest vector (OpenXR 1.1, section 11.5).
                if x * x + y * y > value.x * value.x + value.y * value.y {
                    (value.x, value.y) = (x, y);
                }
            }
        }
        for (key, value) in &mut values {
            // An action that becomes active has not changed.
            let before = attached.values.get(key);
            value.has_changed =
                before.is_some_and(|before| [before.x, before.y] != [value.x, value.y]);
            value.changed_at = match before {
                Some(before) if !value.has_changed => before.changed_at,
                _ => time,
            };
        }
        (attached.values, attached.current) = (values, current);
        attached.mark(&asked, &provided);
        Ok(())
    }

    /// Returns the value that an input provides for its action in a scene: a number and 0, or a vector. `None` if no source
    /// provides it: the recording does not have the device or the gaze, the device does not have the input, or the value is not known at this time.
    fn source_value(
        &self,
        scene: &Scene,
        binding: &Binding,
        profile: &Profile,
    ) -> Option<[f32; 2]> {
        let Some(name) = binding.user.device() else {
            return self.player.has_gaze().then_some([0.0; 2]);
        };
        let Some(device) = scene.device(name) else {
            let side = name.side()?;
            let index = usize::from(side == Side::Right);
            let squeezes = self.player.settings().pinch_squeezes;
            let x = match binding.input {
                Input::Number(name) => {
                    hand_number(&scene.hands[index], HandInput::of(name, squeezes))
                }
                _ => 0.0,
            };
            return self.player.has_hand(side).then_some([x, 0.0]);
        };
        let is_recorded = device.profile.as_deref() == Some(&*profile.name);
        let [x, y] = binding.source.inputs(is_recorded);
        let value = |name| Some(device.input(name?)?.number());
        match binding.input {
            Input::Number(_) => Some([value(x)?, 0.0]),
            Input::Vector(_) => Some([value(x)?, value(y)?]),
            Input::Pose(name) => device.pose(name).map(|_| [0.0; 2]),
            Input::Haptic(_) => Some([0.0; 2]),
        }
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
    state.current_state = (value.x > 0.0).into();
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
    state.current_state = value.x;
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
        x: value.x,
        y: value.y,
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
