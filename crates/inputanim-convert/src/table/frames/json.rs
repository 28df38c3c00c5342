//! A frame as a line of JSON.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::BufRead;

use inputanim::{
    CurvePath, DeviceFrame, DeviceName, Frame, HandFrame, InputName, InputValue, Joint, Joints,
    Marker, Pose, PoseName, Ray, Side,
};
use serde::de::{Error as _, IgnoredAny, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::flat::add_names;
use super::values::{self, KindCell, KnownNames, UnknownNames};
use super::{State, TextRow};
use crate::shared::bone_rotations::BoneRotations;
use crate::shared::mapping::{MARKER, Mapping, RECORDING, TIME, TIME_S};
use crate::shared::suggest;
use crate::shared::units::Quantity;
use crate::table::table_error::{NameKind, Place, TableError, first_names};
use crate::table::text::Objects;

/// Parses the current object of `objects` as a frame, a marker or both. Returns `None` if the object belongs to a
/// recording that is not read.
pub(super) fn parse<R: BufRead>(
    objects: &Objects<R>,
    state: &mut State,
) -> Result<Option<TextRow>, TableError> {
    let parsed = object(objects, &mut state.unknown, expected_at, known_at);
    let object: FrameObject<'_> = parsed.map_err(|error| explained(error, objects))?;
    let place = objects.place();
    if !state.recordings.selects_line(object.recording.as_deref())? {
        return Ok(None);
    }
    let is_time = |mapping: &&Mapping| mapping.column == TIME_S;
    let (name, time, factor) = match state.mappings.iter().find(is_time) {
        Some(Mapping { source, factor, .. }) => {
            let unit = || Quantity::Time.size(Quantity::Time.of_name(source)?.1);
            let factor = factor.or_else(unit).unwrap_or(1.0);
            (&**source, member(objects, source)?, factor)
        }
        None => ("time", object.time, 1.0),
    };
    let time = match time {
        // A date is a text in quotation marks.
        Some(time) => {
            let time = time.get();
            let time = if time.contains(':') {
                time.trim_matches('"')
            } else {
                time
            };
            state.clock.parse(place, name, time, factor)?
        }
        None => None,
    };
    let is_marker = |mapping: &&Mapping| mapping.column == MARKER;
    let marker = match state.mappings.iter().find(is_marker) {
        Some(mapping) => match member(objects, &mapping.source)? {
            Some(text) => Some(serde_json::from_str(text.get()).map_err(|_| {
                TableError::value(place, &mapping.source, shape("marker"), text.get())
            })?),
            None => None,
        },
        None => object.marker,
    };
    let time = time.ok_or_else(|| TableError::missing(place, name))?;
    let mut markers = Vec::new();
    for marker in object.markers.unwrap_or_default() {
        let at = marker.time.get();
        let at = state.clock.parse(place, "markers.time", at, factor)?;
        let at = at.ok_or_else(|| TableError::missing(place, "markers.time"))?;
        markers.push(Marker::new(at, marker.name));
    }
    markers.extend(marker.map(|name: String| Marker::new(time, name)));
    // A line that contains only markers must not record a frame in which every pose is unknown.
    let is_marker_alone = !markers.is_empty()
        && object.head.is_none()
        && object.left.is_none()
        && object.right.is_none()
        && object.gaze.is_none()
        && object.devices.is_none();
    let frame = Frame {
        time: 0.0,
        head: object.head.map_or(Ok(None), |pose| {
            pose.pose(place, "head", &mut state.without_rotation)
        })?,
        left: hand(object.left, place, Side::Left, state)?,
        right: hand(object.right, place, Side::Right, state)?,
        gaze: object.gaze.map_or(Ok(None), |ray| ray.ray(place, "gaze"))?,
        devices: devices(object.devices.unwrap_or_default(), place, state)?,
    };
    Ok(Some(TextRow {
        time,
        markers,
        frame: (!is_marker_alone).then(|| Box::new(frame)),
    }))
}

/// Returns the JSON value of a top-level member of the current object by its name; `None` if the member is missing or
/// null.
fn member<'t, R: BufRead>(
    objects: &'t Objects<R>,
    name: &str,
) -> Result<Option<&'t RawValue>, TableError> {
    // The object was parsed before, so it is valid.
    let mut members: HashMap<Cow<'t, str>, &'t RawValue> =
        serde_json::from_str(objects.text()?).unwrap_or_default();
    let member = members.remove(name);
    Ok(member.filter(|value| value.get() != "null"))
}

