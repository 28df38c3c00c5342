//! Checked access to the tables of a FlatBuffers message (<https://flatbuffers.dev/internals/>).
//!
//! The crates for FlatBuffers give access through unsafe functions, or through code that a compiler generates from the
//! `.fbs` files of NVIDIA. Messages of this format use few kinds of fields, so they are read here. Every offset is
//! checked against the end of the message before it is used.

/// A message that does not have the structure of FlatBuffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at byte {offset} of {length}")]
pub struct Malformed {
    /// The part of the message that cannot be read, such as `a table`.
    expected: &'static str,
    /// The offset of the part in the message.
    offset: usize,
    /// The length of the message.
    length: usize,
}

/// A table. Fields are found by the number that the schema calls `id`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Table<'a> {
    message: &'a [u8],
    /// The offset of the table in the message.
    start: usize,
    /// The offsets of the fields within the table as 16-bit numbers. 0 stands for an absent field.
    fields: &'a [u8],
}

/// The bytes of an offset to another part of the message.
const OFFSET: usize = 4;
/// The size of the two lengths at the start of a list of field offsets: the length of the list and the length of the table.
const LENGTHS: usize = 4;

impl<'a> Table<'a> {
    /// Returns the root table of a message.
    pub(super) fn root(message: &'a [u8]) -> Result<Table<'a>, Malformed> {
        let start = target(message, 0, "the root table")?;
        Table::at(message, start)
    }

    fn at(message: &'a [u8], start: usize) -> Result<Table<'a>, Malformed> {
        const WHAT: &str = "a table";
        let malformed = |offset| malformed(message, WHAT, offset);
        let back = i32::from_le_bytes(*array(message, start, WHAT)?);
        // The list of field offsets may be before or after the table.
        let list = i64::try_from(start).ok();
        let list = list.and_then(|start| start.checked_sub(i64::from(back)));
        let list = list.and_then(|list| usize::try_from(list).ok());
        let list = list.ok_or(malformed(start))?;
        let length = usize::from(u16::from_le_bytes(*array(message, list, WHAT)?));
        let end = list.checked_add(length).filter(|_| length >= LENGTHS);
        let fields = end.and_then(|end| message.get(list + LENGTHS..end));
        Ok(Table {
            message,
            start,
            fields: fields.ok_or(malformed(list))?,
        })
    }

    /// Returns the offset of a field in the message; `None` if the table does not have the field.
    fn field(&self, id: u16) -> Option<usize> {
        let place = 2 * usize::from(id);
        let offset = self.fields.get(place..)?.first_chunk()?;
        let offset = usize::from(u16::from_le_bytes(*offset));
        // A message is shorter than half of the address space, so the sum does not overflow.
        (offset != 0).then(|| self.start + offset)
    }

    /// Returns the `N` bytes of a field that is a number or a struct; `None` if the table does not have the field.
    pub(super) fn inline<const N: usize>(&self, id: u16) -> Result<Option<&'a [u8; N]>, Malformed> {
        let field = self.field(id);
        field
            .map(|field| array(self.message, field, "a field"))
            .transpose()
    }

    /// Returns the value of a field that is `bool`. An absent field is `false`.
    pub(super) fn flag(&self, id: u16) -> Result<bool, Malformed> {
        Ok(self.inline::<1>(id)?.is_some_and(|&[flag]| flag != 0))
    }

    /// Returns the value of a field that is `ulong`. An absent field is 0.
    pub(super) fn ulong(&self, id: u16) -> Result<u64, Malformed> {
        Ok(self
            .inline(id)?
            .map_or(0, |bytes| u64::from_le_bytes(*bytes)))
    }

    /// Returns a field that is a table; `None` if the table does not have the field.
    pub(super) fn table(&self, id: u16) -> Result<Option<Table<'a>>, Malformed> {
        let Some(field) = self.field(id) else {
            return Ok(None);
        };
        let start = target(self.message, field, "a table")?;
        Table::at(self.message, start).map(Some)
    }

