//! The schemas of both shapes: columns with their types and units.

use std::sync::Arc;

use arrow_array::StringArray;
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use inputanim::{CurvePath, PoseChannel, RayChannel, Side};

use crate::frames::Columns;
use crate::mapping::TIME_S;
use crate::tables::keys::{Kind, column, paths};
use crate::tables::metadata::Entries;
use crate::tables::tidy::{column as tidy_column, joint_names as tidy_joints, names as tidy_names};

/// Returns the schema of a wide table. `labels` are the names of its first columns.
pub(crate) fn wide(columns: &Columns, labels: &[&str], metadata: Entries) -> SchemaRef {
    let time = Field::new(TIME_S, DataType::Float32, false);
    let curves = columns.paths().into_iter().map(|path| {
        let data_type = match unit(path) {
            Some(_) => DataType::Float32,
            None => DataType::Boolean,
        };
        with_unit(Field::new(path.to_string(), data_type, true), unit(path))
    });
    let fields = [with_unit(time, Some("s"))].into_iter().chain(curves);
    schema(labels, fields, metadata)
}

/// Returns the schema of a tidy table. `labels` are the names of its first columns.
pub(crate) fn tidy(columns: &Columns, labels: &[&str], metadata: Entries) -> SchemaRef {
    use tidy_column::{HAND, JOINT, PINCHING, POSITION};
    let fields = tidy_names(columns).into_iter().map(|name| {
        let (data_type, is_nullable, unit) = match name.as_str() {
            TIME_S => (DataType::Float32, false, Some("s")),
            HAND => (dictionary(DataType::Int8), true, None),
            JOINT => (dictionary(DataType::Int8), false, None),
            PINCHING => (DataType::Boolean, true, None),
            name if POSITION.contains(&name) => (DataType::Float32, false, Some("m")),
            _ => (DataType::Float32, true, Some("1")),
        };
        with_unit(Field::new(name, data_type, is_nullable), unit)
    });
    schema(labels, fields, metadata)
}

/// Returns the schema of a table of keys. `labels` are the names of its first columns.
pub(crate) fn keys(labels: &[&str], metadata: Entries) -> SchemaRef {
    let field = |name: &str, data_type| Field::new(name, data_type, true);
    let float = |name: &str| field(name, DataType::Float32);
    let integer = |name: &str| field(name, DataType::Int32);
    let fields = [
        // The names of 395 curves need indices of 16 bits, those of the six kinds need 8.
        field(column::CURVE, dictionary(DataType::Int16)),
        with_unit(float(column::TIME_S), Some("s")),
        float(column::VALUE),
        float(column::IN_TANGENT),
        float(column::OUT_TANGENT),
        float(column::IN_WEIGHT),
        float(column::OUT_WEIGHT),
        integer(column::WEIGHTED_MODE),
        Field::new(column::KIND, dictionary(DataType::Int8), false),
        integer(column::PRE_WRAP),
        integer(column::POST_WRAP),
        field(column::NAME, DataType::Utf8),
    ];
    schema(labels, fields, metadata)
}

fn schema(
    labels: &[&str],
    fields: impl IntoIterator<Item = Field>,
    metadata: Entries,
) -> SchemaRef {
    let labels = labels
        .iter()
        .map(|name| Field::new(*name, DataType::Utf8, false));
    let fields: Vec<Field> = labels.chain(fields).collect();
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

/// Returns the type of a dictionary of texts with indices of a type.
fn dictionary(indices: DataType) -> DataType {
    DataType::Dictionary(Box::new(indices), Box::new(DataType::Utf8))
}

fn with_unit(field: Field, unit: Option<&str>) -> Field {
    let entry = unit.map(|unit| ("unit".to_owned(), unit.to_owned()));
    field.with_metadata(entry.into_iter().collect())
}

/// Returns the unit of a curve's values; states have none.
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

/// Returns the names of all curves, in file order.
pub(crate) fn curve_names() -> StringArray {
    StringArray::from_iter_values(paths().iter().map(CurvePath::to_string))
}

/// Returns the dictionary of the column `hand`.
pub(crate) fn hand_names() -> StringArray {
    StringArray::from_iter_values(Side::BOTH.map(Side::name))
}

/// Returns the dictionary of the column `joint`.
pub(crate) fn joint_names() -> StringArray {
    StringArray::from_iter_values(tidy_joints())
}

/// Returns the dictionary of the column `kind`.
pub(crate) fn kind_names() -> StringArray {
    StringArray::from_iter_values(Kind::ALL.map(Kind::name))
}