/// Replaces an error of the JSON parser by a clearer one if possible: by an error about a missing time, or about the
/// expected form of a value, such as `[x, y, z]`.
fn explained<R: BufRead>(error: TableError, objects: &Objects<R>) -> TableError {
    let place = objects.place();
    let object = || {
        let text = objects.text().ok()?;
        serde_json::from_str::<serde_json::Value>(text).ok()
    };
    match error {
        // If the object has no time, the error about the missing time is the better message.
        TableError::Unknown {
            names,
            place,
            kind,
            expected,
            ..
        } => {
            let object = object();
            let mut members = Vec::new();
            if let Some(object) = &object {
                add_names("", object, &mut members);
            }
            let suggested = suggest::mappings(&members, &[], false).into();
            // The error of an object has one name.
            let name = names.first().map_or("", |unknown| &unknown.name);
            let is_time = suggest::likely_time([name]).is_some();
            let members = object.as_ref().and_then(serde_json::Value::as_object);
            match members.filter(|_| is_time) {
                Some(members) if !members.contains_key(TIME) && !members.contains_key(TIME_S) => {
                    let names: Vec<String> = members.keys().cloned().collect();
                    TableError::MissingColumns {
                        place,
                        kind: NameKind::Member,
                        columns: vec![TIME.to_owned()],
                        found: first_names(&names),
                        like: Some(name.to_owned()),
                        suggested,
                        division: None,
                    }
                }
                _ => TableError::Unknown {
                    names,
                    place,
                    kind,
                    expected,
                    suggested,
                },
            }
        }
        TableError::Json {
            ref field,
            ref message,
            ..
        } if ["invalid type", "invalid length", "expected"]
            .iter()
            .any(|start| message.starts_with(start)) =>
        {
            // The number of an element is less helpful than the complete array.
            let path = field.split('[').next().unwrap_or_default();
            let expected = shape(path);
            let members = object();
            let value = members.as_ref().and_then(|object| {
                path.split('.')
                    .try_fold(object, |value, name| value.get(name))
            });
            match value {
                Some(value) if !expected.is_empty() => TableError::Value {
                    place,
                    column: path.to_owned(),
                    expected,
                    found: match value.to_string() {
                        text if text.chars().count() > 40 => {
                            text.chars().take(40).chain(['…']).collect()
                        }
                        text => text,
                    },
                },
                _ => error,
            }
        }
        _ => error,
    }
}

/// Returns the expected form of the value of a member, such as `[x, y, z]` for the path `head.position`, for messages.
/// Returns an empty text if the form is not known.
fn shape(path: &str) -> &'static str {
    const POSE: &str = r#"{"position": [x, y, z]}"#;
    let path: Vec<&str> = path.split('.').collect();
    match path[..] {
        ["marker" | "recording"] => "text in quotation marks",
        ["markers"] => r#"[{"time": 1.5, "name": "grab"}]"#,
        ["head" | "camera"] | [_, "joints", _] => POSE,
        ["gaze"] => r#"{"origin": [x, y, z], "direction": [x, y, z]}"#,
        ["devices"] => r#"{"right.controller": {"active": true, "inputs": {"a.click": true}}}"#,
        ["left" | "right"] => r#"{"tracked": true, "joints": {"Palm": …}}"#,
        [_, "joints"] => r#"{"Palm": {"position": [x, y, z]}}"#,
        [_, "tracked" | "pinching"] => values::STATE,
        [.., "position" | "origin" | "direction"] => "[x, y, z]",
        [.., "rotation"] => "[x, y, z, w]",
        _ => "",
    }
}

