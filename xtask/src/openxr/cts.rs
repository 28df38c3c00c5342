//! `cargo xtask openxr --cts FOLDER`: the automated tests of Khronos' conformance test suite.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result, bail, ensure};
use fs_err as fs;
use roxmltree::Document;

use super::Tools;
use super::monado::Monado;
use super::tools::Server;
use crate::host;
use crate::process::{self, headline, root, target};

/// The program of the suite.
const PROGRAM: &str = "conformance_cli";

/// The runtime that the suite tests.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Runtime {
    Own,
    Monado,
    /// The runtime of this project, which plays over Monado.
    OverMonado,
}

impl Runtime {
    fn name(self) -> &'static str {
        match self {
            Runtime::Own => "runtime",
            Runtime::Monado => "Monado",
            Runtime::OverMonado => "`--over-runtime` with Monado",
        }
    }
}

/// A run of the suite.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Run {
    runtime: Runtime,
    graphics: &'static str,
    version: &'static str,
    has_layer: bool,
}

impl Run {
    const fn new(runtime: Runtime, graphics: &'static str, version: &'static str) -> Run {
        Run {
            runtime,
            graphics,
            version,
            has_layer: false,
        }
    }

    /// Returns the same run with the layer that records.
    const fn recorded(self) -> Run {
        Run {
            has_layer: true,
            ..self
        }
    }

    /// Returns the run whose results must be equal: the run without the layer. `None` if this is such a run.
    fn without_layer(self) -> Option<Run> {
        let without = Run {
            has_layer: false,
            ..self
        };
        self.has_layer.then_some(without)
    }

    fn title(self) -> String {
        let layer = if self.has_layer {
            ", through the layer"
        } else {
            ""
        };
        format!(
            "{}{layer}, {}, OpenXR {}",
            self.runtime.name(),
            self.graphics,
            self.version
        )
    }
}

/// The run that shows which tests a runtime can pass on this machine.
const REFERENCE: Run = Run::new(Runtime::Monado, "vulkan2", "1.1");

const RUNS: [Run; 8] = [
    REFERENCE,
    REFERENCE.recorded(),
    Run::new(Runtime::Own, "vulkan2", "1.0"),
    Run::new(Runtime::Own, "vulkan2", "1.1"),
    Run::new(Runtime::Own, "vulkan2", "1.1").recorded(),
    Run::new(Runtime::Own, "opengl", "1.1"),
    Run::new(Runtime::OverMonado, "vulkan2", "1.1"),
    Run::new(Runtime::OverMonado, "vulkan2", "1.1").recorded(),
];

/// The suite that somebody has built, and everything that its runs need.
struct Suite {
    folder: PathBuf,
    tools: Tools,
    server: Server,
    monado: Option<Monado>,
    /// The folder of the results.
    results: PathBuf,
}

/// Returns the path of the loader of OpenXR that the build of the suite copies to the folder of its program.
fn loader(folder: &Path) -> Result<PathBuf> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("libopenxr_loader.so.") {
            return Ok(path);
        }
    }
    bail!("{} has no libopenxr_loader.so.1", folder.display())
}

/// Compiles a library that replaces libXxf86vm. The suite asks it for the modes of the screen before it uses OpenGL, but an X server
/// without a screen does not have them. The header is one that the build of the suite needs.
fn replace_video_modes(folder: &Path) -> Result<()> {
    let source = folder.join("modes.c");
    fs::write(&source, VIDEO_MODES)?;
    let mut cc = Command::new("cc");
    cc.args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(folder.join("libXxf86vm.so.1"));
    process::run(cc.arg(source)).context("cannot compile modes.c; install libxxf86vm-dev")
}

