//! Key reduction: fewer keys for the same motion, within error bounds that are checked.
//!
//! # Method
//! The kept keys are a subset of the samples (the existing keys), joined by linear interpolation,
//! so that MRTK plays the result like a recording of its own. Each position, rotation and direction
//! is reduced separately; the components of one vector keep their keys at common times.
//! [`ReduceMethod`] selects the algorithm. Every algorithm compares a line with each sample that it
//! replaces, using the evaluator of curves, before it accepts the line. With
//! [`Reduce::tangents`], a vector gets cubic curves where they need fewer keys.
//!
//! # Guarantee
//! At the time of every sample, the error of a position is at most [`ErrorBounds::position`], and the
//! error of a normalised rotation or direction at most [`ErrorBounds::rotation`], measured in double
//! precision. Both recordings are interpolated linearly between samples, so that for positions the
//! bound holds at every time, except for rounding. With tangents it also holds halfway between any
//! two neighbouring samples. The first and the last key of each curve stay, and so does every
//! change of a state.
//!
//! Sign flips of rotations are removed first, which keeps the rotations (D4 of docs/format.md,
//! section 6).
//!
//! # Limits
//! Vectors with tangents, with keys out of order or with values that are not finite are skipped and
//! listed as [`SkippedVector`]. [`resample`](crate::edit::resample) replaces tangents by linear
//! interpolation.
//!
//! ```
//! use inputanim::reduce::{Reduce, measure};
//! use inputanim::{Layout, Pose, Recording};
//!
//! let mut recording = Recording::new(Layout::Mrtk1_1);
//! for step in 0..=600_u16 {
//!     let time = f32::from(step) / 60.0;
//!     recording.head_mut().push(time, &Pose::at([time.sin(), 1.6, 0.0]));
//! }
//! let original = recording.clone();
//! recording.reduce(&Reduce::default())?;
//!
//! let keys = recording.head.as_ref().map(|head| head.position[0].keys.len());
//! assert!(keys.is_some_and(|keys| keys < 100));
//! let head = &measure(&original, &recording)?[0];
//! assert!(head.position.is_some_and(|errors| errors.largest <= 0.002));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cone;
mod douglas_peucker;
mod error;
mod line;
mod measure;
mod metric;
mod one_pass;
mod optimal;
mod options;
mod samples;
mod states;
mod tangents;

use crate::curve::{CurveMut, FloatCurve, KeyKind};
use crate::doctor;
use crate::parallel;
use crate::recording::Recording;
use crate::vector::{VectorKind, VectorPath};

pub use error::{ReduceError, SkipReason, SkippedVector};
pub use measure::{ErrorStatistics, StreamErrors, measure};
pub use options::{Bounds, ErrorBounds, POINT_DISTANCE, Reduce, ReduceMethod};

use line::Sample;
use metric::{Angle, Distance, Metric};

impl Recording<'_> {
    /// Removes every key that the error bounds allow to remove, and returns the vectors that were skipped. See the
    /// [module](crate::reduce) for method and guarantee.
    ///
    /// # Errors
    /// Returns an error if a bound is negative or not a number, if a partition is given for another method than MRTK's,
    /// if tangents are requested in a layout with simple keys, or if the w component of a rotation is lost.
    pub fn reduce(&mut self, options: &Reduce) -> Result<Vec<SkippedVector>, ReduceError> {
        options.check_for(self.layout)?;
        let bounds = options.bounds();
        if let Some((curve, _)) = doctor::damaged_w(self).first() {
            return Err(ReduceError::LostW { curve: *curve });
        }
        for (_, curve) in self.curves_mut() {
            if let CurveMut::Boolean(curve) = curve {
                states::reduce(curve);
            }
        }
        let keys = self.curves().map(|(_, curve)| curve.len()).sum();
        let vectors: Vec<_> = self.vectors_mut().collect();
        let mut skipped = vec![None; vectors.len()];
        let work = vectors.into_iter().zip(&mut skipped).collect();
        parallel::for_each(work, keys, |((path, curves), skipped)| {
            let curve = path.curves().next();
            *skipped = reduce_vector(path, curves, bounds.of_vector(path), options)
                .err()
                .and_then(|reason| {
                    Some(SkippedVector {
                        curve: curve?,
                        reason,
                    })
                });
        });
        Ok(skipped.into_iter().flatten().collect())
    }
}

