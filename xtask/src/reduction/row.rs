//! Rows of a table in Markdown.

use std::time::{Duration, Instant};

use anyhow::Result;
use inputanim::reduce::{Errors, Reduction, StreamErrors, measure, reduce};
use inputanim::{Layout, Recording, Stream};

use super::reduced::{WAYS, of_bound, pose_keys};
use super::takes::{File, Take, until};

pub(super) const HEADING: &str = "\
| | pose keys | bytes | mm | 99 % | degrees | 99 % | of the bound | time |
|---|--:|--:|--:|--:|--:|--:|--:|--:|";

/// What became of a recording.
pub(super) struct Row {
    name: String,
    pose_keys: usize,
    bytes: u64,
    measured: Option<Measured>,
    time: Option<f64>,
}

/// Largest error and what 99 % do not exceed.
struct Measured {
    millimetres: [f64; 2],
    degrees: [f64; 2],
    of_bound: f64,
}

impl Measured {
    fn of(errors: &[StreamErrors]) -> Measured {
        let joints = errors
            .iter()
            .filter(|errors| matches!(errors.stream, Stream::Joints(_)));
        let worse = |of: fn(&StreamErrors) -> Option<Errors>| {
            let found = joints.clone().filter_map(of);
            found.fold([0.0_f64; 2], |[largest, most], found| {
                [largest.max(found.largest), most.max(found.percentile_99)]
            })
        };
        Measured {
            millimetres: worse(|errors| errors.position).map(|metres| metres * 1000.0),
            degrees: worse(|errors| errors.rotation),
            of_bound: of_bound(errors, &Reduction::default()),
        }
    }
}

impl Row {
    /// What nothing was done to.
    pub(super) fn whole(recording: &Recording<'_>) -> Row {
        Row {
            name: "every sample".to_owned(),
            pose_keys: pose_keys(recording),
            bytes: recording.encoded_len(recording.layout),
            measured: None,
            time: None,
        }
    }

    /// What the toolkit's recorder made of a take.
    pub(super) fn of_file(name: &str, truth: &Take, file: &File) -> Result<Row> {
        let mut whole = truth.record(truth.layout)?;
        let mut recording = file.recording.clone();
        if let Some(end) = file.end {
            whole = until(end, &whole)?;
            recording = until(end, &recording)?;
        }
        Ok(Row {
            name: name.to_owned(),
            pose_keys: pose_keys(&recording),
            bytes: match file.end {
                Some(_) => recording.encoded_len(recording.layout),
                None => file.bytes,
            },
            measured: Some(Measured::of(&measure(&whole, &recording)?)),
            time: None,
        })
    }

    pub(super) fn print(&self) {
        let measured = match &self.measured {
            Some(Measured {
                millimetres: [mm, mm_99],
                degrees: [deg, deg_99],
                of_bound,
            }) => {
                let percent = 100.0 * of_bound;
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

/// A row for each way, and one for tangents, of which there are two in layouts with full keys.
pub(super) fn every_way(take: &Take) -> Result<Vec<Row>> {
    let lines = take.record(take.layout)?;
    let mut rows = Vec::new();
    let mut first = None;
    for (name, method) in WAYS {
        let with = Reduction {
            method,
            ..Reduction::default()
        };
        let (row, time) = reduced(name, &lines, &with)?;
        let first = *first.get_or_insert(time);
        rows.push(Row {
            time: Some(time.as_secs_f64() / first.as_secs_f64()),
            ..row
        });
    }
    drop(lines);
    let with = Reduction {
        tangents: true,
        ..Reduction::default()
    };
    let full = take.record(match take.layout {
        Layout::Mrtk1_1 => Layout::Documented1_1,
        other => other,
    })?;
    let (row, time) = reduced("one-pass with tangents, full keys", &full, &with)?;
    rows.push(Row {
        time: first.map(|first| time.as_secs_f64() / first.as_secs_f64()),
        ..row
    });
    Ok(rows)
}

/// So many runs, of which the median counts.
const RUNS: usize = 5;

fn reduced(name: &str, whole: &Recording<'_>, with: &Reduction) -> Result<(Row, Duration)> {
    let mut times = [Duration::ZERO; RUNS];
    let mut reduced = None;
    for time in &mut times {
        let mut take = whole.clone();
        let start = Instant::now();
        reduce(&mut take, with)?;
        *time = start.elapsed();
        reduced = Some(take);
    }
    times.sort();
    let reduced = reduced.unwrap_or_else(|| whole.clone());
    let row = Row {
        name: name.to_owned(),
        measured: Some(Measured::of(&measure(whole, &reduced)?)),
        ..Row::whole(&reduced)
    };
    Ok((row, times[RUNS / 2]))
}
