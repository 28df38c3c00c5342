//! Parameters by their names: `gaze.idt.dispersion`.
//!
//! The names are the field names of [`AnalysisParameters`], so that each parameter of the library can be set.

use std::fmt;
use std::str::FromStr;

use inputanim::{Joint, TimeRange};
use serde::Deserialize;
use serde_json::Value;

use crate::analysis::AnalysisParameters;
use crate::device::{DeviceInput, DevicePose, DeviceStick, UnknownDevicePart};
use crate::error::InvalidTarget;
use crate::filter::SavitzkyGolay;
use crate::quantity::Group;
use crate::target::check_targets;
use inputanim::names::{normal, similar};

/// Parameters that are set by their names, and checked.
///
/// The last parts of a name are enough if they are unique: `idt.dispersion`, `window`. Case, hyphens and underscores do
/// not matter. docs/analysis.md of the repository lists the parameters.
///
/// ```
/// use inputanim_analysis::NamedParameters;
/// let mut named = NamedParameters::default();
/// named.set_text("idt.dispersion", "1.5")?;
/// named.set_json(&serde_json::json!({"channels": {"rate": 90}, "window": 0.25}))?;
/// let parameters = named.parameters()?;
/// assert_eq!(parameters.gaze.idt.dispersion, 1.5);
/// assert_eq!((parameters.channels.rate, parameters.channels.window), (90.0, 0.25));
/// assert_eq!(
///     named.set_text("idt.dispersoin", "1").unwrap_err().to_string(),
///     "unknown parameter \"idt.dispersoin\"; did you mean \"gaze.idt.dispersion\"?",
/// );
/// # Ok::<(), inputanim_analysis::ParameterError>(())
/// ```
#[derive(Clone, Debug)]
pub struct NamedParameters {
    /// The parameters as JSON.
    tree: Value,
    /// The names in snake case, sorted.
    names: Vec<String>,
}

/// A parameter that is unknown, or whose value is not valid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ParameterError {
    /// No parameter has this name.
    #[error("unknown parameter \"{name}\"{}", DidYouMean(.similar))]
    Unknown {
        /// The name.
        name: String,
        /// The most similar name of a parameter.
        similar: Option<String>,
    },
    /// Several parameters have a name with this end.
    #[error("ambiguous parameter \"{name}\": it is the end of {}", .candidates.join(" and of "))]
    Ambiguous {
        /// The end of the names.
        name: String,
        /// The names.
        candidates: Vec<String>,
    },
    /// A value has another type, or is out of range.
    #[error("{name}: expected {expected}, found {found}")]
    Value {
        /// The name of the parameter.
        name: String,
        /// The valid values.
        expected: &'static str,
        /// The value.
        found: String,
    },
    /// A joint or a group of measures is unknown.
    #[error("unknown {kind} \"{name}\"{}", DidYouMean(.similar))]
    UnknownChoice {
        /// The kind of the name: `joint`.
        kind: &'static str,
        /// The name.
        name: String,
        /// The most similar known name.
        similar: Option<String>,
    },
    /// The targets cannot be read.
    #[error("invalid targets: {0}")]
    Targets(String),
    /// A target is not valid.
    #[error(transparent)]
    InvalidTarget(#[from] InvalidTarget),
    /// A name is not that of a part of a device.
    #[error(transparent)]
    UnknownDevicePart(#[from] UnknownDevicePart),
}

struct DidYouMean<'s>(&'s Option<String>);

impl fmt::Display for DidYouMean<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(name) => write!(f, "; did you mean \"{name}\"?"),
            None => Ok(()),
        }
    }
}

