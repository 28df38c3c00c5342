//! Controllers, trackers and other devices in XDF.

use inputanim::{
    DeviceFrame, DeviceName, Element, InputValue, Layout, Pose, Recording, Sampler, Side, TimeRange,
};
use inputanim_convert::{
    Format, LossKind, NoteKind, ReadOptions, Sampling, WriteOptions, read, write_bytes,
};
use inputanim_testkit::devices::device_recording;
use inputanim_testkit::xdf::Lab;
use proptest::prelude::*;

use crate::xdf_files::error;

/// Checks that two devices are equal, except for the signs of rotations and their last digits.
fn assert_same(found: &[DeviceFrame], expected: &[DeviceFrame], time: f32) {
    assert_eq!(
        found.len(),
        expected.len(),
        "{time}: {found:?} {expected:?}"
    );
    for (found, expected) in found.iter().zip(expected) {
        let facts = |device: &DeviceFrame| (device.name, device.active, device.profile.clone());
        assert_eq!(facts(found), facts(expected), "{time}");
        assert_eq!(found.inputs, expected.inputs, "{time}");
        assert_eq!(found.poses.len(), expected.poses.len(), "{time}");
        for ((name, found), (of, expected)) in found.poses.iter().zip(&expected.poses) {
            assert_eq!((name, found.position), (of, expected.position), "{time}");
            let rotations = found.rotation.iter().zip(expected.rotation);
            let dot: f32 = rotations.map(|(a, b)| a * b).sum();
            assert!((dot.abs() - 1.0).abs() < 1e-6, "{time}: {dot}");
        }
    }
}

fn at(sampling: Sampling) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.sampling = sampling;
    options
}

proptest! {
    #[test]
    fn devices_come_back_at_every_sample(recording in device_recording(), rate in 5_u8..60) {
        let sampler = Sampler::new(&recording).unwrap();
        for sampling in [Sampling::Keys, Sampling::Rate(rate.into())] {
            let (bytes, report) = write_bytes(Format::Xdf, &recording, &at(sampling)).unwrap();
            let lost = report.losses.iter().filter(|loss| loss.kind == LossKind::Devices);
            let pulsing = recording.devices.iter().filter(|device| !device.haptics.is_empty());
            prop_assert_eq!(lost.count(), pulsing.count());
            let (again, report) = read(Format::Xdf, &bytes, &ReadOptions::default()).unwrap();
            prop_assert!(report.losses.is_empty(), "{:?}", report.losses);
            prop_assert_eq!(again.duration(), recording.duration());
            let found = Sampler::new(&again).unwrap();
            let times = match sampling {
                Sampling::Rate(rate) => TimeRange { start: 0.0, end: 4.0 }.times_at(rate).collect(),
                _ => sampler.key_times(),
            };
            for time in times {
                assert_same(&found.frame_at(time).devices, &sampler.frame_at(time).devices, time);
            }
        }
    }
}

/// Returns a recording of 1 s with a right controller, whose button is pressed between two samples at 10 Hz.
fn controller() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.about.set("task", "press");
    let right = recording.device_mut(DeviceName::controller(Side::Right));
    right.set_profile(0.0, "/interaction_profiles/valve/index_controller");
    let aim = right.pose_mut("aim".parse().unwrap());
    aim.push(0.0, &Pose::at([0.0, 1.0, 2.0]));
    aim.push(1.0, &Pose::at([1.0, 1.0, 2.0]));
    for (time, is_on) in [(0.0, false), (0.33, true), (1.0, true)] {
        right.push_input("a/click".parse().unwrap(), time, InputValue::Boolean(is_on));
    }
    recording
}

