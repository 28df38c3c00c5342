//! A recording, and the poses and states that an application gets at a time.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::sync::Arc;

use glam::{DQuat, DVec3};
use inputanim::headset::{self, Headset, ViewAngles};
use inputanim::velocity::VelocityVector;
use inputanim::{
    CurvePath, Device, DeviceName, Element, InputName, Joint, Limits, MAGIC, Pose, PoseName,
    ReadError, Recording, Sampler, Side, Space, UnplayableCurve,
};
use inputanim_convert::{Format, ReadOptions};

use crate::controller::{DeviceState, equivalents};
use crate::hand::{Hand, joint_radius};
use crate::session_change::{ReferenceSpace, SessionChanges};
use crate::settings::{SettingError, Settings};
use crate::timeline::Timeline;
use crate::user::User;
use crate::velocity::Velocity;

/// A head below this height in metres means that the origin is at the head.
const LOWEST_HEAD: f32 = 0.9;

/// The height of the eyes of a standing person in metres.
const EYE_HEIGHT: f32 = 1.6;

/// The time in seconds between the two frames whose difference is a velocity.
const VELOCITY_STEP: f32 = 1.0 / 120.0;

/// A recording that cannot be played.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file cannot be opened.
    #[error("cannot open {path}: {source}")]
    Open {
        /// The path of the recording.
        path: String,
        /// The reason.
        source: std::io::Error,
    },
    /// The file is not a recording.
    #[error("cannot read {path}: {source}")]
    Read {
        /// The path of the recording.
        path: String,
        /// The reason.
        source: ReadError,
    },
    /// The file is not a recording in its format, or this build does not read the format.
    #[error("cannot read {path}: {source}")]
    Convert {
        /// The path of the recording.
        path: String,
        /// The reason.
        source: Box<inputanim_convert::Error>,
    },
    /// The recording cannot be evaluated.
    #[error("{0}")]
    Unplayable(#[from] UnplayableCurve),
    /// The recording has no keys.
    #[error("the recording has no keys, so there is nothing to play")]
    Empty,
    /// A setting is out of its range.
    #[error(transparent)]
    Setting(#[from] SettingError),
}

/// The distance between the eyes without a recorded one, in metres.
const EYE_DISTANCE: f32 = 0.063;

/// The angles of view without recorded ones: to the left and right, and up and down, in degrees.
const VIEW_ANGLES: [f32; 2] = [45.0, 50.0];

/// The eyes of the head at one time: those of the settings, otherwise the recorded ones, otherwise the defaults.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Eyes {
    /// The distance between the eyes in metres.
    pub distance: f32,
    /// The field of view of the left and the right eye.
    pub views: [ViewAngles; 2],
}

/// The poses and states that an application gets at one time.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Scene {
    /// The head, without rotation at the height of the eyes if it is not recorded.
    pub head: Pose,
    /// The left and the right hand.
    pub hands: [Hand; 2],
    /// The devices of [users](User) that the recording has.
    pub devices: Vec<(DeviceName, DeviceState)>,
    /// The gaze, as a pose that looks along −Z; `None` if it is not recorded.
    pub gaze: Option<Pose>,
}

impl Scene {
    /// Returns the device with a name; `None` if the recording does not have it.
    pub fn device(&self, name: DeviceName) -> Option<&DeviceState> {
        let found = self.devices.iter().find(|(other, _)| *other == name);
        found.map(|(_, device)| device)
    }
}

/// A recording that is played.
pub struct Player {
    settings: Settings,
    /// The recording without the inputs of the headset, which few calls need.
    sampler: Sampler,
    /// The inputs of the headset; `None` if the recording has none.
    headset: Option<Sampler>,
    /// The times of all keys.
    keys: Vec<f32>,
    range: [f32; 2],
    floor: f32,
    /// The position of the local space: the height of the head at the beginning.
    local: [f32; 3],
    devices: Vec<PlayedDevice>,
    changes: SessionChanges,
}

/// A device that is played, for the complete recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PlayedDevice {
    /// The name of the device.
    pub name: DeviceName,
    /// The inputs that are recorded, without the velocities of poses, in the order of their names.
    pub inputs: Vec<InputName>,
    /// The poses that are recorded, in the order of their names.
    pub poses: Vec<PoseName>,
    /// The interaction profiles, each of them once, in the order of time.
    pub profiles: Vec<Arc<str>>,
    /// The number of haptic pulses that the recorded application asked for.
    pub haptics: usize,
}

