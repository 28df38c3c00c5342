//! XDF: written recordings come back, and recordings are added to files of laboratories.

use inputanim::{
    BooleanCurve, Flags, Joint, Layout, Marker, Pose, Recording, Sampler, Side, Space,
};
use inputanim_convert::xdf::{self, At, XdfError};
use inputanim_convert::{
    Error, Format, Loss, LossKind, Note, NoteKind, ReadOptions, Report, Sampling, WriteOptions,
};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

use inputanim_testkit::xdf::{Lab, chunks, describe};

fn write_with(
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Report), Error> {
    let mut bytes = Vec::new();
    let report = inputanim_convert::write(Format::Xdf, recording, options, &mut bytes)?;
    Ok((bytes, report))
}

fn at(sampling: Sampling) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.sampling = sampling;
    options
}

fn read(bytes: &[u8]) -> Result<(Recording<'_>, Report), Error> {
    inputanim_convert::read(Format::Xdf, bytes, &ReadOptions::default())
}

fn kinds(notes: &[Note]) -> Vec<NoteKind> {
    notes.iter().map(|note| note.kind).collect()
}

/// Checks that the numbers of a pose are equal to the last bit, except for the sign of the rotation.
fn assert_same(a: &Pose, b: &Pose, what: &str) {
    assert_eq!(
        a.position.map(f32::to_bits),
        b.position.map(f32::to_bits),
        "{what}"
    );
    let opposite = b.rotation.map(|part| -part);
    assert!(
        a.rotation == b.rotation || a.rotation == opposite,
        "{what}: {a:?} {b:?}"
    );
}

/// Checks a recording that was read against the recording that was written.
fn assert_samples(before: &Recording<'_>, back: &Recording<'_>) {
    // The rotations in the file are normalised, and they stay as they are.
    let before = Sampler::new(before).unwrap();
    let after = Sampler::new(back).unwrap().with_raw_rotations();
    assert_eq!(before.duration(), after.duration());
    let keys = back.head.as_ref().unwrap().position[0].keys.points();
    let mut keys: Vec<(f32, f32)> = keys.collect();
    // A key between the times of samples that repeats the last sample holds it until the end.
    if let [(first, _), (second, _), .., (_, last), (end, held)] = keys[..] {
        let steps = (end - first) / (second - first);
        if last == held && (steps - steps.round()).abs() > 0.01 {
            keys.pop();
        }
    }
    for (time, _) in keys {
        let (a, b) = (before.frame_at(time), after.frame_at(time));
        assert_same(&a.head.unwrap(), &b.head.unwrap(), "head");
        assert_eq!(a.gaze, b.gaze);
        for side in Side::BOTH {
            let (a, b) = (a.hand(side), b.hand(side));
            assert_eq!(
                (a.tracked, a.pinching),
                (b.tracked, b.pinching),
                "{side} {time}"
            );
            for (joint, pose) in a.joints.iter() {
                match (pose, &b.joints[joint]) {
                    (Some(a), Some(b)) => assert_same(a, b, joint.name()),
                    (a, b) => assert_eq!((a, b), (&None, &None), "{joint} {time}"),
                }
            }
        }
    }
}

#[test]
fn samples_come_back() {
    for (scene, seed) in [
        (Scene::TwoHands, 1),
        (Scene::Reach, 2),
        (Scene::PinchDrag, 3),
    ] {
        let mut recording = Motion::new(scene, seed, 6.0).record(30.0, Layout::Mrtk1_1);
        recording.markers.push(Marker::new(-0.5, "before <&>"));
        recording.markers.push(Marker::new(9.0, ""));
        for sampling in [Sampling::Rate(60.0), Sampling::Rate(71.3), Sampling::Keys] {
            for &space in Space::ALL {
                let mut options = at(sampling);
                options.space = space;
                let (bytes, report) = write_with(&recording, &options).unwrap();
                assert_eq!(report.losses, []);
                assert_eq!(kinds(&report.notes), [NoteKind::Sampling]);
                assert_eq!(Format::detect(&bytes), Some(Format::Xdf));
                let (back, report) = read(&bytes).unwrap();
                assert_eq!(report, Report::default());
                assert_samples(&recording, &back);
                let mut markers = recording.markers.clone();
                markers.sort_by(|a, b| a.time.total_cmp(&b.time));
                assert_eq!(back.markers, markers);
            }
        }
    }
}

