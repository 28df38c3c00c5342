//! Targets from a file.

use std::path::Path;

use inputanim::Limits;
use inputanim_analysis::{Target, TargetsError};
use inputanim_scan::{TargetFileError, read_targets};

use crate::files::input::read_error;
use crate::messages::file_name::FileName;
use crate::messages::outcome::Refusal;
use crate::messages::scan_error::of_table_error;

const HINT: &str = "docs/analysis.md describes the columns and members of targets";

/// Reads the targets in a file: a list of objects if the file is JSON, else a table.
pub(super) fn read(path: &Path, limits: &Limits) -> anyhow::Result<Vec<Target>> {
    read_targets(path, limits).map_err(|error| match error {
        TargetFileError::Read(error) => read_error(path, &error),
        TargetFileError::Targets(TargetsError::Table(error)) => {
            of_table_error(&error, HINT).context(FileName::new(path))
        }
        error => Refusal::failure(error.to_string(), HINT).context(FileName::new(path)),
    })
}
