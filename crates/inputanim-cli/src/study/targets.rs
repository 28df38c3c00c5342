//! Targets from a file.

use std::path::Path;

use anyhow::Context;
use inputanim::Limits;
use inputanim_analysis::{TableError, Target, TargetsError, targets_from_text};
use inputanim_convert::text_to_utf8;

use super::problems;
use crate::input::Input;
use crate::outcome::Refusal;

const HINT: &str = "docs/analysis.md describes the columns and members of targets";

/// Reads targets: a list of objects if the file is JSON, else a table.
pub(super) fn read(path: &Path, limits: &Limits) -> anyhow::Result<Vec<Target>> {
    let input = Input::open(path, limits)?;
    let text = text_to_utf8(input.bytes());
    let targets = targets_from_text(&text).map_err(|error| match error {
        TargetsError::Table(error) => of_table_error(&error, HINT),
        error => Refusal::failure(error.to_string(), HINT),
    });
    targets.with_context(|| input.context())
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
