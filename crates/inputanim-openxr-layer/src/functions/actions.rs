//! The actions of the application, and the action set of the layer: pinches, poses and inputs of devices, and the gaze.
//!
//! The set is added to the calls of the application. Bindings that the application suggests for a profile replace earlier
//! ones, and the runtime selects a profile by the suggestions (OpenXR 1.1, section 11.4). The layer therefore adds its
//! bindings to those of the application, and suggests bindings for another profile of hands only if the application
//! suggested none for hands. Otherwise the runtime could select that profile, and the application would lose its input.

use std::collections::{BTreeMap, BTreeSet};
use std::ptr;
use std::sync::{Arc, PoisonError};

use openxr_sys::{self as xr, Handle};

use inputanim::{DeviceName, InputName, PoseName, Side};
use inputanim_openxr::{ComponentKind, Profile, RECORDER_SET, User};

use crate::application::{Action, Binding, Owner, Suggested};
use crate::bindings::{
    EYE_GAZE, EYES, GAZE, HAND_INTERACTION, OwnInput, SIMPLE, has_pose, own_inputs, select_input,
};
use crate::extensions::Extension;
use crate::plan::RecordedUser;
use crate::sample::Inputs;
use crate::state::{
    Actions, Attached, Instance, RecorderSet, Session, find_instance, find_owner, find_session,
};
use inputanim_openxr_ffi::{Read, Reply, Write, check, fixed_string, write_fixed};

pub(crate) fn create_set(
    handle: xr::Instance,
    info: Read<xr::ActionSetCreateInfo>,
    set: Write<xr::ActionSet>,
) -> Reply {
    let instance = find_instance(handle)?;
    let result = instance.next.create_action_set(handle, info, set);
    if let (Ok(()), Some(read), Some(set)) = (check(result), info.read(), set.value()) {
        instance.protect(|| {
            let name = fixed_string(&read.action_set_name).unwrap_or_default();
            let mut actions = instance.actions();
            let sets = &mut actions.application.sets;
            sets.insert(set.into_raw(), (name, read.priority));
        });
    }
    Ok(result)
}

pub(crate) fn create(
    set: xr::ActionSet,
    info: Read<xr::ActionCreateInfo>,
    action: Write<xr::Action>,
) -> Reply {
    let number = set.into_raw();
    let instance = find_owner(|application| application.sets.contains_key(&number))?;
    if let Some(read) = info.read() {
        let users = read.array(read.subaction_paths, read.count_subaction_paths);
        let mut users = users.unwrap_or_default().iter();
        if users.any(|user| instance.hides_user(*user)) {
            return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
        }
    }
    let result = instance.next.create_action(set, info, action);
    if let (Ok(()), Some(read), Some(action)) = (check(result), info.read(), action.value()) {
        instance.protect(|| {
            let users = read.array(read.subaction_paths, read.count_subaction_paths);
            let made = Action {
                set: number,
                name: fixed_string(&read.action_name).unwrap_or_default(),
                kind: read.action_type,
                users: users.unwrap_or_default().to_vec(),
            };
            let mut actions = instance.actions();
            actions.application.actions.insert(action.into_raw(), made);
        });
    }
    Ok(result)
}

/// An action that is destroyed keeps its bindings, but nobody can read it any more.
pub(crate) fn destroy(action: xr::Action) -> Reply {
    let number = action.into_raw();
    let instance = find_owner(|application| application.actions.contains_key(&number))?;
    let result = instance.next.destroy_action(action);
    if check(result).is_ok() {
        instance.actions().application.actions.remove(&number);
    }
    Ok(result)
}

pub(crate) fn destroy_set(set: xr::ActionSet) -> Reply {
    let number = set.into_raw();
    let instance = find_owner(|application| application.sets.contains_key(&number))?;
    let result = instance.next.destroy_action_set(set);
    if check(result).is_ok() {
        let mut actions = instance.actions();
        let application = &mut actions.application;
        application.sets.remove(&number);
        application.actions.retain(|_, action| action.set != number);
    }
    Ok(result)
}

