//! USD, as text and binary.

use crate::output::Sink;

use inputanim::Recording;
use inputanim_convert::Format;
use inputanim_convert::usd::{self, Encoding, Options};

use super::conversion::{Conversion, Said};

pub(super) fn write(
    conversion: &Conversion,
    recording: &Recording<'_>,
    format: Format,
    output: &mut Sink<'_>,
) -> anyhow::Result<Said> {
    let options = Options {
        encoding: match format {
            Format::Usda => Encoding::Text,
            _ => Encoding::Binary,
        },
        rate: conversion.rate.unwrap_or(Options::default().rate),
    };
    let losses = usd::write(recording, &options, output)?;
    let note = format!("sampled at {} Hz", options.rate);
    Ok(Said::lost(&losses).with_note(note))
}
