//! `inputanim cat`

use std::borrow::Cow;
use std::io::Write;

use clap::ValueEnum;
use inputanim::{Limits, RelativeTimeRange};
use inputanim_scan::{ScanOptions, Shape};

use crate::arguments::names::{NAMES, NameArgs};
use crate::arguments::time_range::TIMES;
use crate::messages::outcome::Outcome;
use crate::messages::text::printable;
use crate::results::table::terminal_columns;
use crate::results::text_rows::{TextRow, TextRows};
use crate::study::{RowTableArgs, SEGMENTS};

/// Print the keys, curves, states, markers or haptic pulses of recordings
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

{SEGMENTS}
Examples:
  inputanim cat take.bin --joints right.IndexTip.position --time 1.5..2
  inputanim cat take.bin --show states
  inputanim cat take.mcap --joints right.controller --show haptics
  inputanim cat -r study --show markers --path-pattern '{{participant}}_{{task}}.bin' -o markers.csv"))]
pub(crate) struct Args {
    #[command(flatten)]
    rows: RowTableArgs,
    #[command(flatten)]
    names: NameArgs,
    /// Print only the rows of this time range
    #[arg(
        long,
        value_name = "A..B",
        allow_hyphen_values = true,
        conflicts_with = "segments"
    )]
    time: Option<RelativeTimeRange>,
    /// Print only the rows of segments, with columns for the segment of each row: markers, markers=NAME, START:STOP,
    /// KIND@A..B or a trial table [default: the complete recording]
    #[arg(long, value_name = "SEGMENTS", allow_hyphen_values = true)]
    segments: Option<String>,
    /// Kind of rows to print
    #[arg(long, value_enum, default_value_t)]
    show: Show,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Show {
    /// One row for each key.
    #[default]
    Keys,
    /// One row for each curve.
    Curves,
    /// One row for each time range in which a hand is tracked or pinches, a device is active, or a button is pressed.
    States,
    /// One row for each marker.
    Markers,
    /// One row for each haptic pulse of a device.
    Haptics,
}

impl Show {
    /// Returns the names of the columns, in the order in which a table for people has them.
    fn columns(self) -> &'static [&'static str] {
        match self {
            Show::Keys => &[
                "curve",
                "time_s",
                "value",
                "in_tangent",
                "out_tangent",
                "in_weight",
                "out_weight",
                "weighted_mode",
            ],
            Show::Curves => &[
                "curve",
                "kind",
                "pre_wrap",
                "post_wrap",
                "keys",
                "first_s",
                "last_s",
            ],
            Show::States => &["hand", "state", "start_s", "end_s"],
            Show::Markers => &["name", "time_s"],
            Show::Haptics => &[
                "device",
                "time_s",
                "output",
                "duration_s",
                "frequency_hz",
                "amplitude",
            ],
        }
    }

    /// Returns the columns that a table for people can omit on a narrow terminal, in the order in which they are
    /// omitted.
    fn dispensable(self) -> &'static [&'static str] {
        match self {
            Show::Keys => &[
                "weighted_mode",
                "out_weight",
                "in_weight",
                "out_tangent",
                "in_tangent",
            ],
            Show::Curves => &["post_wrap", "pre_wrap", "kind", "last_s", "first_s"],
            Show::Haptics => &["output", "frequency_hz"],
            Show::States | Show::Markers => &[],
        }
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let names = args.names.curves()?;
    let mut options = ScanOptions::default();
    options.shape = match args.show {
        Show::Keys => Shape::Keys,
        Show::Curves => Shape::Curves,
        Show::States => Shape::States,
        Show::Markers => Shape::Markers,
        Show::Haptics => Shape::Haptics,
    };
    options.time = args.time;
    let columns = args.show.columns();
    options.columns = Some(columns.iter().map(|&name| name.to_owned()).collect());
    (options.joints, options.exclude) = args.names.texts();
    // Without names, a table of keys also has rows for markers, flags and the layout.
    if args.show == Show::Keys && options.joints.is_empty() {
        options.joints.push("*".to_owned());
    }
    let name_width = match args.show {
        Show::Keys | Show::Curves => names.paths().map(|path| path.to_string().len()).max(),
        Show::States | Show::Markers | Show::Haptics => None,
    };
    let segments = args.segments.as_deref();
    let study = args.rows.plan(options, segments, "read", limits)?;
    let has_headings = study.names().len() > 1;
    study.write(args.rows.format()?, |study, output| {
        let fields = study.scan().fields().to_vec();
        let labels = fields.iter().map(|field| &*field.name);
        // The time in a segment differs between rows.
        let labels = labels.filter(|name| !columns.contains(name) && *name != "segment_time_s");
        let labels: Vec<&str> = labels.collect();
        let mut table: Option<TextTable> = None;
        let mut last = (String::new(), String::new());
        let has_segments = study.names_segments();
        study.each(|batch| {
            let rows = TextRows::new(&fields, &batch);
            if batch.rows == 0 {
                return Ok(());
            }
            let table = match &mut table {
                Some(table) => table,
                None => {
                    let new = TextTable::new(args.show, &rows, name_width, has_headings);
                    new.print(output, |column| column.into())?;
                    table.insert(new)
                }
            };
            for row in rows.iter() {
                // A recording may have several batches, and two segments may have one name.
                let segment = if has_segments {
                    row.shown("segment_index")
                } else {
                    Cow::Borrowed("")
                };
                let name = row.text("recording");
                if last.0 != name || last.1 != segment {
                    last = (name.to_owned(), segment.into_owned());
                    let heading = heading(row, &labels, has_headings);
                    if !heading.is_empty() {
                        writeln!(output, "{}", printable(&heading))?;
                    }
                }
                table.print(output, |column| row.shown(column))?;
            }
            Ok(())
        })?;
        if table.is_none() && study.has_results() {
            writeln!(output, "no {}", study.scan().options().shape)?;
        }
        Ok(())
    })
}

