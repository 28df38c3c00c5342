//! Edits of the marker list: add, remove and rename.
//!
//! A layout without a marker list cannot hold them: see
//! [`Layout::has_markers`](crate::Layout::has_markers).

use std::borrow::Cow;
use std::collections::HashMap;

use crate::marker::Marker;
use crate::order;
use crate::recording::Recording;
use crate::trigger_names::{TriggerNames, number};

use super::checks::require;
use super::error::EditError;

/// Checks that the time of a marker is finite, because playback never reaches a time that is infinite or NaN. [`add`]
/// accepts such times, because files contain them.
///
/// # Errors
/// Returns [`EditError::InvalidNumber`] if the time is infinite or NaN.
pub fn require_finite(time: f32) -> Result<(), EditError> {
    require(time.is_finite(), "time of a marker", time, "finite")
}

/// Inserts a marker after the last marker that is not later than it, and returns its index. A sorted list stays sorted.
///
/// ```
/// use inputanim::{Layout, Marker, Recording, edit::markers};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.markers = vec![Marker::new(1.0, "grab"), Marker::new(2.0, "release")];
/// assert_eq!(markers::add(&mut recording, Marker::new(1.5, "move")), 1);
/// ```
pub fn add<'a>(recording: &mut Recording<'a>, marker: Marker<'a>) -> usize {
    let not_later = |other: &Marker<'_>| other.time <= marker.time || marker.time.is_nan();
    let before = recording.markers.iter().rposition(not_later);
    let index = before.map_or(0, |index| index + 1);
    recording.markers.insert(index, marker);
    index
}

/// Adds markers and sorts the list by time. Markers at equal times keep their order.
pub fn add_all<'a>(recording: &mut Recording<'a>, markers: impl IntoIterator<Item = Marker<'a>>) {
    recording.markers.extend(markers);
    order::sort_by_time(&mut recording.markers, |marker| marker.time);
}

/// Removes the markers for which `is_selected` returns `true`, and returns the number of removed markers. Its arguments
/// are the index of a marker in the list before the removal, and the marker.
///
/// ```
/// use inputanim::{Layout, Marker, Recording, edit::markers};
/// # let mut recording = Recording::new(Layout::Mrtk1_1);
/// # recording.markers = vec![Marker::new(1.0, "grab"), Marker::new(2.0, "release")];
/// markers::remove(&mut recording, |_, marker| marker.name == "grab");
/// markers::remove(&mut recording, |index, _| index == 7);
/// markers::remove(&mut recording, |_, marker| (5.0..=6.0).contains(&marker.time));
/// assert_eq!(recording.markers, [Marker::new(2.0, "release")]);
/// ```
pub fn remove(
    recording: &mut Recording<'_>,
    mut is_selected: impl FnMut(usize, &Marker<'_>) -> bool,
) -> usize {
    let before = recording.markers.len();
    let mut index = 0..;
    recording
        .markers
        .retain(|marker| !is_selected(index.next().unwrap_or_default(), marker));
    before - recording.markers.len()
}

/// Renames the markers for which `is_selected` returns `true`, and returns the number of renamed markers. Its arguments
/// are the index of a marker and the marker.
///
/// ```
/// use inputanim::{Layout, Marker, Recording, edit::markers};
/// # let mut recording = Recording::new(Layout::Mrtk1_1);
/// # recording.markers = vec![Marker::new(1.0, "grap"), Marker::new(2.0, "release")];
/// markers::rename(&mut recording, |_, marker| marker.name == "grap", "grab");
/// assert_eq!(recording.markers[0].name, "grab");
/// ```
pub fn rename<'a>(
    recording: &mut Recording<'a>,
    mut is_selected: impl FnMut(usize, &Marker<'_>) -> bool,
    name: impl Into<Cow<'a, str>>,
) -> usize {
    let name = name.into();
    let mut renamed = 0;
    for (index, marker) in recording.markers.iter_mut().enumerate() {
        if is_selected(index, marker) {
            marker.name = name.clone();
            renamed += 1;
        }
    }
    renamed
}

/// The markers that [`name_triggers`] renamed, and the triggers that have no name.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct NamedTriggers {
    /// The number of renamed markers.
    pub renamed: usize,
    /// The triggers without a name, in order of their first marker.
    pub unnamed: Vec<UnnamedTrigger>,
    /// The triggers that have a name, but no marker.
    pub unused: Vec<String>,
}

/// A trigger without a name.
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct UnnamedTrigger {
    /// The trigger, as markers state it.
    pub trigger: String,
    /// The number of its markers.
    pub count: usize,
}

