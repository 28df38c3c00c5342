//! The results of many files: counts, the first messages, and errors by their reasons.
//!
//! Results are added when a file is done. Memory grows with the number of different messages, and with the lines that are
//! printed.

use std::collections::{BTreeSet, HashMap, HashSet};

use anstream::eprintln;
use inputanim::doctor::Code;

use super::Status;
use crate::messages::diagnostics::{self, Kinds, Messages, warn};
use crate::messages::outcome::Outcome;
use crate::messages::text::count;

/// The results of the files of a batch.
pub(crate) struct Summary {
    /// The largest number of warnings and summaries of files that are printed.
    max_lines: usize,
    lines: Vec<String>,
    /// The number of lines that are not printed.
    hidden_lines: usize,
    /// The notes, each once: many notes are about the format, so all files have the same.
    notes: Vec<String>,
    known_notes: HashSet<String>,
    kinds: Kinds,
    pub(super) damage: BTreeSet<Code>,
    pub(super) errors: Errors,
    pub(super) written: usize,
    pub(super) copied: usize,
    pub(super) current: usize,
    /// The number of current outputs with damage or losses.
    pub(super) current_lost: usize,
    pub(super) outcome: Outcome,
    /// `true` if the file that should contain the results of all files cannot be written.
    pub(super) is_lost: bool,
}

impl Summary {
    /// Creates a summary that contains errors. It prints at most `max_lines` warnings and summaries of files.
    pub(super) fn new(max_lines: usize, errors: Errors) -> Summary {
        Summary {
            errors,
            max_lines,
            lines: Vec::new(),
            hidden_lines: 0,
            notes: Vec::new(),
            known_notes: HashSet::new(),
            kinds: Kinds::default(),
            damage: BTreeSet::new(),
            written: 0,
            copied: 0,
            current: 0,
            current_lost: 0,
            outcome: Outcome::Done,
            is_lost: false,
        }
    }

    /// Adds the result for a file, with the messages about it.
    pub(crate) fn add(&mut self, status: anyhow::Result<Status>, messages: Messages) {
        self.kinds.add(&messages);
        for line in messages.lines {
            if self.lines.len() < self.max_lines {
                self.lines.push(line);
            } else {
                self.hidden_lines += 1;
            }
        }
        for note in messages.notes {
            if self.known_notes.insert(note.clone()) {
                self.notes.push(note);
            }
        }
        self.damage.extend(messages.damage);
        let status = match status {
            Ok(status) => status,
            Err(error) => return self.errors.add(error),
        };
        self.outcome = self.outcome.and(status.outcome());
        match status {
            Status::Written(_) => self.written += 1,
            Status::Copied(_) => self.copied += 1,
            Status::Current(outcome) => {
                self.current += 1;
                self.current_lost += usize::from(outcome == Outcome::DataLost);
            }
        }
    }

    /// Returns the number of files that did not fail.
    pub(crate) fn done(&self) -> usize {
        self.written + self.copied + self.current
    }

    /// Adds the error of the file that should contain the results of all files. Without this file, no file counts as
    /// done. The messages about the files are still printed.
    pub(crate) fn fail(&mut self, error: anyhow::Error) {
        self.errors.add(error);
        (self.written, self.copied, self.current) = (0, 0, 0);
        (self.current_lost, self.outcome) = (0, Outcome::Failed);
        self.is_lost = true;
    }

    /// Prints the messages about files.
    pub(super) fn print_messages(&mut self) {
        self.lines.iter().for_each(|line| eprintln!("{line}"));
        if self.hidden_lines > 0 {
            let hidden = count(self.hidden_lines, "more warning");
            warn(format_args!("{hidden} not shown"));
        }
        std::mem::take(&mut self.kinds).print();
        self.notes.iter().for_each(|note| eprintln!("{note}"));
    }
}

/// Errors of many files. Files that fail for the same reason share one.
#[derive(Default)]
pub(crate) struct Errors {
    /// The first error of each reason, and the number of files with this reason.
    firsts: Vec<(anyhow::Error, usize)>,
    /// The index of the error of each reason.
    reasons: HashMap<Vec<String>, usize>,
    number: usize,
}

impl Errors {
    /// Adds the error of a file.
    pub(crate) fn add(&mut self, error: anyhow::Error) {
        self.number += 1;
        // The first of several messages is the name of the file.
        let skipped = usize::from(error.chain().len() > 1);
        let reason = error.chain().skip(skipped).map(ToString::to_string);
        let index = *self
            .reasons
            .entry(reason.collect())
            .or_insert(self.firsts.len());
        match self.firsts.get_mut(index) {
            Some((_, files)) => *files += 1,
            None => self.firsts.push((error, 1)),
        }
    }

    /// Returns the number of errors.
    pub(crate) fn number(&self) -> usize {
        self.number
    }

    /// Prints the first error of each reason, with the number of other files that failed for this reason.
    pub(crate) fn print(&self) {
        for (error, files) in &self.firsts {
            diagnostics::report(error);
            if *files > 1 {
                eprintln!("  the same error in {}", count(files - 1, "more file"));
            }
        }
    }
}

impl FromIterator<anyhow::Error> for Errors {
    fn from_iter<I: IntoIterator<Item = anyhow::Error>>(errors: I) -> Errors {
        let mut all = Errors::default();
        errors.into_iter().for_each(|error| all.add(error));
        all
    }
}
