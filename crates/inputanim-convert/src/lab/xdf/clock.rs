//! Synchronised times of samples.
//!
//! The time stamps of a stream are times of the clock of its own computer. Clock offsets, which the recorder measures
//! every few seconds, map them to the clock of the recorder. This module computes the times that pyxdf 1.17 (`load_xdf`)
//! computes with `jitter_break_threshold_seconds=0.5` and `jitter_break_threshold_samples=10`, so that the samples of a recording
//! match the samples that laboratories analyse:
//!
//! 1. A time that is missing is the time before plus the sampling interval.
//! 2. If a stream has more samples than its footer states, and its last clock offset is an outlier, both are dropped.
//! 3. The clock offsets are divided where the clock was reset. For each part a line is fitted, with Huber's loss, so that
//!    single slow measurements have little effect. The line corrects the times.
//! 4. The times of a regular stream are divided at [pauses](inputanim::Pauses): gaps of more than half a second and 10
//!    intervals, or of the length that the options state. For each part a line of time by sample is fitted by least squares and replaces the times,
//!    unless the stream states that it can drop samples (`desc/synchronization/can_drop_samples`). The times of streams that
//!    this library wrote stay as they are. By default, pyxdf divides only at gaps of more than a second and 500 samples, and
//!    moves samples around a shorter dropout by up to half of its length.

use inputanim::Pauses;

use super::file::{ClockOffset, Stream};
use crate::shared::ReadOptions;

/// Residuals up to this number of seconds count quadratically.
const WINSOR: f64 = 1e-4;
/// The iterations of the robust fit.
const ITERATIONS: usize = 1000;

/// A line that corrects times.
#[derive(Clone, Copy, Debug, Default)]
struct Line {
    intercept: f64,
    slope: f64,
}

impl Line {
    fn correct(self, time: f64) -> f64 {
        time + (self.intercept + self.slope * time)
    }
}

/// The times of the samples of a stream.
#[derive(Debug)]
pub(super) struct StreamTimes {
    /// The synchronised times, in seconds of the recorder's clock. There may be fewer times than samples, because the
    /// last samples are dropped if they are corrupt.
    pub(super) times: Vec<f64>,
    /// The correction of the first part of the stream.
    first: Line,
    /// The largest difference by which times were made regular, in seconds.
    pub(super) jitter: f64,
    /// The number of samples that this moved by more than the sampling interval.
    pub(super) moved: usize,
    /// The number of lines that correct the times; 0 without clock offsets.
    pub(super) clocks: usize,
}

impl StreamTimes {
    /// Computes the times of the samples of a stream on the clock of the recorder. Clock offsets are corrected, and jitter
    /// unless the options keep it.
    pub(super) fn of(stream: &Stream<'_>, options: &ReadOptions) -> StreamTimes {
        let mut times = raw_times(stream);
        let offsets = intact_offsets(stream, &mut times);
        let lines = synchronise(&mut times, offsets);
        let header = &stream.header;
        // The times that this library writes are regular. A fit would only round them.
        let is_exact = options.keep_jitter || header.can_drop_samples || header.written.is_some();
        let is_regular = header.rate != 0.0 && !is_exact;
        let (jitter, moved) = if is_regular {
            remove_jitter(&mut times, interval(stream), options.pauses)
        } else {
            (0.0, 0)
        };
        StreamTimes {
            jitter,
            moved,
            first: lines.first().copied().unwrap_or_default(),
            clocks: lines.len(),
            times,
        }
    }

    /// Converts a time stamp of the stream to a time on the clock of the recorder, by the clock offsets of the first
    /// part of the stream. Both are in seconds.
    pub(super) fn correct(&self, stamp: f64) -> f64 {
        self.first.correct(stamp)
    }
}

/// Returns the sampling interval in seconds; 0 for an irregular stream.
pub(super) fn interval(stream: &Stream<'_>) -> f64 {
    let rate = stream.header.rate;
    if rate > 0.0 { 1.0 / rate } else { 0.0 }
}

/// Returns the time stamp of each sample in seconds, without corrections. A missing one is the time of the sample
/// before plus the sampling interval.
fn raw_times(stream: &Stream<'_>) -> Vec<f64> {
    let step = interval(stream);
    let mut times = Vec::with_capacity(stream.samples());
    let mut last = 0.0;
    for chunk in &stream.chunks {
        for sample in chunk.samples(&stream.header) {
            last = sample.stamp.unwrap_or(last + step);
            times.push(last);
        }
    }
    times
}

/// Returns the clock offsets of a stream without a corrupt last one. If the last one is corrupt, removes the times of
/// the samples that come with it from the end of `times`. When a program closes a stream that a recorder still reads,
/// the recorder may add a sample and a meaningless clock offset.
fn intact_offsets<'s>(stream: &'s Stream<'_>, times: &mut Vec<f64>) -> &'s [ClockOffset] {
    let offsets = &stream.offsets[..];
    match (stream.footer_samples, offsets.split_last()) {
        (Some(count), Some((last, others))) if times.len() > count && is_outlier(*last, others) => {
            times.truncate(count);
            others
        }
        _ => offsets,
    }
}

