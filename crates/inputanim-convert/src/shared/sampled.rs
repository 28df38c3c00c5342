//! The times at which formats of frames sample a recording.

use inputanim::{
    ErrorRemedy, InputCurve, Limits, Recording, Sampler, TimeRange, TooManySamples, UnplayableCurve,
};

use super::{Remedy, WriteOptions};

/// A recording that cannot be sampled.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum SampleError {
    /// A curve has a key without a time.
    #[error(transparent)]
    Unplayable(#[from] UnplayableCurve),
    /// The samples would be larger than [`Limits::max_sample_bytes`].
    #[error("{seconds:?} s at {rate} Hz: {cause}")]
    TooLong {
        /// The duration of the recording. It is infinite if the time of a key is infinite.
        seconds: f32,
        /// The frames per second.
        rate: f64,
        /// The size of the samples.
        cause: TooManySamples,
    },
    /// The samples at the times of keys, or at other given times, would be larger than [`Limits::max_sample_bytes`].
    #[error(transparent)]
    TooManyKeys(TooManySamples),
    /// The rate is 0 or negative, or above [`TimeRange::MAX_RATE`].
    #[error("invalid rate: {0} Hz (must be above 0 and at most 1,000,000)")]
    Rate(f64),
}

impl SampleError {
    /// Returns a remedy for this error, such as a lower rate; `None` if none is known.
    pub fn remedy(&self) -> Option<Remedy> {
        match self {
            SampleError::TooLong { cause, .. } => Some(cause.remedy().into()),
            SampleError::TooManyKeys(_) => Some(ErrorRemedy::LiftLimits.into()),
            SampleError::Unplayable(error) => Some(error.remedy().into()),
            SampleError::Rate(_) => None,
        }
    }
}

/// Returns a sampler of the recording, and the rate of the options in samples per second. Fails if a curve cannot be
/// evaluated, the rate is not valid, or the samples at this rate exceed the limits of [`Limits::for_rate`].
pub(crate) fn sampler(
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<(Sampler, f64), SampleError> {
    let rate = options.sampling.rate();
    let sampler = Sampler::new(recording)?;
    let limits = options.limits.for_rate(recording);
    check_duration(recording, sampler.duration(), rate, &limits)?;
    Ok((sampler, rate))
}

/// Returns a sampler of the recording, and the times in seconds at which the options sample it, in order. With a rate,
/// the times at which a state of a hand, a button or a profile changes are added. At the times of keys, times before 0 are dropped. Fails if a
/// curve cannot be evaluated, the rate is not valid, or the samples exceed [`Limits::max_sample_bytes`].
#[cfg(any(
    feature = "handsbin",
    feature = "isaac",
    feature = "mcap-plain",
    feature = "xdf"
))]
pub(crate) fn sampler_and_times(
    recording: &Recording<'_>,
    options: &WriteOptions,
) -> Result<(Sampler, Vec<f32>), SampleError> {
    match options.sampling {
        crate::shared::Sampling::Rate(_) => {
            let (sampler, rate) = sampler(recording, options)?;
            let times = times_of_grid_and_changes(recording, &sampler, rate);
            Ok((sampler, times))
        }
        crate::shared::Sampling::Keys => {
            let sampler = Sampler::new(recording)?;
            let mut times = sampler.key_times();
            // Playback starts at 0 (docs/format.md, section 5.1).
            times.retain(|&time| time >= 0.0);
            let bytes = frame_bytes(recording);
            let checked = options.limits.check_samples(times.len() as f64, bytes);
            checked.map_err(SampleError::TooManyKeys)?;
            Ok((sampler, times))
        }
    }
}

/// Returns the number of bytes of one sample of the recording: a time and the value of each curve, as 32-bit floats.
pub(crate) fn frame_bytes(recording: &Recording<'_>) -> u64 {
    4 * (1 + recording.curves().count() as u64)
}

