//! Motion-BIDS: names, columns and events. The program readers/motion-bids checks datasets with the BIDS
//! validator.

use inputanim::{
    BooleanCurve, DeviceName, FloatCurve, Haptic, InputValue, Joint, Known, Layout, Marker, Pose,
    Ray, Recording, Sampler, Side, Space, TimeRange, edit,
};
use inputanim_convert::motion_bids::{
    self, DatasetFile, Entities, MotionBidsError, RecordingFile, dataset_files, participants, scans,
};
use inputanim_convert::{Error, Format, LossKind, NoteKind, Report, Sampling, WriteOptions};
use inputanim_testkit::devices::device_recording;
use inputanim_testkit::samples::recordings;
use proptest::prelude::*;

fn small() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    recording.head_mut().push(0.5, &Pose::at([0.25, 1.6, 0.5]));
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, false), (0.25, true)]);
    left.pinching = BooleanCurve::new([(0.0, false), (0.3, true), (0.4, false)]);
    left.joints[Joint::Palm].push(0.0, &Pose::at([0.0, 1.0, 0.5]));
    recording.gaze_mut().push(
        0.0,
        &Ray {
            origin: [0.0, 1.6, 0.0],
            direction: [0.0, 0.0, 1.0],
        },
    );
    recording.markers = vec![
        Marker::new(0.25, "a \"b\""),
        Marker::new(0.1, "tab\there"),
        Marker::new(f32::NAN, "never"),
    ];
    recording
}

