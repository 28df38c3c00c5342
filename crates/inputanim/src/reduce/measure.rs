//! How far a reduced recording plays from the samples of the whole one.

use glam::{DQuat, DVec3};

use crate::curve::Curve;
use crate::diff::metric;
use crate::frame::{Frame, Pose, Ray};
use crate::joint::{Joint, Side};
use crate::path::Stream;
use crate::recording::Recording;
use crate::sampler::{Cursor, Sampler, UnplayableCurve};
use crate::vector::{VectorKind, VectorPath};

use super::ARM;

/// Errors over all samples of a stream, in metres or degrees.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Errors {
    /// How many samples there are; of a hand, those of all its joints.
    pub samples: usize,
    /// The largest error.
    pub largest: f64,
    /// When it is first that large, in seconds.
    pub at: f32,
    /// Which joint that is, of a hand.
    pub joint: Option<Joint>,
    /// 99 of 100 errors are at most this, in single precision.
    pub percentile_99: f64,
}

/// How far a stream is off.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct StreamErrors {
    /// [`Stream::Camera`], [`Stream::Joints`] of either side or [`Stream::Gaze`].
    pub stream: Stream,
    /// Of positions, or of the origin of the gaze, in metres.
    pub position: Option<Errors>,
    /// Of rotations, or of the direction of the gaze, in degrees.
    pub rotation: Option<Errors>,
    /// Of three points that are [`ARM`] away from the head or joint along its axes and turn with
    /// it, in metres, at the samples of its rotation.
    pub point: Option<Errors>,
}

/// Compares what `reduced` plays with every sample (key) of `whole`, at its time; for each stream
/// that has any. It plays both as anything else does, and knows nothing of how keys were chosen.
///
/// # Errors
/// When one of them has a key whose time is not a number.
pub fn measure(
    whole: &Recording<'_>,
    reduced: &Recording<'_>,
) -> Result<Vec<StreamErrors>, UnplayableCurve> {
    let play = |recording| -> Result<Sampler, UnplayableCurve> {
        let sampler = Sampler::new(recording)?;
        Ok(sampler.with_raw_rotations().with_untracked_joints())
    };
    let samplers = [play(whole)?, play(reduced)?];
    let mut vectors = Sampled::of(whole);
    let mut streams = [
        Measuring::of(Stream::Camera),
        Measuring::of(Stream::Joints(Side::Left)),
        Measuring::of(Stream::Joints(Side::Right)),
        Measuring::of(Stream::Gaze),
    ];
    let mut cursors = [Cursor::default(), Cursor::default()];
    let mut frames = [Frame::default(), Frame::default()];
    for time in samplers[0].key_times() {
        for ((sampler, cursor), frame) in samplers.iter().zip(&mut cursors).zip(&mut frames) {
            sampler.read(time, cursor, frame);
        }
        for vector in &mut vectors {
            if vector.is_sampled_at(time) {
                let stream = match vector.path {
                    VectorPath::Camera(_) => &mut streams[0],
                    VectorPath::Joint(Side::Left, ..) => &mut streams[1],
                    VectorPath::Joint(Side::Right, ..) => &mut streams[2],
                    VectorPath::Gaze(_) => &mut streams[3],
                };
                stream.compare(time, vector.path, &frames);
            }
        }
    }
    let streams = streams.into_iter().map(Measuring::finish);
    let is_there = |errors: &StreamErrors| errors.position.or(errors.rotation).is_some();
    Ok(streams.filter(is_there).collect())
}

/// When a vector was sampled.
struct Sampled {
    path: VectorPath,
    /// In order.
    times: Vec<f32>,
    next: usize,
}

impl Sampled {
    fn of(recording: &Recording<'_>) -> Vec<Sampled> {
        let mut vectors: Vec<Sampled> = Vec::new();
        for (path, curve) in recording.curves() {
            let (Some(path), Curve::Float(curve)) = (VectorPath::of(path), curve) else {
                continue;
            };
            let times = || curve.keys.points().map(|(time, _)| time);
            match vectors.last_mut().filter(|vector| vector.path == path) {
                Some(vector) if times().eq(vector.times.iter().copied()) => {}
                Some(vector) => vector.times.extend(times()),
                None => vectors.push(Sampled {
                    path,
                    times: times().collect(),
                    next: 0,
                }),
            }
        }
        for vector in &mut vectors {
            vector.times.sort_by(f32::total_cmp);
        }
        vectors
    }

