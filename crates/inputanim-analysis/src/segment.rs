//! Segments: the time ranges for which measures are computed.

use inputanim::marker_names::matches;
use inputanim::{Marker, TimeRange};

/// A named time range.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[non_exhaustive]
pub struct Segment {
    /// Name.
    pub name: String,
    /// Time range.
    pub range: TimeRange,
    /// Names and values of columns that are carried through to results, such as the columns of a trial table.
    #[cfg_attr(feature = "serde", serde(default))]
    pub columns: Vec<(String, String)>,
}

impl Segment {
    /// Returns a segment without columns.
    pub fn new(name: impl Into<String>, range: TimeRange) -> Segment {
        Segment {
            name: name.into(),
            range,
            columns: Vec::new(),
        }
    }

    /// Returns the segments from each marker whose name matches `pattern` to the next such marker, and from the last one
    /// to the end of the recording. A segment has the name of its marker. `markers` are sorted by time, as
    /// [`Sampler::markers`](inputanim::Sampler::markers) returns them. [`matches()`] describes the pattern; `*` selects all.
    ///
    /// ```
    /// use inputanim::{Marker, TimeRange};
    /// use inputanim_analysis::Segment;
    /// let markers = [Marker::new(1.0, "a"), Marker::new(2.5, "b")];
    /// let segments = Segment::from_each_marker(&markers, "*", TimeRange { start: 0.0, end: 4.0 });
    /// assert_eq!(segments[0].name, "a");
    /// assert_eq!(segments[1].range, TimeRange { start: 2.5, end: 4.0 });
    /// ```
    pub fn from_each_marker(
        markers: &[Marker<'_>],
        pattern: &str,
        recording: TimeRange,
    ) -> Vec<Segment> {
        let inside = markers
            .iter()
            .filter(|marker| recording.contains(marker.time) && matches(pattern, &marker.name));
        let mut segments: Vec<Segment> = inside
            .map(|marker| {
                let range = TimeRange {
                    start: marker.time,
                    end: recording.end,
                };
                Segment::new(marker.name.clone(), range)
            })
            .collect();
        for index in 1..segments.len() {
            segments[index - 1].range.end = segments[index].range.start;
        }
        segments
    }

    /// Returns the segments from each marker whose name matches `start` to the next marker whose name
    /// matches `stop`. A start without a stop before the next start has no segment. `markers` are sorted
    /// by time.
    ///
    /// In a pattern, `*` stands for any characters, and `?` for one. Upper and lower case differ.
    ///
    /// ```
    /// use inputanim::{Marker, TimeRange};
    /// use inputanim_analysis::Segment;
    /// let markers = [Marker::new(1.0, "trial-1"), Marker::new(2.5, "done"), Marker::new(3.0, "trial-2")];
    /// let segments = Segment::between_markers(&markers, "trial-*", "done");
    /// assert_eq!(segments, [Segment::new("trial-1", TimeRange { start: 1.0, end: 2.5 })]);
    /// ```
    pub fn between_markers(markers: &[Marker<'_>], start: &str, stop: &str) -> Vec<Segment> {
        let mut open: Option<&Marker<'_>> = None;
        let mut segments = Vec::new();
        // A marker whose time is not finite cannot start or end a segment.
        for marker in markers.iter().filter(|marker| marker.time.is_finite()) {
            if let Some(first) = open.filter(|_| matches(stop, &marker.name)) {
                let range = TimeRange {
                    start: first.time,
                    end: marker.time,
                };
                segments.push(Segment::new(first.name.clone(), range));
                open = None;
            }
            // A marker that matches both patterns ends a segment and starts the next one.
            if matches(start, &marker.name) {
                open = Some(marker);
            }
        }
        segments
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn segments_between_markers_need_both() {
        let markers = [
            (0.0, "go"),
            (1.0, "go"),
            (2.0, "end"),
            (3.0, "end"),
            (4.0, "go"),
        ]
        .map(|(time, name)| Marker::new(time, name));
        let found = Segment::between_markers(&markers, "go", "end");
        let range = TimeRange {
            start: 1.0,
            end: 2.0,
        };
        assert_eq!(found, [Segment::new("go", range)]);
        let found = Segment::between_markers(&markers, "*", "*");
        assert_eq!(found.len(), 4);
    }
}
