//! The records of a file, in order.
//!
//! The container's crate takes chunks apart; the way from one record of the file to the next is
//! walked here, so that attachments are passed over and not read, a damaged chunk costs no other,
//! and an error says where.

use mcap::records::op;
use mcap::sans_io::{LinearReadEvent, LinearReader, LinearReaderOptions};
use mcap::{MAGIC, McapError};

use super::damage::{Damage, What};
use super::error::Error;
use super::record::Record;

/// Before the bytes of a record: its kind and their number.
const HEAD: usize = 1 + 8;

/// Most bytes of a chunk or record, so that no number in a file asks for more memory.
const LARGEST: usize = 256 << 20;

/// Hands on every schema, channel and message of the data, and says where the file is damaged first;
/// what can be read is, also after that. Chunks unpack to at most `due` bytes in all.
pub(super) fn each(
    bytes: &[u8],
    mut due: u64,
    mut handle: impl FnMut(Record<'_>) -> Result<Option<What>, Error>,
) -> Result<Option<Damage>, Error> {
    let mut damage = None;
    let mut at = MAGIC.len();
    loop {
        let rest = bytes.get(at..).unwrap_or_default();
        if rest.is_empty() {
            return Ok(damage.or(Some(Damage::new(at, What::Unfinished))));
        }
        let Some(record) = whole(rest) else {
            return Ok(damage.or(Some(Damage::new(at, What::CutOff))));
        };
        let wrong = match record[0] {
            op::DATA_END | op::FOOTER => return Ok(damage),
            op::CHUNK => match unpacked_size(record) {
                // The reader knows what is wrong with it.
                None => read(record, &mut handle)?,
                Some(size) if size > due => Some(What::Large(size)),
                Some(size) => {
                    due -= size;
                    read(record, &mut handle)?
                }
            },
            op::SCHEMA | op::CHANNEL | op::MESSAGE => read(record, &mut handle)?,
            _ => None,
        };
        if damage.is_none() {
            damage = wrong.map(|what| Damage::new(at, what));
        }
        at += record.len();
    }
}

/// The record that bytes begin with.
fn whole(bytes: &[u8]) -> Option<&[u8]> {
    let length = bytes.get(1..HEAD)?.try_into().ok()?;
    let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
    bytes.get(..HEAD.checked_add(length)?)
}

/// What a chunk unpacks to, as it says itself; the reader takes no more of it.
fn unpacked_size(chunk: &[u8]) -> Option<u64> {
    // Behind the times of its first and last message.
    let size = chunk.get(HEAD + 16..HEAD + 24)?.try_into().ok()?;
    Some(u64::from_le_bytes(size))
}

/// Up to where the crate may read a chunk: of one that is not packed it counts the bytes down, and a record
/// that is longer than what is left would take it below zero.
fn sound(record: &[u8]) -> &[u8] {
    let at_record = || {
        // Behind two times, a size and a checksum: the name of how it is packed, and how long it is.
        let name = HEAD + 28..HEAD + 32;
        if record[0] != op::CHUNK || record.get(name)? != [0; 4] {
            return None;
        }
        let length = record.get(HEAD + 32..HEAD + 40)?.try_into().ok()?;
        let length = usize::try_from(u64::from_le_bytes(length)).ok()?;
        let start = HEAD + 40;
        let records = record.get(start..start.checked_add(length)?)?;
        let mut at = 0;
        while at < records.len() {
            match whole(&records[at..]) {
                Some(whole) => at += whole.len(),
                None => return Some(start + at),
            }
        }
        None
    };
    &record[..at_record().unwrap_or(record.len())]
}

/// Hands on a record, or those in a chunk.
fn read(
    record: &[u8],
    mut handle: impl FnMut(Record<'_>) -> Result<Option<What>, Error>,
) -> Result<Option<What>, Error> {
    let mut reader = LinearReader::new_with_options(
        LinearReaderOptions {
            // Before anything in it is used.
            prevalidate_chunk_crcs: true,
            ..LinearReaderOptions::default()
        }
        .with_skip_start_magic(true)
        .with_skip_end_magic(true)
        .with_record_length_limit(LARGEST),
    );
    let mut rest = sound(record);
    let mut first = None;
    while let Some(event) = reader.next_event() {
        let wrong = match event {
            Ok(LinearReadEvent::ReadRequest(wanted)) => {
                let (now, later) = rest.split_at(wanted.min(rest.len()));
                reader.insert(now.len()).copy_from_slice(now);
                reader.notify_read(now.len());
                rest = later;
                None
            }
            Ok(LinearReadEvent::Record { data, opcode }) => {
                match opcode {
                    // No other may be in a chunk.
                    op::SCHEMA | op::CHANNEL | op::MESSAGE => match Record::of(opcode, data) {
                        Some(record) => handle(record)?,
                        None => Some(What::Malformed),
                    },
                    _ => None,
                }
            }
            // There is no way to go on in this one.
            Err(error) => return Ok(first.or(Some(of_chunk(error)))),
        };
        first = first.or(wrong);
    }
    Ok(first)
}

/// The record itself is whole, so that what ends too early is in it.
fn of_chunk(error: McapError) -> What {
    What::Chunk(match error {
        McapError::UnexpectedEof => McapError::UnexpectedEoc,
        error => error,
    })
}
