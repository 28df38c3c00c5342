//! `cargo xtask test`: runs the tests of the workspace.

use std::process::{Command, Stdio};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use anyhow::{Result, bail, ensure};

use crate::process::{self, headline};
use crate::{analysis, duckdb, openxr, python, readers, readme, spec, wasm, web, windows};

/// The extent of the tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Also test all formats, WebAssembly, converted files with the usual software for each format, the
    /// viewer in a browser, and, on Debian or Ubuntu, the program for Windows under Wine; needs Node.js 20
    /// and Python 3.11, and installs packages under target/ and in web/
    #[arg(long)]
    full: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let has_corpus = std::env::var_os("INPUTANIM_CORPUS").is_some();
    if !has_corpus {
        println!("INPUTANIM_CORPUS is not set: tests that need the corpus count as skipped");
    }
    if args.full {
        // If a program is missing, the task fails before the long part.
        ensure!(
            succeeds("node", &["--version"]) && succeeds("npm", &["--version"]),
            "`cargo xtask test --full` needs Node.js 20 or newer with npm"
        );
        // The program includes the viewer, so it comes first.
        headline("npm package and viewer");
        web::build()?;
    }
    let features: &[&str] = if args.full { &["--all-features"] } else { &[] };
    let mut parts = Parts::default();
    parts.run(
        "unit and integration tests, and the commands of README and docs",
        || run_tests(features, has_corpus),
    );
    parts.run("examples in the documentation of the library", || {
        process::run(
            Command::new("cargo")
                .args(["test", "--doc", "--workspace", "--locked", "--quiet"])
                .args(features),
        )
    });
    if !args.full {
        // With --full the program has other features, so this command would build it again.
        parts.run("the first command of the README", readme::run);
        return parts.finish();
    }
    parts.run(
        "comparison with a reader generated from spec/inputanim.ksy",
        spec::run,
    );
    parts.run("comparison of WebAssembly and native code", wasm::compare);
    parts.run(
        "converted files in the usual software for each format",
        || readers::run(&readers::Args { format: None }),
    );
    parts.run(
        "measures and events in reference implementations",
        analysis::run,
    );
    parts.run("npm package and viewer in Node and Chromium", web::test);
    parts.run("DuckDB extension", || duckdb::test(&duckdb::build()?));
    if succeeds("apt-get", &["--version"]) {
        parts.run("applications of OpenXR", openxr::run);
        parts.run("program for Windows, and packages", || {
            windows::run_all(&windows::Args { full: false })
        });
    } else {
        println!("skipped: the tests under Wine and with OpenXR need packages of Debian or Ubuntu");
    }
    parts.run("Python package", || python::run(&python::Args::default()));
    parts.finish()
}

/// The results of the parts of the tests. All parts run, so that one run shows all failures.
#[derive(Default)]
struct Parts {
    /// The name, the seconds, and the error.
    ran: Vec<(&'static str, u64, Result<()>)>,
}

impl Parts {
    fn run(&mut self, name: &'static str, part: impl FnOnce() -> Result<()>) {
        headline(name);
        let start = Instant::now();
        let result = part();
        if let Err(error) = &result {
            eprintln!("{name}: {error:?}");
        }
        self.ran.push((name, start.elapsed().as_secs(), result));
    }

    /// Prints the parts, and returns an error if one of them failed.
    fn finish(self) -> Result<()> {
        headline("results");
        for (name, seconds, result) in &self.ran {
            let result = if result.is_ok() { "passed" } else { "FAILED" };
            println!("{result} {seconds:>5} s  {name}");
        }
        let failed = self.ran.iter().filter(|(_, _, result)| result.is_err());
        match failed.count() {
            0 => Ok(()),
            count => bail!("{count} of {} parts failed", self.ran.len()),
        }
    }
}

/// Tests of the program that need the viewer. They are ignored, because a program without the viewer is complete too.
pub(crate) const NEEDS_VIEWER: &str = "view::";

/// Returns whether programs that are compiled now include the viewer.
pub(crate) fn has_viewer() -> bool {
    process::root()
        .join("crates/inputanim-page/viewer/inputanim.html")
        .exists()
}

/// Runs all tests with nextest, or with cargo's own runner where nextest is not installed. Ignored tests run too if
/// their needs are met: the corpus, and the viewer. Other ignored tests count as skipped.
fn run_tests(features: &[&str], has_corpus: bool) -> Result<()> {
    let has_viewer = has_viewer();
    if !has_viewer {
        println!(
            "the viewer is not built: tests of the server of `view` and of reports count as skipped"
        );
    }
    if !succeeds("cargo", &["nextest", "--version"]) {
        println!(
            "cargo-nextest is not installed: running the tests with `cargo test`, which is slower"
        );
        let mut command = Command::new("cargo");
        command.args([
            "test",
            "--tests",
            "--no-fail-fast",
            "--workspace",
            "--locked",
        ]);
        command.args(features).arg("--");
        match (has_corpus, has_viewer) {
            (true, true) => command.arg("--include-ignored"),
            (true, false) => command.args(["--include-ignored", "--skip", NEEDS_VIEWER]),
            (false, _) => &mut command,
        };
        return process::run(command.env("PROPTEST_RNG_SEED", seed()));
    }
    let seed = seed();
    let run = |ignored: &str, tests: Option<String>| {
        let mut command = Command::new("cargo");
        command.args(["nextest", "run", "--no-fail-fast"]);
        command.args(["--status-level", "slow", "--final-status-level", "slow"]);
        command.args(["--workspace", "--locked", "--run-ignored", ignored]);
        if let Some(tests) = tests {
            command.args(["--filterset", &tests]);
        }
        process::run(command.args(features).env("PROPTEST_RNG_SEED", &seed))
    };
    let of_viewer = format!("package(inputanim-cli) & test(/^{NEEDS_VIEWER}/)");
    match (has_corpus, has_viewer) {
        (true, true) => run("all", None),
        (true, false) => run("all", Some(format!("not ({of_viewer})"))),
        (false, true) => run("default", None).and(run("only", Some(of_viewer))),
        (false, false) => run("default", None),
    }
}

/// Returns the seed of all random input: `PROPTEST_RNG_SEED`, or a seed from the clock if it is not set.
/// Prints it, so that a failed run can be repeated.
fn seed() -> String {
    let seed = std::env::var("PROPTEST_RNG_SEED").unwrap_or_else(|_| {
        let clock = SystemTime::now().duration_since(UNIX_EPOCH);
        clock.map_or(0, |time| time.as_secs()).to_string()
    });
    println!("PROPTEST_RNG_SEED={seed} repeats this run");
    seed
}

/// Returns true if a program runs and exits without an error.
fn succeeds(program: &str, arguments: &[&str]) -> bool {
    let mut command = Command::new(program);
    command
        .args(arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}
