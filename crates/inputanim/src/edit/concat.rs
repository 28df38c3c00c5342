//! Concatenation of recordings.

use std::borrow::Cow;
use std::fmt;

use crate::curve::{BooleanCurve, CurveMut, FloatCurve, KeyKind, Keys};
use crate::device::Device;
use crate::element::Element;
use crate::joint::Side;
use crate::key::BooleanKey;
use crate::path::CurvePath;
use crate::recording::{Flags, Recording};
use crate::time_range::TimeRange;
use crate::vector::{VectorKind, VectorPath};
use crate::velocity::VelocityVector;

use super::budget::KeyBudget;
use super::checks::{check_parts, refuse_lost_w, require};
use super::cut::{Cut, EndKeys, cut_boolean, cut_float};
use super::error::EditError;

/// The transition between two recordings.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Join {
    /// No transition: the next recording begins where the one before ends.
    Cut,
    /// Seconds in which poses are held and hands are neither tracked nor pinching.
    Gap(f32),
    /// Seconds of linear interpolation from the end of one recording to the start of the next. A hand is tracked or
    /// pinches only if it is so both before and after.
    Blend(f32),
}

impl Join {
    /// Returns a gap or a blend of the given length in seconds, or a cut if both are `None`.
    ///
    /// # Errors
    /// Returns an error if both are given.
    pub fn new(gap: Option<f32>, blend: Option<f32>) -> Result<Join, EditError> {
        match (gap, blend) {
            (None, None) => Ok(Join::Cut),
            (Some(seconds), None) => Ok(Join::Gap(seconds)),
            (None, Some(seconds)) => Ok(Join::Blend(seconds)),
            (Some(_), Some(_)) => Err(EditError::NotExactlyOne("gap or blend, found both")),
        }
    }

    fn seconds(self) -> Result<f32, EditError> {
        let seconds = match self {
            Join::Cut => 0.0,
            Join::Gap(seconds) | Join::Blend(seconds) => seconds,
        };
        let is_valid = seconds >= 0.0 && seconds.is_finite();
        require(is_valid, "transition time", seconds, "0 or more and finite")?;
        Ok(seconds)
    }
}

/// Joins recordings in the layout of the first. Each contributes the time from t = 0 to its last key. Markers are kept,
/// except markers that would be inside another recording.
///
/// A head, gaze or joint that only some recordings have is unknown in the others: see [`Recording::known`]. A hand that is
/// missing in a recording is not tracked there, and a controller is not active. The [velocities](crate::velocity) of devices are
/// unknown in transitions. Rotations of later recordings may change their
/// sign, so that no sign flip occurs at a join. Without recordings the result is empty.
///
/// ```
/// use inputanim::edit::{self, Join};
/// use inputanim::{FloatCurve, Layout, Recording};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (2.0, 3.0)]);
/// let twice = edit::concat(&[recording.clone(), recording], Join::Blend(0.5))?;
/// let height = &twice.head.unwrap().position[1].keys;
/// let points: Vec<_> = height.points().collect();
/// assert_eq!(points, [(0.0, 1.0), (2.0, 3.0), (2.5, 1.0), (4.5, 3.0)]);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if the w component of a rotation was not saved, if a transition time is negative or not finite, if
/// the time of a key is not finite, if keys at different times would get the same time, or if the copies of a curve
/// that loops would take more than 4 Mi keys.
pub fn concat(parts: &[Recording<'_>], join: Join) -> Result<Recording<'static>, EditError> {
    let seconds = join.seconds()?;
    let Some((first, rest)) = parts.split_first() else {
        return Ok(Recording::new(crate::Layout::Mrtk1_1));
    };
    for part in parts {
        refuse_lost_w(part)?;
    }
    let mut all = first.clone().into_owned();
    for part in rest {
        append(&mut all, part, join, seconds)?;
    }
    Ok(all)
}

/// A hand that does not pinch in parts of a joined recording, although its pinches are unknown there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct InventedPinches {
    /// The side of the hand.
    pub side: Side,
    /// The number of these parts.
    pub parts: usize,
}

impl fmt::Display for InventedPinches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let InventedPinches { side, parts } = self;
        let recordings = if *parts == 1 {
            "recording"
        } else {
            "recordings"
        };
        write!(
            f,
            "the pinches of the {side} hand are unknown in {parts} {recordings}; the result has no pinches there"
        )
    }
}

