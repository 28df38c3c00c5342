//! Why bytes could not be read, and where.

use std::fmt;

use crate::curve::KeyKind;
use crate::layout::{Layout, Version};
use crate::path::CurvePath;

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Part {
    /// The file as a whole.
    File,
    /// Magic and version.
    Header,
    /// The three flags of version 1.1.
    Flags,
    /// One curve.
    Curve(CurvePath),
    /// The count of markers.
    MarkerList,
    /// One marker, counted from 0.
    Marker(usize),
    /// What follows the last part.
    End,
}

impl fmt::Display for Part {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Part::File => f.write_str("file"),
            Part::Header => f.write_str("header"),
            Part::Flags => f.write_str("flags"),
            Part::Curve(path) => path.fmt(f),
            Part::MarkerList => f.write_str("marker list"),
            Part::Marker(index) => write!(f, "marker {index}"),
            Part::End => f.write_str("after the last part,"),
        }
    }
}

/// What is wrong with the bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// There is no byte at all.
    Empty,
    /// The first eight bytes are not the magic number.
    NotInputAnimation {
        /// The bytes that stand there; zeros past the end of a shorter file.
        found: [u8; 8],
    },
    /// The text form of the "4D holographic tutorials" family.
    TextDialect,
    /// The binary form of the "4D holographic tutorials" family, with ten curves a pose.
    TenCurveDialect,
    /// A session file (docs/session.md), which [`session::recover`](crate::session::recover) reads.
    Session,
    /// A version above 1.1.
    NewerVersion(Version),
    /// A version that never was.
    UnknownVersion(Version),
    /// The file ends inside a part.
    EndOfFile {
        /// Bytes that the part needs from the offset on.
        needed: u64,
        /// Bytes that there are.
        remaining: u64,
    },
    /// A curve says it has more keys than the rest of the file can hold.
    KeysBeyondEnd {
        /// The count.
        keys: u64,
        /// The form of the keys; `None` for a boolean curve.
        kind: Option<KeyKind>,
        /// Bytes that the keys need.
        needed: u64,
        /// Bytes that there are.
        remaining: u64,
    },
    /// A count below zero.
    NegativeCount {
        /// The count.
        count: i32,
    },
    /// The marker list says it has more markers than the rest of the file can hold.
    MarkersBeyondEnd {
        /// The count.
        markers: u64,
        /// Bytes that there are.
        remaining: u64,
    },
    /// A name's length is not a number of at most 31 bits in its shortest form.
    NameLength,
    /// A name is not UTF-8.
    NameNotUtf8,
    /// Nothing but zeros where curves should be, and bytes left over at the end: the zeros of a
    /// save that never reached the disk, not curves without keys.
    Zeros {
        /// Bytes from here to the end of the file.
        remaining: u64,
    },
    /// Bytes follow the last part.
    TrailingBytes {
        /// How many.
        extra: u64,
    },
    /// More bytes than [`Limits::max_bytes`](crate::Limits::max_bytes).
    TooManyBytes {
        /// The limit.
        limit: u64,
    },
    /// More keys than [`Limits::max_keys`](crate::Limits::max_keys).
    TooManyKeys {
        /// The limit.
        limit: u64,
    },
    /// More markers than [`Limits::max_markers`](crate::Limits::max_markers).
    TooManyMarkers {
        /// The limit.
        limit: u64,
    },
}

