//! Actions, bindings, action states, haptics and sources.

use inputanim_openxr::{Clock, Profile};
use openxr::sys::Handle;
use openxr::{self as xr, sys};

use super::{
    App, HANDS, INVALID, LEFT, NO_HANDLE, OK, RIGHT, SIMPLE, TOUCH, code, extensions, list, moving,
    new_action, of, raw, sample, text, write,
};
use crate::alone;

const NOT_ATTACHED: sys::Result = sys::Result::ERROR_ACTIONSET_NOT_ATTACHED;
const ALREADY_ATTACHED: sys::Result = sys::Result::ERROR_ACTIONSETS_ALREADY_ATTACHED;
const MISMATCH: sys::Result = sys::Result::ERROR_ACTION_TYPE_MISMATCH;
const UNSUPPORTED: sys::Result = sys::Result::ERROR_PATH_UNSUPPORTED;
const UNKNOWN: sys::Result = sys::Result::ERROR_PATH_INVALID;

impl App {
    /// Returns the codes of all functions for the state of an action: boolean, float, vector and pose.
    fn state_codes(&self, action: sys::Action, subaction_path: xr::Path) -> [sys::Result; 4] {
        let info = of!(ActionStateGetInfo {
            action: action,
            subaction_path: subaction_path
        });
        let info = &raw const info;
        let session = self.session.as_raw();
        let open = &self.instance;
        let (mut boolean, mut float) = (of!(ActionStateBoolean), of!(ActionStateFloat));
        let (mut vector, mut pose) = (of!(ActionStateVector2f), of!(ActionStatePose));
        [
            raw!(
                open,
                get_action_state_boolean(session, info, &raw mut boolean)
            ),
            raw!(open, get_action_state_float(session, info, &raw mut float)),
            raw!(
                open,
                get_action_state_vector2f(session, info, &raw mut vector)
            ),
            raw!(open, get_action_state_pose(session, info, &raw mut pose)),
        ]
    }

    fn profile(&self, user: xr::Path) -> xr::Result<xr::Path> {
        self.session.current_interaction_profile(user)
    }
}

#[test]
fn names_of_actions_and_sets_are_valid_and_unique() {
    use sys::Result as Code;
    let _alone = alone();
    let app = App::new(&sample("wave.bin"));
    let open = &app.instance;
    let set = app.set("first", 0);
    let make_set = |name: &str, title: &str| {
        let mut info = of!(ActionSetCreateInfo);
        write(name, &mut info.action_set_name);
        write(title, &mut info.localized_action_set_name);
        let mut made = sys::ActionSet::NULL;
        raw!(
            open,
            create_action_set(open.as_raw(), &raw const info, &raw mut made)
        )
    };
    let make_action = |name: &str, title: &str| {
        let mut info = of!(ActionCreateInfo {
            action_type: xr::ActionType::BOOLEAN_INPUT
        });
        write(name, &mut info.action_name);
        write(title, &mut info.localized_action_name);
        let mut made = sys::Action::NULL;
        raw!(
            open,
            create_action(set.as_raw(), &raw const info, &raw mut made)
        )
    };
    assert_eq!(make_action("first", "first"), OK);
    let long = "a".repeat(128);
    for (name, title, wanted) in [
        ("", "Title", Code::ERROR_NAME_INVALID),
        (&long[..64], "Title", Code::ERROR_NAME_INVALID),
        ("name", "", Code::ERROR_LOCALIZED_NAME_INVALID),
        ("name", &long, Code::ERROR_LOCALIZED_NAME_INVALID),
        ("Name", "Title", Code::ERROR_PATH_FORMAT_INVALID),
        ("a/b", "Title", Code::ERROR_PATH_FORMAT_INVALID),
        ("..", "Title", Code::ERROR_PATH_FORMAT_INVALID),
        ("first", "Title", Code::ERROR_NAME_DUPLICATED),
        ("name", "first", Code::ERROR_LOCALIZED_NAME_DUPLICATED),
        (&long[..63], "Ein Titel: ä", OK),
    ] {
        assert_eq!(make_set(name, title), wanted, "{name} {title}");
        assert_eq!(make_action(name, title), wanted, "{name} {title}");
    }
    // Names become free ("Action Sets").
    drop(set);
    let set = app.set("first", 0);
    let action = new_action::<bool>(&set, "one", &[]);
    drop(action);
    let action = new_action::<f32>(&set, "one", &[]);
    let (set_handle, handle) = (set.as_raw(), action.as_raw());
    assert_eq!(raw!(open, destroy_action_set(set_handle)), OK);
    // A set takes its actions with it.
    assert_eq!(raw!(open, destroy_action(handle)), NO_HANDLE);
    assert_eq!(raw!(open, destroy_action_set(set_handle)), NO_HANDLE);
}

