//! A recording sampled at a steady rate, and the kinematics of its points.

use std::ops::Range;

use glam::{DQuat, DVec3};
use inputanim::{DeviceColumns, FrameColumns, Joint, Joints, Sampler, Side, TimeRange};

use crate::device::{DeviceInput, DevicePose};
use crate::error::AnalysisError;
use crate::filter::SavitzkyGolay;
use crate::quality::RecordedTimes;

/// Parameters of sampling and of derivatives.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, rename_all = "camelCase"))]
#[non_exhaustive]
pub struct ChannelParameters {
    /// Sampling rate in Hz; 60 by default, the usual rate of MRTK's recorder.
    pub rate: f64,
    /// Window of the Savitzky-Golay filter in seconds; 0.1833 by default, which is 11 samples at 60 Hz. With order 3 at
    /// 60 Hz, the speed of a sine of 4 Hz is 4 % too low, and the speed of a sine of 6 Hz is 18 % too low. At higher
    /// rates, the errors are nearly the same.
    pub window: f64,
    /// Order of the polynomial of the Savitzky-Golay filter; 3 by default.
    pub order: usize,
}

impl Default for ChannelParameters {
    /// Returns the default parameters: a sampling rate of 60 Hz, and a Savitzky-Golay filter with a window of 0.1833 s
    /// and order 3.
    fn default() -> Self {
        ChannelParameters {
            rate: 60.0,
            window: 0.1833,
            order: 3,
        }
    }
}

impl ChannelParameters {
    /// Returns the Savitzky-Golay filter with this window and this order, for signals at this sampling rate.
    ///
    /// # Errors
    /// Returns an error if the rate is not above 0 and at most [`TimeRange::MAX_RATE`], or if the window or the order
    /// is out of range.
    pub fn filter(&self) -> Result<SavitzkyGolay, AnalysisError> {
        let rate = self.rate;
        if !(rate > 0.0 && rate <= TimeRange::MAX_RATE) {
            return Err(AnalysisError::Rate(rate));
        }
        if !SavitzkyGolay::ORDERS.contains(&self.order) {
            return Err(AnalysisError::Order(self.order));
        }
        let window = self.window;
        let filter = SavitzkyGolay::new(window * rate, self.order);
        filter.ok_or(AnalysisError::Window { window, rate })
    }
}

/// A recording sampled at a steady rate, as it plays back: positions of the head, of all joints and of
/// the gaze.
///
/// Positions are metres in Unity's world space. A value that is not known, because the hand is not
/// tracked, the pose was not recorded at this time, a number is not finite or a key is damaged, is NaN in all components.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Channels {
    /// Sampling rate in Hz.
    pub rate: f64,
    /// Time of the first sample in seconds.
    pub start: f64,
    /// Number of samples.
    pub len: usize,
    /// Position of the head, if recorded.
    pub head_position: Option<Vec<[f32; 3]>>,
    /// Rotation of the head as a quaternion x, y, z, w, if recorded.
    pub head_rotation: Option<Vec<[f32; 4]>>,
    /// Origin of the gaze, if recorded.
    pub gaze_origin: Option<Vec<[f32; 3]>>,
    /// Direction of the gaze, of length 1 or NaN, if recorded.
    pub gaze_direction: Option<Vec<[f32; 3]>>,
    /// Hands, the left one first.
    pub hands: [HandChannels; 2],
    /// The recorded poses of devices.
    pub device_poses: Vec<(DevicePose, PoseSamples)>,
    /// The values of the recorded inputs of devices: numbers, or 1 for on and 0 for off; NaN where they are not known.
    pub device_inputs: Vec<(DeviceInput, Vec<f32>)>,
}

/// A pose over time.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct PoseSamples {
    /// Position; NaN where it is not known.
    pub position: Vec<[f32; 3]>,
    /// Rotation as a quaternion x, y, z, w of length 1; NaN where it is not known.
    pub rotation: Vec<[f32; 4]>,
}

impl PoseSamples {
    /// Returns the direction at each sample in which the pose points: its +z axis, of length 1.
    pub(crate) fn directions(&self) -> Vec<[f32; 3]> {
        self.rotation.iter().copied().map(forward).collect()
    }
}

