//! Controllers, trackers and other devices in the formats.

#[cfg(feature = "json")]
use inputanim::Recording;
use inputanim_convert::{
    Format, LossKind, ReadOptions, WriteOptions, read, read_in_layout, write_bytes,
};
use inputanim_testkit::devices::device_recording;
use proptest::prelude::*;

proptest! {
    // Each case writes all formats.
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn a_format_holds_devices_or_names_each_as_a_loss(recording in device_recording()) {
        for &format in Format::ALL {
            if !format.can_write() || !format.is_in_build() || format.is_dataset() {
                continue;
            }
            let Ok((bytes, report)) = write_bytes(format, &recording, &WriteOptions::default()) else {
                // A skeleton needs a hand.
                prop_assert!(matches!(format, Format::Bvh | Format::Usda | Format::Usdc | Format::Anim), "{format}");
                continue;
            };
            // It holds a part of controllers, and has a test of its own.
            if format == Format::Iwer {
                continue;
            }
            let lost = report.losses.iter().filter(|loss| loss.kind == LossKind::Devices).count();
            // Tables of keys hold everything: see `device_tables`. XDF has a test of its own in `xdf_devices`.
            if format.is_table() || format == Format::Xdf {
                let pulsing = recording.devices.iter().filter(|device| !device.haptics.is_empty());
                prop_assert_eq!(lost, pulsing.count(), "{}", format);
                continue;
            }
            if !format.holds_devices() {
                prop_assert_eq!(lost, recording.devices.len(), "{}", format);
                continue;
            }
            prop_assert_eq!(lost, 0);
            let (again, report) = read(format, &bytes, &ReadOptions::default()).unwrap();
            prop_assert_eq!(&again, &recording, "{}: {:?}", format, report);
            let (again, report) = read_in_layout(format, &bytes, &ReadOptions::default()).unwrap();
            prop_assert_eq!(&again.devices, &recording.devices, "{}: {:?}", format, report);
        }
    }
}

#[test]
fn a_device_in_json_is_one_line_with_its_profiles_and_pulses() {
    let text = br#"{
  "format": "inputanim-json",
  "version": 3,
  "layout": "mrtk-1.1",
  "flags": {"head": 0, "hand": 0, "gaze": 0},
  "curves": [
    {"curve":"right.controller.a.click","preWrap":8,"postWrap":8,"kind":"boolean","keys":[[0.0,1.0]]},
    {"curve":"right.controller.trigger.value","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.0,0.25]]}
  ],
  "devices": [
    {"device":"right.controller","profiles":[[0.0,true,"/interaction_profiles/valve/index_controller"],[2.0,false,null]],"haptics":[[0.5,"haptic",null,160.0,0.75]]}
  ],
  "markers": [
  ]
}
"#;
    let (recording, report) = read(Format::Json, text, &ReadOptions::default()).unwrap();
    assert!(report.losses.is_empty(), "{report:?}");
    let [device] = &recording.devices[..] else {
        panic!("one device");
    };
    assert!(device.is_active_at(1.0) && !device.is_active_at(2.0));
    assert_eq!(device.haptics[0].frequency, Some(160.0));
    let (again, _) = write_bytes(Format::Json, &recording, &WriteOptions::default()).unwrap();
    assert_eq!(
        String::from_utf8(again).unwrap(),
        String::from_utf8(text.to_vec()).unwrap()
    );
    // A damaged pulse costs itself.
    let damaged = String::from_utf8(text.to_vec())
        .unwrap()
        .replace("0.75", "\"NaN\"");
    let (recording, report) =
        read(Format::Json, damaged.as_bytes(), &ReadOptions::default()).unwrap();
    let device = &recording.devices[0];
    assert_eq!((device.profiles.len(), device.inputs.len()), (2, 2));
    assert!(
        report.losses[0]
            .message
            .contains("haptic pulse 0 of right.controller cannot be read: expected finite numbers"),
        "{report:?}"
    );
    for (from, to) in [
        ("right.controller\",", "right.hand\","),
        ("\"haptic\"", "\"a haptic\""),
    ] {
        let damaged = String::from_utf8(text.to_vec()).unwrap().replace(from, to);
        let (_, report) = read(Format::Json, damaged.as_bytes(), &ReadOptions::default()).unwrap();
        assert!(
            report.losses[0].message.contains("invalid name"),
            "{report:?}"
        );
    }
}

