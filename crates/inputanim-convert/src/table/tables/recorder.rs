//! Frames and markers of a wide table, recorded within limits.

use inputanim::{Frame, HandFrame, Layout, RecordError, Recorder, Recording, Side, Space};

use super::Place;
use super::skipped::SkippedRows;
use crate::shared::ReadField;
use crate::shared::in_order::in_order;
use crate::shared::limits::check_limit;
use crate::shared::one_time::{OneAtATime, Waiting};
use crate::shared::pauses::frame_recorder;
use crate::shared::unseen_hands::forget_unseen_hands;
use crate::shared::{Error, LossKind, ReadOptions, Report};
use crate::table::frames::{Event, FrameOptions, Reader, TextFormat};
use crate::table::table_error::TableError;

/// A recorder that counts keys and markers.
pub(super) struct TableRecorder<'o> {
    options: &'o ReadOptions,
    space: Space,
    recorder: Recorder,
    /// The frames at one time, each with its place.
    frames: OneAtATime<Place>,
    keys: u64,
    markers: u64,
    /// The bytes of the names of markers. They are limited, because many rows of a small table may share one long name.
    bytes: u64,
    /// Poses and rays with a number that is not finite.
    not_finite: usize,
    skipped: SkippedRows,
    /// The times of all frames, if rows are skipped.
    times: Vec<f64>,
    /// The frames that are recorded; all if `None`. The others are out of order.
    keep: Option<Vec<bool>>,
    is_out_of_order: bool,
}

impl TableRecorder<'_> {
    /// Creates a recorder. `layout` and `space` are what the table states; the options take precedence over them. If
    /// neither states them, they are [`Layout::Mrtk1_1`] and [`Space::Unity`].
    pub(super) fn new(
        layout: Option<Layout>,
        space: Option<Space>,
        options: &ReadOptions,
    ) -> TableRecorder<'_> {
        let layout = options.layout.or(layout).unwrap_or(Layout::Mrtk1_1);
        TableRecorder {
            options,
            space: options.space.or(space).unwrap_or_default(),
            recorder: frame_recorder(layout, options),
            frames: OneAtATime::default(),
            keys: 0,
            markers: 0,
            bytes: 0,
            not_finite: 0,
            skipped: SkippedRows::new(options.skip_bad),
            times: Vec::new(),
            keep: None,
            is_out_of_order: false,
        }
    }

    /// Records only some of the frames, because the others are out of order: see [`in_order`](Self::in_order).
    pub(super) fn keep(&mut self, keep: Option<Vec<bool>>) {
        self.keep = keep;
    }

    /// Returns the frames that are in order if some are not, and rows are skipped. Without a second reading of only these
    /// frames, a time that is far too large would cost all frames after it.
    pub(super) fn in_order(&self) -> Option<Vec<bool>> {
        (self.is_out_of_order && self.keep.is_none()).then(|| in_order(&self.times))
    }

    /// Counts a row as skipped if the options skip bad rows and `error` concerns only this row. Otherwise, returns
    /// `error`.
    pub(super) fn skip(&mut self, error: Error) -> Result<(), Error> {
        if let Error::Format(error) = &error
            && let Some(TableError::Record {
                source: RecordError::TimeNotAfter { .. },
                ..
            }) = error.downcast_ref()
        {
            self.is_out_of_order = true;
        }
        self.skipped.skip(error)
    }

    pub(super) fn frame(&mut self, place: Place, frame: Frame) -> Result<(), Error> {
        self.keys += count_keys(&frame);
        check_limit(self.keys, self.options.limits.max_keys, "keys")?;
        if self.skipped.is_on() {
            let index = self.times.len();
            self.times.push(frame.time.into());
            let keep = self.keep.as_ref();
            if keep.is_some_and(|keep| keep.get(index) == Some(&false)) {
                let time = frame.time;
                return Err(TableError::OutOfOrder { place, time }.into());
            }
        }
        // Times that go back, or that are so large that different ones are equal as 32-bit floats, are an error.
        let is_coarse = frame.time.next_up() - frame.time > COARSE;
        if is_coarse || self.frames.is_before_last(&frame) {
            let earlier = self.frames.take();
            self.record(earlier)?;
            return self.record(Some(Waiting {
                frame,
                other: place,
            }));
        }
        let complete = self.frames.push(frame, place);
        self.record(complete)
    }

    fn record(&mut self, complete: Option<Waiting<Place>>) -> Result<(), Error> {
        if let Some(Waiting {
            frame,
            other: place,
        }) = complete
        {
            let recorded = self.recorder.push(&self.space.frame(frame));
            recorded.map_err(|source| record_error(place, source))?;
        }
        Ok(())
    }

    pub(super) fn marker(
        &mut self,
        place: Place,
        time: f32,
        name: impl AsRef<str> + Into<String>,
    ) -> Result<(), Error> {
        self.markers += 1;
        check_limit(self.markers, self.options.limits.max_markers, "markers")?;
        self.bytes += name.as_ref().len() as u64;
        check_limit(self.bytes, self.options.limits.max_bytes, "bytes")?;
        let marked = self.recorder.mark(time, name);
        Ok(marked.map_err(|source| TableError::Record { place, source })?)
    }

    /// Counts a pose or ray that was dropped because one of its numbers is not finite.
    #[cfg(feature = "arrow")]
    pub(super) fn drop_not_finite(&mut self) {
        self.not_finite += 1;
    }

    /// Returns the recording, and adds the numbers of dropped poses and rays and of skipped rows to `report`. `is_unseen` is `true`
    /// for each hand of which the table says nothing. Fails if the last frame cannot be recorded.
    pub(super) fn finish(
        mut self,
        is_unseen: [bool; 2],
        report: &mut Report,
    ) -> Result<Recording<'static>, Error> {
        let last = self.frames.take();
        self.record(last).or_else(|error| self.skip(error))?;
        self.frames.report(report);
        report_not_finite(report, self.not_finite);
        self.skipped.report(report);
        let mut recording = self.recorder.finish();
        forget_unseen_hands(&mut recording, is_unseen);
        Ok(recording)
    }
}

