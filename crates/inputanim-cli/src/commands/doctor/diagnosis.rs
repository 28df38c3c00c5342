//! The result of `doctor` for one file: as JSON and as rows of CSV.

use std::path::Path;

use inputanim::doctor::{self, Code, Finding, Remedy, Severity};
use inputanim::info::Info;
use inputanim::{DamagedPart, Layout, Limits, ParseError, ParseErrorKind, RecoveredRecording};
use serde::Serialize;

use crate::files::input::{FromArgs, Input};
use crate::messages::findings::{self, FileError, FindingRow};
use crate::messages::hints;

/// One file. Times are seconds.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Diagnosis {
    pub(super) file: String,
    pub(super) healthy: bool,
    pub(super) well_formed: bool,
    layout: Option<Layout>,
    pub(super) error: Option<FileError>,
    /// The parts that are missing because of the error.
    pub(super) missing: Vec<DamagedPart>,
    /// Findings in the file, or in the intact part of one that is not well formed.
    pub(super) findings: Vec<Diagnosed>,
    /// Commands to run next; each is an alternative.
    pub(super) next: Vec<String>,
}

/// A finding with its explanation.
#[derive(Serialize)]
pub(super) struct Diagnosed {
    #[serde(flatten)]
    pub(super) finding: Finding,
    pub(super) meaning: &'static str,
    remedy: Remedy,
    pub(super) advice: String,
    /// The command that removes the cause.
    pub(super) command: Option<String>,
}

impl Diagnosis {
    pub(super) fn new(path: &Path, from: FromArgs, limits: &Limits, strict: bool) -> Diagnosis {
        let recovered = Input::open_as(path, from, limits).and_then(|input| {
            let recovery = input.recover(limits)?;
            let mut diagnosis = Diagnosis::of_recovery(path, &recovery);
            if let Some(damage) = input.damage() {
                diagnosis.well_formed = false;
                diagnosis.error = Some(FileError::damaged(damage, path));
                // The file must be recovered before anything else, and then examined again.
                for found in &mut diagnosis.findings {
                    found.command = None;
                }
                diagnosis.next = vec![hints::recover(Some(path))];
            }
            Ok(diagnosis)
        });
        let mut diagnosis = recovered.unwrap_or_else(|error| Diagnosis::of_error(path, &error));
        let findings = diagnosis.findings.iter();
        let worst = findings.map(|found| found.finding.severity()).max();
        // `None` is less than every severity, so a file without findings passes in both cases.
        let allowed = (!strict).then_some(Severity::Note);
        diagnosis.healthy = diagnosis.well_formed && worst <= allowed;
        diagnosis
    }

    fn of_recovery(path: &Path, recovery: &RecoveredRecording<'_>) -> Diagnosis {
        let info = Info::of(&recovery.recording);
        let error = recovery.error.as_ref();
        let findings = doctor::findings_of_recovery(recovery, &info).into_iter();
        let findings = findings.map(|finding| match error {
            None => {
                let command = hints::of_finding(&finding, path);
                Diagnosed::new(finding, command)
            }
            // A file that is not well formed must be recovered before anything else.
            Some(error) => Diagnosed::of_malformed(finding, error, path),
        });
        let findings = findings.collect();
        Diagnosis {
            layout: Some(info.layout),
            error: error.map(|error| FileError::malformed(error, path)),
            missing: recovery.damaged.clone(),
            ..Diagnosis::with_findings(path, findings, error)
        }
    }

    /// Returns the diagnosis of a file that cannot be read at all, with the error as its finding if it has a code.
    fn of_error(path: &Path, error: &anyhow::Error) -> Diagnosis {
        let parse = findings::parse_error(error);
        let findings = parse.and_then(|error| {
            let finding = Finding::from_error(error)?;
            Some(Diagnosed::of_malformed(finding, error, path))
        });
        Diagnosis {
            well_formed: false,
            error: Some(FileError::new(error, path)),
            ..Diagnosis::with_findings(path, Vec::from_iter(findings), parse)
        }
    }

    fn with_findings(
        path: &Path,
        findings: Vec<Diagnosed>,
        error: Option<&ParseError>,
    ) -> Diagnosis {
        let can_recover =
            |error: &ParseError| error.is_recoverable() || error.kind() == ParseErrorKind::Session;
        let mut next: Vec<String> = Vec::new();
        // Findings are about the intact part. After a recovery the doctor has to look again.
        if error.is_some_and(can_recover) {
            next.push(hints::recover(Some(path)));
        } else {
            for command in findings.iter().filter_map(|found| found.command.as_ref()) {
                if !next.contains(command) {
                    next.push(command.clone());
                }
            }
        }
        Diagnosis {
            file: path.display().to_string(),
            healthy: false,
            well_formed: error.is_none(),
            layout: None,
            error: None,
            missing: Vec::new(),
            findings,
            next,
        }
    }

    /// Returns the codes of the findings of one severity, each once, such as `D1 D3`. `None` if there are no such
    /// findings.
    pub(super) fn codes(&self, severity: Severity) -> Option<String> {
        let findings = self.findings.iter().map(|found| &found.finding);
        let codes = Finding::codes(findings.filter(|finding| finding.severity() == severity));
        (!codes.is_empty()).then_some(codes)
    }

    /// Returns a row for each finding, or one row for a file without findings.
    pub(super) fn rows(&self) -> Vec<(FileRow<'_>, FindingRow, AdviceRow<'_>)> {
        let file = FileRow {
            file: &self.file,
            healthy: self.healthy,
            well_formed: self.well_formed,
            layout: self.layout,
        };
        let mut rows = Vec::new();
        // An error with a code is already one of the findings.
        if let Some(error) = self.error.as_ref().filter(|error| error.code().is_none()) {
            let advice = AdviceRow {
                command: self.next.first().map(String::as_str),
                ..AdviceRow::default()
            };
            rows.push((file, FindingRow::from(error), advice));
        }
        for found in &self.findings {
            let advice = AdviceRow {
                meaning: Some(found.meaning),
                remedy: Some(found.remedy),
                advice: Some(&found.advice),
                command: found.command.as_deref(),
            };
            rows.push((file, FindingRow::from(&found.finding), advice));
        }
        if rows.is_empty() {
            rows.push((file, FindingRow::default(), AdviceRow::default()));
        }
        rows
    }
}

impl Diagnosed {
    fn new(finding: Finding, command: Option<String>) -> Diagnosed {
        let code: Code = finding.code;
        Diagnosed {
            finding,
            meaning: code.meaning(),
            remedy: code.remedy(),
            advice: hints::advice(code),
            command,
        }
    }

    /// Explains a finding in a file that is not well formed. The explanation has a command only if the finding is the
    /// parser's `error` and the intact parts can be recovered.
    fn of_malformed(finding: Finding, error: &ParseError, path: &Path) -> Diagnosed {
        let is_error = Code::of_error(error.kind()) == Some(finding.code);
        let can_recover = is_error && error.is_recoverable();
        Diagnosed::new(finding, can_recover.then(|| hints::recover(Some(path))))
    }
}

/// The columns of a file in CSV.
#[derive(Clone, Copy, Serialize)]
pub(super) struct FileRow<'r> {
    file: &'r str,
    healthy: bool,
    well_formed: bool,
    layout: Option<Layout>,
}

/// The columns of an explanation in CSV.
#[derive(Default, Serialize)]
pub(super) struct AdviceRow<'r> {
    meaning: Option<&'static str>,
    remedy: Option<Remedy>,
    advice: Option<&'r str>,
    command: Option<&'r str>,
}
