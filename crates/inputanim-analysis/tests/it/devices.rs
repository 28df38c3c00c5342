//! Controllers and other devices: events and measures that are known from a formula.

use inputanim::{
    BooleanCurve, DeviceName, Element, FloatCurve, Haptic, InputCurve, Layout, Pose, Recording,
    Side, TimeRange,
};
use inputanim_analysis::{
    Analysis, AnalysisParameters, EventKind, Measure, Missing, NamedParameters, Shape, Target,
    choose_measures,
};
use inputanim_testkit::devices::device_recording;
use proptest::prelude::*;

const RIGHT: DeviceName = DeviceName::controller(Side::Right);
const INDEX: &str = "/interaction_profiles/valve/index_controller";

fn range(start: f32, end: f32) -> TimeRange {
    TimeRange { start, end }
}

/// Returns a recording of 10 s. The right controller moves by 1 m along x in the first second, its aim turns about the vertical
/// axis, its button a is pressed three times, its trigger twice, and its thumbstick makes a turn.
fn recording() -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    for time in [0.0, 10.0] {
        recording.head_mut().push(time, &Pose::at([0.0, 1.6, 0.0]));
    }
    let right = recording.device_mut(RIGHT);
    right.set_profile(0.0, INDEX);
    for (time, x) in [(0.0, 0.0), (1.0, 1.0), (10.0, 1.0)] {
        let grip = "grip".parse().unwrap();
        right.pose_mut(grip).push(time, &Pose::at([x, 1.0, 0.0]));
    }
    for step in 0..=600_i32 {
        let time = step as f32 / 60.0;
        // 18 ° for each second, from −90 ° to 90 °.
        let half = (-90.0 + 18.0 * time).to_radians() / 2.0;
        let aim = Pose {
            position: [0.0, 1.0, 0.0],
            rotation: [0.0, half.sin(), 0.0, half.cos()],
        };
        right.pose_mut("aim".parse().unwrap()).push(time, &aim);
    }
    let presses = [
        (0.0, false),
        (1.0, true),
        (1.2, false),
        (3.0, true),
        (4.0, false),
        (9.5, true),
    ];
    right.set_input(
        "a/click".parse().unwrap(),
        InputCurve::Boolean(BooleanCurve::new(presses)),
    );
    // The trigger reaches 0.5 at 2 s and falls below 0.4 at 3.24 s, and is at 0.45 later.
    let trigger = [
        (0.0, 0.0),
        (1.0, 0.0),
        (3.0, 1.0),
        (3.4, 0.0),
        (5.0, 0.0),
        (5.1, 0.45),
        (10.0, 0.45),
    ];
    right.set_input(
        "trigger/value".parse().unwrap(),
        InputCurve::Float(FloatCurve::linear(trigger)),
    );
    // A square with sides of 1.
    for (axis, values) in [("x", [0.0, 1.0, 1.0, 0.0]), ("y", [0.0, 0.0, 1.0, 1.0])] {
        let times = [0.0, 2.0, 4.0, 6.0];
        right.set_input(
            format!("thumbstick/{axis}").parse().unwrap(),
            InputCurve::Float(FloatCurve::linear(times.into_iter().zip(values))),
        );
    }
    right.haptics.push(Haptic {
        time: 1.0,
        output: "haptic".parse().unwrap(),
        duration: Some(0.1),
        frequency: None,
        amplitude: 0.3,
    });
    recording
}

fn parameters() -> AnalysisParameters {
    let mut named = NamedParameters::default();
    for (name, text) in [
        ("devices.poses", "right.controller.grip"),
        (
            "devices.inputs",
            "right.controller.a.click,right.controller.trigger.value",
        ),
        ("devices.sticks", "right.controller.thumbstick"),
        ("devices.pointers", "right.controller.aim"),
    ] {
        named.set_text(name, text).unwrap();
    }
    named.parameters().unwrap()
}

fn analyse(recording: &Recording<'_>, parameters: &AnalysisParameters) -> Analysis {
    Analysis::of(recording, parameters).unwrap()
}

fn measured(analysis: &Analysis, range: TimeRange, name: &str) -> Result<f64, Missing> {
    let measures = analysis.measures(range);
    let name = format!("right.controller.{name}");
    let found = measures.get(&name);
    found
        .unwrap_or_else(|| panic!("{name} is not a measure"))
        .value
}

#[track_caller]
fn near(found: f64, expected: f64) {
    assert!((found - expected).abs() < 1e-5, "{found}, not {expected}");
}

