//! The values of actions after a synchronisation.

use std::ptr;
use std::sync::Arc;

use inputanim::{DeviceFrame, InputValue, PoseName, Side};
use openxr_sys::{self as xr, Handle};

use crate::bindings::select_input;
use crate::plan::{Asked, Facts, InputPlan, Part, Plan, RecordedUser, UserPlan};
use crate::sample::Inputs;
use crate::state::{Attached, Planned, PoseSpaces, Session};
use inputanim_openxr_ffi::check;

impl Session {
    /// Reads the inputs of all users after a synchronisation. `own` is the action set of the layer, if the session has it.
    pub(crate) fn inputs(&self, own: Option<&Attached>) -> Inputs {
        let users = Arc::clone(&self.lock().users);
        let profiles = users.iter().map(|user| self.profile_of_any(&user.paths));
        let profiles: Vec<Option<xr::Path>> = profiles.collect();
        // Without any actions, not even the profile is known.
        if profiles.iter().all(Option::is_none) {
            return Inputs::default();
        }
        let profiles = profiles
            .into_iter()
            .map(|one| one.unwrap_or(xr::Path::NULL));
        let planned = self.planned(profiles.collect(), &users, own);
        let mut inputs = Inputs::default();
        for plan in &planned.plan.users {
            let mut device = DeviceFrame::new(plan.user.device);
            device.active = plan.profile.is_some();
            device.profile.clone_from(&plan.profile);
            self.read_actions(plan);
            device.inputs.reserve_exact(plan.inputs.len());
            let values = plan.inputs.iter();
            device
                .inputs
                .extend(values.filter_map(|input| Some((input.name, self.read(input)?))));
            if let Some(side) = device.name.side() {
                let index = usize::from(side == Side::Right);
                inputs.pinches[index] = self.pinch(plan, &device, own);
            }
            inputs.devices.push(device);
        }
        inputs
    }

    /// Returns the interaction profile of a user; `NULL` if it has none, and `None` if no actions are attached.
    pub(crate) fn profile_of(&self, user: xr::Path) -> Option<xr::Path> {
        let mut state = xr::InteractionProfileState {
            ty: xr::InteractionProfileState::TYPE,
            next: ptr::null_mut(),
            interaction_profile: xr::Path::NULL,
        };
        let result = self
            .next()
            .current_profile(self.handle, user, (&mut state).into());
        check(result).ok().map(|()| state.interaction_profile)
    }

    /// Returns the interaction profile of a user that has these paths.
    fn profile_of_any(&self, paths: &[xr::Path]) -> Option<xr::Path> {
        let found = paths.iter().filter_map(|path| self.profile_of(*path));
        found.max_by_key(|profile| *profile != xr::Path::NULL)
    }

    /// Returns the plan for users with these profiles, and makes it if it is new.
    fn planned(
        &self,
        profiles: Vec<xr::Path>,
        users: &[RecordedUser],
        own: Option<&Attached>,
    ) -> Planned {
        let state = self.lock();
        if let Some(planned) = &state.planned
            && planned.plan.profiles == profiles
        {
            return planned.clone();
        }
        let sets = state.sets.clone();
        drop(state);
        let plan = {
            let actions = self.instance.actions();
            let facts = Facts {
                application: &actions.application,
                sets: &sets,
                own: own.map(|own| &own.set.devices),
                users,
                bound: &|action| self.count_sources(xr::Action::from_raw(action)),
            };
            Plan::new(profiles, &facts)
        };
        let poses = plan.users.iter();
        let poses = poses.map(|plan| (plan.user.device, self.pose_spaces(plan, own)));
        let planned = Planned {
            poses: Arc::new(poses.collect()),
            plan: Arc::new(plan),
        };
        self.lock().set_plan(Some(planned.clone()));
        planned
    }

    /// Returns the number of inputs to which the runtime has bound an action; `None` if it does not say.
    fn count_sources(&self, action: xr::Action) -> Option<usize> {
        let info = xr::BoundSourcesForActionEnumerateInfo {
            ty: xr::BoundSourcesForActionEnumerateInfo::TYPE,
            next: ptr::null(),
            action,
        };
        let (mut count, mut unused) = (0, xr::Path::NULL);
        let (info, found) = ((&info).into(), (&mut count).into());
        // With a capacity of 0, the runtime only counts.
        let result = self
            .next()
            .bound_sources(self.handle, info, 0, found, (&mut unused).into());
        check(result).ok().map(|()| count as usize)
    }

    /// Returns the spaces that give the poses of a user: those of the layer, and of actions of the application.
    fn pose_spaces(&self, plan: &UserPlan, own: Option<&Attached>) -> Vec<PoseSpaces> {
        let mut poses: Vec<PoseSpaces> = Vec::new();
        let mut add = |name: PoseName, space: xr::Space| match poses
            .iter_mut()
            .find(|pose| pose.name == name)
        {
            Some(pose) => pose.spaces.push(space),
            None => poses.push(PoseSpaces {
                name,
                spaces: vec![space],
            }),
        };
        if plan.profile.is_some() {
            let own = own.and_then(|own| own.poses.get(&plan.user.device));
            for (name, space) in own.into_iter().flatten() {
                add(*name, *space);
            }
            for (name, asked) in &plan.poses {
                if let Some(space) = self.space_of(asked) {
                    add(*name, space);
                }
            }
        }
        poses.sort_by_key(|pose| pose.name);
        poses
    }

