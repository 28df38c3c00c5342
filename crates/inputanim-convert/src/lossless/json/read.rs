//! Reads a recording from JSON.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use inputanim::{
    BooleanCurve, BooleanKey, CurveMut, CurvePath, DeviceName, Element, FloatCurve, Haptic,
    InputCurve, InvalidDeviceEvents, InvalidGap, InvalidName, Keys, Known, Layout, LayoutLoss,
    Limits, Marker, ProfileChange, Recording, SimpleKey, TimeRange, UnknownCurve, UnknownName,
    WrapMode,
};
use serde::Deserialize;
use serde::de::Error as _;
use serde_json::value::RawValue;

use super::{FORMAT, VERSIONS, keys};
use crate::shared::layout::with_streams;
use crate::shared::limits::{MAX_DEVICE_CURVES, check_limit};
use crate::shared::number::Number;
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, ReadOptions, Report};

/// Text that is not a recording as lossless JSON.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum JsonError {
    /// The text is not JSON, or a member is missing or of the wrong type.
    #[error("not a recording as JSON")]
    Json(#[from] serde_json::Error),
    /// `"format"` or `"version"` has an unexpected value.
    #[error("expected \"format\": \"{FORMAT}\" and \"version\": 1, 2 or 3, found {0:?} and {1}")]
    Format(String, u32),
    /// `"layout"` is not the name of a layout.
    #[error(transparent)]
    Layout(#[from] UnknownName),
    /// `"flags"` is missing in version 1.1.
    #[error("missing \"flags\": the layout {0} has flags")]
    FlagsMissing(Layout),
    /// `"flags"` exists in version 1.0.
    #[error("unexpected \"flags\": the layout {0} has no flags")]
    FlagsUnexpected(Layout),
    /// `"curve"` is not the name of a curve.
    #[error(transparent)]
    Curve(#[from] UnknownCurve),
    /// An element of `"curves"` lacks a member, or has one of the wrong type.
    #[error("a curve cannot be read")]
    CurveLine(#[source] serde_json::Error),
    /// An element of `"markers"` lacks a member, or has one of the wrong type.
    #[error("a marker cannot be read")]
    Marker(#[source] serde_json::Error),
    /// An element of `"devices"` lacks a member, or has one of the wrong type. Nothing is known about the device.
    #[error("a device cannot be read")]
    DeviceLine(#[source] serde_json::Error),
    /// The profiles and haptic pulses of a device cannot be read. Nothing is known about the device, although it may have curves.
    #[error(
        "the element of {device} in \"devices\" cannot be read, so {device} is unknown at all times"
    )]
    DeviceMembers {
        /// The device.
        device: DeviceName,
        /// The cause.
        source: serde_json::Error,
    },
    /// A change of the profile cannot be read. The device is unknown between the changes before and after it.
    #[error(
        "profile {index} of {device} cannot be read, so {device} is unknown from the change before it to the change after it"
    )]
    DeviceProfile {
        /// The device.
        device: DeviceName,
        /// The index of the change in `"profiles"`.
        index: usize,
        /// The cause.
        source: serde_json::Error,
    },
    /// A haptic pulse cannot be read, and is left out.
    #[error("haptic pulse {index} of {device} cannot be read")]
    DevicePulse {
        /// The device.
        device: DeviceName,
        /// The index of the pulse in `"haptics"`.
        index: usize,
        /// The cause.
        source: serde_json::Error,
    },
    /// A change of the profile of a device to inactive has a profile.
    #[error(
        "the device {device} is not active from its change {index} of the profile on; its profile \"{profile}\" is ignored"
    )]
    InactiveProfile {
        /// The device.
        device: DeviceName,
        /// The index of the change in `"profiles"`.
        index: usize,
        /// The profile.
        profile: String,
    },
    /// A device occurs twice in `"devices"`.
    #[error("duplicate device {0}: its second element is left out")]
    DeviceTwice(DeviceName),
    /// A device or one of its outputs has an invalid name.
    #[error(transparent)]
    Device(#[from] InvalidName),
    /// A profile or a haptic pulse of a device has a number that is not finite.
    #[error(transparent)]
    DeviceNumber(#[from] InvalidDeviceEvents),
    /// An element of `"gaps"` lacks a member, or has one of the wrong type.
    #[error("a gap cannot be read")]
    GapLine(#[source] serde_json::Error),
    /// A curve occurs twice.
    #[error("duplicate curve {0}")]
    CurveTwice(CurvePath),
    /// A curve belongs to a stream that the flags or the layout exclude.
    #[error("unexpected curve {0}: the flags or the layout exclude its stream")]
    StreamMissing(CurvePath),
    /// `"kind"` does not fit the curve.
    #[error("the curve {curve} cannot be of kind {kind:?}: expected {expected}")]
    Kind {
        /// The curve.
        curve: CurvePath,
        /// The kind that was found.
        kind: String,
        /// The kinds that are possible.
        expected: &'static str,
    },
    /// The recording contains something that the layout cannot store, such as markers in a layout without a marker
    /// list.
    #[error("the layout {layout} cannot store {}", first(losses))]
    NotInLayout {
        /// The layout.
        layout: Layout,
        /// The content that it cannot represent.
        losses: Vec<LayoutLoss>,
    },
    /// A gap names an unknown element, or does not end after its start.
    #[error(transparent)]
    Gap(#[from] InvalidGap),
    /// A key is not an array, or has more or fewer numbers than its kind requires.
    #[error("the keys of {curve} cannot be read (line and column are within \"keys\")")]
    Keys {
        /// The curve.
        curve: CurvePath,
        /// The place and cause.
        source: serde_json::Error,
    },
}

impl crate::shared::error::OfFormat for JsonError {}

fn first(losses: &[LayoutLoss]) -> String {
    losses
        .first()
        .map(LayoutLoss::to_string)
        .unwrap_or_default()
}

/// Reads a recording from lossless JSON. A curve, gap or marker that cannot be read is a loss. If the text is not JSON, each line
/// is read that is one of them, as [`write`](super::write) writes them.
pub(crate) fn read(
    text: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    check_limit(text.len() as u64, limits.max_bytes, "bytes")?;
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let mut report = Report::default();
    let lines;
    let document = match serde_json::from_slice::<Document<'_>>(text) {
        Ok(document) => document,
        Err(error) => {
            lines = Lines::new(text);
            let Some((document, lost)) = lines.document() else {
                return Err(JsonError::Json(error).into());
            };
            let message = match lost {
                0 => format!("the members are read line by line: {error}"),
                _ => format!("{} that cannot be read: {error}", counted(lost, "line")),
            };
            report.lose(LossKind::Damage, lost.max(1), message);
            document
        }
    };
    let mut damage = Damage::default();
    let recording = read_document(document, limits, &mut damage)?;
    damage.report(&mut report);
    Ok((recording, report))
}

/// The curves, gaps and markers that cannot be read.
#[derive(Default)]
struct Damage {
    count: usize,
    first: Option<JsonError>,
}

impl Damage {
    /// Adds a part that cannot be read.
    fn add(&mut self, error: JsonError) {
        self.count += 1;
        self.first.get_or_insert(error);
    }

    fn report(self, report: &mut Report) {
        let Some(first) = self.first else { return };
        let which = if self.count == 1 { "" } else { "; the first" };
        let cause = std::error::Error::source(&first);
        let cause = cause.map_or_else(String::new, |cause| format!(": {cause}"));
        let parts = counted(self.count, "part");
        let message = format!("{parts} that cannot be read{which}: {first}{cause}");
        report.lose(LossKind::Damage, self.count, message);
    }
}

/// The lines of a text that is not JSON.
struct Lines<'t>(Vec<&'t str>, usize);

impl<'t> Lines<'t> {
    fn new(text: &'t [u8]) -> Lines<'t> {
        let lines = text.split(|&byte| byte == b'\n').map(str::from_utf8);
        let mut damaged = 0;
        let lines = lines.filter_map(|line| match line {
            Ok(line) => Some(line.trim().trim_end_matches(',')),
            Err(_) => {
                damaged += 1;
                None
            }
        });
        Lines(lines.filter(|line| !line.is_empty()).collect(), damaged)
    }

    /// Returns the document of all lines that can be read, and the number of the others. Returns `None` if the layout or all
    /// curves are missing.
    fn document(&self) -> Option<(Document<'t>, usize)> {
        let (mut lost, mut format, mut version, mut layout) = (self.1, None, None, None);
        let mut document = Document::default();
        for &line in &self.0 {
            let member = line.split_once(':');
            let member = member.map(|(name, value)| (name.trim(), value.trim()));
            let is_read = match member {
                Some(("\"format\"", value)) => set_member(&mut format, value),
                Some(("\"version\"", value)) => set_member(&mut version, value),
                Some(("\"layout\"", value)) => set_member(&mut layout, value),
                Some(("\"flags\"", value)) => set_member(&mut document.flags, value),
                Some(("\"about\"", value)) if value != "{" => {
                    let about = serde_json::from_str(value);
                    about.map(|about| document.about = about).is_ok()
                }
                _ => match serde_json::from_str::<&RawValue>(line) {
                    Ok(value) if line.starts_with("{\"curve\"") => {
                        document.curves.push(value);
                        true
                    }
                    Ok(value) if line.starts_with("{\"device\"") => {
                        document.devices.push(value);
                        true
                    }
                    Ok(value) if line.starts_with("{\"element\"") => {
                        document.gaps.push(value);
                        true
                    }
                    Ok(value) if line.starts_with("{\"time\"") => {
                        document.markers.push(value);
                        true
                    }
                    // The lines that open and close objects and arrays.
                    _ => !line.contains(|c: char| c.is_ascii_digit()),
                },
            };
            lost += usize::from(!is_read);
        }
        (document.format, document.version, document.layout) = (format?, version?, layout?);
        (!document.curves.is_empty()).then_some((document, lost))
    }
}

/// Sets a member to a value in JSON. Returns `false` if the value cannot be read.
fn set_member<'t, T: Deserialize<'t>>(member: &mut Option<T>, value: &'t str) -> bool {
    *member = serde_json::from_str(value).ok();
    member.is_some()
}

fn read_document(
    document: Document<'_>,
    limits: &Limits,
    damage: &mut Damage,
) -> Result<Recording<'static>, Error> {
    if document.format != FORMAT || !VERSIONS.contains(&document.version) {
        let error = JsonError::Format(document.format.into_owned(), document.version);
        return Err(error.into());
    }
    let layout: Layout = document.layout.parse().map_err(JsonError::Layout)?;
    let mut recording = match (layout.has_flags(), document.flags) {
        (true, None) => return Err(JsonError::FlagsMissing(layout).into()),
        (false, Some(_)) => return Err(JsonError::FlagsUnexpected(layout).into()),
        (_, flags) => {
            let bytes = flags.map(|flags| [flags.head, flags.hand, flags.gaze]);
            with_streams(layout, bytes)
        }
    };
    recording.about = document.about.into_iter().collect();
    check_limit(document.markers.len() as u64, limits.max_markers, "markers")?;
    fill(&mut recording, document.curves, limits, damage)?;
    let devices = document.devices.len() as u64;
    check_limit(devices, MAX_DEVICE_CURVES, "devices")?;
    let mut named = BTreeSet::new();
    for line in document.devices {
        if let Err(error) = read_device(&mut recording, line, &mut named, damage) {
            damage.add(error);
        }
    }
    for marker in document.markers {
        match serde_json::from_str::<MarkerLine<'_>>(marker.get()) {
            Ok(marker) => {
                let marker = Marker::new(marker.time.0, marker.name.into_owned());
                recording.markers.push(marker);
            }
            Err(source) => damage.add(JsonError::Marker(source)),
        }
    }
    for line in document.gaps {
        let line = match serde_json::from_str::<GapLine<'_>>(line.get()) {
            Ok(line) => line,
            Err(source) => {
                damage.add(JsonError::GapLine(source));
                continue;
            }
        };
        check_limit(line.unknown.len() as u64, limits.max_keys, "gaps")?;
        let element = match Known::element(&line.element) {
            Ok(element) => element,
            Err(error) => {
                damage.add(JsonError::Gap(error));
                continue;
            }
        };
        for [start, end] in line.unknown {
            let gap = TimeRange {
                start: start.0,
                end: end.0,
            };
            if let Err(error) = recording.known.try_add_gap(element, gap) {
                damage.add(JsonError::Gap(error));
            }
        }
    }
    // Content that the layout cannot hold would make the recording impossible to write.
    let losses = recording.layout_losses(layout);
    if losses.is_empty() {
        Ok(recording)
    } else {
        Err(JsonError::NotInLayout { layout, losses }.into())
    }
}