/// Renames the markers that are triggers. Markers that have the number or the text of another trigger keep it, and the report
/// lists them. If a file had several streams of markers, their names begin with the stream: `Stim: 11` becomes `Stim: start`.
///
/// ```
/// use inputanim::trigger_names::{TriggerName, TriggerNames};
/// use inputanim::{Layout, Marker, Recording, edit::markers};
/// # let mut recording = Recording::new(Layout::Mrtk1_1);
/// # recording.markers = vec![Marker::new(1.0, "11"), Marker::new(2.0, "12"), Marker::new(3.0, "wave")];
/// let names = TriggerNames::new([TriggerName::new("11", "start")])?;
/// let report = markers::name_triggers(&mut recording, &names);
/// assert_eq!(recording.markers[0].name, "start");
/// assert_eq!((report.renamed, &*report.unnamed[0].trigger), (1, "12"));
/// # Ok::<(), inputanim::trigger_names::TriggerNamesError>(())
/// ```
pub fn name_triggers(recording: &mut Recording<'_>, names: &TriggerNames) -> NamedTriggers {
    let mut report = NamedTriggers {
        unused: names.unused(recording.markers.iter().map(|marker| &*marker.name)),
        ..NamedTriggers::default()
    };
    let mut places: HashMap<String, usize> = HashMap::new();
    for marker in &mut recording.markers {
        let of_stream = marker.name.split_once(": ");
        let named = match (names.name_of(&marker.name), of_stream) {
            (Some(name), _) => Some(name.to_owned()),
            (None, Some((stream, trigger))) => {
                let name = names.name_of(trigger);
                name.map(|name| format!("{stream}: {name}"))
            }
            (None, None) => None,
        };
        let trigger = of_stream.map_or(&*marker.name, |(_, trigger)| trigger);
        if let Some(name) = named {
            report.renamed += usize::from(*name != *marker.name);
            marker.name = name.into();
        } else if number(trigger).is_some() {
            let place = *places
                .entry(marker.name.to_string())
                .or_insert(report.unnamed.len());
            match report.unnamed.get_mut(place) {
                Some(unnamed) => unnamed.count += 1,
                None => report.unnamed.push(UnnamedTrigger {
                    trigger: marker.name.to_string(),
                    count: 1,
                }),
            }
        }
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn added_markers_are_sorted_and_equal_times_keep_their_order() {
        let mut recording = Recording::new(crate::Layout::Mrtk1_1);
        recording.markers = vec![Marker::new(1.0, "a"), Marker::new(2.0, "b")];
        add_all(
            &mut recording,
            [(2.0, "c"), (0.5, "d"), (1.0, "e")].map(|(t, n)| Marker::new(t, n)),
        );
        let names: Vec<&str> = recording
            .markers
            .iter()
            .map(|marker| &*marker.name)
            .collect();
        assert_eq!(names, ["d", "a", "e", "b", "c"]);
    }
    use crate::layout::Layout;
    use crate::trigger_names::TriggerName;

    fn recording(markers: &[(f32, &'static str)]) -> Recording<'static> {
        let mut recording = Recording::new(Layout::Mrtk1_1);
        let markers = markers.iter().map(|&(time, name)| Marker::new(time, name));
        recording.markers = markers.collect();
        recording
    }

    fn names(recording: &Recording<'_>) -> String {
        let names = recording.markers.iter().map(|marker| &*marker.name);
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn marker_is_inserted_after_those_of_the_same_time() {
        let mut recording = recording(&[(1.0, "a"), (2.0, "b")]);
        for (time, name) in [(1.0, "c"), (-1.0, "d"), (3.0, "e")] {
            add(&mut recording, Marker::new(time, name));
        }
        assert_eq!(names(&recording), "d a c b e");
    }

    #[test]
    fn times_that_are_not_finite_can_be_refused() {
        for (time, text) in [(f32::NAN, "NaN"), (f32::INFINITY, "inf")] {
            assert_eq!(
                require_finite(time).unwrap_err().to_string(),
                format!("invalid time of a marker: {text} (must be finite)")
            );
        }
        assert_eq!(require_finite(-1.0), Ok(()));
    }

    #[test]
    fn nan_times_and_unsorted_lists_are_accepted() {
        let mut odd = recording(&[(5.0, "a"), (f32::NAN, "b"), (1.0, "c")]);
        add(&mut odd, Marker::new(2.0, "d"));
        add(&mut odd, Marker::new(f32::NAN, "e"));
        add(&mut odd, Marker::new(f32::NEG_INFINITY, "f"));
        assert_eq!(names(&odd), "f a b c d e");
    }

    #[test]
    fn triggers_of_a_stream_get_names_behind_its_name() {
        let mut found = recording(&[
            (0.0, "Stim: 11"),
            (1.0, "Stim: 12"),
            (2.0, "11"),
            (3.0, "a: b"),
        ]);
        let pairs = [TriggerName::new("11", "go")];
        let report = name_triggers(&mut found, &TriggerNames::new(pairs).unwrap());
        let names: Vec<&str> = found.markers.iter().map(|marker| &*marker.name).collect();
        assert_eq!(names, ["Stim: go", "Stim: 12", "go", "a: b"]);
        assert_eq!(report.renamed, 2);
        let unnamed = report.unnamed.iter();
        let unnamed: Vec<_> = unnamed
            .map(|unnamed| (&*unnamed.trigger, unnamed.count))
            .collect();
        assert_eq!(unnamed, [("Stim: 12", 1)]);
        let pairs = ["11", "12", "99", "S  7"].map(|trigger| TriggerName::new(trigger, "go"));
        let mut found = recording(&[(0.0, "Stim: 11"), (1.0, "12.0")]);
        let report = name_triggers(&mut found, &TriggerNames::new(pairs).unwrap());
        assert_eq!(report.unused, ["99", "S 7"]);
    }

    #[test]
    fn markers_are_removed_and_renamed_by_index_and_name() {
        let mut recording = recording(&[(0.0, "a"), (1.0, "b"), (2.0, "a"), (3.0, "c")]);
        assert_eq!(
            rename(&mut recording, |_, marker| marker.name == "a", "x"),
            2
        );
        assert_eq!(names(&recording), "x b x c");
        assert_eq!(remove(&mut recording, |index, _| index == 1), 1);
        assert_eq!(remove(&mut recording, |_, marker| marker.time > 2.5), 1);
        assert_eq!(names(&recording), "x x");
    }
}
