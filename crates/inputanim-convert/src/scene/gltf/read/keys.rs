//! The keys of a channel.

use glam::{DQuat, DVec3};

use crate::scene::gltf::document::{Animation, Channel, Index, Interpolation, Property};
use crate::scene::gltf::quaternion::{single, unit};

use super::buffers::{Buffers, Expected, intact};
use crate::scene::gltf::error::ChannelFault as Fault;
use crate::shared::FileAccess;

/// The keys of a channel of `N` numbers. Keys of a cubic have slopes before and after the key; other keys have no
/// slopes.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Keys<const N: usize> {
    pub(super) times: Vec<f32>,
    pub(super) values: Vec<[f32; N]>,
    pub(super) slopes: Vec<[[f32; N]; 2]>,
    pub(super) interpolation: Interpolation,
}

/// Reads the keys of a channel of the animation, on the animation's clock. Returns `None` if there are more than `most`
/// keys. Fails if a reference or buffer is invalid, times do not increase, or a number is not finite.
pub(super) fn read<const N: usize>(
    animation: &Animation,
    channel: &Channel,
    most: u64,
    buffers: &mut Buffers<'_>,
    files: &FileAccess,
) -> Result<Option<Keys<N>>, Fault> {
    let index = channel.sampler;
    let sampler = animation.samplers.get(index as usize);
    let sampler = sampler.ok_or(Fault::Missing {
        kind: "sampler",
        index,
    })?;
    intact("sampler", index, &sampler.damage)?;
    // The number is checked before the keys take memory.
    if buffers.count(sampler.input)? > most {
        return Ok(None);
    }
    let times = buffers.floats(
        sampler.input,
        Expected {
            width: 1,
            may_be_normalized: false,
        },
        files,
    )?;
    let mut before = f32::NEG_INFINITY;
    for (key, &time) in times.iter().enumerate() {
        // glTF requires increasing times, and evaluation divides by their differences.
        if !(time.is_finite() && time > before) {
            return Err(Fault::Time(key));
        }
        before = time;
    }
    let each = match sampler.interpolation {
        // A key of a cubic is a tangent, a value and another tangent.
        Interpolation::Cubic => 3,
        _ => 1,
    };
    check_count(sampler.output, times.len(), each, buffers)?;
    let numbers = buffers.floats(
        sampler.output,
        Expected {
            width: N,
            // glTF allows integers for rotations, but not for positions or scales.
            may_be_normalized: channel.target.path == Property::Rotation,
        },
        files,
    )?;
    if let Some(wrong) = numbers.iter().position(|number| !number.is_finite()) {
        return Err(Fault::Value(wrong / (N * each)));
    }
    let (vectors, _) = numbers.as_chunks::<N>();
    let (values, slopes) = match each {
        1 => (vectors.to_vec(), Vec::new()),
        _ => vectors
            .as_chunks::<3>()
            .0
            .iter()
            .map(|&[arriving, value, leaving]| (value, [arriving, leaving]))
            .unzip(),
    };
    Ok(Some(Keys {
        times,
        values,
        slopes,
        interpolation: sampler.interpolation,
    }))
}

fn check_count(
    output: Index,
    times: usize,
    each: usize,
    buffers: &Buffers<'_>,
) -> Result<(), Fault> {
    let found = usize::try_from(buffers.count(output)?).unwrap_or(usize::MAX);
    let expected = times * each;
    if found == expected {
        Ok(())
    } else {
        Err(Fault::Count {
            times,
            found,
            expected,
        })
    }
}

/// The position of a time among keys.
enum Place {
    At(usize),
    /// After a key, with the fraction of the time to the next key.
    Between(usize, f64),
}

impl<const N: usize> Keys<N> {
    /// Converts all values and slopes to other axes with the function `axes`.
    pub(super) fn mapped(mut self, axes: impl Fn([f32; N]) -> [f32; N]) -> Keys<N> {
        for value in self.values.iter_mut().chain(self.slopes.as_flattened_mut()) {
            *value = axes(*value);
        }
        self
    }

