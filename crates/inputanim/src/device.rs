//! Devices of a recording that MRTK's files do not have: the controllers in the hands, trackers and others, each with
//! poses, inputs and haptic pulses.

mod components;
mod loss;
mod mirror;
mod names;

use std::borrow::Cow;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::sync::Arc;

pub(crate) use components::COMPONENTS;
pub use loss::DeviceLoss;
pub use names::{DeviceName, InputName, InvalidName, OutputName, PoseName};
pub(crate) use names::{PROFILE, from_dots};

use crate::curve::{BooleanCurve, Curve, CurveMut, FloatCurve, KeyKind, Keys};
use crate::element::Element;
use crate::headset;
use crate::key::FullKey;
use crate::order;
use crate::path::{CurvePath, PoseChannel};
use crate::pose::PoseCurves;
use crate::time_range::TimeRange;
use crate::velocity::VelocityVector;

/// A device over time: a controller, a tracker or another one.
///
/// ```
/// use inputanim::{DeviceName, InputValue, Layout, Pose, Recording, Side};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// let right = recording.device_mut(DeviceName::controller(Side::Right));
/// right.set_profile(0.0, "/interaction_profiles/valve/index_controller");
/// right.pose_mut("aim".parse()?).push(0.0, &Pose::IDENTITY);
/// right.push_input("trigger/value".parse()?, 0.0, InputValue::Float(0.5));
/// right.push_input("a/click".parse()?, 0.0, InputValue::Boolean(true));
/// let names: Vec<String> = right.curves().map(|(path, _)| path.to_string()).collect();
/// assert_eq!(names[0], "right.controller.aim.position.x");
/// assert_eq!(names[7..], ["right.controller.a.click", "right.controller.trigger.value"]);
/// # Ok::<(), inputanim::InvalidName>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Device<'a> {
    /// The name.
    pub name: DeviceName,
    /// The interaction profile over time, in order of time: what kind of device it is, and whether it is active. A device
    /// without changes is active at all times, and its profile is not known. Otherwise it is not active before the first change.
    pub profiles: Vec<ProfileChange>,
    /// The poses by name, in the order of the names: `grip`, `aim`.
    pub poses: Vec<(PoseName, PoseCurves<'a>)>,
    /// The inputs by name, in the order of the names: `trigger/value`, `a/click`.
    pub inputs: Vec<(InputName, InputCurve<'a>)>,
    /// The haptic pulses that the application asked for, in order of time.
    pub haptics: Vec<Haptic>,
}

/// The time from which a device has an interaction profile.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfileChange {
    /// Time in seconds.
    pub time: f32,
    /// `true` if the device is active from then on.
    pub active: bool,
    /// The profile, such as `/interaction_profiles/valve/index_controller` in OpenXR or `oculus-touch-v3` in WebXR; `None` if it is
    /// not known, or the device is not active.
    pub profile: Option<Arc<str>>,
}

// No time is NaN: times come from the recorder and from readers that check them.
impl Eq for ProfileChange {}

