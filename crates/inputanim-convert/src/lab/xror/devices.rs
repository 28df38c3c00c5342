//! The devices of a recording, and the columns of their axes.

use std::fmt;

use inputanim::{DeviceName, Pose, Side};

use super::XrorError;
use super::bson::{Damage, Document, Value};
use crate::shared::report::listed;
use crate::shared::{LossKind, NoteKind, Report};

/// The names of axes: the position, and the rotation as a quaternion.
const POSITION: [&str; 3] = ["x", "y", "z"];
const ROTATION: [&str; 4] = ["i", "j", "k", "1"];

/// A part of a recording.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Part {
    Head,
    /// A controller or a tracker.
    Device(DeviceName),
}

/// A device whose poses are recorded.
pub(super) struct Device {
    pub(super) part: Part,
    /// The columns of the axes of the position.
    position: [usize; 3],
    /// The columns of the axes of the rotation; `None` for a device that has only positions.
    rotation: Option<[usize; 4]>,
}

/// The pose of a device in a frame.
pub(super) enum DevicePose {
    Known(Pose),
    /// One of the numbers is NaN.
    Unknown,
    /// One of the numbers is infinite, or the rotation is 0.
    Invalid,
}

/// All devices of a file.
pub(super) struct Devices {
    /// The devices that are the head, a controller or a tracker, at most one for each part.
    pub(super) recorded: Vec<Device>,
    /// The number of columns of a frame: the time and the axes of all devices.
    pub(super) columns: usize,
}

impl Device {
    pub(super) fn pose(&self, frame: &[f64]) -> DevicePose {
        // 64-bit numbers of XROR are 32-bit numbers that were widened.
        let number = |column: usize| frame.get(column).map_or(f32::NAN, |&number| number as f32);
        let position = self.position.map(number);
        let rotation = self.rotation.map(|columns| columns.map(number));
        let rotation = rotation.unwrap_or(Pose::IDENTITY.rotation);
        let numbers = || position.iter().chain(&rotation);
        if numbers().all(|part| part.is_finite()) && rotation != [0.0; 4] {
            DevicePose::Known(Pose { position, rotation })
        } else if numbers().any(|part| part.is_nan()) {
            DevicePose::Unknown
        } else {
            DevicePose::Invalid
        }
    }
}

impl Devices {
    /// Reads the list of devices of a file, and reports devices and axes that cannot be recorded. `found` is the number of
    /// columns of a frame, if it is known. Devices before a damaged one have the first columns, and devices after it the last
    /// ones. Fails if no device is the head, a controller or a tracker.
    pub(super) fn read(
        list: Document<'_>,
        found: Option<usize>,
        damage: &mut Damage,
        report: &mut Report,
    ) -> Result<Devices, XrorError> {
        let mut devices = Devices {
            recorded: Vec::new(),
            columns: 1,
        };
        let (mut others, mut repeated, mut without_rotation) =
            (Names::default(), Names::default(), Names::default());
        let (mut with_offsets, mut extra_axes) = (Names::default(), Names::default());
        let mut all: Vec<(Document<'_>, Axes)> = Vec::new();
        // The index of the first device of which the number of axes is known, up to the end.
        let mut known_from = 0;
        // The number of devices, from the start, of which the number of axes is known.
        let mut known_to = None;
        let mut wrong = None;
        let mut next = 0_usize;
        for (index, element) in list.elements().enumerate() {
            // The elements of an array are numbered, so that a missing one shows.
            if let Ok(element) = &element
                && element.name != next.to_string()
            {
                known_to.get_or_insert(all.len());
                known_from = all.len();
                wrong.get_or_insert_with(|| XrorError::Member {
                    member: "info.hardware.devices".to_owned(),
                    expected: "the devices in order",
                    found: "a missing or repeated one",
                });
                next = element.name.parse().unwrap_or(next);
            }
            next = next.wrapping_add(1);
            let read = element.and_then(|element| match element.value {
                Value::Document(device) => Ok((device, Axes::read(device, index)?)),
                value => Err(XrorError::Member {
                    member: format!("info.hardware.devices[{index}]"),
                    expected: "a document",
                    found: value.kind(),
                }),
            });
            match read {
                Ok(device) => all.push(device),
                Err(error) => {
                    known_to.get_or_insert(all.len());
                    known_from = all.len();
                    // After damage of the list itself, the number of further devices is not known.
                    if let XrorError::Bson { .. } = error {
                        known_from = usize::MAX;
                    }
                    wrong.get_or_insert(error);
                }
            }
        }
        let mut firsts: Vec<Option<usize>> = Vec::new();
        for (index, (_, axes)) in all.iter().enumerate() {
            let is_before = known_to.is_none_or(|known| index < known);
            let is_after = !is_before && index >= known_from;
            let after: usize = all[index..].iter().map(|(_, axes)| axes.count).sum();
            let of_end = found.and_then(|found| found.checked_sub(after));
            firsts.push(match (is_before, is_after) {
                (true, _) => Some(devices.columns),
                (_, true) => of_end.filter(|&first| first >= devices.columns),
                _ => None,
            });
            if is_before {
                devices.columns += axes.count;
            }
        }
        if known_to.is_some() {
            devices.columns = found.unwrap_or(devices.columns).max(devices.columns);
        }
        for ((device, axes), first) in all.into_iter().zip(firsts) {
            let Some(first) = first else { continue };
            let joint = device.text("joint", damage);
            let kind = device.text("type", damage);
            let name = device.text("name", damage).unwrap_or("unnamed");
            let name = || Description {
                name,
                kind: kind.unwrap_or("none"),
                joint: joint.unwrap_or("none"),
            };
            let (Some(part), Some(position)) = (part(kind, joint), axes.position(first)) else {
                others.0.push(name());
                continue;
            };
            if devices.recorded.iter().any(|device| device.part == part) {
                repeated.0.push(name());
                continue;
            }
            let rotation = axes.rotation(first);
            if rotation.is_none() {
                without_rotation.0.push(name());
            }
            let used = position.len() + rotation.map_or(0, |columns| columns.len());
            if axes.count > used {
                extra_axes.0.push(name());
            }
            if matches!(device.member("offsets", damage), Some(Value::Array(_))) {
                with_offsets.0.push(name());
            }
            devices.recorded.push(Device {
                part,
                position,
                rotation,
            });
        }
        if devices.recorded.is_empty() {
            return Err(wrong.unwrap_or(XrorError::NothingToRead {
                devices: others.to_string(),
            }));
        }
        if let Some(error) = wrong {
            damage.add(error);
        }
        let message = format!("neither a head, a controller nor a tracker: {others}");
        report.lose(LossKind::InputSources, others.0.len(), message);
        let message = format!("second device of the same part of the body: {repeated}");
        report.lose(LossKind::InputSources, repeated.0.len(), message);
        let notes = [
            (
                without_rotation,
                NoteKind::MissingRotations,
                "no rotations, identity assumed",
            ),
            (
                extra_axes,
                NoteKind::OtherContent,
                "axes other than position and rotation",
            ),
            (
                with_offsets,
                NoteKind::OtherContent,
                "offsets of axes, which are not applied",
            ),
        ];
        for (names, kind, message) in notes {
            if !names.0.is_empty() {
                report.note(kind, format!("{message}: {names}"));
            }
        }
        if devices
            .recorded
            .iter()
            .any(|device| device.part != Part::Head)
        {
            let message = "XROR files do not state which pose of a controller was recorded; it is read as grip";
            report.note(NoteKind::Controllers, message);
        }
        Ok(devices)
    }
}

/// Returns the part of a recording that a device becomes, by the type and the joint that the file states for it. A device at another
/// joint than the head and the hands becomes a tracker with the name of this joint. Returns `None` for a device without a joint, unless
/// it is a headset.
fn part(kind: Option<&str>, joint: Option<&str>) -> Option<Part> {
    match joint {
        Some("HEAD") => Some(Part::Head),
        Some("HAND_LEFT") => Some(Part::Device(DeviceName::controller(Side::Left))),
        Some("HAND_RIGHT") => Some(Part::Device(DeviceName::controller(Side::Right))),
        // The joint is optional, and a head-mounted display has only one place.
        None if kind == Some("HMD") => Some(Part::Head),
        Some(joint) if kind == Some("TRACKER") => {
            let name = format!("tracker.{}", joint.to_ascii_lowercase());
            name.parse().ok().map(Part::Device)
        }
        _ => None,
    }
}

/// The description of a device for messages: its name, type and joint.
struct Description<'a> {
    name: &'a str,
    kind: &'a str,
    joint: &'a str,
}

