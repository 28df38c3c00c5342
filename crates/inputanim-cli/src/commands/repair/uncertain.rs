//! The uncertain times of a repaired recording, as a file of its own (docs/json.md).

use std::path::Path;

use inputanim::repair::CurveRepair;
use serde::Serialize;

use super::report::Repaired;
use crate::files::output;

#[derive(Serialize)]
struct Uncertain<'r> {
    format: &'static str,
    version: u32,
    /// The repaired recording.
    file: &'r str,
    /// The damaged recording.
    source: &'r str,
    curves: Vec<&'r CurveRepair>,
}

pub(super) fn write(path: &Path, force: bool, repaired: &Repaired) -> anyhow::Result<()> {
    let uncertain = Uncertain {
        format: "inputanim-uncertain",
        version: 1,
        file: &repaired.output,
        source: &repaired.file,
        curves: repaired.uncertain(),
    };
    output::write_to(path, force, false, |output| {
        serde_json::to_writer_pretty(&mut *output, &uncertain)?;
        Ok(output.write_all(b"\n")?)
    })
}
