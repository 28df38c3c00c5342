//! glTF, out and in.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};

use inputanim::{Limits, Recording};
use inputanim_convert::Format;
use inputanim_convert::gltf::{self, Container, Options, ReadOptions};

use super::conversion::{Conversion, Said};
use crate::input::Input;

pub(super) fn read(
    conversion: &Conversion,
    input: &Input,
    limits: &Limits,
) -> anyhow::Result<Recording<'static>> {
    let options = ReadOptions {
        space: conversion.space,
        animation: conversion.animation.clone(),
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
        node_names: conversion.node_names.unwrap_or(usual.node_names),
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
