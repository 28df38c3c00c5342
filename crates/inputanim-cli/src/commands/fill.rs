//! `inputanim fill`

use clap::builder::TypedValueParser;
use inputanim::edit::{EditReport, Fill, FillMethod, Gap};
use inputanim::{Limits, Side};

use crate::arguments::time_range::duration_or_any;
use crate::arguments::values::{Hand, one_of};
use crate::files::in_out::{Change, InOut, checked};
use crate::messages::outcome::Outcome;
use crate::messages::text::{count, seconds, wrapped};

/// Fill short gaps in which a hand was not tracked
#[derive(Debug, clap::Args)]
#[command(after_help = "\
A gap is a period without tracking between two periods with tracking. The motion of the hand in a gap is \
unknown: the poses that `hold` and `interpolate` add are not measurements. The command prints the gaps \
that it fills, and those that are too long, to standard error. The pinch state does not change.

Examples:
  inputanim fill take.bin --with interpolate -o closed.bin
  inputanim fill take.bin --with hold --longest 200ms --hand left -o held.bin
  inputanim fill take.bin --with drop -o still.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// The method that fills each gap
    #[arg(long, value_name = "METHOD", value_parser = methods())]
    with: FillMethod,
    /// Fill gaps of at most this length; `inf` for all [default: 0.5; inf with drop]
    #[arg(long, value_name = "TIME", value_parser = duration_or_any, allow_negative_numbers = true)]
    longest: Option<f32>,
    /// The hands whose gaps are filled [default: both]
    #[arg(long, value_name = "HAND")]
    hand: Option<Hand>,
}

fn methods() -> impl TypedValueParser<Value = FillMethod> {
    one_of(FillMethod::ALL, FillMethod::name, |method| match method {
        FillMethod::Drop => "The hand stays untracked; the joints hold their last pose",
        FillMethod::Hold => "The hand becomes tracked; the joints hold their last pose",
        FillMethod::Interpolate => {
            "The hand becomes tracked; the joints move linearly from their last pose to the next"
        }
        other => other.name(),
    })
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut fill = Fill::new(args.with);
    fill.max_length = args.longest;
    fill.hand = args.hand.and_then(Hand::side);
    let edit = checked(fill)?;
    args.io.change(limits, "filled", args, |recording, _| {
        let EditReport::Fill(gaps) = edit.apply(recording, limits)? else {
            unreachable!("`Fill` reports gaps");
        };
        let mut change = Change::default();
        let (filled, too_long) = (gaps.filled.len(), gaps.too_long.len());
        if filled > 0 || too_long == 0 {
            change
                .facts
                .push(format!("{} filled", count(filled, "gap")));
        }
        if too_long > 0 {
            change
                .facts
                .push(format!("{} skipped", count(too_long, "longer gap")));
        }
        change.is_copy = gaps.filled.is_empty();
        let longest = args.longest.unwrap_or(args.with.max_length());
        let longer = format!(" longer than {longest} s");
        let lines = Side::BOTH.into_iter().flat_map(|side| {
            [
                gap_line(side, "filled", "", &gaps.filled),
                gap_line(side, "skipped", &longer, &gaps.too_long),
            ]
        });
        change.details = lines.flatten().collect::<Vec<_>>().join("\n");
        Ok(change)
    })
}

/// The number of gaps that are listed.
const LISTED: usize = 20;

fn gap_line(side: Side, what: &str, which: &str, gaps: &[Gap]) -> Option<String> {
    let gaps: Vec<&Gap> = gaps.iter().filter(|gap| gap.side == side).collect();
    if gaps.is_empty() {
        return None;
    }
    let range = |gap: &&Gap| {
        let (start, end) = (seconds(gap.range.start), seconds(gap.range.end));
        format!("{start}–{end} ({} s)", seconds(gap.range.length()))
    };
    let mut ranges = gaps
        .iter()
        .take(LISTED)
        .map(range)
        .collect::<Vec<_>>()
        .join(", ");
    if gaps.len() > LISTED {
        ranges += &format!(", and {} more", gaps.len() - LISTED);
    }
    let text = format!("{what} {}{which}: {ranges}", count(gaps.len(), "gap"));
    let label = format!("{:<7}", side.name());
    Some(wrapped(&label, 7, &text))
}
