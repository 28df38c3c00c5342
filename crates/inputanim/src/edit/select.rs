//! Selection of elements.

use crate::curve::{BooleanCurve, CurveMut, FloatCurve, Keys};
use crate::device::DeviceName;
use crate::element::Element;
use crate::joint::Side;
use crate::recording::Recording;
use crate::time_range::TimeRange;
use crate::vector::VectorKind;

use super::budget::KeyBudget;
use super::cut::{EndKeys, cut_boolean, cut_float};

/// Keeps the elements that a predicate selects, byte for byte, and removes the others. Markers
/// stay. The tracked state of a hand stays while any other element of the hand is kept, because
/// joints are valid only while it is on. In the same way, a device keeps its profile and its haptic pulses.
///
/// Removed elements become curves without keys. A stream without kept elements is removed if the
/// layout allows that: version 1.0 always has the head and both hands.
///
/// The function tries to keep the [duration](Recording::duration). If no kept key is that late, it adds a key at the
/// end to a state, or else to a position. It uses only curves that hold their values at both ends, so the new key does
/// not change playback. If there is no such curve, the duration becomes shorter.
///
/// ```
/// use inputanim::{Element, Joint, Layout, Pose, Recording, Side, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.0, &Pose::IDENTITY);
/// recording.hands_mut().left.tracked.push(0.0, true);
/// for joint in [Joint::Palm, Joint::IndexTip] {
///     recording.hands_mut().left.joints[joint].push(0.0, &Pose::IDENTITY);
/// }
/// edit::select(&mut recording, |element| element == Element::Joint(Side::Left, Joint::Palm));
/// assert!(recording.head.is_none());
/// let left = &recording.hands_mut().left;
/// assert!(left.joints[Joint::IndexTip].is_empty() && !left.joints[Joint::Palm].is_empty());
/// assert_eq!(left.tracked.keys.len(), 1);
/// ```
pub fn select(recording: &mut Recording<'_>, keep: impl Fn(Element) -> bool) {
    let duration = recording.duration();
    let is_hand_kept = Side::BOTH.map(|side| {
        let mut elements = Element::all().filter(|element| element.side() == Some(side));
        elements.any(&keep)
    });
    let is_device_kept = select_devices(recording, &keep);
    for (path, curve) in recording.curves_mut() {
        let is_kept = match Element::from(path) {
            Element::Tracked(side) => is_hand_kept[side as usize],
            element => keep(element),
        };
        if !is_kept {
            empty(curve);
        }
    }
    recording.known.retain(|element| match element {
        Element::Tracked(side) => is_hand_kept[side as usize],
        Element::Profile(device) => is_device_kept.contains(&device),
        element => keep(element),
    });
    // The streams without kept elements: head, hands, gaze.
    let is_removed = [
        !keep(Element::Head),
        is_hand_kept == [false; 2],
        !keep(Element::Gaze),
    ];
    let is_required = !recording.layout.has_flags();
    if is_removed[0] && !is_required {
        recording.head = None;
    }
    if is_removed[1] && !is_required {
        recording.hands = None;
    }
    // No version requires gaze, and version 1.0 cannot contain it.
    if is_removed[2] {
        recording.gaze = None;
    }
    // An unusual flag byte would come back if the stream were added again.
    for (byte, is_removed) in recording.flag_bytes.iter_mut().zip(is_removed) {
        if is_removed {
            *byte = 0;
        }
    }
    if recording.duration() < duration {
        keep_duration(recording, duration);
    }
}

/// Removes the poses and inputs of devices that a predicate does not select, and devices without any. Returns the devices that
/// stay. A device stays, with its profile and haptic pulses, while any of its elements is selected.
fn select_devices(
    recording: &mut Recording<'_>,
    keep: impl Fn(Element) -> bool,
) -> Vec<DeviceName> {
    recording.devices.retain_mut(|device| {
        let name = device.name;
        device
            .poses
            .retain(|(pose, _)| keep(Element::DevicePose(name, *pose)));
        device
            .inputs
            .retain(|(input, _)| keep(Element::Input(name, *input)));
        !device.poses.is_empty() || !device.inputs.is_empty() || keep(Element::Profile(name))
    });
    recording.devices.iter().map(|device| device.name).collect()
}

/// Adds a key at `end` seconds, after all other keys, to a state or else to a position, so that the recording keeps its
/// duration. Uses only curves that hold their values at both ends, and does nothing without such curves.
///
/// With a shorter duration, a stream that ends earlier would look complete. A hand that was lost before the end would
/// look tracked there, with a lost tail (D3).
fn keep_duration(recording: &mut Recording<'_>, end: f32) {
    let to_end = TimeRange {
        start: f32::NEG_INFINITY,
        end,
    };
    let mut budget = KeyBudget::new();
    for (path, curve) in recording.curves_mut() {
        if let CurveMut::Boolean(curve) = curve
            && !curve.keys.is_empty()
            && curve.pre_wrap.holds()
            && curve.post_wrap.holds()
            && cut_boolean(path, curve, to_end, EndKeys::END, &mut budget).is_ok()
        {
            return;
        }
    }
    for (path, curves) in recording.vectors_mut() {
        // Rotations stay unchanged, because another key of w would hide that w was lost (D1).
        let is_candidate = path.kind() == VectorKind::Position
            && curves.iter().all(|curve| {
                !curve.keys.is_empty() && curve.pre_wrap.holds() && curve.post_wrap.holds()
            });
        if !is_candidate {
            continue;
        }
        let mut with_end = curves.to_vec();
        let mut components = path.curves().zip(&mut with_end);
        let is_done = components
            .all(|(path, curve)| cut_float(path, curve, to_end, EndKeys::END, &mut budget).is_ok());
        if is_done {
            curves.clone_from_slice(&with_end);
            return;
        }
    }
}

