//! Frames in, a recording out.
//!
//! Method: a frame is checked as a whole, then written as a row that holds only what is there, into
//! blocks that are never moved; rows become curves when a recording is asked for. A rolling buffer
//! fills its oldest blocks again, so that from some time on a frame allocates nothing.
//!
//! Guarantee: what a frame says is in the recording to the last bit, at the frame's time, but for
//! the sign of rotations: q and −q are the same rotation, and that one is stored which is nearer to
//! the last one of the same joint. A frame that is refused changes nothing.
//!
//! Cost: four bytes a number while recording; a copy and two looks at the frame for each.

mod clock;
mod contents;
mod curves;
mod encode;
mod error;
mod fault;
mod rate;
mod rotations;
mod row;
mod rows;
mod settings;

use std::fmt;

pub(crate) use clock::Clock;
use contents::Contents;
use curves::Curves;
pub(crate) use encode::Encoder;
pub use error::RecordError;
use rate::RateCap;
pub(crate) use row::Row;
use rows::Rows;
pub use settings::Settings;

use crate::frame::Frame;
use crate::layout::Layout;
use crate::marker::Marker;
use crate::recording::Recording;

/// Makes a recording from frames, key for key: nothing is left out or smoothed unless the
/// [`Settings`] ask for less.
///
/// Poses get a key in every frame that has them; joints only while their hand is tracked, as
/// the toolkit records them; tracked and pinching get a key where they change, and one at the end
/// if nothing else lasts as long. The recording always has hands, since a frame says of each
/// whether it is tracked; a camera or gaze that no frame has is absent.
///
/// ```
/// use inputanim::{Frame, Layout, Pose, Recorder};
///
/// let mut recorder = Recorder::new(Layout::Mrtk1_1);
/// for step in 0..3 {
///     recorder.push(&Frame {
///         time: step as f32 / 60.0,
///         camera: Some(Pose::at([0.0, 1.6, 0.0])),
///         ..Frame::default()
///     })?;
/// }
/// recorder.mark(0.02, "start")?;
/// let recording = recorder.finish();
/// assert_eq!(recording.camera.unwrap().position[1].keys.len(), 3);
/// # Ok::<(), inputanim::RecordError>(())
/// ```
///
/// A rolling buffer for "save the last 30 seconds", at any time and without stopping:
///
/// ```
/// use inputanim::record::Settings;
/// use inputanim::{Frame, Recorder};
///
/// let mut recorder = Recorder::with(Settings::MRTK)?;
/// for step in 0..6000 {
///     recorder.push(&Frame { time: 700.0 + step as f32 / 60.0, ..Frame::default() })?;
/// }
/// let recording = recorder.snapshot();
/// assert!((recording.duration() - 30.0).abs() < 0.1);
/// # Ok::<(), inputanim::RecordError>(())
/// ```
#[derive(Clone)]
pub struct Recorder {
    settings: Settings,
    clock: Clock,
    cap: Option<RateCap>,
    encoder: Encoder,
    rows: Rows,
    /// At times of the frames, not of the recording: a pause may be told of later.
    markers: Vec<Marker<'static>>,
    /// Of the last row.
    states: Option<u64>,
    is_paused: bool,
    has_rolled: bool,
}

impl Recorder {
    /// A recorder without frames that takes all, whose recording is meant for `layout`.
    pub fn new(layout: Layout) -> Recorder {
        Recorder::of(Settings::new(layout))
    }

    /// A recorder without frames.
    ///
    /// # Errors
    /// When the length of the rolling buffer or the rate is not above 0 and finite.
    pub fn with(settings: Settings) -> Result<Recorder, RecordError> {
        settings.check()?;
        Ok(Recorder::of(settings))
    }

    pub(crate) fn of(settings: Settings) -> Recorder {
        Recorder {
            settings,
            clock: Clock::new(settings.from_zero),
            cap: settings.rate.map(RateCap::new),
            encoder: Encoder::new(),
            rows: Rows::default(),
            markers: Vec::new(),
            states: None,
            is_paused: false,
            has_rolled: false,
        }
    }

    /// Records one frame, and tells whether it did: not while [paused](Self::pause), when a frame
    /// is not looked at, and not above the rate of the settings. A frame in which a hand is found
    /// or lost, or begins or ends to pinch, is recorded whatever the rate.
    ///
    /// # Errors
    /// When the time is not finite or does not grow, a number that would be recorded is not finite,
    /// or a rotation is 0 (that of [`Joint::None`](crate::Joint::None) may be). The recorder is then
    /// as it was.
    pub fn push(&mut self, frame: &Frame) -> Result<bool, RecordError> {
        if self.is_paused {
            return Ok(false);
        }
        let tick = self.clock.tick(frame.time)?;
        let states = Contents::without_poses(frame).states();
        let is_due = |cap: &RateCap| cap.is_due(frame.time);
        let is_wanted = self.cap.as_ref().is_none_or(is_due)
            || tick.is_first_of_stretch
            || self.states != Some(states);
        if !is_wanted {
            return Ok(false);
        }
        self.rows.push(self.encoder.encode(frame, tick.time)?);
        self.clock.take(&tick);
        self.states = Some(states);
        if let Some(cap) = &mut self.cap {
            cap.count(frame.time, tick.is_first_of_stretch);
        }
        if let Some(keep) = self.settings.keep {
            self.roll(f64::from(tick.time) - f64::from(keep));
        }
        Ok(true)
    }

