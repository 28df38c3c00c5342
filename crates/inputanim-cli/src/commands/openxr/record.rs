//! `inputanim openxr record`

use std::env;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use clap::ValueEnum;
use inputanim::session;
use inputanim::{Limits, Recording};
use inputanim_openxr::{
    LAYER, RECORD_SETTINGS, RecordReport, RecordSettings, RecordSpace, numbered,
};

use super::application::{ApplicationArgs, outcome};
use super::library::LibraryArgs;
use super::manifest;
use crate::files::output;
use crate::messages::diagnostics::{note, summarize, warn};
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::{count, seconds};

/// Record what an OpenXR application gets from any runtime
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The application runs with its own runtime, such as SteamVR, Monado, Quest Link or `inputanim openxr play`. A layer \
between the loader of OpenXR and the runtime records the head, the hands with 26 joints, the gaze and the pinches at \
the times of the frames, whether the application asks for them or not. Controllers become palm, wrist and pinch. Debug \
labels and changes of the session become markers, and so does each SIGUSR1 that the program gets (not on Windows). \
docs/openxr.md describes the layer.

The frames are also written to a session file next to FILE as they arrive. It is removed when FILE is complete.

Examples:
  inputanim openxr record -o take.bin -- ./app
  inputanim openxr play take.bin -- inputanim openxr record -o again.bin -- ./app")]
pub(crate) struct Args {
    /// The recording to write (.bin)
    #[arg(short, long, value_name = "FILE")]
    output: PathBuf,
    /// Replace FILE if it already exists
    #[arg(short, long)]
    force: bool,
    /// The space of the recording
    #[arg(long, value_enum, default_value_t)]
    space: SpaceArg,
    /// Add a marker for each line that another program appends to this file
    #[arg(long, value_name = "FILE")]
    markers: Option<PathBuf>,
    #[command(flatten)]
    libraries: LibraryArgs,
    /// Do not print the summary
    #[arg(short, long)]
    quiet: bool,
    #[command(flatten)]
    application: ApplicationArgs,
}

/// The space of the recording.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum SpaceArg {
    /// The stage if the runtime has one, otherwise the local space.
    #[default]
    Auto,
    /// The origin is on the floor.
    Stage,
    /// The origin is near the head at the beginning.
    Local,
}

/// The time that an application has to end after it was stopped.
const GRACE: Duration = Duration::from_secs(3);

/// The variables of the loader for layers.
const LAYER_PATHS: &str = "XR_API_LAYER_PATH";
const LAYERS: &str = "XR_ENABLE_API_LAYERS";

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    if args.output == Path::new("-") {
        return Err(Refusal::usage(
            "a recording of an application needs a file",
            "-o take.bin",
        ));
    }
    output::check(&args.output, args.force)?;
    let output = std::path::absolute(&args.output)?;
    output::probe(&output)?;
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let library = args.libraries.find("inputanim_openxr_layer")?;
    let manifests = manifest::manifest_folder()?;
    let library = manifest::layer_library(library, manifests.path())?;
    let manifest = manifests.path().join("layer.json");
    fs::write(manifest, manifest::layer_manifest(&library, false))
        .context("cannot write a temporary file")?;
    let report = folder.path().join("report.json");
    let markers = match &args.markers {
        Some(path) => std::path::absolute(path)?,
        None => folder.path().join("markers"),
    };
    // Another program may have made the file.
    let made = File::options().append(true).create(true).open(&markers);
    made.with_context(|| format!("cannot write {}", markers.display()))?;
    let session = free_session(&output);
    let earlier = sessions(&session);
    let mut settings = RecordSettings::default();
    settings.output = output.clone();
    settings.replace = args.force;
    settings.session = Some(session.clone());
    settings.space = match args.space {
        SpaceArg::Auto => RecordSpace::Auto,
        SpaceArg::Stage => RecordSpace::Stage,
        SpaceArg::Local => RecordSpace::Local,
    };
    settings.markers = Some(markers.clone());
    settings.report = Some(report.clone());
    let variables = [
        (
            LAYER_PATHS,
            joined(LAYER_PATHS, manifests.path().as_os_str().to_owned())?,
        ),
        (LAYERS, joined(LAYERS, LAYER.into())?),
        (
            RECORD_SETTINGS,
            OsString::from(serde_json::to_string(&settings)?),
        ),
    ];
    let status = args
        .application
        .run(&variables, GRACE, || false, move || add_marker(&markers))?;
    let ended = outcome(status);
    let reports = reports(folder.path())?;
    let mut result = ended;
    for report in &reports {
        result = result.and(summary(args, report));
    }
    // Session files of earlier runs are not recordings of this application.
    let mut left = sessions(&session);
    left.retain(|found| !earlier.contains(found));
    for (number, session) in &left {
        result = result.and(recover(args, session, &numbered(&output, *number), limits)?);
    }
    if reports.is_empty() && left.is_empty() {
        let message = format!("nothing was recorded of {}", args.application.name());
        let hint = "the application must begin an OpenXR session; `inputanim openxr play` needs its own runtime around the application";
        return match ended {
            Outcome::Done => Err(Refusal::failure(message, hint)),
            other => {
                warn(message);
                Ok(other)
            }
        };
    }
    Ok(result)
}

/// Asks the recording layer for a marker: adds a line to the file of markers that the layer reads. A failure is only a
/// warning.
fn add_marker(path: &Path) {
    let added = File::options()
        .append(true)
        .open(path)
        .and_then(|mut file| file.write_all(b"marker\n"));
    if let Err(error) = added {
        warn(format_args!("cannot write {}: {error}", path.display()));
    }
}

