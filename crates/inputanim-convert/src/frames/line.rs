//! What a line of text says, whatever its form.

use std::collections::BTreeSet;

use inputanim::{CurvePath, Frame, HandFrame, Joints, Marker, Pose, Ray};

use super::error::shown;
use super::{Error, Event};

/// What a line says.
pub(super) struct Line {
    pub(super) time: f32,
    pub(super) marker: Option<String>,
    /// There is one unless the line has a marker and nothing else.
    pub(super) frame: Option<Box<Frame>>,
}

impl Line {
    /// What comes first, and what comes after it.
    pub(super) fn events(self) -> [Option<Event>; 2] {
        let marker = self
            .marker
            .map(|name| Event::Marker(Marker::new(self.time, name)));
        let frame = self.frame.map(|mut frame| {
            frame.time = self.time;
            Event::Frame(frame)
        });
        match marker {
            Some(marker) => [Some(marker), frame],
            None => [frame, None],
        }
    }
}

/// A hand of which it may not be said whether it is tracked: it is where joints are known.
pub(crate) fn hand(
    tracked: Option<bool>,
    pinching: Option<bool>,
    joints: Joints<Option<Pose>>,
) -> HandFrame {
    let is_seen = joints.iter().any(|(_, pose)| pose.is_some());
    HandFrame {
        tracked: tracked.unwrap_or(is_seen),
        pinching: pinching.unwrap_or(false),
        joints,
    }
}

/// A pose, if its numbers are known; or the first one that is not where others are.
pub(crate) fn pose(numbers: [Option<f32>; 7]) -> Result<Option<Pose>, usize> {
    Ok(whole(numbers)?.map(|[x, y, z, rotation @ ..]| Pose {
        position: [x, y, z],
        rotation,
    }))
}

/// The rotation of a pose of which none is told.
pub(crate) const NOT_TURNED: [f32; 4] = [0.0, 0.0, 0.0, 1.0];

/// The name of the pose that a curve is of: that of `right.Palm.position.x` is `right.Palm`.
pub(crate) fn pose_of(path: CurvePath) -> String {
    let name = path.to_string();
    let mut parts = name.rsplitn(3, '.');
    parts.nth(2).unwrap_or_default().to_owned()
}

/// The same of a ray.
pub(crate) fn ray(numbers: [Option<f32>; 6]) -> Result<Option<Ray>, usize> {
    Ok(whole(numbers)?.map(|[x, y, z, direction @ ..]| Ray {
        origin: [x, y, z],
        direction,
    }))
}

fn whole<const N: usize>(numbers: [Option<f32>; N]) -> Result<Option<[f32; N]>, usize> {
    match numbers.iter().position(Option::is_none) {
        None => Ok(Some(numbers.map(Option::unwrap_or_default))),
        Some(_) if numbers.iter().all(Option::is_none) => Ok(None),
        Some(missing) => Err(missing),
    }
}

/// The first of some names that may be that of a time.
pub(crate) fn time_of<'n>(names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let is_time = |name: &&str| {
        let name = name.to_ascii_lowercase();
        name.contains("time")
            || name.starts_with("t [")
            || ["t", "t_s", "seconds"].contains(&&*name)
    };
    names.into_iter().find(is_time)
}

/// Times as they are read.
#[derive(Debug)]
pub(super) struct Clock {
    from_zero: bool,
    /// The first time that was read.
    origin: Option<f64>,
}

impl Clock {
    pub(super) fn new(from_zero: bool) -> Clock {
        Clock {
            from_zero,
            origin: None,
        }
    }

    /// A time in seconds, which the text says in other units by a factor; counted from the first one if
    /// that is asked for: in double precision, since those of clocks that run for days lie too close
    /// together for a 32-bit float.
    pub(super) fn time(
        &mut self,
        place: Place<'_>,
        text: &str,
        factor: f64,
    ) -> Result<Option<f32>, Error> {
        if !self.from_zero {
            return place.scaled(text, factor);
        }
        let time = match text.parse::<f64>() {
            Ok(time) if time.is_nan() => return Ok(None),
            Ok(time) => (time - *self.origin.get_or_insert(time)) * factor,
            Err(_) => f64::NAN,
        } as f32;
        match time.is_finite() {
            true => Ok(Some(time)),
            false => Err(place.expected("a number of seconds", text)),
        }
    }
}

/// Where in a text something is read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Place<'p> {
    pub(super) line: u64,
    pub(super) field: &'p str,
}

impl Place<'_> {
    /// A number that a 32-bit float can hold, read straight as one, so that it is rounded once.
    /// What says that it is none is as good as nothing.
    pub(super) fn number(self, text: &str) -> Result<Option<f32>, Error> {
        match text.parse::<f32>() {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            Ok(number) if number.is_nan() => Ok(None),
            _ => Err(self.expected("a number that a 32-bit float can hold", text)),
        }
    }

    /// A number in other units, in double precision until it is in ours.
    pub(super) fn scaled(self, text: &str, factor: f64) -> Result<Option<f32>, Error> {
        if factor == 1.0 {
            return self.number(text);
        }
        match text.parse::<f64>().map(|number| (number * factor) as f32) {
            Ok(number) if number.is_finite() => Ok(Some(number)),
            Ok(number) if number.is_nan() => Ok(None),
            _ => Err(self.expected("a number that a 32-bit float can hold", text)),
        }
    }

    /// Whether something is on.
    pub(super) fn state(self, text: &str) -> Result<bool, Error> {
        match text {
            "1" | "true" | "True" | "TRUE" => Ok(true),
            "0" | "false" | "False" | "FALSE" => Ok(false),
            _ => Err(self.expected("1, 0, true or false", text)),
        }
    }

    pub(super) fn expected(self, expected: &'static str, found: &str) -> Error {
        Error::Value {
            line: self.line,
            field: self.field.to_owned(),
            expected,
            found: shown(found),
        }
    }

    pub(super) fn missing(self) -> Error {
        Error::Missing {
            line: self.line,
            field: self.field.to_owned(),
        }
    }

    pub(super) fn twice(self) -> Error {
        Error::Twice {
            line: self.line,
            field: self.field.to_owned(),
        }
    }
}

/// Names that mean nothing: each is an error, or is remembered and passed over.
#[derive(Debug)]
pub(super) struct Unknown {
    are_ignored: bool,
    names: BTreeSet<String>,
}

/// More are passed over without being remembered.
const MOST_NAMES: usize = 100;

impl Unknown {
    pub(super) fn new(are_ignored: bool) -> Unknown {
        Unknown {
            are_ignored,
            names: BTreeSet::new(),
        }
    }

    pub(super) fn meet(&mut self, place: Place<'_>, expected: &'static str) -> Result<(), Error> {
        let Place { line, field } = place;
        if !self.are_ignored {
            return Err(Error::Unknown {
                line,
                field: shown(field),
                expected,
            });
        }
        if self.names.len() < MOST_NAMES {
            self.names.insert(shown(field));
        }
        Ok(())
    }

    pub(super) fn names(&self) -> &BTreeSet<String> {
        &self.names
    }
}
