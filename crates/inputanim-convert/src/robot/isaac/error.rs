//! The error type of Isaac Capture.

use inputanim::RecordError;

use super::table::Malformed;
use crate::robot::mcap_file::damage::Damage;
use crate::robot::mcap_file::topics::NothingToRead;

/// The messages from which a recording can be read.
const EXPECTED: &str = "messages such as core.HandPoseRecord as flatbuffer on topics that end with left_hand, \
                        right_hand, head, left_controller or right_controller";

/// A file that cannot be read as a recording of Isaac Capture, or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IsaacError {
    /// The file does not begin with the magic bytes of MCAP.
    #[error("not an MCAP file: the magic bytes are missing")]
    NotMcap,
    /// The file contains no hand, no head, no controller and no gaze.
    #[error("{}", NothingToRead { expected: EXPECTED, topics, damage })]
    NothingToRead {
        /// The first topics, each with its schema and encoding.
        topics: Vec<String>,
        /// The damage that may be the reason.
        damage: Option<Damage>,
    },
    /// A message does not have the structure of its schema.
    #[error("cannot decode message {message} on {topic}")]
    Message {
        /// The number of the message on its topic, counted from 0.
        message: u64,
        /// The topic.
        topic: String,
        /// The cause.
        source: Malformed,
    },
    /// Poses cannot be recorded.
    #[error("cannot record the poses at {seconds} s")]
    Record {
        /// The time since the first message.
        seconds: f32,
        /// The cause.
        source: RecordError,
    },
    /// Messages would be later than 2106, as in MCAP files of this library with the messages of Foxglove.
    #[error("cannot write messages {seconds} s after the start: their times end in 2106")]
    TooLate {
        /// The duration of the recording.
        seconds: f32,
    },
}

impl crate::shared::error::OfFormat for IsaacError {}
