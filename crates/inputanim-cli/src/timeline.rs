//! States and markers drawn as a line of characters.

use inputanim::Span;

/// Characters across.
pub(crate) const WIDTH: usize = 44;

/// A span of time drawn over [`WIDTH`] characters.
pub(crate) struct Timeline {
    range: Span,
}

impl Timeline {
    pub(crate) fn new(range: Span) -> Timeline {
        Timeline { range }
    }

    /// `█` where the state is on throughout, `▒` where only partly, `·` where off.
    pub(crate) fn states(&self, spans: &[Span]) -> String {
        let cell = |index| {
            let (start, end) = self.cell(index);
            let length = end - start;
            let overlap = |span: &Span| {
                let from = f64::from(span.start).max(start);
                (f64::from(span.end).min(end) - from).max(0.0)
            };
            let on: f64 = spans.iter().map(overlap).sum();
            match on {
                on if length > 0.0 && on >= length * 0.999 => '█',
                on if on > 0.0 => '▒',
                _ => '·',
            }
        };
        (0..WIDTH).map(cell).collect()
    }

    /// `▲` at each time.
    pub(crate) fn instants(&self, times: impl Iterator<Item = f32>) -> String {
        let mut cells = vec![' '; WIDTH];
        let length = f64::from(self.range.length());
        for time in times {
            let share = f64::from(time - self.range.start) / length;
            if (0.0..=1.0).contains(&share) {
                cells[((share * WIDTH as f64) as usize).min(WIDTH - 1)] = '▲';
            }
        }
        cells.into_iter().collect()
    }

    fn cell(&self, index: usize) -> (f64, f64) {
        let start = f64::from(self.range.start);
        let step = f64::from(self.range.length()) / WIDTH as f64;
        (
            start + step * index as f64,
            start + step * (index + 1) as f64,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A second a cell.
    const RANGE: Span = Span {
        start: 0.0,
        end: WIDTH as f32,
    };

    #[test]
    fn a_state_fills_the_cells_that_it_covers() {
        let span = |start, end| Span { start, end };
        let line = Timeline::new(RANGE).states(&[span(0.0, 2.0), span(42.5, 44.0)]);
        assert_eq!(line.chars().count(), WIDTH);
        assert!(line.starts_with("██·"));
        assert!(line.ends_with("·▒█"));
    }

    #[test]
    fn markers_outside_are_not_drawn() {
        let times = [0.0, 44.0, 45.0, -1.0, f32::NAN];
        let line = Timeline::new(RANGE).instants(times.into_iter());
        assert_eq!(line.matches('▲').count(), 2);
    }
}
