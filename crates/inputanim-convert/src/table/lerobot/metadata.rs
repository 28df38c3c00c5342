//! The schemas of the Parquet files, and the files in JSON.

use std::collections::HashMap;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use super::stats::{FeatureStats, PERCENTS};
use super::{Features, Options, Summary};
use crate::shared::Error;

/// The version of the format.
const VERSION: &str = "v3.0";

/// The features of every dataset after the states and actions, and the type of each.
const DEFAULT_FEATURES: [(&str, DataType); 5] = [
    ("timestamp", DataType::Float32),
    ("frame_index", DataType::Int64),
    ("episode_index", DataType::Int64),
    ("index", DataType::Int64),
    ("task_index", DataType::Int64),
];

/// The features that are vectors.
const VECTORS: [&str; 2] = ["observation.state", "action"];

/// The feature that states which parts of the state were known. Its name has no prefix, so that policies do not read it.
const VALID: &str = "valid";

/// The number of features.
pub(super) const FEATURES: usize = VECTORS.len() + 1 + DEFAULT_FEATURES.len();

/// Returns the names of all features, in the order of the columns.
pub(super) fn feature_names() -> [&'static str; FEATURES] {
    let [state, action] = VECTORS;
    let [a, b, c, d, e] = DEFAULT_FEATURES.map(|(name, _)| name);
    [state, action, VALID, a, b, c, d, e]
}

/// Returns `true` if the minimum and the maximum of a feature are integers.
fn is_integer(feature: &str) -> bool {
    let mut features = DEFAULT_FEATURES.iter();
    features.any(|(name, data_type)| *name == feature && *data_type == DataType::Int64)
}

/// Returns the Arrow type of a list with items of the type `item`. The items have the name that other writers give
/// them.
fn list(item: DataType) -> DataType {
    DataType::List(Arc::new(element(item)))
}

/// Returns the Arrow field of the items of a list, named `element`. `item` is their type.
pub(super) fn element(item: DataType) -> Field {
    Field::new("element", item, true)
}

/// Returns the names and lengths of the features that are vectors.
fn vectors(features: &Features) -> [(&'static str, usize); 3] {
    let [state, action] = VECTORS;
    let (width, parts) = (features.width(), features.parts().len());
    [(state, width), (action, width), (VALID, parts)]
}

/// Returns the Arrow schema of the files of frames. Its metadata describes the features for the Python package
/// `datasets`.
pub(super) fn data_schema(features: &Features) -> SchemaRef {
    let vectors = vectors(features);
    let fields = vectors.map(|(name, width)| {
        let list = DataType::FixedSizeList(Arc::new(element(DataType::Float32)), width as i32);
        Field::new(name, list, true)
    });
    let others = DEFAULT_FEATURES.map(|(name, data_type)| Field::new(name, data_type, true));
    let fields: Vec<Field> = fields.into_iter().chain(others).collect();
    // The package `datasets` reads the types of features from this entry.
    let value = |dtype: &str| json!({"dtype": dtype, "_type": "Value"});
    let vectors = vectors.map(|(name, width)| {
        let vector = json!({"feature": value("float32"), "length": width, "_type": "List"});
        (name, vector)
    });
    let others = DEFAULT_FEATURES.map(|(name, data_type)| (name, value(dtype(&data_type))));
    let described = Object::new(vectors.into_iter().chain(others));
    let entry = Object::new([("info", Object::new([("features", described)]))]);
    with_entry(fields, "huggingface", entry.to_string())
}

/// Returns the Arrow schema of `meta/tasks.parquet`, a data frame of pandas whose index contains the texts of the
/// tasks.
pub(super) fn tasks_schema() -> SchemaRef {
    const INDEX: &str = "__index_level_0__";
    let fields = vec![
        Field::new("task_index", DataType::Int64, true),
        Field::new(INDEX, DataType::Utf8, true),
    ];
    let entry = json!({
        "index_columns": [INDEX],
        "column_indexes": [{
            "name": null,
            "field_name": null,
            "pandas_type": "unicode",
            "numpy_type": "object",
            "metadata": {"encoding": "UTF-8"},
        }],
        "columns": [
            {
                "name": "task_index",
                "field_name": "task_index",
                "pandas_type": "int64",
                "numpy_type": "int64",
                "metadata": null,
            },
            {
                "name": null,
                "field_name": INDEX,
                "pandas_type": "unicode",
                "numpy_type": "object",
                "metadata": null,
            },
        ],
        "creator": {"library": "inputanim", "version": env!("CARGO_PKG_VERSION")},
        "pandas_version": "2.2.0",
    });
    with_entry(fields, "pandas", entry.to_string())
}

/// Returns the Arrow schema of the files of episodes, which have a row for each episode.
pub(super) fn episodes_schema() -> SchemaRef {
    let integer = |name: &str| Field::new(name, DataType::Int64, true);
    let mut fields = vec![
        integer("episode_index"),
        Field::new("tasks", list(DataType::Utf8), true),
        integer("length"),
        integer("data/chunk_index"),
        integer("data/file_index"),
        integer("dataset_from_index"),
        integer("dataset_to_index"),
    ];
    for feature in feature_names() {
        let bound = if is_integer(feature) {
            DataType::Int64
        } else {
            DataType::Float64
        };
        for name in statistic_names() {
            let item = match name.as_str() {
                "min" | "max" => bound.clone(),
                "count" => DataType::Int64,
                _ => DataType::Float64,
            };
            fields.push(Field::new(
                format!("stats/{feature}/{name}"),
                list(item),
                true,
            ));
        }
    }
    fields.push(integer("meta/episodes/chunk_index"));
    fields.push(integer("meta/episodes/file_index"));
    Arc::new(Schema::new(fields))
}

/// Returns the names of the statistics of a feature, such as `mean` or `q50`, in the order of the columns.
fn statistic_names() -> impl Iterator<Item = String> {
    let moments = ["min", "max", "mean", "std", "count"];
    let quantiles = PERCENTS.map(|percent| format!("q{percent:02}"));
    moments.map(str::to_owned).into_iter().chain(quantiles)
}

fn with_entry(fields: Vec<Field>, name: &str, value: String) -> SchemaRef {
    let metadata = HashMap::from([(name.to_owned(), value)]);
    Arc::new(Schema::new_with_metadata(fields, metadata))
}

fn dtype(data_type: &DataType) -> &'static str {
    match data_type {
        DataType::Float32 => "float32",
        _ => "int64",
    }
}

