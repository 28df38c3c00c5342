//! Outputs that can be synced, and the amount of synced data.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};

/// An output that can wait until written data would survive a power cut.
pub trait SyncWrite: Write {
    /// Waits until all written data is on permanent storage.
    ///
    /// # Errors
    /// When the data may not be on permanent storage.
    fn sync(&mut self) -> io::Result<()>;
}

/// Syncs the file's data and length. The caller that creates a file syncs its folder.
impl SyncWrite for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Does nothing: memory has no permanent storage.
impl SyncWrite for Vec<u8> {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<D: SyncWrite + ?Sized> SyncWrite for &mut D {
    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }
}

/// The data of a session that is on permanent storage.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct SyncedData {
    /// Number of frames.
    pub frames: u64,
    /// Number of markers.
    pub markers: u64,
    /// Time of the last frame in seconds; `None` before the first.
    pub time: Option<f32>,
    /// Size of the file in bytes.
    pub bytes: u64,
}

impl fmt::Display for SyncedData {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            Some(time) => write!(f, "{} frames up to {time} s are safe", self.frames),
            None => f.write_str("no frame is safe"),
        }
    }
}
