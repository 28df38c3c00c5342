//! The texts that a file states about its recording.

use inputanim::About;

use super::report::counted;
use super::{NoteKind, Report};

/// The largest number of bytes of a name. The name of a group is part of the name of each of its texts, so that a file with a
/// long one could take very much memory.
const MAX_NAME: usize = 256;

/// The texts of a file. The first one of a name counts.
#[derive(Clone, Debug, Default)]
pub(crate) struct Texts {
    texts: Vec<(String, String)>,
    /// The number of texts with a longer name.
    skipped: usize,
}

impl Texts {
    /// Adds a text with the name `name`, or `GROUP.NAME` in a group that is not empty. An empty text states nothing, and does not
    /// hide a later one.
    pub(crate) fn add(&mut self, group: &str, name: &str, text: impl Into<String>) {
        let text = text.into();
        if text.trim().is_empty() {
            return;
        }
        let Some(name) = full_name(group, name) else {
            self.skipped += 1;
            return;
        };
        self.texts.push((name, text));
    }

    /// Counts texts that are not kept.
    pub(crate) fn skip(&mut self, count: usize) {
        self.skipped += count;
    }

    /// Returns the texts, and notes the number of those that are not kept.
    pub(crate) fn finish(self, report: &mut Report) -> About {
        if self.skipped > 0 {
            let count = counted(self.skipped, "text");
            let message = format!("{count} about the recording not read");
            report.note(NoteKind::OtherContent, message);
        }
        // Of several texts with one name, `About` keeps the last one.
        self.texts.into_iter().rev().collect()
    }
}

/// Returns the name of a text in a group, or of a group in another one; `None` if it is too long.
pub(crate) fn full_name(group: &str, name: &str) -> Option<String> {
    let is_short = group.len() + name.len() < MAX_NAME;
    is_short.then(|| match group {
        "" => name.to_owned(),
        group => format!("{group}.{name}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_text_counts_and_long_names_are_counted() {
        let mut texts = Texts::default();
        texts.add("", "task", " ");
        texts.add("", "task", "pick");
        texts.add("", "task", "place");
        texts.add("user", "id", "P1");
        texts.add(&"g".repeat(MAX_NAME), "name", "lost");
        let mut report = Report::default();
        let about = texts.finish(&mut report);
        let texts: Vec<_> = about.iter().collect();
        assert_eq!(texts, [("task", "pick"), ("user.id", "P1")]);
        let notes: Vec<_> = report.notes.iter().map(ToString::to_string).collect();
        assert_eq!(notes, ["1 text about the recording not read"]);
    }
}
