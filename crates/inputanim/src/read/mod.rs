//! Bytes in: a recording, or what is wrong with them.
//!
//! Reading touches the header of every curve (at most 395) and no key: keys are borrowed. The
//! layout is told from the bytes alone (docs/format.md, section 3.3): the header's version
//! leaves two to four candidates, and the one that ends exactly at the end of the file is it.

mod body;
mod candidate;
mod cursor;
mod error;
mod foreign;
mod limits;
mod markers;
mod recover;

use std::io::Read;

use candidate::{read_1_0, read_1_1};
use cursor::{Cursor, Stop};
pub use error::{ParseError, ParseErrorKind, Part, Tried};
pub use limits::{Limits, read_bytes};
pub use recover::{Lost, Missing, Recovery};

use crate::layout::Version;
use crate::recording::{Flags, Recording};
use crate::session::is_session;

/// The first eight bytes of a file (docs/format.md, section 1.2).
pub const MAGIC: [u8; 8] = [0xc6, 0x42, 0x9e, 0x0f, 0x6e, 0xaf, 0x8f, 0x6a];

/// A stream that holds no well-formed recording, or that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// The stream failed.
    #[error("cannot read the recording")]
    Io(#[from] std::io::Error),
    /// The bytes are no well-formed recording.
    #[error(transparent)]
    Parse(#[from] ParseError),
}

impl<'a> Recording<'a> {
    /// Reads a well-formed recording of any layout, with the default [`Limits`].
    ///
    /// The keys stay where they are: the cost is that of the number of curves.
    ///
    /// # Errors
    /// When the bytes are not, from the first to the last, a recording in one of the six
    /// layouts; the error names the part, the byte, what was expected and what was found.
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
    /// As [`parse`](Self::parse), and when a limit is passed.
    pub fn parse_with(bytes: &'a [u8], limits: &Limits) -> Result<Recording<'a>, ParseError> {
        let reading = Reading::of(bytes, limits)?;
        match reading.error.or(reading.flaw) {
            None => Ok(reading.recording),
            Some(error) => Err(error),
        }
    }

    /// Whatever is whole in the bytes, with the default [`Limits`].
    ///
    /// # Errors
    /// When the header or the flags are not those of this format, not one curve is whole, or a
    /// limit is passed.
    ///
    /// ```
    /// # use inputanim::{Layout, Pose, Recording};
    /// # let mut take = Recording::new(Layout::Mrtk1_1);
    /// # take.camera_mut().push(0.0, &Pose::IDENTITY);
    /// let bytes = take.to_bytes(Layout::Mrtk1_1)?;
    /// let cut = &bytes[..bytes.len() - 10];
    /// assert!(Recording::parse(cut).is_err());
    ///
    /// let recovery = Recording::recover(cut)?;
    /// assert_eq!(recovery.missing[0].to_string(), "camera.rotation.w: 0 of its 1 keys were there");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn recover(bytes: &'a [u8]) -> Result<Recovery<'a>, ParseError> {
        Recording::recover_with(bytes, &Limits::default())
    }

    /// Whatever is whole in the bytes, within `limits`.
    ///
    /// # Errors
    /// As [`recover`](Self::recover).
    pub fn recover_with(bytes: &'a [u8], limits: &Limits) -> Result<Recovery<'a>, ParseError> {
        Reading::of(bytes, limits)?.into_recovery(bytes)
    }
}

impl Recording<'static> {
    /// Reads a well-formed recording from a stream such as a pipe.
    ///
    /// Holds the stream's bytes and then, for a moment, a copy of the keys. Where that is too
    /// much, [`read_bytes`] and [`parse_with`](Self::parse_with) do without the copy.
    ///
    /// # Errors
    /// When the stream fails, or as [`parse_with`](Self::parse_with).
    pub fn read(input: impl Read, limits: &Limits) -> Result<Recording<'static>, ReadError> {
        let bytes = read_bytes(input, limits)?;
        Ok(Recording::parse_with(&bytes, limits)?.into_owned())
    }
}

/// What the best candidate makes of the bytes.
struct Reading<'a> {
    recording: Recording<'a>,
    whole_curves: usize,
    /// Count of markers in the file, where a list was looked for.
    declared_markers: Option<i32>,
    /// Names that only the lenient reader takes, in file order.
    flaws: Vec<Stop>,
    /// The first of the flaws, for the strict reader.
    flaw: Option<ParseError>,
    /// Why this is not the whole file.
    error: Option<ParseError>,
    /// The byte after the last whole part.
    end: usize,
}

impl<'a> Reading<'a> {
    fn of(bytes: &'a [u8], limits: &Limits) -> Result<Reading<'a>, ParseError> {
        let file = |kind| ParseError::new(kind, Part::File, 0);
        if bytes.is_empty() {
            return Err(file(ParseErrorKind::Empty));
        }
        if bytes.len() as u64 > limits.max_bytes {
            let limit = limits.max_bytes;
            return Err(file(ParseErrorKind::TooManyBytes { limit }));
        }
        if foreign::is_text_dialect(bytes) {
            return Err(file(ParseErrorKind::TextDialect));
        }
        if is_session(bytes) {
            return Err(file(ParseErrorKind::Session));
        }
        let mut cursor = Cursor::at(bytes, 0);
        let version = read_header(&mut cursor)?;
        if version.minor == 0 {
            return Ok(read_1_0(bytes, cursor.offset(), limits));
        }
        let flag_bytes: [u8; 3] = cursor.array().ok_or_else(|| {
            let stop = cursor.end_of_file(Part::Flags, 3);
            ParseError::new(stop.kind, stop.part, stop.offset)
        })?;
        let [camera, hand, gaze] = flag_bytes.map(|byte| byte != 0);
        let flags = Flags { camera, hand, gaze };
        let mut reading = read_1_1(bytes, cursor.offset(), flags, limits)?;
        reading.recording.keep_flag_bytes(flag_bytes);
        Ok(reading)
    }
}

fn read_header(cursor: &mut Cursor<'_>) -> Result<Version, ParseError> {
    let stop = cursor.end_of_file(Part::Header, 16);
    let too_short = || ParseError::new(stop.kind, stop.part, 0);
    let remaining = cursor.remaining();
    let start = cursor.take(remaining.min(8)).unwrap_or_default();
    if !MAGIC.starts_with(start) {
        let mut found = [0; 8];
        found[..start.len()].copy_from_slice(start);
        let kind = ParseErrorKind::NotInputAnimation { found };
        return Err(ParseError::new(kind, Part::File, 0));
    }
    let major = cursor.i32().ok_or_else(too_short)?;
    let minor = cursor.i32().ok_or_else(too_short)?;
    let version = Version { major, minor };
    let wrong = |kind| ParseError::new(kind, Part::Header, MAGIC.len());
    match (major, minor) {
        (1, 0 | 1) => Ok(version),
        _ if version > Version { major: 1, minor: 1 } => {
            Err(wrong(ParseErrorKind::NewerVersion(version)))
        }
        _ => Err(wrong(ParseErrorKind::UnknownVersion(version))),
    }
}