pub(crate) fn suggest(
    handle: xr::Instance,
    info: Read<xr::InteractionProfileSuggestedBinding>,
) -> Reply {
    let instance = find_instance(handle)?;
    if instance.protect(|| instance.hides_binding(info)) == Some(true) {
        return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
    }
    // A runtime that does not know one input refuses all bindings, so the layer tries again with fewer bindings.
    let accepted = [Own::Inputs, Own::Pinch].into_iter().find_map(|own| {
        let bindings = instance
            .protect(|| instance.extended(info, own))
            .flatten()?;
        let changed = xr::InteractionProfileSuggestedBinding {
            count_suggested_bindings: bindings.len() as u32,
            suggested_bindings: bindings.as_ptr(),
            ..*info.read()?
        };
        let result = instance.next.suggest_bindings(handle, (&changed).into());
        check(result).is_ok().then_some((result, own))
    });
    let result = match accepted {
        Some((result, _)) => result,
        None => instance.next.suggest_bindings(handle, info),
    };
    if check(result).is_ok() {
        let has_own = accepted.is_some_and(|(_, own)| own == Own::Inputs);
        instance.protect(|| instance.remember(info, has_own));
    }
    Ok(result)
}

pub(crate) fn attach(handle: xr::Session, info: Read<xr::SessionActionSetsAttachInfo>) -> Reply {
    let session = find_session(handle)?;
    let next = session.next();
    let own = session.protect(|| session.instance.prepare()).flatten();
    let accepted = info.read().zip(own).and_then(|(read, own)| {
        let sets = read.array(read.action_sets, read.count_action_sets).ok()?;
        // An empty list is an error of the application.
        let sets: Vec<xr::ActionSet> = match sets {
            [] => return None,
            sets => sets.iter().copied().chain([own.set]).collect(),
        };
        let changed = xr::SessionActionSetsAttachInfo {
            count_action_sets: sets.len() as u32,
            action_sets: sets.as_ptr(),
            ..*read
        };
        let result = next.attach_action_sets(handle, (&changed).into());
        check(result).ok()?;
        session.protect(|| session.attach(own));
        Some(result)
    });
    let result = accepted.unwrap_or_else(|| next.attach_action_sets(handle, info));
    if let (Ok(()), Some(read)) = (check(result), info.read()) {
        let sets = read.array(read.action_sets, read.count_action_sets);
        let sets = sets.unwrap_or_default().iter().map(|set| set.into_raw());
        let sets = sets.collect();
        session.protect(|| session.attached_sets(sets));
    }
    Ok(result)
}

pub(crate) fn current_profile(
    handle: xr::Session,
    user: xr::Path,
    profile: Write<xr::InteractionProfileState>,
) -> Reply {
    let session = find_session(handle)?;
    if session.instance.hides_user(user) {
        return Err(xr::Result::ERROR_PATH_UNSUPPORTED);
    }
    let result = session.next().current_profile(handle, user, profile);
    check(result)?;
    if session.lock().sets.is_empty() {
        // Only the action set of the layer is attached.
        return Err(xr::Result::ERROR_ACTIONSET_NOT_ATTACHED);
    }
    if let Some(mut profile) = profile.edit()
        && !session.shows_profile(user, profile.interaction_profile)
    {
        profile.interaction_profile = xr::Path::NULL;
    }
    Ok(result)
}

pub(crate) fn sync(handle: xr::Session, info: Read<xr::ActionsSyncInfo>) -> Reply {
    let session = find_session(handle)?;
    let next = session.next();
    let own = session.attached();
    let accepted = info.read().zip(own.as_ref()).and_then(|(read, own)| {
        let active = read.array(read.active_action_sets, read.count_active_action_sets);
        let active = active.ok()?.iter().copied().chain([own.active()]);
        let active: Vec<xr::ActiveActionSet> = active.collect();
        let changed = xr::ActionsSyncInfo {
            count_active_action_sets: active.len() as u32,
            active_action_sets: active.as_ptr(),
            ..*read
        };
        let result = next.sync_actions(handle, (&changed).into());
        check(result).is_ok().then_some(result)
    });
    let result = accepted.unwrap_or_else(|| next.sync_actions(handle, info));
    session.protect(|| {
        if accepted.is_none() && own.is_some() && check(result).is_ok() {
            session.lose_actions("the runtime does not synchronise the actions of the layer");
        }
        session.synchronised(result, own.filter(|_| accepted.is_some()).as_ref());
    });
    Ok(result)
}

