//! The division of episodes into those for training and those for validation.

use std::collections::BTreeSet;

use inputanim_analysis::Segment;
use inputanim_convert::tables::PathPattern;

use super::{EpisodePlan, TaskText, cell, has_name, path_column};
use crate::error::{ScanError, UnknownSplit};
use crate::segments::Segments;

/// The columns of a trial table that may have the names of trials.
const NAMES_OF_TRIALS: [&str; 2] = ["trial", "name"];

/// The episodes for validation: those of some people, or of some other values of a column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Validation {
    /// The column of a pattern of paths or of the trial table, such as `person`. `trial` and `name` stand for the names of the
    /// trials, if the table has no other column with this name. The trials of a recording are all for training, or all for validation.
    pub column: String,
    /// The values whose episodes are for validation.
    pub values: ValidationValues,
}

/// The values of a column whose episodes are for validation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ValidationValues {
    /// These values.
    List(Vec<String>),
    /// A part of all values in percent, from 1 to 99: rounded up, and at least one less than all. The order of the values is that
    /// of a checksum of their text, so that the selection does not depend on the order of files.
    Percent(u8),
}

/// A string that does not describe a [`Validation`].
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum InvalidValidation {
    /// The string is not a column with values.
    #[error("expected COLUMN=VALUES or COLUMN=20%, such as person=p03,p07, found \"{0}\"")]
    Form(String),
    /// The percentage is not a whole number, or leaves no values for training or for validation.
    #[error("expected a whole percentage from 1% to 99%, found \"{0}\"")]
    Percent(String),
}

impl std::str::FromStr for Validation {
    type Err = InvalidValidation;

    /// Parses `person=p03,p07` or `person=20%`.
    fn from_str(text: &str) -> Result<Validation, InvalidValidation> {
        let invalid = || InvalidValidation::Form(text.to_owned());
        let (column, values) = text.split_once('=').ok_or_else(invalid)?;
        let values = if let Some(percent) = values.trim().strip_suffix('%') {
            let number = percent.trim().parse().ok();
            let number = number.filter(|number| (1..=99).contains(number));
            let invalid = || InvalidValidation::Percent(format!("{}%", percent.trim()));
            ValidationValues::Percent(number.ok_or_else(invalid)?)
        } else {
            let values = values.split(',').map(|value| value.trim().to_owned());
            ValidationValues::List(values.collect())
        };
        let is_empty = match &values {
            ValidationValues::List(values) => values.iter().any(String::is_empty),
            ValidationValues::Percent(_) => false,
        };
        let column = column.trim().to_owned();
        if column.is_empty() || is_empty {
            return Err(invalid());
        }
        Ok(Validation { column, values })
    }
}

impl EpisodePlan {
    /// Divides the files into those for training and those for validation.
    pub(super) fn divide(&mut self, validation: &Validation) -> Result<(), ScanError> {
        let column = &validation.column;
        let people: Vec<Vec<String>> = match self.split_pattern() {
            Some(pattern) => {
                let files = self.files.iter();
                let person = files.map(|file| path_column(pattern, &file.path, column));
                person.map(|person| person.into_iter().collect()).collect()
            }
            None => self.people_of_trials(column)?,
        };
        let files = people.iter().enumerate();
        let used = files.filter(|(file, _)| self.has_episodes(*file));
        let mut values: Vec<&String> = used.flat_map(|(_, people)| people).collect();
        values.sort_unstable();
        values.dedup();
        if values.len() < 2 {
            return Err(ScanError::NoSplit {
                column: column.clone(),
            });
        }
        let chosen: Vec<String> = match &validation.values {
            ValidationValues::List(chosen) => {
                if let Some(unknown) = chosen.iter().find(|value| !values.contains(value)) {
                    let known = values.into_iter().cloned().collect();
                    let value = unknown.clone();
                    return Err(ScanError::UnknownSplit(UnknownSplit {
                        column: column.clone(),
                        value,
                        known,
                    }));
                }
                chosen.clone()
            }
            ValidationValues::Percent(percent) => {
                let number = (values.len() * usize::from(*percent)).div_ceil(100);
                let number = number.min(values.len().saturating_sub(1));
                values.sort_by_key(|value| checksum(value));
                values
                    .iter()
                    .take(number)
                    .map(|value| (*value).clone())
                    .collect()
            }
        };
        let is_training = |value: &&String| !chosen.contains(value);
        if !people.iter().flatten().any(|value| is_training(&value)) {
            return Err(ScanError::NoSplit {
                column: column.clone(),
            });
        }
        for (file, people) in people.iter().enumerate() {
            let training = people.iter().find(is_training);
            let validation = people.iter().find(|value| !is_training(value));
            if let (Some(training), Some(validation)) = (training, validation) {
                let file = self.files.get(file);
                return Err(ScanError::SplitRecording {
                    column: column.clone(),
                    recording: file.map_or("", |file| &file.name).to_owned(),
                    training: training.clone(),
                    validation: validation.clone(),
                });
            }
        }
        (self.people, self.validation) = (people, chosen);
        Ok(())
    }

    /// Returns the pattern of paths that has the column of the validation; `None` if the trial table may have it.
    pub(super) fn split_pattern(&self) -> Option<&PathPattern> {
        let column = &self.options.validation.as_ref()?.column;
        let of_tasks = match &self.options.task {
            TaskText::Path(pattern) => Some(pattern),
            _ => None,
        };
        let mut patterns = self.options.split_pattern.iter().chain(of_tasks);
        patterns.find(|pattern| pattern.names().iter().any(|name| name == column))
    }

    /// Returns the different values of a column of the trial table for each file. Fails if there is no such column.
    fn people_of_trials(&self, column: &str) -> Result<Vec<Vec<String>>, ScanError> {
        let (has_column, is_name) = match &self.options.segments {
            Segments::Trials(table) => {
                let has_column = has_name(table.columns(), column);
                let mut names = NAMES_OF_TRIALS.iter();
                let is_name = names.any(|name| name.eq_ignore_ascii_case(column));
                (has_column, is_name && !has_column)
            }
            _ => (false, false),
        };
        let is_known = has_column || is_name;
        let Some(trials) = self.trials.as_ref().filter(|_| is_known) else {
            return Err(ScanError::NoSplitColumn {
                column: column.to_owned(),
            });
        };
        let of_file = |trials: &Vec<Segment>| {
            let values = trials.iter().map(|trial| {
                if is_name {
                    trial.name.trim()
                } else {
                    cell(trial, column).unwrap_or_default()
                }
            });
            let values: BTreeSet<&str> = values.collect();
            values.into_iter().map(str::to_owned).collect()
        };
        Ok(trials.iter().map(of_file).collect())
    }

    /// Returns `true` if the episodes of the recording with index `file` are for validation. They follow the episodes for
    /// training.
    pub fn is_validation(&self, file: usize) -> bool {
        // All values of a recording are for validation, or none is.
        let person = self.people.get(file).and_then(|people| people.first());
        person.is_some_and(|person| self.validation.contains(person))
    }
}

/// Returns the 64-bit checksum FNV-1a of a text.
fn checksum(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |sum, byte| {
        (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
