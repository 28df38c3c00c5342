//! Writes a recording as JSON.

use std::collections::BTreeMap;
use std::io::{self, Write};

use inputanim::{BooleanKey, Curve, Device, FullKey, Keys, Recording, SimpleKey};
use serde::ser::{Serialize, SerializeSeq, Serializer};

use super::{FORMAT, VERSIONS};
use crate::shared::layout::in_layout;
use crate::shared::number::Number;
use crate::shared::{Error, Report, WriteOptions};

/// Writes a recording as lossless JSON, one line per curve and marker, in the layout of the options, or else its own
/// layout. Fails if the layout cannot represent content of the recording, unless the options allow the loss.
pub(crate) fn write(
    recording: &Recording<'_>,
    options: &WriteOptions,
    mut output: impl Write,
) -> Result<Report, Error> {
    let (recording, report) = in_layout(recording, options)?;
    write_document(&recording, &mut output)?;
    Ok(report)
}

fn write_document(recording: &Recording<'_>, output: &mut impl Write) -> io::Result<()> {
    let layout = recording.layout;
    // `diff` needs one line per curve. The outer object is therefore written by hand: serde_json would write either
    // everything on one line, or every number on a line of its own.
    writeln!(output, "{{")?;
    writeln!(output, "  \"format\": \"{FORMAT}\",")?;
    let (known, about) = (&recording.known, &recording.about);
    let has_devices = !recording.devices.is_empty();
    let version = if has_devices {
        VERSIONS[2]
    } else {
        VERSIONS[usize::from(!(known.is_complete() && about.is_empty()))]
    };
    writeln!(output, "  \"version\": {version},")?;
    writeln!(output, "  \"layout\": \"{layout}\",")?;
    if layout.has_flags() {
        let [head, hand, gaze] = recording.flag_bytes();
        writeln!(
            output,
            "  \"flags\": {{\"head\": {head}, \"hand\": {hand}, \"gaze\": {gaze}}},"
        )?;
    }
    if !about.is_empty() {
        let texts: BTreeMap<&str, &str> = about.iter().collect();
        write!(output, "  \"about\": ")?;
        serde_json::to_writer(&mut *output, &texts)?;
        writeln!(output, ",")?;
    }
    let curves = recording.curves().map(|(path, curve)| {
        let (pre, post) = curve.wrap();
        CurveLine {
            curve: path.to_string(),
            pre_wrap: pre.0,
            post_wrap: post.0,
            kind: curve.kind_name(),
            keys: KeyRows(curve),
        }
    });
    let has_gaps = !known.is_complete();
    let has_more = has_gaps || layout.has_markers();
    write_lines(output, "curves", curves, has_devices || has_more)?;
    if has_devices {
        let devices = recording.devices.iter().map(DeviceLine::of);
        write_lines(output, "devices", devices, has_more)?;
    }
    if has_gaps {
        let gaps = known.iter().map(|(element, gaps)| GapLine {
            element: element.to_string(),
            unknown: gaps
                .iter()
                .map(|gap| [Number(gap.start), Number(gap.end)])
                .collect(),
        });
        write_lines(output, "gaps", gaps, layout.has_markers())?;
    }
    if layout.has_markers() {
        let markers = recording.markers.iter().map(|marker| MarkerLine {
            time: Number(marker.time),
            name: &marker.name,
        });
        write_lines(output, "markers", markers, false)?;
    }
    writeln!(output, "}}")?;
    Ok(())
}

fn write_lines<T: Serialize>(
    output: &mut impl Write,
    name: &str,
    items: impl Iterator<Item = T>,
    more_follows: bool,
) -> io::Result<()> {
    write!(output, "  \"{name}\": [")?;
    let mut separator = "\n    ";
    for item in items {
        output.write_all(separator.as_bytes())?;
        serde_json::to_writer(&mut *output, &item)?;
        separator = ",\n    ";
    }
    let comma = if more_follows { "," } else { "" };
    writeln!(output, "\n  ]{comma}")
}

#[derive(serde::Serialize)]
#[serde(rename_all = "camelCase")]
struct CurveLine<'r, 'a> {
    curve: String,
    pre_wrap: i32,
    post_wrap: i32,
    kind: &'static str,
    keys: KeyRows<'r, 'a>,
}

#[derive(serde::Serialize)]
struct DeviceLine<'r> {
    device: &'r str,
    profiles: Vec<(Number, bool, Option<&'r str>)>,
    haptics: Vec<PulseLine<'r>>,
}

/// The time, output, duration, frequency and amplitude of a haptic pulse.
type PulseLine<'r> = (Number, &'r str, Option<Number>, Option<Number>, Number);

impl<'r> DeviceLine<'r> {
    fn of(device: &'r Device<'_>) -> DeviceLine<'r> {
        let profiles = device.profiles.iter();
        let profiles = profiles.map(|change| {
            (
                Number(change.time),
                change.active,
                change.profile.as_deref(),
            )
        });
        let haptics = device.haptics.iter().map(|pulse| {
            (
                Number(pulse.time),
                pulse.output.as_str(),
                pulse.duration.map(Number),
                pulse.frequency.map(Number),
                Number(pulse.amplitude),
            )
        });
        DeviceLine {
            device: device.name.as_str(),
            profiles: profiles.collect(),
            haptics: haptics.collect(),
        }
    }
}

#[derive(serde::Serialize)]
struct GapLine {
    element: String,
    unknown: Vec<[Number; 2]>,
}

#[derive(serde::Serialize)]
struct MarkerLine<'r> {
    time: Number,
    name: &'r str,
}

struct KeyRows<'r, 'a>(Curve<'r, 'a>);

impl Serialize for KeyRows<'_, '_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut rows = serializer.serialize_seq(Some(self.0.len()))?;
        match self.0 {
            Curve::Boolean(curve) => curve
                .keys
                .iter()
                .try_for_each(|key: &BooleanKey| pair(&mut rows, key.time(), key.value())),
            Curve::Float(curve) => match &curve.keys {
                Keys::Simple(keys) => keys
                    .iter()
                    .try_for_each(|key: &SimpleKey| pair(&mut rows, key.time(), key.value())),
                Keys::Full(keys) => keys.iter().try_for_each(|key| full(&mut rows, key)),
            },
        }?;
        rows.end()
    }
}

fn pair<S: SerializeSeq>(rows: &mut S, time: f32, value: f32) -> Result<(), S::Error> {
    rows.serialize_element(&(Number(time), Number(value)))
}

fn full<S: SerializeSeq>(rows: &mut S, key: &FullKey) -> Result<(), S::Error> {
    rows.serialize_element(&(
        Number(key.time()),
        Number(key.value()),
        Number(key.in_tangent()),
        Number(key.out_tangent()),
        Number(key.in_weight()),
        Number(key.out_weight()),
        key.weighted_mode().0,
    ))
}
