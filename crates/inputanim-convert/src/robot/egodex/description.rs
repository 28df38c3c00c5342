//! The text that describes an episode.

use std::borrow::Cow;

use inputanim::About;

use super::hdf5::Attribute;
use crate::shared::Format;

/// The attributes of the root group that can contain the description.
pub(super) const DESCRIBING: [&str; 8] = [
    "llm_type",
    "which_llm_description",
    "llm_description",
    "llm_description2",
    "type",
    "description",
    "description2",
    "task",
];

/// Returns the text that describes an episode; `None` if no attribute contains one. Apple's loader reads
/// `llm_description`. For a task with the type `reversible`, which is done forwards or backwards, it reads
/// `llm_description2` unless `which_llm_description` is `1`. Files without these attributes may have older ones of the
/// annotators, or only the name of the task.
pub(super) fn description<'a>(attributes: &'a [Attribute<'a>]) -> Option<Cow<'a, str>> {
    let text = |name: &str| {
        let mut all = attributes.iter();
        let found = all.find(|attribute| attribute.name == name.as_bytes())?;
        let text = found.text.as_deref()?.trim();
        (!text.is_empty()).then_some(text)
    };
    let is_backwards = |kind: &str| {
        text(kind) == Some("reversible") && text("which_llm_description").unwrap_or("1") != "1"
    };
    let llm = if is_backwards("llm_type") {
        text("llm_description2").or_else(|| text("llm_description"))
    } else {
        text("llm_description")
    };
    let old = || {
        if is_backwards("type") {
            text("description2").or_else(|| text("description"))
        } else {
            text("description")
        }
    };
    let task = || text("task").map(|task| task.replace('_', " "));
    let found = llm.or_else(old).map(Cow::Borrowed);
    found.or_else(|| task().map(Cow::Owned))
}

/// Returns the texts about an episode: its description as the task, and the other attributes by their names.
pub(super) fn about(attributes: &[Attribute<'_>]) -> About {
    let mut about = About::default();
    about.add(About::FORMAT, Format::EgoDex.name());
    about.add(About::TASK, &description(attributes).unwrap_or_default());
    for Attribute { name, text } in attributes {
        let name = match &*String::from_utf8_lossy(name) {
            // The task is the description.
            About::TASK => "task_name".to_owned(),
            name => name.to_owned(),
        };
        about.add(&name, text.as_deref().unwrap_or_default());
    }
    about
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(attributes: &[(&'static str, &'static str)]) -> Option<String> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|&(name, text)| Attribute {
                name: name.as_bytes(),
                text: Some(Cow::Borrowed(text)),
            })
            .collect();
        description(&attributes).map(Cow::into_owned)
    }

    #[test]
    fn the_description_of_the_direction_counts() {
        let two = [("llm_description", "open"), ("llm_description2", "close")];
        let with = |more: &[(&'static str, &'static str)]| of(&[&two[..], more].concat());
        assert_eq!(with(&[]).as_deref(), Some("open"));
        let backwards = ("which_llm_description", "2");
        assert_eq!(with(&[backwards]).as_deref(), Some("open"));
        let reversible = ("llm_type", "reversible");
        assert_eq!(with(&[reversible]).as_deref(), Some("open"));
        assert_eq!(with(&[reversible, backwards]).as_deref(), Some("close"));
    }

    #[test]
    fn older_attributes_and_the_task_replace_a_missing_description() {
        let task = ("task", "fold_towel");
        assert_eq!(of(&[]), None);
        assert_eq!(of(&[task]).as_deref(), Some("fold towel"));
        let old = ("description", "Fold it.");
        assert_eq!(of(&[task, old]).as_deref(), Some("Fold it."));
        let empty = ("llm_description", " ");
        assert_eq!(of(&[task, old, empty]).as_deref(), Some("Fold it."));
    }
}
