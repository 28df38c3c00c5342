//! Other names for columns.

use std::fmt;
use std::str::FromStr;

use inputanim::CurvePath;

use crate::frames::{MARKER, TIME_S};

/// A column that has another name, and perhaps another unit, in some table.
///
/// ```
/// use inputanim_convert::frames::Mapping;
/// let mapping: Mapping = "right.IndexTip.position.x=tip x [mm]*0.001".parse()?;
/// assert_eq!(mapping.column, "right.IndexTip.position.x");
/// assert_eq!(mapping.source, "tip x [mm]");
/// assert_eq!(mapping.factor, 0.001);
/// # Ok::<(), inputanim_convert::frames::NoMapping>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Mapping {
    /// Our name for it: `time_s`, `marker` or that of a curve.
    pub column: String,
    /// Its name in the table.
    pub source: String,
    /// What its numbers are multiplied with.
    pub factor: f64,
}

impl Mapping {
    /// What a column of a table is, and what its numbers are multiplied with: what mappings say of it,
    /// or else what it is called. One column may be several, as one switch is for both hands.
    pub(crate) fn targets<'m>(mappings: &'m [Mapping], name: &'m str) -> Vec<(&'m str, f64)> {
        let mapped = mappings.iter().filter(|mapping| mapping.source == name);
        let mapped: Vec<_> = mapped
            .map(|mapping| (&*mapping.column, mapping.factor))
            .collect();
        match mapped.is_empty() {
            true => vec![(name, 1.0)],
            false => mapped,
        }
    }
}

/// A text that is no mapping.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{text}`: {problem}")]
pub struct NoMapping {
    text: String,
    problem: &'static str,
}

impl FromStr for Mapping {
    type Err = NoMapping;

    /// `column=source`, or `column=source*factor`.
    fn from_str(text: &str) -> Result<Mapping, NoMapping> {
        let wrong = |problem| NoMapping {
            text: text.to_owned(),
            problem,
        };
        let Some((column, source)) = text.split_once('=') else {
            return Err(wrong("expected COLUMN=SOURCE or COLUMN=SOURCE*FACTOR"));
        };
        let column = column.trim();
        let is_column = [TIME_S, MARKER].contains(&column) || column.parse::<CurvePath>().is_ok();
        if !is_column {
            let problem = "expected time_s, marker or the name of a curve before the `=`";
            return Err(wrong(problem));
        }
        // A name may have a star of its own.
        let factor = |text: &str| text.trim().parse::<f64>().ok();
        let split = source.rsplit_once('*');
        let split = split.and_then(|(source, text)| Some((source, factor(text)?)));
        let (source, factor) = split.unwrap_or((source, 1.0));
        if source.trim().is_empty() || !factor.is_finite() {
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
    fn a_name_may_have_signs_of_its_own() {
        for (text, source, factor) in [
            ("time_s=Timestamp", "Timestamp", 1.0),
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
            "time=x",
            "left.Thumb.position.x=a",
            "time_s= *2",
        ] {
            assert!(text.parse::<Mapping>().is_err(), "{text}");
        }
    }
}
