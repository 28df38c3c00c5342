//! Mappings that are probably meant, from the names of the columns of another program.

use std::collections::HashSet;

use inputanim::{Joint, Side};

use super::hand_orders::HandOrder;
use super::mapping::TIME_S;
use super::units::Quantity;
use super::{Mapping, Suggestion};

/// The frames per second that a suggestion assumes for a column of frame numbers.
const FRAME_RATE: f64 = 30.0;

/// The order in which Unity turns the axes for its angles.
const UNITY_ORDER: &str = "yxz";

/// The largest number of columns of a table that is examined.
const MAX_NAMES: usize = 2000;

/// Columns of one vector: the name of each column by its axis x, y, z, w.
#[derive(Default)]
struct Group {
    stem: String,
    names: [Option<String>; 4],
    /// `true` for pitch, yaw and roll.
    is_turn: bool,
}

impl Suggestion {
    /// Creates a suggestion of the mappings `given`, and of others that are found. It is empty if none is found.
    pub(crate) fn new(given: &[Mapping], found: Vec<Mapping>) -> Suggestion {
        if found.is_empty() {
            return Suggestion::default();
        }
        let remarks = remarks(&found);
        Suggestion {
            mappings: given.iter().cloned().chain(found).collect(),
            remarks,
        }
    }
}

/// Returns what mappings assume that nothing in the file states.
fn remarks(mappings: &[Mapping]) -> Vec<String> {
    let mut remarks = Vec::new();
    let time = mappings.iter().find(|mapping| mapping.column == TIME_S);
    if let Some(time) = time {
        let has_unit = Quantity::Time.of_name(&time.source).is_some();
        match time.factor {
            None if has_unit => {}
            // A debug text escapes control characters: a name is content of a file.
            None => remarks.push(format!(
                "{:?} converts milliseconds",
                format!("{time}*0.001")
            )),
            Some(_) => remarks.push(format!(
                "{FRAME_RATE} frames per second are assumed: replace the number after the \"/\""
            )),
        }
    }
    let is_assumed = |mapping: &Mapping| {
        mapping.column.starts_with("right.") && !mapping.source.to_lowercase().contains("right")
    };
    if mappings.iter().any(is_assumed) {
        remarks.push("the right hand is assumed".to_owned());
    }
    for (unit, name) in [("deg", "degrees"), ("rad", "radians")] {
        let end = format!(".rotation.{UNITY_ORDER}-{unit}");
        if mappings
            .iter()
            .any(|mapping| mapping.column.ends_with(&end))
        {
            remarks.push(format!(
                "{UNITY_ORDER}-{unit} is Unity's order of angles in {name}"
            ));
        }
    }
    remarks
}

/// Returns the mappings `given`, and suggestions for the time, positions and rotations that they do not assign. Returns only the
/// time if `only_time` is true. Returns nothing if no column is recognised.
pub(crate) fn mappings(names: &[String], given: &[Mapping], only_time: bool) -> Suggestion {
    let names = &names[..names.len().min(MAX_NAMES)];
    let mut found = Vec::new();
    let has_time = names.iter().any(|name| name == TIME_S || name == "time");
    let is_given = |column: &str| given.iter().any(|mapping| mapping.column == column);
    if !has_time && !is_given(TIME_S) {
        found.extend(time(names));
    }
    let has_all_times = has_time || is_given(TIME_S) || !found.is_empty();
    if !only_time {
        let before = found.len();
        let hands = hands(names);
        let is_beside = |mapping: &Mapping| hands.is_empty() || mapping.column.starts_with("head.");
        found.extend(poses(names).into_iter().filter(is_beside));
        found.extend(hands);
        found.retain(|mapping| !is_given(&mapping.column));
        // The time alone does not help if nothing else is known.
        if found.len() == before {
            return Suggestion::default();
        }
    }
    if !has_all_times {
        return Suggestion::default();
    }
    Suggestion::new(given, found)
}

/// Returns a suggestion to read the column of this name as the time.
pub(crate) fn time_of(name: &str) -> Suggestion {
    Suggestion::new(&[], vec![mapping(TIME_S, name)])
}

fn mapping(column: impl Into<String>, source: impl Into<String>) -> Mapping {
    Mapping {
        column: column.into(),
        source: source.into(),
        factor: None,
    }
}

