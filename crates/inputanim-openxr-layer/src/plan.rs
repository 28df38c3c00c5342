//! The actions that give the inputs of hands and other users.
//!
//! If the application has an action that is bound to one input only, the input is read from this action. The value is then the one
//! that the application gets, and no action set with a higher priority hides it. Other inputs are read from actions of the layer.
//! Actions of the application with several inputs are not read, because their state combines all inputs (OpenXR 1.1,
//! section 11.5.1).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use inputanim::{DeviceName, InputName, OutputName, PoseName};
use inputanim_openxr::{ComponentKind, Profile, RecordedDevice, User};
use openxr_sys::{self as xr, Handle};

use crate::application::{Action, Application, Binding, Suggested, identifier};
use crate::bindings::{OwnActions, select_input};

/// A user whose inputs are recorded: a hand, or another user for which the application has bindings.
#[derive(Clone, Debug)]
pub(crate) struct RecordedUser {
    pub(crate) device: DeviceName,
    /// The top level user paths. A tracker may have the path of its role and its persistent path.
    pub(crate) paths: Vec<xr::Path>,
}

/// The actions that are read after each synchronisation, while the users have certain interaction profiles.
#[derive(Debug)]
pub(crate) struct Plan {
    /// The profile of each user; `NULL` for a user without a profile.
    pub(crate) profiles: Vec<xr::Path>,
    pub(crate) users: Vec<UserPlan>,
}

/// The actions that are read for a user.
#[derive(Debug)]
pub(crate) struct UserPlan {
    pub(crate) user: RecordedUser,
    /// The profile; `None` if the user has none.
    pub(crate) profile: Option<Arc<str>>,
    /// The inputs, in the order of their names.
    pub(crate) inputs: Vec<InputPlan>,
    /// The actions of the application that give poses, in the order of their names. The application binds each of them to this pose
    /// only.
    pub(crate) poses: Vec<(PoseName, Asked)>,
    /// Actions of the application that are on while the hand pinches.
    pub(crate) selects: Vec<Asked>,
    /// The actions of the application that are bound to the user.
    pub(crate) actions: Vec<ActionPlan>,
    /// The outputs to which actions of the application are bound.
    pub(crate) outputs: Vec<(u64, OutputName)>,
}

/// An action with the user for which its state is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Asked {
    pub(crate) action: xr::Action,
    /// The user; `NULL` if the action does not distinguish users.
    pub(crate) user: xr::Path,
    pub(crate) kind: xr::ActionType,
}

/// The actions that give an input.
#[derive(Debug)]
pub(crate) struct InputPlan {
    pub(crate) name: InputName,
    /// The input is on or off.
    pub(crate) is_boolean: bool,
    /// The actions of the application, which are tried first.
    pub(crate) asked: Vec<(Asked, Part)>,
    /// The action of the layer.
    pub(crate) own: Option<Asked>,
    /// The reason why the application's actions do not give the input, or why the layer's action may be hidden.
    why: BTreeSet<String>,
    /// An action set of the application may hide the layer's action.
    is_hidden: bool,
    was_read: AtomicBool,
}

/// The part of the state of an action.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    All,
    X,
    Y,
}

/// An action of the application that is bound to a user.
#[derive(Debug)]
pub(crate) struct ActionPlan {
    pub(crate) asked: Asked,
    name: String,
    was_active: AtomicBool,
}

impl InputPlan {
    fn new(name: InputName, is_boolean: bool) -> InputPlan {
        InputPlan {
            name,
            is_boolean,
            asked: Vec::new(),
            own: None,
            why: BTreeSet::new(),
            is_hidden: false,
            was_read: AtomicBool::new(false),
        }
    }

    /// Stores that the input had a value.
    pub(crate) fn set_read(&self) {
        self.was_read.store(true, Ordering::Relaxed);
    }
}

impl ActionPlan {
    pub(crate) fn was_active(&self) -> bool {
        self.was_active.load(Ordering::Relaxed)
    }

    /// Stores that the action was active.
    pub(crate) fn set_active(&self) {
        self.was_active.store(true, Ordering::Relaxed);
    }
}

