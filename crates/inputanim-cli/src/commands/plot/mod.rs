//! `inputanim plot`

#[cfg(feature = "png")]
mod fonts;
mod picture;
mod sheet;

use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::names::ElementChoice;
use inputanim::{Limits, Recording};
use inputanim_analysis::{
    Analysis, AnalysisParameters, Panel, PlotOptions, Theme, panel_findings, plot,
};
use inputanim_convert::tables::PathPattern;

use crate::arguments::names::{List, names, unknown, warn_of_unrecorded};
use crate::arguments::time_range::{TIMES, within};
use crate::files::batch::{
    BatchArgs, FileBatch, Job, MAX_WARNINGS, Request, Status, without_extension,
};
use crate::files::input::{CorrectionArgs, FromArgs, Input};
use crate::files::output::{self, Sink};
use crate::messages::diagnostics::{name_of, summarize};
use crate::messages::outcome::{Outcome, Refusal};
use crate::study::{AnalysisArgs, PARAMETERS, warn_of_used_damage};
use inputanim::RelativeTimeRange;
use inputanim_scan::packs::is_folder;
use picture::Picture;

/// Draw figures of recordings: states, speeds, pinches, gaze, inputs and paths
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "inputanim plot [OPTIONS] -o FILE FILE\n       \
                      inputanim plot [OPTIONS] [-r] -o SHEET FILE...\n       \
                      inputanim plot [OPTIONS] [-r] -o FOLDER FILE...",
    after_help = format!("\
With one recording, OUT becomes a figure with these panels:
  timeline   time ranges in which a hand is tracked, moves and pinches, a device is active and its buttons are \
pressed; fixations, damage and markers; with --targets, looks
  speed      speeds of the palms
  aperture   distance of the tips of thumb and index finger, with geometric pinches and their thresholds
  gaze       heading and elevation of the gaze, with fixations
  inputs     inputs of controllers and other devices with numbers, if there are any
  paths      paths of head, palms and devices from above and from the right side, to scale; arrows show where devices aim
With several recordings or -r, OUT is a file or a folder. A file becomes a contact sheet with a small figure of \
each recording. A folder gets one figure for each recording. docs/analysis.md describes movements, pinches and fixations.

{PARAMETERS} The same parameters give the same events in `events` and in a figure.

{TIMES}

Exit codes: 0 done; 1 a file failed; 2 wrong usage; 3 done, but a recording is damaged in a curve \
that is used. Rotations of joints are not used: all angles of hands are computed from positions.

Examples:
  inputanim plot take.bin -o take.svg
  inputanim plot take.bin -o take.png --panels timeline,speed --time 10..20 --theme dark
  inputanim plot -r study -o sheet.svg --path-pattern '{{participant}}_{{task}}.bin'
  inputanim plot take.bin -o take.svg --targets targets.csv --parameter pinches.close=0.025
  inputanim plot -r study -o figures --format png"))]
pub(crate) struct Args {
    /// Recordings (.bin, or another format that `convert` reads); folders with -r; `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// The file (.svg or .png) or folder to write
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace files that already exist
    #[arg(short, long)]
    force: bool,
    #[command(flatten)]
    batch: BatchArgs,
    #[command(flatten)]
    from: FromArgs,
    /// Format of the figures [default: by the extension of OUT, else svg]
    #[arg(long, value_enum)]
    format: Option<Picture>,
    /// Draw only these panels, in this order [default: all]
    #[arg(long, value_name = "PANEL,...", value_delimiter = ',', value_parser = panels())]
    panels: Vec<Panel>,
    /// Draw only these poses and inputs of devices, such as right.controller.trigger.value or '*.aim' [default: all]
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    devices: Vec<List<String>>,
    /// Draw only this time range [default: all]
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<RelativeTimeRange>,
    /// Background
    #[arg(long, value_enum, default_value_t = ThemeArg::Light)]
    theme: ThemeArg,
    /// Width in pixels, from 300 to 10000; a PNG has twice as many pixels
    #[arg(long, value_name = "PIXELS", default_value_t = 900, value_parser = clap::value_parser!(u16).range(300..=10_000))]
    width: u16,
    /// Text above the figure [default: the name of the file]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Show parts of the paths in a contact sheet, such as '{participant}/{condition}_{*}.bin'
    #[arg(long, value_name = "PATTERN")]
    path_pattern: Option<PathPattern>,
    #[command(flatten)]
    analysis: AnalysisArgs,
    #[command(flatten)]
    corrections: CorrectionArgs,
}

/// The background of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum ThemeArg {
    Light,
    Dark,
}

