//! Values of options that several verbs have.

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::{Layout, Span};

/// Times a second.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= Span::HIGHEST_RATE => Ok(rate),
        _ => Err("expected a number above 0, and at most a million".to_owned()),
    }
}

/// The layouts by their names.
pub(crate) fn layouts() -> impl TypedValueParser<Value = Layout> {
    PossibleValuesParser::new(Layout::ALL.map(Layout::name)).try_map(|name| name.parse::<Layout>())
}
