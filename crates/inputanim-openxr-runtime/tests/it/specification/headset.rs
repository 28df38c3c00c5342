//! The headset of a recording: the eyes, the radii of joints, and the source of hands.

use inputanim::headset::{Headset, ViewAngles};
use inputanim::{DeviceName, Frame, Joint, Recorder, Recording, Sampler, Side};
use inputanim_convert::{Format, WriteOptions, write_bytes};
use inputanim_openxr::{Settings, joint_radius};
use openxr::sys::Handle;
use openxr::{self as xr, sys};

use super::{App, HANDS, OK, moving, of, temporary_file};
use crate::alone;

const INDEX: &str = "/interaction_profiles/valve/index_controller";

/// Returns the settings of [`moving`] with a recording to whose frames `change` adds devices.
fn with_devices(change: impl Fn(&mut Frame)) -> Settings {
    let mut settings = moving(0.5);
    let bytes = std::fs::read(&settings.recording).expect("the recording");
    let recording = Recording::parse(&bytes).expect("a recording");
    let sampler = Sampler::new(&recording).expect("the recording can be evaluated");
    let mut recorder = Recorder::new(recording.layout);
    for time in sampler.key_times() {
        let mut frame = sampler.frame_at(time);
        change(&mut frame);
        recorder.push(&frame).expect("the time increases");
    }
    let options = WriteOptions::default();
    let (bytes, report) = write_bytes(Format::Json, &recorder.finish(), &options).expect("JSON");
    assert_eq!(report.losses, []);
    settings.recording = temporary_file().with_extension("json");
    std::fs::write(&settings.recording, bytes).expect("the file can be written");
    settings
}

/// Returns the headset at a time: the eyes are 66 mm apart from 0.1 s on, and 60 mm before.
fn headset(time: f32) -> Headset {
    let view = |left: f32, right: f32| ViewAngles {
        left,
        right,
        up: 0.75,
        down: -0.5,
    };
    let mut headset = Headset::default();
    headset.eye_distance = Some(if time < 0.1 { 0.06 } else { 0.066 });
    headset.views = [Some(view(-1.0, 0.5)), Some(view(-0.25, 1.25))];
    headset.set_radius(Side::Left, Joint::IndexTip, Some(0.0123));
    headset
}

#[test]
fn the_eyes_and_radii_are_those_of_the_recording() {
    let _alone = alone();
    let settings = with_devices(|frame| frame.devices.push(headset(frame.time).device_frame()));
    let mut app = App::new(&settings);
    let tracker = app.session.create_hand_tracker(xr::Hand::LEFT);
    let tracker = tracker.expect("a tracker");
    let view = app.reference(xr::ReferenceSpaceType::VIEW, xr::Posef::IDENTITY);
    let stage = app.stage();
    app.begin();
    let stereo = xr::ViewConfigurationType::PRIMARY_STEREO;
    let mut distances = Vec::new();
    for _ in 0..20 {
        let time = app.frame();
        let seconds = app.seconds(time);
        let located = app.session.locate_views(stereo, time, &view);
        let (_, views) = located.expect("no call fails");
        let x = |index: usize| views[index].pose.position.x;
        let wanted = headset(seconds);
        // The eyes are exact in the space of the head.
        assert_eq!(Some(x(1) - x(0)), wanted.eye_distance, "at {seconds} s");
        distances.extend(wanted.eye_distance);
        for (view, angles) in views.iter().zip(wanted.views) {
            let fov = view.fov;
            let found = ViewAngles {
                left: fov.angle_left,
                right: fov.angle_right,
                up: fov.angle_up,
                down: fov.angle_down,
            };
            assert_eq!(Some(found), angles);
        }
        let joints = stage.locate_hand_joints(&tracker, time);
        let joints = joints.expect("no call fails").expect("the hand is active");
        for (place, joint) in joints.iter().zip(Joint::OPENXR) {
            let radius = match joint {
                Joint::IndexTip => 0.0123,
                _ => joint_radius(joint),
            };
            assert_eq!(place.radius, radius, "{joint}");
        }
    }
    distances.dedup();
    assert_eq!(distances, [0.06, 0.066]);
}

