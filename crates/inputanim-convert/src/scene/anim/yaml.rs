//! Numbers and texts in Unity's YAML.

use std::fmt::{self, Write};
use std::io::Write as _;

/// A number with the fewest digits that read back as the same 32-bit float.
pub(super) struct Number(pub(super) f32);

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            f32::INFINITY => f.write_str("Infinity"),
            number => write!(f, "{number}"),
        }
    }
}

/// Appends a [`Number`] faster than `Display` does. If two texts with the fewest digits are equally near, the result
/// may differ from `Display`. Both texts read back as the same float.
pub(super) fn push_number(text: &mut Vec<u8>, number: f32) {
    let mut buffer = zmij::Buffer::new();
    let digits = buffer.format(number);
    if number.is_finite() && !digits.contains('e') {
        text.extend(digits.strip_suffix(".0").unwrap_or(digits).as_bytes());
    } else {
        // Unity's YAML has no exponents. Writing into memory does not fail.
        write!(text, "{}", Number(number)).unwrap_or_default();
    }
}

/// Appends a vector of two to four numbers, such as `{x: 0, y: 1.6}`, or a vector of one number as a plain number.
pub(super) fn push_vector<const N: usize>(text: &mut Vec<u8>, vector: [f32; N]) {
    if let [only] = vector[..] {
        return push_number(text, only);
    }
    let names: [&[u8]; 4] = [b"{x: ", b", y: ", b", z: ", b", w: "];
    for (name, number) in names.into_iter().zip(vector) {
        text.extend(name);
        push_number(text, number);
    }
    text.push(b'}');
}

/// A text: plain where possible, otherwise within quotation marks, as ASCII.
pub(super) struct Text<'t>(pub(super) &'t str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if is_plain(self.0) {
            return f.write_str(self.0);
        }
        f.write_char('"')?;
        for letter in self.0.chars() {
            match letter {
                '"' | '\\' => write!(f, "\\{letter}")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                ' '..='~' => f.write_char(letter)?,
                // YAML has one escape of four digits and another of eight.
                letter if u32::from(letter) <= 0xffff => write!(f, "\\u{:04X}", u32::from(letter))?,
                letter => write!(f, "\\U{:08X}", u32::from(letter))?,
            }
        }
        f.write_char('"')
    }
}

/// Returns `true` for a text that YAML reads as a text even without quotation marks.
fn is_plain(text: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
    // YAML 1.1 reads these words as booleans, null or numbers.
    let known = [
        "true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf", "infinity",
    ];
    text.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_')
        && text
            .split(' ')
            .all(|word| !word.is_empty() && word.chars().all(is_word))
        && !known.contains(&text.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_exponent() {
        let text = |number: f32| Number(number).to_string();
        assert_eq!(text(1.0 / 3.0), "0.33333334");
        assert_eq!(text(1e-7), "0.0000001");
        assert_eq!(text(2.0), "2");
        assert_eq!(text(f32::INFINITY), "Infinity");
        let mut vector = Vec::new();
        push_vector(&mut vector, [1.0]);
        push_vector(&mut vector, [1.0, 0.5, -2.0]);
        assert_eq!(vector, b"1{x: 1, y: 0.5, z: -2}");
    }

    #[test]
    fn the_fast_path_writes_as_many_digits_of_the_same_number() {
        // The stride visits all exponents and signs, and numbers that are not finite.
        for bits in (0..u32::MAX).step_by(9973) {
            let number = f32::from_bits(bits);
            let mut text = Vec::new();
            push_number(&mut text, number);
            let text = String::from_utf8(text).unwrap();
            let slow = Number(number).to_string();
            assert_eq!(text.len(), slow.len(), "{text} {slow}");
            if number.is_finite() {
                let read: f32 = text.parse().unwrap();
                assert_eq!(read.to_bits(), number.to_bits(), "{text}");
            }
        }
    }

    #[test]
    fn texts_are_plain_or_quoted() {
        let text = |text: &str| Text(text).to_string();
        assert_eq!(text("press button"), "press button");
        assert_eq!(text("take_1-b"), "take_1-b");
        assert_eq!(text(""), "\"\"");
        assert_eq!(text("yes"), "\"yes\"");
        assert_eq!(text("1.5"), "\"1.5\"");
        assert_eq!(text("a: b # c"), "\"a: b # c\"");
        assert_eq!(text(" a"), "\" a\"");
        assert_eq!(text("a\n\"b\"\\\u{7}"), r#""a\n\"b\"\\\u0007""#);
        assert_eq!(text("グ🖐"), r#""\u30B0\U0001F590""#);
    }
}
