//! Files, folders and standard input.

use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::{Path, PathBuf};

use anyhow::Context;
use clap::Args;
use inputanim::{Limits, Recording, Recovery, Sampler};
use inputanim_convert::{Format, json};
use walkdir::WalkDir;

use crate::diagnostics::warn;
use crate::outcome::Refusal;

/// Which recordings a command is about.
#[derive(Debug, Args)]
pub(crate) struct Files {
    /// Recordings (.bin, or lossless .json); `-` is standard input
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    /// Look through folders for .bin files
    #[arg(short, long)]
    recursive: bool,
}

impl Files {
    /// The files, folders replaced by what is in them, in order of their names.
    pub(crate) fn expand(&self) -> anyhow::Result<Vec<PathBuf>> {
        let mut files = Vec::new();
        for path in &self.paths {
            if !path.is_dir() {
                files.push(path.clone());
            } else if self.recursive {
                for file in recordings_in(path, Format::Bin) {
                    match file {
                        Ok(file) => files.push(file),
                        Err(error) => warn(format_args!("passed over: {error}")),
                    }
                }
            } else if self.paths.len() > 1 {
                let name = path.display();
                warn(format_args!(
                    "{name} is a folder: passed over (-r looks through folders)"
                ));
            } else {
                let message = format!("{} is a folder", path.display());
                return Err(Refusal::usage(message, "-r looks through folders"));
            }
        }
        match files.is_empty() {
            true => anyhow::bail!("there is nothing to look at"),
            false => Ok(files),
        }
    }
}

/// The files of a format in a folder and the folders in it, in order of their names, with what could
/// not be looked through.
pub(crate) fn recordings_in(folder: &Path, format: Format) -> Vec<anyhow::Result<PathBuf>> {
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        match entry {
            Ok(entry) => {
                let path = entry.path();
                // Not the entry's own type, which is `link` for a link to a file.
                if Format::of_path(path) == Some(format) && path.is_file() {
                    files.push(Ok(entry.into_path()));
                } else if entry.depth() > 0 && entry.path_is_symlink() && path.is_dir() {
                    let name = path.display();
                    warn(format_args!("{name} is a link to a folder: passed over"));
                }
            }
            Err(error) => files.push(Err(error.into())),
        }
    }
    if files.is_empty() {
        let [extension, ..] = format.extensions() else {
            return files;
        };
        let name = folder.display();
        warn(format_args!("there is no .{extension} file in {name}"));
    }
    files
}

/// The bytes of one recording.
#[derive(Debug)]
pub(crate) struct Input {
    name: String,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Read(Vec<u8>),
    Mapped(memmap2::Mmap),
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Read(bytes) => bytes,
            Bytes::Mapped(map) => map,
        }
    }
}

/// Files from this size on are mapped. Smaller ones are read, which takes a few milliseconds and
/// cannot be disturbed by another program.
const MAP_FROM: u64 = 16 << 20;

impl Input {
    /// Opens a file, or standard input for `-`.
    pub(crate) fn open(path: &Path, limits: &Limits) -> anyhow::Result<Input> {
        if path == Path::new("-") {
            let bytes = inputanim::read_bytes(io::stdin().lock(), limits);
            return Ok(Input {
                name: "-".to_owned(),
                bytes: Bytes::Read(bytes.context("cannot read standard input")?),
            });
        }
        let name = path.display().to_string();
        let bytes = open_bytes(path, limits).with_context(|| format!("cannot read {name}"))?;
        Ok(Input { name, bytes })
    }

    /// The path, or `-`.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// The name of the file, without its folder; standard input has none.
    pub(crate) fn file_name(&self) -> Option<String> {
        let path = Some(Path::new(&self.name)).filter(|path| *path != Path::new("-"))?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    }

    /// What is in it.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// How many bytes.
    pub(crate) fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    /// The recording in it, which must be well formed.
    pub(crate) fn recording(&self, limits: &Limits) -> anyhow::Result<Recording<'_>> {
        self.refuse_other_formats()?;
        let recording = if json::is_json(&self.bytes) {
            json::read_with(&self.bytes, limits).map_err(anyhow::Error::from)
        } else {
            Recording::parse_with(&self.bytes, limits).map_err(anyhow::Error::from)
        };
        recording.with_context(|| self.name.clone())
    }

    /// What `convert` alone reads.
    fn refuse_other_formats(&self) -> anyhow::Result<()> {
        let what = match Format::of_content(&self.bytes) {
            Format::Bin | Format::Json => return Ok(()),
            Format::Glb | Format::Gltf => "glTF".to_owned(),
            Format::Iwer => "an action recording of IWER".to_owned(),
            Format::Mcap => "an MCAP file".to_owned(),
            table if table.is_table() => format!("a table ({table})"),
            other => other.to_string(),
        };
        Err(Refusal::failure(
            format!("{} is {what}", self.name),
            "`inputanim convert` makes a recording of it",
        ))
    }

    /// Its recording, ready for playing.
    pub(crate) fn sampler(&self, recording: &Recording<'_>) -> anyhow::Result<Sampler> {
        Sampler::new(recording).with_context(|| self.name.clone())
    }

    /// Whatever is whole in it.
    pub(crate) fn recover(&self, limits: &Limits) -> anyhow::Result<Recovery<'_>> {
        self.refuse_other_formats()?;
        let recovery = if json::is_json(&self.bytes) {
            json::read_with(&self.bytes, limits)
                .map(Recovery::from)
                .map_err(anyhow::Error::from)
        } else {
            Recording::recover_with(&self.bytes, limits).map_err(anyhow::Error::from)
        };
        recovery.with_context(|| self.name.clone())
    }
}

fn open_bytes(path: &Path, limits: &Limits) -> io::Result<Bytes> {
    let file = File::open(path)?;
    let metadata = file.metadata()?;
    if metadata.is_file() && metadata.len() >= MAP_FROM {
        return map(&file).map(Bytes::Mapped);
    }
    inputanim::read_bytes(file, limits).map(Bytes::Read)
}

/// Maps a file into memory.
///
/// Should another program cut the file short meanwhile, the operating system ends this one
/// where it reads past the new end. Files that this program writes are never cut: they replace
/// the old one whole.
#[allow(unsafe_code)]
fn map(file: &File) -> io::Result<memmap2::Mmap> {
    // SAFETY: the map is only read, and the file is not changed by this program while it lives.
    unsafe { memmap2::Mmap::map(file) }
}
