//! The difference of the markers of two recordings.
//!
//! Method: markers of one name are paired in order of time. If one recording has more of them, each
//! marker of the other is paired with the nearest one that leaves enough markers for the rest of
//! the list. Cost: sorting.

use std::collections::BTreeMap;

use crate::marker::Marker;
use crate::order;

/// The markers that both recordings have, and the markers that only one has.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct MarkerDifference {
    /// The number of markers with the same name and time in both.
    pub same: u64,
    /// The markers with another time, in order of time.
    pub moved: Vec<MovedMarker>,
    /// The markers that only the first or only the second recording has, in order of time.
    pub only_in: [Vec<Marker<'static>>; 2],
}

impl MarkerDifference {
    /// Returns `true` if both recordings have all markers, and none moved by more than `tolerance`
    /// seconds.
    pub fn is_within(&self, tolerance: f32) -> bool {
        self.only_in.iter().all(Vec::is_empty) && !self.has_moved(tolerance)
    }

    /// Returns `true` if any marker moved by more than `tolerance` seconds.
    pub fn has_moved(&self, tolerance: f32) -> bool {
        let mut distances = self.moved.iter().map(|marker| marker.exact_offset().abs());
        distances.any(|by| by.is_nan() || by > tolerance.into())
    }
}

/// A marker with another time in the second recording.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct MovedMarker {
    /// The name.
    pub name: String,
    /// The times in the first and in the second recording, in seconds.
    pub times: [f32; 2],
}

impl MovedMarker {
    /// Returns the offset in seconds; positive if the marker is later in the second recording.
    pub fn offset(&self) -> f32 {
        self.exact_offset() as f32
    }

    fn exact_offset(&self) -> f64 {
        f64::from(self.times[1]) - f64::from(self.times[0])
    }
}

/// Compares the markers of two recordings. Ignores markers for which `is_compared` returns `false`.
pub(super) fn compare(
    a: &[Marker<'_>],
    b: &[Marker<'_>],
    is_compared: impl Fn(&Marker<'_>) -> bool,
) -> MarkerDifference {
    let mut names: BTreeMap<&str, [Vec<f32>; 2]> = BTreeMap::new();
    for (index, markers) in [a, b].into_iter().enumerate() {
        for marker in markers.iter().filter(|marker| is_compared(marker)) {
            names.entry(&marker.name).or_default()[index].push(marker.time);
        }
    }
    let mut found = MarkerDifference::default();
    for (name, mut times) in names {
        for times in &mut times {
            order::sort_times(times);
        }
        found.pair(name, times);
    }
    // Markers at equal times stay in the order of their names.
    order::sort_by_time(&mut found.moved, |marker| marker.times[0]);
    for markers in &mut found.only_in {
        order::sort_by_time(markers, |marker| marker.time);
    }
    found
}

impl MarkerDifference {
    /// Pairs the markers with one name and adds the result to the difference. `times` are their times in the first and
    /// in the second recording, each in order.
    fn pair(&mut self, name: &str, times: [Vec<f32>; 2]) {
        let more = usize::from(times[1].len() > times[0].len());
        let [few, many] = [&times[1 - more], &times[more]];
        let mut spare = many.len() - few.len();
        let mut many = many.iter().copied().peekable();
        for &time in few {
            let Some(mut partner) = many.next() else {
                break;
            };
            let away = |other: f32| (f64::from(other) - f64::from(time)).abs();
            // Each skipped marker uses one spare, so enough markers remain for the rest of the
            // list.
            while spare > 0
                && let Some(nearer) = many.next_if(|&next| away(next) < away(partner))
            {
                self.only_in[more].push(Marker::new(partner, name.to_owned()));
                (partner, spare) = (nearer, spare - 1);
            }
            let mut times = [time; 2];
            times[more] = partner;
            // Playback never reaches a marker at NaN, so two such markers count as the same.
            let is_same = time == partner || time.is_nan() && partner.is_nan();
            if is_same {
                self.same += 1;
            } else {
                self.moved.push(MovedMarker {
                    name: name.to_owned(),
                    times,
                });
            }
        }
        let rest = many.map(|time| Marker::new(time, name.to_owned()));
        self.only_in[more].extend(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(a: &[(f32, &str)], b: &[(f32, &str)]) -> MarkerDifference {
        let [a, b] = [a, b].map(|list| {
            let markers = list.iter().map(|&(time, name)| Marker::new(time, name));
            markers.map(Marker::into_owned).collect::<Vec<_>>()
        });
        compare(&a, &b, |_| true)
    }

    fn times(markers: &[Marker<'_>]) -> Vec<f32> {
        markers.iter().map(|marker| marker.time).collect()
    }

    #[test]
    fn equal_numbers_of_a_name_are_paired_in_order() {
        let found = compared(
            &[(10.0, "x"), (0.0, "x"), (5.0, "y")],
            &[(9.0, "x"), (19.0, "x"), (5.0, "y")],
        );
        assert_eq!(found.same, 1);
        let moved: Vec<_> = found.moved.iter().map(|marker| marker.times).collect();
        assert_eq!(moved, [[0.0, 9.0], [10.0, 19.0]]);
        assert_eq!(found.only_in, [vec![], vec![]]);
        assert!(found.is_within(9.0) && !found.is_within(8.9));
    }

    #[test]
    fn surplus_markers_leave_the_nearest_pairs() {
        let few = [(11.0, "x"), (21.0, "x")];
        let many = [(0.0, "x"), (10.0, "x"), (20.0, "x"), (30.0, "x")];
        let found = compared(&many, &few);
        let moved: Vec<_> = found.moved.iter().map(|marker| marker.times).collect();
        assert_eq!(moved, [[10.0, 11.0], [20.0, 21.0]]);
        assert_eq!(times(&found.only_in[0]), [0.0, 30.0]);
        let other = compared(&few, &many);
        assert_eq!(other.moved.len(), 2);
        assert_eq!(times(&other.only_in[1]), [0.0, 30.0]);
    }

    #[test]
    fn names_differ_and_nan_times_are_kept() {
        let found = compared(
            &[(1.0, "x"), (f32::NAN, "z")],
            &[(1.0, "y"), (f32::NAN, "z")],
        );
        assert_eq!(found.same, 1);
        assert_eq!(found.only_in[0][0].name, "x");
        assert_eq!(found.only_in[1][0].name, "y");
        let found = compared(&[(f32::NAN, "z")], &[(1.0, "z")]);
        assert!(!found.is_within(f32::INFINITY));
    }
}
