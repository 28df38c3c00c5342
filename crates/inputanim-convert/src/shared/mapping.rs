//! Other names and units for the columns of a table.

use std::fmt;
use std::str::FromStr;

use inputanim::{CurvePath, DeviceName, Element, Joint, Side};

use crate::shared::hand_orders::HandOrder;

/// The column of times.
pub(crate) const TIME_S: &str = "time_s";
/// Another name of the column of times, which is read too.
pub(crate) const TIME: &str = "time";
/// The column with the name of the recording, in a table of several recordings.
pub(crate) const RECORDING: &str = "recording";
/// The column of markers.
pub(crate) const MARKER: &str = "marker";
/// The last parts of the names of the columns with the state and the profile of a device.
pub(crate) const ACTIVE: &str = "active";
pub(crate) const PROFILE: &str = "profile";

/// A column that has another name, and perhaps another unit, in a table; or a joint, the head or the gaze that is a node with
/// another name in a scene: `right.IndexTip=bone_12`.
///
/// ```
/// use inputanim_convert::Mapping;
/// let mapping: Mapping = "right.IndexTip.position.x=tip x [mm]*0.001".parse()?;
/// assert_eq!(mapping.column, "right.IndexTip.position.x");
/// assert_eq!(mapping.source, "tip x [mm]");
/// assert_eq!(mapping.factor, Some(0.001));
/// # Ok::<(), inputanim_convert::InvalidMapping>(())
/// ```
///
/// A mapping can assign all numbers of a vector. They are in one cell, such as `(0.1, 1.2, 0.3)`, or in the columns of a list:
///
/// ```
/// # use inputanim_convert::Mapping;
/// for text in [
///     "right.Palm.position=palm",
///     "right.Palm.position=px*0.01,py*0.01,pz*0.01",
///     "right.Palm.rotation.wxyz=qw,qx,qy,qz",
///     // Angles about x, y and z. The axes are turned in the order y, x, z.
///     "head.rotation.yxz-deg=pitch,yaw,roll",
///     "right.confidence=certainty",
///     // Whether a device is active, and the text with its interaction profile.
///     "right.controller.active=RightIsTracked",
///     "right.controller.profile=RightModel",
/// ] {
///     text.parse::<Mapping>()?;
/// }
/// # Ok::<(), inputanim_convert::InvalidMapping>(())
/// ```
///
/// A mapping can assign the positions of all joints of a hand, in the order of a program. `{n}` is the number of a position:
///
/// ```
/// # use inputanim_convert::Mapping;
/// for text in [
///     "right.joints.mediapipe=landmarks.{n}",
///     "left.joints.mano=x{n},y{n},z{n}",
///     // Landmark names such as INDEX_FINGER_TIP. The y axis of images points down.
///     "right.joints.mediapipe={name}_x,{name}_y*-1,{name}_z",
/// ] {
///     text.parse::<Mapping>()?;
/// }
/// # Ok::<(), inputanim_convert::InvalidMapping>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The name that this library uses: `time_s`, `marker`, the name of a curve, of a vector such as `head.position`, of a
    /// confidence such as `right.confidence`, of the positions of a hand such as `right.joints.mediapipe`, of the state or the
    /// profile of a device such as `right.controller.active`, or of a pose such as `right.IndexTip`, `head` or `gaze`.
    pub column: String,
    /// The name in the file, or a list of names between commas, each with or without a factor.
    pub source: String,
    /// The factor that converts its numbers. If `None`, numbers are converted from the unit that the table states.
    pub factor: Option<f64>,
}

/// What the numbers of a mapped column are.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Target {
    Time,
    Marker,
    Curve(CurvePath),
    /// The curves of a vector, in the order of its numbers.
    Vector(Vec<CurvePath>),
    /// Angles about x, y and z, which become the rotation with these curves of x, y and z.
    Angles([CurvePath; 3], Angles),
    /// The positions of the joints of a hand, in the order of a program.
    Hand(Side, HandOrder),
    /// The confidence in everything about an element. [`Element::Tracked`] stands for a hand.
    Confidence(Element),
    /// The state of a device: on while it is active.
    Active(DeviceName),
    /// The interaction profile of a device, a text.
    Profile(DeviceName),
}

