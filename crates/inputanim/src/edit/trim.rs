//! Cutting a recording in time.

use crate::curve::CurveMut;
use crate::recording::Recording;
use crate::time_range::TimeRange;

use super::budget::KeyBudget;
use super::checks::{refuse_lost_w, require_range};
use super::cut::{EndKeys, cut_boolean, cut_float};
use super::error::EditError;

/// Cuts a recording to a time range and keeps its times; [`shift`](super::shift) moves the start to
/// 0. An infinite bound cuts nothing off.
///
/// A curve with keys beyond a bound gets a key at the bound with the value that it has there. Segments with tangents
/// are divided so that their shape stays. The copies of a curve that loops become keys. A curve without keys outside
/// the range stays byte for byte. Markers and haptic pulses that begin outside the range are removed.
///
/// ```
/// use inputanim::{FloatCurve, Layout, Recording, TimeRange, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (4.0, 3.0)]);
/// edit::trim(&mut recording, TimeRange { start: 1.0, end: f32::INFINITY })?;
/// let height = &recording.head.unwrap().position[1].keys;
/// assert_eq!(height.points().collect::<Vec<_>>(), [(1.0, 1.5), (4.0, 3.0)]);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if the w component of a rotation was not saved, if a bound is not a number, if the end is before
/// the start, if the time of a key is not finite, or if the copies of a curve that loops would take more than 4 Mi
/// keys.
pub fn trim(recording: &mut Recording<'_>, range: TimeRange) -> Result<(), EditError> {
    require_range(range)?;
    refuse_lost_w(recording)?;
    let played = played_part(range, recording.played_range());
    let mut budget = KeyBudget::new();
    let mut trimmed = recording.clone();
    for (path, curve) in trimmed.curves_mut() {
        match curve {
            CurveMut::Float(curve) => cut_float(path, curve, played, EndKeys::NONE, &mut budget)?,
            CurveMut::Boolean(curve) => {
                cut_boolean(path, curve, played, EndKeys::NONE, &mut budget)?
            }
        }
    }
    for device in &mut trimmed.devices {
        device.cut_events(played);
    }
    trimmed.known.cut(played);
    let is_inside = |time: f32| time >= range.start && time <= range.end;
    trimmed.markers.retain(|marker| is_inside(marker.time));
    *recording = trimmed;
    Ok(())
}

/// Returns the part of a range that is played, if [`TimeRange`] `all` is the played range of the recording. Loops need not be written
/// out beyond the last key of the recording.
pub(super) fn played_part(range: TimeRange, all: TimeRange) -> TimeRange {
    let start = range.start.clamp(all.start, f32::MAX);
    let end = range.end.clamp(f32::MIN, all.end).max(start);
    TimeRange { start, end }
}

#[cfg(test)]
mod tests {
    use super::super::split::split;
    use super::*;
    use crate::curve::{BooleanCurve, FloatCurve, WrapMode};
    use crate::key::{FullKey, WeightedMode};
    use crate::layout::Layout;
    use crate::marker::Marker;

    fn with_height(curve: FloatCurve<'static>) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Documented1_1);
        recording.head_mut().position[1] = curve;
        // A state that lasts longer than the curve.
        recording.hands_mut().left.tracked = BooleanCurve::new([(0.0, true), (20.0, false)]);
        recording
    }

    fn height(recording: &Recording<'_>) -> FloatCurve<'static> {
        recording.head.as_ref().unwrap().position[1]
            .clone()
            .into_owned()
    }

    fn assert_same_values(curve: FloatCurve<'static>, range: TimeRange, tolerance: f32) {
        let recording = with_height(curve);
        let mut trimmed = recording.clone();
        trim(&mut trimmed, range).unwrap();
        let (before, after) = (height(&recording), height(&trimmed));
        let (before, after) = (before.evaluator().unwrap(), after.evaluator().unwrap());
        for step in 0..=1000 {
            let time = range.start + range.length() * step as f32 / 1000.0;
            let (expected, value) = (before.at(time), after.at(time));
            assert!(
                (value - expected).abs() <= tolerance,
                "{time}: {value}, not {expected}"
            );
        }
        for time in [range.start, range.end] {
            assert_eq!(after.at(time), before.at(time), "at {time}");
        }
    }

    fn curved(pre: WrapMode, post: WrapMode) -> FloatCurve<'static> {
        let both = WeightedMode::BOTH;
        FloatCurve {
            pre_wrap: pre,
            post_wrap: post,
            ..FloatCurve::full([
                FullKey::hermite(1.0, 0.0, 0.0, 2.0),
                FullKey::weighted(2.0, 1.0, [-1.0, 3.0], [0.3, 0.9], both),
                FullKey::weighted(3.5, -1.0, [0.5, f32::INFINITY], [0.6, 0.2], both),
                FullKey::weighted(4.0, 2.0, [0.0, 0.0], [0.0, 0.0], both),
                FullKey::linear(5.0, 0.5),
            ])
        }
    }

    #[test]
    fn all_kinds_of_segments_keep_their_shape() {
        let clamp = WrapMode::CLAMP_FOREVER;
        for (start, end) in [
            (1.25, 1.75),
            (1.5, 3.0),
            (2.1, 3.4),
            (2.5, 3.75),
            (3.6, 4.5),
        ] {
            assert_same_values(curved(clamp, clamp), TimeRange { start, end }, 1e-5);
        }
    }

