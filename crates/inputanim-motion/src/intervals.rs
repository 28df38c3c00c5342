//! Intervals of time.

/// Intervals of time in order, without contact. Each includes its start and excludes its end.
#[derive(Clone, Debug, Default)]
pub(crate) struct Intervals(Vec<(f64, f64)>);

impl Intervals {
    /// Appends an interval of time in seconds. It must start after the end of the last one.
    pub(crate) fn push(&mut self, start: f64, end: f64) {
        self.0.push((start, end));
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (f64, f64)> {
        self.0.iter().copied()
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
    fn interval_includes_its_start_and_excludes_its_end() {
        let mut intervals = Intervals::default();
        intervals.push(1.0, 2.0);
        intervals.push(3.0, f64::INFINITY);
        let inside = [0.5, 1.0, 1.9, 2.0, 2.5, 3.0, 1e9].map(|time| intervals.contains(time));
        assert_eq!(inside, [false, true, true, false, false, true, true]);
    }
}
