//! Files of Isaac Capture as NVIDIA's recorder writes them.

use std::collections::BTreeMap;
use std::io::Cursor;

use ::mcap::records::MessageHeader;
use ::mcap::{Compression, WriteOptions};
use inputanim::{DeviceName, Joint, Pose, Recording, Sampler, Side};
use inputanim_convert::isaac::IsaacError;
use inputanim_convert::{Error, Format, LossKind, NoteKind, ReadOptions, Report};

const HAND: &str = "core.HandPoseRecord";
const HEAD: &str = "core.HeadPoseRecord";
const CONTROLLER: &str = "core.ControllerSnapshotRecord";

/// The topic, the name of the schema, the log time and the bytes of a message.
type Message<'a> = (&'a str, &'a str, u64, Vec<u8>);

/// Writes a file.
fn file(messages: &[Message<'_>]) -> Vec<u8> {
    file_with(messages, &[])
}

fn file_with(messages: &[Message<'_>], schema_data: &[u8]) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    let options = WriteOptions::new()
        .profile("teleop")
        .compression(Some(Compression::Lz4));
    let mut writer = options.create(&mut file).unwrap();
    for (topic, schema, time, data) in messages {
        let schema = writer
            .add_schema(schema, "flatbuffer", schema_data)
            .unwrap();
        let channel_id = writer
            .add_channel(schema, topic, "flatbuffer", &BTreeMap::new())
            .unwrap();
        let header = MessageHeader {
            channel_id,
            sequence: 0,
            log_time: *time,
            publish_time: *time,
        };
        writer.write_to_known_channel(&header, data).unwrap();
    }
    writer.finish().unwrap();
    drop(writer);
    file.into_inner()
}

fn read(bytes: &[u8]) -> Result<(Recording<'static>, Report), Error> {
    assert_eq!(Format::detect(bytes), Some(Format::Isaac));
    let (recording, report) =
        inputanim_convert::read(Format::Isaac, bytes, &ReadOptions::default())?;
    Ok((recording.into_owned(), report))
}

/// Returns a message: a table with a payload and a timestamp. `fields` are the offsets of the fields in the payload, whose
/// bytes follow its first four. The lists of field offsets are after the tables.
fn message(payload: Option<(&[u16], &[u8])>, sample_time: i64) -> Vec<u8> {
    let mut bytes = vec![0; 40];
    bytes[0] = 8;
    bytes[16..24].copy_from_slice(&(sample_time + 5_000_000).to_le_bytes());
    bytes[24..32].copy_from_slice(&sample_time.to_le_bytes());
    bytes[32..40].copy_from_slice(&77_i64.to_le_bytes());
    let list = |bytes: &mut Vec<u8>, table: usize, fields: &[u16]| {
        bytes.resize(bytes.len().next_multiple_of(2), 0);
        let back = table as i32 - bytes.len() as i32;
        bytes[table..table + 4].copy_from_slice(&back.to_le_bytes());
        let length = 4 + 2 * fields.len() as u16;
        for number in [&[length, 0], fields].concat() {
            bytes.extend(number.to_le_bytes());
        }
    };
    let Some((fields, content)) = payload else {
        list(&mut bytes, 8, &[0, 8]);
        return bytes;
    };
    bytes[12..16].copy_from_slice(&28_u32.to_le_bytes());
    bytes.extend([0; 4]);
    bytes.extend(content);
    list(&mut bytes, 8, &[4, 8]);
    list(&mut bytes, 40, fields);
    bytes
}

/// Returns the 28 bytes of a pose.
fn pose(position: [f32; 3], rotation: [f32; 4]) -> Vec<u8> {
    let numbers = position.into_iter().chain(rotation);
    numbers.flat_map(f32::to_le_bytes).collect()
}

const NO_ROTATION: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// Returns the message of a hand with all joints at one position, of which some are valid.
fn hand(position: [f32; 3], is_valid: impl Fn(usize) -> bool, sample_time: i64) -> Vec<u8> {
    let mut joints = Vec::new();
    for index in 0..26 {
        joints.extend(pose(position, NO_ROTATION));
        joints.extend([u8::from(is_valid(index)), 0xaa, 0xaa, 0xaa]);
        joints.extend(0.01_f32.to_le_bytes());
    }
    message(Some((&[4], &joints)), sample_time)
}

fn head(position: [f32; 3], is_valid: bool, is_tracked: bool, sample_time: i64) -> Vec<u8> {
    let mut head = pose(position, NO_ROTATION);
    head.extend([u8::from(is_valid), u8::from(is_tracked)]);
    message(Some((&[4, 32, 33], &head)), sample_time)
}

fn controller(grip: Option<[f32; 3]>, trigger: f32, sample_time: i64) -> Vec<u8> {
    let pose_of = |position: Option<[f32; 3]>| {
        let mut bytes = pose(position.unwrap_or_default(), NO_ROTATION);
        bytes.extend([u8::from(position.is_some()), 0, 0, 0]);
        bytes
    };
    let mut content = pose_of(grip);
    content.extend(pose_of(None));
    content.extend([0; 4]);
    content.extend(
        [0.0, 0.0, 0.3, trigger]
            .into_iter()
            .flat_map(f32::to_le_bytes),
    );
    message(Some((&[4, 36, 68], &content)), sample_time)
}

const SECOND: i64 = 1_000_000_000;

fn log(time: i64) -> u64 {
    (time + 5_000_000) as u64
}

#[test]
fn hands_and_head_become_a_recording() {
    let (at, tip) = ([0.1, 1.2, -0.3], 10);
    let times = [500 * SECOND, 500 * SECOND + 16_000_000, 501 * SECOND];
    let messages = [
        (
            "hands/left_hand",
            HAND,
            log(times[0]),
            hand(at, |_| true, times[0]),
        ),
        (
            "hands/right_hand",
            HAND,
            log(times[0]),
            message(None, times[0]),
        ),
        (
            "head/head",
            HEAD,
            log(times[0]),
            head([0.0, 1.6, 0.0], true, true, times[0]),
        ),
        (
            "hands/left_hand",
            HAND,
            log(times[1]),
            hand(at, |index| index != tip, times[1]),
        ),
        (
            "hands/right_hand",
            HAND,
            log(times[1]),
            hand(at, |_| false, times[1]),
        ),
        (
            "head/head",
            HEAD,
            log(times[1]),
            head([0.0, 1.7, 0.0], false, false, times[1]),
        ),
        (
            "hands/left_hand",
            HAND,
            log(times[2]),
            message(None, times[2]),
        ),
        (
            "hands/right_hand",
            HAND,
            log(times[2]),
            hand(at, |_| true, times[2]),
        ),
        (
            "head/head",
            HEAD,
            log(times[2]),
            head([0.0, 1.8, 0.0], true, false, times[2]),
        ),
    ];
    let (recording, report) = read(&file(&messages)).unwrap();
    assert_eq!(report.losses, []);
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "no pinches: Isaac Capture does not record them",
            "head: valid but not tracked in 1 message, poses kept",
            "the head is unknown for 1 s from 0 s on",
        ]
    );
    let sampler = Sampler::new(&recording).unwrap();
    assert_eq!(sampler.key_times(), [0.0, 0.016, 1.0]);
    let first = sampler.frame_at(0.0);
    assert!(first.left.tracked && !first.right.tracked);
    let position = first.left.joints[Joint::IndexTip].map(|pose| pose.position);
    assert_eq!(position, Some([0.1, 1.2, 0.3]));
    let hands = recording.hands.as_ref().unwrap();
    let keys = |side: Side, joint: Joint| hands.hand(side).joints[joint].position[0].keys.len();
    assert_eq!(keys(Side::Left, Joint::Wrist), 2);
    assert_eq!(keys(Side::Left, Joint::IndexTip), 1);
    assert_eq!(keys(Side::Right, Joint::IndexTip), 1);
    let last = sampler.frame_at(1.0);
    assert!(!last.left.tracked && last.right.tracked);
    let head = recording.head.as_ref().unwrap();
    assert_eq!(head.position[1].keys.len(), 2);
}

