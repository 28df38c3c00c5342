//! Values of options that several verbs have.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use inputanim::{Layout, Side, Space, TimeRange};

/// The hands that an option selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hand {
    Left,
    Right,
    // The name that `split --at-gaps` had for this is still accepted.
    #[value(alias = "any")]
    Both,
}

impl Hand {
    /// Returns the side of a single hand, or `None` for both.
    pub(crate) fn side(self) -> Option<Side> {
        match self {
            Hand::Left => Some(Side::Left),
            Hand::Right => Some(Side::Right),
            Hand::Both => None,
        }
    }
}

/// Parses a rate in Hz.
pub(crate) fn rate(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(rate) if rate > 0.0 && rate <= TimeRange::MAX_RATE => Ok(rate),
        _ => Err("expected a number above 0 and at most 1000000".to_owned()),
    }
}

/// Returns a parser of layout names.
pub(crate) fn layouts() -> impl TypedValueParser<Value = Layout> {
    PossibleValuesParser::new(Layout::ALL.map(Layout::name)).try_map(|name| name.parse::<Layout>())
}

/// Returns a parser of space names.
pub(crate) fn spaces() -> impl TypedValueParser<Value = Space> {
    let value = |space: Space| match space {
        // WebXR has the axes of OpenXR.
        Space::OpenXr => PossibleValue::new(space.name()).alias("webxr"),
        space => PossibleValue::new(space.name()),
    };
    PossibleValuesParser::new(Space::ALL.map(value)).try_map(|name| name.parse::<Space>())
}
