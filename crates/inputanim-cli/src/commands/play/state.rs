//! The state of the live view, and the effect of keys.

use inputanim::headset;
use inputanim::info::{HandInfo, Info, active_ranges, pressed_ranges};
use inputanim::marker_names::prominent;
use inputanim::{DeviceName, EndAction, PlaybackState, Player};
use inputanim::{Marker, Recording, Side, TimeRange};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::view::{SceneBounds, View};
use crate::messages::text::quoted;

/// A recording in playback, with the current view.
pub(super) struct PlayState {
    pub(super) title: String,
    /// The codes of damage in the recording.
    pub(super) damage: String,
    pub(super) player: Player,
    pub(super) view: View,
    /// The bounds of the hands, the head and the gaze.
    full: SceneBounds,
    /// The bounds of the hands.
    close: SceneBounds,
    is_close: bool,
    /// The time ranges in which hands are tracked and pinch.
    pub(super) hands: [HandInfo; 2],
    pub(super) devices: Vec<DeviceLane>,
    /// The markers without telemetry, in order of time.
    pub(super) markers: Vec<Marker<'static>>,
    /// The effect of the last key that was pressed, as text.
    pub(super) feedback: String,
}

/// The time ranges in which a device is known to be active, and in which any of its buttons is pressed.
pub(super) struct DeviceLane {
    pub(super) name: DeviceName,
    pub(super) states: HandInfo,
}

impl DeviceLane {
    fn of_all(recording: &Recording<'_>, info: &Info) -> Vec<DeviceLane> {
        let Some(range) = info.time_range else {
            return Vec::new();
        };
        let devices = recording.devices.iter();
        let devices = devices.filter(|device| device.name != headset::name());
        let lanes = devices.map(|device| {
            let name = device.name;
            let inputs = device.inputs.iter();
            let pressed =
                inputs.flat_map(|(input, _)| pressed_ranges(recording, name, *input, range));
            let mut states = HandInfo::default();
            states.tracked = active_ranges(recording, name, range);
            states.pinching = TimeRange::union(pressed.collect());
            DeviceLane { name, states }
        });
        lanes.collect()
    }
}

/// The effect of a key on the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum KeyEffect {
    Continue,
    Quit,
}

/// The time between two frames of MRTK's recorder.
const STEP: f32 = 1.0 / 60.0;

impl PlayState {
    pub(super) fn new(
        title: String,
        damage: String,
        player: Player,
        recording: &Recording<'_>,
        info: &Info,
        view: View,
    ) -> PlayState {
        let full = SceneBounds::of(player.sampler(), player.range(), true).unwrap_or_default();
        let markers = prominent(player.sampler().markers()).into_iter();
        let markers = markers.cloned().collect();
        PlayState {
            title,
            markers,
            full,
            close: SceneBounds::of(player.sampler(), player.range(), false).unwrap_or(full),
            damage,
            is_close: true,
            feedback: String::new(),
            hands: Side::BOTH.map(|side| info.hand(side).clone()),
            devices: DeviceLane::of_all(recording, info),
            player,
            view,
        }
    }

    /// Advances playback by a time of the clock, in seconds. Ignores the events of playback, because the picture shows
    /// them.
    pub(super) fn advance(&mut self, seconds: f32) {
        let _ = self.player.advance(seconds);
    }

    /// Returns the part of the scene that is shown, in metres: around the hands, or around the hands, the head and the
    /// gaze.
    pub(super) fn bounds(&self) -> SceneBounds {
        if self.is_close { self.close } else { self.full }
    }

