//! The class `Analysis`: measures, events, series and figures.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use inputanim::names::ElementChoice;
use inputanim::{Limits, TimeRange, UnknownName};
use inputanim_analysis::{
    Analysis, AnalysisParameters, EventKind, Measure, PlotOptions, Quantity, Theme,
    UnknownEventKind, choose_measures, plot,
};
use inputanim_scan::{ScanError, TargetFileError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::Failure;
use crate::recording::{DamageKind, NativeRecording, damage_kinds, json};
use crate::scan::invalid;
use crate::work::interruptible;

/// An analysed recording.
#[pyclass(name = "Analysis", module = "inputanim._native", frozen)]
pub(crate) struct NativeAnalysis(Analysis);

#[pymethods]
impl NativeAnalysis {
    /// Analyses a recording. `options` is a JSON object with the names and values of parameters; the others have their
    /// defaults.
    #[new]
    fn new(py: Python<'_>, recording: &NativeRecording, options: &str) -> PyResult<NativeAnalysis> {
        let options = serde_json::from_str(options).map_err(Failure::from)?;
        let options = AnalysisParameters::from_json(&options).map_err(Failure::from)?;
        let file = Arc::clone(&recording.file);
        let size = file.size();
        let work = move || Ok::<_, Failure>(Analysis::of(&file.content()?, &options)?);
        Ok(NativeAnalysis(interruptible(py, size, work)??))
    }

    /// Returns the default parameters of an analysis as JSON.
    #[staticmethod]
    fn default_parameters() -> PyResult<String> {
        Ok(json(&AnalysisParameters::default())?)
    }

    /// Returns the definitions of all measures as JSON.
    #[staticmethod]
    fn quantities() -> PyResult<String> {
        Ok(json(&Quantity::ALL)?)
    }

    /// Returns the kinds of damage of the curves that the analysis uses, as `Recording.damage` does.
    fn damage(&self) -> Vec<DamageKind> {
        damage_kinds(self.0.quality.used_findings().map(|finding| finding.code))
    }

    /// Returns the analysed time range in seconds.
    fn range(&self) -> (f32, f32) {
        (self.0.range.start, self.0.range.end)
    }

    /// Returns the part of a time range in seconds that is in the recording. `None` is the start or the end of the
    /// recording. Raises an exception if the range ends before it starts, or is outside of the recording.
    fn within(&self, start: Option<f32>, end: Option<f32>) -> PyResult<(f32, f32)> {
        let TimeRange { start, end } =
            TimeRange::within(start, end, self.0.range).map_err(Failure::from)?;
        Ok((start, end))
    }

    /// Returns measures of a time range in seconds as a JSON array: those that `names` select, or all if it is empty.
    /// `None` is the start or the end of the recording.
    fn measures(
        &self,
        py: Python<'_>,
        start: Option<f32>,
        end: Option<f32>,
        names: Vec<String>,
    ) -> PyResult<String> {
        let range = TimeRange::within(start, end, self.0.range).map_err(Failure::from)?;
        Ok(py.detach(|| {
            let all = self.0.measures(range).rows;
            let chosen = choose_measures(&all, &names, &self.0.parameters)?;
            let chosen: Vec<&Measure> = chosen.iter().map(|&index| &all[index]).collect();
            json(&chosen)
        })?)
    }

    /// Returns notes about the analysis, such as devices that no parameter names.
    fn notes(&self) -> Vec<String> {
        let notes = self.0.notes().into_iter().chain(self.0.devices_note());
        notes.map(|note| note.to_string()).collect()
    }

    /// Returns the note about devices that no parameter names; `None` if there is none.
    fn devices_note(&self) -> Option<String> {
        self.0.devices_note().map(|note| note.to_string())
    }

    /// Returns the events of the given kinds as a JSON array; all events if there are no kinds.
    fn events(&self, py: Python<'_>, kinds: Vec<String>) -> PyResult<String> {
        let kinds = kinds.iter().map(|kind| kind.parse());
        let kinds: Vec<EventKind> = kinds
            .collect::<Result<_, UnknownEventKind>>()
            .map_err(Failure::from)?;
        if kinds.contains(&EventKind::Look) && self.0.parameters.targets.is_empty() {
            return Err(Failure::from(ScanError::LooksNeedTargets).into());
        }
        let mut events = py.detach(|| self.0.events());
        events.retain(|event| kinds.is_empty() || kinds.contains(&event.kind));
        Ok(json(&events)?)
    }

    /// Returns series of numbers over time, each with its name, as the bytes of double-precision numbers. They are the
    /// times in seconds, speeds in m/s, apertures in metres and the velocity of the gaze in °/s.
    fn series<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        let bytes = |values: &[f64]| PyBytes::new(py, bytemuck::cast_slice(values));
        let series = self.0.series().into_iter();
        let times = [("time_s".to_owned(), bytes(&self.0.times()))];
        let series = series.map(|(name, values)| (name, bytes(values)));
        times.into_iter().chain(series).collect()
    }

    /// Returns a figure as SVG. `width` is in pixels, and `start` and `end` are in seconds; `None` is the default.
    #[pyo3(signature = (*, width, panels, devices, dark, title, start, end))]
    #[allow(clippy::too_many_arguments)]
    fn plot(
        &self,
        py: Python<'_>,
        width: Option<f64>,
        panels: Option<Vec<String>>,
        devices: Vec<String>,
        dark: bool,
        title: Option<String>,
        start: Option<f32>,
        end: Option<f32>,
    ) -> PyResult<String> {
        let mut options = PlotOptions::default();
        let width = width.unwrap_or(options.width);
        options.set_width(width).map_err(invalid)?;
        options.title = title;
        options.devices = ElementChoice::new(devices, [""; 0]).map_err(invalid)?;
        if dark {
            options.theme = Theme::Dark;
        }
        if let Some(names) = panels {
            let panels = names.iter().map(|name| name.parse());
            options.panels = panels
                .collect::<Result<_, UnknownName>>()
                .map_err(invalid)?;
        }
        if start.is_some() || end.is_some() {
            options.time =
                Some(TimeRange::within(start, end, self.0.range).map_err(Failure::from)?);
        }
        Ok(py.detach(|| plot(&self.0, &options)))
    }
}

/// Reads a file with targets, and returns them as a JSON array.
#[pyfunction]
pub(crate) fn read_targets(path: PathBuf) -> PyResult<String> {
    let targets = inputanim_scan::read_targets(&path, &Limits::default());
    let targets = targets.map_err(|error| match error {
        TargetFileError::Read(error) => {
            let message = format!("{}: {error}", path.display());
            PyErr::from(io::Error::new(error.kind(), message))
        }
        error => Failure::invalid(format!("{}: {error}", path.display()))
            .with_hint("docs/analysis.md describes the columns and members of targets")
            .into(),
    })?;
    Ok(json(&targets)?)
}
