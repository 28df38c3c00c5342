//! Resampling: keys at a fixed rate.
//!
//! Method: each vector is evaluated at the multiples of an interval, from its first key to its
//! last, and gets keys there. Joints are resampled while their hand is tracked. Their other keys
//! stay, and so do the first and the last key within each tracked range, so that the line across a
//! gap stays the same. Guarantee: at the multiples of the interval, a vector has the same value
//! except for rounding, and resampling again at the same rate changes nothing. Cost: the new keys
//! are counted before any is created.

mod plan;
mod vector;

use crate::curve::{FloatCurve, KeyKind, WrapMode};
use crate::element::Element;
use crate::info::{Info, active_ranges};
use crate::joint::Side;
use crate::read::Limits;
use crate::recording::Recording;
use crate::time_range::TimeRange;
use crate::vector::{VectorKind, VectorPath};

use super::checks::{refuse_lost_w, require, require_finite_times};
use super::error::EditError;
use super::tracking;
use vector::Vector;

/// Gives every pose a key at each multiple of `1 / rate` seconds, joined by linear interpolation,
/// also where there were tangents.
///
/// The first and the last key of each pose and of the gaze stay at their own times. Joints get keys
/// only while their hand is tracked: the first and the last key of each tracked range stay, and so
/// do keys outside. States and markers keep their times. Rotations get length 1, each in the
/// hemisphere of the previous one; rotations of length 0 or with numbers that are not finite stay
/// as they are. A jump between two keys becomes a line of at most `1 / rate` seconds.
///
/// Inputs of devices are resampled as poses, except those that are on or off, and those whose keys have tangents, which hold
/// their values.
///
/// A head, gaze or joint gets keys only where it is known: the first and the last key of each known range stay.
///
/// The copies of a curve that loops within the time range of the recording become keys, and its ends are held then. A
/// curve without keys stays empty. The ranges in which a hand is tracked come from [`Info`]: both ends are held
/// whatever the wrap modes.
///
/// The result may have as many keys and bytes as the default [`Limits`] allow.
///
/// ```
/// use inputanim::{FloatCurve, Layout, Recording, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().position[1] = FloatCurve::linear([(0.25, 1.0), (1.25, 3.0)]);
/// edit::resample(&mut recording, 2.0)?;
/// let height = &recording.head.unwrap().position[1].keys;
/// assert_eq!(
///     height.points().collect::<Vec<_>>(),
///     [(0.25, 1.0), (0.5, 1.5), (1.0, 2.5), (1.25, 3.0)]
/// );
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if the rate is not above 0 and at most [`TimeRange::MAX_RATE`], if the w component of a rotation
/// was not saved, if the time of a key is not finite, or if there would be too many keys.
pub fn resample(recording: &mut Recording<'_>, rate: f64) -> Result<(), EditError> {
    resample_with(recording, rate, &Limits::default())
}

/// Resamples like [`resample`], with other limits for the keys and bytes of the result.
///
/// # Errors
/// Returns an error in the cases of [`resample`].
pub fn resample_with(
    recording: &mut Recording<'_>,
    rate: f64,
    limits: &Limits,
) -> Result<(), EditError> {
    let is_valid = rate > 0.0 && rate <= TimeRange::MAX_RATE;
    require(is_valid, "rate", rate, "above 0 and at most 1000000 Hz")?;
    refuse_lost_w(recording)?;
    for (path, curve) in recording.curves() {
        require_finite_times(path, &curve)?;
    }
    let info = Info::of(recording);
    let known = |side| {
        recording
            .known
            .within(Element::Tracked(side), &tracked(&info, side))
    };
    let tracked = Side::BOTH.map(known);
    let played = recording.played_range();
    let ranges_of = |path: VectorPath| {
        let ranges = match path {
            VectorPath::Joint(side, ..) => tracked[side as usize].clone(),
            VectorPath::Head(_) | VectorPath::Gaze(_) => vec![ALWAYS],
            VectorPath::Device(device, ..) | VectorPath::Input(device, _) => {
                active_ranges(recording, device, ALWAYS)
            }
        };
        recording.known.within(path.element(), &ranges)
    };
    let mut resampled = recording.clone();
    // All keys are counted before any is created.
    let mut size = ResultSize::default();
    for (path, curves) in resampled.vectors_mut().filter(is_resampled) {
        let plan = Vector::new(path, curves, played).plan(&ranges_of(path), rate);
        size.add(curves, plan.max_keys());
    }
    size.check(rate, &limits.for_rate(recording))?;
    for (path, curves) in resampled.vectors_mut().filter(is_resampled) {
        let vector = Vector::new(path, curves, played);
        // The value is constant.
        if vector.is_still() {
            continue;
        }
        let times = vector.plan(&ranges_of(path), rate).times();
        let new = vector.values(&times)?;
        let is_written_out = vector.wraps();
        for (curve, values) in curves.iter_mut().zip(new) {
            if curve.keys.is_empty() {
                continue;
            }
            // Keys at one time hold their values before and after it, whatever the wrap modes are.
            // The new keys must do the same.
            if is_written_out || is_at_one_time(curve) {
                hold_ends(curve);
            }
            set_linear(curve, &times, values);
        }
    }
    *recording = resampled;
    Ok(())
}

