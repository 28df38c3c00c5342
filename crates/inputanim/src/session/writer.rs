//! Frames to disk.

use std::fmt;

use super::durable::{Durable, Safe};
use super::error::WriteError;
use super::format::{BLOCK, BlockHeader, COUNTS, Header, VERSION};
use crate::frame::Frame;
use crate::layout::Layout;
use crate::record::{Clock, Encoder, RecordError};

/// A block is written when it has become so large, however little time its frames span.
const LARGEST: usize = 1 << 20;

/// How a session is written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// What the recording is meant for.
    pub layout: Layout,
    /// Whether the first frame of the recording becomes t = 0. Else times stay as given.
    pub from_zero: bool,
    /// Seconds of frames that may be lost: when the newest is so much later than the last on
    /// disk, they are written.
    pub span: f32,
}

impl Settings {
    /// Times as given, of which half a second may be lost.
    pub const fn new(layout: Layout) -> Settings {
        Settings {
            layout,
            from_zero: false,
            span: 0.5,
        }
    }
}

/// Writes a session: frames as they come, safe on disk within half a second of them.
///
/// A frame is checked as a [`Recorder`](crate::Recorder) checks it. Every now and then a call
/// takes as long as the disk does; where frames cannot wait, have a thread write them.
///
/// ```
/// use inputanim::session::{self, Settings, Writer};
/// use inputanim::{Frame, Layout, Limits};
///
/// // A file, as a rule.
/// let mut writer = Writer::new(Vec::new(), Settings::new(Layout::Mrtk1_1))?;
/// for step in 0..100 {
///     writer.push(&Frame { time: step as f32 / 60.0, ..Frame::default() })?;
/// }
/// writer.mark(1.0, "start")?;
/// let bytes = writer.finish()?;
///
/// let recovery = session::recover(&bytes, &Limits::default())?;
/// assert_eq!(recovery.frames, 100);
/// assert!(recovery.is_whole());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Writer<W: Durable> {
    output: W,
    span: f64,
    clock: Clock,
    encoder: Encoder,
    /// The block at hand: room for its header and counts, then its frames.
    block: Vec<u8>,
    /// Its markers.
    markers: Vec<u8>,
    number: u64,
    safe: Safe,
    /// What will be safe with the block at hand.
    next: Safe,
    is_over: bool,
}

impl<W: Durable> Writer<W> {
    /// Begins a session: writes and syncs its header.
    ///
    /// # Errors
    /// When the span is not above 0 and finite, or the output fails.
    pub fn new(output: W, settings: Settings) -> Result<Writer<W>, WriteError> {
        if !(settings.span > 0.0 && settings.span.is_finite()) {
            let (what, value) = ("the span of a block", settings.span);
            return Err(RecordError::Setting { what, value }.into());
        }
        let mut writer = Writer {
            output,
            span: settings.span.into(),
            clock: Clock::new(settings.from_zero),
            encoder: Encoder::new(),
            block: vec![0; BLOCK + COUNTS],
            markers: Vec::new(),
            number: 0,
            safe: Safe::default(),
            next: Safe::default(),
            is_over: false,
        };
        let header = Header {
            version: VERSION,
            layout: settings.layout,
            from_zero: settings.from_zero,
        };
        writer.put(&header.to_bytes())?;
        Ok(writer)
    }

    /// Adds a frame, and writes those that are not yet on disk if the last there is too old.
    ///
    /// # Errors
    /// When the frame is refused, as by [`Recorder::push`](crate::Recorder::push), or the output
    /// fails.
    pub fn push(&mut self, frame: &Frame) -> Result<(), WriteError> {
        self.refuse_if_over()?;
        // From zero or not: what would fall together there is refused here.
        let tick = self.clock.tick(frame.time)?;
        let row = self.encoder.encode(frame, frame.time)?;
        let start = self.block.len();
        self.block.resize(start + size_of_val(row), 0);
        let (words, _) = self.block[start..].as_chunks_mut();
        for (bytes, word) in words.iter_mut().zip(row) {
            *bytes = word.to_le_bytes();
        }
        self.clock.take(&tick);
        self.next.frames += 1;
        self.next.time = Some(frame.time);
        let age = |safe: f32| f64::from(frame.time) - f64::from(safe);
        match self.safe.time.is_none_or(|safe| age(safe) >= self.span)
            || self.block.len() >= LARGEST
        {
            true => self.sync(),
            false => Ok(()),
        }
    }

