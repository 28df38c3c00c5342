//! The error type of MCAP files.

use inputanim::RecordError;

use super::{RECORDING, TRANSFORMS};
use crate::robot::mcap_file::damage::Damage;
use crate::robot::mcap_file::topics::{DamageSuffix, NothingToRead};

/// Describes the messages from which a recording can be read, for errors.
fn expected() -> String {
    format!(
        "the topic {RECORDING}, or foxglove.FrameTransforms as protobuf with frames such as head or \
         left/IndexTip, as on {TRANSFORMS}"
    )
}

/// An MCAP file that cannot be read as a recording, or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum McapError {
    /// The file does not begin with the magic bytes of MCAP.
    #[error("not an MCAP file: the magic bytes are missing")]
    NotMcap,
    /// The file contains neither a recording nor frame transforms.
    #[error("{}", NothingToRead { expected: &expected(), topics, damage })]
    NothingToRead {
        /// The first topics, each with its schema and encoding.
        topics: Vec<String>,
        /// The damage that may be the reason.
        damage: Option<Damage>,
    },
    /// Parts of the recording are missing.
    #[error(
        "the recording on {RECORDING} is incomplete: expected {size} bytes, missing from byte \
         {missing} on{}",
        DamageSuffix(damage)
    )]
    Incomplete {
        /// The offset of the first missing byte.
        missing: u64,
        /// The size of the recording in bytes.
        size: u64,
        /// The damage that may be the reason.
        damage: Option<Damage>,
    },
    /// The file contains several recordings: files were merged.
    #[error("several recordings on {RECORDING}; expected one")]
    SeveralRecordings,
    /// A message cannot be decoded as its schema says.
    #[error("cannot decode message {message} on {topic}")]
    Message {
        /// The number of the message on its topic, counted from 0.
        message: u64,
        /// The topic.
        topic: String,
        /// The cause.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The frames do not have the same parent.
    #[error("the parent of frame {frame} is {found:?}; expected {expected:?} as for the others")]
    Parent {
        /// The frame, such as `left/IndexTip`.
        frame: String,
        /// Its parent.
        found: String,
        /// The parent of the frames before it.
        expected: String,
    },
    /// Poses cannot be recorded.
    #[error("cannot record the transforms at {nanoseconds} ns")]
    Record {
        /// The time of the transforms.
        nanoseconds: u64,
        /// The cause.
        source: RecordError,
    },
    /// Messages would be later than 2106, when the seconds of their timestamps end.
    #[error("cannot write messages {seconds} s after the start: timestamps end in 2106")]
    TooLate {
        /// The duration of the recording.
        seconds: f32,
    },
}

impl crate::shared::error::OfFormat for McapError {}
