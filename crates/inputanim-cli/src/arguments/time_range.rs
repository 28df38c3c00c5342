//! Times, time ranges and durations on the command line. All verbs share this syntax.

use inputanim::{Recording, RelativeTimeRange, TimeRange, TimeRangeError, relative_time};
use inputanim_scan::Notice;

use crate::messages::diagnostics::warn_of_file;
use crate::messages::file_name::FileName;
use crate::messages::outcome::Refusal;

/// The syntax of times, for the help of verbs that take some.
pub(crate) const TIMES: &str = "\
Times: 1.5 or 1.5s, 500ms, 1:30 (minutes), 0:01:30.5 (hours). +1.5 is 1.5 s after the start of the \
recording (t = 0, or its first key if that is earlier), -1.5 is 1.5 s before its end, @-1.5 is the time -1.5 s. A range A..B includes both ends, \
and each end is optional.";

/// Returns the time range in seconds that a relative range selects of a recording; an open end is infinite. Ends
/// outside the recording are limited to it, with a warning that names `file`.
///
/// # Errors
/// Refuses a range that ends before it starts, or that is outside the recording.
pub(crate) fn within(
    range: RelativeTimeRange,
    recording: &Recording<'_>,
    file: &str,
) -> anyhow::Result<TimeRange> {
    let limited = range.within(recording);
    let limited = limited.map_err(|error| refusal(error).context(FileName::new(file.as_ref())))?;
    if let Some(used) = limited.exceeds {
        let notice = Notice::TimeExceeds { used };
        warn_of_file(file, notice.kind(), notice.detail());
    }
    Ok(limited.range)
}

/// Converts the error of a time range of a recording to an error with a hint: the command that shows the length.
pub(crate) fn refusal(error: TimeRangeError) -> anyhow::Error {
    match error {
        // Bounds of one kind are checked when they are parsed, so these depend on the recording.
        TimeRangeError::Reversed(_) => {
            let hint = "`inputanim info IN` shows the length of the recording";
            Refusal::usage(error.to_string(), hint)
        }
        error => {
            let hint = "`inputanim info IN` shows its length";
            Refusal::failure(error.to_string(), hint)
        }
    }
}

/// Parses a duration above 0, in seconds.
pub(crate) fn duration(text: &str) -> Result<f32, String> {
    let duration = relative_time::seconds(text.trim()).filter(|&seconds| seconds > 0.0);
    duration.ok_or_else(|| "expected a duration above 0 such as 1.5, 500ms or 1:30".to_owned())
}

/// Parses a duration of 0 or more, in seconds.
pub(crate) fn duration_or_zero(text: &str) -> Result<f32, String> {
    relative_time::seconds(text.trim())
        .ok_or_else(|| "expected a duration such as 1.5, 500ms or 1:30, 0 or more".to_owned())
}

/// Parses a duration of 0 or more, in seconds; `inf` is any duration.
pub(crate) fn duration_or_any(text: &str) -> Result<f32, String> {
    match text.trim() {
        "inf" => Ok(f32::INFINITY),
        text => relative_time::seconds(text).ok_or_else(|| {
            "expected a duration such as 1ms or 0.5, 0 or more, or `inf`".to_owned()
        }),
    }
}

/// Parses a duration that may be negative, in seconds.
pub(crate) fn signed_duration(text: &str) -> Result<f32, String> {
    relative_time::signed_seconds(text.trim())
        .ok_or_else(|| "expected a duration such as 1.5, -500ms or 1:30".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_duration_may_have_units_and_a_sign() {
        assert_eq!(duration("1:30"), Ok(90.0));
        assert_eq!(signed_duration("-500ms"), Ok(-0.5));
        assert_eq!(duration_or_any("inf"), Ok(f32::INFINITY));
        assert!(duration("0").is_err() && duration_or_zero("0").is_ok());
        assert!(duration("-1").is_err() && duration_or_zero("-1").is_err());
    }
}
