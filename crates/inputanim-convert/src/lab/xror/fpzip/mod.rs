//! A decoder of fpzip, the compression of floating-point arrays by Peter Lindstrom and Martin Isenburg
//! ("Fast and Efficient Compression of Floating-Point Data", IEEE Transactions on Visualization and Computer
//! Graphics 12(5), 2006; <https://github.com/LLNL/fpzip>).
//!
//! Method: each number is predicted from its neighbours as left + above − above left, with zeros outside of the array.
//! The prediction and the number are mapped to integers in the same order. The stream contains the bit length and the
//! sign of their difference as a symbol of an adaptive [`Model`], and the lower bits of the difference as they are. A
//! range coder packs both.
//!
//! Guarantee: numbers are bit-identical to the numbers of the C++ library. This includes infinities and NaN, whose
//! predictions follow the rules of x86 processors for NaN (see [`Number::predict`]).
//!
//! Limits: one-dimensional and two-dimensional arrays, in the variant `FPZIP_FP_FAST` of the versions 1.1 to 1.3. The
//! package `fpzip` of PyPI, which XROR uses, writes this variant. The other variants predict with other arithmetic.
//!
//! No crate does this at the time of writing: `fpzip-rs` 0.1.0 refuses this variant, panics on damaged input, and does
//! not notice missing bytes.

mod model;
mod number;
mod range_decoder;

use model::Model;
use number::{Number, Order};
use range_decoder::RangeDecoder;

/// A compressed array that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum FpzipError {
    /// The bytes do not begin with the magic number.
    #[error("not compressed with fpzip: the magic number is missing")]
    NotFpzip,
    /// The version of the codec, or its arithmetic, is another one.
    #[error("unsupported codec {codec:#x} with arithmetic {arithmetic}; expected 0x110 with 1")]
    Version {
        /// The version of the codec.
        codec: u32,
        /// The arithmetic of predictions: 1 for fast, 2 for safe, 3 for emulated, 4 for integers.
        arithmetic: u32,
    },
    /// The number of stored bits per number is not possible.
    #[error(
        "invalid precision: {bits} bits (expected 2 to 32, or an even number from 4 to 64 for doubles)"
    )]
    Precision {
        /// The number of bits.
        bits: u32,
    },
    /// The array has more than two dimensions.
    #[error(
        "expected an array with at most two dimensions, found {columns} × {rows} × {planes} × {fields}"
    )]
    Dimensions {
        /// The length of the first dimension.
        columns: u32,
        /// The length of the second dimension.
        rows: u32,
        /// The length of the third dimension.
        planes: u32,
        /// The length of the fourth dimension.
        fields: u32,
    },
    /// The bytes end before the array.
    #[error("the compressed data ends in its header")]
    Header,
    /// The bytes end too early.
    #[error("the compressed data ends in row {row} of {rows} (counted from 0)")]
    Truncated {
        /// Counted from 0.
        row: u32,
        /// The number of rows.
        rows: u32,
    },
    /// The bytes are not possible.
    #[error("the compressed data is damaged in row {row} of {rows} (counted from 0), or before it")]
    Damaged {
        /// The row in which the damage was noticed, counted from 0.
        row: u32,
        /// The number of rows.
        rows: u32,
    },
}

/// A compressed array, of which the header is read.
pub(super) struct Array<'a> {
    coder: RangeDecoder<'a>,
    /// Numbers per row.
    pub(super) columns: u32,
    pub(super) rows: u32,
    is_double: bool,
    /// The stored bits of each number.
    precision: u32,
}

