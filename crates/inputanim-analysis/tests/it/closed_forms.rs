//! Recordings whose measures are known from a formula.

use inputanim::{Frame, Joint, Layout, Pose, Ray, Recorder, Recording, Side, TimeRange};
use inputanim_analysis::{Analysis, AnalysisParameters, EventKind, Missing, Shape, Target};

/// Records frames at 60 Hz.
fn record(seconds: f32, frame: impl Fn(f32, &mut Frame)) -> Recording<'static> {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let range = TimeRange {
        start: 0.0,
        end: seconds,
    };
    for time in range.times_at(60.0) {
        let mut next = Frame {
            time,
            ..Frame::default()
        };
        frame(time, &mut next);
        recorder.push(&next).unwrap();
    }
    recorder.finish()
}

fn analyse(recording: &Recording<'_>, options: &AnalysisParameters) -> Analysis {
    Analysis::of(recording, options).unwrap()
}

fn value(analysis: &Analysis, name: &str) -> f64 {
    let measures = analysis.measures(analysis.range);
    let measure = measures
        .get(name)
        .unwrap_or_else(|| panic!("{name} is not a measure"));
    measure
        .value
        .unwrap_or_else(|reason| panic!("{name}: {reason}"))
}

#[track_caller]
fn near(found: f64, expected: f64, tolerance: f64) {
    let error = (found - expected).abs();
    assert!(error <= tolerance, "{found}, not {expected} ± {tolerance}");
}

/// The right palm rests, moves by `distance` along x with minimum jerk in 1 s, and rests.
fn reach(distance: f32) -> Recording<'static> {
    record(3.0, move |time, frame| {
        let s = (time - 1.0).clamp(0.0, 1.0);
        let share = s * s * s * (10.0 + s * (6.0 * s - 15.0));
        frame.right.tracked = true;
        frame.right.joints[Joint::Palm] = Some(Pose::at([distance * share, 1.2, 0.4]));
    })
}

#[test]
fn a_minimum_jerk_movement_has_its_closed_forms() {
    let analysis = analyse(&reach(0.5), &AnalysisParameters::default());
    assert_eq!(value(&analysis, "right.movements"), 1.0);
    // The filter rounds the peak off by 1 %.
    near(
        value(&analysis, "right.movement.peak_speed.mean"),
        1.875 * 0.5,
        0.01,
    );
    near(
        value(&analysis, "right.movement.submovements.mean"),
        1.0,
        0.0,
    );
    near(
        value(&analysis, "right.movement.straightness.mean"),
        1.0,
        1e-6,
    );
    // The onset is where the speed reaches 0.05 m/s, after 6 % of the time.
    let movement = &analysis.hand(Side::Right).movements[0];
    near(movement.start + movement.time_to_peak, 1.5, 0.02);
    near(movement.amplitude, 0.5, 0.01);
    near(value(&analysis, "right.Palm.path_length"), 0.5, 1e-6);
    near(
        value(&analysis, "right.Palm.acceleration.max"),
        5.7735 * 0.5,
        0.1,
    );
    near(value(&analysis, "right.Palm.box_x"), 0.5, 1e-6);
    near(value(&analysis, "right.Palm.hull_volume"), 0.0, 1e-9);
    let measures = analysis.measures(analysis.range);
    let laterality = measures.get("hands.Palm.laterality").unwrap().value;
    assert_eq!(
        laterality,
        Err(Missing::NotRecorded),
        "the left hand has no path"
    );
    // The published value of a minimum-jerk speed profile is −1.41 to −1.47, by duration.
    near(movement.sparc.unwrap(), -1.44, 0.05);
}

#[test]
fn what_is_not_recorded_has_a_reason() {
    let analysis = analyse(&reach(0.5), &AnalysisParameters::default());
    let measures = analysis.measures(analysis.range);
    let reason = |name: &str| measures.get(name).unwrap().value;
    for name in [
        "head.speed.mean",
        "left.Palm.speed.mean",
        "left.movements",
        "right.IndexTip.path_length",
        "gaze.idt.count",
        "gaze.valid_share",
        "right.aperture.mean",
        "right.pinch_agreement",
    ] {
        assert_eq!(reason(name), Err(Missing::NotRecorded), "{name}");
    }
    assert_eq!(reason("left.tracked_share"), Ok(0.0));
    assert_eq!(reason("left.dropouts"), Err(Missing::NotTracked));
    assert_eq!(reason("right.pinch.count"), Ok(0.0));
    assert_eq!(reason("right.pinch.duration.mean"), Err(Missing::NoEvents));
}

