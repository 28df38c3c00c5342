//! Object headers: the messages of groups and datasets.

use super::{Cursor, File, Hdf5Error};

/// The largest number of messages that a header may have. Writers store more attributes or links elsewhere.
const MAX_MESSAGES: usize = 1 << 16;

/// The types of the messages that are read.
pub(super) mod kind {
    pub(in super::super) const DATASPACE: u16 = 0x01;
    pub(in super::super) const LINK_INFO: u16 = 0x02;
    pub(in super::super) const DATATYPE: u16 = 0x03;
    pub(in super::super) const LINK: u16 = 0x06;
    pub(in super::super) const LAYOUT: u16 = 0x08;
    pub(in super::super) const FILTERS: u16 = 0x0b;
    pub(in super::super) const ATTRIBUTE: u16 = 0x0c;
    pub(super) const CONTINUATION: u16 = 0x10;
    pub(in super::super) const SYMBOL_TABLE: u16 = 0x11;
    pub(in super::super) const ATTRIBUTE_INFO: u16 = 0x15;
}

/// The flag of a message that is stored elsewhere.
const SHARED: u8 = 0x02;

/// A message of an object header.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    pub(super) kind: u16,
    flags: u8,
    pub(super) data: &'a [u8],
    pub(super) offset: u64,
}

/// A group or a dataset.
pub(in super::super) struct Object<'f, 'a> {
    pub(super) file: &'f File<'a>,
    messages: Vec<Message<'a>>,
}

impl<'a> File<'a> {
    /// Reads the object header of the group or dataset at an address of the file.
    pub(in super::super) fn object(&self, address: u64) -> Result<Object<'_, 'a>, Hdf5Error> {
        const WHAT: &str = "object header";
        let mut cursor = self.cursor(address, WHAT)?;
        let mut object = Object {
            file: self,
            messages: Vec::new(),
        };
        let mut blocks = Vec::new();
        let form = if cursor.peek().starts_with(b"OHDR") {
            cursor.signature("OHDR", 2)?;
            let flags = cursor.u8()?;
            let has = |bit: u8| flags & bit != 0;
            cursor.take(if has(0x20) { 16 } else { 0 })?;
            cursor.take(if has(0x10) { 4 } else { 0 })?;
            let size = cursor.uint(1 << (flags & 0x03))?;
            blocks.push(cursor.part(size, WHAT)?);
            Form::Second {
                has_creation_order: has(0x04),
            }
        } else {
            let version = cursor.u8()?;
            if version != 1 {
                return Err(cursor.invalid("version 1 or the signature OHDR", version));
            }
            cursor.take(7)?;
            let size = cursor.u32()?;
            cursor.take(4)?;
            blocks.push(cursor.part(size.into(), WHAT)?);
            Form::First
        };
        // The list grows while continuations are found. A circle of continuations exceeds the work.
        while let Some(block) = blocks.pop() {
            object.read_block(block, form, &mut blocks)?;
        }
        Ok(object)
    }
}

/// The two forms of object headers.
#[derive(Clone, Copy)]
enum Form {
    First,
    Second { has_creation_order: bool },
}

impl<'f, 'a> Object<'f, 'a> {
    fn read_block(
        &mut self,
        mut block: Cursor<'f, 'a>,
        form: Form,
        blocks: &mut Vec<Cursor<'f, 'a>>,
    ) -> Result<(), Hdf5Error> {
        let least = match form {
            Form::First => 8,
            Form::Second { has_creation_order } => 4 + 2 * usize::from(has_creation_order),
        };
        // A second form may end with a gap that is too small for a message.
        while block.remaining() >= least {
            let (kind, size, flags) = match form {
                Form::First => {
                    let message = (block.u16()?, block.u16()?, block.u8()?);
                    block.take(3)?;
                    message
                }
                Form::Second { has_creation_order } => {
                    let message = (block.u8()?.into(), block.u16()?, block.u8()?);
                    block.take(if has_creation_order { 2 } else { 0 })?;
                    message
                }
            };
            let offset = block.offset();
            let data = block.take(size.into())?;
            if kind == kind::CONTINUATION {
                blocks.push(self.continuation(data, offset, form)?);
                continue;
            }
            if self.messages.len() == MAX_MESSAGES {
                return Err(block.invalid("at most 65,536 messages", "more"));
            }
            self.messages.push(Message {
                kind,
                flags,
                data,
                offset,
            });
        }
        Ok(())
    }

    fn continuation(
        &self,
        data: &'a [u8],
        offset: u64,
        form: Form,
    ) -> Result<Cursor<'f, 'a>, Hdf5Error> {
        const WHAT: &str = "continuation of an object header";
        let mut cursor = Cursor::new(self.file, data, offset, WHAT);
        let (address, length) = (cursor.defined_address()?, cursor.length()?);
        let mut block = self.file.cursor(address, WHAT)?;
        match form {
            Form::First => block.part(length, WHAT),
            Form::Second { .. } => {
                let too_short = block.invalid("at least 8 bytes", length);
                if block.take(4)? != b"OCHK" {
                    return Err(block.invalid("OCHK", "another signature"));
                }
                // The length includes the signature and the checksum.
                block.part(length.checked_sub(8).ok_or(too_short)?, WHAT)
            }
        }
    }

    /// Returns the messages of the object header that have the type `kind`.
    pub(super) fn messages(&self, kind: u16) -> impl Iterator<Item = &Message<'a>> {
        self.messages
            .iter()
            .filter(move |message| message.kind == kind)
    }

    /// Returns a cursor for the first message of the object header that has the type `kind`; `None` if no message has
    /// it. `what` names the message in errors.
    pub(super) fn message(
        &self,
        kind: u16,
        what: &'static str,
    ) -> Result<Option<Cursor<'f, 'a>>, Hdf5Error> {
        let message = self.messages(kind).next();
        message.map(|message| self.open(message, what)).transpose()
    }

    /// Returns a cursor for the content of a message, which `what` names in errors. Fails if the content is in another
    /// object.
    pub(super) fn open(
        &self,
        message: &Message<'a>,
        what: &'static str,
    ) -> Result<Cursor<'f, 'a>, Hdf5Error> {
        let cursor = Cursor::new(self.file, message.data, message.offset, what);
        if message.flags & SHARED != 0 {
            return Err(cursor.unsupported("a message in", "another object"));
        }
        Ok(cursor)
    }
}
