//! `inputanim convert`

mod iwer;
mod tables;

use std::path::PathBuf;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use inputanim::summary::Summary;
use inputanim::{Layout, Limits, Loss, Recording, WriteError};
use inputanim_convert::tables::Shape;
use inputanim_convert::{Format, json};

use crate::diagnostics::{warn, warn_of_damage};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::output::{self, Sink};
use crate::values::{layouts, rate};

/// Convert between the layouts, and to and from other formats
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Formats: `bin` and lossless `json` hold all of a recording, and come back as the same bytes. \
`iwer` (.iwer.json) is what IWER, the emulator of WebXR devices, replays and records. `parquet`, `arrow`, \
`csv`, `tsv` and `ndjson` are tables, of what plays or of keys: docs/tables.md. All of them come back \
too. What a format cannot hold is said: exit code 3.

Without --layout the recording keeps its layout, and a .bin becomes the same bytes again. \
What the other layout cannot hold is refused, unless --allow-loss says to go on: exit code 3.

MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1; no MRTK loads the others.

Examples:
  inputanim convert take.bin take.json
  inputanim convert take.json take.bin
  inputanim convert take.bin take.iwer.json --rate 90
  inputanim convert take.bin take.parquet
  inputanim convert take.bin keys.csv --shape keys
  inputanim convert tracker.csv take.bin --map time_s=Timestamp*1e-6
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
    /// Frames per second of iwer, rows of a table [default: 60]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    #[command(flatten)]
    tables: tables::TableArgs,
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
    let from = args.from.unwrap_or(Format::of_content(input.bytes()));
    args.check_options_of(from)?;
    let (recording, mut lost) = args.read(&input, from, limits)?;
    if args.is_of_what_plays(format) {
        let summary = Summary::of(&recording);
        warn_of_damage(&recording, &summary, input.name(), |_| true);
    }
    output::write_to(&args.output, args.force, !format.is_text(), |output| {
        lost.extend(args.write(recording, format, &input, output)?);
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
    /// Whether a format holds what plays, and not a recording as it is: what is damaged shows there.
    fn is_of_what_plays(&self, format: Format) -> bool {
        let is_keys = format.is_table() && self.tables.shape == Some(Shape::Keys);
        !(matches!(format, Format::Bin | Format::Json) || is_keys)
    }

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

    /// Refuses options that would do nothing for OUT.
    fn check_options(&self, format: Format) -> anyhow::Result<()> {
        let is_whole = matches!(format, Format::Bin | Format::Json);
        let is_wide = format.is_table() && self.is_of_what_plays(format);
        let has_rate = is_wide || format == Format::Iwer;
        let options = [
            ("--layout", self.layout.is_some(), is_whole),
            ("--allow-loss", self.allow_loss, is_whole),
            ("--rate", self.rate.is_some(), has_rate),
        ];
        let of_tables = self.tables.of_output(format.is_table(), is_wide);
        refuse_idle(format, options.into_iter().chain(of_tables))
    }

    /// The same for IN.
    fn check_options_of(&self, input: Format) -> anyhow::Result<()> {
        refuse_idle(input, self.tables.of_input(input.is_table()))
    }

    /// The recording, and what did not come through.
    fn read<'i>(
        &self,
        input: &'i Input,
        format: Format,
        limits: &Limits,
    ) -> anyhow::Result<(Recording<'i>, Vec<String>)> {
        let recording = match format {
            Format::Iwer => return iwer::read(input, limits),
            format if format.is_table() => tables::read(&self.tables, input, format, limits),
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
        input: &Input,
        output: &mut Sink<'_>,
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
            format if format.is_table() => {
                return tables::write(self, &recording, format, input, output);
            }
            _ => anyhow::bail!("there is no writer for {format}"),
        };
        Ok(texts(&losses))
    }
}

/// An option, whether it is given, and whether it does something.
type Told = (&'static str, bool, bool);

/// Refuses options that would do nothing.
fn refuse_idle(format: Format, options: impl IntoIterator<Item = Told>) -> anyhow::Result<()> {
    let mut options = options.into_iter();
    match options.find(|&(_, is_given, counts)| is_given && !counts) {
        None => Ok(()),
        Some((option, ..)) => Err(Refusal::usage(
            format!("{option} does nothing for {format}"),
            "leave it out; --help says which formats it is for",
        )),
    }
}

fn texts<T: ToString>(losses: &[T]) -> Vec<String> {
    losses.iter().map(T::to_string).collect()
}
