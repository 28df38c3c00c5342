//! Lists of events: tables of other programs whose rows are events, and event lists for EEG.
//!
//! # Reading
//!
//! A table with commas or tabs has a column of the time in seconds, `time_s`, `time` or `onset`, and a column of names, `name`,
//! `marker`, `trial_type`, `description` or `value`. If it has several, the name of a row is the first one that is neither blank nor
//! `n/a`. So the tables of [`markers_csv`](super::markers_csv), `*_events.tsv` of BIDS and annotations of MNE are read. Times have
//! double precision, because clocks of computers have large times.
//!
//! # Writing
//!
//! | format | columns |
//! |---|---|
//! | `*_events.tsv` of [BIDS](https://bids-specification.readthedocs.io) | `onset` in seconds from t = 0, `duration` 0, `trial_type`: the name, `value`: the number of its trigger, or `n/a` |
//! | `.eve` of MNE (`mne.read_events`) | the sample, 0, and the number of the trigger, as in the array `events` |

use std::io::Write;

use inputanim::edit::ClockMarker;
use inputanim::trigger_names::{TriggerName, TriggerNumbers};
use inputanim::{CurvePath, Limits, Marker};

use crate::shared::limits::check_limit;
use crate::shared::report::counted;
use crate::shared::{Error, LossKind, NoteKind, Report, utf16};
use crate::table::table_error::{TableError, first_names};
use crate::table::text::{CellRows, refuse_separator};

/// The names of columns of times, in order of preference.
const TIMES: [&str; 3] = ["time_s", "time", "onset"];
/// The names of columns of names, in order of preference.
const NAMES: [&str; 5] = ["name", "marker", "trial_type", "description", "value"];
/// The smallest difference between a marker and its sample that is stated, in seconds.
const MIN_ROUNDING: f64 = 1e-6;
/// The text of BIDS for a value that a row does not have.
const UNKNOWN: &str = "n/a";

/// A table with the positions of its columns.
struct Columns {
    time: usize,
    names: Vec<usize>,
    count: usize,
}

/// Returns `true` if a text may be a table of events: its first row names neither a curve nor the columns of a table of keys or of a
/// tidy table, which also have times and names.
pub(crate) fn may_be_events(text: &[u8]) -> bool {
    const OTHERS: [&str; 2] = ["curve", "joint"];
    let text = utf16::to_utf8(text);
    let names = rows(&text).and_then(|rows| rows.names());
    let is_other = |name: &String| OTHERS.contains(&&**name) || name.parse::<CurvePath>().is_ok();
    names.is_ok_and(|names| !names.iter().any(is_other))
}

/// Returns `true` if a text is a table of events: its first row names a time and a name.
pub(crate) fn is_table(text: &[u8]) -> bool {
    let text_in_utf8 = utf16::to_utf8(text);
    let mut found = rows(&text_in_utf8);
    let has_columns = found.as_mut().is_ok_and(|rows| columns(rows, None).is_ok());
    has_columns && may_be_events(text)
}

fn rows(text: &[u8]) -> Result<CellRows<&[u8]>, TableError> {
    let line = text
        .split(|&byte| byte == b'\n')
        .find(|line| !line.trim_ascii().is_empty());
    let has_tabs = line.is_some_and(|line| line.contains(&b'\t'));
    let separator = if has_tabs { b'\t' } else { b',' };
    let mut rows = CellRows::new(text, separator, text.len());
    rows.advance()?;
    Ok(rows)
}

/// Returns the columns of a table. `wanted` is the name of the only column of names that counts.
fn columns<R: std::io::BufRead>(
    rows: &mut CellRows<R>,
    wanted: Option<&str>,
) -> Result<Columns, TableError> {
    let names = rows.names()?;
    refuse_separator(&names, "commas")?;
    let position = |name: &str| {
        names
            .iter()
            .position(|other| other.eq_ignore_ascii_case(name))
    };
    let time = TIMES.iter().find_map(|name| position(name));
    let of_names: Vec<usize> = match wanted {
        Some(wanted) => position(wanted).into_iter().collect(),
        None => NAMES.iter().filter_map(|name| position(name)).collect(),
    };
    match time {
        Some(time) if !of_names.is_empty() => Ok(Columns {
            time,
            names: of_names,
            count: names.len(),
        }),
        _ => {
            let is_chosen = wanted.is_some() && of_names.is_empty();
            let wanted = wanted.unwrap_or("name, marker, trial_type, description or value");
            let columns = [
                ("time_s, time or onset", time.is_none()),
                (wanted, of_names.is_empty()),
            ];
            let missing = columns.into_iter().filter(|(_, is_missing)| *is_missing);
            Err(TableError::MarkerColumns {
                place: rows.place(),
                columns: missing.map(|(name, _)| name.to_owned()).collect(),
                found: first_names(&names),
                is_chosen,
            })
        }
    }
}

