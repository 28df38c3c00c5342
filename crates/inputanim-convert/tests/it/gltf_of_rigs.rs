//! glTF with the skeletons of other programs, and damaged glTF.

use glam::{Mat3, Quat, Vec3};
use inputanim::{Frame, Joint, Recording, Sampler, Side};
use inputanim_convert::{
    Error, Format, InputFile, NoteKind, ReadOptions, Remedy, Report, WriteOptions,
};
use serde_json::{Value, json};

use crate::gltf_clip::Clip;

/// The joints of a finger's chain in the names of a rig: `None` where the rig has no bone.
type Names = fn(finger: usize, bone: usize) -> Option<String>;

/// A hand that is built from its bones.
struct Rig {
    side: Side,
    names: Names,
    hand: &'static str,
    /// The axes of the bones: the columns are the right of the hand, its back and the direction to the tip, in the
    /// axes of the bone.
    bone: [Vec3; 3],
}

const FINGERS: [&str; 5] = ["Thumb", "Index", "Middle", "Ring", "Pinky"];

/// Returns the joints of a finger from the metacarpal to the tip.
fn joints(finger: usize) -> Vec<Joint> {
    let first = [
        Joint::ThumbMetacarpalJoint,
        Joint::IndexMetacarpal,
        Joint::MiddleMetacarpal,
        Joint::RingMetacarpal,
        Joint::PinkyMetacarpal,
    ][finger];
    let count = if finger == 0 { 4 } else { 5 };
    (0..count)
        .map(|bone| Joint::from_index(first.index() + bone).unwrap())
        .collect()
}

/// The nodes and the animation of a file.
#[derive(Default)]
struct Made {
    nodes: Vec<Value>,
    roots: Vec<usize>,
    clip: Clip,
}

impl Made {
    fn animate(&mut self, node: usize, path: &str, values: &[f32]) {
        let width = if path == "rotation" { 4 } else { 3 };
        let times: Vec<f32> = (0..values.len() / width)
            .map(|key| key as f32 * 0.5)
            .collect();
        self.clip.moves(node, path, "LINEAR", &times, values);
    }

    /// Adds a node. `place` and `turn` are relative to its parent.
    fn node(&mut self, name: &str, parent: Option<usize>, place: Vec3, turn: Quat) -> usize {
        self.nodes.push(json!({
            "name": name, "translation": place.to_array(), "rotation": turn.to_array(), "children": [],
        }));
        let node = self.nodes.len() - 1;
        match parent {
            Some(parent) => self.nodes[parent]["children"]
                .as_array_mut()
                .unwrap()
                .push(json!(node)),
            None => self.roots.push(node),
        }
        node
    }

    /// Adds a hand with its palm down and its fingers forward, to +Z, in glTF's axes, in which −X is right. All its bones
    /// curl in the animation.
    fn hand(&mut self, rig: &Rig, parent: Option<usize>, scale: f32) {
        let mirror = if rig.side == Side::Right { -1.0 } else { 1.0 };
        // The rotation of a bone in the world at rest.
        let hand = Mat3::from_cols(Vec3::NEG_X, Vec3::Y, Vec3::Z);
        let [right, back, tip] = rig.bone;
        let turn = Quat::from_mat3(&(hand * Mat3::from_cols(right, back, tip).transpose()));
        let wrist = Vec3::new(0.2 * mirror, 1.0, 0.3) * scale;
        let root = self.node(rig.hand, parent, wrist, turn);
        self.animate(
            root,
            "translation",
            [wrist.to_array(), (wrist + Vec3::Y * scale).to_array()].as_flattened(),
        );
        for finger in 0..FINGERS.len() {
            // The thumb is at the left of a right hand, and +X is left.
            let across = -mirror * (0.03 - 0.015 * finger as f32);
            let (mut parent, mut at) = (root, Vec3::ZERO);
            for bone in 0..joints(finger).len() {
                let place = Vec3::new(across, 0.0, 0.03 + 0.03 * bone as f32) * scale;
                if let Some(name) = (rig.names)(finger, bone) {
                    let local = turn.inverse() * (place - at);
                    let node = self.node(&name, Some(parent), local, Quat::IDENTITY);
                    // A turn about the right of the hand lets the finger curl down.
                    let curl = Quat::from_axis_angle(right, -0.2);
                    self.animate(
                        node,
                        "rotation",
                        [Quat::IDENTITY, curl]
                            .map(|turn| turn.to_array())
                            .as_flattened(),
                    );
                    (parent, at) = (node, place);
                }
            }
        }
    }

