//! Values of options that several verbs have.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use inputanim::{Layout, Space, Span};

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

/// A length of time.
pub(crate) fn seconds(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(seconds) if seconds > 0.0 && seconds.is_finite() => Ok(seconds),
        _ => Err("expected a number of seconds above 0".to_owned()),
    }
}

/// The spaces by their names.
pub(crate) fn spaces() -> impl TypedValueParser<Value = Space> {
    let value = |space: Space| match space {
        Space::OpenXr => PossibleValue::new(space.name()).alias("webxr"),
        space => PossibleValue::new(space.name()),
    };
    PossibleValuesParser::new(Space::ALL.map(value)).try_map(|name| name.parse::<Space>())
}
