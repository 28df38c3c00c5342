//! The layouts that a file may have, and which of them it is.
//!
//! Specification: docs/format.md, section 3.3.

use super::Reading;
use super::body::{Body, CURVE_HEADER};
use super::cursor::Stop;
use super::error::{ParseError, ParseErrorKind, Part, Tried};
use super::foreign;
use super::limits::Limits;
use super::markers::MarkerList;
use crate::curve::{BooleanCurve, Curve, CurveMut, FloatCurve, WrapMode};
use crate::layout::Layout;
use crate::recording::Flags;

/// Version 1.0: one form of keys, with or without a marker list.
pub(super) fn read_1_0<'a>(bytes: &'a [u8], start: usize, limits: &Limits) -> Reading<'a> {
    let flags = Flags {
        gaze: false,
        ..Flags::ALL
    };
    let body = Body::read(bytes, start, flags, Layout::Mrtk1_0, limits);
    Candidate::of(bytes, body, limits)
        .without_zeros(bytes)
        .into_reading(bytes, Vec::new())
}

/// Version 1.1: four candidates from two forms of keys, each with and without a marker list.
pub(super) fn read_1_1<'a>(
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
    Ok(best.without_zeros(bytes).into_reading(bytes, vec![tried]))
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

    /// Takes curves at the end whose headers are all zeros for what they are, where bytes are left
    /// over after them: a part of the file that was never written.
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
        let sound = curves.iter().rposition(|(_, curve)| !is_zeros(curve));
        let sound = sound.map_or(0, |last| last + 1);
        let Some(&(path, _)) = curves.get(sound).filter(|_| sound > 0) else {
            return self;
        };
        let offset = self.body.end - CURVE_HEADER * (curves.len() - sound);
        for (_, curve) in self.body.recording.curves_mut().skip(sound) {
            match curve {
                CurveMut::Boolean(curve) => *curve = BooleanCurve::default(),
                CurveMut::Float(curve) => *curve = FloatCurve::default().into_kind(kind),
            }
        }
        self.body.whole_curves = sound;
        self.body.end = offset;
        self.body.stop = Some(Stop {
            kind: ParseErrorKind::Zeros {
                remaining: (bytes.len() - offset) as u64,
            },
            part: Part::Curve(path),
            offset,
        });
        self.list = None;
        self
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
