//! Pauses of the sources of recordings, and streams whose values are unknown at times.

use inputanim::{Layout, Pauses, Recorder, RecorderOptions, TimeRange};

use super::ReadOptions;
use super::report::counted;

/// Returns a recorder for the frames of a source. Everything is unknown in the pauses that `options` define.
pub(crate) fn frame_recorder(layout: Layout, options: &ReadOptions) -> Recorder {
    let mut of_frames = RecorderOptions::new(layout);
    of_frames.pauses = options.pauses;
    // There is no rolling buffer and no maximum rate that could be invalid.
    Recorder::with_options(of_frames).unwrap_or_else(|_| Recorder::new(layout))
}

/// Returns the times at which the value of a stream is unknown: in its pauses, and from the last sample with a value to the next
/// one. `samples` has the time of each sample in seconds, and `true` if it has a value. A sample that is not later than the one
/// before is not read. A stream without any value has no gaps.
pub(crate) fn gaps_of_stream(
    samples: impl Iterator<Item = (f32, bool)>,
    pauses: Pauses,
) -> Vec<TimeRange> {
    let mut times: Vec<f32> = Vec::new();
    let mut gaps = Vec::new();
    let mut last = None;
    let mut is_open = false;
    for (time, has_value) in samples {
        if times.last().is_some_and(|&last| time <= last) {
            continue;
        }
        times.push(time);
        if !has_value {
            is_open = true;
            continue;
        }
        if std::mem::take(&mut is_open) {
            let start = last.unwrap_or(f32::NEG_INFINITY);
            gaps.push(TimeRange { start, end: time });
        }
        last = Some(time);
    }
    let Some(last) = last else {
        return Vec::new();
    };
    if is_open {
        let end = f32::INFINITY;
        gaps.push(TimeRange { start: last, end });
    }
    gaps.extend(pauses.in_times(&times));
    gaps
}

/// The longest time without a frame between the frames of a source, which are added in order. A damaged time of a message makes
/// nearly all of a recording such a time.
#[derive(Debug, Default)]
pub(crate) struct LongestPause {
    first: Option<f32>,
    last: f32,
    longest: Option<TimeRange>,
    /// The number of frames after the longest pause.
    frames_after: usize,
}

impl LongestPause {
    /// The least length of a pause that can be suspicious, in seconds.
    const MIN_SECONDS: f32 = 60.0;
    /// The least length of a pause, as a multiple of the time of all other frames.
    const MIN_SHARE: f32 = 10.0;

    /// Adds the time of the next frame in seconds.
    pub(crate) fn add(&mut self, time: f32) {
        if self.first.is_none() {
            self.first = Some(time);
        } else {
            let pause = TimeRange {
                start: self.last,
                end: time,
            };
            let is_longer = |longest: TimeRange| pause.length() > longest.length();
            if self.longest.is_none_or(is_longer) {
                self.longest = Some(pause);
                self.frames_after = 0;
            }
            self.frames_after += 1;
        }
        self.last = time;
    }

    /// Returns a note if the pause is so much longer than the time of all frames that the times after it are probably
    /// damaged; else `None`.
    pub(crate) fn note(&self) -> Option<String> {
        let (first, pause) = (self.first?, self.longest?);
        let rest = (self.last - first) - pause.length();
        let is_suspicious =
            pause.length() >= Self::MIN_SECONDS && pause.length() > Self::MIN_SHARE * rest;
        is_suspicious.then(|| {
            let TimeRange { start, end } = pause;
            let after = counted(self.frames_after, "frame");
            format!("nothing from {start:.3} s to {end:.3} s; the times of the {after} after it may be damaged")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pause_longer_than_everything_else_is_noted() {
        let note = |times: &[f32]| {
            let mut pause = LongestPause::default();
            times.iter().for_each(|&time| pause.add(time));
            pause.note()
        };
        let text =
            "nothing from 2.000 s to 100.000 s; the times of the 2 frames after it may be damaged";
        assert_eq!(note(&[0.0, 1.0, 2.0, 100.0, 101.0]).as_deref(), Some(text));
        // A break between two parts of a session, a short pause, and too few frames.
        assert_eq!(note(&[0.0, 60.0, 120.0, 1000.0, 1060.0]), None);
        assert_eq!(note(&[0.0, 1.0, 50.0]), None);
        assert_eq!(note(&[7.0]), None);
        assert_eq!(note(&[]), None);
    }

    #[test]
    fn a_stream_is_unknown_between_samples_with_a_value_and_in_pauses() {
        let lost = [2, 3, 9];
        let samples = (0..10).map(|index| (index as f32 / 10.0, !lost.contains(&index)));
        let gaps = gaps_of_stream(samples.clone(), Pauses::Usual);
        let bounds: Vec<_> = gaps.iter().map(|gap| (gap.start, gap.end)).collect();
        assert_eq!(bounds, [(0.1, 0.4), (0.8, f32::INFINITY)]);
        let after = samples.chain([(5.0, true), (4.0, false)]);
        let gaps = gaps_of_stream(after, Pauses::Usual);
        let bounds: Vec<_> = gaps.iter().map(|gap| (gap.start, gap.end)).collect();
        assert_eq!(bounds, [(0.1, 0.4), (0.8, 5.0), (0.9, 5.0)]);
        assert!(gaps_of_stream([(0.0, false), (9.0, false)].into_iter(), Pauses::Usual).is_empty());
    }
}
