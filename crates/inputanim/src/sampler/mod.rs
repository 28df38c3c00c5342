//! A recording made ready for playing: time in, [`Frame`] out.
//!
//! Method: the curves of a stream that share their key times and wrap modes lie together in one
//! track, whose values are stored key by key, so that a sample takes one search and reads two
//! neighbouring rows. Curves of straight lines, which is all that the toolkit writes, are
//! interpolated side by side; curves with tangents are evaluated one by one between the same two
//! keys. A [`Cursor`] remembers where each track was left, so that playing on needs no search.
//!
//! Guarantee: the numbers are bit for bit those of [`FloatCurve::evaluator`], and states those of
//! [`BooleanCurve::evaluator`]; only rotations are then normalised (docs/evaluation.md,
//! section 5). Cost: the sampler holds four bytes for each value and four for each time of each
//! track, and 28 for each key with tangents.
//!
//! ```
//! use inputanim::{Frame, Joint, Layout, Pose, Recorder, Sampler};
//! # let mut recorder = Recorder::new(Layout::Mrtk1_1);
//! # for step in 0..=2 {
//! #     let mut frame = Frame { time: step as f32, ..Frame::default() };
//! #     frame.left.tracked = true;
//! #     frame.left.joints[Joint::Palm] = Some(Pose::at([step as f32, 0.0, 0.0]));
//! #     recorder.push(&frame)?;
//! # }
//! # let recording = recorder.finish();
//! let sampler = Sampler::new(&recording)?;
//! let frame = sampler.frame_at(0.25);
//! let palm = frame.left.joints[Joint::Palm].expect("this take has a palm");
//! assert_eq!(palm.position, [0.25, 0.0, 0.0]);
//! assert_eq!(frame.left.joints[Joint::Wrist], None);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! [`FloatCurve::evaluator`]: crate::FloatCurve::evaluator
//! [`BooleanCurve::evaluator`]: crate::BooleanCurve::evaluator

mod bake;
mod columns;
mod row;
mod track;

use std::fmt;
use std::sync::Arc;

use crate::evaluate::{BooleanEvaluator, TimeNotANumber};
use crate::frame::Frame;
use crate::joint::{Joints, Side};
use crate::key::BooleanKey;
use crate::marker::Marker;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::span::Span;

pub use columns::{Columns, HandColumns, PoseColumns, RayColumns};
pub(crate) use row::normalised;
use row::{Row, Section};
use track::Track;

/// A curve that cannot be played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{curve} cannot be played")]
#[non_exhaustive]
pub struct UnplayableCurve {
    /// Which curve.
    pub curve: CurvePath,
    /// Why.
    pub source: TimeNotANumber,
}

/// A recording made ready for playing; see the [module](self).
///
/// A clone shares the numbers, so that one recording can be played in several ways at once.
#[derive(Clone)]
pub struct Sampler {
    take: Arc<Take>,
    has_raw_rotations: bool,
    has_clamped_ends: bool,
    has_untracked_joints: bool,
}

/// All of a recording that can be played.
struct Take {
    /// By part: what the tracks of a part write, no other part's do.
    parts: [Baked; Section::ALL.len()],
    states: [StateCurves; 2],
    markers: Vec<Marker<'static>>,
}

/// The tracks of one part of a frame.
#[derive(Default)]
struct Baked {
    tracks: Vec<Track>,
    /// Where in a row its poses begin that have a key.
    poses: Vec<u16>,
    /// Places of curves without keys in poses or rays that have some: they are 0.
    holes: Vec<u16>,
    /// Which joints of a hand have a key.
    recorded: Joints<bool>,
}

/// The state curves of one hand.
struct StateCurves {
    tracked: BooleanEvaluator<'static>,
    pinching: BooleanEvaluator<'static>,
}

/// The states of one hand at one instant.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct States {
    pub(crate) tracked: bool,
    pub(crate) pinching: bool,
}

/// Where a reader of a [`Sampler`] is: reading on from there is fast in both directions.
///
/// It is only a memory of where to look first. It may be used at any time, and with another
/// sampler.
#[derive(Clone, Debug, Default)]
pub struct Cursor {
    segments: Vec<u32>,
    row: Row,
}

