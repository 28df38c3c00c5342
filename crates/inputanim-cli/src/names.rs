//! Names of streams and joints on the command line: `camera`, `left`, `left.Palm`, `right.Index*`.

use std::collections::HashSet;

use inputanim::{CurvePath, Element, Joint, Marker, Recording, Side};
use inputanim_scan::names::{elements, names_of};

use crate::diagnostics::warn;
use crate::outcome::Refusal;
use crate::text::{printable, quoted};

pub(crate) use inputanim_scan::names::{Matcher, normal, similar};

/// The names that `--joints` and `--exclude` take, for the help of verbs.
pub(crate) const NAMES: &str = "\
Names: camera (or head) and gaze; left or right for a complete hand, hands for both; left.tracked and \
left.pinching for states; left.Palm for one joint, Palm for this joint of both hands. Case, hyphens and \
underscores do not matter; * and ? are wildcards, {a,b} matches a or b. The joints are Wrist, Palm, \
Thumb{MetacarpalJoint,ProximalJoint,DistalJoint,Tip}, \
Index{Metacarpal,Knuckle,MiddleJoint,DistalJoint,Tip}, and the same five joints of Middle, Ring and Pinky.";

/// The options that select streams and joints.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct NameArgs {
    /// Use only these streams and joints, such as left,camera or 'right.*Tip' [default: all]
    #[arg(long, value_name = "NAME,...", value_parser = names, aliases = ["keep", "only", "curves"])]
    joints: Vec<List<String>>,
    /// Ignore these streams and joints, even if --joints selects them
    #[arg(long, value_name = "NAME,...", value_parser = names, aliases = ["drop", "ignore"])]
    exclude: Vec<List<String>>,
}

impl NameArgs {
    /// Resolves the names to poses and states.
    pub(crate) fn choice(&self) -> anyhow::Result<Choice> {
        Choice::new(&texts(&self.joints), &texts(&self.exclude))
    }

    /// Returns whether no names are given.
    pub(crate) fn is_empty(&self) -> bool {
        self.joints.is_empty() && self.exclude.is_empty()
    }

    /// Resolves the names to curves. A name can also select a component of a pose:
    /// `left.Palm.position`, `camera.rotation.w`.
    pub(crate) fn curves(&self) -> anyhow::Result<CurveChoice> {
        CurveChoice::new(&texts(&self.joints), &texts(&self.exclude))
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
    let mut depth = 0_i32;
    let parts = text.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        // A closing brace without an opening one makes the depth negative. It must not hide the
        // commas after it.
        letter == ',' && depth <= 0
    });
    let parts = parts.map(str::trim).filter(|part| !part.is_empty());
    let parts: Vec<String> = parts.map(str::to_owned).collect();
    if parts.is_empty() {
        return Err("expected names such as left,camera".to_owned());
    }
    Ok(List(parts))
}

/// The poses and states that `--joints` and `--exclude` select.
#[derive(Debug)]
pub(crate) struct Choice {
    /// Empty if `--joints` is not given: everything is selected.
    pub(crate) joints: Vec<Name>,
    pub(crate) exclude: Vec<Name>,
}

impl Choice {
    pub(crate) fn new(joints: &[&str], exclude: &[&str]) -> anyhow::Result<Choice> {
        Ok(Choice {
            joints: Name::all(joints)?,
            exclude: Name::all(exclude)?,
        })
    }

    /// Returns whether an element is selected.
    pub(crate) fn contains(&self, element: Element) -> bool {
        let names = |names: &[Name]| names.iter().any(|name| name.elements.contains(&element));
        (self.joints.is_empty() || names(&self.joints)) && !self.excludes(element)
    }

    /// Returns whether an element of a recording stays.
    pub(crate) fn keeps(&self, element: Element) -> bool {
        match element {
            // Joints are shown only while their hand is tracked, so they need its states.
            Element::Tracked(side) | Element::Pinching(side) => {
                let of_hand = |element: &Element| element.side() == Some(side);
                let mut names = self.joints.iter();
                let is_kept =
                    self.joints.is_empty() || names.any(|name| name.elements.iter().any(of_hand));
                is_kept && !self.excludes(element)
            }
            _ => self.contains(element),
        }
    }

    /// Returns whether `--exclude` names an element.
    pub(crate) fn excludes(&self, element: Element) -> bool {
        let mut names = self.exclude.iter();
        names.any(|name| name.elements.contains(&element))
    }

    /// Warns of names without keys in a recording.
    pub(crate) fn warn_of_unrecorded(&self, recording: &Recording<'_>, file: &str) {
        let with_keys = recording.curves().filter(|(_, curve)| !curve.is_empty());
        let recorded: HashSet<Element> = with_keys.map(|(path, _)| path.into()).collect();
        for name in self.joints.iter().chain(&self.exclude) {
            let mut elements = name.elements.iter();
            if !elements.any(|element| recorded.contains(element)) {
                let name = printable(&name.text);
                warn(format_args!("{file}: {name} is not recorded"));
            }
        }
    }
}

