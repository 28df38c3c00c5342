//! Values that belong to a headset and to the hands of its user: the distance of the eyes, the field of view, and the radii of
//! joints.
//!
//! They are inputs of a device with the fixed name `device.headset`, which has no poses. Every input holds its value until the next
//! key, and has a key only where the value changes. docs/json.md, section "The headset", lists the names.

use std::sync::LazyLock;

use crate::device::{DeviceName, InputName, InputValue};
use crate::frame::DeviceFrame;
use crate::joint::{Joint, Side};

/// The name of the device.
pub const NAME: &str = "device.headset";

/// The input with the distance between the eyes in metres.
pub const EYE_DISTANCE: &str = "eyes/distance";

/// The ends of the names of the angles of an eye, after `left_eye/` or `right_eye/`, in the order of the fields of
/// [`ViewAngles`].
pub const ANGLES: [&str; 4] = ["angle_left", "angle_right", "angle_up", "angle_down"];

/// The end of the names of the inputs that are 1 while the joints of a hand are computed from the state of a controller, and 0 while
/// they are those of a hand that is seen, after `left_hand/` or `right_hand/`.
pub const FROM_CONTROLLER: &str = "from_controller";

/// The number of joints with a radius: those of OpenXR.
const JOINTS: usize = Joint::OPENXR.len();

/// The angles from the direction of an eye to the edges of its view in radians, with the signs of OpenXR's `XrFovf`: angles to
/// the right and up are positive, and angles to the left and down are negative.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ViewAngles {
    /// The angle of the left edge, usually negative.
    pub left: f32,
    /// The angle of the right edge.
    pub right: f32,
    /// The angle of the upper edge.
    pub up: f32,
    /// The angle of the lower edge, usually negative.
    pub down: f32,
}

/// The values of the headset at one time. `None` is unknown.
///
/// ```
/// use inputanim::{Joint, Side};
/// use inputanim::headset::{Headset, ViewAngles};
/// let mut headset = Headset::default();
/// headset.eye_distance = Some(0.064);
/// headset.views[0] = Some(ViewAngles { left: -0.9, right: 0.7, up: 0.8, down: -0.8 });
/// headset.set_radius(Side::Right, Joint::IndexTip, Some(0.007));
/// let device = headset.device_frame();
/// let names: Vec<&str> = device.inputs.iter().map(|(name, _)| name.as_str()).collect();
/// assert_eq!(names[0], "eyes/distance");
/// assert_eq!(names[5], "right_hand/index_tip_radius");
/// assert_eq!(Headset::of(&device), headset);
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Headset {
    /// The distance between the eyes in metres: between the positions of the two views of a headset with one view for each eye.
    pub eye_distance: Option<f32>,
    /// The field of view of the left and the right eye.
    pub views: [Option<ViewAngles>; 2],
    /// The radii of the joints of the left and the right hand in metres, in the order of [`Joint::OPENXR`].
    pub radii: [[Option<f32>; JOINTS]; 2],
    /// `true` while the joints of the left or the right hand are computed from the state of a controller, and `false` while they
    /// are those of a hand that is seen.
    pub from_controller: [Option<bool>; 2],
}

/// The meaning of an input of the headset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Value {
    EyeDistance,
    /// The side as an index, and the index in [`ANGLES`].
    Angle(usize, usize),
    /// The side as an index, and the index in [`Joint::OPENXR`].
    Radius(usize, usize),
    /// The side as an index.
    FromController(usize),
}

/// The inputs with their meanings, in the order of their names.
static INPUTS: LazyLock<Vec<(InputName, Value)>> = LazyLock::new(|| {
    let sides = Side::BOTH.into_iter().enumerate();
    let of_side = sides.flat_map(|(index, side)| {
        let angles = ANGLES.into_iter().enumerate();
        let angles = angles.map(move |(angle, name)| {
            let text = format!("{side}_eye/{name}");
            (text, Value::Angle(index, angle))
        });
        let joints = Joint::OPENXR.into_iter().enumerate();
        let radii = joints.map(move |(number, joint)| {
            let text = format!("{side}_hand/{}_radius", in_words(joint));
            (text, Value::Radius(index, number))
        });
        let source = format!("{side}_hand/{FROM_CONTROLLER}");
        angles
            .chain(radii)
            .chain([(source, Value::FromController(index))])
    });
    let all = [(EYE_DISTANCE.to_owned(), Value::EyeDistance)];
    let all = all.into_iter().chain(of_side);
    // A process that has used up all names has no names for the headset either.
    let parsed = all.filter_map(|(text, value)| Some((text.parse().ok()?, value)));
    let mut inputs: Vec<(InputName, Value)> = parsed.collect();
    inputs.sort_by_key(|(name, _)| *name);
    inputs
});

