//! Runs parts in processes of their own. A part starts when the parts that it needs have passed, and its output is printed
//! when it ends, so that the outputs of parts do not mix.

use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, anyhow, ensure};
use fs_err as fs;
use wait4::Wait4;

use super::changed;
use super::parts::{self, Kind, Part};
use super::report::{self, Cost, Outcome};
use crate::host;
use crate::process::{headline, root, target};

/// The number of downloads at the same time.
const DOWNLOADS: usize = 3;

/// Runs parts in processes of their own, and returns their results. A part earlier in the list starts first if several
/// can start. Needs that are not in the list count as passed. `filter` is the filter of nextest for the tests of
/// crates, see [`changed::FILTER`].
pub(super) fn run(parts: &[Part], filter: &str) -> Result<Vec<Outcome>> {
    let logs = target().join("xtask/log");
    fs::create_dir_all(&logs)?;
    println!("the output of parts that run is in {}", logs.display());
    // A build of the workspace may replace the program of this process.
    let program = target().join("xtask/xtask-of-tests");
    fs::copy(std::env::current_exe()?, &program)?;
    // Parts wait for Wine, browsers and sleeping tests, so more parts run than the machine has processors.
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let mut run = Run {
        parts,
        start: Instant::now(),
        waiting: (0..parts.len()).collect(),
        running: Vec::new(),
        outcomes: Vec::new(),
        checks: processors + 2,
    };
    let (sender, receiver) = mpsc::channel();
    std::thread::scope(|scope| {
        loop {
            run.skip_impossible();
            while let Some(index) = run.next() {
                let part = &parts[index];
                println!(
                    "{:>5} s  {} starts",
                    run.start.elapsed().as_secs(),
                    part.name
                );
                let begin = run.start.elapsed();
                let (sender, program, logs) = (sender.clone(), &program, &logs);
                scope.spawn(move || {
                    let start = Instant::now();
                    let log = logs.join(format!("{}.txt", part.name));
                    let niceness = parts::niceness(part);
                    let mut command = if cfg!(unix) && niceness > 0 {
                        let mut nice = Command::new("nice");
                        nice.arg(format!("-n{niceness}")).arg(program);
                        nice
                    } else {
                        Command::new(program)
                    };
                    command.args(["test", "--only", part.name]);
                    if part.needs.contains(&parts::PROGRAMS) {
                        command.env(host::IS_BUILT, "1");
                    }
                    let result = run_part(command.env(changed::FILTER, filter), &log);
                    let wall = start.elapsed();
                    // The receiver lives as long as the scope.
                    sender.send((index, begin, wall, result)).ok();
                });
            }
            if run.running.is_empty() {
                break;
            }
            let Ok((index, begin, wall, result)) = receiver.recv() else {
                break;
            };
            run.end(index, begin, wall, result, &logs);
        }
    });
    ensure!(
        run.waiting.is_empty(),
        "parts wait for each other: {}",
        run.waiting
            .iter()
            .map(|index| parts[*index].name)
            .collect::<Vec<_>>()
            .join(", ")
    );
    Ok(run.outcomes)
}

/// The state of a run.
struct Run<'a> {
    parts: &'a [Part],
    start: Instant,
    /// Indices of parts that have not started.
    waiting: Vec<usize>,
    running: Vec<usize>,
    outcomes: Vec<Outcome>,
    /// The number of parts at the same time, without downloads.
    checks: usize,
}

