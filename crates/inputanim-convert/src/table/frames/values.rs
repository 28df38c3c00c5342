//! Values of frames: numbers, states, poses and times.

use std::cell::Cell;
use std::collections::BTreeSet;

use inputanim::{HandFrame, InputName, InputValue, Joints, Pose, Ray};

use crate::shared::mapping::Angles;
use crate::shared::{Note, NoteKind, Suggestion};
use crate::table::table_error::{NameKind, Place, TableError, UnknownName, excerpt};

/// Creates a hand from its states and joints. An unknown `tracked` becomes `true` if any joint is known. An unknown
/// `pinching` stays unknown.
pub(crate) fn hand(
    tracked: Option<bool>,
    pinching: Option<bool>,
    joints: Joints<Option<Pose>>,
) -> HandFrame {
    let has_joints = joints.iter().any(|(_, pose)| pose.is_some());
    HandFrame {
        tracked: tracked.unwrap_or(has_joints),
        pinching: pinching.unwrap_or(false),
        pinch_unknown: pinching.is_none(),
        unknown: false,
        joints,
    }
}

/// Returns the pose with the position x, y, z and the rotation x, y, z, w; `None` if all `numbers` are unknown.
///
/// # Errors
/// Returns the index of the first unknown number if only a part of the numbers is known.
pub(crate) fn pose(numbers: [Option<f32>; 7]) -> Result<Option<Pose>, usize> {
    Ok(all_or_none(numbers)?.map(|[x, y, z, rotation @ ..]| Pose {
        position: [x, y, z],
        rotation,
    }))
}

/// Returns the ray with the origin x, y, z and the direction x, y, z; `None` if all `numbers` are unknown.
///
/// # Errors
/// Returns the index of the first unknown number if only a part of the numbers is known.
pub(crate) fn ray(numbers: [Option<f32>; 6]) -> Result<Option<Ray>, usize> {
    Ok(all_or_none(numbers)?.map(|[x, y, z, direction @ ..]| Ray {
        origin: [x, y, z],
        direction,
    }))
}

/// Returns the pose with the position x, y, z and a rotation from angles about x, y and z in radians; `None` if all `numbers`
/// are unknown.
///
/// # Errors
/// Returns the index of the first unknown number if only a part of the numbers is known.
pub(crate) fn pose_of_angles(
    numbers: [Option<f32>; 6],
    angles: Angles,
) -> Result<Option<Pose>, usize> {
    Ok(all_or_none(numbers)?.map(|[x, y, z, about @ ..]| Pose {
        position: [x, y, z],
        rotation: angles.rotation(about.map(f64::from)),
    }))
}

/// Parses the numbers of a vector in one cell, such as `(0.1, 1.2, 0.3)`, `[0.1 1.2 0.3]` or `0.1;1.2;0.3`. Returns `None` if
/// brackets contain nothing.
///
/// # Errors
/// When the text does not have `N` numbers, where `N` is the length of `numbers`.
pub(crate) fn vector(
    place: Place,
    column: &str,
    text: &str,
    numbers: &mut [f64],
) -> Result<bool, TableError> {
    let wrong = || {
        let expected = match numbers.len() {
            4 => "four numbers such as (x, y, z, w)",
            _ => "three numbers such as (x, y, z)",
        };
        TableError::value(place, column, expected, text)
    };
    let brackets = [('(', ')'), ('[', ']'), ('{', '}'), ('<', '>')];
    let inner = brackets
        .iter()
        .find_map(|(open, close)| text.strip_prefix(*open)?.strip_suffix(*close));
    let inner = inner.unwrap_or(text).trim();
    if inner.is_empty() {
        return Ok(false);
    }
    // White space separates numbers only where no other sign does.
    let parts: Vec<&str> = match [';', ',', '|']
        .into_iter()
        .find(|&sign| inner.contains(sign))
    {
        Some(sign) => inner.split(sign).map(str::trim).collect(),
        None => inner.split_whitespace().collect(),
    };
    if parts.len() != numbers.len() {
        return Err(wrong());
    }
    let parse = |part: &str| match part {
        // Python and JSON write unknown numbers as words.
        "null" | "None" | "" => Some(f64::NAN),
        part => part.parse().ok(),
    };
    let parsed: Option<Vec<f64>> = parts.into_iter().map(parse).collect();
    let parsed = parsed.ok_or_else(wrong)?;
    numbers.copy_from_slice(&parsed);
    Ok(true)
}

