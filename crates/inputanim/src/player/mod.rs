//! Plays a recording against any clock, and tells what happens on the way.
//!
//! [`Player::advance`] moves the position by a stretch of the clock's time and gives the
//! [`Event`]s of that stretch in order: hands found and lost, pinches, markers. [`Player::frame`]
//! is what is to be seen at the new position.
//!
//! Guarantee: an event tells of every change of state between two frames, however far apart, and
//! of every marker that is reached: forwards, backwards, over loops and turns, each time it is
//! reached and once each time. After all events of a step, what they told is what the frame
//! shows. A marker counts as reached where the position arrives at it, where play starts on it
//! and where a loop jumps to it; not again when it is left or when play turns round on it.
//! Jumping to another position says what states have changed and passes no markers.
//!
//! Cost: a step without events costs a few binary searches; a step over a million loops costs no more
//! until its events are taken. An event is found by binary search.
//!
//! Limits: where a state curve comes round under a wrap mode, the time of an event is exact to the
//! rounding of such times.
//!
//! ```
//! use inputanim::player::{EventKind, Player};
//! use inputanim::{BooleanCurve, Layout, Marker, Recording, Sampler, Side};
//!
//! let mut take = Recording::new(Layout::Mrtk1_1);
//! let right = &mut take.hands_mut().right;
//! right.tracked = BooleanCurve::new([(0.0, true), (2.0, false)]);
//! take.markers.push(Marker::new(0.5, "start"));
//!
//! let mut player = Player::new(Sampler::new(&take)?);
//! player.play();
//! let kinds: Vec<_> = player.advance(1.0).map(|event| event.kind).collect();
//! assert_eq!(kinds, [EventKind::TrackingGained(Side::Right), EventKind::Marker("start".into())]);
//! assert!(player.frame().right.tracked);
//! # Ok::<(), inputanim::sampler::UnplayableCurve>(())
//! ```

mod event;
mod events;
mod route;
mod stops;

use std::sync::Arc;

use crate::frame::Frame;
use crate::sampler::{Cursor, Sampler, States};
use crate::span::Span;

pub use event::{Event, EventKind};
pub use events::Events;
use route::Route;
use stops::Changes;

/// What happens when play reaches the end of its range, or the start when it runs backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Ending {
    /// It stays there and pauses.
    #[default]
    Hold,
    /// It stops and goes back to the start, as the toolkit's player does.
    Rewind,
    /// It goes on from the other end.
    Loop,
    /// It turns round.
    PingPong,
}

/// Whether a [`Player`] is playing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Playback {
    /// At the start, not playing.
    Stopped,
    /// Playing.
    Playing,
    /// Standing still.
    Paused,
}

/// Plays a recording; see the [module](self).
#[derive(Clone, Debug)]
pub struct Player {
    sampler: Sampler,
    markers: Vec<(f32, Arc<str>)>,
    /// Left tracked, left pinching, right tracked, right pinching.
    changes: [Changes; 4],
    range: Span,
    ending: Ending,
    rate: f64,
    playback: Playback,
    position: f64,
    /// Whether the next movement runs against the rate: between two turns of a ping-pong.
    is_returning: bool,
    /// Whether nothing has told of the markers at the position yet.
    is_fresh: bool,
    /// What events have told of the hands.
    known: [States; 2],
    cursor: Cursor,
    frame: Frame,
}

impl Player {
    /// A player at the start of a recording, stopped. Its range is 0 to the recording's
    /// duration, as in the toolkit.
    pub fn new(sampler: Sampler) -> Player {
        let markers = sampler.markers().iter();
        let markers = markers.filter(|marker| !marker.time.is_nan());
        Player {
            markers: markers
                .map(|marker| (marker.time, Arc::from(&*marker.name)))
                .collect(),
            changes: sampler
                .state_curves()
                .map(|curve| Changes::of(curve, sampler.clamps_ends())),
            range: Span {
                start: 0.0,
                end: sampler.duration().min(f32::MAX),
            },
            ending: Ending::default(),
            rate: 1.0,
            playback: Playback::Stopped,
            position: 0.0,
            is_returning: false,
            is_fresh: true,
            known: [States::default(); 2],
            cursor: Cursor::default(),
            frame: Frame::default(),
            sampler,
        }
    }

