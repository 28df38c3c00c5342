//! Another clock: a recording gets the times of a clock on which equal markers were recorded.

mod matching;

use std::collections::HashMap;

use crate::marker_names::MarkerChoice;
use crate::recording::Recording;

use super::checks::{require, require_positive};
use super::error::EditError;
use super::time::map_times;
use matching::{Alignment, Bounds, Entry, Failure, Lists};

/// A marker on another clock, such as a trigger of an EEG.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(rename_all = "camelCase", deny_unknown_fields)
)]
#[non_exhaustive]
pub struct ClockMarker {
    /// The time in seconds on the other clock, in double precision.
    pub time: f64,
    /// The name.
    pub name: String,
}

impl ClockMarker {
    /// Returns a marker at a time in seconds on the other clock.
    pub fn new(time: f64, name: impl Into<String>) -> ClockMarker {
        ClockMarker {
            time,
            name: name.into(),
        }
    }
}

/// Changes all times to those of another clock, by markers that both have. See [`align`](super::align()).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize, serde::Deserialize),
    serde(default, rename_all = "camelCase", deny_unknown_fields)
)]
#[non_exhaustive]
pub struct Align {
    /// The markers on the other clock, in any order.
    pub markers: Vec<ClockMarker>,
    /// Patterns for the names of the markers that are compared, as [`marker_names`](crate::marker_names) describes them; without
    /// patterns, all names that both have.
    pub names: Vec<String>,
    /// The time in seconds on the other clock that becomes t = 0; 0 by default.
    pub zero: f64,
    /// The largest distance of two equal markers after the alignment, in seconds; 0.05 by default.
    pub tolerance: f64,
    /// The largest drift of the clocks, in parts per million; 1000 by default.
    pub max_drift: f64,
    /// The time in seconds on the other clock at t = 0 of the recording is from the first to the second number, if it is
    /// known approximately.
    pub offset: Option<[f64; 2]>,
    /// `true` to correct only the offset of the clocks and no drift.
    pub offset_only: bool,
}

impl Align {
    /// Returns the edit for the markers of another clock.
    pub fn new(markers: Vec<ClockMarker>) -> Align {
        Align {
            markers,
            ..Align::default()
        }
    }

    /// Checks the numbers, which need no recording.
    pub(super) fn check(&self) -> Result<(), EditError> {
        require_positive("tolerance", self.tolerance)?;
        let drift = self.max_drift;
        let is_valid = drift > 0.0 && drift <= MAX_DRIFT;
        require(
            is_valid,
            "largest drift",
            drift,
            "above 0 and at most 100000 ppm",
        )?;
        require(self.zero.is_finite(), "zero", self.zero, "finite")?;
        if let Some([least, most]) = self.offset {
            // Written so that NaN fails.
            require(
                least <= most,
                "range of the offset",
                most - least,
                "0 or more",
            )?;
        }
        Ok(())
    }
}

impl Default for Align {
    fn default() -> Align {
        Align {
            markers: Vec::new(),
            names: Vec::new(),
            zero: 0.0,
            tolerance: 0.05,
            max_drift: 1000.0,
            offset: None,
            offset_only: false,
        }
    }
}

/// The largest bound of the drift, in parts per million. A larger one is another speed: [`Retime`](super::Retime).
const MAX_DRIFT: f64 = 100_000.0;

/// A marker of the recording with its partner on the other clock.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct MatchedMarker {
    /// The name.
    pub name: String,
    /// The time in the recording before the edit, in seconds.
    pub time: f64,
    /// The time on the other clock, in seconds.
    pub clock_time: f64,
    /// The time on the other clock minus the time of the fit, in seconds.
    pub residual: f64,
}

/// The result of an alignment.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(
    feature = "serde",
    derive(serde::Serialize),
    serde(rename_all = "camelCase")
)]
#[non_exhaustive]
pub struct AlignReport {
    /// The time of the other clock, in seconds, that is t = 0 after the edit.
    pub zero: f64,
    /// The time of the other clock, in seconds, at t = 0 of the recording before the edit.
    pub offset: f64,
    /// The drift in parts per million: above 0, the recording lasts longer on the other clock. `None` if only the offset
    /// was fitted, because the option chose that, or because the markers are too close together for a drift.
    pub drift: Option<f64>,
    /// The standard error of the drift, in parts per million. `None` without a drift, and for two markers, which every line fits.
    pub drift_error: Option<f64>,
    /// The largest distance of a marker from the fit, in seconds.
    pub largest_residual: f64,
    /// The root of the mean square of these distances, in seconds.
    pub rms_residual: f64,
    /// The largest difference by which single precision rounds a time of the result, in seconds.
    pub largest_rounding: f64,
    /// The markers that were fitted, in order of time.
    pub matches: Vec<MatchedMarker>,
    /// The indices of the markers of the recording without a partner.
    pub unmatched: Vec<usize>,
    /// The indices of the markers of the other clock without a partner.
    pub clock_unmatched: Vec<usize>,
}