impl ParseErrorKind {
    /// A stable name for programs, such as `keys-beyond-end`.
    pub const fn name(self) -> &'static str {
        match self {
            ParseErrorKind::Empty => "empty",
            ParseErrorKind::NotInputAnimation { .. } => "not-input-animation",
            ParseErrorKind::TextDialect => "text-dialect",
            ParseErrorKind::TenCurveDialect => "ten-curve-dialect",
            ParseErrorKind::Session => "session",
            ParseErrorKind::NewerVersion(_) => "newer-version",
            ParseErrorKind::UnknownVersion(_) => "unknown-version",
            ParseErrorKind::EndOfFile { .. } => "end-of-file",
            ParseErrorKind::KeysBeyondEnd { .. } => "keys-beyond-end",
            ParseErrorKind::NegativeCount { .. } => "negative-count",
            ParseErrorKind::MarkersBeyondEnd { .. } => "markers-beyond-end",
            ParseErrorKind::NameLength => "name-length",
            ParseErrorKind::NameNotUtf8 => "name-not-utf8",
            ParseErrorKind::Zeros { .. } => "zeros",
            ParseErrorKind::TrailingBytes { .. } => "trailing-bytes",
            ParseErrorKind::TooManyBytes { .. } => "too-many-bytes",
            ParseErrorKind::TooManyKeys { .. } => "too-many-keys",
            ParseErrorKind::TooManyMarkers { .. } => "too-many-markers",
        }
    }

    /// Whether a limit was passed, rather than the bytes being wrong.
    pub const fn is_limit(self) -> bool {
        matches!(
            self,
            ParseErrorKind::TooManyBytes { .. }
                | ParseErrorKind::TooManyKeys { .. }
                | ParseErrorKind::TooManyMarkers { .. }
        )
    }
}

impl fmt::Display for ParseErrorKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use ParseErrorKind as K;
        match *self {
            K::Empty => f.write_str("the file is empty (0 bytes)"),
            K::NotInputAnimation { found } => {
                f.write_str(
                    "not an input animation file: expected the bytes c6 42 9e 0f 6e af 8f 6a, found",
                )?;
                found.iter().try_for_each(|byte| write!(f, " {byte:02x}"))
            }
            K::TextDialect => f.write_str(
                "a text recording of the \"4D holographic tutorials\" family, not an MRTK input animation",
            ),
            K::TenCurveDialect => f.write_str(
                "a recording of the \"4D holographic tutorials\" family, which has ten curves a pose (scale too) and named objects, not an MRTK input animation",
            ),
            K::Session => f.write_str(
                "a session file: frames as they were taken, not yet a recording",
            ),
            K::NewerVersion(version) => {
                write!(f, "expected version 1.0 or 1.1, found the newer {version}")
            }
            K::UnknownVersion(version) => write!(
                f,
                "expected version 1.0 or 1.1, found {version}, which no release wrote"
            ),
            K::EndOfFile { needed, remaining } => write!(
                f,
                "expected {} more, found the end of the file after {remaining}",
                Bytes(needed)
            ),
            K::KeysBeyondEnd {
                keys,
                kind,
                needed,
                remaining,
            } => {
                let kind = kind.map_or("boolean", KeyKind::name);
                write!(
                    f,
                    "expected {keys} {kind} keys ({}), found {} to the end of the file",
                    Bytes(needed),
                    Bytes(remaining)
                )
            }
            K::NegativeCount { count } => {
                write!(f, "expected a count of 0 or more, found {count}")
            }
            K::MarkersBeyondEnd { markers, remaining } => write!(
                f,
                "expected {markers} markers (at least 5 bytes each), found {} to the end of the file",
                Bytes(remaining)
            ),
            K::NameLength => f.write_str(
                "expected the length of a name in its shortest form of at most 31 bits, found another",
            ),
            K::NameNotUtf8 => f.write_str("expected a name in UTF-8, found other bytes"),
            K::Zeros { remaining } => write!(
                f,
                "expected a curve, found zeros, and {} to the end of the file",
                Bytes(remaining)
            ),
            K::TrailingBytes { extra } => {
                write!(f, "expected the end of the file, found {} more", Bytes(extra))
            }
            K::TooManyBytes { limit } => {
                write!(f, "expected at most {} (the limit), found more", Bytes(limit))
            }
            K::TooManyKeys { limit } => {
                write!(f, "expected at most {limit} keys (the limit), found more")
            }
            K::TooManyMarkers { limit } => {
                write!(f, "expected at most {limit} markers (the limit), found more")
            }
        }
    }
}

struct Bytes(u64);

impl fmt::Display for Bytes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            1 => f.write_str("1 byte"),
            count => write!(f, "{count} bytes"),
        }
    }
}

