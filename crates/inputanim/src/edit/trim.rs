//! A part of a recording.

use crate::curve::CurveMut;
use crate::recording::Recording;
use crate::span::Span;

use super::cut::{Pins, cut_boolean, cut_float};
use super::{EditError, Room, played, refuse_lost_w};

/// Keeps what plays in a span of time, at the same times; [`shift`](super::shift) moves its start
/// to 0. A bound that is infinite cuts nothing off.
///
/// At a bound, a curve that has keys beyond it gets one there with the value that it plays then,
/// and segments with tangents are cut so that they go on as before. Curves that loop are written
/// out. A curve without keys beyond stays as it is, byte for byte. Markers outside the span go.
///
/// ```
/// use inputanim::{FloatCurve, Layout, Recording, Span, edit};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().position[1] = FloatCurve::linear([(0.0, 1.0), (4.0, 3.0)]);
/// edit::trim(&mut take, Span { start: 1.0, end: f32::INFINITY })?;
/// let height = &take.camera.unwrap().position[1].keys;
/// assert_eq!(height.points().collect::<Vec<_>>(), [(1.0, 1.5), (4.0, 3.0)]);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// When a rotation has lost its w, when a bound is not a number or the end lies before the start, when a key's time is not
/// finite, or when a loop would take more than 4 Mi keys to write out.
pub fn trim(recording: &mut Recording<'_>, span: Span) -> Result<(), EditError> {
    if span.start.is_nan() || span.end.is_nan() || span.end < span.start {
        return Err(EditError::Number {
            what: "the length of the span",
            value: span.length().into(),
            expected: "0 or more",
        });
    }
    refuse_lost_w(recording)?;
    let whole = played(recording);
    // Beyond the last key of all nothing needs to be written out.
    let start = span.start.clamp(whole.start, f32::MAX);
    let end = span.end.clamp(f32::MIN, whole.end).max(start);
    let played = Span { start, end };
    let mut room = Room::NEW;
    let mut trimmed = recording.clone();
    for (path, curve) in trimmed.curves_mut() {
        match curve {
            CurveMut::Float(curve) => cut_float(path, curve, played, Pins::NONE, &mut room)?,
            CurveMut::Boolean(curve) => cut_boolean(path, curve, played, Pins::NONE, &mut room)?,
        }
    }
    let is_inside = |time: f32| time >= span.start && time <= span.end;
    trimmed.markers.retain(|marker| is_inside(marker.time));
    *recording = trimmed;
    Ok(())
}

