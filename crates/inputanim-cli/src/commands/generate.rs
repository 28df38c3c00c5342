//! `inputanim generate`

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::{Joint, Layout, Limits, PoseChannel, RayChannel};
use inputanim_motion::{Motion, Scene};

use crate::arguments::time_range::duration;
use crate::arguments::values::{layouts, rate};
use crate::files::in_out::Target;
use crate::messages::outcome::{Outcome, Refusal};

/// Generate a recording of synthetic motion, for tests and demonstrations
#[derive(Debug, clap::Args)]
#[command(after_help = "\
`wave`, `pinch-drag` and `reach` show mainly one gesture; `two-hands` shows all of them with both hands. A \
recording contains the head, all joints of both hands, pinches, the gaze, and a marker at the start of \
each gesture. The motion is computed, not recorded from a person.

The same scene, seed, duration, rate and layout give the same bytes on every machine. The gaze and the markers \
are omitted if the layout cannot store them.

Examples:
  inputanim generate two-hands -o take.bin
  inputanim generate pinch-drag --seconds 60 --seed 7 -o pinches.bin")]
pub(crate) struct Args {
    /// The motion to generate
    #[arg(value_name = "SCENE", value_parser = scenes())]
    scene: Scene,
    #[command(flatten)]
    target: Target,
    /// Duration of the recording
    #[arg(long, value_name = "TIME", default_value_t = 10.0, value_parser = seconds, allow_negative_numbers = true)]
    seconds: f32,
    /// Seed of the random variation; another seed gives another motion of the same kind
    #[arg(long, value_name = "NUMBER", default_value_t = 1)]
    seed: u64,
    /// Frames per second, in Hz
    #[arg(long, value_name = "HZ", default_value_t = 60.0, value_parser = rate, allow_negative_numbers = true)]
    rate: f64,
    /// The layout to write
    #[arg(long, value_name = "LAYOUT", default_value_t = Layout::Mrtk1_1, value_parser = layouts())]
    layout: Layout,
}

fn scenes() -> impl TypedValueParser<Value = Scene> {
    PossibleValuesParser::new(Scene::ALL.iter().map(|scene| scene.name()))
        .try_map(|name| name.parse::<Scene>())
}

fn seconds(text: &str) -> Result<f32, String> {
    match duration(text)? {
        seconds if seconds <= Motion::MAX_SECONDS => Ok(seconds),
        _ => Err("expected at most 24 hours".to_owned()),
    }
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.target.check(&[], "generated")?;
    refuse_oversize(args, limits)?;
    let motion = Motion::new(args.scene, args.seed, args.seconds);
    let recording = motion.record(args.rate as f32, args.layout);
    let made = format!("generated {}", args.scene.name());
    args.target.write_and_summarize(&made, &recording)
}

/// The number of float curves that may have a key in every frame: all except the curves of the
/// joint `None`.
// States have keys only where they change, too few to count.
const CURVES: usize =
    PoseChannel::ALL.len() * (1 + 2 * (Joint::ALL.len() - 1)) + RayChannel::ALL.len();

/// Fails if the recording may be too large to be read within the limits.
fn refuse_oversize(args: &Args, limits: &Limits) -> anyhow::Result<()> {
    // An upper bound, as if both hands were tracked throughout: the motion is not known before it
    // is generated.
    let frames = f64::from(args.seconds) * args.rate + 1.0;
    let keys = frames * CURVES as f64;
    let bytes = keys * args.layout.key_kind().size() as f64;
    if keys <= limits.max_keys as f64 && bytes <= limits.max_bytes as f64 {
        return Ok(());
    }
    let (seconds, rate, gigabytes) = (args.seconds, args.rate, bytes / 1e9);
    Err(Refusal::failure(
        format!("{seconds} s at {rate} Hz may need {gigabytes:.1} GB, which exceeds the limits"),
        "lower --seconds or --rate, or lift the limits with --no-limits",
    ))
}
