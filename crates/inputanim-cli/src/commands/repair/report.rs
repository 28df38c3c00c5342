//! The result of `repair`: as JSON and as rows of CSV. Times are seconds.

use inputanim::doctor::Code;
use inputanim::edit::ZeroRun;
use inputanim::repair::{CurveRepair, RepairReport};
use serde::Serialize;

use super::cut::Cut;
use crate::files::batch::Job;
use crate::results::report_format::Report;

/// One recording.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Repaired {
    pub(super) file: String,
    pub(super) output: String,
    pub(super) changed: bool,
    #[serde(flatten)]
    pub(super) report: RepairReport,
    /// The end that was cut off.
    pub(super) cut: Option<Cut>,
    /// The runs of zeros that are unknown now.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub(super) zeros: Vec<ZeroRun>,
    /// The codes of damage that cannot be repaired.
    pub(super) lost: Vec<Code>,
}

impl Repaired {
    pub(super) fn new(
        job: &Job,
        report: RepairReport,
        cut: Option<Cut>,
        zeros: Vec<ZeroRun>,
    ) -> Repaired {
        let mut lost: Vec<Code> = report.lost().map(|finding| finding.code).collect();
        lost.dedup();
        Repaired {
            file: job.input.display().to_string(),
            output: job.output.display().to_string(),
            changed: report.is_changed() || cut.is_some() || !zeros.is_empty(),
            lost,
            report,
            cut,
            zeros,
        }
    }

    /// Returns the repairs of the curves that have uncertain keys.
    pub(super) fn uncertain(&self) -> Vec<&CurveRepair> {
        let curves = self.report.repaired.iter();
        curves.filter(|curve| curve.uncertain_keys > 0).collect()
    }
}

impl Report for Repaired {
    /// Returns a row for each repaired curve and for each remaining finding, or one row for a file
    /// without either.
    fn rows(&self) -> Vec<impl Serialize> {
        let row = |what, code: Option<Code>| Row {
            file: &self.file,
            what,
            code,
            severity: code.map(|code| code.severity().name()),
            ..Row::default()
        };
        let repaired = self.report.repaired.iter().map(|repair| Row {
            curve: repair.curve.map(|curve| curve.to_string()),
            keys: Some(repair.keys as u64),
            uncertain_keys: Some(repair.uncertain_keys),
            start_s: repair.uncertain.first().map(|range| range.start),
            end_s: repair.uncertain.last().map(|range| range.end),
            message: repair.code.title().to_owned(),
            ..row("repaired", Some(repair.code))
        });
        let zeros = self.zeros.iter().map(|run| Row {
            curve: Some(run.element.to_string()),
            keys: Some(run.count as u64),
            start_s: Some(run.samples.start),
            end_s: Some(run.samples.end),
            message: "zeros are unknown now".to_owned(),
            ..row("unknown", None)
        });
        let remaining = self.report.remaining.iter().map(|finding| Row {
            keys: Some(finding.count),
            start_s: finding.range().map(|range| range.start),
            end_s: finding.range().map(|range| range.end),
            message: finding.to_string(),
            ..row("remaining", Some(finding.code))
        });
        let rows: Vec<Row<'_>> = repaired.chain(zeros).chain(remaining).collect();
        if rows.is_empty() {
            vec![row("nothing", None)]
        } else {
            rows
        }
    }
}

/// A row of CSV.
#[derive(Default, Serialize)]
struct Row<'r> {
    file: &'r str,
    what: &'static str,
    code: Option<Code>,
    severity: Option<&'static str>,
    curve: Option<String>,
    keys: Option<u64>,
    uncertain_keys: Option<usize>,
    start_s: Option<f32>,
    end_s: Option<f32>,
    message: String,
}
