//! `inputanim cat`

mod rows;

use std::io::{self, BufWriter, Write};

use clap::ValueEnum;
use inputanim::summary::Summary;
use inputanim::{Curve, CurvePath, KeyKind, Limits, Recording};
use serde::Serialize;

use crate::diagnostics;
use crate::format::{Format, Rows};
use crate::input::{Files, Input};
use crate::outcome::{Outcome, Refusal, is_broken_pipe};
use crate::time_range::TimeRange;

/// Print the keys, curves, states or markers of recordings
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Patterns: * stands for any characters, ? for one, {a,b} for either; case matters. \
Names are those of --show curves: camera.position.x, left.tracked, right.IndexTip.rotation.w, \
gaze.direction.z.

Keys are what is stored. A state holds from its key to the next, and the toolkit leaves out keys \
that a straight line explains, so a window of time may hold none: --show states gives whole spans.

Examples:
  inputanim cat take.bin --curves 'right.IndexTip.position.*' --time 1.5..2
  inputanim cat take.bin --show states
  inputanim cat -r studies --show markers --format csv > markers.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// Only curves whose name fits the pattern; may be given several times
    #[arg(long, value_name = "GLOB")]
    curves: Vec<String>,
    /// Only what lies from A to B seconds, both included; either may be left out
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<TimeRange>,
    /// What to print
    #[arg(long, value_enum, default_value_t)]
    show: Show,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Show {
    /// A row for each key.
    #[default]
    Keys,
    /// A row for each curve.
    Curves,
    /// A row for each time that a hand is tracked or pinches.
    States,
    /// A row for each marker.
    Markers,
}

/// A row of any kind: what it has as an object, and as the cells of a table.
trait Row: Serialize {
    fn cells(&self) -> Vec<String>;
}

/// A row with the file that it is of, where there are several.
#[derive(Serialize)]
struct OfFile<'r, R> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    #[serde(flatten)]
    row: R,
}

impl<R: Row> OfFile<'_, R> {
    fn cells(&self) -> Vec<String> {
        let file = self.file.map(str::to_owned);
        file.into_iter().chain(self.row.cells()).collect()
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let files = args.files.expand()?;
    let mut outcome = Outcome::Done;
    let mut table = RowWriter::new(args.format, files.len() > 1);
    let mut fits = vec![args.curves.is_empty(); args.curves.len().max(1)];
    for path in &files {
        let shown = Input::open(path, limits).and_then(|input| {
            let recording = input.recording(limits)?;
            show(&recording, input.name(), args, &mut fits, &mut table)
        });
        match shown {
            Ok(()) => {}
            // With one file there is nothing to go on with.
            Err(error) if files.len() == 1 || is_broken_pipe(&error) => return Err(error),
            Err(error) => {
                outcome = outcome.and(Outcome::Failed);
                diagnostics::report(&error);
            }
        }
    }
    table.finish()?;
    let unfit = args.curves.iter().zip(&fits).find(|(_, fits)| !**fits);
    if let Some((pattern, _)) = unfit.filter(|_| outcome == Outcome::Done) {
        let message = format!("no curve fits {pattern}");
        let hint = "--show curves lists the names; case matters";
        return Err(Refusal::failure(message, hint));
    }
    Ok(outcome)
}

