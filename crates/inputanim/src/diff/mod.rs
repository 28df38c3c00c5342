//! Comparison of two recordings by the values that they evaluate to.
//!
//! Recordings with different layouts or keys can have the same values at every time. The comparison
//! therefore evaluates both recordings side by side. Recordings that are equal to the last bit are not
//! evaluated.
//!
//! # Method
//! Both recordings are evaluated at every key time of either, just before and just after each time at which a curve may
//! jump, and at [`DiffOptions::between_keys`] instants between any two neighbouring times of these. Rotations are
//! normalised, and a rotation equals its negative. The joints of a hand are compared while both recordings track it, and the poses
//! and inputs of a device while it is active in both.
//! [Texts](Recording::about) that differ are listed, and do not make recordings different.
//! Recordings are different if a joint has poses, but never in both recordings at the same instant. Before the start
//! and after the end of a recording its curves hold their end values; within it their wrap modes apply.
//!
//! # Guarantee
//! With linear interpolation, the only kind that MRTK writes, the distance between two positions is largest at a key or
//! beside a jump. The comparison therefore finds the largest deviation, except for the rounding of single precision.
//! States change at keys, so the ranges in which they disagree are exact, unless the states loop.
//!
//! # Limits
//! Rotations, directions, curves with tangents and curves that loop are compared at the same
//! instants. Their deviation between these instants may be larger; more instants find more of it.
//!
//! # Cost
//! Two samplers, one frame of both at each instant, and four bytes per instant and quantity.
//!
//! ```
//! use inputanim::diff::{self, DiffOptions, Verdict};
//! use inputanim::{Layout, Pose, Recording};
//! let mut a = Recording::new(Layout::Mrtk1_1);
//! a.head_mut().push(0.0, &Pose::IDENTITY);
//! let mut b = Recording::new(Layout::Mrtk1_0);
//! b.head_mut().push(0.0, &Pose::at([0.0, 0.0005, 0.0]));
//!
//! let difference = a.diff(&b, &DiffOptions::default())?;
//! assert_eq!(difference.verdict, Verdict::Equivalent);
//! let head = &difference.streams[0].position.statistics.expect("a position in both");
//! assert!((head.largest - 0.0005).abs() < 1e-9);
//! # Ok::<(), diff::UnplayableRecording>(())
//! ```

mod deviation;
mod difference;
mod error;
mod haptics;
mod instants;
mod markers;
pub(crate) mod metric;
mod options;
mod side_by_side;
mod states;

use crate::element::Element;
use crate::marker::Marker;
use crate::recording::Recording;
use crate::sampler::Sampler;
use crate::time_range::TimeRange;

pub use deviation::{Deviation, DeviationStatistics, MAX_LISTED, Violation, Violations};
pub use difference::{
    Aspect, Difference, EncodingDifference, StreamDifference, TextDifference, UncomparedJoint,
    Verdict,
};
pub use error::UnplayableRecording;
pub use haptics::HapticDifference;
pub use markers::{MarkerDifference, MovedMarker};
pub use options::{DiffOptions, InvalidTolerance, Tolerance};
pub use states::{InputDifference, StateDifference};

use side_by_side::{HeldRecording, SideBySide};

impl Recording<'_> {
    /// Compares the playback with another recording; see the [module](crate::diff).
    ///
    /// # Errors
    /// Returns an error if the recordings are not equal and one has a key whose time is not a number.
    pub fn diff(
        &self,
        other: &Recording<'_>,
        options: &DiffOptions,
    ) -> Result<Difference, UnplayableRecording> {
        let (a, b) = (self, other);
        let durations = [a.duration(), b.duration()];
        let mut found = Difference {
            verdict: Verdict::Equal,
            out_of_tolerance: Vec::new(),
            range: TimeRange {
                start: 0.0,
                end: durations[0],
            },
            instants: 0,
            streams: Vec::new(),
            only_in: Default::default(),
            uncompared: Vec::new(),
            ignored: Vec::new(),
            states: Vec::new(),
            inputs: Vec::new(),
            haptics: Vec::new(),
            markers: MarkerDifference::default(),
            about: TextDifference::between(&a.about, &b.about),
            durations,
            encoding: EncodingDifference::of(a, b),
        };
        // Keys are compared by their bytes, so equal recordings need no evaluation. They may even have
        // keys that cannot be evaluated.
        if a == b {
            return Ok(found);
        }
        let sampler = |recording: &Recording<'_>, index| {
            Sampler::new(recording).map_err(|source| UnplayableRecording { index, source })
        };
        let samplers = [sampler(a, 0)?, sampler(b, 1)?];

        let keys = instants::in_order(samplers.iter().flat_map(Sampler::key_times).collect());
        let full = instants::full_range(&keys);
        found.range = options.range.map_or(full, |time| closed(time, full));
        // The deviation can be largest on either side of a jump, so both sides are compared.
        let jumps = samplers.iter().flat_map(Sampler::jump_times).collect();
        let times = keys.into_iter().chain(instants::beside(jumps)).collect();
        let times = instants::within(instants::in_order(times), found.range);
        let mut comparison = SideBySide::new(samplers.map(HeldRecording::new), options);
        for time in instants::instants(&times, options.between_keys) {
            comparison.compare_at(time);
        }
        comparison.finish(&mut found);

        let is_accepted = |time: f32| match options.range {
            Some(_) => (found.range.start..=found.range.end).contains(&time),
            None => true,
        };
        let is_compared =
            |marker: &Marker<'_>| is_accepted(marker.time) && options.markers.keeps(&marker.name);
        found.markers = markers::compare(&a.markers, &b.markers, is_compared);
        found.haptics = haptics::compare(a, b, options, is_accepted);
        found.ignored = different(a, b, &options.ignored);
        found.judge(&options.tolerance, options.range.is_none());
        Ok(found)
    }
}

/// Returns those of the given elements whose curves differ between the recordings.
fn different(a: &Recording<'_>, b: &Recording<'_>, elements: &[Element]) -> Vec<Element> {
    let curves = |recording, element| {
        let curves = Recording::curves(recording);
        curves.filter(move |(path, curve)| Element::from(*path) == element && !curve.is_empty())
    };
    let is_different = |element: &Element| !curves(a, *element).eq(curves(b, *element));
    let elements = elements.iter().copied();
    elements.filter(is_different).collect()
}

/// Returns `range` with each infinite bound replaced by the bound of `full`. An end before the start becomes the start.
fn closed(range: TimeRange, full: TimeRange) -> TimeRange {
    let or = |time: f32, open: f32| if time.is_finite() { time } else { open };
    let start = or(range.start, full.start);
    TimeRange {
        start,
        end: or(range.end, full.end).max(start),
    }
}
