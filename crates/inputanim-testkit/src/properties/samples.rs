//! Formats of samples that are read without rounding.

use inputanim::{Pose, Ray, Recording, Sampler, Side};
use inputanim_convert::{Sampling, WriteOptions};

/// Returns a rate in Hz at which a recording has at most about eight frames if it lasts for a second or longer, even
/// for years.
pub(super) fn few_frames(recording: &Recording<'_>) -> f64 {
    8.0 / f64::from(recording.duration().clamp(1.0, f32::MAX))
}

/// Returns options that sample a recording at a rate in Hz.
pub(super) fn at_rate(rate: f64) -> WriteOptions {
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    options
}

/// The samples of a recording that was written, and of the recording that was read from the file.
pub(super) struct Samples {
    before: Sampler,
    after: Sampler,
}

impl Samples {
    /// Prepares the samples of a recording `before` it was written, and `after` it was read.
    pub(super) fn new(before: &Recording<'_>, after: &Recording<'_>) -> Samples {
        let after = Sampler::new(after).expect("times are finite");
        Samples {
            before: Sampler::new(before).expect("it was sampled"),
            // The rotations in the file have length 1, and are not normalized again.
            after: after.with_raw_rotations(),
        }
    }

    /// Checks that both recordings have the same states of both hands at a time in seconds.
    pub(super) fn have_equal_states(&self, time: f32) {
        let states = |sampler: &Sampler| {
            let frame = sampler.frame_at(time);
            Side::BOTH.map(|side| (frame.hand(side).tracked, frame.hand(side).pinching))
        };
        assert_eq!(
            states(&self.before),
            states(&self.after),
            "states at {time} s"
        );
    }

    /// Checks that the poses of the head and of tracked hands are the same: those before at `time`, and those after at
    /// `read_time`, in seconds. Poses that are not finite, or whose rotation is 0, are not checked.
    pub(super) fn have_equal_poses(&self, time: f32, read_time: f32) {
        let before = self.before.frame_at(time);
        let after = self.after.frame_at(read_time);
        let place = |what: &str| format!("{what} at {time} s, read at {read_time} s");
        is_equal_pose(before.head, after.head, &place("head"));
        for side in Side::BOTH {
            let (before, after) = (before.hand(side), after.hand(side));
            if !before.tracked {
                continue;
            }
            for (joint, pose) in before.joints.iter() {
                let what = place(&format!("{side}.{joint}"));
                is_equal_pose(*pose, after.joints[joint], &what);
            }
        }
    }

    /// Checks that the gaze before is the gaze after, at a time in seconds. A gaze that is not finite is not checked.
    pub(super) fn have_equal_gazes(&self, time: f32) {
        let gaze = |sampler: &Sampler| sampler.frame_at(time).gaze;
        let numbers = |ray: &Ray| [ray.origin, ray.direction];
        let is_known = |ray: &Ray| {
            numbers(ray)
                .as_flattened()
                .iter()
                .all(|one| one.is_finite())
        };
        let Some(before) = gaze(&self.before).filter(is_known) else {
            return;
        };
        let after = gaze(&self.after).unwrap_or_else(|| panic!("no gaze at {time} s"));
        let bits = |ray: &Ray| numbers(ray).map(|vector| vector.map(f32::to_bits));
        assert_eq!(bits(&before), bits(&after), "gaze at {time} s");
    }
}

/// Checks that a pose has the same bits when it is read, except for the sign of the rotation. A pose that is not
/// finite, or whose rotation is 0, is not checked. `what` is its name for the message of a failure.
fn is_equal_pose(before: Option<Pose>, after: Option<Pose>, what: &str) {
    let Some(before) = before.filter(is_known) else {
        return;
    };
    let after = after.unwrap_or_else(|| panic!("no {what}: {before:?}"));
    let bits = |vector: [f32; 3]| vector.map(f32::to_bits);
    assert_eq!(bits(before.position), bits(after.position), "{what}");
    let rotations = [after.rotation, after.rotation.map(|part| -part)];
    assert!(
        rotations.contains(&before.rotation),
        "{what}: {before:?}, read {after:?}"
    );
}

/// Returns `true` if a pose is finite and its rotation is not 0.
fn is_known(pose: &Pose) -> bool {
    let mut numbers = pose.position.iter().chain(&pose.rotation);
    numbers.all(|number| number.is_finite()) && pose.rotation != [0.0; 4]
}