/// Returns the direction of the +z axis that a unit quaternion x, y, z, w rotates.
pub(crate) fn forward(rotation: [f32; 4]) -> [f32; 3] {
    let rotation = DQuat::from_array(rotation.map(f64::from));
    (rotation * DVec3::Z).as_vec3().to_array()
}

/// The states and the joints of one hand.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct HandChannels {
    /// `true` while the hand is tracked.
    pub tracked: Vec<bool>,
    /// `true` while thumb and index finger touch.
    pub pinching: Vec<bool>,
    /// Positions of the recorded joints; NaN while the hand is not tracked.
    pub joints: Joints<Option<Vec<[f32; 3]>>>,
}

/// Number of frames that are sampled at once, so that the memory for rotations, which are not kept,
/// does not grow with the length of the recording.
const BLOCK: usize = 4096;

impl Channels {
    /// Samples a recording in a time range at a rate in Hz. Values outside of the `recorded` times are NaN. The result
    /// has no samples if the range or the rate is not valid.
    ///
    /// Memory: about 700 bytes for each sample, and about 100 bytes for each device.
    pub fn sample(
        sampler: &Sampler,
        recorded: &RecordedTimes,
        range: TimeRange,
        rate: f64,
    ) -> Channels {
        let times: Vec<f32> = range.times_at(rate).collect();
        // Rotations of joints are not used, and the rotation of the head is normalised below.
        let sampler = &sampler.clone().with_raw_rotations();
        let mut channels = Channels {
            rate,
            start: range.start.into(),
            len: times.len(),
            head_position: sampler.has_head().then(Vec::new),
            head_rotation: sampler.has_head().then(Vec::new),
            gaze_origin: sampler.has_gaze().then(Vec::new),
            gaze_direction: sampler.has_gaze().then(Vec::new),
            hands: Side::BOTH.map(|side| HandChannels {
                joints: sampler
                    .recorded_joints(side)
                    .map(|is_recorded| is_recorded.then(Vec::new)),
                ..HandChannels::default()
            }),
            ..Channels::default()
        };
        for block in times.chunks(BLOCK) {
            let columns = sampler.columns(block.iter().copied());
            channels.append(&columns);
            channels.append_devices(&columns.devices);
        }
        channels.remove_unrecorded(recorded);
        channels
    }

    /// Sets the samples of each channel that are outside of its recorded time ranges to NaN.
    fn remove_unrecorded(&mut self, recorded: &RecordedTimes) {
        let samples = |ranges: &[TimeRange]| -> Vec<Range<usize>> {
            ranges.iter().map(|range| self.samples(*range)).collect()
        };
        let [head, gaze] = [&recorded.head, &recorded.gaze].map(|ranges| samples(ranges));
        let poses = self.device_poses.iter().map(|(pose, _)| {
            let found = recorded.device_poses.iter().find(|(name, _)| name == pose);
            found.map_or_else(Vec::new, |(_, ranges)| samples(ranges))
        });
        let poses: Vec<Vec<Range<usize>>> = poses.collect();
        let joints = recorded
            .joints
            .each_ref()
            .map(|joints| Joints::from_fn(|joint| samples(&joints[joint])));
        keep(&mut self.head_position, &head);
        keep(&mut self.head_rotation, &head);
        keep(&mut self.gaze_origin, &gaze);
        keep(&mut self.gaze_direction, &gaze);
        for (hand, recorded) in self.hands.iter_mut().zip(&joints) {
            for (joint, positions) in hand.joints.iter_mut() {
                keep(positions, &recorded[joint]);
            }
        }
        for (pose, samples) in self.device_poses.iter_mut().zip(poses) {
            keep_in(&mut pose.1.position, &samples);
            keep_in(&mut pose.1.rotation, &samples);
        }
    }

    fn append(&mut self, columns: &FrameColumns) {
        if let Some(head) = &columns.head {
            append(&mut self.head_position, &head.position);
            append(&mut self.head_rotation, &head.rotation);
            let added = self.head_rotation.iter_mut().flatten();
            added.rev().take(columns.times.len()).for_each(normalise);
        }
        if let Some(gaze) = &columns.gaze {
            append(&mut self.gaze_origin, &gaze.origin);
            append(&mut self.gaze_direction, &gaze.direction);
            let added = self.gaze_direction.iter_mut().flatten();
            for direction in added.rev().take(columns.times.len()) {
                // Eye trackers report a direction of zeros where they have no data.
                let unit = vector(*direction).normalize_or_zero();
                let is_known = unit != DVec3::ZERO && unit.is_finite();
                *direction = if is_known {
                    unit.as_vec3().to_array()
                } else {
                    [f32::NAN; 3]
                };
            }
        }
        for (side, hand) in Side::BOTH.into_iter().zip(&mut self.hands) {
            let columns = columns.hand(side);
            hand.tracked.extend(&columns.tracked);
            hand.pinching.extend(&columns.pinching);
            for (joint, positions) in hand.joints.iter_mut() {
                if let Some(pose) = &columns.joints[joint] {
                    append(positions, &pose.position);
                }
            }
        }
    }

