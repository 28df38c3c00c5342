//! What comes in: frames from a thread that waits for them, and signals.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use inputanim::MAGIC;
use inputanim_convert::frames::{Error, Event, Format, Options, Reader};
use inputanim_convert::tables::Note;

use crate::outcome::Refusal;

use super::take::IGNORE;

/// What happens while it records.
pub(super) enum Message {
    /// A frame or marker, and the line that it stands in.
    Event { line: u64, event: Event },
    /// A line that is neither.
    Bad(Error),
    /// The input cannot be read at all.
    Unusable(anyhow::Error),
    /// How the input is taken.
    Taken(Note),
    /// The names of what was passed over, once all is read.
    Ignored(BTreeSet<String>),
    /// The input has ended.
    End,
    /// By a signal: what there is so far is to be written.
    Snapshot,
    /// By a signal: it is to end.
    Stop,
}

/// Frames that wait to be recorded: a few seconds.
const WAITING: usize = 256;

/// Opens the input and begins to read it.
pub(super) fn start(
    path: &Path,
    format: Option<Format>,
    options: Options,
) -> anyhow::Result<Receiver<Message>> {
    let input: Box<dyn BufRead + Send> = match path == Path::new("-") {
        true => Box::new(BufReader::new(io::stdin())),
        false => {
            let file = File::open(path);
            let file = file.with_context(|| format!("cannot read {}", path.display()))?;
            Box::new(BufReader::new(file))
        }
    };
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    signals::listen(sender.clone())?;
    thread::spawn(move || read(input, format, &options, &sender));
    Ok(receiver)
}

fn read(
    mut input: impl BufRead,
    format: Option<Format>,
    options: &Options,
    sender: &SyncSender<Message>,
) {
    // An input that fails here fails again when it is read.
    if input
        .fill_buf()
        .is_ok_and(|start| start.starts_with(&MAGIC))
    {
        let message = "this is a recording already, no frames";
        let error = Refusal::failure(message, "`inputanim sample --at-keys` prints its frames");
        sender.send(Message::Unusable(error)).ok();
        return;
    }
    let mut reader = match Reader::new(input, format, options) {
        Ok(reader) => reader,
        Err(error) => {
            sender.send(Message::Unusable(unusable(error))).ok();
            return;
        }
    };
    let poses = reader.not_turned();
    if !poses.is_empty() {
        sender.send(Message::Taken(Note::NotTurned { poses })).ok();
    }
    while let Some(event) = reader.next() {
        let line = reader.line();
        let message = match event {
            Ok(event) => Message::Event { line, event },
            Err(error) => Message::Bad(error),
        };
        // Nobody listens any more.
        if sender.send(message).is_err() {
            return;
        }
    }
    if !reader.ignored().is_empty() {
        sender.send(Message::Ignored(reader.ignored().clone())).ok();
    }
    sender.send(Message::End).ok();
}

/// A table whose first row says nothing, or an input that fails.
fn unusable(error: Error) -> anyhow::Error {
    let hint = match error {
        Error::Io(_) => return error.into(),
        Error::Unknown { .. } => IGNORE,
        _ => "`inputanim sample --format csv` and --format ndjson show what frames are",
    };
    Refusal::failure(error.to_string(), hint)
}

/// Whether a signal comes within a moment: Ctrl-C ends all programs of a pipe at once, and who
/// printed the frames may have been in the middle of a line.
pub(super) fn is_stopped(messages: &Receiver<Message>) -> bool {
    const MOMENT: Duration = Duration::from_millis(200);
    let start = Instant::now();
    loop {
        match messages.recv_timeout(MOMENT.saturating_sub(start.elapsed())) {
            Ok(Message::Stop) => return true,
            Ok(_) => {}
            Err(_) => return false,
        }
    }
}

#[cfg(unix)]
mod signals {
    use std::sync::mpsc::SyncSender;
    use std::{process, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM, SIGUSR1};

    use super::Message;
    use crate::signals;

    /// Turns signals into messages.
    pub(super) fn listen(sender: SyncSender<Message>) -> anyhow::Result<()> {
        let mut signals = signals::listen(&[SIGINT, SIGTERM, SIGHUP, SIGUSR1])?;
        thread::spawn(move || {
            let mut is_stopping = false;
            for signal in signals.forever() {
                match signal {
                    SIGUSR1 => drop(sender.send(Message::Snapshot)),
                    // Who asks twice does not want to wait for the file.
                    _ if is_stopping => process::exit(128 + signal),
                    _ => {
                        is_stopping = true;
                        sender.send(Message::Stop).ok();
                    }
                }
            }
        });
        Ok(())
    }
}

#[cfg(not(unix))]
mod signals {
    use std::sync::mpsc::SyncSender;

    use super::Message;

    pub(super) fn listen(_: SyncSender<Message>) -> anyhow::Result<()> {
        Ok(())
    }
}