#[test]
fn an_action_has_a_type_and_different_users() {
    let _alone = alone();
    let mut without_eyes = extensions();
    without_eyes.ext_eye_gaze_interaction = false;
    for extensions in [extensions(), without_eyes] {
        let has_eyes = extensions.ext_eye_gaze_interaction;
        let app = App::with(&sample("wave.bin"), 0, &extensions);
        let set = app.set("set", 0);
        let make = |users: &[xr::Path]| code(set.create_action::<bool>("a", "A", users));
        let path = |text: &str| app.path(text);
        let [left, right] = [path(LEFT), path(RIGHT)];
        for (users, wanted) in [
            (
                vec![left, right, path("/user/gamepad"), path("/user/head")],
                OK,
            ),
            (vec![left, left], UNSUPPORTED),
            (vec![path("/user/foot/left")], UNSUPPORTED),
            (vec![path("/user/hand/left/input")], UNSUPPORTED),
            (
                vec![path("/user/eyes_ext")],
                if has_eyes { OK } else { UNSUPPORTED },
            ),
            (vec![xr::Path::NULL], UNKNOWN),
            (vec![xr::Path::from_raw(999)], UNKNOWN),
        ] {
            assert_eq!(make(&users), wanted);
        }
        for kind in [0, 5, 99] {
            let mut info = of!(ActionCreateInfo {
                action_type: xr::ActionType::from_raw(kind)
            });
            write("b", &mut info.action_name);
            write("B", &mut info.localized_action_name);
            let mut made = sys::Action::NULL;
            let create = app.instance.fp().create_action;
            // SAFETY: the pointers are valid.
            let result = unsafe { create(set.as_raw(), &raw const info, &raw mut made) };
            assert_eq!(result, INVALID);
        }
    }
}

/// Returns `true` if a binding is offered by OpenXR 1.x, with or without extensions.
type Offer = fn(u16, bool) -> bool;