/// The data from which a plan is made.
pub(crate) struct Facts<'f> {
    pub(crate) application: &'f Application,
    /// The action sets of the application that are attached to the session.
    pub(crate) sets: &'f [u64],
    /// The actions of the layer; `None` if they are not attached.
    pub(crate) own: Option<&'f BTreeMap<DeviceName, OwnActions>>,
    pub(crate) users: &'f [RecordedUser],
    /// The number of inputs to which the runtime has bound an action; `None` if it does not say.
    pub(crate) bound: &'f dyn Fn(u64) -> Option<usize>,
}

impl Plan {
    /// Makes the plan for users with these profiles.
    pub(crate) fn new(profiles: Vec<xr::Path>, facts: &Facts<'_>) -> Plan {
        let users = facts.users.iter().zip(&profiles);
        Plan {
            users: users
                .map(|(user, profile)| UserPlan::new(user, *profile, &profiles, facts))
                .collect(),
            profiles,
        }
    }
}

/// The actions that were active and the inputs that were read in all plans of a session, for the report.
#[derive(Debug, Default)]
pub(crate) struct Usage {
    devices: BTreeSet<DeviceName>,
    /// Each action of the application, and whether it was active.
    actions: BTreeMap<(DeviceName, String), bool>,
    /// Each input, whether it was read, and the reasons why it may not have been read.
    inputs: BTreeMap<(DeviceName, InputName), (bool, BTreeSet<String>)>,
}

impl Usage {
    /// Adds a plan that is not used any more.
    pub(crate) fn add(&mut self, plan: &Plan) {
        let users = plan.users.iter();
        for user in users.filter(|user| user.profile.is_some()) {
            let device = user.user.device;
            self.devices.insert(device);
            for action in &user.actions {
                let key = (device, action.name.clone());
                *self.actions.entry(key).or_default() |= action.was_active();
            }
            for input in &user.inputs {
                let (was_read, why) = self.inputs.entry((device, input.name)).or_default();
                *was_read |= input.was_read.load(Ordering::Relaxed);
                // If the action of the layer was not hidden, the runtime had no value.
                if input.own.is_none() || input.is_hidden {
                    why.extend(input.why.iter().cloned());
                }
            }
        }
    }

    /// Returns the devices that had a profile, with the actions that were never active and the inputs that were never read.
    pub(crate) fn into_devices(self) -> Vec<RecordedDevice> {
        let devices = self.devices.into_iter();
        let mut devices: BTreeMap<DeviceName, RecordedDevice> = devices
            .map(|name| (name, RecordedDevice::new(name.as_str())))
            .collect();
        for ((device, action), was_active) in self.actions {
            if let Some(device) = devices.get_mut(&device).filter(|_| !was_active) {
                device.never_active.push(action);
            }
        }
        for ((device, input), (was_read, why)) in self.inputs {
            if let Some(device) = devices.get_mut(&device).filter(|_| !was_read) {
                let why: Vec<String> = why.into_iter().collect();
                let input = input.as_str().to_owned();
                device.not_read.push((input, why.join("; ")));
            }
        }
        devices.into_values().collect()
    }
}

/// A binding of the application to a user, with its action and the component that it means.
struct Bound<'f> {
    binding: &'f Binding,
    action: &'f Action,
    component: Option<(String, ComponentKind)>,
}

impl UserPlan {
    fn new(
        user: &RecordedUser,
        profile: xr::Path,
        profiles: &[xr::Path],
        facts: &Facts<'_>,
    ) -> UserPlan {
        let mut plan = UserPlan {
            user: user.clone(),
            profile: None,
            inputs: Vec::new(),
            poses: Vec::new(),
            selects: Vec::new(),
            actions: Vec::new(),
            outputs: Vec::new(),
        };
        let Some(suggested) = facts.application.suggested.get(&profile) else {
            return plan;
        };
        plan.profile = Some(Arc::from(&*suggested.profile));
        let mut inputs = BTreeMap::new();
        if suggested.has_own {
            add_own(user.device, suggested, facts, &mut inputs);
        }
        let bound: Vec<Bound<'_>> = facts.bound_to(user.device, suggested).collect();
        for one in &bound {
            plan.add(one, &bound, profiles, facts, &mut inputs);
        }
        facts.add_priorities(&bound, &mut inputs);
        plan.inputs = inputs.into_values().collect();
        plan.poses.sort_by_key(|(name, _)| *name);
        plan
    }

