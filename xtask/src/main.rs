//! Tasks of this workspace, run as `cargo xtask TASK`.

mod accuracy;
mod builds;
mod fuzz;
mod process;
mod readers;
mod readme;
mod reduction;
mod samples;
mod spec;
mod tables;
mod test;
#[path = "../../crates/inputanim-motion/tests/truth/mod.rs"]
mod truth;

use anyhow::Result;
use clap::{Parser, Subcommand};

/// Tasks of this workspace
#[derive(Parser)]
#[command(name = "cargo xtask")]
struct Tasks {
    #[command(subcommand)]
    task: Task,
}

#[derive(Subcommand)]
enum Task {
    /// Run all tests; installs what they need beyond cargo
    Test(test::Args),
    /// Run every fuzz target
    Fuzz(fuzz::Args),
    /// Compare an independent reader, made from spec/inputanim.ksy, with ours
    Spec,
    /// Read what we write with the programs that it is for, and compare
    Readers(readers::Args),
    /// The same with large programs, Blender and Rerun: before a change of what they read
    Clients(readers::Args),
    /// Run the first command of the README and compare what it prints
    Readme,
    /// Make the files of samples/ and the fuzz targets' first inputs again
    Samples,
    /// Run the benchmarks and print their ratios
    Bench,
    /// Take w away from recordings, repair them, and print how well it came back
    Accuracy,
    /// Reduce recordings in every way, and print what is left and how far off it is
    Reduction,
    /// Convert a study to Parquet, and compare with a script in Python
    Tables,
    /// Build the program anew with every choice of features, and print how long it takes
    Builds,
    /// Compare the sampler with that of ozz-animation-rs on the same motion
    Compare,
}

fn main() -> Result<()> {
    match Tasks::parse().task {
        Task::Test(args) => test::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Spec => spec::run(),
        Task::Readers(args) => readers::run(&args),
        Task::Clients(args) => readers::run_clients(&args),
        Task::Readme => readme::run(),
        Task::Samples => samples::run(),
        Task::Accuracy => accuracy::run(),
        Task::Reduction => reduction::run(),
        Task::Tables => tables::run(),
        Task::Builds => builds::run(),
        Task::Compare => process::run(&mut process::script("comparison/run")),
        Task::Bench => process::cargo(&["bench", "--package", "inputanim-bench"]),
    }
}