/// Reads the profiles and haptic pulses of a device into `recording`. `named` are the devices that were read before. Entries that cannot
/// be read are added to `damage`.
fn read_device(
    recording: &mut Recording<'static>,
    line: &RawValue,
    named: &mut BTreeSet<DeviceName>,
    damage: &mut Damage,
) -> Result<(), JsonError> {
    let line: DeviceLine<'_> = match serde_json::from_str(line.get()) {
        Ok(line) => line,
        Err(source) => {
            let only: DeviceOnly<'_> = match serde_json::from_str(line.get()) {
                Ok(only) => only,
                Err(_) => return Err(JsonError::DeviceLine(source)),
            };
            let device: DeviceName = only.device.parse()?;
            if !named.insert(device) {
                return Err(JsonError::DeviceTwice(device));
            }
            recording.device_mut(device);
            let always = TimeRange {
                start: f32::NEG_INFINITY,
                end: f32::INFINITY,
            };
            recording.known.add_gap(Element::Profile(device), always);
            return Err(JsonError::DeviceMembers { device, source });
        }
    };
    let name: DeviceName = line.device.parse()?;
    if !named.insert(name) {
        return Err(JsonError::DeviceTwice(name));
    }
    let mut profiles: Vec<ProfileChange> = Vec::new();
    // The start of a time in which the state of the device cannot be read.
    let mut unknown = None;
    for (index, text) in line.profiles.into_iter().enumerate() {
        match profile_change(text) {
            Ok((time, active, profile)) => {
                if let Some(start) = unknown.take().filter(|&start| start < time.0) {
                    let gap = TimeRange { start, end: time.0 };
                    recording.known.add_gap(Element::Profile(name), gap);
                }
                if let Some(profile) = profile.as_deref().filter(|_| !active) {
                    damage.add(JsonError::InactiveProfile {
                        device: name,
                        index,
                        profile: profile.chars().take(MAX_SHOWN).collect(),
                    });
                }
                profiles.push(ProfileChange {
                    time: time.0,
                    active,
                    profile: profile.map(|profile| Arc::from(&*profile)),
                });
            }
            Err(source) => {
                let before = profiles.last().map_or(f32::NEG_INFINITY, |last| last.time);
                unknown.get_or_insert(before);
                let device = name;
                damage.add(JsonError::DeviceProfile {
                    device,
                    index,
                    source,
                });
            }
        }
    }
    if let Some(start) = unknown {
        let end = f32::INFINITY;
        let gap = TimeRange { start, end };
        recording.known.add_gap(Element::Profile(name), gap);
    }
    let mut haptics = Vec::new();
    for (index, text) in line.haptics.into_iter().enumerate() {
        match pulse(text) {
            Ok(pulse) => haptics.push(pulse),
            Err(source) => damage.add(JsonError::DevicePulse {
                device: name,
                index,
                source,
            }),
        }
    }
    recording.set_device_events(name, profiles, haptics)?;
    Ok(())
}

