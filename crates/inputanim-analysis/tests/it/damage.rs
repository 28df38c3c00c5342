//! Damage: time that was not recorded is not analysed, and only measures that use damaged curves are marked.

use inputanim::doctor::{self, Code, FileDamage};
use inputanim::{
    CurveMut, CurvePath, FloatCurve, Frame, Joint, Layout, Pose, PoseChannel, PoseCurves,
    RayChannel, Recorder, Recording, Side, TimeRange,
};
use inputanim_analysis::{Analysis, AnalysisParameters, EventKind, Group, Measure, Missing};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::damage::{WLoss, lose_w};

fn analyse(recording: &Recording<'_>) -> Analysis {
    Analysis::of(recording, &AnalysisParameters::default()).unwrap()
}

fn measures(analysis: &Analysis) -> Vec<Measure> {
    analysis.measures(analysis.range).rows
}

fn value(analysis: &Analysis, name: &str) -> f64 {
    let measures = analysis.measures(analysis.range);
    measures.get(name).unwrap().value.unwrap()
}

fn motion(layout: Layout) -> Recording<'static> {
    Motion::new(Scene::TwoHands, 3, 12.0).record(60.0, layout)
}

/// Asserts that all measures of motion, gaze and events agree.
#[track_caller]
fn same_motion(before: &Analysis, after: &Analysis) {
    for (before, after) in measures(before).iter().zip(measures(after)) {
        if before.quantity.group == Group::Quality {
            continue;
        }
        let name = &before.name;
        match (before.value, after.value) {
            (Ok(before), Ok(after)) => {
                let error = (before - after).abs();
                assert!(
                    error <= 1e-3 + 1e-3 * before.abs(),
                    "{name}: {after}, not {before}"
                );
            }
            (before, after) => assert_eq!(before, after, "{name}"),
        }
    }
}

/// With D5 the states begin before the poses. The first pose used to be held and counted as rest.
#[test]
fn time_before_the_first_pose_is_not_analysed() {
    let whole = motion(Layout::Mrtk1_0);
    let mut late = whole.clone();
    let hands = late.hands_mut();
    for hand in [&mut hands.left, &mut hands.right] {
        let keys: Vec<(f32, bool)> = hand
            .tracked
            .keys
            .iter()
            .map(|key| (key.time(), key.is_on()))
            .collect();
        // A multiple of the sampling interval, so that the samples are the same.
        hand.tracked = inputanim::BooleanCurve::new([(-5.25, keys[0].1)].into_iter().chain(keys));
    }
    let (whole, late) = (analyse(&whole), analyse(&late));
    assert!(
        late.quality
            .findings
            .iter()
            .any(|finding| finding.code == Code::StartLost)
    );
    assert_eq!(value(&late, "duration"), value(&whole, "duration") + 5.25);
    assert_eq!(value(&late, "damaged"), 5.25);
    same_motion(&whole, &late);
}

#[test]
fn a_frozen_tail_is_not_analysed() {
    let whole = motion(Layout::Mrtk1_1);
    let mut held = whole.clone();
    // The states go on for 4 s after the last pose.
    held.hands_mut().left.pinching.push(16.0, false);
    held.markers.clear();
    let (whole, held) = (analyse(&whole), analyse(&held));
    for (before, after) in measures(&whole).iter().zip(measures(&held)) {
        let is_motion = [Group::Head, Group::Hands, Group::Fingers, Group::Gaze]
            .contains(&before.quantity.group);
        if is_motion {
            assert_eq!(before.value, after.value, "{}", before.name);
        }
    }
    let tail = value(&held, "head.frozen_tail");
    assert!((tail - 4.0).abs() < 1e-6, "{tail}");
    let range = TimeRange {
        start: 14.0,
        end: 15.0,
    };
    let tail = held
        .measures(range)
        .get("head.frozen_tail")
        .unwrap()
        .value
        .unwrap();
    assert!((tail - 1.0).abs() < 1e-6, "{tail}");
    let before = TimeRange {
        start: 1.0,
        end: 2.0,
    };
    assert_eq!(
        held.measures(before).get("head.frozen_tail").unwrap().value,
        Ok(0.0)
    );
}

