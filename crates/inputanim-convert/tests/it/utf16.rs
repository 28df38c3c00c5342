//! Text in UTF-16, as Excel and PowerShell's `>` write it.

use inputanim::{Limits, Marker, Recording};
use inputanim_convert::frames::{FrameOptions, Reader};
use inputanim_convert::{Format, ReadOptions, WriteOptions, markers_csv, read, write};

/// Returns a text in UTF-16 with a byte order mark and the line ends of Windows.
fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
    let text = format!("\u{feff}{}", text.replace('\n', "\r\n"));
    text.encode_utf16().flat_map(bytes).collect()
}

fn sample() -> Recording<'static> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../samples/wave.bin");
    let bytes = std::fs::read(path).unwrap();
    let mut recording = Recording::parse(&bytes).unwrap().into_owned();
    recording.markers.push(Marker::new(8.0, "手 🙂"));
    recording
}

#[test]
fn text_in_utf_16_is_read_like_text_in_utf_8() {
    let recording = sample();
    for format in [
        Format::Csv,
        Format::Tsv,
        Format::Ndjson,
        Format::Json,
        Format::Iwer,
    ] {
        let mut text = Vec::new();
        write(format, &recording, &WriteOptions::default(), &mut text).unwrap();
        let options = ReadOptions::default();
        let (expected, _) = read(format, &text, &options).unwrap();
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let text = utf16(str::from_utf8(&text).unwrap(), bytes);
            assert_eq!(Format::detect(&text), Some(format));
            assert_eq!(read(format, &text, &options).unwrap().0, expected);
        }
    }
}

#[test]
fn frames_and_markers_in_utf_16_are_read() {
    let text = utf16("time_s,left.pinching\n0,0\n0.5,1\n", u16::to_le_bytes);
    let mut frames = Reader::new(&text[..], None, &FrameOptions::default()).unwrap();
    assert_eq!(frames.by_ref().map(Result::unwrap).count(), 2);
    let text = utf16("{\"time\":0,\"marker\":\"a\"}\n", u16::to_le_bytes);
    let mut frames = Reader::new(&text[..], None, &FrameOptions::default()).unwrap();
    assert!(frames.next().is_some_and(|event| event.is_ok()));
    let text = utf16("time_s,name\n0.5,手\n", u16::to_le_bytes);
    let markers = markers_csv::read(&text, &Limits::default()).unwrap();
    assert_eq!(markers, [Marker::new(0.5, "手")]);
}
