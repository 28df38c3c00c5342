//! The layer between an application and the runtime of inputanim, without a loader.

#![allow(unsafe_code, reason = "the C interface of OpenXR")]

mod client;
mod controls;
mod devices;
mod headset;
mod hidden;
#[path = "../../../inputanim-openxr-runtime/tests/it/hostile.rs"]
mod hostile;
mod loader;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inputanim::{
    DeviceName, Frame, HandFrame, Joint, Limits, Pauses, Pose, Recording, Sampler, Side, session,
};
use inputanim_openxr::{
    Clock, RECORD_SETTINGS, RecordReport, RecordSettings, RecordSpace, Report, SETTINGS, Settings,
};
use openxr::sys;
use tempfile::TempDir;

use client::{Client, LABELLED, Seen, Sync};
use loader::Refusal;

/// The runtime has one instance, and the settings are in the environment of the process.
static ALONE: Mutex<()> = Mutex::new(());

fn sample(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("../../samples/{name}.bin"))
}

/// What a client and the layer did.
struct Played {
    seen: Seen,
    report: RecordReport,
    recording: Option<Recording<'static>>,
    folder: TempDir,
    _alone: MutexGuard<'static, ()>,
}

/// Sets the settings of the runtime and of the layer.
fn set_variables(path: &Path, folder: &TempDir, space: RecordSpace) {
    let mut settings = Settings::default();
    settings.recording = path.to_owned();
    settings.clock = Clock::Keys;
    settings.report = Some(folder.path().join("played.report"));
    let text = serde_json::to_string(&settings).expect("settings are JSON");
    // SAFETY: no other thread uses the environment.
    unsafe { std::env::set_var(SETTINGS, text) };
    set_record_settings(&record_settings(folder, space));
}

fn record_settings(folder: &TempDir, space: RecordSpace) -> RecordSettings {
    let mut record = RecordSettings::default();
    record.output = folder.path().join("take.bin");
    record.report = Some(folder.path().join("report.json"));
    record.space = space;
    record.own_actions = true;
    record.keep_session = true;
    record
}

fn set_record_settings(record: &RecordSettings) {
    let text = serde_json::to_string(record).expect("settings are JSON");
    // SAFETY: no other thread uses the environment.
    unsafe { std::env::set_var(RECORD_SETTINGS, text) };
}

/// Plays a recording into a client, and records the client.
fn play(path: &Path, client: Client, refusals: &[Refusal]) -> Played {
    play_in(path, client, refusals, RecordSpace::Auto)
}

fn play_in(path: &Path, client: Client, refusals: &[Refusal], space: RecordSpace) -> Played {
    play_with(path, client, refusals, space, true)
}

/// As [`play_in`]. With `own_actions`, the layer may attach its actions before the application has any.
fn play_with(
    path: &Path,
    client: Client,
    refusals: &[Refusal],
    space: RecordSpace,
    own_actions: bool,
) -> Played {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    set_variables(path, &folder, space);
    let mut record = record_settings(&folder, space);
    record.own_actions = own_actions;
    set_record_settings(&record);
    let seen = client.run(&loader::entry(refusals));
    let files: Vec<PathBuf> = folder
        .path()
        .read_dir()
        .expect("the folder")
        .map(|entry| entry.expect("a file").path())
        .collect();
    let with = |extension: &str| {
        let mut found = files.iter();
        found.find(|path| path.extension().is_some_and(|other| other == extension))
    };
    let report = fs::read(with("json").expect("a report")).expect("a report");
    let recording = with("session").map(|path| {
        let bytes = fs::read(path).expect("the session file");
        let recovered = session::recover_with(&bytes, &Limits::NONE, Pauses::None);
        recovered
            .expect("the session is well formed")
            .recording
            .into_owned()
    });
    Played {
        seen,
        report: serde_json::from_slice(&report).expect("the report is JSON"),
        recording,
        folder,
        _alone: alone,
    }
}

fn read(path: &Path) -> Recording<'static> {
    let bytes = fs::read(path).expect("the recording");
    let recording = Recording::parse(&bytes).expect("the recording is well formed");
    recording.into_owned()
}

