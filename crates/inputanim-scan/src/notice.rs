//! Warnings and notes about files.

use std::fmt;
use std::path::PathBuf;

use inputanim::{DeviceLoss, ParseError, Side, TimeRange};
use inputanim_analysis::{EventKind, Note};
use inputanim_convert::{Format, Loss};

use crate::shape::Shape;
use crate::trials::LongerTrials;

/// A notice about a file of a scan.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct FileNotice {
    /// The path of the file, or the name of the bytes.
    pub file: String,
    /// The path; `None` for bytes.
    pub path: Option<PathBuf>,
    /// The notice.
    pub notice: Notice,
}

/// Content of the devices of a recording that rows do not have.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct NotInShape {
    /// The shape of the rows.
    pub shape: Shape,
    /// The content of each device, in the time ranges of the rows.
    pub losses: Vec<DeviceLoss>,
}

impl NotInShape {
    /// Returns the content as text, such as `right.controller: 1 haptic pulse (shape haptics)`. `name` returns the name of a shape
    /// that has the content, in the words of the interface.
    pub fn text(&self, name: impl Fn(Shape) -> String) -> String {
        let devices = self.losses.iter().map(|loss| {
            let mut parts = Vec::new();
            if loss.poses.len() + loss.inputs.len() > 0 {
                parts.push(match self.shape {
                    Shape::Tidy => format!("poses and inputs ({})", name(Shape::Wide)),
                    _ => "all poses and inputs".to_owned(),
                });
            }
            if self.shape == Shape::Tidy && parts.is_empty() && loss.profiles > 0 {
                parts.push(format!("the profile ({})", name(Shape::Wide)));
            }
            if self.shape == Shape::Keys && loss.profiles > 0 {
                let changes = counted(loss.profiles, "change");
                parts.push(format!(
                    "{changes} of the profile ({})",
                    name(Shape::States)
                ));
            }
            if loss.haptics > 0 {
                let pulses = counted(loss.haptics, "haptic pulse");
                parts.push(format!("{pulses} ({})", name(Shape::Haptics)));
            }
            format!("{}: {}", loss.device, parts.join(", "))
        });
        devices.collect::<Vec<_>>().join("; ")
    }
}

fn counted(count: usize, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// A warning or note about a file. It is not an error.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum Notice {
    /// Parts of the file are missing, because it is not well formed.
    Recovered(ParseError),
    /// The time range exceeds the recording.
    TimeExceeds {
        /// The part of the time range that is inside the recording.
        used: TimeRange,
    },
    /// Trials exceed the recording, and are cut at its ends.
    TrialsExceed(LongerTrials),
    /// The recording has no segments around events.
    NoSegments {
        /// The kind of the events.
        kind: EventKind,
        /// The number of these events. If there are some, each segment would end before it starts.
        events: usize,
    },
    /// A hand of the states of a dataset is not recorded, so that its joints are the identity.
    NoHand(Side),
    /// Nothing states the task of episodes, so that it is the name of the recording.
    TaskFromName(String),
    /// A note on the analysis.
    Analysis(Note),
    /// Content of a file of another format that was lost while it was read.
    Lost(Loss),
    /// A note on a file of another format.
    Read(inputanim_convert::Note),
    /// The search of a folder skipped the file, because its content is another format with the same extension.
    OtherFormat {
        /// The format of the file.
        found: Format,
        /// The format of the search.
        searched: Format,
    },
    /// Content of the devices of a recording that the shape of the rows does not have.
    NotInShape(NotInShape),
    /// The catalogue describes none of the recordings, so that all of them are opened.
    NotCatalogued {
        /// The folder that the catalogue describes.
        folder: PathBuf,
    },
}

impl Notice {
    /// Returns the kind of the notice as text, which is the same for all files.
    pub fn kind(&self) -> &'static str {
        match self {
            Notice::Recovered(_) => "recovered, parts are missing",
            Notice::TimeExceeds { .. } => "the time range exceeds the recording",
            Notice::TrialsExceed(_) => "trials exceed the recording",
            Notice::NoSegments { .. } => "no segments",
            Notice::NoHand(_) => "hand not recorded, identity",
            Notice::TaskFromName(_) => "no task stated, the name of the recording is used",
            Notice::Analysis(note) => note.kind,
            Notice::Lost(_) => "lost",
            Notice::Read(note) => note.kind.title(),
            Notice::OtherFormat { .. } => "skipped, another format",
            Notice::NotInShape(_) => "not in these rows",
            Notice::NotCatalogued { .. } => "no recording is in the catalogue, all are opened",
        }
    }

    /// Returns the part of the notice that differs between files, such as a time range or a message.
    pub fn detail(&self) -> String {
        match self {
            Notice::Recovered(error) => error.to_string(),
            Notice::TimeExceeds {
                used: TimeRange { start, end },
            } => format!("used {start:.3} s to {end:.3} s"),
            Notice::TrialsExceed(longer) => longer.to_string(),
            Notice::NoSegments { kind, events: 0 } => format!("no events of the kind {kind}"),
            Notice::NoSegments { kind, events } => {
                format!(
                    "all {events} segments around events of the kind {kind} would end before they start"
                )
            }
            Notice::NoHand(side) => format!("{side} hand"),
            Notice::TaskFromName(name) => name.clone(),
            Notice::Analysis(note) => note.detail.clone(),
            Notice::Lost(loss) => loss.message.clone(),
            Notice::Read(note) => note.message.clone(),
            Notice::OtherFormat { found, searched } => format!("{found}, not {searched}"),
            Notice::NotInShape(content) => content.text(|shape| format!("shape {shape}")),
            Notice::NotCatalogued { folder } => format!("it describes {}", folder.display()),
        }
    }

    /// Returns `true` if the notice is only a note, and `false` if it is a warning.
    pub fn is_note(&self) -> bool {
        matches!(
            self,
            Notice::NoSegments { .. }
                | Notice::NoHand(_)
                | Notice::TaskFromName(_)
                | Notice::Analysis(_)
                | Notice::Read(_)
                | Notice::OtherFormat { .. }
                | Notice::NotInShape(_)
                | Notice::NotCatalogued { .. }
        )
    }
}

impl fmt::Display for Notice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Notice::TrialsExceed(longer) => longer.fmt(f),
            Notice::NoHand(side) => write!(f, "{side} hand not recorded, identity"),
            Notice::Read(note) => note.fmt(f),
            _ => write!(f, "{}: {}", self.kind(), self.detail()),
        }
    }
}
