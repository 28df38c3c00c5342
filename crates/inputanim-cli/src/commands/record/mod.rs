//! `inputanim record`: records frames as they arrive.

mod capture;
mod files;
mod input_thread;
mod journal;
mod size_estimate;
mod status;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender};

use anyhow::Context;
use clap::ValueEnum;
use inputanim::RecorderOptions;
use inputanim::{Layout, LayoutLoss, Limits, Pauses, Recorder, Recording, Space};
use inputanim_convert::frames::{FrameOptions, TextFormat};
use inputanim_convert::tables::TableError;

use crate::arguments::time_range::duration;
use crate::arguments::values::{layouts, rate, spaces};
use crate::commands::convert::conversion::RowArgs;
use crate::files::in_out::Target;
use crate::files::input::{FoundFile, FromArgs};
use crate::files::output;
use crate::files::page;
use crate::messages::diagnostics::{name_of, note, summarize, warn};
use crate::messages::file_name::FileName;
use crate::messages::hints;
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::seconds;
use crate::server::live::{Live, Start};
use crate::server::{BrowserArgs, RemovedAtEnd, Served, Server};

use capture::{Capture, Step};
use input_thread::Message;
use journal::Journal;
use status::Status;

/// Record frames that another program prints, live or from a file
#[derive(Debug, clap::Args)]
#[command(
    mut_arg("no_open", |no_open| no_open.requires("view")),
    mut_arg("port", |port| port.requires("view")),
    after_help = "\
Frames are JSON objects, one per line or in an array, or rows of CSV or TSV, as `sample` prints them \
(docs/frames.md). Each has a time in seconds, `time` or `time_s`, which must increase. A missing value \
means that the value is unknown. A position without a rotation gets the identity rotation.

Recording ends at the end of the input or at Ctrl-C (SIGINT, SIGTERM). Then OUT is written. SIGUSR1 (Ctrl-Break on Windows) writes a \
snapshot next to OUT, and recording continues. The first line that cannot be recorded ends the recording, \
unless --skip-bad is given; the frames before it are written, with exit code 3.

Examples:
  tracker | inputanim record -o take.bin
  tracker | inputanim record --preset mrtk -o last-30-seconds.bin
  inputanim sample a.bin --at-keys --format csv | inputanim record -o b.bin
  tracker | inputanim record --view -o take.bin")]
pub(crate) struct Args {
    /// The file with the frames; `-` is standard input
    #[arg(value_name = "IN", default_value = "-")]
    input: PathBuf,
    #[command(flatten)]
    target: Target,
    /// The format of IN [default: by its extension, or its first character]
    #[arg(long = "input-format", value_name = "FORMAT", value_enum)]
    from: Option<FrameFormat>,
    /// The axes of IN
    #[arg(long, default_value_t, value_parser = spaces(), ignore_case = true)]
    space: Space,
    #[command(flatten)]
    keep: RecorderArgs,
    /// Also write frames to this session file as they arrive, so that a crash loses less than a second;
    /// the file is removed when OUT is written
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    /// Stop when the recording is this long. The duration is measured by the times of the frames, so
    /// `record` stops when a frame at this duration or later arrives
    #[arg(long, value_name = "SECONDS", value_parser = duration, allow_negative_numbers = true)]
    max_seconds: Option<f32>,
    #[command(flatten)]
    rows: RowArgs,
    /// Show the frames in a browser as they arrive
    #[arg(long)]
    view: bool,
    #[command(flatten)]
    browser: BrowserArgs,
}