fn sampler(recording: &Recording<'_>) -> Sampler {
    Sampler::new(recording).expect("the recording can be evaluated")
}

/// Returns the bits of a pose. A rotation and its negative are the same rotation.
fn bits(pose: Option<Pose>) -> Option<[u32; 7]> {
    let Pose { position, rotation } = pose?;
    let is_negative = rotation
        .into_iter()
        .find(|part| *part != 0.0)
        .is_some_and(f32::is_sign_negative);
    let sign = if is_negative { -1.0 } else { 1.0 };
    let [x, y, z] = position;
    // A zero has no sign in a rotation.
    let [qx, qy, qz, qw] = rotation.map(|part| part * sign + 0.0);
    Some([x, y, z, qx, qy, qz, qw].map(f32::to_bits))
}

fn compare_hands(wanted: &HandFrame, found: &HandFrame, time: f32) {
    assert_eq!(wanted.tracked, found.tracked, "tracking at {time} s");
    for joint in Joint::OPENXR {
        let (wanted, found) = (wanted.joints[joint], found.joints[joint]);
        assert_eq!(
            bits(wanted),
            bits(found),
            "{joint} at {time} s: {wanted:?} {found:?}"
        );
    }
}

fn compare(wanted: &Frame, found: &Frame) {
    let time = wanted.time;
    assert_eq!(bits(wanted.head), bits(found.head), "head at {time} s");
    for side in Side::BOTH {
        let (wanted, found) = (wanted.hand(side), found.hand(side));
        compare_hands(wanted, found, time);
        assert_eq!(wanted.pinching, found.pinching, "pinch at {time} s");
    }
    assert_eq!(
        wanted.gaze.is_some(),
        found.gaze.is_some(),
        "gaze at {time} s"
    );
    if let (Some(wanted), Some(found)) = (wanted.gaze, found.gaze) {
        assert_eq!(
            wanted.origin.map(f32::to_bits),
            found.origin.map(f32::to_bits)
        );
        let length = wanted
            .direction
            .iter()
            .map(|part| part * part)
            .sum::<f32>()
            .sqrt();
        for (wanted, found) in wanted.direction.iter().zip(found.direction) {
            assert!((wanted / length - found).abs() < 3e-7, "gaze at {time} s");
        }
    }
}

/// Compares a recording with the recording that was played, at the times of all keys.
fn compare_all(wanted: &Recording<'_>, played: &Played) {
    let found = sampler(played.recording.as_ref().expect("a recording"));
    let wanted = sampler(wanted);
    assert_eq!(found.key_times(), wanted.key_times());
    for time in wanted.key_times() {
        compare(&wanted.frame_at(time), &found.frame_at(time));
    }
}

#[test]
fn the_layer_records_what_the_runtime_plays() {
    for name in ["pinch-drag", "reach", "two-hands", "wave"] {
        for sync in [
            Sync::BeforeWait,
            Sync::AfterWait,
            Sync::Never,
            Sync::NoActions,
        ] {
            let client = Client {
                sync,
                ..Client::default()
            };
            let played = play(&sample(name), client, &[]);
            compare_all(&read(&sample(name)), &played);
            assert_eq!(played.report.frames, played.seen.frames as u64);
            assert_eq!(played.report.notes, [""; 0], "{sync:?}");
            assert!(
                !played.seen.has_hand_tracking,
                "the layer hides its extensions"
            );
        }
    }
}

#[test]
fn the_application_gets_its_actions() {
    let wanted = sampler(&read(&sample("pinch-drag")));
    for sync in [Sync::BeforeWait, Sync::AfterWait] {
        let client = Client {
            sync,
            ..Client::default()
        };
        let seen = play(&sample("pinch-drag"), client, &[]).seen;
        let times = wanted.key_times();
        let pinches: Vec<bool> = times
            .iter()
            .map(|&time| wanted.frame_at(time).right.pinching)
            .collect();
        assert_eq!(seen.triggers, pinches);
    }
}

