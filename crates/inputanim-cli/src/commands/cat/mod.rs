//! `inputanim cat`

mod rows;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use clap::ValueEnum;
use inputanim::summary::Summary;
use inputanim::{Curve, KeyKind, Limits, Recording, TimeRange};
use serde::Serialize;

use crate::diagnostics::{self, warn};
use crate::input::{Files, Input};
use crate::names::{CurveChoice, NAMES, NameArgs};
use crate::outcome::{Outcome, is_broken_pipe};
use crate::report_format::{ReportFormat, Rows};
use crate::time_range::{TIMES, TimeRangeArg};

/// Print the keys, curves, states or markers of recordings
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
A name can also select a component: left.Palm.position, camera.rotation.w. `--show curves` lists the \
names of all curves.

`cat` prints stored keys; `sample` prints values at any time. MRTK does not store keys that linear \
interpolation can reproduce, and stores a key of a state only where the state changes. Therefore, a short \
time range may contain no keys. --show states prints the complete time range of each state. A \
state that is on at the end of the recording ends there.

{NAMES}

{TIMES}

Examples:
  inputanim cat take.bin --joints right.IndexTip.position --time 1.5..2
  inputanim cat take.bin --show states
  inputanim cat -r studies --show markers --format csv > markers.csv"))]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    names: NameArgs,
    /// Print only the rows of this time range
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<TimeRangeArg>,
    /// Kind of rows to print
    #[arg(long, value_enum, default_value_t)]
    show: Show,
    /// Format of the output
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Show {
    /// One row for each key.
    #[default]
    Keys,
    /// One row for each curve.
    Curves,
    /// One row for each time range in which a hand is tracked or pinches.
    States,
    /// One row for each marker.
    Markers,
}

/// A row of any kind, as an object and as the cells of a table.
trait Row: Serialize {
    fn cells(&self) -> Vec<String>;
}

/// A row with its file, if there are several files.
#[derive(Serialize)]
struct OfFile<'r, R> {
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    /// The name of the file without folder and extension, as in the tables of `convert`.
    #[serde(skip_serializing_if = "Option::is_none")]
    recording: Option<String>,
    #[serde(flatten)]
    row: R,
}

impl<R: Row> OfFile<'_, R> {
    fn cells(&self) -> Vec<String> {
        let file = self.file.map(str::to_owned);
        let names = file.into_iter().chain(self.recording.clone());
        names.chain(self.row.cells()).collect()
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let files = args.files.expand()?;
    let mut outcome = Outcome::Done;
    let mut table = RowWriter::new(args.format, files.len() > 1);
    let names = args.names.curves()?;
    for path in &files {
        let shown = Input::open(path, limits).and_then(|input| {
            let recording = input.recording(limits)?;
            show(&recording, input.name(), args, &names, &mut table)
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
    Ok(outcome)
}

fn show(
    recording: &Recording<'_>,
    file: &str,
    args: &Args,
    names: &CurveChoice,
    table: &mut RowWriter,
) -> anyhow::Result<()> {
    let range = args.time.map(|range| range.within(recording, file));
    let range = range.transpose()?;
    let curves = recording.curves();
    let chosen: Vec<_> = curves.filter(|(path, _)| names.contains(*path)).collect();
    if chosen.is_empty() && args.show != Show::Markers {
        warn(format_args!(
            "{file}: none of the selected curves is recorded"
        ));
    }
    match args.show {
        Show::Keys => {
            let has_tangents = chosen.iter().any(|(_, curve)| {
                matches!(curve, Curve::Float(curve) if curve.keys.kind() == KeyKind::Full)
            });
            // With several files, a later one may have tangents.
            let columns = if has_tangents || table.names_files {
                &rows::KEY_COLUMNS[..]
            } else {
                &rows::KEY_COLUMNS[..3]
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
                // A state is printed with its own ends if it overlaps the range: half a state would
                // hide when it began.
                let is_chosen = chosen.iter().any(|(path, _)| *path == state);
                let overlaps =
                    range.is_none_or(|range| span.start <= range.end && span.end >= range.start);
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

fn is_within(time: f32, range: Option<TimeRange>) -> bool {
    range.is_none_or(|range| range.contains(time))
}

type Output = BufWriter<io::StdoutLock<'static>>;

/// A writer of rows in the format of the command line.
struct RowWriter {
    rows: Result<Rows<Output>, Output>,
    names_files: bool,
    columns: usize,
}

impl RowWriter {
    fn new(format: ReportFormat, names_files: bool) -> RowWriter {
        // Standard output alone would be flushed at every line.
        let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        RowWriter {
            rows: Rows::new(format, output),
            names_files,
            columns: 0,
        }
    }

    /// Writes the names of the columns, once for all files.
    fn columns(&mut self, names: &[&str]) -> anyhow::Result<()> {
        if self.columns > 0 {
            return Ok(());
        }
        let files: &[&str] = if self.names_files {
            &["file", "recording"]
        } else {
            &[]
        };
        let names = [files, names].concat();
        self.columns = names.len();
        match &mut self.rows {
            Ok(rows) => rows.columns(&names),
            Err(output) => print_line(output, &names),
        }
    }

    fn push(&mut self, file: &str, row: impl Row) -> anyhow::Result<()> {
        let file = self.names_files.then_some(file);
        let recording = file.map(|file| {
            let stem = Path::new(file).file_stem().unwrap_or_default();
            stem.to_string_lossy().into_owned()
        });
        let row = OfFile {
            file,
            recording,
            row,
        };
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

/// Prints a row with names aligned to the left and numbers to the right.
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
