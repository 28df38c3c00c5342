//! Measures by their names, groups and patterns.

use inputanim::names::{Matcher, normal, similar};
use inputanim::{Known, Layout, Recording, Side};

use crate::analysis::{Analysis, AnalysisParameters};
use crate::error::AnalysisError;
use crate::measure::Measure;
use crate::quantity::Group;

/// A string that selects no measure.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum UnknownMeasure {
    /// The measures exist only with targets.
    #[error("the measures \"{0}\" need targets, and none are given")]
    NeedsTargets(String),
    /// The measures exist only for devices that parameters name.
    #[error(
        "the measures \"{0}\" need the parameters devices.poses, devices.inputs, devices.sticks or devices.pointers, and none is given"
    )]
    NeedsDevices(String),
    /// No measure matches a pattern.
    #[error("no measure matches \"{0}\"")]
    NoMatch(String),
    /// No measure has a name.
    #[error("unknown measure \"{name}\"{}", did_you_mean(.similar.as_deref()))]
    Unknown {
        /// The name.
        name: String,
        /// The known name that is most similar.
        similar: Option<String>,
    },
}

fn did_you_mean(name: Option<&str>) -> String {
    name.map_or_else(String::new, |name| format!("; did you mean \"{name}\"?"))
}

impl Measure {
    /// Returns all measures that an analysis with these parameters has, in their order. They have names and quantities,
    /// and no values.
    ///
    /// # Errors
    /// When the parameters are invalid.
    pub fn all(parameters: &AnalysisParameters) -> Result<Vec<Measure>, AnalysisError> {
        // An empty recording has the measures of any other.
        let analysis = Analysis::of(&Recording::new(Layout::Mrtk1_1), parameters)?;
        Ok(analysis.measures(analysis.range).rows)
    }
}

/// Returns the indices in `all` of the measures that the strings select, in ascending order. Without strings, returns
/// all indices.
///
/// A string is the name of a [`Group`], the name of a measure or its first parts, or a pattern of them: `pinches`,
/// `head.speed.max`, `head.speed`, `*.Palm.speed`. Without `left` or `right`, a name selects both hands. `parameters`
/// are those of the measures.
///
/// ```
/// use inputanim_analysis::{AnalysisParameters, Measure, choose_measures};
/// let parameters = AnalysisParameters::default();
/// let all = Measure::all(&parameters)?;
/// let chosen = choose_measures(&all, &["palm.path-length"], &parameters)?;
/// let names: Vec<&str> = chosen.iter().map(|&index| all[index].name.as_str()).collect();
/// assert_eq!(names, ["left.Palm.path_length", "right.Palm.path_length"]);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// When a string selects no measure.
pub fn choose_measures(
    all: &[Measure],
    texts: &[impl AsRef<str>],
    parameters: &AnalysisParameters,
) -> Result<Vec<usize>, UnknownMeasure> {
    let mut is_chosen = vec![texts.is_empty(); all.len()];
    for text in texts {
        let text = text.as_ref();
        let mut is_known = false;
        let selects = selects(text);
        for (measure, chosen) in all.iter().zip(&mut is_chosen) {
            let is_selected = selects(measure);
            is_known |= is_selected;
            *chosen |= is_selected;
        }
        if !is_known {
            return Err(unknown(text, all, parameters));
        }
    }
    let chosen = is_chosen.iter().enumerate();
    Ok(chosen
        .filter(|(_, chosen)| **chosen)
        .map(|(index, _)| index)
        .collect())
}

/// Returns a function that is `true` for the measures that a string selects.
fn selects(text: &str) -> impl Fn(&Measure) -> bool {
    let wanted = normal(text);
    let group = Group::ALL
        .iter()
        .copied()
        .find(|group| group.name() == wanted);
    let matcher = Matcher::new(text);
    move |measure| match group {
        Some(group) => measure.quantity.group == group,
        None => full_names(measure).any(|name| matcher.fits_beginning(name)),
    }
}

/// Returns the name of a measure with and without the hand.
fn full_names(measure: &Measure) -> impl Iterator<Item = &str> {
    let name = measure.name.as_str();
    let mut sides = Side::BOTH.into_iter();
    let of_both = sides.find_map(|side| name.strip_prefix(side.name())?.strip_prefix('.'));
    [Some(name), of_both].into_iter().flatten()
}

