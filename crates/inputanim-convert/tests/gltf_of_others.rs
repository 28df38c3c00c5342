//! glTF that other programs wrote.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use inputanim::{
    BooleanCurve, Frame, FullKey, HandFrame, Joint, Keys, Layout, Limits, Pose, Recording, Sampler,
    Space,
};
use inputanim_convert::gltf::{self, Options, ReadError, ReadOptions};
use serde_json::{Value, json};

/// A file in the making.
#[derive(Default)]
struct Made {
    bytes: Vec<u8>,
    accessors: Vec<Value>,
    samplers: Vec<Value>,
    channels: Vec<Value>,
}

impl Made {
    fn accessor(&mut self, shape: &str, numbers: &[f32]) -> usize {
        let width = match shape {
            "SCALAR" => 1,
            "VEC3" => 3,
            _ => 4,
        };
        self.accessors.push(json!({
            "bufferView": 0, "byteOffset": self.bytes.len(), "componentType": 5126,
            "count": numbers.len() / width, "type": shape,
        }));
        self.bytes
            .extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
        self.accessors.len() - 1
    }

    fn moves(
        &mut self,
        node: usize,
        path: &str,
        interpolation: &str,
        times: &[f32],
        values: &[f32],
    ) -> &mut Made {
        let shape = if path == "rotation" { "VEC4" } else { "VEC3" };
        let input = self.accessor("SCALAR", times);
        let output = self.accessor(shape, values);
        self.samplers
            .push(json!({"input": input, "output": output, "interpolation": interpolation}));
        let sampler = self.samplers.len() - 1;
        self.channels
            .push(json!({"sampler": sampler, "target": {"node": node, "path": path}}));
        self
    }

    fn json(&self, nodes: Value) -> Value {
        let text = BASE64_STANDARD.encode(&self.bytes);
        json!({
            "asset": {"version": "2.0", "generator": "a test"},
            "extensionsUsed": ["KHR_lights_punctual"],
            "nodes": nodes,
            "meshes": [{"primitives": "whatever"}],
            "animations": [{
                "name": "clip", "samplers": self.samplers, "channels": self.channels,
            }],
            "accessors": self.accessors,
            "bufferViews": [{"buffer": 0, "byteLength": self.bytes.len()}],
            "buffers": [{
                "byteLength": self.bytes.len(),
                "uri": format!("data:application/gltf-buffer;base64,{text}"),
            }],
        })
    }

    fn read(&self, nodes: Value) -> Result<Recording<'static>, ReadError> {
        gltf::read(self.json(nodes).to_string().as_bytes())
    }
}

