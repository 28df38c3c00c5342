//! Files that are not well formed: each gives an error with place and cause, and the intact parts can be
//! recovered.

use inputanim::{
    CurvePath, FilePart, Flags, Joint, Layout, Limits, Marker, ParseErrorKind as K, PartDamage,
    Pose, PoseChannel, Recording, Side, Version, session,
};

/// Returns a recording with keys in every stream.
fn example(layout: Layout) -> Recording<'static> {
    let all = Flags {
        head: true,
        hand: true,
        gaze: layout.has_flags(),
    };
    let mut recording = Recording::with_streams(layout, all);
    for step in 0..4 {
        let time = step as f32 * 0.25;
        recording.head_mut().push(time, &Pose::at([0.0, 1.6, time]));
        let left = &mut recording.hands_mut().left;
        left.tracked.push(time, step % 2 == 0);
        for joint in Joint::ALL {
            left.joints[joint].push(time, &Pose::at([time, 1.0, 0.3]));
        }
    }
    if layout.has_markers() {
        recording.markers = vec![Marker::new(0.5, "start"), Marker::new(0.75, "Übung")];
    }
    recording
}

fn bytes(layout: Layout) -> Vec<u8> {
    example(layout).to_bytes_as(layout).unwrap()
}

fn kind(bytes: &[u8]) -> K {
    Recording::parse(bytes).unwrap_err().kind()
}

#[test]
fn an_empty_file_is_reported_as_empty() {
    let error = Recording::parse(b"").unwrap_err();
    assert_eq!(error.kind(), K::Empty);
    assert!(Recording::recover(b"").is_err());
}

#[test]
fn other_files_are_not_input_animations() {
    let png = b"\x89PNG\r\n\x1a\n and more";
    assert!(matches!(kind(png), K::NotInputAnimation { .. }));
    assert!(matches!(kind(b"GIF"), K::NotInputAnimation { .. }));
    let text = Recording::parse(png).unwrap_err().to_string();
    assert!(text.contains("89 50 4e 47"), "{text}");
    let text = Recording::parse(b"GIF").unwrap_err().to_string();
    assert!(text.ends_with("begins with 47 49 46"), "{text}");
}

#[test]
fn a_session_is_not_parsed_as_a_recording() {
    let settings = session::SessionOptions::new(Layout::Mrtk1_1);
    let mut bytes = session::SessionWriter::new(Vec::new(), settings)
        .and_then(session::SessionWriter::finish)
        .unwrap();
    let error = Recording::parse(&bytes).unwrap_err();
    assert_eq!(error.kind(), K::Session);
    assert!(!error.is_recoverable());
    bytes[0] = 0;
    assert_eq!(kind(&bytes), K::Session, "its first block is detected");
}

#[test]
fn a_truncated_header_is_not_taken_for_another_format() {
    let intact = bytes(Layout::Mrtk1_1);
    for length in 1..16 {
        assert!(
            matches!(kind(&intact[..length]), K::EndOfFile { .. }),
            "{length}"
        );
    }
    for length in 16..19 {
        let error = Recording::parse(&intact[..length]).unwrap_err();
        assert_eq!(error.part(), FilePart::Flags);
        assert!(Recording::recover(&intact[..length]).is_err());
    }
}

