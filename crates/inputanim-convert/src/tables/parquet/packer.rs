//! Columns that are packed by one context of Zstandard.
//!
//! The crate makes a context for each column of each row group, and every context asks the processor
//! what it can, which takes a hypervisor as long as to pack a column of some seconds. So columns are
//! encoded by the crate as if they were not packed, and their pages packed here.

use bytes::Bytes;
use parquet::basic::{Compression, ZstdLevel};
use parquet::column::page::{CompressedPage, Page, PageWriteSpec, PageWriter};
use parquet::column::writer::{
    ColumnCloseResult, ColumnWriterImpl, get_column_writer, get_typed_column_writer,
};
use parquet::data_type::DataType;
use parquet::errors::{ParquetError, Result};
use parquet::file::properties::{WriterPropertiesBuilder, WriterPropertiesPtr};
use parquet::file::writer::{SerializedPageWriter, TrackedWrite};
use parquet::schema::types::ColumnDescPtr;
use zstd::bulk::Compressor;

/// Makes columns of row groups.
pub(super) struct Packer {
    context: Compressor<'static>,
    settings: WriterPropertiesPtr,
}

/// A column of a row group, and what the file is to say of it.
pub(super) struct Packed {
    pub(super) bytes: Bytes,
    pub(super) facts: ColumnCloseResult,
}

impl Packer {
    /// Packs columns that are encoded as these settings say, as fast as goes.
    pub(super) fn new(settings: WriterPropertiesBuilder) -> Result<Packer> {
        let settings = settings.set_compression(Compression::UNCOMPRESSED);
        Ok(Packer {
            context: Compressor::new(ZstdLevel::default().compression_level())?,
            settings: settings.build().into(),
        })
    }

    pub(super) fn column<T: DataType>(
        &mut self,
        column: ColumnDescPtr,
        put: impl FnOnce(&mut ColumnWriterImpl<'_, T>) -> Result<()>,
    ) -> Result<Packed> {
        let mut bytes = TrackedWrite::new(Vec::new());
        let pages = Pages {
            context: &mut self.context,
            output: SerializedPageWriter::new(&mut bytes),
        };
        let writer = get_column_writer(column, self.settings.clone(), Box::new(pages));
        let mut writer = get_typed_column_writer::<T>(writer);
        put(&mut writer)?;
        let mut facts = writer.close()?;
        let metadata = facts.metadata.into_builder();
        let metadata = metadata.set_compression(Compression::ZSTD(ZstdLevel::default()));
        facts.metadata = metadata.build()?;
        Ok(Packed {
            bytes: bytes.into_inner()?.into(),
            facts,
        })
    }
}

/// Packs pages on their way.
struct Pages<'p> {
    context: &'p mut Compressor<'static>,
    output: SerializedPageWriter<'p, Vec<u8>>,
}

impl PageWriter for Pages<'_> {
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
