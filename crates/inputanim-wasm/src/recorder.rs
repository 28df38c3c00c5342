//! The class `Recorder`: makes a recording from frames.

use inputanim::row::{LENGTH, Row};
use inputanim::{Frame, RecordError, RecorderOptions};
use js_sys::{Array, Float32Array};
use serde::Deserialize;
use wasm_bindgen::prelude::*;

use crate::devices::{GivenDevice, GivenHaptic};
use crate::failure::Failure;
use crate::recording::JsRecording;
use crate::value::options;

/// Options of a recorder.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "camelCase")]
struct Options {
    layout: Option<inputanim::Layout>,
    keep_last: Option<f32>,
    max_rate: Option<f64>,
    from_zero: Option<bool>,
}

/// Makes a recording from frames.
#[wasm_bindgen(js_name = Recorder)]
pub struct JsRecorder {
    recorder: inputanim::Recorder,
    row: Box<Row>,
}

impl From<RecordError> for Failure {
    fn from(error: RecordError) -> Failure {
        Failure::with_causes(&error)
    }
}

#[wasm_bindgen(js_class = Recorder)]
impl JsRecorder {
    /// Returns an empty recorder, by default for the layout that MRTK writes.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_optional_param_type = "RecorderOptions")] options_object: JsValue,
    ) -> Result<JsRecorder, Failure> {
        let given: Options = options(options_object)?;
        let mut options = RecorderOptions::new(given.layout.unwrap_or(inputanim::Layout::Mrtk1_1));
        options.keep_last = given.keep_last;
        options.max_rate = given.max_rate;
        options.from_zero = given.from_zero.unwrap_or(options.from_zero);
        Ok(JsRecorder {
            recorder: inputanim::Recorder::with_options(options)?,
            row: Box::new([f32::NAN; LENGTH]),
        })
    }

    /// Adds a frame at a time in seconds: one number for each of `columnNames()`. A pose or ray is unknown if all of
    /// its numbers are NaN. `devices` are controllers and other devices: `[{ name: "right.controller", poses: { aim: [0, 1, 0.5,
    /// 0, 0, 0, 1] }, inputs: { "trigger/value": 0.5, "a/click": true } }]`. Nothing is known about others. Returns true if the
    /// frame is recorded, and false if it is skipped.
    pub fn push(
        &mut self,
        time: f32,
        frame: &Float32Array,
        #[wasm_bindgen(unchecked_optional_param_type = "DeviceFrame[]")] devices: JsValue,
    ) -> Result<bool, Failure> {
        if frame.length() as usize != LENGTH {
            let message = format!(
                "the frame has {} numbers, expected {LENGTH}",
                frame.length()
            );
            return Err(Failure::new(message).with_hint("new Float32Array(columnNames().length)"));
        }
        frame.copy_to(&mut self.row[..]);
        let mut frame = Frame::from_row(time, &self.row);
        if !devices.is_undefined() && !devices.is_null() {
            if !Array::is_array(&devices) {
                return Err(Failure::new("invalid devices: expected an array"));
            }
            let given = Array::from(&devices).into_iter();
            let devices = given.map(|device| options::<GivenDevice>(device)?.frame());
            frame.devices = devices.collect::<Result<_, _>>()?;
            frame.devices.sort_by_key(|device| device.name);
        }
        Ok(self.recorder.push(&frame)?)
    }

    /// Adds a haptic pulse that the application asked for, at a time in seconds of the frames' clock.
    pub fn haptic(
        &mut self,
        time: f32,
        device: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "HapticOptions")] pulse: JsValue,
    ) -> Result<(), Failure> {
        let pulse: GivenHaptic = options(pulse)?;
        let device = device
            .parse()
            .map_err(|error: inputanim::InvalidName| Failure::of(&error))?;
        Ok(self.recorder.haptic(device, pulse.at(time)?)?)
    }

    /// Adds a marker at a time in seconds.
    pub fn mark(&mut self, time: f32, name: String) -> Result<(), Failure> {
        Ok(self.recorder.mark(time, name)?)
    }

    /// The number of frames that are recorded.
    #[wasm_bindgen(getter)]
    pub fn frames(&self) -> usize {
        self.recorder.frames()
    }

    /// The length of the recording in seconds.
    #[wasm_bindgen(getter)]
    pub fn seconds(&self) -> f32 {
        self.recorder.seconds()
    }

    /// Returns the recording of all frames until now. Recording can continue.
    pub fn snapshot(&self) -> JsRecording {
        JsRecording::new(self.recorder.snapshot())
    }
}
