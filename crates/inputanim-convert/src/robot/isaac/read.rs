//! Reads a recording of Isaac Capture.

use inputanim::{Limits, Recording};
use mcap::records::Record;

use super::error::IsaacError;
use super::messages::{Checksum, Received};
use super::streams::Devices;
use super::topics::{Topic, TopicKind, Topics};
use super::{LISTED, RECORDING};
use crate::robot::mcap_file::clock::Moment;
use crate::robot::mcap_file::damage::{Cause, Damage};
use crate::robot::mcap_file::devices::{self, Wrong};
use crate::robot::mcap_file::origin::Origin;
use crate::robot::mcap_file::pieces::Assembly;
use crate::robot::mcap_file::records;
use crate::robot::mcap_file::undecoded::Undecoded;
use crate::shared::report::{counted, listed};
use crate::shared::{Error, Format, LossKind, NoteKind, ReadOptions, Report};

/// Reads a recording from the bytes of a file of Isaac Capture, and returns it with the losses and notes. The
/// [module](super) describes the topics that are read.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    let limits = &options.limits;
    let (mut reader, damage) = Reader::read(bytes, limits, false)?;
    let mut report = Report::default();
    if !reader.has_recording {
        return reader.finish(damage, options, report);
    }
    let mut partial = None;
    if reader.is_unchanged(damage.is_some()) {
        match std::mem::take(&mut reader.assembly).finish(limits) {
            Ok(mut recording) => {
                if let Some(damage) = damage {
                    let message = format!("{damage}; the recording in it is intact");
                    report.note(NoteKind::Damage, message);
                }
                reader.embedded.give_to(&mut recording);
                reader.wrong.report(&mut report);
                reader.origin.complete(&mut recording, &mut report);
                return Ok((recording, report));
            }
            Err(part) => partial = Some(part),
        }
    } else {
        let message = format!(
            "the messages are read instead of the recording on {RECORDING}, because they were \
             changed after the file was written"
        );
        report.note(NoteKind::OtherContent, message);
    }
    // The messages were not decoded before, because most files with a recording are unchanged.
    drop(reader);
    let (reader, damage) = Reader::read(bytes, limits, true)?;
    let Some(partial) = partial else {
        return reader.finish(damage, options, report);
    };
    if reader.devices.is_empty()
        && let Some(mut recording) = partial.recover(RECORDING, limits, &mut report)
    {
        reader.embedded.give_to(&mut recording);
        reader.wrong.report(&mut report);
        reader.origin.complete(&mut recording, &mut report);
        return Ok((recording, report));
    }
    let message = format!(
        "the recording on {RECORDING} is {partial}; the messages beside it are read, which lack the keys between samples"
    );
    report.lose(LossKind::Damage, 1, message);
    reader.finish(damage, options, report)
}

struct Reader<'l> {
    limits: &'l Limits,
    topics: Topics,
    origin: Origin,
    /// `true` to ignore the bytes of a recording in the file.
    ignores_recording: bool,
    /// `true` if the file contains bytes of a recording.
    has_recording: bool,
    /// `true` if the file contains bytes of two recordings: files were merged.
    has_several: bool,
    assembly: Assembly,
    checksum: Checksum,
    /// The checksum in the file.
    expected: Option<Checksum>,
    devices: Devices<'l>,
    /// The devices that the file contains exactly.
    embedded: devices::Devices,
    /// The messages of these devices that are not valid.
    wrong: Wrong,
    undecoded: Undecoded,
    /// The error of the messages. The bytes of a recording may still follow.
    failed: Option<Error>,
}

impl<'l> Reader<'l> {
    /// Reads all records of a file into a new reader, and returns it with the first damage of the file.
    /// `ignores_recording` ignores the bytes of a recording in the file, so that the messages of devices are decoded
    /// instead.
    fn read(
        bytes: &[u8],
        limits: &'l Limits,
        ignores_recording: bool,
    ) -> Result<(Reader<'l>, Option<Damage>), Error> {
        let mut reader = Reader {
            limits,
            topics: Topics::default(),
            origin: Origin::default(),
            ignores_recording,
            has_recording: false,
            has_several: false,
            assembly: Assembly::default(),
            checksum: Checksum::default(),
            expected: None,
            devices: Devices::new(limits),
            embedded: devices::Devices::default(),
            wrong: Wrong::default(),
            undecoded: Undecoded::default(),
            failed: None,
        };
        let damage = records::each(bytes, limits, IsaacError::NotMcap, |record| {
            reader.record(record)
        })?;
        Ok((reader, damage))
    }

