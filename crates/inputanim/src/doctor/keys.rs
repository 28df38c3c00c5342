//! Curve by curve, key by key (L1 to L7), and curves that belong together (L12).

use super::code::Code;
use super::finding::{Finding, Tally};
use super::rotations::damage_of;
use crate::curve::{Curve, Keys};
use crate::path::CurvePath;
use crate::recording::Recording;

#[derive(Default)]
struct Tallies {
    wraps: Tally,
    modes: Tally,
    times: Tally,
    values: Tally,
    unsorted: Tally,
    equal: Tally,
    booleans: Tally,
}

pub(super) fn examine(recording: &Recording<'_>, damaged_w: &[(CurvePath, Code)]) -> Vec<Finding> {
    let mut tallies = Tallies::default();
    for (path, curve) in recording.curves() {
        tallies.add(path, curve);
    }
    let counts = uneven_counts(recording, damaged_w);
    [
        tallies
            .wraps
            .finish(Code::UnknownWrapMode, ["curve", "curves"]),
        tallies
            .modes
            .finish(Code::UnknownWeightedMode, ["key", "keys"]),
        tallies.times.finish(Code::TimeNotFinite, ["key", "keys"]),
        of_values(tallies.values),
        tallies
            .unsorted
            .finish(Code::TimesUnsorted, ["key", "keys"]),
        tallies.equal.finish(Code::TimesEqual, ["key", "keys"]),
        tallies.booleans.finish(Code::BooleanValue, ["key", "keys"]),
        counts.finish(
            Code::KeyCountsDiffer,
            ["vector or rotation", "vectors or rotations"],
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

impl Tallies {
    fn add(&mut self, path: CurvePath, curve: Curve<'_, '_>) {
        let (pre, post) = curve.wrap();
        if !(pre.is_known() && post.is_known()) {
            self.wraps.add(path, f32::NAN);
        }
        if !curve.is_orderly() {
            self.add_points(path, curve);
        }
        match curve {
            Curve::Boolean(curve) => {
                for key in curve.keys.iter() {
                    if ![0.0, 1.0].contains(&key.value()) {
                        self.booleans.add(path, key.time());
                    }
                }
            }
            Curve::Float(curve) => {
                if let Keys::Full(keys) = &curve.keys {
                    for key in keys.iter().filter(|key| !key.weighted_mode().is_known()) {
                        self.modes.add(path, key.time());
                    }
                }
            }
        }
    }

    /// What is wrong with the times and values of a curve.
    fn add_points(&mut self, path: CurvePath, curve: Curve<'_, '_>) {
        let mut before = f32::NEG_INFINITY;
        for (time, value) in curve.points() {
            if !time.is_finite() {
                self.times.add(path, time);
            }
            if !value.is_finite() {
                self.values.add(path, time);
            }
            if time < before {
                self.unsorted.add(path, time);
            } else if time == before {
                self.equal.add(path, time);
            }
            if time.is_finite() {
                before = time;
            }
        }
    }
}

/// Values that are not finite (L4).
pub(super) fn values(recording: &Recording<'_>) -> Option<Finding> {
    let mut tallies = Tallies::default();
    let disorderly = recording.curves().filter(|(_, curve)| !curve.is_orderly());
    disorderly.for_each(|(path, curve)| tallies.add_points(path, curve));
    of_values(tallies.values)
}

fn of_values(tally: Tally) -> Option<Finding> {
    tally.finish(Code::ValueNotFinite, ["key", "keys"])
}

/// Vectors and rotations whose curves do not have the same number of keys; those that lost w are
/// another finding.
fn uneven_counts(recording: &Recording<'_>, damaged_w: &[(CurvePath, Code)]) -> Tally {
    let mut tally = Tally::default();
    let curves: Vec<(CurvePath, usize)> = recording
        .curves()
        .filter(|(_, curve)| matches!(curve, Curve::Float(_)))
        .map(|(path, curve)| (path, curve.len()))
        .collect();
    for vector in curves.chunk_by(|(a, _), (b, _)| is_same_vector(*a, *b)) {
        let is_even = vector.windows(2).all(|pair| pair[0].1 == pair[1].1);
        let has_lost_w = vector
            .last()
            .is_some_and(|(path, _)| damage_of(*path, damaged_w).is_some());
        if !is_even && !has_lost_w {
            let paths: Vec<CurvePath> = vector.iter().map(|(path, _)| *path).collect();
            tally.add_to(&paths, f32::NAN);
        }
    }
    tally
}

/// Whether two curves that follow each other differ in their component alone.
fn is_same_vector(a: CurvePath, b: CurvePath) -> bool {
    let vector = |name: &'static str| name.split_once('.').map(|(vector, _)| vector);
    match (a, b) {
        (CurvePath::Camera(a), CurvePath::Camera(b)) => vector(a.name()) == vector(b.name()),
        (CurvePath::Gaze(a), CurvePath::Gaze(b)) => vector(a.name()) == vector(b.name()),
        (CurvePath::Joint(side, joint, a), CurvePath::Joint(other, another, b)) => {
            (side, joint) == (other, another) && vector(a.name()) == vector(b.name())
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{BooleanCurve, FloatCurve, WrapMode};
    use crate::key::{BooleanKey, FullKey, WeightedMode};
    use crate::layout::Layout;

    fn codes(take: &Recording<'_>) -> Vec<Code> {
        let findings = examine(take, &[]);
        findings.iter().map(|finding| finding.code).collect()
    }

    fn with_height(curve: FloatCurve<'static>) -> Recording<'static> {
        let mut take = Recording::new(Layout::Documented1_1);
        let camera = take.camera_mut();
        camera.position = [curve.clone(), curve.clone(), curve];
        take
    }

    #[test]
    fn each_oddity_of_keys_has_its_code() {
        let nan = f32::NAN;
        for (points, code) in [
            ([(0.0, 1.0), (1.0, nan)], Code::ValueNotFinite),
            ([(0.0, 1.0), (nan, 1.0)], Code::TimeNotFinite),
            ([(1.0, 1.0), (0.0, 1.0)], Code::TimesUnsorted),
            ([(1.0, 1.0), (1.0, 2.0)], Code::TimesEqual),
        ] {
            let take = with_height(FloatCurve::linear(points));
            assert_eq!(codes(&take), [code]);
            assert_eq!(examine(&take, &[])[0].count, 3);
        }
    }

    #[test]
    fn a_time_that_goes_back_is_found_even_behind_a_nan() {
        let take = with_height(FloatCurve::linear([
            (5.0, 0.0),
            (f32::NAN, 0.0),
            (1.0, 0.0),
        ]));
        assert_eq!(codes(&take), [Code::TimeNotFinite, Code::TimesUnsorted]);
    }

    #[test]
    fn unknown_modes_are_found() {
        let mode = WeightedMode(7);
        let key = FullKey::weighted(0.0, 0.0, [0.0; 2], [0.0; 2], mode);
        let mut curve = FloatCurve::full([key]);
        curve.post_wrap = WrapMode(3);
        let found = codes(&with_height(curve));
        assert_eq!(found, [Code::UnknownWrapMode, Code::UnknownWeightedMode]);
    }

    #[test]
    fn a_state_of_one_half_is_found() {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let mut curve = BooleanCurve::new([(0.0, true)]);
        curve.keys.to_mut().push(BooleanKey::from_value(1.0, 0.5));
        take.hands_mut().left.pinching = curve;
        assert_eq!(codes(&take), [Code::BooleanValue]);
    }

    #[test]
    fn a_vector_with_uneven_curves_is_one_finding() {
        let mut take = with_height(FloatCurve::linear([(0.0, 0.0)]));
        take.camera_mut().position[1] = FloatCurve::default();
        take.camera_mut().position[2] = FloatCurve::default();
        let findings = examine(&take, &[]);
        assert_eq!(findings[0].code, Code::KeyCountsDiffer);
        assert_eq!(findings[0].count, 1);
        assert_eq!(findings[0].curves.len(), 3);
        assert_eq!(
            findings[0].detail,
            "1 vector or rotation, in camera.position"
        );
    }
}