/// Checks that samples of a recording at a steady rate stay within limits, which should be those of [`Limits::for_rate`].
/// `seconds` is the length of the sampled time, and `rate` is in samples per second.
///
/// ```
/// use inputanim::{Layout, Limits, Recording};
/// use inputanim_convert::check_duration;
/// let recording = Recording::new(Layout::Mrtk1_1);
/// let limits = Limits::default().for_rate(&recording);
/// assert!(check_duration(&recording, 60.0, 60.0, &limits).is_ok());
/// let error = check_duration(&recording, 1e30, 60.0, &limits).unwrap_err();
/// assert!(error.to_string().starts_with("1e30 s at 60 Hz: too many samples: 6.0e31 times with "));
/// assert!(error.to_string().ends_with(" bytes each exceed the limit of 134217728 bytes"));
/// ```
///
/// # Errors
/// Fails if the samples would be larger than the limit, if the duration is infinite, or if the rate is not valid.
pub fn check_duration(
    recording: &Recording<'_>,
    seconds: f32,
    rate: f64,
    limits: &Limits,
) -> Result<(), SampleError> {
    check_rate(rate)?;
    let times = (f64::from(seconds) * rate).floor() + 1.0;
    limits
        .check_samples(times, frame_bytes(recording))
        .map_err(|cause| SampleError::TooLong {
            seconds,
            rate,
            cause,
        })
}

/// Checks that a number of samples of a recording, at any times, stays within [`Limits::max_sample_bytes`].
///
/// # Errors
/// Fails if the samples would be larger than the limit, or if `times` is not finite.
pub fn check_times(
    recording: &Recording<'_>,
    times: f64,
    limits: &Limits,
) -> Result<(), SampleError> {
    let checked = limits.check_samples(times, frame_bytes(recording));
    checked.map_err(SampleError::TooManyKeys)
}

/// Returns an error unless a rate, in samples per second, is above 0 and at most [`TimeRange::MAX_RATE`].
pub(crate) fn check_rate(rate: f64) -> Result<(), SampleError> {
    if rate > 0.0 && rate <= TimeRange::MAX_RATE {
        Ok(())
    } else {
        Err(SampleError::Rate(rate))
    }
}

/// Returns the times of all keys of the tracking and pinching states of both hands, and of the buttons and profiles of devices, in
/// seconds. The times are not sorted.
pub(crate) fn state_times(recording: &Recording<'_>) -> impl Iterator<Item = f32> {
    let hands = recording.hands.iter();
    let hands = hands.flat_map(|hands| [&hands.left, &hands.right]);
    let states = hands.flat_map(|hand| [&hand.tracked, &hand.pinching]);
    let states = states.flat_map(|curve| curve.keys.iter().map(|key| key.time()));
    let devices = recording.devices.iter().flat_map(|device| {
        let buttons = device.inputs.iter().filter_map(|(_, input)| match input {
            InputCurve::Boolean(curve) => Some(curve.keys.iter().map(|key| key.time())),
            InputCurve::Float(_) => None,
        });
        let profiles = device.profiles.iter().map(|change| change.time);
        buttons.flatten().chain(profiles)
    });
    states.chain(devices)
}

/// Returns times in seconds, in order: the steps of 1 / `rate` from 0 on, the end of the recording, and the times
/// between at which a state of a hand, a button or a profile changes. A step that is nearly equal to one of the other times is dropped.
pub(crate) fn times_of_grid_and_changes(
    recording: &Recording<'_>,
    sampler: &Sampler,
    rate: f64,
) -> Vec<f32> {
    let end = sampler.duration();
    let changes = state_times(recording);
    let mut fixed: Vec<f32> = changes.filter(|&time| time > 0.0 && time < end).collect();
    // Fixed times are exact, because a state must change at its own time and not at the next frame.
    fixed.extend([0.0, end]);
    fixed.sort_unstable_by(f32::total_cmp);
    fixed.dedup();
    // A time of the grid that is nearly equal to a fixed one is dropped, because readers of some
    // formats refuse or round frames that are so close.
    let near = (0.01 / rate) as f32;
    let is_free = |time: &f32| {
        let next = fixed.partition_point(|fixed| fixed < time);
        let is_near = |index: usize| fixed.get(index).is_some_and(|at| (at - time).abs() <= near);
        !is_near(next) && !next.checked_sub(1).is_some_and(is_near)
    };
    let grid = TimeRange { start: 0.0, end }.times_at(rate);
    let mut times: Vec<f32> = grid.filter(is_free).collect();
    times.extend(&fixed);
    times.sort_unstable_by(f32::total_cmp);
    times.dedup();
    times
}

/// Returns the number of frames at a steady rate in frames per second, from 0 to the first frame at or after the end.
pub(crate) fn steady_frames(sampler: &Sampler, rate: f64) -> usize {
    // The end is a rounded number, so a frame that is nearly at the end counts as the last frame.
    let steps = f64::from(sampler.duration()) * rate - 1e-3;
    1 + steps.ceil().max(0.0) as usize
}

