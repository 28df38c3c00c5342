//! What comes back of a session, and what does not.

use std::fmt;
use std::ops::Range;

use crate::recording::Recording;

/// What [`recover`](super::recover) gives back.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recovery {
    /// All that is whole.
    pub recording: Recording<'static>,
    /// Its frames.
    pub frames: usize,
    /// What is not there, in file order.
    pub lost: Vec<Lost>,
    /// Whether the session was ended by [`Writer::finish`](super::Writer::finish). If not, what
    /// came after the last block was never written.
    pub is_finished: bool,
}

impl Recovery {
    /// Whether nothing is lost.
    pub fn is_whole(&self) -> bool {
        self.lost.is_empty() && self.is_finished
    }
}

/// Bytes of a session of which nothing, or not all, is in the recording.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Lost {
    /// Where they are in the file.
    pub bytes: Range<u64>,
    /// What they are.
    pub what: LostPart,
    /// The time of the last frame of the recording before them, in seconds, and of the first
    /// after them.
    pub between: [Option<f32>; 2],
}

/// What is lost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LostPart {
    /// The header: what the recording is meant for is not known.
    Header,
    /// A block that is not as it was written.
    Block,
    /// A block that comes too late: one with its number or a higher one was there before.
    Stale,
    /// Blocks that are not there at all.
    Missing {
        /// How many.
        blocks: u64,
    },
    /// Frames and markers that no recorder takes, in a block that is as it was written.
    Refused {
        /// Frames.
        frames: u64,
        /// Markers.
        markers: u64,
    },
    /// No block, or the beginning of one.
    Unknown,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.bytes;
        match self.what {
            LostPart::Header => f.write_str("the header is damaged")?,
            LostPart::Block => write!(f, "the block at byte {start} is damaged")?,
            LostPart::Stale => write!(f, "the block at byte {start} is an old one")?,
            LostPart::Missing { blocks: 1 } => write!(f, "a block is missing before byte {start}")?,
            LostPart::Missing { blocks } => {
                write!(f, "{blocks} blocks are missing before byte {start}")?;
            }
            LostPart::Refused { frames, markers } => write!(
                f,
                "{frames} frames and {markers} markers of the block at byte {start} make no sense"
            )?,
            LostPart::Unknown => {
                write!(
                    f,
                    "{} bytes from byte {start} on are no whole block",
                    end - start
                )?;
            }
        }
        match self.between {
            [Some(from), Some(to)] => write!(f, " (between {from:.3} s and {to:.3} s)"),
            [Some(from), None] => write!(f, " (after {from:.3} s)"),
            [None, Some(to)] => write!(f, " (before {to:.3} s)"),
            [None, None] => Ok(()),
        }
    }
}