impl PlayedDevice {
    /// Returns the device of a recording. `None` if it has no profile, no pose and no input, or if applications of OpenXR cannot get it.
    fn new(device: &Device<'_>) -> Option<PlayedDevice> {
        let is_recorded =
            !device.profiles.is_empty() || device.curves().any(|(_, curve)| !curve.is_empty());
        User::of_device(device.name).filter(|_| is_recorded)?;
        let (inputs, poses) = (device.inputs.iter(), device.poses.iter());
        let mut profiles: Vec<Arc<str>> = Vec::new();
        for profile in device
            .profiles
            .iter()
            .filter_map(|one| one.profile.as_ref())
        {
            if !profiles.contains(profile) {
                profiles.push(Arc::clone(profile));
            }
        }
        Some(PlayedDevice {
            name: device.name,
            inputs: inputs
                .filter(|(name, curve)| {
                    !curve.curve().is_empty() && VelocityVector::of(*name).is_none()
                })
                .map(|(name, _)| *name)
                .collect(),
            poses: poses
                .filter(|(_, curves)| !curves.is_empty())
                .map(|(name, _)| *name)
                .collect(),
            profiles,
            haptics: device.haptics.len(),
        })
    }

    /// Returns the name of a recorded input; `None` if the device does not have it.
    pub fn input(&self, name: &str) -> Option<InputName> {
        let found = self.inputs.iter().find(|other| other.as_str() == name);
        found.copied()
    }

    /// Returns the recorded input that gives the value of an input of another profile: the input with the same name, otherwise the
    /// first recorded one of the [`equivalents`]. `None` if none of them is recorded.
    pub fn equivalent(&self, input: &str) -> Option<InputName> {
        let names = [input]
            .into_iter()
            .chain(equivalents(input).iter().copied());
        names.filter_map(|name| self.input(name)).next()
    }
}

/// Returns the recording with held values instead of the gaps of head, hands and gaze, as in files of MRTK, because a headset
/// always gives these values. A device keeps its gaps, except the headset.
fn without_gaps<'r, 'a>(recording: &'r Recording<'a>) -> Cow<'r, Recording<'a>> {
    if recording.known.is_complete() {
        return Cow::Borrowed(recording);
    }
    let mut held = recording.with_held_gaps().into_owned();
    held.devices.clone_from(&recording.devices);
    for (element, gaps) in recording.known.iter() {
        let device = element.device();
        if device.is_some_and(|name| name != headset::name()) {
            gaps.iter()
                .for_each(|&gap| held.known.add_gap(element, gap));
        }
    }
    Cow::Owned(held)
}

impl Player {
    /// Reads the recording that the settings name, and prepares it for playback. It is a file of MRTK, or has another format that
    /// this build reads, such as JSON or MCAP.
    ///
    /// # Errors
    /// When the file cannot be read, or the recording has no keys or cannot be evaluated, or a setting is out of its
    /// range.
    pub fn load(settings: Settings) -> Result<Player, LoadError> {
        let path = || settings.recording.display().to_string();
        let unread = |source| LoadError::Open {
            path: path(),
            source,
        };
        let mut file = BufReader::new(File::open(&settings.recording).map_err(unread)?);
        let limits = if settings.no_limits {
            Limits::NONE
        } else {
            Limits::default()
        };
        let no_recording = |source| LoadError::Read {
            path: path(),
            source,
        };
        if file.fill_buf().map_err(unread)?.starts_with(&MAGIC) {
            let recording = Recording::read(file, &limits).map_err(no_recording)?;
            return Player::new(&recording, settings);
        }
        let mut bytes = Vec::new();
        let max_bytes = limits.max_bytes;
        let mut file = file.take(max_bytes.saturating_add(1));
        let length = file.read_to_end(&mut bytes).map_err(unread)?;
        if length as u64 > max_bytes {
            let message = format!("expected at most {max_bytes} bytes (the limit), found more");
            return Err(unread(io::Error::other(message)));
        }
        // The error of a file without a known format is that of a file of MRTK.
        let Some(format) = Format::detect(&bytes).filter(|format| *format != Format::Bin) else {
            let recording = Recording::read(&bytes[..], &limits).map_err(no_recording)?;
            return Player::new(&recording, settings);
        };
        let mut options = ReadOptions::default();
        options.limits = limits;
        let read = inputanim_convert::read(format, &bytes, &options);
        let (recording, _) = read.map_err(|source| LoadError::Convert {
            path: path(),
            source: Box::new(source),
        })?;
        Player::new(&recording, settings)
    }