/// Returns the content of `meta/info.json`.
pub(super) fn info(features: &Features, options: &Options, summary: &Summary) -> Object {
    let vector = Object::new([
        ("dtype", Node::from(json!("float32"))),
        ("shape", json!([features.width()]).into()),
        ("names", json!(features.names()).into()),
        // LeRobot keeps further facts about a feature under this name.
        (
            "info",
            Object::new([
                ("axes", json!(options.space.name())),
                ("frame", json!(options.frame.name())),
            ])
            .into(),
        ),
    ]);
    let valid = Object::new([
        ("dtype", json!("float32")),
        ("shape", json!([features.parts().len()])),
        ("names", json!(features.parts())),
    ]);
    let vectors = VECTORS.map(|name| (name, vector.clone()));
    let vectors = vectors.into_iter().chain([(VALID, valid)]);
    let others = DEFAULT_FEATURES.map(|(name, data_type)| {
        let feature = Object::new([
            ("dtype", json!(dtype(&data_type))),
            ("shape", json!([1])),
            ("names", Value::Null),
        ]);
        (name, feature)
    });
    let described = Object::new(vectors.chain(others));
    let splits = Object::new([("train", json!(format!("0:{}", summary.episodes)))]);
    Object::new([
        ("codebase_version", Node::from(json!(VERSION))),
        ("robot_type", Value::Null.into()),
        ("total_episodes", json!(summary.episodes).into()),
        ("total_frames", json!(summary.frames).into()),
        ("total_tasks", json!(summary.tasks).into()),
        ("chunks_size", json!(options.chunk_files).into()),
        ("data_files_size_in_mb", json!(options.file_mib).into()),
        ("video_files_size_in_mb", json!(200).into()),
        ("fps", json!(options.rate).into()),
        ("splits", splits.into()),
        ("data_path", json!(DATA_PATH).into()),
        ("video_path", Value::Null.into()),
        ("features", described.into()),
    ])
}

/// The names of the files of frames, as a format string of Python.
const DATA_PATH: &str = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet";

/// Returns the content of `meta/stats.json`.
pub(super) fn stats(stats: &[FeatureStats; FEATURES]) -> Object {
    let features = feature_names().into_iter().zip(stats);
    Object::new(features.map(|(name, stats)| {
        let bound = |values: &[f64]| {
            if is_integer(name) {
                json!(values.iter().map(|&value| value as i64).collect::<Vec<_>>())
            } else {
                json!(values)
            }
        };
        let moments = [
            bound(&stats.min),
            bound(&stats.max),
            json!(stats.mean),
            json!(stats.std),
        ];
        let values = moments.into_iter().chain([json!([stats.count])]);
        let values = values.chain(stats.quantiles.iter().map(|values| json!(values)));
        (name, Object::new(statistic_names().zip(values)))
    }))
}

/// Writes a JSON object with an indentation of four spaces, as LeRobot does, and flushes `output`.
pub(super) fn write_json(object: &Object, mut output: impl Write) -> Result<(), Error> {
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b"    ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut output, formatter);
    // Serialization fails only if the output does.
    object
        .serialize(&mut serializer)
        .map_err(std::io::Error::from)?;
    Ok(output.flush()?)
}

/// A JSON object whose members stay in order.
#[derive(Clone)]
pub(super) struct Object(Vec<(String, Node)>);

/// A value of an [`Object`].
#[derive(Clone)]
enum Node {
    Value(Value),
    Object(Object),
}

impl Object {
    fn new<N: Into<String>, V: Into<Node>>(members: impl IntoIterator<Item = (N, V)>) -> Object {
        let members = members.into_iter();
        Object(
            members
                .map(|(name, value)| (name.into(), value.into()))
                .collect(),
        )
    }
}

impl From<Value> for Node {
    fn from(value: Value) -> Node {
        Node::Value(value)
    }
}

impl From<Object> for Node {
    fn from(object: Object) -> Node {
        Node::Object(object)
    }
}

impl Serialize for Object {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            match value {
                Node::Value(value) => map.serialize_entry(name, value)?,
                Node::Object(object) => map.serialize_entry(name, object)?,
            }
        }
        map.end()
    }
}

impl fmt::Display for Object {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&serde_json::to_string(self).map_err(|_| fmt::Error)?)
    }
}
