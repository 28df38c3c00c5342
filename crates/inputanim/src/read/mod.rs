//! Bytes in: a recording, or what is wrong with them.
//!
//! Reading touches the header of every curve (at most 395) and no key: keys are borrowed. The
//! layout is told from the bytes alone (docs/format.md, section 3.3): the header's version
//! leaves two to four candidates, and the one that ends exactly at the end of the file is it.

mod body;
mod cursor;
mod error;
mod foreign;
mod limits;
mod markers;
mod recover;

use std::io::Read;

use body::Body;
use cursor::{Cursor, Stop};
pub use error::{ParseError, ParseErrorKind, Part, Tried};
pub use limits::{Limits, read_bytes};
use markers::MarkerList;
pub use recover::{Lost, Missing, Recovery};

use crate::layout::{Layout, Version};
use crate::recording::{Flags, Recording};

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
        let mut cursor = Cursor::at(bytes, 0);
        let version = read_header(&mut cursor)?;
        if version.minor == 0 {
            let start = cursor.offset();
            let flags = Flags {
                camera: true,
                hand: true,
                gaze: false,
            };
            let body = Body::read(bytes, start, flags, Layout::Mrtk1_0, limits);
            return Ok(Candidate::of(bytes, body, limits).into_reading(bytes, Vec::new()));
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

/// Version 1.1: four candidates from two forms of keys, each with and without a marker list.
fn read_1_1<'a>(
    bytes: &'a [u8],
    start: usize,
    flags: Flags,
    limits: &Limits,
) -> Result<Reading<'a>, ParseError> {
    let read = |layout| {
        let body = Body::read(bytes, start, flags, layout, limits);
        Candidate::of(bytes, body, limits)
    };
    let simple = read(Layout::Mrtk1_1);
    if simple.is_exact(bytes) && simple.doubts() == (false, false) && simple.list.is_some() {
        return Ok(simple.into_reading(bytes, Vec::new()));
    }
    let full = read(Layout::Documented1_1);
    match (simple.is_exact(bytes), full.is_exact(bytes)) {
        (true, true) => {
            let rank = |candidate: &Candidate<'_>| (candidate.doubts(), candidate.place());
            let best = if rank(&full) < rank(&simple) {
                full
            } else {
                simple
            };
            return Ok(best.into_reading(bytes, Vec::new()));
        }
        (true, false) => return Ok(simple.into_reading(bytes, Vec::new())),
        (false, true) => return Ok(full.into_reading(bytes, Vec::new())),
        (false, false) => {}
    }
    let curves = simple.body.whole_curves;
    if simple.body.stop.is_none() && foreign::is_ten_curve_dialect(bytes, start, flags, curves) {
        let kind = ParseErrorKind::TenCurveDialect;
        return Err(ParseError::new(kind, Part::File, 0));
    }
    let (best, other) = if full.progress() > simple.progress() {
        (full, simple)
    } else {
        (simple, full)
    };
    let tried = other.stopped(bytes);
    Ok(best.into_reading(bytes, vec![tried]))
}

/// The bytes read with one form of keys.
struct Candidate<'a> {
    body: Body<'a>,
    /// What follows the last curve, read as a marker list; `None` when a curve is not whole or
    /// when nothing follows.
    list: Option<MarkerList<'a>>,
}

