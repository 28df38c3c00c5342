//! The table at the end of a run: which parts passed, and where the time went.

use std::time::Duration;

use anyhow::{Result, bail};

use crate::process::headline;

/// The result of a part.
pub(super) struct Outcome {
    pub(super) name: &'static str,
    /// True if the part waits for the network most of the time.
    pub(super) is_download: bool,
    /// The time from the start of the run to the start of the part.
    pub(super) begin: Duration,
    /// The time that the part ran.
    pub(super) wall: Duration,
    /// The processor time and the memory of the part, if it had a process of its own.
    pub(super) cost: Option<Cost>,
    pub(super) result: Result<()>,
}

/// The processor time and the memory of a process, with the programs that it started.
#[derive(Clone, Copy)]
pub(super) struct Cost {
    /// Processor time, of users and of the system.
    pub(super) processor: Duration,
    /// The most memory that one process had at a time, in bytes.
    pub(super) memory: u64,
}

/// Returns the time for which all processors together have worked since the machine started. `None` on a system that is not
/// Linux.
pub(super) fn busy() -> Option<Duration> {
    let statistics = fs_err::read_to_string("/proc/stat").ok()?;
    let all = statistics.lines().next()?.strip_prefix("cpu ")?;
    let times: Vec<u64> = all
        .split_whitespace()
        .map_while(|time| time.parse().ok())
        .collect();
    // The times of users, programs with low priority, the system, idle, waiting for disks, interrupts, and the hypervisor, in
    // hundredths of a second.
    let &[user, low, system, _, _, interrupts, soft_interrupts, ..] = &times[..] else {
        return None;
    };
    Some(Duration::from_millis(
        10 * (user + low + system + interrupts + soft_interrupts),
    ))
}

/// Prints a table of the results of all parts, and returns an error if a part failed. `busy_before` is the value of
/// [`busy`] at the start of the run.
pub(super) fn finish(outcomes: &[Outcome], busy_before: Option<Duration>) -> Result<()> {
    headline("results");
    let mut sorted: Vec<&Outcome> = outcomes.iter().collect();
    sorted.sort_by_key(|outcome| outcome.begin);
    println!(
        "{:<24}{:>8}{:>8}{:>8}{:>8}{:>9}",
        "part", "start", "wall", "CPU", "cores", "memory"
    );
    for outcome in &sorted {
        let seconds = |time: Duration| format!("{} s", time.as_secs());
        let mut line = format!(
            "{:<24}{:>8}{:>8}",
            outcome.name,
            seconds(outcome.begin),
            seconds(outcome.wall)
        );
        if let Some(cost) = outcome.cost {
            let cores = cost.processor.as_secs_f64() / outcome.wall.as_secs_f64().max(0.001);
            line += &format!(
                "{:>8}{cores:>8.1}{:>6} MB",
                seconds(cost.processor),
                cost.memory / 1_000_000
            );
        }
        let result = if outcome.result.is_ok() {
            ""
        } else {
            "   FAILED"
        };
        println!("{line}{result}");
    }
    print_total(&sorted, busy_before);
    let failed: Vec<&str> = sorted
        .iter()
        .filter(|outcome| outcome.result.is_err())
        .map(|outcome| outcome.name)
        .collect();
    if !failed.is_empty() {
        // Some systems of continuous integration keep only the end of an output.
        for outcome in &sorted {
            if let Err(error) = &outcome.result {
                println!("\n-- {}: {error:#}", outcome.name);
            }
        }
        bail!(
            "{} of {} parts failed: {}",
            failed.len(),
            sorted.len(),
            failed.join(", ")
        );
    }
    Ok(())
}

/// Returns the end of the output of a part that failed, without a stack trace: at most `LINES` lines of `WIDTH` characters.
pub(super) fn last_lines(output: &str) -> String {
    const LINES: usize = 40;
    const WIDTH: usize = 160;
    let output = output
        .rsplit_once("\nStack backtrace:")
        .map_or(output, |(before, _)| before);
    let lines: Vec<&str> = output.trim_end().lines().collect();
    let shown = &lines[lines.len().saturating_sub(LINES)..];
    let shortened = |line: &&str| line.chars().take(WIDTH).collect::<String>();
    shown.iter().map(shortened).collect::<Vec<_>>().join("\n")
}

/// Prints the duration of the run and, if they are known, the processor time and the share of the processors' time that no
/// program used. The processor time of the machine includes programs for which no part waits, such as those of a browser.
fn print_total(outcomes: &[&Outcome], busy_before: Option<Duration>) {
    let end = outcomes.iter().map(|outcome| outcome.begin + outcome.wall);
    let wall = end.max().unwrap_or_default();
    let costs: Option<Vec<Cost>> = outcomes.iter().map(|outcome| outcome.cost).collect();
    let Some(costs) = costs else {
        println!("all parts: {} s", wall.as_secs());
        return;
    };
    let machine = busy_before.and_then(|before| busy()?.checked_sub(before));
    let processor = machine.unwrap_or_else(|| costs.iter().map(|cost| cost.processor).sum());
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let idle = 1.0 - processor.as_secs_f64() / (wall.as_secs_f64() * cores as f64).max(0.001);
    println!(
        "all parts: {} min {} s, {} s of processor time, {:.0} % of {cores} processors idle",
        wall.as_secs() / 60,
        wall.as_secs() % 60,
        processor.as_secs(),
        100.0 * idle.max(0.0)
    );
    // The last checks to end show what the run waited for.
    let mut last: Vec<&&Outcome> = outcomes
        .iter()
        .filter(|outcome| !outcome.is_download)
        .collect();
    last.sort_by_key(|outcome| std::cmp::Reverse(outcome.begin + outcome.wall));
    let last: Vec<&str> = last.iter().take(3).map(|outcome| outcome.name).collect();
    println!("the last to end: {}", last.join(", "));
}

#[cfg(test)]
mod tests {
    use super::last_lines;

    #[test]
    fn the_end_of_an_output_is_its_last_lines_before_the_stack_trace() {
        let lines: Vec<String> = (1..=50).map(|line| format!("line {line}")).collect();
        let output = format!(
            "{}\nError: text\n\nStack backtrace:\n   0: a\n",
            lines.join("\n")
        );
        let last = last_lines(&output);
        assert!(last.starts_with("line 12\n"), "{last}");
        assert!(last.ends_with("line 50\nError: text"), "{last}");
        assert_eq!(last_lines("ä"), "ä");
        assert_eq!(last_lines(&"ä".repeat(200)), "ä".repeat(160));
    }
}