    /// Adds a marker, and writes all that is not yet on disk.
    ///
    /// # Errors
    /// When the time is not finite, the name is longer than a recording can say, or the output
    /// fails.
    pub fn mark(&mut self, time: f32, name: &str) -> Result<(), WriteError> {
        self.refuse_if_over()?;
        if !time.is_finite() {
            return Err(RecordError::TimeNotFinite(time).into());
        }
        let bytes = name.len();
        let length = i32::try_from(bytes).map_err(|_| WriteError::NameTooLong { bytes })?;
        self.markers.extend(time.to_le_bytes());
        self.markers.extend(length.to_le_bytes());
        self.markers.extend(name.as_bytes());
        self.next.markers += 1;
        self.sync()
    }

    /// Writes and syncs what is not yet on disk, if there is anything.
    ///
    /// # Errors
    /// When the output fails.
    pub fn sync(&mut self) -> Result<(), WriteError> {
        self.refuse_if_over()?;
        match self.next == self.safe {
            true => Ok(()),
            false => self.write_block(),
        }
    }

    /// Writes the rest and that this was all; gives the output back.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> Result<W, WriteError> {
        self.sync()?;
        self.write_block()?;
        Ok(self.output)
    }

    /// What is on disk.
    pub fn safe(&self) -> Safe {
        self.safe
    }

    fn write_block(&mut self) -> Result<(), WriteError> {
        let frames = self.next.frames - self.safe.frames;
        let markers = self.next.markers - self.safe.markers;
        let mut block = std::mem::take(&mut self.block);
        block.append(&mut self.markers);
        let (header, payload) = block.split_at_mut(BLOCK);
        payload[..4].copy_from_slice(&(frames as u32).to_le_bytes());
        payload[4..COUNTS].copy_from_slice(&(markers as u32).to_le_bytes());
        let length = payload.len() as u32;
        header.copy_from_slice(&BlockHeader::of(self.number, length, payload).to_bytes());
        self.put(&block)?;
        self.number += 1;
        block.truncate(BLOCK + COUNTS);
        self.block = block;
        Ok(())
    }

    /// Writes and syncs bytes; then all up to now is safe.
    fn put(&mut self, bytes: &[u8]) -> Result<(), WriteError> {
        let written = self.output.write_all(bytes);
        let synced = written
            .and_then(|()| self.output.flush())
            .and_then(|()| self.output.sync());
        match synced {
            Ok(()) => {
                self.next.bytes += bytes.len() as u64;
                self.safe = self.next;
                Ok(())
            }
            Err(source) => {
                self.is_over = true;
                let safe = self.safe;
                Err(WriteError::Output { safe, source })
            }
        }
    }

    fn refuse_if_over(&self) -> Result<(), WriteError> {
        let safe = self.safe;
        match self.is_over {
            true => Err(WriteError::Over { safe }),
            false => Ok(()),
        }
    }
}

impl<W: Durable> fmt::Debug for Writer<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Writer")
            .field("safe", &self.safe)
            .field("is_over", &self.is_over)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::joint::Joint;

    #[test]
    fn a_payload_is_as_documented() {
        let mut frame = Frame {
            time: 0.5,
            ..Frame::default()
        };
        frame.right.tracked = true;
        frame.right.joints[Joint::None] = Some(Pose::at([1.0, 2.0, -0.5]));
        let mut writer = Writer::new(Vec::new(), Settings::new(Layout::Mrtk1_1)).unwrap();
        writer.push(&frame).unwrap();
        writer.mark(0.25, "go").unwrap();
        let bytes = writer.finish().unwrap();
        let (_, bytes) = bytes.split_at(crate::session::format::HEADER + BLOCK);
        let first = [
            1, 0, 0, 0, // one frame
            0, 0, 0, 0, // no marker
            0x00, 0x00, 0x00, 0x3f, // time 0.5
            0x00, 0x00, 0x00, 0x10, 0x00, 0x00, 0x00, 0x02, // bits 28 and 57
            0x00, 0x00, 0x80, 0x3f, // position x 1
            0x00, 0x00, 0x00, 0x40, // position y 2
            0x00, 0x00, 0x00, 0xbf, // position z -0.5
            0x00, 0x00, 0x00, 0x00, // rotation x 0
            0x00, 0x00, 0x00, 0x00, // rotation y 0
            0x00, 0x00, 0x00, 0x00, // rotation z 0
            0x00, 0x00, 0x80, 0x3f, // rotation w 1
        ];
        assert_eq!(bytes[..first.len()], first);
        let second = [
            0, 0, 0, 0, // no frame
            1, 0, 0, 0, // one marker
            0x00, 0x00, 0x80, 0x3e, // time 0.25
            2, 0, 0, 0, // two bytes
            b'g', b'o',
        ];
        let bytes = &bytes[first.len() + BLOCK..];
        assert_eq!(bytes[..second.len()], second);
        assert_eq!(bytes[second.len() + BLOCK..], [0; 8], "the end");
    }
}
