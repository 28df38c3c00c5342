//! The class `Recorder`: frames in, a recording out.

use std::process;
use std::sync::{Mutex, MutexGuard, PoisonError, TryLockError};
use std::thread;
use std::time::{Duration, Instant};

use inputanim::{Frame, HandFrame, Joint, Pose, Ray, RecorderOptions, Side, Space};
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

    fn frame(&self, index: usize, space: Space) -> HandFrame {
        let mut hand = HandFrame {
            tracked: self.tracked[index] != 0,
            pinching: self.pinching[index] != 0,
            ..HandFrame::default()
        };
        let joints = self.joints.len();
        for (at, &joint) in self.joints.iter().enumerate() {
            hand.joints[joint] = pose(&self.poses, index * joints + at, space);
        }
        hand
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

fn pose(numbers: &[f32], index: usize, space: Space) -> Option<Pose> {
    let [x, y, z, rotation @ ..] = row::<7>(numbers, index)?;
    let position = [x, y, z];
    // Each space is its own inverse.
    Some(space.pose(Pose { position, rotation }))
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
    #[pyo3(signature = (times, *, head, left, right, gaze, space))]
    #[allow(clippy::too_many_arguments)]
    fn push(
        &self,
        py: Python<'_>,
        times: &[u8],
        head: Option<&[u8]>,
        left: Option<HandBytes>,
        right: Option<HandBytes>,
        gaze: Option<&[u8]>,
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
            let mut recorder = self.lock()?;
            let mut recorded = 0;
            for (index, &time) in times.iter().enumerate() {
                let mut frame = Frame {
                    time,
                    head: pose(&head, index, space),
                    gaze: row::<6>(&gaze, index).map(|[x, y, z, direction @ ..]| {
                        let origin = [x, y, z];
                        space.ray(Ray { origin, direction })
                    }),
                    ..Frame::default()
                };
                for (side, hand) in Side::BOTH.into_iter().zip(&hands) {
                    if let Some(hand) = hand {
                        *frame.hand_mut(side) = hand.frame(index, space);
                    }
                }
                recorded += usize::from(recorder.push(&frame)?);
            }
            Ok::<_, Failure>(recorded)
        })?)
    }

    fn mark(&self, time: f32, name: String) -> PyResult<()> {
        Ok(self.lock()?.mark(time, name).map_err(Failure::from)?)
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
