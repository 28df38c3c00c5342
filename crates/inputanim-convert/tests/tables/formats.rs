//! The five formats of tables.

use inputanim::Recording;
use inputanim_convert::tables::csv::Separator;
use inputanim_convert::tables::{
    Error, Loss, Options, ReadOptions, Reading, arrow, csv, ndjson, parquet,
};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Format {
    Arrow,
    Parquet,
    Csv,
    Tsv,
    Ndjson,
}

impl Format {
    pub(crate) const ALL: [Format; 5] = [
        Format::Arrow,
        Format::Parquet,
        Format::Csv,
        Format::Tsv,
        Format::Ndjson,
    ];

    pub(crate) fn try_write(
        self,
        recording: &Recording<'_>,
        options: &Options,
    ) -> Result<(Vec<u8>, Vec<Loss>), Error> {
        let mut bytes = Vec::new();
        let losses = match self {
            Format::Arrow => {
                arrow::write(recording, options, &mut bytes)?;
                Vec::new()
            }
            Format::Parquet => {
                parquet::write(recording, options, &mut bytes)?;
                Vec::new()
            }
            Format::Csv => csv::write(recording, options, Separator::Comma, &mut bytes)?,
            Format::Tsv => csv::write(recording, options, Separator::Tab, &mut bytes)?,
            Format::Ndjson => ndjson::write(recording, options, &mut bytes)?,
        };
        Ok((bytes, losses))
    }

    pub(crate) fn write(self, recording: &Recording<'_>, options: &Options) -> Vec<u8> {
        self.try_write(recording, options).unwrap().0
    }

    pub(crate) fn read_all(self, bytes: &[u8], options: &ReadOptions) -> Result<Reading, Error> {
        match self {
            Format::Arrow => arrow::read(bytes, options),
            Format::Parquet => parquet::read(bytes.to_vec().into(), options),
            Format::Csv | Format::Tsv => csv::read(bytes, None, options),
            Format::Ndjson => ndjson::read(bytes, options),
        }
    }

    pub(crate) fn read_with(
        self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<Recording<'static>, Error> {
        Ok(self.read_all(bytes, options)?.recording)
    }

    pub(crate) fn read(self, bytes: &[u8]) -> Result<Recording<'static>, Error> {
        self.read_with(bytes, &ReadOptions::default())
    }
}
