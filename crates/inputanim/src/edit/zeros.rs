//! Zeros that a program wrote while its tracker had lost an object.
//!
//! Method: a sample is zero if its position is (0, 0, 0) and its rotation is the identity, or four zeros. A gaze is zero if
//! its direction is. Samples are keys that all components have at the same index, so other curves have no zeros. Cost: one
//! pass over the keys of the x curves; the other curves are read only where x is 0.

use std::cmp::Ordering;

use crate::curve::{FloatCurve, Keys};
use crate::element::Element;
use crate::joint::{Joint, Side};
use crate::recording::Recording;
use crate::time_range::TimeRange;

/// Neighbouring samples of an element that are all zero, while it has other samples that are not.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct ZeroRun {
    /// The head, the gaze, a joint or a pose of a device.
    pub element: Element,
    /// The times of the first and of the last zero sample.
    pub samples: TimeRange,
    /// The number of zero samples.
    pub count: usize,
    /// The time between the samples around the run, which are not zero; infinite at an end without such a sample.
    pub gap: TimeRange,
}

/// Returns the runs of zeros of the head, the joints, the gaze and the poses of devices, element by element, in order of time. An
/// element that has only zeros has no runs, nor has one whose components have keys at different times.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// for (time, y) in [(0.0, 1.6), (1.0, 0.0), (2.0, 0.0), (3.0, 1.6)] {
///     recording.head_mut().push(time, &Pose { position: [0.0, y, 0.0], ..Pose::IDENTITY });
/// }
/// let runs = edit::zero_runs(&recording);
/// assert_eq!((runs[0].count, runs[0].gap.start, runs[0].gap.end), (2, 0.0, 3.0));
/// ```
pub fn zero_runs(recording: &Recording<'_>) -> Vec<ZeroRun> {
    let mut runs = Vec::new();
    if let Some(head) = &recording.head {
        add_runs(Element::Head, &head.position, &head.rotation, &mut runs);
    }
    for (side, hand) in recording.hands.iter().flat_map(|hands| {
        Side::BOTH
            .into_iter()
            .map(move |side| (side, hands.hand(side)))
    }) {
        for joint in Joint::ALL.into_iter().filter(|&joint| joint != Joint::None) {
            let pose = &hand.joints[joint];
            let element = Element::Joint(side, joint);
            add_runs(element, &pose.position, &pose.rotation, &mut runs);
        }
    }
    if let Some(gaze) = &recording.gaze {
        add_runs(Element::Gaze, &gaze.direction, &[], &mut runs);
    }
    for device in &recording.devices {
        for (name, pose) in &device.poses {
            let element = Element::DevicePose(device.name, *name);
            add_runs(element, &pose.position, &pose.rotation, &mut runs);
        }
    }
    runs
}

/// Makes the [zeros](zero_runs) of a recording [unknown](Recording::known), from the last sample that is not zero to the next
/// one. A hand is unknown if all of its joints are zero. Returns the runs.
///
/// ```
/// use inputanim::{Element, Layout, Pose, Recording, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// for (time, y) in [(0.0, 1.6), (1.0, 0.0), (2.0, 1.6)] {
///     recording.head_mut().push(time, &Pose { position: [0.0, y, 0.0], ..Pose::IDENTITY });
/// }
/// edit::forget_zeros(&mut recording);
/// assert!(!recording.known.is_known(Element::Head, 1.0));
/// ```
pub fn forget_zeros(recording: &mut Recording<'_>) -> Vec<ZeroRun> {
    let runs = zero_runs(recording);
    let joints = Side::BOTH.map(|side| {
        let joints = Joint::ALL.into_iter().filter(|&joint| joint != Joint::None);
        let joints = joints.map(|joint| Element::Joint(side, joint));
        joints.filter(|&joint| recording.has_keys(joint)).count()
    });
    let gaps = Side::BOTH.map(|side| {
        let of_hand = runs.iter().filter(|run| run.element.side() == Some(side));
        let mut gaps: Vec<TimeRange> = of_hand.map(|run| run.gap).collect();
        gaps.sort_unstable_by(compare);
        gaps
    });
    for run in &runs {
        // A joint has at most one run with a gap, so that the number of equal gaps is the number of joints.
        let is_whole_hand = |side: &Side| {
            let gaps = &gaps[*side as usize];
            let first = gaps.partition_point(|gap| compare(gap, &run.gap).is_lt());
            let after = gaps.partition_point(|gap| compare(gap, &run.gap).is_le());
            after - first == joints[*side as usize]
        };
        let side = run.element.side().filter(is_whole_hand);
        let element = side.map_or(run.element, Element::Tracked);
        recording.known.add_gap(element, run.gap);
    }
    runs
}

/// Compares the starts of two gaps, and the ends of gaps with the same start.
fn compare(a: &TimeRange, b: &TimeRange) -> Ordering {
    let by_start = a.start.total_cmp(&b.start);
    by_start.then(a.end.total_cmp(&b.end))
}

/// Appends the runs of an element. `rotation` is empty for a gaze.
fn add_runs(
    element: Element,
    vector: &[FloatCurve<'_>; 3],
    rotation: &[FloatCurve<'_>],
    runs: &mut Vec<ZeroRun>,
) {
    let [x, y, z] = vector.each_ref().map(|curve| &curve.keys);
    if !x.points().any(|(_, value)| value == 0.0) {
        return;
    }
    // A pose may have a position only.
    let rotation: Vec<_> = rotation
        .iter()
        .map(|curve| &curve.keys)
        .filter(|keys| !keys.is_empty())
        .collect();
    let count = x.len();
    let components = || [y, z].into_iter().chain(rotation.iter().copied());
    if components().any(|keys| keys.len() != count) || !matches!(rotation.len(), 0 | 4) {
        return;
    }
    let value = |keys: &Keys<'_>, index: usize| keys.point(index).map(|(_, value)| value);
    let is_zero = |index: usize| {
        let is_origin = [x, y, z].iter().all(|keys| value(keys, index) == Some(0.0));
        let [imaginary @ .., w] = &rotation[..] else {
            return is_origin;
        };
        is_origin
            && imaginary.iter().all(|keys| value(keys, index) == Some(0.0))
            && value(w, index).is_some_and(|w| w == 0.0 || w.abs() == 1.0)
    };
    let first = runs.len();
    let mut before = f32::NEG_INFINITY;
    let mut open: Option<ZeroRun> = None;
    let mut is_recorded = false;
    for (index, (time, at)) in x.points().enumerate() {
        if at == 0.0 && is_zero(index) {
            let run = open.get_or_insert(ZeroRun {
                element,
                samples: TimeRange {
                    start: time,
                    end: time,
                },
                count: 0,
                gap: TimeRange {
                    start: before,
                    end: f32::INFINITY,
                },
            });
            run.samples.end = time;
            run.count += 1;
        } else {
            is_recorded = true;
            before = time;
            runs.extend(open.take().map(|mut run| {
                run.gap.end = time;
                run
            }));
        }
    }
    runs.extend(open);
    if !is_recorded {
        runs.truncate(first);
    }
}
