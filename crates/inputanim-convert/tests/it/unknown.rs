//! Times at which values are unknown: formats that state them keep them exactly, and no output contains a value of them.

use inputanim::{
    CurveMut, Element, Joint, Keys, Layout, Recorder, Recording, Sampler, Side, SimpleKey,
    TimeRange,
};
use inputanim_convert::{
    Format, LossKind, NoteKind, ReadOptions, Sampling, TableShape, UnknownValues, WriteOptions,
    read, write_bytes,
};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::frames::frames;
use inputanim_testkit::random;
use proptest::collection::vec;
use proptest::prelude::*;

fn range(start: f32, end: f32) -> TimeRange {
    TimeRange { start, end }
}

const TIP: Element = Element::Joint(Side::Left, Joint::IndexTip);

/// Returns a motion of 4 s in which each kind of element is unknown between two keys.
fn with_gaps() -> Recording<'static> {
    let mut recording = Motion::new(Scene::TwoHands, 1, 4.0).record(30.0, Layout::Mrtk1_1);
    for (element, start, end) in [
        (Element::Head, 1.0, 2.0),
        (Element::Gaze, 0.5, 1.5),
        (TIP, 2.0, 3.0),
        (Element::Tracked(Side::Right), 2.5, f32::INFINITY),
    ] {
        recording.known.add_gap(element, range(start, end));
    }
    recording
}

#[test]
fn a_conversion_states_unknown_values_once() {
    let written = write_bytes(Format::Json, &with_gaps(), &WriteOptions::default()).unwrap();
    let (recording, read_report) = read(Format::Json, &written.0, &ReadOptions::default()).unwrap();
    // JSON states the gaps, so that the notes of the reader stay.
    for (format, results) in [
        (Format::Json, [""; 2]),
        (
            Format::Bin,
            [
                "; it is not tracked there",
                "; the last value is held there",
            ],
        ),
    ] {
        let (_, report) = write_bytes(format, &recording, &WriteOptions::default()).unwrap();
        let mut all = read_report.clone();
        all.extend(report);
        let losses = all.losses.iter().map(ToString::to_string);
        let notes = all.notes.iter().map(ToString::to_string);
        let mut texts: Vec<String> = losses
            .chain(notes)
            .filter(|text| text.contains("unknown"))
            .collect();
        texts.sort();
        let [of_hand, of_others] = results;
        assert_eq!(
            texts,
            [
                format!("1 joint of the left hand is unknown for 1 s from 2 s on{of_others}"),
                format!("the gaze is unknown for 1 s from 0.5 s on{of_others}"),
                format!("the head is unknown for 1 s from 1 s on{of_others}"),
                format!("the right hand is unknown for 1.5 s from 2.5 s on{of_hand}"),
            ]
        );
    }
}

