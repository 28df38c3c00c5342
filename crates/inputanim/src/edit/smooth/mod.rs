//! Smoothing of poses with a One Euro filter.

mod filter;

use glam::{DQuat, DVec3};

use crate::curve::{FloatCurve, Keys};
use crate::device::{Device, DeviceLoss, InputName};
use crate::doctor;
use crate::element::Element;
use crate::info::Info;
use crate::joint::{Joint, Side};
use crate::key::FullKey;
use crate::names::{ElementChoice, ElementName};
use crate::order;
use crate::recording::Recording;
use crate::time_range::TimeRange;
use crate::vector::{VectorKind, VectorPath, share_times};
use crate::velocity::{VelocityKind, VelocityVector};

use super::checks::require;
use super::error::EditError;
use super::tracking;
use filter::{Direction, OneEuro, Signal};

/// Smooths poses, and no inputs of devices, with a One Euro filter (Casiez, Roussel and Vogel, CHI 2012): a low-pass filter whose
/// cutoff rises with speed.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, rename_all = "camelCase", deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Smooth {
    /// The cutoff at rest, in Hz. A lower cutoff removes more noise and follows slow movements
    /// later; infinity changes nothing.
    pub min_cutoff: f64,
    /// The increase of the cutoff of positions, in Hz per metre per second. A higher value follows
    /// fast movements more closely and leaves more noise in them.
    pub beta: f64,
    /// The increase of the cutoff of rotations and directions, in Hz per radian per second.
    pub rotation_beta: f64,
    /// The cutoff of the speed itself, in Hz.
    pub derivative_cutoff: f64,
    /// Names of streams and joints to smooth; without names, all poses.
    pub joints: Vec<String>,
    /// Names of streams and joints to leave as they are.
    pub exclude: Vec<String>,
}

impl Default for Smooth {
    /// Returns parameters for hands at about 60 keys per second. They were chosen on generated
    /// motion with 1 mm and 0.5° of noise on each axis, where these betas give the most accurate
    /// velocities. The filter reduces the error of slow joints by two fifths. It raises the error
    /// of joints faster than 0.5 m/s from 2 to 5 mm, because it lags (docs/smoothing.md).
    fn default() -> Self {
        Smooth {
            min_cutoff: 1.0,
            beta: 80.0,
            rotation_beta: 8.0,
            derivative_cutoff: 1.0,
            joints: Vec::new(),
            exclude: Vec::new(),
        }
    }
}