/// Returns the name of a joint in small letters with `_` between its words: `index_tip`.
fn in_words(joint: Joint) -> String {
    let mut words = String::new();
    for letter in joint.name().chars() {
        if letter.is_uppercase() && !words.is_empty() {
            words.push('_');
        }
        words.extend(letter.to_lowercase());
    }
    words
}

/// Returns the name of the device of the headset.
pub const fn name() -> DeviceName {
    DeviceName::headset()
}

/// Returns the names of all inputs of the headset, in their order.
pub fn inputs() -> impl Iterator<Item = InputName> {
    INPUTS.iter().map(|(name, _)| *name)
}

fn name_of(value: Value) -> Option<InputName> {
    let found = INPUTS.iter().find(|(_, other)| *other == value);
    found.map(|(name, _)| *name)
}

/// Returns the name of an input of the headset after a reflection, and the factor of its values. The left and the right side are
/// exchanged, and angles to the left become angles to the right, with the other sign. Other inputs stay.
pub(crate) fn mirrored(input: InputName) -> (InputName, f32) {
    let found = INPUTS.binary_search_by_key(&input, |(name, _)| *name);
    let value = found.map(|place| INPUTS[place].1);
    let (value, factor) = match value {
        Ok(Value::Angle(side, angle @ 0..=1)) => (Value::Angle(1 - side, 1 - angle), -1.0),
        Ok(Value::Angle(side, angle)) => (Value::Angle(1 - side, angle), 1.0),
        Ok(Value::Radius(side, joint)) => (Value::Radius(1 - side, joint), 1.0),
        Ok(Value::FromController(side)) => (Value::FromController(1 - side), 1.0),
        Ok(Value::EyeDistance) | Err(_) => return (input, 1.0),
    };
    name_of(value).map_or((input, 1.0), |name| (name, factor))
}

/// Returns `true` if an input of the headset is a length in metres.
pub(crate) fn is_length(input: InputName) -> bool {
    let found = INPUTS.binary_search_by_key(&input, |(name, _)| *name);
    found.is_ok_and(|place| matches!(INPUTS[place].1, Value::EyeDistance | Value::Radius(..)))
}

impl ViewAngles {
    /// Returns the angles in the order of [`ANGLES`].
    const fn numbers(self) -> [f32; 4] {
        [self.left, self.right, self.up, self.down]
    }
}

impl Headset {
    /// Reads the values from the headset in a frame. The inputs of other devices are other ones, so that all values are then
    /// unknown. The field of view of an eye needs its four angles.
    pub fn of(device: &DeviceFrame) -> Headset {
        let mut headset = Headset::default();
        if device.name != name() || !device.active {
            return headset;
        }
        let mut angles = [[None; 4]; 2];
        // The inputs of a frame usually have the order of their names.
        let mut next = 0;
        for (input, value) in &device.inputs {
            let found = match INPUTS.get(next) {
                Some((name, _)) if name == input => Ok(next),
                _ => INPUTS.binary_search_by_key(input, |(name, _)| *name),
            };
            let Ok(place) = found else { continue };
            next = place + 1;
            let number = Some(value.number());
            match INPUTS[place].1 {
                Value::EyeDistance => headset.eye_distance = number,
                Value::Angle(side, angle) => angles[side][angle] = number,
                Value::Radius(side, joint) => headset.radii[side][joint] = number,
                Value::FromController(side) => headset.from_controller[side] = Some(value.is_on()),
            }
        }
        for (view, angles) in headset.views.iter_mut().zip(angles) {
            if let [Some(left), Some(right), Some(up), Some(down)] = angles {
                *view = Some(ViewAngles {
                    left,
                    right,
                    up,
                    down,
                });
            }
        }
        headset
    }

