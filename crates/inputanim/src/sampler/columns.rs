//! Evaluation of many frames as columns, for tables and Arrow.
//!
//! Method: each block of times is sampled by one processor. The segment of each time is found once for all curves of a
//! track. A sampler stores the values of a track key by key, so that a few rows are evaluated and transposed into columns at a
//! time, which stay in the first-level cache. The keys of a recording are read curve by curve, straight into the columns.
//!
//! Guarantee: the columns of a sampler and of a recording have the same bits as the frames of a sampler.

use std::ops::Range;
use std::sync::Arc;

use crate::device::{DeviceName, InputName, PoseName};
use crate::element::Element;
use crate::evaluate::{Keyframe, lerp};
use crate::joint::{Joint, Joints, Side};
use crate::key::FullKey;
use crate::parallel;
use crate::path::{CurvePath, PoseChannel, RayChannel};
use crate::recording::Recording;

use super::bake::{self, Draft, Drafts, LinearKeys};
use super::row::{CHANNELS, POSE, Row, Section, normalised, normalised_direction, slot_of};
use super::track::{Position, Timeline, Track};
use super::{Sampler, StateCursor, Unknown, UnplayableCurve};

/// Frames as columns. Every column is as long as `times`, except that [`of_curves`](Self::of_curves) leaves the columns of
/// other curves empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FrameColumns {
    /// Times in seconds.
    pub times: Vec<f32>,
    /// Pose of the head, if recorded.
    pub head: Option<PoseColumns>,
    /// The left hand.
    pub left: HandColumns,
    /// The right hand.
    pub right: HandColumns,
    /// Gaze, if recorded.
    pub gaze: Option<RayColumns>,
    /// The devices of the recording, in the order of their names.
    pub devices: Vec<DeviceColumns>,
    /// The unknown elements at each time; empty if the recording has no gaps.
    unknown: Vec<Unknown>,
}

/// A controller, tracker or other device over time.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceColumns {
    /// The name.
    pub name: DeviceName,
    /// 1 while the device is active, 0 while it is not, NaN where nothing is known about it.
    pub active: Vec<f32>,
    /// The interaction profile, where it is known and the device is active.
    pub profile: Vec<Option<Arc<str>>>,
    /// The recorded poses, in the order of their names. They are NaN where they are unknown or the device is not active.
    pub poses: Vec<(PoseName, PoseColumns)>,
    /// The recorded inputs, in the order of their names.
    pub inputs: Vec<(InputName, InputColumn)>,
}

/// An input over time.
#[derive(Clone, Debug, PartialEq)]
pub struct InputColumn {
    /// `true` if the input is on or off, such as a button.
    pub is_boolean: bool,
    /// The values; 1 for on and 0 for off. NaN where the input is unknown or the device is not active.
    pub values: Vec<f32>,
}

/// A pose over time, in Unity's world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PoseColumns {
    /// Position x, y, z in metres.
    pub position: [Vec<f32>; 3],
    /// Rotation as a quaternion x, y, z, w.
    pub rotation: [Vec<f32>; 4],
}

/// A ray over time, in Unity's world space.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct RayColumns {
    /// Origin x, y, z in metres.
    pub origin: [Vec<f32>; 3],
    /// Direction x, y, z.
    pub direction: [Vec<f32>; 3],
}

/// A hand over time.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HandColumns {
    /// `true` while the device tracks the hand.
    pub tracked: Vec<bool>,
    /// `true` while thumb and index finger touch.
    pub pinching: Vec<bool>,
    /// `true` where joints have values. Elsewhere the hand is not tracked or unknown, and they are NaN. A single joint can be
    /// unknown where others have values: see [`FrameColumns::is_known`].
    pub valid: Vec<bool>,
    /// Poses of the recorded joints.
    pub joints: Joints<Option<PoseColumns>>,
}

