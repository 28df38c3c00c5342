//! The arrays of a frame.

use std::fmt;

use inputanim::Pose;
use serde::de::{Deserialize, Deserializer, Error as _, IgnoredAny, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::{IwerError, JOINTS, PER_JOINT};
use crate::shared::Error;
use crate::shared::rigid::is_known;

/// A frame: its time in milliseconds, the viewer, the input sources.
pub(super) struct Row<'a> {
    pub(super) time: f64,
    pub(super) pose: Numbers<7>,
    pub(super) inputs: Vec<Input<'a>>,
}

/// The data of an input source in one frame.
pub(super) struct Input<'a> {
    pub(super) index: u32,
    pub(super) ray: Numbers<7>,
    /// The parts that are present: the grip, the joints, the buttons.
    parts: [Option<&'a RawValue>; 3],
}

/// The parts that an input source has.
#[derive(Clone, Copy)]
pub(super) struct Parts {
    pub(super) has_grip: bool,
    pub(super) has_hand: bool,
    pub(super) has_buttons: bool,
}

/// An array of `N` numbers, in which `null` becomes NaN.
#[derive(Clone, Copy)]
pub(super) struct Numbers<const N: usize>(pub(super) [f64; N]);

impl Numbers<7> {
    /// Returns the pose, or `None` if a number is `null` or not finite, or the rotation is 0.
    pub(super) fn known(&self) -> Option<Pose> {
        pose(&self.0)
    }
}

impl Numbers<PER_JOINT> {
    /// Returns the pose of a joint without its radius, or `None` if a number of the pose is `null` or not finite, or
    /// the rotation is 0.
    pub(super) fn known(&self) -> Option<Pose> {
        pose(self.0.first_chunk()?)
    }
}

fn pose(numbers: &[f64; 7]) -> Option<Pose> {
    let [x, y, z, rotation @ ..] = numbers.map(|number| number as f32);
    let pose = Pose {
        position: [x, y, z],
        rotation,
    };
    Some(pose).filter(is_known)
}

impl Input<'_> {
    /// Parses the pose of the grip in the space of the recording: `None` if it is absent or unknown. `parts` are the parts that
    /// the schema declares for the source. Fails if it is malformed.
    pub(super) fn grip(&self, parts: Parts) -> serde_json::Result<Option<Pose>> {
        let Some(text) = self.parts[0].filter(|_| parts.has_grip) else {
            return Ok(None);
        };
        let numbers: [Option<f64>; 7] = serde_json::from_str(text.get())?;
        Ok(pose(&numbers.map(|number| number.unwrap_or(f64::NAN))))
    }

    /// Parses the pose relative to the target ray and the radius of each joint, in the order of the file. `parts` are
    /// the parts that the schema declares for the source. Fails if the joints are missing or malformed.
    pub(super) fn joints(&self, parts: Parts) -> serde_json::Result<[Numbers<PER_JOINT>; JOINTS]> {
        // The schema decides which parts an array has. The array has no element for an absent part.
        let place = usize::from(parts.has_grip);
        let Some(text) = self.parts[place].filter(|_| parts.has_hand) else {
            return Err(serde_json::Error::custom("there are none"));
        };
        let Joined(joints) = serde_json::from_str(text.get())?;
        Ok(joints)
    }

    /// Returns `true` if the first button is pressed. `parts` are the parts that the schema declares for the source.
    /// Fails if it declares buttons that are missing or malformed.
    pub(super) fn pressed(&self, parts: Parts) -> serde_json::Result<bool> {
        if !parts.has_buttons {
            return Ok(false);
        }
        let place = usize::from(parts.has_grip) + usize::from(parts.has_hand);
        let Some(text) = self.parts[place] else {
            return Err(serde_json::Error::custom("there are none"));
        };
        let Pressed(is_pressed) = serde_json::from_str(text.get())?;
        Ok(is_pressed)
    }
}

/// The states of a gamepad in one frame.
#[derive(Default)]
pub(super) struct GamepadStates {
    /// Pressed, touched and the value of each button; `None` for a button that is `null`.
    pub(super) buttons: Vec<Option<[f64; 3]>>,
    /// NaN for an axis that is `null`.
    pub(super) axes: Vec<f64>,
}

impl Input<'_> {
    /// Parses the buttons and axes. `parts` are the parts that the schema declares for the source, and `buttons` is the number of its
    /// buttons. Fails if they are missing or malformed.
    pub(super) fn gamepad(
        &self,
        parts: Parts,
        buttons: usize,
    ) -> serde_json::Result<GamepadStates> {
        let place = usize::from(parts.has_grip) + usize::from(parts.has_hand);
        let Some(text) = self.parts[place] else {
            return Err(serde_json::Error::custom("there are none"));
        };
        let elements: Vec<&RawValue> = serde_json::from_str(text.get())?;
        if elements.len() < buttons {
            let (expected, found) = (buttons, elements.len());
            let message = format!("expected {expected} buttons, found {found}");
            return Err(serde_json::Error::custom(message));
        }
        let mut states = GamepadStates::default();
        for (place, element) in elements.into_iter().enumerate() {
            if place < buttons {
                let button: Option<(f64, f64, f64)> = serde_json::from_str(element.get())?;
                let button = button.map(|(pressed, touched, value)| [pressed, touched, value]);
                states.buttons.push(button);
            } else {
                let axis: Option<f64> = serde_json::from_str(element.get())?;
                states.axes.push(axis.unwrap_or(f64::NAN));
            }
        }
        Ok(states)
    }
}