    /// A player that behaves as the toolkit's own (docs/format.md, section 5.5): it stops at the
    /// end and goes back to 0, its rotations are not normalised, and no marker is ever told of.
    ///
    /// The toolkit has no events; those here include what changes at the end itself, where it
    /// shows the start again.
    pub fn mrtk(sampler: Sampler) -> Player {
        let mut player = Player::new(sampler.with_raw_rotations());
        player.ending = Ending::Rewind;
        player.markers.clear();
        player
    }

    /// Plays on from where it is. At the end in the direction of play, it starts over.
    pub fn play(&mut self) {
        if self.playback == Playback::Playing {
            return;
        }
        self.playback = Playback::Playing;
        let is_turning = self.ending == Ending::PingPong;
        if !is_turning && self.range.start < self.range.end {
            let (start, end) = (f64::from(self.range.start), f64::from(self.range.end));
            if self.rate > 0.0 && self.position >= end {
                self.jump(start);
            } else if self.rate < 0.0 && self.position <= start {
                self.jump(end);
            }
        }
    }

    /// Stands still; does nothing if it is not playing.
    pub fn pause(&mut self) {
        if self.playback == Playback::Playing {
            self.playback = Playback::Paused;
        }
    }

    /// Goes back to the start and stands still.
    pub fn stop(&mut self) {
        self.playback = Playback::Stopped;
        self.is_returning = false;
        self.jump(self.range.start.into());
    }

    /// Jumps to a time in seconds, or to the end of the range that is nearer to it. Playing goes
    /// on from there in the same direction. A time that is not a number changes nothing.
    pub fn seek(&mut self, time: f32) {
        if !time.is_nan() {
            if self.playback == Playback::Stopped {
                self.playback = Playback::Paused;
            }
            self.jump(time.max(self.range.start).min(self.range.end).into());
        }
    }

    fn jump(&mut self, position: f64) {
        self.position = position;
        self.is_fresh = true;
    }

    /// Moves by `seconds` of the clock's time, if it is playing, and gives what happened on the
    /// way. Negative time runs against the rate; time that is not finite does not pass.
    ///
    /// Events that are not taken are dropped with the iterator. The states of hands are told
    /// again then: the next step begins with what has changed since an event last told of it.
    pub fn advance(&mut self, seconds: f64) -> Events<'_> {
        let distance = seconds * self.rate;
        let route = match self.playback == Playback::Playing && distance.is_finite() {
            true => self.depart(distance),
            false => Route::here(self.time()),
        };
        Events::new(self, route)
    }

    /// The frame at the position.
    pub fn frame(&mut self) -> &Frame {
        let time = self.time();
        self.sampler.read(time, &mut self.cursor, &mut self.frame);
        &self.frame
    }

    /// The position in seconds.
    pub fn time(&self) -> f32 {
        self.position as f32
    }

    /// Whether it is playing.
    pub fn playback(&self) -> Playback {
        self.playback
    }

    /// How many seconds of the recording pass in one of the clock's; negative backwards.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Sets how many seconds of the recording pass in one of the clock's. One that is not finite
    /// stands still.
    pub fn set_rate(&mut self, rate: f64) {
        self.rate = if rate.is_finite() { rate } else { 0.0 };
    }

    /// Whether the position moves towards the end: as the rate says, but for the way back of a
    /// ping-pong.
    pub fn is_forward(&self) -> bool {
        (self.rate >= 0.0) != self.is_returning
    }

    /// What happens at the end.
    pub fn ending(&self) -> Ending {
        self.ending
    }

    /// Sets what happens at the end.
    pub fn set_ending(&mut self, ending: Ending) {
        self.ending = ending;
        self.is_returning = false;
    }

    /// What is played.
    pub fn range(&self) -> Span {
        self.range
    }

    /// Plays only a part; the position moves into it, or to its start if the player is stopped. Bounds that are not finite, or an end
    /// before the start, change nothing.
    pub fn set_range(&mut self, range: Span) {
        if range.length().is_finite() && range.start <= range.end {
            self.range = range;
            let time = self.time();
            if self.playback == Playback::Stopped {
                self.stop();
            } else if time < range.start || time > range.end {
                self.jump(time.clamp(range.start, range.end).into());
            }
        }
    }

    /// What it plays.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }
}
