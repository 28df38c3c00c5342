//! Evaluation of all curves of a recording at any time.
//!
//! Method: the curves of a section (the head, a hand, the gaze) that share their key times and wrap
//! modes form one track. A track stores its values key by key, so that a sample takes one search and
//! reads two adjacent rows. Linear curves, the only ones that MRTK writes, are interpolated together
//! by vector instructions; curves with tangents are evaluated one by one. A [`SamplerCursor`] keeps
//! the last segment of each track, so that sampling in order needs no search.
//!
//! The sampler owns its values, because the keys of a file have 391 separate locations, which every
//! frame would have to read.

mod bake;
mod columns;
mod devices;
mod row;
mod track;
mod unknown;

use std::fmt;
use std::sync::Arc;

use crate::device::DeviceName;
use crate::element::Element;
use crate::evaluate::{BooleanEvaluator, TimeNotANumber};
use crate::frame::{DeviceFrame, Frame};
use crate::joint::{Joints, Side};
use crate::key::BooleanKey;
use crate::marker::Marker;
use crate::order;
use crate::path::CurvePath;
use crate::recording::Recording;
use crate::time_range::TimeRange;

pub use columns::{DeviceColumns, FrameColumns, HandColumns, InputColumn, PoseColumns, RayColumns};
pub(crate) use devices::BakedDevice;
use row::{Row, Section};
pub(crate) use row::{normalised, normalised_direction};
use track::Track;
pub(crate) use unknown::Unknown;
use unknown::UnknownTimes;

/// A curve that cannot be evaluated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot evaluate {curve}")]
#[non_exhaustive]
pub struct UnplayableCurve {
    /// The curve.
    pub curve: CurvePath,
    /// The reason.
    pub source: TimeNotANumber,
}

impl UnplayableCurve {
    /// Creates the error of a curve that cannot be evaluated, for programs that evaluate curves one by one.
    pub const fn new(curve: CurvePath, source: TimeNotANumber) -> UnplayableCurve {
        UnplayableCurve { curve, source }
    }
}

/// A recording prepared for evaluation: returns a [`Frame`] at any time.
///
/// Guarantee: values equal the results of [`FloatCurve::evaluator`] to the last bit, and states equal the results of
/// [`BooleanCurve::evaluator`]. Rotations are then normalised (docs/evaluation.md, section 5).
///
/// Cost: four bytes of memory for each value and for each time of a track, where curves with the same
/// key times share a track; 28 bytes for each key with tangents. A clone shares this memory.
///
/// ```
/// use inputanim::{Frame, Joint, Layout, Pose, Recorder, Sampler};
/// # let mut recorder = Recorder::new(Layout::Mrtk1_1);
/// # for step in 0..=2 {
/// #     let mut frame = Frame { time: step as f32, ..Frame::default() };
/// #     frame.left.tracked = true;
/// #     frame.left.joints[Joint::Palm] = Some(Pose::at([step as f32, 0.0, 0.0]));
/// #     recorder.push(&frame)?;
/// # }
/// # let recording = recorder.finish();
/// let sampler = Sampler::new(&recording)?;
/// let frame = sampler.frame_at(0.25);
/// let palm = frame.left.joints[Joint::Palm].expect("the recording has a palm");
/// assert_eq!(palm.position, [0.25, 0.0, 0.0]);
/// assert_eq!(frame.left.joints[Joint::Wrist], None);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// [`FloatCurve::evaluator`]: crate::FloatCurve::evaluator
/// [`BooleanCurve::evaluator`]: crate::BooleanCurve::evaluator
#[derive(Clone)]
pub struct Sampler {
    baked: Arc<BakedRecording>,
    has_raw_rotations: bool,
    has_clamped_ends: bool,
    has_untracked_joints: bool,
}

/// The content of a recording in the form that sampling needs.
struct BakedRecording {
    /// The sections of a frame. No two sections write the same values.
    sections: [BakedSection; Section::ALL.len()],
    states: [HandStates; 2],
    markers: Vec<Marker<'static>>,
    /// The times at which values are unknown.
    unknown: UnknownTimes,
    /// The controllers, trackers and other devices.
    devices: Box<[BakedDevice]>,
    /// The time range of the recording, also of the curves that are not in `sections`; `None` without keys.
    range: Option<TimeRange>,
}

/// The tracks of one section of a frame.
#[derive(Default)]
struct BakedSection {
    /// `true` if a curve has a key.
    is_recorded: bool,
    tracks: Vec<Track>,
    /// Slots of the poses that have a key: the index of their first value in a row.
    poses: Vec<u16>,
    /// Slots of curves without keys, in poses or rays with keys in other curves. They evaluate to 0.
    empty: Vec<u16>,
    /// The joints of a hand that have a key.
    recorded: Joints<bool>,
}

