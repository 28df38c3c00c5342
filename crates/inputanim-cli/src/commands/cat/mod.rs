//! `inputanim cat`

mod rows;

use std::io::{self, BufWriter, Write};
use std::path::Path;

use clap::ValueEnum;
use inputanim::info::Info;
use inputanim::names::CurveChoice;
use inputanim::{Curve, KeyKind, Limits, Recording, TimeRange};
use inputanim_convert::tables::PathPattern;
use serde::{Serialize, Serializer};

use crate::arguments::names::{NAMES, NameArgs};
use crate::arguments::time_range::{TIMES, within};
use crate::files::input::{Files, Input, path_values};
use crate::messages::diagnostics::{self, warn};
use crate::messages::outcome::{Outcome, Refusal, is_broken_pipe};
use crate::messages::text::printable;
use crate::results::report_format::{ReportFormat, Rows};
use crate::results::table::terminal_columns;
use inputanim::RelativeTimeRange;

/// Print the keys, curves, states or markers of recordings
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
A name can also select a component: left.Palm.position, head.rotation.w. `--show curves` lists the \
names of all curves.

`cat` prints stored keys; `sample` prints values at any time. MRTK does not store keys that linear \
interpolation can reproduce, and stores a key of a state only where the state changes. Therefore, a short \
time range may contain no keys. --show states prints the complete time range of each state. If \
a state is on at the end of the recording, its time range ends there.

{NAMES}

{TIMES}

Examples:
  inputanim cat take.bin --joints right.IndexTip.position --time 1.5..2
  inputanim cat take.bin --show states
  inputanim cat -r study --show markers --format csv --path-pattern '{{participant}}_{{task}}.bin' > markers.csv"))]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    names: NameArgs,
    /// Print only the rows of this time range
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<RelativeTimeRange>,
    /// Add columns from the path of FILE, such as '{participant}/{condition}_{*}.bin'
    #[arg(long, value_name = "PATTERN")]
    path_pattern: Option<PathPattern>,
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

/// The columns that all rows of a file have in common.
#[derive(Default)]
struct FileColumns(Vec<(String, String)>);

impl FileColumns {
    /// Creates the columns of a file: its names, if there are several files, and the parts of its path.
    fn new(
        file: &str,
        is_only: bool,
        pattern: Option<&PathPattern>,
    ) -> anyhow::Result<FileColumns> {
        let mut columns = Vec::new();
        if !is_only {
            // The name without folder and extension, as in the tables of `convert`.
            let recording = Path::new(file).file_stem().unwrap_or_default();
            columns.push(("file".to_owned(), file.to_owned()));
            columns.push(("recording".to_owned(), recording.to_string_lossy().into()));
        }
        if let Some(pattern) = pattern {
            let values = path_values(pattern, file)?;
            columns.extend(pattern.names().iter().cloned().zip(values));
        }
        Ok(FileColumns(columns))
    }

    /// Formats the columns as the heading of a table for people.
    fn heading(&self) -> Option<String> {
        // The name of the file contains the name of the recording.
        let shown = self.0.iter().filter(|(name, _)| name != "recording");
        let texts = shown.map(|(name, value)| match name.as_str() {
            "file" => value.clone(),
            name => format!("{name} = {value}"),
        });
        let texts: Vec<String> = texts.collect();
        (!texts.is_empty()).then(|| texts.join("  "))
    }
}

impl Serialize for FileColumns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// A row with the columns of its file.
#[derive(Serialize)]
struct OfFile<'r, R> {
    #[serde(flatten)]
    file: &'r FileColumns,
    #[serde(flatten)]
    row: R,
}

