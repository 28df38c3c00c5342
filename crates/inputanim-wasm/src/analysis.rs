//! The class `Analysis`: measures, events and figures.

use inputanim::names::ElementChoice;
use inputanim::{TimeRange, UnknownName};
use inputanim_analysis::{
    AnalysisError, AnalysisParameters, Event, EventColumns, EventKind, InvalidWidth,
    ParameterError, PlotOptions, Quantity, Theme, UnknownEventKind, plot, thumbnail,
    thumbnail_without_words,
};
use js_sys::{Float64Array, Object};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::recording::JsRecording;
use crate::value::{list_to_js, options, set, to_js};

/// Returns the definitions of all measures, by group.
#[wasm_bindgen(unchecked_return_type = "Quantity[]")]
pub fn quantities() -> Result<JsValue, Failure> {
    list_to_js(&Quantity::ALL)
}

/// An analysed recording: measures of any time range, events and figures.
#[wasm_bindgen(js_name = Analysis)]
pub struct JsAnalysis(inputanim_analysis::Analysis);

/// Events as a table.
#[derive(Serialize)]
struct EventTable<'n> {
    columns: &'n [String],
    rows: Vec<Vec<Option<serde_json::Value>>>,
}

/// Options of a figure.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct FigureOptions {
    width: Option<f64>,
    panels: Option<Vec<String>>,
    devices: Vec<String>,
    dark: bool,
    title: Option<String>,
    start: Option<f32>,
    end: Option<f32>,
}

impl From<AnalysisError> for Failure {
    fn from(error: AnalysisError) -> Failure {
        match error {
            AnalysisError::Unplayable(error) => error.into(),
            error => Failure::with_causes(&error).with_remedy(error.remedy()),
        }
    }
}

impl From<ParameterError> for Failure {
    fn from(error: ParameterError) -> Failure {
        Failure::with_causes(&error)
    }
}

impl From<InvalidWidth> for Failure {
    fn from(error: InvalidWidth) -> Failure {
        Failure::of(&error)
    }
}

#[wasm_bindgen(js_class = Analysis)]
impl JsAnalysis {
    /// Analyses a recording. `parameters` is an object with names and values of parameters; the others have their
    /// defaults. Throws an error if a parameter is not valid, or the recording cannot be analysed.
    #[wasm_bindgen(constructor)]
    pub fn new(
        recording: &JsRecording,
        #[wasm_bindgen(unchecked_optional_param_type = "AnalysisParameters")] parameters: JsValue,
    ) -> Result<JsAnalysis, Failure> {
        let given: serde_json::Value = options(parameters)?;
        let options = AnalysisParameters::from_json(&given)?;
        let content = recording.content();
        Ok(JsAnalysis(match recording.damage() {
            Some(damage) => inputanim_analysis::Analysis::of_damaged(content, damage, &options)?,
            None => inputanim_analysis::Analysis::of(content, &options)?,
        }))
    }

    /// The analysed time range in seconds: from the first to the last key.
    #[wasm_bindgen(getter, js_name = timeRange, unchecked_return_type = "TimeRange")]
    pub fn time_range(&self) -> Result<JsValue, Failure> {
        to_js(&self.0.range)
    }

    /// Returns the time range that [`measures`](Self::measures) uses for the same arguments.
    #[wasm_bindgen(js_name = measuredRange, unchecked_return_type = "TimeRange")]
    pub fn measured_range(&self, start: Option<f32>, end: Option<f32>) -> Result<JsValue, Failure> {
        list_to_js(&TimeRange::within(start, end, self.0.range)?)
    }

    /// Returns the measures of a time range in seconds. Without arguments the range is the complete recording. Times
    /// beyond the recording are limited to it. Throws an error if the range ends before it starts, or is
    /// outside the recording.
    #[wasm_bindgen(unchecked_return_type = "Measure[]")]
    pub fn measures(&self, start: Option<f32>, end: Option<f32>) -> Result<JsValue, Failure> {
        let range = TimeRange::within(start, end, self.0.range)?;
        list_to_js(&self.0.measures(range))
    }

