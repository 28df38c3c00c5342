//! A recording as a row.

use inputanim::doctor::Finding;
use inputanim::info::{DeviceInfo, Info, StreamInfo};
use inputanim::{About, Layout, RecoveredRecording, Side, Stream, TimeRange, doctor};
use inputanim_convert::Format;
use inputanim_convert::tables::{Batch, Column, DataType, Field};

use super::{batch, selected};

/// The selected columns of information on recordings.
#[derive(Clone, Debug)]
pub(crate) struct InfoRows {
    indices: Vec<usize>,
}

/// A column with the streams whose statistics it contains.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Item {
    WellFormed,
    Format,
    Layout,
    Bytes,
    Keys,
    Duration,
    Start,
    End,
    StreamKeys(Stream),
    StreamRate(Stream),
    StreamGap(Stream),
    Tracked(Side),
    Pinches(Side),
    Devices,
    DeviceProfiles,
    DeviceInputs,
    HapticPulses,
    Markers,
    Findings,
    MissingParts,
    /// The text about the recording with this name.
    Text(&'static str),
}

/// The columns, in the order of `inputanim info --format csv`.
const ITEMS: [(&str, Item); 35] = {
    use Item::{
        Bytes, DeviceInputs, DeviceProfiles, Devices, Duration, End, Findings, Format,
        HapticPulses, Keys, Layout, Markers, MissingParts, Pinches, Start, StreamGap, StreamKeys,
        StreamRate, Text, Tracked, WellFormed,
    };
    let (left, right) = (Stream::Joints(Side::Left), Stream::Joints(Side::Right));
    [
        ("well_formed", WellFormed),
        ("format", Format),
        ("layout", Layout),
        ("bytes", Bytes),
        ("keys", Keys),
        ("duration_s", Duration),
        ("start_s", Start),
        ("end_s", End),
        ("head_keys", StreamKeys(Stream::Head)),
        ("head_per_s", StreamRate(Stream::Head)),
        ("head_gap_s", StreamGap(Stream::Head)),
        ("left_joint_keys", StreamKeys(left)),
        ("left_joints_per_s", StreamRate(left)),
        ("left_joints_gap_s", StreamGap(left)),
        ("left_tracked_s", Tracked(Side::Left)),
        ("left_pinches", Pinches(Side::Left)),
        ("right_joint_keys", StreamKeys(right)),
        ("right_joints_per_s", StreamRate(right)),
        ("right_joints_gap_s", StreamGap(right)),
        ("right_tracked_s", Tracked(Side::Right)),
        ("right_pinches", Pinches(Side::Right)),
        ("gaze_keys", StreamKeys(Stream::Gaze)),
        ("gaze_per_s", StreamRate(Stream::Gaze)),
        ("gaze_gap_s", StreamGap(Stream::Gaze)),
        ("devices", Devices),
        ("device_profiles", DeviceProfiles),
        ("device_inputs", DeviceInputs),
        ("haptic_pulses", HapticPulses),
        ("markers", Markers),
        ("findings", Findings),
        ("missing_parts", MissingParts),
        ("about_task", Text(About::TASK)),
        ("about_device", Text(About::DEVICE)),
        ("about_system", Text(About::SYSTEM)),
        ("about_program", Text(About::PROGRAM)),
    ]
};