/// The state curves of one hand.
struct HandStates {
    tracked: BooleanEvaluator<'static>,
    pinching: BooleanEvaluator<'static>,
}

/// The states of one hand at one time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct States {
    pub(crate) tracked: bool,
    pub(crate) pinching: bool,
    /// `true` if nothing is known about the hand. The other states are then `false`.
    pub(crate) unknown: bool,
}

/// The position of a reader of a [`Sampler`]. Sampling near the last time, in either direction, is
/// faster with it.
///
/// A cursor only changes where a search begins. It gives the same results with any sampler and at any
/// time.
#[derive(Clone, Debug, Default)]
pub struct SamplerCursor {
    segments: Vec<u32>,
    states: StateCursor,
    row: Row,
}

/// The indices of the keys after the last time, for the states of both hands.
pub(crate) type StateCursor = [[usize; 2]; 2];

impl Sampler {
    /// Prepares a recording for evaluation. This reads and copies every key.
    ///
    /// # Errors
    /// When the time of a key is NaN.
    pub fn new(recording: &Recording<'_>) -> Result<Sampler, UnplayableCurve> {
        Ok(Sampler::from(bake::bake(recording, |_| true)?))
    }

    /// Prepares the curves that `keep` selects, and the states of hands, for evaluation. A sampler of few curves is
    /// prepared several times faster and takes less memory.
    ///
    /// The other curves count as not recorded. A selected pose should have all of its curves: a curve without keys is
    /// 0, and rotations are normalised. [`duration`](Self::duration) and [`range`](Self::range) still include all
    /// curves of the recording. [`key_times`](Self::key_times) includes only the selected curves and the states.
    ///
    /// # Errors
    /// When the time of a key of a selected curve is NaN.
    ///
    /// ```
    /// use inputanim::{CurvePath, Element, Joint, Layout, Pose, Recording, Sampler, Side};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(9.0, &Pose::IDENTITY);
    /// recording.hands_mut().left.joints[Joint::Palm].push(1.0, &Pose::IDENTITY);
    /// let palm = |path: CurvePath| Element::from(path) == Element::Joint(Side::Left, Joint::Palm);
    /// let sampler = Sampler::of_curves(&recording, palm)?;
    /// assert!(!sampler.has_head());
    /// assert_eq!(sampler.duration(), 9.0);
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn of_curves(
        recording: &Recording<'_>,
        keep: impl Fn(CurvePath) -> bool,
    ) -> Result<Sampler, UnplayableCurve> {
        Ok(Sampler::from(bake::bake(recording, keep)?))
    }

    /// Makes the sampler return rotations as MRTK evaluates them: each component on its own, not normalised. Directions of
    /// the gaze stay normalised, as in MRTK.
    #[must_use]
    pub fn with_raw_rotations(mut self) -> Sampler {
        self.has_raw_rotations = true;
        self
    }

    /// Makes the sampler hold the value of every curve before its first and after its last key, and ignore wrap modes.
    #[must_use]
    pub fn with_clamped_ends(mut self) -> Sampler {
        self.has_clamped_ends = true;
        self
    }

    /// Makes the sampler return joints also while their hand is not tracked. MRTK records no joint then, so the result
    /// interpolates linearly from the last pose before such a time range to the first pose after it.
    #[must_use]
    pub fn with_untracked_joints(mut self) -> Sampler {
        self.has_untracked_joints = true;
        self
    }

    /// Returns the frame at `time` seconds. Rotations are normalised. A joint is `None` when it is not
    /// recorded and while its hand is not tracked. Wrap modes apply outside the keys.
    ///
    /// For many frames, [`read`](Self::read) or [`frames`](Self::frames) is faster.
    ///
    /// ```
    /// use inputanim::{Layout, Pose, Recording, Sampler};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(0.0, &Pose::at([0.0, 1.0, 0.0]));
    /// recording.head_mut().push(2.0, &Pose::at([0.0, 2.0, 0.0]));
    /// let frame = Sampler::new(&recording)?.frame_at(1.0);
    /// assert_eq!(frame.head.unwrap().position, [0.0, 1.5, 0.0]);
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn frame_at(&self, time: f32) -> Frame {
        let mut frame = Frame::default();
        self.read(time, &mut SamplerCursor::default(), &mut frame);
        frame
    }

