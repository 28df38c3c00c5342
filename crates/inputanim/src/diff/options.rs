//! Options of a comparison.

use crate::element::Element;
use crate::joint::Joint;
use crate::marker_names::MarkerChoice;
use crate::names::{ElementChoice, ElementNameKind};
use crate::time_range::TimeRange;

/// The largest differences between two recordings that count as the same.
///
/// An infinite value ignores the quantity.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct Tolerance {
    /// The tolerance for positions and for the origin of the gaze, in metres.
    pub position: f64,
    /// The tolerance for rotations and for the direction of the gaze, in degrees.
    pub rotation: f64,
    /// The tolerance for changes of states and for markers, in seconds.
    pub timing: f32,
    /// The tolerance for inputs with numbers, such as a trigger (0 to 1) and an axis of a thumbstick (−1 to 1).
    pub input: f64,
    /// The tolerance for the duration, in seconds.
    pub duration: f32,
}

impl Tolerance {
    /// No difference is tolerated.
    pub const EXACT: Tolerance = Tolerance {
        position: 0.0,
        rotation: 0.0,
        timing: 0.0,
        input: 0.0,
        duration: 0.0,
    };
}

impl Tolerance {
    /// Returns the tolerances: for positions in metres, for rotations in degrees, for times and for the duration in
    /// seconds, and for inputs with numbers. `None` stands for the default value, or for the duration, for the value of `timing`.
    ///
    /// # Errors
    /// Returns an error if a tolerance is negative or not a number. NaN would make all recordings different.
    pub fn new(
        position: Option<f64>,
        rotation: Option<f64>,
        timing: Option<f32>,
        duration: Option<f32>,
        input: Option<f64>,
    ) -> Result<Tolerance, InvalidTolerance> {
        let default = Tolerance::default();
        let timing = timing.unwrap_or(default.timing);
        let tolerance = Tolerance {
            position: position.unwrap_or(default.position),
            rotation: rotation.unwrap_or(default.rotation),
            timing,
            input: input.unwrap_or(default.input),
            duration: duration.unwrap_or(timing),
        };
        for (name, value) in [
            ("position", tolerance.position),
            ("rotation", tolerance.rotation),
            ("timing", tolerance.timing.into()),
            ("duration", tolerance.duration.into()),
            ("input", tolerance.input),
        ] {
            if value.is_nan() || value < 0.0 {
                return Err(InvalidTolerance { name, value });
            }
        }
        Ok(tolerance)
    }
}

/// A tolerance that is negative or not a number.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("invalid {name}: {value} (must be at least 0)")]
pub struct InvalidTolerance {
    /// The name of the tolerance.
    pub name: &'static str,
    /// The value.
    pub value: f64,
}

impl Default for Tolerance {
    /// Returns tolerances of 1 mm and 0.2°, which are the default thresholds of MRTK's recorder for joints
    /// (docs/format.md, section 5.4), of 1 ms for times and for the duration, and of 0.001 for inputs.
    fn default() -> Self {
        Tolerance {
            position: 0.001,
            rotation: 0.2,
            // Less than a frame, and more than the rounding of times in the first two hours.
            timing: 0.001,
            input: 0.001,
            duration: 0.001,
        }
    }
}

/// Options for [`Recording::diff`](crate::Recording::diff).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DiffOptions {
    /// The largest differences that count as the same.
    pub tolerance: Tolerance,
    /// The time range to compare, including the markers in it. The durations are not compared then.
    ///
    /// An infinite end stands for the end of the recordings; `None` compares everything.
    pub range: Option<TimeRange>,
    /// The number of instants to compare between two neighbouring key times.
    pub between_keys: u16,
    /// The elements that are not compared, except those of devices.
    pub ignored: Vec<Element>,
    /// The elements of devices that are compared; all by default.
    pub devices: ElementChoice,
    /// The markers to compare; all by default.
    pub markers: MarkerChoice,
}

impl DiffOptions {
    /// Limits the comparison to the elements of a choice: all others become [`ignored`](Self::ignored). If the choice
    /// contains a joint, the tracking state of its hand is compared too, unless it is excluded. The joint entry `None`
    /// of the file format is compared only if the choice names it.
    pub fn compare_only(&mut self, choice: &ElementChoice) {
        // Groups and patterns, such as `left`, are about the joints of a hand.
        let is_named = |element: Element| {
            let mut names = choice.joints().iter();
            names
                .any(|name| name.kind == ElementNameKind::Plain && name.elements.contains(&element))
        };
        let has_joints = |side| {
            let mut joints = Joint::ALL.into_iter();
            joints.any(|joint| choice.contains(Element::Joint(side, joint)))
        };
        let is_compared = |element: Element| {
            // Joints are shown only while their hand is tracked, as in `select`.
            if let Element::Tracked(side) = element
                && has_joints(side)
            {
                return choice.keeps(element);
            }
            let is_none = matches!(element, Element::Joint(_, Joint::None));
            choice.contains(element) && (!is_none || is_named(element))
        };
        self.ignored = Element::all()
            .filter(|&element| !is_compared(element))
            .collect();
        self.devices = choice.clone();
    }
}

impl Default for DiffOptions {
    /// Returns options that compare everything within the default tolerance, with one instant
    /// halfway between neighbouring key times.
    fn default() -> Self {
        DiffOptions {
            tolerance: Tolerance::default(),
            range: None,
            between_keys: 1,
            ignored: Vec::new(),
            devices: ElementChoice::default(),
            markers: MarkerChoice::default(),
        }
    }
}
