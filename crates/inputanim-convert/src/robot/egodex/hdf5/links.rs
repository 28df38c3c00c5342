//! The members of a group.

use super::object::kind;
use super::{Cursor, File, Hdf5Error, Object, btree, fractal_heap};

/// The number of bytes of a name that are compared. Longer names are cut.
const MAX_NAME: usize = 256;

/// A hard link: a name and the address of an object header.
#[derive(Clone, Copy)]
pub(in super::super) struct Link<'a> {
    pub(in super::super) name: &'a [u8],
    pub(in super::super) address: u64,
}

impl<'f, 'a> Object<'f, 'a> {
    /// Returns the hard links of a group, in the order of the file. The list is empty for a dataset.
    pub(in super::super) fn links(&self) -> Result<Vec<Link<'a>>, Hdf5Error> {
        let mut links = Vec::new();
        for message in self.messages(kind::LINK) {
            links.extend(link(&mut self.open(message, "link")?)?);
        }
        if let Some(mut table) = self.message(kind::SYMBOL_TABLE, "symbol table message")? {
            symbol_table(self.file, &mut table, &mut links)?;
        }
        if let Some(mut info) = self.message(kind::LINK_INFO, "link info message")? {
            self.dense_links(&mut info, &mut links)?;
        }
        Ok(links)
    }

    fn dense_links(
        &self,
        info: &mut Cursor<'f, 'a>,
        links: &mut Vec<Link<'a>>,
    ) -> Result<(), Hdf5Error> {
        info.u8()?;
        let flags = info.u8()?;
        info.take(if flags & 0x01 != 0 { 8 } else { 0 })?;
        let (Some(heap), Some(index)) = (info.address()?, info.address()?) else {
            return Ok(());
        };
        let heap = fractal_heap::FractalHeap::open(self.file, heap)?;
        btree::records(self.file, index, |mut record| {
            // The hash of the name.
            record.take(4)?;
            let id = record.take(record.remaining() as u64)?;
            if let Some(mut object) = heap.object(id, record.offset(), "dense link")? {
                links.extend(link(&mut object)?);
            }
            Ok(())
        })
    }
}

/// Parses a link message. Returns `None` for links that are not hard links.
fn link<'a>(cursor: &mut Cursor<'_, 'a>) -> Result<Option<Link<'a>>, Hdf5Error> {
    let version = cursor.u8()?;
    if version != 1 {
        return Err(cursor.unsupported("version", version));
    }
    let flags = cursor.u8()?;
    let kind = if flags & 0x08 != 0 { cursor.u8()? } else { 0 };
    cursor.take(if flags & 0x04 != 0 { 8 } else { 0 })?;
    cursor.take(if flags & 0x10 != 0 { 1 } else { 0 })?;
    let length = cursor.uint(1 << (flags & 0x03))?;
    let name = cursor.take(length)?;
    if kind != 0 {
        return Ok(None);
    }
    let address = cursor.address()?;
    Ok(address.map(|address| Link { name, address }))
}

/// Adds the hard links of a group to `links`, from its symbol table message. A symbol table is a B-tree of nodes, whose
/// names are in a local heap.
fn symbol_table<'a>(
    file: &File<'a>,
    message: &mut Cursor<'_, 'a>,
    links: &mut Vec<Link<'a>>,
) -> Result<(), Hdf5Error> {
    let (tree, heap) = (message.defined_address()?, message.defined_address()?);
    let mut header = file.cursor(heap, "local heap")?;
    header.signature("HEAP", 0)?;
    header.take(3)?;
    let length = header.length()?;
    header.length()?;
    let names = header.defined_address()?;
    let segment = file.cursor(names, "local heap")?;
    // The segment is not taken as a whole, because its bytes count as work when they are read.
    let length = usize::try_from(length).unwrap_or(usize::MAX);
    let segment = &segment.peek()[..segment.remaining().min(length)];
    let mut nodes = Vec::new();
    btree::children(file, tree, 0, file.length_size.into(), |_, child| {
        nodes.push(child);
        Ok(())
    })?;
    for node in nodes {
        let mut node = file.cursor(node, "symbol table node")?;
        node.signature("SNOD", 1)?;
        node.u8()?;
        for _ in 0..node.u16()? {
            let offset = node.offset_number()?;
            let address = node.address()?;
            let cache = node.u32()?;
            node.take(20)?;
            // Type 2 is a symbolic link, which has no object header.
            let Some(address) = address.filter(|_| cache != 2) else {
                continue;
            };
            let start = usize::try_from(offset).unwrap_or(usize::MAX);
            let Some(text) = segment.get(start..) else {
                return Err(node.invalid("a name in the local heap", offset));
            };
            let text = &text[..text.len().min(MAX_NAME)];
            let end = text.iter().position(|&byte| byte == 0);
            let name = &text[..end.unwrap_or(text.len())];
            file.work(name.len() as u64)?;
            links.push(Link { name, address });
        }
    }
    Ok(())
}
