//! `inputanim markers rename`

use inputanim::Limits;
use inputanim::edit::markers;

use crate::in_out::InOut;
use crate::outcome::Outcome;

use super::{require_index, require_name};

/// Give markers another name
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  inputanim markers rename take.bin --from grap --to grab -o right.bin
  inputanim markers rename take.bin --index 2 --to release -o right.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    which: Which,
    /// The new name
    #[arg(long, value_name = "NEW", allow_hyphen_values = true)]
    to: String,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
struct Which {
    /// All of this name
    #[arg(long, value_name = "OLD", allow_hyphen_values = true)]
    from: Option<String>,
    /// That of this index, as `markers list` counts
    #[arg(long, value_name = "N")]
    index: Option<usize>,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let Which { from, index } = &args.which;
    args.io.change(limits, |recording| {
        if let Some(name) = from {
            require_name(recording, name)?;
        }
        if let &Some(index) = index {
            require_index(recording, index)?;
        }
        let is_meant = |at, name: &str| *index == Some(at) || from.as_deref() == Some(name);
        markers::rename(
            recording,
            |at, marker| is_meant(at, &marker.name),
            args.to.clone(),
        );
        Ok(Outcome::Done)
    })
}