    /// Returns the headset as a device of a frame, with an input for each known value.
    pub fn device_frame(&self) -> DeviceFrame {
        let mut device = DeviceFrame::new(name());
        device.active = true;
        let values = INPUTS.iter().filter_map(|(name, value)| {
            let found = match *value {
                Value::EyeDistance => self.eye_distance.map(InputValue::Float),
                Value::Angle(side, angle) => {
                    self.views[side].map(|view| InputValue::Float(view.numbers()[angle]))
                }
                Value::Radius(side, joint) => self.radii[side][joint].map(InputValue::Float),
                // A number, because a button would be pressed.
                Value::FromController(side) => self.from_controller[side]
                    .map(|is_on| InputValue::Float(f32::from(u8::from(is_on)))),
            };
            Some((*name, found?))
        });
        device.inputs.extend(values);
        device
    }

    /// Returns the radius of a joint in metres; `None` if it is unknown, or OpenXR does not have the joint.
    pub fn radius(&self, side: Side, joint: Joint) -> Option<f32> {
        self.radii[usize::from(side == Side::Right)][joint.openxr_index()?]
    }

    /// Sets the radius of a joint in metres. Does nothing if OpenXR does not have the joint.
    pub fn set_radius(&mut self, side: Side, joint: Joint, radius: Option<f32>) {
        if let Some(index) = joint.openxr_index() {
            self.radii[usize::from(side == Side::Right)][index] = radius;
        }
    }

    /// Replaces the values that `newer` knows; the others stay.
    pub fn update(&mut self, newer: &Headset) {
        fn put<T: Copy>(value: &mut Option<T>, newer: Option<T>) {
            *value = newer.or(*value);
        }
        put(&mut self.eye_distance, newer.eye_distance);
        for side in 0..2 {
            put(&mut self.views[side], newer.views[side]);
            put(&mut self.from_controller[side], newer.from_controller[side]);
            for (radius, newer) in self.radii[side].iter_mut().zip(newer.radii[side]) {
                put(radius, newer);
            }
        }
    }

    /// Returns `true` if no value is known.
    pub fn is_unknown(&self) -> bool {
        *self == Headset::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_inputs_have_names() {
        assert_eq!(INPUTS.len(), 1 + 2 * (4 + 26 + 1));
        for text in [
            "eyes/distance",
            "left_eye/angle_left",
            "right_eye/angle_down",
            "left_hand/thumb_metacarpal_joint_radius",
            "right_hand/palm_radius",
            "right_hand/from_controller",
        ] {
            assert!(inputs().any(|name| name.as_str() == text), "{text}");
        }
        assert_eq!(name().to_string(), NAME);
        assert_eq!(NAME.parse(), Ok(name()));
    }

    #[test]
    fn a_reflection_exchanges_sides_and_the_signs_of_horizontal_angles() {
        let mirrored = |text: &str| {
            let (name, factor) = mirrored(text.parse().unwrap());
            (name.as_str(), factor)
        };
        for (name, image, factor) in [
            ("left_eye/angle_left", "right_eye/angle_right", -1.0),
            ("right_eye/angle_left", "left_eye/angle_right", -1.0),
            ("left_eye/angle_up", "right_eye/angle_up", 1.0),
            ("right_hand/palm_radius", "left_hand/palm_radius", 1.0),
            (
                "left_hand/from_controller",
                "right_hand/from_controller",
                1.0,
            ),
            ("eyes/distance", "eyes/distance", 1.0),
            ("left_foot/radius", "left_foot/radius", 1.0),
        ] {
            assert_eq!(mirrored(name), (image, factor));
            assert_eq!(mirrored(image), (name, factor));
        }
    }

    #[test]
    fn a_view_needs_four_angles() {
        let mut headset = Headset::default();
        headset.views[1] = Some(ViewAngles::default());
        let mut device = headset.device_frame();
        assert_eq!(Headset::of(&device), headset);
        device.inputs.remove(2);
        assert!(Headset::of(&device).is_unknown());
        device = headset.device_frame();
        device.inputs.reverse();
        assert_eq!(Headset::of(&device), headset);
        device.name = DeviceName::controller(Side::Left);
        assert!(Headset::of(&device).is_unknown());
    }
}
