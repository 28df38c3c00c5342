//! `inputanim markers rename`

use inputanim::Limits;
use inputanim::edit::markers;
use inputanim::marker_names::matches;

use crate::arguments::names::require_marker;
use crate::files::in_out::{Change, InOut};
use crate::files::triggers::{TriggerArgs, note_unnamed};
use crate::messages::outcome::Outcome;
use crate::messages::text::count;

use super::require_index;

/// Rename markers
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Examples:
  inputanim markers rename take.bin --name grap --new-name grab -o right.bin
  inputanim markers rename take.bin --index 2 --new-name release -o right.bin
  inputanim markers rename take.bin --rename 11=start --rename 12=stop -o named.bin
  inputanim markers rename take.bin --triggers triggers.csv -o named.bin")]
pub(super) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    filter: MarkerFilter,
    /// The new name
    #[arg(long, value_name = "NEW", allow_hyphen_values = true)]
    #[arg(required_unless_present_any = ["rename", "triggers"], conflicts_with_all = ["rename", "triggers"])]
    new_name: Option<String>,
    #[command(flatten)]
    triggers: TriggerArgs,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false)]
struct MarkerFilter {
    /// Rename all markers with this name; `*` stands for any characters, and `?` for one
    #[arg(long, value_name = "OLD", allow_hyphen_values = true)]
    #[arg(required_unless_present_any = ["index", "rename", "triggers"], conflicts_with_all = ["rename", "triggers"])]
    name: Option<String>,
    /// Rename the marker with this index in `markers list`
    #[arg(long, value_name = "N", conflicts_with_all = ["rename", "triggers"])]
    index: Option<usize>,
}

pub(super) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let MarkerFilter { name: old, index } = &args.filter;
    let Some(new_name) = &args.new_name else {
        return name_triggers(args, limits);
    };
    args.io.change(limits, "edited", args, |recording, _| {
        if let Some(name) = old {
            require_marker(&recording.markers, name)?;
        }
        if let &Some(index) = index {
            require_index(recording, index)?;
        }
        let is_named = |name: &str| old.as_ref().is_some_and(|old| matches(old, name));
        let is_meant = |at, name: &str| *index == Some(at) || is_named(name);
        let renamed = markers::rename(
            recording,
            |at, marker| is_meant(at, &marker.name),
            new_name.clone(),
        );
        Ok(Change::with(format!(
            "{} renamed",
            count(renamed, "marker")
        )))
    })
}

/// Renames the markers that are triggers. A note counts the triggers without a name.
fn name_triggers(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let names = args.triggers.names(limits)?;
    let options = (args, &names);
    args.io
        .change(limits, "edited", &options, |recording, job| {
            let report = markers::name_triggers(recording, &names);
            let file = job.input.display().to_string();
            note_unnamed(&file, &report);
            args.triggers.note_unused(&file, &report.unused);
            Ok(Change::with(format!(
                "{} renamed",
                count(report.renamed, "marker")
            )))
        })
}
