//! An MCAP file that grows.

use std::collections::BTreeMap;
use std::io::Write;
use std::marker::PhantomData;

use foxglove::Encode;
use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{Compression, McapError, McapResult, WriteOptions, Writer};
use prost::Message;

use super::clock::Moment;

/// A file being written: a chunk of it is in memory.
pub(super) struct Output<W: Write> {
    writer: Writer<NoSeek<W>>,
    message: Vec<u8>,
}

/// Where messages of one kind go.
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
            // The same bytes on every machine.
            .compression_threads(0)
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

    /// What follows is in another chunk.
    pub(super) fn end_chunk(&mut self) -> McapResult<()> {
        self.writer.flush()
    }

    pub(super) fn finish(mut self) -> McapResult<()> {
        self.writer.finish()?;
        Ok(())
    }
}
