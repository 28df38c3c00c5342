//! Hands of an implausible size or distance (L25): their positions are probably not in metres.
//!
//! Method: a tracked hand is measured at up to [`INSTANTS`] of its keys. Its size is the largest distance of a joint
//! from the wrist. Its distance is measured from the wrist to the head. The medians count, so that a short tracking
//! error is not reported. If the wrist was not recorded, the first recorded joint takes its place. Of a hand with one joint and
//! without a head, and of a head without hands, the distance from the origin counts.

use super::code::Code;
use super::finding::Finding;
use crate::evaluate::FloatEvaluator;
use crate::info::Info;
use crate::joint::{Joint, Side};
use crate::order;
use crate::pose::PoseCurves;
use crate::recording::{Hands, Recording};

/// The number of instants at which a hand is measured.
const INSTANTS: usize = 64;

/// The plausible sizes in metres. Hands of adults measure 0.16 m to 0.22 m from the wrist to the
/// fingertips, about 0.1 m as a fist. In centimetres, inches or feet they exceed the upper bound, in
/// kilometres they fall below the lower one.
const SIZES: std::ops::RangeInclusive<f64> = 0.005..=0.5;

/// The largest plausible distance of a hand from the head in metres. Arms reach about 1 m; hands that
/// Unity's editor simulates can be moved a few metres away. In centimetres or inches, hands at half
/// an arm's length already exceed the bound.
const MAX_DISTANCE: f64 = 10.0;

/// The largest plausible distance from the origin in metres of something whose size is not known. Rooms and streets are smaller,
/// and positions in centimetres or millimetres exceed the bound.
const MAX_FROM_ORIGIN: f64 = 100.0;

/// The units in which programs write positions, in metres.
const UNITS: [f64; 4] = [0.3048, 0.0254, 0.01, 0.001];

pub(super) fn findings(recording: &Recording<'_>, info: &Info) -> Option<Finding> {
    let head = recording.head.as_ref().and_then(Position::of);
    let details = match &recording.hands {
        Some(hands) if !is_without_keys(hands) => of_hands(hands, info, head.as_ref()),
        _ => of_head(recording, head.as_ref()).into_iter().collect(),
    };
    (!details.is_empty()).then(|| {
        Finding::new(
            Code::ImplausibleUnits,
            details.len() as u64,
            details.join("; "),
        )
    })
}

/// Returns `true` if no joint of the hands has keys.
fn is_without_keys(hands: &Hands<'_>) -> bool {
    let joints = Side::BOTH
        .into_iter()
        .flat_map(|side| hands.hand(side).joints.iter());
    let mut joints = joints.filter(|(joint, _)| *joint != Joint::None);
    joints.all(|(_, pose)| pose.is_empty())
}

/// Returns a description of a head that is implausibly far from the origin.
fn of_head(recording: &Recording<'_>, head: Option<&Position<'_>>) -> Option<String> {
    let keys = &recording.head.as_ref()?.position[0].keys;
    let step = keys.len().div_ceil(INSTANTS).max(1);
    let times = keys.points().step_by(step).map(|(time, _)| time);
    let head = head?;
    let far = median(times.map(|time| distance(head.at(time), [0.0; 3])))?;
    (far > MAX_FROM_ORIGIN).then(|| {
        let factor = factor_of_distance(far);
        format!("head {} from the origin{}", metres(far), proposal(factor))
    })
}

