//! The analysis of a recording: everything that measures and events are computed from.

use std::fmt;
use std::sync::Arc;

use inputanim::doctor::FileDamage;
use inputanim::headset;
use inputanim::{
    CurvePath, DeviceName, Haptic, Joint, Marker, Recording, Sampler, Side, TimeRange, info,
    parallel,
};

use crate::channels::{ChannelParameters, Channels, Kinematics};
use crate::device::{DeviceInput, DeviceParameters, DevicePose, InputAnalysis, PoseAnalysis};
use crate::error::AnalysisError;
use crate::event::{Event, EventKind};
use crate::filter::SavitzkyGolay;
use crate::gaze::{Gaze, GazeParameters};
use crate::head::HeadRotation;
use crate::movement::{Movement, MovementParameters, movements};
use crate::pinch::{Pinch, PinchParameters, aperture, closed, geometric_pinches, recorded_pinches};
use crate::quality::Quality;
use crate::quantity::Group;
use crate::source::is_position;
use crate::target::{Look, Target, check_targets, looks, looks_along, ray_entries};

/// The size of a loop over hands or groups of measures, for `parallel::map`. In every recording, such a loop takes long
/// enough for several threads.
pub(crate) const ANY_SIZE: usize = usize::MAX;

/// Parameters of an analysis.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, rename_all = "camelCase"))]
#[non_exhaustive]
pub struct AnalysisParameters {
    /// Sampling and derivatives.
    pub channels: ChannelParameters,
    /// Joints whose paths are measured; palm and index tip by default.
    pub joints: Vec<Joint>,
    /// Joint whose movements are measured; the palm by default.
    pub movement_joint: Joint,
    /// Segmentation into movements.
    pub movements: MovementParameters,
    /// Pinches.
    pub pinches: PinchParameters,
    /// Gaze.
    pub gaze: GazeParameters,
    /// Controllers and other devices.
    pub devices: DeviceParameters,
    /// Groups of measures; all by default.
    pub groups: Vec<Group>,
    /// Targets with different names; none by default. [`check_targets`] checks them.
    pub targets: Vec<Target>,
    /// Maximum number of samples; 6 hours at 60 Hz by default, which take 0.9 GB.
    pub max_samples: u64,
}

impl Default for AnalysisParameters {
    /// Returns the default value of each parameter, as the documentation of its field states it.
    fn default() -> Self {
        AnalysisParameters {
            channels: ChannelParameters::default(),
            joints: vec![Joint::Palm, Joint::IndexTip],
            movement_joint: Joint::Palm,
            movements: MovementParameters::default(),
            pinches: PinchParameters::default(),
            gaze: GazeParameters::default(),
            devices: DeviceParameters::default(),
            groups: Group::ALL.to_vec(),
            targets: Vec::new(),
            max_samples: 6 * 60 * 60 * 60,
        }
    }
}

/// A note about the results for a recording.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Note {
    /// The note, which is the same for all recordings.
    pub kind: &'static str,
    /// The details of this recording.
    pub detail: String,
}

impl fmt::Display for Note {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind, self.detail)
    }
}

/// The channels and events of one hand.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HandAnalysis {
    /// Kinematics of the joints of [`AnalysisParameters::joints`] that are recorded, and of the joint of the
    /// movements.
    pub kinematics: Vec<(Joint, Kinematics)>,
    /// Movements in order of time.
    pub movements: Vec<Movement>,
    /// Distance of the tips of thumb and index finger, if recorded.
    pub aperture: Option<Vec<f64>>,
    /// `true` at the samples at which the tips are together, by the two thresholds of [`PinchParameters`]; if recorded.
    pub closed: Option<Vec<bool>>,
    /// Pinches by the recorded state.
    pub recorded_pinches: Vec<Pinch>,
    /// Pinches by the distance of the tips.
    pub geometric_pinches: Vec<Pinch>,
}

impl HandAnalysis {
    /// Returns the kinematics of a joint. `None` if the joint is not recorded, or if it is neither one of
    /// [`AnalysisParameters::joints`] nor [`AnalysisParameters::movement_joint`].
    pub fn kinematics(&self, joint: Joint) -> Option<&Kinematics> {
        let found = self.kinematics.iter().find(|(other, _)| *other == joint);
        found.map(|(_, kinematics)| kinematics)
    }
}