#[test]
fn a_time_is_on_the_clock_of_the_sample_times() {
    let all = |_| true;
    let messages = [
        (
            "a/left_hand",
            HAND,
            7_000_000_000,
            hand([0.0; 3], all, SECOND),
        ),
        (
            "a/left_hand",
            HAND,
            8_000_000_000,
            hand([0.0; 3], all, 3 * SECOND),
        ),
        // A message that is late is sorted.
        (
            "a/left_hand",
            HAND,
            9_000_000_000,
            hand([0.0; 3], all, 2 * SECOND),
        ),
        (
            "a/left_hand",
            HAND,
            9_000_000_001,
            hand([0.0; 3], all, 2 * SECOND),
        ),
        ("a/left_hand", HAND, 5_000_000_000, hand([0.0; 3], all, 0)),
    ];
    let (recording, report) = read(&file(&messages)).unwrap();
    assert_eq!(
        Sampler::new(&recording).unwrap().key_times(),
        [0.0, 1.0, 2.0, 3.0]
    );
    assert_eq!(report.losses[0].kind, LossKind::Order);
    assert_eq!(
        report.losses[0].to_string(),
        "1 message not later than another of the same device"
    );
}

#[test]
fn log_times_on_another_clock_do_not_count_beside_sample_times() {
    let start: u64 = 1_700_000_000_000_000_000;
    let log = |time: i64| start + time as u64;
    let messages = |sample: fn(i64) -> i64| {
        let steps = (0..4).map(|step| step * SECOND / 2);
        let messages = steps.flat_map(|time| {
            let head = head([0.0; 3], true, true, sample(time));
            let hand = hand([0.0; 3], |_| true, sample(time));
            [
                ("a/left_hand", HAND, log(time), hand),
                ("b/head", HEAD, log(time), head),
            ]
        });
        messages.collect::<Vec<_>>()
    };
    // The first sample time is 0, or all are.
    for sample in [|time| time, |_| 0] {
        let (recording, report) = read(&file(&messages(sample))).unwrap();
        assert_eq!(report.losses, []);
        let times = Sampler::new(&recording).unwrap().key_times();
        assert_eq!(times, [0.0, 0.5, 1.0, 1.5]);
    }
}

