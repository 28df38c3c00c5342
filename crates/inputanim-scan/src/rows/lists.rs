//! The lists of a recording as rows: findings, markers, curves, states and haptic pulses.

use std::sync::Arc;

use inputanim::doctor::{self, Finding};
use inputanim::info::{DeviceState, Info};
use inputanim::names::CurveChoice;
use inputanim::{
    CurvePath, DeviceName, Haptic, ParseError, Recording, RecoveredRecording, RelativeTimeRange,
    TimeRange,
};
use inputanim_convert::tables::{Batch, Column, DataType, Field, Values};
use serde_json::Value;

use super::{Computed, Damage, limited, selected};
use crate::epochs::{Epochs, RowSegments};
use crate::error::FileProblem;
use crate::options::ScanOptions;

/// The selected columns of a list.
#[derive(Clone, Debug)]
pub(crate) struct ListRows {
    list: List,
    time: Option<RelativeTimeRange>,
    curves: CurveChoice,
    indices: Vec<usize>,
}

/// The meaning of a row.
#[derive(Clone, Copy, Debug)]
pub(crate) enum List {
    Findings,
    Markers,
    Curves,
    States,
    Haptics,
}

impl ListRows {
    pub(crate) fn new(list: List, options: &ScanOptions, curves: CurveChoice) -> ListRows {
        ListRows {
            list,
            time: options.time,
            curves,
            indices: (0..list.fields().len()).collect(),
        }
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
        selected(self.list.fields(), &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        self.indices = indices.to_vec();
    }

    pub(crate) fn are_findings(&self) -> bool {
        matches!(self.list, List::Findings)
    }

    /// Returns the findings of a recording as rows, the most severe first. Parts of the recording may be missing,
    /// because its file is damaged.
    pub(crate) fn findings(&self, recovered: &RecoveredRecording<'_>) -> Batch {
        self.chosen(findings_of(recovered))
    }

    /// Returns the findings that a catalogue has, in the text of the first column; `None` if the text has none.
    pub(crate) fn known_findings(&self, columns: &[Column]) -> Option<Batch> {
        let [
            Column {
                values: Values::Text(runs),
                ..
            },
        ] = columns
        else {
            return None;
        };
        let list = runs.first()?.text.as_deref()?;
        Some(self.chosen(known_findings(list)?))
    }

    /// Returns a row with the finding for a file of which no part is intact; `None` if the error has no code.
    pub(crate) fn error(&self, error: &ParseError) -> Option<Batch> {
        let finding = Finding::from_error(error)?;
        Some(self.chosen(findings(&[finding])))
    }

    /// Returns the rows of this list (such as the markers) for a recording, within the time range of the scan or in
    /// each of its segments. The result contains `damage` unchanged. Fails if the recording is outside the time range.
    pub(crate) fn rows(
        &self,
        recording: &Recording<'_>,
        damage: Damage,
        epochs: Option<Arc<Epochs>>,
    ) -> Result<Computed, FileProblem> {
        let mut notices = Vec::new();
        let time = limited(self.time, recording, &mut notices)?;
        let list = |time: Option<TimeRange>| match self.list {
            List::Findings => findings_of(&RecoveredRecording::from(recording.clone())),
            List::Markers => markers(recording, time),
            List::Curves => curves(recording, &self.curves, time),
            List::States => states(recording, &self.curves, time),
            List::Haptics => haptics(recording, &self.curves, time),
        };
        let (rows, segments) = match epochs {
            None => (self.chosen(list(time)), None),
            Some(epochs) => {
                let (mut rows, fields) = (Batch::default(), self.fields());
                let mut segments = RowSegments::new(Arc::clone(&epochs));
                for (index, epoch) in epochs.all.iter().enumerate() {
                    let (count, columns) = list(Some(epoch.range()));
                    // Only markers and pulses have a time; other rows have two.
                    match columns.get(1).map(|column| &column.values) {
                        Some(Values::Float32(times)) => {
                            segments.push_times(index, times.iter().copied().map(Some));
                        }
                        _ => segments.push(index, count, None),
                    }
                    rows.append(self.chosen((count, columns)), &fields);
                }
                (rows, Some(segments))
            }
        };
        Ok(Computed {
            rows,
            segments,
            damage,
            notices,
        })
    }

    /// Returns a batch of the selected columns. The argument is the number of rows and all columns.
    fn chosen(&self, (rows, columns): (usize, Vec<Column>)) -> Batch {
        let chosen = self.indices.iter().map(|&index| columns[index].clone());
        Batch::new(rows, chosen.collect())
    }
}

impl List {
    /// Returns all columns of the list.
    fn fields(self) -> Vec<Field> {
        let text = |name, meaning| Field::new(name, DataType::Text, meaning).required();
        let number = |name, meaning| Field::new(name, DataType::Int64, meaning).required();
        let mode = |name, meaning| Field::new(name, DataType::Int32, meaning).required();
        let time = |name, meaning| Field::new(name, DataType::Float32, meaning).with_unit("s");
        match self {
            List::Findings => vec![
                text("code", "Code of the finding (docs/findings.md)."),
                text("severity", "Severity: `damage`, `warning` or `note`."),
                number("count", "Number of occurrences.").with_unit("1"),
                time("start_s", "Time of the first occurrence."),
                time("end_s", "Time of the last occurrence."),
                text("message", "Title and details."),
            ],
            List::Markers => vec![
                number("index", "Index of the marker in the file, from 0."),
                time("time_s", "Time of the marker.").required(),
                text("name", "Name of the marker."),
            ],
            List::Curves => vec![
                text(
                    "curve",
                    "Name of the curve, such as `left.Palm.position.x`.",
                ),
                text("kind", "Kind of the keys: `simple`, `full` or `boolean`."),
                mode(
                    "pre_wrap",
                    "Wrap mode before the first key (docs/format.md, 3.5).",
                ),
                mode(
                    "post_wrap",
                    "Wrap mode after the last key (docs/format.md, 3.5).",
                ),
                number("keys", "Number of keys.").with_unit("1"),
                time("first_s", "Time of the first key; missing without keys."),
                time("last_s", "Time of the last key; missing without keys."),
            ],
            List::Haptics => vec![
                text("device", "Device, such as `right.controller`."),
                time("time_s", "Time of the pulse.").required(),
                text("output", "The part that vibrates, such as `haptic`."),
                time(
                    "duration_s",
                    "Duration; missing for the shortest that the device has.",
                ),
                Field::new(
                    "frequency_hz",
                    DataType::Float32,
                    "Frequency; missing if the device chooses it.",
                )
                .with_unit("Hz"),
                Field::new(
                    "amplitude",
                    DataType::Float32,
                    "Amplitude, 0 to 1; 0 stops a vibration.",
                )
                .with_unit("1")
                .required(),
            ],
            List::States => vec![
                text(
                    "hand",
                    "Hand: `left` or `right`; or a device, such as `right.controller`.",
                ),
                text(
                    "state",
                    "State: `tracked` or `pinching`; of a device, the profile that it has while it is active, `active` if the profile is \
                     not known, or the input that is on, such as `a.click`.",
                ),
                time("start_s", "Time from which the state is on.").required(),
                time("end_s", "Time until which the state is on.").required(),
            ],
        }
    }
}

/// Returns the number of findings of a recording, and all columns of the list of findings. Parts of the recording may
/// be missing, because its file is damaged.
fn findings_of(recovered: &RecoveredRecording<'_>) -> (usize, Vec<Column>) {
    let info = Info::of(&recovered.recording);
    findings(&doctor::findings_of_recovery(recovered, &info))
}

fn findings(findings: &[Finding]) -> (usize, Vec<Column>) {
    let list = findings.iter();
    let starts = list
        .clone()
        .map(|found| found.range().map(|range| range.start));
    let ends = list
        .clone()
        .map(|found| found.range().map(|range| range.end));
    let columns = vec![
        Column::texts(list.clone().map(|found| Some(found.code.id()))),
        Column::texts(list.clone().map(|found| Some(found.severity().name()))),
        Column::longs(list.clone().map(|found| Some(found.count as i64))),
        Column::floats(starts),
        Column::floats(ends),
        Column::texts(list.map(|found| Some(found.message()))),
    ];
    (findings.len(), columns)
}

/// Returns findings as the text of a JSON array of objects with the columns of the list. Times that JSON cannot represent are
/// texts.
#[cfg(feature = "catalog")]
pub(crate) fn findings_json(findings: &[Finding]) -> String {
    let time = |time: f32| match time.is_finite() {
        true => Value::from(f64::from(time)),
        false => Value::from(time.to_string()),
    };
    let objects = findings.iter().map(|finding| {
        let range = finding.range();
        serde_json::json!({
            "code": finding.code.id(),
            "severity": finding.severity().name(),
            "count": finding.count,
            "start_s": range.map(|range| time(range.start)),
            "end_s": range.map(|range| time(range.end)),
            "message": finding.message(),
        })
    });
    Value::Array(objects.collect()).to_string()
}

/// Returns the number of findings in the text of [`findings_json`], and all columns of the list; `None` if the text is not such an
/// array.
fn known_findings(list: &str) -> Option<(usize, Vec<Column>)> {
    let list: Vec<Value> = serde_json::from_str(list).ok()?;
    let texts = |name: &str| {
        let texts = list.iter().map(|finding| finding[name].as_str().map(Some));
        Some(Column::texts(texts.collect::<Option<Vec<_>>>()?))
    };
    let times = |name: &str| {
        let times = list.iter().map(|finding| match &finding[name] {
            Value::Null => Some(None),
            Value::String(text) => text.parse().ok().map(Some),
            number => number.as_f64().map(|number| Some(number as f32)),
        });
        Some(Column::floats(times.collect::<Option<Vec<_>>>()?))
    };
    let counts = list
        .iter()
        .map(|finding| finding["count"].as_i64().map(Some));
    let columns = vec![
        texts("code")?,
        texts("severity")?,
        Column::longs(counts.collect::<Option<Vec<_>>>()?),
        times("start_s")?,
        times("end_s")?,
        texts("message")?,
    ];
    Some((list.len(), columns))
}

/// Returns the number of markers in a time range, and all columns of the list of these markers, with one row each. The
/// rows are in the order of the file.
fn markers(recording: &Recording<'_>, time: Option<TimeRange>) -> (usize, Vec<Column>) {
    let markers = recording.markers.iter().enumerate();
    let markers: Vec<_> = markers
        .filter(|(_, marker)| is_within(marker.time, time))
        .collect();
    let list = markers.iter();
    let columns = vec![
        Column::longs(list.clone().map(|(index, _)| Some(*index as i64))),
        Column::floats(list.clone().map(|(_, marker)| Some(marker.time))),
        Column::texts(list.map(|(_, marker)| Some(&*marker.name))),
    ];
    (markers.len(), columns)
}

/// Returns the number of curves in `choice`, and all columns of the list of curves, in file order. Only the keys in the
/// time range count.
fn curves(
    recording: &Recording<'_>,
    choice: &CurveChoice,
    time: Option<TimeRange>,
) -> (usize, Vec<Column>) {
    let chosen = recording
        .curves()
        .filter(|(path, _)| choice.contains(*path));
    let curves = chosen.map(|(path, curve)| {
        let times = curve.points().map(|(time, _)| time);
        let times: Vec<f32> = times.filter(|found| is_within(*found, time)).collect();
        // Keys may be in any order (docs/format.md 3.6). These are the ends of the list, as it is stored.
        (
            path,
            curve,
            times.len(),
            times.first().copied(),
            times.last().copied(),
        )
    });
    let curves: Vec<_> = curves.collect();
    let list = curves.iter();
    let columns = vec![
        Column::texts(list.clone().map(|(path, ..)| Some(path.to_string()))),
        Column::texts(list.clone().map(|(_, curve, ..)| Some(curve.kind_name()))),
        Column::integers(list.clone().map(|(_, curve, ..)| Some(curve.wrap().0.0))),
        Column::integers(list.clone().map(|(_, curve, ..)| Some(curve.wrap().1.0))),
        Column::longs(list.clone().map(|(_, _, keys, ..)| Some(*keys as i64))),
        Column::floats(list.clone().map(|(_, _, _, first, _)| *first)),
        Column::floats(list.map(|(_, _, _, _, last)| *last)),
    ];
    (curves.len(), columns)
}

/// Returns the number of states in `choice` that overlap a time range, and all columns of the list of states. The
/// states of the left hand come first. A state keeps its own start and end, because half a state would hide when it
/// began.
fn states(
    recording: &Recording<'_>,
    choice: &CurveChoice,
    time: Option<TimeRange>,
) -> (usize, Vec<Column>) {
    let info = Info::of(recording);
    let overlaps = |range: TimeRange| time.is_none_or(|time| time.intersection(range).is_some());
    let states = info
        .states()
        .filter(|(path, range)| choice.contains(*path) && overlaps(*range));
    let hands = states.map(|(path, range)| {
        // `left.pinching`
        let name = path.to_string();
        let (hand, state) = name.split_once('.').unwrap_or_default();
        (hand.to_owned(), state.to_owned(), range)
    });
    let devices = Info::device_states(recording).into_iter();
    let devices = devices.filter(|(device, state, range)| {
        let is_chosen = match state {
            DeviceState::Active(_) => has_device(recording, *device, choice),
            DeviceState::On(input) => choice.contains(CurvePath::Input(*device, *input)),
        };
        is_chosen && overlaps(*range)
    });
    let devices =
        devices.map(|(device, state, range)| (device.to_string(), state.to_string(), range));
    let states: Vec<(String, String, TimeRange)> = hands.chain(devices).collect();
    let list = states.iter();
    let columns = vec![
        Column::texts(list.clone().map(|(hand, ..)| Some(&**hand))),
        Column::texts(list.clone().map(|(_, state, _)| Some(&**state))),
        Column::floats(list.clone().map(|(.., range)| Some(range.start))),
        Column::floats(list.map(|(.., range)| Some(range.end))),
    ];
    (states.len(), columns)
}

/// Returns `true` if a choice has a curve of a device. A device without curves is only left out by names of others.
fn has_device(recording: &Recording<'_>, name: DeviceName, choice: &CurveChoice) -> bool {
    let device = recording.devices.iter().find(|device| device.name == name);
    device.is_some_and(|device| {
        let mut curves = device.curves().peekable();
        curves.peek().is_none() || curves.any(|(path, _)| choice.contains(path))
    })
}

/// Returns the number of haptic pulses in a time range of the devices that have a curve in `choice`, and all columns of their list.
fn haptics(
    recording: &Recording<'_>,
    choice: &CurveChoice,
    time: Option<TimeRange>,
) -> (usize, Vec<Column>) {
    let devices = recording.devices.iter();
    let devices = devices.filter(|device| has_device(recording, device.name, choice));
    let pulses = devices.flat_map(|device| {
        let pulses = device.haptics.iter().map(|pulse| (device.name, *pulse));
        pulses.filter(|(_, pulse)| is_within(pulse.time, time))
    });
    let pulses: Vec<(DeviceName, Haptic)> = pulses.collect();
    let list = pulses.iter();
    let columns = vec![
        Column::texts(list.clone().map(|(device, _)| Some(device.as_str()))),
        Column::floats(list.clone().map(|(_, pulse)| Some(pulse.time))),
        Column::texts(list.clone().map(|(_, pulse)| Some(pulse.output.as_str()))),
        Column::floats(list.clone().map(|(_, pulse)| pulse.duration)),
        Column::floats(list.clone().map(|(_, pulse)| pulse.frequency)),
        Column::floats(list.map(|(_, pulse)| Some(pulse.amplitude))),
    ];
    (pulses.len(), columns)
}

fn is_within(time: f32, range: Option<TimeRange>) -> bool {
    range.is_none_or(|range| range.contains(time))
}
