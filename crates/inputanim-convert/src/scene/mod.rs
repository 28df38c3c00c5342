//! Formats of animated scenes.

#[cfg(feature = "anim")]
pub mod anim;
#[cfg(feature = "bvh")]
pub mod bvh;
#[cfg(feature = "gltf")]
pub mod gltf;
#[cfg(any(feature = "gltf", feature = "usda"))]
pub(crate) mod hand_mesh;
#[cfg(feature = "handsbin")]
pub mod handsbin;
#[cfg(feature = "iwer")]
pub mod iwer;
#[cfg(feature = "usda")]
pub mod usd;

use std::io::Write;

use inputanim::Recording;

use crate::shared::{Error, Format, ReadOptions, Report, WriteOptions, utf16};

/// Writes a recording as an animated scene: Unity clip, capture of hands by Unity, BVH, glTF, IWER or USD. Fails for any other format, and if the
/// build lacks the format.
pub(crate) fn write(
    format: Format,
    recording: &Recording<'_>,
    options: &WriteOptions,
    output: impl Write + Send,
) -> Result<Report, Error> {
    match format {
        #[cfg(feature = "anim")]
        Format::Anim => anim::write(recording, options, output),
        #[cfg(feature = "bvh")]
        Format::Bvh => bvh::write(recording, options, output),
        #[cfg(feature = "gltf")]
        Format::Glb | Format::Gltf => gltf::write(format, recording, options, output),
        #[cfg(feature = "handsbin")]
        Format::HandsBin => handsbin::write(recording, options, output),
        #[cfg(feature = "iwer")]
        Format::Iwer => iwer::write(recording, options, output),
        #[cfg(feature = "usda")]
        Format::Usda => usd::write(format, recording, options, output),
        #[cfg(feature = "usdc")]
        Format::Usdc => usd::write(format, recording, options, output),
        _ => Err(Error::NotInBuild(format)),
    }
}

/// Reads a recording from an animated scene: glTF, IWER or a capture of hands by Unity. Fails for any other format, and if the build lacks the
/// format.
pub(crate) fn read<'a>(
    format: Format,
    bytes: &'a [u8],
    options: &ReadOptions,
) -> Result<(Recording<'a>, Report), Error> {
    match format {
        #[cfg(feature = "gltf")]
        Format::Glb | Format::Gltf => gltf::read(bytes, options),
        #[cfg(feature = "handsbin")]
        Format::HandsBin => handsbin::read(bytes, options),
        #[cfg(feature = "iwer")]
        Format::Iwer => iwer::read(&utf16::to_utf8(bytes), options),
        _ => Err(Error::NotInBuild(format)),
    }
}