/// Returns the heading above the rows of a recording: its name if `has_name` is true, and the columns of
/// `--path-pattern`, such as `participant = p01`. `row` is any row of the recording.
fn heading(row: TextRow<'_>, labels: &[&str], has_name: bool) -> String {
    let labels = labels.iter().filter_map(|&label| match label {
        "recording" => has_name.then(|| row.text(label).to_owned()),
        label => Some(format!("{label} = {}", row.shown(label))),
    });
    labels.collect::<Vec<_>>().join("  ")
}

/// A table for people. Rows are printed while files are read, so that the widths cannot depend on all rows. Widths are
/// in characters.
struct TextTable {
    columns: Vec<&'static str>,
    /// The width of the first column.
    name: usize,
    /// The width of the column of a state, which may be a profile.
    state: usize,
    /// The width of the other columns.
    number: usize,
}

impl TextTable {
    /// The largest width of a number: most numbers with single precision fit.
    const MAX_NUMBER: usize = 13;
    /// The width below which columns are omitted: the width of the title `out_tangent`.
    const MIN_NUMBER: usize = 11;
    /// The smallest width of a number, when no column can be omitted any more. The numbers of recordings that the
    /// program knows fit, but not all titles.
    const LEAST_NUMBER: usize = 10;

    /// Returns a table that fits the terminal, if possible. `first` are the first rows, and `has_more` is true if there
    /// are several recordings. `name` is the width of the first column in characters; `None` fits it to the first rows.
    fn new(show: Show, first: &TextRows<'_>, name: Option<usize>, has_more: bool) -> TextTable {
        let columns = show.columns().iter().copied();
        // Most recordings have no tangents. States never have any, and another recording may have some.
        let is_state = |row: TextRow<'_>| row.text("curve").matches('.').count() == 1;
        let is_unknown = has_more || first.iter().all(is_state);
        let is_used = |column: &&str| {
            let is_optional = show == Show::Keys && show.dispensable().contains(column);
            !is_optional || is_unknown || first.iter().any(|row| !row.shown(column).is_empty())
        };
        let mut columns: Vec<&str> = columns.filter(is_used).collect();
        let width = |row: TextRow<'_>| row.shown(columns[0]).chars().count();
        let name = name.unwrap_or_else(|| {
            let widths = first.iter().map(width);
            let least = match show {
                Show::States => "right".len() + 1,
                _ => 16,
            };
            widths.max().unwrap_or_default().clamp(least, 40)
        });
        let available = terminal_columns().unwrap_or(usize::MAX);
        let mut dispensable = show.dispensable().iter();
        let number = loop {
            let numbers = columns.len() - 1;
            // A space separates columns.
            let number = available.saturating_sub(name) / numbers.max(1);
            let number = number.saturating_sub(1).min(TextTable::MAX_NUMBER);
            let is_narrow = number < TextTable::MIN_NUMBER;
            match dispensable.find(|column| columns.contains(column)) {
                Some(column) if is_narrow => columns.retain(|other| other != column),
                _ => break number.max(TextTable::LEAST_NUMBER),
            }
        };
        let states = first.iter().map(|row| row.shown("state").chars().count());
        let state = match show {
            Show::States => states.max().unwrap_or_default().clamp(number, 60),
            _ => number,
        };
        TextTable {
            columns,
            name,
            state,
            number,
        }
    }

    /// Prints a row: the first column is aligned to the left, the others to the right. `cell` returns the text of a
    /// column.
    fn print<'r>(
        &self,
        output: &mut (impl Write + ?Sized),
        cell: impl Fn(&'static str) -> Cow<'r, str>,
    ) -> anyhow::Result<()> {
        let mut line = String::new();
        for (index, column) in self.columns.iter().enumerate() {
            let text = cell(column);
            let text = printable(&text);
            if index == 0 {
                line.push_str(&format!("{text:<width$}", width = self.name));
            } else {
                let width = if *column == "state" {
                    self.state
                } else {
                    self.number
                };
                line.push_str(&format!(" {text:>width$}"));
            }
        }
        Ok(writeln!(output, "{}", line.trim_end())?)
    }
}