#[test]
fn bindings_need_the_version_and_the_extensions_of_their_paths() {
    let _alone = alone();
    let mut headless = xr::ExtensionSet::default();
    headless.mnd_headless = true;
    let ml2 = "/interaction_profiles/ml/ml2_controller";
    let index = "/interaction_profiles/valve/index_controller";
    let eyes = "/interaction_profiles/ext/eye_gaze_interaction";
    let always: Offer = |_, _| true;
    let newer: Offer = |minor, _| minor == 1;
    let extended: Offer = |_, is_extended| is_extended;
    let never: Offer = |_, _| false;
    let bindings = [
        (SIMPLE, "/user/hand/left/input/select/click", always),
        (SIMPLE, "/user/hand/left/input/trigger/value", never),
        (SIMPLE, "/user/head/input/select/click", never),
        (SIMPLE, "/user/hand/left", never),
        (TOUCH, "/user/hand/left/input/x/click", always),
        (TOUCH, "/user/hand/right/input/x/click", never),
        (TOUCH, "/user/hand/left/input/trigger/proximity", newer),
        (
            TOUCH,
            "/user/hand/left/input/thumb_resting_surfaces/proximity",
            newer,
        ),
        (TOUCH, "/user/hand/left/input/grip_surface/pose", newer),
        (TOUCH, "/user/hand/left/input/palm_ext/pose", extended),
        (TOUCH, "/user/hand/left/input/pinch_ext/pose", extended),
        (TOUCH, "/user/hand/left/input/thumbstick/dpad_up", never),
        (index, "/user/hand/left/input/poke_ext/pose", extended),
        (index, "/user/hand/left/input/grip_surface/pose", newer),
        (index, "/user/hand/left/input/thumbstick/dpad_up", never),
        (ml2, "/user/hand/left/input/trigger/value", newer),
        (HANDS, "/user/hand/left/input/pinch_ext/value", extended),
        (eyes, "/user/eyes_ext/input/gaze_ext/pose", extended),
        (
            "/interaction_profiles/nobody/nothing",
            "/user/hand/left/input/a/click",
            never,
        ),
    ];
    for (minor, is_extended) in [(0, false), (0, true), (1, false), (1, true)] {
        let all = if is_extended {
            extensions()
        } else {
            headless.clone()
        };
        let app = App::with(&sample("wave.bin"), minor, &all);
        let set = app.set("set", 0);
        let action = new_action::<bool>(&set, "a", &[]);
        for (profile, path, is_offered) in bindings {
            let wanted = if is_offered(minor, is_extended) {
                OK
            } else {
                UNSUPPORTED
            };
            let found = app.suggest(profile, &[(action.as_raw(), path)]);
            assert_eq!(found, wanted, "1.{minor} {is_extended} {profile} {path}");
        }
    }
}

#[test]
fn every_path_of_the_registry_is_accepted_and_no_other() {
    let _alone = alone();
    let mut headless = xr::ExtensionSet::default();
    headless.mnd_headless = true;
    for (minor, is_extended) in [(0, false), (0, true), (1, false), (1, true)] {
        let all = match is_extended {
            true => extensions(),
            false => headless.clone(),
        };
        let names = all.names();
        let text = |name: &&[u8]| {
            std::str::from_utf8(name).map(|name| name.trim_end_matches('\0').to_owned())
        };
        let names: Vec<String> = names.iter().filter_map(|name| text(name).ok()).collect();
        let has = |name: &str| match name {
            "XR_VERSION_1_0" => true,
            "XR_VERSION_1_1" => minor > 0,
            name => names.iter().any(|other| other == name),
        };
        let app = App::with(&sample("wave.bin"), minor, &all);
        let set = app.set("set", 0);
        let action = new_action::<bool>(&set, "a", &[]);
        let suggest = |profile: &str, path: &str| app.suggest(profile, &[(action.as_raw(), path)]);
        let mut users: Vec<&str> = Profile::all()
            .iter()
            .flat_map(|one| one.users.clone())
            .collect();
        users.sort_unstable();
        users.dedup();
        let mut accepted = 0;
        for profile in Profile::all() {
            let has_profile = profile.is_enabled(has);
            for component in &profile.components {
                let has_component = has_profile && component.is_enabled(has);
                for user in &users {
                    let is_there = has_component && component.is_of(user);
                    let wanted = if is_there { OK } else { UNSUPPORTED };
                    let path = format!("{user}{}", component.path());
                    let found = suggest(&profile.name, &path);
                    assert_eq!(
                        found, wanted,
                        "1.{minor} {is_extended} {} {path}",
                        profile.name
                    );
                    accepted += u32::from(is_there);
                }
            }
            for typo in [
                "input/nonsense/click",
                "input/trigger/clicks",
                "input",
                "output/trigger/value",
                "input/haptic",
            ] {
                let path = format!("{}/{typo}", profile.users[0]);
                assert_eq!(
                    suggest(&profile.name, &path),
                    UNSUPPORTED,
                    "{} {path}",
                    profile.name
                );
            }
        }
        assert!(accepted > 150, "{accepted}");
    }
}

