//! Reads a recording from an MCAP file.

use inputanim::{Limits, Recording};
use mcap::records::Record;
use prost::Message;

use super::error::McapError;
use super::frames::TransformRecorder;
use super::messages::RecordingPiece;
use super::topics::{Topic, TopicKind, Topics};
use crate::robot::mcap_file::damage::Cause;
use crate::robot::mcap_file::origin::Origin;
use crate::robot::mcap_file::pieces::{Assembly, Missing, Piece};
use crate::robot::mcap_file::records;
use crate::shared::limits::check_limit;
use crate::shared::report::counted;
use crate::shared::{Error, Format, LossKind, NoteKind, ReadOptions, Report};

/// Reads a recording from the bytes of an MCAP file, and returns it with the losses and notes. The [module](super)
/// describes the topics that are read.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    let mut reader = Reader {
        limits,
        topics: Topics::default(),
        source: None,
        origin: Origin::default(),
        assembly: Assembly::default(),
        frames: TransformRecorder::new(limits),
        failed: None,
    };
    let damage = records::each(bytes, limits, McapError::NotMcap, |record| {
        reader.record(record)
    })?;
    let mut report = Report::default();
    if reader.source.is_some() {
        let mut recording = match reader.assembly.finish() {
            Ok(bytes) => Recording::parse_with(&bytes, limits)?.into_owned(),
            Err(Missing { offset, size }) => {
                let missing = offset;
                return Err(McapError::Incomplete {
                    missing,
                    size,
                    damage,
                }
                .into());
            }
        };
        if let Some(damage) = damage {
            let message = format!("{damage}; the recording in it is intact");
            report.note(NoteKind::Damage, message);
        }
        reader.origin.complete(&mut recording, &mut report);
        return Ok((recording, report));
    }
    if let Some(error) = reader.failed {
        return Err(error);
    }
    let Some((mut recording, late)) = reader.frames.finish(options.pauses)? else {
        let topics = reader.topics.describe();
        return Err(McapError::NothingToRead { topics, damage }.into());
    };
    if let Some(damage) = damage {
        report.lose(LossKind::Damage, 1, format!("damaged content: {damage}"));
    }
    let message = format!(
        "frame transforms of {} that are late",
        counted(late, "time")
    );
    report.lose(LossKind::Order, late, message);
    reader
        .origin
        .describe(&mut recording, Format::Mcap, &mut report);
    Ok((recording, report))
}

struct Reader<'l> {
    limits: &'l Limits,
    topics: Topics,
    /// The channel of the recording's bytes.
    source: Option<u16>,
    origin: Origin,
    assembly: Assembly,
    frames: TransformRecorder<'l>,
    /// The error of the frame transforms. The bytes of a recording may still follow.
    failed: Option<Error>,
}

impl Reader<'_> {
    /// Adds the content of a record to the reader. Returns damage of the file if the record shows it, such as a message
    /// on an unknown channel. Fails for the reasons of [`message`](Reader::message).
    fn record(&mut self, record: Record<'_>) -> Result<Option<Cause>, Error> {
        match record {
            Record::Schema { header, .. } => self.topics.add_schema(header.id, &header.name),
            Record::Channel(channel) => self
                .topics
                .add_channel(&channel, |schema| TopicKind::of(&channel, schema)),
            Record::Message { header, data } => {
                return self.message(header.channel_id, header.log_time, &data);
            }
            other => self.origin.add(&other),
        }
        Ok(None)
    }

    /// Adds the content of a message, whose log time is in nanoseconds, to the reader. Returns damage of the file if no
    /// record describes the channel. Fails if the file contains several recordings, a piece of the recording cannot be
    /// decoded, or a limit is exceeded. Errors of other messages are kept for later, because a recording may follow.
    fn message(&mut self, channel: u16, time: u64, data: &[u8]) -> Result<Option<Cause>, Error> {
        let topic = match self.topics.get(channel) {
            Ok(topic) => topic,
            Err(cause) => return Ok(Some(cause)),
        };
        match topic.kind {
            TopicKind::Piece => {
                if *self.source.get_or_insert(channel) != channel {
                    return Err(McapError::SeveralRecordings.into());
                }
                let piece: RecordingPiece = decode(topic, data)?;
                let RecordingPiece {
                    offset, size, data, ..
                } = piece;
                let piece = Piece { offset, size, data };
                if !self.assembly.add(piece, self.limits)? {
                    return Err(McapError::SeveralRecordings.into());
                }
            }
            // The recording itself contains everything, so the other messages are not needed.
            _ if self.source.is_some() || self.failed.is_some() => {}
            _ => self.failed = record_message(&mut self.frames, topic, time, data).err(),
        }
        topic.messages += 1;
        Ok(None)
    }
}

/// Decodes frame transforms, states or a marker, and adds them to `frames`. Other messages are ignored. `time` is the
/// log time of the message in nanoseconds.
fn record_message(
    frames: &mut TransformRecorder<'_>,
    topic: &Topic,
    time: u64,
    data: &[u8],
) -> Result<(), Error> {
    match topic.kind {
        TopicKind::Transforms => {
            let (length, limit) = (data.len() as u64, MAX_TRANSFORMS);
            check_limit(length, limit, "bytes of frame transforms in a message")?;
            frames.transforms(time, decode(topic, data)?)
        }
        TopicKind::States => frames.states(time, decode(topic, data)?),
        TopicKind::Marker => frames.marker(time, decode(topic, data)?),
        TopicKind::Piece | TopicKind::Other => Ok(()),
    }
}

/// The largest number of bytes of a message of frame transforms. A message with two hands has a few thousand bytes, but
/// a transform of two bytes takes a hundred bytes of memory.
const MAX_TRANSFORMS: u64 = 1 << 20;

fn decode<M: Message + Default>(topic: &Topic, data: &[u8]) -> Result<M, Error> {
    let wrong = |source: prost::DecodeError| McapError::Message {
        message: topic.messages,
        topic: topic.name.clone(),
        source: source.into(),
    };
    Ok(M::decode(data).map_err(wrong)?)
}
