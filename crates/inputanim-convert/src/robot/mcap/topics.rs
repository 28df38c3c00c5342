//! The channels of a file.

use mcap::records::Channel;

use super::inputs::INPUTS;
use super::messages::{RecordingPiece, States};
use super::{DEVICE_CURVES, DEVICES, MARKERS, STATES};
use crate::robot::mcap_file::devices::{DeviceCurve, DeviceMessage};
use crate::robot::mcap_file::topics;

/// The kind of the messages on a channel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TopicKind {
    Piece,
    Device,
    DeviceCurve,
    Transforms,
    States,
    Marker,
    /// The inputs of a device for plots.
    Inputs,
    Other,
}

/// A channel.
pub(super) type Topic = topics::Topic<TopicKind>;

/// The channels so far.
pub(super) type Topics = topics::Topics<TopicKind>;

impl TopicKind {
    /// Returns the kind of the messages on a channel, which depends on its encoding, its topic and the name of its
    /// schema.
    pub(super) fn of(channel: &Channel, schema: &str) -> TopicKind {
        match (schema, &*channel.topic) {
            // Foxglove's schemas have the same names in other encodings, which are not decoded.
            _ if channel.message_encoding != "protobuf" => TopicKind::Other,
            (RecordingPiece::SCHEMA, _) => TopicKind::Piece,
            (DeviceMessage::SCHEMA, DEVICES) => TopicKind::Device,
            (DeviceCurve::SCHEMA, DEVICE_CURVES) => TopicKind::DeviceCurve,
            ("foxglove.FrameTransforms", _) => TopicKind::Transforms,
            (States::SCHEMA, STATES) => TopicKind::States,
            ("foxglove.Log", MARKERS) => TopicKind::Marker,
            (schema, _) if schema.starts_with(INPUTS) => TopicKind::Inputs,
            _ => TopicKind::Other,
        }
    }
}
