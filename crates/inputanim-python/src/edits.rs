//! Edits of the class `Recording`. Each returns another recording.

use std::collections::BTreeMap;
use std::sync::Arc;

use inputanim::Limits;
use inputanim::edit::{
    self, AddMarker, Align, Anchor, ClockMarker, Edit, EditReport, Fill, Join, Mirror, MoveMarker,
    NameTriggers, Origin, Reduce, RemoveMarker, RenameMarker, Repeat, Resample, Retime, Select,
    Shift, Smooth, TransformSteps, Trim,
};
use pyo3::prelude::*;

use crate::failure::Failure;
use crate::names::side;
use crate::recording::{NativeRecording, RecordingBytes, RecordingFile, json, limits};
use crate::work::interruptible;

impl NativeRecording {
    /// Applies an edit to a copy of the recording. Returns the copy and the report of the edit.
    fn apply(
        &self,
        py: Python<'_>,
        edit: impl Into<Edit>,
        limits: Limits,
    ) -> PyResult<(NativeRecording, EditReport)> {
        let edit = edit.into();
        edit.check().map_err(Failure::of_argument)?;
        self.edited(py, move |content| Ok(edit.apply(content, &limits)?))
    }

    /// Applies an edit to a copy of the recording, and returns the copy without the report of the edit.
    fn changed(&self, py: Python<'_>, edit: impl Into<Edit>) -> PyResult<NativeRecording> {
        Ok(self.apply(py, edit, Limits::default())?.0)
    }

    /// Applies an edit to a copy of the recording. Returns the copy and the report of the edit as JSON.
    fn reported(
        &self,
        py: Python<'_>,
        edit: impl Into<Edit>,
    ) -> PyResult<(NativeRecording, String)> {
        let (recording, report) = self.apply(py, edit, Limits::default())?;
        Ok((recording, json(&report)?))
    }
}

#[pymethods]
impl NativeRecording {
    fn repair(&self, py: Python<'_>) -> PyResult<(NativeRecording, String)> {
        self.reported(py, Edit::Repair)
    }

    fn forget_zeros(&self, py: Python<'_>) -> PyResult<(NativeRecording, String)> {
        self.reported(py, Edit::ForgetZeros)
    }

    fn trim(
        &self,
        py: Python<'_>,
        start: Option<f32>,
        end: Option<f32>,
        keep_times: bool,
    ) -> PyResult<NativeRecording> {
        let mut options = Trim::default();
        (options.start, options.end, options.keep_times) = (start, end, keep_times);
        self.changed(py, options)
    }

    fn shift(&self, py: Python<'_>, seconds: f32) -> PyResult<NativeRecording> {
        self.changed(py, Shift::new(seconds))
    }

    fn retime(
        &self,
        py: Python<'_>,
        speed: Option<f64>,
        duration: Option<f32>,
    ) -> PyResult<NativeRecording> {
        let mut options = Retime::default();
        (options.speed, options.duration) = (speed, duration);
        self.changed(py, options)
    }

    #[pyo3(signature = (markers, *, names, zero, tolerance, max_drift, offset, offset_only))]
    #[allow(clippy::too_many_arguments)]
    fn align(
        &self,
        py: Python<'_>,
        markers: Vec<(f64, String)>,
        names: Vec<String>,
        zero: f64,
        tolerance: Option<f64>,
        max_drift: Option<f64>,
        offset: Option<[f64; 2]>,
        offset_only: bool,
    ) -> PyResult<(NativeRecording, String)> {
        let markers = markers.into_iter();
        let markers = markers.map(|(time, name)| ClockMarker::new(time, name));
        let mut options = Align::new(markers.collect());
        (options.names, options.zero) = (names, zero);
        options.tolerance = tolerance.unwrap_or(options.tolerance);
        options.max_drift = max_drift.unwrap_or(options.max_drift);
        (options.offset, options.offset_only) = (offset, offset_only);
        self.reported(py, options)
    }

    fn resample(&self, py: Python<'_>, rate: f64, no_limits: bool) -> PyResult<NativeRecording> {
        Ok(self.apply(py, Resample::new(rate), limits(no_limits))?.0)
    }

