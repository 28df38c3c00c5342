//! Tables: keys come back bit for bit, and what plays is what the sampler gives.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod corpus;
#[path = "tables/formats.rs"]
mod formats;
#[path = "../../inputanim/tests/random/plausible.rs"]
mod plausible;
#[path = "../../inputanim/tests/random/mod.rs"]
mod random;
#[path = "tables/takes.rs"]
mod takes;

use formats::Format;
use inputanim::{FloatCurve, Joint, Layout, Marker, Pose, Recording, Sampler, Space, Span, diff};
use inputanim_convert::SampleError;
use inputanim_convert::frames::Columns;
use inputanim_convert::tables::{
    self, Error, Loss, Options, ReadOptions, Shape, Times, arrow, csv, ndjson, parquet,
};
use proptest::prelude::*;
use takes::{at_keys, keys, take};

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn keys_come_back_bit_for_bit(recording in random::recording()) {
        for format in Format::ALL {
            let bytes = format.write(&recording, &keys());
            prop_assert_eq!(&format.read(&bytes).unwrap(), &recording, "{:?}", format);
        }
    }

    #[test]
    fn all_formats_read_the_same_of_what_plays(recording in plausible::recording()) {
        // Text does not say its layout.
        let options = ReadOptions { layout: Some(recording.layout), ..ReadOptions::default() };
        let read = |format: Format| format.read_with(&format.write(&recording, &at_keys()), &options);
        let expected = read(Format::ALL[0]);
        for format in &Format::ALL[1..] {
            let read = read(*format);
            match (&expected, &read) {
                (Ok(expected), Ok(read)) => {
                    prop_assert_eq!(&expected.camera, &read.camera);
                    prop_assert_eq!(&expected.hands, &read.hands);
                    prop_assert_eq!(&expected.gaze, &read.gaze);
                }
                // Text has no infinity.
                (Err(_), Err(_)) => {}
                _ => prop_assert!(false, "{format:?}: {read:?}, but {expected:?}"),
            }
        }
    }
}

#[test]
fn the_corpus_goes_through_tables_bit_for_bit() {
    corpus::each(|path, bytes| {
        let recording = Recording::parse(bytes).unwrap();
        for format in Format::ALL {
            let back = format.read(&format.write(&recording, &keys())).unwrap();
            assert!(
                back.to_bytes(back.layout).unwrap() == bytes,
                "{format:?} {path:?}"
            );
        }
    });
}

#[test]
fn what_was_recorded_at_frames_comes_back_from_a_wide_table() {
    let take = take();
    for format in Format::ALL {
        let back = format.read(&format.write(&take, &at_keys())).unwrap();
        assert_eq!(back.markers, take.markers, "{format:?}");
        let options = diff::Options {
            tolerance: diff::Tolerance {
                metres: 0.0,
                degrees: 0.001,
                seconds: 0.0,
            },
            ..diff::Options::default()
        };
        let difference = diff::compare(&take, &back, &options).unwrap();
        assert_ne!(
            difference.verdict,
            diff::Verdict::Different,
            "{format:?}: {difference:?}"
        );
    }
}

