//! MCAP: recordings come back, topics contain the samples, and damage is reported.

use std::io::Cursor;
use std::time::Duration;

use ::mcap::{Compression, MessageStream, WriteOptions};
use foxglove::messages::{FrameTransforms, Log, SceneUpdate, Vector3};
use inputanim::{
    Flags, FloatCurve, Frame, Joint, Layout, Limits, Marker, Pose, Recorder, Recording, Sampler,
    Side, Space,
};
use inputanim_convert::SampleError;
use inputanim_convert::mcap::{self, McapError};
use inputanim_convert::{Error, LossKind, Sampling, WriteOptions as ConvertOptions};
use inputanim_motion::{Motion, Scene};
use proptest::prelude::*;
use prost::Message;

use crate::mcap_files::{read, read_with, write};

fn to_mcap(recording: &Recording<'_>, options: &ConvertOptions) -> Vec<u8> {
    let mut bytes = Vec::new();
    write(recording, options, &mut bytes).unwrap();
    bytes
}

fn sample_recording() -> Recording<'static> {
    let mut recording = Motion::new(Scene::PinchDrag, 3, 4.0).record(30.0, Layout::Mrtk1_1);
    recording.markers.push(Marker::new(1.5, "begin"));
    recording.markers.push(Marker::new(99.0, "after the end"));
    recording
}

/// Returns the messages of a topic with their times.
fn messages<M: Message + Default>(bytes: &[u8], topic: &str) -> Vec<(u64, M)> {
    let messages = MessageStream::new(bytes).unwrap().map(Result::unwrap);
    let of_topic = messages.filter(|message| message.channel.topic == topic);
    of_topic
        .map(|message| (message.log_time, M::decode(&*message.data).unwrap()))
        .collect()
}

/// Removes some topics from a file, as filters of other programs do.
fn without(bytes: &[u8], is_left_out: impl Fn(&str) -> bool, options: WriteOptions) -> Vec<u8> {
    let mut filtered = Cursor::new(Vec::new());
    let mut writer = options.create(&mut filtered).unwrap();
    for message in MessageStream::new(bytes).unwrap() {
        let message = message.unwrap();
        if !is_left_out(&message.channel.topic) {
            writer.write(&message).unwrap();
        }
    }
    writer.finish().unwrap();
    drop(writer);
    filtered.into_inner()
}

fn without_recording(bytes: &[u8]) -> Vec<u8> {
    without(bytes, |topic| topic == mcap::RECORDING, WriteOptions::new())
}

fn assert_near(a: [f32; 3], b: [f32; 3], what: &str) {
    let is_near = a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6);
    assert!(is_near, "{what}: {a:?} {b:?}");
}