/// The value of a parameter.
#[derive(Clone, Copy)]
enum Given<'v> {
    Text(&'v str),
    Json(&'v Value),
}

impl Given<'_> {
    fn number(self) -> Option<f64> {
        match self {
            Given::Text(text) => text.parse().ok(),
            Given::Json(value) => value.as_f64(),
        }
    }

    fn whole(self) -> Option<u64> {
        match self {
            Given::Text(text) => text.parse().ok(),
            // All numbers of JavaScript are floating-point numbers.
            Given::Json(value) => value.as_u64().or_else(|| {
                let number = value.as_f64()?;
                let is_whole = (0.0..9e15).contains(&number) && number.fract() == 0.0;
                is_whole.then_some(number as u64)
            }),
        }
    }

    /// Returns the names in a string, separated by commas, or in a JSON array of strings; `None` for any other JSON
    /// value.
    fn names(self) -> Option<Vec<String>> {
        let split = |text: &str| text.split(',').map(str::to_owned).collect();
        match self {
            Given::Text(text) => Some(split(text)),
            Given::Json(Value::String(text)) => Some(split(text)),
            Given::Json(Value::Array(names)) => {
                let names = names.iter().map(|name| name.as_str().map(str::to_owned));
                names.collect()
            }
            Given::Json(_) => None,
        }
    }

    /// Formats the given value of a parameter for an error message: a string in quotation marks, or JSON.
    fn shown(self) -> String {
        match self {
            Given::Text(text) => format!("\"{}\"", printable(text)),
            Given::Json(value) => value.to_string(),
        }
    }
}

impl Default for NamedParameters {
    /// Returns parameters of which none has been set, so that all have their default values.
    fn default() -> NamedParameters {
        // Numbers, texts and lists can always be written as JSON.
        let tree = serde_json::to_value(AnalysisParameters::default()).unwrap_or_default();
        let names = names(&tree);
        NamedParameters { tree, names }
    }
}

impl NamedParameters {
    /// Returns the complete name of a parameter. `text` is its name, or an end of its name that no other parameter has.
    ///
    /// # Errors
    /// When no parameter or several have this name.
    pub fn find(&self, text: &str) -> Result<&str, ParameterError> {
        let wanted = normal(text);
        let end = format!(".{wanted}");
        let is_meant = |name: &&String| {
            let name = normal(name);
            name == wanted || name.ends_with(&end)
        };
        let found: Vec<&String> = self.names.iter().filter(is_meant).collect();
        let name = printable(text);
        match found[..] {
            [name] => Ok(name),
            [] => Err(ParameterError::Unknown {
                name,
                similar: similar(&wanted, self.names.iter().cloned()),
            }),
            _ => Err(ParameterError::Ambiguous {
                name,
                candidates: found.into_iter().cloned().collect(),
            }),
        }
    }

    /// Sets the parameter with this name to the value in a string: `1.5`, or `Palm,IndexTip` for a list.
    ///
    /// # Errors
    /// When the name is unknown or ambiguous, or the value is not valid.
    pub fn set_text(&mut self, name: &str, text: &str) -> Result<(), ParameterError> {
        self.set(name.trim(), Given::Text(text.trim()))
    }

    /// Sets the parameters that a JSON object names. Its members are values or further objects:
    /// `{"gaze.idt.dispersion": 1.5}` or `{"gaze": {"idt": {"dispersion": 1.5}}}`. `null` instead of an object sets
    /// nothing.
    ///
    /// # Errors
    /// When the value is not an object, a name is unknown or ambiguous, or a value is not valid.
    pub fn set_json(&mut self, object: &Value) -> Result<(), ParameterError> {
        match object {
            Value::Null => Ok(()),
            Value::Object(_) => self.set_all("", object),
            other => Err(ParameterError::Value {
                name: "parameters".to_owned(),
                expected: "an object with names and values",
                found: other.to_string(),
            }),
        }
    }

    /// Returns the parameters of an analysis, with the values that were set and the defaults of the others.
    ///
    /// # Errors
    /// When the list of targets cannot be read, or a target is not valid.
    pub fn parameters(&self) -> Result<AnalysisParameters, ParameterError> {
        let parameters = AnalysisParameters::deserialize(&self.tree);
        // Every other value has been checked.
        let parameters = parameters.map_err(|error| ParameterError::Targets(error.to_string()))?;
        check_targets(&parameters.targets)?;
        Ok(parameters)
    }

