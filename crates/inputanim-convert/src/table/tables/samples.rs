//! The rows of a wide text table.

use std::cmp::Ordering;

use inputanim::SamplerCursor;
use inputanim::{Frame, Marker, Pose, Ray, Recording};

use super::instants::windows;
use super::recorder::report_not_finite;
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, Report, WriteOptions};
use crate::table::frames::{Columns, FrameRow};

/// Calls `sink` with the frame of every sampled instant, in order of time and in the axes of the options. Poses and
/// rays with a number that is not finite are dropped, and their number is added to `report`.
pub(crate) fn frames(
    recording: &Recording<'_>,
    options: &WriteOptions,
    report: &mut Report,
    mut sink: impl FnMut(&Frame) -> Result<(), Error>,
) -> Result<(), Error> {
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    let mut not_finite = 0;
    for window in windows(recording, options)? {
        let window = window?;
        for time in window.times {
            window.sampler.read(time, &mut cursor, &mut frame);
            let mut frame = options.space.frame(frame.clone());
            not_finite += drop_not_finite(&mut frame);
            sink(&frame)?;
        }
    }
    report_not_finite(report, not_finite);
    Ok(())
}

/// Calls `sink` with every row of a wide table in order of time. If the options ask for markers, each is a separate row
/// before the frame at its time. Adds the number of markers without a name or a finite time, which are dropped, to
/// `report`.
pub(super) fn rows(
    recording: &Recording<'_>,
    options: &WriteOptions,
    columns: &Columns,
    report: &mut Report,
    mut sink: impl FnMut(&FrameRow<'_>) -> Result<(), Error>,
) -> Result<(), Error> {
    // A row without a name would be read as a frame.
    let is_row = |marker: &&Marker<'_>| marker.time.is_finite() && !marker.name.trim().is_empty();
    let markers = markers_within(recording, options).filter(|_| options.markers);
    let (markers, dropped): (Vec<_>, Vec<_>) = markers.partition(is_row);
    let mut markers = in_order(markers).into_iter().peekable();
    frames(recording, options, report, |frame| {
        while let Some(marker) = markers.next_if(|marker| marker.time <= frame.time) {
            sink(&FrameRow::of_marker(marker.time, &marker.name, columns))?;
        }
        sink(&FrameRow::of_frame(frame, None, columns))
    })?;
    for marker in markers {
        sink(&FrameRow::of_marker(marker.time, &marker.name, columns))?;
    }
    let message = format!(
        "{} without a name or a finite time",
        counted(dropped.len(), "marker")
    );
    report.lose(LossKind::Markers, dropped.len(), message);
    Ok(())
}

/// Returns the markers in the time range of a table.
pub(super) fn markers_within<'r>(
    recording: &'r Recording<'_>,
    options: &WriteOptions,
) -> impl Iterator<Item = &'r Marker<'r>> {
    let time = options.time;
    let markers = recording.markers.iter();
    markers.filter(move |marker| time.is_none_or(|range| range.contains(marker.time)))
}

fn in_order<'m>(mut markers: Vec<&'m Marker<'m>>) -> Vec<&'m Marker<'m>> {
    markers.sort_by(|a, b| a.time.partial_cmp(&b.time).unwrap_or(Ordering::Equal));
    markers
}

/// Sets the poses and rays that have a number that is not finite to `None`, and returns how many there were.
pub(super) fn drop_not_finite(frame: &mut Frame) -> usize {
    fn drop_unless<P>(pose: &mut Option<P>, is_finite: impl Fn(&P) -> bool) -> usize {
        usize::from(pose.take_if(|pose| !is_finite(pose)).is_some())
    }
    let is_finite = |numbers: &[f32]| numbers.iter().all(|number| number.is_finite());
    let is_pose = |pose: &Pose| is_finite(&pose.position) && is_finite(&pose.rotation);
    let is_ray = |ray: &Ray| is_finite(&ray.origin) && is_finite(&ray.direction);
    let hands = [&mut frame.left, &mut frame.right].into_iter();
    let joints = hands.flat_map(|hand| hand.joints.iter_mut().map(|(_, pose)| pose));
    let poses = joints.chain([&mut frame.head]);
    let poses = poses.map(|pose| drop_unless(pose, is_pose)).sum::<usize>();
    let of_devices = frame.devices.iter_mut().map(|device| {
        let parts = device.poses.len() + device.inputs.len();
        device.poses.retain(|(_, pose)| is_pose(pose));
        device
            .inputs
            .retain(|(_, value)| value.number().is_finite());
        parts - device.poses.len() - device.inputs.len()
    });
    poses + of_devices.sum::<usize>() + drop_unless(&mut frame.gaze, is_ray)
}
