//! Comparison of two recordings.

use inputanim::TimeRange;
use inputanim::diff::{DiffOptions, Tolerance};
use inputanim::marker_names::MarkerChoice;
use inputanim::names::ElementChoice;
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::recording::JsRecording;
use crate::value::{options, to_js};

/// Options of `diff`.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Options {
    position: Option<f64>,
    rotation: Option<f64>,
    timing: Option<f32>,
    duration: Option<f32>,
    input: Option<f64>,
    start: Option<f32>,
    end: Option<f32>,
    between_keys: Option<u16>,
    joints: Vec<String>,
    exclude: Vec<String>,
    markers: Vec<String>,
    exclude_markers: Vec<String>,
}

#[wasm_bindgen(js_class = Recording)]
impl JsRecording {
    /// Compares the playback of this recording and another one. The options have the tolerances: `timing`, in seconds,
    /// is for changes of states and for markers.
    #[wasm_bindgen(unchecked_return_type = "Difference")]
    pub fn diff(
        &self,
        other: &JsRecording,
        #[wasm_bindgen(unchecked_optional_param_type = "DiffOptions")] given: JsValue,
    ) -> Result<JsValue, Failure> {
        let given: Options = options(given)?;
        let mut options = DiffOptions::default();
        options.tolerance = Tolerance::new(
            given.position,
            given.rotation,
            given.timing,
            given.duration,
            given.input,
        )
        .map_err(|error| Failure::of(&error))?;
        let choice = ElementChoice::new(&given.joints, &given.exclude)?;
        options.compare_only(&choice);
        options.between_keys = given.between_keys.unwrap_or(options.between_keys);
        options.markers = MarkerChoice::new(given.markers, given.exclude_markers);
        let (a, b) = (self.content(), other.content());
        choice.check(&[a, b])?;
        if given.start.is_some() || given.end.is_some() {
            let either = a.covered_range().hull(b.covered_range());
            TimeRange::within(given.start, given.end, either)?;
            options.range = Some(TimeRange::between(given.start, given.end)?);
        }
        let difference = a
            .diff(b, &options)
            .map_err(|error| Failure::from(error.source))?;
        to_js(&difference)
    }
}
