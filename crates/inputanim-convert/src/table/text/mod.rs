//! Text of tables: lines of bounded length, rows of cells, and JSON objects.
//!
//! Every text table of this crate is read here: frames, keys, markers and the tables of other programs.

mod cells;
mod lines;
mod objects;
mod utf8;

pub(crate) use cells::{CellRows, refuse_separator};
pub(crate) use lines::Lines;
pub(crate) use objects::Objects;

/// The longest first line that is examined. A line with the names of all columns has some 15,000 bytes.
const MAX_FIRST_LINE: usize = 1 << 20;

/// Returns the first line that is not blank, without its line ending. Only the first megabyte of the text is examined.
/// The line is empty if all lines are blank.
pub(crate) fn first_line(text: &[u8]) -> &[u8] {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let start = &text[..text.len().min(MAX_FIRST_LINE)];
    let mut lines = start.split(|byte| b"\r\n".contains(byte));
    lines
        .find(|line| !line.trim_ascii().is_empty())
        .unwrap_or_default()
}