impl Run<'_> {
    /// Moves the first waiting part that can start now to the running parts, and returns its index. `None` if none can
    /// start.
    fn next(&mut self) -> Option<usize> {
        let running = |kind| {
            let of_kind = |index: &&usize| self.parts[**index].kind == kind;
            self.running.iter().filter(of_kind).count()
        };
        let has_room = |part: &Part| match part.kind {
            Kind::Download => running(Kind::Download) < DOWNLOADS,
            Kind::Check | Kind::Build => running(Kind::Check) + running(Kind::Build) < self.checks,
        };
        // Cargo would let the second build of the folder wait for the first one.
        let is_building = running(Kind::Build) > 0;
        let position = self.waiting.iter().position(|index| {
            let part = &self.parts[*index];
            let is_ready = part.needs.iter().all(|need| self.has_passed(need));
            is_ready && has_room(part) && !(is_building && part.kind == Kind::Build)
        })?;
        let index = self.waiting.remove(position);
        self.running.push(index);
        Some(index)
    }

    /// Returns `true` if the part `name` has passed, or is not in this run.
    fn has_passed(&self, name: &str) -> bool {
        let outcome = self.outcomes.iter().find(|outcome| outcome.name == name);
        match outcome {
            Some(outcome) => outcome.result.is_ok(),
            None => self.parts.iter().all(|part| part.name != name),
        }
    }

    /// Marks waiting parts as failed if they need a part that has failed, also if it failed for the same reason.
    fn skip_impossible(&mut self) {
        loop {
            let failed = |name: &&&str| {
                let mut outcomes = self.outcomes.iter();
                outcomes.any(|outcome| outcome.name == **name && outcome.result.is_err())
            };
            let found = self.waiting.iter().enumerate().find_map(|(at, index)| {
                let need = self.parts[*index].needs.iter().find(failed)?;
                Some((at, *index, *need))
            });
            let Some((at, index, need)) = found else {
                return;
            };
            self.waiting.remove(at);
            let part = &self.parts[index];
            let error = anyhow!("not run, because \"{need}\" failed");
            println!("\n== {}\n{error}", part.name);
            self.outcomes.push(Outcome {
                name: part.name,
                is_download: part.kind == Kind::Download,
                begin: self.start.elapsed(),
                wall: Duration::ZERO,
                cost: None,
                result: Err(error),
            });
        }
    }

    /// Prints the output of a part that has ended, from its file in the folder `logs`, and stores its result. `begin`
    /// is the time from the start of the run to the start of the part, and `wall` how long it ran.
    fn end(
        &mut self,
        index: usize,
        begin: Duration,
        wall: Duration,
        result: Result<(bool, Cost)>,
        logs: &Path,
    ) {
        self.running.retain(|running| *running != index);
        let part = &self.parts[index];
        headline(part.name);
        let log = logs.join(format!("{}.txt", part.name));
        // The output of programs may contain bytes that are not UTF-8.
        let log = fs::read(log).unwrap_or_default();
        let log = String::from_utf8_lossy(&log);
        println!("{}", log.trim_end());
        let (cost, result) = match result {
            Ok((true, cost)) => (Some(cost), Ok(())),
            Ok((false, cost)) => (
                Some(cost),
                Err(anyhow!(
                    "the end of its output:\n{}",
                    report::last_lines(&log)
                )),
            ),
            Err(error) => (None, Err(error)),
        };
        match &result {
            Ok(()) => println!("-- {}: passed after {} s", part.name, wall.as_secs()),
            Err(_) => println!("-- {}: FAILED after {} s", part.name, wall.as_secs()),
        }
        self.outcomes.push(Outcome {
            name: part.name,
            is_download: part.kind == Kind::Download,
            begin,
            wall,
            cost,
            result,
        });
    }
}

/// Runs the process of a part, with its output in the file `log`. Returns `true` if the part passed, and its processor
/// time and memory.
fn run_part(command: &mut Command, log: &Path) -> Result<(bool, Cost)> {
    let output = fs::File::create(log)?.into_parts().0;
    command
        .current_dir(root())
        .stdin(Stdio::null())
        .stdout(output.try_clone()?)
        .stderr(output);
    let child = command
        .spawn()
        .with_context(|| format!("cannot run {}", command.get_program().display()))?;
    let ended = child.wait4()?;
    let cost = Cost {
        processor: ended.rusage.utime + ended.rusage.stime,
        memory: ended.rusage.maxrss,
    };
    Ok((ended.status.success(), cost))
}