fn frame(take: &Recording<'_>, time: f32) -> Frame {
    Sampler::new(take).unwrap().frame_at(time)
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
fn what_hangs_on_other_nodes_is_brought_into_the_world() {
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
    let take = made
        .read(json!([
            {"name": "Left hand", "children": [1], "translation": [0, 1, 0], "scale": [0.01, 0.01, 0.01]},
            {"name": "wrist", "children": [2]},
            {"name": "index-finger-tip"},
        ]))
        .unwrap();
    assert_eq!(take.layout, Layout::Mrtk1_1);
    let tip = |time| joint(&frame(&take, time).left, Joint::IndexTip);
    // Metres, and Unity's axes: x is mirrored.
    assert!(is_near(&tip(0.0).position, &[-0.1, 1.0, 0.0]));
    assert!(
        is_near(&tip(2.0).position, &[0.0, 1.0, -0.2]),
        "{:?}",
        tip(2.0)
    );
    assert!(is_near(&tip(2.0).rotation, &[0.0, -HALF, 0.0, HALF]));
    // At the key in between, as far as the wrist has turned then.
    let at_1 = [-0.2 * HALF, 1.0, -0.2 * HALF];
    assert!(is_near(&tip(1.0).position, &at_1), "{:?}", tip(1.0));
    let wrist = joint(&frame(&take, 1.0).left, Joint::Wrist);
    assert!(is_near(&wrist.position, &[0.0, 1.0, 0.0]));
    assert!(frame(&take, 1.0).left.tracked && !frame(&take, 1.0).left.pinching);
    assert_eq!(take.to_bytes(Layout::Mrtk1_1).map(|_| ()).unwrap(), ());
}

#[test]
fn a_matrix_moves_what_hangs_on_it() {
    let mut made = Made::default();
    made.moves(1, "translation", "LINEAR", &[0.0], &[1.0, 0.0, 0.0]);
    // A quarter turn about y, twice as large, one up.
    let matrix = [
        0.0, 0.0, -2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 2.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 1.0,
    ];
    let take = made
        .read(json!([{"children": [1], "matrix": matrix}, {"name": "right.Palm"}]))
        .unwrap();
    let palm = joint(&frame(&take, 0.0).right, Joint::Palm);
    assert!(is_near(&palm.position, &[0.0, 1.0, -2.0]), "{palm:?}");
    assert!(is_near(&palm.rotation, &[0.0, -HALF, 0.0, HALF]));
}

#[test]
fn a_node_that_hangs_on_nothing_keeps_its_keys() {
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
    let take = made
        .read(json!([{"name": "left.Wrist"}, {"name": "left.Palm"}]))
        .unwrap();
    let hand = &take.hands.as_ref().unwrap().left;
    let x = &hand.joints[Joint::Wrist].position[0].keys;
    let expected = [
        FullKey::hermite(0.5, -0.5, -1.0, -2.0),
        FullKey::hermite(1.0, -0.75, -3.0, -4.0),
    ];
    assert_eq!(*x, Keys::Full(expected.to_vec().into()));
    let palm = |time| joint(&frame(&take, time).left, Joint::Palm).position[0];
    assert_eq!([palm(0.5), palm(0.99), palm(1.0)], [-0.5, -0.5, -0.75]);
}

#[test]
fn a_camera_looks_along_its_minus_z() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0]);
    // Turned by half about y, so that it looks along +z, as a head that is not turned.
    let nodes = json!([{"name": "POV", "camera": 0, "rotation": [0, 1, 0, 0]}]);
    let take = made.read(nodes.clone()).unwrap();
    let head = frame(&take, 0.0).camera.unwrap();
    assert_eq!(head.position, [-1.0, 2.0, 3.0]);
    assert!(is_near(&head.rotation, &[0.0, 0.0, 0.0, 1.0]), "{head:?}");
    // In axes whose forward is -z there is nothing to turn.
    let options = ReadOptions {
        space: Some(Space::OpenXr),
        ..ReadOptions::default()
    };
    let text = made.json(nodes).to_string();
    let no_files = |_: &str| unreachable!();
    let take = gltf::read_with(text.as_bytes(), &options, &Limits::default(), no_files).unwrap();
    let head = frame(&take, 0.0).camera.unwrap();
    assert_eq!(head.position, [1.0, 2.0, -3.0]);
    assert!(is_near(&head.rotation, &[0.0, -1.0, 0.0, 0.0]), "{head:?}");
}

#[test]
fn a_gaze_without_directions_looks_along_its_z() {
    let mut made = Made::default();
    made.moves(0, "rotation", "LINEAR", &[0.0], &[0.0, HALF, 0.0, HALF]);
    let take = made.read(json!([{"name": "Gaze"}])).unwrap();
    let gaze = frame(&take, 0.0).gaze.unwrap();
    assert!(is_near(&gaze.direction, &[-1.0, 0.0, 0.0]), "{gaze:?}");
}

/// The exporter that was proposed for the toolkit writes Unity's axes, states as places, and nodes
/// that carry nothing.
#[test]
fn a_file_of_the_toolkits_exporter_is_read_as_it_means_it() {
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
    let take = gltf::read(file.to_string().as_bytes()).unwrap();
    let shown = frame(&take, 1.0);
    let head = shown.camera.unwrap();
    assert_eq!(
        (head.position, head.rotation),
        ([1.0, 2.0, 3.0], [0.0, HALF, 0.0, HALF])
    );
    assert_eq!(
        joint(&shown.left, Joint::IndexTip).position,
        [4.0, 5.0, 6.0]
    );
    let tracked = BooleanCurve::new([(0.0, false), (1.0, true)]);
    assert_eq!(take.hands.unwrap().left.tracked, tracked);
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
        let take = made
            .read(json!([
                {"name": "R", "children": [1], "translation": [0, offset, 0]},
                {"name": "Wrist"},
            ]))
            .unwrap();
        let right = &take.hands.as_ref().unwrap().right;
        let flips = [(0.0, true), (1.0, false), (2.0, true)];
        assert_eq!(right.tracked, BooleanCurve::new(flips));
        let wrist = joint(&frame(&take, 2.0).right, Joint::Wrist);
        assert!(is_near(&wrist.position, &[-3.0, offset, 0.0]));
    }
}

