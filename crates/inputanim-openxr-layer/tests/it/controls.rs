//! The actions of an application for the inputs of one interaction profile, and the values that it gets.

use inputanim_openxr::{ComponentKind, Profile};
use openxr as xr;

use crate::client::never;

/// The users of controllers.
pub(crate) const HANDS: [&str; 2] = ["/user/hand/left", "/user/hand/right"];

/// The bindings of an application.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Controls {
    pub(crate) profile: &'static str,
    /// The inputs, each for an action of its own kind: `trigger/value`.
    pub(crate) inputs: &'static [&'static str],
    /// The priority of the action set.
    pub(crate) priority: u32,
    /// One action is bound to all inputs that are on or off, and does not distinguish hands.
    pub(crate) is_shared: bool,
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
            late: 0,
            vibrates: None,
        }
    }
}

/// The values that an application gets after a synchronisation.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Log {
    /// The profiles of the hands.
    pub(crate) profiles: [Option<String>; 2],
    /// For each hand, the value of each input; `None` while the action is not active.
    pub(crate) values: [Vec<Option<f32>>; 2],
    /// For each hand, the grip and the aim: position and rotation.
    pub(crate) poses: [[Option<[f32; 7]>; 2]; 2],
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
    poses: [xr::Action<xr::Posef>; 2],
    haptic: xr::Action<xr::Haptic>,
    hands: [xr::Path; 2],
    /// The spaces of the grip and the aim of each hand.
    spaces: Vec<xr::Space>,
    base: Option<xr::Space>,
}

impl Controls {
    /// Makes the actions, and suggests their bindings.
    pub(crate) fn bind(self, instance: &xr::Instance) -> Bound {
        let path = |text: &str| never(instance.string_to_path(text));
        let hands = HANDS.map(path);
        let set = never(instance.create_action_set("controls", "Controls", self.priority));
        let profile = Profile::find(self.profile).expect("the registry has the profile");
        let users: &[xr::Path] = if self.is_shared { &[] } else { &hands };
        let component = |name: &&str| profile.component(name).expect("the profile has the input");
        let actions: Vec<Action> = self
            .inputs
            .iter()
            .map(|name| {
                let title = name.replace('/', "_");
                match component(name).kind {
                    ComponentKind::Boolean => {
                        Action::Boolean(never(set.create_action(&title, &title, users)))
                    }
                    _ => Action::Float(never(set.create_action(&title, &title, users))),
                }
            })
            .collect();
        let mut bindings = Vec::new();
        for (action, name) in actions.iter().zip(self.inputs) {
            let component = component(name);
            for hand in HANDS.into_iter().filter(|hand| component.is_of(hand)) {
                let path = path(&format!("{hand}{}", component.path()));
                bindings.push(match action {
                    Action::Boolean(action) => xr::Binding::new(action, path),
                    Action::Float(action) => xr::Binding::new(action, path),
                });
            }
        }
        let pose = |name: &str| never(set.create_action::<xr::Posef>(name, name, &hands));
        let poses = [pose("grip"), pose("aim")];
        let haptic = never(set.create_action::<xr::Haptic>("haptic", "haptic", &hands));
        for hand in HANDS {
            for (action, name) in poses.iter().zip(["grip", "aim"]) {
                let path = path(&format!("{hand}/input/{name}/pose"));
                bindings.push(xr::Binding::new(action, path));
            }
            if profile.component("haptic").is_some() {
                bindings.push(xr::Binding::new(
                    &haptic,
                    path(&format!("{hand}/output/haptic")),
                ));
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
            hands,
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
        for hand in self.hands {
            for pose in &self.poses {
                let space = pose.create_space(session, hand, xr::Posef::IDENTITY);
                self.spaces.push(never(space));
            }
        }
    }

    /// Returns the values after a synchronisation, without poses.
    pub(crate) fn log(&self, instance: &xr::Instance, session: &xr::Session<xr::Headless>) -> Log {
        let mut log = Log::default();
        for (index, hand) in self.hands.into_iter().enumerate() {
            let profile = never(session.current_interaction_profile(hand));
            log.profiles[index] =
                (profile != xr::Path::NULL).then(|| never(instance.path_to_string(profile)));
            let user = if self.controls.is_shared {
                xr::Path::NULL
            } else {
                hand
            };
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
                log.values[index].push(is_active.then_some(value));
            }
        }
        log
    }

    /// Adds the poses at a display time.
    pub(crate) fn locate(&self, log: &mut Log, time: xr::Time) {
        let Some(base) = &self.base else { return };
        for (number, space) in self.spaces.iter().enumerate() {
            let location = never(space.locate(base, time));
            let valid =
                xr::SpaceLocationFlags::POSITION_VALID | xr::SpaceLocationFlags::ORIENTATION_VALID;
            let xr::Posef {
                position: p,
                orientation: q,
            } = location.pose;
            log.poses[number / 2][number % 2] = location
                .location_flags
                .contains(valid)
                .then_some([p.x, p.y, p.z, q.x, q.y, q.z, q.w]);
        }
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
                    .apply_feedback(session, self.hands[1], &vibration),
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
            never(self.haptic.stop_feedback(session, self.hands[1]));
        }
    }
}
