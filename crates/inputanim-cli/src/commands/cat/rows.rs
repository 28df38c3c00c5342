//! Rows of `cat`.

use inputanim::{Curve, CurvePath, Keys, Marker, TimeRange};
use inputanim_convert::json::Number;
use serde::Serialize;

use super::Row;

pub(super) const KEY_COLUMNS: [&str; 8] = [
    "curve",
    "time_s",
    "value",
    "in_tangent",
    "out_tangent",
    "in_weight",
    "out_weight",
    "weighted_mode",
];

/// A key.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct KeyRow<'r> {
    curve: &'r str,
    time: Number,
    value: Number,
    #[serde(flatten)]
    tangents: Option<Tangents>,
}

/// The rest of a full key.
#[derive(Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
struct Tangents {
    in_tangent: Number,
    out_tangent: Number,
    in_weight: Number,
    out_weight: Number,
    weighted_mode: i32,
}

/// Calls `push` with every key of a curve whose time is wanted.
// Times and values may be NaN or infinite, which JSON numbers cannot be; `Number` makes text of
// them.
pub(super) fn keys(
    path: CurvePath,
    curve: Curve<'_, '_>,
    is_wanted: impl Fn(f32) -> bool,
    mut push: impl FnMut(KeyRow<'_>) -> anyhow::Result<()>,
) -> anyhow::Result<()> {
    let name = path.to_string();
    for (index, (time, value)) in curve.points().enumerate() {
        if !is_wanted(time) {
            continue;
        }
        push(KeyRow {
            curve: &name,
            time: Number(time),
            value: Number(value),
            tangents: tangents(curve, index),
        })?;
    }
    Ok(())
}

fn tangents(curve: Curve<'_, '_>, index: usize) -> Option<Tangents> {
    let Curve::Float(curve) = curve else {
        return None;
    };
    let Keys::Full(keys) = &curve.keys else {
        return None;
    };
    let key = &keys[index];
    Some(Tangents {
        in_tangent: Number(key.in_tangent()),
        out_tangent: Number(key.out_tangent()),
        in_weight: Number(key.in_weight()),
        out_weight: Number(key.out_weight()),
        weighted_mode: key.weighted_mode().0,
    })
}

impl Row for KeyRow<'_> {
    fn cells(&self) -> Vec<String> {
        let mut cells = vec![
            self.curve.to_owned(),
            self.time.to_string(),
            self.value.to_string(),
        ];
        if let Some(t) = self.tangents {
            let numbers = [t.in_tangent, t.out_tangent, t.in_weight, t.out_weight];
            cells.extend(numbers.map(|number| number.to_string()));
            cells.push(t.weighted_mode.to_string());
        }
        cells
    }
}

pub(super) const CURVE_COLUMNS: [&str; 7] = [
    "curve",
    "kind",
    "pre_wrap",
    "post_wrap",
    "keys",
    "first_s",
    "last_s",
];

/// A curve.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct CurveRow {
    curve: String,
    kind: &'static str,
    pre_wrap: i32,
    post_wrap: i32,
    keys: usize,
    first_time: Option<Number>,
    last_time: Option<Number>,
}

/// Returns the row of a curve, which counts only keys for which `is_wanted` is true.
pub(super) fn curve(
    path: CurvePath,
    curve: Curve<'_, '_>,
    is_wanted: impl Fn(f32) -> bool,
) -> CurveRow {
    let times = curve.points().map(|(time, _)| time);
    let times: Vec<f32> = times.filter(|time| is_wanted(*time)).collect();
    let (pre, post) = curve.wrap();
    CurveRow {
        curve: path.to_string(),
        kind: curve.kind_name(),
        pre_wrap: pre.0,
        post_wrap: post.0,
        keys: times.len(),
        // Keys may be in any order (docs/format.md 3.6). These are the ends of the list, as it is
        // stored.
        first_time: times.first().copied().map(Number),
        last_time: times.last().copied().map(Number),
    }
}

impl Row for CurveRow {
    fn cells(&self) -> Vec<String> {
        let time = |time: Option<Number>| time.map(|time| time.to_string()).unwrap_or_default();
        vec![
            self.curve.clone(),
            self.kind.to_owned(),
            self.pre_wrap.to_string(),
            self.post_wrap.to_string(),
            self.keys.to_string(),
            time(self.first_time),
            time(self.last_time),
        ]
    }
}

pub(super) const STATE_COLUMNS: [&str; 4] = ["hand", "state", "start_s", "end_s"];

/// A time range in which a state is on.
#[derive(Serialize)]
pub(super) struct StateRow {
    hand: String,
    state: String,
    start: Number,
    end: Number,
}

pub(super) fn state(path: CurvePath, range: TimeRange) -> StateRow {
    // `left.pinching`
    let path = path.to_string();
    let (hand, state) = path.split_once('.').unwrap_or(("", &path));
    StateRow {
        hand: hand.to_owned(),
        state: state.to_owned(),
        start: Number(range.start),
        end: Number(range.end),
    }
}

impl Row for StateRow {
    fn cells(&self) -> Vec<String> {
        vec![
            self.hand.clone(),
            self.state.clone(),
            self.start.to_string(),
            self.end.to_string(),
        ]
    }
}

pub(super) const MARKER_COLUMNS: [&str; 2] = ["name", "time_s"];

/// A marker.
#[derive(Serialize)]
pub(super) struct MarkerRow<'r> {
    name: &'r str,
    time: Number,
}

pub(super) fn marker<'r>(marker: &'r Marker<'_>) -> MarkerRow<'r> {
    MarkerRow {
        name: &marker.name,
        time: Number(marker.time),
    }
}

impl Row for MarkerRow<'_> {
    fn cells(&self) -> Vec<String> {
        vec![self.name.to_owned(), self.time.to_string()]
    }
}
