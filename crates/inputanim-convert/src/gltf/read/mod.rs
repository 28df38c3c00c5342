//! glTF in: a recording.

mod buffers;
mod curves;
mod error;
mod file;
mod keys;
mod motion;
mod nodes;
mod states;
mod world;

use std::io;

use inputanim::{Limits, Recording, Space};

use super::container;
use super::document::Document;

pub use error::{ChannelFault, Error};
use file::File;
use nodes::Nodes;

/// How glTF is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ReadOptions {
    /// The axes of the file. Without: those of glTF, or Unity's where MRTK wrote it, which does not
    /// convert them.
    pub space: Option<Space>,
    /// The animation by its name. Without: the first that moves a node that is known.
    pub animation: Option<String>,
}

/// Whether bytes look like glTF, in either form, rather than like a recording or other JSON: by what
/// the binary form begins with, or by the first member of the text.
///
/// ```
/// use inputanim_convert::gltf;
/// assert!(gltf::is_gltf(br#"{"asset": {"version": "2.0"}}"#));
/// assert!(!gltf::is_gltf(br#"{"format": "inputanim-json"}"#));
/// ```
pub fn is_gltf(bytes: &[u8]) -> bool {
    const MEMBERS: [&str; 19] = [
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
    let first_member = || {
        let text = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let object = text.trim_ascii_start().strip_prefix(b"{")?;
        let name = object.trim_ascii_start().strip_prefix(b"\"")?;
        name.split(|&byte| byte == b'"').next()
    };
    let is_member = |name: &[u8]| MEMBERS.iter().any(|member| member.as_bytes() == name);
    container::is_glb(bytes) || first_member().is_some_and(is_member)
}

/// Reads a recording from glTF that is one file, with the default options and [`Limits`].
///
/// # Errors
/// When it is no such file or nothing in it is known; the error says what was expected where.
pub fn read(bytes: &[u8]) -> Result<Recording<'static>, Error> {
    let no_files = |_: &str| Err(io::Error::other("only what is in the file itself is read"));
    read_with(bytes, &ReadOptions::default(), &Limits::default(), no_files)
}

/// Reads a recording from glTF within `limits`; `beside` gives files that lie beside by their names.
/// [`Limits::max_bytes`] bounds the file.
///
/// # Errors
/// As [`read`], and when a limit is passed.
pub fn read_with(
    bytes: &[u8],
    options: &ReadOptions,
    limits: &Limits,
    mut beside: impl FnMut(&str) -> io::Result<Vec<u8>>,
) -> Result<Recording<'static>, Error> {
    if bytes.len() as u64 > limits.max_bytes {
        return Err(Error::Limit {
            limit: limits.max_bytes,
            things: "bytes",
        });
    }
    let (json, binary) = container::parts(bytes).map_err(Error::Container)?;
    let document: Document = serde_json::from_slice(json)?;
    if document.asset.version.split('.').next() != Some("2") {
        let found = document.asset.version.chars().take(20).collect();
        return Err(Error::Version(found));
    }
    let nodes = Nodes::new(&document)?;
    File::new(&document, binary, nodes, options, limits, &mut beside)?.recording()
}
