//! Settings for playing and for recording.

use std::env;
use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::folders::Folders;
use crate::input_report::InputReport;
use crate::profiles::Profile;

/// The path of a hand, to find the profiles that hands can have.
const HAND: &str = "/user/hand/left";

/// The environment variable that contains the [`Settings`] as JSON, or the path of a recording.
pub const SETTINGS: &str = "INPUTANIM_OPENXR";

/// The clock of the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clock {
    /// The time of the computer.
    Real,
    /// A fixed rate, as fast as the application can. Two runs have the same frames.
    #[default]
    Step,
    /// The times of the keys, as fast as the application can. Two runs have the same frames.
    Keys,
}

/// The action at the end of the recording.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum AtEnd {
    /// The session stops, and the application is asked to exit.
    #[default]
    Stop,
    /// The last frame stays.
    Hold,
    /// The recording begins again.
    Loop,
}

/// The settings of a player. Some fields replace data that a recording may not contain: a value of the settings is used first, then the
/// recorded one, then the default.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct Settings {
    /// The recording: an absolute path.
    pub recording: PathBuf,
    /// The limits of the size of recordings are lifted.
    pub no_limits: bool,
    /// The clock of the frames.
    pub clock: Clock,
    /// Frames per second of the clocks [`Clock::Real`] and [`Clock::Step`], and of the frames before playback begins.
    pub rate: f64,
    /// The action at the end of the recording.
    pub at_end: AtEnd,
    /// The folder for screenshots of the frames; `None` saves none.
    pub screenshots: Option<PathBuf>,
    /// Saves the screenshots of each frame whose index is a multiple of this number.
    pub every: u32,
    /// The distance between the eyes in metres. With `None`, the recorded distance, and 0.063 m without one.
    pub eye_distance: Option<f32>,
    /// The angles of view to the left and right, and up and down, in degrees from the middle. With `None`, the recorded field of
    /// view of each eye, and 45° and 50° without one.
    pub view_angles: Option<[f32; 2]>,
    /// The recommended width and height of the images in pixels.
    pub size: [u32; 2],
    /// The height of the floor in the space of the recording, in metres. `None` finds it: 0 for a head that begins
    /// above 0.9 m, otherwise 1.6 m below the origin, because a HoloLens has the origin at the head.
    pub floor: Option<f32>,
    /// The file into which the runtime writes the [`Report`], as JSON; `None` writes nothing.
    pub report: Option<PathBuf>,
    /// The library of the runtime over which the recording is played. It has the graphics and shows the frames; `None`
    /// needs no other runtime.
    pub over: Option<PathBuf>,
    /// The interaction profile of both hands, such as `/interaction_profiles/valve/index_controller`. With `None`, a hand has the
    /// recorded profile. A hand without a controller then has the first of hand interaction, Touch controller and simple controller
    /// for which the application has bindings.
    pub profile: Option<String>,
    /// A pinch of a hand without a controller also squeezes.
    pub pinch_squeezes: bool,
}

fn parse<T: DeserializeOwned>(origin: &str, bytes: &[u8]) -> Result<T, SettingsError> {
    serde_json::from_slice(bytes).map_err(|source| SettingsError::Invalid {
        origin: origin.to_owned(),
        source,
    })
}

/// Reads settings from the environment variable `name`, which contains JSON or only a path; `None` if it is not set.
fn of_variable<T: DeserializeOwned + From<PathBuf>>(
    name: &str,
) -> Option<Result<T, SettingsError>> {
    env::var_os(name).map(|text| of_text(name, text))
}

/// Reads settings from the value of the environment variable `name`: JSON if it begins with `{`, otherwise a path, with
/// default settings. Fails if the JSON is not valid.
fn of_text<T: DeserializeOwned + From<PathBuf>>(
    name: &str,
    text: OsString,
) -> Result<T, SettingsError> {
    let bytes = text.as_encoded_bytes();
    if bytes.starts_with(b"{") {
        parse(name, bytes)
    } else {
        Ok(T::from(text.into()))
    }
}

/// The default settings for a recording.
impl From<PathBuf> for Settings {
    fn from(recording: PathBuf) -> Settings {
        Settings {
            recording,
            ..Settings::default()
        }
    }
}

/// The default settings for an output.
impl From<PathBuf> for RecordSettings {
    fn from(output: PathBuf) -> RecordSettings {
        RecordSettings {
            output,
            ..RecordSettings::default()
        }
    }
}