fn all_or_none<const N: usize>(numbers: [Option<f32>; N]) -> Result<Option<[f32; N]>, usize> {
    match numbers.iter().position(Option::is_none) {
        None => Ok(Some(numbers.map(Option::unwrap_or_default))),
        Some(_) if numbers.iter().all(Option::is_none) => Ok(None),
        Some(missing) => Err(missing),
    }
}

/// Parses a number and multiplies it by `factor`. Returns `None` for NaN. An error contains `place` and `column`, where
/// the text was found.
///
/// With a factor of 1, the text is parsed directly as a 32-bit float, so that the number is rounded once.
///
/// # Errors
/// When the text is not a number, or the result is not finite as a 32-bit float.
pub(crate) fn number(
    place: Place,
    column: &str,
    text: &str,
    factor: f64,
) -> Result<Option<f32>, TableError> {
    let number = if factor == 1.0 {
        text.parse::<f32>().ok()
    } else {
        text.parse()
            .ok()
            .map(|number: f64| (number * factor) as f32)
    };
    match number {
        Some(number) if number.is_nan() => Ok(None),
        Some(number) if number.is_finite() => Ok(Some(number)),
        _ => Err(TableError::value(place, column, NUMBER, text)),
    }
}

/// The description of a number, for messages.
pub(crate) const NUMBER: &str = "a number that a 32-bit float can hold";

/// Parses a state: `1` or `true` for on, `0` or `false` for off, also as `True` or `TRUE`. An error contains `place`
/// and `column`, where the text was found.
///
/// # Errors
/// When the text is not one of these words.
pub(crate) fn state(place: Place, column: &str, text: &str) -> Result<bool, TableError> {
    match text {
        "1" | "true" | "True" | "TRUE" => Ok(true),
        "0" | "false" | "False" | "FALSE" => Ok(false),
        _ => Err(TableError::value(place, column, STATE, text)),
    }
}

/// Parses the value of an input. `true` and `false` are on and off. For an input with the name of a button, such as `a/click`, 1 and 0
/// are also on and off. Other numbers are multiplied by `factor`. Returns `None` for NaN.
///
/// # Errors
/// When the text is neither a state nor a number that is finite as a 32-bit float.
pub(crate) fn input(
    place: Place,
    column: &str,
    text: &str,
    factor: f64,
    name: InputName,
) -> Result<Option<InputValue>, TableError> {
    let is_word = text.starts_with(char::is_alphabetic);
    let is_digit = matches!(text, "0" | "1") && factor == 1.0 && is_state(name);
    if (is_word || is_digit)
        && let Ok(is_on) = state(place, column, text)
    {
        return Ok(Some(InputValue::Boolean(is_on)));
    }
    Ok(number(place, column, text, factor)?.map(InputValue::Float))
}

/// Returns `true` for the names of inputs with states in the registry of OpenXR.
pub(super) fn is_state(name: InputName) -> bool {
    let words = [
        "click",
        "touch",
        "proximity",
        "proximity_fb",
        "proximity_meta",
        "ready_ext",
        "docked_logitech",
        "double_tap_logitech",
    ];
    let last = name.as_str().rsplit('/').next();
    last.is_some_and(|last| words.contains(&last))
}

/// The kind of an input, which is the kind of its first value: on or off, or a number.
#[derive(Debug, Default)]
pub(crate) struct KindCell(Cell<Option<bool>>);

impl KindCell {
    /// The description of the values that an input with states has, for messages.
    pub(crate) const EXPECTED: &str = "1, 0, true or false, as in the rows before";

    /// Returns a value of the kind of the first value. Returns `None` if the input is on or off, and the value is another
    /// number than 0 and 1.
    pub(crate) fn convert(&self, value: InputValue) -> Option<InputValue> {
        let is_boolean = self.0.get();
        let is_boolean = is_boolean.unwrap_or(matches!(value, InputValue::Boolean(_)));
        self.0.set(Some(is_boolean));
        match value {
            InputValue::Float(0.0) if is_boolean => Some(InputValue::Boolean(false)),
            InputValue::Float(1.0) if is_boolean => Some(InputValue::Boolean(true)),
            InputValue::Float(_) if is_boolean => None,
            InputValue::Boolean(_) if is_boolean => Some(value),
            value => Some(InputValue::Float(value.number())),
        }
    }
}

