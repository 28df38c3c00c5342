//! Reads a recording from glTF.

mod buffers;
mod curves;
mod file;
mod keys;
mod motion;
mod nodes;
mod states;
mod world;

use inputanim::Recording;

use super::container;
use super::document::Document;
use super::error::GltfError;
use crate::shared::limits::check_limit;
use crate::shared::{Error, ReadOptions, Report};
use file::File;
use nodes::Nodes;

/// Reads a recording from a binary or text glTF file. Fails if the file is malformed, exceeds the limits, or has no
/// animation of a node with a known name.
pub(crate) fn read(
    bytes: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    check_limit(bytes.len() as u64, options.limits.max_bytes, "bytes")?;
    let (json, binary) = container::parts(bytes).map_err(GltfError::Container)?;
    let document: Document = serde_json::from_slice(json).map_err(GltfError::Json)?;
    // Minor versions of glTF are compatible.
    if document.asset.version.split('.').next() != Some("2") {
        let found = document.asset.version.chars().take(20).collect();
        return Err(GltfError::Version(found).into());
    }
    let nodes = Nodes::new(&document)?;
    let recording = File::new(&document, binary, nodes, options)?.recording()?;
    Ok((recording, Report::default()))
}
