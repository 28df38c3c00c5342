//! Targets from a file.

use std::path::Path;

use inputanim_analysis::{TableError, Target, TargetsError};
use inputanim_scan::{TargetFileError, read_targets};

use super::problems;
use crate::input::{FileName, read_error};
use crate::outcome::Refusal;

const HINT: &str = "docs/analysis.md describes the columns and members of targets";

/// Reads targets: a list of objects if the file is JSON, else a table.
pub(super) fn read(path: &Path) -> anyhow::Result<Vec<Target>> {
    read_targets(path).map_err(|error| match error {
        TargetFileError::Read(error) => read_error(path, &error),
        TargetFileError::Targets(TargetsError::Table(error)) => {
            of_table_error(&error, HINT).context(FileName::new(path))
        }
        error => Refusal::failure(error.to_string(), HINT).context(FileName::new(path)),
    })
}

/// Returns the error of a table with all of its problems.
pub(crate) fn of_table_error(error: &TableError, hint: &'static str) -> anyhow::Error {
    let message = match error {
        TableError::Cells(cells) => {
            problems(&cells.iter().map(ToString::to_string).collect::<Vec<_>>())
        }
        error => error.to_string(),
    };
    Refusal::failure(message, hint)
}
