//! When a wide table has rows, and what plays then: a piece of the recording at a time.
//!
//! Method: a long recording is cut into windows of time. Of a curve whose keys are in order and whose
//! ends are held, a window needs the keys within it and one beyond each end, and they are borrowed; so
//! the sampler of a window gives the same numbers, to the last bit, as that of the whole recording.
//! Cost: a look at every key. Where a curve starts over or its keys are not in order, which no
//! recorder writes, the recording stays in one piece.

use std::borrow::Cow;
use std::iter::Peekable;

use inputanim::{
    BooleanCurve, Curve, CurveMut, FloatCurve, Keys, Recording, Sampler, Span, WrapMode,
};

use super::Times;
use crate::sampled::{self, SampleError};

/// Rows of a piece: few enough that the columns stay near, and many enough that starting a piece
/// does not count.
pub(super) const ROWS: usize = 8192;

/// Keys of a window.
const KEYS: usize = 4 << 20;

/// Some rows in order of time.
pub(super) struct Piece {
    pub(super) sampler: Sampler,
    pub(super) times: Vec<f32>,
}

/// The pieces of a recording, in order of time.
pub(super) struct Pieces<'r> {
    recording: &'r Recording<'r>,
    /// The rest of them, the next one last.
    windows: Vec<Span>,
    clock: Clock,
    sampler: Option<Sampler>,
    until: f32,
}

enum Clock {
    /// Over all windows.
    Steady(Peekable<Box<dyn Iterator<Item = f32>>>),
    /// The rest of the key times of a window.
    Keys(std::vec::IntoIter<f32>),
}

/// The pieces of a recording.
pub(super) fn pieces<'r>(
    recording: &'r Recording<'r>,
    times: Times,
) -> Result<Pieces<'r>, SampleError> {
    pieces_of(recording, times, KEYS)
}

fn pieces_of<'r>(
    recording: &'r Recording<'r>,
    times: Times,
    keys: usize,
) -> Result<Pieces<'r>, SampleError> {
    let count: usize = recording.curves().map(|(_, curve)| curve.len()).sum();
    let is_long = count > keys;
    let range = is_long.then(|| cut_range(recording)).flatten();
    let (sampler, range) = match range {
        Some(range) => (None, Some(range)),
        None => {
            let sampler = Sampler::new(recording)?;
            let range = sampler.range();
            (Some(sampler), range)
        }
    };
    let end = range.map_or(0.0, |range| range.end.max(0.0));
    let windows = match sampler {
        Some(_) => Vec::new(),
        None => windows(range, count.div_ceil(keys)),
    };
    let clock = match times {
        Times::Rate(rate) => {
            sampled::check(end, rate)?;
            let steady: Box<dyn Iterator<Item = f32>> =
                Box::new(Span { start: 0.0, end }.times_at(rate));
            Clock::Steady(steady.peekable())
        }
        Times::Keys => {
            let times = sampler.as_ref().map(Sampler::key_times);
            Clock::Keys(times.unwrap_or_default().into_iter())
        }
    };
    Ok(Pieces {
        recording,
        windows,
        clock,
        sampler,
        until: f32::INFINITY,
    })
}

/// From the first to the last key, if the recording can be cut into windows.
fn cut_range(recording: &Recording<'_>) -> Option<Span> {
    let holds = |mode: WrapMode| matches!(mode, WrapMode::ONCE | WrapMode::CLAMP_FOREVER);
    let mut range: Option<Span> = None;
    for (_, curve) in recording.curves() {
        let (pre, post) = curve.wrap();
        if !(holds(pre) && holds(post)) {
            return None;
        }
        let mut times = curve.points().map(|(time, _)| time);
        let Some(start) = times.next() else { continue };
        let mut end = start;
        for time in times {
            // No order: one of them is NaN.
            let order = end.partial_cmp(&time);
            if order.is_none_or(std::cmp::Ordering::is_gt) {
                return None;
            }
            end = time;
        }
        if !(start.is_finite() && end.is_finite()) {
            return None;
        }
        let whole = range.get_or_insert(Span { start, end });
        whole.start = whole.start.min(start);
        whole.end = whole.end.max(end);
    }
    range
}

