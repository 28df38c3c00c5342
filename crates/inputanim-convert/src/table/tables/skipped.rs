//! Rows that cannot be read, and are skipped if the options say so.

use std::error::Error as _;

use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report};
use crate::table::table_error::TableError;

/// The rows that were skipped.
#[derive(Debug)]
pub(super) struct SkippedRows {
    is_on: bool,
    count: usize,
    /// The error of the first row.
    first: String,
}

impl SkippedRows {
    /// Creates the list of skipped rows. `is_on` is `false` if a row that cannot be read is an error.
    pub(super) fn new(is_on: bool) -> SkippedRows {
        SkippedRows {
            is_on,
            count: 0,
            first: String::new(),
        }
    }

    /// Skips rows that cannot be read from now on.
    #[cfg(feature = "arrow")]
    pub(super) fn switch_on(&mut self) {
        self.is_on = true;
    }

    /// Returns `true` if rows that cannot be read are skipped.
    pub(super) fn is_on(&self) -> bool {
        self.is_on
    }

    /// Counts a row as skipped if rows are skipped and `error` concerns only this row. Otherwise, returns `error`.
    pub(super) fn skip(&mut self, error: Error) -> Result<(), Error> {
        let error = match error {
            Error::Format(error) => error.downcast::<TableError>().map_err(Error::Format)?,
            other => return Err(other),
        };
        if !self.is_on || error.is_final() {
            return Err(error.into());
        }
        // The message of a row that cannot be recorded contains only its place.
        let cause = error.source().map(|cause| format!(": {cause}"));
        self.add(1, || format!("{error}{}", cause.unwrap_or_default()));
        Ok(())
    }

    /// Counts rows as skipped. `message` describes the first of them.
    pub(super) fn add(&mut self, count: usize, message: impl FnOnce() -> String) {
        if self.count == 0 && count > 0 {
            self.first = message();
        }
        self.count += count;
    }

    /// Adds the loss of the rows to the report.
    pub(super) fn report(&self, report: &mut Report) {
        let first = match self.count {
            1 => ":",
            _ => "; the first:",
        };
        let rows = counted(self.count, "row");
        let message = format!("{rows} skipped{first} {}", self.first);
        report.lose(LossKind::Rows, self.count, message);
    }
}
