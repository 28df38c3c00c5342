//! Fewer keys for the same motion, within a bound that is checked.
//!
//! # Method
//! Keys stay a subset of the samples (the keys that are there), joined by straight lines, so that
//! the toolkit plays the result as it plays what its own recorder writes. Each vector and each
//! rotation is reduced by itself; its components keep their keys at the same times.
//! [`Method`] says how keys are chosen. Whatever it is, no line is taken before every sample has
//! been compared with what the evaluator of curves plays there. With [`Reduction::tangents`], a
//! vector gets cubic curves instead where they take fewer keys, for the layouts that hold them.
//!
//! # Guarantee
//! At the time of every sample a position is at most [`Bounds::metres`] away from it, and a
//! rotation or direction, normalised as players do, at most [`Bounds::degrees`], in double
//! precision. Between samples both recordings are straight lines with their bends at samples, so
//! that for positions the bound holds at every time, but for rounding; with tangents it also holds
//! halfway between any two samples. First and last key stay. States keep every flip.
//!
//! Neighbouring rotations are brought into the same hemisphere first: the same rotations, without
//! the whirl between them (D4 of docs/format.md, section 6).
//!
//! # Limits
//! Curves with tangents, keys out of order and numbers that are not finite are left as they are;
//! [`Left`] lists them. [`resample`](crate::edit::resample) makes straight lines of tangents.
//!
//! ```
//! use inputanim::reduce::{Reduction, measure, reduce};
//! use inputanim::{Layout, Pose, Recording};
//!
//! let mut take = Recording::new(Layout::Mrtk1_1);
//! for step in 0..=600_u16 {
//!     let time = f32::from(step) / 60.0;
//!     take.camera_mut().push(time, &Pose::at([time.sin(), 1.6, 0.0]));
//! }
//! let whole = take.clone();
//! reduce(&mut take, &Reduction::default())?;
//!
//! let keys = take.camera.as_ref().map(|camera| camera.position[0].keys.len());
//! assert!(keys.is_some_and(|keys| keys < 100));
//! let camera = &measure(&whole, &take)?[0];
//! assert!(camera.position.is_some_and(|errors| errors.largest <= 0.002));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod cone;
mod divide;
mod fewest;
mod line;
mod measure;
mod metric;
mod one_pass;
mod samples;
mod states;
mod tangents;

use crate::curve::{CurveMut, FloatCurve, KeyKind};
use crate::doctor;
use crate::layout::Layout;
use crate::parallel;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::vector::{VectorKind, VectorPath};

pub use measure::{Errors, StreamErrors, measure};

use line::Sample;
use metric::{Angle, Distance, Metric};

/// The largest errors that one stream may have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bounds {
    /// Of positions, and of the origin of the gaze, in metres.
    pub metres: f64,
    /// Of rotations, and of the direction of the gaze, in degrees.
    pub degrees: f64,
}

/// How keys are chosen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Method {
    /// The longest straight line from each key to the next, in one pass over the samples.
    #[default]
    OnePass,
    /// The fewest keys that there can be of positions, but for lines over more than four seconds, and
    /// next to the fewest of rotations. Takes several times as long.
    Fewest,
    /// The toolkit's own: lines divided at the sample farthest away, in partitions of so many
    /// samples each (0: all in one), of which 32 is its default. For comparison.
    Toolkit {
        /// Samples of a partition.
        partition: usize,
    },
}

/// What is reduced how far.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reduction {
    /// Of the head.
    pub camera: Bounds,
    /// Of every joint.
    pub joints: Bounds,
    /// Of the gaze.
    pub gaze: Bounds,
    /// The largest error in metres of a point that is [`ARM`] away from the head or joint, in any
    /// direction, and turns with it. Infinite: what follows from the bounds.
    pub point: f64,
    /// How keys are chosen.
    pub method: Method,
    /// Whether keys may have tangents, where that takes fewer of them than straight lines do. Only
    /// for layouts with full keys, in which a key takes as many bytes with tangents as without.
    pub tangents: bool,
}

/// How far from its joint a point is on which rotations and positions are judged together, in
/// metres, as is usual where animations are compressed.
pub const ARM: f64 = 0.03;

impl Default for Reduction {
    /// The thresholds of the toolkit's recorder (docs/format.md, section 5.4): 1 mm and 0.2° for
    /// joints, 2 mm and 0.2° for head and gaze.
    fn default() -> Self {
        let of = |metres| Bounds {
            metres,
            degrees: 0.2,
        };
        Reduction {
            camera: of(0.002),
            joints: of(0.001),
            gaze: of(0.002),
            point: f64::INFINITY,
            method: Method::default(),
            tangents: false,
        }
    }
}

impl Reduction {
    fn bounds_of(&self, path: VectorPath) -> Bounds {
        match path {
            VectorPath::Camera(_) => self.with_point(self.camera),
            VectorPath::Joint(..) => self.with_point(self.joints),
            VectorPath::Gaze(_) => self.gaze,
        }
    }

    /// Bounds from which that of the point follows: a rotation moves it by the chord of its angle,
    /// at most by half of what it may be off, and the position by no more than the rest.
    fn with_point(&self, bounds: Bounds) -> Bounds {
        let half_angle = (self.point / (4.0 * ARM)).min(1.0).asin();
        let degrees = bounds.degrees.min(2.0 * half_angle.to_degrees());
        let chord = 2.0 * ARM * (degrees.min(180.0).to_radians() / 2.0).sin();
        Bounds {
            metres: bounds.metres.min(self.point - chord),
            degrees,
        }
    }

