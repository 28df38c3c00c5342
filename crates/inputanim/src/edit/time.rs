//! Edits of time: shift and change of speed.

use crate::curve::{CurveMut, Keys};
use crate::device::Device;
use crate::key::{BooleanKey, FullKey, SimpleKey};
use crate::recording::Recording;

use super::checks::{require, require_positive};
use super::error::EditError;
use super::velocity;

/// Moves all keys, markers and haptic pulses by a number of seconds; positive numbers are later.
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.5, &Pose::IDENTITY);
/// edit::shift(&mut recording, 1.0)?;
/// assert_eq!(recording.duration(), 1.5);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if `seconds` is not finite, if keys at different times would get the same time, or if a time would
/// exceed the range of single precision.
pub fn shift(recording: &mut Recording<'_>, seconds: f32) -> Result<(), EditError> {
    require(seconds.is_finite(), "shift", seconds, "finite")?;
    // Addition in single precision rounds once too.
    map_times(recording, |time| time + seconds, 1.0)
}

/// Changes the speed of a recording around t = 0. All times, including those of markers and haptic pulses, are divided by
/// `speed`. Tangents and the [velocities](crate::velocity) of devices are multiplied by it.
///
/// # Errors
/// Returns an error if `speed` is not above 0 and finite, if keys at different times would get the same time, or if a
/// time or a velocity would exceed the range of single precision.
pub fn retime(recording: &mut Recording<'_>, speed: f64) -> Result<(), EditError> {
    require_positive("speed", speed)?;
    map_times(recording, |time| (f64::from(time) / speed) as f32, speed)
}

/// Changes the speed of a recording so that it lasts a number of seconds from t = 0, like
/// [`retime`].
///
/// ```
/// use inputanim::{Layout, Pose, Recording, edit};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(4.0, &Pose::IDENTITY);
/// edit::retime_to(&mut recording, 10.0)?;
/// assert_eq!(recording.duration(), 10.0);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if `seconds` or the [duration](Recording::duration) of the recording is not
/// above 0 and finite, and in the cases of [`retime`].
pub fn retime_to(recording: &mut Recording<'_>, seconds: f32) -> Result<(), EditError> {
    let (old, new) = (f64::from(recording.duration()), f64::from(seconds));
    require_positive("duration", new)?;
    require_positive("duration of the recording", old)?;
    retime(recording, old / new)
}

/// The largest distance of the two keys of a jump, in seconds. The samples of all devices are
/// further apart.
const MAX_JUMP_DISTANCE: f32 = 1e-5;

/// Applies the non-decreasing function `time` to the times of all keys and markers, and multiplies all tangents, which
/// are slopes over time, and all velocities by `slope`. Returns an error if keys at different times would get the same time, or if a
/// finite time or velocity would not stay finite. Then the recording is unchanged.
pub(super) fn map_times(
    recording: &mut Recording<'_>,
    time: impl Fn(f32) -> f32,
    slope: f64,
) -> Result<(), EditError> {
    // All times are checked before the first one changes, so that an error leaves the recording
    // unchanged.
    for (path, curve) in recording.curves() {
        let mut before: Option<(f32, f32)> = None;
        for (old, _) in curve.points() {
            let new = time(old);
            // Keys that are this close are a jump. They may share a time afterwards.
            let is_collapsed =
                before.is_some_and(|(before, to)| old - before > MAX_JUMP_DISTANCE && new == to);
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
        let is_valid = new.is_finite() || !marker.time.is_finite();
        require(is_valid, "new time of a marker", new, "finite")?;
    }
    for event in recording.devices.iter().flat_map(Device::event_times) {
        let new = time(event);
        require(new.is_finite(), "new time of a device", new, "finite")?;
    }
    if slope != 1.0
        && let Some(curve) = velocity::overflow(recording, slope)
    {
        return Err(EditError::Overflow { curve });
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
                        let scaled = |tangent: f32| (f64::from(tangent) * slope) as f32;
                        *key = FullKey::weighted(
                            time(key.time()),
                            key.value(),
                            [scaled(key.in_tangent()), scaled(key.out_tangent())],
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
    for device in &mut recording.devices {
        device.map_event_times(&time, 1.0 / slope);
    }
    recording.known.map_times(time);
    if slope != 1.0 {
        velocity::speed_up(recording, slope);
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curve::FloatCurve;
    use crate::layout::Layout;
    use crate::marker::Marker;

    fn recording() -> Recording<'static> {
        let mut recording = Recording::new(Layout::Documented1_1);
        recording.head_mut().position[1] = FloatCurve::full([
            FullKey::hermite(0.0, 1.0, 0.0, 2.0),
            FullKey::hermite(1.0, 2.0, 0.5, 0.0),
        ]);
        recording.markers.push(Marker::new(0.5, "half"));
        recording
    }

    #[test]
    fn double_speed_halves_times_and_doubles_tangents() {
        let mut fast = recording();
        retime(&mut fast, 2.0).unwrap();
        assert_eq!(fast.markers[0].time, 0.25);
        let (slow, fast) = (recording(), fast);
        let at = |recording: &Recording<'_>, time| {
            let curve = &recording.head.as_ref().unwrap().position[1];
            curve.evaluator().unwrap().at(time)
        };
        for step in 0..=8 {
            let time = step as f32 / 8.0;
            assert_eq!(at(&fast, time / 2.0), at(&slow, time));
        }
    }

    #[test]
    fn retime_to_sets_the_exact_duration() {
        for seconds in [0.1, 1.0 / 3.0, 7.7, 1e4] {
            let mut recording = recording();
            recording.head_mut().position[1].keys.push_linear(1.3, 0.0);
            retime_to(&mut recording, seconds).unwrap();
            assert_eq!(recording.duration(), seconds);
        }
        for (mut recording, seconds) in [
            (recording(), 0.0),
            (recording(), f32::INFINITY),
            (Recording::new(Layout::Mrtk1_1), 1.0),
        ] {
            let error = retime_to(&mut recording, seconds).unwrap_err();
            assert!(matches!(error, EditError::InvalidNumber { .. }), "{error}");
        }
    }

    #[test]
    fn collapsing_keys_are_refused_and_nothing_changes() {
        let mut recording = recording();
        let curve = &mut recording.head_mut().position[1];
        curve.keys.push_linear(1.0 + 1e-4, 2.0);
        let before = recording.clone();
        let error = shift(&mut recording, 1e6).unwrap_err();
        assert_eq!(
            error.to_string(),
            "head.position.y: keys with different times would get the same time, 1000001 s"
        );
        assert!(retime(&mut recording, 0.0).is_err());
        assert!(shift(&mut recording, f32::NAN).is_err());
        assert!(retime(&mut recording, 1e-300).is_err());
        let mut marker_only = Recording::new(Layout::Mrtk1_1);
        marker_only.markers = recording.markers.clone();
        assert!(retime(&mut marker_only, 1e-300).is_err());
        assert_eq!(recording, before);
    }
}
