//! The terminal: reads keys and draws pictures.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use inputanim::PlaybackState;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType};

use super::screen;
use super::state::{KeyEffect, PlayState};

/// The time between two pictures: smooth, and little enough output for a slow connection.
const PICTURE: Duration = Duration::from_millis(33);

/// The time between two pictures while playback is paused.
const REST: Duration = Duration::from_millis(500);

pub(super) fn run(mut state: PlayState) -> anyhow::Result<()> {
    let has_color =
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let is_ended = ended_by_signal()?;
    let mut terminal = ratatui::try_init()?;
    let played = play(&mut terminal, &mut state, has_color, &is_ended);
    // Restored before an error is returned, because its message would vanish with the alternate
    // screen.
    ratatui::try_restore()?;
    played
}

/// Returns a flag that SIGTERM and SIGHUP set to `true`, so that the terminal can be restored before the program ends.
fn ended_by_signal() -> anyhow::Result<Arc<AtomicBool>> {
    let is_ended = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGTERM};
        // SIGINT is missing, because in raw mode Ctrl-C is a key.
        for signal in [SIGTERM, SIGHUP] {
            signal_hook::flag::register(signal, is_ended.clone())?;
        }
    }
    Ok(is_ended)
}

fn play(
    terminal: &mut DefaultTerminal,
    state: &mut PlayState,
    has_color: bool,
    is_ended: &AtomicBool,
) -> anyhow::Result<()> {
    // Some terminals do not start the alternate screen empty, and some do not report their cursor
    // position, which `Terminal::clear` needs.
    execute!(std::io::stdout(), Clear(ClearType::All))?;
    let mut before = Instant::now();
    while !is_ended.load(Ordering::Relaxed) {
        terminal.draw(|picture| screen::draw(state, has_color, picture))?;
        let wait = match state.player.playback() {
            PlaybackState::Playing => PICTURE.saturating_sub(before.elapsed()),
            PlaybackState::Paused | PlaybackState::Stopped => REST,
        };
        let mut is_waiting = event::poll(wait)?;
        // The time until now has passed at the rate before the keys.
        let now = Instant::now();
        state.advance(now.duration_since(before).as_secs_f32());
        before = now;
        // All waiting keys are handled before the next picture, so that a held key does not lag.
        while is_waiting {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && state.press(key) == KeyEffect::Quit
            {
                return Ok(());
            }
            is_waiting = event::poll(Duration::ZERO)?;
        }
    }
    Ok(())
}
