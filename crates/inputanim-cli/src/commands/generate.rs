//! `inputanim generate`

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use inputanim::{Joint, Layout, Limits, PoseChannel, RayChannel};
use inputanim_motion::{Motion, Scene};

use crate::in_out::Target;
use crate::outcome::{Outcome, Refusal};
use crate::values::{layouts, rate};

/// Make a recording of generated motion, for tests and demonstrations
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Scenes: `wave`, `pinch-drag` and `reach` are mostly about one gesture; in `two-hands` both hands do \
all of them at once. There is a head, both hands with their joints and pinches, eyes, and a marker \
where a gesture begins. No person moved so.

The same scene, seed, length and rate give the same file, byte for byte, on every machine. What a \
layout has no place for, gaze or markers, is left out.

Examples:
  inputanim generate two-hands -o take.bin
  inputanim generate pinch-drag --seconds 60 --seed 7 -o pinches.bin")]
pub(crate) struct Args {
    /// What to show
    #[arg(value_name = "SCENE", value_parser = scenes())]
    scene: Scene,
    #[command(flatten)]
    target: Target,
    /// How long it is
    #[arg(long, value_name = "SECONDS", default_value_t = 10.0, value_parser = seconds, allow_negative_numbers = true)]
    seconds: f32,
    /// Another number makes other motion of the same kind
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Frames per second
    #[arg(long, value_name = "HZ", default_value_t = 60.0, value_parser = rate, allow_negative_numbers = true)]
    rate: f64,
    /// The layout to write
    #[arg(long, value_name = "LAYOUT", default_value_t = Layout::Mrtk1_1, value_parser = layouts())]
    layout: Layout,
}

fn scenes() -> impl TypedValueParser<Value = Scene> {
    let value = |scene: Scene| match scene {
        Scene::PinchDrag => PossibleValue::new(scene.name()).alias("pinch"),
        scene => PossibleValue::new(scene.name()),
    };
    let scene = |name: String| match name.as_str() {
        "pinch" => Ok(Scene::PinchDrag),
        name => name.parse::<Scene>(),
    };
    PossibleValuesParser::new(Scene::ALL.map(value)).try_map(scene)
}

fn seconds(text: &str) -> Result<f32, String> {
    match text.parse::<f32>() {
        Ok(seconds) if seconds > 0.0 && seconds <= Motion::LONGEST => Ok(seconds),
        _ => Err("expected a number above 0, and at most 86400, which is a day".to_owned()),
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.target.check()?;
    refuse_too_much(args, limits)?;
    let motion = Motion::new(args.scene, args.seed, args.seconds);
    let take = motion.record(args.rate as f32, args.layout);
    args.target.write(&take)?;
    Ok(Outcome::Done)
}

/// Float curves that have a key in every frame at most: all but those of the entry None.
const CURVES: usize =
    PoseChannel::ALL.len() * (1 + 2 * (Joint::ALL.len() - 1)) + RayChannel::ALL.len();

/// Refuses what would take more memory than a recording that is read may take.
fn refuse_too_much(args: &Args, limits: &Limits) -> anyhow::Result<()> {
    let frames = f64::from(args.seconds) * args.rate + 1.0;
    let keys = frames * CURVES as f64;
    let bytes = keys * args.layout.key_kind().size() as f64;
    if keys <= limits.max_keys as f64 && bytes <= limits.max_bytes as f64 {
        return Ok(());
    }
    let (seconds, rate, gigabytes) = (args.seconds, args.rate, bytes / 1e9);
    Err(Refusal::failure(
        format!(
            "{seconds} s at {rate} Hz may take {gigabytes:.1} GB: more than recordings may take"
        ),
        "lower --seconds or --rate; --no-limits makes it all the same",
    ))
}