impl Item {
    fn field(self, name: &'static str) -> Field {
        let count = |meaning: String| Field::new(name, DataType::Int64, meaning).with_unit("1");
        let float =
            |unit, meaning: String| Field::new(name, DataType::Float32, meaning).with_unit(unit);
        let of = |stream: Stream| match stream {
            Stream::Head => "the head".to_owned(),
            Stream::Joints(side) => format!("the joints of the {side} hand"),
            other => format!("the {other}"),
        };
        match self {
            Item::WellFormed => {
                Field::new(name, DataType::Boolean, "True if the file is well formed.")
            }
            Item::Format => Field::new(name, DataType::Text, "Format of the file."),
            Item::Layout => Field::new(name, DataType::Text, "Layout of the recording."),
            Item::Bytes => Field::new(name, DataType::Int64, "Size of the file.").with_unit("B"),
            Item::Keys => count("Number of keys of all curves.".to_owned()),
            Item::Duration => float("s", "Time that MRTK plays the recording.".to_owned()),
            Item::Start => float("s", "Time of the first key.".to_owned()),
            Item::End => float("s", "Time of the last key.".to_owned()),
            Item::StreamKeys(stream) => count(format!("Number of keys of {}.", of(stream))),
            Item::StreamRate(stream) => float(
                "1/s",
                format!(
                    "Number of instants per second with a key of {}.",
                    of(stream)
                ),
            ),
            Item::StreamGap(stream) => float(
                "s",
                format!("Longest time without a key of {}.", of(stream)),
            ),
            Item::Tracked(side) => float("s", format!("Time in which the {side} hand is tracked.")),
            Item::Pinches(side) => count(format!("Number of pinches of the {side} hand.")),
            Item::Devices => Field::new(
                name,
                DataType::Text,
                "Names of the controllers, trackers and other devices, between spaces; empty without devices.",
            ),
            Item::DeviceProfiles => Field::new(
                name,
                DataType::Text,
                "Interaction profiles of all devices, each once, between spaces.",
            ),
            Item::DeviceInputs => Field::new(
                name,
                DataType::Text,
                "Names of all inputs of devices that have keys, between spaces.",
            ),
            Item::HapticPulses => count("Number of haptic pulses of all devices.".to_owned()),
            Item::Markers => count("Number of markers.".to_owned()),
            Item::Findings => Field::new(
                name,
                DataType::Text,
                "Codes of the findings, without L20 (docs/findings.md).",
            ),
            Item::MissingParts => count("Number of parts that a damaged file lacks.".to_owned()),
            Item::Text(text) => {
                let meaning = match text {
                    About::TASK => "What the person does, as the recording states it.",
                    About::DEVICE => "The device, as the recording states it.",
                    About::SYSTEM => "The tracking system, as the recording states it.",
                    _ => "The program that made the recording, as the recording states it.",
                };
                Field::new(name, DataType::Text, meaning)
            }
        }
    }

    /// Returns `true` if the column needs the statistics of streams, which read all key times.
    fn needs_info(self) -> bool {
        !matches!(
            self,
            Item::WellFormed
                | Item::Format
                | Item::Layout
                | Item::Bytes
                | Item::Markers
                | Item::MissingParts
                | Item::Text(_)
        )
    }
}

impl InfoRows {
    pub(crate) fn new() -> InfoRows {
        InfoRows {
            indices: (0..ITEMS.len()).collect(),
        }
    }

    pub(crate) fn fields(&self) -> Vec<Field> {
        let fields = ITEMS.iter().map(|(name, item)| item.field(name));
        selected(fields.collect(), &self.indices)
    }

    pub(crate) fn select(&mut self, indices: &[usize]) {
        self.indices = indices.to_vec();
    }

    /// Returns the row of a file that is not well formed, and of which nothing can be read.
    pub(crate) fn malformed(&self) -> Batch {
        batch(1, &self.indices, |index| match ITEMS[index].1 {
            Item::WellFormed => Column::booleans([Some(false)]),
            _ => Column::missing(1),
        })
    }

    /// Returns the row of a recording. Parts of the recording may be missing, because its file is damaged. `format` and
    /// `bytes` are the format and the size of the file.
    pub(crate) fn row(
        &self,
        recovered: &RecoveredRecording<'_>,
        format: Format,
        bytes: u64,
    ) -> Batch {
        let items = || self.indices.iter().map(|&index| ITEMS[index].1);
        let info = items()
            .any(Item::needs_info)
            .then(|| Info::of(&recovered.recording));
        let mut findings = Vec::new();
        if let Some(info) = &info
            && items().any(|item| item == Item::Findings)
        {
            findings = doctor::overview(recovered, info);
        }
        let facts = FileFacts {
            format,
            layout: recovered.recording.layout,
            info: info.as_ref(),
            findings: &findings,
            bytes,
            markers: recovered.recording.markers.len(),
            missing_parts: recovered.damaged.len(),
            is_well_formed: recovered.is_intact(),
            about: &recovered.recording.about,
        };
        batch(1, &self.indices, |index| facts.column(ITEMS[index].1))
    }
}

