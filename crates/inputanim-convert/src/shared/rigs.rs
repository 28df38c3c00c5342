//! Skeletons of other programs: tables of the names of their joints, for all formats with named joints.
//!
//! A name is split into words, and each word has a meaning: a hand, a finger, a bone of a finger, a number. Case and separators
//! do not matter for the meaning. The separators count only for the name of the rig, which notes state.
//!
//! Numbers of bones mean different joints in different rigs, so that all names of a hand are needed to assign them.

use inputanim::{Joint, Side};

/// The longest name that is examined, in bytes. Longer names are no names of joints.
const LONGEST_NAME: usize = 120;

/// A kind of skeleton.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Rig {
    /// The name for notes.
    pub(crate) name: &'static str,
    /// The shapes of its names: `S` is a hand, `F` a finger, `P` a bone such as `tip`, and `N` a number. Other words and
    /// separators are themselves, in lower case.
    shapes: &'static [&'static str],
    /// The number of the knuckle of a finger, if its bones are numbered.
    knuckle: u32,
    /// True if the thumb has the bone 0 before its metacarpal, the trapezium.
    has_trapezium: bool,
    /// True if a bone with the name of the palm is a control, at another place than the palm.
    has_palm_control: bool,
    /// The axes of its joints.
    pub(crate) axes: RigAxes,
}

/// The axes of the joints of a rig.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RigAxes {
    /// +Z points to the tip of the finger, +Y out of the back of the hand, as in MRTK and Unity.
    Unity,
    /// −Z points to the tip of the finger, +Y out of the back of the hand. The axes of the world are also those of OpenXR.
    OpenXr,
    /// The axes depend on the model or on the exporter, so that the positions of the joints have to show them.
    OfFile,
}

const NUMBERED: Rig = Rig {
    name: "",
    shapes: &[],
    knuckle: 1,
    has_trapezium: false,
    has_palm_control: false,
    axes: RigAxes::OfFile,
};

/// WebXR Hand Input, and the hand models of its emulators and of WebXR Input Profiles (`generic-hand`).
///
/// Names: `XRHandJoint` in section "XRHand" of the WebXR Hand Input Module. Axes: section "XRJointSpace": −Y points outwards
/// from the palm, −Z along the bone, away from the wrist; a tip has the direction of the bone before it.
const WEBXR: Rig = Rig {
    name: "WebXR",
    shapes: &["F-finger-P", "F-finger-phalanx-P", "F-phalanx-P"],
    axes: RigAxes::OpenXr,
    ..NUMBERED
};

/// OpenXR.
///
/// Names: `XrHandJointEXT` of the extension `XR_EXT_hand_tracking`. Axes: its section "Conventions of hand joints".
const OPENXR: Rig = Rig {
    name: "OpenXR",
    shapes: &[
        "xr_hand_joint_F_P_ext",
        "hand_joint_F_P_ext",
        "hand_joint_F_P",
    ],
    axes: RigAxes::OpenXr,
    ..NUMBERED
};

/// The OpenXR hand skeleton of Meta's packages for Unity.
///
/// Names: `XRHand_…` in `OVRPlugin.BoneId` (`OVRPlugin.cs`, Meta XR Core SDK). Axes: not checked against a source.
const META_XR_HAND: Rig = Rig {
    name: "Meta XR hand",
    shapes: &["xrhand_FP"],
    ..NUMBERED
};

/// The older hand skeleton of Meta's packages for Unity, whose bones become objects with these names.
///
/// Names: `OVRSkeleton.BoneLabelFromBoneId`. Bones: the comments of `ovrpBoneId` in Meta's header `OVR_Plugin_Types.h`:
/// `Hand_Thumb0` is the trapezium, `Hand_Thumb1` the metacarpal, `Hand_Index1` the proximal phalanx, and `Hand_Pinky0` the
/// metacarpal. Axes: not checked against a source.
const META_HAND: Rig = Rig {
    name: "Meta hand",
    shapes: &["hand_FN", "hand_FP"],
    has_trapezium: true,
    ..NUMBERED
};

/// The hands of Meta's body tracking.
///
/// Names: `Body_…` and `FullBody_…` in `OVRPlugin.BoneId`; without these words in the models (`OVRCustomSkeletonEditor`, which
/// also accepts `Pinky` for `Little` and `Meta` for `Metacarpal`). Axes: not checked against a source.
const META_BODY: Rig = Rig {
    name: "Meta body",
    shapes: &["body_ShandFP", "fullbody_ShandFP", "ShandFP"],
    ..NUMBERED
};