/// How three angles become a rotation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Angles {
    /// The axes in the order in which they are turned, each about the axis that the turns before have moved. 0 is x.
    pub(crate) order: [usize; 3],
    /// The unit; `None` if the table has to state it.
    pub(crate) unit: Option<&'static str>,
}

impl Angles {
    /// Returns the rotation, as a quaternion x, y, z, w, of angles about x, y and z in radians.
    #[cfg(feature = "tables")]
    pub(crate) fn rotation(self, angles: [f64; 3]) -> [f32; 4] {
        let turns = self.order.map(|axis| {
            let (sine, cosine) = (angles[axis] / 2.0).sin_cos();
            let mut turn = [0.0, 0.0, 0.0, cosine];
            turn[axis] = sine;
            turn
        });
        // A turn about an axis that earlier turns have moved is a factor on the right.
        let [first, second, third] = turns;
        product(product(first, second), third).map(|part| part as f32)
    }
}

/// Returns the product of two quaternions x, y, z, w.
#[cfg(feature = "tables")]
fn product(a: [f64; 4], b: [f64; 4]) -> [f64; 4] {
    [
        a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1],
        a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
        a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3],
        a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2],
    ]
}

/// Returns the places in `axes` of the letters of an order, such as 3, 0, 1, 2 for `wxyz` in `xyzw`. Returns `None` unless the
/// order has each letter once.
fn order_of<const N: usize>(order: &str, axes: &str) -> Option<[usize; N]> {
    let places: Vec<usize> = order
        .chars()
        .map(|letter| axes.find(letter))
        .collect::<Option<_>>()?;
    let places: [usize; N] = places.try_into().ok()?;
    (0..N).all(|axis| places.contains(&axis)).then_some(places)
}

impl Target {
    /// Returns what the name of a column of this library means; `None` for other names.
    pub(crate) fn parse(name: &str) -> Option<Target> {
        if name == TIME_S {
            return Some(Target::Time);
        }
        if name == MARKER {
            return Some(Target::Marker);
        }
        match name.parse() {
            // `right.controller.aim.position` could be an input as well, but it is the position of a pose.
            Ok(path @ CurvePath::Input(..)) => {
                Some(Target::several(name).unwrap_or(Target::Curve(path)))
            }
            Ok(path) => Some(Target::Curve(path)),
            Err(_) => Target::several(name),
        }
    }

    /// Returns what a name means that is not the name of a curve: several curves, a confidence, or the state or the profile of a
    /// device.
    fn several(name: &str) -> Option<Target> {
        // An input of a device is a number, and no vector.
        let curve = |base: &str, axis: char| {
            let path = format!("{base}.{axis}").parse().ok();
            path.filter(|path| !matches!(path, CurvePath::Input(..)))
        };
        let curves = |base: &str, axes: &str| -> Option<Vec<CurvePath>> {
            axes.chars().map(|axis| curve(base, axis)).collect()
        };
        if let Some(element) = name.strip_suffix(".confidence") {
            return Some(Target::Confidence(match element {
                "left" => Element::Tracked(Side::Left),
                "right" => Element::Tracked(Side::Right),
                "gaze" => Element::Gaze,
                _ => Element::from(curve(&format!("{element}.position"), 'x')?),
            }));
        }
        let (base, kind) = name.rsplit_once('.')?;
        if let (ACTIVE | PROFILE, Ok(device)) = (kind, base.parse()) {
            return Some(if kind == ACTIVE {
                Target::Active(device)
            } else {
                Target::Profile(device)
            });
        }
        if let Some(side) = base.strip_suffix(".joints") {
            return Some(Target::Hand(side.parse().ok()?, kind.parse().ok()?));
        }
        if base.ends_with(".rotation") {
            let (order, unit) = match kind.split_once('-') {
                None => (kind, None),
                Some((order, "deg")) => (order, Some("deg")),
                Some((order, "rad")) => (order, Some("rad")),
                Some(_) => return None,
            };
            return match (order.len(), unit) {
                (4, None) => {
                    order_of::<4>(order, "xyzw")?;
                    curves(base, order).map(Target::Vector)
                }
                _ => {
                    let order = order_of(order, "xyz")?;
                    let curves = curves(base, "xyz")?.try_into().ok()?;
                    Some(Target::Angles(curves, Angles { order, unit }))
                }
            };
        }
        let axes = if kind == "rotation" { "xyzw" } else { "xyz" };
        curves(name, axes).map(Target::Vector)
    }

