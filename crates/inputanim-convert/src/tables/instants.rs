//! A wide table line by line: what text is written from.

use std::cmp::Ordering;

use inputanim::sampler::Cursor;
use inputanim::{Frame, Marker, Pose, Ray, Recording};

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
    let mut poses = 0;
    for piece in pieces(recording, options.times)? {
        let piece = piece?;
        for time in piece.times {
            while let Some(marker) = markers.next_if(|marker| marker.time <= time) {
                sink(&Row::of_marker(marker.time, &marker.name, columns))?;
            }
            piece.sampler.read(time, &mut cursor, &mut frame);
            let mut turned = options.space.frame(frame.clone());
            poses += leave_out(&mut turned);
            sink(&Row::of_frame(&turned, None, columns))?;
        }
    }
    for marker in markers {
        sink(&Row::of_marker(marker.time, &marker.name, columns))?;
    }
    let markers = lost.len() as u64;
    let losses = [
        (poses > 0).then_some(Loss::NotFinite { poses }),
        (markers > 0).then_some(Loss::Markers { markers }),
    ];
    Ok(losses.into_iter().flatten().collect())
}

fn in_order<'m>(mut markers: Vec<&'m Marker<'m>>) -> Vec<&'m Marker<'m>> {
    markers.sort_by(|a, b| a.time.partial_cmp(&b.time).unwrap_or(Ordering::Equal));
    markers
}

/// Leaves poses and rays out that are not finite, since they have all of their numbers or none; and says
/// how many.
fn leave_out(frame: &mut Frame) -> u64 {
    fn leave_out<P>(pose: &mut Option<P>, is_finite: impl Fn(&P) -> bool) -> u64 {
        u64::from(pose.take_if(|pose| !is_finite(pose)).is_some())
    }
    let is_finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
    let is_pose = |pose: &Pose| is_finite(&pose.position) && is_finite(&pose.rotation);
    let is_ray = |ray: &Ray| is_finite(&ray.origin) && is_finite(&ray.direction);
    let hands = [&mut frame.left, &mut frame.right].into_iter();
    let joints = hands.flat_map(|hand| hand.joints.iter_mut().map(|(_, pose)| pose));
    let poses = joints.chain([&mut frame.camera]);
    poses.map(|pose| leave_out(pose, is_pose)).sum::<u64>() + leave_out(&mut frame.gaze, is_ray)
}
