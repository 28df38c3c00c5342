//! USD, as text and binary.

use crate::output::Sink;

use inputanim::Recording;
use inputanim_convert::Format;
use inputanim_convert::usd::{self, Encoding, Options};

use super::conversion::{Conversion, Said};

pub(super) const fn is_usd(format: Format) -> bool {
    matches!(format, Format::Usda | Format::Usdc)
}

pub(super) fn write(
    conversion: &Conversion,
    recording: &Recording<'_>,
    format: Format,
    output: &mut Sink<'_>,
) -> anyhow::Result<Said> {
    let mut options = Options::default();
    options.rate = conversion.rate.unwrap_or(options.rate);
    options.encoding = match format {
        Format::Usda => Encoding::Text,
        _ => Encoding::Binary,
    };
    let losses = usd::write(recording, &options, output)?;
    let note = format!("sampled at {} Hz", options.rate);
    Ok(Said::lost(&losses).with_note(note))
}
