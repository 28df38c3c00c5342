//! MCAP for Foxglove and Rerun.

use std::io::Write;

use anyhow::Context;
use inputanim::{Limits, Recording};
use inputanim_convert::mcap::{self, Options, Times};

use super::conversion::{Conversion, Said};
use crate::input::Input;

pub(super) fn read<'i>(input: &Input, limits: &Limits) -> anyhow::Result<(Recording<'i>, Said)> {
    let name = input.name();
    let reading = mcap::read_with(input.bytes(), limits).with_context(|| name.to_owned())?;
    let mut said = Said::lost(&reading.losses);
    if let Some(damage) = &reading.damage {
        said = said.with_note(format!("{name}: {damage}; the recording in it is whole"));
    }
    Ok((reading.recording, said))
}

pub(super) fn write(
    conversion: &Conversion,
    input: &Input,
    recording: &Recording<'_>,
    output: &mut dyn Write,
) -> anyhow::Result<Said> {
    let mut options = Options::default();
    if let Some(rate) = conversion.rate {
        options.times = Times::Rate(rate);
    } else if conversion.at_keys {
        options.times = Times::Keys;
    }
    options.start = conversion.start_time.unwrap_or(options.start);
    options.source = input.file_name();
    let report = mcap::write(recording, &options, output)?;
    let times = match options.times {
        Times::Rate(rate) => format!("sampled at {rate} Hz"),
        Times::Keys => "sampled at keys".to_owned(),
    };
    let mut said = Said::default().with_note(format!("{times}; the recording itself is in it too"));
    if report.hidden_markers > 0 {
        let note = "markers at times that no message can have are in the recording itself only";
        said = said.with_note(note.to_owned());
    }
    Ok(said)
}
