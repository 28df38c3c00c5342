//! Times at which values are unknown: the frames of a recorder, evaluation, edits and files.

use inputanim::edit::{self, Join, MirrorPlane};
use inputanim::session::{self, SessionOptions, SessionWriter};
use inputanim::{
    About, Absence, CurvePath, Element, Frame, Joint, Layout, LayoutLoss, Limits, Pose, Recorder,
    RecorderOptions, Recording, Sampler, Side, TimeRange, WriteError,
};
use inputanim_testkit::frames::{frames, unit_direction};
use proptest::prelude::*;

const RATE: f32 = 20.0;

/// Returns frames for 5 s in which a head and a right palm move to the right by 1 m/s. `change` removes parts of a frame.
fn moving(change: impl Fn(f32, &mut Frame)) -> Vec<Frame> {
    let frame = |step: u8| {
        let time = f32::from(step) / RATE;
        let pose = Some(Pose::at([time, 1.6, 0.0]));
        let mut frame = Frame {
            time,
            head: pose,
            ..Frame::default()
        };
        frame.right.tracked = true;
        frame.right.joints[Joint::Palm] = pose;
        frame.right.joints[Joint::IndexTip] = pose;
        change(time, &mut frame);
        frame
    };
    (0..=100).map(frame).collect()
}

fn recorded(frames: &[Frame]) -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for frame in frames {
        recorder.push(frame).unwrap();
    }
    recorder.finish()
}

fn is_lost(time: f32) -> bool {
    (2.0..4.0).contains(&time)
}

fn range(start: f32, end: f32) -> TimeRange {
    TimeRange { start, end }
}

const TIP: Element = Element::Joint(Side::Right, Joint::IndexTip);

/// Returns a recording whose head, index tip and hand are lost from 2 s to 4 s, one after the other.
fn three() -> [Recording<'static>; 3] {
    [
        recorded(&moving(|time, frame| {
            frame.head = frame.head.filter(|_| !is_lost(time));
        })),
        recorded(&moving(|time, frame| {
            let tip = &mut frame.right.joints[Joint::IndexTip];
            *tip = tip.filter(|_| !is_lost(time));
        })),
        recorded(&moving(|time, frame| {
            if is_lost(time) {
                frame.right = Default::default();
                frame.right.unknown = true;
            }
        })),
    ]
}

const ELEMENTS: [Element; 3] = [Element::Head, TIP, Element::Tracked(Side::Right)];

fn is_known(frame: &Frame, element: Element) -> bool {
    match element {
        Element::Head => frame.head.is_some(),
        Element::Joint(side, joint) => frame.hand(side).joints[joint].is_some(),
        _ => !frame.right.unknown && frame.right.joints[Joint::Palm].is_some(),
    }
}

#[test]
fn what_a_frame_lacks_is_unknown_between_the_frames_that_have_it() {
    for (recording, element) in three().iter().zip(ELEMENTS) {
        assert_eq!(
            recording.known.gaps(element),
            [range(1.95, 4.0)],
            "{element}"
        );
        assert_eq!(recording.known.iter().count(), 1);
        let sampler = Sampler::new(recording).unwrap();
        for step in 0..=500 {
            let time = step as f32 / 100.0;
            let expected = !(time > 1.9501 && time < 3.9999);
            let frame = sampler.frame_at(time);
            assert_eq!(is_known(&frame, element), expected, "{element} at {time}");
        }
    }
}

#[test]
fn what_no_frame_has_is_not_recorded_and_has_no_gap() {
    let recording = recorded(&moving(|_, frame| frame.head = None));
    assert!(recording.known.is_complete() && recording.head.is_none());
    // A hand that is not tracked is known, and its joints are not expected.
    let recording = recorded(&moving(|time, frame| {
        if is_lost(time) {
            frame.right = Default::default();
        }
    }));
    assert!(recording.known.is_complete());
}

#[test]
fn gaps_at_the_ends_are_infinite_and_streams_of_their_own_have_none() {
    let frames = moving(|time, frame| frame.head = frame.head.filter(|_| is_lost(time)));
    let infinity = f32::INFINITY;
    let gaps = [range(-infinity, 2.0), range(3.95, infinity)];
    assert_eq!(recorded(&frames).known.gaps(Element::Head), gaps);
    let mut options = RecorderOptions::new(Layout::Mrtk1_1);
    options.absence = Absence::NotSampled;
    let mut recorder = Recorder::with_options(options).unwrap();
    for frame in &frames {
        recorder.push(frame).unwrap();
    }
    assert!(recorder.finish().known.is_complete());
}

