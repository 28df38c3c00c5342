//! Tests of the workspace with nextest, or with cargo's own runner where nextest is not installed.

use std::path::PathBuf;
use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;
use fs_err as fs;

use crate::process::{self, target};
use crate::{host, viewer};

/// Runs the tests of the selected packages. Ignored tests run too if their needs are met: the corpus, and the viewer.
/// Other ignored tests count as skipped. `packages` are the options of cargo that select packages and features.
/// `filter` is a filter of nextest; all tests run if it is empty.
pub(super) fn run(packages: &[&str], filter: &str) -> Result<()> {
    let has_corpus = std::env::var_os("INPUTANIM_CORPUS").is_some();
    let has_viewer = viewer::is_built();
    if !has_viewer {
        println!(
            "the viewer is not built: tests of the server of `view` and of reports count as skipped"
        );
    }
    let seed = seed();
    if !has_nextest() {
        println!(
            "cargo-nextest is not installed: running the tests with `cargo test`, which is slower"
        );
        let mut command = Command::new("cargo");
        command.args(["test", "--tests", "--no-fail-fast", "--locked"]);
        command.args(packages).arg("--");
        match (has_corpus, has_viewer) {
            (true, true) => command.arg("--include-ignored"),
            (true, false) => command.args(["--include-ignored", "--skip", viewer::TESTS]),
            (false, _) => &mut command,
        };
        return process::run(command.env("PROPTEST_RNG_SEED", seed));
    }
    let run = |ignored: &str, tests: Option<String>| {
        let mut command = Command::new("cargo");
        command.args(["nextest", "run", "--no-fail-fast"]);
        command.args(["--status-level", "slow", "--final-status-level", "slow"]);
        command.args(["--run-ignored", ignored]);
        let filters: Vec<String> = [tests, Some(filter.to_owned())]
            .into_iter()
            .flatten()
            .filter(|filter| !filter.is_empty())
            .map(|filter| format!("({filter})"))
            .collect();
        if !filters.is_empty() {
            command.args(["--no-tests", "pass"]);
            command.args(["--filterset", &filters.join(" & ")]);
        }
        if std::env::var_os(host::IS_BUILT).is_some() {
            // Cargo would wait for other builds in the same folder.
            let [crates, programs] = descriptions();
            command.arg("--cargo-metadata").arg(crates);
            command.arg("--binaries-metadata").arg(programs);
        } else {
            command.arg("--locked").args(packages);
        }
        process::run(command.env("PROPTEST_RNG_SEED", &seed))
    };
    let of_viewer = format!("package(inputanim-cli) & test(/^{}/)", viewer::TESTS);
    match (has_corpus, has_viewer) {
        (true, true) => run("all", None),
        (true, false) => run("all", Some(format!("not ({of_viewer})"))),
        (false, true) => run("default", None).and(run("only", Some(of_viewer))),
        (false, false) => run("default", None),
    }
}

/// Builds the tests of the selected packages without running them, and writes the descriptions with which [`run`] finds
/// them. `packages` are the options of cargo that select packages and features.
pub(super) fn build(packages: &[&str]) -> Result<()> {
    let mut command = Command::new("cargo");
    if !has_nextest() {
        command.args(["test", "--tests", "--no-run", "--locked"]);
        return process::run(command.args(packages));
    }
    command.args(["nextest", "list", "--list-type", "binaries-only"]);
    command.args(["--message-format", "json", "--locked"]);
    let [crates, programs] = descriptions();
    let listed = process::output(command.args(packages))?;
    if let Some(folder) = programs.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(programs, listed)?;
    let mut metadata = Command::new("cargo");
    metadata.args([
        "metadata",
        "--format-version=1",
        "--all-features",
        "--locked",
    ]);
    Ok(fs::write(crates, process::output(&mut metadata)?)?)
}

/// Returns the paths of two files for nextest, which [`build`] writes: the descriptions of the crates, and of the test
/// programs.
fn descriptions() -> [PathBuf; 2] {
    ["crates.json", "programs.json"].map(|name| target().join("xtask/nextest").join(name))
}

/// Runs the examples in the documentation of the selected packages. `packages` are the options of cargo that select
/// packages and features.
pub(super) fn run_examples(packages: &[&str]) -> Result<()> {
    let mut command = Command::new("cargo");
    command.args(["test", "--doc", "--locked", "--quiet"]);
    process::run(command.args(packages))
}

fn has_nextest() -> bool {
    process::succeeds("cargo", &["nextest", "--version"])
}

/// Returns the seed of all random numbers in tests: `PROPTEST_RNG_SEED`, or a seed from the clock if it is not set.
/// Prints it, so that a failed run can be repeated.
fn seed() -> String {
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH);
        clock.map_or(0, |time| time.as_secs()).to_string()
    });
    println!("PROPTEST_RNG_SEED={seed} repeats this run");
    seed
}