/// Reads the events of a table in the order of its rows. `column` is the name of the column with the names of the events, if not
/// the first one that has a name counts.
///
/// ```
/// use inputanim::Limits;
/// use inputanim_convert::marker_events;
/// let text = b"onset\tduration\ttrial_type\tvalue\n4.004\t0\tn/a\t11\n";
/// let events = marker_events::read(text, None, &Limits::default())?;
/// assert_eq!((events[0].time, &*events[0].name), (4.004, "11"));
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
///
/// # Errors
/// Fails when a column is missing, a row is damaged, or a time is not a number. Such errors contain the line. Also
/// fails when the text exceeds [`Limits::max_bytes`], or the events exceed [`Limits::max_markers`].
pub fn read(text: &[u8], column: Option<&str>, limits: &Limits) -> Result<Vec<ClockMarker>, Error> {
    check_limit(text.len() as u64, limits.max_bytes, "bytes")?;
    let text = utf16::to_utf8(text);
    let mut rows = rows(&text)?;
    let columns = columns(&mut rows, column)?;
    let mut events = Vec::new();
    while rows.advance()? {
        rows.check_count(columns.count)?;
        check_limit(events.len() as u64 + 1, limits.max_markers, "markers")?;
        let text = rows.value(columns.time)?.unwrap_or_default();
        let time: f64 = text
            .parse()
            .map_err(|_| TableError::value(rows.place(), "time", "a number of seconds", text))?;
        let mut name = "";
        for &column in &columns.names {
            let text = rows.value(column)?.filter(|text| *text != UNKNOWN);
            if let Some(text) = text {
                name = text;
                break;
            }
        }
        events.push(ClockMarker::new(time, name));
    }
    Ok(events)
}

/// Reads names of triggers from a table with commas or tabs and the columns `trigger` and `name`; other columns are ignored. Rows without
/// a name are skipped.
///
/// ```
/// use inputanim::Limits;
/// use inputanim_convert::marker_events;
/// let names = marker_events::read_trigger_names(b"trigger,name\n11,start\n", &Limits::default())?;
/// assert_eq!(names[0].name, "start");
/// # Ok::<(), inputanim_convert::Error>(())
/// ```
///
/// # Errors
/// Fails when a column is missing, or a row is damaged. Also fails when the text exceeds the limits.
pub fn read_trigger_names(text: &[u8], limits: &Limits) -> Result<Vec<TriggerName>, Error> {
    check_limit(text.len() as u64, limits.max_bytes, "bytes")?;
    let text = utf16::to_utf8(text);
    let mut rows = rows(&text)?;
    let names = rows.names()?;
    refuse_separator(&names, "commas")?;
    let position = |name: &str| {
        names
            .iter()
            .position(|other| other.eq_ignore_ascii_case(name))
    };
    let (Some(trigger), Some(name)) = (position("trigger"), position("name")) else {
        let missing = ["trigger", "name"].into_iter();
        let missing = missing.filter(|name| position(name).is_none());
        return Err(TableError::MarkerColumns {
            place: rows.place(),
            columns: missing.map(str::to_owned).collect(),
            found: first_names(&names),
            is_chosen: false,
        }
        .into());
    };
    let mut found = Vec::new();
    while rows.advance()? {
        rows.check_count(names.len())?;
        check_limit(found.len() as u64 + 1, limits.max_markers, "triggers")?;
        if let (Some(trigger), Some(name)) = (rows.value(trigger)?, rows.value(name)?) {
            found.push(TriggerName::new(trigger, name));
        }
    }
    Ok(found)
}

