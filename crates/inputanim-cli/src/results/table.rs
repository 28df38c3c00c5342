//! Tables for people: columns that line up, without lines between them.

use std::io;

use comfy_table::{Cell, CellAlignment, ColumnConstraint, Table};
use terminal_size::{Width, terminal_size_of};
use textwrap::core::display_width;

/// Creates a table without rows.
pub(crate) fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table
}

/// Creates a cell that is aligned to the right.
pub(crate) fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}

/// Returns the lines of a table, each after `indent`. On a terminal that is too narrow, columns are hidden in the order
/// of their indices in `dispensable`: a line that breaks inside a word is worse to read.
pub(crate) fn lines(mut table: Table, indent: &str, dispensable: &[usize]) -> Vec<String> {
    let mut dispensable = dispensable.iter();
    loop {
        let lines = table.lines().map(|line| {
            // comfy-table puts a margin of one space before the first column.
            let line = line.strip_prefix(' ').unwrap_or(&line);
            format!("{indent}{}", line.trim_end())
        });
        let lines: Vec<String> = lines.collect();
        let width = lines.iter().map(|line| display_width(line)).max();
        let is_too_wide = terminal_columns().is_some_and(|columns| width > Some(columns));
        match dispensable.next() {
            Some(&index) if is_too_wide => {
                if let Some(column) = table.column_mut(index) {
                    column.set_constraint(ColumnConstraint::Hidden);
                }
            }
            _ => return lines,
        }
    }
}

/// Returns the width of the terminal that shows the results, in characters. `COLUMNS` overrides it. Returns `None` if
/// the results go to a file or a pipe.
pub(crate) fn terminal_columns() -> Option<usize> {
    let given = std::env::var("COLUMNS").ok();
    let given = given.and_then(|columns| columns.parse().ok());
    let measured = || terminal_size_of(io::stdout()).map(|(Width(columns), _)| columns.into());
    given.or_else(measured).filter(|columns| *columns > 0)
}

/// Returns the width at which paragraphs are wrapped, in characters: 40 to 100.
pub(crate) fn text_columns() -> usize {
    // Long lines are hard to read, and very short ones break inside words.
    terminal_columns().unwrap_or(80).clamp(40, 100)
}
