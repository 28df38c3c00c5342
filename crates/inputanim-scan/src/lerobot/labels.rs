//! Labels of success of episodes.

use inputanim::Marker;
use inputanim::names::normal;
use inputanim_analysis::Segment;

use super::{EpisodePlan, cell};
use crate::error::{FileProblem, NoSuccess};

inputanim::named_enum! {
    /// The source of the labels of success of episodes.
    #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
    #[non_exhaustive]
    pub enum SuccessLabels: "source of labels" {
        /// A marker with the name `success` or `failure` in the episode. Case does not matter. With
        /// [`Segments::EachMarker`](crate::Segments::EachMarker), these markers begin no episodes.
        Markers => "markers",
        /// The column [`SUCCESS`] of the trial table: `success`, `true`, `yes` or `1`; `failure`, `false`, `no` or `0`.
        Trials => "trials",
    }
}

impl SuccessLabels {
    /// Returns the label of success of a segment. Fails with the text that was found instead of one label.
    fn of(self, segment: &Segment, markers: &[Marker<'_>]) -> Result<bool, String> {
        if self == SuccessLabels::Trials {
            let text = cell(segment, SUCCESS).unwrap_or_default();
            return match &normal(text)[..] {
                "success" | "true" | "yes" | "1" => Ok(true),
                "failure" | "false" | "no" | "0" => Ok(false),
                _ => Err(format!("\"{text}\"")),
            };
        }
        let inside = markers
            .iter()
            .filter(|marker| segment.range.contains(marker.time));
        let labels: Vec<bool> = inside.filter_map(|marker| label_of(&marker.name)).collect();
        match labels[..] {
            [] => Err("no marker".to_owned()),
            [first, ref others @ ..] if others.iter().all(|&other| other == first) => Ok(first),
            _ => Err("markers of both".to_owned()),
        }
    }
}

/// The column of a trial table that has the labels of success, and the name of the marker of a successful episode.
pub const SUCCESS: &str = "success";

/// The name of the marker of an episode without success.
const FAILURE: &str = "failure";

impl EpisodePlan {
    /// Returns the label of success of each segment; `None` if the dataset has no labels. Fails if a segment lacks a label, or has
    /// two.
    pub(super) fn labels(
        &self,
        segments: &[Segment],
        markers: &[Marker<'_>],
    ) -> Result<Vec<Option<bool>>, FileProblem> {
        let Some(source) = self.options.success else {
            return Ok(vec![None; segments.len()]);
        };
        let mut labels = Vec::with_capacity(segments.len());
        let mut first: Option<NoSuccess> = None;
        for segment in segments {
            match source.of(segment, markers) {
                Ok(label) => labels.push(Some(label)),
                Err(found) => {
                    let problem = first.get_or_insert(NoSuccess {
                        labels: source,
                        episodes: segments.len(),
                        unlabelled: 0,
                        range: segment.range,
                        found,
                    });
                    problem.unlabelled += 1;
                }
            }
        }
        match first {
            Some(problem) => Err(FileProblem::Success(Box::new(problem))),
            None => Ok(labels),
        }
    }
}

/// Returns the label that a marker with this name gives to an episode; `None` if it gives none.
pub(super) fn label_of(marker: &str) -> Option<bool> {
    let name = marker.trim();
    let is_success = name.eq_ignore_ascii_case(SUCCESS);
    (is_success || name.eq_ignore_ascii_case(FAILURE)).then_some(is_success)
}
