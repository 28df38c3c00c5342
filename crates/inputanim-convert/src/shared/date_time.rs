//! Dates and times.

use std::time::Duration;

/// Returns a time since 1970 as a date and time of UTC, in the form that LabRecorder writes.
pub(crate) fn date_time(since_1970: Duration) -> String {
    let seconds = since_1970.as_secs();
    let (days, second) = (seconds / 86_400, seconds % 86_400);
    // Years begin in March here, so that the leap day is the last day of a year. Four centuries have 146,097 days.
    let days = days + 719_468;
    let (era, day) = (days / 146_097, days % 146_097);
    let year = (day - day / 1460 + day / 36_524 - day / 146_096) / 365;
    let day = day - (365 * year + year / 4 - year / 100);
    // Five months from March on have 153 days.
    let month = (5 * day + 2) / 153;
    let day = day - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    let year = era * 400 + year + u64::from(month <= 2);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}+0000")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        for (seconds, expected) in [
            (0, "1970-01-01T00:00:00+0000"),
            (951_782_400, "2000-02-29T00:00:00+0000"),
            (1_709_251_199, "2024-02-29T23:59:59+0000"),
            (4_107_542_400, "2100-03-01T00:00:00+0000"),
        ] {
            assert_eq!(date_time(Duration::from_secs(seconds)), expected);
        }
    }
}
