//! Playback of a recording against any clock.
//!
//! Method: a step becomes a route of legs without jumps or turns; full loops are only counted. The
//! events of a route are computed when the caller reads them.

mod route;
mod stops;
mod transition;
mod transitions;

use std::sync::Arc;

use crate::frame::Frame;
use crate::order;
use crate::sampler::{Sampler, SamplerCursor, States};
use crate::time_range::TimeRange;

use route::Route;
use stops::Changes;
pub use transition::{Transition, TransitionKind};
pub use transitions::Transitions;

/// The action of a [`Player`] at the end of its range, or at the start when it plays backwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EndAction {
    /// Pauses there.
    #[default]
    Hold,
    /// Stops and moves to the start, as MRTK's player does.
    Rewind,
    /// Continues from the other end.
    Loop,
    /// Reverses direction.
    PingPong,
}

/// The state of a [`Player`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlaybackState {
    /// Not playing, at the start.
    Stopped,
    /// Playing.
    Playing,
    /// Not playing, at any position.
    Paused,
}

/// Plays a recording against any clock, and reports events: hands found and lost, pinches, markers, and changes of devices
/// ([`TransitionKind`]).
///
/// [`advance`](Self::advance) moves the position and returns the events on the way;
/// [`frame`](Self::frame) evaluates the recording at the new position.
///
/// Guarantee: events report every change of state between two frames, however far apart they are, and a marker each
/// time that playback reaches it. Both hold in both directions and across loops and turns. After all events of a step,
/// the reported states equal the states of the frame. Playback reaches a marker when the position arrives at it, when
/// it starts at it, and when a loop jumps to it. It does not reach the marker again when it leaves the marker or turns
/// at it. A [`seek`](Self::seek) reports changed states and reaches no markers. All this is true for haptic pulses too.
///
/// Limits: the time of an event is subject to rounding where a state curve repeats by its wrap mode.
///
/// Cost: a few binary searches for a step without events, and for each event. A step over a million
/// loops costs no more until its events are read.
///
/// ```
/// use inputanim::{
///     BooleanCurve, Layout, Marker, Player, TransitionKind, Recording, Sampler, Side,
/// };
///
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// let right = &mut recording.hands_mut().right;
/// right.tracked = BooleanCurve::new([(0.0, true), (2.0, false)]);
/// recording.markers.push(Marker::new(0.5, "start"));
///
/// let mut player = Player::new(Sampler::new(&recording)?);
/// player.play();
/// let kinds: Vec<_> = player.advance(1.0).map(|event| event.kind).collect();
/// assert_eq!(kinds, [TransitionKind::TrackingGained(Side::Right), TransitionKind::Marker("start".into())]);
/// assert!(player.frame().right.tracked);
/// # Ok::<(), inputanim::UnplayableCurve>(())
/// ```
#[derive(Clone, Debug)]
pub struct Player {
    sampler: Sampler,
    /// The markers and haptic pulses in order of time.
    instants: Vec<(f32, TransitionKind)>,
    /// The times at which a state of a hand or a device may change.
    changes: Vec<Changes>,
    range: TimeRange,
    ending: EndAction,
    rate: f64,
    playback: PlaybackState,
    /// The position in seconds. Double precision keeps the rounding errors of steps from accumulating.
    position: f64,
    /// `true` while a ping-pong plays against the sign of the rate.
    is_returning: bool,
    /// `true` while the markers and haptic pulses at the position are not reported yet.
    is_unvisited: bool,
    /// The states that events have reported.
    reported: [States; 2],
    /// The states of devices that events have reported, in the order of the devices.
    reported_devices: Vec<DeviceStates>,
    cursor: SamplerCursor,
    frame: Frame,
}

/// The states of a device.
#[derive(Clone, Debug)]
struct DeviceStates {
    is_active: bool,
    profile: Option<Arc<str>>,
    /// For each input that is on or off, `true` if it is on.
    buttons: Vec<bool>,
}