/// MRTK and this library.
///
/// Names: `TrackedHandJoint` of MRTK 2, and the glTF exporter that was proposed for MRTK. Axes: docs/format.md, section 5.2.
const MRTK: Rig = Rig {
    name: "MRTK",
    shapes: &[
        "S.FP",
        "S.FPjoint",
        "hand.S.joint.FP",
        "hand.S.joint.FPjoint",
        "FPjoint",
    ],
    axes: RigAxes::Unity,
    ..NUMBERED
};

/// The sample prefabs of Unity's package XR Hands.
///
/// Names: scripts that use the prefabs (`R_Wrist/R_IndexMetacarpal/…/R_IndexTip`), with the names of `XRHandJointID`. Axes: the
/// manual of `com.unity.xr.hands`, "Hand data model": OpenXR's joints, converted to Unity's axes.
const UNITY_XR_HANDS: Rig = Rig {
    name: "Unity XR Hands",
    shapes: &["S_FP"],
    axes: RigAxes::Unity,
    ..NUMBERED
};

/// The bones of Godot and VRM.
///
/// Names: `SkeletonProfileHumanoid` and `XRHandModifier3D` of Godot, which adds metacarpals and tips; `humanBones` of VRM 1.0, and
/// of VRM 0, whose thumb begins with `ThumbProximal`. Axes: those of the model.
const HUMANOID: Rig = Rig {
    name: "humanoid (Godot or VRM)",
    shapes: &["SFP"],
    ..NUMBERED
};

/// Models of VRoid Studio.
///
/// Names: programs that map them to the bones of VRM, such as the add-on VRM for Blender. Axes: those of the world at rest.
const VROID: Rig = Rig {
    name: "VRoid (VRM)",
    shapes: &["j_bip_S_FN", "j_bip_S_FN_P"],
    ..NUMBERED
};

/// Mixamo. Programs drop the colon or replace it, and number the copies of a rig: `mixamorig7`.
///
/// Names: rigs of Mixamo in public projects; the bone 4 is the tip. Axes: not checked against a source.
const MIXAMO: Rig = Rig {
    name: "Mixamo",
    shapes: &[
        "mixamorig:ShandFN",
        "mixamorigShandFN",
        "mixamorig_ShandFN",
        "ShandFN",
    ],
    ..NUMBERED
};

/// Skeletons of MotionBuilder and Axis Neuron, whose `InHand` bones are metacarpals.
///
/// Names: the skeleton of Axis Neuron, in which `RightInHandIndex` is between `RightHand` and `RightHandIndex1`. Axes: not checked
/// against a source.
const MOTION_BUILDER: Rig = Rig {
    name: "MotionBuilder",
    shapes: &["SinhandF"],
    ..NUMBERED
};

/// The hand models of the Oculus Integration: `OculusHand_L` and `OculusHand_R`.
///
/// Names: `OVRCustomSkeletonEditor.FbxBoneNameFromBoneId`: `b_r_index1`, and `r_index_finger_tip_marker` for the tips. Models
/// without markers have `b_r_index_null` at the ends of the last bones. Bones: as in [`META_HAND`]. Axes: not checked against a source.
const OCULUS: Rig = Rig {
    name: "Oculus",
    shapes: &["b_S_FN", "b_S_F_P", "S_F_finger_P_marker"],
    has_trapezium: true,
    ..NUMBERED
};

/// The hand models of SteamVR: `vr_glove_left_model` and `vr_glove_right_model`.
///
/// Names: the glTF files of SteamVR, as programs that read them state them. Bones: `HandSkeletonBone` in the wiki of OpenVR,
/// "Hand Skeleton": the thumb has no bone before `finger_thumb_0_r`, which is its metacarpal. Axes: not checked against a source.
const STEAMVR: Rig = Rig {
    name: "SteamVR",
    shapes: &["finger_F_N_S", "finger_F_P_S", "finger_F_S_P"],
    knuckle: 0,
    ..NUMBERED
};

/// The mannequins of Unreal.
///
/// Names: programs for both mannequins, such as the maps of Meta's plugin for Unreal: `thumb_01_r` is the metacarpal of the
/// thumb, and `index_metacarpal_r` exists in the mannequin of Unreal 5. Axes: not checked against a source.
const UNREAL: Rig = Rig {
    name: "Unreal",
    shapes: &["F_N_S", "F_P_S"],
    ..NUMBERED
};

