//! The class `Scan`: rows of many recordings as a stream of Arrow.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use arrow_array::ffi_stream::FFI_ArrowArrayStream;
use arrow_array::{RecordBatch, RecordBatchIterator, RecordBatchReader};
use arrow_schema::ArrowError;
use arrow_schema::ffi::FFI_ArrowSchema;
use inputanim::TimeRange;
use inputanim_analysis::AnalysisParameters;
use inputanim_scan::{
    Catalog, FileBytes, Sampling, Scan, ScanError, ScanOptions, Segments, Source,
};
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyCapsule;
use serde::Deserialize;

use crate::failure::Failure;
use crate::formats;
use crate::recording::NativeRecording;
use crate::values::system_path;

/// The options of a scan as JSON. The package passes all of them.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Options {
    shape: String,
    format: Option<String>,
    columns: Option<Vec<String>>,
    file_column: Option<String>,
    recording_column: Option<String>,
    path_pattern: Option<String>,
    rate: Option<f64>,
    keys: bool,
    start: Option<f32>,
    end: Option<f32>,
    joints: Vec<String>,
    exclude: Vec<String>,
    space: Option<inputanim::Space>,
    points: Option<usize>,
    measures: Vec<String>,
    kinds: Vec<String>,
    parameters: Option<serde_json::Value>,
    limit: Option<u64>,
    errors: String,
    recover: bool,
    repair: bool,
    forget_zeros: bool,
    pauses: inputanim::Pauses,
    no_limits: bool,
    threads: usize,
    batch_rows: usize,
    catalog: Option<PathBuf>,
}

pub(crate) fn invalid(error: impl std::error::Error) -> Failure {
    Failure::of("InvalidArgument", &error)
}

/// Parses the options of a scan from JSON. `segments` is a string such as `markers` or `pinch@-0.5..1`, or the path of
/// a trial table; `None` for complete recordings.
fn options(json: &str, segments: Option<OsString>) -> Result<ScanOptions, Failure> {
    let given: Options = serde_json::from_str(json)?;
    let mut options = ScanOptions::default();
    options.shape = given.shape.parse().map_err(invalid)?;
    options.format = given.format.as_deref().map(formats::format).transpose()?;
    options.columns = given.columns;
    options.file_column = given.file_column;
    options.recording_column = given.recording_column;
    let pattern = given.path_pattern.map(|pattern| pattern.parse());
    options.path_pattern = pattern.transpose().map_err(invalid)?;
    options.points = given.points;
    if given.keys {
        options.sampling = Sampling::Keys;
    }
    if given.start.is_some() || given.end.is_some() {
        let range = TimeRange::between(given.start, given.end).map_err(Failure::from)?;
        options.time = Some(range.into());
    }
    options.joints = given.joints;
    options.exclude = given.exclude;
    options.space = given.space.unwrap_or_default();
    if let Some(segments) = segments {
        options.segments = Segments::from_text(segments, &options.limits).map_err(invalid)?;
    }
    options.measures = given.measures;
    let kinds = given.kinds.iter().map(|kind| kind.parse());
    options.kinds = kinds.collect::<Result<_, _>>().map_err(invalid)?;
    options.parameters = AnalysisParameters::from_json(&given.parameters.unwrap_or_default())?;
    if let Some(rate) = given.rate {
        options.set_rate(rate)?;
    }
    options.limit = given.limit;
    options.on_error = given.errors.parse().map_err(invalid)?;
    options.corrections.recover = given.recover;
    options.corrections.repair = given.repair;
    options.corrections.forget_zeros = given.forget_zeros;
    options.pauses = given.pauses;
    if given.no_limits {
        options.lift_limits();
    }
    options.threads = given.threads;
    options.batch_rows = given.batch_rows;
    let limits = options.limits;
    let catalog = given.catalog.as_deref();
    let catalog = catalog.map(|path| Catalog::read(path, &limits));
    options.catalog = catalog.transpose().map_err(ScanError::from)?;
    Ok(options)
}

/// A path, or a name with a recording in memory.
#[derive(FromPyObject)]
pub(crate) enum PySource {
    Path(PathBuf),
    Recording(OsString, Py<NativeRecording>),
}

impl PySource {
    pub(crate) fn into_source(self, py: Python<'_>) -> Source {
        match self {
            PySource::Path(path) => Source::from(path),
            PySource::Recording(name, recording) => {
                let name = name.to_string_lossy().into_owned();
                let file = &recording.get().file;
                match file.content() {
                    // A file cannot hold all parts of this recording; other files are not copied.
                    Ok(content) if !file.parts.is_empty() => Source::Recording {
                        name,
                        recording: Arc::new(content.into_owned()),
                    },
                    _ => Source::Bytes {
                        name,
                        bytes: FileBytes::new(file.bytes.clone_ref(py)),
                    },
                }
            }
        }
    }
}

