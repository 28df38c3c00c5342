//! One table of all inputs.

use std::ffi::OsStr;
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use anyhow::{Context, anyhow};
use serde::Serialize;

use super::plan::Job;
use super::work::{Done, Fate};
use crate::commands::info::report::{Report, Row, Unreadable};
use crate::format::{Format, Rows};
use crate::outcome::Refusal;
use crate::output;

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
    /// Where it is, unless it failed.
    output: Option<String>,
    /// What the output does not have.
    lost: Vec<String>,
    /// Why it failed.
    reason: Option<String>,
}

/// The same in CSV, where nothing is a list.
#[derive(Serialize)]
struct ConversionRow<'c> {
    outcome: &'static str,
    output: Option<&'c str>,
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
        output: match done.fate {
            Fate::Failed(_) => None,
            _ => Some(job.output.to_string()),
        },
        lost,
        reason,
    };
    match (&done.report, &done.fate) {
        (Some(report), _) => push_with(rows, report, Report::row, &conversion),
        (None, Fate::Failed(error)) => {
            let unreadable = Unreadable::new(&job.input, error);
            push_with(rows, &unreadable, Unreadable::row, &conversion)
        }
        (None, _) => {
            let unreadable = Unreadable::new(&job.input, &anyhow!("nothing in it can be read"));
            push_with(rows, &unreadable, Unreadable::row, &conversion)
        }
    }
}

/// Whether a manifest may be written: over one of an earlier run, but over nothing else.
pub(super) fn check(path: &Path, force: bool) -> anyhow::Result<()> {
    if force || !path.is_file() {
        return output::check(path, true);
    }
    let mut start = Vec::new();
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    file.take(1 << 16).read_to_end(&mut start)?;
    let start = String::from_utf8_lossy(&start);
    let in_csv = start.lines().next().is_some_and(|head| {
        let names: Vec<&str> = head.split(',').collect();
        ["file", "outcome", "output", "lost", "reason"]
            .iter()
            .all(|name| names.contains(name))
    });
    let is_one = in_csv || (start.contains("\"conversion\"") && start.contains("\"outcome\""));
    match is_one {
        true => output::check(path, true),
        false => {
            let message = format!("{} is there already, and no manifest", path.display());
            Err(Refusal::failure(message, "--force replaces it"))
        }
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
            output: conversion.output.as_deref(),
            lost: conversion.lost.join("; "),
            reason: conversion.reason.as_deref(),
        };
        vec![(row(report), conversion)]
    })
}
