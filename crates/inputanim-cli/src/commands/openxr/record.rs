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
use inputanim::{Device, DeviceLoss, Element, Limits, Pauses, Recording, TimeRange, headset};
use inputanim_convert::{Format, Note, WriteOptions};
use inputanim_openxr::{
    LAYER, RECORD_SETTINGS, RecordReport, RecordSettings, RecordSpace, RecordedDevice,
    is_bare_hand, numbered,
};

use super::application::{ApplicationArgs, outcome};
use super::library::LibraryArgs;
use super::manifest;
use crate::files::in_out::write_recording_in;
use crate::files::output;
use crate::messages::diagnostics::{note, summarize, warn};
use crate::messages::outcome::{Outcome, Refusal};
use crate::messages::text::{count, seconds};

/// Record what an OpenXR application gets from any runtime
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The application runs with its own runtime, such as SteamVR, Monado, Quest Link or `inputanim openxr play`. A layer \
between the loader of OpenXR and the runtime records the head, the hands with 26 joints, the gaze, the pinches, and the \
controllers with their profiles, poses, inputs and vibrations at the times of the frames, whether the application asks \
for them or not. It also records trackers, gamepads and other devices to which the application binds actions. Debug \
labels, changes of the session and of its origin become markers, and so does each SIGUSR1 that the program gets (not \
on Windows). docs/openxr.md describes the layer.

MCAP, JSON and sessions hold everything. Other formats lose controllers and other devices: the program says what is lost, and the exit \
code is 3. The frames are also written to a session file next to FILE as they arrive. It is removed when FILE is \
complete.

Examples:
  inputanim openxr record -o take.mcap -- ./app
  inputanim openxr play take.bin -- inputanim openxr record -o again.mcap -- ./app")]
