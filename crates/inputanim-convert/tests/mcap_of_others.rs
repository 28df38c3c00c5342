//! MCAP of other programs: frame transforms become a recording, and what cannot is told.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io::Cursor;

use ::mcap::records::MessageHeader;
use ::mcap::{Compression, WriteOptions};
use foxglove::Encode;
use foxglove::messages::{FrameTransform, FrameTransforms, Log, Quaternion, Timestamp, Vector3};
use inputanim::{Joint, Sampler};
use inputanim_convert::mcap::{self, Error, Loss};
use prost::Message;

/// Parent, child, and where the child is.
type Transform<'a> = (&'a str, &'a str, [f64; 3]);

/// A file of another program: transforms, each time's in messages of their own.
fn foreign(frames: &[(u64, &[Transform<'_>])], encoding: &str) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let options = WriteOptions::new().compression(Some(Compression::Lz4));
    let mut writer = options.create(&mut file).unwrap();
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
    let reading = mcap::read(&bytes).unwrap();
    assert!(reading.losses.is_empty());
    let sampler = Sampler::new(&reading.recording).unwrap();
    assert_eq!(sampler.duration(), 1.0);
    let first = sampler.frame_at(0.0);
    assert!(first.left.tracked && !first.right.tracked);
    // From +Y forward, +Z up to +Z forward, +Y up.
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
}

#[test]
fn late_messages_are_left_out_and_told() {
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
    let reading = mcap::read(&bytes).unwrap();
    assert!(matches!(reading.losses[..], [Loss::Late { times: 1 }]));
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
    let error = mcap::read(&bytes).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the frame left/Palm is in \"head\", others in \"map\": expected one parent of all"
    );
}

#[test]
fn a_file_without_a_recording_is_told_by_its_topics() {
    for (frames, encoding) in [
        (&[][..], "protobuf"),
        (
            &[(0, &[("map", "base_link", [0.0; 3])][..])][..],
            "protobuf",
        ),
        (&[(0, &[("map", "left/Palm", [0.0; 3])][..])][..], "json"),
    ] {
        let error = mcap::read(&foreign(frames, encoding)).unwrap_err();
        assert!(matches!(error, Error::NothingToRead { .. }));
        let text = error.to_string();
        let found = format!("found /tracker/tf (foxglove.FrameTransforms, {encoding})");
        assert!(text.ends_with(&found), "{text}");
    }
    let error = mcap::read(b"\x89MCAP0\r\n").unwrap_err().to_string();
    assert!(
        error.contains("found no topics; the MCAP file is damaged at byte 8"),
        "{error}"
    );
    assert!(matches!(mcap::read(b"").unwrap_err(), Error::NotMcap));
}

/// A file with a writer's help: transforms with times of their own, or what else there may be.
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

/// A palm, perhaps with a time of its own.
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
fn hands_with_times_of_their_own_do_not_flicker() {
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
        let reading = mcap::read(&bytes).unwrap();
        assert!(reading.losses.is_empty());
        let hands = reading.recording.hands.as_ref().unwrap();
        let states = |curve: &inputanim::BooleanCurve<'_>| -> Vec<bool> {
            let mut states: Vec<bool> = curve.keys.iter().map(|key| key.is_on()).collect();
            states.dedup();
            states
        };
        assert_eq!(states(&hands.left.tracked), [true]);
        // It begins a little later.
        assert_eq!(states(&hands.right.tracked), [false, true, false, true]);
        let sampler = Sampler::new(&reading.recording).unwrap();
        let lost = sampler.frame_at(21.0 / 60.0);
        assert!(lost.left.tracked && !lost.right.tracked);
    }
}

#[test]
fn a_transform_counts_at_its_own_time_and_may_come_a_little_late() {
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
    let reading = mcap::read(&bytes).unwrap();
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
fn the_recording_is_found_behind_frames_of_which_none_can_be_made() {
    let take = inputanim::Recording::new(inputanim::Layout::Mrtk1_1);
    let mut ours = Vec::new();
    mcap::write(&take, &mcap::Options::default(), &mut ours).unwrap();
    let bytes = made(WriteOptions::new(), |writer| {
        let tf = channel::<FrameTransforms>(writer, "/tf");
        put(writer, tf, 0, &palm("left", 0.0, None));
        // No transforms at all.
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
    assert_eq!(mcap::read(&bytes).unwrap().recording, take);
}

#[test]
fn names_of_markers_are_bounded_in_all_and_so_is_what_chunks_unpack_to() {
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
    let reading = mcap::read(&bytes).unwrap();
    assert!(
        matches!(reading.losses[..], [Loss::Damaged(_)]),
        "{:?}",
        reading.losses
    );
    assert!(reading.recording.markers.len() < 10);
    let text = reading.losses[0].to_string();
    assert!(text.contains("a chunk unpacks to"), "{text}");
    // Who trusts a file gets all of it.
    let trusting = inputanim::Limits::NONE;
    let reading = mcap::read_with(&bytes, &trusting).unwrap();
    assert!(reading.losses.is_empty() && reading.recording.markers.len() == 10);
    let limits = inputanim::Limits {
        max_bytes: letters as u64 + 1000,
        ..inputanim::Limits::default()
    };
    let error = mcap::read_with(&bytes, &limits).unwrap_err();
    let is_it = matches!(error, Error::Limit { things, .. } if things == "bytes");
    assert!(is_it, "{error}");
}

#[test]
fn a_message_of_nothing_but_empty_transforms_is_refused() {
    let bytes = made(WriteOptions::new(), |writer| {
        let id = channel::<FrameTransforms>(writer, "/tf");
        put(writer, id, 1, &[0x0a, 0x00].repeat(1 << 20));
    });
    let error = mcap::read(&bytes).unwrap_err();
    assert!(matches!(error, Error::Limit { .. }), "{error}");
}