/// Writes markers as events of BIDS, in order of time. The report has the markers that cannot be written, and names that changed.
///
/// ```
/// use inputanim::Marker;
/// use inputanim::trigger_names::{TriggerName, TriggerNames};
/// use inputanim_convert::marker_events;
/// let names = TriggerNames::new([TriggerName::new("11", "start")])?;
/// let markers = [Marker::new(0.5, "start"), Marker::new(2.0, "wave")];
/// let mut text = Vec::new();
/// marker_events::write_bids(&markers, &names.numbers()?, &mut text)?;
/// assert_eq!(
///     String::from_utf8(text)?,
///     "onset\tduration\ttrial_type\tvalue\n0.5\t0\tstart\t11\n2\t0\twave\tn/a\n"
/// );
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails when `output` fails.
pub fn write_bids(
    markers: &[Marker<'_>],
    numbers: &TriggerNumbers<'_>,
    mut output: impl Write,
) -> Result<Report, Error> {
    let mut report = Report::default();
    let mut changed = 0;
    writeln!(output, "onset\tduration\ttrial_type\tvalue")?;
    for marker in in_order(markers, &mut report) {
        // Tables of BIDS have no quotes.
        let mut name = marker.name.replace(char::is_control, " ");
        changed += usize::from(name != marker.name);
        if name.trim().is_empty() {
            UNKNOWN.clone_into(&mut name);
        }
        let number = numbers.of(&marker.name);
        let number = number.map_or(UNKNOWN.to_owned(), |number| number.to_string());
        writeln!(output, "{}\t0\t{name}\t{number}", marker.time)?;
    }
    output.flush()?;
    let message = format!(
        "control characters in {}",
        counted(changed, "name of a marker")
    );
    report.lose(LossKind::Text, changed, message);
    Ok(report)
}

/// The samples of an EEG, which count the events of MNE.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct SampleClock {
    /// The samples per second.
    pub rate: f64,
    /// The number of the sample at t = 0: `raw.first_samp` of MNE, which is 0 for most files.
    pub first_sample: i64,
}

impl SampleClock {
    /// Returns the clock of an EEG with samples per second, and the number of its first sample.
    pub const fn new(rate: f64, first_sample: i64) -> SampleClock {
        SampleClock { rate, first_sample }
    }
}

/// Writes markers as events of MNE, in order of time: the nearest sample, 0, and the number of the trigger. The report has the markers
/// that cannot be written, and states the largest distance of a marker from its sample.
///
/// ```
/// use inputanim::Marker;
/// use inputanim::trigger_names::{TriggerName, TriggerNames};
/// use inputanim_convert::marker_events::{self, SampleClock};
/// let names = TriggerNames::new([TriggerName::new("11", "start")])?;
/// let mut text = Vec::new();
/// let clock = SampleClock::new(500.0, 0);
/// marker_events::write_mne(&[Marker::new(0.5, "start")], &names.numbers()?, clock, &mut text)?;
/// assert_eq!(text, b"250 0 11\n");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Fails when a marker has no number, when the rate is not above 0 and finite, when the number of a sample is too large, or when
/// `output` fails.
pub fn write_mne(
    markers: &[Marker<'_>],
    numbers: &TriggerNumbers<'_>,
    clock: SampleClock,
    mut output: impl Write,
) -> Result<Report, Error> {
    let is_valid = clock.rate > 0.0 && clock.rate.is_finite();
    if !is_valid {
        return Err(TableError::SampleRate { rate: clock.rate }.into());
    }
    let mut unnumbered: Vec<String> = Vec::new();
    for marker in markers {
        if numbers.of(&marker.name).is_none() && !unnumbered.iter().any(|name| *name == marker.name)
        {
            unnumbered.push(marker.name.to_string());
        }
    }
    if !unnumbered.is_empty() {
        return Err(TableError::NoTriggerNumber { names: unnumbered }.into());
    }
    let mut report = Report::default();
    let mut largest = 0.0_f64;
    for marker in in_order(markers, &mut report) {
        let exact = f64::from(marker.time) * clock.rate;
        let sample = exact.round();
        // Double precision counts exactly up to here.
        if sample.abs() > 9e15 {
            return Err(TableError::SampleRate { rate: clock.rate }.into());
        }
        largest = largest.max((exact - sample).abs() / clock.rate);
        let sample = (sample as i64).saturating_add(clock.first_sample);
        let number = numbers.of(&marker.name).unwrap_or_default();
        writeln!(output, "{sample} 0 {number}")?;
    }
    output.flush()?;
    // Smaller differences come from single precision.
    if largest > MIN_ROUNDING {
        let message = format!(
            "times rounded to samples at {} Hz, by at most {:.3} ms",
            clock.rate,
            1000.0 * largest
        );
        report.note(NoteKind::Precision, message);
    }
    Ok(report)
}

/// Returns the markers with a finite time in order of time. Adds the others to `report`.
fn in_order<'m, 'a>(markers: &'m [Marker<'a>], report: &mut Report) -> Vec<&'m Marker<'a>> {
    let mut finite: Vec<_> = markers
        .iter()
        .filter(|marker| marker.time.is_finite())
        .collect();
    let dropped = markers.len() - finite.len();
    let message = format!("{} without a finite time", counted(dropped, "marker"));
    report.lose(LossKind::Markers, dropped, message);
    finite.sort_by(|a, b| a.time.total_cmp(&b.time));
    finite
}

