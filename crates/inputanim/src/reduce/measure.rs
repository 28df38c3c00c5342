//! Measurement of the errors of a reduced recording.

use glam::{DQuat, DVec3};

use crate::curve::Curve;
use crate::device::InputName;
use crate::diff::metric;
use crate::frame::{Frame, Pose, Ray};
use crate::joint::{Joint, Side};
use crate::order;
use crate::path::Stream;
use crate::recording::Recording;
use crate::sampler::{Sampler, SamplerCursor, UnplayableCurve};
use crate::vector::{VectorKind, VectorPath};

use super::options::POINT_DISTANCE;

/// Error statistics over all samples of a stream, in metres or degrees, or without a unit for inputs.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct ErrorStatistics {
    /// The number of samples; for a hand, of all its joints; for a device, of all its poses or inputs.
    pub samples: usize,
    /// The largest error.
    pub largest: f64,
    /// The first time of the largest error, in seconds.
    pub at: f32,
    /// The joint with the largest error, for a hand.
    pub joint: Option<Joint>,
    /// The input with the largest error, for the inputs of a device.
    #[cfg_attr(
        feature = "serde",
        serde(serialize_with = "as_text", skip_serializing_if = "Option::is_none")
    )]
    pub input: Option<InputName>,
    /// The 99th percentile of the errors, in single precision.
    pub percentile_99: f64,
}

/// The errors of one stream.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct StreamErrors {
    /// The stream: [`Stream::Head`], [`Stream::Joints`] of either side, [`Stream::Gaze`] or a [`Stream::Device`].
    pub stream: Stream,
    /// The errors of positions, or of the origin of the gaze, in metres.
    pub position: Option<ErrorStatistics>,
    /// The errors of rotations, or of the direction of the gaze, in degrees.
    pub rotation: Option<ErrorStatistics>,
    /// The errors of three points at [`POINT_DISTANCE`] from the head or joint along its axes, in
    /// metres, at the samples of its rotation.
    pub point: Option<ErrorStatistics>,
    /// The errors of the inputs of a device that have numbers.
    #[cfg_attr(feature = "serde", serde(skip_serializing_if = "Option::is_none"))]
    pub input: Option<ErrorStatistics>,
}

#[cfg(feature = "serde")]
fn as_text<S: serde::Serializer>(
    input: &Option<InputName>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    match input {
        Some(input) => serializer.collect_str(input),
        None => serializer.serialize_none(),
    }
}

/// Compares a reduced recording with every sample (key) of the original, and returns the errors of
/// each stream that has samples.
///
/// The measurement evaluates both recordings with the [`Sampler`](crate::Sampler). It shares no
/// code with the selection of keys, so that it also checks the reduction.
///
/// # Errors
/// Returns an error if a recording has a key whose time is not a number.
pub fn measure(
    original: &Recording<'_>,
    reduced: &Recording<'_>,
) -> Result<Vec<StreamErrors>, UnplayableCurve> {
    let evaluate = |recording| -> Result<Sampler, UnplayableCurve> {
        let sampler = Sampler::new(recording)?;
        // Each sample counts as it is stored, also while its hand is not tracked.
        Ok(sampler.with_raw_rotations().with_untracked_joints())
    };
    let samplers = [evaluate(original)?, evaluate(reduced)?];
    let mut vectors = SampleTimes::of(original);
    let mut streams = vec![
        StreamErrorsBuilder::of(Stream::Head),
        StreamErrorsBuilder::of(Stream::Joints(Side::Left)),
        StreamErrorsBuilder::of(Stream::Joints(Side::Right)),
        StreamErrorsBuilder::of(Stream::Gaze),
    ];
    let devices = samplers[0].devices().map(Stream::Device);
    streams.extend(devices.map(StreamErrorsBuilder::of));
    let mut cursors = [SamplerCursor::default(), SamplerCursor::default()];
    let mut frames = [Frame::default(), Frame::default()];
    for time in samplers[0].key_times() {
        for ((sampler, cursor), frame) in samplers.iter().zip(&mut cursors).zip(&mut frames) {
            sampler.read(time, cursor, frame);
        }
        for vector in &mut vectors {
            if vector.is_sampled_at(time) {
                let of_vector = vector.path.element().stream();
                let mut streams = streams.iter_mut();
                if let Some(stream) = streams.find(|stream| stream.stream == of_vector) {
                    stream.compare(time, vector.path, &frames);
                }
            }
        }
    }
    let streams = streams.into_iter().map(StreamErrorsBuilder::finish);
    let has_samples = |errors: &StreamErrors| {
        let of_poses = errors.position.or(errors.rotation);
        of_poses.or(errors.input).is_some()
    };
    Ok(streams.filter(has_samples).collect())
}

/// The times of the samples of a vector.
struct SampleTimes {
    path: VectorPath,
    /// In order of time.
    times: Vec<f32>,
    next: usize,
}

impl SampleTimes {
    fn of(recording: &Recording<'_>) -> Vec<SampleTimes> {
        let mut vectors: Vec<SampleTimes> = Vec::new();
        for (path, curve) in recording.curves() {
            let (Some(path), Curve::Float(curve)) = (VectorPath::of(path), curve) else {
                continue;
            };
            let times = || curve.keys.points().map(|(time, _)| time);
            match vectors.last_mut().filter(|vector| vector.path == path) {
                Some(vector) if times().eq(vector.times.iter().copied()) => {}
                Some(vector) => vector.times.extend(times()),
                None => vectors.push(SampleTimes {
                    path,
                    times: times().collect(),
                    next: 0,
                }),
            }
        }
        for vector in &mut vectors {
            order::sort_times(&mut vector.times);
        }
        vectors
    }

