//! Numbers and texts as Unity's YAML has them.

use std::fmt::{self, Write};

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

/// A number, or a vector of up to four.
pub(super) struct Vector<const N: usize>(pub(super) [f32; N]);

impl<const N: usize> fmt::Display for Vector<N> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let [only] = self.0[..] {
            return Number(only).fmt(f);
        }
        for (index, (name, number)) in ["x", "y", "z", "w"].iter().zip(self.0).enumerate() {
            let before = if index == 0 { "{" } else { ", " };
            write!(f, "{before}{name}: {}", Number(number))?;
        }
        f.write_str("}")
    }
}

/// A text: plain where it can be, else within quotation marks, as ASCII.
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
                letter if u32::from(letter) <= 0xffff => write!(f, "\\u{:04X}", u32::from(letter))?,
                letter => write!(f, "\\U{:08X}", u32::from(letter))?,
            }
        }
        f.write_char('"')
    }
}

/// Whether a text is one wherever it stands: words that YAML takes for something else are not.
fn is_plain(text: &str) -> bool {
    let is_word = |letter: char| letter.is_ascii_alphanumeric() || "_-".contains(letter);
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
        assert_eq!(Vector([1.0]).to_string(), "1");
        assert_eq!(
            Vector([1.0, 0.5, -2.0]).to_string(),
            "{x: 1, y: 0.5, z: -2}"
        );
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