    fn json(&self) -> Value {
        self.clip.file(json!({
            "scene": 0, "scenes": [{"nodes": self.roots}],
            "nodes": self.nodes,
        }))
    }
}

fn read_with(file: &Value, options: &ReadOptions) -> Result<(Recording<'static>, Report), Error> {
    let text = file.to_string();
    let (recording, report) = inputanim_convert::read(Format::Gltf, text.as_bytes(), options)?;
    Ok((recording.into_owned(), report))
}

fn read(file: &Value) -> (Recording<'static>, Report) {
    read_with(file, &ReadOptions::default()).unwrap()
}

fn frame(recording: &Recording<'_>, time: f32) -> Frame {
    Sampler::new(recording).unwrap().frame_at(time)
}

fn notes(report: &Report, kind: NoteKind) -> Vec<&str> {
    let notes = report.notes.iter().filter(|note| note.kind == kind);
    notes.map(|note| note.message.as_str()).collect()
}

/// Asserts that all bones of a hand point along +Z of their joints with +Y out of the back of the hand, and that the wrist is at
/// its place. Returns the number of joints.
fn check(recording: &Recording<'_>, side: Side, name: &str) -> usize {
    let shown = frame(recording, 0.0);
    let joints = &shown.hand(side).joints;
    let wrist = Vec3::from(joints[Joint::Wrist].unwrap().position);
    let across = if side == Side::Right { 0.2 } else { -0.2 };
    assert!(
        wrist.distance(Vec3::new(across, 1.0, 0.3)) < 1e-5,
        "{name}: {wrist}"
    );
    for (joint, pose) in joints.iter() {
        let Some(pose) = pose else { continue };
        let turn = Quat::from_array(pose.rotation);
        // In Unity's axes, the fingers point to +Z and the back of the hand to +Y.
        assert!(
            (turn * Vec3::Z).distance(Vec3::Z) < 1e-4,
            "{name} {joint}: {}",
            turn * Vec3::Z
        );
        assert!(
            (turn * Vec3::Y).distance(Vec3::Y) < 1e-4,
            "{name} {joint}: {}",
            turn * Vec3::Y
        );
    }
    // Curled fingers are below the hand.
    let curled = frame(recording, 0.5);
    let height = |joint: Joint| curled.hand(side).joints[joint].unwrap().position[1];
    assert!(
        height(Joint::IndexDistalJoint) < height(Joint::IndexKnuckle),
        "{name}"
    );
    joints.iter().filter(|(_, pose)| pose.is_some()).count()
}

fn mixamo(hand: &str, finger: usize, bone: usize) -> Option<String> {
    let number = if finger == 0 { bone + 1 } else { bone };
    (number > 0).then(|| format!("mixamorig:{hand}Hand{}{number}", FINGERS[finger]))
}

fn oculus(side: &str, finger: usize, bone: usize) -> Option<String> {
    let name = FINGERS[finger].to_lowercase();
    let last = joints(finger).len() - 1;
    match (finger, bone) {
        (_, bone) if bone == last => Some(format!("b_{side}_{name}_null")),
        (0, bone) => Some(format!("b_{side}_{name}{}", bone + 1)),
        (4, 0) => Some(format!("b_{side}_{name}0")),
        (_, 0) => None,
        (_, bone) => Some(format!("b_{side}_{name}{bone}")),
    }
}

fn steamvr(finger: usize, bone: usize) -> Option<String> {
    let name = FINGERS[finger].to_lowercase();
    let last = joints(finger).len() - 1;
    Some(match (finger, bone) {
        (_, bone) if bone == last => format!("finger_{name}_r_end"),
        (0, bone) => format!("finger_{name}_{bone}_r"),
        (_, 0) => format!("finger_{name}_meta_r"),
        (_, bone) => format!("finger_{name}_{}_r", bone - 1),
    })
}

fn unreal(finger: usize, bone: usize) -> Option<String> {
    let name = FINGERS[finger].to_lowercase();
    match (finger, bone) {
        (0, 0..=2) => Some(format!("{name}_0{}_r", bone + 1)),
        (0, _) | (_, 4..) => None,
        (_, 0) => Some(format!("{name}_metacarpal_r")),
        (_, bone) => Some(format!("{name}_0{bone}_r")),
    }
}

fn rigify(finger: usize, bone: usize) -> Option<String> {
    let name = FINGERS[finger].to_lowercase();
    match (finger, bone) {
        (0, 0..=2) => Some(format!("DEF-thumb.0{}.L", bone + 1)),
        (0, _) | (_, 4..) => None,
        (_, 0) => Some(format!("DEF-palm.0{finger}.L")),
        (_, bone) => Some(format!("DEF-f_{name}.0{bone}.L.001")),
    }
}

