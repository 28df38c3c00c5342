//! Catalogues: the facts of many recordings as one Parquet file.
//!
//! A catalogue has one row for each recording of a folder: its path, size and modification time, the columns of
//! [`Shape::Info`], the ranges of its positions, and its findings. Queries of these facts open no recording, and every program
//! that reads Parquet can make them. A scan with [`ScanOptions::catalog`] takes the rows of unchanged files from a catalogue, and
//! opens the other files, so that its rows are those of a scan without a catalogue.
//!
//! Method: a file is unchanged if its size, its modification time, and on Unix the time of its last change are those of the
//! catalogue, and if both times are at least two seconds before it was catalogued. Within two seconds, a second change may keep
//! the times on some file systems. Programs such as `cp -p` set the modification time, but none can set the time of the last
//! change. [`CatalogScan`] makes a catalogue: a scan whose rows are the rows of the catalogue, and that takes the rows of unchanged
//! files from the old one. The metadata of the file have its checksum, the version of the library that computed the facts, the
//! folder and the format. A catalogue that fails one of these checks is not used.
//!
//! Limits: on Windows, a file whose content changes, while its size and its modification time stay the same, counts as unchanged.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File};
use std::io::{self, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use bytes::Bytes;
use inputanim::{Corrections, Limits, Pauses};
use inputanim_convert::Format;
use inputanim_convert::tables::{Column, DataType, Field, Values, arrow_field};
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::arrow::{ArrowWriter, ProjectionMask};
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use crate::error::ScanError;
use crate::fields::{ERROR, Origin, Table};
use crate::notice::{FileNotice, Notice};
use crate::options::ScanOptions;
use crate::rows::catalog::{CatalogRows, column};
use crate::scan::Scan;
use crate::shape::{OnError, Shape};
use crate::source::{ScanFile, Source, portable};

/// The usual name of a catalogue, in the folder that it describes.
pub const CATALOG_FILE: &str = "inputanim-catalog.parquet";

/// The name of the column with the codes of damage.
const DAMAGE: &str = "damage";

/// The version of the columns and of the values. A library of another version may find other facts in a recording.
const VERSION: &str = concat!("1, inputanim ", env!("CARGO_PKG_VERSION"));

/// Entries of the metadata of the file.
mod entry {
    pub(super) const VERSION: &str = "inputanim:catalog";
    /// The folder: `.` for the folder of the file, otherwise an absolute path.
    pub(super) const FOLDER: &str = "inputanim:folder";
    /// The format of the files; empty if it is detected.
    pub(super) const FORMAT: &str = "inputanim:format";
    /// The CRC-32 of the file, in which the digits of this entry are zeros.
    pub(super) const CHECKSUM: &str = "inputanim:checksum";
}

/// The time after the modification of a file in which a second modification may have the same time: FAT counts two seconds.
const SETTLES_NS: i64 = 2_000_000_000;

/// The most rows of a row group. Engines read row groups on several threads.
const GROUP_ROWS: usize = 1 << 17;

/// A catalogue that was read. A clone shares its bytes.
#[derive(Clone)]
pub struct Catalog {
    path: PathBuf,
    folder: PathBuf,
    format: Option<Format>,
    bytes: Bytes,
    metadata: ArrowReaderMetadata,
}

/// A catalogue that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CatalogError {
    /// The file cannot be read.
    #[error("cannot read the catalogue {}: {error}", .path.display())]
    Read {
        /// The path of the catalogue.
        path: PathBuf,
        /// The cause.
        error: io::Error,
    },
    /// The file is larger than [`Limits::max_bytes`].
    #[error("the catalogue {} is too large: {bytes} bytes (at most {limit})", .path.display())]
    TooLarge {
        /// The path of the catalogue.
        path: PathBuf,
        /// The size of the file in bytes, or the number of bytes after which reading ended.
        bytes: u64,
        /// The limit in bytes.
        limit: u64,
    },
    /// The file is not a catalogue.
    #[error("{} is not a catalogue: {message}", .path.display())]
    NotCatalog {
        /// The path of the file.
        path: PathBuf,
        /// What was expected and found.
        message: String,
    },
    /// Another version of the library has made the catalogue.
    #[error("the catalogue {} has version \"{found}\", expected \"{VERSION}\"", .path.display())]
    Version {
        /// The path of the catalogue.
        path: PathBuf,
        /// The version of the catalogue.
        found: String,
    },
    /// The catalogue is damaged.
    #[error("the catalogue {} is damaged: {message}", .path.display())]
    Damaged {
        /// The path of the catalogue.
        path: PathBuf,
        /// What was expected and found.
        message: String,
    },
    /// The catalogue describes another folder.
    #[error("the catalogue {} describes {}, not {}", .path.display(), .found.display(), .expected.display())]
    Folder {
        /// The path of the catalogue.
        path: PathBuf,
        /// The folder of the catalogue.
        found: PathBuf,
        /// The folder that is wanted.
        expected: PathBuf,
    },
    /// The name of a new catalogue has another extension than those of Parquet.
    #[error("{}: a catalogue is a Parquet file, expected the extension .parquet", .0.display())]
    Extension(PathBuf),
    /// The folder of a new catalogue does not exist, or is not a folder.
    #[error("{} is not a folder", .0.display())]
    NotFolder(PathBuf),
    /// The catalogue is outside of its folder, and the path of the folder is not UTF-8.
    #[error("a catalogue outside of its folder needs a folder whose path is UTF-8, found {}", .0.display())]
    FolderName(PathBuf),
    /// The catalogue was made for files of another format.
    #[error("the catalogue {} describes {}, not {}", .path.display(), Files(.found), Files(.expected))]
    Format {
        /// The path of the catalogue.
        path: PathBuf,
        /// The format of the catalogue; `None` if it was detected.
        found: Option<Format>,
        /// The format of the scan.
        expected: Option<Format>,
    },
    /// The catalogue cannot be written.
    #[error("cannot write the catalogue: {0}")]
    Write(io::Error),
}

