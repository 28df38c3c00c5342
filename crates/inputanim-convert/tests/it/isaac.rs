//! Isaac Capture: recordings come back, topics contain the samples, changed files are read from their messages, and damage
//! is reported.

use std::io::Cursor;
use std::time::Duration;

use ::mcap::{Compression, MessageStream, WriteOptions};
use inputanim::{
    DeviceName, Element, Flags, FloatCurve, InputValue, Joint, Layout, Limits, Marker, Pose,
    Recording, Sampler, Side, Space, edit,
};
use inputanim_convert::isaac::{self, IsaacError};
use inputanim_convert::{
    Error, Format, LossKind, NoteKind, ReadOptions, Report, Sampling,
    WriteOptions as ConvertOptions,
};
use inputanim_motion::{Motion, Scene};
use inputanim_testkit::devices::device_recording;
use proptest::prelude::*;

fn options(sampling: Sampling) -> ConvertOptions {
    let mut options = ConvertOptions::default();
    options.sampling = sampling;
    options
}

fn write(recording: &Recording<'_>, options: &ConvertOptions) -> Result<(Vec<u8>, Report), Error> {
    let mut bytes = Vec::new();
    let report = inputanim_convert::write(Format::Isaac, recording, options, &mut bytes)?;
    Ok((bytes, report))
}

fn to_isaac(recording: &Recording<'_>, options: &ConvertOptions) -> Vec<u8> {
    write(recording, options).unwrap().0
}

fn read(bytes: &[u8]) -> Result<(Recording<'static>, Report), Error> {
    read_with(bytes, &Limits::default())
}

fn read_with(bytes: &[u8], limits: &Limits) -> Result<(Recording<'static>, Report), Error> {
    let mut options = ReadOptions::default();
    options.limits = *limits;
    let (recording, report) = inputanim_convert::read(Format::Isaac, bytes, &options)?;
    Ok((recording.into_owned(), report))
}

fn sample_recording() -> Recording<'static> {
    let mut recording = Motion::new(Scene::PinchDrag, 3, 4.0).record(30.0, Layout::Mrtk1_1);
    recording.markers.push(Marker::new(1.5, "begin"));
    recording.markers.push(Marker::new(99.0, "after the end"));
    recording
}

/// A message: the topic, the log time and the bytes.
type Message = (String, u64, Vec<u8>);

fn messages(bytes: &[u8]) -> Vec<Message> {
    let messages = MessageStream::new(bytes).unwrap().map(Result::unwrap);
    let parts = messages.map(|message| {
        let topic = message.channel.topic.clone();
        (topic, message.log_time, message.data.into_owned())
    });
    parts.collect()
}

/// Copies a file as another program does, with changed messages. The function returns `false` for messages that are removed.
fn changed(
    bytes: &[u8],
    options: WriteOptions,
    mut change: impl FnMut(&str, &mut Vec<u8>) -> bool,
) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let mut writer = options.create(&mut file).unwrap();
    for message in MessageStream::new(bytes).unwrap() {
        let mut message = message.unwrap();
        let topic = message.channel.topic.clone();
        if change(&topic, message.data.to_mut()) {
            writer.write(&message).unwrap();
        }
    }
    writer.finish().unwrap();
    drop(writer);
    file.into_inner()
}

fn without_recording(bytes: &[u8]) -> Vec<u8> {
    changed(bytes, WriteOptions::new(), |topic, _| {
        topic != isaac::RECORDING
    })
}

