//! Attributes of objects.

use std::borrow::Cow;

use super::dataset::{Dataspace, Datatype};
use super::object::kind;
use super::{Cursor, File, Hdf5Error, Object, btree, fractal_heap};

/// The largest number of attributes of an object that are read. An episode has some tens.
pub(in super::super) const MAX_ATTRIBUTES: usize = 256;

/// The attributes of an object.
#[derive(Default)]
pub(in super::super) struct Attributes<'a> {
    pub(in super::super) all: Vec<Attribute<'a>>,
    /// The number of attributes that are not among them.
    pub(in super::super) ignored: u64,
}

/// The value of an attribute.
pub(in super::super) struct Attribute<'a> {
    pub(in super::super) name: &'a [u8],
    /// The text. Integers become digits. `None` for other types and for arrays.
    pub(in super::super) text: Option<Cow<'a, str>>,
}

impl<'f, 'a> Object<'f, 'a> {
    /// Returns the attributes of the object: the `needed` ones, and others up to [`MAX_ATTRIBUTES`] in total. Attributes of
    /// more than 64 KB are ignored, and those with other names than `needed` also if they are damaged or have an unknown
    /// form.
    pub(in super::super) fn attributes(
        &self,
        needed: &[&str],
    ) -> Result<Attributes<'a>, Hdf5Error> {
        let (mut all, mut ignored) = (Vec::new(), 0);
        let mut add = |cursor: Option<Cursor<'f, 'a>>| {
            let attribute = match cursor {
                Some(cursor) => attribute(self.file, cursor, needed)?,
                None => None,
            };
            let is_needed = |attribute: &Attribute<'_>| is_one_of(needed, attribute.name);
            let is_kept = |attribute: &_| all.len() < MAX_ATTRIBUTES || is_needed(attribute);
            match attribute.filter(is_kept) {
                Some(attribute) => all.push(attribute),
                None => ignored += 1,
            }
            Ok(())
        };
        for message in self.messages(kind::ATTRIBUTE) {
            add(Some(self.open(message, "attribute")?))?;
        }
        if let Some(mut info) = self.message(kind::ATTRIBUTE_INFO, "attribute info message")? {
            info.u8()?;
            let flags = info.u8()?;
            info.take(if flags & 0x01 != 0 { 2 } else { 0 })?;
            if let (Some(heap), Some(index)) = (info.address()?, info.address()?) {
                let heap = fractal_heap::FractalHeap::open(self.file, heap)?;
                btree::records(self.file, index, |mut record| {
                    let offset = record.offset();
                    let id = record.take(8)?;
                    // An attribute of more than 64 KB is stored elsewhere. Such an attribute is not a short text.
                    add(heap.object(id, offset, "dense attribute")?)
                })?;
            }
        }
        Ok(Attributes { all, ignored })
    }
}

fn is_one_of(names: &[&str], name: &[u8]) -> bool {
    names.iter().any(|known| known.as_bytes() == name)
}

/// Parses an attribute message. Returns `None` if it cannot be read and its name is not `needed`.
fn attribute<'a>(
    file: &File<'a>,
    mut cursor: Cursor<'_, 'a>,
    needed: &[&str],
) -> Result<Option<Attribute<'a>>, Hdf5Error> {
    let version = cursor.u8()?;
    if !(1..=3).contains(&version) {
        return Err(cursor.unsupported("version", version));
    }
    let flags = cursor.u8()?;
    let sizes = [cursor.u16()?, cursor.u16()?, cursor.u16()?];
    if version == 3 {
        cursor.u8()?;
    }
    // Version 1 pads each part to a multiple of 8 bytes.
    let padded = |size: u16| match version {
        1 => u64::from(size).next_multiple_of(8),
        _ => u64::from(size),
    };
    let name = cursor.take(padded(sizes[0]))?;
    let name = until_zero(name);
    let is_other = flags & 0x03 != 0 && version > 1;
    let read = if is_other {
        Ok(None)
    } else {
        value(file, cursor, [padded(sizes[1]), padded(sizes[2])])
    };
    match read {
        Ok(text) => Ok(Some(Attribute { name, text })),
        Err(error) if is_one_of(needed, name) => Err(error),
        Err(_) => Ok(None),
    }
}

/// Reads the value of an attribute: a text or an integer. `sizes` are those of its datatype and dataspace. Returns `None` for
/// other types and for arrays.
fn value<'a>(
    file: &File<'a>,
    mut cursor: Cursor<'_, 'a>,
    sizes: [u64; 2],
) -> Result<Option<Cow<'a, str>>, Hdf5Error> {
    let mut datatype = cursor.part(sizes[0], "datatype of an attribute")?;
    let mut dataspace = cursor.part(sizes[1], "dataspace of an attribute")?;
    let datatype = Datatype::read(&mut datatype)?;
    let dataspace = Dataspace::read(&mut dataspace)?;
    if dataspace.count() != Some(1) {
        return Ok(None);
    }
    Ok(match datatype {
        Datatype::Text { size } => {
            let bytes = until_zero(cursor.take(size.into())?);
            Some(String::from_utf8_lossy(bytes.trim_ascii_end()))
        }
        Datatype::VariableText => {
            let length = cursor.u32()?;
            let (heap, index) = (cursor.address()?, cursor.u32()?);
            let bytes = match heap {
                Some(heap) if index != 0 => global_heap_object(file, heap, index)?,
                _ => &[],
            };
            let length = bytes.len().min(length as usize);
            Some(String::from_utf8_lossy(until_zero(&bytes[..length])))
        }
        Datatype::Integer { size: size @ 1..=8 } => {
            let number = cursor.uint(size as u8)?;
            Some(Cow::Owned(number.to_string()))
        }
        _ => None,
    })
}

/// Returns the bytes of the object with the number `index` in a global heap. `collection` is the address of this heap.
/// Fails if the heap does not contain the object.
fn global_heap_object<'a>(
    file: &File<'a>,
    collection: u64,
    index: u32,
) -> Result<&'a [u8], Hdf5Error> {
    const WHAT: &str = "global heap";
    let mut header = file.cursor(collection, WHAT)?;
    header.signature("GCOL", 1)?;
    header.take(3)?;
    let size = header.length()?;
    let begun = header.offset() - collection;
    let too_short = header.invalid("a size that includes the header", size);
    let size = size.checked_sub(begun).ok_or(too_short)?;
    let mut objects = header.part(size, WHAT)?;
    let least = 8 + usize::from(file.length_size);
    while objects.remaining() >= least {
        let found = objects.u16()?;
        objects.take(6)?;
        let size = objects.length()?;
        if found == 0 {
            break;
        }
        let bytes = objects.take(size)?;
        if u32::from(found) == index {
            return Ok(bytes);
        }
        // The last object may lack its padding.
        let padding = size.next_multiple_of(8) - size;
        objects.take(padding.min(objects.remaining() as u64))?;
    }
    Err(objects.invalid("the object of a text", format!("no object {index}")))
}

/// Returns the bytes before the first zero, or all bytes if none is zero.
fn until_zero(bytes: &[u8]) -> &[u8] {
    let end = bytes.iter().position(|&byte| byte == 0);
    &bytes[..end.unwrap_or(bytes.len())]
}
