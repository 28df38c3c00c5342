//! Lines of bounded length.

use std::io::BufRead;

use super::utf8::Utf8;
use crate::table::table_error::TableError;

/// Reads line by line. After an error there are no more lines.
///
/// Text in UTF-16 is converted to UTF-8. Lines end with LF, CR LF or CR. A line is available as soon as its end was
/// read. For CR LF this is the CR, so that a live stream is not delayed. The LF is then the first byte of the next
/// line.
#[derive(Debug)]
pub(crate) struct Lines<R> {
    input: Utf8<R>,
    limit: usize,
    buffer: Vec<u8>,
    number: u64,
    is_over: bool,
}

impl<R: BufRead> Lines<R> {
    /// Creates a reader of lines of at most `limit` bytes.
    pub(crate) fn new(input: R, limit: usize) -> Lines<R> {
        Lines {
            input: Utf8::new(input),
            limit,
            buffer: Vec::new(),
            number: 0,
            is_over: false,
        }
    }

    /// Reads the next line, and returns `false` at the end of the input.
    pub(crate) fn advance(&mut self) -> Result<bool, TableError> {
        let is_after_cr = self.buffer.last() == Some(&b'\r');
        self.buffer.clear();
        if self.is_over {
            return Ok(false);
        }
        self.number += 1;
        self.fill(is_after_cr).inspect_err(|_| self.stop())?;
        self.is_over = self.buffer.is_empty();
        // Some programs begin text with the byte order mark of UTF-8.
        if self.number == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        Ok(!self.is_over)
    }

    fn fill(&mut self, is_after_cr: bool) -> Result<(), TableError> {
        loop {
            let bytes = self.input.fill_buf()?;
            let is_second_half = is_after_cr && self.buffer.is_empty() && bytes.starts_with(b"\n");
            let start = usize::from(is_second_half);
            let end = bytes[start..]
                .iter()
                .position(|byte| b"\r\n".contains(byte));
            let length = end.map_or(bytes.len(), |end| start + end + 1);
            self.buffer.extend_from_slice(&bytes[..length]);
            self.input.consume(length);
            self.check(self.number, self.buffer.len())?;
            if end.is_some() || length == 0 {
                return Ok(());
            }
        }
    }

    /// Fails if a text is longer than the limit, and ends the input then. `length` is the length of the text in bytes,
    /// and `line` the number of the line in which it starts.
    pub(crate) fn check(&mut self, line: u64, length: usize) -> Result<(), TableError> {
        let limit = self.limit;
        if length > limit {
            self.stop();
            return Err(TableError::LineTooLong { line, limit });
        }
        Ok(())
    }

    /// Ends the input, so that [`advance`](Self::advance) returns no more lines.
    pub(crate) fn stop(&mut self) {
        self.is_over = true;
        self.buffer.clear();
    }

    /// Returns the bytes of the current line, including its line ending.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Returns the text of the current line without surrounding white space. Fails if it is not UTF-8.
    pub(crate) fn text(&self) -> Result<&str, TableError> {
        let line = self.number;
        let text = str::from_utf8(&self.buffer).map_err(|_| TableError::Encoding { line })?;
        Ok(text.trim())
    }

    /// Returns the number of the current line, counted from 1.
    pub(crate) fn number(&self) -> u64 {
        self.number
    }

    /// Returns `true` if the current line has no line ending, because the input ended.
    pub(crate) fn is_truncated(&self) -> bool {
        !matches!(self.buffer.last(), Some(b'\n' | b'\r'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<(u64, Vec<u8>, bool)> {
        let mut lines = Lines::new(text, 10);
        let mut found = Vec::new();
        while lines.advance().unwrap() {
            found.push((lines.number(), lines.bytes().to_vec(), lines.is_truncated()));
        }
        assert!(!lines.advance().unwrap());
        found
    }

    #[test]
    fn lines_are_counted_and_the_last_needs_no_end() {
        assert_eq!(
            lines(b"\xef\xbb\xbfa\r\n\nb"),
            [
                (1, b"a\r".to_vec(), false),
                (2, b"\n\n".to_vec(), false),
                (3, b"b".to_vec(), true),
            ]
        );
        assert_eq!(
            lines(b"a\rb\r\rc\r"),
            [
                (1, b"a\r".to_vec(), false),
                (2, b"b\r".to_vec(), false),
                (3, b"\r".to_vec(), false),
                (4, b"c\r".to_vec(), false),
            ]
        );
    }

    #[test]
    fn a_line_that_is_too_long_is_not_read_to_its_end() {
        let endless = std::io::BufReader::new(std::io::repeat(b'x'));
        let mut lines = Lines::new(endless, 1000);
        let error = lines.advance().unwrap_err();
        let limit = 1000;
        assert!(
            matches!(error, TableError::LineTooLong { line: 1, limit: found } if found == limit)
        );
        assert!(!lines.advance().unwrap());
        let mut lines = Lines::new(&b"1234\n12345\n"[..], 5);
        assert!(lines.advance().unwrap() && lines.advance().is_err());
    }
}
