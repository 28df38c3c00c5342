//! Values of options that several verbs have.

use clap::ValueEnum;
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use inputanim::{Layout, Side, Space, TimeRange};
use inputanim_convert::Format;

/// The hands that an option selects.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Hand {
    Left,
    Right,
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

/// Parses a length of 0 or more, such as `1mm`, in metres. `inf` is any length.
pub(crate) fn length(text: &str) -> Result<f64, String> {
    with_unit(text, &[("mm", 1000.0), ("cm", 100.0), ("m", 1.0)]).ok_or_else(|| {
        "expected a length such as 1mm, 0.5cm or 0.01m, 0 or more, or `inf`".to_owned()
    })
}

/// Parses an angle of 0 or more, such as `0.2deg`, in degrees. `inf` is any angle.
pub(crate) fn angle(text: &str) -> Result<f64, String> {
    with_unit(
        text,
        &[("deg", 1.0), ("°", 1.0), ("rad", 1f64.to_radians())],
    )
    .ok_or_else(|| "expected an angle such as 0.2deg or 0.01rad, 0 or more, or `inf`".to_owned())
}

/// Parses a number of 0 or more with one of the units, and returns it in the basic unit. Each unit has its number per
/// basic unit: `("mm", 1000.0)` if this is the metre. 0 and `inf` need no unit. `None` for other text.
fn with_unit(text: &str, units: &[(&str, f64)]) -> Option<f64> {
    let text = text.trim();
    if let Ok(number) = text.parse::<f64>() {
        return (number == 0.0 || number == f64::INFINITY).then_some(number.abs());
    }
    let mut numbers = units.iter().filter_map(|(unit, per_unit)| {
        let number: f64 = text.strip_suffix(unit)?.trim_end().parse().ok()?;
        Some(number / per_unit)
    });
    numbers.next().filter(|number| *number >= 0.0)
}

/// Returns a clap parser that accepts the name of each value in `all`. `help` describes a value.
pub(crate) fn one_of<T: Copy + Send + Sync + 'static>(
    all: &'static [T],
    name: impl Fn(T) -> &'static str + Clone + Send + Sync + 'static,
    help: impl Fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T> {
    let values = all
        .iter()
        .map(|&choice| PossibleValue::new(name(choice)).help(help(choice)));
    PossibleValuesParser::new(values.collect::<Vec<_>>()).map(move |text| {
        let mut choices = all.iter().copied();
        choices
            .find(|&choice| name(choice) == text)
            .expect("clap accepts only these names")
    })
}

/// Returns a clap parser of the names of layouts.
pub(crate) fn layouts() -> impl TypedValueParser<Value = Layout> {
    PossibleValuesParser::new(Layout::ALL.iter().map(|layout| layout.name()))
        .try_map(|name| name.parse::<Layout>())
}

/// Returns a clap parser of the names of spaces (axes).
pub(crate) fn spaces() -> impl TypedValueParser<Value = Space> {
    PossibleValuesParser::new(Space::ALL.iter().map(|space| space.name()))
        .try_map(|name| name.parse::<Space>())
}

/// Returns a clap parser of the names and extensions of the formats for which `is_offered` is true.
pub(crate) fn formats(
    is_offered: impl Fn(Format) -> bool,
) -> impl TypedValueParser<Value = Format> {
    let formats = Format::ALL.iter().copied();
    let names = formats.filter(|&format| is_offered(format)).map(|format| {
        // A user who knows the extension need not look up the name of the format.
        let others = format.extensions().iter();
        let others = others.filter(move |&&other| other != format.name());
        PossibleValue::new(format.name()).aliases(others)
    });
    PossibleValuesParser::new(names).try_map(|name| {
        let named = name.parse::<Format>();
        named.or_else(|error| Format::from_extension(name.as_ref()).ok_or(error))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_and_angles_need_a_unit() {
        for (text, metres) in [("1mm", 0.001), ("5 cm", 0.05), ("0.25m", 0.25), ("0", 0.0)] {
            assert_eq!(length(text), Ok(metres), "{text}");
        }
        assert_eq!(length("inf"), Ok(f64::INFINITY));
        assert_eq!(angle("0.2deg"), Ok(0.2));
        assert_eq!(angle("2 °"), Ok(2.0));
        assert!((angle("1rad").unwrap() - 57.29578).abs() < 1e-4);
        for wrong in ["1", "-1mm", "nan", "nanmm", "mm", "", "1deg", "1km"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
        assert!(angle("1").is_err() && angle("1mm").is_err());
    }
}
