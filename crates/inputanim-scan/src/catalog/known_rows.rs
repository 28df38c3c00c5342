//! The rows that a catalogue has for the files of a scan.

use std::collections::HashMap;

use std::path::Path;
use std::sync::Arc;

use arrow_array::Array;
use arrow_array::cast::AsArray;
use arrow_array::types::Int64Type;
use inputanim::Limits;
use inputanim_convert::packs::canonical;
use inputanim_convert::tables::{Column, Field, Values};

use super::{
    Catalog, CatalogColumns, CatalogError, DAMAGE, FailedRecording, SETTLES_NS, catalog_fields,
    folder_of,
};
use crate::error::ScanError;
use crate::fields::{ERROR, Origin, Table};
use crate::notice::{FileNotice, Notice};
use crate::options::ScanOptions;
use crate::rows::catalog::column;
use crate::shape::Shape;
use crate::source::{ScanFile, portable};

/// The rows of a catalogue for the files of a scan.
#[derive(Debug)]
pub(crate) struct KnownRows {
    columns: CatalogColumns,
    /// For each file, the index of its row among `kept`; `None` if the file must be opened.
    pub(super) rows: Arc<[Option<usize>]>,
    /// The indices of the rows of these files in the catalogue, in increasing order.
    kept: Arc<[usize]>,
    /// The number of rows whose files are among the files of the scan.
    pub(super) matched: usize,
    /// The files among these that have errors, with their messages.
    pub(super) errors: Arc<[FailedRecording]>,
    /// The paths of the files of the catalogue that is made, as their bytes below its folder; empty for other scans.
    paths: Arc<[Box<[u8]>]>,
}

impl KnownRows {
    /// Finds the rows of the files that did not change; `None` for a scan without a catalogue.
    pub(crate) fn of(
        files: &[ScanFile],
        table: &Table,
        options: &ScanOptions,
    ) -> Result<Option<KnownRows>, ScanError> {
        let mut known = KnownRows {
            columns: CatalogColumns::default(),
            rows: vec![None; files.len()].into(),
            kept: Arc::default(),
            matched: 0,
            errors: Arc::default(),
            paths: Arc::default(),
        };
        if let Some((folder, _)) = &options.catalogued {
            let paths = paths_below(files, folder).into_iter().zip(files);
            // A file outside of the folder keeps its path.
            let paths =
                paths.map(|(path, file)| path.unwrap_or_else(|| file.name.as_bytes().into()));
            known.paths = paths.collect();
        }
        match &options.catalog {
            Some(catalog) => {
                unchanged(&mut known, catalog, files, options)?;
                Ok(Some(known.with_columns(table, options)?))
            }
            None => Ok(options.catalogued.is_some().then_some(known)),
        }
    }

    /// Returns the same rows for the columns of another table.
    pub(crate) fn with_columns(
        &self,
        table: &Table,
        options: &ScanOptions,
    ) -> Result<KnownRows, ScanError> {
        let mut fields = fields_of(&[DAMAGE, ERROR]);
        if options.shape == Shape::Findings {
            fields.extend(fields_of(&[column::FINDING_LIST]));
        } else {
            let of_table = table.origins.iter().zip(&table.fields);
            let of_table = of_table.filter(|(origin, _)| matches!(origin, Origin::Shape(_)));
            fields.extend(of_table.map(|(_, field)| field.clone()));
        }
        let columns = options
            .catalog
            .as_ref()
            .map(|catalog| catalog.columns(&fields, &self.kept));
        Ok(KnownRows {
            columns: columns.transpose()?.unwrap_or_default(),
            rows: Arc::clone(&self.rows),
            kept: Arc::clone(&self.kept),
            matched: self.matched,
            errors: Arc::clone(&self.errors),
            paths: Arc::clone(&self.paths),
        })
    }

    /// Returns a notice if the catalogue describes none of the files of the scan, which are then all opened.
    pub(crate) fn notice(&self, options: &ScanOptions) -> Option<FileNotice> {
        let is_made = options.catalogued.is_some();
        let catalog = options.catalog.as_ref().filter(|_| !is_made)?;
        (self.matched == 0 && !self.rows.is_empty()).then(|| FileNotice {
            file: portable(&catalog.path),
            path: Some(catalog.path.clone()),
            notice: Notice::NotCatalogued {
                folder: catalog.folder.clone(),
            },
        })
    }

    /// Returns the path of a file of the catalogue that is made.
    pub(crate) fn path(&self, file: usize) -> &[u8] {
        &self.paths[file]
    }

    /// Returns the number of files whose rows are known.
    pub(crate) fn known(&self) -> usize {
        self.rows.iter().flatten().count()
    }

    /// Returns what the catalogue knows about a file; `None` if the file must be opened.
    pub(crate) fn row(&self, file: usize) -> Option<KnownRow> {
        let mut columns = self.columns.row(self.rows[file]?);
        let (damage, error) = (text(columns.next()), text(columns.next()));
        Some(KnownRow {
            damage,
            error,
            columns: columns.collect(),
        })
    }
}