/// The bones of `OVRSkeleton`, whose thumb begins with the trapezium. The little finger alone has a metacarpal.
fn meta_hand(finger: usize, bone: usize) -> Option<String> {
    let name = FINGERS[finger];
    let last = joints(finger).len() - 1;
    match (finger, bone) {
        (_, bone) if bone == last => Some(format!("Hand_{name}Tip")),
        (0, bone) => Some(format!("Hand_Thumb{}", bone + 1)),
        (4, 0) => Some("Hand_Pinky0".to_owned()),
        (_, 0) => None,
        (_, bone) => Some(format!("Hand_{name}{bone}")),
    }
}

/// The landmarks of MediaPipe as nodes.
fn mediapipe(finger: usize, bone: usize) -> Option<String> {
    let names = match finger {
        0 => &["CMC", "MCP", "IP", "TIP"][..],
        _ => &["", "MCP", "PIP", "DIP", "TIP"],
    };
    let name = [
        "THUMB",
        "INDEX_FINGER",
        "MIDDLE_FINGER",
        "RING_FINGER",
        "PINKY",
    ][finger];
    Some(format!("{name}_{}", names[bone])).filter(|_| !names[bone].is_empty())
}

fn meaning(finger: usize, bone: usize) -> String {
    let names = match finger {
        0 => &["Metacarpal", "Proximal", "Distal", "Tip"][..],
        _ => &["Metacarpal", "Proximal", "Intermediate", "Distal", "Tip"],
    };
    let finger = FINGERS[finger].replace("Pinky", "Little");
    format!("{finger}{}", names[bone])
}

/// The columns of [`Rig::bone`] of usual axes.
const ALONG_Y: [Vec3; 3] = [Vec3::NEG_X, Vec3::NEG_Z, Vec3::Y];
const ALONG_X: [Vec3; 3] = [Vec3::NEG_Y, Vec3::Z, Vec3::X];
const ALONG_MINUS_X: [Vec3; 3] = [Vec3::Y, Vec3::Z, Vec3::NEG_X];
const UNITY: [Vec3; 3] = [Vec3::NEG_X, Vec3::Y, Vec3::Z];

#[test]
fn hands_of_other_rigs_are_read_with_the_axes_of_joints() {
    let right = Side::Right;
    let cases: [(&str, Rig, usize); 13] = [
        (
            "Mixamo",
            Rig {
                side: right,
                hand: "mixamorig:RightHand",
                bone: ALONG_Y,
                names: |f, b| mixamo("Right", f, b),
            },
            21,
        ),
        (
            "Mixamo",
            Rig {
                side: Side::Left,
                hand: "mixamorig:LeftHand",
                bone: ALONG_Y,
                names: |f, b| mixamo("Left", f, b),
            },
            21,
        ),
        (
            "Oculus",
            Rig {
                side: right,
                hand: "b_r_wrist",
                bone: ALONG_MINUS_X,
                names: |f, b| oculus("r", f, b),
            },
            22,
        ),
        (
            "Oculus",
            Rig {
                side: Side::Left,
                hand: "b_l_wrist",
                bone: ALONG_X,
                names: |f, b| oculus("l", f, b),
            },
            22,
        ),
        (
            "SteamVR",
            Rig {
                side: right,
                hand: "wrist_r",
                bone: ALONG_X,
                names: steamvr,
            },
            25,
        ),
        (
            "Unreal",
            Rig {
                side: right,
                hand: "hand_r",
                bone: ALONG_X,
                names: unreal,
            },
            20,
        ),
        (
            "Blender (Rigify)",
            Rig {
                side: Side::Left,
                hand: "DEF-hand.L",
                bone: ALONG_Y,
                names: rigify,
            },
            20,
        ),
        (
            "humanoid (Godot or VRM)",
            Rig {
                side: right,
                hand: "RightHand",
                bone: ALONG_Y,
                names: |f, b| Some(format!("Right{}", meaning(f, b))),
            },
            25,
        ),
        (
            "Unity XR Hands",
            Rig {
                side: right,
                hand: "R_Wrist",
                bone: UNITY,
                names: |f, b| Some(format!("R_{}", meaning(f, b))),
            },
            25,
        ),
        (
            "Meta hand",
            Rig {
                side: right,
                hand: "Hand_WristRoot",
                bone: ALONG_MINUS_X,
                names: meta_hand,
            },
            22,
        ),
        (
            "Meta XR hand",
            Rig {
                side: right,
                hand: "XRHand_Wrist",
                bone: UNITY,
                names: |f, b| Some(format!("XRHand_{}", meaning(f, b))),
            },
            25,
        ),
        (
            "Meta body",
            Rig {
                side: right,
                hand: "FullBody_RightHandWrist",
                bone: ALONG_X,
                names: |f, b| Some(format!("FullBody_RightHand{}", meaning(f, b))),
            },
            25,
        ),
        (
            "MediaPipe",
            Rig {
                side: right,
                hand: "WRIST",
                bone: ALONG_Y,
                names: mediapipe,
            },
            21,
        ),
    ];
    for (name, rig, count) in cases {
        let mut made = Made::default();
        // Some rigs name the hand only above its bones.
        let above = rig.side == right && ["Meta hand", "Meta XR hand", "MediaPipe"].contains(&name);
        let above = above.then(|| made.node("RightHandAnchor", None, Vec3::ZERO, Quat::IDENTITY));
        made.hand(&rig, above, 1.0);
        let (recording, report) = read(&made.json());
        assert_eq!(check(&recording, rig.side, name), count, "{name}");
        assert_eq!(report.losses, []);
        let axes = notes(&report, NoteKind::Axes);
        assert!(
            axes[1].contains(&format!("{} hand: joint names of {name};", rig.side)),
            "{axes:?}"
        );
        assert!(
            notes(&report, NoteKind::OtherContent).is_empty(),
            "{report:?}"
        );
    }
}

