//! Comparison of two recordings.

use inputanim::diff::{self, DiffOptions};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::recording::JsRecording;
use crate::value::{options, to_js};

/// Options of `compare`.
#[derive(Deserialize)]
#[serde(default)]
struct CompareOptions {
    metres: f64,
    degrees: f64,
    seconds: f32,
}

impl Default for CompareOptions {
    fn default() -> CompareOptions {
        let tolerance = DiffOptions::default().tolerance;
        CompareOptions {
            metres: tolerance.metres,
            degrees: tolerance.degrees,
            seconds: tolerance.seconds,
        }
    }
}

#[wasm_bindgen(js_class = Recording)]
impl JsRecording {
    /// Compares the playback of two recordings.
    #[wasm_bindgen(unchecked_return_type = "Difference")]
    pub fn compare(
        &self,
        other: &JsRecording,
        #[wasm_bindgen(unchecked_optional_param_type = "CompareOptions")] tolerance: JsValue,
    ) -> Result<JsValue, Failure> {
        let tolerance: CompareOptions = options(tolerance)?;
        let mut options = DiffOptions::default();
        options.tolerance.metres = tolerance.metres;
        options.tolerance.degrees = tolerance.degrees;
        options.tolerance.seconds = tolerance.seconds;
        let difference = diff::compare(self.content(), other.content(), &options)
            .map_err(|error| Failure::from(error.source))?;
        to_js(&difference)
    }
}
