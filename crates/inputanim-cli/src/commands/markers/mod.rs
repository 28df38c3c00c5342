//! `inputanim markers`: named instants, a file a verb.

mod add;
mod export;
mod import;
mod list;
mod remove;
mod rename;

use std::path::Path;

use clap::{Subcommand, ValueEnum};
use inputanim::{Limits, Recording};

use crate::outcome::{Outcome, Refusal};

/// List and change markers, and exchange them with spreadsheets and video players
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
    Import(import::Args),
    Export(export::Args),
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    match &args.verb {
        Verb::List(args) => list::run(args, limits),
        Verb::Add(args) => add::run(args, limits),
        Verb::Remove(args) => remove::run(args, limits),
        Verb::Rename(args) => rename::run(args, limits),
        Verb::Import(args) => import::run(args, limits),
        Verb::Export(args) => export::run(args, limits),
    }
}

/// The formats that markers go out to and come in from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum MarkerFormat {
    /// A table with the columns time_s and name.
    Csv,
    /// WebVTT, for video players.
    Vtt,
}

impl MarkerFormat {
    /// By the extension of a name.
    fn of(path: &Path) -> anyhow::Result<MarkerFormat> {
        match path.extension().map(|e| e.to_ascii_lowercase()) {
            Some(extension) if extension == "csv" => Ok(MarkerFormat::Csv),
            Some(extension) if extension == "vtt" => Ok(MarkerFormat::Vtt),
            _ => {
                let message = format!("the extension of {} says no format", path.display());
                Err(Refusal::usage(message, "--as csv or --as vtt says which"))
            }
        }
    }
}

/// Said before anything is done for a layout that has no place for markers.
fn require_list(recording: &Recording<'_>) -> anyhow::Result<()> {
    let layout = recording.layout;
    if layout.has_markers() {
        return Ok(());
    }
    let hint = match layout.has_flags() {
        true => "`inputanim convert --layout mrtk-1.1` makes a recording that has one",
        false => "`inputanim convert --layout mrtk-1.0` makes a recording that has one",
    };
    let message = format!("the layout {layout} has no list of markers");
    Err(Refusal::failure(message, hint))
}

/// Said of an index that no marker has.
fn require_index(recording: &Recording<'_>, index: usize) -> anyhow::Result<()> {
    let markers = recording.markers.len();
    if index < markers {
        return Ok(());
    }
    let message = match markers {
        0 => format!("there is no marker {index}: there are none"),
        _ => format!("there is no marker {index}: the last is {}", markers - 1),
    };
    Err(Refusal::failure(message, LIST))
}

/// Said of a name that no marker has.
fn require_name(recording: &Recording<'_>, name: &str) -> anyhow::Result<()> {
    match recording.markers.iter().any(|marker| marker.name == name) {
        true => Ok(()),
        false => Err(Refusal::failure(
            format!("no marker is called {name:?}"),
            LIST,
        )),
    }
}

const LIST: &str = "`inputanim markers list` shows them";