/// Name, type, unit and meaning of each column.
type Fields = Vec<(String, String, &'static str, String)>;

fn described(fields: &[inputanim_scan::Field]) -> Fields {
    use inputanim_scan::DataType as T;
    let described = |field: &inputanim_scan::Field| {
        let data_type = match field.data_type {
            T::Float32 => "float32",
            T::Float64 => "float64",
            T::Int32 => "int32",
            T::Int64 => "int64",
            T::Boolean => "bool",
            T::Words(_) => "category",
            _ => "string",
        };
        let meaning = field.meaning.to_string();
        (
            field.name.to_string(),
            data_type.to_owned(),
            field.unit,
            meaning,
        )
    };
    fields.iter().map(described).collect()
}

/// Returns the columns of a scan with these options, without reading a file.
#[pyfunction]
#[pyo3(signature = (json, segments))]
pub(crate) fn scan_fields(json: &str, segments: Option<OsString>) -> PyResult<Fields> {
    let fields = options(json, segments)?.fields().map_err(Failure::from)?;
    Ok(described(&fields))
}

/// A scan of many recordings.
#[pyclass(name = "Scan", module = "inputanim._native", frozen)]
pub(crate) struct NativeScan(Scan);

fn stream<'py>(
    py: Python<'py>,
    reader: impl RecordBatchReader + Send + 'static,
) -> PyResult<Bound<'py, PyCapsule>> {
    let stream = FFI_ArrowArrayStream::new(Box::new(reader));
    PyCapsule::new_with_value(py, stream, c"arrow_array_stream")
}

#[pymethods]
impl NativeScan {
    /// Finds the files of the sources, and checks the options in `json`. `segments` is a string such as `markers` or
    /// `pinch@-0.5..1`, or the path of a trial table; `None` for complete recordings.
    #[new]
    #[pyo3(signature = (sources, json, segments))]
    fn new(
        py: Python<'_>,
        sources: Vec<PySource>,
        json: &str,
        segments: Option<OsString>,
    ) -> PyResult<NativeScan> {
        let options = options(json, segments)?;
        let sources = sources.into_iter().map(|source| source.into_source(py));
        let sources: Vec<Source> = sources.collect();
        let scan = py.detach(|| Scan::new(sources, options));
        Ok(NativeScan(scan.map_err(Failure::from)?))
    }

    /// Returns a scan of the same files with other columns.
    fn with_columns(&self, columns: Vec<String>) -> PyResult<NativeScan> {
        Ok(NativeScan(
            self.0.with_columns(columns).map_err(Failure::from)?,
        ))
    }

    /// Returns a scan of the files with these indices.
    fn with_files(&self, files: Vec<usize>) -> NativeScan {
        NativeScan(self.0.with_files(&files))
    }

    /// Returns a scan of the same files that ends after a number of rows.
    fn with_limit(&self, rows: u64) -> NativeScan {
        NativeScan(self.0.with_limit(rows))
    }

    /// Returns the times or percentages of the rows of each segment, if they are known without a recording.
    fn segment_times(&self) -> Option<Vec<f64>> {
        self.0.options().segment_times()
    }

    fn fields(&self) -> Fields {
        described(self.0.fields())
    }

    /// Returns path, size in bytes and name of the recording of all files, in the order of their rows.
    fn files(&self) -> Vec<(OsString, u64, String)> {
        let files = self.0.files().iter();
        files
            .map(|file| {
                (
                    system_path(file.path(), &file.name),
                    file.bytes,
                    file.recording.to_string(),
                )
            })
            .collect()
    }

    /// Returns the files that were skipped until now, each with its message, curve and byte offset.
    fn errors(&self) -> Vec<SkippedFile> {
        self.0.errors().into_iter().map(skipped).collect()
    }

    /// Returns the files that were read until now and have damage that changes the selected columns, each with the
    /// codes of the damage.
    fn damaged(&self) -> Vec<Damaged> {
        self.0.damaged().into_iter().map(damaged).collect()
    }

    /// Returns the notices about the files that were read until now, each with its file, kind and details, and `true`
    /// if it is only a note.
    fn notices(&self) -> Vec<Noticed> {
        self.0.notices().into_iter().map(noticed).collect()
    }

    /// Returns the rows as a capsule with a stream of the C data interface of Arrow.
    fn stream<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        stream(py, self.0.record_batches())
    }

    /// Returns the schema of the rows as a capsule of the C data interface of Arrow.
    fn schema<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        let schema = FFI_ArrowSchema::try_from(self.0.schema().as_ref())
            .map_err(|error| Failure::of("ScanError", &error))?;
        PyCapsule::new_with_value(py, schema, c"arrow_schema")
    }

    /// Starts to compute the rows, and returns an iterator over their batches.
    fn batches(&self) -> PyResult<NativeBatches> {
        let (sender, receiver) = mpsc::sync_channel(0);
        let scan = self.0.clone();
        // The rows are computed by threads of the scan; this one waits for them, because waiting in the thread of the
        // caller would keep it from seeing Ctrl-C. It ends when the receiver is dropped.
        let thread = std::thread::Builder::new().spawn(move || {
            for batch in scan.record_batches() {
                if sender.send(batch).is_err() {
                    return;
                }
            }
        })?;
        Ok(NativeBatches {
            process: std::process::id(),
            rows: Mutex::new(Some(Rows {
                receiver,
                thread: Some(thread),
            })),
        })
    }
}

