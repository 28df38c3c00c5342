//! The inputs of a controller that is a gamepad of WebXR.

use inputanim::{InputName, InputValue, Side};

use super::gamepad::{self, MAX_AXES, MAX_BUTTONS};
use super::read::Written;
use super::row::GamepadStates;

/// The inputs of a gamepad, by their names in OpenXR.
#[derive(Debug, Default)]
pub(super) struct GamepadInputs {
    buttons: Vec<Option<Button>>,
    axes: Vec<Option<InputName>>,
    /// The number of buttons and axes that are not read.
    unread: usize,
}

/// The inputs of a button that are read.
#[derive(Debug)]
struct Button {
    click: Option<InputName>,
    touch: Option<InputName>,
    value: Option<InputName>,
    /// `true` if the value differs from `click` in any frame, so that it is kept.
    is_analog: bool,
}

impl GamepadInputs {
    /// Returns the inputs of a gamepad with numbers of buttons and axes. `profiles` are the profiles of its source, the most
    /// specific one first.
    pub(super) fn new(
        profiles: &[impl AsRef<str>],
        mapping: Option<&str>,
        side: Side,
        (buttons, axes): (usize, usize),
    ) -> GamepadInputs {
        let input = |name: String| name.parse().ok();
        let names = gamepad::button_names(profiles, mapping, side, buttons);
        let read = names.into_iter().map(|name| {
            let name = name?;
            Some(Button {
                click: input(format!("{name}/click")),
                touch: input(format!("{name}/touch")),
                value: input(format!("{name}/value")),
                is_analog: matches!(&*name, "trigger" | "squeeze"),
            })
        });
        let names = gamepad::axis_names(profiles, mapping, axes);
        GamepadInputs {
            buttons: read.collect(),
            axes: names.into_iter().map(|name| input(name?)).collect(),
            unread: unread(buttons, axes),
        }
    }

    /// Returns the inputs of a gamepad that this library wrote.
    pub(super) fn written(
        written: &Written,
        mapping: Option<&str>,
        (buttons, axes): (usize, usize),
    ) -> GamepadInputs {
        let has = |name: &String| written.inputs.contains(name);
        let input = |name: String| name.parse().ok().filter(|_| has(&name));
        let names = written.buttons.iter().take(MAX_BUTTONS);
        let read = names.map(|name| {
            let name = name.as_ref()?;
            let (force, value) = (format!("{name}/force"), format!("{name}/value"));
            let is_force = has(&force) && !has(&value);
            Some(Button {
                click: input(format!("{name}/click")),
                touch: input(format!("{name}/touch")),
                value: input(if is_force { force } else { value }),
                is_analog: true,
            })
        });
        let names = gamepad::axis_names(&[""; 0], mapping, axes);
        GamepadInputs {
            buttons: read.collect(),
            axes: names.into_iter().map(|name| input(name?)).collect(),
            unread: unread(buttons, axes),
        }
    }

    /// Returns the number of buttons and axes that are not read.
    pub(super) fn unread(&self) -> usize {
        self.unread
    }

    pub(super) fn has_axes(&self) -> bool {
        !self.axes.is_empty()
    }

    /// Returns the names of the values of all buttons.
    pub(super) fn values(&self) -> impl Iterator<Item = InputName> {
        let buttons = self.buttons.iter().flatten();
        buttons.filter_map(|button| button.value)
    }

    /// Returns the names of the values of buttons that are not always 0 or 1 as the button is pressed, until now.
    pub(super) fn analog_values(&self) -> impl Iterator<Item = InputName> {
        let buttons = self.buttons.iter().flatten();
        let analog = buttons.filter(|button| button.is_analog);
        analog.filter_map(|button| button.value)
    }

    /// Returns all inputs in a frame, sorted by name. Unknown ones are absent.
    pub(super) fn all(&mut self, states: &GamepadStates) -> Vec<(InputName, InputValue)> {
        let mut inputs = Vec::new();
        for (button, state) in self.buttons.iter_mut().zip(&states.buttons) {
            let (Some(button), Some([pressed, touched, value])) = (button, *state) else {
                continue;
            };
            let is_on = |number: f64| InputValue::Boolean(number == 1.0);
            let value = value as f32;
            button.is_analog |= value != f32::from(u8::from(pressed == 1.0));
            inputs.extend(button.click.map(|name| (name, is_on(pressed))));
            inputs.extend(button.touch.map(|name| (name, is_on(touched))));
            inputs.extend(button.value.map(|name| (name, InputValue::Float(value))));
        }
        for (name, &axis) in self.axes.iter().zip(&states.axes) {
            let Some(name) = *name else { continue };
            let sign = if gamepad::is_flipped(name.as_str()) {
                -1.0
            } else {
                1.0
            };
            let value = axis as f32 * sign + 0.0;
            inputs.push((name, InputValue::Float(value)));
        }
        inputs.retain(|(_, value)| value.number().is_finite());
        inputs.sort_by_key(|(name, _)| *name);
        inputs.dedup_by_key(|(name, _)| *name);
        inputs
    }
}

fn unread(buttons: usize, axes: usize) -> usize {
    buttons.saturating_sub(MAX_BUTTONS) + axes.saturating_sub(MAX_AXES)
}
