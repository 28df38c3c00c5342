//! An input in UTF-8 or UTF-16, read as UTF-8.

use std::io::{self, BufRead, Read};

use crate::shared::utf16::{self, Unit};

/// The largest number of bytes that are converted at once.
const BLOCK: usize = 1 << 16;

/// Leaves text in UTF-8 unchanged, and converts text in UTF-16.
#[derive(Debug)]
pub(crate) struct Utf8<R> {
    input: R,
    /// `None` before the first byte, and `Some(None)` for text in UTF-8.
    unit: Option<Option<Unit>>,
    /// The bytes of an incomplete character, which are not converted yet.
    rest: Vec<u8>,
    converted: Vec<u8>,
    /// The number of bytes in `converted` that were read.
    consumed: usize,
}

impl<R: BufRead> Utf8<R> {
    pub(crate) fn new(input: R) -> Utf8<R> {
        Utf8 {
            input,
            unit: None,
            rest: Vec::new(),
            converted: Vec::new(),
            consumed: 0,
        }
    }
}

impl<R: BufRead> BufRead for Utf8<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let unit = match self.unit {
            Some(unit) => unit,
            None => *self.unit.insert(utf16::unit(self.input.fill_buf()?)),
        };
        let Some(unit) = unit else {
            return self.input.fill_buf();
        };
        while self.consumed == self.converted.len() {
            let bytes = self.input.fill_buf()?;
            let bytes = &bytes[..bytes.len().min(BLOCK)];
            self.converted.clear();
            self.consumed = 0;
            if bytes.is_empty() {
                if !std::mem::take(&mut self.rest).is_empty() {
                    // The reader reports an error for this byte.
                    self.converted.push(0xff);
                }
                break;
            }
            let length = bytes.len();
            self.rest.extend_from_slice(bytes);
            self.input.consume(length);
            let decoded = utf16::decode(&self.rest, unit, &mut self.converted);
            self.rest.drain(..decoded);
        }
        Ok(&self.converted[self.consumed..])
    }

    fn consume(&mut self, count: usize) {
        match self.unit {
            Some(Some(_)) => self.consumed += count,
            _ => self.input.consume(count),
        }
    }
}

impl<R: BufRead> Read for Utf8<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(buffer)?;
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn text_is_the_same_for_all_sizes_of_reads() {
        let text = "\u{feff}a,手🙂\r\n🙂\n";
        let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        for size in 1..=utf16.len() {
            for input in [&utf16[..], text.as_bytes()] {
                let mut read = String::new();
                let mut input = Utf8::new(BufReader::with_capacity(size, input));
                input.read_to_string(&mut read).unwrap();
                assert_eq!(read, text, "{size}");
            }
        }
        let mut torn = Utf8::new(&utf16[..utf16.len() - 1]);
        assert!(torn.read_to_string(&mut String::new()).is_err());
    }
}