impl From<ThemeArg> for Theme {
    fn from(theme: ThemeArg) -> Theme {
        match theme {
            ThemeArg::Light => Theme::Light,
            ThemeArg::Dark => Theme::Dark,
        }
    }
}

/// Returns a clap parser of the names of panels.
fn panels() -> impl TypedValueParser<Value = Panel> {
    PossibleValuesParser::new(Panel::ALL.iter().map(|panel| panel.name()))
        .try_map(|name| name.parse::<Panel>())
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let is_stdout = args.output == Path::new("-");
    let named = (!is_stdout && !args.output.is_dir())
        .then(|| Picture::of(&args.output))
        .flatten();
    let picture = args.format.or(named).unwrap_or(Picture::Svg);
    picture.check()?;
    if let (Some(named), Some(format)) = (named, args.format)
        && named != format
    {
        let message = format!(
            "--format {} does not match {}",
            format.extension(),
            args.output.display()
        );
        return Err(Refusal::usage(
            message,
            "remove --format, or change the extension",
        ));
    }
    let is_folder = args.batch.recursive || args.paths.len() > 1;
    let is_file = named.is_some() || is_stdout;
    if !is_file && (args.output.extension().is_some() && !args.output.is_dir()) {
        let message = format!("unsupported extension: {}", args.output.display());
        return Err(Refusal::usage(message, "figures are .svg or .png"));
    }
    if args.path_pattern.is_some() && !(is_folder && is_file) {
        let message = "--path-pattern has an effect only on a contact sheet";
        return Err(Refusal::usage(
            message,
            "remove it, or write a sheet: -o sheet.svg",
        ));
    }
    let options = args.analysis.parameters(limits)?;
    match (is_folder, is_file) {
        (false, true) => figure(args, &options, picture, limits),
        (true, true) => sheet::run(args, &options, picture, limits),
        (_, false) => figures(args, &options, picture, limits),
    }
}

impl Args {
    /// Returns the options of a figure. Its title is that of `--title`, otherwise `name`.
    fn plot_options(&self, name: &str) -> anyhow::Result<PlotOptions> {
        let mut options = PlotOptions::default();
        options.devices = self.device_choice()?;
        options.width = self.width.into();
        options.theme = self.theme.into();
        if !self.panels.is_empty() {
            options.panels.clone_from(&self.panels);
        }
        let title = self.title.as_deref().unwrap_or(name);
        options.title = (!title.is_empty()).then(|| title.to_owned());
        Ok(options)
    }

    fn device_choice(&self) -> anyhow::Result<ElementChoice> {
        let names = self.devices.iter().flat_map(|List(names)| names);
        let choice = ElementChoice::new(names, [""; 0]);
        choice.map_err(|error| unknown(&error))
    }

    /// Finds the recordings, and plans a figure of each. `folder` is the folder of the figures; `None` if all
    /// recordings are drawn on one contact sheet. Files in `reserved` are never inputs.
    fn plan(
        &self,
        folder: Option<&Path>,
        reserved: &[&Path],
        analysis: &AnalysisParameters,
        picture: Picture,
    ) -> anyhow::Result<FileBatch> {
        let request = Request {
            paths: &self.paths,
            args: &self.batch,
            from: self.from,
            folder,
            rename: &|_, relative| {
                let mut name = without_extension(relative).into_os_string();
                name.push(format!(".{}", picture.extension()));
                Ok(name.into())
            },
            reserved,
            force: self.force,
            past: "drawn",
            options: format!(
                "{picture:?} {:?} {:?} {:?} {:?} {} {:?} {analysis:?}",
                self.panels, self.devices, self.time, self.theme, self.width, self.title
            ),
            accepts_stdin: false,
        };
        request.plan()
    }
}