#[test]
fn other_bones_of_a_rig_do_not_replace_its_joints() {
    let beside = |made: &mut Made, name: &str| {
        made.node(name, None, Vec3::splat(9.0), Quat::IDENTITY);
    };
    // A generated rig of Rigify has the bones three times, and a control with the name of the palm.
    let mut made = Made::default();
    for finger in 0..FINGERS.len() {
        for bone in 0..joints(finger).len() {
            let Some(name) = rigify(finger, bone) else {
                continue;
            };
            beside(&mut made, &name.replace("DEF-", "ORG-"));
            beside(&mut made, &name.replace("DEF-", ""));
            beside(&mut made, &name.replace("DEF-", "MCH-"));
        }
    }
    for name in ["palm.L", "ORG-hand.L", "hand_fk.L", "hand_ik.L"] {
        beside(&mut made, name);
    }
    let rig = Rig {
        side: Side::Left,
        hand: "DEF-hand.L",
        bone: ALONG_Y,
        names: rigify,
    };
    made.hand(&rig, None, 1.0);
    let (recording, report) = read(&made.json());
    assert_eq!(check(&recording, Side::Left, "Rigify"), 20);
    assert_eq!(report.losses, []);

    // The markers at the tips are better than the ends of bones. Other markers are no joints.
    let mut made = Made::default();
    let rig = Rig {
        side: Side::Left,
        hand: "b_l_wrist",
        bone: ALONG_X,
        names: |finger, bone| match oculus("l", finger, bone) {
            Some(name) if name.ends_with("null") => Some(format!(
                "l_{}_finger_tip_marker",
                FINGERS[finger].to_lowercase()
            )),
            name => name,
        },
    };
    for finger in FINGERS.map(str::to_lowercase) {
        for name in ["null", "null_end"] {
            beside(&mut made, &format!("b_l_{finger}_{name}"));
        }
        for name in [
            "finger_pad_marker",
            "fingernail_marker",
            "palm_knuckle_marker",
            "knuckle_marker",
        ] {
            beside(&mut made, &format!("l_{finger}_{name}"));
        }
    }
    beside(&mut made, "l_palm_center_marker");
    beside(&mut made, "b_l_thumb0");
    made.hand(&rig, None, 1.0);
    let (recording, report) = read(&made.json());
    assert_eq!(check(&recording, Side::Left, "Oculus"), 22);
    assert_eq!(report.losses, []);
}

