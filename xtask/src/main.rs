//! The tasks of this workspace, run as `cargo xtask TASK`.

mod analysis;
mod builds;
mod clients;
mod debian;
mod deny;
mod dist;
mod docs;
mod duckdb;
mod fuzz;
mod host;
mod licences;
mod macos;
mod openxr;
mod process;
mod profiles;
mod python;
mod python_env;
mod readers;
mod readme;
mod setup;
mod spec;
mod tables;
mod test;
mod unity;
mod viewer;
mod wasm;
mod web;
mod windows;

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
    /// Prepare a clone for development: switch on the hooks of .githooks, and list missing programs
    Setup,
    /// Run all tests
    Test(test::Args),
    /// Run the fuzz targets
    Fuzz(fuzz::Args),
    /// Compare the parser with an independent reader that is generated from spec/inputanim.ksy
    Spec,
    /// Read converted files with the usual software for each format, and compare the values
    Readers(readers::Args),
    /// Test with large software: converted files in Blender and Rerun, scans in Apache Spark, Daft, Ray and Dask, and
    /// OpenXR with Bevy
    Clients(clients::Args),
    /// Run the first command of the README and compare its output
    Readme,
    /// Compare results in WebAssembly with results in native code, bit for bit
    Wasm,
    /// Compile the package for Unity against stubs of Unity, and compare its results with native code, bit for bit
    Unity(unity::Args),
    /// Build the npm package and the viewer: web/package and crates/inputanim-page/viewer
    Web(web::Args),
    /// Build the Python package, and test it in an environment of its own
    Python(python::Args),
    /// Build the program for Windows and test it under Wine, both without installing anything
    Windows(windows::Args),
    /// Check that the program compiles for macOS, where nothing is tested
    Macos,
    /// Check the licences, the sources and the duplicates of all dependencies, by deny.toml
    Deny,
    /// Build the documentation as a site with search in target/docs, and check its links
    Docs,
    /// Make the packages of a release in target/dist, and install them in empty systems
    Dist(dist::Args),
    /// Build the DuckDB extension: target/duckdb/inputanim.duckdb_extension
    Duckdb(duckdb::Args),
    /// Play recordings into applications of OpenXR, with packages of Debian or Ubuntu that are not installed
    Openxr(openxr::Args),
    /// Make the list of interaction profiles of OpenXR from a registry of Khronos
    Profiles(profiles::Args),
    /// Generate samples/ and fuzz/seeds/ again, or write the files of the examples of the documentation
    Samples(Samples),
    /// Run the benchmarks and print their ratios
    Bench,
    /// Remove w from recordings, repair them, and print the errors
    Accuracy,
    /// Compare measures and events with the results of SciPy, NumPy, pymovements and movement
    Analysis,
    /// Measure the analysis of a study, and compare the time with the time of a Python script
    Measures,
    /// Reduce recordings with every method, and print sizes and errors
    Reduction,
    /// Convert a study to Parquet, and compare the time with the time of a Python script
    Tables,
    /// Build the program from scratch with several sets of features, and print the times
    Builds,
}

fn main() -> Result<()> {
    match Tasks::parse().task {
        Task::Setup => setup::run(),
        Task::Test(args) => test::run(&args),
        Task::Fuzz(args) => fuzz::run(&args),
        Task::Spec => spec::run(),
        Task::Readers(args) => readers::run(&args),
        Task::Clients(args) => clients::run(&args),
        Task::Readme => readme::run(),
        Task::Wasm => wasm::compare(web::Build::Published),
        Task::Unity(args) => unity::run_all(&args),
        Task::Web(args) => web::run_all(&args),
        Task::Python(args) => python::run(&args),
        Task::Windows(args) => windows::run_all(&args),
        Task::Macos => macos::check(),
        Task::Deny => deny::run(),
        Task::Docs => docs::run_all(),
        Task::Dist(args) => dist::run_all(&args),
        Task::Duckdb(args) => duckdb::run_all(&args),
        Task::Openxr(args) => openxr::run_all(&args),
        Task::Profiles(args) => profiles::run(&args),
        Task::Samples(args) => match args.documents {
            Some(folder) => example("documents", &["--features", "mcap-files", "--", &folder]),
            None => example("samples", &[]),
        },
        Task::Accuracy => example("accuracy", &[]),
        Task::Analysis => analysis::run(),
        Task::Measures => analysis::measure(),
        Task::Reduction => example("reduction", &[]),
        Task::Tables => tables::run(),
        Task::Builds => builds::run(),
        Task::Bench => process::cargo(&["bench", "--package", "inputanim-bench", "--all-features"]),
    }
}

/// The files to write.
#[derive(clap::Args)]
struct Samples {
    /// Write the files that the examples of the documentation use to this folder: samples, damaged, study and others
    #[arg(long, value_name = "FOLDER")]
    documents: Option<String>,
}

/// Runs an example of the crate inputanim-testkit, by its name, with more arguments of `cargo run`.
fn example(name: &str, more: &[&str]) -> Result<()> {
    let package = ["--package", "inputanim-testkit", "--example", name];
    process::cargo(&[&["run", "--quiet", "--locked"], &package[..], more].concat())
}
