//! The class `Recorder`: frames in, a recording out.

use std::process;
use std::str::FromStr;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use inputanim::{
    DeviceFrame, DeviceName, Frame, HandFrame, Haptic, InputName, InputValue, InvalidName, Joint,
    Pose, PoseName, Ray, RecorderOptions, Side,
};
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::names;
use crate::recording::{NativeRecording, RecordingBytes};
use crate::samples::{joints, numbers};

/// Makes a recording from frames.
#[pyclass(name = "Recorder", module = "inputanim._native", frozen)]
pub(crate) struct NativeRecorder {
    recorder: Mutex<inputanim::Recorder>,
    /// The id of the process that made it.
    process: u32,
}

/// One hand over time: tracked and pinching (one byte each), the indices of joints, and their poses as single-precision
/// numbers (time, joint, 7).
type HandBytes = (Vec<u8>, Vec<u8>, Vec<usize>, Vec<u8>);

/// One hand over time.
struct HandArrays {
    tracked: Vec<u8>,
    pinching: Vec<u8>,
    joints: Vec<Joint>,
    poses: Vec<f32>,
}

impl HandArrays {
    fn new((tracked, pinching, indices, poses): HandBytes, frames: usize) -> Result<Self, Failure> {
        let hand = HandArrays {
            tracked,
            pinching,
            joints: joints(&indices)?,
            poses: numbers(&poses),
        };
        let states = [hand.tracked.len(), hand.pinching.len()];
        require_length("states", states[0], frames)?;
        require_length("states", states[1], frames)?;
        require_length("poses", hand.poses.len(), frames * hand.joints.len() * 7)?;
        Ok(hand)
    }

    fn frame(&self, index: usize) -> HandFrame {
        let mut hand = HandFrame {
            tracked: self.tracked[index] != 0,
            pinching: self.pinching[index] != 0,
            ..HandFrame::default()
        };
        let joints = self.joints.len();
        for (at, &joint) in self.joints.iter().enumerate() {
            hand.joints[joint] = pose(&self.poses, index * joints + at);
        }
        hand
    }
}

/// A device over time: its name; active, one byte for each frame; the profiles of the frames, or one for all; poses as
/// single-precision numbers (time, 7); inputs, each with `true` if it is on or off, and single-precision numbers (time).
type DeviceBytes = (
    String,
    Vec<u8>,
    Vec<Option<String>>,
    Vec<(String, Vec<u8>)>,
    Vec<(String, bool, Vec<u8>)>,
);

/// A device over time.
struct DeviceArrays {
    name: DeviceName,
    active: Vec<u8>,
    profiles: Vec<Option<Arc<str>>>,
    poses: Vec<(PoseName, Vec<f32>)>,
    inputs: Vec<(InputName, bool, Vec<f32>)>,
}

/// Parses the name of a device, a pose, an input or an output.
fn name<N: FromStr<Err = InvalidName>>(text: &str) -> Result<N, Failure> {
    text.parse()
        .map_err(|error: InvalidName| Failure::of("InvalidArgument", &error))
}

impl DeviceArrays {
    fn new(
        (device, active, profiles, poses, inputs): DeviceBytes,
        frames: usize,
    ) -> Result<Self, Failure> {
        require_length("states", active.len(), frames)?;
        if profiles.len() != 1 {
            require_length("profiles", profiles.len(), frames)?;
        }
        let mut arrays = DeviceArrays {
            name: name(&device)?,
            active,
            profiles: profiles
                .into_iter()
                .map(|profile| profile.map(Arc::from))
                .collect(),
            poses: Vec::new(),
            inputs: Vec::new(),
        };
        for (pose, bytes) in poses {
            let poses = numbers(&bytes);
            require_length("poses", poses.len(), 7 * frames)?;
            arrays.poses.push((name(&pose)?, poses));
        }
        for (input, is_boolean, bytes) in inputs {
            let values = numbers(&bytes);
            require_length("inputs", values.len(), frames)?;
            arrays.inputs.push((name(&input)?, is_boolean, values));
        }
        arrays.poses.sort_by_key(|(name, _)| *name);
        arrays.inputs.sort_by_key(|(name, ..)| *name);
        Ok(arrays)
    }

