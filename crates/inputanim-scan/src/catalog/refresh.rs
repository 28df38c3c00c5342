//! The scan that makes a catalogue, or brings it up to date.

use std::fs;
use std::io::{self, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use arrow_array::cast::AsArray;
use inputanim_convert::Format;
use inputanim_convert::packs::{self, is_folder, path_in_pack};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;

use super::{
    CRC, Catalog, CatalogError, FailedRecording, GROUP_ROWS, KnownRows, VERSION, ZEROS,
    digits_of_checksum, entry, folder_of,
};
use crate::error::ScanError;
use crate::fields::ERROR;
use crate::notice::FileNotice;
use crate::options::ScanOptions;
use crate::scan::Scan;
use crate::shape::{OnError, Shape};
use crate::source::{ScanFile, Source};

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
    /// Searches a folder or a pack for recordings, and finds those that are not in its catalogue or changed. `file` is the path of the
    /// catalogue. `sources` are the recordings: the folder, or files below it. With `rebuild`, all of them are opened. Of the
    /// options, only the format, the threads, the function that opens files, the cancellation, and the limits of the old
    /// catalogue count.
    ///
    /// # Errors
    /// When the folder does not exist, has no recordings and there is no catalogue, or cannot be searched; when the name of `file`
    /// has another extension than `.parquet`, or leads into a pack; when `file` is too large, or is not a catalogue and its name is not [`CATALOG_FILE`](super::CATALOG_FILE);
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
        if !is_folder(folder) {
            return Err(CatalogError::NotFolder(folder.to_owned()).into());
        }
        if path_in_pack(file).is_some() {
            return Err(CatalogError::InPack(file.to_owned()).into());
        }
        if !Format::Parquet.has_name(file) {
            return Err(CatalogError::Extension(file.to_owned()).into());
        }
        let canonical = packs::canonical(folder).map_err(failed)?;
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