#[test]
fn the_report_of_playback_has_no_actions_of_the_layer() {
    let played = play(&sample("pinch-drag"), Client::default(), &[]);
    let text = fs::read(played.folder.path().join("played.report")).expect("a report");
    let report: Report = serde_json::from_slice(&text).expect("the report is JSON");
    let users = report.input.users.iter();
    let actions: Vec<&String> = users.flat_map(|user| &user.inactive_actions).collect();
    assert!(report.input.is_active && actions.is_empty(), "{actions:?}");
}

#[test]
fn the_report_of_playback_has_no_input_of_the_layer() {
    let no_actions = Client {
        sync: Sync::NoActions,
        ..Client::default()
    };
    for (client, is_input) in [(no_actions, false), (Client::default(), true)] {
        let played = play(&sample("pinch-drag"), client, &[]);
        let recording = played.recording.as_ref().expect("the layer records");
        assert!(sampler(recording).frame_at(0.0).right.tracked);
        let text = fs::read(played.folder.path().join("played.report")).expect("a report");
        let report: Report = serde_json::from_slice(&text).expect("the report is JSON");
        let input = &report.input;
        assert_eq!((input.is_wanted, input.is_active), (is_input, is_input));
        let right = input.users.get(1).cloned().unwrap_or_default();
        let touch = "/interaction_profiles/oculus/touch_controller".to_owned();
        let profiles = if is_input { vec![touch] } else { Vec::new() };
        assert_eq!(
            (&right.profiles, &right.bound_profiles),
            (&profiles, &profiles)
        );
    }
}

#[test]
fn labels_are_markers() {
    let played = play(&sample("wave"), Client::default(), &[]);
    let recording = played.recording.expect("a recording");
    let names: Vec<&str> = recording
        .markers
        .iter()
        .map(|marker| &*marker.name)
        .collect();
    // The changes at the end of the session are no markers.
    assert_eq!(names, ["Übung", "region"]);
    assert_eq!(played.report.markers, 2);
    let times = sampler(&recording).key_times();
    assert_eq!(recording.markers[0].time, times[LABELLED - 1]);
}

#[test]
fn two_threads_of_an_application_are_recorded() {
    let client = Client {
        sync: Sync::AfterWait,
        has_two_threads: true,
        ..Client::default()
    };
    let played = play(&sample("two-hands"), client, &[]);
    let wanted = sampler(&read(&sample("two-hands")));
    let found = sampler(played.recording.as_ref().expect("a recording"));
    // The application waits for one frame more than the recording has, and the session has lost the input then.
    let times = wanted.key_times();
    assert!(found.key_times().starts_with(&times));
    for time in times {
        let (wanted, found) = (wanted.frame_at(time), found.frame_at(time));
        assert_eq!(bits(wanted.head), bits(found.head));
        for side in Side::BOTH {
            let (wanted, found) = (wanted.hand(side), found.hand(side));
            compare_hands(wanted, found, time);
            assert_eq!(wanted.pinching, found.pinching, "pinch at {time} s");
        }
    }
}

#[test]
fn a_session_that_is_destroyed_early_is_recorded() {
    let client = Client {
        max_frames: Some(60),
        ..Client::default()
    };
    let played = play(&sample("wave"), client, &[]);
    assert_eq!(played.report.frames, 60);
    let wanted = sampler(&read(&sample("wave")));
    let found = sampler(played.recording.as_ref().expect("a recording"));
    assert_eq!(found.key_times(), wanted.key_times()[..60]);
}

#[test]
fn a_second_recording_of_a_process_has_a_number() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["wave", "reach"] {
        set_variables(&sample(name), &folder, RecordSpace::Auto);
        let mut record = record_settings(&folder, RecordSpace::Auto);
        record.keep_session = false;
        set_record_settings(&record);
        Client::default().run(&loader::entry(&[]));
    }
    for (name, number) in [("wave", ""), ("reach", "-1")] {
        let bytes = fs::read(folder.path().join(format!("take{number}.session")));
        let bytes = bytes.expect("the session file");
        let recovered = session::recover_with(&bytes, &Limits::NONE, Pauses::None);
        let recording = recovered.expect("a session").recording;
        let wanted = read(&sample(name));
        assert_eq!(
            sampler(&recording).key_times(),
            sampler(&wanted).key_times()
        );
        assert!(folder.path().join(format!("report{number}.json")).exists());
    }
}

