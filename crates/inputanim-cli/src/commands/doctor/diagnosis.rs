//! What `doctor` says of one file, in a form that programs like.

use std::path::Path;

use inputanim::doctor::{self, Code, Severity};
use inputanim::summary::Summary;
use inputanim::{Limits, ParseError, ParseErrorKind, Recovery};
use serde::Serialize;

use super::next;
use crate::found::{Fault, Found};
use crate::input::Input;
use crate::text;

/// One file. Times are seconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnosis {
    pub(super) file: String,
    pub(super) healthy: bool,
    pub(super) well_formed: bool,
    layout: Option<&'static str>,
    pub(super) error: Option<Fault>,
    /// What is not there because of it.
    missing: Vec<String>,
    /// The same for people.
    #[serde(skip)]
    pub(super) missing_lines: Vec<String>,
    /// Of a file that is not well formed, what is found in what is whole.
    pub(super) findings: Vec<Diagnosed>,
    /// What to run next; each by itself.
    pub(super) next: Vec<String>,
}

/// A finding with what it means and what can be done.
#[derive(Serialize)]
pub(super) struct Diagnosed {
    #[serde(flatten)]
    pub(super) found: Found,
    pub(super) meaning: &'static str,
    remedy: &'static str,
    pub(super) advice: &'static str,
    /// What to run.
    command: Option<String>,
}

impl Diagnosis {
    pub(super) fn of(path: &Path, limits: &Limits, strict: bool) -> Diagnosis {
        let looked = Input::open(path, limits).and_then(|input| {
            let recovery = input.recover(limits)?;
            Ok(Diagnosis::of_recovery(path, &recovery))
        });
        let mut diagnosis = looked.unwrap_or_else(|error| Diagnosis::of_error(path, &error));
        let worst = diagnosis.severities().max();
        let allowed = (!strict).then_some(Severity::Note);
        diagnosis.healthy = diagnosis.well_formed && worst <= allowed;
        diagnosis
    }

    fn of_recovery(path: &Path, recovery: &Recovery<'_>) -> Diagnosis {
        let summary = Summary::of(&recovery.recording);
        let mut findings = Vec::new();
        if let Some(error) = &recovery.error {
            findings.extend(fault(path, error));
        }
        for finding in doctor::examine_recovery(recovery, &summary) {
            let command = match recovery.is_whole() {
                true => next::command(path, finding.code),
                // First comes what makes it whole.
                false => None,
            };
            findings.push(Diagnosed::new(finding.code, Found::from(&finding), command));
        }
        Diagnosis {
            layout: Some(summary.layout.name()),
            missing: recovery.missing.iter().map(ToString::to_string).collect(),
            missing_lines: text::missing(&recovery.missing),
            ..Diagnosis::with(path, recovery.error.as_ref().map(Fault::from), findings)
        }
        .with_recover(path, recovery.error.as_ref())
    }

    /// Nothing can be said but why.
    fn of_error(path: &Path, error: &anyhow::Error) -> Diagnosis {
        let parse = error.downcast_ref::<ParseError>();
        let findings = parse.and_then(|error| fault(path, error));
        Diagnosis::with(path, Some(Fault::from(error)), Vec::from_iter(findings))
            .with_recover(path, parse)
    }

    fn with(path: &Path, error: Option<Fault>, findings: Vec<Diagnosed>) -> Diagnosis {
        let mut next: Vec<String> = Vec::new();
        for command in findings.iter().filter_map(|found| found.command.as_ref()) {
            if !next.contains(command) {
                next.push(command.clone());
            }
        }
        Diagnosis {
            file: path.display().to_string(),
            healthy: false,
            well_formed: error.is_none(),
            layout: None,
            error,
            missing: Vec::new(),
            missing_lines: Vec::new(),
            findings,
            next,
        }
    }

    /// `recover` helps also where the fault has no code, and makes recordings of sessions.
    fn with_recover(mut self, path: &Path, error: Option<&ParseError>) -> Diagnosis {
        let helps =
            |error: &ParseError| error.is_recoverable() || error.kind() == ParseErrorKind::Session;
        if error.is_some_and(helps) {
            self.next = vec![next::recover(path)];
        }
        self
    }

    fn severities(&self) -> impl Iterator<Item = Severity> + '_ {
        self.findings.iter().map(|finding| finding.found.severity)
    }

    /// The codes of one severity, each once, such as `D1 D3`.
    pub(super) fn codes(&self, severity: Severity) -> Option<String> {
        let findings = self.findings.iter().map(|finding| &finding.found);
        let codes = findings.filter(|found| found.severity == severity);
        let mut codes: Vec<&str> = codes.map(|found| found.code).collect();
        codes.dedup();
        (!codes.is_empty()).then(|| codes.join(" "))
    }

    /// A row for each finding; a file without any has one that names none.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let file = || Row {
            file: &self.file,
            healthy: self.healthy,
            well_formed: self.well_formed,
            layout: self.layout,
            ..Row::default()
        };
        let mut rows: Vec<Row<'_>> = self
            .findings
            .iter()
            .map(|finding| Row {
                code: Some(finding.found.code),
                severity: Some(finding.found.severity.name()),
                count: Some(finding.found.count),
                start_s: finding.found.start,
                end_s: finding.found.end,
                message: format!("{}: {}", finding.found.title, finding.found.detail),
                meaning: Some(finding.meaning),
                remedy: Some(finding.remedy),
                advice: Some(finding.advice),
                command: finding.command.as_deref(),
                ..file()
            })
            .collect();
        match &self.error {
            // A fault without a code comes first, as those with one do.
            Some(fault) if fault.code.is_none() => rows.insert(
                0,
                Row {
                    severity: Some("malformed"),
                    message: fault.message.clone(),
                    command: self.next.first().map(String::as_str),
                    ..file()
                },
            ),
            _ if rows.is_empty() => rows.push(file()),
            _ => {}
        }
        rows
    }
}

impl Diagnosed {
    fn new(code: Code, found: Found, command: Option<String>) -> Diagnosed {
        Diagnosed {
            found,
            meaning: code.meaning(),
            remedy: code.remedy().name(),
            advice: code.advice(),
            command,
        }
    }
}

/// A fault that has a code is a finding too.
fn fault(path: &Path, error: &ParseError) -> Option<Diagnosed> {
    let code = Code::of_error(error.kind())?;
    let command = error.is_recoverable().then(|| next::recover(path));
    Some(Diagnosed::new(code, Found::of_fault(code, error), command))
}

/// A finding in one row of a table.
#[derive(Default, Serialize)]
pub(super) struct Row<'r> {
    file: &'r str,
    healthy: bool,
    well_formed: bool,
    layout: Option<&'static str>,
    code: Option<&'static str>,
    severity: Option<&'static str>,
    count: Option<u64>,
    start_s: Option<f32>,
    end_s: Option<f32>,
    message: String,
    meaning: Option<&'static str>,
    remedy: Option<&'static str>,
    advice: Option<&'static str>,
    command: Option<&'r str>,
}
