//! Poses of hands, hand tracking and the gaze.

use inputanim::Joint;
use inputanim_openxr::{Hand, Player, joint_radius};
use openxr::sys::Handle;
use openxr::{self as xr, sys};

use super::{
    App, HANDS, INVALID, LEFT, NO_HANDLE, OK, RIGHT, SPEED, code, extensions, locate, moving, near,
    new_action, of, raw, same, sample,
};
use crate::alone;

type Select = fn(&Hand) -> Option<inputanim::Pose>;

/// The poses of a hand: their inputs, and their values in a recording.
const POSES: [(&str, Select); 6] = [
    ("/input/grip/pose", Hand::grip),
    ("/input/aim/pose", Hand::aim),
    ("/input/palm_ext/pose", Hand::grip_surface),
    ("/input/grip_surface/pose", Hand::grip_surface),
    ("/input/pinch_ext/pose", Hand::pinch),
    ("/input/poke_ext/pose", Hand::poke),
];

/// Attaches an action for a pose of both hands.
fn pose_action(app: &App, component: &str) -> (xr::ActionSet, xr::Action<xr::Posef>) {
    let set = app
        .instance
        .create_action_set("set", "Set", 0)
        .expect("a set");
    let users = [LEFT, RIGHT].map(|user| app.path(user));
    let action = new_action::<xr::Posef>(&set, "pose", &users);
    let paths = [LEFT, RIGHT].map(|user| user.to_owned() + component);
    let bindings = paths.each_ref().map(|path| (action.as_raw(), &**path));
    assert_eq!(app.suggest(HANDS, &bindings), OK);
    app.attach(&[&set]);
    (set, action)
}

#[test]
fn poses_of_hands_are_those_of_the_recording() {
    let _alone = alone();
    for (component, select) in POSES {
        let settings = sample("two-hands.bin");
        let player = Player::load(settings.clone()).expect("the sample");
        let mut app = App::with(&settings, 1, &extensions());
        let (set, action) = pose_action(&app, component);
        let stage = app.stage();
        let of_user = |path| action.create_space(&app.session, path, xr::Posef::IDENTITY);
        let spaces = [LEFT, RIGHT].map(|user| of_user(app.path(user)).expect("a space"));
        let any = of_user(xr::Path::NULL).expect("a space");
        app.begin();
        // A space of an action stays when the action is destroyed ("Creating Actions").
        app.frame();
        assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
        assert_eq!(raw!(app.instance, destroy_action(action.as_raw())), OK);
        let mut located = [0; 2];
        for _ in 0..200 {
            assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
            let time = app.frame();
            let scene = player.scene_at(app.seconds(time));
            for (side, space) in spaces.iter().enumerate() {
                let found = locate(space, &stage, time);
                let wanted = select(&scene.hands[side]);
                located[side] += usize::from(wanted.is_some());
                same(&found, wanted);
            }
            // Without a subaction path, a space follows one hand, also while the other one is tracked ("Resolving a
            // single action bound to multiple inputs or outputs").
            let found = locate(&any, &stage, time);
            same(&found, select(&scene.hands[0]));
        }
        assert!(
            located.iter().all(|&count| count > 20),
            "{component} {located:?}"
        );
    }
}

#[test]
fn an_action_works_after_its_handle_was_destroyed() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let set = app
        .instance
        .create_action_set("set", "Set", 0)
        .expect("a set");
    let left = app.path(LEFT);
    let grip = new_action::<xr::Posef>(&set, "grip", &[left]);
    let space = app.action_space(&grip, left);
    let binding = (grip.as_raw(), "/user/hand/left/input/grip/pose");
    assert_eq!(app.suggest(HANDS, &[binding]), OK);
    // Destroying the handle has no other effect on the action ("Creating Actions"), also before the attachment.
    assert_eq!(raw!(app.instance, destroy_action(grip.as_raw())), OK);
    app.attach(&[&set]);
    app.begin();
    for path in [xr::Path::NULL, left] {
        assert_eq!(app.sync(&[(&set, path)]), OK);
        let time = app.frame();
        let found = locate(&space, &app.stage(), time);
        let [x, y, z] = [
            found.pose.position.x,
            found.pose.position.y,
            found.pose.position.z,
        ];
        assert!((x - SPEED * app.seconds(time)).abs() < 1e-5 && [y, z] == [1.0, -0.5]);
    }
}

