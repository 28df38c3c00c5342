//! The curves of a file, under the assumption of one form of keys.
//!
//! Specification: docs/format.md, sections 1.4 and 3.1.

use std::borrow::Cow;
use std::ops::ControlFlow;

use super::cursor::{Cursor, Stop};
use super::error::{ParseErrorKind, Part};
use super::limits::Limits;
use crate::curve::{BooleanCurve, CurveMut, FloatCurve, KeyKind, Keys, WrapMode};
use crate::layout::Layout;
use crate::path::CurvePath;
use crate::recording::{Flags, Recording};

/// As many whole curves as the bytes hold.
pub(super) struct Body<'a> {
    /// Filled up to the curve that is not whole; the rest have no keys.
    pub(super) recording: Recording<'a>,
    pub(super) whole_curves: usize,
    /// Whole curves from the start with wrap modes that Unity defines: a wrong assumption soon
    /// meets headers that are none.
    pub(super) plausible_curves: usize,
    /// The byte after the last whole curve.
    pub(super) end: usize,
    pub(super) stop: Option<Stop>,
}

impl<'a> Body<'a> {
    /// Reads the curves of a file with the given streams from `start` on.
    pub(super) fn read(
        bytes: &'a [u8],
        start: usize,
        flags: Flags,
        layout: Layout,
        limits: &Limits,
    ) -> Body<'a> {
        let mut recording = Recording::with_streams(layout, flags);
        let mut reader = CurveReader {
            cursor: Cursor::at(bytes, start),
            kind: layout.key_kind(),
            keys_left: limits.max_keys,
            limit: limits.max_keys,
        };
        let (mut whole_curves, mut plausible_curves, mut end) = (0, 0, start);
        let flow = recording.curves_mut().try_for_each(|(path, curve)| {
            let wraps = match reader.read(path, curve) {
                Ok(wraps) => wraps,
                Err(stop) => return ControlFlow::Break(stop),
            };
            if plausible_curves == whole_curves && wraps.iter().all(|wrap| wrap.is_known()) {
                plausible_curves += 1;
            }
            whole_curves += 1;
            end = reader.cursor.offset();
            ControlFlow::Continue(())
        });
        Body {
            recording,
            whole_curves,
            plausible_curves,
            end,
            stop: flow.break_value(),
        }
    }
}

struct CurveReader<'a> {
    cursor: Cursor<'a>,
    kind: KeyKind,
    keys_left: u64,
    limit: u64,
}

/// Bytes of a curve header (docs/format.md, section 1.4).
pub(super) const CURVE_HEADER: usize = 12;

impl<'a> CurveReader<'a> {
    fn read(&mut self, path: CurvePath, into: CurveMut<'_, 'a>) -> Result<[WrapMode; 2], Stop> {
        let offset = self.cursor.offset();
        let header: [u8; CURVE_HEADER] = self
            .cursor
            .array()
            .ok_or_else(|| self.cursor.end_of_file(Part::Curve(path), CURVE_HEADER))?;
        let [pre_wrap, post_wrap, count] = fields(header);
        let (pre_wrap, post_wrap) = (WrapMode(pre_wrap), WrapMode(post_wrap));
        let stop = |kind| Stop {
            kind,
            part: Part::Curve(path),
            offset,
        };
        let count =
            usize::try_from(count).map_err(|_| stop(ParseErrorKind::NegativeCount { count }))?;
        let remaining = self.cursor.remaining() as u64;
        let beyond_end = |kind: Option<KeyKind>| {
            stop(ParseErrorKind::KeysBeyondEnd {
                keys: count as u64,
                kind,
                needed: count as u64 * kind.map_or(8, KeyKind::size) as u64,
                remaining,
            })
        };
        match into {
            CurveMut::Boolean(curve) => {
                let keys = self.cursor.keys(count).ok_or_else(|| beyond_end(None))?;
                *curve = BooleanCurve {
                    pre_wrap,
                    post_wrap,
                    keys: Cow::Borrowed(keys),
                };
            }
            CurveMut::Float(curve) => {
                let keys = match self.kind {
                    KeyKind::Full => self.cursor.keys(count).map(|k| Keys::Full(k.into())),
                    KeyKind::Simple => self.cursor.keys(count).map(|k| Keys::Simple(k.into())),
                };
                *curve = FloatCurve {
                    pre_wrap,
                    post_wrap,
                    keys: keys.ok_or_else(|| beyond_end(Some(self.kind)))?,
                };
            }
        }
        self.keys_left = self
            .keys_left
            .checked_sub(count as u64)
            .ok_or_else(|| stop(ParseErrorKind::TooManyKeys { limit: self.limit }))?;
        Ok([pre_wrap, post_wrap])
    }
}

fn fields(header: [u8; CURVE_HEADER]) -> [i32; 3] {
    let field = |at: usize| {
        let bytes = std::array::from_fn(|index| header[at + index]);
        i32::from_le_bytes(bytes)
    };
    [field(0), field(4), field(8)]
}
