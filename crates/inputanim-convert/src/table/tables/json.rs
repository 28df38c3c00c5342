//! Tables as newline-delimited JSON.
//!
//! A line of a wide table is a frame as in [`frames`](crate::frames). A line of a table of keys is an object. Its
//! members have the names of the columns, and empty cells are omitted. Numbers that are not finite are strings, as in
//! [JSON](crate::json).

use std::borrow::Cow;

use inputanim::Recording;
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::keys::{KeyCollector, KeyRow, Kind, Subject, column};
use super::{Place, frame_options, ignores_unknown, recorder, refuse_for_keys};
use crate::shared::number::Number;
use crate::shared::{Error, ReadOptions, Report};
use crate::table::frames::TextFormat;
use crate::table::frames::json::object;
use crate::table::frames::values::UnknownNames;
use crate::table::recording_filter::RecordingFilter;
use crate::table::table_error::{KEY_COLUMNS, TableError};
use crate::table::text::Objects;

/// A row of a table of keys, with the names of [`column`].
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub(super) struct KeyObject<'l> {
    /// The name of the recording, in a table of several recordings. It is read but not written.
    #[serde(skip_serializing, borrow)]
    recording: Option<Cow<'l, str>>,
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    curve: Option<Cow<'l, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    time_s: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    value: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_tangent: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_tangent: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    in_weight: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    out_weight: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    weighted_mode: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    kind: Option<Cow<'l, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pre_wrap: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    post_wrap: Option<i32>,
    #[serde(skip_serializing_if = "Option::is_none", borrow)]
    name: Option<Cow<'l, str>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    duration_s: Option<Number>,
    #[serde(skip_serializing_if = "Option::is_none")]
    frequency_hz: Option<Number>,
}

impl<'l> From<&KeyRow<'l>> for KeyObject<'l> {
    fn from(row: &KeyRow<'l>) -> KeyObject<'l> {
        let [in_tangent, out_tangent, in_weight, out_weight] =
            row.slopes.map(|slope| slope.map(Number));
        let [pre_wrap, post_wrap] = row.wrap;
        let [duration_s, frequency_hz] = row.pulse.map(|number| number.map(Number));
        KeyObject {
            recording: None,
            curve: row.curve.map(|path| path.to_string().into()),
            time_s: row.time.map(Number),
            value: row.value.map(Number),
            in_tangent,
            out_tangent,
            in_weight,
            out_weight,
            weighted_mode: row.weighted_mode,
            kind: row.kind.map(|kind| kind.name().into()),
            pre_wrap,
            post_wrap,
            name: row.name.map(Cow::Borrowed),
            duration_s,
            frequency_hz,
        }
    }
}

impl KeyObject<'_> {
    fn row(&self, place: Place) -> Result<KeyRow<'_>, TableError> {
        let number = |number: Option<Number>| number.map(|Number(number)| number);
        let kind = self.kind.as_ref().map(|name| {
            let wrong = || TableError::value(place, column::KIND, Kind::LIST, name);
            Kind::find(name).ok_or_else(wrong)
        });
        let kind = kind.transpose()?;
        let curve = self.curve.as_ref();
        let curve = curve.map(|name| Subject::parse(place, name, kind));
        Ok(KeyRow {
            curve: curve.transpose()?,
            time: number(self.time_s),
            value: number(self.value),
            slopes: [
                number(self.in_tangent),
                number(self.out_tangent),
                number(self.in_weight),
                number(self.out_weight),
            ],
            weighted_mode: self.weighted_mode,
            kind,
            wrap: [self.pre_wrap, self.post_wrap],
            name: self.name.as_deref(),
            pulse: [number(self.duration_s), number(self.frequency_hz)],
        })
    }
}

/// The members of the first line that determine the shape of the table.
#[derive(Default, Deserialize)]
#[serde(default)]
struct Probe {
    curve: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
    joint: Option<IgnoredAny>,
    position_x: Option<IgnoredAny>,
}

/// Reads a recording from newline-delimited JSON that contains a wide table or a table of keys.
pub(super) fn read(
    text: &[u8],
    options: &ReadOptions,
) -> Result<(Recording<'static>, Report), Error> {
    // If the first object is not valid, the reader of frames reports the error with its place.
    let mut objects = Objects::new(text, text.len());
    let is_there = objects.advance().unwrap_or_default();
    let first = objects.text().ok().filter(|_| is_there);
    let probe = first.and_then(|first| serde_json::from_str::<Probe>(first).ok());
    let probe = probe.unwrap_or_default();
    if probe.joint.is_some() && probe.position_x.is_some() {
        return Err(TableError::Tidy.into());
    }
    if probe.curve.is_some() || probe.kind.is_some() {
        return read_keys(text, options);
    }
    let mut frames = frame_options(options);
    // The text is in memory already, so a line needs no limit of its own.
    frames.max_line = text.len();
    recorder::read(text, TextFormat::Ndjson, &frames, options)
}

fn read_keys(text: &[u8], options: &ReadOptions) -> Result<(Recording<'static>, Report), Error> {
    refuse_for_keys(options)?;
    let mut unknown = UnknownNames::new(ignores_unknown(options));
    let mut collector = KeyCollector::new(options);
    let mut recordings = RecordingFilter::new(options.recording.as_deref());
    let mut objects = Objects::new(text, text.len());
    while objects.advance()? {
        let row = object(&objects, &mut unknown, |_| KEY_COLUMNS, |_| column::all());
        let row: KeyObject<'_> = match row {
            Ok(row) => row,
            Err(error) => {
                collector.skip(error.into())?;
                continue;
            }
        };
        if recordings.selects_line(row.recording.as_deref())? {
            let place = objects.place();
            match row.row(place) {
                Ok(row) => collector.push(place, &row)?,
                Err(error) => collector.skip(error.into())?,
            }
        }
    }
    recordings.refuse_unknown()?;
    let mut report = Report::default();
    report.notes.extend(unknown.note());
    let recording = collector.finish(options, &mut report)?;
    Ok((recording, report))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_names_of_the_columns() {
        let full = KeyObject {
            recording: None,
            curve: Some("gaze.origin.x".into()),
            time_s: Some(Number(0.0)),
            value: Some(Number(0.0)),
            in_tangent: Some(Number(0.0)),
            out_tangent: Some(Number(0.0)),
            in_weight: Some(Number(0.0)),
            out_weight: Some(Number(0.0)),
            weighted_mode: Some(0),
            kind: Some("full".into()),
            pre_wrap: Some(8),
            post_wrap: Some(8),
            name: Some("".into()),
            duration_s: Some(Number(0.0)),
            frequency_hz: Some(Number(0.0)),
        };
        let text = serde_json::to_string(&full).unwrap();
        let members = text
            .split([',', '{'])
            .filter_map(|member| member.split_once("\":"));
        let names: Vec<&str> = members.map(|(name, _)| name.trim_matches('"')).collect();
        assert_eq!(names, column::ALL);
    }
}