fn devices(
    objects: BTreeMap<Cow<'_, str>, DeviceObject<'_>>,
    place: Place,
    state: &mut State,
) -> Result<Vec<DeviceFrame>, TableError> {
    let wrong = |source| TableError::Device { place, source };
    let mut frames = Vec::new();
    for (name, object) in objects {
        let device: DeviceName = name.parse().map_err(wrong)?;
        let mut frame = DeviceFrame::new(device);
        for (pose, object) in object.poses.unwrap_or_default() {
            let path = format!("devices.{name}.poses.{pose}");
            let pose: PoseName = pose.parse().map_err(wrong)?;
            let read = object.map(|object| object.pose(place, &path, &mut state.without_rotation));
            frame
                .poses
                .extend(read.transpose()?.flatten().map(|read| (pose, read)));
        }
        for (input, value) in object.inputs.unwrap_or_default() {
            let Some(value) = value else { continue };
            let path = format!("devices.{name}.inputs.{input}");
            let input: InputName = input.replace('.', "/").parse().map_err(wrong)?;
            let value = match value {
                InputObject::State(is_on) => InputValue::Boolean(is_on),
                InputObject::Number(number) => InputValue::Float(number),
            };
            let kind = state.kinds.entry((device, input)).or_default();
            let converted = kind.convert(value).ok_or_else(|| {
                TableError::value(place, &path, KindCell::EXPECTED, value.number())
            })?;
            frame.inputs.push((input, converted));
        }
        frame.poses.sort_by_key(|(name, _)| *name);
        frame.inputs.sort_by_key(|(name, _)| *name);
        frame.profile = object.profile.as_deref().map(Into::into);
        let is_known =
            frame.profile.is_some() || !frame.poses.is_empty() || !frame.inputs.is_empty();
        frame.active = object.active.unwrap_or(is_known);
        if object.active.is_some() || is_known {
            frames.push(frame);
        }
    }
    Ok(frames)
}

fn hand(
    object: Option<HandObject>,
    place: Place,
    side: Side,
    state: &mut State,
) -> Result<HandFrame, TableError> {
    state.has_hand[side as usize] |= object.is_some();
    let object = object.unwrap_or_default();
    let mut joints = Joints::default();
    let poses = object.joints.unwrap_or_default().0;
    // An object may lack a joint whose position is unknown, so the joints of all objects so far count.
    let seen = &mut state.positions.seen[side as usize];
    let mut has_rotation = Joints::from_fn(|_| false);
    for (joint, pose) in &poses {
        seen[*joint] |= pose.position.is_some();
        has_rotation[*joint] = pose.rotation.is_some();
    }
    let rotations = BoneRotations::new(side, seen, &has_rotation);
    for (joint, pose) in poses {
        let name = format!("{side}.joints.{joint}");
        let without_rotation = if rotations.computes(joint) {
            &mut state.positions.computed
        } else {
            &mut state.without_rotation
        };
        joints[joint] = pose.pose(place, &name, without_rotation)?;
    }
    let mut hand = values::hand(object.tracked.flatten(), object.pinching, joints);
    state.positions.uncomputed += rotations.apply(&mut hand.joints, state.positions.space);
    hand.unknown = object.tracked == Some(None) && !hand.tracked;
    Ok(hand)
}

/// Parses the current object of `objects` as a `T`. Members that `T` does not have are added to `unknown`, which may
/// refuse them. For the path of an unknown member, `expected` returns a short description of the known members for
/// messages, and `known` returns all of them.
pub(crate) fn object<'t, T: Deserialize<'t>, R: BufRead>(
    objects: &'t Objects<R>,
    unknown: &mut UnknownNames,
    expected: impl Fn(&str) -> &'static str,
    known: impl Fn(&str) -> Vec<String>,
) -> Result<T, TableError> {
    let (place, line, text) = (objects.place(), objects.line(), objects.text()?);
    // Serde would accept an array as the fields of a struct.
    if !text.starts_with('{') {
        return Err(TableError::value(place, "line", "a JSON object", text));
    }
    let mut json = serde_json::Deserializer::from_str(text);
    let mut path = serde_path_to_error::Track::new();
    let mut names = Vec::new();
    // The path of a member inside an `Option` contains a question mark.
    let mut add = |path: serde_ignored::Path<'_>| names.push(path.to_string().replace(".?", ""));
    let tracked = serde_path_to_error::Deserializer::new(&mut json, &mut path);
    let parsed = T::deserialize(serde_ignored::Deserializer::new(tracked, &mut add));
    // Text after the object would be ignored otherwise.
    let parsed = parsed.and_then(|object| json.end().map(|()| object));
    let object = parsed.map_err(|error| {
        // A pipe may close in the middle of a line. This is not a syntax error of the program that wrote the line.
        if objects.is_truncated() && error.is_eof() {
            return TableError::Truncated { line };
        }
        let field = if error.is_data() {
            path.path().to_string()
        } else {
            String::new()
        };
        // The parser counts lines from the start of the object.
        let message = error.to_string();
        let message = message.rsplit_once(" at line ");
        TableError::Json {
            line: line + (error.line() as u64).saturating_sub(1),
            column: error.column(),
            field: if field == "." { String::new() } else { field },
            message: message.map_or_else(|| error.to_string(), |(message, _)| message.to_owned()),
        }
    })?;
    for name in names {
        let known = KnownNames {
            kind: NameKind::Member,
            expected: expected(&name),
            names: &|| known(&name),
        };
        unknown.add(place, [name.as_str()], &known)?;
    }
    Ok(object)
}

