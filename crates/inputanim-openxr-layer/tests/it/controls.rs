//! The actions of an application for the inputs of one interaction profile, and the values that it gets.

use inputanim_openxr::{Component, ComponentKind, Profile};
use openxr as xr;

use crate::client::never;

/// The bindings of an application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Controls {
    pub(crate) profile: &'static str,
    /// The inputs, each for an action of its own kind: `trigger/value`.
    pub(crate) inputs: &'static [&'static str],
    /// The priority of the action set.
    pub(crate) priority: u32,
    /// One action is bound to all inputs that are on or off, and does not distinguish users.
    pub(crate) is_shared: bool,
    /// The application names trackers by the persistent paths of the runtime of `inputanim` instead of their roles.
    pub(crate) is_persistent: bool,
    /// The application makes and attaches its actions only when it has got this number of frames.
    pub(crate) late: usize,
    /// The application lets its actions vibrate in this frame, counted from 1, and stops them in the next one.
    pub(crate) vibrates: Option<usize>,
}

impl Controls {
    pub(crate) const fn new(profile: &'static str, inputs: &'static [&'static str]) -> Controls {
        Controls {
            profile,
            inputs,
            priority: 0,
            is_shared: false,
            is_persistent: false,
            late: 0,
            vibrates: None,
        }
    }
}

/// The values that an application gets after a synchronisation, for each user of the profile.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Log {
    /// The profiles.
    pub(crate) profiles: Vec<Option<String>>,
    /// The value of each input; `None` while the action is not active.
    pub(crate) values: Vec<Vec<Option<f32>>>,
    /// Each pose of the profile: position and rotation.
    pub(crate) poses: Vec<Vec<Option<[f32; 7]>>>,
}

enum Action {
    Boolean(xr::Action<bool>),
    Float(xr::Action<f32>),
}

/// The actions of an application.
pub(crate) struct Bound {
    controls: Controls,
    pub(crate) set: xr::ActionSet,
    actions: Vec<Action>,
    poses: Vec<xr::Action<xr::Posef>>,
    haptic: xr::Action<xr::Haptic>,
    users: Vec<xr::Path>,
    /// The spaces of the poses of each user.
    spaces: Vec<Vec<xr::Space>>,
    base: Option<xr::Space>,
}

impl Controls {
    fn registered(self) -> &'static Profile {
        Profile::find(self.profile).expect("the registry has the profile")
    }

    /// Returns the extensions that the application must enable, each with a NUL at its end.
    pub(crate) fn extensions(self) -> Vec<Vec<u8>> {
        let names = self.registered().enabled_by.iter();
        let names = names.filter(|name| !name.starts_with("XR_VERSION"));
        names.map(|name| format!("{name}\0").into_bytes()).collect()
    }

    /// Returns the paths of the users.
    pub(crate) fn users(self) -> &'static [&'static str] {
        &self.registered().users
    }

    /// Returns the poses that the profile always has: `grip/pose`.
    pub(crate) fn poses(self) -> impl Iterator<Item = &'static Component> {
        let components = self.registered().components.iter();
        components.filter(|one| one.kind == ComponentKind::Pose && one.enabled_by.is_empty())
    }

    /// Makes the actions, and suggests their bindings.
    pub(crate) fn bind(self, instance: &xr::Instance) -> Bound {
        let path = |text: &str| never(instance.string_to_path(text));
        let named = |user: &str| match user.rsplit_once('/') {
            Some((_, role)) if self.is_persistent => format!("/devices/inputanim/{role}"),
            _ => user.to_owned(),
        };
        let users = self.users().iter().map(|user| path(&named(user)));
        let users: Vec<xr::Path> = users.collect();
        let set = never(instance.create_action_set("controls", "Controls", self.priority));
        let profile = self.registered();
        let distinguished: &[xr::Path] = if self.is_shared { &[] } else { &users };
        let component = |name: &&str| profile.component(name).expect("the profile has the input");
        let actions: Vec<Action> = self
            .inputs
            .iter()
            .map(|name| {
                let title = name.replace('/', "_");
                match component(name).kind {
                    ComponentKind::Boolean => {
                        Action::Boolean(never(set.create_action(&title, &title, distinguished)))
                    }
                    _ => Action::Float(never(set.create_action(&title, &title, distinguished))),
                }
            })
            .collect();
        let mut bindings = Vec::new();
        for (action, name) in actions.iter().zip(self.inputs) {
            let component = component(name);
            let users = self.users().iter();
            for user in users.filter(|user| component.is_of(user)) {
                let path = path(&(named(user) + &component.path()));
                bindings.push(match action {
                    Action::Boolean(action) => xr::Binding::new(action, path),
                    Action::Float(action) => xr::Binding::new(action, path),
                });
            }
        }
        let poses: Vec<xr::Action<xr::Posef>> = self
            .poses()
            .map(|component| {
                let name = component.name.replace('/', "_");
                never(set.create_action(&name, &name, &users))
            })
            .collect();
        for (action, component) in poses.iter().zip(self.poses()) {
            for user in self.users() {
                let path = path(&(named(user) + &component.path()));
                bindings.push(xr::Binding::new(action, path));
            }
        }
        let haptic = never(set.create_action::<xr::Haptic>("haptic", "haptic", &users));
        if let Some(component) = profile.component("haptic") {
            for user in self.users() {
                let path = path(&(named(user) + &component.path()));
                bindings.push(xr::Binding::new(&haptic, path));
            }
        }
        let profile = path(self.profile);
        never(instance.suggest_interaction_profile_bindings(profile, &bindings));
        Bound {
            controls: self,
            set,
            actions,
            poses,
            haptic,
            users,
            spaces: Vec::new(),
            base: None,
        }
    }
}