/// Returns `true` if the last clock offset of a stream has an unusual interval to the one before, or an unusual value.
/// `others` are the clock offsets before it.
fn is_outlier(last: ClockOffset, others: &[ClockOffset]) -> bool {
    const TIMES: f64 = 10.0;
    const DEVIATIONS: f64 = 10.0;
    let [.., before] = others else { return false };
    if others.len() < 2 {
        return false;
    }
    let usual = median(differences(others, |offset| offset.time));
    let interval = (last.time - before.time).abs();
    let ratio = if usual > 0.0 {
        interval / usual
    } else if interval > 0.0 {
        f64::INFINITY
    } else {
        1.0
    };
    let middle = median(others.iter().map(|offset| offset.value).collect());
    let deviation = median(
        others
            .iter()
            .map(|offset| (offset.value - middle).abs())
            .collect(),
    );
    // For a normal distribution, 1.4826 times the median absolute deviation is the standard deviation.
    let score = if deviation > f64::EPSILON {
        (last.value - middle).abs() / (1.4826 * deviation)
    } else {
        0.0
    };
    ratio > TIMES || score > DEVIATIONS
}

/// Corrects the times of the samples of a stream in place by its clock offsets. Returns the line of corrections for
/// each part of the stream in which the clock was not reset. The list is empty without times or clock offsets.
fn synchronise(times: &mut [f64], offsets: &[ClockOffset]) -> Vec<Line> {
    if times.is_empty() || offsets.is_empty() {
        return Vec::new();
    }
    let resets = resets(offsets);
    let starts = std::iter::once(0).chain(resets.iter().copied());
    let ends = resets.iter().copied().chain([offsets.len()]);
    let mut lines = Vec::new();
    let mut rest = times;
    for (start, end) in starts.zip(ends) {
        let line = line_of(&offsets[start..end]);
        lines.push(line);
        let part = match (offsets.get(end), offsets.get(end - 1)) {
            // A part ends before the first time that is nearer to the next clock offset than to its own last one.
            (Some(next), Some(last)) => {
                let is_own = |time: f64| (time - last.time).abs() < (time - next.time).abs();
                let end = rest.iter().position(|&time| !is_own(time));
                end.unwrap_or(rest.len())
            }
            _ => rest.len(),
        };
        let (own, others) = rest.split_at_mut(part);
        own.iter_mut().for_each(|time| *time = line.correct(*time));
        rest = others;
    }
    lines
}

/// Returns the index of the first clock offset after each reset of the stream's clock.
fn resets(offsets: &[ClockOffset]) -> Vec<usize> {
    let intervals = differences(offsets, |offset| offset.time);
    let steps = differences(offsets, |offset| offset.value);
    if intervals.is_empty() {
        return Vec::new();
    }
    let late = Unusual::of(&intervals, 5.0, 5.0);
    let jump = Unusual::of(&steps, 10.0, 1.0);
    let is_reset = |(&interval, &step): (&f64, &f64)| {
        interval < 0.0 || (late.is_unusual(interval) && jump.is_unusual(step))
    };
    let pairs = intervals.iter().zip(&steps).enumerate();
    let resets = pairs.filter(|(_, pair)| is_reset(*pair));
    resets.map(|(index, _)| index + 1).collect()
}

/// A test for differences that are far from the median.
struct Unusual {
    median: f64,
    deviation: f64,
    deviations: f64,
    seconds: f64,
}

impl Unusual {
    fn of(differences: &[f64], deviations: f64, seconds: f64) -> Unusual {
        let middle = median(differences.to_vec());
        let distances = differences
            .iter()
            .map(|difference| (difference - middle).abs());
        Unusual {
            median: middle,
            deviation: median(distances.collect()) + f64::EPSILON,
            deviations,
            seconds,
        }
    }

    fn is_unusual(&self, difference: f64) -> bool {
        let distance = (difference - self.median).abs();
        distance / self.deviation > self.deviations && distance > self.seconds
    }
}

fn differences(offsets: &[ClockOffset], part: impl Fn(&ClockOffset) -> f64) -> Vec<f64> {
    let pairs = offsets.windows(2);
    pairs.map(|pair| part(&pair[1]) - part(&pair[0])).collect()
}

/// Returns the median of finite numbers; 0 without any.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_unstable_by(f64::total_cmp);
    let middle = numbers.len() / 2;
    match (numbers.get(middle), numbers.len() % 2) {
        (None, _) => 0.0,
        (Some(&upper), 0) => (numbers[middle - 1] + upper) / 2.0,
        (Some(&only), _) => only,
    }
}

/// Fits a line to the clock offsets of a stream, which gives the correction of a time in seconds. A single clock offset
/// gives a constant correction, and none gives no correction.
fn line_of(offsets: &[ClockOffset]) -> Line {
    match offsets {
        [] => Line::default(),
        [only] => Line {
            intercept: only.value,
            slope: 0.0,
        },
        _ => robust_line(offsets).unwrap_or_default(),
    }
}

