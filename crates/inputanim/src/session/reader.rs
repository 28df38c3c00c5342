//! Decoding of a session's segments into a recorder.

use std::ops::Range;

use super::blocks::Segment;
use super::error::{SessionReadError, check_limit};
use super::recovered::{RecoveredSession, SessionDamage, SessionDamageKind};
use crate::about::About;
use crate::device::{DeviceName, Haptic};
use crate::frame::{DeviceFrame, Frame};
use crate::read::Limits;
use crate::record::devices::{Tables, number, text};
use crate::record::{Recorder, Row};
use crate::session_format::{COUNTS, u32_at};

/// Records the frames of segments, and lists the damage between them.
pub(super) struct SessionReader<'l> {
    recorder: Recorder,
    limits: &'l Limits,
    keys: u64,
    markers: u64,
    /// The number that the next block should have.
    next_number: u64,
    damage: Vec<SessionDamage>,
    /// Number of entries of `damage` that have a frame after them.
    closed: usize,
    last_time: Option<f32>,
    is_finished: bool,
    about: About,
    /// Scratch frame, reused for every row.
    frame: Frame,
    /// Scratch words, reused for every block.
    words: Vec<u32>,
}

impl<'l> SessionReader<'l> {
    pub(super) fn new(recorder: Recorder, limits: &'l Limits) -> SessionReader<'l> {
        SessionReader {
            recorder,
            limits,
            keys: 0,
            markers: 0,
            next_number: 0,
            damage: Vec::new(),
            closed: 0,
            last_time: None,
            is_finished: false,
            about: About::NONE,
            frame: Frame::default(),
            words: Vec::new(),
        }
    }

    pub(super) fn add_damage(&mut self, bytes: Range<usize>, kind: SessionDamageKind) {
        self.damage.push(SessionDamage {
            bytes: bytes.start as u64..bytes.end as u64,
            kind,
            between: [self.last_time, None],
        });
    }

    /// Records the frames and markers of an intact segment, and lists other segments as damage. Fails if the session
    /// exceeds the limits.
    pub(super) fn read(&mut self, segment: Segment<'_>) -> Result<(), SessionReadError> {
        match segment {
            Segment::Unknown { bytes } => self.add_damage(bytes, SessionDamageKind::Unknown),
            Segment::Damaged { number, bytes } => {
                self.add_damage(bytes, SessionDamageKind::Block);
                // The number of a damaged block is valid, because its header has a checksum of its
                // own.
                self.next_number = self.next_number.max(number.saturating_add(1));
            }
            Segment::Block { number, bytes, .. } if number < self.next_number => {
                self.add_damage(bytes, SessionDamageKind::Stale);
            }
            Segment::Block {
                number,
                bytes,
                payload,
            } => {
                let blocks = number - self.next_number;
                let start = bytes.start as u64;
                // Unknown bytes directly before the block are the missing blocks.
                let is_explained = self
                    .damage
                    .last()
                    .is_some_and(|damage| damage.bytes.end == start);
                if blocks > 0 && !is_explained {
                    let kind = SessionDamageKind::Missing { blocks };
                    self.add_damage(bytes.start..bytes.start, kind);
                }
                self.next_number = number.saturating_add(1);
                self.read_payload(payload, bytes)?;
            }
        }
        Ok(())
    }

    fn read_payload(
        &mut self,
        payload: &[u8],
        bytes: Range<usize>,
    ) -> Result<(), SessionReadError> {
        let count = |offset| u32_at(payload, offset).unwrap_or_default();
        let (frames, markers) = (count(0), count(4));
        let rest = payload.get(COUNTS..).unwrap_or_default();
        // `SessionWriter::finish` ends the file with an empty block. Only the block of the texts has more bytes.
        self.is_finished = (frames, markers) == (0, 0) && rest.is_empty();
        let devices = after_markers(rest, frames, markers).and_then(|rest| {
            let rest = read_texts(rest, &mut self.about)?;
            Some(BlockDevices::read(rest, frames))
        });
        let (recorded_frames, rest) = self.read_frames(rest, frames, devices.as_ref())?;
        let (recorded_markers, _) = self.read_markers(rest, markers)?;
        let mut lost_devices = false;
        if let Some(devices) = devices {
            lost_devices = !devices.is_valid;
            for (device, haptic) in devices.haptics {
                lost_devices |= self.recorder.haptic(device, haptic).is_err();
            }
        }
        let frames = u64::from(frames) - recorded_frames;
        let markers = u64::from(markers) - recorded_markers;
        if frames > 0 || markers > 0 {
            self.add_damage(bytes, SessionDamageKind::Refused { frames, markers });
        } else if lost_devices {
            self.add_damage(bytes, SessionDamageKind::Block);
        }
        Ok(())
    }

    /// Records the `count` frames at the start of `bytes`. Returns the number of frames that the recorder accepted, and
    /// the bytes after the frames. Fails if the session exceeds the limit of keys.
    fn read_frames<'b>(
        &mut self,
        bytes: &'b [u8],
        count: u32,
        devices: Option<&BlockDevices>,
    ) -> Result<(u64, &'b [u8]), SessionReadError> {
        // Moved out of `self`, because recording a row borrows all of `self`.
        let mut words = std::mem::take(&mut self.words);
        words.clear();
        let (chunks, _) = bytes.as_chunks();
        words.extend(chunks.iter().map(|bytes| u32::from_le_bytes(*bytes)));
        let mut rest = &words[..];
        let mut recorded = 0;
        for index in 0..count as usize {
            let Some((row, after)) = Row::split(rest) else {
                break;
            };
            rest = after;
            self.frame.devices.clear();
            let of_devices = match devices.and_then(|devices| devices.frames.get(index)) {
                Some(devices) => {
                    self.frame.devices.clone_from(devices);
                    let inputs = devices.iter().map(|device| device.inputs.len());
                    let poses = devices.iter().map(|device| 7 * device.poses.len());
                    inputs.chain(poses).sum::<usize>() as u64
                }
                None => 0,
            };
            self.keys += row.numbers() as u64 + of_devices;
            check_limit("keys", self.keys, self.limits.max_keys)?;
            recorded += u64::from(self.push(row));
        }
        let read = size_of_val(&words[..]) - size_of_val(rest);
        self.words = words;
        Ok((recorded, &bytes[read..]))
    }

