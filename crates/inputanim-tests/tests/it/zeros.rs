//! Zeros that a tracker wrote while it had lost an object.

use inputanim::doctor::{self, Code};
use inputanim::edit::{forget_zeros, zero_runs};
use inputanim::{Element, Joint, Layout, Pose, Ray, Recording, Side, TimeRange};

fn at(x: f32) -> Pose {
    Pose {
        position: [x, 0.0, 0.0],
        ..Pose::IDENTITY
    }
}

/// Returns a recording of 60 Hz with a palm that moves along x, and whose poses in `lost` are zero.
fn with_zeros(lost: std::ops::Range<usize>) -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let hand = recording.hands_mut().hand_mut(Side::Left);
    hand.tracked.push(0.0, true);
    for sample in 0..60 {
        let x = if lost.contains(&sample) {
            0.0
        } else {
            1.0 + sample as f32 / 60.0
        };
        hand.joints[Joint::Palm].push(sample as f32 / 60.0, &at(x));
    }
    recording
}

#[test]
fn a_run_of_zeros_is_a_finding_and_becomes_a_gap_of_the_hand() {
    let mut recording = with_zeros(20..30);
    let runs = zero_runs(&recording);
    let run = runs[0];
    assert_eq!(run.element, Element::Joint(Side::Left, Joint::Palm));
    assert_eq!((runs.len(), run.count), (1, 10));
    let gap = TimeRange {
        start: 19.0 / 60.0,
        end: 30.0 / 60.0,
    };
    assert_eq!(run.gap, gap);
    let code = |recording: &Recording<'_>| {
        let findings = doctor::findings(recording).into_iter();
        findings
            .map(|finding| finding.code)
            .any(|code| code == Code::ZerosAmongValues)
    };
    assert!(code(&recording));
    assert_eq!(forget_zeros(&mut recording), runs);
    assert_eq!(recording.known.gaps(Element::Tracked(Side::Left)), [gap]);
    // The hidden keys are no findings.
    assert_eq!(doctor::findings(&recording), []);
}

#[test]
fn zeros_of_a_tracker_are_a_finding_and_become_a_gap() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let waist = "tracker.waist".parse().unwrap();
    let grip = "grip".parse().unwrap();
    for (time, x) in [(0.0, 1.0), (1.0, 0.0), (2.0, 0.0), (3.0, 1.5)] {
        recording
            .device_mut(waist)
            .pose_mut(grip)
            .push(time, &at(x));
    }
    let element = Element::DevicePose(waist, grip);
    let findings = doctor::findings(&recording);
    let [finding] = &findings[..] else {
        panic!("{findings:?}")
    };
    assert_eq!(finding.code, Code::ZerosAmongValues);
    assert_eq!(
        finding.detail,
        "1 run, in tracker.waist.grip.position, from 1.000 s to 2.000 s"
    );
    assert_eq!(forget_zeros(&mut recording).len(), 1);
    let gap = TimeRange {
        start: 0.0,
        end: 3.0,
    };
    assert_eq!(recording.known.gaps(element), [gap]);
    assert_eq!(doctor::findings(&recording), []);
}

#[test]
fn one_zero_is_no_finding_but_is_forgotten() {
    let mut recording = with_zeros(0..1);
    assert!(doctor::findings(&recording).is_empty());
    forget_zeros(&mut recording);
    let gaps = recording.known.gaps(Element::Tracked(Side::Left));
    assert_eq!(
        (gaps[0].start, gaps[0].end),
        (f32::NEG_INFINITY, 1.0 / 60.0)
    );
}

#[test]
fn a_stream_of_zeros_only_stays_as_it_is() {
    let mut recording = with_zeros(0..60);
    assert!(forget_zeros(&mut recording).is_empty());
    assert!(recording.known.is_complete());
}

#[test]
fn a_rotation_or_one_coordinate_is_no_zero() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let turned = Pose {
        rotation: [0.6, 0.0, 0.0, 0.8],
        ..Pose::IDENTITY
    };
    let beside = Pose {
        position: [0.0, 1.6, 0.0],
        ..Pose::IDENTITY
    };
    for (time, pose) in [turned, turned, beside, beside].into_iter().enumerate() {
        recording.head_mut().push(time as f32, &pose);
    }
    assert!(zero_runs(&recording).is_empty());
}

#[test]
fn a_gaze_is_zero_if_its_direction_is() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for (time, z) in [1.0, 0.0, 0.0, 1.0].into_iter().enumerate() {
        let ray = Ray {
            origin: [0.0, 1.6, 0.0],
            direction: [0.0, 0.0, z],
        };
        recording.gaze_mut().push(time as f32, &ray);
    }
    forget_zeros(&mut recording);
    let gap = TimeRange {
        start: 0.0,
        end: 3.0,
    };
    assert_eq!(recording.known.gaps(Element::Gaze), [gap]);
}

#[test]
fn hands_that_are_never_tracked_are_a_finding_without_other_streams() {
    let codes = |recording: &Recording<'_>| {
        let findings = doctor::findings(recording).into_iter();
        findings.map(|finding| finding.code).collect::<Vec<_>>()
    };
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 1.0] {
        for side in Side::BOTH {
            let hand = recording.hands_mut().hand_mut(side);
            hand.tracked.push(time, false);
            hand.pinching.push(time, false);
        }
    }
    assert_eq!(codes(&recording), [Code::NothingTracked]);
    let mut with_head = recording.clone();
    with_head.head_mut().push(0.0, &at(1.0));
    with_head.head_mut().push(1.0, &at(2.0));
    assert_eq!(codes(&with_head), []);
    let hand = recording.hands_mut().hand_mut(Side::Left);
    hand.tracked.push(1.5, true);
    hand.tracked.push(2.0, true);
    assert!(!codes(&recording).contains(&Code::NothingTracked));
    let mut head = Recording::new(Layout::Mrtk1_1);
    head.head_mut().push(0.0, &at(1.0));
    assert_eq!(codes(&head), []);
}