#[test]
fn a_pause_of_the_recorder_is_not_analysed() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for frame in Motion::new(Scene::Wave, 1, 12.0).frames(60.0) {
        if !(4.0..7.0).contains(&frame.time) {
            recorder.push(&frame).unwrap();
        }
    }
    let analysis = analyse(&recorder.finish());
    let palm = analysis
        .channels
        .hand(Side::Right)
        .joint(Joint::Palm)
        .unwrap();
    let inside = analysis.channels.samples(TimeRange {
        start: 4.02,
        end: 6.98,
    });
    assert!(palm[inside].iter().all(|position| position[0].is_nan()));
    let pause = TimeRange {
        start: 4.5,
        end: 6.5,
    };
    let speed = analysis.measures(pause);
    let speed = speed.get("right.Palm.speed.mean").unwrap().value;
    assert_eq!(speed, Err(Missing::NotTracked));
}

/// Returns a wave with sign flips in the palm during two time ranges, and the union of the flipped intervals.
fn flipped(
    path: for<'r> fn(&'r mut Recording<'static>) -> &'r mut PoseCurves<'static>,
) -> (Recording<'static>, f64) {
    let mut recording = motion(Layout::Mrtk1_1);
    let mut seconds = 0.0;
    for curve in &mut path(&mut recording).rotation {
        seconds = 0.0;
        for (first, last) in [(100, 101), (400, 420)] {
            for index in first..last {
                let (time, value) = curve.keys.point(index).unwrap();
                let keys: Vec<(f32, f32)> = curve.keys.points().collect();
                let mut keys = keys;
                keys[index] = (time, -value);
                *curve = inputanim::FloatCurve::linear(keys);
            }
            for pair in [first, last] {
                let time = |index: usize| f64::from(curve.keys.point(index).unwrap().0);
                seconds += time(pair) - time(pair - 1);
            }
        }
    }
    (recording, seconds)
}

#[test]
fn flips_are_dated_by_their_intervals_and_mark_only_measures_that_use_rotations() {
    let (recording, seconds) =
        flipped(|recording| &mut recording.hands_mut().right.joints[Joint::Palm]);
    let analysis = analyse(&recording);
    let damaged = value(&analysis, "damaged");
    assert!((damaged - seconds).abs() < 1e-5, "{damaged}, not {seconds}");
    let events = analysis
        .events()
        .into_iter()
        .filter(|event| event.kind == EventKind::Damage);
    assert_eq!(
        events.count(),
        3,
        "two neighbouring flips of one key, and two of a run"
    );
    for measure in measures(&analysis) {
        assert_eq!(measure.damage, [], "{}", measure.name);
    }

    let (recording, seconds) = flipped(|recording| recording.head_mut());
    let analysis = analyse(&recording);
    assert!((value(&analysis, "damaged") - seconds).abs() < 1e-5);
    for measure in measures(&analysis) {
        let uses = [
            "head.angular",
            "head.yaw",
            "head.pitch",
            "head.roll",
            "gaze.head_offset",
        ];
        let is_used = uses.iter().any(|start| measure.name.starts_with(start));
        let expected = if is_used { &[Code::SignFlip][..] } else { &[] };
        assert_eq!(measure.damage, expected, "{}", measure.name);
    }
    // No flip is in this segment.
    let range = TimeRange {
        start: 2.5,
        end: 5.5,
    };
    assert!(
        analysis
            .measures(range)
            .rows
            .iter()
            .all(|measure| measure.damage.is_empty())
    );
}

#[test]
fn a_lost_w_is_damage_from_the_first_key_to_the_end() {
    for loss in [WLoss::OneKey, WLoss::TwoKeys] {
        let mut recording = motion(Layout::Mrtk1_1);
        lose_w(&mut recording, loss);
        let findings = doctor::findings(&recording);
        assert_eq!(
            findings[0].ranges,
            [TimeRange {
                start: 0.0,
                end: 12.0
            }],
            "{:?}",
            findings[0]
        );
        let analysis = analyse(&recording);
        assert_eq!(value(&analysis, "damaged"), 12.0);
        let angle = analysis.measures(analysis.range);
        assert_eq!(
            angle.get("head.yaw_range").unwrap().value,
            Err(Missing::Damaged)
        );
        assert!(
            angle
                .get("right.Palm.speed.mean")
                .unwrap()
                .damage
                .is_empty()
        );
    }
}

