//! `inputanim openxr play`

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context;
use inputanim::{DeviceName, Limits, Recording, doctor, headset};
use inputanim_convert::{Format, WriteOptions, write_bytes};
use inputanim_openxr::{Report, SETTINGS, User};

use super::application::{ApplicationArgs, outcome};
use super::library::LibraryArgs;
use super::manifest;
use super::playback::{PROFILES, PlaybackArgs};
use crate::files::input::{CorrectionArgs, Input};
use crate::messages::diagnostics::{note, warn, warn_of_damage};
use crate::messages::outcome::{Outcome, Refusal};

/// Play a recording into an OpenXR application instead of a headset
#[derive(Debug, clap::Args)]
#[command(after_help = "\
The application gets the head, the hands with 26 joints, the controllers, trackers and gamepads, the gaze and the pinches of \
the recording from the OpenXR runtime of inputanim, for which no headset and no screen are needed. The output and the exit \
code are those of the application. docs/openxr.md describes what applications get.

Clocks: `step` has a fixed rate, and runs as fast as the application can; `keys` has the times of the keys; both give \
the same frames in every run. `real` is the time of the computer.

Examples:
  inputanim openxr play take.bin -- hello_xr -g Vulkan2
  inputanim openxr play take.bin --clock real --end loop -- ./app
  inputanim openxr play take.bin --screenshots pictures --every 30 -- ./app
  inputanim openxr play take.mcap --profile khr/simple_controller -- ./app
  inputanim openxr play take.bin --over-runtime --clock real -- ./app")]
pub(crate) struct Args {
    /// The recording (.bin, or another format that `convert` reads); `-` is standard input
    #[arg(value_name = "FILE")]
    path: PathBuf,
    #[command(flatten)]
    playback: PlaybackArgs,
    #[command(flatten)]
    libraries: LibraryArgs,
    #[command(flatten)]
    corrections: CorrectionArgs,
    /// Succeed also if the application asked for input and never got any
    #[arg(long)]
    allow_inactive: bool,
    #[command(flatten)]
    application: ApplicationArgs,
}

/// The time that an application has to end after it was stopped. It may be `inputanim openxr record`, which stops its own
/// application first.
const GRACE: Duration = Duration::from_secs(10);

pub(crate) fn run(args: &Args, limits: &Limits) -> anyhow::Result<Outcome> {
    let folder = tempfile::tempdir().context("cannot make a temporary folder")?;
    let library = args.libraries.find("inputanim_openxr_runtime")?;
    let recording = recording(args, folder.path(), limits)?;
    let report = folder.path().join("report.json");
    let mut settings = args.playback.settings(recording, limits)?;
    settings.report = Some(report.clone());
    let manifests = manifest::manifest_folder()?;
    let manifest = manifests.path().join("runtime.json");
    fs::write(&manifest, manifest::runtime_manifest(&library))
        .context("cannot write a temporary file")?;
    let variables = [
        ("XR_RUNTIME_JSON", manifest.into_os_string()),
        (SETTINGS, OsString::from(serde_json::to_string(&settings)?)),
    ];
    let status = args
        .application
        .run(&variables, GRACE, || read(&report).is_over, || {})?;
    judge(args, &read(&report), outcome(status))
}

/// Returns the path of the file that the runtime plays: a .bin file, or JSON for a recording with devices, which a .bin file does
/// not hold. Another format, standard input, and a recording with corrections are written to a temporary file in `folder`.
fn recording(args: &Args, folder: &Path, limits: &Limits) -> anyhow::Result<PathBuf> {
    let input = Input::open(&args.path, limits)?;
    let (recording, _) = input.corrected(args.corrections, limits)?;
    warn_of_damage(&doctor::damage(&recording, |_| true), input.name());
    note_unplayed_devices(&recording);
    let (format, name) = if recording.devices.is_empty() {
        (Format::Bin, "recording.bin")
    } else {
        (Format::Json, "recording.json")
    };
    let mut options = WriteOptions::default();
    options.limits = *limits;
    let (bytes, report) = write_bytes(format, &recording, &options)?;
    for loss in report.losses {
        warn(format_args!("{}: lost: {loss}", input.name()));
    }
    let is_file = args.path != Path::new("-") && bytes == input.bytes();
    if is_file {
        return Ok(dunce::canonicalize(&args.path)?);
    }
    let path = folder.join(name);
    fs::write(&path, bytes).context("cannot write a temporary file")?;
    Ok(path)
}

/// Prints the devices that applications of OpenXR do not get, because OpenXR has no user for them. The headset is not one of them.
pub(super) fn note_unplayed_devices(recording: &Recording<'_>) {
    let devices = recording.devices.iter().map(|device| device.name);
    let is_played =
        |name: &DeviceName| User::of_device(*name).is_some() || *name == headset::name();
    for name in devices.filter(|name| !is_played(name)) {
        note(format_args!(
            "{name} is not played: OpenXR has no path for it"
        ));
    }
}

/// Reads the report that the runtime writes. Returns an empty report if the runtime has not written one.
fn read(path: &Path) -> Report {
    let text = fs::read(path).unwrap_or_default();
    serde_json::from_slice(&text).unwrap_or_default()
}

/// Prints how many frames were played, and which inputs the application got. Fails if the application succeeded without using
/// OpenXR, without beginning a session, or without any of the input that it asked for. Otherwise, returns `outcome`, the outcome
/// of the application.
fn judge(args: &Args, report: &Report, outcome: Outcome) -> anyhow::Result<Outcome> {
    let name = args.application.name();
    if outcome != Outcome::Done {
        if !report.has_session {
            warn(format_args!(
                "{name} failed before it began an OpenXR session"
            ));
            // The loader refuses an application that demands an extension for other graphics.
            if cfg!(windows) && !report.has_instance && !args.playback.over_runtime {
                note(
                    "on Windows, the runtime of inputanim has Direct3D and Vulkan; `--over-runtime` plays over a runtime with OpenGL",
                );
            }
        }
        report.input.lines().iter().for_each(note);
        return Ok(outcome);
    }
    if !report.has_instance {
        let message = format!("{name} did not use OpenXR");
        let hint = "the application must load OpenXR through the Khronos loader, which reads XR_RUNTIME_JSON";
        return Err(Refusal::failure(message, hint));
    }
    if !report.has_session {
        let message = format!("{name} used OpenXR, but never began a session");
        return Err(Refusal::failure(
            message,
            "many applications need an option to start in XR",
        ));
    }
    note(format_args!("{name} played {} frames", report.frames));
    if report.unsaved_layers > 0 {
        note(format_args!(
            "layers that the images do not show: {}",
            report.unsaved_layers
        ));
    }
    report.input.lines().iter().for_each(note);
    if report.input.is_meaningless() && !args.allow_inactive {
        let message = format!("{name} asked for input and never got any");
        let hint = match report.input.presentable_profile() {
            Some(profile) => {
                let short = profile.strip_prefix(PROFILES).unwrap_or(profile);
                format!(
                    "`--profile {short}` presents a profile for which the application has bindings"
                )
            }
            None => "`--allow-inactive` accepts it".to_owned(),
        };
        return Err(Refusal::failure(message, hint));
    }
    Ok(outcome)
}
