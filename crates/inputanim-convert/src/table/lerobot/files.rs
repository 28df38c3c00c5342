//! The numbered Parquet files of a dataset.

use std::io::{self, Write};
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::SchemaRef;
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::schema::types::ColumnPath;

use super::Options;
use crate::shared::Error;
use crate::table::tables::parquet::{finish, output_error};

/// The number of a file among all files of one kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct FileNumber {
    pub(super) chunk: u32,
    pub(super) file: u32,
}

impl FileNumber {
    pub(super) fn next(self, options: &Options) -> FileNumber {
        let FileNumber { chunk, file } = self;
        if file + 1 < options.chunk_files {
            FileNumber {
                chunk,
                file: file + 1,
            }
        } else {
            FileNumber {
                chunk: chunk + 1,
                file: 0,
            }
        }
    }

    pub(super) fn path(self, folder: &str, extension: &str) -> String {
        let FileNumber { chunk, file } = self;
        format!("{folder}/chunk-{chunk:03}/file-{file:03}.{extension}")
    }
}

/// The folder of the files of frames.
pub(super) const DATA: &str = "data";
/// The folder of the files of episodes.
pub(super) const EPISODES: &str = "meta/episodes";

/// The folder of the videos.
pub(super) const VIDEOS: &str = "videos/observation.images.ego_view";

/// Returns `true` for the path of a numbered file of frames, episodes or videos, such as `data/chunk-000/file-000.parquet`.
pub(super) fn is_numbered(path: &str) -> bool {
    let folders = [(DATA, ".parquet"), (EPISODES, ".parquet"), (VIDEOS, ".mp4")].into_iter();
    let mut rests = folders.filter_map(|(folder, end)| Some((path.strip_prefix(folder)?, end)));
    rests.any(|(rest, end)| {
        let is_number =
            |text: &str| text.len() >= 3 && text.bytes().all(|digit| digit.is_ascii_digit());
        let name = rest.strip_prefix("/chunk-");
        let name = name.and_then(|name| name.strip_suffix(end));
        let numbers = name.and_then(|name| name.split_once("/file-"));
        numbers.is_some_and(|(chunk, file)| is_number(chunk) && is_number(file))
    })
}

/// The most rows of a row group, so that long episodes need little memory while they are written.
const GROUP_ROWS: usize = 1 << 13;
/// The size of a row group in bytes from which on it is written.
const GROUP_BYTES: usize = 16 << 20;
/// The size of the end of a file for each of its columns and row groups in bytes, more than measured.
const END_BYTES: u64 = 512;

/// Parquet files, each of which has less than the largest size.
pub(super) struct NumberedFiles<W: Write + Send> {
    folder: &'static str,
    schema: SchemaRef,
    /// The names of the columns whose values repeat.
    repeating: &'static [&'static str],
    number: FileNumber,
    writer: Option<ArrowWriter<W>>,
    /// The number of row groups of the file.
    groups: u64,
}

impl<W: Write + Send> NumberedFiles<W> {
    pub(super) fn new(
        folder: &'static str,
        schema: SchemaRef,
        repeating: &'static [&'static str],
    ) -> NumberedFiles<W> {
        NumberedFiles {
            folder,
            schema,
            repeating,
            number: FileNumber::default(),
            writer: None,
            groups: 0,
        }
    }

    /// Returns the number of the file that rows are written into.
    pub(super) fn number(&self) -> FileNumber {
        self.number
    }

    /// Selects the file for rows of at most `bytes` bytes, and returns its number. If they do not fit into the current
    /// file, completes it and creates the next one with `create`.
    pub(super) fn place(
        &mut self,
        bytes: u64,
        options: &Options,
        create: &mut impl FnMut(&str) -> io::Result<W>,
    ) -> Result<FileNumber, Error> {
        let most = u64::from(options.file_mib) << 20;
        if let Some(writer) = &self.writer {
            let columns = self.schema.flattened_fields().len() as u64;
            let end = (self.groups + 2) * columns * END_BYTES;
            let written = (writer.bytes_written() + writer.in_progress_size()) as u64;
            if written + end + bytes >= most {
                self.finish()?;
                self.number = self.number.next(options);
            }
        }
        if self.writer.is_none() {
            let output = create(&self.number.path(self.folder, "parquet"))?;
            self.writer = Some(self.begin(output)?);
        }
        Ok(self.number)
    }

    fn begin(&mut self, output: W) -> Result<ArrowWriter<W>, Error> {
        self.groups = 0;
        begin(&self.schema, self.repeating, output)
    }

    /// Writes rows into the file that [`place`](Self::place) returned last.
    pub(super) fn write(&mut self, rows: &RecordBatch) -> Result<(), Error> {
        let Some(writer) = &mut self.writer else {
            return Ok(());
        };
        for first in (0..rows.num_rows()).step_by(GROUP_ROWS) {
            let length = GROUP_ROWS.min(rows.num_rows() - first);
            writer
                .write(&rows.slice(first, length))
                .map_err(output_error)?;
            if writer.in_progress_size() >= GROUP_BYTES {
                writer.flush().map_err(output_error)?;
                self.groups += 1;
            }
        }
        Ok(())
    }

    /// Completes the current file. Does nothing if there is none.
    pub(super) fn finish(&mut self) -> Result<(), Error> {
        match self.writer.take() {
            Some(writer) => finish(writer),
            None => Ok(()),
        }
    }
}

/// Begins a Parquet file with Snappy compression. `repeating` are the names of the columns whose values repeat; they
/// get a dictionary and statistics.
pub(super) fn begin<W: Write + Send>(
    schema: &SchemaRef,
    repeating: &[&str],
    output: W,
) -> Result<ArrowWriter<W>, Error> {
    let path = |name: &str| ColumnPath::new(vec![name.to_owned()]);
    // The entries are repeated for readers that do not decode the schema of Arrow.
    let entries = schema.metadata().iter();
    let entries = entries.map(|(name, value)| KeyValue::new(name.clone(), value.clone()));
    let properties = WriterProperties::builder()
        // LeRobot writes the same compression, so that all of its readers have it.
        .set_compression(Compression::SNAPPY)
        .set_key_value_metadata(Some(entries.collect()))
        // Measured numbers do not repeat.
        .set_dictionary_enabled(false)
        .set_statistics_enabled(EnabledStatistics::None)
        .set_offset_index_disabled(true)
        .set_max_row_group_row_count(None);
    let properties = repeating.iter().fold(properties, |all, name| {
        all.set_column_dictionary_enabled(path(name), true)
            // LeRobot selects episodes by these numbers.
            .set_column_statistics_enabled(path(name), EnabledStatistics::Chunk)
    });
    ArrowWriter::try_new(output, Arc::clone(schema), Some(properties.build())).map_err(output_error)
}