/// The recording begins and ends while the right palm moves, and tracking is lost during a movement.
#[test]
fn cut_movements_are_marked_and_left_out_of_statistics() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let range = TimeRange {
        start: 0.0,
        end: 8.0,
    };
    for time in range.times_at(60.0) {
        let mut frame = Frame {
            time,
            ..Frame::default()
        };
        frame.right.tracked = !(5.1..5.4).contains(&time);
        if frame.right.tracked {
            // Moves with a period of 2 s, and rests when the cosine is extreme.
            let angle = std::f32::consts::PI * (time - 0.3);
            frame.right.joints[Joint::Palm] = Some(Pose::at([0.2 * angle.cos(), 1.0, 0.4]));
        }
        recorder.push(&frame).unwrap();
    }
    let analysis = analyse(&recorder.finish());
    let movements = &analysis.hand(Side::Right).movements;
    let cut: Vec<[bool; 2]> = movements
        .iter()
        .map(|found| [found.is_cut_at_start, found.is_cut_at_end])
        .collect();
    let complete = cut.iter().filter(|cut| **cut == [false; 2]).count();
    assert_eq!(cut[0], [true, false]);
    assert_eq!(cut.last(), Some(&[false, true]));
    assert_eq!(
        cut.iter().filter(|cut| cut.contains(&true)).count(),
        4,
        "{cut:?}"
    );
    assert!(complete >= 4, "{cut:?}");
    assert_eq!(value(&analysis, "right.movements"), cut.len() as f64);
    let shortest = movements.iter().filter(|found| found.is_complete());
    let shortest = shortest
        .map(|found| found.duration)
        .fold(f64::INFINITY, f64::min);
    assert_eq!(value(&analysis, "right.movement.duration.min"), shortest);
    let events = analysis.events().into_iter();
    let events = events
        .filter(|event| event.kind == EventKind::Movement && event.property("cut") == Some(1.0));
    assert_eq!(events.count(), 4);
}

/// The window of the filter used to be a number of samples, so that a rate of 120 Hz tripled the jerk.
#[test]
fn derivatives_do_not_depend_on_the_rate_of_dense_recordings() {
    let recording = Motion::new(Scene::Reach, 2, 20.0).record(240.0, Layout::Mrtk1_1);
    let at = |rate: f64| {
        let mut options = AnalysisParameters::default();
        options.channels.rate = rate;
        Analysis::of(&recording, &options).unwrap()
    };
    let usual = at(60.0);
    for rate in [90.0, 120.0] {
        let other = at(rate);
        for name in [
            "right.Palm.speed.mean",
            "right.Palm.speed.p95",
            "right.Palm.jerk.mean",
            "right.Palm.jerk.p95",
            "right.movement.ldlj.mean",
            "head.speed.median",
        ] {
            let (usual, other) = (value(&usual, name), value(&other, name));
            let change = (other / usual - 1.0).abs();
            assert!(change < 0.05, "{name} at {rate} Hz: {other}, not {usual}");
        }
    }
}

#[test]
fn a_recording_with_a_low_rate_has_a_note() {
    let at = |rate: f32| {
        analyse(&Motion::new(Scene::Wave, 1, 5.0).record(rate, Layout::Mrtk1_1)).notes()
    };
    assert!(at(60.0).is_empty());
    assert!(at(30.0).is_empty());
    let notes: Vec<String> = at(23.0).iter().map(ToString::to_string).collect();
    assert!(
        notes[0].contains(": 60 Hz, but recorded") && notes[0].contains("right at 23.0 Hz"),
        "{notes:?}"
    );
}

/// A gaze of zeros and missing joints used to mark every measure of the recording.
#[test]
fn a_number_that_is_not_finite_is_unknown() {
    let of = |number: f32| {
        let mut recording = motion(Layout::Mrtk1_1);
        for path in [
            CurvePath::Head(PoseChannel::PositionY),
            CurvePath::Joint(Side::Right, Joint::IndexTip, PoseChannel::PositionX),
            CurvePath::Joint(Side::Right, Joint::Palm, PoseChannel::PositionZ),
            CurvePath::Gaze(RayChannel::DirectionX),
        ] {
            let Some(CurveMut::Float(curve)) = recording.curve_mut(path) else {
                panic!("{path}")
            };
            let mut keys: Vec<_> = curve.keys.points().collect();
            let middle = keys.len() / 2;
            keys[middle].1 = number;
            curve.keys = FloatCurve::linear(keys).keys;
        }
        let analysis = analyse(&recording);
        (measures(&analysis), analysis.events())
    };
    let unknown = of(f32::NAN);
    for number in [f32::INFINITY, f32::NEG_INFINITY] {
        assert_eq!(of(number), unknown, "{number}");
    }
    // It is no reason to lose the measures of the other times.
    let known = unknown
        .0
        .iter()
        .filter(|measure| measure.value.is_ok())
        .count();
    let all = measures(&analyse(&motion(Layout::Mrtk1_1)));
    let expected = all.iter().filter(|measure| measure.value.is_ok()).count();
    assert_eq!(known, expected);
}

