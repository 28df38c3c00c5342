//! The times to sample.

use inputanim::marker_names::matches;
use inputanim::{Limits, Recording, Sampler, TimeRange};
use inputanim_convert::check_duration;

use crate::arguments::names::require_marker;
use crate::messages::diagnostics::warn;
use crate::messages::text::count;

use super::Args;
use super::selection::Selection;

/// A time, and the name of its marker.
pub(super) struct Instant {
    pub(super) time: f32,
    pub(super) marker: Option<String>,
}

pub(super) fn instants(
    args: &Args,
    range: Option<TimeRange>,
    recording: &Recording<'_>,
    sampler: &Sampler,
    selection: &Selection,
    limits: &Limits,
) -> anyhow::Result<Box<dyn Iterator<Item = Instant>>> {
    let is_wanted = move |time: f32| range.is_none_or(|range| range.contains(time));
    if let Some(name) = &args.at_markers {
        if name != "*" {
            require_marker(sampler.markers(), name)?;
        }
        let markers = sampler.markers().iter();
        let markers =
            markers.filter(|marker| is_wanted(marker.time) && matches(name, &marker.name));
        let markers = markers.map(|marker| Instant {
            time: marker.time,
            marker: Some(marker.name.to_string()),
        });
        return Ok(Box::new(markers.collect::<Vec<_>>().into_iter()));
    }
    let times: Box<dyn Iterator<Item = f32>> = if !args.at.is_empty() {
        let played = recording.played_range();
        let times = args.at.iter().map(|time| time.within(played));
        Box::new(times.collect::<Vec<_>>().into_iter())
    } else if args.at_keys {
        let times = recording.key_times(|path| selection.has(path)).into_iter();
        Box::new(times.filter(move |&time| is_wanted(time)))
    } else {
        // Playback starts at t = 0, even if the first key is later (docs/format.md 5.1).
        let playback = TimeRange {
            start: 0.0,
            end: sampler.duration(),
        };
        let range = range.map_or(playback, |range| range.closed_by(recording.played_range()));
        let limits = limits.for_rate(recording);
        check_duration(recording, range.length(), args.rate, &limits)?;
        // Times at a rate are made one by one: a long recording has millions of them.
        Box::new(range.times_at(args.rate))
    };
    Ok(Box::new(times.map(|time| Instant { time, marker: None })))
}

/// Counts times outside the recording, which are probably a mistake.
pub(super) struct Outside {
    range: TimeRange,
    seen: usize,
    outside: usize,
}

impl Outside {
    pub(super) fn of(sampler: &Sampler) -> Outside {
        let start = sampler.range().map_or(0.0, |range| range.start.min(0.0));
        Outside {
            range: TimeRange {
                start,
                end: sampler.duration(),
            },
            seen: 0,
            outside: 0,
        }
    }

    pub(super) fn count(&mut self, time: f32) {
        self.seen += 1;
        if !(self.range.start..=self.range.end).contains(&time) {
            self.outside += 1;
        }
    }

    pub(super) fn warn(&self, name: &str) {
        let TimeRange { start, end } = self.range;
        if self.outside > 0 {
            let (outside, seen) = (self.outside, count(self.seen, "time"));
            warn(format_args!(
                "{name}: {outside} of {seen} outside the recording ({start} s to {end} s): the values \
                 there follow the wrap modes of the curves"
            ));
        }
    }
}