impl<'a> Candidate<'a> {
    fn of(bytes: &'a [u8], body: Body<'a>, limits: &Limits) -> Candidate<'a> {
        let at_list = body.stop.is_none() && body.end < bytes.len();
        let list = at_list.then(|| MarkerList::read(bytes, body.end, limits));
        Candidate { body, list }
    }

    /// Whether it ends, without fault, at the end of the file.
    fn is_exact(&self, bytes: &[u8]) -> bool {
        match &self.list {
            Some(list) => list.is_exact(bytes),
            None => self.body.stop.is_none() && self.body.end == bytes.len(),
        }
    }

    /// What speaks against a candidate that ends exactly: names that no writer writes, wrap
    /// modes that Unity does not define. Only an accident of numbers lets two candidates with
    /// keys end exactly, and it seldom looks like a recording.
    fn doubts(&self) -> (bool, bool) {
        let body = &self.body;
        let has_flaws = self
            .list
            .as_ref()
            .is_some_and(|list| !list.flaws.is_empty());
        (has_flaws, body.plausible_curves < body.whole_curves)
    }

    /// The order of preference (docs/format.md, section 3.3).
    fn place(&self) -> u8 {
        match self.layout() {
            Layout::Mrtk1_0 | Layout::Mrtk1_1 => 0,
            Layout::Documented1_0 | Layout::Documented1_1 => 1,
            Layout::SimpleWithoutMarkers1_1 => 2,
            Layout::FullWithMarkers1_1 => 3,
        }
    }

    /// How far it got: larger is further (docs/format.md, section 3.3).
    fn progress(&self) -> (usize, usize, usize) {
        let body = &self.body;
        (body.plausible_curves, body.whole_curves, body.end)
    }

    /// Which of the layouts with this form of keys it is.
    ///
    /// Bytes after the curves are taken for a marker list, except with full keys in 1.1, where
    /// a list is the rarer case: there it takes a list that has at least one whole marker.
    fn layout(&self) -> Layout {
        let read_as = self.body.recording.layout;
        let ends_after_curves = self.body.stop.is_none() && self.list.is_none();
        let has_list = |list: &MarkerList<'_>| list.stop.is_none() || !list.markers.is_empty();
        match read_as {
            Layout::Mrtk1_0 if ends_after_curves => Layout::Documented1_0,
            Layout::Mrtk1_1 if ends_after_curves => Layout::SimpleWithoutMarkers1_1,
            Layout::Documented1_1 if self.list.as_ref().is_some_and(has_list) => {
                Layout::FullWithMarkers1_1
            }
            _ => read_as,
        }
    }

    /// Where it stopped, if it did not end exactly.
    fn stop(&self, bytes: &[u8]) -> Option<Stop> {
        if self.body.stop.is_some() {
            return self.body.stop;
        }
        let list = self.list.as_ref()?;
        let trailing = |offset: usize| Stop {
            kind: ParseErrorKind::TrailingBytes {
                extra: (bytes.len() - offset) as u64,
            },
            part: Part::End,
            offset,
        };
        if !self.layout().has_markers() {
            return Some(trailing(self.body.end));
        }
        list.stop
            .or_else(|| (!list.is_exact(bytes)).then(|| trailing(list.end)))
    }

    fn stopped(&self, bytes: &[u8]) -> Tried {
        let stop = self.stop(bytes);
        Tried {
            layout: self.layout(),
            part: stop.map_or(Part::File, |stop| stop.part),
            offset: stop.map_or(bytes.len(), |stop| stop.offset) as u64,
        }
    }

    fn into_reading(self, bytes: &[u8], also_tried: Vec<Tried>) -> Reading<'a> {
        let layout = self.layout();
        let whole_curves = self.body.whole_curves;
        let to_error = |stop: Stop| {
            ParseError::new(stop.kind, stop.part, stop.offset).in_layout(layout, whole_curves)
        };
        let error = self
            .stop(bytes)
            .map(|stop| to_error(stop).also_tried_layouts(also_tried));
        let mut recording = self.body.recording;
        recording.layout = layout;
        let list = self.list.filter(|_| layout.has_markers());
        let mut reading = Reading {
            recording,
            whole_curves,
            declared_markers: None,
            flaws: Vec::new(),
            flaw: None,
            error,
            end: self.body.end,
        };
        if let Some(list) = list {
            reading.recording.markers = list.markers;
            reading.declared_markers = list.declared;
            reading.flaw = list.flaws.first().copied().map(to_error);
            reading.flaws = list.flaws;
            reading.end = list.end;
        }
        reading
    }
}