/// The description of a state, for messages.
pub(crate) const STATE: &str = "1, 0, true or false";

/// The known names of a table or object.
pub(crate) struct KnownNames<'k> {
    pub(crate) kind: NameKind,
    /// A short description of the names, for messages.
    pub(crate) expected: &'static str,
    /// Returns all names; called only for an error.
    pub(crate) names: &'k dyn Fn() -> Vec<String>,
}

/// Unknown names. They are either errors, or ignored and listed.
#[derive(Debug)]
pub(crate) struct UnknownNames {
    are_ignored: bool,
    names: BTreeSet<String>,
    /// Names that mappings use.
    allowed: Vec<String>,
    /// Mappings that probably help.
    suggested: Suggestion,
    /// The names among [`OF_SEGMENTS`] that were found.
    of_segments: [bool; 2],
}

/// Two columns that all tables of segments have.
const OF_SEGMENTS: [&str; 2] = ["segment_index", "segment_zero_s"];

impl UnknownNames {
    /// The largest number of names that are listed. A stream can contain any number of names.
    const MAX: usize = 100;

    pub(crate) fn new(are_ignored: bool) -> UnknownNames {
        UnknownNames {
            are_ignored,
            names: BTreeSet::new(),
            allowed: Vec::new(),
            suggested: Suggestion::default(),
            of_segments: [false; 2],
        }
    }

    /// Sets the mappings that errors suggest.
    pub(crate) fn suggest(&mut self, suggested: Suggestion) {
        self.suggested = suggested;
    }

    /// Adds names that mappings use, so that [`add`](Self::add) does not treat them as unknown.
    pub(crate) fn allow<'n>(&mut self, names: impl Iterator<Item = &'n str>) {
        self.allowed.extend(names.map(str::to_owned));
    }

    /// Adds unknown names to the list of ignored names, except the names of [`allow`](Self::allow). `known` contains
    /// the known names, for suggestions in the error.
    ///
    /// # Errors
    /// When there are such names and they are not ignored. The error contains all of them and their `place`. Also when the
    /// names are those of a table of segments, even if they are ignored.
    pub(crate) fn add<'n>(
        &mut self,
        place: Place,
        names: impl IntoIterator<Item = &'n str>,
        known: &KnownNames<'_>,
    ) -> Result<(), TableError> {
        let names = names.into_iter();
        let names = names.filter(|name| self.allowed.iter().all(|allowed| allowed != name));
        let names: Vec<&str> = names.collect();
        if names.is_empty() {
            return Ok(());
        }
        for (found, name) in self.of_segments.iter_mut().zip(OF_SEGMENTS) {
            *found |= names.contains(&name);
        }
        if self.of_segments == [true; 2] {
            return Err(TableError::Segments { place });
        }
        if !self.are_ignored {
            let known_names = (known.names)();
            return Err(TableError::Unknown {
                place,
                kind: known.kind,
                names: UnknownName::all(&names, &known_names),
                expected: known.expected,
                suggested: self.suggested.clone().into(),
            });
        }
        for name in names {
            if self.names.len() < UnknownNames::MAX {
                self.names.insert(excerpt(name));
            }
        }
        Ok(())
    }

    /// Returns the names that were ignored, each in quotation marks, and at most 100 of them.
    pub(crate) fn names(&self) -> &BTreeSet<String> {
        &self.names
    }

    /// Returns a note with the names that were ignored, if there are any.
    pub(crate) fn note(&self) -> Option<Note> {
        let names: Vec<&str> = self.names.iter().map(String::as_str).collect();
        let message = format!("unknown names ignored: {}", names.join(", "));
        (!names.is_empty()).then(|| Note::new(NoteKind::IgnoredNames, message))
    }

    /// Fails if names were ignored. Call this if nothing except the time is known: the user then most likely did not
    /// expect that these names are ignored.
    pub(crate) fn refuse(&self) -> Result<(), TableError> {
        if self.names.is_empty() {
            return Ok(());
        }
        let names: Vec<&str> = self.names.iter().take(10).map(String::as_str).collect();
        Err(TableError::NothingKnown {
            ignored: names.join(", "),
            suggested: self.suggested.clone().into(),
        })
    }
}