/// Returns the times of the [`steady_frames`] in seconds: the steps of 1 / `rate` from 0 on. The last time is at most
/// the end of the recording.
pub(crate) fn steady_times(sampler: &Sampler, rate: f64) -> impl Iterator<Item = f32> {
    let end = sampler.duration();
    let steps = 0..steady_frames(sampler, rate);
    steps.map(move |step| ((step as f64 / rate) as f32).min(end))
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::{BooleanCurve, FloatCurve, Layout};

    fn lasting(seconds: f32) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().position[0] = FloatCurve::linear([(0.0, 1.0), (seconds, 2.0)]);
        recording.hands_mut();
        recording
    }

    #[test]
    fn recordings_with_too_many_frames_are_refused() {
        let at = |seconds, rate| {
            let options = WriteOptions {
                sampling: crate::shared::Sampling::Rate(rate),
                ..WriteOptions::default()
            };
            sampler(&lasting(seconds), &options)
        };
        assert!(at(1000.0, 60.0).is_ok());
        // With a few keys, this is probably a damaged time. With keys for so long, it is a long recording.
        assert!(at(5000.0, 60.0).is_err());
        let mut long = lasting(5000.0);
        let palm = &mut long.hands_mut().left.joints[inputanim::Joint::Palm].position;
        for curve in palm {
            *curve = FloatCurve::linear((0..500_000).map(|key| (key as f32 / 100.0, 0.0)));
        }
        assert!(sampler(&long, &WriteOptions::default()).is_ok());
        for seconds in [70_000.0, 3e38, f32::INFINITY] {
            let error = at(seconds, 60.0).unwrap_err();
            assert!(matches!(error, SampleError::TooLong { .. }), "{error}");
        }
        let error = at(f32::NAN, 60.0).unwrap_err();
        assert!(matches!(error, SampleError::Unplayable(_)), "{error}");
        for rate in [0.0, -1.0, f64::NAN, 1e7] {
            assert!(at(1.0, rate).is_err());
        }
    }

    #[test]
    fn without_limits_only_an_infinite_duration_is_refused() {
        let recording = Recording::new(Layout::Mrtk1_1);
        assert!(check_duration(&recording, 70_000.0, 60.0, &Limits::NONE).is_ok());
        for seconds in [f32::INFINITY, f32::NAN, 1e30] {
            let error = check_duration(&recording, seconds, 60.0, &Limits::NONE).unwrap_err();
            assert!(matches!(error, SampleError::TooLong { .. }), "{error}");
        }
    }

    #[test]
    fn times_include_changes_of_states_and_the_end() {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        recording.head_mut().position[0] = FloatCurve::linear([(0.0, 0.0), (0.37, 1.0)]);
        let hands = recording.hands_mut();
        hands.left.tracked = BooleanCurve::new([(0.0, false), (0.25, true)]);
        // One time is nearly on the grid, and another is outside of the recording.
        let flips = [(-1.0, true), (0.1_f32.next_up(), false), (0.2, true)];
        hands.right.pinching = BooleanCurve::new(flips);
        let sampler = Sampler::new(&recording).unwrap();
        let expected = [0.0, 0.1_f32.next_up(), 0.2, 0.25, 0.3, 0.37];
        assert_eq!(
            times_of_grid_and_changes(&recording, &sampler, 10.0),
            expected
        );
        assert_eq!(
            times_of_grid_and_changes(&Recording::new(Layout::Mrtk1_1), &sampler, 1e3).len(),
            371
        );
    }

    #[test]
    fn steady_frames_reach_the_end() {
        let times = |seconds: f32, rate: f64| {
            let sampler = Sampler::new(&lasting(seconds)).unwrap();
            steady_times(&sampler, rate).collect::<Vec<f32>>()
        };
        assert_eq!(times(0.3, 10.0), [0.0, 0.1, 0.2, 0.3]);
        assert_eq!(times(0.25, 10.0), [0.0, 0.1, 0.2, 0.25]);
        assert_eq!(times(9.0, 60.0).len(), 541);
        let empty = Recording::new(Layout::Mrtk1_1);
        let sampler = Sampler::new(&empty).unwrap();
        assert_eq!(steady_times(&sampler, 60.0).collect::<Vec<_>>(), [0.0]);
    }
}
