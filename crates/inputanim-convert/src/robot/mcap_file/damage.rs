//! Damage in an MCAP file.

use std::fmt;

use crate::shared::report::counted;

/// The place and the cause of the first damage in a file, and the amount of all damage.
#[derive(Debug)]
pub struct Damage {
    /// The offset of the first record that cannot be read.
    pub offset: u64,
    cause: Cause,
    /// The number of other damaged places.
    pub(super) more: usize,
    /// The number of missing messages, and the number of messages that the file should have; `None` if the file does not state
    /// the latter.
    pub(super) missing: Option<(u64, u64)>,
}

impl std::error::Error for Damage {}

impl fmt::Display for Damage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Damage { offset, cause, .. } = self;
        write!(f, "the MCAP file is damaged at byte {offset}: {cause}")?;
        if self.more > 0 {
            write!(f, ", and in {}", counted(self.more, "other place"))?;
        }
        match self.missing {
            Some((1, total)) => write!(f, "; 1 of {total} messages is missing"),
            Some((missing, total)) => write!(f, "; {missing} of {total} messages are missing"),
            None => Ok(()),
        }
    }
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
    /// A channel has a schema that no record describes.
    UnknownSchema(u16),
    /// A record has an opcode that MCAP does not define.
    Opcode(u8),
    /// A record does not end where it can end.
    Length,
    /// The first bytes of the file are not those of MCAP.
    Magic,
    /// A schema or a channel differs from its copy in the summary.
    Differs,
    /// The checksum of the data section differs from that of its bytes.
    DataChecksum,
    /// There are fewer messages than the summary states.
    MissingMessages,
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
            more: 0,
            missing: None,
        }
    }

    /// Returns the number of missing messages if it is known, otherwise the number of damaged places.
    pub(crate) fn count(&self) -> usize {
        let missing = self
            .missing
            .and_then(|(missing, _)| usize::try_from(missing).ok());
        missing.unwrap_or(1 + self.more)
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
            Cause::UnknownSchema(id) => write!(f, "a channel has the unknown schema {id}"),
            Cause::Opcode(opcode) => write!(f, "a record has the unknown opcode {opcode:#04x}"),
            Cause::Length => f.write_str("a record has an impossible length"),
            Cause::Magic => f.write_str("the magic bytes are damaged"),
            Cause::Differs => f.write_str("a schema or channel differs from its copy in the summary"),
            Cause::DataChecksum => f.write_str(
                "the checksum of the data section differs, so a record outside of the chunks may be damaged",
            ),
            Cause::MissingMessages => f.write_str("messages are missing"),
            Cause::TooLarge(size) => write!(
                f,
                "a chunk unpacks to {size} bytes, more than this file may unpack to"
            ),
            Cause::TooShort => f.write_str("a record is too short for its texts"),
            Cause::Container(error) => write!(f, "{error}"),
        }
    }
}
