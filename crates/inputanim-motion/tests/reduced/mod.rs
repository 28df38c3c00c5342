//! What is said of a reduced recording by the tests and by `cargo xtask reduction`.

use inputanim::reduce::{Method, Reduction, StreamErrors};
use inputanim::{FloatCurve, Recording, Side, Stream};

/// Every way to choose keys.
pub(crate) const WAYS: [(&str, Method); 4] = [
    ("one-pass", Method::OnePass),
    ("fewest", Method::Fewest),
    ("toolkit, 32", Method::Toolkit { partition: 32 }),
    ("toolkit, 0", Method::Toolkit { partition: 0 }),
];

/// Keys of the head and of joints, those of positions and of rotations counted apart and those of
/// the components of one together.
pub(crate) fn pose_keys(recording: &Recording<'_>) -> usize {
    let hands = recording.hands.iter();
    let joints = hands.flat_map(|hands| {
        let both = Side::BOTH.map(|side| hands.hand(side).joints.iter());
        both.into_iter().flatten().map(|(_, pose)| pose)
    });
    let keys = |curves: &[FloatCurve<'_>]| {
        let keys = curves.iter().map(|curve| curve.keys.len());
        keys.max().unwrap_or_default()
    };
    let poses = recording.camera.iter().chain(joints);
    poses
        .map(|pose| keys(&pose.position) + keys(&pose.rotation))
        .sum()
}

/// The largest error of any stream as a multiple of its bound: no more than 1 where all are kept.
pub(crate) fn of_bound(errors: &[StreamErrors], with: &Reduction) -> f64 {
    let shares = errors.iter().flat_map(|errors| {
        let bounds = match errors.stream {
            Stream::Camera => with.camera,
            Stream::Gaze => with.gaze,
            _ => with.joints,
        };
        let position = errors.position.map(|found| found.largest / bounds.metres);
        let rotation = errors.rotation.map(|found| found.largest / bounds.degrees);
        position.into_iter().chain(rotation)
    });
    shares.fold(0.0, f64::max)
}