#[test]
fn suggestions_and_attachments_have_their_codes() {
    let _alone = alone();
    let app = App::new(&sample("wave.bin"));
    let (set, other) = (app.set("set", 0), app.set("other", 0));
    let make = |set: &xr::ActionSet, name| new_action::<bool>(set, name, &[]);
    let (action, second) = (make(&set, "a"), make(&other, "b"));
    let click = "/user/hand/left/input/select/click";
    assert_eq!(app.suggest(SIMPLE, &[]), INVALID);
    assert_eq!(
        app.suggest(SIMPLE, &[(sys::Action::NULL, click)]),
        NO_HANDLE
    );
    // The last suggestion replaces the others, and may have duplicates ("Suggested Bindings").
    let binding = (action.as_raw(), click);
    assert_eq!(app.suggest(SIMPLE, &[binding, binding, binding]), OK);
    assert_eq!(
        app.suggest(SIMPLE, &[binding, (second.as_raw(), click)]),
        OK
    );

    let user = app.path(LEFT);
    let all = xr::InputSourceLocalizedNameFlags::USER_PATH;
    assert_eq!(app.profile(user).err(), Some(NOT_ATTACHED));
    assert_eq!(action.bound_sources(&app.session).err(), Some(NOT_ATTACHED));
    let name = app
        .session
        .input_source_localized_name(app.path(click), all);
    assert_eq!(name.err(), Some(NOT_ATTACHED));
    assert_eq!(
        app.state_codes(action.as_raw(), xr::Path::NULL)[0],
        NOT_ATTACHED
    );
    assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), NOT_ATTACHED);

    assert_eq!(code(app.session.attach_action_sets(&[])), INVALID);
    app.attach(&[&set]);
    for again in [&set, &other] {
        assert_eq!(
            code(app.session.attach_action_sets(&[again])),
            ALREADY_ATTACHED
        );
    }
    assert_eq!(
        code(set.create_action::<bool>("c", "C", &[])),
        ALREADY_ATTACHED
    );
    assert_eq!(app.suggest(SIMPLE, &[binding]), ALREADY_ATTACHED);
    assert_eq!(app.sync(&[(&other, xr::Path::NULL)]), NOT_ATTACHED);
    assert_eq!(
        app.state_codes(second.as_raw(), xr::Path::NULL)[0],
        NOT_ATTACHED
    );
}

#[test]
fn the_interaction_profile_is_known_after_the_first_synchronisation() {
    let _alone = alone();
    let mut app = App::new(&sample("wave.bin"));
    let set = app.set("set", 0);
    let action = new_action::<bool>(&set, "a", &[]);
    let binding = |path| (action.as_raw(), path);
    // The hand interaction is preferred, but only the right hand has a binding for it.
    let both = [
        "/user/hand/left/input/select/click",
        "/user/hand/right/input/select/click",
    ];
    assert_eq!(app.suggest(SIMPLE, &both.map(binding)), OK);
    assert_eq!(
        app.suggest(HANDS, &[binding("/user/hand/right/input/pinch_ext/value")]),
        OK
    );
    app.attach(&[&set]);
    app.begin();
    let [left, right] = [app.path(LEFT), app.path(RIGHT)];
    // The profile changes only when actions are synchronised ("Suggested Bindings").
    assert_eq!(
        [app.profile(left), app.profile(right)],
        [Ok(xr::Path::NULL); 2]
    );
    assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
    assert_eq!(app.profile(left), Ok(app.path(SIMPLE)));
    assert_eq!(app.profile(right), Ok(app.path(HANDS)));
    assert_eq!(app.profile(app.path("/user/gamepad")), Ok(xr::Path::NULL));
    for (path, wanted) in [
        (app.path("/user/hand/left/input"), UNSUPPORTED),
        (app.path(SIMPLE), UNSUPPORTED),
        (xr::Path::NULL, UNKNOWN),
        (xr::Path::from_raw(9999), UNKNOWN),
    ] {
        assert_eq!(app.profile(path).err(), Some(wanted));
    }
}

