//! Controllers of a WebXR session while it runs.

use std::sync::Arc;

use inputanim::{DeviceFrame, DeviceName, InputName, Pose, Side, Space};

use super::inputs::GamepadInputs;
use super::row::GamepadStates;
use super::{AIM, GRIP};

/// A controller of a WebXR session: an input source with a side and without a hand. It gives the inputs the same names as
/// the reader of IWER's recordings: those of the mapping `xr-standard` and of the registry of WebXR's profiles.
#[derive(Debug)]
pub struct WebXrController {
    side: Side,
    profile: Option<Arc<str>>,
    inputs: GamepadInputs,
}

/// The state of a button: the members of `GamepadButton`.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
pub struct WebXrButton {
    /// `true` if the button is pressed.
    pub pressed: bool,
    /// `true` if the button is touched.
    pub touched: bool,
    /// How far the button is pressed, from 0 to 1.
    pub value: f64,
}

/// The state of a controller in a frame.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Deserialize))]
#[cfg_attr(feature = "serde", serde(default, deny_unknown_fields))]
pub struct WebXrState {
    /// The pose of `gripSpace`, as a position in metres and a quaternion, in WebXR's axes ([`Space::OpenXr`]). `None` if it is not
    /// known.
    pub grip: Option<[f32; 7]>,
    /// The pose of `targetRaySpace`, likewise.
    pub aim: Option<[f32; 7]>,
    /// The buttons of `gamepad`, in its order. `None` if the state of a button is not known.
    pub buttons: Vec<Option<WebXrButton>>,
    /// The axes of `gamepad`, in its order. `None` if the value of an axis is not known.
    pub axes: Vec<Option<f64>>,
}

impl WebXrController {
    /// Returns the controller of an input source: `profiles` and `gamepad.mapping` of the source, and the numbers of buttons and axes of its
    /// gamepad.
    pub fn new(
        side: Side,
        profiles: &[impl AsRef<str>],
        mapping: Option<&str>,
        buttons: usize,
        axes: usize,
    ) -> WebXrController {
        WebXrController {
            side,
            profile: profiles.first().map(|profile| Arc::from(profile.as_ref())),
            inputs: GamepadInputs::new(profiles, mapping, side, (buttons, axes)),
        }
    }

    /// Returns the number of buttons and axes that are not read, because the gamepad has very many.
    pub fn unread(&self) -> usize {
        self.inputs.unread()
    }

    /// Returns the controller in a frame, in Unity's axes. Poses and axes that are unknown or not finite are absent. The value of a button
    /// other than the trigger and the squeeze is absent until it differs from 0 and 1 for the first time, because `click` says the
    /// same.
    pub fn frame(&mut self, state: &WebXrState) -> DeviceFrame {
        let mut device = DeviceFrame::new(DeviceName::controller(self.side));
        device.active = true;
        device.profile.clone_from(&self.profile);
        for (name, pose) in [(AIM, state.aim), (GRIP, state.grip)] {
            let known = pose.filter(|pose| pose.iter().all(|number| number.is_finite()));
            if let (Some([x, y, z, rotation @ ..]), Ok(name)) = (known, name.parse()) {
                let position = [x, y, z];
                let pose = Space::OpenXr.pose(Pose { position, rotation });
                device.poses.push((name, pose));
            }
        }
        let number = |is_on: bool| f64::from(u8::from(is_on));
        let button = |button: &Option<WebXrButton>| {
            button.map(|button| [number(button.pressed), number(button.touched), button.value])
        };
        let states = GamepadStates {
            buttons: state.buttons.iter().map(button).collect(),
            axes: state
                .axes
                .iter()
                .map(|axis| axis.unwrap_or(f64::NAN))
                .collect(),
        };
        device.inputs = self.inputs.all(&states);
        let analog: Vec<InputName> = self.inputs.analog_values().collect();
        let values: Vec<InputName> = self.inputs.values().collect();
        let is_kept = |name: &InputName| analog.contains(name) || !values.contains(name);
        device.inputs.retain(|(name, _)| is_kept(name));
        device
    }
}

#[cfg(test)]
mod tests {
    use inputanim::InputValue;

    use super::*;

    fn button(pressed: bool, value: f64) -> Option<WebXrButton> {
        Some(WebXrButton {
            pressed,
            touched: true,
            value,
        })
    }

    #[test]
    fn a_controller_has_the_names_and_axes_of_openxr() {
        let profiles = ["oculus-touch-v3", "oculus-touch", "generic-trigger-squeeze"];
        let mut controller =
            WebXrController::new(Side::Right, &profiles, Some("xr-standard"), 7, 4);
        let mut state = WebXrState {
            grip: Some([0.25, 1.5, -0.5, 0.0, 0.6, 0.0, 0.8]),
            aim: Some([f32::NAN; 7]),
            buttons: vec![button(false, 0.0); 7],
            axes: vec![None, None, Some(0.5), Some(-0.75)],
        };
        state.buttons[0] = button(true, 0.75);
        state.buttons[4] = button(true, 1.0);
        let shown = |frame: &DeviceFrame| {
            let inputs = frame.inputs.iter().map(|(name, value)| match value {
                InputValue::Boolean(is_on) => format!("{name} {is_on}"),
                InputValue::Float(number) => format!("{name} {number}"),
            });
            inputs.collect::<Vec<_>>().join("\n")
        };
        let frame = controller.frame(&state);
        assert_eq!(frame.name.as_str(), "right.controller");
        assert_eq!(frame.profile.as_deref(), Some("oculus-touch-v3"));
        let [(name, grip)] = frame.poses[..] else {
            panic!("{:?}", frame.poses)
        };
        assert_eq!(name.as_str(), "grip");
        assert_eq!(grip.position, [0.25, 1.5, 0.5]);
        // The axes x and z of a rotation turn the other way when z is negated; this rotation is about y.
        assert_eq!(grip.rotation, [0.0, -0.6, 0.0, 0.8]);
        let expected = "\
a.click true
a.touch true
b.click false
b.touch true
squeeze.click false
squeeze.touch true
squeeze.value 0
thumbrest.click false
thumbrest.touch true
thumbstick.click false
thumbstick.touch true
thumbstick.x 0.5
thumbstick.y 0.75
trigger.click true
trigger.touch true
trigger.value 0.75";
        assert_eq!(shown(&frame), expected);
        // The value of another button appears when it is not the same as `click`.
        state.buttons[4] = button(false, 0.25);
        let frame = controller.frame(&state);
        assert!(shown(&frame).contains("a.value 0.25"), "{}", shown(&frame));
        state.buttons[4] = button(true, 1.0);
        assert!(shown(&controller.frame(&state)).contains("a.value 1"));
    }
}
