//! Tables: keys come back bit for bit, and wide tables contain the samples.

use crate::table_formats::{FORMATS, TableFormat};
use crate::table_recordings::{at_keys, keys, sample_recording, with_markers};
use inputanim::{
    Element, FloatCurve, Joint, Layout, Marker, Pose, Recording, Sampler, Space, TimeRange, diff,
};
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{self, TableError, TableWriter};
use inputanim_convert::{
    Error, Format, ReadOptions, SampleError, Sampling, TableShape, WriteOptions, write,
};
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn keys_come_back_bit_for_bit(recording in inputanim_testkit::random::recording()) {
        for format in FORMATS {
            let bytes = format.write(&recording, &keys());
            prop_assert_eq!(&format.read(&bytes).unwrap(), &recording, "{:?}", format);
        }
    }

    #[test]
    fn all_formats_read_the_same_samples(recording in inputanim_testkit::plausible::recording()) {
        // Text does not state its layout.
        let options = {
 let mut options = ReadOptions::default();
 options.layout = Some(recording.layout);
 options
};
        let read = |format: Format| format.read_with(&format.write(&recording, &at_keys()), &options);
        let expected = read(FORMATS[0]);
        for format in &FORMATS[1..] {
            let read = read(*format);
            match (&expected, &read) {
                (Ok(expected), Ok(read)) => {
                    prop_assert_eq!(&expected.head, &read.head);
                    prop_assert_eq!(&expected.hands, &read.hands);
                    prop_assert_eq!(&expected.gaze, &read.gaze);
                }
                // Text cannot represent infinity.
                (Err(_), Err(_)) => {}
                _ => prop_assert!(false, "{format:?}: {read:?}, but {expected:?}"),
            }
        }
    }
}