#[test]
fn presses_holds_and_sticks_have_their_closed_forms() {
    let analysis = analyse(&recording(), &parameters());
    let value = |name: &str| measured(&analysis, analysis.range, name).unwrap();
    assert_eq!(value("a.click.presses"), 3.0);
    near(value("a.click.press_rate"), 0.3);
    near(value("a.click.pressed_share"), 0.17);
    // The last press is cut by the end of the recording.
    near(value("a.click.press.duration.max"), 1.0);
    near(value("a.click.press.duration.min"), 0.2);
    // Both onsets of an interval are known.
    near(value("a.click.press.interval.min"), 2.0);
    near(value("a.click.press.interval.max"), 6.5);
    assert_eq!(value("a.click.holds"), 2.0);
    // From 2 s to the last sample before 3.24 s.
    assert_eq!(value("trigger.value.presses"), 1.0);
    near(
        value("trigger.value.press.duration.mean"),
        1.0 + 14.0 / 60.0,
    );
    near(value("trigger.value.value.max"), 1.0);
    near(value("thumbstick.travel"), 3.0);
    near(value("thumbstick.deflection.max"), 2.0_f64.sqrt());
    near(value("grip.path_length"), 1.0);
    near(value("grip.box_x"), 1.0);
    near(value("grip.angular_path"), 0.0);
    // Times and paths of adjacent segments add up.
    for name in ["thumbstick.travel", "grip.path_length", "a.click.presses"] {
        let parts = [range(0.0, 0.77), range(0.77, 3.5), range(3.5, 10.0)];
        let parts = parts.map(|part| measured(&analysis, part, name).unwrap());
        near(parts.into_iter().sum(), value(name));
    }
    // Other recordings have the same measures.
    let empty = analyse(&Recording::new(Layout::Mrtk1_1), &parameters());
    let names = |analysis: &Analysis| -> Vec<String> {
        let measures = analysis.measures(analysis.range).rows.into_iter();
        measures.map(|measure| measure.name).collect()
    };
    assert_eq!(names(&empty), names(&analysis));
    let missing = measured(&empty, empty.range, "a.click.presses");
    assert_eq!(missing, Err(Missing::NotRecorded));
    // The path of a pose is that of a joint that moves in the same way.
    let default = analyse(&recording(), &AnalysisParameters::default());
    let names = names(&default);
    assert!(names.iter().all(|name| !name.contains("controller")));
    assert!(analysis.devices_note().is_none());
    assert_eq!(
        default.devices_note().unwrap().detail,
        "the parameters devices.poses=right.controller.aim,right.controller.grip and \
         devices.inputs=right.controller.a.click,right.controller.thumbstick.x,\
         right.controller.thumbstick.y,right.controller.trigger.value measure them"
    );
}

#[test]
fn unknown_times_cut_presses_and_are_not_measured() {
    let mut recording = recording();
    let button = inputanim::Known::element("right.controller.a.click").unwrap();
    recording.known.add_gap(button, range(3.5, 5.0));
    recording.device_mut(RIGHT).set_inactive(9.75);
    let stick = inputanim::Known::element("right.controller.thumbstick.x").unwrap();
    recording.known.add_gap(stick, range(0.5, 1.5));
    let analysis = analyse(&recording, &parameters());
    let value = |name: &str| measured(&analysis, analysis.range, name).unwrap();
    // 10 s without 1.5 s and 0.25 s; pressed for 0.2 s, 0.5 s and 0.25 s.
    assert_eq!(value("a.click.presses"), 3.0);
    near(value("a.click.pressed_share"), 0.95 / 8.25);
    near(value("a.click.press.duration.max"), 0.2);
    // The input is not known between the second and the third onset.
    near(value("a.click.press.interval.max"), 2.0);
    assert_eq!(value("a.click.holds"), 1.0);
    near(value("thumbstick.travel"), 2.5);
    let part = measured(&analysis, range(0.6, 1.4), "thumbstick.travel");
    assert_eq!(part, Err(Missing::NoSamples));
    let part = measured(&analysis, range(3.6, 4.9), "a.click.presses");
    assert_eq!(part, Err(Missing::NoSamples));
    let events = analysis.events();
    let cut: Vec<_> = events
        .iter()
        .filter(|event| event.kind == EventKind::Press && event.property("cut").is_some())
        .map(|event| (event.start, event.name.as_deref().unwrap()))
        .collect();
    assert_eq!(
        cut,
        [
            (3.0, "right.controller.a.click"),
            (9.5, "right.controller.a.click")
        ]
    );
}

#[test]
fn devices_have_events() {
    let mut recording = recording();
    let right = recording.device_mut(RIGHT);
    right.set_inactive(2.0);
    right.set_profile(5.0, "/interaction_profiles/khr/simple_controller");
    recording
        .known
        .add_gap(Element::Profile(RIGHT), range(6.0, 7.0));
    let analysis = analyse(&recording, &AnalysisParameters::default());
    let events = analysis.events();
    let of = |kind: EventKind| -> Vec<String> {
        let of_kind = events.iter().filter(|event| event.kind == kind);
        let lines = of_kind.map(|event| {
            assert_eq!(event.side, Some(Side::Right));
            let name = event
                .name
                .as_deref()
                .unwrap()
                .replace("right.controller", "");
            format!("{:.2} {:.2} {name}", event.start, event.duration)
        });
        lines.collect()
    };
    assert_eq!(
        of(EventKind::Connected),
        ["0.00 2.00 ", "5.00 1.00 ", "7.00 3.00 "]
    );
    assert_eq!(
        of(EventKind::Profile),
        [
            "0.00 2.00  /interaction_profiles/valve/index_controller",
            "5.00 1.00  /interaction_profiles/khr/simple_controller",
            "7.00 3.00  /interaction_profiles/khr/simple_controller",
        ]
    );
    assert_eq!(
        of(EventKind::Press),
        ["1.00 0.20 .a.click", "9.50 0.50 .a.click"]
    );
    assert_eq!(of(EventKind::Haptic), ["1.00 0.10 .haptic"]);
    let pulse = events
        .iter()
        .find(|event| event.kind == EventKind::Haptic)
        .unwrap();
    assert_eq!(pulse.property("amplitude"), Some(0.3));
    assert_eq!(pulse.property("frequency"), None);
}