impl<R: Row> OfFile<'_, R> {
    fn cells(&self) -> Vec<String> {
        let names = self.file.0.iter().map(|(_, value)| value.clone());
        names.chain(self.row.cells()).collect()
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let found = args.files.find()?;
    let files: Vec<&Path> = found.paths().collect();
    let mut outcome = found.outcome();
    let mut table = RowWriter::new(args.format);
    let is_only = files.len() == 1;
    let names = args.names.curves()?;
    for path in &files {
        let shown = Input::open(path, limits).and_then(|input| {
            let recording = input.recording(limits)?;
            let columns = FileColumns::new(input.name(), is_only, args.path_pattern.as_ref())?;
            table.file(columns);
            show(&recording, input.name(), is_only, args, &names, &mut table)
        });
        match shown {
            Ok(()) => {}
            // With one file there is nothing to go on with.
            Err(error) if is_only || is_broken_pipe(&error) => return Err(error),
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
    is_only: bool,
    args: &Args,
    names: &CurveChoice,
    table: &mut RowWriter,
) -> anyhow::Result<()> {
    let range = args.time.map(|range| within(range, recording, file));
    let range = range.transpose()?;
    let curves = recording.curves();
    let chosen: Vec<_> = curves.filter(|(path, _)| names.contains(*path)).collect();
    if chosen.is_empty() && args.show != Show::Markers {
        warn(format_args!(
            "{file}: none of the selected curves is recorded"
        ));
    }
    // The names of all files have one width, so that their rows line up.
    let name_lengths = names.paths().map(|path| path.to_string().len());
    let name_width = name_lengths.max().unwrap_or_default();
    match args.show {
        Show::Keys => {
            let has_tangents = chosen.iter().any(|(_, curve)| {
                matches!(curve, Curve::Float(curve) if curve.keys.kind() == KeyKind::Full)
            });
            // With several files, a later one may have tangents.
            let columns = if has_tangents || !is_only {
                &rows::KEY_COLUMNS[..]
            } else {
                &rows::KEY_COLUMNS[..3]
            };
            table.columns(columns, name_width, &[7, 6, 5, 4, 3])?;
            for (path, curve) in &chosen {
                rows::keys(
                    *path,
                    *curve,
                    |time| is_within(time, range),
                    |row| table.push(row),
                )?;
            }
        }
        Show::Curves => {
            table.columns(&rows::CURVE_COLUMNS, name_width, &[3, 2, 1, 6, 5])?;
            for (path, curve) in &chosen {
                let row = rows::curve(*path, *curve, |time| is_within(time, range));
                table.push(row)?;
            }
        }
        Show::States => {
            table.columns(&rows::STATE_COLUMNS, 6, &[])?;
            for (state, range_of_state) in Info::of(recording).states() {
                // A state is printed with its own ends if it overlaps the range: half a state would
                // hide when it began.
                let is_chosen = chosen.iter().any(|(path, _)| *path == state);
                let overlaps = range.is_none_or(|range| {
                    range_of_state.start <= range.end && range_of_state.end >= range.start
                });
                if is_chosen && overlaps {
                    table.push(rows::state(state, range_of_state))?;
                }
            }
        }
        Show::Markers => {
            let widths = recording
                .markers
                .iter()
                .map(|marker| marker.name.chars().count());
            let width = widths.max().unwrap_or_default().clamp(16, 40);
            table.columns(&rows::MARKER_COLUMNS, width, &[])?;
            for marker in &recording.markers {
                if is_within(marker.time, range) {
                    table.push(rows::marker(marker))?;
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
    /// The columns of the current file.
    file: FileColumns,
    /// True until the heading of the file is printed.
    is_first: bool,
    /// The number of columns, and their widths in a table for people.
    columns: usize,
    widths: Widths,
}

impl RowWriter {
    fn new(format: ReportFormat) -> RowWriter {
        // Standard output alone would be flushed at every line.
        let output = BufWriter::with_capacity(1 << 16, io::stdout().lock());
        RowWriter {
            rows: Rows::new(format, output),
            file: FileColumns::default(),
            is_first: true,
            columns: 0,
            widths: Widths::default(),
        }
    }

    /// Begins the rows of another file.
    fn file(&mut self, columns: FileColumns) {
        self.file = columns;
        self.is_first = true;
    }

    /// Writes the names of the columns, once for all files. `name_width` is the width of the first column in
    /// a table for people, in which the `dispensable` columns are hidden if the terminal is narrow.
    fn columns(
        &mut self,
        names: &[&str],
        name_width: usize,
        dispensable: &[usize],
    ) -> anyhow::Result<()> {
        if self.columns > 0 {
            return Ok(());
        }
        let files = self.file.0.iter().map(|(name, _)| name.as_str());
        let files: Vec<&str> = files.collect();
        if let Some(name) = files.iter().find(|name| names.contains(name)) {
            let message = format!("--path-pattern has the name of another column: {name}");
            return Err(Refusal::usage(
                message,
                "choose another name in the pattern",
            ));
        }
        self.columns = files.len() + names.len();
        match &mut self.rows {
            Ok(rows) => rows.columns(&[&files, names].concat()),
            Err(output) => {
                self.widths = Widths::new(names.len(), name_width, dispensable);
                self.widths.print(output, names)
            }
        }
    }

    fn push(&mut self, row: impl Row) -> anyhow::Result<()> {
        let is_first = std::mem::take(&mut self.is_first);
        match &mut self.rows {
            Ok(rows) => {
                let row = OfFile {
                    file: &self.file,
                    row,
                };
                rows.push(&row, || {
                    let mut cells = row.cells();
                    // Every row of CSV has as many cells as the first line.
                    cells.resize(self.columns, String::new());
                    vec![cells]
                })
            }
            Err(output) => {
                if let Some(heading) = self.file.heading().filter(|_| is_first) {
                    writeln!(output, "{}", printable(&heading))?;
                }
                self.widths.print(output, &row.cells())
            }
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.rows {
            Ok(rows) => rows.finish(),
            Err(mut output) => Ok(output.flush()?),
        }
    }
}

/// The widths of the columns of a table for people. Rows are printed while files are read, so the widths
/// cannot depend on all rows.
#[derive(Default)]
struct Widths {
    name: usize,
    number: usize,
    hidden: Vec<usize>,
}

impl Widths {
    /// Most numbers with single precision fit.
    const MAX_NUMBER: usize = 13;
    /// The width of the title `out_tangent`.
    const MIN_NUMBER: usize = 11;
    /// The numbers of recordings that the program knows fit, but not all titles.
    const LEAST_NUMBER: usize = 10;

    /// Returns widths for a number of columns that fit the terminal, if possible.
    fn new(columns: usize, name: usize, dispensable: &[usize]) -> Widths {
        let available = terminal_columns().unwrap_or(usize::MAX);
        let mut hidden = Vec::new();
        let mut dispensable = dispensable.iter().filter(|index| **index < columns);
        loop {
            let numbers = columns - hidden.len() - 1;
            // A space separates columns.
            let number = available.saturating_sub(name) / numbers.max(1);
            let number = number.saturating_sub(1).min(Widths::MAX_NUMBER);
            match dispensable.next() {
                Some(&index) if number < Widths::MIN_NUMBER => hidden.push(index),
                _ => {
                    return Widths {
                        name,
                        number: number.max(Widths::LEAST_NUMBER),
                        hidden,
                    };
                }
            }
        }
    }

    /// Prints a row with names aligned to the left and numbers to the right.
    fn print(&self, output: &mut impl Write, cells: &[impl AsRef<str>]) -> anyhow::Result<()> {
        let mut line = String::new();
        for (index, cell) in cells.iter().enumerate() {
            let cell = printable(cell.as_ref());
            if index == 0 {
                line.push_str(&format!("{cell:<width$}", width = self.name));
            } else if !self.hidden.contains(&index) {
                line.push_str(&format!(" {cell:>width$}", width = self.number));
            }
        }
        Ok(writeln!(output, "{}", line.trim_end())?)
    }
}
