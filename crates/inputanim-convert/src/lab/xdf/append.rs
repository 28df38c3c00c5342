//! Adds a recording to a file of a laboratory.

use std::collections::HashSet;
use std::fmt;
use std::io::Write;
use std::str::FromStr;

use inputanim::Recording;
use inputanim::relative_time::signed_seconds;

use super::chunks::MAGIC;
use super::clock::StreamTimes;
use super::error::XdfError;
use super::file::{Stream, XdfFile};
use super::output::Output;
use super::plan::{self, MarkerStream};
use super::read::{GZIP, rounded, text_of};
use super::write::RecordingWriter;
use crate::shared::limits::check_limit;
use crate::shared::{Error, LossKind, NoteKind, ReadOptions, Report, WriteOptions};

/// The place of a recording in a file of a laboratory. All times are on the clock of the recorder, to which the clock
/// offsets of the file map the times of its streams.
///
/// ```
/// use inputanim_convert::xdf::At;
/// assert_eq!("12.5".parse(), Ok(At::Seconds(12.5)));
/// assert_eq!("1:30".parse(), Ok(At::Seconds(90.0)));
/// assert_eq!("lsl:80123.25".parse(), Ok(At::LslTime(80123.25)));
/// let third = At::Marker { text: "start".to_owned(), number: 3 };
/// assert_eq!("start#3".parse(), Ok(third));
/// // A marker whose text is a time needs the prefix.
/// let ten = At::Marker { text: "10".to_owned(), number: 1 };
/// assert_eq!("marker:10".parse(), Ok(ten));
/// # Ok::<(), inputanim_convert::xdf::InvalidAt>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum At {
    /// The zero of the recording, in seconds after the first sample of the file.
    Seconds(f64),
    /// The zero of the recording, as a time of the Lab Streaming Layer in seconds.
    LslTime(f64),
    /// A marker of the file. It is the first marker of the recording with the same text. If the recording has no such
    /// marker, it is the zero of the recording.
    Marker {
        /// The text of the marker.
        text: String,
        /// The number of the marker among the markers with this text in order of time, from 1 on.
        number: usize,
    },
}

/// A text that is not a place in a file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "invalid place {0:?}; expected a time such as 12.5 or 1:30, `lsl:SECONDS`, or a marker: `TEXT`, `TEXT#2` \
     (numbers are from 1 on) or `marker:TEXT`"
)]
pub struct InvalidAt(String);

impl FromStr for At {
    type Err = InvalidAt;

    /// Parses a time, `lsl:TIME`, `TEXT`, `TEXT#NUMBER`, or a marker after `marker:`. Times are seconds, or have a form
    /// that [`inputanim::relative_time::signed_seconds`] parses: `500ms`, `1:30`. The number follows the last `#`, so
    /// that a text that ends with `#` and digits needs it: `a#2#1`. Another text after a `#` is a part of the text.
    fn from_str(text: &str) -> Result<At, InvalidAt> {
        let invalid = || InvalidAt(text.to_owned());
        if let Some(time) = text.strip_prefix("lsl:") {
            let time = seconds(time).filter(|time| time.is_finite());
            return time.map(At::LslTime).ok_or_else(invalid);
        }
        let marker = match text.strip_prefix("marker:") {
            Some(marker) => marker,
            None => match seconds(text) {
                Some(time) if time.is_finite() => return Ok(At::Seconds(time)),
                Some(_) => return Err(invalid()),
                None => text,
            },
        };
        let is_number =
            |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
        let numbered = marker.rsplit_once('#').filter(|(_, end)| is_number(end));
        let (text, number) = match numbered {
            Some((text, number)) => {
                let number = number.parse().ok().filter(|&number: &usize| number > 0);
                (text, number.ok_or_else(invalid)?)
            }
            None => (marker, 1),
        };
        if text.is_empty() {
            return Err(invalid());
        }
        let text = text.to_owned();
        Ok(At::Marker { text, number })
    }
}

/// Parses a number, or a time such as `500ms` or `1:30`, and returns it in seconds. The result may be infinite or NaN.
/// Returns `None` for other texts.
fn seconds(text: &str) -> Option<f64> {
    let text = text.trim();
    let with_unit = || {
        // The shortest decimal number of the 32-bit float is the number in the text, unless it has many digits.
        let time = signed_seconds(text)?;
        time.to_string().parse().ok()
    };
    text.parse().ok().or_else(with_unit)
}

