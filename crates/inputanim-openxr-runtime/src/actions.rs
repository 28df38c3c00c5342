//! Actions: what an application wants to know of hands and eyes (OpenXR 1.1, section 11).

use std::collections::{HashMap, HashSet};
use std::ffi::c_char;

use inputanim::Side;
use inputanim_openxr::Scene;
use openxr_sys::{self as xr, Handle};

use crate::clock;
use crate::extensions::Extension;
use crate::paths::{Paths, is_name};
use crate::profiles::{Input, Known, PROFILES, PoseKind, User, known, may_exist, select};
use crate::state::{Event, Instance, NO_HANDLE, Session, State, add};
use inputanim_openxr_ffi::{Buffer, DONE, Get, INVALID, In, Out, Reply, Set, fixed_text};

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
    priority: u32,
    /// The users of all its actions, also of destroyed ones.
    users: HashSet<xr::Path>,
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
    fn includes(self, user: User) -> bool {
        match self {
            Selected::All => true,
            Selected::One(one) => one == user,
            Selected::Nobody => false,
        }
    }

    /// Returns the users of the text of a path.
    fn of(text: &str) -> Selected {
        let user = User::ALL.into_iter().find(|user| user.path() == text);
        user.map_or(Selected::Nobody, Selected::One)
    }
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
    /// Returns the users of a subaction path.
    pub(crate) fn selected(&self, paths: &Paths, path: xr::Path) -> Result<Selected, xr::Result> {
        if path == xr::Path::NULL {
            return Ok(Selected::All);
        }
        let text = paths.text(path)?;
        if self.users.contains(&path) {
            Ok(Selected::of(text))
        } else {
            Err(xr::Result::ERROR_PATH_UNSUPPORTED)
        }
    }
}

/// An input of a user, and the action that gets it.
struct Binding {
    action: u64,
    set: u64,
    priority: u32,
    user: User,
    /// The identifier of the input, such as `/input/trigger`. It has several components.
    identifier: String,
    input: Input,
    path: xr::Path,
}

/// The value of an action for a user.
#[derive(Clone, Copy, Default)]
struct Value {
    number: f32,
    has_changed: bool,
    changed_at: i64,
}

/// The action sets of a session.
#[derive(Default)]
pub(crate) struct Attached {
    sets: HashSet<u64>,
    bindings: Vec<Binding>,
    profiles: HashMap<User, xr::Path>,
    /// The profiles are in use. They come into use when a running session synchronises its actions.
    has_profiles: bool,
    /// The values of each user, and of all users together, for the actions that are active.
    values: HashMap<(u64, Option<User>), Value>,
}

impl Attached {
    /// Returns the user and the pose to which an action is bound, if the last synchronisation made it active.
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

    /// Returns the value of an action, if it is active: of one user, or the largest of all.
    fn value(&self, action: u64, selected: Selected) -> Option<Value> {
        let user = match selected {
            Selected::All => None,
            Selected::One(user) => Some(user),
            Selected::Nobody => return None,
        };
        self.values.get(&(action, user)).copied()
    }