    /// Asked of growing times.
    fn is_sampled_at(&mut self, time: f32) -> bool {
        let after = |&&at: &&f32| at < time;
        self.next += self.times[self.next..].iter().take_while(after).count();
        self.times.get(self.next).is_some_and(|&at| at == time)
    }
}

/// [`StreamErrors`] in the making.
struct Measuring {
    stream: Stream,
    position: Quantity,
    rotation: Quantity,
    point: Quantity,
}

#[derive(Default)]
struct Quantity {
    largest: Option<(f64, f32, Option<Joint>)>,
    /// Four bytes a sample, for the percentile.
    errors: Vec<f32>,
}

impl Measuring {
    fn of(stream: Stream) -> Measuring {
        Measuring {
            stream,
            position: Quantity::default(),
            rotation: Quantity::default(),
            point: Quantity::default(),
        }
    }

    fn compare(&mut self, time: f32, path: VectorPath, [a, b]: &[Frame; 2]) {
        match path {
            VectorPath::Camera(kind) => self.compare_poses(time, kind, None, [a.camera, b.camera]),
            VectorPath::Joint(side, joint, kind) => {
                let pose = |frame: &Frame| frame.hand(side).joints[joint];
                self.compare_poses(time, kind, Some(joint), [pose(a), pose(b)]);
            }
            VectorPath::Gaze(kind) => self.compare_rays(time, kind, [a.gaze, b.gaze]),
        }
    }

    fn compare_poses(
        &mut self,
        time: f32,
        kind: VectorKind,
        joint: Option<Joint>,
        poses: [Option<Pose>; 2],
    ) {
        let [Some(a), Some(b)] = poses else { return };
        if kind == VectorKind::Position {
            let apart = metric::distance(a.position, b.position);
            return self.position.add(time, joint, apart);
        }
        let apart = metric::turn(a.rotation, b.rotation);
        self.rotation.add(time, joint, apart);
        self.point.add(time, joint, points_apart(a, b));
    }

    fn compare_rays(&mut self, time: f32, kind: VectorKind, rays: [Option<Ray>; 2]) {
        let [Some(a), Some(b)] = rays else { return };
        match kind {
            VectorKind::Position => {
                let apart = metric::distance(a.origin, b.origin);
                self.position.add(time, None, apart);
            }
            _ => {
                let apart = metric::angle(a.direction, b.direction);
                self.rotation.add(time, None, apart);
            }
        }
    }

    fn finish(self) -> StreamErrors {
        StreamErrors {
            stream: self.stream,
            position: self.position.finish(),
            rotation: self.rotation.finish(),
            point: self.point.finish(),
        }
    }
}

/// The distance between the farthest of three points; `None` where a rotation has no length.
fn points_apart(a: Pose, b: Pose) -> Option<f64> {
    let placed = |pose: Pose| {
        let position = DVec3::from_array(pose.position.map(f64::from));
        let rotation = DQuat::from_array(pose.rotation.map(f64::from));
        let length = rotation.length();
        (length > 0.0).then(|| (position, rotation / length))
    };
    let ((a, a_turn), (b, b_turn)) = (placed(a)?, placed(b)?);
    let apart = |axis: DVec3| ((b + b_turn * (axis * ARM)) - (a + a_turn * (axis * ARM))).length();
    let largest = DVec3::AXES.into_iter().map(apart).fold(0.0, f64::max);
    largest.is_finite().then_some(largest)
}

impl Quantity {
    /// Leaves out what has no error, such as a sample that is no rotation.
    fn add(&mut self, time: f32, joint: Option<Joint>, error: Option<f64>) {
        let Some(error) = error else { return };
        self.errors.push(error as f32);
        if self.largest.is_none_or(|(largest, ..)| error > largest) {
            self.largest = Some((error, time, joint));
        }
    }

    fn finish(mut self) -> Option<Errors> {
        let (largest, at, joint) = self.largest?;
        let samples = self.errors.len();
        let (_, percentile, _) = self
            .errors
            .select_nth_unstable_by((samples - 1) * 99 / 100, f32::total_cmp);
        Some(Errors {
            samples,
            largest,
            at,
            joint,
            percentile_99: f64::from(*percentile).min(largest),
        })
    }
}