#[test]
fn a_duration_between_two_samples_comes_back_without_a_lost_tail() {
    let is_lost = |recording: &Recording<'_>| {
        let findings = inputanim::doctor::findings(recording);
        let lost = inputanim::doctor::Code::TailLost;
        findings.iter().any(|finding| finding.code == lost)
    };
    let recording = Motion::new(Scene::TwoHands, 1, 2.75).record(40.0, Layout::Mrtk1_1);
    let mut head_only = recording.clone();
    head_only.hands = None;
    // The left hand is found after the last sample, and the right hand is lost after it.
    let mut changing = recording.clone();
    let hands = changing.hands_mut();
    hands.left.tracked = BooleanCurve::new([(0.0, false), (2.705, true)]);
    hands.right.tracked = BooleanCurve::new([(0.0, true), (2.705, false)]);
    for recording in [&recording, &head_only, &changing] {
        let options = at(Sampling::Rate(10.0));
        let mut added = Vec::new();
        let place = At::Seconds(2.3456);
        xdf::append(
            &lab().0,
            &ReadOptions::default(),
            recording,
            &place,
            &options,
            &mut added,
        )
        .unwrap();
        for bytes in [write_with(recording, &options).unwrap().0, added] {
            let (back, _) = read(&bytes).unwrap();
            assert_eq!(back.duration(), recording.duration());
            assert!(!is_lost(&back));
            let keys = &back.head.as_ref().unwrap().position[1].keys;
            let keys: Vec<(f32, f32)> = keys.points().collect();
            let [.., (before, value), (end, held)] = keys[..] else {
                panic!("{keys:?}")
            };
            assert_eq!((before, end, held), (2.7, recording.duration(), value));
        }
    }
    let (bytes, _) = write_with(&changing, &at(Sampling::Rate(10.0))).unwrap();
    let hands = read(&bytes).unwrap().0.hands.unwrap();
    for (hand, last) in [(&hands.left, None), (&hands.right, Some(2.7))] {
        let keys = &hand.joints[Joint::Palm].position[0].keys;
        assert_eq!(keys.points().last().map(|(time, _)| time), last);
    }

    // A stream whose last chunk is missing ends early.
    let (bytes, _) = write_with(&recording, &at(Sampling::Rate(10.0))).unwrap();
    let bytes = without_last_chunk(&bytes);
    assert!(is_lost(&read(&bytes).unwrap().0));
}

/// Returns a file without the last chunk of samples of the head.
fn without_last_chunk(bytes: &[u8]) -> Vec<u8> {
    let chunks = chunks(bytes);
    let last = chunks
        .iter()
        .rposition(|(tag, content)| *tag == 3 && content[0] == 1);
    let mut file = Lab(b"XDF:".to_vec());
    for (index, (tag, content)) in chunks.iter().enumerate() {
        if Some(index) != last {
            file.chunk(*tag, content);
        }
    }
    file.0
}

#[test]
fn states_change_at_their_own_times() {
    let mut recording = Motion::new(Scene::TwoHands, 1, 3.0).record(60.0, Layout::Mrtk1_1);
    let hands = recording.hands_mut();
    let flips = [(0.0, true), (0.51234, false), (1.70001, true), (2.9, false)];
    hands.left.tracked = BooleanCurve::new(flips);
    hands.right.pinching = BooleanCurve::new([(0.0, false), (0.3333, true), (0.3334, false)]);
    let (bytes, _) = write_with(&recording, &at(Sampling::Rate(10.0))).unwrap();
    let (back, _) = read(&bytes).unwrap();
    let hands = back.hands.unwrap();
    assert_eq!(hands.left.tracked, BooleanCurve::new(flips));
    let expected = BooleanCurve::new([(0.0, false), (0.3333, true), (0.3334, false)]);
    assert_eq!(hands.right.pinching, expected);
    let times = hands.left.joints[Joint::Palm].position[0].keys.points();
    let times: Vec<f32> = times.map(|(time, _)| time).collect();
    assert_eq!(times.len(), 6 + 11, "{times:?}");
    assert!(times.iter().all(|time| !(0.51234..1.70001).contains(time)));
}