    #[pyo3(signature = (*, joints, exclude, markers, exclude_markers))]
    fn select(
        &self,
        py: Python<'_>,
        joints: Vec<String>,
        exclude: Vec<String>,
        markers: Vec<String>,
        exclude_markers: Vec<String>,
    ) -> PyResult<(NativeRecording, Vec<String>)> {
        let mut options = Select::default();
        (options.joints, options.exclude) = (joints, exclude);
        (options.markers, options.exclude_markers) = (markers, exclude_markers);
        let (recording, report) = self.apply(py, options, Limits::default())?;
        let unmatched = match report {
            EditReport::UnmatchedMarkers(names) => names,
            _ => Vec::new(),
        };
        Ok((recording, unmatched))
    }

    fn mirror(&self, py: Python<'_>, across: &str) -> PyResult<NativeRecording> {
        let mut options = Mirror::default();
        options.across = across.parse().map_err(Failure::from)?;
        self.changed(py, options)
    }

    #[pyo3(signature = (*, origin, scale, yaw, rotate, move_by, anchor, inverse))]
    #[allow(clippy::too_many_arguments)]
    fn transform(
        &self,
        py: Python<'_>,
        origin: Option<&str>,
        scale: Option<f64>,
        yaw: Option<f64>,
        rotate: Option<[f64; 4]>,
        move_by: Option<[f64; 3]>,
        anchor: Option<([f64; 3], [f64; 4], f64)>,
        inverse: bool,
    ) -> PyResult<NativeRecording> {
        let origin = origin
            .map(|name| name.parse::<Origin>().map_err(Failure::from))
            .transpose()?;
        let mut options = TransformSteps::default();
        (options.origin, options.scale, options.yaw) = (origin, scale, yaw);
        (options.rotate, options.move_by) = (rotate, move_by);
        options.anchor =
            anchor.map(|(position, rotation, scale)| Anchor::new(position, rotation, scale));
        options.inverse = inverse;
        self.changed(py, options)
    }

    #[pyo3(signature = (*, min_cutoff, beta, rotation_beta, derivative_cutoff, joints, exclude))]
    #[allow(clippy::too_many_arguments)]
    fn smooth(
        &self,
        py: Python<'_>,
        min_cutoff: Option<f64>,
        beta: Option<f64>,
        rotation_beta: Option<f64>,
        derivative_cutoff: Option<f64>,
        joints: Vec<String>,
        exclude: Vec<String>,
    ) -> PyResult<(NativeRecording, Vec<String>)> {
        let mut options = Smooth::default();
        let fields = [
            (&mut options.min_cutoff, min_cutoff),
            (&mut options.beta, beta),
            (&mut options.rotation_beta, rotation_beta),
            (&mut options.derivative_cutoff, derivative_cutoff),
        ];
        for (field, value) in fields {
            *field = value.unwrap_or(*field);
        }
        (options.joints, options.exclude) = (joints, exclude);
        let (recording, report) = self.apply(py, options, Limits::default())?;
        let losses = match report {
            EditReport::Smooth(losses) => losses,
            _ => Vec::new(),
        };
        let losses = losses.iter();
        let losses = losses.map(|loss| format!("lost velocities of smoothed poses: {loss}"));
        Ok((recording, losses.collect()))
    }

    fn fill(
        &self,
        py: Python<'_>,
        method: &str,
        max_length: Option<f32>,
        hand: Option<&str>,
    ) -> PyResult<(NativeRecording, String)> {
        let mut options = Fill::new(method.parse().map_err(Failure::from)?);
        options.max_length = max_length;
        options.hand = hand.map(side).transpose()?;
        self.reported(py, options)
    }

