//! `inputanim events`

use std::io::Write;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::Limits;
use inputanim_analysis::{Event, EventKind, Segment};
use inputanim_scan::EventTable;

use crate::data_table::{Cell, Column, TableFormat, TableWriter};
use crate::outcome::{Outcome, Refusal};
use crate::study::{Analyzed, Made, PARAMETERS, SEGMENTS, Segmentation, StudyArgs};
use crate::table::terminal_columns;
use crate::text::{printable, quoted, significant};
use crate::time_range::{TIMES, TimeRangeArg};

/// List events of recordings: pinches, movements, fixations, saccades, looks, tracking and markers
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
Each row is one event. A `pinch` comes from the recorded state, a `geometric_pinch` from the distance \
between the tips of thumb and index finger. Events of the kind `look` need --targets. docs/analysis.md \
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
  inputanim events take.bin --kind fixation --set idt.dispersion=1.5 --format ndjson"))]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,
    /// List only these kinds of events [default: all]
    #[arg(long, value_name = "KIND,...", value_delimiter = ',', value_parser = kinds(), hide_possible_values = false)]
    kind: Vec<EventKind>,
    /// List only events that begin in segments: markers, START:STOP, KIND@A..B or a trial table [default: all]
    #[arg(long, value_name = "SEGMENTS", allow_hyphen_values = true)]
    segments: Option<String>,
    /// List only events that begin in this time range [default: all]
    #[arg(
        long,
        value_name = "A..B",
        allow_hyphen_values = true,
        conflicts_with = "segments"
    )]
    time: Option<TimeRangeArg>,
}

/// Returns a parser of kinds of events.
pub(super) fn kinds() -> impl TypedValueParser<Value = EventKind> {
    PossibleValuesParser::new(EventKind::ALL.map(EventKind::name)).try_map(|name| {
        let mut kinds = EventKind::ALL.into_iter();
        let kind = kinds.find(|kind| kind.name() == name);
        kind.ok_or("unknown kind")
    })
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if args.kind.contains(&EventKind::Look) && args.study.analysis.targets.is_none() {
        let message = "looks need targets";
        return Err(Refusal::usage(message, "--targets FILE reads them"));
    }
    let format = args.study.format()?;
    let segmentation = Segmentation::new(args.segments.as_deref(), args.time, limits)?;
    let mut study = args
        .study
        .plan(args.study.analysis.options(limits)?, limits)?;
    let segmentation = segmentation.matched(&mut study)?;
    let kinds = if args.kind.is_empty() {
        &EventKind::ALL[..]
    } else {
        &args.kind
    };
    let events_of = EventTable::new(kinds);
    let mut columns = study.columns();
    columns.extend(segment_columns(&segmentation, &columns)?);
    columns.extend(events_of.fields().iter().map(Column::of));
    study.refuse_duplicates(&columns)?;
    let names = study.names();
    study.write(format, |study, output| {
        if format == TableFormat::Table {
            let mut list = List::new(output, &names);
            study.each(
                |analyzed| made(analyzed, events(analyzed, kinds, &segmentation)?),
                |name, (segment, event)| list.push(name, &segment.name, &event),
            )?;
            return list.finish(study.has_results());
        }
        let Some(mut table) = TableWriter::new(format, columns, output)? else {
            return Ok(());
        };
        study.each(
            |analyzed| {
                let events = events(analyzed, kinds, &segmentation)?;
                let list: Vec<&Event> = events.iter().map(|(_, event)| event).collect();
                let indices = 0..events_of.fields().len();
                let columns = indices.map(|index| events_of.column(&list, index));
                let cells = Cell::rows(list.len(), columns);
                let rows = events.iter().zip(cells).map(|((segment, _), cells)| {
                    let mut row = analyzed.labels.to_vec();
                    if segmentation.has_names() {
                        row.extend(segmentation.cells(segment));
                    }
                    row.extend(cells);
                    row
                });
                made(analyzed, rows.collect())
            },
            |_, row| table.push(row),
        )?;
        table.finish()
    })
}

/// Returns results with the codes of all findings in curves from which events are computed.
fn made<T>(analyzed: &Analyzed<'_>, results: Vec<T>) -> anyhow::Result<Made<T>> {
    let findings = analyzed.analysis.quality.used_findings();
    let damage = findings.map(|finding| finding.code).collect();
    Ok(Made { results, damage })
}

/// Returns the events of a recording that the command line selects, with their segments. An event is in as many
/// segments as it begins in.
fn events(
    analyzed: &Analyzed<'_>,
    kinds: &[EventKind],
    segmentation: &Segmentation,
) -> anyhow::Result<Vec<(Segment, Event)>> {
    let analysis = analyzed.analysis;
    let mut events = analysis.events();
    events.retain(|event| kinds.contains(&event.kind));
    let segments = segmentation.of(analyzed)?;
    let inside = segments.iter().flat_map(|segment| {
        let events = events.iter();
        // Markers may be outside of the recording.
        let inside = events.filter(|event| {
            matches!(segmentation, Segmentation::Recording)
                || analysis.begins_in(event.start, segment.range)
        });
        inside.map(|event| (segment.clone(), event.clone()))
    });
    Ok(inside.collect())
}

/// Returns the columns of segments, whose names do not depend on the kinds of events. `labels` are the columns before.
fn segment_columns(segmentation: &Segmentation, labels: &[Column]) -> anyhow::Result<Vec<Column>> {
    if !segmentation.has_names() {
        return Ok(Vec::new());
    }
    let times = ["segment_start_s", "segment_end_s"];
    let of_events = EventTable::new(&EventKind::ALL).fields();
    let labels = labels.iter().map(|column| column.name.as_str());
    let others = labels.chain(of_events.iter().map(|field| &*field.name));
    let columns = segmentation.columns(others.chain(times))?.into_iter();
    let times = times.map(|name| Column::number(name, "s"));
    Ok(columns.chain(times).collect())
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

    fn push(&mut self, name: &str, segment: &str, event: &Event) -> anyhow::Result<()> {
        if std::mem::take(&mut self.is_empty) {
            let head = self.line("recording", ["start s", "length s"], "kind", "side", "");
            writeln!(self.output, "{}", head.trim_end())?;
        }
        let side = event.side.map_or("", |side| side.name());
        let times = [event.start, event.duration].map(|time| format!("{time:.3}"));
        let times = times.each_ref().map(String::as_str);
        let start = self.line(&printable(name), times, event.kind.name(), side, "");
        let mut line = start;
        let mut width = textwrap::core::display_width(&line);
        // Properties that do not fit are left out, the last ones first.
        let segment = (!segment.is_empty()).then(|| format!("segment {}", quoted(segment, 30)));
        for (index, detail) in segment.into_iter().chain(details(event)).enumerate() {
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

/// Returns the name and the properties of an event.
fn details(event: &Event) -> Vec<String> {
    let name = event.name.iter().map(|name| match event.kind {
        // The names of markers and targets may contain anything.
        EventKind::Marker | EventKind::Look => quoted(name, 30),
        _ => name.clone(),
    });
    // The other properties of a cut event describe only a part of it, so this comes first.
    let cut = event.property("cut").map(|_| "cut".to_owned());
    let properties = event.properties.iter();
    let properties = properties.filter(|property| property.name != "cut");
    let properties = properties.map(|property| {
        let name = property.name.replace('_', " ");
        let (value, unit) = (significant(property.value), property.unit);
        let space = if unit.is_empty() || unit.starts_with('°') {
            ""
        } else {
            " "
        };
        format!("{name} {value}{space}{unit}")
    });
    name.chain(cut).chain(properties).collect()
}
