//! The class `Analysis`: measures, events, series and figures.

use std::io;
use std::path::PathBuf;

use inputanim::{Limits, Side, TimeRange};
use inputanim_analysis::{
    Analysis, AnalysisOptions, EventKind, Measure, Panel, Parameters, PlotOptions, Quantity, Theme,
    UnknownEventKind, choose_measures, plot,
};
use inputanim_scan::{ScanError, TargetFileError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::failure::Failure;
use crate::recording::{DamageKind, NativeRecording, damage_kinds, json, parsed};
use crate::work::interruptible;

/// An analysed recording.
#[pyclass(name = "Analysis", module = "inputanim._native", frozen)]
pub(crate) struct NativeAnalysis(Analysis);

#[pymethods]
impl NativeAnalysis {
    /// Analyses a recording with parameters by their names as JSON.
    #[new]
    fn new(py: Python<'_>, recording: &NativeRecording, options: &str) -> PyResult<NativeAnalysis> {
        let options = parameters(&serde_json::from_str(options).map_err(Failure::from)?)?;
        let bytes = recording.bytes.clone_ref(py);
        let size = bytes.len();
        let work = move || Ok::<_, Failure>(Analysis::of(&parsed(&bytes)?, &options)?);
        Ok(NativeAnalysis(interruptible(py, size, work)??))
    }

    /// Returns the default parameters as JSON.
    #[staticmethod]
    fn default_options() -> PyResult<String> {
        Ok(json(&AnalysisOptions::default())?)
    }

    /// Returns the definitions of all measures as JSON.
    #[staticmethod]
    fn quantities() -> PyResult<String> {
        Ok(json(&Quantity::ALL)?)
    }

    /// Returns the kinds of damage that the analysis uses, as `Recording.damage` does.
    fn damage(&self) -> Vec<DamageKind> {
        damage_kinds(self.0.quality.used_findings().map(|finding| finding.code))
    }

    /// Returns the analysed time range in seconds.
    fn range(&self) -> (f32, f32) {
        (self.0.range.start, self.0.range.end)
    }

    /// Returns a time range in seconds, limited to the recording.
    fn within(&self, start: Option<f32>, end: Option<f32>) -> PyResult<(f32, f32)> {
        let TimeRange { start, end } =
            TimeRange::within(start, end, self.0.range).map_err(Failure::from)?;
        Ok((start, end))
    }

    /// Returns the measures of a time range in seconds as JSON, all without names.
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
            let chosen = choose_measures(&all, &names, &self.0.options)?;
            let chosen: Vec<&Measure> = chosen.iter().map(|&index| &all[index]).collect();
            json(&chosen)
        })?)
    }

    /// Returns the events of some kinds as JSON, all without kinds.
    fn events(&self, py: Python<'_>, kinds: Vec<String>) -> PyResult<String> {
        let kinds = kinds.iter().map(|kind| kind.parse());
        let kinds: Vec<EventKind> = kinds
            .collect::<Result<_, UnknownEventKind>>()
            .map_err(Failure::from)?;
        if kinds.contains(&EventKind::Look) && self.0.options.targets.is_empty() {
            return Err(Failure::from(ScanError::LooksNeedTargets).into());
        }
        let mut events = py.detach(|| self.0.events());
        events.retain(|event| kinds.is_empty() || kinds.contains(&event.kind));
        Ok(json(&events)?)
    }

    /// Returns the names and the double-precision numbers of times, speeds, apertures and the velocity of the gaze.
    fn series<'py>(&self, py: Python<'py>) -> Vec<(String, Bound<'py, PyBytes>)> {
        let mut columns = Vec::new();
        let mut add = |name: String, values: &[f64]| {
            columns.push((name, PyBytes::new(py, bytemuck::cast_slice(values))));
        };
        let channels = &self.0.channels;
        let times = (0..channels.len).map(|index| channels.time(index));
        add("time_s".to_owned(), &times.collect::<Vec<f64>>());
        if let Some(head) = &self.0.head {
            add("head.speed".to_owned(), &head.speed);
        }
        for side in Side::BOTH {
            let hand = self.0.hand(side);
            for (joint, kinematics) in &hand.kinematics {
                add(format!("{side}.{joint}.speed"), &kinematics.speed);
            }
            if let Some(aperture) = &hand.aperture {
                add(format!("{side}.aperture"), aperture);
            }
        }
        if let Some(gaze) = &self.0.gaze {
            add("gaze.velocity".to_owned(), &gaze.velocity);
        }
        columns
    }

    /// Returns a figure as SVG.
    #[pyo3(signature = (*, width, panels, dark, title, start, end))]
    #[allow(clippy::too_many_arguments)]
    fn plot(
        &self,
        py: Python<'_>,
        width: Option<f64>,
        panels: Option<Vec<String>>,
        dark: bool,
        title: Option<String>,
        start: Option<f32>,
        end: Option<f32>,
    ) -> PyResult<String> {
        let mut options = PlotOptions::default();
        options.width = width.unwrap_or(options.width);
        if !PlotOptions::WIDTHS.contains(&options.width) {
            let message = format!(
                "invalid width: {} (must be from {} to {})",
                options.width,
                PlotOptions::WIDTHS.start(),
                PlotOptions::WIDTHS.end()
            );
            return Err(Failure::invalid(message).into());
        }
        options.title = title;
        if dark {
            options.theme = Theme::Dark;
        }
        if let Some(names) = panels {
            let panels: Result<Vec<Panel>, Failure> =
                names.iter().map(|name| panel(name)).collect();
            options.panels = panels?;
        }
        if start.is_some() || end.is_some() {
            options.time =
                Some(TimeRange::within(start, end, self.0.range).map_err(Failure::from)?);
        }
        Ok(py.detach(|| plot(&self.0, &options)))
    }
}

/// Returns the options with parameters by their names.
pub(crate) fn parameters(given: &serde_json::Value) -> Result<AnalysisOptions, Failure> {
    let mut parameters = Parameters::default();
    parameters.set_json(given)?;
    Ok(parameters.options()?)
}

fn panel(name: &str) -> Result<Panel, Failure> {
    let mut panels = Panel::ALL.iter().copied();
    panels.find(|panel| panel.name() == name).ok_or_else(|| {
        let names: Vec<&str> = Panel::ALL.iter().map(|panel| panel.name()).collect();
        let names = names.join(", ");
        Failure::invalid(format!("unknown panel \"{name}\"; expected one of {names}"))
    })
}

/// Returns the targets of a file as JSON.
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
