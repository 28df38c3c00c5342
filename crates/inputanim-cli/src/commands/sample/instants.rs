//! When to sample.

use inputanim::{Recording, Sampler, Span};

use crate::diagnostics::warn;
use crate::outcome::Refusal;
use crate::text::count;

use super::selection::Selection;
use super::{Args, List};

/// A time, and the marker that it is of.
pub(super) struct Instant {
    pub(super) time: f32,
    pub(super) marker: Option<String>,
}

pub(super) fn instants(
    args: &Args,
    recording: &Recording<'_>,
    sampler: &Sampler,
    selection: &Selection,
) -> anyhow::Result<Box<dyn Iterator<Item = Instant>>> {
    if args.at_markers {
        let markers = sampler.markers().iter();
        let markers = markers.filter(|marker| args.is_wanted(marker.time));
        let markers = markers.map(|marker| Instant {
            time: marker.time,
            marker: Some(marker.name.to_string()),
        });
        return Ok(Box::new(markers.collect::<Vec<_>>().into_iter()));
    }
    let times: Box<dyn Iterator<Item = f32>> = if let Some(List(times)) = &args.at {
        Box::new(times.clone().into_iter())
    } else if args.at_keys {
        Box::new(key_times(args, recording, selection).into_iter())
    } else {
        Box::new(args.span(sampler)?.times_at(args.rate))
    };
    let marker = None;
    Ok(Box::new(times.map(move |time| Instant {
        time,
        marker: marker.clone(),
    })))
}

fn key_times(args: &Args, recording: &Recording<'_>, selection: &Selection) -> Vec<f32> {
    let mut times: Vec<f32> = Vec::new();
    for (path, curve) in recording.curves() {
        if selection.has(path) {
            let of_curve = curve.points().map(|(time, _)| time);
            times.extend(of_curve.filter(|&time| args.is_wanted(time)));
        }
    }
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}

impl Args {
    fn is_wanted(&self, time: f32) -> bool {
        let range = self.time.as_ref();
        range.is_none_or(|range| range.0.contains(&time))
    }

    fn span(&self, sampler: &Sampler) -> anyhow::Result<Span> {
        let whole = Span {
            start: 0.0,
            end: sampler.duration(),
        };
        let span = match &self.time {
            Some(range) => range.within(whole),
            None => whole,
        };
        if span.start > span.end {
            let Span { start, end } = whole;
            return Err(Refusal::failure(
                format!("the recording plays from {start} s to {end} s"),
                "name both ends of --time to go beyond it",
            ));
        }
        Ok(span)
    }
}

/// How many times lie outside the recording: most likely not meant.
pub(super) struct Outside {
    range: Span,
    seen: usize,
    outside: usize,
}

impl Outside {
    pub(super) fn of(sampler: &Sampler) -> Outside {
        let start = sampler.range().map_or(0.0, |range| range.start.min(0.0));
        Outside {
            range: Span {
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
        let Span { start, end } = self.range;
        if self.outside > 0 {
            let (outside, seen) = (self.outside, count(self.seen, "time"));
            warn(format_args!(
                "{name}: {outside} of {seen} outside the recording, which is from {start} s to \
                 {end} s: its curves' wrap modes hold there"
            ));
        }
    }
}