    /// Appends the poses and inputs of devices. Every block has the same devices.
    fn append_devices(&mut self, devices: &[DeviceColumns]) {
        for columns in devices {
            let device = columns.name;
            for (pose, columns) in &columns.poses {
                let name = DevicePose {
                    device,
                    pose: *pose,
                };
                let samples = entry(&mut self.device_poses, name);
                append_to(&mut samples.position, &columns.position);
                append_to(&mut samples.rotation, &columns.rotation);
                let added = samples.rotation.iter_mut().rev();
                added.take(columns.position[0].len()).for_each(normalise);
            }
            for (input, columns) in &columns.inputs {
                let name = DeviceInput {
                    device,
                    input: *input,
                };
                let values = columns.values.iter().copied();
                // An infinite value is unknown too.
                let known = values.map(|value| if value.is_finite() { value } else { f32::NAN });
                entry(&mut self.device_inputs, name).extend(known);
            }
        }
    }

    /// Returns the samples of a pose of a device; `None` if it is not recorded.
    pub fn device_pose(&self, pose: DevicePose) -> Option<&PoseSamples> {
        let mut poses = self.device_poses.iter();
        poses
            .find(|(name, _)| *name == pose)
            .map(|(_, samples)| samples)
    }

    /// Returns the value of an input of a device at each sample; `None` if it is not recorded.
    pub fn input(&self, input: DeviceInput) -> Option<&[f32]> {
        let mut inputs = self.device_inputs.iter();
        inputs
            .find(|(name, _)| *name == input)
            .map(|(_, values)| &values[..])
    }

    /// Returns the time of the sample with this index, in seconds.
    pub fn time(&self, index: usize) -> f64 {
        self.start + index as f64 / self.rate
    }

    /// Converts a time in seconds to an index of a sample, which is a fraction between two samples. The index is an
    /// integer if the time differs from the time of a sample only by rounding.
    pub(crate) fn place(&self, time: f64) -> f64 {
        let place = (time - self.start) * self.rate;
        let sample = libm::round(place);
        // Times in files are rounded to single precision, so the time of a sample may be just beside it.
        let rounding = 1e-3 + time.abs() * f64::from(f32::EPSILON) * self.rate;
        if (place - sample).abs() <= rounding {
            sample
        } else {
            place
        }
    }

    /// Returns the indices of the samples in a time range, both ends included.
    pub fn samples(&self, range: TimeRange) -> Range<usize> {
        self.samples_between([range.start, range.end].map(f64::from))
    }

    /// Returns the indices of the samples between two times in seconds, both included.
    pub(crate) fn samples_between(&self, [start, end]: [f64; 2]) -> Range<usize> {
        let start = libm::ceil(self.place(start)).max(0.0) as usize;
        let end = (libm::floor(self.place(end)) + 1.0).max(0.0) as usize;
        let end = end.min(self.len);
        start.min(end)..end
    }

    /// Returns the channels of a hand.
    pub fn hand(&self, side: Side) -> &HandChannels {
        &self.hands[side as usize]
    }
}

impl HandChannels {
    /// Returns the position of a joint at each sample, in metres; `None` if the joint is not recorded.
    pub fn joint(&self, joint: Joint) -> Option<&[[f32; 3]]> {
        self.joints[joint].as_deref()
    }
}

/// Sets the values of a channel outside of the given ranges of samples to NaN. The ranges are in order.
fn keep<const N: usize>(channel: &mut Option<Vec<[f32; N]>>, recorded: &[Range<usize>]) {
    if let Some(channel) = channel {
        keep_in(channel, recorded);
    }
}