#[test]
fn a_wide_arc_is_walked_as_an_arc() {
    let mut made = Made::default();
    let turned = |degrees: f64| {
        let turn = glam::DQuat::from_rotation_y(degrees.to_radians());
        turn.to_array().map(|part| part as f32)
    };
    let ends = [turned(0.0), turned(170.0).map(|part| -part)];
    made.moves(0, "rotation", "LINEAR", &[0.0, 1.0], ends.as_flattened());
    let take = made.read(json!([{"name": "head"}])).unwrap();
    for step in 0..=20 {
        let x = step as f32 / 20.0;
        let found = frame(&take, x).camera.unwrap().rotation;
        let expected = turned(170.0 * f64::from(x));
        // Unity turns the other way about y.
        let near = is_near_to(&found, &Space::Gltf.rotation(expected), 2e-4);
        assert!(near, "{x}: {found:?} {expected:?}");
    }
}

fn is_near_to(a: &[f32], b: &[f32], off: f32) -> bool {
    a.iter().zip(b).all(|(a, b)| (a - b).abs() < off)
}

#[test]
fn fractions_may_be_whole_numbers() {
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
    let take = made.read(json!([{"name": "head"}])).unwrap();
    let head = frame(&take, 0.0).camera.unwrap();
    assert!(
        is_near_to(&head.rotation, &[0.0, HALF, 0.0, HALF], 1e-4),
        "{head:?}"
    );
}

#[test]
fn a_buffer_may_lie_beside() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0]);
    let mut file = made.json(json!([{"name": "head"}]));
    file["buffers"][0]["uri"] = json!("my%20take.bin");
    let text = file.to_string();
    let mut asked = Vec::new();
    let beside = |name: &str| {
        asked.push(name.to_owned());
        Ok(made.bytes.clone())
    };
    let options = ReadOptions::default();
    let take = gltf::read_with(text.as_bytes(), &options, &Limits::default(), beside).unwrap();
    assert_eq!(frame(&take, 0.0).camera.unwrap().position, [-1.0, 2.0, 3.0]);
    assert_eq!(asked, ["my take.bin"]);
    let refused = gltf::read(text.as_bytes()).unwrap_err();
    assert_eq!(
        chain(&refused)[1],
        "cannot read the buffer \"my%20take.bin\""
    );
}

#[test]
fn an_animation_may_be_chosen() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0], &[1.0, 2.0, 3.0]);
    made.moves(1, "translation", "LINEAR", &[0.0], &[4.0, 5.0, 6.0]);
    let mut file = made.json(json!([{"name": "a light"}, {"name": "head"}]));
    let one = |name: &str, channel: usize| json!({"name": name, "samplers": made.samplers, "channels": [made.channels[channel]]});
    file["animations"] = json!([one("light", 0), one("first", 1), one("second", 1)]);
    let text = file.to_string();
    // The first that moves something known.
    assert!(gltf::read(text.as_bytes()).is_ok());
    let read = |name: &str| {
        let options = ReadOptions {
            animation: Some(name.to_owned()),
            ..ReadOptions::default()
        };
        let no_files = |_: &str| unreachable!();
        gltf::read_with(text.as_bytes(), &options, &Limits::default(), no_files)
    };
    assert_eq!(
        read("second").unwrap(),
        gltf::read(text.as_bytes()).unwrap()
    );
    assert_eq!(
        read("third").unwrap_err().to_string(),
        "there is no animation \"third\": there are \"light\", \"first\", \"second\""
    );
}

#[test]
fn states_that_were_changed_since_count_as_they_are_now() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    let left = &mut take.hands_mut().left;
    left.tracked = BooleanCurve::new([(0.0, false), (1.0, true)]);
    left.joints[Joint::Wrist].push(1.0, &Pose::at([0.0, 1.0, 0.5]));
    let mut bytes = Vec::new();
    gltf::write(&take, &Options::default(), &mut bytes).unwrap();
    assert_eq!(gltf::read(&bytes).unwrap(), take);
    // In the extras, as a program that keeps what it does not know.
    let from = b"[[0.0,0.0],[1.0,1.0]]";
    let place = bytes
        .windows(from.len())
        .position(|part| part == from)
        .unwrap();
    bytes[place..place + from.len()].copy_from_slice(b"[[0.0,0.0],[9.0,1.0]]");
    assert_eq!(gltf::read(&bytes).unwrap(), take);
}

