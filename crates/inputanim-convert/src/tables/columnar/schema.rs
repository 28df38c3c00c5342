//! The columns of both shapes, with their types and units.

use std::sync::Arc;

use arrow_array::StringArray;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inputanim::{CurvePath, PoseChannel, RayChannel};

use crate::frames::{Columns, TIME_S};
use crate::tables::keys::{Kind, column, paths};
use crate::tables::metadata::Entries;

/// The column that says which recording a row is of, where there are several.
pub(crate) const RECORDING: &str = "recording";

/// A wide table; of several recordings it says for each row which one it is of.
pub(crate) fn wide(columns: &Columns, has_recordings: bool, metadata: Entries) -> SchemaRef {
    let time = Field::new(TIME_S, DataType::Float32, false);
    let curves = columns.paths().into_iter().map(|path| {
        let data_type = match unit(path) {
            Some(_) => DataType::Float32,
            None => DataType::Boolean,
        };
        with_unit(Field::new(path.to_string(), data_type, true), unit(path))
    });
    let fields = [with_unit(time, Some("s"))].into_iter().chain(curves);
    schema(has_recordings, fields, metadata)
}

/// A table of keys.
pub(crate) fn keys(has_recordings: bool, metadata: Entries) -> SchemaRef {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let float = |name: &str| field(name, DataType::Float32);
    let integer = |name: &str| field(name, DataType::Int32);
    let fields = [
        field(column::CURVE, words(DataType::Int16)),
        with_unit(float(column::TIME_S), Some("s")),
        float(column::VALUE),
        float(column::IN_TANGENT),
        float(column::OUT_TANGENT),
        float(column::IN_WEIGHT),
        float(column::OUT_WEIGHT),
        integer(column::WEIGHTED_MODE),
        Field::new(column::KIND, words(DataType::Int8), false),
        integer(column::PRE_WRAP),
        integer(column::POST_WRAP),
        field(column::NAME, DataType::Utf8),
    ];
    schema(has_recordings, fields, metadata)
}

fn schema(
    has_recordings: bool,
    fields: impl IntoIterator<Item = Field>,
    metadata: Entries,
) -> SchemaRef {
    let recording = Field::new(RECORDING, DataType::Utf8, false);
    let recording = has_recordings.then_some(recording);
    let fields: Vec<Field> = recording.into_iter().chain(fields).collect();
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// Words of which there are few, each once with numbers for where it stands.
fn words(numbers: DataType) -> DataType {
    DataType::Dictionary(Box::new(numbers), Box::new(DataType::Utf8))
}

fn with_unit(field: Field, unit: Option<&str>) -> Field {
    let entry = unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
    field.with_metadata(entry.into_iter().collect())
}

/// The unit of a curve's values; states have none.
fn unit(path: CurvePath) -> Option<&'static str> {
    use PoseChannel::{PositionX, PositionY, PositionZ};
    use RayChannel::{OriginX, OriginY, OriginZ};
    match path {
        CurvePath::Tracked(_) | CurvePath::Pinching(_) => None,
        CurvePath::Camera(PositionX | PositionY | PositionZ)
        | CurvePath::Joint(_, _, PositionX | PositionY | PositionZ)
        | CurvePath::Gaze(OriginX | OriginY | OriginZ) => Some("m"),
        CurvePath::Camera(_) | CurvePath::Joint(..) | CurvePath::Gaze(_) => Some("1"),
    }
}

/// The names of all curves, each at its place.
pub(crate) fn curve_names() -> StringArray {
    StringArray::from_iter_values(paths().iter().map(CurvePath::to_string))
}

/// The words of the column `kind`.
pub(crate) fn kind_names() -> StringArray {
    StringArray::from_iter_values(Kind::ALL.map(Kind::name))
}