/// The bindings of the layer for a profile.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Own {
    /// The pinch, the poses and all inputs.
    Inputs,
    /// The pinch and the grip.
    Pinch,
}

/// Returns the hands as owners of bindings.
fn hands() -> impl Iterator<Item = Owner> {
    Side::BOTH.into_iter().map(|side| Owner {
        user: User::hand(side),
        path: User::hand(side).registry_path().to_owned(),
    })
}

impl Attached {
    fn active(&self) -> xr::ActiveActionSet {
        xr::ActiveActionSet {
            action_set: self.set.set,
            subaction_path: xr::Path::NULL,
        }
    }
}

impl Session {
    /// Returns `true` if the application has bindings for a user in a profile that the runtime has selected. Otherwise the layer has
    /// them, and without it, the user would have no profile.
    fn shows_profile(&self, user: xr::Path, profile: xr::Path) -> bool {
        let path = self.instance.next.string(user).unwrap_or_default() + "/";
        let owner = self.instance.split(&path).map(|(owner, _)| owner.user);
        let actions = self.instance.actions();
        let suggested = actions.application.suggested.get(&profile);
        suggested.is_none_or(|suggested| {
            let mut bindings = suggested.bindings.iter();
            bindings.any(|binding| owner.is_none_or(|user| binding.is_of(user)))
        })
    }

    /// Returns `true` if a user has another profile than at the last call, as far as the application sees it.
    pub(crate) fn has_new_profiles(&self) -> bool {
        let users = Arc::clone(&self.lock().users);
        let has_eyes = !self.instance.added.contains(&Extension::EyeGaze);
        let eyes = has_eyes
            .then(|| self.instance.next.path(EYES).ok())
            .flatten();
        let users = users.iter().flat_map(|user| &user.paths).copied();
        let profiles: Vec<xr::Path> = users
            .chain(eyes)
            .map(|user| {
                let profile = self.profile_of(user).unwrap_or(xr::Path::NULL);
                if self.shows_profile(user, profile) {
                    profile
                } else {
                    xr::Path::NULL
                }
            })
            .collect();
        let mut reported = self
            .reported_profiles
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let is_new = if reported.is_empty() {
            profiles.iter().any(|profile| *profile != xr::Path::NULL)
        } else {
            *reported != profiles
        };
        *reported = profiles;
        is_new
    }

    /// Stores the action set of the layer after the runtime has attached it, and creates the spaces of its actions.
    fn attach(&self, set: RecorderSet) {
        let space = |action| self.action_space(action, xr::Path::NULL);
        let poses = set.devices.iter().map(|(name, own)| {
            let poses = own.poses.iter();
            let poses = poses.filter_map(|(name, action)| Some((*name, space(*action)?)));
            (*name, poses.collect())
        });
        let attached = Attached {
            poses: poses.collect(),
            gaze: space(set.gaze),
            set: Arc::new(set),
        };
        self.lock().attached = Some(attached);
    }

    /// Stores the action sets of the application that are attached, and the users for which it has bindings.
    fn attached_sets(&self, sets: Vec<u64>) {
        let users = self.instance.users();
        let mut state = self.lock();
        (state.sets, state.users) = (sets, Arc::new(users));
    }

    /// Stores the values of inputs after the application has synchronised actions with the `result`. `own` is the layer's
    /// action set, if it was synchronised too.
    fn synchronised(&self, result: xr::Result, own: Option<&Attached>) {
        // Without the focus, all actions are inactive.
        let inputs = match result {
            xr::Result::SUCCESS => self.inputs(own),
            _ => Inputs::default(),
        };
        let mut state = self.lock();
        if check(result).is_ok() {
            state.is_synchronised = true;
            state.frames.sync(inputs);
        }
    }

