//! What a recorder records, and for how long.

use super::error::RecordError;
use crate::layout::Layout;

/// What a [`Recorder`](super::Recorder) records, and how much of it is kept.
///
/// ```
/// use inputanim::record::Settings;
/// use inputanim::{Layout, Recorder};
///
/// let last_minute = Settings { keep: Some(60.0), ..Settings::new(Layout::Mrtk1_1) };
/// let recorder = Recorder::with(last_minute)?;
/// # Ok::<(), inputanim::RecordError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What the recording is meant for.
    pub layout: Layout,
    /// Seconds of the rolling buffer: what is older is let go of. `None` keeps all.
    pub keep: Option<f32>,
    /// Most frames a second; those above are left out, none is moved. `None` takes all.
    pub rate: Option<f32>,
    /// Whether the first frame of the recording becomes t = 0. Else times stay as given.
    pub from_zero: bool,
}

impl Settings {
    /// As the toolkit records unless told otherwise: the last 30 seconds, at most 60 frames a
    /// second, from 0 on (docs/format.md, section 5.4).
    pub const MRTK: Settings = Settings {
        layout: Layout::Mrtk1_1,
        keep: Some(30.0),
        rate: Some(60.0),
        from_zero: true,
    };

    /// Every frame, for as long as there is memory, at the times given.
    pub const fn new(layout: Layout) -> Settings {
        Settings {
            layout,
            keep: None,
            rate: None,
            from_zero: false,
        }
    }

    pub(super) fn check(&self) -> Result<(), RecordError> {
        let numbers = [
            ("the length of the rolling buffer", self.keep),
            ("the rate", self.rate),
        ];
        for (what, value) in numbers {
            if let Some(value) = value
                && !(value > 0.0 && value.is_finite())
            {
                return Err(RecordError::Setting { what, value });
            }
        }
        Ok(())
    }
}
