//! Lenient reading: the intact parts of a damaged file, and a list of the damaged parts.

use std::fmt;
use std::ops::Range;

use super::error::{FilePart, ParseError, ParseErrorKind};
use super::{Limits, Reading, Stop};
use crate::names;
use crate::path::CurvePath;
use crate::recording::Recording;

/// A recording that was read leniently, as [`Recording::recover`] returns it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecoveredRecording<'a> {
    /// Every intact curve and marker; a damaged curve has no keys.
    pub recording: Recording<'a>,
    /// The damaged parts in file order; empty when the file is intact.
    pub damaged: Vec<DamagedPart>,
    /// Byte range of the file that belongs to no intact part.
    pub unread: Range<u64>,
    /// The error that [`Recording::parse`] returns for the file; `None` when it is well formed.
    pub error: Option<ParseError>,
}

impl<'a> From<Recording<'a>> for RecoveredRecording<'a> {
    /// Returns an undamaged recording as the result of lenient reading, without damaged parts.
    fn from(recording: Recording<'a>) -> RecoveredRecording<'a> {
        RecoveredRecording {
            recording,
            damaged: Vec::new(),
            unread: 0..0,
            error: None,
        }
    }
}

/// Corrections that are made when a recording is read; none by default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Corrections {
    /// Read the intact parts of a file that is not well formed, as [`Recording::recover`] does. Otherwise such a
    /// file is an error.
    pub recover: bool,
    /// Repair damage, as [`Recording::repair`] does.
    pub repair: bool,
    /// Make zeros unknown, as [`forget_zeros`](crate::edit::forget_zeros) does.
    pub forget_zeros: bool,
}

impl Corrections {
    /// Returns `true` if no correction is selected, so that recordings are read as they are.
    pub fn are_none(self) -> bool {
        self == Corrections::default()
    }

    /// Reads a recording within `limits`, and makes the selected corrections.
    ///
    /// # Errors
    /// As [`Recording::parse_with`], or as [`Recording::recover_with`] if [`recover`](Self::recover) is set.
    pub fn read<'a>(
        self,
        bytes: &'a [u8],
        limits: &Limits,
    ) -> Result<RecoveredRecording<'a>, ParseError> {
        let recovered = if self.recover {
            Recording::recover_with(bytes, limits)
        } else {
            Recording::parse_with(bytes, limits).map(RecoveredRecording::from)
        };
        Ok(self.apply(recovered?))
    }

    /// Makes the corrections of a recording that was read: [`forget_zeros`](Self::forget_zeros) before
    /// [`repair`](Self::repair), which removes rotations of four zeros.
    pub fn apply<'a>(self, mut read: RecoveredRecording<'a>) -> RecoveredRecording<'a> {
        if self.forget_zeros {
            crate::edit::forget_zeros(&mut read.recording);
        }
        if self.repair {
            read.recording.repair();
        }
        read
    }
}

impl RecoveredRecording<'_> {
    /// Copies borrowed keys and names, so that the result borrows nothing.
    pub fn into_owned(self) -> RecoveredRecording<'static> {
        RecoveredRecording {
            recording: self.recording.into_owned(),
            damaged: self.damaged,
            unread: self.unread,
            error: self.error,
        }
    }

    /// Returns `true` if the file was well formed, so that nothing had to be recovered.
    pub fn is_intact(&self) -> bool {
        self.error.is_none()
    }
}

/// A part of a file that could not be recovered as it was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct DamagedPart {
    /// The part.
    pub part: FilePart,
    /// The kind of damage.
    pub damage: PartDamage,
}

/// The kind of damage of a [`DamagedPart`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PartDamage {
    /// The file ends before the part, or the damage before it hides where it begins.
    NotReached,
    /// Some keys of a curve are missing; the reader drops such a curve.
    KeysCut {
        /// Number of keys according to the file.
        declared: u64,
        /// Number of intact keys.
        intact: u64,
    },
    /// Markers at the end of the list are missing.
    MarkersCut {
        /// Number of markers according to the file; negative when the count itself is damaged.
        declared: i32,
        /// Number of intact markers, all of them recovered.
        intact: u64,
    },
    /// Bytes of a marker's name were not UTF-8; U+FFFD replaces them.
    NameReplaced,
    /// The length of a marker's name was stored in more bytes than needed. The name is intact.
    LengthForm,
}

