//! Writes FlatBuffers messages (<https://flatbuffers.dev/internals/>).
//!
//! The builder of the crate `flatbuffers` takes structs only from code that its compiler generates, or through an unsafe
//! trait. Messages of this format are small trees, so they are written here from the root on.

/// The value of a field.
pub(super) enum Value<'a> {
    Bool(bool),
    Byte(u8),
    Ushort(u16),
    Int(i32),
    Ulong(u64),
    /// The bytes of a struct and its alignment.
    Struct(&'a [u8], usize),
    Text(&'a str),
    Bytes(&'a [u8]),
    Table(Vec<Field<'a>>),
    Tables(Vec<Vec<Field<'a>>>),
}

/// The `id` and the value of a field.
pub(super) type Field<'a> = (u16, Value<'a>);

/// Encodes a FlatBuffers message from the fields of its root table. `identifier` is the file identifier, for messages
/// that have one.
pub(super) fn encode(root: &[Field<'_>], identifier: Option<[u8; 4]>) -> Vec<u8> {
    let mut message = Vec::new();
    let place = reserve_offset(&mut message);
    message.extend(identifier.into_iter().flatten());
    write_table(root, place, &mut message);
    message
}

/// Appends a table, and the tables, texts and vectors of its fields, to a message. Sets the offset at the position
/// `place`, so that it points to the table.
fn write_table(fields: &[Field<'_>], place: usize, message: &mut Vec<u8>) {
    let count = fields.iter().map(|(id, _)| usize::from(*id) + 1).max();
    let list_length = 4 + 2 * count.unwrap_or(0);
    // The table follows the list of its field offsets, and must be aligned to 4 bytes.
    align(message, 2);
    if !(message.len() + list_length).is_multiple_of(4) {
        message.extend([0; 2]);
    }
    let list = message.len();
    message.resize(list + list_length, 0);
    let table = message.len();
    set_offset(message, place, table);
    message.extend(long(list_length));
    let mut references = Vec::new();
    for (id, value) in fields {
        align(message, value.alignment());
        let field = message.len();
        let entry = list + 4 + 2 * usize::from(*id);
        message[entry..entry + 2].copy_from_slice(&short(field - table));
        match value {
            Value::Bool(flag) => message.push(u8::from(*flag)),
            Value::Byte(number) => message.push(*number),
            Value::Ushort(number) => message.extend(number.to_le_bytes()),
            Value::Int(number) => message.extend(number.to_le_bytes()),
            Value::Ulong(number) => message.extend(number.to_le_bytes()),
            Value::Struct(bytes, _) => message.extend_from_slice(bytes),
            Value::Text(_) | Value::Bytes(_) | Value::Table(_) | Value::Tables(_) => {
                references.push((reserve_offset(message), value));
            }
        }
    }
    let table_length = message.len() - table;
    message[list..list + 2].copy_from_slice(&short(list_length));
    message[list + 2..list + 4].copy_from_slice(&short(table_length));
    for (place, value) in references {
        match value {
            Value::Table(fields) => write_table(fields, place, message),
            Value::Tables(tables) => {
                begin_vector(place, tables.len(), message);
                let places: Vec<usize> = tables.iter().map(|_| reserve_offset(message)).collect();
                for (place, fields) in places.into_iter().zip(tables) {
                    write_table(fields, place, message);
                }
            }
            Value::Text(text) => {
                begin_vector(place, text.len(), message);
                message.extend_from_slice(text.as_bytes());
                // Readers in C expect a zero after the text, which does not count.
                message.push(0);
            }
            Value::Bytes(bytes) => {
                begin_vector(place, bytes.len(), message);
                message.extend_from_slice(bytes);
            }
            _ => {}
        }
    }
}

impl Value<'_> {
    fn alignment(&self) -> usize {
        match self {
            Value::Bool(_) | Value::Byte(_) => 1,
            Value::Ushort(_) => 2,
            Value::Ulong(_) => 8,
            Value::Struct(_, alignment) => *alignment,
            _ => 4,
        }
    }
}

fn align(message: &mut Vec<u8>, alignment: usize) {
    message.resize(message.len().next_multiple_of(alignment), 0);
}

/// Appends four zero bytes for an offset, aligned to 4 bytes, and returns their position in the message. [`set_offset`]
/// sets the offset later.
fn reserve_offset(message: &mut Vec<u8>) -> usize {
    align(message, 4);
    let place = message.len();
    message.extend([0; 4]);
    place
}

/// Sets the offset at the position `place`, so that it points to the position `target`.
fn set_offset(message: &mut [u8], place: usize, target: usize) {
    message[place..place + 4].copy_from_slice(&long(target - place));
}

/// Appends the number of elements of a vector, and sets the offset at the position `place`, so that it points to this
/// number.
fn begin_vector(place: usize, length: usize, message: &mut Vec<u8>) {
    align(message, 4);
    let target = message.len();
    set_offset(message, place, target);
    message.extend(long(length));
}

/// Returns the little-endian bytes of a number of 16 bits. Tables of this format are shorter than 64 KiB.
fn short(number: usize) -> [u8; 2] {
    debug_assert!(u16::try_from(number).is_ok());
    (number as u16).to_le_bytes()
}

/// Returns the little-endian bytes of a number of 32 bits. Messages of this format are shorter than 4 GiB.
fn long(number: usize) -> [u8; 4] {
    debug_assert!(u32::try_from(number).is_ok());
    (number as u32).to_le_bytes()
}