struct Files<'f>(&'f Option<Format>);

impl fmt::Display for Files<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(format) => write!(f, "files of the format {format}"),
            None => f.write_str("files of any format"),
        }
    }
}

impl fmt::Debug for Catalog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "Catalog({}, {} recordings)",
            self.path.display(),
            self.len()
        )
    }
}

impl Catalog {
    /// Reads a catalogue, and checks that it is complete and undamaged. It may have [`Limits::max_bytes`].
    ///
    /// # Errors
    /// When the file cannot be read, is too large, is not a catalogue, is damaged, or was made by another version of this
    /// library.
    pub fn read(path: &Path, limits: &Limits) -> Result<Catalog, CatalogError> {
        let failed = |error| CatalogError::Read {
            path: path.to_owned(),
            error,
        };
        let file = File::open(path).map_err(failed)?;
        let too_large = |bytes| CatalogError::TooLarge {
            path: path.to_owned(),
            bytes,
            limit: limits.max_bytes,
        };
        let size = file.metadata().map_err(failed)?.len();
        if size > limits.max_bytes {
            return Err(too_large(size));
        }
        let bytes = inputanim::read_bytes(file, limits).map_err(failed)?;
        // The file has grown meanwhile, or is a pipe.
        if bytes.len() as u64 > limits.max_bytes {
            return Err(too_large(bytes.len() as u64));
        }
        let bytes = Bytes::from(bytes);
        let not_catalog = |message: String| CatalogError::NotCatalog {
            path: path.to_owned(),
            message: message.trim_start_matches("Parquet error: ").to_owned(),
        };
        let plain = ArrowReaderOptions::new().with_skip_arrow_metadata(true);
        let metadata = guarded(|| ArrowReaderMetadata::load(&bytes, plain)).map_err(not_catalog)?;
        let entries = metadata.metadata().file_metadata().key_value_metadata();
        let entry = |name: &str| {
            let mut entries = entries.into_iter().flatten();
            let found = entries.find(|entry| entry.key == name)?;
            found.value.as_deref()
        };
        let found = entry(entry::VERSION)
            .ok_or_else(|| not_catalog("its metadata lack a version".to_owned()))?;
        if found != VERSION {
            return Err(CatalogError::Version {
                path: path.to_owned(),
                found: found.to_owned(),
            });
        }
        let damaged = |message: String| CatalogError::Damaged {
            path: path.to_owned(),
            message,
        };
        if !has_checksum(&bytes) {
            return Err(damaged("its bytes do not have their checksum".to_owned()));
        }
        let folder =
            entry(entry::FOLDER).ok_or_else(|| damaged("it names no folder".to_owned()))?;
        let folder = match folder {
            "." => fs::canonicalize(folder_of(path)).map_err(failed)?,
            folder => PathBuf::from(folder),
        };
        let format = match entry(entry::FORMAT).unwrap_or_default() {
            "" => None,
            name => Some(name.parse().map_err(|error| damaged(format!("{error}")))?),
        };
        let catalog = Catalog {
            path: path.to_owned(),
            folder,
            format,
            bytes,
            metadata,
        };
        catalog.check_columns().map_err(damaged)?;
        Ok(catalog)
    }

