//! Detection of formats by the first bytes of a file.
//!
//! Detection works without the cargo features of the formats, so a small build can name a format that it lacks.

mod handsbin;
mod mcap;
pub(crate) mod unread;

use std::borrow::Cow;
use std::io::{self, Read, Seek};
use std::path::Path;

use crate::shared::hdf5_start::hdf5_start;
use crate::shared::{Format, json_text, utf16};

/// The longest first line that is examined. A line of frames has some twenty thousand bytes.
const LONGEST_LINE: usize = 1 << 20;

/// The most bytes at the beginning of a file that are examined, and of the summary of an MCAP file. In UTF-16, a letter
/// has two bytes.
const MAX_HEAD_BYTES: usize = 2 * LONGEST_LINE;

/// The members that the top level of a glTF file may have.
const GLTF_MEMBERS: [&str; 19] = [
    "accessors",
    "animations",
    "asset",
    "buffers",
    "bufferViews",
    "cameras",
    "extensions",
    "extensionsRequired",
    "extensionsUsed",
    "extras",
    "images",
    "materials",
    "meshes",
    "nodes",
    "samplers",
    "scene",
    "scenes",
    "skins",
    "textures",
];

/// The members of action recordings of IWER.
const IWER_MEMBERS: [&str; 2] = ["schema", "frames"];

/// The members of lossless JSON.
const JSON_MEMBERS: [&str; 6] = ["format", "version", "layout", "flags", "curves", "markers"];

/// The types and names of members with which files of XROR may begin: strings, documents, and binary data. Files of the
/// dataset begin with `$schema`.
const XROR_MEMBERS: [(u8, &str); 5] = [
    (0x02, "$schema"),
    (0x02, "$id"),
    (0x05, "$id"),
    (0x03, "info"),
    (0x05, "frames"),
];

/// The members of ndjson; each line has at least one of them.
const LINE_MEMBERS: [&str; 4] = ["\"time\"", "\"time_s\"", "\"curve\"", "\"kind\""];

impl Format {
    /// Returns the most likely format of a file with these bytes. The first bytes decide, and for MCAP also the summary
    /// at the end. The format is one that can be read. Returns `None` if the bytes begin like no known format.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// assert_eq!(Format::detect(br#"{"format": "inputanim-json"}"#), Some(Format::Json));
    /// assert_eq!(Format::detect(b"time_s,left.tracked\n0,1\n"), Some(Format::Csv));
    /// assert_eq!(Format::detect(b"unknown"), None);
    /// ```
    pub fn detect(bytes: &[u8]) -> Option<Format> {
        let head = &bytes[..bytes.len().min(MAX_HEAD_BYTES)];
        // Bytes in memory can always be read.
        detect(head, io::Cursor::new(bytes)).ok().flatten()
    }

    /// Detects the format of a file by its content, and returns it if it is not `self` and its files may have a name
    /// such as `path`. Returns `None` in all other cases. Of a large file, only the beginning is read, and of MCAP also
    /// the summary at the end.
    ///
    /// # Errors
    /// When the file cannot be read.
    ///
    /// ```
    /// use inputanim_convert::Format;
    /// let file = std::io::Cursor::new(b"\x89MCAP0\r\n");
    /// let other = |path: &str| Format::Isaac.other_of(path.as_ref(), file.clone());
    /// assert_eq!(other("pick.mcap")?, Some(Format::Mcap));
    /// assert_eq!(other("pick.isaac.mcap")?, None);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn other_of(self, path: &Path, file: impl Read + Seek) -> io::Result<Option<Format>> {
        let found = detect_file(file)?.filter(|&found| found != self);
        Ok(found.filter(|found| found.has_name(path)))
    }
}

/// Returns the format of a file, as [`Format::detect`] does. Only the bytes that detection examines are read.
fn detect_file(mut file: impl Read + Seek) -> io::Result<Option<Format>> {
    let mut head = Vec::new();
    let most = MAX_HEAD_BYTES as u64;
    file.by_ref().take(most).read_to_end(&mut head)?;
    detect(&head, file)
}

