//! The runtime as an application uses it, without a loader.

#![allow(unsafe_code, reason = "the C interface of OpenXR")]

mod client;
mod damaged;
mod hostile;
mod specification;

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use inputanim::{Frame, Joint, Pose, Recording, Sampler, Space};
use inputanim_openxr::{Clock, FIRST_TIME, SETTINGS, Settings};
use inputanim_openxr_runtime::xrNegotiateLoaderRuntimeInterface;
use openxr::sys;

use client::Seen;

/// The runtime has one instance, and its settings are in the environment of the process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn samples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../samples");
    let files = folder.read_dir().expect("the folder of the samples");
    let mut paths: Vec<PathBuf> = files.map(|file| file.expect("a file").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "bin"));
    paths.sort();
    paths
}

/// Returns the first function of the runtime, with settings.
fn first_function(settings: &Settings) -> sys::pfn::GetInstanceProcAddr {
    let text = serde_json::to_string(settings).expect("settings are JSON");
    let mut request = sys::NegotiateRuntimeRequest {
        struct_type: sys::NegotiateRuntimeRequest::TYPE,
        struct_version: sys::NegotiateRuntimeRequest::VERSION,
        struct_size: size_of::<sys::NegotiateRuntimeRequest>(),
        runtime_interface_version: 0,
        runtime_api_version: sys::Version::new(0, 0, 0),
        get_instance_proc_addr: None,
    };
    let loader = sys::NegotiateLoaderInfo {
        struct_type: sys::NegotiateLoaderInfo::TYPE,
        struct_version: sys::NegotiateLoaderInfo::VERSION,
        struct_size: size_of::<sys::NegotiateLoaderInfo>(),
        min_interface_version: 1,
        max_interface_version: 1,
        min_api_version: sys::Version::new(1, 0, 0),
        max_api_version: sys::Version::new(1, 0x3ff, 0xfff),
    };
    // SAFETY: no other thread uses the environment, because every test is alone; the structures are valid.
    unsafe {
        std::env::set_var(SETTINGS, text);
        let result = xrNegotiateLoaderRuntimeInterface(&raw const loader, &raw mut request);
        assert_eq!(result, sys::Result::SUCCESS);
    }
    request
        .get_instance_proc_addr
        .expect("the runtime has functions")
}

/// Returns the runtime with settings.
fn entry(settings: &Settings) -> openxr::Entry {
    // SAFETY: the function is the one of the runtime.
    let entry =
        unsafe { openxr::Entry::from_get_instance_proc_addr(first_function(settings), &()) };
    entry.expect("the runtime has the functions of an entry")
}

fn played(path: &Path, clock: Clock) -> Vec<Seen> {
    let _alone = alone();
    let mut settings = Settings::default();
    settings.recording = path.to_owned();
    settings.clock = clock;
    client::play(&entry(&settings), usize::MAX).expect("no call fails")
}

fn sampler(path: &Path) -> (Sampler, f32) {
    let bytes = std::fs::read(path).expect("the recording");
    let recording = Recording::parse(&bytes).expect("the recording is well formed");
    (
        Sampler::new(&recording).expect("the recording can be evaluated"),
        recording.duration(),
    )
}

fn bits(pose: Pose) -> [u32; 7] {
    let pose = Space::OpenXr.pose(pose);
    let ([x, y, z], [qx, qy, qz, qw]) = (pose.position, pose.rotation);
    [x, y, z, qx, qy, qz, qw].map(f32::to_bits)
}