/// Returns a mapping of the column that is probably the time, or the number of the frame.
fn time(names: &[String]) -> Option<Mapping> {
    if let Some(time) = likely_time(names.iter().map(String::as_str)) {
        return Some(mapping(TIME_S, time));
    }
    let is_frame = |name: &&String| {
        let known = [
            "frame",
            "frames",
            "frameid",
            "frameno",
            "framenumber",
            "frameindex",
            "framecount",
        ];
        known.contains(&&*normal(name))
    };
    names.iter().find(is_frame).map(|frame| Mapping {
        factor: Some(FRAME_RATE.recip()),
        ..mapping(TIME_S, frame)
    })
}

/// Returns the first name that looks like the name of a column of times, such as `Timestamp` or `t [s]`.
pub(crate) fn likely_time<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let is_time = |name: &&str| {
        let name = name.to_ascii_lowercase();
        name.contains("time")
            // Some programs put the unit into the name: `t [s]`.
            || name.starts_with("t [")
            || ["t", "t_s", "t_ms", "ms", "seconds", "milliseconds", "date"].contains(&&*name)
    };
    names.into_iter().find(is_time)
}

/// Returns the letters and digits of a name in lower case.
fn normal(name: &str) -> String {
    let kept = name.chars().filter(|letter| letter.is_alphanumeric());
    kept.flat_map(char::to_lowercase).collect()
}

/// Returns mappings of positions and rotations.
pub(crate) fn poses(names: &[String]) -> Vec<Mapping> {
    let names = &names[..names.len().min(MAX_NAMES)];
    let mut found = Vec::new();
    let groups = groups(names);
    let mut positions: Vec<String> = Vec::new();
    for group in &groups {
        let stem = group.stem.to_lowercase();
        let is_other = [
            "vel", "acc", "gyr", "mag", "scale", "forward", "dir", "gaze", "eye", "rot", "ang",
            "euler",
        ];
        if group.is_turn
            || group.names[3].is_some()
            || is_other.iter().any(|word| stem.contains(word))
        {
            continue;
        }
        if let [Some(x), Some(y), Some(z), None] = &group.names {
            let part = part(&group.stem);
            if !positions.contains(&part) {
                found.push(mapping(format!("{part}.position"), format!("{x},{y},{z}")));
                positions.push(part);
            }
        }
    }
    // A column with the name of a joint contains all numbers of its position.
    for name in names {
        let is_head = ["head", "camera", "maincamera", "hmd"].contains(&&*normal(name));
        if is_head || joint(name).is_some() {
            let part = part(name);
            if !positions.contains(&part) {
                found.push(mapping(format!("{part}.position"), name));
                positions.push(part);
            }
        }
    }
    for group in &groups {
        let stem = group.stem.to_lowercase();
        let part = part(&group.stem);
        if !positions.contains(&part) || stem.contains("eye") || stem.contains("gaze") {
            continue;
        }
        let is_turned = group.is_turn
            || ["rot", "euler", "ang", "orient"]
                .iter()
                .any(|word| stem.contains(word));
        match &group.names {
            [Some(x), Some(y), Some(z), Some(w)] => {
                found.push(mapping(
                    format!("{part}.rotation"),
                    format!("{x},{y},{z},{w}"),
                ));
            }
            [Some(x), Some(y), Some(z), None] if is_turned => {
                let unit = Quantity::Angle.of_name(x).map_or("deg", |(_, unit)| unit);
                let unit = if unit.to_lowercase().starts_with("rad") {
                    "rad"
                } else {
                    "deg"
                };
                let column = format!("{part}.rotation.{UNITY_ORDER}-{unit}");
                found.push(mapping(column, format!("{x},{y},{z}")));
            }
            _ => continue,
        }
        positions.retain(|other| *other != part);
    }
    found.extend(gaze(&groups));
    found
}

/// Returns mappings of the origin and the direction of the gaze: both, or none if a ray has only one of them. Rays of single
/// eyes are left out.
fn gaze(groups: &[Group]) -> Vec<Mapping> {
    let mut parts = [("gaze.origin", None), ("gaze.direction", None)];
    for group in groups.iter().filter(|group| !group.is_turn) {
        let [Some(x), Some(y), Some(z), None] = &group.names else {
            continue;
        };
        let stem = group.stem.to_lowercase();
        let after = ["gaze", "eye"].iter().filter_map(|word| {
            let at = stem.rfind(word)?;
            stem.get(at + word.len()..)
        });
        let Some(after) = after.min_by_key(|after| after.len()) else {
            continue;
        };
        if stem.contains("left") || stem.contains("right") {
            continue;
        }
        let after = normal(after);
        let letters = after.trim_matches(|letter: char| !letter.is_alphabetic());
        let place = match letters {
            "o" | "or" | "origin" | "pos" | "position" => 0,
            "d" | "dir" | "direction" | "forward" => 1,
            _ => continue,
        };
        parts[place].1.get_or_insert(format!("{x},{y},{z}"));
    }
    match parts {
        [(origin, Some(of_origin)), (direction, Some(of_direction))] => {
            vec![mapping(origin, of_origin), mapping(direction, of_direction)]
        }
        _ => Vec::new(),
    }
}