#[test]
fn a_space_of_an_action_needs_a_pose_and_a_user() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let set = app
        .instance
        .create_action_set("set", "Set", 0)
        .expect("a set");
    let [left, right] = [LEFT, RIGHT].map(|user| app.path(user));
    let pose = new_action::<xr::Posef>(&set, "pose", &[left]);
    let button = new_action::<bool>(&set, "button", &[left]);
    let create = |action, path, w| {
        let mut info = of!(ActionSpaceCreateInfo {
            action: action,
            subaction_path: path
        });
        info.pose_in_action_space.orientation.w = w;
        let mut made = sys::Space::NULL;
        let session = app.session.as_raw();
        raw!(
            app.instance,
            create_action_space(session, &raw const info, &raw mut made)
        )
    };
    for (action, path, w, wanted) in [
        (pose.as_raw(), left, 1.0, OK),
        (
            pose.as_raw(),
            right,
            1.0,
            sys::Result::ERROR_PATH_UNSUPPORTED,
        ),
        (
            pose.as_raw(),
            xr::Path::from_raw(9999),
            1.0,
            sys::Result::ERROR_PATH_INVALID,
        ),
        (pose.as_raw(), left, 0.0, sys::Result::ERROR_POSE_INVALID),
        (
            button.as_raw(),
            left,
            1.0,
            sys::Result::ERROR_ACTION_TYPE_MISMATCH,
        ),
        (sys::Action::NULL, left, 1.0, NO_HANDLE),
    ] {
        assert_eq!(create(action, path, w), wanted);
    }
    // A space whose action is not attached is not located, and neither are views in it.
    let space = app.action_space(&pose, left);
    let stage = app.stage();
    app.begin();
    let time = app.frame();
    same(&locate(&space, &stage, time), None);
    same(&locate(&stage, &space, time), None);
    let stereo = xr::ViewConfigurationType::PRIMARY_STEREO;
    let (flags, _) = app
        .session
        .locate_views(stereo, time, &space)
        .expect("no call fails");
    assert_eq!(flags, xr::ViewStateFlags::EMPTY);
}

#[test]
fn joints_have_radii_and_velocities() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let (_set, action) = pose_action(&app, "/input/grip/pose");
    let right = action.create_space(&app.session, app.path(RIGHT), xr::Posef::IDENTITY);
    let right = right.expect("a space");
    let stage = app.stage();
    let trackers = [xr::Hand::LEFT, xr::Hand::RIGHT]
        .map(|hand| app.session.create_hand_tracker(hand).expect("a tracker"));
    app.begin();
    let time = (0..9).map(|_| app.frame()).last().expect("frames");
    let (joints, velocities) = stage
        .relate_hand_joints(&trackers[0], time)
        .expect("no call fails")
        .expect("the hand is active");
    let x = SPEED * app.seconds(time);
    for ((place, speed), joint) in joints.iter().zip(&velocities).zip(Joint::OPENXR) {
        assert_eq!(place.location_flags, xr::SpaceLocationFlags::from_raw(0xf));
        assert!(place.radius > 0.0);
        assert_eq!(place.radius, joint_radius(joint));
        near(place.pose, inputanim::Pose::at([x, 1.0, -0.5]));
        assert_eq!(speed.velocity_flags, xr::SpaceVelocityFlags::from_raw(3));
        let v = speed.linear_velocity;
        assert!(
            (v.x - SPEED).abs() < 1e-3 && v.y.abs() < 1e-3 && v.z.abs() < 1e-3,
            "{v:?}"
        );
        assert_eq!(speed.angular_velocity, xr::Vector3f::default());
    }
    // A hand that is not recorded, and a base that is not tracked.
    assert!(
        stage
            .locate_hand_joints(&trackers[1], time)
            .expect("no call fails")
            .is_none()
    );
    assert!(
        right
            .locate_hand_joints(&trackers[0], time)
            .expect("no call fails")
            .is_none()
    );
    assert!(
        right
            .relate_hand_joints(&trackers[0], time)
            .expect("no call fails")
            .is_none()
    );
    let zero = xr::Time::from_nanos(0);
    let result = code(stage.locate_hand_joints(&trackers[0], zero));
    assert_eq!(result, sys::Result::ERROR_TIME_INVALID);
}