    /// Adds the pose, input or output that a binding of the application gives.
    fn add(
        &mut self,
        one: &Bound<'_>,
        bound: &[Bound<'_>],
        profiles: &[xr::Path],
        facts: &Facts<'_>,
        inputs: &mut BTreeMap<InputName, InputPlan>,
    ) {
        let action = one.action;
        let (handle, kind) = (one.binding.action, action.kind);
        let Some((component, component_kind)) = &one.component else {
            return;
        };
        if *component_kind == ComponentKind::Haptic {
            self.outputs
                .extend(component.parse().map(|output| (handle, output)));
            return;
        }
        let mut paths = self.user.paths.iter();
        let user = match &*action.users {
            [] => Some(xr::Path::NULL),
            users => paths.find(|path| users.contains(path)).copied(),
        };
        // The application does not read its action for this user, and the layer cannot.
        let Some(user) = user else { return };
        let asked = Asked {
            action: xr::Action::from_raw(handle),
            user,
            kind,
        };
        if !self.actions.iter().any(|other| other.asked == asked) {
            self.actions.push(ActionPlan {
                asked,
                name: action.name.clone(),
                was_active: AtomicBool::new(false),
            });
        }
        let sources = facts.sources(one, bound, profiles);
        let is_select = self.profile.as_deref().and_then(select_input) == Some(component);
        if is_select && kind == xr::ActionType::BOOLEAN_INPUT && sources == 1 {
            self.selects.push(asked);
        }
        if *component_kind == ComponentKind::Pose {
            let name = component.trim_end_matches("/pose").parse();
            if let (Ok(name), 1) = (name, sources) {
                self.poses.push((name, asked));
            }
            return;
        }
        let parts: &[(&str, Part)] = match component_kind {
            ComponentKind::Vector => &[("/x", Part::X), ("/y", Part::Y)],
            _ => &[("", Part::All)],
        };
        for (end, part) in parts {
            let Ok(name) = format!("{component}{end}").parse() else {
                continue;
            };
            let is_boolean = *component_kind == ComponentKind::Boolean;
            let input = inputs
                .entry(name)
                .or_insert_with(|| InputPlan::new(name, is_boolean));
            let is_threshold = kind == xr::ActionType::BOOLEAN_INPUT && !is_boolean;
            let name = &action.name;
            if sources != 1 {
                input
                    .why
                    .insert(format!("the action {name} has {sources} inputs"));
            } else if is_threshold {
                input
                    .why
                    .insert(format!("the action {name} is only on or off"));
            } else {
                input.asked.push((asked, *part));
            }
        }
    }
}

/// Adds the inputs that the layer has bound to its own actions.
fn add_own(
    device: DeviceName,
    suggested: &Suggested,
    facts: &Facts<'_>,
    inputs: &mut BTreeMap<InputName, InputPlan>,
) {
    let Some(own) = facts.own.and_then(|own| own.get(&device)) else {
        return;
    };
    let path = User::Device(device).registry_path();
    let profile = Profile::find(&suggested.profile);
    let components = profile.into_iter().flat_map(|profile| &profile.components);
    for component in components.filter(|component| component.is_of(path)) {
        let found = component.name.parse::<InputName>().ok();
        let found = found.and_then(|name| Some((name, own.inputs.get(&name)?)));
        let Some((name, own)) = found else {
            continue;
        };
        let mut input = InputPlan::new(name, component.kind == ComponentKind::Boolean);
        input.own = Some(Asked {
            action: own.action,
            user: xr::Path::NULL,
            kind: own.kind,
        });
        inputs.insert(name, input);
    }
}

impl Facts<'_> {
    /// Returns the bindings to a user of actions that are attached.
    fn bound_to<'s>(
        &'s self,
        device: DeviceName,
        suggested: &'s Suggested,
    ) -> impl Iterator<Item = Bound<'s>> {
        let of_user = suggested.bindings.iter();
        let of_user = of_user.filter(move |binding| binding.is_of(User::Device(device)));
        of_user.filter_map(|binding| {
            let action = self.application.actions.get(&binding.action)?;
            let component = suggested.component(binding, action.kind);
            self.sets.contains(&action.set).then_some(Bound {
                binding,
                action,
                component,
            })
        })
    }

    /// Returns the number of inputs that determine the state of an action for the user that has the bindings `bound`.
    fn sources(&self, one: &Bound<'_>, bound: &[Bound<'_>], profiles: &[xr::Path]) -> usize {
        let action = one.binding.action;
        let count = |bound: &[Bound<'_>]| {
            let same = bound.iter().filter(|other| other.binding.action == action);
            same.filter_map(|other| other.component.as_ref())
                .map(|(name, _)| name)
                .collect::<BTreeSet<_>>()
                .len()
        };
        let users = self.users.iter().zip(profiles);
        let of_users = users.map(|(user, profile)| {
            let suggested = self.application.suggested.get(profile);
            suggested.map_or(0, |suggested| {
                count(&self.bound_to(user.device, suggested).collect::<Vec<_>>())
            })
        });
        // The profiles of other users are not known.
        let is_recorded = |binding: &Binding| {
            let mut users = self.users.iter();
            users.any(|user| binding.is_of(User::Device(user.device)))
        };
        let others = self.application.suggested.values();
        let others = others.flat_map(|suggested| &suggested.bindings);
        let others = others.filter(|binding| binding.action == action && !is_recorded(binding));
        // The runtime may bind an action to other inputs than those that the application suggests.
        let expected = of_users.sum::<usize>() + others.count();
        let more = (self.bound)(action).map_or(0, |bound| bound.saturating_sub(expected));
        let asked = if one.action.users.is_empty() {
            expected
        } else {
            count(bound)
        };
        asked + more
    }

    /// Adds the reasons why the actions of the layer may be hidden.
    fn add_priorities(&self, bound: &[Bound<'_>], inputs: &mut BTreeMap<InputName, InputPlan>) {
        for one in bound {
            let Some((component, _)) = &one.component else {
                continue;
            };
            let set = self.application.sets.get(&one.action.set);
            let Some((name, priority)) = set.filter(|(_, priority)| *priority > 0) else {
                continue;
            };
            let is_same = |input: &&mut InputPlan| {
                input.own.is_some() && identifier(input.name.as_str()) == identifier(component)
            };
            for input in inputs.values_mut().filter(is_same) {
                input.is_hidden = true;
                input.why.insert(format!(
                    "the action set {name} with the priority {priority} has {}",
                    identifier(component)
                ));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use inputanim::Side;

    use super::*;
    use crate::application::Owner;

    const PROFILE: &str = "/interaction_profiles/oculus/touch_controller";
    const SET: u64 = 10;

    fn path(number: u64) -> xr::Path {
        xr::Path::from_raw(number)
    }

    /// Returns the plan of an application with these actions: the handle, the kind, and the bindings. It distinguishes hands, whose
    /// paths are 1 and 2, and both have the profile 3. The runtime binds each action to `bound` inputs.
    fn plan(actions: &[(u64, xr::ActionType, &[&str])], bound: Option<usize>) -> Plan {
        let mut application = Application::default();
        application.sets.insert(SET, ("all".to_owned(), 0));
        let mut bindings = Vec::new();
        for (handle, kind, paths) in actions {
            let action = Action {
                set: SET,
                name: format!("action{handle}"),
                kind: *kind,
                users: vec![path(1), path(2)],
            };
            application.actions.insert(*handle, action);
            let bound = paths.iter();
            bindings.extend(bound.map(|path| Binding::new(*handle, path, Owner::split(path))));
        }
        let suggested = Suggested {
            profile: PROFILE.to_owned(),
            bindings,
            given: Vec::new(),
            has_own: false,
        };
        application.suggested.insert(path(3), suggested);
        let facts = Facts {
            application: &application,
            sets: &[SET],
            own: None,
            users: &[(Side::Left, 1), (Side::Right, 2)].map(|(side, number)| RecordedUser {
                device: DeviceName::controller(side),
                paths: vec![path(number)],
            }),
            bound: &|_| bound,
        };
        Plan::new(vec![path(3); 2], &facts)
    }

    /// Returns the names of the inputs of the right hand that actions of the application give, and the reasons of the others.
    fn inputs(plan: &Plan) -> Vec<(&str, String)> {
        let all = plan.users[1].inputs.iter();
        let text = |why: &BTreeSet<String>| why.iter().cloned().collect::<Vec<_>>().join("; ");
        all.map(|input| match &*input.asked {
            [] => (input.name.as_str(), text(&input.why)),
            _ => (input.name.as_str(), "asked".to_owned()),
        })
        .collect()
    }

    const FLOAT: xr::ActionType = xr::ActionType::FLOAT_INPUT;
    const BOOLEAN: xr::ActionType = xr::ActionType::BOOLEAN_INPUT;
    const VECTOR: xr::ActionType = xr::ActionType::VECTOR2F_INPUT;
    const TRIGGERS: [&str; 2] = [
        "/user/hand/left/input/trigger/value",
        "/user/hand/right/input/trigger",
    ];

    #[test]
    fn an_action_with_one_input_of_a_hand_gives_it() {
        let plan = plan(
            &[
                (20, FLOAT, &TRIGGERS),
                (21, VECTOR, &["/user/hand/right/input/thumbstick"]),
                (22, FLOAT, &["/user/hand/right/input/a"]),
            ],
            Some(2),
        );
        let asked = |name| (name, "asked".to_owned());
        // The runtime has bound the actions 21 and 22 to one input more than the application suggests.
        let more = |number| format!("the action action{number} has 2 inputs");
        assert_eq!(
            inputs(&plan),
            [
                ("a/click", more(22)),
                ("thumbstick/x", more(21)),
                ("thumbstick/y", more(21)),
                asked("trigger/value"),
            ]
        );
        assert!(plan.users[1].inputs[0].is_boolean);
    }

    #[test]
    fn a_threshold_is_not_the_value_of_a_trigger_but_its_pinch() {
        let plan = plan(&[(20, BOOLEAN, &TRIGGERS)], None);
        let why = "the action action20 is only on or off".to_owned();
        assert_eq!(inputs(&plan), [("trigger/value", why)]);
        assert_eq!(plan.users[1].selects.len(), 1);
        let mut usage = Usage::default();
        usage.add(&plan);
        let devices = usage.into_devices();
        let names: Vec<&str> = devices.iter().map(|device| &*device.name).collect();
        assert_eq!(names, ["left.controller", "right.controller"]);
        assert_eq!(devices[1].never_active, ["action20"]);
        assert_eq!(devices[1].not_read.len(), 1);
    }

    #[test]
    fn an_action_is_reported_once_and_only_if_it_was_active_in_no_plan() {
        let actions: [(u64, xr::ActionType, &[&str]); 2] = [
            (20, FLOAT, &TRIGGERS),
            (21, BOOLEAN, &["/user/hand/right/input/a"]),
        ];
        let plans = [plan(&actions, None), plan(&actions, None)];
        let right = |plans: &[Plan; 2]| {
            let mut usage = Usage::default();
            plans.iter().for_each(|plan| usage.add(plan));
            let devices = usage.into_devices();
            let [_, right]: [RecordedDevice; 2] = devices.try_into().expect("both hands");
            let not_read = right.not_read.into_iter().map(|(name, _)| name);
            (right.never_active, not_read.collect::<Vec<_>>())
        };
        let names = |names: [&str; 2]| names.map(str::to_owned).to_vec();
        let wanted = (
            names(["action20", "action21"]),
            names(["a/click", "trigger/value"]),
        );
        assert_eq!(right(&plans), wanted);
        plans[0].users[1].actions[0].set_active();
        plans[1].users[1].inputs[0].set_read();
        let wanted = (
            vec!["action21".to_owned()],
            vec!["trigger/value".to_owned()],
        );
        assert_eq!(right(&plans), wanted);
    }

    #[test]
    fn outputs_and_poses_have_names() {
        let plan = plan(
            &[
                (
                    20,
                    xr::ActionType::POSE_INPUT,
                    &["/user/hand/right/input/aim/pose"],
                ),
                (
                    21,
                    xr::ActionType::VIBRATION_OUTPUT,
                    &["/user/hand/right/output/haptic"],
                ),
            ],
            None,
        );
        let hand = &plan.users[1];
        let poses: Vec<&str> = hand.poses.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(poses, ["aim"]);
        let outputs: Vec<&str> = hand.outputs.iter().map(|(_, name)| name.as_str()).collect();
        assert_eq!(outputs, ["haptic"]);
        assert!(plan.users[0].poses.is_empty() && plan.users[0].outputs.is_empty());
    }
}