    /// Records the frame of a row. Returns `true` if the recorder accepted it.
    fn push(&mut self, row: Row<'_>) -> bool {
        row.fill(&mut self.frame);
        let is_recorded = self.recorder.push(&self.frame) == Ok(true);
        if is_recorded {
            let time = Some(self.recorder.time_in_recording(row.time));
            // This is the first recorded frame after these damages.
            for damage in &mut self.damage[self.closed..] {
                damage.between[1] = time;
            }
            self.closed = self.damage.len();
            self.last_time = time;
        }
        is_recorded
    }

    /// Records the `count` markers at the start of `bytes`. Returns the number of markers that the recorder accepted,
    /// and the bytes after the markers. Fails if the session exceeds the limit of markers.
    fn read_markers<'b>(
        &mut self,
        mut bytes: &'b [u8],
        count: u32,
    ) -> Result<(u64, &'b [u8]), SessionReadError> {
        let mut recorded = 0;
        for _ in 0..count {
            let Some((time, name, rest)) = split_marker(bytes) else {
                break;
            };
            bytes = rest;
            self.markers += 1;
            check_limit("markers", self.markers, self.limits.max_markers)?;
            let name = std::str::from_utf8(name);
            recorded += u64::from(name.is_ok_and(|name| self.recorder.mark(time, name).is_ok()));
        }
        Ok((recorded, bytes))
    }

    /// Returns `true` if the session file had a block, intact or damaged.
    pub(super) fn has_blocks(&self) -> bool {
        self.next_number > 0
    }

    pub(super) fn finish(self) -> RecoveredSession {
        let frames = self.recorder.frames();
        let mut recording = self.recorder.finish();
        recording.about = self.about;
        RecoveredSession {
            frames,
            recording,
            damage: self.damage,
            is_finished: self.is_finished,
        }
    }
}