/// The options of the recorder.
#[derive(Debug, clap::Args)]
struct RecorderArgs {
    /// Keep only the frames of the last SECONDS; their times stay the same, unless --from-zero is given
    #[arg(long, value_name = "SECONDS", value_parser = duration, allow_negative_numbers = true)]
    keep_last: Option<f32>,
    /// Record at most this many frames per second; all changes of states are still recorded
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// The time without frames from which everything is unknown: seconds, or `none` [default: 0.5, and at least 10 times
    /// the median interval]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    pauses: Option<Pauses>,
    /// Shift the times of OUT so that its first frame is at t = 0
    #[arg(long)]
    from_zero: bool,
    /// The layout to write [default: mrtk-1.1]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    layout: Option<Layout>,
    /// Use the settings of a recorder; other options override them
    #[arg(long, value_name = "NAME", value_enum)]
    preset: Option<Preset>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum FrameFormat {
    /// JSON objects, one per line or in an array
    Ndjson,
    /// Comma-separated rows; the first one has the names of the columns
    Csv,
    /// Tab-separated rows; the first one has the names of the columns
    Tsv,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Preset {
    /// The settings of MRTK: --keep-last 30 --rate 60 --from-zero
    Mrtk,
}

impl RecorderArgs {
    fn settings(&self) -> RecorderOptions {
        let mut options = match self.preset {
            Some(Preset::Mrtk) => RecorderOptions::MRTK,
            None => RecorderOptions::new(Layout::Mrtk1_1),
        };
        options.layout = self.layout.unwrap_or(options.layout);
        options.keep_last = self.keep_last.or(options.keep_last);
        options.max_rate = self.rate.or(options.max_rate);
        options.pauses = self.pauses.unwrap_or(options.pauses);
        options.from_zero |= self.from_zero;
        options
    }
}

impl Args {
    /// Returns the format of the input: of `--input-format`, otherwise by its extension. `None` if the format must
    /// be detected from the content.
    fn format(&self) -> Option<TextFormat> {
        let extension = || Some(self.input.extension()?.to_ascii_lowercase());
        match self.from {
            Some(FrameFormat::Ndjson) => Some(TextFormat::Ndjson),
            Some(FrameFormat::Csv) => Some(TextFormat::Csv),
            Some(FrameFormat::Tsv) => Some(TextFormat::Tsv),
            None => match extension()?.to_str()? {
                "ndjson" | "jsonl" => Some(TextFormat::Ndjson),
                "csv" => Some(TextFormat::Csv),
                "tsv" => Some(TextFormat::Tsv),
                _ => None,
            },
        }
    }

    /// Creates the session file if `--session` is given. Returns `None` otherwise.
    fn journal(&self, layout: Layout) -> anyhow::Result<Option<Journal>> {
        let Some(path) = &self.session else {
            return Ok(None);
        };
        let journal = Journal::create(path, layout)?;
        // The comparison follows links, for which the session must exist.
        if output::is_same_file(path, &self.target.output) {
            journal.remove();
            let message = "--session and -o are the same file";
            return Err(Refusal::usage(message, "choose another file for --session"));
        }
        Ok(Some(journal))
    }

    /// Starts the server of `--view`, whose pages show the recording while it is made. Returns `None` without this
    /// option. Markers of the pages are sent to `sender`.
    fn live(
        &self,
        settings: &RecorderOptions,
        sender: SyncSender<Message>,
        limits: &Limits,
    ) -> anyhow::Result<Option<(Arc<Live>, RemovedAtEnd)>> {
        if !self.view {
            return Ok(None);
        }
        let start = Start {
            layout: settings.layout.name(),
            keep_last: settings.keep_last,
        };
        let output = Some(&self.target.output).filter(|output| *output != Path::new("-"));
        let files: Vec<FoundFile> = output
            .map(|path| FoundFile::named(path))
            .into_iter()
            .collect();
        let name = page::names_of(&files).pop();
        let name = name.unwrap_or_else(|| "recording.bin".to_owned());
        // A page must not wait for the recording. Some layouts have no markers.
        let has_markers = settings.layout.has_markers();
        let add = move |marker| has_markers && sender.try_send(Message::Marker(marker)).is_ok();
        let live = Arc::new(Live::new(name, &start, add)?);
        let served = Served {
            files,
            videos: Vec::new(),
            from: FromArgs::default(),
            limits: *limits,
        };
        let server = Server::start(self.browser.port, served, Some(Arc::clone(&live)))?;
        // Not on standard output, which may be the recording.
        note(format_args!(
            "the recording is shown at {}",
            server.address()
        ));
        let opened = self.browser.open(&server);
        std::thread::spawn(move || server.run());
        Ok(Some((live, opened)))
    }

    /// Returns the name of the input for messages: its path, or `standard input`.
    fn name(&self) -> String {
        name_of(&self.input, "standard input")
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    files::check(&args.target)?;
    let settings = args.keep.settings();
    let recorder = Recorder::with_options(settings)?;
    let mut options = FrameOptions::default();
    // As in `convert`, mappings name the columns that matter.
    options.ignore_unknown = args.rows.ignore_unknown || !args.rows.map.is_empty();
    options.mappings = args.rows.mappings()?;
    options.space = args.space;
    // The reader subtracts the first time in double precision. An f32 cannot hold seconds since
    // 1970.
    options.from_zero = settings.from_zero;
    // The input is opened first, so that a wrong name leaves no session file.
    let (sender, messages) = input_thread::start(&args.input, args.format(), options)?;
    let (live, _opened) = args.live(&settings, sender, limits)?.unzip();
    let journal = args.journal(settings.layout)?;
    let mut capture = Capture::new(recorder, journal, live.clone(), args, limits);
    let mut stopped = listen(&messages, &mut capture, args);
    // Markers that a page has added are recorded. Later ones are refused, because nobody receives them.
    for message in messages.try_iter() {
        if let (Message::Marker(marker), Ok(())) = (message, &stopped) {
            stopped = capture.page_marker(marker);
        }
    }
    drop(messages);
    let outcome = finish(capture, stopped, args);
    if let Some(live) = live {
        let is_file = args.target.output != Path::new("-");
        live.end(outcome.is_ok() && is_file);
    }
    outcome
}

/// Records the frames and markers in `messages` until the input ends, the user stops the recording, or an error occurs.
fn listen(messages: &Receiver<Message>, capture: &mut Capture, args: &Args) -> anyhow::Result<()> {
    let mut status = Status::new();
    loop {
        let step = match messages.recv_timeout(status::INTERVAL) {
            Ok(Message::Event { line, event }) => capture.event(line, event)?,
            Ok(Message::Bad(error @ TableError::Truncated { .. })) => {
                let add = |marker| capture.page_marker(marker);
                if !input_thread::is_stopped(messages, add)? {
                    capture.bad_text(error)?;
                }
                // Only the last line can be truncated. The message of the end may have been consumed.
                Step::End
            }
            Ok(Message::Bad(error)) => capture.bad_text(error)?,
            Ok(Message::Unusable(error)) => return Err(error.context(FileName::new(&args.input))),
            Ok(Message::Note(text)) => {
                status.suspend(|| note(text));
                Step::Next
            }
            Ok(Message::Loss(loss)) => {
                capture.loss = Some(loss);
                Step::Next
            }
            Ok(Message::Marker(marker)) => {
                capture.page_marker(marker)?;
                Step::Next
            }
            Ok(Message::Snapshot) => {
                status.suspend(|| files::write_snapshot(&args.target, capture));
                Step::Next
            }
            Ok(Message::End | Message::Stop) | Err(RecvTimeoutError::Disconnected) => Step::End,
            Err(RecvTimeoutError::Timeout) => Step::Next,
        };
        if step == Step::End {
            return Ok(());
        }
        status.show(capture);
    }
}

/// Writes the recorded frames, and prints a summary. `stopped` is the error that ended the recording, if there is one;
/// the frames before it are written too.
fn finish(
    mut capture: Capture,
    stopped: anyhow::Result<()>,
    args: &Args,
) -> anyhow::Result<Outcome> {
    // The session is complete on disk before the output is written, which may fail.
    let journal = capture.journal.take().map(Journal::finish);
    let mut outcome = Outcome::Done;
    if let Some(skipped) = capture.skipped_rows_message() {
        warn(format_args!("{}: {skipped}", args.name()));
        outcome = Outcome::DataLost;
    }
    if let Some(loss) = &capture.loss {
        warn(format_args!("{}: lost: {loss}", args.name()));
        outcome = Outcome::DataLost;
    }
    if capture.recorder.frames() == 0 {
        if let Some(journal) = journal {
            journal.remove();
        }
        let nothing = || {
            let hint =
                "docs/frames.md and `inputanim sample --format ndjson` show the format of frames";
            Err(Refusal::failure("no frames: no output written", hint))
        };
        let error = stopped.and_then(|()| nothing());
        return error.with_context(|| args.name());
    }
    // Frames before the error cannot be recorded again, so the output is written.
    if let Err(error) = stopped {
        warn(format_args!("{}: {}", args.name(), end_message(&error)));
        outcome = Outcome::DataLost;
    }
    let summary = capture.summary();
    for text in capture.unit_notes() {
        note(format_args!("{}: {text}", args.name()));
    }
    let (recording, lost) = as_its_layout(capture.recorder.finish());
    if let Some(start) = first_key(&recording).filter(|start| *start > 0.1) {
        note(format_args!(
            "{}: keys start at {} s; before that, the first pose is held; --from-zero moves them to 0",
            args.name(),
            seconds(start)
        ));
    }
    for loss in lost {
        warn(format_args!("{}: lost: {loss}", args.name()));
        outcome = Outcome::DataLost;
    }
    let written = args.target.write(&recording);
    let output = &args.target.output;
    match journal {
        // The reader of a pipe may still fail, so the session is kept.
        Some(journal) if written.is_ok() && output != Path::new("-") => journal.remove(),
        Some(journal) => journal.print_location(),
        None => {}
    }
    outcome = outcome.and(written?);
    if !args.target.quiet {
        summarize(&format!("recorded {}", args.name()), &[summary], output);
    }
    Ok(outcome)
}

/// Formats the error that ended a recording before its input, with its hints.
fn end_message(error: &anyhow::Error) -> String {
    let place = if error.to_string().starts_with("line ") {
        "at "
    } else {
        "early: "
    };
    let mut message = format!("recording ended {place}{error:#}");
    let hints = hints::of_error(error);
    // Nothing follows a line that is truncated.
    if !hints.iter().any(|hint| hint == capture::ENDED_EARLY) {
        message += "; the lines after it were not read";
    }
    for hint in hints {
        message += "; ";
        message += &hint;
    }
    message
}

/// Returns the earliest time of the first keys of all curves, in seconds; `None` without keys.
fn first_key(recording: &Recording<'_>) -> Option<f32> {
    let times = recording
        .curves()
        .filter_map(|(_, curve)| curve.points().next().map(|(time, _)| time));
    times.reduce(f32::min)
}

/// Reduces a recording to the data that its layout can represent. Returns it with a description of each loss.
fn as_its_layout(recording: Recording<'static>) -> (Recording<'static>, Vec<String>) {
    let layout = recording.layout;
    let losses = recording.layout_losses(layout);
    // A missing head or hand is not a loss, since none was recorded.
    let lost = losses
        .iter()
        .filter(|loss| !matches!(loss, LayoutLoss::MissingHead | LayoutLoss::MissingHands));
    let lost = lost.map(ToString::to_string).collect();
    (recording.with_layout(layout), lost)
}