/// Reads a recording from a wide text table. `frames` are the options for reading its rows.
pub(super) fn read(
    text: &[u8],
    format: TextFormat,
    frames: &FrameOptions,
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    read_rows(text, format, frames, options, None)
}

/// Reads the rows of a wide text table, of which only the frames in `keep` are recorded.
fn read_rows(
    text: &[u8],
    format: TextFormat,
    frames: &FrameOptions,
    options: &ReadOptions,
    keep: Option<Vec<bool>>,
) -> Result<(Recording<'static>, Report), Error> {
    let mut reader = Reader::new(text, Some(format), frames)?;
    // The columns of a table are known after the first row, but the members of JSON only after the last line.
    if format != TextFormat::Ndjson {
        reader.refuse_unknown_table()?;
    }
    let mut recorder = TableRecorder::new(None, None, options);
    recorder.keep(keep);
    let mut is_known = false;
    while let Some(event) = reader.next() {
        let place = Place::Line(reader.line());
        let recorded = match event {
            Ok(Event::Frame(frame)) => {
                is_known |= states_anything(&frame);
                recorder.frame(place, *frame)
            }
            Ok(Event::Marker(marker)) => {
                is_known = true;
                recorder.marker(place, marker.time, marker.name)
            }
            Err(error) => Err(error.into()),
        };
        if let Err(error) = recorded {
            recorder.skip(error)?;
        }
    }
    if let Some(keep) = recorder.in_order() {
        return read_rows(text, format, frames, options, Some(keep));
    }
    reader.refuse_unknown_recording()?;
    if !is_known {
        reader.refuse_unknown_table()?;
        reader.refuse_missing_members()?;
    }
    let mut report = Report::default();
    let recording = recorder.finish(reader.unseen_hands(), &mut report)?;
    if options.min_confidence.is_some() && !reader.has_confidence() {
        return Err(no_confidence().into());
    }
    report.notes.extend(reader.notes());
    report.notes.extend(reader.missing_members());
    report.notes.extend(reader.missing_rotations());
    report.notes.extend(reader.computed_rotations());
    report.losses.extend(reader.uncomputed_rotations());
    report.losses.extend(reader.held_pinches());
    report.notes.extend(reader.ignored_names());
    Ok((recording, report))
}

/// Returns the error that the limit of confidences has no effect.
pub(super) fn no_confidence() -> TableError {
    TableError::NoEffect {
        option: ReadField::MinConfidence,
        table: "a table without a column of confidences",
    }
}

/// Adds the loss of `count` poses and rays with a number that is not finite to `report`.
pub(super) fn report_not_finite(report: &mut Report, count: usize) {
    let plural = if count == 1 { "" } else { "s" };
    let message = format!("{count} pose{plural} or ray{plural} with a number that is not finite");
    report.lose(LossKind::NotFinite, count, message);
}

/// If the steps between 32-bit floats are larger than this, in seconds, consecutive frames may have equal times.
const COARSE: f32 = 1e-3;

fn record_error(place: Place, source: RecordError) -> TableError {
    match source {
        RecordError::TimeNotAfter { time, .. } if time.next_up() - time > COARSE => {
            let step = time.next_up() - time;
            TableError::TimesTooLarge { place, time, step }
        }
        source => TableError::Record { place, source },
    }
}

/// Returns the number of keys that the recorder adds for a frame, without the keys of the states of hands.
fn count_keys(frame: &Frame) -> u64 {
    let joints = Side::BOTH.map(|side| {
        let hand = frame.hand(side);
        let known = hand.joints.iter().filter(|(_, pose)| pose.is_some());
        // While a hand is not tracked, its joints have no keys (docs/format.md, section 5.3).
        if hand.tracked { known.count() } else { 0 }
    });
    let poses = joints.iter().sum::<usize>() + usize::from(frame.head.is_some());
    let of_devices = frame.devices.iter();
    let of_devices = of_devices.map(|device| 7 * device.poses.len() + device.inputs.len());
    (7 * poses + 6 * usize::from(frame.gaze.is_some()) + of_devices.sum::<usize>()) as u64
}
/// Returns `true` if a frame states more than its time.
fn states_anything(frame: &Frame) -> bool {
    let of_hand = |hand: &HandFrame| {
        let has_joints = hand.joints.iter().any(|(_, pose)| pose.is_some());
        hand.tracked || hand.pinching || has_joints
    };
    let has_rays = frame.head.is_some() || frame.gaze.is_some();
    has_rays || of_hand(&frame.left) || of_hand(&frame.right) || !frame.devices.is_empty()
}
