//! B-trees of version 1 and 2.

use super::{Cursor, File, Hdf5Error};

/// Visits the leaves of a B-tree of version 1. Calls `with` with each key in a leaf and with the address of the child
/// that follows this key. `root` is the address of the root node, `kind` is the type of the nodes (0 for groups, 1 for
/// chunks), and `key_bytes` is the size of a key.
pub(super) fn children<'f, 'a>(
    file: &'f File<'a>,
    root: u64,
    kind: u8,
    key_bytes: u64,
    mut with: impl FnMut(Cursor<'f, 'a>, u64) -> Result<(), Hdf5Error>,
) -> Result<(), Hdf5Error> {
    const WHAT: &str = "B-tree of version 1";
    // A child is one level below its parent, so a circle ends with an error.
    let mut nodes = vec![(root, None)];
    while let Some((node, expected)) = nodes.pop() {
        let mut node = file.cursor(node, WHAT)?;
        let wrong = node.invalid("TREE", "another signature");
        if node.take(4)? != b"TREE" {
            return Err(wrong);
        }
        let (found, level) = (node.u8()?, node.u8()?);
        if found != kind {
            return Err(node.invalid("a node of the other type", found));
        }
        if expected.is_some_and(|expected| expected != Some(level)) {
            return Err(node.invalid("the level below the parent", level));
        }
        let used = node.u16()?;
        // The siblings, which are reached through the parent.
        node.address()?;
        node.address()?;
        for _ in 0..used {
            let key = node.part(key_bytes, WHAT)?;
            let child = node.defined_address()?;
            if level == 0 {
                with(key, child)?;
            } else {
                nodes.push((child, Some(level.checked_sub(1))));
            }
        }
    }
    Ok(())
}

/// Calls `with` with each record of a B-tree of version 2. `header` is the address of its header.
pub(super) fn records<'f, 'a>(
    file: &'f File<'a>,
    header: u64,
    mut with: impl FnMut(Cursor<'f, 'a>) -> Result<(), Hdf5Error>,
) -> Result<(), Hdf5Error> {
    const WHAT: &str = "B-tree of version 2";
    let mut header = file.cursor(header, WHAT)?;
    header.signature("BTHD", 0)?;
    header.u8()?;
    let node_size = header.u32()?;
    let record_size = u64::from(header.u16()?);
    let depth = header.u16()?;
    header.take(2)?;
    let root = header.address()?;
    let count = header.u16()?;
    let Some(root) = root else {
        return Ok(());
    };
    if record_size == 0 {
        return Err(header.invalid("records of at least 1 byte", 0));
    }
    // The sizes of numbers in internal nodes follow from the largest numbers that they can have.
    let space = u64::from(node_size).saturating_sub(10);
    let leaf_records = space / record_size;
    let count_size = bytes_for(leaf_records);
    let mut total_size = vec![0];
    let mut total = leaf_records;
    for _ in 1..=depth {
        let pointer =
            u64::from(file.offset_size) + u64::from(count_size) + u64::from(last(&total_size));
        let records = space.saturating_sub(pointer) / (record_size + pointer);
        total = (records + 1).saturating_mul(total).saturating_add(records);
        file.work(1)?;
        total_size.push(bytes_for(total));
    }
    let mut nodes = vec![(root, u64::from(count), depth)];
    while let Some((node, count, depth)) = nodes.pop() {
        let mut node = file.cursor(node, WHAT)?;
        node.signature(if depth == 0 { "BTLF" } else { "BTIN" }, 0)?;
        node.u8()?;
        for _ in 0..count {
            with(node.part(record_size, WHAT)?)?;
        }
        let Some(below) = depth.checked_sub(1) else {
            continue;
        };
        for _ in 0..=count {
            let child = node.defined_address()?;
            let count = node.uint(count_size)?;
            let total = total_size.get(usize::from(below)).copied();
            node.uint(total.unwrap_or(0))?;
            nodes.push((child, count, below));
        }
    }
    Ok(())
}

fn last(sizes: &[u8]) -> u8 {
    sizes.last().copied().unwrap_or(0)
}

/// Returns the number of bytes that the number `limit` needs, at least 1.
pub(super) fn bytes_for(limit: u64) -> u8 {
    (limit.max(1).ilog2() / 8 + 1) as u8
}
