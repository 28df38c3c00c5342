//! Events as lines, each at its time.

use std::io::{self, Write};
use std::time::{Duration, Instant};

use inputanim::player::{Event, EventKind, Playback, Player};
use inputanim_convert::json::Number;
use serde::Serialize;

use crate::format::{Format, Rows};

/// How long an event may be late.
const TICK: Duration = Duration::from_millis(10);

/// Plays to the end, or for ever where it loops.
pub(super) fn run(mut player: Player, at_once: bool, format: Format) -> anyhow::Result<()> {
    let mut lines = Lines(Rows::new(format, io::stdout().lock()));
    lines.begin()?;
    let mut before = Instant::now();
    // The first events are those of the start itself.
    let mut seconds = 0.0;
    loop {
        for event in player.advance(seconds) {
            lines.push(&event)?;
        }
        if player.playback() != Playback::Playing {
            return lines.finish();
        }
        seconds = if at_once {
            let range = player.range();
            f64::from(range.length()) / player.rate().abs() + 1.0
        } else {
            lines.flush()?;
            std::thread::sleep(TICK);
            let now = Instant::now();
            now.duration_since(std::mem::replace(&mut before, now))
                .as_secs_f64()
        };
    }
}

struct Lines<W: Write>(Result<Rows<W>, W>);

const COLUMNS: [&str; 4] = ["time_s", "event", "hand", "name"];

/// An event for programs.
#[derive(Serialize)]
struct Row<'e> {
    time: Number,
    event: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    hand: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'e str>,
}

impl<'e> Row<'e> {
    fn new(event: &'e Event) -> Row<'e> {
        let (what, hand, name) = match &event.kind {
            EventKind::TrackingGained(side) => ("found", Some(side.name()), None),
            EventKind::TrackingLost(side) => ("lost", Some(side.name()), None),
            EventKind::PinchDown(side) => ("pinch_down", Some(side.name()), None),
            EventKind::PinchUp(side) => ("pinch_up", Some(side.name()), None),
            EventKind::Marker(name) => ("marker", None, Some(&**name)),
            _ => ("other", None, None),
        };
        Row {
            time: Number(event.time),
            event: what,
            hand,
            name,
        }
    }
}

impl<W: Write> Lines<W> {
    fn begin(&mut self) -> anyhow::Result<()> {
        match &mut self.0 {
            Ok(rows) => rows.columns(&COLUMNS),
            Err(_) => Ok(()),
        }
    }

    fn push(&mut self, event: &Event) -> anyhow::Result<()> {
        match &mut self.0 {
            Ok(rows) => {
                let row = Row::new(event);
                rows.push(&row, || vec![(row.time, row.event, row.hand, row.name)])
            }
            Err(output) => Ok(writeln!(output, "{:>10.3} s  {}", event.time, event.kind)?),
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        match &mut self.0 {
            Ok(rows) => rows.flush(),
            Err(output) => Ok(output.flush()?),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self.0 {
            Ok(rows) => rows.finish(),
            Err(mut output) => Ok(output.flush()?),
        }
    }
}
