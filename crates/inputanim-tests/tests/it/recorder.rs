//! Properties of the recorder: a recording contains exactly what the frames contain.

use inputanim::RecorderOptions;
use inputanim::doctor::{self, Code};
use inputanim::{
    Curve, CurvePath, Frame, HandFrame, Joint, Layout, Pose, PoseChannel, Ray, RecordError,
    Recorder, Recording, Sampler, Side,
};
use inputanim_testkit::frames::{check_preserved, frames};
use proptest::prelude::*;

fn recorded(settings: RecorderOptions, frames: &[Frame]) -> Recorder {
    let mut recorder = Recorder::with_options(settings).unwrap();
    for frame in frames {
        assert!(recorder.push(frame).unwrap());
    }
    recorder
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(192))]

    #[test]
    fn frames_come_back_to_the_last_bit(mut frames in frames(12), index in 0_usize..6) {
        let layout = Layout::ALL[index];
        for frame in &mut frames {
            frame.gaze = frame.gaze.filter(|_| layout.has_flags());
        }
        let recording = recorded(RecorderOptions::new(layout), &frames).finish();
        let mut with_gaps = recording.clone();
        // A file holds everything except the times at which a value is unknown.
        let known = std::mem::take(&mut with_gaps.known);
        let bytes = with_gaps.to_bytes_as(layout)?;
        let mut read = Recording::parse(&bytes)?;
        read.known = known;
        let sampler = Sampler::new(&read)?.with_raw_rotations();
        for frame in &frames {
            check_preserved(frame, &sampler.frame_at(frame.time))?;
        }
        // Nothing is missing at the ends.
        let range = sampler.range().unwrap();
        prop_assert_eq!(range.start, frames[0].time);
        prop_assert_eq!(range.end, frames.last().unwrap().time);
        // The recording contains only elements that a frame has.
        let any = |of: &dyn Fn(&Frame) -> bool| frames.iter().any(of);
        prop_assert_eq!(sampler.has_head(), any(&|frame| frame.head.is_some()));
        prop_assert_eq!(sampler.has_gaze(), any(&|frame| frame.gaze.is_some()));
        for side in Side::BOTH {
            for (joint, &is_recorded) in sampler.recorded_joints(side).iter() {
                let has_joint = |hand: &HandFrame| hand.tracked && hand.joints[joint].is_some();
                prop_assert_eq!(is_recorded, any(&|frame| has_joint(frame.hand(side))));
            }
        }
    }

    #[test]
    fn recorded_rotations_have_no_sign_flips(frames in frames(12)) {
        let recording = recorded(RecorderOptions::new(Layout::Mrtk1_1), &frames).finish();
        let findings = doctor::findings(&recording);
        prop_assert!(findings.iter().all(|finding| finding.code != Code::SignFlip));
    }

    #[test]
    fn the_rolling_buffer_is_the_end_of_the_full_recording(
        frames in frames(40),
        keep in 0.001_f32..0.5,
        from_zero in any::<bool>(),
        marks in prop::collection::vec(0.0_f32..1.0, 0..4),
    ) {
        let mut unlimited = RecorderOptions::new(Layout::Mrtk1_1);
        unlimited.from_zero = from_zero;
        let mut unlimited = Recorder::with_options(unlimited)?;
        let mut rolling = RecorderOptions::new(Layout::Mrtk1_1);
        rolling.keep_last = Some(keep);
        rolling.from_zero = from_zero;
        let mut rolling = Recorder::with_options(rolling)?;
        let (first, last) = (frames[0].time, frames.last().unwrap().time);
        for frame in &frames {
            // Subtracting the start can round two times to the same number. Then both refuse the frame.
            prop_assert_eq!(unlimited.push(frame), rolling.push(frame));
        }
        for &mark in &marks {
            let time = first + (last - first) * mark;
            if time.is_finite() {
                unlimited.mark(time, "mark")?;
                rolling.mark(time, "mark")?;
            }
        }
        let recording = rolling.snapshot();
        prop_assert_eq!(&recording, &unlimited.snapshot_last(keep));
        prop_assert_eq!(&recording, &rolling.snapshot_last(keep));
        if !from_zero {
            let cut = f64::from(last) - f64::from(keep);
            let older = frames.iter().filter(|frame| f64::from(frame.time) <= cut).count();
            prop_assert_eq!(rolling.frames(), frames.len() - older.saturating_sub(1));
        }
    }

    #[test]
    fn a_discarded_recorder_equals_a_new_one(before in frames(8), after in frames(8)) {
        let mut settings = RecorderOptions::MRTK;
        settings.from_zero = true;
        let mut recorder = Recorder::with_options(settings)?;
        let mut new = recorder.clone();
        for frame in &before {
            recorder.push(frame).ok();
        }
        recorder.mark(1.0, "gone")?;
        recorder.pause();
        recorder.discard();
        prop_assert_eq!((recorder.frames(), recorder.seconds(), recorder.is_paused()), (0, 0.0, false));
        for frame in &after {
            prop_assert_eq!(recorder.push(frame), new.push(frame));
        }
        prop_assert_eq!(recorder.finish(), new.finish());
    }

    /// Checks also that a snapshot does not change the recorder.
    #[test]
    fn a_snapshot_equals_the_finished_recording(frames in frames(12), at in 0_usize..12) {
        let settings = RecorderOptions::new(Layout::Mrtk1_0);
        let at = at.min(frames.len());
        let mut recorder = recorded(settings, &frames[..at]);
        recorder.mark(2.0, "a")?;
        prop_assert_eq!(recorder.snapshot(), recorder.clone().finish());
        for frame in &frames[at..] {
            recorder.push(frame)?;
        }
        let mut undisturbed = recorded(settings, &frames);
        undisturbed.mark(2.0, "a")?;
        prop_assert_eq!(recorder.finish(), undisturbed.finish());
    }

    #[test]
    fn a_refused_frame_changes_nothing(
        frames in frames(8),
        at in 0_usize..8,
        fault in 0..6,
        joint in 0_usize..27,
    ) {
        let mut settings = RecorderOptions::new(Layout::Mrtk1_1);
        settings.max_rate = Some(60.0);
        let mut recorder = Recorder::with_options(settings)?;
        let mut undisturbed = recorder.clone();
        for (index, frame) in frames.iter().enumerate() {
            if index == at {
                let mut wrong = frame.clone();
                // The rate limit does not drop a frame with a state change, so the frame is checked.
                wrong.right.tracked = true;
                wrong.right.pinching = index == 0 || !frames[index - 1].right.pinching;
                let joint = Joint::ALL[joint.max(1)];
                let pose = wrong.right.joints[joint].get_or_insert(Pose::IDENTITY);
                match fault {
                    0 => pose.position[1] = f32::NAN,
                    1 => pose.rotation = [0.0; 4],
                    2 => wrong.gaze = Some(Ray { origin: [0.0; 3], direction: [f32::INFINITY; 3] }),
                    3 if index > 0 => wrong.time = frames[0].time,
                    4 => wrong.time = f32::NAN,
                    _ => wrong.time = f32::NEG_INFINITY,
                }
                let before = recorder.snapshot();
                prop_assert!(recorder.push(&wrong).is_err());
                prop_assert_eq!(recorder.snapshot(), before);
            }
            prop_assert_eq!(recorder.push(frame), undisturbed.push(frame));
        }
        prop_assert_eq!(recorder.finish(), undisturbed.finish());
    }
}