    /// Returns the number of numbers of a vector; 1 for other targets.
    pub(crate) fn numbers(&self) -> usize {
        match self {
            Target::Vector(curves) => curves.len(),
            Target::Angles(..) | Target::Hand(..) => 3,
            _ => 1,
        }
    }
}

/// A part of a mapping: a number in a table, and its meaning.
#[cfg(feature = "tables")]
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Binding {
    /// The name of the column.
    pub(crate) source: String,
    /// The index of the number in a cell of several numbers, and their count.
    pub(crate) part: Option<(usize, usize)>,
    /// As in [`Mapping::factor`].
    pub(crate) factor: Option<f64>,
    pub(crate) meaning: Meaning,
}

/// The meaning of a number.
#[cfg(feature = "tables")]
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Meaning {
    Time,
    Marker,
    Curve(CurvePath),
    /// An angle, and the curve of x, y or z in whose place it is stored.
    Angle(CurvePath, Angles),
    Confidence(Element),
    Active(DeviceName),
    Profile(DeviceName),
}

#[cfg(feature = "tables")]
impl Target {
    /// Returns the numbers of this target in the column or list of columns `source`. `has` returns `true` for the names of the
    /// columns of the table.
    pub(crate) fn bind(
        &self,
        source: &str,
        factor: Option<f64>,
        has: &dyn Fn(&str) -> bool,
    ) -> Vec<Binding> {
        let meanings: Vec<Meaning> = match self {
            Target::Hand(side, order) => {
                let joints = order.joints().into_iter().enumerate();
                let bindings = joints.flat_map(|(number, joint)| {
                    let position = Target::parse(&format!("{side}.{joint}.position"));
                    let source = order.expand(source, number);
                    let bound = position.zip(source);
                    bound.map_or_else(Vec::new, |(position, source)| {
                        position.bind(&source, factor, &has)
                    })
                });
                return bindings.collect();
            }
            Target::Time => vec![Meaning::Time],
            Target::Marker => vec![Meaning::Marker],
            Target::Curve(path) => vec![Meaning::Curve(*path)],
            Target::Vector(curves) => curves.iter().copied().map(Meaning::Curve).collect(),
            Target::Angles(curves, angles) => {
                let angle = |curve| Meaning::Angle(curve, *angles);
                curves.map(angle).into()
            }
            Target::Confidence(element) => vec![Meaning::Confidence(*element)],
            Target::Active(device) => vec![Meaning::Active(*device)],
            Target::Profile(device) => vec![Meaning::Profile(*device)],
        };
        let count = meanings.len();
        let is_list = is_list(source, count) && !has(source);
        let mut names = source.split(',');
        let meanings = meanings.into_iter().enumerate();
        meanings
            .map(|(index, meaning)| {
                let (source, factor) = match names.next() {
                    Some(name) if is_list => with_factor(name),
                    _ => (source, factor),
                };
                Binding {
                    source: source.trim().to_owned(),
                    part: (count > 1 && !is_list).then_some((index, count)),
                    factor,
                    meaning,
                }
            })
            .collect()
    }
}

/// Returns `true` if a source can be a list of `count` columns.
fn is_list(source: &str, count: usize) -> bool {
    count > 1 && source.split(',').count() == count
}

