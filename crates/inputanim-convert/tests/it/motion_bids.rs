//! Motion-BIDS: names, columns and events. The program readers/motion-bids checks datasets with the BIDS
//! validator.

use inputanim::{
    BooleanCurve, FloatCurve, Joint, Layout, Marker, Pose, Ray, Recording, Sampler, Space, edit,
};
use inputanim_convert::motion_bids::{
    self, DatasetFile, Entities, MotionBidsError, RecordingFile, dataset_files, participants, scans,
};
use inputanim_convert::{Error, Format, LossKind, NoteKind, Report, Sampling, WriteOptions};
use inputanim_testkit::samples::recordings;

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