    fn set_all(&mut self, path: &str, value: &Value) -> Result<(), ParameterError> {
        let Value::Object(members) = value else {
            return self.set(path, Given::Json(value));
        };
        for (name, value) in members {
            let dot = if path.is_empty() { "" } else { "." };
            self.set_all(&format!("{path}{dot}{name}"), value)?;
        }
        Ok(())
    }

    fn set(&mut self, name: &str, given: Given<'_>) -> Result<(), ParameterError> {
        let name = self.find(name)?.to_owned();
        let pointer = format!("/{}", camel_case(&name).replace('.', "/"));
        if let Some(value) = self.tree.pointer_mut(&pointer) {
            *value = checked(&name, value, given)?;
        }
        Ok(())
    }
}

impl AnalysisParameters {
    /// Returns the default parameters, of which the members of a JSON object replace some, as by
    /// [`NamedParameters::set_json`].
    ///
    /// # Errors
    /// As [`NamedParameters::set_json`] and [`NamedParameters::parameters`].
    pub fn from_json(object: &Value) -> Result<AnalysisParameters, ParameterError> {
        let mut parameters = NamedParameters::default();
        parameters.set_json(object)?;
        parameters.parameters()
    }
}

/// Returns the names of all parameters in snake case, sorted, such as `gaze.idt.dispersion`. `tree` has all parameters
/// as JSON.
fn names(tree: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![(String::new(), tree)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(members) => open.extend(members.iter().map(|(name, value)| {
                let dot = if path.is_empty() { "" } else { "." };
                (format!("{path}{dot}{}", snake_case(name)), value)
            })),
            _ => names.push(path),
        }
    }
    names.sort();
    names
}

/// Converts a value for the parameter `name` to JSON. Fails if it does not have the type of the `default` value, or is
/// out of range.
fn checked(name: &str, default: &Value, given: Given<'_>) -> Result<Value, ParameterError> {
    let expected = |expected: &'static str| ParameterError::Value {
        name: name.to_owned(),
        expected,
        found: given.shown(),
    };
    match default {
        Value::String(_) => {
            let names = given.names().filter(|names| names.len() == 1);
            let names = names.ok_or_else(|| expected("the name of a joint"))?;
            joint(&names[0]).map(Value::from)
        }
        Value::Array(_) if name == "targets" => match given {
            Given::Json(targets @ Value::Array(_)) => Ok(targets.clone()),
            _ => Err(expected("a list of targets")),
        },
        Value::Array(_) => {
            let names = given.names().ok_or_else(|| expected("a list of names"))?;
            let names = names.iter().map(|text| match name {
                "groups" => group(text).map(str::to_owned),
                "devices.poses" | "devices.pointers" => part::<DevicePose>(text),
                "devices.inputs" => part::<DeviceInput>(text),
                "devices.sticks" => part::<DeviceStick>(text),
                _ => joint(text).map(str::to_owned),
            });
            Ok(names.collect::<Result<Vec<String>, _>>()?.into())
        }
        _ if default.is_u64() => {
            let number = given.whole();
            match name {
                "channels.order" => number
                    .filter(|n| SavitzkyGolay::ORDERS.contains(&(*n as usize)))
                    .ok_or_else(|| expected("a whole number from 3 to 8")),
                "movements.sparc.padding" => number
                    .filter(|n| *n <= 8)
                    .ok_or_else(|| expected("a whole number from 0 to 8")),
                _ => number.ok_or_else(|| expected("a whole number")),
            }
            .map(Value::from)
        }
        _ => {
            let number = given.number();
            let number = number.filter(|number| *number >= 0.0 && number.is_finite());
            match name {
                "channels.rate" => number
                    .filter(|rate| *rate > 0.0 && *rate <= TimeRange::MAX_RATE)
                    .ok_or_else(|| expected("a number above 0 and at most 1000000")),
                "channels.window" => number
                    .filter(|window| *window > 0.0 && *window <= 2.0)
                    .ok_or_else(|| expected("a number of seconds above 0 and at most 2")),
                "gaze.bcea_share" => number
                    .filter(|share| *share > 0.0 && *share < 1.0)
                    .ok_or_else(|| expected("a number between 0 and 1")),
                _ => number.ok_or_else(|| expected("a number of at least 0")),
            }
            .map(Value::from)
        }
    }
}