#[test]
fn a_hand_without_messages_is_lost_after_half_a_second() {
    let mut messages = vec![("a/left_hand", HAND, 0, hand([0.0; 3], |_| true, SECOND))];
    for step in 0..10 {
        let time = SECOND + step * SECOND / 10;
        messages.push(("b/head", HEAD, 0, head([0.0; 3], true, true, time)));
    }
    let (recording, _) = read(&file(&messages)).unwrap();
    let sampler = Sampler::new(&recording).unwrap();
    assert!(sampler.frame_at(0.45).left.tracked);
    assert!(!sampler.frame_at(0.65).left.tracked);
}

#[test]
fn controllers_are_devices_and_hands_are_derived_from_them_on_request() {
    let grip = [0.2, 1.0, -0.4];
    let mut messages = Vec::new();
    for (step, trigger) in [0.0, 0.49, 0.5, 1.0].into_iter().enumerate() {
        let time = SECOND + step as i64 * SECOND / 10;
        let tracked = step == 3;
        messages.push((
            "c/right_controller",
            CONTROLLER,
            0,
            controller(Some(grip), trigger, time),
        ));
        messages.push((
            "c/left_controller",
            CONTROLLER,
            0,
            controller(None, trigger, time),
        ));
        messages.push(("h/right_hand", HAND, 0, hand([9.0; 3], |_| tracked, time)));
    }
    let bytes = file(&messages);
    let (recording, report) = read(&bytes).unwrap();
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(notes, ["no pinches: Isaac Capture does not record them"]);
    let sampler = Sampler::new(&recording).unwrap();
    assert!(!sampler.frame_at(0.0).right.tracked && sampler.frame_at(0.3).right.tracked);
    let frame = sampler.frame_at(0.1);
    let device = frame.device(DeviceName::controller(Side::Right)).unwrap();
    assert!(device.active && device.profile.is_none());
    let poses: Vec<_> = device
        .poses
        .iter()
        .map(|(name, pose)| (name.as_str(), pose.position))
        .collect();
    assert_eq!(poses, [("grip", [0.2, 1.0, 0.4])]);
    let inputs: Vec<String> = device
        .inputs
        .iter()
        .map(|(name, value)| format!("{name} {value:?}"))
        .collect();
    let expected = [
        "a.click Boolean(false)",
        "b.click Boolean(false)",
        "menu.click Boolean(false)",
        "squeeze.value Float(0.3)",
        "thumbstick.click Boolean(false)",
        "thumbstick.x Float(0.0)",
        "thumbstick.y Float(0.0)",
        "trigger.value Float(0.49)",
    ];
    assert_eq!(inputs, expected);
    let left = frame.device(DeviceName::controller(Side::Left)).unwrap();
    assert!(left.active && left.poses.is_empty() && left.inputs.len() == 8);

    let mut options = ReadOptions::default();
    options.palms_from_controllers = true;
    let (recording, report) = inputanim_convert::read(Format::Isaac, &bytes, &options).unwrap();
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "no pinches: Isaac Capture does not record them",
            "right hand derived from right.controller in 3 samples: palm and wrist from the grip, pinch from the trigger",
            "24 joints of the right hand are unknown for 0.3 s from 0 s on",
        ]
    );
    assert_eq!(report.notes[1].kind, NoteKind::Controllers);
    let sampler = Sampler::new(&recording).unwrap();
    let right = |time: f32| sampler.frame_at(time).right;
    assert!(
        [0.0, 0.1, 0.2, 0.3]
            .into_iter()
            .all(|time| right(time).tracked)
    );
    assert!(!sampler.frame_at(0.0).left.tracked);
    assert_eq!(
        [0.0, 0.1, 0.2, 0.3].map(|time| right(time).pinching),
        [false, false, true, false]
    );
    let palm: Pose = right(0.0).joints[Joint::Palm].unwrap();
    assert_eq!(palm.position, [0.2, 1.0, 0.4]);
    // +Y of the palm is +X of the right grip, and +Z is +Y. In a recording, +Z points to the fingers.
    assert_eq!(palm.turn([0.0, 1.0, 0.0]).map(f32::round), [1.0, 0.0, 0.0]);
    assert_eq!(palm.turn([0.0, 0.0, -1.0]).map(f32::round), [0.0, 1.0, 0.0]);
    let wrist = right(0.0).joints[Joint::Wrist].unwrap();
    assert!((wrist.position[1] - 1.047).abs() < 1e-6, "{wrist:?}");
    assert_eq!(
        right(0.3).joints[Joint::Palm].unwrap().position,
        [9.0, 9.0, -9.0]
    );
}