#[test]
fn joints_of_an_inactive_hand_have_no_flags() {
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let [left, right] = [xr::Hand::LEFT, xr::Hand::RIGHT]
        .map(|hand| app.session.create_hand_tracker(hand).expect("a tracker"));
    let functions = app
        .instance
        .exts()
        .ext_hand_tracking
        .expect("the extension");
    let stage = app.stage();
    app.begin();
    let time = app.frame();
    let locate = |tracker: &xr::HandTracker, count: u32, velocity_count: u32| {
        // SAFETY: zero is valid for numbers.
        let mut places: [sys::HandJointLocationEXT; 26] = unsafe { std::mem::zeroed() };
        places[3].location_flags = xr::SpaceLocationFlags::from_raw(0xf);
        // SAFETY: as above.
        let mut speeds: [sys::HandJointVelocityEXT; 26] = unsafe { std::mem::zeroed() };
        speeds[3].velocity_flags = xr::SpaceVelocityFlags::from_raw(3);
        let mut velocities = of!(HandJointVelocitiesEXT {
            joint_count: velocity_count,
            joint_velocities: speeds.as_mut_ptr(),
        });
        let mut locations = of!(HandJointLocationsEXT {
            next: (&raw mut velocities).cast(),
            is_active: sys::TRUE,
            joint_count: count,
            joint_locations: places.as_mut_ptr(),
        });
        let info = of!(HandJointsLocateInfoEXT {
            base_space: stage.as_raw(),
            time: time
        });
        // SAFETY: the pointers are valid.
        let result = unsafe {
            (functions.locate_hand_joints)(tracker.as_raw(), &raw const info, &raw mut locations)
        };
        let flags = places.map(|place| place.location_flags.into_raw());
        let speeds = speeds.map(|speed| speed.velocity_flags.into_raw());
        (result, locations.is_active, flags, speeds)
    };
    let inactive = (OK, sys::FALSE, [0; 26], [0; 26]);
    assert_eq!(locate(&right, 26, 26), inactive);
    assert_eq!(locate(&left, 26, 26), (OK, sys::TRUE, [0xf; 26], [3; 26]));
    for (count, velocity_count) in [(25, 26), (26, 25), (0, 26)] {
        assert_eq!(locate(&left, count, velocity_count).0, INVALID);
    }
    // The session loses the input.
    app.session.request_exit().expect("the session runs");
    assert_eq!(locate(&left, 26, 26), inactive);
}

#[test]
fn a_tracker_uses_the_sources_that_the_application_accepts() {
    use xr::HandTrackingDataSourceEXT as Source;
    let _alone = alone();
    let mut app = App::new(&moving(0.5));
    let functions = app
        .instance
        .exts()
        .ext_hand_tracking
        .expect("the extension");
    let (session, stage) = (app.session.as_raw(), app.stage());
    let create = |sources: &mut [Source]| {
        let sources = of!(HandTrackingDataSourceInfoEXT {
            requested_data_source_count: sources.len() as u32,
            requested_data_sources: sources.as_mut_ptr(),
        });
        let info = of!(HandTrackerCreateInfoEXT {
            next: (&raw const sources).cast(),
            hand: xr::Hand::LEFT,
            hand_joint_set: sys::HandJointSetEXT::DEFAULT,
        });
        let mut made = sys::HandTrackerEXT::NULL;
        // SAFETY: the pointers are valid.
        let result =
            unsafe { (functions.create_hand_tracker)(session, &raw const info, &raw mut made) };
        (result, made)
    };
    let controller = Source::CONTROLLER;
    for mut wrong in [
        vec![],
        vec![controller, controller],
        vec![Source::from_raw(9)],
    ] {
        assert_eq!(create(&mut wrong).0, INVALID);
    }
    app.begin();
    let time = app.frame();
    let locate = |tracker| {
        // SAFETY: zero is valid for numbers.
        let mut places: [sys::HandJointLocationEXT; 26] = unsafe { std::mem::zeroed() };
        let mut source = of!(HandTrackingDataSourceStateEXT);
        let mut locations = of!(HandJointLocationsEXT {
            next: (&raw mut source).cast(),
            joint_count: 26,
            joint_locations: places.as_mut_ptr(),
        });
        let info = of!(HandJointsLocateInfoEXT {
            base_space: stage.as_raw(),
            time: time
        });
        // SAFETY: the pointers are valid.
        let result =
            unsafe { (functions.locate_hand_joints)(tracker, &raw const info, &raw mut locations) };
        (
            result,
            locations.is_active,
            source.is_active,
            source.data_source,
        )
    };
    let (yes, no) = (sys::TRUE, sys::FALSE);
    for mut sources in [
        vec![Source::UNOBSTRUCTED],
        vec![controller, Source::UNOBSTRUCTED],
    ] {
        let (result, tracker) = create(&mut sources);
        assert_eq!(result, OK);
        assert_eq!(locate(tracker), (OK, yes, yes, Source::UNOBSTRUCTED));
    }
    let (result, tracker) = create(&mut [controller]);
    assert_eq!(result, OK);
    let (result, is_active, has_source, _) = locate(tracker);
    assert_eq!((result, is_active, has_source), (OK, no, no));
    // The state of the source needs the request (XR_EXT_hand_tracking_data_source).
    let plain = app
        .session
        .create_hand_tracker(xr::Hand::LEFT)
        .expect("a tracker");
    assert_eq!(locate(plain.as_raw()).0, INVALID);
}

