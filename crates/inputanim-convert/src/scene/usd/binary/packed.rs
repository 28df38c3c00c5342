//! Compression of sections, compatible with OpenUSD's `TfFastCompression` and `Sdf_IntegerCompression`.

use std::collections::BTreeMap;

/// Compresses bytes into one LZ4 block. OpenUSD splits blocks from 2 GB on. No section is that large.
pub(super) fn lz4(bytes: &[u8]) -> Vec<u8> {
    // The first byte is the number of blocks if there are several, and 0 for a single one.
    let mut packed = vec![0];
    packed.extend(lz4_flex::block::compress(bytes));
    packed
}

/// Compresses numbers as steps from one number to the next, and then with LZ4. First comes the most common step. Then
/// two bits for each number state the width of its step. Then come the steps.
pub(super) fn pack(numbers: &[i32]) -> Vec<u8> {
    lz4(&steps(numbers))
}

/// The widths of steps.
mod width {
    pub(super) const COMMON: u8 = 0;
    pub(super) const I8: u8 = 1;
    pub(super) const I16: u8 = 2;
    pub(super) const I32: u8 = 3;
}

fn steps(numbers: &[i32]) -> Vec<u8> {
    let befores = std::iter::once(&0).chain(numbers);
    let steps = numbers.iter().zip(befores);
    let steps: Vec<i32> = steps
        .map(|(number, before)| number.wrapping_sub(*before))
        .collect();
    // The map is sorted, so that the choice between equally common steps does not vary between runs.
    let mut counts = BTreeMap::<i32, usize>::new();
    for step in &steps {
        *counts.entry(*step).or_default() += 1;
    }
    let common = counts.into_iter().max_by_key(|&(_, count)| count);
    let common = common.map_or(0, |(step, _)| step);
    let mut widths = vec![0; steps.len().div_ceil(4)];
    let mut bytes = Vec::new();
    for (index, step) in steps.into_iter().enumerate() {
        let width = if step == common {
            width::COMMON
        } else if let Ok(step) = i8::try_from(step) {
            bytes.extend(step.to_le_bytes());
            width::I8
        } else if let Ok(step) = i16::try_from(step) {
            bytes.extend(step.to_le_bytes());
            width::I16
        } else {
            bytes.extend(step.to_le_bytes());
            width::I32
        };
        widths[index / 4] |= width << (index % 4 * 2);
    }
    [&common.to_le_bytes()[..], &widths, &bytes].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_packed_as_openusd_documents_it() {
        // The example of OpenUSD's integerCoding.cpp.
        let packed = steps(&[123, 124, 125, 100_125, 100_125, 100_126, 100_126]);
        let expected = [
            &[1, 0, 0, 0][..],            // the commonest step
            &[0b11_00_00_01, 0b01_00_01], // the widths of seven steps, from the right
            &[123],
            &[0xa0, 0x86, 1, 0], // 100,000
            &[0, 0],
        ]
        .concat();
        assert_eq!(packed, expected);
        assert_eq!(steps(&[]), [0; 4]);
        let packed = steps(&[0, -300, i32::MAX]);
        assert_eq!(packed[4..7], [0b11_10_00, 0xd4, 0xfe]);
    }

    #[test]
    fn a_block_unpacks_to_its_bytes() {
        let bytes = b"again and again and again";
        let packed = lz4(bytes);
        assert_eq!(packed[0], 0);
        let unpacked = lz4_flex::block::decompress(&packed[1..], bytes.len()).unwrap();
        assert_eq!(unpacked, bytes);
    }
}
