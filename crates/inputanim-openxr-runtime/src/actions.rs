//! Actions: what an application wants to know of hands and eyes (OpenXR 1.1, section 11).

use std::collections::{HashMap, HashSet};
use std::ffi::c_char;

use inputanim::Side;
use inputanim_openxr::Scene;
use openxr_sys::{self as xr, Handle};

use crate::border::{Buffer, DONE, Get, INVALID, In, Out, Reply, Set, fixed_text};
use crate::clock;
use crate::paths::{Paths, is_name};
use crate::profiles::{Input, Known, PROFILES, PoseKind, User, known};
use crate::state::{Event, Instance, NO_HANDLE, Session, State, add};

const NOT_ATTACHED: xr::Result = xr::Result::ERROR_ACTIONSET_NOT_ATTACHED;
const ALREADY_ATTACHED: xr::Result = xr::Result::ERROR_ACTIONSETS_ALREADY_ATTACHED;

/// The users that OpenXR knows. The runtime has no head buttons, gamepad and treadmill.
const USERS: [&str; 6] = [
    "/user/hand/left",
    "/user/hand/right",
    "/user/head",
    "/user/gamepad",
    "/user/treadmill",
    "/user/eyes_ext",
];

/// A set of actions.
pub(crate) struct ActionSet {
    name: String,
    title: String,
    pub(crate) is_attached: bool,
}

/// An action.
pub(crate) struct Action {
    set: u64,
    name: String,
    title: String,
    pub(crate) kind: xr::ActionType,
    /// The users of the action; empty if the application does not distinguish them.
    users: Vec<xr::Path>,
    pub(crate) is_attached: bool,
}

impl Action {
    /// Returns the user of a subaction path; `None` for all users.
    pub(crate) fn user(&self, paths: &Paths, path: xr::Path) -> Result<Option<User>, xr::Result> {
        if path == xr::Path::NULL {
            return Ok(None);
        }
        let text = paths.text(path)?;
        if !self.users.contains(&path) {
            return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
        }
        let user = User::ALL.into_iter().find(|user| user.path() == text);
        // A user that the runtime does not have is never active.
        Ok(Some(user.unwrap_or(User::Eyes)))
    }
}

/// An input of a user, and the action that gets it.
struct Binding {
    action: u64,
    user: User,
    input: Input,
    path: xr::Path,
}

/// The value of an action for a user.
#[derive(Clone, Copy, Default)]
struct Value {
    number: f32,
    is_active: bool,
    has_changed: bool,
    changed_at: i64,
}

/// The action sets of a session.
#[derive(Default)]
pub(crate) struct Attached {
    sets: HashSet<u64>,
    bindings: Vec<Binding>,
    profiles: HashMap<User, xr::Path>,
    values: HashMap<(u64, User), Value>,
}

impl Attached {
    /// Returns the user and the pose to which an action is bound, if the last synchronisation made it active.
    pub(crate) fn pose(&self, action: u64, user: Option<User>) -> Option<(User, PoseKind)> {
        self.bindings.iter().find_map(|binding| {
            let is_wanted =
                binding.action == action && user.is_none_or(|user| user == binding.user);
            let value = self.values.get(&(action, binding.user))?;
            match binding.input {
                Input::Pose(kind) if is_wanted && value.is_active => Some((binding.user, kind)),
                _ => None,
            }
        })
    }

    /// Returns the value of an action: of one user, or the largest of all.
    fn value(&self, action: u64, user: Option<User>) -> Value {
        let users = User::ALL
            .into_iter()
            .filter(|other| user.is_none_or(|user| user == *other));
        let found = users.filter_map(|user| self.values.get(&(action, user)));
        let active = found.copied().filter(|value| value.is_active);
        active
            .max_by(|a, b| a.number.total_cmp(&b.number))
            .unwrap_or_default()
    }
}

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
        is_attached: false,
    };
    add(&mut instance.action_sets, number, made)?;
    set.set(xr::ActionSet::from_raw(number));
    DONE
}

