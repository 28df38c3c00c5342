//! Samples a time range of a recording as the states of an episode.
//!
//! Method: the poses of all frames are sampled as columns. Each entry of the state then goes through its frames once:
//! the pose becomes relative to its base, its rotation gets the sign that is closer to the rotation before, and an
//! unknown pose repeats the one before. Actions other than next states are computed from these poses. The columns give the
//! statistics, and are then transposed into rows. The state of the last frame is stored twice, so that actions that are
//! next states are the same rows, one row later. Cost: memory for two copies of the states of the episode, and as much again
//! for other actions.

use arrow_buffer::ScalarBuffer;
use glam::{DMat3, DVec3};
use inputanim::pinch::{PinchThresholds, aperture, closed};
use inputanim::{
    CurvePath, DeviceName, Element, FrameColumns, InputName, Joint, Limits, Marker, Pose,
    PoseColumns, RayColumns, Recording, Sampler, Side, Space, TimeRange,
};

use super::features::{Entry, SIZE_JOINTS};
use super::stats::FeatureStats;
use super::{ActionForm, Features, LeRobotError, Options, ReferenceFrame, RotationForm};
use crate::shared::report::counted;
use crate::shared::rigid::{Rigid, is_known};
use crate::shared::sampled::{SampleError, check_rate};
use crate::shared::signs::continued;
use crate::shared::{Error, Loss, LossKind};

/// A recording whose time ranges become episodes.
pub struct EpisodeSampler<'f> {
    features: &'f Features,
    options: &'f Options,
    limits: Limits,
    sampler: Sampler,
}

/// The states and actions of an episode with their statistics.
#[derive(Clone, Debug, PartialEq)]
pub struct Episode {
    pub(super) frames: usize,
    /// The states, frame by frame. The state of the last frame follows once more.
    // The writer of Parquet shares the buffer.
    pub(super) values: ScalarBuffer<f32>,
    /// The actions, frame by frame; `None` if they are the states of the next frames.
    actions: Option<ScalarBuffer<f32>>,
    /// The further vectors of the features, each frame by frame.
    others: Vec<ScalarBuffer<f32>>,
    /// The statistics of all vectors of the features.
    pub(super) stats: Vec<FeatureStats>,
    /// For each hand of the states, the number of frames in which it is not tracked.
    pub(super) untracked: [Option<u64>; 2],
    /// For each hand, the number of these frames that are before the first frame in which it is tracked; 0 for a hand that is
    /// never tracked.
    pub(super) before_tracked: [u64; 2],
    pub(super) success: Option<bool>,
    /// The start of the episode in seconds, on the clock of the recording.
    pub(super) start: f32,
    not_finite: u64,
}

impl Episode {
    /// Returns the number of frames, at least 1.
    pub fn frames(&self) -> usize {
        self.frames
    }

    /// Returns a loss that counts the poses and rays with a number that is not finite, over all frames of these
    /// episodes; `None` if there are none. Each of them repeats its last known values.
    pub fn loss<'e>(episodes: impl IntoIterator<Item = &'e Episode>) -> Option<Loss> {
        let counts = episodes.into_iter().map(|episode| episode.not_finite);
        let count = usize::try_from(counts.sum::<u64>()).unwrap_or(usize::MAX);
        let message = format!(
            "{} unknown or not finite, last known values held",
            counted(count, "pose, ray or input value")
        );
        (count > 0).then(|| Loss::new(LossKind::NotFinite, count, message))
    }

    /// Returns the states of all frames, one frame after the other. The state of a frame has one number for each of the
    /// [names](Features::names).
    pub fn states(&self) -> &[f32] {
        let width = self.values.len() / (self.frames + 1);
        &self.values[..self.frames * width]
    }

    /// Returns the actions of all frames, one frame after the other, with the [names](Features::names) of the states.
    pub fn actions(&self) -> &[f32] {
        let width = self.values.len() / (self.frames + 1);
        match &self.actions {
            Some(actions) => actions,
            None => &self.values[width..],
        }
    }

    /// Returns the start of the episode in seconds, on the clock of the recording.
    pub fn start(&self) -> f32 {
        self.start
    }

    /// Sets the label of the episode: `true` if its task succeeded. Datasets with
    /// [`Forms::success`](super::Forms::success) need it.
    pub fn set_success(&mut self, success: bool) {
        self.success = Some(success);
    }

    /// Returns the vector with an index among the vectors of the features, frame by frame.
    pub(super) fn vector(&self, index: usize) -> ScalarBuffer<f32> {
        let width = self.values.len() / (self.frames + 1);
        let length = self.frames * width;
        match (index, &self.actions) {
            (0, _) => self.values.slice(0, length),
            // The action of a frame is the state of the next one.
            (1, None) => self.values.slice(width, length),
            (1, Some(actions)) => actions.clone(),
            _ => self.others.get(index - 2).cloned().unwrap_or_default(),
        }
    }
}