/// Returns the name of a part of a device. Fails if the string is not such a name.
fn part<P>(text: &str) -> Result<String, ParameterError>
where
    P: FromStr<Err = UnknownDevicePart> + fmt::Display,
{
    let part: P = printable(text.trim()).parse()?;
    Ok(part.to_string())
}

fn joint(text: &str) -> Result<&'static str, ParameterError> {
    choice("joint", text, &Joint::ALL.map(Joint::name))
}

fn group(text: &str) -> Result<&'static str, ParameterError> {
    let names: Vec<&str> = Group::ALL.iter().map(|group| group.name()).collect();
    choice("group of measures", text, &names)
}

/// Returns the name in `known` that equals a string, apart from case, hyphens and underscores. Fails if there is none.
/// `kind` is the kind of name for the error message, such as `joint`.
fn choice(
    kind: &'static str,
    text: &str,
    known: &[&'static str],
) -> Result<&'static str, ParameterError> {
    let wanted = normal(text.trim());
    let mut names = known.iter().copied();
    let found = names.find(|name| normal(name) == wanted);
    found.ok_or_else(|| ParameterError::UnknownChoice {
        kind,
        name: printable(text),
        similar: similar(&wanted, known.iter().map(|name| (*name).to_owned())),
    })
}

/// Escapes control characters, which could change a terminal.
fn printable(text: &str) -> String {
    if text.contains(char::is_control) {
        text.escape_debug().to_string()
    } else {
        text.to_owned()
    }
}

/// Converts the name of a parameter to snake case, as in the documentation.
fn snake_case(name: &str) -> String {
    let letters = name.chars().flat_map(|letter| {
        let underscore = letter.is_uppercase().then_some('_');
        underscore.into_iter().chain(letter.to_lowercase())
    });
    letters.collect()
}

