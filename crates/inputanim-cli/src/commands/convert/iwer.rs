//! Action recordings of IWER.

use anyhow::Context;
use inputanim::{Limits, Recording};
use inputanim_convert::iwer::{self, Options};

use crate::diagnostics::note;
use crate::input::Input;
use crate::output::Sink;

use super::{Args, texts};

pub(super) fn read<'i>(
    input: &Input,
    limits: &Limits,
) -> anyhow::Result<(Recording<'i>, Vec<String>)> {
    let read = iwer::read_with(input.bytes(), limits);
    let (recording, losses) = read.with_context(|| input.name().to_owned())?;
    Ok((recording, texts(&losses)))
}

pub(super) fn write(
    args: &Args,
    recording: &Recording<'_>,
    output: &mut Sink<'_>,
) -> anyhow::Result<Vec<String>> {
    let mut options = Options::default();
    options.rate = args.rate.unwrap_or(options.rate);
    let losses = iwer::write(recording, &options, output)?;
    note(format_args!(
        "sampled at {} Hz; WebXR has no palms",
        options.rate
    ));
    Ok(texts(&losses))
}
