//! The time of the computer in nanoseconds, and its conversion.

use inputanim_openxr::{Clock, FIRST_TIME};
use openxr_sys as xr;

use crate::state::{State, check_time};
use inputanim_openxr_ffi::{DONE, Get, Reply, Set};

#[cfg(unix)]
pub(crate) use unix::{from_timespec, now, to_timespec};
#[cfg(windows)]
pub(crate) use windows::{from_counter, now, to_counter};

const NANOSECONDS: i64 = 1_000_000_000;

/// Returns the time of OpenXR for a time of the computer. With a clock that is not the time of the computer, every time of
/// the computer is the time of the next frame.
fn convert(instance: xr::Instance, real: i64) -> Result<xr::Time, xr::Result> {
    let mut state = State::lock();
    let instance = state.instance(instance)?;
    check_time(xr::Time::from_nanos(real))?;
    let timeline = instance.session.as_ref().map(|session| &session.timeline);
    let is_real = instance.player.settings().clock == Clock::Real;
    Ok(xr::Time::from_nanos(match timeline {
        _ if is_real => real,
        Some(timeline) => timeline.next(real),
        None => FIRST_TIME,
    }))
}

/// Returns the nanoseconds of a time that an application converts.
fn nanoseconds(instance: xr::Instance, time: xr::Time) -> Result<i64, xr::Result> {
    State::lock().instance(instance)?;
    check_time(time)?;
    Ok(time.as_nanos())
}

#[cfg(unix)]
mod unix {
    use inputanim_openxr_ffi::INVALID;
    use libc::timespec;
    use rustix::time::{ClockId, clock_gettime};

    use super::*;

    /// Returns the monotonic time of the computer in nanoseconds.
    pub(crate) fn now() -> i64 {
        let time = clock_gettime(ClockId::Monotonic);
        time.tv_sec
            .saturating_mul(NANOSECONDS)
            .saturating_add(time.tv_nsec)
    }

    pub(crate) fn from_timespec(
        instance: xr::Instance,
        from: Get<timespec>,
        time: Set<xr::Time>,
    ) -> Reply {
        if !(0..NANOSECONDS).contains(&from.tv_nsec) {
            return Err(INVALID);
        }
        let seconds = from.tv_sec.checked_mul(NANOSECONDS);
        let real = seconds.and_then(|seconds| seconds.checked_add(from.tv_nsec));
        let real = real.ok_or(xr::Result::ERROR_TIME_INVALID)?;
        time.set(convert(instance, real)?);
        DONE
    }

    pub(crate) fn to_timespec(instance: xr::Instance, time: xr::Time, to: Set<timespec>) -> Reply {
        let nanoseconds = nanoseconds(instance, time)?;
        to.set(timespec {
            tv_sec: nanoseconds / NANOSECONDS,
            tv_nsec: nanoseconds % NANOSECONDS,
        });
        DONE
    }
}

#[cfg(windows)]
mod windows {
    use std::sync::LazyLock;

    use windows_sys::Win32::System::Performance::{
        QueryPerformanceCounter, QueryPerformanceFrequency,
    };

    use super::*;

    /// The ticks of the performance counter in one second. Windows changes them only when it starts.
    static FREQUENCY: LazyLock<i64> = LazyLock::new(|| {
        let mut frequency = 0;
        // SAFETY: there is memory for the number.
        #[allow(unsafe_code, reason = "a function of Windows")]
        unsafe {
            QueryPerformanceFrequency(&raw mut frequency)
        };
        // The function never fails on Windows XP and newer. The number is a divisor.
        frequency.max(1)
    });

    /// Returns the time of the performance counter in nanoseconds.
    pub(crate) fn now() -> i64 {
        let mut ticks = 0;
        // SAFETY: there is memory for the number.
        #[allow(unsafe_code, reason = "a function of Windows")]
        unsafe {
            QueryPerformanceCounter(&raw mut ticks)
        };
        scale(ticks, *FREQUENCY, NANOSECONDS).unwrap_or(i64::MAX)
    }

    pub(crate) fn from_counter(
        instance: xr::Instance,
        ticks: Get<i64>,
        time: Set<xr::Time>,
    ) -> Reply {
        let real = scale(*ticks, *FREQUENCY, NANOSECONDS);
        let real = real.ok_or(xr::Result::ERROR_TIME_INVALID)?;
        time.set(convert(instance, real)?);
        DONE
    }

    pub(crate) fn to_counter(instance: xr::Instance, time: xr::Time, ticks: Set<i64>) -> Reply {
        let nanoseconds = nanoseconds(instance, time)?;
        let converted = scale(nanoseconds, NANOSECONDS, *FREQUENCY);
        ticks.set(converted.ok_or(xr::Result::ERROR_TIME_INVALID)?);
        DONE
    }
}

/// Converts a time in units of 1/`from` s to the nearest time in units of 1/`to` s; `None` if it does not fit.
///
/// It rounds, so that ticks that become nanoseconds and ticks again are equal if a tick is at least a nanosecond.
#[cfg(any(windows, test))]
fn scale(time: i64, from: i64, to: i64) -> Option<i64> {
    let [time, from, to] = [time, from, to].map(i128::from);
    i64::try_from((time * to + from / 2).div_euclid(from)).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_become_nanoseconds_and_the_same_ticks() {
        // Frequencies of Windows: usual, of older processors, and of a virtual machine.
        for frequency in [10_000_000, 3_579_545, 2_437_500, 1_000_000_000] {
            for ticks in [
                1,
                2,
                3,
                12_345_678_901,
                frequency * 3600 * 24 * 365 * 10 + 1,
            ] {
                let time = scale(ticks, frequency, NANOSECONDS);
                let time = time.expect("ten years fit into a time");
                assert_eq!(scale(time, NANOSECONDS, frequency), Some(ticks));
            }
            assert_eq!(scale(frequency, frequency, NANOSECONDS), Some(NANOSECONDS));
        }
        assert_eq!(scale(-1, 10_000_000, NANOSECONDS), Some(-100));
        assert_eq!(scale(i64::MAX, 10_000_000, NANOSECONDS), None);
        assert_eq!(scale(i64::MAX, 1, 1), Some(i64::MAX));
    }
}
