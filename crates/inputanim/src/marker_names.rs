//! Markers by their names: patterns, the number of markers of each name, and the markers that telemetry does not hide.

use std::collections::{BTreeMap, HashSet};

use crate::marker::Marker;

/// A name of which a recording has more markers than this is telemetry, such as the frame rate that a game logs in each
/// frame: see [`telemetry`].
pub const TELEMETRY: usize = 100;

/// Returns `true` if the name of a marker matches a pattern, in which `*` stands for any characters, and `?` for
/// one. Upper and lower case differ.
///
/// ```
/// use inputanim::marker_names::matches;
/// assert!(matches("reach-*", "reach-12"));
/// assert!(!matches("reach", "reach-12"));
/// ```
pub fn matches(pattern: &str, name: &str) -> bool {
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut at, mut read) = (0, 0);
    // The last star, and the first character that it does not stand for yet.
    let mut star: Option<(usize, usize)> = None;
    while read < name.len() {
        match pattern.get(at) {
            Some('*') => {
                star = Some((at, read));
                at += 1;
            }
            Some(&wanted) if wanted == '?' || wanted == name[read] => {
                at += 1;
                read += 1;
            }
            _ => match &mut star {
                Some((star, next)) => {
                    *next += 1;
                    (at, read) = (*star + 1, *next);
                }
                None => return false,
            },
        }
    }
    pattern[at..].iter().all(|&rest| rest == '*')
}

/// Patterns that select markers by their names.
///
/// ```
/// use inputanim::marker_names::MarkerChoice;
/// let choice = MarkerChoice::new(["trial *", "end"], ["trial 0"]);
/// assert!(choice.keeps("trial 1") && choice.keeps("end"));
/// assert!(!choice.keeps("trial 0") && !choice.keeps("FPS"));
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MarkerChoice {
    keep: Vec<String>,
    drop: Vec<String>,
}

impl MarkerChoice {
    /// Selects the markers whose names match one of the patterns in `keep`, or all if it is empty, except those that
    /// match one in `drop`. [`matches()`] describes the patterns.
    pub fn new(
        keep: impl IntoIterator<Item = impl Into<String>>,
        drop: impl IntoIterator<Item = impl Into<String>>,
    ) -> MarkerChoice {
        MarkerChoice {
            keep: keep.into_iter().map(Into::into).collect(),
            drop: drop.into_iter().map(Into::into).collect(),
        }
    }

    /// Returns `true` if the choice keeps a marker with this name.
    pub fn keeps(&self, name: &str) -> bool {
        let has = |patterns: &[String]| patterns.iter().any(|pattern| matches(pattern, name));
        (self.keep.is_empty() || has(&self.keep)) && !has(&self.drop)
    }

    /// Removes the markers that the choice does not keep. Returns the patterns that matched none of the markers, as
    /// [`unmatched`](Self::unmatched).
    ///
    /// ```
    /// use inputanim::{Marker, marker_names::MarkerChoice};
    /// let mut markers = vec![Marker::new(1.0, "FPS"), Marker::new(1.5, "start")];
    /// let choice = MarkerChoice::new(["start", "end"], ["FPS"]);
    /// assert_eq!(choice.select(&mut markers), ["end"]);
    /// assert_eq!(markers.len(), 1);
    /// ```
    pub fn select(&self, markers: &mut Vec<Marker<'_>>) -> Vec<&str> {
        let unmatched = self.unmatched(markers);
        markers.retain(|marker| self.keeps(&marker.name));
        unmatched
    }

    /// Returns the patterns that match none of the markers; probably a mistyped name.
    pub fn unmatched<'c>(&'c self, markers: &[Marker<'_>]) -> Vec<&'c str> {
        let names = counts(markers);
        let patterns = self.keep.iter().chain(&self.drop).map(String::as_str);
        let unmatched = patterns
            // All markers may be removed, also of a recording that has none.
            .filter(|&pattern| pattern != "*")
            .filter(|pattern| !names.iter().any(|found| matches(pattern, found.name)));
        unmatched.collect()
    }
}

/// The markers of one name.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct NameCount<'m> {
    /// The name.
    pub name: &'m str,
    /// The number of markers.
    pub count: usize,
    /// The earliest finite time of the markers, in seconds; NaN if none is finite.
    pub first: f32,
    /// The latest finite time of the markers, in seconds; NaN if none is finite.
    pub last: f32,
}

