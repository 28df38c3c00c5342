//! Bytes that are no well-formed recording: each gets an error that says where and what, and
//! what is whole can be recovered.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use inputanim::{
    CurvePath, Flags, Joint, Layout, Limits, Lost, Marker, ParseErrorKind as K, Part, Pose,
    PoseChannel, Recording, Side, Version, session,
};

/// A take with something in every stream.
fn take(layout: Layout) -> Recording<'static> {
    let all = Flags {
        camera: true,
        hand: true,
        gaze: layout.has_flags(),
    };
    let mut take = Recording::with_streams(layout, all);
    for step in 0..4 {
        let time = step as f32 * 0.25;
        take.camera_mut().push(time, &Pose::at([0.0, 1.6, time]));
        let left = &mut take.hands_mut().left;
        left.tracked.push(time, step % 2 == 0);
        for joint in Joint::ALL {
            left.joints[joint].push(time, &Pose::at([time, 1.0, 0.3]));
        }
    }
    if layout.has_markers() {
        take.markers = vec![Marker::new(0.5, "start"), Marker::new(0.75, "Übung")];
    }
    take
}

fn bytes(layout: Layout) -> Vec<u8> {
    take(layout).to_bytes(layout).unwrap()
}

fn kind(bytes: &[u8]) -> K {
    Recording::parse(bytes).unwrap_err().kind()
}

#[test]
fn an_empty_file_says_that_it_is_empty() {
    let error = Recording::parse(b"").unwrap_err();
    assert_eq!(error.kind(), K::Empty);
    assert!(error.hint().contains("nothing was recorded"));
    assert!(Recording::recover(b"").is_err());
}

#[test]
fn other_files_are_not_input_animations() {
    let png = b"\x89PNG\r\n\x1a\n and more";
    assert!(matches!(kind(png), K::NotInputAnimation { .. }));
    assert!(matches!(kind(b"GIF"), K::NotInputAnimation { .. }));
    let text = Recording::parse(png).unwrap_err().to_string();
    assert!(text.contains("89 50 4e 47"), "{text}");
}

#[test]
fn a_session_is_no_recording_yet() {
    let settings = session::Settings::new(Layout::Mrtk1_1);
    let mut bytes = session::Writer::new(Vec::new(), settings)
        .and_then(session::Writer::finish)
        .unwrap();
    let error = Recording::parse(&bytes).unwrap_err();
    assert_eq!(error.kind(), K::Session);
    assert!(error.hint().contains("`recover`"));
    assert!(!error.is_recoverable());
    bytes[0] = 0;
    assert_eq!(kind(&bytes), K::Session, "its first block tells");
}

#[test]
fn a_header_that_is_cut_is_a_cut_file_and_not_another_format() {
    let whole = bytes(Layout::Mrtk1_1);
    for length in 1..16 {
        assert!(
            matches!(kind(&whole[..length]), K::EndOfFile { .. }),
            "{length}"
        );
    }
    for length in 16..19 {
        let error = Recording::parse(&whole[..length]).unwrap_err();
        assert_eq!(error.part(), Part::Flags);
        assert!(Recording::recover(&whole[..length]).is_err());
    }
}

#[test]
fn versions_that_are_not_known_are_refused_by_number() {
    let with = |major: i32, minor: i32| {
        let mut bytes = bytes(Layout::Mrtk1_1);
        bytes[8..12].copy_from_slice(&major.to_le_bytes());
        bytes[12..16].copy_from_slice(&minor.to_le_bytes());
        kind(&bytes)
    };
    let version = |major, minor| Version { major, minor };
    assert_eq!(with(1, 2), K::NewerVersion(version(1, 2)));
    assert_eq!(with(2, 0), K::NewerVersion(version(2, 0)));
    assert_eq!(with(0, 9), K::UnknownVersion(version(0, 9)));
    assert_eq!(with(1, -1), K::UnknownVersion(version(1, -1)));
}

