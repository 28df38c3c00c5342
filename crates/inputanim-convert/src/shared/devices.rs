//! Values of devices, for formats that cannot state that a value is unknown.

use std::collections::BTreeMap;

use inputanim::{Device, InputName, InputValue, Pose, PoseName};

use super::report::{counted, listed};
use super::{LossKind, NoteKind, Report};

/// The number of poses and inputs that a message lists.
const LISTED: usize = 6;

/// The last known values of a device, for formats that cannot state that a value is unknown.
#[derive(Default)]
pub(crate) struct LastValues {
    poses: BTreeMap<PoseName, Pose>,
    inputs: BTreeMap<InputName, f32>,
    /// The names of poses and inputs that were unknown.
    unknown: BTreeMap<String, usize>,
    /// The number of frames in which nothing was known about the device.
    absent: usize,
}

impl LastValues {
    /// Returns the pose if it is known, otherwise its last known value; `None` if it was never known.
    pub(crate) fn pose(&mut self, name: PoseName, pose: Option<&Pose>) -> Option<Pose> {
        match pose {
            Some(pose) => {
                self.poses.insert(name, *pose);
                Some(*pose)
            }
            None => {
                *self.unknown.entry(name.to_string()).or_default() += 1;
                self.poses.get(&name).copied()
            }
        }
    }

    /// Returns the value of an input if it is known, otherwise its last known value; 0 if it was never known.
    pub(crate) fn input(&mut self, name: InputName, value: Option<InputValue>) -> f32 {
        match value {
            Some(value) => {
                self.inputs.insert(name, value.number());
                value.number()
            }
            None => {
                *self.unknown.entry(name.to_string()).or_default() += 1;
                self.inputs.get(&name).copied().unwrap_or_default()
            }
        }
    }

    /// Counts a frame in which nothing is known about the device.
    pub(crate) fn count_absent(&mut self) {
        self.absent += 1;
    }

    /// Adds the unknown values of a device to a report.
    pub(crate) fn report(&self, device: &Device<'_>, report: &mut Report) {
        let name = device.name;
        if self.absent > 0 {
            let frames = counted(self.absent, "frame");
            let message = format!("{name} is unknown in {frames}; it is not active there");
            report.note(NoteKind::Unknown, message);
        }
        if !self.unknown.is_empty() {
            let names = self
                .unknown
                .iter()
                .map(|(name, frames)| format!("{name} in {}", counted(*frames, "frame")));
            let names = listed(names, LISTED);
            let message =
                format!("{name}: unknown values of {names}; the last value is held there");
            report.lose(LossKind::Unknown, 1, message);
        }
    }
}
