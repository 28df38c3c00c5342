//! glTF, out and in.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use inputanim::{Limits, Recording};
use inputanim_convert::Format;
use inputanim_convert::gltf::{self, Container, NodeNames, Options, ReadOptions};

use super::conversion::{Conversion, Said};
use crate::input::Input;

/// How glTF is written and read.
#[derive(Debug, clap::Args)]
pub(super) struct GltfArgs {
    /// The names of nodes in glTF that is written [default: inputanim]
    #[arg(long, value_name = "NAMES", value_parser = node_names())]
    pub(super) node_names: Option<NodeNames>,
    /// The animation of glTF to read [default: the first that moves a hand, head or gaze]
    #[arg(long, value_name = "NAME")]
    pub(super) animation: Option<String>,
}

fn node_names() -> impl TypedValueParser<Value = NodeNames> {
    PossibleValuesParser::new(NodeNames::ALL.map(NodeNames::name))
        .try_map(|name| name.parse::<NodeNames>())
}

pub(super) const fn is_gltf(format: Format) -> bool {
    matches!(format, Format::Glb | Format::Gltf)
}

pub(super) fn read(
    conversion: &Conversion,
    input: &Input,
    limits: &Limits,
) -> anyhow::Result<Recording<'static>> {
    let options = ReadOptions {
        space: conversion.space,
        animation: conversion.gltf.animation.clone(),
    };
    let path = Path::new(input.name());
    let beside = |name: &str| read_beside(path, name, limits);
    Ok(gltf::read_with(input.bytes(), &options, limits, beside)?)
}

pub(super) fn write(
    conversion: &Conversion,
    recording: &Recording<'_>,
    format: Format,
    output: &mut dyn Write,
) -> anyhow::Result<Said> {
    let usual = Options::default();
    let options = Options {
        container: match format {
            Format::Gltf => Container::Gltf,
            _ => Container::Glb,
        },
        node_names: conversion.gltf.node_names.unwrap_or(usual.node_names),
        rate: conversion.rate.unwrap_or(usual.rate),
    };
    let report = gltf::write(recording, &options, output)?;
    let notes = report.notes.iter().map(|note| note.to_string());
    Ok(notes.fold(Said::lost(&report.losses), Said::with_note))
}

/// Reads a file that lies beside another, or under its folder, and nowhere else.
fn read_beside(path: &Path, name: &str, limits: &Limits) -> io::Result<Vec<u8>> {
    let name = PathBuf::from(name);
    let is_plain = name
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    if !is_plain || path == Path::new("-") {
        return Err(io::Error::other("only files beside it are read"));
    }
    let folder = path.parent().unwrap_or(Path::new(""));
    let file = File::open(folder.join(name))?;
    let bytes = inputanim::read_bytes(file, limits)?;
    match bytes.len() as u64 <= limits.max_bytes {
        true => Ok(bytes),
        false => Err(io::Error::other("it is larger than the limit")),
    }
}
