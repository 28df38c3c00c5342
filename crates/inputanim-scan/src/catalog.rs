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
//! folder and the format. A catalogue that fails one of these checks is not used. A few kilobytes of Parquet may stand for any
//! number of rows and for long texts. Only the rows of the files of a scan are therefore kept, texts share the bytes of the
//! file's dictionaries, and the bytes of columns are counted while they are unpacked.
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
use arrow_schema::{DataType as ArrowType, Field as ArrowField, Schema};
use bytes::Bytes;
use inputanim::{Corrections, Limits, Pauses};
use inputanim_convert::Format;
use inputanim_convert::tables::{Column, DataType, Field, arrow_field};
use parquet::arrow::ProjectionMask;
use parquet::arrow::arrow_reader::{
    ArrowReaderMetadata, ArrowReaderOptions, ParquetRecordBatchReaderBuilder, RowSelection,
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
const VERSION: &str = concat!("2, inputanim ", env!("CARGO_PKG_VERSION"));

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
    /// The most bytes of unpacked columns.
    max_bytes: u64,
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
    /// The columns have more than [`Limits::max_bytes`] when they are unpacked, although the file is smaller.
    #[error("the catalogue {} is too large: its columns have more than {limit} bytes when they are unpacked", .path.display())]
    ColumnsTooLarge {
        /// The path of the catalogue.
        path: PathBuf,
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
    /// The path of a new catalogue leads into a pack, which is never changed.
    #[error("the catalogue {} would be in a pack, and packs are not changed", .0.display())]
    InPack(PathBuf),
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
    /// Reads a catalogue, and checks that it is complete and undamaged. The file may have [`Limits::max_bytes`], and the columns
    /// that a scan uses may have as many when they are unpacked.
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
        let mut catalog = Catalog {
            path: path.to_owned(),
            folder,
            format,
            bytes,
            metadata,
            max_bytes: limits.max_bytes,
        };
        catalog.check_columns().map_err(damaged)?;
        catalog.metadata = guarded(|| with_text_views(&catalog.metadata)).map_err(damaged)?;
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

    /// Reads some columns, in the order of `fields`. Calls `each` with the rows in batches, and with the index of the first row of each
    /// batch. The rows are all rows, or those with the indices `rows`, which are in increasing order and count as 0, 1, 2 and so on.
    fn read_columns(
        &self,
        fields: &[Field],
        rows: Option<&[usize]>,
        mut each: impl FnMut(usize, RecordBatch),
    ) -> Result<(), CatalogError> {
        /// Few batches, because each counts the memory of the texts that it shares with others.
        const BATCH_ROWS: usize = 1 << 16;
        let too_large = || CatalogError::ColumnsTooLarge {
            path: self.path.clone(),
            limit: self.max_bytes,
        };
        let mask = ProjectionMask::columns(
            self.metadata.parquet_schema(),
            fields.iter().map(|field| &*field.name),
        );
        let groups = self.metadata.metadata().row_groups().iter();
        let chunks = groups.flat_map(|group| group.columns().iter().enumerate());
        let chunks = chunks.filter(|(index, _)| mask.leaf_included(*index));
        let sizes = chunks.map(|(_, chunk)| chunk.uncompressed_size().max(0) as u64);
        // The sizes that the file states are checked before anything is unpacked.
        if sizes.fold(0, u64::saturating_add) > self.max_bytes {
            return Err(too_large());
        }
        let selection = rows.map(|rows| {
            let ranges = rows.chunk_by(|a, b| a + 1 == *b);
            let ranges = ranges.map(|range| range[0]..range[0] + range.len());
            RowSelection::from_consecutive_ranges(ranges, self.len())
        });
        let read = || {
            let mut reader = ParquetRecordBatchReaderBuilder::new_with_metadata(
                self.bytes.clone(),
                self.metadata.clone(),
            );
            if let Some(selection) = selection {
                reader = reader.with_row_selection(selection);
            }
            let reader = reader.with_projection(mask).with_batch_size(BATCH_ROWS);
            let (mut unpacked, mut count) = (0_u64, 0);
            for batch in reader.build()? {
                let batch = batch?;
                unpacked = unpacked.saturating_add(batch.get_array_memory_size() as u64);
                if unpacked > self.max_bytes {
                    return Ok(None);
                }
                let indices = fields
                    .iter()
                    .map(|field| batch.schema().index_of(&field.name));
                let indices = indices.collect::<Result<Vec<_>, _>>()?;
                each(count, batch.project(&indices)?);
                count += batch.num_rows();
            }
            Ok(Some(count))
        };
        let damaged = |message| CatalogError::Damaged {
            path: self.path.clone(),
            message,
        };
        let count = guarded(read).map_err(damaged)?.ok_or_else(too_large)?;
        // A row has its values at the same index in the columns of all calls.
        let expected = rows.map_or(self.len(), <[usize]>::len);
        if count != expected {
            let message = format!("a column has {count} rows, expected {expected}");
            return Err(damaged(message));
        }
        Ok(())
    }

    /// Returns some columns of the rows with the indices `rows`, which are in increasing order.
    fn columns(&self, fields: &[Field], rows: &[usize]) -> Result<CatalogColumns, CatalogError> {
        let mut columns = CatalogColumns {
            types: fields.iter().map(|field| field.data_type).collect(),
            batches: Vec::new(),
        };
        self.read_columns(fields, Some(rows), |first, batch| {
            columns.batches.push((first, batch));
        })?;
        Ok(columns)
    }
}

/// Returns the same metadata for readers that return texts as views. A long text that many rows share then has the memory of one.
fn with_text_views(metadata: &ArrowReaderMetadata) -> Result<ArrowReaderMetadata, ParquetError> {
    let fields = metadata.schema().fields().iter().map(|field| {
        let data_type = match field.data_type() {
            ArrowType::Utf8 => ArrowType::Utf8View,
            other => other.clone(),
        };
        ArrowField::new(field.name(), data_type, field.is_nullable())
    });
    let schema = Arc::new(Schema::new(fields.collect::<Vec<_>>()));
    let options = ArrowReaderOptions::new()
        .with_skip_arrow_metadata(true)
        .with_schema(schema);
    ArrowReaderMetadata::try_new(Arc::clone(metadata.metadata()), options)
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
        _ => Column::texts([Some(array.as_string_view().value(row))]),
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