#[test]
fn rotations_of_nodes_that_only_move_are_computed() {
    let names = [
        "WRIST",
        "THUMB_CMC",
        "THUMB_MCP",
        "THUMB_IP",
        "THUMB_TIP",
        "INDEX_FINGER_MCP",
        "INDEX_FINGER_PIP",
        "INDEX_FINGER_DIP",
        "INDEX_FINGER_TIP",
        "MIDDLE_FINGER_MCP",
        "MIDDLE_FINGER_PIP",
        "MIDDLE_FINGER_DIP",
        "MIDDLE_FINGER_TIP",
        "RING_FINGER_MCP",
        "RING_FINGER_PIP",
        "RING_FINGER_DIP",
        "RING_FINGER_TIP",
        "PINKY_MCP",
        "PINKY_PIP",
        "PINKY_DIP",
        "PINKY_TIP",
    ];
    // A flat right hand with its palm down, which turns from forward to the right: in glTF's axes, −X is right.
    let places = |turn: f32| {
        let turn = Quat::from_rotation_y(turn);
        (0..21).map(move |index| {
            let place = match index {
                0 => Vec3::ZERO,
                _ => {
                    let (finger, bone) = ((index - 1) / 4, (index - 1) % 4);
                    Vec3::new(0.04 - 0.02 * finger as f32, 0.0, 0.06 + 0.03 * bone as f32)
                }
            };
            turn * place + Vec3::new(-0.2, 1.0, 0.3)
        })
    };
    let made = |is_turned: bool| {
        let mut made = Made::default();
        let hand = made.node("RightHandLandmarks", None, Vec3::ZERO, Quat::IDENTITY);
        let ends = [places(0.0), places(-std::f32::consts::FRAC_PI_2)];
        let [start, end] = ends.map(|places| places.collect::<Vec<Vec3>>());
        for (name, (start, end)) in names.iter().zip(start.into_iter().zip(end)) {
            let node = made.node(name, Some(hand), start, Quat::IDENTITY);
            made.animate(
                node,
                "translation",
                [start.to_array(), end.to_array()].as_flattened(),
            );
        }
        if is_turned {
            let still = [Quat::IDENTITY.to_array(); 2];
            made.animate(hand, "rotation", still.as_flattened());
        }
        made.json()
    };
    let (recording, report) = read(&made(false));
    assert_eq!(report.losses, []);
    assert_eq!(
        notes(&report, NoteKind::ComputedRotations),
        [
            "rotations computed from positions: right.Wrist, right.ThumbMetacarpalJoint, \
          right.ThumbProximalJoint and 18 more"
        ]
    );
    // Only the axes of the file are noted.
    assert_eq!(notes(&report, NoteKind::Axes).len(), 1);
    for (time, forward) in [(0.0, Vec3::Z), (0.5, Vec3::X)] {
        let joints = frame(&recording, time).right.joints;
        assert_eq!(joints.iter().filter(|(_, pose)| pose.is_some()).count(), 21);
        for joint in [Joint::IndexKnuckle, Joint::RingTip, Joint::PinkyMiddleJoint] {
            let turn = Quat::from_array(joints[joint].unwrap().rotation);
            assert!((turn * Vec3::Z).distance(forward) < 1e-4, "{time} {joint}");
            assert!((turn * Vec3::Y).distance(Vec3::Y) < 1e-4, "{time} {joint}");
        }
    }
    // A rotation in the animation counts.
    let (_, report) = read(&made(true));
    assert!(notes(&report, NoteKind::ComputedRotations).is_empty());
    assert_eq!(notes(&report, NoteKind::Axes).len(), 2);
}

fn both_hands() -> [Rig; 2] {
    [
        Rig {
            side: Side::Left,
            hand: "mixamorig:LeftHand",
            bone: ALONG_Y,
            names: |f, b| mixamo("Left", f, b),
        },
        Rig {
            side: Side::Right,
            hand: "mixamorig:RightHand",
            bone: ALONG_Y,
            names: |f, b| mixamo("Right", f, b),
        },
    ]
}

#[test]
fn a_scaled_rig_under_a_moving_parent_is_read_with_both_hands() {
    let mut made = Made::default();
    let root = made.node("Armature", None, Vec3::ZERO, Quat::IDENTITY);
    made.nodes[root]["scale"] = json!([0.01, 0.01, 0.01]);
    for rig in both_hands() {
        made.hand(&rig, Some(root), 100.0);
    }
    let hips = made.node("mixamorig:Hips", Some(root), Vec3::ZERO, Quat::IDENTITY);
    made.animate(hips, "translation", &[0.0; 6]);
    // The parent moves by 2 m along its +Z between 0 and 0.5 s.
    made.animate(root, "translation", &[0.0, 0.0, 0.0, 0.0, 0.0, 2.0]);
    let (recording, report) = read(&made.json());
    for side in Side::BOTH {
        assert_eq!(check(&recording, side, "both"), 21);
        let wrist = frame(&recording, 0.5).hand(side).joints[Joint::Wrist].unwrap();
        assert!((wrist.position[2] - 2.3).abs() < 1e-5, "{wrist:?}");
    }
    let unread = notes(&report, NoteKind::OtherContent);
    assert_eq!(unread, ["not read: 1 of 44 animated nodes: mixamorig:Hips"]);
    let missing = notes(&report, NoteKind::MissingJoints);
    assert_eq!(
        missing[0],
        "left hand: 5 joints not in the file: Palm, IndexMetacarpal, MiddleMetacarpal, RingMetacarpal, PinkyMetacarpal"
    );
}

