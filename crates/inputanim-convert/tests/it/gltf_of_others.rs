//! glTF that other programs wrote.

use inputanim::{
    BooleanCurve, Frame, FullKey, HandFrame, Joint, Keys, Layout, Limits, Pose, Recording, Sampler,
    Space,
};
use std::sync::{Arc, Mutex};

use inputanim_convert::{Error, FileAccess, Format, ReadOptions, WriteOptions, read_in_layout};
use serde_json::{Value, json};

use crate::gltf_clip::Clip as Made;

impl Made {
    fn json(&self, nodes: Value) -> Value {
        let mut file = self.file(json!({
            "extensionsUsed": ["KHR_lights_punctual"],
            "nodes": nodes,
            "meshes": [{"primitives": "whatever"}],
        }));
        file["animations"][0]["name"] = json!("clip");
        file
    }

    fn read(&self, nodes: Value) -> Result<Recording<'static>, Error> {
        read(self.json(nodes).to_string().as_bytes())
    }
}

fn read_with(bytes: &[u8], options: &ReadOptions) -> Result<Recording<'static>, Error> {
    let (recording, _) = inputanim_convert::read(Format::Gltf, bytes, options)?;
    Ok(recording.into_owned())
}

fn read(bytes: &[u8]) -> Result<Recording<'static>, Error> {
    read_with(bytes, &ReadOptions::default())
}

fn write(recording: &Recording<'_>) -> Vec<u8> {
    let mut bytes = Vec::new();
    let options = WriteOptions::default();
    inputanim_convert::write(Format::Glb, recording, &options, &mut bytes).unwrap();
    bytes
}

fn frame(recording: &Recording<'_>, time: f32) -> Frame {
    Sampler::new(recording).unwrap().frame_at(time)
}

fn is_near(a: &[f32], b: &[f32]) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < 1e-6)
}

/// Half of the square root of 2.
const HALF: f32 = std::f32::consts::FRAC_1_SQRT_2;

fn joint(hand: &HandFrame, joint: Joint) -> Pose {
    hand.joints[joint].unwrap()
}

#[test]
fn poses_of_child_nodes_are_converted_to_the_world() {
    let mut made = Made::default();
    // The tip moves along the x of the wrist, which turns by 90° about y between 0 and 2 s.
    made.moves(
        2,
        "translation",
        "LINEAR",
        &[0.0, 1.0],
        &[10.0, 0.0, 0.0, 20.0, 0.0, 0.0],
    );
    made.moves(
        1,
        "rotation",
        "LINEAR",
        &[0.0, 2.0],
        &[0.0, 0.0, 0.0, 1.0, 0.0, HALF, 0.0, HALF],
    );
    let recording = made
        .read(json!([
            {"name": "Left hand", "children": [1], "translation": [0, 1, 0], "scale": [0.01, 0.01, 0.01]},
            {"name": "wrist", "children": [2]},
            {"name": "index-finger-tip"},
        ]))
        .unwrap();
    assert_eq!(recording.layout, Layout::Mrtk1_1);
    let tip = |time| joint(&frame(&recording, time).left, Joint::IndexTip);
    // The recording is in metres and in Unity's axes, in which x is mirrored.
    assert!(is_near(&tip(0.0).position, &[-0.1, 1.0, 0.0]));
    assert!(
        is_near(&tip(2.0).position, &[0.0, 1.0, -0.2]),
        "{:?}",
        tip(2.0)
    );
    assert!(is_near(&tip(2.0).rotation, &[0.0, -HALF, 0.0, HALF]));
    // At the key between them, the wrist has turned by half of the angle.
    let at_1 = [-0.2 * HALF, 1.0, -0.2 * HALF];
    assert!(is_near(&tip(1.0).position, &at_1), "{:?}", tip(1.0));
    let wrist = joint(&frame(&recording, 1.0).left, Joint::Wrist);
    assert!(is_near(&wrist.position, &[0.0, 1.0, 0.0]));
    assert!(frame(&recording, 1.0).left.tracked && !frame(&recording, 1.0).left.pinching);
    assert_eq!(
        recording.to_bytes_as(Layout::Mrtk1_1).map(|_| ()).unwrap(),
        ()
    );
}