#[test]
fn a_time_range_selects_rows_of_a_table_of_keys() {
    let mut recording = sample_recording();
    recording.markers = [0.5, 2.5].map(|time| Marker::new(time, "m")).into();
    let gap = |start, end| TimeRange { start, end };
    for gap in [gap(0.1, 0.2), gap(0.8, 1.0), gap(2.0, 3.0)] {
        recording.known.add_gap(Element::Gaze, gap);
    }
    let mut options = keys();
    let all = Format::Csv.write(&recording, &options);
    options.time = Some(gap(0.9, 2.5));
    let selected = Format::Csv.write(&recording, &options);
    let lines = |bytes: &[u8]| -> Vec<String> {
        let text = String::from_utf8(bytes.to_owned()).unwrap();
        text.lines().map(str::to_owned).collect()
    };
    let is_in = |line: &String| {
        let cells: Vec<&str> = line.split(',').collect();
        let [start, end] = [1, 2].map(|cell| cells[cell].parse::<f32>().ok());
        match start {
            Some(start) if cells[8] == "gap" => start <= 2.5 && end.unwrap() >= 0.9,
            Some(start) => (0.9..=2.5).contains(&start),
            None => true,
        }
    };
    let expected: Vec<String> = lines(&all).into_iter().filter(is_in).collect();
    assert_eq!(lines(&selected), expected);
    assert_eq!(
        expected
            .iter()
            .filter(|line| line.contains(",gap,"))
            .count(),
        2
    );
    // All formats have the same rows.
    let read = Format::Csv.read(&selected).unwrap();
    assert_eq!(read.markers, [Marker::new(2.5, "m")]);
    for format in FORMATS {
        let bytes = format.write(&recording, &options);
        assert_eq!(format.read(&bytes).unwrap(), read, "{format:?}");
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn corpus_files_come_back_from_tables_bit_for_bit() {
    for (path, bytes) in inputanim_testkit::corpus::recordings() {
        let recording = Recording::parse(&bytes).unwrap();
        for format in FORMATS {
            let back = format.read(&format.write(&recording, &keys())).unwrap();
            assert!(back.to_bytes().unwrap() == bytes, "{format:?} {path:?}");
        }
    }
}

#[test]
fn recorded_frames_come_back_from_a_wide_table() {
    let recording = sample_recording();
    for format in FORMATS {
        let bytes = format.write(&recording, &with_markers(at_keys()));
        let back = format.read(&bytes).unwrap();
        assert_eq!(back.markers, recording.markers, "{format:?}");
        let mut options = diff::DiffOptions::default();
        options.tolerance = diff::Tolerance::EXACT;
        options.tolerance.rotation = 0.001;
        let difference = recording.diff(&back, &options).unwrap();
        assert_ne!(
            difference.verdict,
            diff::Verdict::Different,
            "{format:?}: {difference:?}"
        );
    }
}

#[test]
fn a_wide_table_has_the_samples_in_the_requested_axes() {
    let recording = sample_recording();
    let sampler = Sampler::new(&recording).unwrap();
    for &space in Space::ALL {
        let options = {
            let mut options = WriteOptions::default();
            options.sampling = Sampling::Rate(50.0);
            options.space = space;
            options
        };
        for format in [Format::Arrow, Format::Parquet, Format::Ndjson] {
            let bytes = format.write(&recording, &options);
            let read_options = {
                let mut options = ReadOptions::default();
                // Text does not state its axes.
                options.space = (format == Format::Ndjson).then_some(space);
                options
            };
            let back = format.read_with(&bytes, &read_options).unwrap();
            let back = Sampler::new(&back).unwrap().with_raw_rotations();
            let whole = TimeRange {
                start: 0.0,
                end: sampler.duration(),
            };
            let mut rows = 0;
            for frame in sampler.frames(whole.times_at(50.0)) {
                let mut there = back.frame_at(frame.time);
                // The sign of a rotation is chosen when it is recorded.
                let poses = there.right.joints.iter_mut();
                let poses = poses.filter_map(|(joint, pose)| Some((joint, pose.as_mut()?)));
                for (joint, pose) in poses {
                    let expected = frame.right.joints[joint].unwrap().rotation;
                    if expected.map(|part| -part) == pose.rotation {
                        pose.rotation = expected;
                    }
                }
                if let (Some(there), Some(expected)) = (&mut there.head, frame.head)
                    && expected.rotation.map(|part| -part) == there.rotation
                {
                    there.rotation = expected.rotation;
                }
                assert_eq!(there, frame, "{format:?} {space}");
                rows += 1;
            }
            assert_eq!(rows, 66);
        }
    }
}

#[test]
fn the_text_of_a_small_recording_is_readable() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.hands_mut().left.tracked.push(0.0, true);
    recording.hands_mut().left.joints[Joint::Palm].push(0.0, &Pose::at([0.5, 1.0, -0.0]));
    recording.hands_mut().left.joints[Joint::Palm].position[0]
        .pre_wrap
        .0 = 2;
    recording.hands_mut().right.pinching.post_wrap.0 = 2;
    recording.markers.push(Marker::new(0.25, "start, now"));
    let keys_of = |format: Format| String::from_utf8(format.write(&recording, &keys())).unwrap();
    let expected = "\
curve,time_s,value,in_tangent,out_tangent,in_weight,out_weight,weighted_mode,kind,pre_wrap,post_wrap,name
,,,,,,,,layout,,,mrtk-1.1
,,0,,,,,,flag,,,head
,,1,,,,,,flag,,,hand
,,0,,,,,,flag,,,gaze
left.tracked,0,1,,,,,,boolean,8,8,
right.pinching,,,,,,,,boolean,8,2,
left.Palm.position.x,0,0.5,,,,,,simple,2,8,
left.Palm.position.y,0,1,,,,,,simple,8,8,
left.Palm.position.z,0,-0,,,,,,simple,8,8,
left.Palm.rotation.x,0,0,,,,,,simple,8,8,
left.Palm.rotation.y,0,0,,,,,,simple,8,8,
left.Palm.rotation.z,0,0,,,,,,simple,8,8,
left.Palm.rotation.w,0,1,,,,,,simple,8,8,
,0.25,,,,,,,marker,,,\"start, now\"
";
    assert_eq!(keys_of(Format::Csv), expected);
    let unquoted = expected.replace("\"start, now\"", "start; now");
    let tabs = unquoted.replace(',', "\t").replace(';', ",");
    assert_eq!(keys_of(Format::Tsv), tabs);
    let lines = keys_of(Format::Ndjson);
    let line = |start: &str| lines.lines().find(|line| line.starts_with(start)).unwrap();
    assert_eq!(
        line("{\"curve\":\"left.Palm.position.z"),
        r#"{"curve":"left.Palm.position.z","time_s":0.0,"value":-0.0,"kind":"simple","pre_wrap":8,"post_wrap":8}"#
    );
    assert_eq!(
        line("{\"time_s"),
        r#"{"time_s":0.25,"kind":"marker","name":"start, now"}"#
    );

    let mut rate = with_markers(WriteOptions::default());
    rate.sampling = Sampling::Rate(4.0);
    let wide = String::from_utf8(Format::Csv.write(&recording, &rate)).unwrap();
    let expected = "\
time_s,marker,left.tracked,left.Palm.position.x,left.Palm.position.y,left.Palm.position.z,\
left.Palm.rotation.x,left.Palm.rotation.y,left.Palm.rotation.z,left.Palm.rotation.w
0.0,,1,0.5,1.0,-0.0,0.0,0.0,0.0,1.0
0.25,\"start, now\",,,,,,,,
";
    assert_eq!(wide, expected);
}

#[test]
fn content_that_the_layout_cannot_hold_is_not_written_as_keys() {
    let mut recording = sample_recording();
    recording.layout = Layout::Mrtk1_0;
    recording.gaze_mut();
    for format in FORMATS {
        let error = format.try_write(&recording, &keys()).unwrap_err();
        assert!(matches!(error, Error::Write(_)), "{format:?}: {error}");
        assert!(format.try_write(&recording, &at_keys()).is_ok());
    }
}

#[test]
fn content_that_text_cannot_hold_is_reported() {
    let mut recording = sample_recording();
    recording.markers.push(Marker::new(f32::NAN, "never"));
    recording.markers.push(Marker::new(1.0, " "));
    recording.head_mut().position[0]
        .keys
        .push_linear(2.0, f32::INFINITY);
    let (_, report) = Format::Csv
        .try_write(&recording, &with_markers(at_keys()))
        .unwrap();
    let texts: Vec<String> = report.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        texts,
        [
            "1 pose or ray with a number that is not finite",
            "2 markers without a name or a finite time"
        ]
    );
}

