//! Numbers as small as an ozz archive stores them.

use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

use half::f16;

/// A vector as three half floats.
pub(super) fn vector(vector: [f32; 3]) -> [u16; 3] {
    vector.map(|part| f16::from_f32(part).to_bits())
}

/// A quaternion of length 1 in 48 bits: two bits say which part is the largest, one its sign,
/// and 15 each where the three others lie between -√½ and √½.
pub(super) fn rotation(rotation: [f32; 4]) -> [u16; 3] {
    const LEVELS: f32 = 32_767.0;
    let mut largest = 0;
    for part in 1..rotation.len() {
        if rotation[part].abs() > rotation[largest].abs() {
            largest = part;
        }
    }
    let mut packed = largest as u64 | u64::from(rotation[largest] < 0.0) << 2;
    let others = (0..rotation.len()).filter(|&part| part != largest);
    for (place, part) in others.enumerate() {
        let level = (rotation[part] + FRAC_1_SQRT_2) * (LEVELS / SQRT_2);
        packed |= (level.round().clamp(0.0, LEVELS) as u64) << (3 + 15 * place);
    }
    [packed as u16, (packed >> 16) as u16, (packed >> 32) as u16]
}

/// Four numbers behind a byte that says how many bytes each of them takes.
pub(super) fn group(numbers: [u32; 4], bytes: &mut Vec<u8>) {
    let sizes = numbers.map(|number| (4 - number.leading_zeros() / 8).max(1));
    let prefix = sizes
        .iter()
        .rev()
        .fold(0, |all, size| all << 2 | (size - 1));
    bytes.push(prefix as u8);
    for (number, size) in numbers.into_iter().zip(sizes) {
        bytes.extend(&number.to_le_bytes()[..size as usize]);
    }
}