    fn roll(&mut self, time: f64) {
        if !self.rows.roll(time) {
            return;
        }
        self.has_rolled = true;
        if let Some(first) = self.rows.first() {
            self.clock.forget(first.time);
            let clock = &self.clock;
            self.markers
                .retain(|marker| clock.place(marker.time) >= first.time);
        }
    }

    /// Adds a marker; markers keep the order in which they are added. Its time is of the frames'
    /// clock: what lies in a pause lies at the last frame before it in the recording.
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

    /// Records no frames until [`resume`](Self::resume). The time until then is left out of the
    /// recording: the first frame after it follows the last before it by the interval that the last
    /// two recorded frames had (1/60 s if there was only one), or by less if it comes sooner.
    pub fn pause(&mut self) {
        self.is_paused = true;
        self.clock.pause();
    }

    /// Records again.
    pub fn resume(&mut self) {
        self.is_paused = false;
    }

    /// Whether frames are not recorded.
    pub fn is_paused(&self) -> bool {
        self.is_paused
    }

    /// Throws away all frames and markers; the recorder is then as if it were new, not paused.
    pub fn discard(&mut self) {
        self.rows.clear();
        *self = Recorder {
            rows: std::mem::take(&mut self.rows),
            ..Recorder::of(self.settings)
        };
    }

    /// Frames that would be in a [snapshot](Self::snapshot).
    pub fn frames(&self) -> usize {
        self.rows.count()
    }

    /// From the first to the last of these frames, in seconds.
    pub fn seconds(&self) -> f32 {
        match (self.rows.first(), self.clock.now()) {
            (Some(first), Some(now)) => now - first.time,
            _ => 0.0,
        }
    }

    /// Where a time of the frames lies in the recording, for another record of the same frames:
    /// without pauses, and from the first frame on that was ever recorded if the settings say so.
    pub fn time_in_recording(&self, time: f32) -> f32 {
        self.clock.place(time)
    }

    /// The recording up to now, without stopping.
    pub fn snapshot(&self) -> Recording<'static> {
        self.snapshot_from(f64::NEG_INFINITY)
    }

    /// The recording of the last seconds, without stopping: from the last frame that is so old, if
    /// there is one that old.
    pub fn snapshot_last(&self, seconds: f32) -> Recording<'static> {
        let now = self.clock.now().unwrap_or(0.0);
        self.snapshot_from(f64::from(now) - f64::from(seconds.max(0.0)))
    }

    fn snapshot_from(&self, time: f64) -> Recording<'static> {
        let older = self
            .rows
            .iter()
            .take_while(|row| f64::from(row.time) <= time);
        let skipped = older.count().saturating_sub(1);
        let mut curves = self.curves(skipped);
        self.rows
            .iter()
            .skip(skipped)
            .for_each(|row| curves.add(row));
        let mut recording = curves.finish();
        recording.markers = self.markers(skipped);
        recording
    }

    /// The recording.
    pub fn finish(self) -> Recording<'static> {
        let mut curves = self.curves(0);
        let markers = self.markers(0);
        // Rows go as their keys come, so that both are never there as wholes.
        for block in self.rows.into_blocks() {
            block.rows().for_each(|row| curves.add(row));
        }
        let mut recording = curves.finish();
        recording.markers = markers;
        recording
    }

    /// Room for the rows from one on.
    fn curves(&self, skipped: usize) -> Curves {
        let rows = self.rows.iter().skip(skipped);
        Curves::for_rows(rows, self.settings.layout, self.origin(skipped))
    }

    /// What becomes 0 in a recording from some row on.
    fn origin(&self, skipped: usize) -> f64 {
        let first = self.rows.iter().nth(skipped);
        first
            .filter(|_| self.settings.from_zero)
            .map_or(0.0, |row| row.time.into())
    }

    /// The markers of a recording from some row on: those before it are gone if it is not the
    /// first that was ever recorded.
    fn markers(&self, skipped: usize) -> Vec<Marker<'static>> {
        let first = self.rows.iter().nth(skipped);
        let start = first
            .filter(|_| self.has_rolled || skipped > 0)
            .map(|row| row.time);
        let origin = self.origin(skipped);
        let placed = self.markers.iter().filter_map(|marker| {
            let time = self.clock.place(marker.time);
            let time = (start.is_none_or(|start| time >= start)).then_some(time)?;
            Some(Marker::new(
                (f64::from(time) - origin) as f32,
                marker.name.clone(),
            ))
        });
        placed.collect()
    }
}

impl fmt::Debug for Recorder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Recorder")
            .field("settings", &self.settings)
            .field("frames", &self.frames())
            .field("seconds", &self.seconds())
            .field("markers", &self.markers.len())
            .field("is_paused", &self.is_paused)
            .finish_non_exhaustive()
    }
}
