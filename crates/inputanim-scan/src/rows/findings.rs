//! Findings of the doctor as rows.

use inputanim::Recording;
use inputanim::doctor;
use inputanim_convert::tables::{Column, DataType, Field};

use super::{Computed, Damage, batch, selected};

/// The selected columns of findings.
#[derive(Clone, Debug)]
pub(crate) struct FindingRows {
    indices: Vec<usize>,
}

fn all() -> Vec<Field> {
    let time = |name, meaning| Field::new(name, DataType::Float32, meaning).with_unit("s");
    vec![
        Field::new(
            "code",
            DataType::Text,
            "Code of the finding (docs/findings.md).",
        )
        .required(),
        Field::new(
            "severity",
            DataType::Text,
            "Severity: `damage`, `warning` or `note`.",
        )
        .required(),
        Field::new("count", DataType::Int64, "Number of occurrences.")
            .with_unit("1")
            .required(),
        time("start_s", "Time of the first occurrence."),
        time("end_s", "Time of the last occurrence."),
        Field::new("message", DataType::Text, "Title and details.").required(),
    ]
}

impl FindingRows {
    pub(crate) fn new() -> FindingRows {
        FindingRows {
            indices: (0..all().len()).collect(),
        }
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
        selected(all(), &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        self.indices = indices.to_vec();
    }

    /// Returns the findings, the most severe first.
    pub(crate) fn rows(&self, recording: &Recording<'_>, damage: Damage) -> Computed {
        let findings = doctor::examine(recording);
        let list = findings.iter();
        let rows = batch(findings.len(), &self.indices, |index| {
            let list = list.clone();
            match index {
                0 => Column::texts(list.map(|found| Some(found.code.id()))),
                1 => Column::texts(list.map(|found| Some(found.severity().name()))),
                2 => Column::longs(list.map(|found| Some(found.count as i64))),
                3 => Column::floats(list.map(|found| found.range().map(|range| range.start))),
                4 => Column::floats(list.map(|found| found.range().map(|range| range.end))),
                _ => Column::texts(
                    list.map(|found| Some(format!("{}: {}", found.code.title(), found.detail))),
                ),
            }
        });
        Computed {
            rows,
            damage,
            notices: Vec::new(),
        }
    }
}