/// Returns mappings of hands with the 21 positions of MediaPipe, whose names differ in a number or in the name of the landmark.
fn hands(names: &[String]) -> Vec<Mapping> {
    let order = HandOrder::MediaPipe;
    let count = order.joints().len();
    let known: HashSet<&str> = names.iter().map(String::as_str).collect();
    let has = |template: &str, number: usize| {
        let name = order.expand(template, number);
        name.is_some_and(|name| known.contains(&*name))
    };
    // Neither more nor fewer than 21 positions.
    let is_hand = |template: &str| {
        let is_other = template.contains("{n}") && has(template, count)
            || template.contains("{n+1}") && has(&template.replace("{n+1}", "{n}"), 0);
        !is_other && (0..count).all(|number| has(template, number))
    };
    let mut found: Vec<Mapping> = Vec::new();
    let last = [("{n}", "20"), ("{n+1}", "21"), ("{name}", "PINKY_TIP")];
    for (name, (placeholder, text)) in names
        .iter()
        .flat_map(|name| last.iter().map(move |last| (name, last)))
    {
        for (at, _) in name.match_indices(text) {
            let (before, after) = (&name[..at], &name[at + text.len()..]);
            let is_digit = |letter: Option<char>| letter.is_some_and(|it| it.is_ascii_digit());
            if is_digit(before.chars().next_back()) || is_digit(after.chars().next()) {
                continue;
            }
            let template = format!("{before}{placeholder}{after}");
            // A comma separates the names of a list.
            if template.contains(',') || !is_hand(&template) {
                continue;
            }
            let is_axis = |(_, letter): &(usize, char)| ['x', 'X'].contains(letter);
            let vector = template
                .char_indices()
                .filter(is_axis)
                .find_map(|(x, letter)| {
                    let axis = |next: u8| {
                        let next = char::from(letter as u8 + next);
                        format!("{}{next}{}", &template[..x], &template[x + 1..])
                    };
                    let (y, z) = (axis(1), axis(2));
                    (is_hand(&y) && is_hand(&z)).then(|| format!("{template},{y},{z}"))
                });
            // An element of a list has all numbers of a position.
            let is_element = template.ends_with(&format!(".{placeholder}"));
            let Some(source) = vector.or_else(|| is_element.then(|| template.clone())) else {
                continue;
            };
            let side = if template.to_lowercase().contains("left") {
                Side::Left
            } else {
                Side::Right
            };
            let column = format!("{side}.joints.mediapipe");
            if found.iter().all(|mapping| mapping.column != column) {
                found.push(mapping(column, source));
            }
        }
    }
    found
}

/// Groups the columns whose names differ only in an axis.
fn groups(names: &[String]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for name in names {
        // A comma separates the names of a list.
        if name.contains(',') {
            continue;
        }
        let Some((stem, axis, is_turn)) = axis(name) else {
            continue;
        };
        let is_same =
            |group: &&mut Group| group.is_turn == is_turn && group.stem.eq_ignore_ascii_case(&stem);
        match groups.iter_mut().find(is_same) {
            Some(group) => {
                group.names[axis].get_or_insert_with(|| name.clone());
            }
            None => {
                let mut group = Group {
                    stem,
                    is_turn,
                    ..Group::default()
                };
                group.names[axis] = Some(name.clone());
                groups.push(group);
            }
        }
    }
    for group in &mut groups {
        // Unity's y axis is the height.
        let height = normal(&group.stem.to_lowercase().replace("position", "height"));
        if let [Some(_), y @ None, Some(_), None] = &mut group.names
            && height.contains("height")
        {
            *y = names.iter().find(|name| normal(name) == height).cloned();
        }
    }
    groups
}

