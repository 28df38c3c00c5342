//! `inputanim check`

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use inputanim::{Limits, doctor};
use serde::Serialize;

use crate::format::{Format, Rows};
use crate::found::{Fault, Found, print_fault, print_findings};
use crate::input::{Files, Input};
use crate::outcome::Outcome;
use crate::progress;
use crate::style::{BAD, GOOD, paint};
use crate::text::count;

/// Say whether recordings are well formed, and list everything that is found in them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code 0 when every file is well formed, whatever was found in it, else 1. `doctor` says what the \
findings mean and what to do about them.

Examples:
  inputanim check take.bin
  inputanim check -r studies --format csv > findings.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// How to print the results
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

/// What one file is.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    file: String,
    well_formed: bool,
    layout: Option<&'static str>,
    error: Option<Fault>,
    findings: Vec<Found>,
}

/// A finding as a row of CSV; a file without any has one row that names none.
#[derive(Serialize)]
struct Row<'r> {
    file: &'r str,
    well_formed: bool,
    layout: Option<&'static str>,
    code: Option<&'static str>,
    severity: Option<&'static str>,
    count: Option<u64>,
    start_s: Option<f32>,
    end_s: Option<f32>,
    message: String,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let files = args.files.expand()?;
    let mut progress = progress::Files::new(files.len(), args.format == Format::Table);
    let mut outcome = Outcome::Done;
    let mut well_formed = 0;
    let mut output = Rows::new(args.format, io::stdout().lock()).map_err(AutoStream::auto);
    for path in &files {
        let checked = check(path, limits);
        match checked.well_formed {
            true => well_formed += 1,
            false => outcome = outcome.and(Outcome::Failed),
        }
        progress.suspend(|| match &mut output {
            Ok(rows) => rows.push(&checked, || checked.rows()),
            Err(output) => print(output, &checked),
        })?;
        progress.step();
    }
    match output {
        Ok(rows) => rows.finish()?,
        Err(mut output) => {
            if let all @ 2.. = files.len() {
                writeln!(
                    output,
                    "{} of {} well formed",
                    well_formed,
                    count(all, "file")
                )?;
            }
            output.flush()?;
        }
    }
    Ok(outcome)
}

fn check(path: &Path, limits: &Limits) -> Checked {
    let looked = Input::open(path, limits).and_then(|input| {
        let recording = input.recording(limits)?;
        Ok((recording.layout.name(), doctor::examine(&recording)))
    });
    let file = path.display().to_string();
    match looked {
        Ok((layout, findings)) => Checked {
            file,
            well_formed: true,
            layout: Some(layout),
            error: None,
            findings: findings.iter().map(Found::from).collect(),
        },
        Err(error) => Checked {
            file,
            well_formed: false,
            layout: None,
            error: Some(Fault::from(&error)),
            findings: Vec::new(),
        },
    }
}

impl Checked {
    fn rows(&self) -> Vec<Row<'_>> {
        let row = |found: Option<&Found>, message| Row {
            file: &self.file,
            well_formed: self.well_formed,
            layout: self.layout,
            code: found.map(|found| found.code),
            severity: match (found, &self.error) {
                (Some(found), _) => Some(found.severity.name()),
                (None, Some(_)) => Some("malformed"),
                (None, None) => None,
            },
            count: found.map(|found| found.count),
            start_s: found.and_then(|found| found.start),
            end_s: found.and_then(|found| found.end),
            message,
        };
        let findings = self.findings.iter().map(|found| {
            let message = format!("{}: {}", found.title, found.detail);
            row(Some(found), message)
        });
        match &self.error {
            Some(fault) => vec![row(None, fault.message.clone())],
            None if self.findings.is_empty() => vec![row(None, String::new())],
            None => findings.collect(),
        }
    }
}

fn print(output: &mut impl Write, checked: &Checked) -> anyhow::Result<()> {
    let file = &checked.file;
    match &checked.error {
        None => {
            let layout = checked.layout.unwrap_or_default();
            writeln!(
                output,
                "{}  {file}: well formed, {layout}",
                paint(GOOD, "ok ")
            )?;
        }
        Some(fault) => {
            writeln!(output, "{}  {file}", paint(BAD, "bad"))?;
            print_fault(output, fault, "     ")?;
        }
    }
    print_findings(output, &checked.findings, "     ")
}
