//! Detection of the formats that MCAP contains.

use std::io::{self, Read, Seek, SeekFrom};

use crate::shared::Format;

/// The opcodes of MCAP records that detection reads (<https://mcap.dev/spec>).
mod opcode {
    pub(super) const HEADER: u8 = 0x01;
    pub(super) const FOOTER: u8 = 0x02;
    pub(super) const SCHEMA: u8 = 0x03;
    pub(super) const CHUNK: u8 = 0x06;
}

/// The largest number of records of an MCAP file that are examined. The schemas are the first records of a summary.
const MAX_RECORDS: usize = 1 << 16;

/// The bytes of the magic at the start and the end of an MCAP file.
const MAGIC_LENGTH: usize = 8;

/// The bytes of the last record: an opcode, a length, two offsets and a checksum.
const FOOTER_LENGTH: usize = 1 + 8 + 8 + 8 + 4;

/// Returns the format of an MCAP file: by its schemas in the summary at the end of the file. The summary of a truncated file
/// is missing, and other files may have a summary without schemas. Then the header and the first records decide.
pub(super) fn detect(head: &[u8], summary: &[u8]) -> Format {
    let mut search = Search {
        records_left: MAX_RECORDS,
        has_schemas: false,
    };
    let start = head.get(MAGIC_LENGTH..).unwrap_or_default();
    let is_isaac = search.finds_isaac(summary, false)
        || !search.has_schemas && search.finds_isaac(start, false);
    if is_isaac {
        Format::Isaac
    } else {
        Format::Mcap
    }
}

/// Reads the first records of the summary of an MCAP file, up to some bytes. They are empty without a summary.
pub(super) fn read_summary(mut file: impl Read + Seek, max_bytes: u64) -> io::Result<Vec<u8>> {
    let size = file.seek(SeekFrom::End(0))?;
    let mut part = Vec::new();
    let Some(end) = size.checked_sub((MAGIC_LENGTH + FOOTER_LENGTH) as u64) else {
        return Ok(part);
    };
    file.seek(SeekFrom::Start(end))?;
    file.by_ref()
        .take(FOOTER_LENGTH as u64)
        .read_to_end(&mut part)?;
    let start = summary_start(&part).filter(|&start| start < end);
    part.clear();
    if let Some(start) = start {
        file.seek(SeekFrom::Start(start))?;
        file.take(max_bytes.min(end - start))
            .read_to_end(&mut part)?;
    }
    Ok(part)
}

/// Returns the offset at which the summary starts, from the footer of an MCAP file. A file may have a footer and no summary.
fn summary_start(footer: &[u8]) -> Option<u64> {
    let (opcode, footer, _) = record(footer)?;
    let start = u64::from_le_bytes(*footer.first_chunk()?);
    (opcode == opcode::FOOTER && start >= MAGIC_LENGTH as u64).then_some(start)
}

/// The search for the format of an MCAP file in its records.
struct Search {
    records_left: usize,
    /// `true` if a schema was among the records.
    has_schemas: bool,
}

impl Search {
    /// Returns `true` if some records contain a schema of Isaac Capture, or the profile of its recorder. Chunks do not
    /// contain chunks, and the depth of calls must be bounded.
    fn finds_isaac(&mut self, mut records: &[u8], is_chunk: bool) -> bool {
        while let Some((opcode, content, rest)) = record(records) {
            let Some(left) = self.records_left.checked_sub(1) else {
                return false;
            };
            self.records_left = left;
            let is_isaac = match opcode {
                opcode::HEADER => text(content).is_some_and(|(profile, _)| profile == b"teleop"),
                opcode::SCHEMA => {
                    self.has_schemas = true;
                    is_isaac_schema(content) == Some(true)
                }
                opcode::CHUNK if !is_chunk => {
                    chunk_records(content).is_some_and(|records| self.finds_isaac(records, true))
                }
                _ => false,
            };
            if is_isaac {
                return true;
            }
            records = rest;
        }
        false
    }
}

/// Returns the opcode and the content of the first record, and the bytes after the record. The content of a truncated record
/// is truncated.
fn record(records: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (opcode, rest) = records.split_first()?;
    let (length, rest) = rest.split_first_chunk()?;
    let length = usize::try_from(u64::from_le_bytes(*length)).unwrap_or(usize::MAX);
    let (content, rest) = rest.split_at(length.min(rest.len()));
    Some((*opcode, content, rest))
}

/// Returns `true` if the schema in a record is one of Isaac Capture.
fn is_isaac_schema(content: &[u8]) -> Option<bool> {
    let (_number, rest) = content.split_first_chunk::<2>()?;
    let (name, rest) = text(rest)?;
    let (encoding, _) = text(rest)?;
    // The schemas of this library are in the files of Isaac Capture that this library writes.
    let is_isaac = [b"core.".as_slice(), b"inputanim."]
        .iter()
        .any(|package| name.starts_with(package));
    Some(is_isaac && name.ends_with(b"Record") && encoding == b"flatbuffer")
}

/// Returns the records of a chunk that is not compressed. Compressed records would need the libraries of the cargo feature.
fn chunk_records(content: &[u8]) -> Option<&[u8]> {
    // Two times, the size and the checksum come before the compression.
    let (compression, rest) = text(content.get(8 + 8 + 8 + 4..)?)?;
    let records = rest.get(8..)?;
    compression.is_empty().then_some(records)
}

