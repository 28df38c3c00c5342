//! How a recording is played.

use std::path::PathBuf;

use clap::ValueEnum;
use inputanim::Limits;
use inputanim_openxr::{AtEnd, Clock, Profile, Settings};

use super::library;
use crate::arguments::values;
use crate::messages::outcome::Refusal;

/// How a recording is played.
#[derive(Debug, clap::Args)]
pub(super) struct PlaybackArgs {
    /// The clock of the frames
    #[arg(long, value_enum, default_value_t)]
    clock: ClockArg,
    /// Frames per second of the clocks `step` and `real`
    #[arg(long, value_name = "HZ", default_value_t = 60.0, value_parser = values::rate)]
    rate: f64,
    /// What happens at the end of the recording
    #[arg(long, value_enum, default_value_t)]
    end: EndArg,
    /// Save what the application draws: a PNG for each eye and frame
    #[arg(long, value_name = "FOLDER")]
    screenshots: Option<PathBuf>,
    /// Save only each Nth frame
    #[arg(long, value_name = "N", default_value_t = 1, requires = "screenshots")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..))]
    every: u32,
    /// The distance between the eyes [default: the recorded distance, or 63mm]
    #[arg(long, value_name = "LENGTH", value_parser = values::length)]
    eye_distance: Option<f64>,
    /// The width and height of the images in pixels [default: 1024x1024]
    #[arg(long, value_name = "WxH", value_parser = size)]
    size: Option<[u32; 2]>,
    /// Play over the runtime that applications get without inputanim, which shows the frames in its headset
    #[arg(long, conflicts_with_all = ["screenshots", "eye_distance", "size"])]
    pub(super) over_runtime: bool,
    /// The height of the floor in the recording [default: 0 for a head above 0.9 m, otherwise -1.6m]
    #[arg(long, value_name = "METRES", allow_hyphen_values = true)]
    floor: Option<f32>,
    /// The interaction profile of both hands, such as valve/index_controller [default: the recorded one]
    #[arg(long, value_name = "PROFILE", value_parser = profile)]
    profile: Option<String>,
    /// A pinch of a hand without a controller also squeezes
    #[arg(long)]
    pinch_squeezes: bool,
}

/// The clock of the frames.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum ClockArg {
    /// A fixed rate, as fast as the application can.
    #[default]
    Step,
    /// The times of the keys, as fast as the application can.
    Keys,
    /// The time of the computer.
    Real,
}

/// What happens at the end of the recording.
#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum EndArg {
    /// The application is asked to exit.
    #[default]
    Stop,
    /// The last frame stays.
    Hold,
    /// The recording begins again.
    Loop,
}

/// Parses the name of an interaction profile of the hands, with or without `/interaction_profiles/`.
fn profile(text: &str) -> Result<String, String> {
    let hands = || {
        let all = Profile::all().iter();
        all.filter(|profile| profile.users.contains(&"/user/hand/left"))
    };
    let short = |profile: &Profile| {
        let name = profile.name.strip_prefix(PROFILES);
        name.unwrap_or(&profile.name).to_owned()
    };
    let found = hands().find(|one| one.name == text || short(one) == text);
    found.map(|profile| profile.name.clone()).ok_or_else(|| {
        let names: Vec<String> = hands().map(short).collect();
        format!("expected one of {}", names.join(", "))
    })
}

/// The part that the names of all interaction profiles have.
pub(super) const PROFILES: &str = "/interaction_profiles/";

fn size(text: &str) -> Result<[u32; 2], String> {
    let parts = text
        .split_once('x')
        .and_then(|(width, height)| Some([width.parse().ok()?, height.parse().ok()?]));
    parts.ok_or_else(|| "expected a width and a height, such as 1280x1024".to_owned())
}

impl PlaybackArgs {
    /// Returns the settings with which the runtime plays a recording. `recording` is the path of its file. Fails
    /// if an option is invalid.
    pub(super) fn settings(&self, recording: PathBuf, limits: &Limits) -> anyhow::Result<Settings> {
        let mut settings = Settings::from(recording);
        settings.no_limits = *limits == Limits::NONE;
        settings.clock = match self.clock {
            ClockArg::Step => Clock::Step,
            ClockArg::Keys => Clock::Keys,
            ClockArg::Real => Clock::Real,
        };
        settings.rate = self.rate;
        settings.at_end = match self.end {
            EndArg::Stop => AtEnd::Stop,
            EndArg::Hold => AtEnd::Hold,
            EndArg::Loop => AtEnd::Loop,
        };
        settings.screenshots = self
            .screenshots
            .as_deref()
            .map(std::path::absolute)
            .transpose()?;
        settings.every = self.every;
        settings.eye_distance = self.eye_distance.map(|metres| metres as f32);
        settings.size = self.size.unwrap_or(settings.size);
        settings.floor = self.floor;
        settings.profile.clone_from(&self.profile);
        settings.pinch_squeezes = self.pinch_squeezes;
        settings.over = self.over_runtime.then(library::other_runtime).transpose()?;
        settings.check().map_err(|error| {
            Refusal::usage(
                error.to_string(),
                "`inputanim openxr play --help` lists the options",
            )
        })?;
        Ok(settings)
    }
}
