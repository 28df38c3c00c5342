//! Detection of the layout.
//!
//! Method: each candidate layout that the header allows is read. The one that ends exactly at the end of the file is
//! the layout. If no candidate does, the file is damaged, and the candidate with the most progress counts.
//!
//! Specification: docs/format.md, section 3.3.

use super::Reading;
use super::body::{Body, CURVE_HEADER};
use super::cursor::Stop;
use super::error::{FilePart, ParseError, ParseErrorKind, TriedLayout};
use super::foreign;
use super::limits::Limits;
use super::markers::MarkerList;
use crate::curve::{BooleanCurve, Curve, CurveMut, FloatCurve, WrapMode};
use crate::layout::Layout;
use crate::recording::Flags;

/// Reads the curves and the markers of a file of version 1.0 from the byte `start` on. This version has one form of
/// keys, with or without a marker list.
pub(super) fn read_1_0<'a>(bytes: &'a [u8], start: usize, limits: &Limits) -> Reading<'a> {
    // Version 1.0 has no flags: the head and the hands are always present, and gaze is not.
    let flags = Flags {
        gaze: false,
        ..Flags::ALL
    };
    let body = Body::read(bytes, start, flags, Layout::Mrtk1_0, limits);
    Candidate::new(bytes, body, limits)
        .without_zeros(bytes)
        .into_reading(bytes, Vec::new())
}

/// Reads the curves and the markers of a file of version 1.1 from the byte `start` on. This version has two forms of
/// keys, each with or without a marker list; the one that fits the file counts, or the one with more intact curves.
///
/// # Errors
/// When the file is of another family of formats that shares the magic number.
pub(super) fn read_1_1<'a>(
    bytes: &'a [u8],
    start: usize,
    flags: Flags,
    limits: &Limits,
) -> Result<Reading<'a>, ParseError> {
    let read = |layout| {
        let body = Body::read(bytes, start, flags, layout, limits);
        Candidate::new(bytes, body, limits)
    };
    // MRTK's own layout comes first: if it fits without doubt, the second reading is not needed.
    let simple = read(Layout::Mrtk1_1);
    if simple.is_exact(bytes)
        && simple.implausibilities() == (false, false)
        && simple.list.is_some()
    {
        return Ok(simple.into_reading(bytes, Vec::new()));
    }
    let full = read(Layout::Documented1_1);
    match (simple.is_exact(bytes), full.is_exact(bytes)) {
        (true, true) => {
            let rank =
                |candidate: &Candidate<'_>| (candidate.implausibilities(), candidate.preference());
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
    // This check comes after both forms of keys have failed, so that a valid recording is never taken for a foreign
    // file.
    let curves = simple.body.intact_curves;
    if simple.body.stop.is_none() && foreign::is_ten_curve_dialect(bytes, start, flags, curves) {
        let kind = ParseErrorKind::TenCurveDialect;
        return Err(ParseError::new(kind, FilePart::File, 0));
    }
    // With equal progress, MRTK's own form of keys counts.
    let (best, other) = if full.progress() > simple.progress() {
        (full, simple)
    } else {
        (simple, full)
    };
    let tried = other.as_tried(bytes);
    Ok(best.without_zeros(bytes).into_reading(bytes, vec![tried]))
}

/// The bytes read with one form of keys.
struct Candidate<'a> {
    body: Body<'a>,
    /// The bytes after the last curve, read as a marker list; `None` when a curve is damaged or no
    /// bytes follow.
    list: Option<MarkerList<'a>>,
}

