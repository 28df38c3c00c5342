//! How a command ended, and the exit code that says so.

use std::io;
use std::process::ExitCode;

/// How a command ended; of several files the worst counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// All done, nothing lost.
    Done,
    /// Done, but something could not be kept.
    DataLost,
    /// Not done, or done only for some files.
    Failed,
    /// The command line asks for something that cannot be.
    Usage,
    /// Not done, by a verb that fails as an answer.
    Trouble,
}

impl Outcome {
    pub(crate) fn and(self, other: Outcome) -> Outcome {
        self.max(other)
    }

    pub(crate) fn of_error(error: &anyhow::Error) -> Outcome {
        let refusal = error.downcast_ref::<Refusal>();
        refusal.map_or(Outcome::Failed, |refusal| refusal.outcome)
    }
}

impl From<Outcome> for ExitCode {
    fn from(outcome: Outcome) -> ExitCode {
        ExitCode::from(match outcome {
            Outcome::Done => 0,
            Outcome::Failed => 1,
            Outcome::Usage | Outcome::Trouble => 2,
            Outcome::DataLost => 3,
        })
    }
}

/// Something that this program will not do as asked, and how to ask for it.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    message: String,
    pub(crate) hint: &'static str,
    outcome: Outcome,
}

impl Refusal {
    /// The command line makes no sense, whatever the files are.
    pub(crate) fn usage(message: impl Into<String>, hint: &'static str) -> anyhow::Error {
        Refusal::with(message, hint, Outcome::Usage)
    }

    /// The command line makes sense, but not for these files.
    pub(crate) fn failure(message: impl Into<String>, hint: &'static str) -> anyhow::Error {
        Refusal::with(message, hint, Outcome::Failed)
    }

    fn with(message: impl Into<String>, hint: &'static str, outcome: Outcome) -> anyhow::Error {
        anyhow::Error::from(Refusal {
            message: message.into(),
            hint,
            outcome,
        })
    }
}

/// Whether the reader of our output went away, as `head` does: not worth a word.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    let is_pipe = |error: &io::Error| error.kind() == io::ErrorKind::BrokenPipe;
    error.chain().any(|cause| {
        let csv = cause.downcast_ref::<csv::Error>();
        let from_csv = csv.is_some_and(|error| match error.kind() {
            csv::ErrorKind::Io(error) => is_pipe(error),
            _ => false,
        });
        let json = cause.downcast_ref::<serde_json::Error>();
        let from_json = json.and_then(|error| error.io_error_kind());
        from_csv
            || from_json == Some(io::ErrorKind::BrokenPipe)
            || cause.downcast_ref::<io::Error>().is_some_and(is_pipe)
    })
}
