//! `inputanim markers`: named instants, a file a verb.

mod add;
mod export;
mod import;
mod list;
mod move_to;
mod remove;
mod rename;

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use inputanim::{Limits, Recording};

use crate::files::batch::Job;
use crate::messages::diagnostics::warn;
use crate::messages::outcome::{Outcome, Refusal};

/// List, edit, import and export markers
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    List(list::Args),
    Add(add::Args),
    Remove(remove::Args),
    Rename(rename::Args),
    Move(move_to::Args),
    Import(import::Args),
    Export(export::Args),
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    match &args.verb {
        Verb::List(args) => list::run(args, limits),
        Verb::Add(args) => add::run(args, limits),
        Verb::Remove(args) => remove::run(args, limits),
        Verb::Rename(args) => rename::run(args, limits),
        Verb::Move(args) => move_to::run(args, limits),
        Verb::Import(args) => import::run(args, limits),
        Verb::Export(args) => export::run(args, limits),
    }
}

/// The formats of markers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MarkerFormat {
    /// A table with the columns time_s and name.
    Csv,
    /// Events of BIDS: a table with the columns onset, duration, trial_type and value.
    Tsv,
    /// Events of MNE: rows of a sample, 0, and the number of a trigger. Only to write.
    Eve,
    /// WebVTT, for video players.
    Vtt,
}

impl MarkerFormat {
    /// Returns the format for the extension of a path. The error for other extensions suggests `option`.
    fn of(path: &Path, option: &str) -> anyhow::Result<MarkerFormat> {
        match path.extension().map(|e| e.to_ascii_lowercase()) {
            Some(extension) if extension == "csv" => Ok(MarkerFormat::Csv),
            Some(extension) if extension == "tsv" => Ok(MarkerFormat::Tsv),
            Some(extension) if extension == "eve" => Ok(MarkerFormat::Eve),
            Some(extension) if extension == "vtt" => Ok(MarkerFormat::Vtt),
            _ => {
                let message = format!("cannot infer a marker format from {}", path.display());
                let hint =
                    format!("choose the format with {option} csv, {option} tsv or {option} vtt");
                Err(Refusal::usage(message, hint))
            }
        }
    }
}

/// Fails if the layout of the recording cannot store markers. The hint names a layout that can.
fn require_list(recording: &Recording<'_>) -> anyhow::Result<()> {
    let layout = recording.layout;
    if layout.has_markers() {
        return Ok(());
    }
    // Of the layouts with markers, MRTK loads these two. The version stays the same.
    let new = if layout.has_flags() {
        "mrtk-1.1"
    } else {
        "mrtk-1.0"
    };
    let hint =
        format!("`inputanim convert IN OUT --layout {new}` converts it to a layout with markers");
    let message = format!("the layout {layout} has no markers");
    Err(Refusal::failure(message, hint))
}

/// Fails if the recording has no marker with this index.
fn require_index(recording: &Recording<'_>, index: usize) -> anyhow::Result<()> {
    let markers = recording.markers.len();
    if index < markers {
        return Ok(());
    }
    let message = match markers {
        0 => format!("unknown marker {index}: the recording has no markers"),
        _ => format!("unknown marker {index}: the last is {}", markers - 1),
    };
    Err(Refusal::failure(message, LIST))
}

/// Warns if the time of a marker, in seconds, is outside the time that is played: from 0 s to the last key.
fn warn_if_not_played(recording: &Recording<'_>, time: f32, job: &Job) {
    let end = recording.duration();
    // Allowed by the format (docs/format.md 3.6), but hardly intended.
    if !(0.0..=end).contains(&time) {
        let file = job.input.display();
        warn(format_args!(
            "{file}: marker at {time} s is outside the time that is played (0 s to {end} s)"
        ));
    }
}

const LIST: &str = "`inputanim markers list IN` shows them";