    /// Attaches only the action set of the layer, for an application without action sets. If the runtime refuses,
    /// nothing changes.
    pub(crate) fn attach_alone(&self) {
        let Some(own) = self.instance.prepare() else {
            return;
        };
        let info = xr::SessionActionSetsAttachInfo {
            ty: xr::SessionActionSetsAttachInfo::TYPE,
            next: ptr::null(),
            count_action_sets: 1,
            action_sets: &raw const own.set,
        };
        let result = self.next().attach_action_sets(self.handle, (&info).into());
        if check(result).is_ok() {
            self.attach(own);
            self.attached_sets(Vec::new());
        }
    }

    /// Synchronises only the action set of the layer, for an application that does not synchronise actions. Returns the
    /// result of the runtime.
    pub(crate) fn sync_alone(&self, own: &Attached) -> xr::Result {
        let active = own.active();
        let info = xr::ActionsSyncInfo {
            ty: xr::ActionsSyncInfo::TYPE,
            next: ptr::null(),
            count_active_action_sets: 1,
            active_action_sets: &raw const active,
        };
        self.next().sync_actions(self.handle, (&info).into())
    }

    /// Creates the space of an action for a user, or for all users if the path is `NULL`. `None` if the runtime refuses
    /// it.
    pub(crate) fn action_space(&self, action: xr::Action, user: xr::Path) -> Option<xr::Space> {
        let info = xr::ActionSpaceCreateInfo {
            ty: xr::ActionSpaceCreateInfo::TYPE,
            next: ptr::null(),
            action,
            subaction_path: user,
            pose_in_action_space: xr::Posef::IDENTITY,
        };
        let mut space = xr::Space::NULL;
        let next = self.next();
        let result = next.create_action_space(self.handle, (&info).into(), (&mut space).into());
        check(result).is_ok().then_some(space)
    }
}

impl Instance {
    /// Returns `true` if the profile or one of the paths of a suggestion belongs to an extension that only the layer has enabled.
    fn hides_binding(&self, info: Read<xr::InteractionProfileSuggestedBinding>) -> bool {
        let Some(read) = info.read().filter(|_| !self.added.is_empty()) else {
            return false;
        };
        let name = self.next.string(read.interaction_profile);
        let Some(profile) = name.and_then(|name| Profile::find(&name)) else {
            return false;
        };
        let (uses, shows) = (|name: &str| self.uses(name), |name: &str| self.shows(name));
        if profile.is_enabled(uses) && !profile.is_enabled(shows) {
            return true;
        }
        let given = read.array(read.suggested_bindings, read.count_suggested_bindings);
        let mut paths = given.unwrap_or_default().iter();
        paths.any(|given| {
            let path = self.next.string(given.binding);
            path.is_some_and(|path| {
                profile.meant(&path, uses).next().is_some()
                    && profile.meant(&path, shows).next().is_none()
            })
        })
    }

    /// Returns the bindings that the application suggests for a profile, and those of the layer. `None` if the bindings
    /// of the application are not valid, or if the layer has none for this profile.
    fn extended(
        &self,
        info: Read<xr::InteractionProfileSuggestedBinding>,
        own: Own,
    ) -> Option<Vec<xr::ActionSuggestedBinding>> {
        let read = info.read()?;
        let given = read.array(read.suggested_bindings, read.count_suggested_bindings);
        // An empty list is an error of the application.
        let given = given.ok().filter(|given| !given.is_empty())?;
        let profile = self.next.string(read.interaction_profile)?;
        let mut actions = self.actions();
        if actions.was_attached {
            // The application prepares another session, with new actions.
            actions.set = None;
            actions.was_attached = false;
        }
        let set = self.set(&mut actions)?;
        // With bindings for another hand, the runtime could select this profile for that hand instead of one for which the
        // application has bindings. The same is true of other users.
        let paths = given.iter().filter_map(|one| self.next.string(one.binding));
        let owners: BTreeSet<Owner> = paths
            .filter_map(|path| Some(self.split(&path)?.0))
            .collect();
        let own = self.bindings(&profile, set, own, &owners)?;
        Some(given.iter().copied().chain(own).collect())
    }

