//! Whether two recordings are the same, play the same, or how they differ.
//!
//! Method: both are played side by side, and what they show is compared at every time at which
//! either has a key, just before and after where a curve may jump, and at [`Options::between`]
//! instants between any two of those.
//! Rotations are normalised, and one is the same as its negative. The joints of a hand are
//! compared while both recordings track it. Where one recording is over, or has not begun, its
//! curves hold their ends; within it their wrap modes hold.
//!
//! Guarantee: where curves are straight lines, which is all that the toolkit writes, two positions
//! are farthest apart at a key or beside one, so the largest difference is found, but for the
//! rounding of single precision. Rotations, directions, curves with tangents and curves that
//! come round are looked at in the same instants, and may be further apart between them; more
//! instants look closer. States change at keys, so the spans in which they disagree
//! are exact, but for states that come round.
//!
//! Cost: two samplers, and a frame of both at each instant; four bytes for each instant and
//! quantity.
//!
//! ```
//! use inputanim::diff::{self, Options, Verdict};
//! use inputanim::{Layout, Pose, Recording};
//! let mut a = Recording::new(Layout::Mrtk1_1);
//! a.camera_mut().push(0.0, &Pose::IDENTITY);
//! let mut b = Recording::new(Layout::Mrtk1_0);
//! b.camera_mut().push(0.0, &Pose::at([0.0, 0.0005, 0.0]));
//!
//! let difference = diff::compare(&a, &b, &Options::default())?;
//! assert_eq!(difference.verdict, Verdict::SameMeaning);
//! let camera = &difference.streams[0].position.statistics.expect("a position in both");
//! assert!((camera.largest - 0.0005).abs() < 1e-9);
//! # Ok::<(), diff::Unplayable>(())
//! ```

mod deviation;
mod difference;
mod instants;
mod markers;
pub(crate) mod metric;
mod playing;
mod states;

use crate::recording::Recording;
use crate::sampler::{Sampler, UnplayableCurve};
use crate::span::Span;

pub use deviation::{Beyond, Deviation, Excess, KEPT, Statistics};
pub use difference::{Aspect, Difference, Form, StreamDifference, Subject, Verdict};
pub use markers::{MarkerDifference, MovedMarker};
pub use states::StateDifference;

use playing::{SideBySide, Take};

/// How far recordings may be apart and still mean the same. With zeros they must play exactly the
/// same; an infinite one leaves its quantity out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// For positions and the origin of the gaze, in metres.
    pub metres: f64,
    /// For rotations and the direction of the gaze, in degrees.
    pub degrees: f64,
    /// For the times at which states change, for markers and for the duration, in seconds.
    pub seconds: f64,
}

impl Default for Tolerance {
    /// 1 mm and 0.2°, by which the toolkit's recorder lets a joint be off by default
    /// (docs/format.md, section 5.4), and 1 ms: less than a frame, and more than what rounding
    /// does to times in the first two hours.
    fn default() -> Self {
        Tolerance {
            metres: 0.001,
            degrees: 0.2,
            seconds: 0.001,
        }
    }
}

/// What is compared, and how.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Options {
    /// How far recordings may be apart.
    pub tolerance: Tolerance,
    /// Only what plays in this span, markers in it included; the duration does not matter then.
    /// An end that is not finite is that of the recordings.
    pub time: Option<Span>,
    /// How many instants between two neighbouring key times are looked at.
    pub between: u16,
}

impl Default for Options {
    /// The default tolerance over all of both recordings, and what is halfway between keys.
    fn default() -> Self {
        Options {
            tolerance: Tolerance::default(),
            time: None,
            between: 1,
        }
    }
}

/// Which of two recordings.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Which {
    /// The first.
    First,
    /// The second.
    Second,
}

/// A recording that cannot be played, and so not be compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the {} recording cannot be played", match which {
    Which::First => "first",
    Which::Second => "second",
})]
#[non_exhaustive]
pub struct Unplayable {
    /// Which.
    pub which: Which,
    /// Why.
    pub source: UnplayableCurve,
}

/// Compares two recordings; see the [module](self).
///
/// # Errors
/// When the recordings are not equal, and one has a key whose time is not a number.
pub fn compare(
    a: &Recording<'_>,
    b: &Recording<'_>,
    options: &Options,
) -> Result<Difference, Unplayable> {
    let durations = [a.duration(), b.duration()];
    let mut found = Difference {
        verdict: Verdict::Equal,
        beyond: Vec::new(),
        span: Span {
            start: 0.0,
            end: durations[0],
        },
        instants: 0,
        streams: Vec::new(),
        only_in: Default::default(),
        states: Vec::new(),
        markers: MarkerDifference::default(),
        durations,
        form: Form::of(a, b),
    };
    if a == b {
        return Ok(found);
    }
    let sampler = |recording: &Recording<'_>, which| {
        Sampler::new(recording).map_err(|source| Unplayable { which, source })
    };
    let samplers = [sampler(a, Which::First)?, sampler(b, Which::Second)?];

    let keys = instants::in_order(samplers.iter().flat_map(Sampler::key_times).collect());
    let whole = instants::whole(&keys);
    found.span = options.time.map_or(whole, |time| closed(time, whole));
    let jumps = samplers.iter().flat_map(Sampler::jump_times).collect();
    let times = keys.into_iter().chain(instants::beside(jumps)).collect();
    let times = instants::within(instants::in_order(times), found.span);
    let mut playing = SideBySide::new(samplers.map(Take::new), options.tolerance);
    for time in instants::instants(&times, options.between) {
        playing.look(time);
    }
    playing.finish(&mut found);

    let is_wanted = |time: f32| match options.time {
        Some(_) => (found.span.start..=found.span.end).contains(&time),
        None => true,
    };
    found.markers = markers::compare(&a.markers, &b.markers, is_wanted);
    found.judge(&options.tolerance, options.time.is_none());
    Ok(found)
}

/// The span with its open ends closed by those of `whole`.
fn closed(span: Span, whole: Span) -> Span {
    let or = |time: f32, open: f32| if time.is_finite() { time } else { open };
    let start = or(span.start, whole.start);
    Span {
        start,
        end: or(span.end, whole.end).max(start),
    }
}
