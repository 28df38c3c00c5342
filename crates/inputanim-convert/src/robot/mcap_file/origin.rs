//! Texts, gaps and attachments of a file, which are beside its messages.

use std::collections::BTreeMap;

use inputanim::{About, DeviceName, Known, Recording};
use mcap::records::{Metadata, Record};

use super::gaps;
use super::provenance::{LIBRARY, METADATA};
use crate::shared::report::{counted, listed};
use crate::shared::texts::Texts;
use crate::shared::{Format, LossKind, NoteKind, Report};

/// The start of the names of the entries of this library that are texts about the recording.
const PREFIX: &str = "about.";

/// The number of attachments that a note lists.
const LISTED: usize = 8;

/// Returns the entries of the metadata of this library for the texts about a recording.
pub(super) fn entries(about: &About) -> impl Iterator<Item = (String, String)> {
    about
        .iter()
        .map(|(name, text)| (format!("{PREFIX}{name}"), text.to_owned()))
}

/// The texts, gaps and attachments of a file.
#[derive(Debug, Default)]
pub(crate) struct Origin {
    /// `true` if the header names this library as the writer of the file.
    pub(crate) is_own: bool,
    known: Known,
    /// An entry of the metadata for gaps that cannot be read.
    wrong: Option<String>,
    /// The texts of the header, which are about the file and not about a recording in it.
    header: About,
    /// The texts in the metadata.
    texts: Texts,
    attachments: Vec<String>,
}

impl Origin {
    /// Adds the header, a metadata record or an attachment. Ignores other records.
    pub(crate) fn add(&mut self, record: &Record<'_>) {
        match record {
            Record::Header(header) => {
                self.is_own = header.library.starts_with(LIBRARY);
                // The library that wrote the file, which may be a tool that copied it.
                self.header.add("library", &header.library);
                self.header.add("profile", &header.profile);
            }
            Record::Metadata(metadata) => self.add_metadata(metadata),
            Record::Attachment { header, data, .. } => {
                let size = counted(data.len(), "byte");
                self.attachments.push(format!("{} ({size})", header.name));
            }
            _ => {}
        }
    }

    fn add_metadata(&mut self, metadata: &Metadata) {
        let Metadata { name, metadata } = metadata;
        if name != METADATA {
            return self.add_texts(name, metadata);
        }
        self.wrong = gaps::read(metadata, &mut self.known).or(self.wrong.take());
        for (name, text) in metadata {
            if let Some(name) = name.strip_prefix(PREFIX) {
                self.texts.add("", name, text);
            }
        }
    }

    /// Adds the entries of the metadata `group` of another program. An entry with one of the fixed names gives this text; in a
    /// group with such a name, the entry `name` does.
    fn add_texts(&mut self, group: &str, entries: &BTreeMap<String, String>) {
        for (name, text) in entries {
            let is_fixed = |name: &str| About::NAMES.contains(&name);
            match name.as_str() {
                name if is_fixed(name) => self.texts.add("", name, text),
                "name" if is_fixed(group) => self.texts.add("", group, text),
                _ => self.texts.add(group, name, text),
            }
        }
    }

    /// Adds the texts, and the gaps of devices that the file contains exactly, to a recording that was made from the messages of a file
    /// in `format`. Attachments are added to the
    /// report, because they are not kept.
    pub(crate) fn describe(
        mut self,
        recording: &mut Recording<'_>,
        format: Format,
        report: &mut Report,
    ) {
        // Devices that are in the file exactly keep their gaps. Controllers of Isaac Capture are read from messages, which have gaps
        // of their own.
        for (element, gaps) in self.known.iter() {
            let is_exact = |device: &DeviceName| format == Format::Mcap || device.side().is_none();
            let device = element.device().filter(is_exact);
            if device.is_some_and(|device| recording.device(device).is_some()) {
                for &gap in gaps {
                    recording.known.add_gap(element, gap);
                }
            }
        }
        if !self.is_own {
            self.texts.add("", About::FORMAT, format.name());
            for (name, text) in &self.header {
                self.texts.add("", name, text);
            }
        }
        self.finish(recording, report);
    }

    /// Gives the texts and gaps to the recording that a file contains. Gaps that cannot be read and attachments are added to
    /// the report.
    pub(crate) fn complete(mut self, recording: &mut Recording<'_>, report: &mut Report) {
        recording.known = std::mem::take(&mut self.known);
        if let Some(entry) = self.wrong.take() {
            let message = format!("gaps in the metadata that cannot be read: {entry}");
            report.lose(LossKind::Damage, 1, message);
        }
        self.finish(recording, report);
    }

    fn finish(self, recording: &mut Recording<'_>, report: &mut Report) {
        recording.about = self.texts.finish(report);
        if !self.attachments.is_empty() {
            let count = counted(self.attachments.len(), "attachment");
            let names = listed(self.attachments, LISTED);
            let message = format!("{count} not kept: {names}");
            report.note(NoteKind::OtherContent, message);
        }
    }
}
