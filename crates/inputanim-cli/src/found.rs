//! What is found in a file, and why one is not well formed, for people and for programs.

use std::io::Write;

use inputanim::ParseError;
use inputanim::doctor::{Code, Finding, Severity};
use serde::{Serialize, Serializer};

use crate::diagnostics::hint_of;
use crate::style::{DIM, paint, severity};
use crate::text::wrapped;

/// Why it is not well formed.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Fault {
    /// `null` where the file could not even be opened, or is no such JSON.
    pub(crate) kind: Option<&'static str>,
    /// The code of the finding that it is, if it is one.
    #[serde(skip)]
    pub(crate) code: Option<&'static str>,
    pub(crate) message: String,
    pub(crate) part: Option<String>,
    pub(crate) offset: Option<u64>,
    pub(crate) hint: Option<String>,
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
pub(crate) struct Found {
    pub(crate) code: &'static str,
    #[serde(serialize_with = "severity_name")]
    pub(crate) severity: Severity,
    pub(crate) title: &'static str,
    pub(crate) detail: String,
    pub(crate) count: u64,
    pub(crate) start: Option<f32>,
    pub(crate) end: Option<f32>,
    pub(crate) curves: Vec<String>,
}

pub(crate) fn severity_name<S: Serializer>(
    severity: &Severity,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.serialize_str(severity.name())
}

impl Found {
    /// A fault that has a code, as a finding.
    pub(crate) fn of_fault(code: Code, error: &ParseError) -> Found {
        Found {
            code: code.id(),
            severity: code.severity(),
            title: code.title(),
            detail: error.to_string(),
            count: 1,
            start: None,
            end: None,
            curves: error.path().iter().map(ToString::to_string).collect(),
        }
    }
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
            code: Code::of_error(error.kind()).map(Code::id),
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
                code: None,
                message: causes(error),
                part: None,
                offset: None,
                hint: None,
                also_tried: Vec::new(),
            },
        }
    }
}

/// What went wrong without the name of the file, which stands beside it anyway.
fn causes(error: &anyhow::Error) -> String {
    let causes = error.chain().map(ToString::to_string);
    let skip = usize::from(error.chain().len() > 1);
    causes.skip(skip).collect::<Vec<_>>().join(": ")
}

/// What is wrong, and what to do about it.
pub(crate) fn print_fault(
    output: &mut impl Write,
    fault: &Fault,
    indent: &str,
) -> anyhow::Result<()> {
    let width = indent.len();
    writeln!(output, "{}", wrapped(indent, width, &fault.message))?;
    if let Some(hint) = &fault.hint {
        let label = format!("{indent}{} ", paint(DIM, "hint:"));
        writeln!(output, "{}", wrapped(&label, width + 6, hint))?;
    }
    Ok(())
}

/// A code and a title, then the particulars.
pub(crate) fn print_finding(
    output: &mut impl Write,
    found: &Found,
    indent: &str,
) -> anyhow::Result<()> {
    let label = format!("{:<3} {:<7}", found.code, found.severity);
    let label = format!("{indent}{}  ", paint(severity(found.severity), label));
    let width = indent.len() + 13;
    writeln!(output, "{}", wrapped(&label, width, found.title))?;
    let detail = wrapped(&" ".repeat(width), width, &found.detail);
    Ok(writeln!(output, "{detail}")?)
}

pub(crate) fn print_findings(
    output: &mut impl Write,
    findings: &[Found],
    indent: &str,
) -> anyhow::Result<()> {
    let mut findings = findings.iter();
    findings.try_for_each(|found| print_finding(output, found, indent))
}