#[test]
fn unknown_versions_are_refused_by_number() {
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

/// Returns a file of the dialect with ten curves for each pose.
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
fn the_ten_curve_dialect_is_named_even_if_truncated() {
    for objects in [0, 3] {
        assert_eq!(kind(&ten_curves(objects)), K::TenCurveDialect);
    }
    let intact = ten_curves(3);
    // More than the 395 curves of MRTK's layouts.
    let after_mrtk_curves = 19 + 400 * 20;
    for length in [after_mrtk_curves, intact.len() - 50] {
        assert_eq!(kind(&intact[..length]), K::TenCurveDialect, "{length}");
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
        assert_eq!(recovery.recording, example(layout));
        assert_eq!(recovery.damaged, []);
        assert_eq!(recovery.unread, end..end + 512);
    }
}

#[test]
fn zeros_inside_a_file_are_reported_as_unwritten() {
    for layout in [Layout::Mrtk1_0, Layout::Mrtk1_1] {
        let intact = bytes(layout);
        let half = intact.len() / 2;
        let mut damaged = intact.clone();
        damaged[half..].fill(0);
        let error = Recording::parse(&damaged).unwrap_err();
        let remaining = damaged.len() as u64 - error.offset();
        assert_eq!(error.kind(), K::Zeros { remaining });
        let path = error.path().unwrap();
        assert!(path.to_string().starts_with("left."), "{error}");

        let recovery = Recording::recover(&damaged).unwrap();
        assert_eq!(recovery.damaged[0].part, FilePart::Curve(path));
        assert_eq!(recovery.damaged[0].damage, PartDamage::NotReached);
        let last = recovery.damaged.last().unwrap();
        assert_eq!(last.part, FilePart::MarkerList);
        assert_eq!(recovery.unread, error.offset()..damaged.len() as u64);
        // The zeros have the same effect as a cut at their start.
        let cut = Recording::recover(&intact[..error.offset() as usize]).unwrap();
        let curves = recovery.recording.curves().zip(cut.recording.curves());
        let same = curves.filter(|(damaged, cut)| damaged == cut).count();
        assert!(same + 1 >= recovery.recording.curves().count(), "{same}");
    }
}

#[test]
fn a_truncated_curve_is_named_with_its_offset() {
    let intact = bytes(Layout::Mrtk1_1);
    // Flags end at 19; each head curve has 12 + 4 * 8 bytes.
    let second_curve = 19 + 44;
    let cut = &intact[..second_curve + 12 + 20];
    let error = Recording::parse(cut).unwrap_err();
    assert_eq!(
        error.to_string(),
        "head.position.y at byte 63: expected 4 simple keys (32 bytes), found 20 bytes to the end of the file (read as mrtk-1.1)"
    );
    assert_eq!(error.path(), Some(CurvePath::Head(PoseChannel::PositionY)));
    assert!(error.is_recoverable());
    assert_eq!(error.intact_curves(), 1);
    assert_eq!(error.also_tried().len(), 1);
    assert_eq!(error.also_tried()[0].layout, Layout::Documented1_1);

    let recovery = Recording::recover(cut).unwrap();
    let head = recovery.recording.head.as_ref().unwrap();
    assert_eq!(head.position[0].keys.len(), 4);
    assert!(head.position[1].keys.is_empty());
    let lost = PartDamage::KeysCut {
        declared: 4,
        intact: 2,
    };
    assert_eq!(recovery.damaged[0].damage, lost);
    // The other 394 curves and the marker list.
    assert_eq!(recovery.damaged.len(), 395);
    assert_eq!(recovery.damaged[394].part, FilePart::MarkerList);
}

#[test]
fn a_negative_count_is_reported() {
    let mut damaged = bytes(Layout::Mrtk1_0);
    damaged[16 + 8..16 + 12].copy_from_slice(&(-1_i32).to_le_bytes());
    let error = Recording::parse(&damaged).unwrap_err();
    assert_eq!(error.kind(), K::NegativeCount { count: -1 });
    assert_eq!(error.offset(), 16);
    assert!(!error.is_recoverable());
    assert_eq!(Recording::recover(&damaged), Err(error));
}

#[test]
fn a_huge_count_allocates_nothing() {
    let mut damaged = bytes(Layout::Mrtk1_1);
    damaged[19 + 8..19 + 12].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(matches!(kind(&damaged), K::KeysBeyondEnd { .. }));

    let mut damaged = bytes(Layout::Mrtk1_1);
    let list = damaged.len()
        - example(Layout::Mrtk1_1)
            .markers
            .iter()
            .map(|m| m.encoded_len() as usize)
            .sum::<usize>()
        - 4;
    damaged[list..list + 4].copy_from_slice(&1_000_000_i32.to_le_bytes());
    assert!(matches!(kind(&damaged), K::MarkersBeyondEnd { .. }));
    let recovery = Recording::recover(&damaged).unwrap();
    assert_eq!(recovery.recording.markers.len(), 2);

    // A count above the limit gives the same error, because the limit applies to markers that are read.
    damaged[list..list + 4].copy_from_slice(&i32::MAX.to_le_bytes());
    assert!(matches!(kind(&damaged), K::MarkersBeyondEnd { .. }));
    assert!(Recording::recover(&damaged).is_ok());
}

#[test]
fn a_truncated_marker_list_keeps_its_intact_markers() {
    let intact = bytes(Layout::Mrtk1_1);
    let cut = &intact[..intact.len() - 1];
    let error = Recording::parse(cut).unwrap_err();
    assert_eq!(error.part(), FilePart::Marker(1));
    let recovery = Recording::recover(cut).unwrap();
    assert_eq!(
        recovery.recording.markers,
        example(Layout::Mrtk1_1).markers[..1]
    );
    assert_eq!(
        recovery.damaged[0].to_string(),
        "marker list: 1 of 2 markers kept"
    );
}

#[test]
fn unusual_names_are_refused_and_recovered() {
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
    assert_eq!(recovery.damaged[0].damage, PartDamage::NameReplaced);

    let long_form = with_name(b"\x85\x00start");
    assert_eq!(kind(&long_form), K::NameLength);
    let recovery = Recording::recover(&long_form).unwrap();
    assert_eq!(recovery.recording.markers[0].name, "start");
    assert_eq!(recovery.damaged[0].damage, PartDamage::LengthForm);

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
    let intact = bytes(Layout::Mrtk1_1);
    let with = |limits: Limits| Recording::parse_with(&intact, &limits).map_err(|e| e.kind());
    let default = Limits::default();
    let keys: u64 = example(Layout::Mrtk1_1)
        .curves()
        .map(|(_, curve)| curve.len() as u64)
        .sum();
    let mut exact = Limits::default();
    exact.max_bytes = intact.len() as u64;
    exact.max_keys = keys;
    exact.max_markers = 2;
    assert!(with(exact).is_ok());
    let limit = exact.max_bytes - 1;
    let mut limits = default;
    limits.max_bytes = limit;
    assert_eq!(with(limits), Err(K::TooManyBytes { limit }));
    let limit = keys - 1;
    let mut limits = default;
    limits.max_keys = limit;
    assert_eq!(with(limits), Err(K::TooManyKeys { limit }));
    let mut limits = default;
    limits.max_markers = 1;
    assert_eq!(with(limits), Err(K::TooManyMarkers { limit: 1 }));
    assert!(Recording::recover_with(&intact, &limits).is_err());
}

#[test]
fn a_reader_is_read_up_to_the_limit() {
    let intact = bytes(Layout::Mrtk1_1);
    let read = Recording::read(&intact[..], &Limits::default()).unwrap();
    assert_eq!(read, example(Layout::Mrtk1_1));
    let mut limits = Limits::default();
    limits.max_bytes = 100;
    let endless = std::io::repeat(0);
    assert_eq!(inputanim::read_bytes(endless, &limits).unwrap().len(), 101);
    assert!(Recording::read(&intact[..], &limits).is_err());
}

#[test]
fn a_layout_with_valid_marker_names_is_preferred() {
    // Found by fuzzing: the recovered recording also fits another layout, but then its marker names are
    // not UTF-8.
    let found = include_bytes!("../../../../fuzz/corpus/recover/names-that-fit-two-layouts");
    let recovery = Recording::recover(found).unwrap();
    assert_eq!(recovery.recording.layout, Layout::FullWithMarkers1_1);
    let written = recovery
        .recording
        .to_bytes_as(Layout::FullWithMarkers1_1)
        .unwrap();
    assert_eq!(Recording::parse(&written), Ok(recovery.recording));
}

#[test]
fn paths_in_errors_reach_the_last_joint() {
    let intact = bytes(Layout::Documented1_0);
    let error = Recording::parse(&intact[..intact.len() - 1]).unwrap_err();
    let last = CurvePath::Joint(Side::Right, Joint::PinkyTip, PoseChannel::RotationW);
    assert_eq!(error.path(), Some(last));
    assert_eq!(error.layout(), Some(Layout::Mrtk1_0));
}