/// Splits a source into the name and the factor behind it, which is `None` without one. The name itself may contain a `*`.
fn with_factor(source: &str) -> (&str, Option<f64>) {
    let factor = |text: &str| text.trim().parse::<f64>().ok();
    let split = source.rsplit_once('*');
    let split = split.and_then(|(source, text)| Some((source, factor(text)?)));
    split.map_or((source, None), |(source, factor)| (source, Some(factor)))
}

/// Returns the pose with a name: a joint, the head or the gaze.
fn pose(name: &str) -> Option<Element> {
    match name.split_once('.') {
        None if name == "head" => Some(Element::Head),
        None if name == "gaze" => Some(Element::Gaze),
        None => None,
        Some((side, joint)) => {
            let side: Side = side.parse().ok()?;
            let joint: Joint = joint.parse().ok()?;
            (joint != Joint::None).then_some(Element::Joint(side, joint))
        }
    }
}

impl Mapping {
    /// Returns `true` if the mapping names the source of markers.
    pub fn is_of_markers(&self) -> bool {
        self.column == MARKER
    }

    /// Returns `true` if the mapping assigns the positions of all joints of a hand.
    #[cfg(feature = "tables")]
    pub(crate) fn is_of_hand(&self) -> bool {
        matches!(Target::parse(&self.column), Some(Target::Hand(..)))
    }

    /// Returns the joint, the head or the gaze that the mapping assigns to a node. Returns `None` for columns.
    pub(crate) fn pose(&self) -> Option<Element> {
        pose(&self.column)
    }

    /// Returns the numbers that the mapping assigns. `has` returns `true` for the names of the columns of the table.
    #[cfg(feature = "tables")]
    pub(crate) fn bindings(&self, has: impl Fn(&str) -> bool) -> Vec<Binding> {
        let target = Target::parse(&self.column);
        // The column of a mapping that was parsed is valid; callers in Rust may write others.
        target.map_or_else(Vec::new, |target| {
            target.bind(&self.source, self.factor, &has)
        })
    }

    /// Returns the mapping that was probably meant if the source looks like a division: the source `t` with the factor
    /// 0.001 for the source `t/1000`. Returns `None` for other sources.
    #[cfg(feature = "tables")]
    pub(crate) fn without_division(&self) -> Option<Mapping> {
        let (source, divisor) = self.source.rsplit_once('/')?;
        let divisor: f64 = divisor.trim().parse().ok()?;
        let factor = self.factor.unwrap_or(1.0) / divisor;
        factor.is_finite().then(|| Mapping {
            column: self.column.clone(),
            source: source.trim().to_owned(),
            factor: Some(factor),
        })
    }
}

/// A text that is not a mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("\"{text}\": {problem}")]
pub struct InvalidMapping {
    text: String,
    problem: String,
}

impl FromStr for Mapping {
    type Err = InvalidMapping;

