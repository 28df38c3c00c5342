//! Reading of a file's curves, given the form of their keys.
//!
//! Specification: docs/format.md, sections 1.4 and 3.1.

use std::borrow::Cow;

use super::cursor::{Cursor, Stop};
use super::error::{FilePart, ParseErrorKind};
use super::limits::Limits;
use crate::curve::{BooleanCurve, CurveMut, FloatCurve, KeyKind, Keys, WrapMode};
use crate::layout::Layout;
use crate::path::CurvePath;
use crate::recording::{Flags, Recording, path_at};

/// The intact curves at the start of a file.
pub(super) struct Body<'a> {
    /// The recording. Curves after the first damaged one have no keys.
    pub(super) recording: Recording<'a>,
    pub(super) intact_curves: usize,
    /// Number of intact curves before the first one with a wrap mode that Unity does not define. It separates the
    /// layouts: with the wrong form of keys, the reader soon mistakes keys for headers.
    pub(super) plausible_curves: usize,
    /// Offset after the last intact curve.
    pub(super) end: usize,
    pub(super) stop: Option<Stop>,
}

impl<'a> Body<'a> {
    /// Reads the curves of the streams in `flags` from the byte `start` on, with keys in the form of `layout`. Stops at
    /// the first damaged curve, or when the limit of keys is exceeded.
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
        let (mut intact_curves, mut plausible_curves, mut end) = (0, 0, start);
        let mut stop = None;
        for path in (0..).map_while(path_at) {
            let Some(curve) = recording.curve_mut(path) else {
                continue;
            };
            let header = match reader.read(path, curve) {
                Ok(header) => header,
                Err(found) => {
                    stop = Some(found);
                    break;
                }
            };
            // Counts only the curves before the first implausible one.
            if plausible_curves == intact_curves && header.is_plausible() {
                plausible_curves += 1;
            }
            intact_curves += 1;
            end = reader.cursor.offset();
        }
        Body {
            recording,
            intact_curves,
            plausible_curves,
            end,
            stop,
        }
    }
}

/// The header of a curve (docs/format.md, section 1.4).
#[derive(Clone, Copy, Debug)]
pub(super) struct CurveHeader {
    pub(super) wraps: [WrapMode; 2],
    /// Number of keys, negative in a damaged file.
    pub(super) count: i32,
}

/// Size of a curve header in bytes.
pub(super) const CURVE_HEADER: usize = 12;

impl CurveHeader {
    pub(super) fn new(bytes: [u8; CURVE_HEADER]) -> CurveHeader {
        let field = |at: usize| i32::from_le_bytes(std::array::from_fn(|index| bytes[at + index]));
        CurveHeader {
            wraps: [WrapMode(field(0)), WrapMode(field(4))],
            count: field(8),
        }
    }

    /// Returns `true` if Unity defines both wrap modes of the curve.
    pub(super) fn is_plausible(self) -> bool {
        self.wraps.iter().all(|wrap| wrap.is_known())
    }
}

struct CurveReader<'a> {
    cursor: Cursor<'a>,
    kind: KeyKind,
    keys_left: u64,
    limit: u64,
}

impl<'a> CurveReader<'a> {
    /// Reads the next curve of the file into `into`, and returns its header. Returns the reason and the byte offset if
    /// the curve is damaged or exceeds the limit of keys; `path` is the name of the curve in this error.
    fn read(&mut self, path: CurvePath, into: CurveMut<'_, 'a>) -> Result<CurveHeader, Stop> {
        let offset = self.cursor.offset();
        let header = self
            .cursor
            .array()
            .ok_or_else(|| self.cursor.end_of_file(FilePart::Curve(path), CURVE_HEADER))?;
        let header = CurveHeader::new(header);
        let ([pre_wrap, post_wrap], count) = (header.wraps, header.count);
        let stop = |kind| Stop {
            kind,
            part: FilePart::Curve(path),
            offset,
        };
        let count =
            usize::try_from(count).map_err(|_| stop(ParseErrorKind::NegativeCount { count }))?;
        let remaining = self.cursor.remaining() as u64;
        let beyond_end = |kind: Option<KeyKind>| {
            stop(ParseErrorKind::KeysBeyondEnd {
                keys: count as u64,
                kind,
                // The product of a count of 31 bits and a key size cannot overflow 64 bits.
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
        // This check comes after the check against the remaining bytes, so that a damaged count is reported as damage.
        self.keys_left = self
            .keys_left
            .checked_sub(count as u64)
            .ok_or_else(|| stop(ParseErrorKind::TooManyKeys { limit: self.limit }))?;
        Ok(header)
    }
}