    #[test]
    fn loops_are_written_out() {
        for mode in [
            WrapMode::LOOP,
            WrapMode::PING_PONG,
            WrapMode::DEFAULT,
            WrapMode(99),
        ] {
            for (start, end) in [
                (0.0, 0.5),
                (0.25, 11.0),
                (5.0, 9.0),
                (6.5, 8.0),
                (4.5, 13.25),
            ] {
                assert_same_values(curved(mode, mode), TimeRange { start, end }, 1e-4);
            }
        }
    }

    #[test]
    fn a_state_that_runs_back_and_forth_has_a_key_at_the_cut() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let tracked = &mut recording.hands_mut().left.tracked;
        *tracked = BooleanCurve::new([(0.3, false), (0.35, false)]);
        tracked.pre_wrap = WrapMode::PING_PONG;
        let parts = split(&recording, &[0.256]).unwrap();
        assert_eq!(parts[0].duration(), 0.256);
    }

    #[test]
    fn states_keep_their_values() {
        for mode in [WrapMode::CLAMP_FOREVER, WrapMode::LOOP, WrapMode::PING_PONG] {
            let mut recording = with_height(FloatCurve::default());
            let mut curve =
                BooleanCurve::new([(1.0, true), (1.5, false), (2.0, true), (4.0, false)]);
            (curve.pre_wrap, curve.post_wrap) = (mode, mode);
            recording.hands_mut().left.pinching = curve.clone();
            for (start, end) in [(0.0, 10.0), (1.25, 3.0), (5.0, 9.5), (0.1, 0.2)] {
                let mut trimmed = recording.clone();
                trim(&mut trimmed, TimeRange { start, end }).unwrap();
                let after = &trimmed.hands.as_ref().unwrap().left.pinching;
                let (before, after) = (curve.evaluator().unwrap(), after.evaluator().unwrap());
                for step in 0..=1000 {
                    let time = start + (end - start) * step as f32 / 1000.0;
                    assert_eq!(
                        after.at(time),
                        before.at(time),
                        "{mode}, {start}..{end} at {time}"
                    );
                }
            }
        }
    }

    #[test]
    fn curves_within_the_range_stay_and_the_duration_is_exact() {
        let mut recording = with_height(FloatCurve::linear([(2.0, 1.0), (3.0, 2.0)]));
        recording.markers = [0.5, 1.0, 2.5, 4.0, 4.5]
            .map(|time| Marker::new(time, "m"))
            .to_vec();
        let before = height(&recording);
        trim(
            &mut recording,
            TimeRange {
                start: 1.0,
                end: 4.0,
            },
        )
        .unwrap();
        assert_eq!(height(&recording), before);
        assert_eq!(recording.duration(), 4.0);
        let times: Vec<f32> = recording.markers.iter().map(|marker| marker.time).collect();
        assert_eq!(times, [1.0, 2.5, 4.0]);
    }

    #[test]
    fn curve_that_ends_before_the_range_keeps_its_value() {
        let mut recording = with_height(FloatCurve::linear([(2.0, 1.0), (3.0, 2.0)]));
        trim(
            &mut recording,
            TimeRange {
                start: 5.0,
                end: 6.0,
            },
        )
        .unwrap();
        assert_eq!(height(&recording), FloatCurve::linear([(5.0, 2.0)]));
    }

    #[test]
    fn too_many_loops_are_refused_and_nothing_changes() {
        let mut curve = FloatCurve::linear([(0.0, 1.0), (1e-6, 2.0)]);
        curve.post_wrap = WrapMode::LOOP;
        let mut recording = with_height(curve);
        let before = recording.clone();
        let error = trim(
            &mut recording,
            TimeRange {
                start: 5.0,
                end: 19.0,
            },
        )
        .unwrap_err();
        assert!(matches!(error, EditError::TooManyNewKeys { .. }), "{error}");
        assert!(
            trim(
                &mut recording,
                TimeRange {
                    start: 5.0,
                    end: 4.0
                }
            )
            .is_err()
        );
        assert!(
            trim(
                &mut recording,
                TimeRange {
                    start: f32::NAN,
                    end: 4.0
                }
            )
            .is_err()
        );
        assert_eq!(recording, before);
    }

    #[test]
    fn parts_begin_at_zero_and_share_split_values() {
        let mut recording = with_height(FloatCurve::linear([(0.0, 0.0), (20.0, 20.0)]));
        recording.markers = vec![Marker::new(5.0, "five"), Marker::new(20.0, "end")];
        let parts = split(&recording, &[12.0, 5.0, 25.0, 0.0]).unwrap();
        let lengths: Vec<f32> = parts.iter().map(Recording::duration).collect();
        assert_eq!(lengths, [5.0, 7.0, 8.0]);
        let names = |part: &Recording<'_>| {
            part.markers
                .iter()
                .map(|m| m.name.to_string())
                .collect::<Vec<_>>()
        };
        assert_eq!(
            parts.iter().map(names).collect::<Vec<_>>(),
            [vec![], vec!["five".to_owned()], vec!["end".to_owned()]]
        );
        assert_eq!(
            height(&parts[1]),
            FloatCurve::linear([(0.0, 5.0), (7.0, 12.0)])
        );
    }
}
