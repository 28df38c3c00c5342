//! `inputanim fill`

use anstream::eprintln;
use clap::ValueEnum;
use inputanim::edit::{self, Filling, Gap, GapFill};
use inputanim::{Limits, Side};

use crate::in_out::InOut;
use crate::outcome::Outcome;
use crate::text::{count, seconds, wrapped};

/// Fill short times in which a hand was not tracked
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A gap is a time in which a hand is not tracked between two in which it is. What the hand did then is \
not known: interpolate and hold make it up. Standard error lists the gaps that were filled and those \
that were too long. Pinches stay as they are.

Examples:
  inputanim fill take.bin --with interpolate -o closed.bin
  inputanim fill take.bin --with hold --longest 0.2 --hand left -o held.bin
  inputanim fill take.bin --with drop -o still.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// With what
    #[arg(long, value_name = "WAY")]
    with: With,
    /// The longest gap that is filled, in seconds [default: 0.5, and any with drop]
    #[arg(long, value_name = "SECONDS", allow_negative_numbers = true)]
    longest: Option<f64>,
    /// Only those of one hand
    #[arg(long)]
    hand: Option<Hand>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum With {
    /// Stays untracked; joints stay where they were lost until they are found
    Drop,
    /// Counts as tracked; joints stay where they were lost until they are found
    Hold,
    /// Counts as tracked; joints go straight from where they were lost to where they are found
    Interpolate,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Hand {
    Left,
    Right,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut how = GapFill::new(match args.with {
        With::Drop => Filling::Drop,
        With::Hold => Filling::Hold,
        With::Interpolate => Filling::Interpolate,
    });
    how.longest = args.longest.unwrap_or(how.longest);
    how.side = args.hand.map(|hand| match hand {
        Hand::Left => Side::Left,
        Hand::Right => Side::Right,
    });
    args.io.change(limits, |recording| {
        let gaps = edit::fill(recording, &how)?;
        if gaps.filled.is_empty() && gaps.too_long.is_empty() {
            eprintln!("there is no gap");
        }
        for side in Side::BOTH {
            tell(side, "filled", "", &gaps.filled);
            let longer = format!(" of more than {} s", how.longest);
            tell(side, "passed over", &longer, &gaps.too_long);
        }
        Ok(Outcome::Done)
    })
}

/// How many gaps are listed.
const LISTED: usize = 20;

fn tell(side: Side, what: &str, which: &str, gaps: &[Gap]) {
    let gaps: Vec<&Gap> = gaps.iter().filter(|gap| gap.side == side).collect();
    if gaps.is_empty() {
        return;
    }
    let span = |gap: &&Gap| {
        let (start, end) = (seconds(gap.span.start), seconds(gap.span.end));
        format!("{start}–{end} ({} s)", seconds(gap.span.length()))
    };
    let mut spans = gaps
        .iter()
        .take(LISTED)
        .map(span)
        .collect::<Vec<_>>()
        .join(", ");
    if gaps.len() > LISTED {
        spans += &format!(", and {} more", gaps.len() - LISTED);
    }
    let text = format!("{what} {}{which}: {spans}", count(gaps.len(), "gap"));
    let label = format!("{:<7}", side.name());
    eprintln!("{}", wrapped(&label, 7, &text));
}
