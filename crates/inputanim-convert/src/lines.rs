//! Where in a text something is.

use std::ops::Range;

/// The text, or the number of the line in which it stops being UTF-8.
pub(crate) fn utf_8(text: &[u8]) -> Result<&str, usize> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    str::from_utf8(text).map_err(|error| line_of(error.valid_up_to(), text))
}

/// Whether bytes begin with the mark of UTF-16.
pub(crate) fn is_utf_16(text: &[u8]) -> bool {
    text.starts_with(b"\xff\xfe") || text.starts_with(b"\xfe\xff")
}

/// The number of the line in which a byte stands, counted from 1. Lines end in any of three ways.
pub(crate) fn line_of(byte: usize, text: &[u8]) -> usize {
    1 + ends(text, 0..byte.min(text.len()))
}

/// How many lines end within a part of a text.
fn ends(text: &[u8], part: Range<usize>) -> usize {
    let is_end = |&index: &usize| match text[index] {
        b'\n' => true,
        b'\r' => text.get(index + 1) != Some(&b'\n'),
        _ => false,
    };
    part.filter(is_end).count()
}

/// Numbers of lines that are asked for in order, so that the text is looked through once.
pub(crate) struct LineCounter<'t> {
    text: &'t [u8],
    byte: usize,
    line: usize,
}

impl<'t> LineCounter<'t> {
    pub(crate) fn new(text: &'t [u8]) -> LineCounter<'t> {
        LineCounter {
            text,
            byte: 0,
            line: 1,
        }
    }

    /// The number of the first line with anything in it from a byte on.
    pub(crate) fn line_from(&mut self, byte: usize) -> usize {
        let rest = self.text.get(byte..).unwrap_or_default();
        let blank = rest
            .iter()
            .take_while(|byte| b"\r\n".contains(byte))
            .count();
        let start = (byte + blank).min(self.text.len());
        self.line += ends(self.text, self.byte.min(start)..start);
        self.byte = start;
        self.line
    }
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
            let mut lines = LineCounter::new(text.as_bytes());
            let line = |lines: &mut LineCounter<'_>, byte| lines.line_from(byte);
            assert_eq!(line(&mut lines, 0), 1);
            let second = text.find('b').unwrap();
            assert_eq!(line(&mut lines, second), 2);
            assert_eq!(line(&mut lines, second + 1), 4, "{text:?}");
            assert_eq!(line(&mut lines, usize::MAX), 4);
        }
        assert_eq!(utf_8(b"\xef\xbb\xbfa\nb\xff"), Err(2));
        assert_eq!(utf_8("\u{feff}ä".as_bytes()), Ok("ä"));
    }
}