    /// Returns the space of an action of the application, and creates it at the first call.
    fn space_of(&self, asked: &Asked) -> Option<xr::Space> {
        let key = (asked.action, asked.user);
        let found = self.lock().action_spaces.get(&key).copied();
        found.unwrap_or_else(|| {
            let space = self.action_space(asked.action, asked.user);
            self.lock().action_spaces.insert(key, space);
            space
        })
    }

    /// Stores which actions of the application are active. Those that were active before are not asked again.
    fn read_actions(&self, plan: &UserPlan) {
        for action in plan.actions.iter().filter(|action| !action.was_active()) {
            let asked = &action.asked;
            let is_active = match asked.kind {
                xr::ActionType::POSE_INPUT => self.is_pose_active(asked),
                _ => self.state(asked, Part::All).is_some(),
            };
            if is_active {
                action.set_active();
            }
        }
    }

    /// Returns the value of an input; `None` if it is unknown.
    fn read(&self, input: &InputPlan) -> Option<InputValue> {
        let mut asked = input.asked.iter().copied();
        let value = asked.find_map(|(asked, part)| self.state(&asked, part));
        let value = value.or_else(|| self.state(&input.own?, Part::All))?;
        input.set_read();
        Some(match (input.is_boolean, value) {
            // A number of a button is 0 or 1 (OpenXR 1.1, section 11.4).
            (true, InputValue::Float(number)) => InputValue::Boolean(number != 0.0),
            (_, value) => value,
        })
    }

    /// Returns `true` if a hand pinches; `None` if this is unknown.
    fn pinch(&self, plan: &UserPlan, device: &DeviceFrame, own: Option<&Attached>) -> Option<bool> {
        let own = own.and_then(|own| own.set.devices.get(&device.name)?.select);
        let own = own.map(|action| Asked {
            action,
            user: xr::Path::NULL,
            kind: xr::ActionType::BOOLEAN_INPUT,
        });
        let mut all = own.iter().chain(&plan.selects);
        let state = all.find_map(|asked| self.state(asked, Part::All));
        let state = state.or_else(|| {
            let input = select_input(plan.profile.as_deref()?)?;
            device.input(input.parse().ok()?)
        });
        state.map(InputValue::is_on)
    }

    /// Returns the state of an action, or the part of it; `None` while the action is not active.
    fn state(&self, asked: &Asked, part: Part) -> Option<InputValue> {
        let info = xr::ActionStateGetInfo {
            ty: xr::ActionStateGetInfo::TYPE,
            next: ptr::null(),
            action: asked.action,
            subaction_path: asked.user,
        };
        let (session, info, time) = (self.handle, (&info).into(), xr::Time::from_nanos(0));
        let (changed_since_last_sync, is_active) = (xr::FALSE, xr::FALSE);
        let (value, is_active, result) = match asked.kind {
            xr::ActionType::BOOLEAN_INPUT => {
                let mut state = xr::ActionStateBoolean {
                    ty: xr::ActionStateBoolean::TYPE,
                    next: ptr::null_mut(),
                    current_state: xr::FALSE,
                    changed_since_last_sync,
                    last_change_time: time,
                    is_active,
                };
                let result = self.next().get_boolean(session, info, (&mut state).into());
                let value = InputValue::Boolean(state.current_state.into());
                (value, state.is_active, result)
            }
            xr::ActionType::FLOAT_INPUT => {
                let mut state = xr::ActionStateFloat {
                    ty: xr::ActionStateFloat::TYPE,
                    next: ptr::null_mut(),
                    current_state: 0.0,
                    changed_since_last_sync,
                    last_change_time: time,
                    is_active,
                };
                let result = self.next().get_float(session, info, (&mut state).into());
                (
                    InputValue::Float(state.current_state),
                    state.is_active,
                    result,
                )
            }
            xr::ActionType::VECTOR2F_INPUT => {
                let mut state = xr::ActionStateVector2f {
                    ty: xr::ActionStateVector2f::TYPE,
                    next: ptr::null_mut(),
                    current_state: xr::Vector2f { x: 0.0, y: 0.0 },
                    changed_since_last_sync,
                    last_change_time: time,
                    is_active,
                };
                let result = self.next().get_vector(session, info, (&mut state).into());
                let value = match part {
                    Part::Y => state.current_state.y,
                    Part::All | Part::X => state.current_state.x,
                };
                (InputValue::Float(value), state.is_active, result)
            }
            _ => return None,
        };
        let is_known = check(result).is_ok() && is_active.into() && value.number().is_finite();
        is_known.then_some(value)
    }

    fn is_pose_active(&self, asked: &Asked) -> bool {
        let info = xr::ActionStateGetInfo {
            ty: xr::ActionStateGetInfo::TYPE,
            next: ptr::null(),
            action: asked.action,
            subaction_path: asked.user,
        };
        let mut state = xr::ActionStatePose {
            ty: xr::ActionStatePose::TYPE,
            next: ptr::null_mut(),
            is_active: xr::FALSE,
        };
        let result = self
            .next()
            .get_pose(self.handle, (&info).into(), (&mut state).into());
        check(result).is_ok() && state.is_active.into()
    }
}