    /// Prepares a recording for playback. The path of a recording in the settings is ignored.
    ///
    /// # Errors
    /// When the recording has no keys or cannot be evaluated, or a setting is out of its range.
    pub fn new(recording: &Recording<'_>, settings: Settings) -> Result<Player, LoadError> {
        settings.check()?;
        let held = without_gaps(recording);
        let all = Sampler::new(&held)?;
        let range = all.range().ok_or(LoadError::Empty)?;
        let keys = all.key_times();
        let is_of_headset = |path: CurvePath| Element::from(path).device() == Some(headset::name());
        let (sampler, headset) = match held.device(headset::name()) {
            Some(_) => (
                Sampler::of_curves(&held, |path| !is_of_headset(path))?,
                Some(Sampler::of_curves(&held, is_of_headset)?),
            ),
            None => (all, None),
        };
        // Playback in MRTK begins at 0. Some recordings have keys before.
        let start = range.start.min(0.0);
        let end = range.end.max(start);
        if !(start.is_finite() && end.is_finite()) {
            return Err(LoadError::Empty);
        }
        let head = sampler.frame_at(start).head;
        let is_at_head = head.is_some_and(|head| head.position[1] < LOWEST_HEAD);
        let floor = settings
            .floor
            .unwrap_or(if is_at_head { -EYE_HEIGHT } else { 0.0 });
        let height = head.map_or(floor + EYE_HEIGHT, |head| head.position[1]);
        Ok(Player {
            local: [0.0, if is_at_head { 0.0 } else { height }, 0.0],
            settings,
            sampler,
            headset,
            keys,
            range: [start, end],
            floor,
            devices: recording
                .devices
                .iter()
                .filter_map(PlayedDevice::new)
                .collect(),
            changes: SessionChanges::new(recording),
        })
    }

    /// Returns the settings of this player.
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns a new timeline, which computes the times of the frames of a session that plays this recording.
    pub fn timeline(&self) -> Timeline {
        let Settings {
            clock,
            at_end,
            rate,
            ..
        } = self.settings;
        Timeline::new(clock, at_end, rate, self.range, self.keys.iter().copied())
    }

    /// Returns the origin of the stage space, as a pose in the space of the recording: on the floor, without rotation.
    pub const fn stage(&self) -> Pose {
        Pose::at([0.0, self.floor, 0.0])
    }

    /// Returns the origin of the local space, as a pose in the space of the recording: at the height of the head when
    /// the recording begins, without rotation.
    pub const fn local(&self) -> Pose {
        Pose::at(self.local)
    }

    /// Returns `true` if the recorded application had the input at a time of the recording in seconds. A recording states
    /// this with the markers `session visible` and `session focused`; without them, the application always had it.
    pub fn has_focus_at(&self, time: f32) -> bool {
        self.changes.has_focus_at(time)
    }

