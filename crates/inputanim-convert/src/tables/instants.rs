//! A wide table line by line: what text is written from.

use std::cmp::Ordering;

use inputanim::sampler::Cursor;
use inputanim::{Frame, Joint, Marker, Recording, Side};

use super::pieces::pieces;
use super::{Error, Loss, Options};
use crate::frames::{Columns, Row};

/// The columns of a recording as text: with one of markers, if there are any and they are wanted.
pub(super) fn columns(recording: &Recording<'_>, options: &Options) -> Columns {
    Columns {
        marker: options.markers && !recording.markers.is_empty(),
        ..Columns::of(recording)
    }
}

/// Calls `sink` with every row in order of time; a marker is a row of its own, before what plays then.
pub(super) fn rows(
    recording: &Recording<'_>,
    options: &Options,
    columns: &Columns,
    mut sink: impl FnMut(&Row<'_>) -> Result<(), Error>,
) -> Result<Vec<Loss>, Error> {
    let is_row = |marker: &&Marker<'_>| marker.time.is_finite() && !marker.name.trim().is_empty();
    let markers = recording.markers.iter().filter(|_| options.markers);
    let (markers, lost): (Vec<_>, Vec<_>) = markers.partition(is_row);
    let mut markers = in_order(markers).into_iter().peekable();
    let mut cursor = Cursor::default();
    let mut frame = Frame::default();
    let mut cells = 0;
    for piece in pieces(recording, options.times)? {
        let piece = piece?;
        for time in piece.times {
            while let Some(marker) = markers.next_if(|marker| marker.time <= time) {
                sink(&Row::of_marker(marker.time, &marker.name, columns))?;
            }
            piece.sampler.read(time, &mut cursor, &mut frame);
            cells += not_finite(&frame);
            let turned = options.space.frame(frame.clone());
            sink(&Row::of_frame(&turned, None, columns))?;
        }
    }
    for marker in markers {
        sink(&Row::of_marker(marker.time, &marker.name, columns))?;
    }
    let markers = lost.len() as u64;
    let losses = [
        (cells > 0).then_some(Loss::NotFinite { cells }),
        (markers > 0).then_some(Loss::Markers { markers }),
    ];
    Ok(losses.into_iter().flatten().collect())
}

fn in_order<'m>(mut markers: Vec<&'m Marker<'m>>) -> Vec<&'m Marker<'m>> {
    markers.sort_by(|a, b| a.time.partial_cmp(&b.time).unwrap_or(Ordering::Equal));
    markers
}

/// How many numbers of a frame are none.
fn not_finite(frame: &Frame) -> u64 {
    let joint = |side: Side, joint: Joint| frame.hand(side).joints[joint];
    let joints = Side::BOTH
        .into_iter()
        .flat_map(|side| Joint::ALL.into_iter().filter_map(move |j| joint(side, j)));
    let poses = joints.chain(frame.camera);
    let of_poses = poses.flat_map(|pose| pose.position.into_iter().chain(pose.rotation));
    let of_rays = frame
        .gaze
        .into_iter()
        .flat_map(|ray| ray.origin.into_iter().chain(ray.direction));
    of_poses
        .chain(of_rays)
        .filter(|number| !number.is_finite())
        .count() as u64
}
