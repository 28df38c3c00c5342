//! The head and the eyes.

use glam::DVec3;
use inputanim::{Frame, Ray};

use super::sampled_recording::{Changes, SampledRecording, frames, is_near, known, with_transform};
use super::stage::{Attribute, Prim, Value};
use crate::shared::report::counted;
use crate::shared::rigid::{Rigid, facing};
use crate::shared::{LossKind, Report};

/// The length of the gaze's line in metres.
const RAY: f32 = 1.0;

pub(super) fn head(recording: &SampledRecording<'_>, report: &mut Report) -> Option<Prim> {
    let poses = poses(recording, |frame| known(frame.head?));
    let frames = poses().filter(Option::is_none).count();
    if recording.sampler.has_head() && frames > 0 {
        let message = format!(
            "head: unknown in {}, last pose held",
            counted(frames, "frame")
        );
        report.lose(LossKind::Head, frames, message);
    }
    let first = poses().flatten().next()?;
    let codes = recording.codes(&recording.times);
    let prim = with_transform(Prim::new("Xform", "head"), codes, move || {
        held(poses(), first)
    });
    Some(prim.child(camera()))
}

/// Returns a camera with a field of view of 90 degrees, so that near hands are visible: a lens of 18 mm
/// on film of 36 by 24 mm. USD measures these in tenths of its unit.
fn camera() -> Prim {
    let float = |name, value| Attribute::new("float", name, Value::Float(value));
    let range = Value::Float2([0.01, 1000.0]);
    Prim::new("Camera", "head_camera")
        .attribute(Attribute::new("float2", "clippingRange", range))
        .attribute(float("focalLength", 0.18))
        .attribute(float("horizontalAperture", 0.36))
        .attribute(float("verticalAperture", 0.24))
}

pub(super) fn gaze(recording: &SampledRecording<'_>) -> Option<Prim> {
    let poses = poses(recording, |frame| looking(frame.gaze?));
    let first = poses().flatten().next()?;
    let codes = recording.codes(&recording.times);
    let mut shown = Changes::default();
    for (code, pose) in codes.iter().zip(poses()) {
        shown.push(*code, pose.is_some());
    }
    let prim = Prim::new("Xform", "gaze").attribute(shown.visibility());
    let prim = with_transform(prim, codes, move || held(poses(), first));
    Some(prim.child(ray()))
}

/// Returns a function that samples the recording, and iterates over the poses that `of_frame` returns for its frames.
fn poses(
    recording: &SampledRecording<'_>,
    of_frame: fn(Frame) -> Option<Rigid>,
) -> impl Fn() -> Poses + Clone + 'static {
    let (sampler, times) = (recording.sampler.clone(), recording.times.clone());
    // Poses are computed again for each pass, because all poses together may not fit into memory.
    move || Box::new(frames(&sampler, &times).map(of_frame))
}

type Poses = Box<dyn Iterator<Item = Option<Rigid>>>;

/// Returns a pose at the origin of a ray, with its −Z in the direction of the ray. Returns `None` if the direction is
/// 0, or the ray is not finite or too far away.
fn looking(ray: Ray) -> Option<Rigid> {
    let vector = |parts: [f32; 3]| DVec3::from_array(parts.map(f64::from));
    let position = vector(ray.origin);
    let direction = vector(ray.direction).try_normalize()?;
    is_near(position).then(|| Rigid {
        position,
        rotation: facing(direction),
    })
}

fn ray() -> Prim {
    const WIDTH: f32 = 0.002;
    let half = WIDTH / 2.0;
    let extent = vec![[-half, -half, -RAY - half], [half, half, half]];
    let points = vec![[0.0; 3], [0.0, 0.0, -RAY]];
    let widths = Attribute::new("float[]", "widths", Value::Floats(vec![WIDTH]));
    Prim::new("BasisCurves", "gaze_ray")
        .attribute(Attribute::new(
            "int[]",
            "curveVertexCounts",
            Value::Ints(vec![2]),
        ))
        .attribute(Attribute::new("float3[]", "extent", Value::Float3s(extent)))
        .attribute(Attribute::new(
            "point3f[]",
            "points",
            Value::Float3s(points),
        ))
        .attribute(Attribute::new("token", "type", Value::Token("linear")).uniform())
        .attribute(widths.field("interpolation", Value::Token("constant")))
}

/// Replaces each unknown pose by the last known pose before it, or by `first` if no pose before it is known.
fn held(poses: impl Iterator<Item = Option<Rigid>>, first: Rigid) -> impl Iterator<Item = Rigid> {
    let mut last = first;
    poses.map(move |pose| {
        last = pose.unwrap_or(last);
        last
    })
}
