//! Any text is read as IWER or gives an error. Every recording can be written, and the file can be read: at the times
//! of its frames, the states of the hands are the same, and the poses of the joints and of the head differ only by
//! rounding.

use inputanim::{Frame, HandFrame, Joint, Pose, Recording, Sampler, Side};
use inputanim_convert::{Error, Format, ReadOptions, Sampling, WriteOptions, read, write};

/// Checks that these bytes are read as IWER or give an error, and that a recording that is written as IWER and read has
/// the same states of hands, and the same poses except for rounding.
///
/// # Panics
/// Panics where a property does not hold.
pub fn check(bytes: &[u8]) {
    if let Ok((recording, _)) = read(Format::Iwer, bytes, &ReadOptions::default()) {
        comes_back(&recording);
    }
    if let Ok(recording) = Recording::parse(bytes) {
        comes_back(&recording);
    }
}

fn comes_back(recording: &Recording<'_>) {
    // Few frames, even for a recording of years.
    let rate = 8.0 / f64::from(recording.duration().clamp(1.0, 1e30));
    let mut options = WriteOptions::default();
    options.sampling = Sampling::Rate(rate);
    let mut text = Vec::new();
    let losses = match write(Format::Iwer, recording, &options, &mut text) {
        Ok(report) => report.losses,
        Err(Error::Sample(_)) => return,
        Err(error) => panic!("{error}"),
    };
    let options = ReadOptions::default();
    let (again, report) = read(Format::Iwer, &text, &options).expect("its own text");
    assert_eq!(report.losses, [], "frames or hands are lost");
    let before = Sampler::new(recording).expect("it was sampled");
    let after = Sampler::new(&again).expect("frames are finite");
    let is_complete = losses.is_empty();
    for time in after.key_times() {
        let (a, b) = (before.frame_at(time), after.frame_at(time));
        // A viewer without a known pose keeps its last one.
        if let (Some(known), Some(read)) = (a.head.filter(is_known), b.head) {
            is_near(&known, &read, 0.0, "head");
        }
        for side in Side::BOTH {
            let (of_a, of_b) = (a.hand(side), b.hand(side));
            if is_complete {
                assert_eq!(
                    (of_a.tracked, of_a.tracked && of_a.pinching),
                    (of_b.tracked, of_b.pinching)
                );
            }
            if of_b.tracked {
                have_near_joints(&a, of_a, of_b);
            }
        }
    }
}

/// Checks that the joints of a hand `before` it was written and `after` it was read differ only by rounding. `frame` is
/// the frame before.
fn have_near_joints(frame: &Frame, before: &HandFrame, after: &HandFrame) {
    let joints = || Joint::WEBXR.into_iter();
    let poses = joints().filter_map(|joint| before.joints[joint]);
    let positions = poses.chain(frame.head).flat_map(|pose| pose.position);
    // Joints are stored relative to a ray that begins at the hand or depends on the head.
    let size = positions.fold(0.0, |size: f32, number| size.max(number.abs()));
    for joint in joints() {
        let (Some(before), Some(after)) = (before.joints[joint], after.joints[joint]) else {
            panic!("a hand is written with all joints, or not at all");
        };
        is_near(&before, &after, size, joint.name());
    }
}

/// Returns `true` if all numbers of a pose are finite.
fn is_known(pose: &Pose) -> bool {
    let mut numbers = pose.position.iter().chain(&pose.rotation);
    numbers.all(|number| number.is_finite())
}

/// Checks that two poses differ only by rounding to single precision of numbers up to `size` metres. `name` is for the
/// message of a failure.
fn is_near(a: &Pose, b: &Pose, size: f32, name: &str) {
    for (a, b) in a.position.into_iter().zip(b.position) {
        let tolerance = 1e-6 * (1.0 + f64::from(size.max(a.abs())));
        let distance = (f64::from(a) - f64::from(b)).abs();
        assert!(distance <= tolerance, "{name}: {a} m, and {b} m when read");
    }
    let dot = |a: [f32; 4], b: [f32; 4]| -> f64 {
        let products = a
            .into_iter()
            .zip(b)
            .map(|(a, b)| f64::from(a) * f64::from(b));
        products.sum()
    };
    // A rotation without a length has no direction.
    if dot(a.rotation, a.rotation) < 0.5 {
        return;
    }
    let cosine = dot(a.rotation, b.rotation).abs();
    assert!(
        cosine > 1.0 - 1e-6,
        "{name}: {:?}, and {:?} when read",
        a.rotation,
        b.rotation
    );
}
