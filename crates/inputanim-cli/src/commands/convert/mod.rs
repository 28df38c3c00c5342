//! `inputanim convert`

mod batch;
mod bvh;
mod conversion;
mod formats;
mod gltf;
mod iwer;
#[cfg(feature = "mcap")]
mod mcap;
mod table_args;
mod tables;
mod unity_anim;
mod usd;

use std::path::{Path, PathBuf};

use inputanim::Limits;
use inputanim::summary::Summary;

use crate::diagnostics::{note, warn, warn_of_damage};
use crate::input::Input;
use crate::outcome::{Outcome, Refusal};
use crate::output;
use crate::text::count;
use batch::Batch;
use conversion::Conversion;

/// Convert between the layouts, and to and from other formats
#[derive(Debug, clap::Args)]
#[command(
    override_usage = "inputanim convert [OPTIONS] IN OUT\n       \
                      inputanim convert [OPTIONS] [-r] --to FORMAT -o FOLDER IN...",
    after_help = "\
Formats: `bin` and lossless `json` hold all of a recording, and come back as the same bytes. \
`glb` and `gltf` are animations for Blender, Unity, web pages and viewers; \
`iwer` (.iwer.json) is what IWER, the emulator of WebXR devices, replays and records; `parquet`, \
`arrow`, `csv`, `tsv` and `ndjson` are tables, of what plays or of keys (docs/tables.md); `mcap` is for \
Foxglove, Rerun and the MCAP libraries, with all of the recording in it. They come back \
too. `anim` is an animation clip of Unity. `bvh` has the hands as skeletons, for animation programs. \
`usda` and `usdc` (.usd) are USD as text and binary, for Omniverse, Houdini, Maya and Blender. \
What a format cannot hold is said: exit code 3.

With -o every file is converted that is not there yet or older than its recording, all processors \
at work. A file that cannot be converted does not stop the others: the failures are listed at the end, \
exit code 3.

Without --layout the recording keeps its layout, and a .bin becomes the same bytes again. \
What the other layout cannot hold is refused, unless --allow-loss says to go on: exit code 3.

MRTK 2.0 to 2.5 load mrtk-1.0; MRTK 2.6 to 2.8 load mrtk-1.0 and mrtk-1.1; no MRTK loads the others.

Examples:
  inputanim convert take.bin take.json
  inputanim convert take.json take.bin
  inputanim convert take.bin take.glb
  inputanim convert hands.gltf take.bin --space openxr
  inputanim convert take.bin take.iwer.json --rate 90
  inputanim convert take.bin take.mcap --start-time 2024-05-01T10:00:00Z
  inputanim convert take.bin take.parquet
  inputanim convert take.bin keys.csv --shape keys
  inputanim convert tracker.csv take.bin --map time_s=Timestamp*1e-6
  inputanim convert take.bin take.anim --event OnStep
  inputanim convert take.bin right.bvh --hand right --rate 30
  inputanim convert take.bin take.usdc
  inputanim convert take.bin for-mrtk-2.5.bin --layout mrtk-1.0 --allow-loss
  inputanim convert -r studies --to parquet -o tables --manifest studies.csv
  inputanim convert -r studies -o studies.parquet"
)]
pub(crate) struct Args {
    /// IN, a recording in any format that is read, and OUT; with -o only IN, any number. `-` is
    /// standard input or output
    #[arg(required = true, value_name = "FILE")]
    paths: Vec<PathBuf>,
    #[command(flatten)]
    conversion: Conversion,
    #[command(flatten)]
    batch: Batch,
    /// Replace OUT if it is there
    #[arg(short, long)]
    force: bool,
}

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let conversion = &args.conversion;
    if let Some(folder) = &args.batch.output {
        let batch = &args.batch;
        return batch.run(folder, &args.paths, conversion, args.force, limits);
    }
    match args.paths.as_slice() {
        [path, ..] if is_folder(path) => {
            let message = format!("{} is a folder", path.display());
            let hint = "-r --to FORMAT -o FOLDER converts all that is in it";
            Err(Refusal::usage(message, hint))
        }
        [_, path] if is_folder(path) => {
            let message = format!("{} is a folder", path.display());
            let hint = "-o FOLDER --to FORMAT writes into it; or name the file in it";
            Err(Refusal::usage(message, hint))
        }
        [input, output] => one(input, output, args, limits),
        paths => {
            let message = format!("{} named: IN and OUT are two", count(paths.len(), "file"));
            let hint = "name the file to write too, or a folder for many with -o";
            Err(Refusal::usage(message, hint))
        }
    }
}

/// What to do about damage that was found.
const REPAIR: &str = "`inputanim repair` mends most damage, `inputanim doctor` says what it means";

fn is_folder(path: &Path) -> bool {
    path != Path::new("-") && path.is_dir()
}

fn one(input: &Path, path: &Path, args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let conversion = &args.conversion;
    let format = conversion.format(path)?;
    conversion.check(format)?;
    if input != Path::new("-") && output::is_same_file(input, path) {
        let message = format!("{} would be replaced by itself", input.display());
        return Err(Refusal::usage(message, "name another file to write"));
    }
    let input = Input::open(input, limits)?;
    let (recording, mut said) = conversion.read(&input, limits)?;
    if conversion.is_of_what_plays(format) {
        let summary = Summary::of(&recording);
        if !warn_of_damage(&recording, &summary, input.name(), |_| true).is_empty() {
            note(REPAIR);
        }
    }
    output::write_to(path, args.force, !format.is_text(), |output| {
        said.extend(conversion.write(&input, recording, format, path, output)?);
        Ok(())
    })?;
    said.notes.iter().for_each(note);
    for loss in &said.lost {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    Ok(match said.lost.is_empty() {
        true => Outcome::Done,
        false => Outcome::DataLost,
    })
}