#[test]
fn a_ray_points_at_targets_and_presses_select_them() {
    let mut parameters = parameters();
    let ball = |name: &str, degrees: f64| {
        let (sin, cos) = degrees.to_radians().sin_cos();
        let centre = [2.0 * sin, 1.0, 2.0 * cos];
        let radius = 2.0 * 9.0_f64.to_radians().sin();
        Target::new(name, Shape::Sphere { centre, radius })
    };
    // The ray turns from −90 ° to 90 °. It is within 9 ° of each ball for 1 s.
    parameters.targets = vec![ball("left", -45.0), ball("right", 45.0)];
    let mut recording = recording();
    let clicks = [2.5, 2.6, 7.5, 7.6, 9.0, 9.1].into_iter().enumerate();
    let clicks = clicks.map(|(index, time)| (time, index % 2 == 0));
    recording.device_mut(RIGHT).set_input(
        "a/click".parse().unwrap(),
        InputCurve::Boolean(BooleanCurve::new([(0.0, false)].into_iter().chain(clicks))),
    );
    let analysis = analyse(&recording, &parameters);
    let measures = analysis.measures(analysis.range);
    let value = |name: &str| measures.get(name).unwrap().value;
    for target in ["left", "right"] {
        let of = |name: &str| value(&format!("{target}.right.controller.aim.{name}"));
        let dwell = of("dwell").unwrap();
        assert!((dwell - 1.0).abs() < 0.04, "{dwell}");
        assert_eq!(of("hits"), Ok(1.0));
    }
    let first = value("right.right.controller.aim.first_hit").unwrap();
    assert!((first - 7.0).abs() < 0.02, "{first}");
    // The first press selects the left ball, the second one the right ball. The third one, at 72 °, selects it again.
    assert_eq!(value("right.controller.a.click.fitts.selections"), Ok(1.0));
    // With presses to and fro, the ray would have to turn back: one selection has no width.
    let width = value("right.controller.a.click.fitts.effective_width");
    assert_eq!(width, Err(Missing::TooFew));
}

#[test]
fn names_of_devices_are_checked() {
    let mut named = NamedParameters::default();
    for (name, text, expected) in [
        (
            "devices.inputs",
            "right.controller.grip",
            "unknown input of a device \"right.controller.grip\"; expected a name such as right.controller.trigger.value",
        ),
        (
            "devices.poses",
            "right.Palm",
            "unknown pose of a device \"right.Palm\"; expected a name such as right.controller.aim",
        ),
        (
            "devices.sticks",
            "thumbstick",
            "unknown stick of a device \"thumbstick\"; expected a name such as right.controller.thumbstick",
        ),
    ] {
        assert_eq!(
            named.set_text(name, text).unwrap_err().to_string(),
            expected
        );
    }
    let parameters = AnalysisParameters::default();
    let all = Measure::all(&parameters).unwrap();
    for text in ["devices", "right.controller.a.click"] {
        let error = choose_measures(&all, &[text], &parameters).unwrap_err();
        assert!(
            error
                .to_string()
                .contains("need the parameters devices.poses"),
            "{error}"
        );
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn presses_of_any_recording_are_where_frames_have_them(recording in device_recording()) {
        let analysis = analyse(&recording, &AnalysisParameters::default());
        let sampler = inputanim::Sampler::new(&recording).unwrap();
        for step in 0..256 {
            // Keys and gaps are at multiples of 1/16 s.
            let time = (step as f32 + 0.5) / 64.0;
            let frame = sampler.frame_at(time);
            for input in &analysis.inputs {
                let device = frame.device(input.input.device);
                let value = device.and_then(|device| device.input(input.input.input));
                let at = f64::from(time);
                let known = input.known.iter().any(|[start, end]| *start < at && at < *end);
                let pressed = input.presses.iter().any(|press| press.start < at && at < press.end());
                prop_assert_eq!(value.is_some(), known);
                prop_assert_eq!(value.is_some_and(|value| value.is_on()), pressed);
            }
            let active = frame.devices.iter().filter(|device| device.active).count();
            let events = analysis.events();
            let connected = events.iter().filter(|event| {
                let at = f64::from(time);
                let has = event.start < at && at < event.start + event.duration;
                event.kind == EventKind::Connected && has
            });
            prop_assert_eq!(connected.count(), active);
        }
    }
}