#[test]
fn an_application_that_never_has_the_input_is_not_recorded() {
    let client = Client {
        max_frames: Some(0),
        ..Client::default()
    };
    let played = play(&sample("wave"), client, &[]);
    assert_eq!((played.report.frames, played.recording), (0, None));
    assert_eq!(
        played.folder.path().read_dir().map(Iterator::count).ok(),
        Some(2)
    );
}

#[test]
fn the_layer_does_without_what_the_runtime_refuses() {
    let path = sample("pinch-drag");
    let wanted = read(&path);
    let refusals = [
        Refusal::Extensions,
        Refusal::Bindings,
        Refusal::Attach,
        Refusal::Sync,
        Refusal::Trackers,
        Refusal::Stage,
        Refusal::ActionSets,
        Refusal::Views,
    ];
    for refusal in refusals {
        // The client panics if one of its calls fails.
        let played = play(&path, Client::default(), &[refusal]);
        let sampler = sampler(played.recording.as_ref().expect("a recording"));
        let heads: Vec<_> = wanted.head.iter().collect();
        assert_eq!(heads.len(), 1);
        assert_eq!(
            played.report.frames, played.seen.frames as u64,
            "{refusal:?}"
        );
        assert!(played.report.head, "{refusal:?}");
        let report = &played.report;
        match refusal {
            // Nothing is known about a hand without a tracker.
            Refusal::Extensions | Refusal::Trackers => {
                assert_eq!((report.hands, report.pinches), ([false; 2], [false; 2]));
                assert!(!report.notes.is_empty(), "{refusal:?}");
            }
            // The layer reads the trigger of the application.
            Refusal::Bindings => {
                assert_eq!(
                    (report.hands, report.pinches),
                    ([false, true], [false, true])
                )
            }
            Refusal::Attach | Refusal::Sync | Refusal::ActionSets => {
                assert_eq!(
                    (report.hands, report.pinches, report.gaze),
                    ([false, true], [false, true], false)
                );
                assert!(!report.notes.is_empty(), "{refusal:?}");
            }
            Refusal::Views => {
                let name = inputanim::headset::name();
                let device = played.recording.as_ref().and_then(|one| one.device(name));
                let device = device.expect("the radii of a hand");
                let mut inputs = device.inputs.iter().map(|(name, _)| name.as_str());
                assert!(inputs.all(|name| name.starts_with("right_hand/")));
            }
            Refusal::Stage => {
                assert!(report.notes[0].contains("no stage"), "{:?}", report.notes);
                let head = sampler.frame_at(0.0).head.expect("a head");
                assert_eq!(head.position[1], 0.0, "the local space is at the head");
            }
        }
        if matches!(refusal, Refusal::Extensions | Refusal::Trackers) {
            check_controller(&wanted, &played);
        }
    }
}

/// Checks that nothing is known about the hands, and that the grip of the controller is recorded, which the runtime makes of the palm.
fn check_controller(wanted: &Recording<'_>, played: &Played) {
    let wanted = sampler(wanted);
    let found = sampler(played.recording.as_ref().expect("a recording"));
    let name = DeviceName::controller(Side::Right);
    for time in wanted.key_times() {
        let (wanted, found) = (wanted.frame_at(time).right, found.frame_at(time));
        assert!(found.left.unknown && found.right.unknown);
        let palm = wanted.joints[Joint::Palm].expect("the palm is recorded");
        let device = found.device(name).expect("a controller");
        let mut poses = device.poses.iter();
        let (_, grip) = poses
            .find(|(name, _)| name.as_str() == "grip")
            .expect("a grip");
        assert_eq!(palm.position, grip.position);
    }
}

#[test]
fn without_settings_nothing_is_recorded() {
    let _alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let mut settings = Settings::default();
    settings.recording = sample("wave");
    settings.clock = Clock::Keys;
    // SAFETY: no other thread uses the environment.
    unsafe {
        std::env::set_var(
            SETTINGS,
            serde_json::to_string(&settings).expect("settings are JSON"),
        );
        std::env::remove_var(RECORD_SETTINGS);
    }
    let seen = Client::default().run(&loader::entry(&[]));
    assert_eq!(seen.frames, 121);
}

