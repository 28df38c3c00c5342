//! Names of triggers. An EEG records events as numbers, and a recording has names.

use std::collections::{BTreeMap, BTreeSet};
use std::str::FromStr;

/// A trigger with its name, which people write as `11=start`. The trigger is the text before the first `=`.
///
/// ```
/// use inputanim::trigger_names::TriggerName;
/// let named: TriggerName = "S  1=start".parse()?;
/// assert_eq!((&*named.trigger, &*named.name), ("S  1", "start"));
/// assert!("start".parse::<TriggerName>().is_err());
/// # Ok::<(), inputanim::trigger_names::TriggerNamesError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TriggerName {
    /// The trigger, such as `11` or `S  1`.
    pub trigger: String,
    /// The name.
    pub name: String,
}

impl TriggerName {
    /// Returns the name of a trigger.
    pub fn new(trigger: impl Into<String>, name: impl Into<String>) -> TriggerName {
        TriggerName {
            trigger: trigger.into(),
            name: name.into(),
        }
    }
}

impl FromStr for TriggerName {
    type Err = TriggerNamesError;

    fn from_str(text: &str) -> Result<TriggerName, TriggerNamesError> {
        let parts = text.split_once('=');
        let parts = parts.filter(|(trigger, name)| !trigger.trim().is_empty() && !name.is_empty());
        // `11=start,12=stop` would be one name.
        let is_list = |name: &str| {
            let mut rest = name.split(',').skip(1);
            rest.any(|pair| {
                pair.split_once('=')
                    .is_some_and(|(trigger, _)| number(trigger).is_some())
            })
        };
        match parts {
            Some((_, name)) if is_list(name) => Err(TriggerNamesError::List(text.to_owned())),
            Some((trigger, name)) => Ok(TriggerName::new(trigger.trim(), name)),
            None => Err(TriggerNamesError::NotAPair(text.to_owned())),
        }
    }
}

/// An error of the names of triggers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TriggerNamesError {
    /// A text is not a trigger with its name.
    #[error("expected TRIGGER=NAME, such as 11=start, found {0:?}")]
    NotAPair(String),
    /// A text is a list of triggers with their names.
    #[error("expected one TRIGGER=NAME, found the list {0:?}; give the option several times")]
    List(String),
    /// A trigger has two names.
    #[error("the trigger {trigger:?} has two names: {first:?} and {second:?}")]
    TwoNames {
        /// The trigger.
        trigger: String,
        /// A name.
        first: String,
        /// Another name.
        second: String,
    },
    /// A name has two different numbers, so that its number is not certain.
    #[error("the name {name:?} has two numbers: {first} and {second}")]
    TwoNumbers {
        /// The name.
        name: String,
        /// A number.
        first: i64,
        /// Another number.
        second: i64,
    },
    /// Two names have the same number, as `S  1` and `R  1`.
    #[error("the number {number} has two names: {first:?} and {second:?}")]
    SameNumber {
        /// The number.
        number: i64,
        /// A name.
        first: String,
        /// Another name.
        second: String,
    },
}

/// Names of triggers. Triggers are compared as numbers if both are numbers, so that `11` and `11.0` are the same, and else as texts, in
/// which several spaces count as one.
///
/// ```
/// use inputanim::trigger_names::{TriggerName, TriggerNames};
/// let names = TriggerNames::new([TriggerName::new("11", "start"), TriggerName::new("S  2", "stop")])?;
/// assert_eq!(names.name_of("11.0"), Some("start"));
/// assert_eq!(names.name_of("S 2"), Some("stop"));
/// assert_eq!(names.name_of("12"), None);
/// assert_eq!(names.numbers()?.of("stop"), Some(2));
/// # Ok::<(), inputanim::trigger_names::TriggerNamesError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TriggerNames {
    /// The names by the normal form of their triggers, and the numbers of the triggers.
    names: BTreeMap<String, (String, Option<i64>)>,
}

impl TriggerNames {
    /// Collects names of triggers.
    ///
    /// # Errors
    /// Returns an error if a trigger has two different names.
    pub fn new(
        names: impl IntoIterator<Item = TriggerName>,
    ) -> Result<TriggerNames, TriggerNamesError> {
        let mut known: BTreeMap<String, (String, Option<i64>)> = BTreeMap::new();
        for TriggerName { trigger, name } in names {
            let number = number(&trigger);
            match known.get(&normal(&trigger)) {
                Some((first, _)) if *first != name => {
                    return Err(TriggerNamesError::TwoNames {
                        trigger,
                        first: first.clone(),
                        second: name,
                    });
                }
                _ => _ = known.insert(normal(&trigger), (name, number)),
            }
        }
        Ok(TriggerNames { names: known })
    }

    /// Returns `true` if no trigger has a name.
    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    /// Returns the name of a trigger; `None` if it has none.
    pub fn name_of(&self, trigger: &str) -> Option<&str> {
        // Most markers of a recording are no triggers.
        if self.names.is_empty() {
            return None;
        }
        let (name, _) = self.names.get(&normal(trigger))?;
        Some(name)
    }

