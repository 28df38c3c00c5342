//! MCAP of other programs: frame transforms become a recording.

use std::collections::BTreeMap;
use std::io::Cursor;

use ::mcap::records::{MessageHeader, Metadata};
use ::mcap::{Attachment, Compression, WriteOptions};
use foxglove::Encode;
use foxglove::messages::{FrameTransform, FrameTransforms, Log, Quaternion, Timestamp, Vector3};
use inputanim::{Joint, Sampler};
use inputanim_convert::mcap::{self, McapError};
use inputanim_convert::{Error, LossKind, WriteOptions as ConvertOptions};
use prost::Message;

use crate::mcap_files::{read, read_with, write};

/// The parent, the child, and the position of the child.
type Transform<'a> = (&'a str, &'a str, [f64; 3]);

/// Writes a file as another program does: each time has its own messages of transforms.
fn foreign(frames: &[(u64, &[Transform<'_>])], encoding: &str) -> Vec<u8> {
    let options = WriteOptions::new().library("");
    foreign_with(frames, encoding, options, &[], None)
}

/// Writes a file as [`foreign`], with metadata records and an attachment.
fn foreign_with(
    frames: &[(u64, &[Transform<'_>])],
    encoding: &str,
    options: WriteOptions,
    metadata: &[Metadata],
    attachment: Option<Attachment<'_>>,
) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let options = options.compression(Some(Compression::Lz4));
    let mut writer = options.create(&mut file).unwrap();
    for metadata in metadata {
        writer.write_metadata(metadata).unwrap();
    }
    if let Some(attachment) = attachment {
        writer.attach(&attachment).unwrap();
    }
    let schema = FrameTransforms::get_schema().unwrap();
    let schema = writer
        .add_schema(&schema.name, &schema.encoding, &schema.data)
        .unwrap();
    let channel_id = writer
        .add_channel(schema, "/tracker/tf", encoding, &BTreeMap::new())
        .unwrap();
    for (time, transforms) in frames {
        for &(parent, child, [x, y, z]) in *transforms {
            let message = FrameTransforms {
                transforms: vec![FrameTransform {
                    parent_frame_id: parent.to_owned(),
                    child_frame_id: child.to_owned(),
                    translation: Some(Vector3 { x, y, z }),
                    rotation: Some(Quaternion {
                        w: 1.0,
                        ..Quaternion::default()
                    }),
                    ..FrameTransform::default()
                }],
            };
            let header = MessageHeader {
                channel_id,
                sequence: 0,
                log_time: *time,
                publish_time: *time,
            };
            let data = message.encode_to_vec();
            writer.write_to_known_channel(&header, &data).unwrap();
        }
    }
    writer.finish().unwrap();
    drop(writer);
    file.into_inner()
}

const SECOND: u64 = 1_000_000_000;

#[test]
fn transforms_of_other_programs_become_a_recording() {
    let (palm, tip) = ([0.0, 0.5, 1.0], [0.1, 0.5, 1.0]);
    let bytes = foreign(
        &[
            (
                50 * SECOND,
                &[("map", "left/Palm", palm), ("map", "left/IndexTip", tip)],
            ),
            (50 * SECOND + 1, &[("odom", "base_link", palm)]),
            (51 * SECOND, &[("map", "right/Palm", palm)]),
        ],
        "protobuf",
    );
    let reading = read(&bytes).unwrap();
    assert!(reading.losses.is_empty());
    let sampler = Sampler::new(&reading.recording).unwrap();
    assert_eq!(sampler.duration(), 1.0);
    let first = sampler.frame_at(0.0);
    assert!(first.left.tracked && !first.right.tracked);
    // The axes change from +Y forward and +Z up to +Z forward and +Y up.
    assert_eq!(
        first.left.joints[Joint::Palm].unwrap().position,
        [0.0, 1.0, 0.5]
    );
    assert_eq!(
        first.left.joints[Joint::IndexTip].unwrap().position,
        [0.1, 1.0, 0.5]
    );
    let last = sampler.frame_at(1.0);
    assert!(!last.left.tracked && last.right.tracked);
    // Without messages of hands, nothing is stated of them.
    let head = [(50 * SECOND, &[("map", "head", palm)][..])];
    let recording = read(&foreign(&head, "protobuf")).unwrap().recording;
    assert_eq!(recording.hands, None);
    assert!(Sampler::new(&recording).unwrap().frame_at(0.0).left.unknown);
}

#[test]
fn metadata_are_texts_about_the_recording_and_attachments_are_named() {
    let palm: &[_] = &[("map", "left/Palm", [0.0; 3])];
    let record = |name: &str, entries: &[(&str, &str)]| {
        let entries = entries.iter();
        let entries = entries.map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
        Metadata {
            name: name.to_owned(),
            metadata: entries.collect(),
        }
    };
    let metadata = [
        record("task", &[("name", "pick cube"), ("operator", "p01")]),
        record(
            "setup",
            &[("device", "Quest 3"), ("room", "B12"), ("note", "")],
        ),
    ];
    let attachment = Attachment {
        log_time: 1,
        create_time: 2,
        name: "scene.json".to_owned(),
        media_type: "application/json".to_owned(),
        data: b"{}".into(),
    };
    let options = WriteOptions::new().library("teleop 2.1").profile("ros2");
    let frames = [(SECOND, palm), (2 * SECOND, palm)];
    let bytes = foreign_with(&frames, "protobuf", options, &metadata, Some(attachment));
    let (recording, report) = inputanim_convert::read(
        inputanim_convert::Format::Mcap,
        &bytes,
        &inputanim_convert::ReadOptions::default(),
    )
    .unwrap();
    let texts: Vec<_> = recording.about.iter().collect();
    let expected = [
        ("device", "Quest 3"),
        ("format", "mcap"),
        ("library", "teleop 2.1"),
        ("profile", "ros2"),
        ("setup.room", "B12"),
        ("task", "pick cube"),
        ("task.operator", "p01"),
    ];
    assert_eq!(texts, expected);
    assert!(report.losses.is_empty());
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    let expected = "1 attachment not kept: scene.json (2 bytes)";
    assert!(notes.iter().any(|note| note == expected), "{notes:?}");
    // Attachments that are cut off are damage, and no panic.
    for length in 0..bytes.len() {
        let _ = inputanim_convert::read(
            inputanim_convert::Format::Mcap,
            &bytes[..length],
            &inputanim_convert::ReadOptions::default(),
        );
    }
}

#[test]
fn late_messages_are_dropped_and_reported() {
    let palm: &[_] = &[("map", "left/Palm", [0.0; 3])];
    let bytes = foreign(
        &[
            (2 * SECOND, palm),
            (4 * SECOND, palm),
            (SECOND, palm),
            (5 * SECOND, palm),
        ],
        "protobuf",
    );
    let reading = read(&bytes).unwrap();
    assert!(
        matches!(&reading.losses[..], [loss] if loss.kind == LossKind::Order && loss.count == 1)
    );
    assert_eq!(reading.recording.duration(), 3.0);
}

#[test]
fn frames_in_several_parents_are_refused() {
    let bytes = foreign(
        &[(
            0,
            &[("map", "head", [0.0; 3]), ("head", "left/Palm", [0.0; 3])],
        )],
        "protobuf",
    );
    let error = read(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the parent of frame left/Palm is \"head\"; expected \"map\" as for the others"
    );
}

#[test]
fn the_error_of_a_file_without_a_recording_lists_its_topics() {
    for (frames, encoding) in [
        (&[][..], "protobuf"),
        (
            &[(0, &[("map", "base_link", [0.0; 3])][..])][..],
            "protobuf",
        ),
        (&[(0, &[("map", "left/Palm", [0.0; 3])][..])][..], "json"),
    ] {
        let error = read(&foreign(frames, encoding)).unwrap_err();
        assert!(matches!(
            error.downcast_ref(),
            Some(McapError::NothingToRead { .. })
        ));
        let text = error.to_string();
        let found = format!("found /tracker/tf (foxglove.FrameTransforms, {encoding})");
        assert!(text.ends_with(&found), "{text}");
    }
    let error = read(b"\x89MCAP0\r\n").unwrap_err().to_string();
    assert!(
        error.contains("found no topics; the MCAP file is damaged at byte 8"),
        "{error}"
    );
    assert!(matches!(
        read(b"").unwrap_err().downcast_ref(),
        Some(McapError::NotMcap)
    ));
}

/// Writes a file with the messages that a function adds.
fn made(
    options: WriteOptions,
    write: impl FnOnce(&mut ::mcap::Writer<&mut Cursor<Vec<u8>>>),
) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut writer = options.create(&mut file).unwrap();
    write(&mut writer);
    writer.finish().unwrap();
    drop(writer);
    file.into_inner()
}

fn channel<M: Encode>(writer: &mut ::mcap::Writer<&mut Cursor<Vec<u8>>>, topic: &str) -> u16 {
    let schema = M::get_schema().unwrap();
    let schema = writer
        .add_schema(&schema.name, &schema.encoding, &schema.data)
        .unwrap();
    let none = BTreeMap::new();
    writer
        .add_channel(schema, topic, "protobuf", &none)
        .unwrap()
}

fn put(writer: &mut ::mcap::Writer<&mut Cursor<Vec<u8>>>, channel_id: u16, time: u64, data: &[u8]) {
    let header = MessageHeader {
        channel_id,
        sequence: 0,
        log_time: time,
        publish_time: time,
    };
    writer.write_to_known_channel(&header, data).unwrap();
}

/// Encodes the transform of a palm, with or without its own timestamp.
fn palm(side: &str, x: f64, stamp: Option<u64>) -> Vec<u8> {
    let stamp = stamp.map(|time| {
        let (seconds, rest) = (time / SECOND, time % SECOND);
        Timestamp::new(seconds as u32, rest as u32)
    });
    let message = FrameTransforms {
        transforms: vec![FrameTransform {
            timestamp: stamp,
            parent_frame_id: "map".to_owned(),
            child_frame_id: format!("{side}/Palm"),
            translation: Some(Vector3 { x, y: 0.0, z: 0.0 }),
            ..FrameTransform::default()
        }],
    };
    message.encode_to_vec()
}

#[test]
fn hands_with_separate_times_do_not_flicker() {
    let apart = |apart: u64| {
        made(WriteOptions::new(), |writer| {
            let id = channel::<FrameTransforms>(writer, "/tf");
            for step in 0..60 {
                let time = 10 * SECOND + step * SECOND / 60;
                put(writer, id, time, &palm("left", step as f64, None));
                // Half a second without a right hand.
                if !(20..50).contains(&step) {
                    put(writer, id, time + apart, &palm("right", step as f64, None));
                }
            }
        })
    };
    for bytes in [apart(100_000), apart(15_000_000)] {
        let reading = read(&bytes).unwrap();
        assert!(reading.losses.is_empty());
        let hands = reading.recording.hands.as_ref().unwrap();
        let states = |curve: &inputanim::BooleanCurve<'_>| -> Vec<bool> {
            let mut states: Vec<bool> = curve.keys.iter().map(|key| key.is_on()).collect();
            states.dedup();
            states
        };
        assert_eq!(states(&hands.left.tracked), [true]);
        // The right hand begins a little later than the left one.
        assert_eq!(states(&hands.right.tracked), [false, true, false, true]);
        let sampler = Sampler::new(&reading.recording).unwrap();
        let lost = sampler.frame_at(21.0 / 60.0);
        assert!(lost.left.tracked && !lost.right.tracked);
    }
}

#[test]
fn a_transform_counts_at_its_timestamp_and_may_be_late() {
    // The right hand is logged 40 ms after it was seen.
    let bytes = made(WriteOptions::new(), |writer| {
        let id = channel::<FrameTransforms>(writer, "/tf");
        let mut messages = Vec::new();
        for step in 0..30 {
            let time = 10 * SECOND + step * SECOND / 60;
            messages.push((time + 1000, palm("left", step as f64, Some(time))));
            messages.push((time + SECOND / 25, palm("right", step as f64, Some(time))));
        }
        messages.sort_by_key(|(time, _)| *time);
        for (time, message) in messages {
            put(writer, id, time, &message);
        }
    });
    let reading = read(&bytes).unwrap();
    assert!(reading.losses.is_empty());
    let hands = reading.recording.hands.as_ref().unwrap();
    let places = |side: &inputanim::HandCurves<'_>| -> Vec<(f32, f32)> {
        side.joints[Joint::Palm].position[0].keys.points().collect()
    };
    assert_eq!(places(&hands.left).len(), 30);
    assert_eq!(places(&hands.left), places(&hands.right));
    assert_eq!(hands.right.tracked.keys[0].time(), 0.0);
}

#[test]
fn the_recording_is_found_after_invalid_transforms() {
    let recording = inputanim::Recording::new(inputanim::Layout::Mrtk1_1);
    let mut ours = Vec::new();
    write(&recording, &ConvertOptions::default(), &mut ours).unwrap();
    let bytes = made(WriteOptions::new(), |writer| {
        let tf = channel::<FrameTransforms>(writer, "/tf");
        put(writer, tf, 0, &palm("left", 0.0, None));
        // A message without valid transforms.
        put(writer, tf, 1, b"\xff");
        for message in ::mcap::MessageStream::new(&ours).unwrap() {
            let message = message.unwrap();
            if message.channel.topic != mcap::RECORDING {
                continue;
            }
            let schema = message.channel.schema.as_ref().unwrap();
            let schema = writer
                .add_schema(&schema.name, &schema.encoding, &schema.data)
                .unwrap();
            let none = BTreeMap::new();
            let id = writer.add_channel(schema, mcap::RECORDING, "protobuf", &none);
            put(writer, id.unwrap(), 2, &message.data);
        }
    });
    assert_eq!(read(&bytes).unwrap().recording, recording);
}

#[test]
fn the_names_of_markers_and_the_unpacked_chunks_are_bounded() {
    let letters = 20 << 20;
    let options = WriteOptions::new().compression(Some(Compression::Zstd));
    let bytes = made(options, |writer| {
        let tf = channel::<FrameTransforms>(writer, "/tf");
        let markers = channel::<Log>(writer, mcap::MARKERS);
        put(writer, tf, 1, &palm("left", 0.0, None));
        let log = Log {
            message: "a".repeat(letters),
            ..Log::default()
        };
        let log = log.encode_to_vec();
        for time in 1..=10 {
            put(writer, markers, time, &log);
            writer.flush().unwrap();
        }
    });
    assert!(bytes.len() < 1 << 17);
    let reading = read(&bytes).unwrap();
    assert!(
        matches!(&reading.losses[..], [loss] if loss.kind == LossKind::Damage),
        "{:?}",
        reading.losses
    );
    assert!(reading.recording.markers.len() < 10);
    let text = reading.losses[0].to_string();
    assert!(text.contains("a chunk unpacks to"), "{text}");
    // Without limits, the file is read completely.
    let trusting = inputanim::Limits::NONE;
    let reading = read_with(&bytes, &trusting).unwrap();
    assert!(reading.losses.is_empty() && reading.recording.markers.len() == 10);
    let mut limits = inputanim::Limits::default();
    limits.max_bytes = letters as u64 + 1000;
    let error = read_with(&bytes, &limits).unwrap_err();
    let is_it = matches!(error, Error::Limit { unit, .. } if unit == "bytes");
    assert!(is_it, "{error}");
}

#[test]
fn a_huge_message_of_empty_transforms_is_refused() {
    let bytes = made(WriteOptions::new(), |writer| {
        let id = channel::<FrameTransforms>(writer, "/tf");
        put(writer, id, 1, &[0x0a, 0x00].repeat(1 << 20));
    });
    let error = read(&bytes).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
}

#[test]
fn times_far_ahead_cost_their_messages() {
    const YEAR: u64 = 365 * 24 * 3600 * SECOND;
    let palm = |step: usize| [("map", "left/Palm", [step as f64, 0.0, 0.0])];
    let transforms: Vec<_> = (0..60).map(palm).collect();
    // Ten messages in a second.
    let usual = |step: usize| 50 * SECOND + step as u64 * SECOND / 10;
    for (wrong, expected) in [
        (vec![30], 59),
        (vec![0], 59),
        (vec![30, 31], 58),
        ((25..35).collect::<Vec<_>>(), 50),
    ] {
        for ahead in [YEAR, 5 * SECOND] {
            let times = (0..60).map(|step| {
                let ahead = if wrong.contains(&step) { ahead } else { 0 };
                (usual(step) + ahead, &transforms[step][..])
            });
            let bytes = foreign(&times.collect::<Vec<_>>(), "protobuf");
            let reading = read(&bytes).unwrap();
            let hands = reading.recording.hands.as_ref().unwrap();
            let keys = hands.left.joints[Joint::Palm].position[0].keys.len();
            assert_eq!(keys, expected, "{wrong:?} {ahead}");
            let lost: Vec<_> = reading
                .losses
                .iter()
                .map(|loss| (loss.kind, loss.count))
                .collect();
            assert_eq!(lost, [(LossKind::Order, 60 - expected as u64)]);
            assert!(reading.recording.duration() < 6.0);
        }
    }
    // A last time cannot be told from a pause.
    let times = (0..60).map(|step| {
        let ahead = if step == 59 { YEAR } else { 0 };
        (usual(step) + ahead, &transforms[step][..])
    });
    let reading = read(&foreign(&times.collect::<Vec<_>>(), "protobuf")).unwrap();
    assert!(reading.losses.is_empty());
}

#[test]
fn messages_that_are_a_little_late_are_sorted_beside_a_time_far_ahead() {
    let palm = |step: usize| [("map", "left/Palm", [step as f64, 0.0, 0.0])];
    let transforms: Vec<_> = (0..40).map(palm).collect();
    let times = (0..40).map(|step| {
        let time = (50 + if step == 20 { 1000 } else { 0 }) * SECOND + step as u64 * SECOND / 10;
        // Every second message is half a second late.
        let late = if step % 2 == 1 { SECOND * 11 / 20 } else { 0 };
        (time - late, &transforms[step][..])
    });
    let reading = read(&foreign(&times.collect::<Vec<_>>(), "protobuf")).unwrap();
    let hands = reading.recording.hands.as_ref().unwrap();
    // The latest messages before the time far ahead are recorded before the late ones arrive.
    let keys = hands.left.joints[Joint::Palm].position[0].keys.len();
    let lost: u64 = reading.losses.iter().map(|loss| loss.count).sum();
    assert_eq!((keys, lost), (39, 1), "{:?}", reading.losses);
}

#[test]
fn frames_that_are_not_read_are_named() {
    let place = [0.0, 1.6, 0.0];
    let all: &[Transform<'_>] = &[
        ("world", "head", place),
        ("world", "right.controller/aim", place),
        ("world", "tracker.waist/grip", place),
        ("map", "base_link", place),
    ];
    let bytes = foreign(&[(0, all), (SECOND, all)], "protobuf");
    let reading = read(&bytes).unwrap();
    let recording = &reading.recording;
    assert!(recording.head.is_some() && recording.devices.is_empty());
    let losses: Vec<(LossKind, u64, &str)> = reading
        .losses
        .iter()
        .map(|loss| {
            (
                loss.kind,
                loss.count,
                loss.message.split(',').next().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        losses,
        [
            (
                LossKind::Devices,
                2,
                "right.controller: aim in messages for viewers"
            ),
            (
                LossKind::Devices,
                2,
                "tracker.waist: grip in messages for viewers"
            ),
        ]
    );
    let mut notes = reading.notes.iter().map(|note| &*note.message);
    assert!(
        notes.any(|note| note.ends_with("are not read: base_link")),
        "{:?}",
        reading.notes
    );
}