fn expected_at(path: &str) -> &'static str {
    if path.parse::<CurvePath>().is_ok() {
        return "nested objects such as {\"left\":{\"tracked\":true}}";
    }
    let path: Vec<&str> = path.split('.').collect();
    match path[..] {
        [_] => "time, marker, markers, recording, head, left, right, gaze or devices",
        ["devices", ..] => "active, profile, poses or inputs",
        ["markers", ..] => "time or name",
        ["gaze", _] => "origin or direction",
        ["head" | "camera", _] | [_, "joints", _, _] => "position or rotation",
        [_, "joints", _] => "a joint such as Palm or IndexTip",
        _ => "tracked, pinching or joints",
    }
}

/// Returns the paths of the known members of the object that contains the unknown member at `path`. Returns no paths if
/// `path` is the name of a column, such as `left.tracked`.
fn known_at(path: &str) -> Vec<String> {
    // The name of a column is right, but members are nested.
    if path.parse::<CurvePath>().is_ok() {
        return Vec::new();
    }
    let parts: Vec<&str> = path.split('.').collect();
    let names: Vec<&str> = match parts[..] {
        [_] => vec![
            TIME, MARKER, "markers", RECORDING, "head", "left", "right", "gaze", "devices",
        ],
        ["devices", ..] => vec!["active", "profile", "poses", "inputs"],
        ["markers", ..] => vec![TIME, "name"],
        ["gaze", _] => vec!["origin", "direction"],
        ["head" | "camera", _] | [_, "joints", _, _] => vec!["position", "rotation"],
        [_, "joints", _] => {
            let joints = Joint::ALL.into_iter();
            // `None` is not a joint of a hand.
            let joints = joints.filter(|joint| *joint != Joint::None);
            joints.map(Joint::name).collect()
        }
        _ => vec!["tracked", "pinching", "joints"],
    };
    let parent = path.rfind('.').map_or("", |dot| &path[..=dot]);
    names.iter().map(|name| format!("{parent}{name}")).collect()
}

#[derive(Deserialize)]
struct FrameObject<'t> {
    /// As text, so that it is rounded only once, or converted in double precision to a time relative to the first one.
    #[serde(borrow, alias = "time_s")]
    time: Option<&'t RawValue>,
    marker: Option<String>,
    /// Markers with times of their own.
    #[serde(borrow)]
    markers: Option<Vec<MarkerObject<'t>>>,
    /// The name of the recording, in a table of several recordings.
    #[serde(borrow)]
    recording: Option<Cow<'t, str>>,
    #[serde(alias = "camera")]
    head: Option<PoseObject>,
    left: Option<HandObject>,
    right: Option<HandObject>,
    gaze: Option<RayObject>,
    /// The devices by their names.
    #[serde(borrow)]
    devices: Option<BTreeMap<Cow<'t, str>, DeviceObject<'t>>>,
}

#[derive(Deserialize)]
struct DeviceObject<'t> {
    active: Option<bool>,
    #[serde(borrow)]
    profile: Option<Cow<'t, str>>,
    #[serde(borrow)]
    poses: Option<BTreeMap<Cow<'t, str>, Option<PoseObject>>>,
    #[serde(borrow)]
    inputs: Option<BTreeMap<Cow<'t, str>, Option<InputObject>>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum InputObject {
    State(bool),
    Number(f32),
}

#[derive(Deserialize)]
struct MarkerObject<'t> {
    #[serde(borrow)]
    time: &'t RawValue,
    name: String,
}

