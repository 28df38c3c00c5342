//! A recording as an OpenXR device: the poses of head, hands and gaze, the states of the hands, and the times of the
//! frames.
//!
//! The crate knows no function and no structure of OpenXR. The runtime `inputanim-openxr-runtime` translates its results.
//! All poses are in OpenXR's axes ([`inputanim::Space::OpenXr`]), in metres, in the space of the recording.

#![forbid(unsafe_code)]

mod controller;
mod folders;
mod hand;
mod input_report;
mod player;
mod pose;
mod profiles;
mod session_change;
mod settings;
mod timeline;
mod user;
mod velocity;

pub use controller::{DeviceState, HandInput, equivalents, is_bare_hand};
pub use folders::{Folders, Manifest, RUNTIME};
pub use hand::{Hand, joint_radius};
pub use input_report::{InputReport, UserReport};
pub use player::{Around, Eyes, LoadError, PlayedDevice, Player, Scene};
pub use pose::{compose, inverse};
pub use profiles::{Component, ComponentKind, Profile};
pub use session_change::{RECENTRED_MARKER, ReferenceSpace, STATE_MARKER, SessionChange};
pub use settings::{
    AtEnd, Clock, LAYER, RECORD_SETTINGS, RECORDER_SET, RecordReport, RecordSettings, RecordSpace,
    RecordedDevice, Report, SETTINGS, SettingError, Settings, SettingsError, numbered,
};
pub use timeline::{FIRST_TIME, FrameTime, Timeline};
pub use user::User;
pub use velocity::{Motion, RecordedVelocity, Velocity};
