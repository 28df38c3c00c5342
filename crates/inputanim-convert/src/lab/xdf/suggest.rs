//! Mappings that probably fit the streams of other programs, for hints.

use inputanim::{Element, Joint, Side};

use super::file::XdfFile;
use super::header::ChannelFormat;

/// Returns mappings for the channels whose labels look like positions and rotations, such as `pos_x` and `rot_w`: `--map` of the
/// program and `mappings` of the libraries accept them. The names of the streams decide which poses they are. The list is
/// empty if no label looks like a position.
pub(super) fn mappings(file: &XdfFile<'_>) -> Vec<String> {
    let mut all = Vec::new();
    let mut used = Vec::new();
    for (index, stream) in file.streams.iter().enumerate() {
        if stream.header.format == ChannelFormat::String {
            continue;
        }
        let name = file.label(index);
        for pose in poses(&stream.header.labels) {
            let mut texts = words(&name);
            texts.extend(pose.words);
            let element = element(&texts);
            if used.contains(&element) {
                continue;
            }
            used.push(element);
            let parts = [
                ("position", &pose.position[..]),
                ("rotation", &pose.rotation),
            ];
            for (part, labels) in parts {
                // A rotation without w is not a quaternion.
                let labels: Option<Vec<&String>> = labels.iter().map(Option::as_ref).collect();
                for (label, axis) in labels.into_iter().flatten().zip(AXES) {
                    all.push(format!("{element}.{part}.{axis}={name}/{label}"));
                }
            }
        }
    }
    all
}

const AXES: [&str; 4] = ["x", "y", "z", "w"];

/// The labels of the channels of a pose, in the order of the axes.
struct PoseLabels {
    /// The words of the labels before the axis.
    words: Vec<String>,
    position: [Option<String>; 3],
    rotation: [Option<String>; 4],
}

/// Returns the poses with a complete position, in the order of their first labels.
fn poses(labels: &[Option<String>]) -> Vec<PoseLabels> {
    let mut poses: Vec<PoseLabels> = Vec::new();
    for label in labels.iter().flatten() {
        let Some((words, is_rotation, axis)) = part(label) else {
            continue;
        };
        let known = poses.iter().position(|pose| pose.words == words);
        let place = known.unwrap_or_else(|| {
            poses.push(PoseLabels {
                words,
                position: Default::default(),
                rotation: Default::default(),
            });
            poses.len() - 1
        });
        let pose = &mut poses[place];
        let slot = match is_rotation || axis == 3 {
            true => pose.rotation.get_mut(axis),
            false => pose.position.get_mut(axis),
        };
        if let Some(slot @ None) = slot {
            *slot = Some(label.clone());
        }
    }
    poses.retain(|pose| pose.position.iter().all(Option::is_some));
    poses
}

/// Divides a label: the words that name the pose, `true` for a rotation, and the index of the axis. Returns `None` for other
/// labels.
fn part(label: &str) -> Option<(Vec<String>, bool, usize)> {
    let mut all = words(label);
    let last = all.pop()?;
    let axis = AXES.iter().position(|axis| last.ends_with(axis))?;
    let before = &last[..last.len() - 1];
    if !before.is_empty() {
        all.push(before.to_owned());
    }
    const POSITION: [&str; 8] = [
        "p",
        "pos",
        "position",
        "loc",
        "location",
        "t",
        "trans",
        "translation",
    ];
    const ROTATION: [&str; 7] = [
        "q",
        "rot",
        "rotation",
        "quat",
        "quaternion",
        "ori",
        "orientation",
    ];
    let is_one = |words: &[&str], word: &String| words.contains(&word.as_str());
    let is_rotation = all.iter().any(|word| is_one(&ROTATION, word));
    let is_position = all.iter().any(|word| is_one(&POSITION, word));
    if !before.is_empty() && !is_rotation && !is_position {
        // A word that ends with the letter of an axis, such as `index`.
        return None;
    }
    all.retain(|word| !is_one(&POSITION, word) && !is_one(&ROTATION, word));
    Some((all, is_rotation, axis))
}

/// Divides a name into words in lower case: at capital letters that follow small ones, and at all signs.
fn words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut was_small = false;
    for letter in name.chars() {
        let is_start = was_small && letter.is_uppercase();
        if (is_start || !letter.is_alphanumeric())
            && words.last().is_some_and(|word| !word.is_empty())
        {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| letter.is_alphanumeric()) {
            word.extend(letter.to_lowercase());
        }
        was_small = letter.is_lowercase();
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Returns the pose that words name: the palm of a hand if they name only a side, and the head without a side.
fn element(words: &[String]) -> Element {
    let has = |names: &[&str]| words.iter().any(|word| names.contains(&word.as_str()));
    let side = match (has(&["left", "l", "lhand"]), has(&["right", "r", "rhand"])) {
        (true, false) => Side::Left,
        (false, true) => Side::Right,
        _ => return Element::Head,
    };
    let tips = [
        ("thumb", Joint::ThumbTip),
        ("index", Joint::IndexTip),
        ("middle", Joint::MiddleTip),
        ("ring", Joint::RingTip),
        ("pinky", Joint::PinkyTip),
        ("little", Joint::PinkyTip),
    ];
    let tip = tips.iter().find(|(name, _)| has(&[name]));
    let joint = match tip {
        Some((_, joint)) => *joint,
        None if has(&["wrist"]) => Joint::Wrist,
        None => Joint::Palm,
    };
    Element::Joint(side, joint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_divided_into_pose_and_axis() {
        let divided = |label| {
            part(label).map(|(words, is_rotation, axis)| (words.join(" "), is_rotation, axis))
        };
        let text = |words: &str, is_rotation, axis| Some((words.to_owned(), is_rotation, axis));
        assert_eq!(divided("pos_x"), text("", false, 0));
        assert_eq!(divided("X"), text("", false, 0));
        assert_eq!(divided("qw"), text("", true, 3));
        assert_eq!(divided("RightWristPosZ"), text("right wrist", false, 2));
        assert_eq!(divided("Head.rotation.y"), text("head", true, 1));
        assert_eq!(divided("index"), None);
        assert_eq!(divided("Fp1"), None);
        assert_eq!(divided(""), None);
    }

    #[test]
    fn names_decide_the_pose() {
        let name = |text| element(&words(text)).to_string();
        assert_eq!(name("RightHand"), "right.Palm");
        assert_eq!(name("HTC_Vive_L wrist"), "left.Wrist");
        assert_eq!(name("rightIndexTip"), "right.IndexTip");
        assert_eq!(name("HMD"), "head");
        assert_eq!(name("LeftAndRight"), "head");
    }
}
