//! The cost of a recording for the application.

use std::process::Command;

use anyhow::{Context, Result, ensure};

use super::Test;
use crate::host;
use crate::process::{self, headline, root};

/// The frames of the short and the long recording: the cost must not depend on their number.
const FRAMES: [&str; 2] = ["2000", "20000"];

/// The memory that the layer may cost, in kB.
const MAX_MEMORY: f64 = 20_000.0;

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
}
