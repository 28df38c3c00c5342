//! Reading of recordings, strict and lenient.
//!
//! Method: the reader borrows all keys from the bytes. The version in the header leaves two to four
//! candidate layouts; the one that ends exactly at the end of the file is the layout (docs/format.md,
//! section 3.3). Each candidate fills a recording until the first error, so that strict and lenient
//! reading are the same code.
//!
//! Cost: proportional to the number of curves (at most 395), not to the number of keys.

mod body;
mod candidate;
mod cursor;
mod error;
mod foreign;
mod index;
mod limits;
mod markers;
mod recover;

use std::io::Read;

use candidate::{read_1_0, read_1_1};
use cursor::{Cursor, Stop};
pub use error::{FilePart, ParseError, ParseErrorKind, TriedLayout};
pub use index::{CurveIndex, IndexedCurve};
pub use limits::{Limits, TooManySamples, read_bytes};
pub use recover::{Corrections, DamagedPart, PartDamage, RecoveredRecording};

use crate::layout::Version;
use crate::recording::{Flags, Recording};
use crate::session_format::is_session;

/// The first eight bytes of a file (docs/format.md, section 1.2).
pub const MAGIC: [u8; 8] = [0xc6, 0x42, 0x9e, 0x0f, 0x6e, 0xaf, 0x8f, 0x6a];

/// A failure to read a recording from a stream.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream failed.
    #[error("cannot read the recording")]
    Io(#[from] std::io::Error),
    /// The bytes are not a well-formed recording.
    #[error(transparent)]
    Parse(#[from] ParseError),
}

impl<'a> Recording<'a> {
    /// Reads a well-formed recording of any layout, with the default [`Limits`].
    ///
    /// The recording borrows its keys from `bytes`, so that the cost does not depend on their number.
    ///
    /// # Errors
    /// When the bytes are not exactly one recording in one of the six layouts. The error names the
    /// part of the file, the byte offset, what was expected and what was found.
    ///
    /// ```
    /// use inputanim::{ParseErrorKind, Recording};
    /// let error = Recording::parse(b"").unwrap_err();
    /// assert_eq!(error.kind(), ParseErrorKind::Empty);
    /// ```
    pub fn parse(bytes: &'a [u8]) -> Result<Recording<'a>, ParseError> {
        Recording::parse_with(bytes, &Limits::default())
    }

    /// Reads a well-formed recording of any layout within `limits`.
    ///
    /// # Errors
    /// As [`parse`](Self::parse), and when the input exceeds a limit.
    ///
    /// ```
    /// use inputanim::{Layout, Limits, Recording};
    /// let bytes = Recording::new(Layout::Mrtk1_1).to_bytes()?;
    /// let mut limits = Limits::default();
    /// limits.max_bytes = 8;
    /// let error = Recording::parse_with(&bytes, &limits).unwrap_err();
    /// assert!(error.kind().is_limit());
    /// # Ok::<(), inputanim::WriteError>(())
    /// ```
    pub fn parse_with(bytes: &'a [u8], limits: &Limits) -> Result<Recording<'a>, ParseError> {
        let reading = Reading::new(bytes, limits)?;
        match reading.error.or(reading.flaw) {
            None => Ok(reading.recording),
            Some(error) => Err(error),
        }
    }

    /// Recovers the intact parts of a damaged recording, with the default [`Limits`].
    ///
    /// # Errors
    /// When the header or the flags are damaged, no curve is intact, or the input exceeds a limit.
    ///
    /// ```
    /// # use inputanim::{Layout, Pose, Recording};
    /// # let mut recording = Recording::new(Layout::Mrtk1_1);
    /// # recording.head_mut().push(0.0, &Pose::IDENTITY);
    /// let bytes = recording.to_bytes()?;
    /// let cut = &bytes[..bytes.len() - 10];
    /// assert!(Recording::parse(cut).is_err());
    ///
    /// let recovered = Recording::recover(cut)?;
    /// assert_eq!(recovered.damaged[0].to_string(), "head.rotation.w: 0 of its 1 keys are intact");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recover(bytes: &'a [u8]) -> Result<RecoveredRecording<'a>, ParseError> {
        Recording::recover_with(bytes, &Limits::default())
    }

    /// Recovers the intact parts of a damaged recording, within `limits`.
    ///
    /// # Errors
    /// As [`recover`](Self::recover).
    pub fn recover_with(
        bytes: &'a [u8],
        limits: &Limits,
    ) -> Result<RecoveredRecording<'a>, ParseError> {
        Reading::new(bytes, limits)?.into_recovered(bytes)
    }
}

impl Recording<'static> {
    /// Reads a well-formed recording from a stream such as a pipe.
    ///
    /// For a moment, memory holds both the bytes of the stream and a copy of the keys.
    /// [`read_bytes`] and [`parse_with`](Self::parse_with) avoid the copy.
    ///
    /// # Errors
    /// When the stream fails, or as [`parse_with`](Self::parse_with).
    ///
    /// ```
    /// use inputanim::{Layout, Limits, Recording};
    /// // Usually a file or a pipe.
    /// let mut file = stored();
    /// # fn stored() -> std::io::Cursor<Vec<u8>> {
    /// #     std::io::Cursor::new(Recording::new(Layout::Mrtk1_1).to_bytes().unwrap())
    /// # }
    /// let recording = Recording::read(&mut file, &Limits::default())?;
    /// assert_eq!(recording.layout, Layout::Mrtk1_1);
    /// # Ok::<(), inputanim::ReadError>(())
    /// ```
    pub fn read(input: impl Read, limits: &Limits) -> Result<Recording<'static>, ReadError> {
        let bytes = read_bytes(input, limits)?;
        Ok(Recording::parse_with(&bytes, limits)?.into_owned())
    }
}

