//! A 32-bit float as JSON, bit for bit.

use std::fmt;
use std::str::FromStr;

use serde::de::{Error, Unexpected, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The NaN that is written without its bits.
const PLAIN_NAN: u32 = 0x7fc0_0000;

/// A float that is written as a JSON number if it is finite, and as a string otherwise. It reads back with the same
/// bits. `Display` writes the same text without quotation marks.
///
/// ```
/// use inputanim_convert::json::Number;
/// assert_eq!(Number(0.1).to_string(), "0.1");
/// assert_eq!(Number(f32::from_bits(0xffc0_0001)).to_string(), "NaN(0xffc00001)");
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct Number(pub f32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            f32::INFINITY => f.pad("Infinity"),
            f32::NEG_INFINITY => f.pad("-Infinity"),
            nan if nan.is_nan() && nan.to_bits() != PLAIN_NAN => {
                f.pad(&format!("NaN({:#010x})", nan.to_bits()))
            }
            value => f.pad(&value.to_string()),
        }
    }
}

impl Serialize for Number {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            value if value.is_finite() => serializer.serialize_f32(value),
            _ => serializer.collect_str(self),
        }
    }
}

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Number, D::Error> {
        deserializer.deserialize_any(NumberVisitor)
    }
}

struct NumberVisitor;

impl Visitor<'_> for NumberVisitor {
    type Value = Number;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(
            "a 32-bit float: a number, \"Infinity\", \"-Infinity\", \"NaN\" or \"NaN(0x…)\"",
        )
    }

    fn visit_f64<E: Error>(self, value: f64) -> Result<Number, E> {
        let narrow = narrow(value);
        if narrow.is_finite() {
            Ok(Number(narrow))
        } else {
            Err(E::invalid_value(Unexpected::Float(value), &self))
        }
    }

    fn visit_i64<E: Error>(self, value: i64) -> Result<Number, E> {
        Ok(Number(value as f32))
    }

    fn visit_u64<E: Error>(self, value: u64) -> Result<Number, E> {
        Ok(Number(value as f32))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Number, E> {
        let number = not_finite(text).map(Number);
        number.ok_or_else(|| E::invalid_value(Unexpected::Str(text), &self))
    }
}

/// Parses `Infinity`, `-Infinity`, `NaN`, or `NaN(0x…)` with the bits of a NaN. Returns `None` for all other texts,
/// also for finite numbers.
fn not_finite(text: &str) -> Option<f32> {
    let bits = match text {
        "Infinity" => return Some(f32::INFINITY),
        "-Infinity" => return Some(f32::NEG_INFINITY),
        "NaN" => PLAIN_NAN,
        _ => {
            let digits = text.strip_prefix("NaN(0x")?.strip_suffix(')')?;
            u32::from_str_radix(digits, 16).ok()?
        }
    };
    Some(f32::from_bits(bits)).filter(|float| float.is_nan())
}

/// A text that is not a 32-bit float.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a number that a 32-bit float can hold")]
pub struct NotANumber(String);

impl FromStr for Number {
    type Err = NotANumber;

    /// Parses the texts that [`Display`](fmt::Display) writes, and any decimal number that is finite as a 32-bit float.
    fn from_str(text: &str) -> Result<Number, NotANumber> {
        let finite = || text.parse().ok().filter(|float: &f32| float.is_finite());
        let float = not_finite(text).or_else(finite);
        float.map(Number).ok_or_else(|| NotANumber(text.to_owned()))
    }
}

/// Returns the 32-bit float whose decimal digits were parsed as the 64-bit float `value`.
///
/// Rounding twice can give the wrong float if the f64 is exactly between two floats. Then the function chooses the
/// float whose digits parse as that f64. `examples/every_float.rs` tries every float: this case occurs for one float.
fn narrow(value: f64) -> f32 {
    let near = value as f32;
    let other = if f64::from(near) < value {
        near.next_up()
    } else {
        near.next_down()
    };
    let distance = |float: f32| (f64::from(float) - value).abs();
    let is_written_so = |float: f32| float.to_string().parse() == Ok(value);
    if distance(near) == distance(other) && is_written_so(other) {
        other
    } else {
        near
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn there_and_back(bits: u32) -> (String, u32) {
        let text = serde_json::to_string(&Number(f32::from_bits(bits))).unwrap();
        let Number(back) = serde_json::from_str(&text).unwrap();
        (text, back.to_bits())
    }

    #[test]
    fn floats_keep_their_bits() {
        for (bits, text) in [
            (0x0000_0000, "0.0"),
            (0x8000_0000, "-0.0"),
            (0x3dcc_cccd, "0.1"),
            (0x0000_0001, "1e-45"),
            // Parsed as an f64, these digits are exactly between two floats.
            (0x15ae_43fd, "7.038531e-26"),
            (0x7f7f_ffff, "3.4028235e+38"),
            (0x7f80_0000, "\"Infinity\""),
            (0xff80_0000, "\"-Infinity\""),
            (0x7fc0_0000, "\"NaN\""),
            (0xffc0_0001, "\"NaN(0xffc00001)\""),
            (0x7f80_0001, "\"NaN(0x7f800001)\""),
        ] {
            let (written, back) = there_and_back(bits);
            assert_eq!(written, text);
            assert_eq!(back, bits, "{text}");
            let text = Number(f32::from_bits(bits)).to_string();
            assert_eq!(text.parse::<Number>().unwrap().0.to_bits(), bits, "{text}");
        }
    }

    #[test]
    fn texts_that_are_no_32_bit_float_are_refused() {
        for text in ["1e39", "\"nan\"", "\"NaN(0x3f800000)\"", "null", "[0]"] {
            assert!(serde_json::from_str::<Number>(text).is_err(), "{text}");
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
        for text in ["inf", "nan", "", "1,5", "0x1"] {
            assert!(text.parse::<Number>().is_err(), "{text}");
        }
    }
}
