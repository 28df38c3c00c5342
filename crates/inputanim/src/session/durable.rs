//! Where a session is safe, and how much of it.

use std::fmt;
use std::fs::File;
use std::io::{self, Write};

/// An output of which it can be said that what was written survives a power cut.
pub trait Durable: Write {
    /// Waits until all that was written is safe.
    ///
    /// # Errors
    /// Where it may not be.
    fn sync(&mut self) -> io::Result<()>;
}

/// Its bytes and its length, but not its name: who makes a file syncs the folder.
impl Durable for File {
    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

/// Memory, which is as safe as it will be.
impl Durable for Vec<u8> {
    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<D: Durable + ?Sized> Durable for &mut D {
    fn sync(&mut self) -> io::Result<()> {
        (**self).sync()
    }
}

/// What of a session is on disk.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Safe {
    /// Frames.
    pub frames: u64,
    /// Markers.
    pub markers: u64,
    /// The time of the last frame, in seconds; `None` before the first.
    pub time: Option<f32>,
    /// Bytes of the file.
    pub bytes: u64,
}

impl fmt::Display for Safe {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.time {
            Some(time) => write!(f, "{} frames up to {time} s are safe", self.frames),
            None => f.write_str("no frame is safe"),
        }
    }
}