/// Rigify, an add-on of Blender.
///
/// Names: `rigify/metarigs/human.py` of Blender's add-ons. A generated rig has each bone with `DEF-`, which moves the mesh, with
/// `ORG-`, and as a control without a prefix. `palm.R` is a control at the metacarpal of the little finger
/// (`rigify/rigs/limbs/super_palm.py`). three.js drops the dots, and Godot replaces them. Axes: a bone of Blender lies along its +Y.
const RIGIFY: Rig = Rig {
    name: "Blender (Rigify)",
    shapes: &[
        "f_F.N.S",
        "F.N.S",
        "palm.N.S",
        "def-f_F.N.S",
        "def-F.N.S",
        "def-palm.N.S",
        "org-f_F.N.S",
        "org-F.N.S",
        "org-palm.N.S",
        "f_F.N_S",
        "F.N_S",
        "f_F_N_S",
        "palm_N_S",
        "def-f_F_N_S",
        "def-F_N_S",
        "def-palm_N_S",
        "f_FNS",
        "FNS",
        "palmNS",
        "def-f_FNS",
        "def-FNS",
        "def-palmNS",
    ],
    has_palm_control: true,
    ..NUMBERED
};

/// The 21 landmarks of MediaPipe, which are positions without rotations.
///
/// Names: `HandLandmark` of MediaPipe Solutions: `WRIST`, `THUMB_CMC`, `INDEX_FINGER_MCP`, `PINKY_TIP`; without underscores in Swift.
const MEDIAPIPE: Rig = Rig {
    name: "MediaPipe",
    shapes: &["F_finger_P", "F_P", "S_F_finger_P", "S_F_P", "FfingerP"],
    ..NUMBERED
};

/// The known rigs. Of rigs with equally many names, the first one counts.
const RIGS: &[Rig] = &[
    WEBXR,
    OPENXR,
    META_XR_HAND,
    META_HAND,
    META_BODY,
    MRTK,
    UNITY_XR_HANDS,
    HUMANOID,
    VROID,
    MIXAMO,
    MOTION_BUILDER,
    OCULUS,
    STEAMVR,
    UNREAL,
    RIGIFY,
    MEDIAPIPE,
];

/// A word with a meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Word {
    Side(Side),
    Finger(Finger),
    Middle,
    Bone(Bone),
    Wrist,
    Palm,
    Hand,
    Joint,
    /// MRTK's entry `None`.
    Nothing,
    Number(u32),
    /// A bone in the hand: the metacarpal of MotionBuilder.
    In,
    /// The root of a hand, which is at its wrist.
    Root,
    /// A place without a bone.
    Marker,
    Filler,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Finger {
    Thumb,
    Index,
    Middle,
    Ring,
    Little,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bone {
    Metacarpal,
    Proximal,
    Intermediate,
    Distal,
    Tip,
}

/// The meanings of words.
const WORDS: &[(&str, Word)] = &[
    ("left", Word::Side(Side::Left)),
    ("right", Word::Side(Side::Right)),
    ("l", Word::Side(Side::Left)),
    ("r", Word::Side(Side::Right)),
    ("thumb", Word::Finger(Finger::Thumb)),
    ("index", Word::Finger(Finger::Index)),
    // The middle finger, or the middle bone of another finger.
    ("middle", Word::Middle),
    ("ring", Word::Finger(Finger::Ring)),
    ("little", Word::Finger(Finger::Little)),
    ("pinky", Word::Finger(Finger::Little)),
    ("pinkie", Word::Finger(Finger::Little)),
    ("metacarpal", Word::Bone(Bone::Metacarpal)),
    ("meta", Word::Bone(Bone::Metacarpal)),
    ("proximal", Word::Bone(Bone::Proximal)),
    ("knuckle", Word::Bone(Bone::Proximal)),
    ("intermediate", Word::Bone(Bone::Intermediate)),
    ("distal", Word::Bone(Bone::Distal)),
    ("tip", Word::Bone(Bone::Tip)),
    ("end", Word::Bone(Bone::Tip)),
    ("null", Word::Bone(Bone::Tip)),
    // The joints of MediaPipe and of anatomy, before the bones with which they begin.
    ("cmc", Word::Bone(Bone::Metacarpal)),
    ("mcp", Word::Bone(Bone::Proximal)),
    ("pip", Word::Bone(Bone::Intermediate)),
    ("dip", Word::Bone(Bone::Distal)),
    ("ip", Word::Bone(Bone::Distal)),
    ("wrist", Word::Wrist),
    ("palm", Word::Palm),
    ("hand", Word::Hand),
    ("joint", Word::Joint),
    ("none", Word::Nothing),
    ("in", Word::In),
    ("root", Word::Root),
    ("marker", Word::Marker),
    ("finger", Word::Filler),
    ("phalanx", Word::Filler),
    ("body", Word::Filler),
    ("full", Word::Filler),
    ("xr", Word::Filler),
    ("ext", Word::Filler),
    ("mixamorig", Word::Filler),
    ("bip", Word::Filler),
    ("def", Word::Filler),
    ("org", Word::Filler),
    ("b", Word::Filler),
    ("f", Word::Filler),
    ("j", Word::Filler),
];

/// The meaning of the name of a joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JointName {
    /// The hand, if the name contains one.
    pub(crate) side: Option<Side>,
    /// The order of names of one joint: the name with the smallest rank counts.
    pub(crate) rank: u8,
    part: Part,
    shape: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    /// A joint that the name states without other names.
    Joint(Joint),
    /// The hand: the wrist of rigs without a wrist.
    Hand,
    /// A bone of a finger by its meaning.
    Bone(Finger, Bone),
    /// A bone of a finger by its number.
    Number(Finger, u32),
    /// The end of the bone with this number.
    End(Finger, u32),
}