#[test]
fn the_state_of_an_action_needs_its_type_and_its_users() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let set = app.set("set", 0);
    let [left, right] = [app.path(LEFT), app.path(RIGHT)];
    let button = new_action::<bool>(&set, "button", &[left]);
    let number = new_action::<f32>(&set, "number", &[left, right]);
    let stick = new_action::<xr::Vector2f>(&set, "stick", &[]);
    let fake = new_action::<xr::Vector2f>(&set, "fake", &[]);
    let pose = new_action::<xr::Posef>(&set, "pose", &[]);
    let bindings = [
        (button.as_raw(), "/user/hand/left/input/trigger/touch"),
        (number.as_raw(), "/user/hand/left/input/trigger/touch"),
        (number.as_raw(), "/user/hand/right/input/trigger/touch"),
        (stick.as_raw(), "/user/hand/left/input/thumbstick"),
        // A number is no vector, so the action has no input ("Suggested Bindings").
        (fake.as_raw(), "/user/hand/left/input/trigger/value"),
        (pose.as_raw(), "/user/hand/left/input/grip/pose"),
    ];
    assert_eq!(app.suggest(TOUCH, &bindings), OK);
    app.attach(&[&set]);
    app.begin();
    app.frame();
    assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
    let handles = [
        button.as_raw(),
        number.as_raw(),
        stick.as_raw(),
        pose.as_raw(),
    ];
    for (index, handle) in handles.into_iter().enumerate() {
        let wanted = std::array::from_fn(|other| if other == index { OK } else { MISMATCH });
        assert_eq!(app.state_codes(handle, xr::Path::NULL), wanted);
    }
    for (path, wanted) in [
        (right, UNSUPPORTED),
        (app.path(SIMPLE), UNSUPPORTED),
        (xr::Path::from_raw(9999), UNKNOWN),
    ] {
        assert_eq!(app.state_codes(button.as_raw(), path)[0], wanted);
    }
    assert_eq!(app.state_codes(sys::Action::NULL, left), [NO_HANDLE; 4]);

    let touched = app.state(&button, left);
    assert!(touched.is_active && touched.current_state);
    let zero = xr::Vector2f::default();
    let state = app.state(&stick, xr::Path::NULL);
    assert_eq!((state.is_active, state.current_state), (true, zero));
    let state = app.state(&fake, xr::Path::NULL);
    assert_eq!((state.is_active, state.current_state), (false, zero));
    assert_eq!(pose.is_active(&app.session, xr::Path::NULL), Ok(true));
    // The recording has no right hand. States of inactive actions are zero ("Reading Input Action State").
    let state = app.state(&number, right);
    assert_eq!((state.is_active, state.current_state), (false, 0.0));
    assert_eq!(
        (
            state.changed_since_last_sync,
            state.last_change_time.as_nanos()
        ),
        (false, 0)
    );
    // Actions of a set that is not active in the last synchronisation, and without the input, are inactive.
    assert_eq!(app.sync(&[]), OK);
    let is_active = || app.state(&button, left).is_active;
    assert!(!is_active());
    assert_eq!(app.sync(&[(&set, right)]), OK);
    assert!(!is_active());
    assert_eq!(app.sync(&[(&set, left)]), OK);
    assert!(is_active());
    assert_eq!(app.sync(&[(&set, app.path("/user/head"))]), UNSUPPORTED);
    app.session.request_exit().expect("the session runs");
    assert_eq!(app.sync(&[(&set, left)]), sys::Result::SESSION_NOT_FOCUSED);
    assert!(!is_active());
}