/// Returns the recording with other values for all keys that are in a gap.
fn with_other_hidden_values(recording: &Recording<'static>) -> Recording<'static> {
    let mut changed = recording.clone();
    let mut number = 0;
    for (path, curve) in changed.curves_mut() {
        let CurveMut::Float(curve) = curve else {
            continue;
        };
        let element = Element::from(path);
        let hand = element.side().map(Element::Tracked);
        let gaps = recording.known.gaps(element).iter();
        let gaps = gaps.chain(hand.into_iter().flat_map(|hand| recording.known.gaps(hand)));
        let gaps: Vec<TimeRange> = gaps.copied().collect();
        let times: Vec<f32> = curve.keys.points().map(|(time, _)| time).collect();
        for (key, time) in times.into_iter().enumerate() {
            if gaps.iter().any(|gap| gap.start < time && time < gap.end) {
                let Keys::Simple(keys) = &mut curve.keys else {
                    panic!("{path} has simple keys");
                };
                let key = &mut keys.to_mut()[key];
                *key = SimpleKey::new(key.time(), -3.0 * key.value());
                number += 1;
            }
        }
    }
    assert!(number > 1000, "{number}");
    changed
}

/// Returns the options under which a format is tested.
fn options_of(format: Format) -> Vec<WriteOptions> {
    if !format.is_table() {
        return vec![WriteOptions::default()];
    }
    let mut all = Vec::new();
    for &shape in TableShape::ALL {
        for sampling in [Sampling::Rate(47.0), Sampling::Keys] {
            let mut options = WriteOptions::default();
            options.shape = shape;
            if shape != TableShape::Keys {
                options.sampling = sampling;
            }
            all.push(options);
        }
    }
    all
}

#[test]
fn no_output_contains_a_value_from_a_gap() {
    let recording = with_gaps();
    let changed = with_other_hidden_values(&recording);
    let mut tested = 0;
    for &format in Format::ALL {
        // These formats contain all keys, also those in gaps.
        let is_lossless = matches!(format, Format::Json | Format::Mcap | Format::Isaac);
        if is_lossless || !format.can_write() || !format.is_in_build() || format.is_dataset() {
            continue;
        }
        for options in options_of(format) {
            // A table of keys contains all keys, too.
            if format.is_table() && options.shape == TableShape::Keys {
                continue;
            }
            let write = |recording| write_bytes(format, recording, &options).unwrap();
            let ((expected, report), (found, _)) = (write(&recording), write(&changed));
            // The ids of the streams of XDF are hashes of all keys.
            let same = if format == Format::Xdf {
                let read = |bytes| read(format, bytes, &ReadOptions::default()).unwrap().0;
                read(&expected) == read(&found)
            } else {
                expected == found
            };
            assert!(same, "{format} {:?} {:?}", options.shape, options.sampling);
            let losses = report.losses.iter();
            let unknown = losses.filter(|loss| loss.kind == LossKind::Unknown).count();
            let expected = match format.unknown_values() {
                UnknownValues::Held => 3,
                _ => 0,
            };
            assert_eq!(unknown, expected, "{format} {:?}", options.shape);
            tested += 1;
        }
    }
    assert!(tested > 10);
}

#[test]
fn a_wide_table_has_empty_cells_in_gaps_and_the_reader_finds_the_gaps_again() {
    let recording = with_gaps();
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Keys;
    let (table, _) = write_bytes(Format::Csv, &recording, &options).unwrap();
    let (again, report) = read(Format::Csv, &table, &ReadOptions::default()).unwrap();
    let notes = report.notes.iter();
    let notes = notes.filter(|note| note.kind == NoteKind::Unknown);
    let notes: Vec<String> = notes.map(|note| note.message.clone()).collect();
    let expected = recording.unknown_times();
    let expected: Vec<String> = expected.iter().map(ToString::to_string).collect();
    assert_eq!(notes, expected);
    let [expected, found] = [&recording, &again].map(|recording| Sampler::new(recording).unwrap());
    for time in expected.key_times() {
        let [expected, found] = [&expected, &found].map(|sampler| sampler.frame_at(time));
        assert_eq!(
            found.head.is_some(),
            expected.head.is_some(),
            "head at {time}"
        );
        assert_eq!(
            found.gaze.is_some(),
            expected.gaze.is_some(),
            "gaze at {time}"
        );
        assert_eq!(
            found.right.unknown, expected.right.unknown,
            "right at {time}"
        );
        assert_eq!(
            found.left.joints[Joint::IndexTip].is_some(),
            expected.left.joints[Joint::IndexTip].is_some(),
            "left.IndexTip at {time}"
        );
    }
}

/// Generates gaps of any elements.
fn gaps() -> impl Strategy<Value = Vec<(Element, TimeRange)>> {
    let elements: Vec<Element> = Element::all()
        .filter(|element| !matches!(element, Element::Pinching(_)))
        .collect();
    let bound = prop_oneof![
        8 => -10.0_f32..10.0,
        1 => Just(f32::NEG_INFINITY),
        1 => Just(f32::INFINITY),
    ];
    let gap = (prop::sample::select(elements), bound.clone(), bound);
    vec(
        gap.prop_map(|(element, a, b)| (element, range(a.min(b), a.max(b)))),
        0..8,
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn lossless_formats_keep_any_gaps_of_any_recording(
        recording in random::recording(),
        gaps in gaps(),
    ) {
        let mut recording = recording;
        for (element, gap) in gaps {
            recording.known.add_gap(element, gap);
        }
        let mut options = WriteOptions::default();
        options.allow_loss = true;
        let (json, _) = write_bytes(Format::Json, &recording, &options)?;
        let (again, _) = read(Format::Json, &json, &ReadOptions::default())?;
        prop_assert_eq!(again, recording.clone());
        // A table of keys states the layout, so it refuses what the layout cannot represent.
        prop_assume!(recording.layout_losses(recording.layout).is_empty());
        options.shape = TableShape::Keys;
        for &format in Format::ALL {
            if format.is_table() && format.can_write() && format.is_in_build() {
                let (table, _) = write_bytes(format, &recording, &options)?;
                let (again, _) = read(format, &table, &ReadOptions::default())?;
                prop_assert_eq!(&again, &recording, "{}", format);
            }
        }
    }

}

proptest! {
    // A case takes a third of a second.
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn mcap_and_isaac_keep_any_gaps(frames in frames(12), gaps in gaps()) {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for mut frame in frames {
            // Times in these files begin at 0.
            frame.time = frame.time.abs();
            recorder.push(&frame).ok();
        }
        let mut recording = recorder.finish();
        prop_assume!(recording.duration() < 100.0);
        for (element, gap) in gaps {
            recording.known.add_gap(element, gap);
        }
        for format in [Format::Mcap, Format::Isaac] {
            let (bytes, _) = write_bytes(format, &recording, &WriteOptions::default())?;
            let (again, _) = read(format, &bytes, &ReadOptions::default())?;
            prop_assert_eq!(&again, &recording, "{}", format);
        }
    }
}

#[test]
fn a_table_without_columns_of_hands_gives_a_recording_without_hands() {
    for text in [
        "time_s\n0\n",
        "time_s,marker\n0,go\n1,\n",
        "time_s,gaze.origin.x,gaze.origin.y,gaze.origin.z,gaze.direction.x,gaze.direction.y,gaze.direction.z\n0,0,0,0,0,0,1\n",
    ] {
        let (recording, _) = read(Format::Csv, text.as_bytes(), &ReadOptions::default()).unwrap();
        assert_eq!(recording.hands, None, "{text}");
        let frame = Sampler::new(&recording).unwrap().frame_at(0.0);
        assert!(frame.left.unknown && frame.right.unknown, "{text}");
    }
    // A table with columns of one hand says nothing of the other one.
    let text = "time_s,left.tracked\n0,1\n";
    let (recording, _) = read(Format::Csv, text.as_bytes(), &ReadOptions::default()).unwrap();
    assert!(
        recording
            .hands
            .as_ref()
            .unwrap()
            .right
            .tracked
            .keys
            .is_empty()
    );
    let frame = Sampler::new(&recording).unwrap().frame_at(0.0);
    assert!(!frame.left.unknown && frame.right.unknown);
}
