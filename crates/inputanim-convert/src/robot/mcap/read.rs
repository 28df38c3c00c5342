//! Reads a recording from an MCAP file.

use std::collections::BTreeMap;

use inputanim::{DeviceName, Limits, PoseName, Recording};
use mcap::records::Record;
use prost::Message;

use super::error::McapError;
use super::frames::{TransformRecorder, UnreadFrames};
use super::messages::RecordingPiece;
use super::topics::{Topic, TopicKind, Topics};
use super::{DEVICE_CURVES, DEVICES, RECORDING};
use crate::robot::mcap_file::damage::{Cause, Damage};
use crate::robot::mcap_file::devices::{DeviceCurve, DeviceMessage, Devices, Wrong};
use crate::robot::mcap_file::origin::Origin;
use crate::robot::mcap_file::pieces::{Assembly, Piece};
use crate::robot::mcap_file::records;
use crate::robot::mcap_file::undecoded::Undecoded;
use crate::shared::limits::check_limit;
use crate::shared::report::{counted, listed};
use crate::shared::{Error, Format, LossKind, NoteKind, ReadOptions, Report};

/// Reads a recording from the bytes of an MCAP file, and returns it with the losses and notes. The [module](super)
/// describes the topics that are read.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    let (mut reader, damage) = Reader::read(bytes, limits, (None, None), false)?;
    let mut report = Report::default();
    if reader.source.is_none() {
        return reader.finish(bytes, damage, options, report);
    }
    let partial = match std::mem::take(&mut reader.assembly).finish(limits) {
        Ok(mut recording) => {
            if let Some(damage) = damage {
                let message = format!("{damage}; the recording in it is intact");
                report.note(NoteKind::Damage, message);
            }
            reader.give_devices(&mut recording, &mut report);
            reader.origin.complete(&mut recording, &mut report);
            return Ok((recording, report));
        }
        Err(partial) => partial,
    };
    // The messages beside the recording contain its samples.
    drop(reader);
    let (mut reader, damage) = Reader::read(bytes, limits, (None, None), true)?;
    if !reader.frames.is_empty() {
        let message = format!(
            "the recording on {RECORDING} is {partial}; the messages beside it are read, which lack the keys between samples"
        );
        report.lose(LossKind::Damage, 1, message);
        return reader.finish(bytes, damage, options, report);
    }
    if let Some(mut recording) = partial.recover(RECORDING, limits, &mut report) {
        reader.give_devices(&mut recording, &mut report);
        reader.origin.complete(&mut recording, &mut report);
        return Ok((recording, report));
    }
    Err(match partial.missing() {
        Some((missing, size)) => McapError::Incomplete {
            missing,
            size,
            damage,
        }
        .into(),
        None => match partial.into_error() {
            Some(error) => error.into(),
            None => McapError::NothingToRead {
                topics: reader.topics.describe(),
                damage,
            }
            .into(),
        },
    })
}

struct Reader<'l> {
    limits: &'l Limits,
    /// `true` to ignore the bytes of a recording in the file.
    ignores_recording: bool,
    topics: Topics,
    /// The channel of the recording's bytes.
    source: Option<u16>,
    origin: Origin,
    assembly: Assembly,
    devices: Devices,
    /// The first message of a device that is not valid, and the number of such messages.
    wrong: Wrong,
    frames: TransformRecorder<'l>,
    undecoded: Undecoded,
    /// The error of the frame transforms. The bytes of a recording may still follow.
    failed: Option<Error>,
}

