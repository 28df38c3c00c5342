//! An application that the program starts and waits for.

use std::ffi::OsString;
use std::path::Path;
use std::process::{Command, ExitStatus};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::processes::Processes;
use crate::arguments::time_range::duration;
use crate::messages::diagnostics::warn;
use crate::messages::outcome::{Outcome, Refusal};
use crate::signals::{self, Request};

/// The application and its arguments.
#[derive(Debug, clap::Args)]
pub(super) struct ApplicationArgs {
    /// Stop the application after this time
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    timeout: Option<f32>,
    /// The application and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "APPLICATION")]
    command: Vec<OsString>,
}

/// The time between two looks at the application.
const PAUSE: Duration = Duration::from_millis(20);

/// The time that an application has to end after the recording is over.
const PATIENCE: Duration = Duration::from_secs(10);

/// The time after which a request of the user is passed on. The terminal has sent Ctrl-C to the application too.
const PASS_ON: Duration = Duration::from_secs(1);

impl ApplicationArgs {
    /// Returns the program of the application, as it is on the command line.
    pub(super) fn name(&self) -> String {
        let name = self.command.first().map(Path::new);
        name.map(|name| name.display().to_string())
            .unwrap_or_default()
    }

    /// Starts the application with environment variables, and waits until it ends. Stops it after `--timeout`, when
    /// the user ends this program, or if it still runs 10 s after `is_over` returned `true`. Kills it if it does not
    /// end within `grace` after it was stopped. Each request for a snapshot (SIGUSR1) calls `on_signal`.
    pub(super) fn run(
        &self,
        variables: &[(&str, OsString)],
        grace: Duration,
        is_over: impl Fn() -> bool,
        on_signal: impl Fn() + Send + 'static,
    ) -> anyhow::Result<ExitStatus> {
        let is_stopped = Arc::new(AtomicBool::new(false));
        let stopped = Arc::clone(&is_stopped);
        signals::listen(move |request| match request {
            Request::Stop => stopped.store(true, Ordering::Relaxed),
            Request::Snapshot => on_signal(),
        })?;
        let [program, arguments @ ..] = &self.command[..] else {
            return Err(Refusal::usage(
                "no application",
                "name the application after `--`",
            ));
        };
        let mut command = Command::new(program);
        command
            .args(arguments)
            .envs(variables.iter().map(|(name, value)| (name, value)));
        let mut processes = Processes::start(&mut command).map_err(|error| {
            let message = format!("cannot start {}: {error}", self.name());
            Refusal::failure(
                message,
                "name the application with its path, and its arguments, after `--`",
            )
        })?;
        let begin = Instant::now();
        let mut over: Option<Instant> = None;
        let mut stopped: Option<Instant> = None;
        let mut interrupted: Option<Instant> = None;
        loop {
            if let Some(status) = processes.try_wait()? {
                return Ok(status);
            }
            if over.is_none() && is_over() {
                over = Some(Instant::now());
            }
            let is_late = self
                .timeout
                .is_some_and(|timeout| begin.elapsed().as_secs_f32() >= timeout);
            let is_deaf = over.is_some_and(|over| over.elapsed() >= PATIENCE);
            match stopped {
                Some(stopped) if stopped.elapsed() >= grace => processes.kill()?,
                Some(_) => {}
                None if is_stopped.load(Ordering::Relaxed) => {
                    let interrupted = interrupted.get_or_insert_with(Instant::now);
                    if interrupted.elapsed() >= PASS_ON {
                        processes.stop()?;
                        stopped = Some(Instant::now());
                    }
                }
                None if is_late || is_deaf => {
                    let when = if is_late {
                        "in time"
                    } else {
                        "when it was asked to"
                    };
                    warn(format_args!(
                        "{} did not end {when}, and was stopped",
                        self.name()
                    ));
                    processes.stop()?;
                    stopped = Some(Instant::now());
                }
                None => {}
            }
            thread::sleep(PAUSE);
        }
    }
}

/// Returns the outcome of an application: its exit code, or 128 and the number of the signal that ended it.
pub(super) fn outcome(status: ExitStatus) -> Outcome {
    #[cfg(unix)]
    if let Some(signal) = std::os::unix::process::ExitStatusExt::signal(&status) {
        return Outcome::Application(u8::try_from(128 + signal).unwrap_or(u8::MAX));
    }
    match status.code() {
        Some(0) => Outcome::Done,
        // Windows has exit codes of 32 bits. A code that does not fit is a failure.
        Some(code) => Outcome::Application(u8::try_from(code).unwrap_or(1).max(1)),
        None => Outcome::Failed,
    }
}