fn write(
    file: RecordingFile,
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> (String, Report) {
    let entities = Entities::from_path("p01/reach.bin").unwrap();
    let mut bytes = Vec::new();
    let report = motion_bids::write(file, recording, &entities, options, &mut bytes).unwrap();
    (String::from_utf8(bytes).unwrap(), report)
}

#[test]
fn unknown_values_are_stated_and_rows_have_no_names() {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(4.0);
    let (text, report) = write(RecordingFile::Motion, &small(), &options);
    let rows: Vec<&str> = text.lines().collect();
    let gaze = "0.0\t1.6\t0.0\t0.0\t0.0\t1.0";
    let unknown = ["n/a"; 7].join("\t");
    assert_eq!(
        rows[0],
        format!("0.0\t1.6\t0.0\t0.0\t0.0\t0.0\t1.0\t0\t0\t{unknown}\t{gaze}")
    );
    assert_eq!(
        rows[1],
        format!(
            "0.125\t1.6\t0.25\t0.0\t0.0\t0.0\t1.0\t1\t0\t0.0\t1.0\t0.5\t0.0\t0.0\t0.0\t1.0\t{gaze}"
        )
    );
    assert_eq!((rows.len(), report.rows), (3, 3));
    let (channels, _) = write(RecordingFile::Channels, &small(), &options);
    assert_eq!(channels.lines().count(), 1 + rows[0].split('\t').count());
}

#[test]
fn events_are_in_order_and_losses_are_reported() {
    let (text, report) = write(RecordingFile::Events, &small(), &WriteOptions::default());
    assert_eq!(
        text,
        "onset\tduration\ttrial_type\thand\tmarker\n\
         0.1\t0.0\tmarker\tn/a\ttab here\n\
         0.25\t0.0\tmarker\tn/a\ta \"b\"\n\
         0.25\t0.25\ttracked\tleft\tn/a\n\
         0.3\t0.099999994\tpinch\tleft\tn/a\n"
    );
    let kinds: Vec<_> = report.losses.iter().map(|loss| loss.kind).collect();
    assert_eq!(kinds, [LossKind::Markers, LossKind::Text]);
}

#[test]
fn the_description_states_rate_axes_and_channels() {
    let mut options = WriteOptions::default();
    options.space = Space::OpenXr;
    let (text, _) = write(RecordingFile::MotionJson, &small(), &options);
    for line in [
        r#""TaskName": "reach""#,
        r#""SamplingFrequency": 60.0"#,
        r#""MotionChannelCount": 22"#,
        r#""POSChannelCount": 9"#,
        r#""ORNTChannelCount": 8"#,
        r#""MISCChannelCount": 5"#,
        r#""TrackedPointsCount": 4"#,
    ] {
        assert!(text.contains(line), "{line}: {text}");
    }
    let (axes, _) = write(RecordingFile::ChannelsJson, &small(), &options);
    assert!(axes.contains(r#""SpatialAxes": "RSP""#), "{axes}");
    // Rotations are quaternions, and validators before version 2 refuse the value `n/a`.
    assert!(!axes.contains("RotationOrder"), "{axes}");
}

#[test]
fn the_effective_rate_is_that_of_the_stream_with_most_keys_per_second() {
    let describe = |recording: &Recording<'_>| {
        let options = WriteOptions::default();
        let (text, _) = write(RecordingFile::MotionJson, recording, &options);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let mut recording = small();
    for step in 0..=10 {
        let time = step as f32 / 20.0;
        let pose = Pose::at([0.0, 1.0, time]);
        recording.hands_mut().left.joints[Joint::Wrist].push(time, &pose);
    }
    let description = describe(&recording);
    assert_eq!(description["SamplingFrequencyEffective"], 20.0);
    assert_eq!(description["SamplingFrequency"], 60.0);
    // A single key has no rate.
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    let description = describe(&recording);
    assert!(description.get("SamplingFrequencyEffective").is_none());
}

#[test]
fn samples_and_onsets_begin_at_the_first_key() {
    for start in [-0.5, 0.0, 0.25] {
        let mut recording = small();
        edit::shift(&mut recording, start).unwrap();
        let mut options = WriteOptions::default();
        options.sampling = Sampling::Rate(4.0);
        let (motion, report) = write(RecordingFile::Motion, &recording, &options);
        let (expected, _) = write(RecordingFile::Motion, &small(), &options);
        assert_eq!(motion, expected, "{start}");
        // An analysis begins at the start of the sampler's range.
        let range = Sampler::new(&recording).unwrap().range().unwrap();
        assert_eq!(range.start, start);
        let kinds: Vec<_> = report.notes.iter().map(|note| note.kind).collect();
        let is_early = start < 0.0;
        assert_eq!(kinds.contains(&NoteKind::TimeShift), is_early, "{start}");

        let (events, _) = write(RecordingFile::Events, &recording, &options);
        let onsets: Vec<f32> = events
            .lines()
            .skip(1)
            .map(|line| line.split('\t').next().unwrap().parse().unwrap())
            .collect();
        let expected = [0.1, 0.25, 0.25, 0.3];
        assert_eq!(onsets.len(), expected.len());
        let pairs = onsets.iter().zip(expected);
        assert!(pairs.clone().all(|(a, b)| (a - b).abs() < 1e-6), "{events}");
        let (text, _) = write(RecordingFile::MotionJson, &recording, &options);
        let description: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(description["RecordingDuration"], 0.5, "{text}");
        let (text, _) = write(RecordingFile::EventsJson, &recording, &options);
        let time = format!("motion file, which is at {start} s in the recording");
        assert_eq!(text.contains(&time), start != 0.0, "{text}");
    }
}

#[test]
fn a_recording_without_curves_and_a_damaged_time_are_refused() {
    let entities = Entities::default();
    let options = WriteOptions::default();
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let try_write = |recording: &Recording<'_>| {
        let file = RecordingFile::Motion;
        motion_bids::write(file, recording, &entities, &options, Vec::new())
    };
    let error = try_write(&recording).unwrap_err();
    let is_empty = matches!(error.downcast_ref(), Some(MotionBidsError::NoChannels));
    assert!(is_empty, "{error}");
    recording.head_mut().position[0] = FloatCurve::linear([(0.0, 0.0), (1e9, 1.0)]);
    assert!(matches!(try_write(&recording), Err(Error::Sample(_))));
    let single = inputanim_convert::write(Format::MotionBids, &recording, &options, Vec::new());
    assert!(matches!(single, Err(Error::Dataset(Format::MotionBids))));
}

#[test]
fn every_sample_has_as_many_rows_as_frames() {
    for (path, bytes) in recordings() {
        let name = path.display();
        let recording = Recording::parse(&bytes).unwrap();
        let (text, _) = write(RecordingFile::Motion, &recording, &WriteOptions::default());
        let range = Sampler::new(&recording).unwrap().range().unwrap();
        let frames = (range.length() * 60.0).round() as usize + 1;
        assert!(text.lines().count().abs_diff(frames) <= 1, "{name}");
        assert!(!text.contains("\t\t"), "{name}");
    }
}

#[test]
fn participants_keep_their_rows_and_columns() {
    let table = "participant_id\tage\tnotes\nsub-02\t31\t\"quoted\nsub-x\t\t\n";
    let table = participants(table.as_bytes(), ["01", "02", "01"]).unwrap();
    assert_eq!(
        String::from_utf8(table.clone()).unwrap(),
        "participant_id\tage\tnotes\nsub-02\t31\t\"quoted\nsub-x\t\t\nsub-01\tn/a\tn/a\n"
    );
    assert_eq!(participants(table.as_slice(), ["x"]).unwrap(), table);
    let new = participants(std::io::empty(), ["b", "a"]).unwrap();
    assert_eq!(new, b"participant_id\nsub-a\nsub-b\n");
    assert_ne!(DatasetFile::PARTICIPANTS, dataset_files("x")[0].name);
    // A row with a missing cell stays as it is, so that the validator reports it.
    let ragged = &b"participant_id\tage\tnotes\nsub-a\t3\n"[..];
    let table = participants(ragged, ["b"]).unwrap();
    assert_eq!(table, [ragged, b"sub-b\tn/a\tn/a\n"].concat());
    // The names need not be in the first column.
    let table = participants(&b"age\tparticipant_id\n3\tsub-a\n"[..], ["a", "b"]).unwrap();
    assert_eq!(table, b"age\tparticipant_id\n3\tsub-a\nn/a\tsub-b\n");
}

#[test]
fn scans_name_the_motion_files_of_a_session() {
    let entities =
        ["p1/s1/b_run-1.bin", "p1/s1/a.bin"].map(|path| Entities::from_path(path).unwrap());
    for entities in &entities {
        assert_eq!(
            entities.scans_path(),
            "sub-p1/ses-s1/sub-p1_ses-s1_scans.tsv"
        );
    }
    let new = scans(std::io::empty(), &entities).unwrap();
    let [a, b] = ["a_tracksys-unknown", "b_tracksys-unknown_run-1"]
        .map(|name| format!("motion/sub-p1_ses-s1_task-{name}_motion.tsv"));
    assert_eq!(new, format!("filename\n{a}\n{b}\n").into_bytes());
    let completed = format!("filename\tacq_time\n{b}\t2024-05-01T10:00:00\n");
    let merged = scans(completed.as_bytes(), &entities).unwrap();
    assert_eq!(merged, format!("{completed}{a}\tn/a\n").into_bytes());
    let entities = Entities::from_path("p1/a.bin").unwrap();
    assert_eq!(entities.scans_path(), "sub-p1/sub-p1_scans.tsv");
}

/// Returns a recording of 1 s that has only a controller: a grip, a trigger and a button. It is active from 0.25 s on, and nothing is
/// known about it after 0.75 s.
fn controller() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let right = recording.device_mut(DeviceName::controller(Side::Right));
    right.set_profile(0.25, "vive\tindex");
    right.set_inactive(0.5);
    right.set_profile(0.5, "touch");
    for (time, value) in [(0.0, 0.0), (1.0, 1.0)] {
        let grip = right.pose_mut("grip".parse().unwrap());
        grip.push(time, &Pose::at([value, 1.0, 2.0]));
        let trigger = "trigger/value".parse().unwrap();
        right.push_input(trigger, time, InputValue::Float(value));
        let click = "a/click".parse().unwrap();
        right.push_input(click, time, InputValue::Boolean(value < 0.5));
    }
    for (time, duration, frequency) in [(0.5, Some(0.125), None), (0.75, None, Some(160.0))] {
        right.haptics.push(Haptic {
            time,
            output: "haptic".parse().unwrap(),
            duration,
            frequency,
            amplitude: 0.75,
        });
    }
    let whole = Known::element("right.controller.profile").unwrap();
    let gap = TimeRange {
        start: 0.75,
        end: f32::INFINITY,
    };
    recording.known.add_gap(whole, gap);
    recording
}

#[test]
fn devices_are_channels_and_events() {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(4.0);
    let recording = controller();
    let (motion, report) = write(RecordingFile::Motion, &recording, &options);
    assert!(report.losses.is_empty(), "{report:?}");
    let unknown = ["n/a"; 9].join("\t");
    let pose = "1.0\t2.0\t0.0\t0.0\t0.0\t1.0";
    let expected = [
        format!("0\t{unknown}"),
        format!("1\t0.25\t{pose}\t1\t0.25"),
        format!("1\t0.5\t{pose}\t1\t0.5"),
        format!("1\t0.75\t{pose}\t1\t0.75"),
        format!("n/a\t{unknown}"),
    ];
    let rows: Vec<&str> = motion.lines().collect();
    assert_eq!(rows, expected);
    let (channels, _) = write(RecordingFile::Channels, &recording, &options);
    let channels: Vec<&str> = channels.lines().skip(1).collect();
    assert_eq!(channels.len(), rows[0].split('\t').count());
    for (index, expected) in [
        (
            0,
            "right.controller.active\tn/a\tMISC\tright.controller\tn/a\tright hand\tn/a",
        ),
        (
            1,
            "right.controller.grip.position.x\tx\tPOS\tright.controller.grip\tm\tright hand\tworld",
        ),
        (
            7,
            "right.controller.grip.rotation.w\tquat_w\tORNT\tright.controller.grip\tn/a\tright hand\tworld",
        ),
        (
            8,
            "right.controller.a.click\tn/a\tMISC\tright.controller\tn/a\tright hand\tn/a",
        ),
        (
            9,
            "right.controller.trigger.value\tn/a\tMISC\tright.controller\tn/a\tright hand\tn/a",
        ),
    ] {
        assert_eq!(channels[index], expected);
    }
    let (description, _) = write(RecordingFile::MotionJson, &recording, &options);
    for line in [
        r#""MotionChannelCount": 10"#,
        r#""POSChannelCount": 3"#,
        r#""ORNTChannelCount": 4"#,
        r#""MISCChannelCount": 3"#,
        r#""TrackedPointsCount": 2"#,
    ] {
        assert!(description.contains(line), "{line}: {description}");
    }
    let (events, report) = write(RecordingFile::Events, &recording, &options);
    assert_eq!(
        events,
        "onset\tduration\ttrial_type\thand\tmarker\tdevice\tprofile\toutput\tamplitude\tfrequency\n\
         0.25\t0.25\tactive\tn/a\tn/a\tright.controller\tvive index\tn/a\tn/a\tn/a\n\
         0.5\t0.25\tactive\tn/a\tn/a\tright.controller\ttouch\tn/a\tn/a\tn/a\n\
         0.5\t0.125\thaptic\tn/a\tn/a\tright.controller\tn/a\thaptic\t0.75\tn/a\n\
         0.75\tn/a\thaptic\tn/a\tn/a\tright.controller\tn/a\thaptic\t0.75\t160.0\n"
    );
    let losses: Vec<_> = report
        .losses
        .iter()
        .map(|loss| (loss.kind, loss.count))
        .collect();
    assert_eq!(losses, [(LossKind::Text, 1)]);
    // All columns and kinds are described, and only if there are any.
    let describe = |recording: &Recording<'_>| {
        let (text, _) = write(RecordingFile::EventsJson, recording, &options);
        serde_json::from_str::<serde_json::Value>(&text).unwrap()
    };
    let description = describe(&recording);
    for column in events.lines().next().unwrap().split('\t') {
        assert!(description[column]["Description"].is_string(), "{column}");
    }
    let levels =
        |value: &serde_json::Value| value["trial_type"]["Levels"].as_object().unwrap().len();
    assert_eq!(levels(&description), 5);
    let description = describe(&small());
    assert_eq!(levels(&description), 3);
    assert_eq!(description.as_object().unwrap().len(), 5);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn the_samples_of_devices_have_a_channel_each_and_are_numbers(recording in device_recording()) {
        let mut options = WriteOptions::default();
        options.sampling = Sampling::Rate(16.0);
        let (motion, report) = write(RecordingFile::Motion, &recording, &options);
        prop_assert!(report.losses.is_empty(), "{:?}", report);
        let (channels, _) = write(RecordingFile::Channels, &recording, &options);
        let channels: Vec<&str> = channels.lines().skip(1).collect();
        let names: Vec<&str> = channels.iter().map(|row| row.split('\t').next().unwrap()).collect();
        for (row, line) in motion.lines().enumerate() {
            let cells: Vec<&str> = line.split('\t').collect();
            prop_assert_eq!(cells.len(), channels.len());
            let time = row as f32 / 16.0;
            let frame = Sampler::new(&recording).unwrap().frame_at(time);
            for device in &recording.devices {
                let frame = frame.device(device.name);
                let cell = |name: String| {
                    names.iter().position(|other| *other == name).map(|index| cells[index])
                };
                // `None` for a missing column, `Some(None)` for an unknown value.
                let number = |name: String| {
                    cell(name).map(|cell| (cell != "n/a").then(|| cell.parse::<f32>().unwrap()))
                };
                if device.is_empty() {
                    prop_assert_eq!(cell(format!("{}.active", device.name)), None);
                    continue;
                }
                let active = frame.map_or("n/a", |frame| if frame.active { "1" } else { "0" });
                prop_assert_eq!(cell(format!("{}.active", device.name)), Some(active));
                for (name, _) in &device.inputs {
                    let value = frame.and_then(|frame| frame.input(*name)).map(InputValue::number);
                    let found = number(format!("{}.{name}", device.name));
                    prop_assert_eq!(found, Some(value), "{} at {}", name, time);
                }
                for (name, _) in &device.poses {
                    let pose = frame.and_then(|frame| frame.pose(*name));
                    let found = number(format!("{}.{name}.position.x", device.name));
                    prop_assert_eq!(found, Some(pose.map(|pose| pose.position[0])), "{} at {}", name, time);
                }
            }
        }
        // Each pulse is an event, and each unknown or inactive time is outside of the events `active`.
        let (events, _) = write(RecordingFile::Events, &recording, &options);
        let pulses = recording.devices.iter().map(|device| device.haptics.len()).sum::<usize>();
        prop_assert_eq!(events.lines().filter(|line| line.contains("\thaptic\tn/a")).count(), pulses);
        for line in events.lines().filter(|line| line.contains("\tactive\t")) {
            let cells: Vec<&str> = line.split('\t').collect();
            let (onset, duration): (f32, f32) = (cells[0].parse().unwrap(), cells[1].parse().unwrap());
            if duration == 0.0 {
                continue;
            }
            let frame = Sampler::new(&recording).unwrap().frame_at(onset + duration / 2.0);
            let device = frame.device(cells[5].parse().unwrap());
            prop_assert!(device.is_some_and(|device| device.active), "{}", line);
            let profile = device.and_then(|device| device.profile.as_deref());
            prop_assert_eq!(profile.unwrap_or("n/a"), cells[6]);
        }
    }
}