fn reduce_vector(
    path: VectorPath,
    curves: &mut [FloatCurve<'_>],
    bounds: ErrorBounds,
    options: &Reduce,
) -> Result<(), SkipReason> {
    if let ([curve], VectorKind::Number) = (&mut *curves, path.kind()) {
        // Keys with tangents hold their values, which lines would not.
        if curve.keys.kind() == KeyKind::Simple {
            let curves = std::array::from_mut(curve);
            let (samples, are_keys) = samples::of(curves)?;
            let metric = Distance::within(bounds.position);
            reduce_by_metric(curves, &samples, are_keys, &metric, options);
        }
        return Ok(());
    }
    let ErrorBounds {
        position: metres,
        rotation: degrees,
    } = bounds;
    if let Ok(curves) = <&mut [FloatCurve<'_>; 4]>::try_from(&mut *curves) {
        let (mut samples, are_keys) = samples::of(curves)?;
        // Negated samples are no longer equal to the keys of the curves.
        let are_keys = !samples::remove_sign_flips(&mut samples) && are_keys;
        reduce_by_angle(curves, &samples, are_keys, degrees, options);
    } else if let Ok(curves) = <&mut [FloatCurve<'_>; 3]>::try_from(curves) {
        let (samples, are_keys) = samples::of(curves)?;
        if path.kind() == VectorKind::Direction {
            reduce_by_angle(curves, &samples, are_keys, degrees, options);
        } else {
            let metric = Distance::within(metres);
            reduce_by_metric(curves, &samples, are_keys, &metric, options);
        }
    }
    Ok(())
}

fn reduce_by_angle<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    are_keys: bool,
    degrees: f64,
    options: &Reduce,
) where
    Angle<N>: Metric<N>,
{
    let length_squared = |sample: &Sample<N>| -> f64 {
        let value = sample.value.map(f64::from);
        value.iter().map(|part| part * part).sum()
    };
    // A sample of length 0 has no angle to compare, so its vector is kept bit for bit.
    if samples.iter().any(|sample| length_squared(sample) < 1e-12) {
        let metric = Distance::within(0.0);
        return reduce_by_metric(curves, samples, are_keys, &metric, options);
    }
    let is_unit = |sample| (length_squared(sample) - 1.0).abs() < 1e-3;
    let metric = Angle::within(degrees, samples.iter().all(is_unit));
    reduce_by_metric(curves, samples, are_keys, &metric, options);
}

/// Replaces the keys of the curves of a vector by the samples that the bound of `metric` needs. `are_keys` is `true` if
/// each sample is a key, at the same index in every curve.
fn reduce_by_metric<const N: usize, M: Metric<N>>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    are_keys: bool,
    metric: &M,
    options: &Reduce,
) {
    let lines = match options.method {
        ReduceMethod::OnePass => one_pass::keys(samples, metric),
        ReduceMethod::Optimal => optimal::keys(samples, metric),
        ReduceMethod::Mrtk => {
            let partition = options.partition.unwrap_or(Reduce::PARTITION);
            douglas_peucker::keys(samples, metric, partition)
        }
    };
    if options.tangents {
        let cubics = tangents::keys(samples, metric);
        // A full key has the same size with and without tangents, so cubics pay only if they need
        // fewer keys.
        if cubics.len() < lines.len() {
            return samples::keep_tangents(curves, samples, &cubics);
        }
    }
    samples::keep(curves, samples, &lines, are_keys);
}
