//! Conversion to and from other formats.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use inputanim::{InvalidPauses, TimeRange};
use inputanim_convert::{
    FileAccess, Format, InputFile, InvalidMapping, LossKind, Note, ReadField, ReadOptions, Report,
    Sampling, WriteField, WriteOptions, read_in_layout, write_bytes,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::failure::Failure;
use crate::names;
use crate::recording::{DamageKind, NativeRecording, RecordingBytes, limits};
use crate::work::interruptible;

/// Parses the name of a format. Fails if it is unknown, or if the package does not offer the format.
pub(crate) fn format(name: &str) -> Result<Format, Failure> {
    let format: Format = name.parse().map_err(|error| {
        let known = Format::ALL.iter().filter(|format| is_offered(**format));
        let known: Vec<&str> = known.map(|format| format.name()).collect();
        Failure::invalid(format!("{error}; expected one of {}", known.join(", ")))
    })?;
    if is_offered(format) {
        return Ok(format);
    }
    let failure = Failure::invalid(format!("this package does not write the format {format}"));
    Err(failure.with_hint(if format == Format::LeRobot {
        "inputanim.write_lerobot(sources, folder)"
    } else {
        "write it with the program: inputanim convert IN OUT"
    }))
}

/// Returns `true` if the package converts to or from a format. It offers no datasets, which consist of several files.
fn is_offered(format: Format) -> bool {
    format.is_in_build() && !format.is_dataset()
}

/// Returns all formats of the package, each with its name, its extensions, `true` if it can be read, and `true` if it
/// can be written.
#[pyfunction]
pub(crate) fn formats() -> Vec<(&'static str, Vec<&'static str>, bool, bool)> {
    let formats = Format::ALL
        .iter()
        .copied()
        .filter(|format| is_offered(*format));
    let facts = |format: Format| {
        let extensions = format.extensions().to_vec();
        let directions = (format.can_read(), format.can_write());
        (format.name(), extensions, directions.0, directions.1)
    };
    formats.map(facts).collect()
}

/// Returns the name of the format for the extension of a path; `None` if the extension is unknown. The package may lack
/// the format.
#[pyfunction]
pub(crate) fn format_of_name(path: PathBuf) -> Option<&'static str> {
    Format::from_path(&path).map(Format::name)
}

/// Raises an exception if one of the `given` options has no effect when a file of the format `name` is read.
#[pyfunction]
pub(crate) fn check_read_options(name: &str, given: Vec<String>) -> PyResult<()> {
    let format = format(name)?;
    let fields = [
        ("layout", ReadField::Layout),
        ("space", ReadField::Space),
        ("from_zero", ReadField::FromZero),
        ("pauses", ReadField::Pauses),
        ("ignore_unknown", ReadField::IgnoreUnknown),
        ("skip_bad", ReadField::SkipBad),
        ("recording", ReadField::Recording),
        ("mappings", ReadField::Mappings),
        ("side", ReadField::Side),
        ("min_confidence", ReadField::MinConfidence),
        ("keep_jitter", ReadField::KeepJitter),
        ("palms_from_controllers", ReadField::PalmsFromControllers),
    ];
    let given =
        fields.map(|(option, field)| (option, field, given.iter().any(|name| name == option)));
    Ok(format.check_read(given).map_err(Failure::from)?)
}

/// Returns the name of the format of a file: by its bytes, else by its name, else `bin`. Raises `ConvertError` for a file that is
/// recognised and not read.
#[pyfunction]
pub(crate) fn detect_format(bytes: &[u8], path: Option<PathBuf>) -> PyResult<&'static str> {
    let file = InputFile {
        bytes,
        path: path.as_deref(),
        format: None,
    };
    Ok(file.check_format().map_err(Failure::from)?.name())
}

/// The messages of the losses and the notes of a conversion.
pub(crate) type Texts = (Vec<String>, Vec<String>);

pub(crate) fn texts(report: &Report) -> Texts {
    let losses = report.losses.iter().map(|loss| loss.message.clone());
    let notes = report.notes.iter().map(|note| note.message.clone());
    (losses.collect(), notes.collect())
}

/// The messages of the losses and the notes of a file that is written, and the warnings.
pub(crate) type WrittenTexts = (Vec<String>, Vec<String>, Vec<String>);

/// Returns the messages about a file that is written. There is a warning for each loss. A warning about a device also names the
/// format that holds everything.
pub(crate) fn written_texts(report: &Report) -> WrittenTexts {
    let hint = Note::of_lost_devices(&report.losses);
    let losses = report.losses.iter();
    let warnings = losses.map(|loss| match &hint {
        Some(hint) if loss.kind == LossKind::Devices => format!("lost: {loss}; {hint}"),
        _ => format!("lost: {loss}"),
    });
    let warnings = warnings.collect();
    let (losses, notes) = texts(report);
    (losses, notes, warnings)
}