/// Calls `with` for each element of a JSON array. Stops at the first error of `with`, and returns it.
pub(super) fn each<'a>(
    text: &'a str,
    mut with: impl FnMut(&'a RawValue) -> Result<(), Error>,
) -> Result<(), Error> {
    // A visitor returns errors of serde only, so the error of `with` is kept beside it.
    let mut failed = None;
    let mut deserializer = serde_json::Deserializer::from_str(text);
    let read = deserializer.deserialize_seq(Elements(|element| {
        let done = with(element);
        failed = done.err();
        failed.is_none()
    }));
    match failed {
        Some(error) => Err(error),
        None => Ok(read.map_err(IwerError::Json)?),
    }
}

struct Elements<F>(F);

impl<'a, F: FnMut(&'a RawValue) -> bool> Visitor<'a> for Elements<F> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an array of frames")
    }

    fn visit_seq<A: SeqAccess<'a>>(mut self, mut elements: A) -> Result<(), A::Error> {
        // One frame is parsed at a time, so that only the recording grows in memory.
        while let Some(element) = elements.next_element()? {
            if !(self.0)(element) {
                return Err(A::Error::custom("refused"));
            }
        }
        Ok(())
    }
}

fn next_number<'a, A: SeqAccess<'a>>(numbers: &mut A, index: usize) -> Result<f64, A::Error> {
    // The outer option is the end of the array, the inner one is null.
    let number: Option<Option<f64>> = numbers.next_element()?;
    let too_few = || A::Error::custom(format_args!("expected more than {index} numbers"));
    Ok(number.ok_or_else(too_few)?.unwrap_or(f64::NAN))
}

fn next_numbers<'a, A: SeqAccess<'a>, const N: usize>(
    numbers: &mut A,
    before: usize,
) -> Result<Numbers<N>, A::Error> {
    let mut found = [f64::NAN; N];
    for (index, number) in found.iter_mut().enumerate() {
        *number = next_number(numbers, before + index)?;
    }
    Ok(Numbers(found))
}

// Derived tuples would refuse `null` and arrays of other lengths.
macro_rules! from_array {
    ($type:ty, $lifetime:lifetime, $expecting:literal, |$array:ident| $read:expr) => {
        impl<$lifetime> Deserialize<$lifetime> for $type {
            fn deserialize<D: Deserializer<$lifetime>>(deserializer: D) -> Result<Self, D::Error> {
                struct Array;

                impl<$lifetime> Visitor<$lifetime> for Array {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expecting)
                    }

                    fn visit_seq<A: SeqAccess<$lifetime>>(
                        self,
                        mut $array: A,
                    ) -> Result<$type, A::Error> {
                        $read
                    }
                }

                deserializer.deserialize_seq(Array)
            }
        }
    };
}

from_array!(Row<'a>, 'a, "an array of a time, seven numbers and input sources", |array| {
    let time = next_number(&mut array, 0)?;
    if time.is_nan() {
        return Err(A::Error::custom("expected a time in milliseconds, found null"));
    }
    let pose = next_numbers(&mut array, 1)?;
    let mut inputs = Vec::new();
    while let Some(input) = array.next_element()? {
        inputs.push(input);
    }
    Ok(Row { time, pose, inputs })
});

from_array!(Input<'a>, 'a, "an array of a number, a target ray and what the schema says", |array| {
    let index: Option<u32> = array.next_element()?;
    let index = index.ok_or_else(|| A::Error::custom("expected the number of an input source"))?;
    let ray = next_numbers(&mut array, 1)?;
    let mut parts = [None; 3];
    for part in &mut parts {
        *part = array.next_element()?;
    }
    while array.next_element::<IgnoredAny>()?.is_some() {}
    Ok(Input { index, ray, parts })
});

/// The numbers of all joints, one joint after the other.
struct Joined([Numbers<PER_JOINT>; JOINTS]);

from_array!(Joined, 'a, "an array of eight numbers for each of 25 joints", |array| {
    let mut joints = [Numbers([f64::NAN; PER_JOINT]); JOINTS];
    for (index, joint) in joints.iter_mut().enumerate() {
        *joint = next_numbers(&mut array, index * PER_JOINT)?;
    }
    match array.next_element::<IgnoredAny>()? {
        None => Ok(Joined(joints)),
        Some(_) => Err(A::Error::custom("expected 200 numbers, found more")),
    }
});

/// The state of the first button. Missing buttons are `null` in the file.
struct Pressed(bool);

from_array!(Pressed, 'a, "an array of buttons and axes", |array| {
    let first: Option<Option<(f64, f64, f64)>> = array.next_element()?;
    let first = first.ok_or_else(|| A::Error::custom("expected a button, found none"))?;
    while array.next_element::<IgnoredAny>()?.is_some() {}
    Ok(Pressed(first.is_some_and(|(pressed, _, _)| pressed == 1.0)))
});
