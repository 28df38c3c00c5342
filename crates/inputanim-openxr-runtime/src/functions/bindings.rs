//! Bindings of actions to the inputs of interaction profiles (OpenXR 1.1, section 11.4).

use std::collections::HashSet;
use std::ffi::c_char;

use inputanim::Side;
use openxr_sys::{self as xr, Handle};

use super::checks::{ALREADY_ATTACHED, NOT_ATTACHED};
use crate::objects::actions::{Attached, Binding};
use crate::objects::handles::NO_HANDLE;
use crate::objects::instance::Instance;
use crate::objects::profiles::{Known, PROFILES, User, known, may_exist, select};
use crate::objects::state::State;
use inputanim_openxr_ffi::{Buffer, DONE, INVALID, In, Out, Reply, Set};

pub(crate) fn suggest(
    instance: xr::Instance,
    info: In<xr::InteractionProfileSuggestedBinding>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    let name = instance.paths.string(info.interaction_profile)?;
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
        let path = instance.paths.string(binding.binding)?;
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
    /// Selects an interaction profile for each user, and returns the action sets `sets` with the bindings of their
    /// actions to the inputs of these profiles. The profile is the first one for which the application has suggested
    /// usable bindings.
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
}

pub(crate) fn current_profile(
    session: xr::Session,
    user: xr::Path,
    mut profile: Out<xr::InteractionProfileState>,
) -> Reply {
    let mut state = State::lock();
    let instance = state.of_session(session)?;
    let text = instance.paths.string(user)?;
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
    let source = instance.paths.string(info.source_path)?;
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
        let name = profile.and_then(|profile| instance.paths.string(profile).ok());
        let name = name.and_then(|name| name.rsplit('/').next());
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
