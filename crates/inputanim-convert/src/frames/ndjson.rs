//! Frames as newline-delimited JSON: an object a line.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::fmt;
use std::io::BufRead;

use inputanim::{Frame, HandFrame, Joint, Joints, Pose, Ray, Side};
use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use super::error::shown;
use super::line::{self, Clock, Line, Place, Unknown};
use super::lines::Lines;
use super::{Error, Event, Options};

/// Reads frames and markers as they come.
///
/// ```
/// use inputanim_convert::frames::{Event, ndjson};
/// let text = r#"
///     {"time": 0.5, "left": {"joints": {"Palm": {"position": [0, 1, 0.5], "rotation": [0, 0, 0, 1]}}}}
///     {"time": 1.5, "marker": "grab"}
/// "#;
/// let events: Vec<Event> = ndjson::Reader::new(text.as_bytes()).collect::<Result<_, _>>()?;
/// let Event::Frame(frame) = &events[0] else { panic!("the first is a frame") };
/// assert!(frame.left.tracked, "its palm is known");
/// assert!(matches!(&events[1], Event::Marker(marker) if marker.name == "grab"));
/// # Ok::<(), inputanim_convert::frames::Error>(())
/// ```
#[derive(Debug)]
pub struct Reader<R> {
    lines: Lines<R>,
    clock: Clock,
    unknown: Unknown,
    waiting: Option<Event>,
}

impl<R: BufRead> Reader<R> {
    /// A reader with the default options.
    pub fn new(input: R) -> Reader<R> {
        Reader::with(input, &Options::default())
    }

    /// A reader with options.
    pub fn with(input: R, options: &Options) -> Reader<R> {
        Reader {
            lines: Lines::new(input, options.max_line),
            clock: Clock::new(options.from_zero),
            unknown: Unknown::new(options.ignore_unknown),
            waiting: None,
        }
    }

    /// The line that was read last, counted from 1.
    pub fn line(&self) -> u64 {
        self.lines.number()
    }

    /// Names of members that were passed over so far, the first hundred of them.
    pub fn ignored(&self) -> &BTreeSet<String> {
        self.unknown.names()
    }

    fn read(&mut self) -> Result<Option<Event>, Error> {
        while self.lines.advance()? {
            let line = self.lines.number();
            let text = str::from_utf8(self.lines.bytes()).map_err(|_| Error::Encoding { line })?;
            if text.trim().is_empty() {
                continue;
            }
            let mut object = Object {
                line,
                is_torn: self.lines.is_torn(),
                clock: &mut self.clock,
                unknown: &mut self.unknown,
            };
            let [event, waiting] = object.line(text.trim())?.events();
            self.waiting = waiting;
            return Ok(event);
        }
        Ok(None)
    }
}

impl<R: BufRead> Iterator for Reader<R> {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Result<Event, Error>> {
        match self.waiting.take() {
            Some(event) => Some(Ok(event)),
            None => self.read().transpose(),
        }
    }
}

/// Numbers that may not be known.
type Numbers<const N: usize> = [Option<f32>; N];

/// An object, whatever its members are.
struct Object<'u> {
    line: u64,
    is_torn: bool,
    clock: &'u mut Clock,
    unknown: &'u mut Unknown,
}