/// The bytes as the best candidate layout reads them.
struct Reading<'a> {
    recording: Recording<'a>,
    intact_curves: usize,
    /// Number of markers according to the file, if the layout has a list.
    declared_markers: Option<i32>,
    /// Names that only the lenient reader accepts, in file order.
    flaws: Vec<Stop>,
    /// The first of the flaws, as the error of the strict reader.
    flaw: Option<ParseError>,
    /// The error before the end of the file, if any.
    error: Option<ParseError>,
    /// Offset after the last intact part.
    end: usize,
}

impl<'a> Reading<'a> {
    fn new(bytes: &'a [u8], limits: &Limits) -> Result<Reading<'a>, ParseError> {
        let file = |kind| ParseError::new(kind, FilePart::File, 0);
        if bytes.is_empty() {
            return Err(file(ParseErrorKind::Empty));
        }
        // This check comes before any reading, so that a file beyond the limit costs nothing.
        if bytes.len() as u64 > limits.max_bytes {
            let limit = limits.max_bytes;
            return Err(file(ParseErrorKind::TooManyBytes { limit }));
        }
        if foreign::is_text_dialect(bytes) {
            return Err(file(ParseErrorKind::TextDialect));
        }
        // Sessions are detected before the header is read: a session has its own magic number, and a damaged session
        // may have lost it.
        if is_session(bytes) {
            return Err(file(ParseErrorKind::Session));
        }
        let mut cursor = Cursor::at(bytes, 0);
        let version = read_header(&mut cursor)?;
        if version.minor == 0 {
            // Version 1.0 has no flag bytes: the curves follow the header.
            return Ok(read_1_0(bytes, cursor.offset(), limits));
        }
        let flag_bytes: [u8; 3] = cursor.array().ok_or_else(|| {
            let stop = cursor.end_of_file(FilePart::Flags, 3);
            ParseError::new(stop.kind, stop.part, stop.offset)
        })?;
        let [head, hand, gaze] = flag_bytes.map(|byte| byte != 0);
        let flags = Flags { head, hand, gaze };
        let mut reading = read_1_1(bytes, cursor.offset(), flags, limits)?;
        // MRTK reads any byte but 0 as true; the byte itself is kept for byte-exact writing.
        reading.recording.keep_flag_bytes(flag_bytes);
        Ok(reading)
    }
}

fn read_header(cursor: &mut Cursor<'_>) -> Result<Version, ParseError> {
    let stop = cursor.end_of_file(FilePart::Header, 16);
    let too_short = || ParseError::new(stop.kind, stop.part, 0);
    let remaining = cursor.remaining();
    // A file that is shorter than the magic number and begins like it is truncated, not foreign.
    let start = cursor.take(remaining.min(8)).unwrap_or_default();
    if !MAGIC.starts_with(start) {
        let mut found = [0; 8];
        found[..start.len()].copy_from_slice(start);
        let length = start.len();
        let kind = ParseErrorKind::NotInputAnimation { found, length };
        return Err(ParseError::new(kind, FilePart::File, 0));
    }
    let major = cursor.i32().ok_or_else(too_short)?;
    let minor = cursor.i32().ok_or_else(too_short)?;
    let version = Version { major, minor };
    let wrong = |kind| ParseError::new(kind, FilePart::Header, MAGIC.len());
    match (major, minor) {
        (1, 0 | 1) => Ok(version),
        _ if version > Version { major: 1, minor: 1 } => {
            Err(wrong(ParseErrorKind::NewerVersion(version)))
        }
        _ => Err(wrong(ParseErrorKind::UnknownVersion(version))),
    }
}