#[test]
fn a_wide_band_of_content_is_written_or_left_out() {
    // Nothing is recorded, so that no stream is written.
    let empty = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    let (bytes, report) = write_with(&empty, &WriteOptions::default()).unwrap();
    assert_eq!(report.losses, []);
    let error = read(&bytes).unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(XdfError::NothingToRead { .. })),
        "{error}"
    );

    // Markers alone are a recording.
    let mut marked = empty;
    marked.markers = vec![Marker::new(0.25, "a"), Marker::new(f32::NAN, "b")];
    let (bytes, report) = write_with(&marked, &WriteOptions::default()).unwrap();
    let message = "1 marker with a time that is not finite".to_owned();
    let losses: Vec<(LossKind, String)> = report
        .losses
        .into_iter()
        .map(|Loss { kind, message, .. }| (kind, message))
        .collect();
    assert_eq!(losses, [(LossKind::Markers, message)]);
    let (back, _) = read(&bytes).unwrap();
    assert_eq!(back.markers, [Marker::new(0.25, "a")]);
}

#[test]
fn the_file_is_as_documented() {
    let recording = Motion::new(Scene::PinchDrag, 1, 2.5).record(20.0, Layout::Mrtk1_1);
    let mut recording = recording;
    // One joint is enough to show the header of a hand.
    let right = &mut recording.hands_mut().right;
    let palm = right.joints[Joint::Palm].clone();
    *right.joints = Default::default();
    right.joints[Joint::Palm] = palm;
    let mut options = at(Sampling::Rate(10.0));
    options.space = Space::OpenXr;
    options.source = Some("p<1>.bin".to_owned());
    options.start_time = std::time::Duration::from_secs(1_714_557_600);
    let (bytes, _) = write_with(&recording, &options).unwrap();
    snapbox::assert_data_eq!(
        describe(&bytes),
        snapbox::file!["../golden/pinch-drag.xdf.txt"].raw()
    );
}

/// Returns a file of a laboratory: an EEG whose clock is ahead by 100 s, and markers.
fn lab() -> Lab {
    let mut lab = Lab::new();
    lab.stream(7, ["Amp", "EEG", "float32"], 0.0, &["Fz", "Cz"])
        .stream(3, ["Stim", "Markers", "string"], 0.0, &["text"])
        .clock_offset(7, 1100.0, -100.0)
        .clock_offset(3, 1000.0, 0.0)
        .floats(7, &[(1101.0, &[1.0, 2.0]), (1102.0, &[3.0, 4.0])])
        .texts(3, &[(1005.5, "start"), (1006.0, "10"), (1050.5, "start")])
        .boundary();
    lab
}

fn take() -> Recording<'static> {
    let mut recording = Motion::new(Scene::TwoHands, 1, 1.0).record(30.0, Layout::Mrtk1_1);
    recording.markers = vec![Marker::new(0.25, "start"), Marker::new(0.5, "grab")];
    recording
}

fn append(lab: &[u8], place: &str) -> Result<(Vec<u8>, Report), Error> {
    let mut both = Vec::new();
    let mut options = at(Sampling::Rate(10.0));
    options.source = Some("take.bin".to_owned());
    let place: At = place.parse().unwrap();
    let report = xdf::append(
        lab,
        &ReadOptions::default(),
        &take(),
        &place,
        &options,
        &mut both,
    )?;
    Ok((both, report))
}