/// Converts the name of a parameter to camel case, as in JSON.
fn camel_case(name: &str) -> String {
    let mut starts_word = false;
    let letters = name.chars().filter_map(|letter| {
        let is_first = std::mem::replace(&mut starts_word, letter == '_');
        match letter {
            '_' => None,
            _ if is_first => Some(letter.to_ascii_uppercase()),
            _ => Some(letter),
        }
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use serde_json::json;

    use super::*;

    fn of_text(name: &str, text: &str) -> Result<AnalysisParameters, ParameterError> {
        let mut parameters = NamedParameters::default();
        parameters.set_text(name, text)?;
        parameters.parameters()
    }

    fn of_json(object: Value) -> Result<AnalysisParameters, ParameterError> {
        let mut parameters = NamedParameters::default();
        parameters.set_json(&object)?;
        parameters.parameters()
    }

    #[test]
    fn a_parameter_is_set_by_its_name_or_a_unique_end() {
        let dispersion = |parameters: AnalysisParameters| parameters.gaze.idt.dispersion;
        assert_eq!(dispersion(of_text("IDT.Dispersion", "1.5").unwrap()), 1.5);
        for object in [
            json!({"gaze.idt.dispersion": 2}),
            json!({"gaze": {"idt.dispersion": 2}}),
            json!({"idt": {"dispersion": 2.0}}),
        ] {
            assert_eq!(dispersion(of_json(object).unwrap()), 2.0);
        }
        let parameters = of_json(json!({"window": 0.25, "gaze": {"bceaShare": 0.5}})).unwrap();
        assert_eq!(
            (parameters.channels.window, parameters.gaze.bcea_share),
            (0.25, 0.5)
        );
        let parameters = of_json(json!({"joints": ["wrist"], "movement_joint": "Wrist"})).unwrap();
        assert_eq!(parameters.joints, [parameters.movement_joint]);
        let parameters = of_json(json!({"groups": "Gaze,head", "max_samples": 5})).unwrap();
        assert_eq!(parameters.groups, [Group::Gaze, Group::Head]);
        assert_eq!(parameters.max_samples, 5);
        assert_eq!(of_json(Value::Null).unwrap(), AnalysisParameters::default());
        let target = json!({"name": "a", "shape": "sphere", "centre": [0, 1, 2], "radius": 1});
        assert_eq!(
            of_json(json!({"targets": [target]})).unwrap().targets[0].name,
            "a"
        );
    }

    #[test]
    fn a_wrong_value_is_refused() {
        for (object, expected) in [
            (
                json!({"channels.rat": 90}),
                "unknown parameter \"channels.rat\"; did you mean \"channels.rate\"?",
            ),
            (
                json!({"channels": {"rat": 90}}),
                "unknown parameter \"channels.rat\"; did you mean \"channels.rate\"?",
            ),
            (json!({"foo": 1}), "unknown parameter \"foo\""),
            (json!({"channels": 1}), "unknown parameter \"channels\""),
            (
                json!({"rate": -1}),
                "channels.rate: expected a number above 0 and at most 1000000, found -1",
            ),
            (
                json!({"window": 0}),
                "channels.window: expected a number of seconds above 0 and at most 2, found 0",
            ),
            (
                json!({"order": true}),
                "channels.order: expected a whole number from 3 to 8, found true",
            ),
            (
                json!({"start_speed": "fast"}),
                "movements.start_speed: expected a number of at least 0, found \"fast\"",
            ),
            (
                json!({"joints": [1]}),
                "joints: expected a list of names, found [1]",
            ),
            (
                json!({"movement_joint": ["Plam", "Wrist"]}),
                "movement_joint: expected the name of a joint, found [\"Plam\",\"Wrist\"]",
            ),
            (
                json!({"joints": ["Plam"]}),
                "unknown joint \"Plam\"; did you mean \"Palm\"?",
            ),
            (
                json!({"groups": ["gase"]}),
                "unknown group of measures \"gase\"; did you mean \"gaze\"?",
            ),
            (
                json!([5]),
                "parameters: expected an object with names and values, found [5]",
            ),
        ] {
            let error = of_json(object).unwrap_err().to_string();
            assert!(error.starts_with(expected), "{error}");
        }
        assert!(matches!(
            of_json(json!({"targets": [5]})),
            Err(ParameterError::Targets(_))
        ));
        for (target, expected) in [
            (
                json!({"name": "a", "shape": "sphere", "centre": [0, 1, 2], "radius": -1}),
                "target 1 (\"a\"), radius: expected a number of at least 0, found \"-1\"",
            ),
            (
                json!({"name": "b", "shape": "box", "centre": [0, 1, 2], "size": [1, 1, 1], "rotation": [0, 0, 0, 0]}),
                "target 1 (\"b\"), rotation: expected a quaternion with a length above 0, found \"0, 0, 0, 0\"",
            ),
        ] {
            let error = of_json(json!({"targets": [target]})).unwrap_err();
            assert_eq!(error.to_string(), expected);
        }
    }

    #[test]
    fn the_documentation_lists_every_parameter_with_its_default() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/analysis.md");
        let text = fs::read_to_string(path).unwrap();
        let parameters = NamedParameters::default();
        for name in &parameters.names {
            let pointer = format!("/{}", camel_case(name).replace('.', "/"));
            let default = match parameters.tree.pointer(&pointer).unwrap() {
                _ if name == "groups" => "all".to_owned(),
                Value::Array(texts) if texts.is_empty() => "none".to_owned(),
                Value::String(text) => text.clone(),
                Value::Array(texts) => {
                    let texts = texts.iter().filter_map(Value::as_str);
                    texts.collect::<Vec<_>>().join(",")
                }
                number => number.to_string().trim_end_matches(".0").to_owned(),
            };
            let row = format!("| `{name}` | {default} |");
            assert!(text.contains(&row), "docs/analysis.md lacks: {row}");
        }
    }
}
