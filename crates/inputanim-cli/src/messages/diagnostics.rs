//! Messages on standard error: errors with their causes and hints, warnings, notes and panics.

use std::cell::RefCell;
use std::cmp::Reverse;
use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::fs;
use std::panic;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use anstream::eprintln;
use inputanim::doctor::{self, Code, Finding};
use inputanim::{CurvePath, Recording};
use inputanim_convert::Loss;

use crate::messages::hints;
use crate::messages::outcome::Outcome;
use crate::messages::style::{BAD, DIM, WARN, paint};
use crate::messages::text::{bytes, count, printable};

/// Prints an error with its causes and hints.
pub(crate) fn report(error: &anyhow::Error) {
    let mut causes = error.chain().map(ToString::to_string);
    let first = causes.next().unwrap_or_default();
    eprintln!("{} {first}", paint(BAD, "error:"));
    let mut above = first;
    for cause in causes {
        // A transparent error has the message of its cause.
        if cause != above {
            eprintln!("  {cause}");
        }
        above = cause;
    }
    for hint in hints::of_error(error) {
        eprintln!("  {} {hint}", paint(DIM, "hint:"));
    }
}

thread_local! {
    /// The message of a panic within [`holding_panic_messages`].
    static HELD_MESSAGE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Installs a panic hook that prints no message within [`holding_panic_messages`].
pub(crate) fn install_panic_hook() {
    let print = panic::take_hook();
    panic::set_hook(Box::new(move |info| {
        let is_held = HELD_MESSAGE.with_borrow_mut(|held| {
            held.as_mut()
                .map(|message| *message = info.to_string())
                .is_some()
        });
        if !is_held {
            print(info);
        }
    }));
}

/// Calls a function that may catch panics of the crates that it uses: the readers of some formats
/// panic at damaged files, and return that as an error. The message of a panic is printed only if
/// nothing catches the panic.
pub(crate) fn holding_panic_messages<T>(call: impl FnOnce() -> T) -> T {
    struct PrintUncaught;
    impl Drop for PrintUncaught {
        fn drop(&mut self) {
            let message = HELD_MESSAGE.take();
            if std::thread::panicking() {
                eprintln!("{}", message.unwrap_or_default());
            }
        }
    }
    HELD_MESSAGE.set(Some(String::new()));
    let _print_uncaught = PrintUncaught;
    call()
}

/// Prints a warning.
pub(crate) fn warn(text: impl std::fmt::Display) {
    print(format!("{} {text}", paint(WARN, "warning:")), |messages| {
        &mut messages.lines
    });
}

/// Prints a warning that may concern many files of a batch, which then prints `kind` once for all of
/// them: `the time range exceeds the recording`.
pub(crate) fn warn_of_file(name: &str, kind: &'static str, detail: impl std::fmt::Display) {
    if !collect(kind, |messages| &mut messages.kinds) {
        warn(format_args!("{name}: {kind}; {detail}"));
    }
}

/// Prints a note: something expected that may surprise.
pub(crate) fn note(text: impl std::fmt::Display) {
    print(format!("{} {text}", paint(DIM, "note:")), |messages| {
        &mut messages.notes
    });
}

/// Prints a note that may concern many files of a batch. A batch prints the text once for all files that have it. If
/// only the numbers in the text differ, the batch prints `kind` with an example.
pub(crate) fn note_of_file(name: &str, kind: &'static str, text: impl std::fmt::Display) {
    let note_of = NoteOfFile {
        kind,
        file: name.to_owned(),
        text: text.to_string(),
    };
    if !collect(note_of, |messages| &mut messages.note_kinds) {
        note(format_args!("{name}: {text}"));
    }
}

/// `true` when data of a file was lost while it was read.
static IS_DATA_LOST: AtomicBool = AtomicBool::new(false);

/// Warns of data that was lost while a file was read. The program then ends with the exit code of lost data.
pub(crate) fn warn_of_loss(name: &str, loss: &Loss) {
    IS_DATA_LOST.store(true, Ordering::Relaxed);
    warn(format_args!("{name}: lost: {loss}"));
}

/// Returns `DataLost` if [`warn_of_loss`] was called, otherwise `Done`.
pub(crate) fn outcome_of_losses() -> Outcome {
    if IS_DATA_LOST.load(Ordering::Relaxed) {
        Outcome::DataLost
    } else {
        Outcome::Done
    }
}

/// Adds `kind` to a list of the messages that are collected on this thread. Returns `false` if messages are not
/// collected, but printed at once.
fn collect<T>(kind: T, list: impl Fn(&mut Messages) -> &mut Vec<T>) -> bool {
    COLLECTED.with_borrow_mut(|collected| {
        let collected = collected.as_mut();
        collected
            .map(|messages| list(messages).push(kind))
            .is_some()
    })
}

/// Prints a line of a summary.
pub(crate) fn summary(line: String) {
    print(line, |messages| &mut messages.lines);
}

/// Prints the summary of a command that wrote a recording:
/// `trimmed take.bin: 20.000 s to 3.000 s, 4,512 keys, 182 kB -> part.bin`.
pub(crate) fn summarize(made: &str, facts: &[String], output: &Path) {
    let mut facts = facts.to_vec();
    if output != Path::new("-") {
        let metadata = fs::metadata(output).ok();
        // The size of a folder says nothing about its files.
        let metadata = metadata.filter(|metadata| !metadata.is_dir());
        facts.extend(metadata.map(|metadata| bytes(metadata.len())));
    }
    let output = name_of(output, "standard output");
    let facts = if facts.is_empty() {
        String::new()
    } else {
        format!(": {}", facts.join(", "))
    };
    summary(format!("{made}{facts} -> {output}"));
}

/// Returns a path as text for a message; `-` becomes `stream`, such as `standard input`.
pub(crate) fn name_of(path: &Path, stream: &str) -> String {
    if path == Path::new("-") {
        stream.to_owned()
    } else {
        path.display().to_string()
    }
}

/// A note that may concern many files.
#[derive(Debug, PartialEq)]
pub(crate) struct NoteOfFile {
    /// The kind of note, which is the same for all files.
    kind: &'static str,
    file: String,
    text: String,
}

/// The messages about one file of several.
#[derive(Debug, Default)]
pub(crate) struct Messages {
    /// Warnings and summaries.
    pub(crate) lines: Vec<String>,
    pub(crate) notes: Vec<String>,
    /// Warnings that are printed once for all files that they concern.
    pub(crate) kinds: Vec<&'static str>,
    /// Notes that are printed once for all files that they concern.
    pub(crate) note_kinds: Vec<NoteOfFile>,
    /// The codes of damage, for which commands are printed once for all files.
    pub(crate) damage: Vec<Code>,
}

thread_local! {
    /// The messages that are collected on this thread; `None` if they are printed.
    static COLLECTED: RefCell<Option<Messages>> = const { RefCell::new(None) };
}

fn print(line: String, list: impl Fn(&mut Messages) -> &mut Vec<String>) {
    COLLECTED.with_borrow_mut(|collected| match collected {
        Some(messages) => list(messages).push(line),
        None => eprintln!("{line}"),
    });
}

/// Runs `work` and returns its messages instead of printing them.
pub(crate) fn collected<T>(work: impl FnOnce() -> T) -> (T, Messages) {
    // While a pool thread waits for a part of one file, it may process a second file. The messages of the first file
    // are saved here and restored afterwards.
    let outer = COLLECTED.replace(Some(Messages::default()));
    let result = work();
    (result, COLLECTED.replace(outer).unwrap_or_default())
}

/// The kinds of messages about many files.
#[derive(Debug, Default)]
pub(crate) struct Kinds {
    /// The number of files of each warning.
    warnings: BTreeMap<&'static str, usize>,
    notes: BTreeMap<&'static str, NotesOfKind>,
    /// The number of files that were added so far.
    files: usize,
}

/// The notes of one kind.
#[derive(Debug, Default)]
struct NotesOfKind {
    /// The statements by their texts without numbers.
    statements: HashMap<String, Statement>,
    /// The number of notes with other statements.
    others: usize,
}

/// Notes about several files that differ only in their numbers.
#[derive(Debug)]
struct Statement {
    /// The index of the statement among all statements of its kind.
    order: usize,
    notes: usize,
    /// The number of files.
    files: usize,
    /// The index of the last file.
    last: usize,
    /// The name of the first file.
    file: String,
    /// The text of the first note.
    text: String,
    /// True while all notes have this text.
    is_common: bool,
}

/// The number of statements of one kind that are printed.
const MAX_STATEMENTS: usize = 3;

/// The number of statements of one kind that are kept, from which the printed ones are chosen.
const MAX_KEPT_STATEMENTS: usize = 1000;

impl NotesOfKind {
    fn add(&mut self, note: &NoteOfFile, file: usize) {
        let order = self.statements.len();
        let is_full = order >= MAX_KEPT_STATEMENTS;
        let known = match self.statements.entry(statement(&note.text)) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(_) if is_full => return self.others += 1,
            Entry::Vacant(new) => new.insert(Statement {
                order,
                notes: 0,
                files: 1,
                last: file,
                file: note.file.clone(),
                text: note.text.clone(),
                is_common: true,
            }),
        };
        known.notes += 1;
        known.files += usize::from(known.last != file);
        known.last = file;
        known.is_common &= known.text == note.text;
    }
}

