//! The effect of smoothing on noisy hands, which justifies its default parameters.
//!
//! `cargo test -p inputanim-motion --test it smoothing -- --nocapture` prints the figures.

use glam::{Quat, Vec3};
use inputanim::edit::{self, Smooth};
use inputanim::{Frame, Joint, Layout, Pose, Recorder, Recording, Sampler, Side};
use inputanim_motion::{Motion, Scene};

const RATE: f32 = 60.0;
const SECONDS: f32 = 20.0;

/// A fixed sequence of approximately normal noise with standard deviation 1.
struct Noise(u64);

impl Noise {
    fn unit(&mut self) -> f32 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1 << 24) as f32
    }

    fn next(&mut self) -> f32 {
        (0..12).map(|_| self.unit()).sum::<f32>() - 6.0
    }

    fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }
}

/// Records the motion with noise along and about each axis, in millimetres and degrees.
fn noisy(motion: &Motion, millimetres: f32, degrees: f32) -> Recording<'static> {
    let mut noise = Noise(7);
    let mut recorder = Recorder::new(Layout::Mrtk1_1);
    for mut frame in motion.frames(RATE) {
        for side in Side::BOTH {
            for pose in frame
                .hand_mut(side)
                .joints
                .iter_mut()
                .filter_map(|(_, pose)| pose.as_mut())
            {
                let position = Vec3::from(pose.position) + noise.vector() * millimetres / 1000.0;
                let turn = Quat::from_scaled_axis(noise.vector() * degrees.to_radians());
                *pose = Pose {
                    position: position.into(),
                    rotation: (turn * Quat::from_array(pose.rotation)).normalize().into(),
                };
            }
        }
        recorder.push(&frame).unwrap();
    }
    recorder.finish()
}

/// Root mean squares of errors, in millimetres and degrees.
#[derive(Clone, Copy, Debug, Default)]
struct Errors {
    all: [f64; 2],
    /// The errors of joints below 0.05 m/s and 0.2 rad/s, and above 0.5 m/s and 3 rad/s.
    slow: [f64; 2],
    fast: [f64; 2],
    /// The errors of the velocity of all joints, in millimetres and degrees per second.
    velocity: [f64; 2],
}

const TIPS: [Joint; 3] = [Joint::Wrist, Joint::IndexTip, Joint::ThumbTip];

fn errors(motions: &[(Motion, Recording<'_>)]) -> Errors {
    // Sum of squares and count of position and rotation: all, slow, fast, velocity.
    let mut sums = [[(0.0_f64, 0.0_f64); 2]; 4];
    for (motion, recording) in motions {
        let sampler = Sampler::new(recording).unwrap();
        let mut before = [motion.frame_at(0.0), sampler.frame_at(0.0)];
        for truth in motion.frames(RATE) {
            let now = [truth.clone(), sampler.frame_at(truth.time)];
            for (side, joint) in Side::BOTH
                .into_iter()
                .flat_map(|side| TIPS.map(|tip| (side, tip)))
            {
                let pose = |frame: &Frame| frame.hand(side).joints[joint];
                let [Some(a), Some(b)] = now.each_ref().map(pose) else {
                    continue;
                };
                let [Some(was_a), Some(was_b)] = before.each_ref().map(pose) else {
                    continue;
                };
                let steps = [moved(a, b), moved(was_a, a), moved(was_b, b)];
                for (kind, limits) in [[0.05, 0.5], [0.2, 3.0]].into_iter().enumerate() {
                    let [error, expected, found] = steps.map(|step| step[kind]);
                    let speed = expected.length() * RATE;
                    let unit = [1000.0, 1.0_f32.to_degrees()][kind];
                    let (error, velocity_error) = (
                        error.length() * unit,
                        expected.distance(found) * RATE * unit,
                    );
                    let is_counted = [true, speed < limits[0], speed > limits[1], true];
                    let errors = [error, error, error, velocity_error];
                    for ((sums, error), _) in sums
                        .iter_mut()
                        .zip(errors)
                        .zip(is_counted)
                        .filter(|(_, counted)| *counted)
                    {
                        sums[kind].0 += f64::from(error).powi(2);
                        sums[kind].1 += 1.0;
                    }
                }
            }
            before = now;
        }
    }
    let [all, slow, fast, velocity] =
        sums.map(|sums| sums.map(|(squares, count)| (squares / count).sqrt()));
    Errors {
        all,
        slow,
        fast,
        velocity,
    }
}

/// Returns the difference between two poses: metres, and radians about an axis.
fn moved(a: Pose, b: Pose) -> [Vec3; 2] {
    let turn = Quat::from_array(b.rotation) * Quat::from_array(a.rotation).conjugate();
    let turn = if turn.w < 0.0 { -turn } else { turn };
    [
        Vec3::from(b.position) - Vec3::from(a.position),
        turn.to_scaled_axis(),
    ]
}

fn smoothed(recordings: &[(Motion, Recording<'static>)], with: &Smooth) -> Errors {
    let smoothed = recordings.iter().map(|(motion, recording)| {
        let mut recording = recording.clone();
        edit::smooth(&mut recording, with).unwrap();
        (motion.clone(), recording)
    });
    errors(&smoothed.collect::<Vec<_>>())
}

fn noisy_recordings(millimetres: f32, degrees: f32) -> Vec<(Motion, Recording<'static>)> {
    let motions = Scene::ALL
        .iter()
        .map(|&scene| Motion::new(scene, 3, SECONDS));
    let recordings = motions.map(|motion| {
        let recording = noisy(&motion, millimetres, degrees);
        (motion, recording)
    });
    recordings.collect()
}

/// The noise along and about each axis of a hand tracker without a smoothing filter of its own.
const MILLIMETRES: f32 = 1.0;
const DEGREES: f32 = 0.5;

#[test]
fn the_defaults_smooth_slow_hands_and_follow_fast_ones() {
    let recordings = noisy_recordings(MILLIMETRES, DEGREES);
    let show = |what: &str, errors: &Errors| {
        let [mm, degrees] = [0, 1].map(|kind| {
            [errors.all, errors.slow, errors.fast, errors.velocity].map(|error| error[kind])
        });
        println!("{what:14} mm {mm:6.2?}  degrees {degrees:5.2?}");
    };
    println!("root mean square errors: all, slow and fast joints; velocity, per second");
    let raw = errors(&recordings);
    show("as recorded", &raw);
    let found = [0.0, 20.0, 40.0, 80.0, 160.0].map(|beta| {
        let with = {
            let mut options = Smooth::default();
            options.beta = beta;
            options.rotation_beta = beta / 10.0;
            options
        };
        let found = smoothed(&recordings, &with);
        show(&format!("beta {beta}, {}", beta / 10.0), &found);
        found
    });
    let default = smoothed(&recordings, &Smooth::default());
    for kind in [0, 1] {
        assert!(
            default.slow[kind] < 0.65 * raw.slow[kind],
            "{default:?} of {raw:?}"
        );
        assert!(
            found
                .windows(2)
                .all(|pair| pair[1].fast[kind] < pair[0].fast[kind]),
            "{found:?}"
        );
        assert!(found[4].slow[kind] > found[3].slow[kind], "{found:?}");
        assert!(
            default.velocity[kind] < 0.8 * raw.velocity[kind],
            "{default:?} of {raw:?}"
        );
    }
    let velocity = found.map(|found| found.velocity[0]);
    assert!(
        velocity.iter().all(|&other| default.velocity[0] <= other),
        "{velocity:?}"
    );
    assert!(
        default.fast[0] < 6.0 && default.fast[1] < 4.0,
        "{default:?}"
    );
}
