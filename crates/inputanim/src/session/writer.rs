//! Writing of sessions.

use std::fmt;

use super::error::SessionWriteError;
use super::sync::{SyncWrite, SyncedData};
use crate::about::About;
use crate::device::{DeviceName, Haptic};
use crate::frame::Frame;
use crate::layout::Layout;
use crate::record::devices::DeviceEncoder;
use crate::record::{Clock, Encoder, RecordError, check_haptic};
use crate::session_format::{
    BLOCK_HEADER, BlockHeader, COUNTS, FileHeader, VERSION, VERSION_WITH_DEVICES,
    VERSION_WITH_TEXTS,
};

/// Size in bytes at which a block is written before the sync interval is over.
const MAX_BLOCK: usize = 1 << 20;

/// Options of a [`SessionWriter`].
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionOptions {
    /// Layout of the recording.
    pub layout: Layout,
    /// `true` moves the first frame of the recording to t = 0; `false` keeps times as given.
    pub from_zero: bool,
    /// Time between syncs in seconds of the frames' clock: the length of recording that a crash
    /// can cost.
    pub sync_interval: f32,
    /// Texts about the recording, which are written first.
    pub about: About,
    /// `true` if frames may have [devices](Frame::devices). Older versions of this library do not read such a session.
    pub devices: bool,
}

impl SessionOptions {
    /// Returns options that keep the times as given and sync every half second.
    pub const fn new(layout: Layout) -> SessionOptions {
        SessionOptions {
            layout,
            from_zero: false,
            sync_interval: 0.5,
            about: About::NONE,
            devices: false,
        }
    }
}

impl Default for SessionOptions {
    /// Returns the options of [`SessionOptions::new`] for [`Layout::Mrtk1_1`].
    fn default() -> Self {
        SessionOptions::new(Layout::Mrtk1_1)
    }
}

/// Writes frames to a session file while they are recorded.
///
/// The writer checks a frame as a [`Recorder`](crate::Recorder) does. A call that syncs waits for
/// the disk. If frames cannot wait, write them from another thread.
///
/// ```
/// use inputanim::session::{self, SessionOptions, SessionWriter};
/// use inputanim::{Frame, Layout, Limits};
///
/// // Usually a file.
/// let mut writer = SessionWriter::new(Vec::new(), SessionOptions::new(Layout::Mrtk1_1))?;
/// for step in 0..100 {
///     writer.push(&Frame { time: step as f32 / 60.0, ..Frame::default() })?;
/// }
/// writer.mark(1.0, "start")?;
/// let bytes = writer.finish()?;
///
/// let recovered = session::recover(&bytes, &Limits::default())?;
/// assert_eq!(recovered.frames, 100);
/// assert!(recovered.is_intact());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct SessionWriter<W> {
    output: W,
    /// Seconds.
    sync_interval: f64,
    clock: Clock,
    encoder: Encoder,
    /// The current block: space for its header and counts, then its frames.
    block: Vec<u8>,
    /// The markers of the current block.
    markers: Vec<u8>,
    /// The devices of the frames; `None` if frames have none.
    devices: Option<Devices>,
    number: u64,
    synced: SyncedData,
    /// The synced data once the current block is written.
    pending: SyncedData,
    is_closed: bool,
}

impl<W: SyncWrite> SessionWriter<W> {
    /// Begins a session: writes and syncs its header and the texts about the recording.
    ///
    /// # Errors
    /// When the sync interval is not finite and above 0, a text has more than [`i32::MAX`] bytes, or the output fails.
    pub fn new(output: W, options: SessionOptions) -> Result<SessionWriter<W>, SessionWriteError> {
        let interval = options.sync_interval;
        if !(interval > 0.0 && interval.is_finite()) {
            return Err(RecordError::InvalidSyncInterval(interval).into());
        }
        let mut writer = SessionWriter {
            output,
            sync_interval: interval.into(),
            clock: Clock::new(options.from_zero),
            encoder: Encoder::new(),
            block: vec![0; BLOCK_HEADER + COUNTS],
            markers: Vec::new(),
            devices: options.devices.then(Devices::default),
            number: 0,
            synced: SyncedData::default(),
            pending: SyncedData::default(),
            is_closed: false,
        };
        let texts = texts_of(&options.about)?;
        let header = FileHeader {
            version: match (options.devices, texts.is_empty()) {
                (true, _) => VERSION_WITH_DEVICES,
                (false, true) => VERSION,
                (false, false) => VERSION_WITH_TEXTS,
            },
            layout: options.layout,
            from_zero: options.from_zero,
        };
        writer.write_and_sync(&header.to_bytes())?;
        if !texts.is_empty() {
            writer.block.extend(texts);
            writer.write_block()?;
        }
        Ok(writer)
    }