#[test]
fn recordings_in_one_table_are_found_by_name() {
    let mut other = Recording::new(Layout::FullWithMarkers1_1);
    other.head_mut().push(0.0, &Pose::at([1.0, 2.0, 3.0]));
    other.markers.push(Marker::new(0.5, "later"));
    let takes = [("a.bin", sample_recording()), ("ü/b.bin", other)];
    let mut columns = Columns::default();
    takes
        .iter()
        .for_each(|(_, recording)| columns.add(&Columns::of(recording)));
    columns.marker = true;
    let label = |name: &str, text: &str| (name.to_owned(), text.to_owned());
    for mut options in [keys(), with_markers(at_keys())] {
        for format in FORMATS {
            let mut bytes = Vec::new();
            options.labels = vec![label("recording", ""), label("group", "")];
            let mut table = TableWriter::new(format, &columns, &options, &mut bytes).unwrap();
            for (name, recording) in &takes {
                options.labels = vec![label("recording", name), label("group", "x, y")];
                table.push(recording, &options).unwrap();
            }
            options.labels.clear();
            table.finish().unwrap();
            for (name, recording) in &takes {
                let wanted = {
                    let mut options = ReadOptions::default();
                    options.recording = Some((*name).to_owned());
                    options.ignore_unknown = true;
                    // Text does not state layouts of samples.
                    options.layout = Some(recording.layout);
                    options
                };
                let back = format.read_with(&bytes, &wanted).unwrap();
                assert_eq!(back.layout, recording.layout, "{format:?}");
                assert_eq!(back.markers, recording.markers, "{format:?}");
                if options.shape == TableShape::Keys {
                    assert_eq!(back, *recording, "{format:?}");
                } else {
                    let alone = format.write(recording, &options);
                    let mut layout = ReadOptions::default();
                    layout.layout = Some(recording.layout);
                    let alone = format.read_with(&alone, &layout).unwrap();
                    assert_eq!(back.head, alone.head, "{format:?}");
                }
            }
            let mut nobody = ReadOptions::default();
            nobody.ignore_unknown = true;
            let error = format.read_with(&bytes, &nobody).unwrap_err();
            assert!(
                matches!(
                    error.downcast_ref(),
                    Some(TableError::SeveralRecordings { .. })
                ),
                "{error}"
            );
            nobody.recording = Some("c".to_owned());
            let error = format.read_with(&bytes, &nobody).unwrap_err();
            assert_eq!(
                error.to_string(),
                "the table does not contain a recording \"c\"; found \"a.bin\", \"ü/b.bin\""
            );
        }
    }
}

