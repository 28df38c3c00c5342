//! Values at strictly increasing times, as a channel needs them.

use crate::scene::gltf::document::Interpolation;

use super::budget::KeyBudget;
use crate::shared::Error;

/// Values at strictly growing times of the animation.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Track<const N: usize> {
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<[f32; N]>,
    /// Slopes before and after each key, in units per second; empty unless cubic.
    pub(super) slopes: Vec<[[f32; N]; 2]>,
    pub(super) interpolation: Interpolation,
    /// The number of dropped keys.
    pub(super) dropped: usize,
    /// True if a part was sampled.
    pub(super) is_sampled: bool,
}

impl<const N: usize> Track<N> {
    pub(super) fn new(interpolation: Interpolation, capacity: usize) -> Track<N> {
        Track {
            times: Vec::with_capacity(capacity),
            values: Vec::with_capacity(capacity),
            slopes: Vec::new(),
            interpolation,
            dropped: 0,
            is_sampled: false,
        }
    }

    pub(super) fn push(&mut self, time: f32, value: [f32; N], slopes: [[f64; N]; 2]) {
        self.times.push(time);
        self.values.push(value);
        if self.interpolation == Interpolation::Cubic {
            // The slope of a short segment can exceed single precision, and glTF has finite numbers only.
            let within = |slope: f64| slope.clamp(f32::MIN.into(), f32::MAX.into()) as f32;
            self.slopes.push(slopes.map(|side| side.map(within)));
        }
    }

    /// Converts all values and slopes to other axes with the function `axes`.
    pub(super) fn mapped(mut self, axes: impl Fn([f32; N]) -> [f32; N]) -> Track<N> {
        for value in self.values.iter_mut().chain(self.slopes.as_flattened_mut()) {
            *value = axes(*value);
        }
        self
    }

    /// Returns the value at a time, with the ends held; `None` without keys.
    pub(super) fn at(&self, time: f32) -> Option<[f32; N]> {
        let after = self.times.partition_point(|&key| key <= time);
        let Some(before) = after.checked_sub(1) else {
            return self.values.first().copied();
        };
        let from = self.values.get(before)?;
        let (Some(&end), Some(to)) = (self.times.get(after), self.values.get(after)) else {
            return Some(*from);
        };
        let start = f64::from(self.times[before]);
        let length = f64::from(end) - start;
        let x = (f64::from(time) - start) / length;
        Some(match self.interpolation {
            Interpolation::Step => *from,
            Interpolation::Linear => std::array::from_fn(|n| {
                (f64::from(from[n]) * (1.0 - x) + f64::from(to[n]) * x) as f32
            }),
            Interpolation::Cubic => {
                let leaving = self.slopes.get(before)?[1];
                let arriving = self.slopes.get(after)?[0];
                let (square, cube) = (x * x, x * x * x);
                std::array::from_fn(|n| {
                    let near = (2.0 * cube - 3.0 * square + 1.0) * f64::from(from[n])
                        + (cube - 2.0 * square + x) * length * f64::from(leaving[n]);
                    let far = (3.0 * square - 2.0 * cube) * f64::from(to[n])
                        + (cube - square) * length * f64::from(arriving[n]);
                    (near + far) as f32
                })
            }
        })
    }

    /// Returns a linear track through the keys and through samples between them, at multiples of 1 / `rate` seconds.
    /// Fails if the samples exceed the budget; `name` names the vector in the error.
    pub(super) fn lines(
        &self,
        name: &str,
        rate: f64,
        budget: &mut KeyBudget,
    ) -> Result<Track<N>, Error> {
        let mut lines = Track::new(Interpolation::Linear, self.times.len());
        for (index, (&time, &value)) in self.times.iter().zip(&self.values).enumerate() {
            if index > 0 {
                let start = self.times[index - 1];
                for between in
                    budget.times(inputanim::TimeRange { start, end: time }, rate, name)?
                {
                    lines.times.push(between);
                    lines.values.push(self.at(between).unwrap_or(value));
                }
            }
            lines.times.push(time);
            lines.values.push(value);
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cubic_follows_its_slopes() {
        let mut track = Track::new(Interpolation::Cubic, 2);
        track.push(0.0, [1.0], [[0.0], [2.0]]);
        track.push(1.0, [3.0], [[2.0], [0.0]]);
        assert_eq!(track.at(0.25), Some([1.5]));
        assert_eq!((track.at(-1.0), track.at(2.0)), (Some([1.0]), Some([3.0])));
        let lines = track.lines("", 4.0, &mut KeyBudget::new()).unwrap();
        assert_eq!(lines.times, [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(lines.values, [[1.0], [1.5], [2.0], [2.5], [3.0]]);
    }
}
