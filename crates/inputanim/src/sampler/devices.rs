//! Evaluation of devices: controllers, trackers and others.
//!
//! Method: each curve has an evaluator of its own, and a sample takes one search for each curve. Few recordings have devices, and
//! a device has a few dozen curves.

use std::sync::Arc;

use super::columns::{DeviceColumns, InputColumn, PoseColumns};
use super::row::normalised;
use super::unknown::inner;
use super::{Sampler, UnplayableCurve};
use crate::curve::{FloatCurve, KeyKind};
use crate::device::{
    DeviceName, Haptic, InputCurve, InputName, InputValue, PoseName, ProfileChange,
};
use crate::element::Element;
use crate::evaluate::{BooleanEvaluator, FloatEvaluator, TimeNotANumber};
use crate::frame::{DeviceFrame, Pose};
use crate::order;
use crate::parallel;
use crate::path::{CurvePath, PoseChannel};
use crate::recording::Recording;
use crate::time_range::TimeRange;

/// A device in the form that sampling needs.
pub(crate) struct BakedDevice {
    pub(crate) name: DeviceName,
    profiles: Vec<ProfileChange>,
    /// The times at which nothing is known about the device.
    gaps: Vec<TimeRange>,
    poses: Vec<BakedPose>,
    inputs: Vec<BakedInput>,
    haptics: Vec<Haptic>,
}