/// A layout that was tried, and where it stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tried {
    /// The layout.
    pub layout: Layout,
    /// The part at which it stopped.
    pub part: Part,
    /// The byte at which it stopped.
    pub offset: u64,
}

/// The bytes are no well-formed recording.
///
/// The message says where, what was expected and what was found; [`hint`](Self::hint) says what
/// to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(Box<Inner>);

#[derive(Clone, Debug, PartialEq, Eq)]
struct Inner {
    kind: ParseErrorKind,
    part: Part,
    offset: u64,
    layout: Option<Layout>,
    whole_curves: usize,
    also_tried: Vec<Tried>,
}

impl ParseError {
    pub(super) fn new(kind: ParseErrorKind, part: Part, offset: usize) -> ParseError {
        ParseError(Box::new(Inner {
            kind,
            part,
            offset: offset as u64,
            layout: None,
            whole_curves: 0,
            also_tried: Vec::new(),
        }))
    }

    pub(super) fn in_layout(mut self, layout: Layout, whole_curves: usize) -> ParseError {
        self.0.layout = Some(layout);
        self.0.whole_curves = whole_curves;
        self
    }

    pub(super) fn also_tried_layouts(mut self, tried: Vec<Tried>) -> ParseError {
        self.0.also_tried = tried;
        self
    }

    /// What is wrong.
    pub fn kind(&self) -> ParseErrorKind {
        self.0.kind
    }

    /// The part of the file in which it is.
    pub fn part(&self) -> Part {
        self.0.part
    }

    /// The curve in which it is, if it is in one.
    pub fn path(&self) -> Option<CurvePath> {
        match self.0.part {
            Part::Curve(path) => Some(path),
            _ => None,
        }
    }

    /// The byte at which it is, from the start of the file.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// The layout that got furthest, if the header could be read.
    pub fn layout(&self) -> Option<Layout> {
        self.0.layout
    }

    /// How many whole curves come before the fault.
    pub fn whole_curves(&self) -> usize {
        self.0.whole_curves
    }

    /// The other layouts that were tried, and where each stopped.
    pub fn also_tried(&self) -> &[Tried] {
        &self.0.also_tried
    }

    /// Whether [`Recording::recover`](crate::Recording::recover) gives something back.
    pub fn is_recoverable(&self) -> bool {
        let in_first_curve = self.path().is_some() && self.whole_curves() == 0;
        self.0.layout.is_some() && !self.kind().is_limit() && !in_first_curve
    }

    /// What to do about it.
    pub fn hint(&self) -> String {
        use ParseErrorKind as K;
        match self.kind() {
            K::Empty => "the toolkit leaves an empty file when nothing was recorded; there is nothing to recover".into(),
            K::NotInputAnimation { .. } => "check that this is the right file; recordings of MRTK builds before July 2019 have no header and cannot be read".into(),
            K::TextDialect | K::TenCurveDialect => "open it in the application that recorded it; this format only shares the magic number".into(),
            K::Session => "`recover` makes a recording of it".into(),
            K::NewerVersion(_) => "a newer release of this reader may know it".into(),
            K::UnknownVersion(_) => "the header is probably damaged".into(),
            kind if kind.is_limit() => "raise the limit if you trust the file".into(),
            K::TrailingBytes { .. } => {
                "`recover` keeps everything before these bytes".into()
            }
            K::NameLength | K::NameNotUtf8 => {
                "`recover` reads such names as .NET does".into()
            }
            _ if self.0.layout.is_some() => match self.whole_curves() {
                0 if self.is_recoverable() => "`recover` keeps what is before this".into(),
                0 => "no curve before this is whole: nothing to recover".into(),
                1 => "`recover` keeps the one whole curve before this".into(),
                n => format!("`recover` keeps the {n} whole curves before this"),
            },
            _ => "the file was cut off before its first curve: nothing to recover".into(),
        }
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Inner {
            kind,
            part,
            offset,
            layout,
            ..
        } = &*self.0;
        match part {
            Part::File => write!(f, "{kind}"),
            _ => write!(f, "{part} at byte {offset}: {kind}"),
        }?;
        match layout {
            Some(layout) => write!(f, " (read as {layout})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}
