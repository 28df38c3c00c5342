//! `inputanim mirror`

use clap::builder::TypedValueParser;
use inputanim::edit::{Mirror, MirrorAcross};
use inputanim::{DeviceName, Limits, Recording, Side};

use crate::arguments::values::one_of;
use crate::files::in_out::{Change, InOut};
use crate::messages::outcome::Outcome;

/// Mirror a recording, so that left becomes right
#[derive(Debug, clap::Args)]
#[command(after_help = "\
All poses are reflected across a plane, and the hands are swapped: a gesture of the left hand becomes \
the same gesture of the right hand. `head` is the vertical plane through the head at t = 0, in its viewing \
direction, so the user stays in place. To use the head of another time, `trim` the recording first. `world` \
is the plane x = 0. With it, mirroring twice restores the original bytes.

Controllers are swapped too. The x axes of thumbsticks and trackpads change their sign. Names with the words \
left and right are exchanged: `tracker.left_foot`, `trigger_left.value`. The buttons a and b of a right \
controller become x and y of a left one if its profile has them, as the Touch controllers have.

Example: inputanim mirror left-handed.bin -o right-handed.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// The plane to reflect across
    #[arg(long, value_name = "PLANE", default_value = "head", value_parser = planes())]
    across: MirrorAcross,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let mut mirror = Mirror::default();
    mirror.across = args.across;
    args.io
        .edit(limits, "mirrored", args, mirror, |recording, _| {
            let mut change = Change::default();
            change.facts.extend(swapped(recording));
            change.facts.extend(swapped_controllers(recording));
            Ok(change)
        })
}

fn planes() -> impl TypedValueParser<Value = MirrorAcross> {
    one_of(MirrorAcross::ALL, MirrorAcross::name, |plane| match plane {
        MirrorAcross::Head => {
            "The vertical plane through the head at t = 0, in its viewing direction"
        }
        MirrorAcross::World => "The plane x = 0",
        other => other.name(),
    })
}

/// Describes what a reflection does to the recorded hands: `left hand and right hand swapped`. `None` if no hand is
/// recorded.
fn swapped(recording: &Recording<'_>) -> Option<String> {
    let is_recorded = |side: Side| {
        let hands = recording.hands.as_ref();
        hands.is_some_and(|hands| {
            hands
                .hand(side)
                .joints
                .iter()
                .any(|(_, curves)| !curves.is_empty())
        })
    };
    let made = match Side::BOTH.map(is_recorded) {
        [true, true] => "left hand and right hand swapped",
        [true, false] => "left hand became right hand",
        [false, true] => "right hand became left hand",
        [false, false] => return None,
    };
    Some(made.to_owned())
}

/// Describes what a reflection does to the controllers: `right controller became left controller`. `None` if there are none.
fn swapped_controllers(recording: &Recording<'_>) -> Option<String> {
    let has_controller = |side| recording.device(DeviceName::controller(side)).is_some();
    let made = match Side::BOTH.map(has_controller) {
        [true, true] => "left controller and right controller swapped",
        [true, false] => "left controller became right controller",
        [false, true] => "right controller became left controller",
        [false, false] => return None,
    };
    Some(made.to_owned())
}