    /// Reads the catalogue that a new one replaces. Returns no catalogue and the reason if it is damaged or has another version,
    /// and neither if the file does not exist. Fails if the file is not a catalogue, unless it has the usual name of one.
    fn replaced(
        path: &Path,
        limits: &Limits,
    ) -> Result<(Option<Catalog>, Option<CatalogError>), CatalogError> {
        match Catalog::read(path, limits) {
            Ok(catalog) => Ok((Some(catalog), None)),
            Err(CatalogError::Read { error, .. }) if error.kind() == io::ErrorKind::NotFound => {
                Ok((None, None))
            }
            Err(error @ (CatalogError::Version { .. } | CatalogError::Damaged { .. })) => {
                Ok((None, Some(error)))
            }
            Err(error @ CatalogError::NotCatalog { .. })
                if path.file_name().is_some_and(|name| name == CATALOG_FILE) =>
            {
                Ok((None, Some(error)))
            }
            Err(error) => Err(error),
        }
    }

    /// Returns an error if the file lacks columns, or if they have other types.
    fn check_columns(&self) -> Result<(), String> {
        for field in catalog_fields() {
            let expected = arrow_field(&field, false);
            let found = self.metadata.schema().field_with_name(&field.name);
            if !found.is_ok_and(|found| found.data_type() == expected.data_type()) {
                return Err(format!("it has no column {} of its type", field.name));
            }
        }
        Ok(())
    }

    /// Returns the path of the catalogue.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Returns the folder of the recordings. Links in its path are resolved.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Returns the format of the files; `None` if it was detected.
    pub fn format(&self) -> Option<Format> {
        self.format
    }

    /// Returns the number of recordings.
    pub fn len(&self) -> usize {
        let rows = self.metadata.metadata().file_metadata().num_rows();
        usize::try_from(rows).unwrap_or(0)
    }

    /// Returns `true` if the catalogue has no recordings.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads some columns of all rows, in the order of `fields`.
    fn columns(&self, fields: &[Field]) -> Result<CatalogColumns, CatalogError> {
        let read = || {
            let names = fields.iter().map(|field| &*field.name);
            let mask = ProjectionMask::columns(self.metadata.parquet_schema(), names);
            let reader = ParquetRecordBatchReaderBuilder::new_with_metadata(
                self.bytes.clone(),
                self.metadata.clone(),
            );
            let reader = reader.with_projection(mask).build()?;
            let mut columns = CatalogColumns::default();
            for batch in reader {
                let batch = batch?;
                let indices = fields
                    .iter()
                    .map(|field| batch.schema().index_of(&field.name));
                let indices = indices.collect::<Result<Vec<_>, _>>()?;
                let rows = batch.num_rows();
                columns
                    .batches
                    .push((columns.rows, batch.project(&indices)?));
                columns.rows += rows;
            }
            columns.types = fields.iter().map(|field| field.data_type).collect();
            Ok(columns)
        };
        let damaged = |message| CatalogError::Damaged {
            path: self.path.clone(),
            message,
        };
        guarded(read).map_err(damaged)
    }
}