#[test]
fn a_matrix_moves_child_nodes() {
    let mut made = Made::default();
    made.moves(1, "translation", "LINEAR", &[0.0], &[1.0, 0.0, 0.0]);
    // The matrix is a quarter turn about y, a scale of 2 and a translation of 1 upwards.
    let matrix = [
        0.0, 0.0, -2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0,
    ];
    let recording = made
        .read(json!([{"children": [1], "matrix": matrix}, {"name": "right.Palm"}]))
        .unwrap();
    let palm = joint(&frame(&recording, 0.0).right, Joint::Palm);
    assert!(is_near(&palm.position, &[0.0, 1.0, -2.0]), "{palm:?}");
    assert!(is_near(&palm.rotation, &[0.0, -HALF, 0.0, HALF]));
}

#[test]
fn a_node_without_a_parent_keeps_its_keys() {
    let mut made = Made::default();
    let values = [
        [1.0, 0.0, 0.0],
        [0.5, 0.0, 0.0],
        [2.0, 0.0, 0.0], // arriving, value, leaving
        [3.0, 0.0, 0.0],
        [0.75, 0.0, 0.0],
        [4.0, 0.0, 0.0],
    ];
    made.moves(
        0,
        "translation",
        "CUBICSPLINE",
        &[0.5, 1.0],
        values.as_flattened(),
    );
    made.moves(
        1,
        "translation",
        "STEP",
        &[0.5, 1.0],
        &[0.5, 0.0, 0.0, 0.75, 0.0, 0.0],
    );
    let recording = made
        .read(json!([{"name": "left.Wrist"}, {"name": "left.Palm"}]))
        .unwrap();
    let hand = &recording.hands.as_ref().unwrap().left;
    let x = &hand.joints[Joint::Wrist].position[0].keys;
    let expected = [
        FullKey::hermite(0.5, -0.5, -1.0, -2.0),
        FullKey::hermite(1.0, -0.75, -3.0, -4.0),
    ];
    assert_eq!(*x, Keys::Full(expected.to_vec().into()));
    let palm = |time| joint(&frame(&recording, time).left, Joint::Palm).position[0];
    assert_eq!([palm(0.5), palm(0.99), palm(1.0)], [-0.5, -0.5, -0.75]);
}

#[test]
fn tangents_that_the_layout_cannot_represent_are_a_loss() {
    let mut made = Made::default();
    let values = [
        [1.0, 0.0, 0.0],
        [0.5, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [3.0, 0.0, 0.0],
        [0.75, 0.0, 0.0],
        [4.0, 0.0, 0.0],
    ];
    let values = values.as_flattened();
    made.moves(0, "translation", "CUBICSPLINE", &[0.5, 1.0], values);
    let text = made.json(json!([{"name": "left.Wrist"}])).to_string();
    let options = ReadOptions::default();
    let (recording, report) = read_in_layout(Format::Gltf, text.as_bytes(), &options).unwrap();
    let x = &recording.hands.as_ref().unwrap().left.joints[Joint::Wrist].position[0].keys;
    assert!(matches!(x, Keys::Simple(keys) if keys.len() == 2));
    let losses: Vec<_> = report.losses.iter().map(ToString::to_string).collect();
    assert!(
        losses.iter().any(|loss| loss.contains("tangents")),
        "{losses:?}"
    );
}

#[test]
fn a_camera_looks_along_its_minus_z() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0]);
    // A half turn about y makes the camera look along +z, like a head without rotation.
    let nodes = json!([{"name": "POV", "camera": 0, "rotation": [0, 1, 0, 0]}]);
    let recording = made.read(nodes.clone()).unwrap();
    let head = frame(&recording, 0.0).head.unwrap();
    assert_eq!(head.position, [-1.0, 2.0, 3.0]);
    assert!(is_near(&head.rotation, &[0.0, 0.0, 0.0, 1.0]), "{head:?}");
    // In axes where −z is forward, cameras and heads look in the same direction.
    let mut options = ReadOptions::default();
    options.space = Some(Space::OpenXr);
    let text = made.json(nodes).to_string();
    let recording = read_with(text.as_bytes(), &options).unwrap();
    let head = frame(&recording, 0.0).head.unwrap();
    assert_eq!(head.position, [1.0, 2.0, -3.0]);
    assert!(is_near(&head.rotation, &[0.0, -1.0, 0.0, 0.0]), "{head:?}");
}

