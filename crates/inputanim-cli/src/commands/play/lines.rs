//! Transitions as lines, each at its time.

use std::borrow::Cow;
use std::io::{self, Write};
use std::time::{Duration, Instant};

use inputanim::{PlaybackState, Player, Side, Transition};
use inputanim_convert::json::Number;
use serde::Serialize;

use crate::results::report_format::{ReportFormat, Rows};

/// The largest delay of a transition.
const TICK: Duration = Duration::from_millis(10);

/// Plays a recording, and prints each event at its time, up to the end of the range or for ever if playback loops. If
/// `at_once` is true, prints the events without waiting.
pub(super) fn run(mut player: Player, at_once: bool, format: ReportFormat) -> anyhow::Result<()> {
    let mut lines = Lines(Rows::new(format, io::stdout().lock()));
    lines.begin()?;
    let mut before = Instant::now();
    // The first events happen at the start itself.
    let mut seconds = 0.0;
    let mut is_start = true;
    loop {
        for event in player.advance(seconds) {
            lines.push(&event, is_start)?;
        }
        is_start = false;
        if player.playback() != PlaybackState::Playing {
            return lines.finish(player.time());
        }
        seconds = if at_once {
            let range = player.range();
            // One step over the entire range has all events; a second more makes up for rounding.
            range.length() / player.rate().abs() as f32 + 1.0
        } else {
            lines.flush()?;
            std::thread::sleep(TICK);
            // The time is measured: a sleep lasts longer than asked, and the excess would add up.
            let now = Instant::now();
            now.duration_since(std::mem::replace(&mut before, now))
                .as_secs_f32()
        };
    }
}

struct Lines<W: Write>(Result<Rows<W>, W>);

const COLUMNS: [&str; 4] = ["time_s", "kind", "side", "name"];

/// A transition for programs.
#[derive(Serialize)]
struct Row<'e> {
    time: Number,
    kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    side: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<Cow<'e, str>>,
    /// The duration, frequency and amplitude of a haptic pulse, as far as they are known.
    #[serde(skip_serializing_if = "Option::is_none")]
    duration: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    amplitude: Option<Number>,
}

impl<'e> Row<'e> {
    fn new(transition: &'e Transition) -> Row<'e> {
        let kind = &transition.kind;
        let haptic = kind.haptic();
        Row {
            time: Number(transition.time),
            kind: kind.name(),
            side: kind.side().map(Side::name),
            name: kind.subject(),
            duration: haptic.and_then(|haptic| haptic.duration).map(Number),
            frequency: haptic.and_then(|haptic| haptic.frequency).map(Number),
            amplitude: haptic.map(|haptic| Number(haptic.amplitude)),
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

    fn push(&mut self, event: &Transition, is_start: bool) -> anyhow::Result<()> {
        match &mut self.0 {
            Ok(rows) => {
                let row = Row::new(event);
                rows.push(&row, || {
                    vec![(row.time, row.kind, row.side, row.name.as_deref())]
                })
            }
            Err(output) => {
                // A state at the start is not a change.
                let is_state = event.kind.marker().is_none() && event.kind.haptic().is_none();
                let start = if is_start && is_state { " (start)" } else { "" };
                Ok(writeln!(
                    output,
                    "{:>10.3} s  {}{start}",
                    event.time, event.kind
                )?)
            }
        }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        match &mut self.0 {
            Ok(rows) => rows.flush(),
            Err(output) => Ok(output.flush()?),
        }
    }

    fn finish(self, time: f32) -> anyhow::Result<()> {
        match self.0 {
            Ok(rows) => rows.finish(),
            Err(mut output) => {
                writeln!(output, "{time:>10.3} s  end")?;
                Ok(output.flush()?)
            }
        }
    }
}
