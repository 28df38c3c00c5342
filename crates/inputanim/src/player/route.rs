//! The route of one step, across the ends of the range.

use super::{EndAction, PlaybackState, Player};

/// A part of a route without a jump or a turn, in the precision in which frames are sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Leg {
    pub(super) from: f32,
    pub(super) to: f32,
    /// `true` if the markers at `from` are not reported yet.
    pub(super) is_unvisited: bool,
}

/// The route of one step: consecutive legs.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Route {
    first: Option<Leg>,
    /// Full passes of the range, between the legs `first` and `last`.
    loops: Loops,
    last: Option<Leg>,
}

#[derive(Clone, Debug, Default, PartialEq)]
struct Loops {
    count: u64,
    next: Option<Leg>,
    turns: bool,
}

impl Route {
    /// Returns the route of a playback step that does not move: one leg that starts and ends at `time` seconds.
    pub(super) fn stay(time: f32) -> Route {
        Route {
            first: Some(Leg {
                from: time,
                to: time,
                is_unvisited: false,
            }),
            ..Route::default()
        }
    }

    /// Drops the remaining full passes of the range, which have no events because the passes before them had none.
    pub(super) fn skip_loops(&mut self) {
        self.loops.count = 0;
    }

    /// Removes the next leg, a movement without jumps and turns, from the route of a playback step. Returns it, and
    /// `true` if it is a full pass of the range; `None` at the end of the route.
    pub(super) fn next(&mut self) -> Option<(Leg, bool)> {
        if let Some(leg) = self.first.take() {
            return Some((leg, false));
        }
        if self.loops.count > 0
            && let Some(leg) = self.loops.next
        {
            self.loops.count -= 1;
            self.loops.turn();
            return Some((leg, true));
        }
        self.last.take().map(|leg| (leg, false))
    }
}

impl Loops {
    fn turn(&mut self) {
        if self.turns
            && let Some(leg) = &mut self.next
        {
            std::mem::swap(&mut leg.from, &mut leg.to);
        }
    }
}

impl Player {
    /// Moves the position by `distance` seconds of the recording, and returns the route: the parts of the movement
    /// without jumps and turns. A negative distance moves backwards, and on the way back of a ping-pong the direction
    /// is reversed. At an end of the range, playback continues or ends by the [action](Player::ending) there.
    pub(super) fn travel(&mut self, distance: f64) -> Route {
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
        let is_unvisited = std::mem::replace(&mut self.is_unvisited, false);
        let leg = |from: f32, to: f64, is_unvisited| {
            Some(Leg {
                from,
                to: to as f32,
                is_unvisited,
            })
        };
        let sign = if is_forward { 1.0 } else { -1.0 };
        // A step may end exactly at the end of the range. A forward loop is the exception: there it
        // is at the start again.
        let wraps_at_end = self.ending == EndAction::Loop && is_forward;
        let ends_there = distance == ahead && !wraps_at_end && self.may_stay_at_end();
        if distance == 0.0 || distance < ahead || ends_there {
            self.position += sign * distance;
            return Route {
                first: leg(from, self.position, is_unvisited),
                ..Route::default()
            };
        }
        let first = leg(from, near, is_unvisited);
        let beyond = distance - ahead;
        if length <= 0.0 || matches!(self.ending, EndAction::Hold | EndAction::Rewind) {
            return Route {
                first,
                last: self.finish(near),
                ..Route::default()
            };
        }
        // Full loops, and a remainder of up to one loop, which ends at an end of the range.
        let mut count = ((beyond / length).ceil() - 1.0).max(0.0);
        let mut rest = (beyond - count * length).clamp(0.0, length);
        if wraps_at_end && rest == length {
            (count, rest) = (count + 1.0, 0.0);
        }
        let (turns, next, last) = match self.ending {
            EndAction::PingPong => {
                // Starts back from `near`, and reverses at the end of every loop.
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
                // Each pass begins with a jump to the other end, which reaches the markers there.
                let last = leg(far as f32, self.position, true);
                (false, leg(far as f32, near, true), last)
            }
        };
        Route {
            first,
            loops: Loops {
                count: count as u64,
                next,
                turns,
            },
            last,
        }
    }

    /// Returns `true` if playback may stay exactly at an end of the range, and performs the end action only beyond it.
    /// This is so for a loop or a ping-pong whose range is longer than 0.
    fn may_stay_at_end(&self) -> bool {
        matches!(self.ending, EndAction::Loop | EndAction::PingPong)
            && self.range.start < self.range.end
    }

    /// Ends a playback step at `end`, the time of an end of the range, by the action there: rewinds, or pauses. For a
    /// loop or a ping-pong, which come here only if the range has length 0, it only sets the position. Returns the leg
    /// at the start of the range after rewinding, else `None`.
    fn finish(&mut self, end: f64) -> Option<Leg> {
        match self.ending {
            EndAction::Rewind => {
                self.stop();
                let start = self.range.start;
                Some(Leg {
                    from: start,
                    to: start,
                    // Playback has stopped, so it does not reach markers at the start.
                    is_unvisited: false,
                })
            }
            EndAction::Hold => {
                self.playback = PlaybackState::Paused;
                self.position = end;
                None
            }
            // The range has length 0, so there is no other end.
            EndAction::Loop | EndAction::PingPong => {
                self.position = end;
                None
            }
        }
    }
}
