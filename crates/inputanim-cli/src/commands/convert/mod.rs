//! `inputanim convert`

#[cfg(feature = "xdf")]
mod append;
mod batch;
pub(crate) mod conversion;
#[cfg(feature = "lerobot")]
mod lerobot_args;
mod segments;

use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::Limits;
use inputanim::doctor::{Code, Finding};
use inputanim_convert::{Format, Note, NoteKind};
use inputanim_scan::packs;

use crate::arguments::names::NAMES;
use crate::arguments::time_range::TIMES;
use crate::files::input::{Input, folder_refusal};
use crate::files::output::{self, folder_of};
use crate::messages::diagnostics::{name_of, note, summarize, warn, warn_of_damage};
use crate::messages::hints::incomplete_poses;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::count;
use crate::study::SEGMENTS;
use batch::BatchOptions;
use conversion::Conversion;
use segments::SegmentRows;

/// Convert a recording to or from another format, or to another layout
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "inputanim convert [OPTIONS] IN OUT\n       \
                      inputanim convert [OPTIONS] [-r] --to FORMAT -o FOLDER IN...\n       \
                      inputanim convert [OPTIONS] [-r] -o TABLE IN...",
    after_help = format!("\
Formats that are read and written:
{}Formats that are only read (docs/exchange.md):
{}Formats that are only written:
{}
Without --layout, the layout stays the same, and a .bin that is converted to bin has the same bytes. \
MRTK 2.0 to 2.5 reads mrtk-1.0; MRTK 2.6 to 2.8 reads mrtk-1.0 and mrtk-1.1. MRTK reads no other layout.

With -o FOLDER, each input becomes a file in the folder; outputs that are newer than their input and were \
made with the same options are skipped. With -o TABLE (.csv, .tsv, .ndjson, .parquet or .arrow), all inputs \
become one table with a column `recording`. A file that fails does not stop the others.

{TIMES}

{NAMES}

{SEGMENTS}
Exit codes: 0 done; 1 a file failed; 2 wrong usage; 3 done, but data was lost, or a damaged recording \
was converted to a format other than bin, json or keys. Conversions to bin, json and keys copy the damage and \
return 0; use `doctor` to stop on damage. Another layout would hide damage of rotations, so such a conversion \
fails: run `repair` first. Data that a format never stores, such as the head in bvh, is reported only as a note.

Examples:
  inputanim convert take.bin take.glb
  inputanim convert take.bin take.csv --rate 90 --joints right --time 1..4
  inputanim convert take.bin take.parquet --shape tidy --space openxr
  inputanim convert -r studies -o pinches.csv --segments pinch@-0.5..1 --rate 120 --joints right.IndexTip
  inputanim convert -r studies -o studies.csv --path-pattern '{{participant}}/{{condition}}.bin'
  inputanim convert -r studies --to parquet -o tables --manifest studies.csv
  inputanim convert -r studies --to motion-bids -o dataset --path-pattern '{{sub}}/{{task}}_{{run}}.bin'
  inputanim convert -r studies --to lerobot -o dataset --frame wrist --task-pattern '{{*}}/{{task}}_{{*}}.bin'
  inputanim convert tracker.csv take.bin --map 'time_s=Timestamp*1e-6'
  inputanim convert hands.gltf take.bin --space openxr
  inputanim convert take.bin lab+take.xdf --append-to lab.xdf --at start
  inputanim convert take.bin for-mrtk-2.5.bin --layout mrtk-1.0 --exclude gaze",
        format_lines(|format| format.can_read() && format.can_write()),
        format_lines(|format| !format.can_write()),
        format_lines(|format| !format.can_read()),
    )
)]
pub(crate) struct Args {
    /// The input and the output; with -o only inputs. `-` is standard input or output
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    conversion: Conversion,
    #[command(flatten)]
    batch: BatchOptions,
    /// Replace files that already exist
    #[arg(short, long)]
    force: bool,
}

/// Returns the lines of the help that list the chosen formats: one line for each purpose, with the names of its
/// formats.
fn format_lines(is_chosen: impl Fn(Format) -> bool) -> String {
    let formats: Vec<Format> = Format::ALL
        .iter()
        .copied()
        .filter(|format| is_chosen(*format))
        .collect();
    let lines = formats
        .chunk_by(|a, b| a.purpose() == b.purpose())
        .map(|formats| {
            let names: Vec<&str> = formats.iter().map(|format| format.name()).collect();
            let names = names.join(", ");
            let space = if names.len() < 15 {
                ""
            } else {
                "\n                 "
            };
            let purpose = formats[0].purpose();
            let options = match formats[0] {
                Format::Xdf => "; --append-to adds the recording to a file of a laboratory",
                format if format.is_dataset() => ", with -o FOLDER",
                _ => "",
            };
            format!("  {names:15}{space}{purpose}{options}\n")
        });
    lines.collect()
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let conversion = &args.conversion;
    if let Some(folder) = &args.batch.output {
        #[cfg(feature = "xdf")]
        if conversion.append.append_to.is_some() {
            let message = "--append-to has no effect with -o";
            return Err(Refusal::usage(message, "convert one file: IN OUT"));
        }
        let batch = &args.batch;
        return batch.run(folder, &args.paths, conversion, args.force, limits);
    }
    match args.paths.as_slice() {
        [path, ..] if is_folder(path) => {
            let hint = "-r --to FORMAT -o FOLDER converts all recordings in it";
            Err(folder_refusal(path, hint))
        }
        [_, path] if is_folder(path) => {
            let message = format!("{} is a folder", path.display());
            let hint = "choose a file in it, or write to the folder with -o FOLDER --to FORMAT";
            Err(Refusal::usage(message, hint))
        }
        [input, output] => convert_one(input, output, args, limits),
        paths => {
            let message = match paths.len() {
                1 => "missing output: expected IN and OUT".to_owned(),
                files => format!("expected IN and OUT, found {files} files"),
            };
            let hint = "add -o: `-o NAME.csv` writes one table of all files, `-o FOLDER --to FORMAT` \
                        a file for each";
            Err(Refusal::usage(message, hint))
        }
    }
}

