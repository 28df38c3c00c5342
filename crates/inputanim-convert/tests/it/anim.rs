//! Animation clips of Unity: the text is like text from Unity's editor, and losses are reported.

use inputanim::{
    BooleanCurve, FloatCurve, FullKey, Joint, Layout, Marker, Pose, Ray, Recording, WeightedMode,
    WrapMode,
};
use inputanim_convert::anim::AnimError;
use inputanim_convert::{Error, Format, Report, WriteOptions};
use inputanim_testkit::random;
use proptest::prelude::*;

fn try_write(
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Report), Error> {
    let mut text = Vec::new();
    let report = inputanim_convert::write(Format::Anim, recording, options, &mut text)?;
    Ok((text, report))
}

fn to_text(recording: &Recording<'_>) -> (String, Report) {
    let (text, report) = try_write(recording, &WriteOptions::default()).unwrap();
    (String::from_utf8(text).unwrap(), report)
}

/// Returns a recording with one example of everything that a clip can represent.
fn everything() -> Recording<'static> {
    let mut recording = Recording::new(Layout::FullWithMarkers1_1);
    let head = recording.head_mut();
    head.push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    head.push(0.5, &Pose::at([0.0, 1.7, -0.25]));
    head.position[0] = FloatCurve::full([
        FullKey::weighted(0.0, 0.0, [0.0, 1.0], [0.25, 0.5], WeightedMode::OUT),
        FullKey::hermite(0.5, 0.25, 0.5, 0.0),
    ]);
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, false), (0.25, true)]);
    left.joints[Joint::IndexTip].push(0.25, &Pose::at([0.1, 1.2, 0.3]));
    left.joints[Joint::None].push(0.25, &Pose::at([9.0; 3]));
    let ray = Ray {
        origin: [0.0, 1.6, 0.0],
        direction: [0.0, 0.0, 1.0],
    };
    recording.gaze_mut().push(0.0, &ray);
    recording.markers = vec![
        Marker::new(0.5, "グラブ"),
        Marker::new(0.25, "press button"),
    ];
    recording
}

#[test]
fn the_text_equals_the_golden_file() {
    let (text, losses) = to_text(&everything());
    assert_eq!(losses.losses, []);
    snapbox::assert_data_eq!(text, snapbox::file!["../golden/everything.anim"].raw());
}

#[test]
fn an_empty_recording_is_a_clip_without_curves() {
    let (text, losses) = to_text(&Recording::new(Layout::Mrtk1_1));
    assert_eq!(losses.losses, []);
    for part in [
        "m_PositionCurves: []",
        "genericBindings: []",
        "m_Events: []",
        "m_StopTime: 0",
    ] {
        assert!(text.contains(part), "{part}");
    }
}

#[test]
fn keys_before_0_are_dropped_and_repeating_curves_are_written_out() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut recording.head_mut().position;
    *x = FloatCurve::linear([(-1.0, 0.0), (1.0, 2.0)]);
    *y = FloatCurve::linear([(0.0, 0.0), (0.5, 1.0)]);
    y.post_wrap = WrapMode::PING_PONG;
    let (text, _) = to_text(&recording);
    let values = text.lines().filter(|line| line.contains("value: {"));
    let values: Vec<&str> = values.map(str::trim).collect();
    assert_eq!(
        values,
        [
            "value: {x: 1, y: 0, z: 0}",
            "value: {x: 1.5, y: 1, z: 0}",
            "value: {x: 2, y: 0, z: 0}",
        ]
    );
}

#[test]
fn content_that_a_clip_cannot_hold_is_reported() {
    let mut recording = everything();
    let y = &mut recording.head_mut().position[1];
    *y = FloatCurve::full([
        FullKey::hermite(0.0, 1.0, 0.0, f32::NEG_INFINITY),
        FullKey::hermite(0.25, f32::NAN, 0.0, 0.0),
        FullKey::weighted(0.5, 2.0, [0.0; 2], [f32::NAN, 0.5], WeightedMode::BOTH),
    ]);
    recording.markers = [0.25, 0.75, f32::NAN]
        .map(|time| Marker::new(time, "m"))
        .to_vec();
    let (text, report) = to_text(&recording);
    let losses: Vec<&str> = report.losses.iter().map(|loss| &*loss.message).collect();
    assert_eq!(
        losses,
        [
            "1 key without a finite value",
            "tangents or weights of 2 keys that are not finite",
            "2 markers outside of the clip, such as at 0.75 s",
        ]
    );
    assert!(!text.contains("NaN") && !text.contains("-Infinity") && !text.contains("-inf"));
}

#[test]
fn keys_without_a_time_and_invalid_function_names_are_refused() {
    let write = |recording: &Recording<'_>, event: &str| {
        let mut options = WriteOptions::default();
        options.event = event.to_owned();
        try_write(recording, &options)
    };
    let mut recording = everything();
    assert!(write(&recording, "_On2").is_ok());
    for event in ["", "2nd", "On Marker", "a.b", "a\nb"] {
        assert!(
            matches!(
                write(&recording, event).unwrap_err().downcast_ref(),
                Some(AnimError::Event(_))
            ),
            "{event}"
        );
    }
    recording.head_mut().position[0] = FloatCurve::linear([(f32::NAN, 1.0)]);
    assert!(matches!(write(&recording, "On"), Err(Error::Edit(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn curves_of_any_recording_have_finite_keys_in_order(
        recording in random::recording().prop_map(random::with_few_loops)
    ) {
        if let Ok((text, _)) = try_write(&recording, &WriteOptions::default()) {
            let text = String::from_utf8(text)?;
            check_curves(&text);
        }
    }
}

/// Checks the numbers of a clip: Unity needs keys in order of time, and cannot read NaN.
fn check_curves(text: &str) {
    let finite = |text: &str| {
        let number: f32 = text.trim().parse().expect("a number");
        assert!(number.is_finite(), "{number}");
        number
    };
    let stop = text
        .lines()
        .find_map(|line| line.trim().strip_prefix("m_StopTime: "));
    let stop = finite(stop.expect("a clip has an end"));
    for curve in text.split("\n  - curve:").skip(1) {
        let mut last = f32::NEG_INFINITY;
        for line in curve.lines().map(str::trim) {
            if let Some(time) = line.strip_prefix("time: ") {
                let time = finite(time);
                assert!(
                    last < time && (0.0..=stop).contains(&time),
                    "{last}, {time} of {stop}"
                );
                last = time;
            } else if let Some(value) = line.strip_prefix("value: ") {
                let vector = value
                    .strip_prefix('{')
                    .and_then(|vector| vector.strip_suffix('}'));
                for part in vector.unwrap_or(value).split(',') {
                    finite(part.rsplit(':').next().expect("a number"));
                }
            } else if line.starts_with("path:") {
                // Other lists follow the last curve.
                break;
            }
        }
    }
}
