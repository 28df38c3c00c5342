//! Descriptions of axes for people.

use inputanim::Space;

/// Describes the handedness and the axes of a coordinate system, such as `left-handed, +X right, +Y up, +Z forward`.
pub(crate) const fn axes(space: Space) -> &'static str {
    match space {
        Space::Unity => "left-handed, +X right, +Y up, +Z forward",
        Space::Gltf => "right-handed, -X right, +Y up, +Z forward",
        Space::Blender => "right-handed, +X right, +Y forward, +Z up",
        _ => "right-handed, +X right, +Y up, -Z forward",
    }
}
