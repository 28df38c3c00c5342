//! The outcome of a command, and its exit code.

use std::borrow::Cow;
use std::error::Error;
use std::io;
use std::process::ExitCode;

/// The outcome of a command. The outcome of several files is the worst of them.
// The variants are in order of severity, which `and` compares. Exit codes have another order,
// because 1 and 2 mean the same as in most programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Outcome {
    /// Everything is done.
    #[default]
    Done,
    /// Done, but data was lost, or values of a damaged recording were written or printed.
    DataLost,
    /// Something failed: the only file, or at least one of several.
    Failed,
    /// The command line is wrong.
    Usage,
    /// Something failed in a verb for which exit code 1 is an answer: `diff`.
    Trouble,
    /// An application that the program started has ended with this exit code, which is not 0.
    Application(u8),
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
            // `diff` and `cmp` also return 1 for an answer and 2 for trouble.
            Outcome::Usage | Outcome::Trouble => 2,
            Outcome::DataLost => 3,
            Outcome::Application(code) => code,
        })
    }
}

/// A refusal to do what the command line asks for, with a hint.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Refusal {
    message: String,
    pub(crate) hint: Cow<'static, str>,
    outcome: Outcome,
}

impl Refusal {
    /// Creates the error for a command line that is wrong, whatever the files contain.
    pub(crate) fn usage(
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> anyhow::Error {
        Refusal::with(message, hint.into(), Outcome::Usage)
    }

    /// Creates the error for a failure that depends on the files.
    pub(crate) fn failure(
        message: impl Into<String>,
        hint: impl Into<Cow<'static, str>>,
    ) -> anyhow::Error {
        Refusal::with(message, hint.into(), Outcome::Failed)
    }

    fn with(
        message: impl Into<String>,
        hint: Cow<'static, str>,
        outcome: Outcome,
    ) -> anyhow::Error {
        anyhow::Error::from(Refusal {
            message: message.into(),
            hint,
            outcome,
        })
    }
}

/// Returns `true` if the reader of the output has closed it, as `head` does. That is not an error.
pub(crate) fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error.chain().any(is_pipe)
}

fn is_pipe(cause: &(dyn Error + 'static)) -> bool {
    // `csv` and `serde_json` do not return their I/O error as a source, and an I/O error may wrap
    // theirs, so the chain does not contain it.
    if let Some(error) = cause.downcast_ref::<io::Error>() {
        let inner = error.get_ref();
        return error.kind() == io::ErrorKind::BrokenPipe
            || inner.is_some_and(|inner| is_pipe(inner));
    }
    if let Some(error) = cause.downcast_ref::<csv::Error>() {
        return match error.kind() {
            csv::ErrorKind::Io(error) => is_pipe(error),
            _ => false,
        };
    }
    let json = cause.downcast_ref::<serde_json::Error>();
    json.and_then(|error| error.io_error_kind()) == Some(io::ErrorKind::BrokenPipe)
}