/// Returns the name of a column without its axis and unit, the index of the axis in x, y, z, w, and `true` for pitch, yaw and
/// roll.
fn axis(name: &str) -> Option<(String, usize, bool)> {
    let unit = [Quantity::Length, Quantity::Angle]
        .iter()
        .find_map(|quantity| quantity.of_name(name));
    let name = unit.map_or_else(|| name.to_owned(), |(name, _)| name);
    let lower = name.to_lowercase();
    for (axis, word) in ["pitch", "yaw", "roll"].iter().enumerate() {
        if let Some(at) = lower.find(word)
            && name.is_char_boundary(at)
            && name.is_char_boundary(at + word.len())
        {
            return Some((name[..at].to_owned() + &name[at + word.len()..], axis, true));
        }
    }
    let index = |letter: char| "xyzw".find(letter.to_ascii_lowercase());
    let last = name.chars().next_back().filter(char::is_ascii)?;
    let rest = &name[..name.len() - 1];
    // The last letter of a word is no axis, but the names `px`, `qw` and `posX` end with one.
    let is_axis = match rest.chars().next_back() {
        None => true,
        Some(before) if before.is_alphabetic() => {
            last.is_ascii_uppercase() || rest.len() == 1 || {
                let mut letters = rest.chars().rev().skip(1);
                letters.next().is_some_and(|letter| !letter.is_alphabetic())
            }
        }
        Some(_) => true,
    };
    let axis = index(last).filter(|_| is_axis)?;
    Some((rest.to_owned(), axis, false))
}

/// Returns the joint whose name a column has, behind other words.
fn joint(name: &str) -> Option<Joint> {
    let last = name.rsplit(['.', '/']).next().unwrap_or(name);
    let last = normal(last);
    Joint::ALL
        .into_iter()
        .filter(|joint| *joint != Joint::None)
        .find(|joint| {
            let known = normal(joint.name());
            known == last || known.strip_suffix("joint") == Some(&*last)
        })
}

