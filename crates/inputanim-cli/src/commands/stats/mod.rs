//! `inputanim stats`

mod measures;
mod print;

use inputanim::Limits;
use inputanim_analysis::{Measure, Measures, Segment};

use crate::data_table::{Cell, Column, TableFormat, TableWriter};
use crate::names::{List, names};
use crate::outcome::Outcome;
use crate::study::{Analyzed, Made, PARAMETERS, SEGMENTS, Segmentation, StudyArgs};
use crate::time_range::{TIMES, TimeRangeArg};
use measures::Selection;
use print::{Details, Overview};

/// Compute measures of recordings: of head, hands, fingers, pinches, gaze and targets
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
The format `table` shows a few measures of each recording or segment. With --measures or --tidy, it has one \
line for each measure. All other formats contain all measures: one row for each recording and segment, or with \
--tidy, one row for each measure. docs/analysis.md defines every measure. Speeds and events are computed \
from the complete recording, also with --time and --segments. An event belongs to the segment in which it begins.

{SEGMENTS}

Groups of measures: quality, head, hands, movements, fingers, pinches, gaze, targets, fitts. The first parts of \
a name select all measures that begin with them: right.Palm.speed selects right.Palm.speed.mean and so on. Without \
left or right, a name selects both hands: Palm.speed. * and ? are wildcards, {{a,b}} matches a or b. `targets` and `fitts` need --targets.

{PARAMETERS}

{TIMES}

Exit codes: 0 done; 1 a file failed; 2 wrong usage; 3 done, but damage affects a measure: it concerns a curve \
that the measure uses, in the time range of the measure. Rotations of joints are not used: all angles of hands \
are computed from positions.

Examples:
  inputanim stats take.bin
  inputanim stats take.bin --measures right.Palm.speed,gaze
  inputanim stats -r study -o stats.csv --path-pattern '{{participant}}_{{task}}.bin'
  inputanim stats -r study --segments trials.csv -o trial-measures.csv
  inputanim stats -r study --segments markers --tidy -o tidy.csv
  inputanim stats take.bin --segments 'start*:stop*' --targets targets.csv --measures fitts"))]
pub(crate) struct Args {
    #[command(flatten)]
    study: StudyArgs,
    /// Compute measures of segments: markers, START:STOP, KIND@A..B or a trial table [default: the complete
    /// recording]
    #[arg(long, value_name = "SEGMENTS", allow_hyphen_values = true)]
    segments: Option<String>,
    /// Compute measures of this time range only [default: all]
    #[arg(
        long,
        value_name = "A..B",
        allow_hyphen_values = true,
        conflicts_with = "segments"
    )]
    time: Option<TimeRangeArg>,
    /// Compute only these measures or groups, such as head,'*.Palm.speed.median' [default: all]
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    measures: Vec<List<String>>,
    /// Write one row for each measure, with its unit, the reason if it has no value, and the damage that affects it
    #[arg(long)]
    tidy: bool,
}

