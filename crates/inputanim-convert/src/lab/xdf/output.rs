//! Chunks that are written.

use std::io::{self, Write};

use super::chunks::{BOUNDARY, tag};

/// Writes chunks.
#[derive(Debug)]
pub(super) struct Output<W> {
    output: W,
}

impl<W: Write> Output<W> {
    pub(super) fn new(output: W) -> Output<W> {
        Output { output }
    }

    /// Writes bytes unchanged, without the length and the tag of a chunk.
    pub(super) fn raw(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.output.write_all(bytes)
    }

    /// Writes a chunk: its length, its tag, and the parts of its content, one after the other.
    pub(super) fn chunk(&mut self, tag: u16, parts: &[&[u8]]) -> io::Result<()> {
        let content: usize = parts.iter().map(|part| part.len()).sum();
        let mut head = Vec::new();
        push_length(&mut head, content as u64 + 2);
        head.extend(tag.to_le_bytes());
        self.output.write_all(&head)?;
        for part in parts {
            self.output.write_all(part)?;
        }
        Ok(())
    }

    /// Writes a boundary chunk, from which readers continue after damage.
    pub(super) fn boundary(&mut self) -> io::Result<()> {
        self.chunk(tag::BOUNDARY, &[&BOUNDARY])
    }

    pub(super) fn flush(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Appends an integer of variable size to `bytes`: the number of its bytes (1, 4 or 8), and these bytes.
pub(super) fn push_length(bytes: &mut Vec<u8>, length: u64) {
    if let Ok(short) = u8::try_from(length) {
        bytes.extend([1, short]);
    } else if let Ok(long) = u32::try_from(length) {
        bytes.push(4);
        bytes.extend(long.to_le_bytes());
    } else {
        bytes.push(8);
        bytes.extend(length.to_le_bytes());
    }
}
