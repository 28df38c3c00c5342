//! `inputanim optimize`

mod allowed;
mod print;
mod report;

use std::io::{self, Write};
use std::path::Path;

use anstream::AutoStream;
use clap::ValueEnum;
use inputanim::Limits;
use inputanim::reduce::{Method, measure, reduce};
use inputanim::summary::Summary;

use crate::format::{Format, Rows};
use crate::in_out::InOut;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use allowed::Allowed;
use report::Optimized;

/// Make it smaller: take out the keys that a straight line explains
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Of every sample (key) it is checked that what plays at its time is within the bounds: joints, head \
and gaze, positions, rotations and directions. Standard error says what was saved, and how far what \
plays was found to be off. The keys that stay are as they were; markers, flips of states and both \
ends stay.

--position-mm and --rotation-deg are for everything, unless the head or the gaze has a bound of its \
own. Without them the bounds are the toolkit's thresholds: 1 mm and 0.2° of joints, 2 mm and 0.2° of \
head and gaze. 0 takes out only what changes nothing, `inf` leaves a quantity out.

Keep the recording as it was when you measure with it: what is taken out does not come back.

Examples:
  inputanim optimize take.bin -o small.bin
  inputanim optimize take.bin --position-mm 0.1 --rotation-deg 0.05 -o fine.bin
  inputanim optimize take.bin --method fewest -o smallest.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    allowed: Allowed,
    /// How to choose the keys
    #[arg(long, value_enum, value_name = "HOW", default_value_t)]
    method: MethodName,
    /// Samples of a partition of the toolkit's method; 0: all in one [default: 32]
    #[arg(long, value_name = "COUNT")]
    partition: Option<usize>,
    /// Let keys have tangents where that takes fewer of them: for layouts with full keys
    #[arg(long, visible_alias = "bezier")]
    tangents: bool,
    /// How to print what was done: the table goes to standard error, all else to standard output
    #[arg(long, value_enum, default_value_t)]
    format: Format,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum MethodName {
    /// The longest line from each key, in one pass.
    #[default]
    OnePass,
    /// As few keys as there can be: about a hundredth less, and several times as long.
    Fewest,
    /// As the toolkit's recorder should do it: to compare with.
    Toolkit,
}

/// What the toolkit has by default.
const PARTITION: usize = 32;

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let with = args.allowed.reduction(args.method()?, args.tangents);
    args.refuse_what_collides()?;
    let mut done = None;
    let outcome = args.io.change(limits, |recording| {
        let whole = recording.clone();
        let left = reduce(recording, &with)?;
        let errors = measure(&whole, recording)?;
        allowed::refuse_beyond(&errors, &with)?;
        let (before, after) = (Summary::of(&whole), Summary::of(recording));
        done = Some(match after.bytes < before.bytes {
            true => Optimized::new(&args.io, &with, [&before, &after], &errors, left),
            false => {
                *recording = whole;
                let errors = measure(recording, recording)?;
                Optimized::new(&args.io, &with, [&before, &before], &errors, left)
            }
        });
        Ok(Outcome::Done)
    })?;
    let Some(optimized) = done else {
        return Ok(outcome);
    };
    match Rows::new(args.format, io::stdout().lock()) {
        Ok(mut rows) => {
            rows.push(&optimized, || optimized.rows())?;
            rows.finish()?;
        }
        Err(_) => {
            let mut output = AutoStream::auto(io::stderr().lock());
            print::optimized(&mut output, &optimized)?;
            output.flush()?;
        }
    }
    Ok(outcome)
}

impl Args {
    fn method(&self) -> anyhow::Result<Method> {
        if self.partition.is_some() && self.method != MethodName::Toolkit {
            let message = "only the toolkit's method has partitions";
            return Err(Refusal::usage(
                message,
                "--method toolkit, or no --partition",
            ));
        }
        Ok(match self.method {
            MethodName::OnePass => Method::OnePass,
            MethodName::Fewest => Method::Fewest,
            MethodName::Toolkit => Method::Toolkit {
                partition: self.partition.unwrap_or(PARTITION),
            },
        })
    }

    /// Before anything is done.
    fn refuse_what_collides(&self) -> anyhow::Result<()> {
        let target = &self.io.target;
        if target.output == Path::new("-") && self.format != Format::Table {
            let message = "standard output cannot take two things at once";
            return Err(Refusal::usage(message, "name a file after -o"));
        }
        output::check(&target.output, target.force)
    }
}