impl JointName {
    /// Parses the name of a joint of any rig. Returns `None` for other names.
    pub(crate) fn parse(name: &str) -> Option<JointName> {
        if name.len() > LONGEST_NAME {
            return None;
        }
        let given = name;
        let name = without_copy_number(name);
        // A namespace such as `mixamorig:` is no part of the meaning, except for the hand.
        let (space, own) = name.rsplit_once(':').unwrap_or(("", name));
        let (words, mut shape) = words(own)?;
        if let Some((known, _)) = self::words(space).filter(|_| !space.is_empty()) {
            // The number of a namespace such as `mixamorig7` counts the copies of a rig.
            let is_copy = |word: &Word| matches!(word, Word::Filler | Word::Number(_));
            if known.iter().all(is_copy) {
                let text = space.trim_end_matches(|letter: char| letter.is_ascii_digit());
                shape = format!("{}:{shape}", text.to_lowercase());
            }
        }
        let side = side_of(words.iter().copied()).or_else(|| side_in(space));
        let part = part(&words)?;
        let is_copy = name.len() < given.len();
        Some(JointName {
            side,
            rank: 2 * rank(&own.to_lowercase()) + u8::from(is_copy),
            part,
            shape,
        })
    }

    /// Returns `true` if the name means the hand, which is the wrist in rigs without a wrist.
    pub(crate) fn is_hand(&self) -> bool {
        self.part == Part::Hand
    }
}

/// Returns the hand that a name states, such as the name of a parent or of a file. Words without a meaning are ignored, as in
/// `OculusHand_R`.
pub(crate) fn side_in(name: &str) -> Option<Side> {
    chunks(name)
        .into_iter()
        .filter_map(|chunk| segments(&chunk.text))
        .find_map(|words| side_of(words.into_iter().map(|(_, word)| word)))
}

/// Returns the hand that the name of a file states. Returns `None` if it names both hands.
pub(crate) fn only_side_in(name: &str) -> Option<Side> {
    let of_both = |side: Side| {
        let mut chunks = chunks(name).into_iter();
        chunks.any(|chunk| side_in(&chunk.text) == Some(side))
    };
    match Side::BOTH.map(of_both) {
        [true, false] => Some(Side::Left),
        [false, true] => Some(Side::Right),
        _ => None,
    }
}

fn side_of(words: impl IntoIterator<Item = Word>) -> Option<Side> {
    words.into_iter().find_map(|word| match word {
        Word::Side(side) => Some(side),
        _ => None,
    })
}

/// Returns the order of a name in lower case among the names of one joint in the same rig.
fn rank(name: &str) -> u8 {
    // A rig of Rigify has three bones for each joint, of which the first moves the mesh.
    if name.starts_with("def-") {
        0
    } else if name.starts_with("org-") {
        3
    } else if name.ends_with("null") {
        // A marker at the tip is better than the end of the last bone.
        2
    } else {
        1
    }
}

/// Removes the number that Blender appends to the names of copies: `.001`.
fn without_copy_number(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((name, number))
            if number.len() == 3 && number.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            name
        }
        _ => name,
    }
}