/// So many windows of one length, the last one first.
fn windows(range: Option<Span>, count: usize) -> Vec<Span> {
    let Some(Span { start, end }) = range else {
        return Vec::new();
    };
    let (start, end) = (start.min(0.0), end.max(0.0));
    let bound = |index: usize| {
        let (first, last) = (f64::from(start), f64::from(end));
        (first + (last - first) * index as f64 / count as f64) as f32
    };
    let mut windows: Vec<Span> = (0..count)
        .map(|index| Span {
            start: bound(index),
            end: bound(index + 1),
        })
        .collect();
    if let Some(last) = windows.last_mut() {
        last.end = f32::INFINITY;
    }
    windows.reverse();
    windows
}

impl Iterator for Pieces<'_> {
    type Item = Result<Piece, SampleError>;

    fn next(&mut self) -> Option<Result<Piece, SampleError>> {
        loop {
            if let Some(sampler) = &self.sampler {
                let times = self.clock.until(self.until);
                if !times.is_empty() {
                    let sampler = sampler.clone();
                    return Some(Ok(Piece { sampler, times }));
                }
            }
            let window = self.windows.pop()?;
            let sampler = match Sampler::new(&part(self.recording, window)) {
                Ok(sampler) => sampler,
                Err(error) => return Some(Err(error.into())),
            };
            if let Clock::Keys(times) = &mut self.clock {
                let mut within = sampler.key_times();
                within.retain(|&time| window.start <= time && time < window.end);
                *times = within.into_iter();
            }
            self.until = window.end;
            self.sampler = Some(sampler);
        }
    }
}

impl Clock {
    /// The next times before one, at most as many as a piece has.
    fn until(&mut self, end: f32) -> Vec<f32> {
        match self {
            Clock::Steady(times) => {
                let mut next = || times.next_if(|&time| time < end);
                std::iter::from_fn(&mut next).take(ROWS).collect()
            }
            Clock::Keys(times) => times.take(ROWS).collect(),
        }
    }
}

/// The recording with the keys that a window needs.
fn part<'r>(recording: &'r Recording<'_>, window: Span) -> Recording<'r> {
    let mut part = Recording::with_streams(recording.layout, recording.flags());
    for ((_, curve), (_, slot)) in recording.curves().zip(part.curves_mut()) {
        match (curve, slot) {
            (Curve::Float(curve), CurveMut::Float(slot)) => {
                *slot = FloatCurve {
                    pre_wrap: curve.pre_wrap,
                    post_wrap: curve.post_wrap,
                    keys: match &curve.keys {
                        Keys::Full(keys) => {
                            Keys::Full(Cow::Borrowed(within(keys, |key| key.time(), window)))
                        }
                        Keys::Simple(keys) => {
                            Keys::Simple(Cow::Borrowed(within(keys, |key| key.time(), window)))
                        }
                    },
                };
            }
            (Curve::Boolean(curve), CurveMut::Boolean(slot)) => {
                *slot = BooleanCurve {
                    pre_wrap: curve.pre_wrap,
                    post_wrap: curve.post_wrap,
                    keys: Cow::Borrowed(within(&curve.keys, |key| key.time(), window)),
                };
            }
            _ => {}
        }
    }
    part
}

/// From the last key before a window to the first one after it.
fn within<K>(keys: &[K], time: impl Fn(&K) -> f32, window: Span) -> &[K] {
    let first = keys.partition_point(|key| time(key) < window.start);
    let last = keys.partition_point(|key| time(key) <= window.end);
    &keys[first.saturating_sub(1)..(last + 1).min(keys.len())]
}

#[cfg(test)]
mod tests {
    use inputanim::{FullKey, Joint, Layout, SimpleKey};

