//! The manifest: one table of all inputs.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufRead, BufReader, Read, Write};
use std::path::Path;

use anyhow::{Context, anyhow};
use inputanim_convert::tables::{Batch, Column, DataType, Field, RowFormat, RowWriter};
use inputanim_scan::FileFacts;
use serde::Serialize;

use super::Converted;
use crate::commands::info::report::{Report, Unreadable};
use crate::files::batch::{Job, Status};
use crate::files::output;
use crate::messages::outcome::Refusal;
use crate::results::report_format::{ReportFormat, Rows};
use inputanim_scan::portable;

/// An object of JSON.
// `is_manifest` recognises a manifest by its first member.
#[derive(Serialize)]
struct Entry<'e> {
    conversion: Conversion<'e>,
    #[serde(flatten)]
    content: Content<'e>,
}

/// The result of a conversion.
#[derive(Serialize)]
struct Conversion<'c> {
    /// `converted`, `current` or `failed`.
    outcome: &'static str,
    output: Option<String>,
    losses: &'c [String],
    error: Option<String>,
}

/// The contents of a file, as `info` prints them.
#[derive(Serialize)]
#[serde(untagged)]
enum Content<'c> {
    Readable(&'c Report),
    Unreadable(Unreadable),
}

/// Returns the format of a manifest, by its extension. Fails for an unknown extension. Fails also if the path names an
/// existing file that is not a manifest, unless `force` is true.
pub(super) fn check(path: &Path, force: bool) -> anyhow::Result<ReportFormat> {
    let format = match path.extension().and_then(OsStr::to_str) {
        Some("csv") => ReportFormat::Csv,
        Some("ndjson") => ReportFormat::Ndjson,
        Some("json") => ReportFormat::Json,
        _ => {
            let message = format!("unknown format of manifest {}", path.display());
            return Err(Refusal::usage(
                message,
                "use the extension .csv, .ndjson or .json",
            ));
        }
    };
    // Every run writes the manifest anew, so an earlier one is replaced without --force.
    if force || !path.is_file() || is_manifest(path)? {
        output::check(path, true)?;
        Ok(format)
    } else {
        let message = format!("{} already exists and is not a manifest", path.display());
        Err(Refusal::failure(message, "--force replaces it"))
    }
}

/// Returns `true` if the first lines of a file are those of a manifest.
fn is_manifest(path: &Path) -> anyhow::Result<bool> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    // The path may name a large file without line breaks by mistake.
    let mut start = BufReader::new(file).take(1 << 16);
    let mut line = || -> anyhow::Result<String> {
        let mut line = Vec::new();
        start.read_until(b'\n', &mut line)?;
        Ok(String::from_utf8_lossy(&line).trim_end().to_owned())
    };
    let first = line()?;
    let is_csv = first.starts_with("file,") && first.ends_with(",outcome,output,losses,reason");
    let object = if first == "[" { line()? } else { first };
    Ok(is_csv || object.starts_with(r#"{"conversion":{"outcome":"#))
}

/// Writes a manifest, which replaces an earlier one. `write` gets the writer, always `Some`, and adds the files; its
/// result is returned.
pub(super) fn write<T>(
    path: &Path,
    format: ReportFormat,
    write: impl FnOnce(Option<ManifestWriter<'_>>) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    output::write_one_of_many(path, true, |output| {
        let output: &mut (dyn Write + Send) = output;
        let manifest = if format == ReportFormat::Csv {
            ManifestWriter::Csv(RowWriter::new(RowFormat::Csv, &Entry::fields(), output)?)
        } else {
            let Ok(rows) = Rows::new(format, output) else {
                anyhow::bail!("a manifest cannot have the format table");
            };
            ManifestWriter::Objects(rows)
        };
        write(Some(manifest))
    })
}

/// A manifest that is written file by file.
pub(super) enum ManifestWriter<'o> {
    Csv(RowWriter<&'o mut (dyn Write + Send)>),
    Objects(Rows<&'o mut (dyn Write + Send)>),
}

impl ManifestWriter<'_> {
    /// Adds the file of a job with the result of its conversion.
    pub(super) fn push(&mut self, job: &Job, result: &Converted) -> anyhow::Result<()> {
        let entry = Entry::new(job, result);
        match self {
            ManifestWriter::Csv(rows) => Ok(rows.push(entry.row())?),
            ManifestWriter::Objects(rows) => rows.push_object(&entry),
        }
    }

    /// Writes the end of the manifest.
    pub(super) fn finish(self) -> anyhow::Result<()> {
        match self {
            ManifestWriter::Csv(rows) => Ok(rows.finish()?),
            ManifestWriter::Objects(rows) => rows.finish(),
        }
    }
}

impl<'e> Entry<'e> {
    fn new(job: &Job, result: &'e Converted) -> Entry<'e> {
        let (outcome, error) = match &result.status {
            Ok(Status::Current(_)) => ("current", None),
            Ok(_) => ("converted", None),
            Err(error) => ("failed", Some(error)),
        };
        let content = match (&result.info, error) {
            (Some(info), _) => Content::Readable(info),
            (None, Some(error)) => Content::Unreadable(Unreadable::new(&job.input, error)),
            (None, None) => {
                let error = anyhow!("nothing in it can be read");
                Content::Unreadable(Unreadable::new(&job.input, &error))
            }
        };
        let output = error.is_none().then(|| portable(&job.output));
        let conversion = Conversion {
            outcome,
            output,
            losses: &result.losses,
            error: error.map(causes),
        };
        Entry {
            conversion,
            content,
        }
    }

    /// Returns the columns of a CSV manifest. Its column `error` is about reading the file, and `reason` about the
    /// conversion.
    fn fields() -> Vec<Field> {
        let text = |name: &'static str| Field::new(name, DataType::Text, "");
        let conversion = ["error", "outcome", "output", "losses", "reason"].map(text);
        let file = [text("file")].into_iter();
        file.chain(FileFacts::fields()).chain(conversion).collect()
    }

    /// Returns the entry as a row of a CSV manifest. The losses are joined to one text, because CSV has no lists.
    fn row(&self) -> Batch {
        let (file, contents, error) = match &self.content {
            Content::Readable(report) => report.row(),
            Content::Unreadable(unreadable) => unreadable.row(),
        };
        let losses = self.conversion.losses.join("; ");
        let texts = [
            error.as_deref(),
            Some(self.conversion.outcome),
            self.conversion.output.as_deref(),
            Some(losses.as_str()).filter(|losses| !losses.is_empty()),
            self.conversion.error.as_deref(),
        ];
        let text = |text: Option<&str>| Column::texts([text]);
        let columns = [text(Some(file))].into_iter();
        let columns = columns.chain(contents).chain(texts.map(text));
        Batch::new(1, columns.collect())
    }
}

/// Returns the messages of an error and its causes in one line, separated by `: `.
fn causes(error: &anyhow::Error) -> String {
    let mut causes: Vec<String> = error.chain().map(ToString::to_string).collect();
    causes.dedup();
    causes.join(": ")
}