/// Returns a right hand with the names and the axes of WebXR, in the axes of WebXR.
fn webxr() -> Made {
    let mut made = Made::default();
    // Half a turn about Y is the way from glTF's axes to those of WebXR.
    let half = Quat::from_rotation_y(std::f32::consts::PI);
    let root = made.node("scene", None, Vec3::ZERO, half);
    let names: Names = |finger, bone| {
        let name = meaning(finger, bone).to_lowercase();
        let (finger_name, bone_name) =
            name.split_at(FINGERS[finger].replace("Pinky", "Little").len());
        let finger_name = if finger == 0 {
            finger_name.to_owned()
        } else {
            format!("{finger_name}-finger")
        };
        let phalanx = if matches!(bone_name, "metacarpal" | "tip") {
            ""
        } else {
            "phalanx-"
        };
        Some(format!("{finger_name}-{phalanx}{bone_name}"))
    };
    let rig = Rig {
        side: Side::Right,
        hand: "wrist",
        bone: [Vec3::X, Vec3::Y, Vec3::NEG_Z],
        names,
    };
    made.hand(&rig, Some(root), 1.0);
    made
}

#[test]
fn hands_of_webxr_have_the_axes_of_webxr() {
    let mut file = webxr().json();
    let error = read_with(&file, &ReadOptions::default()).unwrap_err();
    assert_eq!(error.remedy(), Some(Remedy::StateSide));
    assert!(
        error
            .to_string()
            .starts_with("the hand of 25 joints is unknown"),
        "{error}"
    );
    let mut options = ReadOptions::default();
    options.side = Some(Side::Right);
    let (by_option, report) = read_with(&file, &options).unwrap();
    assert_eq!(check(&by_option, Side::Right, "option"), 25);
    let axes = notes(&report, NoteKind::Axes);
    assert!(
        axes[0].contains("+X right, +Y up, -Z forward (those of OpenXR and WebXR"),
        "{axes:?}"
    );
    assert!(
        axes[1].contains("WebXR; axes of the rig: -Z to the tip, +Y out"),
        "{axes:?}"
    );
    // The name of the file states the hand.
    let text = file.to_string();
    let named = InputFile {
        bytes: text.as_bytes(),
        path: Some("take_right-hand.gltf".as_ref()),
        format: None,
    };
    let (by_file, _) = named
        .read(Default::default(), &named.options(Default::default()))
        .unwrap();
    assert_eq!(by_file.recording, by_option);
    // The name of a parent states the hand.
    file["nodes"][0]["name"] = json!("Right");
    assert_eq!(read(&file).0, by_option);
    // Both hands in the name of the file are no answer.
    file["nodes"][0]["name"] = json!("scene");
    options.side = None;
    options.file_name = Some("left and right".to_owned());
    assert!(read_with(&file, &options).is_err());
}

#[test]
fn mappings_name_the_joints_of_other_rigs() {
    let mut made = Made::default();
    let root = made.node("root", None, Vec3::Y, Quat::IDENTITY);
    for name in ["bone_11", "bone_12", "bone_13"] {
        let node = made.node(name, Some(root), Vec3::X, Quat::IDENTITY);
        made.animate(node, "translation", &[1.0, 0.0, 0.0, 2.0, 0.0, 0.0]);
    }
    let file = made.json();
    let with = |mappings: &[&str]| {
        let mut options = ReadOptions::default();
        options.mappings = mappings
            .iter()
            .map(|mapping| mapping.parse().unwrap())
            .collect();
        read_with(&file, &options)
    };
    let error = with(&[]).unwrap_err();
    assert_eq!(error.remedy(), Some(Remedy::NameNodes));
    let (recording, report) = with(&["right.IndexTip=bone_12", "head=bone_11"]).unwrap();
    let shown = frame(&recording, 0.5);
    assert_eq!(
        shown.right.joints[Joint::IndexTip].unwrap().position,
        [-2.0, 1.0, 0.0]
    );
    assert_eq!(shown.head.unwrap().position, [-2.0, 1.0, 0.0]);
    assert_eq!(
        notes(&report, NoteKind::OtherContent),
        ["not read: 1 of 3 animated nodes: bone_13"]
    );
    assert!(notes(&report, NoteKind::Axes)[1].contains("the rotations are those of the file"));
    for (mapping, problem) in [
        ("right.IndexTip=bone_14", "no node has this name"),
        ("right.IndexTip=bone_12*0.01", "nodes have no factor"),
        (
            "right.IndexTip.position.x=bone_12",
            "expected a joint such as right.IndexTip",
        ),
    ] {
        let error = with(&[mapping]).unwrap_err().to_string();
        assert!(error.contains(problem), "{error}");
    }
    // A table has columns instead.
    let mut options = ReadOptions::default();
    options.mappings = vec!["right.IndexTip=a".parse().unwrap()];
    let error = inputanim_convert::read(Format::Csv, b"time_s,a\n0,1\n", &options).unwrap_err();
    assert!(
        error.to_string().contains("right.IndexTip.position.x"),
        "{error}"
    );
}