/// The largest number of letters of a profile that an error shows.
const MAX_SHOWN: usize = 100;

/// Reads a change of the profile. Its time is finite.
fn profile_change(text: &RawValue) -> serde_json::Result<ProfileLine<'_>> {
    let line: ProfileLine<'_> = serde_json::from_str(text.get())?;
    if line.0.0.is_finite() {
        Ok(line)
    } else {
        Err(serde_json::Error::custom("expected a finite time"))
    }
}

/// Reads a haptic pulse, which is valid.
fn pulse(text: &RawValue) -> serde_json::Result<Haptic> {
    let line: PulseLine<'_> = serde_json::from_str(text.get())?;
    let (time, output, duration, frequency, amplitude) = line;
    let pulse = Haptic {
        time: time.0,
        output: output.parse().map_err(serde_json::Error::custom)?,
        duration: duration.map(|number| number.0),
        frequency: frequency.map(|number| number.0),
        amplitude: amplitude.0,
    };
    pulse.check().map_err(serde_json::Error::custom)?;
    Ok(pulse)
}

fn fill(
    recording: &mut Recording<'static>,
    lines: Vec<&RawValue>,
    limits: &Limits,
    damage: &mut Damage,
) -> Result<(), Error> {
    let mut seen = HashSet::new();
    let mut of_devices = 0;
    let mut left = limits.max_keys;
    for line in lines {
        match read_curve(recording, line, &mut seen, left) {
            Ok((path, keys)) => {
                left -= keys as u64;
                of_devices += u64::from(Element::from(path).device().is_some());
                check_limit(of_devices, MAX_DEVICE_CURVES, "curves of devices")?;
            }
            Err(JsonError::Keys { curve, source }) if keys::is_limit(&source) => {
                return Err(JsonError::Keys { curve, source }.into());
            }
            Err(error) => damage.add(error),
        }
    }
    Ok(())
}

