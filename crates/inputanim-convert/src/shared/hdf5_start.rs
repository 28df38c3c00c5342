//! The start of an HDF5 file, which may be behind a user block.

/// The first bytes of the superblock.
pub(crate) const HDF5_SIGNATURE: [u8; 8] = *b"\x89HDF\r\n\x1a\n";

/// Returns the offset of the superblock of an HDF5 file. It is 0, 512, or another power of two above 512, because a program may
/// keep a block of its own content before it (HDF5 File Format Specification, II.A). Offsets of `limit` and above are not
/// examined. Returns `None` for other bytes.
pub(crate) fn hdf5_start(bytes: &[u8], limit: usize) -> Option<usize> {
    let offsets = std::iter::successors(Some(512_usize), |offset| offset.checked_mul(2));
    let offsets = std::iter::once(0).chain(offsets.take_while(|&offset| offset < limit));
    let mut offsets = offsets;
    offsets.find(|&offset| {
        let rest = bytes.get(offset..);
        rest.is_some_and(|rest| rest.starts_with(&HDF5_SIGNATURE))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_superblock_is_at_zero_or_behind_a_user_block() {
        let at = |offset: usize| [&vec![b'x'; offset][..], &HDF5_SIGNATURE].concat();
        for offset in [0, 512, 1024, 4096] {
            assert_eq!(hdf5_start(&at(offset), 1 << 20), Some(offset));
        }
        for offset in [8, 511, 513, 1536] {
            assert_eq!(hdf5_start(&at(offset), 1 << 20), None);
        }
        assert_eq!(hdf5_start(&at(4096), 4096), None);
        assert_eq!(hdf5_start(b"", usize::MAX), None);
    }
}