impl<'f> EpisodeSampler<'f> {
    /// Prepares a recording to be sampled as states with these features.
    ///
    /// # Errors
    /// When an option is out of its range, when the time of a key is NaN, when the recording lacks the head or gaze and
    /// the states have them, and when it lacks the head to which poses are relative.
    pub fn new(
        recording: &Recording<'_>,
        features: &'f Features,
        options: &'f Options,
    ) -> Result<EpisodeSampler<'f>, Error> {
        options.check_features(features)?;
        let elements: Vec<Element> = features
            .entries
            .iter()
            .filter_map(|entry| entry.element())
            .collect();
        let is_used = |path: CurvePath| {
            let is_base = |&other: &Element| options.frame.base(other) == Some(Element::from(path));
            features.needs(path) || elements.iter().any(is_base)
        };
        let sampler = Sampler::of_curves(recording, is_used).map_err(SampleError::from)?;
        let lacks = |element: &Element| match element {
            Element::Head => !sampler.has_head(),
            Element::Gaze => !sampler.has_gaze(),
            _ => false,
        };
        if let Some(&element) = elements.iter().find(|element| lacks(element)) {
            return Err(LeRobotError::NotRecorded(element).into());
        }
        let elements = elements.iter();
        let mut bases = elements.filter_map(|&element| options.frame.base(element));
        if let Some(base) = bases.find(lacks) {
            return Err(LeRobotError::NoBase { base }.into());
        }
        Ok(EpisodeSampler {
            features,
            options,
            limits: options.limits.for_rate(recording),
            sampler,
        })
    }

    /// Returns the time range from the first to the last key of the recording in seconds, or from 0 to 0 if there are
    /// no keys.
    pub fn range(&self) -> TimeRange {
        self.sampler.range().unwrap_or(TimeRange {
            start: 0.0,
            end: 0.0,
        })
    }

    /// Returns the markers of the recording, sorted by time.
    pub fn markers(&self) -> &[Marker<'static>] {
        self.sampler.markers()
    }

    /// Checks that the episodes of these time ranges fit into the [limits](Options::limits) together, without sampling
    /// them.
    ///
    /// # Errors
    /// When the rate is out of its range, a time range is not finite or ends before it starts, or the states of all
    /// episodes are larger than [`Limits::for_rate`] allows.
    pub fn check(&self, ranges: impl IntoIterator<Item = TimeRange>) -> Result<(), Error> {
        let rate = f64::from(self.options.rate);
        check_rate(rate)?;
        let mut frames = 0.0;
        let mut seconds = 0.0;
        for TimeRange { start, end } in ranges {
            if !(start.is_finite() && end.is_finite() && start <= end) {
                return Err(LeRobotError::Range { start, end }.into());
            }
            let length = f64::from(end) - f64::from(start);
            seconds += length;
            frames += (length * rate).floor() + 1.0;
        }
        let copies = match self.features.forms.action {
            ActionForm::Next => 1,
            ActionForm::Relative | ActionForm::Delta => 2,
        };
        let bytes = 4 * (1 + copies * self.features.width() as u64);
        let checked = self.limits.check_samples(frames, bytes);
        checked.map_err(|cause| {
            let seconds = seconds as f32;
            SampleError::TooLong {
                seconds,
                rate,
                cause,
            }
            .into()
        })
    }

    /// Returns the episode of a time range. Its frames are at the start of the range, and then at the rate of the options
    /// until the end, which is included.
    ///
    /// # Errors
    /// When the range is not valid or too long, when a tracked hand lacks a joint of the states, and when the head, the gaze
    /// or a tracked joint is never known in the range.
    pub fn episode(&self, range: TimeRange) -> Result<Episode, Error> {
        self.check([range])?;
        let mut times: Vec<f32> = range.times_at(self.options.rate.into()).collect();
        if times.is_empty() {
            times.push(range.start);
        }
        let frames = times.len();
        let columns = self.sampler.columns(times);
        let features = self.features;
        let width = features.width();
        // Each column ends with the value of the last frame once more.
        let mut states = vec![0.0; width * (frames + 1)];
        let action = features.forms.action;
        let has_actions = action != ActionForm::Next;
        let mut actions = vec![0.0; if has_actions { width * frames } else { 0 }];
        // One column for each part.
        let mut valid = vec![1.0; features.parts().len() * frames];
        let motions = match action {
            ActionForm::Relative => self.motions(&columns, range)?,
            ActionForm::Next | ActionForm::Delta => Vec::new(),
        };
        let scaled = features.scaled_hands().into_iter();
        let sizes = scaled.map(|side| Ok((side, hand_size(&columns, side, range)?)));
        let sizes = sizes.collect::<Result<Vec<(Side, Option<f64>)>, LeRobotError>>()?;
        let mut untracked = [None; 2];
        let mut before_tracked = [0; 2];
        let mut not_finite = 0;
        let mut place = 0;
        for &entry in &features.entries {
            let of_entry = place..place + entry.width();
            place = of_entry.end;
            let state = &mut states[of_entry.start * (frames + 1)..of_entry.end * (frames + 1)];
            let next = of_entry.start * frames..of_entry.end * frames;
            let next = if has_actions {
                &mut actions[next]
            } else {
                &mut []
            };
            let first = features.part(entry) * frames;
            let valid = &mut valid[first..first + frames];
            match entry {
                Entry::Tracked(side) => {
                    let tracked = &columns.hand(side).tracked;
                    let number = tracked.iter().filter(|&&is_tracked| !is_tracked).count();
                    untracked[side as usize] = Some(number as u64);
                    let first = tracked.iter().position(|&is_tracked| is_tracked);
                    before_tracked[side as usize] = first.unwrap_or(0) as u64;
                    fill_numbers(state, next, tracked.iter().map(|&is| truth(is)));
                    drop_unknown(valid, side, &columns);
                }
                Entry::Pinching(side) => {
                    let pinching = columns.hand(side).pinching.iter();
                    fill_numbers(state, next, pinching.map(|&is| truth(is)));
                    drop_unknown(valid, side, &columns);
                }
                Entry::GeometricPinch(side) | Entry::Aperture(side) => {
                    let is_pinch = matches!(entry, Entry::GeometricPinch(_));
                    let (values, unknown) = gripper(&columns, side, is_pinch, valid, range)?;
                    not_finite += unknown;
                    fill_numbers(state, next, values.into_iter());
                }
                Entry::Input(device, input) => {
                    let space = self.options.space;
                    let (values, unknown) =
                        input_values(&columns, device, input, space, valid, range)?;
                    not_finite += unknown;
                    fill_numbers(state, next, values.into_iter());
                }
                Entry::Pose(..) | Entry::Gaze => {
                    let Some(element) = entry.element() else {
                        continue;
                    };
                    let base = self.options.frame.base(element);
                    let (mut values, unknown) = self.held(valid, element, base, &columns, range)?;
                    not_finite += unknown;
                    let mut nexts = match action {
                        ActionForm::Next => Vec::new(),
                        ActionForm::Delta => deltas(&values, element),
                        ActionForm::Relative => {
                            let base = self.options.frame.base_or_self(element);
                            let motion = motions.iter().find(|(of, _)| Some(*of) == base);
                            let motion = motion.map(|(_, motion)| &motion[..]);
                            moved(&values, element, motion, base == Some(element))
                        }
                    };
                    if let Some(size) = divisor(element, &sizes) {
                        values.iter_mut().for_each(|values| scale(values, size));
                        nexts.iter_mut().for_each(|values| scale(values, size));
                    }
                    // The state of the last frame follows once more.
                    values.extend(values.last().copied());
                    write_columns(state, entry, &values);
                    write_columns(next, entry, &nexts);
                }
            }
        }
        let parts = features.parts().len();
        let mut columns_of_others = vec![valid];
        if has_actions {
            let valid = columns_of_others[0].chunks_exact(frames);
            let next = valid.flat_map(|valid| {
                let next = valid.iter().skip(1).map(|next| *next != 0.0).chain([false]);
                let both = valid.iter().zip(next);
                both.map(|(valid, next)| truth(*valid != 0.0 && next))
            });
            let next: Vec<f32> = next.collect();
            columns_of_others.push(next);
        }
        if !sizes.is_empty() {
            let sizes = sizes.iter();
            let sizes = sizes.flat_map(|(_, size)| vec![single(size.unwrap_or(0.0)); frames]);
            columns_of_others.push(sizes.collect());
        }
        let stats_of = |columns: &[f32], length: usize, first: usize| {
            let columns = columns.chunks_exact(length);
            FeatureStats::of_columns(columns.map(|column| &column[first..first + frames]))
        };
        let mut stats = vec![stats_of(&states, frames + 1, 0)];
        stats.push(if has_actions {
            stats_of(&actions, frames, 0)
        } else {
            stats_of(&states, frames + 1, 1)
        });
        let others = columns_of_others.iter();
        stats.extend(others.clone().map(|columns| stats_of(columns, frames, 0)));
        let rows = |columns: &Vec<f32>| {
            let width = columns.len() / frames;
            transposed(columns, width, frames).into()
        };
        debug_assert_eq!(columns_of_others[0].len(), parts * frames);
        Ok(Episode {
            frames,
            values: transposed(&states, width, frames + 1).into(),
            actions: has_actions.then(|| rows(&actions)),
            others: others.map(rows).collect(),
            stats,
            untracked,
            before_tracked,
            success: None,
            start: range.start,
            not_finite,
        })
    }

    /// Returns for each base of the states its pose in each next frame, relative to its pose in the frame. While the base is
    /// unknown, it does not move.
    fn motions(
        &self,
        columns: &FrameColumns,
        range: TimeRange,
    ) -> Result<Vec<(Element, Vec<Rigid>)>, LeRobotError> {
        let entries = self.features.entries.iter();
        let elements = entries.filter_map(|entry| entry.element());
        let bases = elements.filter_map(|element| self.options.frame.base_or_self(element));
        let mut motions: Vec<(Element, Vec<Rigid>)> = Vec::new();
        for base in bases {
            if motions.iter().any(|(other, _)| *other == base) {
                continue;
            }
            let mut valid = vec![1.0; columns.times.len()];
            let poses = self.held(&mut valid, base, None, columns, range);
            let (poses, _) = poses.map_err(|error| match error {
                LeRobotError::NotRecorded(base) => LeRobotError::NoBase { base },
                error => error,
            })?;
            let poses: Vec<Rigid> = poses.iter().map(rigid).collect();
            let nexts = poses.iter().skip(1).chain(poses.last());
            let motion = nexts.zip(&poses).map(|(next, pose)| next.relative_to(pose));
            motions.push((base, motion.collect()));
        }
        Ok(motions)
    }

    /// Returns the values of a pose or ray in all frames, relative to `base` if it is given. While the pose or ray is
    /// unknown, its last known values are repeated, and `valid` becomes 0. The second result is the number of frames in
    /// which one of its numbers is not finite. Fails if it is never known, except for a joint of a hand that is never
    /// tracked. The error states the time range `range` of the episode.
    fn held(
        &self,
        valid: &mut [f32],
        element: Element,
        base: Option<Element>,
        columns: &FrameColumns,
        range: TimeRange,
    ) -> Result<(Vec<Values>, u64), LeRobotError> {
        let source = Source::new(columns, element, LeRobotError::NotRecorded)?;
        let base =
            base.map(|base| Source::new(columns, base, |base| LeRobotError::NoBase { base }));
        let base = base.transpose()?;
        let frames = columns.times.len();
        let mut held: Vec<Values> = Vec::with_capacity(frames + 1);
        let mut last: Option<Values> = None;
        let mut not_finite = 0;
        for (row, valid) in valid.iter_mut().enumerate().take(frames) {
            match self.value(&source, base.as_ref(), row) {
                Value::Known(mut values) => {
                    if element != Element::Gaze {
                        continue_sign(&mut values, last.as_ref());
                    }
                    if last.is_none() {
                        held.fill(values);
                    }
                    last = Some(values);
                }
                unknown => {
                    *valid = 0.0;
                    not_finite += u64::from(unknown == Value::NotFinite);
                }
            }
            held.push(last.unwrap_or(IDENTITY));
        }
        // Without a known value, the hand is not tracked in any frame.
        if last.is_none() && not_finite > 0 {
            let TimeRange { start, end } = range;
            return Err(LeRobotError::NeverFinite {
                element,
                start,
                end,
            });
        }
        Ok((held, not_finite))
    }

    /// Returns the values of a pose or ray in the frame with the index `row`: in the axes of the options, and relative
    /// to `base` if it is given.
    fn value(&self, source: &Source<'_>, base: Option<&Source<'_>>, row: usize) -> Value {
        let space = self.options.space;
        if !source.is_valid(row) {
            return Value::Untracked;
        }
        if !source.columns.is_known(source.element, row) {
            return Value::NotFinite;
        }
        let base = match base.map(|base| base.pose(row)) {
            None => None,
            Some(Some(base)) => Some(Rigid::of(&space.pose(base))),
            Some(None) => return Value::NotFinite,
        };
        match source.track {
            Track::Pose(_) => {
                let Some(pose) = source.pose(row).map(|pose| space.pose(pose)) else {
                    return Value::NotFinite;
                };
                let pose = match base {
                    None => pose,
                    Some(base) => Rigid::of(&pose).relative_to(&base).pose(),
                };
                let [x, y, z] = pose.position;
                let [a, b, c, d] = pose.rotation;
                Value::finite([x, y, z, a, b, c, d])
            }
            Track::Ray(ray) => {
                let at = |columns: &[Vec<f32>; 3]| columns.each_ref().map(|column| column[row]);
                let origin = space.position(at(&ray.origin));
                let direction = space.position(at(&ray.direction));
                let (origin, direction) = match base {
                    None => (origin, direction),
                    Some(base) => {
                        let double = |numbers: [f32; 3]| DVec3::from_array(numbers.map(f64::from));
                        let back = base.rotation.conjugate();
                        let single = |vector: DVec3| vector.to_array().map(|part| part as f32);
                        (
                            single(back * (double(origin) - base.position)),
                            single(back * double(direction)),
                        )
                    }
                };
                let ([x, y, z], [a, b, c]) = (origin, direction);
                Value::finite([x, y, z, a, b, c, 0.0])
            }
            Track::None => Value::Untracked,
        }
    }
}