#[test]
fn structures_of_an_extension_that_is_not_enabled_are_ignored() {
    let _alone = alone();
    let mut without_sources = extensions();
    without_sources.ext_hand_tracking_data_source = false;
    let mut app = App::with(&moving(0.5), 0, &without_sources);
    let tracker = app
        .session
        .create_hand_tracker(xr::Hand::LEFT)
        .expect("a tracker");
    app.begin();
    let time = app.frame();
    // SAFETY: zero is valid for numbers.
    let mut places: [sys::HandJointLocationEXT; 26] = unsafe { std::mem::zeroed() };
    let mut source = of!(HandTrackingDataSourceStateEXT {
        is_active: sys::Bool32::from_raw(7)
    });
    let mut locations = of!(HandJointLocationsEXT {
        next: (&raw mut source).cast(),
        joint_count: 26,
        joint_locations: places.as_mut_ptr(),
    });
    let stage = app.stage();
    let info = of!(HandJointsLocateInfoEXT {
        base_space: stage.as_raw(),
        time: time
    });
    let functions = app
        .instance
        .exts()
        .ext_hand_tracking
        .expect("the extension");
    let locate = functions.locate_hand_joints;
    // SAFETY: the pointers are valid.
    let result = unsafe { locate(tracker.as_raw(), &raw const info, &raw mut locations) };
    assert_eq!((result, locations.is_active), (OK, sys::TRUE));
    assert_eq!(source.is_active, sys::Bool32::from_raw(7));
}

#[test]
fn the_gaze_has_the_time_of_its_sample() {
    let _alone = alone();
    let mut app = App::new(&sample("reach.bin"));
    let set = app
        .instance
        .create_action_set("set", "Set", 0)
        .expect("a set");
    let gaze = new_action::<xr::Posef>(&set, "gaze", &[]);
    let profile = "/interaction_profiles/ext/eye_gaze_interaction";
    let path = "/user/eyes_ext/input/gaze_ext/pose";
    assert_eq!(app.suggest(profile, &[(gaze.as_raw(), path)]), OK);
    app.attach(&[&set]);
    let eyes = gaze.create_space(&app.session, xr::Path::NULL, xr::Posef::IDENTITY);
    let (eyes, stage) = (eyes.expect("a space"), app.stage());
    app.begin();
    assert_eq!(app.sync(&[(&set, xr::Path::NULL)]), OK);
    let time = app.frame();
    let sample_time = |space: &xr::Space| {
        let mut sample = of!(EyeGazeSampleTimeEXT {
            time: xr::Time::from_nanos(7)
        });
        let mut found = of!(SpaceLocation {
            next: (&raw mut sample).cast()
        });
        let (space, base) = (space.as_raw(), stage.as_raw());
        assert_eq!(
            raw!(
                app.instance,
                locate_space(space, base, time, &raw mut found)
            ),
            OK
        );
        (found.location_flags.into_raw(), sample.time.as_nanos())
    };
    assert_eq!(sample_time(&eyes), (0xf, time.as_nanos()));
    // Other spaces have no sample (XR_EXT_eye_gaze_interaction).
    assert_eq!(sample_time(&stage), (0xf, 0));
    assert_eq!(app.sync(&[]), OK);
    assert_eq!(sample_time(&eyes), (0, 0));
}
