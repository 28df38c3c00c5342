//! What is wrong with a file as such.

use std::fmt;

/// Where a file is damaged first, and how.
#[derive(Debug, thiserror::Error)]
#[error("the MCAP file is damaged at byte {offset}: {what}")]
pub struct Damage {
    /// Of the first record that cannot be read.
    pub offset: u64,
    what: What,
}

/// Ways to be damaged.
#[derive(Debug)]
pub(super) enum What {
    /// A record goes on beyond the end.
    CutOff,
    /// All records are whole, but that which ends the data is not there.
    Unfinished,
    /// The fields of a record do not fit into it.
    Malformed,
    /// A message on a channel that nothing tells of.
    Channel(u16),
    /// A chunk of more bytes than are left of what the file may unpack to.
    Large(u64),
    /// What the container's reader says of a chunk.
    Chunk(mcap::McapError),
}

impl Damage {
    pub(super) fn new(offset: usize, what: What) -> Damage {
        Damage {
            offset: offset as u64,
            what,
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            What::CutOff => f.write_str("it is cut off in the middle of a record"),
            What::Unfinished => f.write_str("it ends without the record that ends its data"),
            What::Malformed => f.write_str("the fields of a record do not fit into it"),
            What::Channel(id) => write!(f, "a message is on channel {id}, which is not there"),
            What::Large(size) => write!(
                f,
                "a chunk unpacks to {size} bytes, which with those before is too much for this file"
            ),
            What::Chunk(error) => write!(f, "{error}"),
        }
    }
}
