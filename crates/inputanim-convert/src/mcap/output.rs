//! An MCAP file that is being written.

use std::collections::BTreeMap;
use std::io::Write;
use std::marker::PhantomData;

use foxglove::Encode;
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Compression, McapError, McapResult, WriteOptions, Writer};
use prost::Message;

use super::clock::Moment;

/// The Zstandard level, which favours speed: for ten minutes of two hands, 1 takes 2.2 s and writes 137 MB;
/// the default, 3, takes longer and writes 131 MB.
const COMPRESSION_LEVEL: u32 = 1;

/// A file that is being written: one chunk is in memory.
pub(super) struct Output<W: Write> {
    writer: Writer<NoSeek<W>>,
    message: Vec<u8>,
}

/// The channel of messages of one type.
pub(super) struct Topic<M> {
    channel: u16,
    sequence: u32,
    kind: PhantomData<fn(M)>,
}

impl<W: Write> Output<W> {
    pub(super) fn new(output: W, program: &str) -> McapResult<Output<W>> {
        let options = WriteOptions::new()
            .library(program)
            .compression(Some(Compression::Zstd))
            .compression_level(COMPRESSION_LEVEL)
            // With threads, the written bytes would depend on the machine.
            .compression_threads(0)
            // The output may be a pipe, which cannot seek.
            .disable_seeking(true);
        Ok(Output {
            writer: options.create(NoSeek::new(output))?,
            message: Vec::new(),
        })
    }

    pub(super) fn metadata(&mut self, entries: BTreeMap<String, String>) -> McapResult<()> {
        self.writer.write_metadata(&Metadata {
            name: "inputanim".to_owned(),
            metadata: entries,
        })
    }

    pub(super) fn topic<M: Encode>(&mut self, name: &str) -> McapResult<Topic<M>> {
        let schema = match M::get_schema() {
            Some(schema) => self
                .writer
                .add_schema(&schema.name, &schema.encoding, &schema.data)?,
            // In MCAP, the number 0 stands for a missing schema.
            None => 0,
        };
        let encoding = M::get_message_encoding();
        let channel = self
            .writer
            .add_channel(schema, name, &encoding, &BTreeMap::new())?;
        Ok(Topic {
            channel,
            sequence: 0,
            kind: PhantomData,
        })
    }

    pub(super) fn write<M: Message>(
        &mut self,
        topic: &mut Topic<M>,
        time: Moment,
        message: &M,
    ) -> McapResult<()> {
        self.message.clear();
        let encoded = message.encode(&mut self.message);
        encoded.map_err(|error| McapError::Io(error.into()))?;
        let header = MessageHeader {
            channel_id: topic.channel,
            sequence: topic.sequence,
            log_time: time.0,
            publish_time: time.0,
        };
        topic.sequence = topic.sequence.wrapping_add(1);
        self.writer.write_to_known_channel(&header, &self.message)
    }

    /// Ends the chunk. The next message begins a new chunk.
    pub(super) fn end_chunk(&mut self) -> McapResult<()> {
        self.writer.flush()
    }

    pub(super) fn finish(mut self) -> McapResult<()> {
        self.writer.finish()?;
        Ok(())
    }
}
