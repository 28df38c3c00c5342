//! Texts of XML.

use std::borrow::Cow;

/// Escapes a text for the content of an XML element. Letters that XML cannot represent are replaced.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    let is_plain = |letter: char| !matches!(letter, '&' | '<' | '>') && is_allowed(letter);
    if text.chars().all(is_plain) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len());
    for letter in text.chars() {
        match letter {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            letter if is_allowed(letter) => escaped.push(letter),
            _ => escaped.push(char::REPLACEMENT_CHARACTER),
        }
    }
    Cow::Owned(escaped)
}

/// Returns `true` for letters that XML 1.0 allows, except for line ends, which readers may change.
fn is_allowed(letter: char) -> bool {
    matches!(letter, '\t' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_escaped() {
        assert_eq!(escape("take 1.bin"), "take 1.bin");
        assert_eq!(escape("<a&b>\u{0}\n"), "&lt;a&amp;b&gt;\u{fffd}\u{fffd}");
    }
}