/// The values of an input over time.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputCurve<'a> {
    /// A value such as that of a trigger (0 to 1) or an axis of a thumbstick (−1 to 1). The keys are interpolated as those of
    /// other curves: simple keys linearly, and full keys with infinite tangents not at all.
    Float(FloatCurve<'a>),
    /// A state such as that of a button: on or off.
    Boolean(BooleanCurve<'a>),
}

/// A haptic pulse: a vibration of a device.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
pub struct Haptic {
    /// Time in seconds.
    pub time: f32,
    /// The part of the device that vibrates, as in OpenXR's paths after `/output/`: `haptic`, `haptic_trigger`.
    pub output: OutputName,
    /// Duration in seconds; `None` for the shortest that the device has.
    pub duration: Option<f32>,
    /// Frequency in Hz; `None` if the device chooses it.
    pub frequency: Option<f32>,
    /// Amplitude, 0 to 1; 0 stops a vibration.
    pub amplitude: f32,
}

// No number is NaN.
impl Eq for Haptic {}

impl Haptic {
    /// Checks that the numbers are finite, that the duration and the frequency are 0 or more, and that the amplitude is from 0 to 1,
    /// as [OpenXR](https://registry.khronos.org/OpenXR/specs/1.1/man/html/XrHapticVibration.html) defines them. Recorders refuse
    /// other pulses, and readers drop and report them.
    ///
    /// # Errors
    /// When a number is out of range.
    ///
    /// ```
    /// use inputanim::Haptic;
    /// let output = "haptic".parse()?;
    /// let pulse = Haptic { time: 0.5, output, duration: None, frequency: None, amplitude: 2.0 };
    /// assert!(pulse.check().is_err());
    /// assert!(Haptic { amplitude: 1.0, ..pulse }.check().is_ok());
    /// # Ok::<(), inputanim::InvalidName>(())
    /// ```
    pub fn check(&self) -> Result<(), InvalidHaptic> {
        let lengths = [self.duration, self.frequency];
        let is_valid = self.time.is_finite()
            && (0.0..=1.0).contains(&self.amplitude)
            && lengths
                .into_iter()
                .flatten()
                .all(|number| number.is_finite() && number >= 0.0);
        if is_valid {
            Ok(())
        } else {
            Err(InvalidHaptic(*self))
        }
    }
}

/// An error: a number of a haptic pulse is not finite or out of range.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub struct InvalidHaptic(pub Haptic);

impl fmt::Display for InvalidHaptic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InvalidHaptic(pulse) = self;
        f.write_str(
            "expected finite numbers, a duration and a frequency of 0 or more, and an amplitude from 0 to 1, found ",
        )?;
        write!(f, "time {} s, ", pulse.time)?;
        if let Some(duration) = pulse.duration {
            write!(f, "duration {duration} s, ")?;
        }
        if let Some(frequency) = pulse.frequency {
            write!(f, "frequency {frequency} Hz, ")?;
        }
        write!(f, "amplitude {}", pulse.amplitude)
    }
}

/// An error: a profile change or a haptic pulse of a device has a number that is not finite, or a haptic pulse is [not
/// valid](Haptic::check).
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "the device {0} has a number that is not finite, or a haptic pulse with a number out of range"
)]
pub struct InvalidDeviceEvents(pub DeviceName);

impl Hash for Haptic {
    fn hash<H: Hasher>(&self, state: &mut H) {
        // −0 equals 0, so both need the same hash. −0 + 0 is 0.
        let bits = |value: f32| (value + 0.0).to_bits();
        let [duration, frequency] = [self.duration, self.frequency].map(|value| value.map(bits));
        let numbers = (bits(self.time), duration, frequency, bits(self.amplitude));
        (numbers, self.output).hash(state);
    }
}

/// The value of an input at one time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InputValue {
    /// A number: a trigger, an axis.
    Float(f32),
    /// On or off: a button.
    Boolean(bool),
}

impl InputValue {
    /// Returns the value as a number: 1 for on, 0 for off.
    pub const fn number(self) -> f32 {
        match self {
            InputValue::Float(value) => value,
            InputValue::Boolean(is_on) => is_on as u8 as f32,
        }
    }

    /// Returns `true` if the value is on, or a number above 0.5.
    pub const fn is_on(self) -> bool {
        match self {
            InputValue::Float(value) => value > 0.5,
            InputValue::Boolean(is_on) => is_on,
        }
    }

    /// Changes the sign of a number.
    pub(crate) const fn negate(&mut self) {
        if let InputValue::Float(value) = self {
            *value = -*value;
        }
    }
}

impl<'a> InputCurve<'a> {
    /// Returns the curve of the values.
    pub fn curve(&self) -> Curve<'_, 'a> {
        match self {
            InputCurve::Float(curve) => Curve::Float(curve),
            InputCurve::Boolean(curve) => Curve::Boolean(curve),
        }
    }

    /// Returns the curve of the values, mutable.
    pub fn curve_mut(&mut self) -> CurveMut<'_, 'a> {
        match self {
            InputCurve::Float(curve) => CurveMut::Float(curve),
            InputCurve::Boolean(curve) => CurveMut::Boolean(curve),
        }
    }

