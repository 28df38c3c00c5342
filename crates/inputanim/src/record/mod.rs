//! Recording of frames.
//!
//! Method: a frame is checked and then stored as a row that holds only its present numbers, in blocks of memory that
//! never move. Rows become curves when a recording is requested. If the recorder stored curves, each frame would append
//! a key to up to 391 curves, and a rolling buffer would have to cut each of them. A rolling buffer reuses its oldest
//! blocks, so that a full one does not allocate.
//!
//! Guarantee: the recording has the numbers of each frame to the last bit, at the frame's time,
//! except for the signs of rotations: q and −q are the same rotation, and the recorder stores the
//! one in the hemisphere of the joint's last rotation. A refused frame changes nothing.
//!
//! Cost: four bytes for each number of a frame.

mod clock;
mod contents;
mod curves;
pub(crate) mod devices;
mod encode;
mod error;
mod fault;
mod gaps;
mod options;
mod rate;
mod rotations;
mod row;
mod rows;
mod unseen_hands;

use std::fmt;

pub(crate) use clock::Clock;
use contents::Contents;
use curves::RecordingBuilder;
use devices::DeviceLog;
pub(crate) use encode::Encoder;
pub use error::RecordError;
pub use options::{Absence, RecorderOptions};
use rate::RateCap;
pub(crate) use row::Row;
use rows::Rows;

use crate::device::{DeviceName, Haptic, InvalidHaptic};
use crate::frame::Frame;
use crate::layout::Layout;
use crate::marker::Marker;
use crate::order;
use crate::recording::Recording;

/// Makes a recording from frames. It stores every frame unless the [`RecorderOptions`] limit that,
/// and does not smooth or reduce.
///
/// A pose gets a key in every frame that has it; joints only while their hand is tracked, as MRTK
/// records them. `tracked` and `pinching` get a key where they change, and one at the end if no
/// other curve lasts as long. The poses and numbers of [devices](Frame::devices) get a key in every frame that has them, and buttons
/// where they change. The recording has a head or a gaze if any frame has one. It has hands unless the frames say nothing of them:
/// they are [unknown](crate::HandFrame::unknown) in all frames, or all frames have only devices. Then they are unknown in the
/// recording.
///
/// The numbers of a frame are stored to the last bit, except for the signs of rotations: q and −q
/// are the same rotation, and the recorder stores the one in the hemisphere of the joint's last
/// rotation. A full rolling buffer does not allocate.
///
/// ```
/// use inputanim::{Frame, Layout, Pose, Recorder};
///
/// let mut recorder = Recorder::new(Layout::Mrtk1_1);
/// for step in 0..3 {
///     recorder.push(&Frame {
///         time: step as f32 / 60.0,
///         head: Some(Pose::at([0.0, 1.6, 0.0])),
///         ..Frame::default()
///     })?;
/// }
/// recorder.mark(0.02, "start")?;
/// let recording = recorder.finish();
/// assert_eq!(recording.head.unwrap().position[1].keys.len(), 3);
/// # Ok::<(), inputanim::RecordError>(())
/// ```
///
/// A rolling buffer that can save the last 30 seconds at any time, without stopping:
///
/// ```
/// use inputanim::{Frame, Recorder, RecorderOptions};
///
/// let mut recorder = Recorder::with_options(RecorderOptions::MRTK)?;
/// for step in 0..6000 {
///     recorder.push(&Frame { time: 700.0 + step as f32 / 60.0, ..Frame::default() })?;
/// }
/// let recording = recorder.snapshot();
/// assert!((recording.duration() - 30.0).abs() < 0.1);
/// # Ok::<(), inputanim::RecordError>(())
/// ```
#[derive(Clone)]
pub struct Recorder {
    options: RecorderOptions,
    clock: Clock,
    cap: Option<RateCap>,
    encoder: Encoder,
    rows: Rows,
    devices: DeviceLog,
    /// The markers with times of the frames' clock, because a later pause changes their times in the recording.
    markers: Vec<Marker<'static>>,
    /// States of the last row.
    states: Option<u64>,
    is_paused: bool,
    has_dropped_rows: bool,
}

