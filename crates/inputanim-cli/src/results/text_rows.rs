//! The rows of a batch by the names of their columns, for text for people.

use std::borrow::Cow;
use std::collections::HashMap;

use inputanim_convert::tables::{Batch, CellValue, Field};

/// The rows of a batch.
pub(crate) struct TextRows<'b> {
    columns: HashMap<&'b str, Vec<CellValue<'b>>>,
    rows: usize,
}

/// A row.
#[derive(Clone, Copy)]
pub(crate) struct TextRow<'b> {
    rows: &'b TextRows<'b>,
    index: usize,
}

impl<'b> TextRows<'b> {
    /// Returns the rows of a batch. `fields` are the columns of the batch.
    pub(crate) fn new(fields: &'b [Field], batch: &'b Batch) -> TextRows<'b> {
        let columns = fields.iter().zip(&batch.columns);
        let columns = columns.map(|(field, column)| (&*field.name, column.cells()));
        TextRows {
            columns: columns.collect(),
            rows: batch.rows,
        }
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = TextRow<'_>> {
        (0..self.rows).map(|index| TextRow { rows: self, index })
    }
}

impl<'b> TextRow<'b> {
    fn cell(self, column: &str) -> CellValue<'b> {
        let column = self.rows.columns.get(column);
        column.map_or(CellValue::Missing, |cells| cells[self.index])
    }

    /// Returns the text in the column with this name; empty if the value is missing.
    pub(crate) fn text(self, column: &str) -> &'b str {
        self.known_text(column).unwrap_or_default()
    }

    /// Returns the text in the column with this name; `None` if the value is missing.
    pub(crate) fn known_text(self, column: &str) -> Option<&'b str> {
        self.cell(column).text()
    }

    /// Returns the value in the column with this name as text; empty if the value is missing.
    pub(crate) fn shown(self, column: &str) -> Cow<'b, str> {
        self.cell(column).to_text()
    }

    /// Returns the number in the column with this name; `None` if the value is missing.
    pub(crate) fn number(self, column: &str) -> Option<f64> {
        self.cell(column).number()
    }
}