    /// Describes the part of the scene that is shown: `zoom: hands`.
    fn zoom(&self) -> &'static str {
        if self.is_close {
            "zoom: hands"
        } else {
            "zoom: hands, head and gaze"
        }
    }

    /// Returns the last marker at or before the current time of playback.
    pub(super) fn marker(&self) -> Option<&Marker<'static>> {
        let now = self.player.time();
        let mut earlier = self.markers.iter().rev();
        earlier.find(|marker| marker.time <= now)
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> KeyEffect {
        // In raw mode Ctrl-C is a key and not a signal.
        let is_interrupt =
            key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
        if is_interrupt || matches!(key.code, KeyCode::Char('q' | 'Q') | KeyCode::Esc) {
            return KeyEffect::Quit;
        }
        self.feedback = match key.code {
            KeyCode::Char(' ') => self.toggle(),
            KeyCode::Left => self.seek(self.player.time() - 1.0),
            KeyCode::Right => self.seek(self.player.time() + 1.0),
            KeyCode::Char(',') => self.step(-STEP),
            KeyCode::Char('.') => self.step(STEP),
            KeyCode::Char('[') => self.seek_marker(false),
            KeyCode::Char(']') => self.seek_marker(true),
            KeyCode::Up | KeyCode::Char('+') => self.change_rate(2.0),
            KeyCode::Down | KeyCode::Char('-') => self.change_rate(0.5),
            KeyCode::Char('r') => self.change_rate(-1.0),
            KeyCode::Char('l') => self.change_ending(),
            KeyCode::Char('z') => {
                self.is_close = !self.is_close;
                self.zoom().to_owned()
            }
            KeyCode::Char('v') => {
                self.view = self.view.next();
                format!("view: {}", self.view.title())
            }
            KeyCode::Home | KeyCode::Char('0') => self.seek(self.player.range().start),
            KeyCode::End => self.seek(self.player.range().end),
            KeyCode::Char(other) => format!("no action: {}", other.escape_debug()),
            _ => "no action".to_owned(),
        };
        KeyEffect::Continue
    }

    fn toggle(&mut self) -> String {
        if self.player.playback() == PlaybackState::Playing {
            self.player.pause();
            "paused".to_owned()
        } else {
            self.player.play();
            "playing".to_owned()
        }
    }

    fn seek(&mut self, time: f32) -> String {
        self.player.seek(time);
        let (now, range) = (self.player.time(), self.player.range());
        if now <= range.start {
            "start".to_owned()
        } else if now >= range.end {
            "end".to_owned()
        } else {
            format!("to {now:.3} s")
        }
    }

    fn step(&mut self, seconds: f32) -> String {
        self.player.pause();
        self.seek(self.player.time() + seconds)
    }

    // Factors are powers of two or -1, so steps up and down lead back to exactly the same rate.
    fn change_rate(&mut self, factor: f64) -> String {
        let rate = self.player.rate() * factor;
        let (least, most) = (super::SPEEDS.start(), super::SPEEDS.end());
        if rate.abs() < *least {
            return format!("slowest: {least}");
        }
        if rate.abs() > *most {
            return format!("fastest: {most}");
        }
        self.player.set_rate(rate);
        let direction = if rate < 0.0 { " backwards" } else { "" };
        format!("speed {}{direction}", rate.abs())
    }

    fn change_ending(&mut self) -> String {
        let (ending, text) = match self.player.ending() {
            EndAction::Loop => (EndAction::PingPong, "at the end: reverse"),
            EndAction::PingPong => (EndAction::Hold, "at the end: stop"),
            _ => (EndAction::Loop, "at the end: start again"),
        };
        self.player.set_ending(ending);
        text.to_owned()
    }

    fn seek_marker(&mut self, forward: bool) -> String {
        let now = self.player.time();
        let range = self.player.range();
        let markers = self.markers.iter();
        let mut markers =
            markers.filter(|marker| marker.time >= range.start && marker.time <= range.end);
        let found = if forward {
            markers.find(|marker| marker.time > now)
        } else {
            markers.rfind(|marker| marker.time < now)
        };
        let Some(marker) = found else {
            let missing = if forward {
                "no next marker"
            } else {
                "no earlier marker"
            };
            return missing.to_owned();
        };
        let text = format!("marker {}", quoted(&marker.name, 40));
        let time = marker.time;
        self.player.seek(time);
        text
    }
}
