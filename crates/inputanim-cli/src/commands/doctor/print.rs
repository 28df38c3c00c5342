//! The result of `doctor` for one file, for people.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

use inputanim::DamagedPart;
use inputanim::doctor::{Code, Finding, Remedy, Severity};

use super::Args;
use super::diagnosis::Diagnosis;
use super::explain;
use crate::messages::findings::{CommonHints, FileError, print_file_error, print_finding};
use crate::messages::style::{BAD, BOLD, DIM, GOOD, WARN, paint};
use crate::messages::text::{count, printable, wrapped};

/// The number of curves that are listed without --all-curves.
const LISTED: usize = 3;

const INDENT: &str = "     ";

/// Explanations that several files have in common. They are printed once, below the files.
#[derive(Default)]
pub(super) struct Common {
    /// The codes of findings, with the number of files.
    codes: BTreeMap<Code, usize>,
    hints: CommonHints,
}

impl Common {
    pub(super) fn print(&self, output: &mut impl Write) -> anyhow::Result<()> {
        if !self.codes.is_empty() {
            writeln!(output)?;
        }
        for (&code, &files) in &self.codes {
            explain::print_effect(output, code, &format!("in {}", count(files, "file")))?;
        }
        self.hints.print(output)
    }
}

/// Prints the result for one file. If there are several files, `common` collects their codes and shared hints, to be
/// explained once below all files. `None` prints them with this file.
pub(super) fn diagnosis(
    output: &mut impl Write,
    diagnosis: &Diagnosis,
    mut common: Option<&mut Common>,
    options: &Args,
) -> anyhow::Result<()> {
    let mark = if diagnosis.healthy {
        paint(GOOD, "ok ")
    } else {
        paint(BAD, "bad")
    };
    let file = printable(&diagnosis.file);
    writeln!(output, "{mark}  {file}: {}", verdict(diagnosis))?;
    if options.brief {
        return Ok(());
    }
    let error_code = diagnosis.error.as_ref().and_then(FileError::code);
    if let Some(error) = diagnosis.error.as_ref().filter(|_| error_code.is_none()) {
        let hints = common.as_mut().map(|common| &mut common.hints);
        print_file_error(output, error, hints, INDENT)?;
        missing(output, diagnosis)?;
    }
    if let Some(common) = &mut common {
        let codes = diagnosis.findings.iter().map(|found| found.finding.code);
        for code in codes.collect::<BTreeSet<_>>() {
            *common.codes.entry(code).or_default() += 1;
        }
    }
    for (index, found) in diagnosis.findings.iter().enumerate() {
        print_finding(output, &found.finding, INDENT)?;
        // An error with a code is printed as a finding. Its missing parts belong below it.
        if error_code == Some(found.finding.code) {
            missing(output, diagnosis)?;
        }
        curves(output, &found.finding, options.all_curves)?;
        times(output, &found.finding)?;
        // Findings with one code are neighbours, and share the explanation.
        let next = diagnosis.findings.get(index + 1);
        let is_last = next.is_none_or(|next| next.finding.code != found.finding.code);
        if common.is_none() && is_last {
            line(output, "effect", found.meaning)?;
            line(output, "remedy", &found.advice)?;
        }
    }
    for (index, command) in diagnosis.next.iter().enumerate() {
        let label = if index == 0 { "next" } else { "or" };
        // Commands are not wrapped, so that they can be copied.
        let label = paint(BOLD, format_args!("{label:<13}"));
        writeln!(output, "{INDENT}{label}{command}")?;
        if let Some(effect) = effect(diagnosis, command) {
            writeln!(output, "{INDENT}{:13}{effect}", "")?;
        }
    }
    Ok(())
}

/// Describes what a command changes, and which damage it leaves: `repairs D1 and cuts off the last 0.500 s`. `None` if
/// no finding has a command for a repair or cut.
fn effect(diagnosis: &Diagnosis, command: &str) -> Option<String> {
    let with_remedy = |remedy: Remedy| {
        let found = diagnosis.findings.iter();
        found.filter(move |found| found.command.is_some() && found.finding.code.remedy() == remedy)
    };
    let repaired = Finding::codes(with_remedy(Remedy::Repair).map(|found| &found.finding));
    let mut effects = Vec::new();
    if !repaired.is_empty() {
        effects.push(format!("repairs {repaired}"));
    }
    let mut tails = with_remedy(Remedy::Trim).peekable();
    let has_tail = tails.peek().is_some();
    if tails
        .clone()
        .any(|found| found.command.as_deref() == Some(command))
    {
        let lengths = tails.filter_map(|found| Some(found.finding.range()?.length()));
        let seconds = lengths.fold(0.0, f32::max);
        effects.push(format!("cuts off the last {seconds:.3} s"));
    } else if has_tail {
        effects.push("keeps the frozen end (exit code 3)".to_owned());
    }
    (!effects.is_empty()).then(|| effects.join(" and "))
}

/// Formats the result for a file in one line: healthy or not, then the codes of the findings by severity.
fn verdict(diagnosis: &Diagnosis) -> String {
    let first = match &diagnosis.error {
        None if diagnosis.healthy => "healthy",
        None => "not healthy",
        Some(error) => error.verdict(),
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
    for line in DamagedPart::list(&diagnosis.missing) {
        let label = format!("{:9}{}  ", "", paint(WARN, "missing"));
        writeln!(output, "{}", wrapped(&label, 18, &line))?;
    }
    Ok(())
}

/// Prints the names of the curves of a finding, at most [`LISTED`] unless `all` is true. A single curve is already
/// named in the detail of the finding, and is not printed.
fn curves(output: &mut impl Write, finding: &Finding, all: bool) -> anyhow::Result<()> {
    let curves = &finding.curves;
    if curves.len() < 2 {
        return Ok(());
    }
    let listed = if all { curves.len() } else { LISTED };
    let names: Vec<String> = curves
        .iter()
        .take(listed)
        .map(ToString::to_string)
        .collect();
    let mut text = names.join(", ");
    if let Some(more @ 1..) = curves.len().checked_sub(listed) {
        text.push_str(&format!(
            " and {} (--all-curves)",
            count(more, "more curve")
        ));
    }
    line(output, "curves", &text)
}

/// Prints the times of a finding that occurs at several times. The detail of the finding has only the first and the
/// last.
fn times(output: &mut impl Write, finding: &Finding) -> anyhow::Result<()> {
    const LISTED: usize = 5;
    let ranges = &finding.ranges;
    if ranges.len() < 2 {
        return Ok(());
    }
    let texts = ranges.iter().take(LISTED).map(|range| {
        if range.start < range.end {
            format!("{:.3}–{:.3} s", range.start, range.end)
        } else {
            format!("{:.3} s", range.start)
        }
    });
    let mut text = texts.collect::<Vec<_>>().join(", ");
    if let Some(more @ 1..) = ranges.len().checked_sub(LISTED) {
        text.push_str(&format!(
            " and {} (--format json)",
            count(more, "more time")
        ));
    }
    line(output, "times", &text)
}

fn line(output: &mut impl Write, label: &str, text: &str) -> anyhow::Result<()> {
    let label = format!("{:9}{}  ", "", paint(DIM, format_args!("{label:<7}")));
    Ok(writeln!(output, "{}", wrapped(&label, 18, text))?)
}
