//! A sampled recording, and its values in USD.

use std::rc::Rc;

use glam::{DQuat, DVec3};
use inputanim::SamplerCursor;
use inputanim::{About, Frame, Marker, Pose, Recording, Sampler, Space};

use super::stage::{Attribute, Prim, Samples, Value};
use crate::shared::rigid::{Rigid, is_known};
use crate::shared::sampled;

/// A pose beyond this distance is not shown, because the steps of single precision are tens of metres there.
const FARTHEST: f64 = 1e9;

/// The prim that contains everything.
pub(super) const ROOT_PRIM: &str = "take";

/// A recording that is sampled.
pub(super) struct SampledRecording<'a> {
    pub(super) sampler: Sampler,
    pub(super) markers: &'a [Marker<'a>],
    pub(super) about: &'a About,
    pub(super) rate: f64,
    /// All sampled times, in seconds.
    pub(super) times: Rc<[f32]>,
}

impl<'a> SampledRecording<'a> {
    pub(super) fn new(
        recording: &'a Recording<'_>,
        sampler: Sampler,
        rate: f64,
    ) -> SampledRecording<'a> {
        let times = sampled::times_of_grid_and_changes(recording, &sampler, rate).into();
        SampledRecording {
            sampler,
            markers: &recording.markers,
            about: &recording.about,
            rate,
            times,
        }
    }

    /// Returns the time code of a time in seconds: the number of its frame, with a fraction if it is between frames.
    pub(super) fn code(&self, time: f32) -> f64 {
        let code = f64::from(time) * self.rate;
        let frame = code.round();
        // The time of a frame is rounded to 32 bits, so the product is not exactly the number of the frame.
        if (frame / self.rate) as f32 == time {
            frame
        } else {
            code
        }
    }

    pub(super) fn codes(&self, times: &[f32]) -> Rc<[f64]> {
        times.iter().map(|&time| self.code(time)).collect()
    }

    pub(super) fn frames(&self) -> impl Iterator<Item = Frame> + use<> {
        frames(&self.sampler, &self.times)
    }
}

/// Returns the frames at some times in seconds, in USD's axes.
pub(super) fn frames(sampler: &Sampler, times: &Rc<[f32]>) -> impl Iterator<Item = Frame> + use<> {
    let (sampler, times) = (sampler.clone(), times.clone());
    let mut cursor = SamplerCursor::default();
    (0..times.len()).map(move |index| {
        let mut frame = Frame::default();
        sampler.read(times[index], &mut cursor, &mut frame);
        Space::Usd.frame(frame)
    })
}

/// Returns the pose in double precision, or `None` if it is not finite, its rotation is 0, or it is beyond
/// [`FARTHEST`].
pub(super) fn known(pose: Pose) -> Option<Rigid> {
    let rigid = is_known(&pose).then(|| Rigid::of(&pose))?;
    is_near(rigid.position).then_some(rigid)
}

pub(super) fn is_near(place: DVec3) -> bool {
    place.is_finite() && place.abs().max_element() <= FARTHEST
}

/// The changes of a state: each time code at which it changes, and its new value.
#[derive(Default)]
pub(super) struct Changes(Vec<(f64, bool)>);

impl Changes {
    pub(super) fn push(&mut self, code: f64, state: bool) {
        if self.last() != Some(state) {
            self.0.push((code, state));
        }
    }

    pub(super) fn last(&self) -> Option<bool> {
        self.0.last().map(|&(_, state)| state)
    }

    pub(super) fn is_ever_on(&self) -> bool {
        self.0.iter().any(|&(_, state)| state)
    }

    pub(super) fn attribute(&self, name: &'static str) -> Attribute {
        let samples = self.0.iter();
        let samples = samples.map(|&(code, state)| (code, Value::Bool(state)));
        Attribute::sampled("bool", name, samples.collect()).custom()
    }

    /// Returns the attribute `visibility` of a prim that is shown while the state is on.
    pub(super) fn visibility(&self) -> Attribute {
        let samples = self.0.iter().map(|&(code, is_shown)| {
            let token = if is_shown { "inherited" } else { "invisible" };
            (code, Value::Token(token))
        });
        Attribute::sampled("token", "visibility", samples.collect())
    }
}

/// Adds a position and a rotation over time to a prim. `poses` returns the poses at the time codes `codes`, and is
/// called again for each pass.
pub(super) fn with_transform<P: Iterator<Item = Rigid> + 'static>(
    prim: Prim,
    codes: Rc<[f64]>,
    poses: impl Fn() -> P + Clone + 'static,
) -> Prim {
    const ORDER: [&str; 2] = ["xformOp:translate", "xformOp:orient"];
    let moves = poses.clone();
    let moves = move || moves().map(|pose| Value::Float3(single(pose.position.to_array())));
    let turns = move || {
        let mut before = DQuat::IDENTITY;
        poses().map(move |pose| {
            // Programs that interpolate components linearly need neighbours in one hemisphere.
            before = aligned(pose.rotation, before);
            Value::Quatf(single(before.to_array()))
        })
    };
    let moves = Samples::new(codes.clone(), moves);
    let turns = Samples::new(codes, turns);
    let order = Value::Tokens(ORDER.map(Into::into).into());
    prim.attribute(Attribute::sampled("float3", ORDER[0], moves))
        .attribute(Attribute::sampled("quatf", ORDER[1], turns))
        .attribute(Attribute::new("token[]", "xformOpOrder", order).uniform())
}

/// Returns the quaternion of a rotation that is in the same hemisphere as `before`.
pub(super) fn aligned(rotation: DQuat, before: DQuat) -> DQuat {
    if rotation.dot(before) < 0.0 {
        return -rotation;
    }
    rotation
}

pub(super) fn single<const N: usize>(numbers: [f64; N]) -> [f32; N] {
    numbers.map(|number| number as f32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{FloatCurve, Layout};

    #[test]
    fn frames_have_integer_time_codes_and_other_times_exact_ones() {
        let mut source = Recording::new(Layout::Mrtk1_1);
        source.head_mut().position[0] = FloatCurve::linear([(0.0, 0.0), (1000.0, 1.0)]);
        for rate in [24.0, 59.94, 60.0] {
            let sampler = Sampler::new(&source).unwrap();
            let recording = SampledRecording::new(&source, sampler, rate);
            for frame in [0, 1, 7, 23_456] {
                let time = (f64::from(frame) / rate) as f32;
                assert_eq!(recording.code(time), f64::from(frame));
                let later = time.next_up();
                assert!(recording.code(later) > f64::from(frame));
                assert_eq!((recording.code(later) / rate) as f32, later);
            }
        }
    }

    #[test]
    fn only_finite_and_near_positions_are_shown() {
        assert!(is_near(DVec3::new(0.0, -1e9, 3.0)));
        for far in [1.1e9, f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
            assert!(!is_near(DVec3::new(0.0, far, 0.0)));
        }
    }
}