#[test]
fn the_text_dialect_is_named() {
    for text in [
        "7678548776933278406\n1\n1\n",
        "\u{feff}7678548776933278406\r\n",
    ] {
        assert_eq!(kind(text.as_bytes()), K::TextDialect);
    }
}

/// A file of the dialect with ten curves a pose.
fn ten_curves(objects: i32) -> Vec<u8> {
    let mut bytes = bytes(Layout::Mrtk1_1)[..16].to_vec();
    bytes.extend([1, 1, 1]);
    let curve = |bytes: &mut Vec<u8>| {
        for field in [8_i32, 8, 1] {
            bytes.extend(field.to_le_bytes());
        }
        bytes.extend([0; 8]);
    };
    (0..10 + 4 + 540 + 10).for_each(|_| curve(&mut bytes));
    bytes.extend(objects.to_le_bytes());
    for _ in 0..objects {
        bytes.extend(b"\x04cube");
        (0..10).for_each(|_| curve(&mut bytes));
    }
    bytes.extend(0_i32.to_le_bytes());
    bytes
}

#[test]
fn the_ten_curve_dialect_is_named_even_when_it_is_cut() {
    for objects in [0, 3] {
        assert_eq!(kind(&ten_curves(objects)), K::TenCurveDialect);
    }
    let whole = ten_curves(3);
    let after_our_curves = 19 + 400 * 20;
    for length in [after_our_curves, whole.len() - 50] {
        assert_eq!(kind(&whole[..length]), K::TenCurveDialect, "{length}");
    }
}

#[test]
fn zeros_after_a_file_are_trailing_bytes_and_not_another_dialect() {
    for layout in [Layout::Mrtk1_0, Layout::Mrtk1_1, Layout::FullWithMarkers1_1] {
        let mut padded = bytes(layout);
        let end = padded.len() as u64;
        padded.extend([0; 512]);
        let error = Recording::parse(&padded).unwrap_err();
        assert_eq!(error.kind(), K::TrailingBytes { extra: 512 });
        assert_eq!(error.offset(), end);
        assert_eq!(error.layout(), Some(layout));
        let recovery = Recording::recover(&padded).unwrap();
        assert_eq!(recovery.recording, take(layout));
        assert_eq!(recovery.missing, []);
        assert_eq!(recovery.unread, end..end + 512);
    }
}

#[test]
fn zeros_inside_a_file_are_a_part_that_was_never_written() {
    for layout in [Layout::Mrtk1_0, Layout::Mrtk1_1] {
        let whole = bytes(layout);
        let half = whole.len() / 2;
        let mut holed = whole.clone();
        holed[half..].fill(0);
        let error = Recording::parse(&holed).unwrap_err();
        let remaining = holed.len() as u64 - error.offset();
        assert_eq!(error.kind(), K::Zeros { remaining });
        let path = error.path().unwrap();
        assert!(path.to_string().starts_with("left."), "{error}");

        let recovery = Recording::recover(&holed).unwrap();
        assert_eq!(recovery.missing[0].part, Part::Curve(path));
        assert_eq!(recovery.missing[0].lost, Lost::NotReached);
        let last = recovery.missing.last().unwrap();
        assert_eq!(last.part, Part::MarkerList);
        assert_eq!(recovery.unread, error.offset()..holed.len() as u64);
        // What is before the hole is as it was, and what is in it as if it had been cut off.
        let cut = Recording::recover(&whole[..error.offset() as usize]).unwrap();
        let curves = recovery.recording.curves().zip(cut.recording.curves());
        let same = curves.filter(|(holed, cut)| holed == cut).count();
        assert!(same + 1 >= recovery.recording.curves().count(), "{same}");
    }
}