    /// Returns the reference spaces whose origins moved after a time of the recording until another one, in seconds, in the
    /// order of time. A recording states them with markers such as `recentred local`.
    pub fn recentred(&self, after: f32, until: f32) -> impl Iterator<Item = ReferenceSpace> + '_ {
        self.changes.recentred(after, until)
    }

    /// Returns `true` if the recording contains at least one joint of the hand on this side.
    pub fn has_hand(&self, side: Side) -> bool {
        self.sampler
            .recorded_joints(side)
            .iter()
            .any(|(_, &is_recorded)| is_recorded)
    }

    /// Returns the devices that are played, in the order of the recording.
    pub fn devices(&self) -> &[PlayedDevice] {
        &self.devices
    }

    /// Returns the device with a name; `None` if it is not recorded or not played.
    pub fn device(&self, name: DeviceName) -> Option<&PlayedDevice> {
        self.devices.iter().find(|device| device.name == name)
    }

    /// Returns `true` if the recording contains a gaze.
    pub fn has_gaze(&self) -> bool {
        self.sampler.has_gaze()
    }

    /// Returns the poses and states that an application gets at a time of the recording in seconds.
    pub fn scene_at(&self, time: f32) -> Scene {
        let frame = self.sampler.frame_at(time);
        let standing = Pose::at([0.0, self.floor + EYE_HEIGHT, 0.0]);
        Scene {
            head: frame.head.map_or(standing, |head| Space::OpenXr.pose(head)),
            hands: Side::BOTH.map(|side| Hand::new(frame.hand(side), side)),
            devices: self
                .devices
                .iter()
                .map(|device| (device.name, DeviceState::new(frame.device(device.name))))
                .collect(),
            gaze: frame.gaze.map(|ray| {
                let ray = Space::OpenXr.ray(ray);
                Pose {
                    position: ray.origin,
                    rotation: looking_along(ray.direction),
                }
            }),
        }
    }

    /// Returns the recorded values of the headset at a time of the recording in seconds. Unknown values are `None`, and all are
    /// without a recorded headset.
    pub fn headset_at(&self, time: f32) -> Headset {
        let sampler = self.headset.as_ref();
        let frame = sampler.map(|sampler| sampler.frame_at(time));
        let device = frame
            .as_ref()
            .and_then(|frame| frame.device(headset::name()));
        device.map(Headset::of).unwrap_or_default()
    }

    /// Returns the eyes that an application gets at a time of the recording in seconds.
    pub fn eyes_at(&self, time: f32) -> Eyes {
        let headset = self.headset_at(time);
        let symmetric = |degrees: [f32; 2]| {
            let [right, up] = degrees.map(f32::to_radians);
            ViewAngles {
                left: -right,
                right,
                up,
                down: -up,
            }
        };
        let is_finite = |view: &ViewAngles| {
            let ViewAngles {
                left,
                right,
                up,
                down,
            } = *view;
            [left, right, up, down]
                .iter()
                .all(|angle| angle.is_finite())
        };
        let distance = headset.eye_distance.filter(|value| value.is_finite());
        let chosen = self.settings.view_angles;
        Eyes {
            distance: self
                .settings
                .eye_distance
                .or(distance)
                .unwrap_or(EYE_DISTANCE),
            views: headset.views.map(|view| {
                let recorded = view.filter(is_finite);
                let chosen = chosen.map(symmetric);
                chosen
                    .or(recorded)
                    .unwrap_or_else(|| symmetric(VIEW_ANGLES))
            }),
        }
    }

    /// Returns the radii of the joints of the hand on this side, in metres and in the order of [`Joint::OPENXR`]: those of the
    /// recorded values `headset`, otherwise those of [`joint_radius`].
    pub fn radii(side: Side, headset: &Headset) -> [f32; 26] {
        Joint::OPENXR.map(|joint| {
            let recorded = headset.radius(side, joint);
            let recorded = recorded.filter(|radius| radius.is_finite());
            recorded.unwrap_or_else(|| joint_radius(joint))
        })
    }

    /// Returns `true` if the joints of the hand on this side are computed from the state of a controller, while the headset has the
    /// recorded values `headset` and the application gets `scene`. If the recording does not say this, they are if the hand holds
    /// a controller then.
    pub fn is_from_controller(side: Side, headset: &Headset, scene: &Scene) -> bool {
        let index = usize::from(side == Side::Right);
        let recorded = headset.from_controller[index];
        let controller = scene.device(DeviceName::controller(side));
        recorded.unwrap_or_else(|| controller.is_some_and(DeviceState::is_held))
    }

    /// Returns the scenes 1/120 s before and after a time of the recording in seconds, for velocities. Times outside of
    /// the recording are replaced by its start or end.
    pub fn around(&self, time: f32) -> Around {
        let [start, end] = self.range;
        let times = [
            (time - VELOCITY_STEP).max(start),
            (time + VELOCITY_STEP).min(end),
        ];
        Around {
            scenes: times.map(|time| self.scene_at(time)),
            seconds: f64::from(times[1]) - f64::from(times[0]),
        }
    }
}

/// The scenes shortly before and after a time, 1/60 s apart, or less at the ends of the recording.
#[derive(Clone, Debug)]
pub struct Around {
    scenes: [Scene; 2],
    seconds: f64,
}