/// Smooths poses with a causal filter: the result is less noisy and slightly late. Keys keep their times and their
/// number. The first key and the first key after an untracked or unknown range stay as they are; the filter does not cross
/// such a range. A jump is two keys at one time; its second key stays as well.
///
/// Rotations and directions get length 1; a rotation keeps its sign. The filter skips the joint
/// `None`, untracked joints, keys that are not finite, and rotations and directions of length 0,
/// and restarts after them. Unchanged keys stay byte for byte.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit::{self, Smooth}};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// for (step, height) in [1.600, 1.602, 1.599, 1.601].into_iter().enumerate() {
///     recording.head_mut().push(step as f32 / 60.0, &Pose::at([0.0, height, 0.0]));
/// }
/// edit::smooth(&mut recording, &Smooth::default())?;
/// let height = &recording.head.unwrap().position[1].keys;
/// assert!(height.points().all(|(_, height)| (height - 1.6).abs() < 0.001));
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// The [velocities](crate::velocity) of a device belong to its recorded poses. The linear velocity of a position that changes and the
/// angular velocity of a rotation that changes are removed, and returned as losses.
///
/// # Errors
/// Returns an error if a name is unknown, if a parameter is out of range, if the w component of a selected rotation was
/// not saved, or if curves of a vector have keys at different times or are not linear.
pub fn smooth(
    recording: &mut Recording<'_>,
    options: &Smooth,
) -> Result<Vec<DeviceLoss>, EditError> {
    let choice = options.choice()?;
    choice.check(&[&*recording])?;
    let of_devices = recording.devices.iter().flat_map(Device::elements);
    let of_devices: Vec<Element> = of_devices.collect();
    refuse_states(&choice, &of_devices)?;
    options.check()?;
    let is_selected_path = |path: VectorPath| {
        // The entry None is not a joint, and its rotation can be zero.
        let mut elements = path.curves().map(Element::from);
        !matches!(path, VectorPath::Joint(_, Joint::None, _))
            && path.kind() != VectorKind::Number
            && elements.any(|element| choice.contains(element))
    };
    let lost_w = doctor::damaged_w(recording);
    for (path, curves) in recording.vectors_mut() {
        if is_selected_path(path) {
            let mut lost_w = lost_w.iter().map(|(curve, _)| *curve);
            if let Some(curve) = lost_w.find(|curve| path.curves().any(|other| other == *curve)) {
                return Err(EditError::LostW { curve });
            }
            // All vectors are checked before the first one changes, so that an error leaves the
            // recording unchanged.
            check(path, curves)?;
        }
    }
    let info = Info::of(recording);
    let tracked = Side::BOTH.map(|side| tracking::ranges(&info, side));
    let known = recording.known.clone();
    let mut changed = Vec::new();
    for (path, curves) in recording.vectors_mut() {
        if !is_selected_path(path) {
            continue;
        }
        let is_of_device = matches!(path, VectorPath::Device(..));
        let before = is_of_device.then(|| curves.to_vec());
        let is_known = |from: f32, to: f32| known.is_joined(path.element(), from, to);
        let is_tracked = |from: f32, to: f32| {
            let range = TimeRange {
                start: from,
                end: to,
            };
            match path {
                VectorPath::Joint(side, ..) => range.is_in(&tracked[side as usize]),
                VectorPath::Device(device, pose, _) => range.is_in(info.shown(device, pose)),
                VectorPath::Head(_) | VectorPath::Gaze(_) | VectorPath::Input(..) => true,
            }
        };
        let is_joined = |from: f32, to: f32| is_tracked(from, to) && is_known(from, to);
        match path.kind() {
            VectorKind::Position => {
                filter_vector::<DVec3>(curves, options, options.beta, is_joined)
            }
            VectorKind::Rotation => {
                filter_vector::<DQuat>(curves, options, options.rotation_beta, is_joined)
            }
            VectorKind::Direction => {
                filter_vector::<Direction>(curves, options, options.rotation_beta, is_joined)
            }
            VectorKind::Number => {}
        }
        if before.is_some_and(|before| before != curves) {
            changed.push(path);
        }
    }
    Ok(remove_velocities(recording, &changed))
}

/// Removes the linear velocities of positions and the angular velocities of rotations. Returns what is removed.
fn remove_velocities(recording: &mut Recording<'_>, changed: &[VectorPath]) -> Vec<DeviceLoss> {
    let is_kept = |element: Element| {
        let Element::Input(device, input) = element else {
            return true;
        };
        let Some((VelocityVector { pose, kind }, _)) = VelocityVector::of(input) else {
            return true;
        };
        let kind = match kind {
            VelocityKind::Linear => VectorKind::Position,
            VelocityKind::Angular => VectorKind::Rotation,
        };
        !changed.contains(&VectorPath::Device(device, pose, kind))
    };
    let devices = recording.devices.iter();
    let losses = devices.map(|device| DeviceLoss {
        // The pulses stay.
        haptics: 0,
        ..DeviceLoss::of(device, is_kept)
    });
    let losses = losses.filter(|loss| !loss.inputs.is_empty()).collect();
    for device in &mut recording.devices {
        let name = device.name;
        let is_kept = |input: InputName| is_kept(Element::Input(name, input));
        device.inputs.retain(|(input, _)| is_kept(*input));
    }
    recording.known.retain(is_kept);
    losses
}

/// Returns an error if a name selects something, and only states and inputs. `of_devices` are the elements of the devices of a
/// recording.
fn refuse_states(choice: &ElementChoice, of_devices: &[Element]) -> Result<(), EditError> {
    let is_state = |element: &Element| {
        matches!(
            element,
            Element::Tracked(_) | Element::Pinching(_) | Element::Profile(_) | Element::Input(..)
        )
    };
    let has_only_states = |name: &&ElementName| {
        let of_devices = of_devices.iter().filter(|element| name.selects(**element));
        let mut elements = name.elements.iter().chain(of_devices).peekable();
        elements.peek().is_some() && elements.all(is_state)
    };
    match choice.joints().iter().find(has_only_states) {
        Some(name) => Err(EditError::NotAPose {
            name: name.text.clone(),
        }),
        None => Ok(()),
    }
}