/// The number of numbers of a pose.
const POSE: usize = 7;

/// The numbers of a pose, or of a ray and one unused number.
type Values = [f32; POSE];

/// The pose at the origin, without rotation.
const IDENTITY: Values = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// The value of a pose or ray in one frame.
#[derive(Clone, Copy, PartialEq)]
enum Value {
    Known(Values),
    Untracked,
    NotFinite,
}

impl Value {
    fn finite(values: Values) -> Value {
        if values.iter().all(|value| value.is_finite()) {
            // The sum has no negative zeros, which conversions of axes make.
            Value::Known(values.map(|value| value + 0.0))
        } else {
            Value::NotFinite
        }
    }
}

/// The sampled columns of a pose or ray.
struct Source<'c> {
    track: Track<'c>,
    /// `true` for the frames in which the hand of the pose is tracked; `None` if it belongs to no hand.
    valid: Option<&'c [bool]>,
    element: Element,
    /// The columns, which also state where the element is unknown.
    columns: &'c FrameColumns,
}

#[derive(Clone, Copy)]
enum Track<'c> {
    Pose(&'c PoseColumns),
    Ray(&'c RayColumns),
    /// The joint is not recorded.
    None,
}

impl<'c> Source<'c> {
    /// Finds the sampled columns of a pose or ray. If the recording lacks it, returns the error that `missing` creates,
    /// except for a joint of a hand that is never tracked.
    fn new(
        columns: &'c FrameColumns,
        element: Element,
        missing: impl Fn(Element) -> LeRobotError,
    ) -> Result<Source<'c>, LeRobotError> {
        let found = match element {
            Element::Head => columns.head.as_ref().map(Track::Pose),
            Element::Gaze => columns.gaze.as_ref().map(Track::Ray),
            Element::Joint(side, joint) => {
                let joint = columns.hand(side).joints[joint].as_ref();
                joint.map(Track::Pose)
            }
            Element::DevicePose(device, pose) => {
                let mut devices = columns.devices.iter();
                let device = devices.find(|columns| columns.name == device);
                let mut poses = device.iter().flat_map(|device| &device.poses);
                let pose = poses.find(|(name, _)| *name == pose);
                pose.map(|(_, columns)| Track::Pose(columns))
            }
            Element::Tracked(_)
            | Element::Pinching(_)
            | Element::Profile(_)
            | Element::Input(..) => None,
        };
        let valid = element.side().map(|side| &columns.hand(side).valid[..]);
        let is_needed = valid.is_none_or(|valid| valid.contains(&true));
        match found {
            None if is_needed => Err(missing(element)),
            found => Ok(Source {
                track: found.unwrap_or(Track::None),
                valid,
                element,
                columns,
            }),
        }
    }

    fn is_valid(&self, row: usize) -> bool {
        self.valid.is_none_or(|valid| valid[row])
    }

    /// Returns the pose in the frame with the index `row`; `None` if it is unknown, and for a ray.
    fn pose(&self, row: usize) -> Option<Pose> {
        let Track::Pose(PoseColumns { position, rotation }) = self.track else {
            return None;
        };
        let pose = Pose {
            position: position.each_ref().map(|column| column[row]),
            rotation: rotation.each_ref().map(|column| column[row]),
        };
        Some(pose).filter(|pose| self.is_valid(row) && is_known(pose))
    }
}