    /// Parses `column=source` or `column=source*factor`. Without a factor, it is 1.
    fn from_str(text: &str) -> Result<Mapping, InvalidMapping> {
        let wrong = |problem: &str| InvalidMapping {
            text: text.to_owned(),
            problem: problem.to_owned(),
        };
        let Some((column, source)) = text.split_once('=') else {
            return Err(wrong("expected COLUMN=SOURCE or COLUMN=SOURCE*FACTOR"));
        };
        let column = match column.trim() {
            TIME => TIME_S,
            column => column,
        };
        if pose(column).is_some() {
            // The name of a node.
            let (source, factor) = with_factor(source);
            return Ok(Mapping {
                column: column.to_owned(),
                source: source.trim().to_owned(),
                factor,
            });
        }
        let target = Target::parse(column);
        let is_column =
            |name: &str| name == TIME || Target::parse(name).is_some() || pose(name).is_some();
        let Some(target) = target else {
            let name = source.split('*').next().unwrap_or_default().trim();
            if is_column(name) {
                let problem = format!("the other way round? \"{name}={column}\"");
                return Err(wrong(&problem));
            }
            if let Some((side, order)) = column.split_once(".joints.")
                && side.parse::<Side>().is_ok()
            {
                let orders = HandOrder::ALL
                    .iter()
                    .map(|order| order.name())
                    .collect::<Vec<_>>()
                    .join(", ");
                return Err(wrong(&format!(
                    "unknown order of joints \"{order}\"; expected one of {orders}"
                )));
            }
            let problem = "expected time_s, time, marker, a column such as right.Palm.position.x, or a \
                           pose such as right.Palm before the `=`";
            return Err(wrong(problem));
        };
        if let Target::Hand(_, order) = target {
            let is_expanded = |name: &str| order.expand(with_factor(name).0, 0).is_some();
            let is_complete = if is_list(source, 3) {
                source.split(',').all(is_expanded)
            } else {
                is_expanded(source)
            };
            if !is_complete {
                let names = match order.name_of(0) {
                    Some(_) => ", or {name} for its name",
                    None => "",
                };
                return Err(wrong(&format!(
                    "expected {{n}} for the number of a joint, as in `landmarks.{{n}}` or \
                     `x{{n}},y{{n}},z{{n}}`{names}"
                )));
            }
        }
        if is_list(source, target.numbers()) {
            let mut parts = source.split(',').map(with_factor);
            if parts.any(|(name, _)| name.trim().is_empty()) {
                return Err(wrong("expected the name of a column between the commas"));
            }
            return Ok(Mapping {
                column: column.to_owned(),
                source: source.trim().to_owned(),
                factor: None,
            });
        }
        let number = source
            .rsplit_once('*')
            .map_or("", |(_, number)| number.trim());
        let point = number.replacen(',', ".", 1);
        if number.contains(',') && point.parse::<f64>().is_ok() {
            let problem = format!("a factor needs a decimal point: `*{point}`");
            return Err(wrong(&problem));
        }
        let (source, mut factor) = with_factor(source);
        if factor.is_some_and(|factor| !factor.is_finite()) {
            let problem = format!("expected a finite factor behind the \"*\", found \"{number}\"");
            return Err(wrong(&problem));
        }
        if factor.is_some() && matches!(target, Target::Active(_) | Target::Profile(_)) {
            let problem = "a factor has no effect on the state or the profile of a device";
            return Err(wrong(problem));
        }
        let mut source = source;
        // Streams of XDF have names with a `/`, but times of their own.
        if let (Target::Time, None, Some((name, divisor))) =
            (&target, factor, source.rsplit_once('/'))
            && let Ok(divisor) = divisor.trim().parse::<f64>()
            && divisor > 0.0
            && divisor.is_finite()
        {
            (source, factor) = (name, Some(divisor.recip()));
        }
        if source.trim().is_empty() {
            return Err(wrong("expected the name of a column behind the `=`"));
        }
        Ok(Mapping {
            column: column.to_owned(),
            source: source.trim().to_owned(),
            factor,
        })
    }
}

impl fmt::Display for Mapping {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.column, self.source)?;
        match self.factor {
            None => Ok(()),
            // A number of frames per second is easier to read than the duration of a frame.
            Some(factor) if self.column == TIME_S && is_rate(factor) => {
                write!(f, "/{}", factor.recip().round())
            }
            Some(factor) => write!(f, "*{factor}"),
        }
    }
}