    /// Returns the bytes of a field that is a string or a vector of bytes; `None` if the table does not have the field.
    pub(super) fn bytes(&self, id: u16) -> Result<Option<&'a [u8]>, Malformed> {
        self.vector(id, 1)
    }

    /// Returns the tables of a field that is a vector of tables. An absent vector is empty.
    pub(super) fn tables(
        &self,
        id: u16,
    ) -> Result<impl Iterator<Item = Result<Table<'a>, Malformed>> + use<'a>, Malformed> {
        let message = self.message;
        let bytes = self.vector(id, OFFSET)?.unwrap_or_default();
        let first = self
            .field(id)
            .map(|field| target(message, field, "a vector"));
        let first = first.transpose()?.unwrap_or_default() + OFFSET;
        let offsets = (first..).step_by(OFFSET).take(bytes.len() / OFFSET);
        Ok(offsets.map(move |offset| Table::at(message, target(message, offset, "a table")?)))
    }

    /// Returns the bytes of all elements of a field that is a vector; `None` if the table does not have the field.
    /// `size` is the number of bytes of an element.
    fn vector(&self, id: u16, size: usize) -> Result<Option<&'a [u8]>, Malformed> {
        const WHAT: &str = "a vector";
        let Some(field) = self.field(id) else {
            return Ok(None);
        };
        let start = target(self.message, field, WHAT)?;
        let count = u32::from_le_bytes(*array(self.message, start, WHAT)?);
        let first = start + OFFSET;
        let length = usize::try_from(count).ok();
        let length = length.and_then(|count| count.checked_mul(size));
        let end = length.and_then(|length| first.checked_add(length));
        let bytes = end.and_then(|end| self.message.get(first..end));
        let bytes = bytes.ok_or(malformed(self.message, WHAT, start))?;
        Ok(Some(bytes))
    }
}

/// Reads the 32-bit offset at the position `place` of a message, and returns the position to which it points. `what`
/// names the target for errors.
fn target(message: &[u8], place: usize, what: &'static str) -> Result<usize, Malformed> {
    let offset = u32::from_le_bytes(*array(message, place, what)?);
    let target = usize::try_from(offset).ok();
    let target = target.and_then(|offset| place.checked_add(offset));
    target.ok_or(malformed(message, what, place))
}

fn array<'a, const N: usize>(
    message: &'a [u8],
    place: usize,
    what: &'static str,
) -> Result<&'a [u8; N], Malformed> {
    let bytes = message.get(place..).and_then(<[u8]>::first_chunk);
    bytes.ok_or(malformed(message, what, place))
}

fn malformed(message: &[u8], expected: &'static str, offset: usize) -> Malformed {
    Malformed {
        expected,
        offset,
        length: message.len(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::value::{Value, encode};
    use super::*;

    fn message() -> Vec<u8> {
        let inner = |number| vec![(0, Value::Ulong(number))];
        let root = [
            (0, Value::Bool(true)),
            (1, Value::Table(inner(7))),
            (2, Value::Text("ab")),
            (4, Value::Tables(vec![inner(8), inner(9)])),
            (5, Value::Struct(&[1, 2, 3, 4, 5, 6, 7, 8], 8)),
            (6, Value::Bytes(&[1, 2, 3])),
        ];
        encode(&root, None)
    }

    fn read(message: &[u8]) -> Result<Vec<u64>, Malformed> {
        let root = Table::root(message)?;
        let mut numbers = vec![u64::from(root.flag(0)?), u64::from(root.flag(3)?)];
        if let Some(inner) = root.table(1)? {
            numbers.push(inner.ulong(0)?);
        }
        for table in root.tables(4)? {
            numbers.push(table?.ulong(0)?);
        }
        numbers.push(root.ulong(5)?);
        let texts = [root.bytes(2)?, root.bytes(6)?].into_iter().flatten();
        numbers.extend(texts.flatten().map(|&byte| u64::from(byte)));
        Ok(numbers)
    }

    #[test]
    fn fields_of_every_kind_are_read() {
        let number = u64::from_le_bytes([1, 2, 3, 4, 5, 6, 7, 8]);
        let expected = [1, 0, 7, 8, 9, number, 97, 98, 1, 2, 3];
        assert_eq!(read(&message()).unwrap(), expected);
    }

    #[test]
    fn damaged_messages_are_errors_or_other_values() {
        let message = message();
        for end in 0..message.len() {
            let _ = read(&message[..end]);
        }
        assert!(read(&message[..8]).is_err());
        for at in 0..message.len() {
            for byte in [0, 1, 0x7f, 0x80, 0xff] {
                let mut message = message.clone();
                message[at] = byte;
                let _ = read(&message);
            }
        }
        let error = Table::root(&[0xff; 4]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "expected a table at byte 4294967295 of 4"
        );
    }
}