fn part(words: &[Word]) -> Option<Part> {
    let mut finger = None;
    let mut bone = None;
    let mut number = None;
    let (mut is_wrist, mut is_palm, mut is_hand) = (false, false, false);
    let (mut is_joint, mut is_nothing) = (false, false);
    let (mut is_root, mut is_marker) = (false, false);
    for &word in words {
        match word {
            Word::Finger(found) if finger.is_none() => finger = Some(found),
            Word::Middle if finger.is_none() => finger = Some(Finger::Middle),
            Word::Middle if bone.is_none() => bone = Some(Bone::Intermediate),
            Word::Bone(found) if bone.is_none() => bone = Some(found),
            Word::Number(found) if number.is_none() => number = Some(found),
            Word::Nothing => is_nothing = true,
            Word::Wrist => is_wrist = true,
            Word::Palm => is_palm = true,
            Word::Hand => is_hand = true,
            Word::Joint => is_joint = true,
            Word::In if bone.is_none() => bone = Some(Bone::Metacarpal),
            Word::Root => is_root = true,
            Word::Marker => is_marker = true,
            Word::Side(_) | Word::Filler => {}
            // A second finger, bone or number.
            _ => return None,
        }
    }
    // Models have markers at many places of a finger.
    let is_tip = finger.is_some() && bone == Some(Bone::Tip);
    if (is_root && !is_wrist) || (is_marker && !is_tip) {
        return None;
    }
    match (finger, bone, number) {
        (Some(finger), Some(bone), None) if !is_wrist && !is_palm => Some(Part::Bone(finger, bone)),
        (Some(finger), None, Some(number)) if !is_wrist && !is_palm => {
            Some(Part::Number(finger, number))
        }
        (Some(finger), Some(Bone::Tip), Some(number)) => Some(Part::End(finger, number)),
        (None, None, None) if is_wrist && !is_palm => Some(Part::Joint(Joint::Wrist)),
        (None, None, None) if is_palm && !is_wrist => Some(Part::Joint(Joint::Palm)),
        (None, None, None) if is_nothing => Some(Part::Joint(Joint::None)),
        (None, None, None) if is_hand && !is_joint => Some(Part::Hand),
        // The metacarpals of Rigify: `palm.01.R` to `palm.04.R`.
        (None, None, Some(number)) if is_palm => {
            let fingers = [Finger::Index, Finger::Middle, Finger::Ring, Finger::Little];
            let finger = fingers.get((number as usize).checked_sub(1)?)?;
            Some(Part::Bone(*finger, Bone::Metacarpal))
        }
        // The index of a joint in a recording.
        (None, None, Some(number)) if is_joint && !is_wrist => {
            Joint::from_index(number as usize).map(Part::Joint)
        }
        _ => None,
    }
}

/// A part of a name between separators, changes of case and changes between letters and digits, in lower case.
struct Chunk {
    /// The separators before it.
    separators: String,
    text: String,
}

fn chunks(name: &str) -> Vec<Chunk> {
    let mut chunks: Vec<Chunk> = Vec::new();
    let mut separators = String::new();
    let mut before: Option<char> = None;
    for letter in name.chars() {
        if !letter.is_alphanumeric() {
            separators.push(letter);
            before = None;
            continue;
        }
        let is_next = before.is_some_and(|before| {
            // `IndexTip` and `index1` are two chunks, but `XR` is one.
            let is_digit = |letter: char| letter.is_ascii_digit();
            !(letter.is_uppercase() && before.is_lowercase())
                && is_digit(letter) == is_digit(before)
        });
        match chunks.last_mut() {
            Some(chunk) if is_next => chunk.text.extend(letter.to_lowercase()),
            _ => chunks.push(Chunk {
                separators: std::mem::take(&mut separators),
                text: letter.to_lowercase().collect(),
            }),
        }
        before = Some(letter);
    }
    chunks
}

/// Returns the words of a name and its shape. Returns `None` if a word has no meaning.
fn words(name: &str) -> Option<(Vec<Word>, String)> {
    let mut words = Vec::new();
    let mut shape = String::new();
    for chunk in chunks(name) {
        shape.push_str(&chunk.separators);
        for (text, word) in segments(&chunk.text)? {
            // The number behind `mixamorig` counts the copies of a rig.
            if matches!(word, Word::Number(_)) && shape.ends_with("mixamorig") {
                continue;
            }
            shape.push_str(match word {
                Word::Side(_) => "S",
                Word::Number(_) => "N",
                Word::Bone(_) => "P",
                Word::Middle if shape.contains('F') => "P",
                Word::Finger(_) | Word::Middle => "F",
                _ => text,
            });
            words.push(word);
        }
    }
    Some((words, shape))
}

/// Splits a chunk into words with a meaning: `indextip` is `index` and `tip`. Returns `None` if a part has no meaning.
fn segments(text: &str) -> Option<Vec<(&'static str, Word)>> {
    if let Some(&word) = WORDS.iter().find(|(word, _)| *word == text) {
        return Some(vec![word]);
    }
    if text.bytes().all(|byte| byte.is_ascii_digit()) {
        let number = text.parse().ok()?;
        return Some(vec![("", Word::Number(number))]);
    }
    // Single letters are words only between separators, since any text consists of letters. The longest word is tried
    // first, because `meta` begins `metacarpal`.
    let mut words: Vec<_> = WORDS.iter().filter(|(word, _)| word.len() > 1).collect();
    words.sort_by_key(|(word, _)| std::cmp::Reverse(word.len()));
    let mut rest = text;
    let mut found = Vec::new();
    while !rest.is_empty() {
        let &&word = words.iter().find(|(word, _)| rest.starts_with(word))?;
        found.push(word);
        rest = &rest[word.0.len()..];
    }
    Some(found)
}

