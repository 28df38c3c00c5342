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
    axes: RigAxes::OfFile,
};

/// The known rigs.
///
/// Sources of names and axes:
/// - OpenXR 1.1, `XR_EXT_hand_tracking`, "Conventions of hand joints"; WebXR Hand Input, "Skeleton Joints". Both define −Z to the
///   tip and +Y out of the back of the hand.
/// - Unity XR Hands, `XRHandJointID`; OpenXR's joints in Unity's axes.
/// - Oculus: `OVRSkeleton.BoneId` (`Hand_Thumb0` is the trapezium) and the hand models of the Oculus Integration.
/// - SteamVR: the models `vr_glove_left_model` and `vr_glove_right_model`, and `HandSkeletonBone` of OpenVR.
/// - Unreal: the skeletons of the mannequins. Godot: `SkeletonProfileHumanoid`. VRM: `humanBones`, and models of VRoid.
/// - Blender: the rigs of Rigify.
const RIGS: &[Rig] = &[
    Rig {
        name: "WebXR",
        shapes: &["F-finger-P", "F-finger-phalanx-P", "F-phalanx-P"],
        axes: RigAxes::OpenXr,
        ..NUMBERED
    },
    Rig {
        name: "OpenXR",
        shapes: &[
            "xr_hand_joint_F_P_ext",
            "hand_joint_F_P_ext",
            "hand_joint_F_P",
        ],
        axes: RigAxes::OpenXr,
        ..NUMBERED
    },
    Rig {
        name: "Meta XR hand",
        shapes: &["xrhand_FP"],
        ..NUMBERED
    },
    Rig {
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
    },
    Rig {
        name: "Unity XR Hands",
        shapes: &["S_FP"],
        axes: RigAxes::Unity,
        ..NUMBERED
    },
    Rig {
        name: "humanoid (Godot or VRM)",
        shapes: &["SFP"],
        ..NUMBERED
    },
    Rig {
        name: "VRoid (VRM)",
        shapes: &["j_bip_S_FN", "j_bip_S_FN_P"],
        ..NUMBERED
    },
    Rig {
        name: "Mixamo",
        shapes: &[
            "mixamorig:ShandFN",
            "mixamorigShandFN",
            "mixamorig_ShandFN",
            "ShandFN",
        ],
        ..NUMBERED
    },
    Rig {
        name: "Oculus",
        shapes: &["b_S_FN", "b_S_F_P"],
        has_trapezium: true,
        ..NUMBERED
    },
    Rig {
        name: "SteamVR",
        shapes: &["finger_F_N_S", "finger_F_P_S", "finger_F_S_P"],
        knuckle: 0,
        ..NUMBERED
    },
    Rig {
        name: "Unreal",
        shapes: &["F_N_S", "F_P_S"],
        ..NUMBERED
    },
    Rig {
        name: "Blender (Rigify)",
        shapes: &[
            "f_F.N.S",
            "F.N.S",
            "palm.N.S",
            "def-f_F.N.S",
            "def-F.N.S",
            "def-palm.N.S",
            "f_F.N_S",
            "F.N_S",
            "f_FNS",
            "FNS",
        ],
        ..NUMBERED
    },
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
    ("wrist", Word::Wrist),
    ("palm", Word::Palm),
    ("hand", Word::Hand),
    ("joint", Word::Joint),
    ("none", Word::Nothing),
    ("finger", Word::Filler),
    ("phalanx", Word::Filler),
    ("xr", Word::Filler),
    ("ext", Word::Filler),
    ("mixamorig", Word::Filler),
    ("bip", Word::Filler),
    ("def", Word::Filler),
    ("b", Word::Filler),
    ("f", Word::Filler),
    ("j", Word::Filler),
];

/// The meaning of the name of a joint.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct JointName {
    /// The hand, if the name contains one.
    pub(crate) side: Option<Side>,
    /// True if the name ends with the number of a copy, such as `.001`.
    pub(crate) is_copy: bool,
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
        Some(JointName {
            side,
            is_copy: name.len() < given.len(),
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
            Word::Side(_) | Word::Filler => {}
            // A second finger, bone or number.
            _ => return None,
        }
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
                    "RightHandThumb3",
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
                "SteamVR",
                &[
                    "finger_thumb_meta_l",
                    "finger_thumb_0_l",
                    "finger_thumb_1_l",
                    "finger_thumb_2_l",
                ],
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
            &long,
        ] {
            assert_eq!(JointName::parse(name), None, "{name}");
        }
        assert_eq!(side_in("OculusHand_R"), Some(Side::Right));
        assert_eq!(side_in("take of a bright lamp"), None);
    }
}