    /// Returns the triggers that none of these markers is, in order of their texts. `markers` are the names of markers before they
    /// are renamed, which may begin with their stream: `Stim: 11`.
    ///
    /// ```
    /// use inputanim::trigger_names::{TriggerName, TriggerNames};
    /// let pairs = [TriggerName::new("11", "start"), TriggerName::new("12", "stop")];
    /// assert_eq!(TriggerNames::new(pairs)?.unused(["Stim: 11.0", "wave"]), ["12"]);
    /// # Ok::<(), inputanim::trigger_names::TriggerNamesError>(())
    /// ```
    pub fn unused<'m>(&self, markers: impl IntoIterator<Item = &'m str>) -> Vec<String> {
        let mut unused: BTreeSet<&str> = self.names.keys().map(String::as_str).collect();
        for marker in markers {
            if unused.is_empty() {
                break;
            }
            let of_stream = marker.split_once(": ");
            for text in [Some(marker), of_stream.map(|(_, trigger)| trigger)] {
                text.map(|text| unused.remove(&*normal(text)));
            }
        }
        unused.into_iter().map(str::to_owned).collect()
    }

    /// Returns the numbers by the names, for lists of events with numbers.
    ///
    /// # Errors
    /// Returns an error if a name has two numbers, or if two names have the same number.
    pub fn numbers(&self) -> Result<TriggerNumbers<'_>, TriggerNamesError> {
        let mut numbers: BTreeMap<&str, i64> = BTreeMap::new();
        let mut names: BTreeMap<i64, &str> = BTreeMap::new();
        for (name, number) in self.names.values() {
            let Some(number) = *number else { continue };
            if let Some(first) = numbers
                .insert(name, number)
                .filter(|first| *first != number)
            {
                return Err(TriggerNamesError::TwoNumbers {
                    name: name.clone(),
                    first,
                    second: number,
                });
            }
            if let Some(first) = names.insert(number, name).filter(|first| first != name) {
                return Err(TriggerNamesError::SameNumber {
                    number,
                    first: first.to_owned(),
                    second: name.clone(),
                });
            }
        }
        Ok(TriggerNumbers { numbers })
    }
}

/// The numbers of triggers by their names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TriggerNumbers<'n> {
    numbers: BTreeMap<&'n str, i64>,
}

impl TriggerNumbers<'_> {
    /// Returns the number of the trigger with a name. A name without a number that is itself a trigger, such as `11` or `S  1`, has
    /// the number of this trigger. Returns `None` for other names.
    pub fn of(&self, name: &str) -> Option<i64> {
        let known = self.numbers.get(name).copied();
        known.or_else(|| number(name).filter(|number| !self.numbers.values().any(|n| n == number)))
    }
}

/// Returns the number of a trigger: `11` for `11` and `11.0`, and 1 for a letter and a number as BrainVision writes them, such as
/// `S  1` or `Stimulus/S  1`. Returns `None` for other texts.
///
/// ```
/// use inputanim::trigger_names::number;
/// assert_eq!([number("65281"), number("S  1"), number("Stimulus/S 12")], [Some(65281), Some(1), Some(12)]);
/// assert_eq!([number("start"), number("1.5"), number("trial 3")], [None; 3]);
/// ```
pub fn number(trigger: &str) -> Option<i64> {
    let trigger = trigger.trim();
    let whole = |text: &str| {
        let text = text.strip_suffix(".0").unwrap_or(text);
        text.parse::<i64>().ok()
    };
    if let Some(number) = whole(trigger) {
        return Some(number);
    }
    // The kind of a marker is before the slash.
    let text = trigger.rsplit_once('/').map_or(trigger, |(_, text)| text);
    let mut letters = text.chars();
    let is_letter = letters
        .next()
        .is_some_and(|letter| letter.is_ascii_uppercase());
    let digits = letters.as_str().trim_start();
    let are_digits = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    (is_letter && are_digits).then(|| digits.parse().ok())?
}

/// Returns the form in which triggers are compared.
fn normal(trigger: &str) -> String {
    let trigger = trigger.trim();
    match trigger.strip_suffix(".0").unwrap_or(trigger).parse::<i64>() {
        Ok(number) => number.to_string(),
        Err(_) => trigger.split_whitespace().collect::<Vec<_>>().join(" "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(pairs: &[(&str, &str)]) -> Result<TriggerNames, TriggerNamesError> {
        let pairs = pairs.iter();
        TriggerNames::new(pairs.map(|&(trigger, name)| TriggerName::new(trigger, name)))
    }

    #[test]
    fn a_trigger_has_one_name() {
        let error = names(&[("11", "start"), ("11.0", "stop")]).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the trigger \"11.0\" has two names: \"start\" and \"stop\""
        );
        assert!(names(&[("11", "start"), ("11.0", "start")]).is_ok());
    }

    #[test]
    fn numbers_are_refused_if_they_are_not_certain() {
        let error = |pairs: &[(&str, &str)]| names(pairs).unwrap().numbers().unwrap_err();
        assert_eq!(
            error(&[("1", "go"), ("2", "go")]).to_string(),
            "the name \"go\" has two numbers: 1 and 2"
        );
        assert_eq!(
            error(&[("S  1", "go"), ("R  1", "press")]).to_string(),
            "the number 1 has two names: \"press\" and \"go\""
        );
    }

    #[test]
    fn a_marker_that_is_a_number_keeps_it_unless_a_name_has_it() {
        let names = names(&[("11", "start"), ("left", "right")]).unwrap();
        let numbers = names.numbers().unwrap();
        let found = ["start", "12", "11", "right", "S 3"].map(|name| numbers.of(name));
        assert_eq!(found, [Some(11), Some(12), None, None, Some(3)]);
    }

    #[test]
    fn pairs_are_divided_at_the_first_equals_sign() {
        let pair: TriggerName = " 11 =a=b".parse().unwrap();
        assert_eq!(pair, TriggerName::new("11", "a=b"));
        for wrong in ["", "11", "=start", "11=", " =a"] {
            assert!(wrong.parse::<TriggerName>().is_err(), "{wrong}");
        }
    }
}
