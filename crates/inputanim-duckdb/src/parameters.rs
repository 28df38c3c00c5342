//! The parameters of the table functions.

use inputanim::TimeRange;
use inputanim::names::split;
use inputanim_analysis::{AnalysisParameters, UnknownEventKind};
use inputanim_scan::{
    OnError, PathPattern, Sampling, ScanOptions, Segments, Shape, Source, read_targets,
};
use quack_rs::table::BindInfo;
use quack_rs::types::TypeId;
use quack_rs::value::Value;

/// A named parameter of a table function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Parameter {
    /// `format`: the format of the files.
    Format,
    /// `rate`: samples per second.
    Rate,
    /// `at_keys`: one row for each key time instead of a steady rate.
    AtKeys,
    /// `joints`: names of streams and joints.
    Joints,
    /// `exclude`: names of streams and joints that do not count.
    Exclude,
    /// `space`: the axes of positions and rotations.
    Space,
    /// `time_start`: the start of the time range in seconds.
    TimeStart,
    /// `time_end`: the end of the time range in seconds.
    TimeEnd,
    /// `segments`: the parts of recordings for which measures are computed, or whose rows are listed.
    Segments,
    /// `points`: the number of instants of each segment, from its start to its end.
    Points,
    /// `measures`: names, groups and patterns of measures.
    Measures,
    /// `kinds`: kinds of events.
    Kinds,
    /// `parameters`: parameters of the analysis, as a JSON object.
    Parameters,
    /// `targets`: a file with the targets of the analysis.
    Targets,
    /// `recover`: read the intact parts of files that are not well formed.
    Recover,
    /// `repair`: repair the recordings.
    Repair,
    /// `forget_zeros`: make poses and gaze of zeros unknown.
    ForgetZeros,
    /// `pauses`: seconds without frames from which everything is unknown, or `none`.
    Pauses,
    /// `no_limits`: lift the limits of files, samples and analyses.
    NoLimits,
    /// `path_pattern`: columns from the path.
    PathPattern,
    /// `ignore_errors`: skip files that cannot be read.
    IgnoreErrors,
    /// `filename`: true for a column with the path, or the name of this column.
    Filename,
    /// `recording`: true for a column with the name of the recording.
    Recording,
}

/// The name of the column with the path of the file.
const FILENAME: &str = "filename";
/// The name of the column with the name of the recording.
const RECORDING: &str = "recording";

impl Parameter {
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Parameter::Format => "format",
            Parameter::Rate => "rate",
            Parameter::AtKeys => "at_keys",
            Parameter::Joints => "joints",
            Parameter::Exclude => "exclude",
            Parameter::Space => "space",
            Parameter::TimeStart => "time_start",
            Parameter::TimeEnd => "time_end",
            Parameter::Segments => "segments",
            Parameter::Points => "points",
            Parameter::Measures => "measures",
            Parameter::Kinds => "kinds",
            Parameter::Parameters => "parameters",
            Parameter::Targets => "targets",
            Parameter::Recover => "recover",
            Parameter::Repair => "repair",
            Parameter::ForgetZeros => "forget_zeros",
            Parameter::Pauses => "pauses",
            Parameter::NoLimits => "no_limits",
            Parameter::PathPattern => "path_pattern",
            Parameter::IgnoreErrors => "ignore_errors",
            Parameter::Filename => FILENAME,
            Parameter::Recording => RECORDING,
        }
    }

    pub(crate) const fn type_id(self) -> TypeId {
        match self {
            Parameter::Rate | Parameter::TimeStart | Parameter::TimeEnd => TypeId::Double,
            Parameter::Points => TypeId::BigInt,
            Parameter::AtKeys
            | Parameter::IgnoreErrors
            | Parameter::Recover
            | Parameter::Repair
            | Parameter::ForgetZeros
            | Parameter::NoLimits
            | Parameter::Recording => TypeId::Boolean,
            Parameter::Format
            | Parameter::Space
            | Parameter::Segments
            | Parameter::Parameters
            | Parameter::Targets
            | Parameter::Pauses
            | Parameter::PathPattern => TypeId::Varchar,
            // `filename` is a truth value or a text, and the others are a text or a list of texts.
            Parameter::Joints
            | Parameter::Exclude
            | Parameter::Measures
            | Parameter::Kinds
            | Parameter::Filename => TypeId::Any,
        }
    }
}

/// The time range of a call without `time_start` and `time_end`.
const ALL_TIMES: TimeRange = TimeRange {
    start: f32::NEG_INFINITY,
    end: f32::INFINITY,
};

/// Returns the options for a call of a table function that gives no parameters.
pub(crate) fn default_options(shape: Shape) -> ScanOptions {
    let mut options = ScanOptions::default();
    options.shape = shape;
    options.file_column = Some(FILENAME.to_owned());
    options
}