impl<'a> Array<'a> {
    /// Reads the header of a compressed array, without its numbers. Fails if the header is damaged, or if its variant
    /// of fpzip is not supported.
    pub(super) fn new(bytes: &'a [u8]) -> Result<Array<'a>, FpzipError> {
        let mut coder = RangeDecoder::new(bytes);
        for expected in *b"fpz\0" {
            if coder.bits(8) != u64::from(expected) {
                return Err(FpzipError::NotFpzip);
            }
        }
        let mut number = |bits: u32| coder.bits(bits) as u32;
        let (codec, arithmetic) = (number(16), number(8));
        let is_double = number(1) == 1;
        let bits = number(7);
        let [columns, rows, planes, fields] = [number(32), number(32), number(32), number(32)];
        coder.check(0, 0).map_err(|_| FpzipError::Header)?;
        if (codec, arithmetic) != (0x110, 1) {
            return Err(FpzipError::Version { codec, arithmetic });
        }
        let is_empty = [columns, rows, planes, fields].contains(&0);
        if !is_empty && (planes, fields) != (1, 1) {
            return Err(FpzipError::Dimensions {
                columns,
                rows,
                planes,
                fields,
            });
        }
        // An empty array needs no memory for a row.
        let [columns, rows] = if is_empty { [0, 0] } else { [columns, rows] };
        let precision = match (is_double, bits) {
            (false, 0) => 32,
            (true, 0) => 64,
            (false, 2..=32) => bits,
            (true, 4..=64) if bits % 2 == 0 => bits,
            _ => return Err(FpzipError::Precision { bits }),
        };
        Ok(Array {
            coder,
            columns,
            rows,
            is_double,
            precision,
        })
    }

    /// Returns the number of values in the array.
    pub(super) fn len(&self) -> u64 {
        u64::from(self.columns) * u64::from(self.rows)
    }

    /// Starts to decompress the rows. This allocates memory for one row, so the caller checks the number of columns
    /// first.
    pub(super) fn decompress(self) -> Rows<'a> {
        Rows(if self.is_double {
            AnyDecoder::Double(Box::new(Decoder::new(self)))
        } else {
            AnyDecoder::Single(Box::new(Decoder::new(self)))
        })
    }
}

/// The rows of an array, which are decompressed one by one.
pub(super) struct Rows<'a>(AnyDecoder<'a>);

enum AnyDecoder<'a> {
    Single(Box<Decoder<'a, f32>>),
    Double(Box<Decoder<'a, f64>>),
}

impl Rows<'_> {
    /// Returns the number of bytes after the bytes that are read. The bytes of an intact array end after its last row, but
    /// other bytes may follow.
    pub(super) fn unread(&self) -> usize {
        match &self.0 {
            AnyDecoder::Single(decoder) => decoder.coder.unread(),
            AnyDecoder::Double(decoder) => decoder.coder.unread(),
        }
    }

    /// Decompresses the next row, and replaces the content of `row` by it. Returns `false` after the last row.
    pub(super) fn next(&mut self, row: &mut Vec<f64>) -> Result<bool, FpzipError> {
        row.clear();
        match &mut self.0 {
            AnyDecoder::Single(decoder) => {
                let numbers = decoder.next()?;
                row.extend(numbers.unwrap_or_default().iter().copied().map(f64::from));
                Ok(numbers.is_some())
            }
            AnyDecoder::Double(decoder) => {
                let numbers = decoder.next()?;
                row.extend(numbers.unwrap_or_default());
                Ok(numbers.is_some())
            }
        }
    }
}

/// Decompresses numbers of one type.
struct Decoder<'a, N> {
    coder: RangeDecoder<'a>,
    model: Model,
    order: Order,
    /// The last row; zeros above the first one.
    row: Vec<N>,
    /// The number of rows that are decompressed.
    done: u32,
    rows: u32,
}

/// The largest precision at which the differences themselves are symbols. Above, the symbols are their lengths.
const MAX_DIRECT: u32 = 8;

