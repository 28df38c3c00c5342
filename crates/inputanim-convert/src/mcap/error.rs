//! What does not come in.

use std::fmt;

use inputanim::{ParseError, RecordError};

use super::damage::Damage;
use super::{RECORDING, TRANSFORMS};

/// An MCAP file of which no recording can be made.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The first bytes are others.
    #[error("not an MCAP file: it does not begin as one")]
    NotMcap,
    /// There is neither a recording nor a hand.
    #[error(
        "no recording: expected the topic {RECORDING}, or foxglove.FrameTransforms as protobuf with \
         frames such as head or left/IndexTip, as on {TRANSFORMS}; found {}{}",
        Topics(topics),
        Because(damage)
    )]
    NothingToRead {
        /// The topics that there are, each with its schema and encoding; the first of many.
        topics: Vec<String>,
        /// Why there may be no more.
        damage: Option<Damage>,
    },
    /// Pieces of the recording are not there.
    #[error(
        "the recording on {RECORDING} is not whole: of {size} bytes those from {missing} on are \
         missing{}",
        Because(damage)
    )]
    Incomplete {
        /// Where the first missing byte is.
        missing: u64,
        /// Of the whole recording.
        size: u64,
        /// Why, if something is wrong with the file.
        damage: Option<Damage>,
    },
    /// The files of several recordings were merged.
    #[error("there are several recordings on {RECORDING}: expected one")]
    SeveralRecordings,
    /// The bytes on the topic are no recording.
    #[error("the bytes on {RECORDING} are no recording")]
    Recording(#[from] ParseError),
    /// A message is not what its schema says.
    #[error("message {message} on {topic} cannot be read")]
    Message {
        /// Counted from 0 on its topic.
        message: u64,
        /// The topic.
        topic: String,
        /// Why.
        source: prost::DecodeError,
    },
    /// Frames are not all in the same one.
    #[error(
        "the frame {frame} is in {found:?}, others in {expected:?}: expected one parent of all"
    )]
    Parent {
        /// Such as `left/IndexTip`.
        frame: String,
        /// Its parent.
        found: String,
        /// The parent of those before it.
        expected: String,
    },
    /// Poses that cannot be recorded.
    #[error("the transforms at {nanoseconds} ns cannot be recorded")]
    Record {
        /// Their time.
        nanoseconds: u64,
        /// Why.
        source: RecordError,
    },
    /// There is more than the limits allow.
    #[error("expected at most {limit} {things} (the limit), found more")]
    Limit {
        /// The limit.
        limit: u64,
        /// What it bounds.
        things: &'static str,
    },
}

/// Something that did not come in.
#[derive(Debug)]
#[non_exhaustive]
pub enum Loss {
    /// Frame transforms, where the file is damaged.
    Damaged(Damage),
    /// Messages that come after those of a later time: they are left out.
    Late {
        /// How many times with messages.
        times: usize,
    },
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Loss::Damaged(damage) => write!(f, "what could not be read: {damage}"),
            Loss::Late { times } => write!(
                f,
                "frame transforms of {times} times that come after later ones"
            ),
        }
    }
}

struct Topics<'a>(&'a [String]);

impl fmt::Display for Topics<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("no topics"),
            topics => f.write_str(&topics.join(", ")),
        }
    }
}

struct Because<'a>(&'a Option<Damage>);

impl fmt::Display for Because<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(damage) => write!(f, "; {damage}"),
            None => Ok(()),
        }
    }
}
