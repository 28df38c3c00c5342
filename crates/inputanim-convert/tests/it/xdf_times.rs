//! XDF files of laboratories: clocks, markers, and the times at which hands are tracked.

use inputanim::{Element, Pauses};
use inputanim_convert::{NoteKind, ReadOptions, xdf};
use inputanim_testkit::xdf::Lab;

use crate::xdf_files::{PALM, losses, notes, points, read, tracker};

#[test]
fn streams_of_markers_become_markers() {
    let mut lab = tracker();
    lab.stream(2, ["Keys", "markers", "string"], 0.0, &["key", "state"])
        .stream(3, ["Port", "Markers", "int32"], 0.0, &["code"]);
    let text = |first: &str, second: &str| {
        let text = |text: &str| [&[1, text.len() as u8], text.as_bytes()].concat();
        [text(first), text(second)].concat()
    };
    lab.samples(
        2,
        &[
            (Some(51.0), text("a", "down")),
            (Some(51.5), text("", "")),
            (Some(52.0), text("", "up")),
        ],
    )
    .samples(3, &[(Some(49.5), (-7_i32).to_le_bytes().to_vec())]);
    let (recording, report) = read(&lab.0, &PALM).unwrap();
    let markers = recording
        .markers
        .iter()
        .map(|marker| (marker.time, &*marker.name));
    let markers: Vec<_> = markers.collect();
    assert_eq!(
        markers,
        [
            (-0.5, "Port: -7"),
            (1.0, "Keys: a, down"),
            (2.0, "Keys: up")
        ]
    );
    assert_eq!(
        notes(&report)[0],
        (NoteKind::Markers, "2 markers of Keys, 1 marker of Port")
    );
    let mappings = [&PALM[..], &["marker=Keys/state"]].concat();
    let (recording, _) = read(&lab.0, &mappings).unwrap();
    let markers: Vec<&str> = recording
        .markers
        .iter()
        .map(|marker| &*marker.name)
        .collect();
    assert_eq!(markers, ["down", "up"]);
}

#[test]
fn missing_times_follow_from_the_rate_and_jitter_is_removed() {
    let mut lab = Lab::new();
    lab.stream(
        1,
        ["A", "MoCap", "int8"],
        10.0,
        &["head.position.x", "head.position.y", "head.position.z"],
    );
    lab.samples(
        1,
        &[
            (Some(2.0), vec![1, 2, 3]),
            (None, vec![4, 5, 6]),
            (None, vec![7, 8, 9]),
        ],
    );
    let (recording, report) = read(&lab.0, &[]).unwrap();
    assert_eq!(
        points(&recording.head.unwrap().position[1]),
        [(0.0, 2.0), (0.1, 5.0), (0.2, 8.0)]
    );
    assert_eq!(report.notes.len(), 2, "{report:?}");
    lab.samples(
        1,
        &[(Some(2.31), vec![1, 2, 3]), (Some(2.39), vec![4, 5, 6])],
    )
    .clock_offset(1, 2.0, 7.5);
    let (_, report) = read(&lab.0, &[]).unwrap();
    assert_eq!(
        notes(&report)[2],
        (
            NoteKind::Clock,
            "A: clock offsets applied, times made regular, which changed them by up to 11.000 ms"
        )
    );
    let streams = xdf::streams(&lab.0, &ReadOptions::default()).unwrap();
    let expected = [9.502, 9.601, 9.7, 9.799, 9.898];
    for (time, expected) in streams[0].times.iter().zip(expected) {
        assert!((time - expected).abs() < 1e-9, "{:?}", streams[0].times);
    }
}

#[test]
fn a_hand_is_tracked_while_its_streams_have_samples() {
    let labels = |pose: &str| ["x", "y", "z"].map(|axis| format!("{pose}.position.{axis}"));
    let mut lab = Lab::new();
    let mut stream = |id: u32, pose: &str, times: &[f64]| {
        let labels = labels(pose);
        let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
        lab.stream(id, [pose, "MoCap", "float32"], 0.0, &labels);
        let samples: Vec<(f64, &[f32])> = times
            .iter()
            .map(|&time| (time, &[1.0, 2.0, 3.0][..]))
            .collect();
        lab.floats(id, &samples);
    };
    stream(1, "head", &[100.0, 105.0, 110.0]);
    stream(2, "left.Palm", &[101.5, 103.0, 104.75]);
    stream(3, "right.Palm", &[100.0, 103.0]);
    stream(4, "right.IndexTip", &[102.0, 110.0]);
    let (recording, report) = read(&lab.0, &[]).unwrap();
    assert_eq!(losses(&report), []);
    let findings = inputanim::doctor::findings(&recording);
    let lost = inputanim::doctor::Code::TailLost;
    assert!(
        findings.iter().all(|finding| finding.code != lost),
        "{findings:?}"
    );
    let hands = recording.hands.unwrap();
    let states = |curve: &inputanim::BooleanCurve<'_>| -> Vec<(f32, f32)> {
        inputanim::Curve::Boolean(curve).points().collect()
    };
    let after = 4.75_f32.next_up();
    let expected = [(0.0, 0.0), (1.5, 1.0), (after, 0.0)];
    assert_eq!(states(&hands.left.tracked), expected);
    assert_eq!(states(&hands.right.tracked), [(0.0, 1.0)]);
}