impl<'a, N: Number> Decoder<'a, N> {
    fn new(array: Array<'a>) -> Decoder<'a, N> {
        let bits = array.precision;
        let symbols = match bits {
            ..=MAX_DIRECT => 2 * (1 << bits) - 1,
            _ => 2 * bits + 1,
        };
        Decoder {
            coder: array.coder,
            model: Model::new(symbols),
            order: Order::new::<N>(bits),
            row: vec![N::ZERO; array.columns as usize],
            done: 0,
            rows: array.rows,
        }
    }

    fn next(&mut self) -> Result<Option<&[N]>, FpzipError> {
        if self.done == self.rows {
            return Ok(None);
        }
        // Two calls, so that the compiler makes a loop for each.
        if self.order.bits() <= MAX_DIRECT {
            self.decode_row(direct);
        } else {
            self.decode_row(by_length);
        }
        self.coder.check(self.done, self.rows)?;
        self.done += 1;
        Ok(Some(&self.row))
    }

    #[inline(always)]
    fn decode_row(&mut self, decode: impl Fn(&mut RangeDecoder<'a>, &mut Model, Order, N) -> N) {
        // A local copy stays in registers.
        let mut coder = self.coder.clone();
        let (mut left, mut above_left) = (N::ZERO, N::ZERO);
        for place in &mut self.row {
            let above = *place;
            let prediction = N::predict(left, above, above_left);
            left = decode(&mut coder, &mut self.model, self.order, prediction);
            above_left = above;
            *place = left;
        }
        self.coder = coder;
    }
}

/// Decodes the next number, for precisions up to [`MAX_DIRECT`] bits. The stream contains its difference to the
/// prediction as one symbol.
fn direct<N: Number>(
    coder: &mut RangeDecoder<'_>,
    model: &mut Model,
    order: Order,
    prediction: N,
) -> N {
    let symbol = u64::from(coder.symbol(model));
    let zero = (1 << order.bits()) - 1;
    order.number(
        order
            .rank(prediction)
            .wrapping_add(symbol)
            .wrapping_sub(zero),
    )
}

/// Decodes the next number, for precisions above [`MAX_DIRECT`] bits. The stream contains the sign and the bit length
/// of its difference to the prediction as one symbol, and then the lower bits of the difference.
#[inline(always)]
fn by_length<N: Number>(
    coder: &mut RangeDecoder<'_>,
    model: &mut Model,
    order: Order,
    prediction: N,
) -> N {
    let symbol = coder.symbol(model);
    let zero = order.bits();
    if symbol == zero {
        return order.truncate(prediction);
    }
    let is_above = symbol > zero;
    let length = symbol.abs_diff(zero) - 1;
    let difference = 1 << length | coder.bits(length);
    let rank = order.rank(prediction);
    order.number(if is_above {
        rank.wrapping_add(difference)
    } else {
        rank.wrapping_sub(difference)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Arrays that the package `fpzip` of PyPI compressed and decompressed (readers/xror/files.py).
    const ARRAYS: &[u8] = include_bytes!("../../../../tests/golden/arrays.fpzip");

    /// Returns the compressed arrays and their numbers.
    fn arrays() -> Vec<(&'static [u8], Vec<f64>)> {
        let mut rest = ARRAYS;
        let mut take = |size: usize| {
            let (taken, left) = rest.split_at(size);
            rest = left;
            taken
        };
        let mut arrays = Vec::new();
        for _ in 0..18 {
            let [array, numbers] = [1, 8].map(|width| {
                let size = u32::from_le_bytes(take(4).try_into().unwrap());
                take(size as usize * width)
            });
            let numbers = numbers.as_chunks().0.iter();
            arrays.push((
                array,
                numbers.map(|bytes| f64::from_le_bytes(*bytes)).collect(),
            ));
        }
        assert!(rest.is_empty());
        arrays
    }

    fn decompress(bytes: &[u8]) -> Result<Vec<f64>, FpzipError> {
        let mut rows = Array::new(bytes)?.decompress();
        let (mut row, mut numbers) = (Vec::new(), Vec::new());
        while rows.next(&mut row)? {
            numbers.extend(&row);
        }
        Ok(numbers)
    }

    #[test]
    fn numbers_are_those_of_the_reference() {
        for (index, (bytes, expected)) in arrays().into_iter().enumerate() {
            let numbers = decompress(bytes).unwrap();
            assert_eq!(numbers.len(), expected.len(), "array {index}");
            for (ours, expected) in numbers.into_iter().zip(expected) {
                assert_eq!(
                    ours.to_bits(),
                    expected.to_bits(),
                    "array {index}: {ours} {expected}"
                );
            }
        }
    }

    #[test]
    fn missing_bytes_are_noticed() {
        for (bytes, _) in arrays() {
            for end in 0..bytes.len() {
                let error = decompress(&bytes[..end]).unwrap_err();
                assert!(
                    matches!(
                        error,
                        FpzipError::Truncated { .. } | FpzipError::Header | FpzipError::NotFpzip
                    ),
                    "{end}: {error}"
                );
            }
            // The package leaves unused bytes behind some arrays.
            let mut longer = bytes.to_vec();
            longer.push(7);
            assert!(decompress(&longer).is_ok());
        }
    }

    #[test]
    fn changed_bytes_give_numbers_or_an_error() {
        let mut damaged = 0;
        for (bytes, _) in arrays() {
            for place in 28..bytes.len() {
                for change in [0x01, 0x80, 0xff] {
                    let mut changed = bytes.to_vec();
                    changed[place] ^= change;
                    damaged += usize::from(decompress(&changed).is_err());
                }
            }
        }
        assert!(damaged > 100, "{damaged}");
    }
}