#[test]
fn the_layer_checks_the_loader() {
    let info = loader::loader_info();
    let failed = sys::Result::ERROR_INITIALIZATION_FAILED;
    let mut request = loader::layer_request();
    let name = &loader::name();
    assert_eq!(
        loader::negotiate(&info, c"XR_APILAYER_other", &mut request),
        failed
    );
    let mut changed = info;
    changed.struct_size -= 1;
    assert_eq!(loader::negotiate(&changed, name, &mut request), failed);
    let mut changed = info;
    changed.min_interface_version = 2;
    changed.max_interface_version = 2;
    assert_eq!(loader::negotiate(&changed, name, &mut request), failed);
    request.struct_version = 9;
    assert_eq!(loader::negotiate(&info, name, &mut request), failed);
    assert!(request.create_api_layer_instance.is_none());
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn the_local_space_of_a_recording_with_its_origin_at_the_head_is_exact() {
    let corpus = std::env::var_os("INPUTANIM_CORPUS").expect("the folder of the corpus");
    let path = Path::new(&corpus).join("device/left-hand-2021.bin");
    let played = play_in(&path, Client::default(), &[], RecordSpace::Local);
    compare_all(&read(&path), &played);
}

#[test]
fn an_application_that_calls_anything_does_not_crash_the_layer() {
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    let folder = tempfile::tempdir().expect("a folder");
    let settings = hostile::settings(sample("wave"));
    let mut record = RecordSettings::default();
    record.output = folder.path().join("take.bin");
    // SAFETY: no other thread uses the environment.
    unsafe {
        std::env::set_var(
            SETTINGS,
            serde_json::to_string(&settings).expect("settings are JSON"),
        );
        std::env::set_var(
            RECORD_SETTINGS,
            serde_json::to_string(&record).expect("settings are JSON"),
        );
    }
    let seed = 7;
    let results = hostile::run(loader::get, seed, 20_000);
    let successes = results.get(&0).copied().unwrap_or_default();
    assert!(successes > 1000, "{results:?}");
    // A panic of the layer would be a failure of the runtime.
    let failure = sys::Result::ERROR_RUNTIME_FAILURE.into_raw();
    assert_eq!(results.get(&failure), None);
    loader::destroy_instances();
    drop(alone);
    let played = play(&sample("wave"), Client::default(), &[]);
    compare_all(&read(&sample("wave")), &played);
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn recordings_of_mrtk_are_played_and_recorded_again() {
    let corpus = std::env::var_os("INPUTANIM_CORPUS").expect("the folder of the corpus");
    let folder = Path::new(&corpus).join("mrtk");
    let entries = fs::read_dir(folder).expect("the recordings");
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
    paths.sort();
    assert!(paths.len() > 5, "the corpus has {} recordings", paths.len());
    for path in paths {
        println!("{}", path.display());
        let wanted = read(&path);
        if sampler(&wanted).key_times().is_empty() {
            continue;
        }
        // The origin of some recordings is at the head, where the local space has its origin.
        let head = sampler(&wanted).frame_at(0.0).head;
        let space = match head {
            Some(head) if head.position[1] < 0.9 => RecordSpace::Local,
            _ => RecordSpace::Stage,
        };
        let played = play_in(&path, Client::default(), &[], space);
        let found = sampler(played.recording.as_ref().expect("a recording"));
        let wanted = sampler(&wanted);
        let (times, mut found_times) = (wanted.key_times(), found.key_times());
        // A recording that begins after 0 gets a frame at 0.
        if times[0] > 0.0 {
            found_times.remove(0);
        }
        assert_eq!(times.len(), found_times.len());
        for (time, found_time) in times.into_iter().zip(found_times) {
            // Times are nanoseconds in OpenXR.
            assert!((time - found_time).abs() < 1e-9, "{time} s: {found_time} s");
            let (wanted, mut found) = (wanted.frame_at(time), found.frame_at(found_time));
            // Without a recorded head, the application gets one.
            found.head = found.head.filter(|_| wanted.head.is_some());
            compare(&wanted, &found);
        }
    }
}
