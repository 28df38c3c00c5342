//! The pieces of a session, one after the other, into a recorder.

use std::ops::Range;

use super::blocks::Piece;
use super::error::{RecoverError, check_limit};
use super::format::{COUNTS, u32_at};
use super::recovery::{Lost, LostPart, Recovery};
use crate::frame::Frame;
use crate::read::Limits;
use crate::record::{Recorder, Row};

pub(super) struct Reader<'l> {
    recorder: Recorder,
    limits: &'l Limits,
    keys: u64,
    markers: u64,
    /// The number that the next block should have.
    next_number: u64,
    lost: Vec<Lost>,
    /// How many of the lost have a frame after them.
    closed: usize,
    last_time: Option<f32>,
    is_finished: bool,
    /// Kept for their memory.
    frame: Frame,
    words: Vec<u32>,
}

impl<'l> Reader<'l> {
    /// For frames that are recorded as the settings say.
    pub(super) fn new(recorder: Recorder, limits: &'l Limits) -> Reader<'l> {
        Reader {
            recorder,
            limits,
            keys: 0,
            markers: 0,
            next_number: 0,
            lost: Vec::new(),
            closed: 0,
            last_time: None,
            is_finished: false,
            frame: Frame::default(),
            words: Vec::new(),
        }
    }

    pub(super) fn lose(&mut self, bytes: Range<usize>, what: LostPart) {
        self.lost.push(Lost {
            bytes: bytes.start as u64..bytes.end as u64,
            what,
            between: [self.last_time, None],
        });
    }

    pub(super) fn read(&mut self, piece: Piece<'_>) -> Result<(), RecoverError> {
        match piece {
            Piece::Unknown { bytes } => self.lose(bytes, LostPart::Unknown),
            Piece::Damaged { number, bytes } => {
                self.lose(bytes, LostPart::Block);
                self.next_number = self.next_number.max(number.saturating_add(1));
            }
            Piece::Block { number, bytes, .. } if number < self.next_number => {
                self.lose(bytes, LostPart::Stale);
            }
            Piece::Block {
                number,
                bytes,
                payload,
            } => {
                let blocks = number - self.next_number;
                let before = bytes.start as u64;
                let is_explained = self
                    .lost
                    .last()
                    .is_some_and(|lost| lost.bytes.end == before);
                if blocks > 0 && !is_explained {
                    self.lose(bytes.start..bytes.start, LostPart::Missing { blocks });
                }
                self.next_number = number.saturating_add(1);
                self.read_payload(payload, bytes)?;
            }
        }
        Ok(())
    }

    fn read_payload(&mut self, payload: &[u8], bytes: Range<usize>) -> Result<(), RecoverError> {
        let count = |offset| u32_at(payload, offset).unwrap_or_default();
        let (frames, markers) = (count(0), count(4));
        self.is_finished = (frames, markers) == (0, 0);
        let rest = payload.get(COUNTS..).unwrap_or_default();
        let (kept_frames, rest) = self.read_frames(rest, frames)?;
        let kept_markers = self.read_markers(rest, markers)?;
        let frames = u64::from(frames) - kept_frames;
        let markers = u64::from(markers) - kept_markers;
        if frames > 0 || markers > 0 {
            self.lose(bytes, LostPart::Refused { frames, markers });
        }
        Ok(())
    }

    /// How many of the frames are recorded, and the bytes after them.
    fn read_frames<'b>(
        &mut self,
        bytes: &'b [u8],
        count: u32,
    ) -> Result<(u64, &'b [u8]), RecoverError> {
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        let (chunks, _) = bytes.as_chunks();
        words.extend(chunks.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        let mut rest = &words[..];
        let mut kept = 0;
        for _ in 0..count {
            let Some((row, after)) = Row::split(rest) else {
                break;
            };
            rest = after;
            self.keys += row.numbers() as u64;
            check_limit("keys", self.keys, self.limits.max_keys)?;
            kept += u64::from(self.push(row));
        }
        let read = size_of_val(&words[..]) - size_of_val(rest);
        self.words = words;
        Ok((kept, &bytes[read..]))
    }

    fn push(&mut self, row: Row<'_>) -> bool {
        row.fill(&mut self.frame);
        let is_kept = self.recorder.push(&self.frame) == Ok(true);
        if is_kept {
            let time = Some(self.recorder.time_in_recording(row.time));
            for lost in &mut self.lost[self.closed..] {
                lost.between[1] = time;
            }
            self.closed = self.lost.len();
            self.last_time = time;
        }
        is_kept
    }

    /// How many of the markers are recorded.
    fn read_markers(&mut self, mut bytes: &[u8], count: u32) -> Result<u64, RecoverError> {
        let mut kept = 0;
        for _ in 0..count {
            let Some((time, name, rest)) = split_marker(bytes) else {
                break;
            };
            bytes = rest;
            self.markers += 1;
            check_limit("markers", self.markers, self.limits.max_markers)?;
            let name = std::str::from_utf8(name);
            kept += u64::from(name.is_ok_and(|name| self.recorder.mark(time, name).is_ok()));
        }
        Ok(kept)
    }

    /// Blocks that were there, up to the highest number.
    pub(super) fn has_blocks(&self) -> bool {
        self.next_number > 0
    }

    pub(super) fn finish(self) -> Recovery {
        Recovery {
            frames: self.recorder.frames(),
            recording: self.recorder.finish(),
            lost: self.lost,
            is_finished: self.is_finished,
        }
    }
}

/// The time and the name of a marker, and the bytes after it.
fn split_marker(bytes: &[u8]) -> Option<(f32, &[u8], &[u8])> {
    let (time, rest) = bytes.split_first_chunk()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    let (name, rest) = rest.split_at_checked(length)?;
    Some((f32::from_le_bytes(*time), name, rest))
}
