//! Hands that hold controllers.

use inputanim::controller::{WRIST_IN_PALM, palm_in_grip};
use inputanim::{
    DeviceFrame, DeviceName, Element, Frame, HandFrame, InputValue, Joint, Joints, Pauses, Pose,
    Recorder, RecorderOptions, Recording, Sampler, SamplerCursor, Side, Space, TimeRange,
};

use super::report::counted;
use super::rigid::{Rigid, is_known};
use super::{NoteKind, Report, SampleError};

/// The smallest value of a trigger, from 0 to 1, at which the trigger counts as pressed and a hand that is derived from the controller
/// pinches.
pub(crate) const PINCH_TRIGGER: f32 = 0.5;

/// The name of the text about a recording that states which elements were derived from which other elements.
pub(crate) const DERIVED: &str = "derived";

const ALWAYS: TimeRange = TimeRange {
    start: f32::NEG_INFINITY,
    end: f32::INFINITY,
};

/// The pose from which palms are derived.
const GRIP: &str = "grip";
/// The inputs that make a derived hand pinch. The first one that the controller has is used.
const PINCHES: [&str; 3] = ["trigger/value", "trigger/click", "select/click"];

/// Returns the palm and the wrist of a hand that holds a controller, computed from the grip of the controller. All
/// poses are in OpenXR's axes. The other joints are `None`.
pub(crate) fn joints(grip: &Pose, side: Side) -> Joints<Option<Pose>> {
    let palm = Rigid::of(&palm_in_grip(side)).on(&Rigid::of(grip));
    let wrist = Rigid::of(&WRIST_IN_PALM);
    let mut joints = Joints::default();
    joints[Joint::Palm] = Some(palm.pose());
    joints[Joint::Wrist] = Some(wrist.on(&palm).pose());
    joints
}

/// Derives hands from controllers while a hand is not tracked and the grip of its controller is known. The derived hand is tracked, has
/// a palm and a wrist, and pinches while the trigger is at [`PINCH_TRIGGER`] or above. The controllers are not changed. A text about
/// the recording and a note state what was derived.
///
/// A hand that is derived at any time gets keys at the times of all keys of the recording, because there it may change between the
/// tracked hand and the derived hand.
///
/// # Errors
/// When the recording cannot be sampled.
pub(crate) fn derive_palms(
    recording: &mut Recording<'_>,
    report: &mut Report,
) -> Result<(), SampleError> {
    let Ok(grip) = GRIP.parse() else {
        return Ok(());
    };
    let has_grip = |side: &Side| {
        let controller = recording.device(DeviceName::controller(*side));
        controller.is_some_and(|device| device.pose(grip).is_some_and(|pose| !pose.is_empty()))
    };
    let sides: Vec<Side> = Side::BOTH.into_iter().filter(has_grip).collect();
    if sides.is_empty() {
        return Ok(());
    }
    let sampler = Sampler::new(recording)?;
    let mut options = RecorderOptions::new(recording.layout);
    // The frames are at the times of keys. Pauses are gaps already.
    options.pauses = Pauses::None;
    let Ok(mut recorder) = Recorder::with_options(options) else {
        return Ok(());
    };
    let has_trigger = Side::BOTH.map(|side| {
        let controller = recording.device(DeviceName::controller(side));
        let has = |name: &&str| {
            let input = name.parse().ok();
            let input = input.and_then(|input| controller?.input(input));
            input.is_some_and(|input| !input.curve().is_empty())
        };
        PINCHES.iter().any(has)
    });
    let mut poses = [0; 2];
    let mut has_pinch = [false; 2];
    let mut cursor = SamplerCursor::default();
    let mut frame = Frame::default();
    for time in sampler.key_times() {
        sampler.read(time, &mut cursor, &mut frame);
        let mut hands = Frame {
            time,
            ..Frame::default()
        };
        for &side in &sides {
            let controller = frame.device(DeviceName::controller(side));
            let derived =
                controller.and_then(|controller| hand(controller, frame.hand(side), side));
            poses[side as usize] += usize::from(derived.is_some());
            has_pinch[side as usize] |= derived.as_ref().is_some_and(|hand| !hand.pinch_unknown);
            *hands.hand_mut(side) =
                derived.unwrap_or_else(|| known(frame.hand(side), has_trigger[side as usize]));
        }
        // Only a time that is not finite is refused.
        let _ = recorder.push(&hands);
    }
    let mut derived = recorder.finish();
    let mut texts = Vec::new();
    for &side in sides.iter().filter(|&&side| poses[side as usize] > 0) {
        let controller = DeviceName::controller(side);
        *recording.hands_mut().hand_mut(side) = derived.hands_mut().hand(side).clone();
        let elements = Joint::ALL.map(|joint| Element::Joint(side, joint));
        for element in elements.into_iter().chain([Element::Tracked(side)]) {
            recording.known.remove_gaps(element, ALWAYS);
            for &gap in derived.known.gaps(element) {
                recording.known.add_gap(element, gap);
            }
        }
        let pinch = if has_pinch[side as usize] {
            ", pinch from the trigger"
        } else {
            ""
        };
        let message = format!(
            "{side} hand derived from {controller} in {}: palm and wrist from the grip{pinch}",
            counted(poses[side as usize], "sample")
        );
        report.note(NoteKind::Controllers, message);
        let pinch = if has_pinch[side as usize] {
            format!(", {side}.pinching")
        } else {
            String::new()
        };
        texts.push(format!(
            "{side}.Palm, {side}.Wrist{pinch} from {controller}"
        ));
    }
    if !texts.is_empty() {
        recording.about.set(DERIVED, &texts.join("; "));
    }
    Ok(())
}

