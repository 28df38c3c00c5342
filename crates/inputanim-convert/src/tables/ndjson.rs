//! Tables as newline-delimited JSON: an object a line.
//!
//! A wide table has a frame a line, as [`frames`] has it; a table of keys an object with
//! the names of its columns, without those that are empty. Numbers that are none are strings there, as
//! in [JSON](crate::json).

use std::borrow::Cow;
use std::io::Write;

use inputanim::{Curve, CurvePath, Recording};
use serde::de::IgnoredAny;
use serde::{Deserialize, Serialize};

use super::error::shown;
use super::keys::{Collector, Kind, Row, column};
use super::take::{Take, refuse_passed_over, refuse_utf_16, within};
use super::{
    Error, Loss, Options, Place, ReadOptions, Reading, Setting, Shape, instants, keys_out,
};
use crate::frames;
use crate::json::Number;
use crate::lines::utf_8;

/// Writes a recording as a table, with bounded memory, and says what text cannot hold.
///
/// Buffer `output` unless it is memory.
///
/// # Errors
/// When `output` fails, the recording cannot be played (wide), or it holds what its own layout cannot
/// (keys).
///
/// ```
/// use inputanim::{Layout, Recording};
/// use inputanim_convert::tables::{Options, Shape, ndjson};
/// let options = Options { shape: Shape::Keys, ..Options::default() };
/// let mut text = Vec::new();
/// ndjson::write(&Recording::new(Layout::Mrtk1_1), &options, &mut text)?;
/// assert!(text.starts_with(br#"{"kind":"layout","name":"mrtk-1.1"}"#));
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn write(
    recording: &Recording<'_>,
    options: &Options,
    mut output: impl Write,
) -> Result<Vec<Loss>, Error> {
    let losses = match options.shape {
        Shape::Wide => {
            let columns = instants::columns(recording, options);
            instants::rows(recording, options, &columns, |row| {
                write_line(&mut output, row)
            })?
        }
        Shape::Keys => {
            keys_out::rows(recording, |row| write_line(&mut output, &Line::from(row)))?;
            Vec::new()
        }
    };
    output.flush()?;
    Ok(losses)
}

fn write_line(output: &mut impl Write, line: &impl Serialize) -> Result<(), Error> {
    // It fails with the output alone.
    serde_json::to_writer(&mut *output, line).map_err(std::io::Error::from)?;
    Ok(output.write_all(b"\n")?)
}

/// A row of keys, under the names of [`column`].
#[derive(Default, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Line<'l> {
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
}

impl<'l> From<&Row<'l>> for Line<'l> {
    fn from(row: &Row<'l>) -> Line<'l> {
        let [in_tangent, out_tangent, in_weight, out_weight] =
            row.slopes.map(|slope| slope.map(Number));
        let [pre_wrap, post_wrap] = row.wrap;
        Line {
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
        }
    }
}

impl Line<'_> {
    fn row(&self, place: Place) -> Result<Row<'_>, Error> {
        let number = |number: Option<Number>| number.map(|Number(number)| number);
        let curve = self.curve.as_ref().map(|name| name.parse::<CurvePath>());
        let kind = self.kind.as_ref().map(|name| {
            Kind::find(name).ok_or_else(|| Error::Value {
                place,
                column: column::KIND.to_owned(),
                expected: Kind::LIST,
                found: shown(name),
            })
        });
        Ok(Row {
            curve: curve
                .transpose()
                .map_err(|source| Error::Curve { place, source })?,
            time: number(self.time_s),
            value: number(self.value),
            slopes: [
                number(self.in_tangent),
                number(self.out_tangent),
                number(self.in_weight),
                number(self.out_weight),
            ],
            weighted_mode: self.weighted_mode,
            kind: kind.transpose()?,
            wrap: [self.pre_wrap, self.post_wrap],
            name: self.name.as_deref(),
        })
    }
}

/// What tells a line of either shape from other JSON.
#[derive(Deserialize)]
struct Probe {
    time: Option<IgnoredAny>,
    time_s: Option<IgnoredAny>,
    curve: Option<IgnoredAny>,
    kind: Option<IgnoredAny>,
}

/// Longest line that is looked at: a frame has some twenty thousand bytes.
const LONGEST: usize = 1 << 20;

fn probe(text: &[u8]) -> Option<Probe> {
    let text = text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text);
    let text = &text[..text.len().min(LONGEST)];
    let mut lines = text.split(|byte| *byte == b'\n');
    let line = lines.find(|line| !line.trim_ascii().is_empty())?;
    serde_json::from_slice(line).ok()
}