/// Returns `true` for the duration of a frame at a whole number of frames per second that is no short decimal number.
fn is_rate(factor: f64) -> bool {
    let rate = factor.recip().round();
    rate >= 1.0 && rate.recip() == factor && factor.to_string().len() > 8
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_contain_the_signs_of_the_syntax() {
        for (text, source, factor) in [
            ("time_s=Timestamp", "Timestamp", None),
            ("time=Timestamp", "Timestamp", None),
            ("time_s = t [us] * 1e-6", "t [us]", Some(1e-6)),
            ("time_s = frame / 30", "frame", Some(1.0 / 30.0)),
            ("marker=a=b*c", "a=b*c", None),
            ("left.Palm.position.x=p*2*-0.5", "p*2", Some(-0.5)),
            ("left.Palm.position.x=p/2", "p/2", None),
            ("left.Palm.position=p*0.01", "p", Some(0.01)),
            ("left.Palm.position=x*2,y,z*2", "x*2,y,z*2", None),
            ("gaze.direction=a,b", "a,b", None),
            ("head.rotation.zxy-rad=a,b,c", "a,b,c", None),
            ("right.Palm.confidence=c*0.01", "c", Some(0.01)),
            ("right.joints.mano=p.{n}*0.001", "p.{n}", Some(0.001)),
            (
                "left.joints.openxr=x{n+1},y{n+1}*-1,z{n+1}",
                "x{n+1},y{n+1}*-1,z{n+1}",
                None,
            ),
        ] {
            let mapping: Mapping = text.parse().unwrap();
            assert_eq!((&*mapping.source, mapping.factor), (source, factor));
            assert_eq!(mapping.to_string().parse(), Ok(mapping));
        }
        for text in [
            "",
            "time_s",
            "time_s=",
            "left.Thumb.position.x=a",
            "time_s= *2",
            "head.position=x,,z",
            "head.rotation.xyx=a,b,c",
            "head.rotation.xyz-grad=a,b,c",
            "head.rotation.wxy=a,b,c",
            "gaze.position=a",
            "Palm.confidence=a",
        ] {
            assert!(text.parse::<Mapping>().is_err(), "{text}");
        }
    }

    #[test]
    fn an_error_names_the_mistake() {
        for (text, expected) in [
            (
                "t_ms*1e-3=time_s",
                "the other way round? \"time_s=t_ms*1e-3\"",
            ),
            (
                "px=right.Palm.position.x",
                "the other way round? \"right.Palm.position.x=px\"",
            ),
            ("time_s=t*0,001", "a factor needs a decimal point: `*0.001`"),
            (
                "time_s=t* nan",
                "expected a finite factor behind the \"*\", found \"nan\"",
            ),
            ("time_s=t*1e999", "found \"1e999\""),
            ("time_s=*2", "expected the name of a column"),
            ("Palm=x", "a column such as right.Palm.position.x"),
            (
                "left.joints.leap=x{n}",
                "unknown order of joints \"leap\"; expected one of mediapipe, openpose,",
            ),
            ("left.joints.mano=landmarks", "expected {n} for the number"),
            ("left.joints.mano={name}", "expected {n} for the number"),
            (
                "left.joints.mediapipe=x{n},y,z{n}",
                "or {name} for its name",
            ),
        ] {
            let error = text.parse::<Mapping>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }

    #[cfg(feature = "tables")]
    #[test]
    fn angles_turn_about_axes_that_move() {
        let rotation = |order: &str, angles: [f64; 3]| {
            let order = order_of(order, "xyz").unwrap();
            let angles = angles.map(f64::to_radians);
            Angles { order, unit: None }.rotation(angles)
        };
        let half = 0.5_f32.sqrt();
        let is_near = |found: [f32; 4], expected: [f32; 4]| {
            let near = |(a, b): (f32, &f32)| (a - b).abs() < 1e-6;
            assert!(found.into_iter().zip(&expected).all(near), "{found:?}");
        };
        for order in ["xyz", "xzy", "yxz", "yzx", "zxy", "zyx"] {
            is_near(rotation(order, [0.0, 90.0, 0.0]), [0.0, half, 0.0, half]);
        }
        // Unity's Quaternion.Euler(90, 90, 0): first about y, then about the x axis that has moved.
        is_near(rotation("yxz", [90.0, 90.0, 0.0]), [0.5, 0.5, -0.5, 0.5]);
        is_near(rotation("xyz", [90.0, 90.0, 0.0]), [0.5, 0.5, 0.5, 0.5]);
    }
}