fn of_hands(hands: &Hands<'_>, info: &Info, head: Option<&Position<'_>>) -> Vec<String> {
    Side::BOTH
        .into_iter()
        .filter_map(|side| {
            let is_tracked = |time: f32| {
                let mut ranges = info.hand(side).tracked.iter();
                ranges.any(|range| range.start <= time && time <= range.end)
            };
            let joints = hands.hand(side).joints.iter();
            // The first entry is `Joint::None`, which is not a joint.
            let joints = joints.filter(|(joint, _)| *joint != Joint::None);
            let mut joints = joints.filter_map(|(_, pose)| Some((pose, Position::of(pose)?)));
            let (pose, wrist) = joints.next()?;
            let others: Vec<Position<'_>> = joints.map(|(_, position)| position).collect();
            let keys = &pose.position[0].keys;
            let step = keys.len().div_ceil(INSTANTS).max(1);
            let times = keys.points().step_by(step).map(|(time, _)| time);
            let times: Vec<f32> = times.filter(|&time| is_tracked(time)).collect();
            let size = median(times.iter().filter_map(|&time| {
                let wrist = wrist.at(time);
                let distances = others.iter().map(|other| distance(other.at(time), wrist));
                distances.reduce(f64::max)
            }));
            let away = head.and_then(|head| {
                let distances = times.iter();
                median(distances.map(|&time| distance(head.at(time), wrist.at(time))))
            });
            let is_measured = away.is_some() || size.is_some_and(|size| size > 0.0);
            let far = times.iter().map(|&time| distance(wrist.at(time), [0.0; 3]));
            let far = median(far).filter(|_| !is_measured);
            describe(side, size, away, far)
        })
        .collect()
}

/// Returns a description of the implausible size of a hand, or of its distance from the head or the origin, which are all given
/// in metres. `None` if they are plausible or not known.
fn describe(side: Side, size: Option<f64>, away: Option<f64>, far: Option<f64>) -> Option<String> {
    // Joints that are all at one place have no size that could be wrong.
    let size = size.filter(|size| *size > 0.0 && !SIZES.contains(size));
    let away = away.filter(|away| *away > MAX_DISTANCE);
    let far = far.filter(|far| *far > MAX_FROM_ORIGIN);
    let factor = match size {
        Some(size) => factor_of_size(size),
        None => far.and_then(factor_of_distance),
    };
    let size = size.map(|size| format!("{} long (hands are about 0.2 m)", metres(size)));
    let away = away.map(|away| format!("{} from the head (arms reach about 1 m)", metres(away)));
    let far = far.map(|far| format!("{} from the origin", metres(far)));
    let parts: Vec<String> = [size, away, far].into_iter().flatten().collect();
    (!parts.is_empty()).then(|| format!("{side} hand {}{}", parts.join(", "), proposal(factor)))
}

/// Returns the unit with which a hand of this size has a usual size.
fn factor_of_size(size: f64) -> Option<f64> {
    // From the wrist to the fingertips of a stretched hand, down to a fist.
    let is_usual = |unit: &f64| (0.08..=0.25).contains(&(size * unit));
    UNITS.into_iter().find(is_usual)
}

/// Returns the unit with which something at this distance from the origin is in a room.
fn factor_of_distance(distance: f64) -> Option<f64> {
    let is_near = |unit: &f64| (0.2..=2.5).contains(&(distance * unit));
    [0.01, 0.001].into_iter().find(is_near)
}

/// Returns the end of a description, which proposes a factor.
fn proposal(factor: Option<f64>) -> String {
    factor.map_or_else(String::new, |factor| {
        format!("; the factor {factor} makes it plausible")
    })
}

/// Formats a length in metres as text, with its unit: millimetres below 1 cm, metres otherwise.
fn metres(length: f64) -> String {
    match length {
        ..0.01 => format!("{:.2} mm", length * 1000.0),
        0.01..1e6 => format!("{length:.1} m"),
        _ => format!("{length:.2e} m"),
    }
}

/// The position of a pose over time.
struct Position<'c>([FloatEvaluator<'c>; 3]);

impl<'c> Position<'c> {
    /// Returns the position of a pose for evaluation; `None` if one of its curves has no keys, or a key at NaN.
    fn of(pose: &'c PoseCurves<'_>) -> Option<Position<'c>> {
        let [x, y, z] = pose.position.each_ref().map(|curve| {
            let curve = Some(curve).filter(|curve| !curve.keys.is_empty());
            curve.and_then(|curve| curve.evaluator().ok())
        });
        Some(Position([x?, y?, z?]))
    }

    fn at(&self, time: f32) -> [f64; 3] {
        self.0.each_ref().map(|curve| curve.at(time).into())
    }
}

fn distance(a: [f64; 3], b: [f64; 3]) -> f64 {
    let squares = a.into_iter().zip(b).map(|(a, b)| (a - b) * (a - b));
    squares.sum::<f64>().sqrt()
}