impl ReferenceFrame {
    /// Returns the head or the wrist to which the relative action of an element refers: its base, or the element itself if
    /// others are relative to it.
    pub(super) fn base_or_self(self, element: Element) -> Option<Element> {
        let is_base = match self {
            ReferenceFrame::World => false,
            ReferenceFrame::Head => element == Element::Head,
            ReferenceFrame::Wrist => matches!(element, Element::Joint(_, Joint::Wrist)),
        };
        self.base(element).or(is_base.then_some(element))
    }

    /// Returns the head or the wrist to which an element is relative; `None` for an element in the coordinates of the
    /// world.
    fn base(self, element: Element) -> Option<Element> {
        match (self, element) {
            (
                ReferenceFrame::Head,
                Element::Joint(..) | Element::Gaze | Element::DevicePose(..),
            ) => Some(Element::Head),
            (ReferenceFrame::Wrist, Element::Joint(side, joint)) if joint != Joint::Wrist => {
                Some(Element::Joint(side, Joint::Wrist))
            }
            _ => None,
        }
    }
}

/// Returns 1 for `true` and 0 for `false`.
fn truth(is: bool) -> f32 {
    f32::from(u8::from(is))
}

/// Returns the nearest number of single precision. Numbers beyond it become the largest ones.
fn single(number: f64) -> f32 {
    // The sum has no negative zeros.
    number.clamp(f32::MIN.into(), f32::MAX.into()) as f32 + 0.0
}