#[test]
fn a_gaze_without_directions_looks_along_its_z() {
    let mut made = Made::default();
    made.moves(0, "rotation", "LINEAR", &[0.0], &[0.0, HALF, 0.0, HALF]);
    let recording = made.read(json!([{"name": "Gaze"}])).unwrap();
    let gaze = frame(&recording, 0.0).gaze.unwrap();
    assert!(is_near(&gaze.direction, &[-1.0, 0.0, 0.0]), "{gaze:?}");
}

/// Reads Unity's axes, states as translations, and nodes that do not move their children, as the
/// exporter that was proposed for MRTK writes them.
#[test]
fn a_file_of_the_proposed_mrtk_exporter_is_read() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0]);
    made.moves(0, "rotation", "LINEAR", &[0.0], &[0.0, HALF, 0.0, HALF]);
    made.moves(
        2,
        "translation",
        "STEP",
        &[0.0, 1.0],
        &[0.0, 0.0, 0.0, 1.0, 0.0, 0.0],
    );
    made.moves(3, "translation", "STEP", &[0.0], &[0.0, 0.0, 0.0]);
    made.moves(5, "translation", "LINEAR", &[1.0], &[4.0, 5.0, 6.0]);
    let odd = |name: &str, more: Value| {
        let mut node = json!({
            "name": name, "scale": [0, 0, 0], "translation": [1, 1, 1], "rotation": [0, 0, 0, 1],
            "camera": -1, "children": null,
        });
        node.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        node
    };
    let mut file = made.json(json!([
        odd("Camera", json!({"camera": 0})),
        odd("Hand.Left", json!({"children": [2, 3, 4]})),
        odd("Hand.Left.Tracking", json!({})),
        odd("Hand.Left.Pinching", json!({})),
        odd("Hand.Left.Joints", json!({"children": [5]})),
        odd("Hand.Left.Joint.IndexTip", json!({})),
    ]));
    file["asset"]["generator"] = json!("Microsoft.MixedReality.Toolkit.InputAnimation-1.0");
    file["asset"]["copyright"] = json!("© P01");
    let recording = read(file.to_string().as_bytes()).unwrap();
    let texts: Vec<_> = recording.about.iter().collect();
    let expected = [
        ("copyright", "© P01"),
        ("format", "gltf"),
        (
            "program",
            "Microsoft.MixedReality.Toolkit.InputAnimation-1.0",
        ),
    ];
    assert_eq!(texts, expected);
    let shown = frame(&recording, 1.0);
    let head = shown.head.unwrap();
    assert_eq!(
        (head.position, head.rotation),
        ([1.0, 2.0, 3.0], [0.0, HALF, 0.0, HALF])
    );
    assert_eq!(
        joint(&shown.left, Joint::IndexTip).position,
        [4.0, 5.0, 6.0]
    );
    let tracked = BooleanCurve::new([(0.0, false), (1.0, true)]);
    assert_eq!(recording.hands.unwrap().left.tracked, tracked);
}