/// The joints of a message of a hand: the pose in OpenXR's axes if it is valid, and the radius.
fn joints(message: &[u8]) -> Vec<(Option<Pose>, f32)> {
    // The library writes a table before the tables that it contains, and the joints at the end of the message.
    let joints = &message[message.len() - 26 * 36..];
    let joint = |bytes: &[u8]| {
        let float = |index: usize| f32::from_le_bytes(bytes[4 * index..][..4].try_into().unwrap());
        let pose = Pose {
            position: [0, 1, 2].map(float),
            rotation: [3, 4, 5, 6].map(float),
        };
        assert!(bytes[28] <= 1 && bytes[29..32] == [0; 3]);
        if bytes[28] == 0 {
            assert_eq!(bytes[..28], [0; 28]);
        }
        ((bytes[28] == 1).then_some(pose), float(8))
    };
    joints.chunks_exact(36).map(joint).collect()
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
        match write(&recording, &options(times)) {
            Ok((bytes, _)) => {
                prop_assert_eq!(Format::detect(&bytes), Some(Format::Isaac));
                let (back, report) = read(&bytes)?;
                prop_assert_eq!(report, Report::default());
                // The layout is not compared, because an empty recording has the same bytes in several
                // layouts.
                prop_assert_eq!(back.to_bytes()?, recording.to_bytes()?);
                // The messages alone can be read too, unless there are none.
                match read(&without_recording(&bytes)) {
                    Ok(_) => {}
                    Err(error) => match error.downcast_ref() {
                        Some(IsaacError::NothingToRead { .. }) => {}
                        _ => prop_assert!(false, "{error}"),
                    },
                }
            }
            Err(Error::Sample(_)) => {}
            Err(error) => match error.downcast_ref() {
                Some(IsaacError::TooLate { .. }) => {}
                _ => prop_assert!(false, "{error}"),
            },
        }
    }
}

#[test]
#[ignore = "needs INPUTANIM_CORPUS"]
fn corpus_files_come_back_from_isaac_bit_for_bit() {
    for (path, bytes) in inputanim_testkit::corpus::recordings() {
        let recording = Recording::parse(&bytes).unwrap();
        let file = to_isaac(&recording, &options(Sampling::Rate(5.0)));
        let (back, _) = read(&file).unwrap();
        assert!(back.to_bytes().unwrap() == bytes, "{path:?}");
    }
}

#[test]
fn the_topics_contain_the_samples_bit_for_bit() {
    let recording = sample_recording();
    let sampler = Sampler::new(&recording).unwrap();
    for sampling in [Sampling::Rate(60.0), Sampling::Keys] {
        let messages = messages(&to_isaac(&recording, &options(sampling)));
        let (mut valid, mut invalid) = (0, 0);
        for (topic, nanoseconds, message) in &messages {
            let side = match &**topic {
                isaac::LEFT_HAND => Side::Left,
                isaac::RIGHT_HAND => Side::Right,
                _ => continue,
            };
            let time = (*nanoseconds as f64 / 1e9) as f32;
            let frame = Space::OpenXr.frame(sampler.frame_at(time));
            let hand = frame.hand(side);
            let bits = |pose: Option<Pose>| {
                pose.map(|pose| {
                    (
                        pose.position.map(f32::to_bits),
                        pose.rotation.map(f32::to_bits),
                    )
                })
            };
            for (joint, (pose, radius)) in Joint::OPENXR.into_iter().zip(joints(message)) {
                let expected = hand.joints[joint].filter(|_| hand.tracked);
                assert_eq!(bits(pose), bits(expected), "{side} {joint} {time}");
                assert!((0.005..0.022).contains(&radius), "{joint}");
                valid += usize::from(pose.is_some());
                invalid += usize::from(pose.is_none());
            }
        }
        assert!(valid > 1000 && invalid > 0, "{valid} {invalid}");
        // A replay takes one message of each topic per step.
        let count = |name: &str| messages.iter().filter(|(topic, ..)| topic == name).count();
        let steps = count(isaac::HEAD);
        assert!(steps > 100);
        for topic in [
            isaac::LEFT_HAND,
            isaac::RIGHT_HAND,
            isaac::GAZE,
            isaac::STATES,
        ] {
            assert_eq!(count(topic), steps, "{topic}");
        }
        assert_eq!(count(isaac::MARKERS), recording.markers.len());
        assert_eq!(count(isaac::CHECKSUM), 1);
    }
}

