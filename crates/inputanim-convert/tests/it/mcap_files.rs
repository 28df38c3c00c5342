//! Helper functions that write and read MCAP files.

use std::io::Write;

use inputanim::{Limits, Recording};
use inputanim_convert::{Error, Format, Loss, Note, ReadOptions, Report, WriteOptions};

#[derive(Debug)]
pub(crate) struct Reading {
    pub(crate) recording: Recording<'static>,
    pub(crate) losses: Vec<Loss>,
    pub(crate) notes: Vec<Note>,
}

pub(crate) fn read(bytes: &[u8]) -> Result<Reading, Error> {
    read_with(bytes, &Limits::default())
}

pub(crate) fn read_with(bytes: &[u8], limits: &Limits) -> Result<Reading, Error> {
    let mut options = ReadOptions::default();
    options.limits = *limits;
    let (recording, report) = inputanim_convert::read(Format::Mcap, bytes, &options)?;
    Ok(Reading {
        recording: recording.into_owned(),
        losses: report.losses,
        notes: report.notes,
    })
}

pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write + Send,
) -> Result<Report, Error> {
    inputanim_convert::write(Format::Mcap, recording, options, output)
}
