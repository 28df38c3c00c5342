//! The action set of the layer: pinches, grips of controllers, and the gaze.
//!
//! The set is added to the calls of the application. Bindings that the application suggests for a profile replace earlier
//! ones, and the runtime selects a profile by the suggestions (OpenXR 1.1, section 11.4). The layer therefore adds its
//! bindings to those of the application, and suggests bindings for another profile of hands only if the application
//! suggested none for hands. Otherwise the runtime could select that profile, and the application would lose its input.

use std::ptr;

use openxr_sys::{self as xr, Handle};

use crate::bindings::{EYE_GAZE, GAZE, HAND_INTERACTION, HANDS, SIMPLE, is_of_hand, select_input};
use crate::extensions::Extension;
use crate::state::{
    Actions, Attached, Instance, RecorderSet, Session, find_instance, find_session,
};
use inputanim_openxr_ffi::{Read, Reply, Write, check, write_fixed};

pub(crate) fn create_set(
    handle: xr::Instance,
    info: Read<xr::ActionSetCreateInfo>,
    set: Write<xr::ActionSet>,
) -> Reply {
    let instance = find_instance(handle)?;
    let result = instance.next.create_action_set(handle, info, set);
    if check(result).is_ok() {
        instance.actions().has_sets = true;
    }
    Ok(result)
}

