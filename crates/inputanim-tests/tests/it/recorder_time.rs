//! Times of a recorder: pauses, the rate limit, the start at zero with a rolling buffer, and markers.

use inputanim::RecorderOptions;
use inputanim::{Frame, Layout, Pose, RecordError, Recorder, Recording};
use proptest::collection::vec;
use proptest::prelude::*;

const ALL: RecorderOptions = RecorderOptions::new(Layout::Mrtk1_1);

fn frame(time: f32) -> Frame {
    Frame {
        time,
        head: Some(Pose::at([time, 0.0, 0.0])),
        ..Frame::default()
    }
}

/// Returns the recorded time of each frame with its original time, which [`frame`] stores in x.
fn times(recording: &Recording<'_>) -> Vec<(f32, f32)> {
    let head = recording.head.as_ref().unwrap();
    head.position[0].keys.points().collect()
}

fn marks<'r>(recording: &'r Recording<'_>) -> Vec<(f32, &'r str)> {
    let marks = recording.markers.iter();
    marks.map(|marker| (marker.time, &*marker.name)).collect()
}

fn push_all(recorder: &mut Recorder, times: impl IntoIterator<Item = f32>) -> Vec<bool> {
    let times = times.into_iter();
    times
        .map(|time| recorder.push(&frame(time)).unwrap())
        .collect()
}

#[test]
fn a_pause_is_removed_and_the_next_frame_follows_after_the_usual_interval() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    push_all(&mut recorder, [1.0, 1.5]);
    recorder.pause();
    assert!(recorder.is_paused());
    assert_eq!(push_all(&mut recorder, [2.0, 2.5]), [false, false]);
    recorder.resume();
    push_all(&mut recorder, [9.0, 9.25]);
    recorder.pause();
    recorder.resume();
    push_all(&mut recorder, [20.0]);
    assert_eq!(
        times(&recorder.finish()),
        [
            (1.0, 1.0),
            (1.5, 1.5),
            (2.0, 9.0),
            (2.25, 9.25),
            (2.5, 20.0)
        ]
    );
}

#[test]
fn after_a_single_frame_the_usual_interval_is_a_sixtieth_of_a_second() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    push_all(&mut recorder, [1.0]);
    recorder.pause();
    recorder.resume();
    push_all(&mut recorder, [5.0, 6.0]);
    let after = 1.0 + 1.0 / 60.0;
    assert_eq!(
        times(&recorder.finish()),
        [(1.0, 1.0), (after, 5.0), (after + 1.0, 6.0)]
    );
}

#[test]
fn a_pause_shorter_than_the_interval_removes_nothing() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    push_all(&mut recorder, [0.1]);
    for time in [0.2, 0.3, 0.35] {
        push_all(&mut recorder, [time]);
        recorder.pause();
        recorder.resume();
    }
    let times = times(&recorder.finish());
    assert!(times[3].0 - times[2].0 > 0.049, "{times:?}");
    assert!(
        times
            .iter()
            .all(|(recorded, given)| (recorded - given).abs() < 1e-6),
        "{times:?}"
    );
}

#[test]
fn a_pause_before_the_first_frame_has_no_effect() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    recorder.pause();
    assert_eq!(push_all(&mut recorder, [1.0]), [false]);
    recorder.resume();
    push_all(&mut recorder, [7.0, 8.0]);
    assert_eq!(times(&recorder.finish()), [(7.0, 7.0), (8.0, 8.0)]);
}

#[test]
fn markers_move_with_the_frames_across_pauses() {
    let mark_all = |recorder: &mut Recorder| {
        for time in [0.5, 1.25, 1.5, 5.0, 9.0, 9.5, 12.0] {
            recorder.mark(time, format!("{time}")).unwrap();
        }
    };
    let record = |recorder: &mut Recorder| {
        push_all(recorder, [1.0, 1.5]);
        recorder.pause();
        recorder.resume();
        push_all(recorder, [9.0, 10.0]);
    };
    let expected = [
        (0.5, "0.5"),
        (1.25, "1.25"),
        (1.5, "1.5"),
        (1.5, "5"),
        (2.0, "9"),
        (2.5, "9.5"),
        (5.0, "12"),
    ];
    for marks_first in [true, false] {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        if marks_first {
            mark_all(&mut recorder);
        }
        record(&mut recorder);
        if !marks_first {
            mark_all(&mut recorder);
        }
        assert_eq!(recorder.time_in_recording(9.5), 2.5);
        recorder.pause();
        assert_eq!(recorder.time_in_recording(12.0), 3.0);
        recorder.resume();
        push_all(&mut recorder, [20.0]);
        let mut expected = expected;
        expected[6].0 = 3.0;
        assert_eq!(marks(&recorder.finish()), expected);
    }
}

#[test]
fn from_zero_the_first_kept_frame_is_at_zero() {
    let mut settings = ALL;
    settings.from_zero = true;
    settings.keep_last = Some(2.0);
    let mut recorder = Recorder::with_options(settings).unwrap();
    recorder.mark(99.0, "before").unwrap();
    push_all(&mut recorder, [100.0, 101.0]);
    assert_eq!(marks(&recorder.snapshot()), [(-1.0, "before")]);
    recorder.mark(100.5, "early").unwrap();
    recorder.mark(101.5, "late").unwrap();
    push_all(&mut recorder, [102.0, 103.5, 104.0]);
    let recording = recorder.snapshot();
    assert_eq!(
        times(&recording),
        [(0.0, 102.0), (1.5, 103.5), (2.0, 104.0)]
    );
    assert_eq!(marks(&recording), []);
    assert_eq!(recorder.seconds(), 2.0);
    assert_eq!(recorder.frames(), 3);
    let last = recorder.snapshot_last(0.25);
    assert_eq!(times(&last), [(0.0, 103.5), (0.5, 104.0)]);
    for seconds in [0.0, -1.0, f32::NAN] {
        assert_eq!(times(&recorder.snapshot_last(seconds)), [(0.0, 104.0)]);
    }
    assert_eq!(recorder.snapshot_last(f32::INFINITY), recording);
}