/// Converts a recording to the format `name`. `start_time` is microseconds since 1970-01-01T00:00:00Z. Returns the
/// bytes of the file, the losses, notes and warnings, and the kinds of damage that the output hides.
#[pyfunction]
#[pyo3(signature = (recording, name, *, layout, allow_loss, rate, keys, space, shape, markers, start, end, labels, source,
    clip_name, hand, scale, start_time, no_limits))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn export<'py>(
    py: Python<'py>,
    recording: &NativeRecording,
    name: &str,
    layout: Option<&str>,
    allow_loss: bool,
    rate: Option<f64>,
    keys: bool,
    space: Option<&str>,
    shape: Option<&str>,
    markers: bool,
    start: Option<f32>,
    end: Option<f32>,
    labels: Vec<(String, String)>,
    source: Option<String>,
    clip_name: Option<String>,
    hand: Option<&str>,
    scale: Option<f64>,
    start_time: Option<u64>,
    no_limits: bool,
) -> PyResult<(Bound<'py, PyBytes>, WrittenTexts, Vec<DamageKind>)> {
    let format = format(name)?;
    let mut options = WriteOptions::default();
    options.limits = limits(no_limits);
    options.layout = layout.map(names::layout).transpose()?;
    options.allow_loss = allow_loss;
    options.markers = markers;
    if let Some(name) = shape {
        options.shape = name.parse().map_err(Failure::from)?;
    }
    let given = [
        ("layout", WriteField::Layout, layout.is_some()),
        ("allow_loss", WriteField::AllowLoss, allow_loss),
        ("rate", WriteField::Rate, rate.is_some()),
        ("times", WriteField::KeyTimes, keys),
        ("space", WriteField::Space, space.is_some()),
        ("shape", WriteField::Shape, shape.is_some()),
        ("markers", WriteField::Markers, markers),
        ("start", WriteField::Time, start.is_some()),
        ("end", WriteField::Time, end.is_some()),
        ("labels", WriteField::Labels, !labels.is_empty()),
        ("source", WriteField::Source, source.is_some()),
        ("clip_name", WriteField::ClipName, clip_name.is_some()),
        ("hand", WriteField::Hand, hand.is_some()),
        ("scale", WriteField::Scale, scale.is_some()),
        ("start_time", WriteField::StartTime, start_time.is_some()),
    ];
    format
        .check_written(options.shape, given)
        .map_err(|error| {
            let failure = Failure::from(error);
            match error.option {
                "start" | "end" => failure.with_hint("trim(start, end) cuts the recording first"),
                _ => failure,
            }
        })?;
    options.space = space.map(names::space).transpose()?.unwrap_or_default();
    match (rate, keys) {
        (Some(_), true) => {
            let message = "expected either a rate or the times of keys, found both";
            return Err(Failure::invalid(message).into());
        }
        (Some(rate), false) => options.sampling = Sampling::Rate(rate),
        (None, true) => options.sampling = Sampling::Keys,
        (None, false) => {}
    }
    if start.is_some() || end.is_some() {
        let recorded = recording.file.content()?.covered_range();
        options.time = Some(TimeRange::within(start, end, recorded).map_err(Failure::from)?);
    }
    options.labels = labels;
    options.source = source;
    options.clip_name = clip_name.unwrap_or(options.clip_name);
    options.hand = hand.map(names::side).transpose()?;
    options.scale = scale.unwrap_or(options.scale);
    options.start_time = Duration::from_micros(start_time.unwrap_or_default());
    let is_evaluated = format.is_evaluated(options.shape);
    let file = Arc::clone(&recording.file);
    let (output, texts) = interruptible(py, recording.file.size(), move || {
        let content = file.content()?;
        let (output, report) = write_bytes(format, &content, &options)?;
        Ok::<_, Failure>((output, written_texts(&report)))
    })??;
    let damage = if is_evaluated {
        recording.damage(py, None, None)?
    } else {
        Vec::new()
    };
    Ok((PyBytes::new(py, &output), texts, damage))
}

/// Converts the bytes of a file of the format `name` to a recording. Returns the recording, the losses and the notes.
#[pyfunction]
#[pyo3(name = "import_", signature = (bytes, name, *, layout, space, from_zero, pauses, ignore_unknown, skip_bad,
    recording, mappings, side, min_confidence, keep_jitter, palms_from_controllers, folder, file_name, no_limits))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn import(
    py: Python<'_>,
    bytes: PyBackedBytes,
    name: &str,
    layout: Option<&str>,
    space: Option<&str>,
    from_zero: bool,
    pauses: Option<&str>,
    ignore_unknown: bool,
    skip_bad: bool,
    recording: Option<String>,
    mappings: Vec<String>,
    side: Option<&str>,
    min_confidence: Option<f32>,
    keep_jitter: bool,
    palms_from_controllers: bool,
    folder: Option<PathBuf>,
    file_name: Option<String>,
    no_limits: bool,
) -> PyResult<(NativeRecording, Texts)> {
    let format = format(name)?;
    let mut options = ReadOptions::default();
    options.layout = layout.map(names::layout).transpose()?;
    options.space = space.map(names::space).transpose()?;
    options.from_zero = from_zero;
    if let Some(pauses) = pauses {
        options.pauses = pauses
            .parse()
            .map_err(|error: InvalidPauses| Failure::of("InvalidArgument", &error))?;
    }
    options.ignore_unknown = ignore_unknown;
    options.skip_bad = skip_bad;
    options.recording = recording;
    let mappings = mappings.iter().map(|mapping| mapping.parse());
    options.mappings = mappings
        .collect::<Result<_, _>>()
        .map_err(|error: InvalidMapping| Failure::of("InvalidArgument", &error))?;
    options.side = side.map(names::side).transpose()?;
    options.file_name = file_name;
    options.min_confidence = min_confidence;
    options.keep_jitter = keep_jitter;
    options.palms_from_controllers = palms_from_controllers;
    options.limits = limits(no_limits);
    if let Some(folder) = folder {
        options.files = FileAccess::folder(folder, options.limits);
    }
    let (written, texts) = interruptible(py, bytes.len(), move || {
        let (mut recording, report) = read_in_layout(format, &bytes, &options)?;
        Ok::<_, Failure>((RecordingBytes::of(&mut recording)?, texts(&report)))
    })??;
    Ok((NativeRecording::of_written(py, written), texts))
}