/// Writes the text that parses as the place.
impl fmt::Display for At {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            At::Seconds(seconds) => write!(f, "{seconds}"),
            At::LslTime(seconds) => write!(f, "lsl:{seconds}"),
            At::Marker { text, number } => {
                // A text that looks like a time needs a prefix, and a text with a `#` its number.
                let is_plain = !text.starts_with("lsl:")
                    && !text.starts_with("marker:")
                    && seconds(text).is_none();
                let prefix = if is_plain { "" } else { "marker:" };
                match number {
                    1 if !text.contains('#') => write!(f, "{prefix}{text}"),
                    number => write!(f, "{prefix}{text}#{number}"),
                }
            }
        }
    }
}

/// The largest time in seconds. Double precision resolves it to two microseconds.
const MAX_TIME: f64 = 1e10;

/// Copies an XDF file to `output`, and appends the streams of a recording to it. The bytes of the existing file stay
/// the same. `at` is the time in the file at which the recording is added. `reading` are the options with which the
/// existing file is read: its limits, mappings of `marker`, which select the streams in which the marker is searched,
/// [`pauses`](ReadOptions::pauses) and [`keep_jitter`](ReadOptions::keep_jitter).
///
/// The streams of the recording get ids that no stream of the file has. Their time stamps are times of the clock of the
/// recorder, and their clock offsets are 0. The report states the time of the zero of the recording.
///
/// # Errors
/// Fails when `existing` is not XDF, is compressed, exceeds the limits of `reading`, or is damaged at its end, when
/// it lacks the marker or the samples that `at` refers to, when the time is too large, when the recording cannot be
/// sampled, or when `output` fails.
///
/// ```
/// use inputanim::{Layout, Marker, Pose, Recording};
/// use inputanim_convert::xdf::{self, At};
/// use inputanim_convert::{Format, ReadOptions, WriteOptions, write};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
/// recording.markers.push(Marker::new(0.5, "start"));
/// // A file of a laboratory with the same marker.
/// let options = WriteOptions::default();
/// let mut lab = Vec::new();
/// write(Format::Xdf, &recording, &options, &mut lab)?;
/// let mut both = Vec::new();
/// let at: At = "start".parse()?;
/// xdf::append(&lab, &ReadOptions::default(), &recording, &at, &options, &mut both)?;
/// assert!(both.starts_with(&lab));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn append(
    existing: &[u8],
    reading: &ReadOptions,
    recording: &Recording<'_>,
    at: &At,
    options: &WriteOptions,
    output: impl Write,
) -> Result<Report, Error> {
    if existing.starts_with(&GZIP) {
        return Err(XdfError::AppendToCompressed.into());
    }
    let file = XdfFile::parse(existing, &reading.limits)?;
    let damage = &file.damage;
    if damage.is_at_end || existing.len() == MAGIC.len() {
        let damage = damage.to_string();
        return Err(XdfError::DamagedEnd { damage }.into());
    }
    let writer = RecordingWriter::new(recording, options)?;
    let lab = Lab::new(&file, reading)?;
    let (zero, note) = lab.zero(at, &writer)?;
    if zero.is_nan() || zero.abs() > MAX_TIME {
        return Err(XdfError::Time { seconds: zero }.into());
    }
    let used: HashSet<u32> = file.streams.iter().map(|stream| stream.header.id).collect();
    // New ids are larger than the ids of the file, unless a file has the largest one.
    let first = used
        .iter()
        .max()
        .map_or(1, |&id| id.checked_add(1).unwrap_or(1));
    let ids = (first..=u32::MAX)
        .chain(1..first)
        .filter(|id| !used.contains(id));
    let mut output = Output::new(output);
    output.raw(existing)?;
    output.boundary()?;
    let mut report = writer.write(zero, ids, &mut output)?;
    output.flush()?;
    report.note(NoteKind::TimeShift, note);
    if damage.places > 0 {
        let message = format!("the existing file is damaged, at {damage}");
        report.lose(LossKind::Damage, damage.places, message);
    }
    Ok(report)
}

