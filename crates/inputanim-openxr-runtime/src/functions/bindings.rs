//! Bindings of actions to the inputs of interaction profiles (OpenXR 1.1, section 11.4).

use std::collections::{HashMap, HashSet};
use std::ffi::c_char;

use inputanim::InputName;
use inputanim_openxr::{Profile, Scene, User};
use openxr_sys::{self as xr, Handle};

use super::checks::{ALREADY_ATTACHED, NOT_ATTACHED};
use crate::objects::actions::{Action, ActionSet, Attached, Binding, Bound, Source};
use crate::objects::handles::NO_HANDLE;
use crate::objects::instance::Instance;
use crate::objects::profiles::{PREFERRED, inputs, select};
use crate::objects::state::State;
use crate::objects::users::split;
use inputanim_openxr_ffi::{Buffer, DONE, INVALID, In, Out, Reply, Set};

pub(crate) fn suggest(
    instance: xr::Instance,
    info: In<xr::InteractionProfileSuggestedBinding>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    let name = instance.paths.string(info.interaction_profile)?;
    let profile = Profile::find(name).ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)?;
    if !profile.is_enabled(|name| instance.offers(name)) {
        return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
    }
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
        let path = instance.paths.string(binding.binding)?;
        let user = instance.binding_user(path);
        let has = |name: &str| instance.offers(name);
        if user.is_none() || inputs(profile, path, has).is_empty() {
            return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
        }
        bindings.push((number, path.to_owned()));
    }
    instance.suggested.insert(&profile.name, bindings);
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
    let mut attached = instance
        .bind(sets.clone())
        .map_err(|_| xr::Result::ERROR_RUNTIME_FAILURE)?;
    // The profiles that the next synchronisation will find, for the sources of actions.
    let time = instance.session()?.time_of_actions();
    let scene = instance.scene(xr::Time::from_nanos(time));
    attached.current = instance.choose(&attached, &scene);
    for set in &sets {
        if let Some(set) = instance.action_sets.get_mut(set) {
            set.is_attached = true;
        }
    }
    for action in instance.actions.values_mut() {
        action.is_attached |= sets.contains(&action.set);
    }
    instance.session()?.attached = Some(attached);
    let is_of_application = |action: &Action| {
        let set = instance.action_sets.get(&action.set);
        set.is_some_and(ActionSet::is_of_application)
    };
    let is_input = |action: &Action| {
        action.is_attached
            && action.kind != xr::ActionType::VIBRATION_OUTPUT
            && is_of_application(action)
    };
    let is_wanted = instance.actions.values().any(is_input);
    instance.report(|report| report.input.is_wanted |= is_wanted);
    DONE
}

impl Instance {
    /// Returns the action sets `sets` with the bindings of their actions to the inputs of all profiles for which the application
    /// has suggested usable bindings.
    fn bind(&mut self, sets: HashSet<u64>) -> Result<Attached, xr::Result> {
        let mut attached = Attached {
            sets,
            ..Attached::default()
        };
        for profile in Profile::all() {
            let Some(suggested) = self.suggested.get(&*profile.name).cloned() else {
                continue;
            };
            let mut suggested: Vec<(User, u64, String)> = suggested
                .into_iter()
                .filter_map(|(number, path)| Some((split(&path)?.0, number, path)))
                .collect();
            // The left hand is before the right one, for actions that do not distinguish them.
            suggested.sort_by_key(|(user, ..)| *user);
            for (user, number, path) in &suggested {
                let binding = self.binding(&attached.sets, profile, *user, *number, path)?;
                let Some(binding) = binding else {
                    continue;
                };
                let path = self.paths.path(&profile.name)?;
                let bound = attached.profiles.entry(*user).or_default();
                if bound.last().is_none_or(|last| last.path != path) {
                    bound.push(Bound { profile, path });
                }
                attached.bindings.push(Binding {
                    profile: bound.len() - 1,
                    ..binding
                });
            }
        }
        Ok(attached)
    }

