//! One table of all inputs.

use std::ffi::OsStr;
use std::io::Write;
use std::path::Path;

use serde::Serialize;

use super::plan::Job;
use super::work::{Done, Fate};
use crate::commands::info::report::{Report, Row, Unreadable};
use crate::format::{Format, Rows};
use crate::outcome::Refusal;

/// The format of a manifest, by its name.
pub(super) fn format(path: &Path) -> anyhow::Result<Format> {
    match path.extension().and_then(OsStr::to_str) {
        Some("csv") => Ok(Format::Csv),
        Some("ndjson") => Ok(Format::Ndjson),
        Some("json") => Ok(Format::Json),
        _ => {
            let message = format!("the extension of {} says no table", path.display());
            Err(Refusal::usage(message, "name it .csv, .ndjson or .json"))
        }
    }
}

/// What became of a file.
#[derive(Serialize)]
struct Conversion {
    /// `converted`, `present` or `failed`.
    outcome: &'static str,
    output: String,
    /// What the output does not have.
    lost: Vec<String>,
    /// Why it failed.
    reason: Option<String>,
}

/// The same in CSV, where nothing is a list.
#[derive(Serialize)]
struct ConversionRow<'c> {
    outcome: &'static str,
    output: &'c str,
    lost: String,
    reason: Option<&'c str>,
}

/// As ndjson and JSON: what `info` says and what became of it.
#[derive(Serialize)]
struct Entry<'e, R: Serialize> {
    #[serde(flatten)]
    report: &'e R,
    conversion: &'e Conversion,
}

pub(super) fn push(rows: &mut Rows<impl Write>, job: &Job, done: &Done) -> anyhow::Result<()> {
    let (outcome, lost, reason) = match &done.fate {
        Fate::Converted(said) => ("converted", said.lost.clone(), None),
        Fate::Present => ("present", Vec::new(), None),
        Fate::Failed(error) => ("failed", Vec::new(), Some(super::reason(error))),
    };
    let conversion = Conversion {
        outcome,
        output: job.output.display().to_string(),
        lost,
        reason,
    };
    match (&done.report, &done.fate) {
        (Some(report), _) => push_with(rows, report, Report::row, &conversion),
        (None, Fate::Failed(error)) => {
            let unreadable = Unreadable::new(&job.input, error);
            push_with(rows, &unreadable, Unreadable::row, &conversion)
        }
        (None, _) => Ok(()),
    }
}

fn push_with<R: Serialize>(
    rows: &mut Rows<impl Write>,
    report: &R,
    row: impl Fn(&R) -> Row<'_>,
    conversion: &Conversion,
) -> anyhow::Result<()> {
    rows.push(&Entry { report, conversion }, || {
        let conversion = ConversionRow {
            outcome: conversion.outcome,
            output: &conversion.output,
            lost: conversion.lost.join("; "),
            reason: conversion.reason.as_deref(),
        };
        vec![(row(report), conversion)]
    })
}
