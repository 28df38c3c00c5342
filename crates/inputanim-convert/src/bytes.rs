//! Conversion into memory, with a limit.

use std::io::{self, Write};

use inputanim::Recording;

use crate::{Error, Format, ReadOptions, Report, WriteOptions, read, write};

/// Reads a recording in a format, and returns it as the bytes of an MRTK file in its own layout. Content that this layout
/// cannot represent, such as the tangents of a glTF file, is dropped and reported.
///
/// # Errors
/// Returns the errors of [`read`], and fails when the recording has more than a file can count.
///
/// ```
/// use inputanim_convert::{Format, ReadOptions, read_as_bin};
/// let text = b"time_s,left.pinching\n0,0\n0.5,1\n";
/// let (bytes, report) = read_as_bin(Format::Csv, text, &ReadOptions::default())?;
/// assert!(bytes.starts_with(&inputanim::MAGIC) && report.losses.is_empty());
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
pub fn read_as_bin(
    format: Format,
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Vec<u8>, Report), Error> {
    let (recording, mut report) = read(format, bytes, options)?;
    let lossy = WriteOptions {
        allow_loss: true,
        ..WriteOptions::default()
    };
    let mut output = Vec::new();
    report.extend(write(Format::Bin, &recording, &lossy, &mut output)?);
    Ok((output, report))
}

/// Writes a recording in another format into memory. The result has at most
/// [`Limits::max_sample_bytes`](inputanim::Limits::max_sample_bytes).
///
/// # Errors
/// Returns [`Error::Limit`] if the result would be larger, and the errors of [`write()`].
pub fn write_bytes(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<(Vec<u8>, Report), Error> {
    let max_bytes = options.limits.max_sample_bytes;
    let mut output = Limited {
        bytes: Vec::new(),
        max_bytes,
        is_exceeded: false,
    };
    let result = write(format, recording, options, &mut output);
    if output.is_exceeded {
        return Err(Error::Limit {
            limit: max_bytes,
            unit: "bytes of output",
        });
    }
    Ok((output.bytes, result?))
}

/// Bytes in memory up to a limit.
struct Limited {
    bytes: Vec<u8>,
    max_bytes: u64,
    is_exceeded: bool,
}

impl Write for Limited {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let size = self.bytes.len() as u64 + bytes.len() as u64;
        if size > self.max_bytes {
            self.is_exceeded = true;
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        self.bytes.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use inputanim::{Layout, Pose};

    use super::*;

    #[test]
    fn output_beyond_the_limit_is_refused() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        recording.head_mut().push(1.0, &Pose::IDENTITY);
        let of_limit = |limit| {
            let mut options = WriteOptions::default();
            options.limits.max_sample_bytes = limit;
            write_bytes(Format::Bin, &recording, &options)
        };
        let (bytes, _) = of_limit(u64::MAX).unwrap();
        let size = bytes.len() as u64;
        assert_eq!(of_limit(size).unwrap().0, bytes);
        let error = of_limit(size - 1).unwrap_err();
        assert!(
            matches!(error, Error::Limit { limit, .. } if limit == size - 1),
            "{error}"
        );
    }
}