#[test]
fn nothing_is_stated_of_hands_without_messages() {
    let message = |topic, time| {
        (
            topic,
            CONTROLLER,
            0,
            controller(Some([0.2, 1.0, -0.4]), 0.5, time),
        )
    };
    let times = [SECOND, 2 * SECOND];
    let mut messages: Vec<_> = times.map(|time| message("c/right_controller", time)).into();
    let (recording, report) = read(&file(&messages)).unwrap();
    assert_eq!(recording.hands, None);
    assert!(report.notes.is_empty(), "{:?}", report.notes);
    assert_eq!(recording.duration(), 1.0);
    let sampler = Sampler::new(&recording).unwrap();
    assert!(
        Side::BOTH
            .into_iter()
            .all(|side| sampler.frame_at(0.5).hand(side).unknown)
    );
    // The topic of one hand says nothing of the other one.
    messages.push(("h/right_hand", HAND, 0, hand([9.0; 3], |_| true, SECOND)));
    let (recording, _) = read(&file(&messages)).unwrap();
    let frame = Sampler::new(&recording).unwrap().frame_at(0.0);
    assert!(frame.left.unknown && frame.right.tracked && !frame.right.unknown);
}

#[test]
fn the_first_topic_of_a_device_with_a_pose_is_read() {
    let all = |_| true;
    let hands = |x: f32| hand([x, 0.0, 0.0], all, SECOND);
    let messages = [
        ("idle/left_hand", HAND, 0, message(None, SECOND)),
        ("first/left_hand", HAND, 0, hands(1.0)),
        ("second/left_hand", HAND, 0, hands(2.0)),
        ("second/deep/right_hand", HAND, 0, hands(3.0)),
        ("body/full_body", "core.FullBodyPoseRecord", 0, vec![1]),
        ("notes", "other.Note", 0, vec![2]),
        // The device does not fit the schema.
        ("odd/right_hand", HEAD, 0, hands(4.0)),
    ];
    let (recording, report) = read(&file(&messages)).unwrap();
    let frame = Sampler::new(&recording).unwrap().frame_at(0.0);
    assert_eq!(frame.left.joints[Joint::Palm].unwrap().position[0], 1.0);
    assert_eq!(frame.right.joints[Joint::Palm].unwrap().position[0], 3.0);
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "no pinches: Isaac Capture does not record them",
            "idle/left_hand (1 message), second/left_hand (1 message) not read, because first/left_hand is the same device",
            "not read: notes (other.Note, flatbuffer) in 1 message",
        ]
    );
    let losses: Vec<String> = report.losses.iter().map(ToString::to_string).collect();
    assert_eq!(
        losses,
        [
            "body/full_body (core.FullBodyPoseRecord, flatbuffer) in 1 message, odd/right_hand (core.HeadPoseRecord, \
             flatbuffer) in 1 message: not a hand, head or controller"
        ]
    );
}

