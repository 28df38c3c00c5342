//! `--append-to`: a recording as streams of an existing XDF file.

use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::{Limits, Recording};
use inputanim_convert::xdf::{self, At};
use inputanim_convert::{Format, NoEffect, ReadOptions, Report, WriteOptions};

use crate::files::input::Input;
use crate::files::output::{Sink, is_same_file};
use crate::messages::outcome::Refusal;

/// The options of an existing XDF file.
#[derive(Debug, clap::Args)]
pub(super) struct AppendArgs {
    /// Write a copy of this XDF file with the recording as additional streams to OUT
    #[arg(long, value_name = "FILE", requires = "at")]
    pub(super) append_to: Option<PathBuf>,
    /// The place of the recording in the file of --append-to. A marker, as TEXT or TEXT#2, is the marker of the
    /// recording with the same text, else its t = 0. A time, such as 12.5 or 1:30, is the time of t = 0 after the first
    /// sample of the file, or with lsl:SECONDS on the clock of the file. A marker whose text is a time is marker:TEXT.
    /// --map marker=STREAM searches another stream than those of texts without a rate
    #[arg(
        long,
        value_name = "PLACE",
        requires = "append_to",
        allow_hyphen_values = true
    )]
    at: Option<At>,
}

/// An existing file, and the place of the recording in the file.
pub(super) struct Existing<'a> {
    input: Input,
    at: &'a At,
}

impl AppendArgs {
    /// Opens the XDF file of `--append-to`, or returns `None` if the option is not given. Fails if the option cannot
    /// be combined with the other arguments. `has_start_time` is true if `--start-time` is given.
    pub(super) fn open(
        &self,
        input: &Path,
        output: &Path,
        format: Format,
        has_start_time: bool,
        limits: &Limits,
    ) -> anyhow::Result<Option<Existing<'_>>> {
        let (Some(path), Some(at)) = (&self.append_to, &self.at) else {
            return Ok(None);
        };
        if format != Format::Xdf {
            let error = NoEffect::new("--append-to", format).to_string();
            return Err(Refusal::usage(error, "give OUT the extension .xdf"));
        }
        if has_start_time {
            let message = "--start-time has no effect with --append-to";
            return Err(Refusal::usage(
                message,
                "remove it; --at places the recording",
            ));
        }
        if [input, path].iter().all(|path| *path == Path::new("-")) {
            let message = "IN and the file of --append-to are both standard input";
            return Err(Refusal::usage(message, "give the path of one of them"));
        }
        if *path != Path::new("-") && is_same_file(path, output) {
            let path = path.display();
            let message = format!("the file of --append-to and output are the same file: {path}");
            return Err(Refusal::usage(message, "choose another output"));
        }
        let input = Input::open(path, limits)?;
        Ok(Some(Existing { input, at }))
    }
}

impl Existing<'_> {
    /// Writes a copy of the existing XDF file, with the recording added, to `output`. `reading` are the options with which
    /// the existing file is read.
    pub(super) fn write(
        &self,
        recording: &Recording<'_>,
        reading: &ReadOptions,
        options: &WriteOptions,
        output: &mut Sink<'_>,
    ) -> anyhow::Result<Report> {
        let written = xdf::append(
            self.input.bytes(),
            reading,
            recording,
            self.at,
            options,
            output,
        );
        written.with_context(|| self.input.context())
    }
}
