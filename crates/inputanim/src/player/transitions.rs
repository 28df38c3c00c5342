//! The events of one step, computed on demand.
//!
//! Method: the iterator visits the times of the step's route at which a state may change, and compares the states there
//! with the states that it reported last. Events therefore agree with frames under all wrap modes.

use crate::joint::Side;

use super::Player;
use super::route::{Leg, Route};
use super::stops::{Direction, next_in};
use super::transition::{Transition, TransitionKind};

/// The events of one step of a [`Player`], in the order of playback.
#[derive(Debug)]
#[must_use = "markers of events that are not read are lost"]
pub struct Transitions<'p> {
    player: &'p mut Player,
    route: Route,
    progress: Progress,
    /// Number of consecutive full loops without an event.
    quiet_loops: u32,
    is_loop: bool,
}

/// The progress along the route.
#[derive(Clone, Copy, Debug)]
enum Progress {
    /// Before the next leg.
    Between,
    /// At a time of a leg: reports changed states, then the markers and haptic pulses of that time from index `marker`
    /// on.
    At { leg: Leg, time: f32, marker: usize },
    /// After a time of a leg and before the next one to visit: reports states that end directly after
    /// the time, as some do when a curve runs backwards.
    After { leg: Leg, time: f32, next: f32 },
    /// At the end of the route.
    Done,
}