impl Bound {
    /// Attaches the actions, and makes their spaces.
    pub(crate) fn attach(&mut self, session: &xr::Session<xr::Headless>) {
        never(session.attach_action_sets(&[&self.set]));
        self.base = Some(never(session.create_reference_space(
            xr::ReferenceSpaceType::STAGE,
            xr::Posef::IDENTITY,
        )));
        for user in &self.users {
            let space = |pose: &xr::Action<xr::Posef>| {
                never(pose.create_space(session, *user, xr::Posef::IDENTITY))
            };
            self.spaces.push(self.poses.iter().map(space).collect());
        }
    }

    /// Returns the values after a synchronisation, without poses.
    pub(crate) fn log(&self, instance: &xr::Instance, session: &xr::Session<xr::Headless>) -> Log {
        let mut log = Log::default();
        for user in self.users.iter().copied() {
            let profile = never(session.current_interaction_profile(user));
            let has_profile = profile != xr::Path::NULL;
            log.profiles
                .push(has_profile.then(|| never(instance.path_to_string(profile))));
            let user = if self.controls.is_shared {
                xr::Path::NULL
            } else {
                user
            };
            let mut values = Vec::new();
            for action in &self.actions {
                let (value, is_active) = match action {
                    Action::Boolean(action) => {
                        let state = never(action.state(session, user));
                        (f32::from(u8::from(state.current_state)), state.is_active)
                    }
                    Action::Float(action) => {
                        let state = never(action.state(session, user));
                        (state.current_state, state.is_active)
                    }
                };
                values.push(is_active.then_some(value));
            }
            log.values.push(values);
        }
        log
    }

    /// Adds the poses at a display time.
    pub(crate) fn locate(&self, log: &mut Log, time: xr::Time) {
        let Some(base) = &self.base else { return };
        let locate = |space: &xr::Space| {
            let location = never(space.locate(base, time));
            let valid =
                xr::SpaceLocationFlags::POSITION_VALID | xr::SpaceLocationFlags::ORIENTATION_VALID;
            let xr::Posef {
                position: p,
                orientation: q,
            } = location.pose;
            let is_valid = location.location_flags.contains(valid);
            is_valid.then_some([p.x, p.y, p.z, q.x, q.y, q.z, q.w])
        };
        let users = self.spaces.iter();
        log.poses = users
            .map(|spaces| spaces.iter().map(locate).collect())
            .collect();
    }

    /// Vibrates in the frame `frame`, and stops in the next one.
    pub(crate) fn vibrate(&self, session: &xr::Session<xr::Headless>, frame: usize) {
        let Some(first) = self.controls.vibrates else {
            return;
        };
        let vibration = xr::HapticVibration::new()
            .amplitude(0.5)
            .frequency(160.0)
            .duration(xr::Duration::from_nanos(250_000_000));
        if frame == first {
            never(
                self.haptic
                    .apply_feedback(session, self.users[1], &vibration),
            );
            let shortest = xr::HapticVibration::new()
                .amplitude(1.0)
                .frequency(xr::FREQUENCY_UNSPECIFIED)
                .duration(xr::Duration::MIN_HAPTIC);
            never(
                self.haptic
                    .apply_feedback(session, xr::Path::NULL, &shortest),
            );
        } else if frame == first + 1 {
            never(self.haptic.stop_feedback(session, self.users[1]));
        }
    }
}