#[test]
fn a_cut_curve_is_named_with_its_byte_and_what_was_expected() {
    let whole = bytes(Layout::Mrtk1_1);
    // Flags end at 19; each camera curve takes 12 + 4 * 8 bytes.
    let second_curve = 19 + 44;
    let cut = &whole[..second_curve + 12 + 20];
    let error = Recording::parse(cut).unwrap_err();
    assert_eq!(
        error.to_string(),
        "camera.position.y at byte 63: expected 4 simple keys (32 bytes), found 20 bytes to the end of the file (read as mrtk-1.1)"
    );
    assert_eq!(
        error.path(),
        Some(CurvePath::Camera(PoseChannel::PositionY))
    );
    assert_eq!(
        error.hint(),
        "`recover` keeps the one whole curve before this"
    );
    assert_eq!(error.also_tried().len(), 1);
    assert_eq!(error.also_tried()[0].layout, Layout::Documented1_1);

    let recovery = Recording::recover(cut).unwrap();
    let camera = recovery.recording.camera.as_ref().unwrap();
    assert_eq!(camera.position[0].keys.len(), 4);
    assert!(camera.position[1].keys.is_empty());
    let lost = Lost::KeysCut {
        declared: 4,
        whole: 2,
    };
    assert_eq!(recovery.missing[0].lost, lost);
    // 394 curves and the marker list.
    assert_eq!(recovery.missing.len(), 395);
    assert_eq!(recovery.missing[394].part, Part::MarkerList);
}

#[test]
fn a_count_below_zero_is_named() {
    let mut damaged = bytes(Layout::Mrtk1_0);
    damaged[16 + 8..16 + 12].copy_from_slice(&(-1_i32).to_le_bytes());
    let error = Recording::parse(&damaged).unwrap_err();
    assert_eq!(error.kind(), K::NegativeCount { count: -1 });
    assert_eq!(error.offset(), 16);
    assert!(error.hint().ends_with("nothing to recover"));
    assert_eq!(Recording::recover(&damaged), Err(error));
}