/// Returns the similarity of two rotations, which is 1 for equal ones.
fn alike(a: [f32; 4], b: [f32; 4]) -> f64 {
    let parts = a.into_iter().zip(b);
    let product: f64 = parts.map(|(a, b)| f64::from(a) * f64::from(b)).sum();
    product.abs()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn write_then_read_is_the_identity(
        recording in prop_oneof![inputanim_testkit::random::recording(), inputanim_testkit::plausible::recording()],
        at_keys in any::<bool>(),
    ) {
        let rate = 20.0 / f64::from(recording.duration().clamp(1.0, 1e30));
        let times = if at_keys { Sampling::Keys } else { Sampling::Rate(rate) };
        let options = {
 let mut options = ConvertOptions::default();
 options.sampling = times;
 options
};
        let mut bytes = Vec::new();
        match write(&recording, &options, &mut bytes) {
            Ok(_) => {
                let reading = read(&bytes)?;
                prop_assert!(reading.losses.is_empty() && reading.notes.is_empty());
                // The layout is not compared, because an empty recording has the same bytes in several
                // layouts.
                let back = reading.recording;
                prop_assert_eq!(back.to_bytes()?, recording.to_bytes()?);
            }
            Err(Error::Sample(_)) => {}
            Err(error) => match error.downcast_ref() {
                Some(McapError::TooLate { .. }) => {}
                _ => prop_assert!(false, "{error}"),
            },
        }
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn corpus_files_come_back_from_mcap_bit_for_bit() {
    let options = {
        let mut options = ConvertOptions::default();
        options.sampling = Sampling::Rate(5.0);
        options
    };
    for (path, bytes) in inputanim_testkit::corpus::recordings() {
        let file = to_mcap(&Recording::parse(&bytes).unwrap(), &options);
        let back = read(&file).unwrap().recording;
        assert!(back.to_bytes().unwrap() == bytes, "{path:?}");
    }
}

#[test]
fn the_topics_contain_the_samples() {
    let recording = sample_recording();
    let bytes = to_mcap(&recording, &ConvertOptions::default());
    let sampler = Sampler::new(&recording).unwrap();
    let transforms = messages::<FrameTransforms>(&bytes, mcap::TRANSFORMS);
    let scenes = messages::<SceneUpdate>(&bytes, mcap::HANDS);
    assert!(transforms.len() >= 241 && scenes.len() == transforms.len());
    let mut seen = 0;
    for ((nanoseconds, message), (_, scene)) in transforms.iter().zip(&scenes) {
        let time = (*nanoseconds as f64 / 1e9) as f32;
        let frame = Space::Blender.frame(sampler.frame_at(time));
        let place = |name: &str| {
            let mut transforms = message.transforms.iter();
            let found = transforms.find(|transform| transform.child_frame_id == name)?;
            assert_eq!(found.parent_frame_id, mcap::WORLD);
            let Vector3 { x, y, z } = found.translation.unwrap();
            Some([x as f32, y as f32, z as f32])
        };
        assert_eq!(place("head"), frame.head.map(|pose| pose.position));
        for side in Side::BOTH {
            let hand = frame.hand(side);
            for joint in Joint::OPENXR {
                let expected = hand.joints[joint].map(|pose| pose.position);
                assert_eq!(
                    place(&format!("{side}/{joint}")),
                    expected,
                    "{side} {joint} {time}"
                );
                seen += usize::from(expected.is_some());
            }
            let drawn = scene
                .entities
                .iter()
                .find(|entity| entity.id == side.name());
            assert_eq!(drawn.is_some(), hand.tracked, "{side} at {time}");
            let deleted = scene.deletions.iter().any(|gone| gone.id == side.name());
            assert_eq!(deleted, !hand.tracked, "{side} at {time}");
            if let Some(drawn) = drawn {
                // There is a sphere for each joint, and a line from each joint except the wrist to its parent.
                assert_eq!(drawn.spheres.len(), 26);
                assert_eq!(drawn.lines[0].points.len(), 2 * 25);
            }
        }
    }
    assert!(seen > 1000, "the recording has hands");
    let markers = messages::<Log>(&bytes, mcap::MARKERS);
    let names: Vec<_> = markers.iter().map(|(_, log)| &*log.message).collect();
    assert_eq!(names.len(), recording.markers.len());
    assert!(names.contains(&"begin") && names.last() == Some(&"after the end"));
}

#[test]
fn messages_are_in_order_of_time() {
    let mut recording = sample_recording();
    recording.markers.push(Marker::new(-2.0, "before"));
    let options = {
        let mut options = ConvertOptions::default();
        options.start_time = Duration::from_secs(1_714_557_600);
        options
    };
    let bytes = to_mcap(&recording, &options);
    let times: Vec<u64> = MessageStream::new(&bytes)
        .unwrap()
        .map(|message| message.unwrap().log_time)
        .collect();
    assert!(times.is_sorted());
    assert_eq!(times.first(), Some(&1_714_557_598_000_000_000));
    assert_eq!(times.last(), Some(&1_714_557_699_000_000_000));
}

#[test]
fn a_marker_before_1970_is_only_in_the_recording() {
    let mut recording = sample_recording();
    let shown = recording.markers.len();
    recording.markers.push(Marker::new(-2.0, "before"));
    recording.markers.push(Marker::new(f32::NAN, "never"));
    let mut bytes = Vec::new();
    let report = write(&recording, &ConvertOptions::default(), &mut bytes).unwrap();
    let expected =
        "2 markers at times that messages cannot represent, stored only in the embedded recording";
    assert_eq!(report.notes[1].to_string(), expected);
    assert_eq!(messages::<Log>(&bytes, mcap::MARKERS).len(), shown);
    assert_eq!(read(&bytes).unwrap().recording, recording);
}

#[test]
fn streams_that_are_not_recorded_have_no_topics() {
    let head = Flags {
        head: true,
        ..Flags::default()
    };
    let mut recording = Recording::with_streams(Layout::Mrtk1_1, head);
    recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    let bytes = to_mcap(&recording, &ConvertOptions::default());
    let mut topics: Vec<String> = MessageStream::new(&bytes)
        .unwrap()
        .map(|message| message.unwrap().channel.topic.clone())
        .collect();
    topics.dedup();
    assert_eq!(topics, [mcap::RECORDING, mcap::TRANSFORMS]);
}

#[test]
fn a_time_without_known_poses_has_states_and_comes_back() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for (step, tracked) in [(0, false), (1, true), (2, false)] {
        let mut frame = Frame {
            time: step as f32,
            ..Frame::default()
        };
        frame.left.tracked = tracked;
        frame.left.joints[Joint::Palm] = tracked.then_some(Pose::IDENTITY);
        recorder.push(&frame).unwrap();
    }
    let at_keys = {
        let mut options = ConvertOptions::default();
        options.sampling = Sampling::Keys;
        options
    };
    let bytes = to_mcap(&recorder.finish(), &at_keys);
    let transforms = messages::<FrameTransforms>(&bytes, mcap::TRANSFORMS);
    assert_eq!(transforms.len(), 1, "none without transforms");
    let back = read(&without_recording(&bytes)).unwrap().recording;
    let sampler = Sampler::new(&back).unwrap();
    let tracked = [0.0, 1.0, 2.0].map(|time| sampler.frame_at(time).left.tracked);
    assert_eq!(tracked, [false, true, false]);
}

#[test]
fn unplayable_recordings_are_refused() {
    let mut recording = sample_recording();
    recording.head_mut().push(f32::INFINITY, &Pose::IDENTITY);
    let mut bytes = Vec::new();
    let error = write(&recording, &ConvertOptions::default(), &mut bytes).unwrap_err();
    assert!(matches!(error, Error::Sample(SampleError::TooLong { .. })));
    let at_keys = {
        let mut options = ConvertOptions::default();
        options.sampling = Sampling::Keys;
        options
    };
    let error = write(&recording, &at_keys, &mut bytes).unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(McapError::TooLate { .. })),
        "{error}"
    );
    assert!(bytes.is_empty(), "nothing is written of it");
}