    /// Forgets all values, because the session has lost the input.
    pub(crate) fn clear(&mut self) {
        self.values.clear();
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
        priority: info.priority,
        users: HashSet::new(),
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
        let text = instance.paths.text(user)?;
        if !instance.users().any(|user| user == text) || users[..index].contains(&user) {
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

pub(crate) fn suggest(
    instance: xr::Instance,
    info: In<xr::InteractionProfileSuggestedBinding>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    let name = instance.paths.text(info.interaction_profile)?;
    let profile =
        known(name, instance.version.minor() >= 1).ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)?;
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
                    is_enabled
                        && !profile
                            .inputs(user, component, |needed| instance.offers(needed))
                            .is_empty()
                })
            }
            Known::Other => instance.users().any(|user| {
                let rest = path.strip_prefix(user);
                rest.is_some_and(|rest| may_exist(rest, |needed| instance.offers(needed)))
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
    // The paths of bindings were accepted when they were suggested.
    let attached = instance
        .bind(sets.clone())
        .map_err(|_| xr::Result::ERROR_RUNTIME_FAILURE)?;
    for set in &sets {
        if let Some(set) = instance.action_sets.get_mut(set) {
            set.is_attached = true;
        }
    }
    for action in instance.actions.values_mut() {
        action.is_attached |= sets.contains(&action.set);
    }
    instance.session()?.attached = Some(attached);
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
                    let action = self.actions.get(&number);
                    let action = action.or_else(|| self.destroyed_actions.get(&number));
                    let action = action.filter(|action| attached.sets.contains(&action.set));
                    let part = User::split(&path).filter(|part| part.0 == user);
                    let (Some(action), Some((_, component))) = (action, part) else {
                        continue;
                    };
                    let inputs = profile.inputs(user, component, |needed| self.offers(needed));
                    let Some(input) = select(&inputs, action.kind) else {
                        continue;
                    };
                    let identifier = component
                        .splitn(4, '/')
                        .take(3)
                        .collect::<Vec<_>>()
                        .join("/");
                    let (set, action) = (action.set, number);
                    let priority = self.action_sets.get(&set).map_or(0, |set| set.priority);
                    let path = self.paths.path(&path)?;
                    found.push(Binding {
                        action,
                        set,
                        priority,
                        user,
                        identifier,
                        input,
                        path,
                    });
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

    /// Returns the users of the instance.
    fn users(&self) -> impl Iterator<Item = &'static str> {
        let has_eyes = self.has(Extension::EyeGaze);
        let is_known = move |user: &&str| has_eyes || *user != User::Eyes.path();
        USERS.into_iter().filter(is_known)
    }

    /// Returns whether an extension is enabled; `None` stands for OpenXR 1.1.
    fn offers(&self, needed: Option<Extension>) -> bool {
        needed.map_or(self.version.minor() >= 1, |extension| self.has(extension))
    }

    /// Returns whether the recording has the joints of a hand, or the gaze.
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
                    let text = self.paths.text(path)?;
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

/// Finds the value that an application asks for.
fn value(
    instance: &mut Instance,
    info: &xr::ActionStateGetInfo,
    kind: xr::ActionType,
) -> Result<Option<Value>, xr::Result> {
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
    Ok(attached.value(number, selected))
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
    let is_active = value.is_some();
    let value = value.unwrap_or_default();
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
    let mut lock = State::lock();
    let value = value(
        lock.of_session(session)?,
        &info,
        xr::ActionType::FLOAT_INPUT,
    )?;
    let is_active = value.is_some();
    let value = value.unwrap_or_default();
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
    let mut lock = State::lock();
    let value = value(
        lock.of_session(session)?,
        &info,
        xr::ActionType::VECTOR2F_INPUT,
    )?;
    let is_active = value.is_some();
    let value = value.unwrap_or_default();
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
    let mut lock = State::lock();
    let value = value(lock.of_session(session)?, &info, xr::ActionType::POSE_INPUT)?;
    state.is_active = value.is_some().into();
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
    if !instance.users().any(|user| user == text) {
        return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
    }
    let user = User::ALL.into_iter().find(|user| user.path() == text);
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    let found = user.and_then(|user| attached.profiles.get(&user).copied());
    let found = found.filter(|_| attached.has_profiles);
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
    feedback: Get<xr::HapticBaseHeader>,
) -> Reply {
    haptic(session, &info, Some(feedback.ty))
}

pub(crate) fn stop_haptic(session: xr::Session, info: In<xr::HapticActionInfo>) -> Reply {
    haptic(session, &info, None)
}

/// Checks the arguments of a vibration, or of its end. A recording does not feel a vibration.
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
    action.selected(&instance.paths, info.subaction_path)?;
    if !action.is_attached {
        return Err(NOT_ATTACHED);
    }
    if instance.session()?.has_input() {
        DONE
    } else {
        Ok(xr::Result::SESSION_NOT_FOCUSED)
    }
}