#[test]
fn a_hand_is_tracked_while_it_is_shown() {
    let mut made = Made::default();
    let (on, off) = ([1.0; 3], [0.0; 3]);
    made.moves(
        0,
        "scale",
        "STEP",
        &[0.0, 1.0, 2.0],
        [on, off, on].as_flattened(),
    );
    let places = [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [3.0, 0.0, 0.0]];
    made.moves(
        1,
        "translation",
        "LINEAR",
        &[0.0, 1.5, 2.0],
        places.as_flattened(),
    );
    for offset in [0.0, 1.0] {
        let recording = made
            .read(json!([
                {"name": "R", "children": [1], "translation": [0, offset, 0]},
                {"name": "Wrist"},
            ]))
            .unwrap();
        let right = &recording.hands.as_ref().unwrap().right;
        let flips = [(0.0, true), (1.0, false), (2.0, true)];
        assert_eq!(right.tracked, BooleanCurve::new(flips));
        let wrist = joint(&frame(&recording, 2.0).right, Joint::Wrist);
        assert!(is_near(&wrist.position, &[-3.0, offset, 0.0]));
    }
}

#[test]
fn a_wide_arc_is_divided_into_short_ones() {
    let mut made = Made::default();
    let turned = |degrees: f64| {
        let turn = glam::DQuat::from_rotation_y(degrees.to_radians());
        turn.to_array().map(|part| part as f32)
    };
    let ends = [turned(0.0), turned(170.0).map(|part| -part)];
    made.moves(0, "rotation", "LINEAR", &[0.0, 1.0], ends.as_flattened());
    let recording = made.read(json!([{"name": "head"}])).unwrap();
    for step in 0..=20 {
        let x = step as f32 / 20.0;
        let found = frame(&recording, x).head.unwrap().rotation;
        let expected = turned(170.0 * f64::from(x));
        // In Unity, rotations about y have the opposite direction.
        let near = is_near_to(&found, &Space::Gltf.rotation(expected), 2e-4);
        assert!(near, "{x}: {found:?} {expected:?}");
    }
}

fn is_near_to(a: &[f32], b: &[f32], off: f32) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < off)
}

#[test]
fn normalized_integers_are_read() {
    let mut made = Made::default();
    made.moves(0, "rotation", "LINEAR", &[0.0], &[0.0; 4]);
    let quarter: Vec<u8> = [0_i16, -23_170, 0, 23_170]
        .into_iter()
        .flat_map(i16::to_le_bytes)
        .collect();
    let start = made.bytes.len() - 16;
    made.bytes[start..start + 8].copy_from_slice(&quarter);
    made.accessors[1]["componentType"] = json!(5122);
    made.accessors[1]["normalized"] = json!(true);
    let recording = made.read(json!([{"name": "head"}])).unwrap();
    let head = frame(&recording, 0.0).head.unwrap();
    assert!(
        is_near_to(&head.rotation, &[0.0, HALF, 0.0, HALF], 1e-4),
        "{head:?}"
    );
}

#[test]
fn a_buffer_may_be_an_external_file() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0]);
    let mut file = made.json(json!([{"name": "head"}]));
    file["buffers"][0]["uri"] = json!("my%20take.bin");
    let text = file.to_string();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let (bytes, names) = (made.bytes.clone(), Arc::clone(&asked));
    let mut options = ReadOptions::default();
    options.files = FileAccess::new(move |name| {
        names.lock().unwrap().push(name.to_owned());
        Ok(bytes.clone())
    });
    let recording = read_with(text.as_bytes(), &options).unwrap();
    assert_eq!(
        frame(&recording, 0.0).head.unwrap().position,
        [-1.0, 2.0, 3.0]
    );
    assert_eq!(*asked.lock().unwrap(), ["my take.bin"]);
    let refused = read(text.as_bytes()).unwrap_err();
    assert_eq!(
        chain(&refused)[1],
        "cannot read the buffer \"my%20take.bin\""
    );
}

