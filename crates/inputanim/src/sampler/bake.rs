//! Conversion of curves to tracks.
//!
//! Method: a curve joins one of the last few tracks of its section if it has the same wrap modes and,
//! to the bit, the same key times; otherwise it starts a track. These drafts still borrow their keys, and columns are
//! evaluated from them. For frames, values are then copied track by track, a few dozen keys of all its curves at a time,
//! so that source and target stay in the first-level cache.
//!
//! Cost: a draft reads each key once, and a track twice.

use std::borrow::Cow;

use crate::curve::{Curve, FloatCurve, Keys};
use crate::element::Element;
use crate::evaluate::{BooleanEvaluator, Keyframe, OrderedKeys, TimeNotANumber, Wrap};
use crate::joint::{Joint, Side};
use crate::key::{FullKey, SimpleKey};
use crate::marker::Marker;
use crate::order;
use crate::parallel;
use crate::path::{CurvePath, PoseChannel, RayChannel};
use crate::recording::Recording;

use super::devices::devices;
use super::row::{CHANNELS, POSE, Section, slot_of};
use super::track::{CurvedLane, Run, Timeline, Track};
use super::unknown::UnknownTimes;
use super::{BakedRecording, BakedSection, HandStates, UnplayableCurve};

/// Converts the curves that `keep` selects to the form that sampling needs. The states of hands are always kept,
/// because joints are valid only while their hand is tracked, and they have few keys. Fails if the time of a key is
/// NaN.
pub(super) fn bake(
    recording: &Recording<'_>,
    keep: impl Fn(CurvePath) -> bool,
) -> Result<BakedRecording, UnplayableCurve> {
    let (mut baked, drafts) = draft(recording, keep)?;
    for (section, drafts) in baked.sections.iter_mut().zip(drafts) {
        section.tracks = drafts.into_iter().map(Draft::finish).collect();
    }
    Ok(baked)
}

/// The drafts of the tracks of each section.
pub(super) type Drafts<'r> = [Vec<Draft<'r>>; Section::ALL.len()];

/// Does what [`bake`] does, but leaves the tracks as drafts, which borrow their keys.
pub(super) fn draft<'r>(
    recording: &'r Recording<'_>,
    keep: impl Fn(CurvePath) -> bool,
) -> Result<(BakedRecording, Drafts<'r>), UnplayableCurve> {
    let mut jobs = Section::ALL.map(|_| Job::default());
    let mut has_keys = [false; CHANNELS];
    let mut keys = 0;
    for (path, curve) in recording.curves() {
        let (Curve::Float(curve), Some((section, slot))) = (curve, slot_of(path)) else {
            continue;
        };
        if !curve.keys.is_empty() && keep(path) {
            has_keys[slot] = true;
            keys += curve.keys.len();
            jobs[section as usize]
                .curves
                .push((path, slot as u16, curve));
        }
    }
    // Sections share no tracks, so that they can be prepared in parallel.
    parallel::for_each(jobs.iter_mut().collect(), keys, Job::draft);
    let mut sections: [BakedSection; Section::ALL.len()] = Default::default();
    let mut drafts = Drafts::default();
    for (section, job) in Section::ALL.into_iter().zip(jobs) {
        drafts[section as usize] = job.drafts?;
        sections[section as usize].find_recorded(section, &has_keys);
    }
    let baked = BakedRecording {
        sections,
        states: [
            states(recording, Side::Left)?,
            states(recording, Side::Right)?,
        ],
        markers: markers(recording),
        unknown: UnknownTimes::new(&recording.known, |element| is_kept(element, &keep)),
        devices: devices(recording, &keep)?,
        range: recording.time_range(),
    };
    Ok((baked, drafts))
}

impl BakedSection {
    /// Stores the poses and rays of a section (the head, a hand or the gaze) in which any curve has a key, and their
    /// curves without keys. `has_keys` has a value for each float curve, in file order.
    fn find_recorded(&mut self, section: Section, has_keys: &[bool; CHANNELS]) {
        let slots = section.range();
        self.is_recorded = has_keys[slots.clone()].contains(&true);
        // The section of the gaze is a single ray, which has fewer values than a pose.
        let size = slots.len().min(POSE);
        for start in slots.step_by(size) {
            let group = start..start + size;
            if !has_keys[group.clone()].contains(&true) {
                continue;
            }
            if section.hand().is_some() {
                let joint = (start - section.start()) / POSE;
                self.recorded[Joint::ALL[joint]] = true;
            }
            if section != Section::Gaze {
                self.poses.push(start as u16);
            }
            let empty = group.filter(|&slot| !has_keys[slot]);
            self.empty.extend(empty.map(|slot| slot as u16));
        }
    }
}

