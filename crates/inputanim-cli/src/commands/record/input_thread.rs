//! The input: a thread reads frames, another one signals.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Context;
use inputanim::{MAGIC, Marker};
use inputanim_convert::frames::{Event, FrameOptions, Reader, TextFormat};
use inputanim_convert::tables::TableError;
use inputanim_convert::{Loss, Note};

use crate::messages::hints;
use crate::messages::outcome::Refusal;
use crate::signals::{self, Request};

/// An event during the recording.
pub(super) enum Message {
    /// A frame or marker, and the line that it stands in.
    Event { line: u64, event: Event },
    /// A line that is neither.
    Bad(TableError),
    /// The input cannot be read at all.
    Unusable(anyhow::Error),
    /// A note on poses without rotations, or on ignored names.
    Note(Note),
    /// A loss of poses whose rotations cannot be computed.
    Loss(Loss),
    /// The input has ended.
    End,
    /// A marker of a page, with a time of the recording.
    Marker(Marker<'static>),
    /// A signal asks for a snapshot.
    Snapshot,
    /// A signal ends the recording.
    Stop,
}

/// The number of messages that may wait to be handled: a few seconds of frames.
// Without a bound, a file would be read into memory faster than it is recorded.
const WAITING: usize = 256;

/// Opens the input, and starts threads that read its frames and wait for signals. Returns a sender for further
/// messages, and the receiver of all messages. The format is detected if it is `None`.
pub(super) fn start(
    path: &Path,
    format: Option<TextFormat>,
    options: FrameOptions,
) -> anyhow::Result<(SyncSender<Message>, Receiver<Message>)> {
    let input: Box<dyn BufRead + Send> = if path == Path::new("-") {
        Box::new(BufReader::new(io::stdin()))
    } else {
        let file = File::open(path);
        let file = file.with_context(|| format!("cannot read {}", path.display()))?;
        Box::new(BufReader::new(file))
    };
    let (sender, receiver) = mpsc::sync_channel(WAITING);
    // Signals and frames share a channel, so that one wait serves both. The threads are not joined,
    // because a blocked read cannot be interrupted.
    let requests = sender.clone();
    signals::listen(move |request| {
        let message = match request {
            Request::Stop => Message::Stop,
            Request::Snapshot => Message::Snapshot,
        };
        requests.send(message).ok();
    })?;
    let other = sender.clone();
    thread::spawn(move || read(input, format, &options, &sender));
    Ok((other, receiver))
}

const COLUMNS: &str =
    "docs/frames.md and `inputanim sample --format csv` show the expected columns";

fn read(
    mut input: impl BufRead,
    format: Option<TextFormat>,
    options: &FrameOptions,
    sender: &SyncSender<Message>,
) {
    // An error is ignored here, because the reader meets it again.
    if input
        .fill_buf()
        .is_ok_and(|start| start.starts_with(&MAGIC))
    {
        let message = "expected frames, found a recording";
        let hint = "`inputanim convert IN OUT` converts it; \
                    `inputanim sample IN --at-keys --format csv` prints its frames";
        let error = Refusal::failure(message, hint);
        sender.send(Message::Unusable(error)).ok();
        return;
    }
    let reader = Reader::new(input, format, options);
    // A table without any known column but the time would record nothing.
    let mut reader = match reader.and_then(|reader| reader.refuse_unknown_table().map(|()| reader))
    {
        Ok(reader) => reader,
        Err(error) => {
            sender.send(Message::Unusable(unusable(error))).ok();
            return;
        }
    };
    let early = [reader.missing_rotations(), reader.computed_rotations()];
    for note in early.iter().flatten().cloned() {
        sender.send(Message::Note(note)).ok();
    }
    while let Some(event) = reader.next() {
        let line = reader.line();
        let message = match event {
            Ok(event) => Message::Event { line, event },
            Err(error) => Message::Bad(error),
        };
        // The recording has ended.
        if sender.send(message).is_err() {
            return;
        }
    }
    // Every object of JSON may have other names, so they are complete only at the end.
    let late = [reader.missing_rotations(), reader.computed_rotations()];
    let late = late.into_iter().zip(&early);
    let late = late.filter_map(|(late, early)| late.filter(|_| early.is_none()));
    let notes = late.chain(reader.ignored_names());
    let notes = notes.chain(reader.missing_members());
    for note in notes.chain(reader.notes()) {
        sender.send(Message::Note(note)).ok();
    }
    let losses = reader.uncomputed_rotations().into_iter();
    for loss in losses.chain(reader.held_pinches()) {
        sender.send(Message::Loss(loss)).ok();
    }
    sender.send(Message::End).ok();
}

/// Adds a hint to the error of an input from which no frame can be read.
fn unusable(error: TableError) -> anyhow::Error {
    let hint = match &error {
        // The hint of this error has the mappings that its columns suggest.
        TableError::UnknownColumns { suggested, .. } if !suggested.is_empty() => {
            return error.into();
        }
        TableError::UnknownColumns { place, found, .. } => {
            // The message of the library also names tables of keys, which only `convert` reads.
            let message = format!(
                "{place}: expected columns of frames (time_s, head.position.x, left.tracked, …), found {found}"
            );
            return Refusal::failure(message, COLUMNS);
        }
        TableError::Input(_)
        | TableError::MissingColumns { .. }
        | TableError::NoEffect { .. }
        | TableError::NothingKnown { .. }
        | TableError::AngleUnit { .. }
        | TableError::Separator { .. }
        | TableError::Tidy => return error.into(),
        TableError::Unknown { kind, names, .. } => hints::of_unknown(*kind, names),
        _ => COLUMNS,
    };
    Refusal::failure(error.to_string(), hint)
}

/// Waits up to 200 ms for a signal that ends the recording. Returns `true` if it arrives. Calls `add` with each marker
/// of a page that arrives before it.
///
/// Ctrl-C ends all programs of a pipe at once, and the program that prints the frames may have been in the middle of a
/// line.
pub(super) fn is_stopped(
    messages: &Receiver<Message>,
    mut add: impl FnMut(Marker<'static>) -> anyhow::Result<()>,
) -> anyhow::Result<bool> {
    // The signal and the end of the input arrive in any order.
    const GRACE: Duration = Duration::from_millis(200);
    let start = Instant::now();
    loop {
        match messages.recv_timeout(GRACE.saturating_sub(start.elapsed())) {
            Ok(Message::Stop) => return Ok(true),
            Ok(Message::Marker(marker)) => add(marker)?,
            Ok(_) => {}
            Err(_) => return Ok(false),
        }
    }
}
