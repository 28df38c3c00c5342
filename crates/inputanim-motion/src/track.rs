//! Values that move between resting values.

use crate::ease::min_jerk;

/// A value over time: its first resting value and its minimum-jerk moves in order of time.
#[derive(Clone, Debug)]
pub(crate) struct Track<T> {
    first: T,
    moves: Vec<Move<T>>,
}

#[derive(Clone, Debug)]
struct Move<T> {
    start: f64,
    end: f64,
    to: T,
}

impl<T> Track<T> {
    pub(crate) fn new(first: T) -> Track<T> {
        let moves = Vec::new();
        Track { first, moves }
    }

    /// Appends a move to the value `to`, which takes `seconds`. It begins at `start`, or when the previous move ends if
    /// that is later. Returns the time at which it ends.
    pub(crate) fn push(&mut self, start: f64, seconds: f32, to: T) -> f64 {
        let start = start.max(self.end());
        let end = start + f64::from(seconds);
        self.moves.push(Move { start, end, to });
        end
    }

    /// Returns the value after the last move.
    pub(crate) fn last(&self) -> &T {
        self.moves.last().map_or(&self.first, |last| &last.to)
    }

    /// Returns the time in seconds at which the last move ends; 0 without moves.
    pub(crate) fn end(&self) -> f64 {
        self.moves.last().map_or(0.0, |last| last.end)
    }

    /// Returns the start and the end of every move in seconds, in order.
    pub(crate) fn times(&self) -> impl Iterator<Item = (f64, f64)> {
        self.moves.iter().map(|next| (next.start, next.end))
    }

    /// Returns the values before and after the move at a time in seconds, and the completed share of the move, from 0
    /// to 1. Between moves, both are the value at rest.
    pub(crate) fn at(&self, time: f64) -> (&T, &T, f32) {
        let begun = self.moves.partition_point(|next| next.start <= time);
        let Some(index) = begun.checked_sub(1) else {
            return (&self.first, &self.first, 0.0);
        };
        let Move { start, end, to } = &self.moves[index];
        let from = match index.checked_sub(1) {
            None => &self.first,
            Some(before) => &self.moves[before].to,
        };
        if time >= *end {
            return (to, to, 1.0);
        }
        (from, to, min_jerk(((time - start) / (end - start)) as f32))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_track_rests_moves_and_rests_again() {
        let mut track = Track::new('a');
        track.push(1.0, 1.0, 'b');
        track.push(3.0, 1.0, 'c');
        assert_eq!(track.at(0.0), (&'a', &'a', 0.0));
        assert_eq!(track.at(1.5), (&'a', &'b', 0.5));
        assert_eq!(track.at(2.5), (&'b', &'b', 1.0));
        assert_eq!(track.at(3.5), (&'b', &'c', 0.5));
        assert_eq!(track.at(9.0), (&'c', &'c', 1.0));
    }

    #[test]
    fn a_move_waits_for_the_one_before_it() {
        let mut track = Track::new('a');
        track.push(1.0, 1.0, 'b');
        assert_eq!(track.push(1.5, 1.0, 'c'), 3.0);
        assert_eq!(track.at(1.75).1, &'b');
        assert_eq!(track.at(2.5), (&'b', &'c', 0.5));
    }
}
