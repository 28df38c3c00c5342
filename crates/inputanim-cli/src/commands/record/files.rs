//! The files that are written: found to be possible before anything is recorded.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anstream::eprintln;

use crate::diagnostics::{report, warn};
use crate::in_out::{Target, write_recording};
use crate::outcome::Refusal;
use crate::output;

use super::as_its_layout;
use super::take::Take;

/// Refuses what cannot be written: nobody is to find out at the end of a take.
pub(super) fn check(target: &Target) -> anyhow::Result<()> {
    target.check()?;
    if target.output != Path::new("-") {
        return output::probe(&target.output);
    }
    if io::stdout().is_terminal() {
        let message = "a recording is no text for a terminal";
        return Err(Refusal::usage(
            message,
            "name a file after -o, or send the output into a pipe",
        ));
    }
    Ok(())
}

/// Writes what there is so far beside the output, under a name that is free. Whatever goes wrong
/// is said, and does not end the recording.
pub(super) fn write_snapshot(target: &Target, take: &Take) {
    if target.output == Path::new("-") {
        return warn("a snapshot needs a file after -o, beside which it goes");
    }
    if take.recorder.frames() == 0 {
        return warn("there is no frame yet of which to write a snapshot");
    }
    let (recording, _) = as_its_layout(take.recorder.snapshot());
    let written = free_name(&target.output).and_then(|path| {
        write_recording(&path, false, &recording)?;
        Ok(path)
    });
    match written {
        Ok(path) => eprintln!("{}: {}", path.display(), take.summary()),
        Err(error) => report(&error.context("the snapshot was not written")),
    }
}

/// `take-1.bin`, `take-2.bin` …: the first that is not there.
fn free_name(output: &Path) -> anyhow::Result<PathBuf> {
    let name = |number: u32| {
        let mut name = output.file_stem().unwrap_or_default().to_owned();
        name.push(format!("-{number}"));
        if let Some(extension) = output.extension() {
            name.push(".");
            name.push(extension);
        }
        output.with_file_name(name)
    };
    let free = (1..10_000).map(name).find(|path| !path.exists());
    free.ok_or_else(|| Refusal::failure("there are too many snapshots", "move some elsewhere"))
}
