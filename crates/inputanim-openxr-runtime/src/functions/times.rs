//! Conversion of times between OpenXR and the computer.

use inputanim_openxr::{Clock, FIRST_TIME};
use openxr_sys as xr;

use super::checks::check_time;
use crate::objects::state::State;
use inputanim_openxr_ffi::{DONE, Get, Reply, Set};

#[cfg(unix)]
pub(crate) use unix::{from_timespec, to_timespec};
#[cfg(windows)]
pub(crate) use windows::{from_counter, to_counter};

/// Converts `real`, a time of the computer in nanoseconds, to a time of OpenXR. Both are equal for [`Clock::Real`]. For
/// other clocks, every time of the computer becomes the display time of the next frame.
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

/// Returns the nanoseconds of a time of OpenXR. Fails if the handle of the instance is not valid, or the time is not
/// positive.
fn nanoseconds(instance: xr::Instance, time: xr::Time) -> Result<i64, xr::Result> {
    State::lock().instance(instance)?;
    check_time(time)?;
    Ok(time.as_nanos())
}

#[cfg(unix)]
mod unix {
    use inputanim_openxr_ffi::INVALID;
    use libc::timespec;

    use super::*;
    use crate::clock::NANOSECONDS;

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
    use super::*;
    use crate::clock::{from_ticks, to_ticks};

    pub(crate) fn from_counter(
        instance: xr::Instance,
        ticks: Get<i64>,
        time: Set<xr::Time>,
    ) -> Reply {
        let real = from_ticks(*ticks);
        let real = real.ok_or(xr::Result::ERROR_TIME_INVALID)?;
        time.set(convert(instance, real)?);
        DONE
    }

    pub(crate) fn to_counter(instance: xr::Instance, time: xr::Time, ticks: Set<i64>) -> Reply {
        let nanoseconds = nanoseconds(instance, time)?;
        let converted = to_ticks(nanoseconds);
        ticks.set(converted.ok_or(xr::Result::ERROR_TIME_INVALID)?);
        DONE
    }
}