/// One mode of 60 frames per second, which cannot be changed.
const VIDEO_MODES: &str = r#"
#include <stdlib.h>
#include <X11/Xlib.h>
#include <X11/extensions/xf86vmode.h>
Bool XF86VidModeGetAllModeLines(Display *display, int screen, int *count, XF86VidModeModeInfo ***modes) {
    XF86VidModeModeInfo *mode;
    (void)display;
    (void)screen;
    /* The caller frees one block. */
    *modes = calloc(1, sizeof(**modes) + sizeof(*mode));
    mode = (XF86VidModeModeInfo *)(*modes + 1);
    mode->dotclock = 60;
    mode->hdisplay = mode->vdisplay = 1000;
    mode->htotal = mode->vtotal = 1000;
    **modes = mode;
    *count = 1;
    return True;
}
Bool XF86VidModeSwitchToMode(Display *display, int screen, XF86VidModeModeInfo *mode) {
    (void)display, (void)screen, (void)mode;
    return False;
}
Bool XF86VidModeSetViewPort(Display *display, int screen, int x, int y) {
    (void)display, (void)screen, (void)x, (void)y;
    return False;
}
"#;

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
    let results = target().join("xtask/openxr/cts");
    if results.exists() {
        fs::remove_dir_all(&results)?;
    }
    for name in ["home", "libraries", "takes"] {
        fs::create_dir_all(results.join(name))?;
    }
    // Debian's loader is too old for the suite, which has its own.
    symlink(
        loader(&folder)?,
        results.join("libraries/libopenxr_loader.so.1"),
    )?;
    replace_video_modes(&results.join("libraries"))?;
    let suite = Suite {
        folder,
        server: tools.start_server()?,
        monado: Monado::provide(&results)?,
        tools,
        results,
    };
    // The suite ignores the folder of layers that `inputanim openxr record` names, but not the layers of the user.
    let mut install = Command::new(host::program());
    process::run(suite.with_home(install.args(["openxr", "install"])))?;
    let mut done: Vec<(Run, Results)> = Vec::new();
    for run in RUNS {
        if let Some(results) = suite.run(run)? {
            done.push((run, results));
        }
    }
    println!("\n{}", table(&done));
    for line in comparison(&done) {
        println!("{line}");
    }
    Ok(())
}

impl Suite {
    /// Runs the automated tests of the suite, and returns their results. `None` if the run needs Monado, which this machine cannot
    /// have.
    fn run(&self, run: Run) -> Result<Option<Results>> {
        headline(&run.title());
        let name = run.title().replace([' ', ',', '`', '-'], "");
        let file = self.results.join(name.clone() + ".xml");
        let mut command = match (run.runtime, &self.monado) {
            (Runtime::Own, _) => self.play(&[]),
            (_, None) => return Ok(None),
            (Runtime::Monado, Some(monado)) => monado.service(&self.tools, &self.libraries()),
            (Runtime::OverMonado, Some(monado)) => {
                let mut service = monado.service(&self.tools, &self.libraries());
                let play = self.play(&["--over-runtime"]);
                service.arg(play.get_program()).args(play.get_args());
                service
            }
        };
        if run.runtime == Runtime::Own {
            self.tools.set_environment(&mut command);
            command.env("LD_LIBRARY_PATH", self.libraries());
        } else {
            command.arg("@linker");
        }
        self.server.set_environment(self.with_home(&mut command));
        command
            .arg(self.folder.join(PROGRAM))
            .args(["exclude:[interactive]", "-G", run.graphics])
            .args(["--apiVersion", run.version, "--reporter"])
            .arg(format!("ctsxml::out={}", file.display()))
            // The suite finds its layer and its files there.
            .current_dir(&self.folder);
        if run.has_layer {
            let take = self.results.join("takes").join(name + ".session");
            command.env("INPUTANIM_OPENXR_RECORD", take);
        }
        // The suite fails if a test fails.
        let (printed, _) = process::captured(&mut command);
        fs::write(file.with_extension("txt"), &printed)?;
        let text = fs::read_to_string(&file).with_context(|| printed.clone())?;
        let results = Results::of(&text).with_context(|| file.display().to_string())?;
        print!("{}", results.row(&run.title()));
        Ok(Some(results))
    }

    /// Returns the folders of the libraries of the suite and of the packages, separated by colons.
    fn libraries(&self) -> OsString {
        let mut folders = self.results.join("libraries").into_os_string();
        folders.push(":");
        folders.push(self.tools.libraries());
        folders
    }

