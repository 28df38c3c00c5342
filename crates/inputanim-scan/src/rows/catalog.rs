//! A recording as a row of a catalogue: the key of its file, the row of the shape `info`, the ranges of its positions, and its
//! findings.

use std::sync::LazyLock;

use inputanim::doctor;
use inputanim::info::Info;
use inputanim::{CurvePath, PoseChannel, RayChannel, Recording, RecoveredRecording, Side};
use inputanim_convert::Format;
use inputanim_convert::tables::{Batch, Column, DataType, Field};

use super::FileFacts;
use super::lists::findings_json;
use crate::error::FileProblem;
use crate::source::ScanFile;

/// The names of columns by which files are found and checked.
pub(crate) mod column {
    pub(crate) const PATH: &str = "path";
    pub(crate) const PATH_HEX: &str = "path_hex";
    pub(crate) const SIZE: &str = "size";
    pub(crate) const MODIFIED: &str = "modified_ns";
    pub(crate) const CHANGED: &str = "changed_ns";
    pub(crate) const CHECKED: &str = "checked_ns";
    pub(crate) const WELL_FORMED: &str = "well_formed";
    pub(crate) const FINDING_LIST: &str = "finding_list";
    pub(crate) const NOTICES: &str = "notices";
}

/// The rows of a catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CatalogRows;

/// A file of a catalogue.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CataloguedFile<'f> {
    /// The bytes of its path below the folder of the catalogue, with slashes.
    pub(crate) path: &'f [u8],
    pub(crate) file: &'f ScanFile,
    /// The time before the file was found, in nanoseconds since 1970.
    pub(crate) checked_ns: i64,
}

/// The position curves of a stream, or the curves of a ray.
const STREAMS: [(&str, &str); 5] = [
    ("head_position", "the positions of the head"),
    (
        "left_joints_position",
        "the positions of all joints of the left hand",
    ),
    (
        "right_joints_position",
        "the positions of all joints of the right hand",
    ),
    ("gaze_origin", "the origins of the gaze"),
    ("gaze_direction", "the directions of the gaze"),
];

/// The names of the columns with the least and the greatest value of each component.
static RANGES: LazyLock<Vec<Field>> = LazyLock::new(|| {
    let mut fields = Vec::new();
    for (stream, meaning) in STREAMS {
        let unit = if stream == "gaze_direction" { "1" } else { "m" };
        for axis in ["x", "y", "z"] {
            for (end, least) in [("min", "Least"), ("max", "Greatest")] {
                let name = format!("{stream}_{axis}_{end}");
                let meaning =
                    format!("{least} {axis} of the keys of {meaning}, in the axes of Unity.");
                fields.push(Field::new(name, DataType::Float32, meaning).with_unit(unit));
            }
        }
    }
    fields
});

