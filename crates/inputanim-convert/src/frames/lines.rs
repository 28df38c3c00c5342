//! Lines of bounded length, one after the other.

use std::io::{BufRead, Read};

use super::Error;

/// Reads line by line; after an error there are no more.
#[derive(Debug)]
pub(super) struct Lines<R> {
    input: R,
    limit: usize,
    buffer: Vec<u8>,
    number: u64,
    is_over: bool,
}

impl<R: BufRead> Lines<R> {
    pub(super) fn new(input: R, limit: usize) -> Lines<R> {
        Lines {
            input,
            limit,
            buffer: Vec::new(),
            number: 0,
            is_over: false,
        }
    }

    /// Goes to the next line, or says that there is none.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        self.buffer.clear();
        if self.is_over {
            return Ok(false);
        }
        let most = (self.limit as u64).saturating_add(1);
        let read = self
            .input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut self.buffer);
        self.number += 1;
        let length = read.inspect_err(|_| self.end())?;
        self.check(self.number, length)?;
        self.is_over = length == 0;
        // A mark that some programs put before UTF-8.
        if self.number == 1 && self.buffer.starts_with(b"\xef\xbb\xbf") {
            self.buffer.drain(..3);
        }
        Ok(!self.is_over)
    }

    /// Refuses what grows over several lines.
    pub(super) fn check(&mut self, line: u64, length: usize) -> Result<(), Error> {
        let limit = self.limit;
        if length > limit {
            self.end();
            return Err(Error::TooLong { line, limit });
        }
        Ok(())
    }

    fn end(&mut self) {
        self.is_over = true;
        self.buffer.clear();
    }

    /// The line, with what ends it.
    pub(super) fn bytes(&self) -> &[u8] {
        &self.buffer
    }

    /// Counted from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    /// Whether the input ended before the line did.
    pub(super) fn is_torn(&self) -> bool {
        self.buffer.last() != Some(&b'\n')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_and_the_last_may_have_no_end() {
        let mut lines = Lines::new(&b"\xef\xbb\xbfa\r\n\nb"[..], 10);
        for (number, bytes, is_torn) in [
            (1, &b"a\r\n"[..], false),
            (2, b"\n", false),
            (3, b"b", true),
        ] {
            assert!(lines.advance().unwrap());
            assert_eq!(
                (lines.number(), lines.bytes(), lines.is_torn()),
                (number, bytes, is_torn)
            );
        }
        assert!(!lines.advance().unwrap() && !lines.advance().unwrap());
    }

    #[test]
    fn a_line_that_is_too_long_is_not_read_to_its_end() {
        let endless = std::io::BufReader::new(std::io::repeat(b'x'));
        let mut lines = Lines::new(endless, 1000);
        let error = lines.advance().unwrap_err();
        assert!(matches!(
            error,
            Error::TooLong {
                line: 1,
                limit: 1000
            }
        ));
        assert!(!lines.advance().unwrap());
        let mut lines = Lines::new(&b"1234\n12345\n"[..], 5);
        assert!(lines.advance().unwrap() && lines.advance().is_err());
    }
}