#[test]
fn a_still_head_that_turns_has_its_angles() {
    // Half a turn per second for three seconds: more than a full turn.
    let recording = record(3.0, |time, frame| {
        let half = std::f32::consts::FRAC_PI_2 * time;
        frame.head = Some(Pose {
            position: [1.0, 1.6, -2.0],
            rotation: [0.0, half.sin(), 0.0, half.cos()],
        });
    });
    let analysis = analyse(&recording, &AnalysisParameters::default());
    near(value(&analysis, "head.yaw_range"), 540.0, 0.01);
    near(value(&analysis, "head.pitch_range"), 0.0, 0.01);
    near(value(&analysis, "head.angular_path"), 540.0, 0.01);
    near(value(&analysis, "head.angular_speed.median"), 180.0, 0.01);
    near(value(&analysis, "head.path_length"), 0.0, 1e-6);
}

#[test]
fn fingers_bend_by_the_angles_of_their_bones() {
    // The right index finger, bent by 30° at the knuckle and 40° at the middle joint, in the plane of the
    // metacarpal bone and the normal of the palm.
    let frame = |side: Side, frame: &mut Frame| {
        let mirror = if side == Side::Right { 1.0 } else { -1.0 };
        let along = |degrees: f32| {
            let radians = degrees.to_radians();
            [0.0, -radians.sin(), radians.cos()]
        };
        let mut place = [-0.02, 0.0, 0.09];
        let hand = frame.hand_mut(side);
        hand.tracked = true;
        let mut put = |joint: Joint, at: [f32; 3]| {
            hand.joints[joint] = Some(Pose::at([at[0] * mirror, at[1] + 1.0, at[2]]));
        };
        put(Joint::Wrist, [0.0; 3]);
        put(Joint::Palm, [0.0, 0.0, 0.05]);
        put(Joint::PinkyKnuckle, [0.04, 0.0, 0.08]);
        put(Joint::IndexMetacarpal, [-0.02, 0.0, 0.03]);
        put(Joint::IndexKnuckle, place);
        for (joint, degrees, length) in [
            (Joint::IndexMiddleJoint, 30.0, 0.04),
            (Joint::IndexDistalJoint, 70.0, 0.03),
            (Joint::IndexTip, 70.0, 0.02),
        ] {
            for (coordinate, part) in place.iter_mut().zip(along(degrees)) {
                *coordinate += part * length;
            }
            put(joint, place);
        }
    };
    let recording = record(1.0, |_, next| {
        frame(Side::Left, next);
        frame(Side::Right, next);
    });
    let analysis = analyse(&recording, &AnalysisParameters::default());
    for side in ["left", "right"] {
        let angle = |name: &str| value(&analysis, &format!("{side}.{name}.median"));
        near(angle("IndexKnuckle.flexion"), 30.0, 1e-3);
        near(angle("IndexKnuckle.abduction"), 0.0, 1e-3);
        near(angle("IndexMiddleJoint.flexion"), 40.0, 1e-3);
        near(angle("IndexDistalJoint.flexion"), 0.0, 0.05);
        near(angle("IndexTip.bone_length"), 0.02, 1e-6);
        // Bones of 4 cm and 5 cm with an angle of 40° between them: the law of cosines.
        let chord = (0.04_f64.powi(2) + 0.05_f64.powi(2)
            - 2.0 * 0.04 * 0.05 * 140_f64.to_radians().cos())
        .sqrt();
        near(angle("Index.curl"), 1.0 - chord / 0.09, 1e-5);
    }
}