impl Object<'_> {
    fn line(&mut self, text: &str) -> Result<Line, Error> {
        let mut frame = Frame::default();
        let line = self.line;
        let (mut time, mut marker, mut is_frame) = (None, None, false);
        if !text.starts_with('{') {
            let found = shown(text);
            return Err(Error::Object { line, found });
        }
        for (name, value) in self.members(text, "")? {
            match &*name {
                "time" if is_null(value) => {}
                "time" => {
                    time = self.clock.time(
                        Place {
                            line,
                            field: "time",
                        },
                        value,
                        1.0,
                    )?
                }
                "marker" => marker = self.text(value, "marker")?,
                "camera" => frame.camera = self.pose(value, "camera")?,
                "left" => frame.left = self.hand(value, Side::Left)?,
                "right" => frame.right = self.hand(value, Side::Right)?,
                "gaze" => frame.gaze = self.ray(value, "gaze")?,
                _ => self.meet(&name, "time, marker, camera, left, right or gaze")?,
            }
            is_frame |= ["camera", "left", "right", "gaze"].contains(&&*name);
        }
        let time = time.ok_or_else(|| self.at("time").missing())?;
        let is_marker_alone = marker.is_some() && !is_frame;
        Ok(Line {
            time,
            marker,
            frame: (!is_marker_alone).then(|| Box::new(frame)),
        })
    }

    fn hand(&mut self, text: &str, side: Side) -> Result<HandFrame, Error> {
        let (mut tracked, mut pinching, mut joints) = (None, None, Joints::default());
        if !is_null(text) {
            for (name, value) in self.members(text, side.name())? {
                let field = format!("{side}.{name}");
                match &*name {
                    "tracked" => tracked = self.state(value, &field)?,
                    "pinching" => pinching = self.state(value, &field)?,
                    "joints" => joints = self.joints(value, &field)?,
                    _ => self.meet(&field, "tracked, pinching or joints")?,
                }
            }
        }
        Ok(line::hand(tracked, pinching, joints))
    }

    fn joints(&mut self, text: &str, field: &str) -> Result<Joints<Option<Pose>>, Error> {
        let mut joints = Joints::default();
        if is_null(text) {
            return Ok(joints);
        }
        for (name, value) in self.members(text, field)? {
            let field = format!("{field}.{name}");
            let Ok(joint) = name.parse::<Joint>() else {
                self.meet(&field, "a joint such as Palm or IndexTip")?;
                continue;
            };
            let pose = self.pose(value, &field)?;
            // The case of a name does not matter.
            if joints[joint].is_some() && pose.is_some() {
                return Err(self.at(&field).twice());
            }
            joints[joint] = joints[joint].or(pose);
        }
        Ok(joints)
    }

    fn pose(&mut self, text: &str, field: &str) -> Result<Option<Pose>, Error> {
        let (position, rotation) = self.parts(text, field, ["position", "rotation"])?;
        let [x, y, z] = position;
        let [qx, qy, qz, qw] = rotation;
        line::pose([x, y, z, qx, qy, qz, qw]).map_err(|missing| match missing {
            0..3 => self.at(&format!("{field}.position")).missing(),
            _ => self.at(&format!("{field}.rotation")).missing(),
        })
    }

    fn ray(&mut self, text: &str, field: &str) -> Result<Option<Ray>, Error> {
        let (origin, direction) = self.parts(text, field, ["origin", "direction"])?;
        let [x, y, z] = origin;
        let [dx, dy, dz] = direction;
        line::ray([x, y, z, dx, dy, dz]).map_err(|missing| match missing {
            0..3 => self.at(&format!("{field}.origin")).missing(),
            _ => self.at(&format!("{field}.direction")).missing(),
        })
    }

    /// The two vectors of a pose or ray.
    fn parts<const N: usize, const M: usize>(
        &mut self,
        text: &str,
        field: &str,
        [first, second]: [&str; 2],
    ) -> Result<(Numbers<N>, Numbers<M>), Error> {
        let (mut a, mut b) = ([None; N], [None; M]);
        if is_null(text) {
            return Ok((a, b));
        }
        for (name, value) in self.members(text, field)? {
            let field = format!("{field}.{name}");
            match &*name {
                name if name == first => a = self.numbers(value, &field)?,
                name if name == second => b = self.numbers(value, &field)?,
                _ if first == "origin" => self.meet(&field, "origin or direction")?,
                _ => self.meet(&field, "position or rotation")?,
            }
        }
        Ok((a, b))
    }

    fn numbers<const N: usize>(&self, text: &str, field: &str) -> Result<Numbers<N>, Error> {
        let mut numbers = [None; N];
        if is_null(text) {
            return Ok(numbers);
        }
        let expected = match N {
            3 => "an array of 3 numbers",
            _ => "an array of 4 numbers",
        };
        let wrong = || self.at(field).expected(expected, text);
        let values: Vec<&RawValue> = serde_json::from_str(text).map_err(|_| wrong())?;
        if values.len() != N {
            return Err(wrong());
        }
        for (number, value) in numbers.iter_mut().zip(values) {
            *number = self.number(value.get(), field)?;
        }
        Ok(numbers)
    }

    fn number(&self, text: &str, field: &str) -> Result<Option<f32>, Error> {
        match is_null(text) {
            true => Ok(None),
            false => self.at(field).number(text),
        }
    }

    fn state(&self, text: &str, field: &str) -> Result<Option<bool>, Error> {
        match is_null(text) {
            true => Ok(None),
            false => self.at(field).state(text).map(Some),
        }
    }

    fn text(&self, text: &str, field: &str) -> Result<Option<String>, Error> {
        let wrong = |_| self.at(field).expected("a text", text);
        serde_json::from_str(text).map_err(wrong)
    }

    fn members<'t>(
        &self,
        text: &'t str,
        field: &str,
    ) -> Result<impl Iterator<Item = (Cow<'t, str>, &'t str)> + use<'t>, Error> {
        if !text.starts_with('{') {
            return Err(self.at(field).expected("an object", text));
        }
        let members: Members<'t> = serde_json::from_str(text).map_err(|error| self.json(&error))?;
        let mut seen = HashSet::new();
        for (name, _) in &members.0 {
            if !seen.insert(name) {
                return Err(self.at(name).twice());
            }
        }
        let members = members.0.into_iter();
        Ok(members.map(|(name, value)| (name, value.get())))
    }

    fn json(&self, error: &serde_json::Error) -> Error {
        let line = self.line;
        if self.is_torn && error.is_eof() {
            return Error::Torn { line };
        }
        // Its own line is always the first.
        let text = error.to_string();
        let message = text
            .rsplit_once(" at line ")
            .map_or(&*text, |(what, _)| what);
        Error::Json {
            line,
            column: error.column(),
            message: message.to_owned(),
        }
    }

    fn meet(&mut self, field: &str, expected: &'static str) -> Result<(), Error> {
        let line = self.line;
        self.unknown.meet(Place { line, field }, expected)
    }

    fn at<'p>(&self, field: &'p str) -> Place<'p> {
        let line = self.line;
        Place { line, field }
    }
}

fn is_null(text: &str) -> bool {
    text == "null"
}

/// The members of an object as they stand there.
struct Members<'t>(Vec<(Cow<'t, str>, &'t RawValue)>);

#[derive(Deserialize)]
struct Name<'t>(#[serde(borrow)] Cow<'t, str>);

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Members<'de>, D::Error> {
        deserializer.deserialize_map(MembersVisitor)
    }
}

struct MembersVisitor;

impl<'de> Visitor<'de> for MembersVisitor {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Members<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Name(name), value)) = map.next_entry()? {
            members.push((name, value));
        }
        Ok(Members(members))
    }
}
