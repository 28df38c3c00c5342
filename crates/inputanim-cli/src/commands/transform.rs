//! `inputanim transform`

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow};
use clap::builder::TypedValueParser;
use inputanim::edit::{Anchor, Origin, TransformSteps};
use inputanim::{Limits, Recording};
use serde_json::{Map, Value};

use crate::arguments::values::one_of;
use crate::files::batch::Job;
use crate::files::in_out::{Change, InOut};
use crate::messages::hints;
use crate::messages::outcome::{Outcome, Refusal};

/// Move, rotate and scale a recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The steps are applied in this order: --origin, --scale, --yaw, --rotate, --move, --anchor. Scaling and \
rotation are about the origin (0, 0, 0). Axes are Unity's: +X right, +Y up, +Z forward.

--origin moves the head at t = 0 to the origin. `head` keeps it upright: it then looks along +Z. `floor` \
does the same, but keeps all heights. `pose` also removes the tilt of the head.

An anchor file contains the pose of an anchor in the world, as JSON: \
{\"position\": [x, y, z], \"rotation\": [x, y, z, w], \"scale\": 1}, in metres and as a quaternion; rotation \
and scale are optional. --anchor converts a recording that is relative to the anchor to world space; with \
--inverse, it converts world space to the space of the anchor.

Examples:
  inputanim transform take.bin --origin floor -o at-origin.bin
  inputanim transform take.bin --origin head --move 0,1.6,0 --yaw 90 -o facing-right.bin
  inputanim transform take.bin --anchor anchor.json -o in-world-space.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    how: TransformArgs,
    /// Apply the inverse of the complete transform
    #[arg(long)]
    inverse: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct TransformArgs {
    /// Move the head at t = 0 to the origin first
    #[arg(long, value_name = "ORIGIN", value_parser = origins())]
    origin: Option<Origin>,
    /// Scale by this factor, about the origin
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Rotate about the vertical axis, in degrees; positive is clockwise seen from above
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    yaw: Option<f64>,
    /// Rotate by a quaternion
    #[arg(long, value_name = "X,Y,Z,W", value_parser = numbers::<4>, allow_hyphen_values = true)]
    rotate: Option<Numbers<4>>,
    /// Move by this vector, in metres
    #[arg(long = "move", value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    by: Option<Numbers<3>>,
    /// Convert from the space of the anchor in this JSON file to world space
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
}

fn origins() -> impl TypedValueParser<Value = Origin> {
    one_of(Origin::ALL, Origin::name, |origin| match origin {
        Origin::Head => "The position and heading of the head",
        Origin::Floor => "The point on the floor below the head, and its heading",
        Origin::Pose => "The complete pose of the head, with its tilt",
        other => other.name(),
    })
}

type Numbers<const N: usize> = [f64; N];

fn numbers<const N: usize>(text: &str) -> Result<Numbers<N>, String> {
    let parts: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    let numbers = parts.and_then(|parts| <[f64; N]>::try_from(parts).ok());
    numbers.ok_or_else(|| format!("expected {N} numbers, separated by commas"))
}

/// Reads the pose of an anchor from a JSON file. Fails if the file has no `position`, so that an empty object is not an
/// anchor.
fn read_anchor(path: &Path) -> anyhow::Result<Anchor> {
    let context = || format!("cannot read the anchor {}", path.display());
    let file = File::open(path).with_context(context)?;
    let fields: Map<String, Value> =
        serde_json::from_reader(limited(file)).with_context(context)?;
    if !fields.contains_key("position") {
        return Err(anyhow!("missing field `position`")).with_context(context);
    }
    let anchor: Anchor = serde_json::from_value(fields.into()).with_context(context)?;
    anchor.transform().map_err(|error| {
        let message = format!("{}: {error}", path.display());
        Refusal::failure(message, hints::of_argument(&error))
    })?;
    Ok(anchor)
}

/// Returns a reader of the first 64 KiB of a file; an anchor is far smaller.
fn limited(file: File) -> impl std::io::Read {
    use std::io::Read;
    const MAX_BYTES: u64 = 1 << 16;
    std::io::BufReader::new(file.take(MAX_BYTES))
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut steps = TransformSteps::default();
    steps.origin = args.how.origin;
    steps.scale = args.how.scale;
    steps.yaw = args.how.yaw;
    steps.rotate = args.how.rotate;
    steps.move_by = args.how.by;
    steps.anchor = args.how.anchor.as_deref().map(read_anchor).transpose()?;
    steps.inverse = args.inverse;
    // A changed anchor file makes the outputs of an earlier batch outdated.
    let options = (args, steps.anchor);
    let no_facts = |_: &Recording<'_>, _: &Job| Ok(Change::default());
    args.io
        .edit(limits, "transformed", &options, steps, no_facts)
}