impl Recorder {
    /// Returns a recorder that stores all frames, for a recording in `layout`.
    pub fn new(layout: Layout) -> Recorder {
        Recorder::with_valid_options(RecorderOptions::new(layout))
    }

    /// Returns a recorder for frames that are made from several streams, each with times of its own: a pose that a frame does
    /// not have was not sampled at this time ([`Absence::NotSampled`]).
    pub fn of_streams(layout: Layout) -> Recorder {
        Recorder::with_valid_options(RecorderOptions {
            absence: Absence::NotSampled,
            ..RecorderOptions::new(layout)
        })
    }

    /// Returns a recorder with the given options.
    ///
    /// # Errors
    /// When the length of the rolling buffer or the maximum rate is not finite and above 0.
    pub fn with_options(options: RecorderOptions) -> Result<Recorder, RecordError> {
        options.check()?;
        Ok(Recorder::with_valid_options(options))
    }

    pub(crate) fn with_valid_options(options: RecorderOptions) -> Recorder {
        Recorder {
            options,
            clock: Clock::new(options.from_zero),
            cap: options.max_rate.map(RateCap::new),
            encoder: Encoder::new(),
            rows: Rows::default(),
            devices: DeviceLog::default(),
            markers: Vec::new(),
            states: None,
            is_paused: false,
            has_dropped_rows: false,
        }
    }

    /// Records one frame. Returns `false` if it drops the frame: while [paused](Self::pause), and above the maximum
    /// rate. While paused, it does not check frames. The maximum rate does not apply to a frame in which a hand is
    /// found or lost, or begins or ends a pinch, or the profile or a button of a device changes.
    ///
    /// # Errors
    /// When the time is not finite or not after the last frame, a number that would be recorded is
    /// not finite, or a rotation is 0 (allowed for [`Joint::None`](crate::Joint::None)). The
    /// recorder is then as it was before.
    pub fn push(&mut self, frame: &Frame) -> Result<bool, RecordError> {
        if self.is_paused {
            return Ok(false);
        }
        let tick = self.clock.tick(frame.time)?;
        // A frame that changes a state is recorded at any rate, so that states change at their exact
        // times.
        let states = Contents::without_poses(frame).states();
        // Frames without devices, which most recordings have, cost nothing here.
        let has_devices = self.devices.is_used() || !frame.devices.is_empty();
        let is_device_changed = has_devices && self.devices.prepare(&frame.devices, frame.time)?;
        let is_due = |cap: &RateCap| cap.is_due(frame.time);
        let is_wanted = self.cap.as_ref().is_none_or(is_due)
            || tick.is_first_of_stretch
            || self.states != Some(states)
            || is_device_changed;
        if !is_wanted {
            return Ok(false);
        }
        // The clock accepts the tick only once the frame is valid: a refused frame changes nothing.
        self.rows.push(self.encoder.encode(frame, tick.time)?);
        if has_devices {
            self.devices.push(tick.time);
        }
        self.clock.accept(&tick);
        self.states = Some(states);
        if let Some(cap) = &mut self.cap {
            cap.count(frame.time, tick.is_first_of_stretch);
        }
        if let Some(seconds) = self.options.keep_last {
            self.drop_before(f64::from(tick.time) - f64::from(seconds));
        }
        Ok(true)
    }

    fn drop_before(&mut self, time: f64) {
        if !self.rows.drop_before(time) {
            return;
        }
        self.has_dropped_rows = true;
        if let Some(first) = self.rows.first() {
            self.clock.forget(first.time);
            self.devices.drop_before(first.time);
            let clock = &self.clock;
            self.markers
                .retain(|marker| clock.to_recording(marker.time) >= first.time);
        }
    }

    /// Adds a marker at a time of the frames' clock, in seconds. A time in a pause becomes the time of the last frame
    /// before the pause. Markers keep the order in which they are added.
    ///
    /// # Errors
    /// When the time is not finite.
    pub fn mark(&mut self, time: f32, name: impl Into<String>) -> Result<(), RecordError> {
        if !time.is_finite() {
            return Err(RecordError::TimeNotFinite(time));
        }
        self.markers.push(Marker::new(time, name.into()));
        Ok(())
    }