/// The curves that `--joints` and `--exclude` select.
#[derive(Debug)]
pub(crate) struct CurveChoice {
    /// `true` if `--joints` is not given, so that everything is selected.
    takes_all: bool,
    joints: HashSet<CurvePath>,
    exclude: HashSet<CurvePath>,
}

impl CurveChoice {
    fn new(joints: &[&str], exclude: &[&str]) -> anyhow::Result<CurveChoice> {
        let curves = |texts: &[&str]| -> anyhow::Result<HashSet<CurvePath>> {
            let curves = texts.iter().map(|text| curves_of(text));
            Ok(curves
                .collect::<Result<Vec<_>, _>>()?
                .concat()
                .into_iter()
                .collect())
        };
        Ok(CurveChoice {
            takes_all: joints.is_empty(),
            joints: curves(joints)?,
            exclude: curves(exclude)?,
        })
    }

    /// Returns the length of the longest name of the selected curves.
    pub(crate) fn longest(&self) -> usize {
        let names = all_curves().into_iter().filter(|path| self.contains(*path));
        let lengths = names.map(|path| path.to_string().len());
        lengths.max().unwrap_or_default()
    }

    /// Returns whether a curve is selected.
    pub(crate) fn contains(&self, path: CurvePath) -> bool {
        (self.takes_all || self.joints.contains(&path)) && !self.exclude.contains(&path)
    }
}

/// A name with the poses and states that it selects.
#[derive(Debug)]
pub(crate) struct Name {
    pub(crate) text: String,
    pub(crate) kind: NameKind,
    /// Never empty.
    pub(crate) elements: Vec<Element>,
}

/// The kind of a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum NameKind {
    /// A pose or a state: `camera`, `left.Palm`, `Palm` for this joint of both hands.
    Plain,
    /// Several of a hand: `left`, `hands`, `left.joints`.
    Group,
    /// With wildcards.
    Pattern,
}

impl Name {
    /// Resolves a name, whether its poses are recorded or not.
    pub(crate) fn new(text: &str) -> anyhow::Result<Name> {
        let elements = elements(text).map_err(|_| unknown(text))?;
        let kind = if Matcher::new(text).has_wildcards() {
            NameKind::Pattern
        // `Palm` is one pose of each hand.
        } else if elements.len() > Side::BOTH.len() {
            NameKind::Group
        } else {
            NameKind::Plain
        };
        Ok(Name {
            text: text.to_owned(),
            kind,
            elements,
        })
    }

    /// Resolves several names.
    fn all(texts: &[&str]) -> anyhow::Result<Vec<Name>> {
        texts.iter().map(|text| Name::new(text)).collect()
    }
}

/// Returns whether a text is the name of a stream, a joint or a curve.
pub(crate) fn is_known(text: &str) -> bool {
    curves_of(text).is_ok()
}

/// Returns the paths of all curves.
fn all_curves() -> Vec<CurvePath> {
    let all = Recording::with_streams(inputanim::Layout::Mrtk1_1, inputanim::Flags::ALL);
    all.curves().map(|(path, _)| path).collect()
}

/// Returns the curves that a name selects.
fn curves_of(text: &str) -> anyhow::Result<Vec<CurvePath>> {
    let matcher = Matcher::new(text);
    let is_meant = |path: &CurvePath| {
        let element = Element::from(*path);
        let path = path.to_string();
        // The component after the element, such as `.position.x`. A state has no component.
        let component = &path[element.to_string().len()..];
        let vector = component.rfind('.').map_or("", |end| &component[..end]);
        let names = names_of(element);
        names.iter().any(|name| {
            matcher.fits(name)
                || matcher.fits(&format!("{name}{vector}"))
                || matcher.fits(&format!("{name}{component}"))
        })
    };
    let curves: Vec<CurvePath> = all_curves().into_iter().filter(is_meant).collect();
    if curves.is_empty() {
        return Err(unknown(text));
    }
    Ok(curves)
}

/// Returns the error for a name that nothing has, with the most similar name.
fn unknown(text: &str) -> anyhow::Error {
    let name = printable(text);
    let hint = "--help lists the names";
    if Matcher::new(text).has_wildcards() {
        return Refusal::usage(format!("no stream or joint matches \"{name}\""), hint);
    }
    let mut candidates: Vec<String> = Element::all().flat_map(names_of).collect();
    // `None` is not a joint of a hand.
    candidates.retain(|name| !name.ends_with(Joint::None.name()));
    let guess = similar(text, candidates);
    let guess = guess.map(|name| format!("; did you mean \"{name}\"?"));
    let message = format!(
        "unknown stream or joint \"{name}\"{}",
        guess.unwrap_or_default()
    );
    Refusal::usage(message, hint)
}