/// Returns the median of the finite values; `None` without any. Of an even number of values, it is the greater of the
/// two in the middle.
fn median(values: impl Iterator<Item = f64>) -> Option<f64> {
    let mut values: Vec<f64> = values.filter(|value| value.is_finite()).collect();
    order::sort_by_rank(&mut values, |value| order::rank(*value));
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::BooleanCurve;
    use crate::doctor;
    use crate::frame::Pose;
    use crate::layout::Layout;

    /// Returns a head and a hand in a unit with `units` per metre, whose wrist is `away` metres from
    /// the head. Tracking fails for a tenth of the time.
    fn recording(units: f32, away: f32) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        for step in 0..60 {
            let time = step as f32 / 60.0;
            let jump = if step % 10 == 0 { 50.0 } else { 0.0 };
            let at = |x: f32, y: f32| Pose::at([x * units, y * units, jump * units]);
            // The person walks, so that only positions at one time can be compared.
            let walked = time * 30.0;
            recording
                .head_mut()
                .push(time, &Pose::at([walked * units, 0.0, 0.0]));
            let left = &mut recording.hands_mut().left;
            left.joints[Joint::Wrist].push(time, &at(walked + away, 0.0));
            left.joints[Joint::MiddleTip].push(time, &at(walked + away, 0.19));
        }
        recording.hands_mut().left.tracked = BooleanCurve::new([(0.0, true)]);
        recording
    }

    fn found(recording: &Recording<'_>) -> Option<String> {
        let mut findings = doctor::findings(recording).into_iter();
        let finding = findings.find(|finding| finding.code == Code::ImplausibleUnits);
        finding.map(|finding| finding.detail)
    }

    #[test]
    fn hands_in_metres_are_plausible() {
        assert_eq!(found(&recording(1.0, 0.6)), None);
        assert_eq!(found(&recording(1.0, 4.0)), None);
    }

    #[test]
    fn other_units_are_found() {
        assert_eq!(
            found(&recording(100.0, 0.6)).as_deref(),
            Some(
                "left hand 19.0 m long (hands are about 0.2 m), 60.0 m from the head (arms reach about 1 m); \
                 the factor 0.01 makes it plausible"
            )
        );
        for units in [1000.0, 39.4, 3.28, 0.001] {
            assert!(found(&recording(units, 0.6)).is_some(), "{units}");
        }
    }

    #[test]
    fn a_hand_at_another_origin_is_found() {
        assert_eq!(
            found(&recording(1.0, 1010.0)).as_deref(),
            Some("left hand 1010.0 m from the head (arms reach about 1 m)")
        );
    }

    #[test]
    fn one_joint_or_a_head_far_from_the_origin_is_found() {
        let mut one_joint = Recording::new(Layout::Mrtk1_1);
        let left = &mut one_joint.hands_mut().left;
        left.joints[Joint::IndexTip].push(0.0, &Pose::at([100.0, 1100.0, 300.0]));
        left.joints[Joint::IndexTip].push(1.0, &Pose::at([100.0, 1100.0, 300.0]));
        left.tracked = BooleanCurve::new([(0.0, true)]);
        assert_eq!(
            found(&one_joint).as_deref(),
            Some("left hand 1144.6 m from the origin; the factor 0.001 makes it plausible")
        );
        let mut head = Recording::new(Layout::Mrtk1_1);
        head.head_mut().push(0.0, &Pose::at([0.0, 165.0, 0.0]));
        assert_eq!(
            found(&head).as_deref(),
            Some("head 165.0 m from the origin; the factor 0.01 makes it plausible")
        );
        head.head_mut().push(1.0, &Pose::at([0.0, 1.65, 0.0]));
        head.head_mut().push(2.0, &Pose::at([0.0, 1.65, 0.0]));
        assert_eq!(found(&head), None);
    }

    #[test]
    fn untracked_hands_and_joints_at_one_place_are_not_measured() {
        let mut untracked = recording(100.0, 0.6);
        untracked.hands_mut().left.tracked = BooleanCurve::new([(0.0, false)]);
        assert_eq!(found(&untracked), None);
        let mut one_place = recording(1.0, 0.6);
        let joints = &mut one_place.hands_mut().left.joints;
        joints[Joint::MiddleTip] = joints[Joint::Wrist].clone();
        assert_eq!(found(&one_place), None);
    }
}