/// Reads a curve into `recording`, and returns its path and the number of its keys. `seen` has the curves so far.
fn read_curve(
    recording: &mut Recording<'static>,
    line: &RawValue,
    seen: &mut HashSet<CurvePath>,
    left: u64,
) -> Result<(CurvePath, usize), JsonError> {
    let line: CurveLine<'_> = serde_json::from_str(line.get()).map_err(JsonError::CurveLine)?;
    let path: CurvePath = line.curve.parse().map_err(JsonError::Curve)?;
    // A second line of a curve would silently replace the first one.
    if seen.contains(&path) {
        return Err(JsonError::CurveTwice(path));
    }
    match path {
        CurvePath::DevicePose(device, pose, _) => {
            recording.device_mut(device).pose_mut(pose);
        }
        CurvePath::Input(device, input) => {
            let curve = match &*line.kind {
                "boolean" => InputCurve::Boolean(BooleanCurve::default()),
                _ => InputCurve::Float(FloatCurve::default()),
            };
            recording.device_mut(device).set_input(input, curve);
        }
        _ => {}
    }
    let slot = recording.curve_mut(path);
    let keys = set(
        slot.ok_or(JsonError::StreamMissing(path))?,
        path,
        &line,
        left,
    )?;
    seen.insert(path);
    Ok((path, keys))
}