/// Sets the values of a channel outside of the given ranges of samples to NaN, as [`keep`] does.
fn keep_in<const N: usize>(channel: &mut [[f32; N]], recorded: &[Range<usize>]) {
    let mut start = 0;
    for samples in recorded {
        channel[start..samples.start.max(start)].fill([f32::NAN; N]);
        start = samples.end.max(start);
    }
    channel[start..].fill([f32::NAN; N]);
}

/// Normalises a rotation. A rotation of length 0 becomes NaN.
fn normalise(rotation: &mut [f32; 4]) {
    let unit = DQuat::from_array(rotation.map(f64::from)).normalize();
    *rotation = unit.as_quat().to_array();
}

/// Returns the value with a name. If there is none, adds an empty value.
fn entry<N: PartialEq, V: Default>(list: &mut Vec<(N, V)>, name: N) -> &mut V {
    let place = list.iter().position(|(other, _)| *other == name);
    let place = place.unwrap_or_else(|| {
        list.push((name, V::default()));
        list.len() - 1
    });
    &mut list[place].1
}

/// Appends a sample for each row of `columns`, which has one column for each component. A sample with a component that is not
/// finite is unknown: all of its components become NaN. Does nothing if the channel is `None`, because it is not recorded.
fn append<const N: usize>(channel: &mut Option<Vec<[f32; N]>>, columns: &[Vec<f32>; N]) {
    if let Some(channel) = channel {
        append_to(channel, columns);
    }
}

/// Appends a sample for each row of `columns`, as [`append`] does.
fn append_to<const N: usize>(channel: &mut Vec<[f32; N]>, columns: &[Vec<f32>; N]) {
    let added = columns[0].len();
    channel.extend((0..added).map(|row| {
        let sample = columns.each_ref().map(|column| column[row]);
        if sample.iter().all(|number| number.is_finite()) {
            sample
        } else {
            [f32::NAN; N]
        }
    }));
}

/// Returns a position in double precision.
pub(crate) fn vector(position: [f32; 3]) -> DVec3 {
    DVec3::from_array(position.map(f64::from))
}

/// Returns the distance of two points in metres; NaN if one of them is not known.
pub(crate) fn distance(a: [f32; 3], b: [f32; 3]) -> f64 {
    (vector(a) - vector(b)).length()
}

/// Returns the angle between two directions in degrees; NaN if one of them is not known.
///
/// The arc tangent is accurate for small angles. The arc cosine of the scalar product is not.
pub(crate) fn angle(a: DVec3, b: DVec3) -> f64 {
    libm::atan2(a.cross(b).length(), a.dot(b)).to_degrees()
}

/// Returns the heading of a direction in degrees: 0 forward (z), and 90 to the right (x). NaN if the direction is not
/// known.
pub(crate) fn heading(direction: [f32; 3]) -> f64 {
    let [x, _, z] = direction.map(f64::from);
    libm::atan2(x, z).to_degrees()
}

/// Returns the angle of a direction above the horizon in degrees; NaN if the direction is not known.
pub(crate) fn angle_up(direction: [f32; 3]) -> f64 {
    let [x, y, z] = direction.map(f64::from);
    libm::atan2(y, libm::hypot(x, z)).to_degrees()
}

/// Returns the longest ranges of successive indices in which `holds` is true for every index, in order.
pub(crate) fn runs(
    indices: Range<usize>,
    holds: impl Fn(usize) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let end = indices.end;
    let mut next = indices.start;
    std::iter::from_fn(move || {
        let start = (next..end).find(|&index| holds(index))?;
        let stop = (start..end).find(|&index| !holds(index)).unwrap_or(end);
        next = stop;
        Some(start..stop)
    })
}

/// Speed, acceleration and jerk of a point; NaN where they cannot be computed.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Kinematics {
    /// Magnitude of the velocity in m/s.
    pub speed: Vec<f64>,
    /// Magnitude of the acceleration in m/s².
    pub acceleration: Vec<f64>,
    /// Magnitude of the jerk in m/s³.
    pub jerk: Vec<f64>,
}