impl Sampler {
    /// Makes a recording ready. Reads every key; nothing of the recording is kept.
    ///
    /// # Errors
    /// When the time of a key is not a number.
    pub fn new(recording: &Recording<'_>) -> Result<Sampler, UnplayableCurve> {
        Ok(Sampler {
            take: Arc::new(bake::bake(recording)?),
            has_raw_rotations: false,
            has_clamped_ends: false,
            has_untracked_joints: false,
        })
    }

    /// Rotations as the toolkit evaluates them: interpolated number by number, not normalised.
    #[must_use]
    pub fn with_raw_rotations(mut self) -> Sampler {
        self.has_raw_rotations = true;
        self
    }

    /// Outside its keys every curve holds its end, whatever its wrap modes say.
    #[must_use]
    pub fn with_clamped_ends(mut self) -> Sampler {
        self.has_clamped_ends = true;
        self
    }

    /// Joints also while their hand is not tracked. No joint is recorded then; what comes out
    /// is the straight line from where the hand was lost to where it was found again.
    #[must_use]
    pub fn with_untracked_joints(mut self) -> Sampler {
        self.has_untracked_joints = true;
        self
    }

    /// The frame at `time` seconds. Rotations are normalised; a joint is `None` where it is not
    /// recorded and while its hand is not tracked. Outside the keys the curves' wrap modes hold.
    ///
    /// For many frames, [`read`](Self::read) or [`frames`](Self::frames) is faster.
    pub fn frame_at(&self, time: f32) -> Frame {
        let mut frame = Frame::default();
        self.read(time, &mut Cursor::default(), &mut frame);
        frame
    }

    /// Writes the frame at `time` seconds over `frame`, all of it.
    pub fn read(&self, time: f32, cursor: &mut Cursor, frame: &mut Frame) {
        let Cursor { segments, row } = cursor;
        let states = self.states_at(time);
        self.fill_row(time, &states, segments, row);
        frame.time = time;
        frame.camera = self
            .is_recorded(Section::Camera)
            .then(|| row.pose(Section::Camera.start()));
        frame.gaze = self
            .is_recorded(Section::Gaze)
            .then(|| row.ray(Section::Gaze.start()));
        for side in Side::BOTH {
            let part = Section::of_hand(side);
            let states = states[side as usize];
            let recorded = &self.take.parts[part as usize].recorded;
            let hand = frame.hand_mut(side);
            hand.tracked = states.tracked;
            hand.pinching = states.pinching;
            let is_shown = self.shows(states);
            for (joint, pose) in hand.joints.iter_mut() {
                *pose = (is_shown && recorded[joint]).then(|| row.pose(part.joint(joint)));
            }
        }
    }

    /// The frames at the given times.
    ///
    /// ```
    /// # use inputanim::{Layout, Recording, Sampler, Span};
    /// # let recording = Recording::new(Layout::Mrtk1_1);
    /// let sampler = Sampler::new(&recording)?;
    /// let take = Span { start: 0.0, end: sampler.duration() };
    /// for frame in sampler.frames(take.times_at(60.0)) {
    ///     println!("{}: {:?}", frame.time, frame.camera);
    /// }
    /// # Ok::<(), inputanim::sampler::UnplayableCurve>(())
    /// ```
    pub fn frames(&self, times: impl IntoIterator<Item = f32>) -> impl Iterator<Item = Frame> {
        let mut cursor = Cursor::default();
        times.into_iter().map(move |time| {
            let mut frame = Frame::default();
            self.read(time, &mut cursor, &mut frame);
            frame
        })
    }

    /// The frames at the given times as columns; several processors work on a part of them
    /// each.
    pub fn columns(&self, times: impl IntoIterator<Item = f32>) -> Columns {
        columns::columns(self, times.into_iter().collect())
    }

    /// The greatest key time over all curves in seconds, which is how long the toolkit plays
    /// (docs/format.md, section 5.1); 0 without keys.
    pub fn duration(&self) -> f32 {
        self.range().map_or(0.0, |range| range.end.max(0.0))
    }

    /// From the first to the last key time over all curves; `None` without keys.
    pub fn range(&self) -> Option<Span> {
        let float = self.tracks().map(Track::range);
        let states = self
            .take
            .states
            .iter()
            .flat_map(|states| states.evaluators());
        let boolean = states.filter_map(BooleanEvaluator::range);
        float.chain(boolean).reduce(|a, b| Span {
            start: a.start.min(b.start),
            end: a.end.max(b.end),
        })
    }

