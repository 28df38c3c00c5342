//! An application gets the same answers with and without the layer: the extensions of the layer are not visible.

use std::ptr;

use inputanim_openxr::{ComponentKind, Profile, RecordSpace};
use openxr as xr;
use openxr::sys::{self, Handle as _};

use crate::client::never;
use crate::{ALONE, loader, sample, set_variables};

const SIMPLE: &str = "/interaction_profiles/khr/simple_controller";

/// Returns what an application without extensions of input gets of everything that depends on extensions, one line for each call.
fn answers(entry: &xr::Entry, minor: u16, change: impl Fn(&mut xr::ExtensionSet)) -> Vec<String> {
    let mut extensions = xr::ExtensionSet::default();
    extensions.mnd_headless = true;
    change(&mut extensions);
    let application = xr::ApplicationInfo {
        application_name: "client",
        api_version: xr::Version::new(1, minor, 0),
        ..xr::ApplicationInfo::default()
    };
    let instance = never(entry.create_instance(&application, &extensions, &[], &()));
    let system = never(instance.system(xr::FormFactor::HEAD_MOUNTED_DISPLAY));
    let mut lines = Vec::new();

    let mut eyes = sys::SystemEyeGazeInteractionPropertiesEXT {
        ty: sys::SystemEyeGazeInteractionPropertiesEXT::TYPE,
        next: ptr::null_mut(),
        // A runtime ignores structures of extensions that are not enabled.
        supports_eye_gaze_interaction: sys::TRUE,
    };
    let mut hands = sys::SystemHandTrackingPropertiesEXT {
        ty: sys::SystemHandTrackingPropertiesEXT::TYPE,
        next: (&raw mut eyes).cast(),
        supports_hand_tracking: sys::TRUE,
    };
    let mut properties = sys::SystemProperties::out((&raw mut hands).cast());
    // SAFETY: the structures are valid.
    let result = unsafe {
        (instance.fp().get_system_properties)(instance.as_raw(), system, properties.as_mut_ptr())
    };
    lines.push(format!(
        "{result:?}: hands {:?}, eyes {:?}",
        hands.supports_hand_tracking, eyes.supports_eye_gaze_interaction
    ));

    let path = |text: &str| never(instance.string_to_path(text));
    let set = never(instance.create_action_set("set", "Set", 0));
    let action = never(set.create_action::<bool>("a", "A", &[]));
    let vector = never(set.create_action::<xr::Vector2f>("v", "V", &[]));
    let pose = never(set.create_action::<xr::Posef>("p", "P", &[]));
    let haptic = never(set.create_action::<xr::Haptic>("h", "H", &[]));
    for user in [
        "/user/eyes_ext",
        "/user/hand/left",
        "/user/gamepad",
        "/user/nobody",
    ] {
        let made = set.create_action::<bool>("b", "B", &[path(user)]);
        lines.push(format!("an action of {user}: {:?}", made.err()));
    }
    for profile in Profile::all() {
        for component in &profile.components {
            for user in &profile.users {
                let binding = path(&format!("{user}{}", component.path()));
                let binding = match component.kind {
                    ComponentKind::Vector => xr::Binding::new(&vector, binding),
                    ComponentKind::Pose => xr::Binding::new(&pose, binding),
                    ComponentKind::Haptic => xr::Binding::new(&haptic, binding),
                    _ => xr::Binding::new(&action, binding),
                };
                let suggested =
                    instance.suggest_interaction_profile_bindings(path(&profile.name), &[binding]);
                let name = component.name;
                lines.push(format!(
                    "{} {user} {name}: {:?}",
                    profile.name,
                    suggested.err()
                ));
            }
        }
    }
    // The last suggestion of each profile counts, so that only the left hand has the simple controller.
    let only = xr::Binding::new(&action, path("/user/hand/left/input/select/click"));
    never(instance.suggest_interaction_profile_bindings(path(SIMPLE), &[only]));

    // SAFETY: the application has no graphics.
    let session = unsafe {
        instance.create_session::<xr::Headless>(system, &xr::headless::SessionCreateInfo {})
    };
    let (session, mut waiter, mut stream) = never(session);
    let users = [
        "/user/hand/left",
        "/user/hand/right",
        "/user/eyes_ext",
        "/user/gamepad",
    ];
    let profiles = |lines: &mut Vec<String>| {
        for user in users {
            let found = session.current_interaction_profile(path(user));
            let found = found.map(|found| match found {
                xr::Path::NULL => "none".to_owned(),
                found => never(instance.path_to_string(found)),
            });
            lines.push(format!("{user}: {found:?}"));
        }
    };
    profiles(&mut lines);
    let hands = instance.exts().ext_hand_tracking;
    let tracker = hands.map(|hands| {
        // The recording has no hands of controllers.
        let mut sources = [sys::HandTrackingDataSourceEXT::CONTROLLER];
        let source = sys::HandTrackingDataSourceInfoEXT {
            ty: sys::HandTrackingDataSourceInfoEXT::TYPE,
            next: ptr::null(),
            requested_data_source_count: 1,
            requested_data_sources: sources.as_mut_ptr(),
        };
        let info = sys::HandTrackerCreateInfoEXT {
            ty: sys::HandTrackerCreateInfoEXT::TYPE,
            next: (&raw const source).cast(),
            hand: sys::HandEXT::LEFT,
            hand_joint_set: sys::HandJointSetEXT::DEFAULT,
        };
        let mut tracker = sys::HandTrackerEXT::NULL;
        // SAFETY: the structures are valid.
        let result = unsafe {
            (hands.create_hand_tracker)(session.as_raw(), &raw const info, &raw mut tracker)
        };
        assert_eq!(result, sys::Result::SUCCESS);
        (hands, tracker)
    });
    let base = session.create_reference_space(xr::ReferenceSpaceType::LOCAL, xr::Posef::IDENTITY);
    let base = never(base);
    let locate = |time: xr::Time| {
        let (hands, tracker) = tracker?;
        let info = sys::HandJointsLocateInfoEXT {
            ty: sys::HandJointsLocateInfoEXT::TYPE,
            next: ptr::null(),
            base_space: base.as_raw(),
            time,
        };
        let mut source = sys::HandTrackingDataSourceStateEXT {
            ty: sys::HandTrackingDataSourceStateEXT::TYPE,
            next: ptr::null_mut(),
            is_active: sys::FALSE,
            data_source: sys::HandTrackingDataSourceEXT::from_raw(7),
        };
        let mut joints = [sys::HandJointLocationEXT::default(); sys::HAND_JOINT_COUNT_EXT];
        let mut locations = sys::HandJointLocationsEXT {
            ty: sys::HandJointLocationsEXT::TYPE,
            next: (&raw mut source).cast(),
            is_active: sys::FALSE,
            joint_count: joints.len() as u32,
            joint_locations: joints.as_mut_ptr(),
        };
        // SAFETY: the structures are valid.
        let result =
            unsafe { (hands.locate_hand_joints)(tracker, &raw const info, &raw mut locations) };
        let source = (source.is_active, source.data_source);
        Some(format!(
            "hand {result:?}, {:?}, {source:?}",
            locations.is_active
        ))
    };
    never(session.attach_action_sets(&[&set]));
    profiles(&mut lines);
    let mut frames = 0;
    while frames < 20 {
        let mut buffer = xr::EventDataBuffer::new();
        while let Some(event) = never(instance.poll_event(&mut buffer)) {
            match event {
                xr::Event::SessionStateChanged(change) => {
                    lines.push(format!("state {:?}", change.state()));
                    if change.state() == xr::SessionState::READY {
                        never(session.begin(xr::ViewConfigurationType::PRIMARY_STEREO));
                    }
                }
                xr::Event::InteractionProfileChanged(_) => lines.push("profiles".to_owned()),
                _ => lines.push("another event".to_owned()),
            }
        }
        let synchronised = session.sync_actions(&[xr::ActiveActionSet::new(&set)]);
        lines.push(format!("{:?}", synchronised.err()));
        let state = never(waiter.wait());
        lines.extend(locate(state.predicted_display_time));
        never(stream.begin());
        never(stream.end(
            state.predicted_display_time,
            xr::EnvironmentBlendMode::OPAQUE,
            &[],
        ));
        frames += 1;
    }
    profiles(&mut lines);
    lines
}

#[test]
fn an_application_gets_the_same_answers_with_and_without_the_layer() {
    let _alone = ALONE.lock().expect("no test panics meanwhile");
    let folder = tempfile::tempdir().expect("a folder");
    set_variables(&sample("two-hands"), &folder, RecordSpace::Auto);
    type Change = fn(&mut xr::ExtensionSet);
    let changes: [Change; 5] = [
        |_| {},
        |all| all.ext_hand_tracking = true,
        |all| {
            all.ext_hand_tracking = true;
            all.ext_hand_tracking_data_source = true;
        },
        |all| all.ext_eye_gaze_interaction = true,
        |all| {
            all.ext_hand_interaction = true;
            all.ext_palm_pose = true;
        },
    ];
    for minor in [0, 1] {
        for change in changes {
            let direct = answers(&loader::direct(), minor, change);
            let layered = answers(&loader::entry(&[]), minor, change);
            for (direct, layered) in direct.iter().zip(&layered) {
                assert_eq!(direct, layered);
            }
            assert_eq!(direct.len(), layered.len());
        }
    }
}
