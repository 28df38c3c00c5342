//! `inputanim check`

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use inputanim::doctor::{self, Finding, Severity};
use inputanim::{Layout, Limits, ParseError};
use serde::Serialize;

use crate::findings::{
    FileError, FindingRow, print_file_error, print_findings, print_next_steps, worst,
};
use crate::input::{Files, Input};
use crate::outcome::Outcome;
use crate::progress;
use crate::report_format::{ReportFormat, Rows};
use crate::style::{BAD, GOOD, WARN, paint};
use crate::text::{count, printable};

/// Check that recordings are well formed, and list the findings; `doctor` explains them
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The first word of each line is the result: `ok`, `warn` (well formed, but damaged or unusual) or \
`bad` (not well formed). Exit code: 0 if every file is well formed, 1 otherwise. Findings do not change \
the exit code; use `doctor` for an exit code that depends on them, and for explanations.

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

/// The columns of a file in CSV, before those of a finding.
#[derive(Clone, Copy, Serialize)]
struct FileRow<'r> {
    file: &'r str,
    well_formed: bool,
    layout: Option<Layout>,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let files = args.files.expand()?;
    let mut progress = progress::Files::new(files.len(), args.format == ReportFormat::Table);
    let mut outcome = Outcome::Done;
    let (mut well_formed, mut warned) = (0, 0);
    // Only text for people may have colours.
    let mut output = Rows::new(args.format, io::stdout().lock()).map_err(AutoStream::auto);
    for path in &files {
        let checked = check(path, limits);
        if checked.well_formed {
            well_formed += 1;
            warned += usize::from(worst(&checked.findings) > Some(Severity::Note));
        } else {
            outcome = outcome.and(Outcome::Failed);
        }
        progress.suspend(|| match &mut output {
            Ok(rows) => rows.push(&checked, || checked.rows()),
            Err(output) => print(output, &checked),
        })?;
        progress.step();
    }
    match output {
        Ok(rows) => rows.finish()?,
        Err(mut output) => {
            if let all @ 2.. = files.len() {
                let all = count(all, "file");
                write!(output, "{well_formed} of {all} well formed")?;
                if warned > 0 {
                    write!(output, ", {warned} with warnings or damage")?;
                }
                writeln!(output)?;
            }
            output.flush()?;
        }
    }
    Ok(outcome)
}

fn check(path: &Path, limits: &Limits) -> Checked {
    let file = path.display().to_string();
    let examined = Input::open(path, limits).and_then(|input| {
        let recording = input.recording(limits)?;
        Ok((recording.layout, doctor::examine(&recording)))
    });
    match examined {
        Ok((layout, findings)) => Checked {
            file,
            well_formed: true,
            layout: Some(layout),
            error: None,
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

fn print(output: &mut impl Write, checked: &Checked) -> anyhow::Result<()> {
    let file = printable(&checked.file);
    if let Some(error) = &checked.error {
        let verdict = error.verdict();
        writeln!(output, "{}  {file}: {verdict}", paint(BAD, "bad "))?;
        return print_file_error(output, error, INDENT);
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
    print_next_steps(output, &checked.findings, path, INDENT)
}
