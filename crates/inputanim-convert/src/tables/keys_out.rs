//! The rows of a text table of keys.

use inputanim::{Curve, CurvePath, Keys, Recording, WriteError};

use super::keys::{FLAGS, KeyRow, Kind, needs_row};
use crate::Error;

/// Calls `sink` with every row of a recording, in the order of all formats: the layout, flags, curves in file
/// order, markers.
///
/// # Errors
/// When the recording holds what its own layout cannot, and those of `sink`.
pub(super) fn rows(
    recording: &Recording<'_>,
    mut sink: impl FnMut(&KeyRow<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    refuse_losses(recording)?;
    let layout = recording.layout;
    let about = |kind: Kind, name| KeyRow {
        kind: Some(kind),
        name: Some(name),
        ..KeyRow::default()
    };
    sink(&about(Kind::Layout, layout.name()))?;
    if layout.has_flags() {
        for (name, byte) in FLAGS.into_iter().zip(recording.flag_bytes()) {
            let value = Some(byte.into());
            sink(&KeyRow {
                value,
                ..about(Kind::Flag, name)
            })?;
        }
    }
    for (path, curve) in recording.curves() {
        let of_curve = of_curve(path, curve);
        if curve.is_empty() && needs_row(curve, layout) {
            sink(&of_curve)?;
        }
        for index in 0..curve.len() {
            sink(&key(of_curve, curve, index))?;
        }
    }
    for marker in &recording.markers {
        let time = Some(marker.time);
        sink(&KeyRow {
            time,
            ..about(Kind::Marker, &marker.name)
        })?;
    }
    Ok(())
}

/// Fails if the recording contains what its own layout cannot represent: a table of keys states the layout,
/// and the recording that is read back would not have it.
pub(super) fn refuse_losses(recording: &Recording<'_>) -> Result<(), Error> {
    let layout = recording.layout;
    let losses = recording.losses(layout);
    if losses.is_empty() {
        Ok(())
    } else {
        Err(WriteError::Lossy { layout, losses }.into())
    }
}

/// Returns the cells that all rows of a curve have in common.
fn of_curve<'t>(path: CurvePath, curve: Curve<'_, '_>) -> KeyRow<'t> {
    let (pre, post) = curve.wrap();
    KeyRow {
        curve: Some(path),
        kind: Some(Kind::of_curve(curve)),
        wrap: [Some(pre.0), Some(post.0)],
        ..KeyRow::default()
    }
}

fn key<'t>(of_curve: KeyRow<'t>, curve: Curve<'_, '_>, index: usize) -> KeyRow<'t> {
    let point = curve.point(index);
    let row = KeyRow {
        time: point.map(|(time, _)| time),
        value: point.map(|(_, value)| value),
        ..of_curve
    };
    let Curve::Float(curve) = curve else {
        return row;
    };
    let Keys::Full(keys) = &curve.keys else {
        return row;
    };
    let key = &keys[index];
    let slopes = [
        key.in_tangent(),
        key.out_tangent(),
        key.in_weight(),
        key.out_weight(),
    ];
    KeyRow {
        slopes: slopes.map(Some),
        weighted_mode: Some(key.weighted_mode().0),
        ..row
    }
}