/// Checks the names of a new action or action set.
fn new_names<'n>(
    name: &[c_char],
    title: &[c_char],
    mut others: impl Iterator<Item = (&'n String, &'n String)>,
) -> Result<(String, String), xr::Result> {
    let name = fixed_text(name).filter(|name| !name.is_empty());
    let name = name.ok_or(xr::Result::ERROR_NAME_INVALID)?;
    let title = fixed_text(title).filter(|title| !title.is_empty());
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
        let text = instance.paths.text(user)?;
        if !USERS.contains(&text) || users[..index].contains(&user) {
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
    add(&mut instance.actions, number, made)?;
    action.set(xr::Action::from_raw(number));
    DONE
}

pub(crate) fn destroy(action: xr::Action) -> Reply {
    let mut state = State::lock();
    state
        .any()?
        .actions
        .remove(&action.into_raw())
        .ok_or(NO_HANDLE)?;
    DONE
}

pub(crate) fn suggest(
    instance: xr::Instance,
    info: In<xr::InteractionProfileSuggestedBinding>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    let name = instance.paths.text(info.interaction_profile)?;
    let profile = known(name).ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)?;
    let suggested = info.array(info.suggested_bindings, info.count_suggested_bindings)?;
    if suggested.is_empty() {
        return Err(INVALID);
    }
    let mut bindings = Vec::new();
    for binding in suggested {
        let number = binding.action.into_raw();
        let action = instance.actions.get(&number).ok_or(NO_HANDLE)?;
        if action.is_attached {
            return Err(ALREADY_ATTACHED);
        }
        let path = instance.paths.text(binding.binding)?;
        let is_supported = match &profile {
            Known::Driven(profile) => {
                let is_enabled = profile
                    .extension
                    .is_none_or(|extension| instance.has(extension));
                User::split(path).is_some_and(|(user, component)| {
                    let input = profile.input(component, |extension| instance.has(extension));
                    is_enabled && profile.is_of(user) && input.is_some()
                })
            }
            Known::Other => USERS.iter().any(|user| {
                let rest = path.strip_prefix(user);
                rest.is_some_and(|rest| rest.starts_with("/input/") || rest.starts_with("/output/"))
            }),
        };
        if !is_supported {
            return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
        }
        bindings.push((number, path.to_owned()));
    }
    if let Known::Driven(profile) = profile {
        instance.suggested.insert(profile.name, bindings);
    }
    DONE
}

pub(crate) fn attach(session: xr::Session, info: In<xr::SessionActionSetsAttachInfo>) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let sets = info.array(info.action_sets, info.count_action_sets)?;
    if sets.is_empty() {
        return Err(INVALID);
    }
    if instance.session()?.attached.is_some() {
        return Err(ALREADY_ATTACHED);
    }
    let sets: HashSet<u64> = sets.iter().map(|set| set.into_raw()).collect();
    if sets
        .iter()
        .any(|set| !instance.action_sets.contains_key(set))
    {
        return Err(NO_HANDLE);
    }
    for set in &sets {
        if let Some(set) = instance.action_sets.get_mut(set) {
            set.is_attached = true;
        }
    }
    for action in instance.actions.values_mut() {
        action.is_attached |= sets.contains(&action.set);
    }
    let attached = instance.bind(sets)?;
    instance.session()?.attached = Some(attached);
    instance.send(Event::Profiles);
    DONE
}

impl Instance {
    /// Selects the profile of each user, and binds the actions to its inputs.
    fn bind(&mut self, sets: HashSet<u64>) -> Result<Attached, xr::Result> {
        let mut attached = Attached {
            sets,
            ..Attached::default()
        };
        for user in User::ALL {
            for profile in PROFILES.iter().filter(|profile| profile.is_of(user)) {
                let Some(suggested) = self.suggested.get(profile.name).cloned() else {
                    continue;
                };
                let mut found = Vec::new();
                for (number, path) in suggested {
                    let action = self
                        .actions
                        .get(&number)
                        .filter(|action| action.is_attached);
                    let part = User::split(&path).filter(|part| part.0 == user);
                    let (Some(action), Some((_, component))) = (action, part) else {
                        continue;
                    };
                    let Some(input) = profile.input(component, |extension| self.has(extension))
                    else {
                        continue;
                    };
                    let fits = match input {
                        Input::Pose(_) => action.kind == xr::ActionType::POSE_INPUT,
                        Input::Haptic => action.kind == xr::ActionType::VIBRATION_OUTPUT,
                        _ => ![xr::ActionType::POSE_INPUT, xr::ActionType::VIBRATION_OUTPUT]
                            .contains(&action.kind),
                    };
                    if fits {
                        let path = self.paths.path(&path)?;
                        found.push(Binding {
                            action: number,
                            user,
                            input,
                            path,
                        });
                    }
                }
                if !found.is_empty() {
                    attached.bindings.extend(found);
                    attached
                        .profiles
                        .insert(user, self.paths.path(profile.name)?);
                    break;
                }
            }
        }
        Ok(attached)
    }

    /// Returns whether the recording has anything of a user.
    fn has_user(&self, user: User) -> bool {
        match user {
            User::Hand(side) => self.player.has_hand(side),
            User::Eyes => self.player.has_gaze(),
        }
    }
}

