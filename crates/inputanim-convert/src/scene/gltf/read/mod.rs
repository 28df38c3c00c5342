//! Reads a recording from glTF.

mod axes;
mod buffers;
mod curves;
mod file;
mod keys;
mod motion;
mod nodes;
mod roles;
mod states;
mod unread;
mod vrm;
mod world;

use inputanim::{About, Recording};

use super::container;
use super::document::Document;
use super::error::GltfError;
use crate::shared::limits::check_limit;
use crate::shared::{Error, Format, ReadOptions, Report};
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
    let nodes = Nodes::new(&document);
    let file = File::new(&document, binary, nodes, options)?;
    let own = file.texts();
    let (mut recording, report) = file.recording()?;
    recording.about = own.unwrap_or_else(|| {
        let asset = &document.asset;
        let format = if bytes.starts_with(b"glTF") {
            Format::Glb
        } else {
            Format::Gltf
        };
        let texts = [
            (About::FORMAT, format.name()),
            (About::PROGRAM, &asset.generator),
            ("copyright", &asset.copyright),
        ];
        texts.into_iter().collect()
    });
    Ok((recording, report))
}
