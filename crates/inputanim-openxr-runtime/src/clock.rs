//! The time of the computer in nanoseconds.

#[cfg(unix)]
pub(crate) use unix::now;
#[cfg(windows)]
pub(crate) use windows::{from_ticks, now, to_ticks};

pub(crate) const NANOSECONDS: i64 = 1_000_000_000;

#[cfg(unix)]
mod unix {
    use super::NANOSECONDS;

    /// Returns the monotonic time of the computer in nanoseconds since an arbitrary moment, such as the start of the
    /// computer.
    pub(crate) fn now() -> i64 {
        let mut time = libc::timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        // The function of the C library, because Valgrind and other tools replace it. A crate that reads the clock
        // directly from the kernel crashes in Valgrind, which hides this part of the kernel.
        // SAFETY: there is memory for the time.
        #[allow(unsafe_code, reason = "a function of the C library")]
        unsafe {
            libc::clock_gettime(libc::CLOCK_MONOTONIC, &raw mut time)
        };
        #[allow(
            clippy::useless_conversion,
            reason = "the types depend on the platform"
        )]
        let (seconds, nanoseconds) = (i64::from(time.tv_sec), i64::from(time.tv_nsec));
        seconds
            .saturating_mul(NANOSECONDS)
            .saturating_add(nanoseconds)
    }
}

#[cfg(windows)]
mod windows {
    use std::sync::LazyLock;

    use windows_sys::Win32::System::Performance::{
        QueryPerformanceCounter, QueryPerformanceFrequency,
    };

    use super::{NANOSECONDS, scale};

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
        from_ticks(ticks).unwrap_or(i64::MAX)
    }

    /// Converts ticks of the performance counter to nanoseconds; `None` if the result does not fit into an `i64`.
    pub(crate) fn from_ticks(ticks: i64) -> Option<i64> {
        scale(ticks, *FREQUENCY, NANOSECONDS)
    }

    /// Converts nanoseconds to ticks of the performance counter; `None` if the result does not fit into an `i64`.
    pub(crate) fn to_ticks(nanoseconds: i64) -> Option<i64> {
        scale(nanoseconds, NANOSECONDS, *FREQUENCY)
    }
}

/// Converts a time in units of 1/`from` s to the nearest time in units of 1/`to` s; `None` if the result does not fit
/// into an `i64`.
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