#[test]
fn a_state_has_the_time_of_its_last_change() {
    let _alone = alone();
    let mut settings = sample("pinch-drag.bin");
    settings.clock = Clock::Keys;
    let mut app = App::new(&settings);
    let set = app.set("set", 0);
    let users = [app.path(LEFT), app.path(RIGHT)];
    let pinch = new_action::<bool>(&set, "pinch", &users);
    let bindings = [LEFT, RIGHT].map(|user| user.to_owned() + "/input/pinch_ext/value");
    let bindings = bindings.each_ref().map(|path| (pinch.as_raw(), &**path));
    assert_eq!(app.suggest(HANDS, &bindings), OK);
    app.attach(&[&set]);
    app.begin();
    app.frame();
    let mut before: [Option<(bool, i64)>; 2] = [None; 2];
    let mut changes = 0;
    for _ in 0..1000 {
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
        let time = app.frame().as_nanos();
        for (user, before) in users.into_iter().zip(&mut before) {
            let state = app.state(&pinch, user);
            if !state.is_active {
                continue;
            }
            let has_changed = before.is_some_and(|(value, _)| value != state.current_state);
            assert_eq!(state.changed_since_last_sync, has_changed);
            let changed_at = state.last_change_time.as_nanos();
            match *before {
                Some((_, last)) if !has_changed => assert_eq!(changed_at, last),
                _ => assert_eq!(changed_at, time),
            }
            changes += u32::from(has_changed);
            *before = Some((state.current_state, changed_at));
        }
    }
    assert!(changes >= 2, "{changes}");
}

#[test]
fn an_input_belongs_to_the_active_set_with_the_highest_priority() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let sets = [("low", 1), ("high", 2), ("equal", 2)];
    let [low, high, equal] = sets.map(|(name, priority)| app.set(name, priority));
    let left = app.path(LEFT);
    // All components of an input share its priority ("Action Sets").
    let inputs = [
        (&low, "one", "/user/hand/left/input/trigger/value"),
        (&high, "two", "/user/hand/left/input/trigger/touch"),
        (&equal, "three", "/user/hand/left/input/trigger/value"),
        (&low, "other", "/user/hand/left/input/squeeze/value"),
    ];
    let actions = inputs.map(|(set, name, _)| new_action::<f32>(set, name, &[left]));
    let bindings: Vec<_> = actions
        .iter()
        .zip(inputs)
        .map(|(action, (_, _, path))| (action.as_raw(), path))
        .collect();
    assert_eq!(app.suggest(TOUCH, &bindings), OK);
    app.attach(&[&low, &high, &equal]);
    app.begin();
    app.frame();
    let all = xr::Path::NULL;
    for (sets, wanted) in [
        (
            vec![(&low, all), (&high, all), (&equal, all)],
            [false, true, true, true],
        ),
        (
            vec![(&high, left), (&low, left)],
            [false, true, false, true],
        ),
        (vec![(&low, all)], [true, false, false, true]),
        (vec![(&equal, all)], [false, false, true, false]),
    ] {
        assert_eq!(app.sync(&sets), OK);
        let found = actions
            .each_ref()
            .map(|action| app.state(action, all).is_active);
        assert_eq!(found, wanted);
    }
}

