//! What is doubtful in a repaired recording, as a file of its own (docs/json.md).

use std::path::Path;

use serde::Serialize;

use super::report::{MendedCurve, Repaired};
use crate::output;

#[derive(Serialize)]
struct Doubts<'r> {
    format: &'static str,
    version: u32,
    /// The repaired recording.
    file: &'r str,
    /// What it was made of.
    source: &'r str,
    doubts: Vec<MendedCurve>,
}

pub(super) fn write(path: &Path, force: bool, repaired: &Repaired) -> anyhow::Result<()> {
    let doubts = Doubts {
        format: "inputanim-doubts",
        version: 1,
        file: &repaired.output,
        source: &repaired.file,
        doubts: repaired.doubts(),
    };
    output::write_to(path, force, false, |output| {
        serde_json::to_writer_pretty(&mut *output, &doubts)?;
        Ok(output.write_all(b"\n")?)
    })
}
