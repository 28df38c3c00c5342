//! `cargo xtask openxr --cts FOLDER`: the automated tests of Khronos' conformance test suite.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

use anyhow::{Context, Result, ensure};
use fs_err as fs;
use roxmltree::Document;

use super::Tools;
use crate::host;
use crate::process::{self, headline, root, target};

/// The program of the suite.
const PROGRAM: &str = "conformance_cli";

/// A run of the suite.
struct Run {
    name: &'static str,
    graphics: &'static str,
    version: &'static str,
    has_layer: bool,
}

const RUNS: [Run; 4] = [
    Run {
        name: "runtime",
        graphics: "vulkan2",
        version: "1.0",
        has_layer: false,
    },
    Run {
        name: "runtime",
        graphics: "vulkan2",
        version: "1.1",
        has_layer: false,
    },
    Run {
        name: "runtime",
        graphics: "opengl",
        version: "1.1",
        has_layer: false,
    },
    Run {
        name: "runtime, through the layer",
        graphics: "vulkan2",
        version: "1.1",
        has_layer: true,
    },
];

/// Runs the suite that is built in `folder`, and prints a table for docs/openxr.md. A failed test is no error of the task.
pub(crate) fn run(folder: &Path) -> Result<()> {
    let folder = fs::canonicalize(folder)?;
    ensure!(
        folder.join(PROGRAM).exists(),
        "{} has no {PROGRAM}: build OpenXR-CTS, and name the folder of this program",
        folder.display()
    );
    host::build()?;
    let tools = Tools::provide()?;
    let server = tools.start_server()?;
    let results = target().join("xtask/openxr/cts");
    fs::create_dir_all(&results)?;
    // The suite ignores the folder of layers that `inputanim openxr record` names, but not the layers of the user.
    let home = results.join("home");
    fs::create_dir_all(&home)?;
    let mut install = Command::new(host::program());
    install.args(["openxr", "install"]);
    process::run(with_home(&mut install, &home))?;
    let mut table = "| run | pass | fail | skip | failed |\n|---|---|---|---|---|\n".to_owned();
    for run in &RUNS {
        let title = format!("{}, {}, OpenXR {}", run.name, run.graphics, run.version);
        headline(&title);
        let number = table.lines().count();
        let file = results.join(format!("{number}.xml"));
        if file.exists() {
            fs::remove_file(&file)?;
        }
        let mut play = Command::new(host::program());
        tools.set_environment(with_home(&mut play, &home));
        server.set_environment(&mut play);
        play.args(["openxr", "play", "--allow-inactive"])
            .args(["--clock", "real", "--end", "loop"])
            .arg(root().join("samples/two-hands.bin"))
            .arg("--")
            .arg(folder.join(PROGRAM))
            .args(["exclude:[interactive]", "-G", run.graphics])
            .args(["--apiVersion", run.version, "--reporter"])
            .arg(format!("ctsxml::out={}", file.display()))
            // The suite finds its layer and its files there.
            .current_dir(&folder);
        if run.has_layer {
            play.env("INPUTANIM_OPENXR_RECORD", results.join("take.session"));
        }
        // The suite fails if a test fails.
        let (printed, _) = process::captured(&mut play);
        let text = fs::read_to_string(&file).with_context(|| printed.clone())?;
        let counts = Counts::of(&text).with_context(|| file.display().to_string())?;
        table += &counts.row(&title);
    }
    println!("\n{table}");
    Ok(())
}

/// Sets the home folder of a program, which has the layer.
fn with_home<'c>(command: &'c mut Command, home: &Path) -> &'c mut Command {
    command.env("HOME", home);
    command
        .env_remove("XDG_DATA_HOME")
        .env_remove("XDG_CONFIG_HOME")
}

/// The results of the test cases of a run.
#[derive(Debug, Default, PartialEq)]
struct Counts {
    passed: usize,
    skipped: usize,
    /// The names of the test cases that failed.
    failed: BTreeSet<String>,
}

impl Counts {
    /// Counts the test cases of a report in the format JUnit, in which each section of a test case is an element.
    fn of(text: &str) -> Result<Counts> {
        let document = Document::parse(text)?;
        // The names of test cases, and whether a section failed or was skipped.
        let mut cases: BTreeMap<&str, [bool; 2]> = BTreeMap::new();
        let sections = document
            .descendants()
            .filter(|node| node.has_tag_name("testcase"));
        for section in sections {
            let name = section
                .attribute("name")
                .context("a test case without a name")?;
            let name = name.split('/').next().unwrap_or(name);
            let has = |tag: &str| section.children().any(|node| node.has_tag_name(tag));
            let [failed, skipped] = cases.entry(name).or_default();
            *failed |= has("failure") || has("error");
            *skipped |= has("skipped");
        }
        let mut counts = Counts::default();
        for (name, [failed, skipped]) in cases {
            if failed {
                counts.failed.insert(name.to_owned());
            } else if skipped {
                counts.skipped += 1;
            } else {
                counts.passed += 1;
            }
        }
        ensure!(counts != Counts::default(), "the report has no tests");
        Ok(counts)
    }

    /// Returns the row of the table.
    fn row(&self, title: &str) -> String {
        let Counts {
            passed,
            skipped,
            failed,
        } = self;
        let names: Vec<String> = failed.iter().map(|name| format!("`{name}`")).collect();
        let (count, names) = (failed.len(), names.join(", "));
        format!("| {title} | {passed} | {count} | {skipped} | {names} |\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_test_case_has_the_worst_result_of_its_sections() {
        let report = r#"<testsuites><testsuite name="suite">
            <testcase classname="global" name="One/first"/>
            <testcase classname="global" name="One/second"><failure message="x"/></testcase>
            <testcase classname="global" name="Two"><skipped message="y"/></testcase>
            <testcase classname="global" name="Three"/>
            </testsuite></testsuites>"#;
        let counts = Counts::of(report).expect("a report");
        let row = "| title | 1 | 1 | 1 | `One` |\n";
        assert_eq!(counts.row("title"), row);
        assert!(Counts::of("<testsuites/>").is_err());
    }
}
