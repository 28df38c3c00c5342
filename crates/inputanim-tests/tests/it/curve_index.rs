//! The index of the curves of a file gives the parts of the recording that the parser reads from the complete file.

use std::io::Cursor;

use inputanim::{CurveIndex, CurvePath, Joint, Layout, Limits, Marker, Recording};
use inputanim_testkit::{random, samples};
use proptest::prelude::*;

/// Returns a file with 540 keys of each curve, in a layout.
fn file(layout: Layout) -> Vec<u8> {
    let bytes = samples::read("two-hands.bin");
    let mut recording = Recording::parse(&bytes).unwrap();
    recording.markers.push(Marker::new(2.0, "grip \u{e9}"));
    let mut file = Vec::new();
    recording.write_lossy_as(&mut file, layout).unwrap();
    file
}

fn is_selected(path: CurvePath) -> bool {
    matches!(
        path,
        CurvePath::Joint(_, Joint::Palm, _) | CurvePath::Tracked(_)
    )
}

fn part(bytes: &[u8], limits: &Limits) -> Option<Vec<u8>> {
    let mut file = Cursor::new(bytes);
    let index = CurveIndex::read(&mut file, limits).unwrap()?;
    Some(index.read_part(&mut file, is_selected).unwrap())
}

/// Checks a part of a recording.
fn check(recording: &Recording<'_>, part: &Recording<'_>) {
    assert_eq!(part.layout, recording.layout);
    assert_eq!(part.markers, recording.markers);
    assert_eq!(part.time_range(), recording.time_range());
    for ((path, all), (_, some)) in recording.curves().zip(part.curves()) {
        if is_selected(path) || all.len() <= 2 {
            assert_eq!(some, all, "{path}");
            continue;
        }
        assert_eq!(some.wrap(), all.wrap());
        assert_eq!(some.len(), 2);
        assert_eq!(some.point(0), all.point(0));
        assert_eq!(some.point(1), all.point(all.len() - 1));
    }
}

#[test]
fn selected_curves_are_complete_and_others_have_their_ends() {
    for &layout in Layout::ALL {
        let bytes = file(layout);
        let small = part(&bytes, &Limits::default());
        // The layouts that MRTK writes are certain from the headers.
        let is_mrtk = matches!(layout, Layout::Mrtk1_0 | Layout::Mrtk1_1);
        assert_eq!(small.is_some(), is_mrtk, "{layout}");
        let Some(small) = small else { continue };
        assert!(small.len() * 5 < bytes.len(), "{} bytes", small.len());
        let recording = Recording::parse(&bytes).unwrap();
        check(&recording, &Recording::parse(&small).unwrap());
    }
}

#[test]
fn files_that_need_a_complete_reading_have_no_index() {
    let limits = Limits::default();
    let bytes = file(Layout::Mrtk1_1);
    // The first curve begins after the header of the file and its own.
    let last = Recording::parse(&bytes).unwrap().head.unwrap().position[0]
        .keys
        .len()
        - 1;
    for index in [0, last] {
        let key = 19 + 12 + 8 * index;
        let mut changed = bytes.clone();
        changed[key..key + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(part(&changed, &limits), None, "key {index}");
    }
    let mut unknown = bytes.clone();
    unknown[19] = 3;
    assert_eq!(part(&unknown, &limits), None);
    let mut longer = bytes.clone();
    longer.push(0);
    assert_eq!(part(&longer, &limits), None);
    for size in (0..bytes.len()).step_by(99_991).chain(0..40) {
        assert_eq!(part(&bytes[..size], &limits), None, "{size} bytes");
    }
    let mut few = Limits::default();
    few.max_keys = 1000;
    assert_eq!(part(&bytes, &few), None);
    let mut small = Limits::default();
    small.max_bytes = bytes.len() as u64 - 1;
    assert_eq!(part(&bytes, &small), None);
}

proptest! {
    #[test]
    fn any_recording_with_an_index_is_parsed_alike(recording in random::recording(), cut in 0usize..2000) {
        let mut bytes = Vec::new();
        if recording.write(&mut bytes).is_ok() {
            // Half of the files are damaged.
            bytes.truncate(bytes.len() - if cut < 1000 { 0 } else { cut.min(bytes.len()) });
            if let Some(part) = part(&bytes, &Limits::default()) {
                let complete = Recording::parse(&bytes).expect("it has an index");
                check(&complete, &Recording::parse(&part).expect("a part of a file"));
            }
        }
    }
}