/// Decodes the marker at the start of the bytes. Returns its time in seconds, its name and the bytes after it; `None`
/// if the bytes end before the marker.
fn split_marker(bytes: &[u8]) -> Option<(f32, &[u8], &[u8])> {
    let (time, rest) = bytes.split_first_chunk()?;
    let (name, rest) = split_text(rest)?;
    Some((f32::from_le_bytes(*time), name, rest))
}

/// Decodes the text at the start of the bytes. Returns it and the bytes after it; `None` if the bytes end before the text.
fn split_text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}

/// Returns the bytes after the frames and markers of a block; `None` if there are none.
fn after_markers(bytes: &[u8], frames: u32, markers: u32) -> Option<&[u8]> {
    let mut rest = bytes;
    for _ in 0..frames {
        let (row, _) = rest.split_at_checked(Row::HEAD_BYTES)?;
        let (words, _) = row.as_chunks();
        let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
        rest = rest.get(Row::len_of(&words)? * size_of::<u32>()..)?;
    }
    for _ in 0..markers {
        (_, _, rest) = split_marker(rest)?;
    }
    (!rest.is_empty()).then_some(rest)
}

/// Adds the texts after the frames and markers of a block. Bytes that are not UTF-8 are replaced. Returns the bytes after them;
/// `None` if there are none.
fn read_texts<'b>(bytes: &'b [u8], about: &mut About) -> Option<&'b [u8]> {
    let (count, mut bytes) = bytes.split_first_chunk()?;
    let mut texts = Vec::new();
    for _ in 0..u32::from_le_bytes(*count) {
        let Some((name, rest)) = split_text(bytes) else {
            break;
        };
        let Some((text, rest)) = split_text(rest) else {
            break;
        };
        bytes = rest;
        texts.push((String::from_utf8_lossy(name), String::from_utf8_lossy(text)));
    }
    about.join(&texts.into_iter().collect());
    (!bytes.is_empty()).then_some(bytes)
}

/// The devices of the frames of a block.
#[derive(Default)]
struct BlockDevices {
    frames: Vec<Vec<DeviceFrame>>,
    haptics: Vec<(DeviceName, Haptic)>,
    /// `false` if a part cannot be read. The frames before it are there.
    is_valid: bool,
}

impl BlockDevices {
    fn read(bytes: &[u8], frames: u32) -> BlockDevices {
        let mut devices = BlockDevices::default();
        devices.is_valid = devices.fill(bytes, frames).is_some();
        devices
    }

    fn fill(&mut self, bytes: &[u8], frames: u32) -> Option<()> {
        let (tables, mut bytes) = Tables::read(bytes)?;
        for _ in 0..frames {
            let length = number(&mut bytes)? as usize;
            let (packet, rest) = bytes.split_at_checked(length.checked_mul(size_of::<u32>())?)?;
            bytes = rest;
            let (words, _) = packet.as_chunks();
            let words: Vec<u32> = words.iter().map(|word| u32::from_le_bytes(*word)).collect();
            self.frames.push(tables.frames(&words)?);
        }
        for _ in 0..number(&mut bytes)? {
            let device = text(&mut bytes)?.parse().ok()?;
            let output = text(&mut bytes)?.parse().ok()?;
            let mut float = || number(&mut bytes).map(f32::from_bits);
            let [time, duration, frequency, amplitude] = [float()?, float()?, float()?, float()?];
            let optional = |number: f32| (!number.is_nan()).then_some(number);
            let haptic = Haptic {
                time,
                output,
                duration: optional(duration),
                frequency: optional(frequency),
                amplitude,
            };
            self.haptics.push((device, haptic));
        }
        Some(())
    }
}
