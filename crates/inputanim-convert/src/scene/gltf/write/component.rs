//! One curve of a vector: its keys and segments (docs/evaluation.md).

use std::borrow::Cow;
use std::cmp::Ordering;

use inputanim::{FloatCurve, FullKey, Keys, WeightedMode};

/// The form of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Form {
    /// A straight line between both keys.
    Line,
    /// The value of the key before.
    Hold,
    /// A cubic with the slopes of both keys.
    Cubic,
    /// Any other form. It is not representable in glTF.
    Other,
}

/// The keys of a curve in order of time, without keys that are not representable in glTF.
pub(super) struct Component {
    keys: Vec<FullKey>,
    keeps_cubics: bool,
    /// The number of dropped keys, whose time or value is not finite.
    pub(super) dropped: usize,
}

/// The value of a curve at a time, and its value and slope just before and just after this time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Sides {
    pub(super) before: (f32, f64),
    pub(super) at: f32,
    pub(super) after: (f32, f64),
    /// The form of the next segment; `None` after the last key.
    pub(super) form: Option<Form>,
}

impl Sides {
    /// Returns the sides of a time at which the value and the slope are the same before and after it.
    fn same(value: f32, slope: f64, form: Option<Form>) -> Sides {
        Sides {
            before: (value, slope),
            at: value,
            after: (value, slope),
            form,
        }
    }
}

impl Component {
    /// Copies the keys of a curve in order of time, without keys whose time or value is not finite. Unless
    /// `keeps_cubics` is true, a cubic segment counts as [`Form::Other`].
    pub(super) fn new(curve: &FloatCurve<'_>, keeps_cubics: bool) -> Component {
        let mut keys: Vec<FullKey> = match &curve.keys {
            Keys::Full(keys) => keys.to_vec(),
            // Simple keys become full keys with weights of 0, which evaluate to the same lines.
            Keys::Simple(keys) => keys.iter().map(|&key| key.into()).collect(),
        };
        let all = keys.len();
        keys.retain(|key| key.time().is_finite() && key.value().is_finite());
        // The sort is stable, because the order of keys at equal times gives the direction of a jump. −0 equals 0.
        let by_time = |a: &FullKey, b: &FullKey| a.time().partial_cmp(&b.time());
        keys.sort_by(|a, b| by_time(a, b).unwrap_or(Ordering::Equal));
        Component {
            dropped: all - keys.len(),
            keys,
            keeps_cubics,
        }
    }

    pub(super) fn keys(&self) -> &[FullKey] {
        &self.keys
    }

    /// Returns the form of the segment that ends at key `right`, an index of at least 1.
    fn form(&self, right: usize) -> Form {
        let (a, b) = (&self.keys[right - 1], &self.keys[right]);
        if a.out_tangent() == f32::INFINITY || b.in_tangent() == f32::INFINITY {
            return Form::Hold;
        }
        let is_weighted = |key: &FullKey, side: WeightedMode| key.weighted_mode().0 & side.0 != 0;
        let out_weight = is_weighted(a, WeightedMode::OUT).then(|| a.out_weight());
        let in_weight = is_weighted(b, WeightedMode::IN).then(|| b.in_weight());
        let is_flat = a.out_tangent() == 0.0 && b.in_tangent() == 0.0;
        let is_finite = a.out_tangent().is_finite() && b.in_tangent().is_finite();
        match (out_weight, in_weight) {
            // With weights of 0 on both sides, tangents have no effect (docs/evaluation.md, section 4).
            (Some(0.0), Some(0.0)) => Form::Line,
            // With these weights and flat tangents, MRTK holds a value (docs/evaluation.md).
            (Some(1e6), Some(0.0)) if is_flat => Form::Hold,
            (None, None) if is_finite && self.keeps_cubics => Form::Cubic,
            _ => Form::Other,
        }
    }

    /// Evaluates the curve at a time, given the number of keys before it.
    pub(super) fn at(&self, time: f32, before: usize) -> Sides {
        let here = self.keys[before..]
            .iter()
            .take_while(|key| key.time() == time)
            .count();
        let after = before + here;
        let Some(left) = self.keys.get(..after).and_then(<[_]>::last) else {
            let value = self.keys.first().map_or(0.0, FullKey::value);
            return Sides::same(value, 0.0, None);
        };
        let form = (after < self.keys.len()).then(|| self.form(after));
        if here == 0 {
            let Some(form) = form else {
                return Sides::same(left.value(), 0.0, None);
            };
            let value = self.value_between(after, time);
            return Sides::same(value, self.slope(after, time, form), Some(form));
        }
        let first = &self.keys[before];
        Sides {
            before: match before {
                0 => (first.value(), 0.0),
                _ => match self.form(before) {
                    Form::Hold => (self.keys[before - 1].value(), 0.0),
                    form => (first.value(), self.slope(before, time, form)),
                },
            },
            // If several keys are at the first time of the curve, the first of them counts, as in evaluation. At the
            // last time the last key counts.
            at: if before == 0 && form.is_some() {
                first.value()
            } else {
                left.value()
            },
            after: (
                left.value(),
                form.map_or(0.0, |form| self.slope(after, time, form)),
            ),
            form,
        }
    }

    /// Evaluates the segment that ends at key `right` at a time. If the value is not finite, returns the value of the
    /// key before.
    fn value_between(&self, right: usize, time: f32) -> f32 {
        // Between two keys, a curve of only these keys evaluates to the same numbers as the complete curve.
        let pair = FloatCurve {
            keys: Keys::Full(Cow::Borrowed(&self.keys[right - 1..=right])),
            ..FloatCurve::default()
        };
        let value = pair.evaluator().map_or(f32::NAN, |curve| curve.at(time));
        if value.is_finite() {
            value
        } else {
            self.keys[right - 1].value()
        }
    }

    /// Returns the slope, in units per second, at a time within the segment that ends at key `right` and has this form.
    /// It is 0 for [`Form::Hold`] and [`Form::Other`].
    fn slope(&self, right: usize, time: f32, form: Form) -> f64 {
        let (a, b) = (&self.keys[right - 1], &self.keys[right]);
        let length = f64::from(b.time()) - f64::from(a.time());
        let rise = f64::from(b.value()) - f64::from(a.value());
        let [leaving, arriving] = [a.out_tangent(), b.in_tangent()].map(f64::from);
        match form {
            Form::Hold | Form::Other => 0.0,
            Form::Line => rise / length,
            Form::Cubic if time == a.time() => leaving,
            Form::Cubic if time == b.time() => arriving,
            Form::Cubic => {
                let x = (f64::from(time) - f64::from(a.time())) / length;
                // This is the derivative of the cubic Hermite polynomial.
                let of_values = 6.0 * x * (1.0 - x) * rise / length;
                of_values + (1.0 - x) * (1.0 - 3.0 * x) * leaving + x * (3.0 * x - 2.0) * arriving
            }
        }
    }
}
