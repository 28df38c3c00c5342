//! Recordings one after the other.

use std::borrow::Cow;

use crate::curve::{BooleanCurve, CurveMut, FloatCurve, KeyKind, Keys};
use crate::key::BooleanKey;
use crate::path::CurvePath;
use crate::recording::{Flags, Recording};
use crate::span::Span;
use crate::vector::{VectorKind, VectorPath};

use super::cut::{Cut, Pins, cut_boolean, cut_float};
use super::{EditError, Room, played, refuse_lost_w};

/// What lies between two recordings that are put together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Join {
    /// Nothing: the next begins where the one before ends.
    Cut,
    /// So many seconds in which all stands still and no hand is tracked or pinches.
    Gap(f32),
    /// So many seconds in which all goes straight from the end of one to the start of the next; a
    /// hand is tracked and pinches in them only if it does so before and after.
    Blend(f32),
}

impl Join {
    fn seconds(self) -> Result<f32, EditError> {
        let seconds = match self {
            Join::Cut => 0.0,
            Join::Gap(seconds) | Join::Blend(seconds) => seconds,
        };
        match seconds >= 0.0 && seconds.is_finite() {
            true => Ok(seconds),
            false => Err(EditError::Number {
                what: "the time between two recordings",
                value: seconds.into(),
                expected: "0 or more and finite",
            }),
        }
    }
}

/// Puts recordings one after the other, in the layout of the first: each plays from its t = 0 to
/// the last of its keys. Markers come along, but for those that would lie in another recording.
///
/// A pose that only some of them have holds its nearest value in the others; a hand that was not
/// recorded at all is not tracked there. Rotations of the later recordings may change their sign,
/// which is the same rotation, so that no head or joint spins at the join.
///
/// ```
/// use inputanim::edit::{self, Join};
/// use inputanim::{FloatCurve, Layout, Recording};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (2.0, 3.0)]);
/// let twice = edit::concat(&[take.clone(), take], Join::Blend(0.5))?;
/// let height = &twice.camera.unwrap().position[1].keys;
/// let points: Vec<_> = height.points().collect();
/// assert_eq!(points, [(0.0, 1.0), (2.0, 3.0), (2.5, 1.0), (4.5, 3.0)]);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// When a rotation has lost its w, when the time of a join is negative or not finite, when a key's
/// time is not finite, when keys would fall together for being so late, or when a loop would take
/// more than 4 Mi keys to write out. Without any recording there is nothing to put together: the
/// result is then empty.
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

fn append(
    all: &mut Recording<'static>,
    part: &Recording<'_>,
    join: Join,
    seconds: f32,
) -> Result<(), EditError> {
    let before = played(all);
    let end = before.end;
    let start = end + seconds;
    let mut part = part.clone().into_owned();
    let played = Span {
        start: 0.0,
        end: part.duration(),
    };
    let mut room = Room::NEW;
    let from_start = Pins {
        start: true,
        end: false,
        where_it_wraps: true,
    };
    for (path, curve) in part.curves_mut() {
        match curve {
            CurveMut::Float(curve) => cut_float(path, curve, played, from_start, &mut room)?,
            CurveMut::Boolean(curve) => cut_boolean(path, curve, played, from_start, &mut room)?,
        }
    }
    super::shift(&mut part, start.into())?;
    let (here, there) = (all.flags(), part.flags());
    let flags = Flags {
        camera: here.camera || there.camera,
        hand: here.hand || there.hand,
        gaze: here.gaze || there.gaze,
    };
    for recording in [&mut *all, &mut part] {
        add_streams(recording, flags);
    }
    let mut seam = Seam {
        join,
        before,
        start,
        finish: part.duration().max(start),
        room,
    };
    for ((path, before), (_, after)) in all.vectors_mut().zip(part.vectors_mut()) {
        if path.kind() == VectorKind::Rotation {
            turn_to(before, after, &seam);
        }
        seam.join_vector(path, before, after)?;
    }
    for ((path, before), (_, after)) in all.curves_mut().zip(part.curves_mut()) {
        if let (CurveMut::Boolean(before), CurveMut::Boolean(after)) = (before, after) {
            seam.join_states(path, before, after)?;
        }
    }
    all.markers.retain(|marker| marker.time <= end);
    let markers = part.markers.into_iter();
    all.markers
        .extend(markers.filter(|marker| marker.time >= start));
    Ok(())
}

