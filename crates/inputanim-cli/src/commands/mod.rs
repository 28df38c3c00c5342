//! The verbs.

mod align;
mod cat;
#[cfg(feature = "parquet")]
mod catalog;
mod check;
mod completions;
mod concat;
mod convert;
mod diff;
mod doctor;
mod events;
mod fill;
mod generate;
mod info;
mod man;
mod markers;
mod mirror;
mod openxr;
mod pack;
mod play;
mod plot;
mod record;
mod recover;
mod reduce;
mod repair;
mod report;
mod resample;
mod retime;
mod sample;
mod select;
mod shift;
mod smooth;
mod split;
mod stats;
mod transform;
mod trim;
mod unpack;
mod view;

use clap::Subcommand;
use inputanim::Limits;

use crate::files::output;
use crate::messages::hints;
use crate::messages::outcome::Outcome;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Info(info::Args),
    Cat(cat::Args),
    #[cfg(feature = "parquet")]
    Catalog(catalog::Args),
    Pack(pack::Args),
    Unpack(unpack::Args),
    Check(check::Args),
    Doctor(doctor::Args),
    Sample(sample::Args),
    Play(play::Args),
    View(view::Args),
    Report(report::Args),
    Diff(diff::Args),
    Stats(stats::Args),
    Events(events::Args),
    Plot(plot::Args),
    Convert(Box<convert::Args>),
    Record(record::Args),
    Generate(generate::Args),
    Recover(recover::Args),
    Repair(repair::Args),
    Trim(trim::Args),
    Split(split::Args),
    Concat(concat::Args),
    Shift(shift::Args),
    Retime(retime::Args),
    Align(align::Args),
    Resample(resample::Args),
    Select(select::Args),
    Mirror(mirror::Args),
    Transform(transform::Args),
    Smooth(smooth::Args),
    Fill(fill::Args),
    Reduce(reduce::Args),
    Markers(markers::Args),
    Openxr(openxr::Args),
    Completions(completions::Args),
    Man(man::Args),
}

pub(crate) fn run(command: Command, limits: &Limits) -> anyhow::Result<Outcome> {
    // These handle signals themselves: one restores the terminal, one writes its recording, and one waits for an
    // application.
    if !matches!(
        command,
        Command::Play(_) | Command::Record(_) | Command::Openxr(_)
    ) {
        output::remove_unfinished_at_end();
    }
    if matches!(command, Command::Convert(_) | Command::Record(_)) {
        hints::set_reading_options();
    }
    match command {
        Command::Info(args) => info::run(&args, limits),
        Command::Cat(args) => cat::run(&args, limits),
        #[cfg(feature = "parquet")]
        Command::Catalog(args) => catalog::run(&args, limits),
        Command::Pack(args) => pack::run(&args),
        Command::Unpack(args) => unpack::run(&args),
        Command::Check(args) => check::run(&args, limits),
        Command::Doctor(args) => doctor::run(&args, limits),
        Command::Sample(args) => sample::run(&args, limits),
        Command::Play(args) => play::run(&args, limits),
        Command::View(args) => view::run(&args, limits),
        Command::Report(args) => report::run(&args, limits),
        Command::Diff(args) => diff::run(&args, limits),
        Command::Stats(args) => stats::run(&args, limits),
        Command::Events(args) => events::run(&args, limits),
        Command::Plot(args) => plot::run(&args, limits),
        Command::Convert(args) => convert::run(&args, limits),
        Command::Record(args) => record::run(&args, limits),
        Command::Generate(args) => generate::run(&args, limits),
        Command::Recover(args) => recover::run(&args, limits),
        Command::Repair(args) => repair::run(&args, limits),
        Command::Trim(args) => trim::run(&args, limits),
        Command::Split(args) => split::run(&args, limits),
        Command::Concat(args) => concat::run(&args, limits),
        Command::Shift(args) => shift::run(&args, limits),
        Command::Retime(args) => retime::run(&args, limits),
        Command::Align(args) => align::run(&args, limits),
        Command::Resample(args) => resample::run(&args, limits),
        Command::Mirror(args) => mirror::run(&args, limits),
        Command::Transform(args) => transform::run(&args, limits),
        Command::Select(args) => select::run(&args, limits),
        Command::Smooth(args) => smooth::run(&args, limits),
        Command::Fill(args) => fill::run(&args, limits),
        Command::Reduce(args) => reduce::run(&args, limits),
        Command::Markers(args) => markers::run(&args, limits),
        Command::Openxr(args) => openxr::run(&args, limits),
        Command::Completions(args) => completions::run(&args),
        Command::Man(args) => man::run(&args),
    }
}