    /// Stores the bindings that the application suggests in `info`, and whether it does so for hands and for eyes. With `has_own`, the
    /// runtime has accepted the bindings of the layer to inputs too.
    fn remember(&self, info: Read<xr::InteractionProfileSuggestedBinding>, has_own: bool) {
        let Some(read) = info.read() else { return };
        let given = read.array(read.suggested_bindings, read.count_suggested_bindings);
        let given = given.unwrap_or_default();
        let bindings = given.iter().filter_map(|one| {
            let path = self.next.string(one.binding)?;
            Some(Binding::new(
                one.action.into_raw(),
                &path,
                self.split(&path),
            ))
        });
        let bindings: Vec<Binding> = bindings.collect();
        let profile = self.next.string(read.interaction_profile);
        let mut actions = self.actions();
        let is_of_hand = |binding: &Binding| hands().any(|hand| binding.is_of(hand.user));
        actions.has_hands |= bindings.iter().any(is_of_hand);
        actions.has_eyes |= profile.as_deref() == Some(EYE_GAZE);
        let suggested = Suggested {
            profile: profile.unwrap_or_default(),
            bindings,
            given: given.to_vec(),
            has_own,
        };
        let all = &mut actions.application.suggested;
        all.insert(read.interaction_profile, suggested);
    }

    /// Returns the hands, and the other users for which the application has bindings, with their paths.
    fn users(&self) -> Vec<RecordedUser> {
        let actions = self.actions();
        let bindings = actions.application.suggested.values();
        let owners = bindings
            .flat_map(|suggested| &suggested.bindings)
            .filter_map(|binding| binding.owner.clone());
        let owners: BTreeSet<Owner> = hands().chain(owners).collect();
        let mut users: Vec<RecordedUser> = Vec::new();
        for owner in owners {
            let (Some(device), Ok(path)) = (owner.user.device(), self.next.path(&owner.path))
            else {
                continue;
            };
            match users.last_mut().filter(|last| last.device == device) {
                Some(user) => user.paths.push(path),
                None => users.push(RecordedUser {
                    device,
                    paths: vec![path],
                }),
            }
        }
        users
    }

    /// Suggests the bindings of the layer for hands and eyes, if the application has suggested none for them. Returns
    /// the action set of the layer, which can then be attached; `None` if the runtime refuses to create it.
    fn prepare(&self) -> Option<RecorderSet> {
        let mut actions = self.actions();
        self.set(&mut actions)?;
        if !actions.was_attached {
            let hands = (!actions.has_hands).then(|| {
                let bare = self
                    .has(Extension::HandInteraction)
                    .then_some(HAND_INTERACTION);
                bare.into_iter().chain([SIMPLE])
            });
            let has_gaze = self.has(Extension::EyeGaze) && !actions.has_eyes;
            let eyes = has_gaze.then_some(EYE_GAZE);
            for profile in hands.into_iter().flatten().chain(eyes) {
                self.suggest_alone(profile, &mut actions);
            }
            self.suggest_other_hands(&mut actions);
            actions.was_attached = true;
        }
        actions.set.clone()
    }

    /// Adds bindings of the layer for a hand for which the application has no bindings in any profile, to the bindings of the application
    /// for the other hand.
    fn suggest_other_hands(&self, actions: &mut Actions) {
        let suggested = &actions.application.suggested;
        let is_bound = |hand: &Owner, one: &Suggested| {
            let mut bindings = one.bindings.iter();
            bindings.any(|binding| binding.is_of(hand.user))
        };
        let mut bound = hands().map(|hand| suggested.values().any(|one| is_bound(&hand, one)));
        if bound.next() == bound.next() {
            return;
        }
        let profiles: Vec<_> = suggested
            .iter()
            .filter(|(_, one)| hands().any(|hand| is_bound(&hand, one)))
            .map(|(path, one)| (*path, one.profile.clone(), one.given.clone(), one.has_own))
            .collect();
        for (interaction_profile, profile, mut given, has_own) in profiles {
            let own = if has_own { Own::Inputs } else { Own::Pinch };
            let set = self.set(actions);
            let owners = hands().collect();
            let bindings = set.and_then(|set| self.bindings(&profile, set, own, &owners));
            given.extend(bindings.into_iter().flatten());
            let info = xr::InteractionProfileSuggestedBinding {
                ty: xr::InteractionProfileSuggestedBinding::TYPE,
                next: ptr::null(),
                interaction_profile,
                count_suggested_bindings: given.len() as u32,
                suggested_bindings: given.as_ptr(),
            };
            // If the runtime refuses them, the earlier bindings stay.
            self.next.suggest_bindings(self.handle, (&info).into());
        }
    }

