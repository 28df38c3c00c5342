//! The repairs of a recording, grouped for people: by rotation, or by hand.

use inputanim::Side;
use inputanim::repair::{RepairGroup, UncertainTime, joined};

use crate::messages::text::count;

/// A line of the printed report: the repairs of a position, a rotation or another curve, or of several of them.
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

impl From<RepairGroup> for Row {
    fn from(group: RepairGroup) -> Row {
        let kind = match group.name.rsplit('.').next() {
            Some("rotation") => "rotation",
            Some("position" | "origin" | "direction") => "position",
            _ => "curve",
        };
        Row {
            side: group.side(),
            kind,
            things: group.keys,
            uncertain_keys: group.uncertain_keys,
            uncertain: group.uncertain,
            name: group.name,
        }
    }
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
