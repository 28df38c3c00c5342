//! Keys that can be inserted between others, moved and reversed without changing the values of a
//! curve.

use crate::evaluate::{Keyframe, SplitSegment};
use crate::key::{BooleanKey, FullKey, SimpleKey, WeightedMode};

/// A key that can be inserted, moved and reversed.
pub(in crate::edit) trait Cut: Keyframe {
    /// Returns a key with this time in seconds and this value. A full key has the tangents and weights of linear
    /// interpolation.
    fn held(time: f32, value: f32) -> Self;

    /// Returns a copy of the key with another time, in seconds.
    fn moved(self, time: f32) -> Self;

    /// Returns a copy of the key with another value.
    fn with_value(self, value: f32) -> Self;

    /// Returns a key that joins the segment before `before` to the segment after `after`. Both keys
    /// have the same time and value.
    fn joined(before: Self, after: Self) -> Self;

    /// Returns a new key at a time between two neighbouring keys. Changes the tangents and weights of these keys so
    /// that the curve keeps its shape.
    fn split(left: &mut Self, right: &mut Self, time: f32) -> Self;

    /// Returns the keys of a curve that runs backwards. `time` maps old times to new times, and must not increase.
    fn reversed(keys: &[Self], time: &dyn Fn(f32) -> f32) -> Vec<Self>;

    /// Returns a key at a time before `next`, with the value of `next`. Changes `next` so that the value holds in
    /// between.
    fn lead_in(next: &mut Self, time: f32) -> Self;

    /// Returns a key at a time after `last`, with the value of `last`. Changes `last` so that the value holds in
    /// between.
    fn lead_out(last: &mut Self, time: f32) -> Self;

    /// Makes the segment between two keys linear, where it is not linear already.
    fn make_linear(left: &mut Self, right: &mut Self);
    /// Returns `true` if the segment between two neighbouring keys is linear. Full keys must have weights of 0 on both
    /// sides of the segment, as MRTK writes them; boolean keys must have equal values.
    fn is_linear(left: &Self, right: &Self) -> bool;
}

impl Cut for SimpleKey {
    fn held(time: f32, value: f32) -> SimpleKey {
        SimpleKey::new(time, value)
    }

    fn moved(self, time: f32) -> SimpleKey {
        SimpleKey::new(time, self.value())
    }

    fn with_value(self, value: f32) -> SimpleKey {
        SimpleKey::new(self.time(), value)
    }

    fn joined(_: SimpleKey, after: SimpleKey) -> SimpleKey {
        after
    }

    fn split(left: &mut SimpleKey, right: &mut SimpleKey, time: f32) -> SimpleKey {
        SimpleKey::new(time, SimpleKey::between(left, right, time))
    }

    fn reversed(keys: &[SimpleKey], time: &dyn Fn(f32) -> f32) -> Vec<SimpleKey> {
        let keys = keys.iter().rev();
        keys.map(|key| key.moved(time(key.time()))).collect()
    }

    fn lead_in(next: &mut SimpleKey, time: f32) -> SimpleKey {
        next.moved(time)
    }

    fn make_linear(_: &mut SimpleKey, _: &mut SimpleKey) {}

    fn lead_out(last: &mut SimpleKey, time: f32) -> SimpleKey {
        last.moved(time)
    }

    fn is_linear(_: &SimpleKey, _: &SimpleKey) -> bool {
        true
    }
}

impl Cut for BooleanKey {
    fn held(time: f32, value: f32) -> BooleanKey {
        BooleanKey::from_value(time, value)
    }

    fn moved(self, time: f32) -> BooleanKey {
        BooleanKey::from_value(time, self.value())
    }

    fn with_value(self, value: f32) -> BooleanKey {
        BooleanKey::from_value(self.time(), value)
    }

    fn joined(_: BooleanKey, after: BooleanKey) -> BooleanKey {
        after
    }

    fn split(left: &mut BooleanKey, _: &mut BooleanKey, time: f32) -> BooleanKey {
        left.moved(time)
    }

    fn reversed(keys: &[BooleanKey], time: &dyn Fn(f32) -> f32) -> Vec<BooleanKey> {
        // In reverse, a value that held after its key holds before it, and the next value begins
        // just after the key.
        let last = keys.last().map(|key| key.moved(time(key.time())));
        let held = keys.windows(2).rev();
        let held = held.map(|pair| pair[0].moved(time(pair[1].time()).next_up()));
        last.into_iter().chain(held).collect()
    }

    fn lead_in(next: &mut BooleanKey, time: f32) -> BooleanKey {
        next.moved(time)
    }

    fn make_linear(_: &mut BooleanKey, _: &mut BooleanKey) {}

    fn lead_out(last: &mut BooleanKey, time: f32) -> BooleanKey {
        last.moved(time)
    }

    fn is_linear(left: &BooleanKey, right: &BooleanKey) -> bool {
        left.value() == right.value()
    }
}

impl Cut for FullKey {
    fn held(time: f32, value: f32) -> FullKey {
        FullKey::linear(time, value)
    }

