//! `inputanim markers list`

use std::io::{self, Write};
use std::path::PathBuf;

use anstream::AutoStream;
use inputanim::Limits;
use inputanim::marker_names::matches;
use inputanim_convert::json::Number;
use serde::Serialize;

use crate::arguments::names::require_marker;
use crate::files::input::Input;
use crate::messages::outcome::Outcome;
use crate::messages::style::{BOLD, paint};
use crate::messages::text::{quoted, seconds};
use crate::results::report_format::{ReportFormat, Rows};
use crate::results::table::text_columns;

/// List the markers of a recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  inputanim markers list take.bin --format csv
  inputanim markers list take.bin --name 'trial *'
  inputanim cat -r studies --show markers --format csv   (for many files)")]
pub(super) struct Args {
    /// The recording (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// List only markers with this name; `*` stands for any characters, and `?` for one
    #[arg(long, allow_hyphen_values = true)]
    name: Option<String>,
    /// Output format
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

/// A marker for programs.
#[derive(Serialize)]
struct Row<'r> {
    index: usize,
    time: Number,
    name: &'r str,
}

/// Columns for the index and the time of a marker, before its name.
const BEFORE_NAME: usize = 20;

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.path, limits)?;
    let recording = input.recording(limits)?;
    if let Some(name) = &args.name {
        require_marker(&recording.markers, name)?;
    }
    let is_listed = |name: &str| {
        args.name
            .as_ref()
            .is_none_or(|wanted| matches(wanted, name))
    };
    let rows = recording.markers.iter().enumerate();
    let rows = rows.filter(|(_, marker)| is_listed(&marker.name));
    let rows = rows.map(|(index, marker)| Row {
        index,
        time: Number(marker.time),
        name: &marker.name,
    });
    match Rows::new(args.format, io::stdout().lock()) {
        Ok(mut output) => {
            output.columns(&["index", "time_s", "name"])?;
            for row in rows {
                let cells = || vec![(row.index, row.time.to_string(), row.name)];
                output.push(&row, cells)?;
            }
            output.finish()?;
        }
        Err(output) => {
            let mut output = AutoStream::auto(output);
            if recording.markers.is_empty() {
                writeln!(output, "no markers")?;
            } else {
                let head = format!("{:>6}  {:>10}  name", "index", "time s");
                writeln!(output, "{}", paint(BOLD, head))?;
            }
            let name_columns = text_columns() - BEFORE_NAME;
            for row in rows {
                let (time, name) = (seconds(row.time.0), quoted(row.name, name_columns));
                writeln!(output, "{:>6}  {time:>10}  {name}", row.index)?;
            }
            output.flush()?;
        }
    }
    Ok(Outcome::Done)
}