/// An analysed recording, from which measures of any time range are computed.
///
/// Derivatives and events are computed once for the complete recording, so that segments have no
/// artefacts at their ends. An event belongs to the segment in which it begins. Times and path lengths are
/// cut at the ends of a segment, so that the times and paths of adjacent segments add up.
///
/// ```
/// use inputanim::Layout;
/// use inputanim_analysis::{Analysis, AnalysisParameters};
/// use inputanim_motion::{Motion, Scene};
///
/// let recording = Motion::new(Scene::PinchDrag, 1, 10.0).record(60.0, Layout::Mrtk1_1);
/// let analysis = Analysis::of(&recording, &AnalysisParameters::default())?;
/// let measures = analysis.measures(analysis.range);
/// let speed = measures.get("right.Palm.speed.median").expect("the name is known");
/// println!("{:?} {}", speed.value, speed.quantity.unit);
/// # Ok::<(), inputanim_analysis::AnalysisError>(())
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Analysis {
    /// Parameters.
    pub parameters: AnalysisParameters,
    /// Time range of the recording, from the first to the last key; empty at 0 without keys.
    pub range: TimeRange,
    /// Sampled recording.
    pub channels: Channels,
    /// Kinematics of the head, if recorded.
    pub head: Option<Kinematics>,
    /// Rotation of the head, if recorded.
    pub head_rotation: Option<HeadRotation>,
    /// Hands, the left one first.
    pub hands: [HandAnalysis; 2],
    /// Gaze, if recorded.
    pub gaze: Option<Gaze>,
    /// Looks at targets in order of time.
    pub looks: Vec<Look>,
    /// For each target and each hand, the times in seconds at which the ray of the index finger enters the
    /// target; `None` if the joints are not recorded.
    pub ray_entries: Vec<[Option<Vec<f64>>; 2]>,
    /// The recorded poses of [`DeviceParameters::poses`].
    pub poses: Vec<(DevicePose, PoseAnalysis)>,
    /// The recorded inputs of devices that are on or off, and the recorded inputs with numbers of
    /// [`DeviceParameters::inputs`].
    pub inputs: Vec<InputAnalysis>,
    /// For each of [`DeviceParameters::pointers`], the looks along its ray in order of time; `None` if it is not recorded.
    pub pointing: Vec<Option<Vec<Look>>>,
    /// The devices of the recording, without their curves.
    devices: Vec<DeviceTimes>,
    /// Times and damage of the data.
    pub quality: Quality,
    /// Markers sorted by time.
    pub markers: Vec<Marker<'static>>,
}

/// The times of a device that are events.
#[derive(Clone, Debug)]
struct DeviceTimes {
    name: DeviceName,
    /// The time ranges in which the device is active.
    active: Vec<TimeRange>,
    profiles: Vec<(Arc<str>, TimeRange)>,
    haptics: Vec<Haptic>,
    /// The names of the poses and inputs with keys.
    poses: Vec<DevicePose>,
    inputs: Vec<DeviceInput>,
}

impl DeviceTimes {
    fn of_all(recording: &Recording<'_>, range: Option<TimeRange>) -> Vec<DeviceTimes> {
        let Some(range) = range else {
            return Vec::new();
        };
        // A headset is no device that a person holds or presses.
        let devices = recording.devices.iter();
        let devices = devices.filter(|device| device.name != headset::name());
        let devices = devices.map(|device| {
            let poses = device.poses.iter().filter(|(_, curves)| !curves.is_empty());
            let inputs = device.inputs.iter();
            let inputs = inputs.filter(|(_, curve)| !curve.curve().is_empty());
            let device_name = device.name;
            DeviceTimes {
                name: device_name,
                active: info::active_ranges(recording, device_name, range),
                profiles: info::profile_ranges(recording, device_name, range),
                haptics: device.haptics.clone(),
                poses: poses
                    .map(|(pose, _)| DevicePose {
                        device: device_name,
                        pose: *pose,
                    })
                    .collect(),
                inputs: inputs
                    .map(|(input, _)| DeviceInput {
                        device: device_name,
                        input: *input,
                    })
                    .collect(),
            }
        });
        devices.collect()
    }