/// Sets the row of each file that did not change.
fn unchanged(
    known: &mut KnownRows,
    catalog: &Catalog,
    files: &[ScanFile],
    options: &ScanOptions,
) -> Result<(), CatalogError> {
    if catalog.format != options.format {
        return Err(CatalogError::Format {
            path: catalog.path.clone(),
            found: catalog.format,
            expected: options.format,
        });
    }
    let keys = fields_of(&[
        column::PATH,
        column::PATH_HEX,
        ERROR,
        column::SIZE,
        column::MODIFIED,
        column::CHANGED,
        column::CHECKED,
        column::NOTICES,
        column::WELL_FORMED,
    ]);
    let paths = paths_below(files, &catalog.folder).into_iter().enumerate();
    let indices: HashMap<Box<[u8]>, usize> = paths
        .filter_map(|(index, path)| Some((path?, index)))
        .collect();
    // Smaller limits could refuse a file that the catalogue describes.
    let has_usual_limits = [Limits::default(), Limits::NONE].contains(&options.limits);
    let mut rows = vec![None; files.len()];
    let mut errors = vec![None; files.len()];
    catalog.read_columns(&keys, None, |first, batch| {
        let [path, hex, error] = [0, 1, 2].map(|index| batch.column(index).as_string_view());
        let [size, modified, changed, checked, notices] =
            [3, 4, 5, 6, 7].map(|index| batch.column(index).as_primitive::<Int64Type>());
        let well_formed = batch.column(8).as_boolean();
        for row in 0..batch.num_rows() {
            let found = if hex.is_valid(row) {
                from_hex(hex.value(row)).and_then(|path| indices.get(&path))
            } else {
                indices.get(path.value(row).as_bytes())
            };
            let Some(&index) = found else {
                continue;
            };
            known.matched += 1;
            let file = &files[index];
            let times =
                [modified, changed].map(|times| times.is_valid(row).then(|| times.value(row)));
            let settled = checked.value(row).saturating_sub(SETTLES_NS);
            let is_unchanged = times == [file.times.modified_ns, file.times.changed_ns]
                && times[0].is_some()
                && times.iter().flatten().all(|time| *time < settled)
                && file.bytes as i64 == size.value(row);
            let is_known = if options.catalogued.is_some() {
                // A file that could not be read is read again: it may have got other permissions.
                well_formed.is_valid(row)
            } else {
                // Only the file has the place of its error, and its notices.
                error.is_null(row) && notices.is_valid(row) && notices.value(row) == 0
            };
            if is_unchanged && is_known && has_usual_limits {
                rows[index] = Some(first + row);
                errors[index] = error.is_valid(row).then(|| FailedRecording {
                    file: file.name.to_string(),
                    message: error.value(row).to_owned(),
                });
            }
        }
    })?;
    let mut kept: Vec<usize> = rows.iter().flatten().copied().collect();
    kept.sort_unstable();
    kept.dedup();
    let index = |row: Option<usize>| kept.binary_search(&row?).ok();
    known.rows = rows.into_iter().map(index).collect();
    known.kept = kept.into();
    known.errors = errors.into_iter().flatten().collect();
    Ok(())
}

/// A row of a catalogue.
pub(crate) struct KnownRow {
    /// The text of the column `damage`.
    pub(crate) damage: Option<Arc<str>>,
    /// The text of the column `error`.
    pub(crate) error: Option<Arc<str>>,
    /// The selected columns of the shape `info`, or the column `finding_list`.
    pub(crate) columns: Vec<Column>,
}

/// Returns the text of the first row of a column.
pub(crate) fn text(column: Option<Column>) -> Option<Arc<str>> {
    match column?.values {
        Values::Text(runs) => runs.into_iter().next()?.text,
        _ => None,
    }
}

/// Returns the columns of a catalogue with these names, in the order of the names.
fn fields_of(names: &[&str]) -> Vec<Field> {
    let all = catalog_fields();
    let fields = names
        .iter()
        .filter_map(|name| all.iter().find(|field| field.name == *name));
    fields.cloned().collect()
}

fn from_hex(text: &str) -> Option<Box<[u8]>> {
    let digits = text.as_bytes().chunks(2);
    let bytes = digits.map(|digits| u8::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
    bytes.collect()
}

/// Returns the path of each file below a folder, with slashes, as its bytes; `None` for a file outside of the folder and for
/// bytes. Links in the path of the folder of a file are resolved, and a link to the file itself is not.
fn paths_below(files: &[ScanFile], folder: &Path) -> Vec<Option<Box<[u8]>>> {
    let mut folders: HashMap<&Path, Option<Vec<u8>>> = HashMap::new();
    let paths = files.iter().map(|file| {
        let path = file.path()?;
        let name = path.file_name()?;
        let prefix = folders.entry(folder_of(path)).or_insert_with_key(|parent| {
            let parent = canonical(parent).ok()?;
            let below = parent.strip_prefix(folder).ok()?;
            let mut prefix = Vec::new();
            for part in below.components() {
                prefix.extend(part.as_os_str().as_encoded_bytes());
                prefix.push(b'/');
            }
            Some(prefix)
        });
        let mut path = prefix.clone()?;
        path.extend(name.as_encoded_bytes());
        Some(path.into_boxed_slice())
    });
    paths.collect()
}