/// Writes the numbers of all frames into the column of the states, which ends with the last number once more, and into the
/// column of the actions, which are the next numbers. There may be no column of actions.
fn fill_numbers(state: &mut [f32], next: &mut [f32], numbers: impl Iterator<Item = f32>) {
    for (value, number) in state.iter_mut().zip(numbers) {
        *value = number;
    }
    if let [.., before, last] = state {
        *last = *before;
    }
    for (value, number) in next.iter_mut().zip(state.iter().skip(1)) {
        *value = *number;
    }
}

/// Writes the values of a pose or ray in all frames into the columns of its entry, in the form of the entry. There may be no
/// columns.
fn write_columns(columns: &mut [f32], entry: Entry, values: &[Values]) {
    if columns.is_empty() {
        return;
    }
    let mut columns = columns.chunks_exact_mut(values.len());
    if let Entry::Pose(_, RotationForm::SixD) = entry {
        let mut numbers = [const { None }; 9];
        for (column, number) in columns.zip(&mut numbers) {
            *number = Some(column);
        }
        for (row, values) in values.iter().enumerate() {
            let Rigid { position, rotation } = rigid(values);
            let matrix = DMat3::from_quat(rotation);
            let vectors = [position, matrix.x_axis, matrix.y_axis].map(|vector| vector.to_array());
            for (column, number) in numbers.iter_mut().flatten().zip(vectors.as_flattened()) {
                column[row] = single(*number);
            }
        }
        return;
    }
    // A pose without its rotation, and a ray, have the first of the values.
    for (number, column) in columns.by_ref().enumerate() {
        for (place, values) in column.iter_mut().zip(values) {
            *place = values[number];
        }
    }
}

