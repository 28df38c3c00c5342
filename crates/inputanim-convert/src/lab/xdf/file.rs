//! The streams of a file.

use std::collections::HashMap;

use inputanim::Limits;

use super::chunks::{Cause, Chunk, Chunks, Damage, MAGIC, tag};
use super::error::XdfError;
use super::header::{StreamHeader, sample_count};
use super::samples::SampleChunk;
use crate::shared::Error;
use crate::shared::limits::check_limit;

/// The largest number of clock offsets: fifteen days of one stream. A fit takes a thousand steps for each.
const MAX_CLOCK_OFFSETS: u64 = 1 << 18;

/// The largest number of streams. Laboratories record some tens of streams.
const MAX_STREAMS: u64 = 4096;

/// A file.
#[derive(Debug)]
pub(super) struct XdfFile<'a> {
    /// The streams, in the order of their headers.
    pub(super) streams: Vec<Stream<'a>>,
    pub(super) damage: Damage,
}

/// A stream.
#[derive(Debug)]
pub(super) struct Stream<'a> {
    pub(super) header: StreamHeader,
    pub(super) chunks: Vec<SampleChunk<'a>>,
    pub(super) offsets: Vec<ClockOffset>,
    /// The number of samples that the footer states.
    pub(super) footer_samples: Option<usize>,
}

/// A measured difference of two clocks, in seconds.
#[derive(Clone, Copy, Debug)]
pub(super) struct ClockOffset {
    /// The time of the stream's clock.
    pub(super) time: f64,
    /// The difference to the clock of the recorder.
    pub(super) value: f64,
}

impl Stream<'_> {
    /// Returns the number of samples of the stream.
    pub(super) fn samples(&self) -> usize {
        self.chunks.iter().map(|chunk| chunk.count).sum()
    }
}

impl<'a> XdfFile<'a> {
    /// Parses the chunks of a file, and checks the sizes of all samples. Fails if the bytes are not XDF or exceed a
    /// limit. Damaged chunks are skipped, and the result states the damage.
    pub(super) fn parse(bytes: &'a [u8], limits: &Limits) -> Result<XdfFile<'a>, Error> {
        if !bytes.starts_with(&MAGIC) {
            return Err(XdfError::NotXdf.into());
        }
        check_limit(bytes.len() as u64, limits.max_bytes, "bytes")?;
        let mut parser = Parser {
            chunks: Chunks::new(bytes),
            streams: Vec::new(),
            by_id: HashMap::new(),
            offsets: 0,
        };
        while let Some(chunk) = parser.chunks.next() {
            parser.chunk(&chunk)?;
        }
        Ok(XdfFile {
            streams: parser.streams,
            damage: parser.chunks.into_damage(),
        })
    }

    /// Returns the name with which a mapping selects a stream: its own name, or `NAME#2` for the second of several
    /// streams with this name. `stream` is the index of the stream.
    pub(super) fn label(&self, stream: usize) -> String {
        let name = |index: usize| &*self.streams[index].header.name;
        let others = (0..self.streams.len()).filter(|&index| name(index) == name(stream));
        if others.count() == 1 {
            return name(stream).to_owned();
        }
        let before = (0..stream).filter(|&index| name(index) == name(stream));
        format!("{}#{}", name(stream), before.count() + 1)
    }
}

struct Parser<'a> {
    chunks: Chunks<'a>,
    streams: Vec<Stream<'a>>,
    /// The index of each stream by its id.
    by_id: HashMap<u32, usize>,
    /// The number of clock offsets of all streams.
    offsets: u64,
}

impl<'a> Parser<'a> {
    fn chunk(&mut self, chunk: &Chunk<'a>) -> Result<(), Error> {
        let is_of_stream = matches!(
            chunk.tag,
            tag::STREAM_HEADER | tag::SAMPLES | tag::CLOCK_OFFSET | tag::STREAM_FOOTER
        );
        if !is_of_stream {
            return Ok(());
        }
        let Some((id, content)) = chunk.split_id() else {
            self.chunks.reject(chunk, Cause::NoId);
            return Ok(());
        };
        if chunk.tag == tag::STREAM_HEADER {
            match StreamHeader::parse(id, content) {
                Ok(header) => self.header(chunk, header)?,
                Err(problem) => self.chunks.note(chunk.offset, Cause::Header(id, problem)),
            }
            return Ok(());
        }
        let index = self.by_id.get(&id).copied();
        let Some(stream) = index.and_then(|index| self.streams.get_mut(index)) else {
            self.chunks.note(chunk.offset, Cause::UnknownStream(id));
            return Ok(());
        };
        match chunk.tag {
            tag::SAMPLES => match SampleChunk::check(&stream.header, content) {
                Some(samples) => stream.chunks.push(samples),
                None => self.chunks.reject(chunk, Cause::Samples(id)),
            },
            tag::CLOCK_OFFSET => match clock_offset(content) {
                Some(offset) => {
                    self.offsets += 1;
                    check_limit(self.offsets, MAX_CLOCK_OFFSETS, "clock offsets")?;
                    stream.offsets.push(offset);
                }
                None => self.chunks.note(chunk.offset, Cause::ClockOffset(id)),
            },
            _ => match sample_count(content) {
                Ok(count) => stream.footer_samples = count,
                Err(problem) => self.chunks.note(chunk.offset, Cause::Footer(id, problem)),
            },
        }
        Ok(())
    }

    fn header(&mut self, chunk: &Chunk<'a>, header: StreamHeader) -> Result<(), Error> {
        let id = header.id;
        let stream = Stream {
            header,
            chunks: Vec::new(),
            offsets: Vec::new(),
            footer_samples: None,
        };
        match self
            .by_id
            .get(&id)
            .and_then(|&index| self.streams.get_mut(index))
        {
            // The last header counts, as for other readers.
            Some(other) => {
                *other = stream;
                self.chunks.note(chunk.offset, Cause::SecondHeader(id));
            }
            None => {
                self.by_id.insert(id, self.streams.len());
                self.streams.push(stream);
                check_limit(self.streams.len() as u64, MAX_STREAMS, "streams")?;
            }
        }
        Ok(())
    }
}

fn clock_offset(content: &[u8]) -> Option<ClockOffset> {
    let (time, rest) = content.split_first_chunk()?;
    let value = rest.try_into().ok()?;
    let offset = ClockOffset {
        time: f64::from_le_bytes(*time),
        value: f64::from_le_bytes(value),
    };
    (offset.time.is_finite() && offset.value.is_finite()).then_some(offset)
}
