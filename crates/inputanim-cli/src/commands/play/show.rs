//! What is shown, and what keys do with it.

use inputanim::player::{Ending, Playback, Player};
use inputanim::summary::{HandSummary, Summary};
use inputanim::{Marker, Side};
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::stage::{Stage, View};

/// A recording that plays, as it is looked at.
pub(super) struct Show {
    pub(super) title: String,
    /// The codes of what is damaged in it.
    pub(super) damage: String,
    pub(super) player: Player,
    pub(super) view: View,
    whole: Stage,
    /// When hands are tracked and pinch.
    pub(super) hands: [HandSummary; 2],
    /// The box of the hands alone, and whether it is what is shown.
    close: Stage,
    is_close: bool,
}

/// Whether to go on after a key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Next {
    GoOn,
    Quit,
}

/// A frame of the toolkit's recorder.
const STEP: f32 = 1.0 / 60.0;

impl Show {
    pub(super) fn new(
        title: String,
        damage: String,
        player: Player,
        summary: &Summary,
        view: View,
    ) -> Show {
        let whole = Stage::of(player.sampler(), player.range(), true).unwrap_or_default();
        Show {
            title,
            whole,
            close: Stage::of(player.sampler(), player.range(), false).unwrap_or(whole),
            damage,
            is_close: false,
            hands: Side::BOTH.map(|side| summary.hand(side).clone()),
            player,
            view,
        }
    }

    /// Lets time pass. What happens meanwhile can be seen.
    pub(super) fn advance(&mut self, seconds: f64) {
        let _ = self.player.advance(seconds);
    }

    /// What of the room is shown.
    pub(super) fn stage(&self) -> Stage {
        if self.is_close {
            self.close
        } else {
            self.whole
        }
    }

    /// The last marker at or before the position.
    pub(super) fn marker(&self) -> Option<&Marker<'static>> {
        let now = self.player.time();
        let markers = self.player.sampler().markers();
        markers.iter().rev().find(|marker| marker.time <= now)
    }

    pub(super) fn press(&mut self, key: KeyEvent) -> Next {
        let player = &mut self.player;
        match key.code {
            KeyCode::Char('c') if key.modifiers.contains(KeyModifiers::CONTROL) => {
                return Next::Quit;
            }
            KeyCode::Char('q' | 'Q') | KeyCode::Esc => return Next::Quit,
            KeyCode::Char(' ') => match player.playback() {
                Playback::Playing => player.pause(),
                Playback::Paused | Playback::Stopped => player.play(),
            },
            KeyCode::Left => player.seek(player.time() - 1.0),
            KeyCode::Right => player.seek(player.time() + 1.0),
            KeyCode::Char(',') => self.step(-STEP),
            KeyCode::Char('.') => self.step(STEP),
            KeyCode::Char('[') => self.seek_marker(false),
            KeyCode::Char(']') => self.seek_marker(true),
            KeyCode::Up | KeyCode::Char('+') => self.change_rate(2.0),
            KeyCode::Down | KeyCode::Char('-') => self.change_rate(0.5),
            KeyCode::Char('r') => self.change_rate(-1.0),
            KeyCode::Char('l') => player.set_ending(match player.ending() {
                Ending::Loop => Ending::PingPong,
                Ending::PingPong => Ending::Hold,
                Ending::Hold | Ending::Rewind => Ending::Loop,
            }),
            KeyCode::Char('z') => self.is_close = !self.is_close,
            KeyCode::Char('v') => self.view = self.view.next(),
            KeyCode::Home | KeyCode::Char('0') => player.seek(player.range().start),
            KeyCode::End => player.seek(player.range().end),
            _ => {}
        }
        Next::GoOn
    }

    fn step(&mut self, seconds: f32) {
        self.player.pause();
        self.player.seek(self.player.time() + seconds);
    }

    fn change_rate(&mut self, factor: f64) {
        let rate = self.player.rate() * factor;
        if super::SPEEDS.contains(&rate.abs()) {
            self.player.set_rate(rate);
        }
    }

    fn seek_marker(&mut self, forward: bool) {
        let now = self.player.time();
        let range = self.player.range();
        let markers = self.player.sampler().markers();
        let times = markers.iter().map(|marker| marker.time);
        let mut times = times.filter(|&time| time >= range.start && time <= range.end);
        let found = match forward {
            true => times.find(|&time| time > now),
            false => times.rfind(|&time| time < now),
        };
        if let Some(time) = found {
            self.player.seek(time);
        }
    }
}