struct BakedPose {
    name: PoseName,
    curves: [FloatEvaluator<'static>; PoseChannel::ALL.len()],
    gaps: Vec<TimeRange>,
    times: Vec<f32>,
}

struct BakedInput {
    name: InputName,
    curve: InputEvaluator,
    gaps: Vec<TimeRange>,
    times: Vec<f32>,
    /// `true` if the value may jump at the times of its keys.
    jumps: bool,
}

enum InputEvaluator {
    Float(FloatEvaluator<'static>),
    Boolean(BooleanEvaluator<'static>),
}

/// Prepares the devices of a recording, with the curves that `keep` selects. Fails if the time of a key is NaN.
pub(super) fn devices(
    recording: &Recording<'_>,
    keep: impl Fn(CurvePath) -> bool,
) -> Result<Box<[BakedDevice]>, UnplayableCurve> {
    let devices = recording.devices.iter().map(|device| {
        let gaps = |element| -> Vec<TimeRange> {
            let gaps = recording.known.gaps(element).iter().copied();
            gaps.filter_map(inner).collect()
        };
        let mut baked = BakedDevice {
            name: device.name,
            profiles: device.profiles.clone(),
            gaps: gaps(Element::Profile(device.name)),
            poses: Vec::new(),
            inputs: Vec::new(),
            haptics: device.haptics.clone(),
        };
        for (name, curves) in &device.poses {
            let path = |channel| CurvePath::DevicePose(device.name, *name, channel);
            let is_kept = PoseChannel::ALL.into_iter().any(|channel| keep(path(channel)));
            if curves.is_empty() || !is_kept {
                continue;
            }
            let mut evaluators = Vec::new();
            for channel in PoseChannel::ALL {
                let curve = &curves[channel];
                let evaluator = float(curve).map_err(|error| unplayable(path(channel), error))?;
                evaluators.push(evaluator);
            }
            let Ok(curves_of_pose) = evaluators.try_into() else {
                continue;
            };
            let mut times = Vec::new();
            for (_, curve) in curves.iter() {
                times.extend(curve.keys.points().map(|(time, _)| time));
            }
            baked.poses.push(BakedPose {
                name: *name,
                curves: curves_of_pose,
                gaps: gaps(Element::DevicePose(device.name, *name)),
                times: sorted(times),
            });
        }
        for (name, curve) in &device.inputs {
            let path = CurvePath::Input(device.name, *name);
            if curve.curve().is_empty() || !keep(path) {
                continue;
            }
            let evaluator = match curve {
                InputCurve::Float(curve) => float(curve).map(InputEvaluator::Float),
                InputCurve::Boolean(curve) => curve
                    .evaluator()
                    .map(|evaluator| InputEvaluator::Boolean(evaluator.into_owned())),
            };
            baked.inputs.push(BakedInput {
                name: *name,
                jumps: !matches!(curve, InputCurve::Float(curve) if curve.keys.kind() == KeyKind::Simple),
                curve: evaluator.map_err(|error| unplayable(path, error))?,
                gaps: gaps(Element::Input(device.name, *name)),
                times: sorted(curve.curve().points().map(|(time, _)| time).collect()),
            });
        }
        Ok(baked)
    });
    devices.collect()
}

fn float(curve: &FloatCurve<'_>) -> Result<FloatEvaluator<'static>, TimeNotANumber> {
    Ok(curve.evaluator()?.into_owned())
}

fn unplayable(curve: CurvePath, source: TimeNotANumber) -> UnplayableCurve {
    UnplayableCurve { curve, source }
}

fn sorted(mut times: Vec<f32>) -> Vec<f32> {
    order::sort_times(&mut times);
    times.dedup();
    times
}

fn is_in(gaps: &[TimeRange], time: f32) -> bool {
    let after = gaps.partition_point(|gap| gap.end <= time);
    gaps.get(after).is_some_and(|gap| gap.start < time)
}

impl BakedDevice {
    /// Evaluates the device at a time in seconds. Returns `false` if nothing is known about it.
    pub(super) fn read(&self, sampler: &Sampler, time: f32, frame: &mut DeviceFrame) -> bool {
        if is_in(&self.gaps, time) {
            return false;
        }
        frame.name = self.name;
        frame.poses.clear();
        frame.inputs.clear();
        let (active, profile) = self.state_at(time);
        frame.active = active;
        frame.profile = profile.cloned();
        if !active {
            return true;
        }
        for pose in self.poses.iter().filter(|pose| !is_in(&pose.gaps, time)) {
            frame.poses.push((pose.name, pose.at(sampler, time)));
        }
        for input in self.inputs.iter().filter(|input| !is_in(&input.gaps, time)) {
            frame.inputs.push((input.name, input.at(sampler, time)));
        }
        true
    }

    /// Returns whether the device is active at a time in seconds, and its profile.
    fn state_at(&self, time: f32) -> (bool, Option<&Arc<str>>) {
        if self.profiles.is_empty() {
            return (true, None);
        }
        let after = self.profiles.partition_point(|change| change.time <= time);
        let last = self.profiles[..after].last();
        let active = last.is_some_and(|change| change.active);
        (active, last.and_then(|change| change.profile.as_ref()))
    }

    /// Returns `true` if the device is known to be active at a time in seconds, and its profile.
    pub(crate) fn known_state_at(&self, time: f32) -> (bool, Option<&Arc<str>>) {
        if is_in(&self.gaps, time) {
            return (false, None);
        }
        match self.state_at(time) {
            (true, profile) => (true, profile),
            (false, _) => (false, None),
        }
    }

    /// Returns the inputs that are on or off, with their curves, in the order of their names.
    pub(crate) fn buttons(&self) -> impl Iterator<Item = (InputName, &BooleanEvaluator<'static>)> {
        self.baked_buttons()
            .map(|(input, curve)| (input.name, curve))
    }

    fn baked_buttons(&self) -> impl Iterator<Item = (&BakedInput, &BooleanEvaluator<'static>)> {
        self.inputs.iter().filter_map(|input| match &input.curve {
            InputEvaluator::Boolean(curve) => Some((input, curve)),
            InputEvaluator::Float(_) => None,
        })
    }

    /// Returns, for each of the [`buttons`](Self::buttons) of an active device, `true` if it is known to be on at a time in seconds.
    pub(crate) fn buttons_at(&self, is_clamped: bool, time: f32) -> impl Iterator<Item = bool> {
        self.baked_buttons().map(move |(input, curve)| {
            !is_in(&input.gaps, time) && curve.at_near(is_clamped, time, &mut 0)
        })
    }

    /// Returns the changes of the profile in order of time.
    pub(crate) fn profiles(&self) -> &[ProfileChange] {
        &self.profiles
    }

    /// Returns the haptic pulses in order of time.
    pub(crate) fn haptics(&self) -> &[Haptic] {
        &self.haptics
    }

    /// Returns `true` if the device, or one of its poses or inputs, is unknown at a time in seconds.
    pub(super) fn is_unknown_at(&self, time: f32) -> bool {
        self.any_gaps(|gaps| is_in(gaps, time))
    }

    /// Returns `true` if anything is unknown at some times.
    pub(super) fn has_gaps(&self) -> bool {
        self.any_gaps(|gaps| !gaps.is_empty())
    }

    // The functions below use loops, because chains of iterators would be large in WebAssembly.

    /// Adds the finite bounds of the gaps, in seconds.
    pub(super) fn add_gap_bounds(&self, to: &mut Vec<f32>) {
        self.any_gaps(|gaps| {
            for gap in gaps {
                let bounds = [gap.start, gap.end].into_iter();
                to.extend(bounds.filter(|bound| bound.is_finite()));
            }
            false
        });
    }

    /// Returns `true` if a predicate is true of the gaps of the device, of one of its poses, or of one of its inputs.
    fn any_gaps(&self, mut is_true: impl FnMut(&[TimeRange]) -> bool) -> bool {
        is_true(&self.gaps)
            || self.poses.iter().any(|pose| is_true(&pose.gaps))
            || self.inputs.iter().any(|input| is_true(&input.gaps))
    }

    /// Adds the times of keys and of changes of the profile, in seconds, in any order.
    pub(super) fn add_key_times(&self, to: &mut Vec<f32>) {
        for pose in &self.poses {
            to.extend(&pose.times);
        }
        for input in &self.inputs {
            to.extend(&input.times);
        }
        to.extend(self.profiles.iter().map(|change| change.time));
    }

    /// Adds the times in seconds, in any order, at which a value may jump.
    pub(super) fn add_jump_times(&self, to: &mut Vec<f32>) {
        for input in self.inputs.iter().filter(|input| input.jumps) {
            to.extend(&input.times);
        }
        to.extend(self.profiles.iter().map(|change| change.time));
    }
}

impl BakedPose {
    fn at(&self, sampler: &Sampler, time: f32) -> Pose {
        let at = |channel: usize| self.curves[channel].at_with(sampler.has_clamped_ends, time);
        let rotation: [f32; 4] = std::array::from_fn(|index| at(3 + index));
        Pose {
            position: std::array::from_fn(at),
            rotation: if sampler.has_raw_rotations {
                rotation
            } else {
                normalised(rotation)
            },
        }
    }
}

impl BakedInput {
    fn at(&self, sampler: &Sampler, time: f32) -> InputValue {
        match &self.curve {
            InputEvaluator::Float(curve) => {
                InputValue::Float(curve.at_with(sampler.has_clamped_ends, time))
            }
            InputEvaluator::Boolean(curve) => {
                let is_clamped = sampler.has_clamped_ends;
                InputValue::Boolean(curve.at_near(is_clamped, time, &mut 0))
            }
        }
    }
}

impl Sampler {
    /// Evaluates the devices at times in seconds.
    pub(super) fn device_columns(&self, times: &[f32]) -> Vec<DeviceColumns> {
        let devices: Vec<&BakedDevice> = self.baked.devices.iter().collect();
        let size = devices.len() * times.len();
        parallel::map(devices, size, |device| device.columns(self, times))
    }
}

impl BakedDevice {
    fn columns(&self, sampler: &Sampler, times: &[f32]) -> DeviceColumns {
        let unknown = || vec![f32::NAN; times.len()];
        let input = |input: &BakedInput| InputColumn {
            is_boolean: matches!(input.curve, InputEvaluator::Boolean(_)),
            values: unknown(),
        };
        let pose = || {
            let mut pose = PoseColumns::new(|_| times.len());
            pose.columns_mut().for_each(|column| column.fill(f32::NAN));
            pose
        };
        let mut columns = DeviceColumns {
            name: self.name,
            active: unknown(),
            profile: vec![None; times.len()],
            poses: self
                .poses
                .iter()
                .map(|baked| (baked.name, pose()))
                .collect(),
            inputs: self
                .inputs
                .iter()
                .map(|baked| (baked.name, input(baked)))
                .collect(),
        };
        for (index, &time) in times
            .iter()
            .enumerate()
            .filter(|(_, time)| !is_in(&self.gaps, **time))
        {
            let (active, profile) = self.state_at(time);
            columns.active[index] = f32::from(u8::from(active));
            columns.profile[index] = profile.cloned();
            if !active {
                continue;
            }
            for (baked, (_, column)) in self.poses.iter().zip(&mut columns.poses) {
                if !is_in(&baked.gaps, time) {
                    let pose = baked.at(sampler, time);
                    let numbers = pose.position.into_iter().chain(pose.rotation);
                    for (column, number) in column.columns_mut().zip(numbers) {
                        column[index] = number;
                    }
                }
            }
            for (baked, (_, column)) in self.inputs.iter().zip(&mut columns.inputs) {
                if !is_in(&baked.gaps, time) {
                    column.values[index] = baked.at(sampler, time).number();
                }
            }
        }
        columns
    }
}
