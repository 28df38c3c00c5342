//! Markers in other formats: they come back unchanged, or the change is reported.

use inputanim::{Layout, Limits, Marker, Recording};
use inputanim_convert::{LossKind, markers_csv, webvtt};
use proptest::prelude::*;

/// Generates any time, including times that a file can store but a clock cannot show.
fn time() -> impl Strategy<Value = f32> {
    prop_oneof![
        2 => any::<u32>().prop_map(f32::from_bits),
        2 => -1.0_f32..100.0,
        4 => (0_u32..10_000_000).prop_map(|milliseconds| (f64::from(milliseconds) / 1e3) as f32),
    ]
}

/// Generates any text, more often with characters that the formats use in their syntax.
fn name() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        any::<String>(),
        any::<char>().prop_map(String::from),
        prop::sample::select(vec![
            "\n",
            "\r",
            "\r\n",
            "\n\n",
            "-->",
            "<b>",
            "</",
            ">",
            "&",
            "&amp;",
            "&#10;",
            "&#1;",
            ";",
            "\"",
            ",",
            "NOTE",
            "WEBVTT",
            "00:01.000 --> 00:02.000",
            " ",
            "\t",
            "\0",
            "\u{feff}",
            "🖐",
        ])
        .prop_map(str::to_owned),
    ];
    prop::collection::vec(part, 0..6).prop_map(|parts| parts.concat())
}

fn markers() -> impl Strategy<Value = Vec<Marker<'static>>> {
    let marker = (time(), name()).prop_map(|(time, name)| Marker::new(time, name));
    prop::collection::vec(marker, 0..6)
}

fn recording_of(markers: Vec<Marker<'static>>) -> Recording<'static> {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.markers = markers;
    recording
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn csv_write_then_read_is_the_identity(markers in markers()) {
        let mut text = Vec::new();
        markers_csv::write(&markers, &mut text)?;
        prop_assert_eq!(markers_csv::read(&text, &Limits::default())?, markers);
    }

    #[test]
    fn webvtt_loses_only_what_it_reports(markers in markers()) {
        let mut text = Vec::new();
        let report = webvtt::write(&recording_of(markers.clone()), &mut text)?;
        let (losses, is_rounded) = (report.losses, !report.notes.is_empty());
        let (back, report) = webvtt::read(&text, &Limits::default())?;
        prop_assert!(report.losses.is_empty());
        let count = |kind| losses.iter().find(|loss| loss.kind == kind).map(|loss| loss.count);
        let dropped = count(LossKind::Markers).unwrap_or(0);
        prop_assert_eq!(back.len() as u64, markers.len() as u64 - dropped);
        let is_sorted = markers.is_sorted_by(|a, b| a.time <= b.time);
        if losses.is_empty() && !is_rounded && is_sorted {
            prop_assert_eq!(&back, &markers);
        }
        if dropped == 0 && is_sorted {
            for (back, marker) in back.iter().zip(&markers) {
                if !is_rounded {
                    prop_assert_eq!(back.time.to_bits(), marker.time.to_bits());
                }
                let name = if count(LossKind::Text).is_some() {
                    marker.name.replace('\0', "\u{fffd}")
                } else {
                    marker.name.to_string()
                };
                prop_assert_eq!(&*back.name, name);
            }
        }
    }

    #[test]
    fn reading_any_text_does_not_panic(
        parts in prop::collection::vec(name(), 0..12),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let text = parts.join("\n");
        for head in ["WEBVTT\n", "time_s,name\n"] {
            for text in [text.as_bytes(), &bytes] {
                let text = [head.as_bytes(), text].concat();
                webvtt::read(&text, &Limits::default()).ok();
                markers_csv::read(&text, &Limits::default()).ok();
            }
        }
    }
}

/// Reads text as editors and speech recognition programs write it.
const REAL: &str = "\u{feff}WEBVTT - Some title\r
Kind: captions\r
X-TIMESTAMP-MAP=LOCAL:00:00:00.000,MPEGTS:900000\r
\r
REGION\r
id:fred\r
width:40%\r
\r
STYLE\r
::cue {\r
  color: red;\r
}\r
\r
NOTE Confidence: 0.83\r
\r
NOTE\r
two lines\r
of a note\r
\r
1\r
00:01.000 --> 00:02.500 align:start position:0%\r
<v Roger Bingham>We are in <c.loud>New</c> York<00:00:02.000> City\r
\r
\r
chapter two\r
100:00:00.250-->100:00:01.000\r
Tom &amp; Jerry &lt;3&nbsp;&#128075;\r
second line\r
\r
00:00:03.000 --> 00:00:04.000\r
00:00:05.000 --> 00:00:06.000\r
a < b";

#[test]
fn webvtt_of_other_programs_is_read() {
    for text in [
        REAL.to_owned(),
        REAL.replace("\r\n", "\n"),
        REAL.replace("\r\n", "\r"),
    ] {
        let (markers, report) = webvtt::read(text.as_bytes(), &Limits::default()).unwrap();
        let expected = [
            Marker::new(1.0, "We are in New York City"),
            Marker::new(360_000.25, "Tom & Jerry <3\u{a0}👋\nsecond line"),
            Marker::new(3.0, ""),
            Marker::new(5.0, "a < b"),
        ];
        assert_eq!(markers, expected);
        assert_eq!(report.losses[0].to_string(), "tags in 1 cue");
    }
}

#[test]
fn invalid_webvtt_is_refused_with_its_line() {
    let error = |text: &[u8]| {
        let read = webvtt::read(text, &Limits::default());
        read.unwrap_err().to_string()
    };
    let cut = REAL.replace("00:00:05.000", "00:00:05,000");
    assert_eq!(
        error(cut.as_bytes()),
        "line 31: expected two times as in 00:01.000 --> 00:02.500, \
         found \"00:00:05,000 --> 00:00:06.000\""
    );
    let subrip = b"1\r\n00:00:01,000 --> 00:00:02,000\r\na\r\n";
    assert_eq!(error(subrip), "line 1: expected WEBVTT, found \"1\"");
    assert_eq!(
        error(b"WEBVTTX"),
        "line 1: expected WEBVTT, found \"WEBVTTX\""
    );
    assert_eq!(error(b""), "line 1: expected WEBVTT, found \"\"");
    assert_eq!(error(b"WEBVTT\r\n\r\n\xff"), "line 3: invalid UTF-8");
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn markers_of_the_corpus_come_back_from_csv_bit_for_bit() {
    for name in ["mrtk-1.0-markers.bin", "mrtk-1.1-markers.bin"] {
        let bytes = inputanim_testkit::corpus::read(&format!("mrtk/{name}"));
        let mut recording = Recording::parse(&bytes).unwrap();
        assert!(recording.markers.len() > 1);
        let mut text = Vec::new();
        markers_csv::write(&recording.markers, &mut text).unwrap();
        recording.markers = markers_csv::read(&text, &Limits::default()).unwrap();
        assert!(recording.to_bytes().unwrap() == bytes, "{name}");
        // Times of WebVTT are multiples of a millisecond.
        let mut text = Vec::new();
        assert!(
            webvtt::write(&recording, &mut text)
                .unwrap()
                .losses
                .is_empty()
        );
        recording.markers = webvtt::read(&text, &Limits::default()).unwrap().0;
        assert!(recording.to_bytes().unwrap() == bytes, "{name}");
    }
}