impl FrameColumns {
    /// Returns the columns of the left or the right hand.
    pub fn hand(&self, side: Side) -> &HandColumns {
        match side {
            Side::Left => &self.left,
            Side::Right => &self.right,
        }
    }

    /// Evaluates the curves that `keep` selects at the given times in seconds. The values have the same bits as
    /// [`Sampler::of_curves`] with [`Sampler::columns`]. They take less time and memory, because no sampler is made: prefer a
    /// sampler only if the recording is evaluated several times.
    ///
    /// If a curve of a position, rotation, origin or direction is selected, the result has all of its components. The columns
    /// of other curves are empty.
    ///
    /// # Errors
    /// When the time of a key of a selected curve is NaN.
    ///
    /// ```
    /// use inputanim::{CurvePath, FrameColumns, Layout, Pose, PoseChannel, Recording};
    /// let mut recording = Recording::new(Layout::Mrtk1_1);
    /// recording.head_mut().push(0.0, &Pose::at([0.0, 1.0, 0.0]));
    /// recording.head_mut().push(2.0, &Pose::at([0.0, 2.0, 0.0]));
    /// let height = |path| path == CurvePath::Head(PoseChannel::PositionY);
    /// let head = FrameColumns::of_curves(&recording, height, [0.5, 1.0])?.head.unwrap();
    /// assert_eq!(head.position[1], [1.25, 1.5]);
    /// assert!(head.rotation[0].is_empty());
    /// # Ok::<(), inputanim::UnplayableCurve>(())
    /// ```
    pub fn of_curves(
        recording: &Recording<'_>,
        keep: impl Fn(CurvePath) -> bool,
        times: impl IntoIterator<Item = f32>,
    ) -> Result<FrameColumns, UnplayableCurve> {
        of_recording(recording, keep, times.into_iter().collect())
    }

    /// Returns the columns of a recording without streams at the given times in seconds.
    pub fn without_streams(times: Vec<f32>) -> FrameColumns {
        FrameColumns {
            times,
            ..FrameColumns::default()
        }
    }

    /// Returns `true` if an element is known at the time with an index. A joint is known where its hand is known: whether it
    /// has a value also depends on [`HandColumns::valid`].
    pub fn is_known(&self, element: Element, index: usize) -> bool {
        !self
            .unknown
            .get(index)
            .is_some_and(|unknown| unknown.has(element))
    }

    /// Returns `true` if nothing of the head, the hands and the gaze is unknown: they have no gaps.
    pub fn is_complete(&self) -> bool {
        self.unknown.is_empty()
    }

    /// Returns every evaluated float column with the name of its curve, in the order of
    /// [`Recording::curves`](crate::Recording::curves).
    pub fn floats<'a>(&'a self) -> impl Iterator<Item = (CurvePath, &'a [f32])> {
        // A chain of iterators would be compiled anew for each use, and is large in WebAssembly.
        let mut all = Vec::new();
        let mut add = |path, column: &'a [f32]| {
            if column.len() == self.times.len() {
                all.push((path, column));
            }
        };
        let channels = || PoseChannel::ALL.into_iter();
        if let Some(pose) = &self.head {
            for (channel, column) in channels().zip(pose.columns()) {
                add(CurvePath::Head(channel), column);
            }
        }
        for side in Side::BOTH {
            for (joint, pose) in self.hand(side).joints.iter() {
                for (channel, column) in pose.iter().flat_map(|pose| channels().zip(pose.columns()))
                {
                    add(CurvePath::Joint(side, joint, channel), column);
                }
            }
        }
        if let Some(ray) = &self.gaze {
            for (channel, column) in RayChannel::ALL.into_iter().zip(ray.columns()) {
                add(CurvePath::Gaze(channel), column);
            }
        }
        for device in &self.devices {
            for (pose, columns) in &device.poses {
                for (channel, column) in channels().zip(columns.columns()) {
                    add(CurvePath::DevicePose(device.name, *pose, channel), column);
                }
            }
            for (input, column) in device.inputs.iter().filter(|(_, input)| !input.is_boolean) {
                add(CurvePath::Input(device.name, *input), &column.values);
            }
        }
        all.into_iter()
    }
}