/// Returns the error for a table without rows, which is not written.
fn no_rows() -> anyhow::Error {
    Refusal::failure(
        "the table would have no rows",
        "the selection has no keys or no tracked joint in the time range; \
         `inputanim info` prints what a recording contains",
    )
}

fn is_folder(path: &Path) -> bool {
    // `-` is standard input or output even where a folder has that name.
    path != Path::new("-") && packs::is_folder(path)
}

fn convert_one(input: &Path, path: &Path, args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let conversion = &args.conversion;
    let format = conversion.format(path)?;
    conversion.check(format)?;
    if format.is_dataset() {
        let message = format!("{format} is a dataset of several files");
        let hint = format!("write it to a folder: --to {format} -o FOLDER");
        return Err(Refusal::usage(message, hint));
    }
    if input != Path::new("-") && output::is_same_file(input, path) {
        let message = format!("input and output are the same file: {}", input.display());
        return Err(Refusal::usage(message, "choose another output"));
    }
    #[cfg(feature = "xdf")]
    let existing = {
        let has_start_time = conversion.has_start_time();
        let append = &conversion.append;
        append.open(input, path, format, has_start_time, limits)?
    };
    let has_segments = conversion.has_segment_rows(format);
    let segments = has_segments.then(|| {
        let files = [(input.to_owned(), folder_of(input).to_owned())].into_iter();
        SegmentRows::plan(conversion, files, format, conversion.is_tidy(), limits)
    });
    let segments = segments.transpose()?;
    let input = Input::open_as(input, conversion.inputs(), limits)?;
    let (mut recording, mut report, mut outcome) = conversion.read(&input, format, limits)?;
    let mut findings = conversion.damage(&recording, format)?;
    if has_segments {
        // The rows of segments have the damage of their events too.
        findings.clear();
    }
    if !findings.is_empty() {
        warn_of_damage(&findings, input.name());
        note_incomplete_poses(&findings, "");
        outcome = Outcome::DataLost;
    }
    conversion.select(&mut recording, &input, format)?;
    if let Some(segments) = &segments {
        let (written, of_rows) =
            segments.write_one(&args.paths, recording, args.force, format, &mut report)?;
        for loss in &report.losses {
            warn(format_args!("{}: lost: {loss}", input.name()));
            outcome = Outcome::DataLost;
        }
        for text in &report.notes {
            print_note(text, conversion, format);
        }
        if !args.batch.args.quiet {
            let made = format!("converted {}", name_of(&args.paths[0], "standard input"));
            summarize(&made, &[count(written, "row")], path);
        }
        return Ok(outcome.and(of_rows));
    }
    let options = conversion.write_options(&input, &recording, None, format, path, limits)?;
    output::write_to(path, args.force, !format.is_text(), |output| {
        #[cfg(feature = "xdf")]
        if let Some(existing) = &existing {
            let reading = conversion.appending_options(limits);
            report.extend(existing.write(&recording, &reading, &options, output)?);
            return Ok(());
        }
        let written = inputanim_convert::write(format, &recording, &options, output);
        report.extend(written.with_context(|| input.context())?);
        if format.is_table() && report.rows == 0 {
            return Err(no_rows().context(input.context()));
        }
        Ok(())
    })?;
    for loss in &report.losses {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    for text in &report.notes {
        print_note(text, conversion, format);
    }
    if !report.losses.is_empty() {
        outcome = Outcome::DataLost;
    }
    if !args.batch.args.quiet {
        let made = format!("converted {}", name_of(&args.paths[0], "standard input"));
        let rows = options.time.map(|range| range.end - range.start);
        let seconds = rows.unwrap_or_else(|| recording.duration());
        let mut facts = vec![format!("{seconds:.3} s")];
        if format.is_table() {
            facts.push(count(report.rows as usize, "row"));
        }
        summarize(&made, &facts, path);
    }
    Ok(outcome)
}

/// If poses lack curves, prints a note with the option that excludes these poses. `scope` ends the note, such as
/// ` of all files`.
fn note_incomplete_poses(findings: &[Finding], scope: &str) {
    let mut findings = findings.iter();
    if let Some(finding) = findings.find(|finding| finding.code == Code::CurvesMissing) {
        let poses = incomplete_poses(finding);
        note(format_args!(
            "`--exclude {poses}` leaves out these poses{scope}"
        ));
    }
}

/// Prints a note of the library, with the option that it is about.
fn print_note(text: &Note, conversion: &Conversion, format: Format) {
    match text.kind {
        NoteKind::UnwrittenMarkers if conversion.can_write_markers(format) => {
            note(format_args!("{text} (--markers writes them as rows)"));
        }
        _ => note(text),
    }
}