/// A setting that is out of its range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{name} must be {allowed}")]
#[non_exhaustive]
pub struct SettingError {
    /// The name of the setting.
    pub name: &'static str,
    /// The values that are allowed.
    pub allowed: &'static str,
}

/// Settings that cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettingsError {
    /// There are no settings.
    #[error("no recording is selected: {SETTINGS} is not set, and no recording is installed")]
    Missing,
    /// The settings are not valid.
    #[error("{origin}: {source}")]
    Invalid {
        /// The variable or the file.
        origin: String,
        /// The reason.
        source: serde_json::Error,
    },
    /// The settings do not name the recording to write.
    #[error("{RECORD_SETTINGS} has no output")]
    NoOutput,
    /// A path cannot be made absolute.
    #[error("{path}: {source}")]
    Path {
        /// The path.
        path: String,
        /// The reason.
        source: io::Error,
    },
}

impl Settings {
    /// Reads the settings of this process: from the variable [`SETTINGS`], which contains JSON or only the path of a
    /// recording. Without the variable, from the settings file of an installed recording.
    ///
    /// # Errors
    /// When there are no settings, or they are not valid.
    pub fn of_process() -> Result<Settings, SettingsError> {
        if let Some(settings) = of_variable(SETTINGS) {
            return settings;
        }
        let path = Folders::of_user().ok_or(SettingsError::Missing)?.settings();
        let bytes = fs::read(&path).map_err(|_| SettingsError::Missing)?;
        parse(&path.display().to_string(), &bytes)
    }

    /// Checks that settings which have no effect over another runtime have their default values: those of screenshots,
    /// eyes and images. Otherwise, the error names the first of them that differs.
    fn check_over_runtime(&self) -> Result<(), SettingError> {
        let defaults = Settings::default();
        let rules = [
            (self.screenshots == defaults.screenshots, "screenshots"),
            (self.every == defaults.every, "every"),
            (self.eye_distance == defaults.eye_distance, "eye_distance"),
            (self.view_angles == defaults.view_angles, "view_angles"),
            (self.size == defaults.size, "size"),
        ];
        let broken = rules.into_iter().find(|(is_default, _)| !is_default);
        broken.map_or(Ok(()), |(_, name)| {
            Err(SettingError {
                name,
                allowed: "left out over another runtime, which has its own images and optics",
            })
        })
    }

    /// Checks that each number is in its range, and that settings without effect over another runtime have default
    /// values.
    ///
    /// # Errors
    /// When this is not the case; the error names the first such setting and its allowed values.
    pub fn check(&self) -> Result<(), SettingError> {
        let rules = [
            (
                (1.0..=1000.0).contains(&self.rate),
                "rate",
                "between 1 and 1000 frames per second",
            ),
            (self.every > 0, "every", "at least 1"),
            (
                self.eye_distance
                    .is_none_or(|distance| (0.0..=1.0).contains(&distance)),
                "eye_distance",
                "between 0 and 1 m",
            ),
            (
                self.view_angles
                    .iter()
                    .flatten()
                    .all(|angle| (1.0..=89.0).contains(angle)),
                "view_angles",
                "between 1 and 89 degrees",
            ),
            (
                self.size.iter().all(|size| (1..=8192).contains(size)),
                "size",
                "between 1 and 8192 pixels",
            ),
            (
                self.floor
                    .is_none_or(|floor| (-100.0..=100.0).contains(&floor)),
                "floor",
                "between -100 and 100 m",
            ),
            (
                self.profile.as_deref().is_none_or(|name| {
                    Profile::find(name).is_some_and(|profile| profile.users.contains(&HAND))
                }),
                "profile",
                "an interaction profile of the hands, such as /interaction_profiles/khr/simple_controller",
            ),
        ];
        let broken = rules.into_iter().find(|(is_valid, ..)| !is_valid);
        if let Some((_, name, allowed)) = broken {
            return Err(SettingError { name, allowed });
        }
        match self.over {
            Some(_) => self.check_over_runtime(),
            None => Ok(()),
        }
    }
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            recording: PathBuf::new(),
            no_limits: false,
            clock: Clock::default(),
            rate: 60.0,
            at_end: AtEnd::default(),
            screenshots: None,
            every: 1,
            eye_distance: None,
            view_angles: None,
            size: [1024, 1024],
            floor: None,
            report: None,
            over: None,
            profile: None,
            pinch_squeezes: false,
        }
    }
}

