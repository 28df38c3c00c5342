//! Which format is read and written where.

use std::path::Path;

use anyhow::Context;
use inputanim::{Layout, Limits, Loss, MAGIC, Recording, WriteError};
use inputanim_convert::{Format, json};

use super::conversion::{Conversion, Said};
#[cfg(feature = "mcap")]
use super::mcap;
use super::{bvh, gltf, iwer, tables, unity_anim, usd};
use crate::input::Input;
use crate::outcome::Refusal;
use crate::output::Sink;

impl Conversion {
    /// The format of an input: by its content, and where that says nothing by its name.
    fn format_of(&self, input: &Input) -> anyhow::Result<Format> {
        if let Some(format) = self.from {
            return Ok(format);
        }
        let path = Path::new(input.name());
        let format = Format::of_file(path, input.bytes());
        let is_nothing_known = format == Format::Bin && !input.bytes().starts_with(&MAGIC);
        match Format::of_path(path) {
            Some(named) if is_nothing_known && !named.can_be_read() => Err(Refusal::failure(
                format!("{}: {named} is written, and not read", input.name()),
                "--help says which formats come back",
            )),
            _ => Ok(format),
        }
    }

    /// The recording, and what did not come through.
    pub(super) fn read<'i>(
        &self,
        input: &'i Input,
        limits: &Limits,
    ) -> anyhow::Result<(Recording<'i>, Said)> {
        let format = self.format_of(input)?;
        self.check_reading(format, input.name())?;
        let recording = match format {
            Format::Glb | Format::Gltf => gltf::read(self, input, limits),
            Format::Iwer => return iwer::read(input, limits),
            #[cfg(feature = "mcap")]
            Format::Mcap => return mcap::read(input, limits),
            #[cfg(not(feature = "mcap"))]
            Format::Mcap => anyhow::bail!("this program is built without {format}"),
            table if table.is_table() => {
                let read = tables::read(self, input, table, limits);
                return read.with_context(|| input.name().to_owned());
            }
            Format::Json => json::read_with(input.bytes(), limits).map_err(anyhow::Error::from),
            _ => Recording::parse_with(input.bytes(), limits).map_err(anyhow::Error::from),
        };
        let recording = recording.with_context(|| input.name().to_owned())?;
        Ok((recording, Said::default()))
    }

    /// Writes a recording, and says what was lost. `path` names the output, `-` the standard one.
    pub(super) fn write(
        &self,
        input: &Input,
        recording: Recording<'_>,
        format: Format,
        path: &Path,
        output: &mut Sink<'_>,
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
            Format::Mcap => return mcap::write(self, input, &recording, output),
            #[cfg(not(feature = "mcap"))]
            Format::Mcap => anyhow::bail!("this program is built without {format}"),
            Format::UnityAnim => return unity_anim::write(self, &recording, path, output),
            Format::Bvh => return bvh::write(self, &recording, output),
            Format::Usda | Format::Usdc => return usd::write(self, &recording, format, output),
            table if table.is_table() => {
                return tables::write(self, input, &recording, table, output);
            }
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