pub(crate) struct Args {
    /// The recording to write (.mcap, .json, .session or .bin)
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
    /// Attach actions for controllers, pinches and the gaze to an application that has made none when it gets the input;
    /// it cannot attach its own later
    #[arg(long)]
    own_actions: bool,
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
    if !is_session(&args.output) {
        format_of(&args.output)?;
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
    settings.keep_session = true;
    settings.own_actions = args.own_actions;
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
    // Session files of earlier runs are not recordings of this application.
    let mut left = sessions(&session);
    left.retain(|found| !earlier.contains(found));
    let mut result = ended;
    for report in &reports {
        result = result.and(notes(report));
    }
    for (number, session) in &left {
        let output = numbered(&output, *number);
        let mut reports = reports.iter();
        let of_session =
            reports.find(|report| report.session.as_ref().is_some_and(|path| path == session));
        result = result.and(match of_session {
            Some(report) => convert(args, report, session, &output)?,
            None => recover(args, session, &output, limits)?,
        });
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

/// Returns `true` if a file is a session by its name.
fn is_session(path: &Path) -> bool {
    path.extension()
        .is_some_and(|extension| extension == "session")
}

/// Returns the format for the extension of a recording, .bin without an extension. Fails if this command does not write the format.
fn format_of(path: &Path) -> anyhow::Result<Format> {
    let format = match Format::from_path(path) {
        None if path.extension().is_none() => Some(Format::Bin),
        format => format,
    };
    match format {
        Some(format @ (Format::Bin | Format::Json | Format::Mcap)) if format.is_in_build() => {
            Ok(format)
        }
        Some(format) => {
            let message = format!("this command does not write {format}: {}", path.display());
            let hint =
                "write .mcap, .json, .session or .bin; `inputanim convert` writes other formats";
            Err(Refusal::usage(message, hint))
        }
        None => {
            let message = format!("cannot infer a format from {}", path.display());
            Err(Refusal::usage(
                message,
                "use the extension .mcap, .json, .session or .bin",
            ))
        }
    }
}

/// Prints the notes and the error of one recording. Returns `Failed` if it has no frames, and `DataLost` if it ended with an error.
fn notes(report: &RecordReport) -> Outcome {
    for text in &report.notes {
        note(text);
    }
    for device in &report.devices {
        of_device(device);
    }
    if let Some(error) = &report.error {
        warn(format_args!("the recording ended early: {error}"));
    }
    match (&report.session, &report.error) {
        (None, _) => Outcome::Failed,
        (_, Some(_)) => Outcome::DataLost,
        (_, None) => Outcome::Done,
    }
}

/// Prints the actions of a device that were never active, and the inputs that were not recorded.
fn of_device(device: &RecordedDevice) {
    let name = &device.name;
    if !device.never_active.is_empty() {
        let actions = device.never_active.join(", ");
        note(format_args!(
            "{name}: actions that were never active: {actions}"
        ));
    }
    let [mut without_value, mut others] = [Vec::new(), Vec::new()];
    for (input, why) in &device.not_read {
        let input = input.replace('/', ".");
        match why.as_str() {
            "" => without_value.push(input),
            why => others.push(format!("{input} ({why})")),
        }
    }
    if !without_value.is_empty() {
        let inputs = without_value.join(", ");
        note(format_args!(
            "{name}: inputs that never had a value: {inputs}"
        ));
    }
    if !others.is_empty() {
        let inputs = others.join(", ");
        note(format_args!(
            "{name}: inputs that could not be read: {inputs}"
        ));
    }
}

/// Makes the recording `output` from the session file of a recording with a report, removes the session file, and prints the summary.
/// Returns `DataLost` if the format does not hold everything.
fn convert(
    args: &Args,
    report: &RecordReport,
    session: &Path,
    output: &Path,
) -> anyhow::Result<Outcome> {
    if report.frames == 0 {
        fs::remove_file(session)?;
        return Ok(Outcome::Failed);
    }
    let hint = || {
        let (path, output) = (session.display(), output.display());
        format!("the frames are in {path}: `inputanim recover {path} -o {output}` converts them")
    };
    let bytes = fs::read(session).with_context(|| format!("cannot read {}", session.display()))?;
    // The file is from the layer, so its size needs no limit. An application that plays a recording gets a frame at each key, and
    // keys may be far apart, so that no time without frames is a pause.
    let found = session::recover_with(&bytes, &Limits::NONE, Pauses::None);
    let found = found.with_context(|| session.display().to_string())?;
    let written = write(args, found.recording, session, output).with_context(hint)?;
    if !args.quiet {
        let facts = facts(report);
        summarize(
            &format!("recorded {}", args.application.name()),
            &facts,
            output,
        );
    }
    Ok(written)
}

/// Writes a recording in the format of the name of `output`, and removes the session file, or gives it this name.
fn write(
    args: &Args,
    mut recording: Recording<'_>,
    session: &Path,
    output: &Path,
) -> anyhow::Result<Outcome> {
    if is_session(output) {
        if session != output {
            fs::rename(session, output)?;
        }
        return Ok(Outcome::Done);
    }
    remove_unused(&mut recording);
    let format = format_of(output)?;
    if !format.holds_devices() {
        remove_additions(&mut recording, output);
    }
    // A recording with losses is better than none.
    let mut options = WriteOptions::default();
    options.allow_loss = true;
    let outcome = write_recording_in(format, &options, output, args.force, &recording)?;
    fs::remove_file(session)?;
    Ok(outcome)
}

/// Removes the devices that are not in a hand and were never active. Many applications have bindings for all roles of trackers.
fn remove_unused(recording: &mut Recording<'_>) {
    let is_used = |device: &Device<'_>| {
        let mut changes = device.profiles.iter();
        device.name.side().is_some()
            || device.profiles.is_empty()
            || changes.any(|change| change.active)
    };
    recording.devices.retain(is_used);
    let unused: Vec<Element> = recording
        .known
        .iter()
        .map(|(element, _)| element)
        .filter(|element| {
            element
                .device()
                .is_some_and(|name| recording.device(name).is_none())
        })
        .collect();
    for element in unused {
        let always = TimeRange {
            start: f32::NEG_INFINITY,
            end: f32::INFINITY,
        };
        recording.known.remove_gaps(element, always);
    }
}

/// Removes the headset and the devices that are bare hands, for a format without devices, because every recording has them, and this
/// one has their joints and pinches as those of the hands. Prints a note that names the content that is lost.
fn remove_additions(recording: &mut Recording<'_>, output: &Path) {
    let mut has_lost = false;
    recording.devices.retain(|device| {
        let is_headset = device.name == headset::name();
        let mut profiles = device
            .profiles
            .iter()
            .filter_map(|change| change.profile.as_ref());
        let is_bare = device.name.side().is_some()
            && device.haptics.is_empty()
            && profiles.all(|profile| is_bare_hand(profile));
        if (is_headset || is_bare) && !device.is_empty() {
            let what = if is_headset {
                "the field of view and other values of the headset are"
            } else {
                "content of a bare hand is"
            };
            let loss = DeviceLoss::of(device, |_| false);
            note(format_args!(
                "{}: {what} not in the file: {loss}",
                output.display()
            ));
            has_lost = true;
        }
        !(is_headset || is_bare)
    });
    if has_lost {
        Note::of_complete_format().iter().for_each(note);
    }
}

/// Returns the recorded content as texts for the summary.
fn facts(report: &RecordReport) -> Vec<String> {
    let mut parts = Vec::new();
    if report.head {
        parts.push("head".to_owned());
    }
    let hands = [
        (report.hands, ["left hand", "right hand", "both hands"]),
        (
            report.pinches,
            ["left pinches", "right pinches", "pinches of both hands"],
        ),
    ];
    for (has, [left, right, both]) in hands {
        let part = match has {
            [true, true] => Some(both),
            [true, false] => Some(left),
            [false, true] => Some(right),
            [false, false] => None,
        };
        parts.extend(part.map(str::to_owned));
    }
    if report.gaze {
        parts.push("gaze".to_owned());
    }
    for device in report.devices.iter().filter(|device| device.frames > 0) {
        let profiles = device.profiles.iter();
        let profiles: Vec<&str> = profiles
            .map(|profile| profile.trim_start_matches("/interaction_profiles/"))
            .collect();
        let mut part = format!(
            "{} ({}; {}, {}",
            device.name,
            profiles.join(", "),
            count(device.poses.len(), "pose"),
            count(device.inputs.len(), "input")
        );
        if device.haptics > 0 {
            part += &format!(", {}", count(device.haptics as usize, "haptic pulse"));
        }
        parts.push(part + ")");
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
    facts
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
    let (frames, duration) = (found.frames, found.recording.duration());
    write(args, found.recording, session, output)?;
    warn(format_args!(
        "{} ended before its session; up to the last half second may be missing",
        args.application.name()
    ));
    if !args.quiet {
        let facts = [format!("{} s", seconds(duration)), count(frames, "frame")];
        summarize(
            &format!("recorded {}", args.application.name()),
            &facts,
            output,
        );
    }
    Ok(Outcome::DataLost)
}
