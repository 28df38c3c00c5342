//! `inputanim convert`

mod iwer;

use std::io::Write;
use std::path::PathBuf;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use inputanim::summary::Summary;
use inputanim::{Layout, Limits, Loss, Recording, WriteError};
use inputanim_convert::{Format, json};

use crate::diagnostics::{warn, warn_of_damage};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::values::{layouts, rate};

/// Convert between the layouts, and to and from other formats
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Formats: `bin` and lossless `json` hold all of a recording, and come back as the same bytes. \
`iwer` (.iwer.json) is what IWER, the emulator of WebXR devices, replays and records; it comes back \
too. What a format cannot hold is said: exit code 3.

Without --layout the recording keeps its layout, and a .bin becomes the same bytes again. \
What the other layout cannot hold is refused, unless --allow-loss says to go on: exit code 3.

MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1; no MRTK loads the others.

Examples:
  inputanim convert take.bin take.json
  inputanim convert take.json take.bin
  inputanim convert take.bin take.iwer.json --rate 90
  inputanim convert take.bin for-mrtk-2.5.bin --layout mrtk-1.0 --allow-loss")]
pub(crate) struct Args {
    /// The recording, in any format that is read; `-` is standard input
    #[arg(value_name = "IN")]
    input: PathBuf,
    /// The file to write; `-` is standard output
    #[arg(value_name = "OUT")]
    output: PathBuf,
    /// The layout to write [default: that of IN]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    layout: Option<Layout>,
    /// The format of IN [default: by its content]
    #[arg(long, value_name = "FORMAT", value_parser = formats(Format::can_be_read))]
    from: Option<Format>,
    /// The format to write [default: by the extension of OUT, else bin]
    #[arg(long, value_name = "FORMAT", value_parser = formats(|_| true))]
    to: Option<Format>,
    /// Frames per second of iwer [default: 60]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Go on where the layout cannot hold everything
    #[arg(long)]
    allow_loss: bool,
    /// Replace OUT if it is there
    #[arg(short, long)]
    force: bool,
}

fn formats(are_wanted: impl Fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let formats = Format::ALL.into_iter();
    let names = formats
        .filter(|&format| are_wanted(format))
        .map(Format::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Format>())
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let format = args.format()?;
    args.check_options(format)?;
    let input = Input::open(&args.input, limits)?;
    let (recording, mut lost) = args.read(&input, limits)?;
    if is_of_what_plays(format) {
        let summary = Summary::of(&recording);
        warn_of_damage(&recording, &summary, input.name(), |_| true);
    }
    output::write_to(&args.output, args.force, !format.is_text(), |output| {
        lost.extend(args.write(recording, format, output)?);
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

/// Whether a format holds what plays, and not a recording as it is: what is damaged shows there.
fn is_of_what_plays(format: Format) -> bool {
    !matches!(format, Format::Bin | Format::Json)
}

impl Args {
    /// The format of the output, by its name without --to.
    fn format(&self) -> anyhow::Result<Format> {
        if let Some(format) = self.to {
            return Ok(format);
        }
        if self.output.extension().is_none() {
            return Ok(Format::Bin);
        }
        Format::of_path(&self.output).ok_or_else(|| {
            let message = format!("the extension of {} says no format", self.output.display());
            Refusal::usage(message, "--to says which; --help lists them")
        })
    }

    /// Refuses options that would do nothing.
    fn check_options(&self, format: Format) -> anyhow::Result<()> {
        let is_whole = !is_of_what_plays(format);
        let options = [
            ("--layout", self.layout.is_some(), is_whole),
            ("--allow-loss", self.allow_loss, is_whole),
            ("--rate", self.rate.is_some(), format == Format::Iwer),
        ];
        let idle = options
            .into_iter()
            .find(|&(_, is_given, counts)| is_given && !counts);
        match idle {
            None => Ok(()),
            Some((option, ..)) => Err(Refusal::usage(
                format!("{option} does nothing for {format}"),
                "leave it out; --help says which formats it is for",
            )),
        }
    }

    /// The recording, and what did not come through.
    fn read<'i>(
        &self,
        input: &'i Input,
        limits: &Limits,
    ) -> anyhow::Result<(Recording<'i>, Vec<String>)> {
        let format = self.from.unwrap_or(Format::of_content(input.bytes()));
        let recording = match format {
            Format::Iwer => return iwer::read(input, limits),
            Format::Json => json::read_with(input.bytes(), limits).map_err(anyhow::Error::from),
            _ => Recording::parse_with(input.bytes(), limits).map_err(anyhow::Error::from),
        };
        let recording = recording.with_context(|| input.name().to_owned())?;
        Ok((recording, Vec::new()))
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
            Format::Iwer => return iwer::write(self, &recording, output),
            _ => anyhow::bail!("there is no writer for {format}"),
        };
        Ok(texts(&losses))
    }
}

fn texts<T: ToString>(losses: &[T]) -> Vec<String> {
    losses.iter().map(T::to_string).collect()
}