/// Returns the strings that select a measure by its name: the name with and without the hand, and the first parts of
/// both, such as `head.speed.max`, `head.speed` and `head`.
fn names_of(measure: &Measure) -> impl Iterator<Item = &str> {
    full_names(measure).flat_map(|name| {
        let dots = name.match_indices('.').map(|(dot, _)| &name[..dot]);
        [name].into_iter().chain(dots)
    })
}

/// Returns the error for a string that selects no measure.
fn unknown(text: &str, all: &[Measure], parameters: &AnalysisParameters) -> UnknownMeasure {
    let wanted = normal(text);
    let needs_targets = [Group::Targets, Group::Fitts];
    let needs_targets = parameters.targets.is_empty()
        && (needs_targets.iter().any(|group| group.name() == wanted) || wanted.contains("fitts"));
    let name = text.to_owned();
    if needs_targets {
        return UnknownMeasure::NeedsTargets(name);
    }
    let is_of_device = wanted == Group::Devices.name() || Known::element(text).is_ok();
    if is_of_device && parameters.devices.is_empty() {
        return UnknownMeasure::NeedsDevices(name);
    }
    if Matcher::new(text).has_wildcards() {
        return UnknownMeasure::NoMatch(name);
    }
    let similar = if ["fixation", "fixations"].contains(&wanted.as_str()) {
        Some("gaze.idt,gaze.ivt".to_owned())
    } else {
        let groups = Group::ALL.iter().map(|group| group.name().to_owned());
        let names = all.iter().flat_map(names_of).map(str::to_owned);
        similar(text, groups.chain(names))
    };
    UnknownMeasure::Unknown { name, similar }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(wanted: &[&str]) -> Vec<String> {
        let parameters = AnalysisParameters::default();
        let all = Measure::all(&parameters).unwrap();
        let chosen = choose_measures(&all, wanted, &parameters).unwrap();
        chosen
            .into_iter()
            .map(|index| all[index].name.clone())
            .collect()
    }

    fn error(wanted: &str) -> String {
        let parameters = AnalysisParameters::default();
        let all = Measure::all(&parameters).unwrap();
        let found = choose_measures(&all, &[wanted], &parameters);
        found.unwrap_err().to_string()
    }

    #[test]
    fn measures_are_selected_by_group_name_beginning_and_pattern() {
        assert_eq!(names(&["duration"]), ["duration"]);
        let speed = names(&["head.speed"]);
        assert_eq!(speed.len(), 6);
        assert_eq!(speed[0], "head.speed.mean");
        assert_eq!(
            names(&["HEAD.speed.p95", "duration"]),
            ["duration", "head.speed.p95"]
        );
        let palms = ["left.Palm.path_length", "right.Palm.path_length"];
        assert_eq!(names(&["*.palm.path-length"]), palms);
        // Without a hand, a name means both.
        assert_eq!(names(&["Palm.path_length"]), palms);
        assert_eq!(names(&["palm.speed"]).len(), 12);
        let pinches = names(&["pinches"]);
        assert!(pinches.iter().all(|name| name.contains("pinch")));
        let gaze = names(&["gaze"]);
        assert!(gaze.iter().all(|name| name.starts_with("gaze.")));
        assert!(names(&[]).len() > 500);
    }

    #[test]
    fn an_unknown_measure_is_refused_with_a_similar_one() {
        for (text, expected) in [
            (
                "head.sped",
                "unknown measure \"head.sped\"; did you mean \"head.speed\"?",
            ),
            (
                "pinchs",
                "unknown measure \"pinchs\"; did you mean \"pinches\"?",
            ),
            (
                "fixations",
                "unknown measure \"fixations\"; did you mean \"gaze.idt,gaze.ivt\"?",
            ),
            ("*.elbow", "no measure matches \"*.elbow\""),
            (
                "fitts",
                "the measures \"fitts\" need targets, and none are given",
            ),
            ("zzz", "unknown measure \"zzz\""),
        ] {
            assert_eq!(error(text), expected);
        }
    }
}
