//! `inputanim play`: a recording in real time, drawn in the terminal, or its events line by line.

mod lines;
mod screen;
mod state;
mod terminal;
mod view;

use std::io::{self, IsTerminal};
use std::ops::RangeInclusive;
use std::path::PathBuf;

use inputanim::Limits;
use inputanim::doctor::{self, Finding};
use inputanim::info::Info;
use inputanim::{EndAction, Player};

use crate::arguments::time_range::{TIMES, within};
use crate::files::input::Input;
use crate::messages::diagnostics::{warn, warn_of_damage};
use crate::messages::outcome::Outcome;
use crate::results::report_format::ReportFormat;
use inputanim::RelativeTimeRange;

use state::PlayState;
use view::View;

/// Play a recording in the terminal
#[derive(Debug, clap::Args)]
#[command(after_help = format!("\
Keys: space pauses; left and right seek by one second; comma and period step by one frame (1/60 s); \
[ and ] go to the previous and the next marker; up and down double and halve the speed; r reverses the \
direction; l selects the action at the end (stop, start again, reverse); v changes the view; z switches \
the zoom between the hands and the complete scene; 0 or Home goes to the start, End to the end; q quits.

Without a terminal, or with --transitions, play prints one line for each transition at its time: hands found \
and lost, pinches, markers, and of devices: connected and disconnected, profiles, buttons that are pressed and \
released, haptic pulses. The first lines are the states at the start.

{TIMES}

Examples:
  inputanim play take.bin --view top --loop
  inputanim play take.bin --no-wait --format csv > transitions.csv"))]
pub(crate) struct Args {
    /// The recording (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    /// Speed, from 1/64 to 64; 1 is real time, negative values play backwards
    #[arg(long, default_value_t = 1.0, value_parser = speed, allow_hyphen_values = true)]
    #[arg(value_name = "TIMES")]
    speed: f64,
    /// Play only this time range
    #[arg(long, value_name = "A..B", allow_hyphen_values = true)]
    time: Option<RelativeTimeRange>,
    /// Start again when the end is reached
    #[arg(long, conflicts_with = "ping_pong")]
    r#loop: bool,
    /// Reverse the direction at each end
    #[arg(long)]
    ping_pong: bool,
    /// Direction of view
    #[arg(long, value_enum, default_value_t)]
    view: View,
    /// Print one line for each transition, even in a terminal
    #[arg(long)]
    transitions: bool,
    /// Print all transitions at once, without waiting for their times
    #[arg(long, conflicts_with_all = ["loop", "ping_pong"])]
    no_wait: bool,
    /// Format of the transitions
    #[arg(long, value_enum, default_value_t)]
    format: ReportFormat,
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

/// Beyond these speeds nobody can follow a recording, or see it move.
const SPEEDS: RangeInclusive<f64> = 1.0 / 64.0..=64.0;

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let input = Input::open(&args.path, limits)?;
    let recording = input.recording(limits)?;
    let info = Info::of(&recording);
    let findings = doctor::damage(&recording, |_| true);
    warn_of_damage(&findings, input.name());
    let damage = Finding::codes(&findings);
    let mut player = Player::new(input.sampler(&recording)?);
    if let Some(range) = args.time {
        let range = within(range, &recording, input.name())?;
        player.set_range(range.closed_by(player.range()));
    }
    player.set_rate(args.speed);
    player.set_ending(match (args.r#loop, args.ping_pong) {
        (true, _) => EndAction::Loop,
        (_, true) => EndAction::PingPong,
        _ => EndAction::Hold,
    });
    player.play();
    if args.transitions || args.no_wait || args.format != ReportFormat::Table || !is_interactive() {
        if io::stdout().is_terminal() && !io::stdin().is_terminal() && !args.transitions {
            warn(
                "standard input contains the recording, so no keyboard is available: printing transitions",
            );
        }
        lines::run(player, args.no_wait, args.format)?;
    } else {
        let title = format!("{}  {}", input.name(), recording.layout);
        terminal::run(PlayState::new(
            title, damage, player, &recording, &info, args.view,
        ))?;
    }
    Ok(Outcome::Done)
}

/// Returns `true` if standard input and output are a terminal that can show pictures.
fn is_interactive() -> bool {
    // A dumb terminal cannot move its cursor.
    let is_dumb = std::env::var_os("TERM").is_some_and(|name| name == "dumb");
    io::stdout().is_terminal() && io::stdin().is_terminal() && !is_dumb
}