#[test]
fn poses_that_are_not_finite_are_unknown() {
    let messages = [
        (
            "a/left_hand",
            HAND,
            0,
            hand([f32::NAN, 0.0, 0.0], |_| true, SECOND),
        ),
        (
            "a/head",
            HEAD,
            0,
            head([0.0, f32::INFINITY, 0.0], true, true, SECOND),
        ),
        (
            "a/left_hand",
            HAND,
            0,
            hand([3e38, 0.0, 0.0], |_| true, 2 * SECOND),
        ),
    ];
    let (recording, _) = read(&file(&messages)).unwrap();
    assert!(recording.head.is_none());
    let sampler = Sampler::new(&recording).unwrap();
    assert!(!sampler.frame_at(0.0).left.tracked && sampler.frame_at(1.0).left.tracked);
}

#[test]
fn errors_name_the_topic_and_the_message() {
    let good = hand([0.0; 3], |_| true, SECOND);
    let mut bad = good.clone();
    bad.truncate(500);
    let messages = [
        ("a/left_hand", HAND, 0, good.clone()),
        ("a/left_hand", HAND, 0, bad),
    ];
    let (_, report) = read(&file(&messages)).unwrap();
    let losses: Vec<String> = report.losses.iter().map(ToString::to_string).collect();
    let expected = "1 message that cannot be decoded: cannot decode message 1 on a/left_hand: expected a table at byte 980 of 500";
    assert_eq!(losses, [expected]);
    let error = read(&file(&messages[1..])).unwrap_err();
    assert_eq!(error.to_string(), "cannot decode message 0 on a/left_hand");

    let only_body = [("body/full_body", "core.FullBodyPoseRecord", 0, good.clone())];
    let error = read(&file(&only_body)).unwrap_err();
    assert!(matches!(
        error.downcast_ref(),
        Some(IsaacError::NothingToRead { .. })
    ));
    assert!(
        error
            .to_string()
            .ends_with("found body/full_body (core.FullBodyPoseRecord, flatbuffer)"),
        "{error}"
    );

    let not_a_schema = [1, 2, 3];
    let error = read(&file_with(&[("a/left_hand", HAND, 0, good)], &not_a_schema)).unwrap_err();
    assert!(
        error.to_string().ends_with(
            "found a/left_hand (core.HandPoseRecord, flatbuffer), schema that is not a binary schema: \
             expected the root table at byte 0 of 3"
        ),
        "{error}"
    );
    let options = ReadOptions::default();
    let error = inputanim_convert::read(Format::Isaac, b"PK", &options).unwrap_err();
    assert!(matches!(error.downcast_ref(), Some(IsaacError::NotMcap)));
}

