//! The record of the outputs that batches wrote into a folder: the file [`NAME`].
//!
//! Each line is a JSON object with an output, the verb, the input and a checksum of the options, and
//! whether data was lost. A later line about an output replaces an earlier one. A line without a checksum is written
//! before an output is renamed to its place: if the program is killed then, the output counts as outdated.
//!
//! Without `--force`, a batch replaces only files that the same command made from the same input. A file
//! that the user put into the folder is therefore never lost.

use std::collections::HashMap;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use anyhow::Context;
use serde::{Deserialize, Serialize};

use super::canonical;
use crate::files::output;
use crate::messages::outcome::Outcome;
use inputanim_scan::packs::StoredFile;
use inputanim_scan::portable;

// The name has no extension of a recording, so `-r` never takes the record for one.
pub(crate) const NAME: &str = ".inputanim-batch";

#[derive(Deserialize, Serialize)]
struct Entry {
    /// The path in the folder of outputs.
    output: String,
    verb: String,
    /// The canonical path of the input.
    input: String,
    /// The checksum of the options and of the version; absent while the output is written.
    options: Option<String>,
    /// `true` if data was lost, or damaged input was converted as it is.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lost: bool,
}

/// The state of an output before a batch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// There is no such file.
    Absent,
    /// The file was not written by a batch of this verb, or was made from another input.
    Foreign,
    /// An earlier batch wrote the file, with other options or before the input changed.
    Outdated,
    /// The file is what this batch would write. The earlier batch had this outcome.
    Current(Outcome),
}

pub(super) struct Written {
    folder: PathBuf,
    verb: String,
    options: String,
    entries: HashMap<String, Entry>,
    /// The record, opened before the first output is written.
    file: Mutex<Option<File>>,
}

impl Written {
    /// Reads the record of the outputs in a folder; it is empty if there is none. `verb` and `options` are those of the
    /// new batch.
    pub(super) fn read(folder: &Path, verb: &str, options: &str) -> anyhow::Result<Written> {
        let path = folder.join(NAME);
        let text = if path.is_file() {
            fs::read(&path).with_context(|| format!("cannot read {}", path.display()))?
        } else {
            Vec::new()
        };
        let text = String::from_utf8_lossy(&text);
        // A crash may cut off the last line.
        let entries = text
            .lines()
            .filter_map(|line| serde_json::from_str(line).ok());
        Ok(Written {
            folder: folder.to_owned(),
            verb: verb.to_owned(),
            options: checksum(options),
            entries: entries
                .map(|entry: Entry| (entry.output.clone(), entry))
                .collect(),
            file: Mutex::new(None),
        })
    }

    /// Returns the state of an output that the batch would make from `input`.
    pub(super) fn state(&self, output: &Path, input: &Path) -> State {
        let Ok(made) = fs::metadata(output) else {
            return State::Absent;
        };
        let Some(entry) = self.entries.get(&self.key(output)) else {
            return State::Foreign;
        };
        // A study that was moved has new paths. Then its old inputs do not exist any more.
        let is_other =
            entry.input != portable(&canonical(input)) && exists(Path::new(&entry.input));
        if is_other || entry.verb != self.verb || !made.is_file() {
            return State::Foreign;
        }
        // An equal time counts as current: on a file system with whole seconds, an output that is
        // written right after its input has the same time.
        let time = |path: &Path| -> Option<SystemTime> {
            let metadata = StoredFile::find(path).ok()?.metadata().ok()?;
            metadata.modified().ok()
        };
        let is_newer = time(output)
            .zip(time(input))
            .is_some_and(|(made, read)| made >= read);
        if is_newer && entry.options.as_deref() == Some(&self.options) {
            State::Current(if entry.lost {
                Outcome::DataLost
            } else {
                Outcome::Done
            })
        } else {
            State::Outdated
        }
    }

    /// Records that a complete output is about to be renamed from its temporary name.
    pub(super) fn begin(&self, output: &Path, input: &Path) -> anyhow::Result<()> {
        self.append(output, input, None, Outcome::Done)
    }

    /// Records that an output is complete, with the outcome of its job.
    pub(super) fn finish(
        &self,
        output: &Path,
        input: &Path,
        outcome: Outcome,
    ) -> anyhow::Result<()> {
        self.append(output, input, Some(self.options.clone()), outcome)
    }

    fn append(
        &self,
        output: &Path,
        input: &Path,
        options: Option<String>,
        outcome: Outcome,
    ) -> anyhow::Result<()> {
        let entry = Entry {
            output: self.key(output),
            verb: self.verb.clone(),
            input: portable(&canonical(input)),
            options,
            lost: outcome == Outcome::DataLost,
        };
        let path = self.folder.join(NAME);
        let append = || -> anyhow::Result<()> {
            let mut line = serde_json::to_vec(&entry)?;
            line.push(b'\n');
            let mut file = self.file.lock().unwrap_or_else(PoisonError::into_inner);
            let file = match &mut *file {
                Some(file) => file,
                none => none.insert(self.compacted(&path)?),
            };
            // One call for a line, so that a crash leaves complete lines before it.
            Ok(file.write_all(&line)?)
        };
        append().with_context(|| format!("cannot write {}", path.display()))
    }

    /// Rewrites the record with one line for each output, and opens it to append more lines.
    fn compacted(&self, path: &Path) -> anyhow::Result<File> {
        let mut entries: Vec<&Entry> = self.entries.values().collect();
        entries.sort_by(|a, b| a.output.cmp(&b.output));
        output::write_one_of_many(path, true, |file| {
            for entry in entries {
                serde_json::to_writer(&mut *file, entry)?;
                file.write_all(b"\n")?;
            }
            Ok(())
        })?;
        Ok(File::options().append(true).open(path)?)
    }

    fn key(&self, output: &Path) -> String {
        portable(output.strip_prefix(&self.folder).unwrap_or(output))
    }
}

fn checksum(options: &str) -> String {
    // The algorithm may change with the compiler. Then all outputs count as outdated, which costs only
    // time.
    let mut hasher = DefaultHasher::new();
    (env!("CARGO_PKG_VERSION"), options).hash(&mut hasher);
    format!("{:016x}", hasher.finish())
}

/// Returns `true` if a file exists, on disk or in a pack.
fn exists(path: &Path) -> bool {
    StoredFile::find(path).is_ok_and(|file| file.metadata().is_ok())
}
