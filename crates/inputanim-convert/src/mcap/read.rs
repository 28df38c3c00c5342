//! A recording in.

use inputanim::{Limits, Recording};
use prost::Message;

use super::damage::{Damage, What};
use super::error::{Error, Loss};
use super::frames::Frames;
use super::messages::RecordingPiece;
use super::pieces::Assembly;
use super::record::Record;
use super::topics::{Meaning, Topic, Topics};
use super::{is_mcap, records};
use crate::unpacked::due;

/// What was read.
#[derive(Debug)]
#[non_exhaustive]
pub struct Reading {
    /// The recording.
    pub recording: Recording<'static>,
    /// What did not come in; nothing where the bytes of the recording were there.
    pub losses: Vec<Loss>,
    /// What is wrong with the file, though all of the recording's bytes were there.
    pub damage: Option<Damage>,
}

/// Reads a recording within the default [`Limits`], and says what did not come in.
///
/// The bytes on [`RECORDING`](super::RECORDING) are the recording, in its own layout. Without them
/// the recording is made, for the layout `mrtk-1.1`, of `foxglove.FrameTransforms` as protobuf, on
/// whatever topics:
///
/// - A frame is a part by its name: `head`, `gaze` and each joint, such as `left/IndexTip`; others
///   are passed over. All must have one parent, in the axes of [`SPACE`](super::SPACE).
/// - The transforms of one time are one frame, the first of which is at 0. It is their own timestamp,
///   or the log time of a message that has none. What comes up to a second late is put in order.
/// - A hand is tracked while any of its joints is there, and where none is for at most a tenth of a
///   second: its messages may have times of their own. Messages in which there is no known frame are
///   passed over. Where [`STATES`](super::STATES) is there, it says when hands are tracked, and whether
///   they pinch.
/// - Markers come from [`MARKERS`](super::MARKERS).
///
/// Of a damaged file all that can be read is: chunks are checked one by one.
///
/// # Errors
/// When the file has neither, or only a part of the recording's bytes; the error says what there is.
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::mcap;
/// let take = Recording::new(Layout::Mrtk1_1);
/// let mut bytes = Vec::new();
/// mcap::write(&take, &mcap::Options::default(), &mut bytes)?;
/// assert_eq!(mcap::read(&bytes)?.recording, take);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn read(bytes: &[u8]) -> Result<Reading, Error> {
    read_with(bytes, &Limits::default())
}

/// Reads a recording within `limits`; [`Limits::max_bytes`] bounds the file.
///
/// # Errors
/// As [`read`], and when a limit is passed.
pub fn read_with(bytes: &[u8], limits: &Limits) -> Result<Reading, Error> {
    if !is_mcap(bytes) {
        return Err(Error::NotMcap);
    }
    if bytes.len() as u64 > limits.max_bytes {
        return Err(Error::Limit {
            limit: limits.max_bytes,
            things: "bytes",
        });
    }
    let mut reader = Reader {
        limits,
        topics: Topics::default(),
        source: None,
        assembly: Assembly::default(),
        frames: Frames::new(limits),
        refused: None,
    };
    let due = due(bytes.len() as u64, limits);
    let mut damage = records::each(bytes, due, |record| reader.record(record))?;
    if reader.source.is_some() {
        let recording = reader.assembly.finish(&mut damage, limits)?;
        return Ok(Reading {
            recording,
            losses: Vec::new(),
            damage,
        });
    }
    if let Some(error) = reader.refused {
        return Err(error);
    }
    let Some((recording, late)) = reader.frames.finish()? else {
        return Err(Error::NothingToRead {
            topics: reader.topics.told(),
            damage,
        });
    };
    let late = (late > 0).then_some(Loss::Late { times: late });
    let losses = damage.map(Loss::Damaged).into_iter().chain(late);
    Ok(Reading {
        recording,
        losses: losses.collect(),
        damage: None,
    })
}

struct Reader<'l> {
    limits: &'l Limits,
    topics: Topics,
    /// The channel of the recording's bytes.
    source: Option<u16>,
    assembly: Assembly,
    frames: Frames<'l>,
    /// Why no recording can be made of the frames: the bytes of one may still come.
    refused: Option<Error>,
}

impl Reader<'_> {
    /// Takes a record; says what is wrong with the file, and fails where no recording can be made.
    fn record(&mut self, record: Record<'_>) -> Result<Option<What>, Error> {
        match record {
            Record::Schema { id, name } => self.topics.add_schema(id, name),
            Record::Channel {
                id,
                schema,
                topic,
                encoding,
            } => self.topics.add_channel(id, schema, topic, encoding),
            Record::Message {
                channel,
                log_time,
                data,
            } => return self.message(channel, log_time, data),
        }
        Ok(None)
    }

    fn message(&mut self, channel: u16, time: u64, data: &[u8]) -> Result<Option<What>, Error> {
        let topic = match self.topics.of(channel) {
            Ok(topic) => topic,
            Err(what) => return Ok(Some(what)),
        };
        match topic.meaning {
            Meaning::Piece => {
                if *self.source.get_or_insert(channel) != channel {
                    return Err(Error::SeveralRecordings);
                }
                let piece: RecordingPiece = decode(topic, data)?;
                self.assembly.add(piece, self.limits)?;
            }
            // The recording has it all.
            _ if self.source.is_some() || self.refused.is_some() => {}
            _ => self.refused = take(&mut self.frames, topic, time, data).err(),
        }
        topic.messages += 1;
        Ok(None)
    }
}

/// Takes a message that is of frames.
fn take(frames: &mut Frames<'_>, topic: &Topic, time: u64, data: &[u8]) -> Result<(), Error> {
    match topic.meaning {
        Meaning::Transforms if data.len() > MOST_TRANSFORMS => Err(Error::Limit {
            limit: MOST_TRANSFORMS as u64,
            things: "bytes of frame transforms in a message",
        }),
        Meaning::Transforms => frames.transforms(time, decode(topic, data)?),
        Meaning::States => frames.states(time, decode(topic, data)?),
        Meaning::Marker => frames.marker(time, decode(topic, data)?),
        Meaning::Piece | Meaning::Other => Ok(()),
    }
}

/// Most bytes of a message of frame transforms: those of two hands are some thousand, and one of two
/// bytes takes a hundred in memory.
const MOST_TRANSFORMS: usize = 1 << 20;

fn decode<M: Message + Default>(topic: &Topic, data: &[u8]) -> Result<M, Error> {
    M::decode(data).map_err(|source| Error::Message {
        message: topic.messages,
        topic: topic.name.clone(),
        source,
    })
}
