//! One recording in, one out: what all verbs that change a recording have in common.

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use inputanim::{Limits, Recording};
use inputanim_convert::json;

use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::output;

/// The format of an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum To {
    /// An input animation file.
    Bin,
    /// Lossless JSON.
    Json,
}

impl To {
    /// By the extension of a name; without one it is bin. `hint` says what else to do.
    pub(crate) fn of(path: &Path, hint: &'static str) -> anyhow::Result<To> {
        match path.extension().map(|e| e.to_ascii_lowercase()) {
            None => Ok(To::Bin),
            Some(extension) if extension == "bin" => Ok(To::Bin),
            Some(extension) if extension == "json" => Ok(To::Json),
            Some(_) => {
                let message = format!("the extension of {} says no format", path.display());
                Err(Refusal::usage(message, hint))
            }
        }
    }
}

const HINT: &str = "name it .bin or .json";

/// Where a changed recording goes.
#[derive(Debug, clap::Args)]
pub(crate) struct Target {
    /// The file to write, .bin or lossless .json; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    pub(crate) output: PathBuf,
    /// Replace OUT if it is there
    #[arg(short, long)]
    pub(crate) force: bool,
}

impl Target {
    /// Refuses what cannot be written, before anything is done.
    pub(crate) fn check(&self) -> anyhow::Result<()> {
        To::of(&self.output, HINT)?;
        output::check(&self.output, self.force)
    }

    /// Writes a recording in its own layout.
    pub(crate) fn write(&self, recording: &Recording<'_>) -> anyhow::Result<()> {
        write_recording(&self.output, self.force, recording)
    }
}

/// Writes a recording in its own layout and in the format that the file's name says.
pub(crate) fn write_recording(
    path: &Path,
    force: bool,
    recording: &Recording<'_>,
) -> anyhow::Result<()> {
    let to = To::of(path, HINT)?;
    output::write_to(path, force, to == To::Bin, |output| {
        match to {
            To::Bin => recording.write(output, recording.layout)?,
            To::Json => json::write(recording, output)?,
        }
        Ok(())
    })
}

/// A recording and where it goes when it is changed.
#[derive(Debug, clap::Args)]
pub(crate) struct InOut {
    /// The recording (.bin or lossless .json, told from its content); `-` is standard input
    #[arg(value_name = "IN")]
    pub(crate) input: PathBuf,
    #[command(flatten)]
    pub(crate) target: Target,
}

impl InOut {
    /// Reads, changes and writes; an error of the change names the input.
    pub(crate) fn change(
        &self,
        limits: &Limits,
        change: impl FnOnce(&mut Recording<'_>) -> anyhow::Result<Outcome>,
    ) -> anyhow::Result<Outcome> {
        self.target.check()?;
        let input = Input::open(&self.input, limits)?;
        let mut recording = input.recording(limits)?;
        let outcome = change(&mut recording).with_context(|| input.name().to_owned())?;
        self.target.write(&recording)?;
        Ok(outcome)
    }
}