impl Kinematics {
    /// Computes speed, acceleration and jerk from positions in metres at a rate in Hz. A position that is not finite
    /// interrupts the signal. The results are NaN there, and in each uninterrupted part that is shorter than the window
    /// of the filter.
    pub fn of(positions: &[[f32; 3]], rate: f64, filter: &SavitzkyGolay) -> Kinematics {
        let mut magnitudes = [1, 2, 3].map(|_| vec![f64::NAN; positions.len()]);
        let is_known = |index: usize| positions[index].iter().all(|value| value.is_finite());
        for run in runs(0..positions.len(), is_known) {
            let signal: Vec<[f64; 3]> = positions[run.clone()]
                .iter()
                .map(|position| position.map(f64::from))
                .collect();
            for (index, magnitudes) in magnitudes.iter_mut().enumerate() {
                let derivative = filter.derivative(&signal, index + 1, rate);
                let derivative = derivative.into_iter().flatten();
                for (magnitude, vector) in magnitudes[run.clone()].iter_mut().zip(derivative) {
                    *magnitude = DVec3::from_array(vector).length();
                }
            }
        }
        let [speed, acceleration, jerk] = magnitudes;
        Kinematics {
            speed,
            acceleration,
            jerk,
        }
    }
}

/// The intervals between neighbouring samples within a time range. An interval at an end of the time range counts in
/// proportion, so that the sums over adjacent time ranges add up to the sum over their union.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Intervals {
    /// Start and end in samples, which may be fractions.
    start: f64,
    end: f64,
    /// Time of the first sample of the recording.
    first: f64,
    rate: f64,
}

impl Intervals {
    /// Returns the intervals between the samples of `channels` within a time range in seconds.
    pub(crate) fn of(channels: &Channels, [start, end]: [f64; 2]) -> Intervals {
        let last = channels.len.saturating_sub(1) as f64;
        let [start, end] = [start, end].map(|time| channels.place(time).clamp(0.0, last));
        Intervals {
            start,
            end: end.max(start),
            first: channels.start,
            rate: channels.rate,
        }
    }

    /// Returns the total time in seconds that events have in common with the time range. `events` has the start and the
    /// duration of each event in seconds.
    pub(crate) fn time_of(&self, events: impl Iterator<Item = (f64, f64)>) -> f64 {
        let at = |time: f64| (time - self.first) * self.rate;
        let common = events.map(|(start, duration)| {
            let end = at(start + duration).min(self.end);
            (end - at(start).max(self.start)).max(0.0) / self.rate
        });
        common.sum()
    }

    /// Returns the indices of the samples at which the intervals begin.
    fn samples(&self) -> Range<usize> {
        libm::floor(self.start) as usize..libm::ceil(self.end) as usize
    }

    /// Returns the sum of the values of the intervals. `value` returns the value of the interval that begins at a
    /// sample. An interval that is only partly in the time range counts in proportion. Values that are NaN are ignored;
    /// `None` if all are.
    pub(crate) fn sum(&self, value: impl Fn(usize) -> f64) -> Option<f64> {
        let parts = self.samples().filter_map(|sample| {
            let share = self.end.min(sample as f64 + 1.0) - self.start.max(sample as f64);
            let value = value(sample);
            (share > 0.0 && !value.is_nan()).then_some(share * value)
        });
        parts.fold(None, |sum: Option<f64>, part| {
            Some(sum.unwrap_or(0.0) + part)
        })
    }

    /// Returns the position at the start of the time range, interpolated between two samples. `position` returns the
    /// position at a sample. `None` if one of the two is not finite.
    pub(crate) fn start(&self, position: impl Fn(usize) -> [f32; 3]) -> Option<[f64; 3]> {
        let known = |sample: usize| Some(vector(position(sample))).filter(|at| at.is_finite());
        let sample = libm::floor(self.start) as usize;
        let at = match self.start - libm::floor(self.start) {
            0.0 => known(sample)?,
            share => known(sample)?.lerp(known(sample + 1)?, share),
        };
        Some(at.to_array())
    }

    /// Returns `true` if `holds` is true at the samples of both ends of every interval.
    pub(crate) fn all(&self, holds: impl Fn(usize) -> bool) -> bool {
        let Range { start, end } = self.samples();
        (start..=end).all(holds)
    }

    /// Returns the total time in seconds of the intervals for which `holds` is true at the samples of both ends.
    pub(crate) fn time(&self, holds: impl Fn(usize) -> bool) -> f64 {
        let both = |sample: usize| holds(sample) && holds(sample + 1);
        let seconds = |sample: usize| if both(sample) { 1.0 / self.rate } else { 0.0 };
        self.sum(seconds).unwrap_or(0.0)
    }

