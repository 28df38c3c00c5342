//! What was mended, gathered so that people can read it: by rotation, and by hand where nothing is
//! doubtful.

use inputanim::doctor::Code;
use inputanim::repair::Mended;
use inputanim::{CurvePath, Side, Span};

use crate::text::count;

/// What was mended in one curve, in all curves of a vector or rotation, or in many.
#[derive(Clone)]
pub(super) struct Row<'r> {
    /// Empty for flags and markers.
    pub(super) name: String,
    side: Option<Side>,
    /// `rotation`, `position` or `curve`.
    kind: &'static str,
    /// Keys, flags or markers.
    pub(super) things: usize,
    pub(super) doubtful_keys: usize,
    pub(super) doubtful: &'r [Span],
}

/// A row for each vector or rotation that was mended as a whole, and for each curve beside.
pub(super) fn rows<'r>(mended: impl Iterator<Item = &'r Mended>) -> Vec<Row<'r>> {
    let mended: Vec<&Mended> = mended.collect();
    let is_one = |a: &&Mended, b: &&Mended| {
        let vectors = a.curve.and_then(vector).zip(b.curve.and_then(vector));
        a.keys == b.keys && vectors.is_some_and(|(a, b)| a == b)
    };
    let mut rows = Vec::new();
    for alike in mended.chunk_by(is_one) {
        let vector = alike.first().and_then(|first| vector(first.curve?));
        match vector {
            Some(name) if is_whole(&name, alike) => {
                let kind = if name.ends_with("rotation") {
                    "rotation"
                } else {
                    "position"
                };
                rows.extend(alike.first().map(|first| Row::new(name, kind, first)));
            }
            _ => rows.extend(alike.iter().map(|one| {
                let name = one.curve.map(|curve| curve.to_string());
                Row::new(name.unwrap_or_default(), "curve", one)
            })),
        }
    }
    rows
}

/// Rows of a hand in which nothing is doubtful become one.
pub(super) fn summed_up<'r>(rows: &[Row<'r>]) -> Vec<Row<'r>> {
    let mut summed: Vec<Row<'r>> = Vec::new();
    for side in [None, Some(Side::Left), Some(Side::Right)] {
        let of_side = rows.iter().filter(|row| row.side == side).cloned();
        let (sure, doubtful): (Vec<_>, Vec<_>) = of_side.partition(|row| row.doubtful_keys == 0);
        match (side, &sure[..]) {
            (Some(side), [first, _, ..]) => {
                let is_alike = sure.iter().all(|row| row.kind == first.kind);
                let kind = if is_alike { first.kind } else { "curve" };
                summed.push(Row {
                    name: format!("{side} hand, {}", count(sure.len(), kind)),
                    things: sure.iter().map(|row| row.things).sum(),
                    ..first.clone()
                });
            }
            _ => summed.extend(sure),
        }
        summed.extend(doubtful);
    }
    summed
}

impl<'r> Row<'r> {
    fn new(name: String, kind: &'static str, mended: &'r Mended) -> Row<'r> {
        Row {
            name,
            side: mended.curve.and_then(side),
            kind,
            things: mended.keys,
            doubtful_keys: mended.doubtful_keys,
            doubtful: &mended.doubtful,
        }
    }
}

/// Whether these are all the components of a vector; w stands for its whole rotation where it was
/// lost.
fn is_whole(vector: &str, mended: &[&Mended]) -> bool {
    let is_w = |one: &&Mended| matches!(one.code, Code::RotationWLost | Code::RotationWFalse);
    let components = if vector.ends_with("rotation") { 4 } else { 3 };
    mended.len() == components || mended.iter().all(is_w)
}

/// `left.IndexTip.rotation`; `None` for a state, which has no components.
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
