//! The channels of a file.

use std::collections::HashMap;

use mcap::records::Channel;

use super::damage::Cause;
use super::messages::{RecordingPiece, States};
use super::{MARKERS, STATES};

/// The kind of the messages on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TopicKind {
    Piece,
    Transforms,
    States,
    Marker,
    Other,
}

/// A channel.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) kind: TopicKind,
    pub(super) name: String,
    /// The number of messages so far.
    pub(super) messages: u64,
    /// The name with the schema and encoding, for error messages.
    description: String,
}

/// The channels so far.
#[derive(Debug, Default)]
pub(super) struct Topics {
    schemas: HashMap<u16, String>,
    channels: HashMap<u16, Topic>,
}

/// The largest number of characters that are kept of a name.
const MAX_CHARS: usize = 80;
/// The largest number of topics in an error.
const LISTED: usize = 24;

impl Topics {
    pub(super) fn add_schema(&mut self, id: u16, name: &str) {
        // A file may repeat the records of schemas and channels. MCAP requires them to be equal, so the first one
        // counts.
        self.schemas.entry(id).or_insert(truncate(name));
    }

    pub(super) fn add_channel(&mut self, channel: &Channel) {
        let schema = self.schemas.get(&channel.schema_id);
        let schema = schema.map_or("", String::as_str);
        let (topic, encoding) = (&*channel.topic, &*channel.message_encoding);
        let kind = match (schema, topic) {
            // Foxglove's schemas have the same names in other encodings, which are not decoded.
            _ if encoding != "protobuf" => TopicKind::Other,
            (RecordingPiece::SCHEMA, _) => TopicKind::Piece,
            ("foxglove.FrameTransforms", _) => TopicKind::Transforms,
            (States::SCHEMA, STATES) => TopicKind::States,
            ("foxglove.Log", MARKERS) => TopicKind::Marker,
            _ => TopicKind::Other,
        };
        let name = truncate(topic);
        let encoding = truncate(encoding);
        let description = match schema {
            "" => format!("{name} ({encoding})"),
            schema => format!("{name} ({schema}, {encoding})"),
        };
        self.channels.entry(channel.id).or_insert(Topic {
            kind,
            name,
            messages: 0,
            description,
        });
    }

    /// Returns the channel of a message.
    pub(super) fn get(&mut self, channel: u16) -> Result<&mut Topic, Cause> {
        let channel_of_message = self.channels.get_mut(&channel);
        channel_of_message.ok_or(Cause::UnknownChannel(channel))
    }

    /// Returns descriptions of the first channels.
    pub(super) fn describe(&self) -> Vec<String> {
        let channels = self.channels.values();
        let mut listed: Vec<String> = channels.map(|topic| topic.description.clone()).collect();
        // The order of a hash map differs from run to run, but an error message must not.
        listed.sort_unstable();
        let more = listed.len().saturating_sub(LISTED);
        listed.truncate(LISTED);
        if more > 0 {
            listed.push(format!("and {more} more"));
        }
        listed
    }
}

fn truncate(name: &str) -> String {
    name.chars().take(MAX_CHARS).collect()
}