    fn frame(&self, index: usize) -> DeviceFrame {
        let mut device = DeviceFrame::new(self.name);
        device.active = self.active[index] != 0;
        if !device.active {
            return device;
        }
        let profile = self.profiles.get(index).or(self.profiles.first());
        device.profile = profile.cloned().flatten();
        for (name, poses) in &self.poses {
            let pose = pose(poses, index);
            device.poses.extend(pose.map(|pose| (*name, pose)));
        }
        for (name, is_boolean, values) in &self.inputs {
            let value = values[index];
            let input = if *is_boolean {
                InputValue::Boolean(value != 0.0)
            } else {
                InputValue::Float(value)
            };
            // NaN stands for an unknown value.
            device
                .inputs
                .extend((!value.is_nan()).then_some((*name, input)));
        }
        device
    }
}

/// Returns an error if an array does not have the expected number of numbers. `name` is the name of the array for the
/// message.
fn require_length(name: &str, found: usize, expected: usize) -> Result<(), Failure> {
    if found == expected {
        return Ok(());
    }
    Err(Failure::invalid(format!(
        "expected {expected} numbers of {name}, found {found}"
    )))
}

/// Returns the row with this index from an array with `N` numbers in each row; `None` if the row does not exist, or if
/// all of its numbers are NaN.
fn row<const N: usize>(numbers: &[f32], index: usize) -> Option<[f32; N]> {
    let row = numbers.get(index * N..(index + 1) * N)?;
    let row: [f32; N] = row.try_into().ok()?;
    (!row.iter().all(|value| value.is_nan())).then_some(row)
}

fn pose(numbers: &[f32], index: usize) -> Option<Pose> {
    let [x, y, z, rotation @ ..] = row::<7>(numbers, index)?;
    let position = [x, y, z];
    Some(Pose { position, rotation })
}

impl NativeRecorder {
    fn lock(&self) -> Result<MutexGuard<'_, inputanim::Recorder>, Failure> {
        /// The longest time that other threads of a forked process use a recorder.
        const PATIENCE: Duration = Duration::from_secs(5);
        if self.process == process::id() {
            return Ok(self.recorder.lock().unwrap_or_else(PoisonError::into_inner));
        }
        // A thread of the parent may have locked it during the fork. In this process it stays locked forever.
        let start = Instant::now();
        loop {
            match self.recorder.try_lock() {
                Ok(recorder) => return Ok(recorder),
                Err(TryLockError::Poisoned(error)) => return Ok(error.into_inner()),
                Err(TryLockError::WouldBlock) if start.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => {
                    let message =
                        "another thread was using the recorder when this process was forked";
                    let failure = Failure::of_class("RecordError", message);
                    return Err(failure.with_hint("make a recorder in this process"));
                }
            }
        }
    }

    fn written(&self, py: Python<'_>, seconds: Option<f32>) -> PyResult<NativeRecording> {
        let written = py.detach(|| {
            let recorder = self.lock()?;
            let mut content = match seconds {
                Some(seconds) => recorder.snapshot_last(seconds),
                None => recorder.snapshot(),
            };
            drop(recorder);
            RecordingBytes::of(&mut content)
        })?;
        Ok(NativeRecording::of_written(py, written))
    }
}

#[pymethods]
impl NativeRecorder {
    #[new]
    #[pyo3(signature = (layout, *, keep_last, max_rate, from_zero))]
    fn new(
        layout: &str,
        keep_last: Option<f32>,
        max_rate: Option<f64>,
        from_zero: bool,
    ) -> PyResult<NativeRecorder> {
        let mut options = RecorderOptions::new(names::layout(layout)?);
        options.keep_last = keep_last;
        options.max_rate = max_rate;
        options.from_zero = from_zero;
        let recorder = inputanim::Recorder::with_options(options).map_err(Failure::from)?;
        Ok(NativeRecorder {
            recorder: Mutex::new(recorder),
            process: process::id(),
        })
    }

