//! `inputanim convert`

mod conversion;
mod iwer;
mod usd;

use std::path::PathBuf;

use inputanim::Limits;
use inputanim::summary::Summary;

use crate::diagnostics::{note, warn, warn_of_damage};
use crate::input::Input;
use crate::outcome::Outcome;
use crate::output;
use conversion::{Conversion, is_of_what_plays};

/// Convert between the layouts, and to and from other formats
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Formats: `bin` and lossless `json` hold all of a recording, and come back as the same bytes. \
`iwer` (.iwer.json) is what IWER, the emulator of WebXR devices, replays and records; it comes back \
too. `usda` and `usdc` (.usd) are USD, for Blender, Omniverse, Houdini and Maya. What a format cannot hold is said: exit code 3.

Without --layout the recording keeps its layout, and a .bin becomes the same bytes again. \
What the other layout cannot hold is refused, unless --allow-loss says to go on: exit code 3.

MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1; no MRTK loads the others.

Examples:
  inputanim convert take.bin take.json
  inputanim convert take.json take.bin
  inputanim convert take.bin take.iwer.json --rate 90
  inputanim convert take.bin take.usdc
  inputanim convert take.bin for-mrtk-2.5.bin --layout mrtk-1.0 --allow-loss")]
pub(crate) struct Args {
    /// The recording, in any format that is read; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    #[command(flatten)]
    conversion: Conversion,
    /// Replace OUT if it is there
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let conversion = &args.conversion;
    let format = conversion.format(&args.output)?;
    conversion.check(format)?;
    let input = Input::open(&args.input, limits)?;
    let (recording, mut said) = conversion.read(&input, limits)?;
    if is_of_what_plays(format) {
        let summary = Summary::of(&recording);
        warn_of_damage(&recording, &summary, input.name(), |_| true);
    }
    output::write_to(&args.output, args.force, !format.is_text(), |output| {
        said.extend(conversion.write(recording, format, output)?);
        Ok(())
    })?;
    said.notes.iter().for_each(note);
    for loss in &said.lost {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    Ok(match said.lost.is_empty() {
        true => Outcome::Done,
        false => Outcome::DataLost,
    })
}