/// Returns `true` if `keep` selects a curve of an element.
fn is_kept(element: Element, keep: impl Fn(CurvePath) -> bool) -> bool {
    let pose =
        |path: fn(PoseChannel) -> CurvePath| PoseChannel::ALL.map(path).into_iter().any(&keep);
    match element {
        Element::Head => pose(CurvePath::Head),
        Element::Joint(side, joint) => {
            let channels = PoseChannel::ALL.into_iter();
            channels
                .map(|channel| CurvePath::Joint(side, joint, channel))
                .any(&keep)
        }
        Element::Gaze => RayChannel::ALL.map(CurvePath::Gaze).into_iter().any(&keep),
        // The states of hands are always kept.
        Element::Tracked(_) | Element::Pinching(_) => true,
        // Devices keep their gaps themselves.
        Element::Profile(_) | Element::DevicePose(..) | Element::Input(..) => false,
    }
}

fn states(recording: &Recording<'_>, side: Side) -> Result<HandStates, UnplayableCurve> {
    let evaluator = |path: CurvePath| match recording.curve(path) {
        Some(Curve::Boolean(curve)) => match curve.evaluator() {
            Ok(evaluator) => Ok(evaluator.into_owned()),
            Err(source) => Err(UnplayableCurve {
                curve: path,
                source,
            }),
        },
        _ => Ok(BooleanEvaluator::empty()),
    };
    Ok(HandStates {
        tracked: evaluator(CurvePath::Tracked(side))?,
        pinching: evaluator(CurvePath::Pinching(side))?,
    })
}

/// Returns the markers of a recording, sorted by time. A marker at NaN, which playback never reaches, comes last.
fn markers(recording: &Recording<'_>) -> Vec<Marker<'static>> {
    let markers = recording.markers.iter().cloned();
    let mut markers: Vec<_> = markers.map(Marker::into_owned).collect();
    order::sort_for_playback(&mut markers, |marker| marker.time);
    markers
}

/// The curves of one section with their slots, and the tracks that they become.
struct Job<'r> {
    curves: Vec<(CurvePath, u16, &'r FloatCurve<'r>)>,
    drafts: Result<Vec<Draft<'r>>, UnplayableCurve>,
}

impl Default for Job<'_> {
    fn default() -> Self {
        Job {
            curves: Vec::new(),
            drafts: Ok(Vec::new()),
        }
    }
}

impl Job<'_> {
    fn draft(&mut self) {
        let mut drafts = Vec::new();
        self.drafts = self
            .curves
            .iter()
            .try_for_each(|&(path, slot, curve)| {
                add(&mut drafts, slot, curve).map_err(|source| UnplayableCurve {
                    curve: path,
                    source,
                })
            })
            .map(|()| drafts);
    }
}