/// Returns the names of markers with their numbers, in the order of their first markers.
///
/// ```
/// use inputanim::{Marker, marker_names::counts};
/// let markers = [Marker::new(1.0, "FPS"), Marker::new(1.5, "start"), Marker::new(2.0, "FPS")];
/// let found = counts(&markers);
/// assert_eq!((found[0].name, found[0].count, found[0].last), ("FPS", 2, 2.0));
/// assert_eq!(found.len(), 2);
/// ```
pub fn counts<'m>(markers: &'m [Marker<'_>]) -> Vec<NameCount<'m>> {
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    let mut found: Vec<NameCount<'m>> = Vec::new();
    for Marker { time, name } in markers {
        let place = *places.entry(name).or_insert(found.len());
        // The smaller and the larger number of a number and NaN is the number.
        let time = if time.is_finite() { *time } else { f32::NAN };
        match found.get_mut(place) {
            Some(known) => {
                known.count += 1;
                known.first = known.first.min(time);
                known.last = known.last.max(time);
            }
            None => found.push(NameCount {
                name,
                count: 1,
                first: time,
                last: time,
            }),
        }
    }
    found
}

/// Returns the names that are telemetry: those with more than [`TELEMETRY`] markers. Empty if all names are, because they
/// hide no others then.
pub fn telemetry<'m>(markers: &'m [Marker<'_>]) -> Vec<NameCount<'m>> {
    if markers.len() <= TELEMETRY {
        return Vec::new();
    }
    let mut names = counts(markers);
    let different = names.len();
    names.retain(|found| found.count > TELEMETRY);
    if names.len() == different {
        names.clear();
    }
    names
}

/// Returns the markers that are not [`telemetry`], in their order. Overviews show these, because thousands of markers of
/// one name would hide the others.
pub fn prominent<'m, 'a>(markers: &'m [Marker<'a>]) -> Vec<&'m Marker<'a>> {
    let hidden: HashSet<&str> = telemetry(markers).iter().map(|found| found.name).collect();
    let shown = markers
        .iter()
        .filter(|marker| !hidden.contains(&*marker.name));
    shown.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_match_as_in_a_shell() {
        for (pattern, name, expected) in [
            ("start", "start", true),
            ("start", "start 1", false),
            ("start*", "start 1", true),
            ("*1", "start 11", true),
            ("t?ial *", "trial 7", true),
            ("a*b*c", "aXbYbc", true),
            ("a*b*c", "aXbYb", false),
            ("*", "", true),
            ("?", "", false),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    fn telemetry(other: usize) -> Vec<Marker<'static>> {
        let frames = (0..=TELEMETRY).map(|index| Marker::new(index as f32, "FPS"));
        let others = (0..other).map(|index| Marker::new(index as f32, format!("note {index}")));
        frames.chain(others).collect()
    }

    #[test]
    fn telemetry_does_not_hide_other_markers() {
        let names = |markers: &[Marker<'_>]| -> Vec<String> {
            let found = prominent(markers).into_iter();
            found.map(|marker| marker.name.to_string()).collect()
        };
        assert_eq!(names(&telemetry(2)), ["note 0", "note 1"]);
        // Without others, it is all that there is. Up to the limit, a name is not telemetry.
        assert_eq!(names(&telemetry(0)).len(), TELEMETRY + 1);
        assert_eq!(names(&telemetry(1)[1..]).len(), TELEMETRY + 1);
        // Different names are not telemetry, however many they are.
        assert_eq!(names(&telemetry(5000)).len(), 5000);
    }

    #[test]
    fn the_times_of_a_name_are_finite() {
        let times = [f32::NAN, 2.0, f32::INFINITY, 1.0, f32::NEG_INFINITY];
        let markers = times.map(|time| Marker::new(time, "FPS"));
        let found = counts(&markers)[0];
        assert_eq!((found.first, found.last, found.count), (1.0, 2.0, 5));
        assert!(counts(&markers[..1])[0].first.is_nan());
    }

    #[test]
    fn patterns_without_markers_are_reported() {
        let choice = MarkerChoice::new(["note *", "nothing"], ["FSP", "*"]);
        assert_eq!(choice.unmatched(&telemetry(1)), ["nothing", "FSP"]);
    }
}
