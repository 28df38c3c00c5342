//! `inputanim place`

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::ValueEnum;
use inputanim::edit::{self, Placement};
use inputanim::{Limits, Pose, Recording, Sampler};
use serde::Deserialize;

use crate::in_out::InOut;
use crate::outcome::{Outcome, Refusal};

/// Move, turn and scale a whole recording
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Done in this order: --origin makes what it names the origin; --scale scales about the origin; --turn \
and --rotate turn about it; --move moves; --anchor goes from the axes of an anchor to those of the \
world. Axes are Unity's: +X right, +Y up, +Z forward.

Origins: `head` is the head at t = 0, upright, so that it looks along +Z from (0, 0, 0); `floor` is \
the same, but heights stay as they are; `pose` is the head at t = 0 as it is tilted.

An anchor file is JSON: {\"position\": [x, y, z], \"rotation\": [x, y, z, w], \"scale\": 1}, in metres and \
as a quaternion, the last two optional: where an anchor is in the world, for a recording whose \
numbers are relative to it. --inverse goes from the world to the anchor.

Examples:
  inputanim place take.bin --origin floor -o at-origin.bin
  inputanim place take.bin --origin head --move 0,1.6,0 --turn 90 -o facing-right.bin
  inputanim place take.bin --anchor room.json -o in-the-room.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    #[command(flatten)]
    how: How,
    /// Do the opposite of all that
    #[arg(long)]
    inverse: bool,
}

#[derive(Debug, clap::Args)]
#[group(required = true, multiple = true)]
struct How {
    /// Make this the origin first
    #[arg(long, value_enum, value_name = "WHAT")]
    origin: Option<Origin>,
    /// Make it so many times as large
    #[arg(long, value_name = "FACTOR", allow_negative_numbers = true)]
    scale: Option<f64>,
    /// Turn about the vertical, in degrees; to the right, seen from above
    #[arg(long, value_name = "DEGREES", allow_negative_numbers = true)]
    turn: Option<f64>,
    /// Turn by a quaternion
    #[arg(long, value_name = "X,Y,Z,W", value_parser = numbers::<4>, allow_hyphen_values = true)]
    rotate: Option<Numbers<4>>,
    /// Move by metres
    #[arg(long = "move", value_name = "X,Y,Z", value_parser = numbers::<3>, allow_hyphen_values = true)]
    by: Option<Numbers<3>>,
    /// Go from an anchor's axes to those of the world
    #[arg(long, value_name = "FILE")]
    anchor: Option<PathBuf>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum Origin {
    /// The head at t = 0, upright.
    Head,
    /// Below the head at t = 0: heights stay.
    Floor,
    /// The head at t = 0, as it is tilted.
    Pose,
}

type Numbers<const N: usize> = [f64; N];

fn numbers<const N: usize>(text: &str) -> Result<Numbers<N>, String> {
    let parts: Option<Vec<f64>> = text
        .split(',')
        .map(|part| part.trim().parse().ok())
        .collect();
    let numbers = parts.and_then(|parts| <[f64; N]>::try_from(parts).ok());
    numbers.ok_or_else(|| format!("expected {N} numbers with commas between them"))
}

/// Where an anchor is in the world.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Anchor {
    position: [f64; 3],
    #[serde(default = "unturned")]
    rotation: [f64; 4],
    #[serde(default = "unscaled")]
    scale: f64,
}

const fn unturned() -> [f64; 4] {
    [0.0, 0.0, 0.0, 1.0]
}

const fn unscaled() -> f64 {
    1.0
}

impl Anchor {
    fn read(path: &Path) -> anyhow::Result<Placement> {
        let saying = || format!("cannot read the anchor {}", path.display());
        let file = File::open(path).with_context(saying)?;
        let anchor: Anchor = serde_json::from_reader(io(file)).with_context(saying)?;
        if anchor.rotation.iter().all(|part| *part == 0.0) || anchor.scale <= 0.0 {
            let message = format!("{}: its rotation or scale is 0", path.display());
            return Err(Refusal::failure(
                message,
                "0,0,0,1 turns nothing, and 1 scales nothing",
            ));
        }
        Ok(Placement::scaled(anchor.scale)
            .then(&Placement::turned(anchor.rotation))
            .then(&Placement::moved(anchor.position)))
    }
}

/// No more of a file than an anchor could ever need.
fn io(file: File) -> impl std::io::Read {
    use std::io::Read;
    const MOST: u64 = 1 << 16;
    std::io::BufReader::new(file.take(MOST))
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if args
        .how
        .rotate
        .is_some_and(|q| q.iter().all(|part| *part == 0.0))
    {
        let message = "0,0,0,0 is no rotation";
        return Err(Refusal::usage(message, "0,0,0,1 turns nothing"));
    }
    let anchor = args.how.anchor.as_deref().map(Anchor::read).transpose()?;
    args.io.change(limits, |recording| {
        let placement = args.how.placement(recording, anchor)?;
        let placement = match args.inverse {
            true => placement.inverse(),
            false => placement,
        };
        edit::place(recording, &placement)?;
        Ok(Outcome::Done)
    })
}

impl How {
    fn placement(
        &self,
        recording: &Recording<'_>,
        anchor: Option<Placement>,
    ) -> anyhow::Result<Placement> {
        let origin = self
            .origin
            .map(|origin| origin.find(recording))
            .transpose()?;
        let steps = [
            origin.map(|origin| origin.inverse()),
            self.scale.map(Placement::scaled),
            self.turn
                .map(|degrees| Placement::headed(degrees.to_radians())),
            self.rotate.map(Placement::turned),
            self.by.map(Placement::moved),
            anchor,
        ];
        let steps = steps.iter().flatten();
        Ok(steps.fold(Placement::IDENTITY, |all, step| all.then(step)))
    }
}

impl Origin {
    fn find(self, recording: &Recording<'_>) -> anyhow::Result<Placement> {
        let head = Sampler::new(recording)?.frame_at(0.0).camera;
        let head: Pose = head.ok_or_else(|| {
            let hint = "--move, --turn and --anchor need none";
            Refusal::failure("no head is recorded that could be the origin", hint)
        })?;
        let below = |pose: Pose| {
            let [x, _, z] = pose.position;
            Pose {
                position: [x, 0.0, z],
                ..pose
            }
        };
        Ok(match self {
            Origin::Head => Placement::upright(&head),
            Origin::Floor => Placement::upright(&below(head)),
            Origin::Pose => Placement::from(head),
        })
    }
}
