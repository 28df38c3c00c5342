//! `inputanim markers list`

use std::io::{self, Write};
use std::path::PathBuf;

use anstream::AutoStream;
use inputanim::Limits;
use inputanim_convert::json::Number;
use serde::Serialize;

use crate::format::{Format, Rows};
use crate::input::Input;
use crate::outcome::Outcome;
use crate::style::{BOLD, paint};
use crate::text::{quoted, seconds};

/// Print the markers of a recording with their indices
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Example: inputanim markers list take.bin --format csv
Those of many files: inputanim cat -r studies --show markers --format csv")]
pub(super) struct Args {
    /// The recording (.bin or lossless .json); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// How to print it
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// A marker for programs.
#[derive(Serialize)]
struct Row<'r> {
    index: usize,
    time: Number,
    name: &'r str,
}

/// Columns for a name, behind its index and time.
const NAME: usize = 60;

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.path, limits)?;
    let recording = input.recording(limits)?;
    let rows = recording.markers.iter().enumerate();
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
            for row in rows {
                let (time, name) = (seconds(row.time.0), quoted(row.name, NAME));
                writeln!(output, "{:>6}  {time:>10}  {name}", row.index)?;
            }
            output.flush()?;
        }
    }
    Ok(Outcome::Done)
}