impl<'a> Candidate<'a> {
    fn new(bytes: &'a [u8], body: Body<'a>, limits: &Limits) -> Candidate<'a> {
        let at_list = body.stop.is_none() && body.end < bytes.len();
        let list = at_list.then(|| MarkerList::read(bytes, body.end, limits));
        Candidate { body, list }
    }

    /// Returns `true` if this candidate layout ends exactly at the end of the file, without errors.
    fn is_exact(&self, bytes: &[u8]) -> bool {
        match &self.list {
            Some(list) => list.is_exact(bytes),
            None => self.body.stop.is_none() && self.body.end == bytes.len(),
        }
    }

    /// Returns the evidence against a candidate that fits the file exactly: `true` for marker names that no writer
    /// writes, and `true` for wrap modes that Unity does not define. Two candidates with keys can both be exact only by
    /// accident, and the wrong one seldom looks like a recording.
    fn implausibilities(&self) -> (bool, bool) {
        let body = &self.body;
        let has_flaws = self
            .list
            .as_ref()
            .is_some_and(|list| !list.flaws.is_empty());
        (has_flaws, body.plausible_curves < body.intact_curves)
    }

    /// Returns the rank of the layout among equally good candidates (docs/format.md, section 3.3); lower wins.
    fn preference(&self) -> u8 {
        match self.layout() {
            Layout::Mrtk1_0 | Layout::Mrtk1_1 => 0,
            Layout::Documented1_0 | Layout::Documented1_1 => 1,
            Layout::SimpleWithoutMarkers1_1 => 2,
            Layout::FullWithMarkers1_1 => 3,
        }
    }

    /// Returns a measure of how much of the file is valid; larger is more (docs/format.md, section 3.3). It consists of
    /// the curves before the first implausible one, the intact curves, and the byte offset after them.
    fn progress(&self) -> (usize, usize, usize) {
        let body = &self.body;
        (body.plausible_curves, body.intact_curves, body.end)
    }

    /// Returns the layout: the form of keys with which the file was read, and the presence of a marker list.
    ///
    /// Bytes after the curves count as a marker list. With full keys in version 1.1, where lists are
    /// rare, they count as one only if at least one marker is intact.
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

    /// Returns the error at which reading stopped, such as a damaged curve or remaining bytes; `None` for a candidate
    /// that fits the file exactly.
    fn stop(&self, bytes: &[u8]) -> Option<Stop> {
        if self.body.stop.is_some() {
            return self.body.stop;
        }
        let list = self.list.as_ref()?;
        let trailing = |offset: usize| Stop {
            kind: ParseErrorKind::TrailingBytes {
                extra: (bytes.len() - offset) as u64,
            },
            part: FilePart::End,
            offset,
        };
        if !self.layout().has_markers() {
            return Some(trailing(self.body.end));
        }
        list.stop
            .or_else(|| (!list.is_exact(bytes)).then(|| trailing(list.end)))
    }

    /// Returns the layout of this candidate, and the part of the file and the byte offset at which it failed. The error
    /// of the chosen candidate lists them.
    fn as_tried(&self, bytes: &[u8]) -> TriedLayout {
        let stop = self.stop(bytes);
        TriedLayout {
            layout: self.layout(),
            part: stop.map_or(FilePart::File, |stop| stop.part),
            offset: stop.map_or(bytes.len(), |stop| stop.offset) as u64,
        }
    }

    /// If bytes follow the last curve, drops the curves at the end whose headers are all zeros, and makes the first of
    /// them the place of the error. A file system that lost the end of a save leaves zeros, which look like curves
    /// without keys.
    fn without_zeros(mut self, bytes: &[u8]) -> Candidate<'a> {
        let is_trailing = |stop: Stop| matches!(stop.kind, ParseErrorKind::TrailingBytes { .. });
        if !self.stop(bytes).is_some_and(is_trailing) {
            return self;
        }
        let is_zeros = |curve: &Curve<'_, '_>| {
            curve.is_empty() && curve.wrap() == (WrapMode::DEFAULT, WrapMode::DEFAULT)
        };
        let kind = self.body.recording.layout.key_kind();
        let curves: Vec<_> = self.body.recording.curves().collect();
        let intact = curves.iter().rposition(|(_, curve)| !is_zeros(curve));
        let intact = intact.map_or(0, |last| last + 1);
        let Some(&(path, _)) = curves.get(intact).filter(|_| intact > 0) else {
            return self;
        };
        let offset = self.body.end - CURVE_HEADER * (curves.len() - intact);
        for (_, curve) in self.body.recording.curves_mut().skip(intact) {
            match curve {
                CurveMut::Boolean(curve) => *curve = BooleanCurve::default(),
                CurveMut::Float(curve) => *curve = FloatCurve::default().into_kind(kind),
            }
        }
        self.body.intact_curves = intact;
        self.body.end = offset;
        self.body.stop = Some(Stop {
            kind: ParseErrorKind::Zeros {
                remaining: (bytes.len() - offset) as u64,
            },
            part: FilePart::Curve(path),
            offset,
        });
        self.list = None;
        self
    }

    fn into_reading(self, bytes: &[u8], also_tried: Vec<TriedLayout>) -> Reading<'a> {
        let layout = self.layout();
        let intact_curves = self.body.intact_curves;
        let to_error = |stop: Stop| {
            ParseError::new(stop.kind, stop.part, stop.offset).in_layout(layout, intact_curves)
        };
        let error = self
            .stop(bytes)
            .map(|stop| to_error(stop).also_tried_layouts(also_tried));
        let mut recording = self.body.recording;
        recording.layout = layout;
        let list = self.list.filter(|_| layout.has_markers());
        let mut reading = Reading {
            recording,
            intact_curves,
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