#[test]
fn an_absurd_count_allocates_nothing() {
    let mut damaged = bytes(Layout::Mrtk1_1);
    damaged[19 + 8..19 + 12].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(matches!(kind(&damaged), K::KeysBeyondEnd { .. }));

    let mut damaged = bytes(Layout::Mrtk1_1);
    let list = damaged.len()
        - take(Layout::Mrtk1_1)
            .markers
            .iter()
            .map(|m| m.encoded_len() as usize)
            .sum::<usize>()
        - 4;
    damaged[list..list + 4].copy_from_slice(&1_000_000_i32.to_le_bytes());
    assert!(matches!(kind(&damaged), K::MarkersBeyondEnd { .. }));
    let recovery = Recording::recover(&damaged).unwrap();
    assert_eq!(recovery.recording.markers.len(), 2);

    // Above the limit too: it bounds what is there, not what is claimed.
    damaged[list..list + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(matches!(kind(&damaged), K::MarkersBeyondEnd { .. }));
    assert!(Recording::recover(&damaged).is_ok());
}

#[test]
fn a_cut_marker_list_keeps_its_whole_markers() {
    let whole = bytes(Layout::Mrtk1_1);
    let cut = &whole[..whole.len() - 1];
    let error = Recording::parse(cut).unwrap_err();
    assert_eq!(error.part(), Part::Marker(1));
    let recovery = Recording::recover(cut).unwrap();
    assert_eq!(
        recovery.recording.markers,
        take(Layout::Mrtk1_1).markers[..1]
    );
    assert_eq!(
        recovery.missing[0].to_string(),
        "marker list: 1 of 2 markers kept"
    );
}

#[test]
fn names_that_dotnet_reads_but_never_writes_are_left_to_recovery() {
    let start = bytes(Layout::Mrtk1_1);
    let list = start.len() - (4 + 4 + 6 + 4 + 7);
    let with_name = |name: &[u8]| {
        let mut bytes = start[..list].to_vec();
        bytes.extend(1_i32.to_le_bytes());
        bytes.extend(0.5_f32.to_le_bytes());
        bytes.extend(name);
        bytes
    };
    let latin = with_name(b"\x05\xdcbung");
    assert_eq!(kind(&latin), K::NameNotUtf8);
    let recovery = Recording::recover(&latin).unwrap();
    assert_eq!(recovery.recording.markers[0].name, "\u{fffd}bung");
    assert_eq!(recovery.missing[0].lost, Lost::NameReplaced);

    let long_form = with_name(b"\x85\x00start");
    assert_eq!(kind(&long_form), K::NameLength);
    let recovery = Recording::recover(&long_form).unwrap();
    assert_eq!(recovery.recording.markers[0].name, "start");
    assert_eq!(recovery.missing[0].lost, Lost::LengthForm);

    let too_long = with_name(b"\xff\xff\xff\xff\x0f");
    assert_eq!(kind(&too_long), K::NameLength);
    assert!(
        Recording::recover(&too_long)
            .unwrap()
            .recording
            .markers
            .is_empty()
    );
}

#[test]
fn limits_bound_bytes_keys_and_markers() {
    let whole = bytes(Layout::Mrtk1_1);
    let with = |limits: Limits| Recording::parse_with(&whole, &limits).map_err(|e| e.kind());
    let default = Limits::default();
    let keys: u64 = take(Layout::Mrtk1_1)
        .curves()
        .map(|(_, curve)| curve.len() as u64)
        .sum();
    let exact = Limits {
        max_bytes: whole.len() as u64,
        max_keys: keys,
        max_markers: 2,
    };
    assert!(with(exact).is_ok());
    let limit = exact.max_bytes - 1;
    let limits = Limits {
        max_bytes: limit,
        ..default
    };
    assert_eq!(with(limits), Err(K::TooManyBytes { limit }));
    let limit = keys - 1;
    let limits = Limits {
        max_keys: limit,
        ..default
    };
    assert_eq!(with(limits), Err(K::TooManyKeys { limit }));
    let limits = Limits {
        max_markers: 1,
        ..default
    };
    assert_eq!(with(limits), Err(K::TooManyMarkers { limit: 1 }));
    assert!(Recording::recover_with(&whole, &limits).is_err());
}

#[test]
fn a_stream_is_read_to_its_limit_and_no_further() {
    let whole = bytes(Layout::Mrtk1_1);
    let read = Recording::read(&whole[..], &Limits::default()).unwrap();
    assert_eq!(read, take(Layout::Mrtk1_1));
    let limits = Limits {
        max_bytes: 100,
        ..Limits::default()
    };
    let endless = std::io::repeat(0);
    assert_eq!(inputanim::read_bytes(endless, &limits).unwrap().len(), 101);
    assert!(Recording::read(&whole[..], &limits).is_err());
}

#[test]
fn of_two_layouts_that_fit_the_one_with_sound_names_is_it() {
    // Found by fuzzing: what is recovered of this fits, by an accident of its numbers, another
    // layout too, with names that are no UTF-8.
    let found = include_bytes!("../../../fuzz/corpus/recover/names-that-fit-two-layouts");
    let recovery = Recording::recover(found).unwrap();
    assert_eq!(recovery.recording.layout, Layout::FullWithMarkers1_1);
    let written = recovery
        .recording
        .to_bytes(Layout::FullWithMarkers1_1)
        .unwrap();
    assert_eq!(Recording::parse(&written), Ok(recovery.recording));
}

#[test]
fn paths_in_errors_reach_the_last_joint() {
    let whole = bytes(Layout::Documented1_0);
    let error = Recording::parse(&whole[..whole.len() - 1]).unwrap_err();
    let last = CurvePath::Joint(Side::Right, Joint::PinkyTip, PoseChannel::RotationW);
    assert_eq!(error.path(), Some(last));
    assert_eq!(error.layout(), Some(Layout::Mrtk1_0));
}