#[test]
fn many_topics_take_linear_time() {
    let names: Vec<String> = (0..20_000).map(|index| format!("{index}/head")).collect();
    let message = head([0.0; 3], true, true, SECOND);
    let messages: Vec<Message<'_>> = names
        .iter()
        .map(|name| (name.as_str(), HEAD, 0, message.clone()))
        .collect();
    let (_, report) = read(&file(&messages)).unwrap();
    let notes: Vec<String> = report.notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "1/head (1 message), 2/head (1 message), 3/head (1 message) and 19996 more not read, because 0/head is the same \
             device"
        ]
    );
}

#[test]
fn a_file_that_ends_inside_its_first_chunk_has_nothing_to_read() {
    let hand = hand([0.1, 1.2, -0.3], |_| true, SECOND);
    let bytes = file(&[("a/left_hand", HAND, 0, hand)]);
    let chunk =
        ::mcap::MAGIC.len() + 9 + u64::from_le_bytes(bytes[9..17].try_into().unwrap()) as usize;
    assert_eq!(bytes[chunk], ::mcap::records::op::CHUNK);
    let size = u64::from_le_bytes(bytes[chunk + 1..chunk + 9].try_into().unwrap()) as usize;
    let error = read(&bytes[..chunk + 9]).unwrap_err();
    assert_eq!(
        error.to_string(),
        format!(
            "the file ends inside its first chunk, which begins at byte {chunk}: nothing can be read"
        )
    );
    // The messages before the end are read.
    let (_, report) = read(&bytes[..chunk + 8 + size]).unwrap();
    assert_eq!(report.losses[0].kind, LossKind::Damage);
}

/// Returns the message of a program: a table with a vector of bytes. Without bytes, the record states that none came.
fn program_message(text: Option<&str>, sample_time: i64) -> Vec<u8> {
    let content = text.map(|text| {
        // The offset of the vector, its length and its bytes.
        let mut content = 4_u32.to_le_bytes().to_vec();
        content.extend((text.len() as u32).to_le_bytes());
        content.extend(text.bytes());
        content
    });
    message(
        content.as_ref().map(|content| (&[4][..], &content[..])),
        sample_time,
    )
}

#[test]
fn messages_of_programs_are_markers() {
    const MESSAGES: &str = "core.MessageChannelMessagesRecord";
    let command = r#"{"type":"teleop_command","message":{"command":"start teleop"}}"#;
    let more = r#"{"type":"teleop_command","message":{"command":"stop"},"id":7}"#;
    let mut messages = vec![
        (
            "head/head",
            HEAD,
            log(SECOND),
            head([0.0, 1.6, 0.0], true, true, SECOND),
        ),
        (
            "head/head",
            HEAD,
            log(2 * SECOND),
            head([0.0, 1.7, 0.0], true, true, 2 * SECOND),
        ),
    ];
    let texts = [Some("RESET"), None, Some(command), Some(more)];
    for (index, text) in texts.into_iter().enumerate() {
        let time = SECOND + index as i64 * SECOND / 4;
        let data = program_message(text, time);
        messages.push(("control/messages", MESSAGES, log(time), data));
    }
    let (recording, report) = read(&file(&messages)).unwrap();
    let markers: Vec<_> = recording
        .markers
        .iter()
        .map(|marker| (marker.time, &*marker.name))
        .collect();
    assert_eq!(
        markers,
        [(0.0, "RESET"), (0.5, "start teleop"), (0.75, more)]
    );
    assert_eq!(report.losses, []);
    let empty = "1 record without content in the messages of programs";
    assert!(
        report.notes.iter().any(|note| note.message == empty),
        "{report:?}"
    );
    let notes = report.notes.iter().map(|note| &note.message);
    assert_eq!(
        notes.filter(|note| note.contains("control")).count(),
        0,
        "{report:?}"
    );
}
