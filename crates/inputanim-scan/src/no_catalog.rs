//! Catalogues in builds without them: no file has known rows.

use std::sync::Arc;

use inputanim_convert::tables::Column;

use crate::error::ScanError;
use crate::fields::Table;
use crate::notice::FileNotice;
use crate::options::ScanOptions;
use crate::source::ScanFile;

/// The rows of a catalogue. There are none.
#[derive(Debug)]
pub(crate) enum KnownRows {}

/// A row of a catalogue.
pub(crate) struct KnownRow {
    pub(crate) damage: Option<Arc<str>>,
    pub(crate) error: Option<Arc<str>>,
    pub(crate) columns: Vec<Column>,
}

impl KnownRows {
    pub(crate) fn of(
        _: &[ScanFile],
        _: &Table,
        _: &ScanOptions,
    ) -> Result<Option<KnownRows>, ScanError> {
        Ok(None)
    }

    pub(crate) fn with_columns(&self, _: &Table, _: &ScanOptions) -> Result<KnownRows, ScanError> {
        match *self {}
    }

    pub(crate) fn notice(&self, _: &ScanOptions) -> Option<FileNotice> {
        match *self {}
    }

    pub(crate) fn row(&self, _: usize) -> Option<KnownRow> {
        match *self {}
    }
}
