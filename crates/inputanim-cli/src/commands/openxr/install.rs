//! `inputanim openxr install`, `uninstall` and `status`.

use std::env;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use inputanim::{Limits, doctor};
use inputanim_openxr::{Manifest, Player, RECORD_SETTINGS, RUNTIME, SETTINGS, Settings};

use super::library::{self, LibraryArgs};
use super::manifest::{remove, runtime_manifest, write};
use super::play::note_unplayed_devices;
use super::playback::PlaybackArgs;
#[cfg(windows)]
use super::registry::Installation;
#[cfg(not(windows))]
use super::user_files::Installation;
use crate::files::input::Input;
use crate::messages::diagnostics::{note, warn_of_damage};
use crate::messages::outcome::{Outcome, Refusal};

/// Let all OpenXR applications of this user get a recording, and let them be recorded
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Use `inputanim openxr play` to play into one application. An installed recording is for applications that another program \
starts, such as an editor. `inputanim openxr uninstall` gives them their runtime back.

Without FILE, only the layer is installed. It records an application that is started with the environment variable \
INPUTANIM_OPENXR_RECORD=/path/take.session. `inputanim recover` makes a recording from this file.

Examples:
  inputanim openxr install take.bin --clock real --end loop
  inputanim openxr install")]
pub(crate) struct InstallArgs {
    /// The recording (.bin, or another format that `convert` reads); it must stay where it is
    #[arg(value_name = "FILE")]
    path: Option<PathBuf>,
    #[command(flatten)]
    playback: PlaybackArgs,
    #[command(flatten)]
    libraries: LibraryArgs,
}

/// Remove what `install` has installed
#[derive(Debug, clap::Args)]
pub(crate) struct UninstallArgs {}

/// Show which runtime and which layers OpenXR applications get
#[derive(Debug, clap::Args)]
pub(crate) struct StatusArgs {}

pub(super) fn install(args: &InstallArgs, limits: &Limits) -> anyhow::Result<Outcome> {
    let installation = Installation::open()?;
    let layer = args.libraries.find("inputanim_openxr_layer")?;
    if let Some(path) = &args.path {
        let runtime = args.libraries.find("inputanim_openxr_runtime")?;
        let settings = settings(args, path, limits)?;
        installation.select_runtime(&runtime_manifest(&runtime))?;
        write(
            &installation.settings(),
            &serde_json::to_string_pretty(&settings)?,
        )?;
        note(format_args!("OpenXR applications get {}", path.display()));
    }
    installation.add_layer(layer)?;
    note(format_args!(
        "{RECORD_SETTINGS}=/path/take.session records an application; `inputanim recover` makes a recording from this file"
    ));
    Ok(Outcome::Done)
}

/// Checks that the runtime can read a recording, and returns the settings with which the runtime plays it. Warns of damage in the
/// recording.
fn settings(args: &InstallArgs, path: &Path, limits: &Limits) -> anyhow::Result<Settings> {
    let input = Input::open(path, limits)?;
    let recording = input.recording(limits)?;
    warn_of_damage(&doctor::damage(&recording, |_| true), input.name());
    note_unplayed_devices(&recording);
    let hint = "a recording that is installed must be a file that stays where it is; `inputanim convert` makes one";
    if path == Path::new("-") {
        return Err(Refusal::failure("standard input is not a file", hint));
    }
    // The recordings of a pack are not files.
    let Ok(absolute) = dunce::canonicalize(path) else {
        return Err(Refusal::failure(
            format!("{} is not a file", input.name()),
            hint,
        ));
    };
    let settings = args.playback.settings(absolute, limits)?;
    // The runtime reads the file as this library does.
    match Player::load(settings.clone()) {
        Ok(_) => Ok(settings),
        Err(error) => Err(Refusal::failure(error.to_string(), hint)),
    }
}

pub(super) fn uninstall(_args: &UninstallArgs) -> anyhow::Result<Outcome> {
    let installation = Installation::open()?;
    let removed = [
        installation.deselect_runtime()?,
        remove(&installation.settings())?,
        // On Windows, the folder of the layer is removed if it has no other files.
        installation.remove_layer()?,
    ];
    if removed == [false; 3] {
        note("nothing was installed");
    }
    Ok(Outcome::Done)
}

/// The runtime and the layers that the loader of OpenXR finds without environment variables of an application.
struct Discovered {
    runtime: Option<Manifest>,
    implicit_layers: Vec<Manifest>,
    /// The path of the settings of an installed runtime.
    settings: String,
}