#[test]
fn the_values_of_a_headset_hold_in_each_format_with_devices() {
    use inputanim::headset::{self, Headset};
    use inputanim::{Frame, Joint, Layout, Pose, Recorder, Recording, Sampler, Side};
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for step in 0..=10 {
        let mut headset = Headset::default();
        headset.eye_distance = Some(if step < 5 { 0.0625 } else { 0.065 });
        headset.views = [Some(headset::ViewAngles::default()); 2];
        headset.set_radius(Side::Right, Joint::Palm, Some(0.0175));
        let frame = Frame {
            time: step as f32 / 10.0,
            head: Some(Pose::at([0.0, 1.6, 0.0])),
            devices: vec![headset.device_frame()],
            ..Frame::default()
        };
        recorder.push(&frame).unwrap();
    }
    let recording = recorder.finish();
    let at = |recording: &Recording<'_>, time: f32| {
        let frame = Sampler::new(recording).unwrap().frame_at(time);
        Headset::of(frame.device(headset::name()).unwrap())
    };
    let mut formats = 0;
    for &format in Format::ALL {
        let is_written = format.can_write() && format.is_in_build() && !format.is_dataset();
        if !is_written || !(format.holds_devices() || format.is_table()) {
            continue;
        }
        let written = write_bytes(format, &recording, &WriteOptions::default());
        let (bytes, report) = written.unwrap();
        assert_eq!(report.losses, [], "{format}");
        let (again, _) = read(format, &bytes, &ReadOptions::default()).unwrap();
        for time in [0.0, 0.25, 0.45, 0.5, 0.75, 1.0] {
            let (wanted, found) = (at(&recording, time), at(&again, time));
            assert_eq!(found, wanted, "{format} at {time} s");
        }
        formats += 1;
    }
    assert!(formats >= 4, "{formats}");
}