/// File and codes.
pub(crate) type Damaged = (OsString, String);

/// Converts a file with damage to a tuple of its path and the codes of the damage.
pub(crate) fn damaged(file: inputanim_scan::DamagedFile) -> Damaged {
    (system_path(file.path.as_deref(), &file.file), file.damage)
}

/// File, kind and details, and `true` for a note.
pub(crate) type Noticed = (OsString, &'static str, String, bool);

/// Converts a notice about a file to a tuple of path, kind and details, and `true` for a note.
pub(crate) fn noticed(file: inputanim_scan::FileNotice) -> Noticed {
    let path = system_path(file.path.as_deref(), &file.file);
    let notice = file.notice;
    (path, notice.kind(), notice.detail(), notice.is_note())
}

/// File, message, curve and byte.
pub(crate) type SkippedFile = (OsString, String, Option<String>, Option<u64>);

/// Converts the error of a skipped file to a tuple of path, message, curve and byte offset.
pub(crate) fn skipped(error: inputanim_scan::FileError) -> SkippedFile {
    let curve = error.curve().map(|curve| curve.to_string());
    let byte = error.byte();
    let file = system_path(error.path.as_ref().map(|path| path.as_path()), &error.file);
    (file, error.problem.to_string(), curve, byte)
}

type BatchResult = Result<RecordBatch, ArrowError>;

/// The rows of a scan, batch by batch.
#[pyclass(name = "Batches", module = "inputanim._native", frozen)]
pub(crate) struct NativeBatches {
    /// The id of the process that has the threads.
    process: u32,
    /// `None` only while it is dropped.
    rows: Mutex<Option<Rows>>,
}

struct Rows {
    receiver: Receiver<BatchResult>,
    /// The thread that sends the rows; `None` after its end.
    thread: Option<JoinHandle<()>>,
}

/// The interval at which a waiting call looks for signals.
const SIGNALS: Duration = Duration::from_millis(50);

impl NativeBatches {
    fn receive(&self) -> Result<BatchResult, RecvTimeoutError> {
        // In a child of fork, the lock may be held forever, and nothing is sent.
        if self.is_forked() {
            return Ok(Err(ArrowError::ExternalError(Box::new(ScanError::Forked))));
        }
        let mut rows = self.rows.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(rows) = rows.as_mut() else {
            return Err(RecvTimeoutError::Disconnected);
        };
        let received = rows.receiver.recv_timeout(SIGNALS);
        // A panic also disconnects. It must not look like the end of the rows.
        if matches!(received, Err(RecvTimeoutError::Disconnected))
            && let Some(thread) = rows.thread.take()
            && let Err(panic) = thread.join()
        {
            std::panic::resume_unwind(panic);
        }
        received
    }

    fn is_forked(&self) -> bool {
        self.process != std::process::id()
    }
}

impl Drop for NativeBatches {
    fn drop(&mut self) {
        if self.is_forked() {
            // Dropping a receiver locks what it shares with the sender.
            let rows = self.rows.get_mut().unwrap_or_else(PoisonError::into_inner);
            std::mem::forget(rows.take());
        }
    }
}

#[pymethods]
impl NativeBatches {
    /// Waits for the next batch, and returns it. Raises `StopIteration` at the end. Ctrl-C ends the wait.
    fn next(&self, py: Python<'_>) -> PyResult<NativeBatch> {
        loop {
            match py.detach(|| self.receive()) {
                Ok(Ok(batch)) => return Ok(NativeBatch(batch)),
                Ok(Err(ArrowError::ExternalError(error))) => {
                    return Err(match error.downcast::<ScanError>() {
                        Ok(error) => Failure::from(*error).into(),
                        Err(error) => Failure::of("ScanError", error.as_ref()).into(),
                    });
                }
                Ok(Err(error)) => return Err(Failure::of("ScanError", &error).into()),
                Err(RecvTimeoutError::Timeout) => py.check_signals()?,
                Err(RecvTimeoutError::Disconnected) => return Err(PyStopIteration::new_err(())),
            }
        }
    }
}

/// Some rows of a scan.
#[pyclass(name = "Batch", module = "inputanim._native", frozen)]
pub(crate) struct NativeBatch(RecordBatch);

#[pymethods]
impl NativeBatch {
    /// The number of rows of the batch.
    #[getter]
    fn rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Returns the rows as a capsule with a stream of the C data interface of Arrow, which has one batch. It shares the
    /// memory of this batch.
    #[pyo3(signature = (requested_schema=None))]
    fn __arrow_c_stream__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyCapsule>> {
        // The consumer casts, as the protocol allows.
        drop(requested_schema);
        let batch = Ok(self.0.clone());
        stream(py, RecordBatchIterator::new([batch], self.0.schema()))
    }
}