#[test]
fn a_recording_is_added_at_a_time_or_at_a_marker() {
    let lab = lab().0;
    for (place, zero, note) in [
        (
            "0",
            1001.0,
            "t = 0 is 0 s after the first sample of the file, at 1001 s of its clock",
        ),
        (
            "12.5",
            1013.5,
            "t = 0 is 12.5 s after the first sample of the file, at 1013.5 s of its clock",
        ),
        (
            "1:30.5",
            1091.5,
            "t = 0 is 90.5 s after the first sample of the file, at 1091.5 s of its clock, after the last sample of the \
             file at 1050.5 s",
        ),
        (
            "lsl:990",
            990.0,
            "t = 0 is at 990 s of the clock of the file, before the first sample of the file at 1001 s",
        ),
        (
            "10",
            1011.0,
            "t = 0 is 10 s after the first sample of the file, at 1011 s of its clock; `--at marker:10` \
             selects the marker \"10\" of Stim",
        ),
        (
            "start",
            1005.25,
            "the marker \"start\" of the recording, at 0.25 s, is at the marker \"start\" of Stim (number 1 of 2). \
             The t = 0 of the recording is at 1005.25 s of the clock of the file",
        ),
        (
            "start#2",
            1050.25,
            "the marker \"start\" of the recording, at 0.25 s, is at the marker \"start\" of Stim (number 2 of 2). \
             The t = 0 of the recording is at 1050.25 s of the clock of the file",
        ),
        (
            "marker:10",
            1006.0,
            "the recording has no marker \"10\". Its t = 0 is at the marker \"10\" of Stim, at 1006 s of the clock of \
             the file",
        ),
    ] {
        let (both, report) = append(&lab, place).unwrap();
        assert_eq!(report.losses, []);
        assert_eq!(
            kinds(&report.notes),
            [NoteKind::Sampling, NoteKind::TimeShift]
        );
        assert_eq!(report.notes[1].message, note);
        assert!(both.starts_with(&lab));
        let ids = chunks(&both).into_iter().filter(|(tag, _)| *tag == 2);
        let ids: Vec<u8> = ids.map(|(_, content)| content[0]).collect();
        assert_eq!(ids, [7, 3, 8, 9, 10, 11, 12, 13]);

        let streams = xdf::streams(&both, &ReadOptions::default()).unwrap();
        let head = streams
            .iter()
            .find(|stream| stream.name == xdf::HEAD)
            .unwrap();
        assert!((head.times[0] - zero).abs() < 1e-9, "{place}");
        let (back, report) = read(&both).unwrap();
        let expected = [
            NoteKind::Markers,
            NoteKind::TimeShift,
            NoteKind::OtherContent,
        ];
        assert_eq!(kinds(&report.notes), expected);
        assert_eq!(report.notes[2].message, "streams not read: Amp (EEG)");
        assert_samples(&take(), &back);
        let own: Vec<&str> = back.markers.iter().map(|marker| &*marker.name).collect();
        assert!(
            own.contains(&"start") && own.contains(&"Stim: start"),
            "{own:?}"
        );
    }
}

#[test]
fn one_of_several_recordings_is_selected_by_its_name() {
    let (one, _) = append(&lab().0, "start").unwrap();
    // Markers of the laboratory come before the markers of the first recording.
    let (two, report) = append(&one, "start#2").unwrap();
    assert!(
        report.notes[1]
            .message
            .contains("\"start\" of Stim (number 2 of 2)"),
        "{report:?}"
    );
    let error = read(&two).unwrap_err().to_string();
    let expected =
        "the file contains several recordings: take.bin, take.bin#2; select one by its name";
    assert_eq!(error, expected);
    let select = |name: &str| {
        let mut options = ReadOptions::default();
        options.recording = Some(name.to_owned());
        inputanim_convert::read(Format::Xdf, &two, &options)
    };
    for (name, zero) in [("take.bin", "1005.25"), ("take.bin#2", "1050.25")] {
        let (back, report) = select(name).unwrap();
        assert_samples(&take(), &back);
        assert!(report.notes[1].message.contains(zero), "{report:?}");
    }
    let error = select("other.bin").unwrap_err().to_string();
    let expected = "no recording \"other.bin\" in the file; found take.bin, take.bin#2";
    assert_eq!(error, expected);
}

#[test]
fn a_recording_is_added_twice_at_one_place() {
    let (one, _) = append(&lab().0, "start").unwrap();
    let (two, _) = append(&one, "start").unwrap();
    let error = read(&two).unwrap_err().to_string();
    assert!(error.contains("take.bin, take.bin#2"), "{error}");
    for name in ["take.bin", "take.bin#2"] {
        let mut options = ReadOptions::default();
        options.recording = Some(name.to_owned());
        let (back, _) = inputanim_convert::read(Format::Xdf, &two, &options).unwrap();
        assert_samples(&take(), &back);
    }
}

