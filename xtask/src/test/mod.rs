//! `cargo xtask test`: checks a change. The quick tier tests the program and the libraries as people install them; the full
//! tier runs every part, several at the same time.

mod cargo_tests;
mod changed;
mod parts;
mod report;
mod schedule;

use anyhow::{Context, Result, ensure};

use crate::process;
use parts::{Kind, Part};
use report::{Cost, Outcome};

/// The extent of the tests.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Run every part: lints, documentation, all formats, WebAssembly, converted files in the usual software for each
    /// format, the viewer in a browser, and, on Debian or Ubuntu, OpenXR and the program for Windows under Wine; needs
    /// Node.js 20 and Python 3.11, and installs packages under target/ and in web/
    #[arg(long)]
    full: bool,
    /// Run the parts of --full that the changes since a revision can affect, including changes that are not committed
    #[arg(
        long,
        value_name = "REVISION",
        num_args = 0..=1,
        default_missing_value = "HEAD",
        conflicts_with = "full"
    )]
    changed: Option<String>,
    /// Run only this part of --full, and nothing that it needs
    #[arg(long, value_name = "PART", conflicts_with_all = ["full", "changed"])]
    only: Option<String>,
    /// Print the parts of --full with what they need
    #[arg(long, conflicts_with_all = ["full", "changed", "only"])]
    list: bool,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let parts = parts::full();
    if args.list {
        for part in &parts {
            println!("{:<22} {}", part.name, part.needs.join(", "));
        }
        return Ok(());
    }
    if let Some(name) = &args.only {
        let part = parts.iter().find(|part| part.name == name);
        let part = part.with_context(|| {
            format!("unknown part `{name}`; `cargo xtask test --list` prints the parts")
        })?;
        return (part.run)();
    }
    if std::env::var_os("INPUTANIM_CORPUS").is_none() {
        println!("INPUTANIM_CORPUS is not set: tests that need the corpus count as skipped");
    }
    if args.full {
        return all_at_once(&parts, "");
    }
    if let Some(revision) = &args.changed {
        let selection = changed::select(parts, revision)?;
        if selection.parts.is_empty() {
            return Ok(());
        }
        return all_at_once(&selection.parts, &selection.filter);
    }
    one_after_the_other(&parts::quick())
}

/// Runs each part in a process of its own, as many at the same time as the machine can, and prints the results. Fails
/// if a part fails. `filter` is the filter of nextest for the tests of crates.
fn all_at_once(parts: &[Part], filter: &str) -> Result<()> {
    // If a program is missing, the task fails before the long part.
    let needs_node = parts.iter().any(|part| part.name == "viewer");
    ensure!(
        !needs_node
            || (process::succeeds("node", &["--version"])
                && process::succeeds("npm", &["--version"])),
        "this tier needs Node.js 20 or newer with npm"
    );
    let busy = report::busy();
    report::finish(&schedule::run(parts, filter)?, busy)
}

/// Runs the parts one after the other in this process, and prints the results. A failure does not stop the parts that
/// follow, so that one run shows all failures.
fn one_after_the_other(parts: &[Part]) -> Result<()> {
    let start = std::time::Instant::now();
    let mut outcomes = Vec::new();
    for part in parts {
        process::headline(part.name);
        let begin = start.elapsed();
        let result = (part.run)();
        if let Err(error) = &result {
            eprintln!("{}: {error:?}", part.name);
        }
        outcomes.push(Outcome {
            name: part.name,
            is_download: part.kind == Kind::Download,
            begin,
            wall: start.elapsed() - begin,
            cost: None::<Cost>,
            result,
        });
    }
    report::finish(&outcomes, None)
}