#[test]
fn an_output_that_fails_is_an_error() {
    let recording = sample_recording();
    let whole = to_mcap(&recording, &ConvertOptions::default()).len();
    let write = |free| {
        let mut space = vec![0; free];
        write(&recording, &ConvertOptions::default(), space.as_mut_slice())
    };
    for free in [0, 7, 100, 1000, whole / 2, whole - 1] {
        let error = write(free).unwrap_err();
        assert!(matches!(error, Error::Io(_)), "{free}: {error:?}");
    }
    write(whole).unwrap();
}

#[test]
fn samples_come_back_from_transforms_alone() {
    for (scene, seed) in [(Scene::TwoHands, 1), (Scene::PinchDrag, 2)] {
        let recording = Motion::new(scene, seed, 6.0).record(30.0, Layout::Mrtk1_1);
        let bytes = to_mcap(&recording, &ConvertOptions::default());
        let reading = read(&without_recording(&bytes)).unwrap();
        assert!(reading.losses.is_empty() && reading.notes.is_empty());
        let back = reading.recording;
        assert_eq!(back.markers.len(), recording.markers.len());
        for (a, b) in recording.markers.iter().zip(&back.markers) {
            assert_eq!(a.name, b.name);
            assert!((a.time - b.time).abs() < 1e-6);
        }
        let before = Sampler::new(&recording).unwrap();
        let after = Sampler::new(&back).unwrap();
        for (nanoseconds, _) in messages::<FrameTransforms>(&bytes, mcap::TRANSFORMS) {
            let time = (nanoseconds as f64 / 1e9) as f32;
            let (a, b) = (before.frame_at(time), after.frame_at(time));
            for side in Side::BOTH {
                let (a, b) = (a.hand(side), b.hand(side));
                assert_eq!((a.tracked, a.pinching), (b.tracked, b.pinching), "{time}");
                for ((joint, a), (_, b)) in a.joints.iter().zip(b.joints.iter()) {
                    let what = format!("{side} {joint} at {time}");
                    if let (Some(a), Some(b)) = (a, b) {
                        assert_near(a.position, b.position, &what);
                        assert!(alike(a.rotation, b.rotation) > 1.0 - 1e-6, "{what}");
                    } else {
                        assert!(
                            b.is_none() && (a.is_none() || joint == Joint::None),
                            "{what}"
                        );
                    }
                }
            }
            assert_near(a.head.unwrap().position, b.head.unwrap().position, "head");
            let (a, b) = (a.gaze.unwrap(), b.gaze.unwrap());
            assert_near(a.origin, b.origin, "gaze");
            let length = a
                .direction
                .iter()
                .map(|part| part * part)
                .sum::<f32>()
                .sqrt();
            assert_near(a.direction.map(|part| part / length), b.direction, "gaze");
        }
    }
}

#[test]
fn merged_files_are_refused() {
    let (one, two) = (
        sample_recording(),
        Motion::new(Scene::Wave, 1, 2.0).record(30.0, Layout::Mrtk1_1),
    );
    let mut merged = Cursor::new(Vec::new());
    let mut writer = WriteOptions::new().create(&mut merged).unwrap();
    for recording in [&one, &two] {
        let bytes = to_mcap(recording, &ConvertOptions::default());
        for message in MessageStream::new(&bytes).unwrap() {
            writer.write(&message.unwrap()).unwrap();
        }
    }
    writer.finish().unwrap();
    drop(writer);
    let error = read(&merged.into_inner()).unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(McapError::SeveralRecordings)),
        "{error}"
    );
}