impl<'l> Reader<'l> {
    /// Reads all records of a file into a new reader, and returns it with the damage of the file. The parent of frames is
    /// `parent`, or the parent of the first one; of their times, only those in `keep` are recorded. If
    /// `ignores_recording` is `true`, the bytes of a recording in the file are ignored, so that the messages beside it are
    /// decoded.
    fn read(
        bytes: &[u8],
        limits: &'l Limits,
        (parent, keep): (Option<String>, Option<Vec<bool>>),
        ignores_recording: bool,
    ) -> Result<(Reader<'l>, Option<Damage>), Error> {
        let mut reader = Reader {
            limits,
            ignores_recording,
            topics: Topics::default(),
            source: None,
            origin: Origin::default(),
            assembly: Assembly::default(),
            devices: Devices::default(),
            wrong: Wrong::default(),
            frames: TransformRecorder::new(limits, parent, keep),
            undecoded: Undecoded::default(),
            failed: None,
        };
        let damage = records::each(bytes, limits, McapError::NotMcap, |record| {
            reader.record(record)
        })?;
        Ok((reader, damage))
    }

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
    /// record describes the channel. Fails if the file contains several recordings, or a limit is exceeded. Errors of other
    /// messages are kept for later, because a recording may follow.
    fn message(&mut self, channel: u16, time: u64, data: &[u8]) -> Result<Option<Cause>, Error> {
        let topic = match self.topics.get(channel) {
            Ok(topic) => topic,
            Err(cause) => return Ok(Some(cause)),
        };
        match topic.kind {
            TopicKind::Piece if self.ignores_recording => {}
            TopicKind::Piece => {
                if *self.source.get_or_insert(channel) != channel {
                    return Err(McapError::SeveralRecordings.into());
                }
                // Bytes that cannot be decoded are missing.
                if let Ok(piece) = decode::<RecordingPiece>(topic, data) {
                    let RecordingPiece {
                        offset, size, data, ..
                    } = piece;
                    let piece = Piece { offset, size, data };
                    if !self.assembly.add(piece, self.limits)? {
                        return Err(McapError::SeveralRecordings.into());
                    }
                }
            }
            TopicKind::Device => {
                let added = match decode::<DeviceMessage>(topic, data) {
                    Ok(message) => self.devices.add(&message),
                    Err(error) => Err(error.to_string()),
                };
                self.wrong.note(added);
            }
            TopicKind::DeviceCurve => {
                let added = match decode::<DeviceCurve>(topic, data) {
                    Ok(message) => self.devices.add_keys(&message, self.limits)?,
                    Err(error) => Err(error.to_string()),
                };
                self.wrong.note(added);
            }
            // The recording itself contains everything else, so the other messages are not needed.
            _ if self.source.is_some() || self.failed.is_some() => {}
            _ => match record_message(&mut self.frames, topic, time, data) {
                Ok(Decoded::Whole) => {}
                Ok(Decoded::Damaged(error)) => self.undecoded.add(error)?,
                Err(error) => self.failed = Some(error),
            },
        }
        topic.messages += 1;
        Ok(None)
    }

    /// Gives the devices to a recording that was embedded in the file, and reports messages that are not valid.
    fn give_devices(&mut self, recording: &mut Recording<'static>, report: &mut Report) {
        std::mem::take(&mut self.devices).give_to(recording);
        std::mem::take(&mut self.wrong).report(report);
    }

    /// Returns a recording of the decoded messages, and adds losses and notes to the report. Reads the file again if the
    /// first transform had another parent than most, or if times are out of order. Fails if nothing can be read.
    fn finish(
        mut self,
        bytes: &[u8],
        damage: Option<Damage>,
        options: &ReadOptions,
        mut report: Report,
    ) -> Result<(Recording<'static>, Report), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let again = match self.frames.other_parent()? {
            Some(parent) => Some((Some(parent), None)),
            None => {
                let keep = self.frames.in_order();
                keep.map(|keep| (self.frames.parent(), Some(keep)))
            }
        };
        if let Some(selected) = again {
            let (reader, damage) =
                Reader::read(bytes, self.limits, selected, self.ignores_recording)?;
            return reader.finish(bytes, damage, options, report);
        }
        let (other_parents, example) = self.frames.other_parents();
        let unread = self.frames.take_unread();
        let Some((mut recording, late)) = self.frames.finish(options.pauses)? else {
            if let Some(error) = self.undecoded.into_first() {
                return Err(error);
            }
            let topics = self.topics.describe();
            return Err(McapError::NothingToRead { topics, damage }.into());
        };
        self.devices.give_to(&mut recording);
        self.wrong.report(&mut report);
        report_unread(&unread, &self.topics, &recording, &mut report);
        if let Some(damage) = damage {
            let message = format!("damaged content: {damage}");
            report.lose(LossKind::Damage, damage.count(), message);
        }
        self.undecoded.report(&mut report);
        let message = format!(
            "{} with another parent than most of their frame: {example}",
            counted(other_parents, "transform")
        );
        report.lose(LossKind::Damage, other_parents, message);
        let message = format!(
            "messages of {} that are out of order",
            counted(late, "time")
        );
        report.lose(LossKind::Order, late, message);
        self.origin
            .describe(&mut recording, Format::Mcap, &mut report);
        Ok((recording, report))
    }
}