#[test]
fn a_message_has_the_bytes_that_flatbuffers_defines() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::at([1.0, 2.0, -4.0]));
    let bytes = to_isaac(&recording, &options(Sampling::Keys));
    let all = messages(&bytes);
    let (.., head) = all.iter().find(|(topic, ..)| topic == isaac::HEAD).unwrap();
    let words = head.chunks(4);
    let text: Vec<String> = words
        .map(|word| word.iter().map(|byte| format!("{byte:02x}")).collect())
        .collect();
    assert_eq!(
        text.join(" "),
        // The offset of the root table; the offsets of the fields of the root table.
        "0c000000 08002400 04000c00 \
         08000000 2c000000 00000000 00000000 00000000 00000000 00000000 00000000 00000000 \
         00000a00 22000400 20002100 \
         0a000000 0000803f 00000040 00008040 00000080 00000080 00000000 0000803f 0101"
    );
}

#[test]
fn messages_are_in_order_of_time() {
    let mut recording = sample_recording();
    recording.markers.push(Marker::new(-2.0, "before"));
    let mut options = ConvertOptions::default();
    options.start_time = Duration::from_secs(1_714_557_600);
    let bytes = to_isaac(&recording, &options);
    let times: Vec<u64> = messages(&bytes).iter().map(|(_, time, _)| *time).collect();
    assert!(times.is_sorted());
    assert_eq!(times.first(), Some(&1_714_557_598_000_000_000));
    assert_eq!(times.last(), Some(&1_714_557_699_000_000_000));
    let (back, _) = read(&bytes).unwrap();
    assert_eq!(back, recording);
    let (back, _) = read(&without_recording(&bytes)).unwrap();
    let before = back.markers.iter().find(|marker| marker.name == "before");
    assert_eq!(before.map(|marker| marker.time), Some(-2.0));
}

#[test]
fn a_marker_before_1970_is_only_in_the_recording() {
    let mut recording = sample_recording();
    recording.markers.push(Marker::new(-2.0, "before"));
    recording.markers.push(Marker::new(f32::NAN, "never"));
    let (bytes, report) = write(&recording, &ConvertOptions::default()).unwrap();
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "sampled at 60 Hz; the file also contains the complete recording",
            "pinches, gaze and markers are on topics that a replay by Isaac ignores",
            "2 markers at times that messages cannot represent, stored only in the embedded recording",
        ]
    );
    assert_eq!(report.losses, []);
    assert_eq!(read(&bytes).unwrap().0, recording);
}

#[test]
fn streams_that_are_not_recorded_have_no_topics() {
    let flags = Flags {
        head: true,
        ..Flags::default()
    };
    let mut recording = Recording::with_streams(Layout::Mrtk1_1, flags);
    recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    let topics: Vec<String> = messages(&bytes)
        .into_iter()
        .map(|(topic, ..)| topic)
        .collect();
    assert_eq!(topics, [isaac::RECORDING, isaac::HEAD, isaac::CHECKSUM]);
}

