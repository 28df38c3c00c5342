//! `inputanim record`: frames in, as they come; a recording out.

mod feed;
mod files;
mod journal;
mod size;
mod status;
mod take;

use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, RecvTimeoutError};

use anstream::eprintln;
use anyhow::Context;
use clap::ValueEnum;
use inputanim::record::Settings;
use inputanim::{Layout, Limits, Loss, Recorder, Recording, Space};
use inputanim_convert::frames::{self, Format, Options};

use crate::diagnostics::{note, report, warn};
use crate::in_out::Target;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::values::{layouts, rate, seconds, spaces};

use feed::Message;
use journal::Journal;
use status::Status;
use take::{Step, Take};

/// Record frames that another program prints, as they come or from a file
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Frames are ndjson or CSV, a line each, as `sample` prints them: docs/frames.md has the columns and \
members. What is left out is not known; each line has a time, and times rise.

It records until the input ends or Ctrl-C (SIGINT, SIGTERM), and then writes OUT whole. SIGUSR1 writes \
what there is so far beside OUT and goes on. The first line that cannot be recorded ends the \
recording too, unless --skip-bad leaves such lines out; what was recorded is written in any case. Exit \
code 3 then.

Examples:
  tracker | inputanim record -o take.bin
  tracker | inputanim record --preset mrtk -o last-30-seconds.bin
  inputanim sample a.bin --at-keys --format csv | inputanim record -o b.bin")]
pub(crate) struct Args {
    /// The frames; `-` is standard input
    #[arg(value_name = "IN", default_value = "-")]
    input: PathBuf,
    #[command(flatten)]
    target: Target,
    /// The form of the frames [default: by the extension, or the first character]
    #[arg(long, value_name = "FORM", value_enum)]
    from: Option<From>,
    /// The axes of the frames
    #[arg(long, default_value_t, value_parser = spaces())]
    space: Space,
    #[command(flatten)]
    keep: Keep,
    /// Have the frames in this file too, as they come, so that a crash costs less than a second
    #[arg(long, value_name = "FILE")]
    session: Option<PathBuf>,
    /// Stop after so many seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_seconds: Option<f32>,
    /// Leave out lines that cannot be recorded, and go on
    #[arg(long)]
    skip_bad: bool,
    /// Pass over columns and members that mean nothing here
    #[arg(long)]
    ignore_unknown: bool,
}