impl Around {
    /// Returns the velocity of a pose that `select` takes from a scene: the difference between the two scenes, divided
    /// by the time between them. Zero if the scenes have the same time; `None` if one of the scenes does not have the
    /// pose.
    pub fn velocity(&self, select: impl Fn(&Scene) -> Option<Pose>) -> Option<Velocity> {
        let [before, after] = &self.scenes;
        let (before, after) = (select(before)?, select(after)?);
        if self.seconds <= 0.0 {
            return Some(Velocity::default());
        }
        let [from, to] =
            [before, after].map(|pose| DQuat::from_array(pose.rotation.map(f64::from)));
        // The shortest rotation: a quaternion and its negative are the same rotation.
        let turn = to * from.conjugate();
        let turn = if turn.w < 0.0 { -turn } else { turn };
        let angular = turn.to_scaled_axis() / self.seconds;
        let linear = |axis: usize| {
            let [from, to] = [before, after].map(|pose| f64::from(pose.position[axis]));
            ((to - from) / self.seconds) as f32
        };
        Some(Velocity {
            linear: std::array::from_fn(linear),
            angular: angular.to_array().map(|part| part as f32),
        })
    }
}

/// Returns the rotation, as a quaternion (x, y, z, w), that turns −Z to a direction and has no roll. The direction need
/// not have unit length; the identity for a zero vector.
fn looking_along(direction: [f32; 3]) -> [f32; 4] {
    let direction = DVec3::from_array(direction.map(f64::from)).normalize_or(DVec3::NEG_Z);
    // First a turn about +Y, then one about the turned +X.
    let yaw = (-direction.x).atan2(-direction.z);
    let pitch = direction.y.clamp(-1.0, 1.0).asin();
    let rotation = DQuat::from_rotation_y(yaw) * DQuat::from_rotation_x(pitch);
    rotation.to_array().map(|part| part as f32)
}

#[cfg(test)]
mod tests {
    use inputanim::{Frame, Layout, Recorder};

    use super::*;

    /// Returns the player of a recording of one second in which a palm moves at 2 m/s along +X. The head stays at the
    /// height `head` in metres.
    fn player(head: f32) -> Player {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for time in [0.0, 1.0] {
            let mut frame = Frame {
                time,
                head: Some(Pose::at([0.0, head, 0.0])),
                ..Frame::default()
            };
            frame.left.tracked = true;
            frame.left.joints[Joint::Palm] = Some(Pose::at([2.0 * time, 1.0, 0.5]));
            recorder.push(&frame).expect("the time increases");
        }
        Player::new(&recorder.finish(), Settings::default()).expect("the recording has keys")
    }

    #[test]
    fn poses_have_the_axes_of_openxr() {
        let scene = player(1.7).scene_at(0.5);
        let palm = scene.hands[0].joint(Joint::Palm);
        assert_eq!(palm, Some(Pose::at([1.0, 1.0, -0.5])));
        assert_eq!(scene.hands[1].joint(Joint::Palm), None);
        assert_eq!(scene.gaze, None);
    }

    #[test]
    fn a_velocity_is_the_change_of_a_pose() {
        let palm = |scene: &Scene| scene.hands[0].joint(Joint::Palm);
        for time in [0.0, 0.5, 1.0] {
            let velocity = player(1.7)
                .around(time)
                .velocity(palm)
                .expect("the palm is tracked");
            assert!((velocity.linear[0] - 2.0).abs() < 1e-3, "{velocity:?}");
            assert_eq!(velocity.angular, [0.0; 3]);
        }
    }

    #[test]
    fn the_floor_is_below_a_head_at_the_origin() {
        assert_eq!(player(1.7).stage(), Pose::IDENTITY);
        assert_eq!(player(1.7).local(), Pose::at([0.0, 1.7, 0.0]));
        assert_eq!(player(0.1).stage(), Pose::at([0.0, -1.6, 0.0]));
        assert_eq!(player(0.1).local(), Pose::IDENTITY);
    }

    #[test]
    fn a_gaze_looks_along_its_direction() {
        for direction in [
            [0.6, 0.0, 0.8],
            [0.0, 1.0, 0.0],
            [-0.48, -0.6, 0.64],
            [0.0, 0.0, -1.0],
        ] {
            let gaze = Pose {
                rotation: looking_along(direction),
                ..Pose::IDENTITY
            };
            let seen = gaze.turn([0.0, 0.0, -1.0]);
            let error = (0..3)
                .map(|axis| (seen[axis] - direction[axis]).abs())
                .fold(0.0, f32::max);
            assert!(error < 1.2e-7 * 2.0, "{direction:?}: {seen:?}");
        }
    }

