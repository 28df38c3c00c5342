//! Units of lengths, times and angles, by their symbols and names.

use inputanim::{CurvePath, PoseChannel, RayChannel};

/// Returns `true` for the curves of positions, whose unit is a length.
pub(crate) fn is_position(path: CurvePath) -> bool {
    match path {
        CurvePath::Head(channel)
        | CurvePath::Joint(_, _, channel)
        | CurvePath::DevicePose(_, _, channel) => {
            (channel as usize) < PoseChannel::RotationX as usize
        }
        CurvePath::Gaze(channel) => (channel as usize) < RayChannel::DirectionX as usize,
        CurvePath::Tracked(_) | CurvePath::Pinching(_) | CurvePath::Input(..) => false,
    }
}

/// A kind of quantity that may have another unit than metres, seconds or radians.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Quantity {
    Length,
    Time,
    Angle,
}

impl Quantity {
    /// Returns the size of a unit in metres, seconds or radians, such as 0.001 for `mm`. Returns `None` for an unknown unit.
    pub(crate) fn size(self, unit: &str) -> Option<f64> {
        let unit = unit.trim().to_lowercase();
        match self {
            Quantity::Length => metres(&unit),
            Quantity::Time => Some(match &*unit {
                "s" | "sec" | "secs" | "second" | "seconds" => 1.0,
                "ms" | "msec" | "millis" | "millisecond" | "milliseconds" => 1e-3,
                // The micro sign and the Greek letter.
                "us" | "usec" | "\u{b5}s" | "\u{3bc}s" | "micros" | "microsecond"
                | "microseconds" => 1e-6,
                "ns" | "nsec" | "nanos" | "nanosecond" | "nanoseconds" => 1e-9,
                _ => return None,
            }),
            Quantity::Angle => Some(match &*unit {
                "deg" | "degs" | "degree" | "degrees" | "\u{b0}" => 1_f64.to_radians(),
                "rad" | "rads" | "radian" | "radians" => 1.0,
                _ => return None,
            }),
        }
    }

    /// Returns the unit that this library uses.
    pub(crate) fn base(self) -> &'static str {
        match self {
            Quantity::Length => "m",
            Quantity::Time => "s",
            Quantity::Angle => "rad",
        }
    }

    /// Returns the unit at the end of the name of a column, such as `mm` of `x [mm]`, `pos_x_mm` or `pos_mm_x`, and the name
    /// without it. Returns `None` if the name states no known unit of this quantity.
    pub(crate) fn of_name(self, name: &str) -> Option<(String, &str)> {
        let name = name.trim();
        for (open, close) in [('[', ']'), ('(', ')')] {
            if let Some((before, unit)) = name
                .strip_suffix(close)
                .and_then(|name| name.rsplit_once(open))
            {
                let is_known = self.size(unit).is_some();
                return is_known.then(|| (before.trim_end().to_owned(), unit.trim()));
            }
        }
        let is_separator = |letter: char| "_-. ".contains(letter);
        // `in` is more often a word than an inch, and no sign separates a unit from a name that is nothing else.
        let is_unit = |unit: &str| unit != "in" && self.size(unit).is_some();
        let (before, last) = split_last(name, is_separator)?;
        if is_unit(last) {
            return Some((before.to_owned(), last));
        }
        let is_axis = last.len() == 1 && "xyzwXYZW".contains(last);
        let (start, unit) = split_last(before, is_separator).filter(|_| is_axis)?;
        let separator = &name[before.len()..name.len() - last.len()];
        is_unit(unit).then(|| (format!("{start}{separator}{last}"), unit))
    }
}

/// Splits a text at the last separator, which belongs to neither part.
fn split_last(text: &str, is_separator: impl Fn(char) -> bool) -> Option<(&str, &str)> {
    let at = text.rfind(is_separator)?;
    // All separators have one byte.
    Some((&text[..at], &text[at + 1..]))
}

/// Returns the length of a unit in lower case in metres; `None` for an unknown unit.
fn metres(unit: &str) -> Option<f64> {
    let prefix = ["meters", "metres", "meter", "metre"]
        .iter()
        .find_map(|name| unit.strip_suffix(name));
    match prefix.unwrap_or(unit) {
        "" if prefix.is_some() => Some(1.0),
        "m" if prefix.is_none() => Some(1.0),
        "deci" | "dm" => Some(0.1),
        "centi" | "cm" => Some(0.01),
        "milli" | "mm" => Some(0.001),
        // The micro sign and the Greek letter.
        "micro" | "um" | "\u{b5}m" | "\u{3bc}m" => Some(1e-6),
        "in" | "inch" | "inches" => Some(0.0254),
        "ft" | "foot" | "feet" => Some(0.3048),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_known_by_their_symbols_and_names() {
        for (unit, expected) in [
            ("m", Some(1.0)),
            ("Meters", Some(1.0)),
            ("mm", Some(0.001)),
            ("millimeters", Some(0.001)),
            ("Millimetre", Some(0.001)),
            ("cm", Some(0.01)),
            ("\u{b5}m", Some(1e-6)),
            ("micrometers", Some(1e-6)),
            ("", None),
            ("microvolts", None),
            ("normalized", None),
        ] {
            assert_eq!(Quantity::Length.size(unit), expected, "{unit}");
        }
    }

    #[test]
    fn names_may_state_a_unit() {
        let of = |quantity: Quantity, name| {
            let found = quantity.of_name(name);
            found.map(|(name, unit)| format!("{name}|{unit}"))
        };
        for (name, expected) in [
            ("pos_x_mm", Some("pos_x|mm")),
            ("pos_mm_x", Some("pos_x|mm")),
            ("x [cm]", Some("x|cm")),
            ("x(mm)", Some("x|mm")),
            ("head.position.x_m", Some("head.position.x|m")),
            ("mm", None),
            ("signal_in", None),
            ("x [px]", None),
            ("pos_x", None),
        ] {
            assert_eq!(of(Quantity::Length, name).as_deref(), expected, "{name}");
        }
        assert_eq!(of(Quantity::Angle, "yaw_deg").as_deref(), Some("yaw|deg"));
        assert_eq!(
            of(Quantity::Time, "Timestamp [us]").as_deref(),
            Some("Timestamp|us")
        );
        assert_eq!(of(Quantity::Time, "time_ms").as_deref(), Some("time|ms"));
    }
}