#[test]
fn vibrations_are_accepted_for_their_actions_only() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let set = app.set("set", 0);
    let [left, right] = [app.path(LEFT), app.path(RIGHT)];
    let buzz = new_action::<xr::Haptic>(&set, "buzz", &[left]);
    let button = new_action::<bool>(&set, "button", &[left]);
    assert_eq!(
        app.suggest(TOUCH, &[(buzz.as_raw(), "/user/hand/left/output/haptic")]),
        OK
    );
    let vibration = of!(HapticVibration { amplitude: 1.0 });
    let codes = |action, path, vibration: *const sys::HapticVibration| {
        let info = of!(HapticActionInfo {
            action: action,
            subaction_path: path
        });
        let (open, session) = (&app.instance, app.session.as_raw());
        [
            raw!(
                open,
                apply_haptic_feedback(session, &raw const info, vibration.cast())
            ),
            raw!(open, stop_haptic_feedback(session, &raw const info)),
        ]
    };
    let of_action = |action, path| codes(action, path, &raw const vibration);
    assert_eq!(of_action(buzz.as_raw(), left), [NOT_ATTACHED; 2]);
    app.session
        .attach_action_sets(&[&set])
        .expect("the first attachment");
    assert_eq!(
        of_action(buzz.as_raw(), left),
        [sys::Result::SESSION_NOT_FOCUSED; 2]
    );
    let stereo = xr::ViewConfigurationType::PRIMARY_STEREO;
    assert_eq!(app.session.begin(stereo), Ok(OK));
    assert_eq!(app.states().last(), Some(&xr::SessionState::FOCUSED));
    assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
    for (action, path, wanted) in [
        (buzz.as_raw(), left, OK),
        (buzz.as_raw(), xr::Path::NULL, OK),
        (buzz.as_raw(), right, UNSUPPORTED),
        (buzz.as_raw(), xr::Path::from_raw(9999), UNKNOWN),
        (button.as_raw(), left, MISMATCH),
        (sys::Action::NULL, left, NO_HANDLE),
    ] {
        assert_eq!(of_action(action, path), [wanted; 2]);
    }
    assert_eq!(codes(buzz.as_raw(), left, std::ptr::null())[0], INVALID);
    let wrong = sys::HapticVibration {
        ty: sys::SystemGetInfo::TYPE,
        ..vibration
    };
    assert_eq!(codes(buzz.as_raw(), left, &raw const wrong)[0], INVALID);
    let mut pose = of!(ActionStatePose);
    let info = of!(ActionStateGetInfo {
        action: buzz.as_raw()
    });
    let session = app.session.as_raw();
    let result = raw!(
        app.instance,
        get_action_state_pose(session, &raw const info, &raw mut pose)
    );
    assert_eq!(result, MISMATCH);
    app.frame();
}

#[test]
fn the_sources_of_an_action_have_names() {
    let _alone = alone();
    let app = App::new(&sample("two-hands.bin"));
    let set = app.set("set", 0);
    let action = new_action::<bool>(&set, "a", &[]);
    let free = new_action::<bool>(&set, "b", &[]);
    let paths = [
        "/user/hand/left/input/trigger/value",
        "/user/hand/right/input/a/click",
    ];
    assert_eq!(
        app.suggest(TOUCH, &paths.map(|path| (action.as_raw(), path))),
        OK
    );
    app.attach(&[&set]);
    let session = app.session.as_raw();
    let info = of!(BoundSourcesForActionEnumerateInfo {
        action: action.as_raw()
    });
    let mut found = list(xr::Path::NULL, |capacity, count, all| {
        raw!(
            app.instance,
            enumerate_bound_sources_for_action(session, &raw const info, capacity, count, all)
        )
    });
    found.sort_by_key(|path| path.into_raw());
    assert_eq!(found, paths.map(|path| app.path(path)));
    assert_eq!(free.bound_sources(&app.session), Ok(Vec::new()));

    use xr::InputSourceLocalizedNameFlags as Parts;
    let name = |path, parts| app.session.input_source_localized_name(path, parts);
    let trigger = found[0];
    for (parts, wanted) in [
        (Parts::USER_PATH, "Left hand"),
        (Parts::INTERACTION_PROFILE, "touch controller"),
        (Parts::COMPONENT, "trigger value"),
        (
            Parts::USER_PATH | Parts::COMPONENT,
            "Left hand trigger value",
        ),
    ] {
        assert_eq!(name(trigger, parts).as_deref(), Ok(wanted));
    }
    for (path, parts, wanted) in [
        (trigger, Parts::EMPTY, INVALID),
        (trigger, Parts::from_raw(8), INVALID),
        (app.path(SIMPLE), Parts::USER_PATH, UNSUPPORTED),
        (xr::Path::NULL, Parts::USER_PATH, UNKNOWN),
    ] {
        assert_eq!(name(path, parts).err(), Some(wanted));
    }
    let info = of!(InputSourceLocalizedNameGetInfo {
        source_path: trigger,
        which_components: Parts::USER_PATH,
    });
    let letters = list(0, |capacity, count, all| {
        raw!(
            app.instance,
            get_input_source_localized_name(session, &raw const info, capacity, count, all)
        )
    });
    assert_eq!(text(&letters), "Left hand");
}
