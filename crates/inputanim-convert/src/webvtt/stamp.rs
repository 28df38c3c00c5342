//! Times in whole milliseconds, as they stand in a file: `00:01:02.345`.

/// The milliseconds nearest to a time, if a time stamp can say them.
pub(super) fn milliseconds(seconds: f32) -> Option<u64> {
    let milliseconds = (f64::from(seconds) * 1000.0).round();
    // A NaN is within no bounds.
    (0.0..9e18)
        .contains(&milliseconds)
        .then_some(milliseconds as u64)
}

/// The time in seconds that reads from so many milliseconds.
pub(super) fn seconds(milliseconds: u64) -> f32 {
    (milliseconds as f64 / 1000.0) as f32
}

/// Hours, minutes, seconds and milliseconds.
pub(super) fn stamp(milliseconds: u64) -> String {
    let (seconds, rest) = (milliseconds / 1000, milliseconds % 1000);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    format!("{hours:02}:{minutes:02}:{seconds:02}.{rest:03}")
}

/// The two times of a line such as `00:01.000 --> 00:02.500 align:start`.
pub(super) fn read_times(line: &str) -> Option<(u64, u64)> {
    let (start, rest) = line.split_once("-->")?;
    let rest = rest.trim_matches(WHITE);
    let end = rest.split(WHITE).next()?;
    Some((read(start.trim_matches(WHITE))?, read(end)?))
}

const WHITE: [char; 3] = [' ', '\t', '\x0c'];

/// Hours may be left out, and have any number of digits.
fn read(stamp: &str) -> Option<u64> {
    let number = |digits: &str, is_length: fn(usize) -> bool| {
        let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
        let is_number = is_number && is_length(digits.len());
        is_number.then(|| digits.parse::<u64>().ok()).flatten()
    };
    let below_60 = |digits: &str| number(digits, |length| length == 2).filter(|&part| part < 60);
    let (stamp, rest) = stamp.rsplit_once('.')?;
    let rest = number(rest, |length| length == 3)?;
    let (minutes, seconds) = stamp.rsplit_once(':')?;
    let (hours, minutes) = match minutes.rsplit_once(':') {
        None => (0, minutes),
        Some((hours, minutes)) => (number(hours, |length| length > 0)?, minutes),
    };
    let seconds = below_60(minutes)? * 60 + below_60(seconds)?;
    let seconds = hours.checked_mul(3600)?.checked_add(seconds)?;
    seconds.checked_mul(1000)?.checked_add(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stamp_reads_back_whatever_it_says() {
        for milliseconds in [0, 999, 59_999, 3_600_000, 123_456_789_012, 9e18 as u64] {
            assert_eq!(read(&stamp(milliseconds)), Some(milliseconds));
        }
        assert_eq!(stamp(3_723_004), "01:02:03.004");
    }

    #[test]
    fn every_time_that_has_a_stamp_is_told_to_the_millisecond() {
        assert_eq!(milliseconds(0.35).map(seconds), Some(0.35));
        assert_eq!(milliseconds(-0.0004), Some(0));
        assert_eq!(milliseconds(1e12).map(seconds), Some(1e12));
        for time in [-0.001, f32::NAN, f32::INFINITY, f32::MAX] {
            assert_eq!(milliseconds(time), None, "{time}");
        }
    }

    #[test]
    fn times_are_read_as_players_read_them() {
        let times = |line: &str| read_times(line);
        assert_eq!(times("00:01.000 --> 00:02.500"), Some((1000, 2500)));
        assert_eq!(
            times(" 100:00:01.000\t-->01:00:02.500\tline:0 align:start"),
            Some((360_001_000, 3_602_500))
        );
        for line in [
            "00:01,000 --> 00:02,000",
            "0:01.000 --> 0:02.000",
            "00:01.00 --> 00:02.00",
            "00:60.000 --> 00:61.000",
            "+0:01.000 --> 00:02.000",
            "00:01.000 -->",
            "99999999999999999999:00:00.000 --> 00:00.000",
            "9999999999999999:00:00.000 --> 00:00.000",
        ] {
            assert_eq!(times(line), None, "{line}");
        }
    }
}