/// A track under construction.
pub(super) struct Draft<'r> {
    wrap: Wrap,
    times: Vec<f32>,
    linear: Vec<(u16, LinearKeys<'r>)>,
    curved: Vec<(u16, Cow<'r, [FullKey]>)>,
}

/// The keys of a linear curve, sorted by time.
pub(super) enum LinearKeys<'r> {
    Full(Cow<'r, [FullKey]>),
    Simple(Cow<'r, [SimpleKey]>),
}

/// Number of last tracks that a curve may join. The curves of a vector follow each other; when
/// positions and rotations have different times, their tracks alternate.
const CANDIDATES: usize = 3;

fn add<'r>(
    drafts: &mut Vec<Draft<'r>>,
    slot: u16,
    curve: &'r FloatCurve<'r>,
) -> Result<(), TimeNotANumber> {
    let wrap = Wrap::of_float(curve);
    match &curve.keys {
        Keys::Simple(keys) => {
            let (draft, keys) = draft_for(drafts, keys, wrap)?;
            draft.linear.push((slot, LinearKeys::Simple(keys)));
        }
        Keys::Full(keys) => {
            let (draft, keys) = draft_for(drafts, keys, wrap)?;
            // A curve of one key has that value everywhere.
            if keys.len() == 1 || keys.iter().all(FullKey::is_linear) {
                draft.linear.push((slot, LinearKeys::Full(keys)));
            } else {
                draft.curved.push((slot, keys));
            }
        }
    }
    Ok(())
}

/// Returns the track, a group of curves with equal key times and wrap modes, that a curve with these keys joins: one of
/// the last in `drafts`, or else a new one. Also returns the keys sorted by time. Fails if the time of a key is NaN.
fn draft_for<'d, 'r, K: Keyframe>(
    drafts: &'d mut Vec<Draft<'r>>,
    keys: &'r [K],
    wrap: Wrap,
) -> Result<(&'d mut Draft<'r>, Cow<'r, [K]>), TimeNotANumber> {
    let oldest = drafts.len().saturating_sub(CANDIDATES);
    let same = |draft: &Draft<'_>| draft.wrap == wrap && has_times(keys, &draft.times);
    if let Some(index) = (oldest..drafts.len())
        .rev()
        .find(|&index| same(&drafts[index]))
    {
        // The times of a track are in order, so the keys are.
        return Ok((&mut drafts[index], Cow::Borrowed(keys)));
    }
    let keys = OrderedKeys::new(keys, wrap)?.keys;
    drafts.push(Draft {
        wrap,
        times: keys.iter().map(Keyframe::time).collect(),
        linear: Vec::new(),
        curved: Vec::new(),
    });
    let last = drafts.len() - 1;
    Ok((&mut drafts[last], keys))
}

/// Returns `true` if the times of the keys have the same bits as `times`.
fn has_times<K: Keyframe>(keys: &[K], times: &[f32]) -> bool {
    // One branch for each chunk, not for each key, so that the comparison is vectorised.
    const CHUNK: usize = 32;
    let differ = |(keys, times): (&[K], &[f32])| {
        let pairs = keys.iter().zip(times);
        let bits = pairs.map(|(key, time)| key.time().to_bits() ^ time.to_bits());
        bits.fold(0, |all, bits| all | bits) != 0
    };
    keys.len() == times.len() && !keys.chunks(CHUNK).zip(times.chunks(CHUNK)).any(differ)
}

impl Draft<'_> {
    /// Returns the key times and the wrap modes.
    pub(super) fn timeline(&self) -> Timeline<'_> {
        Timeline {
            wrap: self.wrap,
            times: &self.times,
        }
    }

    /// Returns the linear curves, each with its slot in a row.
    pub(super) fn linear(&self) -> impl Iterator<Item = (usize, &LinearKeys<'_>)> {
        let linear = self.linear.iter();
        linear.map(|(slot, keys)| (usize::from(*slot), keys))
    }

    /// Returns the keys of the curves with tangents, each with its slot in a row.
    pub(super) fn curved(&self) -> impl Iterator<Item = (usize, &[FullKey])> {
        let curved = self.curved.iter();
        curved.map(|(slot, keys)| (usize::from(*slot), &keys[..]))
    }

    fn finish(self) -> Track {
        let curved = self.curved.into_iter().map(|(slot, keys)| CurvedLane {
            slot,
            keys: keys.into_owned().into_boxed_slice(),
        });
        Track {
            wrap: self.wrap,
            runs: runs(&self.linear),
            values: gather(&self.linear, self.times.len()),
            times: self.times.into_boxed_slice(),
            curved: curved.collect(),
        }
    }
}

/// Groups the slots of linear curves, which are the indices of their values in a row, into runs of adjacent slots. The
/// slots must be in ascending order.
fn runs(linear: &[(u16, LinearKeys<'_>)]) -> Box<[Run]> {
    let mut runs: Vec<Run> = Vec::new();
    for &(slot, _) in linear {
        match runs.last_mut() {
            Some(run) if run.start + run.length == slot => run.length += 1,
            _ => runs.push(Run {
                start: slot,
                length: 1,
            }),
        }
    }
    runs.into_boxed_slice()
}

/// Number of keys of each curve that are copied at a time.
const BLOCK: usize = 64;

fn gather(linear: &[(u16, LinearKeys<'_>)], keys: usize) -> Box<[f32]> {
    let width = linear.len();
    let mut values = vec![0.0; keys * width];
    if width > 0 {
        let blocks: Vec<_> = values.chunks_mut(BLOCK * width).enumerate().collect();
        parallel::for_each(blocks, keys * width, |(index, block)| {
            for (lane, (_, curve)) in linear.iter().enumerate() {
                let values = block[lane..].iter_mut().step_by(width);
                match curve {
                    LinearKeys::Full(keys) => copy(&keys[index * BLOCK..], values),
                    LinearKeys::Simple(keys) => copy(&keys[index * BLOCK..], values),
                }
            }
        });
    }
    values.into_boxed_slice()
}

fn copy<'v, K: Keyframe>(keys: &[K], values: impl Iterator<Item = &'v mut f32>) {
    for (value, key) in values.zip(keys) {
        *value = key.value();
    }
}