impl CatalogRows {
    /// Returns the columns of a catalogue.
    pub(crate) fn fields() -> Vec<Field> {
        let text = |name, meaning: &'static str| Field::new(name, DataType::Text, meaning);
        let number = |name, unit, meaning: &'static str| {
            Field::new(name, DataType::Int64, meaning).with_unit(unit)
        };
        let key = [
            text(
                column::PATH,
                "Path below the folder of the catalogue, with slashes.",
            )
            .required(),
            text(
                column::PATH_HEX,
                "Bytes of the path in hexadecimal digits, if the path is not UTF-8.",
            ),
            number(
                column::SIZE,
                "B",
                "Size of the file when its folder was searched.",
            )
            .required(),
            number(
                column::MODIFIED,
                "ns",
                "Modification time of the file, since 1970-01-01 UTC.",
            ),
            number(
                column::CHANGED,
                "ns",
                "Time of the last change of the content, the name or the properties of the file, since 1970-01-01 UTC; \
                 missing on Windows.",
            ),
            number(
                column::CHECKED,
                "ns",
                "Time before the size and the times of the file were read, since 1970-01-01 UTC.",
            )
            .required(),
        ];
        let end = [
            text(
                column::FINDING_LIST,
                "All findings as a JSON array, with the columns of the shape `findings`.",
            )
            .json(),
            number(
                column::NOTICES,
                "1",
                "Number of notices about the format of the file.",
            ),
        ];
        let facts = FileFacts::fields();
        let fields = key.into_iter().chain(facts);
        fields.chain(RANGES.iter().cloned()).chain(end).collect()
    }

    /// Returns the row of a recording. Parts of it may be missing, because its file is damaged. `format` is the format of
    /// the file, `bytes` its size, and `notices` the number of notices about it.
    pub(crate) fn row(
        file: CataloguedFile<'_>,
        recovered: &RecoveredRecording<'_>,
        format: Format,
        bytes: u64,
        notices: usize,
    ) -> Batch {
        let recording = &recovered.recording;
        let info = Info::of(recording);
        let findings = doctor::findings_of_recovery(recovered, &info);
        let list = findings_json(&findings);
        let facts = FileFacts {
            format,
            layout: recording.layout,
            info: Some(&info),
            findings: &doctor::in_overview(findings),
            bytes,
            markers: recording.markers.len(),
            missing_parts: recovered.damaged.len(),
            is_well_formed: recovered.is_intact(),
            about: &recording.about,
        };
        let mut columns = file.columns();
        columns.extend(facts.row().columns);
        columns.extend(ranges(recording).map(|value| Column::floats([value])));
        columns.push(Column::texts([Some(list)]));
        columns.push(Column::longs([Some(notices as i64)]));
        Batch::new(1, columns)
    }

    /// Returns the row of a file that cannot be read.
    pub(crate) fn failed(file: CataloguedFile<'_>, problem: &FileProblem) -> Batch {
        let is_malformed = match problem {
            FileProblem::Parse(_) => true,
            FileProblem::Convert(error) => error.is_foreign(),
            _ => false,
        };
        let mut columns = file.columns();
        if is_malformed {
            columns.extend(FileFacts::malformed_row().columns);
        }
        columns.resize(CatalogRows::fields().len(), Column::missing(1));
        Batch::new(1, columns)
    }
}

impl CataloguedFile<'_> {
    /// Returns the columns by which the file is found and checked.
    fn columns(self) -> Vec<Column> {
        let hex = std::str::from_utf8(self.path).is_err().then(|| {
            let digits = self.path.iter().map(|byte| format!("{byte:02x}"));
            digits.collect::<String>()
        });
        vec![
            Column::texts([Some(String::from_utf8_lossy(self.path))]),
            Column::texts([hex]),
            Column::longs([Some(self.file.bytes as i64)]),
            Column::longs([self.file.times.modified_ns]),
            Column::longs([self.file.times.changed_ns]),
            Column::longs([Some(self.checked_ns)]),
        ]
    }
}

/// Returns the least and the greatest finite value of each component of [`STREAMS`], in the order of the columns.
fn ranges(recording: &Recording<'_>) -> impl Iterator<Item = Option<f32>> {
    let mut ranges = [[None::<(f32, f32)>; 3]; STREAMS.len()];
    for (path, curve) in recording.curves() {
        let pose = |stream, channel| match channel {
            PoseChannel::PositionX => Some((stream, 0)),
            PoseChannel::PositionY => Some((stream, 1)),
            PoseChannel::PositionZ => Some((stream, 2)),
            _ => None,
        };
        let component = match path {
            CurvePath::Head(channel) => pose(0, channel),
            CurvePath::Joint(Side::Left, _, channel) => pose(1, channel),
            CurvePath::Joint(Side::Right, _, channel) => pose(2, channel),
            CurvePath::Gaze(RayChannel::OriginX) => Some((3, 0)),
            CurvePath::Gaze(RayChannel::OriginY) => Some((3, 1)),
            CurvePath::Gaze(RayChannel::OriginZ) => Some((3, 2)),
            CurvePath::Gaze(RayChannel::DirectionX) => Some((4, 0)),
            CurvePath::Gaze(RayChannel::DirectionY) => Some((4, 1)),
            CurvePath::Gaze(RayChannel::DirectionZ) => Some((4, 2)),
            CurvePath::Tracked(_)
            | CurvePath::Pinching(_)
            | CurvePath::DevicePose(..)
            | CurvePath::Input(..) => None,
        };
        let Some((stream, axis)) = component else {
            continue;
        };
        let range = &mut ranges[stream][axis];
        let values = curve.points().map(|(_, value)| value);
        for value in values.filter(|value| value.is_finite()) {
            let (least, greatest) = range.unwrap_or((value, value));
            *range = Some((least.min(value), greatest.max(value)));
        }
    }
    let ranges = ranges.into_iter().flatten();
    ranges.flat_map(|range| {
        [
            range.map(|(least, _)| least),
            range.map(|(_, greatest)| greatest),
        ]
    })
}