    fn moved(self, time: f32) -> FullKey {
        FullKey::weighted(
            time,
            self.value(),
            [self.in_tangent(), self.out_tangent()],
            [self.in_weight(), self.out_weight()],
            self.weighted_mode(),
        )
    }

    fn with_value(self, value: f32) -> FullKey {
        FullKey::weighted(
            self.time(),
            value,
            [self.in_tangent(), self.out_tangent()],
            [self.in_weight(), self.out_weight()],
            self.weighted_mode(),
        )
    }

    fn joined(before: FullKey, after: FullKey) -> FullKey {
        // The in side belongs to the segment before the key, and the out side to the segment after
        // it.
        after.with(IN, before.side(IN))
    }

    fn split(left: &mut FullKey, right: &mut FullKey, time: f32) -> FullKey {
        let SplitSegment {
            value,
            leaving,
            arriving_between,
            leaving_between,
            arriving,
        } = SplitSegment::at(left, right, time);
        *left = left.with(OUT, leaving.into());
        *right = right.with(IN, arriving.into());
        let between = FullKey::hermite(time, value, 0.0, 0.0);
        let between = between.with(IN, arriving_between.into());
        between.with(OUT, leaving_between.into())
    }

    fn reversed(keys: &[FullKey], time: &dyn Fn(f32) -> f32) -> Vec<FullKey> {
        let Some(last) = keys.last() else {
            return Vec::new();
        };
        let mut reversed = vec![FullKey::linear(time(last.time()), last.value())];
        for pair in keys.windows(2).rev() {
            let (left, right) = (&pair[0], &pair[1]);
            let mut end = FullKey::linear(time(left.time()), left.value());
            let Some(start) = reversed.last_mut() else {
                break;
            };
            if SplitSegment::holds(left, right) {
                // In reverse, the value of the left key begins just after the right key and holds
                // up to the left one.
                let start = start.time().next_up();
                if start < end.time() {
                    reversed.push(FullKey::linear(start, left.value()));
                }
            } else {
                let backwards = |side: Side| Side {
                    // Reversed time changes the sign of a slope and exchanges the sides.
                    tangent: -side.tangent,
                    ..side
                };
                *start = start.with(OUT, backwards(right.side(IN)));
                end = end.with(IN, backwards(left.side(OUT)));
            }
            reversed.push(end);
        }
        reversed
    }

    fn lead_in(next: &mut FullKey, time: f32) -> FullKey {
        *next = next.with(IN, Side::LINEAR);
        FullKey::linear(time, next.value())
    }

    fn make_linear(left: &mut FullKey, right: &mut FullKey) {
        *left = left.with(OUT, Side::LINEAR);
        *right = right.with(IN, Side::LINEAR);
    }

    fn lead_out(last: &mut FullKey, time: f32) -> FullKey {
        *last = last.with(OUT, Side::LINEAR);
        FullKey::linear(time, last.value())
    }

    fn is_linear(left: &FullKey, right: &FullKey) -> bool {
        // Weights of 0 on both sides make a segment linear for all finite tangents. An infinite
        // tangent holds the value, whatever the weights are (docs/evaluation.md, section 1).
        let sides = [left.side(OUT), right.side(IN)];
        let is_linear =
            |side: &Side| side.is_weighted && side.weight == 0.0 && side.tangent != f32::INFINITY;
        sides.iter().all(is_linear)
    }
}

const IN: WeightedMode = WeightedMode::IN;
const OUT: WeightedMode = WeightedMode::OUT;

/// One side of a full key: tangent and weight of the segment there.
#[derive(Clone, Copy)]
struct Side {
    tangent: f32,
    weight: f32,
    is_weighted: bool,
}

impl Side {
    /// The side of a key of MRTK, which makes a segment linear.
    const LINEAR: Side = Side {
        tangent: 0.0,
        weight: 0.0,
        is_weighted: true,
    };
}

impl From<(f32, Option<f32>)> for Side {
    fn from((tangent, weight): (f32, Option<f32>)) -> Side {
        Side {
            tangent,
            weight: weight.unwrap_or_default(),
            is_weighted: weight.is_some(),
        }
    }
}

impl FullKey {
    fn side(&self, side: WeightedMode) -> Side {
        let (tangent, weight) = match side {
            IN => (self.in_tangent(), self.in_weight()),
            _ => (self.out_tangent(), self.out_weight()),
        };
        Side {
            tangent,
            weight,
            is_weighted: self.weighted_mode().0 & side.0 != 0,
        }
    }

    /// Returns the key with another tangent and weight on one side, `IN` or `OUT`.
    fn with(self, side: WeightedMode, new: Side) -> FullKey {
        let (mut tangents, mut weights) = (
            [self.in_tangent(), self.out_tangent()],
            [self.in_weight(), self.out_weight()],
        );
        let index = usize::from(side != IN);
        (tangents[index], weights[index]) = (new.tangent, new.weight);
        let mode = self.weighted_mode().0 & !side.0;
        let mode = if new.is_weighted { mode | side.0 } else { mode };
        FullKey::weighted(
            self.time(),
            self.value(),
            tangents,
            weights,
            WeightedMode(mode),
        )
    }
}
