//! The repairs of a recording, grouped for people: by rotation, and by hand where all of them are
//! certain.

use inputanim::doctor::Code;
use inputanim::repair::CurveRepair;
use inputanim::{CurvePath, Side, TimeRange};

use crate::text::count;

/// The repairs of one curve, of all curves of a vector or rotation, or of several vectors.
#[derive(Clone)]
pub(super) struct Row<'r> {
    /// Empty for flags and markers.
    pub(super) name: String,
    side: Option<Side>,
    /// `rotation`, `position` or `curve`.
    kind: &'static str,
    /// Keys, flags or markers.
    pub(super) things: usize,
    pub(super) uncertain_keys: usize,
    pub(super) uncertain: &'r [TimeRange],
}

/// Returns a row for each vector or rotation with repairs in all components, and for each other
/// curve.
pub(super) fn rows<'r>(repairs: impl Iterator<Item = &'r CurveRepair>) -> Vec<Row<'r>> {
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
                rows.extend(group.first().map(|first| Row::new(name, kind, first)));
            }
            _ => rows.extend(group.iter().map(|one| {
                let name = one.curve.map(|curve| curve.to_string());
                Row::new(name.unwrap_or_default(), "curve", one)
            })),
        }
    }
    rows
}

/// Merges the rows of a hand that are certain into one.
pub(super) fn merged<'r>(rows: &[Row<'r>]) -> Vec<Row<'r>> {
    let mut merged: Vec<Row<'r>> = Vec::new();
    for side in [None, Some(Side::Left), Some(Side::Right)] {
        let of_side = rows.iter().filter(|row| row.side == side).cloned();
        let (certain, uncertain): (Vec<_>, Vec<_>) =
            of_side.partition(|row| row.uncertain_keys == 0);
        match (side, &certain[..]) {
            (Some(side), [first, _, ..]) => {
                let is_alike = certain.iter().all(|row| row.kind == first.kind);
                let kind = if is_alike { first.kind } else { "curve" };
                merged.push(Row {
                    name: format!("{side} hand, {}", count(certain.len(), kind)),
                    things: certain.iter().map(|row| row.things).sum(),
                    ..first.clone()
                });
            }
            _ => merged.extend(certain),
        }
        merged.extend(uncertain);
    }
    merged
}

impl<'r> Row<'r> {
    fn new(name: String, kind: &'static str, repair: &'r CurveRepair) -> Row<'r> {
        Row {
            name,
            side: repair.curve.and_then(side),
            kind,
            things: repair.keys,
            uncertain_keys: repair.uncertain_keys,
            uncertain: &repair.uncertain,
        }
    }
}

/// Returns whether the repairs are those of all components of a vector.
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