/// Calls a function that reads a Parquet file. A panic of the crate `parquet` becomes an error too.
fn guarded<T>(read: impl FnOnce() -> Result<T, ParquetError>) -> Result<T, String> {
    // After a panic, nothing that the closure has changed is used.
    match catch_unwind(AssertUnwindSafe(read)) {
        Ok(read) => read.map_err(|error| error.to_string()),
        Err(_) => Err("its structure is invalid".to_owned()),
    }
}

/// The beginning of the value of [`entry::CHECKSUM`]. Eight hexadecimal digits follow.
const CRC: &[u8] = b"crc32:";
const ZEROS: &[u8] = b"00000000";

/// Returns `true` if a file has the checksum of its bytes.
fn has_checksum(bytes: &[u8]) -> bool {
    let Some(start) = digits_of_checksum(bytes) else {
        return false;
    };
    let end = start + ZEROS.len();
    let mut crc = crc32fast::Hasher::new();
    crc.update(&bytes[..start]);
    crc.update(ZEROS);
    crc.update(&bytes[end..]);
    bytes[start..end] == *format!("{:08x}", crc.finalize()).as_bytes()
}

/// Returns the position of the digits of the checksum, which are near the end of a file; `None` if there are none.
fn digits_of_checksum(bytes: &[u8]) -> Option<usize> {
    let start = bytes.windows(CRC.len()).rposition(|part| part == CRC)? + CRC.len();
    (start + ZEROS.len() <= bytes.len()).then_some(start)
}

