//! `inputanim convert`

use std::path::PathBuf;

use inputanim::{Layout, Limits, Loss, WriteError};
use inputanim_convert::json;

use crate::diagnostics::warn;
use crate::in_out::To;
use crate::input::Input;
use crate::outcome::Outcome;
use crate::output;
use crate::values::layouts;

/// Convert between the layouts, and to and from lossless JSON
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Without --layout the recording keeps its layout, and a .bin becomes the same bytes again. \
What the other layout cannot hold is refused, unless --allow-loss says to go on: exit code 3.

MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1; no MRTK loads the others.

Examples:
  inputanim convert take.bin take.json
  inputanim convert take.json take.bin
  inputanim convert take.bin for-mrtk-2.5.bin --layout mrtk-1.0 --allow-loss")]
pub(crate) struct Args {
    /// The recording (.bin or lossless .json, told from its content); `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The layout to write [default: that of IN]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    layout: Option<Layout>,
    /// The format to write [default: by the extension of OUT, else bin]
    #[arg(long, value_name = "FORMAT")]
    to: Option<To>,
    /// Go on where the layout cannot hold everything
    #[arg(long)]
    allow_loss: bool,
    /// Replace OUT if it is there
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let to = match args.to {
        Some(to) => to,
        None => To::of(&args.output, "--to bin or --to json says which")?,
    };
    let input = Input::open(&args.input, limits)?;
    let recording = input.recording(limits)?;
    let layout = args.layout.unwrap_or(recording.layout);
    let mut losses: Vec<Loss> = Vec::new();
    output::write_to(&args.output, args.force, to == To::Bin, |output| {
        match to {
            To::Bin if args.allow_loss => losses = recording.write_lossy(output, layout)?,
            To::Bin => recording.write(output, layout)?,
            To::Json => {
                losses = recording.losses(layout);
                if !(losses.is_empty() || args.allow_loss) {
                    return Err(WriteError::Lossy {
                        layout,
                        losses: std::mem::take(&mut losses),
                    }
                    .into());
                }
                json::write(&recording.into_layout(layout), output)?;
            }
        }
        Ok(())
    })?;
    for loss in &losses {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    Ok(match losses.is_empty() {
        true => Outcome::Done,
        false => Outcome::DataLost,
    })
}