/// Compares what an application got with a frame of the recording. Poses are equal to the bit.
fn compare(seen: &Seen, frame: &Frame) {
    let same = |seen: Option<[f32; 7]>, pose: Option<Pose>, what: &str| {
        assert_eq!(
            seen.map(|seen| seen.map(f32::to_bits)),
            pose.map(bits),
            "{what} at {} s",
            frame.time
        );
    };
    if frame.head.is_some() {
        same(seen.head, frame.head, "head");
    }
    for (index, hand) in [&frame.left, &frame.right].into_iter().enumerate() {
        assert_eq!(
            seen.is_pinching[index], hand.pinching,
            "pinch {index} at {} s",
            frame.time
        );
        assert_eq!(
            seen.hands[index].is_some(),
            hand.tracked,
            "hand {index} at {} s",
            frame.time
        );
        let joints = seen.hands[index].iter().flatten();
        for (joint, &seen) in Joint::OPENXR.into_iter().zip(joints) {
            same(seen, hand.joints[joint], joint.name());
        }
    }
    assert_eq!(seen.gaze.is_some(), frame.gaze.is_some());
    if let (Some(seen), Some(ray)) = (seen.gaze, frame.gaze) {
        let ray = Space::OpenXr.ray(ray);
        assert_eq!(seen[..3], ray.origin);
        let pose = Pose {
            position: ray.origin,
            rotation: [seen[3], seen[4], seen[5], seen[6]],
        };
        let length = ray
            .direction
            .iter()
            .map(|part| part * part)
            .sum::<f32>()
            .sqrt();
        for (found, wanted) in pose.turn([0.0, 0.0, -1.0]).iter().zip(ray.direction) {
            assert!((found - wanted / length).abs() < 3e-7, "{pose:?} {ray:?}");
        }
    }
}

#[test]
fn an_application_gets_the_recording_at_the_times_of_the_keys() {
    for path in samples() {
        let (sampler, _) = sampler(&path);
        let times = sampler.key_times();
        let all = played(&path, Clock::Keys);
        assert_eq!(all.len(), times.len(), "{}", path.display());
        for (seen, &time) in all.iter().zip(&times) {
            compare(seen, &sampler.frame_at(time));
        }
    }
}

#[test]
fn the_state_of_both_hands_changes_when_one_of_them_changes_it() {
    let mut changes = 0;
    for path in samples() {
        let mut before = None;
        for seen in played(&path, Clock::Keys) {
            let is_pinching = seen.is_pinching.contains(&true);
            // The first state is no change.
            let has_changed = before.is_some_and(|before| before != is_pinching);
            assert_eq!(seen.any_pinch, [is_pinching, has_changed], "{}", seen.time);
            changes += usize::from(has_changed);
            before = Some(is_pinching);
        }
    }
    assert!(changes > 3, "{changes}");
}

#[test]
fn an_application_gets_the_recording_at_a_fixed_rate() {
    for path in samples() {
        let (sampler, duration) = sampler(&path);
        let all = played(&path, Clock::Step);
        assert_eq!(all.len(), (f64::from(duration) * 60.0).ceil() as usize + 1);
        for seen in &all {
            let time = (seen.time - all[0].time) as f64 / 1e9;
            compare(seen, &sampler.frame_at((time as f32).min(duration)));
        }
    }
}

#[test]
fn every_run_is_the_same() {
    let path = &samples()[0];
    let first = played(path, Clock::Step);
    assert!(
        first
            .iter()
            .any(|seen| seen.grips.iter().any(Option::is_some))
    );
    for _ in 0..3 {
        assert_eq!(played(path, Clock::Step), first);
    }
}

#[test]
fn the_time_of_the_computer_takes_as_long_as_the_recording() {
    let _alone = alone();
    let path = &samples()[0];
    let (_, duration) = sampler(path);
    let mut settings = Settings::default();
    settings.recording = path.clone();
    settings.clock = Clock::Real;
    let all = client::play(&entry(&settings), usize::MAX).expect("no call fails");
    let seconds = (all[all.len() - 1].time - all[0].time) as f64 / 1e9;
    assert!(
        seconds >= f64::from(duration) && all.len() > 2,
        "{seconds} s"
    );
    assert!(all.is_sorted_by(|a, b| a.time < b.time));
}

/// Returns an instance that converts times of the computer.
fn converter(clock: Clock) -> openxr::Instance {
    let mut settings = Settings::default();
    settings.recording = samples()[0].clone();
    settings.clock = clock;
    let mut extensions = openxr::ExtensionSet::default();
    extensions.mnd_headless = true;
    #[cfg(windows)]
    {
        extensions.khr_win32_convert_performance_counter_time = true;
    }
    #[cfg(unix)]
    {
        extensions.khr_convert_timespec_time = true;
    }
    let application = openxr::ApplicationInfo {
        application_name: "converter",
        ..openxr::ApplicationInfo::default()
    };
    let instance = entry(&settings).create_instance(&application, &extensions, &[], &());
    instance.expect("the runtime has the extensions")
}

