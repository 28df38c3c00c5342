//! Lossless JSON: writing and reading is the identity, and errors describe the problem.

use crate::format_error;
use inputanim::{Flags, FloatCurve, Layout, Limits, Marker, Pose, Recording};
use inputanim_convert::json::JsonError;
use inputanim_convert::{Error, Format, LossKind, ReadOptions, WriteOptions};
use proptest::prelude::*;

fn to_text(recording: &Recording<'_>) -> String {
    let mut text = Vec::new();
    let options = WriteOptions::default();
    inputanim_convert::write(Format::Json, recording, &options, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}

fn read_within(text: &str, limits: Limits) -> Result<Recording<'_>, Error> {
    let mut options = ReadOptions::default();
    options.limits = limits;
    let (recording, _) = inputanim_convert::read(Format::Json, text.as_bytes(), &options)?;
    Ok(recording)
}

fn read(text: &str) -> Result<Recording<'_>, Error> {
    read_within(text, Limits::default())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn write_then_read_is_the_identity(recording in inputanim_testkit::random::recording()) {
        let text = to_text(&recording);
        prop_assert_eq!(Format::detect(text.as_bytes()), Some(Format::Json));
        prop_assert_eq!(read(&text).unwrap(), recording);
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn corpus_files_come_back_from_json_bit_for_bit() {
    for (path, bytes) in inputanim_testkit::corpus::recordings() {
        let text = to_text(&Recording::parse(&bytes).unwrap());
        let back = read(&text).unwrap();
        assert!(back.to_bytes().unwrap() == bytes, "{path:?}");
    }
}

fn head_only() -> Recording<'static> {
    let flags = Flags {
        head: true,
        ..Flags::default()
    };
    let mut recording = Recording::with_streams(Layout::Mrtk1_1, flags);
    recording.head_mut().push(0.5, &Pose::at([0.0, 1.6, -0.0]));
    recording
        .markers
        .push(Marker::new(0.5, "a \"quoted\" name\n"));
    recording
}

#[test]
fn the_text_is_readable() {
    let expected = r#"{
  "format": "inputanim-json",
  "version": 1,
  "layout": "mrtk-1.1",
  "flags": {"head": 1, "hand": 0, "gaze": 0},
  "curves": [
    {"curve":"head.position.x","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"head.position.y","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,1.6]]},
    {"curve":"head.position.z","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,-0.0]]},
    {"curve":"head.rotation.x","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"head.rotation.y","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"head.rotation.z","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,0.0]]},
    {"curve":"head.rotation.w","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0.5,1.0]]}
  ],
  "markers": [
    {"time":0.5,"name":"a \"quoted\" name\n"}
  ]
}
"#;
    assert_eq!(to_text(&head_only()), expected);
}

#[test]
fn limits_bound_text_keys_and_markers() {
    let text = to_text(&head_only());
    let default = Limits::default();
    let read = |limits: Limits| read_within(&text, limits);
    let mut exact = Limits::default();
    exact.max_bytes = text.len() as u64;
    exact.max_keys = 7;
    exact.max_markers = 1;
    assert!(read(exact).is_ok());
    for limits in [
        {
            let mut limits = default;
            limits.max_bytes = exact.max_bytes - 1;
            limits
        },
        {
            let mut limits = default;
            limits.max_markers = 0;
            limits
        },
    ] {
        assert!(matches!(read(limits), Err(Error::Limit { .. })));
    }
    let mut limits = default;
    limits.max_keys = 6;
    assert!(matches!(
        read(limits).unwrap_err().downcast_ref(),
        Some(JsonError::Keys { .. })
    ));
}

#[test]
fn content_that_the_layout_cannot_hold_is_refused() {
    let mut recording = head_only();
    recording.layout = Layout::Mrtk1_0;
    recording.gaze_mut();
    let options = WriteOptions::default();
    assert!(inputanim_convert::write(Format::Json, &recording, &options, Vec::new()).is_err());
}

#[test]
fn curves_may_come_in_any_order_or_be_missing() {
    let text = r#"{"format":"inputanim-json","version":1,"layout":"mrtk-1.1",
        "curves":[
          {"curve":"head.position.z","preWrap":8,"postWrap":8,"kind":"simple","keys":[[0,1e0]]},
          {"keys":[[0,2]],"kind":"simple","postWrap":2,"preWrap":8,"curve":"head.position.x"}],
        "flags":{"gaze":0,"hand":0,"head":1}}"#;
    let head = read(text).unwrap().head.unwrap();
    assert_eq!(head.position[0].keys.point(0), Some((0.0, 2.0)));
    assert_eq!(head.position[0].post_wrap.0, 2);
    assert_eq!(head.position[1], FloatCurve::default());
    assert_eq!(head.position[2].keys.point(0), Some((0.0, 1.0)));
}

/// Returns the error of the text with one part replaced.
fn error_with(from: &str, to: &str) -> JsonError {
    let text = to_text(&head_only());
    assert!(text.contains(from), "{from}");
    format_error(read(&text.replacen(from, to, 1)).unwrap_err())
}

