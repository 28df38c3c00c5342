//! Names of streams and joints on the command line: `head`, `left`, `left.Palm`, `right.Index*`.

use std::collections::HashSet;

use inputanim::marker_names::{MarkerChoice, counts, matches};
use inputanim::names::{CurveChoice, ElementChoice, UnknownElement, curves, split};
use inputanim::{Device, Element, Marker, Recording};

use crate::messages::diagnostics::warn;
use crate::messages::outcome::Refusal;
use crate::messages::text::{printable, quoted};

/// The names that `--joints` and `--exclude` take, for the help of verbs.
pub(crate) const NAMES: &str = "\
Names: head and gaze; left or right for a hand and its controller, hands for both hands; left.tracked and \
left.pinching for states; left.Palm for one joint, Palm for this joint of both hands; \
right.controller or tracker.waist for a device, controller for both controllers; right.controller.aim and \
right.controller.trigger.value for a pose and an input of a device. hands does not include controllers. Case, hyphens and underscores do not matter; * and ? are wildcards, {a,b} matches a or b. The joints are \
Wrist, Palm, \
Thumb{MetacarpalJoint,ProximalJoint,DistalJoint,Tip}, \
Index{Metacarpal,Knuckle,MiddleJoint,DistalJoint,Tip}, and the same five joints of Middle, Ring and Pinky.";

/// The options that select streams and joints.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct NameArgs {
    /// Use only these streams, joints and devices, such as left,head or 'right.*Tip' [default: all]
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    joints: Vec<List<String>>,
    /// Ignore these streams, joints and devices, even if --joints selects them
    #[arg(long, value_name = "NAME,...", value_parser = names)]
    exclude: Vec<List<String>>,
}

impl NameArgs {
    /// Resolves the names of `--joints` and `--exclude` to poses and states. Fails if a name selects nothing.
    pub(crate) fn choice(&self) -> anyhow::Result<ElementChoice> {
        let choice = ElementChoice::new(texts(&self.joints), texts(&self.exclude));
        choice.map_err(|error| unknown(&error))
    }

    /// Returns the names of `--joints`, and the names of `--exclude`.
    pub(crate) fn texts(&self) -> (Vec<String>, Vec<String>) {
        let owned = |lists| texts(lists).into_iter().map(str::to_owned).collect();
        (owned(&self.joints), owned(&self.exclude))
    }

    /// Returns `true` if neither `--joints` nor `--exclude` is given.
    pub(crate) fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.exclude.is_empty()
    }

    /// Resolves the names of `--joints` and `--exclude` to curves. A name can also select a component of a pose:
    /// `left.Palm.position`, `head.rotation.w`. Fails if a name selects nothing.
    pub(crate) fn curves(&self) -> anyhow::Result<CurveChoice> {
        let choice = CurveChoice::new(texts(&self.joints), texts(&self.exclude));
        choice.map_err(|error| unknown(&error))
    }
}

/// The options that select markers.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct MarkerArgs {
    /// Use only markers with this name; `*` stands for any characters, and `?` for one. May be repeated
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    keep_markers: Vec<String>,
    /// Ignore markers with this name, such as FPS or 'debug *'. May be repeated
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    drop_markers: Vec<String>,
    /// Ignore all markers
    #[arg(long, conflicts_with_all = ["keep_markers", "drop_markers"])]
    no_markers: bool,
}

impl MarkerArgs {
    /// Returns the patterns of markers to use, and of markers to ignore.
    pub(crate) fn patterns(&self) -> (Vec<String>, Vec<String>) {
        let all = self.no_markers.then(|| "*".to_owned());
        let ignored = self.drop_markers.iter().cloned().chain(all);
        (self.keep_markers.clone(), ignored.collect())
    }

    /// Returns the choice of these options.
    pub(crate) fn choice(&self) -> MarkerChoice {
        let (keep, ignored) = self.patterns();
        MarkerChoice::new(keep, ignored)
    }
}

