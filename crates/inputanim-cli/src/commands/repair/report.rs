//! What `repair` did to one file, in a form that programs like. Times are seconds.

use inputanim::Span;
use inputanim::doctor::{Code, Finding};
use inputanim::repair::{Mended, Report};
use serde::{Serialize, Serializer};

use super::cut::Cut;
use crate::found::Found;
use crate::in_out::InOut;

/// One recording.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Repaired {
    pub(super) file: String,
    pub(super) output: String,
    changed: bool,
    #[serde(serialize_with = "as_curves")]
    pub(super) mended: Vec<Mended>,
    /// What was cut off.
    pub(super) cut: Option<Cut>,
    /// What the doctor still finds.
    #[serde(serialize_with = "as_found")]
    pub(super) remaining: Vec<Finding>,
    /// The codes of what stays lost.
    pub(super) lost: Vec<&'static str>,
}

/// What was mended in one curve.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct MendedCurve {
    code: &'static str,
    /// `null` for flags and markers.
    curve: Option<String>,
    keys: usize,
    pub(super) doubtful_keys: usize,
    /// From the first to the last key of each run of doubtful ones.
    doubtful: Vec<Time>,
}

#[derive(Serialize)]
struct Time {
    start: f32,
    end: f32,
}

impl Repaired {
    pub(super) fn new(io: &InOut, report: Report, cut: Option<Cut>) -> Repaired {
        let mut lost: Vec<&str> = report.lost().map(|finding| finding.code.id()).collect();
        lost.dedup();
        Repaired {
            file: io.input.display().to_string(),
            output: io.target.output.display().to_string(),
            changed: report.is_changed() || cut.is_some(),
            lost,
            mended: report.mended,
            cut,
            remaining: report.remaining,
        }
    }

    /// The curves with doubtful keys.
    pub(super) fn doubts(&self) -> Vec<MendedCurve> {
        let curves = self.mended.iter().map(MendedCurve::from);
        curves.filter(|curve| curve.doubtful_keys > 0).collect()
    }

    /// A row for each curve that was mended and for each finding that remains; a file without
    /// either has one that names none.
    pub(super) fn rows(&self) -> Vec<Row<'_>> {
        let row = |what, code: Option<Code>| Row {
            file: &self.file,
            what,
            code: code.map(Code::id),
            severity: code.map(|code| code.severity().name()),
            ..Row::default()
        };
        let mended = self.mended.iter().map(|mended| Row {
            curve: mended.curve.map(|curve| curve.to_string()),
            keys: Some(mended.keys as u64),
            doubtful_keys: Some(mended.doubtful_keys),
            start_s: mended.doubtful.first().map(|span| span.start),
            end_s: mended.doubtful.last().map(|span| span.end),
            message: mended.code.title().to_owned(),
            ..row("mended", Some(mended.code))
        });
        let remaining = self.remaining.iter().map(|finding| Row {
            keys: Some(finding.count),
            start_s: finding.span.map(|span| span.start),
            end_s: finding.span.map(|span| span.end),
            message: finding.to_string(),
            ..row("remaining", Some(finding.code))
        });
        let rows: Vec<Row<'_>> = mended.chain(remaining).collect();
        match rows.is_empty() {
            true => vec![row("nothing", None)],
            false => rows,
        }
    }
}

impl From<&Mended> for MendedCurve {
    fn from(mended: &Mended) -> MendedCurve {
        let time = |&Span { start, end }: &Span| Time { start, end };
        MendedCurve {
            code: mended.code.id(),
            curve: mended.curve.map(|curve| curve.to_string()),
            keys: mended.keys,
            doubtful_keys: mended.doubtful_keys,
            doubtful: mended.doubtful.iter().map(time).collect(),
        }
    }
}

fn as_curves<S: Serializer>(mended: &[Mended], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(mended.iter().map(MendedCurve::from))
}

fn as_found<S: Serializer>(findings: &[Finding], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(findings.iter().map(Found::from))
}

/// A row of a table.
#[derive(Default, Serialize)]
pub(super) struct Row<'r> {
    file: &'r str,
    what: &'static str,
    code: Option<&'static str>,
    severity: Option<&'static str>,
    curve: Option<String>,
    keys: Option<u64>,
    doubtful_keys: Option<usize>,
    start_s: Option<f32>,
    end_s: Option<f32>,
    message: String,
}