/// Replaces the curve in `slot` by the curve that a line of the JSON contains, and returns the number of its keys.
/// Fails if the line does not fit the kind of curve, or has more than `left` keys. `path` names the curve in errors.
fn set(
    slot: CurveMut<'_, 'static>,
    path: CurvePath,
    line: &CurveLine<'_>,
    left: u64,
) -> Result<usize, JsonError> {
    let (pre_wrap, post_wrap) = (WrapMode(line.pre_wrap), WrapMode(line.post_wrap));
    let wrong_kind = |expected| JsonError::Kind {
        curve: path,
        kind: line.kind.clone().into_owned(),
        expected,
    };
    let wrong_keys = |source| JsonError::Keys {
        curve: path,
        source,
    };
    let text = line.keys.get();
    match (slot, &*line.kind) {
        (CurveMut::Boolean(curve), "boolean") => {
            let keys = keys::read(text, left, |[time, value]: [Number; 2]| {
                BooleanKey::from_value(time.0, value.0)
            });
            *curve = BooleanCurve {
                pre_wrap,
                post_wrap,
                keys: Cow::Owned(keys.map_err(wrong_keys)?),
            };
            Ok(curve.keys.len())
        }
        (CurveMut::Boolean(_), _) => Err(wrong_kind("\"boolean\"")),
        (CurveMut::Float(curve), kind) => {
            let keys = match kind {
                "simple" => keys::read(text, left, |[time, value]: [Number; 2]| {
                    SimpleKey::new(time.0, value.0)
                })
                .map(|keys| Keys::Simple(keys.into())),
                "full" => keys::read(text, left, keys::full).map(|keys| Keys::Full(keys.into())),
                _ => return Err(wrong_kind("\"simple\" or \"full\"")),
            };
            *curve = FloatCurve {
                pre_wrap,
                post_wrap,
                keys: keys.map_err(wrong_keys)?,
            };
            Ok(curve.keys.len())
        }
    }
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document<'a> {
    #[serde(borrow)]
    format: Cow<'a, str>,
    version: u32,
    #[serde(borrow)]
    layout: Cow<'a, str>,
    flags: Option<FlagBytes>,
    #[serde(borrow, default)]
    about: BTreeMap<Cow<'a, str>, Cow<'a, str>>,
    // Each element is read separately, so that damage of one does not cost the others.
    #[serde(borrow)]
    curves: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    devices: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    gaps: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    markers: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceLine<'a> {
    #[serde(borrow)]
    device: Cow<'a, str>,
    #[serde(borrow, default)]
    profiles: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    haptics: Vec<&'a RawValue>,
}

/// An element of `"devices"` with other members that cannot be read.
#[derive(Deserialize)]
struct DeviceOnly<'a> {
    #[serde(borrow)]
    device: Cow<'a, str>,
}

/// The time, state and profile of a change of the profile.
type ProfileLine<'a> = (Number, bool, Option<Cow<'a, str>>);

/// The time, output, duration, frequency and amplitude of a haptic pulse.
type PulseLine<'a> = (Number, Cow<'a, str>, Option<Number>, Option<Number>, Number);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GapLine<'a> {
    #[serde(borrow)]
    element: Cow<'a, str>,
    unknown: Vec<[Number; 2]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FlagBytes {
    #[serde(alias = "camera")]
    head: u8,
    hand: u8,
    gaze: u8,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct CurveLine<'a> {
    #[serde(borrow)]
    curve: Cow<'a, str>,
    pre_wrap: i32,
    post_wrap: i32,
    #[serde(borrow)]
    kind: Cow<'a, str>,
    #[serde(borrow)]
    // Members may come in any order, so the keys are parsed only when the kind of the curve is known.
    keys: &'a RawValue,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MarkerLine<'a> {
    time: Number,
    #[serde(borrow)]
    name: Cow<'a, str>,
}