/// An alignment that explains the markers, but not better than another one.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct AlignCandidate {
    /// The time of the other clock, in seconds, at t = 0 of the recording.
    pub offset: f64,
    /// The number of markers that it matches.
    pub matches: usize,
}

/// Changes the times of all keys and markers to those of another clock. A marker of the recording and a marker of the other
/// clock with the same name are the same event. The offset and the drift of the clocks are fitted to these events by
/// least squares in double precision, as a polynomial of degree 1 of the time on the other clock by the time in the
/// recording. Tangents are divided by the slope. t = 0 of the result is [`Align::zero`] on the other clock.
///
/// - Markers are matched by name, and so that the intervals between them agree. A marker that is missing in one list, or that is only in
///   one list, has no partner, and does not shift other matches. Matches are at most [`Align::tolerance`] from the fit.
/// - Only the offset is fitted if there is one match, or if the time from the first to the last match is so short that the
///   tolerance permits a larger drift than [`Align::max_drift`]: 50 s with the default options. An extrapolated drift would be wrong.
/// - Times of a recording are single precision. [`AlignReport::largest_rounding`] states the error. It grows with the distance from
///   [`Align::zero`]: 0.03 ms at 1000 s, and 4 ms at 100,000 s.
///
/// ```
/// use inputanim::edit::{self, Align, ClockMarker};
/// use inputanim::{Layout, Marker, Recording};
/// let mut recording = Recording::new(Layout::Mrtk1_1);
/// recording.markers = vec![Marker::new(1.0, "start"), Marker::new(101.0, "end")];
/// let eeg = vec![ClockMarker::new(31.0, "start"), ClockMarker::new(131.01, "end")];
/// let report = edit::align(&mut recording, &Align::new(eeg))?;
/// assert_eq!(recording.markers[1].time, 131.01);
/// assert!((report.drift.unwrap() - 100.0).abs() < 1e-6);
/// # Ok::<(), edit::EditError>(())
/// ```
///
/// # Errors
/// Returns an error if no marker has the same name in both lists, if at most half of the markers agree with one offset and drift, if
/// fewer than a tenth of the markers of the shorter list have a partner, if
/// several alignments explain them, as a regular sequence of equal markers with a missing one, or if the drift is too large. Also returns
/// an error if an option is out of range, or if keys at different times would get the same time, because the times of the other
/// clock are large; another zero helps then. The recording is unchanged then.
pub fn align(recording: &mut Recording<'_>, options: &Align) -> Result<AlignReport, EditError> {
    options.check()?;
    let bounds = Bounds {
        tolerance: options.tolerance,
        max_drift: options.max_drift * 1e-6,
        offset: options.offset.unwrap_or([f64::NEG_INFINITY, f64::INFINITY]),
        offset_only: options.offset_only,
    };
    let lists = lists(recording, options)?;
    let found = lists
        .align(&bounds)
        .map_err(|failure| error_of(&lists, failure, options))?;
    let line = found.line;
    let drift = line.has_slope.then_some((line.slope - 1.0) * 1e6);
    // Written so that NaN, from times that are huge, is refused.
    let is_small = drift.is_none_or(|drift| drift.abs() <= options.max_drift);
    if let Some(drift) = drift.filter(|_| !is_small) {
        return Err(EditError::DriftTooLarge {
            drift,
            limit: options.max_drift,
        });
    }
    let new_time = |time: f32| line.at(time.into(), options.zero);
    let largest_rounding = largest_rounding(recording, new_time);
    map_times(recording, |time| new_time(time) as f32, 1.0 / line.slope).map_err(|error| {
        match error {
            EditError::TimesCollapse { curve, time } => EditError::ZeroTooFar {
                curve,
                time,
                zero: line.at(0.0, 0.0).floor(),
            },
            error => error,
        }
    })?;
    Ok(report(
        &lists,
        &found,
        options,
        recording.markers.len(),
        largest_rounding,
    ))
}

