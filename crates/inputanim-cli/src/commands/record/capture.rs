//! The recording in progress.

use std::sync::Arc;

use anyhow::Error;
use inputanim::{Frame, Limits, Marker, RecordError, Recorder, Side, Space};
use inputanim_convert::Loss;
use inputanim_convert::frames::Event;
use inputanim_convert::tables::TableError;

use crate::messages::hints;
use crate::messages::outcome::Refusal;
use crate::messages::text::{count, seconds};
use crate::server::live::Live;

use super::Args;
use super::journal::Journal;
use super::size_estimate::SizeEstimate;

/// The effect of a line on the recording.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    Next,
    End,
}

/// The recording so far.
pub(super) struct Capture {
    pub(super) recorder: Recorder,
    pub(super) journal: Option<Journal>,
    /// The pages that show the recording.
    live: Option<Arc<Live>>,
    space: Space,
    max_seconds: Option<f32>,
    skips_bad: bool,
    limits: Limits,
    size: SizeEstimate,
    /// The time of the first frame that was recorded, in seconds.
    first: Option<f32>,
    /// The hands that are tracked in the last frame.
    pub(super) tracked: [bool; 2],
    above_rate: u64,
    /// The number of frames with a position far from the origin ([`FAR`]).
    far: u64,
    bad: u64,
    first_bad: Option<String>,
    /// The poses that are unknown because no rotation can be computed.
    pub(super) loss: Option<Loss>,
}

/// From this time on, in seconds, single precision may not separate the times of two frames.
// The step between two values of an f32 is 1/256 s above 32,768 s, and 1/128 s above 65,536 s.
const LATE: f32 = 50_000.0;

const FROM_ZERO: &str =
    "times of this size are not precise enough; --from-zero counts from the first frame";

const SKIP: &str = "--skip-bad skips such lines";

pub(super) const ENDED_EARLY: &str = "the program that prints the frames has ended early";

const FORMAT: &str =
    "docs/frames.md and `inputanim sample --format ndjson` show the format of frames";

const NO_TIME: &str = "each frame needs its time in seconds, with the name `time`; --map time_s=NAME \
                       reads another name, --map 'time_s=NAME*1e-3' milliseconds";

/// From this distance from the origin on, in metres, positions are probably not in metres.
const FAR: f32 = 20.0;

impl Capture {
    pub(super) fn new(
        recorder: Recorder,
        journal: Option<Journal>,
        live: Option<Arc<Live>>,
        args: &Args,
        limits: &Limits,
    ) -> Capture {
        Capture {
            recorder,
            journal,
            live,
            space: args.space,
            max_seconds: args.max_seconds,
            skips_bad: args.rows.skip_bad,
            limits: *limits,
            size: SizeEstimate::new(&args.keep.settings()),
            first: None,
            tracked: [false; 2],
            above_rate: 0,
            far: 0,
            bad: 0,
            first_bad: None,
            loss: None,
        }
    }

    /// Records the frame or marker of an input line; `line` is its number. Returns [`Step::End`] if the recording has
    /// reached `--max-seconds`. An invalid frame or marker is an error, which ends the recording, or is skipped with
    /// `--skip-bad`.
    pub(super) fn event(&mut self, line: u64, event: Event) -> anyhow::Result<Step> {
        let recorded = match event {
            Event::Frame(frame) => self.frame(*frame),
            Event::Marker(marker) => self.marker(marker),
        };
        let step = match recorded {
            Ok(step) => step,
            Err(error) => self.bad(format!("line {line}: {error}"), hint_of(&error))?,
        };
        self.check_size(&format!("line {line}"))?;
        Ok(step)
    }

    /// Fails if the recording is so large that it could be written, but not read again without `--no-limits`.
    /// `place` says where this happened: `line 7`.
    fn check_size(&self, place: &str) -> anyhow::Result<()> {
        if self.size.is_within(&self.limits, self.recorder.frames()) {
            return Ok(());
        }
        Err(Refusal::failure(
            format!("{place}: the recording exceeds the size limit"),
            "--keep-last records only the last seconds, --no-limits lifts the limit",
        ))
    }

    fn frame(&mut self, frame: Frame) -> Result<Step, RecordError> {
        let mut frame = self.space.frame(frame);
        let age = self.first.map_or(0.0, |first| frame.time - first);
        if self.max_seconds.is_some_and(|limit| age > limit) {
            return Ok(Step::End);
        }
        if self.recorder.push(&frame)? {
            self.first.get_or_insert(frame.time);
            self.size.add_frame(&frame);
            self.far += u64::from(is_far(&frame));
            self.tracked = Side::BOTH.map(|side| frame.hand(side).tracked);
            // A recovered session and the pages must have the same times as the output.
            frame.time = self.recorder.time_in_recording(frame.time);
            if let Some(journal) = &mut self.journal {
                journal.push(&frame);
            }
            if let Some(live) = &self.live {
                live.frame(&frame);
            }
        } else {
            self.above_rate += 1;
        }
        // A frame at exactly the limit is the last one. Without this, the end would wait for the
        // next.
        if self.max_seconds.is_some_and(|limit| age >= limit) {
            Ok(Step::End)
        } else {
            Ok(Step::Next)
        }
    }

    fn marker(&mut self, mut marker: Marker<'static>) -> Result<Step, RecordError> {
        // A session must contain the same markers as the recording, so the recorder decides first.
        self.recorder.mark(marker.time, &*marker.name)?;
        self.size.add_marker(&marker);
        marker.time = self.recorder.time_in_recording(marker.time);
        if let Some(journal) = &mut self.journal {
            journal.mark(marker.time, &marker.name);
        }
        if let Some(live) = &self.live {
            live.mark(&marker);
        }
        Ok(Step::Next)
    }

