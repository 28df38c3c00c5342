//! Keys of vectors, with slopes on both sides.

use inputanim::{FloatCurve, FullKey, Keys, WeightedMode};

/// A tangent with this weight evaluates like a tangent without a weight.
pub(super) const PLAIN_WEIGHT: f32 = 1.0 / 3.0;
/// MRTK makes a segment hold its value with this weight.
const HOLDING_WEIGHT: f32 = 1e6;

/// A key of all `N` components of a vector in a clip. The time is in seconds, and slopes are in units per second.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct VectorKey<const N: usize> {
    pub(super) time: f32,
    pub(super) value: [f32; N],
    pub(super) slope: Sides<[f32; N]>,
    pub(super) weight: Sides<[f32; N]>,
    /// Unity's `WeightedMode`: bit 0 for the weight before the key, bit 1 for the weight after it.
    pub(super) mode: i32,
}

/// A value for each side of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sides<T> {
    pub(super) before: T,
    pub(super) after: T,
}

/// The tangent of a component on one side of a key.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Handle {
    slope: f32,
    weight: Option<f32>,
}

impl Handle {
    const fn plain(slope: f32) -> Handle {
        Handle {
            slope,
            weight: None,
        }
    }

    /// Returns the tangent that a key stores for one side: before the key for [`WeightedMode::IN`], otherwise after it.
    fn of(key: &FullKey, side: WeightedMode) -> Handle {
        let (slope, weight) = match side {
            WeightedMode::IN => (key.in_tangent(), key.in_weight()),
            _ => (key.out_tangent(), key.out_weight()),
        };
        let is_weighted = key.weighted_mode().0 & side.0 != 0;
        Handle {
            slope,
            weight: is_weighted.then_some(weight),
        }
    }

    /// Returns `true` if a clip can represent the tangent: the slope is finite, or +∞ for a held value, and the weight
    /// is finite.
    fn is_valid(&self) -> bool {
        let is_slope = self.slope.is_finite() || self.slope == f32::INFINITY;
        is_slope && self.weight.is_none_or(f32::is_finite)
    }

    /// Returns the tangent if it is valid, and a flat tangent without a weight otherwise.
    fn or_flat(self) -> Handle {
        if self.is_valid() {
            self
        } else {
            Handle::plain(0.0)
        }
    }
}

/// Joins the curves of a vector's components to keys of the vector. All curves with keys must have them at the same
/// times, in order of time; a component without keys is 0. Keys with a value that is not finite are dropped.
/// Interpolation between huge numbers can give such values.
pub(super) fn vector_keys<const N: usize>(curves: &[FloatCurve<'_>; N]) -> Vec<VectorKey<N>> {
    let Some(longest) = curves.iter().max_by_key(|curve| curve.keys.len()) else {
        return Vec::new();
    };
    let row = |(index, (time, _)): (usize, (f32, f32))| {
        let nothing = FullKey::hermite(time, 0.0, 0.0, 0.0);
        curves
            .each_ref()
            .map(|curve| full(curve, index).unwrap_or(nothing))
    };
    let is_finite = |row: &[FullKey; N]| row.iter().all(|key| key.value().is_finite());
    let rows = longest.keys.points().enumerate().map(row);
    let rows: Vec<[FullKey; N]> = rows.filter(is_finite).collect();
    let mut before: Option<&[FullKey; N]> = None;
    let mut keys = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        let after = rows.get(index + 1);
        let arriving = std::array::from_fn(|component| match before {
            Some(before) => segment(&before[component], &row[component]).after,
            None => outer(&row[component], WeightedMode::IN),
        });
        let leaving = std::array::from_fn(|component| match after {
            Some(after) => segment(&row[component], &after[component]).before,
            None => outer(&row[component], WeightedMode::OUT),
        });
        keys.push(VectorKey::new(row, arriving, leaving));
        before = Some(row);
    }
    keys
}

impl<const N: usize> VectorKey<N> {
    /// Joins one key of each component to a key of the vector. `arriving` are the tangents of the components before the
    /// key, and `leaving` the tangents after it.
    fn new(row: &[FullKey; N], arriving: [Handle; N], leaving: [Handle; N]) -> VectorKey<N> {
        // A clip has one mode for all components. Components without a weight get a neutral weight.
        let mode = |handles: &[Handle; N], side: WeightedMode| {
            let is_weighted = handles.iter().any(|handle| handle.weight.is_some());
            if is_weighted { side.0 } else { 0 }
        };
        let weights =
            |handles: [Handle; N]| handles.map(|handle| handle.weight.unwrap_or(PLAIN_WEIGHT));
        VectorKey {
            time: row.first().map_or(0.0, FullKey::time),
            value: row.map(|key| key.value()),
            slope: Sides {
                before: arriving.map(|handle| handle.slope),
                after: leaving.map(|handle| handle.slope),
            },
            mode: mode(&arriving, WeightedMode::IN) | mode(&leaving, WeightedMode::OUT),
            weight: Sides {
                before: weights(arriving),
                after: weights(leaving),
            },
        }
    }
}

fn full(curve: &FloatCurve<'_>, index: usize) -> Option<FullKey> {
    match &curve.keys {
        Keys::Full(keys) => keys.get(index).copied(),
        Keys::Simple(keys) => keys.get(index).map(|&key| key.into()),
    }
}

/// Returns `true` if a clip cannot represent a tangent or weight of a key. A slope must be finite or +∞, and a weight
/// must be finite.
pub(super) fn has_invalid_handles(key: &FullKey) -> bool {
    let mut sides = [WeightedMode::IN, WeightedMode::OUT].into_iter();
    sides.any(|side| !Handle::of(key, side).is_valid())
}