impl InputColumn {
    /// Changes the signs of numbers.
    pub(crate) fn negate(&mut self) {
        if !self.is_boolean {
            self.values.iter_mut().for_each(|value| *value = -*value);
        }
    }
}

macro_rules! column_group {
    ($group:ident: $first:ident, $second:ident) => {
        impl $group {
            /// Returns columns of zeros. `length` returns the length of the column with an index.
            pub(super) fn new(length: impl Fn(usize) -> usize) -> $group {
                let first = std::array::from_fn(|index| vec![0.0; length(index)]);
                let offset = first.len();
                $group {
                    $first: first,
                    $second: std::array::from_fn(|index| vec![0.0; length(offset + index)]),
                }
            }

            /// Returns the column of each component, in file order: seven of a pose, six of a ray.
            pub fn columns(&self) -> impl Iterator<Item = &[f32]> {
                self.$first.iter().chain(&self.$second).map(Vec::as_slice)
            }

            pub(super) fn columns_mut(&mut self) -> impl Iterator<Item = &mut [f32]> {
                let columns = self.$first.iter_mut().chain(&mut self.$second);
                columns.map(Vec::as_mut_slice)
            }
        }
    };
}

column_group!(PoseColumns: position, rotation);
column_group!(RayColumns: origin, direction);

/// Number of times that one processor samples at once.
const BLOCK: usize = 1024;

/// Number of rows that are transposed at once: their values in one column fill a cache line.
const TILE: usize = 16;

/// Evaluates the curves of a sampler at times in seconds.
pub(super) fn of_sampler(sampler: &Sampler, times: Vec<f32>) -> FrameColumns {
    let source = Source {
        sampler,
        drafts: None,
        is_selected: [true; CHANNELS],
    };
    source.columns(times)
}

/// Evaluates the curves of a recording that `keep` selects at times in seconds. Fails if the time of a key is NaN.
fn of_recording(
    recording: &Recording<'_>,
    keep: impl Fn(CurvePath) -> bool,
    times: Vec<f32>,
) -> Result<FrameColumns, UnplayableCurve> {
    let mut is_selected = [false; CHANNELS];
    let selected = recording.curves().filter(|(path, _)| keep(*path));
    for (section, slot) in selected.filter_map(|(path, _)| slot_of(path)) {
        is_selected[section.vector(slot)].fill(true);
    }
    let (baked, drafts) = bake::draft(recording, keep)?;
    let source = Source {
        sampler: &Sampler::from(baked),
        drafts: Some(&drafts),
        is_selected,
    };
    Ok(source.columns(times))
}

/// Curves that are evaluated as columns.
struct Source<'s> {
    /// The curves, the states of hands, the gaps, and the options.
    sampler: &'s Sampler,
    /// The curves, if they are not in the sampler.
    drafts: Option<&'s Drafts<'s>>,
    /// `true` for the slots whose columns are evaluated.
    is_selected: [bool; CHANNELS],
}