/// Returns the format of a file with these first bytes. For MCAP, the records of the summary decide, which are read
/// from `file`. Returns `None` if the format is unknown.
fn detect(bytes: &[u8], file: impl Read + Seek) -> io::Result<Option<Format>> {
    // The magic bytes of binary formats are unambiguous. Text has none, so its content is examined last.
    let mut formats = Format::ALL.iter().copied();
    let begins = |format: &Format| {
        let mut signatures = format.signatures().iter();
        signatures.any(|signature| bytes.starts_with(signature))
    };
    Ok(match formats.find(begins) {
        Some(Format::Mcap) => {
            let summary = mcap::read_summary(file, MAX_HEAD_BYTES as u64)?;
            Some(mcap::detect(bytes, &summary))
        }
        Some(format) => Some(format),
        None if is_xror(bytes) => Some(Format::Xror),
        None if handsbin::is_handsbin(bytes) => Some(Format::HandsBin),
        None if has_user_block(bytes) => Some(Format::EgoDex),
        None => {
            let text = match utf16::unit(bytes) {
                Some(_) => utf16::to_utf8(bytes),
                None => Cow::Borrowed(bytes),
            };
            let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(&text);
            match text.trim_ascii_start().strip_prefix(b"{") {
                Some(object) => Some(detect_json(text, object)),
                // People copy recordings from the console of a browser.
                None if json_text::start_of_object(text, &IWER_MEMBERS).is_some() => {
                    Some(Format::Iwer)
                }
                None => detect_array(text).or_else(|| detect_table(text)),
            }
        }
    })
}

/// Returns `true` for an HDF5 file behind a user block. MATLAB writes such files, which are another format.
fn has_user_block(bytes: &[u8]) -> bool {
    !bytes.starts_with(b"MATLAB") && hdf5_start(bytes, MAX_HEAD_BYTES).is_some()
}

/// Returns `true` if the bytes are the beginning of a BSON document whose first member is one of [`XROR_MEMBERS`].
///
/// BSON has no magic bytes. It begins with the size of the document, and the first member follows: its type, and its
/// name up to a 0.
fn is_xror(bytes: &[u8]) -> bool {
    let Some((size, member)) = bytes.split_first_chunk() else {
        return false;
    };
    // The bytes may be the beginning of a file.
    let is_size = usize::try_from(i32::from_le_bytes(*size)).is_ok_and(|size| size >= bytes.len());
    let begins = |member_type: u8, name: &str| {
        let rest = member.strip_prefix(&[member_type]);
        let rest = rest.and_then(|rest| rest.strip_prefix(name.as_bytes()));
        rest.is_some_and(|rest| rest.first() == Some(&0))
    };
    let is_member = XROR_MEMBERS
        .iter()
        .any(|&(member_type, name)| begins(member_type, name));
    is_size && is_member
}

/// Returns the format of JSON text; `object` is the text after its first brace. JSON of no other format counts as
/// [`Format::Json`].
fn detect_json(text: &[u8], object: &[u8]) -> Format {
    // The first member decides, so that the start of a large file is enough.
    let name = object.trim_ascii_start().strip_prefix(b"\"");
    let first = name.and_then(|name| name.split(|&byte| byte == b'"').next());
    let is_first = |names: &[&str]| names.iter().any(|name| first == Some(name.as_bytes()));
    if is_first(&GLTF_MEMBERS) {
        Format::Gltf
    } else if is_first(&IWER_MEMBERS) {
        Format::Iwer
    } else if !is_first(&JSON_MEMBERS) && (is_line(first_line(text)) || has_two_lines(text)) {
        Format::Ndjson
    } else {
        Format::Json
    }
}

/// Returns [`Format::Ndjson`] for a JSON array of frames or keys. The NDJSON reader accepts such an array too.
fn detect_array(text: &[u8]) -> Option<Format> {
    let elements = text.trim_ascii_start().strip_prefix(b"[")?;
    let first = elements.trim_ascii_start();
    let start = &first[..first.len().min(LONGEST_LINE)];
    (start.starts_with(b"{") && has_member(start)).then_some(Format::Ndjson)
}

/// Returns `true` if a line is a complete JSON object of NDJSON: it ends with a brace, and contains one of
/// [`LINE_MEMBERS`].
fn is_line(line: &[u8]) -> bool {
    line.trim_ascii_end().ends_with(b"}") && has_member(line)
}

/// Returns `true` if the first line is a complete JSON object, and another object follows on the next line: rows of another
/// program.
fn has_two_lines(text: &[u8]) -> bool {
    let line = first_line(text);
    let text = text.trim_ascii_start();
    let after = text.get(line.trim_ascii().len()..).unwrap_or_default();
    line.trim_ascii_end().ends_with(b"}") && after.trim_ascii_start().starts_with(b"{")
}

fn has_member(text: &[u8]) -> bool {
    let has = |name: &&str| text.windows(name.len()).any(|part| part == name.as_bytes());
    LINE_MEMBERS.iter().any(has)
}

/// Returns [`Format::Csv`] or [`Format::Tsv`] for a text table, and `None` for other bytes. In a table, the first line
/// that is not blank has more than one cell.
///
/// A table with semicolons, as some spreadsheets write it, counts too. Its reader then reports the wrong separator.
fn detect_table(bytes: &[u8]) -> Option<Format> {
    let line = first_line(bytes);
    let count = |sign: u8| line.iter().filter(|&&byte| byte == sign).count();
    let is_text = |byte: &u8| *byte == b'\t' || !byte.is_ascii_control();
    let has_cells = line.iter().any(|sign| b",\t;".contains(sign));
    // An array of JSON contains commas too.
    let is_json_array = bytes.trim_ascii_start().starts_with(b"[");
    if !has_cells || is_json_array || !line.iter().all(is_text) || str::from_utf8(line).is_err() {
        return None;
    }
    // Cells of one format may contain the separator of the other, so the more frequent sign counts.
    if count(b'\t') > count(b',') {
        Some(Format::Tsv)
    } else {
        Some(Format::Csv)
    }
}