impl Player {
    /// Returns a stopped player at the start. Its range is 0 to the recording's duration, as in MRTK.
    pub fn new(sampler: Sampler) -> Player {
        let markers = sampler.markers().iter();
        let markers = markers.filter(|marker| !marker.time.is_nan());
        // `Arc` makes the names in events cheap to clone.
        let markers = markers.map(|marker| {
            let kind = TransitionKind::Marker(Arc::from(&*marker.name));
            (marker.time, kind)
        });
        let mut instants: Vec<(f32, TransitionKind)> = markers.collect();
        let devices = sampler.baked_devices();
        for device in devices {
            let pulses = device.haptics().iter();
            instants.extend(pulses.map(|pulse| {
                let kind = TransitionKind::HapticPulse(device.name, *pulse);
                (pulse.time, kind)
            }));
        }
        if !devices.is_empty() {
            order::sort_by_time(&mut instants, |(time, _)| *time);
        }
        Player {
            instants,
            reported_devices: devices
                .iter()
                .map(|device| DeviceStates {
                    is_active: false,
                    profile: None,
                    buttons: vec![false; device.buttons().count()],
                })
                .collect(),
            changes: Changes::of_sampler(&sampler),
            range: TimeRange {
                start: 0.0,
                // A range must be finite, but a damaged file can have a key at infinity.
                end: sampler.duration().min(f32::MAX),
            },
            ending: EndAction::default(),
            rate: 1.0,
            playback: PlaybackState::Stopped,
            position: 0.0,
            is_returning: false,
            is_unvisited: true,
            reported: [States::default(); 2],
            cursor: SamplerCursor::default(),
            frame: Frame::default(),
            sampler,
        }
    }

    /// Returns the events of one playback from 0 to the end of the recording, in order: hands found and lost, pinches,
    /// markers, and the [changes](TransitionKind) of devices. The list ends after [`MAX_TRANSITIONS`](Self::MAX_TRANSITIONS) events.
    ///
    /// ```
    /// use inputanim::{BooleanCurve, Layout, Player, Recording, Sampler};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// let right = &mut recording.hands_mut().right;
    /// right.tracked = BooleanCurve::new([(0.0, false), (1.0, true), (4.0, false)]);
    /// let transitions = Player::transitions(Sampler::new(&recording)?);
    /// let found: Vec<_> = transitions.iter().map(|event| (event.time, event.kind.name())).collect();
    /// assert_eq!(found, [(1.0, "found"), (4.0, "lost")]);
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn transitions(sampler: Sampler) -> Vec<Transition> {
        let mut player = Player::new(sampler);
        player.play();
        let end = player.range().end;
        player.advance(end).take(Player::MAX_TRANSITIONS).collect()
    }

    /// The largest number of transitions of one playback. The states of a damaged recording can repeat without end.
    pub const MAX_TRANSITIONS: usize = 1 << 20;

    /// Returns a player that behaves like MRTK's (docs/format.md, section 5.5): at the end it stops and
    /// moves to 0, rotations are not normalised, and it reports no markers and no haptic pulses.
    ///
    /// MRTK's player has no events. The events of this player include the changes at the end, where it shows the start
    /// again.
    pub fn mrtk(sampler: Sampler) -> Player {
        let mut player = Player::new(sampler.with_raw_rotations());
        player.ending = EndAction::Rewind;
        player.instants.clear();
        player
    }

    /// Starts to play from the current position. If that is the end of the range in the direction of play, playback
    /// starts from the other end instead, except for a ping-pong, which turns.
    pub fn play(&mut self) {
        if self.playback == PlaybackState::Playing {
            return;
        }
        self.playback = PlaybackState::Playing;
        // A ping-pong at an end turns instead of restarting.
        let is_turning = self.ending == EndAction::PingPong;
        if !is_turning && self.range.start < self.range.end {
            let (start, end) = (f64::from(self.range.start), f64::from(self.range.end));
            if self.rate > 0.0 && self.position >= end {
                self.jump(start);
            } else if self.rate < 0.0 && self.position <= start {
                self.jump(end);
            }
        }
    }

    /// Pauses playback at the current position; does nothing if the player is not playing.
    pub fn pause(&mut self) {
        if self.playback == PlaybackState::Playing {
            self.playback = PlaybackState::Paused;
        }
    }

    /// Stops playback, and moves to the start of the range.
    pub fn stop(&mut self) {
        self.playback = PlaybackState::Stopped;
        self.is_returning = false;
        self.jump(self.range.start.into());
    }

