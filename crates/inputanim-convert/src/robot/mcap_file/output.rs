//! An MCAP file that is being written.

use std::collections::BTreeMap;
use std::io::{self, Write};

use mcap::records::{MessageHeader, Metadata};
use mcap::write::NoSeek;
use mcap::{McapError, WriteOptions, Writer};

use super::clock::Moment;
use super::provenance::{METADATA, PROGRAM};

/// A file that is being written: one chunk is in memory.
pub(crate) struct Output<W: Write> {
    writer: Writer<NoSeek<W>>,
}

/// A channel of a file that is being written.
pub(crate) struct OutputChannel {
    id: u16,
    sequence: u32,
}

/// A schema: its name, its encoding and its data.
pub(crate) struct OutputSchema<'a> {
    pub(crate) name: &'a str,
    pub(crate) encoding: &'a str,
    pub(crate) data: &'a [u8],
}

impl<W: Write> Output<W> {
    /// Begins an MCAP file. `profile` is the name of the conventions that the file follows, or empty. `options` are the
    /// settings of compression.
    pub(crate) fn new(output: W, profile: &str, options: WriteOptions) -> io::Result<Output<W>> {
        let options = options
            .library(PROGRAM)
            .profile(profile)
            // The output may be a pipe, which cannot seek.
            .disable_seeking(true);
        Ok(Output {
            writer: options.create(NoSeek::new(output)).map_err(io_error)?,
        })
    }

    pub(crate) fn metadata(&mut self, entries: BTreeMap<String, String>) -> io::Result<()> {
        let metadata = Metadata {
            name: METADATA.to_owned(),
            metadata: entries,
        };
        self.writer.write_metadata(&metadata).map_err(io_error)
    }

    /// Adds a channel for the messages on a topic. `encoding` is the encoding of the messages, such as `protobuf`, and
    /// `schema` describes them, if they have a schema.
    pub(crate) fn channel(
        &mut self,
        topic: &str,
        encoding: &str,
        schema: Option<OutputSchema<'_>>,
    ) -> io::Result<OutputChannel> {
        let schema = match schema {
            Some(schema) => self
                .writer
                .add_schema(schema.name, schema.encoding, schema.data)
                .map_err(io_error)?,
            // In MCAP, the number 0 stands for a missing schema.
            None => 0,
        };
        let id = self
            .writer
            .add_channel(schema, topic, encoding, &BTreeMap::new())
            .map_err(io_error)?;
        Ok(OutputChannel { id, sequence: 0 })
    }

    pub(crate) fn write(
        &mut self,
        channel: &mut OutputChannel,
        time: Moment,
        message: &[u8],
    ) -> io::Result<()> {
        let header = MessageHeader {
            channel_id: channel.id,
            sequence: channel.sequence,
            log_time: time.0,
            publish_time: time.0,
        };
        channel.sequence = channel.sequence.wrapping_add(1);
        let written = self.writer.write_to_known_channel(&header, message);
        written.map_err(io_error)
    }

    /// Ends the chunk. The next message begins a new chunk.
    pub(crate) fn end_chunk(&mut self) -> io::Result<()> {
        self.writer.flush().map_err(io_error)
    }

    pub(crate) fn finish(mut self) -> io::Result<()> {
        self.writer.finish().map_err(io_error)?;
        Ok(())
    }
}

/// Converts an error of the MCAP writer to an error of the output. Writing cannot fail for another reason, because
/// records are complete.
fn io_error(error: McapError) -> io::Error {
    match error {
        McapError::Io(error) => error,
        other => io::Error::other(other),
    }
}