    fn place(&self, time: f32) -> Place {
        let after = self.times.partition_point(|&key| key <= time);
        let Some(before) = after.checked_sub(1) else {
            return Place::At(0);
        };
        let (start, end) = (self.times[before], self.times.get(after));
        match end {
            Some(&end) if time > start && self.interpolation != Interpolation::Step => {
                let [time, start, end] = [time, start, end].map(f64::from);
                Place::Between(before, (time - start) / (end - start))
            }
            _ => Place::At(before),
        }
    }

    fn value(&self, index: usize) -> [f64; N] {
        self.values
            .get(index)
            .map_or([0.0; N], |value| value.map(f64::from))
    }

    fn cubic(&self, before: usize, x: f64) -> [f64; N] {
        let length = f64::from(self.times[before + 1]) - f64::from(self.times[before]);
        let (from, to) = (self.value(before), self.value(before + 1));
        let leaving = self.slopes[before][1].map(f64::from);
        let arriving = self.slopes[before + 1][0].map(f64::from);
        let (square, cube) = (x * x, x * x * x);
        std::array::from_fn(|n| {
            (2.0 * cube - 3.0 * square + 1.0) * from[n]
                + (cube - 2.0 * square + x) * length * leaving[n]
                + (3.0 * square - 2.0 * cube) * to[n]
                + (cube - square) * length * arriving[n]
        })
    }
}

impl Keys<3> {
    pub(super) fn at(&self, time: f32) -> DVec3 {
        let value = |index| DVec3::from(self.value(index));
        match self.place(time) {
            Place::At(index) => value(index),
            Place::Between(before, x) if self.slopes.is_empty() => {
                value(before).lerp(value(before + 1), x)
            }
            Place::Between(before, x) => DVec3::from(self.cubic(before, x)),
        }
    }
}

impl Keys<4> {
    pub(super) fn at(&self, time: f32) -> DQuat {
        let value = |index| unit(DQuat::from_array(self.value(index)));
        match self.place(time) {
            Place::At(index) => value(index),
            Place::Between(before, x) if self.slopes.is_empty() => {
                value(before).slerp(value(before + 1), x)
            }
            Place::Between(before, x) => unit(DQuat::from_array(self.cubic(before, x))),
        }
    }

    /// Adds keys along the arcs of linear rotations, until the angle between neighbouring quaternions has at least the
    /// cosine `near`. Moves all keys into one hemisphere. Other interpolations stay unchanged.
    pub(super) fn dense(self, near: f64) -> Keys<4> {
        if self.interpolation != Interpolation::Linear {
            return self;
        }
        let mut dense = Keys {
            times: Vec::with_capacity(self.times.len()),
            values: Vec::with_capacity(self.values.len()),
            slopes: Vec::new(),
            interpolation: Interpolation::Linear,
        };
        let mut before: Option<(f32, DQuat)> = None;
        for (index, (&time, &value)) in self.times.iter().zip(&self.values).enumerate() {
            let mut end = unit(DQuat::from_array(self.value(index)));
            let mut value = value;
            if let Some((start, from)) = before {
                // Readers of glTF interpolate along the shorter arc.
                if from.dot(end) < 0.0 {
                    end = -end;
                    value = value.map(|part| -part);
                }
                let angle = from.dot(end).clamp(-1.0, 1.0).acos();
                let pieces = (angle / near.acos()).ceil().max(1.0) as u32;
                for piece in 1..pieces {
                    let x = f64::from(piece) / f64::from(pieces);
                    let between = f64::from(start) + (f64::from(time) - f64::from(start)) * x;
                    let between = between as f32;
                    // Rounding can move a time onto its neighbour, but times have to increase.
                    if dense.times.last().is_some_and(|&last| last < between) && between < time {
                        dense.times.push(between);
                        dense.values.push(single(from.slerp(end, x)));
                    }
                }
            }
            dense.times.push(time);
            dense.values.push(value);
            before = Some((time, end));
        }
        dense
    }
}
