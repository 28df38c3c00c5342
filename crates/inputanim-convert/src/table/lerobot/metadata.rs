//! The schemas of the Parquet files, and the files in JSON.

use std::collections::HashMap;
use std::fmt;
use std::io::Write;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Schema, SchemaRef};
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Value, json};

use super::features::{ACTION, Entry, STATE};
use super::stats::{FeatureStats, PERCENTS};
use super::{ActionForm, Features, Options, ReferenceFrame, RotationForm, Summary, VIDEO, Video};
use crate::shared::Error;

/// The version of the format.
const VERSION: &str = "v3.0";

/// The features of every dataset after the states and actions, and the type of each.
pub(super) const DEFAULT_FEATURES: [(&str, DataType); 5] = [
    ("timestamp", DataType::Float32),
    ("frame_index", DataType::Int64),
    ("episode_index", DataType::Int64),
    ("index", DataType::Int64),
    ("task_index", DataType::Int64),
];

/// The features of the end of an episode.
const LABELS: [&str; 2] = ["next.done", "next.success"];

/// Returns the features after the vectors, and the type of each.
pub(super) fn scalars(features: &Features) -> Vec<(&'static str, DataType)> {
    let labels = LABELS.into_iter().filter(|_| features.forms.success);
    let labels = labels.map(|name| (name, DataType::Boolean));
    labels.chain(DEFAULT_FEATURES).collect()
}

/// Returns the names of all features, in the order of the columns.
pub(super) fn feature_names(features: &Features) -> Vec<&'static str> {
    let vectors = features.vectors().into_iter();
    let scalars = scalars(features).into_iter();
    let names = vectors.map(|vector| vector.name);
    names.chain(scalars.map(|(name, _)| name)).collect()
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

/// Returns the Arrow schema of the files of frames. Its metadata describes the features for the Python package
/// `datasets`.
pub(super) fn data_schema(features: &Features) -> SchemaRef {
    let (vectors, scalars) = (features.vectors(), scalars(features));
    let fields = vectors.iter().map(|vector| {
        // LeRobot reads a feature of one number as a number.
        let data_type = match vector.names.len() {
            1 => DataType::Float32,
            width => DataType::FixedSizeList(Arc::new(element(DataType::Float32)), width as i32),
        };
        Field::new(vector.name, data_type, true)
    });
    let others = scalars.iter();
    let others = others.map(|(name, data_type)| Field::new(*name, data_type.clone(), true));
    let fields: Vec<Field> = fields.chain(others).collect();
    // The package `datasets` reads the types of features from this entry.
    let value = |dtype: &str| json!({"dtype": dtype, "_type": "Value"});
    let vectors = vectors.iter().map(|vector| {
        let length = vector.names.len();
        let described = match length {
            1 => value("float32"),
            _ => json!({"feature": value("float32"), "length": length, "_type": "List"}),
        };
        (vector.name, described)
    });
    let others = scalars.iter();
    let others = others.map(|(name, data_type)| (*name, value(dtype(data_type))));
    let described = Object::new(vectors.chain(others));
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
pub(super) fn episodes_schema(features: &Features, has_videos: bool) -> SchemaRef {
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
    if has_videos {
        let name = |name: &str| format!("videos/{VIDEO}/{name}");
        fields.push(integer(&name("chunk_index")));
        fields.push(integer(&name("file_index")));
        let time = |place| Field::new(name(place), DataType::Float64, true);
        fields.extend(["from_timestamp", "to_timestamp"].map(time));
    }
    for feature in feature_names(features) {
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
        DataType::Boolean => "bool",
        _ => "int64",
    }
}

/// Returns the content of `meta/info.json`.
pub(super) fn info(
    features: &Features,
    options: &Options,
    summary: &Summary,
    video: Option<&Video>,
) -> Object {
    let vectors = features.vectors().into_iter().map(|vector| {
        let shape = [vector.names.len()];
        let mut members = vec![
            ("dtype", Node::from(json!("float32"))),
            ("shape", json!(shape).into()),
            ("names", json!(vector.names).into()),
        ];
        // LeRobot keeps further facts about a feature under this name.
        if let STATE | ACTION = vector.name {
            members.push(("info", facts(features, options, vector.name).into()));
        }
        (vector.name, Object::new(members))
    });
    let others = scalars(features).into_iter().map(|(name, data_type)| {
        let feature = Object::new([
            ("dtype", json!(dtype(&data_type))),
            ("shape", json!([1])),
            ("names", Value::Null),
        ]);
        (name, feature)
    });
    let of_video = video.map(|video| (VIDEO, video_feature(video, options)));
    let described = Object::new(vectors.chain(of_video).chain(others));
    let splits = summary.splits();
    let splits =
        splits.map(|(name, range)| (name, json!(format!("{}:{}", range.start, range.end))));
    let splits = Object::new(splits);
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
        ("video_path", json!(video.map(|_| VIDEO_PATH)).into()),
        ("features", described.into()),
    ])
}

