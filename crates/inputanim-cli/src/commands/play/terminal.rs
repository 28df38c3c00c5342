//! The terminal: keys in, pictures out.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use inputanim::player::Playback;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{Clear, ClearType};

use super::screen;
use super::show::{Next, Show};

/// Between two pictures: smooth, and light enough for a slow line.
const PICTURE: Duration = Duration::from_millis(33);

/// Between two looks at the terminal's size while nothing moves.
const REST: Duration = Duration::from_millis(500);

pub(super) fn run(mut show: Show) -> anyhow::Result<()> {
    let has_color =
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let is_ended = ended_by_signal()?;
    let mut terminal = ratatui::try_init()?;
    let played = play(&mut terminal, &mut show, has_color, &is_ended);
    ratatui::try_restore()?;
    played
}

/// Becomes true when the program is asked to end, so that it can leave the terminal as it was.
fn ended_by_signal() -> anyhow::Result<Arc<AtomicBool>> {
    let is_ended = Arc::new(AtomicBool::new(false));
    #[cfg(unix)]
    {
        use signal_hook::consts::{SIGHUP, SIGTERM};
        let listen = |signal| signal_hook::flag::register(signal, is_ended.clone());
        crate::signals::registered(&[SIGTERM, SIGHUP], || {
            listen(SIGTERM)?;
            listen(SIGHUP)
        })?;
    }
    Ok(is_ended)
}

fn play(
    terminal: &mut DefaultTerminal,
    show: &mut Show,
    has_color: bool,
    is_ended: &AtomicBool,
) -> anyhow::Result<()> {
    // Not every terminal gives an empty screen, and not every one answers where its cursor is,
    // which `Terminal::clear` asks.
    execute!(std::io::stdout(), Clear(ClearType::All))?;
    let mut before = Instant::now();
    while !is_ended.load(Ordering::Relaxed) {
        terminal.draw(|picture| screen::draw(show, has_color, picture))?;
        let wait = match show.player.playback() {
            Playback::Playing => PICTURE.saturating_sub(before.elapsed()),
            Playback::Paused | Playback::Stopped => REST,
        };
        let mut is_waiting = event::poll(wait)?;
        // The time until here has passed as it was before the keys.
        let now = Instant::now();
        show.advance(now.duration_since(before).as_secs_f64());
        before = now;
        // All keys that have come meanwhile count for one picture.
        while is_waiting {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && show.press(key) == Next::Quit
            {
                return Ok(());
            }
            is_waiting = event::poll(Duration::ZERO)?;
        }
    }
    Ok(())
}
