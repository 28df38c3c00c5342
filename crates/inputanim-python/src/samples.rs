//! Sampling into arrays.

use std::sync::Arc;

use inputanim::{
    CurvePath, DeviceColumns, DeviceName, Element, Frame, HandFrame, Joint, Pose, Sampler,
    SamplerCursor, Side, Space, TimeRange,
};
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes};

use crate::failure::Failure;
use crate::names;
use crate::recording::{NativeRecording, limits};
use crate::values::floats;
use crate::work::interruptible;

/// Converts bytes to single-precision numbers. The bytes need not be aligned.
pub(crate) fn numbers(bytes: &[u8]) -> Vec<f32> {
    bytemuck::pod_collect_to_vec(bytes)
}

/// Returns the joints with the given indices in file order. Fails if an index is invalid.
pub(crate) fn joints(indices: &[usize]) -> Result<Vec<Joint>, Failure> {
    let joint = |index: &usize| {
        Joint::from_index(*index)
            .ok_or_else(|| Failure::invalid(format!("invalid index of a joint: {index}")))
    };
    indices.iter().map(joint).collect()
}

/// The parts of samples as arrays in file order. Parts that do not exist are empty.
struct Arrays<'a> {
    /// Positions (time, 3) and rotations (time, 4).
    head: [&'a mut [f32]; 2],
    /// Positions (time, joint, 3) and rotations (time, joint, 4) of each hand.
    hands: [[&'a mut [f32]; 2]; 2],
    /// Origins and directions (time, 3).
    gaze: [&'a mut [f32]; 2],
    /// Tracked and pinching of each hand, one byte each.
    states: [[&'a mut [u8]; 2]; 2],
}

/// The sizes of the parts in one frame.
#[derive(Clone, Copy)]
struct Sizes {
    has_head: bool,
    has_hands: bool,
    has_gaze: bool,
    joints: usize,
}

impl Sizes {
    /// Returns how many single-precision numbers a frame has.
    fn floats(self) -> usize {
        let [head, gaze, hands] = [self.has_head, self.has_gaze, self.has_hands].map(usize::from);
        7 * head + 6 * gaze + 2 * 7 * self.joints * hands
    }

    /// Returns how many states a frame has: tracked and pinching of both hands, or none.
    fn states(self) -> usize {
        4 * usize::from(self.has_hands)
    }
}

impl<'a> Arrays<'a> {
    fn new(
        mut floats: &'a mut [f32],
        mut states: &'a mut [u8],
        times: usize,
        sizes: Sizes,
    ) -> Self {
        let [head, gaze] = [sizes.has_head, sizes.has_gaze].map(|has| times * usize::from(has));
        let joints = times * sizes.joints * usize::from(sizes.has_hands);
        let states_len = times * usize::from(sizes.has_hands);
        let mut next = |length| cut(&mut floats, length);
        let head = [next(3 * head), next(4 * head)];
        let hands = [(); 2].map(|()| [next(3 * joints), next(4 * joints)]);
        let gaze = [next(3 * gaze), next(3 * gaze)];
        let states = [(); 2].map(|()| [(); 2].map(|()| cut(&mut states, states_len)));
        Arrays {
            head,
            hands,
            gaze,
            states,
        }
    }

    /// Splits off the arrays of the first `times` frames, for one thread. `self` keeps the other frames.
    fn take(&mut self, times: usize, sizes: Sizes) -> Arrays<'a> {
        let joints = times * sizes.joints;
        let [position, rotation] = &mut self.head;
        let head = [cut(position, 3 * times), cut(rotation, 4 * times)];
        let hands = self
            .hands
            .each_mut()
            .map(|[position, rotation]| [cut(position, 3 * joints), cut(rotation, 4 * joints)]);
        let gaze = self.gaze.each_mut().map(|part| cut(part, 3 * times));
        let states = self.states.each_mut();
        let states = states.map(|hand| hand.each_mut().map(|states| cut(states, times)));
        Arrays {
            head,
            hands,
            gaze,
            states,
        }
    }

    fn fill(&mut self, sampler: &Sampler, times: &[f32], joints: &[Joint], space: Space) {
        let mut cursor = SamplerCursor::default();
        let mut frame = Frame::default();
        for (index, &time) in times.iter().enumerate() {
            sampler.read(time, &mut cursor, &mut frame);
            put_pose(&mut self.head, index, frame.head, space);
            for side in Side::BOTH {
                let hand: &HandFrame = frame.hand(side);
                for (at, &joint) in joints.iter().enumerate() {
                    let arrays = &mut self.hands[side as usize];
                    put_pose(arrays, index * joints.len() + at, hand.joints[joint], space);
                }
                let [tracked, pinching] = &mut self.states[side as usize];
                put(tracked, index, [u8::from(hand.tracked)]);
                put(pinching, index, [u8::from(hand.pinching)]);
            }
            let [origin, direction] = &mut self.gaze;
            let ray = frame.gaze.map(|ray| space.ray(ray));
            put(origin, index, ray.map_or([f32::NAN; 3], |ray| ray.origin));
            let none = [f32::NAN; 3];
            put(direction, index, ray.map_or(none, |ray| ray.direction));
        }
    }
}

/// Splits off the first `length` elements of a slice, and returns them. A slice that is shorter belongs to a part that
/// does not exist, and is empty.
fn cut<'a, T>(slice: &mut &'a mut [T], length: usize) -> &'a mut [T] {
    let length = length.min(slice.len());
    slice.split_off_mut(..length).unwrap_or_default()
}

fn put_pose(
    [positions, rotations]: &mut [&mut [f32]; 2],
    index: usize,
    pose: Option<Pose>,
    space: Space,
) {
    let pose = pose.map(|pose| space.pose(pose));
    put(
        positions,
        index,
        pose.map_or([f32::NAN; 3], |pose| pose.position),
    );
    put(
        rotations,
        index,
        pose.map_or([f32::NAN; 4], |pose| pose.rotation),
    );
}

/// Writes the row `index` of an array with `N` elements in each row. Does nothing if the array is empty, because its
/// part of the frame (such as the gaze) was not requested or does not exist.
fn put<T: Copy, const N: usize>(array: &mut [T], index: usize, row: [T; N]) {
    if let Some(place) = array.get_mut(index * N..(index + 1) * N) {
        place.copy_from_slice(&row);
    }
}

/// Fewer frames are sampled by one thread: starting another one takes as long.
const FRAMES_PER_THREAD: usize = 1024;

/// Samples a recording at `times` on all processors, and writes the values of the `joints` and streams into `arrays`.
fn fill(
    mut arrays: Arrays<'_>,
    sampler: &Sampler,
    times: &[f32],
    joints: &[Joint],
    space: Space,
    sizes: Sizes,
) {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let threads = (times.len() / FRAMES_PER_THREAD).clamp(1, processors);
    let piece = times.len().div_ceil(threads).max(1);
    std::thread::scope(|scope| {
        let mut pieces = times.chunks(piece).peekable();
        while let Some(times) = pieces.next() {
            let mut part = arrays.take(times.len(), sizes);
            if pieces.peek().is_some() {
                scope.spawn(move || part.fill(sampler, times, joints, space));
            } else {
                part.fill(sampler, times, joints, space);
            }
        }
    });
}

/// Returns a sampler that has at least the curves of the given joints and streams (head, left, right, gaze). It has all
/// curves if most of them are needed, or if such a sampler exists already.
fn sampler(
    recording: &NativeRecording,
    py: Python<'_>,
    joints: &[Joint],
    streams: [bool; 4],
) -> PyResult<Sampler> {
    let [head, left, right, gaze] = streams;
    let is_most = joints.len() > Joint::ALL.len() / 2 && left && right;
    if is_most || recording.cached_sampler().is_some() {
        return recording.sampler(py).cloned();
    }
    let file = Arc::clone(&recording.file);
    let joints = joints.to_vec();
    let work = move || {
        let content = file.content()?;
        let keeps = |path: CurvePath| match Element::from(path) {
            Element::Head => head,
            Element::Gaze => gaze,
            Element::Joint(Side::Left, joint) => left && joints.contains(&joint),
            Element::Joint(Side::Right, joint) => right && joints.contains(&joint),
            Element::Tracked(_) | Element::Pinching(_) => true,
            // The arrays have no devices.
            Element::Profile(_) | Element::DevicePose(..) | Element::Input(..) => false,
        };
        Ok::<_, Failure>(Sampler::of_curves(&content, keeps)?)
    };
    Ok(interruptible(py, recording.file.size(), work)??)
}

/// Frames of each processor between two looks for signals, some hundredths of a second.
const FRAMES_PER_LOOK: usize = 8192;

/// Does the same as [`fill`] without the interpreter's lock. Ctrl-C ends the call.
fn fill_interruptibly(
    py: Python<'_>,
    mut arrays: Arrays<'_>,
    sampler: &Sampler,
    times: &[f32],
    joints: &[Joint],
    space: Space,
    sizes: Sizes,
) -> PyResult<()> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    for times in times.chunks(FRAMES_PER_LOOK * processors) {
        let part = arrays.take(times.len(), sizes);
        py.detach(|| fill(part, sampler, times, joints, space, sizes));
        py.check_signals()?;
    }
    Ok(())
}

/// A device at chosen times: its name; its state, one byte each; its profiles; its poses as positions (time, 3) and rotations
/// (time, 4); its inputs, each with `true` if it is on or off, and single-precision numbers.
type DeviceArrays<'py> = (
    &'static str,
    Bound<'py, PyByteArray>,
    Vec<Option<String>>,
    Vec<(
        &'static str,
        Bound<'py, PyByteArray>,
        Bound<'py, PyByteArray>,
    )>,
    Vec<(&'static str, bool, Bound<'py, PyByteArray>)>,
);