    fn borrowed(&self) -> InputCurve<'_> {
        match self {
            InputCurve::Float(curve) => InputCurve::Float(curve.borrowed()),
            InputCurve::Boolean(curve) => InputCurve::Boolean(BooleanCurve {
                keys: Cow::Borrowed(&curve.keys),
                ..*curve
            }),
        }
    }

    fn into_owned(self) -> InputCurve<'static> {
        match self {
            InputCurve::Float(curve) => InputCurve::Float(curve.into_owned()),
            InputCurve::Boolean(curve) => InputCurve::Boolean(curve.into_owned()),
        }
    }
}

impl<'a> Device<'a> {
    /// Returns a device without poses, inputs and haptic pulses.
    pub const fn new(name: DeviceName) -> Device<'a> {
        Device {
            name,
            profiles: Vec::new(),
            poses: Vec::new(),
            inputs: Vec::new(),
            haptics: Vec::new(),
        }
    }

    /// Returns the curves of a pose; `None` if the device does not have it.
    pub fn pose(&self, name: PoseName) -> Option<&PoseCurves<'a>> {
        Some(&self.poses[place(&self.poses, name).ok()?].1)
    }

    /// Returns the curves of a pose, mutable; adds the pose, without keys, if the device does not have it.
    pub fn pose_mut(&mut self, name: PoseName) -> &mut PoseCurves<'a> {
        get_or_insert(&mut self.poses, name, || PoseCurves::empty(KeyKind::Simple))
    }

    /// Returns the curve of an input; `None` if the device does not have it.
    pub fn input(&self, name: InputName) -> Option<&InputCurve<'a>> {
        Some(&self.inputs[place(&self.inputs, name).ok()?].1)
    }

    /// Returns the curve of an input, mutable; `None` if the device does not have it.
    pub fn input_mut(&mut self, name: InputName) -> Option<&mut InputCurve<'a>> {
        let place = place(&self.inputs, name).ok()?;
        Some(&mut self.inputs[place].1)
    }

    /// Sets the curve of an input; replaces the one that the device has.
    pub fn set_input(&mut self, name: InputName, curve: InputCurve<'a>) {
        match place(&self.inputs, name) {
            Ok(place) => self.inputs[place].1 = curve,
            Err(place) => self.inputs.insert(place, (name, curve)),
        }
    }

    /// Appends a key to the curve of an input, at a time in seconds; adds the input if the device does not have it. An input keeps
    /// the kind of its first value: of an input that is on or off, a number above 0.5 is on; of an input with numbers, on is 1.
    ///
    /// A number of the [headset](crate::headset) holds until the next key, and gets a key only if it differs from that of the last
    /// key.
    pub fn push_input(&mut self, name: InputName, time: f32, value: InputValue) {
        let empty = || match value {
            InputValue::Float(_) => InputCurve::Float(FloatCurve::empty(KeyKind::Simple)),
            InputValue::Boolean(_) => InputCurve::Boolean(BooleanCurve::default()),
        };
        let is_held = self.name == headset::name();
        match get_or_insert(&mut self.inputs, name, empty) {
            InputCurve::Float(curve) if is_held => push_held(&mut curve.keys, time, value.number()),
            InputCurve::Float(curve) => curve.keys.push_linear(time, value.number()),
            InputCurve::Boolean(curve) => curve.push(time, value.is_on()),
        }
    }

    /// Makes the device active, with a profile, from a time in seconds on. The time must not be before that of the last change.
    pub fn set_profile(&mut self, time: f32, profile: &str) {
        self.change_profile(time, true, Some(profile));
    }

    /// Makes the device inactive from a time in seconds on. The time must not be before that of the last change.
    pub fn set_inactive(&mut self, time: f32) {
        self.change_profile(time, false, None);
    }

    /// Adds a change of the profile, unless nothing changes. It replaces another change at its time, which would have no effect.
    pub(crate) fn change_profile(&mut self, time: f32, active: bool, profile: Option<&str>) {
        self.profiles.pop_if(|last| last.time == time);
        let is_same =
            |last: &ProfileChange| last.active == active && last.profile.as_deref() == profile;
        if !self.profiles.last().is_some_and(is_same) {
            self.profiles.push(ProfileChange {
                time,
                active,
                profile: profile.map(Arc::from),
            });
        }
    }

    /// Sets the changes of the profile and the haptic pulses, in the order of their times. A change to inactive has no profile
    /// afterwards.
    ///
    /// # Errors
    /// When a number is not finite, or a haptic pulse is not valid. The device then stays as it is.
    pub(crate) fn set_events(
        &mut self,
        mut profiles: Vec<ProfileChange>,
        mut haptics: Vec<Haptic>,
    ) -> Result<(), InvalidDeviceEvents> {
        let are_valid = profiles.iter().all(|change| change.time.is_finite())
            && haptics.iter().all(|pulse| pulse.check().is_ok());
        if !are_valid {
            return Err(InvalidDeviceEvents(self.name));
        }
        for change in &mut profiles {
            change.profile.take_if(|_| !change.active);
        }
        order::sort_by_time(&mut profiles, |change| change.time);
        order::sort_by_time(&mut haptics, |pulse| pulse.time);
        (self.profiles, self.haptics) = (profiles, haptics);
        Ok(())
    }

    /// Returns the last change of the profile at or before a time in seconds; `None` if there is none.
    pub fn profile_at(&self, time: f32) -> Option<&ProfileChange> {
        let after = self.profiles.partition_point(|change| change.time <= time);
        self.profiles[..after].last()
    }

    /// Returns `true` if the device is active at a time in seconds.
    pub fn is_active_at(&self, time: f32) -> bool {
        self.profiles.is_empty() || self.profile_at(time).is_some_and(|change| change.active)
    }

    /// Returns `true` if the device has no key, no profile and no haptic pulse.
    pub fn is_empty(&self) -> bool {
        self.profiles.is_empty()
            && self.haptics.is_empty()
            && self.curves().all(|(_, curve)| curve.is_empty())
    }

    /// Returns every curve with its name: those of the poses, then those of the inputs.
    pub fn curves(&self) -> impl Iterator<Item = (CurvePath, Curve<'_, 'a>)> {
        (0..).map_while(|index| self.curve_at(index))
    }

    /// Returns the curve with an index, counted from 0: seven for each pose, then one for each input.
    pub(crate) fn curve_at(&self, index: usize) -> Option<(CurvePath, Curve<'_, 'a>)> {
        let channels = PoseChannel::ALL.len();
        if let Some((pose, curves)) = self.poses.get(index / channels) {
            let channel = PoseChannel::ALL[index % channels];
            let path = CurvePath::DevicePose(self.name, *pose, channel);
            return Some((path, Curve::Float(&curves[channel])));
        }
        let (input, curve) = self.inputs.get(index - channels * self.poses.len())?;
        Some((CurvePath::Input(self.name, *input), curve.curve()))
    }

    /// Returns every curve, mutable, with its name, in the order of [`curves`](Device::curves).
    pub fn curves_mut(&mut self) -> impl Iterator<Item = (CurvePath, CurveMut<'_, 'a>)> {
        let mut curves = Vec::new();
        self.add_curves_mut(&mut curves);
        curves.into_iter()
    }

    /// Adds every curve, mutable, with its name, in the order of [`curves`](Device::curves).
    pub(crate) fn add_curves_mut<'r>(&'r mut self, to: &mut Vec<(CurvePath, CurveMut<'r, 'a>)>) {
        let device = self.name;
        for (pose, curves) in &mut self.poses {
            for (channel, curve) in curves.iter_mut() {
                let path = CurvePath::DevicePose(device, *pose, channel);
                to.push((path, CurveMut::Float(curve)));
            }
        }
        for (name, curve) in &mut self.inputs {
            to.push((CurvePath::Input(device, *name), curve.curve_mut()));
        }
    }

    /// Returns the times of the changes of the profile and of the haptic pulses, in seconds. A pulse has its start and its end.
    pub fn event_times(&self) -> impl Iterator<Item = f32> {
        // A chain of iterators would be compiled anew for each use, and is large in WebAssembly.
        let mut times: Vec<f32> = self.profiles.iter().map(|change| change.time).collect();
        for pulse in &self.haptics {
            times.push(pulse.time);
            times.push(pulse.time + pulse.duration.unwrap_or_default().max(0.0));
        }
        times.into_iter()
    }

    /// Applies a non-decreasing function to the times of profiles and haptic pulses, and multiplies the durations of pulses by
    /// `length`.
    pub(crate) fn map_event_times(&mut self, time: impl Fn(f32) -> f32, length: f64) {
        for change in &mut self.profiles {
            change.time = time(change.time);
        }
        for pulse in &mut self.haptics {
            pulse.time = time(pulse.time);
            let scaled = |seconds: f32| (f64::from(seconds) * length) as f32;
            pulse.duration = pulse.duration.map(scaled);
        }
    }

    /// Cuts the profiles and haptic pulses to a time range in seconds. The profile at the start of the range begins there, and
    /// a pulse across the start or the end is shortened.
    pub(crate) fn cut_events(&mut self, range: TimeRange) {
        let before = self
            .profiles
            .partition_point(|change| change.time <= range.start);
        if before > 0 {
            self.profiles.drain(..before - 1);
            self.profiles[0].time = range.start;
        }
        self.profiles.retain(|change| change.time <= range.end);
        for pulse in &mut self.haptics {
            let before = range.start - pulse.time;
            // A pulse that ends before the range keeps its time, and is removed.
            if let Some(seconds) = pulse
                .duration
                .filter(|&seconds| 0.0 < before && before < seconds)
            {
                pulse.time = range.start;
                pulse.duration = Some(seconds - before);
            }
        }
        self.haptics
            .retain(|pulse| range.start <= pulse.time && pulse.time <= range.end);
        for pulse in &mut self.haptics {
            let rest = range.end - pulse.time;
            pulse.duration = pulse.duration.map(|seconds| seconds.min(rest));
        }
    }

    /// Returns the element of the profile, then those of the poses, then those of the inputs.
    pub fn elements(&self) -> impl Iterator<Item = Element> {
        let device = self.name;
        let poses = self.poses.iter();
        let poses = poses.map(move |(pose, _)| Element::DevicePose(device, *pose));
        let inputs = self.inputs.iter();
        let inputs = inputs.map(move |(input, _)| Element::Input(device, *input));
        [Element::Profile(device)]
            .into_iter()
            .chain(poses)
            .chain(inputs)
    }

    /// Adds an input without keys, of the kind of another curve. If the device has it as on or off, and the other curve has
    /// numbers, the input gets numbers that hold from key to key.
    pub(crate) fn add_input(&mut self, name: InputName, like: &InputCurve<'_>) {
        let empty = || match like {
            InputCurve::Float(_) => InputCurve::Float(FloatCurve::empty(KeyKind::Simple)),
            InputCurve::Boolean(_) => InputCurve::Boolean(BooleanCurve::default()),
        };
        let input = get_or_insert(&mut self.inputs, name, empty);
        if let (InputCurve::Boolean(curve), InputCurve::Float(_)) = (&*input, like) {
            let keys = curve.keys.iter().map(|key| {
                let value = f32::from(u8::from(key.is_on()));
                let tangent = f32::INFINITY;
                FullKey::hermite(key.time(), value, tangent, tangent)
            });
            *input = InputCurve::Float(FloatCurve::full(keys));
        }
    }

    /// Appends the profiles and haptic pulses of the device in a recording after this one. `first` is the start of this recording
    /// in seconds, and `start` is that of the next one.
    pub(crate) fn join_events(&mut self, next: Device<'_>, first: f32, start: f32) {
        let mut next_profiles = next.profiles.into_iter();
        if !self.profiles.is_empty() && next_profiles.len() == 0 {
            self.change_profile(start, true, None);
        }
        if self.profiles.is_empty() && next_profiles.len() > 0 {
            self.profiles.push(ProfileChange {
                time: first,
                active: true,
                profile: None,
            });
        }
        // Before its first change, the next device is not active.
        if next_profiles
            .as_slice()
            .first()
            .is_some_and(|first| first.time > start)
        {
            self.change_profile(start, false, None);
        }
        for change in &mut next_profiles {
            self.change_profile(change.time, change.active, change.profile.as_deref());
        }
        self.haptics.extend(next.haptics);
    }

    /// Returns the name that an input of the device has after a reflection. Buttons are exchanged only if all known profiles of the
    /// device exchange them, because an input has one name at all times.
    pub(crate) fn mirrored_input(&self, input: InputName) -> InputName {
        if self.name == headset::name() {
            return headset::mirrored(input).0;
        }
        // The poses keep their names too.
        if VelocityVector::of(input).is_some() {
            return input;
        }
        let profiles = self.profiles.iter();
        let mut images = profiles
            .filter_map(|change| change.profile.as_deref())
            .map(|profile| input.mirrored(Some(profile)));
        let first = images.next();
        let agreed = first.filter(|first| images.all(|image| image == *first));
        agreed.unwrap_or_else(|| input.mirrored(None))
    }

    /// Gives the device the name of the one in the opposite hand, exchanges the names of the left and the right side, and changes the
    /// sign of horizontal axes: see [`InputName::mirrored`]. Poses and velocities stay.
    pub(crate) fn mirror(&mut self) {
        if self.name == headset::name() {
            for (name, input) in &mut self.inputs {
                let (image, factor) = headset::mirrored(*name);
                *name = image;
                if let InputCurve::Float(curve) = input
                    && factor != 1.0
                {
                    curve.keys = curve.keys.mapped(factor.into(), 0.0);
                }
            }
            self.inputs.sort_by_key(|(name, _)| *name);
            return;
        }
        let inputs = self.inputs.iter();
        let images: Vec<InputName> = inputs.map(|(name, _)| self.mirrored_input(*name)).collect();
        for ((name, input), image) in self.inputs.iter_mut().zip(images) {
            if let InputCurve::Float(curve) = input
                && name.as_str().ends_with("/x")
                && VelocityVector::of(*name).is_none()
            {
                curve.keys = curve.keys.mapped(-1.0, 0.0);
            }
            *name = image;
        }
        self.inputs.sort_by_key(|(name, _)| *name);
        for pulse in &mut self.haptics {
            pulse.output = pulse.output.mirrored();
        }
        self.name = self.name.mirrored();
    }

    /// Returns a device that borrows the keys of this one.
    pub fn borrowed(&self) -> Device<'_> {
        let poses = self.poses.iter().map(|(name, pose)| {
            let position = pose.position.each_ref().map(FloatCurve::borrowed);
            let rotation = pose.rotation.each_ref().map(FloatCurve::borrowed);
            (*name, PoseCurves { position, rotation })
        });
        let inputs = self.inputs.iter();
        Device {
            name: self.name,
            profiles: self.profiles.clone(),
            poses: poses.collect(),
            inputs: inputs
                .map(|(name, curve)| (*name, curve.borrowed()))
                .collect(),
            haptics: self.haptics.clone(),
        }
    }

    /// Copies borrowed keys, so that the result borrows nothing.
    pub fn into_owned(self) -> Device<'static> {
        let poses = self.poses.into_iter();
        let inputs = self.inputs.into_iter();
        Device {
            name: self.name,
            profiles: self.profiles,
            poses: poses
                .map(|(name, pose)| (name, pose.into_owned()))
                .collect(),
            inputs: inputs
                .map(|(name, curve)| (name, curve.into_owned()))
                .collect(),
            haptics: self.haptics,
        }
    }
}

/// Appends a key whose value holds until the next key, unless the last key has this value.
fn push_held(keys: &mut Keys<'_>, time: f32, value: f32) {
    let last = keys
        .len()
        .checked_sub(1)
        .and_then(|index| keys.point(index));
    if last.is_none_or(|(_, last)| last.to_bits() != value.to_bits()) {
        let tangent = f32::INFINITY;
        keys.push_full(FullKey::hermite(time, value, tangent, tangent));
    }
}

fn place<N: Copy + Ord, T>(parts: &[(N, T)], name: N) -> Result<usize, usize> {
    parts.binary_search_by_key(&name, |(name, _)| *name)
}

fn get_or_insert<N: Copy + Ord, T>(
    parts: &mut Vec<(N, T)>,
    name: N,
    empty: impl FnOnce() -> T,
) -> &mut T {
    let place = place(parts, name).unwrap_or_else(|place| {
        parts.insert(place, (name, empty()));
        place
    });
    &mut parts[place].1
}