/// Returns `true` unless the vector is an input with tangents, which holds its values.
fn is_resampled((path, curves): &(VectorPath, &mut [FloatCurve<'_>])) -> bool {
    let is_linear = |curve: &FloatCurve<'_>| curve.keys.kind() == KeyKind::Simple;
    path.kind() != VectorKind::Number || curves.iter().all(is_linear)
}

const ALWAYS: TimeRange = TimeRange {
    start: f32::NEG_INFINITY,
    end: f32::INFINITY,
};

/// Returns the time ranges in which a hand is tracked. States hold before the first and after the last key of the
/// recording, so a range that reaches one of these keys extends to infinity there.
fn tracked(info: &Info, side: Side) -> Vec<TimeRange> {
    let mut ranges = tracking::ranges(info, side);
    let Some(played) = info.time_range else {
        return ranges;
    };
    if let Some(first) = ranges
        .first_mut()
        .filter(|range| range.start == played.start)
    {
        first.start = ALWAYS.start;
    }
    if let Some(last) = ranges.last_mut().filter(|range| range.end == played.end) {
        last.end = ALWAYS.end;
    }
    ranges
}

/// Replaces the keys of a curve by keys with the given times and values, joined by linear interpolation. Full keys stay
/// full, and simple keys stay simple.
fn set_linear(curve: &mut FloatCurve<'_>, times: &[f32], values: Vec<f32>) {
    let points = times.iter().copied().zip(values);
    let line = FloatCurve::linear(points).into_kind(curve.keys.kind());
    curve.keys = line.keys;
}

fn is_at_one_time(curve: &FloatCurve<'_>) -> bool {
    let mut times = curve.keys.points().map(|(time, _)| time);
    let first = times.next();
    times.all(|time| Some(time) == first)
}

fn hold_ends(curve: &mut FloatCurve<'_>) {
    for mode in [&mut curve.pre_wrap, &mut curve.post_wrap] {
        if !mode.holds() {
            *mode = WrapMode::CLAMP_FOREVER;
        }
    }
}

/// The size of the result.
#[derive(Clone, Copy, Debug, Default)]
struct ResultSize {
    keys: f64,
    bytes: f64,
}

/// The maximum number of keys, even without limits: four terabytes. Steps are counted in integers,
/// so their number needs a bound.
pub(crate) const MAX_KEYS: u64 = 1 << 39;

impl ResultSize {
    fn add(&mut self, curves: &[FloatCurve<'_>], keys: f64) {
        for curve in curves.iter().filter(|curve| !curve.keys.is_empty()) {
            self.keys += keys;
            self.bytes += keys * curve.keys.kind().size() as f64;
        }
    }

    fn check(&self, rate: f64, limits: &Limits) -> Result<(), EditError> {
        let max_keys = limits.max_keys.min(MAX_KEYS);
        for (count, limit, unit) in [
            (self.keys, max_keys, "keys"),
            (
                self.bytes,
                limits.max_bytes.min(limits.max_sample_bytes),
                "bytes",
            ),
        ] {
            if count > limit as f64 {
                return Err(EditError::RateTooHigh { rate, limit, unit });
            }
        }
        Ok(())
    }
}