/// An existing file and how it is read.
pub(super) struct Lab<'f, 'a> {
    file: &'f XdfFile<'a>,
    reading: &'f ReadOptions,
    /// The streams of markers of other programs, and those of recordings that this library wrote.
    markers: [Vec<MarkerStream>; 2],
}

impl<'f, 'a> Lab<'f, 'a> {
    /// Fails if a mapping of `marker` names no stream.
    pub(super) fn new(
        file: &'f XdfFile<'a>,
        reading: &'f ReadOptions,
    ) -> Result<Lab<'f, 'a>, XdfError> {
        let mapped = plan::mapped_markers(file, &reading.mappings)?;
        let markers = if mapped.is_empty() {
            [false, true].map(|is_written| {
                let all = plan::all_markers(file);
                let is_one = |marker: &MarkerStream| {
                    let header = &file.streams[marker.stream].header;
                    header.written.is_some() == is_written
                };
                all.filter(is_one).collect()
            })
        } else {
            [mapped, Vec::new()]
        };
        Ok(Lab {
            file,
            reading,
            markers,
        })
    }

    fn stream(&self, marker: &MarkerStream) -> &'f Stream<'a> {
        &self.file.streams[marker.stream]
    }

    fn texts(&self, marker: &MarkerStream) -> impl Iterator<Item = String> + use<'f, 'a> {
        let (stream, channel) = (self.stream(marker), marker.channel);
        let chunks = stream.chunks.iter();
        let samples = chunks.flat_map(|chunk| chunk.samples(&stream.header));
        samples.map(move |sample| text_of(stream, sample.values, channel))
    }

    /// Returns the time of the file, in seconds, at which the recording has its time 0, and a note about it. Fails if the
    /// file lacks the marker or the samples that `at` refers to.
    fn zero(&self, at: &At, writer: &RecordingWriter<'_>) -> Result<(f64, String), Error> {
        match at {
            At::Seconds(seconds) => {
                let range = self.sample_range().ok_or(XdfError::NoSamples)?;
                let zero = range.0 + seconds;
                let note = format!(
                    "t = 0 is {seconds} s after the first sample of the file, at {} s of its clock{}{}",
                    rounded(zero),
                    outside(zero, Some(range)),
                    self.other_reading(*seconds)
                );
                Ok((zero, note))
            }
            At::LslTime(zero) => {
                let note = format!(
                    "t = 0 is at {} s of the clock of the file{}",
                    rounded(*zero),
                    outside(*zero, self.sample_range())
                );
                Ok((*zero, note))
            }
            At::Marker { text, number } => {
                let found = self.marker(text, *number)?;
                let found = found.ok_or_else(|| self.no_marker(text, *number))?;
                let stream = self.file.label(found.stream);
                let mut place = format!("the marker {text:?} of {stream}");
                if found.count > 1 {
                    place = format!("{place} (number {number} of {})", found.count);
                }
                let own = writer.marker(text);
                let zero = found.time - f64::from(own.unwrap_or(0.0));
                let clock = format!("{} s of the clock of the file", rounded(zero));
                let note = match own {
                    Some(time) => format!(
                        "the marker {text:?} of the recording, at {time} s, is at {place}. \
                         The t = 0 of the recording is at {clock}"
                    ),
                    None => format!(
                        "the recording has no marker {text:?}. Its t = 0 is at {place}, at {clock}"
                    ),
                };
                Ok((zero, note))
            }
        }
    }

    /// Returns the earliest and the latest time of a sample in all streams, in seconds; `None` if the file has no samples.
    pub(super) fn sample_range(&self) -> Option<(f64, f64)> {
        let hull = |a: (f64, f64), b: (f64, f64)| (a.0.min(b.0), a.1.max(b.1));
        let ranges = self.file.streams.iter().filter_map(|stream| {
            // The times of one stream at a time are in memory.
            let times = StreamTimes::of(stream, self.reading).times.into_iter();
            let times = times.filter(|time| time.is_finite());
            times.map(|time| (time, time)).reduce(hull)
        });
        ranges.reduce(hull)
    }