/// An error and its causes.
fn chain(error: &dyn std::error::Error) -> Vec<String> {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect()
}

#[test]
fn what_is_wrong_is_said_and_where() {
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0, 1.0], &[1.0; 6]);
    let file = made.json(json!([{"name": "left.Wrist"}]));
    let error = |path: &str, value: Value| {
        let mut file = file.clone();
        *file.pointer_mut(path).unwrap() = value;
        let error = gltf::read(file.to_string().as_bytes()).unwrap_err();
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
            "no animation moves a node that is known: there are \"Cube\" and 1 more".to_owned(),
        ),
        (
            "/nodes",
            json!([{"name": "left.Wrist"}, {"name": "L_Wrist"}]),
            "the nodes \"left.Wrist\" and \"L_Wrist\" are both left.Wrist".to_owned(),
        ),
        (
            "/nodes",
            json!([{"name": "left.Wrist", "children": [1]}, {"name": "b", "children": [0]}]),
            "the node \"left.Wrist\" hangs on itself, or on more than 100 others".to_owned(),
        ),
        (
            "/nodes",
            json!([{"name": "left.Wrist", "children": [7]}]),
            "left.Wrist refers to node 7, which is not there".to_owned(),
        ),
        (
            "/animations/0/samplers",
            json!([]),
            format!("{channel}sampler 0 is not there"),
        ),
        (
            "/animations/0/samplers/0/output",
            json!(9),
            format!("{channel}accessor 9 is not there"),
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
                "{channel}accessor 0 does not lie within its bufferView, or that not within its \
                 buffer"
            ),
        ),
        (
            "/bufferViews/0/byteLength",
            json!(u64::MAX),
            format!(
                "{channel}accessor 0 does not lie within its bufferView, or that not within its \
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
        let error = gltf::read(file.to_string().as_bytes()).unwrap_err();
        assert!(chain(&error)[1].contains(&format!("is {form}, which is not read")));
    }
    let mut made = Made::default();
    made.moves(0, "translation", "LINEAR", &[0.0, 0.0], &[1.0; 6]);
    let error = made.read(json!([{"name": "left.Wrist"}])).unwrap_err();
    assert_eq!(
        chain(&error)[1],
        "the time of key 1 is not after the one before, or not finite"
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
fn a_binary_file_that_is_cut_off_is_refused_with_the_place() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().push(0.0, &Pose::IDENTITY);
    let mut bytes = Vec::new();
    gltf::write(&take, &Options::default(), &mut bytes).unwrap();
    let error = gltf::read(&bytes[..100]).unwrap_err().to_string();
    assert!(
        error.starts_with("not a glTF file: the part at byte 12 should end at byte"),
        "{error}"
    );
    assert!(error.ends_with("but the file ends at 100"), "{error}");
    bytes[4] = 1;
    let error = gltf::read(&bytes).unwrap_err().to_string();
    assert_eq!(
        error,
        "not a glTF file: expected version 2 of the binary form, found 1"
    );
    assert!(gltf::read(b"glTF").is_err() && gltf::read(b"").is_err());
}

#[test]
fn limits_bound_bytes_keys_and_markers() {
    let mut take = Recording::new(Layout::Mrtk1_1);
    take.camera_mut().push(0.0, &Pose::IDENTITY);
    take.markers.push(inputanim::Marker::new(0.5, "a"));
    let mut bytes = Vec::new();
    gltf::write(&take, &Options::default(), &mut bytes).unwrap();
    let read = |limits: Limits| {
        let no_files = |_: &str| unreachable!();
        gltf::read_with(&bytes, &ReadOptions::default(), &limits, no_files)
    };
    let exact = Limits {
        max_bytes: bytes.len() as u64,
        max_keys: 7,
        max_markers: 1,
    };
    assert_eq!(read(exact).unwrap(), take);
    for limits in [
        Limits {
            max_bytes: exact.max_bytes - 1,
            ..exact
        },
        Limits {
            max_keys: 6,
            ..exact
        },
        Limits {
            max_markers: 0,
            ..exact
        },
    ] {
        assert!(matches!(read(limits), Err(ReadError::Limit { .. })));
    }
}