fn show(
    recording: &Recording<'_>,
    file: &str,
    args: &Args,
    fits: &mut [bool],
    table: &mut RowWriter,
) -> anyhow::Result<()> {
    let range = args.time.as_ref();
    let chosen = chosen_curves(recording, &args.curves, fits);
    match args.show {
        Show::Keys => {
            let has_tangents = chosen.iter().any(|(_, curve)| {
                matches!(curve, Curve::Float(curve) if curve.keys.kind() == KeyKind::Full)
            });
            // Another file may have them where the first has not.
            let columns = match has_tangents || table.names_files {
                true => &rows::KEY_COLUMNS[..],
                false => &rows::KEY_COLUMNS[..3],
            };
            table.columns(columns)?;
            for (path, curve) in &chosen {
                rows::keys(
                    *path,
                    *curve,
                    |time| is_within(time, range),
                    |row| table.push(file, row),
                )?;
            }
        }
        Show::Curves => {
            table.columns(&rows::CURVE_COLUMNS)?;
            for (path, curve) in &chosen {
                let row = rows::curve(*path, *curve, |time| is_within(time, range));
                table.push(file, row)?;
            }
        }
        Show::States => {
            table.columns(&rows::STATE_COLUMNS)?;
            for (state, span) in Summary::of(recording).states() {
                let is_chosen = chosen.iter().any(|(path, _)| *path == state);
                let overlaps = range.is_none_or(|TimeRange(range)| {
                    span.start <= *range.end() && span.end >= *range.start()
                });
                if is_chosen && overlaps {
                    table.push(file, rows::state(state, span))?;
                }
            }
        }
        Show::Markers => {
            table.columns(&rows::MARKER_COLUMNS)?;
            for marker in &recording.markers {
                if is_within(marker.time, range) {
                    table.push(file, rows::marker(marker))?;
                }
            }
        }
    }
    Ok(())
}

fn chosen_curves<'r, 'a>(
    recording: &'r Recording<'a>,
    patterns: &[String],
    fits: &mut [bool],
) -> Vec<(CurvePath, Curve<'r, 'a>)> {
    let mut chosen = Vec::new();
    for (path, curve) in recording.curves() {
        let name = path.to_string();
        let mut is_chosen = patterns.is_empty();
        for (pattern, fits) in patterns.iter().zip(fits.iter_mut()) {
            if fast_glob::glob_match(pattern, &name) {
                is_chosen = true;
                *fits = true;
            }
        }
        if is_chosen {
            chosen.push((path, curve));
        }
    }
    chosen
}

fn is_within(time: f32, range: Option<&TimeRange>) -> bool {
    range.is_none_or(|range| range.0.contains(&time))
}

type Output = BufWriter<io::StdoutLock<'static>>;

/// Rows as they are asked for.
struct RowWriter {
    rows: Result<Rows<Output>, Output>,
    names_files: bool,
    columns: usize,
}

impl RowWriter {
    fn new(format: Format, names_files: bool) -> RowWriter {
        let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        RowWriter {
            rows: Rows::new(format, output),
            names_files,
            columns: 0,
        }
    }

    /// The heads of the columns, once for all files.
    fn columns(&mut self, names: &[&str]) -> anyhow::Result<()> {
        if self.columns > 0 {
            return Ok(());
        }
        let file = self.names_files.then_some("file");
        let names: Vec<&str> = file.into_iter().chain(names.iter().copied()).collect();
        self.columns = names.len();
        match &mut self.rows {
            Ok(rows) => rows.columns(&names),
            Err(output) => print_line(output, &names),
        }
    }

    fn push(&mut self, file: &str, row: impl Row) -> anyhow::Result<()> {
        let file = self.names_files.then_some(file);
        let row = OfFile { file, row };
        match &mut self.rows {
            Ok(rows) => rows.push(&row, || {
                let mut cells = row.cells();
                // Every row of CSV has as many cells as the first line.
                cells.resize(self.columns, String::new());
                vec![cells]
            }),
            Err(output) => print_line(output, &row.cells()),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.rows {
            Ok(rows) => rows.finish(),
            Err(mut output) => Ok(output.flush()?),
        }
    }
}

/// Names to the left, numbers to the right, so far as they are as wide as usual.
fn print_line(output: &mut impl Write, cells: &[impl AsRef<str>]) -> anyhow::Result<()> {
    let mut line = String::new();
    for (index, cell) in cells.iter().enumerate() {
        let cell = crate::text::printable(cell.as_ref());
        match index {
            0 => line.push_str(&format!("{cell:<33}")),
            _ => line.push_str(&format!(" {cell:>13}")),
        }
    }
    Ok(writeln!(output, "{}", line.trim_end())?)
}