/// Returns the markers of both lists whose names are in both lists.
fn lists(recording: &Recording<'_>, options: &Align) -> Result<Lists, EditError> {
    let choice = MarkerChoice::new(&options.names, &[] as &[String]);
    let entries = |times: &mut dyn Iterator<Item = (f64, &str)>, ids: &HashMap<&str, usize>| {
        let known = times.enumerate().filter(|(_, (time, _))| time.is_finite());
        let known = known.filter_map(|(index, (time, name))| {
            let name = *ids.get(name)?;
            Some(Entry { time, name, index })
        });
        known.collect::<Vec<_>>()
    };
    let own = || {
        let markers = recording.markers.iter();
        markers.map(|marker| (f64::from(marker.time), &*marker.name))
    };
    let others = || {
        let markers = options.markers.iter();
        markers.map(|marker| (marker.time, &*marker.name))
    };
    let is_usable = |(time, name): &(f64, &str)| time.is_finite() && choice.keeps(name);
    let in_recording: HashMap<&str, ()> = own()
        .filter(is_usable)
        .map(|(_, name)| (name, ()))
        .collect();
    let mut ids: HashMap<&str, usize> = HashMap::new();
    for (_, name) in others().filter(is_usable) {
        let next = ids.len();
        if in_recording.contains_key(name) {
            ids.entry(name).or_insert(next);
        }
    }
    if ids.is_empty() {
        return Err(EditError::NoCommonMarkers {
            recording: first_names(own().map(|(_, name)| name)),
            other: first_names(others().map(|(_, name)| name)),
        });
    }
    let (recording, other) = (entries(&mut own(), &ids), entries(&mut others(), &ids));
    Ok(Lists::new(recording, other, ids.len(), options.tolerance))
}

/// Returns the first different names for an error.
fn first_names<'n>(names: impl Iterator<Item = &'n str>) -> Vec<String> {
    const LISTED: usize = 5;
    const LETTERS: usize = 60;
    let mut found: Vec<String> = Vec::new();
    for name in names {
        let name: String = name.chars().take(LETTERS).collect();
        if !found.contains(&name) {
            found.push(name);
        }
        if found.len() == LISTED {
            break;
        }
    }
    found
}

fn error_of(lists: &Lists, failure: Failure, options: &Align) -> EditError {
    let candidate = |(line, matches): (matching::Line, usize)| AlignCandidate {
        offset: line.at(0.0, 0.0),
        matches,
    };
    match failure {
        Failure::Ambiguous(both) => EditError::AmbiguousAlignment {
            candidates: both.map(candidate),
        },
        Failure::Inconsistent { pairs, possible } => EditError::InconsistentMarkers {
            matches: pairs,
            markers: possible,
            tolerance: options.tolerance,
        },
        Failure::HardlyOverlap { pairs, fewer } => EditError::FewCommonMarkers {
            matches: pairs,
            markers: fewer,
        },
        Failure::TooMany => EditError::TooManyCommonMarkers {
            recording: lists.recording.len(),
            other: lists.other.len(),
        },
        Failure::Outside => {
            let [least, most] = options.offset.unwrap_or_default();
            EditError::NoOffset { least, most }
        }
    }
}

/// Returns the largest difference between a new time and the same time in single precision, in seconds.
fn largest_rounding(recording: &Recording<'_>, new_time: impl Fn(f32) -> f64) -> f64 {
    let mut largest = 0.0_f64;
    let mut add = |time: f32| {
        let exact = new_time(time);
        // `max` ignores the NaN of a time that is not finite.
        largest = largest.max((exact - f64::from(exact as f32)).abs());
    };
    for (_, curve) in recording.curves() {
        curve.points().for_each(|(time, _)| add(time));
    }
    recording.markers.iter().for_each(|marker| add(marker.time));
    largest
}

fn report(
    lists: &Lists,
    found: &Alignment,
    options: &Align,
    markers: usize,
    largest_rounding: f64,
) -> AlignReport {
    let Alignment { line, pairs } = found;
    let mut is_matched = [vec![false; markers], vec![false; options.markers.len()]];
    let mut matches = Vec::new();
    for &(a, b) in pairs {
        let (own, other) = (lists.recording[a], lists.other[b]);
        is_matched[0][own.index] = true;
        is_matched[1][other.index] = true;
        matches.push(MatchedMarker {
            name: options.markers[other.index].name.clone(),
            time: own.time,
            clock_time: other.time,
            residual: other.time - line.at(own.time, 0.0),
        });
    }
    let residuals = matches.iter().map(|marker| marker.residual.abs());
    let squares: f64 = residuals.clone().map(|residual| residual.powi(2)).sum();
    let [unmatched, clock_unmatched] = is_matched.map(|matched| {
        let indices = matched.iter().enumerate().filter(|(_, is)| !**is);
        indices.map(|(index, _)| index).collect()
    });
    AlignReport {
        zero: options.zero,
        offset: line.at(0.0, 0.0),
        drift: line.has_slope.then_some((line.slope - 1.0) * 1e6),
        drift_error: line.slope_error.map(|error| error * 1e6),
        largest_residual: residuals.fold(0.0, f64::max),
        rms_residual: (squares / matches.len().max(1) as f64).sqrt(),
        largest_rounding,
        matches,
        unmatched,
        clock_unmatched,
    }
}