pub(crate) fn suggest(
    handle: xr::Instance,
    info: Read<xr::InteractionProfileSuggestedBinding>,
) -> Reply {
    let instance = find_instance(handle)?;
    let extended = instance.protect(|| instance.extended(info)).flatten();
    let accepted = info.read().zip(extended).and_then(|(read, bindings)| {
        let changed = xr::InteractionProfileSuggestedBinding {
            count_suggested_bindings: bindings.len() as u32,
            suggested_bindings: bindings.as_ptr(),
            ..*read
        };
        let result = instance.next.suggest_bindings(handle, (&changed).into());
        check(result).is_ok().then_some(result)
    });
    let result = accepted.unwrap_or_else(|| instance.next.suggest_bindings(handle, info));
    if check(result).is_ok() {
        instance.protect(|| instance.remember(info));
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
    Ok(accepted.unwrap_or_else(|| next.attach_action_sets(handle, info)))
}

pub(crate) fn sync(handle: xr::Session, info: Read<xr::ActionsSyncInfo>) -> Reply {
    let session = find_session(handle)?;
    let next = session.next();
    let own = session.attached();
    let accepted = info.read().zip(own).and_then(|(read, own)| {
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
        session.synchronised(result, accepted.and(own));
    });
    Ok(result)
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
    /// Stores the action set of the layer after the runtime has attached it, and creates the spaces of its actions.
    fn attach(&self, set: RecorderSet) {
        let path = |hand| self.next().path(hand).unwrap_or(xr::Path::NULL);
        let hands = HANDS.map(path);
        let attached = Attached {
            set,
            hands,
            grips: hands.map(|hand| self.action_space(set.grip, hand)),
            gaze: self.action_space(set.gaze, xr::Path::NULL),
        };
        self.lock().attached = Some(attached);
    }

    /// Stores which hands pinch after the application has synchronised actions with the `result`. `own` is the layer's
    /// action set, if it was synchronised too; otherwise, no hand pinches.
    fn synchronised(&self, result: xr::Result, own: Option<Attached>) {
        let pinches = match own {
            // Without the focus, all actions are inactive.
            Some(own) if result == xr::Result::SUCCESS => self.pinches(&own),
            _ => [false; 2],
        };
        let mut state = self.lock();
        if check(result).is_ok() {
            state.is_synchronised = true;
            state.frames.sync(pinches);
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

    /// Returns `true` for each of the left and the right hand that pinches, according to the last synchronisation.
    pub(crate) fn pinches(&self, own: &Attached) -> [bool; 2] {
        own.hands.map(|hand| {
            let info = xr::ActionStateGetInfo {
                ty: xr::ActionStateGetInfo::TYPE,
                next: ptr::null(),
                action: own.set.select,
                subaction_path: hand,
            };
            let mut state = xr::ActionStateBoolean {
                ty: xr::ActionStateBoolean::TYPE,
                next: ptr::null_mut(),
                current_state: xr::FALSE,
                changed_since_last_sync: xr::FALSE,
                last_change_time: xr::Time::from_nanos(0),
                is_active: xr::FALSE,
            };
            let result = self
                .next()
                .get_boolean(self.handle, (&info).into(), (&mut state).into());
            check(result).is_ok() && state.is_active.into() && state.current_state.into()
        })
    }

    /// Creates the space of an action for a user, or for all users if the path is `NULL`. `None` if the runtime refuses
    /// it.
    fn action_space(&self, action: xr::Action, user: xr::Path) -> Option<xr::Space> {
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
    /// Returns the bindings that the application suggests for a profile, and those of the layer. `None` if the bindings
    /// of the application are not valid, or if the layer has none for this profile.
    fn extended(
        &self,
        info: Read<xr::InteractionProfileSuggestedBinding>,
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
        let own = self.bindings(&profile, &set)?;
        Some(given.iter().copied().chain(own).collect())
    }

    /// Stores whether the application suggests bindings for hands and for eyes in `info`.
    fn remember(&self, info: Read<xr::InteractionProfileSuggestedBinding>) {
        let Some(read) = info.read() else { return };
        let given = read.array(read.suggested_bindings, read.count_suggested_bindings);
        let paths = given.unwrap_or_default().iter();
        let has_hands = paths
            .filter_map(|binding| self.next.string(binding.binding))
            .any(|path| is_of_hand(&path));
        let has_eyes = self
            .next
            .string(read.interaction_profile)
            .is_some_and(|name| name == EYE_GAZE);
        let mut actions = self.actions();
        actions.has_hands |= has_hands;
        actions.has_eyes |= has_eyes;
    }

    /// Suggests the bindings of the layer for hands and eyes, if the application has suggested none for them. Returns
    /// the action set of the layer, which can then be attached; `None` if the runtime refuses to create it.
    fn prepare(&self) -> Option<RecorderSet> {
        let mut actions = self.actions();
        let set = self.set(&mut actions)?;
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
                self.suggest_alone(profile, &set);
            }
            actions.was_attached = true;
        }
        Some(set)
    }

    /// Suggests only the bindings of the layer for a profile. Does nothing if the layer or the runtime does not know
    /// the profile.
    fn suggest_alone(&self, profile: &str, set: &RecorderSet) {
        let Some(bindings) = self.bindings(profile, set) else {
            return;
        };
        let Ok(interaction_profile) = self.next.path(profile) else {
            return;
        };
        let info = xr::InteractionProfileSuggestedBinding {
            ty: xr::InteractionProfileSuggestedBinding::TYPE,
            next: ptr::null(),
            interaction_profile,
            count_suggested_bindings: bindings.len() as u32,
            suggested_bindings: bindings.as_ptr(),
        };
        // A runtime that does not know the profile does not have its inputs.
        let _ = self.next.suggest_bindings(self.handle, (&info).into());
    }

    /// Returns the bindings of the actions in `set` for a profile. `None` if the layer does not know the profile, or if
    /// the runtime refuses a path.
    fn bindings(
        &self,
        profile: &str,
        set: &RecorderSet,
    ) -> Option<Vec<xr::ActionSuggestedBinding>> {
        let bound = |action: xr::Action, path: &str| {
            let binding = self.next.path(path).ok()?;
            Some(xr::ActionSuggestedBinding { action, binding })
        };
        if profile == EYE_GAZE {
            return Some(vec![bound(set.gaze, GAZE)?]);
        }
        let select = select_input(profile)?;
        let of_hand = |hand: &str| {
            [
                bound(set.select, &format!("{hand}/input/{select}")),
                bound(set.grip, &format!("{hand}/input/grip/pose")),
            ]
        };
        HANDS.iter().flat_map(|hand| of_hand(hand)).collect()
    }

    /// Returns the action set of the layer, and creates it at the first call. `None` if the runtime refuses it.
    fn set(&self, actions: &mut Actions) -> Option<RecorderSet> {
        if actions.set.is_none() {
            actions.set = self.make_set(actions.made + 1).ok();
            actions.made += 1;
        }
        actions.set
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
        write_fixed(
            &format!("inputanim_recorder{end}"),
            &mut info.action_set_name,
        );
        write_fixed(
            &format!("Recorder of inputanim{end}"),
            &mut info.localized_action_set_name,
        );
        let mut set = xr::ActionSet::NULL;
        let result = self
            .next
            .create_action_set(self.handle, (&info).into(), (&mut set).into());
        check(result)?;
        let hands = [self.next.path(HANDS[0])?, self.next.path(HANDS[1])?];
        Ok(RecorderSet {
            set,
            select: self.make_action(set, "select", xr::ActionType::BOOLEAN_INPUT, &hands)?,
            grip: self.make_action(set, "grip", xr::ActionType::POSE_INPUT, &hands)?,
            gaze: self.make_action(set, "gaze", xr::ActionType::POSE_INPUT, &[])?,
        })
    }

    fn make_action(
        &self,
        set: xr::ActionSet,
        name: &str,
        action_type: xr::ActionType,
        users: &[xr::Path],
    ) -> Result<xr::Action, xr::Result> {
        let mut info = xr::ActionCreateInfo {
            ty: xr::ActionCreateInfo::TYPE,
            next: ptr::null(),
            action_name: [0; xr::MAX_ACTION_NAME_SIZE],
            action_type,
            count_subaction_paths: users.len() as u32,
            subaction_paths: users.as_ptr(),
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
