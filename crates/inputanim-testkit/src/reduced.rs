//! Measures of a reduced recording, for the tests and `cargo xtask reduction`.

use inputanim::reduce::{Reduce, ReduceMethod, StreamErrors};
use inputanim::{FloatCurve, Recording, Side, Stream};

/// Every method of reduction with its name and its partition.
pub const METHODS: [(&str, ReduceMethod, Option<usize>); 4] = [
    ("one-pass", ReduceMethod::OnePass, None),
    ("optimal", ReduceMethod::Optimal, None),
    ("MRTK, 32", ReduceMethod::Mrtk, Some(32)),
    ("MRTK, 0", ReduceMethod::Mrtk, Some(0)),
];

/// Returns the options of a reduction with this method and this partition size; all others have their defaults.
pub fn reduce_with(method: ReduceMethod, partition: Option<usize>) -> Reduce {
    let mut reduce = Reduce::default();
    (reduce.method, reduce.partition) = (method, partition);
    reduce
}

/// Counts the keys of the head and the joints. The components of a position or of a rotation count
/// as one; position and rotation count separately.
pub fn pose_keys(recording: &Recording<'_>) -> usize {
    let hands = recording.hands.iter();
    let joints = hands.flat_map(|hands| {
        let both = Side::BOTH.map(|side| hands.hand(side).joints.iter());
        both.into_iter().flatten().map(|(_, pose)| pose)
    });
    let keys = |curves: &[FloatCurve<'_>]| {
        let keys = curves.iter().map(|curve| curve.keys.len());
        keys.max().unwrap_or_default()
    };
    let poses = recording.head.iter().chain(joints);
    poses
        .map(|pose| keys(&pose.position) + keys(&pose.rotation))
        .sum()
}

/// Returns the largest error of any stream as a multiple of its bound: at most 1 if every stream is
/// within its bounds.
pub fn relative_error(errors: &[StreamErrors], options: &Reduce) -> f64 {
    let all = options.bounds();
    let relative = errors.iter().flat_map(|errors| {
        let bounds = match errors.stream {
            Stream::Head => all.head,
            Stream::Gaze => all.gaze,
            _ => all.joints,
        };
        let position = errors.position.map(|found| found.largest / bounds.position);
        let rotation = errors.rotation.map(|found| found.largest / bounds.rotation);
        let input = errors.input.map(|found| found.largest / all.input);
        position.into_iter().chain(rotation).chain(input)
    });
    relative.fold(0.0, f64::max)
}
