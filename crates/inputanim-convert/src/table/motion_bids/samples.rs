//! The samples, and their rates, duration and number of channels.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use inputanim::info::Info;
use inputanim::{About, Frame, Recording, TimeRange};
use serde::Serialize;

use super::channels::{Channel, columns_of_samples};
use super::{Entities, Entity, UNKNOWN, output_error, table, time_range, write_json};
use crate::shared::{Error, NoteKind, Report, Sampling, WriteOptions};
use crate::table::frames::{Cell, Columns, FrameRow, WideColumn};
use crate::table::tables::samples::frames;

/// Writes `*_motion.tsv`: the samples at a steady rate, from the first to the last key. Adds the losses, notes and
/// number of rows to `report`.
pub(super) fn write(
    recording: &Recording<'_>,
    columns: &Columns,
    options: &WriteOptions,
    report: &mut Report,
    output: impl Write,
) -> Result<(), Error> {
    let range = time_range(recording);
    let of_samples = columns_of_samples(columns);
    let mut table = table(output);
    let mut rows = 0;
    frames(recording, &steady(options, range), report, |frame| {
        // There is no cell for the time, which the rate states.
        let cells = of_samples.iter();
        let cells: Vec<KnownCell> = cells.map(|column| cell(frame, *column, columns)).collect();
        rows += 1;
        table.serialize(cells).map_err(output_error)
    })?;
    table.flush()?;
    report.rows += rows;
    // A rate that the user has chosen needs no note.
    if options.sampling == Sampling::default() {
        report.note(
            NoteKind::Sampling,
            format!("sampled at {}", options.sampling),
        );
    }
    // A batch prints equal notes once, so the note does not contain the time, which differs between recordings.
    if range.start < 0.0 {
        let message = "keys before 0: samples and onsets begin at the first key";
        report.note(NoteKind::TimeShift, message);
    }
    Ok(())
}

/// Returns the options with this time range and with a rate. The default rate replaces [`Sampling::Keys`].
fn steady(options: &WriteOptions, range: TimeRange) -> WriteOptions {
    let mut options = options.clone();
    options.sampling = Sampling::Rate(options.sampling.rate());
    options.time = Some(range);
    options
}

/// Returns the cell of a column. States are numbers, because all samples of BIDS are numbers.
fn cell(frame: &Frame, column: WideColumn, columns: &Columns) -> KnownCell {
    let cell = match column {
        WideColumn::Input(device, input, true) => {
            let value = frame.device(device).and_then(|device| device.input(input));
            value.map(|value| Cell::State(value.is_on().into()))
        }
        column => FrameRow::of_frame(frame, None, columns).cell(column),
    };
    KnownCell(cell.unwrap_or(Cell::Empty(())))
}

/// A cell that contains `n/a` if its value is unknown.
struct KnownCell(Cell);

impl Serialize for KnownCell {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.0 {
            Cell::Empty(()) => serializer.serialize_str(UNKNOWN),
            Cell::Number(number) if !number.0.is_finite() => serializer.serialize_str(UNKNOWN),
            cell => cell.serialize(serializer),
        }
    }
}

/// The types of channels that BIDS has.
const KINDS: [&str; 10] = [
    "ACCEL", "ANGACCEL", "GYRO", "JNTANG", "LATENCY", "MAGN", "MISC", "ORNT", "POS", "VEL",
];

/// The content of `*_motion.json`.
#[derive(Serialize)]
#[serde(rename_all = "PascalCase")]
struct Description {
    task_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_description: Option<String>,
    /// The text of the recording, or else the label.
    tracking_system_name: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    manufacturers_model_name: Option<String>,
    /// The program that made the recording. The description of the dataset names the program that wrote it.
    software_versions: String,
    /// The rate of the samples.
    sampling_frequency: f64,
    /// The highest key rate of any stream. All streams of a device are recorded at the same instants, but MRTK drops
    /// keys that interpolation can reproduce, so the other streams have lower rates. BIDS has the value `n/a` for an
    /// unknown rate, but validators accept only numbers.
    #[serde(skip_serializing_if = "Option::is_none")]
    sampling_frequency_effective: Option<f32>,
    recording_duration: f32,
    recording_type: &'static str,
    missing_values: &'static str,
    tracked_points_count: usize,
    motion_channel_count: usize,
    /// The number of channels of each type. The validator also expects the types that have no channels.
    #[serde(flatten)]
    counts: BTreeMap<String, usize>,
}

/// Writes `*_motion.json`: the rates, the duration, and the number of channels of each type.
pub(super) fn write_description(
    recording: &Recording<'_>,
    columns: &Columns,
    entities: &Entities,
    options: &WriteOptions,
    output: impl Write,
) -> Result<(), Error> {
    let channels = columns_of_samples(columns).into_iter();
    let channels: Vec<Channel> = channels.map(Channel::of).collect();
    let counts = KINDS.into_iter().map(|kind| {
        let channels = channels.iter().filter(|channel| channel.kind == kind);
        (format!("{kind}ChannelCount"), channels.count())
    });
    let points: BTreeSet<&str> = channels
        .iter()
        .map(|channel| channel.tracked_point.as_str())
        .collect();
    let label = |entity: Entity| entities.get(entity).unwrap_or(UNKNOWN).to_owned();
    let text = |name| recording.about.get(name).map(str::to_owned);
    let rate = options.sampling.rate();
    let range = time_range(recording);
    let streams = Info::of(recording).streams;
    let rates = streams.iter().filter_map(|stream| stream.rate);
    let description = Description {
        task_name: label(Entity::Task),
        task_description: text(About::TASK),
        tracking_system_name: text(About::SYSTEM).unwrap_or_else(|| label(Entity::TrackingSystem)),
        manufacturers_model_name: text(About::DEVICE),
        // Validators expect the member.
        software_versions: text(About::PROGRAM).unwrap_or_else(|| UNKNOWN.to_owned()),
        sampling_frequency: rate,
        sampling_frequency_effective: rates.reduce(f32::max),
        recording_duration: range.length(),
        recording_type: "continuous",
        missing_values: UNKNOWN,
        tracked_points_count: points.len(),
        motion_channel_count: channels.len(),
        counts: counts.collect(),
    };
    write_json(&description, output)
}
