//! What the channels of a file are for.

use std::collections::HashMap;

use super::damage::What;
use super::messages::{RecordingPiece, States};
use super::{MARKERS, STATES};

/// What messages of a channel are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Meaning {
    Piece,
    Transforms,
    States,
    Marker,
    Other,
}

/// A channel.
#[derive(Debug)]
pub(super) struct Topic {
    pub(super) meaning: Meaning,
    pub(super) name: String,
    /// So far.
    pub(super) messages: u64,
    /// For people: with its schema and encoding.
    what: String,
}

/// All channels so far.
#[derive(Debug, Default)]
pub(super) struct Topics {
    schemas: HashMap<u16, String>,
    channels: HashMap<u16, Topic>,
}

/// Letters of a name that are kept, and topics that an error tells of.
const LETTERS: usize = 80;
const TOLD: usize = 24;

impl Topics {
    pub(super) fn add_schema(&mut self, id: u16, name: &str) {
        self.schemas.entry(id).or_insert(beginning(name));
    }

    pub(super) fn add_channel(&mut self, id: u16, schema: u16, topic: &str, encoding: &str) {
        let schema = self.schemas.get(&schema);
        let schema = schema.map_or("", String::as_str);
        let meaning = match (schema, topic) {
            _ if encoding != "protobuf" => Meaning::Other,
            (RecordingPiece::SCHEMA, _) => Meaning::Piece,
            ("foxglove.FrameTransforms", _) => Meaning::Transforms,
            (States::SCHEMA, STATES) => Meaning::States,
            ("foxglove.Log", MARKERS) => Meaning::Marker,
            _ => Meaning::Other,
        };
        let name = beginning(topic);
        let encoding = beginning(encoding);
        let what = match schema {
            "" => format!("{name} ({encoding})"),
            schema => format!("{name} ({schema}, {encoding})"),
        };
        self.channels.entry(id).or_insert(Topic {
            meaning,
            name,
            messages: 0,
            what,
        });
    }

    /// The channel of a message.
    pub(super) fn of(&mut self, channel: u16) -> Result<&mut Topic, What> {
        let channel_of_message = self.channels.get_mut(&channel);
        channel_of_message.ok_or(What::Channel(channel))
    }

    /// What there is, for people: the first of many.
    pub(super) fn told(&self) -> Vec<String> {
        let mut told: Vec<String> = self.channels.values().map(|t| t.what.clone()).collect();
        told.sort_unstable();
        let more = told.len().saturating_sub(TOLD);
        told.truncate(TOLD);
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        told
    }
}

fn beginning(name: &str) -> String {
    name.chars().take(LETTERS).collect()
}
