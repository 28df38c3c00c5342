//! Errors of reading: their kind, part of the file and byte offset.

use std::fmt;

use crate::curve::KeyKind;
use crate::layout::{Layout, Version};
use crate::path::CurvePath;

/// A part of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum FilePart {
    /// The complete file.
    File,
    /// Magic and version.
    Header,
    /// The three flags of version 1.1.
    Flags,
    /// One curve.
    Curve(CurvePath),
    /// The number of markers.
    MarkerList,
    /// One marker, counted from 0.
    Marker(usize),
    /// The bytes after the last part.
    End,
}

impl FilePart {
    /// Returns the curve; `None` for other parts.
    pub const fn curve(self) -> Option<CurvePath> {
        match self {
            FilePart::Curve(path) => Some(path),
            _ => None,
        }
    }
}

impl fmt::Display for FilePart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            FilePart::File => f.write_str("file"),
            FilePart::Header => f.write_str("header"),
            FilePart::Flags => f.write_str("flags"),
            FilePart::Curve(path) => path.fmt(f),
            FilePart::MarkerList => f.write_str("marker list"),
            FilePart::Marker(index) => write!(f, "marker {index}"),
            FilePart::End => f.write_str("after the last part,"),
        }
    }
}

/// The kind of a [`ParseError`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ParseErrorKind {
    /// The file has no bytes. MRTK leaves such a file when nothing was recorded.
    Empty,
    /// The first eight bytes are not the magic number. Recordings of MRTK builds before July 2019 have
    /// no header; this library does not read them.
    NotInputAnimation {
        /// The first eight bytes of the file; zeros after the end of a shorter file.
        found: [u8; 8],
        /// The number of these bytes that are in the file.
        length: usize,
    },
    /// The text form of the "4D holographic tutorials" family.
    TextDialect,
    /// The binary form of the "4D holographic tutorials" family, with ten curves for each pose.
    TenCurveDialect,
    /// A session file (docs/session.md), which [`session::recover`](crate::session::recover) reads.
    Session,
    /// A version above 1.1.
    NewerVersion(Version),
    /// A version below 1.1 that no release of MRTK wrote.
    UnknownVersion(Version),
    /// The file ends inside a part.
    EndOfFile {
        /// Bytes that the part needs, from the offset on.
        needed: u64,
        /// Bytes up to the end of the file.
        remaining: u64,
    },
    /// A curve has more keys than fit into the rest of the file.
    KeysBeyondEnd {
        /// Number of keys according to the file.
        keys: u64,
        /// The form of the keys; `None` for a boolean curve.
        kind: Option<KeyKind>,
        /// Size of the keys in bytes.
        needed: u64,
        /// Bytes up to the end of the file.
        remaining: u64,
    },
    /// A count is negative.
    NegativeCount {
        /// The count.
        count: i32,
    },
    /// The marker list has more markers than fit into the rest of the file.
    MarkersBeyondEnd {
        /// Number of markers according to the file.
        markers: u64,
        /// Bytes up to the end of the file.
        remaining: u64,
    },
    /// The length of a name has more than 31 bits, or more bytes than needed.
    NameLength,
    /// A name is not UTF-8.
    NameNotUtf8,
    /// Zeros replace the headers of curves, and more bytes follow than the curves need. A file system
    /// leaves such zeros when a save did not reach the disk; they are not curves without keys.
    Zeros {
        /// Bytes from here to the end of the file.
        remaining: u64,
    },
    /// Bytes follow the last part.
    TrailingBytes {
        /// Number of bytes.
        extra: u64,
    },
    /// The file has more bytes than [`Limits::max_bytes`](crate::Limits::max_bytes).
    TooManyBytes {
        /// The limit.
        limit: u64,
    },
    /// The file has more keys than [`Limits::max_keys`](crate::Limits::max_keys).
    TooManyKeys {
        /// The limit.
        limit: u64,
    },
    /// The file has more markers than [`Limits::max_markers`](crate::Limits::max_markers).
    TooManyMarkers {
        /// The limit.
        limit: u64,
    },
}

impl ParseErrorKind {
    /// The [name](Self::name) of files that are not input animation files, in this and other libraries.
    pub const NOT_INPUT_ANIMATION: &'static str = "not-input-animation";

