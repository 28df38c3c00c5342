//! `inputanim convert`

use std::io::Write;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};

use inputanim::{Layout, Limits, Loss, Recording, WriteError};
use inputanim_convert::{Format, json};

use crate::diagnostics::warn;
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
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
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    to: Option<Format>,
    /// Go on where the layout cannot hold everything
    #[arg(long)]
    allow_loss: bool,
    /// Replace OUT if it is there
    #[arg(short, long)]
    force: bool,
}

fn formats() -> impl TypedValueParser<Value = Format> {
    PossibleValuesParser::new(Format::ALL.map(Format::name)).try_map(|name| name.parse::<Format>())
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let format = args.format()?;
    let input = Input::open(&args.input, limits)?;
    let recording = input.recording(limits)?;
    let mut lost = Vec::new();
    output::write_to(&args.output, args.force, !format.is_text(), |output| {
        lost = args.write(recording, format, output)?;
        Ok(())
    })?;
    for loss in &lost {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    Ok(match lost.is_empty() {
        true => Outcome::Done,
        false => Outcome::DataLost,
    })
}

impl Args {
    /// The format of the output, by its name without --to.
    fn format(&self) -> anyhow::Result<Format> {
        if let Some(format) = self.to {
            return Ok(format);
        }
        let Some(extension) = self.output.extension() else {
            return Ok(Format::Bin);
        };
        Format::of_extension(extension).ok_or_else(|| {
            let message = format!("the extension of {} says no format", self.output.display());
            Refusal::usage(message, "--to says which; --help lists them")
        })
    }

    /// Writes a recording, and says what was lost.
    fn write(
        &self,
        recording: Recording<'_>,
        format: Format,
        output: &mut dyn Write,
    ) -> anyhow::Result<Vec<String>> {
        let layout = self.layout.unwrap_or(recording.layout);
        let losses = match format {
            Format::Bin if self.allow_loss => recording.write_lossy(output, layout)?,
            Format::Bin => {
                recording.write(output, layout)?;
                Vec::new()
            }
            Format::Json => {
                let losses: Vec<Loss> = recording.losses(layout);
                if !(losses.is_empty() || self.allow_loss) {
                    return Err(WriteError::Lossy { layout, losses }.into());
                }
                json::write(&recording.into_layout(layout), output)?;
                losses
            }
            _ => anyhow::bail!("there is no writer for {format}"),
        };
        Ok(losses.iter().map(Loss::to_string).collect())
    }
}
