//! What becomes of one recording: the same for one file and for many.

use std::io::Write;
use std::path::Path;

use anyhow::Context;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use inputanim::{Layout, Limits, Loss, Recording, WriteError};
use inputanim_convert::{Format, json};

#[cfg(feature = "mcap")]
use super::mcap;
use super::{bvh, gltf, iwer, unity_anim};
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
    /// Frames per second of iwer, mcap and bvh, and of curves that glTF cannot have [default: 60]
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    pub(super) rate: Option<f64>,
    /// The hand that bvh has [default: both, if tracked]
    #[arg(long, value_name = "HAND", value_enum)]
    pub(super) hand: Option<Hand>,
    /// Units of bvh in a metre [default: 100, for centimetres]
    #[arg(long, value_name = "UNITS", value_parser = scale, allow_negative_numbers = true)]
    pub(super) scale: Option<f64>,
    /// The function that markers call in anim [default: OnMarker]
    #[arg(long, value_name = "NAME")]
    pub(super) event: Option<String>,
    /// Go on where the layout cannot hold everything
    #[arg(long)]
    pub(super) allow_loss: bool,
    #[command(flatten)]
    pub(super) gltf: gltf::GltfArgs,
    #[cfg(feature = "mcap")]
    #[command(flatten)]
    pub(super) mcap: mcap::McapArgs,
}

/// Which hands are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Hand {
    Left,
    Right,
    Both,
}

fn scale(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(scale) if scale > 0.0 && scale.is_finite() => Ok(scale),
        _ => Err("expected a number above 0".to_owned()),
    }
}

fn formats(are_wanted: impl Fn(Format) -> bool) -> impl TypedValueParser<Value = Format> {
    let formats = Format::ALL.iter().copied();
    let names = formats
        .filter(|&format| are_wanted(format))
        .map(Format::name);
    PossibleValuesParser::new(names).try_map(|name| name.parse::<Format>())
}

/// What the files of a conversion are called.
#[derive(Clone, Copy)]
pub(super) struct Names<'n> {
    /// `-` is standard input.
    #[cfg_attr(
        not(feature = "mcap"),
        expect(dead_code, reason = "for metadata of MCAP")
    )]
    pub(super) input: &'n str,
    /// `-` is standard output.
    pub(super) output: &'n Path,
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

/// Whether a format has a place for the layout of a recording.
fn has_layout(format: Format) -> bool {
    !is_of_what_plays(format) || gltf::is_gltf(format)
}

/// Whether a format holds what plays, and not a recording as it is: what is damaged shows there.
pub(super) fn is_of_what_plays(format: Format) -> bool {
    !matches!(format, Format::Bin | Format::Json)
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
        let is_gltf = gltf::is_gltf(format);
        let has_frames = is_gltf || matches!(format.name(), "iwer" | "bvh" | "mcap");
        let options = [
            ("--layout", self.layout.is_some(), has_layout(format)),
            ("--allow-loss", self.allow_loss, has_layout(format)),
            ("--rate", self.rate.is_some(), has_frames),
            ("--node-names", self.gltf.node_names.is_some(), is_gltf),
            ("--hand", self.hand.is_some(), format == Format::Bvh),
            ("--scale", self.scale.is_some(), format == Format::Bvh),
            ("--event", self.event.is_some(), format == Format::UnityAnim),
            #[cfg(feature = "mcap")]
            ("--at-keys", self.mcap.at_keys, format == Format::Mcap),
            #[cfg(feature = "mcap")]
            (
                "--start-time",
                self.mcap.start_time.is_some(),
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
        self.gltf.check_reading(format)?;
        let recording = match format {
            Format::Glb | Format::Gltf => gltf::read(&self.gltf, input, limits),
            Format::Iwer => return iwer::read(input, limits),
            #[cfg(feature = "mcap")]
            Format::Mcap => return mcap::read(input, limits),
            Format::Json => json::read_with(input.bytes(), limits).map_err(anyhow::Error::from),
            _ => Recording::parse_with(input.bytes(), limits).map_err(anyhow::Error::from),
        };
        let recording = recording.with_context(|| input.name().to_owned())?;
        Ok((recording, Said::default()))
    }

    /// Writes a recording, and says what was lost.
    pub(super) fn write(
        &self,
        recording: Recording<'_>,
        format: Format,
        names: Names<'_>,
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
                let losses = self.losses(&recording, layout)?;
                json::write(&recording.into_layout(layout), output)?;
                losses
            }
            Format::Glb | Format::Gltf => {
                let mut said = Said::lost(&self.losses(&recording, layout)?);
                let recording = recording.into_layout(layout);
                said.extend(gltf::write(self, &recording, format, output)?);
                return Ok(said);
            }
            Format::Iwer => return iwer::write(self, &recording, output),
            #[cfg(feature = "mcap")]
            Format::Mcap => return mcap::write(self, &recording, names, output),
            Format::UnityAnim => return unity_anim::write(self, &recording, names.output, output),
            Format::Bvh => return bvh::write(self, &recording, output),
            _ => anyhow::bail!("there is no writer for {format}"),
        };
        Ok(Said::lost(&losses))
    }

    /// What a layout cannot hold, which is refused unless it may be lost.
    fn losses(&self, recording: &Recording<'_>, layout: Layout) -> anyhow::Result<Vec<Loss>> {
        let losses = recording.losses(layout);
        match losses.is_empty() || self.allow_loss {
            true => Ok(losses),
            false => Err(WriteError::Lossy { layout, losses }.into()),
        }
    }
}