/// Returns the first line that is not blank, or an empty slice. Only the first [`LONGEST_LINE`] bytes are examined.
fn first_line(text: &[u8]) -> &[u8] {
    let start = &text[..text.len().min(LONGEST_LINE)];
    let mut lines = start.split(|byte| b"\r\n".contains(byte));
    let is_filled = |line: &&[u8]| !line.trim_ascii().is_empty();
    lines.find(is_filled).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn formats_are_detected_by_their_first_bytes() {
        let cases: &[(&[u8], Option<Format>)] = &[
            (&inputanim::MAGIC, Some(Format::Bin)),
            (b"glTF\x02\0\0\0", Some(Format::Glb)),
            (b"\x89MCAP0\r\n", Some(Format::Mcap)),
            (b"PAR1\x15\x04,\x15", Some(Format::Parquet)),
            (b"\x89HDF\r\n\x1a\n", Some(Format::EgoDex)),
            (b"ARROW1\0\0", Some(Format::Arrow)),
            (br#"{"asset": {"version": "2.0"}}"#, Some(Format::Gltf)),
            (br#"{"schema": [], "frames": []}"#, Some(Format::Iwer)),
            (br#"{"format": "inputanim-json"}"#, Some(Format::Json)),
            (b" {\n  \"format\":", Some(Format::Json)),
            (
                br#"{"curves":[{"curve":"left.tracked","kind":"boolean"}]}"#,
                Some(Format::Json),
            ),
            (br#"{"name":"other"}"#, Some(Format::Json)),
            (b"{\"time\":0.5}\n", Some(Format::Ndjson)),
            (b"\n{\"time\":0.5,\"left\":{}}", Some(Format::Ndjson)),
            (
                b"{\"kind\":\"layout\",\"name\":\"mrtk-1.1\"}\n",
                Some(Format::Ndjson),
            ),
            (b"{\"time\":0.5", Some(Format::Json)),
            (b"{\"Time\":0.5}\n{\"Time\":1}\n", Some(Format::Ndjson)),
            (b"{\"Time\":0.5}\n", Some(Format::Json)),
            (b"time_s,left.tracked\n0,1\n", Some(Format::Csv)),
            (b"curve\ttime_s\tvalue\n", Some(Format::Tsv)),
            (b"time_s;name\n1;a\n", Some(Format::Csv)),
            (b"\xff\xfet\0,\0a\0\n\0", Some(Format::Csv)),
            (b"\xff\xfe{\0\"\0f\0o\0", Some(Format::Json)),
            (b"[1, 2]", None),
            (b" [\n{\n\"time\": 1}\n]", Some(Format::Ndjson)),
            (b"a,\x00b\n", None),
            (b"", None),
            (
                br#"VM123:1 {"schema": [], "frames": []}"#,
                Some(Format::Iwer),
            ),
            (br#""{\"schema\": [], \"frames\": []}""#, Some(Format::Iwer)),
            (b"\x40\0\0\0\x02$schema\0", Some(Format::Xror)),
            (b"\x0b\0\0\0\x03info\0\0", Some(Format::Xror)),
            (
                b"\x01\0\0\0\x04take\0\0\x80?\0\0\0\0",
                Some(Format::HandsBin),
            ),
            (
                b"\x02\0\0\0\x41\0\0\0\0\0\0\0\x04take\0\0\x80?\x1a\0\0\0",
                Some(Format::HandsBin),
            ),
            // An unknown version, another number of joints, and a header that is cut off.
            (b"\x03\0\0\0\x04take\0\0\x80?\0\0\0\0", None),
            (
                b"\x02\0\0\0\x41\0\0\0\0\0\0\0\x04take\0\0\x80?\x1b\0\0\0",
                None,
            ),
            (b"\x01\0\0\0\x04take\0\0\x80?\0\0\0", None),
            // The size is less than the file, or the member is another one.
            (b"\x0a\0\0\0\x03info\0\0", None),
            (b"\x40\0\0\0\x03information\0", None),
            (b"\x40\0\0\0\x01info\0", None),
        ];
        for &(bytes, format) in cases {
            let text = String::from_utf8_lossy(bytes);
            assert_eq!(Format::detect(bytes), format, "{text:?}");
            let file = io::Cursor::new(bytes);
            assert_eq!(detect_file(file).unwrap(), format, "{text:?}");
        }
    }
}