/// Returns the rig whose names of joints these are: the rig with most of them. Returns `None` for names of no known rig.
pub(crate) fn rig_of<'n>(
    names: impl Iterator<Item = &'n JointName> + Clone,
) -> Option<&'static Rig> {
    let count = |rig: &Rig| {
        let is_of_rig = |name: &&JointName| rig.shapes.contains(&&*name.shape);
        names.clone().filter(is_of_rig).count()
    };
    // Of equal counts, the first rig wins.
    let best = RIGS.iter().rev().max_by_key(|rig| count(rig))?;
    (count(best) > 0).then_some(best)
}

/// Returns the joint of each name of one hand. `None` stands for bones that MRTK's hands do not have.
pub(crate) fn joints_of(names: &[&JointName], rig: Option<&Rig>) -> Vec<Option<Joint>> {
    let has_wrist = names
        .iter()
        .any(|name| name.part == Part::Joint(Joint::Wrist));
    let hand = Hand {
        names,
        rig: rig.unwrap_or(&NUMBERED),
    };
    let joint = |name: &&JointName| match name.part {
        Part::Joint(Joint::Palm) if hand.rig.has_palm_control => None,
        Part::Joint(joint) => Some(joint),
        Part::Hand => (!has_wrist).then_some(Joint::Wrist),
        Part::Bone(Finger::Thumb, bone) => hand.thumb(bone),
        Part::Bone(finger, bone) => Some(joint_of(finger, bone as usize)?),
        Part::Number(finger, number) => joint_of(finger, hand.place(finger, number)?),
        Part::End(finger, number) => {
            // In rigs with numbered tips, this is the end of the tip.
            let place = hand.place(finger, number)?;
            let is_tip = place + 1 == len(finger) - 1;
            is_tip.then(|| joint_of(finger, place + 1)).flatten()
        }
    };
    names.iter().map(joint).collect()
}

/// The number of joints that a finger has in MRTK.
const fn len(finger: Finger) -> usize {
    match finger {
        Finger::Thumb => 4,
        _ => 5,
    }
}

/// Returns the joint of a finger by its place in the order from the metacarpal to the tip.
fn joint_of(finger: Finger, place: usize) -> Option<Joint> {
    let first = match finger {
        Finger::Thumb => Joint::ThumbMetacarpalJoint,
        Finger::Index => Joint::IndexMetacarpal,
        Finger::Middle => Joint::MiddleMetacarpal,
        Finger::Ring => Joint::RingMetacarpal,
        Finger::Little => Joint::PinkyMetacarpal,
    };
    (place < len(finger))
        .then(|| Joint::from_index(first.index() + place))
        .flatten()
}

/// The names of a hand.
struct Hand<'n> {
    names: &'n [&'n JointName],
    rig: &'n Rig,
}

