//! Names of streams and joints: `camera`, `left`, `left.Palm`, `right.Index*`.

use inputanim::{Element, Joint};

/// The streams and joints that names select.
///
/// Names are `camera` (or `head`) and `gaze`; `left` or `right` for a complete hand, `hands` for both; `left.tracked` and
/// `left.pinching` for states; `left.Palm` for one joint, `Palm` for this joint of both hands. Case, hyphens and
/// underscores do not matter; `*` and `?` are wildcards, and `{a,b}` matches a or b.
///
/// ```
/// use inputanim::{Element, Side};
/// use inputanim_scan::ElementChoice;
/// let choice = ElementChoice::new(["right.index*", "head"], [""; 0])?;
/// assert!(choice.keeps(Element::Camera));
/// // Joints are shown only while their hand is tracked, so they need its states.
/// assert!(choice.keeps(Element::Tracked(Side::Right)));
/// assert!(!choice.keeps(Element::Gaze));
/// # Ok::<(), inputanim_scan::UnknownElement>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ElementChoice {
    /// `None` for all.
    joints: Option<Vec<Element>>,
    exclude: Vec<Element>,
}

/// A name or pattern that no stream or joint has.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown stream or joint \"{name}\"{}", .similar.as_ref().map(|name| format!("; did you mean \"{name}\"?")).unwrap_or_default())]
#[non_exhaustive]
pub struct UnknownElement {
    /// The name.
    pub name: String,
    /// The known name that is most similar.
    pub similar: Option<String>,
}

impl ElementChoice {
    /// Selects streams and joints by their names; all without names in `joints`.
    ///
    /// # Errors
    /// When no stream or joint has one of the names.
    pub fn new<N: AsRef<str>>(
        joints: impl IntoIterator<Item = N>,
        exclude: impl IntoIterator<Item = N>,
    ) -> Result<ElementChoice, UnknownElement> {
        let joints = elements(joints)?;
        Ok(ElementChoice {
            joints: (!joints.is_empty()).then_some(joints),
            exclude: elements(exclude)?,
        })
    }

    /// Returns whether everything is selected.
    pub fn is_all(&self) -> bool {
        self.joints.is_none() && self.exclude.is_empty()
    }

    /// Returns whether an element of a recording stays. The states of a hand stay with any of its joints.
    pub fn keeps(&self, element: Element) -> bool {
        let is_chosen = match (&self.joints, element) {
            (None, _) => true,
            (Some(joints), Element::Tracked(side) | Element::Pinching(side)) => {
                joints.iter().any(|joint| joint.side() == Some(side))
            }
            (Some(joints), _) => joints.contains(&element),
        };
        is_chosen && !self.exclude.contains(&element)
    }
}

/// Returns the elements that have any of the names.
fn elements<N: AsRef<str>>(
    names: impl IntoIterator<Item = N>,
) -> Result<Vec<Element>, UnknownElement> {
    let mut found = Vec::new();
    for name in names {
        let name = name.as_ref();
        let pattern = normal(name);
        let fits = |element: &Element| {
            let names = names_of(*element).into_iter();
            let mut names = names.map(|name| normal(&name));
            names.any(|name| fast_glob::glob_match(&pattern, name))
        };
        let before = found.len();
        found.extend(Element::all().filter(fits));
        if found.len() == before {
            return Err(UnknownElement {
                name: name.to_owned(),
                similar: similar(name, suggested()),
            });
        }
    }
    Ok(found)
}

/// Returns the names that are worth suggesting: `None` is not a joint of a hand.
fn suggested() -> impl Iterator<Item = String> {
    let names = Element::all().flat_map(names_of);
    names.filter(|name| !name.ends_with(Joint::None.name()))
}

/// Returns the names of an element and of the groups that it belongs to.
fn names_of(element: Element) -> Vec<String> {
    let name = element.to_string();
    let Some(side) = element.side() else {
        let head = matches!(element, Element::Camera).then(|| "head".to_owned());
        return [name].into_iter().chain(head).collect();
    };
    // Without its hand, a name means both hands.
    let of_both = name[side.name().len() + 1..].to_owned();
    let mut names = vec![name, of_both, side.name().to_owned(), "hands".to_owned()];
    if matches!(element, Element::Joint(..)) {
        names.extend([element.stream().to_string(), "joints".to_owned()]);
    }
    names
}

/// Removes the differences that do not matter: case, hyphens and underscores.
fn normal(text: &str) -> String {
    let mut is_in_class = false;
    let letters = text.chars().filter(|&letter| {
        is_in_class = (is_in_class || letter == '[') && letter != ']';
        // Within brackets a hyphen is a range of letters.
        is_in_class || !matches!(letter, '-' | '_')
    });
    letters.flat_map(char::to_lowercase).collect()
}

/// Returns the candidate that is most similar to a name, if one is.
pub(crate) fn similar(text: &str, candidates: impl Iterator<Item = String>) -> Option<String> {
    // Comparing long names takes long, and they are not mistyped ones.
    const MAX_BYTES: usize = 100;
    if text.len() > MAX_BYTES {
        return None;
    }
    let wanted = normal(text);
    let scored = candidates.map(|name| {
        let candidate = normal(&name);
        // Of a name with several parts, the last ones may be all that was written.
        let ends = candidate.match_indices('.');
        let ends = ends.map(|(dot, _)| &candidate[dot + 1..]);
        let of_ends = ends.map(|end| strsim::jaro_winkler(&wanted, end) - 0.01);
        let score = of_ends.fold(strsim::jaro_winkler(&wanted, &candidate), f64::max);
        (score, name)
    });
    // The first of equals, so that the order of the candidates decides.
    let best = scored.reduce(|a, b| if b.0 > a.0 { b } else { a });
    best.filter(|(score, _)| *score > 0.8).map(|(_, name)| name)
}