    /// Records a marker that a page of `--view` has sent. Its time is a time of the recording, in seconds.
    pub(super) fn page_marker(&mut self, mut marker: Marker<'static>) -> anyhow::Result<()> {
        // Without pauses, both clocks differ by a constant.
        marker.time -= self.recorder.time_in_recording(0.0);
        self.marker(marker)?;
        self.check_size("a marker of the page")
    }

    /// Handles an input line that is neither a frame nor a marker: skips it with `--skip-bad`, otherwise returns an
    /// error, which ends the recording.
    pub(super) fn bad_text(&mut self, error: TableError) -> anyhow::Result<Step> {
        // After such an error no further line can be read, so it cannot be skipped.
        if error.is_final() {
            return Err(error.into());
        }
        // The hint of this error has the name of the column.
        if matches!(error, TableError::MissingColumns { .. }) && !self.skips_bad {
            return Err(error.into());
        }
        let hint = match &error {
            TableError::Missing { column, .. } if column == "time" || column == "time_s" => NO_TIME,
            TableError::Unknown { kind, names, .. } => hints::of_unknown(*kind, names),
            TableError::Truncated { .. } => ENDED_EARLY,
            // The first line is more likely of another format than damaged.
            _ if self.first.is_none() => FORMAT,
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

    /// Returns the number of recorded frames, including those that `--keep-last` has dropped.
    pub(super) fn recorded(&self) -> u64 {
        self.size.frames
    }

    /// Estimates the size of the output in bytes.
    pub(super) fn bytes(&self) -> u64 {
        self.size.bytes_of(self.recorder.frames())
    }

    /// Describes the length and the contents of the recording: `3.000 s, 180 frames, 2 markers`.
    pub(super) fn summary(&self) -> String {
        let length = seconds(self.recorder.seconds());
        let frames = count(self.recorder.frames(), "frame");
        let mut summary = format!("{length} s, {frames}");
        if self.size.markers() > 0 {
            summary += &format!(", {}", count(self.size.markers(), "marker"));
        }
        if self.above_rate > 0 {
            let frames = count(self.above_rate as usize, "frame");
            summary += &format!(" ({frames} above the rate dropped)");
        }
        summary
    }

    /// Returns notes on times and positions that are probably in other units.
    pub(super) fn unit_notes(&self) -> Vec<String> {
        const MIN_FRAMES: u64 = 10;
        let (frames, length) = (self.recorded(), self.recorder.seconds());
        let mut notes = Vec::new();
        if frames < MIN_FRAMES {
            return notes;
        }
        if frames as f32 + self.above_rate as f32 <= length {
            let note = "fewer than 1 frame per second; if the times are in milliseconds: \
                        --map 'time_s=NAME*1e-3'";
            notes.push(note.to_owned());
        }
        if self.far * 2 > frames {
            let frames = count(self.far as usize, "frame");
            notes.push(format!(
                "positions beyond {FAR} m in {frames}; positions must be in metres"
            ));
        }
        notes
    }

    /// Returns a message with the number of skipped rows and the error of the first one, worded as in `convert`. `None`
    /// if no row was skipped.
    pub(super) fn skipped_rows_message(&self) -> Option<String> {
        let first = self.first_bad.as_ref()?;
        let rows = count(self.bad as usize, "row");
        Some(match self.bad {
            1 => format!("{rows} skipped: {first}"),
            _ => format!("{rows} skipped; the first: {first}"),
        })
    }
}

fn is_far(frame: &Frame) -> bool {
    let joints = Side::BOTH
        .into_iter()
        .flat_map(|side| frame.hand(side).joints.iter());
    let poses = joints.filter_map(|(_, pose)| *pose).chain(frame.head);
    poses
        .flat_map(|pose| pose.position)
        .any(|number| number.abs() > FAR)
}

fn hint_of(error: &RecordError) -> &'static str {
    match error {
        RecordError::TimeNotAfter { time, .. } if *time > LATE => FROM_ZERO,
        _ => SKIP,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Parser;
    use inputanim::Layout;

    #[derive(Parser)]
    struct Cli {
        #[command(flatten)]
        args: Args,
    }

    #[test]
    fn a_marker_that_is_refused_does_not_reach_the_session() {
        let folder = tempfile::tempdir().unwrap();
        let session = folder.path().join("take.session");
        let Cli { args } = Cli::parse_from(["record", "--skip-bad", "-o", "take.bin"]);
        let journal = Journal::create(&session, Layout::Mrtk1_1).unwrap();
        let recorder = Recorder::new(Layout::Mrtk1_1);
        let mut capture = Capture::new(recorder, Some(journal), None, &args, &Limits::default());
        let frame = Event::Frame(Box::default());
        capture.event(1, frame).unwrap();
        for time in [f32::NAN, 0.5] {
            let marker = Event::Marker(Marker::new(time, "start"));
            capture.event(2, marker).unwrap();
        }
        capture.journal.take().map(Journal::finish);
        let bytes = std::fs::read(&session).unwrap();
        let saved = inputanim::session::recover(&bytes, &Limits::default()).unwrap();
        assert_eq!(saved.recording.markers, [Marker::new(0.5, "start")]);
        assert_eq!(capture.size.markers(), 1);
    }
}