/// Returns the number of an input at a time.
fn number(scene: &Scene, user: User, input: Input) -> f32 {
    let User::Hand(side) = user else { return 0.0 };
    let hand = &scene.hands[usize::from(side == Side::Right)];
    match input {
        Input::Pinch => f32::from(u8::from(hand.is_pinching)),
        Input::Tracked => f32::from(u8::from(hand.is_tracked)),
        _ => 0.0,
    }
}

pub(crate) fn sync(session: xr::Session, info: In<xr::ActionsSyncInfo>) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let active = info.array(info.active_action_sets, info.count_active_action_sets)?;
    let open = instance.session()?;
    let mut attached = open.attached.take().ok_or(NOT_ATTACHED)?;
    let has_input = open.has_input();
    let time = open.time_of_actions();
    let result = instance.evaluate(&mut attached, active, has_input, time);
    instance.session()?.attached = Some(attached);
    result?;
    if has_input {
        DONE
    } else {
        Ok(xr::Result::SESSION_NOT_FOCUSED)
    }
}

impl Session {
    /// Returns the time of the frame that the application prepares. It may ask for actions before it waits for the frame.
    fn time_of_actions(&self) -> i64 {
        let frame = self.frames.current();
        frame.map_or_else(|| self.timeline.next(clock::now()), |frame| frame.display)
    }
}

impl Instance {
    /// Computes the values of all actions.
    fn evaluate(
        &self,
        attached: &mut Attached,
        active: &[xr::ActiveActionSet],
        has_input: bool,
        time: i64,
    ) -> Result<(), xr::Result> {
        // The users for which a set is active; `None` is every user.
        let mut wanted: HashMap<u64, Vec<Option<User>>> = HashMap::new();
        for set in active {
            let number = set.action_set.into_raw();
            if !self.action_sets.contains_key(&number) {
                return Err(NO_HANDLE);
            }
            if !attached.sets.contains(&number) {
                return Err(NOT_ATTACHED);
            }
            let user = match set.subaction_path {
                xr::Path::NULL => None,
                path => {
                    let text = self.paths.text(path)?;
                    if !USERS.contains(&text) {
                        return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
                    }
                    User::ALL.into_iter().find(|user| user.path() == text)
                }
            };
            wanted.entry(number).or_default().push(user);
        }
        let scene = self.scene(xr::Time::from_nanos(time));
        let mut values: HashMap<(u64, User), Value> = HashMap::new();
        for binding in &attached.bindings {
            let Some(action) = self.actions.get(&binding.action) else {
                continue;
            };
            let users = wanted.get(&action.set);
            let is_wanted = users.is_some_and(|users| {
                users
                    .iter()
                    .any(|user| user.is_none_or(|user| user == binding.user))
            });
            if !(is_wanted && has_input && self.has_user(binding.user)) {
                continue;
            }
            let value = values.entry((binding.action, binding.user)).or_default();
            value.is_active = true;
            value.number = value
                .number
                .max(number(&scene, binding.user, binding.input));
        }
        for (key, value) in &mut values {
            let before = attached.values.get(key).copied().unwrap_or_default();
            value.has_changed = before.number != value.number;
            value.changed_at = if value.has_changed {
                time
            } else {
                before.changed_at
            };
        }
        attached.values = values;
        Ok(())
    }
}

/// Finds the value that an application asks for.
fn value(
    instance: &mut Instance,
    info: &xr::ActionStateGetInfo,
    kind: xr::ActionType,
) -> Result<Value, xr::Result> {
    let number = info.action.into_raw();
    let action = instance.actions.get(&number).ok_or(NO_HANDLE)?;
    if action.kind != kind {
        return Err(xr::Result::ERROR_ACTION_TYPE_MISMATCH);
    }
    let user = action.user(&instance.paths, info.subaction_path)?;
    if !action.is_attached {
        return Err(NOT_ATTACHED);
    }
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    Ok(attached.value(number, user))
}

pub(crate) fn get_boolean(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStateBoolean>,
) -> Reply {
    let mut lock = State::lock();
    let value = value(
        lock.of_session(session)?,
        &info,
        xr::ActionType::BOOLEAN_INPUT,
    )?;
    state.current_state = (value.number > 0.5).into();
    state.changed_since_last_sync = value.has_changed.into();
    state.last_change_time = xr::Time::from_nanos(value.changed_at);
    state.is_active = value.is_active.into();
    DONE
}

pub(crate) fn get_float(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStateFloat>,
) -> Reply {
    let mut lock = State::lock();
    let value = value(
        lock.of_session(session)?,
        &info,
        xr::ActionType::FLOAT_INPUT,
    )?;
    state.current_state = value.number;
    state.changed_since_last_sync = value.has_changed.into();
    state.last_change_time = xr::Time::from_nanos(value.changed_at);
    state.is_active = value.is_active.into();
    DONE
}