impl Kinds {
    /// Counts a file, and adds the kinds of warnings and notes about it.
    pub(crate) fn add(&mut self, messages: &Messages) {
        let kinds: BTreeSet<&'static str> = messages.kinds.iter().copied().collect();
        for kind in kinds {
            *self.warnings.entry(kind).or_default() += 1;
        }
        for note in &messages.note_kinds {
            let notes = self.notes.entry(note.kind).or_default();
            notes.add(note, self.files);
        }
        self.files += 1;
    }

    /// Calls `work` for one of `files` files. If there are several files, keeps the kinds of messages that are printed
    /// once for all files ([`print`](Self::print)), and prints the other messages at once.
    pub(crate) fn of_file<T>(&mut self, files: usize, work: impl FnOnce() -> T) -> T {
        if files == 1 {
            return work();
        }
        let (result, messages) = collected(work);
        self.add(&messages);
        for line in messages.lines.iter().chain(&messages.notes) {
            eprintln!("{line}");
        }
        result
    }

    /// Prints each kind of warning with its number of files, and the notes, each once.
    pub(crate) fn print(self) {
        for (kind, files) in &self.warnings {
            warn(format_args!("{kind} in {}", count(*files, "file")));
        }
        self.notes().iter().for_each(note);
    }

    /// Returns the texts of the notes about all files. A text about several files is true for each of them.
    fn notes(self) -> Vec<String> {
        let mut texts = Vec::new();
        for (kind, NotesOfKind { statements, others }) in self.notes {
            let mut statements: Vec<Statement> = statements.into_values().collect();
            // If some statements are not printed, the printed ones are about the most files.
            statements.sort_by_key(|one| (Reverse(one.files), one.order));
            let hidden = statements.split_off(statements.len().min(MAX_STATEMENTS));
            statements.sort_by_key(|one| one.order);
            for Statement {
                files,
                file,
                text,
                is_common,
                ..
            } in statements
            {
                let is_of_one = files == 1 && self.files > 1;
                let files = count(files, "file");
                texts.push(if is_of_one {
                    format!("{file}: {text}")
                } else if is_common {
                    format!("{files}: {text}")
                } else {
                    format!("{files}: {kind}, such as {file}: {text}")
                });
            }
            let hidden: usize = hidden.iter().map(|one| one.notes).sum();
            if hidden + others > 0 {
                let notes = count(hidden + others, "more note");
                texts.push(format!(
                    "{notes} ({kind}), printed if their file is the only input"
                ));
            }
        }
        texts
    }
}

