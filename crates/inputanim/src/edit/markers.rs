//! Markers come, go and get other names.
//!
//! A layout without a marker list cannot be written with markers in it:
//! [`Layout::has_markers`](crate::Layout::has_markers) tells before.

use std::borrow::Cow;

use crate::marker::Marker;
use crate::recording::Recording;

/// Adds a marker behind the last that is not later, so that a list in order of time stays so, and
/// gives its index.
///
/// ```
/// use inputanim::{Layout, Marker, Recording, edit::markers};
/// let mut take = Recording::new(Layout::Mrtk1_1);
/// take.markers = vec![Marker::new(1.0, "grab"), Marker::new(2.0, "release")];
/// assert_eq!(markers::add(&mut take, Marker::new(1.5, "move")), 1);
/// ```
pub fn add<'a>(recording: &mut Recording<'a>, marker: Marker<'a>) -> usize {
    let not_later = |other: &Marker<'_>| other.time <= marker.time || marker.time.is_nan();
    let before = recording.markers.iter().rposition(not_later);
    let index = before.map_or(0, |index| index + 1);
    recording.markers.insert(index, marker);
    index
}

/// Adds many markers, each behind the last that is not later, in time that grows with how many
/// there are; a list that is not in order of time is put in order.
pub fn add_all<'a>(recording: &mut Recording<'a>, markers: impl IntoIterator<Item = Marker<'a>>) {
    recording.markers.extend(markers);
    recording.markers.sort_by(|a, b| a.time.total_cmp(&b.time));
}

/// Takes out the markers that `which` says, by index and marker, and tells how many those were.
///
/// ```
/// use inputanim::{Layout, Marker, Recording, edit::markers};
/// # let mut take = Recording::new(Layout::Mrtk1_1);
/// # take.markers = vec![Marker::new(1.0, "grab"), Marker::new(2.0, "release")];
/// markers::remove(&mut take, |_, marker| marker.name == "grab");
/// markers::remove(&mut take, |index, _| index == 7);
/// markers::remove(&mut take, |_, marker| (5.0..=6.0).contains(&marker.time));
/// assert_eq!(take.markers, [Marker::new(2.0, "release")]);
/// ```
pub fn remove(
    recording: &mut Recording<'_>,
    mut which: impl FnMut(usize, &Marker<'_>) -> bool,
) -> usize {
    let before = recording.markers.len();
    let mut index = 0..;
    recording
        .markers
        .retain(|marker| !which(index.next().unwrap_or_default(), marker));
    before - recording.markers.len()
}

/// Gives the markers that `which` says another name, and tells how many those were.
///
/// ```
/// use inputanim::{Layout, Marker, Recording, edit::markers};
/// # let mut take = Recording::new(Layout::Mrtk1_1);
/// # take.markers = vec![Marker::new(1.0, "grap"), Marker::new(2.0, "release")];
/// markers::rename(&mut take, |_, marker| marker.name == "grap", "grab");
/// assert_eq!(take.markers[0].name, "grab");
/// ```
pub fn rename<'a>(
    recording: &mut Recording<'a>,
    mut which: impl FnMut(usize, &Marker<'_>) -> bool,
    name: impl Into<Cow<'a, str>>,
) -> usize {
    let name = name.into();
    let mut renamed = 0;
    for (index, marker) in recording.markers.iter_mut().enumerate() {
        if which(index, marker) {
            marker.name = name.clone();
            renamed += 1;
        }
    }
    renamed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_markers_are_put_in_order_and_equal_times_keep_theirs() {
        let mut take = Recording::new(crate::Layout::Mrtk1_1);
        take.markers = vec![Marker::new(1.0, "a"), Marker::new(2.0, "b")];
        add_all(
            &mut take,
            [(2.0, "c"), (0.5, "d"), (1.0, "e")].map(|(t, n)| Marker::new(t, n)),
        );
        let names: Vec<&str> = take.markers.iter().map(|marker| &*marker.name).collect();
        assert_eq!(names, ["d", "a", "e", "b", "c"]);
    }
    use crate::layout::Layout;

    fn take(markers: &[(f32, &'static str)]) -> Recording<'static> {
        let mut take = Recording::new(Layout::Mrtk1_1);
        let markers = markers.iter().map(|&(time, name)| Marker::new(time, name));
        take.markers = markers.collect();
        take
    }

    fn names(take: &Recording<'_>) -> String {
        let names = take.markers.iter().map(|marker| &*marker.name);
        names.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn a_marker_is_added_in_order_of_time_behind_those_of_the_same_time() {
        let mut take = take(&[(1.0, "a"), (2.0, "b")]);
        for (time, name) in [(1.0, "c"), (-1.0, "d"), (3.0, "e")] {
            add(&mut take, Marker::new(time, name));
        }
        assert_eq!(names(&take), "d a c b e");
    }

    #[test]
    fn times_that_are_no_number_and_lists_without_order_are_no_obstacle() {
        let mut odd = take(&[(5.0, "a"), (f32::NAN, "b"), (1.0, "c")]);
        add(&mut odd, Marker::new(2.0, "d"));
        add(&mut odd, Marker::new(f32::NAN, "e"));
        add(&mut odd, Marker::new(f32::NEG_INFINITY, "f"));
        assert_eq!(names(&odd), "f a b c d e");
    }

    #[test]
    fn markers_go_and_change_by_index_and_by_name() {
        let mut take = take(&[(0.0, "a"), (1.0, "b"), (2.0, "a"), (3.0, "c")]);
        assert_eq!(rename(&mut take, |_, marker| marker.name == "a", "x"), 2);
        assert_eq!(names(&take), "x b x c");
        assert_eq!(remove(&mut take, |index, _| index == 1), 1);
        assert_eq!(remove(&mut take, |_, marker| marker.time > 2.5), 1);
        assert_eq!(names(&take), "x x");
    }
}
