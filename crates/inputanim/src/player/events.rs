//! What happens on the way of a step, found as it is asked for.

use crate::joint::Side;
use crate::sampler::States;

use super::Player;
use super::event::{Event, EventKind};
use super::route::{Leg, Route};
use super::stops::{Direction, next_in};

/// The events of one step of a [`Player`], in the order in which they happen.
#[derive(Debug)]
#[must_use = "markers that are not taken are lost"]
pub struct Events<'p> {
    player: &'p mut Player,
    route: Route,
    place: Place,
    /// Legs from end to end that have passed without an event.
    quiet_rounds: u32,
    is_round: bool,
}

/// Where on the way we are.
#[derive(Clone, Copy, Debug)]
enum Place {
    /// Before the next leg.
    Between,
    /// At a time of a leg. States are told as they are then, and then those markers of that time
    /// whose number is not less than `marker`.
    At { leg: Leg, time: f32, marker: usize },
    /// Between a time of a leg and the next at which something may happen. States that are no
    /// longer as they were at the former are told as of then.
    After { leg: Leg, time: f32, next: f32 },
    /// The way has ended.
    Over,
}

impl<'p> Events<'p> {
    pub(super) fn new(player: &'p mut Player, route: Route) -> Events<'p> {
        Events {
            player,
            route,
            place: Place::Between,
            quiet_rounds: 0,
            is_round: false,
        }
    }

    fn depart(&mut self) -> Place {
        self.quiet_rounds = if self.is_round {
            self.quiet_rounds + 1
        } else {
            0
        };
        // Two rounds without events are all that can be: a way and its return.
        if self.quiet_rounds == 2 {
            self.route.skip_rounds();
        }
        let Some((leg, is_round)) = self.route.next() else {
            return Place::Over;
        };
        self.is_round = is_round;
        Place::At {
            leg,
            time: leg.from,
            marker: match leg.is_fresh {
                true => self.first_marker_at(leg.from),
                false => usize::MAX,
            },
        }
    }

    fn first_marker_at(&self, time: f32) -> usize {
        self.player.markers.partition_point(|(at, _)| *at < time)
    }

    /// What follows when all has been told that belongs to a time.
    fn onward(&self, leg: Leg, time: f32) -> Place {
        match time == leg.to {
            true => Place::Between,
            false => Place::After {
                leg,
                time,
                next: self.next_stop(leg, time),
            },
        }
    }

    /// The next time on a leg at which something may happen; at the latest its end.
    fn next_stop(&self, leg: Leg, at: f32) -> f32 {
        let direction = leg.direction();
        let markers = &self.player.markers;
        let marker = next_in(markers, |(time, _)| *time, at, direction);
        let changes = self.player.changes.iter();
        let changes = changes.filter_map(|changes| changes.next(at, direction));
        changes
            .chain(marker)
            .fold(leg.to, |a, b| direction.nearer(a, b))
    }

    /// Tells of one state that is not as it was last told.
    fn change(&mut self, now: [States; 2], time: f32) -> Option<Event> {
        for side in Side::BOTH {
            let known = &mut self.player.known[side as usize];
            let now = now[side as usize];
            // A hand is found before it pinches and stops pinching before it is lost.
            let kind = if now.tracked && !known.tracked {
                known.tracked = true;
                EventKind::TrackingGained(side)
            } else if now.pinching && !known.pinching {
                known.pinching = true;
                EventKind::PinchDown(side)
            } else if !now.pinching && known.pinching {
                known.pinching = false;
                EventKind::PinchUp(side)
            } else if !now.tracked && known.tracked {
                known.tracked = false;
                EventKind::TrackingLost(side)
            } else {
                continue;
            };
            return Some(Event { time, kind });
        }
        None
    }

    fn happened(&mut self, event: Event) -> Option<Event> {
        self.quiet_rounds = 0;
        self.is_round = false;
        Some(event)
    }
}

impl Leg {
    fn direction(self) -> Direction {
        match self.to < self.from {
            true => Direction::Backward,
            false => Direction::Forward,
        }
    }
}

impl std::iter::FusedIterator for Events<'_> {}

impl Iterator for Events<'_> {
    type Item = Event;

    fn next(&mut self) -> Option<Event> {
        loop {
            match self.place {
                Place::Over => return None,
                Place::Between => self.place = self.depart(),
                Place::At { leg, time, marker } => {
                    let states = self.player.sampler.states_at(time);
                    if let Some(event) = self.change(states, time) {
                        return self.happened(event);
                    }
                    match self.player.markers.get(marker) {
                        Some((at, name)) if *at == time => {
                            let kind = EventKind::Marker(name.clone());
                            self.place = Place::At {
                                leg,
                                time,
                                marker: marker + 1,
                            };
                            return self.happened(Event { time, kind });
                        }
                        _ => self.place = self.onward(leg, time),
                    }
                }
                Place::After { leg, time, next } => {
                    // Nothing changes between the two, so any time will do that is not so near
                    // to one of them that rounding puts it there.
                    let states = self.player.sampler.states_at(time.midpoint(next));
                    if let Some(event) = self.change(states, time) {
                        return self.happened(event);
                    }
                    self.place = Place::At {
                        leg,
                        time: next,
                        marker: self.first_marker_at(next),
                    };
                }
            }
        }
    }
}