    /// Adds a haptic pulse that the application asked for, at a time of the frames' clock. A time in a pause becomes the time of the
    /// last frame before the pause.
    ///
    /// # Errors
    /// When the pulse is [not valid](Haptic::check).
    pub fn haptic(&mut self, device: DeviceName, haptic: Haptic) -> Result<(), RecordError> {
        check_haptic(device, &haptic)?;
        self.devices.haptics.push((device, haptic));
        Ok(())
    }

    /// Drops frames until [`resume`](Self::resume), and removes the time until then from the
    /// recording: the first frame after the pause follows the last one before it by the interval of
    /// the last two recorded frames (1/60 s if there was only one), or by less if it comes sooner.
    ///
    /// ```
    /// use inputanim::{Frame, Layout, Recorder};
    /// let mut recorder = Recorder::new(Layout::Mrtk1_1);
    /// let at = |time| Frame { time, ..Frame::default() };
    /// recorder.push(&at(0.0))?;
    /// recorder.push(&at(0.5))?;
    /// recorder.pause();
    /// recorder.push(&at(7.0))?;
    /// recorder.resume();
    /// recorder.push(&at(9.0))?;
    /// assert_eq!(recorder.finish().duration(), 1.0);
    /// # Ok::<(), inputanim::RecordError>(())
    /// ```
    pub fn pause(&mut self) {
        self.is_paused = true;
        self.clock.pause();
    }

    /// Ends a [pause](Self::pause): the next frames are recorded again.
    pub fn resume(&mut self) {
        self.is_paused = false;
    }

    /// Returns `true` if the recorder is [paused](Self::pause).
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Drops all frames and markers. The recorder is then like a new one, and not paused.
    pub fn discard(&mut self) {
        self.rows.clear();
        *self = Recorder {
            // The blocks of memory are kept for the next frames.
            rows: std::mem::take(&mut self.rows),
            ..Recorder::with_valid_options(self.options)
        };
    }

    /// Returns the number of frames that a [snapshot](Self::snapshot) would contain.
    pub fn frames(&self) -> usize {
        self.rows.count()
    }

    /// Returns the time from the first to the last frame of a [snapshot](Self::snapshot), in seconds.
    pub fn seconds(&self) -> f32 {
        match (self.rows.first(), self.clock.now()) {
            (Some(first), Some(now)) => now - first.time,
            _ => 0.0,
        }
    }

    /// Converts a time of the frames' clock to a time of the recording, in seconds: without pauses,
    /// and from the first frame ever recorded if [`RecorderOptions::from_zero`] is set. Other
    /// records of the same frames can use it to stay in step.
    pub fn time_in_recording(&self, time: f32) -> f32 {
        self.clock.to_recording(time)
    }