    /// Every time at which any curve has a key, in order, each once.
    pub fn key_times(&self) -> Vec<f32> {
        let mut times: Vec<f32> = self.tracks().flat_map(Track::times).copied().collect();
        for states in &self.take.states {
            let keys = states
                .evaluators()
                .into_iter()
                .flat_map(BooleanEvaluator::keys);
            times.extend(keys.map(BooleanKey::time));
        }
        times.sort_unstable_by(f32::total_cmp);
        times.dedup();
        times
    }

    /// Times at which something may jump instead of moving on: where a state changes, where a
    /// curve has several keys, and at the keys of curves with tangents, which may hold a value.
    pub(crate) fn jump_times(&self) -> Vec<f32> {
        let mut times: Vec<f32> = self.tracks().flat_map(Track::jumps).collect();
        for curve in self.state_curves() {
            times.extend(curve.keys().iter().map(BooleanKey::time));
        }
        times
    }

    /// Whether the head has a key.
    pub fn has_camera(&self) -> bool {
        self.is_recorded(Section::Camera)
    }

    /// Whether the gaze has a key.
    pub fn has_gaze(&self) -> bool {
        self.is_recorded(Section::Gaze)
    }

    /// Which joints of a hand have a key: the others are `None` in every frame.
    pub fn recorded_joints(&self, side: Side) -> &Joints<bool> {
        &self.take.parts[Section::of_hand(side) as usize].recorded
    }

    /// The markers in order of time.
    pub fn markers(&self) -> &[Marker<'static>] {
        &self.take.markers
    }

    /// Left tracked, left pinching, right tracked, right pinching.
    pub(crate) fn state_curves(&self) -> [&BooleanEvaluator<'static>; 4] {
        let [left, right] = &self.take.states;
        [
            &left.tracked,
            &left.pinching,
            &right.tracked,
            &right.pinching,
        ]
    }

    /// Whether curves hold their ends, whatever their wrap modes say.
    pub(crate) fn clamps_ends(&self) -> bool {
        self.has_clamped_ends
    }

    /// The states of both hands.
    pub(crate) fn states_at(&self, time: f32) -> [States; 2] {
        let is_on = |curve: &BooleanEvaluator<'_>| match self.has_clamped_ends {
            true => curve.at_clamped(time),
            false => curve.at(time),
        };
        self.take.states.each_ref().map(|curves| States {
            tracked: is_on(&curves.tracked),
            pinching: is_on(&curves.pinching),
        })
    }

    /// Whether the joints of a hand in these states are shown.
    fn shows(&self, states: States) -> bool {
        states.tracked || self.has_untracked_joints
    }

    fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.take.parts.iter().flat_map(|part| &part.tracks)
    }

    fn is_recorded(&self, part: Section) -> bool {
        !self.take.parts[part as usize].tracks.is_empty()
    }

    /// Evaluates every track whose values will be seen.
    fn fill_row(&self, time: f32, states: &[States; 2], segments: &mut Vec<u32>, row: &mut Row) {
        segments.resize(self.tracks().count(), 0);
        let mut segments = &mut segments[..];
        for (part, baked) in Section::ALL.into_iter().zip(&self.take.parts) {
            let (of_part, rest) = segments.split_at_mut(baked.tracks.len());
            segments = rest;
            if part
                .hand()
                .is_some_and(|side| !self.shows(states[side as usize]))
            {
                continue;
            }
            row.clear(&baked.holes);
            for (track, segment) in baked.tracks.iter().zip(of_part) {
                track.write(time, self.has_clamped_ends, segment, row);
            }
            if !self.has_raw_rotations {
                row.normalise(&baked.poses);
            }
        }
    }
}

impl StateCurves {
    fn evaluators(&self) -> [&BooleanEvaluator<'static>; 2] {
        [&self.tracked, &self.pinching]
    }
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampler")
            .field("range", &self.range())
            .field("tracks", &self.tracks().count())
            .field("markers", &self.take.markers.len())
            .finish_non_exhaustive()
    }
}