/// Returns a text and the bytes after the text.
fn text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let length = usize::try_from(u32::from_le_bytes(*length)).ok()?;
    rest.split_at_checked(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a record of MCAP.
    fn record_of(opcode: u8, content: &[u8]) -> Vec<u8> {
        let length = (content.len() as u64).to_le_bytes();
        [&[opcode], length.as_slice(), content].concat()
    }

    /// Returns a text of MCAP.
    fn text_of(text: &str) -> Vec<u8> {
        let length = (text.len() as u32).to_le_bytes();
        [length.as_slice(), text.as_bytes()].concat()
    }

    fn schema(name: &str, encoding: &str) -> Vec<u8> {
        let parts = [vec![1, 0], text_of(name), text_of(encoding), vec![0; 4]];
        record_of(opcode::SCHEMA, &parts.concat())
    }

    const MAGIC: &[u8] = b"\x89MCAP0\r\n";

    fn mcap_header(profile: &str) -> Vec<u8> {
        let parts = [text_of(profile), text_of("test")];
        record_of(opcode::HEADER, &parts.concat())
    }

    /// Returns an MCAP file with some records in its data section and in its summary.
    fn mcap(profile: &str, data: &[u8], summary: &[u8]) -> Vec<u8> {
        let header = mcap_header(profile);
        let start = MAGIC.len() + header.len() + data.len();
        let start = if summary.is_empty() { 0 } else { start as u64 };
        let footer = [start.to_le_bytes().as_slice(), &[0; 12]].concat();
        let footer = record_of(opcode::FOOTER, &footer);
        [MAGIC, &header, data, summary, &footer, MAGIC].concat()
    }

    /// Detects the format of bytes in memory, and of a file with these bytes.
    fn detect(bytes: &[u8]) -> Format {
        let found = Format::detect(bytes);
        let of_file = crate::detect::detect_file(io::Cursor::new(bytes));
        assert_eq!(of_file.unwrap(), found);
        found.unwrap()
    }

    #[test]
    fn isaac_is_detected_by_its_schemas() {
        let isaac = schema("core.HandPoseRecord", "flatbuffer");
        let own = schema("inputanim.GazeRecord", "flatbuffer");
        let other = [
            schema("foxglove.FrameTransforms", "protobuf"),
            schema("core.HandPoseRecord", "protobuf"),
            schema("inputanim.States", "protobuf"),
            schema("other.PoseRecord", "flatbuffer"),
        ];
        let chunk = |compression: &str| {
            let size = isaac.len() as u64;
            let parts = [
                vec![0; 8 + 8 + 8 + 4],
                text_of(compression),
                size.to_le_bytes().to_vec(),
                isaac.clone(),
            ];
            record_of(opcode::CHUNK, &parts.concat())
        };
        let unknown = record_of(0x7f, &[1, 2, 3]);
        let cases: [(Vec<u8>, Format); 12] = [
            (mcap("", &[], &isaac), Format::Isaac),
            (mcap("", &[], &own), Format::Isaac),
            (
                mcap("", &[], &[unknown, isaac.clone()].concat()),
                Format::Isaac,
            ),
            (mcap("", &[], &other.concat()), Format::Mcap),
            // The summary contains every schema, so the data section does not count.
            (mcap("", &isaac, &other.concat()), Format::Mcap),
            (mcap("", &isaac, &[]), Format::Isaac),
            (mcap("", &isaac, &record_of(0x0b, &[0; 4])), Format::Isaac),
            (mcap("", &chunk(""), &[]), Format::Isaac),
            (mcap("", &chunk("zstd"), &[]), Format::Mcap),
            (mcap("teleop", &chunk("zstd"), &[]), Format::Isaac),
            (mcap("ros1", &[], &[]), Format::Mcap),
            (MAGIC.to_vec(), Format::Mcap),
        ];
        for (index, (bytes, format)) in cases.iter().enumerate() {
            assert_eq!(detect(bytes), *format, "case {index}");
        }
        // The first schema is behind the header. Its name and encoding are before the length of its data.
        let truncated = mcap("", &chunk(""), &isaac);
        let schema_end = MAGIC.len() + mcap_header("").len() + chunk("").len() - 4;
        for end in MAGIC.len()..truncated.len() {
            let expected = match end < schema_end {
                true => Format::Mcap,
                false => Format::Isaac,
            };
            assert_eq!(detect(&truncated[..end]), expected, "{end}");
        }
    }

    /// A file that counts the bytes that are read.
    struct Counted<'b> {
        file: io::Cursor<&'b [u8]>,
        bytes: usize,
    }

    impl Read for Counted<'_> {
        fn read(&mut self, bytes: &mut [u8]) -> io::Result<usize> {
            let count = self.file.read(bytes)?;
            self.bytes += count;
            Ok(count)
        }
    }

    impl Seek for Counted<'_> {
        fn seek(&mut self, position: SeekFrom) -> io::Result<u64> {
            self.file.seek(position)
        }
    }

    #[test]
    fn a_large_file_is_not_read_completely() {
        const HEAD: usize = crate::detect::MAX_HEAD_BYTES;
        let large = record_of(0x7f, &vec![0; 4 * HEAD]);
        let isaac = schema("core.HandPoseRecord", "flatbuffer");
        let bytes = mcap("", &large, &isaac);
        let mut file = Counted {
            file: io::Cursor::new(&bytes),
            bytes: 0,
        };
        let found = crate::detect::detect_file(&mut file).unwrap();
        assert_eq!(found, Some(Format::Isaac));
        assert_eq!(file.bytes, HEAD + FOOTER_LENGTH + isaac.len());
        // A large summary is not read completely either.
        let bytes = mcap("", &[], &[isaac, large].concat());
        assert_eq!(detect(&bytes), Format::Isaac);
    }

    #[test]
    fn detection_of_mcap_takes_bounded_time() {
        let records = [0_u8; 9].repeat(4 * MAX_RECORDS);
        let isaac = schema("core.HandPoseRecord", "flatbuffer");
        let late = mcap("", &[records, isaac].concat(), &[]);
        assert_eq!(detect(&late), Format::Mcap);
    }
}
