//! Motion-BIDS, a layout of folders for studies of movement
//! (<https://bids-specification.readthedocs.io/en/stable/modality-specific-files/motion.html>).
//!
//! A recording becomes six files in a dataset. [`Entities`] are the parts of their names, and
//! [`write()`] writes one of them. The other files of a dataset are [`dataset_files`],
//! [`participants`] and [`scans`].
//!
//! | file | content |
//! |---|---|
//! | `*_motion.tsv` | samples at a steady rate, from the first to the last key, without names of columns |
//! | `*_channels.tsv` | the columns of the samples: names of curves, units, tracked points |
//! | `*_channels.json` | the axes |
//! | `*_motion.json` | the rates, the duration, and the number of channels of each type |
//! | `*_events.tsv` | markers, pinches, haptic pulses, and the time ranges in which a hand is tracked or a device is active |
//! | `*_events.json` | the meaning of the columns of the events |
//!
//! A wide table of the same times has the same values, and also the profiles of devices, which are events here. Samples and the onsets of events begin at the first key, like an
//! analysis. Unknown values are `n/a`.
//!
//! ```
//! use inputanim::{Layout, Pose, Recording};
//! use inputanim_convert::WriteOptions;
//! use inputanim_convert::motion_bids::{self, DatasetFile, Entities, RecordingFile};
//! let mut recording = Recording::new(Layout::Mrtk1_1);
//! recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
//!
//! let entities = Entities::from_path("p01/reach.bin")?;
//! assert_eq!(
//!     entities.path(RecordingFile::Motion),
//!     "sub-p01/motion/sub-p01_task-reach_tracksys-unknown_motion.tsv"
//! );
//! let mut text = Vec::new();
//! let options = WriteOptions::default();
//! motion_bids::write(RecordingFile::Motion, &recording, &entities, &options, &mut text)?;
//! assert_eq!(text, b"0.0\t1.6\t0.0\t0.0\t0.0\t0.0\t1.0\n");
//! # Ok::<(), inputanim_convert::Error>(())
//! ```

mod channels;
mod dataset;
pub(crate) mod entities;
mod events;
mod samples;

use std::io::Write;

use inputanim::{Recording, TimeRange};

pub use dataset::{DatasetFile, dataset_files, participants, scans};
pub use entities::{Entities, Entity, MotionBidsError};

use crate::shared::{Error, Format, Note, Report, WriteOptions};
use crate::table::frames::Columns;

/// A value that is not known.
const UNKNOWN: &str = "n/a";

/// One of the files that a recording becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum RecordingFile {
    /// The columns of the samples.
    Channels,
    /// The axes of the samples.
    ChannelsJson,
    /// Markers, pinches, haptic pulses, and the time ranges in which hands are tracked and devices are active.
    Events,
    /// The meaning of the columns of the events.
    EventsJson,
    /// The rates, the duration and the number of channels.
    MotionJson,
    /// The samples.
    Motion,
}

impl RecordingFile {
    /// Every file. The samples are last, so that a dataset with samples is complete.
    pub const ALL: &[RecordingFile] = &[
        RecordingFile::Channels,
        RecordingFile::ChannelsJson,
        RecordingFile::Events,
        RecordingFile::EventsJson,
        RecordingFile::MotionJson,
        RecordingFile::Motion,
    ];

    /// Returns the end of the file's name after its entities, such as `motion.tsv`.
    pub const fn suffix(self) -> &'static str {
        match self {
            RecordingFile::Channels => "channels.tsv",
            RecordingFile::ChannelsJson => "channels.json",
            RecordingFile::Events => "events.tsv",
            RecordingFile::EventsJson => "events.json",
            RecordingFile::MotionJson => "motion.json",
            RecordingFile::Motion => "motion.tsv",
        }
    }
}

/// Writes one of the files of a recording, and returns a report of losses and notes.
///
/// Buffer `output` unless it is memory. The report of each file is about this file only.
///
/// # Errors
/// Fails when no curve has a key and there is no device, or `output` fails. For the samples, also fails when the time of a key is NaN, the
/// rate is invalid, or there would be too many samples.
pub fn write(
    file: RecordingFile,
    recording: &Recording<'_>,
    entities: &Entities,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    let columns = Columns::of(recording).in_space(options.space);
    if channels::columns_of_samples(&columns).is_empty() {
        return Err(MotionBidsError::NoChannels.into());
    }
    let mut report = Report::default();
    match file {
        RecordingFile::Channels => channels::write(&columns, output)?,
        RecordingFile::ChannelsJson => channels::write_axes(options.space, output)?,
        RecordingFile::Events => events::write(recording, &mut report, output)?,
        RecordingFile::EventsJson => events::write_description(recording, output)?,
        RecordingFile::MotionJson => {
            samples::write_description(recording, &columns, entities, options, output)?;
            let lost = Note::of_lost_texts(Format::MotionBids, &recording.about);
            report.notes.extend(lost);
        }
        RecordingFile::Motion => {
            samples::write(recording, &columns, options, &mut report, output)?;
        }
    }
    Ok(report)
}

/// Returns the time range of the samples in seconds: from the first to the last key, or from 0 to 0 if there are no
/// keys.
fn time_range(recording: &Recording<'_>) -> TimeRange {
    let mut range: Option<TimeRange> = None;
    for (_, curve) in recording.curves() {
        for (time, _) in curve.points().filter(|(time, _)| !time.is_nan()) {
            let range = range.get_or_insert(TimeRange {
                start: time,
                end: time,
            });
            range.start = range.start.min(time);
            range.end = range.end.max(time);
        }
    }
    range.unwrap_or(TimeRange {
        start: 0.0,
        end: 0.0,
    })
}

/// Returns a writer of tables as BIDS defines them: cells between tabs, without quotes.
fn table<W: Write>(output: W) -> csv::Writer<W> {
    let mut builder = csv::WriterBuilder::new();
    builder.delimiter(b'\t').has_headers(false);
    builder.quote_style(csv::QuoteStyle::Never).flexible(true);
    builder.from_writer(output)
}

/// Converts an error of the CSV reader or writer to an I/O error. Rows may have any number of cells, so only the input
/// or the output can fail.
fn output_error(error: csv::Error) -> Error {
    Error::Io(error.into())
}

/// Writes a value as indented JSON, followed by a line feed.
fn write_json(value: &impl serde::Serialize, mut output: impl Write) -> Result<(), Error> {
    // Serialization fails only if the output does.
    serde_json::to_writer_pretty(&mut output, value).map_err(std::io::Error::from)?;
    Ok(output.write_all(b"\n")?)
}