/// Returns the text of a note with its numbers replaced. Two notes that differ only in their numbers have equal
/// results.
fn statement(text: &str) -> String {
    let mut words = Vec::new();
    let mut is_counted = false;
    for word in text.split(' ') {
        let number = word.trim_matches(|letter: char| !letter.is_ascii_digit());
        let is_number =
            number.replace(',', "").parse::<f64>().is_ok() && !word.contains(char::is_alphabetic);
        words.push(if is_number {
            word.replace(number, "#")
        } else if is_counted {
            // `1 marker` and `2 markers`
            word.trim_end_matches('s').to_owned()
        } else {
            word.to_owned()
        });
        is_counted = is_number;
    }
    words.join(" ")
}

/// Warns of damage that an edit neither repairs nor hides. `matters` returns `true` for curves whose damage counts.
pub(crate) fn warn_of_kept_damage(
    recording: &Recording<'_>,
    file: &Path,
    matters: impl Fn(CurvePath) -> bool,
) {
    let findings = doctor::damage(recording, matters);
    if !findings.is_empty() {
        warn_of_damage(&findings, &file.display().to_string());
        note("the damage stays in the output");
    }
}

/// Warns of damage that shows in what is printed or written, and prints the commands that remove it. These
/// are printed once for all files of a batch.
pub(crate) fn warn_of_damage(findings: &[Finding], name: &str) {
    if findings.is_empty() {
        return;
    }
    let is_collected = COLLECTED.with_borrow_mut(|collected| {
        let damage = collected.as_mut().map(|messages| &mut messages.damage);
        damage
            .map(|damage| damage.extend(findings.iter().map(|finding| finding.code)))
            .is_some()
    });
    if is_collected {
        let codes = Finding::codes(findings);
        warn(format_args!("{name}: damaged: {codes}"));
        let hints = findings
            .iter()
            .filter_map(|finding| hints::of_missing_curves(finding, Path::new(name)));
        hints.for_each(note);
        return;
    }
    for finding in findings {
        warn(format_args!("{name}: {}", printable(&finding.to_string())));
    }
    for hint in hints::of_damage(findings, Path::new(name)) {
        note(hint);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the texts that are printed for some files. Each file has notes, given as kind and text.
    fn notes(files: &[&[(&'static str, &str)]]) -> Vec<String> {
        let mut kinds = Kinds::default();
        for (index, notes) in files.iter().enumerate() {
            let notes = notes.iter().map(|&(kind, text)| NoteOfFile {
                kind,
                file: format!("{index}.bin"),
                text: text.to_owned(),
            });
            kinds.add(&Messages {
                note_kinds: notes.collect(),
                ..Messages::default()
            });
        }
        kinds.notes()
    }

    #[test]
    fn a_note_about_several_files_is_true_for_each_of_them() {
        let found = notes(&[
            &[("axes", "Unity's axes assumed")],
            &[("axes", "left hand: unusual axes"), ("axes", "no axes")],
            &[("axes", "Unity's axes assumed")],
        ]);
        let expected = [
            "2 files: Unity's axes assumed",
            "1.bin: left hand: unusual axes",
            "1.bin: no axes",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn notes_that_differ_in_numbers_have_an_example() {
        let found = notes(&[
            &[("content", "1 event of 1,024 types (2.5 s) of mrtk-1.1")],
            &[("content", "3 events of 2 types (0.5 s) of mrtk-1.1")],
            &[("content", "3 events of 2 types (0.5 s) of mrtk-1.0")],
        ]);
        let expected = [
            "2 files: content, such as 0.bin: 1 event of 1,024 types (2.5 s) of mrtk-1.1",
            "2.bin: 3 events of 2 types (0.5 s) of mrtk-1.0",
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn the_notes_of_many_files_are_few() {
        let texts = ["a", "b", "c", "d", "e"].map(|text| [("content", text)]);
        let files: Vec<&[_]> = texts
            .iter()
            .chain(&texts[4..])
            .map(|text| &text[..])
            .collect();
        let expected = [
            "0.bin: a",
            "1.bin: b",
            "2 files: e",
            "2 more notes (content), printed if their file is the only input",
        ];
        assert_eq!(notes(&files), expected);
    }

    #[test]
    fn the_memory_of_notes_is_bounded() {
        let mut kinds = Kinds::default();
        for index in 0..2 * MAX_KEPT_STATEMENTS {
            kinds.add(&Messages {
                note_kinds: vec![NoteOfFile {
                    kind: "content",
                    file: "a.bin".to_owned(),
                    // Numbers with letters are part of the statement.
                    text: format!("take{index}"),
                }],
                ..Messages::default()
            });
        }
        assert_eq!(kinds.notes["content"].statements.len(), MAX_KEPT_STATEMENTS);
        let last = kinds.notes().pop().unwrap();
        let expected = "1,997 more notes (content), printed if their file is the only input";
        assert_eq!(last, expected);
    }
}