#[pymethods]
impl NativeRecording {
    /// Samples devices at `times`, which are the bytes of single-precision numbers. `names` are the names of the devices.
    #[pyo3(signature = (times, names, *, space, raw, no_limits))]
    fn sample_devices<'py>(
        &self,
        py: Python<'py>,
        times: &[u8],
        names: Vec<String>,
        space: &str,
        raw: bool,
        no_limits: bool,
    ) -> PyResult<Vec<DeviceArrays<'py>>> {
        let space = names::space(space)?;
        let times = numbers(times);
        let is_named = move |device: DeviceName| names.iter().any(|name| name == device.as_str());
        let columns = self.result(py, move |content| {
            let keeps = |path: CurvePath| Element::from(path).device().is_some_and(&is_named);
            let curves = content.curves().filter(|(path, _)| keeps(*path)).count();
            let limits = limits(no_limits);
            limits.check_samples(times.len() as f64, 4 * curves as u64)?;
            let mut sampler = Sampler::of_curves(content, keeps)?;
            if raw {
                sampler = sampler.with_raw_rotations();
            }
            let mut devices = sampler.columns(times).devices;
            // Those without curves are always there.
            devices.retain(|device| is_named(device.name));
            Ok(devices)
        })?;
        let array = |numbers: &[f32]| PyByteArray::new(py, floats(numbers));
        let device = |mut device: DeviceColumns| {
            space.device_columns(&mut device);
            let active = device.active.iter().map(|&active| u8::from(active == 1.0));
            let active: Vec<u8> = active.collect();
            let profile = device.profile.iter();
            let poses = device.poses.iter().map(|(name, pose)| {
                let count = device.active.len();
                let (mut positions, mut rotations) = (Vec::new(), Vec::new());
                for index in 0..count {
                    positions.extend(pose.position.iter().map(|column| column[index]));
                    rotations.extend(pose.rotation.iter().map(|column| column[index]));
                }
                (name.as_str(), array(&positions), array(&rotations))
            });
            let inputs = device.inputs.iter();
            let inputs =
                inputs.map(|(name, input)| (name.as_str(), input.is_boolean, array(&input.values)));
            (
                device.name.as_str(),
                PyByteArray::new(py, &active),
                profile
                    .map(|profile| profile.as_deref().map(str::to_owned))
                    .collect(),
                poses.collect(),
                inputs.collect(),
            )
        };
        Ok(columns.into_iter().map(device).collect())
    }

    /// Returns the times at a rate in Hz from `start` to `end` in seconds, as the bytes of single-precision numbers.
    /// Without a start they begin at 0, and bounds beyond the recording are limited to it.
    fn times_at<'py>(
        &self,
        py: Python<'py>,
        start: Option<f32>,
        end: Option<f32>,
        rate: f64,
        no_limits: bool,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let is_rate = rate > 0.0 && rate <= TimeRange::MAX_RATE;
        if !is_rate {
            let message =
                format!("invalid rate: {rate} Hz (must be above 0 and at most 1,000,000)");
            return Err(Failure::invalid(message).into());
        }
        let played = self.file.content()?.covered_range();
        let first = start.or_else(|| end.is_none_or(|end| end >= 0.0).then_some(0.0));
        let TimeRange { start, end } =
            TimeRange::within(first, end, played).map_err(Failure::from)?;
        let count = (f64::from(end - start) * rate).floor() + 1.0;
        limits(no_limits)
            .check_samples(count, 4)
            .map_err(Failure::from)?;
        // Without a limit, a duration of years may still need more memory than there is.
        let mut times: Vec<f32> = Vec::new();
        // A float that is too large becomes the largest integer.
        if times.try_reserve(count as usize).is_err() {
            let message = format!("not enough memory for {count} times");
            return Err(Failure::invalid(message).into());
        }
        times.extend(TimeRange { start, end }.times_at(rate));
        Ok(PyBytes::new(py, floats(&times)))
    }

    /// Samples at `times`, which are the bytes of single-precision numbers. `joints` are indices, and `streams` states
    /// which of head, left hand, right hand and gaze are sampled; the values of a hand that is not sampled are NaN.
    /// Returns an array with the numbers of head, hands and gaze, and then the states. Also returns which of head,
    /// hands and gaze are in the array.
    #[pyo3(signature = (times, joints, streams, *, space, raw, untracked, no_limits))]
    #[allow(clippy::too_many_arguments)]
    fn sample<'py>(
        &self,
        py: Python<'py>,
        times: &[u8],
        joints: Vec<usize>,
        streams: [bool; 4],
        space: &str,
        raw: bool,
        untracked: bool,
        no_limits: bool,
    ) -> PyResult<(Bound<'py, PyByteArray>, [bool; 3])> {
        let joints = crate::samples::joints(&joints)?;
        let space = names::space(space)?;
        let mut sampler = sampler(self, py, &joints, streams)?;
        if raw {
            sampler = sampler.with_raw_rotations();
        }
        if untracked {
            sampler = sampler.with_untracked_joints();
        }
        let [head, left, right, gaze] = streams;
        let has_hands = self.file.content()?.hands.is_some();
        let sizes = Sizes {
            has_head: head && sampler.has_head(),
            has_hands: has_hands && (left || right),
            has_gaze: gaze && sampler.has_gaze(),
            joints: joints.len(),
        };
        let frame = 4 * (1 + sizes.floats()) + sizes.states();
        limits(no_limits)
            .check_samples((times.len() / 4) as f64, frame as u64)
            .map_err(Failure::from)?;
        let times = numbers(times);
        let floats = times.len() * sizes.floats();
        let length = 4 * floats + times.len() * sizes.states();
        let arrays = PyByteArray::new_with(py, length, |bytes| {
            let (numbers, states) = bytes.split_at_mut(4 * floats);
            let numbers = bytemuck::try_cast_slice_mut(numbers).map_err(|_| {
                Failure::invalid("the memory of this interpreter is not aligned for numbers")
            })?;
            let arrays = Arrays::new(numbers, states, times.len(), sizes);
            fill_interruptibly(py, arrays, &sampler, &times, &joints, space, sizes)
        })?;
        Ok((arrays, [sizes.has_head, sizes.has_hands, sizes.has_gaze]))
    }
}
