//! Other names and units for the columns of a table.

use std::fmt;
use std::str::FromStr;

use inputanim::{CurvePath, Element, Joint, Side};

/// The column of times.
pub(crate) const TIME_S: &str = "time_s";
/// Another name of the column of times, which is read too.
pub(crate) const TIME: &str = "time";
/// The column with the name of the recording, in a table of several recordings.
pub(crate) const RECORDING: &str = "recording";
/// The column of markers.
pub(crate) const MARKER: &str = "marker";

/// A column that has another name, and perhaps another unit, in a table; or a joint, the head or the gaze that is a node with
/// another name in a scene: `right.IndexTip=bone_12`.
///
/// ```
/// use inputanim_convert::Mapping;
/// let mapping: Mapping = "right.IndexTip.position.x=tip x [mm]*0.001".parse()?;
/// assert_eq!(mapping.column, "right.IndexTip.position.x");
/// assert_eq!(mapping.source, "tip x [mm]");
/// assert_eq!(mapping.factor, 0.001);
/// # Ok::<(), inputanim_convert::InvalidMapping>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// The name that this library uses: `time_s`, `marker` or the name of a curve; or the name of a pose, such as
    /// `right.IndexTip`, `head` or `gaze`.
    pub column: String,
    /// The name in the file.
    pub source: String,
    /// The factor that converts its numbers.
    pub factor: f64,
}

impl Mapping {
    /// Returns `true` if the mapping names the source of markers.
    pub fn is_of_markers(&self) -> bool {
        self.column == MARKER
    }

    /// Returns the joint, the head or the gaze that the mapping assigns to a node. Returns `None` for columns.
    pub(crate) fn pose(&self) -> Option<Element> {
        match self.column.split_once('.') {
            None if self.column == "head" => Some(Element::Head),
            None if self.column == "gaze" => Some(Element::Gaze),
            None => None,
            Some((side, joint)) => {
                let side: Side = side.parse().ok()?;
                let joint: Joint = joint.parse().ok()?;
                (joint != Joint::None).then_some(Element::Joint(side, joint))
            }
        }
    }

    /// Returns the columns of this library that the column `name` of a table provides, each with the factor that
    /// converts its numbers. These are the columns of all mappings with this source or, without such a mapping, `name`
    /// itself with the factor 1. One column may provide several, such as one button for both hands.
    #[cfg(feature = "tables")]
    pub(crate) fn targets<'m>(mappings: &'m [Mapping], name: &'m str) -> Vec<(&'m str, f64)> {
        let mapped = mappings.iter().filter(|mapping| mapping.source == name);
        let mapped: Vec<_> = mapped
            .map(|mapping| (&*mapping.column, mapping.factor))
            .collect();
        if mapped.is_empty() {
            vec![(name, 1.0)]
        } else {
            mapped
        }
    }

    /// Returns the mapping that was probably meant if the source looks like a division: the source `t` with the factor
    /// 0.001 for the source `t/1000`. Returns `None` for other sources.
    #[cfg(feature = "tables")]
    pub(crate) fn without_division(&self) -> Option<Mapping> {
        let (source, divisor) = self.source.rsplit_once('/')?;
        let divisor: f64 = divisor.trim().parse().ok()?;
        let factor = self.factor / divisor;
        factor.is_finite().then(|| Mapping {
            column: self.column.clone(),
            source: source.trim().to_owned(),
            factor,
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
        let is_column = |name: &str| {
            let mapping = Mapping {
                column: name.to_owned(),
                source: String::new(),
                factor: 1.0,
            };
            [TIME_S, TIME, MARKER].contains(&name)
                || name.parse::<CurvePath>().is_ok()
                || mapping.pose().is_some()
        };
        if !is_column(column) {
            let name = source.split('*').next().unwrap_or_default().trim();
            if is_column(name) {
                let problem = format!("the other way round? \"{name}={column}\"");
                return Err(wrong(&problem));
            }
            let problem = "expected time_s, time, marker, a column such as right.Palm.position.x, or a \
                           pose such as right.Palm before the `=`";
            return Err(wrong(problem));
        }
        let number = source
            .rsplit_once('*')
            .map_or("", |(_, number)| number.trim());
        let point = number.replacen(',', ".", 1);
        if number.contains(',') && point.parse::<f64>().is_ok() {
            let problem = format!("a factor needs a decimal point: `*{point}`");
            return Err(wrong(&problem));
        }
        // The name itself may contain a `*`.
        let factor = |text: &str| text.trim().parse::<f64>().ok();
        let split = source.rsplit_once('*');
        let split = split.and_then(|(source, text)| Some((source, factor(text)?)));
        let (source, factor) = split.unwrap_or((source, 1.0));
        if !factor.is_finite() {
            let problem = format!("expected a finite factor behind the \"*\", found \"{number}\"");
            return Err(wrong(&problem));
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
            1.0 => Ok(()),
            factor => write!(f, "*{factor}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_may_contain_the_signs_of_the_syntax() {
        for (text, source, factor) in [
            ("time_s=Timestamp", "Timestamp", 1.0),
            ("time=Timestamp", "Timestamp", 1.0),
            ("time_s = t [us] * 1e-6", "t [us]", 1e-6),
            ("marker=a=b*c", "a=b*c", 1.0),
            ("left.Palm.position.x=p*2*-0.5", "p*2", -0.5),
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
        ] {
            let error = text.parse::<Mapping>().unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
