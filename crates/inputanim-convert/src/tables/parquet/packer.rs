//! Columns that are packed by one context of Zstandard.
//!
//! The crate makes a context for each column of each row group, and every context asks the processor
//! what it can, which takes a hypervisor as long as to pack a column of some seconds. So columns are
//! encoded by the crate as if they were not packed, and their pages packed here.

use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::{
    ColumnCloseResult, ColumnWriterImpl, get_column_writer, get_typed_column_writer,
};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{WriterPropertiesBuilder, WriterPropertiesPtr};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

/// Makes columns of row groups.
pub(super) struct Packer {
    context: Compressor<'static>,
    of_numbers: WriterPropertiesPtr,
    of_others: WriterPropertiesPtr,
    /// Of the last column; its space serves the next one.
    bytes: Vec<u8>,
}

/// A column of a row group, and what the file is to say of it.
pub(super) struct Packed<'p> {
    pub(super) bytes: PackedBytes<'p>,
    pub(super) facts: ColumnCloseResult,
}

pub(super) struct PackedBytes<'p>(&'p [u8]);

impl Length for PackedBytes<'_> {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }
}

impl<'p> ChunkReader for PackedBytes<'p> {
    type T = &'p [u8];

    fn get_read(&self, start: u64) -> Result<&'p [u8]> {
        let rest = usize::try_from(start).ok().and_then(|at| self.0.get(at..));
        rest.ok_or_else(|| ParquetError::EOF("a column ends before its pages".to_owned()))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let bytes = self.get_read(start)?.get(..length);
        let bytes = bytes.ok_or_else(|| ParquetError::EOF("a page is cut".to_owned()))?;
        Ok(Bytes::copy_from_slice(bytes))
    }
}

impl Packer {
    /// Packs columns that are encoded as these settings say, as fast as goes.
    ///
    /// The crate looks settings up by the name of a column, again and again, unless none has its own: so
    /// those of numbers, of which there are hundreds, come apart.
    pub(super) fn new(
        of_numbers: WriterPropertiesBuilder,
        of_others: WriterPropertiesBuilder,
    ) -> Result<Packer> {
        let [of_numbers, of_others] = [of_numbers, of_others].map(|settings| {
            let settings = settings.set_compression(Compression::UNCOMPRESSED);
            settings.build().into()
        });
        Ok(Packer {
            context: Compressor::new(ZstdLevel::default().compression_level())?,
            of_numbers,
            of_others,
            bytes: Vec::new(),
        })
    }

    pub(super) fn column<T: DataType>(
        &mut self,
        column: ColumnDescPtr,
        put: impl FnOnce(&mut ColumnWriterImpl<'_, T>) -> Result<()>,
    ) -> Result<Packed<'_>> {
        self.bytes.clear();
        let mut bytes = TrackedWrite::new(&mut self.bytes);
        let pages = Pages {
            context: &mut self.context,
            output: SerializedPageWriter::new(&mut bytes),
        };
        // Times and names are in every row.
        let settings = match column.max_def_level() {
            0 => &self.of_others,
            _ => &self.of_numbers,
        };
        let writer = get_column_writer(column, Arc::clone(settings), Box::new(pages));
        let mut writer = get_typed_column_writer::<T>(writer);
        put(&mut writer)?;
        let mut facts = writer.close()?;
        let metadata = facts.metadata.into_builder();
        let metadata = metadata.set_compression(Compression::ZSTD(ZstdLevel::default()));
        facts.metadata = metadata.build()?;
        Ok(Packed {
            bytes: PackedBytes(bytes.into_inner()?),
            facts,
        })
    }
}

/// Packs pages on their way.
struct Pages<'p, 'b> {
    context: &'p mut Compressor<'static>,
    output: SerializedPageWriter<'p, &'b mut Vec<u8>>,
}

impl PageWriter for Pages<'_, '_> {
    fn write_page(&mut self, page: CompressedPage) -> Result<PageWriteSpec> {
        let size = page.uncompressed_size();
        let mut packed = page.compressed_page().clone();
        match &mut packed {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => {
                *buf = self.context.compress(buf)?.into();
            }
            // Version 2 of Parquet, which is not written.
            Page::DataPageV2 { .. } => {
                let message = "a page of version 2 has parts that are not packed";
                return Err(ParquetError::NYI(message.to_owned()));
            }
        }
        self.output.write_page(CompressedPage::new(packed, size))
    }

    fn close(&mut self) -> Result<()> {
        self.output.close()
    }
}
