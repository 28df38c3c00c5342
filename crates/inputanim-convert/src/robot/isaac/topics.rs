//! The channels of a file.

use std::collections::HashMap;

use inputanim::Side;
use mcap::records::{Channel, SchemaHeader};

use super::schema::{self, other_struct};
use super::{
    CHECKSUM, DEVICE_CURVES, DEVICES, FLATBUFFER, GAZE, HEAD, LEFT_CONTROLLER, LEFT_HAND, MARKERS,
    RECORDING, RIGHT_CONTROLLER, RIGHT_HAND, STATES,
};
use crate::robot::mcap_file::damage::Cause;
use crate::robot::mcap_file::topics;

/// The kind of the messages on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TopicKind {
    Hand(Side),
    Controller(Side),
    Head,
    Gaze,
    States,
    Marker,
    /// Messages of a program, such as the commands that begin and end an episode.
    Control,
    Piece,
    Device,
    DeviceCurve,
    Checksum,
    /// An input device of Isaac Capture that MRTK does not record.
    OtherDevice,
    /// Content that is not part of a recording.
    Other,
}

/// A channel.
pub(super) type Topic = topics::Topic<TopicKind>;

/// The channels so far.
#[derive(Debug, Default)]
pub(super) struct Topics {
    topics: topics::Topics<TopicKind>,
    /// The faults of schemas whose messages cannot be read, by their numbers.
    faults: HashMap<u16, String>,
}

/// The topics whose messages the checksum includes.
const WRITTEN: [&str; 8] = [
    LEFT_HAND,
    RIGHT_HAND,
    LEFT_CONTROLLER,
    RIGHT_CONTROLLER,
    HEAD,
    GAZE,
    STATES,
    MARKERS,
];

impl Topics {
    pub(super) fn add_schema(&mut self, header: &SchemaHeader, data: &[u8]) {
        self.topics.add_schema(header.id, &header.name);
        if header.encoding != FLATBUFFER || data.is_empty() {
            return;
        }
        let fault = match other_struct(data) {
            Ok(None) => return,
            Ok(Some((name, size, expected))) => {
                format!("schema with {name} of {size} bytes, expected {expected}")
            }
            Err(error) => format!("schema that is not a binary schema: {error}"),
        };
        self.faults.entry(header.id).or_insert(fault);
    }

    pub(super) fn add_channel(&mut self, channel: &Channel) {
        let fault = self.faults.get(&channel.schema_id);
        self.topics.add_channel(channel, |schema| match fault {
            Some(_) if schema.starts_with("core.") => TopicKind::OtherDevice,
            Some(_) => TopicKind::Other,
            None => kind(channel, schema),
        });
        if let Some(fault) = fault
            && let Ok(topic) = self.topics.get(channel.id)
            && !topic.description.ends_with(fault)
        {
            topic.description.push_str(", ");
            topic.description.push_str(fault);
        }
    }

    pub(super) fn get(&mut self, channel: u16) -> Result<&mut Topic, Cause> {
        self.topics.get(channel)
    }

    pub(super) fn sorted(&self) -> Vec<&Topic> {
        self.topics.sorted()
    }

    pub(super) fn describe(&self) -> Vec<String> {
        self.topics.describe()
    }
}

impl TopicKind {
    /// Returns `true` if the checksum includes messages of this kind on a topic.
    pub(super) fn is_in_checksum(self, topic: &str) -> bool {
        !matches!(self, TopicKind::OtherDevice | TopicKind::Other) && WRITTEN.contains(&topic)
    }
}

/// Returns the kind of the messages on a channel, which depends on its encoding, its topic and the name of its schema.
fn kind(channel: &Channel, schema: &str) -> TopicKind {
    let topic = &*channel.topic;
    // The base name before the last part is the name of a tracker, which may be any text.
    let device = topic.rsplit('/').next().unwrap_or_default();
    match (schema, device) {
        _ if channel.message_encoding != FLATBUFFER => TopicKind::Other,
        (name, "left_hand") if name == schema::HAND.name => TopicKind::Hand(Side::Left),
        (name, "right_hand") if name == schema::HAND.name => TopicKind::Hand(Side::Right),
        (name, "head") if name == schema::HEAD.name => TopicKind::Head,
        (name, "left_controller") if name == schema::CONTROLLER.name => {
            TopicKind::Controller(Side::Left)
        }
        (name, "right_controller") if name == schema::CONTROLLER.name => {
            TopicKind::Controller(Side::Right)
        }
        (name, _) if name == schema::GAZE.name && topic == GAZE => TopicKind::Gaze,
        (name, _) if name == schema::STATES.name && topic == STATES => TopicKind::States,
        (name, _) if name == schema::MARKER.name && topic == MARKERS => TopicKind::Marker,
        (name, _) if name == schema::PIECE.name && topic == RECORDING => TopicKind::Piece,
        (name, _) if name == schema::DEVICE.name && topic == DEVICES => TopicKind::Device,
        (name, _) if name == schema::DEVICE_CURVE.name && topic == DEVICE_CURVES => {
            TopicKind::DeviceCurve
        }
        (name, _) if name == schema::CHECKSUM.name && topic == CHECKSUM => TopicKind::Checksum,
        (schema::CONTROL, _) => TopicKind::Control,
        (name, _) if name.starts_with("core.") => TopicKind::OtherDevice,
        _ => TopicKind::Other,
    }
}