#[test]
fn targets_have_dwell_times_looks_and_hits() {
    // The gaze is on the left target for 1 s, between both for 0.5 s, on the right one for 1.5 s.
    let recording = record(3.0, |time, frame| {
        let x = match time {
            ..1.0 => -1.0,
            ..1.5 => 0.0,
            _ => 1.0,
        };
        // Eyes are never still, and the analysis excludes directions that do not change.
        let direction = [x, 0.01 * (40.0 * time).sin(), 2.0];
        frame.gaze = Some(Ray {
            origin: [0.0; 3],
            direction,
        });
        frame.right.tracked = true;
        frame.right.joints[Joint::IndexKnuckle] = Some(Pose::at([1.0, 0.0, 0.5 + 0.3 * time]));
        frame.right.joints[Joint::IndexTip] = Some(Pose::at([1.0, 0.0, 0.6 + 0.3 * time]));
    });
    let sphere = |name: &str, x: f64| {
        let centre = [x, 0.0, 2.0];
        Target::new(
            name,
            Shape::Sphere {
                centre,
                radius: 0.2,
            },
        )
    };
    let mut options = AnalysisParameters::default();
    options.targets = vec![
        sphere("left", -1.0),
        sphere("right", 1.0),
        sphere("unseen", 9.0),
    ];
    let analysis = analyse(&recording, &options);
    near(value(&analysis, "left.dwell"), 1.0, 1e-6);
    // The last look ends with the recording.
    near(value(&analysis, "right.dwell"), 1.5, 1e-6);
    near(value(&analysis, "right.first_look"), 1.5, 1e-3);
    // The sum of no durations is 0, and not -0, which tables would show.
    assert_eq!(value(&analysis, "unseen.dwell").to_string(), "0");
    assert_eq!(value(&analysis, "left.looks"), 1.0);
    assert_eq!(value(&analysis, "left.fixations"), 1.0);
    // The tip ends at z = 1.5, 0.3 m before the sphere around z = 2.
    near(value(&analysis, "right.right.nearest"), 0.3, 1e-5);
    assert_eq!(value(&analysis, "right.right.ray_hits"), 1.0);
    assert_eq!(value(&analysis, "left.right.ray_hits"), 0.0);
    let looks = analysis
        .events()
        .into_iter()
        .filter(|event| event.kind == EventKind::Look);
    let names: Vec<_> = looks.filter_map(|event| event.name).collect();
    assert_eq!(names, ["left", "right"]);
}

/// Asserts that measures of a time range have no value, for a reason.
#[track_caller]
fn missing(analysis: &Analysis, [start, end]: [f32; 2], reason: Missing, names: &[&str]) {
    let measures = analysis.measures(TimeRange { start, end });
    for name in names {
        assert_eq!(measures.get(name).unwrap().value, Err(reason), "{name}");
    }
}

#[test]
fn targets_are_missing_where_the_gaze_is_not_known() {
    let recording = record(4.0, |time, frame| {
        // No data in the 2nd second, and a frozen direction from 3 s.
        let x = 0.01 * (40.0 * time.min(3.0)).sin();
        let scale = if (1.0..2.0).contains(&time) { 0.0 } else { 1.0 };
        frame.gaze = Some(Ray {
            origin: [0.0; 3],
            direction: [x * scale, 0.0, scale],
        });
    });
    let mut options = AnalysisParameters::default();
    options.targets = vec![Target::new(
        "ball",
        Shape::Sphere {
            centre: [0.0, 0.0, 2.0],
            radius: 0.2,
        },
    )];
    let analysis = analyse(&recording, &options);
    let names = [
        "ball.dwell",
        "ball.looks",
        "ball.first_look",
        "ball.fixations",
    ];
    missing(&analysis, [1.2, 1.8], Missing::NoSamples, &names);
    // A frozen gaze is still on the target, but fixates nothing.
    missing(&analysis, [3.2, 3.8], Missing::NoSamples, &names[3..]);
    let frozen = analysis.measures(TimeRange {
        start: 3.2,
        end: 3.8,
    });
    near(frozen.get("ball.dwell").unwrap().value.unwrap(), 0.6, 1e-6);
}

#[test]
fn movements_are_missing_where_the_speed_is_not_known() {
    // The hand is tracked for 0.1 s of each 0.5 s, which is shorter than the window of the filter.
    let recording = record(4.0, |time, frame| {
        frame.right.tracked = time % 0.5 < 0.1;
        frame.right.joints[Joint::Palm] = Some(Pose::at([time, 1.2, 0.4]));
    });
    let analysis = analyse(&recording, &AnalysisParameters::default());
    let names = [
        "right.movements",
        "right.moving_share",
        "right.Palm.speed.mean",
    ];
    missing(&analysis, [0.0, 4.0], Missing::TooFew, &names);
}