impl Smooth {
    /// Returns the elements to smooth. Returns an error if a name is unknown, or selects only states.
    pub(super) fn choice(&self) -> Result<ElementChoice, EditError> {
        let choice = ElementChoice::new(&self.joints, &self.exclude)?;
        // The elements of devices depend on the recording.
        refuse_states(&choice, &[])?;
        Ok(choice)
    }

    fn check(&self) -> Result<(), EditError> {
        let cutoffs = [
            ("minimum cutoff", self.min_cutoff),
            ("derivative cutoff", self.derivative_cutoff),
        ];
        for (what, value) in cutoffs {
            require(value > 0.0, what, value, "above 0 Hz")?;
        }
        for (what, value) in [("beta", self.beta), ("rotation beta", self.rotation_beta)] {
            let is_valid = value >= 0.0 && value.is_finite();
            require(is_valid, what, value, "0 or more and finite")?;
        }
        Ok(())
    }
}

/// Returns an error if the curves of a vector have tangents, or if its components have keys at different times. Then
/// the keys alone do not determine the values.
fn check(path: VectorPath, curves: &[FloatCurve<'_>]) -> Result<(), EditError> {
    for (curve, keys) in path.curves().zip(curves.iter().map(|curve| &curve.keys)) {
        let is_straight = match keys {
            Keys::Full(keys) => keys.len() < 2 || keys.iter().all(FullKey::is_linear),
            Keys::Simple(_) => true,
        };
        if !is_straight {
            return Err(EditError::HasTangents { curve });
        }
    }
    if share_times(curves) {
        return Ok(());
    }
    let times = |curve: &FloatCurve<'_>| -> Vec<u32> {
        let times = curve.keys.points().map(|(time, _)| time.to_bits());
        times.collect()
    };
    let differs = |curve: &&FloatCurve<'_>| times(curve) != times(&curves[0]);
    let mut pairs = path.curves().zip(curves);
    match pairs.find(|(_, curve)| differs(curve)) {
        Some((curve, _)) => Err(EditError::KeyTimesDiffer { curve }),
        None => Ok(()),
    }
}

/// Filters the keys of one vector in place. `beta` is the increase of the cutoff with speed. The filter continues from
/// one key to the next if `is_joined` returns `true` for their times, and restarts otherwise.
fn filter_vector<S: Signal>(
    curves: &mut [FloatCurve<'_>],
    options: &Smooth,
    beta: f64,
    is_joined: impl Fn(f32, f32) -> bool,
) {
    let mut filter: Option<(f32, OneEuro<S>)> = None;
    for (key, time) in in_order(&curves[0]) {
        let mut numbers = [0.0; 4];
        for (number, curve) in numbers.iter_mut().zip(curves.iter()) {
            *number = curve
                .keys
                .point(key)
                .map_or(f64::NAN, |(_, value)| value.into());
        }
        let Some(raw) = S::read(&numbers) else {
            filter = None;
            continue;
        };
        let next = filter.as_mut().and_then(|(before, filter)| {
            let seconds = f64::from(time) - f64::from(*before);
            let is_joined = is_joined(*before, time);
            *before = time;
            is_joined.then(|| filter.next(raw, seconds, options, beta))?
        });
        match next {
            None => filter = Some((time, OneEuro::new(raw))),
            // An unchanged key keeps its bytes, including its sign of zero.
            Some(value) if value == raw => {}
            Some(value) => write(curves, key, value.numbers()),
        }
    }
}

/// Returns the index and the time of each key with a finite time, in order of time; equal times stay in file order.
fn in_order(curve: &FloatCurve<'_>) -> Vec<(usize, f32)> {
    let keys = curve.keys.points().map(|(time, _)| time).enumerate();
    let mut keys: Vec<(usize, f32)> = keys.filter(|(_, time)| time.is_finite()).collect();
    order::sort_for_playback(&mut keys, |key| key.1);
    keys
}

fn write(curves: &mut [FloatCurve<'_>], key: usize, numbers: [f64; 4]) {
    for (curve, number) in curves.iter_mut().zip(numbers) {
        let number = number as f32;
        match curve.keys.point(key) {
            Some((_, value)) if value != number => curve.keys.set_value(key, number),
            _ => {}
        }
    }
}