    fn check(&self, layout: Layout) -> Result<(), ReduceError> {
        if self.tangents && layout.key_kind() == KeyKind::Simple {
            return Err(ReduceError::SimpleKeys { layout });
        }
        let numbers = [self.camera, self.joints, self.gaze]
            .into_iter()
            .flat_map(|bounds| [("metres", bounds.metres), ("degrees", bounds.degrees)])
            .chain([("metres of the point", self.point)]);
        for (what, value) in numbers {
            if value.is_nan() || value < 0.0 {
                return Err(ReduceError::Bound { what, value });
            }
        }
        Ok(())
    }
}

/// A recording that cannot be reduced; it is then as it was.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ReduceError {
    /// A bound that is none.
    #[error("the bound of {value} {what} is none: it must be 0 or more")]
    Bound {
        /// `metres`, `degrees` or `metres of the point`.
        what: &'static str,
        /// The number.
        value: f64,
    },
    /// Tangents for a layout that has no place for them.
    #[error("{layout} has simple keys, which have no tangents")]
    SimpleKeys {
        /// The recording's layout.
        layout: Layout,
    },
    /// A rotation whose w was not saved: what it plays means nothing until it is
    /// [repaired](crate::repair), and fewer keys would hide that.
    #[error("{curve} was not saved, so that its rotation plays wrong")]
    LostW {
        /// The first such w curve.
        curve: CurvePath,
    },
}

/// Why a vector was left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, thiserror::Error)]
#[non_exhaustive]
pub enum Why {
    /// Its curves have tangents, and so are no straight lines.
    #[error("it has tangents")]
    Tangents,
    /// Its keys are not in growing order of time, or one has no finite time.
    #[error("its keys are not in order of time")]
    Times,
    /// Its curves start over, each at a time of its own.
    #[error("its curves start over at different times")]
    Loops,
    /// Some values are infinite or not numbers.
    #[error("it has values that are not finite")]
    Values,
}

/// A vector that was left as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Left {
    /// The first of its curves.
    pub curve: CurvePath,
    /// Why.
    pub why: Why,
}

/// Takes away every key that the bounds do not need; see the [module](self). Returns what was left
/// as it is.
///
/// # Errors
/// When a bound is below 0 or not a number, or when a rotation has lost its w.
pub fn reduce(recording: &mut Recording<'_>, with: &Reduction) -> Result<Vec<Left>, ReduceError> {
    with.check(recording.layout)?;
    if let Some((curve, _)) = doctor::damaged_w(recording).first() {
        return Err(ReduceError::LostW { curve: *curve });
    }
    for (_, curve) in recording.curves_mut() {
        if let CurveMut::Boolean(curve) = curve {
            states::reduce(curve);
        }
    }
    let numbers = recording.curves().map(|(_, curve)| curve.len()).sum();
    let vectors: Vec<_> = recording.vectors_mut().collect();
    let mut left = vec![None; vectors.len()];
    let work = vectors.into_iter().zip(&mut left).collect();
    parallel::for_each(work, numbers, |((path, curves), left)| {
        let curve = path.curves().next();
        *left = reduce_vector(path, curves, with)
            .err()
            .and_then(|why| Some(Left { curve: curve?, why }));
    });
    Ok(left.into_iter().flatten().collect())
}

fn reduce_vector(
    path: VectorPath,
    curves: &mut [FloatCurve<'_>],
    with: &Reduction,
) -> Result<(), Why> {
    let Bounds { metres, degrees } = with.bounds_of(path);
    if let Ok(curves) = <&mut [FloatCurve<'_>; 4]>::try_from(&mut *curves) {
        let (mut samples, are_keys) = samples::of(curves)?;
        let are_keys = !samples::align(&mut samples) && are_keys;
        within_angle(curves, &samples, are_keys, degrees, with);
    } else if let Ok(curves) = <&mut [FloatCurve<'_>; 3]>::try_from(curves) {
        let (samples, are_keys) = samples::of(curves)?;
        match path.kind() {
            VectorKind::Direction => within_angle(curves, &samples, are_keys, degrees, with),
            _ => within(curves, &samples, are_keys, &Distance::within(metres), with),
        }
    }
    Ok(())
}

fn within_angle<const N: usize>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    are_keys: bool,
    degrees: f64,
    with: &Reduction,
) where
    Angle<N>: Metric<N>,
{
    let square = |sample: &Sample<N>| -> f64 {
        let value = sample.value.map(f64::from);
        value.iter().map(|part| part * part).sum()
    };
    // What points nowhere has no angle to go by, and is kept to the bit.
    if samples.iter().any(|sample| square(sample) < 1e-12) {
        return within(curves, samples, are_keys, &Distance::within(0.0), with);
    }
    let is_unit = |sample| (square(sample) - 1.0).abs() < 1e-3;
    let are_unit = samples.iter().all(is_unit);
    let angle = Angle::within(degrees, are_unit);
    within(curves, samples, are_keys, &angle, with);
}

/// Gives curves the keys that a bound needs. `are_keys` says that the samples are those of the
/// curves.
fn within<const N: usize, M: Metric<N>>(
    curves: &mut [FloatCurve<'_>; N],
    samples: &[Sample<N>],
    are_keys: bool,
    metric: &M,
    with: &Reduction,
) {
    let lines = match with.method {
        Method::OnePass => one_pass::keys(samples, metric),
        Method::Fewest => fewest::keys(samples, metric),
        Method::Toolkit { partition } => divide::keys(samples, metric, partition),
    };
    if with.tangents {
        let cubics = tangents::keys(samples, metric);
        if cubics.len() < lines.len() {
            return samples::keep_tangents(curves, samples, &cubics);
        }
    }
    samples::keep(curves, samples, &lines, are_keys);
}
