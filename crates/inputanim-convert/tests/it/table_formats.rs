//! The formats of tables, with helper functions that write and read them.

use inputanim::Recording;
use inputanim_convert::{Error, Format, ReadOptions, Report, WriteOptions, read, write};

pub(crate) const FORMATS: [Format; 5] = [
    Format::Arrow,
    Format::Parquet,
    Format::Csv,
    Format::Tsv,
    Format::Ndjson,
];

pub(crate) trait TableFormat {
    fn try_write(
        self,
        recording: &Recording<'_>,
        options: &WriteOptions,
    ) -> Result<(Vec<u8>, Report), Error>;
    fn write(self, recording: &Recording<'_>, options: &WriteOptions) -> Vec<u8>;
    fn read_all(
        self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<(Recording<'static>, Report), Error>;
    fn read_with(self, bytes: &[u8], options: &ReadOptions) -> Result<Recording<'static>, Error>;
    fn read(self, bytes: &[u8]) -> Result<Recording<'static>, Error>;
}

impl TableFormat for Format {
    fn try_write(
        self,
        recording: &Recording<'_>,
        options: &WriteOptions,
    ) -> Result<(Vec<u8>, Report), Error> {
        let mut bytes = Vec::new();
        let report = write(self, recording, options, &mut bytes)?;
        Ok((bytes, report))
    }

    fn write(self, recording: &Recording<'_>, options: &WriteOptions) -> Vec<u8> {
        self.try_write(recording, options).unwrap().0
    }

    fn read_all(
        self,
        bytes: &[u8],
        options: &ReadOptions,
    ) -> Result<(Recording<'static>, Report), Error> {
        let (recording, report) = read(self, bytes, options)?;
        Ok((recording.into_owned(), report))
    }

    fn read_with(self, bytes: &[u8], options: &ReadOptions) -> Result<Recording<'static>, Error> {
        Ok(self.read_all(bytes, options)?.0)
    }

    fn read(self, bytes: &[u8]) -> Result<Recording<'static>, Error> {
        self.read_with(bytes, &ReadOptions::default())
    }
}

/// Returns the message of an error, and the message of its cause if it differs.
pub(crate) fn message(error: &Error) -> String {
    let text = error.to_string();
    let mut causes =
        std::iter::successors(std::error::Error::source(error), |cause| cause.source());
    match causes.find(|cause| cause.to_string() != text) {
        Some(cause) => format!("{text}: {cause}"),
        None => text,
    }
}
