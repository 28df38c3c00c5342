//! Hands as BVH.

use std::io::Write;

use inputanim::{Recording, Side};
use inputanim_convert::bvh::{self, Options};

use super::conversion::{Conversion, Hand, Said};

pub(super) fn write(
    conversion: &Conversion,
    recording: &Recording<'_>,
    output: &mut dyn Write,
) -> anyhow::Result<Said> {
    let default = Options::default();
    let options = Options {
        hand: conversion.hand.and_then(side),
        rate: conversion.rate.unwrap_or(default.rate),
        scale: conversion.scale.unwrap_or(default.scale),
    };
    let report = bvh::write(recording, &options, output)?;
    let note = format!("sampled at {} Hz", options.rate);
    Ok(Said::lost(&report.losses).with_note(note))
}

fn side(hand: Hand) -> Option<Side> {
    match hand {
        Hand::Left => Some(Side::Left),
        Hand::Right => Some(Side::Right),
        Hand::Both => None,
    }
}