#[test]
fn an_animation_is_chosen_by_name() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0]);
    made.moves(1, "translation", "LINEAR", &[0.0], &[4.0, 5.0, 6.0]);
    let mut file = made.json(json!([{"name": "a light"}, {"name": "head"}]));
    let one = |name: &str, channel: usize| json!({"name": name, "samplers": made.samplers, "channels": [made.channels[channel]]});
    file["animations"] = json!([one("light", 0), one("first", 1), one("second", 1)]);
    let text = file.to_string();
    // Without a name, the first animation that moves a known node is read.
    assert!(read(text.as_bytes()).is_ok());
    let read_one = |name: &str| {
        let mut options = ReadOptions::default();
        options.animation = Some(name.to_owned());
        read_with(text.as_bytes(), &options)
    };
    assert_eq!(read_one("second").unwrap(), read(text.as_bytes()).unwrap());
    assert_eq!(
        read_one("third").unwrap_err().to_string(),
        "unknown animation \"third\"; the file contains \"light\", \"first\", \"second\""
    );
}

#[test]
fn states_that_another_program_changed_count() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    let left = &mut recording.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, false), (1.0, true)]);
    left.joints[Joint::Wrist].push(1.0, &Pose::at([0.0, 1.0, 0.5]));
    let mut bytes = write(&recording);
    assert_eq!(read(&bytes).unwrap(), recording);
    // A program that does not know the extras keeps them unchanged.
    let from = b"[[0.0,0.0],[1.0,1.0]]";
    let place = bytes
        .windows(from.len())
        .position(|part| part == from)
        .unwrap();
    bytes[place..place + from.len()].copy_from_slice(b"[[0.0,0.0],[9.0,1.0]]");
    assert_eq!(read(&bytes).unwrap(), recording);
}

/// Returns the messages of an error and its causes.
fn chain(error: &dyn std::error::Error) -> Vec<String> {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect()
}

