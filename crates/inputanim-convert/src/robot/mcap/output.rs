//! Messages of Foxglove and of this library in an MCAP file that is being written.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::marker::PhantomData;

use foxglove::{Encode, Schema};
use mcap::WriteOptions;
use prost::Message;

use crate::robot::mcap_file::clock::Moment;
use crate::robot::mcap_file::output::{self, OutputChannel, OutputSchema};

/// The level of compression with Zstandard, which favours speed: for ten minutes of two hands, 1 takes 2.2 s and writes 137 MB;
/// the default, 3, takes longer and writes 131 MB.
#[cfg(feature = "mcap")]
const COMPRESSION_LEVEL: u32 = 1;

/// A file that is being written: one chunk is in memory.
pub(super) struct Output<W: Write> {
    file: output::Output<W>,
    message: Vec<u8>,
}

/// The channel of messages of one type.
pub(super) struct Topic<M> {
    channel: OutputChannel,
    kind: PhantomData<fn(M)>,
}

impl<W: Write> Output<W> {
    pub(super) fn new(output: W) -> io::Result<Output<W>> {
        #[cfg(feature = "mcap")]
        let options = WriteOptions::new()
            .compression(Some(mcap::Compression::Zstd))
            .compression_level(COMPRESSION_LEVEL)
            // With threads, the written bytes would depend on the machine.
            .compression_threads(0);
        #[cfg(not(feature = "mcap"))]
        let options = WriteOptions::new().compression(None);
        Ok(Output {
            file: output::Output::new(output, "", options)?,
            message: Vec::new(),
        })
    }

    pub(super) fn metadata(&mut self, entries: BTreeMap<String, String>) -> io::Result<()> {
        self.file.metadata(entries)
    }

    pub(super) fn topic<M: Encode>(&mut self, name: &str) -> io::Result<Topic<M>> {
        let encoding = M::get_message_encoding();
        Ok(Topic {
            channel: self.channel(name, &encoding, M::get_schema())?,
            kind: PhantomData,
        })
    }

    /// Adds a channel for messages that are encoded by the caller. `name` is the name of the topic.
    pub(super) fn channel(
        &mut self,
        name: &str,
        encoding: &str,
        schema: Option<Schema>,
    ) -> io::Result<OutputChannel> {
        let schema = schema.as_ref().map(|schema| OutputSchema {
            name: &schema.name,
            encoding: &schema.encoding,
            data: &schema.data,
        });
        self.file.channel(name, encoding, schema)
    }

    /// Writes the bytes of a message that the caller has encoded.
    pub(super) fn write_bytes(
        &mut self,
        channel: &mut OutputChannel,
        time: Moment,
        message: &[u8],
    ) -> io::Result<()> {
        self.file.write(channel, time, message)
    }

    pub(super) fn write<M: Message>(
        &mut self,
        topic: &mut Topic<M>,
        time: Moment,
        message: &M,
    ) -> io::Result<()> {
        self.message.clear();
        message.encode(&mut self.message)?;
        self.file.write(&mut topic.channel, time, &self.message)
    }

    /// Ends the chunk. The next message begins a new chunk.
    pub(super) fn end_chunk(&mut self) -> io::Result<()> {
        self.file.end_chunk()
    }

    pub(super) fn finish(self) -> io::Result<()> {
        self.file.finish()
    }
}