    /// Returns the binding of an action to the input of a user, which `path` names in a profile. `None` if the action is not in
    /// one of the `sets`, or the input has another type.
    fn binding(
        &mut self,
        sets: &HashSet<u64>,
        profile: &Profile,
        user: User,
        number: u64,
        path: &str,
    ) -> Result<Option<Binding>, xr::Result> {
        let action = self.actions.get(&number);
        let action = action.or_else(|| self.destroyed_actions.get(&number));
        let action = action.filter(|action| sets.contains(&action.set));
        let (Some(action), Some((_, component))) = (action, split(path)) else {
            return Ok(None);
        };
        let inputs = inputs(profile, path, |name| self.offers(name));
        let Some(input) = select(&inputs, action.kind) else {
            return Ok(None);
        };
        let parts = component.splitn(4, '/').take(3);
        let identifier = parts.collect::<Vec<_>>().join("/");
        let device = user.device().and_then(|name| self.player.device(name));
        let set = self.action_sets.get(&action.set).ok_or(NO_HANDLE)?;
        Ok(Some(Binding {
            action: number,
            name: format!("{}/{}", set.name, action.name),
            kind: action.kind,
            set: action.set,
            priority: set.priority,
            user,
            profile: 0,
            identifier,
            input,
            source: device.map_or_else(Source::default, |one| Source::new(input, one)),
            path: self.paths.path(path)?,
            was_asked: false,
            was_active: false,
        }))
    }

    /// Returns the index of the profile that each user has in a scene, among the profiles for which the application has bindings.
    ///
    /// The profile of a recorded device is the recorded one. If it is not known or not one of OpenXR, it is the profile with the most
    /// of the recorded inputs. A hand without a controller has one of the [`PREFERRED`] profiles; another device that is not recorded
    /// has none. The settings may state another profile for both hands.
    pub(super) fn choose(&self, attached: &Attached, scene: &Scene) -> HashMap<User, usize> {
        let wanted = self.player.settings().profile.as_deref();
        let choose = |user: User| {
            let bound = attached.profiles.get(&user)?;
            let named = |name: &str| bound.iter().position(|one| one.profile.name == name);
            let Some(name) = user.device() else {
                return Some(0);
            };
            let is_hand = user.side().is_some();
            let wanted = wanted.filter(|_| is_hand);
            let Some(device) = scene.device(name) else {
                return match wanted {
                    Some(wanted) => named(wanted),
                    None if is_hand => PREFERRED.into_iter().find_map(named),
                    None => None,
                };
            };
            if !device.is_active {
                return None;
            }
            let recorded = device.profile.as_deref();
            let recorded = recorded.filter(|name| Profile::find(name).is_some());
            if let Some(name) = wanted.or(recorded) {
                return named(name);
            }
            let inputs = &self.player.device(name)?.inputs;
            let shared = |one: &Bound| {
                let has = |name: &&InputName| one.profile.component(name.as_str()).is_some();
                inputs.iter().filter(has).count()
            };
            let indices = (0..bound.len()).rev();
            indices.max_by_key(|&index| shared(&bound[index]))
        };
        let users = attached.profiles.keys();
        users
            .filter_map(|user| Some((*user, choose(*user)?)))
            .collect()
    }
}

pub(crate) fn current_profile(
    session: xr::Session,
    user: xr::Path,
    mut profile: Out<xr::InteractionProfileState>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let user = instance.user(instance.paths.string(user)?);
    let user = user.ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)?;
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    let found = attached.profile(user).filter(|_| attached.has_profiles);
    profile.interaction_profile = found.map_or(xr::Path::NULL, |bound| bound.path);
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
        .filter(|binding| binding.action == number && attached.is_current(binding));
    let paths: Vec<xr::Path> = bound.map(|binding| binding.path).collect();
    sources.fill(capacity, &count, &paths)
}

/// Returns the name of a user for people: `Left hand`, `Tracker left foot`, `Gamepad`.
fn title(user: User) -> String {
    let name = user.to_string().replace(['.', '_'], " ");
    let name = name.strip_prefix("device ").unwrap_or(&name);
    let (first, rest) = name.split_at(1);
    first.to_uppercase() + rest
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
    let source = instance.paths.string(info.source_path)?;
    let (user, component) = split(source).ok_or(xr::Result::ERROR_PATH_UNSUPPORTED)?;
    let component = component.to_owned();
    let attached = instance.session()?.attached.as_ref().ok_or(NOT_ATTACHED)?;
    let profile = attached.profile(user);
    let mut words = Vec::new();
    if parts.contains(xr::InputSourceLocalizedNameFlags::USER_PATH) {
        words.push(title(user));
    }
    if parts.contains(xr::InputSourceLocalizedNameFlags::INTERACTION_PROFILE) {
        let name = profile.and_then(|bound| bound.profile.name.rsplit('/').next());
        words.extend(name.map(|name| name.replace('_', " ")));
    }
    if parts.contains(xr::InputSourceLocalizedNameFlags::COMPONENT) {
        let name = component
            .trim_start_matches("/input/")
            .trim_start_matches("/output/");
        words.push(name.replace(['/', '_'], " "));
    }
    buffer.fill_string(capacity, &count, &words.join(" "))
}
