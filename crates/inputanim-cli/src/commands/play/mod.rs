//! `inputanim play`: a recording in real time, drawn in the terminal, or its events line by line.

mod lines;
mod screen;
mod show;
mod stage;
mod terminal;

use std::io::{self, IsTerminal};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use inputanim::Limits;
use inputanim::player::{Ending, Player};
use inputanim::summary::Summary;

use crate::diagnostics::{warn, warn_of_damage};
use crate::format::Format;
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::time_range::TimeRange;

use show::Show;
use stage::View;

/// Play a recording in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Keys: space pauses, left and right seek by a second, [ and ] go from marker to marker, comma and \
period step a frame, up and down change the speed, r turns it round, l chooses what happens at the \
end, v the view, z comes closer to the hands, 0 goes to the start, q quits.

Without a terminal, or with --events, it prints a line for each event as it happens: hands found \
and lost, pinches, markers. What already is so when play begins comes first.

Examples:
  inputanim play take.bin --view top --loop
  inputanim play take.bin --no-wait --format csv > events.csv")]
pub(crate) struct Args {
    /// The recording (.bin, or lossless .json); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Seconds of the recording in a second; negative plays backwards
    #[arg(long, default_value_t = 1.0, value_parser = speed, allow_hyphen_values = true)]
    #[arg(value_name = "TIMES")]
    speed: f64,
    /// Only from A to B seconds
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<TimeRange>,
    /// Start over at the end
    #[arg(long, conflicts_with = "ping_pong")]
    r#loop: bool,
    /// Turn round at the end
    #[arg(long)]
    ping_pong: bool,
    /// From where to look
    #[arg(long, value_enum, default_value_t)]
    view: View,
    /// A line for each event, also in a terminal
    #[arg(long)]
    events: bool,
    /// All events at once, each on a line
    #[arg(long, conflicts_with_all = ["loop", "ping_pong"])]
    no_wait: bool,
    /// How to print events
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

fn speed(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(speed) if SPEEDS.contains(&speed.abs()) => Ok(speed),
        _ => {
            let (least, most) = (SPEEDS.start(), SPEEDS.end());
            Err(format!(
                "expected a number from {least} to {most}, or its negative"
            ))
        }
    }
}

/// No eye follows a recording that runs faster, or sees one move that runs slower.
const SPEEDS: RangeInclusive<f64> = 1.0 / 64.0..=64.0;

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.path, limits)?;
    let recording = input.recording(limits)?;
    let summary = Summary::of(&recording);
    let damage = warn_of_damage(&recording, &summary, input.name(), |_| true);
    let mut player = Player::new(input.sampler(&recording)?);
    let whole = player.range();
    if let Some(range) = &args.time {
        let range = range.within(whole);
        if range.start > range.end {
            let message = format!("the recording is from {} s to {} s", whole.start, whole.end);
            return Err(Refusal::failure(
                message,
                "--time has to lie in it, or name both ends",
            ));
        }
        if range.start < whole.start || range.end > whole.end {
            warn(format_args!(
                "{}: --time goes beyond the recording, from {} s to {} s: its curves' wrap modes hold there",
                input.name(),
                whole.start,
                whole.end
            ));
        }
        player.set_range(range);
    }
    player.set_rate(args.speed);
    player.set_ending(match (args.r#loop, args.ping_pong) {
        (true, _) => Ending::Loop,
        (_, true) => Ending::PingPong,
        _ => Ending::Hold,
    });
    player.play();
    if args.events || args.no_wait || args.format != Format::Table || !is_interactive() {
        if io::stdout().is_terminal() && !io::stdin().is_terminal() && !args.events {
            warn("keys cannot be read from where the recording comes from: events only");
        }
        lines::run(player, args.no_wait, args.format)?;
    } else {
        let title = format!("{}  {}", input.name(), recording.layout);
        terminal::run(Show::new(title, damage, player, &summary, args.view))?;
    }
    Ok(Outcome::Done)
}

/// Whether someone can look and press keys.
fn is_interactive() -> bool {
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !is_dumb
}