impl fmt::Display for Description<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Description { name, kind, joint } = self;
        write!(f, "{name:.40} (type {kind:.40}, joint {joint:.40})")
    }
}

/// The columns of the axes of a device.
struct Axes {
    /// The number of all axes.
    count: usize,
    position: [Option<usize>; 3],
    rotation: [Option<usize>; 4],
}

impl Axes {
    /// Reads the axes of a device. `index` is the index of the device in the file, for errors. Columns count from the first axis
    /// of the device.
    fn read(device: Document<'_>, index: usize) -> Result<Axes, XrorError> {
        let wrong = |member: &str, expected, found| XrorError::Member {
            member: format!("info.hardware.devices[{index}].{member}"),
            expected,
            found,
        };
        // The number of axes decides on the columns of all devices after this one.
        let mut damage = Damage::default();
        let list = match device.member("axes", &mut damage) {
            Some(Value::Array(list)) => list,
            other => {
                let found = other.map_or("none", |value| value.kind());
                return Err(wrong("axes", "an array", found));
            }
        };
        let mut axes = Axes {
            count: 0,
            position: [None; 3],
            rotation: [None; 4],
        };
        for element in list.elements() {
            let Ok(element) = element else {
                return Err(wrong("axes", "an array of strings", "damage"));
            };
            let Value::Text(name) = element.value else {
                return Err(wrong("axes", "an array of strings", element.value.kind()));
            };
            let column = axes.count;
            if element.name != column.to_string() {
                return Err(wrong(
                    "axes",
                    "the axes in order",
                    "a missing or repeated one",
                ));
            }
            axes.count += 1;
            let place = |names: &[&str]| names.iter().position(|&known| known == name);
            if let Some(axis) = place(&POSITION) {
                axes.position[axis].get_or_insert(column);
            } else if let Some(axis) = place(&ROTATION) {
                axes.rotation[axis].get_or_insert(column);
            }
        }
        Ok(axes)
    }

    /// Returns the columns of the position in a frame, in which `first` is the column of the first axis.
    fn position(&self, first: usize) -> Option<[usize; 3]> {
        let [x, y, z] = self.position;
        Some([x?, y?, z?].map(|column| first + column))
    }

    /// Returns the columns of the rotation in a frame, as [`position`](Self::position).
    fn rotation(&self, first: usize) -> Option<[usize; 4]> {
        let [x, y, z, w] = self.rotation;
        Some([x?, y?, z?, w?].map(|column| first + column))
    }
}

/// Devices of a message.
#[derive(Default)]
struct Names<'a>(Vec<Description<'a>>);

impl fmt::Display for Names<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0[..] {
            [] => f.write_str("no devices"),
            names => f.write_str(&listed(names, 3)),
        }
    }
}
