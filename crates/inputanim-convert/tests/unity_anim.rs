//! Animation clips of Unity: the text is what its editor writes, and what is lost is said.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "../../inputanim/tests/random/mod.rs"]
mod random;

use inputanim::{
    BooleanCurve, FloatCurve, FullKey, Joint, Layout, Marker, Pose, Ray, Recording, WeightedMode,
    WrapMode,
};
use inputanim_convert::unity_anim::{self, Loss, Options, WriteError};
use proptest::prelude::*;

fn to_text(take: &Recording<'_>) -> (String, Vec<Loss>) {
    let mut text = Vec::new();
    let losses = unity_anim::write(take, &Options::default(), &mut text).unwrap();
    (String::from_utf8(text).unwrap(), losses)
}

/// Everything that a clip can have, once.
fn everything() -> Recording<'static> {
    let mut take = Recording::new(Layout::FullWithMarkers1_1);
    let camera = take.camera_mut();
    camera.push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    camera.push(0.5, &Pose::at([0.0, 1.7, -0.25]));
    camera.position[0] = FloatCurve::full([
        FullKey::weighted(0.0, 0.0, [0.0, 1.0], [0.25, 0.5], WeightedMode::OUT),
        FullKey::hermite(0.5, 0.25, 0.5, 0.0),
    ]);
    let left = &mut take.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, false), (0.25, true)]);
    left.joints[Joint::IndexTip].push(0.25, &Pose::at([0.1, 1.2, 0.3]));
    left.joints[Joint::None].push(0.25, &Pose::at([9.0; 3]));
    let ray = Ray {
        origin: [0.0, 1.6, 0.0],
        direction: [0.0, 0.0, 1.0],
    };
    take.gaze_mut().push(0.0, &ray);
    take.markers = vec![
        Marker::new(0.5, "グラブ"),
        Marker::new(0.25, "press button"),
    ];
    take
}

#[test]
fn the_text_is_as_unitys_editor_writes_it() {
    let (text, losses) = to_text(&everything());
    assert_eq!(losses, []);
    snapbox::assert_data_eq!(text, snapbox::file!["golden/everything.anim"].raw());
}

#[test]
fn a_recording_without_anything_is_a_clip_without_curves() {
    let (text, losses) = to_text(&Recording::new(Layout::Mrtk1_1));
    assert_eq!(losses, []);
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
fn what_plays_before_0_is_left_out_and_what_repeats_is_written_out() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let [x, y, _] = &mut take.camera_mut().position;
    *x = FloatCurve::linear([(-1.0, 0.0), (1.0, 2.0)]);
    *y = FloatCurve::linear([(0.0, 0.0), (0.5, 1.0)]);
    y.post_wrap = WrapMode::PING_PONG;
    let (text, _) = to_text(&take);
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
fn what_a_clip_cannot_hold_is_said() {
    let mut take = everything();
    let y = &mut take.camera_mut().position[1];
    *y = FloatCurve::full([
        FullKey::hermite(0.0, 1.0, 0.0, f32::NEG_INFINITY),
        FullKey::hermite(0.25, f32::NAN, 0.0, 0.0),
        FullKey::weighted(0.5, 2.0, [0.0; 2], [f32::NAN, 0.5], WeightedMode::BOTH),
    ]);
    take.markers = [0.25, 0.75, f32::NAN]
        .map(|time| Marker::new(time, "m"))
        .to_vec();
    let (text, losses) = to_text(&take);
    let expected = [
        Loss::Values { keys: 1 },
        Loss::Tangents { keys: 2 },
        Loss::Markers {
            markers: 2,
            time: 0.75,
        },
    ];
    assert_eq!(losses, expected);
    assert!(!text.contains("NaN") && !text.contains("-Infinity") && !text.contains("-inf"));
    assert_eq!(
        losses[2].to_string(),
        "2 markers outside of the clip, such as at 0.75 s"
    );
}

#[test]
fn a_key_at_no_time_and_an_event_that_is_no_name_are_refused() {
    let write = |take: &Recording<'_>, event: &str| {
        let options = Options {
            event: event.to_owned(),
            ..Options::default()
        };
        unity_anim::write(take, &options, Vec::new())
    };
    let mut take = everything();
    assert!(write(&take, "_On2").is_ok());
    for event in ["", "2nd", "On Marker", "a.b", "a\nb"] {
        assert!(
            matches!(write(&take, event), Err(WriteError::Event(_))),
            "{event}"
        );
    }
    take.camera_mut().position[0] = FloatCurve::linear([(f32::NAN, 1.0)]);
    assert!(matches!(write(&take, "On"), Err(WriteError::Keys(_))));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn any_numbers_come_to_an_end(take in random::recording()) {
        let mut text = Vec::new();
        if unity_anim::write(&take, &Options::default(), &mut text).is_ok() {
            let text = String::from_utf8(text)?;
            prop_assert!(!text.contains("NaN") && !text.contains("-inf"), "{text}");
        }
    }
}