#[test]
fn a_filtered_file_with_another_compression_keeps_the_recording() {
    let recording = sample_recording();
    let bytes = to_mcap(&recording, &ConvertOptions::default());
    for compression in [None, Some(Compression::Lz4), Some(Compression::Zstd)] {
        let options = WriteOptions::new()
            .compression(compression)
            .chunk_size(Some(5000));
        let filtered = without(&bytes, |topic| topic != mcap::RECORDING, options);
        assert_eq!(read(&filtered).unwrap().recording, recording);
    }
    let options = WriteOptions::new().use_chunks(false);
    let filtered = without(&bytes, |_| false, options);
    assert_eq!(read(&filtered).unwrap().recording, recording);
}

#[test]
fn a_truncated_file_keeps_an_intact_recording() {
    let recording = sample_recording();
    let bytes = to_mcap(&recording, &ConvertOptions::default());
    let mut whole = 0;
    for end in (8..bytes.len()).step_by(3001) {
        match read(&bytes[..end]) {
            Ok(reading) => {
                assert_eq!(reading.recording, recording, "cut at {end}");
                whole += 1;
            }
            Err(error) => match error.downcast_ref() {
                Some(McapError::Incomplete { .. } | McapError::NothingToRead { .. }) => {
                    assert_eq!(whole, 0, "cut at {end}");
                }
                _ => panic!("cut at {end}: {error}"),
            },
        }
    }
    assert!(whole > 0, "most cuts are after the recording");
    let reading = read(&bytes[..bytes.len() / 2]).unwrap();
    assert!(reading.notes[0].to_string().contains("cut off"));
}

#[test]
fn intact_parts_of_a_damaged_file_are_read() {
    let recording = sample_recording();
    let bytes = to_mcap(&recording, &ConvertOptions::default());
    let transforms = without_recording(&bytes);
    let mut damaged = 0;
    for at in (8..bytes.len()).step_by(9973) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x10;
        let reading = read(&bytes).unwrap();
        let is_complete = reading.recording == recording;
        assert!(is_complete || !reading.losses.is_empty(), "at {at}");
        damaged += usize::from(!reading.notes.is_empty());
    }
    assert!(damaged > 0, "damage is reported");
    let mut damaged = 0;
    for at in (8..transforms.len()).step_by(9973) {
        let mut bytes = transforms.clone();
        bytes[at] ^= 0x10;
        if let Ok(reading) = read(&bytes) {
            damaged +=
                usize::from(matches!(&reading.losses[..], [loss] if loss.kind == LossKind::Damage));
        }
    }
    assert!(damaged > 0, "damage is reported");
}

#[test]
fn limits_bound_every_kind_of_content() {
    let recording = sample_recording();
    let bytes = to_mcap(&recording, &ConvertOptions::default());
    let filtered = without_recording(&bytes);
    let refused = |bytes: &[u8], limits: Limits| {
        let error = read_with(bytes, &limits).unwrap_err();
        assert!(matches!(error, Error::Limit { .. }), "{error}");
    };
    let limits = Limits::default();
    refused(&bytes, {
        let mut changed = limits;
        changed.max_bytes = 100;
        changed
    });
    refused(&filtered, {
        let mut changed = limits;
        changed.max_keys = 1000;
        changed
    });
    refused(&filtered, {
        let mut changed = limits;
        changed.max_markers = 1;
        changed
    });
}

#[test]
fn poses_that_are_not_finite_are_dropped() {
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    let mut frame = Frame::default();
    frame.left.tracked = true;
    frame.left.joints[Joint::Palm] = Some(Pose::at([0.1, 0.2, 0.3]));
    frame.left.joints[Joint::Wrist] = Some(Pose::at([0.1, 0.2, 0.2]));
    recorder.push(&frame).unwrap();
    let mut recording = recorder.finish();
    let joints = &mut recording.hands_mut().left.joints;
    for curve in &mut joints[Joint::Palm].rotation {
        *curve = FloatCurve::linear([(0.0, 0.0)]);
    }
    joints[Joint::Wrist].position[1] = FloatCurve::linear([(0.0, f32::NAN)]);
    let bytes = to_mcap(&recording, &ConvertOptions::default());
    let transforms = messages::<FrameTransforms>(&bytes, mcap::TRANSFORMS);
    let transforms = transforms[0].1.transforms.iter();
    let frames: Vec<_> = transforms
        .map(|transform| &*transform.child_frame_id)
        .collect();
    // A rotation of 0 evaluates to the identity.
    assert_eq!(frames, ["left/Palm"]);
    let scenes = messages::<SceneUpdate>(&bytes, mcap::HANDS);
    assert_eq!(
        scenes[0].1.entities[0].spheres.len(),
        1,
        "the palm has a place"
    );
    assert_eq!(read(&bytes).unwrap().recording, recording);
}