#[test]
fn a_rotation_is_negated_relative_to_the_last_one_of_its_joint() {
    let rotation = [0.1, -0.0, 3.0, -0.7];
    let frame = |time: f32, head: Option<[f32; 4]>| Frame {
        time,
        head: head.map(|rotation| Pose {
            rotation,
            ..Pose::IDENTITY
        }),
        ..Frame::default()
    };
    let negated = rotation.map(|part: f32| -part);
    // The second frame has no head, so the third is compared with the first.
    let frames = [
        frame(0.0, Some(rotation)),
        frame(1.0, None),
        frame(2.0, Some(negated)),
        frame(3.0, Some(rotation)),
    ];
    let recording = recorded(RecorderOptions::new(Layout::Mrtk1_1), &frames).finish();
    let head = recording.head.unwrap();
    for (curve, part) in head.rotation.iter().zip(rotation) {
        let values = curve.keys.points().map(|(_, value)| value.to_bits());
        assert_eq!(values.collect::<Vec<_>>(), [part.to_bits(); 3]);
    }
}

#[test]
fn a_refused_frame_names_its_curve() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let mut frame = Frame::default();
    frame.left.tracked = true;
    let mut tip = Pose::IDENTITY;
    tip.position[0] = f32::NAN;
    frame.left.joints[Joint::IndexTip] = Some(tip);
    let error = recorder.push(&frame).unwrap_err();
    assert_eq!(
        error.to_string(),
        "left.IndexTip.position.x at 0 s: expected a finite number, found NaN"
    );
    let RecordError::ValueNotFinite { curve, .. } = error else {
        panic!("{error:?}");
    };
    let expected = CurvePath::Joint(Side::Left, Joint::IndexTip, PoseChannel::PositionX);
    assert_eq!(curve, expected);
}

#[test]
fn an_empty_last_frame_extends_the_recording() {
    let frames = [0.0, 1.0, 2.5].map(|time| Frame {
        time,
        ..Frame::default()
    });
    let recording = recorded(RecorderOptions::new(Layout::Mrtk1_1), &frames).finish();
    assert_eq!(recording.duration(), 2.5);
    let states = recording.curves().filter(|(_, curve)| !curve.is_empty());
    for (path, curve) in states {
        assert!(matches!(curve, Curve::Boolean(_)), "{path}");
        let points: Vec<_> = curve.points().collect();
        assert_eq!(points, [(0.0, 0.0), (2.5, 0.0)], "{path}");
    }
    let one = recorded(RecorderOptions::new(Layout::Mrtk1_1), &frames[..1]).finish();
    assert_eq!(one.curves().map(|(_, curve)| curve.len()).sum::<usize>(), 4);
}