#[cfg(test)]
mod tests {
    use super::*;
    use inputanim::trigger_names::TriggerNames;

    fn read(text: &str) -> Vec<(f64, String)> {
        let events = super::read(text.as_bytes(), None, &Limits::default()).unwrap();
        let events = events.into_iter();
        events.map(|event| (event.time, event.name)).collect()
    }

    fn error(text: &str, column: Option<&str>) -> String {
        let error = super::read(text.as_bytes(), column, &Limits::default()).unwrap_err();
        error.to_string()
    }

    #[test]
    fn tables_of_other_programs_are_read() {
        let expected = [
            (1.5, "go".to_owned()),
            (1_714_557_600.25, "stop".to_owned()),
        ];
        for text in [
            "time_s,name\n1.5,go\n1714557600.25,stop\n",
            "\u{feff}onset\tduration\ttrial_type\tvalue\r\n1.5\t0\tgo\t1\r\n1714557600.25\t0\tstop\tn/a\r\n",
            "onset,duration,description\n1.5,0,go\n1714557600.25,0,stop\n",
            "onset\tduration\ttrial_type\thand\tmarker\n1.5\t0\tmarker\tn/a\tgo\n1714557600.25\t0\tstop\tleft\tn/a\n",
        ] {
            assert!(is_table(text.as_bytes()), "{text}");
            assert_eq!(read(text), expected, "{text}");
        }
        assert!(!is_table(b"time_s,marker,head.position.x\n0,,0\n"));
        assert!(!is_table(
            b"curve,time_s,value,name\nhead.position.x,0,0,\n"
        ));
        assert!(!is_table(b""));
        let text = b"onset\tvalue\ttrial_type\n1\t11\tgo\n";
        let events = super::read(text, Some("Value"), &Limits::default()).unwrap();
        assert_eq!(events[0].name, "11");
    }

    #[test]
    fn errors_state_the_line_and_the_columns() {
        assert_eq!(
            error("onset,name\n1,a\nn/a,b\n", None),
            "line 3: time: expected a number of seconds, found \"n/a\""
        );
        assert_eq!(
            error("when,name\n1,a\n", None),
            "line 1: missing columns time_s, time or onset; found \"when\", \"name\""
        );
        assert_eq!(
            error("onset,name\n1,a\n", Some("code")),
            "line 1: missing columns code; found \"onset\", \"name\""
        );
        let text = read_trigger_names(b"code,name\n", &Limits::default())
            .unwrap_err()
            .to_string();
        assert_eq!(
            text,
            "line 1: missing columns trigger; found \"code\", \"name\""
        );
    }

    #[test]
    fn events_without_a_number_or_a_time_are_reported() {
        let names = TriggerNames::new([TriggerName::new("S  1", "go")]).unwrap();
        let numbers = names.numbers().unwrap();
        let markers = [
            Marker::new(2.0, "go"),
            Marker::new(0.001, "7"),
            Marker::new(f32::NAN, "go"),
        ];
        let mut text = Vec::new();
        let clock = SampleClock::new(100.0, 1000);
        let report = write_mne(&markers, &numbers, clock, &mut text).unwrap();
        assert_eq!(text, b"1000 0 7\n1200 0 1\n");
        assert_eq!(
            report.losses[0].to_string(),
            "1 marker without a finite time"
        );
        assert_eq!(
            report.notes[0].message,
            "times rounded to samples at 100 Hz, by at most 1.000 ms"
        );
        let markers = [Marker::new(0.0, "wave"), Marker::new(1.0, "wave")];
        let error = write_mne(&markers, &numbers, clock, Vec::new()).unwrap_err();
        assert_eq!(error.to_string(), "no trigger has the name \"wave\"");
        assert!(write_mne(&[], &numbers, SampleClock::new(0.0, 0), Vec::new()).is_err());
        let mut text = Vec::new();
        let markers = [Marker::new(1.0, "a\tb"), Marker::new(0.0, " ")];
        let report = write_bids(&markers, &numbers, &mut text).unwrap();
        assert!(text.ends_with(b"\n0\t0\tn/a\tn/a\n1\t0\ta b\tn/a\n"));
        assert_eq!(report.losses.len(), 1);
    }
}
