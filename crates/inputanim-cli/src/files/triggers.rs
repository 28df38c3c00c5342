//! Names of triggers, from options and from a table.

use std::path::PathBuf;

use anyhow::Context;
use inputanim::Limits;
use inputanim::edit::markers::NamedTriggers;
use inputanim::trigger_names::{TriggerName, TriggerNames};
use inputanim_convert::marker_events;

use crate::files::input::Input;
use crate::messages::diagnostics::note_of_file;
use crate::messages::outcome::Refusal;
use crate::messages::text::{count, printable, quoted};

/// The names of triggers.
#[derive(Clone, Debug, Default, clap::Args)]
pub(crate) struct TriggerArgs {
    /// The name of a trigger, such as 11=start; may be given several times
    #[arg(long, value_name = "TRIGGER=NAME")]
    pub(crate) rename: Vec<TriggerName>,
    /// A table of triggers with the columns trigger and name, as CSV or TSV
    #[arg(long, value_name = "FILE")]
    pub(crate) triggers: Option<PathBuf>,
}

impl TriggerArgs {
    /// Returns the names of both options. Fails if the table cannot be read.
    pub(crate) fn pairs(&self, limits: &Limits) -> anyhow::Result<Vec<TriggerName>> {
        let mut names = self.rename.clone();
        if let Some(path) = &self.triggers {
            let input = Input::open(path, limits)?;
            let read = marker_events::read_trigger_names(input.bytes(), limits);
            names.extend(read.with_context(|| input.name().to_owned())?);
        }
        Ok(names)
    }

    /// Returns the names of both options. Fails if the table cannot be read, or if a trigger has two names.
    pub(crate) fn names(&self, limits: &Limits) -> anyhow::Result<TriggerNames> {
        TriggerNames::new(self.pairs(limits)?).map_err(|error| {
            let message = printable(&error.to_string()).into_owned();
            Refusal::usage(message, "give each trigger one name")
        })
    }
}

impl TriggerArgs {
    /// Prints a note about the triggers of `--rename` that `file` does not have. A table usually has the triggers of many files.
    pub(crate) fn note_unused(&self, file: &str, unused: &[String]) {
        let given = self.rename.iter().map(|pair| &*pair.trigger);
        let is_unused = |trigger: &str| {
            TriggerNames::new([TriggerName::new(trigger, "")])
                .is_ok_and(|names| names.unused(unused.iter().map(String::as_str)).is_empty())
        };
        note_without_markers(file, "trigger", given.filter(|trigger| is_unused(trigger)));
    }
}

/// Prints a note about entries of `--rename` without an effect on `file`. They are of a kind: triggers or names.
pub(crate) fn note_without_markers<'e>(
    file: &str,
    kind: &str,
    entries: impl Iterator<Item = &'e str>,
) {
    const COLUMNS: usize = 40;
    let entries: Vec<String> = entries.map(|entry| quoted(entry, COLUMNS)).collect();
    if !entries.is_empty() {
        let number = count(entries.len(), kind);
        let entries = entries.join(", ");
        let text = format!("--rename: {number} without a marker: {entries}");
        note_of_file(file, "entries of --rename without a marker", text);
    }
}

/// Prints a note about the triggers without a name. `file` is the file that has them.
pub(crate) fn note_unnamed(file: &str, report: &NamedTriggers) {
    const LISTED: usize = 10;
    const COLUMNS: usize = 40;
    let triggers = &report.unnamed;
    if triggers.is_empty() {
        return;
    }
    let listed = triggers.iter().take(LISTED).map(|unnamed| {
        let trigger = quoted(&unnamed.trigger, COLUMNS);
        format!("{trigger} ({})", count(unnamed.count, "marker"))
    });
    let mut text = listed.collect::<Vec<_>>().join(", ");
    if triggers.len() > LISTED {
        text += &format!(", and {} more", triggers.len() - LISTED);
    }
    let number = count(triggers.len(), "trigger");
    note_of_file(
        file,
        "triggers without a name",
        format!("{number} without a name: {text}"),
    );
}