    /// Evaluates the frame at `time` seconds into `frame` and replaces all of its contents. `cursor` keeps the position
    /// of this call, so that the next call at a similar time is faster.
    ///
    /// ```
    /// use inputanim::{Frame, Layout, Recording, Sampler, SamplerCursor};
    /// # let recording = Recording::new(Layout::Mrtk1_1);
    /// let sampler = Sampler::new(&recording)?;
    /// let (mut cursor, mut frame) = (SamplerCursor::default(), Frame::default());
    /// for step in 0..600 {
    ///     // Nothing is allocated after the first frame.
    ///     sampler.read(step as f32 / 60.0, &mut cursor, &mut frame);
    /// }
    /// assert_eq!(frame.time, 599.0 / 60.0);
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn read(&self, time: f32, cursor: &mut SamplerCursor, frame: &mut Frame) {
        let SamplerCursor {
            segments,
            states,
            row,
        } = cursor;
        let unknown = self.unknown_at(time);
        let states = self.states_of(time, unknown, states);
        self.fill_row(time, &states, segments, row);
        let is_known = |section, element| self.is_recorded(section) && !unknown.has(element);
        frame.time = time;
        frame.head =
            is_known(Section::Head, Element::Head).then(|| row.pose(Section::Head.start()));
        frame.gaze = is_known(Section::Gaze, Element::Gaze).then(|| row.ray(Section::Gaze.start()));
        for side in Side::BOTH {
            let section = Section::of_hand(side);
            let states = states[side as usize];
            let recorded = &self.baked.sections[section as usize].recorded;
            let hand = frame.hand_mut(side);
            hand.tracked = states.tracked;
            hand.pinching = states.pinching;
            hand.unknown = states.unknown;
            hand.pinch_unknown = self.lacks_pinches(side) && !states.unknown;
            let is_shown = self.shows(states);
            for (joint, pose) in hand.joints.iter_mut() {
                *pose = (is_shown && recorded[joint]).then(|| row.pose(section.joint(joint)));
            }
            if unknown.has_joints(side) {
                for (joint, pose) in hand.joints.iter_mut() {
                    *pose = pose.filter(|_| !unknown.has(Element::Joint(side, joint)));
                }
            }
        }
        if !(self.baked.devices.is_empty() && frame.devices.is_empty()) {
            self.read_devices(time, &mut frame.devices);
        }
    }

    /// Evaluates the devices at a time in seconds, and replaces the frames of devices.
    fn read_devices(&self, time: f32, frames: &mut Vec<DeviceFrame>) {
        let mut count = 0;
        for device in &self.baked.devices {
            if frames.len() == count {
                frames.push(DeviceFrame::new(device.name));
            }
            count += usize::from(device.read(self, time, &mut frames[count]));
        }
        frames.truncate(count);
    }

    /// Returns the frames at the given times in seconds.
    ///
    /// ```
    /// # use inputanim::{Layout, Recording, Sampler, TimeRange};
    /// # let recording = Recording::new(Layout::Mrtk1_1);
    /// let sampler = Sampler::new(&recording)?;
    /// let range = TimeRange { start: 0.0, end: sampler.duration() };
    /// for frame in sampler.frames(range.times_at(60.0)) {
    ///     println!("{}: {:?}", frame.time, frame.head);
    /// }
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn frames(&self, times: impl IntoIterator<Item = f32>) -> impl Iterator<Item = Frame> {
        let mut cursor = SamplerCursor::default();
        times.into_iter().map(move |time| {
            let mut frame = Frame::default();
            self.read(time, &mut cursor, &mut frame);
            frame
        })
    }

    /// Returns the frames at the given times in seconds as columns. With the feature `parallel`, all
    /// processors share the work. For a few curves of a long recording, [`FrameColumns::of_curves`] is faster.
    ///
    /// ```
    /// use inputanim::{Layout, Pose, Recording, Sampler};
    /// # let mut recording = Recording::new(Layout::Mrtk1_1);
    /// # recording.head_mut().push(0.0, &Pose::at([0.0, 1.6, 0.0]));
    /// let columns = Sampler::new(&recording)?.columns([0.0, 0.5, 1.0]);
    /// for (path, values) in columns.floats() {
    ///     println!("{path}: {values:?}");
    /// }
    /// # assert_eq!(columns.times.len(), 3);
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn columns(&self, times: impl IntoIterator<Item = f32>) -> FrameColumns {
        columns::of_sampler(self, times.into_iter().collect())
    }

    /// Returns the latest key time over all curves in seconds, which is how long MRTK plays the
    /// recording (docs/format.md, section 5.1). Returns 0 without keys.
    pub fn duration(&self) -> f32 {
        // MRTK plays from 0, so a recording that ends before 0 has duration 0.
        self.range().map_or(0.0, |range| range.end.max(0.0))
    }

