//! Stretches of time.

/// Stretches of time in order, none touching the next; each holds its start but not its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Spans(Vec<(f64, f64)>);

impl Spans {
    /// Adds a stretch after the last one.
    pub(crate) fn push(&mut self, start: f64, end: f64) {
        self.0.push((start, end));
    }

    pub(crate) fn contains(&self, time: f64) -> bool {
        let begun = self.0.partition_point(|&(start, _)| start <= time);
        begun > 0 && time < self.0[begun - 1].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_holds_its_start_but_not_its_end() {
        let mut spans = Spans::default();
        spans.push(1.0, 2.0);
        spans.push(3.0, f64::INFINITY);
        let inside = [0.5, 1.0, 1.9, 2.0, 2.5, 3.0, 1e9].map(|time| spans.contains(time));
        assert_eq!(inside, [false, true, true, false, false, true, true]);
    }
}