    /// Returns the events of the device: the times in which it is active and has a profile, and its haptic pulses.
    fn events(&self) -> impl Iterator<Item = Event> {
        let of_side = |event: Event| match self.name.side() {
            Some(side) => event.of_side(side),
            None => event,
        };
        let ranged = |kind, range: TimeRange| {
            let start = f64::from(range.start);
            Event::new(kind, start, f64::from(range.end) - start)
        };
        let active = self.active.iter();
        let active =
            active.map(move |range| ranged(EventKind::Connected, *range).named(self.name.as_str()));
        let profiles = self.profiles.iter().map(move |(profile, range)| {
            ranged(EventKind::Profile, *range).named(format!("{} {profile}", self.name))
        });
        let haptics = self.haptics.iter().map(|pulse| {
            let duration = pulse.duration.map_or(0.0, f64::from);
            let frequency = pulse.frequency.map_or(f64::NAN, decimal);
            Event::new(EventKind::Haptic, pulse.time.into(), duration)
                .named(format!("{}.{}", self.name, pulse.output))
                .with(&[decimal(pulse.amplitude), frequency])
        });
        active.chain(profiles).chain(haptics).map(of_side)
    }
}

/// Returns the number whose shortest decimal form is the one of a number with single precision: 0.3, and not 0.30000001192092896.
fn decimal(number: f32) -> f64 {
    let text = number.to_string();
    text.parse().unwrap_or_else(|_| number.into())
}

impl Analysis {
    /// Analyses a recording.
    ///
    /// # Errors
    /// Returns an error if a curve cannot be evaluated, if the sampling rate, the number of samples or the window or
    /// order of the filter is out of range, or if a target is not valid.
    pub fn of(
        recording: &Recording<'_>,
        parameters: &AnalysisParameters,
    ) -> Result<Analysis, AnalysisError> {
        let rate = parameters.channels.rate;
        let filter = parameters.channels.filter()?;
        check_targets(&parameters.targets)?;
        let sampler = Sampler::of_curves(recording, is_used)?;
        let range = sampler.range();
        let seconds = range.map_or(0.0, TimeRange::length);
        let samples = f64::from(seconds) * rate;
        if samples.is_nan() || samples > parameters.max_samples as f64 {
            return Err(AnalysisError::TooLong {
                seconds,
                rate,
                max: parameters.max_samples,
            });
        }
        let recorded_range = range;
        let range = range.unwrap_or(TimeRange {
            start: 0.0,
            end: 0.0,
        });
        let quality = Quality::of(recording);
        let channels = if sampler.range().is_some() {
            Channels::sample(&sampler, &quality.recorded, range, rate)
        } else {
            Channels {
                rate,
                ..Channels::default()
            }
        };
        let head = channels.head_position.as_ref();
        let head = head.map(|positions| Kinematics::of(positions, rate, &filter));
        let hands = parallel::map(Side::BOTH.into(), ANY_SIZE, |side| {
            HandAnalysis::of(&channels, side, &quality, &filter, parameters)
        });
        let hands = <[HandAnalysis; 2]>::try_from(hands).unwrap_or_default();
        let gaze = Gaze::of(&channels, &parameters.gaze);
        Ok(Analysis {
            head_rotation: HeadRotation::of(&channels),
            looks: looks(&channels, &parameters.targets),
            ray_entries: parameters
                .targets
                .iter()
                .map(|target| Side::BOTH.map(|side| ray_entries(&channels, side, target)))
                .collect(),
            poses: PoseAnalysis::of_all(&channels, &filter, &parameters.devices),
            inputs: InputAnalysis::of_all(
                recording,
                &channels,
                recorded_range,
                &parameters.devices,
            ),
            pointing: parameters
                .devices
                .pointers
                .iter()
                .map(|&pointer| {
                    let samples = channels.device_pose(pointer)?;
                    let directions = samples.directions();
                    let targets = &parameters.targets;
                    Some(looks_along(
                        &channels,
                        &samples.position,
                        &directions,
                        targets,
                    ))
                })
                .collect(),
            devices: DeviceTimes::of_all(recording, recorded_range),
            markers: sampler.markers().to_vec(),
            parameters: parameters.clone(),
            range,
            head,
            hands,
            gaze,
            quality,
            channels,
        })
    }