    /// Returns `true` if the vector has a sample at a time in seconds. Times must increase from call to call.
    fn is_sampled_at(&mut self, time: f32) -> bool {
        let after = |&&at: &&f32| at < time;
        self.next += self.times[self.next..].iter().take_while(after).count();
        self.times.get(self.next).is_some_and(|&at| at == time)
    }
}

/// A builder of [`StreamErrors`].
struct StreamErrorsBuilder {
    stream: Stream,
    position: ErrorCollector,
    rotation: ErrorCollector,
    point: ErrorCollector,
    input: ErrorCollector,
}

/// The part of a stream that an error is of.
#[derive(Clone, Copy)]
enum Part {
    /// A stream with one pose or ray, or a pose of a device.
    Only,
    Joint(Joint),
    Input(InputName),
}

#[derive(Default)]
struct ErrorCollector {
    largest: Option<(f64, f32, Part)>,
    /// Single precision, because a long recording has millions of samples.
    errors: Vec<f32>,
}

impl StreamErrorsBuilder {
    fn of(stream: Stream) -> StreamErrorsBuilder {
        StreamErrorsBuilder {
            stream,
            position: ErrorCollector::default(),
            rotation: ErrorCollector::default(),
            point: ErrorCollector::default(),
            input: ErrorCollector::default(),
        }
    }

    fn compare(&mut self, time: f32, path: VectorPath, [a, b]: &[Frame; 2]) {
        match path {
            VectorPath::Head(kind) => self.compare_poses(time, kind, Part::Only, [a.head, b.head]),
            VectorPath::Joint(side, joint, kind) => {
                let pose = |frame: &Frame| frame.hand(side).joints[joint];
                self.compare_poses(time, kind, Part::Joint(joint), [pose(a), pose(b)]);
            }
            VectorPath::Gaze(kind) => self.compare_rays(time, kind, [a.gaze, b.gaze]),
            VectorPath::Device(device, name, kind) => {
                let pose = |frame: &Frame| frame.device(device)?.pose(name).copied();
                self.compare_poses(time, kind, Part::Only, [pose(a), pose(b)]);
            }
            VectorPath::Input(device, name) => {
                let number = |frame: &Frame| Some(frame.device(device)?.input(name)?.number());
                if let (Some(a), Some(b)) = (number(a), number(b)) {
                    let apart = (f64::from(a) - f64::from(b)).abs();
                    let apart = Some(apart).filter(|apart| apart.is_finite());
                    self.input.add(time, Part::Input(name), apart);
                }
            }
        }
    }

    fn compare_poses(&mut self, time: f32, kind: VectorKind, part: Part, poses: [Option<Pose>; 2]) {
        let [Some(a), Some(b)] = poses else { return };
        if kind == VectorKind::Position {
            let apart = metric::distance(a.position, b.position);
            return self.position.add(time, part, apart);
        }
        let apart = metric::turn(a.rotation, b.rotation);
        self.rotation.add(time, part, apart);
        self.point.add(time, part, points_apart(a, b));
    }

    fn compare_rays(&mut self, time: f32, kind: VectorKind, rays: [Option<Ray>; 2]) {
        let [Some(a), Some(b)] = rays else { return };
        match kind {
            VectorKind::Position => {
                let apart = metric::distance(a.origin, b.origin);
                self.position.add(time, Part::Only, apart);
            }
            _ => {
                let apart = metric::angle(a.direction, b.direction);
                self.rotation.add(time, Part::Only, apart);
            }
        }
    }

    fn finish(self) -> StreamErrors {
        StreamErrors {
            stream: self.stream,
            position: self.position.finish(),
            rotation: self.rotation.finish(),
            point: self.point.finish(),
            input: self.input.finish(),
        }
    }
}

/// Moves three points with two poses and returns the largest distance, in metres, between both positions of a point.
/// The points are at [`POINT_DISTANCE`] from the origin of the pose along its axes. `None` if a rotation has length 0
/// or a number is not finite.
fn points_apart(a: Pose, b: Pose) -> Option<f64> {
    let components = |pose: Pose| {
        let position = DVec3::from_array(pose.position.map(f64::from));
        let rotation = DQuat::from_array(pose.rotation.map(f64::from));
        let length = rotation.length();
        (length > 0.0).then(|| (position, rotation / length))
    };
    let ((a, a_turn), (b, b_turn)) = (components(a)?, components(b)?);
    let apart = |axis: DVec3| {
        ((b + b_turn * (axis * POINT_DISTANCE)) - (a + a_turn * (axis * POINT_DISTANCE))).length()
    };
    let largest = DVec3::AXES.into_iter().map(apart).fold(0.0, f64::max);
    largest.is_finite().then_some(largest)
}

impl ErrorCollector {
    /// Adds an error, in metres or degrees, at a time in seconds. `None` stands for values that cannot be compared,
    /// such as a direction of length 0, and is ignored.
    fn add(&mut self, time: f32, part: Part, error: Option<f64>) {
        let Some(error) = error else { return };
        self.errors.push(error as f32);
        if self.largest.is_none_or(|(largest, ..)| error > largest) {
            self.largest = Some((error, time, part));
        }
    }

    fn finish(mut self) -> Option<ErrorStatistics> {
        let (largest, at, part) = self.largest?;
        let (joint, input) = match part {
            Part::Only => (None, None),
            Part::Joint(joint) => (Some(joint), None),
            Part::Input(input) => (None, Some(input)),
        };
        let samples = self.errors.len();
        let (_, percentile, _) = self
            .errors
            .select_nth_unstable_by((samples - 1) * 99 / 100, f32::total_cmp);
        Some(ErrorStatistics {
            samples,
            largest,
            at,
            joint,
            input,
            // Rounding to single precision can increase the percentile above the largest error.
            percentile_99: f64::from(*percentile).min(largest),
        })
    }
}