impl Source<'_> {
    fn columns(&self, times: Vec<f32>) -> FrameColumns {
        let mut columns = self.empty(times.len());
        let blocks = blocks(&mut columns, &times);
        let count = self
            .is_selected
            .iter()
            .filter(|&&selected| selected)
            .count();
        let size = times.len() * count;
        parallel::for_each(blocks, size, |mut block| block.fill(self));
        columns.devices = self.sampler.device_columns(&times);
        // The times are moved last, because the blocks borrow them.
        columns.times = times;
        columns
    }

    /// Returns columns of `length` zeros for the poses and rays that are recorded, and of `false` for the states of hands.
    /// The columns that are not selected are empty.
    fn empty(&self, length: usize) -> FrameColumns {
        let Source { sampler, .. } = self;
        let length_of = |slot: usize| if self.is_selected[slot] { length } else { 0 };
        let hand = |side: Side| {
            let section = Section::of_hand(side);
            let recorded = &sampler.baked.sections[section as usize].recorded;
            let pose = |joint: Joint| {
                let start = section.joint(joint);
                recorded[joint].then(|| PoseColumns::new(|index| length_of(start + index)))
            };
            HandColumns {
                tracked: vec![false; length],
                pinching: vec![false; length],
                valid: vec![false; length],
                joints: Joints::from_fn(pose),
            }
        };
        let of = |section: Section| move |index: usize| length_of(section.start() + index);
        let (head, gaze) = (Section::Head, Section::Gaze);
        FrameColumns {
            times: Vec::new(),
            head: sampler
                .is_recorded(head)
                .then(|| PoseColumns::new(of(head))),
            left: hand(Side::Left),
            right: hand(Side::Right),
            gaze: sampler.is_recorded(gaze).then(|| RayColumns::new(of(gaze))),
            devices: Vec::new(),
            unknown: if sampler.has_file_gaps() {
                vec![Unknown::default(); length]
            } else {
                Vec::new()
            },
        }
    }
}

/// A range of times, with the same range of every column.
struct Block<'c> {
    times: &'c [f32],
    /// The column of each slot of a row; `None` if it is not evaluated.
    floats: Vec<Option<&'c mut [f32]>>,
    /// The columns tracked, pinching and valid; left, then right.
    states: Vec<[&'c mut [bool]; 3]>,
    /// The unknown elements, if the recording has gaps.
    unknown: Option<&'c mut [Unknown]>,
}

fn blocks<'c>(columns: &'c mut FrameColumns, times: &'c [f32]) -> Vec<Block<'c>> {
    let block = |times| Block {
        times,
        floats: (0..CHANNELS).map(|_| None).collect(),
        states: Vec::new(),
        unknown: None,
    };
    let mut blocks: Vec<Block<'_>> = times.chunks(BLOCK).map(block).collect();
    for (block, chunk) in blocks.iter_mut().zip(columns.unknown.chunks_mut(BLOCK)) {
        block.unknown = Some(chunk);
    }
    let hands = [
        (Side::Left, &mut columns.left),
        (Side::Right, &mut columns.right),
    ];
    let mut floats: Vec<(usize, &mut [f32])> = Vec::new();
    for (side, hand) in hands {
        let states = [&mut hand.tracked, &mut hand.pinching, &mut hand.valid];
        let mut states = states.map(|column| column.chunks_mut(BLOCK));
        for block in &mut blocks {
            let chunks = states
                .each_mut()
                .map(|chunks| chunks.next().unwrap_or_default());
            block.states.push(chunks);
        }
        let section = Section::of_hand(side);
        for (joint, pose) in hand.joints.iter_mut() {
            let columns = pose.iter_mut().flat_map(PoseColumns::columns_mut);
            floats.extend((section.joint(joint)..).zip(columns));
        }
    }
    let head = columns.head.iter_mut().flat_map(PoseColumns::columns_mut);
    let gaze = columns.gaze.iter_mut().flat_map(RayColumns::columns_mut);
    floats.extend((Section::Head.start()..).zip(head));
    floats.extend((Section::Gaze.start()..).zip(gaze));
    for (slot, column) in floats {
        for (block, chunk) in blocks.iter_mut().zip(column.chunks_mut(BLOCK)) {
            block.floats[slot] = Some(chunk);
        }
    }
    blocks
}

