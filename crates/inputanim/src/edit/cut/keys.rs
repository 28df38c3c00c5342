//! Keys that are put between others without changing what plays, and keys that run backwards.

use crate::evaluate::{Keyframe, SplitSegment};
use crate::key::{BooleanKey, FullKey, SimpleKey, WeightedMode};

/// A key that can be cut between, moved and turned round.
pub(in crate::edit) trait Cut: Keyframe {
    /// A key that holds a value, whatever comes before and after.
    fn held(time: f32, value: f32) -> Self;

    /// The same key at another time.
    fn moved(self, time: f32) -> Self;

    /// The same key with another value.
    fn with_value(self, value: f32) -> Self;

    /// The key that continues what comes before `before` with what comes after `after`; both are
    /// at one time and have one value.
    fn joined(before: Self, after: Self) -> Self;

    /// A key between two others, which are changed so that both halves play what the whole did.
    fn split(left: &mut Self, right: &mut Self, time: f32) -> Self;

    /// The keys in reverse: `time` gives the new time of an old one, and never rises.
    fn reversed(keys: &[Self], time: &dyn Fn(f32) -> f32) -> Vec<Self>;

    /// A key before `next` from which its value holds until `next`.
    fn lead_in(next: &mut Self, time: f32) -> Self;

    /// A key after `last` until which its value holds.
    fn lead_out(last: &mut Self, time: f32) -> Self;

    /// Makes the segment between two keys a straight line, where it is not one anyway.
    fn straighten(left: &mut Self, right: &mut Self);
    /// Whether a straight line joins two keys.
    fn is_straight(left: &Self, right: &Self) -> bool;
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

    fn straighten(_: &mut SimpleKey, _: &mut SimpleKey) {}

    fn lead_out(last: &mut SimpleKey, time: f32) -> SimpleKey {
        last.moved(time)
    }

    fn is_straight(_: &SimpleKey, _: &SimpleKey) -> bool {
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

    /// A value that held from its key on now holds up to it, and the next begins just after.
    fn reversed(keys: &[BooleanKey], time: &dyn Fn(f32) -> f32) -> Vec<BooleanKey> {
        let last = keys.last().map(|key| key.moved(time(key.time())));
        let held = keys.windows(2).rev();
        let held = held.map(|pair| pair[0].moved(time(pair[1].time()).next_up()));
        last.into_iter().chain(held).collect()
    }

    fn lead_in(next: &mut BooleanKey, time: f32) -> BooleanKey {
        next.moved(time)
    }

    fn straighten(_: &mut BooleanKey, _: &mut BooleanKey) {}

    fn lead_out(last: &mut BooleanKey, time: f32) -> BooleanKey {
        last.moved(time)
    }

    fn is_straight(left: &BooleanKey, right: &BooleanKey) -> bool {
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
                // The value of the left key holds up to it, and begins just after the right one.
                let start = start.time().next_up();
                if start < end.time() {
                    reversed.push(FullKey::linear(start, left.value()));
                }
            } else {
                let backwards = |side: Side| Side {
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
        *next = next.with(IN, Side::STRAIGHT);
        FullKey::linear(time, next.value())
    }

    fn straighten(left: &mut FullKey, right: &mut FullKey) {
        *left = left.with(OUT, Side::STRAIGHT);
        *right = right.with(IN, Side::STRAIGHT);
    }

    fn lead_out(last: &mut FullKey, time: f32) -> FullKey {
        *last = last.with(OUT, Side::STRAIGHT);
        FullKey::linear(time, last.value())
    }

    fn is_straight(left: &FullKey, right: &FullKey) -> bool {
        let sides = [left.side(OUT), right.side(IN)];
        let is_straight =
            |side: &Side| side.is_weighted && side.weight == 0.0 && side.tangent != f32::INFINITY;
        sides.iter().all(is_straight)
    }
}

const IN: WeightedMode = WeightedMode::IN;
const OUT: WeightedMode = WeightedMode::OUT;

/// What one side of a full key says of the segment there.
#[derive(Clone, Copy)]
struct Side {
    tangent: f32,
    weight: f32,
    is_weighted: bool,
}

impl Side {
    /// As the toolkit writes it.
    const STRAIGHT: Side = Side {
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

    /// The same key with another side.
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