#[test]
fn values_outside_of_gaps_have_the_same_bits_and_columns_are_nan_in_them() {
    let complete = recorded(&moving(|_, _| {}));
    let times: Vec<f32> = (0..=700).map(|step| step as f32 / 140.0).collect();
    let expected = Sampler::new(&complete)
        .unwrap()
        .columns(times.iter().copied());
    for element in ELEMENTS {
        let mut recording = complete.clone();
        for gap in [(0.5, 0.55), (1.0, 3.0), (4.0, f32::INFINITY)] {
            recording.known.add_gap(element, range(gap.0, gap.1));
        }
        let columns = Sampler::new(&recording)
            .unwrap()
            .columns(times.iter().copied());
        let all = expected.floats().zip(columns.floats());
        for ((path, expected), (_, found)) in all {
            for (row, (expected, found)) in expected.iter().zip(found).enumerate() {
                let is_affected = Element::from(path) == element
                    || element == Element::Tracked(Side::Right)
                        && matches!(path, CurvePath::Joint(Side::Right, ..));
                if is_affected && !columns.is_known(element, row) {
                    assert!(found.is_nan(), "{path} at {}", times[row]);
                } else {
                    assert_eq!(
                        found.to_bits(),
                        expected.to_bits(),
                        "{path} at {}",
                        times[row]
                    );
                }
            }
        }
        let unknown = (0..times.len()).filter(|&row| !columns.is_known(element, row));
        assert!((380..460).contains(&unknown.count()), "{element}");
    }
}

#[test]
fn edits_keep_what_is_known() {
    for (recording, element) in three().iter().zip(ELEMENTS) {
        let known = |recording: &Recording<'_>, time: f32| {
            is_known(&Sampler::new(recording).unwrap().frame_at(time), element)
        };
        let mut shifted = recording.clone();
        edit::shift(&mut shifted, 3.7).unwrap();
        let mut fast = recording.clone();
        edit::retime(&mut fast, 2.0).unwrap();
        let mut resampled = recording.clone();
        edit::resample(&mut resampled, 7.0).unwrap();
        let mut smooth = recording.clone();
        edit::smooth(&mut smooth, &edit::Smooth::default()).unwrap();
        for step in 1..100 {
            let time = step as f32 / RATE;
            let expected = known(recording, time);
            assert_eq!(
                known(&shifted, time + 3.7),
                expected,
                "shift {element} at {time}"
            );
            assert_eq!(
                known(&fast, time / 2.0),
                expected,
                "retime {element} at {time}"
            );
            assert_eq!(known(&smooth, time), expected, "smooth {element} at {time}");
            assert_eq!(
                known(&resampled, time),
                expected,
                "resample {element} at {time}"
            );
        }
        let parts = edit::split(recording, &[1.0, 3.0]).unwrap();
        assert!(known(&parts[0], 0.9) && !known(&parts[1], 1.5) && known(&parts[1], 0.5));
        assert!(!known(&parts[2], 0.5) && known(&parts[2], 1.5));
        let joined = edit::concat(&parts, Join::Cut).unwrap();
        assert_eq!(joined.known.gaps(element), recording.known.gaps(element));
        let mut mirrored = recording.clone();
        edit::mirror(&mut mirrored, &MirrorPlane::WORLD).unwrap();
        edit::mirror(&mut mirrored, &MirrorPlane::WORLD).unwrap();
        assert_eq!(&mirrored, recording);
        let mut selected = recording.clone();
        edit::select(&mut selected, |other| other == Element::Gaze);
        assert!(selected.known.is_complete());
    }
}

#[test]
fn a_stream_that_only_one_recording_has_is_unknown_in_the_others() {
    let with_head = recorded(&moving(|_, _| {}));
    let mut without = with_head.clone();
    edit::select(&mut without, |element| element != Element::Head);
    let joined = edit::concat(&[with_head, without], Join::Cut).unwrap();
    assert_eq!(
        joined.known.gaps(Element::Head),
        [range(5.0, f32::INFINITY)]
    );
    assert!(joined.known.gaps(TIP).is_empty());
}

