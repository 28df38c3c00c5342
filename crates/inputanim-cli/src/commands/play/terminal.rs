//! The terminal: keys in, pictures out.

use std::time::{Duration, Instant};

use inputanim::player::Playback;
use ratatui::DefaultTerminal;
use ratatui::crossterm::event::{self, Event, KeyEventKind};

use super::screen;
use super::show::{Next, Show};

/// Between two pictures: smooth, and light enough for a slow line.
const PICTURE: Duration = Duration::from_millis(33);

/// Between two looks at the terminal's size while nothing moves.
const REST: Duration = Duration::from_secs(1);

pub(super) fn run(mut show: Show) -> anyhow::Result<()> {
    let has_color =
        anstream::AutoStream::choice(&std::io::stdout()) != anstream::ColorChoice::Never;
    let mut terminal = ratatui::try_init()?;
    let played = play(&mut terminal, &mut show, has_color);
    ratatui::try_restore()?;
    played
}

fn play(terminal: &mut DefaultTerminal, show: &mut Show, has_color: bool) -> anyhow::Result<()> {
    let mut before = Instant::now();
    show.advance(0.0);
    loop {
        terminal.draw(|picture| screen::draw(show, has_color, picture))?;
        let wait = match show.player.playback() {
            Playback::Playing => PICTURE.saturating_sub(before.elapsed()),
            Playback::Paused | Playback::Stopped => REST,
        };
        // All keys that have come meanwhile count for one picture.
        let mut is_waiting = event::poll(wait)?;
        while is_waiting {
            if let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && show.press(key) == Next::Quit
            {
                return Ok(());
            }
            is_waiting = event::poll(Duration::ZERO)?;
        }
        let now = Instant::now();
        show.advance(now.duration_since(before).as_secs_f64());
        before = now;
    }
}
