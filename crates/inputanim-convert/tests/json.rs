//! Lossless JSON: there and back is the identity, and what is wrong is said.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod corpus;
#[path = "../../inputanim/tests/random/mod.rs"]
mod random;

use inputanim::{CurvePath, Flags, FloatCurve, Layout, Limits, Marker, Pose, Recording};
use inputanim_convert::json::{self, Error};
use proptest::prelude::*;

fn to_text(recording: &Recording<'_>) -> String {
    let mut text = Vec::new();
    json::write(recording, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn write_then_read_is_the_identity(recording in random::recording()) {
        let text = to_text(&recording);
        prop_assert!(json::is_json(text.as_bytes()));
        prop_assert_eq!(json::read(text.as_bytes())?, recording);
    }
}

#[test]
fn the_corpus_goes_through_json_bit_for_bit() {
    corpus::each(|path, bytes| {
        let text = to_text(&Recording::parse(bytes).unwrap());
        let back = json::read(text.as_bytes()).unwrap();
        assert!(back.to_bytes(back.layout).unwrap() == bytes, "{path:?}");
    });
}

fn camera_only() -> Recording<'static> {
    let flags = Flags {
        camera: true,
        ..Flags::default()
    };
    let mut take = Recording::with_streams(Layout::Mrtk1_1, flags);
    take.camera_mut().push(0.5, &Pose::at([0.0, 1.6, -0.0]));
    take.markers.push(Marker::new(0.5, "a \"quoted\" name\n"));
    take
}

#[test]
fn the_text_is_one_that_a_person_can_read() {
    let expected = r#"{
  "format": "inputanim-json",
  "version": 1,
  "layout": "mrtk-1.1",
  "flags": {"camera": 1, "hand": 0, "gaze": 0},
  "curves": [
    {"curve":"camera.position.x","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"camera.position.y","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,1.6]]},
    {"curve":"camera.position.z","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,-0.0]]},
    {"curve":"camera.rotation.x","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"camera.rotation.y","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"camera.rotation.z","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"camera.rotation.w","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,1.0]]}
  ],
  "markers": [
    {"time":0.5,"name":"a \"quoted\" name\n"}
  ]
}
"#;
    assert_eq!(to_text(&camera_only()), expected);
}

#[test]
fn limits_bound_text_keys_and_markers() {
    let text = to_text(&camera_only());
    let default = Limits::default();
    let read = |limits: Limits| json::read_with(text.as_bytes(), &limits);
    let exact = Limits {
        max_bytes: text.len() as u64,
        max_keys: 7,
        max_markers: 1,
    };
    assert!(read(exact).is_ok());
    for limits in [
        Limits {
            max_bytes: exact.max_bytes - 1,
            ..default
        },
        Limits {
            max_markers: 0,
            ..default
        },
    ] {
        assert!(matches!(read(limits), Err(Error::Limit { .. })));
    }
    let limits = Limits {
        max_keys: 6,
        ..default
    };
    assert!(matches!(read(limits), Err(Error::Keys { .. })));
}

#[test]
fn what_the_layout_cannot_hold_is_not_written() {
    let mut take = camera_only();
    take.layout = Layout::Mrtk1_0;
    take.gaze_mut();
    assert!(json::write(&take, Vec::new()).is_err());
}

#[test]
fn curves_may_come_in_any_order_and_be_left_out() {
    let text = r#"{"format":"inputanim-json","version":1,"layout":"mrtk-1.1",
        "curves":[
          {"curve":"camera.position.z","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0,1e0]]},
          {"keys":[[0,2]],"kind":"simple","postWrap":2,"preWrap":8,"curve":"camera.position.x"}],
        "flags":{"gaze":0,"hand":0,"camera":1}}"#;
    let camera = json::read(text.as_bytes()).unwrap().camera.unwrap();
    assert_eq!(camera.position[0].keys.point(0), Some((0.0, 2.0)));
    assert_eq!(camera.position[0].post_wrap.0, 2);
    assert_eq!(camera.position[1], FloatCurve::default());
    assert_eq!(camera.position[2].keys.point(0), Some((0.0, 1.0)));
}

/// The error of the text with one part replaced.
fn error_with(from: &str, to: &str) -> Error {
    let text = to_text(&camera_only());
    assert!(text.contains(from), "{from}");
    json::read(text.replacen(from, to, 1).as_bytes()).unwrap_err()
}

#[test]
fn what_is_wrong_is_said() {
    let path: CurvePath = "camera.position.x".parse().unwrap();
    let error = error_with("position.y", "position.x");
    assert!(matches!(error, Error::CurveTwice(found) if found == path));
    let error = error_with("camera.position.x", "gaze.origin.x");
    assert!(matches!(error, Error::StreamMissing(_)), "{error}");
    let error = error_with("camera.position.x", "camera.position.q");
    assert!(matches!(error, Error::Curve(_)), "{error}");
    let error = error_with("simple", "boolean");
    assert!(matches!(error, Error::Kind { .. }), "{error}");
    let error = error_with("[[0.5,0.0]]", "[[0.5,0.0],[1]]");
    let Error::Keys { curve, source } = error else {
        panic!("{error}")
    };
    assert_eq!(curve, path);
    assert!(source.to_string().contains("line 1 column 14"), "{source}");
    let error = error_with("mrtk-1.1", "mrtk-1.0");
    assert!(matches!(error, Error::FlagsUnexpected(Layout::Mrtk1_0)));
    let error = error_with("mrtk-1.1", "documented-1.1");
    assert_eq!(
        error.to_string(),
        "the layout documented-1.1 cannot hold 1 marker"
    );
    let error = error_with("mrtk-1.1", "mrtk-9");
    assert!(matches!(error, Error::Layout(_)), "{error}");
    let error = error_with("\"version\": 1", "\"version\": 2");
    assert!(matches!(error, Error::Format(..)), "{error}");
    // A misspelt member is not silently left out.
    let error = error_with("\"markers\"", "\"marker\"");
    assert!(matches!(error, Error::Json(_)), "{error}");
    let error = error_with("[[0.5,1.6]]", "[[0.5,null]]");
    assert!(matches!(error, Error::Keys { .. }), "{error}");
    let error = error_with("\"preWrap\":8", "\"preWrap\":\"8\"");
    let Error::Json(cause) = error else {
        panic!("{error}")
    };
    assert!(cause.to_string().contains("line 7 column"), "{cause}");
}