    /// Returns notes about the analysis: a rate that is much higher than the recorded one, and controllers and other devices that
    /// no parameter names, with the parameters that measure them.
    #[wasm_bindgen(unchecked_return_type = "AnalysisNote[]")]
    pub fn notes(&self) -> Result<JsValue, Failure> {
        let notes = self.0.notes().into_iter().chain(self.0.devices_note());
        to_js(&notes.collect::<Vec<_>>())
    }

    /// Returns the events in order of time: markers, tracking, movements, pinches, fixations, saccades, looks at
    /// targets, damage.
    #[wasm_bindgen(unchecked_return_type = "AnalysisEvent[]")]
    pub fn events(&self) -> Result<JsValue, Failure> {
        list_to_js(&self.0.events())
    }

    /// Returns the events as a table, with the columns that the program writes: events of these kinds, or of all kinds.
    #[wasm_bindgen(js_name = eventTable, unchecked_return_type = "EventTable")]
    pub fn event_table(&self, kinds: Vec<String>) -> Result<JsValue, Failure> {
        let kinds = kinds.iter().map(|kind| kind.parse());
        let kinds: Vec<EventKind> = kinds
            .collect::<Result<_, _>>()
            .map_err(|error: UnknownEventKind| Failure::of(&error))?;
        let is_listed = |event: &Event| kinds.is_empty() || kinds.contains(&event.kind);
        let with_columns = if kinds.is_empty() {
            EventKind::WITH_COLUMNS
        } else {
            &kinds
        };
        let columns = EventColumns::new(with_columns);
        let names = columns.names();
        let events = self.0.events();
        let rows = events.iter().filter(|event| is_listed(event)).map(|event| {
            let cells = (0..names.len()).map(|index| {
                if EventColumns::is_text(index) {
                    EventColumns::text(event, index).map(serde_json::Value::from)
                } else {
                    columns.number(event, index).map(serde_json::Value::from)
                }
            });
            cells.collect()
        });
        let rows: Vec<Vec<Option<serde_json::Value>>> = rows.collect();
        list_to_js(&EventTable {
            columns: &names,
            rows,
        })
    }

    /// Returns the times in seconds, and columns over time with the names of their measures: speeds in m/s, apertures
    /// in metres and the velocity of the gaze in °/s.
    #[wasm_bindgen(unchecked_return_type = "Series")]
    pub fn series(&self) -> Object {
        let columns = Object::new();
        for (name, values) in self.0.series() {
            set(&columns, &name, Float64Array::from(values));
        }
        let series = Object::new();
        set(&series, "times", Float64Array::from(&self.0.times()[..]));
        set(&series, "columns", columns);
        series
    }

    /// Returns a small figure as SVG, 280 × 206 pixels: paths from above, tracking, pinches and damage.
    /// `details` are shown below the name.
    pub fn thumbnail(&self, name: &str, details: &str, dark: bool) -> String {
        let theme = if dark { Theme::Dark } else { Theme::Light };
        thumbnail(&self.0, name, details, theme).to_svg()
    }

    /// Returns the small figure without words, for pages in other languages.
    #[wasm_bindgen(js_name = thumbnailWithoutWords)]
    pub fn thumbnail_without_words(&self, dark: bool) -> String {
        let theme = if dark { Theme::Dark } else { Theme::Light };
        thumbnail_without_words(&self.0, theme).to_svg()
    }

    /// Returns a figure of the analysis as SVG. Throws an error if its time range ends before it starts, or is outside
    /// the recording.
    pub fn plot(
        &self,
        #[wasm_bindgen(unchecked_optional_param_type = "FigureOptions")] figure: JsValue,
    ) -> Result<String, Failure> {
        let figure: FigureOptions = options(figure)?;
        let mut options = PlotOptions::default();
        options.set_width(figure.width.unwrap_or(options.width))?;
        options.title = figure.title;
        if figure.dark {
            options.theme = Theme::Dark;
        }
        if let Some(names) = figure.panels {
            let panels = names.iter().map(|name| name.parse());
            options.panels = panels.collect::<Result<_, UnknownName>>()?;
        }
        options.devices = ElementChoice::new(&figure.devices, [""; 0])?;
        if figure.start.is_some() || figure.end.is_some() {
            options.time = Some(TimeRange::within(figure.start, figure.end, self.0.range)?);
        }
        Ok(plot(&self.0, &options))
    }
}