/// Empties a curve. The result has the form in which MRTK writes a curve without samples.
fn empty(curve: CurveMut<'_, '_>) {
    match curve {
        CurveMut::Boolean(curve) => *curve = BooleanCurve::default(),
        CurveMut::Float(curve) => {
            *curve = FloatCurve {
                keys: Keys::empty(curve.keys.kind()),
                ..FloatCurve::default()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::WrapMode;
    use crate::frame::{Pose, Ray};
    use crate::joint::Joint;
    use crate::layout::Layout;
    use crate::marker::Marker;
    use crate::recording::Flags;

    /// Returns a recording with a key and an unknown wrap mode in every curve.
    fn everything(layout: Layout) -> Recording<'static> {
        let mut recording = Recording::with_streams(layout, Flags::ALL);
        recording.head_mut().push(0.5, &Pose::IDENTITY);
        for side in Side::BOTH {
            let hand = recording.hands_mut().hand_mut(side);
            hand.tracked.push(0.0, true);
            hand.pinching.push(0.0, false);
            for joint in Joint::ALL {
                hand.joints[joint].push(0.5, &Pose::IDENTITY);
            }
        }
        let ray = Ray {
            origin: [0.0; 3],
            direction: [0.0, 0.0, 1.0],
        };
        recording.gaze_mut().push(0.5, &ray);
        if !layout.has_flags() {
            recording.gaze = None;
        }
        for (_, curve) in recording.curves_mut() {
            match curve {
                CurveMut::Float(curve) => curve.pre_wrap = WrapMode(77),
                CurveMut::Boolean(curve) => curve.pre_wrap = WrapMode(77),
            }
        }
        recording.markers.push(Marker::new(1.0, "here"));
        recording.keep_flag_bytes([255, 2, 3]);
        recording
    }

    #[test]
    fn curves_are_kept_or_emptied_like_mrtk_writes_them() {
        let original = everything(Layout::Mrtk1_1);
        for one in Element::all() {
            let mut recording = original.clone();
            select(&mut recording, |element| element == one);
            let tracked = one.side().map(Element::Tracked);
            for (path, curve) in original.curves() {
                let element = Element::from(path);
                match recording.curve(path) {
                    Some(kept) if element == one || Some(element) == tracked => {
                        assert_eq!(kept, curve, "{path} of {one}");
                    }
                    Some(emptied) => {
                        assert!(emptied.is_empty(), "{path} of {one}");
                        assert_eq!(emptied.wrap(), [WrapMode::CLAMP_FOREVER; 2].into());
                        assert_eq!(emptied.kind_name(), curve.kind_name());
                    }
                    None => assert_ne!(element, one),
                }
            }
            assert_eq!(recording.markers, original.markers);
        }
    }

    #[test]
    fn streams_without_elements_are_removed_with_their_flags() {
        let mut recording = everything(Layout::Mrtk1_1);
        select(&mut recording, |element| element == Element::Gaze);
        assert_eq!(recording.flag_bytes(), [0, 0, 3]);
        let bytes = recording.to_bytes_as(Layout::Mrtk1_1).unwrap();
        assert_eq!(Recording::parse(&bytes).unwrap(), recording);
        let mut recording = everything(Layout::Mrtk1_1);
        select(&mut recording, |_| false);
        assert_eq!(recording.flags(), Flags::NONE);
    }

    #[test]
    fn version_1_0_keeps_its_streams_as_empty_curves() {
        let mut recording = everything(Layout::Mrtk1_0);
        recording.keep_flag_bytes([0; 3]);
        select(&mut recording, |_| false);
        assert_eq!(recording.curves().count(), 389);
        assert!(recording.curves().all(|(_, curve)| curve.is_empty()));
        let bytes = recording.to_bytes_as(Layout::Mrtk1_0).unwrap();
        assert_eq!(Recording::parse(&bytes).unwrap(), recording);
    }

    #[test]
    fn keeping_everything_changes_nothing_and_one_state_can_be_removed() {
        let original = everything(Layout::FullWithMarkers1_1);
        let mut recording = original.clone();
        select(&mut recording, |_| true);
        assert_eq!(recording, original);
        select(&mut recording, |element| {
            element != Element::Pinching(Side::Left)
        });
        let gone: Vec<String> = original
            .curves()
            .filter(|&(path, curve)| recording.curve(path) != Some(curve))
            .map(|(path, _)| path.to_string())
            .collect();
        assert_eq!(gone, ["left.pinching"]);
    }
}