    /// Suggests only the bindings of the layer for a profile. Does nothing if the layer or the runtime does not know
    /// the profile.
    fn suggest_alone(&self, profile: &str, actions: &mut Actions) {
        let Ok(interaction_profile) = self.next.path(profile) else {
            return;
        };
        for own in [Own::Inputs, Own::Pinch] {
            let set = self.set(actions);
            let owners = hands().collect();
            let bindings = set.and_then(|set| self.bindings(profile, set, own, &owners));
            let Some(bindings) = bindings else {
                return;
            };
            let info = xr::InteractionProfileSuggestedBinding {
                ty: xr::InteractionProfileSuggestedBinding::TYPE,
                next: ptr::null(),
                interaction_profile,
                count_suggested_bindings: bindings.len() as u32,
                suggested_bindings: bindings.as_ptr(),
            };
            let result = self.next.suggest_bindings(self.handle, (&info).into());
            // A runtime that does not know the profile does not have its inputs.
            if check(result).is_ok() {
                let suggested = Suggested {
                    profile: profile.to_owned(),
                    bindings: Vec::new(),
                    given: Vec::new(),
                    has_own: own == Own::Inputs,
                };
                let all = &mut actions.application.suggested;
                all.insert(interaction_profile, suggested);
                return;
            }
        }
    }

    /// Returns the bindings of the actions in `set` for the users `owners` in a profile, and makes these actions. `None` if the layer
    /// does not know the profile, or if the runtime refuses a path or an action.
    fn bindings(
        &self,
        profile: &str,
        set: &mut RecorderSet,
        own: Own,
        owners: &BTreeSet<Owner>,
    ) -> Option<Vec<xr::ActionSuggestedBinding>> {
        let bound = |action: xr::Action, path: &str| {
            let binding = self.next.path(path).ok()?;
            Some(xr::ActionSuggestedBinding { action, binding })
        };
        if profile == EYE_GAZE {
            return Some(vec![bound(set.gaze, GAZE)?]);
        }
        let select = select_input(profile);
        let mut bindings = Vec::new();
        for Owner { user, path } in owners {
            let Some(device) = user.device() else {
                continue;
            };
            if let Some(select) = select {
                let action = self.own_select(set, device)?;
                bindings.push(bound(action, &format!("{path}/input/{select}"))?);
            }
            let has_grip = select.is_some() || has_pose(profile, "grip/pose");
            let has_aim = own == Own::Inputs && has_pose(profile, "aim/pose");
            for (name, _) in [("grip", has_grip), ("aim", has_aim)]
                .into_iter()
                .filter(|(_, has_pose)| *has_pose)
            {
                let action = self.own_pose(set, device, name.parse().ok()?)?;
                bindings.push(bound(action, &format!("{path}/input/{name}/pose"))?);
            }
            if own == Own::Inputs {
                let components = own_inputs(profile, |name| self.uses(name));
                for component in components.filter(|one| one.is_of(user.registry_path())) {
                    let name: InputName = component.name.parse().ok()?;
                    let input = self.own_input(set, device, name, component.kind)?;
                    bindings.push(bound(input.action, &format!("{path}{}", component.path()))?);
                }
            }
        }
        (!bindings.is_empty()).then_some(bindings)
    }

    /// Returns the action of the layer that is on while a hand pinches, and makes it at the first call. `None` if the runtime refuses it.
    fn own_select(&self, set: &mut RecorderSet, device: DeviceName) -> Option<xr::Action> {
        let own = set.devices.entry(device).or_default();
        if own.select.is_none() {
            let kind = xr::ActionType::BOOLEAN_INPUT;
            own.select = self
                .make_action(set.set, &format!("{device}.select"), kind)
                .ok();
        }
        own.select
    }

