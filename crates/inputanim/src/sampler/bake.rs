//! From curves to tracks.
//!
//! Method: a curve joins one of the last few tracks of its part if its key times and wrap modes
//! are theirs to the bit, and else starts a track. Values are then gathered track by track, a few
//! dozen keys of all its curves at a time, so that what is read and written stays in the nearest
//! cache. Cost: the keys are read twice.

use std::borrow::Cow;

use crate::curve::{Curve, FloatCurve, Keys};
use crate::evaluate::{BooleanEvaluator, Keyframe, OrderedKeys, TimeNotANumber, Wrap};
use crate::joint::{Joint, Side};
use crate::key::{FullKey, SimpleKey};
use crate::marker::Marker;
use crate::parallel;
use crate::path::CurvePath;
use crate::recording::Recording;

use super::row::{CHANNELS, POSE, Section, place};
use super::track::{CurvedLane, Run, Track};
use super::{Baked, StateCurves, Take, UnplayableCurve};

pub(super) fn bake(recording: &Recording<'_>) -> Result<Take, UnplayableCurve> {
    let mut jobs = Section::ALL.map(|_| Job::default());
    let mut has_keys = [false; CHANNELS];
    let mut keys = 0;
    for (path, curve) in recording.curves() {
        let (Curve::Float(curve), Some((part, place))) = (curve, place(path)) else {
            continue;
        };
        if !curve.keys.is_empty() {
            has_keys[place] = true;
            keys += curve.keys.len();
            jobs[part as usize].curves.push((path, place as u16, curve));
        }
    }
    parallel::for_each(jobs.iter_mut().collect(), keys, Job::draft);
    let mut parts: [Baked; Section::ALL.len()] = Default::default();
    for ((part, baked), job) in Section::ALL.into_iter().zip(&mut parts).zip(jobs) {
        baked.tracks = job.drafts?.into_iter().map(Draft::finish).collect();
        baked.find_recorded(part, &has_keys);
    }
    Ok(Take {
        parts,
        states: [
            states(recording, Side::Left)?,
            states(recording, Side::Right)?,
        ],
        markers: markers(recording),
    })
}

impl Baked {
    /// A pose or ray is recorded if any of its curves has a key.
    fn find_recorded(&mut self, part: Section, has_keys: &[bool; CHANNELS]) {
        let places = part.range();
        let size = places.len().min(POSE);
        for start in places.step_by(size) {
            let group = start..start + size;
            if !has_keys[group.clone()].contains(&true) {
                continue;
            }
            if part.hand().is_some() {
                let joint = (start - part.start()) / POSE;
                self.recorded[Joint::ALL[joint]] = true;
            }
            if part != Section::Gaze {
                self.poses.push(start as u16);
            }
            let empty = group.filter(|&place| !has_keys[place]);
            self.holes.extend(empty.map(|place| place as u16));
        }
    }
}

fn states(recording: &Recording<'_>, side: Side) -> Result<StateCurves, UnplayableCurve> {
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
    Ok(StateCurves {
        tracked: evaluator(CurvePath::Tracked(side))?,
        pinching: evaluator(CurvePath::Pinching(side))?,
    })
}

/// In order of time. A marker without a time is never passed: it comes last.
fn markers(recording: &Recording<'_>) -> Vec<Marker<'static>> {
    let markers = recording.markers.iter().cloned();
    let mut markers: Vec<_> = markers.map(Marker::into_owned).collect();
    markers.sort_by(|a, b| {
        let order = a.time.partial_cmp(&b.time);
        order.unwrap_or_else(|| a.time.is_nan().cmp(&b.time.is_nan()))
    });
    markers
}

/// The curves of one part with their places, and the tracks that they are to become.
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
            .try_for_each(|&(path, place, curve)| {
                add(&mut drafts, place, curve).map_err(|source| UnplayableCurve {
                    curve: path,
                    source,
                })
            })
            .map(|()| drafts);
    }
}