impl Hand<'_> {
    fn has(&self, part: Part) -> bool {
        self.names.iter().any(|name| name.part == part)
    }

    /// Returns the place of a numbered bone in the order from the metacarpal to the tip. Returns `None` if the hand has no
    /// such joint.
    fn place(&self, finger: Finger, number: u32) -> Option<usize> {
        let has = |number| self.has(Part::Number(finger, number));
        let has_metacarpal = self.has(Part::Bone(finger, Bone::Metacarpal));
        let first = match finger {
            // With its metacarpal named, the numbers begin at the next bone.
            Finger::Thumb if has_metacarpal => u32::from(!has(0)),
            Finger::Thumb => {
                // With numbered tips of fingers, the thumb has a numbered tip too, and no bone before its metacarpal.
                let has_tips = self.has(Part::Number(Finger::Index, 4));
                let has_trapezium = self.rig.has_trapezium && !has_tips;
                u32::from(!has(0) || has_trapezium)
            }
            // Five numbered bones are all joints of a finger.
            _ if has(5) => 1,
            _ if has_metacarpal && has(0) => 0,
            _ => self.rig.knuckle,
        };
        let before = match finger {
            Finger::Thumb => u32::from(has_metacarpal),
            _ => u32::from(!has(5)),
        };
        let place = (number + before).checked_sub(first)? as usize;
        (place < len(finger)).then_some(place)
    }

    /// Returns the joint of a thumb's bone. In some rigs, the three bones of a thumb have the names of the three bones of a
    /// finger: `ThumbIntermediate` is then the proximal phalanx.
    fn thumb(&self, bone: Bone) -> Option<Joint> {
        let has_intermediate = self.has(Part::Bone(Finger::Thumb, Bone::Intermediate));
        let is_shifted = has_intermediate && !self.has(Part::Bone(Finger::Thumb, Bone::Metacarpal));
        match (bone, is_shifted) {
            (Bone::Metacarpal, _) | (Bone::Proximal, true) => Some(Joint::ThumbMetacarpalJoint),
            (Bone::Proximal, false) | (Bone::Intermediate, true) => Some(Joint::ThumbProximalJoint),
            (Bone::Intermediate, false) => None,
            (Bone::Distal, _) => Some(Joint::ThumbDistalJoint),
            (Bone::Tip, _) => Some(Joint::ThumbTip),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the rig of names, and their joints.
    fn read(names: &[&str]) -> (Option<&'static str>, Vec<Option<Joint>>) {
        let names: Vec<JointName> = names
            .iter()
            .map(|name| JointName::parse(name).unwrap())
            .collect();
        let rig = rig_of(names.iter());
        let joints = joints_of(&names.iter().collect::<Vec<_>>(), rig);
        (rig.map(|rig| rig.name), joints)
    }

    const INDEX: [Joint; 5] = [
        Joint::IndexMetacarpal,
        Joint::IndexKnuckle,
        Joint::IndexMiddleJoint,
        Joint::IndexDistalJoint,
        Joint::IndexTip,
    ];
    const THUMB: [Joint; 4] = [
        Joint::ThumbMetacarpalJoint,
        Joint::ThumbProximalJoint,
        Joint::ThumbDistalJoint,
        Joint::ThumbTip,
    ];

    #[test]
    fn the_tables_know_the_rigs_and_their_numbers() {
        let some = |joints: &[Joint]| joints.iter().copied().map(Some).collect::<Vec<_>>();
        let index = |joints| some(&INDEX[joints]);
        let thumb = |joints| some(&THUMB[joints]);
        for (rig, names, expected) in [
            (
                "Mixamo",
                &[
                    "mixamorig:LeftHandIndex1",
                    "mixamorig:LeftHandIndex2",
                    "mixamorig:LeftHandIndex3",
                    "mixamorig:LeftHandIndex4",
                ][..],
                index(1..5),
            ),
            (
                "Mixamo",
                &[
                    "mixamorig7:RightHandThumb1",
                    "mixamorigRightHandThumb2",
                    "mixamorig7RightHandThumb3",
                    "RightHandThumb4",
                ],
                thumb(0..4),
            ),
            (
                "Oculus",
                &["b_l_thumb1", "b_l_thumb2", "b_l_thumb3", "b_l_thumb_null"],
                thumb(0..4),
            ),
            (
                "Oculus",
                &["b_l_index1", "b_l_index2", "b_l_index3", "b_l_index_null"],
                index(1..5),
            ),
            (
                "SteamVR",
                &[
                    "finger_index_meta_r",
                    "finger_index_0_r",
                    "finger_index_1_r",
                    "finger_index_2_r",
                    "finger_index_r_end",
                ],
                index(0..5),
            ),
            (
                "SteamVR",
                &[
                    "finger_thumb_0_l",
                    "finger_thumb_1_l",
                    "finger_thumb_2_l",
                    "finger_thumb_l_end",
                ],
                thumb(0..4),
            ),
            (
                "Oculus",
                &[
                    "b_l_index1",
                    "b_l_index2",
                    "b_l_index3",
                    "l_index_finger_tip_marker",
                ],
                index(1..5),
            ),
            (
                "Meta hand",
                &["Hand_Thumb1", "Hand_Thumb2", "Hand_Thumb3", "Hand_ThumbTip"],
                thumb(0..4),
            ),
            (
                "Meta body",
                &[
                    "LeftHandIndexMeta",
                    "Body_LeftHandIndexProximal",
                    "FullBody_LeftHandIndexIntermediate",
                    "LeftHandIndexDistal",
                    "LeftHandIndexTip",
                ],
                index(0..5),
            ),
            ("MotionBuilder", &["RightInHandIndex"], index(0..1)),
            (
                "MediaPipe",
                &[
                    "INDEX_FINGER_MCP",
                    "INDEX_FINGER_PIP",
                    "INDEX_FINGER_DIP",
                    "indexFingerTIP",
                ],
                index(1..5),
            ),
            (
                "MediaPipe",
                &["THUMB_CMC", "THUMB_MCP", "THUMB_IP", "THUMB_TIP"],
                thumb(0..4),
            ),
            (
                "Unreal",
                &[
                    "index_metacarpal_r",
                    "index_01_r",
                    "index_02_r",
                    "index_03_r",
                ],
                index(0..4),
            ),
            (
                "Unreal",
                &["thumb_01_r", "thumb_02_r", "thumb_03_r"],
                thumb(0..3),
            ),
            (
                "Blender (Rigify)",
                &[
                    "palm.01.L",
                    "f_index.01.L",
                    "f_index.02.L",
                    "f_index.03.L.001",
                ],
                index(0..4),
            ),
            (
                "Blender (Rigify)",
                &["DEF-thumb.01.L", "DEF-thumb.02.L", "DEF-thumb.03.L"],
                thumb(0..3),
            ),
            // three.js drops dots, and Godot replaces them.
            (
                "Blender (Rigify)",
                &["DEF-f_index01L", "DEF-f_index_02_L", "f_index.03.L"],
                index(1..4),
            ),
            (
                "VRoid (VRM)",
                &[
                    "J_Bip_L_Index1",
                    "J_Bip_L_Index2",
                    "J_Bip_L_Index3",
                    "J_Bip_L_Index3_end",
                ],
                index(1..5),
            ),
            (
                "humanoid (Godot or VRM)",
                &[
                    "leftThumbProximal",
                    "leftThumbIntermediate",
                    "leftThumbDistal",
                ],
                thumb(0..3),
            ),
            (
                "humanoid (Godot or VRM)",
                &[
                    "LeftThumbMetacarpal",
                    "LeftThumbProximal",
                    "LeftThumbDistal",
                ],
                thumb(0..3),
            ),
            (
                "WebXR",
                &[
                    "index-finger-metacarpal",
                    "index-finger-phalanx-proximal",
                    "index-finger-phalanx-intermediate",
                ],
                index(0..3),
            ),
            (
                "OpenXR",
                &[
                    "XR_HAND_JOINT_INDEX_METACARPAL_EXT",
                    "XR_HAND_JOINT_INDEX_PROXIMAL_EXT",
                ],
                index(0..2),
            ),
            (
                "Meta XR hand",
                &[
                    "XRHand_IndexMetacarpal",
                    "XRHand_IndexProximal",
                    "XRHand_IndexIntermediate",
                ],
                index(0..3),
            ),
            (
                "Unity XR Hands",
                &[
                    "R_IndexMetacarpal",
                    "R_IndexProximal",
                    "R_IndexIntermediate",
                ],
                index(0..3),
            ),
            (
                "MRTK",
                &[
                    "left.IndexMetacarpal",
                    "left.IndexKnuckle",
                    "left.IndexMiddleJoint",
                ],
                index(0..3),
            ),
        ] {
            assert_eq!(read(names), (Some(rig), expected), "{names:?}");
        }
    }

    #[test]
    fn bones_that_hands_of_mrtk_do_not_have_are_no_joints() {
        assert_eq!(
            read(&["b_r_thumb0", "b_r_thumb1"]).1,
            [None, Some(THUMB[0])]
        );
        // A hand with numbered tips has no trapezium.
        let names = ["b_r_index4", "b_r_thumb0", "b_r_thumb3"];
        assert_eq!(
            read(&names).1,
            [Some(INDEX[4]), Some(THUMB[0]), Some(THUMB[3])]
        );
        assert_eq!(
            read(&["Hand_Thumb0", "Hand_Thumb1", "Hand_WristRoot"]).1,
            [None, Some(THUMB[0]), Some(Joint::Wrist)]
        );
        // The palm of Rigify is a control.
        assert_eq!(read(&["palm.R", "f_index.01.R"]).1, [None, Some(INDEX[1])]);
        let (_, joints) = read(&["RightHandIndex4", "RightHandIndex4_end", "RightHandIndex9"]);
        assert_eq!(joints, [Some(Joint::IndexTip), None, None]);
    }

    #[test]
    fn the_hand_is_the_wrist_without_a_wrist() {
        for name in [
            "RightHand",
            "hand_r",
            "hand.R",
            "J_Bip_R_Hand",
            "mixamorig:RightHand",
        ] {
            assert_eq!(read(&[name]).1, [Some(Joint::Wrist)], "{name}");
            assert_eq!(JointName::parse(name).unwrap().side, Some(Side::Right));
        }
        assert_eq!(read(&["hand_r", "wrist_r"]).1, [None, Some(Joint::Wrist)]);
    }

    #[test]
    fn other_names_are_no_names_of_joints() {
        let long = "IndexTip".repeat(1000);
        for name in [
            "",
            "left",
            "Spine1",
            "upperarm_r",
            "r_palm_center_marker",
            "b_r_index_null_end",
            "r_index_finger_pad_marker",
            "r_index_knuckle_marker",
            "r_index_palm_knuckle_marker",
            "HandRoot",
            "hand_ip",
            &long,
        ] {
            assert_eq!(JointName::parse(name), None, "{name}");
        }
        assert_eq!(side_in("OculusHand_R"), Some(Side::Right));
        assert_eq!(side_in("take of a bright lamp"), None);
    }
}
