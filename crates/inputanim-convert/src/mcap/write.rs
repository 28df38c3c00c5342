//! A recording out.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::Duration;

use inputanim::sampler::Cursor;
use inputanim::{Frame, Marker, Recording, Sampler};
use mcap::McapError;

use super::clock::Clock;
use super::messages::RecordingPiece;
use super::output::Output;
use super::pieces;
use super::streams::Streams;
use super::{RECORDING, SPACE};
use crate::sampled::{self, SampleError};

/// How a recording is written.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// When there are messages.
    pub times: Times,
    /// What time the recording's zero is, since 1970-01-01T00:00:00Z: for files that are merged with
    /// those of other devices.
    pub start: Duration,
    /// Where the recording is from, such as the name of its file: it is put into the metadata.
    pub source: Option<String>,
}

impl Default for Options {
    /// 60 times a second, from 1970 on.
    fn default() -> Options {
        Options {
            times: Times::Rate(60.0),
            start: Duration::ZERO,
            source: None,
        }
    }
}

/// When there are messages.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Times {
    /// So many times a second, and wherever a hand is found or lost or begins or ends to pinch.
    Rate(f64),
    /// Wherever any curve has a key.
    Keys,
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Report {
    /// Times with messages.
    pub frames: usize,
    /// Markers that are in the bytes of the recording only, since they are at no time that a message
    /// can have: before 1970, or not finite.
    pub hidden_markers: usize,
}

/// Why a recording is not written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum WriteError {
    /// It cannot be sampled.
    #[error(transparent)]
    Sample(#[from] SampleError),
    /// The times of the messages end in 2106.
    #[error("{seconds} s from the start on are too late: times of messages end in 2106")]
    TooLate {
        /// How long the recording plays.
        seconds: f32,
    },
    /// The recording holds what its own layout cannot, such as gaze in version 1.0.
    #[error(transparent)]
    Recording(inputanim::WriteError),
    /// The container's writer fails.
    #[error("cannot write MCAP")]
    Mcap(#[source] Box<McapError>),
    /// The output fails.
    #[error(transparent)]
    Io(#[from] io::Error),
}

impl From<McapError> for WriteError {
    fn from(error: McapError) -> WriteError {
        match error {
            McapError::Io(error) => WriteError::Io(error),
            error => WriteError::Mcap(Box::new(error)),
        }
    }
}

impl From<inputanim::WriteError> for WriteError {
    fn from(error: inputanim::WriteError) -> WriteError {
        match error {
            inputanim::WriteError::Io(error) => WriteError::Io(error),
            error => WriteError::Recording(error),
        }
    }
}

/// Writes a recording; nothing is lost. A chunk of a megabyte is in memory at a time.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When a curve cannot be played, when there would be too many frames or too late ones, when the
/// recording holds what its own layout cannot, or when `output` fails.
///
/// ```
/// use std::time::Duration;
/// use inputanim::{Layout, Pose, Recording};
/// use inputanim_convert::mcap::{self, Options};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(2.0, &Pose::at([0.0, 1.6, 0.5]));
/// let options = Options { start: Duration::from_secs(1_714_557_600), ..Options::default() };
/// let mut bytes = Vec::new();
/// assert_eq!(mcap::write(&take, &options, &mut bytes)?.frames, 121);
/// # Ok::<(), mcap::WriteError>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    output: impl Write,
) -> Result<Report, WriteError> {
    let (sampler, times) = playing(recording, options.times)?;
    let clock = Clock::new(options.start);
    let seconds = sampler.duration();
    let (Some(start), Some(_)) = (clock.at(0.0), clock.at(seconds)) else {
        return Err(WriteError::TooLate { seconds });
    };
    let program = concat!("inputanim ", env!("CARGO_PKG_VERSION"));
    let mut output = Output::new(output, program)?;
    output.metadata(provenance(recording, options, program))?;

    let placed = |marker: &&Marker<'static>| clock.at(marker.time).is_some();
    let mut markers: Vec<_> = sampler.markers().iter().filter(placed).collect();
    let hidden_markers = sampler.markers().len() - markers.len();
    let mut topic = output.topic::<RecordingPiece>(RECORDING)?;
    let mut streams = Streams::of(recording, &sampler, !markers.is_empty(), &mut output)?;
    let early = markers.partition_point(|marker| marker.time < 0.0);
    let mut later = markers.split_off(early).into_iter().peekable();
    for marker in markers {
        streams.marker(marker, clock, &mut output)?;
    }
    pieces::write(recording, start, &mut output, &mut topic)?;
    // So that the recording is whole wherever the rest is cut off or damaged.
    output.end_chunk()?;

    let mut cursor = Cursor::default();
    let mut frame = Frame::default();
    let frames = times.len();
    for time in times {
        while let Some(marker) = later.next_if(|marker| marker.time <= time) {
            streams.marker(marker, clock, &mut output)?;
        }
        sampler.read(time, &mut cursor, &mut frame);
        if let Some(moment) = clock.at(time) {
            streams.frame(&SPACE.frame(frame.clone()), moment, &mut output)?;
        }
    }
    for marker in later {
        streams.marker(marker, clock, &mut output)?;
    }
    output.finish()?;
    Ok(Report {
        frames,
        hidden_markers,
    })
}

/// A recording made ready, and when it is looked at.
fn playing(recording: &Recording<'_>, times: Times) -> Result<(Sampler, Vec<f32>), SampleError> {
    match times {
        Times::Rate(rate) => {
            let sampler = sampled::sampler(recording, rate)?;
            let times = sampled::times_of_grid_and_changes(recording, &sampler, rate);
            Ok((sampler, times))
        }
        Times::Keys => {
            let sampler = Sampler::new(recording)?;
            let mut times = sampler.key_times();
            times.retain(|&time| time >= 0.0);
            Ok((sampler, times))
        }
    }
}

/// What the file is, for who finds it.
fn provenance(
    recording: &Recording<'_>,
    options: &Options,
    program: &str,
) -> BTreeMap<String, String> {
    let times = match options.times {
        Times::Rate(rate) => format!("{rate} Hz and where states change"),
        Times::Keys => "at keys".to_owned(),
    };
    let mut entries = vec![
        ("program", program.to_owned()),
        ("layout", recording.layout.to_string()),
        ("duration", format!("{} s", recording.duration())),
        ("times", times),
        ("zero", format!("{} ns", options.start.as_nanos())),
        (
            "axes",
            "right-handed, +X right, +Y forward, +Z up".to_owned(),
        ),
        ("unit", "metre".to_owned()),
    ];
    entries.extend(options.source.clone().map(|source| ("source", source)));
    let entries = entries.into_iter();
    entries
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}
