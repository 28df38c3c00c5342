//! Markers through other formats: what comes back is what went out, or it is said.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use inputanim::{Layout, Marker, Recording};
use inputanim_convert::webvtt::Loss;
use inputanim_convert::{markers_csv, webvtt};
use proptest::prelude::*;

/// Any time, those that a file may hold and no clock shows too.
fn time() -> impl Strategy<Value = f32> {
    prop_oneof![
        2 => any::<u32>().prop_map(f32::from_bits),
        2 => -1.0_f32..100.0,
        4 => (0_u32..10_000_000).prop_map(|milliseconds| (f64::from(milliseconds) / 1e3) as f32),
    ]
}

/// Any text, and more often what the formats use for themselves.
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

fn take(markers: Vec<Marker<'static>>) -> Recording<'static> {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.markers = markers;
    take
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn csv_there_and_back_is_the_identity(markers in markers()) {
        let mut text = Vec::new();
        markers_csv::write(&markers, &mut text)?;
        prop_assert_eq!(markers_csv::read(&text)?, markers);
    }

    #[test]
    fn webvtt_loses_just_what_it_says(markers in markers()) {
        let mut text = Vec::new();
        let losses = webvtt::write(&take(markers.clone()), &mut text)?;
        let (back, lost) = webvtt::read(&text)?;
        prop_assert_eq!(lost, []);
        let has = |is: fn(&Loss) -> bool| losses.iter().any(is);
        let left_out = losses.iter().find_map(|loss| match *loss {
            Loss::LeftOut { markers, .. } => Some(markers),
            _ => None,
        });
        prop_assert_eq!(back.len(), markers.len() - left_out.unwrap_or(0));
        if losses.is_empty() {
            prop_assert_eq!(&back, &markers);
        }
        if left_out.is_none() && !has(|loss| matches!(loss, Loss::Order)) {
            for (back, marker) in back.iter().zip(&markers) {
                if !has(|loss| matches!(loss, Loss::Rounded { .. })) {
                    prop_assert_eq!(back.time.to_bits(), marker.time.to_bits());
                }
                let name = match has(|loss| matches!(loss, Loss::Nul { .. })) {
                    true => marker.name.replace('\0', "\u{fffd}"),
                    false => marker.name.to_string(),
                };
                prop_assert_eq!(&*back.name, name);
            }
        }
    }

    #[test]
    fn no_text_is_too_strange_to_be_read_or_refused(
        parts in prop::collection::vec(name(), 0..12),
        bytes in prop::collection::vec(any::<u8>(), 0..40),
    ) {
        let text = parts.join("\n");
        for head in ["WEBVTT\n", "time_s,name\n"] {
            for text in [text.as_bytes(), &bytes] {
                let text = [head.as_bytes(), text].concat();
                webvtt::read(&text).ok();
                markers_csv::read(&text).ok();
            }
        }
    }
}

/// What editors and recognisers of speech write.
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
        let (markers, losses) = webvtt::read(text.as_bytes()).unwrap();
        let expected = [
            Marker::new(1.0, "We are in New York City"),
            Marker::new(360_000.25, "Tom & Jerry <3\u{a0}👋\nsecond line"),
            Marker::new(3.0, ""),
            Marker::new(5.0, "a < b"),
        ];
        assert_eq!(markers, expected);
        assert_eq!(losses, [Loss::Tags { cues: 1 }]);
    }
}

#[test]
fn what_is_no_webvtt_is_refused_with_its_line() {
    let error = |text: &[u8]| webvtt::read(text).unwrap_err().to_string();
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
    assert_eq!(
        error(b"WEBVTT\r\n\r\n\xff"),
        "line 3: expected text in UTF-8"
    );
}

#[test]
fn markers_of_the_corpus_come_back_from_csv_bit_for_bit() {
    let Some(corpus) = std::env::var_os("INPUTANIM_CORPUS") else {
        println!("skipped: INPUTANIM_CORPUS names no corpus");
        return;
    };
    for name in ["mrtk-1.0-markers.bin", "mrtk-1.1-markers.bin"] {
        let path = std::path::Path::new(&corpus).join("mrtk").join(name);
        let bytes = std::fs::read(path).unwrap();
        let mut take = Recording::parse(&bytes).unwrap();
        assert!(take.markers.len() > 1);
        let mut text = Vec::new();
        markers_csv::write(&take.markers, &mut text).unwrap();
        take.markers = markers_csv::read(&text).unwrap();
        assert!(take.to_bytes(take.layout).unwrap() == bytes, "{name}");
        // Their times are whole milliseconds.
        let mut text = Vec::new();
        assert_eq!(webvtt::write(&take, &mut text).unwrap(), []);
        take.markers = webvtt::read(&text).unwrap().0;
        assert!(take.to_bytes(take.layout).unwrap() == bytes, "{name}");
    }
}