/// Returns the hand that is derived from a controller; `None` if the hand is tracked or the grip of the controller is unknown. The
/// poses are in Unity's axes.
fn hand(controller: &DeviceFrame, hand: &HandFrame, side: Side) -> Option<HandFrame> {
    let grip = controller
        .pose(GRIP.parse().ok()?)
        .filter(|pose| is_known(pose))?;
    if hand.tracked {
        return None;
    }
    let mut joints = joints(&Space::OpenXr.pose(*grip), side);
    for joint in [Joint::Palm, Joint::Wrist] {
        joints[joint] = joints[joint].map(|pose| Space::OpenXr.pose(pose));
    }
    let pinch = PINCHES
        .iter()
        .find_map(|name| controller.input(name.parse().ok()?));
    Some(HandFrame {
        tracked: true,
        pinching: match pinch {
            Some(InputValue::Float(value)) => value >= PINCH_TRIGGER,
            Some(InputValue::Boolean(is_on)) => is_on,
            None => false,
        },
        unknown: false,
        pinch_unknown: pinch.is_none(),
        joints,
    })
}

/// Returns a hand without the joints whose poses are not finite. If its controller has a trigger, an unknown pinch becomes off, because
/// otherwise the last pinch that was derived from the controller would continue.
fn known(hand: &HandFrame, has_trigger: bool) -> HandFrame {
    let mut hand = hand.clone();
    hand.pinch_unknown &= !has_trigger;
    for joint in Joint::ALL {
        hand.joints[joint] = hand.joints[joint].filter(is_known);
    }
    hand
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rounded(pose: &Pose, axis: [f32; 3]) -> [f32; 3] {
        // Adding 0 removes the sign of −0.
        pose.turn(axis).map(|part| part.round() + 0.0)
    }

    #[test]
    fn the_axes_of_the_left_palm_are_axes_of_the_grip() {
        // Without a rotation, the axes of the grip are the axes of the world.
        let left = joints(&Pose::IDENTITY, Side::Left)[Joint::Palm].unwrap();
        assert_eq!(rounded(&left, [1.0, 0.0, 0.0]), [0.0, 0.0, -1.0]);
        assert_eq!(rounded(&left, [0.0, 1.0, 0.0]), [-1.0, 0.0, 0.0]);
        assert_eq!(rounded(&left, [0.0, 0.0, 1.0]), [0.0, 1.0, 0.0]);
    }

    #[test]
    fn the_wrist_is_behind_the_palm() {
        // A right hand with its thumb up and its fingers ahead: −Z of the grip points up, +X to the right.
        let half = std::f32::consts::FRAC_1_SQRT_2;
        let grip = Pose {
            position: [0.2, 1.0, -0.4],
            rotation: [half, 0.0, 0.0, half],
        };
        assert_eq!(rounded(&grip, [0.0, 0.0, -1.0]), [0.0, 1.0, 0.0]);
        let joints = joints(&grip, Side::Right);
        assert_eq!(joints[Joint::Palm].unwrap().position, [0.2, 1.0, -0.4]);
        let [x, y, z] = joints[Joint::Wrist].unwrap().position;
        assert!((x - 0.2).abs() < 1e-6 && (y - 1.0).abs() < 1e-6, "{x} {y}");
        assert!((z + 0.4 - 0.047).abs() < 1e-6, "{z}");
        assert_eq!(joints[Joint::IndexTip], None);
    }
}
