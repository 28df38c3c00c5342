//! Hands as BVH.

use std::io::Write;

use inputanim::{Recording, Side};
use inputanim_convert::bvh::{self, Options};

use crate::diagnostics::note;
use crate::text::count;

use super::{Args, Hand, texts};

pub(super) fn write(
    args: &Args,
    recording: &Recording<'_>,
    output: &mut dyn Write,
) -> anyhow::Result<Vec<String>> {
    let default = Options::default();
    let options = Options {
        hand: args.hand.and_then(side),
        rate: args.rate.unwrap_or(default.rate),
        scale: args.scale.unwrap_or(default.scale),
    };
    let report = bvh::write(recording, &options, output)?;
    let (frames, joints) = (count(report.frames, "frame"), count(report.joints, "joint"));
    match report.stretching {
        0 => note(format_args!("{frames} of {joints}")),
        stretching => note(format_args!(
            "{frames} of {joints}, {stretching} of which have positions, since their bones change in length"
        )),
    }
    Ok(texts(&report.losses))
}

fn side(hand: Hand) -> Option<Side> {
    match hand {
        Hand::Left => Some(Side::Left),
        Hand::Right => Some(Side::Right),
        Hand::Both => None,
    }
}