/// The measures of a segment of a recording.
pub(super) struct SegmentMeasures {
    segment: Segment,
    measures: Vec<Measure>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut options = args.study.analysis.options(limits)?;
    let format = args.study.format()?;
    let wanted: Vec<&str> = args
        .measures
        .iter()
        .flat_map(|List(names)| names)
        .map(String::as_str)
        .collect();
    let is_overview = format == TableFormat::Table && wanted.is_empty() && !args.tidy;
    let wanted = if is_overview {
        Measures::HEADLINES.to_vec()
    } else {
        wanted
    };
    let selection = Selection::new(&wanted, &mut options)?;
    let segmentation = Segmentation::new(args.segments.as_deref(), args.time, limits)?;
    let mut study = args.study.plan(options, limits)?;
    let segmentation = segmentation.matched(&mut study)?;
    let names = study.names();
    if format == TableFormat::Table {
        let make = |analyzed: &Analyzed<'_>| measure(analyzed, &segmentation, &selection);
        return study.write(format, |study, output| {
            if is_overview {
                let mut overview = Overview::new(names.len() > 1, segmentation.has_names());
                study.each(make, |name, result| {
                    overview.push(name, &result);
                    Ok(())
                })?;
                overview.print(output)
            } else {
                let mut details = Details::new(output, names.len() > 1, segmentation.has_names());
                study.each(make, |name, result| details.push(name, &result))
            }
        });
    }
    let mut columns = study.columns();
    let mut after = ["start_s", "end_s"]
        .map(|name| Column::number(name, "s"))
        .to_vec();
    if args.tidy {
        after.push(Column::text("measure"));
        after.push(Column::number("value", ""));
        after.extend(["unit", "reason", "damage"].map(Column::text));
    } else {
        after.extend(selection.columns());
    }
    // The names of columns of segments do not depend on the selected measures.
    let measures = selection.all_names().iter().filter(|_| !args.tidy);
    let others = columns.iter().chain(&after).map(|column| &column.name);
    let others: Vec<String> = others.chain(measures).cloned().collect();
    columns.extend(segmentation.columns(others.iter().map(String::as_str))?);
    columns.extend(after);
    study.refuse_duplicates(&columns)?;
    study.write(format, |study, output| {
        let Some(mut table) = TableWriter::new(format, columns, output)? else {
            return Ok(());
        };
        let make = |analyzed: &Analyzed<'_>| {
            let made = measure(analyzed, &segmentation, &selection)?;
            let rows = made.results.into_iter().flat_map(|result| {
                let mut row = analyzed.labels.to_vec();
                row.extend(segmentation.cells(&result.segment));
                if args.tidy {
                    result
                        .measures
                        .iter()
                        .map(|measure| tidy(&row, measure))
                        .collect()
                } else {
                    let cells = result.measures.iter().map(cell);
                    vec![row.into_iter().chain(cells).collect()]
                }
            });
            Ok(Made {
                results: rows.collect::<Vec<Vec<Cell>>>(),
                damage: made.damage,
            })
        };
        study.each(make, |_, row| table.push(row))?;
        table.finish()
    })
}

/// Computes the selected measures of all segments of a recording.
fn measure(
    analyzed: &Analyzed<'_>,
    segmentation: &Segmentation,
    selection: &Selection,
) -> anyhow::Result<Made<SegmentMeasures>> {
    let segments = segmentation.of(analyzed)?;
    let measured = segments.into_iter().map(|segment| SegmentMeasures {
        measures: selection.of(analyzed.analysis.measures(segment.range)),
        segment,
    });
    let results: Vec<SegmentMeasures> = measured.collect();
    let measures = results.iter().flat_map(|result| &result.measures);
    let damage = measures.flat_map(|measure| &measure.damage).copied();
    let damage = damage.collect();
    Ok(Made { results, damage })
}

/// Returns the cell of a measure in a wide table.
fn cell(measure: &Measure) -> Cell {
    match measure.value {
        Ok(value) => Cell::Number(value),
        Err(reason) => Cell::Missing(reason.text()),
    }
}

/// Returns the row of a measure in a tidy table.
fn tidy(row: &[Cell], measure: &Measure) -> Vec<Cell> {
    let unit = Some(measure.quantity.unit).filter(|unit| !unit.is_empty());
    let codes: Vec<&str> = measure.damage.iter().map(|code| code.id()).collect();
    let damage = Some(codes.join(" ")).filter(|codes| !codes.is_empty());
    let mut row = row.to_vec();
    row.extend([
        Cell::Text(measure.name.clone()),
        Cell::optional_number(measure.value.ok()),
        Cell::optional_text(unit),
        Cell::optional_text(measure.value.err().map(|reason| reason.text())),
        Cell::optional_text(damage.as_deref()),
    ]);
    row
}
