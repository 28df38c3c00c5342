//! The class `WebXrController`: controllers of a WebXR session, for a recorder.

use std::collections::BTreeMap;

use inputanim::{DeviceFrame, InputValue, Side};
use inputanim_convert::iwer::{WebXrController, WebXrState};
use serde::{Deserialize, Serialize};
use wasm_bindgen::prelude::*;

use crate::failure::Failure;
use crate::value::{options, to_js};

/// An input source of a session.
#[derive(Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct Source {
    side: String,
    profiles: Vec<String>,
    mapping: Option<String>,
    buttons: u32,
    axes: u32,
}

/// A device of a frame, as `Recorder.push` takes it.
#[derive(Serialize)]
struct FrameObject<'f> {
    name: &'static str,
    active: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    profile: Option<&'f str>,
    poses: BTreeMap<&'static str, [f32; 7]>,
    inputs: BTreeMap<&'static str, InputObject>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum InputObject {
    Boolean(bool),
    Float(f32),
}

impl<'f> From<&'f DeviceFrame> for FrameObject<'f> {
    fn from(device: &'f DeviceFrame) -> FrameObject<'f> {
        let poses = device.poses.iter().map(|(name, pose)| {
            let ([x, y, z], [qx, qy, qz, qw]) = (pose.position, pose.rotation);
            (name.as_str(), [x, y, z, qx, qy, qz, qw])
        });
        let inputs = device.inputs.iter().map(|(name, value)| {
            let value = match *value {
                InputValue::Boolean(is_on) => InputObject::Boolean(is_on),
                InputValue::Float(number) => InputObject::Float(number),
            };
            (name.as_str(), value)
        });
        FrameObject {
            name: device.name.as_str(),
            active: device.active,
            profile: device.profile.as_deref(),
            poses: poses.collect(),
            inputs: inputs.collect(),
        }
    }
}

/// A controller of a WebXR session: an input source with a side and without a hand.
#[wasm_bindgen(js_name = WebXrController)]
pub struct JsWebXrController {
    controller: WebXrController,
}

#[wasm_bindgen(js_class = WebXrController)]
impl JsWebXrController {
    /// Returns the controller of an input source, whose inputs get the names of OpenXR.
    #[wasm_bindgen(constructor)]
    pub fn new(
        #[wasm_bindgen(unchecked_param_type = "WebXrControllerOptions")] source: JsValue,
    ) -> Result<JsWebXrController, Failure> {
        let source: Source = options(source)?;
        let side: Side = source
            .side
            .parse()
            .map_err(|error: inputanim::UnknownSide| Failure::of(&error))?;
        let (buttons, axes) = (source.buttons as usize, source.axes as usize);
        let mapping = source.mapping.as_deref();
        Ok(JsWebXrController {
            controller: WebXrController::new(side, &source.profiles, mapping, buttons, axes),
        })
    }

    /// Returns the controller in a frame, in Unity's axes: an element of the third argument of `Recorder.push`.
    #[wasm_bindgen(unchecked_return_type = "ControllerFrame")]
    pub fn frame(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "WebXrControllerFrame")] state: JsValue,
    ) -> Result<JsValue, Failure> {
        let state: WebXrState = options(state)?;
        to_js(&FrameObject::from(&self.controller.frame(&state)))
    }
}
