//! Edits as values, with the names, options and checks that all interfaces share.

use std::collections::BTreeMap;

use crate::device::DeviceLoss;
use crate::marker::Marker;
use crate::marker_names::MarkerChoice;
use crate::names::ElementChoice;
use crate::read::Limits;
use crate::recording::Recording;
use crate::reduce::{Reduce, SkippedVector};
use crate::repair::RepairReport;
use crate::sampler::Sampler;
use crate::time_range::TimeRange;
use crate::trigger_names::{TriggerName, TriggerNames};

use super::checks::check_parts;
use super::markers::NamedTriggers;
use super::{
    Align, AlignReport, EditError, Fill, FillReport, Join, MirrorPlane, Smooth, Transform, ZeroRun,
    align, fill_gaps, forget_zeros, markers, mirror, repeat, resample_with, retime, retime_to,
    select, shift, smooth, transform, trim,
};

/// Declares the options of edits. `optional` options have a default value for every field, and `required` options have
/// a constructor.
macro_rules! options {
    ($($(#[$doc:meta])* $kind:ident $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* $(,)? })*) => {
        $(options! { @ $kind $(#[$doc])* $name { $($(#[$field_doc])* $field: $type),* } })*
    };
    (@ optional $(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* }) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(default, rename_all = "camelCase", deny_unknown_fields)
        )]
        #[non_exhaustive]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }
    };
    (@ required $(#[$doc:meta])* $name:ident { $($(#[$field_doc:meta])* $field:ident: $type:ty),* }) => {
        impl $name {
            /// Returns the edit with these options, which the fields describe.
            pub const fn new($($field: $type),*) -> $name {
                $name { $($field),* }
            }
        }

        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(
            feature = "serde",
            derive(serde::Serialize, serde::Deserialize),
            serde(rename_all = "camelCase", deny_unknown_fields)
        )]
        #[non_exhaustive]
        pub struct $name { $($(#[$field_doc])* pub $field: $type),* }
    };
}

options! {
    /// Keeps a time range. Its start becomes t = 0.
    optional Trim {
        /// The start in seconds. Without it, or if it is infinite, nothing is removed at the start and t = 0 does not
        /// move.
        start: Option<f32>,
        /// The end in seconds. Without it, or if it is infinite, nothing is removed at the end.
        end: Option<f32>,
        /// `true` to keep the times: the start of the range does not become t = 0.
        keep_times: bool,
    }
    /// Moves all keys and markers in time.
    required Shift {
        /// Seconds; negative is earlier.
        seconds: f32,
    }
    /// Changes the speed. Exactly one of the options is given.
    optional Retime {
        /// The new speed: 2 is twice as fast.
        speed: Option<f64>,
        /// The new duration in seconds.
        duration: Option<f32>,
    }
    /// Replaces the keys of all poses by keys at a constant rate.
    required Resample {
        /// Keys per second.
        rate: f64,
    }
    /// Keeps streams and joints, and removes the others.
    optional Select {
        /// Names of streams and joints to keep; without names, everything.
        joints: Vec<String>,
        /// Names of streams and joints to remove.
        exclude: Vec<String>,
        /// Patterns for the names of markers to keep, as [`marker_names`](crate::marker_names) describes them; without
        /// patterns, all markers.
        markers: Vec<String>,
        /// Patterns for the names of markers to remove; `*` removes all.
        exclude_markers: Vec<String>,
    }
    /// Reflects everything across a plane, so that left becomes right.
    optional Mirror {
        /// The plane.
        across: MirrorAcross,
    }
    /// Scales, rotates and moves everything. The steps are applied in the order of the fields. If `inverse` is `true`,
    /// the inverse of the combined transform is applied.
    optional TransformSteps {
        /// Moves the head at t = 0 to the origin.
        origin: Option<Origin>,
        /// The factor of the scale.
        scale: Option<f64>,
        /// Degrees about the vertical axis, clockwise seen from above.
        yaw: Option<f64>,
        /// A rotation about the origin, as a quaternion x, y, z, w of length 1.
        rotate: Option<[f64; 4]>,
        /// Metres along x, y and z.
        #[cfg_attr(feature = "serde", serde(rename = "move"))]
        move_by: Option<[f64; 3]>,
        /// The anchor to whose space the recording is relative. The result is in the space of the world.
        anchor: Option<Anchor>,
        /// `true` to apply the inverse.
        inverse: bool,
    }
    /// Repeats the recording.
    required Repeat {
        /// The number of copies in the result, from 1 to [`MAX_PARTS`](super::MAX_PARTS).
        times: u32,
        /// The seconds for which poses are held between two copies.
        #[cfg_attr(feature = "serde", serde(default))]
        gap: Option<f32>,
        /// The seconds of interpolation between two copies.
        #[cfg_attr(feature = "serde", serde(default))]
        blend: Option<f32>,
    }
    /// Adds a marker.
    required AddMarker {
        /// The time in seconds.
        time: f32,
        /// The name.
        name: String,
    }
    /// Removes a marker.
    required RemoveMarker {
        /// The index in the list of markers.
        index: usize,
    }
    /// Renames a marker.
    required RenameMarker {
        /// The index in the list of markers.
        index: usize,
        /// The new name.
        name: String,
    }
    /// Renames the markers that are triggers.
    optional NameTriggers {
        /// The names by their triggers, such as `start` by `11`, as [`trigger_names`](crate::trigger_names) describes them.
        names: BTreeMap<String, String>,
    }
    /// Moves a marker.
    required MoveMarker {
        /// The index in the list of markers.
        index: usize,
        /// The new time in seconds.
        time: f32,
    }
}

named_enum! {
    /// The plane of a reflection.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
    #[non_exhaustive]
    pub enum MirrorAcross: "plane of a reflection" {
        /// The vertical plane through the head at t = 0, in its viewing direction.
        #[default]
        Head => "head",
        /// The plane x = 0.
        World => "world",
    }
}

named_enum! {
    /// The pose of the head at t = 0 that becomes the origin.
    #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
    #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(rename_all = "kebab-case"))]
    #[non_exhaustive]
    pub enum Origin: "origin" {
        /// Its position and heading.
        #[default]
        Head => "head",
        /// The point on the floor below it, and its heading. All heights stay.
        Floor => "floor",
        /// Its complete pose, with its tilt.
        Pose => "pose",
    }
}

/// The pose of an anchor in the space of the world.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Anchor {
    /// The position in metres.
    pub position: [f64; 3],
    /// The rotation as a quaternion x, y, z, w.
    pub rotation: [f64; 4],
    /// The scale.
    pub scale: f64,
}

impl Anchor {
    /// Returns the anchor with a position in metres, a rotation as a quaternion x, y, z, w, and a scale.
    pub const fn new(position: [f64; 3], rotation: [f64; 4], scale: f64) -> Anchor {
        Anchor {
            position,
            rotation,
            scale,
        }
    }
}

impl Default for Anchor {
    fn default() -> Anchor {
        Anchor::new([0.0; 3], [0.0, 0.0, 0.0, 1.0], 1.0)
    }
}

/// Declares the edits with their names.
macro_rules! edits {
    ($($(#[$doc:meta])* $variant:ident $(($options:ident))? => $name:literal),* $(,)?) => {
        /// An edit with its options.
        ///
        /// With the feature `serde`, it is an object with the member `edit` and the options in camel case.
        ///
        /// ```
        /// use inputanim::edit::{Edit, Trim};
        /// use inputanim::{FloatCurve, Layout, Limits, Recording};
        /// let mut recording = Recording::new(Layout::Mrtk1_1);
        /// recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (4.0, 3.0)]);
        /// let mut trim = Trim::default();
        /// trim.start = Some(1.0);
        /// Edit::Trim(trim).apply(&mut recording, &Limits::default())?;
        /// assert_eq!(recording.duration(), 3.0);
        /// # Ok::<(), inputanim::edit::EditError>(())
        /// ```
        #[derive(Clone, Debug, PartialEq)]
        #[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize), serde(tag = "edit", rename_all = "camelCase"))]
        #[non_exhaustive]
        pub enum Edit { $($(#[$doc])* $variant $(($options))?),* }

        impl Edit {
            /// The names of all edits.
            pub const NAMES: &'static [&'static str] = &[$($name),*];
        }

        $($(impl From<$options> for Edit {
            fn from(options: $options) -> Edit {
                Edit::$variant(options)
            }
        })?)*
    };
}

edits! {
    /// Repairs damage by MRTK, and keys that prevent playback; see [`Recording::repair`].
    Repair => "repair",
    /// Makes zeros unknown that a tracker wrote while it had lost an object; see [`forget_zeros`](crate::edit::forget_zeros).
    ForgetZeros => "forgetZeros",
    /// See [`Trim`].
    Trim(Trim) => "trim",
    /// See [`Shift`].
    Shift(Shift) => "shift",
    /// See [`Retime`].
    Retime(Retime) => "retime",
    /// See [`Align`].
    Align(Align) => "align",
    /// See [`Resample`].
    Resample(Resample) => "resample",
    /// See [`Select`].
    Select(Select) => "select",
    /// See [`Mirror`].
    Mirror(Mirror) => "mirror",
    /// See [`TransformSteps`].
    Transform(TransformSteps) => "transform",
    /// See [`Smooth`].
    Smooth(Smooth) => "smooth",
    /// See [`Fill`].
    Fill(Fill) => "fill",
    /// See [`Reduce`].
    Reduce(Reduce) => "reduce",
    /// See [`Repeat`].
    Repeat(Repeat) => "repeat",
    /// See [`AddMarker`].
    AddMarker(AddMarker) => "addMarker",
    /// See [`RemoveMarker`].
    RemoveMarker(RemoveMarker) => "removeMarker",
    /// See [`RenameMarker`].
    RenameMarker(RenameMarker) => "renameMarker",
    /// See [`NameTriggers`].
    NameTriggers(NameTriggers) => "nameTriggers",
    /// See [`MoveMarker`].
    MoveMarker(MoveMarker) => "moveMarker",
}

/// The report of an edit; most edits have none.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize), serde(untagged))]
#[non_exhaustive]
pub enum EditReport {
    /// No report.
    None,
    /// The repairs of [`Edit::Repair`].
    Repair(RepairReport),
    /// The runs of zeros that [`Edit::ForgetZeros`] made unknown.
    Zeros(Vec<ZeroRun>),
    /// The velocities of devices that [`Edit::Smooth`] removed.
    Smooth(Vec<DeviceLoss>),
    /// The gaps that [`Edit::Fill`] found.
    Fill(FillReport),
    /// The vectors that [`Edit::Reduce`] skipped.
    Reduce(Vec<SkippedVector>),
    /// The fit of [`Edit::Align`].
    Align(AlignReport),
    /// The markers that [`Edit::NameTriggers`] renamed, and triggers without a name.
    NamedTriggers(NamedTriggers),
    /// The patterns of [`Edit::Select`] that matched no marker; probably mistyped names.
    UnmatchedMarkers(Vec<String>),
}

impl Edit {
    /// Checks the options that need no recording: names, time ranges, counts, marker times, rotations, anchors, and
    /// options that exclude each other. [`apply`](Self::apply) also checks the other numbers.
    ///
    /// # Errors
    /// Returns an error if a checked option is invalid.
    pub fn check(&self) -> Result<(), EditError> {
        match self {
            Edit::Trim(options) => {
                TimeRange::between(options.start, options.end)?;
            }
            Edit::Retime(options) if options.speed.is_some() == options.duration.is_some() => {
                return Err(EditError::NotExactlyOne("speed or duration"));
            }
            Edit::Align(options) => options.check()?,
            Edit::NameTriggers(options) => _ = options.names()?,
            Edit::Select(options) => {
                ElementChoice::new(&options.joints, &options.exclude)?.check_tracking()?;
            }
            Edit::Transform(options) => options.check()?,
            Edit::Smooth(options) => {
                options.choice()?;
            }
            Edit::Reduce(options) => options.check()?,
            Edit::Repeat(options) => {
                check_parts("copies", options.times.into())?;
                Join::new(options.gap, options.blend)?;
            }
            Edit::AddMarker(AddMarker { time, .. }) | Edit::MoveMarker(MoveMarker { time, .. }) => {
                markers::require_finite(*time)?;
            }
            _ => {}
        }
        Ok(())
    }

    /// Applies the edit and returns its report. `limits` bound the size of a resampled or repeated recording. Most
    /// edits fail if the w component of a rotation was not saved, because the damage could not be recognised
    /// afterwards.
    ///
    /// # Errors
    /// Returns an error if an option is invalid, or in the cases of the function that performs the edit, such as
    /// [`trim`](super::trim()). The recording is unchanged then.
    pub fn apply(
        &self,
        recording: &mut Recording<'_>,
        limits: &Limits,
    ) -> Result<EditReport, EditError> {
        self.check()?;
        match self {
            Edit::Repair => return Ok(EditReport::Repair(recording.repair())),
            Edit::ForgetZeros => return Ok(EditReport::Zeros(forget_zeros(recording))),
            Edit::Trim(options) => options.apply(recording)?,
            Edit::Shift(options) => shift(recording, options.seconds)?,
            Edit::Retime(options) => match (options.speed, options.duration) {
                (Some(speed), None) => retime(recording, speed)?,
                (None, Some(seconds)) => retime_to(recording, seconds)?,
                _ => {}
            },
            Edit::Align(options) => return align(recording, options).map(EditReport::Align),
            Edit::Resample(options) => resample_with(recording, options.rate, limits)?,
            Edit::Select(options) => {
                let choice = ElementChoice::new(&options.joints, &options.exclude)?;
                choice.check(&[&*recording])?;
                choice.check_profiles(recording)?;
                select(recording, |element| choice.keeps(element));
                let markers = MarkerChoice::new(&options.markers, &options.exclude_markers);
                let unmatched = markers.select(&mut recording.markers).into_iter();
                let unmatched = unmatched.map(str::to_owned).collect();
                return Ok(EditReport::UnmatchedMarkers(unmatched));
            }
            Edit::Mirror(options) => {
                let plane = match options.across {
                    MirrorAcross::World => MirrorPlane::WORLD,
                    MirrorAcross::Head => MirrorPlane::through(&head(recording)?),
                };
                mirror(recording, &plane)?;
            }
            Edit::Transform(options) => {
                let steps = options.transform(recording)?;
                transform(recording, &steps)?;
            }
            Edit::Smooth(options) => return smooth(recording, options).map(EditReport::Smooth),
            Edit::Fill(options) => return fill_gaps(recording, options).map(EditReport::Fill),
            Edit::Reduce(options) => return reduce(recording, options).map(EditReport::Reduce),
            Edit::Repeat(options) => {
                let join = Join::new(options.gap, options.blend)?;
                let bytes = recording.content_len().saturating_mul(options.times.into());
                check_size(bytes, limits)?;
                *recording = repeat(recording, options.times, join)?;
            }
            Edit::AddMarker(options) => {
                markers::add(recording, Marker::new(options.time, options.name.clone()));
            }
            Edit::RemoveMarker(options) => {
                check_marker(recording, options.index)?;
                recording.markers.remove(options.index);
            }
            Edit::RenameMarker(options) => {
                check_marker(recording, options.index)?;
                recording.markers[options.index].name = options.name.clone().into();
            }
            Edit::NameTriggers(options) => {
                let named = markers::name_triggers(recording, &options.names()?);
                return Ok(EditReport::NamedTriggers(named));
            }
            Edit::MoveMarker(options) => {
                check_marker(recording, options.index)?;
                let marker = recording.markers.remove(options.index);
                markers::add(recording, Marker::new(options.time, marker.name));
            }
        }
        Ok(EditReport::None)
    }
}

impl NameTriggers {
    fn names(&self) -> Result<TriggerNames, EditError> {
        let names = self.names.iter();
        let names = names.map(|(trigger, name)| TriggerName::new(trigger, name));
        Ok(TriggerNames::new(names)?)
    }
}

/// Checks that recordings of this total size in bytes may be joined. The result needs several times as much memory.
///
/// # Errors
/// Returns [`EditError::TooLarge`] above [`Limits::max_bytes`].
pub fn check_size(bytes: u64, limits: &Limits) -> Result<(), EditError> {
    if bytes <= limits.max_bytes {
        return Ok(());
    }
    Err(EditError::TooLarge {
        bytes,
        limit: limits.max_bytes,
    })
}

fn check_marker(recording: &Recording<'_>, index: usize) -> Result<(), EditError> {
    let count = recording.markers.len();
    if index < count {
        return Ok(());
    }
    Err(EditError::UnknownMarker { index, count })
}

/// Returns the pose of the head at t = 0, where playback starts (docs/format.md, section 5.1). Returns an error if the
/// head is not recorded, or if the recording cannot be evaluated.
fn head(recording: &Recording<'_>) -> Result<crate::Pose, EditError> {
    let head = Sampler::new(recording)?.frame_at(0.0).head;
    head.ok_or(EditError::NoHead)
}

impl Trim {
    fn apply(&self, recording: &mut Recording<'_>) -> Result<(), EditError> {
        let mut range = TimeRange::between(self.start, self.end)?;
        let limited = range.limited_to(recording.covered_range())?;
        if range.start.is_finite() {
            range.start = limited.start;
        }
        if range.end.is_finite() {
            range.end = limited.end;
        }
        let mut trimmed = recording.clone();
        trim(&mut trimmed, range)?;
        // An open start removes nothing, so t = 0 does not move.
        if !self.keep_times && range.start.is_finite() {
            shift(&mut trimmed, -range.start)?;
        }
        *recording = trimmed;
        Ok(())
    }
}

/// Reduces a recording, or leaves it unchanged if it would not become smaller. Returns the vectors that were skipped.
fn reduce(
    recording: &mut Recording<'_>,
    options: &Reduce,
) -> Result<Vec<SkippedVector>, EditError> {
    let original = recording.clone();
    let skipped = recording.reduce(options)?;
    // The curves of a reduced vector share their key times, so a vector with separate times may grow.
    if recording.content_len() >= original.content_len() {
        *recording = original;
    }
    Ok(skipped)
}

/// Quaternions are often written with two or three decimals.
const MAX_ROUNDING: f64 = 0.01;

impl TransformSteps {
    fn check(&self) -> Result<(), EditError> {
        if let Some(rotation) = self.rotate {
            let length = rotation.iter().map(|part| part * part).sum::<f64>().sqrt();
            // Written so that NaN fails.
            let is_unit = (length - 1.0).abs() <= MAX_ROUNDING;
            if !is_unit {
                return Err(EditError::InvalidRotation { length });
            }
        }
        self.anchor.map(|anchor| anchor.transform()).transpose()?;
        Ok(())
    }

    /// Returns the combined transform of all steps. The recording gives the pose of the head, which is needed only for
    /// an origin.
    ///
    /// # Errors
    /// Returns an error if the quaternion does not have the length 1, if the anchor cannot be inverted, or if an origin
    /// is given and the head is not recorded or the recording cannot be evaluated.
    pub fn transform(&self, recording: &Recording<'_>) -> Result<Transform, EditError> {
        self.check()?;
        let origin = match self.origin {
            None => None,
            Some(origin) => Some(origin.of(&head(recording)?).inverse()),
        };
        let anchor = self.anchor.map(|anchor| anchor.transform()).transpose()?;
        let steps = [
            origin,
            self.scale.map(Transform::from_scale),
            self.yaw
                .map(|degrees| Transform::from_yaw(degrees.to_radians())),
            self.rotate.map(Transform::from_rotation),
            self.move_by.map(Transform::from_translation),
            anchor,
        ];
        let steps = steps.iter().flatten();
        let all = steps.fold(Transform::IDENTITY, |all, step| all.then(step));
        Ok(if self.inverse { all.inverse() } else { all })
    }
}

impl Origin {
    fn of(self, head: &crate::Pose) -> Transform {
        let [x, _, z] = head.position;
        // The head keeps its height above the new origin, because the origin is on the floor.
        let below = crate::Pose {
            position: [x, 0.0, z],
            ..*head
        };
        match self {
            Origin::Head => Transform::upright(head),
            Origin::Floor => Transform::upright(&below),
            Origin::Pose => Transform::from(*head),
        }
    }
}

impl Anchor {
    /// Returns the transform from the space of the anchor to the space of the world.
    ///
    /// # Errors
    /// Returns an error if the rotation is 0, which cannot be normalised, or if the scale is not above 0.
    pub fn transform(&self) -> Result<Transform, EditError> {
        let is_rotation = self.rotation.iter().any(|part| *part != 0.0);
        let is_valid = is_rotation && self.scale > 0.0;
        if !is_valid {
            return Err(EditError::InvalidAnchor);
        }
        Ok(Transform::from_scale(self.scale)
            .then(&Transform::from_rotation(self.rotation))
            .then(&Transform::from_translation(self.position)))
    }
}

#[cfg(all(test, feature = "serde"))]
mod tests {
    use super::*;
    use crate::{FloatCurve, Layout};

    #[test]
    fn edits_are_objects_with_their_name() {
        let edits: Vec<Edit> = serde_json::from_str(
            r#"[{"edit":"repair"},{"edit":"trim","start":1.5,"keepTimes":true},{"edit":"reduce","position":0.001,
            "method":"optimal"},{"edit":"transform","move":[0,1,0]},{"edit":"addMarker","time":1,"name":"a"}]"#,
        )
        .unwrap();
        assert_eq!(
            edits[1],
            Edit::from(Trim {
                start: Some(1.5),
                keep_times: true,
                ..Trim::default()
            })
        );
        for edit in &edits {
            let text = serde_json::to_string(edit).unwrap();
            assert_eq!(&serde_json::from_str::<Edit>(&text).unwrap(), edit);
            assert!(
                Edit::NAMES
                    .iter()
                    .any(|name| text.starts_with(&format!(r#"{{"edit":"{name}""#))),
                "{text}"
            );
        }
        for wrong in [
            r#"{"edit":"trim","from":1}"#,
            r#"{"edit":"cut"}"#,
            r#"{"edit":"shift"}"#,
        ] {
            assert!(serde_json::from_str::<Edit>(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_trim_beyond_the_recording_is_limited_to_it() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (4.0, 3.0)]);
        for (start, end, duration) in [
            (Some(-3.0), Some(2.0), 2.0),
            (Some(-1e6), None, 4.0),
            (Some(1.0), Some(9.0), 3.0),
            (None, Some(9.0), 4.0),
        ] {
            let mut trimmed = recording.clone();
            let trim = Trim {
                start,
                end,
                ..Trim::default()
            };
            let edit = Edit::from(trim);
            edit.apply(&mut trimmed, &Limits::default()).unwrap();
            assert_eq!(trimmed.duration(), duration, "{start:?} {end:?}");
        }
    }

    #[test]
    fn an_edit_with_an_error_leaves_the_recording_unchanged() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (4.0, 3.0)]);
        let original = recording.clone();
        let wrong: [Edit; 8] = [
            Trim {
                start: Some(9.0),
                ..Trim::default()
            }
            .into(),
            Retime::default().into(),
            RemoveMarker { index: 0 }.into(),
            Smooth {
                joints: vec!["left.tracked".to_owned()],
                ..Smooth::default()
            }
            .into(),
            Select {
                joints: vec!["thumb".to_owned()],
                ..Select::default()
            }
            .into(),
            TransformSteps {
                rotate: Some([0.0, 90.0, 0.0, 0.0]),
                ..TransformSteps::default()
            }
            .into(),
            Reduce {
                partition: Some(8),
                ..Reduce::default()
            }
            .into(),
            Repeat {
                times: 0,
                gap: None,
                blend: None,
            }
            .into(),
        ];
        for edit in wrong {
            let result = edit.apply(&mut recording, &Limits::default());
            assert!(result.is_err(), "{edit:?}");
            assert_eq!(recording, original);
        }
    }
}
