//! Writes a recording as a clip.

use std::borrow::Cow;
use std::io::{self, Write};

use inputanim::edit::align_keys;
use inputanim::{
    BooleanCurve, CurveMut, FloatCurve, Joint, Keys, Marker, PoseCurves, Recording, Side, TimeRange,
};

use super::AnimError;
use super::keys::{PLAIN_WEIGHT, Sides, VectorKey, has_invalid_handles, vector_keys};
use super::yaml::{Number, Text, push_number, push_vector};
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report, WriteOptions};

/// Writes a recording as an animation clip of Unity. Fails if the name of the event function is invalid.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    mut output: impl Write,
) -> Result<Report, Error> {
    if !is_function(&options.event) {
        return Err(AnimError::Event(options.event.clone()).into());
    }
    let mut report = Report::default();
    // Keys are dropped before alignment, because alignment interpolates new keys from their neighbours.
    let mut clip = finite(recording, &mut report);
    let from_zero = TimeRange {
        start: 0.0,
        end: f32::INFINITY,
    };
    align_keys(&mut clip, from_zero)?;
    let end = clip.duration();
    let events = events(&recording.markers, end, &mut report);
    Clip::new(&clip, options, end, events).write(&mut output)?;
    Ok(report)
}

/// Returns `true` for a name that a C# function can have.
fn is_function(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphabetic() || letter == '_';
    name.starts_with(is_letter)
        && name
            .chars()
            .all(|letter| is_letter(letter) || letter.is_numeric())
}

/// Returns the recording without keys whose value is not finite, and reports them as losses. Also reports the remaining
/// keys with tangents or weights that a clip cannot represent.
///
/// Curves without dropped keys keep borrowing their keys.
fn finite<'a>(recording: &Recording<'a>, report: &mut Report) -> Recording<'a> {
    let mut finite = recording.clone();
    let (mut values, mut tangents) = (0, 0);
    for (_, curve) in finite.curves_mut() {
        let CurveMut::Float(FloatCurve { keys, .. }) = curve else {
            continue;
        };
        let before = keys.len();
        match keys {
            Keys::Simple(keys) => {
                if keys.iter().any(|key| !key.value().is_finite()) {
                    keys.to_mut().retain(|key| key.value().is_finite());
                }
            }
            Keys::Full(keys) => {
                if keys.iter().any(|key| !key.value().is_finite()) {
                    keys.to_mut().retain(|key| key.value().is_finite());
                }
                tangents += keys.iter().filter(|key| has_invalid_handles(key)).count();
            }
        }
        values += before - keys.len();
    }
    let message = format!("{} without a finite value", counted(values, "key"));
    report.lose(LossKind::NotFinite, values, message);
    let message = format!(
        "tangents or weights of {} that are not finite",
        counted(tangents, "key")
    );
    report.lose(LossKind::Tangents, tangents, message);
    finite
}

/// Returns the markers from 0 to `end`, the duration of the clip in seconds, in order of time. Reports the other
/// markers as losses.
fn events<'m>(markers: &'m [Marker<'m>], end: f32, report: &mut Report) -> Vec<&'m Marker<'m>> {
    let is_in = |marker: &&Marker<'_>| (0.0..=end).contains(&marker.time);
    let mut events: Vec<&Marker<'_>> = markers.iter().filter(is_in).collect();
    events.sort_by(|a, b| a.time.total_cmp(&b.time));
    if let Some(first) = markers.iter().find(|marker| !is_in(marker)) {
        let outside = markers.len() - events.len();
        let message = format!(
            "{} outside of the clip, such as at {} s",
            counted(outside, "marker"),
            first.time
        );
        report.lose(LossKind::Markers, outside, message);
    }
    events
}

/// Unity's numbers for classes, and for the attributes of a `Transform`.
const GAME_OBJECT: u32 = 1;
const TRANSFORM: u32 = 4;
const POSITION: u32 = 1;
const ROTATION: u32 = 2;
const IS_ACTIVE: &str = "m_IsActive";