    /// Analyses the intact part of a file that is not well formed, or an edited recording of it. Measures of curves that the file
    /// has lost are missing, with the reason [`Missing::Damaged`](crate::Missing::Damaged).
    ///
    /// # Errors
    /// As [`Analysis::of`].
    ///
    /// ```
    /// use inputanim::{Layout, Recording, doctor::FileDamage};
    /// use inputanim_analysis::{Analysis, AnalysisParameters, Missing};
    /// use inputanim_motion::{Motion, Scene};
    ///
    /// let bytes = Motion::new(Scene::PinchDrag, 1, 4.0).record(60.0, Layout::Mrtk1_1).to_bytes()?;
    /// let recovered = Recording::recover(&bytes[..bytes.len() / 3])?;
    /// let damage = FileDamage::of(&recovered).expect("the file is truncated");
    /// let analysis = Analysis::of_damaged(&recovered.recording, &damage, &AnalysisParameters::default())?;
    /// let measures = analysis.measures(analysis.range);
    /// // The gaze is at the end of a file.
    /// let share = measures.get("gaze.valid_share").expect("the name is known");
    /// assert_eq!(share.value, Err(Missing::Damaged));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_damaged(
        recording: &Recording<'_>,
        damage: &FileDamage,
        parameters: &AnalysisParameters,
    ) -> Result<Analysis, AnalysisError> {
        let mut analysis = Analysis::of(recording, parameters)?;
        analysis.quality.lose(damage);
        Ok(analysis)
    }

    /// Returns notes that a reader of the results should know: the streams that were recorded at less than half of the
    /// rate at which they are analysed.
    pub fn notes(&self) -> Vec<Note> {
        /// Rates that are measured from times in single precision are not exact.
        const TOLERANCE: f64 = 0.99;
        let rate = self.channels.rate;
        let recorded = Quality::STREAMS.into_iter().filter_map(|(name, stream)| {
            let recorded = self.quality.timing(stream, self.range)?.rate?;
            (2.0 * recorded < TOLERANCE * rate).then(|| format!("{name} at {recorded:.1} Hz"))
        });
        let recorded: Vec<String> = recorded.collect();
        let note = (!recorded.is_empty()).then(|| Note {
            kind: "analysed at more than twice the recorded rate",
            detail: format!(
                "{rate} Hz, but recorded {}; values between the recorded samples are interpolated",
                recorded.join(", ")
            ),
        });
        note.into_iter().collect()
    }

    /// Returns a note that names the poses and inputs of devices in the recording if no parameter names one of them; `None` if a
    /// parameter does, or if the recording has no devices.
    pub fn devices_note(&self) -> Option<Note> {
        let inputs = self.devices.iter().flat_map(|device| &device.inputs);
        let inputs: Vec<String> = inputs.map(ToString::to_string).collect();
        let poses = self.devices.iter().flat_map(|device| &device.poses);
        let poses: Vec<String> = poses.map(ToString::to_string).collect();
        if !self.parameters.devices.is_empty() || (inputs.is_empty() && poses.is_empty()) {
            return None;
        }
        // A controller may have dozens of inputs, so the note lists only some. `Info::devices` has all of them.
        const LISTED: usize = 4;
        let of = |parameter: &str, names: &[String]| {
            // The parameter works when it is pasted.
            let listed = names[..names.len().min(LISTED)].join(",");
            (!names.is_empty()).then(|| format!("devices.{parameter}={listed}"))
        };
        let parameters = [of("poses", &poses), of("inputs", &inputs)];
        let parameters: Vec<String> = parameters.into_iter().flatten().collect();
        let hidden = [&poses, &inputs].map(|names| names.len().saturating_sub(LISTED));
        let more = match hidden.iter().sum() {
            0 => String::new(),
            1 => ", and 1 more can be added".to_owned(),
            more => format!(", and {more} more can be added"),
        };
        Some(Note {
            kind: "no device is measured",
            detail: format!(
                "the parameters {} measure them{more}",
                parameters.join(" and ")
            ),
        })
    }

    /// Returns `true` if an input of a device is on or off in the recording.
    pub(crate) fn is_button(&self, input: DeviceInput) -> bool {
        let mut inputs = self.inputs.iter();
        inputs.any(|found| found.input == input && found.is_boolean)
    }

    /// Returns the devices of the recording, each with the time ranges in which it is known to be active.
    pub fn devices(&self) -> impl Iterator<Item = (DeviceName, &[TimeRange])> {
        self.devices
            .iter()
            .map(|device| (device.name, &device.active[..]))
    }

    /// Returns the analysis of a hand.
    pub fn hand(&self, side: Side) -> &HandAnalysis {
        &self.hands[side as usize]
    }

    /// Returns the times of the samples in seconds.
    pub fn times(&self) -> Vec<f64> {
        let samples = 0..self.channels.len;
        samples.map(|sample| self.channels.time(sample)).collect()
    }

    /// Returns the signals that are recorded, each with the name of its measure, such as `head.speed`, and one value
    /// for each of the [times](Self::times): speeds in m/s, apertures in metres and the velocity of the gaze in °/s. A
    /// value that is not known is NaN.
    pub fn series(&self) -> Vec<(String, &[f64])> {
        let mut series = Vec::new();
        if let Some(head) = &self.head {
            series.push(("head.speed".to_owned(), &head.speed[..]));
        }
        for side in Side::BOTH {
            let hand = self.hand(side);
            for (joint, kinematics) in &hand.kinematics {
                series.push((format!("{side}.{joint}.speed"), &kinematics.speed[..]));
            }
            if let Some(aperture) = &hand.aperture {
                series.push((format!("{side}.aperture"), &aperture[..]));
            }
        }
        if let Some(gaze) = &self.gaze {
            series.push(("gaze.velocity".to_owned(), &gaze.velocity[..]));
        }
        series
    }

    /// Returns every event in order of time.
    ///
    /// ```
    /// use inputanim::Layout;
    /// use inputanim_analysis::{Analysis, AnalysisParameters, EventKind};
    /// use inputanim_motion::{Motion, Scene};
    /// let recording = Motion::new(Scene::PinchDrag, 1, 10.0).record(60.0, Layout::Mrtk1_1);
    /// let analysis = Analysis::of(&recording, &AnalysisParameters::default())?;
    /// for event in analysis.events() {
    ///     if event.kind == EventKind::Pinch {
    ///         println!("{:?} hand: {} s, for {} s", event.side, event.start, event.duration);
    ///     }
    /// }
    /// # Ok::<(), inputanim_analysis::AnalysisError>(())
    /// ```
    pub fn events(&self) -> Vec<Event> {
        let mut events = Vec::new();
        let range_event = |kind, range: TimeRange| {
            let start = f64::from(range.start);
            Event::new(kind, start, f64::from(range.end) - start)
        };
        // A marker whose time is not finite is not an event.
        for marker in self.markers.iter().filter(|marker| marker.time.is_finite()) {
            let event = Event::new(EventKind::Marker, marker.time.into(), 0.0);
            events.push(event.named(marker.name.clone()));
        }
        for damage in self.quality.damaged_ranges() {
            let event = range_event(EventKind::Damage, damage.range);
            events.push(event.named(damage.code.id()));
        }
        for side in Side::BOTH {
            let tracked = self.quality.tracked[side as usize].iter();
            events
                .extend(tracked.map(|range| range_event(EventKind::Tracked, *range).of_side(side)));
            let dropouts = self.quality.dropouts(side);
            events
                .extend(dropouts.map(|range| range_event(EventKind::Dropout, range).of_side(side)));
            let hand = self.hand(side);
            for movement in &hand.movements {
                let event = Event::new(EventKind::Movement, movement.start, movement.duration)
                    .of_side(side)
                    .named(movement.joint.name())
                    .at(Some(movement.from))
                    .with(&[
                        movement.amplitude,
                        movement.path_length,
                        movement.peak_speed,
                        movement.time_to_peak,
                        movement.submovements as f64,
                        movement.sparc.unwrap_or(f64::NAN),
                        movement.ldlj.unwrap_or(f64::NAN),
                        cut(movement.is_complete()),
                    ]);
                events.push(event);
            }
            for (kind, pinches) in [
                (EventKind::Pinch, &hand.recorded_pinches),
                (EventKind::GeometricPinch, &hand.geometric_pinches),
            ] {
                events.extend(pinches.iter().map(|pinch| {
                    Event::new(kind, pinch.start, pinch.duration)
                        .of_side(side)
                        .at(pinch.position)
                        .with(&[pinch.drag.unwrap_or(f64::NAN), cut(pinch.is_complete())])
                }));
            }
        }
        if let Some(gaze) = &self.gaze {
            events.extend(gaze.fixations.iter().map(|fixation| {
                Event::new(EventKind::Fixation, fixation.start, fixation.duration)
                    .at(Some(fixation.direction))
                    .with(&[fixation.dispersion, fixation.bcea.unwrap_or(f64::NAN)])
            }));
            events.extend(gaze.saccades.iter().map(|saccade| {
                Event::new(EventKind::Saccade, saccade.start, saccade.duration)
                    .with(&[saccade.amplitude, saccade.peak_velocity])
            }));
        }
        for look in &self.looks {
            let name = &self.parameters.targets[look.target].name;
            let event = Event::new(EventKind::Look, look.start, look.duration);
            events.push(event.named(name).at(Some(look.position)));
        }
        for device in &self.devices {
            events.extend(device.events());
        }
        for press in self.inputs.iter().flat_map(|input| &input.presses) {
            let event = Event::new(EventKind::Press, press.start, press.duration)
                .named(press.input.to_string())
                .with(&[cut(press.is_complete())]);
            events.push(match press.side() {
                Some(side) => event.of_side(side),
                None => event,
            });
        }
        // The sort is stable, so events at the same time keep the order of their kinds.
        events.sort_by(|a, b| a.start.total_cmp(&b.start));
        events
    }

    /// Returns `true` if a time range contains `start`, the start of an event in seconds. The start of the range is
    /// included. The end of the range is included only if it is the end of the recording.
    pub fn begins_in(&self, start: f64, range: TimeRange) -> bool {
        // Recordings store times in single precision. The start is rounded to single precision too, so a segment that
        // starts at an event contains this event.
        let (start, end) = (start as f32, range.end);
        let is_last = end >= self.range.end;
        range.start <= start && (start < end || (is_last && start == end))
    }
}