    /// Returns the length of a path within the time range, in metres. `position` returns the position at a sample.
    /// `None` if no two neighbouring positions are known.
    pub(crate) fn path_length(&self, position: impl Fn(usize) -> [f32; 3]) -> Option<f64> {
        self.sum(|sample| distance(position(sample), position(sample + 1)))
    }
}

/// Returns the angular speed at each sample in °/s: the angle between the two neighbouring samples, divided by the time
/// between them. At the ends of an uninterrupted part, it is the angle to the only neighbour, divided by one interval.
/// NaN if the sample or all neighbours are not known. `angle` returns the angle between two samples in degrees.
pub(crate) fn angular_speed(
    len: usize,
    rate: f64,
    is_known: impl Fn(usize) -> bool,
    angle: impl Fn(usize, usize) -> f64,
) -> Vec<f64> {
    let mut speed = vec![f64::NAN; len];
    for run in runs(0..len, is_known).filter(|run| run.len() > 1) {
        for index in run.clone() {
            let before = index.saturating_sub(1).max(run.start);
            let after = (index + 1).min(run.end - 1);
            speed[index] = angle(before, after) * rate / (after - before) as f64;
        }
    }
    speed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_maximal() {
        let values = [false, true, true, false, true];
        let found: Vec<_> = runs(0..5, |index| values[index]).collect();
        assert_eq!(found, [1..3, 4..5]);
        assert_eq!(runs(0..0, |_| true).count(), 0);
    }

    #[test]
    fn samples_of_a_range_include_both_ends() {
        let channels = Channels {
            rate: 60.0,
            start: 0.25,
            len: 100,
            ..Channels::default()
        };
        let samples = |start, end| channels.samples(TimeRange { start, end });
        assert_eq!(samples(0.25, 0.75), 0..31);
        assert_eq!(samples(-1.0, 9.0), 0..100);
        assert_eq!(samples(5.0, 9.0), 100..100);
        assert_eq!(samples(0.7, 0.3).len(), 0);
    }

    #[test]
    fn intervals_at_the_ends_count_in_proportion() {
        let channels = Channels {
            rate: 10.0,
            start: 1.0,
            len: 11,
            ..Channels::default()
        };
        let time = |start, end| Intervals::of(&channels, [start, end]).time(|_| true);
        let near = |found: f64, expected: f64| assert!((found - expected).abs() < 1e-9, "{found}");
        near(time(1.0, 2.0), 1.0);
        near(time(-5.0, 9.0), 1.0);
        near(time(1.03, 1.07), 0.04);
        near(time(1.03, 1.11), 0.08);
        near(time(1.1, 1.3), 0.2);
        near(time(1.25, 1.25), 0.0);
        near(time(5.0, 6.0), 0.0);
        near(time(0.0, 0.5), 0.0);
        let unknown = |sample: usize| if sample == 3 { f64::NAN } else { 1.0 };
        assert_eq!(Intervals::of(&channels, [1.3, 1.4]).sum(unknown), None);
        near(
            Intervals::of(&channels, [1.3, 1.5]).sum(unknown).unwrap(),
            1.0,
        );
    }

    #[test]
    fn intervals_begin_at_the_sample_whose_rounded_time_they_have() {
        let channels = Channels {
            rate: 60.0,
            start: 0.0,
            len: 2_000_000,
            ..Channels::default()
        };
        for index in (0..channels.len - 1).step_by(9_973) {
            let times = [index, index + 1].map(|at| f64::from(channels.time(at) as f32));
            let intervals = Intervals::of(&channels, times);
            assert_eq!(
                (intervals.start, intervals.end),
                (index as f64, (index + 1) as f64)
            );
        }
    }

    #[test]
    fn a_sample_is_in_the_range_of_its_rounded_time_after_hours() {
        let channels = Channels {
            rate: 60.0,
            start: 0.0,
            len: 2_000_000,
            ..Channels::default()
        };
        for index in (0..channels.len).step_by(9_973) {
            let time = channels.time(index) as f32;
            let (start, end) = (time, time);
            assert_eq!(channels.samples(TimeRange { start, end }), index..index + 1);
        }
    }

    #[test]
    fn a_steady_turn_has_its_angular_speed_everywhere() {
        let speed = angular_speed(5, 10.0, |_| true, |a, b| 3.0 * b.abs_diff(a) as f64);
        assert_eq!(speed, [30.0; 5]);
    }
}