#[test]
fn vrm_names_bones_of_any_name() {
    let mut made = Made::default();
    let mut bones = serde_json::Map::new();
    let rig = Rig {
        side: Side::Right,
        hand: "node_0",
        bone: ALONG_X,
        names: |f, b| Some(format!("node_{f}_{b}")),
    };
    made.hand(&rig, None, 1.0);
    bones.insert("rightHand".to_owned(), json!({"node": 0}));
    let mut node = 1;
    for finger in 0..5 {
        for bone in 0..joints(finger).len() {
            bones.insert(
                format!("right{}", meaning(finger, bone)),
                json!({"node": node}),
            );
            node += 1;
        }
    }
    let mut file = made.json();
    file["extensions"] = json!({"VRMC_vrm_animation": {"humanoid": {"humanBones": bones}}});
    let (recording, _) = read(&file);
    assert_eq!(check(&recording, Side::Right, "VRM"), 25);
}

#[test]
fn other_animations_and_channels_that_are_not_read_are_named() {
    let mut made = Made::default();
    made.hand(&both_hands()[1], None, 1.0);
    let mut file = made.json();
    let sampler = &made.clip.samplers[0];
    file["animations"][0]["channels"]
        .as_array_mut()
        .unwrap()
        .push(json!({"sampler": 0, "target": {"node": 0, "path": "weights"}}));
    file["animations"].as_array_mut().unwrap().push(json!({
        "name": "wave", "samplers": [sampler], "channels": [made.clip.channels[0]],
    }));
    let (_, report) = read(&file);
    let unread = notes(&report, NoteKind::OtherContent);
    assert_eq!(
        unread,
        [
            "not read: 1 other animation: wave",
            "not read: 1 channel of morph targets or extensions"
        ]
    );
}

/// Damages each part of a file in turn, and compares the joints that remain with those that an ideal reader could save.
#[test]
fn a_damaged_part_costs_that_part() {
    let mut made = Made::default();
    for rig in both_hands() {
        made.hand(&rig, None, 1.0);
    }
    let file = made.json();
    let (intact, _) = read(&file);
    let index = |name: &str| {
        made.nodes
            .iter()
            .position(|node| node["name"] == name)
            .unwrap()
    };
    let chain = index("mixamorig:RightHandIndex2");
    let channel = made
        .clip
        .channels
        .iter()
        .position(|channel| channel["target"]["node"] == chain)
        .unwrap();
    let sampler = &made.clip.samplers[channel];
    let (input, output) = (
        sampler["input"].as_u64().unwrap(),
        sampler["output"].as_u64().unwrap(),
    );
    // The damaged bone and the bones after it.
    let finger = [
        Joint::IndexMiddleJoint,
        Joint::IndexDistalJoint,
        Joint::IndexTip,
    ];
    let cases = [
        (
            format!("/nodes/{chain}/translation"),
            json!("far"),
            &finger[..],
        ),
        (format!("/nodes/{chain}/rotation"), json!([1.0]), &finger),
        (format!("/nodes/{chain}/name"), json!(7), &finger),
        (format!("/nodes/{chain}"), json!("lost"), &finger),
        (
            format!("/nodes/{}/children", chain - 1),
            json!([999]),
            &finger,
        ),
        (
            format!("/nodes/{}/children", chain + 2),
            json!([1e9, "x"]),
            &finger[2..],
        ),
        (
            format!("/animations/0/channels/{channel}/sampler"),
            json!(9999),
            &finger,
        ),
        (
            format!("/animations/0/channels/{channel}/sampler"),
            Value::Null,
            &finger,
        ),
        (
            format!("/animations/0/channels/{channel}/target/path"),
            json!(3),
            &finger,
        ),
        (
            format!("/animations/0/samplers/{channel}/output"),
            json!(9999),
            &finger,
        ),
        (
            format!("/animations/0/samplers/{channel}/interpolation"),
            json!("CURVED"),
            &finger,
        ),
        (
            format!("/animations/0/samplers/{channel}"),
            Value::Null,
            &finger,
        ),
        (format!("/accessors/{output}/type"), json!("VEC2"), &finger),
        (format!("/accessors/{output}/count"), json!(-1), &finger),
        (
            format!("/accessors/{output}/byteOffset"),
            json!(u64::MAX),
            &finger,
        ),
        (format!("/accessors/{input}"), json!([]), &finger),
    ];
    for (path, value, lost) in cases {
        let mut damaged = file.clone();
        *damaged
            .pointer_mut(&path)
            .unwrap_or_else(|| panic!("{path}")) = value.clone();
        let (recording, report) = read(&damaged);
        let what = format!("{path} = {value}");
        assert!(!report.losses.is_empty(), "{what}: {report:?}");
        for side in Side::BOTH {
            for (joint, pose) in frame(&intact, 0.5).hand(side).joints.iter() {
                let is_lost = side == Side::Right && lost.contains(&joint);
                let expected = if is_lost { None } else { *pose };
                let found = frame(&recording, 0.5).hand(side).joints[joint];
                assert_eq!(found, expected, "{what}: {side}.{joint}");
            }
        }
        for joint in lost.iter().take(2) {
            let names = format!("right.{joint}");
            let is_named = report
                .losses
                .iter()
                .any(|loss| loss.message.contains(&names))
                || report
                    .notes
                    .iter()
                    .any(|note| note.message.contains(joint.name()));
            assert!(is_named, "{what}: {report:?}");
        }
    }
}