#[test]
fn short_recordings_share_row_groups() {
    use ::parquet::file::reader::{FileReader, SerializedFileReader};
    let lasting = |rows: u32| {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let head = &mut recording.head_mut().position[0].keys;
        (0..rows).for_each(|row| head.push_linear(row as f32 / 64.0, row as f32));
        recording
    };
    let (short, long) = (lasting(100), lasting(10_000));
    let takes = std::iter::repeat_n(&short, 100).chain([&long, &long, &short]);
    let mut options = at_keys();
    options.labels = vec![("recording".to_owned(), String::new())];
    let mut bytes = Vec::new();
    let columns = Columns::of(&short);
    let mut table = TableWriter::new(Format::Parquet, &columns, &options, &mut bytes).unwrap();
    for (index, take) in takes.enumerate() {
        options.labels[0].1 = format!("take {index}");
        table.push(take, &options).unwrap();
    }
    table.finish().unwrap();
    let file = SerializedFileReader::new(bytes::Bytes::from(bytes)).unwrap();
    let groups = file.metadata().row_groups().iter();
    let rows: Vec<i64> = groups.map(|group| group.num_rows()).collect();
    assert_eq!(rows, [8_200, 11_800, 10_000, 100]);
}

#[test]
fn equal_recordings_give_equal_bytes() {
    for options in [keys(), WriteOptions::default()] {
        for format in FORMATS {
            let first = format.write(&sample_recording(), &options);
            assert!(
                format.write(&sample_recording(), &options) == first,
                "{format:?}"
            );
        }
    }
}

#[test]
fn a_time_that_needs_billions_of_rows_is_refused() {
    let mut recording = sample_recording();
    recording.head_mut().position[0].keys.push_linear(3e9, 0.0);
    for format in FORMATS {
        let error = format
            .try_write(&recording, &WriteOptions::default())
            .unwrap_err();
        assert!(
            matches!(error, Error::Sample(SampleError::TooLong { .. })),
            "{format:?}: {error}"
        );
        assert!(format.try_write(&recording, &at_keys()).is_ok());
    }
}

#[test]
fn markers_are_rows_of_text_only_on_request() {
    let recording = sample_recording();
    for format in FORMATS {
        let (bytes, report) = format.try_write(&recording, &at_keys()).unwrap();
        let back = format.read(&bytes).unwrap();
        let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
        if format.is_text() {
            assert_eq!(back.markers, [], "{format:?}");
            assert_eq!(notes, ["2 markers not in the table"], "{format:?}");
        } else {
            assert_eq!(back.markers, recording.markers, "{format:?}");
            assert_eq!(notes, [""; 0], "{format:?}");
        }
    }
}