/// Returns the hands whose pinches some of the recordings have and others lack, with the number of those that lack them. In
/// the result of [`concat()`], such a hand does not pinch in these parts, because a recording has the pinches of a hand
/// completely or not at all.
pub fn invented_pinches(parts: &[Recording<'_>]) -> Vec<InventedPinches> {
    let lacking = |side: Side| {
        let lacking = parts.iter().filter(|part| part.lacks_pinches(side)).count();
        let has = |part: &Recording<'_>| {
            let hands = part.hands.as_ref();
            hands.is_some_and(|hands| !hands.hand(side).pinching.keys.is_empty())
        };
        let invented = InventedPinches {
            side,
            parts: lacking,
        };
        (lacking > 0 && parts.iter().any(has)).then_some(invented)
    };
    Side::BOTH.into_iter().filter_map(lacking).collect()
}

/// Repeats a recording, like [`concat()`] of that number of copies.
///
/// Each step joins the result so far to itself, so the cost is proportional to the size of the result.
///
/// ```
/// use inputanim::edit::{self, Join};
/// use inputanim::{FloatCurve, Layout, Recording};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (2.0, 3.0)]);
/// let ten = edit::repeat(&recording, 10, Join::Gap(0.5))?;
/// assert_eq!(ten.duration(), 24.5);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if the number of copies is not from 1 to [`MAX_PARTS`](super::MAX_PARTS), and in the cases of
/// [`concat()`].
pub fn repeat(
    recording: &Recording<'_>,
    times: u32,
    join: Join,
) -> Result<Recording<'static>, EditError> {
    check_parts("copies", times.into())?;
    let mut repeated: Option<Recording<'static>> = None;
    let mut power = concat(std::slice::from_ref(recording), join)?;
    let mut left = times;
    while left > 0 {
        if left % 2 == 1 {
            repeated = Some(match repeated.take() {
                None => power.clone(),
                Some(before) => concat(&[before, power.clone()], join)?,
            });
        }
        left /= 2;
        if left > 0 {
            power = concat(&[power.clone(), power], join)?;
        }
    }
    Ok(repeated.unwrap_or_else(|| Recording::new(recording.layout)))
}

fn append(
    all: &mut Recording<'static>,
    part: &Recording<'_>,
    join: Join,
    seconds: f32,
) -> Result<(), EditError> {
    let before = all.played_range();
    let end = before.end;
    let start = end + seconds;
    let mut part = part.clone().into_owned();
    let played = TimeRange {
        start: 0.0,
        end: part.duration(),
    };
    let mut budget = KeyBudget::new();
    let from_start = EndKeys {
        start: true,
        end: false,
        where_it_loops: true,
    };
    for (path, curve) in part.curves_mut() {
        match curve {
            CurveMut::Float(curve) => cut_float(path, curve, played, from_start, &mut budget)?,
            CurveMut::Boolean(curve) => cut_boolean(path, curve, played, from_start, &mut budget)?,
        }
    }
    super::shift(&mut part, start)?;
    let (here, there) = (all.flags(), part.flags());
    let flags = Flags {
        head: here.head || there.head,
        hand: here.hand || there.hand,
        gaze: here.gaze || there.gaze,
    };
    let has_device = |recording: &Recording<'_>, element: Element| {
        let device = element.device();
        device.is_none_or(|device| recording.device(device).is_some())
    };
    let in_both: Vec<Element> = all
        .devices
        .iter()
        .chain(&part.devices)
        .flat_map(Device::elements)
        // Everything of a device that only one recording has is unknown with the device.
        .filter(|&element| {
            matches!(element, Element::Profile(_))
                || has_device(all, element) && has_device(&part, element)
        })
        .collect();
    add_devices(all, &part, end);
    add_devices(&mut part, all, start);
    let one_sided: Vec<(Element, bool)> = Element::all()
        .chain(in_both)
        .filter(|element| !matches!(element, Element::Tracked(_) | Element::Pinching(_)))
        .map(|element| (element, all.has_keys(element), part.has_keys(element)))
        .filter(|(_, is_here, is_there)| is_here != is_there)
        .map(|(element, is_here, _)| (element, is_here))
        .collect();
    for recording in [&mut *all, &mut part] {
        add_streams(recording, flags);
    }
    let mut join_point = JoinPoint {
        join,
        before,
        start,
        finish: part.duration().max(start),
        budget,
    };
    for ((path, before), (_, after)) in all.vectors_mut().zip(part.vectors_mut()) {
        if path.kind() == VectorKind::Rotation {
            align_hemisphere(before, after, &join_point);
        }
        join_point.join_vector(path, before, after)?;
    }
    for ((path, before), (_, after)) in all.curves_mut().zip(part.curves_mut()) {
        if let (CurveMut::Boolean(before), CurveMut::Boolean(after)) = (before, after) {
            join_point.join_states(path, before, after)?;
        }
    }
    let first = join_point.before.start;
    for (before, after) in all.devices.iter_mut().zip(part.devices) {
        before.join_events(after, first, start);
    }
    all.known.join(&part.known, end, start);
    all.about.join(&part.about);
    // Nobody has measured the velocity of a transition.
    let transition = TimeRange {
        start: end,
        end: start,
    };
    for element in all.devices.iter().flat_map(Device::elements) {
        if matches!(element, Element::Input(_, input) if VelocityVector::of(input).is_some()) {
            all.known.add_gap(element, transition);
        }
    }
    for (element, is_here) in one_sided {
        // What only one of the recordings has is unknown in the other one.
        let gap = match is_here {
            true if join_point.finish > end => TimeRange {
                start: end,
                end: f32::INFINITY,
            },
            false if start > before.start => TimeRange {
                start: f32::NEG_INFINITY,
                end: start,
            },
            _ => continue,
        };
        all.known.add_gap(element, gap);
    }
    all.markers.retain(|marker| marker.time <= end);
    let markers = part.markers.into_iter();
    all.markers
        .extend(markers.filter(|marker| marker.time >= start));
    Ok(())
}