/// Prints a warning for each pattern that no marker of the recording matches. `file` names the recording in the warning.
pub(crate) fn warn_of_unmatched<'n>(unmatched: impl IntoIterator<Item = &'n str>, file: &str) {
    for name in unmatched {
        warn(format_args!(
            "{file}: no marker matches {}",
            quoted(name, 60)
        ));
    }
}

fn texts(lists: &[List<String>]) -> Vec<&str> {
    let texts = lists.iter().flat_map(|List(texts)| texts);
    texts.map(String::as_str).collect()
}

/// The items of a comma-separated option.
// A type of its own, because clap takes a `Vec` as an option that may be given several times.
#[derive(Clone, Debug)]
pub(crate) struct List<T>(pub(crate) Vec<T>);

/// Parses names that are separated by commas; a comma within braces belongs to a name.
pub(crate) fn names(text: &str) -> Result<List<String>, String> {
    // The delimiter of clap would also split within braces.
    let parts = split(text).into_iter();
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    if parts.is_empty() {
        return Err("expected names such as left,head".to_owned());
    }
    Ok(List(parts))
}

/// Prints a warning for each name in `choice` that selects no curve with keys in the recording. `file` names the
/// recording in the warning. Fails if a name of a device is unknown.
pub(crate) fn warn_of_unrecorded(
    choice: &ElementChoice,
    recording: &Recording<'_>,
    file: &str,
) -> anyhow::Result<()> {
    let known = choice.check(&[recording]);
    known.map_err(|error| unknown(&error))?;
    let with_keys = recording.curves().filter(|(_, curve)| !curve.is_empty());
    let recorded: HashSet<Element> = with_keys.map(|(path, _)| path.into()).collect();
    let devices = recording.devices.iter().flat_map(Device::elements);
    let devices: Vec<Element> = devices.collect();
    for name in choice.joints().iter().chain(choice.exclude()) {
        let mut elements = name.elements.iter();
        let is_recorded = elements.any(|element| recorded.contains(element))
            || devices.iter().any(|&element| name.selects(element));
        if !is_recorded {
            let name = printable(&name.text);
            warn(format_args!("{file}: {name} is not recorded"));
        }
    }
    Ok(())
}

/// Returns `true` if a text is the name of a stream, a joint or a curve.
pub(crate) fn is_known(text: &str) -> bool {
    curves(text).is_ok()
}

/// Converts the error of an unknown name of a stream, joint or curve to a usage error with a hint.
pub(crate) fn unknown(error: &UnknownElement) -> anyhow::Error {
    let message = error.to_string();
    Refusal::usage(printable(&message).into_owned(), "--help lists the names")
}

/// Returns a sentence that lists names of markers, at most 10 of them. `None` if there are none.
pub(crate) fn marker_names(names: &[&str]) -> Option<String> {
    const LISTED: usize = 10;
    let more = if names.len() > LISTED { ", …" } else { "" };
    let listed = names.iter().take(LISTED).map(|name| quoted(name, 40));
    let listed: Vec<String> = listed.collect();
    (!names.is_empty()).then(|| {
        format!(
            "the markers of the recording are {}{more}",
            listed.join(", ")
        )
    })
}

/// Fails if none of the markers matches a pattern. The hint lists their names.
pub(crate) fn require_marker(markers: &[Marker<'_>], pattern: &str) -> anyhow::Result<()> {
    if markers.iter().any(|marker| matches(pattern, &marker.name)) {
        return Ok(());
    }
    let names: Vec<&str> = counts(markers).iter().map(|found| found.name).collect();
    let hint = marker_names(&names).unwrap_or_else(|| "the recording has no markers".to_owned());
    Err(Refusal::failure(
        format!("unknown marker {}", quoted(pattern, 60)),
        hint,
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_separate_names_except_within_braces() {
        let List(found) = names("head, left.{Palm,Wrist},,gaze").unwrap();
        assert_eq!(found, ["head", "left.{Palm,Wrist}", "gaze"]);
        assert!(names(" , ").is_err());
    }
}