#[test]
fn settings_replace_the_recorded_eyes() {
    let _alone = alone();
    let mut settings = with_devices(|frame| frame.devices.push(headset(frame.time).device_frame()));
    settings.eye_distance = Some(0.07);
    settings.view_angles = Some([40.0, 30.0]);
    let mut app = App::new(&settings);
    let stage = app.stage();
    app.begin();
    let time = app.frame();
    let stereo = xr::ViewConfigurationType::PRIMARY_STEREO;
    let (_, views) = app
        .session
        .locate_views(stereo, time, &stage)
        .expect("no call fails");
    let width = views[1].pose.position.x - views[0].pose.position.x;
    assert!((width - 0.07).abs() < 1e-6, "{width}");
    assert_eq!(views[0].fov.angle_left, -40.0_f32.to_radians());
}

#[test]
fn a_hand_with_a_controller_has_the_controller_as_its_source() {
    use xr::HandTrackingDataSourceEXT as Source;
    let _alone = alone();
    let controller = |frame: &mut Frame, profile: &str| {
        let mut device = inputanim::DeviceFrame::new(DeviceName::controller(Side::Left));
        device.active = true;
        device.profile = Some(profile.into());
        frame.devices.push(device);
    };
    let recorded = |frame: &mut Frame, is_from_controller| {
        let mut headset = Headset::default();
        headset.from_controller[0] = Some(is_from_controller);
        frame.devices.push(headset.device_frame());
    };
    // The recorded profile, and the recorded source.
    for (profile, source, wanted) in [
        (Some(INDEX), None, Source::CONTROLLER),
        (Some(HANDS), None, Source::UNOBSTRUCTED),
        (Some(INDEX), Some(false), Source::UNOBSTRUCTED),
        (None, Some(true), Source::CONTROLLER),
        (None, None, Source::UNOBSTRUCTED),
    ] {
        let settings = with_devices(|frame| {
            profile.into_iter().for_each(|one| controller(frame, one));
            source.into_iter().for_each(|one| recorded(frame, one));
        });
        let mut app = App::new(&settings);
        let all = [Source::UNOBSTRUCTED, Source::CONTROLLER];
        let trackers = [vec![all[0]], vec![all[1]], all.to_vec()]
            .map(|sources| (sources.clone(), create(&app, sources)));
        app.begin();
        let time = app.frame();
        for (sources, tracker) in trackers {
            let (is_active, found) = locate(&app, tracker, time);
            let case = format!("{profile:?} {source:?} {sources:?}");
            assert_eq!(is_active, sources.contains(&wanted), "{case}");
            if is_active {
                assert_eq!(found, wanted, "{case}");
            }
        }
    }
}

/// Creates a tracker of the left hand that accepts these sources.
fn create(app: &App, mut sources: Vec<xr::HandTrackingDataSourceEXT>) -> sys::HandTrackerEXT {
    let functions = app.instance.exts().ext_hand_tracking;
    let functions = functions.expect("the extension");
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
    let session = app.session.as_raw();
    // SAFETY: the pointers are valid.
    let result =
        unsafe { (functions.create_hand_tracker)(session, &raw const info, &raw mut made) };
    assert_eq!(result, OK);
    made
}

/// Returns `true` if the hand of a tracker is active, and its source.
fn locate(
    app: &App,
    tracker: sys::HandTrackerEXT,
    time: xr::Time,
) -> (bool, xr::HandTrackingDataSourceEXT) {
    let functions = app.instance.exts().ext_hand_tracking;
    let functions = functions.expect("the extension");
    let stage = app.stage();
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
    assert_eq!(result, OK);
    assert_eq!(locations.is_active, source.is_active);
    (locations.is_active.into(), source.data_source)
}