/// The number of frames or devices that a message lists.
const LISTED: usize = 6;

/// Adds the poses and inputs of devices that are only in the messages for viewers to `report` as a loss, because the exact keys on
/// other topics are missing, and the other frames that are not read as a note.
fn report_unread(
    unread: &UnreadFrames,
    topics: &Topics,
    recording: &Recording<'_>,
    report: &mut Report,
) {
    let is_read = |device| recording.device(device).is_some();
    let mut devices: BTreeMap<DeviceName, (Vec<String>, usize)> = BTreeMap::new();
    let mut others = Vec::new();
    for (name, count) in unread.iter() {
        let device = name.split_once('/').and_then(|(device, pose)| {
            let device: DeviceName = device.parse().ok()?;
            Some((device, pose.parse::<PoseName>().ok()?))
        });
        match device {
            Some((device, _)) if is_read(device) => {}
            Some((device, pose)) => {
                let (names, messages) = devices.entry(device).or_default();
                names.push(pose.to_string());
                *messages += count;
            }
            None => others.push(name),
        }
    }
    let inputs = topics.sorted().into_iter();
    let inputs = inputs.filter(|topic| topic.kind == TopicKind::Inputs && topic.messages > 0);
    for topic in inputs {
        let name = topic.name.trim_start_matches('/');
        let name = name.strip_suffix("/inputs").unwrap_or(name);
        if let Some(device) = name.parse().ok().filter(|&device| !is_read(device)) {
            let (names, messages) = devices.entry(device).or_default();
            names.push("inputs".to_owned());
            *messages += usize::try_from(topic.messages).unwrap_or(usize::MAX);
        }
    }
    for (device, (names, count)) in devices {
        let names = listed(names, LISTED);
        let message = format!(
            "{device}: {names} in messages for viewers, which are not read; the exact values on {DEVICES} and {DEVICE_CURVES} are missing"
        );
        report.lose(LossKind::Devices, count, message);
    }
    if !others.is_empty() {
        let frames = listed(others, LISTED);
        let message =
            format!("frames that are not the head, the gaze or a joint are not read: {frames}");
        report.note(NoteKind::OtherContent, message);
    }
}

/// The result of a message.
enum Decoded {
    Whole,
    /// The error of a message that cannot be decoded.
    Damaged(Error),
}

/// Decodes frame transforms, states or a marker, and adds them to `frames`. Other messages are ignored. `time` is the
/// log time of the message in nanoseconds. Fails if a limit is exceeded.
fn record_message(
    frames: &mut TransformRecorder<'_>,
    topic: &Topic,
    time: u64,
    data: &[u8],
) -> Result<Decoded, Error> {
    macro_rules! decoded {
        () => {
            match decode(topic, data) {
                Ok(message) => message,
                Err(error) => return Ok(Decoded::Damaged(error)),
            }
        };
    }
    match topic.kind {
        TopicKind::Transforms => {
            let (length, limit) = (data.len() as u64, MAX_TRANSFORMS);
            check_limit(length, limit, "bytes of frame transforms in a message")?;
            frames.transforms(time, decoded!())?;
        }
        TopicKind::States => frames.states(time, decoded!())?,
        TopicKind::Marker => frames.marker(time, decoded!())?,
        TopicKind::Piece
        | TopicKind::Device
        | TopicKind::DeviceCurve
        | TopicKind::Inputs
        | TopicKind::Other => {}
    }
    Ok(Decoded::Whole)
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