/// Fits a line to clock offsets with Huber's loss by the alternating direction method of multipliers; `None` if all
/// times are equal.
///
/// Source: S. Boyd and others, Distributed Optimization and Statistical Learning via the Alternating Direction Method
/// of Multipliers, section 6.1.1, with ρ = 1. Times and values are in units of [`WINSOR`]. Values are relative to the
/// first one, which changes the result only by rounding: values of days have a rounding error that the iterations
/// amplify.
fn robust_line(offsets: &[ClockOffset]) -> Option<Line> {
    let times = offsets.iter().map(|offset| offset.time / WINSOR);
    let origin = times.clone().fold(f64::INFINITY, f64::min);
    let times: Vec<f64> = times.map(|time| time - origin).collect();
    let base = offsets.first()?.value;
    let values = offsets.iter().map(|offset| (offset.value - base) / WINSOR);
    let values: Vec<f64> = values.collect();
    let count = offsets.len() as f64;
    let sum: f64 = times.iter().sum();
    let squares: f64 = times.iter().map(|time| time * time).sum();
    // The Cholesky factor of the matrix of the normal equations.
    let l11 = count.sqrt();
    let l21 = sum / l11;
    let rest = squares - l21 * l21;
    if rest.is_nan() || rest <= 0.0 {
        return None;
    }
    let l22 = rest.sqrt();
    let solve = |a: f64, b: f64| {
        let first = a / l11;
        let second = (b - l21 * first) / l22;
        let slope = second / l22;
        ((first - l21 * slope) / l11, slope)
    };
    let total: f64 = values.iter().sum();
    let moment: f64 = times
        .iter()
        .zip(&values)
        .map(|(time, value)| time * value)
        .sum();
    // The scaled dual variable of each clock offset.
    let mut duals = vec![0.0; offsets.len()];
    let mut excess = (0.0, 0.0);
    let mut line = (0.0, 0.0);
    for _ in 0..ITERATIONS {
        let next = solve(total + excess.0, moment + excess.1);
        let mut is_same = next == line;
        line = next;
        excess = (0.0, 0.0);
        for ((time, value), dual) in times.iter().zip(&values).zip(&mut duals) {
            let distance = line.0 + line.1 * time - value + *dual;
            let next = (0.5 * distance).clamp(-1.0, 1.0);
            is_same &= next == *dual;
            *dual = next;
            // The part of the distance that is not quadratic.
            let beyond = distance - 2.0 * next;
            excess.0 += beyond;
            excess.1 += beyond * time;
        }
        // All later iterations would give the same line.
        if is_same {
            break;
        }
    }
    Some(Line {
        intercept: base + (line.0 - line.1 * origin) * WINSOR,
        slope: line.1,
    })
}

/// Makes the times of samples regular: replaces the times between two pauses by a fitted line. `interval` is the sampling
/// interval in seconds. Returns the largest change in seconds, and the number of changes by more than the interval.
fn remove_jitter(times: &mut [f64], interval: f64, pauses: Pauses) -> (f64, usize) {
    let gap = match pauses {
        Pauses::Longer(seconds) => seconds.into(),
        // The samples keep their times, even if a pause does not make values unknown.
        Pauses::Usual | Pauses::None => {
            (f64::from(Pauses::MIN_INTERVALS) * interval).max(Pauses::MIN_SECONDS.into())
        }
    };
    let (mut largest, mut moved) = (0.0_f64, 0);
    let parts = times
        .chunk_by_mut(|a, b| (b - a).abs().partial_cmp(&gap) != Some(std::cmp::Ordering::Greater));
    for part in parts {
        fit(part, |change| {
            largest = largest.max(change);
            moved += usize::from(change > interval);
        });
    }
    (largest, moved)
}

/// Replaces times by a line of time by index, which is fitted by least squares. Calls a function with the size of each change
/// in seconds.
fn fit(times: &mut [f64], mut changed: impl FnMut(f64)) {
    let [start, .., end] = *times else { return };
    let steps = (times.len() - 1) as f64;
    // Differences to a line through both ends are small, so that their sums are precise.
    let slope = (end - start) / steps;
    let guess = |index: usize| index as f64 * slope;
    let middle = steps / 2.0;
    let (mut mean, mut product) = (0.0, 0.0);
    for (index, &time) in times.iter().enumerate() {
        let difference = (time - start) - guess(index);
        mean += difference;
        product += difference * (index as f64 - middle);
    }
    mean /= steps + 1.0;
    // The sum of the squares of the distances of the indices from the middle.
    let square = (steps + 1.0) * steps * (steps + 2.0) / 12.0;
    let correction = product / square;
    for (index, time) in times.iter_mut().enumerate() {
        let fitted = start + (guess(index) + mean + correction * (index as f64 - middle));
        changed((fitted - *time).abs());
        *time = fitted;
    }
}
