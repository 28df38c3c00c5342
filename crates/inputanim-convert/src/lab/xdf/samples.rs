//! The samples of a chunk.

use super::chunks::split_length;
use super::header::{ChannelFormat, StreamHeader};

/// The samples of a chunk whose content is intact.
#[derive(Clone, Copy, Debug)]
pub(super) struct SampleChunk<'a> {
    pub(super) count: usize,
    /// The bytes of the samples.
    bytes: &'a [u8],
}

impl<'a> SampleChunk<'a> {
    /// Parses the content of a chunk of samples, without the id of the stream. Returns `None` unless the samples fill
    /// it exactly.
    pub(super) fn check(header: &StreamHeader, content: &'a [u8]) -> Option<SampleChunk<'a>> {
        let (count, bytes) = split_length(content)?;
        // The smallest sample has one byte, which states that it has no time stamp.
        let count = usize::try_from(count)
            .ok()
            .filter(|&count| count <= bytes.len())?;
        let chunk = SampleChunk { count, bytes };
        let mut samples = chunk.samples(header);
        let found = samples.by_ref().count();
        (found == count && samples.rest.is_empty()).then_some(chunk)
    }

    /// Returns the samples of the chunk. `header` is the header of their stream.
    pub(super) fn samples(&self, header: &StreamHeader) -> Samples<'a> {
        Samples {
            rest: self.bytes,
            left: self.count,
            width: header.sample_bytes(),
            texts: header.channels,
        }
    }
}

/// A sample.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sample<'a> {
    /// The time stamp; `None` if the time follows from the sample before.
    pub(super) stamp: Option<f64>,
    /// The bytes of the values.
    pub(super) values: &'a [u8],
}

/// An iterator over samples. It ends before a damaged one.
#[derive(Debug)]
pub(super) struct Samples<'a> {
    rest: &'a [u8],
    left: usize,
    /// The number of bytes of the numbers of a sample; `None` for texts.
    width: Option<usize>,
    texts: u32,
}

impl<'a> Iterator for Samples<'a> {
    type Item = Sample<'a>;

    #[inline]
    fn next(&mut self) -> Option<Sample<'a>> {
        self.left = self.left.checked_sub(1)?;
        let (&stamp_bytes, rest) = self.rest.split_first()?;
        let (stamp, rest) = match stamp_bytes {
            0 => (None, rest),
            8 => {
                let (stamp, rest) = rest.split_first_chunk()?;
                (Some(f64::from_le_bytes(*stamp)), rest)
            }
            _ => return None,
        };
        let width = match self.width {
            Some(width) => width,
            None => texts_len(rest, self.texts)?,
        };
        let (values, rest) = rest.split_at_checked(width)?;
        self.rest = rest;
        Some(Sample { stamp, values })
    }
}

/// Returns the number of bytes of the first `count` texts with their lengths. Returns `None` if they do not end within
/// `bytes`.
fn texts_len(bytes: &[u8], count: u32) -> Option<usize> {
    let mut rest = bytes;
    for _ in 0..count {
        rest = split_text(rest)?.1;
    }
    Some(bytes.len() - rest.len())
}

/// Reads a text from the start of `bytes`: its length, and its bytes. Returns the text and the rest of `bytes`. Returns
/// `None` if the text does not end within `bytes`.
fn split_text(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = split_length(bytes)?;
    rest.split_at_checked(usize::try_from(length).ok()?)
}

/// Returns the texts of a sample, one for each channel. Bytes that are not UTF-8 are replaced.
pub(super) fn texts(values: &[u8]) -> impl Iterator<Item = std::borrow::Cow<'_, str>> {
    let mut rest = values;
    std::iter::from_fn(move || {
        let (text, after) = split_text(rest)?;
        rest = after;
        Some(String::from_utf8_lossy(text))
    })
}

/// A type of numbers of a sample.
pub(super) trait Number {
    /// The number of bytes.
    const SIZE: usize;

    /// Returns the number at the start of the bytes; NaN if there are too few bytes.
    fn at(bytes: &[u8]) -> f64;

    /// Returns the number at the start of the bytes in single precision; NaN if there are too few bytes.
    fn float_at(bytes: &[u8]) -> f32;
}

macro_rules! numbers {
    ($($type:ty),*) => {$(
        impl Number for $type {
            const SIZE: usize = size_of::<$type>();

            #[inline]
            #[allow(clippy::cast_lossless, reason = "the macro also converts f64 and i64")]
            fn at(bytes: &[u8]) -> f64 {
                bytes.first_chunk().map_or(f64::NAN, |bytes| <$type>::from_le_bytes(*bytes) as f64)
            }

            #[inline]
            #[allow(clippy::cast_lossless, clippy::unnecessary_cast, reason = "the macro also converts f64 and f32")]
            fn float_at(bytes: &[u8]) -> f32 {
                bytes.first_chunk().map_or(f32::NAN, |bytes| <$type>::from_le_bytes(*bytes) as f32)
            }
        }
    )*};
}

numbers!(i8, i16, i32, i64, f32, f64);

/// Formats the number of the channel `index` in a sample as text, because a marker may be a number. `values` are the
/// bytes of all channels.
pub(super) fn number_text(format: ChannelFormat, values: &[u8], index: usize) -> String {
    fn of<T: Number>(values: &[u8], index: usize) -> f64 {
        T::at(values.get(index * T::SIZE..).unwrap_or_default())
    }
    match format {
        ChannelFormat::Int8 => of::<i8>(values, index).to_string(),
        ChannelFormat::Int16 => of::<i16>(values, index).to_string(),
        ChannelFormat::Int32 => of::<i32>(values, index).to_string(),
        ChannelFormat::Int64 => {
            let bytes = values
                .get(index * 8..)
                .and_then(|bytes| bytes.first_chunk());
            bytes.map_or(String::new(), |bytes| {
                i64::from_le_bytes(*bytes).to_string()
            })
        }
        ChannelFormat::Float32 => (of::<f32>(values, index) as f32).to_string(),
        ChannelFormat::Double64 => of::<f64>(values, index).to_string(),
        ChannelFormat::String => String::new(),
    }
}
