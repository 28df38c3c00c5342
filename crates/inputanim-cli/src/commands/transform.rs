//! `inputanim transform`

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use inputanim::edit::{self, Transform};
use inputanim::{Limits, Pose, Recording, Sampler};
use serde::Deserialize;

use crate::in_out::{Change, InOut};
use crate::outcome::{Outcome, Refusal};

/// Move, rotate and scale a recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The steps are applied in this order: --origin, --scale, --turn, --rotate, --move, --anchor. Scaling and \
rotation are about the origin (0, 0, 0). Axes are Unity's: +X right, +Y up, +Z forward.

--origin moves the head at t = 0 to the origin. `head` keeps it upright: it then looks along +Z. `floor` \
does the same, but keeps all heights. `pose` also removes the tilt of the head.

An anchor file contains the pose of an anchor in the world, as JSON: \
{\"position\": [x, y, z], \"rotation\": [x, y, z, w], \"scale\": 1}, in metres and as a quaternion; rotation \
and scale are optional. --anchor converts a recording that is relative to the anchor to world space; with \
--inverse, it converts world space to the space of the anchor.

Examples:
  inputanim transform take.bin --origin floor -o at-origin.bin
  inputanim transform take.bin --origin head --move 0,1.6,0 --turn 90 -o facing-right.bin
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
    #[arg(long, value_enum, value_name = "ORIGIN")]
    origin: Option<Origin>,
    /// Scale by this factor, about the origin
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Rotate about the vertical axis, in degrees; positive is clockwise seen from above
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    turn: Option<f64>,
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

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Origin {
    /// The position and heading of the head.
    Head,
    /// The point on the floor below the head, and its heading.
    Floor,
    /// The complete pose of the head, with its tilt.
    Pose,
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

/// The transform of an anchor in the world.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Anchor {
    position: [f64; 3],
    #[serde(default = "no_rotation")]
    rotation: [f64; 4],
    #[serde(default = "no_scale")]
    scale: f64,
}

const fn no_rotation() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

const fn no_scale() -> f64 {
    1.0
}

impl Anchor {
    fn read(path: &Path) -> anyhow::Result<Transform> {
        let context = || format!("cannot read the anchor {}", path.display());
        let file = File::open(path).with_context(context)?;
        let anchor: Anchor = serde_json::from_reader(limited(file)).with_context(context)?;
        // A quaternion of zeros cannot be normalised, and a scale of 0 cannot be inverted.
        if anchor.rotation.iter().all(|part| *part == 0.0) || anchor.scale <= 0.0 {
            let message = format!(
                "invalid anchor {}: its rotation must not be 0, and its scale must be above 0",
                path.display()
            );
            let hint = "use the rotation [0, 0, 0, 1] and the scale 1 to change neither";
            return Err(Refusal::failure(message, hint));
        }
        Ok(Transform::from_scale(anchor.scale)
            .then(&Transform::from_rotation(anchor.rotation))
            .then(&Transform::from_translation(anchor.position)))
    }
}

/// Limits how much of a file is read; an anchor is far smaller.
fn limited(file: File) -> impl std::io::Read {
    use std::io::Read;
    const MAX_BYTES: u64 = 1 << 16;
    std::io::BufReader::new(file.take(MAX_BYTES))
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if let Some(length) = args.how.rotate.map(length)
        && !(length - 1.0).abs().le(&MAX_ROUNDING)
    {
        let message =
            format!("invalid quaternion in --rotate: its length is {length:.3}, expected 1");
        let hint = "for degrees use --turn; 0,0,0,1 is the identity rotation";
        return Err(Refusal::usage(message, hint));
    }
    let anchor = args.how.anchor.as_deref().map(Anchor::read).transpose()?;
    // A changed anchor file makes the outputs of an earlier batch outdated.
    let options = (args, anchor);
    args.io
        .change(limits, "transformed", &options, |recording, _| {
            let transform = args.how.transform(recording, anchor)?;
            let transform = if args.inverse {
                transform.inverse()
            } else {
                transform
            };
            edit::transform(recording, &transform)?;
            Ok(Change::default())
        })
}

/// Quaternions are often written with two or three decimals.
const MAX_ROUNDING: f64 = 0.01;

fn length(rotation: Numbers<4>) -> f64 {
    rotation.iter().map(|part| part * part).sum::<f64>().sqrt()
}

impl TransformArgs {
    fn transform(
        &self,
        recording: &Recording<'_>,
        anchor: Option<Transform>,
    ) -> anyhow::Result<Transform> {
        let origin = self
            .origin
            .map(|origin| origin.find(recording))
            .transpose()?;
        // The steps are in the order that --help states; `then` applies the transform on its left
        // first.
        let steps = [
            origin.map(|origin| origin.inverse()),
            self.scale.map(Transform::from_scale),
            self.turn
                .map(|degrees| Transform::from_yaw(degrees.to_radians())),
            self.rotate.map(Transform::from_rotation),
            self.by.map(Transform::from_translation),
            anchor,
        ];
        let steps = steps.iter().flatten();
        Ok(steps.fold(Transform::IDENTITY, |all, step| all.then(step)))
    }
}

impl Origin {
    fn find(self, recording: &Recording<'_>) -> anyhow::Result<Transform> {
        let head = Sampler::new(recording)?.frame_at(0.0).camera;
        let head: Pose = head.ok_or_else(|| {
            let hint = "--move, --turn and --anchor do not need a head";
            Refusal::failure("cannot find the origin: the head is not recorded", hint)
        })?;
        // The head keeps its height above the new origin, because the origin is on the floor.
        let below = |pose: Pose| {
            let [x, _, z] = pose.position;
            Pose {
                position: [x, 0.0, z],
                ..pose
            }
        };
        Ok(match self {
            Origin::Head => Transform::upright(&head),
            Origin::Floor => Transform::upright(&below(head)),
            Origin::Pose => Transform::from(head),
        })
    }
}