/// Whether bytes look like a table of either shape.
///
/// ```
/// use inputanim_convert::tables::ndjson;
/// assert!(ndjson::is_ndjson(b"{\"time\":0.5}\n"));
/// assert!(!ndjson::is_ndjson(b"{\"format\":\"inputanim-json\"}"));
/// ```
pub fn is_ndjson(text: &[u8]) -> bool {
    let is_object = text.trim_ascii_start().starts_with(b"{");
    is_object && probe(text).is_some_and(|probe| probe.is_instant() || probe.is_keys())
}

impl Probe {
    fn is_keys(&self) -> bool {
        self.curve.is_some() || self.kind.is_some()
    }

    fn is_instant(&self) -> bool {
        self.time.is_some() || self.time_s.is_some()
    }

    /// Whether it names columns, as libraries of tables write them.
    fn is_flat(&self) -> bool {
        self.time_s.is_some() && self.time.is_none() && !self.is_keys()
    }
}

/// Reads a recording from a table of either shape.
///
/// # Errors
/// When the text is no such table, or a line cannot be part of a recording; the error says which one.
///
/// ```
/// use inputanim_convert::tables::{ReadOptions, ndjson};
/// let text = br#"{"time":0.5,"left":{"pinching":true}}"#;
/// let reading = ndjson::read(text, &ReadOptions::default())?;
/// assert_eq!(reading.recording.duration(), 0.5);
/// # Ok::<(), inputanim_convert::tables::Error>(())
/// ```
pub fn read(text: &[u8], options: &ReadOptions) -> Result<Reading, Error> {
    within(text.len() as u64, options.limits.max_bytes, "bytes")?;
    refuse_utf_16(text)?;
    options.refuse(&[Setting::Recording], "a table of one recording")?;
    match probe(text) {
        Some(probe) if probe.is_keys() => read_keys(text, options),
        Some(probe) if probe.is_flat() => Err(Error::Flat {
            place: Place::Line(1),
        }),
        _ => read_instants(text, options),
    }
}

fn read_instants(text: &[u8], options: &ReadOptions) -> Result<Reading, Error> {
    options.refuse(
        &[Setting::Mappings],
        "ndjson, whose members lie in each other",
    )?;
    let mut reader = frames::ndjson::Reader::with(text, &options.of_frames());
    let mut take = Take::new(None, None, options);
    while let Some(event) = reader.next() {
        take.event(Place::Line(reader.line()), event?)?;
    }
    let reading = take.finish();
    let recording = &reading.recording;
    let is_known = |(_, curve): (_, Curve<'_, '_>)| match curve {
        Curve::Float(curve) => !curve.keys.is_empty(),
        Curve::Boolean(curve) => curve.keys.iter().any(|key| key.is_on()),
    };
    if recording.markers.is_empty() && !recording.curves().any(is_known) {
        refuse_passed_over(reader.ignored())?;
    }
    Ok(reading)
}

fn read_keys(text: &[u8], options: &ReadOptions) -> Result<Reading, Error> {
    options.refuse_for_keys()?;
    let line = |line| Place::Line(line as u64);
    let text = utf_8(text).map_err(|found| Error::Encoding { place: line(found) })?;
    let mut collector = Collector::new(options.limits);
    for (index, text) in text.split('\n').enumerate() {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let place = line(index + 1);
        let known = options
            .ignores_unknown()
            .then(|| without_unknown(text))
            .flatten();
        let text = known.as_deref().unwrap_or(text);
        let row: Line<'_> = serde_json::from_str(text).map_err(|error| {
            // Its own line is always the first.
            let message = error.to_string().replace("line 1 column", "byte");
            Error::Json { place, message }
        })?;
        collector.push(place, &row.row(place)?)?;
    }
    Ok(collector.finish(options)?.into())
}

/// An object without the members that mean nothing here.
fn without_unknown(text: &str) -> Option<String> {
    let mut object: serde_json::Map<String, serde_json::Value> = serde_json::from_str(text).ok()?;
    object.retain(|name, _| column::ALL.contains(&name.as_str()));
    serde_json::to_string(&object).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_have_the_names_of_the_columns() {
        let full = Line {
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
        };
        let text = serde_json::to_string(&full).unwrap();
        let members = text
            .split([',', '{'])
            .filter_map(|member| member.split_once("\":"));
        let names: Vec<&str> = members.map(|(name, _)| name.trim_matches('"')).collect();
        assert_eq!(names, column::ALL);
    }
}