/// Returns facts about the states or actions, of which `feature` is the name. The forms are stated unless they are the defaults.
fn facts(features: &Features, options: &Options, feature: &str) -> Object {
    let forms = &features.forms;
    let mut facts = vec![
        ("axes", json!(options.space.name())),
        ("frame", json!(options.frame.name())),
    ];
    if forms.rotation != RotationForm::default() {
        facts.push(("rotation", json!(forms.rotation.name())));
    }
    if let Some(order) = forms.keypoints {
        facts.push(("keypoints", json!(order.name())));
    }
    if forms.scale_hands {
        facts.push(("divided_by", json!("hand_size")));
    }
    if feature == ACTION && forms.action != ActionForm::default() {
        facts.push(("action", json!(forms.action.name())));
    }
    Object::new(facts)
}

/// Returns the content of `meta/modality.json`: the places of the groups of numbers in states and actions.
pub(super) fn modality(features: &Features, options: &Options) -> Object {
    let video = options
        .video
        .then(|| ("ego_view", Object::new([("original_key", json!(VIDEO))])));
    let (mut states, mut actions) = (Vec::new(), Vec::new());
    let mut start = 0;
    for entry in &features.entries {
        for (group, names) in entry.groups() {
            // GR00T divides its own names at full stops.
            let name = [&entry.name()[..], group].join("_").replace('.', "_");
            let name = name.trim_end_matches('_').to_owned();
            let end = start + names.len();
            let mut range = vec![("start", json!(start)), ("end", json!(end))];
            states.push((name.clone(), Object::new(range.clone())));
            if !is_absolute(*entry, features.forms.action, options.frame) {
                range.push(("absolute", json!(false)));
            }
            actions.push((name, Object::new(range)));
            start = end;
        }
    }
    let task = Object::new([("original_key", json!("task_index"))]);
    Object::new([
        ("state", Object::new(states)),
        ("action", Object::new(actions)),
        ("video", Object::new(video)),
        (
            "annotation",
            Object::new([("human.task_description", task)]),
        ),
    ])
}

/// Returns `true` if the action of an entry does not depend on the current frame.
fn is_absolute(entry: Entry, action: ActionForm, frame: ReferenceFrame) -> bool {
    let is_pose = matches!(entry, Entry::Pose(..) | Entry::Gaze);
    let element = entry.element().filter(|_| is_pose);
    match (element, action) {
        (None, _) | (_, ActionForm::Next) => true,
        (Some(_), ActionForm::Delta) => false,
        (Some(element), ActionForm::Relative) => frame.base_or_self(element).is_none(),
    }
}

/// Returns the description of the feature with videos.
fn video_feature(video: &Video, options: &Options) -> Object {
    let facts = Object::new([
        ("video.height", json!(video.height)),
        ("video.width", json!(video.width)),
        ("video.codec", json!(video.codec)),
        ("video.fps", json!(options.rate)),
        ("video.channels", json!(3)),
        ("video.is_depth_map", json!(false)),
        ("is_depth_map", json!(false)),
        ("has_audio", json!(video.has_audio)),
    ]);
    Object::new([
        ("dtype", Node::from(json!("video"))),
        ("shape", json!([video.height, video.width, 3]).into()),
        ("names", json!(["height", "width", "channels"]).into()),
        ("info", facts.into()),
    ])
}

/// The names of the videos, as a format string of Python.
const VIDEO_PATH: &str = "videos/{video_key}/chunk-{chunk_index:03d}/file-{file_index:03d}.mp4";

/// The names of the files of frames, as a format string of Python.
const DATA_PATH: &str = "data/chunk-{chunk_index:03d}/file-{file_index:03d}.parquet";

/// Returns the content of `meta/stats.json`.
pub(super) fn stats(features: &Features, stats: &[FeatureStats], has_videos: bool) -> Object {
    let features = feature_names(features).into_iter().zip(stats);
    let features = features.map(|(name, stats)| {
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
        (name.to_owned(), Object::new(statistic_names().zip(values)))
    });
    // The colours of videos are not decoded.
    let count = stats.first().map_or(0, |stats| stats.count);
    let video = has_videos.then(|| (VIDEO.to_owned(), Object::new([("count", json!([count]))])));
    Object::new(features.chain(video))
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
