//! Samples a time range of a recording as the states of an episode.
//!
//! Method: the poses of all frames are sampled as columns. Each element of the state then goes through its frames once:
//! the pose becomes relative to its base, its rotation gets the sign that is closer to the rotation before, and an
//! unknown pose repeats the one before. The columns give the statistics, and are then transposed into rows. The state of
//! the last frame is stored twice, so that the actions are the same rows, one row later. Cost: memory for two copies of
//! the states of the episode.

use arrow_buffer::ScalarBuffer;
use glam::DVec3;
use inputanim::{
    CurvePath, Element, FrameColumns, Joint, Limits, Marker, Pose, PoseColumns, RayColumns,
    Recording, Sampler, Side, TimeRange,
};

use super::features::width_of;
use super::stats::FeatureStats;
use super::{Features, LeRobotError, Options, ReferenceFrame};
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
    /// The validity of the parts of the states, frame by frame: 1 if all of its values were known in the frame, else 0.
    pub(super) valid: ScalarBuffer<f32>,
    /// The statistics of the states, of the actions and of the validity.
    pub(super) stats: [FeatureStats; 3],
    /// For each hand of the states, the number of frames in which it is not tracked.
    pub(super) untracked: [Option<u64>; 2],
    /// For each hand, the number of these frames that are before the first frame in which it is tracked; 0 for a hand that is
    /// never tracked.
    pub(super) before_tracked: [u64; 2],
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
            counted(count, "pose or ray value")
        );
        (count > 0).then(|| Loss::new(LossKind::NotFinite, count, message))
    }

    /// Returns the states of all frames, one frame after the other. The state of a frame has one number for each of the
    /// [names](Features::names).
    pub fn states(&self) -> &[f32] {
        let width = self.values.len() / (self.frames + 1);
        &self.values[..self.frames * width]
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
        options.check()?;
        let is_used = |path: CurvePath| {
            let element = Element::from(path);
            let mut elements = features.elements.iter();
            elements.any(|&other| other == element || options.frame.base(other) == Some(element))
        };
        let sampler = Sampler::of_curves(recording, is_used).map_err(SampleError::from)?;
        let lacks = |element: &Element| match element {
            Element::Head => !sampler.has_head(),
            Element::Gaze => !sampler.has_gaze(),
            _ => false,
        };
        let mut elements = features.elements.iter();
        if let Some(&element) = elements.find(|element| lacks(element)) {
            return Err(LeRobotError::NotRecorded(element).into());
        }
        let elements = features.elements.iter();
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
        let bytes = 4 * (1 + self.features.width() as u64);
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
        let width = self.features.width();
        // Each column ends with the value of the last frame once more.
        let mut parts = vec![0.0; width * (frames + 1)];
        // One column for each part.
        let mut valid = vec![1.0; self.features.parts().len() * frames];
        let mut untracked = [None; 2];
        let mut before_tracked = [0; 2];
        let mut not_finite = 0;
        let mut rest = parts.as_mut_slice();
        for &element in &self.features.elements {
            let (part, after) = rest.split_at_mut(width_of(element) * (frames + 1));
            rest = after;
            let first = self.features.part(element) * frames;
            let valid = &mut valid[first..first + frames];
            match element {
                Element::Tracked(side) => {
                    let tracked = &columns.hand(side).tracked;
                    let number = tracked.iter().filter(|&&is_tracked| !is_tracked).count();
                    untracked[side as usize] = Some(number as u64);
                    let first = tracked.iter().position(|&is_tracked| is_tracked);
                    before_tracked[side as usize] = first.unwrap_or(0) as u64;
                    fill_states(part, tracked);
                    drop_unknown(valid, side, &columns);
                }
                Element::Pinching(side) => {
                    fill_states(part, &columns.hand(side).pinching);
                    drop_unknown(valid, side, &columns);
                }
                _ => not_finite += self.fill(part, valid, element, &columns, range)?,
            }
        }
        let [states, actions] = [0, 1].map(|first| {
            let columns = parts.chunks_exact(frames + 1);
            FeatureStats::of_columns(columns.map(|column| &column[first..first + frames]))
        });
        let stats = [
            states,
            actions,
            FeatureStats::of_columns(valid.chunks_exact(frames)),
        ];
        Ok(Episode {
            frames,
            values: transposed(&parts, width, frames + 1).into(),
            valid: transposed(&valid, self.features.parts().len(), frames).into(),
            stats,
            untracked,
            before_tracked,
            not_finite,
        })
    }

    /// Writes the values of a pose or ray in all frames into `part`, column by column. While the pose or ray is
    /// unknown, its last known values are repeated, and `valid` becomes 0. Returns the number of frames in which one of its numbers is not
    /// finite. Fails if it is never known, except for a joint of a hand that is never tracked. The error states the
    /// time range `range` of the episode.
    fn fill(
        &self,
        part: &mut [f32],
        valid: &mut [f32],
        element: Element,
        columns: &FrameColumns,
        range: TimeRange,
    ) -> Result<u64, LeRobotError> {
        let source = Source::new(columns, element, LeRobotError::NotRecorded)?;
        let base = self.options.frame.base(element);
        let base =
            base.map(|base| Source::new(columns, base, |base| LeRobotError::NoBase { base }));
        let base = base.transpose()?;
        let width = width_of(element);
        let stride = part.len() / width;
        let mut write = |row: usize, values: &Values| {
            for (column, value) in part.chunks_exact_mut(stride).zip(values) {
                column[row] = *value;
            }
        };
        let frames = columns.times.len();
        let mut last: Option<Values> = None;
        let mut not_finite = 0;
        for (row, valid) in valid.iter_mut().enumerate().take(frames) {
            match self.value(&source, base.as_ref(), row) {
                Value::Known(mut values) => {
                    if width == POSE {
                        continue_sign(&mut values, last.as_ref());
                    }
                    let first = if last.is_none() { 0 } else { row };
                    (first..=row).for_each(|row| write(row, &values));
                    last = Some(values);
                }
                unknown => {
                    *valid = 0.0;
                    not_finite += u64::from(unknown == Value::NotFinite);
                    if let Some(values) = &last {
                        write(row, values);
                    }
                }
            }
        }
        match last {
            Some(values) => write(frames, &values),
            // The hand is not tracked in any frame.
            None if not_finite == 0 => (0..=frames).for_each(|row| write(row, &IDENTITY)),
            None => {
                let TimeRange { start, end } = range;
                return Err(LeRobotError::NeverFinite {
                    element,
                    start,
                    end,
                });
            }
        }
        Ok(not_finite)
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
            Element::Tracked(_) | Element::Pinching(_) => None,
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
    /// Returns the head or the wrist to which an element is relative; `None` for an element in the coordinates of the
    /// world.
    fn base(self, element: Element) -> Option<Element> {
        match (self, element) {
            (ReferenceFrame::Head, Element::Joint(..) | Element::Gaze) => Some(Element::Head),
            (ReferenceFrame::Wrist, Element::Joint(side, joint)) if joint != Joint::Wrist => {
                Some(Element::Joint(side, Joint::Wrist))
            }
            _ => None,
        }
    }
}

fn fill_states(part: &mut [f32], states: &[bool]) {
    let last = states.last();
    for (value, state) in part.iter_mut().zip(states.iter().chain(last)) {
        *value = f32::from(u8::from(*state));
    }
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
