//! Errors of a repaired recording, compared with the undamaged one.

use glam::DQuat;
use inputanim::doctor::Code;
use inputanim::{CurvePath, FloatCurve, PoseChannel, PoseCurves, Recording, Side, TimeRange};

/// The largest error of a correct rotation, in degrees. Rounding stays below it; a w with the wrong
/// sign is usually far above it.
pub const MAX_CORRECT_ERROR: f64 = 2.0;

/// One key whose w was rebuilt.
#[derive(Clone, Copy, Debug)]
pub struct Key {
    /// The angle between its rotation and the true one, in degrees.
    pub error: f64,
    /// `true` if the repair reports the key as uncertain.
    pub is_uncertain: bool,
    /// The angle between its two possible rotations, in degrees.
    pub choice: f64,
}

impl Key {
    /// Returns `true` if the rotation differs from the true one by more than [`MAX_CORRECT_ERROR`].
    pub fn is_wrong(&self) -> bool {
        self.error > MAX_CORRECT_ERROR
    }
}

/// The rebuilt keys of one or more recordings.
#[derive(Clone, Debug, Default)]
pub struct Score {
    /// Keys of the joints of both hands.
    pub hands: Vec<Key>,
    /// Keys of the head.
    pub head: Vec<Key>,
}

impl Score {
    /// Repairs the recording `damaged`, and adds the errors of the keys that the repair rebuilds. `healthy` is the same
    /// recording without damage.
    pub fn add(&mut self, healthy: &Recording<'_>, damaged: &Recording<'_>) {
        let mut repaired = damaged.clone();
        let report = repaired.repair();
        let is_rebuilt = |code| matches!(code, Code::RotationWLost | Code::RotationWCopiesZ);
        for (path, truth) in poses(healthy) {
            let keys = truth.rotation[0].keys.len();
            let Some(pose) = pose(&repaired, path).filter(|_| keys > 1) else {
                continue;
            };
            let mut entries = report.repaired.iter();
            let entry = entries.find(|entry| entry.curve == Some(path) && is_rebuilt(entry.code));
            let uncertain: &[TimeRange] = entry.map_or(&[], |entry| &entry.uncertain);
            // The first key of w was saved, so it is not rebuilt.
            let scored = (1..keys).filter_map(|key| {
                let (time, _) = truth.rotation[0].keys.point(key)?;
                let contains = |range: &TimeRange| range.start <= time && time <= range.end;
                let rotation = rotation(&truth.rotation, key)?;
                let other = DQuat {
                    w: -rotation.w,
                    ..rotation
                };
                Some(Key {
                    error: error(&pose.rotation, rotation, key),
                    choice: angle(rotation, other).to_degrees(),
                    is_uncertain: uncertain.iter().any(contains),
                })
            });
            match path {
                CurvePath::Head(_) => self.head.extend(scored),
                _ => self.hands.extend(scored),
            }
        }
    }
}

/// Returns the angle between the rotation of one key and the rotation `truth`, in degrees. `curves` are x, y, z and w
/// of the rotation, and `key` is the index of the key; 180 if the key has no rotation.
fn error(curves: &[FloatCurve<'_>; 4], truth: DQuat, key: usize) -> f64 {
    rotation(curves, key).map_or(180.0, |q| angle(q, truth).to_degrees())
}

/// Returns the rotation of one key with the index `key`; `curves` are its x, y, z and w. A curve with fewer keys, such
/// as a w that was not rebuilt, holds its last key. `None` if a curve has no keys, or the quaternion has length 0.
fn rotation(curves: &[FloatCurve<'_>; 4], key: usize) -> Option<DQuat> {
    let value = |curve: &FloatCurve<'_>| {
        let last = curve.keys.len().checked_sub(1)?;
        Some(f64::from(curve.keys.point(key.min(last))?.1))
    };
    let [x, y, z, w] = curves.each_ref().map(value);
    let q = DQuat::from_xyzw(x?, y?, z?, w?);
    (q.length() > 0.0).then(|| q.normalize())
}

/// Returns the angle between two rotations, 0 to π radians.
pub fn angle(a: DQuat, b: DQuat) -> f64 {
    let difference = a.conjugate() * b;
    // An arc cosine of w would lose half of the digits for small angles.
    2.0 * difference.xyz().length().atan2(difference.w.abs())
}

/// Returns the curves of the head and of each joint of both hands, with the path of the w curve of each.
pub fn poses<'r, 'a>(
    recording: &'r Recording<'a>,
) -> impl Iterator<Item = (CurvePath, &'r PoseCurves<'a>)> {
    let head = recording.head.iter();
    let head = head.map(|pose| (CurvePath::Head(PoseChannel::RotationW), pose));
    let hands = recording.hands.iter().flat_map(|hands| {
        Side::BOTH.into_iter().flat_map(move |side| {
            let joints = hands.hand(side).joints.iter();
            let path = move |joint| CurvePath::Joint(side, joint, PoseChannel::RotationW);
            joints.map(move |(joint, pose)| (path(joint), pose))
        })
    });
    head.chain(hands)
}

fn pose<'r, 'a>(recording: &'r Recording<'a>, path: CurvePath) -> Option<&'r PoseCurves<'a>> {
    let mut poses = poses(recording);
    poses
        .find(|(other, _)| *other == path)
        .map(|(_, pose)| pose)
}