#[test]
fn the_time_of_the_computer_is_the_time_of_openxr_with_the_clock_real_only() {
    let _alone = alone();
    let now = |instance: &openxr::Instance| instance.now().expect("a time").as_nanos();
    for clock in [Clock::Step, Clock::Keys] {
        let instance = converter(clock);
        assert_eq!([now(&instance), now(&instance)], [FIRST_TIME; 2]);
    }
    let instance = converter(Clock::Real);
    let times = [now(&instance), now(&instance)];
    assert!(0 < times[0] && times[0] <= times[1], "{times:?}");
}

#[cfg(windows)]
#[test]
fn ticks_of_the_performance_counter_become_times_and_the_same_ticks() {
    let _alone = alone();
    let instance = converter(Clock::Real);
    let functions = instance.exts().khr_win32_convert_performance_counter_time;
    let functions = functions.expect("the extension is enabled");
    let to_time = |ticks: i64| {
        let mut time = sys::Time::from_nanos(0);
        let convert = functions.convert_win32_performance_counter_to_time;
        // SAFETY: the pointers are valid.
        let result = unsafe { convert(instance.as_raw(), &raw const ticks, &raw mut time) };
        (result, time)
    };
    for ticks in [1, 12_345_678_901, 1 << 50] {
        let (result, time) = to_time(ticks);
        assert_eq!(result, sys::Result::SUCCESS);
        let mut again = 0;
        let convert = functions.convert_time_to_win32_performance_counter;
        // SAFETY: the pointer is valid.
        let result = unsafe { convert(instance.as_raw(), time, &raw mut again) };
        assert_eq!((result, again), (sys::Result::SUCCESS, ticks));
    }
    for ticks in [0, -1, i64::MAX] {
        assert_eq!(to_time(ticks).0, sys::Result::ERROR_TIME_INVALID);
    }
}

#[cfg(unix)]
#[test]
fn seconds_and_nanoseconds_become_times_and_the_same_seconds_and_nanoseconds() {
    let _alone = alone();
    let instance = converter(Clock::Real);
    let functions = instance.exts().khr_convert_timespec_time;
    let functions = functions.expect("the extension is enabled");
    let to_time = |(tv_sec, tv_nsec): (i64, i64)| {
        let from = libc::timespec { tv_sec, tv_nsec };
        let mut time = sys::Time::from_nanos(0);
        let convert = functions.convert_timespec_time_to_time;
        // SAFETY: the pointers are valid.
        let result = unsafe { convert(instance.as_raw(), &raw const from, &raw mut time) };
        (result, time)
    };
    for parts in [(0, 1), (12, 345_678_901), (1 << 33, 999_999_999)] {
        let (result, time) = to_time(parts);
        assert_eq!(result, sys::Result::SUCCESS);
        let mut again = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let convert = functions.convert_time_to_timespec_time;
        // SAFETY: the pointer is valid.
        let result = unsafe { convert(instance.as_raw(), time, &raw mut again) };
        assert_eq!(result, sys::Result::SUCCESS);
        assert_eq!((again.tv_sec, again.tv_nsec), parts);
    }
    for parts in [(0, 0), (-1, 0), (i64::MAX, 0)] {
        assert_eq!(to_time(parts).0, sys::Result::ERROR_TIME_INVALID);
    }
    for parts in [(1, -1), (1, 1_000_000_000)] {
        assert_eq!(to_time(parts).0, sys::Result::ERROR_VALIDATION_FAILURE);
    }
}

#[test]
fn calls_in_any_order_with_any_arguments_return_a_result() {
    let _alone = alone();
    let settings = hostile::settings(specification::recording_of_trackers());
    let get = first_function(&settings);
    let calls =
        std::env::var("INPUTANIM_CALLS").map_or(20_000, |text| text.parse().expect("a number"));
    let results = hostile::run(get, 0x5eed, calls);
    // The calls reach a session with frames, and many kinds of failures.
    assert!(results[&0] > calls as u64 / 10, "{results:?}");
    assert!(results.len() > 15, "{results:?}");
}
