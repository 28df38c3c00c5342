//! Parameters of the analysis by their names: `gaze.idt.dispersion=1.5`.
//!
//! The names are those of the fields of [`AnalysisOptions`], so that each parameter of the library can be set.

use inputanim::Joint;
use inputanim_analysis::{AnalysisOptions, SavitzkyGolay};
use serde_json::Value;

use crate::names::{normal, similar};
use crate::outcome::Refusal;
use crate::text::printable;

/// The syntax of --set, for the help of verbs that have it.
pub(crate) const PARAMETERS: &str = "\
--set takes the parameters of docs/analysis.md, such as movements.start_speed, gaze.idt.dispersion or \
joints=Palm,IndexTip. The last parts of a name are enough if they are unique: idt.dispersion, window. Case, \
hyphens and underscores do not matter.";

const HINT: &str = "docs/analysis.md lists the parameters with their defaults and units";

/// Fields that other options set.
const OTHER_OPTIONS: [(&str, &str); 3] = [
    ("channels.rate", "--rate"),
    ("groups", "--measures"),
    ("targets", "--targets"),
];

/// Returns the default parameters with changes such as `idt.dispersion=1.5`.
pub(super) fn options(settings: &[String]) -> anyhow::Result<AnalysisOptions> {
    let mut tree = serde_json::to_value(AnalysisOptions::default())?;
    let names = names(&tree);
    for setting in settings {
        let Some((name, text)) = setting.split_once('=') else {
            let message = format!("expected NAME=VALUE after --set, found \"{setting}\"");
            return Err(Refusal::usage(message, HINT));
        };
        let path = find(&names, name.trim())?;
        let value = tree.pointer_mut(&format!("/{}", path.replace('.', "/")));
        if let Some(value) = value {
            *value = parse(path, value, text.trim())?;
        }
    }
    let options: AnalysisOptions = serde_json::from_value(tree)?;
    if options.channels.order >= options.channels.window {
        let (order, window) = (options.channels.order, options.channels.window);
        let message = format!("channels.order = {order} must be below channels.window = {window}");
        return Err(Refusal::usage(message, HINT));
    }
    Ok(options)
}

/// Returns the names of all parameters, as paths in the tree of options.
fn names(tree: &Value) -> Vec<String> {
    let mut names = Vec::new();
    let mut open = vec![(String::new(), tree)];
    while let Some((path, value)) = open.pop() {
        match value {
            Value::Object(members) => open.extend(members.iter().map(|(name, value)| {
                let dot = if path.is_empty() { "" } else { "." };
                (format!("{path}{dot}{name}"), value)
            })),
            _ => names.push(path),
        }
    }
    names.sort();
    names
}

/// Returns the parameter with a name, or with a unique end of its name.
fn find<'n>(names: &'n [String], text: &str) -> anyhow::Result<&'n str> {
    let wanted = normal(text);
    let end = format!(".{wanted}");
    let is_meant = |name: &&String| {
        let name = normal(name);
        name == wanted || name.ends_with(&end)
    };
    let found: Vec<&String> = names.iter().filter(is_meant).collect();
    let text = printable(text);
    match found[..] {
        [name] => match OTHER_OPTIONS.iter().find(|(other, _)| other == name) {
            None => Ok(name),
            Some((name, option)) => Err(Refusal::usage(
                format!("--set does not change {name}"),
                format!("use {option}"),
            )),
        },
        [] => {
            let candidates = names.iter().map(|name| snake_case(name));
            let guess = similar(&wanted, candidates);
            let guess = guess.map(|name| format!("; did you mean \"{name}\"?"));
            let guess = guess.unwrap_or_default();
            Err(Refusal::usage(
                format!("unknown parameter \"{text}\"{guess}"),
                HINT,
            ))
        }
        _ => {
            let found: Vec<String> = found.iter().map(|name| snake_case(name)).collect();
            let message = format!("\"{text}\" is the end of {}", found.join(" and of "));
            Err(Refusal::usage(message, "use the complete name"))
        }
    }
}

/// Parses the value of a parameter, which has the type of its default.
fn parse(path: &str, default: &Value, text: &str) -> anyhow::Result<Value> {
    let expected = |expected: &str| {
        let (name, text) = (snake_case(path), printable(text));
        Refusal::usage(
            format!("{name}: expected {expected}, found \"{text}\""),
            HINT,
        )
    };
    match default {
        Value::String(_) => Ok(joint(text)?.into()),
        Value::Array(_) => {
            let joints: anyhow::Result<Vec<&str>> = text.split(',').map(joint).collect();
            Ok(joints?.into())
        }
        _ if default.is_u64() => {
            let number = text.parse::<u64>().ok();
            let max_window = SavitzkyGolay::MAX_WINDOW as u64;
            // The library limits these numbers without an error.
            match path {
                "channels.window" => number
                    .filter(|n| n % 2 == 1 && (3..=max_window).contains(n))
                    .ok_or_else(|| expected("an odd number from 3 to 999")),
                "channels.order" => number
                    .filter(|n| (1..=8).contains(n))
                    .ok_or_else(|| expected("a whole number from 1 to 8")),
                "movements.sparc.padding" => number
                    .filter(|n| *n <= 8)
                    .ok_or_else(|| expected("a whole number from 0 to 8")),
                _ => number.ok_or_else(|| expected("a whole number")),
            }
            .map(Value::from)
        }
        _ => {
            let number = text.parse::<f64>().ok();
            let number = number.filter(|number| *number >= 0.0 && number.is_finite());
            match path {
                "gaze.bceaShare" => number
                    .filter(|share| *share > 0.0 && *share < 1.0)
                    .ok_or_else(|| expected("a number between 0 and 1")),
                _ => number.ok_or_else(|| expected("a number of at least 0")),
            }
            .map(Value::from)
        }
    }
}