    /// Returns a name of this kind of error that does not change between versions, such as `keys-beyond-end`.
    pub const fn name(self) -> &'static str {
        match self {
            ParseErrorKind::Empty => "empty",
            ParseErrorKind::NotInputAnimation { .. } => ParseErrorKind::NOT_INPUT_ANIMATION,
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

    /// Returns `true` if the input exceeds a limit. The bytes may be valid then.
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
            K::NotInputAnimation { found, length } => {
                f.write_str("not an input animation file: the file begins with")?;
                let mut found = found.iter().take(length);
                found.try_for_each(|byte| write!(f, " {byte:02x}"))
            }
            K::TextDialect => f.write_str(
                "a text recording of the \"4D holographic tutorials\" family, not an MRTK input animation",
            ),
            K::TenCurveDialect => f.write_str(
                "a recording of the \"4D holographic tutorials\" family, not an MRTK input animation: it has ten curves for each pose, with scale, and named objects",
            ),
            K::Session => f.write_str(
                "expected a recording, found a session file",
            ),
            K::NewerVersion(version) => {
                write!(f, "expected version 1.0 or 1.1, found the newer {version}")
            }
            K::UnknownVersion(version) => write!(
                f,
                "expected version 1.0 or 1.1, found {version}, which no MRTK release writes"
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
                "expected a name length in the shortest form, with at most 31 bits, found another form",
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

/// A candidate layout that does not fit the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct TriedLayout {
    /// The layout.
    pub layout: Layout,
    /// Part of the file at which reading stopped.
    pub part: FilePart,
    /// Byte offset at which reading stopped.
    pub offset: u64,
}

/// The reason why bytes are not a well-formed recording.
///
/// The message says where the problem is, what was expected and what was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseError(Box<Details>);

// Boxed in the error, so that a `Result` with it stays small.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Details {
    kind: ParseErrorKind,
    part: FilePart,
    offset: u64,
    layout: Option<Layout>,
    intact_curves: usize,
    also_tried: Vec<TriedLayout>,
}

impl ParseError {
    pub(super) fn new(kind: ParseErrorKind, part: FilePart, offset: usize) -> ParseError {
        ParseError(Box::new(Details {
            kind,
            part,
            offset: offset as u64,
            layout: None,
            intact_curves: 0,
            also_tried: Vec::new(),
        }))
    }

    pub(super) fn in_layout(mut self, layout: Layout, intact_curves: usize) -> ParseError {
        self.0.layout = Some(layout);
        self.0.intact_curves = intact_curves;
        self
    }

    pub(super) fn also_tried_layouts(mut self, tried: Vec<TriedLayout>) -> ParseError {
        self.0.also_tried = tried;
        self
    }

    /// Returns the kind of the error.
    pub fn kind(&self) -> ParseErrorKind {
        self.0.kind
    }

    /// Returns the part of the file that has the error.
    pub fn part(&self) -> FilePart {
        self.0.part
    }

    /// Returns the name of the curve that has the error; `None` if the error is not in a curve.
    pub fn path(&self) -> Option<CurvePath> {
        self.0.part.curve()
    }

    /// Returns the byte offset of the error from the start of the file.
    pub fn offset(&self) -> u64 {
        self.0.offset
    }

    /// Returns the most likely layout of the file; `None` if the header could not be read.
    pub fn layout(&self) -> Option<Layout> {
        self.0.layout
    }

    /// Returns the number of intact curves before the error.
    pub fn intact_curves(&self) -> usize {
        self.0.intact_curves
    }

    /// Returns the other candidate layouts, and the part of the file and the byte offset at which each of them failed.
    pub fn also_tried(&self) -> &[TriedLayout] {
        &self.0.also_tried
    }

    /// Returns `true` if [`Recording::recover`](crate::Recording::recover) can recover a part of the
    /// file.
    pub fn is_recoverable(&self) -> bool {
        // If the first curve is damaged, there is nothing intact to recover.
        let in_first_curve = self.path().is_some() && self.intact_curves() == 0;
        self.0.layout.is_some() && !self.kind().is_limit() && !in_first_curve
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Details {
            kind,
            part,
            offset,
            layout,
            ..
        } = &*self.0;
        match part {
            FilePart::File => write!(f, "{kind}"),
            _ => write!(f, "{part} at byte {offset}: {kind}"),
        }?;
        match layout {
            Some(layout) => write!(f, " (read as {layout})"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for ParseError {}