/// Returns the path of a new session file beside the output: `take.session`, or with a number if that file exists.
fn free_session(output: &Path) -> PathBuf {
    let session = output.with_extension("session");
    let mut numbers = 1..;
    let mut path = session.clone();
    while let (true, Some(number)) = (path.exists(), numbers.next()) {
        path = session.with_extension(format!("{number}.session"));
    }
    path
}

/// The recordings of an application whose session files are found, at most.
const MAX_RECORDINGS: u32 = 100;

/// Returns the session files that exist, with their numbers. `first` is the path of the one with the number 0.
fn sessions(first: &Path) -> Vec<(u32, PathBuf)> {
    let all = (0..MAX_RECORDINGS).map(|number| (number, numbered(first, number)));
    all.filter(|(_, path)| path.exists()).collect()
}

/// Returns the value of an environment variable that lists paths, with `first` added before the current ones.
fn joined(variable: &str, first: OsString) -> anyhow::Result<OsString> {
    let others = env::var_os(variable).unwrap_or_default();
    let others = env::split_paths(&others).filter(|other| !other.as_os_str().is_empty());
    let all = [PathBuf::from(first)].into_iter().chain(others);
    Ok(env::join_paths(all)?)
}

/// Returns the reports of all recordings of the application. They are the files in `folder` that begin with `report`;
/// unreadable ones are skipped.
fn reports(folder: &Path) -> anyhow::Result<Vec<RecordReport>> {
    let entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    let mut paths: Vec<PathBuf> = entries.iter().map(fs::DirEntry::path).collect();
    paths.retain(|path| {
        path.file_name()
            .is_some_and(|name| name.as_encoded_bytes().starts_with(b"report"))
    });
    paths.sort();
    let read = |path: &PathBuf| serde_json::from_slice(&fs::read(path).ok()?).ok();
    Ok(paths.iter().filter_map(read).collect())
}

/// Prints the notes and the result of one recording. Returns `Failed` if it has no output, and `DataLost` if it ended
/// with an error.
fn summary(args: &Args, report: &RecordReport) -> Outcome {
    for text in &report.notes {
        note(text);
    }
    if let Some(error) = &report.error {
        warn(format_args!("the recording ended early: {error}"));
    }
    let Some(output) = &report.output else {
        return Outcome::Failed;
    };
    if !args.quiet {
        let mut parts = Vec::new();
        if report.head {
            parts.push("head");
        }
        let hands_only = [0, 1].map(|side| report.hands[side] && !report.controllers[side]);
        let hands = [
            (hands_only, ["left hand", "right hand", "both hands"]),
            (
                report.controllers,
                ["left controller", "right controller", "both controllers"],
            ),
            (
                report.pinches,
                ["left pinches", "right pinches", "pinches of both hands"],
            ),
        ];
        for (has, [left, right, both]) in hands {
            parts.extend(match has {
                [true, true] => Some(both),
                [true, false] => Some(left),
                [false, true] => Some(right),
                [false, false] => None,
            });
        }
        if report.gaze {
            parts.push("gaze");
        }
        let mut facts = vec![
            format!("{} s", seconds(report.seconds)),
            count(report.frames as usize, "frame"),
            parts.join(", "),
        ];
        if report.markers > 0 {
            facts.push(count(report.markers as usize, "marker"));
        }
        facts.retain(|fact| !fact.is_empty());
        summarize(
            &format!("recorded {}", args.application.name()),
            &facts,
            output,
        );
    }
    if report.error.is_some() {
        Outcome::DataLost
    } else {
        Outcome::Done
    }
}

/// Writes the recording of an application that ended before its OpenXR session did. Reads it from the session file
/// `session`, which is then removed. Returns `DataLost`, or `Failed` if it has no frames. Fails if another process
/// still writes the session file.
fn recover(args: &Args, session: &Path, output: &Path, limits: &Limits) -> anyhow::Result<Outcome> {
    let cannot_read = || format!("cannot read {}", session.display());
    let mut file = File::open(session).with_context(cannot_read)?;
    // The layer locks the file as long as it writes.
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        let message = format!("another process still records into {}", session.display());
        let hint = format!(
            "it becomes {} when the process ends its session",
            output.display()
        );
        return Err(Refusal::failure(message, hint));
    }
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).with_context(cannot_read)?;
    let found = session::recover(&bytes, limits).with_context(|| session.display().to_string())?;
    if found.frames == 0 {
        fs::remove_file(session)?;
        warn(format_args!(
            "{} ended before its first frame",
            args.application.name()
        ));
        return Ok(Outcome::Failed);
    }
    let recording: &Recording<'_> = &found.recording;
    let mut losses = Vec::new();
    output::write_to(output, args.force, true, |file| {
        losses = recording.write_lossy_as(file, recording.layout)?;
        Ok(())
    })?;
    for loss in losses {
        warn(format_args!("{}: lost: {loss}", output.display()));
    }
    fs::remove_file(session)?;
    warn(format_args!(
        "{} ended before its session; up to the last half second may be missing",
        args.application.name()
    ));
    if !args.quiet {
        let facts = [
            format!("{} s", seconds(recording.duration())),
            count(found.frames, "frame"),
        ];
        summarize(
            &format!("recorded {}", args.application.name()),
            &facts,
            output,
        );
    }
    Ok(Outcome::DataLost)
}
