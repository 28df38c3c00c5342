//! The repairs of a report as people count them: a rotation is one thing, although it has four curves.

use crate::curve::Curve;
use crate::doctor::Code;
use crate::joint::Side;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::repair::{CurveRepair, RepairReport};
use crate::time_range::TimeRange;

/// The repairs of one kind of finding in a position or a rotation, or in another curve.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct RepairGroup {
    /// The kind of finding.
    pub code: Code,
    /// The name of the position or rotation, such as `left.Palm.rotation`, or of the curve; empty for flags and markers.
    pub name: String,
    /// The curves. For a rotation whose w was rebuilt, the curve of w.
    pub curves: Vec<CurvePath>,
    /// Number of keys (or flags, or markers) that were changed, added or removed. A key of a rotation counts once.
    pub keys: usize,
    /// Number of rebuilt keys whose sign is uncertain; see [`CurveRepair::uncertain_keys`].
    pub uncertain_keys: usize,
    /// The times of the uncertain keys, in order.
    pub uncertain: Vec<UncertainTime>,
}

/// A time range with uncertain keys.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct UncertainTime {
    /// The range from the first to the last uncertain key.
    #[cfg_attr(feature = "serde", serde(flatten))]
    pub range: TimeRange,
    /// The number of uncertain keys.
    pub keys: usize,
    /// The names of the rotations with uncertain keys.
    pub names: Vec<String>,
}

impl RepairReport {
    /// Groups the repairs: returns one group for a position or rotation if all of its components are repaired, and one group
    /// for each other curve. The groups of a code follow each other. `repaired` is the repaired recording.
    ///
    /// ```
    /// use inputanim::{Layout, Pose, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// for (time, w) in [(0.0, 1.0), (1.0, -1.0)] {
    ///     let rotation = [0.0, 0.0, 0.0, w];
    ///     recording.head_mut().push(time, &Pose { rotation, ..Pose::IDENTITY });
    /// }
    /// let report = recording.repair();
    /// let groups = report.groups(&recording);
    /// assert_eq!((groups[0].name.as_str(), groups[0].keys), ("head.rotation", 1));
    /// ```
    pub fn groups(&self, repaired: &Recording<'_>) -> Vec<RepairGroup> {
        let mut codes: Vec<Code> = self.repaired.iter().map(|repair| repair.code).collect();
        // The order of declaration: D codes before L codes.
        codes.sort();
        codes.dedup();
        let of = |&code| {
            groups_of(
                self.repaired.iter().filter(move |one| one.code == code),
                repaired,
            )
        };
        codes.iter().flat_map(of).collect()
    }
}

fn groups_of<'r>(
    repairs: impl Iterator<Item = &'r CurveRepair>,
    recording: &Recording<'_>,
) -> Vec<RepairGroup> {
    let repairs: Vec<&CurveRepair> = repairs.collect();
    let is_same_vector = |a: &&CurveRepair, b: &&CurveRepair| {
        let vectors = a.curve.and_then(vector).zip(b.curve.and_then(vector));
        a.keys == b.keys && vectors.is_some_and(|(a, b)| a == b)
    };
    let mut groups = Vec::new();
    // The components of a vector are repaired one after the other, so only neighbours are compared.
    for group in repairs.chunk_by(is_same_vector) {
        let vector = group.first().and_then(|first| vector(first.curve?));
        match vector {
            Some(name) if is_complete(&name, group) => {
                groups.push(RepairGroup::new(name, group, recording));
            }
            _ => groups.extend(group.iter().map(|one| {
                let name = one.curve.map(|curve| curve.to_string());
                RepairGroup::new(name.unwrap_or_default(), &[one], recording)
            })),
        }
    }
    groups
}

impl RepairGroup {
    fn new(name: String, repairs: &[&CurveRepair], recording: &Recording<'_>) -> RepairGroup {
        // The components have the same numbers of keys, and only w has uncertain keys.
        let first = repairs[0];
        let ranges = first.uncertain.iter();
        let mut uncertain: Vec<UncertainTime> = ranges
            .map(|&range| UncertainTime {
                range,
                keys: 0,
                names: vec![name.clone()],
            })
            .collect();
        let curve = first.curve.and_then(|path| recording.curve(path));
        for (time, _) in curve.iter().flat_map(Curve::points) {
            let index = uncertain.partition_point(|one| one.range.end < time);
            if let Some(one) = uncertain.get_mut(index)
                && one.range.start <= time
            {
                one.keys += 1;
            }
        }
        RepairGroup {
            code: first.code,
            curves: repairs.iter().filter_map(|one| one.curve).collect(),
            keys: first.keys,
            uncertain_keys: first.uncertain_keys,
            uncertain,
            name,
        }
    }