    /// Moves to a time in seconds, clamped to the range. A stopped player becomes paused; otherwise, playback continues
    /// from there in the same direction. NaN changes nothing.
    pub fn seek(&mut self, time: f32) {
        if !time.is_nan() {
            if self.playback == PlaybackState::Stopped {
                self.playback = PlaybackState::Paused;
            }
            self.jump(time.max(self.range.start).min(self.range.end).into());
        }
    }

    fn jump(&mut self, position: f64) {
        self.position = position;
        self.is_unvisited = true;
    }

    /// Moves the position by `seconds` of the clock, multiplied by the rate, if the player is playing, and returns the
    /// events on the way. Negative seconds play against the rate; NaN and infinity do not move.
    ///
    /// Dropping the iterator drops the remaining events. The next step then begins with the states
    /// that changed since the last reported event; markers are lost.
    ///
    /// The position is kept in double precision, but a step in single precision can be wrong by up to 6e-8 of its
    /// length. After an hour of steps of 1/60 s, the error is at most 0.2 ms. A program that needs an exact position
    /// over hours computes it and calls [`seek`](Self::seek).
    pub fn advance(&mut self, seconds: f32) -> Transitions<'_> {
        let distance = f64::from(seconds) * self.rate;
        let route = if self.playback == PlaybackState::Playing && distance.is_finite() {
            self.travel(distance)
        } else {
            Route::stay(self.time())
        };
        Transitions::new(self, route)
    }

    /// Evaluates the recording at the current position.
    pub fn frame(&mut self) -> &Frame {
        let time = self.time();
        self.sampler.read(time, &mut self.cursor, &mut self.frame);
        &self.frame
    }

    /// Returns the current position, in seconds of the recording.
    pub fn time(&self) -> f32 {
        self.position as f32
    }

    /// Returns the state of playback: stopped, playing or paused.
    pub fn playback(&self) -> PlaybackState {
        self.playback
    }

    /// Returns the playback rate: seconds of the recording for each second of the clock, negative
    /// backwards.
    pub fn rate(&self) -> f64 {
        self.rate
    }

    /// Sets the playback [rate](Self::rate): seconds of the recording for each second of the clock, negative backwards.
    /// A rate that is not finite becomes 0.
    pub fn set_rate(&mut self, rate: f64) {
        self.rate = if rate.is_finite() { rate } else { 0.0 };
    }

    /// Returns `true` if playback moves towards the end. The sign of the rate decides this; it is reversed on the way
    /// back of a ping-pong.
    pub fn is_forward(&self) -> bool {
        (self.rate >= 0.0) != self.is_returning
    }

    /// Returns the action at the end of the range, or at its start when playing backwards.
    pub fn ending(&self) -> EndAction {
        self.ending
    }

    /// Sets the action at the end of the range, or at its start when playing backwards. Ends the way back of a
    /// ping-pong.
    pub fn set_ending(&mut self, ending: EndAction) {
        self.ending = ending;
        self.is_returning = false;
    }

    /// Returns the time range that is played, in seconds.
    pub fn range(&self) -> TimeRange {
        self.range
    }

    /// Sets the time range to play, in seconds. The position is clamped to it, or moves to its start if the player is
    /// stopped. A range with a bound that is not finite, or with its end before its start, changes nothing.
    ///
    /// ```
    /// use inputanim::{EndAction, Layout, Player, Recording, Sampler, TimeRange};
    /// # let mut recording = Recording::new(Layout::Mrtk1_1);
    /// # recording.head_mut().push(9.0, &inputanim::Pose::IDENTITY);
    /// let mut player = Player::new(Sampler::new(&recording)?);
    /// player.set_range(TimeRange { start: 2.0, end: 3.0 });
    /// player.set_ending(EndAction::Loop);
    /// player.play();
    /// player.advance(1.25);
    /// assert_eq!(player.time(), 2.25);
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn set_range(&mut self, range: TimeRange) {
        if range.length().is_finite() && range.start <= range.end {
            self.range = range;
            let time = self.time();
            if self.playback == PlaybackState::Stopped {
                self.stop();
            } else if time < range.start || time > range.end {
                self.jump(time.clamp(range.start, range.end).into());
            }
        }
    }

    /// Returns the sampler that evaluates the recording.
    pub fn sampler(&self) -> &Sampler {
        &self.sampler
    }
}