impl<'p> Transitions<'p> {
    pub(super) fn new(player: &'p mut Player, route: Route) -> Transitions<'p> {
        Transitions {
            player,
            route,
            progress: Progress::Between,
            quiet_loops: 0,
            is_loop: false,
        }
    }

    /// Takes the next leg, a movement without jumps and turns, from the route of the playback step. Returns the
    /// progress at its start, or `Done` after the last leg. Skips the remaining loops if the last two had no event.
    fn start_leg(&mut self) -> Progress {
        self.quiet_loops = if self.is_loop {
            self.quiet_loops + 1
        } else {
            0
        };
        // Two loops cover both directions of a ping-pong. After two loops without events, no event can follow.
        if self.quiet_loops == 2 {
            self.route.skip_loops();
        }
        let Some((leg, is_loop)) = self.route.next() else {
            return Progress::Done;
        };
        self.is_loop = is_loop;
        Progress::At {
            leg,
            time: leg.from,
            marker: if leg.is_unvisited {
                self.first_marker_at(leg.from)
            } else {
                // An index after the last marker: markers at the start of this leg were reported
                // before.
                usize::MAX
            },
        }
    }

    fn first_marker_at(&self, time: f32) -> usize {
        self.player.instants.partition_point(|(at, _)| *at < time)
    }

    /// Returns the progress once all events at `time` on a leg (a movement without jumps and turns) are reported:
    /// towards the next time of the leg, or before the next leg if this one ends at `time`.
    fn after(&self, leg: Leg, time: f32) -> Progress {
        if time == leg.to {
            Progress::Between
        } else {
            Progress::After {
                leg,
                time,
                next: self.next_stop(leg, time),
            }
        }
    }

    /// Returns the next time after `at` to visit on a leg (a movement without jumps and turns): that of the next marker
    /// or possible change of a state, or the end of the leg.
    fn next_stop(&self, leg: Leg, at: f32) -> f32 {
        let direction = leg.direction();
        let markers = &self.player.instants;
        let marker = next_in(markers, |(time, _)| *time, at, direction);
        let changes = self.player.changes.iter();
        let changes = changes.filter_map(|changes| changes.next(at, direction));
        changes
            .chain(marker)
            .fold(leg.to, |a, b| direction.nearer(a, b))
    }

    /// Returns an event at `time` for one state that differs from the reported one, and marks it as reported; `None` if no
    /// state differs. `at` is the time at which the states are evaluated.
    fn report_change(&mut self, at: f32, time: f32) -> Option<Transition> {
        let now = self.player.sampler.states_at(at, &mut Default::default());
        for side in Side::BOTH {
            let reported = &mut self.player.reported[side as usize];
            let now = now[side as usize];
            // A hand is found before it pinches, and stops pinching before it is lost.
            let kind = if now.tracked && !reported.tracked {
                reported.tracked = true;
                TransitionKind::TrackingGained(side)
            } else if now.pinching && !reported.pinching {
                reported.pinching = true;
                TransitionKind::PinchDown(side)
            } else if !now.pinching && reported.pinching {
                reported.pinching = false;
                TransitionKind::PinchUp(side)
            } else if !now.tracked && reported.tracked {
                reported.tracked = false;
                TransitionKind::TrackingLost(side)
            } else {
                continue;
            };
            return Some(Transition { time, kind });
        }
        let kind = self.report_device(at)?;
        Some(Transition { time, kind })
    }

    /// Returns the kind of one change of a device that differs from the reported state, and marks it as reported. `at` is the
    /// time at which the states are evaluated.
    fn report_device(&mut self, at: f32) -> Option<TransitionKind> {
        let Player {
            sampler,
            reported_devices,
            ..
        } = &mut *self.player;
        for (device, reported) in sampler.baked_devices().iter().zip(reported_devices) {
            let (is_active, profile) = device.known_state_at(at);
            // A device is connected before its buttons are pressed, and they are released before it is disconnected.
            if is_active && !reported.is_active {
                reported.is_active = true;
                return Some(TransitionKind::Connected(device.name));
            }
            if is_active && reported.profile.as_ref() != profile {
                reported.profile = profile.cloned();
                return Some(TransitionKind::ProfileChanged(
                    device.name,
                    profile.cloned(),
                ));
            }
            let now = device.buttons_at(sampler.clamps_ends(), at);
            let buttons = device.buttons().zip(now).zip(&mut reported.buttons);
            for (((input, _), is_on), reported) in buttons {
                let is_on = is_active && is_on;
                if std::mem::replace(reported, is_on) != is_on {
                    return Some(if is_on {
                        TransitionKind::PressDown(device.name, input)
                    } else {
                        TransitionKind::PressUp(device.name, input)
                    });
                }
            }
            if !is_active && reported.is_active {
                // The next device may have another profile, or the same one again.
                (reported.is_active, reported.profile) = (false, None);
                return Some(TransitionKind::Disconnected(device.name));
            }
        }
        None
    }

    /// Returns the event, and notes that the current loop has one, so that the remaining loops are not skipped.
    fn emit(&mut self, event: Transition) -> Option<Transition> {
        self.quiet_loops = 0;
        self.is_loop = false;
        Some(event)
    }
}

impl Leg {
    fn direction(self) -> Direction {
        if self.to < self.from {
            Direction::Backward
        } else {
            Direction::Forward
        }
    }
}

impl std::iter::FusedIterator for Transitions<'_> {}

impl Iterator for Transitions<'_> {
    type Item = Transition;

    fn next(&mut self) -> Option<Transition> {
        loop {
            match self.progress {
                Progress::Done => return None,
                Progress::Between => self.progress = self.start_leg(),
                Progress::At { leg, time, marker } => {
                    if let Some(event) = self.report_change(time, time) {
                        return self.emit(event);
                    }
                    match self.player.instants.get(marker) {
                        Some((at, kind)) if *at == time => {
                            let kind = kind.clone();
                            self.progress = Progress::At {
                                leg,
                                time,
                                marker: marker + 1,
                            };
                            return self.emit(Transition { time, kind });
                        }
                        _ => self.progress = self.after(leg, time),
                    }
                }
                Progress::After { leg, time, next } => {
                    // No state changes between the two times. Their midpoint is the time that
                    // rounding is least likely to move to one of them.
                    if let Some(event) = self.report_change(time.midpoint(next), time) {
                        return self.emit(event);
                    }
                    self.progress = Progress::At {
                        leg,
                        time: next,
                        marker: self.first_marker_at(next),
                    };
                }
            }
        }
    }
}
