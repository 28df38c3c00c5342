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

mod known_rows;
mod refresh;

use std::fmt;
use std::fs::{self, File};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float32Type, Float64Type, Int32Type, Int64Type};
use arrow_array::{Array, RecordBatch};
use bytes::Bytes;
use inputanim::{Corrections, Limits, Pauses};
use inputanim_convert::Format;
use inputanim_convert::tables::{Column, DataType, Field, arrow_field};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder,
};
use parquet::errors::ParquetError;

use crate::error::ScanError;
use crate::fields::ERROR;
use crate::options::ScanOptions;
use crate::rows::catalog::CatalogRows;

pub(crate) use known_rows::KnownRows;
pub use refresh::CatalogScan;

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

/// A recording of a catalogue that is not well formed, or cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FailedRecording {
    /// The path of the file, as it was found.
    pub file: String,
    /// The text of the column `error`.
    pub message: String,
}

impl From<CatalogError> for ScanError {
    fn from(error: CatalogError) -> ScanError {
        ScanError::Catalog(Arc::new(error))
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
