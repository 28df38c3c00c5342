//! Reading of the marker list at the end of a file.
//!
//! Specification: docs/format.md, sections 1.8 and 1.9.

use std::borrow::Cow;

use super::cursor::{Cursor, Stop};
use super::error::{FilePart, ParseErrorKind};
use super::limits::Limits;
use crate::marker::Marker;

/// Minimum size of a marker in bytes: its time and the length of an empty name.
const MIN_MARKER: usize = 5;

/// The intact markers at the start of a list.
pub(super) struct MarkerList<'a> {
    pub(super) markers: Vec<Marker<'a>>,
    /// The count according to the file; `None` when the file ends before it.
    pub(super) declared: Option<i32>,
    /// Names that violate the specification, but that .NET reads.
    pub(super) flaws: Vec<Stop>,
    /// Offset after the last intact marker.
    pub(super) end: usize,
    pub(super) stop: Option<Stop>,
}

impl<'a> MarkerList<'a> {
    pub(super) fn read(bytes: &'a [u8], start: usize, limits: &Limits) -> MarkerList<'a> {
        let mut list = MarkerList {
            markers: Vec::new(),
            declared: None,
            flaws: Vec::new(),
            end: start,
            stop: None,
        };
        list.stop = list.fill(Cursor::at(bytes, start), limits).err();
        list
    }

    /// Returns `true` if the marker list ends exactly at the end of the file, without errors.
    pub(super) fn is_exact(&self, bytes: &[u8]) -> bool {
        self.stop.is_none() && self.end == bytes.len()
    }

    fn fill(&mut self, mut cursor: Cursor<'a>, limits: &Limits) -> Result<(), Stop> {
        let stop = |kind| Stop {
            kind,
            part: FilePart::MarkerList,
            offset: self.end,
        };
        let count = cursor
            .i32()
            .ok_or_else(|| cursor.end_of_file(FilePart::MarkerList, 4))?;
        self.declared = Some(count);
        let declared =
            usize::try_from(count).map_err(|_| stop(ParseErrorKind::NegativeCount { count }))?;
        let most = cursor.remaining() / MIN_MARKER;
        // An impossible count is damage, not a reason to refuse the markers that are intact.
        if declared.min(most) as u64 > limits.max_markers {
            let limit = limits.max_markers;
            return Err(stop(ParseErrorKind::TooManyMarkers { limit }));
        }
        let beyond_end = stop(ParseErrorKind::MarkersBeyondEnd {
            markers: declared as u64,
            remaining: cursor.remaining() as u64,
        });
        self.end = cursor.offset();
        // A damaged count must not reserve more memory than the rest of the file can fill.
        self.markers.reserve_exact(declared.min(most));
        for index in 0..declared {
            let marker = read_marker(&mut cursor, FilePart::Marker(index), &mut self.flaws)
                // An impossible count is the cause; the unreadable marker only follows from it.
                .map_err(|stop| if declared > most { beyond_end } else { stop })?;
            self.markers.push(marker);
            self.end = cursor.offset();
        }
        Ok(())
    }
}

fn read_marker<'a>(
    cursor: &mut Cursor<'a>,
    part: FilePart,
    flaws: &mut Vec<Stop>,
) -> Result<Marker<'a>, Stop> {
    let time = cursor
        .array()
        .map(f32::from_le_bytes)
        .ok_or_else(|| cursor.end_of_file(part, MIN_MARKER))?;
    let at = cursor.offset();
    let flaw = |kind| Stop {
        kind,
        part,
        offset: at,
    };
    let length = read_length(cursor, part)?;
    if length.is_overlong {
        flaws.push(flaw(ParseErrorKind::NameLength));
    }
    let bytes = cursor
        .take(length.value)
        .ok_or_else(|| cursor.end_of_file(part, length.value))?;
    let name = String::from_utf8_lossy(bytes);
    // The conversion allocates only if it replaces bytes that are not UTF-8.
    if let Cow::Owned(_) = name {
        flaws.push(flaw(ParseErrorKind::NameNotUtf8));
    }
    Ok(Marker { time, name })
}

struct Length {
    value: usize,
    is_overlong: bool,
}

/// Reads the length of a string as .NET does: at most five groups of seven bits, low bits first, 31 bits in all. Fails
/// if the length is longer or the bytes end; `part` is named in the error.
fn read_length(cursor: &mut Cursor<'_>, part: FilePart) -> Result<Length, Stop> {
    let offset = cursor.offset();
    let mut value = 0_u64;
    for group in 0..5 {
        let [byte] = cursor.array().ok_or_else(|| cursor.end_of_file(part, 1))?;
        value |= u64::from(byte & 0x7f) << (7 * group);
        if byte & 0x80 == 0 {
            // .NET reads the length as a signed integer of 32 bits.
            let Ok(fits) = i32::try_from(value) else {
                break;
            };
            return Ok(Length {
                value: fits as usize,
                // A last group of 0 adds nothing to the value, so a shorter form exists.
                is_overlong: byte == 0 && group > 0,
            });
        }
    }
    Err(Stop {
        kind: ParseErrorKind::NameLength,
        part,
        offset,
    })
}
