//! Text in UTF-16, as PowerShell and spreadsheets write it, converted to UTF-8.

use std::borrow::Cow;

/// A function that makes a code unit from two bytes.
pub(crate) type Unit = fn([u8; 2]) -> u16;

/// Returns the function that decodes a code unit if a text begins with a byte order mark of UTF-16, in the byte order
/// of the mark. Returns `None` for other text.
pub(crate) fn unit(text: &[u8]) -> Option<Unit> {
    match text {
        // The first read of a stream may return a single byte. Text in UTF-8 never contains this byte.
        [0xff] | [0xff, 0xfe, ..] => Some(u16::from_le_bytes),
        [0xfe] | [0xfe, 0xff, ..] => Some(u16::from_be_bytes),
        _ => None,
    }
}

/// Converts `text` from UTF-16 to UTF-8, appends it to `output`, and returns the number of bytes of `text` that were
/// converted. An incomplete character at the end is not converted. An invalid character becomes the byte 0xff.
pub(crate) fn decode(text: &[u8], unit: Unit, output: &mut Vec<u8>) -> usize {
    let (units, _) = text.as_chunks::<2>();
    let is_incomplete = |last: &[u8; 2]| (0xd800..0xdc00).contains(&unit(*last));
    let count = units.len() - usize::from(units.last().is_some_and(is_incomplete));
    let units = units[..count].iter().map(|bytes| unit(*bytes));
    for sign in char::decode_utf16(units) {
        match sign {
            Ok(sign) => output.extend_from_slice(sign.encode_utf8(&mut [0; 4]).as_bytes()),
            // Valid text in UTF-8 never contains this byte, so the reader reports an error in this line.
            Err(_) => output.push(0xff),
        }
    }
    2 * count
}

/// Converts a text to UTF-8 and removes its byte order mark. The text may be in UTF-16 with a byte order mark, as
/// PowerShell and spreadsheets write it.
///
/// ```
/// use inputanim_convert::text_to_utf8;
/// assert_eq!(*text_to_utf8(b"\xff\xfea\0"), *b"a");
/// assert_eq!(*text_to_utf8(b"\xef\xbb\xbfa"), *b"a");
/// ```
pub fn text_to_utf8(text: &[u8]) -> Cow<'_, [u8]> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    match to_utf8(text) {
        Cow::Borrowed(text) => Cow::Borrowed(text.strip_prefix(MARK).unwrap_or(text)),
        Cow::Owned(mut text) => {
            if text.starts_with(MARK) {
                text.drain(..MARK.len());
            }
            Cow::Owned(text)
        }
    }
}

/// Converts text in UTF-16 with a byte order mark to UTF-8, and keeps the mark. Other text stays unchanged. An invalid
/// or incomplete character becomes the byte 0xff, which UTF-8 does not allow.
pub(crate) fn to_utf8(text: &[u8]) -> Cow<'_, [u8]> {
    let Some(unit) = unit(text) else {
        return Cow::Borrowed(text);
    };
    let mut output = Vec::with_capacity(text.len() / 2);
    if decode(text, unit, &mut output) < text.len() {
        output.push(0xff);
    }
    Cow::Owned(output)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Encodes a byte order mark and a text in UTF-16. `bytes` determines the byte order.
    fn utf16(text: &str, bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        let text = format!("\u{feff}{text}");
        text.encode_utf16().flat_map(bytes).collect()
    }

    #[test]
    fn both_byte_orders_are_converted() {
        for bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            let text = to_utf8(&utf16("a,手,🙂\r\n", bytes)).into_owned();
            assert_eq!(text, "\u{feff}a,手,🙂\r\n".as_bytes());
        }
        assert_eq!(to_utf8(b"a").as_ref(), b"a");
    }

    #[test]
    fn incomplete_and_invalid_characters_are_no_valid_text() {
        let complete = utf16("a🙂", u16::to_le_bytes);
        for length in [5, 6, 7] {
            let text = to_utf8(&complete[..length]).into_owned();
            assert_eq!(text, b"\xef\xbb\xbfa\xff", "{length}");
        }
        assert_eq!(
            to_utf8(b"\xff\xfe\x00\xdca\0").as_ref(),
            b"\xef\xbb\xbf\xffa"
        );
    }
}
