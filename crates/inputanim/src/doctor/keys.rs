//! Findings in single keys and curves (L1 to L7), in the key counts of vectors (L12), and
//! vectors that lack curves (L26).

use super::code::Code;
use super::finding::{Finding, FindingBuilder};
use crate::curve::{Curve, Keys};
use crate::path::CurvePath;

/// The findings in keys and curves.
#[derive(Default)]
pub(super) struct KeyFindings {
    wraps: FindingBuilder,
    modes: FindingBuilder,
    times: FindingBuilder,
    values: FindingBuilder,
    unsorted: FindingBuilder,
    equal: FindingBuilder,
    booleans: FindingBuilder,
    counts: FindingBuilder,
    missing: FindingBuilder,
}

impl KeyFindings {
    /// Adds the findings in the keys and the wrap modes of a curve. Returns `true` if the curve [is
    /// orderly](Curve::is_orderly): its keys are finite and in order of time.
    pub(super) fn add(&mut self, path: CurvePath, curve: Curve<'_, '_>) -> bool {
        let (pre, post) = curve.wrap();
        if !(pre.is_known() && post.is_known()) {
            // A wrap mode concerns the complete curve, so it has no time.
            self.wraps.add(path, f32::NAN);
        }
        let is_orderly = curve.is_orderly();
        if !is_orderly {
            self.add_points(path, curve);
        }
        match curve {
            Curve::Boolean(curve) => {
                for key in curve.keys.iter() {
                    // A comparison with 0 and 1 also finds NaN, and accepts −0.
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
        is_orderly
    }

    /// Adds the findings in the times and values of a curve whose keys are not all finite and in order of time.
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
            // A time that is not finite is skipped, so that a step back in time after it is found too.
            if time.is_finite() {
                before = time;
            }
        }
    }

    /// Adds a finding if the curves of one vector or rotation have different numbers of keys. `counts` are these
    /// numbers, in the order of `curves`.
    pub(super) fn add_counts(
        &mut self,
        curves: &[CurvePath],
        counts: impl Iterator<Item = usize> + Clone,
    ) {
        if counts.clone().is_sorted_by(|a, b| a == b) {
            return;
        }
        let empty: Vec<CurvePath> = curves
            .iter()
            .zip(counts)
            .filter_map(|(&path, count)| (count == 0).then_some(path))
            .collect();
        if empty.is_empty() {
            self.counts.add_to(curves, f32::NAN);
        }
        // A program may write positions without rotations, so only the curves of one vector are compared.
        for path in empty {
            self.missing.add(path, f32::NAN);
        }
    }

    /// Appends the findings in curves that come later in the file.
    pub(super) fn append(&mut self, later: KeyFindings) {
        self.wraps.append(later.wraps);
        self.modes.append(later.modes);
        self.times.append(later.times);
        self.values.append(later.values);
        self.unsorted.append(later.unsorted);
        self.equal.append(later.equal);
        self.booleans.append(later.booleans);
        self.counts.append(later.counts);
        self.missing.append(later.missing);
    }

    /// Returns the findings: one for each code that occurred.
    pub(super) fn finish(self) -> impl Iterator<Item = Finding> {
        let keys = ["key", "keys"];
        [
            self.wraps
                .finish(Code::UnknownWrapMode, ["curve", "curves"]),
            self.modes.finish(Code::UnknownWeightedMode, keys),
            self.times.finish(Code::TimeNotFinite, keys),
            self.values.finish(Code::ValueNotFinite, keys),
            self.unsorted.finish(Code::TimesUnsorted, keys),
            self.equal.finish(Code::TimesEqual, keys),
            self.booleans.finish(Code::BooleanValue, keys),
            self.counts.finish(
                Code::KeyCountsDiffer,
                ["vector or rotation", "vectors or rotations"],
            ),
            self.missing
                .finish(Code::CurvesMissing, ["curve", "curves"]),
        ]
        .into_iter()
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{BooleanCurve, FloatCurve, WrapMode};
    use crate::doctor;
    use crate::frame::Pose;
    use crate::joint::Joint;
    use crate::key::{BooleanKey, FullKey, WeightedMode};
    use crate::layout::Layout;
    use crate::recording::Recording;

    /// Returns the findings of this module.
    fn findings(recording: &Recording<'_>) -> Vec<Finding> {
        let mut findings = doctor::findings(recording);
        findings.retain(|finding| {
            matches!(finding.code, Code::KeyCountsDiffer | Code::CurvesMissing)
                || (Code::UnknownWrapMode..=Code::BooleanValue).contains(&finding.code)
        });
        findings.sort_by_key(|finding| finding.code);
        findings
    }

    fn codes(recording: &Recording<'_>) -> Vec<Code> {
        let codes = findings(recording).into_iter().map(|finding| finding.code);
        codes.collect()
    }

    fn with_height(curve: FloatCurve<'static>) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Documented1_1);
        let head = recording.head_mut();
        head.position = [curve.clone(), curve.clone(), curve];
        recording
    }

    #[test]
    fn each_kind_of_unusual_key_has_its_code() {
        let nan = f32::NAN;
        for (points, code) in [
            ([(0.0, 1.0), (1.0, nan)], Code::ValueNotFinite),
            ([(0.0, 1.0), (nan, 1.0)], Code::TimeNotFinite),
            ([(1.0, 1.0), (0.0, 1.0)], Code::TimesUnsorted),
            ([(1.0, 1.0), (1.0, 2.0)], Code::TimesEqual),
        ] {
            let recording = with_height(FloatCurve::linear(points));
            assert_eq!(codes(&recording), [code]);
            assert_eq!(findings(&recording)[0].count, 3);
        }
    }

    #[test]
    fn an_unsorted_time_after_nan_is_found() {
        let recording = with_height(FloatCurve::linear([
            (5.0, 0.0),
            (f32::NAN, 0.0),
            (1.0, 0.0),
        ]));
        assert_eq!(
            codes(&recording),
            [Code::TimeNotFinite, Code::TimesUnsorted]
        );
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
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let mut curve = BooleanCurve::new([(0.0, true)]);
        curve.keys.to_mut().push(BooleanKey::from_value(1.0, 0.5));
        recording.hands_mut().left.pinching = curve;
        assert_eq!(codes(&recording), [Code::BooleanValue]);
    }

    #[test]
    fn a_vector_with_uneven_curves_is_one_finding() {
        let mut recording = with_height(FloatCurve::linear([(0.0, 0.0)]));
        let longer = FloatCurve::linear([(0.0, 0.0), (1.0, 0.0)]);
        recording.head_mut().position[1] = longer;
        let findings = self::findings(&recording);
        assert_eq!(findings[0].code, Code::KeyCountsDiffer);
        assert_eq!(findings[0].count, 1);
        assert_eq!(findings[0].curves.len(), 3);
        assert_eq!(findings[0].detail, "1 vector or rotation, in head.position");
    }

    #[test]
    fn a_curve_without_keys_is_found_in_a_pose_with_keys() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let joints = &mut recording.hands_mut().right.joints;
        joints[Joint::Palm].push(0.0, &Pose::IDENTITY);
        assert_eq!(codes(&recording), []);
        recording.hands_mut().right.joints[Joint::Palm].position[2] = FloatCurve::default();
        let playback = doctor::damage(&recording, |_| true);
        for findings in [findings(&recording), playback] {
            let finding = findings.iter().find(|f| f.code == Code::CurvesMissing);
            let detail = &finding.unwrap().detail;
            assert_eq!(detail, "1 curve, in right.Palm.position.z");
        }
    }
}
