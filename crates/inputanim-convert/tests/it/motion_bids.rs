//! Motion-BIDS: names, columns and events. The program readers/motion-bids checks datasets with the BIDS
//! validator.

use inputanim::{
    BooleanCurve, FloatCurve, Joint, Layout, Marker, Pose, Ray, Recording, Sampler, Space,
};
use inputanim_convert::motion_bids::{
    self, DatasetFile, Entities, MotionBidsError, RecordingFile, dataset_files, participants,
};
use inputanim_convert::{Error, Format, LossKind, Report, Sampling, WriteOptions};
use inputanim_testkit::samples::recordings;

fn small() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.camera_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    recording
        .camera_mut()
        .push(0.5, &Pose::at([0.25, 1.6, 0.5]));
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
    let is_empty = matches!(error, Error::MotionBids(MotionBidsError::NoChannels));
    assert!(is_empty, "{error}");
    recording.camera_mut().position[0] = FloatCurve::linear([(0.0, 0.0), (1e9, 1.0)]);
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
        let end = Sampler::new(&recording).unwrap().duration();
        let frames = (end * 60.0).round() as usize + 1;
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
}
