//! `inputanim events`

use std::io::Write;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::Limits;
use inputanim_analysis::EventKind;
use inputanim_scan::{ScanOptions, Shape, property_column};

use crate::arguments::time_range::TIMES;
use crate::messages::outcome::Outcome;
use crate::messages::text::{printable, quoted, significant};
use crate::results::table::terminal_columns;
use crate::results::text_rows::{TextRow, TextRows};
use crate::study::{PARAMETERS, SEGMENTS, StudyArgs};

/// List events of recordings: pinches, presses, movements, fixations, saccades, looks, tracking and markers
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
Each row is one event. A `pinch` comes from the recorded state, a `geometric_pinch` from the distance \
between the tips of thumb and index finger. A `press` comes from an input that is on or off; \
--parameter devices.inputs=right.controller.trigger.value also finds presses of an input with numbers. Events of the kind `look` need --targets. docs/analysis.md \
describes how events are found, and docs/commands.md the columns. With --segments, only events that begin in a \
segment are listed, and their rows have the columns of the segment.

{SEGMENTS}
{PARAMETERS}

{TIMES}

Exit codes: 0 done; 1 a file failed; 2 wrong usage; 3 done, but a recording is damaged in a curve \
that is used. Rotations of joints are not used: all angles of hands are computed from positions.

Examples:
  inputanim events take.bin
  inputanim events take.bin --kind pinch,fixation --time 10..20
  inputanim events -r study -o events.csv --path-pattern '{{participant}}_{{task}}.bin'
  inputanim events -r study --segments trials.csv -o trial-events.csv
  inputanim events take.bin --kind fixation --parameter idt.dispersion=1.5 --format ndjson"))]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,
    /// List only these kinds of events [default: all]
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kinds(), hide_possible_values = false)]
    kind: Vec<EventKind>,
}

/// Returns a clap parser of the kinds of events.
pub(super) fn kinds() -> impl TypedValueParser<Value = EventKind> {
    let names = PossibleValuesParser::new(EventKind::ALL.iter().map(|kind| kind.name()));
    names.try_map(|name| name.parse::<EventKind>())
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut options = ScanOptions::default();
    options.shape = Shape::Events;
    options.kinds = args.kind.clone();
    let study = args.study.plan(options, limits)?;
    let names = study.names();
    study.write(args.study.format()?, |study, output| {
        let fields = study.scan().fields().to_vec();
        let mut list = List::new(output, &names);
        study.each(|batch| {
            let rows = TextRows::new(&fields, &batch);
            rows.iter().try_for_each(|row| list.push(row))
        })?;
        list.finish(study.has_results())
    })
}

/// A table for people.
struct List<'o, W: Write + ?Sized> {
    output: &'o mut W,
    /// The width of the names of recordings; `None` if there is only one.
    names: Option<usize>,
    columns: usize,
    is_empty: bool,
}

/// The width of the longest kind.
const KIND: usize = 15;

impl<'o, W: Write + ?Sized> List<'o, W> {
    fn new(output: &'o mut W, names: &[String]) -> List<'o, W> {
        let width = |name: &String| textwrap::core::display_width(&printable(name));
        let widest = names.iter().map(width).max().unwrap_or_default();
        List {
            output,
            names: (names.len() > 1).then(|| widest.max("recording".len())),
            columns: terminal_columns().unwrap_or(80),
            is_empty: true,
        }
    }

    fn push(&mut self, row: TextRow<'_>) -> anyhow::Result<()> {
        if std::mem::take(&mut self.is_empty) {
            let head = self.line("recording", ["start s", "length s"], "kind", "side", "");
            writeln!(self.output, "{}", head.trim_end())?;
        }
        let times = ["start_s", "duration_s"]
            .map(|column| format!("{:.3}", row.number(column).unwrap_or_default()));
        let times = times.each_ref().map(String::as_str);
        let name = printable(row.text("recording"));
        let start = self.line(&name, times, row.text("kind"), row.text("side"), "");
        let mut line = start;
        let mut width = textwrap::core::display_width(&line);
        // Properties that do not fit are left out, the last ones first.
        let segment = row.text("segment");
        let segment = (!segment.is_empty()).then(|| format!("segment {}", quoted(segment, 30)));
        for (index, detail) in segment.into_iter().chain(details(row)).enumerate() {
            let separator = if index == 0 { "" } else { ", " };
            let detail = format!("{separator}{detail}");
            width += textwrap::core::display_width(&detail);
            if index > 0 && width > self.columns {
                break;
            }
            line.push_str(&detail);
        }
        Ok(writeln!(self.output, "{}", line.trim_end())?)
    }

    fn line(&self, name: &str, times: [&str; 2], kind: &str, side: &str, rest: &str) -> String {
        let mut line = String::new();
        if let Some(width) = self.names {
            let fill = width.saturating_sub(textwrap::core::display_width(name));
            line = format!("{name}{:fill$}  ", "");
        }
        let [start, duration] = times;
        line + &format!("{start:>9}  {duration:>8}  {kind:<KIND$}  {side:<5}  {rest}")
    }

    fn finish(self, has_results: bool) -> anyhow::Result<()> {
        if self.is_empty && has_results {
            writeln!(self.output, "no events")?;
        }
        Ok(())
    }
}

/// Returns the name and the properties of the event in a row. Each property is a text with its value and unit.
fn details(row: TextRow<'_>) -> Vec<String> {
    let kind = row.text("kind");
    let name = row.known_text("name").map(|name| {
        // Names of markers and targets are free text. They are quoted and escaped, because they may contain control
        // characters.
        if ["marker", "look"].contains(&kind) {
            quoted(name, 30)
        } else {
            name.to_owned()
        }
    });
    let mut kinds = EventKind::ALL.iter();
    let properties = kinds.find(|other| other.name() == kind);
    let properties = properties.map_or(&[][..], |kind| kind.properties()).iter();
    // The other properties of a cut event describe only a part of it, so this comes first.
    let cut = row.number("cut").map(|_| "cut".to_owned());
    let properties = properties.filter_map(|&(name, unit)| {
        let value = row.number(&property_column(name, unit))?;
        let (name, value) = (name.replace('_', " "), significant(value));
        let space = if unit.is_empty() || unit.starts_with('°') {
            ""
        } else {
            " "
        };
        (name != "cut").then(|| format!("{name} {value}{space}{unit}"))
    });
    name.into_iter().chain(cut).chain(properties).collect()
}
