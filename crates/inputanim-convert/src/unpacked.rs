//! How large what is packed in a file may be.

use inputanim::Limits;

/// Most bytes that a file of so many may unpack to: what is nearly all zeros may grow by a factor of
/// thousands, but no small file becomes a large one. What is trusted may be of any size.
pub(crate) fn due(bytes: u64, limits: &Limits) -> u64 {
    match limits.max_bytes {
        u64::MAX => u64::MAX,
        _ => bytes.saturating_mul(1024).saturating_add(64 << 20),
    }
}