#[test]
fn damaged_scenes_animations_and_roots_cost_only_themselves() {
    let mut made = Made::default();
    for rig in both_hands() {
        made.hand(&rig, None, 1.0);
    }
    let mut file = made.json();
    let (intact, _) = read(&file);
    file["scenes"]
        .as_array_mut()
        .unwrap()
        .push(json!({"nodes": "none"}));
    file["animations"]
        .as_array_mut()
        .unwrap()
        .push(json!({"channels": 5}));
    let (recording, report) = read(&file);
    assert_eq!(recording, intact);
    let losses: Vec<_> = report
        .losses
        .iter()
        .map(|loss| loss.message.as_str())
        .collect();
    assert!(
        losses[0].starts_with("animation 1 is damaged: ")
            && losses[1].starts_with("scene 1 is damaged: "),
        "{losses:?}"
    );
    // The wrist moves the complete hand.
    file["nodes"][0]["scale"] = json!(true);
    let (recording, report) = read(&file);
    let hands = recording.hands.unwrap();
    assert_eq!(
        hands.left.joints,
        inputanim::HandCurves::empty(intact.layout.key_kind()).joints
    );
    assert_eq!(hands.right, intact.hands.unwrap().right);
    let loss = report
        .losses
        .iter()
        .find(|loss| loss.message.contains("LeftHand"))
        .unwrap();
    assert_eq!(loss.count, 21);
    assert!(
        loss.message.ends_with(
            "not read: left.Wrist, left.ThumbMetacarpalJoint, left.ThumbProximalJoint and 18 more"
        ),
        "{loss}"
    );
}

#[test]
fn damaged_extras_cost_only_their_content() {
    let mut recording = Recording::new(inputanim::Layout::Mrtk1_1);
    recording.hands_mut().left.tracked = inputanim::BooleanCurve::new([(0.0, true)]);
    recording.hands_mut().left.joints[Joint::Wrist]
        .push(1.0, &inputanim::Pose::at([0.0, 1.0, 0.5]));
    recording.markers.push(inputanim::Marker::new(0.5, "a"));
    let mut bytes = Vec::new();
    inputanim_convert::write(
        Format::Gltf,
        &recording,
        &WriteOptions::default(),
        &mut bytes,
    )
    .unwrap();
    let mut file: Value = serde_json::from_slice(&bytes).unwrap();
    file["animations"][0]["extras"]["inputanim"]["layout"] = json!("mrtk-9");
    let (read, report) = read(&file);
    let position = |recording: &Recording<'_>| {
        frame(recording, 1.0).left.joints[Joint::Wrist].map(|pose| pose.position)
    };
    assert_eq!(position(&read), Some([0.0, 1.0, 0.5]));
    assert!(read.markers.is_empty());
    let loss = report.losses[0].message.as_str();
    assert!(
        loss.starts_with("the \"inputanim\" of \"extras\": "),
        "{loss}"
    );
    assert!(
        loss.ends_with("not read: the layout, states, markers and texts in it"),
        "{loss}"
    );
}
