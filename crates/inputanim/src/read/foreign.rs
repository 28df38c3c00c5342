//! Detection of files of related formats.
//!
//! Specification: docs/format.md, section 3.5.

use super::cursor::Cursor;
use crate::curve::WrapMode;
use crate::recording::Flags;

/// The magic number in decimal: the first line of the text dialect.
const TEXT_MAGIC: &[u8] = b"7678548776933278406";

/// Returns `true` if the bytes begin like the text format of the "4D holographic tutorials" family, which has the same
/// magic number as MRTK's format.
pub(super) fn is_text_dialect(bytes: &[u8]) -> bool {
    // A byte order mark can precede the text.
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    bytes.trim_ascii_start().starts_with(TEXT_MAGIC)
}

/// Returns `true` if the bytes from `start` on, after the flags, are in the binary format of the "4D holographic
/// tutorials" family: ten curves for each pose where MRTK has seven, a pose for the gaze, and all keys of 8 bytes as in
/// MRTK 1.1.
///
/// `mrtk_curves` is the number of curves that MRTK writes before its marker list. Three more curves
/// with wrap modes that Unity defines cannot be a marker list. Since none of the modes is 0, they
/// cannot be zeros that a file system leaves after a crash either.
pub(super) fn is_ten_curve_dialect(
    bytes: &[u8],
    start: usize,
    flags: Flags,
    mrtk_curves: usize,
) -> bool {
    let mut cursor = Cursor::at(bytes, start);
    let sizes = [
        (flags.head, 10),
        (flags.hand, 4 + 2 * 27 * 10),
        (flags.gaze, 10),
    ];
    let all: usize = sizes
        .iter()
        .filter_map(|(is_present, curves)| is_present.then_some(curves))
        .sum();
    let enough = all.min(mrtk_curves + 3);
    enough > mrtk_curves && (0..enough).all(|_| skip_curve(&mut cursor).is_some())
}

/// Moves the cursor behind a curve with keys of 8 bytes. Returns `None` if a wrap mode is 0 or one that Unity does not
/// define, or if the bytes end before the curve.
fn skip_curve(cursor: &mut Cursor<'_>) -> Option<()> {
    for _ in 0..2 {
        let wrap = WrapMode(cursor.i32()?);
        (wrap.is_known() && wrap != WrapMode::DEFAULT).then_some(())?;
    }
    let keys = usize::try_from(cursor.i32()?).ok()?;
    cursor.take(keys.checked_mul(8)?).map(|_| ())
}
