//! Action recordings of IWER.

use std::io::Write;

use anyhow::Context;
use inputanim::{Limits, Recording};
use inputanim_convert::iwer::{self, Options};

use super::conversion::{Conversion, Said};
use crate::input::Input;

pub(super) fn read<'i>(input: &Input, limits: &Limits) -> anyhow::Result<(Recording<'i>, Said)> {
    let read = iwer::read_with(input.bytes(), limits);
    let (recording, losses) = read.with_context(|| input.name().to_owned())?;
    Ok((recording, Said::lost(&losses)))
}

pub(super) fn write(
    conversion: &Conversion,
    recording: &Recording<'_>,
    output: &mut dyn Write,
) -> anyhow::Result<Said> {
    let mut options = Options::default();
    options.rate = conversion.rate.unwrap_or(options.rate);
    let losses = iwer::write(recording, &options, output)?;
    let note = format!("sampled at {} Hz; WebXR has no palms", options.rate);
    Ok(Said::lost(&losses).with_note(note))
}
