//! Events as lines, each at its time.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use inputanim::player::{Playback, Player};

/// How long an event may be late.
const TICK: Duration = Duration::from_millis(10);

/// Plays to the end, or for ever where it loops.
pub(super) fn run(mut player: Player, at_once: bool) -> anyhow::Result<()> {
    let mut output = io::stdout().lock();
    let mut before = Instant::now();
    // The first events are those of the start itself.
    let mut seconds = 0.0;
    loop {
        for event in player.advance(seconds) {
            writeln!(output, "{:>10.3} s  {}", event.time, event.kind)?;
        }
        output.flush()?;
        if player.playback() != Playback::Playing {
            return Ok(());
        }
        seconds = if at_once {
            let range = player.range();
            f64::from(range.length()) / player.rate().abs() + 1.0
        } else {
            std::thread::sleep(TICK);
            let now = Instant::now();
            now.duration_since(std::mem::replace(&mut before, now))
                .as_secs_f64()
        };
    }
}