/// Reads the paths from the first parameter of a call of a table function, and the options from its named parameters.
/// `parameters` are the named parameters that the function has.
pub(crate) fn read(
    bind: &BindInfo,
    shape: Shape,
    parameters: impl Iterator<Item = Parameter>,
) -> Result<(Vec<Source>, ScanOptions), String> {
    // SAFETY: every table function has one positional parameter.
    let paths = texts(&unsafe { bind.get_parameter_value(0) })
        .ok_or("expected a path, a pattern or a list of them, found NULL")?;
    let mut options = default_options(shape);
    let mut time = ALL_TIMES;
    for parameter in parameters {
        // SAFETY: the function has this parameter.
        let value = unsafe { bind.get_named_parameter_value(parameter.name()) };
        if value.is_null() || value.is_sql_null() {
            continue;
        }
        set(parameter, &value, &mut options, &mut time)
            .map_err(|message| format!("{}: {message}", parameter.name()))?;
    }
    if time != ALL_TIMES {
        options.time = Some(time.into());
    }
    Ok((paths.into_iter().map(Source::from).collect(), options))
}

fn set(
    parameter: Parameter,
    value: &Value,
    options: &mut ScanOptions,
    time: &mut TimeRange,
) -> Result<(), String> {
    let number = || value.as_f64().ok_or("expected a number");
    let truth = || value.as_bool().ok_or("expected true or false");
    let text = || value.as_str().map_err(|_| "expected a string");
    match parameter {
        Parameter::Format => {
            options.format = Some(text()?.parse().map_err(|error| format!("{error}"))?);
        }
        Parameter::Rate => options
            .set_rate(number()?)
            .map_err(|error| error.to_string())?,
        Parameter::AtKeys => {
            if truth()? {
                options.sampling = Sampling::Keys;
            }
        }
        Parameter::Joints => options.joints = names(value, "streams and joints")?,
        Parameter::Exclude => options.exclude = names(value, "streams and joints")?,
        Parameter::Recording => options.recording_column = truth()?.then(|| RECORDING.to_owned()),
        Parameter::Measures => options.measures = names(value, "measures")?,
        Parameter::Kinds => {
            let kinds = names(value, "kinds of events")?;
            let kinds = kinds.iter().map(|kind| kind.parse());
            let kinds = kinds.collect::<Result<_, _>>();
            options.kinds = kinds.map_err(|error: UnknownEventKind| error.to_string())?;
        }
        Parameter::Space => {
            options.space = text()?.parse().map_err(|error| format!("{error}"))?;
        }
        Parameter::TimeStart => time.start = number()? as f32,
        Parameter::TimeEnd => time.end = number()? as f32,
        Parameter::Segments => {
            options.segments = Segments::from_text(text()?, &options.limits)
                .map_err(|error| format!("{error}"))?;
        }
        Parameter::Points => {
            let points = value.as_i64().and_then(|points| points.try_into().ok());
            options.points = Some(points.ok_or("expected a number of points")?);
        }
        Parameter::Parameters => {
            let given =
                serde_json::from_str(&text()?).map_err(|error| format!("invalid JSON: {error}"))?;
            let analysis = AnalysisParameters::from_json(&given);
            options.parameters = analysis.map_err(|error| error.to_string())?;
        }
        Parameter::Targets if !options.parameters.targets.is_empty() => {
            return Err("expected either targets or the parameter targets, found both".to_owned());
        }
        Parameter::Targets => {
            let path = text()?;
            let targets = read_targets(path.as_ref(), &options.limits);
            options.parameters.targets = targets.map_err(|error| format!("{path}: {error}"))?;
        }
        Parameter::Recover => options.corrections.recover = truth()?,
        Parameter::Repair => options.corrections.repair = truth()?,
        Parameter::ForgetZeros => options.corrections.forget_zeros = truth()?,
        Parameter::Pauses => {
            options.pauses = text()?.parse().map_err(|error| format!("{error}"))?;
        }
        Parameter::NoLimits => {
            if truth()? {
                options.lift_limits();
            }
        }
        Parameter::PathPattern => {
            let pattern: PathPattern = text()?.parse().map_err(|error| format!("{error}"))?;
            options.path_pattern = Some(pattern);
        }
        Parameter::IgnoreErrors => {
            if truth()? {
                options.on_error = OnError::Skip;
            }
        }
        Parameter::Filename => {
            options.file_column = match value.type_id() {
                Some(TypeId::Boolean) => truth()?.then(|| FILENAME.to_owned()),
                _ => Some(text()?),
            };
        }
    }
    Ok(())
}

/// Returns the names in a string, separated by commas, or in a list of strings. Fails for NULL and for an empty list.
/// `what` is the kind of names for the error message.
fn names(value: &Value, what: &str) -> Result<Vec<String>, String> {
    let names = texts(value).filter(|names| !names.is_empty());
    let names = names.ok_or_else(|| format!("expected names of {what}, without NULL"))?;
    let names = names.iter().flat_map(|names| split(names));
    Ok(names.map(str::to_owned).collect())
}

/// Returns a string as a list of one, or the strings of a list; `None` for NULL, and if an item is not a string.
fn texts(value: &Value) -> Option<Vec<String>> {
    if value.is_null() || value.is_sql_null() {
        return None;
    }
    if value.type_id() == Some(TypeId::List) {
        let items = value.list_items();
        return items.iter().map(|item| item.as_str().ok()).collect();
    }
    Some(vec![value.as_str().ok()?])
}
