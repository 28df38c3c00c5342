//! `inputanim openxr`: recordings and applications of OpenXR.

mod application;
mod install;
mod library;
mod manifest;
mod play;
mod playback;
mod processes;
mod record;
#[cfg(windows)]
mod registry;
#[cfg(not(windows))]
mod user_files;

use clap::Subcommand;
use inputanim::Limits;

use crate::messages::outcome::Outcome;

/// Record OpenXR applications, and play recordings into them without a headset
#[derive(Debug, clap::Args)]
#[command(arg_required_else_help = true, disable_help_subcommand = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Debug, Subcommand)]
enum Verb {
    Play(play::Args),
    Record(record::Args),
    Install(install::InstallArgs),
    Uninstall(install::UninstallArgs),
    Status(install::StatusArgs),
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    match &args.verb {
        Verb::Play(args) => play::run(args, limits),
        Verb::Record(args) => record::run(args, limits),
        Verb::Install(args) => install::install(args, limits),
        Verb::Uninstall(args) => install::uninstall(args),
        Verb::Status(args) => install::status(args),
    }
}
