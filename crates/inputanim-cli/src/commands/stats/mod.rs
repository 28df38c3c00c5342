//! `inputanim stats`

mod print;

use inputanim::Limits;
use inputanim_analysis::Measures;
use inputanim_scan::{ScanOptions, Shape};

use crate::arguments::names::{List, names};
use crate::arguments::time_range::TIMES;
use crate::messages::outcome::Outcome;
use crate::results::table_format::TableFormat;
use crate::results::text_rows::TextRows;
use crate::study::{PARAMETERS, SEGMENTS, StudyArgs};
use print::{Details, Overview};

/// Compute measures of recordings: of head, hands, fingers, pinches, gaze, targets and devices
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
The format `table` shows a few measures of each recording or segment. With --measures or --tidy, it has one \
line for each measure. All other formats contain all measures: one row for each recording and segment, or with \
--tidy, one row for each measure. docs/analysis.md defines every measure. Speeds and events are computed \
from the complete recording, also with --time and --segments. An event belongs to the segment in which it begins.

{SEGMENTS}

Groups of measures: quality, head, hands, movements, fingers, pinches, gaze, targets, fitts, devices. The first parts of \
a name select all measures that begin with them: right.Palm.speed selects right.Palm.speed.mean and so on. Without \
left or right, a name selects both hands: Palm.speed. * and ? are wildcards, {{a,b}} matches a or b. `targets` and `fitts` need --targets, \
and `devices` needs parameters such as devices.inputs=right.controller.trigger.value.

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
    /// Compute only these measures or groups, such as head,'*.Palm.speed.median' [default: all]
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    measures: Vec<List<String>>,
    /// Write one row for each measure, with its unit, the reason if it has no value, and the damage that affects it
    #[arg(long)]
    tidy: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let format = args.study.format()?;
    let wanted = args.measures.iter().flat_map(|List(names)| names).cloned();
    let wanted: Vec<String> = wanted.collect();
    let is_text = format == TableFormat::Table;
    let is_overview = is_text && wanted.is_empty() && !args.tidy;
    let mut options = ScanOptions::default();
    if is_overview {
        options.shape = Shape::Stats;
        options.measures = Measures::HEADLINES.map(str::to_owned).to_vec();
    } else {
        options.shape = if args.tidy || is_text {
            Shape::Measures
        } else {
            Shape::Stats
        };
        options.measures = wanted;
    }
    let study = args.study.plan(options, limits)?;
    let names_recordings = study.names().len() > 1;
    let names_segments = study.names_segments();
    study.write(format, |study, output| {
        let fields = study.scan().fields().to_vec();
        if is_overview {
            let mut overview = Overview::new(names_recordings, names_segments);
            study.each(|batch| {
                overview.push(&TextRows::new(&fields, &batch));
                Ok(())
            })?;
            overview.print(output)
        } else {
            let mut details = Details::new(output, names_recordings, names_segments);
            study.each(|batch| details.push(&TextRows::new(&fields, &batch)))
        }
    })
}