/// Adds the devices, poses and inputs of another recording, without keys. An input that is on or off here and has numbers there
/// gets numbers.
fn add_devices(recording: &mut Recording<'static>, other: &Recording<'_>, time: f32) {
    for theirs in &other.devices {
        let is_new = recording.device(theirs.name).is_none();
        let ours = recording.device_mut(theirs.name);
        for (pose, _) in &theirs.poses {
            ours.pose_mut(*pose);
        }
        for (input, curve) in &theirs.inputs {
            ours.add_input(*input, curve);
        }
        // A device that has no profile where it is recorded has a gap where it is not.
        if is_new && !theirs.profiles.is_empty() {
            ours.set_inactive(time);
        }
    }
}

fn add_streams(recording: &mut Recording<'_>, flags: Flags) {
    if flags.head {
        recording.head_mut();
    }
    if flags.hand {
        recording.hands_mut();
    }
    if flags.gaze {
        recording.gaze_mut();
    }
}

/// Negates all keys of the rotation `after` if its start is in the opposite hemisphere of the end of `before`.
fn align_hemisphere(
    before: &[FloatCurve<'_>],
    after: &mut [FloatCurve<'_>],
    join_point: &JoinPoint,
) {
    // Curves that cannot be evaluated are refused when they are joined.
    let value = |curve: &FloatCurve<'_>, time| curve.evaluator().map_or(0.0, |c| c.at(time).into());
    let pairs = before.iter().zip(after.iter());
    let products = pairs.map(|(before, after)| -> f64 {
        value(before, join_point.before.end) * value(after, join_point.start)
    });
    if products.sum::<f64>() < 0.0 {
        for curve in after {
            for key in 0..curve.keys.len() {
                curve.keys.scale(key, -1.0);
            }
        }
    }
}

/// The point at which two recordings are joined.
struct JoinPoint {
    join: Join,
    /// The time range of the recording before.
    before: TimeRange,
    /// The start of the recording after, in seconds.
    start: f32,
    /// The end of the recording after, in seconds.
    finish: f32,
    budget: KeyBudget,
}

impl JoinPoint {
    /// Appends the keys of a vector in the next recording, which it takes from `after`, to its curves so far, `before`.
    /// At the join, all components get keys at the same times. A head or gaze without keys in the next recording is
    /// held until its end.
    fn join_vector(
        &mut self,
        path: VectorPath,
        before: &mut [FloatCurve<'static>],
        after: &mut [FloatCurve<'static>],
    ) -> Result<(), EditError> {
        if after.iter().all(|curve| curve.keys.is_empty()) {
            // A head or gaze that is missing in the next recording holds until its end, so that
            // its samples do not look lost. Joints are not tracked there.
            if matches!(path, VectorPath::Head(_) | VectorPath::Gaze(_)) {
                let until = TimeRange {
                    end: self.finish,
                    ..self.before
                };
                for (path, curve) in path.curves().zip(before) {
                    cut_float(path, curve, until, EndKeys::END, &mut self.budget)?;
                }
            }
            return Ok(());
        }
        // This is a copy, because the curves stay unchanged if the next recording only holds their last values.
        let mut held = before.to_vec();
        for (path, curve) in path.curves().zip(&mut held) {
            cut_float(path, curve, self.before, EndKeys::END, &mut self.budget)?;
        }
        // If the next recording only holds the last value, nothing changes.
        let end = |curve: &FloatCurve<'_>| curve.keys.points().last().map(|(_, value)| value);
        let start = |curve: &FloatCurve<'_>| curve.keys.point(0).map(|(_, value)| value);
        let meets = held
            .iter()
            .zip(after.iter())
            .all(|(held, after)| end(held) == start(after));
        if meets && after.iter().all(|curve| curve.keys.len() <= 1) {
            for (before, held) in before.iter_mut().zip(held) {
                // A curve that looped must be held, or it would loop through the next recording.
                if held.post_wrap != before.post_wrap {
                    *before = held;
                }
            }
            return Ok(());
        }
        for ((before, held), after) in before.iter_mut().zip(held).zip(after) {
            *before = self.join_float(held, std::mem::take(after), meets);
        }
        Ok(())
    }

    fn join_float(
        &self,
        before: FloatCurve<'static>,
        after: FloatCurve<'static>,
        meets: bool,
    ) -> FloatCurve<'static> {
        let is_curved = |curve: &FloatCurve<'_>| match &curve.keys {
            Keys::Full(keys) => !keys.iter().all(|key| key.is_linear()),
            Keys::Simple(_) => false,
        };
        if after.keys.is_empty() {
            return before;
        }
        // Simple keys have no tangents, so tangents in one part make all keys full.
        let kind = if is_curved(&before) || is_curved(&after) {
            KeyKind::Full
        } else {
            before.keys.kind()
        };
        let (mut joined, next) = (before.into_kind(kind), after.into_kind(kind));
        match (&mut joined.keys, next.keys) {
            (Keys::Full(keys), Keys::Full(next)) => {
                self.join(keys.to_mut(), next.into_owned(), meets);
            }
            (Keys::Simple(keys), Keys::Simple(next)) => {
                self.join(keys.to_mut(), next.into_owned(), meets);
            }
            _ => {}
        }
        joined.post_wrap = next.post_wrap;
        joined
    }

    /// Appends the keys of the next recording to keys that end at the join, with the transition between them. `meets`
    /// is `true` if the vector has the same value on both sides of the join.
    fn join<K: Cut>(&self, keys: &mut Vec<K>, next: Vec<K>, meets: bool) {
        let mut next = next.into_iter();
        if let Some(last) = keys.last_mut()
            && let Some(mut first) = next.next()
        {
            match self.join {
                // One key is enough where both have the same time and value. Each segment keeps its
                // tangent.
                _ if meets && last.time() == first.time() => {
                    *last = K::joined(*last, first);
                }
                Join::Blend(_) => {
                    K::make_linear(last, &mut first);
                    keys.push(first);
                }
                Join::Cut | Join::Gap(_) => {
                    // Without this key, the value would be interpolated across the transition.
                    if last.time() < first.time() {
                        let held = K::lead_out(last, first.time());
                        keys.push(held);
                    }
                    keys.push(first);
                }
            }
        }
        keys.extend(next);
    }

    /// Appends the keys of a state in the next recording, `after`, to its curve so far, `before`, with the transition
    /// between them. A state is off where it is not recorded.
    fn join_states(
        &mut self,
        path: CurvePath,
        before: &mut BooleanCurve<'static>,
        after: &mut BooleanCurve<'static>,
    ) -> Result<(), EditError> {
        if before.keys.is_empty() && after.keys.is_empty() {
            return Ok(());
        }
        if before.keys.is_empty() {
            // The first value of a state also holds before its key. This key keeps the state off
            // before the join.
            before.push(0.0, false);
        }
        let end_keys = EndKeys {
            where_it_loops: true,
            ..EndKeys::NONE
        };
        cut_boolean(path, before, self.before, end_keys, &mut self.budget)?;
        let keys = before.keys.to_mut();
        let was_on = keys.last().is_some_and(BooleanKey::is_on);
        let is_on = after.keys.first().is_some_and(BooleanKey::is_on);
        let between = match self.join {
            Join::Cut => None,
            Join::Gap(_) => Some(false),
            Join::Blend(_) => Some(was_on && is_on),
        };
        // A single key also determines the value before it.
        if let [only] = keys[..]
            && only.time() > self.before.start
        {
            keys.insert(0, BooleanKey::new(self.before.start, only.is_on()));
        }
        let mut push = |key: BooleanKey| {
            if let Some(last) = keys.last_mut().filter(|last| last.time() == key.time()) {
                *last = key;
            } else if keys.last().is_none_or(|last| last.is_on() != key.is_on()) {
                keys.push(key);
            }
        };
        if let Some(on) = between {
            push(BooleanKey::new(self.before.end, on));
        }
        match &after.keys[..] {
            [] => push(BooleanKey::new(self.start, false)),
            [first, rest @ ..] => {
                push(*first);
                keys.extend_from_slice(rest);
            }
        }
        before.keys = Cow::Owned(std::mem::take(keys));
        before.post_wrap = after.post_wrap;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frame::Pose;
    use crate::layout::Layout;
    use crate::marker::Marker;
    use crate::sampler::Sampler;

    fn recording(heights: &[(f32, f32)], tracked: &[(f32, bool)]) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().position[1] = FloatCurve::linear(heights.iter().copied());
        recording.hands_mut().left.tracked = BooleanCurve::new(tracked.iter().copied());
        recording
    }

    fn points(recording: &Recording<'_>) -> Vec<(f32, f32)> {
        recording.head.as_ref().unwrap().position[1]
            .keys
            .points()
            .collect()
    }

    fn tracked(recording: &Recording<'_>) -> Vec<(f32, bool)> {
        let keys = recording.hands.as_ref().unwrap().left.tracked.keys.iter();
        keys.map(|key| (key.time(), key.is_on())).collect()
    }

    #[test]
    fn transitions_cut_hold_or_interpolate() {
        let a = recording(&[(0.0, 1.0), (1.5, 2.0)], &[(0.0, true), (2.0, true)]);
        let b = recording(&[(0.5, 5.0), (1.0, 6.0)], &[(0.0, true)]);
        let parts = [a, b];
        let cut = concat(&parts, Join::Cut).unwrap();
        let expected = [
            (0.0, 1.0),
            (1.5, 2.0),
            (2.0, 2.0),
            (2.0, 5.0),
            (2.5, 5.0),
            (3.0, 6.0),
        ];
        assert_eq!(points(&cut), expected);
        assert_eq!(tracked(&cut), [(0.0, true), (2.0, true)]);
        let gap = concat(&parts, Join::Gap(1.0)).unwrap();
        let expected = [
            (0.0, 1.0),
            (1.5, 2.0),
            (2.0, 2.0),
            (3.0, 2.0),
            (3.0, 5.0),
            (3.5, 5.0),
            (4.0, 6.0),
        ];
        assert_eq!(points(&gap), expected);
        assert_eq!(tracked(&gap), [(0.0, true), (2.0, false), (3.0, true)]);
        let blend = concat(&parts, Join::Blend(1.0)).unwrap();
        let expected = [
            (0.0, 1.0),
            (1.5, 2.0),
            (2.0, 2.0),
            (3.0, 5.0),
            (3.5, 5.0),
            (4.0, 6.0),
        ];
        assert_eq!(points(&blend), expected);
        assert_eq!(tracked(&blend), [(0.0, true), (2.0, true)]);
        assert!(concat(&parts, Join::Gap(-1.0)).is_err());
        assert!(concat(&parts, Join::Blend(f32::NAN)).is_err());
    }

    #[test]
    fn linear_keys_stay_linear_when_their_rotation_changes_its_sign() {
        let mut part = Recording::new(Layout::Mrtk1_0);
        for (time, w) in [(0.0, 1.0), (1.0, -1.0)] {
            let rotation = [0.0, 0.0, 0.0, w];
            let pose = Pose {
                rotation,
                ..Pose::IDENTITY
            };
            part.head_mut().push(time, &pose);
        }
        let both = concat(&[part.clone(), part], Join::Cut).unwrap();
        let w = &both.head.as_ref().unwrap().rotation[3].keys;
        let values: Vec<f32> = w.points().map(|(_, value)| value).collect();
        // The second copy has the other sign.
        assert_eq!(values, [1.0, -1.0, 1.0]);
        let Keys::Full(keys) = w else {
            unreachable!("the layout has full keys")
        };
        assert!(keys.iter().all(|key| key.is_linear()));
        super::super::smooth(&mut both.clone(), &Default::default()).unwrap();
    }

    #[test]
    fn hands_of_one_recording_are_untracked_in_the_other() {
        let with = recording(&[(0.0, 1.0), (2.0, 2.0)], &[(0.0, true)]);
        let mut without = with.clone();
        without.hands = None;
        let after = concat(&[without.clone(), with.clone()], Join::Cut).unwrap();
        assert_eq!(tracked(&after), [(0.0, false), (2.0, true)]);
        let before = concat(&[with, without], Join::Cut).unwrap();
        assert_eq!(tracked(&before), [(0.0, true), (2.0, false)]);
    }

    #[test]
    fn a_state_with_one_late_key_is_on_from_the_start() {
        let late = recording(&[(0.0, 1.0), (2.0, 2.0)], &[(2.0, true)]);
        let parts = [late.clone(), late];
        let gap = concat(&parts, Join::Gap(1.0)).unwrap();
        assert_eq!(
            tracked(&gap),
            [(0.0, true), (2.0, false), (3.0, true), (5.0, true)]
        );
        let sampler = Sampler::new(&gap).unwrap();
        assert!(sampler.frame_at(0.5).left.tracked && !sampler.frame_at(2.5).left.tracked);
    }

    #[test]
    fn components_keep_sharing_their_key_times() {
        let part = |x: f32| {
            let mut part = Recording::new(Layout::Mrtk1_1);
            part.head_mut().push(0.0, &Pose::at([x, 1.0, 2.0]));
            part.head_mut().push(1.0, &Pose::at([x, 1.0, 2.0]));
            part
        };
        for join in [Join::Cut, Join::Gap(0.5), Join::Blend(0.5)] {
            let both = concat(&[part(0.0), part(1.0)], join).unwrap();
            assert!(
                crate::vector::share_times(&both.head.unwrap().position),
                "{join:?}"
            );
        }
    }

    #[test]
    fn a_repetition_is_a_concatenation_of_copies() {
        let part = recording(&[(0.0, 1.0), (2.0, 2.0)], &[(0.0, true), (1.0, false)]);
        for join in [Join::Cut, Join::Gap(1.0), Join::Blend(0.5)] {
            for times in 1..=7 {
                let copies = vec![part.clone(); times as usize];
                let repeated = repeat(&part, times, join).unwrap();
                assert_eq!(repeated, concat(&copies, join).unwrap(), "{times} {join:?}");
            }
            assert!(repeat(&part, 0, join).is_err());
        }
    }

    #[test]
    fn markers_outside_a_recording_are_not_moved_into_another() {
        let mut part = recording(&[(0.0, 1.0), (2.0, 2.0)], &[(0.0, true)]);
        part.markers = [-1.0, 1.0, 99.0]
            .map(|time| Marker::new(time, "m"))
            .to_vec();
        let both = concat(&[part.clone(), part], Join::Cut).unwrap();
        let times: Vec<f32> = both.markers.iter().map(|marker| marker.time).collect();
        assert_eq!(times, [-1.0, 1.0, 3.0, 101.0]);
    }

    #[test]
    fn rotations_take_the_shorter_arc_across_a_join() {
        let mut a = Recording::new(Layout::Mrtk1_1);
        let at = |angle: f32, sign: f32| Pose {
            rotation: [
                0.0,
                sign * (angle / 2.0).sin(),
                0.0,
                sign * (angle / 2.0).cos(),
            ],
            ..Pose::IDENTITY
        };
        a.head_mut().push(0.0, &at(0.0, 1.0));
        a.head_mut().push(1.0, &at(0.2, 1.0));
        let mut b = Recording::new(Layout::Mrtk1_1);
        b.head_mut().push(0.0, &at(0.4, -1.0));
        let both = concat(&[a, b], Join::Blend(1.0)).unwrap();
        let between = Sampler::new(&both).unwrap().frame_at(1.5).head.unwrap();
        assert!(
            (between.rotation[1] - 0.15_f32.sin()).abs() < 1e-3,
            "{between:?}"
        );
    }
}
