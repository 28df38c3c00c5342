//! The output files, which are checked before anything is recorded.

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};

use anstream::eprintln;
use inputanim_convert::WriteOptions;

use crate::files::in_out::{Target, write_recording_in};
use crate::files::output;
use crate::messages::diagnostics::{report, warn};
use crate::messages::outcome::Refusal;

use super::as_its_layout;
use super::capture::Capture;

/// Refuses an output that cannot be written, before anything is recorded.
pub(super) fn check(target: &Target) -> anyhow::Result<()> {
    target.check(&[], "recorded")?;
    if target.output != Path::new("-") {
        // A recording cannot be repeated, so the folder is tested, too.
        return output::probe(&target.output);
    }
    if io::stdout().is_terminal() {
        let message = "refusing to write binary data to a terminal";
        return Err(Refusal::usage(
            message,
            "choose a file with -o, or pipe the output to a program",
        ));
    }
    Ok(())
}

/// Writes a snapshot of the recording beside the output, under a name that does not exist. An error is printed, and
/// does not end the recording.
pub(super) fn write_snapshot(target: &Target, capture: &Capture) {
    if target.output == Path::new("-") {
        return warn("no snapshot written: a snapshot needs an output file (-o FILE)");
    }
    if capture.recorder.frames() == 0 {
        return warn("no snapshot written: no frame was recorded yet");
    }
    let (recording, _) = as_its_layout(capture.recorder.snapshot());
    let written = free_name(&target.output).and_then(|path| {
        let format = target.to.format_of(&target.output)?;
        let options = WriteOptions::default();
        write_recording_in(format, &options, &path, false, &recording)?;
        Ok(path)
    });
    match written {
        Ok(path) => eprintln!("{}: {}", path.display(), capture.summary()),
        Err(error) => report(&error.context("the snapshot was not written")),
    }
}

/// Returns the first of `take-1.bin`, `take-2.bin` … that does not exist, for the output `take.bin`.
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
    // Another program may create the file before it is written. `write_recording_in` then refuses it.
    let free = (1..10_000).map(name).find(|path| !path.exists());
    free.ok_or_else(|| {
        Refusal::failure(
            "too many snapshots next to the output",
            "move some to another folder",
        )
    })
}