    /// Returns the player of a recording of one second in which the eyes are 64 mm apart from 0.5 s on. At the beginning, the
    /// headset is unknown.
    fn with_headset(settings: Settings) -> Player {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        for time in [0.0, 0.5, 1.0] {
            let mut headset = Headset::default();
            headset.eye_distance = Some(0.064);
            headset.views[0] = Some(ViewAngles {
                left: -0.9,
                right: 0.7,
                up: 0.8,
                down: -0.6,
            });
            headset.set_radius(Side::Left, Joint::Palm, Some(0.03));
            headset.from_controller[1] = Some(time >= 1.0);
            let mut frame = Frame {
                time,
                head: Some(Pose::at([0.0, 1.7, 0.0])),
                ..Frame::default()
            };
            if time > 0.0 {
                frame.devices.push(headset.device_frame());
            }
            recorder.push(&frame).expect("the time increases");
        }
        Player::new(&recorder.finish(), settings).expect("the recording has keys")
    }

    #[test]
    fn settings_replace_the_recorded_eyes_and_defaults_the_rest() {
        // A headset has eyes at all times, so the first known value holds before.
        for time in [0.0, 0.25, 0.5, 1.0] {
            let eyes = with_headset(Settings::default()).eyes_at(time);
            assert_eq!(eyes.distance, 0.064);
            let [left, right] = eyes.views;
            assert_eq!(
                [left.left, left.right, left.up, left.down],
                [-0.9, 0.7, 0.8, -0.6]
            );
            assert_eq!([right.left, right.up], [-45.0, 50.0].map(f32::to_radians));
        }
        let settings = Settings {
            eye_distance: Some(0.07),
            view_angles: Some([40.0, 30.0]),
            ..Settings::default()
        };
        let eyes = with_headset(settings).eyes_at(0.5);
        assert_eq!(eyes.distance, 0.07);
        for view in eyes.views {
            assert_eq!([view.right, view.down], [40.0, -30.0].map(f32::to_radians));
        }
        assert_eq!(player(1.7).eyes_at(0.5).distance, 0.063);
    }

    #[test]
    fn radii_that_are_not_recorded_are_typical_ones() {
        let player = with_headset(Settings::default());
        let headset = player.headset_at(0.5);
        let [palm, wrist, ..] = Player::radii(Side::Left, &headset);
        assert_eq!([palm, wrist], [0.03, joint_radius(Joint::Wrist)]);
        let [palm, ..] = Player::radii(Side::Right, &headset);
        assert_eq!(palm, joint_radius(Joint::Palm));
    }

    #[test]
    fn a_hand_is_from_a_controller_as_recorded() {
        let player = with_headset(Settings::default());
        let at = |side, time| {
            Player::is_from_controller(side, &player.headset_at(time), &player.scene_at(time))
        };
        assert_eq!([0.5, 1.0].map(|time| at(Side::Right, time)), [false, true]);
        assert!(!at(Side::Left, 1.0));
    }

    #[test]
    fn the_times_of_keys_include_those_of_the_headset() {
        let mut recording = Recording::new(inputanim::Layout::Mrtk1_1);
        recording.head_mut().push(0.0, &Pose::IDENTITY);
        let device = recording.device_mut(headset::name());
        let name = headset::EYE_DISTANCE.parse().expect("a name");
        for (time, distance) in [(0.0, 0.06), (0.5, 0.07)] {
            device.push_input(name, time, inputanim::InputValue::Float(distance));
        }
        let settings = Settings {
            clock: crate::settings::Clock::Keys,
            ..Settings::default()
        };
        let player = Player::new(&recording, settings).expect("the recording has keys");
        assert_eq!(
            [0.4, 0.5].map(|time| player.eyes_at(time).distance),
            [0.06, 0.07]
        );
        let mut timeline = player.timeline();
        timeline.begin(0);
        let times = [0, 0].map(|now| {
            let frame = timeline.wait(now);
            timeline.recording_time(frame.display)
        });
        assert_eq!(times, [0.0, 0.5]);
    }

    #[test]
    fn settings_out_of_range_are_refused() {
        let mut recorder = Recorder::new(Layout::Mrtk1_1);
        recorder
            .push(&Frame {
                head: Some(Pose::IDENTITY),
                ..Frame::default()
            })
            .expect("the first frame");
        let settings = Settings {
            rate: f64::NAN,
            ..Settings::default()
        };
        let error = Player::new(&recorder.finish(), settings)
            .err()
            .expect("the rate is not a number");
        assert_eq!(
            error.to_string(),
            "rate must be between 1 and 1000 frames per second"
        );
    }
}
