//! Keys at a steady rate.
//!
//! Method: each vector is played at the multiples of an interval, from its first key to its last,
//! and gets its keys there. Of joints this is done while their hand is tracked; their keys outside
//! of that stay, and so do the first and the last one inside, so that the line on which they cross
//! a gap is the one that it was. Guarantee: at those multiples a vector plays what it played, to
//! rounding, and done again at the same rate nothing changes. Cost: the new keys are counted before
//! any is made.

mod plan;
mod vector;

use crate::curve::{FloatCurve, WrapMode};
use crate::joint::Side;
use crate::read::Limits;
use crate::recording::Recording;
use crate::span::Span;
use crate::summary::Summary;
use crate::vector::VectorPath;

use super::{EditError, played, refuse_lost_w, tracking};
use vector::Vector;

/// Gives every pose a key at each multiple of `1 / rate` seconds from t = 0 on, and before it where
/// there are keys, with what plays there. Straight lines join them, also where there were tangents.
///
/// The first and the last key of each pose and of the gaze stay, at their own times. Joints get keys
/// only while their hand is tracked: the first and the last key of each such time stay, and so do
/// keys outside of it. States keep every change at its own time, and markers theirs. Rotations come
/// out with length 1, each on the side of the one before it, so that nothing whirls; one of length 0
/// or with numbers that are not finite stays as it is. A jump between two keys becomes a straight
/// line that takes no longer than `1 / rate` seconds.
///
/// A curve that starts over or runs back outside of its keys is written out over all that is played,
/// and its ends are held then, if it is played there. One without keys stays so. When a hand is
/// tracked is what [`Summary`] says: both ends are held whatever the wrap modes.
///
/// The recording may then have as many keys and bytes as the default [`Limits`] allow.
///
/// ```
/// use inputanim::{FloatCurve, Layout, Recording, edit};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().position[1] = FloatCurve::linear([(0.25, 1.0), (1.25, 3.0)]);
/// edit::resample(&mut take, 2.0)?;
/// let height = &take.camera.unwrap().position[1].keys;
/// assert_eq!(
///     height.points().collect::<Vec<_>>(),
///     [(0.25, 1.0), (0.5, 1.5), (1.0, 2.5), (1.25, 3.0)]
/// );
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// When the rate is not above 0 and at most [`Span::HIGHEST_RATE`], when a rotation has lost its w,
/// when a key's time is not finite, or when there would be too many keys.
pub fn resample(recording: &mut Recording<'_>, rate: f64) -> Result<(), EditError> {
    resample_with(recording, rate, &Limits::default())
}

/// Does what [`resample`] does, as long as there are at most as many keys and bytes then as `limits`
/// say.
///
/// # Errors
/// As [`resample`].
pub fn resample_with(
    recording: &mut Recording<'_>,
    rate: f64,
    limits: &Limits,
) -> Result<(), EditError> {
    if !(rate > 0.0 && rate <= Span::HIGHEST_RATE) {
        return Err(EditError::Number {
            what: "the rate",
            value: rate,
            expected: "above 0 and at most a million",
        });
    }
    refuse_lost_w(recording)?;
    for (curve, keys) in recording.curves() {
        if let Some(index) = keys.points().position(|(time, _)| !time.is_finite()) {
            return Err(EditError::TimeNotFinite { curve, index });
        }
    }
    let summary = Summary::of(recording);
    let tracked = Side::BOTH.map(|side| tracked(&summary, side));
    let played = played(recording);
    let when = |path: VectorPath| match path {
        VectorPath::Joint(side, ..) => &tracked[side as usize][..],
        VectorPath::Camera(_) | VectorPath::Gaze(_) => &[ALWAYS],
    };
    let mut resampled = recording.clone();
    // All are counted before any is made.
    let mut count = Count::default();
    for (path, curves) in resampled.vectors_mut() {
        let plan = Vector::new(path, curves, played).plan(when(path), rate);
        count.add(curves, plan.most_keys());
    }
    count.check(rate, limits)?;
    for (path, curves) in resampled.vectors_mut() {
        let vector = Vector::new(path, curves, played);
        // The same value all the time.
        if vector.is_still() {
            continue;
        }
        let times = vector.plan(when(path), rate).times();
        let new = vector.values(&times)?;
        let is_written_out = vector.wraps();
        for (curve, values) in curves.iter_mut().zip(new) {
            if curve.keys.is_empty() {
                continue;
            }
            // One value held everywhere, whatever the wrap modes.
            if is_written_out || is_at_one_time(curve) {
                hold_ends(curve);
            }
            draw(curve, &times, values);
        }
    }
    *recording = resampled;
    Ok(())
}

const ALWAYS: Span = Span {
    start: f32::NEG_INFINITY,
    end: f32::INFINITY,
};

/// When a hand is tracked. States hold beyond the first and the last key of all, and so does this.
fn tracked(summary: &Summary, side: Side) -> Vec<Span> {
    let mut spans = tracking::spans(summary, side);
    let Some(range) = summary.time_range else {
        return spans;
    };
    if let Some(first) = spans.first_mut().filter(|span| span.start == range.start) {
        first.start = ALWAYS.start;
    }
    if let Some(last) = spans.last_mut().filter(|span| span.end == range.end) {
        last.end = ALWAYS.end;
    }
    spans
}

/// Straight lines through points, in the form of keys that a curve has.
fn draw(curve: &mut FloatCurve<'_>, times: &[f32], values: Vec<f32>) {
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

/// What the new recording takes.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    keys: f64,
    bytes: f64,
}

/// So that steps can be counted, whatever the limits: four terabytes.
const MOST_KEYS: u64 = 1 << 39;

impl Count {
    fn add(&mut self, curves: &[FloatCurve<'_>], keys: f64) {
        for curve in curves.iter().filter(|curve| !curve.keys.is_empty()) {
            self.keys += keys;
            self.bytes += keys * curve.keys.kind().size() as f64;
        }
    }

    fn check(&self, rate: f64, limits: &Limits) -> Result<(), EditError> {
        let most_keys = limits.max_keys.min(MOST_KEYS);
        for (count, limit, things) in [
            (self.keys, most_keys, "keys"),
            (self.bytes, limits.max_bytes, "bytes"),
        ] {
            if count > limit as f64 {
                return Err(EditError::RateTooHigh {
                    rate,
                    limit,
                    things,
                });
            }
        }
        Ok(())
    }
}