    /// Returns the recording of all frames that the recorder has kept until now, without stopping.
    pub fn snapshot(&self) -> Recording<'static> {
        self.snapshot_from(f64::NEG_INFINITY)
    }

    /// Returns the recording of the last `seconds`, without stopping. It begins with the last frame
    /// that is at least that old, if any.
    ///
    /// ```
    /// use inputanim::{Frame, Layout, Pose, Recorder};
    /// let mut recorder = Recorder::new(Layout::Mrtk1_1);
    /// for step in 0..=100 {
    ///     let head = Some(Pose::IDENTITY);
    ///     recorder.push(&Frame { time: step as f32, head, ..Frame::default() })?;
    /// }
    /// let range = recorder.snapshot_last(10.0).time_range().unwrap();
    /// assert_eq!((range.start, range.end), (90.0, 100.0));
    /// # Ok::<(), inputanim::RecordError>(())
    /// ```
    pub fn snapshot_last(&self, seconds: f32) -> Recording<'static> {
        let now = self.clock.now().unwrap_or(0.0);
        self.snapshot_from(f64::from(now) - f64::from(seconds.max(0.0)))
    }

    fn snapshot_from(&self, time: f64) -> Recording<'static> {
        let older = self
            .rows
            .iter()
            .take_while(|row| f64::from(row.time) <= time);
        // The last row at or before the time stays, so that the recording covers the requested
        // time.
        let skipped = older.count().saturating_sub(1);
        let mut builder = self.builder(skipped);
        self.rows
            .iter()
            .skip(skipped)
            .for_each(|row| builder.add(row));
        let (mut recording, seen) = builder.finish();
        recording.markers = self.markers(skipped);
        self.add_devices(&mut recording, skipped);
        seen.remove_unseen_hands(&mut recording);
        recording
    }

    /// Ends the recorder and returns the recording of all frames that it has kept.
    pub fn finish(self) -> Recording<'static> {
        let mut builder = self.builder(0);
        let markers = self.markers(0);
        let mut devices = Recording::new(self.options.layout);
        self.add_devices(&mut devices, 0);
        // Frees each block once its keys exist, so that rows and keys are never both in memory.
        for block in self.rows.into_blocks() {
            block.rows().for_each(|row| builder.add(row));
        }
        let (mut recording, seen) = builder.finish();
        recording.markers = markers;
        recording.devices = devices.devices;
        recording.known.add_all(&devices.known);
        seen.remove_unseen_hands(&mut recording);
        recording
    }

    /// Adds the devices of all recorded frames but the first `skipped`.
    fn add_devices(&self, recording: &mut Recording<'static>, skipped: usize) {
        if self.devices.is_empty() {
            return;
        }
        let times: Vec<f32> = self.rows.iter().skip(skipped).map(|row| row.time).collect();
        let Some(&first) = times.first() else {
            return;
        };
        let has_gaps = self.options.absence == Absence::Unknown;
        let pauses = if has_gaps {
            self.options.pauses.in_times(&times)
        } else {
            Vec::new()
        };
        let origin = self.origin(skipped);
        let (devices, known) = self.devices.build(first, origin, &pauses, has_gaps);
        recording.devices = devices;
        recording.known.add_all(&known);
        let is_cut = self.has_dropped_rows || skipped > 0;
        for (name, haptic) in &self.devices.haptics {
            let time = self.clock.to_recording(haptic.time);
            if !is_cut || time >= first {
                let time = (f64::from(time) - origin) as f32;
                recording
                    .device_mut(*name)
                    .haptics
                    .push(Haptic { time, ..*haptic });
            }
        }
        for device in &mut recording.devices {
            order::sort_by_time(&mut device.haptics, |pulse| pulse.time);
        }
    }

    /// Returns a builder without keys, with memory for the keys of all recorded frames but the first `skipped`.
    fn builder(&self, skipped: usize) -> RecordingBuilder {
        let rows = self.rows.iter().skip(skipped);
        RecordingBuilder::for_rows(rows, self.options, self.origin(skipped))
    }

    /// Returns the time in seconds that becomes 0 in a recording without the first `skipped` frames; 0 if times are
    /// kept as given.
    fn origin(&self, skipped: usize) -> f64 {
        let first = self.rows.iter().nth(skipped);
        first
            .filter(|_| self.options.from_zero)
            .map_or(0.0, |row| row.time.into())
    }

    /// Returns the markers of a recording without the first `skipped` frames, with their times in that recording.
    /// Markers before its first frame are dropped unless that frame is the first one ever recorded.
    fn markers(&self, skipped: usize) -> Vec<Marker<'static>> {
        let first = self.rows.iter().nth(skipped);
        let start = first
            .filter(|_| self.has_dropped_rows || skipped > 0)
            .map(|row| row.time);
        let origin = self.origin(skipped);
        let placed = self.markers.iter().filter_map(|marker| {
            let time = self.clock.to_recording(marker.time);
            let time = (start.is_none_or(|start| time >= start)).then_some(time)?;
            Some(Marker::new(
                (f64::from(time) - origin) as f32,
                marker.name.clone(),
            ))
        });
        placed.collect()
    }
}

/// Checks a haptic pulse.
///
/// # Errors
/// When it is [not valid](Haptic::check).
pub(crate) fn check_haptic(device: DeviceName, haptic: &Haptic) -> Result<(), RecordError> {
    let checked = haptic.check();
    checked.map_err(|InvalidHaptic(haptic)| RecordError::InvalidHaptic { device, haptic })
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("options", &self.options)
            .field("frames", &self.frames())
            .field("seconds", &self.seconds())
            .field("markers", &self.markers.len())
            .field("is_paused", &self.is_paused)
            .finish_non_exhaustive()
    }
}