fn rigid(&[x, y, z, a, b, c, d]: &Values) -> Rigid {
    Rigid::of(&Pose {
        position: [x, y, z],
        rotation: [a, b, c, d],
    })
}

/// Returns the origin and the direction of a ray.
fn ray(&[x, y, z, a, b, c, _]: &Values) -> [DVec3; 2] {
    [[x, y, z], [a, b, c]].map(|vector| DVec3::from_array(vector.map(f64::from)))
}

fn ray_values([origin, direction]: [DVec3; 2]) -> Values {
    let ([x, y, z], [a, b, c]) = (origin.to_array(), direction.to_array());
    [x, y, z, a, b, c, 0.0].map(single)
}

fn pose_values(pose: &Rigid) -> Values {
    let ([x, y, z], [a, b, c, d]) = (pose.position.to_array(), pose.rotation.to_array());
    [x, y, z, a, b, c, d].map(single)
}

/// Makes the signs of rotations continuous.
fn continue_signs(values: &mut [Values], element: Element) {
    let mut last = None;
    for values in values.iter_mut().filter(|_| element != Element::Gaze) {
        continue_sign(values, last.as_ref());
        last = Some(*values);
    }
}

/// Returns the changes of a pose or ray from each frame to the next one. In the last frame, nothing changes.
fn deltas(values: &[Values], element: Element) -> Vec<Values> {
    let nexts = values.iter().skip(1).chain(values.last());
    let deltas = nexts.zip(values).map(|(next, now)| {
        if element == Element::Gaze {
            let (next, now) = (ray(next), ray(now));
            return ray_values([next[0] - now[0], next[1] - now[1]]);
        }
        let (next, now) = (rigid(next), rigid(now));
        pose_values(&Rigid {
            position: next.position - now.position,
            rotation: now.rotation.conjugate() * next.rotation,
        })
    });
    let mut deltas: Vec<Values> = deltas.collect();
    continue_signs(&mut deltas, element);
    deltas
}

