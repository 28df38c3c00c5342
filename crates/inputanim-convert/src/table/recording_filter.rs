//! The choice of one recording in a table of several recordings.

use crate::shared::ReadField;
use crate::table::table_error::TableError;

/// The description of a table without a column `recording`, for messages.
pub(crate) const ONE_RECORDING: &str = "a table of one recording";

/// The recording that is read, by its name in the rows of a table.
#[derive(Debug)]
pub(crate) struct RecordingFilter {
    /// The chosen name, or the name in the first row if no recording was chosen.
    name: Option<String>,
    is_chosen: bool,
    /// The first names in the table.
    found: Vec<String>,
    is_found: bool,
}

impl RecordingFilter {
    /// The largest number of names in an error.
    const LISTED: usize = 10;

    pub(crate) fn new(name: Option<&str>) -> RecordingFilter {
        RecordingFilter {
            name: name.map(str::to_owned),
            is_chosen: name.is_some(),
            found: Vec::new(),
            is_found: false,
        }
    }

    /// Returns `true` if rows of the recording `name` are read: if it is the chosen recording, or if no recording was
    /// chosen. Call this for every row.
    ///
    /// # Errors
    /// When no recording was chosen, and an earlier row belongs to another recording.
    pub(crate) fn selects(&mut self, name: &str) -> Result<bool, TableError> {
        let selected = self.name.get_or_insert_with(|| name.to_owned());
        let is_selected = selected == name;
        if !is_selected && !self.is_chosen {
            return Err(TableError::SeveralRecordings {
                first: selected.clone(),
                second: name.to_owned(),
            });
        }
        self.is_found |= is_selected;
        if self.found.len() < Self::LISTED && self.found.iter().all(|found| found != name) {
            self.found.push(name.to_owned());
        }
        Ok(is_selected)
    }

    /// Returns `true` if a line that states the recording `name` is read; see [`selects`](Self::selects). A line
    /// without a name belongs to a table of one recording, so it is read only if no recording was chosen.
    pub(crate) fn selects_line(&mut self, name: Option<&str>) -> Result<bool, TableError> {
        match name {
            Some(name) => self.selects(name),
            None => Ok(!self.is_chosen),
        }
    }

    /// Fails if a recording was chosen, but no row belongs to it. Call this after the last row.
    pub(crate) fn refuse_unknown(&self) -> Result<(), TableError> {
        match &self.name {
            Some(_) if self.is_chosen && self.found.is_empty() => Err(TableError::NoEffect {
                option: ReadField::Recording,
                table: ONE_RECORDING,
            }),
            Some(name) if self.is_chosen && !self.is_found => Err(TableError::UnknownRecording {
                name: name.clone(),
                found: self.found.clone(),
            }),
            _ => Ok(()),
        }
    }
}