/// Returns the recording of a JSON file with a controller and these devices, and the messages of the losses.
#[cfg(feature = "json")]
fn json_with_devices(devices: &str) -> (Recording<'static>, Vec<String>) {
    let text = format!(
        r#"{{"format":"inputanim-json","version":3,"layout":"mrtk-1.1","flags":{{"head":0,"hand":0,"gaze":0}},
"curves":[
{{"curve":"right.controller.trigger.value","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0,0.25],[4,0.75]]}}],
"markers":[],
"devices":[
{devices}]}}"#
    );
    let (recording, report) =
        inputanim_convert::read(Format::Json, text.as_bytes(), &ReadOptions::default()).unwrap();
    let losses = report.losses.into_iter().map(|loss| loss.message);
    (recording.into_owned(), losses.collect())
}

#[cfg(feature = "json")]
#[test]
fn a_bad_entry_of_a_device_costs_only_itself() {
    let right = r#"{"device":"right.controller","profiles":[[0,true,"a"],[1,"no",null],[2,true,"b"]],"haptics":[[0.5,"haptic",null,160,0.5],[1,"haptic",null,"x",1]]}"#;
    let (recording, losses) = json_with_devices(right);
    let device = &recording.devices[0];
    assert_eq!((device.profiles.len(), device.haptics.len()), (2, 1));
    // Nothing is known between the changes before and after the bad one.
    let sampler = inputanim::Sampler::new(&recording).unwrap();
    let is_known = |time: f32| {
        let frame = sampler.frame_at(time);
        frame
            .device(device.name)
            .is_some_and(|device| device.active)
    };
    assert_eq!([0.0, 1.5, 3.0].map(is_known), [true, false, true]);
    let [loss] = &losses[..] else {
        panic!("{losses:?}")
    };
    assert!(
        loss.starts_with("2 parts that cannot be read; the first: profile 1 of right.controller"),
        "{loss}"
    );
}

#[cfg(feature = "json")]
#[test]
fn a_device_that_occurs_twice_is_read_once() {
    let twice = r#"{"device":"right.controller","profiles":[[0,true,"a"]],"haptics":[]},
{"device":"right.controller","profiles":[],"haptics":[]}"#;
    let (recording, losses) = json_with_devices(twice);
    assert_eq!(recording.devices[0].profiles.len(), 1);
    assert!(
        losses
            .join("\n")
            .contains("duplicate device right.controller"),
        "{losses:?}"
    );
    // Nothing is known about a device whose element cannot be read, although it has curves.
    let (recording, losses) = json_with_devices(r#"{"device":"right.controller","profiles":3}"#);
    assert!(
        losses
            .join("\n")
            .contains("right.controller is unknown at all times"),
        "{losses:?}"
    );
    let frame = inputanim::Sampler::new(&recording).unwrap().frame_at(1.0);
    assert!(
        frame
            .device(recording.devices[0].name)
            .is_none_or(|device| !device.active)
    );
}

#[cfg(feature = "json")]
#[test]
fn haptic_pulses_out_of_range_are_left_out_and_named() {
    use inputanim::{DeviceName, Haptic, Layout, Side};
    let right = DeviceName::controller(Side::Right);
    let pulse = Haptic {
        time: 0.5,
        output: "haptic".parse().unwrap(),
        duration: Some(0.25),
        frequency: Some(0.0),
        amplitude: 0.125,
    };
    let mut valid = Recording::new(Layout::Mrtk1_1);
    let device = valid.device_mut(right);
    device.set_profile(0.0, "/interaction_profiles/valve/index_controller");
    device.haptics = vec![pulse];
    for invalid in [
        Haptic {
            amplitude: 2.0,
            ..pulse
        },
        Haptic {
            amplitude: -1.0,
            ..pulse
        },
        Haptic {
            amplitude: f32::NAN,
            ..pulse
        },
        Haptic {
            duration: Some(-1.0),
            ..pulse
        },
        Haptic {
            frequency: Some(-5.0),
            ..pulse
        },
        Haptic {
            frequency: Some(f32::INFINITY),
            ..pulse
        },
    ] {
        let mut recording = valid.clone();
        recording.device_mut(right).haptics.push(invalid);
        for &format in Format::ALL {
            let can_write = format.can_write() && format.is_in_build();
            if !can_write || !format.holds_devices() || format.is_dataset() {
                continue;
            }
            let (bytes, report) =
                write_bytes(format, &recording, &WriteOptions::default()).unwrap();
            let [loss] = &report.losses[..] else {
                panic!("{format}: {:?}", report.losses)
            };
            assert!(
                loss.message
                    .starts_with("1 haptic pulse of right.controller: expected "),
                "{}",
                loss.message
            );
            let (again, report) = read(format, &bytes, &ReadOptions::default()).unwrap();
            assert_eq!(again, valid, "{format}");
            assert_eq!(report.losses, [], "{format}");
        }
    }
    let (text, _) = write_bytes(Format::Json, &valid, &WriteOptions::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    assert!(text.contains(",0.25,0.0,0.125]"), "{text}");
    for other in [",0.25,0.0,1.5]", ",-0.25,0.0,0.125]", ",0.25,-1.0,0.125]"] {
        let text = text.replace(",0.25,0.0,0.125]", other);
        let (again, report) = read(Format::Json, text.as_bytes(), &ReadOptions::default()).unwrap();
        let device = again.device(right).unwrap();
        assert_eq!((device.haptics.len(), device.profiles.len()), (0, 1));
        let [loss] = &report.losses[..] else {
            panic!("{:?}", report.losses)
        };
        assert!(
            loss.message.contains("an amplitude from 0 to 1"),
            "{}",
            loss.message
        );
    }
}

#[cfg(feature = "json")]
#[test]
fn the_profile_of_an_inactive_device_is_named() {
    use inputanim::{DeviceName, Layout, Side};
    let right = DeviceName::controller(Side::Right);
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let device = recording.device_mut(right);
    device.set_profile(0.0, "/interaction_profiles/valve/index_controller");
    device.set_inactive(1.5);
    let (text, _) = write_bytes(Format::Json, &recording, &WriteOptions::default()).unwrap();
    let text = String::from_utf8(text).unwrap();
    let other = text.replace("[1.5,false,null]", "[1.5,false,\"vive\"]");
    assert_ne!(text, other);
    let (again, report) = read(Format::Json, other.as_bytes(), &ReadOptions::default()).unwrap();
    assert_eq!(again, recording);
    let [loss] = &report.losses[..] else {
        panic!("{:?}", report.losses)
    };
    assert!(
        loss.message.contains("\"vive\" is ignored"),
        "{}",
        loss.message
    );
}

#[cfg(all(feature = "tables", feature = "json", feature = "iwer"))]
#[test]
fn the_velocities_of_a_device_have_the_axes_of_its_poses_in_each_format() {
    use inputanim::velocity::{VelocityKind, VelocityVector};
    use inputanim::{DeviceName, InputValue, Layout, Pose, Sampler, Side, Space};
    use inputanim_convert::Sampling;
    let device = DeviceName::controller(Side::Right);
    let pose = "grip".parse().unwrap();
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for step in 0..5_u8 {
        let time = f32::from(step) / 4.0;
        recording.head_mut().push(time, &Pose::at([0.0, 1.6, 0.0]));
        let device = recording.device_mut(device);
        device
            .pose_mut(pose)
            .push(time, &Pose::at([time, 1.0, 0.5]));
        for (kind, vector) in [
            (VelocityKind::Linear, [1.0, 2.0, -3.0]),
            (VelocityKind::Angular, [-0.5, 0.25, time]),
        ] {
            let names = VelocityVector { pose, kind }.inputs().unwrap();
            for (name, number) in names.into_iter().zip(vector) {
                device.push_input(name, time, InputValue::Float(number));
            }
        }
    }
    let values = |recording: &Recording<'_>| {
        let frame = Sampler::new(recording).unwrap().frame_at(0.5);
        frame.device(device).unwrap().inputs.clone()
    };
    let wanted = values(&recording);
    for &space in Space::ALL {
        for format in [
            Format::Csv,
            Format::Ndjson,
            Format::Arrow,
            Format::Parquet,
            Format::Xdf,
        ] {
            let mut options = WriteOptions::default();
            options.space = space;
            options.sampling = Sampling::Rate(4.0);
            let (bytes, report) = write_bytes(format, &recording, &options).unwrap();
            assert_eq!(report.losses, [], "{format}");
            let mut options = ReadOptions::default();
            options.space = [Format::Csv, Format::Ndjson]
                .contains(&format)
                .then_some(space);
            let (read, _) = inputanim_convert::read(format, &bytes, &options).unwrap();
            assert_eq!(values(&read), wanted, "{format} in {space}");
        }
    }
    // The column of an axis of Blender has the values of the axis of Unity.
    let mut options = WriteOptions::default();
    options.space = Space::Blender;
    let (bytes, _) = write_bytes(Format::Csv, &recording, &options).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').collect::<Vec<_>>());
    let (names, row) = (lines.next().unwrap(), lines.next().unwrap());
    let cell = |name: &str| {
        let column = names.iter().position(|other| *other == name).unwrap();
        row[column].parse::<f32>().unwrap()
    };
    let linear =
        ["x", "y", "z"].map(|axis| cell(&format!("right.controller.grip.linear_velocity.{axis}")));
    let angular =
        ["x", "y", "z"].map(|axis| cell(&format!("right.controller.grip.angular_velocity.{axis}")));
    assert_eq!((linear, angular), ([1.0, -3.0, 2.0], [0.5, 0.0, -0.25]));
    let (_, report) = write_bytes(Format::Iwer, &recording, &WriteOptions::default()).unwrap();
    let losses: Vec<String> = report.losses.iter().map(ToString::to_string).collect();
    assert!(
        losses
            .iter()
            .any(|loss| loss.contains("grip.linear_velocity.x")),
        "{losses:?}"
    );
}

#[cfg(all(
    feature = "tables",
    feature = "arrow",
    feature = "parquet",
    feature = "xdf",
    feature = "mcap"
))]
#[test]
fn one_axis_of_a_velocity_is_kept_in_the_axes_of_all_systems() {
    use inputanim::velocity::{VelocityKind, VelocityVector};
    use inputanim::{DeviceName, InputValue, Layout, Pose, PoseName, Sampler, Side, Space};
    use inputanim_convert::Sampling;
    let device = DeviceName::controller(Side::Right);
    let pose: PoseName = "grip".parse().unwrap();
    let kinds = [VelocityKind::Linear, VelocityKind::Angular];
    let vectors = kinds.map(|kind| VelocityVector { pose, kind }.inputs().unwrap());
    for name in vectors.into_iter().flatten() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for time in [0.0, 1.0] {
            recording.head_mut().push(time, &Pose::at([0.0, 1.6, 0.0]));
            let device = recording.device_mut(device);
            device.pose_mut(pose).push(time, &Pose::IDENTITY);
            device.push_input(name, time, InputValue::Float(2.0 - time));
        }
        for &space in Space::ALL {
            for format in [
                Format::Csv,
                Format::Ndjson,
                Format::Arrow,
                Format::Parquet,
                Format::Xdf,
                Format::Mcap,
            ] {
                let mut options = WriteOptions::default();
                options.space = space;
                options.sampling = Sampling::Rate(4.0);
                let (bytes, report) = write_bytes(format, &recording, &options).unwrap();
                assert_eq!(report.losses, [], "{format}");
                let mut options = ReadOptions::default();
                options.space = [Format::Csv, Format::Ndjson]
                    .contains(&format)
                    .then_some(space);
                let (read, _) = inputanim_convert::read(format, &bytes, &options).unwrap();
                let frame = Sampler::new(&read).unwrap().frame_at(0.5);
                let inputs = &frame.device(device).unwrap().inputs;
                let wanted = [(name, InputValue::Float(1.5))];
                assert_eq!(inputs[..], wanted, "{format} in {space}");
            }
        }
    }
}
