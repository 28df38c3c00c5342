//! What `doctor` says of one file, for people.

use std::io::Write;

use inputanim::doctor::Severity;

use super::diagnosis::{Diagnosed, Diagnosis};
use crate::found::{print_fault, print_finding};
use crate::style::{BAD, BOLD, DIM, GOOD, WARN, paint};
use crate::text::{count, printable, wrapped};

/// How many curves are listed; of more the first.
const LISTED: usize = 3;

const INDENT: &str = "     ";

pub(super) fn diagnosis(
    output: &mut impl Write,
    diagnosis: &Diagnosis,
    all_curves: bool,
) -> anyhow::Result<()> {
    let mark = match diagnosis.healthy {
        true => paint(GOOD, "ok "),
        false => paint(BAD, "bad"),
    };
    let file = printable(&diagnosis.file);
    writeln!(output, "{mark}  {file}: {}", verdict(diagnosis))?;
    match &diagnosis.error {
        Some(fault) if fault.code.is_none() => {
            print_fault(output, fault, INDENT)?;
            missing(output, diagnosis)?;
        }
        _ => {}
    }
    for finding in &diagnosis.findings {
        print_finding(output, &finding.found, INDENT)?;
        // Only a fault has no place in the recording, and something missing because of it.
        if diagnosis.error.as_ref().and_then(|fault| fault.code) == Some(finding.found.code) {
            missing(output, diagnosis)?;
        }
        curves(output, finding, all_curves)?;
        line(output, "played", finding.meaning)?;
        line(output, "remedy", finding.advice)?;
    }
    for (index, command) in diagnosis.next.iter().enumerate() {
        let label = if index == 0 { "next" } else { "or" };
        // Not wrapped, so that it can be copied.
        let label = paint(BOLD, format_args!("{label:<13}"));
        writeln!(output, "{INDENT}{label}{command}")?;
    }
    Ok(())
}

/// Healthy or not, and the codes by their severity.
fn verdict(diagnosis: &Diagnosis) -> String {
    let first = match &diagnosis.error {
        None if diagnosis.healthy => "healthy",
        None => "not healthy",
        Some(fault) if fault.kind.is_some() => "not well formed",
        Some(_) => "cannot be read",
    };
    let mut verdict = first.to_owned();
    for severity in [Severity::Damage, Severity::Warning, Severity::Note] {
        if let Some(codes) = diagnosis.codes(severity) {
            verdict.push_str(&format!(", {severity} {codes}"));
        }
    }
    verdict
}

fn missing(output: &mut impl Write, diagnosis: &Diagnosis) -> anyhow::Result<()> {
    for line in &diagnosis.missing_lines {
        let label = format!("{:9}{}  ", "", paint(WARN, "missing"));
        writeln!(output, "{}", wrapped(&label, 18, line))?;
    }
    Ok(())
}

/// The particulars name a single curve.
fn curves(output: &mut impl Write, finding: &Diagnosed, all: bool) -> anyhow::Result<()> {
    let curves = &finding.found.curves;
    let listed = if all { curves.len() } else { LISTED };
    let mut text = curves
        .iter()
        .take(listed)
        .cloned()
        .collect::<Vec<_>>()
        .join(", ");
    if let Some(more @ 1..) = curves.len().checked_sub(listed) {
        text.push_str(&format!(
            " and {} more (--all-curves)",
            count(more, "curve")
        ));
    }
    match curves.len() {
        0 | 1 => Ok(()),
        _ => line(output, "curves", &text),
    }
}

fn line(output: &mut impl Write, label: &str, text: &str) -> anyhow::Result<()> {
    let label = format!("{:9}{}  ", "", paint(DIM, format_args!("{label:<7}")));
    Ok(writeln!(output, "{}", wrapped(&label, 18, text))?)
}
