//! States and markers drawn as a line of characters.

use inputanim::TimeRange;

/// A time range drawn as a line of characters.
pub(crate) struct Timeline {
    range: TimeRange,
    columns: usize,
}

impl Timeline {
    /// Creates a timeline of a time range, with `columns` characters.
    pub(crate) fn new(range: TimeRange, columns: usize) -> Timeline {
        Timeline { range, columns }
    }

    /// Returns the length of the line in characters.
    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// Draws a state that is on within `ranges`: `█` where it is on, `▒` where it is on for a part of the character's
    /// time, `·` where it is off.
    pub(crate) fn states(&self, ranges: &[TimeRange]) -> String {
        let cell = |index| {
            let (start, end) = self.cell(index);
            let length = end - start;
            let overlap = |range: &TimeRange| {
                let from = f64::from(range.start).max(start);
                (f64::from(range.end).min(end) - from).max(0.0)
            };
            let on: f64 = ranges.iter().map(overlap).sum();
            match on {
                // Rounding of the ends of a cell may leave out a little of a state that is always
                // on.
                on if length > 0.0 && on >= length * 0.999 => '█',
                on if on > 0.0 => '▒',
                _ => '·',
            }
        };
        (0..self.columns).map(cell).collect()
    }

    /// Draws `▲` at each time, in seconds. Times outside of the range are ignored.
    pub(crate) fn instants(&self, times: impl Iterator<Item = f32>) -> String {
        let mut cells = vec![' '; self.columns];
        let length = f64::from(self.range.length());
        for time in times {
            let share = f64::from(time - self.range.start) / length;
            // Markers may be anywhere, also at infinite times and NaN (docs/format.md 3.6).
            if (0.0..=1.0).contains(&share) {
                cells[((share * self.columns as f64) as usize).min(self.columns - 1)] = '▲';
            }
        }
        cells.into_iter().collect()
    }

    fn cell(&self, index: usize) -> (f64, f64) {
        let start = f64::from(self.range.start);
        let step = f64::from(self.range.length()) / self.columns as f64;
        (
            start + step * index as f64,
            start + step * (index + 1) as f64,
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WIDTH: usize = 44;

    /// A second for each character.
    const RANGE: TimeRange = TimeRange {
        start: 0.0,
        end: WIDTH as f32,
    };

    #[test]
    fn a_state_fills_the_cells_that_it_covers() {
        let range = |start, end| TimeRange { start, end };
        let line = Timeline::new(RANGE, WIDTH).states(&[range(0.0, 2.0), range(42.5, 44.0)]);
        assert_eq!(line.chars().count(), WIDTH);
        assert!(line.starts_with("██·"));
        assert!(line.ends_with("·▒█"));
    }

    #[test]
    fn markers_outside_are_not_drawn() {
        let times = [0.0, 44.0, 45.0, -1.0, f32::NAN];
        let line = Timeline::new(RANGE, WIDTH).instants(times.into_iter());
        assert_eq!(line.matches('▲').count(), 2);
    }
}
