//! Findings and unreadable files: as JSON, as rows of CSV and for people.

use std::io::Write;
use std::path::Path;

use inputanim::ParseError;
use inputanim::doctor::{Code, Finding, Remedy, Severity};
use serde::Serialize;

use crate::messages::hints;
use crate::messages::style::{DIM, paint, severity};
use crate::messages::text::{count, wrapped};

/// The reason why a file is not well formed, or cannot be read at all.
#[derive(Serialize)]
pub(crate) struct FileError {
    #[serde(flatten)]
    cause: Cause,
    hint: Option<String>,
}

// Untagged, so that the members of a parse error stand beside `hint` and not one level deeper
// (docs/json.md).
#[derive(Serialize)]
#[serde(untagged)]
enum Cause {
    Malformed(ParseError),
    /// Damage in a file of another format, of which the intact parts were read.
    Damaged {
        message: String,
    },
    /// A file that is not a recording in any format that is read.
    Foreign {
        kind: &'static str,
        message: String,
    },
    /// A file that cannot be opened, or that has another format.
    Unreadable {
        message: String,
    },
}

impl FileError {
    pub(crate) fn new(error: &anyhow::Error, path: &Path) -> FileError {
        if let Some(error) = parse_error(error) {
            return FileError::malformed(error, path);
        }
        let hints = hints::of_error(error);
        let message = causes(error);
        let converted = error.downcast_ref::<inputanim_convert::Error>();
        FileError {
            cause: match converted.and_then(inputanim_convert::Error::kind_name) {
                Some(kind) => Cause::Foreign { kind, message },
                None => Cause::Unreadable { message },
            },
            hint: hints.into_iter().next(),
        }
    }

    /// Creates the error of a damaged file of another format than .bin, of which the intact parts were read. `damage`
    /// describes the damage.
    pub(crate) fn damaged(damage: &str, path: &Path) -> FileError {
        FileError {
            cause: Cause::Damaged {
                message: damage.to_owned(),
            },
            hint: Some(hints::of_damaged_file(path)),
        }
    }

    pub(crate) fn malformed(error: &ParseError, path: &Path) -> FileError {
        FileError {
            hint: Some(hints::of_parse_error(error, Some(path))),
            cause: Cause::Malformed(error.clone()),
        }
    }

    pub(crate) fn message(&self) -> String {
        match &self.cause {
            Cause::Malformed(error) => error.to_string(),
            Cause::Damaged { message }
            | Cause::Foreign { message, .. }
            | Cause::Unreadable { message } => message.clone(),
        }
    }

    /// Returns the result for the file in a few words: `not well formed` or `cannot be read`.
    pub(crate) fn verdict(&self) -> &'static str {
        match &self.cause {
            Cause::Malformed(_) | Cause::Damaged { .. } => "not well formed",
            Cause::Foreign { .. } | Cause::Unreadable { .. } => "cannot be read",
        }
    }

    /// Returns the error of the parser of .bin files. `None` if the file has another format or could not be opened.
    pub(crate) fn parse_error(&self) -> Option<&ParseError> {
        match &self.cause {
            Cause::Malformed(error) => Some(error),
            Cause::Damaged { .. } | Cause::Foreign { .. } | Cause::Unreadable { .. } => None,
        }
    }

    /// Returns `true` if the file is not well formed, or no recording at all.
    pub(crate) fn is_malformed(&self) -> bool {
        matches!(&self.cause, Cause::Malformed(_) | Cause::Foreign { .. })
    }

    /// Returns the code under which the error is one of the findings of the file; `None` if it is not.
    pub(crate) fn code(&self) -> Option<Code> {
        self.parse_error()
            .and_then(|error| Code::of_error(error.kind()))
    }
}

/// Returns the error of the parser of .bin files, if it is the cause of an error.
pub(crate) fn parse_error(error: &anyhow::Error) -> Option<&ParseError> {
    // Recordings are read by the conversion library, which wraps the error of the parser.
    let converted = || match error.downcast_ref::<inputanim_convert::Error>()? {
        inputanim_convert::Error::Parse(error) => Some(error),
        _ => None,
    };
    error.downcast_ref::<ParseError>().or_else(converted)
}

/// Returns the messages of an error and its causes, without the name of the file, which is printed beside it.
fn causes(error: &anyhow::Error) -> String {
    let causes = error.chain().map(ToString::to_string);
    // The outermost of several messages is the context with the name of the file.
    let skip = usize::from(error.chain().len() > 1);
    causes.skip(skip).collect::<Vec<_>>().join(": ")
}

/// The columns of a finding in CSV; all are empty for a file without findings.
#[derive(Default, Serialize)]
pub(crate) struct FindingRow {
    code: Option<Code>,
    severity: Option<&'static str>,
    count: Option<u64>,
    start_s: Option<f32>,
    end_s: Option<f32>,
    message: String,
}

