//! Losses of devices, for formats that hold only a part of them.

use std::collections::BTreeMap;

use inputanim::{Device, InputName, InputValue, Pose, PoseName};

use super::report::{counted, listed};
use super::{LossKind, NoteKind, Report};

/// The number of poses and inputs that a loss lists.
const LISTED: usize = 6;

/// The content of a device that a format does not hold.
pub(crate) struct Unheld<'d> {
    /// The names of poses, inputs and other content.
    names: Vec<String>,
    /// The number of keys of the poses and inputs.
    keys: usize,
    device: &'d Device<'d>,
}

impl<'d> Unheld<'d> {
    /// Returns the content of a device except the poses and inputs that a format holds. Poses and inputs without keys are
    /// ignored.
    pub(crate) fn of(
        device: &'d Device<'d>,
        holds_pose: impl Fn(PoseName) -> bool,
        holds_input: impl Fn(InputName) -> bool,
    ) -> Unheld<'d> {
        let mut unheld = Unheld {
            names: Vec::new(),
            keys: 0,
            device,
        };
        let poses = device.poses.iter().filter(|(_, pose)| !pose.is_empty());
        for (name, pose) in poses.filter(|(name, _)| !holds_pose(*name)) {
            unheld.names.push(name.to_string());
            unheld.keys += pose
                .iter()
                .map(|(_, curve)| curve.keys.len())
                .sum::<usize>();
        }
        for (name, input) in device.inputs.iter().filter(|(name, _)| !holds_input(*name)) {
            let keys = input.curve().len();
            unheld.names.extend((keys > 0).then(|| name.to_string()));
            unheld.keys += keys;
        }
        unheld
    }

    /// Adds the haptic pulses.
    pub(crate) fn with_haptics(self) -> Self {
        let count = self.device.haptics.len();
        self.with(count, "haptic pulse")
    }

    /// Adds the changes of the profile.
    pub(crate) fn with_profiles(self) -> Self {
        let count = self.device.profiles.len();
        self.with(count, "profile change")
    }

    fn with(mut self, count: usize, noun: &str) -> Self {
        self.names.extend((count > 0).then(|| counted(count, noun)));
        self
    }

    /// Adds the loss to a report, unless nothing is lost.
    pub(crate) fn report(self, report: &mut Report) {
        if self.names.is_empty() {
            return;
        }
        let keys = match self.keys {
            0 => String::new(),
            keys => format!(" ({})", counted(keys, "key")),
        };
        let names = listed(self.names, LISTED);
        report.lose(
            LossKind::Devices,
            1,
            format!("{}: {names}{keys}", self.device.name),
        );
    }
}

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