/// What is recorded, and how much of it is kept.
#[derive(Debug, clap::Args)]
struct Keep {
    /// Keep only the last seconds
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    keep: Option<f32>,
    /// Leave out frames above so many a second; changes of state stay
    #[arg(long, value_name = "HZ", value_parser = rate, allow_negative_numbers = true)]
    rate: Option<f64>,
    /// Make the first frame that is kept t = 0
    #[arg(long)]
    from_zero: bool,
    /// The layout to write [default: mrtk-1.1]
    #[arg(long, value_name = "LAYOUT", value_parser = layouts())]
    layout: Option<Layout>,
    /// Settings of a recorder; other options change them
    #[arg(long, value_name = "NAME", value_enum)]
    preset: Option<Preset>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum From {
    /// An object a line
    #[value(alias = "jsonl")]
    Ndjson,
    /// A table whose first row names the columns
    Csv,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Preset {
    /// The toolkit's: --keep 30 --rate 60 --from-zero
    Mrtk,
}

impl Keep {
    fn settings(&self) -> Settings {
        let preset = match self.preset {
            Some(Preset::Mrtk) => Settings::MRTK,
            None => Settings::new(Layout::Mrtk1_1),
        };
        Settings {
            layout: self.layout.unwrap_or(preset.layout),
            keep: self.keep.or(preset.keep),
            rate: self.rate.map(|rate| rate as f32).or(preset.rate),
            from_zero: self.from_zero || preset.from_zero,
        }
    }
}

impl Args {
    /// The form of the input, where it is told before anything is read.
    fn format(&self) -> Option<Format> {
        let extension = || Some(self.input.extension()?.to_ascii_lowercase());
        match self.from {
            Some(From::Ndjson) => Some(Format::Ndjson),
            Some(From::Csv) => Some(Format::Csv),
            None => match extension()?.to_str()? {
                "ndjson" | "jsonl" => Some(Format::Ndjson),
                "csv" => Some(Format::Csv),
                _ => None,
            },
        }
    }

    /// The session file, which is another than the output.
    fn journal(&self, layout: Layout) -> anyhow::Result<Option<Journal>> {
        let Some(path) = &self.session else {
            return Ok(None);
        };
        let journal = Journal::create(path, layout)?;
        if output::is_same_file(path, &self.target.output) {
            journal.remove();
            let message = "the session and the recording would be one file";
            return Err(Refusal::usage(message, "name another file after --session"));
        }
        Ok(Some(journal))
    }

    /// What the input is called.
    fn name(&self) -> String {
        name_of(&self.input, "standard input")
    }
}

fn name_of(path: &Path, standard: &str) -> String {
    match path == Path::new("-") {
        true => standard.to_owned(),
        false => path.display().to_string(),
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    files::check(&args.target)?;
    let settings = args.keep.settings();
    let recorder = Recorder::with(settings)?;
    let options = Options {
        ignore_unknown: args.ignore_unknown,
        from_zero: settings.from_zero,
        ..Options::default()
    };
    let messages = feed::start(&args.input, args.format(), options)?;
    let journal = args.journal(settings.layout)?;
    let mut take = Take::new(recorder, journal, args, limits);
    let stopped = listen(&messages, &mut take, args);
    finish(take, stopped, args)
}

/// Records until there is an end; gives the error if that is it.
fn listen(messages: &Receiver<Message>, take: &mut Take, args: &Args) -> anyhow::Result<()> {
    let mut status = Status::new();
    loop {
        let step = match messages.recv_timeout(status::INTERVAL) {
            Ok(Message::Event { line, event }) => take.event(line, event)?,
            Ok(Message::Bad(frames::Error::Torn { .. })) if feed::is_stopped(messages) => Step::End,
            Ok(Message::Bad(error)) => take.bad_text(error)?,
            Ok(Message::Unusable(error)) => return Err(error),
            Ok(Message::Taken(how)) => {
                let name = args.name();
                status.suspend(|| note(format_args!("{name}: {how}")));
                Step::Next
            }
            Ok(Message::Ignored(names)) => {
                let names: Vec<String> = names.into_iter().collect();
                let (name, names) = (args.name(), names.join(", "));
                status.suspend(|| warn(format_args!("{name}: passed over: {names}")));
                Step::Next
            }
            Ok(Message::Snapshot) => {
                status.suspend(|| files::write_snapshot(&args.target, take));
                Step::Next
            }
            Ok(Message::End | Message::Stop) | Err(RecvTimeoutError::Disconnected) => Step::End,
            Err(RecvTimeoutError::Timeout) => Step::Next,
        };
        if step == Step::End {
            return Ok(());
        }
        status.show(take);
    }
}

/// Writes what was recorded, and says what it is.
fn finish(mut take: Take, stopped: anyhow::Result<()>, args: &Args) -> anyhow::Result<Outcome> {
    let journal = take.journal.take().map(Journal::finish);
    let mut outcome = Outcome::Done;
    if let Some(left_out) = take.left_out() {
        warn(format_args!("{}: {left_out}", args.name()));
        outcome = Outcome::DataLost;
    }
    if take.recorder.frames() == 0 {
        if let Some(journal) = journal {
            journal.remove();
        }
        let nothing = || {
            let hint = "docs/frames.md and `inputanim sample --format ndjson` show what frames are";
            Err(Refusal::failure(
                "there was no frame: nothing is written",
                hint,
            ))
        };
        let error = stopped.and_then(|()| nothing());
        return error.with_context(|| args.name());
    }
    if let Err(error) = stopped {
        report(&error.context(args.name()));
        outcome = Outcome::DataLost;
    }
    let summary = take.summary();
    let (recording, lost) = as_its_layout(take.recorder.finish());
    for loss in lost {
        warn(format_args!("{}: lost: {loss}", args.name()));
        outcome = Outcome::DataLost;
    }
    let written = args.target.write(&recording);
    let output = &args.target.output;
    match journal {
        // Who reads from a pipe may still fail.
        Some(journal) if written.is_ok() && output != Path::new("-") => journal.remove(),
        Some(journal) => journal.tell(),
        None => {}
    }
    written?;
    eprintln!("{}: {summary}", name_of(output, "standard output"));
    Ok(outcome)
}

/// A recording without what its layout cannot hold, and what that is.
fn as_its_layout(recording: Recording<'static>) -> (Recording<'static>, Vec<String>) {
    let layout = recording.layout;
    let losses = recording.losses(layout);
    // That there is no head or hand is no loss: there was none.
    let lost = losses
        .iter()
        .filter(|loss| !matches!(loss, Loss::MissingCamera | Loss::MissingHands));
    let lost = lost.map(ToString::to_string).collect();
    (recording.into_layout(layout), lost)
}