    /// Adds frames from arrays, which are the bytes of single-precision numbers: `times` with the shape (time), `head`
    /// with the shape (time, 7), the hands, and `gaze` with the shape (time, 6). A pose or ray of which every number is
    /// NaN is not known. Returns the number of frames that were not dropped. The frames before an error stay recorded.
    #[pyo3(signature = (times, *, head, left, right, gaze, devices, space))]
    #[allow(clippy::too_many_arguments)]
    fn push(
        &self,
        py: Python<'_>,
        times: &[u8],
        head: Option<&[u8]>,
        left: Option<HandBytes>,
        right: Option<HandBytes>,
        gaze: Option<&[u8]>,
        devices: Vec<DeviceBytes>,
        space: &str,
    ) -> PyResult<usize> {
        let space = names::space(space)?;
        Ok(py.detach(|| {
            let times = numbers(times);
            let head = head.map(numbers).unwrap_or_default();
            let gaze = gaze.map(numbers).unwrap_or_default();
            if !head.is_empty() {
                require_length("the head", head.len(), 7 * times.len())?;
            }
            if !gaze.is_empty() {
                require_length("the gaze", gaze.len(), 6 * times.len())?;
            }
            let hand = |hand: Option<HandBytes>| {
                hand.map(|hand| HandArrays::new(hand, times.len()))
                    .transpose()
            };
            let hands = [hand(left)?, hand(right)?];
            let devices = devices.into_iter();
            let devices = devices.map(|device| DeviceArrays::new(device, times.len()));
            let mut devices = devices.collect::<Result<Vec<_>, Failure>>()?;
            devices.sort_by_key(|device| device.name);
            let mut recorder = self.lock()?;
            let mut recorded = 0;
            for (index, &time) in times.iter().enumerate() {
                let mut frame = Frame {
                    time,
                    head: pose(&head, index),
                    gaze: row::<6>(&gaze, index).map(|[x, y, z, direction @ ..]| {
                        let origin = [x, y, z];
                        Ray { origin, direction }
                    }),
                    ..Frame::default()
                };
                for (side, hand) in Side::BOTH.into_iter().zip(&hands) {
                    if let Some(hand) = hand {
                        *frame.hand_mut(side) = hand.frame(index);
                    }
                }
                let devices = devices.iter();
                frame.devices = devices.map(|device| device.frame(index)).collect();
                // Each space is its own inverse.
                recorded += usize::from(recorder.push(&space.frame(frame))?);
            }
            Ok::<_, Failure>(recorded)
        })?)
    }

    fn mark(&self, time: f32, name: String) -> PyResult<()> {
        Ok(self.lock()?.mark(time, name).map_err(Failure::from)?)
    }

    /// Adds a haptic pulse that the application asked for.
    #[allow(clippy::too_many_arguments)]
    fn haptic(
        &self,
        device: &str,
        time: f32,
        output: &str,
        duration: Option<f32>,
        frequency: Option<f32>,
        amplitude: f32,
    ) -> PyResult<()> {
        let haptic = Haptic {
            time,
            output: name(output)?,
            duration,
            frequency,
            amplitude,
        };
        let device = name(device)?;
        Ok(self.lock()?.haptic(device, haptic).map_err(Failure::from)?)
    }

    fn pause(&self) -> PyResult<()> {
        self.lock()?.pause();
        Ok(())
    }

    fn resume(&self) -> PyResult<()> {
        self.lock()?.resume();
        Ok(())
    }

    #[getter]
    fn is_paused(&self) -> PyResult<bool> {
        Ok(self.lock()?.is_paused())
    }

    #[getter]
    fn frames(&self) -> PyResult<usize> {
        Ok(self.lock()?.frames())
    }

    #[getter]
    fn seconds(&self) -> PyResult<f32> {
        Ok(self.lock()?.seconds())
    }

    /// Returns a recording of all frames until now, or of the last `seconds`. The recorder can continue.
    #[pyo3(signature = (seconds=None))]
    fn snapshot(&self, py: Python<'_>, seconds: Option<f32>) -> PyResult<NativeRecording> {
        self.written(py, seconds)
    }
}