#[test]
fn streams_of_texts_without_a_rate_are_markers_whatever_their_type_is() {
    let mut lab = tracker();
    lab.stream(2, ["Unity", "LSL_Marker_Strings", "string"], 0.0, &["text"])
        .texts(2, &[(50.0, "start"), (51.0, "stop")]);
    // Texts with a rate are samples.
    lab.stream(3, ["Names", "Texts", "string"], 10.0, &["text"])
        .texts(3, &[(50.0, "a")]);
    let (recording, report) = read(&lab.0, &PALM).unwrap();
    let markers: Vec<_> = recording
        .markers
        .iter()
        .map(|marker| (marker.time, &*marker.name))
        .collect();
    assert_eq!(markers, [(0.0, "start"), (1.0, "stop")]);
    assert_eq!(notes(&report)[0], (NoteKind::Markers, "2 markers of Unity"));
    let unused = "Names";
    assert!(
        notes(&report).iter().any(|(_, note)| note.contains(unused)),
        "{report:?}"
    );
    // Several streams can be chosen.
    let mappings = [&PALM[..], &["marker=Names", "marker=Unity"]].concat();
    let (recording, _) = read(&lab.0, &mappings).unwrap();
    let mut markers: Vec<&str> = recording
        .markers
        .iter()
        .map(|marker| &*marker.name)
        .collect();
    markers.sort_unstable();
    assert_eq!(markers, ["Names: a", "Unity: start", "Unity: stop"]);
}

/// Returns a stream of a head at 10 Hz with samples at the given times, and a marker at 6 s.
fn regular(times: impl Iterator<Item = f64>) -> Lab {
    let mut lab = Lab::new();
    let labels = ["x", "y", "z"].map(|axis| format!("head.position.{axis}"));
    let labels: Vec<&str> = labels.iter().map(String::as_str).collect();
    lab.stream(1, ["A", "MoCap", "float32"], 10.0, &labels);
    let samples: Vec<(f64, &[f32])> = times.map(|time| (time, &[0.0, 1.6, 0.0][..])).collect();
    lab.floats(1, &samples);
    lab.stream(2, ["B", "Markers", "string"], 0.0, &["text"])
        .texts(2, &[(6.0, "here")]);
    lab
}

#[test]
fn samples_around_a_pause_keep_their_times_against_the_markers() {
    let all = (0..100).map(|sample| f64::from(sample) / 10.0);
    // A dropout of 3 s.
    let paused: Vec<f64> = all
        .clone()
        .filter(|time| !(2.0..5.0).contains(time))
        .collect();
    let lab = regular(paused.iter().copied());
    let (recording, report) = read(&lab.0, &[]).unwrap();
    let head = points(&recording.head.as_ref().unwrap().position[1]);
    for ((time, _), expected) in head.iter().zip(&paused) {
        assert!(
            (f64::from(*time) - expected).abs() < 1e-5,
            "{time} {expected}"
        );
    }
    let gaps = recording.known.gaps(Element::Head);
    assert_eq!(gaps.len(), 1);
    assert!(
        (gaps[0].start - 1.9).abs() < 1e-5 && (gaps[0].end - 5.0).abs() < 1e-5,
        "{gaps:?}"
    );
    assert_eq!(recording.markers[0].time, 6.0);
    assert!(
        notes(&report)
            .iter()
            .all(|(kind, _)| *kind != NoteKind::Clock),
        "{report:?}"
    );

    // Nine lost samples are no pause: the line moves the samples on both sides.
    let lost = all.filter(|time| !(4.95..5.85).contains(time));
    let lab = regular(lost.clone());
    let (_, report) = read(&lab.0, &[]).unwrap();
    let found = notes(&report);
    let clock = found
        .iter()
        .find(|(kind, _)| *kind == NoteKind::Clock)
        .unwrap()
        .1;
    assert_eq!(
        clock,
        "A: times made regular, which changed them by up to 464.262 ms, 63 of 91 samples by more than the interval of 100.000 ms, as around lost samples"
    );
    // A shorter limit of pauses divides the line, and the option keeps all times.
    let mut options = ReadOptions::default();
    options.pauses = Pauses::Longer(0.5);
    let mut kept = ReadOptions::default();
    kept.keep_jitter = true;
    for options in [options, kept] {
        let streams = xdf::streams(&lab.0, &options).unwrap();
        for (time, expected) in streams[0].times.iter().zip(lost.clone()) {
            assert!((time - expected).abs() < 1e-9, "{time} {expected}");
        }
    }
}
