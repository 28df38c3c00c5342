//! `inputanim check`

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use inputanim::doctor::{self, Finding, Severity};
use inputanim::{Limits, ParseError};
use serde::{Serialize, Serializer};

use crate::diagnostics::hint_of;
use crate::format::{Format, Rows};
use crate::input::{Files, Input};
use crate::outcome::Outcome;
use crate::progress;

use crate::style::{BAD, DIM, GOOD, paint, severity};
use crate::text::{count, wrapped};

/// Say whether recordings are well formed, and list everything that is found in them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Exit code 0 when every file is well formed, whatever was found in it, else 1.

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

/// Why it is not well formed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Fault {
    /// `null` where the file could not even be opened, or is no such JSON.
    kind: Option<&'static str>,
    pub(super) message: String,
    pub(super) part: Option<String>,
    pub(super) offset: Option<u64>,
    pub(super) hint: Option<String>,
    /// The other layouts that the file was read as.
    also_tried: Vec<Tried>,
}

/// Where a layout stopped.
#[derive(Serialize)]
struct Tried {
    layout: &'static str,
    part: String,
    offset: u64,
}

/// A finding in a form that programs like.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Found {
    pub(super) code: &'static str,
    #[serde(serialize_with = "severity_name")]
    pub(super) severity: Severity,
    pub(super) title: &'static str,
    pub(super) detail: String,
    pub(super) count: u64,
    pub(super) start: Option<f32>,
    pub(super) end: Option<f32>,
    pub(super) curves: Vec<String>,
}

fn severity_name<S: Serializer>(severity: &Severity, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

impl From<&Finding> for Found {
    fn from(finding: &Finding) -> Found {
        Found {
            code: finding.code.id(),
            severity: finding.severity(),
            title: finding.code.title(),
            detail: finding.detail.clone(),
            count: finding.count,
            start: finding.span.map(|span| span.start),
            end: finding.span.map(|span| span.end),
            curves: finding.curves.iter().map(ToString::to_string).collect(),
        }
    }
}

impl From<&ParseError> for Fault {
    fn from(error: &ParseError) -> Fault {
        Fault {
            message: error.to_string(),
            part: Some(error.part().to_string()),
            offset: Some(error.offset()),
            kind: Some(error.kind().name()),
            hint: Some(hint_of(error)),
            also_tried: error
                .also_tried()
                .iter()
                .map(|tried| Tried {
                    layout: tried.layout.name(),
                    part: tried.part.to_string(),
                    offset: tried.offset,
                })
                .collect(),
        }
    }
}

impl From<&anyhow::Error> for Fault {
    fn from(error: &anyhow::Error) -> Fault {
        match error.downcast_ref::<ParseError>() {
            Some(error) => error.into(),
            None => Fault {
                kind: None,
                message: causes(error),
                part: None,
                offset: None,
                hint: None,
                also_tried: Vec::new(),
            },
        }
    }
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

/// What went wrong without the name of the file, which stands beside it anyway.
fn causes(error: &anyhow::Error) -> String {
    let causes = error.chain().map(ToString::to_string);
    let skip = usize::from(error.chain().len() > 1);
    causes.skip(skip).collect::<Vec<_>>().join(": ")
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
            writeln!(output, "{}", wrapped("     ", 5, &fault.message))?;
            if let Some(hint) = &fault.hint {
                let label = format!("     {} ", paint(DIM, "hint:"));
                writeln!(output, "{}", wrapped(&label, 11, hint))?;
            }
        }
    }
    print_findings(output, &checked.findings, "     ")
}

/// A code and a title, then the particulars.
pub(super) fn print_findings(
    output: &mut impl Write,
    findings: &[Found],
    indent: &str,
) -> anyhow::Result<()> {
    for found in findings {
        let label = format!("{:<3} {:<7}", found.code, found.severity);
        let label = format!("{indent}{}  ", paint(severity(found.severity), label));
        let width = indent.len() + 13;
        writeln!(output, "{}", wrapped(&label, width, found.title))?;
        writeln!(
            output,
            "{}",
            wrapped(&" ".repeat(width), width, &found.detail)
        )?;
    }
    Ok(())
}