impl DamagedPart {
    /// Returns texts that list damaged parts, each part or consecutive parts that were not reached as one text. The texts name
    /// streams and poses of which all curves were not reached, as [`names::of_curves`] does.
    ///
    /// ```
    /// use inputanim::{DamagedPart, Flags, Layout, Pose, Recording};
    /// let mut recording = Recording::with_streams(Layout::Mrtk1_1, Flags::ALL);
    /// recording.head_mut().push(0.0, &Pose::IDENTITY);
    /// let bytes = recording.to_bytes()?;
    /// let recovered = Recording::recover(&bytes[..bytes.len() - 41])?;
    /// let parts = DamagedPart::list(&recovered.damaged);
    /// assert_eq!(parts, ["gaze.origin.z, gaze.direction, marker list: not reached (5 parts)"]);
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn list(parts: &[DamagedPart]) -> Vec<String> {
        let is_reached = |part: &DamagedPart| part.damage != PartDamage::NotReached;
        let runs = parts.chunk_by(|a, b| !is_reached(a) && !is_reached(b));
        let text = |run: &[DamagedPart]| {
            if let [part] = run {
                return part.to_string();
            }
            let curves: Vec<CurvePath> = run.iter().filter_map(|part| part.part.curve()).collect();
            let others = run.iter().filter(|part| part.part.curve().is_none());
            let mut names = names::of_curves(&curves);
            names.extend(others.map(|part| part.part.to_string()));
            format!("{}: not reached ({} parts)", names.join(", "), run.len())
        };
        runs.map(text).collect()
    }
}

impl fmt::Display for DamagedPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let part = self.part;
        match self.damage {
            PartDamage::NotReached => write!(f, "{part}: not reached"),
            PartDamage::KeysCut { declared, intact } => {
                write!(f, "{part}: {intact} of its {declared} keys are intact")
            }
            PartDamage::MarkersCut { declared, intact } if declared < 0 => {
                write!(
                    f,
                    "{part}: {intact} markers kept; the count of {declared} is damaged"
                )
            }
            PartDamage::MarkersCut { declared, intact } => {
                write!(f, "{part}: {intact} of {declared} markers kept")
            }
            PartDamage::NameReplaced => write!(f, "{part}: its name was not UTF-8"),
            PartDamage::LengthForm => {
                write!(
                    f,
                    "{part}: the length of its name was not in its shortest form"
                )
            }
        }
    }
}

impl<'a> Reading<'a> {
    pub(super) fn into_recovered(self, bytes: &[u8]) -> Result<RecoveredRecording<'a>, ParseError> {
        if let Some(error) = self.error.as_ref().filter(|error| !error.is_recoverable()) {
            return Err(error.clone());
        }
        // The list is in file order: curves, then names of markers, then the marker list.
        let mut damaged = Vec::new();
        if let Some(error) = &self.error {
            self.add_damaged_curves(error.kind(), &mut damaged);
        }
        damaged.extend(self.flaws.iter().map(flawed_name));
        damaged.extend(
            self.error
                .as_ref()
                .and_then(|error| self.damaged_marker_list(error)),
        );
        Ok(RecoveredRecording {
            damaged,
            unread: self.end as u64..bytes.len() as u64,
            error: self.error.or(self.flaw),
            recording: self.recording,
        })
    }

    fn add_damaged_curves(&self, kind: ParseErrorKind, damaged: &mut Vec<DamagedPart>) {
        let paths = self.recording.curves().map(|(path, _)| path);
        for (number, path) in paths.enumerate().skip(self.intact_curves) {
            let damage = match kind {
                ParseErrorKind::KeysBeyondEnd {
                    keys,
                    needed,
                    remaining,
                    ..
                } if number == self.intact_curves => PartDamage::KeysCut {
                    declared: keys,
                    // `keys` is above 0, since 0 keys never reach beyond the end.
                    intact: remaining / (needed / keys),
                },
                _ => PartDamage::NotReached,
            };
            let part = FilePart::Curve(path);
            damaged.push(DamagedPart { part, damage });
        }
    }

    fn damaged_marker_list(&self, error: &ParseError) -> Option<DamagedPart> {
        let damage = match (error.part(), error.kind()) {
            // All markers before trailing bytes are intact.
            (_, ParseErrorKind::TrailingBytes { .. }) => return None,
            (FilePart::MarkerList | FilePart::Marker(_), _) => match self.declared_markers {
                Some(declared) => PartDamage::MarkersCut {
                    declared,
                    intact: self.recording.markers.len() as u64,
                },
                None => PartDamage::NotReached,
            },
            _ if self.recording.layout.has_markers() => PartDamage::NotReached,
            _ => return None,
        };
        let part = FilePart::MarkerList;
        Some(DamagedPart { part, damage })
    }
}

fn flawed_name(flaw: &Stop) -> DamagedPart {
    let damage = match flaw.kind {
        ParseErrorKind::NameNotUtf8 => PartDamage::NameReplaced,
        _ => PartDamage::LengthForm,
    };
    let part = flaw.part;
    DamagedPart { part, damage }
}
