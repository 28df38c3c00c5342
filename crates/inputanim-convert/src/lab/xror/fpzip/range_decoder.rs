//! The range decoder of fpzip: a range coder without carries.

use super::FpzipError;
use super::model::Model;

/// Reads symbols and bits from a stream.
///
/// The encoder narrows an interval of 32-bit numbers with each symbol, and writes the upper bytes that both ends of the
/// interval have in common. If the interval becomes small around a change of the upper byte, it is cut there, so that
/// no carry can occur.
///
/// For speed, damage does not stop the decoder at once: it remembers that a value was out of range, and missing bytes count
/// as zeros. [`check`](Self::check) reports both.
#[derive(Clone)]
pub(super) struct RangeDecoder<'a> {
    bytes: &'a [u8],
    /// The number of bytes that are read, which may be more than there are.
    position: usize,
    /// The low end of the interval.
    low: u32,
    /// The length of the interval, at least 2^16 between calls.
    range: u32,
    /// The number in the stream, counted from the low end.
    code: u32,
    is_damaged: bool,
}

impl<'a> RangeDecoder<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> RangeDecoder<'a> {
        let mut decoder = RangeDecoder {
            bytes,
            position: 0,
            low: 0,
            range: u32::MAX,
            code: 0,
            is_damaged: false,
        };
        decoder.code = decoder.next_bytes();
        decoder.position = 4;
        decoder
    }

    /// Returns an error if the decoder has read beyond the end of the stream, or has read a value that is not possible.
    /// The error states the current row and the number of rows.
    pub(super) fn check(&self, row: u32, rows: u32) -> Result<(), FpzipError> {
        if self.position > self.bytes.len() {
            return Err(FpzipError::Truncated { row, rows });
        }
        if self.is_damaged {
            return Err(FpzipError::Damaged { row, rows });
        }
        Ok(())
    }

    /// Returns the number of bytes after the bytes that are read.
    pub(super) fn unread(&self) -> usize {
        self.bytes.len().saturating_sub(self.position)
    }

    /// Decodes the next symbol with the probabilities of a model, and counts the symbol in the model.
    #[inline(always)]
    pub(super) fn symbol(&mut self, model: &mut Model) -> u32 {
        let unit = self.range >> Model::BITS;
        let target = self.units(unit, Model::BITS);
        let symbol = model.take(target.min((1 << Model::BITS) - 1));
        self.narrow(unit, symbol.start, symbol.width);
        symbol.index
    }

    /// Decodes a number of `count` bits, at most 64. All its values have the same probability.
    #[inline(always)]
    pub(super) fn bits(&mut self, count: u32) -> u64 {
        let (mut number, mut done) = (0, 0);
        // 16 bits are the precision of the coder. The lower bits come first.
        while count - done > 16 {
            number |= self.few_bits(16) << done;
            done += 16;
        }
        number | self.few_bits(count - done) << done
    }

    #[inline(always)]
    fn few_bits(&mut self, count: u32) -> u64 {
        let unit = self.range >> count;
        let number = self.units(unit, count);
        self.narrow(unit, number, 1);
        u64::from(number) & ((1 << count) - 1)
    }

    /// Returns the number in the stream, counted from the low end of the interval, divided by `unit`. If the result is
    /// not below 2^`bits`, the stream is damaged, and [`check`](Self::check) reports it.
    #[inline(always)]
    fn units(&mut self, unit: u32, bits: u32) -> u32 {
        let units = self.code.checked_div(unit).unwrap_or(u32::MAX);
        self.is_damaged |= units >> bits != 0;
        units
    }

    /// Narrows the interval to a part of it: `start` and `width` are in units, and `unit` is the length of a unit. Then
    /// shifts out the upper bytes that both ends have in common, and reads as many bytes.
    #[inline(always)]
    fn narrow(&mut self, unit: u32, start: u32, width: u32) {
        let offset = unit.wrapping_mul(start);
        self.code = self.code.wrapping_sub(offset);
        self.low = self.low.wrapping_add(offset);
        self.range = unit.wrapping_mul(width);
        // The upper bytes that both ends have in common.
        let ends = self.low ^ self.low.wrapping_add(self.range);
        // The lowest bit changes nothing, and spares the processor a test for 0.
        let known = (ends | 1).leading_zeros() & 24;
        self.shift(known);
        self.range <<= known;
        if self.range < 1 << 16 {
            self.shift(16);
            self.range = self.low.wrapping_neg();
        }
    }

    /// Shifts the interval and the number in the stream to the left by 0, 8, 16 or 24 bits, and reads as many bits.
    #[inline(always)]
    fn shift(&mut self, bits: u32) {
        let next = u64::from(self.code) << 32 | u64::from(self.next_bytes());
        self.code = (next << bits >> 32) as u32;
        self.low <<= bits;
        self.position += bits as usize / 8;
    }

    /// Returns the next four bytes as a big-endian number, without moving the position. Bytes after the end of the
    /// stream are 0.
    #[inline(always)]
    fn next_bytes(&self) -> u32 {
        let rest = self.bytes.get(self.position..).unwrap_or_default();
        match rest.first_chunk() {
            Some(next) => u32::from_be_bytes(*next),
            None => last_bytes(rest),
        }
    }
}

#[cold]
fn last_bytes(rest: &[u8]) -> u32 {
    let mut next = [0; 4];
    for (place, &byte) in next.iter_mut().zip(rest) {
        *place = byte;
    }
    u32::from_be_bytes(next)
}