    /// Returns the end of a note: a remark if the file has a marker whose text is the number `time`, because the user may
    /// mean this marker, otherwise an empty text. Streams with more markers than the limit are not searched.
    fn other_reading(&self, time: f64) -> String {
        for stream in self.markers.iter().flatten() {
            if self.stream(stream).samples() as u64 > self.reading.limits.max_markers {
                continue;
            }
            let found = self.texts(stream).find(|text| seconds(text) == Some(time));
            if let Some(text) = found {
                let marker = At::Marker {
                    text: text.clone(),
                    number: 1,
                };
                return format!(
                    "; `--at {marker}` selects the marker \"{text}\" of {}",
                    self.file.label(stream.stream)
                );
            }
        }
        String::new()
    }

    /// Finds the marker with a text and a number; `None` if there is no such marker. The number counts the markers with
    /// this text in order of time, from 1 on. Markers of recordings that this library wrote are counted separately, and
    /// only if no other stream has a marker with this text and number.
    fn marker(&self, text: &str, number: usize) -> Result<Option<FoundMarker>, Error> {
        for streams in &self.markers {
            let mut found = Vec::new();
            for source in streams {
                let (index, stream) = (source.stream, self.stream(source));
                let most = self.reading.limits.max_markers;
                check_limit(stream.samples() as u64, most, "markers")?;
                let times = StreamTimes::of(stream, self.reading).times;
                let texts = self.texts(source).zip(times);
                let matching = texts.filter(|(found, time)| found == text && time.is_finite());
                found.extend(matching.map(|(_, time)| (index, time)));
            }
            found.sort_by(|(_, a), (_, b)| a.total_cmp(b));
            let count = found.len();
            let found = number.checked_sub(1).and_then(|index| found.get(index));
            if let Some(&(stream, time)) = found {
                return Ok(Some(FoundMarker {
                    stream,
                    time,
                    count,
                }));
            }
        }
        Ok(None)
    }

    /// Returns the times and texts of all markers whose time is finite, and the names of their streams. Markers of recordings that
    /// this library wrote are returned only if there are no others.
    #[allow(clippy::type_complexity, reason = "the pair has no other use")]
    pub(super) fn all_markers(&self) -> Result<(Vec<(f64, String)>, Vec<String>), Error> {
        let limits = &self.reading.limits;
        let (mut found, mut names) = (Vec::new(), Vec::new());
        let mut bytes = 0;
        for source in self
            .markers
            .iter()
            .find(|streams| !streams.is_empty())
            .into_iter()
            .flatten()
        {
            let stream = self.stream(source);
            let count = found.len() as u64 + stream.samples() as u64;
            check_limit(count, limits.max_markers, "markers")?;
            names.push(self.file.label(source.stream));
            let times = StreamTimes::of(stream, self.reading).times;
            for (text, time) in self.texts(source).zip(times) {
                // A sample of several texts is a marker if one of them is not empty.
                if !time.is_finite() || text.is_empty() && stream.header.channels > 1 {
                    continue;
                }
                bytes += text.len() as u64;
                check_limit(bytes, limits.max_bytes, "bytes of markers")?;
                found.push((time, text));
            }
        }
        Ok((found, names))
    }

    /// Returns the error for a marker that is not in the file. It lists the texts of the markers in the file.
    fn no_marker(&self, text: &str, number: usize) -> XdfError {
        const LETTERS: usize = 60;
        let mut known = HashSet::new();
        let mut markers: Vec<String> = Vec::new();
        let streams = self.markers.iter().flatten();
        for text in streams.flat_map(|stream| self.texts(stream)) {
            let text: String = text.chars().take(LETTERS).collect();
            if known.insert(text.clone()) {
                markers.push(text);
            }
        }
        if markers.is_empty() {
            return XdfError::NoMarkers {
                streams: plan::describe(self.file),
            };
        }
        XdfError::NoMarker {
            text: text.to_owned(),
            number,
            markers,
        }
    }
}

/// Returns the end of a note: a remark if the time `zero` is before the first or after the last sample of a file,
/// otherwise an empty text. `range` has the times of these samples. All times are in seconds.
fn outside(zero: f64, range: Option<(f64, f64)>) -> String {
    match range {
        Some((first, _)) if zero < first => {
            format!(
                ", before the first sample of the file at {} s",
                rounded(first)
            )
        }
        Some((_, last)) if zero > last => {
            format!(", after the last sample of the file at {} s", rounded(last))
        }
        _ => String::new(),
    }
}

/// A marker of a file.
struct FoundMarker {
    /// The index of the stream.
    stream: usize,
    time: f64,
    /// The number of markers with the same text.
    count: usize,
}