/// The parts of a clip.
struct Clip<'t> {
    name: &'t str,
    event: &'t str,
    end: f32,
    rotations: Vec<(String, &'t [FloatCurve<'t>; 4])>,
    positions: Vec<(String, &'t [FloatCurve<'t>; 3])>,
    active: Vec<(String, &'t BooleanCurve<'t>)>,
    events: Vec<&'t Marker<'t>>,
}

impl<'t> Clip<'t> {
    fn new(
        recording: &'t Recording<'t>,
        options: &'t WriteOptions,
        end: f32,
        events: Vec<&'t Marker<'t>>,
    ) -> Clip<'t> {
        let mut clip = Clip {
            name: &options.clip_name,
            event: &options.event,
            end,
            rotations: Vec::new(),
            positions: Vec::new(),
            active: Vec::new(),
            events,
        };
        if let Some(head) = &recording.head {
            clip.pose("Camera".to_owned(), head);
        }
        for (side, hands) in Side::BOTH.into_iter().zip([&recording.hands; 2]) {
            let Some(hand) = hands.as_ref().map(|hands| hands.hand(side)) else {
                continue;
            };
            let object = match side {
                Side::Left => "LeftHand",
                Side::Right => "RightHand",
            };
            for (joint, pose) in hand.joints.iter() {
                if joint != Joint::None {
                    clip.pose(format!("{object}/{joint}"), pose);
                }
            }
            clip.active.push((object.to_owned(), &hand.tracked));
            // A curve would state that the hand does not pinch.
            if !recording.lacks_pinches(side) {
                clip.active
                    .push((format!("{object}/Pinch"), &hand.pinching));
            }
        }
        if let Some(gaze) = &recording.gaze {
            clip.position("Gaze".to_owned(), &gaze.origin);
            // Unity animates the positions of objects, so the direction becomes a position.
            clip.position("Gaze/Direction".to_owned(), &gaze.direction);
        }
        clip
    }

    fn pose(&mut self, path: String, pose: &'t PoseCurves<'t>) {
        if pose.rotation.iter().any(|curve| !curve.keys.is_empty()) {
            self.rotations.push((path.clone(), &pose.rotation));
        }
        self.position(path, &pose.position);
    }

    fn position(&mut self, path: String, position: &'t [FloatCurve<'t>; 3]) {
        if position.iter().any(|curve| !curve.keys.is_empty()) {
            self.positions.push((path, position));
        }
    }

    fn write(&self, output: &mut impl Write) -> io::Result<()> {
        output.write_all(HEAD.as_bytes())?;
        writeln!(output, "  m_Name: {}", Text(self.name))?;
        output.write_all(SETTINGS.as_bytes())?;
        list(output, "m_RotationCurves", &self.rotations, vector_curve)?;
        output.write_all(b"  m_CompressedRotationCurves: []\n  m_EulerCurves: []\n")?;
        list(output, "m_PositionCurves", &self.positions, vector_curve)?;
        output.write_all(b"  m_ScaleCurves: []\n")?;
        list(output, "m_FloatCurves", &self.active, active_curve)?;
        output.write_all(BETWEEN.as_bytes())?;
        self.bindings(output)?;
        output.write_all(CLIP_SETTINGS.as_bytes())?;
        writeln!(output, "    m_StopTime: {}", Number(self.end))?;
        output.write_all(REST.as_bytes())?;
        list(output, "m_Events", &self.events, |output, marker| {
            writeln!(output, "  - time: {}", Number(marker.time))?;
            writeln!(output, "    functionName: {}", Text(self.event))?;
            writeln!(output, "    data: {}", Text(&marker.name))?;
            output.write_all(EVENT.as_bytes())
        })
    }

    /// Writes the list `genericBindings`. It identifies the path and property of each curve by Unity's numbers for
    /// them.
    fn bindings(&self, output: &mut impl Write) -> io::Result<()> {
        let rotations = self
            .rotations
            .iter()
            .map(|(path, _)| (path, ROTATION, TRANSFORM));
        let positions = self
            .positions
            .iter()
            .map(|(path, _)| (path, POSITION, TRANSFORM));
        // Unity identifies paths and attributes by the CRC-32 of their names.
        let is_active = crc32fast::hash(IS_ACTIVE.as_bytes());
        let active = self
            .active
            .iter()
            .map(|(path, _)| (path, is_active, GAME_OBJECT));
        let bindings: Vec<_> = rotations.chain(positions).chain(active).collect();
        list_at(
            output,
            4,
            "genericBindings",
            &bindings,
            |output, (path, attribute, kind)| {
                writeln!(output, "    - serializedVersion: 2")?;
                writeln!(output, "      path: {}", crc32fast::hash(path.as_bytes()))?;
                writeln!(output, "      attribute: {attribute}")?;
                writeln!(output, "      script: {{fileID: 0}}")?;
                writeln!(output, "      typeID: {kind}")?;
                writeln!(output, "      customType: 0")?;
                writeln!(output, "      isPPtrCurve: 0")
            },
        )?;
        writeln!(output, "    pptrCurveMapping: []")
    }
}