#[cfg(windows)]
fn discovered() -> anyhow::Result<Discovered> {
    Ok(Discovered {
        runtime: super::registry::runtime(),
        implicit_layers: super::registry::implicit_layers(),
        settings: Installation::open()?.settings().display().to_string(),
    })
}

#[cfg(not(windows))]
fn discovered() -> anyhow::Result<Discovered> {
    let folders = super::user_files::folders()?;
    Ok(Discovered {
        runtime: folders.runtime(),
        implicit_layers: folders.implicit_layers(),
        settings: folders.settings().display().to_string(),
    })
}

pub(super) fn status(_args: &StatusArgs) -> anyhow::Result<Outcome> {
    let discovered = discovered()?;
    let mut output = io::stdout().lock();
    let loader = loader();
    let loader = loader.as_deref().map_or(
        "not in the usual folders; many applications have their own".to_owned(),
        |path| path.display().to_string(),
    );
    writeln!(output, "loader    {loader}")?;
    let selected = env::var_os("XR_RUNTIME_JSON").map(PathBuf::from);
    let runtime = match &selected {
        Some(path) => Manifest::read(path),
        None => discovered.runtime,
    };
    match &runtime {
        Some(runtime) => {
            let name = runtime.name().unwrap_or("without a name");
            let by = if selected.is_some() {
                " (XR_RUNTIME_JSON)"
            } else {
                ""
            };
            writeln!(output, "runtime   {name}: {}{by}", runtime.path.display())?;
        }
        None => match &selected {
            Some(path) => writeln!(
                output,
                "runtime   XR_RUNTIME_JSON names no manifest: {}",
                path.display()
            )?,
            None => writeln!(output, "runtime   none")?,
        },
    }
    if runtime
        .as_ref()
        .is_some_and(|runtime| runtime.name() == Some(RUNTIME))
    {
        match Settings::of_process() {
            Ok(settings) => {
                let by = if env::var_os(SETTINGS).is_some() {
                    SETTINGS.to_owned()
                } else {
                    discovered.settings
                };
                writeln!(output, "recording {} ({by})", settings.recording.display())?;
            }
            Err(error) => writeln!(output, "recording {error}")?,
        }
    }
    let explicit = env::var("XR_ENABLE_API_LAYERS").unwrap_or_default();
    let separator = if cfg!(windows) { ';' } else { ':' };
    for name in explicit.split(separator).filter(|name| !name.is_empty()) {
        writeln!(output, "layer     {name}: on (XR_ENABLE_API_LAYERS)")?;
    }
    for layer in discovered.implicit_layers {
        let is_set = |member: &str| {
            let variable = layer.variable(member)?;
            env::var_os(variable).map(|_| variable.to_owned())
        };
        let enabled_by = layer.variable("enable_environment");
        let state = match (
            is_set("disable_environment"),
            enabled_by,
            is_set("enable_environment"),
        ) {
            (Some(variable), ..) => format!("off ({variable} is set)"),
            (None, None, _) => "on".to_owned(),
            (None, _, Some(variable)) => format!("on ({variable} is set)"),
            (None, Some(variable), None) => format!("off ({variable} is not set)"),
        };
        let name = layer.name().unwrap_or("without a name");
        writeln!(
            output,
            "layer     {name}: {state}: {}",
            layer.path.display()
        )?;
    }
    for name in ["inputanim_openxr_runtime", "inputanim_openxr_layer"] {
        let library = library::installed(name);
        let library =
            library.map_or_else(|error| error.to_string(), |path| path.display().to_string());
        writeln!(output, "library   {library}")?;
    }
    Ok(Outcome::Done)
}

/// Returns the path of the OpenXR loader in the usual folders for libraries. `None` if it is in none of them.
fn loader() -> Option<PathBuf> {
    let (variable, name) = if cfg!(windows) {
        ("PATH", "openxr_loader.dll")
    } else {
        ("LD_LIBRARY_PATH", "libopenxr_loader.so.1")
    };
    let listed = env::var_os(variable).unwrap_or_default();
    let usual = [
        "/usr/local/lib",
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
    ];
    let folders = env::split_paths(&listed).chain(usual.map(PathBuf::from));
    let mut paths = folders.map(|folder| folder.join(name));
    paths.find(|path| path.is_file())
}
