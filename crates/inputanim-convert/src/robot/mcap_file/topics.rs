//! The channels of a file that is being read.

use std::collections::HashMap;
use std::fmt;

use mcap::records::Channel;

use super::damage::{Cause, Damage};

/// A channel. `K` is the kind of its messages.
#[derive(Debug)]
pub(crate) struct Topic<K> {
    pub(crate) kind: K,
    pub(crate) name: String,
    /// The number of messages so far.
    pub(crate) messages: u64,
    /// The name with the schema and encoding, for error messages.
    pub(crate) description: String,
}

/// The channels so far.
#[derive(Debug)]
pub(crate) struct Topics<K> {
    schemas: HashMap<u16, String>,
    channels: HashMap<u16, Topic<K>>,
}

/// The largest number of characters that are kept of a name.
const MAX_CHARS: usize = 80;
/// The largest number of topics in an error.
const LISTED: usize = 24;

impl<K> Default for Topics<K> {
    fn default() -> Topics<K> {
        Topics {
            schemas: HashMap::new(),
            channels: HashMap::new(),
        }
    }
}

impl<K> Topics<K> {
    pub(crate) fn add_schema(&mut self, id: u16, name: &str) {
        // A file may repeat the records of schemas and channels. MCAP requires them to be equal, so the first one
        // counts.
        self.schemas.entry(id).or_insert_with(|| truncate(name));
    }

    /// Adds a channel, unless a channel with its number is known. `kind` returns the kind of the messages from the name
    /// of their schema, which is empty without a schema.
    pub(crate) fn add_channel(&mut self, channel: &Channel, kind: impl FnOnce(&str) -> K) {
        let schema = self.schemas.get(&channel.schema_id);
        let schema = schema.map_or("", String::as_str);
        let name = truncate(&channel.topic);
        let encoding = truncate(&channel.message_encoding);
        self.channels.entry(channel.id).or_insert_with(|| Topic {
            kind: kind(schema),
            description: match schema {
                "" => format!("{name} ({encoding})"),
                schema => format!("{name} ({schema}, {encoding})"),
            },
            name,
            messages: 0,
        });
    }

    /// Returns the channel with a number. Fails if the file does not describe this channel.
    pub(crate) fn get(&mut self, channel: u16) -> Result<&mut Topic<K>, Cause> {
        let channel_of_message = self.channels.get_mut(&channel);
        channel_of_message.ok_or(Cause::UnknownChannel(channel))
    }

    /// Returns the channels, sorted by their names.
    pub(crate) fn sorted(&self) -> Vec<&Topic<K>> {
        let mut sorted: Vec<(&u16, &Topic<K>)> = self.channels.iter().collect();
        // The order of a hash map differs from run to run, but a message must not.
        sorted.sort_unstable_by_key(|(id, topic)| (&topic.description, **id));
        sorted.into_iter().map(|(_, topic)| topic).collect()
    }

    /// Returns the descriptions of the first channels in the order of their names, for errors. The last item states the
    /// number of further channels, if there are any.
    pub(crate) fn describe(&self) -> Vec<String> {
        let sorted = self.sorted().into_iter();
        let mut listed: Vec<String> = sorted.map(|topic| topic.description.clone()).collect();
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

/// The message of an error about a file without a recording.
pub(crate) struct NothingToRead<'a> {
    /// The messages from which a recording can be read.
    pub(crate) expected: &'a str,
    /// The descriptions of the first topics.
    pub(crate) topics: &'a [String],
    pub(crate) damage: &'a Option<Damage>,
}

impl fmt::Display for NothingToRead<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A list of topics is of no use if the file ends before its first message.
        if let Some(damage) = self.damage
            && damage.is_cut_in_first_chunk()
            && self.topics.is_empty()
        {
            let start = damage.offset;
            return write!(
                f,
                "the file ends inside its first chunk, which begins at byte {start}: nothing can be read"
            );
        }
        let NothingToRead {
            expected,
            topics,
            damage,
        } = self;
        let (topics, damage) = (TopicList(topics), DamageSuffix(damage));
        write!(
            f,
            "no recording: expected {expected}; found {topics}{damage}"
        )
    }
}

/// Topics in an error message.
struct TopicList<'a>(&'a [String]);

impl fmt::Display for TopicList<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            [] => f.write_str("no topics"),
            topics => f.write_str(&topics.join(", ")),
        }
    }
}

/// The damage that may be the reason for an error, at the end of its message.
pub(crate) struct DamageSuffix<'a>(pub(crate) &'a Option<Damage>);

impl fmt::Display for DamageSuffix<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(damage) => write!(f, "; {damage}"),
            None => Ok(()),
        }
    }
}
