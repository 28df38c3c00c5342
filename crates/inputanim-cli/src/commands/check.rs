//! `inputanim check`

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use inputanim::doctor::{self, Finding, Severity};
use inputanim::{Layout, Limits, ParseError};
use serde::Serialize;

use crate::files::input::{Files, FromArgs, Input};
use crate::messages::diagnostics::Kinds;
use crate::messages::findings::{
    CommonHints, FileError, FindingRow, print_file_error, print_findings, print_next_steps, worst,
};
use crate::messages::hints;
use crate::messages::outcome::Outcome;
use crate::messages::progress;
use crate::messages::style::{BAD, DIM, GOOD, WARN, paint};
use crate::messages::text::{count, grouped, printable};
use crate::results::report_format::{ReportFormat, Rows};

/// Check that recordings are well formed, and list the findings; `doctor` explains them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first word of each line is the result: `ok`, `warn` (well formed, but damaged or unusual) or \
`bad` (not well formed). Exit code: 0 if every file is well formed, 1 otherwise. Findings do not change \
the exit code. `doctor` explains the findings, and has an exit code that depends on them.

Examples:
  inputanim check take.bin
  inputanim check -r studies --format csv > findings.csv")]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    /// Format of the results
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
}

/// The indentation of what is below the line of a file.
const INDENT: &str = "      ";

/// The result for one file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Checked {
    file: String,
    well_formed: bool,
    layout: Option<Layout>,
    error: Option<FileError>,
    findings: Vec<Finding>,
}

/// The columns of a file in CSV, before the columns of a finding.
#[derive(Clone, Copy, Serialize)]
struct FileRow<'r> {
    file: &'r str,
    well_formed: bool,
    layout: Option<Layout>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let found = args.files.find()?;
    let files: Vec<&Path> = found.paths().collect();
    let mut progress = progress::Files::new(files.len(), args.format == ReportFormat::Table);
    let mut outcome = found.outcome();
    let mut counts = Counts::default();
    // A hint about each of many files would hide the results.
    let doctor = args.files.command("doctor").filter(|_| files.len() > 1);
    let mut hints = CommonHints::default();
    let mut kinds = Kinds::default();
    // Only text for people may have colours.
    let mut output = Rows::new(args.format, io::stdout().lock()).map_err(AutoStream::auto);
    for path in &files {
        let read = || check(path, args.files.from, limits);
        let checked = progress.suspend(|| kinds.of_file(files.len(), read));
        if !checked.well_formed {
            outcome = outcome.and(Outcome::Failed);
        }
        counts.add(&checked);
        progress.suspend(|| match &mut output {
            Ok(rows) => rows.push(&checked, || checked.rows()),
            Err(output) => {
                let hints = (files.len() > 1).then_some(&mut hints);
                print(output, &checked, hints, doctor.is_none())
            }
        })?;
        progress.step();
    }
    drop(progress);
    kinds.print();
    match output {
        Ok(rows) => rows.finish()?,
        Err(mut output) => {
            hints.print(&mut output)?;
            if let Some(doctor) = doctor.filter(|_| counts.damaged + counts.warned > 0) {
                let label = paint(DIM, "hint:");
                writeln!(output, "{label} `{doctor}` explains the findings")?;
            }
            if files.len() > 1 {
                writeln!(output, "{}: {}", count(files.len(), "file"), counts.text())?;
            }
            output.flush()?;
        }
    }
    Ok(outcome)
}

/// The numbers of files with each result.
#[derive(Default)]
struct Counts {
    ok: usize,
    warned: usize,
    damaged: usize,
    malformed: usize,
}

impl Counts {
    fn add(&mut self, checked: &Checked) {
        let counted = match worst(&checked.findings) {
            _ if !checked.well_formed => &mut self.malformed,
            Some(Severity::Damage) => &mut self.damaged,
            Some(Severity::Warning) => &mut self.warned,
            _ => &mut self.ok,
        };
        *counted += 1;
    }

    /// Formats the numbers of files with each result: `2 ok, 1 damaged, 1 not well formed`.
    fn text(&self) -> String {
        let counts = [
            (self.ok, "ok"),
            (self.warned, "with warnings"),
            (self.damaged, "damaged"),
            (self.malformed, "not well formed"),
        ];
        let found = counts.into_iter().filter(|(number, _)| *number > 0);
        let texts = found.map(|(number, result)| format!("{} {result}", grouped(number as u64)));
        texts.collect::<Vec<_>>().join(", ")
    }
}

fn check(path: &Path, from: FromArgs, limits: &Limits) -> Checked {
    let file = path.display().to_string();
    let checked = Input::open_as(path, from, limits).and_then(|input| {
        let recording = input.recording(limits)?;
        let damage = input
            .damage()
            .map(|damage| FileError::damaged(damage, path));
        Ok((recording.layout, doctor::findings(&recording), damage))
    });
    match checked {
        Ok((layout, findings, error)) => Checked {
            file,
            well_formed: error.is_none(),
            layout: Some(layout),
            error,
            findings,
        },
        Err(error) => {
            let error = FileError::new(&error, path);
            Checked {
                file,
                well_formed: false,
                layout: error.parse_error().and_then(ParseError::layout),
                error: Some(error),
                findings: Vec::new(),
            }
        }
    }
}

impl Checked {
    /// Returns a row for each finding, or one row for a file without findings.
    fn rows(&self) -> Vec<(FileRow<'_>, FindingRow)> {
        let file = FileRow {
            file: &self.file,
            well_formed: self.well_formed,
            layout: self.layout,
        };
        if let Some(error) = &self.error {
            vec![(file, FindingRow::from(error))]
        } else if self.findings.is_empty() {
            vec![(file, FindingRow::default())]
        } else {
            let rows = self.findings.iter().map(FindingRow::from);
            rows.map(|row| (file, row)).collect()
        }
    }
}

/// Prints the result for one file. Hints that are not about the file are added to `hints` instead, if it is given. If
/// `names_doctor` is true, the command that explains the findings is printed too.
fn print(
    output: &mut impl Write,
    checked: &Checked,
    hints: Option<&mut CommonHints>,
    names_doctor: bool,
) -> anyhow::Result<()> {
    let file = printable(&checked.file);
    if let Some(error) = &checked.error {
        let verdict = error.verdict();
        writeln!(output, "{}  {file}: {verdict}", paint(BAD, "bad "))?;
        return print_file_error(output, error, hints, INDENT);
    }
    let mark = if worst(&checked.findings) > Some(Severity::Note) {
        paint(WARN, "warn")
    } else {
        paint(GOOD, "ok  ")
    };
    let layout = checked.layout.map_or("", Layout::name);
    writeln!(output, "{mark}  {file}: well formed, {layout}")?;
    print_findings(output, &checked.findings, INDENT)?;
    let path = Path::new(&checked.file);
    let doctor = names_doctor.then(|| hints::doctor(path));
    print_next_steps(output, &checked.findings, path, doctor.as_deref(), INDENT)
}