    #[pyo3(signature = (*, position, rotation, head_position, head_rotation, gaze_origin, gaze_direction, point, input,
        method, partition, tangents))]
    #[allow(clippy::too_many_arguments)]
    fn reduce(
        &self,
        py: Python<'_>,
        position: Option<f64>,
        rotation: Option<f64>,
        head_position: Option<f64>,
        head_rotation: Option<f64>,
        gaze_origin: Option<f64>,
        gaze_direction: Option<f64>,
        point: Option<f64>,
        input: Option<f64>,
        method: &str,
        partition: Option<usize>,
        tangents: bool,
    ) -> PyResult<(NativeRecording, String)> {
        let mut options = Reduce::default();
        (options.position, options.rotation) = (position, rotation);
        (options.head_position, options.head_rotation) = (head_position, head_rotation);
        (options.gaze_origin, options.gaze_direction) = (gaze_origin, gaze_direction);
        (options.point, options.partition, options.tangents) = (point, partition, tangents);
        options.input = input;
        options.method = method.parse().map_err(Failure::from)?;
        self.reported(py, options)
    }

    #[pyo3(signature = (times, *, gap, blend))]
    fn repeat(
        &self,
        py: Python<'_>,
        times: u32,
        gap: Option<f32>,
        blend: Option<f32>,
    ) -> PyResult<NativeRecording> {
        self.changed(py, Repeat::new(times, gap, blend))
    }

    fn add_marker(&self, py: Python<'_>, time: f32, name: String) -> PyResult<NativeRecording> {
        self.changed(py, AddMarker::new(time, name))
    }

    fn remove_marker(&self, py: Python<'_>, index: usize) -> PyResult<NativeRecording> {
        self.changed(py, RemoveMarker::new(index))
    }

    fn rename_marker(
        &self,
        py: Python<'_>,
        index: usize,
        name: String,
    ) -> PyResult<NativeRecording> {
        self.changed(py, RenameMarker::new(index, name))
    }

    fn name_triggers(
        &self,
        py: Python<'_>,
        names: BTreeMap<String, String>,
    ) -> PyResult<(NativeRecording, String)> {
        let mut options = NameTriggers::default();
        options.names = names;
        self.reported(py, options)
    }

    fn move_marker(&self, py: Python<'_>, index: usize, time: f32) -> PyResult<NativeRecording> {
        self.changed(py, MoveMarker::new(index, time))
    }

    fn split(&self, py: Python<'_>, times: Vec<f32>) -> PyResult<Vec<NativeRecording>> {
        let parts = self.result(py, move |content| {
            let parts = edit::split(content, &times)?;
            let parts = parts
                .into_iter()
                .map(|mut part| RecordingBytes::of(&mut part));
            parts.collect::<Result<Vec<_>, Failure>>()
        })?;
        let parts = parts.into_iter();
        Ok(parts
            .map(|part| NativeRecording::of_written(py, part))
            .collect())
    }

    /// Returns the time in seconds of the middle of each gap in which `hand` is not tracked. Without a hand, a gap is a
    /// time in which no hand is tracked.
    fn gap_times(&self, hand: Option<&str>) -> PyResult<Vec<f32>> {
        let hand = hand.map(side).transpose()?;
        Ok(edit::gap_times(&self.file.content()?, hand))
    }

    /// Returns the times in seconds that divide the recording into a number of equal parts, without its start and its
    /// end.
    fn equal_times(&self, parts: u32) -> PyResult<Vec<f32>> {
        let times = edit::equal_times(&self.file.content()?, parts);
        Ok(times.map_err(Failure::from)?)
    }
}

/// Joins several recordings into one, in their order. Between two of them is a pause of `gap` seconds, or a transition
/// of `blend` seconds.
#[pyfunction]
#[pyo3(signature = (recordings, *, gap, blend))]
pub(crate) fn concat(
    py: Python<'_>,
    recordings: Vec<Py<NativeRecording>>,
    gap: Option<f32>,
    blend: Option<f32>,
) -> PyResult<(NativeRecording, Vec<String>)> {
    let join = Join::new(gap, blend).map_err(Failure::from)?;
    let files = recordings.iter().map(|part| Arc::clone(&part.get().file));
    let files: Vec<Arc<RecordingFile>> = files.collect();
    let size = files.iter().map(|file| file.size()).sum();
    if files.is_empty() {
        return Err(Failure::invalid("expected at least one recording, found none").into());
    }
    edit::check_size(size as u64, &Limits::default()).map_err(Failure::from)?;
    let joined = interruptible(py, size, move || {
        let parts: Result<Vec<_>, Failure> = files.iter().map(|file| file.content()).collect();
        let parts = parts?;
        let lost = edit::invented_pinches(&parts).into_iter();
        let lost: Vec<String> = lost.map(|pinches| pinches.to_string()).collect();
        RecordingBytes::of(&mut edit::concat(&parts, join)?).map(|joined| (joined, lost))
    })??;
    let (joined, lost) = joined;
    Ok((NativeRecording::of_written(py, joined), lost))
}
