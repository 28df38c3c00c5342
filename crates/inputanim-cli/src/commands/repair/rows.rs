//! The repairs of a recording, grouped for people: by rotation, or by hand.

use inputanim::doctor::Code;
use inputanim::repair::CurveRepair;
use inputanim::{CurvePath, Recording, Side, TimeRange};

use crate::messages::text::count;

/// The repairs of one curve, of all curves of a vector or rotation, or of several vectors.
pub(super) struct Row {
    /// The name of the curve, vector or hand; empty for flags and markers.
    pub(super) name: String,
    side: Option<Side>,
    /// The kind of what was repaired: `rotation`, `position` or `curve`.
    kind: &'static str,
    /// The number of repaired keys, flags or markers.
    pub(super) things: usize,
    pub(super) uncertain_keys: usize,
    /// The times with uncertain keys, in order of time.
    pub(super) uncertain: Vec<UncertainTime>,
}

/// A time with uncertain keys.
pub(super) struct UncertainTime {
    pub(super) range: TimeRange,
    /// The number of uncertain keys.
    pub(super) keys: usize,
}

/// Groups the repairs of curves: returns one row for a position or rotation if all of its components are repaired, and
/// one row for each other curve. `recording` is the repaired recording.
pub(super) fn rows<'r>(
    repairs: impl Iterator<Item = &'r CurveRepair>,
    recording: &Recording<'_>,
) -> Vec<Row> {
    let repairs: Vec<&CurveRepair> = repairs.collect();
    let is_same_vector = |a: &&CurveRepair, b: &&CurveRepair| {
        let vectors = a.curve.and_then(vector).zip(b.curve.and_then(vector));
        a.keys == b.keys && vectors.is_some_and(|(a, b)| a == b)
    };
    let mut rows = Vec::new();
    // The components of a vector are repaired one after the other, so only neighbours are compared.
    for group in repairs.chunk_by(is_same_vector) {
        let vector = group.first().and_then(|first| vector(first.curve?));
        match vector {
            Some(name) if is_complete(&name, group) => {
                let kind = if name.ends_with("rotation") {
                    "rotation"
                } else {
                    "position"
                };
                let first = group.first();
                rows.extend(first.map(|first| Row::new(name, kind, first, recording)));
            }
            _ => rows.extend(group.iter().map(|one| {
                let name = one.curve.map(|curve| curve.to_string());
                Row::new(name.unwrap_or_default(), "curve", one, recording)
            })),
        }
    }
    rows
}

/// Merges the rows of each hand into one row.
pub(super) fn merged(rows: Vec<Row>) -> Vec<Row> {
    let (mut merged, hands): (Vec<Row>, Vec<Row>) =
        rows.into_iter().partition(|row| row.side.is_none());
    let (left, right): (Vec<Row>, Vec<Row>) = hands
        .into_iter()
        .partition(|row| row.side == Some(Side::Left));
    for (side, hand) in [(Side::Left, left), (Side::Right, right)] {
        let [first, _, ..] = &hand[..] else {
            merged.extend(hand);
            continue;
        };
        let is_alike = hand.iter().all(|row| row.kind == first.kind);
        let kind = if is_alike { first.kind } else { "curve" };
        merged.push(Row {
            name: format!("{side} hand, {}", count(hand.len(), kind)),
            side: Some(side),
            kind,
            things: hand.iter().map(|row| row.things).sum(),
            uncertain_keys: hand.iter().map(|row| row.uncertain_keys).sum(),
            uncertain: joined(hand.into_iter().flat_map(|row| row.uncertain).collect()),
        });
    }
    merged
}

/// Joins uncertain times that overlap or are at most 0.1 s apart. Returns them in order of time.
fn joined(mut times: Vec<UncertainTime>) -> Vec<UncertainTime> {
    /// In seconds. The keys of joints at one tracking jump are a few frames apart.
    const MAX_GAP: f32 = 0.1;
    times.sort_by(|a, b| a.range.start.total_cmp(&b.range.start));
    let mut joined: Vec<UncertainTime> = Vec::new();
    for time in times {
        match joined.last_mut() {
            Some(last) if time.range.start - last.range.end <= MAX_GAP => {
                last.range.end = last.range.end.max(time.range.end);
                last.keys += time.keys;
            }
            _ => joined.push(time),
        }
    }
    joined
}

impl Row {
    fn new(
        name: String,
        kind: &'static str,
        repair: &CurveRepair,
        recording: &Recording<'_>,
    ) -> Row {
        let ranges = repair.uncertain.iter();
        let mut uncertain: Vec<UncertainTime> = ranges
            .map(|&range| UncertainTime { range, keys: 0 })
            .collect();
        let curve = repair.curve.and_then(|path| recording.curve(path));
        for (time, _) in curve.iter().flat_map(|curve| curve.points()) {
            let index = uncertain.partition_point(|one| one.range.end < time);
            if let Some(one) = uncertain.get_mut(index)
                && one.range.start <= time
            {
                one.keys += 1;
            }
        }
        Row {
            name,
            side: repair.curve.and_then(side),
            kind,
            things: repair.keys,
            uncertain_keys: repair.uncertain_keys,
            uncertain,
        }
    }
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

fn side(path: CurvePath) -> Option<Side> {
    match path {
        CurvePath::Joint(side, ..) => Some(side),
        _ => None,
    }
}
