//! Rows of cells between commas or tabs, each with the number of its line.

use std::collections::VecDeque;
use std::io::BufRead;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use super::Lines;
use crate::table::table_error::{Place, TableError};

/// Reads row by row, with memory for one row.
///
/// `csv-core` parses the cells. The `csv` crate, which is built on it, neither bounds the length of a row nor
/// counts the lines that rows start in if there are blank lines.
#[derive(Debug)]
pub(crate) struct CellRows<R> {
    lines: Lines<R>,
    /// The number of bytes of the line that have been parsed.
    parsed: usize,
    parser: Reader,
    /// The text of the cells without quotation marks, one after the other.
    text: Vec<u8>,
    /// The end of each cell in `text`.
    ends: Vec<usize>,
    count: usize,
    line: u64,
    /// The lines of the row after its first one, with their numbers.
    tail: Vec<Line>,
    /// The lines that are read again, and the first of them while it is read.
    again: VecDeque<Line>,
    current: Option<Line>,
    /// The number of bytes that may still be read again.
    budget: usize,
}

/// A line with its number, counted from 1.
type Line = (u64, Vec<u8>);

/// The number of bytes that are read again at most, so that a text of quotation marks does not take quadratic time.
const MAX_AGAIN: usize = 64 << 20;

impl<R: BufRead> CellRows<R> {
    /// Creates a reader of rows of at most `limit` bytes.
    pub(crate) fn new(input: R, separator: u8, limit: usize) -> CellRows<R> {
        CellRows {
            lines: Lines::new(input, limit),
            parsed: 0,
            parser: ReaderBuilder::new().delimiter(separator).build(),
            text: Vec::new(),
            ends: Vec::new(),
            count: 0,
            line: 1,
            tail: Vec::new(),
            again: VecDeque::new(),
            current: None,
            budget: MAX_AGAIN,
        }
    }

    /// Reads the next row that is not blank, and returns `false` at the end of the input. A cell within
    /// quotation marks may continue over several lines.
    pub(crate) fn advance(&mut self) -> Result<bool, TableError> {
        let (mut length, mut is_begun) = (0, false);
        self.count = 0;
        self.tail.clear();
        loop {
            if self.parsed >= self.bytes().len() {
                let is_there = self.advance_line()?;
                if !is_there && !is_begun {
                    return Ok(false);
                }
                if is_begun && is_there {
                    self.keep_line();
                }
            }
            let size = self.bytes().len() - self.parsed;
            if !is_begun {
                self.line = self.number();
                if self.bytes()[self.parsed..].trim_ascii().is_empty() {
                    self.parsed += size;
                    continue;
                }
                self.parser.reset();
                is_begun = true;
            }
            let capacity = length + size;
            // A cell within quotation marks can continue over any number of lines, so the limit applies to the row and
            // not to the line.
            self.lines.check(self.line, capacity)?;
            let line = match &self.current {
                Some((_, bytes)) => bytes,
                None => self.lines.bytes(),
            };
            let rest = &line[self.parsed..];
            // The text of the cells is not longer than the text of the row. Every cell except the last is followed by a
            // separator, so there are at most as many cells as bytes, plus one.
            self.text.resize(capacity, 0);
            self.ends.resize(self.count + rest.len() + 1, 0);
            let (text, ends) = (&mut self.text[length..], &mut self.ends[self.count..]);
            let (result, read, written, ended) = self.parser.read_record(rest, text, ends);
            self.parsed += read;
            length += written;
            self.count += ended;
            if matches!(result, ReadRecordResult::Record | ReadRecordResult::End) {
                return Ok(true);
            }
        }
    }

    /// Reads the next line, and returns `false` at the end of the input.
    fn advance_line(&mut self) -> Result<bool, TableError> {
        self.parsed = 0;
        self.current = self.again.pop_front();
        Ok(self.current.is_some() || self.lines.advance()?)
    }

    /// Keeps a copy of the current line, which continues a row.
    fn keep_line(&mut self) {
        let line = (self.number(), self.bytes().to_vec());
        if let Some(budget) = self.budget.checked_sub(line.1.len()) {
            self.budget = budget;
            self.tail.push(line);
        }
    }

    fn bytes(&self) -> &[u8] {
        match &self.current {
            Some((_, bytes)) => bytes,
            None => self.lines.bytes(),
        }
    }

    fn number(&self) -> u64 {
        match &self.current {
            Some((number, _)) => *number,
            None => self.lines.number(),
        }
    }

    /// Returns the number of the line in which the row starts, counted from 1.
    pub(crate) fn line(&self) -> u64 {
        self.line
    }

    /// Returns the line in which the row starts, for errors.
    pub(crate) fn place(&self) -> Place {
        Place::Line(self.line)
    }

    /// Returns the number of cells of the row.
    pub(crate) fn len(&self) -> usize {
        self.count
    }

    /// Fails unless the row has `expected` cells, as many as the first row of the table. If it does not, and continues over
    /// several lines, a quotation mark is damaged: the lines after its first one are then read again as rows.
    pub(crate) fn check_count(&mut self, expected: usize) -> Result<(), TableError> {
        let (line, found) = (self.line, self.count);
        if found == expected {
            return Ok(());
        }
        let is_cut = match self.tail.last() {
            Some((_, bytes)) => !matches!(bytes.last(), Some(b'\n' | b'\r')),
            None => self.lines.is_truncated(),
        };
        for line in self.tail.drain(..).rev() {
            self.again.push_front(line);
        }
        self.parsed = usize::MAX;
        if found < expected && is_cut {
            return Err(TableError::Truncated { line });
        }
        Err(TableError::CellCount {
            line,
            expected,
            found,
        })
    }

    /// Returns the text of a cell of the row, including its white space. The text is empty if the cell does not exist.
    /// Fails if it is not UTF-8.
    pub(crate) fn cell(&self, column: usize) -> Result<&str, TableError> {
        let ends = &self.ends[..self.count];
        let end = |column: usize| ends.get(column).copied().unwrap_or_default();
        let start = column.checked_sub(1).map_or(0, end);
        let text = self.text.get(start..end(column)).unwrap_or_default();
        let line = self.line;
        str::from_utf8(text).map_err(|_| TableError::Encoding { line })
    }

    /// Returns the text of a cell without surrounding white space, or `None` if it is blank.
    pub(crate) fn value(&self, column: usize) -> Result<Option<&str>, TableError> {
        let text = self.cell(column)?.trim();
        Ok((!text.is_empty()).then_some(text))
    }

    /// Returns all cells without surrounding white space: the names of columns.
    pub(crate) fn names(&self) -> Result<Vec<String>, TableError> {
        let name = |column| Ok(self.cell(column)?.trim().to_owned());
        (0..self.count).map(name).collect()
    }
}

/// Fails if the names were not separated: there is only one, and it contains another separator than the expected one,
/// as spreadsheets in some languages write it. `expected` is `commas` or `tabs`.
pub(crate) fn refuse_separator(names: &[String], expected: &'static str) -> Result<(), TableError> {
    let others = [(',', "commas"), ('\t', "tabs"), (';', "semicolons")];
    match names {
        [name] => match others.iter().find(|(other, _)| name.contains(*other)) {
            // A name in quotation marks may contain the separator itself.
            Some(&(_, found)) if found != expected => {
                Err(TableError::Separator { expected, found })
            }
            _ => Ok(()),
        },
        _ => Ok(()),
    }
}