/// Cuts a recording at times, each part beginning at 0. The value at a time begins the later part
/// and also ends the earlier one; a marker there belongs to the later one.
///
/// Times at or before the start or after the end cut nothing off; they need not be in order.
///
/// # Errors
/// As for [`trim`].
pub fn split<'a>(
    recording: &Recording<'a>,
    times: &[f32],
) -> Result<Vec<Recording<'a>>, EditError> {
    if let Some(time) = times.iter().find(|time| !time.is_finite()) {
        return Err(EditError::Number {
            what: "a time to split at",
            value: (*time).into(),
            expected: "finite",
        });
    }
    let end = recording.duration();
    let mut times: Vec<f32> = times.to_vec();
    times.retain(|&time| time > 0.0 && time < end);
    times.sort_by(f32::total_cmp);
    times.dedup();
    let starts = [f32::NEG_INFINITY].into_iter().chain(times.iter().copied());
    let ends = times.iter().copied().chain([f32::INFINITY]);
    starts
        .zip(ends)
        .map(|(start, end)| {
            let mut part = recording.clone();
            trim(&mut part, Span { start, end })?;
            // At the cut itself, the marker is the next part's.
            part.markers.retain(|marker| marker.time < end);
            if start.is_finite() {
                super::shift(&mut part, -f64::from(start))?;
            }
            Ok(part)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::{BooleanCurve, FloatCurve, WrapMode};
    use crate::key::{FullKey, WeightedMode};
    use crate::layout::Layout;
    use crate::marker::Marker;

    fn with_height(curve: FloatCurve<'static>) -> Recording<'static> {
        let mut take = Recording::new(Layout::Documented1_1);
        take.camera_mut().position[1] = curve;
        // Something that lasts longer.
        take.hands_mut().left.tracked = BooleanCurve::new([(0.0, true), (20.0, false)]);
        take
    }

    fn height(take: &Recording<'_>) -> FloatCurve<'static> {
        take.camera.as_ref().unwrap().position[1]
            .clone()
            .into_owned()
    }

    fn assert_plays_as_before(curve: FloatCurve<'static>, span: Span, tolerance: f32) {
        let take = with_height(curve);
        let mut trimmed = take.clone();
        trim(&mut trimmed, span).unwrap();
        let (before, after) = (height(&take), height(&trimmed));
        let (before, after) = (before.evaluator().unwrap(), after.evaluator().unwrap());
        for step in 0..=1000 {
            let time = span.start + span.length() * step as f32 / 1000.0;
            let (expected, value) = (before.at(time), after.at(time));
            assert!(
                (value - expected).abs() <= tolerance,
                "{time}: {value}, not {expected}"
            );
        }
        for time in [span.start, span.end] {
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
    fn segments_of_all_kinds_go_on_as_before_behind_the_cut() {
        let clamp = WrapMode::CLAMP_FOREVER;
        for (start, end) in [
            (1.25, 1.75),
            (1.5, 3.0),
            (2.1, 3.4),
            (2.5, 3.75),
            (3.6, 4.5),
        ] {
            assert_plays_as_before(curved(clamp, clamp), Span { start, end }, 1e-5);
        }
    }

    #[test]
    fn curves_that_wrap_are_written_out() {
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
                assert_plays_as_before(curved(mode, mode), Span { start, end }, 1e-4);
            }
        }
    }

    #[test]
    fn a_state_is_what_it_was_throughout() {
        for mode in [WrapMode::CLAMP_FOREVER, WrapMode::LOOP, WrapMode::PING_PONG] {
            let mut take = with_height(FloatCurve::default());
            let mut curve =
                BooleanCurve::new([(1.0, true), (1.5, false), (2.0, true), (4.0, false)]);
            (curve.pre_wrap, curve.post_wrap) = (mode, mode);
            take.hands_mut().left.pinching = curve.clone();
            for (start, end) in [(0.0, 10.0), (1.25, 3.0), (5.0, 9.5), (0.1, 0.2)] {
                let mut trimmed = take.clone();
                trim(&mut trimmed, Span { start, end }).unwrap();
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
    fn what_has_no_key_outside_stays_and_the_length_is_exact() {
        let mut take = with_height(FloatCurve::linear([(2.0, 1.0), (3.0, 2.0)]));
        take.markers = [0.5, 1.0, 2.5, 4.0, 4.5]
            .map(|time| Marker::new(time, "m"))
            .to_vec();
        let before = height(&take);
        trim(
            &mut take,
            Span {
                start: 1.0,
                end: 4.0,
            },
        )
        .unwrap();
        assert_eq!(height(&take), before);
        assert_eq!(take.duration(), 4.0);
        let times: Vec<f32> = take.markers.iter().map(|marker| marker.time).collect();
        assert_eq!(times, [1.0, 2.5, 4.0]);
    }

    #[test]
    fn a_curve_that_is_over_keeps_its_value() {
        let mut take = with_height(FloatCurve::linear([(2.0, 1.0), (3.0, 2.0)]));
        trim(
            &mut take,
            Span {
                start: 5.0,
                end: 6.0,
            },
        )
        .unwrap();
        assert_eq!(height(&take), FloatCurve::linear([(5.0, 2.0)]));
    }

    #[test]
    fn an_endless_loop_is_refused_and_nothing_changes() {
        let mut curve = FloatCurve::linear([(0.0, 1.0), (1e-6, 2.0)]);
        curve.post_wrap = WrapMode::LOOP;
        let mut take = with_height(curve);
        let before = take.clone();
        let error = trim(
            &mut take,
            Span {
                start: 5.0,
                end: 19.0,
            },
        )
        .unwrap_err();
        assert!(matches!(error, EditError::TooManyKeys { .. }), "{error}");
        assert!(
            trim(
                &mut take,
                Span {
                    start: 5.0,
                    end: 4.0
                }
            )
            .is_err()
        );
        assert!(
            trim(
                &mut take,
                Span {
                    start: f32::NAN,
                    end: 4.0
                }
            )
            .is_err()
        );
        assert_eq!(take, before);
    }

    #[test]
    fn parts_begin_at_zero_and_share_their_cuts() {
        let mut take = with_height(FloatCurve::linear([(0.0, 0.0), (20.0, 20.0)]));
        take.markers = vec![Marker::new(5.0, "five"), Marker::new(20.0, "end")];
        let parts = split(&take, &[12.0, 5.0, 25.0, 0.0]).unwrap();
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