pub(crate) fn get_vector(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStateVector2f>,
) -> Reply {
    let mut lock = State::lock();
    let value = value(
        lock.of_session(session)?,
        &info,
        xr::ActionType::VECTOR2F_INPUT,
    )?;
    state.current_state = xr::Vector2f {
        x: value.number,
        y: 0.0,
    };
    state.changed_since_last_sync = value.has_changed.into();
    state.last_change_time = xr::Time::from_nanos(value.changed_at);
    state.is_active = value.is_active.into();
    DONE
}

pub(crate) fn get_pose(
    session: xr::Session,
    info: In<xr::ActionStateGetInfo>,
    mut state: Out<xr::ActionStatePose>,
) -> Reply {
    let mut lock = State::lock();
    let value = value(lock.of_session(session)?, &info, xr::ActionType::POSE_INPUT)?;
    state.is_active = value.is_active.into();
    DONE
}

pub(crate) fn current_profile(
    session: xr::Session,
    user: xr::Path,
    mut profile: Out<xr::InteractionProfileState>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let text = instance.paths.text(user)?;
    if !USERS.contains(&text) {
        return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
    }
    let user = User::ALL.into_iter().find(|user| user.path() == text);
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    let found = user.and_then(|user| attached.profiles.get(&user).copied());
    profile.interaction_profile = found.unwrap_or(xr::Path::NULL);
    DONE
}

pub(crate) fn bound_sources(
    session: xr::Session,
    info: In<xr::BoundSourcesForActionEnumerateInfo>,
    capacity: u32,
    count: Set<u32>,
    sources: Buffer<xr::Path>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let number = info.action.into_raw();
    let action = instance.actions.get(&number).ok_or(NO_HANDLE)?;
    if !action.is_attached {
        return Err(NOT_ATTACHED);
    }
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    let bound = attached
        .bindings
        .iter()
        .filter(|binding| binding.action == number);
    let paths: Vec<xr::Path> = bound.map(|binding| binding.path).collect();
    sources.fill(capacity, &count, &paths)
}

pub(crate) fn source_name(
    session: xr::Session,
    info: In<xr::InputSourceLocalizedNameGetInfo>,
    capacity: u32,
    count: Set<u32>,
    buffer: Buffer<c_char>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let parts = info.which_components;
    let all = xr::InputSourceLocalizedNameFlags::USER_PATH
        | xr::InputSourceLocalizedNameFlags::INTERACTION_PROFILE
        | xr::InputSourceLocalizedNameFlags::COMPONENT;
    if parts.is_empty() || !all.contains(parts) {
        return Err(INVALID);
    }
    let source = instance.paths.text(info.source_path)?;
    let (user, component) = User::split(source).ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)?;
    let component = component.to_owned();
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    let profile = attached.profiles.get(&user).copied();
    let mut words = Vec::new();
    if parts.contains(xr::InputSourceLocalizedNameFlags::USER_PATH) {
        words.push(match user {
            User::Hand(Side::Left) => "Left hand".to_owned(),
            User::Hand(Side::Right) => "Right hand".to_owned(),
            User::Eyes => "Eyes".to_owned(),
        });
    }
    if parts.contains(xr::InputSourceLocalizedNameFlags::INTERACTION_PROFILE) {
        let name = profile.and_then(|profile| instance.paths.text(profile).ok());
        let name = name.and_then(|name| name.rsplit('/').next());
        words.extend(name.map(|name| name.replace('_', " ")));
    }
    if parts.contains(xr::InputSourceLocalizedNameFlags::COMPONENT) {
        let name = component
            .trim_start_matches("/input/")
            .trim_start_matches("/output/");
        words.push(name.replace(['/', '_'], " "));
    }
    buffer.fill_text(capacity, &count, &words.join(" "))
}

pub(crate) fn apply_haptic(
    session: xr::Session,
    info: In<xr::HapticActionInfo>,
    _feedback: Get<xr::HapticBaseHeader>,
) -> Reply {
    haptic(session, &info)
}

pub(crate) fn stop_haptic(session: xr::Session, info: In<xr::HapticActionInfo>) -> Reply {
    haptic(session, &info)
}

/// A recording does not feel a vibration.
fn haptic(session: xr::Session, info: &xr::HapticActionInfo) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let action = instance
        .actions
        .get(&info.action.into_raw())
        .ok_or(NO_HANDLE)?;
    if action.kind != xr::ActionType::VIBRATION_OUTPUT {
        return Err(xr::Result::ERROR_ACTION_TYPE_MISMATCH);
    }
    action.user(&instance.paths, info.subaction_path)?;
    if !action.is_attached {
        return Err(NOT_ATTACHED);
    }
    if instance.session()?.has_input() {
        DONE
    } else {
        Ok(xr::Result::SESSION_NOT_FOCUSED)
    }
}