/// Returns the name of a joint.
fn joint(text: &str) -> anyhow::Result<&'static str> {
    let wanted = normal(text.trim());
    let mut joints = Joint::ALL.into_iter().map(Joint::name);
    let found = joints.find(|name| normal(name) == wanted);
    found.ok_or_else(|| {
        let names = Joint::ALL.map(|joint| joint.name().to_owned());
        let guess = similar(&wanted, names);
        let guess = guess.map(|name| format!("; did you mean \"{name}\"?"));
        let message = format!(
            "unknown joint \"{}\"{}",
            printable(text),
            guess.unwrap_or_default()
        );
        Refusal::usage(message, "docs/format.md, section 4.3, lists the joints")
    })
}

/// Returns the name of a parameter as the documentation writes it.
fn snake_case(path: &str) -> String {
    let letters = path.chars().flat_map(|letter| {
        let underscore = letter.is_uppercase().then_some('_');
        underscore.into_iter().chain(letter.to_lowercase())
    });
    letters.collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::*;

    fn set(setting: &str) -> anyhow::Result<AnalysisOptions> {
        options(&[setting.to_owned()])
    }

    #[test]
    fn a_parameter_is_set_by_its_name_or_a_unique_end() {
        assert_eq!(
            set("gaze.idt.dispersion=1.5").unwrap().gaze.idt.dispersion,
            1.5
        );
        assert_eq!(
            set("IDT.Dispersion = 1.5").unwrap().gaze.idt.dispersion,
            1.5
        );
        assert_eq!(set("start-speed=0.2").unwrap().movements.start_speed, 0.2);
        assert_eq!(set("window=21").unwrap().channels.window, 21);
        let joints = set("joints=wrist,index_tip").unwrap().joints;
        assert_eq!(joints, [Joint::Wrist, Joint::IndexTip]);
        let joint = set("movement_joint=Wrist").unwrap().movement_joint;
        assert_eq!(joint, Joint::Wrist);
    }

    #[test]
    fn a_wrong_setting_is_refused() {
        for (setting, expected) in [
            (
                "dispersion",
                "expected NAME=VALUE after --set, found \"dispersion\"",
            ),
            (
                "dispersoin=1",
                "unknown parameter \"dispersoin\"; did you mean \"gaze.idt.dispersion\"?",
            ),
            (
                "min_duration=1",
                "\"min_duration\" is the end of movements.min_duration and of pinches.min_duration",
            ),
            ("rate=90", "--set does not change channels.rate"),
            (
                "window=10",
                "channels.window: expected an odd number from 3 to 999, found \"10\"",
            ),
            (
                "order=12",
                "channels.order: expected a whole number from 1 to 8, found \"12\"",
            ),
            (
                "order=12",
                "channels.order: expected a whole number from 1 to 8, found \"12\"",
            ),
            (
                "window=3",
                "channels.order = 3 must be below channels.window = 3",
            ),
            (
                "close=-1",
                "pinches.close: expected a number of at least 0, found \"-1\"",
            ),
            (
                "close=nan",
                "pinches.close: expected a number of at least 0, found \"nan\"",
            ),
            (
                "joints=Plam",
                "unknown joint \"Plam\"; did you mean \"Palm\"?",
            ),
        ] {
            assert_eq!(set(setting).unwrap_err().to_string(), expected);
        }
    }

    #[test]
    fn the_documentation_lists_every_parameter_with_its_default() {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/analysis.md");
        let text = fs::read_to_string(path).unwrap();
        let tree = serde_json::to_value(AnalysisOptions::default()).unwrap();
        for name in names(&tree) {
            if OTHER_OPTIONS.iter().any(|(other, _)| *other == name) {
                continue;
            }
            let value = &tree
                .pointer(&format!("/{}", name.replace('.', "/")))
                .unwrap();
            let default = match value {
                Value::String(text) => text.clone(),
                Value::Array(texts) => {
                    let texts = texts.iter().filter_map(Value::as_str);
                    texts.collect::<Vec<_>>().join(",")
                }
                number => number.to_string().trim_end_matches(".0").to_owned(),
            };
            let row = format!("| `{}` | {default} |", snake_case(&name));
            assert!(text.contains(&row), "docs/analysis.md lacks: {row}");
        }
    }
}
