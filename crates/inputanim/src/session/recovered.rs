//! The result of recovering a session.

use std::fmt;
use std::ops::Range;

use crate::recording::Recording;

/// A recording that was recovered from a session, as [`recover`](super::recover) returns it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct RecoveredSession {
    /// Recording of the intact blocks.
    pub recording: Recording<'static>,
    /// Number of frames in the recording.
    pub frames: usize,
    /// Damage in file order.
    pub damage: Vec<SessionDamage>,
    /// `true` if [`SessionWriter::finish`](super::SessionWriter::finish) ended the session. If `false`,
    /// frames after the last block may never have been written.
    pub is_finished: bool,
}

impl RecoveredSession {
    /// Returns `true` if the session is finished and not damaged.
    pub fn is_intact(&self) -> bool {
        self.damage.is_empty() && self.is_finished
    }
}

/// Bytes of a session that are missing from the recording, in part or completely.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct SessionDamage {
    /// Byte range in the file.
    pub bytes: Range<u64>,
    /// Kind of damage.
    pub kind: SessionDamageKind,
    /// Times of the last recovered frame before the damage and of the first one after it, in
    /// seconds of the recording.
    pub between: [Option<f32>; 2],
}

/// The kind of a [`SessionDamage`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SessionDamageKind {
    /// The file header is damaged: the layout and the options of the session are unknown.
    Header,
    /// A block's payload does not have the block's checksum.
    Block,
    /// A block repeats an earlier number: the file system restored an older state of the disk.
    Stale,
    /// Numbers of blocks are missing from the sequence.
    Missing {
        /// Number of missing blocks.
        blocks: u64,
    },
    /// An intact block contains frames or markers that a recorder refuses.
    Refused {
        /// Number of frames.
        frames: u64,
        /// Number of markers.
        markers: u64,
    },
    /// The bytes are not an intact block.
    Unknown,
}

impl fmt::Display for SessionDamage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Range { start, end } = self.bytes;
        match self.kind {
            SessionDamageKind::Header => f.write_str("the header is damaged")?,
            SessionDamageKind::Block => write!(f, "the block at byte {start} is damaged")?,
            SessionDamageKind::Stale => write!(f, "the block at byte {start} is an old one")?,
            SessionDamageKind::Missing { blocks: 1 } => {
                write!(f, "a block is missing before byte {start}")?;
            }
            SessionDamageKind::Missing { blocks } => {
                write!(f, "{blocks} blocks are missing before byte {start}")?;
            }
            SessionDamageKind::Refused { frames, markers } => write!(
                f,
                "{frames} frames and {markers} markers of the block at byte {start} are invalid"
            )?,
            SessionDamageKind::Unknown => {
                let bytes = end - start;
                write!(
                    f,
                    "{bytes} bytes from byte {start} on are not an intact block"
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