/// Returns the loss of the text with one part replaced.
fn loss_with(from: &str, to: &str) -> String {
    let text = to_text(&head_only());
    assert!(text.contains(from), "{from}");
    let text = text.replacen(from, to, 1);
    let options = ReadOptions::default();
    let (recording, report) =
        inputanim_convert::read(Format::Json, text.as_bytes(), &options).unwrap();
    let curves = recording.head.as_ref().unwrap();
    let curves = curves.position.iter().chain(&curves.rotation);
    let keys = curves.map(|curve| curve.keys.len()).sum::<usize>();
    let markers = recording.markers.len();
    let [loss] = &report.losses[..] else {
        panic!("{from} {to}: {report:?}")
    };
    assert_eq!(loss.kind, LossKind::Damage);
    format!("{keys} keys, {markers} markers; {}", loss.message)
}

#[test]
fn each_part_that_cannot_be_read_costs_itself() {
    let cases = [
        (
            "position.y",
            "position.x",
            "duplicate curve head.position.x",
        ),
        (
            "head.position.x",
            "gaze.origin.x",
            "unexpected curve gaze.origin.x: the flags or the layout exclude its stream",
        ),
        ("head.position.x", "head.position.q", "unknown curve"),
        (
            "simple",
            "boolean",
            "the curve head.position.x cannot be of kind \"boolean\": expected \"simple\" or \"full\"",
        ),
        (
            "[[0.5,0.0]]",
            "[[0.5,0.0],[1]]",
            "the keys of head.position.x cannot be read (line and column are within \"keys\"): invalid length 1, expected an array of length 2 at line 1 column 14",
        ),
        (
            "[[0.5,1.6]]",
            "[[0.5,null]]",
            "the keys of head.position.y cannot be read (line and column are within \"keys\"): ",
        ),
        (
            "\"preWrap\":8",
            "\"preWrap\":\"8\"",
            "a curve cannot be read: invalid type: string \"8\", expected i32",
        ),
        // A misspelt member is not silently ignored.
        (
            "\"preWrap\":8",
            "\"preWarp\":8",
            "a curve cannot be read: unknown field `preWarp`",
        ),
    ];
    for (from, to, expected) in cases {
        let found = loss_with(from, to);
        let expected = format!("6 keys, 1 markers; 1 part that cannot be read: {expected}");
        assert!(found.starts_with(&expected), "{found}\n{expected}");
    }
    let found = loss_with("\"time\":0.5", "\"time\":\"x\"");
    let expected = "7 keys, 0 markers; 1 part that cannot be read: a marker cannot be read: ";
    assert!(found.starts_with(expected), "{found}");
}

#[test]
fn lines_of_a_text_that_is_no_json_cost_themselves() {
    let cases = [
        // A line without its end, a line with a bracket too much, and invalid JSON.
        (
            "[[0.5,1.6]]},",
            "[[0.5,1.6",
            "6 keys, 1 markers; 1 line that cannot be read: ",
        ),
        (
            "[[0.5,1.6]]",
            "[[0.5,1.6]]]",
            "6 keys, 1 markers; 1 line that cannot be read: ",
        ),
        (
            "  ],\n  \"markers\"",
            "  }\n  \"markers\"",
            "7 keys, 1 markers; the members are read line by line: ",
        ),
        (
            "\"curves\"",
            "\"curve\"",
            "7 keys, 1 markers; the members are read line by line: unknown field `curve`",
        ),
    ];
    for (from, to, expected) in cases {
        let found = loss_with(from, to);
        assert!(found.starts_with(expected), "{found}");
        assert!(found.contains(" at line "), "{found}");
    }
    // A text that is cut off keeps the curves before.
    let text = to_text(&head_only());
    let options = ReadOptions::default();
    let first = text.find("{\"curve\"").unwrap();
    let first = first + text[first..].find('\n').unwrap();
    let mut last = 0;
    for end in 0..text.len() {
        let read = inputanim_convert::read(Format::Json, &text.as_bytes()[..end], &options);
        let keys = match &read {
            Ok((recording, report)) => {
                assert!(end + 2 >= text.len() || !report.losses.is_empty(), "{end}");
                recording
                    .curves()
                    .map(|(_, curve)| curve.len())
                    .sum::<usize>()
            }
            Err(_) => 0,
        };
        assert!(
            keys >= last && (keys > 0 || end < first + 1),
            "{end}: {keys} after {last}"
        );
        last = keys;
    }
    assert_eq!(last, 7);
    // Invalid UTF-8 costs its line.
    let mut bytes = text.clone().into_bytes();
    let place = text.find("position.y").unwrap();
    bytes[place] = 0xff;
    let (recording, report) = inputanim_convert::read(Format::Json, &bytes, &options).unwrap();
    assert_eq!(
        recording
            .curves()
            .map(|(_, curve)| curve.len())
            .sum::<usize>(),
        6
    );
    assert_eq!(report.losses.len(), 1);
}

#[test]
fn errors_describe_the_problem() {
    let error = error_with("mrtk-1.1", "mrtk-1.0");
    assert!(matches!(error, JsonError::FlagsUnexpected(Layout::Mrtk1_0)));
    let error = error_with("mrtk-1.1", "documented-1.1");
    assert_eq!(
        error.to_string(),
        "the layout documented-1.1 cannot store 1 marker"
    );
    let error = error_with("mrtk-1.1", "mrtk-9");
    assert!(matches!(error, JsonError::Layout(_)), "{error}");
    let error = error_with("\"version\": 1", "\"version\": 4");
    assert!(matches!(error, JsonError::Format(..)), "{error}");
}
