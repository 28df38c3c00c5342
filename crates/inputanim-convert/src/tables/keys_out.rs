//! A recording as rows of keys, one after the other: what text is written from.

use inputanim::{Curve, CurvePath, Keys, Recording};

use super::Error;
use super::keys::{FLAGS, Kind, Row, is_worth_a_row};

/// Calls `sink` with every row of a recording, in the order in which all formats have them: the
/// layout, flags, curves in file order, markers.
///
/// # Errors
/// When the recording holds what its own layout cannot, and those of `sink`.
pub(super) fn rows(
    recording: &Recording<'_>,
    mut sink: impl FnMut(&Row<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    refuse_losses(recording)?;
    let layout = recording.layout;
    let about = |kind: Kind, name| Row {
        kind: Some(kind),
        name: Some(name),
        ..Row::default()
    };
    sink(&about(Kind::Layout, layout.name()))?;
    if layout.has_flags() {
        for (name, byte) in FLAGS.into_iter().zip(recording.flag_bytes()) {
            let value = Some(byte.into());
            sink(&Row {
                value,
                ..about(Kind::Flag, name)
            })?;
        }
    }
    for (path, curve) in recording.curves() {
        let of_curve = of_curve(path, curve);
        if curve.is_empty() && is_worth_a_row(curve, layout) {
            sink(&of_curve)?;
        }
        for index in 0..curve.len() {
            sink(&key(of_curve, curve, index))?;
        }
    }
    for marker in &recording.markers {
        let time = Some(marker.time);
        sink(&Row {
            time,
            ..about(Kind::Marker, &marker.name)
        })?;
    }
    Ok(())
}

/// What a layout cannot hold would be lost: a table of keys says the layout.
pub(super) fn refuse_losses(recording: &Recording<'_>) -> Result<(), Error> {
    let layout = recording.layout;
    let losses = recording.losses(layout);
    match losses.is_empty() {
        true => Ok(()),
        false => Err(Error::NotInLayout { layout, losses }),
    }
}

/// What the rows of a curve have in common.
fn of_curve<'t>(path: CurvePath, curve: Curve<'_, '_>) -> Row<'t> {
    let (pre, post) = curve.wrap();
    Row {
        curve: Some(path),
        kind: Some(Kind::of_curve(curve)),
        wrap: [Some(pre.0), Some(post.0)],
        ..Row::default()
    }
}

fn key<'t>(of_curve: Row<'t>, curve: Curve<'_, '_>, index: usize) -> Row<'t> {
    let point = curve.point(index);
    let row = Row {
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
    Row {
        slopes: slopes.map(Some),
        weighted_mode: Some(key.weighted_mode().0),
        ..row
    }
}