/// Facts about a file, which are the row of the shape [`Info`](crate::Shape::Info).
#[derive(Clone, Copy, Debug)]
pub struct FileFacts<'f> {
    /// The format of the file.
    pub format: Format,
    /// The layout.
    pub layout: Layout,
    /// Streams, rates and gaps; `None` if they are not known.
    pub info: Option<&'f Info>,
    /// The findings that the row names.
    pub findings: &'f [Finding],
    /// The size of the file.
    pub bytes: u64,
    /// The number of markers.
    pub markers: usize,
    /// The number of parts that a damaged file lacks.
    pub missing_parts: usize,
    /// `true` if the file is well formed.
    pub is_well_formed: bool,
    /// The texts about the recording.
    pub about: &'f About,
}

impl FileFacts<'_> {
    /// Returns the columns of the row, in their order.
    pub fn fields() -> Vec<Field> {
        InfoRows::new().fields()
    }

    /// Returns the row of a file that is not well formed, and of which nothing can be read.
    pub fn malformed_row() -> Batch {
        InfoRows::new().malformed()
    }

    /// Returns the facts as a batch with one row, which has all columns of [`fields`](Self::fields).
    pub fn row(&self) -> Batch {
        let columns = ITEMS.iter().map(|(_, item)| self.column(*item));
        Batch::new(1, columns.collect())
    }

    /// Returns a column with texts about all devices, each once, between spaces.
    fn texts_of_devices(&self, texts: impl Fn(&DeviceInfo) -> Vec<String>) -> Column {
        let all = self.info.map(|info| {
            let mut all: Vec<String> = Vec::new();
            for text in info.devices.iter().flat_map(&texts) {
                if !all.contains(&text) {
                    all.push(text);
                }
            }
            all.join(" ")
        });
        Column::texts([all])
    }

    fn column(&self, item: Item) -> Column {
        let count = |count: Option<usize>| Column::longs([count.map(|count| count as i64)]);
        let float = |number: Option<f32>| Column::floats([number]);
        let range = self.info.and_then(|info| info.time_range);
        let stream = |stream| self.info?.stream(stream);
        let of = |found: Option<&StreamInfo>, get: fn(&StreamInfo) -> Option<f32>| {
            Column::floats([found.and_then(get)])
        };
        // The states of hands that the flags exclude are not known.
        let hands = self.info.filter(|info| info.flags.hand);
        match item {
            Item::WellFormed => Column::booleans([Some(self.is_well_formed)]),
            Item::Format => Column::texts([Some(self.format.name())]),
            Item::Layout => Column::texts([Some(self.layout.name())]),
            Item::Bytes => Column::longs([Some(self.bytes as i64)]),
            Item::Keys => Column::longs([self.info.map(|info| info.keys as i64)]),
            Item::Duration => float(self.info.map(|info| info.duration)),
            Item::Start => float(range.map(|range| range.start)),
            Item::End => float(range.map(|range| range.end)),
            Item::StreamKeys(name) => Column::longs([stream(name).map(|found| found.keys as i64)]),
            Item::StreamRate(name) => of(stream(name), |found| found.rate),
            Item::StreamGap(name) => of(stream(name), |found| {
                found.longest_gap.map(TimeRange::length)
            }),
            Item::Tracked(side) => {
                float(hands.map(|info| TimeRange::total_length(&info.hand(side).tracked)))
            }
            Item::Pinches(side) => count(hands.map(|info| info.hand(side).pinching.len())),
            Item::Devices => self.texts_of_devices(|device| vec![device.device.to_string()]),
            Item::DeviceProfiles => self.texts_of_devices(|device| device.profiles.clone()),
            Item::DeviceInputs => self.texts_of_devices(|device| {
                let mut inputs: Vec<_> = device.buttons.iter().chain(&device.axes).collect();
                inputs.sort();
                let name = |input| format!("{}.{input}", device.device);
                inputs.into_iter().map(name).collect()
            }),
            Item::HapticPulses => {
                let devices = |info: &Info| info.devices.iter().map(|device| device.haptics).sum();
                count(self.info.map(devices))
            }
            Item::Markers => count(Some(self.markers)),
            Item::Findings => Column::texts([Some(Finding::codes(self.findings))]),
            Item::MissingParts => count(Some(self.missing_parts)),
            Item::Text(name) => Column::texts([self.about.get(name)]),
        }
    }
}
