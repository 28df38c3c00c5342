//! Other times for the same keys.

use crate::curve::{CurveMut, Keys};
use crate::key::{BooleanKey, FullKey, SimpleKey};
use crate::recording::Recording;

use super::EditError;

/// Moves all of a recording by `seconds`, markers too; forth in time where they are above 0.
/// Each time is rounded once, to single precision.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(0.5, &Pose::IDENTITY);
/// edit::shift(&mut take, 1.0)?;
/// assert_eq!(take.duration(), 1.5);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// When `seconds` is not finite, or keys of different times would fall together.
pub fn shift(recording: &mut Recording<'_>, seconds: f64) -> Result<(), EditError> {
    if !seconds.is_finite() {
        return Err(EditError::Number {
            what: "the shift",
            value: seconds,
            expected: "a finite number of seconds",
        });
    }
    map_times(recording, |time| (f64::from(time) + seconds) as f32, 1.0)
}

/// Plays a recording `speed` times as fast from t = 0 on: all times, those of markers too, are
/// divided by it, and tangents multiplied. Each number is rounded once.
///
/// # Errors
/// When `speed` is not above 0 and finite, or keys of different times would fall together.
pub fn retime(recording: &mut Recording<'_>, speed: f64) -> Result<(), EditError> {
    if !(speed > 0.0 && speed.is_finite()) {
        return Err(EditError::Number {
            what: "the speed",
            value: speed,
            expected: "above 0 and finite",
        });
    }
    map_times(recording, |time| (f64::from(time) / speed) as f32, speed)
}

/// Makes a recording last `seconds` from t = 0 to its end, as [`retime`] does.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.camera_mut().push(4.0, &Pose::IDENTITY);
/// edit::retime_to(&mut take, 10.0)?;
/// assert_eq!(take.duration(), 10.0);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// When `seconds` is not above 0 and finite, or the recording's own
/// [duration](Recording::duration) is not; and as [`retime`].
pub fn retime_to(recording: &mut Recording<'_>, seconds: f64) -> Result<(), EditError> {
    let duration = f64::from(recording.duration());
    for (what, value) in [
        ("the new duration", seconds),
        ("the recording's duration", duration),
    ] {
        if !(value > 0.0 && value.is_finite()) {
            return Err(EditError::Number {
                what,
                value,
                expected: "above 0 and finite",
            });
        }
    }
    retime(recording, duration / seconds)
}

/// Keys this close are the two sides of a jump, in seconds: nothing is sampled so fast.
const CLOSEST: f32 = 1e-5;

/// Changes every time by a function that never falls; tangents, which are slopes over time, are
/// multiplied.
pub(super) fn map_times(
    recording: &mut Recording<'_>,
    time: impl Fn(f32) -> f32,
    slope: f64,
) -> Result<(), EditError> {
    for (path, curve) in recording.curves() {
        let mut before: Option<(f32, f32)> = None;
        for (old, _) in curve.points() {
            let new = time(old);
            let is_collapsed =
                before.is_some_and(|(before, to)| old - before > CLOSEST && new == to);
            let is_lost = old.is_finite() && !new.is_finite();
            if is_collapsed || is_lost {
                return Err(EditError::TimesCollapse {
                    curve: path,
                    time: new,
                });
            }
            before = Some((old, new));
        }
    }
    for marker in &recording.markers {
        let new = time(marker.time);
        if marker.time.is_finite() && !new.is_finite() {
            return Err(EditError::Number {
                what: "the new time of a marker",
                value: f64::from(new),
                expected: "finite",
            });
        }
    }
    for (_, curve) in recording.curves_mut() {
        match curve {
            CurveMut::Boolean(curve) => {
                for key in curve.keys.to_mut() {
                    *key = BooleanKey::from_value(time(key.time()), key.value());
                }
            }
            CurveMut::Float(curve) => match &mut curve.keys {
                Keys::Simple(keys) => {
                    for key in keys.to_mut() {
                        *key = SimpleKey::new(time(key.time()), key.value());
                    }
                }
                Keys::Full(keys) => {
                    for key in keys.to_mut() {
                        let steeper = |tangent: f32| (f64::from(tangent) * slope) as f32;
                        *key = FullKey::weighted(
                            time(key.time()),
                            key.value(),
                            [steeper(key.in_tangent()), steeper(key.out_tangent())],
                            [key.in_weight(), key.out_weight()],
                            key.weighted_mode(),
                        );
                    }
                }
            },
        }
    }
    for marker in &mut recording.markers {
        marker.time = time(marker.time);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::FloatCurve;
    use crate::layout::Layout;
    use crate::marker::Marker;

    fn take() -> Recording<'static> {
        let mut take = Recording::new(Layout::Documented1_1);
        take.camera_mut().position[1] = FloatCurve::full([
            FullKey::hermite(0.0, 1.0, 0.0, 2.0),
            FullKey::hermite(1.0, 2.0, 0.5, 0.0),
        ]);
        take.markers.push(Marker::new(0.5, "half"));
        take
    }

    #[test]
    fn twice_as_fast_takes_half_the_time_and_is_twice_as_steep() {
        let mut fast = take();
        retime(&mut fast, 2.0).unwrap();
        assert_eq!(fast.markers[0].time, 0.25);
        let (slow, fast) = (take(), fast);
        let at = |take: &Recording<'_>, time| {
            let curve = &take.camera.as_ref().unwrap().position[1];
            curve.evaluator().unwrap().at(time)
        };
        for step in 0..=8 {
            let time = step as f32 / 8.0;
            assert_eq!(at(&fast, time / 2.0), at(&slow, time));
        }
    }

    #[test]
    fn a_take_lasts_as_long_as_it_is_told() {
        for seconds in [0.1, 1.0 / 3.0, 7.7, 1e4] {
            let mut take = take();
            take.camera_mut().position[1].keys.push_linear(1.3, 0.0);
            retime_to(&mut take, seconds).unwrap();
            assert_eq!(take.duration(), seconds as f32);
        }
        for (mut take, seconds) in [
            (take(), 0.0),
            (take(), f64::INFINITY),
            (Recording::new(Layout::Mrtk1_1), 1.0),
        ] {
            let error = retime_to(&mut take, seconds).unwrap_err();
            assert!(matches!(error, EditError::Number { .. }), "{error}");
        }
    }

    #[test]
    fn keys_that_would_fall_together_are_refused_by_name_and_nothing_changes() {
        let mut take = take();
        let curve = &mut take.camera_mut().position[1];
        curve.keys.push_linear(1.0 + 1e-4, 2.0);
        let before = take.clone();
        let error = shift(&mut take, 1e6).unwrap_err();
        assert_eq!(
            error.to_string(),
            "camera.position.y: keys of different times would fall together at 1000001 s"
        );
        assert!(retime(&mut take, 0.0).is_err());
        assert!(shift(&mut take, f64::NAN).is_err());
        assert!(retime(&mut take, 1e-300).is_err());
        let mut marker_only = Recording::new(Layout::Mrtk1_1);
        marker_only.markers = take.markers.clone();
        assert!(retime(&mut marker_only, 1e-300).is_err());
        assert_eq!(take, before);
    }
}