#[test]
fn an_error_counts_all_markers_of_a_file() {
    let names: Vec<String> = (0..30).map(|number| format!("m{number}")).collect();
    let texts: Vec<(f64, &str)> = names.iter().map(|name| (2000.0, &**name)).collect();
    let mut lab = lab();
    lab.texts(3, &texts).texts(3, &texts);
    let error = append(&lab.0, "stop").map(|_| ()).unwrap_err().to_string();
    assert!(error.starts_with("no marker \"stop\"; the file has \"start\", \"10\", \"m0\", "));
    assert!(error.ends_with("\"m17\" and 12 more"), "{error}");
}

#[test]
fn nothing_is_added_without_a_marker_or_at_a_damaged_end() {
    let lab = lab().0;
    let error =
        |bytes: &[u8], place: &str| append(bytes, place).map(|_| ()).unwrap_err().to_string();
    assert_eq!(
        error(&lab, "stop"),
        "no marker \"stop\"; the file has \"start\", \"10\""
    );
    assert_eq!(
        error(&lab, "start#3"),
        "no marker \"start\" with the number 3; the file has \"start\", \"10\""
    );
    assert_eq!(
        error(&lab, "start#x"),
        "no marker \"start#x\"; the file has \"start\", \"10\""
    );
    let cut = &lab[..lab.len() - 1];
    assert!(error(cut, "start").starts_with("cannot append to a file whose end is damaged: byte "));
    assert!(error(b"XDF:", "1").starts_with("cannot append"));
    assert!(error(b"RIFF", "1").starts_with("not an XDF file"));
    assert!(error(&[0x1f, 0x8b, 8, 0], "1").starts_with("cannot append to a compressed file"));
    assert!(error(&Lab::new().0, "1").contains("no samples"));
    assert!(append(&Lab::new().0, "lsl:5").is_ok());
    assert_eq!(
        error(&lab, "lsl:1e308"),
        "invalid time: 1e308 s (must be between -1e10 and 1e10)"
    );
}

#[test]
fn places_are_parsed_and_written() {
    let marker = |text: &str, number| At::Marker {
        text: text.to_owned(),
        number,
    };
    for (text, place) in [
        ("12.5", At::Seconds(12.5)),
        ("-3", At::Seconds(-3.0)),
        ("80123.123456", At::Seconds(80123.123456)),
        ("-500ms", At::Seconds(-0.5)),
        ("1:30.7", At::Seconds(90.7)),
        ("1:00:00", At::Seconds(3600.0)),
        ("lsl:1e3", At::LslTime(1000.0)),
        ("lsl:80123.123456", At::LslTime(80123.123456)),
        ("lsl:1:30", At::LslTime(90.0)),
        ("start", marker("start", 1)),
        ("start#2", marker("start", 2)),
        ("a#2#1", marker("a#2", 1)),
        ("a#x", marker("a#x", 1)),
        ("a#", marker("a#", 1)),
        ("#x", marker("#x", 1)),
        ("a#x#3", marker("a#x", 3)),
        ("marker:1:30", marker("1:30", 1)),
        ("marker:10", marker("10", 1)),
        ("marker:10#3", marker("10", 3)),
        ("marker:lsl:1", marker("lsl:1", 1)),
        ("two words", marker("two words", 1)),
    ] {
        assert_eq!(text.parse(), Ok(place.clone()), "{text}");
        assert_eq!(place.to_string().parse(), Ok(place));
    }
    for text in [
        "",
        "NaN",
        "inf",
        "lsl:",
        "lsl:x",
        "lsl:inf",
        "marker:",
        "#2",
        "a#0",
        "a#00",
        "a#99999999999999999999",
    ] {
        assert!(text.parse::<At>().is_err(), "{text}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn every_written_file_can_be_read(recording in inputanim_testkit::random::recording()) {
        let rate = 100.0 / f64::from(recording.duration().max(1.0));
        for sampling in [Sampling::Rate(rate), Sampling::Keys] {
            match write_with(&recording, &at(sampling)) {
                Ok((bytes, _)) => {
                    let headers = chunks(&bytes).into_iter().filter(|(tag, _)| *tag == 2);
                    match read(&bytes) {
                        Ok(_) => prop_assert!(headers.count() > 0),
                        Err(error) => prop_assert_eq!(headers.count(), 0, "{}", error),
                    }
                }
                Err(error) => prop_assert!(matches!(error, Error::Sample(_)), "{}", error),
            }
        }
    }
}
