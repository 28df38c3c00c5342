//! Answers with a part of a file, so that a browser can seek in a video without reading all of it.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::client::Client;
use super::{head, text};

/// Maximum number of bytes of an answer to a request for a part. A browser that pauses reads no more, and must not keep its
/// connection until the time limit. It requests the next part when it needs it.
const MAX_PART: u64 = 4 << 20;

/// Writes the part of a file that the header `Range` requests, or the complete file without this header.
pub(super) fn serve(
    client: &mut Client,
    mut file: File,
    content: &str,
    range: Option<&str>,
) -> io::Result<()> {
    let length = file.metadata()?.len();
    let (status, part) = match range.map(|range| requested(range, length)) {
        Some(Requested::Part(part)) => {
            let end = part.end.min(part.start + MAX_PART);
            ("206 Partial Content", part.start..end)
        }
        Some(Requested::Outside) => {
            let mut answer = text("416 Range Not Satisfiable", "the file is shorter");
            answer.range = Some(format!("bytes */{length}"));
            return answer.write(client);
        }
        Some(Requested::Other) | None => ("200 OK", 0..length),
    };
    let mut own = "Accept-Ranges: bytes\r\n".to_owned();
    if status.starts_with("206") {
        let last = part.end - 1;
        own += &format!("Content-Range: bytes {}-{last}/{length}\r\n", part.start);
    }
    let size = part.end - part.start;
    let size = usize::try_from(size).unwrap_or(usize::MAX);
    client.begin(size);
    client.write_all(head(status, content, Some(size), &own).as_bytes())?;
    file.seek(SeekFrom::Start(part.start))?;
    io::copy(&mut file.take(part.end - part.start), client)?;
    Ok(())
}

/// The meaning of a header `Range`.
#[derive(Debug, PartialEq, Eq)]
enum Requested {
    /// At least one byte.
    Part(Range<u64>),
    /// The file has none of the bytes.
    Outside,
    /// Several parts, another unit, or a header that is not valid. RFC 9110 allows to answer with the complete file.
    Other,
}

/// Reads a header `Range` for a file with this length (RFC 9110, section 14.1.2).
fn requested(range: &str, length: u64) -> Requested {
    let part = || {
        let (first, last) = range.strip_prefix("bytes=")?.trim().split_once('-')?;
        let number = |text: &str| {
            let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
            // A number that is too large is after the end of any file.
            is_number.then(|| text.parse().unwrap_or(u64::MAX))
        };
        if first.is_empty() {
            let count: u64 = number(last)?;
            return Some(length.saturating_sub(count)..if count == 0 { 0 } else { length });
        }
        let first: u64 = number(first)?;
        let last = if last.is_empty() {
            u64::MAX
        } else {
            number(last)?
        };
        (first <= last).then(|| first..last.saturating_add(1).min(length))
    };
    match part() {
        None => Requested::Other,
        Some(part) if part.start < part.end => Requested::Part(part),
        Some(_) => Requested::Outside,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_parts_of_the_file() {
        for (header, expected) in [
            ("bytes=0-", Requested::Part(0..10)),
            ("bytes=2-3", Requested::Part(2..4)),
            ("bytes=9-99999999999999999999999", Requested::Part(9..10)),
            ("bytes=-3", Requested::Part(7..10)),
            ("bytes=-30", Requested::Part(0..10)),
            ("bytes=10-", Requested::Outside),
            ("bytes=-0", Requested::Outside),
            ("bytes=3-2", Requested::Other),
            ("bytes=0-1,4-5", Requested::Other),
            ("bytes=+1-2", Requested::Other),
            ("lines=1-2", Requested::Other),
            ("", Requested::Other),
        ] {
            assert_eq!(requested(header, 10), expected, "{header}");
        }
        assert_eq!(requested("bytes=0-", 0), Requested::Outside);
    }
}