/// Returns the values of a pose or ray in each next frame, relative to its base in the frame itself. `motion` has the movement
/// of the base from each frame to the next one; `None` if the pose has no base. `is_base` is `true` for the base itself.
fn moved(
    values: &[Values],
    element: Element,
    motion: Option<&[Rigid]>,
    is_base: bool,
) -> Vec<Values> {
    let nexts = values.iter().skip(1).chain(values.last());
    let Some(motion) = motion else {
        return nexts.copied().collect();
    };
    let moved = nexts.zip(motion).map(|(next, motion)| {
        if is_base {
            pose_values(motion)
        } else if element == Element::Gaze {
            let [origin, direction] = ray(next);
            let origin = motion.rotation * origin + motion.position;
            ray_values([origin, motion.rotation * direction])
        } else {
            pose_values(&rigid(next).on(motion))
        }
    });
    let mut moved: Vec<Values> = moved.collect();
    continue_signs(&mut moved, element);
    moved
}

/// Returns the size by which the position of a joint is divided; `None` if it stays in metres.
fn divisor(element: Element, sizes: &[(Side, Option<f64>)]) -> Option<f64> {
    let Element::Joint(side, joint) = element else {
        return None;
    };
    let mut sizes = sizes.iter().filter(|_| joint != Joint::Wrist);
    sizes.find(|(of, _)| *of == side)?.1
}

fn scale(values: &mut Values, size: f64) {
    for number in &mut values[..3] {
        *number = single(f64::from(*number) / size);
    }
}

/// Returns the position of a joint in a frame; `None` if it is unknown.
fn position(source: &Source<'_>, row: usize) -> Option<[f32; 3]> {
    let Track::Pose(PoseColumns { position, .. }) = source.track else {
        return None;
    };
    let position = position.each_ref().map(|column| column[row]);
    let is_known = source.is_valid(row) && source.columns.is_known(source.element, row);
    Some(position).filter(|position| is_known && position.iter().all(|part| part.is_finite()))
}

/// Returns the distance of two joints of a hand in each frame, in metres; `None` in the second result for a hand that is never
/// tracked. An unknown distance is NaN. Fails if a joint of a tracked hand is not recorded, or never finite in the episode.
fn distances(
    columns: &FrameColumns,
    side: Side,
    joints: [Joint; 2],
    range: TimeRange,
) -> Result<Option<Vec<f64>>, LeRobotError> {
    let source = |joint| {
        Source::new(
            columns,
            Element::Joint(side, joint),
            LeRobotError::NotRecorded,
        )
    };
    let sources = [source(joints[0])?, source(joints[1])?];
    if !columns.hand(side).valid.contains(&true) {
        return Ok(None);
    }
    let rows = 0..columns.times.len();
    let never = |source: &&Source<'_>| rows.clone().all(|row| position(source, row).is_none());
    let distance = |row| {
        let [a, b] = sources.each_ref().map(|source| position(source, row));
        a.zip(b).map_or(f64::NAN, |(a, b)| aperture(a, b))
    };
    let distances: Vec<f64> = rows.clone().map(distance).collect();
    if distances.iter().all(|distance| distance.is_nan()) {
        let element = sources.iter().find(never).unwrap_or(&sources[0]).element;
        let TimeRange { start, end } = range;
        return Err(LeRobotError::NeverFinite {
            element,
            start,
            end,
        });
    }
    Ok(Some(distances))
}

/// Returns the aperture of a hand in each frame, or its pinches from the aperture. While it is unknown, its last known value is
/// repeated, and `valid` becomes 0. The second result is the number of these frames in which the hand is tracked. All values are 0
/// if the hand is never tracked.
fn gripper(
    columns: &FrameColumns,
    side: Side,
    is_pinch: bool,
    valid: &mut [f32],
    range: TimeRange,
) -> Result<(Vec<f32>, u64), LeRobotError> {
    let tips = [Joint::ThumbTip, Joint::IndexTip];
    let Some(distances) = distances(columns, side, tips, range)? else {
        valid.fill(0.0);
        return Ok((vec![0.0; valid.len()], 0));
    };
    let pinches = if is_pinch {
        closed(&distances, PinchThresholds::default())
    } else {
        Vec::new()
    };
    let value = |row: usize| {
        pinches
            .get(row)
            .map_or_else(|| single(distances[row]), |&is| truth(is))
    };
    let known = |row: &usize| !distances[*row].is_nan();
    let mut last = (0..distances.len()).find(known).map_or(0.0, value);
    let mut unknown = 0;
    let mut values = Vec::with_capacity(distances.len());
    for (row, valid) in valid.iter_mut().enumerate() {
        if known(&row) {
            last = value(row);
        } else {
            *valid = 0.0;
            unknown += u64::from(columns.hand(side).valid[row]);
        }
        values.push(last);
    }
    Ok((values, unknown))
}

