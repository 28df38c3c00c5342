//! When the curves of a vector are to have keys.

use crate::span::Span;

/// When the curves of a vector are to have keys.
pub(super) struct Plan {
    pub(super) rate: f64,
    /// Times of keys that stay.
    pub(super) kept: Vec<f32>,
    /// Within which there are keys at the rate, and at both ends.
    pub(super) reaches: Vec<Span>,
}

impl Plan {
    /// How many times there are at most.
    pub(super) fn most_keys(&self) -> f64 {
        let length = |reach: &Span| f64::from(reach.end) - f64::from(reach.start);
        let steps = self
            .reaches
            .iter()
            .map(|reach| length(reach) * self.rate + 3.0);
        steps.sum::<f64>() + self.kept.len() as f64
    }

    /// The times in order, each once.
    pub(super) fn times(mut self) -> Vec<f32> {
        for reach in self.reaches {
            self.kept.extend([reach.start, reach.end]);
            self.kept.extend(steps_within(reach, self.rate));
        }
        self.kept.sort_unstable_by(f32::total_cmp);
        self.kept.dedup();
        self.kept
    }
}

/// The multiples of an interval strictly within a span.
fn steps_within(span: Span, rate: f64) -> impl Iterator<Item = f32> {
    let first = (f64::from(span.start) * rate).floor() as i64;
    let steps = (span.start < span.end)
        .then_some(first..)
        .into_iter()
        .flatten();
    let times = steps.map(move |step| (step as f64 / rate) as f32);
    let times = times.skip_while(move |&time| time <= span.start);
    times.take_while(move |&time| time < span.end)
}
