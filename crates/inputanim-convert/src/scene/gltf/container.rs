//! The container: `.glb`, or `.gltf` with an embedded buffer.

use std::fmt;
use std::io::{self, Write};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;

use super::GltfError;
use super::document::Document;
use crate::shared::{Error, Format};

const MAGIC: &[u8; 4] = b"glTF";
const VERSION: u32 = 2;
const HEADER: usize = 12;
const JSON: &[u8; 4] = b"JSON";
const BINARY: &[u8; 4] = b"BIN\0";

/// The beginning of the URI of a buffer that is embedded in a text file.
const DATA: &str = "data:application/octet-stream;base64,";

pub(super) fn write(
    mut document: Document,
    bytes: &[u8],
    format: Format,
    mut output: impl Write,
) -> Result<(), Error> {
    if format != Format::Gltf {
        return write_glb(&document, bytes, output);
    }
    if let Some(buffer) = document.buffers.first_mut() {
        let mut uri = DATA.to_owned();
        BASE64_STANDARD.encode_string(bytes, &mut uri);
        buffer.uri = Some(uri);
    }
    serde_json::to_writer_pretty(&mut output, &document).map_err(io::Error::from)?;
    output.write_all(b"\n")?;
    Ok(())
}

fn write_glb(document: &Document, bytes: &[u8], mut output: impl Write) -> Result<(), Error> {
    let mut json = serde_json::to_vec(document).map_err(io::Error::from)?;
    // Chunks are aligned to four bytes, and JSON is padded with spaces (glTF 2.0, "Binary glTF Layout").
    json.resize(json.len().next_multiple_of(4), b' ');
    // The buffer has a multiple of four bytes already. An empty binary chunk should be omitted.
    let chunks = [(JSON, &json[..]), (BINARY, bytes)];
    let chunks = || chunks.iter().filter(|(_, chunk)| !chunk.is_empty());
    let size: u64 = chunks().map(|(_, chunk)| 8 + chunk.len() as u64).sum();
    let size = size + HEADER as u64;
    let narrow = |size: u64| u32::try_from(size).map_err(|_| GltfError::TooLarge(size));
    output.write_all(MAGIC)?;
    output.write_all(&VERSION.to_le_bytes())?;
    output.write_all(&narrow(size)?.to_le_bytes())?;
    for (kind, chunk) in chunks() {
        output.write_all(&narrow(chunk.len() as u64)?.to_le_bytes())?;
        output.write_all(*kind)?;
        output.write_all(chunk)?;
    }
    Ok(())
}

/// Bytes that are not a glTF file.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum NotGltf {
    /// The binary form has another version.
    Version(u32),
    /// The file ends before the end of a chunk.
    CutOff {
        /// The offset at which the chunk begins.
        offset: usize,
        /// The offset at which the chunk should end.
        end: u64,
        /// The length of the file.
        length: usize,
    },
    /// The first chunk is not JSON.
    NoJson,
}

impl fmt::Display for NotGltf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            NotGltf::Version(version) => {
                write!(
                    f,
                    "expected version {VERSION} of the binary form, found {version}"
                )
            }
            NotGltf::CutOff {
                offset,
                end,
                length,
            } => write!(
                f,
                "the part at byte {offset} should end at byte {end}, but the file ends at {length}"
            ),
            NotGltf::NoJson => f.write_str("its first part is not JSON"),
        }
    }
}

impl std::error::Error for NotGltf {}

/// Returns `true` for bytes that begin like a binary glTF file (`.glb`).
pub(super) fn is_glb(bytes: &[u8]) -> bool {
    bytes.starts_with(MAGIC)
}

/// Returns the JSON of a binary or text glTF file, and the contents of its binary chunk: `None` for a text file, or if
/// the chunk is missing.
pub(super) fn parts(bytes: &[u8]) -> Result<(&[u8], Option<&[u8]>), NotGltf> {
    if !is_glb(bytes) {
        // glTF forbids a byte order mark, but some programs write one.
        return Ok((bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes), None));
    }
    match number(bytes, 4)? {
        VERSION => {}
        other => return Err(NotGltf::Version(other)),
    }
    let (kind, json, next) = chunk(bytes, HEADER)?;
    if kind != *JSON {
        return Err(NotGltf::NoJson);
    }
    // Further chunks belong to extensions.
    let binary = if next < bytes.len() {
        Some(chunk(bytes, next)?)
    } else {
        None
    };
    let binary = binary.filter(|(kind, ..)| kind == BINARY);
    Ok((json, binary.map(|(_, binary, _)| binary)))
}

/// Returns the kind and contents of the chunk at a byte offset of a binary file, and the offset of the next chunk.
/// Fails if the file ends before the chunk does.
fn chunk(bytes: &[u8], offset: usize) -> Result<([u8; 4], &[u8], usize), NotGltf> {
    let length = number(bytes, offset)?;
    let kind = number(bytes, offset + 4)?.to_le_bytes();
    let start = offset + 8;
    // The sum may exceed `usize` on machines with 32 bits.
    let end = start as u64 + u64::from(length);
    let contents = usize::try_from(end)
        .ok()
        .and_then(|end| bytes.get(start..end));
    let contents = contents.ok_or(NotGltf::CutOff {
        offset,
        end,
        length: bytes.len(),
    })?;
    Ok((kind, contents, start + contents.len()))
}

fn number(bytes: &[u8], offset: usize) -> Result<u32, NotGltf> {
    let found = bytes.get(offset..).and_then(<[u8]>::first_chunk);
    let found = found.ok_or(NotGltf::CutOff {
        offset,
        end: offset as u64 + 4,
        length: bytes.len(),
    })?;
    Ok(u32::from_le_bytes(*found))
}

/// Decodes the bytes of a Base64 `data:` URI. Returns `None` for other URIs, such as file names.
pub(super) fn data(uri: &str) -> Option<Result<Vec<u8>, base64::DecodeError>> {
    let rest = uri.strip_prefix("data:")?;
    // The media type is ignored, because exporters use several for the same content.
    let (_, text) = rest.split_once(";base64,")?;
    Some(BASE64_STANDARD.decode(text))
}
