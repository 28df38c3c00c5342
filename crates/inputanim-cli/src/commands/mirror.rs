//! `inputanim mirror`

use clap::ValueEnum;
use inputanim::edit::{self, Plane};
use inputanim::{Limits, Sampler};

use crate::in_out::InOut;
use crate::outcome::{Outcome, Refusal};

/// Turn a recording into its mirror image: left becomes right
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The hands change places, and all that moves is reflected: a left-handed gesture becomes the same \
gesture of the right hand. Across `head` (the default) the mirror stands upright along where the head \
looks at t = 0, so that the user stays where they are; across `world` it is the plane x = 0 of the \
recording's own axes, and mirroring twice gives the same bytes again.

Example: inputanim mirror left-handed.bin -o right-handed.bin")]
pub(crate) struct Args {
    #[command(flatten)]
    io: InOut,
    /// Where the mirror stands
    #[arg(long, value_enum, value_name = "PLANE", default_value_t)]
    across: Across,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum Across {
    /// Upright through the head at t = 0, along its heading.
    #[default]
    Head,
    /// The plane x = 0.
    World,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    args.io.change(limits, |recording| {
        let plane = match args.across {
            Across::World => Plane::WORLD,
            Across::Head => {
                let head = Sampler::new(recording)?.frame_at(0.0).camera;
                let head = head.ok_or_else(|| {
                    Refusal::failure("no head is recorded", "--across world needs none")
                })?;
                Plane::through(&head)
            }
        };
        edit::mirror(recording, &plane)?;
        Ok(Outcome::Done)
    })
}