    /// Returns the range from the first to the last key time over all curves, in seconds; `None` without keys.
    pub fn range(&self) -> Option<TimeRange> {
        self.baked.range
    }

    /// Returns every key time of any curve in seconds, sorted, without duplicates, and a time in each gap without keys.
    pub fn key_times(&self) -> Vec<f32> {
        let mut times: Vec<f32> = self.tracks().flat_map(Track::times).copied().collect();
        for states in &self.baked.states {
            let keys = states
                .evaluators()
                .into_iter()
                .flat_map(BooleanEvaluator::keys);
            times.extend(keys.map(BooleanKey::time));
        }
        for device in &self.baked.devices {
            device.add_key_times(&mut times);
        }
        // The sort puts −0 before 0, so equal times are neighbours for `dedup`.
        order::sort_times(&mut times);
        times.dedup();
        if self.has_gaps() {
            self.add_times_in_gaps(&mut times);
        }
        times
    }

    /// Adds the middle of each time in which something is unknown and no curve has a key. Without it, samples at the times of
    /// keys would not show that something is unknown there.
    fn add_times_in_gaps(&self, times: &mut Vec<f32>) {
        let mut bounds = self.gap_bounds();
        // Those of devices are not in order with the others.
        order::sort_times(&mut bounds);
        bounds.dedup();
        let middles = bounds.windows(2).filter_map(|pair| {
            let middle = pair[0].midpoint(pair[1]);
            let next = times.partition_point(|&time| time <= pair[0]);
            let is_empty = times.get(next).is_none_or(|&time| time >= pair[1]);
            let is_unknown = self.unknown_at(middle).is_any()
                || self
                    .baked
                    .devices
                    .iter()
                    .any(|device| device.is_unknown_at(middle));
            (is_empty && is_unknown).then_some(middle)
        });
        let middles: Vec<f32> = middles.collect();
        times.extend(middles);
        order::sort_times(times);
    }

    /// Returns the times in seconds, in any order, at which a value may be discontinuous: at the keys of states, where
    /// a curve has several keys at one time, and at the keys of curves with tangents, which may hold a value.
    pub(crate) fn jump_times(&self) -> Vec<f32> {
        let mut times: Vec<f32> = self.tracks().flat_map(Track::jumps).collect();
        for curve in self.state_curves() {
            times.extend(curve.keys().iter().map(BooleanKey::time));
        }
        for device in &self.baked.devices {
            device.add_jump_times(&mut times);
        }
        times.extend(self.gap_bounds());
        times
    }

    /// Returns the times at which an element becomes known or unknown.
    pub(crate) fn gap_bounds(&self) -> Vec<f32> {
        let mut bounds: Vec<f32> = self.baked.unknown.bounds().collect();
        for device in &self.baked.devices {
            device.add_gap_bounds(&mut bounds);
        }
        bounds
    }

    /// Returns the devices of the recording, in the order of their names.
    pub(crate) fn baked_devices(&self) -> &[BakedDevice] {
        &self.baked.devices
    }

    /// Returns the names of the devices of the recording.
    pub fn devices(&self) -> impl Iterator<Item = DeviceName> {
        self.baked.devices.iter().map(|device| device.name)
    }

    /// Returns `true` if the head has a key.
    pub fn has_head(&self) -> bool {
        self.is_recorded(Section::Head)
    }

    /// Returns `true` if the gaze has a key.
    pub fn has_gaze(&self) -> bool {
        self.is_recorded(Section::Gaze)
    }

    /// Returns `true` for each joint of a hand that has a key. The others are `None` in every frame.
    pub fn recorded_joints(&self, side: Side) -> &Joints<bool> {
        &self.baked.sections[Section::of_hand(side) as usize].recorded
    }

    /// Returns the markers of the recording, sorted by time.
    pub fn markers(&self) -> &[Marker<'static>] {
        &self.baked.markers
    }

    /// Returns the curves left tracked, left pinching, right tracked, right pinching.
    pub(crate) fn state_curves(&self) -> [&BooleanEvaluator<'static>; 4] {
        let [left, right] = &self.baked.states;
        [
            &left.tracked,
            &left.pinching,
            &right.tracked,
            &right.pinching,
        ]
    }

    /// Returns the unknown elements at a time in seconds.
    #[inline]
    pub(crate) fn unknown_at(&self, time: f32) -> Unknown {
        self.baked.unknown.at(time)
    }

