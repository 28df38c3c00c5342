//! A recording out as a clip.

use std::io::{self, Write};

use inputanim::edit::align_keys;
use inputanim::{
    BooleanCurve, CurveMut, FloatCurve, Joint, Keys, Marker, PoseCurves, Recording, Side, Span,
};

use super::keys::{Sides, VectorKey, has_strange_handles, vector_keys};
use super::yaml::{Number, Text, Vector};
use super::{Loss, Options, WriteError};

/// Writes a recording as a clip, and says what did not come through.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When the time of a key is not finite, when a curve repeats so often that writing it out would take
/// more than 4 Mi keys, when no function can have the name of the event, or when `output` fails.
///
/// ```
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::unity_anim::{self, Options};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(0.0, &Pose::at([0.0, 1.6, 0.5]));
/// let mut text = Vec::new();
/// assert_eq!(unity_anim::write(&take, &Options::default(), &mut text)?, []);
/// let text = String::from_utf8(text)?;
/// assert!(text.contains("value: {x: 0, y: 1.6, z: 0.5}"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    mut output: impl Write,
) -> Result<Vec<Loss>, WriteError> {
    if !is_function(&options.event) {
        return Err(WriteError::Event(options.event.clone()));
    }
    let (mut take, mut losses) = finite(recording);
    let whole = Span {
        start: 0.0,
        end: f32::INFINITY,
    };
    align_keys(&mut take, whole)?;
    let end = take.duration();
    let (events, lost) = events(&recording.markers, end);
    losses.extend(lost);
    Clip::new(&take, options, end, events).write(&mut output)?;
    Ok(losses)
}

fn is_function(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_alphabetic() || letter == '_';
    name.starts_with(is_letter)
        && name
            .chars()
            .all(|letter| is_letter(letter) || letter.is_numeric())
}

/// The recording without values that YAML has no numbers for.
fn finite(recording: &Recording<'_>) -> (Recording<'static>, Vec<Loss>) {
    let mut take = recording.clone().into_owned();
    let (mut values, mut tangents) = (0, 0);
    for (_, curve) in take.curves_mut() {
        let CurveMut::Float(FloatCurve { keys, .. }) = curve else {
            continue;
        };
        let before = keys.len();
        match keys {
            Keys::Simple(keys) => keys.to_mut().retain(|key| key.value().is_finite()),
            Keys::Full(keys) => {
                keys.to_mut().retain(|key| key.value().is_finite());
                tangents += keys.iter().filter(|key| has_strange_handles(key)).count();
            }
        }
        values += before - keys.len();
    }
    let mut losses = Vec::new();
    if values > 0 {
        losses.push(Loss::Values { keys: values });
    }
    if tangents > 0 {
        losses.push(Loss::Tangents { keys: tangents });
    }
    (take, losses)
}

/// The markers that a clip can call, in order of time, and the others.
fn events<'m>(markers: &'m [Marker<'m>], end: f32) -> (Vec<&'m Marker<'m>>, Option<Loss>) {
    let is_in = |marker: &&Marker<'_>| (0.0..=end).contains(&marker.time);
    let mut events: Vec<&Marker<'_>> = markers.iter().filter(is_in).collect();
    events.sort_by(|a, b| a.time.total_cmp(&b.time));
    let first = markers.iter().find(|marker| !is_in(marker));
    let lost = first.map(|marker| Loss::Markers {
        markers: markers.len() - events.len(),
        time: marker.time,
    });
    (events, lost)
}

/// Unity's numbers of types and of the attributes of a `Transform`.
const GAME_OBJECT: u32 = 1;
const TRANSFORM: u32 = 4;
const POSITION: u32 = 1;
const ROTATION: u32 = 2;
const IS_ACTIVE: &str = "m_IsActive";

/// What a clip has.
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
        take: &'t Recording<'t>,
        options: &'t Options,
        end: f32,
        events: Vec<&'t Marker<'t>>,
    ) -> Clip<'t> {
        let mut clip = Clip {
            name: &options.name,
            event: &options.event,
            end,
            rotations: Vec::new(),
            positions: Vec::new(),
            active: Vec::new(),
            events,
        };
        if let Some(camera) = &take.camera {
            clip.pose("Camera".to_owned(), camera);
        }
        for (side, hands) in Side::BOTH.into_iter().zip([&take.hands; 2]) {
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
            clip.active
                .push((format!("{object}/Pinch"), &hand.pinching));
        }
        if let Some(gaze) = &take.gaze {
            clip.position("Gaze".to_owned(), &gaze.origin);
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

    /// What the clip drives, by the numbers under which Unity knows it.
    fn bindings(&self, output: &mut impl Write) -> io::Result<()> {
        let rotations = self
            .rotations
            .iter()
            .map(|(path, _)| (path, ROTATION, TRANSFORM));
        let positions = self
            .positions
            .iter()
            .map(|(path, _)| (path, POSITION, TRANSFORM));
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

/// Whoever does not listen need not: 1 is `DontRequireReceiver`.
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
    match items.is_empty() {
        true => writeln!(output, "{:indent$}{name}: []", ""),
        false => {
            writeln!(output, "{:indent$}{name}:", "")?;
            items.iter().try_for_each(|item| write(output, item))
        }
    }
}

fn vector_curve<const N: usize>(
    output: &mut impl Write,
    (path, curves): &(String, &[FloatCurve<'_>; N]),
) -> io::Result<()> {
    curve(output, &vector_keys(curves), 0)?;
    writeln!(output, "    path: {path}")
}

/// Whether an object is active: a curve of 0 and 1 that holds its value.
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
    // A state without keys is off.
    if keys.is_empty() {
        keys.push(key(0.0, false));
    }
    curve(output, &keys, CONSTANT)?;
    writeln!(output, "    attribute: {IS_ACTIVE}")?;
    writeln!(output, "    path: {path}")?;
    writeln!(output, "    classID: {GAME_OBJECT}")?;
    writeln!(output, "    script: {{fileID: 0}}")
}

/// How Unity's editor marks tangents that hold the value, on both sides.
const CONSTANT: u32 = 103;

fn curve<const N: usize>(
    output: &mut impl Write,
    keys: &[VectorKey<N>],
    tangent_mode: u32,
) -> io::Result<()> {
    writeln!(output, "  - curve:")?;
    writeln!(output, "      serializedVersion: 2")?;
    writeln!(output, "      m_Curve:")?;
    for key in keys {
        writeln!(output, "      - serializedVersion: 3")?;
        writeln!(output, "        time: {}", Number(key.time))?;
        writeln!(output, "        value: {}", Vector(key.value))?;
        writeln!(output, "        inSlope: {}", Vector(key.slope.before))?;
        writeln!(output, "        outSlope: {}", Vector(key.slope.after))?;
        writeln!(output, "        tangentMode: {tangent_mode}")?;
        writeln!(output, "        weightedMode: {}", key.mode)?;
        writeln!(output, "        inWeight: {}", Vector(key.weight.before))?;
        writeln!(output, "        outWeight: {}", Vector(key.weight.after))?;
    }
    // Both ends hold.
    writeln!(output, "      m_PreInfinity: 2")?;
    writeln!(output, "      m_PostInfinity: 2")?;
    writeln!(output, "      m_RotationOrder: 4")
}