#[test]
fn errors_contain_the_object() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0, 1.0], &[1.0; 6]);
    let file = made.json(json!([{"name": "left.Wrist"}]));
    let error = |path: &str, value: Value| {
        let mut file = file.clone();
        *file.pointer_mut(path).unwrap() = value;
        let error = read(file.to_string().as_bytes()).unwrap_err();
        chain(&error).join(": ")
    };
    let channel = "the translation of node \"left.Wrist\": ";
    let cases = [
        (
            "/asset/version",
            json!("1.0"),
            "expected glTF 2.0, found version \"1.0\"".to_owned(),
        ),
        (
            "/nodes",
            json!([{"name": "Cube"}, {}]),
            "no animation moves a known node; the file contains the nodes \"Cube\" and 1 more"
                .to_owned(),
        ),
        (
            "/nodes",
            json!([{"name": "left.Wrist"}, {"name": "L_Wrist"}]),
            "the nodes \"left.Wrist\" and \"L_Wrist\" are both left.Wrist".to_owned(),
        ),
        (
            "/nodes",
            json!([{"name": "left.Wrist", "children": [1]}, {"name": "b", "children": [0]}]),
            "the node \"left.Wrist\" is its own ancestor, or has more than 100 ancestors"
                .to_owned(),
        ),
        (
            "/animations/0/samplers",
            json!([]),
            format!("{channel}sampler 0 does not exist"),
        ),
        (
            "/animations/0/samplers/0/output",
            json!(9),
            format!("{channel}accessor 9 does not exist"),
        ),
        (
            "/accessors/1/count",
            json!(3),
            format!("{channel}3 values for 2 times: expected 2"),
        ),
        (
            "/accessors/1/type",
            json!("VEC4"),
            format!("{channel}accessor 1 has VEC4: expected VEC3"),
        ),
        (
            "/accessors/0/componentType",
            json!(5123),
            format!("{channel}accessor 0 has numbers of type 5123: expected floats"),
        ),
        (
            "/accessors/0/byteOffset",
            json!(30),
            format!(
                "{channel}accessor 0 exceeds its bufferView, or its bufferView exceeds the \
                 buffer"
            ),
        ),
        (
            "/bufferViews/0/byteLength",
            json!(u64::MAX),
            format!(
                "{channel}accessor 0 exceeds its bufferView, or its bufferView exceeds the \
                 buffer"
            ),
        ),
        (
            "/buffers/0/uri",
            json!("data:x;base64,?"),
            format!("{channel}buffer 0 is not Base64: Invalid symbol 63, offset 0."),
        ),
        (
            "/buffers/0/uri",
            Value::Null,
            format!("{channel}buffer 0 is not in the file"),
        ),
    ];
    for (path, value, expected) in cases {
        assert_eq!(error(path, value), expected);
    }
    for (name, form) in [("sparse", "sparse"), ("extensions", "compressed")] {
        let mut file = file.clone();
        let place = if name == "sparse" {
            "/accessors/1"
        } else {
            "/bufferViews/0"
        };
        file.pointer_mut(place).unwrap()[name] = json!({"x": {}});
        let error = read(file.to_string().as_bytes()).unwrap_err();
        assert!(chain(&error)[1].contains(&format!("is {form}, which is not supported")));
    }
    let mut without = file.clone();
    let accessor = without.pointer_mut("/accessors/1").unwrap();
    accessor.as_object_mut().unwrap().remove("bufferView");
    let error = read(without.to_string().as_bytes()).unwrap_err();
    assert_eq!(
        chain(&error)[1],
        "accessor 1 is without a bufferView, which is not supported"
    );
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0, 0.0], &[1.0; 6]);
    let error = made.read(json!([{"name": "left.Wrist"}])).unwrap_err();
    assert_eq!(
        chain(&error)[1],
        "the time of key 1 is not later than the previous key, or not finite"
    );
    let mut made = Made::default();
    made.moves(
        0,
        "rotation",
        "LINEAR",
        &[0.0, 1.0],
        &[0.0, 0.0, 0.0, 1.0, f32::NAN, 0.0, 0.0, 1.0],
    );
    let error = made.read(json!([{"name": "left.Wrist"}])).unwrap_err();
    assert_eq!(chain(&error)[1], "the value of key 1 is not finite");
}

#[test]
fn a_truncated_binary_file_is_refused_with_its_offset() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    let mut bytes = write(&recording);
    let error = read(&bytes[..100]).unwrap_err().to_string();
    assert!(
        error.starts_with("not a glTF file: the part at byte 12 should end at byte"),
        "{error}"
    );
    assert!(error.ends_with("but the file ends at 100"), "{error}");
    bytes[4] = 1;
    let error = read(&bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "not a glTF file: expected version 2 of the binary form, found 1"
    );
    assert!(read(b"glTF").is_err() && read(b"").is_err());
}

#[test]
fn limits_bound_bytes_keys_and_markers() {
    let mut recording = Recording::new(Layout::Mrtk1_1);
    recording.head_mut().push(0.0, &Pose::IDENTITY);
    recording.markers.push(inputanim::Marker::new(0.5, "a"));
    let bytes = write(&recording);
    let read = |limits: Limits| {
        let mut options = ReadOptions::default();
        options.limits = limits;
        read_with(&bytes, &options)
    };
    let mut exact = Limits::default();
    exact.max_bytes = bytes.len() as u64;
    exact.max_keys = 7;
    exact.max_markers = 1;
    assert_eq!(read(exact).unwrap(), recording);
    for limits in [
        {
            let mut limits = exact;
            limits.max_bytes = exact.max_bytes - 1;
            limits
        },
        {
            let mut limits = exact;
            limits.max_keys = 6;
            limits
        },
        {
            let mut limits = exact;
            limits.max_markers = 0;
            limits
        },
    ] {
        assert!(matches!(read(limits), Err(Error::Limit { .. })));
    }
}
