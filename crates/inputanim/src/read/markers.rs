//! The marker list at the end of a file.
//!
//! Specification: docs/format.md, sections 1.8 and 1.9.

use std::borrow::Cow;

use super::cursor::{Cursor, Stop};
use super::error::{ParseErrorKind, Part};
use super::limits::Limits;
use crate::marker::Marker;

/// The least that a marker takes: a time and the length of an empty name.
const SMALLEST: usize = 5;

/// As many whole markers as the bytes hold.
pub(super) struct MarkerList<'a> {
    pub(super) markers: Vec<Marker<'a>>,
    /// The count in the file; `None` when the file ends before it.
    pub(super) declared: Option<i32>,
    /// Names that are not written as the specification says, but that .NET reads.
    pub(super) flaws: Vec<Stop>,
    /// The byte after the last whole marker.
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

    /// Whether it ends, without fault, at the end of the file.
    pub(super) fn is_exact(&self, bytes: &[u8]) -> bool {
        self.stop.is_none() && self.end == bytes.len()
    }

    fn fill(&mut self, mut cursor: Cursor<'a>, limits: &Limits) -> Result<(), Stop> {
        let stop = |kind| Stop {
            kind,
            part: Part::MarkerList,
            offset: self.end,
        };
        let count = cursor
            .i32()
            .ok_or_else(|| cursor.end_of_file(Part::MarkerList, 4))?;
        self.declared = Some(count);
        let wanted =
            usize::try_from(count).map_err(|_| stop(ParseErrorKind::NegativeCount { count }))?;
        let room = cursor.remaining() / SMALLEST;
        // A count that cannot be is no reason to give up what is there.
        if wanted.min(room) as u64 > limits.max_markers {
            let limit = limits.max_markers;
            return Err(stop(ParseErrorKind::TooManyMarkers { limit }));
        }
        let beyond_end = stop(ParseErrorKind::MarkersBeyondEnd {
            markers: wanted as u64,
            remaining: cursor.remaining() as u64,
        });
        self.end = cursor.offset();
        self.markers.reserve_exact(wanted.min(room));
        for index in 0..wanted {
            let marker = read_marker(&mut cursor, Part::Marker(index), &mut self.flaws)
                // A count that cannot be is the nearer truth than the marker it led to.
                .map_err(|stop| if wanted > room { beyond_end } else { stop })?;
            self.markers.push(marker);
            self.end = cursor.offset();
        }
        Ok(())
    }
}

fn read_marker<'a>(
    cursor: &mut Cursor<'a>,
    part: Part,
    flaws: &mut Vec<Stop>,
) -> Result<Marker<'a>, Stop> {
    let time = cursor
        .array()
        .map(f32::from_le_bytes)
        .ok_or_else(|| cursor.end_of_file(part, SMALLEST))?;
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
    if let Cow::Owned(_) = name {
        flaws.push(flaw(ParseErrorKind::NameNotUtf8));
    }
    Ok(Marker { time, name })
}

struct Length {
    value: usize,
    is_overlong: bool,
}

/// A string's length as .NET reads it: groups of seven bits, low first, at most five, 31 bits.
fn read_length(cursor: &mut Cursor<'_>, part: Part) -> Result<Length, Stop> {
    let offset = cursor.offset();
    let mut value = 0_u64;
    for group in 0..5 {
        let [byte] = cursor.array().ok_or_else(|| cursor.end_of_file(part, 1))?;
        value |= u64::from(byte & 0x7f) << (7 * group);
        if byte & 0x80 == 0 {
            let Ok(fits) = i32::try_from(value) else {
                break;
            };
            return Ok(Length {
                value: fits as usize,
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