/// Returns the tangent on the outer side of the first or last key, where nothing is interpolated: the stored slope, or
/// 0 if it is not finite, without a weight.
fn outer(key: &FullKey, side: WeightedMode) -> Handle {
    let slope = Handle::of(key, side).slope;
    Handle::plain(if slope.is_finite() { slope } else { 0.0 })
}

/// Returns the tangents of the segment between two neighbouring keys of a component: `before` is at its start, `after`
/// at its end. Held and linear segments get tangents by which Unity interpolates the same values.
fn segment(left: &FullKey, right: &FullKey) -> Sides<Handle> {
    let leaving = Handle::of(left, WeightedMode::OUT).or_flat();
    let arriving = Handle::of(right, WeightedMode::IN).or_flat();
    let both = |slope: f32| Sides {
        before: Handle::plain(slope),
        after: Handle::plain(slope),
    };
    let is_held_by_mrtk = (leaving.weight, arriving.weight) == (Some(HOLDING_WEIGHT), Some(0.0))
        && leaving.slope == 0.0
        && arriving.slope == 0.0;
    if leaving.slope == f32::INFINITY || arriving.slope == f32::INFINITY || is_held_by_mrtk {
        return both(f32::INFINITY);
    }
    // Weights of 0 make a straight line (docs/evaluation.md, section 4). A clip represents it by tangents with its
    // slope.
    if (leaving.weight, arriving.weight) == (Some(0.0), Some(0.0)) {
        let rise = f64::from(right.value()) - f64::from(left.value());
        let run = f64::from(right.time()) - f64::from(left.time());
        let slope = (rise / run) as f32;
        // The slope overflows only if the segment is nearly a jump. Any finite slope would be wrong there, so it is 0.
        return both(if slope.is_finite() { slope } else { 0.0 });
    }
    Sides {
        before: leaving,
        after: arriving,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(curve: FloatCurve<'static>) -> Vec<VectorKey<1>> {
        vector_keys(&[curve])
    }

    #[test]
    fn linear_segments_have_their_slope_at_both_keys() {
        let points = [(0.0, 1.0), (0.5, 2.0), (2.5, -2.0)];
        let simple = keys(FloatCurve::linear(points));
        let slopes: Vec<_> = simple
            .iter()
            .map(|key| [key.slope.before[0], key.slope.after[0]])
            .collect();
        assert_eq!(slopes, [[0.0, 2.0], [2.0, -2.0], [-2.0, 0.0]]);
        assert!(simple.iter().all(|key| key.mode == 0));
        let full = points.map(|(time, value)| FullKey::linear(time, value));
        assert_eq!(keys(FloatCurve::full(full)), simple);
    }

    #[test]
    fn tangents_and_weights_are_kept_on_either_side() {
        let curve = FloatCurve::full([
            FullKey::hermite(0.0, 0.0, 7.0, 1.0),
            FullKey::weighted(1.0, 1.0, [2.0, 3.0], [0.25, 0.75], WeightedMode::OUT),
            FullKey::weighted(2.0, 1.0, [0.0, 0.0], [0.0, 0.0], WeightedMode::BOTH),
            FullKey::linear(3.0, 4.0),
        ]);
        let [first, second, third, last] = keys(curve)[..] else {
            panic!("four keys")
        };
        assert_eq!((first.slope.after, first.mode), ([1.0], 0));
        assert_eq!((second.slope.before, second.slope.after), ([2.0], [3.0]));
        assert_eq!((second.weight.after, second.mode), ([0.75], 2));
        assert_eq!(second.weight.before, [PLAIN_WEIGHT]);
        // The key has the weight 0 before it, and a straight line after it.
        assert_eq!((third.weight.before, third.mode), ([0.0], 1));
        assert_eq!(third.slope.after, [3.0]);
        assert_eq!((last.slope.before, last.mode), ([3.0], 0));
    }

    #[test]
    fn held_values_have_infinite_slopes() {
        let weights = [0.0, HOLDING_WEIGHT];
        let held =
            |time, value| FullKey::weighted(time, value, [0.0; 2], weights, WeightedMode::BOTH);
        for curve in [
            FloatCurve::full([held(0.0, 1.0), held(1.0, 2.0)]),
            FloatCurve::full([
                FullKey::hermite(0.0, 1.0, 0.0, f32::INFINITY),
                FullKey::hermite(1.0, 2.0, 0.0, 0.0),
            ]),
        ] {
            let keys = keys(curve);
            assert_eq!(keys[0].slope.after, [f32::INFINITY]);
            assert_eq!(keys[1].slope.before, [f32::INFINITY]);
            assert_eq!(keys[0].mode | keys[1].mode, 0);
        }
    }

    #[test]
    fn components_without_weights_get_neutral_ones_and_those_without_keys_are_0() {
        let both = WeightedMode::BOTH;
        let x = FloatCurve::full([
            FullKey::weighted(0.0, 1.0, [1.0; 2], [0.5; 2], both),
            FullKey::weighted(1.0, 2.0, [1.0; 2], [0.5; 2], both),
        ]);
        let y = FloatCurve::linear([(0.0, 1.0), (1.0, 3.0)]);
        let keys = vector_keys(&[x, y, FloatCurve::default()]);
        assert_eq!(keys[0].mode, 2);
        assert_eq!(keys[0].weight.after, [0.5, PLAIN_WEIGHT, PLAIN_WEIGHT]);
        assert_eq!(keys[0].slope.after, [1.0, 2.0, 0.0]);
        assert_eq!(keys[1].value, [2.0, 3.0, 0.0]);
    }
}
