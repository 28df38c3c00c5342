//! `inputanim convert`

mod gltf;

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
`glb` and `gltf` are animations for Blender, Unity, web pages and viewers; they come back too. What a \
format cannot hold is said: exit code 3.

Without --layout the recording keeps its layout, and a .bin becomes the same bytes again. \
What the other layout cannot hold is refused, unless --allow-loss says to go on: exit code 3.

MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1; no MRTK loads the others.

Examples:
  inputanim convert take.bin take.json
  inputanim convert take.json take.bin
  inputanim convert take.bin take.glb
  inputanim convert hands.gltf take.bin --space openxr
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
    /// How often a second glTF has what it has no curves for [default: 60]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Go on where the layout cannot hold everything
    #[arg(long)]
    allow_loss: bool,
    /// Replace OUT if it is there
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    gltf: gltf::GltfArgs,
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

fn is_gltf(format: Format) -> bool {
    matches!(format, Format::Glb | Format::Gltf)
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
            // A recording that glTF gives its layout back to may have another.
            (
                "--layout",
                self.layout.is_some(),
                is_whole || is_gltf(format),
            ),
            ("--allow-loss", self.allow_loss, is_whole || is_gltf(format)),
            ("--rate", self.rate.is_some(), is_gltf(format)),
            (
                "--node-names",
                self.gltf.node_names.is_some(),
                is_gltf(format),
            ),
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
        self.gltf.check_reading(format)?;
        let recording = match format {
            Format::Glb | Format::Gltf => gltf::read(&self.gltf, input, limits),
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
        if format == Format::Bin {
            return Ok(match self.allow_loss {
                true => texts(&recording.write_lossy(output, layout)?),
                false => {
                    recording.write(output, layout)?;
                    Vec::new()
                }
            });
        }
        let losses: Vec<Loss> = recording.losses(layout);
        if !(losses.is_empty() || self.allow_loss) {
            return Err(WriteError::Lossy { layout, losses }.into());
        }
        let mut lost = texts(&losses);
        let recording = recording.into_layout(layout);
        match format {
            Format::Json => json::write(&recording, output)?,
            Format::Glb | Format::Gltf => {
                lost.extend(gltf::write(self, &recording, format, output)?);
            }
            _ => anyhow::bail!("there is no writer for {format}"),
        }
        Ok(lost)
    }
}

fn texts<T: ToString>(losses: &[T]) -> Vec<String> {
    losses.iter().map(T::to_string).collect()
}
