//! Pauses of the sources of recordings, and streams whose values are unknown at times.

use inputanim::{Layout, Pauses, Recorder, RecorderOptions, TimeRange};

use super::ReadOptions;

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

#[cfg(test)]
mod tests {
    use super::*;

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