const HEAD: &str = "\
%YAML 1.1
%TAG !u! tag:unity3d.com,2011:
--- !u!74 &7400000
AnimationClip:
  m_ObjectHideFlags: 0
  m_CorrespondingSourceObject: {fileID: 0}
  m_PrefabInstance: {fileID: 0}
  m_PrefabAsset: {fileID: 0}
";

const SETTINGS: &str = "  serializedVersion: 6
  m_Legacy: 0
  m_Compressed: 0
  m_UseHighQualityCurve: 1
";

const BETWEEN: &str = "  m_PPtrCurves: []
  m_SampleRate: 60
  m_WrapMode: 0
  m_Bounds:
    m_Center: {x: 0, y: 0, z: 0}
    m_Extent: {x: 0, y: 0, z: 0}
  m_ClipBindingConstant:
";

const CLIP_SETTINGS: &str = "  m_AnimationClipSettings:
    serializedVersion: 2
    m_AdditiveReferencePoseClip: {fileID: 0}
    m_AdditiveReferencePoseTime: 0
    m_StartTime: 0
";

const REST: &str = "    m_OrientationOffsetY: 0
    m_Level: 0
    m_CycleOffset: 0
    m_HasAdditiveReferencePose: 0
    m_LoopTime: 0
    m_LoopBlend: 0
    m_LoopBlendOrientation: 0
    m_LoopBlendPositionY: 0
    m_LoopBlendPositionXZ: 0
    m_KeepOriginalOrientation: 0
    m_KeepOriginalPositionY: 1
    m_KeepOriginalPositionXZ: 0
    m_HeightFromFeet: 0
    m_Mirror: 0
  m_EditorCurves: []
  m_EulerEditorCurves: []
  m_HasGenericRootTransform: 0
  m_HasMotionFloatCurves: 0
";

/// The rest of an event. The option 1 is `DontRequireReceiver`: objects without the function cause no error.
const EVENT: &str = "    objectReferenceParameter: {fileID: 0}
    floatParameter: 0
    intParameter: 0
    messageOptions: 1
";

fn list<W: Write, T>(
    output: &mut W,
    name: &str,
    items: &[T],
    write: impl FnMut(&mut W, &T) -> io::Result<()>,
) -> io::Result<()> {
    list_at(output, 2, name, items, write)
}

fn list_at<W: Write, T>(
    output: &mut W,
    indent: usize,
    name: &str,
    items: &[T],
    mut write: impl FnMut(&mut W, &T) -> io::Result<()>,
) -> io::Result<()> {
    if items.is_empty() {
        return writeln!(output, "{:indent$}{name}: []", "");
    }
    writeln!(output, "{:indent$}{name}:", "")?;
    items.iter().try_for_each(|item| write(output, item))
}

