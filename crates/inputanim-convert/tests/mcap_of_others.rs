//! MCAP of other programs: frame transforms become a recording, and what cannot is told.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;
use std::io::Cursor;

use ::mcap::records::MessageHeader;
use ::mcap::{Compression, WriteOptions};
use foxglove::Encode;
use foxglove::messages::{FrameTransform, FrameTransforms, Quaternion, Vector3};
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
        &[(2 * SECOND, palm), (SECOND, palm), (3 * SECOND, palm)],
        "protobuf",
    );
    let reading = mcap::read(&bytes).unwrap();
    assert!(matches!(reading.losses[..], [Loss::Late { times: 1 }]));
    assert_eq!(reading.recording.duration(), 1.0);
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
