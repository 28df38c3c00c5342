//! Tables for people: columns that line up, without lines between them.

use comfy_table::{Cell, CellAlignment, Table};

/// A table without rows.
pub(crate) fn plain_table() -> Table {
    let mut table = Table::new();
    table.load_style(comfy_table::presets::NOTHING);
    table
}

/// A cell for a number.
pub(crate) fn right(text: impl ToString) -> Cell {
    Cell::new(text).set_alignment(CellAlignment::Right)
}
