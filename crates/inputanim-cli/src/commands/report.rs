//! `inputanim report`

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use anyhow::Context;
use inputanim::Limits;
use inputanim_convert::without_extension;
use inputanim_page::{Condition, Report};

use crate::files::batch::Errors;
use crate::files::input::{AsBin, Files, FoundFile, FromArgs, Input};
use crate::files::output;
use crate::files::page;
use crate::files::video::{Video, VideoArgs};
use crate::messages::diagnostics::{note, summarize, summary};
use crate::messages::outcome::Outcome;
use crate::messages::text::{self, count, printable};

/// Write a report that opens in a browser: the recordings, their findings and their measures
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The report is one HTML file that contains the recordings and the viewer of `inputanim view`. It needs no \
network, so you can send it by mail or keep it with the results of a test. Only recordings go into the report, \
and the summary lists them. Videos beside the recordings with the same names are not included: the report links \
to them by their paths relative to it. In folders, links to files outside of the folder are refused.

Examples:
  inputanim report take.bin -o report.html
  inputanim report -r studies -o report.html")]
pub(crate) struct Args {
    #[command(flatten)]
    files: Files,
    #[command(flatten)]
    video: VideoArgs,
    /// The file to write; `-` is standard output
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace a file that already exists
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut report = page::report()?;
    output::check(&args.output, args.force)?;
    let found = args.files.find()?;
    let files = &found.files;
    let videos = args.video.of(files)?;
    let mut linked = 0;
    let mut included = 0;
    let mut errors = Errors::default();
    for ((file, name), video) in files.iter().zip(page::names_of(files)).zip(&videos) {
        match add(&mut report, file, &name, args.files.from, limits) {
            Ok(mut line) => {
                included += 1;
                if let Some(video) = video {
                    let address = link(&mut report, video, &args.output)?;
                    line += &format!(", with a link to {}", printable(&address));
                    linked += 1;
                }
                summary(line);
            }
            // The error of the only file is the error of the command.
            Err(error) if files.len() == 1 => return Err(error),
            Err(error) => errors.add(error),
        }
    }
    errors.print();
    if included == 0 {
        return Ok(Outcome::Failed);
    }
    let report = report.finish();
    output::write_to(&args.output, args.force, false, |output| {
        output.write_all(report.as_bytes())?;
        Ok(())
    })?;
    let mut made = format!("{} included", count(included, "file"));
    if errors.number() > 0 {
        made += &format!(", {} failed", errors.number());
    }
    summarize(&made, &[], &args.output);
    if linked > 0 {
        note(format_args!(
            "{} linked, not included: keep the same paths relative to the report",
            count(linked, "video")
        ));
    }
    Ok(if errors.number() == 0 {
        Outcome::Done
    } else {
        Outcome::Failed
    })
}

/// Adds a link to the video of the last recording to a report. Returns the path of the video relative to the report.
fn link(report: &mut Report, video: &Video, output: &Path) -> anyhow::Result<String> {
    let path = video.file.path_inside()?;
    let folder = if output == Path::new("-") {
        Path::new(".")
    } else {
        output::folder_of(output)
    };
    let steps = page::steps(folder, &path)?;
    report.link_video(steps.iter().map(String::as_str), video.start);
    Ok(steps.join("/"))
}

/// Adds the recording in a file to a report, under a name. Returns the line about it in the summary.
fn add(
    report: &mut Report,
    file: &FoundFile,
    name: &str,
    from: FromArgs,
    limits: &Limits,
) -> anyhow::Result<String> {
    file.path_inside()?;
    let input = Input::open_as(&file.path, from, limits)?;
    let AsBin {
        bytes,
        parts,
        report: conversion,
    } = input.as_bin(limits)?;
    input.print_report(&conversion);
    let name = match &bytes {
        Cow::Borrowed(_) => name.to_owned(),
        // The page saves the recording under its name.
        Cow::Owned(_) => format!("{}.bin", without_extension(name)),
    };
    let condition = report.add(&name, &bytes, &parts, limits);
    let flaw = match condition.with_context(|| input.context())? {
        Condition::WellFormed => "",
        _ => ", not well formed",
    };
    let size = text::bytes(bytes.len() as u64);
    let name = if file.path == Path::new("-") {
        "standard input"
    } else {
        &name
    };
    Ok(format!("  {}: {size}{flaw}", printable(name)))
}