#[test]
fn rows_are_restricted_to_a_time_range() {
    let recording = sample_recording();
    let mut options = with_markers(WriteOptions::default());
    options.time = Some(TimeRange {
        start: 0.5,
        end: 0.75,
    });
    for (sampling, expected) in [
        (Sampling::Rate(8.0), &[0.5, 0.625, 0.75][..]),
        (
            Sampling::Keys,
            &[15.0, 16.0, 17.0, 18.0, 19.0, 20.0, 21.0, 22.0].map(|step| step / 30.0),
        ),
    ] {
        options.sampling = sampling;
        for format in FORMATS {
            let back = format.read(&format.write(&recording, &options)).unwrap();
            let keys = &back.head.as_ref().unwrap().position[0].keys;
            let times: Vec<f32> = keys.points().map(|(time, _)| time).collect();
            assert_eq!(times, expected, "{format:?}");
            assert_eq!(back.markers.len(), 2);
        }
    }
}

#[test]
fn a_tidy_table_has_a_row_for_each_known_joint_and_instant() {
    let mut recording = sample_recording();
    let gaze = recording.gaze_mut();
    gaze.origin[0] = FloatCurve::linear([(0.0, 0.25)]);
    gaze.direction[2] = FloatCurve::linear([(0.0, 1.0)]);
    let mut options = WriteOptions::default();
    options.shape = TableShape::Tidy;
    // The hand is not tracked at the second instant.
    options.sampling = Sampling::Rate(2.0);
    options.time = Some(TimeRange {
        start: 0.0,
        end: 0.5,
    });
    options.labels = vec![("recording".to_owned(), "a, b".to_owned())];
    let text = |format: Format| String::from_utf8(format.write(&recording, &options)).unwrap();
    let csv = text(Format::Csv);
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(
        rows[0].join(","),
        "recording,time_s,hand,joint,position_x,position_y,position_z,rotation_x,rotation_y,\
         rotation_z,rotation_w,pinching,direction_x,direction_y,direction_z"
    );
    let joints: Vec<_> = rows[1..].iter().map(|row| row[2..5].join(",")).collect();
    assert_eq!(
        joints,
        [
            "0.0,,head",
            "0.0,right,Palm",
            "0.0,right,IndexTip",
            "0.0,,gaze",
            "0.5,,head",
            "0.5,,gaze"
        ]
    );
    assert_eq!(rows[2][5..].join(","), "0.0,1.0,-0.0,0.0,0.0,0.0,1.0,0,,,");
    assert_eq!(rows[4][5..].join(","), "0.25,0.0,0.0,,,,,,0.0,0.0,1.0");
    let ndjson = text(Format::Ndjson);
    assert_eq!(
        ndjson.lines().nth(1).unwrap(),
        r#"{"recording":"a, b","time_s":0.0,"hand":"right","joint":"Palm","position_x":0.0,"position_y":1.0,"position_z":-0.0,"rotation_x":0.0,"rotation_y":0.0,"rotation_z":0.0,"rotation_w":1.0,"pinching":0,"direction_x":null,"direction_y":null,"direction_z":null}"#
    );
    for format in FORMATS {
        let error = format
            .read(&format.write(&recording, &options))
            .unwrap_err();
        assert!(
            matches!(error.downcast_ref(), Some(TableError::Tidy)),
            "{error}"
        );
    }
}

#[test]
fn a_long_tidy_table_has_the_rows_of_all_formats() {
    use ::parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
    let mut recording = sample_recording();
    recording.head_mut().push(500.0, &Pose::IDENTITY);
    let mut options = WriteOptions::default();
    options.shape = TableShape::Tidy;
    let lines = Format::Tsv.write(&recording, &options);
    let lines = lines.iter().filter(|&&byte| byte == b'\n').count() - 1;
    assert!(lines > 1 << 16);
    let bytes = Format::Parquet.write(&recording, &options);
    let reader = ParquetRecordBatchReaderBuilder::try_new(bytes::Bytes::from(bytes)).unwrap();
    assert_eq!(reader.metadata().file_metadata().num_rows(), lines as i64);
    let rows: usize = reader
        .build()
        .unwrap()
        .map(|batch| batch.unwrap().num_rows())
        .sum();
    assert_eq!(rows, lines);
}