/// Returns the value of the property `cut` of an event: 1 if its start or its end is not known. NaN, which stands for
/// no property, if the event is complete.
fn cut(is_complete: bool) -> f64 {
    if is_complete { f64::NAN } else { 1.0 }
}

/// Returns `true` if a measure or a figure uses the curve: any curve except the rotations of the joints of the hands.
fn is_used(path: CurvePath) -> bool {
    match path {
        CurvePath::Joint(_, _, channel) => is_position(channel),
        _ => true,
    }
}

impl HandAnalysis {
    fn of(
        channels: &Channels,
        side: Side,
        quality: &Quality,
        filter: &SavitzkyGolay,
        parameters: &AnalysisParameters,
    ) -> HandAnalysis {
        let mut joints = parameters.joints.clone();
        if !joints.contains(&parameters.movement_joint) {
            joints.push(parameters.movement_joint);
        }
        let kinematics: Vec<(Joint, Kinematics)> = joints
            .into_iter()
            .filter_map(|joint| {
                let positions = channels.hand(side).joint(joint)?;
                Some((joint, Kinematics::of(positions, channels.rate, filter)))
            })
            .collect();
        let mut hand = HandAnalysis {
            kinematics,
            aperture: aperture(channels, side),
            recorded_pinches: recorded_pinches(
                channels,
                side,
                &quality.pinching[side as usize],
                &quality.tracked[side as usize],
            ),
            ..HandAnalysis::default()
        };
        if let Some(kinematics) = hand.kinematics(parameters.movement_joint) {
            let joint = parameters.movement_joint;
            hand.movements = movements(channels, side, joint, kinematics, &parameters.movements);
        }
        if let Some(aperture) = &hand.aperture {
            let closed = closed(aperture, &parameters.pinches);
            let found = geometric_pinches(channels, side, aperture, &closed, &parameters.pinches);
            hand.geometric_pinches = found;
            hand.closed = Some(closed);
        }
        hand
    }
}