impl Block<'_> {
    fn fill(&mut self, source: &Source<'_>) {
        let sampler = source.sampler;
        self.fill_states(sampler);
        let mut places = Places::default();
        let mut rows = vec![Row::default(); TILE];
        for section in Section::ALL {
            let baked = &sampler.baked.sections[section as usize];
            let is_shown = |side: Side| self.states[side as usize][2].contains(&true);
            if !section.hand().is_none_or(is_shown) {
                self.forget(section.range(), |_| true);
                continue;
            }
            for track in &baked.tracks {
                self.fill_track(track, section, sampler.has_clamped_ends, &mut rows);
            }
            for draft in source
                .drafts
                .iter()
                .flat_map(|drafts| &drafts[section as usize])
            {
                self.fill_draft(draft, &mut places);
            }
            if !sampler.has_raw_rotations {
                for &pose in &baked.poses {
                    // The rotation follows the three numbers of the position.
                    self.normalise(usize::from(pose) + 3);
                }
            }
            if section == Section::Gaze {
                self.normalise_gaze();
            }
            if let Some(side) = section.hand() {
                let valid = std::mem::take(&mut self.states[side as usize][2]);
                if valid.contains(&false) {
                    self.forget(section.range(), |row| !valid[row]);
                }
                self.states[side as usize][2] = valid;
            }
        }
        self.forget_unknown();
    }

    /// Evaluates the states of hands and the unknown elements.
    fn fill_states(&mut self, sampler: &Sampler) {
        let mut cursor = StateCursor::default();
        for (row, &time) in self.times.iter().enumerate() {
            let unknown = sampler.unknown_at(time);
            let states = sampler.states_of(time, unknown, &mut cursor);
            for (state, [tracked, pinching, valid]) in states.into_iter().zip(&mut self.states) {
                tracked[row] = state.tracked;
                pinching[row] = state.pinching;
                valid[row] = sampler.shows(state);
            }
            if let Some(column) = &mut self.unknown {
                column[row] = unknown;
            }
        }
    }

    /// Evaluates the curves of a track of a section. Skips times at which the joints of a hand are not shown.
    fn fill_track(&mut self, track: &Track, section: Section, clamp: bool, rows: &mut [Row]) {
        let hand = section.hand();
        let mut segment = 0;
        for (tile, times) in self.times.chunks(TILE).enumerate() {
            let first = tile * TILE;
            for (index, (&time, row)) in times.iter().zip(&mut *rows).enumerate() {
                if hand.is_none_or(|side| self.states[side as usize][2][first + index]) {
                    track.write(time, clamp, &mut segment, row);
                }
            }
            for slot in track.slots() {
                if let Some(column) = &mut self.floats[slot] {
                    let column = &mut column[first..][..times.len()];
                    for (number, row) in column.iter_mut().zip(&*rows) {
                        *number = row.values()[slot];
                    }
                }
            }
        }
    }

    /// Evaluates the curves of a draft of a track.
    fn fill_draft(&mut self, draft: &Draft<'_>, places: &mut Places) {
        places.find(draft.timeline(), self.times);
        for (slot, keys) in draft.linear() {
            if let Some(column) = &mut self.floats[slot] {
                match keys {
                    LinearKeys::Full(keys) => places.interpolate(keys, column),
                    LinearKeys::Simple(keys) => places.interpolate(keys, column),
                }
            }
            if places.has_nan {
                self.forget(slot..slot + 1, |row| places.is_nan(row));
            }
        }
        for (slot, keys) in draft.curved() {
            if let Some(column) = &mut self.floats[slot] {
                places.evaluate(keys, column);
            }
        }
    }

    /// Normalises the rotation whose first column is in a slot, if it is evaluated.
    fn normalise(&mut self, slot: usize) {
        if let [Some(x), Some(y), Some(z), Some(w)] = &mut self.floats[slot..slot + 4] {
            let rows = x.iter_mut().zip(&mut **y).zip(&mut **z).zip(&mut **w);
            for (((x, y), z), w) in rows {
                [*x, *y, *z, *w] = normalised([*x, *y, *z, *w]);
            }
        }
    }

    /// Normalises the direction of the gaze, if it is evaluated.
    fn normalise_gaze(&mut self) {
        let start = Section::Gaze.start() + 3;
        if let [Some(x), Some(y), Some(z)] = &mut self.floats[start..start + 3] {
            for ((x, y), z) in x.iter_mut().zip(&mut **y).zip(&mut **z) {
                [*x, *y, *z] = normalised_direction([*x, *y, *z]);
            }
        }
    }

    /// Sets the values of some slots to NaN in the rows that a predicate selects.
    fn forget(&mut self, slots: Range<usize>, is_forgotten: impl Fn(usize) -> bool) {
        for column in self.floats[slots].iter_mut().flatten() {
            for (row, number) in column.iter_mut().enumerate() {
                if is_forgotten(row) {
                    *number = f32::NAN;
                }
            }
        }
    }

    /// Sets the values of unknown elements to NaN.
    fn forget_unknown(&mut self) {
        let Some(unknown) = self.unknown.take() else {
            return;
        };
        let rows = unknown.iter().enumerate();
        for (row, unknown) in rows.filter(|(_, unknown)| unknown.is_any()) {
            for (element, slots) in element_slots() {
                if unknown.has(element) {
                    for column in self.floats[slots].iter_mut().flatten() {
                        column[row] = f32::NAN;
                    }
                }
            }
        }
    }
}