#[test]
fn a_hand_is_not_tracked_in_a_time_range_that_begins_where_its_tracking_ends() {
    let recording = record(4.0, |time, frame| {
        frame.left.tracked = true;
        frame.left.joints[Joint::Palm] = Some(Pose::at([-time, 1.2, 0.4]));
        frame.right.tracked = time < 2.0;
        frame.right.joints[Joint::Palm] = Some(Pose::at([time, 1.2, 0.4]));
    });
    let analysis = analyse(&recording, &AnalysisParameters::default());
    let [_, end] = analysis.quality.tracked[Side::Right as usize]
        .iter()
        .map(|range| [range.start, range.end])
        .next()
        .unwrap();
    let names = [
        "right.movements",
        "right.moving_share",
        "right.pinch.count",
        "right.Palm.path_length",
        "hands.Palm.laterality",
        "hands.Palm.speed_correlation",
    ];
    missing(&analysis, [end, 3.0], Missing::NotTracked, &names);
    // An instant has no path, but both hands are tracked at it.
    let names = ["right.moving_share", "hands.Palm.laterality"];
    missing(&analysis, [1.0, 1.0], Missing::TooFew, &names);
    let names = ["right.movements", "hands.Palm.laterality"];
    missing(&analysis, [5.0, 6.0], Missing::NoSamples, &names);
}

#[test]
fn ray_hits_need_the_knuckle() {
    let recording = record(1.0, |_, frame| {
        frame.right.tracked = true;
        frame.right.joints[Joint::IndexTip] = Some(Pose::at([0.0, 1.2, 0.4]));
    });
    let mut options = AnalysisParameters::default();
    options.targets = vec![Target::new(
        "ball",
        Shape::Sphere {
            centre: [0.0, 1.2, 2.0],
            radius: 0.2,
        },
    )];
    let analysis = analyse(&recording, &options);
    missing(
        &analysis,
        [0.0, 1.0],
        Missing::NotRecorded,
        &["ball.right.ray_hits"],
    );
    near(value(&analysis, "ball.right.nearest"), 1.4, 1e-6);
}

#[test]
fn the_scan_path_of_one_fixation_is_0() {
    let recording = record(1.0, |time, frame| {
        frame.gaze = Some(Ray {
            origin: [0.0; 3],
            direction: [0.0, 0.001 * (40.0 * time).sin(), 2.0],
        });
    });
    let analysis = analyse(&recording, &AnalysisParameters::default());
    assert_eq!(value(&analysis, "gaze.idt.count"), 1.0);
    assert_eq!(value(&analysis, "gaze.idt.scan_path").to_string(), "0");
}

#[test]
fn targets_that_are_not_valid_are_refused() {
    let recording = Recording::new(Layout::Mrtk1_1);
    let ball = |radius| {
        let centre = [0.0; 3];
        Target::new("ball", Shape::Sphere { centre, radius })
    };
    let error = |targets| {
        let mut options = AnalysisParameters::default();
        options.targets = targets;
        Analysis::of(&recording, &options).unwrap_err().to_string()
    };
    assert_eq!(
        error(vec![ball(-1.0)]),
        "target 1 (\"ball\"), radius: expected a number of at least 0, found \"-1\""
    );
    assert_eq!(
        error(vec![ball(1.0), ball(2.0)]),
        "target 2 (\"ball\"), name: expected a name that no other target has, found \"ball\""
    );
}

#[test]
fn pinches_have_onset_drag_and_interval() {
    // The tips are together from 1 s to 2 s and from 2.5 s to 3 s, while the hand moves at 0.1 m/s.
    let recording = record(4.0, |time, frame| {
        let is_closed = (1.0..2.0).contains(&time) || (2.5..3.0).contains(&time);
        let gap = if is_closed { 0.005 } else { 0.06 };
        frame.right.tracked = true;
        frame.right.pinching = is_closed;
        let x = 0.1 * time;
        frame.right.joints[Joint::ThumbTip] = Some(Pose::at([x, 1.0 - gap / 2.0, 0.4]));
        frame.right.joints[Joint::IndexTip] = Some(Pose::at([x, 1.0 + gap / 2.0, 0.4]));
    });
    let analysis = analyse(&recording, &AnalysisParameters::default());
    for source in ["pinch", "geometric_pinch"] {
        let found = |name: &str| value(&analysis, &format!("right.{source}.{name}"));
        assert_eq!(found("count"), 2.0);
        near(found("duration.max"), 1.0, 0.034);
        near(found("drag.max"), 0.1, 0.004);
        near(found("interval.mean"), 1.5, 0.02);
        near(found("movement_time.mean"), 0.5, 0.034);
    }
    near(value(&analysis, "right.pinch_agreement"), 1.0, 0.05);
}