    use super::*;

    /// Curves of many forms, with several keys at one time and pauses longer than a window.
    fn take() -> Recording<'static> {
        let mut take = Recording::with_streams(Layout::FullWithMarkers1_1, inputanim::Flags::ALL);
        let steps = |from: i32, to: i32| (from..to).map(|step| step as f32 / 10.0);
        let wave = |time: f32| (time * 7.0).sin();
        if let Some(camera) = &mut take.camera {
            camera.position[0] = FloatCurve::linear(steps(-5, 95).map(|t| (t, wave(t))));
            camera.position[1] = FloatCurve::linear([(2.0, 1.0)]);
            camera.rotation[3] =
                FloatCurve::linear(steps(0, 20).flat_map(|t| [(t, wave(t)), (t, 1.0 + wave(t))]));
        }
        let hands = take.hands_mut();
        hands.left.tracked = BooleanCurve::new([(0.0, true), (3.0, false), (3.0, true)]);
        let palm = &mut hands.left.joints[Joint::Palm];
        palm.position[2] = FloatCurve::full(
            steps(0, 60).map(|t| FullKey::hermite(t * 1.5, wave(t), wave(3.0 * t), -1.0)),
        );
        palm.rotation[0] = FloatCurve::linear([(0.0, 0.0), (9.0, 1.0)]);
        take
    }

    fn rows(recording: &Recording<'_>, times: Times, keys: usize) -> (usize, Vec<String>) {
        let mut rows = Vec::new();
        let mut windows = 0;
        let pieces = pieces_of(recording, times, keys).unwrap();
        for piece in pieces {
            let Piece { sampler, times } = piece.unwrap();
            windows += 1;
            let columns = sampler.columns(times);
            for row in 0..columns.times.len() {
                let mut text = format!("{:?} {}", columns.times[row], columns.left.tracked[row]);
                for (path, column) in columns.floats() {
                    text += &format!(" {path} {:08x}", column[row].to_bits());
                }
                rows.push(text);
            }
        }
        (windows, rows)
    }

    #[test]
    fn windows_give_what_the_whole_gives_to_the_last_bit() {
        let take = take();
        for times in [Times::Rate(7.0), Times::Rate(60.0), Times::Keys] {
            let (_, whole) = rows(&take, times, usize::MAX);
            assert!(whole.len() > 50);
            for keys in [200, 50, 13] {
                let (windows, parts) = rows(&take, times, keys);
                assert!(windows > 1, "{times:?} {keys}");
                assert_eq!(parts, whole, "{times:?} {keys}");
            }
        }
    }

    #[test]
    fn what_starts_over_or_is_not_in_order_stays_whole() {
        let whole = |change: fn(&mut FloatCurve<'static>)| {
            let mut take = take();
            change(&mut take.camera_mut().position[0]);
            let (_, parts) = rows(&take, Times::Rate(60.0), 50);
            let (_, whole) = rows(&take, Times::Rate(60.0), usize::MAX);
            assert_eq!(parts, whole);
            cut_range(&take).is_none()
        };
        assert!(whole(|curve| curve.post_wrap = WrapMode::LOOP));
        assert!(whole(|curve| curve.keys = Keys::Simple(
            [(3.0, 1.0), (1.0, 2.0)]
                .map(|(t, v)| SimpleKey::new(t, v))
                .to_vec()
                .into()
        )));
        assert!(!whole(|_| {}));
        let mut take = take();
        take.camera_mut().push(f32::NAN, &inputanim::Pose::IDENTITY);
        assert!(pieces_of(&take, Times::Keys, 50).is_err());
    }

    #[test]
    fn nothing_recorded_is_one_row_at_a_rate_and_none_at_keys() {
        let empty = Recording::new(Layout::Mrtk1_1);
        assert_eq!(rows(&empty, Times::Rate(60.0), 1).1.len(), 1);
        assert_eq!(rows(&empty, Times::Keys, 1).1.len(), 0);
    }
}
