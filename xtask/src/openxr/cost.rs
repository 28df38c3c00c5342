//! The cost of a recording for the application, and the errors that Valgrind finds in the libraries.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Test;
use crate::host;
use crate::process::{self, headline, root};

/// The frames of the short and the long recording: the cost must not depend on their number.
const FRAMES: [&str; 2] = ["2000", "20000"];

/// The memory that the layer may cost, in kB.
const MAX_MEMORY: f64 = 20_000.0;

/// Returns `true` if a line of the stack of an error is in the libraries.
fn is_ours(line: &str) -> bool {
    line.contains("libinputanim_openxr")
        || (line.contains("crates/inputanim") && line.contains("/src/"))
}

impl Test {
    /// Checks that the memory of an application does not depend on the length of a recording. Prints the time that the end of the
    /// session takes, which depends on the load of the machine.
    pub(super) fn a_long_recording_costs_no_memory(&self) -> Result<()> {
        headline("cost of a long recording");
        let mut short = None;
        for frames in FRAMES {
            let mut record = Command::new(host::program());
            record.args(["openxr", "record", "--force", "--quiet", "-o"]);
            record.arg(self.folder.join("long.session")).arg("--");
            record
                .arg(self.client().get_program())
                .args(["time", frames]);
            let printed = self.cost(&record)?;
            let [_, end, memory] = printed;
            println!("{frames} frames: {memory} kB, {end} ms for the end of the session");
            let short = *short.get_or_insert(memory);
            ensure!(
                memory - short < MAX_MEMORY,
                "{memory} kB instead of {short} kB"
            );
        }
        Ok(())
    }

    /// Plays into the client with `time`, and returns the numbers that it prints: microseconds for each frame, milliseconds for the
    /// end of the session, and kB of memory.
    fn cost(&self, application: &Command) -> Result<[f64; 3]> {
        let mut play = Command::new(host::program());
        self.tools.set_environment(&mut play);
        play.args(["openxr", "play", "--end", "loop"])
            .arg(root().join("samples/wave.bin"))
            .arg("--")
            .arg(application.get_program())
            .args(application.get_args());
        let printed = String::from_utf8(process::output(&mut play)?)?;
        let number = |unit: &str| {
            let words: Vec<&str> = printed.split_whitespace().collect();
            let place = words.iter().position(|word| *word == unit);
            let number = place.and_then(|place| words.get(place.checked_sub(1)?)?.parse().ok());
            number.with_context(|| format!("no number of {unit}:\n{printed}"))
        };
        Ok([number("µs")?, number("ms")?, number("kB")?])
    }

    /// Checks that Valgrind finds no errors and no lost memory in the runtime and in the layer.
    pub(super) fn valgrind_finds_nothing(&self) -> Result<()> {
        headline("Valgrind");
        // It needs the symbols of the C library of this machine, so that packages that are only extracted do not suffice.
        if !process::succeeds("valgrind", &["--quiet", "true"]) {
            println!("skipped: install the packages valgrind and libc6-dbg");
            return Ok(());
        }
        let mut valgrind = Command::new("valgrind");
        valgrind
            .args(["--fullpath-after=", "--leak-check=full"])
            .args(["--show-leak-kinds=definite", "--num-callers=40"])
            .arg(self.client().get_program())
            .arg("time");
        let mut record = Command::new(host::program());
        record.args(["openxr", "record", "--force", "-o"]);
        record.arg(self.folder.join("valgrind.session")).arg("--");
        record.arg(valgrind.get_program()).args(valgrind.get_args());
        for (name, application) in [("runtime", &valgrind), ("runtime and layer", &record)] {
            let mut play = Command::new(host::program());
            self.tools.set_environment(&mut play);
            play.args(["openxr", "play"])
                .arg(root().join("samples/two-hands.bin"))
                .arg("--")
                .arg(application.get_program())
                .args(application.get_args());
            let (printed, result) = process::captured(&mut play);
            result.with_context(|| printed.clone())?;
            ensure!(printed.contains("ERROR SUMMARY"), "no summary:\n{printed}");
            // Each error is a paragraph whose lines begin with the number of the process.
            let text: Vec<&str> = printed
                .lines()
                .map(|line| {
                    line.trim_start_matches(['=', ' '])
                        .trim_start_matches(|c: char| c.is_ascii_digit())
                })
                .map(|line| line.trim_start_matches(['=', ' ']))
                .collect();
            let errors = text.split(|line| line.is_empty());
            let errors: Vec<_> = errors
                .filter(|lines| lines.iter().any(|line| line.starts_with("at 0x")))
                .collect();
            let ours: Vec<_> = errors
                .iter()
                .filter(|lines| lines.iter().any(|line| is_ours(line)))
                .collect();
            ensure!(ours.is_empty(), "{name}: {ours:#?}");
            println!("{name}: no errors; {} in other libraries", errors.len());
        }
        Ok(())
    }
}