impl From<&Finding> for FindingRow {
    fn from(finding: &Finding) -> FindingRow {
        FindingRow {
            code: Some(finding.code),
            severity: Some(finding.severity().name()),
            count: Some(finding.count),
            start_s: finding.range().map(|range| range.start),
            end_s: finding.range().map(|range| range.end),
            message: finding.message(),
        }
    }
}

impl From<&FileError> for FindingRow {
    fn from(error: &FileError) -> FindingRow {
        FindingRow {
            severity: Some("malformed"),
            message: error.message(),
            ..FindingRow::default()
        }
    }
}

/// Hints that several files have in common, each with the number of files.
#[derive(Default)]
pub(crate) struct CommonHints(Vec<(String, usize)>);

impl CommonHints {
    fn add(&mut self, hint: &str) {
        match self.0.iter_mut().find(|(known, _)| known == hint) {
            Some((_, files)) => *files += 1,
            None => self.0.push((hint.to_owned(), 1)),
        }
    }

    /// Prints each hint once, with the number of files that have it.
    pub(crate) fn print(&self, output: &mut impl Write) -> anyhow::Result<()> {
        for (hint, files) in &self.0 {
            print_hint(output, &format!("{hint} ({})", count(*files, "file")), "")?;
        }
        Ok(())
    }
}

/// Prints why a file cannot be read, and a hint. A hint without a command, which is not about this file
/// alone, is added to `common`.
pub(crate) fn print_file_error(
    output: &mut impl Write,
    error: &FileError,
    common: Option<&mut CommonHints>,
    indent: &str,
) -> anyhow::Result<()> {
    let message = error.message();
    writeln!(output, "{}", wrapped(indent, indent.len(), &message))?;
    match (&error.hint, common) {
        (None, _) => Ok(()),
        (Some(hint), Some(common)) if !hint.contains('`') => {
            common.add(hint);
            Ok(())
        }
        (Some(hint), _) => print_hint(output, hint, indent),
    }
}

fn print_hint(output: &mut impl Write, hint: &str, indent: &str) -> anyhow::Result<()> {
    let label = format!("{indent}{} ", paint(DIM, "hint:"));
    // A command in a hint is not wrapped, so that it can be copied.
    if hint.contains('`') {
        writeln!(output, "{label}{hint}")?;
    } else {
        writeln!(output, "{}", wrapped(&label, indent.len() + 6, hint))?;
    }
    Ok(())
}

/// Prints a finding: its code, severity and title, then its detail.
pub(crate) fn print_finding(
    output: &mut impl Write,
    finding: &Finding,
    indent: &str,
) -> anyhow::Result<()> {
    let label = format!("{:<3} {:<7}", finding.code.id(), finding.severity());
    let label = format!("{indent}{}  ", paint(severity(finding.severity()), label));
    // A code has at most 3 characters and a severity 7. A space and two more separate the columns.
    let width = indent.len() + 13;
    let title = wrapped(&label, width, finding.code.title());
    let detail = wrapped(&" ".repeat(width), width, &finding.detail);
    Ok(writeln!(output, "{title}\n{detail}")?)
}

pub(crate) fn print_findings(
    output: &mut impl Write,
    findings: &[Finding],
    indent: &str,
) -> anyhow::Result<()> {
    let mut findings = findings.iter();
    findings.try_for_each(|finding| print_finding(output, finding, indent))
}

/// Prints the commands that explain and repair findings worse than a note. `doctor` is the command that explains them;
/// `None` omits it.
pub(crate) fn print_next_steps(
    output: &mut impl Write,
    findings: &[Finding],
    path: &Path,
    doctor: Option<&str>,
    indent: &str,
) -> anyhow::Result<()> {
    let severe = || {
        let findings = findings.iter();
        findings.filter(|finding| finding.severity() > Severity::Note)
    };
    if severe().next().is_none() {
        return Ok(());
    }
    let label = paint(DIM, "hint:");
    if let Some(doctor) = doctor {
        writeln!(output, "{indent}{label} `{doctor}` explains the findings")?;
    }
    let repairable = severe().filter(|finding| finding.code.remedy() == Remedy::Repair);
    let codes = Finding::codes(repairable);
    if !codes.is_empty() {
        let repair = hints::repair(Some(path));
        let tails = severe().filter(|finding| finding.code.remedy() == Remedy::Trim);
        let remaining = match Finding::codes(tails) {
            tails if tails.is_empty() => String::new(),
            tails => format!("; {tails} remains (add --trim-frozen to cut off the frozen end)"),
        };
        writeln!(
            output,
            "{indent}{label} `{repair}` repairs {codes}{remaining}"
        )?;
    }
    Ok(())
}

/// Returns the most severe of some findings; `None` if there are none.
pub(crate) fn worst(findings: &[Finding]) -> Option<Severity> {
    findings.iter().map(Finding::severity).max()
}