    /// Adds the content of a record to the reader. Returns damage of the file if the record shows it, such as a message
    /// on an unknown channel. Fails if a limit is exceeded.
    fn record(&mut self, record: Record<'_>) -> Result<Option<Cause>, Error> {
        match record {
            Record::Schema { header, data } => self.topics.add_schema(&header, &data),
            Record::Channel(channel) => self.topics.add_channel(&channel),
            Record::Message { header, data } => {
                let topic = match self.topics.get(header.channel_id) {
                    Ok(topic) => topic,
                    Err(cause) => return Ok(Some(cause)),
                };
                topic.messages += 1;
                // The topic is a copy of few bytes, because the message changes other parts of the reader.
                let (kind, name, number) = (topic.kind, topic.name.clone(), topic.messages - 1);
                self.message(kind, &name, number, header.log_time, &data)?;
            }
            other => self.origin.add(&other),
        }
        Ok(None)
    }

    fn message(
        &mut self,
        kind: TopicKind,
        topic: &str,
        number: u64,
        log_time: u64,
        data: &[u8],
    ) -> Result<(), Error> {
        if kind.is_in_checksum(topic) {
            self.checksum.add(topic, Moment(log_time), data);
        }
        match kind {
            TopicKind::Piece if self.ignores_recording => {}
            TopicKind::Piece => {
                self.has_recording = true;
                let received = Received::read(data).and_then(|received| received.piece());
                // Bytes that cannot be decoded are missing.
                if let Ok(piece) = received {
                    self.has_several |= !self.assembly.add(piece, self.limits)?;
                }
            }
            TopicKind::Device => {
                let device = Received::read(data).and_then(|received| received.device());
                let device = device.map_err(|error| error.to_string());
                self.wrong
                    .note(device.and_then(|device| self.embedded.add(&device)));
            }
            TopicKind::DeviceCurve => {
                let curve = Received::read(data).and_then(|received| received.device_curve());
                let added = match curve {
                    Ok(curve) => self.embedded.add_keys(&curve, self.limits)?,
                    Err(error) => Err(error.to_string()),
                };
                self.wrong.note(added);
            }
            TopicKind::Checksum => self.expected = Checksum::read(data).ok(),
            TopicKind::OtherDevice | TopicKind::Other => {}
            // The recording itself contains everything, so the other messages are probably not needed.
            _ if self.has_recording || self.failed.is_some() => {}
            _ => match self.devices.add(kind, topic, number, log_time, data) {
                Ok(()) => {}
                // A message that cannot be decoded costs only itself.
                Err(error @ Error::Format(_)) => self.undecoded.add(error)?,
                Err(error) => self.failed = Some(error),
            },
        }
        Ok(())
    }

    /// Returns `true` if the recording in the file can be used, because the messages beside it are those that were
    /// written with it: their checksum is equal, or the file is damaged and names this library as its writer. Returns
    /// `false` if the file contains two recordings.
    fn is_unchanged(&self, is_damaged: bool) -> bool {
        let is_same = self.expected == Some(self.checksum);
        !self.has_several && (is_same || is_damaged && self.origin.is_own)
    }

    /// Creates a recording from the decoded messages, and adds losses and notes to the report. Fails if a limit was exceeded,
    /// or if there is no message of a device.
    fn finish(
        self,
        damage: Option<Damage>,
        options: &ReadOptions,
        mut report: Report,
    ) -> Result<(Recording<'static>, Report), Error> {
        if let Some(error) = self.failed {
            return Err(error);
        }
        let Some(mut recording) = self.devices.finish(options.pauses, &mut report)? else {
            if let Some(error) = self.undecoded.into_first() {
                return Err(error);
            }
            let topics = self.topics.describe();
            return Err(IsaacError::NothingToRead { topics, damage }.into());
        };
        if let Some(damage) = damage {
            let message = format!("damaged content: {damage}");
            report.lose(LossKind::Damage, damage.count(), message);
        }
        self.undecoded.report(&mut report);
        // Controllers have messages of their own, which a program may have changed.
        self.embedded.give_others_to(&mut recording);
        self.wrong.report(&mut report);
        report_unread(&self.topics, &mut report);
        self.origin
            .describe(&mut recording, Format::Isaac, &mut report);
        Ok((recording, report))
    }
}

/// Adds the topics that are not read to the report: a loss for other input devices, and a note for other content.
/// Topics without messages are skipped.
fn report_unread(topics: &Topics, report: &mut Report) {
    let of_kind = |kind: TopicKind| {
        let is_unread = |topic: &&Topic| topic.kind == kind && topic.messages > 0;
        let topics: Vec<&Topic> = topics.sorted().into_iter().filter(is_unread).collect();
        let count: u64 = topics.iter().map(|topic| topic.messages).sum();
        let names = topics.iter().map(|topic| {
            let messages = usize::try_from(topic.messages).unwrap_or(usize::MAX);
            format!("{} in {}", topic.description, counted(messages, "message"))
        });
        let count = usize::try_from(count).unwrap_or(usize::MAX);
        (listed(names, LISTED), count)
    };
    let (devices, count) = of_kind(TopicKind::OtherDevice);
    let message = format!("{devices}: not a hand, head or controller");
    report.lose(LossKind::InputSources, count, message);
    let (others, count) = of_kind(TopicKind::Other);
    if count > 0 {
        report.note(NoteKind::OtherContent, format!("not read: {others}"));
    }
}