    /// Returns a command that plays a recording into the program of its next arguments.
    fn play(&self, options: &[&str]) -> Command {
        let mut play = Command::new(host::program());
        play.args(["openxr", "play", "--allow-inactive"])
            .args(["--clock", "real", "--end", "loop"])
            .args(options)
            .arg(root().join("samples/two-hands.bin"))
            .arg("--");
        play
    }

    /// Sets the home folder of a program, which has the layer.
    fn with_home<'c>(&self, command: &'c mut Command) -> &'c mut Command {
        command.env("HOME", self.results.join("home"));
        command
            .env_remove("XDG_DATA_HOME")
            .env_remove("XDG_CONFIG_HOME")
    }
}

/// Returns the table of all runs.
fn table(runs: &[(Run, Results)]) -> String {
    let rows = runs.iter().map(|(run, results)| results.row(&run.title()));
    let head = "| run | pass | fail | skip | failed |\n|---|---|---|---|---|\n";
    head.to_owned() + &rows.collect::<String>()
}

/// Returns the tests whose result the layer changes, and the tests that fail although the reference passes them.
fn comparison(runs: &[(Run, Results)]) -> Vec<String> {
    let find = |run| runs.iter().find(|(other, _)| *other == run);
    let mut lines = Vec::new();
    for (run, results) in runs {
        let mut add = |other: Option<&(Run, Results)>, is_worse_only: bool| {
            let Some((reference, others)) = other else {
                return;
            };
            let differ = results.0.iter().filter_map(|(name, outcome)| {
                let expected = *others.0.get(name)?;
                let counts =
                    !is_worse_only || (expected == Outcome::Passed && *outcome == Outcome::Failed);
                (counts && *outcome != expected)
                    .then(|| format!("`{name}` is {outcome:?} instead of {expected:?}"))
            });
            let differ: Vec<String> = differ.collect();
            lines.push(format!(
                "{}, compared with {}: {}",
                run.title(),
                reference.title(),
                if differ.is_empty() {
                    "no difference".to_owned()
                } else {
                    differ.join(", ")
                }
            ));
        };
        match run.without_layer() {
            Some(without) => add(find(without), false),
            None if *run != REFERENCE => add(find(REFERENCE), true),
            None => {}
        }
    }
    lines
}

/// The result of a test case.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Outcome {
    Passed,
    Skipped,
    Failed,
}

/// The results of the test cases of a run, by their names.
#[derive(Debug, PartialEq)]
struct Results(BTreeMap<String, Outcome>);

impl Results {
    /// Reads the test cases of a report in the format JUnit, in which each section of a test case is an element. A test case has the
    /// worst result of its sections.
    fn of(text: &str) -> Result<Results> {
        let document = Document::parse(text)?;
        let mut cases: BTreeMap<String, Outcome> = BTreeMap::new();
        let sections = document
            .descendants()
            .filter(|node| node.has_tag_name("testcase"));
        for section in sections {
            let name = section
                .attribute("name")
                .context("a test case without a name")?;
            let name = name.split('/').next().unwrap_or(name);
            let has = |tag: &str| section.children().any(|node| node.has_tag_name(tag));
            let outcome = if has("failure") || has("error") {
                Outcome::Failed
            } else if has("skipped") {
                Outcome::Skipped
            } else {
                Outcome::Passed
            };
            let case = cases.entry(name.to_owned()).or_insert(outcome);
            *case = outcome.max(*case);
        }
        ensure!(!cases.is_empty(), "the report has no tests");
        Ok(Results(cases))
    }

    /// Returns the row of the table.
    fn row(&self, title: &str) -> String {
        let names = |wanted| {
            let cases = self
                .0
                .iter()
                .filter(move |(_, outcome)| **outcome == wanted);
            cases.map(|(name, _)| format!("`{name}`"))
        };
        let [passed, failed, skipped] = [Outcome::Passed, Outcome::Failed, Outcome::Skipped]
            .map(|wanted| names(wanted).count());
        let names = names(Outcome::Failed).collect::<Vec<_>>().join(", ");
        format!("| {title} | {passed} | {failed} | {skipped} | {names} |\n")
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
        let results = Results::of(report).expect("a report");
        let row = "| title | 1 | 1 | 1 | `One` |\n";
        assert_eq!(results.row("title"), row);
        assert!(Results::of("<testsuites/>").is_err());
    }
}