/// Draws the figure of a recording. Returns it as SVG, with the length of the drawn time range in seconds.
fn draw(
    args: &Args,
    analysis: &AnalysisParameters,
    input: &Input,
    limits: &Limits,
) -> anyhow::Result<(String, f32, Outcome)> {
    let (recording, read) = input.corrected(args.corrections, limits)?;
    let name = input.file_name().unwrap_or_default();
    let mut options = args.plot_options(&name)?;
    warn_of_unrecorded(&options.devices, &recording, input.name())?;
    if let Some(time) = args.time {
        let range = within(time, &recording, input.name())?;
        options.time = Some(range.closed_by(recording.played_range()));
    }
    let (analysis, outcome) = analyze(analysis, &recording, input, &options.panels)?;
    let shown = options.time.unwrap_or(analysis.range);
    Ok((plot(&analysis, &options), shown.length(), outcome.and(read)))
}

/// Analyses a recording, and warns of damage that changes these panels.
fn analyze(
    options: &AnalysisParameters,
    recording: &Recording<'_>,
    input: &Input,
    panels: &[Panel],
) -> anyhow::Result<(Analysis, Outcome)> {
    let analysis = Analysis::of(recording, options).with_context(|| input.context())?;
    let findings = panel_findings(&analysis, panels);
    let outcome = warn_of_used_damage(&analysis, input.name(), findings);
    Ok((analysis, outcome))
}

/// Draws one recording into one file.
fn figure(
    args: &Args,
    options: &AnalysisParameters,
    picture: Picture,
    limits: &Limits,
) -> anyhow::Result<Outcome> {
    let [path] = args.paths.as_slice() else {
        return Ok(Outcome::Done);
    };
    if is_folder(path) {
        let message = format!("{} is a folder", path.display());
        return Err(Refusal::usage(
            message,
            "-r draws a contact sheet of all recordings in it",
        ));
    }
    output::check_result(&args.paths, &args.output, "drawn", args.force)?;
    let input = Input::open_as(path, args.from, limits)?;
    let (figure, seconds, outcome) = draw(args, options, &input, limits)?;
    output::write_to(&args.output, args.force, picture.is_binary(), |output| {
        picture.write(&figure, output)
    })?;
    if !args.batch.quiet {
        let made = format!("drew {}", name_of(path, "standard input"));
        summarize(&made, &[format!("{seconds:.3} s")], &args.output);
    }
    Ok(outcome)
}

/// Draws each recording into a file of its own.
fn figures(
    args: &Args,
    options: &AnalysisParameters,
    picture: Picture,
    limits: &Limits,
) -> anyhow::Result<Outcome> {
    crate::files::batch::refuse_file(&args.output)?;
    let mut batch = args.plan(Some(&args.output), &[], options, picture)?;
    let mut summary = batch.summary(MAX_WARNINGS);
    let work = |job: &Job| -> anyhow::Result<Status> {
        if let Some(outcome) = job.current {
            return Ok(Status::Current(outcome));
        }
        job.check()?;
        let input = Input::open_as(&job.input, args.from, limits)?;
        let (figure, _, outcome) = draw(args, options, &input, limits)?;
        let outcome = batch.write(job, |output: &mut Sink<'_>| {
            picture.write(&figure, output)?;
            Ok(outcome)
        })?;
        Ok(Status::Written(outcome))
    };
    batch.run(true, work, |_, status, messages| {
        summary.add(status, messages);
        Ok(())
    })?;
    Ok(batch.report(summary))
}
