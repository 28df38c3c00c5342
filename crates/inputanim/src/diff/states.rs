//! When a hand is tracked or pinches in one of two recordings alone.

use crate::path::Stream;
use crate::span::Span;

use super::deviation::{Worst, seconds};

/// When a state is on in one recording and off in the other.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct StateDifference {
    /// Which state.
    pub stream: Stream,
    /// How many spans.
    pub spans: u64,
    /// How long they are together.
    pub seconds: f64,
    /// The longest of them, at most [`KEPT`](super::KEPT), in order of time.
    pub longest: Vec<Span>,
}

impl StateDifference {
    /// Whether no span is longer than `tolerance` seconds. Within 0 seconds there is none at all.
    pub fn is_within(&self, tolerance: f64) -> bool {
        let longest = self.longest.iter().map(|&span| seconds(span));
        self.spans == 0 || tolerance > 0.0 && longest.fold(0.0, f64::max) <= tolerance
    }
}

/// A [`StateDifference`] in the making, instant by instant.
#[derive(Debug)]
pub(super) struct Disagreeing {
    found: StateDifference,
    open: Option<f32>,
    longest: Worst<Span>,
}

impl Disagreeing {
    pub(super) fn new(stream: Stream) -> Disagreeing {
        Disagreeing {
            found: StateDifference {
                stream,
                spans: 0,
                seconds: 0.0,
                longest: Vec::new(),
            },
            open: None,
            longest: Worst::default(),
        }
    }

    pub(super) fn add(&mut self, time: f32, a: bool, b: bool) {
        if a != b {
            self.open.get_or_insert(time);
        } else {
            self.close(time);
        }
    }

    /// A state holds until the instant at which it is another.
    fn close(&mut self, end: f32) {
        if let Some(start) = self.open.take() {
            let span = Span { start, end };
            self.found.spans += 1;
            self.found.seconds += seconds(span);
            self.longest.push(seconds(span), span);
        }
    }

    /// `None` where the state is always the same.
    pub(super) fn finish(mut self, end: f32) -> Option<StateDifference> {
        self.close(end);
        self.found.longest = self.longest.finish(|span| span.start);
        (self.found.spans > 0).then_some(self.found)
    }
}
