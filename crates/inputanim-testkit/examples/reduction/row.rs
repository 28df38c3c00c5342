//! Rows of a table in Markdown.

use std::time::{Duration, Instant};

use anyhow::Result;
use inputanim::reduce::{ErrorStatistics, Reduce, StreamErrors, measure};
use inputanim::{Layout, Recording, Stream};

use super::takes::{File, Take, until};
use inputanim_testkit::reduced::{METHODS, pose_keys, reduce_with, relative_error};

pub(super) const HEADING: &str = "\
| | pose keys | bytes | mm | 99 % | degrees | 99 % | of the bound | time |
|---|--:|--:|--:|--:|--:|--:|--:|--:|";

/// The result for one recording.
pub(super) struct Row {
    name: String,
    pose_keys: usize,
    bytes: u64,
    measured: Option<Measured>,
    time: Option<f64>,
}

/// The largest error and the 99th percentile.
struct Measured {
    millimetres: [f64; 2],
    degrees: [f64; 2],
    relative_error: f64,
}

impl Measured {
    fn new(errors: &[StreamErrors]) -> Measured {
        let joints = errors
            .iter()
            .filter(|errors| matches!(errors.stream, Stream::Joints(_)));
        let worse = |of: fn(&StreamErrors) -> Option<ErrorStatistics>| {
            let found = joints.clone().filter_map(of);
            found.fold([0.0_f64; 2], |[largest, most], found| {
                [largest.max(found.largest), most.max(found.percentile_99)]
            })
        };
        Measured {
            millimetres: worse(|errors| errors.position).map(|metres| metres * 1000.0),
            degrees: worse(|errors| errors.rotation),
            relative_error: relative_error(errors, &Reduce::default()),
        }
    }
}

impl Row {
    /// Returns the row of a recording that is not reduced: it has no errors and no time of reduction.
    pub(super) fn original(recording: &Recording<'_>) -> Row {
        Row {
            name: "every sample".to_owned(),
            pose_keys: pose_keys(recording),
            bytes: recording.encoded_len(),
            measured: None,
            time: None,
        }
    }

    /// Returns the row of a file of MRTK's recorder. Its errors are those compared with the recording `truth` of the
    /// same frames.
    pub(super) fn of_file(name: &str, truth: &Take, file: &File) -> Result<Row> {
        let mut original = truth.record(truth.layout)?;
        let mut recording = file.recording.clone();
        if let Some(end) = file.end {
            original = until(end, &original)?;
            recording = until(end, &recording)?;
        }
        Ok(Row {
            name: name.to_owned(),
            pose_keys: pose_keys(&recording),
            bytes: match file.end {
                Some(_) => recording.encoded_len(),
                None => file.bytes,
            },
            measured: Some(Measured::new(&measure(&original, &recording)?)),
            time: None,
        })
    }

    pub(super) fn print(&self) {
        let measured = match &self.measured {
            Some(Measured {
                millimetres: [mm, mm_99],
                degrees: [deg, deg_99],
                relative_error,
            }) => {
                let percent = 100.0 * relative_error;
                format!("{mm:.3} | {mm_99:.3} | {deg:.3} | {deg_99:.3} | {percent:.2} %")
            }
            None => "– | – | – | – | –".to_owned(),
        };
        let time = self
            .time
            .map_or("–".to_owned(), |time| format!("{time:.1}"));
        let (name, keys, bytes) = (&self.name, self.pose_keys, self.bytes);
        println!("| {name} | {keys} | {bytes} | {measured} | {time} |");
    }
}

/// Returns a row for each method of reduction of this recording, and one for a reduction with tangents. Tangents need
/// full keys, so a recording whose layout has simple keys is recorded with full keys for this row.
pub(super) fn all_methods(take: &Take) -> Result<Vec<Row>> {
    let lines = take.record(take.layout)?;
    let mut rows = Vec::new();
    let mut first = None;
    for (name, method, partition) in METHODS {
        let options = reduce_with(method, partition);
        let (row, time) = reduced(name, &lines, &options)?;
        let first = *first.get_or_insert(time);
        rows.push(Row {
            time: Some(time.as_secs_f64() / first.as_secs_f64()),
            ..row
        });
    }
    drop(lines);
    let mut options = Reduce::default();
    options.tangents = true;
    let full = take.record(match take.layout {
        Layout::Mrtk1_1 => Layout::Documented1_1,
        other => other,
    })?;
    let (row, time) = reduced("one-pass with tangents, full keys", &full, &options)?;
    rows.push(Row {
        time: first.map(|first| time.as_secs_f64() / first.as_secs_f64()),
        ..row
    });
    Ok(rows)
}

/// The number of runs for each time. The table shows the median.
const RUNS: usize = 5;

fn reduced(name: &str, original: &Recording<'_>, options: &Reduce) -> Result<(Row, Duration)> {
    let mut times = [Duration::ZERO; RUNS];
    let mut reduced = None;
    for time in &mut times {
        let mut recording = original.clone();
        let start = Instant::now();
        recording.reduce(options)?;
        *time = start.elapsed();
        reduced = Some(recording);
    }
    times.sort();
    let reduced = reduced.unwrap_or_else(|| original.clone());
    let row = Row {
        name: name.to_owned(),
        measured: Some(Measured::new(&measure(original, &reduced)?)),
        ..Row::original(&reduced)
    };
    Ok((row, times[RUNS / 2]))
}