#[test]
fn one_recorded_hand_has_the_topics_of_both() {
    let mut recording = Motion::new(Scene::PinchDrag, 3, 1.0).record(30.0, Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left;
    *left = inputanim::HandCurves::empty(inputanim::KeyKind::Simple);
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    let messages = messages(&bytes);
    let of = |name: &str| {
        let messages = messages.iter().filter(|(topic, ..)| topic == name);
        messages
            .map(|(.., message)| joints(message))
            .collect::<Vec<_>>()
    };
    assert_eq!(of(isaac::LEFT_HAND).len(), of(isaac::RIGHT_HAND).len());
    let mut left = of(isaac::LEFT_HAND).into_iter().flatten();
    assert!(left.all(|(pose, _)| pose.is_none()));
}

#[test]
fn joints_that_are_not_recorded_are_noted() {
    let recording = Motion::new(Scene::PinchDrag, 3, 1.0).record(30.0, Layout::Mrtk1_1);
    let notes = |keeps: fn(Element) -> bool| {
        let mut recording = recording.clone();
        edit::select(&mut recording, keeps);
        let (_, report) = write(&recording, &ConvertOptions::default()).unwrap();
        let notes = report.notes.iter().map(ToString::to_string);
        notes.skip(2).collect::<Vec<_>>()
    };
    assert!(notes(|_| true).is_empty());
    let of_tip = "right hand: no Palm, Wrist, ThumbMetacarpalJoint and 22 more; these joints are never valid";
    assert_eq!(
        notes(|element| element == Element::Joint(Side::Right, Joint::IndexTip)),
        [of_tip]
    );
    assert_eq!(
        notes(|element| element == Element::Gaze),
        ["a replay by Isaac has no poses: neither the head, a hand nor a controller is recorded"]
    );
}

#[test]
fn unplayable_recordings_are_refused() {
    let mut recording = sample_recording();
    recording.head_mut().push(f32::INFINITY, &Pose::IDENTITY);
    let error = write(&recording, &ConvertOptions::default()).unwrap_err();
    assert!(matches!(error, Error::Sample(_)), "{error}");
    let error = write(&recording, &options(Sampling::Keys)).unwrap_err();
    assert!(
        matches!(error.downcast_ref(), Some(IsaacError::TooLate { .. })),
        "{error}"
    );
}

#[test]
fn an_output_that_fails_is_an_error() {
    let recording = sample_recording();
    let options = ConvertOptions::default();
    let whole = to_isaac(&recording, &options).len();
    let write = |free| {
        let mut space = vec![0; free];
        inputanim_convert::write(Format::Isaac, &recording, &options, space.as_mut_slice())
    };
    for free in [0, 7, 100, 1000, whole / 2, whole - 1] {
        let error = write(free).unwrap_err();
        assert!(matches!(error, Error::Io(_)), "{free}: {error:?}");
    }
    write(whole).unwrap();
}

#[test]
fn samples_come_back_bit_for_bit_from_messages_alone() {
    for (scene, seed) in [(Scene::TwoHands, 1), (Scene::PinchDrag, 2)] {
        let recording = Motion::new(scene, seed, 6.0).record(30.0, Layout::Mrtk1_1);
        for sampling in [Sampling::Rate(60.0), Sampling::Keys] {
            let bytes = to_isaac(&recording, &options(sampling));
            let (back, report) = read(&without_recording(&bytes)).unwrap();
            assert_eq!(report, Report::default());
            assert_eq!(back.markers.len(), recording.markers.len());
            for (a, b) in recording.markers.iter().zip(&back.markers) {
                assert_eq!(a.name, b.name);
                assert!((a.time - b.time).abs() < 1e-6);
            }
            let before = Sampler::new(&recording).unwrap();
            let after = Sampler::new(&back).unwrap();
            assert_eq!(after.duration(), before.duration());
            let mut joints = 0;
            for time in after.key_times() {
                let (a, b) = (before.frame_at(time), after.frame_at(time));
                // Rotations come back in one hemisphere, so their signs may differ.
                let same = |a: &Pose, b: &Pose| {
                    let negated = b.rotation.map(|part| -part);
                    a.position == b.position && (a.rotation == b.rotation || a.rotation == negated)
                };
                for side in Side::BOTH {
                    let (a, b) = (a.hand(side), b.hand(side));
                    assert_eq!((a.tracked, a.pinching), (b.tracked, b.pinching), "{time}");
                    for ((joint, a), (_, b)) in a.joints.iter().zip(b.joints.iter()) {
                        let what = format!("{side} {joint} at {time}");
                        match (a, b) {
                            (Some(a), Some(b)) => assert!(same(a, b), "{what}: {a:?} {b:?}"),
                            (a, b) => assert!(
                                b.is_none() && (a.is_none() || joint == Joint::None),
                                "{what}"
                            ),
                        }
                        joints += usize::from(a.is_some());
                    }
                }
                assert!(same(&a.head.unwrap(), &b.head.unwrap()), "{time}");
                assert_eq!(a.gaze, b.gaze, "{time}");
            }
            assert!(joints > 1000);
        }
    }
}

#[test]
fn a_copied_file_with_another_compression_keeps_the_recording() {
    let recording = sample_recording();
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    for compression in [None, Some(Compression::Lz4), Some(Compression::Zstd)] {
        let options = WriteOptions::new()
            .compression(compression)
            .chunk_size(Some(5000));
        let copied = changed(&bytes, options, |_, _| true);
        assert_eq!(
            read(&copied).unwrap(),
            (recording.clone(), Report::default())
        );
    }
    let copied = changed(&bytes, WriteOptions::new().use_chunks(false), |_, _| true);
    assert_eq!(read(&copied).unwrap().0, recording);
}

#[test]
fn added_topics_do_not_change_the_recording() {
    let recording = sample_recording();
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    let mut file = Cursor::new(Vec::new());
    let mut writer = WriteOptions::new().create(&mut file).unwrap();
    let camera = std::sync::Arc::new(::mcap::Channel {
        id: 99,
        topic: "camera/image".to_owned(),
        schema: None,
        message_encoding: "jpeg".to_owned(),
        metadata: Default::default(),
    });
    for message in MessageStream::new(&bytes).unwrap() {
        let message = message.unwrap();
        writer.write(&message).unwrap();
        let picture = ::mcap::Message {
            channel: camera.clone(),
            data: vec![1, 2, 3].into(),
            ..message
        };
        writer.write(&picture).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    assert_eq!(read(&file.into_inner()).unwrap().0, recording);
}

#[test]
fn changed_messages_count_instead_of_the_recording() {
    let recording = sample_recording();
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    let note = "the messages are read instead of the recording on inputanim/recording, because they were changed after \
                the file was written";
    let read_changed = |bytes: &[u8]| {
        let (back, report) = read(bytes).unwrap();
        assert_ne!(back, recording);
        assert_eq!(report.losses, []);
        assert_eq!(report.notes[0].kind, NoteKind::OtherContent);
        assert_eq!(report.notes[0].to_string(), note);
        Sampler::new(&back).unwrap()
    };

    // The second half is removed.
    let mut left = messages(&bytes).len() / 2;
    let cut = changed(&bytes, WriteOptions::new(), |_, _| {
        left = left.saturating_sub(1);
        left > 0
    });
    let sampler = read_changed(&cut);
    assert!(
        (1.5..2.5).contains(&sampler.duration()),
        "{}",
        sampler.duration()
    );

    // The height of the head is changed.
    let raised = changed(&bytes, WriteOptions::new(), |topic, message| {
        if topic == isaac::HEAD {
            // Two flags follow the pose.
            let pose = message.len() - 2 - 28;
            message[pose + 4..pose + 8].copy_from_slice(&7.0_f32.to_le_bytes());
        }
        true
    });
    assert_eq!(
        read_changed(&raised).frame_at(1.0).head.unwrap().position[1],
        7.0
    );

    // One hand is removed.
    let one_hand = changed(&bytes, WriteOptions::new(), |topic, _| {
        topic != isaac::LEFT_HAND
    });
    let frame = read_changed(&one_hand).frame_at(2.0);
    assert_eq!(frame.left.joints[Joint::Palm], None);
}

#[test]
fn a_message_far_after_the_others_is_noted() {
    let mut recording = Motion::new(Scene::Wave, 1, 2.0).record(30.0, Layout::Mrtk1_1);
    let clock_notes = |recording: &Recording<'_>| {
        let bytes = without_recording(&to_isaac(recording, &options(Sampling::Keys)));
        let (_, report) = read(&bytes).unwrap();
        let notes = report.notes.into_iter();
        let notes = notes.filter(|note| note.kind == NoteKind::Clock);
        notes.map(|note| note.to_string()).collect::<Vec<_>>()
    };
    assert!(clock_notes(&recording).is_empty());
    recording.head_mut().push(4000.0, &Pose::IDENTITY);
    let note =
        "nothing from 2.000 s to 4000.000 s; the times of the 1 frame after it may be damaged";
    assert_eq!(clock_notes(&recording), [note]);
}

#[test]
fn merged_recordings_are_read_from_their_messages() {
    let others = Motion::new(Scene::Wave, 1, 2.0).record(30.0, Layout::Mrtk1_1);
    let mut merged = Cursor::new(Vec::new());
    let mut writer = WriteOptions::new().create(&mut merged).unwrap();
    for recording in [&sample_recording(), &others] {
        let bytes = to_isaac(recording, &ConvertOptions::default());
        for message in MessageStream::new(&bytes).unwrap() {
            writer.write(&message.unwrap()).unwrap();
        }
    }
    writer.finish().unwrap();
    drop(writer);
    let (_, report) = read(&merged.into_inner()).unwrap();
    assert_eq!(report.notes[0].kind, NoteKind::OtherContent);
    assert_eq!(report.losses[0].kind, LossKind::Order);
}

#[test]
fn a_truncated_file_keeps_an_intact_recording() {
    let recording = sample_recording();
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    let (mut whole, mut reported) = (0, 0);
    for end in (0..bytes.len()).step_by(3001) {
        match read(&bytes[..end]) {
            Ok((back, report)) => {
                assert_eq!(back, recording, "cut at {end}");
                assert!(
                    report
                        .notes
                        .iter()
                        .all(|note| note.kind == NoteKind::Damage)
                );
                reported += usize::from(!report.notes.is_empty());
                whole += 1;
            }
            Err(error) => match error.downcast_ref() {
                Some(IsaacError::NotMcap | IsaacError::NothingToRead { .. }) => {
                    assert_eq!(whole, 0, "cut at {end}");
                }
                _ => panic!("cut at {end}: {error}"),
            },
        }
        if end > 60 {
            assert_eq!(Format::detect(&bytes[..end]), Some(Format::Isaac), "{end}");
        }
    }
    assert!(whole > 0, "most cuts are after the recording");
    assert!(reported > 0, "damage is reported");
    // In a file of another program, the messages count.
    let small = WriteOptions::new().chunk_size(Some(5000));
    let copied = changed(&bytes, small, |topic, _| topic != isaac::CHECKSUM);
    let (back, report) = read(&copied[..copied.len() / 2]).unwrap();
    assert!(back.duration() < recording.duration());
    assert_eq!(report.losses[0].kind, LossKind::Damage);
}

#[test]
fn intact_parts_of_a_damaged_file_are_read() {
    let recording = sample_recording();
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    let small = WriteOptions::new().chunk_size(Some(5000));
    let alone = changed(&bytes, small, |topic, _| topic != isaac::RECORDING);
    let mut damaged = 0;
    for at in (8..bytes.len()).step_by(9973) {
        let mut bytes = bytes.clone();
        bytes[at] ^= 0x10;
        if let Ok((back, report)) = read(&bytes) {
            let is_complete = back == recording;
            assert!(is_complete || !report.losses.is_empty(), "at {at}");
            damaged += usize::from(!report.notes.is_empty());
        }
    }
    assert!(damaged > 0, "damage is reported");
    let mut damaged = 0;
    for at in (8..alone.len()).step_by(9973) {
        let mut bytes = alone.clone();
        bytes[at] ^= 0x10;
        if let Ok((_, report)) = read(&bytes) {
            damaged += usize::from(
                report
                    .losses
                    .iter()
                    .any(|loss| loss.kind == LossKind::Damage),
            );
        }
    }
    assert!(damaged > 0, "damage is reported");
}

#[test]
fn damaged_messages_are_errors_and_no_panics() {
    let recording = Motion::new(Scene::TwoHands, 1, 0.1).record(20.0, Layout::Mrtk1_1);
    let bytes = to_isaac(&recording, &options(Sampling::Keys));
    let (mut read_as_is, mut refused) = (0, 0);
    for at in 0..120 {
        for byte in [0, 0x7f, 0xff] {
            let options = WriteOptions::new().compression(None);
            let damaged = changed(&bytes, options, |topic, message| {
                if let Some(place) = message.get_mut(at) {
                    *place = byte;
                }
                topic != isaac::RECORDING
            });
            match read(&damaged) {
                Ok(_) => read_as_is += 1,
                Err(error) if error.downcast_ref::<IsaacError>().is_some() => refused += 1,
                Err(error) => panic!("{at}: {error}"),
            }
        }
    }
    assert!(read_as_is > 0 && refused > 0, "{read_as_is} {refused}");
}

#[test]
fn limits_bound_every_kind_of_content() {
    let bytes = to_isaac(&sample_recording(), &ConvertOptions::default());
    let alone = without_recording(&bytes);
    let refused = |bytes: &[u8], change: fn(&mut Limits)| {
        let mut limits = Limits::default();
        change(&mut limits);
        let error = read_with(bytes, &limits).unwrap_err();
        assert!(matches!(error, Error::Limit { .. }), "{error}");
    };
    refused(&bytes, |limits| limits.max_bytes = 100);
    refused(&alone, |limits| limits.max_keys = 1000);
    refused(&alone, |limits| limits.max_markers = 1);
    let mut limits = Limits::default();
    limits.max_sample_bytes = 1000;
    let mut options = ConvertOptions::default();
    options.limits = limits;
    let error = write(&sample_recording(), &options).unwrap_err();
    assert!(matches!(error, Error::Sample(_)), "{error}");
}

#[test]
fn poses_that_are_not_finite_are_not_valid() {
    let mut recording = Motion::new(Scene::TwoHands, 1, 0.5).record(20.0, Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left.joints;
    left[Joint::IndexTip].position[1] = FloatCurve::linear([(0.0, f32::NAN)]);
    let bytes = to_isaac(&recording, &ConvertOptions::default());
    let mut hands = 0;
    for (topic, _, message) in messages(&bytes) {
        if topic == isaac::LEFT_HAND {
            let joints = joints(&message);
            assert_eq!(joints[10].0, None);
            hands += usize::from(joints[9].0.is_some());
        }
    }
    assert!(hands > 0);
    assert_eq!(read(&bytes).unwrap().0, recording);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn controllers_come_back_from_the_messages(recording in device_recording()) {
        let bytes = to_isaac(&recording, &options(Sampling::Rate(30.0)));
        let (back, report) = read(&without_recording(&bytes)).unwrap();
        prop_assert!(report.losses.is_empty(), "{:?}", report.losses);
        let (before, after) = (Sampler::new(&recording).unwrap(), Sampler::new(&back).unwrap());
        let first = bytes_times(&bytes)[0];
        for time in bytes_times(&bytes) {
            let (a, b) = (before.frame_at(time), after.frame_at(time - first));
            for side in Side::BOTH {
                let name = DeviceName::controller(side);
                let Some(a) = a.device(name).filter(|device| device.active) else {
                    prop_assert!(
                        b.device(name).is_none_or(|device| !device.active),
                        "{time} {first}: {:?} {:?} {:?}",
                        b.device(name),
                        before.frame_at(time).device(name),
                        back.device(name).map(|device| &device.profiles)
                    );
                    continue;
                };
                let b = b.device(name).unwrap();
                prop_assert!(b.active);
                prop_assert_eq!(a.poses.len(), b.poses.len());
                for ((name, a), (_, b)) in a.poses.iter().zip(&b.poses) {
                    prop_assert_eq!(a.position, b.position, "{} at {}", name, time);
                    let product: f32 = a.rotation.iter().zip(b.rotation).map(|(a, b)| a * b).sum();
                    prop_assert!(product.abs() > 1.0 - 1e-6);
                }
                let primary = if side == Side::Left { "x/click" } else { "a/click" };
                for (of_a, of_b) in [
                    ("a/click", primary),
                    ("thumbstick/x", "thumbstick/x"),
                    ("trigger/value", "trigger/value"),
                ] {
                    let value = a.input(of_a.parse().unwrap()).map_or(0.0, InputValue::number);
                    let back = b.input(of_b.parse().unwrap()).unwrap().number();
                    prop_assert_eq!(value, back, "{} at {}", of_a, time);
                }
            }
        }
        // Devices that NVIDIA does not have are in messages of our own.
        let waist = "tracker.waist".parse().unwrap();
        prop_assert_eq!(back.device(waist), recording.device(waist));
    }
}

/// Returns the times of the frames, in seconds.
fn bytes_times(bytes: &[u8]) -> Vec<f32> {
    let mut times: Vec<u64> = messages(bytes)
        .into_iter()
        .filter(|(topic, _, _)| topic == isaac::HEAD)
        .map(|(_, time, _)| time)
        .collect();
    times.sort_unstable();
    times.dedup();
    times
        .into_iter()
        .map(|time| (time as f64 / 1e9) as f32)
        .collect()
}