/// Returns the values of an input of a device in each frame, a velocity in the axes of `space`. While it is unknown, its last known value is repeated, and `valid`
/// becomes 0. The second result is the number of these frames. Fails if the input is not recorded, or never known.
fn input_values(
    columns: &FrameColumns,
    device: DeviceName,
    input: InputName,
    space: Space,
    valid: &mut [f32],
    range: TimeRange,
) -> Result<(Vec<f32>, u64), LeRobotError> {
    let element = Element::Input(device, input);
    // The conversion also goes back: this is the recorded axis.
    let (input, factor) = space.input(input);
    let mut devices = columns.devices.iter();
    let device = devices.find(|columns| columns.name == device);
    let mut inputs = device.iter().flat_map(|device| &device.inputs);
    let Some((_, column)) = inputs.find(|(name, _)| *name == input) else {
        return Err(LeRobotError::NotRecorded(element));
    };
    let values = &column.values;
    let first = values.iter().find(|value| value.is_finite());
    let Some(mut last) = first.copied() else {
        let TimeRange { start, end } = range;
        return Err(LeRobotError::NeverFinite {
            element,
            start,
            end,
        });
    };
    let mut unknown = 0;
    let mut held = Vec::with_capacity(values.len());
    for (&value, valid) in values.iter().zip(valid) {
        if value.is_finite() {
            last = value;
        } else {
            *valid = 0.0;
            unknown += 1;
        }
        held.push(last * factor);
    }
    Ok((held, unknown))
}

/// The smallest size of a hand in metres.
const SMALLEST_HAND: f64 = 0.001;

/// Returns the size of a hand in metres: the median of the distances of the ends of [`SIZE_JOINTS`] in the frames in which both are
/// known. Returns `None` for a hand that is never tracked.
fn hand_size(
    columns: &FrameColumns,
    side: Side,
    range: TimeRange,
) -> Result<Option<f64>, LeRobotError> {
    let Some(mut distances) = distances(columns, side, SIZE_JOINTS, range)? else {
        return Ok(None);
    };
    distances.retain(|distance| !distance.is_nan());
    distances.sort_unstable_by(f64::total_cmp);
    let middle = distances.len() / 2;
    let upper = distances.get(middle).copied().unwrap_or_default();
    let lower = distances.get((distances.len() - 1) / 2).copied();
    let metres = (lower.unwrap_or(upper) + upper) / 2.0;
    if metres < SMALLEST_HAND {
        return Err(LeRobotError::HandSize { side, metres });
    }
    Ok(Some(metres))
}

/// Sets the validity of a hand to 0 in the frames in which nothing is known about it.
fn drop_unknown(valid: &mut [f32], side: Side, columns: &FrameColumns) {
    for (row, valid) in valid.iter_mut().enumerate() {
        if !columns.is_known(Element::Tracked(side), row) {
            *valid = 0.0;
        }
    }
}

/// Negates the quaternion of a pose if this brings it closer to the quaternion of the pose before, `last`. Without a
/// pose before, negates it if its w is negative.
fn continue_sign(values: &mut Values, last: Option<&Values>) {
    let rotation_of = |&[.., x, y, z, w]: &Values| [x, y, z, w];
    let rotation = rotation_of(values);
    let [x, y, z, w] = rotation;
    // Half a turn has no w, so that the first part that is not 0 decides.
    let first = [w, x, y, z].into_iter().find(|&part| part != 0.0);
    let rotation = match last {
        None if first.is_some_and(|part| part < 0.0) => rotation.map(|part| -part),
        _ => continued(rotation, last.map(rotation_of)),
    };
    // The sum has no negative zeros.
    values[3..].copy_from_slice(&rotation.map(|part| part + 0.0));
}

/// Transposes a matrix. `columns` contains `width` columns of `rows` values each, one after the other; the result
/// contains the rows one after the other.
fn transposed(columns: &[f32], width: usize, rows: usize) -> Vec<f32> {
    /// The values of a tile in a column fill a cache line.
    const TILE: usize = 16;
    let mut values = vec![0.0; columns.len()];
    for first in (0..rows).step_by(TILE) {
        let tile = first..rows.min(first + TILE);
        for (index, column) in columns.chunks_exact(rows).enumerate() {
            for row in tile.clone() {
                values[row * width + index] = column[row];
            }
        }
    }
    values
}