#[test]
fn a_file_of_mrtk_holds_the_last_value_and_states_the_loss() {
    for (recording, element) in three().iter().zip(ELEMENTS) {
        let strict = recording.to_bytes();
        let mut bytes = Vec::new();
        let losses = recording
            .write_lossy_as(&mut bytes, recording.layout)
            .unwrap();
        let held = Recording::parse(&bytes).unwrap();
        assert_eq!(held, *recording.with_held_gaps());
        let sampler = Sampler::new(&held).unwrap();
        let frame = sampler.frame_at(3.9);
        if element == Element::Tracked(Side::Right) {
            // A file can state that a hand is not tracked.
            assert!(strict.is_err() == losses.is_empty() || losses.is_empty());
            assert!(!frame.right.tracked && !sampler.frame_at(1.96).right.tracked);
            assert!(sampler.frame_at(4.0).right.tracked && sampler.frame_at(1.95).right.tracked);
            continue;
        }
        assert!(matches!(strict, Err(WriteError::Lossy { .. })), "{element}");
        let [LayoutLoss::Unknown(time)] = losses[..] else {
            panic!("{losses:?}");
        };
        assert_eq!(time.milliseconds, 2050);
        let text = [
            "the head is unknown for 2.05 s from 1.95 s on",
            "1 joint of the right hand is unknown for 2.05 s from 1.95 s on",
        ];
        assert!(text.contains(&&*time.to_string()), "{time}");
        let held = match element {
            Element::Head => frame.head.unwrap(),
            _ => frame.right.joints[Joint::IndexTip].unwrap(),
        };
        assert_eq!(held.position[0], 1.95);
        assert_eq!(sampler.frame_at(4.0).head.unwrap().position[0], 4.0);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn frames_of_a_recording_give_an_equal_recording(mut frames in frames(12)) {
        for gaze in frames.iter_mut().filter_map(|frame| frame.gaze.as_mut()) {
            gaze.direction = unit_direction(gaze.direction);
        }
        let recording = recorded(&frames);
        let sampler = Sampler::new(&recording)?.with_raw_rotations();
        let again: Vec<Frame> = frames.iter().map(|frame| sampler.frame_at(frame.time)).collect();
        prop_assert_eq!(recorded(&again), recording);
    }

    #[test]
    fn a_session_keeps_what_is_unknown(frames in frames(12), is_unknown: bool) {
        let mut frames = frames;
        if is_unknown && let Some(frame) = frames.get_mut(1) {
            frame.left = Default::default();
            frame.left.unknown = true;
        }
        let mut writer = SessionWriter::new(Vec::new(), SessionOptions::new(Layout::Mrtk1_1))?;
        for frame in &frames {
            writer.push(frame)?;
        }
        let bytes = writer.finish()?;
        let recovered = session::recover(&bytes, &inputanim::Limits::default())?;
        prop_assert_eq!(recovered.recording, recorded(&frames));
    }
}

#[test]
fn edits_keep_the_texts_about_a_recording() {
    let [mut recording, other, _] = three();
    recording.about.set(About::TASK, "look around");
    let texts = |recording: &Recording<'_>| {
        let texts = recording.about.iter();
        let texts = texts.map(|(name, text)| format!("{name}: {text}"));
        texts.collect::<Vec<_>>().join(", ")
    };
    let edited = |edit: &dyn Fn(&mut Recording<'static>)| {
        let mut edited = recording.clone();
        edit(&mut edited);
        texts(&edited)
    };
    let expected = "task: look around";
    assert_eq!(
        edited(&|recording| edit::shift(recording, 1.0).unwrap()),
        expected
    );
    let part = range(1.0, 2.0);
    assert_eq!(
        edited(&|recording| edit::trim(recording, part).unwrap()),
        expected
    );
    let mirrored = |recording: &mut Recording<'static>| {
        edit::mirror(recording, &MirrorPlane::WORLD).unwrap();
    };
    assert_eq!(edited(&mirrored), expected);
    let parts = edit::split(&recording, &[2.0]).unwrap();
    assert!(parts.iter().all(|part| texts(part) == expected));
    let mut second = other;
    second.about.set(About::TASK, "turn");
    second.about.set(About::DEVICE, "Quest 3");
    let joined = edit::concat(&[recording.clone(), second], Join::Cut).unwrap();
    assert_eq!(texts(&joined), "device: Quest 3, task: look around; turn");
    let old = recording.clone().with_layout(Layout::Mrtk1_0);
    assert_eq!(texts(&old), expected);
    assert_eq!(texts(&recording.with_held_gaps()), expected);
}

#[test]
fn a_session_keeps_the_texts_about_a_recording() {
    let mut options = SessionOptions::new(Layout::Mrtk1_1);
    let frames = moving(|_, _| {});
    let written = |options: &SessionOptions| {
        let mut writer = SessionWriter::new(Vec::new(), options.clone()).unwrap();
        for frame in &frames {
            writer.push(frame).unwrap();
        }
        writer.finish().unwrap()
    };
    let plain = written(&options);
    options.about.set(About::TASK, "reach – für die Tasse");
    options.about.set("user", "P1");
    let described = written(&options);
    let limits = Limits::default();
    let recovered = session::recover(&described, &limits).unwrap();
    assert!(recovered.is_intact());
    assert_eq!(recovered.recording.about, options.about);
    // A session without texts has the bytes that it always had.
    let bare = session::recover(&plain, &limits).unwrap();
    assert!(bare.is_intact() && bare.recording.about.is_empty());
    assert_eq!((plain[8], described[8]), (1, 2));
    let mut same = recovered.recording;
    same.about = About::NONE;
    assert_eq!(same, bare.recording);
    // Cut off after the block of the texts, the session has no frames, and is not finished.
    let texts = described.len() - (plain.len() - 24);
    let cut = session::recover(&described[..texts], &limits).unwrap();
    assert_eq!((cut.frames, cut.is_finished), (0, false));
    assert_eq!(cut.recording.about, options.about);
}