/// Returns the elements with poses and rays, each with its slots.
fn element_slots() -> impl Iterator<Item = (Element, Range<usize>)> {
    let joints = Side::BOTH.into_iter().flat_map(|side| {
        let joints = Joint::ALL.into_iter();
        joints.map(move |joint| {
            let start = Section::of_hand(side).joint(joint);
            (Element::Joint(side, joint), start..start + POSE)
        })
    });
    let ends = [
        (Element::Head, Section::Head.range()),
        (Element::Gaze, Section::Gaze.range()),
    ];
    ends.into_iter().chain(joints)
}

/// The places of some times among keys.
#[derive(Default)]
struct Places {
    positions: Vec<Position>,
    /// The same for linear curves.
    linear: Vec<LinearPlace>,
    has_nan: bool,
}

/// A place between two keys of a linear curve.
#[derive(Clone, Copy)]
struct LinearPlace {
    /// The indices of both keys. They are equal at a key.
    keys: [u32; 2],
    /// 0 at the left key, 1 at the right one.
    fraction: f32,
}

impl Places {
    /// Replaces the places by those of times in seconds.
    fn find(&mut self, timeline: Timeline<'_>, times: &[f32]) {
        let mut segment = 0;
        let positions = times
            .iter()
            .map(|&time| timeline.position(time, &mut segment));
        self.positions.clear();
        self.positions.extend(positions);
        self.has_nan = false;
        let at = |key: usize| LinearPlace {
            keys: [key as u32; 2],
            fraction: 0.0,
        };
        let linear = self.positions.iter().map(|position| match *position {
            Position::Key(key) => at(key),
            Position::Between { left, time } => LinearPlace {
                keys: [left as u32, left as u32 + 1],
                fraction: timeline.fraction(left, time),
            },
            Position::NotANumber => {
                self.has_nan = true;
                at(0)
            }
        });
        self.linear.clear();
        self.linear.extend(linear);
    }

    /// Returns `true` if the time of a row has no place.
    fn is_nan(&self, row: usize) -> bool {
        matches!(self.positions[row], Position::NotANumber)
    }

    /// Writes the values of a linear curve to a column.
    fn interpolate<K: Keyframe>(&self, keys: &[K], column: &mut [f32]) {
        for (number, place) in column.iter_mut().zip(&self.linear) {
            let [left, right] = place.keys.map(|key| keys[key as usize].value());
            *number = lerp(left, right, place.fraction);
        }
    }

    /// Writes the values of a curve with tangents to a column.
    fn evaluate(&self, keys: &[FullKey], column: &mut [f32]) {
        for (number, position) in column.iter_mut().zip(&self.positions) {
            *number = match *position {
                Position::Key(key) => keys[key].value(),
                Position::Between { left, time } => {
                    FullKey::between(&keys[left], &keys[left + 1], time)
                }
                Position::NotANumber => f32::NAN,
            };
        }
    }
}
