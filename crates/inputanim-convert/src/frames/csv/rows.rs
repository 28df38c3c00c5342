//! Rows of a table, each with the number of its line.

use std::io::BufRead;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::frames::Error;
use crate::frames::lines::Lines;

/// Reads row by row.
#[derive(Debug)]
pub(super) struct Rows<R> {
    lines: Lines<R>,
    /// How much of the line has been read.
    done: usize,
    parser: Reader,
    /// The texts of the cells of the row, without quotation marks, one behind the other.
    text: Vec<u8>,
    /// Where each ends.
    ends: Vec<usize>,
    /// How many there are.
    cells: usize,
    line: u64,
}

impl<R: BufRead> Rows<R> {
    pub(super) fn new(lines: Lines<R>, separator: u8) -> Rows<R> {
        Rows {
            lines,
            done: 0,
            parser: ReaderBuilder::new().delimiter(separator).build(),
            text: Vec::new(),
            ends: Vec::new(),
            cells: 0,
            line: 1,
        }
    }

    /// Goes to the next row, or says that there is none. A cell within quotation marks may go on
    /// over several lines, which count as one.
    pub(super) fn advance(&mut self) -> Result<bool, Error> {
        let (mut length, mut is_begun) = (0, false);
        self.cells = 0;
        loop {
            if self.done >= self.lines.bytes().len() {
                let is_there = self.lines.advance()?;
                self.done = 0;
                if !is_there && !is_begun {
                    return Ok(false);
                }
            }
            let rest = &self.lines.bytes()[self.done..];
            if !is_begun {
                self.line = self.lines.number();
                if rest.trim_ascii().is_empty() {
                    self.done += rest.len();
                    continue;
                }
                self.parser.reset();
                is_begun = true;
            }
            let most = length + rest.len();
            self.lines.check(self.line, most)?;
            let rest = &self.lines.bytes()[self.done..];
            // No cell is longer than its text, and no two end at one byte.
            self.text.resize(most, 0);
            self.ends.resize(self.cells + rest.len() + 1, 0);
            let (texts, ends) = (&mut self.text[length..], &mut self.ends[self.cells..]);
            let (result, read, written, ended) = self.parser.read_record(rest, texts, ends);
            self.done += read;
            length += written;
            self.cells += ended;
            if matches!(result, ReadRecordResult::Record | ReadRecordResult::End) {
                return Ok(true);
            }
        }
    }

    pub(super) fn line(&self) -> u64 {
        self.line
    }

    pub(super) fn len(&self) -> usize {
        self.cells
    }

    /// Whether the input ended before the row did.
    pub(super) fn is_torn(&self) -> bool {
        self.lines.is_torn()
    }

    /// The text of a cell.
    pub(super) fn cell(&self, column: usize) -> Result<&str, Error> {
        let ends = &self.ends[..self.cells];
        let end = |column: usize| ends.get(column).copied().unwrap_or_default();
        let start = column.checked_sub(1).map_or(0, end);
        let text = self.text.get(start..end(column)).unwrap_or_default();
        let line = self.line;
        str::from_utf8(text).map_err(|_| Error::Encoding { line })
    }
}