/// The progress of an application that plays a recording. The runtime writes it for the program that started the
/// application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// The application has made an instance.
    pub has_instance: bool,
    /// The application has begun a session.
    pub has_session: bool,
    /// The frames of the recording that the application has ended.
    pub frames: u64,
    /// The recording is over, so the application was asked to exit.
    pub is_over: bool,
    /// The layers that the saved images of the application do not show, added over all saved frames.
    #[serde(default)]
    pub unsaved_layers: u64,
    /// The inputs that the application got, and those that it did not get.
    pub input: InputReport,
}

/// The name of the layer that records, as it is in manifests.
pub const LAYER: &str = "XR_APILAYER_INPUTANIM_record";

/// The beginning of the names of the action sets of the layer, which are not actions of the application.
pub const RECORDER_SET: &str = "inputanim_recorder";

/// The environment variable that contains the [`RecordSettings`] as JSON, or the path of the recording.
pub const RECORD_SETTINGS: &str = "INPUTANIM_OPENXR_RECORD";

/// The space in which a recording is made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum RecordSpace {
    /// The stage if the runtime has one, otherwise the local space.
    #[default]
    Auto,
    /// The stage: its origin is on the floor.
    Stage,
    /// The local space: its origin is near the head at the beginning.
    Local,
}

/// The settings of a recorder.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
#[non_exhaustive]
pub struct RecordSettings {
    /// The recording: an absolute path. If it exists and may not be replaced, and for further recordings of an
    /// application, the name has a number: `take-1.bin`. The session file and the report have the same number.
    pub output: PathBuf,
    /// A file of an earlier run may be replaced.
    pub replace: bool,
    /// The session file, which contains the frames until the program makes the recording from it; `None` is the path of the recording
    /// with the extension `.session`. An existing file is kept: the files of the recording get the next free number.
    pub session: Option<PathBuf>,
    /// The space in which poses are recorded.
    pub space: RecordSpace,
    /// A file to which other programs append names of markers, one for each line; `None` has no such markers. Lines
    /// that it has before the recording begins are ignored.
    pub markers: Option<PathBuf>,
    /// The file into which the layer writes the [`RecordReport`] of each recording, as JSON; `None` writes nothing.
    pub report: Option<PathBuf>,
    /// The program that started the application makes the recording from the session file. With `false`, the layer says how a user
    /// makes it.
    pub keep_session: bool,
    /// `true` to attach the actions of the layer to a session if the application has created no actions when it gets the input. The
    /// application then cannot attach actions later. With `false`, the layer attaches its actions only together with the first ones
    /// of the application.
    pub own_actions: bool,
}

impl RecordSettings {
    /// Reads the settings of this process from the variable [`RECORD_SETTINGS`], and makes their paths absolute; `None`
    /// if the variable is not set.
    ///
    /// # Errors
    /// When the settings are not valid.
    pub fn of_process() -> Option<Result<RecordSettings, SettingsError>> {
        Some(of_variable(RECORD_SETTINGS)?.and_then(RecordSettings::absolute))
    }

    /// Makes the paths absolute, because an application may change its working directory. Fails if the settings name no
    /// output.
    fn absolute(mut self) -> Result<RecordSettings, SettingsError> {
        if self.output.as_os_str().is_empty() {
            return Err(SettingsError::NoOutput);
        }
        let paths = [
            Some(&mut self.output),
            self.session.as_mut(),
            self.markers.as_mut(),
            self.report.as_mut(),
        ];
        for path in paths.into_iter().flatten() {
            *path = std::path::absolute(&*path).map_err(|source| SettingsError::Path {
                path: path.display().to_string(),
                source,
            })?;
        }
        Ok(self)
    }

    /// Returns the path of the session file: that of the settings, or the path of the output with the extension
    /// `.session`.
    pub fn session_path(&self) -> PathBuf {
        let path = self.session.clone();
        path.unwrap_or_else(|| self.output.with_extension("session"))
    }
}

