//! Tests of the workspace with nextest, or with cargo's own runner where nextest is not installed.

use std::process::Command;
use std::time::{SystemTime, UNIX_EPOCH};

use anyhow::Result;

use crate::process;
use crate::viewer;

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
        command.args(["--locked", "--run-ignored", ignored]);
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
        process::run(command.args(packages).env("PROPTEST_RNG_SEED", &seed))
    };
    let of_viewer = format!("package(inputanim-cli) & test(/^{}/)", viewer::TESTS);
    match (has_corpus, has_viewer) {
        (true, true) => run("all", None),
        (true, false) => run("all", Some(format!("not ({of_viewer})"))),
        (false, true) => run("default", None).and(run("only", Some(of_viewer))),
        (false, false) => run("default", None),
    }
}

/// Builds the tests of the selected packages without running them. `packages` are the options of cargo that select
/// packages and features.
pub(super) fn build(packages: &[&str]) -> Result<()> {
    let mut command = Command::new("cargo");
    if has_nextest() {
        command.args(["nextest", "run"]);
    } else {
        command.args(["test", "--tests"]);
    }
    process::run(command.args(["--no-run", "--locked"]).args(packages))
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