    /// Returns the hand of the curves; `None` for others.
    pub fn side(&self) -> Option<Side> {
        match self.curves.first()? {
            CurvePath::Joint(side, ..) => Some(*side),
            _ => None,
        }
    }

    /// Returns the time ranges of the keys that the repair has changed, added or removed, each from the first to the last key
    /// of a run of them. `before` is the damaged recording, and `after` the repaired one. Keys without a finite time have no
    /// time range.
    pub fn changed_times(&self, before: &Recording<'_>, after: &Recording<'_>) -> Vec<TimeRange> {
        let ranges = self.curves.iter().flat_map(|&path| {
            let points = |recording: &Recording<'_>| {
                let curve = recording.curve(path);
                curve.iter().flat_map(sorted_points).collect::<Vec<_>>()
            };
            changed_runs(&points(before), &points(after))
        });
        let mut ranges: Vec<TimeRange> = ranges.collect();
        ranges.sort_by(|a, b| a.start.total_cmp(&b.start));
        ranges.dedup_by(|next, last| {
            let overlaps = next.start <= last.end;
            if overlaps {
                last.end = last.end.max(next.end);
            }
            overlaps
        });
        ranges
    }
}

/// Returns the keys of a curve with finite times, in order of time.
fn sorted_points(curve: &Curve<'_, '_>) -> Vec<(f32, f32)> {
    let points = curve.points().filter(|(time, _)| time.is_finite());
    let mut points: Vec<(f32, f32)> = points.collect();
    points.sort_by(|a, b| a.0.total_cmp(&b.0));
    points
}

/// Returns the time ranges of runs of keys that differ. Both lists are in order of time.
fn changed_runs(before: &[(f32, f32)], after: &[(f32, f32)]) -> Vec<TimeRange> {
    let mut runs: Vec<TimeRange> = Vec::new();
    let mut is_run = false;
    let (mut i, mut j) = (0, 0);
    loop {
        let (old, new) = (before.get(i), after.get(j));
        let time = match (old, new) {
            (None, None) => return runs,
            (Some(old), Some(new)) => old.0.min(new.0),
            (Some(one), None) | (None, Some(one)) => one.0,
        };
        let [old, new] = [old, new].map(|point| point.filter(|point| point.0 == time));
        i += usize::from(old.is_some());
        j += usize::from(new.is_some());
        // A key without a partner was added or removed.
        let is_changed = old.map(|point| point.1.to_bits()) != new.map(|point| point.1.to_bits());
        match (is_changed, is_run, runs.last_mut()) {
            (true, true, Some(run)) => run.end = time,
            (true, ..) => runs.push(TimeRange::instant(time)),
            _ => {}
        }
        is_run = is_changed;
    }
}

/// Joins uncertain times that overlap or are at most 0.1 s apart. Returns them in order of time.
pub fn joined(mut times: Vec<UncertainTime>) -> Vec<UncertainTime> {
    /// In seconds. The keys of joints at one tracking jump are a few frames apart.
    const MAX_GAP: f32 = 0.1;
    times.sort_by(|a, b| a.range.start.total_cmp(&b.range.start));
    let mut joined: Vec<UncertainTime> = Vec::new();
    for time in times {
        match joined.last_mut() {
            Some(last) if time.range.start - last.range.end <= MAX_GAP => {
                last.range.end = last.range.end.max(time.range.end);
                last.keys += time.keys;
                for name in time.names {
                    if !last.names.contains(&name) {
                        last.names.push(name);
                    }
                }
            }
            _ => joined.push(time),
        }
    }
    joined
}

/// Returns `true` if the repairs concern all components of the position or rotation with the name `vector`.
fn is_complete(vector: &str, repairs: &[&CurveRepair]) -> bool {
    // Where w was lost, only w is repaired, but its sign decides about the entire rotation.
    let is_w =
        |one: &&CurveRepair| matches!(one.code, Code::RotationWLost | Code::RotationWCopiesZ);
    let components = if vector.ends_with("rotation") { 4 } else { 3 };
    repairs.len() == components || repairs.iter().all(is_w)
}

/// Returns the name of a curve without the component, such as `left.IndexTip.rotation`; `None` for
/// a state, which has no components.
fn vector(path: CurvePath) -> Option<String> {
    match path {
        CurvePath::Tracked(_) | CurvePath::Pinching(_) => None,
        _ => Some(path.to_string().rsplit_once('.')?.0.to_owned()),
    }
}
