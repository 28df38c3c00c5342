//! How near a repaired take comes to the healthy one.

use glam::DQuat;
use inputanim::doctor::Code;
use inputanim::repair::repair;
use inputanim::{CurvePath, FloatCurve, PoseChannel, PoseCurves, Recording, Side, Span};

/// A rotation further off than this, in degrees, is wrong: it is of the other sign.
pub(crate) const NEAR: f64 = 2.0;

/// One key whose w was rebuilt.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Key {
    /// How far its rotation is from the true one, in degrees.
    pub(crate) error: f64,
    /// Whether the repair says so.
    pub(crate) is_doubtful: bool,
}

impl Key {
    pub(crate) fn is_wrong(&self) -> bool {
        self.error > NEAR
    }
}

/// The keys of one or more takes.
#[derive(Clone, Debug, Default)]
pub(crate) struct Score {
    /// Of the joints of both hands.
    pub(crate) hands: Vec<Key>,
    /// Of the camera.
    pub(crate) head: Vec<Key>,
}

impl Score {
    /// Adds another take, in which no w may be missing.
    pub(crate) fn add(&mut self, healthy: &Recording<'_>, damaged: &Recording<'_>) {
        let mut repaired = damaged.clone();
        let report = repair(&mut repaired);
        let is_rebuilt = |code| matches!(code, Code::RotationWLost | Code::RotationWFalse);
        for (path, truth) in poses(healthy) {
            let keys = truth.rotation[0].keys.len();
            let Some(pose) = pose(&repaired, path).filter(|_| keys > 1) else {
                continue;
            };
            let mut entries = report.mended.iter();
            let entry = entries.find(|entry| entry.curve == Some(path) && is_rebuilt(entry.code));
            let doubtful: &[Span] = entry.map_or(&[], |entry| &entry.doubtful);
            // The first w was saved.
            let scored = (1..keys).filter_map(|key| {
                let (time, _) = truth.rotation[0].keys.point(key)?;
                let is_in = |span: &Span| span.start <= time && time <= span.end;
                Some(Key {
                    error: error(&pose.rotation, &truth.rotation, key)?,
                    is_doubtful: doubtful.iter().any(is_in),
                })
            });
            match path {
                CurvePath::Camera(_) => self.head.extend(scored),
                _ => self.hands.extend(scored),
            }
        }
    }
}

/// Of one key, in degrees; w holds its last where it was not rebuilt. `None` where the true one is
/// no rotation.
fn error(curves: &[FloatCurve<'_>; 4], truth: &[FloatCurve<'_>; 4], key: usize) -> Option<f64> {
    let rotation = |curves: &[FloatCurve<'_>; 4]| {
        let value = |curve: &FloatCurve<'_>| {
            let last = curve.keys.len().checked_sub(1)?;
            Some(f64::from(curve.keys.point(key.min(last))?.1))
        };
        let [x, y, z, w] = curves.each_ref().map(value);
        let q = DQuat::from_xyzw(x?, y?, z?, w?);
        (q.length() > 0.0).then(|| q.normalize())
    };
    let truth = rotation(truth)?;
    Some(rotation(curves).map_or(180.0, |q| angle(q, truth).to_degrees()))
}

/// Between two rotations, in radians: 0 to π.
pub(crate) fn angle(a: DQuat, b: DQuat) -> f64 {
    let way = a.conjugate() * b;
    2.0 * way.xyz().length().atan2(way.w.abs())
}

/// Every pose with the path of its w.
pub(crate) fn poses<'r, 'a>(
    recording: &'r Recording<'a>,
) -> impl Iterator<Item = (CurvePath, &'r PoseCurves<'a>)> {
    let camera = recording.camera.iter();
    let camera = camera.map(|pose| (CurvePath::Camera(PoseChannel::RotationW), pose));
    let hands = recording.hands.iter().flat_map(|hands| {
        Side::BOTH.into_iter().flat_map(move |side| {
            let joints = hands.hand(side).joints.iter();
            let path = move |joint| CurvePath::Joint(side, joint, PoseChannel::RotationW);
            joints.map(move |(joint, pose)| (path(joint), pose))
        })
    });
    camera.chain(hands)
}

fn pose<'r, 'a>(recording: &'r Recording<'a>, path: CurvePath) -> Option<&'r PoseCurves<'a>> {
    let mut poses = poses(recording);
    poses
        .find(|(other, _)| *other == path)
        .map(|(_, pose)| pose)
}
