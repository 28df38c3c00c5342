//! When a hand is tracked, for edits that must not reach over the times in between.

use crate::joint::Side;
use crate::span::Span;
use crate::summary::Summary;

/// When a hand is tracked, in order; spans that touch are one.
pub(super) fn spans(summary: &Summary, side: Side) -> Vec<Span> {
    let mut spans: Vec<Span> = Vec::new();
    for span in &summary.hand(side).tracked {
        match spans.last_mut() {
            Some(last) if span.start <= last.end => last.end = span.end,
            _ => spans.push(*span),
        }
    }
    spans
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::layout::Layout;
    use crate::recording::Recording;

    #[test]
    fn a_state_that_is_off_for_no_time_is_on_throughout() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let flips = [(0.0, true), (1.0, false), (1.0, true), (2.0, false)];
        take.hands_mut().left.tracked = BooleanCurve::new(flips.into_iter().chain([(3.0, true)]));
        take.camera_mut().position[0].keys.push_linear(4.0, 0.0);
        let spans = spans(&Summary::of(&take), Side::Left);
        let ends: Vec<_> = spans.iter().map(|span| (span.start, span.end)).collect();
        assert_eq!(ends, [(0.0, 2.0), (3.0, 4.0)]);
        let is_tracked = |start, end| Span { start, end }.is_in(&spans);
        assert!(is_tracked(0.5, 2.0) && is_tracked(3.0, 4.0));
        assert!(!is_tracked(2.0, 3.0) && !is_tracked(2.5, 3.0));
    }
}
