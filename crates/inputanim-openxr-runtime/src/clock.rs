//! The time of the computer in nanoseconds, and its conversion.

#[cfg(unix)]
pub(crate) use unix::*;

/// Returns the time of the computer in nanoseconds since some moment.
#[cfg(not(unix))]
pub(crate) fn now() -> i64 {
    use std::sync::LazyLock;
    use std::time::Instant;
    static BEGIN: LazyLock<Instant> = LazyLock::new(Instant::now);
    i64::try_from(BEGIN.elapsed().as_nanos())
        .unwrap_or(i64::MAX)
        .saturating_add(1_000_000_000)
}

#[cfg(unix)]
mod unix {
    use inputanim_openxr::{Clock, FIRST_TIME};
    use libc::timespec;
    use openxr_sys as xr;
    use rustix::time::{ClockId, clock_gettime};

    use crate::state::State;
    use inputanim_openxr_border::{DONE, Get, INVALID, Reply, Set};

    const NANOSECONDS: i64 = 1_000_000_000;

    /// Returns the monotonic time of the computer in nanoseconds.
    pub(crate) fn now() -> i64 {
        let time = clock_gettime(ClockId::Monotonic);
        time.tv_sec
            .saturating_mul(NANOSECONDS)
            .saturating_add(time.tv_nsec)
    }

    /// With a clock that is not the time of the computer, every time of the computer is the time of the next frame.
    pub(crate) fn from_timespec(
        instance: xr::Instance,
        from: Get<timespec>,
        time: Set<xr::Time>,
    ) -> Reply {
        let mut state = State::lock();
        let instance = state.instance(instance)?;
        let nanoseconds = from.tv_sec.checked_mul(NANOSECONDS);
        let real = nanoseconds.and_then(|whole| whole.checked_add(from.tv_nsec));
        let real = real
            .filter(|&real| real > 0 && (0..NANOSECONDS).contains(&from.tv_nsec))
            .ok_or(INVALID)?;
        let timeline = instance.session.as_ref().map(|session| &session.timeline);
        let is_real = instance.player.settings().clock == Clock::Real;
        time.set(xr::Time::from_nanos(match timeline {
            _ if is_real => real,
            Some(timeline) => timeline.next(real),
            None => FIRST_TIME,
        }));
        DONE
    }

    pub(crate) fn to_timespec(instance: xr::Instance, time: xr::Time, to: Set<timespec>) -> Reply {
        let mut state = State::lock();
        state.instance(instance)?;
        crate::state::check_time(time)?;
        let nanoseconds = time.as_nanos();
        to.set(timespec {
            tv_sec: nanoseconds / NANOSECONDS,
            tv_nsec: nanoseconds % NANOSECONDS,
        });
        DONE
    }
}