    /// Returns the action of the layer for a pose, and makes it at the first call. `None` if the runtime refuses it.
    fn own_pose(
        &self,
        set: &mut RecorderSet,
        device: DeviceName,
        name: PoseName,
    ) -> Option<xr::Action> {
        let poses = &mut set.devices.entry(device).or_default().poses;
        if let Some(action) = poses.get(&name) {
            return Some(*action);
        }
        let kind = xr::ActionType::POSE_INPUT;
        let action = self
            .make_action(set.set, &format!("{device}.{name}"), kind)
            .ok()?;
        poses.insert(name, action);
        Some(action)
    }

    /// Returns the action of the layer for an input, and makes it at the first call. `None` if the runtime refuses it.
    fn own_input(
        &self,
        set: &mut RecorderSet,
        device: DeviceName,
        name: InputName,
        kind: ComponentKind,
    ) -> Option<OwnInput> {
        let inputs = &mut set.devices.entry(device).or_default().inputs;
        if let Some(input) = inputs.get(&name) {
            return Some(*input);
        }
        let kind = match kind {
            ComponentKind::Boolean => xr::ActionType::BOOLEAN_INPUT,
            _ => xr::ActionType::FLOAT_INPUT,
        };
        let action = self
            .make_action(set.set, &format!("{device}.{name}"), kind)
            .ok()?;
        let input = OwnInput { action, kind };
        inputs.insert(name, input);
        Some(input)
    }

    /// Returns the action set of the layer, and creates it at the first call. `None` if the runtime refuses it.
    fn set<'a>(&self, actions: &'a mut Actions) -> Option<&'a mut RecorderSet> {
        if actions.set.is_none() {
            actions.set = self.make_set(actions.made + 1).ok();
            actions.made += 1;
        }
        actions.set.as_mut()
    }

    fn make_set(&self, number: u32) -> Result<RecorderSet, xr::Result> {
        let end = match number {
            1 => String::new(),
            _ => format!("_{number}"),
        };
        let mut info = xr::ActionSetCreateInfo {
            ty: xr::ActionSetCreateInfo::TYPE,
            next: ptr::null(),
            action_set_name: [0; xr::MAX_ACTION_SET_NAME_SIZE],
            localized_action_set_name: [0; xr::MAX_LOCALIZED_ACTION_SET_NAME_SIZE],
            // Sets with a higher priority would take inputs away from the application.
            priority: 0,
        };
        write_fixed(&format!("{RECORDER_SET}{end}"), &mut info.action_set_name);
        write_fixed(
            &format!("Recorder of inputanim{end}"),
            &mut info.localized_action_set_name,
        );
        let mut set = xr::ActionSet::NULL;
        let result = self
            .next
            .create_action_set(self.handle, (&info).into(), (&mut set).into());
        check(result)?;
        Ok(RecorderSet {
            set,
            gaze: self.make_action(set, "gaze", xr::ActionType::POSE_INPUT)?,
            devices: BTreeMap::new(),
        })
    }

    fn make_action(
        &self,
        set: xr::ActionSet,
        name: &str,
        action_type: xr::ActionType,
    ) -> Result<xr::Action, xr::Result> {
        let mut info = xr::ActionCreateInfo {
            ty: xr::ActionCreateInfo::TYPE,
            next: ptr::null(),
            action_name: [0; xr::MAX_ACTION_NAME_SIZE],
            action_type,
            // Each action has the inputs of one user.
            count_subaction_paths: 0,
            subaction_paths: ptr::null(),
            localized_action_name: [0; xr::MAX_LOCALIZED_ACTION_NAME_SIZE],
        };
        write_fixed(name, &mut info.action_name);
        write_fixed(name, &mut info.localized_action_name);
        let mut action = xr::Action::NULL;
        let result = self
            .next
            .create_action(set, (&info).into(), (&mut action).into());
        check(result).map(|()| action)
    }
}