/// Returns a sentence with the different names of markers, `None` if there are no markers.
pub(crate) fn marker_names(markers: &[Marker<'_>]) -> Option<String> {
    const LISTED: usize = 10;
    let mut names: Vec<&str> = Vec::new();
    for marker in markers {
        if !names.contains(&&*marker.name) {
            names.push(&marker.name);
        }
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn name(text: &str) -> (NameKind, Vec<String>) {
        let name = Name::new(text).unwrap();
        let elements = name.elements.iter().map(Element::to_string);
        (name.kind, elements.collect())
    }

    #[test]
    fn a_plain_name_selects_a_pose_or_a_state_of_one_or_both_hands() {
        let plain = |text| {
            let (kind, elements) = name(text);
            assert_eq!(kind, NameKind::Plain);
            elements
        };
        assert_eq!(plain("Camera"), ["camera"]);
        assert_eq!(plain("HEAD"), ["camera"]);
        assert_eq!(plain("left.tracked"), ["left.tracked"]);
        assert_eq!(plain("right.palm"), ["right.Palm"]);
        assert_eq!(plain("IndexTip"), ["left.IndexTip", "right.IndexTip"]);
        for text in ["left.index-tip", "LEFT.INDEX_TIP", "left.indextip"] {
            assert_eq!(plain(text), ["left.IndexTip"]);
        }
        assert_eq!(plain("pinching"), ["left.pinching", "right.pinching"]);
    }

    #[test]
    fn a_group_selects_the_elements_of_a_hand_and_a_pattern_all_matches() {
        let (kind, elements) = name("left");
        assert_eq!(
            (kind, elements.len()),
            (NameKind::Group, 2 + Joint::ALL.len())
        );
        assert_eq!(name("hands").1.len(), 2 * (2 + Joint::ALL.len()));
        assert_eq!(name("left.joints").1.len(), Joint::ALL.len());
        let (kind, elements) = name("*.p{alm,inching}");
        assert_eq!(kind, NameKind::Pattern);
        let both = ["left.pinching", "left.Palm", "right.pinching", "right.Palm"];
        assert_eq!(elements, both);
        assert_eq!(name("*").1.len(), Element::all().count());
        assert_eq!(name("[k-m]eft.wri-st").1, ["left.Wrist"]);
    }

    #[test]
    fn an_unknown_name_is_refused_with_a_similar_one() {
        for (text, similar) in [
            ("left.Thumb", Some("left.ThumbTip")),
            ("camra", Some("camera")),
            ("Rihgt", Some("right")),
            ("left.tracke", Some("left.tracked")),
            ("elbow", None),
            ("*.Toe", None),
        ] {
            let error = Name::new(text).unwrap_err().to_string();
            let expected = similar.map(|name| format!("did you mean \"{name}\"?"));
            match expected {
                Some(expected) => assert!(error.ends_with(&expected), "{error}"),
                None => assert!(!error.contains("did you mean"), "{error}"),
            }
        }
    }

    #[test]
    fn a_curve_is_selected_by_its_pose_its_vector_or_its_own_name() {
        let count = |text| curves_of(text).unwrap().len();
        assert_eq!(count("right.IndexTip"), 7);
        assert_eq!(count("right.index-tip.position"), 3);
        assert_eq!(count("IndexTip.rotation"), 8);
        assert_eq!(count("head.rotation.w"), 1);
        assert_eq!(count("right.IndexTip.position.?"), 3);
        assert_eq!(count("{left,right}.tracked"), 2);
        assert_eq!(count("gaze.*"), 6);
        assert!(curves_of("left.Palm.origin").is_err());
    }

    #[test]
    fn an_excluded_name_is_removed_from_the_selected_ones() {
        let choice = Choice::new(&["left", "camera"], &["*Tip", "left.tracked"]).unwrap();
        let chosen = Element::all().filter(|&element| choice.contains(element));
        assert_eq!(chosen.count(), 1 + 1 + Joint::ALL.len() - 5);
        let rest = Choice::new(&[], &["hands"]).unwrap();
        let rest: Vec<Element> = Element::all().filter(|&e| rest.contains(e)).collect();
        assert_eq!(rest, [Element::Camera, Element::Gaze]);
    }

    #[test]
    fn commas_separate_names_except_within_braces() {
        let List(found) = names("camera, left.{Palm,Wrist},,gaze").unwrap();
        assert_eq!(found, ["camera", "left.{Palm,Wrist}", "gaze"]);
        assert!(names(" , ").is_err());
    }
}