/// Returns the path with a number: `take-1.bin` for the path `take.bin` and the number 1. The number 0 changes nothing.
pub fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 0 {
        return path.to_owned();
    }
    let mut name = path.file_stem().unwrap_or_default().to_owned();
    name.push(format!("-{number}"));
    if let Some(extension) = path.extension() {
        name.push(".");
        name.push(extension);
    }
    path.with_file_name(name)
}

/// The content of a recording of an application. The layer writes it for the program that started the application.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecordReport {
    /// The session file, from which the recording is made; `None` without frames.
    pub session: Option<PathBuf>,
    /// The number of frames.
    pub frames: u64,
    /// The time of the last frame in seconds. The first frame is at 0.
    pub seconds: f32,
    /// The head was recorded.
    pub head: bool,
    /// The left and the right hand were tracked.
    pub hands: [bool; 2],
    /// The left and the right hand pinched.
    pub pinches: [bool; 2],
    /// The gaze was recorded.
    pub gaze: bool,
    /// The number of markers.
    pub markers: u64,
    /// The controllers and other devices.
    pub devices: Vec<RecordedDevice>,
    /// Messages about parts that the runtime did not offer, or that were skipped.
    pub notes: Vec<String>,
    /// The error that ended the recording early.
    pub error: Option<String>,
}

/// A device in a recording of an application.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecordedDevice {
    /// The name: `left.controller`.
    pub name: String,
    /// The interaction profiles that it had, in the order of their first frames.
    pub profiles: Vec<String>,
    /// The number of frames in which it was active.
    pub frames: u64,
    /// The names of the poses that were recorded.
    pub poses: Vec<String>,
    /// The names of the inputs that were recorded, such as `trigger/value`.
    pub inputs: Vec<String>,
    /// The number of haptic pulses.
    pub haptics: u64,
    /// The names of the actions of the application that were bound to the device and never active.
    pub never_active: Vec<String>,
    /// The inputs of the device that were never read, each with the reason. The reason is empty if the runtime never had a value.
    pub not_read: Vec<(String, String)>,
}

impl RecordedDevice {
    /// Returns a device without recorded content.
    pub fn new(name: &str) -> RecordedDevice {
        RecordedDevice {
            name: name.to_owned(),
            ..RecordedDevice::default()
        }
    }
}

impl RecordReport {
    /// Returns the device with a name; adds it if the report does not have it.
    pub fn device(&mut self, name: &str) -> &mut RecordedDevice {
        let place = self.devices.iter().position(|device| device.name == name);
        let place = place.unwrap_or_else(|| {
            self.devices.push(RecordedDevice::new(name));
            self.devices.len() - 1
        });
        &mut self.devices[place]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_alone_has_the_default_settings() {
        let settings: Settings = of_text(SETTINGS, "/takes/take.bin".into()).expect("valid");
        assert_eq!(settings, Settings::from(PathBuf::from("/takes/take.bin")));
    }

    #[test]
    fn settings_need_an_output_and_have_absolute_paths() {
        let parse = |text: &str| {
            let settings: RecordSettings = of_text(RECORD_SETTINGS, text.into())?;
            settings.absolute()
        };
        let settings = parse(r#"{"output":"take.bin","report":"report.json"}"#).expect("valid");
        assert!(settings.output.is_absolute() && settings.output.ends_with("take.bin"));
        assert!(settings.report.is_some_and(|path| path.is_absolute()));
        let error = |text| parse(text).map_err(|error| error.to_string()).err();
        assert_eq!(
            error("{}").as_deref(),
            Some("INPUTANIM_OPENXR_RECORD has no output")
        );
        assert!(
            error(r#"{"out":"take.bin"}"#).is_some_and(|error| error.contains("unknown field"))
        );
    }

    #[test]
    fn over_another_runtime_only_settings_with_an_effect_are_allowed() {
        let settings = Settings {
            rate: 30.0,
            over: Some("runtime.so".into()),
            ..Settings::default()
        };
        assert_eq!(settings.check(), Ok(()));
        let settings = Settings {
            size: [64, 64],
            ..settings
        };
        assert_eq!(settings.check().map_err(|error| error.name), Err("size"));
    }

    #[test]
    fn a_number_is_before_the_extension() {
        let path = Path::new("/takes/take.bin");
        assert_eq!(numbered(path, 0), path);
        assert_eq!(numbered(path, 2), Path::new("/takes/take-2.bin"));
        assert_eq!(numbered(Path::new("take"), 1), Path::new("take-1"));
    }
}
