//! The recorder, and what is told of it.

use anyhow::Error;
use inputanim::{Frame, Limits, Marker, RecordError, Recorder, Side, Space};
use inputanim_convert::frames::{self, Event};

use crate::outcome::Refusal;
use crate::text::{count, seconds};

use super::Args;
use super::journal::Journal;
use super::size::Size;

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Next,
    End,
}

/// What is recorded so far.
pub(super) struct Take {
    pub(super) recorder: Recorder,
    pub(super) journal: Option<Journal>,
    space: Space,
    max_seconds: Option<f32>,
    skips_bad: bool,
    limits: Limits,
    size: Size,
    /// The time of the first frame that was recorded.
    first: Option<f32>,
    /// Which hands the last frame has.
    pub(super) tracked: [bool; 2],
    above_rate: u64,
    bad: u64,
    first_bad: Option<String>,
}

/// From here on, in seconds, times of frames may be too close together for single precision.
const LATE: f32 = 50_000.0;

const FROM_ZERO: &str =
    "times so great lie too close together: --from-zero counts from the first frame";

pub(super) const IGNORE: &str = "--ignore-unknown passes over what means nothing";

const SKIP: &str = "--skip-bad leaves out such lines and goes on";

impl Take {
    pub(super) fn new(
        recorder: Recorder,
        journal: Option<Journal>,
        args: &Args,
        limits: &Limits,
    ) -> Take {
        Take {
            recorder,
            journal,
            space: args.space,
            max_seconds: args.max_seconds,
            skips_bad: args.skip_bad,
            limits: *limits,
            size: Size::new(&args.keep.settings()),
            first: None,
            tracked: [false; 2],
            above_rate: 0,
            bad: 0,
            first_bad: None,
        }
    }

    /// Records what stands in a line; an error ends the recording.
    pub(super) fn event(&mut self, line: u64, event: Event) -> anyhow::Result<Step> {
        let recorded = match event {
            Event::Frame(frame) => self.frame(*frame),
            Event::Marker(marker) => self.marker(marker),
        };
        let step = match recorded {
            Ok(step) => step,
            Err(error) => self.bad(format!("line {line}: {error}"), hint_of(&error))?,
        };
        if !self.size.is_within(&self.limits, self.recorder.frames()) {
            return Err(Refusal::failure(
                format!("line {line}: from here on it would be larger than a recording may be"),
                "--keep lets go of what is older, --no-limits goes on all the same",
            ));
        }
        Ok(step)
    }

    fn frame(&mut self, frame: Frame) -> Result<Step, RecordError> {
        let mut frame = self.space.frame(frame);
        let age = self.first.map_or(0.0, |first| frame.time - first);
        if self.max_seconds.is_some_and(|most| age > most) {
            return Ok(Step::End);
        }
        match self.recorder.push(&frame)? {
            true => {
                self.first.get_or_insert(frame.time);
                self.size.add_frame(&frame);
                self.tracked = Side::BOTH.map(|side| frame.hand(side).tracked);
                if let Some(journal) = &mut self.journal {
                    frame.time = self.recorder.time_in_recording(frame.time);
                    journal.push(&frame);
                }
            }
            false => self.above_rate += 1,
        }
        match self.max_seconds.is_some_and(|most| age >= most) {
            true => Ok(Step::End),
            false => Ok(Step::Next),
        }
    }

    fn marker(&mut self, marker: Marker<'static>) -> Result<Step, RecordError> {
        self.size.add_marker(&marker);
        if let Some(journal) = &mut self.journal {
            journal.mark(self.recorder.time_in_recording(marker.time), &marker.name);
        }
        self.recorder.mark(marker.time, marker.name)?;
        Ok(Step::Next)
    }

    /// Deals with a line that is no frame.
    pub(super) fn bad_text(&mut self, error: frames::Error) -> anyhow::Result<Step> {
        if error.is_final() {
            return Err(error.into());
        }
        let hint = match error {
            frames::Error::Unknown { .. } => IGNORE,
            frames::Error::Torn { .. } => "the program that prints the frames ended early",
            _ => SKIP,
        };
        self.bad(error.to_string(), hint)
    }

    fn bad(&mut self, what: String, hint: &'static str) -> Result<Step, Error> {
        if !self.skips_bad {
            return Err(Refusal::failure(what, hint));
        }
        self.bad += 1;
        self.first_bad.get_or_insert(what);
        Ok(Step::Next)
    }

    /// All frames that were recorded, also those that are not kept any more.
    pub(super) fn recorded(&self) -> u64 {
        self.size.frames
    }

    /// About so many bytes would be written.
    pub(super) fn bytes(&self) -> u64 {
        self.size.bytes_of(self.recorder.frames())
    }

    /// What there is.
    pub(super) fn summary(&self) -> String {
        let length = seconds(self.recorder.seconds());
        let frames = count(self.recorder.frames(), "frame");
        let mut summary = format!("{length} s, {frames}");
        if self.size.markers() > 0 {
            summary += &format!(", {}", count(self.size.markers(), "marker"));
        }
        if self.above_rate > 0 {
            let frames = count(self.above_rate as usize, "frame");
            summary += &format!(" ({frames} above the rate left out)");
        }
        summary
    }

    /// What was left out because it could not be recorded.
    pub(super) fn left_out(&self) -> Option<String> {
        let first = self.first_bad.as_ref()?;
        let lines = count(self.bad as usize, "line");
        Some(match self.bad {
            1 => format!("{lines} left out: {first}"),
            _ => format!("{lines} left out, the first: {first}"),
        })
    }
}

fn hint_of(error: &RecordError) -> &'static str {
    match error {
        RecordError::TimeNotAfter { time, .. } if *time > LATE => FROM_ZERO,
        _ => SKIP,
    }
}
