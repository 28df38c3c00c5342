//! What is whole in bytes that are not.

use std::fmt;
use std::ops::Range;

use super::error::{ParseError, ParseErrorKind, Part};
use super::{Reading, Stop};
use crate::recording::Recording;

/// What [`Recording::recover`] gives back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Recovery<'a> {
    /// Every whole curve and marker; curves that were not whole have no keys.
    pub recording: Recording<'a>,
    /// What is not there, in file order; empty when nothing is lost.
    pub missing: Vec<Missing>,
    /// Bytes that belong to no whole part.
    pub unread: Range<u64>,
    /// Why the file is not well formed; `None` when it is.
    pub error: Option<ParseError>,
}

impl<'a> From<Recording<'a>> for Recovery<'a> {
    /// A recording of which nothing is missing.
    fn from(recording: Recording<'a>) -> Recovery<'a> {
        Recovery {
            recording,
            missing: Vec::new(),
            unread: 0..0,
            error: None,
        }
    }
}

impl Recovery<'_> {
    /// Whether the file was well formed, so that nothing had to be recovered.
    pub fn is_whole(&self) -> bool {
        self.error.is_none()
    }
}

/// A part that could not be recovered as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Missing {
    /// The part.
    pub part: Part,
    /// What happened to it.
    pub lost: Lost,
}

/// What happened to a part that is missing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Lost {
    /// The file stops before it, or the way to it is lost.
    NotReached,
    /// Its keys are not all there; a curve is taken whole or not at all.
    KeysCut {
        /// How many the file says there are.
        declared: u64,
        /// How many whole ones there are.
        whole: u64,
    },
    /// The markers from this one on are not there.
    MarkersCut {
        /// How many the file says there are; less than 0 when that itself is damaged.
        declared: i32,
        /// How many whole ones there are, all of them recovered.
        whole: u64,
    },
    /// Bytes of the name were not UTF-8 and became U+FFFD.
    NameReplaced,
    /// The length of the name was written in a longer form than needed: only the form is lost.
    LengthForm,
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part;
        match self.lost {
            Lost::NotReached => write!(f, "{part}: not reached"),
            Lost::KeysCut { declared, whole } => {
                write!(f, "{part}: {whole} of its {declared} keys were there")
            }
            Lost::MarkersCut { declared, whole } if declared < 0 => {
                write!(
                    f,
                    "{part}: {whole} markers kept; the count of {declared} is damaged"
                )
            }
            Lost::MarkersCut { declared, whole } => {
                write!(f, "{part}: {whole} of {declared} markers kept")
            }
            Lost::NameReplaced => write!(f, "{part}: its name was not UTF-8"),
            Lost::LengthForm => {
                write!(
                    f,
                    "{part}: the length of its name was not in its shortest form"
                )
            }
        }
    }
}

impl<'a> Reading<'a> {
    pub(super) fn into_recovery(self, bytes: &[u8]) -> Result<Recovery<'a>, ParseError> {
        if let Some(error) = self.error.as_ref().filter(|error| !error.is_recoverable()) {
            return Err(error.clone());
        }
        let mut missing = Vec::new();
        if let Some(error) = &self.error {
            self.add_curves(error.kind(), &mut missing);
        }
        missing.extend(self.flaws.iter().map(flawed_name));
        missing.extend(
            self.error
                .as_ref()
                .and_then(|error| self.lost_markers(error)),
        );
        Ok(Recovery {
            missing,
            unread: self.end as u64..bytes.len() as u64,
            error: self.error.or(self.flaw),
            recording: self.recording,
        })
    }

    fn add_curves(&self, kind: ParseErrorKind, missing: &mut Vec<Missing>) {
        let paths = self.recording.curves().map(|(path, _)| path);
        for (number, path) in paths.enumerate().skip(self.whole_curves) {
            let lost = match kind {
                ParseErrorKind::KeysBeyondEnd {
                    keys,
                    needed,
                    remaining,
                    ..
                } if number == self.whole_curves => Lost::KeysCut {
                    declared: keys,
                    // The count is not 0, since 0 keys are never beyond the end.
                    whole: remaining / (needed / keys),
                },
                _ => Lost::NotReached,
            };
            let part = Part::Curve(path);
            missing.push(Missing { part, lost });
        }
    }

    fn lost_markers(&self, error: &ParseError) -> Option<Missing> {
        let lost = match (error.part(), error.kind()) {
            (_, ParseErrorKind::TrailingBytes { .. }) => return None,
            (Part::MarkerList | Part::Marker(_), _) => match self.declared_markers {
                Some(declared) => Lost::MarkersCut {
                    declared,
                    whole: self.recording.markers.len() as u64,
                },
                None => Lost::NotReached,
            },
            _ if self.recording.layout.has_markers() => Lost::NotReached,
            _ => return None,
        };
        let part = Part::MarkerList;
        Some(Missing { part, lost })
    }
}

fn flawed_name(flaw: &Stop) -> Missing {
    let lost = match flaw.kind {
        ParseErrorKind::NameNotUtf8 => Lost::NameReplaced,
        _ => Lost::LengthForm,
    };
    let part = flaw.part;
    Missing { part, lost }
}