fn folder_of(path: &Path) -> &Path {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// Returns all columns of a catalogue, in their order.
fn catalog_fields() -> Vec<Field> {
    let mut fields = CatalogRows::fields();
    fields.push(Field::new(DAMAGE, DataType::Text, ""));
    fields.push(Field::new(ERROR, DataType::Text, ""));
    fields
}

/// Some columns of a catalogue.
#[derive(Debug, Default)]
struct CatalogColumns {
    /// The batches of rows, each with the index of its first row.
    batches: Vec<(usize, RecordBatch)>,
    types: Vec<DataType>,
    rows: usize,
}

impl CatalogColumns {
    /// Returns the batch of a row, and the index of the row in the batch.
    fn at(&self, row: usize) -> (&RecordBatch, usize) {
        let after = self.batches.partition_point(|(first, _)| *first <= row);
        let (first, batch) = &self.batches[after - 1];
        (batch, row - first)
    }

    /// Returns the values of a row, in the order of the columns.
    fn row(&self, row: usize) -> impl Iterator<Item = Column> {
        let (batch, row) = self.at(row);
        let arrays = batch.columns().iter().zip(&self.types);
        arrays.map(move |(array, data_type)| value(array, *data_type, row))
    }
}

/// Returns a value of an array as a column with one row. The array has the type, because [`Catalog::check_columns`] has
/// checked it.
fn value(array: &dyn Array, data_type: DataType, row: usize) -> Column {
    if array.is_null(row) {
        return match data_type {
            // The validity of texts is part of their values.
            DataType::Text => Column::texts([None::<&str>]),
            _ => Column::missing(1),
        };
    }
    match data_type {
        DataType::Float32 => Column::floats([Some(array.as_primitive::<Float32Type>().value(row))]),
        DataType::Float64 => {
            Column::doubles([Some(array.as_primitive::<Float64Type>().value(row))])
        }
        DataType::Int32 => Column::integers([Some(array.as_primitive::<Int32Type>().value(row))]),
        DataType::Int64 => Column::longs([Some(array.as_primitive::<Int64Type>().value(row))]),
        DataType::Boolean => Column::booleans([Some(array.as_boolean().value(row))]),
        _ => Column::texts([Some(array.as_string::<i32>().value(row))]),
    }
}

/// The rows of a catalogue for the files of a scan.
#[derive(Debug)]
pub(crate) struct KnownRows {
    columns: CatalogColumns,
    /// For each file, the index of its row; `None` if the file must be opened.
    rows: Arc<[Option<usize>]>,
    /// The number of rows whose files are among the files of the scan.
    matched: usize,
    /// The files among these that have errors, with their messages.
    errors: Arc<[FailedRecording]>,
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
            .map(|catalog| catalog.columns(&fields));
        Ok(KnownRows {
            columns: columns.transpose()?.unwrap_or_default(),
            rows: Arc::clone(&self.rows),
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
    let keys = catalog.columns(&fields_of(&[
        column::PATH,
        column::PATH_HEX,
        ERROR,
        column::SIZE,
        column::MODIFIED,
        column::CHANGED,
        column::CHECKED,
        column::NOTICES,
        column::WELL_FORMED,
    ]))?;
    let paths = paths_below(files, &catalog.folder).into_iter().enumerate();
    let indices: HashMap<Box<[u8]>, usize> = paths
        .filter_map(|(index, path)| Some((path?, index)))
        .collect();
    // Smaller limits could refuse a file that the catalogue describes.
    let has_usual_limits = [Limits::default(), Limits::NONE].contains(&options.limits);
    let mut rows = vec![None; files.len()];
    let mut errors = vec![None; files.len()];
    for (first, batch) in &keys.batches {
        let [path, hex, error] = [0, 1, 2].map(|index| batch.column(index).as_string::<i32>());
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
    }
    known.rows = rows.into();
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
            let parent = fs::canonicalize(parent).ok()?;
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

/// A recording of a catalogue that is not well formed, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedRecording {
    /// The path of the file, as it was found.
    pub file: String,
    /// The text of the column `error`.
    pub message: String,
}

/// The work of making a catalogue, or of bringing it up to date: the files are known, and nothing of them has been read.
#[derive(Debug)]
pub struct CatalogScan {
    scan: Scan,
    folder: String,
    /// The number of recordings of the old catalogue; `None` if there is none.
    old: Option<usize>,
    unused: Option<CatalogError>,
}

impl CatalogScan {
    /// Searches a folder for recordings, and finds those that are not in its catalogue or changed. `file` is the path of the
    /// catalogue. `sources` are the recordings: the folder, or files below it. With `rebuild`, all of them are opened. Of the
    /// options, only the format, the threads, the function that opens files, the cancellation, and the limits of the old
    /// catalogue count.
    ///
    /// # Errors
    /// When the folder does not exist, has no recordings and there is no catalogue, or cannot be searched; when the name of `file`
    /// has another extension than `.parquet`; when `file` is too large, or is not a catalogue and its name is not [`CATALOG_FILE`];
    /// and when the catalogue describes another folder or format and `rebuild` is false.
    ///
    /// ```
    /// use inputanim_scan::{CATALOG_FILE, Catalog, CatalogScan, ScanOptions};
    /// # let folder = tempfile::tempdir()?;
    /// # let study = folder.path();
    /// # let recording = inputanim::Recording::new(inputanim::Layout::Mrtk1_1);
    /// # std::fs::write(study.join("take.bin"), recording.to_bytes()?)?;
    /// let file = study.join(CATALOG_FILE);
    /// let new = CatalogScan::new(study, [study], &file, false, ScanOptions::default())?;
    /// assert_eq!(new.opened(), 1);
    /// new.write(std::fs::File::create(&file)?, |_| {})?;
    /// assert_eq!(Catalog::read(&file, &inputanim::Limits::default())?.len(), 1);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn new<S: Into<Source>>(
        folder: &Path,
        sources: impl IntoIterator<Item = S>,
        file: &Path,
        rebuild: bool,
        options: ScanOptions,
    ) -> Result<CatalogScan, ScanError> {
        let failed = |error: io::Error| ScanError::Folder {
            path: folder.display().to_string(),
            error: Arc::new(error),
        };
        if !folder.is_dir() {
            return Err(CatalogError::NotFolder(folder.to_owned()).into());
        }
        if !Format::Parquet.has_name(file) {
            return Err(CatalogError::Extension(file.to_owned()).into());
        }
        let canonical = fs::canonicalize(folder).map_err(failed)?;
        let text = if fs::canonicalize(folder_of(file)).is_ok_and(|of_file| of_file == canonical) {
            ".".to_owned()
        } else {
            let text = canonical.to_str().map(str::to_owned);
            text.ok_or_else(|| CatalogError::FolderName(canonical.clone()))?
        };
        let (mut old, unused) = Catalog::replaced(file, &options.limits)?;
        if rebuild {
            old = None;
        }
        if let Some(old) = &old
            && old.folder != canonical
        {
            return Err(CatalogError::Folder {
                path: old.path.clone(),
                found: old.folder.clone(),
                expected: canonical,
            }
            .into());
        }
        let now = SystemTime::now().duration_since(UNIX_EPOCH);
        let now = now.map_or(0, |now| i64::try_from(now.as_nanos()).unwrap_or(i64::MAX));
        let count = old.as_ref().map(Catalog::len);
        let options = ScanOptions {
            shape: Shape::Info,
            file_column: None,
            on_error: OnError::Column,
            catalogued: Some((canonical, now)),
            catalog: old,
            format: options.format,
            threads: options.threads,
            opener: options.opener,
            cancel: options.cancel,
            ..ScanOptions::default()
        };
        let sources: Vec<Source> = sources.into_iter().map(S::into).collect();
        let scan = match Scan::new(sources, options.clone()) {
            // A catalogue without recordings replaces the old one.
            Err(ScanError::NoRecordings { .. }) if count.is_some() => {
                Scan::new(Vec::<Source>::new(), options)
            }
            scan => scan,
        };
        Ok(CatalogScan {
            scan: scan?,
            folder: text,
            old: count,
            unused,
        })
    }

    /// Returns the reason why the old catalogue was not used, so that all recordings are opened; `None` if it was used, or
    /// there is none.
    pub fn unused(&self) -> Option<&CatalogError> {
        self.unused.as_ref()
    }

    /// Returns the number of recordings of the new catalogue.
    pub fn recordings(&self) -> usize {
        self.scan.files().len()
    }

    /// Returns the number of recordings that are opened: those that are new or changed, and those that could not be read.
    pub fn opened(&self) -> usize {
        let known = self
            .scan
            .shared
            .known
            .as_deref()
            .map_or(0, KnownRows::known);
        self.recordings() - known
    }

    /// Returns the number of recordings of the old catalogue that no longer exist.
    pub fn removed(&self) -> usize {
        let matched = self
            .scan
            .shared
            .known
            .as_ref()
            .map_or(0, |known| known.matched);
        self.old.unwrap_or(0).saturating_sub(matched)
    }

    /// Returns the recordings with errors, if the old catalogue is up to date, so that a new one would be equal; `None` if a
    /// new one is needed.
    pub fn up_to_date(&self) -> Option<Vec<FailedRecording>> {
        let is_equal = self.old.is_some() && self.opened() == 0 && self.removed() == 0;
        let known = self.scan.shared.known.as_deref();
        is_equal.then(|| known.map_or_else(Vec::new, |known| known.errors.to_vec()))
    }

    /// Returns the notices about files that the search skipped, because their content has another format.
    pub fn notices(&self) -> Vec<FileNotice> {
        self.scan.notices()
    }

    fn recordings_from(&self, first: usize) -> impl Iterator<Item = &ScanFile> {
        self.scan.files().iter().skip(first)
    }

    /// Writes the catalogue, and returns the recordings that have errors, in the order of the files. `progress` gets the number of recordings
    /// that are done.
    ///
    /// # Errors
    /// When the output fails, or the scan is cancelled. A recording that cannot be read is no error: its row has the
    /// message.
    pub fn write<W: Write + Send>(
        &self,
        output: W,
        mut progress: impl FnMut(usize),
    ) -> Result<Vec<FailedRecording>, ScanError> {
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let output = Checksummed {
            output,
            crc: crc32fast::Hasher::new(),
            keeps: false,
            end: Vec::new(),
        };
        let schema = self.scan.schema();
        let file = ArrowWriter::try_new(output, schema, Some(properties));
        let mut file = file.map_err(write_error)?;
        let (mut rows, mut errors) = (0, Vec::new());
        for batch in self.scan.record_batches() {
            let batch = batch.map_err(|error| match error {
                arrow_schema::ArrowError::ExternalError(error) => {
                    match error.downcast::<ScanError>() {
                        Ok(error) => *error,
                        Err(error) => CatalogError::Write(io::Error::other(error)).into(),
                    }
                }
                error => CatalogError::Write(io::Error::other(error)).into(),
            })?;
            if let Some(column) = batch.column_by_name(ERROR) {
                let messages = column.as_string::<i32>().iter();
                // Each file has one row.
                let files = self.recordings_from(rows);
                let failed = files.zip(messages).filter_map(|(file, message)| {
                    Some(FailedRecording {
                        file: file.name.to_string(),
                        message: message?.to_owned(),
                    })
                });
                errors.extend(failed);
            }
            rows += batch.num_rows();
            file.write(&batch).map_err(write_error)?;
            progress(rows);
        }
        file.flush().map_err(write_error)?;
        file.sync().map_err(CatalogError::Write)?;
        file.inner_mut().keeps = true;
        let checksum = CRC.iter().chain(ZEROS).map(|byte| char::from(*byte));
        let format = self.scan.options().format.map(Format::name);
        let entries = [
            (entry::VERSION, VERSION.to_owned()),
            (entry::FOLDER, self.folder.clone()),
            (entry::FORMAT, format.unwrap_or_default().to_owned()),
            (entry::CHECKSUM, checksum.collect()),
        ];
        for (name, value) in entries {
            file.append_key_value_metadata(KeyValue::new(name.to_owned(), value));
        }
        file.finish().map_err(write_error)?;
        file.sync().map_err(CatalogError::Write)?;
        file.inner_mut().finish().map_err(CatalogError::Write)?;
        Ok(errors)
    }
}

fn write_error(error: ParquetError) -> CatalogError {
    CatalogError::Write(match error {
        ParquetError::External(error) => match error.downcast() {
            Ok(error) => *error,
            Err(other) => io::Error::other(other),
        },
        other => io::Error::other(other),
    })
}

impl From<CatalogError> for ScanError {
    fn from(error: CatalogError) -> ScanError {
        ScanError::Catalog(Arc::new(error))
    }
}

/// An output that gets the checksum of its bytes.
struct Checksummed<W> {
    output: W,
    crc: crc32fast::Hasher,
    /// `true` if the bytes that follow are the end of the file.
    keeps: bool,
    /// The end of the file, which has the digits of the checksum.
    end: Vec<u8>,
}

impl<W: Write> Checksummed<W> {
    /// Writes the end of the file with its checksum.
    fn finish(&mut self) -> io::Result<()> {
        self.crc.update(&self.end);
        let crc = format!("{:08x}", self.crc.clone().finalize());
        if let Some(start) = digits_of_checksum(&self.end) {
            self.end[start..start + crc.len()].copy_from_slice(crc.as_bytes());
        }
        self.output.write_all(&self.end)?;
        self.output.flush()
    }
}

impl<W: Write> Write for Checksummed<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.keeps {
            self.end.extend(bytes);
            return Ok(bytes.len());
        }
        let written = self.output.write(bytes)?;
        self.crc.update(&bytes[..written]);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Returns an error if the options change the facts of recordings, which a catalogue has as they are.
pub(crate) fn check(options: &ScanOptions) -> Result<(), ScanError> {
    let is_plain =
        options.corrections == Corrections::default() && options.pauses == Pauses::default();
    if options.catalog.is_some() && !is_plain {
        return Err(ScanError::CatalogAndCorrections);
    }
    Ok(())
}