#[derive(Default, Deserialize)]
#[serde(default)]
struct HandObject {
    /// `None` if there is no such member, and `Some(None)` if its value is `null`.
    #[serde(deserialize_with = "stated")]
    tracked: Option<Option<bool>>,
    #[serde(deserialize_with = "state")]
    pinching: Option<bool>,
    joints: Option<JointsObject>,
}

#[derive(Default)]
struct JointsObject(Vec<(Joint, PoseObject)>);

#[derive(Deserialize)]
struct PoseObject {
    position: Option<[Option<f32>; 3]>,
    rotation: Option<[Option<f32>; 4]>,
}

#[derive(Deserialize)]
struct RayObject {
    origin: Option<[Option<f32>; 3]>,
    direction: Option<[Option<f32>; 3]>,
}

impl PoseObject {
    /// Returns the pose; `None` if none of its numbers is known. A position without a rotation gets the identity for now, and
    /// `name`, which is the path of the pose, is added to `without_rotation`. Fails if only a part of the numbers is
    /// known.
    fn pose(
        self,
        place: Place,
        name: &str,
        without_rotation: &mut Vec<String>,
    ) -> Result<Option<Pose>, TableError> {
        let rotation = match (self.position, self.rotation) {
            (Some([Some(_), ..]), None) => {
                let name = name.replace(".joints", "");
                if !without_rotation.contains(&name) {
                    without_rotation.push(name);
                }
                Pose::IDENTITY.rotation.map(Some)
            }
            (_, rotation) => rotation.unwrap_or_default(),
        };
        let [x, y, z] = self.position.unwrap_or_default();
        let [qx, qy, qz, qw] = rotation;
        values::pose([x, y, z, qx, qy, qz, qw]).map_err(|index| {
            let part = if index < 3 { "position" } else { "rotation" };
            TableError::missing(place, format!("{name}.{part}"))
        })
    }
}

impl RayObject {
    fn ray(self, place: Place, name: &str) -> Result<Option<Ray>, TableError> {
        let [x, y, z] = self.origin.unwrap_or_default();
        let [dx, dy, dz] = self.direction.unwrap_or_default();
        values::ray([x, y, z, dx, dy, dz]).map_err(|index| {
            let part = if index < 3 { "origin" } else { "direction" };
            TableError::missing(place, format!("{name}.{part}"))
        })
    }
}

/// Deserializes a state that may be `null`.
fn stated<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Option<bool>>, D::Error> {
    state(deserializer).map(Some)
}

/// Parses `true`, `false`, 1, 0 or `null`.
fn state<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<bool>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    // Programs write states as booleans or as numbers.
    enum State {
        Boolean(bool),
        Number(u64),
        Null(()),
    }
    match State::deserialize(deserializer) {
        Ok(State::Boolean(state)) => Ok(Some(state)),
        Ok(State::Number(number @ 0..=1)) => Ok(Some(number == 1)),
        Ok(State::Null(())) => Ok(None),
        _ => Err(D::Error::custom(format_args!("expected {}", values::STATE))),
    }
}

/// Joints by their names, in any case. Unknown names are ignored, and `serde_ignored` reports them.
impl<'de> Deserialize<'de> for JointsObject {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<JointsObject, D::Error> {
        struct JointsVisitor;

        impl<'de> Visitor<'de> for JointsVisitor {
            type Value = JointsObject;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object of joints")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<JointsObject, A::Error> {
                let mut joints: Vec<(Joint, PoseObject)> = Vec::new();
                while let Some(name) = map.next_key::<Cow<'_, str>>()? {
                    let Ok(joint) = name.parse::<Joint>() else {
                        map.next_value::<IgnoredAny>()?;
                        continue;
                    };
                    let Some(pose) = map.next_value::<Option<PoseObject>>()? else {
                        continue;
                    };
                    // The parser does not refuse duplicate members, and `palm` and `Palm` are the same
                    // joint.
                    if joints.iter().any(|(other, _)| *other == joint) {
                        return Err(A::Error::custom(format_args!("duplicate joint {joint}")));
                    }
                    joints.push((joint, pose));
                }
                Ok(JointsObject(joints))
            }
        }

        deserializer.deserialize_map(JointsVisitor)
    }
}
