//! Damage in an MCAP file.

use std::fmt;

/// The place and the cause of the first damage in a file.
#[derive(Debug, thiserror::Error)]
#[error("the MCAP file is damaged at byte {offset}: {cause}")]
pub struct Damage {
    /// The offset of the first record that cannot be read.
    pub offset: u64,
    cause: Cause,
}

/// The cause of damage.
#[derive(Debug)]
pub(crate) enum Cause {
    /// The file ends after an intact record, but the record that ends the data section is missing.
    Unfinished,
    /// The file ends inside of a record that is not the first chunk.
    CutOff,
    /// The file ends inside of its first chunk.
    FirstChunkCutOff,
    /// A message is on a channel that no record describes.
    UnknownChannel(u16),
    /// A chunk unpacks to more bytes than the remaining budget of the file.
    TooLarge(u64),
    /// A record is too short for its texts.
    TooShort,
    /// An error of the crate that reads the container.
    Container(mcap::McapError),
}

impl Damage {
    pub(crate) fn new(offset: usize, cause: Cause) -> Damage {
        Damage {
            offset: offset as u64,
            cause,
        }
    }

    /// Returns `true` if the file ends inside of its first chunk.
    pub(crate) fn is_cut_in_first_chunk(&self) -> bool {
        matches!(self.cause, Cause::FirstChunkCutOff)
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Cause::Unfinished => f.write_str("the file ends without a data end record"),
            Cause::CutOff => f.write_str("the file is cut off in the middle of a record"),
            Cause::FirstChunkCutOff => f.write_str("the file ends inside its first chunk"),
            Cause::UnknownChannel(id) => write!(f, "a message is on unknown channel {id}"),
            Cause::TooLarge(size) => write!(
                f,
                "a chunk unpacks to {size} bytes, more than this file may unpack to"
            ),
            Cause::TooShort => f.write_str("a record is too short for its texts"),
            Cause::Container(error) => write!(f, "{error}"),
        }
    }
}