#[test]
fn a_wide_table_has_what_the_sampler_gives_in_the_axes_asked_for() {
    let take = take();
    let sampler = Sampler::new(&take).unwrap();
    for space in Space::ALL {
        let options = Options {
            times: Times::Rate(50.0),
            space,
            ..Options::default()
        };
        for format in [Format::Arrow, Format::Parquet, Format::Ndjson] {
            let bytes = format.write(&take, &options);
            let read_options = ReadOptions {
                // Text does not say its axes.
                space: (format == Format::Ndjson).then_some(space),
                ..ReadOptions::default()
            };
            let back = format.read_with(&bytes, &read_options).unwrap();
            let back = Sampler::new(&back).unwrap().with_raw_rotations();
            let whole = Span {
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
                if let (Some(there), Some(expected)) = (&mut there.camera, frame.camera)
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
fn the_text_of_a_small_take_is_one_that_a_person_can_read() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.hands_mut().left.tracked.push(0.0, true);
    take.hands_mut().left.joints[Joint::Palm].push(0.0, &Pose::at([0.5, 1.0, -0.0]));
    take.hands_mut().left.joints[Joint::Palm].position[0]
        .pre_wrap
        .0 = 2;
    take.hands_mut().right.pinching.post_wrap.0 = 2;
    take.markers.push(Marker::new(0.25, "start, now"));
    let keys_of = |format: Format| String::from_utf8(format.write(&take, &keys())).unwrap();
    let expected = "\
curve,time_s,value,in_tangent,out_tangent,in_weight,out_weight,weighted_mode,kind,pre_wrap,post_wrap,name
,,,,,,,,layout,,,mrtk-1.1
,,0,,,,,,flag,,,camera
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

    let rate = Options {
        times: Times::Rate(4.0),
        ..Options::default()
    };
    let wide = String::from_utf8(Format::Csv.write(&take, &rate)).unwrap();
    let expected = "\
time_s,marker,left.tracked,left.pinching,left.Palm.position.x,left.Palm.position.y,left.Palm.position.z,\
left.Palm.rotation.x,left.Palm.rotation.y,left.Palm.rotation.z,left.Palm.rotation.w,\
right.tracked,right.pinching
0.0,,1,0,0.5,1.0,-0.0,0.0,0.0,0.0,1.0,0,0
0.25,\"start, now\",,,,,,,,,,,
";
    assert_eq!(wide, expected);
}

#[test]
fn what_the_layout_cannot_hold_is_not_written_as_keys() {
    let mut take = take();
    take.layout = Layout::Mrtk1_0;
    take.gaze_mut();
    for format in Format::ALL {
        let error = format.try_write(&take, &keys()).unwrap_err();
        assert!(
            matches!(error, Error::NotInLayout { .. }),
            "{format:?}: {error}"
        );
        assert!(format.try_write(&take, &at_keys()).is_ok());
    }
}

#[test]
fn what_text_cannot_hold_is_said() {
    let mut take = take();
    take.markers.push(Marker::new(f32::NAN, "never"));
    take.markers.push(Marker::new(1.0, " "));
    take.camera_mut().position[0]
        .keys
        .push_linear(2.0, f32::INFINITY);
    let (_, losses) = Format::Csv.try_write(&take, &at_keys()).unwrap();
    let texts: Vec<String> = losses.iter().map(Loss::to_string).collect();
    assert_eq!(
        texts,
        [
            "1 pose or ray with a number that is not finite",
            "2 markers without a name or a finite time"
        ]
    );
}

#[test]
fn several_recordings_in_one_table_are_each_found_by_name() {
    let mut other = Recording::new(Layout::FullWithMarkers1_1);
    other.camera_mut().push(0.0, &Pose::at([1.0, 2.0, 3.0]));
    other.markers.push(Marker::new(0.5, "later"));
    let takes = [("a.bin", take()), ("ü/b.bin", other)];
    let mut columns = Columns::default();
    takes
        .iter()
        .for_each(|(_, take)| columns.add(&Columns::of(take)));
    for options in [keys(), at_keys()] {
        let mut arrow = Vec::new();
        let mut parquet = Vec::new();
        let mut to_arrow = arrow::Writer::new(&columns, &options, &mut arrow).unwrap();
        let mut to_parquet = parquet::Writer::new(&columns, &options, &mut parquet).unwrap();
        for (name, take) in &takes {
            to_arrow.push(name, take).unwrap();
            to_parquet.push(name, take).unwrap();
        }
        to_arrow.finish().unwrap();
        to_parquet.finish().unwrap();
        for (format, bytes) in [(Format::Arrow, arrow), (Format::Parquet, parquet)] {
            for (name, take) in &takes {
                let wanted = ReadOptions {
                    recording: Some((*name).to_owned()),
                    ..ReadOptions::default()
                };
                let back = format.read_with(&bytes, &wanted).unwrap();
                assert_eq!(back.layout, take.layout, "{format:?}");
                assert_eq!(back.markers, take.markers, "{format:?}");
                if options.shape == Shape::Keys {
                    assert_eq!(back, *take, "{format:?}");
                } else {
                    let alone = format.read(&format.write(take, &options)).unwrap();
                    assert_eq!(back.camera, alone.camera, "{format:?}");
                }
            }
            let error = format.read(&bytes).unwrap_err();
            assert!(matches!(error, Error::Several { .. }), "{error}");
            let nobody = ReadOptions {
                recording: Some("c".to_owned()),
                ..ReadOptions::default()
            };
            let error = format.read_with(&bytes, &nobody).unwrap_err();
            assert_eq!(
                error.to_string(),
                "there is no recording \"c\" in the table: there are \"a.bin\", \"ü/b.bin\""
            );
        }
    }
}

#[test]
fn the_same_recording_is_the_same_bytes() {
    for options in [keys(), Options::default()] {
        for format in Format::ALL {
            let first = format.write(&take(), &options);
            assert!(format.write(&take(), &options) == first, "{format:?}");
        }
    }
}

#[test]
fn a_time_that_asks_for_billions_of_rows_is_refused() {
    let mut take = take();
    take.camera_mut().position[0].keys.push_linear(3e9, 0.0);
    for format in Format::ALL {
        let error = format.try_write(&take, &Options::default()).unwrap_err();
        assert!(
            matches!(error, Error::Sample(SampleError::TooLong { .. })),
            "{format:?}: {error}"
        );
        assert!(format.try_write(&take, &at_keys()).is_ok());
    }
}

#[test]
fn markers_are_left_out_where_they_are_not_wanted() {
    let options = Options {
        markers: false,
        ..at_keys()
    };
    for format in Format::ALL {
        let back = format.read(&format.write(&take(), &options)).unwrap();
        assert_eq!(back.markers, [], "{format:?}");
    }
}

#[test]
fn what_cannot_be_a_part_of_a_table_is_known_before() {
    let mut endless = take();
    endless.camera_mut().position[0].keys.push_linear(3e9, 0.0);
    let mut unplayable = take();
    unplayable.camera_mut().push(f32::NAN, &Pose::IDENTITY);
    let mut elsewhere = take();
    elsewhere.layout = Layout::Mrtk1_0;
    elsewhere.gaze_mut();
    for options in [keys(), at_keys(), Options::default()] {
        for take in [&take(), &endless, &unplayable, &elsewhere] {
            let checked = tables::check(take, &options).map_err(|error| error.to_string());
            let written = Format::Arrow.try_write(take, &options);
            let written = written.map(|_| ()).map_err(|error| error.to_string());
            assert_eq!(checked, written);
        }
    }
}

#[test]
fn an_output_that_fails_is_said_to() {
    struct Full;
    impl std::io::Write for Full {
        fn write(&mut self, _: &[u8]) -> std::io::Result<usize> {
            Err(std::io::Error::other("full"))
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }
    let options = keys();
    for error in [
        arrow::write(&take(), &options, Full).unwrap_err(),
        parquet::write(&take(), &options, Full).unwrap_err(),
        csv::write(&take(), &options, csv::Separator::Comma, Full).unwrap_err(),
        ndjson::write(&take(), &options, Full).unwrap_err(),
    ] {
        assert_eq!(error.to_string(), "the table cannot be written");
    }
}

#[test]
fn parquet_is_flushed_once_all_of_it_is_written() {
    #[derive(Default)]
    struct Flushed {
        written: usize,
        flushed_at: Vec<usize>,
    }
    impl std::io::Write for &mut Flushed {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.written += bytes.len();
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            self.flushed_at.push(self.written);
            Ok(())
        }
    }
    for options in [keys(), at_keys()] {
        let mut output = Flushed::default();
        parquet::write(&take(), &options, &mut output).unwrap();
        assert_eq!(output.flushed_at, [output.written]);
    }
}

#[test]
fn what_is_not_finite_is_left_out_of_a_wide_table_and_the_rest_comes_back() {
    let mut take = take();
    let times: Vec<f32> = (0..40).map(|step| step as f32 / 30.0).collect();
    let at = |lost: usize, number: f32| {
        let points = times.iter().enumerate();
        let points = points.map(|(step, &time)| (time, if step == lost { number } else { 1.5 }));
        FloatCurve::linear(points)
    };
    take.camera_mut().position[0] = at(12, f32::NAN);
    take.camera_mut().position[2] = at(12, f32::INFINITY);
    let gaze = take.gaze_mut();
    gaze.origin[0] = FloatCurve::linear(times.iter().map(|&time| (time, 0.0)));
    gaze.direction[2] = at(20, f32::NEG_INFINITY);
    let expected = "poses or rays with a number that is not finite";
    for format in Format::ALL {
        let (bytes, written) = format.try_write(&take, &at_keys()).unwrap();
        let reading = format.read_all(&bytes, &ReadOptions::default()).unwrap();
        // Where one is not finite, straight lines to its neighbours are neither.
        let losses = [written, reading.losses].concat();
        assert_eq!(losses.len(), 1, "{format:?}");
        assert!(losses[0].to_string().ends_with(expected), "{}", losses[0]);
        assert_eq!(reading.recording.duration(), take.duration());
        let camera = reading.recording.camera.as_ref().unwrap();
        let keys = camera.position[0].keys.len();
        assert!((35..40).contains(&keys), "{format:?} {keys}");
        assert!(
            camera.position[2]
                .keys
                .points()
                .all(|(_, value)| value.is_finite())
        );
    }
}
