//! Writing a pack.

use std::collections::HashSet;
use std::io::{self, Read, Write};
use std::time::{SystemTime, UNIX_EPOCH};

use crc32fast::Hasher;

use super::records::{ATTACHMENT, MAGIC, op, record, text};
use super::{MAX_INDEX_BYTES, PROFILE, PackError, VERSION, check_name};

/// Writes a pack, file by file.
///
/// ```
/// use inputanim_convert::packs::PackWriter;
/// let mut writer = PackWriter::new(Vec::new())?;
/// writer.add("a.bin", None, 2, &b"ab"[..])?;
/// let error = writer.add("../a.bin", None, 0, &b""[..]).unwrap_err();
/// assert_eq!(error.to_string(), "the name \"../a.bin\" is not a relative path inside of a folder");
/// let pack = writer.finish()?;
/// assert!(pack.starts_with(b"\x89MCAP0\r\n"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct PackWriter<W> {
    output: W,
    /// The number of bytes that are written.
    position: u64,
    /// The checksum of these bytes.
    crc: Hasher,
    names: HashSet<String>,
    /// The records of the index of attachments.
    index: Vec<u8>,
    /// The record of the index of metadata.
    metadata_index: Vec<u8>,
}

impl<W: Write> PackWriter<W> {
    /// Writes the beginning of a pack.
    ///
    /// # Errors
    /// When the output fails.
    pub fn new(output: W) -> io::Result<PackWriter<W>> {
        let mut writer = PackWriter {
            output,
            position: 0,
            crc: Hasher::new(),
            names: HashSet::new(),
            index: Vec::new(),
            metadata_index: Vec::new(),
        };
        writer.write(&MAGIC)?;
        let library = concat!("inputanim ", env!("CARGO_PKG_VERSION"));
        let header = [text(PROFILE), text(library)].concat();
        writer.write(&record(op::HEADER, &header))?;
        let entry = [text("version"), text(VERSION)].concat();
        let length = (entry.len() as u32).to_le_bytes().to_vec();
        let metadata = record(op::METADATA, &[text(PROFILE), length, entry].concat());
        let place = [writer.position, metadata.len() as u64].map(u64::to_le_bytes);
        let index = [place.concat(), text(PROFILE)].concat();
        writer.metadata_index = record(op::METADATA_INDEX, &index);
        writer.write(&metadata)?;
        Ok(writer)
    }

    /// Adds a file of `bytes` bytes. `name` is its path in the folder, with slashes, and `modified` the time of its last change.
    ///
    /// # Errors
    /// When the name is not a relative path that stays in its folder, is the name of a pack, or is already in the pack; when the
    /// content has another number of bytes, after which the pack cannot be finished; and when reading or writing fails.
    pub fn add(
        &mut self,
        name: &str,
        modified: Option<SystemTime>,
        bytes: u64,
        mut content: impl Read,
    ) -> io::Result<()> {
        check_name(name)?;
        // Times before 1970 are not representable, and count as unknown.
        let time = modified.and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let time = time.and_then(|time| u64::try_from(time.as_nanos()).ok());
        let times = [time.unwrap_or(0), 0].map(u64::to_le_bytes).concat();
        let names = [text(name), text("")].concat();
        let length = ATTACHMENT
            .checked_add(name.len() as u64 + bytes)
            .ok_or(PackError::Changed)?;
        let place = [self.position, length].map(u64::to_le_bytes).concat();
        let size = bytes.to_le_bytes();
        let index = [&*place, &times, &size, &names].concat();
        let index = record(op::ATTACHMENT_INDEX, &index);
        if (self.index.len() + index.len()) as u64 > MAX_INDEX_BYTES / 2 {
            return Err(PackError::TooManyFiles.into());
        }
        if !self.names.insert(name.to_owned()) {
            return Err(PackError::DuplicateName(name.to_owned()).into());
        }
        self.index.extend(index);
        self.write(&[op::ATTACHMENT])?;
        self.write(&(length - super::records::PREFIX as u64).to_le_bytes())?;
        let mut crc = Hasher::new();
        let head = [&*times, &names, &size].concat();
        self.write_checked(&head, &mut crc)?;
        let mut left = bytes;
        let mut buffer = vec![0; 1 << 16];
        loop {
            // One byte more shows that the content is longer.
            let most = usize::try_from(left.saturating_add(1)).unwrap_or(usize::MAX);
            let most = most.min(buffer.len());
            let read = match content.read(&mut buffer[..most]) {
                Ok(0) => break,
                Ok(read) => read,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(error) => return Err(error),
            };
            left = left.checked_sub(read as u64).ok_or(PackError::Changed)?;
            self.write_checked(&buffer[..read], &mut crc)?;
        }
        if left > 0 {
            return Err(PackError::Changed.into());
        }
        let sum = crc.clone().finalize().to_le_bytes();
        self.crc.combine(&crc);
        self.write(&sum)
    }

    /// Returns the number of files.
    pub fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns `true` if the pack has no files yet.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Writes the index, and returns the output.
    ///
    /// # Errors
    /// When the output fails.
    pub fn finish(mut self) -> io::Result<W> {
        let data_crc = self.crc.clone().finalize();
        self.write(&record(op::DATA_END, &data_crc.to_le_bytes()))?;
        let count = |count: usize| (count as u32).to_le_bytes();
        let statistics = [
            // Messages, schemas, channels.
            &[0; 8 + 2 + 4][..],
            &count(self.names.len()),
            &count(1),
            // Chunks, the times of the first and the last message, the messages of each channel.
            &[0; 4 + 8 + 8 + 4],
        ];
        let groups = [
            (op::ATTACHMENT_INDEX, std::mem::take(&mut self.index)),
            (op::METADATA_INDEX, std::mem::take(&mut self.metadata_index)),
            (op::STATISTICS, record(op::STATISTICS, &statistics.concat())),
        ];
        let start = self.position;
        let mut summary = Vec::new();
        let mut offsets = Vec::new();
        for (opcode, records) in groups
            .into_iter()
            .filter(|(_, records)| !records.is_empty())
        {
            let place = [start + summary.len() as u64, records.len() as u64];
            let offset = [&[opcode], &*place.map(u64::to_le_bytes).concat()].concat();
            offsets.extend(record(op::SUMMARY_OFFSET, &offset));
            summary.extend(records);
        }
        let place = [start, start + summary.len() as u64];
        summary.extend(offsets);
        // The checksum covers the summary and the footer up to the checksum.
        let place = place.map(u64::to_le_bytes).concat();
        let mut footer = record(op::FOOTER, &[&*place, &[0; 4]].concat());
        footer.truncate(footer.len() - 4);
        summary.extend(footer);
        let crc = crc32fast::hash(&summary);
        self.output.write_all(&summary)?;
        self.output.write_all(&crc.to_le_bytes())?;
        self.output.write_all(&MAGIC)?;
        self.output.flush()?;
        Ok(self.output)
    }

    /// Writes bytes that count for the checksum of all data.
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.crc.update(bytes);
        self.position += bytes.len() as u64;
        self.output.write_all(bytes)
    }

    /// Writes bytes of an attachment, whose checksum is added to the checksum of all data later.
    fn write_checked(&mut self, bytes: &[u8], crc: &mut Hasher) -> io::Result<()> {
        crc.update(bytes);
        self.position += bytes.len() as u64;
        self.output.write_all(bytes)
    }
}