    /// Returns `true` if values of the head, the hands or the gaze are unknown at some times.
    fn has_file_gaps(&self) -> bool {
        !self.baked.unknown.is_empty()
    }

    /// Returns `true` if values are unknown at some times.
    pub(crate) fn has_gaps(&self) -> bool {
        !self.baked.unknown.is_empty() || self.baked.devices.iter().any(BakedDevice::has_gaps)
    }

    /// Returns `true` if wrap modes are ignored, and every curve holds its value before its first and after its last
    /// key.
    pub(crate) fn clamps_ends(&self) -> bool {
        self.has_clamped_ends
    }

    /// Returns the states of the left and the right hand at `time` seconds. `cursor` keeps the position of this call,
    /// so that the next call at a similar time is faster.
    pub(crate) fn states_at(&self, time: f32, cursor: &mut StateCursor) -> [States; 2] {
        self.states_of(time, self.unknown_at(time), cursor)
    }

    /// Returns the states of both hands and the unknown elements at a time.
    fn states_of(&self, time: f32, unknown: Unknown, cursor: &mut StateCursor) -> [States; 2] {
        let is_clamped = self.has_clamped_ends;
        Side::BOTH.map(|side| {
            if unknown.has_hand(side) {
                return States {
                    unknown: true,
                    ..States::default()
                };
            }
            let curves = &self.baked.states[side as usize];
            let [tracked, pinching] = &mut cursor[side as usize];
            States {
                tracked: curves.tracked.at_near(is_clamped, time, tracked),
                pinching: curves.pinching.at_near(is_clamped, time, pinching),
                unknown: false,
            }
        })
    }

    /// Returns `true` if a hand is recorded without its pinches: their curve has no key, although another one has.
    pub fn lacks_pinches(&self, side: Side) -> bool {
        let states = &self.baked.states[side as usize];
        let joints = &self.baked.sections[Section::of_hand(side) as usize].recorded;
        let is_tracking_recorded = !states.tracked.keys().is_empty();
        let has_others = is_tracking_recorded || joints.iter().any(|(_, is_recorded)| *is_recorded);
        states.pinching.keys().is_empty() && has_others
    }

    /// Returns `true` if frames contain the joints of a hand in these states.
    fn shows(&self, states: States) -> bool {
        (states.tracked || self.has_untracked_joints) && !states.unknown
    }

    fn tracks(&self) -> impl Iterator<Item = &Track> {
        self.baked
            .sections
            .iter()
            .flat_map(|section| &section.tracks)
    }

    fn is_recorded(&self, section: Section) -> bool {
        self.baked.sections[section as usize].is_recorded
    }

    /// Evaluates the tracks at a time in seconds, and writes their values to `row`. Skips the tracks of a hand whose
    /// joints are not shown in these `states`; their values in `row` stay as they were.
    fn fill_row(&self, time: f32, states: &[States; 2], segments: &mut Vec<u32>, row: &mut Row) {
        // The cursor of another sampler is resized too. Wrong guesses only cost a search.
        segments.resize(self.tracks().count(), 0);
        let mut segments = &mut segments[..];
        for (section, baked) in Section::ALL.into_iter().zip(&self.baked.sections) {
            // Each section has its own part of the cursor, also if its hand is not shown and
            // nothing is evaluated.
            let (of_section, rest) = segments.split_at_mut(baked.tracks.len());
            segments = rest;
            // An untracked hand needs no evaluation: readers omit its joints or set them to NaN.
            if section
                .hand()
                .is_some_and(|side| !self.shows(states[side as usize]))
            {
                continue;
            }
            // Another sampler may have used the cursor and written these slots.
            row.clear(&baked.empty);
            for (track, segment) in baked.tracks.iter().zip(of_section) {
                track.write(time, self.has_clamped_ends, segment, row);
            }
            if !self.has_raw_rotations {
                row.normalise(&baked.poses);
            }
            if section == Section::Gaze && !baked.tracks.is_empty() {
                row.normalise_gaze();
            }
        }
    }
}

impl From<BakedRecording> for Sampler {
    fn from(baked: BakedRecording) -> Sampler {
        Sampler {
            baked: Arc::new(baked),
            has_raw_rotations: false,
            has_clamped_ends: false,
            has_untracked_joints: false,
        }
    }
}

impl HandStates {
    fn evaluators(&self) -> [&BooleanEvaluator<'static>; 2] {
        [&self.tracked, &self.pinching]
    }
}

impl fmt::Debug for Sampler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampler")
            .field("range", &self.range())
            .field("tracks", &self.tracks().count())
            .field("markers", &self.baked.markers.len())
            .finish_non_exhaustive()
    }
}
