//! Options of a recorder.

use super::error::RecordError;
use crate::layout::Layout;
use crate::pauses::Pauses;

/// Options of a [`Recorder`](crate::Recorder).
///
/// ```
/// use inputanim::{Layout, Recorder, RecorderOptions};
///
/// let mut options = RecorderOptions::new(Layout::Mrtk1_1);
/// options.keep_last = Some(60.0);
/// let recorder = Recorder::with_options(options)?;
/// # Ok::<(), inputanim::RecordError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecorderOptions {
    /// Layout of the recording.
    pub layout: Layout,
    /// Length of the rolling buffer in seconds: the recorder drops older frames. `None` keeps all.
    pub keep_last: Option<f32>,
    /// Maximum number of frames per second: the recorder drops frames above it, and does not
    /// change the time of the others. `None` records all.
    pub max_rate: Option<f64>,
    /// `true` moves the first frame of the recording to t = 0; `false` keeps times as given.
    pub from_zero: bool,
    /// The meaning of a pose or gaze that a frame does not have although other frames have it.
    pub absence: Absence,
    /// The rule for time without frames: everything is unknown in a pause. It has no effect with [`Absence::NotSampled`],
    /// because each stream then has its own times.
    pub pauses: Pauses,
}

/// The meaning of a pose or gaze that a frame does not have although other frames have it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Absence {
    /// Its value is unknown from the last frame that has it to the next one: see [`Recording::known`].
    ///
    /// [`Recording::known`]: crate::Recording::known
    #[default]
    Unknown,
    /// It was not sampled at this time. Frames are made from streams with times of their own, so that the value is
    /// interpolated.
    NotSampled,
}

impl RecorderOptions {
    /// The defaults of MRTK's recorder: the last 30 seconds, at most 60 frames per second, from 0
    /// on (docs/format.md, section 5.4).
    pub const MRTK: RecorderOptions = RecorderOptions {
        layout: Layout::Mrtk1_1,
        keep_last: Some(30.0),
        max_rate: Some(60.0),
        from_zero: true,
        absence: Absence::Unknown,
        pauses: Pauses::Usual,
    };

    /// Returns options that record every frame at its given time, without a limit.
    pub const fn new(layout: Layout) -> RecorderOptions {
        RecorderOptions {
            layout,
            keep_last: None,
            max_rate: None,
            from_zero: false,
            absence: Absence::Unknown,
            pauses: Pauses::Usual,
        }
    }

    /// Fails if the length of the rolling buffer or the maximum rate is set to a number that is not finite and above 0.
    pub(super) fn check(&self) -> Result<(), RecordError> {
        let is_valid = |value: f64| value > 0.0 && value.is_finite();
        if let Some(seconds) = self.keep_last
            && !is_valid(seconds.into())
        {
            return Err(RecordError::InvalidBuffer(seconds));
        }
        if let Some(rate) = self.max_rate
            && !is_valid(rate)
        {
            return Err(RecordError::InvalidRate(rate));
        }
        Ok(())
    }
}

impl Default for RecorderOptions {
    /// Returns the options of [`RecorderOptions::new`] for [`Layout::Mrtk1_1`].
    fn default() -> Self {
        RecorderOptions::new(Layout::Mrtk1_1)
    }
}