#[test]
fn rows_that_cannot_be_read_are_skipped_on_request() {
    let text = "time_s,left.tracked\n0,1\n-1,1\n0.5,maybe\n1,0\n";
    let mut options = ReadOptions::default();
    assert!(Format::Csv.read_with(text.as_bytes(), &options).is_err());
    options.skip_bad = true;
    let (recording, report) = Format::Csv.read_all(text.as_bytes(), &options).unwrap();
    assert_eq!(recording.hands.unwrap().left.tracked.keys.len(), 2);
    let losses: Vec<String> = report.losses.iter().map(ToString::to_string).collect();
    let first = "line 3: the time -1 s is out of order";
    assert_eq!(losses, [format!("2 rows skipped; the first: {first}")]);
}

#[test]
fn unsuitable_recordings_are_refused_before_a_table_is_written() {
    let mut endless = sample_recording();
    endless.head_mut().position[0].keys.push_linear(3e9, 0.0);
    let mut unplayable = sample_recording();
    unplayable.head_mut().push(f32::NAN, &Pose::IDENTITY);
    let mut elsewhere = sample_recording();
    elsewhere.layout = Layout::Mrtk1_0;
    elsewhere.gaze_mut();
    for options in [keys(), at_keys(), WriteOptions::default()] {
        for recording in [&sample_recording(), &endless, &unplayable, &elsewhere] {
            let checked = tables::check(recording, &options);
            let checked = checked.map_err(|error| error.to_string());
            let written = Format::Arrow.try_write(recording, &options);
            let written = written.map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(checked, written);
        }
    }
}

#[test]
fn an_output_that_fails_is_an_error() {
    let options = keys();
    for format in FORMATS {
        let error = write(format, &sample_recording(), &options, &mut [][..]).unwrap_err();
        assert_eq!(error.to_string(), "cannot write the output");
    }
}

#[test]
fn poses_that_are_not_finite_are_dropped_from_a_wide_table() {
    let mut original = sample_recording();
    let times: Vec<f32> = (0..40).map(|step| step as f32 / 30.0).collect();
    let at = |lost: usize, number: f32| {
        let points = times.iter().enumerate();
        let points = points.map(|(step, &time)| (time, if step == lost { number } else { 1.5 }));
        FloatCurve::linear(points)
    };
    original.head_mut().position[0] = at(12, f32::NAN);
    original.head_mut().position[2] = at(12, f32::INFINITY);
    let gaze = original.gaze_mut();
    gaze.origin[0] = FloatCurve::linear(times.iter().map(|&time| (time, 0.0)));
    gaze.direction[2] = at(20, f32::NEG_INFINITY);
    let expected = "poses or rays with a number that is not finite";
    for format in FORMATS {
        let (bytes, written) = format.try_write(&original, &at_keys()).unwrap();
        let (recording, report) = format.read_all(&bytes, &ReadOptions::default()).unwrap();
        // Next to a key that is not finite, interpolated values are not finite either.
        let losses = [written.losses, report.losses].concat();
        assert_eq!(losses.len(), 1, "{format:?}");
        assert!(losses[0].to_string().ends_with(expected), "{}", losses[0]);
        assert_eq!(recording.duration(), original.duration());
        let head = recording.head.as_ref().unwrap();
        let keys = head.position[0].keys.len();
        assert!((35..40).contains(&keys), "{format:?} {keys}");
        assert!(
            head.position[2]
                .keys
                .points()
                .all(|(_, value)| value.is_finite())
        );
    }
}