    /// Adds a frame. Writes and syncs all frames and markers that are not synced yet when the last synced frame is
    /// older than this one by at least the sync interval, or when they exceed 1 MiB.
    ///
    /// # Errors
    /// When the frame is refused, as by [`Recorder::push`](crate::Recorder::push), or the output
    /// fails.
    pub fn push(&mut self, frame: &Frame) -> Result<(), SessionWriteError> {
        self.check_open()?;
        match (&mut self.devices, frame.devices.first()) {
            (Some(devices), _) => {
                devices.encoder.prepare(&frame.devices, frame.time)?;
            }
            (None, Some(device)) => return Err(SessionWriteError::Device(device.name)),
            (None, None) => {}
        }
        // The clock refuses two frames that would get the same time in the recording, whether or
        // not times start at 0.
        let tick = self.clock.tick(frame.time)?;
        let row = self.encoder.encode(frame, frame.time)?;
        let start = self.block.len();
        self.block.resize(start + size_of_val(row), 0);
        let (words, _) = self.block[start..].as_chunks_mut();
        for (bytes, word) in words.iter_mut().zip(row) {
            *bytes = word.to_le_bytes();
        }
        // The clock accepts the tick only now, because the encoder may refuse the frame.
        self.clock.accept(&tick);
        if let Some(devices) = &mut self.devices {
            let packet = devices.encoder.accept();
            devices.packets.extend((packet.len() as u32).to_le_bytes());
            devices
                .packets
                .extend(packet.iter().flat_map(|word| word.to_le_bytes()));
        }
        self.pending.frames += 1;
        self.pending.time = Some(frame.time);
        let age = |synced: f32| f64::from(frame.time) - f64::from(synced);
        let is_due = |synced: f32| age(synced) >= self.sync_interval;
        if self.synced.time.is_none_or(is_due) || self.block.len() >= MAX_BLOCK {
            self.sync()?;
        }
        Ok(())
    }

    /// Adds a marker at a time in seconds. Writes and syncs all frames and markers that are not synced yet.
    ///
    /// # Errors
    /// When the time is not finite, the name has more than [`i32::MAX`] bytes, or the output
    /// fails.
    pub fn mark(&mut self, time: f32, name: &str) -> Result<(), SessionWriteError> {
        self.check_open()?;
        if !time.is_finite() {
            return Err(RecordError::TimeNotFinite(time).into());
        }
        let bytes = name.len();
        let length = i32::try_from(bytes).map_err(|_| SessionWriteError::NameTooLong { bytes })?;
        self.markers.extend(time.to_le_bytes());
        self.markers.extend(length.to_le_bytes());
        self.markers.extend(name.as_bytes());
        self.pending.markers += 1;
        self.sync()
    }

    /// Adds a haptic pulse that the application asked for, at a time of the frames' clock in seconds. It is written with the next
    /// frame or marker.
    ///
    /// # Errors
    /// When the pulse is [not valid](Haptic::check), or the options say that there are no devices.
    pub fn haptic(&mut self, device: DeviceName, haptic: Haptic) -> Result<(), SessionWriteError> {
        self.check_open()?;
        check_haptic(device, &haptic)?;
        let devices = self
            .devices
            .as_mut()
            .ok_or(SessionWriteError::Device(device))?;
        devices.haptic_count += 1;
        for text in [device.as_str(), haptic.output.as_str()] {
            devices.haptics.extend((text.len() as u32).to_le_bytes());
            devices.haptics.extend(text.as_bytes());
        }
        let optional = |number: Option<f32>| number.unwrap_or(f32::NAN);
        let numbers = [
            haptic.time,
            optional(haptic.duration),
            optional(haptic.frequency),
            haptic.amplitude,
        ];
        devices
            .haptics
            .extend(numbers.into_iter().flat_map(f32::to_le_bytes));
        Ok(())
    }

    /// Writes and syncs the frames and markers that are not synced yet. Does nothing if there are none.
    ///
    /// # Errors
    /// When the output fails.
    pub fn sync(&mut self) -> Result<(), SessionWriteError> {
        self.check_open()?;
        // An empty block would mark the end of the session.
        if self.pending == self.synced {
            return Ok(());
        }
        self.write_block()
    }

