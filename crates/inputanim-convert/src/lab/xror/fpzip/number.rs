//! The numbers of fpzip, and integers in the same order.

/// A type of numbers in an array: `f32` or `f64`.
pub(super) trait Number: Copy {
    const BITS: u32;
    const ZERO: Self;

    fn to_bits(self) -> u64;

    /// Returns the number with these bits; higher bits are ignored.
    fn from_bits(bits: u64) -> Self;

    /// Predicts a number from its neighbours as left + above − above left, in the order of the C++ library.
    ///
    /// The bits of NaN are part of the prediction, and Rust does not define them. They follow the rules of x86
    /// processors here: the first NaN of an operation with its quiet bit set, otherwise a NaN with the sign bit.
    fn predict(left: Self, above: Self, above_left: Self) -> Self;

    /// Returns the result of [`predict`](Number::predict) if it is NaN, with the bits that x86 processors give it.
    fn predict_nan(left: Self, above: Self, above_left: Self) -> Self;
}

macro_rules! number {
    ($float:ty, $bits:ty) => {
        impl Number for $float {
            const BITS: u32 = <$bits>::BITS;
            const ZERO: $float = 0.0;

            #[inline(always)]
            fn to_bits(self) -> u64 {
                self.to_bits().into()
            }

            #[inline(always)]
            fn from_bits(bits: u64) -> $float {
                <$float>::from_bits(bits as $bits)
            }

            #[inline(always)]
            fn predict(left: $float, above: $float, above_left: $float) -> $float {
                // Arrays have further dimensions, in which all neighbours are 0. Adding these zeros makes −0 to 0.
                let prediction = left + above - above_left + 0.0;
                if prediction.is_nan() {
                    Self::predict_nan(left, above, above_left)
                } else {
                    prediction
                }
            }

            #[cold]
            fn predict_nan(left: $float, above: $float, above_left: $float) -> $float {
                const QUIET: $bits = 1 << (<$float>::MANTISSA_DIGITS - 2);
                let result = |a: $float, b: $float, result: $float| {
                    if a.is_nan() {
                        <$float>::from_bits(a.to_bits() | QUIET)
                    } else if b.is_nan() {
                        <$float>::from_bits(b.to_bits() | QUIET)
                    } else if result.is_nan() {
                        <$float>::from_bits(QUIET.wrapping_neg())
                    } else {
                        result
                    }
                };
                let sum = result(left, above, left + above);
                result(sum, above_left, sum - above_left)
            }
        }
    };
}

number!(f32, u32);
number!(f64, u64);

/// The mapping between numbers and their ranks: integers of a few bits, in the same order.
///
/// A number is cut to its upper bits. As an integer, these bits are in order for positive numbers, and in reverse order
/// for negative ones.
#[derive(Clone, Copy)]
pub(super) struct Order {
    bits: u32,
    /// The number of lower bits that are cut.
    shift: u32,
    /// All bits of a rank, and all bits but the highest one.
    all: u64,
    all_but_highest: u64,
}

impl Order {
    /// Creates the mapping between numbers of type `N` and their ranks, which are integers of `bits` bits in the same
    /// order.
    pub(super) fn new<N: Number>(bits: u32) -> Order {
        let all = u64::MAX >> (64 - bits);
        Order {
            bits,
            shift: N::BITS - bits,
            all,
            all_but_highest: all >> 1,
        }
    }

    pub(super) fn bits(self) -> u32 {
        self.bits
    }

    #[inline(always)]
    pub(super) fn rank<N: Number>(self, number: N) -> u64 {
        let inverted = !number.to_bits() >> self.shift & self.all;
        self.reverse_half(inverted)
    }

    #[inline(always)]
    pub(super) fn number<N: Number>(self, rank: u64) -> N {
        let inverted = self.reverse_half(rank);
        N::from_bits(!inverted << self.shift)
    }

    /// Sets the lower bits of a number, which its rank does not contain, to 0.
    #[inline(always)]
    pub(super) fn truncate<N: Number>(self, number: N) -> N {
        N::from_bits(number.to_bits() >> self.shift << self.shift)
    }

    /// Inverts the other bits of a rank if its highest bit is set. This reverses the order of these ranks.
    #[inline(always)]
    fn reverse_half(self, rank: u64) -> u64 {
        let highest = rank >> (self.bits - 1) & 1;
        rank ^ (highest.wrapping_neg() & self.all_but_highest)
    }
}
