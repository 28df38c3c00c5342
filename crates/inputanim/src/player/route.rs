//! The way of one step: over the ends of the range and back.

use super::{Ending, Playback, Player};

/// A stretch of time that is passed without a jump or a turn, in the precision in which frames
/// are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    pub(super) from: f32,
    pub(super) to: f32,
    /// Whether what is at `from` has not been told of yet.
    pub(super) is_fresh: bool,
}

/// The way of one step, as legs that follow each other.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Route {
    first: Option<Leg>,
    /// The range from end to end, `count` times.
    rounds: Rounds,
    last: Option<Leg>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Rounds {
    count: u64,
    next: Option<Leg>,
    turns: bool,
}

impl Route {
    /// No way at all.
    pub(super) fn here(time: f32) -> Route {
        Route {
            first: Some(Leg {
                from: time,
                to: time,
                is_fresh: false,
            }),
            ..Route::default()
        }
    }

    /// Leaves out what is left of the rounds: those before were without events, so these are.
    pub(super) fn skip_rounds(&mut self) {
        self.rounds.count = 0;
    }

    /// The next leg, and whether it is a round.
    pub(super) fn next(&mut self) -> Option<(Leg, bool)> {
        if let Some(leg) = self.first.take() {
            return Some((leg, false));
        }
        if self.rounds.count > 0
            && let Some(leg) = self.rounds.next
        {
            self.rounds.count -= 1;
            self.rounds.turn();
            return Some((leg, true));
        }
        self.last.take().map(|leg| (leg, false))
    }
}

impl Rounds {
    fn turn(&mut self) {
        if self.turns
            && let Some(leg) = &mut self.next
        {
            std::mem::swap(&mut leg.from, &mut leg.to);
        }
    }
}

impl Player {
    /// Moves by a distance in seconds of the recording, and gives the way.
    pub(super) fn depart(&mut self, distance: f64) -> Route {
        let (start, end) = (f64::from(self.range.start), f64::from(self.range.end));
        let length = end - start;
        let is_forward = (distance >= 0.0) != self.is_returning;
        let distance = distance.abs();
        let (near, far) = if is_forward {
            (end, start)
        } else {
            (start, end)
        };
        let ahead = (near - self.position).abs();
        let from = self.time();
        let is_fresh = std::mem::replace(&mut self.is_fresh, false);
        let leg = |from: f32, to: f64, is_fresh| {
            Some(Leg {
                from,
                to: to as f32,
                is_fresh,
            })
        };
        let sign = if is_forward { 1.0 } else { -1.0 };
        // A loop backwards and a turn may rest on the end; a loop forwards has come round there.
        let comes_round = self.ending == Ending::Loop && is_forward;
        let rests = distance == ahead && !comes_round && self.may_rest();
        if distance == 0.0 || distance < ahead || rests {
            self.position += sign * distance;
            return Route {
                first: leg(from, self.position, is_fresh),
                ..Route::default()
            };
        }
        let first = leg(from, near, is_fresh);
        let beyond = distance - ahead;
        if length <= 0.0 || matches!(self.ending, Ending::Hold | Ending::Rewind) {
            return Route {
                first,
                last: self.finish(near),
                ..Route::default()
            };
        }
        // Whole rounds, and a rest that may be as long as one: it ends on an end.
        let mut count = ((beyond / length).ceil() - 1.0).max(0.0);
        let mut rest = (beyond - count * length).clamp(0.0, length);
        if comes_round && rest == length {
            (count, rest) = (count + 1.0, 0.0);
        }
        let (turns, next, last) = match self.ending {
            Ending::PingPong => {
                // The way goes back from `near`, and turns at the end of every round.
                let ends_returned = count % 2.0 == 0.0;
                self.is_returning ^= ends_returned;
                let (origin, away) = if ends_returned {
                    (near, -sign)
                } else {
                    (far, sign)
                };
                self.position = origin + away * rest;
                let last = leg(origin as f32, self.position, false);
                (true, leg(near as f32, far, false), last)
            }
            _ => {
                self.position = far + sign * rest;
                let last = leg(far as f32, self.position, true);
                (false, leg(far as f32, near, true), last)
            }
        };
        Route {
            first,
            rounds: Rounds {
                count: count as u64,
                next,
                turns,
            },
            last,
        }
    }

    /// Whether the end of the range is a place to stand on while playing.
    fn may_rest(&self) -> bool {
        matches!(self.ending, Ending::Loop | Ending::PingPong) && self.range.start < self.range.end
    }

    /// At an end that is one. Gives the leg that leads to where play then stands.
    fn finish(&mut self, end: f64) -> Option<Leg> {
        match self.ending {
            Ending::Rewind => {
                self.stop();
                let start = self.range.start;
                Some(Leg {
                    from: start,
                    to: start,
                    // Nothing at the start is passed: play has stopped.
                    is_fresh: false,
                })
            }
            Ending::Hold => {
                self.playback = Playback::Paused;
                self.position = end;
                None
            }
            // There is no other end to go to.
            Ending::Loop | Ending::PingPong => {
                self.position = end;
                None
            }
        }
    }
}