fn add_streams(recording: &mut Recording<'_>, flags: Flags) {
    if flags.camera {
        recording.camera_mut();
    }
    if flags.hand {
        recording.hands_mut();
    }
    if flags.gaze {
        recording.gaze_mut();
    }
}

/// Negates the keys of a rotation if it begins on the other hemisphere than the one before ends.
fn turn_to(before: &[FloatCurve<'_>], after: &mut [FloatCurve<'_>], seam: &Seam) {
    // Curves that cannot be played are refused when they are joined.
    let value = |curve: &FloatCurve<'_>, time| curve.evaluator().map_or(0.0, |c| c.at(time).into());
    let pairs = before.iter().zip(after.iter());
    let products = pairs.map(|(before, after)| -> f64 {
        value(before, seam.before.end) * value(after, seam.start)
    });
    if products.sum::<f64>() < 0.0 {
        for curve in after {
            for key in 0..curve.keys.len() {
                curve.keys.scale(key, -1.0);
            }
        }
    }
}

/// Where two recordings meet.
struct Seam {
    join: Join,
    /// When the one before plays.
    before: Span,
    /// When the one after begins.
    start: f32,
    /// When the one after ends.
    finish: f32,
    room: Room,
}

impl Seam {
    /// All components of a vector are joined in the same way, so that they go on to have their
    /// keys at the same times.
    fn join_vector(
        &mut self,
        path: VectorPath,
        before: &mut [FloatCurve<'static>],
        after: &mut [FloatCurve<'static>],
    ) -> Result<(), EditError> {
        if after.iter().all(|curve| curve.keys.is_empty()) {
            // A head or gaze that the next recording has not got holds to its end, so that it does
            // not look as if its samples were lost. Joints are not tracked there.
            if !matches!(path, VectorPath::Joint(..)) {
                let until = Span {
                    end: self.finish,
                    ..self.before
                };
                for (path, curve) in path.curves().zip(before) {
                    cut_float(path, curve, until, Pins::END, &mut self.room)?;
                }
            }
            return Ok(());
        }
        let mut held = before.to_vec();
        for (path, curve) in path.curves().zip(&mut held) {
            cut_float(path, curve, self.before, Pins::END, &mut self.room)?;
        }
        // Where the next only holds on to the end of this one, this one stays as it is.
        let end = |curve: &FloatCurve<'_>| curve.keys.points().last().map(|(_, value)| value);
        let start = |curve: &FloatCurve<'_>| curve.keys.point(0).map(|(_, value)| value);
        let meets = held
            .iter()
            .zip(after.iter())
            .all(|(held, after)| end(held) == start(after));
        if meets && after.iter().all(|curve| curve.keys.len() <= 1) {
            for (before, held) in before.iter_mut().zip(held) {
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
        let kind = match is_curved(&before) || is_curved(&after) {
            true => KeyKind::Full,
            false => before.keys.kind(),
        };
        let (mut whole, next) = (before.into_kind(kind), after.into_kind(kind));
        match (&mut whole.keys, next.keys) {
            (Keys::Full(keys), Keys::Full(next)) => {
                self.join(keys.to_mut(), next.into_owned(), meets);
            }
            (Keys::Simple(keys), Keys::Simple(next)) => {
                self.join(keys.to_mut(), next.into_owned(), meets);
            }
            _ => {}
        }
        whole.post_wrap = next.post_wrap;
        whole
    }

    /// Puts keys behind keys that end at the seam.
    fn join<K: Cut>(&self, keys: &mut Vec<K>, next: Vec<K>, meets: bool) {
        let mut next = next.into_iter();
        if let Some(last) = keys.last_mut()
            && let Some(mut first) = next.next()
        {
            match self.join {
                _ if meets && last.time() == first.time() => {
                    *last = K::joined(*last, first);
                }
                Join::Blend(_) => {
                    K::straighten(last, &mut first);
                    keys.push(first);
                }
                Join::Cut | Join::Gap(_) => {
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

    /// States are off where they are not recorded.
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
            before.push(0.0, false);
        }
        let pins = Pins {
            where_it_wraps: true,
            ..Pins::NONE
        };
        cut_boolean(path, before, self.before, pins, &mut self.room)?;
        let keys = before.keys.to_mut();
        let was_on = keys.last().is_some_and(BooleanKey::is_on);
        let is_on = after.keys.first().is_some_and(BooleanKey::is_on);
        let between = match self.join {
            Join::Cut => None,
            Join::Gap(_) => Some(false),
            Join::Blend(_) => Some(was_on && is_on),
        };
        // The only key says what was before it too.
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

    fn take(heights: &[(f32, f32)], tracked: &[(f32, bool)]) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        take.camera_mut().position[1] = FloatCurve::linear(heights.iter().copied());
        take.hands_mut().left.tracked = BooleanCurve::new(tracked.iter().copied());
        take
    }

    fn points(take: &Recording<'_>) -> Vec<(f32, f32)> {
        take.camera.as_ref().unwrap().position[1]
            .keys
            .points()
            .collect()
    }

    fn tracked(take: &Recording<'_>) -> Vec<(f32, bool)> {
        let keys = take.hands.as_ref().unwrap().left.tracked.keys.iter();
        keys.map(|key| (key.time(), key.is_on())).collect()
    }

    #[test]
    fn joins_hold_glide_or_do_neither() {
        let a = take(&[(0.0, 1.0), (1.5, 2.0)], &[(0.0, true), (2.0, true)]);
        let b = take(&[(0.5, 5.0), (1.0, 6.0)], &[(0.0, true)]);
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
    fn hands_that_only_one_recording_has_are_untracked_in_the_other() {
        let with = take(&[(0.0, 1.0), (2.0, 2.0)], &[(0.0, true)]);
        let mut without = with.clone();
        without.hands = None;
        let after = concat(&[without.clone(), with.clone()], Join::Cut).unwrap();
        assert_eq!(tracked(&after), [(0.0, false), (2.0, true)]);
        let before = concat(&[with, without], Join::Cut).unwrap();
        assert_eq!(tracked(&before), [(0.0, true), (2.0, false)]);
    }

    #[test]
    fn a_hand_that_is_on_from_the_start_stays_so_before_the_join() {
        let late = take(&[(0.0, 1.0), (2.0, 2.0)], &[(2.0, true)]);
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
    fn the_components_of_a_vector_go_on_to_share_their_times() {
        let part = |x: f32| {
            let mut part = Recording::new(Layout::Mrtk1_1);
            part.camera_mut().push(0.0, &Pose::at([x, 1.0, 2.0]));
            part.camera_mut().push(1.0, &Pose::at([x, 1.0, 2.0]));
            part
        };
        for join in [Join::Cut, Join::Gap(0.5), Join::Blend(0.5)] {
            let both = concat(&[part(0.0), part(1.0)], join).unwrap();
            assert!(
                crate::vector::share_times(&both.camera.unwrap().position),
                "{join:?}"
            );
        }
    }

    #[test]
    fn markers_outside_a_recording_do_not_get_into_another() {
        let mut part = take(&[(0.0, 1.0), (2.0, 2.0)], &[(0.0, true)]);
        part.markers = [-1.0, 1.0, 99.0]
            .map(|time| Marker::new(time, "m"))
            .to_vec();
        let both = concat(&[part.clone(), part], Join::Cut).unwrap();
        let times: Vec<f32> = both.markers.iter().map(|marker| marker.time).collect();
        assert_eq!(times, [-1.0, 1.0, 3.0, 101.0]);
    }

    #[test]
    fn a_head_goes_the_short_way_across_a_join() {
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
        a.camera_mut().push(0.0, &at(0.0, 1.0));
        a.camera_mut().push(1.0, &at(0.2, 1.0));
        let mut b = Recording::new(Layout::Mrtk1_1);
        b.camera_mut().push(0.0, &at(0.4, -1.0));
        let both = concat(&[a, b], Join::Blend(1.0)).unwrap();
        let between = Sampler::new(&both).unwrap().frame_at(1.5).camera.unwrap();
        assert!(
            (between.rotation[1] - 0.15_f32.sin()).abs() < 1e-3,
            "{between:?}"
        );
    }
}