#[test]
fn a_stream_without_data_marks_only_its_own_measures() {
    let mut recording = motion(Layout::Mrtk1_1);
    for curve in recording.gaze_mut().direction.iter_mut() {
        *curve = inputanim::FloatCurve::linear([(0.0, 0.0), (12.0, 0.0)]);
    }
    for curve in recording.gaze_mut().origin.iter_mut() {
        *curve = inputanim::FloatCurve::linear([(0.0, 0.0), (12.0, 0.0)]);
    }
    for (_, pose) in recording.hands_mut().right.joints.iter_mut() {
        *pose = PoseCurves::default();
    }
    for measure in measures(&analyse(&recording)) {
        let name = &measure.name;
        let is_gaze = measure.quantity.group == Group::Gaze;
        assert_eq!(measure.damage.contains(&Code::GazeZero), is_gaze, "{name}");
        let is_of_right = name.starts_with("right.") || name.starts_with("hands.");
        let is_marked = is_of_right && measure.quantity.group != Group::Quality;
        assert_eq!(
            measure.damage.contains(&Code::JointsMissing),
            is_marked,
            "{name}"
        );
    }
}

#[test]
fn keys_that_are_not_in_order_do_not_shorten_the_recorded_time() {
    let recording = motion(Layout::Mrtk1_1);
    let mut unordered = recording.clone();
    for curve in &mut unordered.head_mut().position {
        let mut keys: Vec<(f32, f32)> = curve.keys.points().collect();
        keys.rotate_left(200);
        *curve = inputanim::FloatCurve::linear(keys);
    }
    for curve in &mut unordered.head_mut().rotation {
        let mut keys: Vec<(f32, f32)> = curve.keys.points().collect();
        keys.rotate_left(200);
        *curve = inputanim::FloatCurve::linear(keys);
    }
    let path = |recording| value(&analyse(recording), "head.path_length");
    assert!((path(&recording) - path(&unordered)).abs() < 1e-6);
}

#[test]
fn extreme_durations_of_fixations_find_none() {
    let mut options = AnalysisParameters::default();
    for duration in [2e19, 1e300] {
        options.gaze.idt.duration = duration;
        let analysis = Analysis::of(&motion(Layout::Mrtk1_1), &options).unwrap();
        assert_eq!(analysis.gaze.unwrap().fixations, []);
    }
}

/// A recovered recording used to have the measures of an intact one without the lost curves.
#[test]
fn measures_of_curves_that_a_file_has_lost_are_damaged() {
    let bytes = motion(Layout::Mrtk1_1).to_bytes().unwrap();
    let intact = Recording::parse(&bytes).unwrap();
    let recovered = Recording::recover(&bytes[..bytes.len() / 3]).unwrap();
    let damage = FileDamage::of(&recovered).unwrap();
    let analysis = Analysis::of_damaged(
        &recovered.recording,
        &damage,
        &AnalysisParameters::default(),
    )
    .unwrap();
    let found = analysis.measures(analysis.range);
    let get = |name: &str| found.get(name).unwrap();
    for name in [
        "right.Palm.path_length",
        "right.sampling_rate",
        "gaze.valid_share",
        "gaze.idt.count",
        "right.geometric_pinch.count",
    ] {
        assert_eq!(get(name).value, Err(Missing::Damaged), "{name}");
        assert_eq!(get(name).damage, [Code::FileTruncated], "{name}");
    }
    // The states and the head are before the lost curves.
    let whole = analyse(&intact);
    for name in ["head.path_length", "right.tracked_share", "left.dropouts"] {
        assert_eq!(get(name).value.ok(), Some(value(&whole, name)), "{name}");
        assert_eq!(get(name).damage, [], "{name}");
    }
    let length = f64::from(analysis.range.length());
    assert_eq!(get("damaged").value, Ok(length));
    // The finding stays after an edit, and a reflection exchanges the lost curves.
    let mut mirrored = damage.clone();
    mirrored.mirror();
    assert_eq!(mirrored.lost.len(), damage.lost.len());
    assert!(mirrored.lost.contains(&CurvePath::Joint(
        Side::Left,
        Joint::Palm,
        PoseChannel::PositionX
    )));
    let findings = doctor::findings_of_damaged(&recovered.recording, &damage);
    let info = inputanim::info::Info::of(&recovered.recording);
    assert_eq!(findings, doctor::findings_of_recovery(&recovered, &info));
}