fn vector_curve<const N: usize>(
    output: &mut impl Write,
    (path, curves): &(String, &[FloatCurve<'_>; N]),
) -> io::Result<()> {
    curve(output, &vector_keys(curves), 0)?;
    writeln!(output, "    path: {path}")
}

/// Writes the curve that activates and deactivates the object at `path`: 1 while `states` is on and 0 while it is off.
/// The object is inactive if `states` has no keys.
fn active_curve(
    output: &mut impl Write,
    (path, states): &(String, &BooleanCurve<'_>),
) -> io::Result<()> {
    let key = |time: f32, is_on: bool| VectorKey {
        time,
        value: [f32::from(u8::from(is_on))],
        slope: Sides {
            before: [f32::INFINITY],
            after: [f32::INFINITY],
        },
        weight: Sides {
            before: [0.0],
            after: [0.0],
        },
        mode: 0,
    };
    let mut keys: Vec<VectorKey<1>> = states
        .keys
        .iter()
        .map(|state| key(state.time(), state.is_on()))
        .collect();
    // A state without keys is off in MRTK; a clip without keys would leave the object as it is.
    if keys.is_empty() {
        keys.push(key(0.0, false));
    }
    curve(output, &keys, CONSTANT)?;
    writeln!(output, "    attribute: {IS_ACTIVE}")?;
    writeln!(output, "    path: {path}")?;
    writeln!(output, "    classID: {GAME_OBJECT}")?;
    writeln!(output, "    script: {{fileID: 0}}")
}

/// The number by which Unity's editor marks tangents that hold the value on both sides.
const CONSTANT: u32 = 103;

/// Writes one curve with its keys. `tangent_mode` is the number by which Unity's editor marks all of its tangents: 0 or
/// [`CONSTANT`].
///
/// A ten-minute recording of two hands has 1.3 GB of text, so formatting digits takes most of the time. The slope
/// before a key is mostly equal to the slope after the key before it, and most weights are the plain weight. Their
/// digits are therefore copied.
fn curve<const N: usize>(
    output: &mut impl Write,
    keys: &[VectorKey<N>],
    tangent_mode: u32,
) -> io::Result<()> {
    writeln!(output, "  - curve:")?;
    writeln!(output, "      serializedVersion: 2")?;
    writeln!(output, "      m_Curve:")?;
    let plain_weight = vector_text([PLAIN_WEIGHT; N]);
    let weight_text = |weight: [f32; N]| {
        if weight == [PLAIN_WEIGHT; N] {
            Cow::Borrowed(&plain_weight)
        } else {
            Cow::Owned(vector_text(weight))
        }
    };
    let mut text = Vec::new();
    let (mut slope, mut slope_text) = ([0.0; N], vector_text([0.0; N]));
    for key in keys {
        text.clear();
        text.extend(b"      - serializedVersion: 3\n        time: ");
        push_number(&mut text, key.time);
        text.extend(b"\n        value: ");
        push_vector(&mut text, key.value);
        text.extend(b"\n        inSlope: ");
        // Bits are compared, because 0 and -0 are equal and have different digits.
        if key.slope.before.map(f32::to_bits) == slope.map(f32::to_bits) {
            text.extend(&slope_text);
        } else {
            push_vector(&mut text, key.slope.before);
        }
        slope = key.slope.after;
        slope_text.clear();
        push_vector(&mut slope_text, slope);
        text.extend(b"\n        outSlope: ");
        text.extend(&slope_text);
        write!(text, "\n        tangentMode: {tangent_mode}")?;
        write!(text, "\n        weightedMode: {}", key.mode)?;
        text.extend(b"\n        inWeight: ");
        text.extend(&*weight_text(key.weight.before));
        text.extend(b"\n        outWeight: ");
        text.extend(&*weight_text(key.weight.after));
        text.push(b'\n');
        output.write_all(&text)?;
    }
    // The mode 2 holds the value of the first and last key.
    writeln!(output, "      m_PreInfinity: 2")?;
    writeln!(output, "      m_PostInfinity: 2")?;
    writeln!(output, "      m_RotationOrder: 4")
}

fn vector_text<const N: usize>(vector: [f32; N]) -> Vec<u8> {
    let mut text = Vec::new();
    push_vector(&mut text, vector);
    text
}