    /// Writes and syncs the frames and markers that are not synced yet, and the end of the session. Returns the output.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> Result<W, SessionWriteError> {
        self.sync()?;
        // A block without frames and markers marks the end of the session.
        self.write_block()?;
        Ok(self.output)
    }

    /// Returns the number of frames, markers and bytes that are on permanent storage, and the time of the last such
    /// frame.
    pub fn synced(&self) -> SyncedData {
        self.synced
    }

    fn write_block(&mut self) -> Result<(), SessionWriteError> {
        let frames = self.pending.frames - self.synced.frames;
        let markers = self.pending.markers - self.synced.markers;
        // Taken out of `self` and put back, so that its memory is reused.
        let mut block = std::mem::take(&mut self.block);
        block.append(&mut self.markers);
        if let Some(devices) = self.devices.as_mut().filter(|_| frames + markers > 0) {
            // No texts.
            block.extend(0_u32.to_le_bytes());
            devices.take_into(&mut block);
        }
        let (header, payload) = block.split_at_mut(BLOCK_HEADER);
        payload[..4].copy_from_slice(&(frames as u32).to_le_bytes());
        payload[4..COUNTS].copy_from_slice(&(markers as u32).to_le_bytes());
        let length = payload.len() as u32;
        header.copy_from_slice(&BlockHeader::of(self.number, length, payload).to_bytes());
        self.write_and_sync(&block)?;
        self.number += 1;
        // The space for the next header and counts stays at the front.
        block.truncate(BLOCK_HEADER + COUNTS);
        self.block = block;
        Ok(())
    }

    /// Writes and syncs bytes; all data up to now then counts as synced. If the output fails, closes the session.
    fn write_and_sync(&mut self, bytes: &[u8]) -> Result<(), SessionWriteError> {
        let written = self.output.write_all(bytes);
        let result = written
            .and_then(|()| self.output.flush())
            .and_then(|()| self.output.sync());
        match result {
            Ok(()) => {
                self.pending.bytes += bytes.len() as u64;
                self.synced = self.pending;
                Ok(())
            }
            Err(source) => {
                // After a failed write the end of the file is unknown, so nothing may be appended.
                self.is_closed = true;
                let synced = self.synced;
                Err(SessionWriteError::Output { synced, source })
            }
        }
    }

    fn check_open(&self) -> Result<(), SessionWriteError> {
        if self.is_closed {
            let synced = self.synced;
            return Err(SessionWriteError::Closed { synced });
        }
        Ok(())
    }
}

/// The devices of the frames of a block.
#[derive(Default)]
struct Devices {
    encoder: DeviceEncoder,
    /// For each frame, the number of its words and the words.
    packets: Vec<u8>,
    haptics: Vec<u8>,
    haptic_count: u32,
}

impl Devices {
    /// Appends the tables, the devices of each frame and the haptic pulses to a block. The tables have all names so far, so that
    /// no block needs another one.
    fn take_into(&mut self, block: &mut Vec<u8>) {
        self.encoder.tables.write(block);
        block.append(&mut self.packets);
        block.extend(self.haptic_count.to_le_bytes());
        block.append(&mut self.haptics);
        self.haptic_count = 0;
    }
}

/// Returns the bytes that follow the frames and markers of a block: the number of texts, and the texts with their names.
/// They are empty if there are no texts. Fails if a text is too long.
fn texts_of(about: &About) -> Result<Vec<u8>, SessionWriteError> {
    let mut bytes = Vec::new();
    if !about.is_empty() {
        bytes.extend((about.iter().count() as u32).to_le_bytes());
    }
    for text in about.iter().flat_map(<[&str; 2]>::from) {
        let size = text.len();
        let length =
            i32::try_from(size).map_err(|_| SessionWriteError::NameTooLong { bytes: size })?;
        bytes.extend(length.to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    Ok(bytes)
}

impl<W> fmt::Debug for SessionWriter<W> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SessionWriter")
            .field("synced", &self.synced)
            .field("is_closed", &self.is_closed)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::joint::Joint;
    use crate::session_format::FILE_HEADER;

    #[test]
    fn a_payload_has_the_documented_bytes() {
        let mut frame = Frame {
            time: 0.5,
            ..Frame::default()
        };
        frame.right.tracked = true;
        frame.right.joints[Joint::None] = Some(Pose::at([1.0, 2.0, -0.5]));
        let mut writer =
            SessionWriter::new(Vec::new(), SessionOptions::new(Layout::Mrtk1_1)).unwrap();
        writer.push(&frame).unwrap();
        writer.mark(0.25, "go").unwrap();
        let bytes = writer.finish().unwrap();
        let (_, bytes) = bytes.split_at(FILE_HEADER + BLOCK_HEADER);
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
        let bytes = &bytes[first.len() + BLOCK_HEADER..];
        assert_eq!(bytes[..second.len()], second);
        assert_eq!(bytes[second.len() + BLOCK_HEADER..], [0; 8], "the end");
    }
}