#[test]
fn a_device_is_a_stream_with_labels_and_units() {
    let (bytes, report) =
        write_bytes(Format::Xdf, &controller(), &at(Sampling::Rate(10.0))).unwrap();
    assert!(report.losses.is_empty());
    let text = String::from_utf8_lossy(&bytes);
    for part in [
        "<name>inputanim-right.controller</name>",
        "<type>Controller</type>",
        "<channel_count>10</channel_count>",
        "<label>right.controller.active</label><type>State</type><unit>boolean</unit>",
        "<label>right.controller.aim.position.x</label><object>right.controller.aim</object>\
         <type>PositionX</type><unit>meters</unit>",
        "<label>right.controller.a.click</label><type>Input</type><unit>boolean</unit>",
        "<device><name>right.controller</name>\
         <profile>/interaction_profiles/valve/index_controller</profile></device>",
    ] {
        assert!(text.contains(part), "{part}");
    }
    let (again, _) = read(Format::Xdf, &bytes, &ReadOptions::default()).unwrap();
    assert_eq!(again.hands, None);
    assert_eq!(again.about.get("task"), Some("press"));
    let sampler = Sampler::new(&again).unwrap();
    let button = |time: f32| {
        let frame = sampler.frame_at(time);
        let device = frame.device(DeviceName::controller(Side::Right)).unwrap();
        device.input("a/click".parse().unwrap())
    };
    // Buttons change at their own times.
    assert_eq!(button(0.329), Some(InputValue::Boolean(false)));
    assert_eq!(button(0.331), Some(InputValue::Boolean(true)));
}

#[test]
fn a_button_alone_lasts_as_long_as_its_recording() {
    let mut recording = controller();
    let device = recording.device_mut(DeviceName::controller(Side::Right));
    device.poses.clear();
    device.profiles.clear();
    for sampling in [Sampling::Keys, Sampling::Rate(10.0)] {
        let (bytes, _) = write_bytes(Format::Xdf, &recording, &at(sampling)).unwrap();
        let (again, _) = read(Format::Xdf, &bytes, &ReadOptions::default()).unwrap();
        assert_eq!(again.duration(), 1.0);
        let sampler = Sampler::new(&again).unwrap();
        let found = [0.0, 0.5].map(|time| sampler.frame_at(time).devices);
        let sampler = Sampler::new(&recording).unwrap();
        assert_eq!(found, [0.0, 0.5].map(|time| sampler.frame_at(time).devices));
    }
}

#[test]
fn labels_of_other_programs_are_no_devices() {
    let mut lab = Lab::new();
    let labels = ["right.controller.trigger.value"];
    lab.stream(7, ["Other", "Controller", "float32"], 0.0, &labels);
    lab.floats(7, &[(1.0, &[0.5])]);
    let message = error(&lab.0, &[]);
    assert!(message.contains("Other"), "{message}");
    let message = error(&lab.0, &["right.controller.trigger.value=Other/1"]);
    assert!(message.contains("without a mapping"), "{message}");
    // Beside a recording of this library, such a stream is not read, and a note names it.
    let (own, _) = write_bytes(Format::Xdf, &controller(), &at(Sampling::Keys)).unwrap();
    let both = [&own[..], &lab.0[4..]].concat();
    let (recording, report) = read(Format::Xdf, &both, &ReadOptions::default()).unwrap();
    assert_eq!(recording.devices.len(), 1);
    let mut notes = report.notes.iter();
    assert!(
        notes.any(|note| note.kind == NoteKind::OtherContent && note.message.contains("Other"))
    );
}

#[test]
fn a_device_that_is_never_known_stays_unknown() {
    let mut recording = controller();
    let name = DeviceName::controller(Side::Right);
    let always = TimeRange {
        start: f32::NEG_INFINITY,
        end: f32::INFINITY,
    };
    recording.known.add_gap(Element::Profile(name), always);
    let (bytes, _) = write_bytes(Format::Xdf, &recording, &at(Sampling::Keys)).unwrap();
    let (again, _) = read(Format::Xdf, &bytes, &ReadOptions::default()).unwrap();
    assert_eq!(again.known.gaps(Element::Profile(name)), [always]);
}