/// A track that is still being put together.
struct Draft<'r> {
    wrap: Wrap,
    times: Vec<f32>,
    straight: Vec<(u16, Straight<'r>)>,
    curved: Vec<CurvedLane>,
}

/// The keys of a curve of straight lines, in order of time.
enum Straight<'r> {
    Full(Cow<'r, [FullKey]>),
    Simple(Cow<'r, [SimpleKey]>),
}

/// How many of the last tracks a curve may join. The curves of a vector follow each other, and
/// where positions and rotations have times of their own they take turns.
const CANDIDATES: usize = 3;

fn add<'r>(
    drafts: &mut Vec<Draft<'r>>,
    place: u16,
    curve: &'r FloatCurve<'r>,
) -> Result<(), TimeNotANumber> {
    let wrap = Wrap::of_float(curve);
    match &curve.keys {
        Keys::Simple(keys) => {
            let (draft, keys) = draft_for(drafts, keys, wrap)?;
            draft.straight.push((place, Straight::Simple(keys)));
        }
        Keys::Full(keys) => {
            let (draft, keys) = draft_for(drafts, keys, wrap)?;
            // A curve of one key has that value everywhere.
            if keys.len() == 1 || keys.iter().all(FullKey::is_linear) {
                draft.straight.push((place, Straight::Full(keys)));
            } else {
                let keys = keys.into_owned().into_boxed_slice();
                draft.curved.push(CurvedLane { place, keys });
            }
        }
    }
    Ok(())
}

/// The track of a curve, and its keys in order of time.
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
        straight: Vec::new(),
        curved: Vec::new(),
    });
    let last = drafts.len() - 1;
    Ok((&mut drafts[last], keys))
}

/// Whether the keys have these times to the bit.
fn has_times<K: Keyframe>(keys: &[K], times: &[f32]) -> bool {
    // Differences are gathered over a piece at a time: faster than to ask at every key.
    const PIECE: usize = 32;
    let differ = |(keys, times): (&[K], &[f32])| {
        let pairs = keys.iter().zip(times);
        let bits = pairs.map(|(key, time)| key.time().to_bits() ^ time.to_bits());
        bits.fold(0, |all, bits| all | bits) != 0
    };
    keys.len() == times.len() && !keys.chunks(PIECE).zip(times.chunks(PIECE)).any(differ)
}

impl Draft<'_> {
    fn finish(self) -> Track {
        Track {
            wrap: self.wrap,
            runs: runs(&self.straight),
            values: gather(&self.straight, self.times.len()),
            times: self.times.into_boxed_slice(),
            curved: self.curved.into_boxed_slice(),
        }
    }
}

/// Curves come in the order of their places.
fn runs(straight: &[(u16, Straight<'_>)]) -> Box<[Run]> {
    let mut runs: Vec<Run> = Vec::new();
    for &(place, _) in straight {
        match runs.last_mut() {
            Some(run) if run.start + run.length == place => run.length += 1,
            _ => runs.push(Run {
                start: place,
                length: 1,
            }),
        }
    }
    runs.into_boxed_slice()
}

/// Keys of all curves that are copied at a time.
const BLOCK: usize = 64;

fn gather(straight: &[(u16, Straight<'_>)], keys: usize) -> Box<[f32]> {
    let width = straight.len();
    let mut values = vec![0.0; keys * width];
    if width > 0 {
        let blocks: Vec<_> = values.chunks_mut(BLOCK * width).enumerate().collect();
        parallel::for_each(blocks, keys * width, |(index, block)| {
            for (lane, (_, curve)) in straight.iter().enumerate() {
                let values = block[lane..].iter_mut().step_by(width);
                match curve {
                    Straight::Full(keys) => copy(&keys[index * BLOCK..], values),
                    Straight::Simple(keys) => copy(&keys[index * BLOCK..], values),
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
