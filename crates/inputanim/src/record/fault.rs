//! Search for the first invalid number of a frame.

use super::contents::{curve_at, each_pose, joint_at};
use super::error::RecordError;
use crate::frame::Frame;
use crate::joint::Joint;
use crate::path::{CurvePath, PoseChannel, RayChannel};

/// Returns an error for the first number of a frame that is not finite, or the first rotation that is 0, in file order;
/// `None` if the frame is valid.
#[cold]
pub(super) fn first_fault(frame: &Frame) -> Option<RecordError> {
    let time = frame.time;
    let finite = |curve: CurvePath, value: f32| {
        (!value.is_finite()).then_some(RecordError::ValueNotFinite { curve, value, time })
    };
    let mut fault = None;
    each_pose(frame, |slot, pose| {
        let numbers = pose.position.into_iter().chain(pose.rotation);
        let mut channels = PoseChannel::ALL.into_iter().zip(numbers);
        let found = channels.find_map(|(channel, value)| finite(curve_at(slot, channel), value));
        // The simulated hands of the Unity editor give `Joint::None` a position and no rotation.
        let is_joint = !matches!(joint_at(slot), Some((_, Joint::None)));
        let is_zero = pose.rotation == [0.0; 4];
        let zero = (is_joint && is_zero).then(|| RecordError::RotationZero {
            w: curve_at(slot, PoseChannel::RotationW),
            time,
        });
        fault = fault.or(found).or(zero);
    });
    let gaze = frame.gaze.iter().find_map(|ray| {
        let numbers = ray.origin.into_iter().chain(ray.direction);
        let mut channels = RayChannel::ALL.into_iter().zip(numbers);
        channels.find_map(|(channel, value)| finite(CurvePath::Gaze(channel), value))
    });
    fault.or(gaze)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::{Pose, Ray};
    use crate::record::encode::Encoder;

    fn frame() -> Frame {
        let mut frame = Frame {
            time: 1.5,
            head: Some(Pose::IDENTITY),
            gaze: Some(Ray {
                origin: [0.0; 3],
                direction: [0.0, 0.0, 1.0],
            }),
            ..Frame::default()
        };
        frame.left.tracked = true;
        frame.left.joints[Joint::IndexTip] = Some(Pose::IDENTITY);
        frame.right.joints[Joint::IndexTip] = Some(Pose::IDENTITY);
        frame
    }

    fn check(frame: &Frame) -> Result<(), RecordError> {
        Encoder::new().encode(frame, frame.time).map(|_| ())
    }

    fn message(frame: &Frame) -> String {
        check(frame).map_or_else(|error| error.to_string(), |_| String::new())
    }

    #[test]
    fn every_number_is_checked_and_named() {
        fn numbers(frame: &mut Frame) -> Vec<&mut f32> {
            let poses = [&mut frame.head, &mut frame.left.joints[Joint::IndexTip]];
            let poses = poses.into_iter().flatten();
            let poses = poses.flat_map(|pose| pose.position.iter_mut().chain(&mut pose.rotation));
            let rays = frame.gaze.iter_mut();
            let rays = rays.flat_map(|ray| ray.origin.iter_mut().chain(&mut ray.direction));
            poses.chain(rays).collect()
        }
        let names = |name: &'static str| {
            PoseChannel::ALL.map(|channel| format!("{name}.{}", channel.name()))
        };
        let gaze = RayChannel::ALL.map(|channel| format!("gaze.{}", channel.name()));
        let names = [&names("head")[..], &names("left.IndexTip"), &gaze].concat();
        assert_eq!(numbers(&mut frame()).len(), names.len());
        for (index, name) in names.iter().enumerate() {
            for value in [f32::NAN, -f32::NAN, f32::INFINITY, f32::NEG_INFINITY] {
                let mut frame = frame();
                *numbers(&mut frame)[index] = value;
                let message = message(&frame);
                assert!(
                    message.starts_with(&format!(
                        "{name} at 1.5 s: expected a finite number, found {value}"
                    )),
                    "{message}"
                );
            }
            for value in [f32::MAX, f32::MIN, f32::MIN_POSITIVE, 1e-45, -0.0] {
                let mut frame = frame();
                *numbers(&mut frame)[index] = value;
                if !name.ends_with(".w") {
                    assert_eq!(message(&frame), "", "{name} {value}");
                }
            }
        }
    }

    #[test]
    fn a_rotation_of_zero_is_refused() {
        let mut frame = frame();
        let tip = frame.left.joints[Joint::IndexTip].as_mut().unwrap();
        tip.rotation = [0.0, -0.0, 0.0, -0.0];
        let message = message(&frame);
        assert!(
            message.starts_with("left.IndexTip.rotation.w at 1.5 s: expected a rotation"),
            "{message}"
        );
        frame.left.joints[Joint::IndexTip]
            .as_mut()
            .unwrap()
            .rotation[1] = 1e-45;
        assert!(check(&frame).is_ok());
    }

    #[test]
    fn the_joint_none_may_have_no_rotation() {
        let mut frame = frame();
        let none = Pose {
            rotation: [0.0; 4],
            ..Pose::IDENTITY
        };
        frame.left.joints[Joint::None] = Some(none);
        assert!(check(&frame).is_ok());
    }

    #[test]
    fn joints_of_an_untracked_hand_are_not_checked() {
        let mut frame = frame();
        frame.right.joints[Joint::IndexTip]
            .as_mut()
            .unwrap()
            .position[0] = f32::NAN;
        assert!(check(&frame).is_ok());
        frame.right.tracked = true;
        let message = message(&frame);
        assert!(
            message.starts_with("right.IndexTip.position.x at 1.5 s"),
            "{message}"
        );
    }
}
