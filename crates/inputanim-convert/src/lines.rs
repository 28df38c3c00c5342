//! Where in a text something is.

/// The text, or the number of the line in which it stops being UTF-8.
pub(crate) fn utf_8(text: &[u8]) -> Result<&str, usize> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    str::from_utf8(text).map_err(|error| line_of(error.valid_up_to(), text))
}

/// The number of the line in which a byte stands, counted from 1. Lines end in any of three ways.
pub(crate) fn line_of(byte: usize, text: &[u8]) -> usize {
    let ends = |&index: &usize| match text[index] {
        b'\n' => true,
        b'\r' => text.get(index + 1) != Some(&b'\n'),
        _ => false,
    };
    1 + (0..byte.min(text.len())).filter(ends).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_whatever_ends_them() {
        for text in ["a\nb\n\nc", "a\r\nb\r\n\r\nc", "a\rb\r\rc"] {
            assert_eq!(line_of(text.len() - 1, text.as_bytes()), 4, "{text:?}");
            assert_eq!(line_of(0, text.as_bytes()), 1);
            assert_eq!(line_of(usize::MAX, text.as_bytes()), 4);
        }
        assert_eq!(utf_8(b"\xef\xbb\xbfa\nb\xff"), Err(2));
        assert_eq!(utf_8("\u{feff}ä".as_bytes()), Ok("ä"));
    }
}
