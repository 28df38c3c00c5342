//! Texts about recordings: formats that hold them keep them exactly, and a note names those that are not written.

use std::collections::BTreeMap;

use inputanim::{About, Layout, Recording};
use inputanim_convert::motion_bids::{self, Entities, RecordingFile};
use inputanim_convert::{
    Format, NoteKind, ReadOptions, TableShape, WriteOptions, read, write_bytes,
};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;

fn described(about: About) -> Recording<'static> {
    let mut recording = Motion::new(Scene::TwoHands, 1, 0.5).record(30.0, Layout::Mrtk1_1);
    recording.about = about;
    recording
}

/// Returns the options under which a format is tested.
fn options_of(format: Format) -> Vec<WriteOptions> {
    let shapes: &[TableShape] = if format.is_table() {
        &[TableShape::Wide, TableShape::Keys]
    } else {
        &[TableShape::Wide]
    };
    let options = shapes.iter().map(|&shape| {
        let mut options = WriteOptions::default();
        options.shape = shape;
        options
    });
    options.collect()
}

/// Texts of any letters, except those that XML and USD cannot hold.
fn texts() -> impl Strategy<Value = About> {
    let letters = "[^\\p{Cc}\\u{fffe}\\u{ffff}]{1,12}";
    let names = prop_oneof![
        proptest::sample::select(&About::NAMES[..]).prop_map(str::to_owned),
        letters,
    ];
    proptest::collection::vec((names, letters), 0..6).prop_map(|texts| texts.into_iter().collect())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(8))]

    #[test]
    fn formats_that_hold_texts_keep_them(about in texts()) {
        let recording = described(about.clone());
        for &format in Format::ALL {
            if !format.can_write() || format.is_dataset() {
                continue;
            }
            for options in options_of(format) {
                let (bytes, report) = write_bytes(format, &recording, &options).unwrap();
                let notes: Vec<&str> = report.notes.iter().map(|note| &*note.message).collect();
                let is_named = notes.iter().any(|note| note.contains("about the recording not written"));
                prop_assert_eq!(is_named, !format.lost_texts(&about).is_empty(), "{} {:?}", format, notes);
                if format.holds_text("any") && format.can_read() {
                    let (again, _) = read(format, &bytes, &ReadOptions::default()).unwrap();
                    prop_assert_eq!(&again.about, &about, "{} {:?}", format, options.shape);
                } else if !format.holds_text("any") && format.can_read() {
                    let (again, _) = read(format, &bytes, &ReadOptions::default()).unwrap();
                    let stated: Vec<_> = again.about.iter().collect();
                    prop_assert!(stated.is_empty(), "{} {:?}", format, stated);
                }
            }
        }
    }
}

#[test]
fn no_output_states_a_device_or_program_that_the_recording_does_not() {
    let recording = described(About::NONE);
    for &format in Format::ALL {
        if !format.can_write() || format.is_dataset() {
            continue;
        }
        let (bytes, _) = write_bytes(format, &recording, &WriteOptions::default()).unwrap();
        let text = String::from_utf8_lossy(&bytes);
        for claim in ["MRTK", "HoloLens", "Mixed Reality", "manufacturer"] {
            assert!(!text.contains(claim), "{format}: {claim}");
        }
        if format.can_read() {
            let (again, _) = read(format, &bytes, &ReadOptions::default()).unwrap();
            assert_eq!(again.about, About::NONE, "{format}");
        }
    }
}

#[test]
fn a_note_names_the_texts_that_are_not_written() {
    let about: About = [("task", "pick"), ("user", "P1"), ("format", "xdf")]
        .into_iter()
        .collect();
    let recording = described(about);
    let (_, report) = write_bytes(Format::Bin, &recording, &WriteOptions::default()).unwrap();
    let notes: Vec<_> = report
        .notes
        .iter()
        .map(|note| (note.kind, &*note.message))
        .collect();
    let expected = "2 texts about the recording not written: task, user";
    assert_eq!(notes, [(NoteKind::NotInFormat, expected)]);
    assert!(report.losses.is_empty());
}

#[test]
fn motion_bids_states_what_the_recording_does() {
    let description = |about: About| -> BTreeMap<String, serde_json::Value> {
        let entities = Entities::from_path("p01/reach.bin").unwrap();
        let mut bytes = Vec::new();
        let options = WriteOptions::default();
        let file = RecordingFile::MotionJson;
        motion_bids::write(file, &described(about), &entities, &options, &mut bytes).unwrap();
        serde_json::from_slice(&bytes).unwrap()
    };
    let bare = description(About::NONE);
    assert_eq!(bare["TrackingSystemName"], "unknown");
    assert_eq!(bare["SoftwareVersions"], "n/a");
    for name in ["TaskDescription", "ManufacturersModelName"] {
        assert!(!bare.contains_key(name), "{name}");
    }
    let stated = description(
        [
            ("task", "Reach for the cup."),
            ("device", "Quest 3"),
            ("system", "OptiTrack"),
            ("program", "Motive 3.1"),
        ]
        .into_iter()
        .collect(),
    );
    assert_eq!(stated["TaskName"], "reach");
    assert_eq!(stated["TaskDescription"], "Reach for the cup.");
    assert_eq!(stated["ManufacturersModelName"], "Quest 3");
    assert_eq!(stated["TrackingSystemName"], "OptiTrack");
    assert_eq!(stated["SoftwareVersions"], "Motive 3.1");
}
