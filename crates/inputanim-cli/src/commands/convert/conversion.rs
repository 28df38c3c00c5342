//! What becomes of one recording: the same for one file and for many.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use inputanim::{Layout, Limits, Recording, WriteError};
use inputanim_convert::{Format, json};

use super::iwer;
#[cfg(feature = "mcap")]
use super::mcap;
use crate::input::Input;
use crate::outcome::Refusal;
use crate::values::{layouts, rate};

/// The options of a conversion.
#[derive(Debug, clap::Args)]
pub(super) struct Conversion {
    /// The layout to write [default: that of IN]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    pub(super) layout: Option<Layout>,
    /// The format of IN [default: by its content]
    #[arg(long, value_name = "FORMAT", value_parser = formats(Format::can_be_read))]
    pub(super) from: Option<Format>,
    /// The format to write [default: by the extension of OUT, else bin]
    #[arg(long, value_name = "FORMAT", value_parser = formats(|_| true))]
    pub(super) to: Option<Format>,
    /// Frames per second of iwer and mcap [default: 60]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    pub(super) rate: Option<f64>,
    /// Frames of mcap wherever any curve has a key, instead of --rate
    #[cfg(feature = "mcap")]
    #[arg(long, conflicts_with = "rate")]
    pub(super) at_keys: bool,
    /// When t = 0 was, for mcap, as 2024-05-01T10:00:00Z [default: in 1970]
    #[cfg(feature = "mcap")]
    #[arg(long, value_name = "TIME", value_parser = mcap::since_1970)]
    pub(super) start_time: Option<std::time::Duration>,
    /// Go on where the layout cannot hold everything
    #[arg(long)]
    pub(super) allow_loss: bool,
}

fn formats(are_wanted: impl Fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let formats = Format::ALL.iter().copied();
    let names = formats
        .filter(|&format| are_wanted(format))
        .map(Format::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Format>())
}

/// What is to be said of a conversion.
#[derive(Default)]
pub(super) struct Said {
    /// What the output does not have.
    pub(super) lost: Vec<String>,
    /// What is so for every recording in that format.
    pub(super) notes: Vec<String>,
}

impl Said {
    pub(super) fn lost<T: ToString>(losses: &[T]) -> Said {
        Said {
            lost: losses.iter().map(T::to_string).collect(),
            notes: Vec::new(),
        }
    }

    pub(super) fn with_note(mut self, note: String) -> Said {
        self.notes.push(note);
        self
    }

    pub(super) fn extend(&mut self, said: Said) {
        self.lost.extend(said.lost);
        self.notes.extend(said.notes);
    }
}

/// Whether a format holds what plays, and not a recording as it is: what is damaged shows there.
pub(super) fn is_of_what_plays(format: Format) -> bool {
    !matches!(format, Format::Bin | Format::Json)
}

/// Whether a format has frames at a steady rate.
fn has_rate(format: Format) -> bool {
    match format {
        Format::Iwer => true,
        #[cfg(feature = "mcap")]
        Format::Mcap => true,
        _ => false,
    }
}

impl Conversion {
    /// The format to write, by the name of the output without --to.
    pub(super) fn format(&self, output: &Path) -> anyhow::Result<Format> {
        if let Some(format) = self.to {
            return Ok(format);
        }
        if output.extension().is_none() {
            return Ok(Format::Bin);
        }
        Format::of_path(output).ok_or_else(|| {
            let message = format!("the extension of {} says no format", output.display());
            Refusal::usage(message, "--to says which; --help lists them")
        })
    }

    /// Refuses options that would do nothing.
    pub(super) fn check(&self, format: Format) -> anyhow::Result<()> {
        let is_whole = !is_of_what_plays(format);
        let options = [
            ("--layout", self.layout.is_some(), is_whole),
            ("--allow-loss", self.allow_loss, is_whole),
            ("--rate", self.rate.is_some(), has_rate(format)),
            #[cfg(feature = "mcap")]
            ("--at-keys", self.at_keys, format == Format::Mcap),
            #[cfg(feature = "mcap")]
            (
                "--start-time",
                self.start_time.is_some(),
                format == Format::Mcap,
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
    pub(super) fn read<'i>(
        &self,
        input: &'i Input,
        limits: &Limits,
    ) -> anyhow::Result<(Recording<'i>, Said)> {
        let format = self.from.unwrap_or(Format::of_content(input.bytes()));
        let recording = match format {
            Format::Iwer => return iwer::read(input, limits),
            #[cfg(feature = "mcap")]
            Format::Mcap => return mcap::read(input, limits),
            Format::Json => json::read_with(input.bytes(), limits).map_err(anyhow::Error::from),
            _ => Recording::parse_with(input.bytes(), limits).map_err(anyhow::Error::from),
        };
        let recording = recording.with_context(|| input.name().to_owned())?;
        Ok((recording, Said::default()))
    }

    /// Writes a recording that is called `name`, and says what was lost.
    pub(super) fn write(
        &self,
        recording: Recording<'_>,
        format: Format,
        #[cfg_attr(not(feature = "mcap"), allow(unused_variables))] name: &str,
        output: &mut dyn Write,
    ) -> anyhow::Result<Said> {
        let layout = self.layout.unwrap_or(recording.layout);
        let losses = match format {
            Format::Bin if self.allow_loss => recording.write_lossy(output, layout)?,
            Format::Bin => {
                recording.write(output, layout)?;
                Vec::new()
            }
            Format::Json => {
                let losses = recording.losses(layout);
                if !(losses.is_empty() || self.allow_loss) {
                    return Err(WriteError::Lossy { layout, losses }.into());
                }
                json::write(&recording.into_layout(layout), output)?;
                losses
            }
            Format::Iwer => return iwer::write(self, &recording, output),
            #[cfg(feature = "mcap")]
            Format::Mcap => return mcap::write(self, &recording, name, output),
            _ => anyhow::bail!("there is no writer for {format}"),
        };
        Ok(Said::lost(&losses))
    }
}