/// Returns the head, or the joint of a hand, that the words of a name suggest. It is the right palm if they suggest nothing.
fn part(stem: &str) -> String {
    let lower = stem.to_lowercase();
    let side = if lower.contains("left") {
        Side::Left
    } else {
        Side::Right
    };
    let is_hand = lower.contains("hand") || lower.contains("left") || lower.contains("right");
    if !is_hand
        && ["head", "camera", "hmd"]
            .iter()
            .any(|word| lower.contains(word))
    {
        return "head".to_owned();
    }
    let joints = Joint::ALL.into_iter().filter(|joint| *joint != Joint::None);
    let words = normal(stem);
    let in_words = |joint: &Joint| {
        let known = normal(joint.name());
        words.contains(&known)
            || known
                .strip_suffix("joint")
                .is_some_and(|known| words.contains(known))
    };
    let joint = joint(stem)
        .or_else(|| joints.into_iter().find(in_words))
        .unwrap_or(Joint::Palm);
    format!("{side}.{}", joint.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn suggested(names: &str) -> Vec<String> {
        let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
        mappings(&names, &[], false)
            .mappings
            .iter()
            .map(Mapping::to_string)
            .collect()
    }

    #[test]
    fn names_suggest_the_ray_of_the_gaze() {
        let of = |origin: &str, direction: &str| {
            let names =
                [origin, direction].map(|stem| ["x", "y", "z"].map(|axis| format!("{stem}{axis}")));
            (
                suggested(&format!("time {}", names.concat().join(" "))),
                names.map(|names| names.join(",")),
            )
        };
        for (origin, direction) in [
            ("Gaze/o", "Gaze/d"),
            ("gaze_origin_", "gaze_direction_"),
            ("CombinedEye.pos.", "CombinedEye.forward."),
        ] {
            let (found, [origin, direction]) = of(origin, direction);
            let expected = [("gaze.origin", origin), ("gaze.direction", direction)];
            assert_eq!(
                found,
                expected.map(|(column, names)| format!("{column}={names}"))
            );
        }
        // A direction without an origin is no ray, and the ray of one eye is not that of both.
        for (origin, direction) in [
            ("gaze_velocity_", "gaze_dir_"),
            ("left_eye_o", "left_eye_d"),
        ] {
            assert!(of(origin, direction).0.is_empty());
        }
    }

    #[test]
    fn names_suggest_the_landmarks_of_hands() {
        let list = |count: usize, name: &dyn Fn(usize) -> String| {
            (0..count).map(name).collect::<Vec<_>>().join(" ")
        };
        let numbers = |n| format!("x{n} y{n} z{n}");
        let from_one = |n| format!("left_{0}_x left_{0}_y left_{0}_z", n + 1);
        let element = |n| format!("landmarks.{n}");
        let named = |n| {
            let name = HandOrder::MediaPipe.name_of(n).unwrap();
            format!("R_{name}.x R_{name}.y R_{name}.z")
        };
        for (names, expected) in [
            (list(21, &numbers), "right.joints.mediapipe=x{n},y{n},z{n}"),
            (
                list(21, &from_one),
                "left.joints.mediapipe=left_{n+1}_x,left_{n+1}_y,left_{n+1}_z",
            ),
            (list(21, &element), "right.joints.mediapipe=landmarks.{n}"),
            (
                list(21, &named),
                "right.joints.mediapipe=R_{name}.x,R_{name}.y,R_{name}.z",
            ),
        ] {
            let found = suggested(&format!("time {names}"));
            assert_eq!(found, [expected]);
            assert_eq!(found[0].parse::<Mapping>().unwrap().to_string(), found[0]);
        }
        // 33 landmarks of a body, and 20 positions.
        for count in [33, 20] {
            assert_eq!(
                suggested(&format!("time {}", list(count, &numbers))),
                [""; 0]
            );
        }
    }

    #[test]
    fn names_suggest_positions_and_rotations() {
        for (names, expected) in [
            (
                "time pos_x pos_y pos_z rot_x rot_y rot_z",
                &[
                    "right.Palm.position=pos_x,pos_y,pos_z",
                    "right.Palm.rotation.yxz-deg=rot_x,rot_y,rot_z",
                ][..],
            ),
            (
                "Timestamp head_px head_py head_pz head_qx head_qy head_qz head_qw note",
                &[
                    "time_s=Timestamp",
                    "head.position=head_px,head_py,head_pz",
                    "head.rotation=head_qx,head_qy,head_qz,head_qw",
                ],
            ),
            (
                "frame posX posY posZ",
                &["time_s=frame/30", "right.Palm.position=posX,posY,posZ"],
            ),
            ("time Left.Wrist", &["left.Wrist.position=Left.Wrist"]),
            (
                "t Head_Position_x Head_Height Head_Position_Z",
                &[
                    "time_s=t",
                    "head.position=Head_Position_x,Head_Height,Head_Position_Z",
                ],
            ),
            (
                "time Cap/X Cap/Y Cap/Z Cap/Yaw Cap/Pitch Cap/Roll EEG/Fz",
                &[
                    "right.Palm.position=Cap/X,Cap/Y,Cap/Z",
                    "right.Palm.rotation.yxz-deg=Cap/Pitch,Cap/Yaw,Cap/Roll",
                ],
            ),
            ("time a b index vertex", &[]),
            ("pos_x pos_y pos_z", &[]),
        ] {
            let found = suggested(names);
            assert_eq!(found, expected);
            for mapping in found {
                assert_eq!(mapping.parse::<Mapping>().unwrap().to_string(), mapping);
            }
        }
    }

    #[test]
    fn remarks_state_what_only_the_suggestion_assumes() {
        let milliseconds = "\"time_s=Timestamp*0.001\" converts milliseconds";
        let right = "the right hand is assumed";
        let degrees = "yxz-deg is Unity's order of angles in degrees";
        let frames = "30 frames per second are assumed: replace the number after the \"/\"";
        for (names, given, expected) in [
            ("Timestamp x y z", &[][..], &[milliseconds, right][..]),
            ("Timestamp_ms left_x left_y left_z", &[], &[]),
            ("time right_x right_y right_z", &[], &[]),
            ("time x y z pitch yaw roll", &[], &[right, degrees]),
            (
                "time x y z pitch_rad yaw_rad roll_rad",
                &[],
                &[right, "yxz-rad is Unity's order of angles in radians"],
            ),
            ("frame head_x head_y head_z", &[], &[frames]),
            // The user states the hand.
            (
                "Timestamp x y z",
                &["right.Palm.position=x,y,z"],
                &[milliseconds],
            ),
        ] {
            let names: Vec<String> = names.split(' ').map(str::to_owned).collect();
            let given: Vec<Mapping> = given.iter().map(|text| text.parse().unwrap()).collect();
            let suggestion = mappings(&names, &given, given.len() == 1);
            assert_eq!(suggestion.remarks, expected, "{names:?}");
        }
    }
}