#[test]
fn a_marker_is_dropped_with_the_frames_around_it() {
    let mut recorder = Recorder::with_options({
        let mut options = ALL;
        options.keep_last = Some(1.0);
        options
    })
    .unwrap();
    push_all(&mut recorder, [0.0, 1.0]);
    recorder.mark(0.5, "gone").unwrap();
    recorder.mark(1.0, "kept").unwrap();
    recorder.mark(5.0, "ahead").unwrap();
    push_all(&mut recorder, [2.0]);
    assert_eq!(marks(&recorder.snapshot()), [(1.0, "kept"), (5.0, "ahead")]);
    assert_eq!(marks(&recorder.snapshot_last(0.0)), [(5.0, "ahead")]);
}

#[test]
fn a_frame_with_a_state_change_is_recorded_at_any_rate() {
    let mut recorder = Recorder::with_options({
        let mut options = ALL;
        options.max_rate = Some(1.0);
        options
    })
    .unwrap();
    push_all(&mut recorder, [0.0, 0.1]);
    let mut pinch = frame(0.2);
    pinch.left.pinching = true;
    assert!(recorder.push(&pinch).unwrap());
    pinch.time = 0.3;
    assert!(!recorder.push(&pinch).unwrap());
    // A frame that is recorded early does not delay the next regular one.
    assert_eq!(
        push_all(&mut recorder, [0.4, 0.6, 0.65]),
        [true, false, true]
    );
    let recording = recorder.finish();
    let pinching = &recording.hands.unwrap().left.pinching;
    let keys: Vec<_> = pinching
        .keys
        .iter()
        .map(|key| (key.time(), key.is_on()))
        .collect();
    assert_eq!(keys, [(0.0, false), (0.2, true), (0.4, false)]);
}

#[test]
fn options_that_are_not_finite_and_above_0_are_refused() {
    for value in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let mut options = ALL;
        options.keep_last = Some(value);
        let error = Recorder::with_options(options).unwrap_err();
        assert!(matches!(error, RecordError::InvalidBuffer(_)), "{error}");
        let mut options = ALL;
        options.max_rate = Some(value.into());
        let error = Recorder::with_options(options).unwrap_err();
        assert!(matches!(error, RecordError::InvalidRate(_)), "{error}");
    }
    let mut options = ALL;
    options.max_rate = Some(-1.0);
    assert_eq!(
        Recorder::with_options(options).unwrap_err().to_string(),
        "invalid maximum rate: -1 Hz (must be finite and above 0)"
    );
}

proptest! {
    /// Compares the times with a calculation in double precision.
    #[test]
    fn a_recording_continues_after_each_pause(
        start in 0.0_f32..1e5,
        stretches in vec((vec(0.002_f32..0.1, 1..6), 0.0_f32..30.0), 1..5),
    ) {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        let (mut expected, mut given) = (Vec::<f64>::new(), Vec::<f32>::new());
        let mut time = start;
        for (steps, pause) in stretches {
            for (number, step) in steps.into_iter().enumerate() {
                if let (Some(&last), Some(&before)) = (expected.last(), given.last()) {
                    let gap = f64::from(time) - f64::from(before);
                    let usual = match expected[..] {
                        [.., a, b] => b - a,
                        _ => 1.0 / 60.0,
                    };
                    expected.push(last + if number == 0 { gap.min(usual) } else { gap });
                } else {
                    expected.push(time.into());
                }
                given.push(time);
                prop_assert!(recorder.push(&frame(time))?);
                time = (time + step).max(time.next_up());
            }
            recorder.pause();
            prop_assert!(!recorder.push(&frame(time))?);
            recorder.resume();
            time += pause;
        }
        let times = times(&recorder.snapshot());
        prop_assert_eq!(times.len(), given.len());
        for ((&(recorded, original), given), expected) in times.iter().zip(given).zip(expected) {
            prop_assert_eq!(original, given);
            let rounding = expected.abs() * f64::from(f32::EPSILON);
            prop_assert!((f64::from(recorded) - expected).abs() <= rounding);
            prop_assert_eq!(recorder.time_in_recording(given), recorded);
        }
    }

    /// Checks that the rate limit neither moves nor adds frames, and that the kept frames are at least half an interval
    /// apart.
    #[test]
    fn a_rate_limit_only_drops_frames(steps in vec(0.0005_f32..0.05, 1..200), rate in 10.0_f64..120.0) {
        let mut recorder = Recorder::with_options({ let mut options = ALL; options.max_rate = Some(rate); options })?;
        let mut time = 3.0;
        let mut kept = Vec::new();
        for step in steps {
            if recorder.push(&frame(time))? {
                kept.push((time, time));
            }
            time += step;
        }
        for pair in kept.windows(2) {
            prop_assert!(pair[1].0 - pair[0].0 > 0.499 / rate as f32);
        }
        prop_assert_eq!(times(&recorder.finish()), kept);
    }
}
